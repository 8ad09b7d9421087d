//! The selection with names, figures and bills: a [`Plan`] that needs no catalog any more.

use super::{ClassBy, Kept, Selection};
use crate::catalog::Catalog;
use crate::decide::{Candidate, Figure, Reason, Rejection, StageCandidates};
use crate::duration::{Machine, StageClock};
use crate::job::{Class, Job, Purchase, Stage};
use crate::names::Named;
use crate::plan::{
    Alternative, AlternativeKind, CatalogUse, Choice, Infeasible, Plan, RejectionText, SpotFigures, StagePlan,
};
use crate::price::{Book, Pricer, Quote, StageQuotes, spot};
use crate::rules::class::{class_rules, pinned};
use crate::rules::{Finding, Verdict};
use crate::units::{Band, Hours, Money};

/// What the flow has found out about one stage.
#[derive(Debug)]
pub struct Considered {
    /// Tells its time on any machine.
    pub clock: StageClock,
    /// Machines that can do it.
    pub candidates: StageCandidates,
    /// What they cost.
    pub quotes: StageQuotes,
    /// What is taken.
    pub selection: Selection,
}

/// What the flow has found out before a plan is made of it.
#[derive(Debug, Clone, Copy)]
pub struct Found<'a> {
    /// The question.
    pub job: &'a Job,
    /// The prices.
    pub catalog: &'a Catalog,
    /// What holds for every offer.
    pub book: &'a Book,
    /// What was found for each stage.
    pub stages: &'a [Considered],
    /// How the deadline was kept.
    pub kept: Kept,
}

/// Everything about one stage.
#[derive(Clone, Copy)]
struct StageView<'a> {
    job: &'a Job,
    stage: &'a Stage,
    catalog: &'a Catalog,
    book: &'a Book,
    clock: &'a StageClock,
    candidates: &'a StageCandidates,
    quotes: &'a StageQuotes,
}

/// Makes the plan of what was found. Comparisons, checks and notes come from `advise`.
pub fn assemble(found: Found<'_>) -> Plan {
    let Found { job, catalog, book, stages: considered, kept: _ } = found;
    let mut stages: Vec<StagePlan> = job
        .stages
        .iter()
        .zip(considered)
        .map(|(stage, Considered { clock, candidates, quotes, selection })| {
            stage_plan(StageView { job, stage, catalog, book, clock, candidates, quotes }, selection)
        })
        .collect();
    let starts = starts(job, &stages, |c| c.time.expected);
    for (stage, start) in stages.iter_mut().zip(&starts) {
        stage.starts = *start;
    }
    let cost = total_cost(&stages);
    let time = makespans(job, &stages);
    let catalog = uses(catalog, &stages);
    Plan {
        workload: job.name.clone(),
        currency: job.currency,
        today: job.today,
        limits: job.limits,
        stages,
        cost,
        time,
        runs_per_month: job.runs_per_month,
        checks: Vec::new(),
        findings: Vec::new(),
        comparisons: Vec::new(),
        notes: Vec::new(),
        catalog,
        settings: job.settings.clone(),
    }
}

fn stage_plan(view: StageView<'_>, selection: &Selection) -> StagePlan {
    let StageView { job, stage, .. } = view;
    let pricer = Pricer::new(job, stage, view.catalog, view.book);
    let outcome = selection.chosen.and_then(|i| choice(view, &pricer, i)).ok_or_else(|| infeasible(view));
    let alternatives =
        outcome.as_ref().map_or_else(|_| Vec::new(), |c| alternatives(view, &pricer, selection, c));
    StagePlan {
        name: stage.name.clone(),
        kind: stage.kind,
        findings: findings(view, selection, &outcome, &alternatives),
        why: pinned_why(stage, &outcome).unwrap_or_else(|| why(selection, &outcome, &alternatives)),
        after: stage.after.iter().filter_map(|i| job.stages.get(*i)).map(|s| s.name.clone()).collect(),
        starts: Hours::ZERO,
        alternatives,
        rejected: rejections(view),
        nearest_miss: nearest_miss(view),
        outcome,
    }
}

