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
pub mod threads;
pub mod thresholds;
pub mod units;
pub mod usage;
pub mod vram;

use catalog::Catalog;
use choose::assemble::{Considered, Found};
use choose::question::Basis;
use choose::{Kept, Selection};
use decide::StageCandidates;
use duration::StageClock;
use job::{Alike, Job, Stage};
use plan::Plan;
use plan::curve::Curve;
use price::StageQuotes;
use std::sync::{Arc, OnceLock};

/// The whole way from a question and prices to an answer.
pub fn plan(job: &Job, catalog: &Catalog) -> Plan {
    worked_out(job, catalog).0
}

/// What a plan was made of.
#[derive(Debug)]
pub struct Workings<'a> {
    /// What was found of each stage.
    pub considered: Vec<Considered>,
    /// What holds for every offer, before a storage region was chosen.
    pub book: Option<price::Book<'a>>,
}

/// The same as [`plan`], with what the plan was made of. Whoever is about to end the process may forget that, which is
/// quicker than to give it back.
pub fn worked_out<'a>(job: &'a Job, catalog: &'a Catalog) -> (Plan, Workings<'a>) {
    let book = OnceLock::new();
    let (plan, considered) = found_out(job, catalog, || book.get_or_init(|| price::Book::new(job, catalog)));
    (plan, Workings { considered, book: book.into_inner() })
}

/// The same, with a `book` that is made when it is first asked for.
fn found_out<'a>(
    job: &'a Job,
    catalog: &'a Catalog,
    book: impl Fn() -> &'a price::Book<'a> + Sync,
) -> (Plan, Vec<Considered>) {
    let book = &book;
    let mut considered = consider(job, catalog, book);
    let basis = Basis { job, catalog, book: book() };
    if choose::storage::is_open(job) {
        choose::settle_roughly(basis, &mut considered);
        if let Some(storage) = choose::storage::region(basis, &considered) {
            let job = &storage.settle(job);
            let book = &price::Book::new(job, catalog);
            return stored(Basis { job, catalog, book }, considered, &storage);
        }
        considered = consider(job, catalog, book);
    }
    let kept = choose::settle(basis, &mut considered);
    finished(basis, considered, kept, None)
}

/// The plan when the data is kept in a region that was chosen for it: what that costs enters every price.
fn stored(
    basis: Basis<'_>,
    mut considered: Vec<Considered>,
    storage: &choose::storage::Chosen,
) -> (Plan, Vec<Considered>) {
    let pairs: Vec<(&Stage, &Considered)> = basis.job.stages.iter().zip(&considered).collect();
    let again = Alike::new(&basis.job.stages)
        .each(&pairs, |(stage, before)| offered(basis, stage, &before.candidates));
    for (stage, (quotes, selection)) in considered.iter_mut().zip(again) {
        stage.quotes = quotes;
        stage.selection = selection;
    }
    let kept = choose::settle(basis, &mut considered);
    finished(basis, considered, kept, Some(storage))
}

/// What may be bought for a stage, and what is taken of it.
fn offered(basis: Basis<'_>, stage: &Stage, candidates: &StageCandidates) -> (Arc<StageQuotes>, Selection) {
    let Basis { job, catalog, book } = basis;
    let quotes = price::price_stage(job, stage, catalog, book, candidates);
    let selection = choose::select(job, stage, catalog, candidates, &quotes);
    (Arc::new(quotes), selection)
}

fn finished(
    basis: Basis<'_>,
    considered: Vec<Considered>,
    kept: Kept,
    storage: Option<&choose::storage::Chosen>,
) -> (Plan, Vec<Considered>) {
    let Basis { job, catalog, book } = basis;
    let found = Found { job, catalog, book, stages: &considered, kept, storage };
    let plan = advise::advise(found, choose::assemble(found));
    (plan, considered)
}

/// The cost-time curve beside a plan: every plan than which none is both cheaper and faster, whatever the limits are.
/// The data stays where the plan keeps it.
pub fn curve(job: &Job, catalog: &Catalog, plan: &Plan) -> Option<Curve> {
    let job = &choose::curve::unlimited(job, plan);
    let book = OnceLock::new();
    let book = || book.get_or_init(|| price::Book::new(job, catalog));
    let stages = consider(job, catalog, book);
    let found = Found { job, catalog, book: book(), stages: &stages, kept: Kept::Cheapest, storage: None };
    choose::curve::curve(found, plan)
}

/// What may be rented for each stage, what it costs, and what is cheapest of it; found once for those that ask for the
/// same. Prices are not needed before it is known what may be rented: meanwhile the `book` of them is made.
fn consider<'a>(
    job: &'a Job,
    catalog: &'a Catalog,
    book: impl Fn() -> &'a price::Book<'a> + Sync,
) -> Vec<Considered> {
    let make = || {
        book();
    };
    // What may run on accelerators has more machines to choose from.
    let long = |stage: &Stage| duration::uses_gpu(stage, catalog);
    let decide = |stage: &Stage| {
        let clock = StageClock::new(stage, catalog);
        let candidates = decide::decide_stage(job, stage, &clock, catalog);
        (Arc::new(clock), Arc::new(candidates))
    };
    let price = |stage: &Stage, (clock, candidates): &(Arc<StageClock>, Arc<StageCandidates>)| {
        let basis = Basis { job, catalog, book: book() };
        let (quotes, selection) = offered(basis, stage, candidates);
        Considered { clock: Arc::clone(clock), candidates: Arc::clone(candidates), quotes, selection }
    };
    Alike::new(&job.stages).each_in_two(&job.stages, long, make, decide, price)
}
