//! `plan` says what to rent for each stage of a machine-learning job, why, for how long and for how much.
//!
//! ```text
//! text ──read──▶ raw files ──resolve──▶ Job ──decide──▶ candidates + rejections ──price──▶ quotes
//!      ──choose──▶ Plan ──advise──▶ Plan ──render──▶ bytes
//! ```
//!
//! Each step is a plain function from one owned type to the next, without I/O, clock, environment or randomness;
//! only [`read`] opens files and only [`cli`] knows the terminal, the clock and the arguments.

pub mod advise;
pub mod catalog;
pub mod choose;
pub mod cli;
pub mod decide;
pub mod diag;
pub mod duration;
#[path = "catalog/embedded.rs"]
mod embedded;
pub mod job;
pub mod model;
pub mod names;
pub mod offers;
pub mod plan;
pub mod price;
pub mod read;
pub mod render;
pub mod resolve;
pub mod rules;
pub mod terms;
pub mod thresholds;
pub mod units;
pub mod usage;
pub mod vram;

use catalog::Catalog;
use choose::assemble::Found;
use duration::StageClock;
use job::Job;
use plan::Plan;

/// The whole way from a question and prices to an answer.
pub fn plan(job: &Job, catalog: &Catalog) -> Plan {
    let clocks: Vec<StageClock> = job.stages.iter().map(|stage| StageClock::new(stage, catalog)).collect();
    let candidates = decide::decide(job, catalog, &clocks);
    let book = price::Book::new(job, catalog);
    let quotes = price::price(job, catalog, &book, &candidates);
    let selections = choose::select(job, catalog, &candidates, &quotes);
    let found =
        Found { job, catalog, clocks: &clocks, book: &book, candidates: &candidates, quotes: &quotes };
    advise::advise(found, choose::assemble(found, &selections))
}
