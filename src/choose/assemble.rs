//! The selection with names, figures and bills: a [`Plan`] that needs no catalog any more.

use super::alternatives::{alternatives, lasts};
use super::chance::chance;
use super::dominance::compared;
use super::figures::Laid;
use super::infeasible::{infeasible, nearest_miss, rejections};
use super::interruptions;
use super::question::Basis;
use super::schedule::months;
use super::sensitivity::{Whole, in_order};
use super::storage::Chosen;
use super::ways::{rooms, ways};
use super::{ClassBy, Kept, Selection, totals};
use crate::catalog::{Catalog, Instance};
use crate::decide::{Candidate, Figure, Reason, StageCandidates, limit_of_time, longest};
use crate::duration::StageClock;
use crate::job::{Aim, Class, Job, Purchase, Stage, StageKind};
use crate::names::Named;
use crate::plan::sensitivity::Sensitivity;
use crate::plan::{
    Alternative, AlternativeKind, CatalogUse, Choice, FallbackFigures, Infeasible, Period, Plan,
    SharedMonths, SpotFigures, StagePlan,
};
use crate::price::bill::LineKind;
use crate::price::{Book, MonthShare, Pricer, Quote, StageQuotes, spot};
use crate::rules::class::{class_rules, pinned};
use crate::rules::{Finding, Verdict};
use crate::threads;
use crate::units::number::significant;
use crate::units::{Hours, Money};
use std::sync::Arc;

/// What the flow has found out about one stage. Stages that ask for the same share all but the selection.
#[derive(Debug, Clone)]
pub struct Considered {
    /// Tells its time on any machine.
    pub clock: Arc<StageClock>,
    /// Machines that can do it.
    pub candidates: Arc<StageCandidates>,
    /// What they cost.
    pub quotes: Arc<StageQuotes>,
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
    pub book: &'a Book<'a>,
    /// What was found for each stage.
    pub stages: &'a [Considered],
    /// How the deadline was kept.
    pub kept: Kept,
    /// Where the data is kept, if that was chosen; the question then names it too.
    pub storage: Option<&'a Chosen>,
}

impl Found<'_> {
    /// A quote in words: `2 × aws/g4dn.xlarge (T4) in us-east-1`.
    pub fn label(&self, quote: &Quote, candidates: &StageCandidates) -> String {
        let found = || {
            let offer = self.catalog.offers.get(quote.offer)?;
            let instance = self.catalog.instance(offer.instance)?;
            let provider = self.catalog.provider(instance.provider)?;
            Some((offer, instance, provider))
        };
        let Some((offer, instance, provider)) = found() else { return String::new() };
        let count = candidates.of(quote.candidate).map_or(1, |c| c.count);
        let many = if count > 1 { format!("{count} × ") } else { String::new() };
        let card = instance.gpu.and_then(|gpu| Some((gpu.count, self.catalog.accelerator(gpu)?)));
        let card = match card {
            Some((1.0, card)) => format!(" ({})", card.name),
            Some((n, card)) => format!(" ({n}×{})", card.name),
            None => String::new(),
        };
        let anywhere =
            quote.purchase == Purchase::Owned && !self.job.place.placed(&provider.name, &instance.name);
        let place = if anywhere { String::new() } else { format!(" in {}", offer.region) };
        format!("{many}{}/{}{card}{place}", provider.name, instance.name)
    }
}

/// Everything about one stage.
#[derive(Clone, Copy)]
pub(super) struct StageView<'a> {
    pub(super) job: &'a Job,
    pub(super) stage: &'a Stage,
    pub(super) catalog: &'a Catalog,
    book: &'a Book<'a>,
    clock: &'a StageClock,
    pub(super) candidates: &'a StageCandidates,
    pub(super) quotes: &'a StageQuotes,
    kept: Kept,
}

