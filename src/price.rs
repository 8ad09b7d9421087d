//! What a candidate really costs: the mathematics of buying, as pure functions of typed quantities.

pub mod breakeven;
pub mod spot;
