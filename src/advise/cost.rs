//! Cost per finished task: both classes side by side (B-C1), per month (B-C7), with the port to a GPU (B-C2) and with
//! the time that is paid and not worked (B-C3).

use super::said::Said;
use super::taken::Taken;
use crate::choose::port::{bare, port};
use crate::decide::Layout;
use crate::job::{Class, Purchase, StageKind};
use crate::plan::NoteKind;
use crate::price::{Quote, hidden};
use crate::rules::{Threshold, Verdict};
use crate::units::number::{percent, significant, things, thousands};
use crate::units::{HOURS_PER_MONTH, Hours, Money};

/// The best of each class, where both can do the stage.
fn both<'a>(taken: &Taken<'a>) -> Option<(&'a Quote, &'a Quote)> {
    taken.cheapest_of(Class::Cpu).zip(taken.cheapest_of(Class::Gpu))
}

/// What is missing for a comparison of the classes.
fn missing(taken: &Taken<'_>) -> String {
    let other = match taken.choice.class {
        Class::Cpu => "GPU",
        Class::Gpu => "CPU",
    };
    format!("a cost on a {other}: nothing of that class can do the stage within its limits")
}

/// The class that is cheaper by its costs.
fn cheaper(cpu: Money, gpu: Money) -> Verdict {
    match cpu.cmp(&gpu) {
        std::cmp::Ordering::Less => Verdict::Cpu,
        std::cmp::Ordering::Greater => Verdict::Gpu,
        std::cmp::Ordering::Equal => Verdict::Either,
    }
}

/// B-C1: by the hour and by the finished task.
pub fn per_task(taken: &Taken<'_>) -> Said {
    let Some((cpu, gpu)) = both(taken) else { return Said::needs("B-C1", &missing(taken)) };
    let side = |class: &str, q: &Quote| {
        let hourly = taken.hourly(q.offer, q.purchase).map(|p| format!(" at {p}")).unwrap_or_default();
        let port = match hidden::share(taken.job(), taken.stage, q.class) {
            Money::ZERO => String::new(),
            hidden => format!(" ({} of it its share of the port)", taken.money(hidden)),
        };
        format!(
            "{class} {}{port} per {}: {}{hourly} for {}{}",
            taken.money(q.cost),
            if taken.stage.kind == StageKind::Serve { "month" } else { "finished task" },
            taken.label(q),
            q.time,
            scaled(taken, q)
        )
    };
    let text = format!("{}; {}", side("CPU", cpu), side("GPU", gpu));
    Said::quiet("B-C1", cheaper(cpu.cost, gpu.cost), text)
}

/// `, scaled by the hour of the day (3–13 servers)`, of a service that is bought so: not all servers run all the time.
fn scaled(taken: &Taken<'_>, quote: &Quote) -> String {
    let candidate = taken.candidates.of(quote.candidate);
    let Some(Layout::Service(service)) = candidate.map(|c| &c.layout) else { return String::new() };
    match service.day().into_iter().min() {
        Some(least) if quote.purchase == Purchase::OnDemand && least < service.servers => {
            format!(", scaled by the hour of the day ({least}–{} servers)", service.servers)
        }
        _ => String::new(),
    }
}

/// B-C7: the difference of the classes per month.
pub fn per_month(taken: &Taken<'_>) -> Said {
    let serves = taken.stage.kind == StageKind::Serve;
    let runs = if serves { Some(1.0) } else { taken.job().runs_per_month };
    let Some(runs) = runs else { return Said::needs("B-C7", "runs_per_month") };
    let Some((cpu, gpu)) = both(taken) else { return Said::needs("B-C7", &missing(taken)) };
    let (cpu, gpu) = (cpu.cost.scaled(runs).to_cents(), gpu.cost.scaled(runs).to_cents());
    let (less, more, name) = if gpu < cpu { (gpu, cpu, "GPU") } else { (cpu, gpu, "CPU") };
    let share = if more > Money::ZERO { (more - less).as_f64() / more.as_f64() } else { 0.0 };
    let what = if serves { "a service".to_owned() } else { things(significant(runs, 4), "run") };
    let text = format!(
        "per month ({what}): CPU {}, GPU {}; {name} saves {} ({})",
        taken.money(cpu),
        taken.money(gpu),
        taken.money(more - less),
        percent(share)
    );
    Said::quiet("B-C7", cheaper(cpu, gpu), text)
}

