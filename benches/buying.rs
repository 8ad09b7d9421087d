//! How long pricing takes: 100,000 candidates under every way of buying, on one core.
//!
//! `cargo bench --bench buying` prices the embedded catalog's candidates for stages of several kinds again and again, with
//! a deadline (so that spot with fallback takes part) and without, and prints the time of 100,000 candidates.

#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::cast_precision_loss, reason = "counts below 2⁵³")]

use plan::catalog::Catalog;
use plan::decide::decide_stage;
use plan::diag::Diagnostics;
use plan::duration::StageClock;
use plan::price::{Book, price_stage};
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::Date;
use std::hint::black_box;
use std::time::Instant;

const STAGE: &str = "[data]\nsamples = 1_281_167\n[model]\narchitecture = \"resnet50\"\nbatch_size = 256\nprecision = \"amp\"\n\
    [[stage]]\nkind = \"train\"\nepochs = 20\ninstances = 64\ncheckpoint = { every = \"20m\", takes = \"30s\" }\n";

fn main() {
    let catalog = Catalog::embedded();
    let Some(today) = Date::new(2026, 11, 30) else { return };
    println!("{:16} {:>10} {:>10} {:>12} {:>14}", "", "candidates", "quotes", "ms in all", "ms per 100,000");
    for (name, head) in [("without deadline", ""), ("with deadline", "[limits]\ndeadline = \"7d\"\n")] {
        let mut diags = Diagnostics::new();
        let raw = workload::read(&Source::new("bench.toml", format!("{head}{STAGE}")), &mut diags);
        let Some(job) = resolve(&raw, &Overrides::none(today), &catalog, &mut diags) else {
            println!("{name}: {:?}", diags.sorted());
            continue;
        };
        let Some(stage) = job.stages.first() else { continue };
        let clock = StageClock::new(stage, &catalog);
        let found = decide_stage(&job, stage, &clock, &catalog);
        let book = Book::new(&job, &catalog);
        let (mut best, mut quotes) = (f64::INFINITY, 0);
        for _ in 0..20 {
            let start = Instant::now();
            let offered = black_box(price_stage(&job, stage, &catalog, &book, black_box(&found)));
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
            quotes = offered.quotes.len();
        }
        let many = found.candidates.len();
        println!("{name:16} {many:>10} {quotes:>10} {best:>12.2} {:>14.1}", best * 1e5 / many as f64);
    }
}
