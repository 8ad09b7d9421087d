//! The cost-time curve: what the least cost is for every deadline, and what is rented for it.

use super::ClassBy;
use super::assemble::Found;
use super::exact::Effort;
use super::own::{Point, shared_out};
use super::question::{Basis, Classes, Question};
use super::totals;
use crate::job::{Aim, Job, Limits, Location, StageKind};
use crate::plan::curve::{Curve, CurvePoint, Pick};
use crate::plan::{Choice, Plan};
use crate::price::Quote;
use crate::rules::Threshold;
use crate::units::{BilledTime, Hours, Money};

/// Most points that are looked for …
const MOST: usize = 2000;
/// … of a run of few stages; of many so many that this is the most that is said of all stages at all points.
const MOST_PICKS: usize = 100_000;
/// Runs of more stages than this have less effort than the ordinary one.
const MANY: u64 = 50;

/// The job of which the curve is asked: without a budget, with a deadline that keeps nothing away, and with its data where
/// the plan keeps it.
pub fn unlimited(job: &Job, plan: &Plan) -> Job {
    let limits = Limits {
        budget: None,
        monthly_budget: None,
        deadline: Some(Hours::from_days(365)),
        aim: Aim::Cost,
        confidence: None,
    };
    let kept = plan.data.as_ref();
    let kept = kept.map(|at| Location { provider: at.provider.clone(), region: at.region.clone() });
    Job { limits, data_location: kept.or_else(|| job.data_location.clone()), ..job.clone() }
}

/// The curve over what was found for [`unlimited`]; none where a stage has nothing to choose from, or where no stage
/// ends. `plan` is the plan of the job with its limits.
pub fn curve(found: Found<'_>, plan: &Plan) -> Option<Curve> {
    let Found { job, catalog, book, stages, .. } = found;
    if job.stages.iter().all(|s| s.kind == StageKind::Serve) {
        return None;
    }
    // Where a limit made a rule of thumb yield, both classes are on the curve.
    let restricted = stages.iter().zip(&plan.stages).all(|(s, planned)| {
        planned.outcome.as_ref().map_or(true, |c| s.selection.classes.contains(&c.class))
    });
    let classes = if restricted { Classes::Selected } else { Classes::Any };
    let basis = Basis { job, catalog, book };
    let question = Question::new(basis, stages, classes)?;
    let most = MOST.min(MOST_PICKS / stages.len().max(1));
    let effort = effort(stages.len());
    let frontier = question.problem().frontier(most, effort);
    let alone = frontier.points.iter().map(|a| Point { quotes: question.quotes(a), makespan: a.makespan });
    let (stages, shared, whole) = shared_out(basis, stages, classes, alone.collect(), (most, effort));
    let found = Found { stages: &stages, ..found };
    let mut points: Vec<CurvePoint> = shared.iter().filter_map(|shared| point(found, shared)).collect();
    // Of equally cheap selections the curve has the fastest one.
    let taken: Option<Money> = plan.cost.and_then(|band| band.expected);
    if let Some(point) = points.iter_mut().find(|p| Some(p.cost) == taken) {
        point.taken = true;
    }
    let one_class = job.stages.iter().zip(&stages).filter(|(_, s)| {
        restricted && s.selection.by == ClassBy::Thumb && s.selection.best.iter().all(Option::is_some)
    });
    let one_class = one_class.map(|(stage, _)| stage.name.clone()).collect();
    let confidence = job.thresholds.get(Threshold::SpotConfidence);
    let data = plan.data.as_ref().filter(|at| at.chosen.is_some());
    let data = data.map(|at| format!("{}/{}", at.provider, at.region));
    Some(Curve { points, complete: frontier.complete && whole, confidence, data, one_class })
}

/// The effort for a run of so many stages: the ordinary one, less for many stages, each step of which is longer.
fn effort(stages: usize) -> Effort {
    Effort::steps(Effort::ORDINARY.get() * MANY / (stages as u64).max(MANY))
}

/// The quotes of the stages of a run, with the stages' positions.
fn run<'a>(
    found: Found<'a>,
    quotes: &'a [Option<usize>],
) -> impl Iterator<Item = Option<(usize, &'a Quote)>> {
    let stages = found.job.stages.iter().zip(found.stages).zip(quotes).enumerate();
    let ends = stages.filter(|(_, ((stage, _), _))| stage.kind != StageKind::Serve);
    ends.map(|(at, ((_, considered), quote))| Some((at, considered.quotes.quotes.get((*quote)?)?)))
}

fn point(found: Found<'_>, shared: &Point) -> Option<CurvePoint> {
    let taken: Vec<(usize, &Quote)> = run(found, &shared.quotes).collect::<Option<_>>()?;
    let mut times = vec![Hours::ZERO; found.job.stages.len()];
    for (at, quote) in &taken {
        if let Some(slot) = times.get_mut(*at) {
            *slot = quote.time;
        }
    }
    Some(CurvePoint {
        cost: taken.iter().map(|(_, q)| q.cost).sum(),
        within: BilledTime::from_millis(shared.makespan).hours(),
        expected: totals::longest(found.job, &times),
        taken: false,
        picks: taken.iter().map(|(at, quote)| pick(found, *at, quote)).collect::<Option<_>>()?,
    })
}

fn pick(found: Found<'_>, at: usize, quote: &Quote) -> Option<Pick> {
    let (stage, considered) = (found.job.stages.get(at)?, found.stages.get(at)?);
    let candidate = considered.candidates.of(quote.candidate)?;
    let offer = found.catalog.offers.get(quote.offer)?;
    let instance = found.catalog.instance(candidate.instance)?;
    let card = instance.gpu.and_then(|gpu| found.catalog.accelerator(gpu));
    Some(Pick {
        stage: stage.name.clone(),
        provider: found.catalog.provider(instance.provider)?.name.to_string(),
        instance: instance.name.to_string(),
        gpu: card.map(|c| Choice::label(&c.name, instance.gpu_count())).unwrap_or_default(),
        region: offer.region.to_string(),
        zone: offer.zone.as_ref().map(ToString::to_string),
        count: candidate.count,
        purchase: quote.purchase,
        net: quote.net().map(|net| net.within),
        time: quote.time,
        cost: quote.cost,
    })
}
