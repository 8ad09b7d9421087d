//! `plan workload.toml`: the main job.

use super::args::{CatalogOptions, PlanArgs};
use super::mistyped::subcommand_near;
use super::{Env, Exit, Stop, report};
use crate::catalog::Catalog;
use crate::catalog::load;
use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::job::{Aim, Job, StageKind};
use crate::plan::{Plan, WhatIf};
use crate::read::Source;
use crate::read::change::Change;
use crate::read::workload::{self, RawWorkload};
use crate::render::{Format, Style, failures, render};
use crate::resolve::{Overrides, carry, resolve};
use crate::threads;
use crate::units::Date;
use crate::units::number::things;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

/// Reads a workload, plans it and writes the answer; warnings go to `err`.
pub(super) fn run(
    args: &PlanArgs,
    env: &Env,
    out: &mut dyn Write,
    err: &mut dyn Write,
) -> Result<Exit, Stop> {
    let Some(path) = &args.workload else {
        return Err(Diagnostic::error(Code::MissingKey, None, "no workload is given")
            .hint("type `plan workload.toml`, or `plan --help` for what else there is")
            .into());
    };
    let second = threads::Second::start();
    let mut diags = Diagnostics::new();
    // Neither needs the other.
    let (catalog, (workload, found)) = threads::both(|| prices(&args.prices, &mut diags), || read(path));
    diags.extend(found);
    let mut changed = Vec::new();
    let job = match workload {
        Ok((source, raw)) => {
            let job = resolve(&raw, &overrides(args, env), &catalog, &mut diags);
            if !diags.has_errors() {
                changed = what_if(args, env, &source, &catalog, &mut diags);
            }
            job
        }
        Err(diagnostic) => {
            let meant = path.to_str().and_then(subcommand_near);
            diags.push(match meant {
                Some(near) => diagnostic.hint(format!("did you mean `plan {near}`?")),
                None => diagnostic,
            });
            None
        }
    };
    let failed = diags.has_errors();
    let Some(job) = job.filter(|_| !failed) else { return Err(Stop::Diagnostics(diags)) };
    report(diags, err);
    let (mut plan, workings) = crate::worked_out(&job, &catalog);
    for (change, mut changed) in changed {
        let scaled = carry(&job, &mut changed);
        plan.what_if.push(WhatIf {
            change: change.to_string(),
            scaled,
            plan: crate::plan(&changed, &catalog),
        });
    }
    if args.frontier {
        plan.curve = crate::curve(&job, &catalog, &plan);
        if plan.curve.is_none() && plan.stages.iter().all(|s| s.outcome.is_ok()) {
            // Nothing can be done when standard error is closed.
            let _ = writeln!(err, "no curve: no stage of {} has an end", plan.workload);
        }
    }
    if args.fastest
        && let Some(why) = idle_aim(&plan)
    {
        // Nothing can be done when standard error is closed.
        let _ = writeln!(err, "--fastest: {why}");
    }
    second.end();
    let style = Style { explain: args.explain, ..super::style(env) };
    let mut out = BufWriter::new(out);
    // A reader that has seen enough does not change the answer.
    match render(&plan, args.format, style, &mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
        other => other?,
    }
    if args.format == Format::Json {
        // The table says it itself; whoever keeps the JSON in a file sees here why the run failed.
        for why in failures(&plan) {
            // Nothing can be done when standard error is closed.
            let _ = writeln!(err, "{why}");
        }
    }
    let fresh = args.max_age.is_none_or(|days| all_fresh(&plan, job.today, days, err));
    let exit = if plan.holds() && fresh { Exit::Done } else { Exit::No };
    // The process ends here: giving thousands of names and quotes back one by one would take longer than all that is written.
    std::mem::forget(workings);
    std::mem::forget((catalog, plan, job));
    Ok(exit)
}

/// A workload as it stands in its file, with what is wrong with it.
fn read(path: &Path) -> (Result<(Source, RawWorkload), Diagnostic>, Diagnostics) {
    let mut diags = Diagnostics::new();
    let workload = Source::open(path).map(|source| {
        let raw = workload::read(&source, &mut diags);
        (source, raw)
    });
    (workload, diags)
}

/// What `--fastest` does not do here, though it looks so.
fn idle_aim(plan: &Plan) -> Option<&'static str> {
    if plan.curve.is_some() {
        return Some(
            "the curve shows cheap plans and fast ones whatever the aim; the plan that is marked is the fastest",
        );
    }
    let service = plan.stages.iter().all(|s| s.kind == StageKind::Serve);
    service.then_some(
        "no stage has an end, so that no run can be faster; `latency` says how fast a service must answer",
    )
}

/// A message about the file that only a change brings about, as one about the change.
fn blamed(found: Diagnostic, change: &Change) -> Diagnostic {
    match found.place {
        Some(place) if !place.is_flag() => {
            let message = format!("in {place}, {}", found.message);
            Diagnostic { message, place: Some(Place::flag(change.name())), ..found }
        }
        _ => found,
    }
}

/// The jobs of `--what-if`; what is wrong with a change is reported, what is wrong with the file too is not said again.
fn what_if<'a>(
    args: &'a PlanArgs,
    env: &Env,
    source: &Source,
    catalog: &Catalog,
    diags: &mut Diagnostics,
) -> Vec<(&'a Change, Job)> {
    let mut jobs = Vec::new();
    for change in &args.what_if {
        let mut found = Diagnostics::new();
        let raw = workload::read_changed(source, change, &mut found);
        let overrides = overrides(args, env).without(|key| change.states(key));
        jobs.extend(resolve(&raw, &overrides, catalog, &mut found).map(|job| (change, job)));
        for diagnostic in found.sorted() {
            // What the file says by itself was said already: the rest is the change's doing, wherever it shows.
            if !diags.contains(&diagnostic) {
                diags.push(blamed(diagnostic, change));
            }
        }
    }
    jobs
}

/// The embedded prices with the given catalogs over them, or these alone.
pub(super) fn prices(options: &CatalogOptions, diags: &mut Diagnostics) -> Catalog {
    load(Catalog::embedded(), &options.catalog, options.catalog_only, diags)
}

fn overrides(args: &PlanArgs, env: &Env) -> Overrides {
    Overrides {
        currency: args.currency,
        budget: args.budget,
        deadline: args.deadline,
        aim: args.fastest.then_some(Aim::Time),
        confidence: args.confidence,
        providers: args.provider.clone(),
        regions: args.region.clone(),
        stale_after_months: args.stale_after,
        ..Overrides::none(args.today.unwrap_or(env.today))
    }
}

/// Whether every price of the plan is at most so many days old; those that are not are named.
fn all_fresh(plan: &Plan, today: Date, days: u32, err: &mut dyn Write) -> bool {
    let mut fresh = true;
    for choice in plan.stages.iter().filter_map(|s| s.outcome.as_ref().ok()) {
        let age = choice.as_of.map(|date| today.days_since_1970() - date.days_since_1970());
        if age.is_none_or(|age| !(0..=i64::from(days)).contains(&age)) {
            fresh = false;
            let age = match age {
                None => "has no date".to_owned(),
                Some(age) if age < 0 => format!("is dated {} in the future", things(-age, "day")),
                Some(age) => format!("is {} old", things(age, "day")),
            };
            // Nothing can be done when standard error is closed.
            let _ = writeln!(
                err,
                "the price of {}/{} {age}, more than --max-age {days}",
                choice.provider, choice.instance
            );
        }
    }
    fresh
}
