//! The best plan, proven: one choice per stage of an acyclic graph, of least cost under a deadline, or of least
//! makespan under a budget (the discrete time-cost trade-off problem, NP-hard in general).
//!
//! ```text
//! stages ──problem──▶ ladders without dominated choices, graph
//!        ──network──▶ events ──dual──▶ lower bound, prices of time, event times
//!        ──round────▶ a selection to beat
//!        ──tree─────▶ branch and bound until nothing better can be left (prove)
//!        ──front────▶ the same for hard series-parallel graphs (shape), from the trade-offs of their parts
//!        ──ties─────▶ the first of all equally good selections
//! ```
//!
//! Everything is whole numbers: times and costs in the caller's units, flows and bounds in fixed-point fractions of
//! them, so that what is proven is proven exactly. Work is counted in steps, not in seconds: equal questions get equal
//! answers. The module depends on nothing but the standard library and takes no part in what a choice means.

mod answer;
mod cheapest;
mod dual;
mod fastest;
mod front;
mod frontier;
mod graph;
mod hull;
mod narrow;
mod network;
mod node;
mod prices;
mod problem;
mod prove;
mod round;
mod shape;
mod ties;
mod tree;
mod way;

pub use answer::{Answer, Effort, Outcome, Proof};
pub use frontier::Frontier;
pub use graph::{Graph, GraphError};
pub use prices::Prices;
pub use problem::{Choice, Problem, ProblemError, Stage};
pub use shape::Shape;
