//! The one integration binary.

#[cfg(test)]
mod workload;
