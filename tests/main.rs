//! The one integration binary.

#[cfg(test)]
mod accuracy;
#[cfg(test)]
mod spot;
