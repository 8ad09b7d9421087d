//! The plan in words and rounded figures: the only place where figures are rounded for the screen.

mod adding;
pub mod service;
mod totals;

use crate::catalog::Confidence;
use crate::duration::Evidence;
use crate::job::{Class, Origin, Purchase};
use crate::plan::{
    Alternative, AlternativeKind, Choice, Note, NoteKind, Period, Plan, PoolFigures, SlotUnit, StagePlan,
};
use crate::units::number::significant;
use crate::units::{Band, Currency, Hours, Money};

/// One stage of the table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Row {
    /// Name of the stage.
    pub stage: String,
    /// Kind of the stage.
    pub kind: String,
    /// `2 × aws g4dn.xlarge`.
    pub rent: String,
    /// `T4, 4 vCPU, 16 GiB`.
    pub machine: String,
    /// Region, with the zone where prices differ.
    pub place: String,
    /// Purchase option.
    pub purchase: String,
    /// Unit price.
    pub price: String,
    /// Date of the price.
    pub dated: String,
    /// Expected time.
    pub time: String,
    /// Its band and evidence.
    pub time_band: String,
    /// Expected cost.
    pub cost: String,
    /// Its band.
    pub cost_band: String,
    /// Why, in a few words.
    pub why: String,
}

/// Everything that the table output shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The answer in one line.
    pub headline: String,
    /// Code of the currency.
    pub currency: String,
    /// Stages.
    pub rows: Vec<Row>,
    /// Totals: what of, time, its band, cost, its band.
    pub totals: Vec<[String; 5]>,
    /// Stages that nothing can do, with the nearest miss and remedies.
    pub infeasible: Vec<String>,
    /// Limits.
    pub checks: Vec<(bool, String)>,
    /// Other ways of doing the whole.
    pub comparisons: Vec<String>,
    /// The smallest change that makes another plan win, where it is small and concerns much of the cost.
    pub fragile: Vec<String>,
    /// Other choices per stage.
    pub alternatives: Vec<[String; 5]>,
    /// Ways to buy the servers of services: stage, way, servers, cost, why it lost.
    pub ways: Vec<[String; 5]>,
    /// Remarks.
    pub notes: Vec<String>,
    /// Which prices were looked at.
    pub prices: String,
}

/// Rounds and words a plan.
pub fn report(plan: &Plan) -> Report {
    Report {
        headline: totals::headline(plan),
        currency: plan.currency.to_string(),
        rows: rows(plan),
        totals: totals::rows(plan),
        infeasible: plan.stages.iter().flat_map(infeasible).collect(),
        checks: plan
            .checks
            .iter()
            .map(|c| (c.kept, format!("{}: {}", c.limit.replace('-', " "), c.text)))
            .collect(),
        comparisons: plan.comparisons.iter().map(|c| comparison(plan, c)).collect(),
        fragile: fragile(plan),
        alternatives: plan
            .stages
            .iter()
            .flat_map(|s| distinct(s).into_iter().map(move |a| alternative(s, a)))
            .collect(),
        ways: service::ways(plan),
        notes: notes(plan),
        prices: prices(plan),
    }
}

/// Changes up to this factor are small …
const SMALL_CHANGE: f64 = 1.1;
/// … and worth a line under the table where the stage has this share of the cost of a run. Both are a choice.
const MUCH: f64 = 0.1;

/// The smallest of the changes that make another plan win, if it is small and of a stage that matters.
fn fragile(plan: &Plan) -> Vec<String> {
    let small = plan.sensitivity.iter().find(|s| s.factor < SMALL_CHANGE && s.share >= MUCH);
    small.map(ToString::to_string).into_iter().collect()
}

/// Most changes that `--explain` tells …
const MOST_CHANGES: usize = 10;
/// … of stages with at least this share of the cost of a run.
const SOME: f64 = 0.01;