fn choice(view: StageView<'_>, pricer: &Pricer<'_>, quote: usize) -> Option<Choice> {
    let quote = view.quotes.quotes.get(quote)?;
    let candidate = view.candidates.candidates.get(quote.candidate)?;
    let offer = view.catalog.offers.get(quote.offer)?;
    let instance = view.catalog.instance(candidate.instance)?;
    let provider = view.catalog.provider(instance.provider)?;
    let card = instance.gpu.and_then(|gpu| view.catalog.accelerator(gpu));
    let machine = Machine { instance, instances: candidate.count };
    let provenance = match quote.purchase {
        Purchase::OnDemand | Purchase::Spot => &offer.provenance,
        Purchase::Month | Purchase::Year | Purchase::ThreeYears => offer.term_provenance(),
    };
    Some(Choice {
        class: quote.class,
        provider: provider.name.to_string(),
        instance: instance.name.to_string(),
        region: offer.region.to_string(),
        zone: offer.zone.as_ref().map(ToString::to_string),
        count: candidate.count,
        vcpus: instance.vcpus,
        memory: instance.memory,
        gpu: card.map(|c| c.name.to_string()),
        gpu_count: instance.gpu_count(),
        purchase: quote.purchase,
        time: pricer.time_band(candidate, quote),
        evidence: candidate.duration.evidence,
        spread: candidate.duration.basis.spread,
        derivation: derivation(view, pricer, candidate, machine),
        cost: pricer.cost_band(candidate, quote),
        bill: pricer.bill(candidate, quote),
        as_of: provenance.as_of,
        source: provenance.source.to_string(),
        confidence: provenance.confidence,
        spot: spot_figures(pricer, candidate, quote),
        age_months: provenance.as_of.map(|d| d.months_until(view.job.today)),
    })
}

/// The derivation of the work, and the start-up before it.
fn derivation(
    view: StageView<'_>,
    pricer: &Pricer<'_>,
    candidate: &Candidate,
    machine: Machine<'_>,
) -> Vec<String> {
    let mut lines = view.clock.derivation(machine, &candidate.duration);
    let startup = pricer.startup(candidate.class);
    if startup > Hours::ZERO {
        lines.push(format!("start-up of each launch: {startup}"));
    }
    lines
}

fn spot_figures(pricer: &Pricer<'_>, candidate: &Candidate, quote: &Quote) -> Option<SpotFigures> {
    let (case, job, outcome) = pricer.spot_details(candidate, quote)?;
    let spread = spot::completion_spread(&job, &outcome, spot::Burst::DEFAULT);
    let hazard = case.hazard.map(spot::Hazard::get);
    Some(SpotFigures {
        hazard: [hazard.optimistic, hazard.default, hazard.pessimistic],
        published: case.from == crate::price::spot_case::HazardFrom::Published,
        interruptions: outcome.interruptions,
        uninterrupted: outcome.p_uninterrupted,
        percentiles: [0.5, 0.9, 0.95].map(|q| spread.percentile(q)),
    })
}

