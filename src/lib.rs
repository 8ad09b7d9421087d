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
use choose::assemble::{Considered, Found};
use choose::question::Basis;
use duration::StageClock;
use job::{Job, Stage};
use plan::Plan;

/// The whole way from a question and prices to an answer.
pub fn plan(job: &Job, catalog: &Catalog) -> Plan {
    let book = price::Book::new(job, catalog);
    let mut considered = each_stage(&job.stages, |stage| {
        let clock = StageClock::new(stage, catalog);
        let candidates = decide::decide_stage(job, stage, &clock, catalog);
        let quotes = price::price_stage(job, stage, catalog, &book, &candidates);
        let selection = choose::select(job, stage, catalog, &candidates, &quotes);
        Considered { clock, candidates, quotes, selection }
    });
    let kept = choose::settle(Basis { job, catalog, book: &book }, &mut considered);
    let found = Found { job, catalog, book: &book, stages: &considered, kept };
    advise::advise(found, choose::assemble(found))
}

/// Considers the stages, which do not depend on one another, on two threads when there are several; the order of the
/// results is that of the stages.
fn each_stage<T: Send>(stages: &[Stage], consider: impl Fn(&Stage) -> T + Sync) -> Vec<T> {
    let (now, beside) = stages.split_at(stages.len().div_ceil(2));
    if beside.is_empty() {
        return now.iter().map(consider).collect();
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(|| beside.iter().map(&consider).collect::<Vec<T>>());
        let mut all: Vec<T> = now.iter().map(&consider).collect();
        match other.join() {
            Ok(rest) => all.extend(rest),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        all
    })
}