/// The smallest changes that make another plan win, for `--explain`.
pub fn sensitivity(plan: &Plan) -> Vec<String> {
    let told = plan.sensitivity.iter().filter(|s| s.share >= SOME).take(MOST_CHANGES);
    let mut lines: Vec<String> = told.map(ToString::to_string).collect();
    let more = plan.sensitivity.len().saturating_sub(lines.len());
    if more > 0 {
        lines.push(format!("{more} more, larger or of stages that cost little, with --format json"));
    }
    lines
}

/// Most remarks that the table shows.
const MOST_NOTES: usize = 12;

/// The first warnings and pieces of advice in the plan's order; what is only to be known is for `--explain`.
fn notes(plan: &Plan) -> Vec<String> {
    let mut lines = alike(plan, |kind| kind != NoteKind::Info);
    let more = lines.len().saturating_sub(MOST_NOTES);
    lines.truncate(MOST_NOTES);
    if more > 0 {
        lines.push(format!("{more} more with --explain"));
    }
    lines
}

/// The remarks that the table leaves out, for `--explain`.
pub fn further_notes(plan: &Plan) -> Vec<String> {
    let mut lines: Vec<String> =
        alike(plan, |kind| kind != NoteKind::Info).into_iter().skip(MOST_NOTES).collect();
    lines.extend(alike(plan, |kind| kind == NoteKind::Info));
    lines
}

/// Remarks of some kinds as lines; what holds for several stages alike is said once.
fn alike(plan: &Plan, kind: impl Fn(NoteKind) -> bool) -> Vec<String> {
    let mut said: Vec<Note> = Vec::new();
    for new in plan.notes.iter().filter(|n| kind(n.kind)) {
        let same = |old: &&mut Note| (old.kind, old.rule, &old.text) == (new.kind, new.rule, &new.text);
        match (said.iter_mut().find(same), &new.stage) {
            (Some(Note { stage: Some(stages), .. }), Some(stage)) => *stages += &format!(", {stage}"),
            _ => said.push(new.clone()),
        }
    }
    said.iter().map(note).collect()
}

/// One remark with its rule.
fn note(n: &Note) -> String {
    let mark = match n.kind {
        NoteKind::Warning => "warning: ",
        NoteKind::Advice | NoteKind::Info => "",
    };
    let stage = n.stage.as_ref().map(|s| format!("{s}: ")).unwrap_or_default();
    format!("{mark}{stage}{} [{}]", n.text, n.rule)
}

/// The stages, with costs that add up to the totals as they are shown.
fn rows(plan: &Plan) -> Vec<Row> {
    let mut rows: Vec<Row> = plan.stages.iter().map(row).collect();
    for period in [Period::Run, Period::Month] {
        let cost = |stage: &StagePlan| {
            stage.outcome.as_ref().ok().filter(|c| c.period == period).map(Choice::expected_cost)
        };
        let stages = plan.stages.iter().enumerate();
        let (at, costs): (Vec<usize>, Vec<Money>) =
            stages.filter_map(|(at, stage)| Some((at, cost(stage)?))).unzip();
        for (at, shown) in at.into_iter().zip(adding::adding_up(&costs)) {
            if let Some(row) = rows.get_mut(at) {
                row.cost = of_the_period(shown, period);
            }
        }
    }
    rows
}

fn row(stage: &StagePlan) -> Row {
    let mut row = Row { stage: stage.name.clone(), kind: stage.kind.to_string(), ..Row::default() };
    let Ok(choice) = &stage.outcome else {
        row.rent = "nothing fits".to_owned();
        row.why.clone_from(&stage.why);
        row.cost = "no price".to_owned();
        row.time = "unknown".to_owned();
        return row;
    };
    row.rent = rent(choice);
    row.machine = machine(choice);
    row.place = place(choice);
    row.purchase = bought(choice);
    row.price.clone_from(&choice.unit_price);
    // Nothing is paid for a machine that is owned.
    if choice.purchase != Purchase::Owned {
        row.dated = choice.as_of.map_or_else(|| "undated".to_owned(), |d| d.to_string());
    }
    row.time = time(choice);
    row.time_band = match &choice.service {
        Some(service) if service.item.is_none() => String::new(),
        Some(_) => evidence(choice.evidence).to_owned(),
        None => format!("{}, {}", hours_band(&choice.time), evidence(choice.evidence)),
    };
    row.cost = cost(choice);
    let certain = choice.cost.low == choice.cost.expected && choice.cost.high == choice.cost.expected;
    row.cost_band = if certain { String::new() } else { money_band(&choice.cost) };
    row.why.clone_from(&stage.why);
    row
}