/// The best of the other class, of each other purchase option, and the runner-up.
fn alternatives(
    view: StageView<'_>,
    pricer: &Pricer<'_>,
    selection: &Selection,
    chosen: &Choice,
) -> Vec<Alternative> {
    let quotes = &view.quotes.quotes;
    let dearer = |c: &Choice| {
        let (a, b) = (c.expected_cost().as_f64(), chosen.expected_cost().as_f64());
        match b {
            b if b > 0.0 => format!("costs {} times as much", crate::units::number::significant(a / b, 3)),
            _ => "costs more".to_owned(),
        }
    };
    let mut found = Vec::new();
    let mut add = |kind, index: Option<usize>, reason: &dyn Fn(&Choice) -> String| {
        if let Some(choice) = index.and_then(|i| choice(view, pricer, i)) {
            let reason = reason(&choice);
            found.push(Alternative { kind, choice, reason });
        }
    };
    let other = match chosen.class {
        Class::Cpu => selection.best[1],
        Class::Gpu => selection.best[0],
    };
    add(AlternativeKind::OtherClass, other, &|c| match selection.by {
        ClassBy::Thumb => {
            let thumb = selection.thumb.map_or("", Named::name);
            format!("the rule of thumb says {thumb}, and no measured time says otherwise")
        }
        ClassBy::Port => "its port to the GPU does not pay for itself in time (B-C2)".to_owned(),
        ClassBy::Cost | ClassBy::Only => dearer(c),
    });
    let cheapest =
        |admits: &dyn Fn(&Quote) -> bool| selection.cheapest(view.job, view.catalog, quotes, admits);
    for (purchase, _) in Purchase::ALL {
        if *purchase != chosen.purchase {
            let best = cheapest(&|q| q.purchase == *purchase && q.class == chosen.class);
            add(AlternativeKind::OtherPurchase, best, &dearer);
        }
    }
    let first = cheapest(&|_| true).filter(|i| selection.chosen != Some(*i));
    add(AlternativeKind::Cheapest, first, &|c| {
        format!("takes {}: too long for the deadline", c.time.expected)
    });
    let name = |q: &Quote| {
        let offer = view.catalog.offers.get(q.offer)?;
        view.catalog.instance(offer.instance).map(|i| &*i.name)
    };
    let runner =
        cheapest(&|q| q.purchase == chosen.purchase && name(q).is_some_and(|n| *n != *chosen.instance));
    add(AlternativeKind::RunnerUp, runner, &dearer);
    if chosen.gpu_count * f64::from(chosen.count) > 1.0 {
        let gpus = |q: &Quote| {
            let candidate = view.candidates.candidates.get(q.candidate)?;
            Some(view.catalog.instance(candidate.instance)?.gpu_count() * f64::from(candidate.count))
        };
        let one = cheapest(&|q| gpus(q).is_some_and(|n| (n - 1.0).abs() < f64::EPSILON));
        add(AlternativeKind::OneGpu, one, &dearer);
    }
    let fastest = (0..quotes.len()).min_by(|a, b| {
        let key = |i: usize| quotes.get(i).map(|q| (q.time, q.cost));
        match (key(*a), key(*b)) {
            (Some((ta, ca)), Some((tb, cb))) => ta.total_cmp(&tb).then(ca.cmp(&cb)),
            _ => std::cmp::Ordering::Equal,
        }
    });
    let shorter =
        fastest.filter(|i| quotes.get(*i).is_some_and(|q| q.time.get() < chosen.time.expected.get() * 0.95));
    add(AlternativeKind::Fastest, shorter, &dearer);
    found
}

/// What the class rules say; those that the cost of both classes speaks against are marked, with both costs.
fn findings(
    view: StageView<'_>,
    selection: &Selection,
    outcome: &Result<Choice, Infeasible>,
    alternatives: &[Alternative],
) -> Vec<Finding> {
    let (mut findings, _) = class_rules(view.stage, &view.job.thresholds);
    let (Ok(chosen), ClassBy::Cost) = (outcome, selection.by) else { return findings };
    let other = alternatives.iter().find(|a| a.kind == AlternativeKind::OtherClass);
    for finding in &mut findings {
        let said = match finding.verdict {
            Verdict::Cpu => Class::Cpu,
            Verdict::Gpu => Class::Gpu,
            _ => continue,
        };
        if said != chosen.class
            && let Some(other) = other
        {
            finding.verdict = Verdict::Overruled;
            finding.reason += &format!(
                "; but {} costs {} and {} {}",
                chosen.class.name().to_uppercase(),
                chosen.expected_cost().amount(),
                other.choice.class.name().to_uppercase(),
                other.choice.expected_cost().amount()
            );
        }
    }
    findings
}

/// The same where the stage leaves no choice of the class.
fn pinned_why(stage: &Stage, outcome: &Result<Choice, Infeasible>) -> Option<String> {
    let (_, pin) = pinned(stage)?;
    outcome.as_ref().ok().map(|_| format!("cheapest; {pin} is pinned"))
}