/// Makes the plan of what was found. Comparisons, checks and notes come from `advise`.
pub fn assemble(found: Found<'_>) -> Plan {
    let Found { job, catalog, book, stages: considered, kept, storage } = found;
    let whole = Whole::of(found);
    let numbered: Vec<(usize, Option<Hours>)> = rooms(found).into_iter().enumerate().collect();
    let made = threads::each(&numbered, |(at, room)| {
        let (stage, one) = (job.stages.get(*at)?, considered.get(*at)?);
        let Considered { clock, candidates, quotes, selection } = one;
        let view = StageView { job, stage, catalog, book, clock, candidates, quotes, kept };
        let planned = StagePlan { ways: ways(found, stage, one, *room), ..stage_plan(view, selection) };
        Some((planned, whole.as_ref().map_or_else(Vec::new, |whole| whole.of_stage(*at))))
    });
    let (mut stages, changes): (Vec<StagePlan>, Vec<Vec<Sensitivity>>) = made.into_iter().flatten().unzip();
    let starts = totals::starts(job, &stages, |c| c.time.expected);
    for (stage, start) in stages.iter_mut().zip(&starts) {
        stage.starts = *start;
    }
    let cost = totals::cost(&stages, Period::Run);
    let services = totals::cost(&stages, Period::Month);
    let time = totals::makespans(job, &stages);
    let months = months(found, &stages);
    let catalog = uses(catalog, &stages);
    let data = job.data_location.as_ref().map(|at| totals::data(at, storage, &stages));
    Plan {
        workload: job.name.clone(),
        currency: job.currency,
        today: job.today,
        limits: job.limits,
        stages,
        cost,
        time,
        services,
        data,
        runs_per_month: job.runs_per_month,
        months,
        chance: chance(Basis { job, catalog: found.catalog, book }, considered).filter(|_| time.is_some()),
        checks: Vec::new(),
        findings: Vec::new(),
        comparisons: Vec::new(),
        notes: Vec::new(),
        ties: Vec::new(),
        catalog,
        sensitivity: in_order(changes),
        curve: None,
        what_if: Vec::new(),
        settings: job.settings.clone(),
    }
}

fn stage_plan(view: StageView<'_>, selection: &Selection) -> StagePlan {
    let StageView { job, stage, .. } = view;
    let pricer = Pricer::new(job, stage, view.catalog, view.book);
    let outcome = selection.chosen.and_then(|i| chosen(view, &pricer, i)).ok_or_else(|| infeasible(view));
    let alternatives =
        outcome.as_ref().map_or_else(|_| Vec::new(), |c| alternatives(view, &pricer, selection, c));
    StagePlan {
        name: stage.name.clone(),
        kind: stage.kind,
        findings: findings(view, selection, &outcome, &alternatives),
        why: why(view, &pricer, selection, &outcome, &alternatives),
        after: stage.after.iter().filter_map(|i| job.stages.get(*i)).map(|s| s.name.clone()).collect(),
        starts: Hours::ZERO,
        alternatives,
        ways: Vec::new(),
        compared: compared(stage, selection, &view.quotes.quotes),
        rejected: rejections(view),
        nearest_miss: nearest_miss(view),
        outcome,
    }
}

/// What is taken, with how its duration came about.
fn chosen(view: StageView<'_>, pricer: &Pricer<'_>, index: usize) -> Option<Choice> {
    let choice = choice(view, pricer, index)?;
    let quote = view.quotes.quotes.get(index)?;
    Some(Choice { derivation: derivation(view, pricer, laid(view, quote)?, quote), ..choice })
}

/// The machines of a quote with what they do.
fn laid<'a>(view: StageView<'a>, quote: &Quote) -> Option<Laid<'a>> {
    let candidate = view.candidates.of(quote.candidate)?;
    let instance = view.catalog.instance(candidate.instance)?;
    let card = instance.gpu.and_then(|gpu| view.catalog.accelerator(gpu));
    Some(Laid { job: view.job, stage: view.stage, candidate, instance, card })
}