/// `2 × aws g4dn.xlarge`.
pub fn rent(choice: &Choice) -> String {
    let many = if choice.count > 1 { format!("{} × ", choice.count) } else { String::new() };
    format!("{many}{} {}", choice.provider, choice.instance)
}

/// Launch to end; of a service the time of one request.
fn time(choice: &Choice) -> String {
    match &choice.service {
        Some(service) => service.item.map_or_else(|| "no end".to_owned(), |t| format!("{} each", t.expected)),
        None => choice.time.expected.to_string(),
    }
}

/// The expected cost, with its period where it is not that of a run.
fn cost(choice: &Choice) -> String {
    of_the_period(choice.expected_cost(), choice.period)
}

fn of_the_period(cost: Money, period: Period) -> String {
    let amount = cost.amount();
    if period == Period::Month { format!("{amount}/month") } else { amount }
}

/// `T4, 4 vCPU, 16 GiB`; `A100-80GB in 7 × 1g.10gb, 12 vCPU, 85 GiB`.
pub fn machine(choice: &Choice) -> String {
    let cut = match &choice.pool {
        Some(PoolFigures { unit: SlotUnit::MigSlice, profile: Some(profile), per_instance, .. }) => {
            format!(" in {per_instance} × {profile}")
        }
        _ => String::new(),
    };
    let gpu = if choice.gpu.is_some() { format!("{}{cut}, ", choice.gpu_label()) } else { String::new() };
    format!("{gpu}{} vCPU, {}", significant(choice.vcpus, 4), choice.memory.gib())
}

/// Region, with the zone where prices differ; a zone that repeats its region is shown alone.
pub fn place(choice: &Choice) -> String {
    if !choice.placed {
        return "region not stated".to_owned();
    }
    match &choice.zone {
        Some(zone) if zone.starts_with(&choice.region) => zone.clone(),
        Some(zone) => format!("{}/{zone}", choice.region),
        None => choice.region.clone(),
    }
}

/// The purchase option; of a service whose servers are not all bought alike around the clock, how many.
fn bought(choice: &Choice) -> String {
    let split = choice.service.as_ref().and_then(|service| service.bought(choice.purchase));
    if choice.shared.is_some() {
        return format!("{}, shared", choice.purchase.label());
    }
    let label = choice.purchase.label();
    split.map_or_else(|| label.to_owned(), |split| format!("{label}, {split}"))
}

fn evidence(evidence: Evidence) -> &'static str {
    match evidence {
        Evidence::Measured => "measured",
        Evidence::Scaled => "scaled",
        Evidence::Published => "published",
        Evidence::Estimated => "estimated",
        Evidence::RuleOfThumb => "guessed",
    }
}

/// `6.1–22 h`: both ends in the unit of the upper one, with two significant figures; one figure where they agree, and
/// `79 min–2.3 d` where the lower end is far smaller.
pub fn hours_band(band: &Band<Hours>) -> String {
    if !band.high.is_finite() {
        return format!("{}–never", band.low);
    }
    let (unit, name) = unit(band.high);
    let figure = |h: Hours, unit: f64| {
        let value = h.as_secs() / unit;
        if value >= 10.0 { crate::units::number::thousands(value) } else { significant(value, 2) }
    };
    let high = figure(band.high, unit);
    let (own, own_name) = self::unit(band.low);
    // What is far smaller has a unit of its own.
    let low = match band.low.as_secs() / unit {
        share if share > 0.0 && share < 0.1 => format!("{} {own_name}", figure(band.low, own)),
        _ => figure(band.low, unit),
    };
    if low == high { format!("{high} {name}") } else { format!("{low}–{high} {name}") }
}