/// The few words of the table.
fn why(selection: &Selection, outcome: &Result<Choice, Infeasible>, alternatives: &[Alternative]) -> String {
    let Ok(chosen) = outcome else { return "nothing in the catalog can do it".to_owned() };
    if let Some(cheapest) = alternatives.iter().find(|a| a.kind == AlternativeKind::Cheapest) {
        let (cost, time) = (cheapest.choice.expected_cost().amount(), cheapest.choice.time.expected);
        return format!("faster for the deadline; the cheapest costs {cost} and takes {time}");
    }
    let other = alternatives.iter().find(|a| a.kind == AlternativeKind::OtherClass);
    match (selection.by, other) {
        (ClassBy::Cost, Some(other)) => format!(
            "cheapest; {} would cost {}",
            other.choice.class.name().to_uppercase(),
            other.choice.expected_cost().amount()
        ),
        (ClassBy::Cost, None) => format!("cheapest that can do it; no {} can", other_name(chosen.class)),
        (ClassBy::Port, Some(other)) => format!(
            "GPU would cost {}, but its port does not pay for itself in time (B-C2)",
            other.choice.expected_cost().amount()
        ),
        (ClassBy::Port, None) => "the port to a GPU does not pay for itself in time (B-C2)".to_owned(),
        (ClassBy::Thumb, _) => format!("rule of thumb: {}", chosen.class.name().to_uppercase()),
        (ClassBy::Only, _) => format!("no {} can do it", other_name(chosen.class)),
    }
}

fn other_name(class: Class) -> &'static str {
    match class {
        Class::Cpu => "GPU",
        Class::Gpu => "CPU",
    }
}

fn rejections(view: StageView<'_>) -> Vec<RejectionText> {
    view.quotes
        .rejected
        .iter()
        .map(|r| RejectionText { nearest: near_name(view, r), rejection: r.clone() })
        .collect()
}

fn near_name(view: StageView<'_>, rejection: &Rejection) -> Option<String> {
    let instance = view.catalog.instance(rejection.near?.instance)?;
    let provider = view.catalog.provider(instance.provider)?;
    let card = instance.gpu.and_then(|gpu| view.catalog.accelerator(gpu));
    let gpus = card.map(|c| format!(" ({}×{})", instance.gpu_count(), c.name)).unwrap_or_default();
    Some(format!("{}/{}{gpus}", provider.name, instance.name))
}

/// The offer that came nearest to passing, by the first reason of those that compare figures.
fn nearest_miss(view: StageView<'_>) -> Option<String> {
    let rejected = &view.quotes.rejected;
    let by_figures =
        [Reason::MemoryFloor, Reason::HostMemory, Reason::Vcpus, Reason::TooSlow, Reason::SpotRefused];
    let miss = by_figures.into_iter().filter_map(|reason| rejected.get(reason)).find(|r| r.near.is_some())?;
    let (near, name) = (miss.near?, near_name(view, miss)?);
    Some(match miss.reason {
        Reason::TooSlow => format!("{name} takes {}, at most {} is allowed", near.has, near.needs),
        Reason::SpotRefused => format!("{name} on spot: λ(W+R) is {}, at most {}", near.has, near.needs),
        _ => format!("{name} has {} of the {} needed ({})", near.has, near.needs, miss.reason),
    })
}

/// What would make the stage possible.
fn infeasible(view: StageView<'_>) -> Infeasible {
    let rejected = &view.quotes.rejected;
    let mut remedies = Vec::new();
    for r in rejected.iter() {
        if let Some(remedy) = remedy(view, r) {
            remedies.push(remedy);
        }
    }
    Infeasible { remedies }
}

fn remedy(view: StageView<'_>, rejection: &Rejection) -> Option<String> {
    let stage = view.stage;
    match rejection.reason {
        Reason::MemoryFloor => {
            let model = stage.model.as_ref()?;
            let near = rejection.near.map(|n| (n.needs, n.has));
            let Some((Figure::Bytes(needs), Figure::Bytes(has))) = near else { return None };
            let parts = (needs.as_f64() / has.as_f64()).ceil();
            let mut ways = Vec::new();
            if model.sharding == crate::model::Sharding::None && stage.kind.trains() {
                ways.push(format!("sharding = \"zero3\" over at least {parts} such cards (instances = …)"));
            }
            if model.mode == crate::model::Mode::Train && stage.kind.trains() {
                ways.push("mode = \"lora\" or \"qlora\"".to_owned());
            }
            if !model.precision.is_half() && !stage.kind.trains() {
                ways.push("precision = \"fp16\" or \"int8\"".to_owned());
            }
            Some(format!("to fit the memory: {}", crate::names::list(ways.iter().map(String::as_str))))
        }
        Reason::NoDuration => rejection.needs.map(|fact| format!("to know the time: give {fact}")),
        Reason::Vcpus => Some("a smaller min_vcpus, or several instances".to_owned()),
        Reason::HostMemory if stage.min_memory.is_some() => Some("a smaller min_memory".to_owned()),
        Reason::TransferNotPriced => Some("a region with a transfer price, or a catalog with one".to_owned()),
        Reason::SpotRefused => {
            Some("a checkpoint to durable storage, or purchase = \"on-demand\"".to_owned())
        }
        Reason::StalePrice => {
            Some("name the provider or region in [where], or raise --stale-after".to_owned())
        }
        Reason::NotAllowed if view.job.place.providers.len() + view.job.place.regions.len() > 0 => {
            Some(format!("more providers or regions in [where]: {} offers lie outside", rejection.offers))
        }
        Reason::Pinned => Some("another pinned instance, gpu or class".to_owned()),
        _ => None,
    }
}

