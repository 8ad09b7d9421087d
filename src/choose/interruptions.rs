//! How the time of a stage on spot comes about: checkpoints, interruptions, waiting for capacity.

use crate::decide::Candidate;
use crate::job::Stage;
use crate::price::Quote;
use crate::price::pricer::Pricer;
use crate::units::Hours;
use crate::units::number::{significant, things};

/// The lines after those of the work and the start-up; none for what is not bought on spot.
pub(super) fn told(stage: &Stage, pricer: &Pricer<'_>, candidate: &Candidate, quote: &Quote) -> Vec<String> {
    let Some((case, job, outcome)) = pricer.spot_details(candidate, quote) else { return Vec::new() };
    let mut lines = Vec::new();
    if let Some(checkpoint) = stage.checkpoint.filter(|c| c.durable && case.checkpoint > Hours::ZERO) {
        let by = if checkpoint.every.is_some() { "stated" } else { "chosen as the best for this hazard" };
        lines.push(match job.segments {
            0 | 1 => format!("no checkpoint on the way ({by})"),
            n => {
                let often = checkpoint.every.map_or_else(
                    || format!("every {} of work ({by})", job.segment()),
                    |most| format!("at most every {most} of work ({by}): {n} parts of {}", job.segment()),
                );
                let each = if n == 2 { "" } else { " each" };
                format!("a checkpoint {often}: {} of {}{each}", n - 1, case.checkpoint)
            }
        });
    }
    let interruptions = significant(outcome.interruptions, 2);
    let often = format!(
        "{} at {} per hour",
        things(&interruptions, "interruption"),
        significant(job.hazard.get(), 3)
    );
    lines.push(format!(
        "on spot: {} if nothing goes wrong + {} for {often} (launches, work done again) = {} billed",
        outcome.shortest, outcome.overrun, outcome.billed
    ));
    let wait = job.wait.mean * outcome.interruptions;
    let waits = format!(
        "waiting for capacity: {} × {} = {wait}, not billed",
        things(&interruptions, "interruption"),
        job.wait.mean
    );
    let Some(net) = pricer.fallback_case(candidate, quote) else {
        lines.push(waits);
        let longest = outcome.billed + wait;
        if outcome.crew.is_some() && outcome.completion > longest * (1.0 + 1e-9) {
            lines.push(format!(
                "time = {}, when the last of {} machines with a part each is done: a rule of thumb, up to a quarter too short",
                outcome.completion, candidate.count
            ));
            return lines;
        }
        lines.push(format!("time = {} billed + {wait} waiting = {}", outcome.billed, outcome.completion));
        return lines;
    };
    lines.push(format!("{waits}, on spot alone"));
    let billed = net.split.spot + net.split.on_demand;
    lines.push(format!(
        "with on-demand from the last moment at which {} is kept: {} on spot + {} on-demand = {billed} billed; time \
         {} at most, of it {} waiting",
        net.within,
        net.split.spot,
        net.split.on_demand,
        net.split.time,
        net.split.time.minus(billed)
    ));
    lines
}
