//! The spot model against a Monte-Carlo grid, and the break-even rules against 50-digit values.

mod breakeven;
mod grid;
