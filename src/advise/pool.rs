//! The mixed pool against one big machine (A-M1), and the split between GPU and general instances (A-M2).

use super::said::Said;
use crate::job::Class;
use crate::plan::{Choice, Comparison, NoteKind, Period, Plan};
use crate::rules::{Threshold, Thresholds, Verdict};
use crate::units::Money;
use crate::units::number::percent;

/// A-M1: the machines of the plan, beside the comparison with one big machine.
pub fn mixed(plan: &Plan, comparisons: &[Comparison]) -> Option<Said> {
    let other = comparisons.iter().find(|c| c.rule == "A-M1")?;
    let mut machines: Vec<String> = Vec::new();
    for choice in choices(plan) {
        let gpu = if choice.gpu.is_some() { format!(" ({})", choice.gpu_label()) } else { String::new() };
        let text = format!("{} × {}/{}{gpu}", choice.count, choice.provider, choice.instance);
        if !machines.contains(&text) {
            machines.push(text);
        }
    }
    let pool = machines.join(", ");
    let own = plan.cost.and_then(|band| band.expected)?;
    let currency = plan.currency;
    Some(match other.cost {
        Some(cost) => {
            let text = format!(
                "{pool} for {} {currency}; {} for {} {currency}",
                own.amount(),
                other.what,
                cost.amount()
            );
            let verdict = if own <= cost { Verdict::Advice } else { Verdict::Overruled };
            Said::quiet("A-M1", verdict, text)
        }
        None => Said::needs("A-M1", &format!("a cost of {}: {}", other.what, other.note)),
    })
}

/// A-M2: the split of a run beside the usual one. Where a stage cannot be done there is none.
pub fn split(plan: &Plan, thresholds: &Thresholds) -> Option<Said> {
    plan.cost?;
    let cost = |class: Class| -> Money {
        choices(plan).filter(|c| c.class == class).map(Choice::expected_cost).sum()
    };
    let (gpu, cpu) = (cost(Class::Gpu), cost(Class::Cpu));
    if gpu == Money::ZERO || cpu == Money::ZERO {
        return None;
    }
    let share = gpu.as_f64() / (gpu + cpu).as_f64();
    let usual = thresholds.get(Threshold::GpuBudgetShare);
    let text = format!(
        "{} of the cost is GPU, {} general instances; {} and {} is usual",
        most_of_all(share),
        most_of_all(1.0 - share),
        percent(usual),
        percent(1.0 - usual)
    );
    Some(Said::advice("A-M2", text).aloud(NoteKind::Advice))
}

/// A share that is not all of it, however near.
fn most_of_all(share: f64) -> String {
    if share < 1.0 && percent(share) == percent(1.0) {
        format!("{:.1} %", (share * 1000.0).floor() / 10.0)
    } else {
        percent(share)
    }
}

/// What a run rents.
fn choices(plan: &Plan) -> impl Iterator<Item = &Choice> {
    plan.stages.iter().filter_map(|s| s.outcome.as_ref().ok()).filter(|c| c.period == Period::Run)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_all_is_not_all() {
        let shares = [0.9986, 0.9999, 1.0, 0.96, 0.0014].map(most_of_all);
        assert_eq!(shares, ["99.8 %", "99.9 %", "100 %", "96 %", "0.14 %"]);
    }
}