/// What is known of a quote beside how its duration came about, which is told of what is taken alone.
pub(super) fn choice(view: StageView<'_>, pricer: &Pricer<'_>, quote: usize) -> Option<Choice> {
    let quote = view.quotes.quotes.get(quote)?;
    let offer = view.catalog.offers.get(quote.offer)?;
    let laid = laid(view, quote)?;
    let Laid { candidate, instance, card, .. } = laid;
    let provider = view.catalog.provider(instance.provider)?;
    let service = laid.service(pricer, quote);
    let provenance = match quote.purchase {
        Purchase::OnDemand | Purchase::Spot | Purchase::Fallback | Purchase::Owned => &offer.provenance,
        Purchase::Month | Purchase::Year | Purchase::ThreeYears => offer.term_provenance(),
    };
    Some(Choice {
        class: quote.class,
        provider: provider.name.to_string(),
        instance: instance.name.to_string(),
        region: offer.region.to_string(),
        placed: quote.purchase != Purchase::Owned || view.job.place.placed(&provider.name, &instance.name),
        zone: offer.zone.as_ref().map(ToString::to_string),
        count: candidate.count,
        vcpus: instance.vcpus,
        memory: instance.memory,
        gpu: card.map(|c| c.name.to_string()),
        gpu_count: instance.gpu_count(),
        purchase: quote.purchase,
        shared: quote.share().map(|share| shared(view.job, share)),
        unit_price: pricer.unit_price(candidate, quote),
        time: pricer.time_band(candidate, quote),
        evidence: candidate.duration.evidence,
        spread: candidate.duration.spread,
        derivation: Vec::new(),
        period: if service.is_some() { Period::Month } else { Period::Run },
        memory_need: laid.memory_need(),
        pool: laid.pool(),
        service,
        per_video_hour: per_video_hour(view.stage, quote.cost),
        cost: pricer.cost_band(candidate, quote),
        bill: pricer.bill(candidate, quote),
        as_of: provenance.as_of,
        source: provenance.source.to_string(),
        confidence: provenance.confidence,
        spot: spot_figures(pricer, candidate, quote),
        age_months: provenance.as_of.map(|d| d.months_until(view.job.today)),
    })
}

/// The months that a stage shares, with the others' names.
fn shared(job: &Job, share: &MonthShare) -> SharedMonths {
    let names = share.with.iter().filter_map(|at| job.stages.get(*at)).map(|stage| stage.name.clone());
    SharedMonths {
        with: names.collect(),
        machines: share.machines,
        months: share.months,
        rest: share.rest,
        total: share.total,
        part: share.part,
    }
}

/// The derivation of the work, and the start-up before it.
fn derivation(view: StageView<'_>, pricer: &Pricer<'_>, laid: Laid<'_>, quote: &Quote) -> Vec<String> {
    let mut lines = laid.derivation(view.clock, view.candidates.trial.as_ref());
    let startup = pricer.startup(laid.candidate.class);
    if startup > Hours::ZERO && view.stage.kind != StageKind::Serve {
        let copy = match view.stage.size.filter(|_| view.stage.staging > Hours::ZERO) {
            Some(size) => format!(", {} of it to copy {size} to the machine", view.stage.staging),
            None => String::new(),
        };
        lines.push(format!("start-up of each launch: {startup}{copy}"));
    }
    lines.extend(interruptions::told(view.stage, pricer, laid.candidate, quote));
    lines
}

/// Cost of an hour of video, of a stage that transcodes and states the playing time.
fn per_video_hour(stage: &Stage, cost: Money) -> Option<Money> {
    let playing = stage.video.filter(|_| stage.kind == StageKind::Transcode)?.get();
    (playing > 0.0).then(|| cost.scaled(1.0 / playing))
}