fn total_cost(stages: &[StagePlan]) -> Option<Band<Option<Money>>> {
    let choices: Option<Vec<&Choice>> = stages.iter().map(|s| s.outcome.as_ref().ok()).collect();
    let choices = choices?;
    let sum = |pick: fn(&Choice) -> Option<Money>| choices.iter().map(|c| pick(c)).sum::<Option<Money>>();
    Some(Band {
        low: sum(|c| c.cost.low),
        expected: Some(choices.iter().map(|c| c.expected_cost()).sum()),
        high: sum(|c| c.cost.high),
    })
}

/// When each stage starts: after the last of those that it waits for.
fn starts(job: &Job, stages: &[StagePlan], time: fn(&Choice) -> Hours) -> Vec<Hours> {
    fn end(
        job: &Job,
        stages: &[StagePlan],
        time: fn(&Choice) -> Hours,
        i: usize,
        known: &mut [Option<Hours>],
    ) -> Hours {
        if let Some(Some(done)) = known.get(i) {
            return *done;
        }
        let after = job.stages.get(i).map(|s| s.after.clone()).unwrap_or_default();
        let start = after
            .iter()
            .fold(Hours::ZERO, |latest, before| latest.max(end(job, stages, time, *before, known)));
        let own = stages.get(i).and_then(|s| s.outcome.as_ref().ok()).map_or(Hours::ZERO, time);
        let done = start + own;
        if let Some(slot) = known.get_mut(i) {
            *slot = Some(done);
        }
        done
    }
    let mut known = vec![None; stages.len()];
    (0..stages.len())
        .map(|i| {
            let done = end(job, stages, time, i, &mut known);
            let own = stages.get(i).and_then(|s| s.outcome.as_ref().ok()).map_or(Hours::ZERO, time);
            done.minus(own)
        })
        .collect()
}

/// Time from start to end along the longest path; none when a stage is infeasible.
fn makespans(job: &Job, stages: &[StagePlan]) -> Option<Band<Hours>> {
    stages.iter().all(|s| s.outcome.is_ok()).then(|| {
        let end = |time: fn(&Choice) -> Hours| {
            let starts = starts(job, stages, time);
            stages.iter().zip(starts).fold(Hours::ZERO, |latest, (stage, start)| {
                latest.max(start + stage.outcome.as_ref().map_or(Hours::ZERO, time))
            })
        };
        Band { low: end(|c| c.time.low), expected: end(|c| c.time.expected), high: end(|c| c.time.high) }
    })
}

fn uses(catalog: &Catalog, stages: &[StagePlan]) -> Vec<CatalogUse> {
    let mut counts = vec![0; catalog.providers.len()];
    for offer in &catalog.offers {
        let seller = catalog.instance(offer.instance).map(|i| usize::from(i.provider.0));
        if let Some(count) = seller.and_then(|s| counts.get_mut(s)) {
            *count += 1;
        }
    }
    let chosen = |name: &str| stages.iter().any(|s| s.outcome.as_ref().is_ok_and(|c| c.provider == name));
    catalog
        .providers
        .iter()
        .zip(counts)
        .filter(|(_, offers)| *offers > 0)
        .map(|(provider, offers)| CatalogUse {
            provider: provider.name.to_string(),
            as_of: provider.as_of,
            offers,
            chosen: chosen(&provider.name),
        })
        .collect()
}