/// B-C2: the port to a GPU, paid once, and the runs after which it has paid for itself.
pub fn hidden(taken: &Taken<'_>) -> Option<Said> {
    let hours = taken.stage.migration_hours?;
    let Some(labour) = taken.job().labour_per_hour else {
        let said = Said::needs("B-C2", "labour_per_hour");
        let warning = "what its port to the GPU costs is not counted: give labour_per_hour";
        return Some(if taken.on_gpu() { said.remarked(NoteKind::Warning, warning) } else { said });
    };
    let Some((cpu, gpu)) = both(taken) else { return Some(Said::needs("B-C2", &missing(taken))) };
    let port = port(taken.job(), taken.stage, cpu, gpu)?;
    let within = taken.job().thresholds.get(Threshold::PaybackMonths);
    let unit = if taken.stage.kind == StageKind::Serve { "month" } else { "run" };
    let mut text = format!(
        "porting takes {} h × {} = {}, paid once; a {unit} costs {} on a CPU and {} on a GPU: ",
        significant(hours, 4),
        taken.money(labour),
        taken.money(port.migration),
        taken.money(bare(taken.job(), taken.stage, cpu)),
        taken.money(bare(taken.job(), taken.stage, gpu))
    );
    let Some(even) = port.comparison.break_even_runs else {
        return Some(Said::quiet("B-C2", Verdict::Cpu, text + "the port never pays for itself"));
    };
    text += &format!("it pays after {}", things(thousands(even.ceil()), unit));
    let (verdict, warns) = if let (Some(runs), Some(months), Some(pays)) =
        (taken.job().runs_per_month, port.months, port.pays)
    {
        text += &format!(
            ", {} at {} a month ({within} are granted); spread over those a GPU run costs {}",
            things(significant(months, 3), "month"),
            significant(runs, 4),
            taken.money(port.comparison.gpu_per_run.to_cents())
        );
        (if pays { Verdict::Gpu } else { Verdict::Cpu }, !pays)
    } else {
        text += "; runs_per_month is not stated, so that one run bears all of it";
        (Verdict::Advice, true)
    };
    let said = Said::quiet("B-C2", verdict, text);
    Some(if warns && taken.on_gpu() { said.aloud(NoteKind::Warning) } else { said })
}

/// B-C3: the share of the paid time in which nothing is worked.
pub fn idle(taken: &Taken<'_>) -> Option<Said> {
    // Of shared months another stage uses the hours that this one does not.
    if taken.stage.kind == StageKind::Serve || taken.quote.share().is_some() {
        return None;
    }
    let work = taken.work();
    let (paid, used, what) = match taken.choice.purchase {
        Purchase::Owned => return None,
        Purchase::OnDemand => (taken.choice.time.expected, work, "start-up".to_owned()),
        Purchase::Spot | Purchase::Fallback => {
            let billed = taken.pricer().billed_hours(taken.candidate, taken.quote)?;
            (billed, work, "start-up, restarts and work done again or saved".to_owned())
        }
        term @ (Purchase::Month | Purchase::Year | Purchase::ThreeYears) => {
            let runs = taken.job().runs_per_month.unwrap_or(1.0);
            let busy = work * runs.max(1.0);
            let months = (busy.get() / HOURS_PER_MONTH - 1e-9).ceil().max(1.0);
            let whole = Hours::new(months * HOURS_PER_MONTH);
            // Hours beyond whole months may be on-demand: those are all worked.
            let paid = taken.pricer().paid_hours(taken.candidate, taken.quote).unwrap_or(whole);
            let paid = if paid < busy { busy } else { paid };
            (paid, busy, format!("hours of a {term} without work, taken by the month"))
        }
    };
    let share = paid.minus(used) / paid;
    if !share.is_finite() || share < 0.005 {
        return None;
    }
    let cost = taken.choice.expected_cost();
    let bare = cost.scaled(1.0 - share).to_cents();
    // Waiting for capacity is time, but no money.
    let waiting = match taken.choice.purchase {
        Purchase::Spot | Purchase::Fallback => taken.choice.time.expected.minus(paid),
        _ => Hours::ZERO,
    };
    let apart = if waiting.as_secs() >= 1.0 {
        format!("; {waiting} of waiting for capacity is not paid")
    } else {
        String::new()
    };
    let (bare_text, cost_text) = (taken.money(bare), taken.money(cost));
    let saves = if bare_text == cost_text {
        String::new()
    } else {
        format!("; without it the task would cost about {bare_text} instead of {cost_text}")
    };
    let text = format!("{} of {paid} paid is {what}: {used} of work{saves}{apart}", percent(share));
    let said = Said::advice("B-C3", text);
    let much = share >= taken.job().thresholds.get(Threshold::MaxIdleShare) && taken.is_worth(cost - bare);
    Some(if much {
        said.remarked(
            NoteKind::Advice,
            format!(
                "{} of what it pays is {what}: run it {}in larger lots",
                percent(share),
                if taken.job().stages.len() > 1 { "on the machine of another stage, or " } else { "" }
            ),
        )
    } else {
        said
    })
}