/// The unit in which a time is told in a band: its seconds and its name.
fn unit(time: Hours) -> (f64, &'static str) {
    match time.as_secs() {
        s if s < 120.0 => (1.0, "s"),
        s if s < 7200.0 => (60.0, "min"),
        s if s < 48.0 * 3600.0 => (3600.0, "h"),
        _ => (86_400.0, "d"),
    }
}

/// `160.20–310.00`, without cents from 1,000 on; an end that never comes is said.
pub fn money_band(band: &Band<Option<Money>>) -> String {
    let text = |m: Option<Money>| m.map_or_else(|| "without end".to_owned(), short);
    let (low, high) = (text(band.low), text(band.high));
    if low == high { low } else { format!("{low}–{high}") }
}

fn short(money: Money) -> String {
    if money.as_f64() >= 1000.0 { crate::units::number::thousands(money.as_f64()) } else { money.amount() }
}

fn expected(band: &Band<Option<Money>>) -> String {
    band.expected.map_or_else(|| "unknown".to_owned(), Money::amount)
}

fn infeasible(stage: &StagePlan) -> Vec<String> {
    let Err(why) = &stage.outcome else { return Vec::new() };
    let mut lines = vec![match &stage.nearest_miss {
        Some(nearest) => format!("{}: nothing can do it; nearest miss: {nearest}", stage.name),
        None => format!("{}: nothing can do it", stage.name),
    }];
    lines.extend(why.remedies.iter().map(|r| format!("{}: {r}", stage.name)));
    lines
}

fn comparison(plan: &Plan, c: &crate::plan::Comparison) -> String {
    let currency: Currency = plan.currency;
    let mine = plan.cost.and_then(|band| band.expected);
    let mut text = c.what.clone();
    match (c.cost, mine) {
        (Some(other), Some(mine)) => {
            text += &format!(": {} {currency}", other.amount());
            if let Some(time) = c.time {
                text += &format!(", {time}");
            }
            if let Some(missed) = missed(&c.misses) {
                text += &format!(" ({missed})");
            }
            let (saves, other) = ((other - mine).as_f64(), other.as_f64());
            if other > 0.0 {
                let percent = saves / other * 100.0;
                text += &if percent >= 0.0 {
                    format!(
                        "; the plan saves {} ({percent:.0} %)",
                        Money::from_f64(saves).unwrap_or_default().amount()
                    )
                } else {
                    format!("; the plan costs {} more", Money::from_f64(-saves).unwrap_or_default().amount())
                };
            }
        }
        (None, _) => text += &format!(": cannot be told ({})", c.note),
        (Some(other), None) => text += &format!(": {} {currency}", other.amount()),
    }
    if let Some(consider) = &c.consider {
        text += &format!("; {consider}");
    }
    format!("{text} [{}]", c.rule)
}