fn spot_figures(pricer: &Pricer<'_>, candidate: &Candidate, quote: &Quote) -> Option<SpotFigures> {
    let (case, job, outcome) = pricer.spot_details(candidate, quote)?;
    let spread = spot::completion_spread(&job, &outcome, spot::Burst::DEFAULT);
    let hazard = case.hazard.map(spot::Hazard::get);
    let fallback = pricer.fallback_case(candidate, quote).map(|case| FallbackFigures {
        within: case.within,
        spot: case.split.spot,
        on_demand: case.split.on_demand,
        missed: case.missed,
    });
    let percentiles = [0.5, 0.9, 0.95].map(|q| match &fallback {
        // The net ends it by its deadline.
        Some(net) if spread.percentile(q) > net.within => net.within,
        Some(_) | None => spread.percentile(q),
    });
    Some(SpotFigures {
        hazard: [hazard.optimistic, hazard.default, hazard.pessimistic],
        from: case.from,
        interruptions: outcome.interruptions,
        uninterrupted: outcome.p_uninterrupted,
        percentiles,
        crew: outcome.crew.is_some(),
        fallback,
    })
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

/// What the stage itself leaves no choice of.
fn pin(stage: &Stage) -> Option<String> {
    match &stage.instance {
        Some(instance) => Some(format!("instance = {instance:?}")),
        None => pinned(stage).map(|(_, pin)| pin.to_owned()),
    }
}

/// The few words of the table.
fn why(
    view: StageView<'_>,
    pricer: &Pricer<'_>,
    selection: &Selection,
    outcome: &Result<Choice, Infeasible>,
    alternatives: &[Alternative],
) -> String {
    let Ok(chosen) = outcome else { return "nothing in the catalog can do it".to_owned() };
    let mut why = match chosen.purchase {
        Purchase::Owned => owned_why(view.stage, chosen, alternatives),
        _ => why_class(view, pricer, selection, chosen, alternatives),
    };
    if let Some(shared) = &chosen.shared {
        why += &format!("; {shared}");
    }
    if let Some(pool) = &chosen.pool {
        why += &format!("; {pool}");
    }
    if let Some(service) = &chosen.service {
        why += &format!("; {service}");
    }
    if let Some(faster) = alternatives.iter().find(|a| a.kind == AlternativeKind::Faster) {
        let Choice { provider, instance, count, .. } = &faster.choice;
        let times = if *count > 1 { format!("{count} × ") } else { String::new() };
        why += &format!("; {times}{provider} {instance} is {}", faster.reason);
    }
    if chosen.spot.is_some_and(|spot| spot.crew && spot.fallback.is_none()) {
        why += "; its end on several spot machines is a rule of thumb";
    }
    if let Some(cost) = chosen.per_video_hour {
        why += &format!("; {} per hour of video", unit_amount(cost));
    }
    why
}

/// Why a machine is taken that is there already.
fn owned_why(stage: &Stage, chosen: &Choice, alternatives: &[Alternative]) -> String {
    let pin = pin(stage).map(|pin| format!("; {pin} is pinned")).unwrap_or_default();
    let pays =
        if chosen.expected_cost() > Money::ZERO { "only its data costs" } else { "nothing is paid for it" };
    // What commits for years is taken only where it is pinned.
    let open = |c: &Choice| !matches!(c.purchase, Purchase::Owned | Purchase::Year | Purchase::ThreeYears);
    let rented = alternatives.iter().filter(|a| open(&a.choice));
    match rented.min_by_key(|a| a.choice.expected_cost()) {
        Some(cheapest) => {
            let month = if chosen.period == Period::Month { " a month" } else { "" };
            let cost = cheapest.choice.expected_cost().amount();
            format!("owned: {pays}; renting would cost {cost}{month}{pin}")
        }
        None => format!("owned: {pays}{pin}"),
    }
}

/// A small amount with its digits.
fn unit_amount(cost: Money) -> String {
    if cost.as_f64() >= 1.0 { cost.amount() } else { significant(cost.as_f64(), 3) }
}

/// What the time of the work leaves out.
const BARE: &str = "without start-up and interruptions";

/// The other class where all that is wrong with it is its time: the least that it takes, and the most that it may.
fn too_slow(view: StageView<'_>, chosen: Class) -> Option<String> {
    let [cpu, gpu] = view.candidates.slow;
    let least = match chosen {
        Class::Cpu => gpu,
        Class::Gpu => cpu,
    };
    let most = limit_of_time(Figure::Hours(longest(view.job)));
    Some(format!("no {} can in {most}: at best {}", other_name(chosen), least?))
}

/// Of which the cheapest is told: what is too slow by itself was never priced.
fn among(view: StageView<'_>, cheapest: &Choice) -> String {
    let most = longest(view.job);
    // Where nothing fits into the deadline, what does not was priced.
    let later = view.candidates.candidates.iter().any(|c| c.layout.ends() && c.duration.time.expected > most);
    if view.candidates.slow == [None; 2] || later {
        return String::new();
    }
    let bare = if cheapest.time.expected > most { format!(", {BARE},") } else { String::new() };
    format!(" whose work alone{bare} fits into {}", limit_of_time(Figure::Hours(most)))
}

fn why_class(
    view: StageView<'_>,
    pricer: &Pricer<'_>,
    selection: &Selection,
    chosen: &Choice,
    alternatives: &[Alternative],
) -> String {
    let cheapest = alternatives.iter().find(|a| a.kind == AlternativeKind::Cheapest);
    if let (Kept::Never(_), Some(deadline), Period::Run) =
        (view.kept, view.job.limits.deadline, chosen.period)
    {
        let pin = pin(view.stage).map(|pin| format!("; {pin} is pinned")).unwrap_or_default();
        let beside = cheapest.map(|cheapest| {
            let cost = cheapest.choice.expected_cost().amount();
            let among = among(view, &cheapest.choice);
            format!(
                "; the cheapest{among} costs {cost} and {}",
                lasts(view, pricer, selection, &cheapest.choice)
            )
        });
        let beside = beside.unwrap_or_default();
        return format!("part of the fastest run; nothing keeps the deadline of {deadline}{beside}{pin}");
    }
    if let Some(cheapest) = cheapest {
        let cost = cheapest.choice.expected_cost().amount();
        let takes = lasts(view, pricer, selection, &cheapest.choice);
        let limits = &view.job.limits;
        let what_for = match (limits.aim, limits.budget, limits.confidence) {
            (Aim::Cost, _, _) if selection.shares(&view.quotes.quotes) => {
                return format!(
                    "shares months with other stages, which all together costs less; by itself the cheapest costs {cost} and {takes}"
                );
            }
            (Aim::Cost, _, None) => "faster for the deadline",
            (Aim::Cost, _, Some(_)) => "surer for the deadline",
            (Aim::Time, Some(_), _) => "part of the fastest run within the budget",
            (Aim::Time, None, _) => "part of the fastest run",
        };
        let thumb = view.job.limits.aim == Aim::Time
            && selection.by == ClassBy::Thumb
            && alternatives.iter().any(|a| a.kind == AlternativeKind::OtherClass);
        let thumb = if thumb {
            format!(" with a {}, which the rule of thumb says", chosen.class.name().to_uppercase())
        } else {
            String::new()
        };
        let among = among(view, &cheapest.choice);
        return format!("{what_for}{thumb}; the cheapest{among} costs {cost} and {takes}");
    }
    if let Some(pin) = pin(view.stage) {
        return format!("cheapest; {pin} is pinned");
    }
    let other = alternatives.iter().find(|a| a.kind == AlternativeKind::OtherClass);
    if let (None, Some(slow)) = (other, too_slow(view, chosen.class)) {
        return format!("cheapest that can do it; {slow}");
    }
    match (selection.by, other) {
        (ClassBy::Cost, Some(other)) => format!(
            "cheapest; {} would cost {}{}{}",
            other.choice.class.name().to_uppercase(),
            other.choice.expected_cost().amount(),
            if chosen.period == Period::Month { " a month" } else { "" },
            port_in(&other.choice)
        ),
        (ClassBy::Cost | ClassBy::Thumb, None) => {
            format!("cheapest that can do it; {}", no_other(view, chosen.class))
        }
        (ClassBy::Thumb, Some(_)) => {
            let class = chosen.class.name().to_uppercase();
            format!("cheapest {class}, which the rule of thumb says")
        }
        (ClassBy::Only, _) => match no_other(view, chosen.class) {
            why if why.ends_with(" can") => why + " do it",
            why => why,
        },
    }
}

/// Why nothing of the other class is left where it is not for its time.
fn no_other(view: StageView<'_>, chosen: Class) -> String {
    let turned_away = |reason| view.candidates.rejected.get(reason).is_some();
    let is_other = |instance: &Instance| instance.gpu.is_some() == (chosen == Class::Cpu);
    let mut sold = view.catalog.offers.iter().filter_map(|offer| view.catalog.instance(offer.instance));
    match chosen {
        Class::Cpu if turned_away(Reason::NoGpuBuild) => "gpu_support = \"none\" leaves GPUs out".to_owned(),
        Class::Cpu if turned_away(Reason::IdleGpu) => "it would leave a GPU idle".to_owned(),
        _ if !sold.any(is_other) => format!("no {} is for sale", other_name(chosen)),
        _ => format!("no {} can", other_name(chosen)),
    }
}

/// How much of a cost is a share of the port to a GPU.
fn port_in(choice: &Choice) -> String {
    let lines = choice.bill.lines().iter().filter(|l| l.kind == LineKind::Migration);
    let port: Money = lines.map(|l| l.amount).sum();
    if port > Money::ZERO {
        format!(", {} of it its share of the port (B-C2)", port.amount())
    } else {
        String::new()
    }
}

fn other_name(class: Class) -> &'static str {
    match class {
        Class::Cpu => "GPU",
        Class::Gpu => "CPU",
    }
}

fn uses(catalog: &Catalog, stages: &[StagePlan]) -> Vec<CatalogUse> {
    let mut counts = vec![0; catalog.providers.len()];
    for offer in catalog.offers.iter() {
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
