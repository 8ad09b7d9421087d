//! Months and recurring work.