/// `misses the deadline and the budget`.
fn missed(limits: &[&'static str]) -> Option<String> {
    let named: Vec<String> = limits.iter().map(|limit| format!("the {}", limit.replace('-', " "))).collect();
    (!named.is_empty()).then(|| format!("misses {}", named.join(" and ")))
}

/// The alternatives of a stage, each machine bought one way once.
fn distinct(stage: &StagePlan) -> Vec<&Alternative> {
    let mut shown: Vec<&Alternative> = Vec::new();
    for a in &stage.alternatives {
        let same = |b: &&Alternative| {
            let (a, b) = (&a.choice, &b.choice);
            (&a.provider, &a.instance, &a.region, a.count, a.purchase)
                == (&b.provider, &b.instance, &b.region, b.count, b.purchase)
        };
        if !shown.iter().any(same) {
            shown.push(a);
        }
    }
    shown
}

fn alternative(stage: &StagePlan, a: &Alternative) -> [String; 5] {
    let kind = match (a.kind, a.choice.class) {
        (AlternativeKind::OtherClass, Class::Cpu) => "best CPU",
        (AlternativeKind::OtherClass, Class::Gpu) => "best GPU",
        (AlternativeKind::OtherPurchase, _) if a.choice.purchase == Purchase::Fallback => "fallback",
        (AlternativeKind::OtherPurchase, _) => a.choice.purchase.label(),
        (AlternativeKind::RunnerUp, _) => "next",
        (AlternativeKind::Fastest, _) => "fastest",
        (AlternativeKind::OneGpu, _) => "one GPU",
        (AlternativeKind::Faster, _) => "faster",
        (AlternativeKind::Cheapest, _) => "cheapest",
    };
    let usual = stage.outcome.as_ref().is_ok_and(|c| c.purchase == a.choice.purchase);
    let bought = if usual || a.kind == AlternativeKind::OtherPurchase {
        String::new()
    } else {
        format!(", {}", a.choice.purchase.label())
    };
    let slices = match &a.choice.pool {
        Some(PoolFigures { unit: SlotUnit::MigSlice, profile: Some(profile), .. }) => {
            format!(" by {profile}")
        }
        _ => String::new(),
    };
    let gpu =
        if a.choice.gpu.is_some() { format!(" ({}{slices})", a.choice.gpu_label()) } else { String::new() };
    [
        stage.name.clone(),
        kind.to_owned(),
        format!("{}{gpu}, {}{bought}", rent(&a.choice), place(&a.choice)),
        time(&a.choice),
        cost(&a.choice),
    ]
}

fn prices(plan: &Plan) -> String {
    let offers: usize = plan.catalog.iter().map(|c| c.offers).sum();
    let chosen: Vec<String> = plan
        .stages
        .iter()
        .filter_map(|s| s.outcome.as_ref().ok())
        .filter(|c| c.purchase != Purchase::Owned)
        .map(|c| {
            let date = c.as_of.map_or_else(|| "undated".to_owned(), |d| d.to_string());
            let mark = match c.confidence {
                Confidence::Read => "",
                Confidence::Recall => ", from memory",
                Confidence::Doubtful => ", doubtful",
            };
            format!("{} {date}{mark}", c.provider)
        })
        .fold(Vec::new(), |mut seen, text| {
            if !seen.contains(&text) {
                seen.push(text);
            }
            seen
        });
    let providers = plan.catalog.len();
    let many = |n: usize, one: &str| {
        if n == 1 {
            format!("1 {one}")
        } else {
            format!("{} {one}s", crate::units::number::thousands(as_f64(n)))
        }
    };
    let mut text = format!("prices: {} of {}", many(offers, "offer"), many(providers, "provider"));
    if !chosen.is_empty() {
        text += &format!("; those of the plan: {}", chosen.join(", "));
    }
    let named = |key: &str| {
        let set = plan.settings.iter().find(|s| s.key == key);
        set.is_some_and(|s| !matches!(s.origin, Origin::Default(_)))
    };
    if providers > 3 && !named("where.providers") && !named("where.regions") {
        text += ". Naming your own providers in [where] gives the bill that you will really get";
    }
    text
}

fn as_f64(n: usize) -> f64 {
    u32::try_from(n).map_or(f64::from(u32::MAX), f64::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_far_smaller_end_has_a_unit_of_its_own() {
        let band = |low: f64, high: f64| {
            let [low, high] = [low, high].map(Hours::new);
            hours_band(&Band { low, expected: high, high })
        };
        assert_eq!(band(1.32, 55.0), "79 min–2.3 d");
        assert_eq!(band(6.1, 22.0), "6.1–22 h");
        assert_eq!(band(0.5, 2.5), "0.5–2.5 h");
        assert_eq!(band(3.0, 3.0), "3 h");
    }
}
