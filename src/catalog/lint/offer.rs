//! Oddities of one offer by itself.

use crate::catalog::parts::Row;
use crate::catalog::{Accelerators, Catalog, OfferEntry, Term};
use crate::diag::{Code, Diagnostic, Diagnostics};
use crate::units::{HOURS_PER_MONTH, number::significant};

/// Below this share of on-demand, the total of a term is more likely the price of an hour or a month. Commitments
/// of three years go down to about 0.35 of on-demand. A guess.
const LEAST_TERM_SHARE: f64 = 0.1;

/// Spot at or above on-demand; a term that costs next to nothing, or more than on-demand.
pub(super) fn own_prices(row: &Row, offer: &OfferEntry, diags: &mut Diagnostics) {
    let Some(on_demand) = offer.on_demand_price() else { return };
    if let Some(spot) = offer.spot
        && spot >= on_demand
    {
        let relation = if spot == on_demand { "equal to" } else { "above" };
        let message = format!(
            "{}: spot at {spot} is {relation} on-demand at {on_demand}: no saving",
            subject(row, offer)
        );
        warn(row, Code::OddPrice, message, None, diags);
    }
    let month = HOURS_PER_MONTH;
    for (key, total, hours) in [
        ("month", offer.term(Term::Month), month),
        ("sustained_month", offer.sustained_month(), month),
        ("year", offer.term(Term::Year), 12.0 * month),
        ("three_years", offer.term(Term::ThreeYears), 36.0 * month),
    ] {
        let Some(total) = total else { continue };
        let share = total.as_f64() / (on_demand.as_f64() * hours);
        let message = format!(
            "{}: `{key}` is {}, {} times the price of as many on-demand hours",
            subject(row, offer),
            total.amount(),
            significant(share, 2)
        );
        if share < LEAST_TERM_SHARE {
            warn(row, Code::OddPrice, message, Some("is it the total of the whole term?"), diags);
        } else if share > 1.0 + 1e-6 {
            warn(row, Code::OddPrice, message, Some("on-demand is cheaper"), diags);
        }
    }
}

/// A name that states another GPU memory than the card has: `gpu_8x_a100_80gb` with cards of 40 GB.
pub(super) fn name_and_memory(row: &Row, cards: &Accelerators, diags: &mut Diagnostics) {
    let Some(gpu) = row.spec.gpu else { return };
    let Some(card) = cards.get(gpu.accelerator) else { return };
    let card_gib = card.memory.as_gib();
    let plausible = [card_gib, card_gib * gpu.count, row.spec.memory.as_gib(), row.spec.memory.as_gb()];
    for stated in gigabytes(&row.instance) {
        // 8 %: the distance between GB and GiB, and between what is sold and what is usable.
        if plausible.iter().all(|gib| (gib - stated).abs() > 0.08 * gib) {
            let message = format!(
                "the name {} says {stated} GB, but it has {} of {} and {} of main memory",
                row.instance,
                card.name,
                card.memory.gib(),
                row.spec.memory.gib()
            );
            warn(row, Code::WrongSpec, message, None, diags);
        }
    }
}

/// The numbers before `gb` in a name.
fn gigabytes(name: &str) -> Vec<f64> {
    let lower = name.to_lowercase();
    lower
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter_map(|word| word.strip_suffix("gb")?.parse().ok())
        .collect()
}

/// A machine that the known catalog has under the same name with another specification: it would stand beside the
/// known one, at both prices.
pub(super) fn another_machine(row: &Row, known: &Catalog, diags: &mut Diagnostics) {
    let Some((id, _)) = known.provider_named(&row.provider) else { return };
    let of_name = || known.instances.iter().filter(|i| i.provider == id && i.name == row.instance);
    let same = |i: &&crate::catalog::Instance| {
        let gpu = |gpu: Option<crate::catalog::OfferGpu>| gpu.map_or(0.0, |gpu| gpu.count);
        i.vcpus.total_cmp(&row.spec.vcpus).is_eq()
            && i.memory == row.spec.memory
            && gpu(i.gpu).total_cmp(&gpu(row.spec.gpu)).is_eq()
    };
    if let Some(other) = of_name().next()
        && !of_name().any(|i| same(&i))
    {
        let message = format!(
            "{} {} has {} vCPU and {} in the embedded catalog, not {} and {}: another machine of the same name",
            row.provider,
            row.instance,
            other.vcpus,
            other.memory.gib(),
            row.spec.vcpus,
            row.spec.memory.gib()
        );
        warn(row, Code::WrongSpec, message, Some("leave vcpus, memory and gpu out to mean that one"), diags);
    }
}

/// How messages call an offer.
pub(super) fn subject(row: &Row, offer: &OfferEntry) -> String {
    format!("{} {} in {}", row.provider, row.instance, offer.place())
}

/// A warning at the offer's row.
pub(super) fn warn(row: &Row, code: Code, message: String, hint: Option<&str>, diags: &mut Diagnostics) {
    let warning = Diagnostic::warning(code, row.place.clone(), message);
    diags.push(match hint {
        Some(hint) => warning.hint(hint),
        None => warning,
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_gigabytes_in_names() {
        assert_eq!(gigabytes("gpu_8x_a100_80gb_sxm4"), [80.0]);
        assert_eq!(gigabytes("gpu-h100-sxm_1gpu-16vcpu-200gb"), [200.0]);
        assert_eq!(gigabytes("VM.Standard.A1.Flex-16ocpu-96gb"), [96.0]);
        assert!(gigabytes("p4d.24xlarge").is_empty());
    }
}
