//! Time to size one service, and to plan services on all offers.

use plan::catalog::Catalog;
use plan::decide::queue::{Queue, least_places};
use plan::diag::Diagnostics;
use plan::read::{Source, workload};
use plan::resolve::{Overrides, resolve};
use plan::units::Date;
use std::hint::black_box;
use std::time::Instant;

#[expect(clippy::print_stdout, reason = "how a benchmark speaks")]
fn main() {
    for load in [10.0, 1e3, 1e5, 1e9] {
        let queue = Queue { rate: load, places: 0.0, holds: 1.0, variation: 0.5, beside: 0.0 };
        let rounds = 200_u32;
        let begin = Instant::now();
        for _ in 0..rounds {
            let within = queue.bare_percentile(0.95) * 1.1;
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "loads that fit")]
            let least = load as u32;
            black_box(least_places(black_box(queue), 1.0, least, 0.95, within));
        }
        println!("least number of places at a load of {load}: {:?}", begin.elapsed() / rounds);
    }
    let catalog = Catalog::embedded();
    for (what, file) in [
        ("a day and a latency, one region", include_str!("../tests/workloads/chat-service.toml").to_owned()),
        (
            "a day and a latency, everywhere",
            include_str!("../tests/workloads/chat-service.toml").replace("[where]\nregions = [\"aws/us-east-1\"]", ""),
        ),
        (
            "the peak around the clock, everywhere",
            "[[stage]]\nkind = \"serve\"\nrequests_per_second = 60\nmeasured = [{ on = \"T4\", time = \"60ms\" }, { on = \"8 vCPU\", time = \"300ms\" }]\n"
                .to_owned(),
        ),
    ] {
        let mut diags = Diagnostics::new();
        let raw = workload::read(&Source::new("bench.toml", &file), &mut diags);
        let Some(today) = Date::new(2026, 11, 30) else { return };
        let Some(job) = resolve(&raw, &Overrides::none(today), &catalog, &mut diags) else { return };
        let rounds = 50_u32;
        let begin = Instant::now();
        for _ in 0..rounds {
            black_box(plan::plan(black_box(&job), &catalog));
        }
        println!("a plan: {what}: {:?}", begin.elapsed() / rounds);
    }
}
