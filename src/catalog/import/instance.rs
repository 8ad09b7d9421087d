//! `[[instance]]` → its specification and its offers.

use super::Context;
use super::origin::{Origin, Sources};
use super::price::{Defaults, PriceUnit, Undated, offers};
use crate::catalog::parts::{Parts, Row, Spec};
use crate::catalog::{Name, OfferGpu};
use crate::diag::{Code, Diagnostic, Diagnostics, Place};
use crate::read::Located;
use crate::read::table::Fields;
use crate::units::{Bytes, Currency};

/// What holds for all instances of a file.
pub(super) struct FileDefaults<'a> {
    pub(super) provider: Name,
    pub(super) currency: Currency,
    pub(super) origin: Origin,
    pub(super) term: Origin,
    pub(super) hazard: Origin,
    pub(super) sources: &'a Sources,
}

/// Reads one instance: a row for each place in which it is sold.
pub(super) fn rows(
    mut table: Fields<'_>,
    defaults: &FileDefaults<'_>,
    undated: &mut Undated,
    context: &mut Context<'_>,
    parts: &mut Parts,
    diags: &mut Diagnostics,
) {
    let name = table.text("name", diags);
    let name = table.require(name, "name", "\"gpu-a100-1\"", diags);
    let spec = spec(&mut table, defaults, name.as_ref(), context, diags);
    let unit = table.named("price_unit", diags).map_or(PriceUnit::Instance, |unit| unit.value);
    let gpu_count = spec.and_then(|spec| spec.gpu).map_or(0.0, |gpu| gpu.count);
    if unit == PriceUnit::Gpu && spec.is_some() && gpu_count == 0.0 {
        diags.push(Diagnostic::error(
            Code::Conflict,
            table.place().clone(),
            "`price_unit = \"gpu\"` on an instance without GPUs",
        ));
    }
    let origin = defaults.sources.origin(&mut table, context, diags).or(&defaults.origin);
    let row_defaults = Defaults {
        currency: defaults.currency,
        unit,
        gpu_count,
        origin,
        term: defaults.term.clone(),
        hazard: defaults.hazard.clone(),
        sources: defaults.sources,
    };
    let prices = table.tables("prices", diags);
    if prices.is_empty() && !table.has("prices") {
        diags.push(
            Diagnostic::error(Code::MissingKey, table.place().clone(), "[[instance]] has no `prices`")
                .hint("add `prices = [{ region = \"eu-1\", on_demand = 2.10 }]`"),
        );
    }
    for price in prices {
        let place = price.place().clone();
        for offer in offers(price, &row_defaults, undated, context, diags) {
            let (Some(name), Some(spec)) = (&name, spec) else { continue };
            let row = Row {
                place: Some(place.clone()),
                listed: false,
                provider: defaults.provider.clone(),
                instance: context.name(&name.value),
                spec,
            };
            parts.push(row, offer);
        }
    }
    table.finish(diags);
}

/// The machine. One that is named only, without a word on what it is, is that of the known catalog.
fn spec(
    table: &mut Fields<'_>,
    defaults: &FileDefaults<'_>,
    name: Option<&Located<String>>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Option<Spec> {
    if !["vcpus", "memory", "gpu", "gpu_count"].iter().any(|key| table.has(key))
        && let Some(name) = name
    {
        let known = known(&defaults.provider, &name.value, context);
        match known.as_slice() {
            [spec] => return Some(*spec),
            [] => {}
            [..] => {
                diags.push(
                    Diagnostic::error(
                        Code::AmbiguousName,
                        name.place.clone(),
                        format!("{} sells several machines as {}", defaults.provider, name.value),
                    )
                    .hint("add `vcpus`, `memory` and `gpu`"),
                );
                return None;
            }
        }
    }
    let vcpus = table.count("vcpus", diags);
    let vcpus = table.require(vcpus, "vcpus", "12", diags);
    let memory = table.quantity::<Bytes>("memory", diags);
    let memory = table.require(memory, "memory", "\"85 GiB\"", diags);
    let gpu = gpu(table, context, diags);
    let zero = |key, place: Option<&Place>, diags: &mut Diagnostics| {
        if let Some(place) = place {
            let message = format!("`{key}` in [[instance]] is zero");
            diags.push(Diagnostic::error(Code::BadValue, place.clone(), message));
        }
        place.is_some()
    };
    let no_vcpus = vcpus.as_ref().filter(|v| v.value <= 0.0).map(|v| &v.place);
    let no_memory = memory.as_ref().filter(|m| m.value == Bytes::ZERO).map(|m| &m.place);
    if zero("vcpus", no_vcpus, diags) | zero("memory", no_memory, diags) {
        return None;
    }
    let (vcpus, memory, gpu) = (vcpus?, memory?, gpu.ok()?);
    Some(Spec { vcpus: vcpus.value, memory: memory.value, gpu })
}

/// What the known catalog calls so.
fn known(provider: &str, instance: &str, context: &Context<'_>) -> Vec<Spec> {
    let Some((id, _)) = context.known.provider_named(provider) else { return Vec::new() };
    let types = context.known.instances.iter().filter(|i| i.provider == id && &*i.name == instance);
    types.map(|i| Spec { vcpus: i.vcpus, memory: i.memory, gpu: i.gpu }).collect()
}

/// The GPUs; `Err` where what is stated cannot be used.
fn gpu(
    table: &mut Fields<'_>,
    context: &mut Context<'_>,
    diags: &mut Diagnostics,
) -> Result<Option<OfferGpu>, ()> {
    let name = table.text("gpu", diags);
    let count = table.count("gpu_count", diags);
    let one = table.quantity::<Bytes>("gpu_memory", diags);
    let all = table.quantity::<Bytes>("gpu_memory_total", diags);
    let Some(name) = name else {
        let orphan = count.map(|c| c.place).or(one.map(|m| m.place)).or(all.map(|m| m.place));
        return match orphan {
            Some(place) if !table.has("gpu") => {
                diags.push(
                    Diagnostic::error(Code::MissingKey, place, "GPUs without a model")
                        .hint("add `gpu = \"A100-80GB\"`"),
                );
                Err(())
            }
            _ if table.has("gpu") => Err(()),
            _ => Ok(None),
        };
    };
    let accelerator = context.cards.resolve("gpu", &name, diags).ok_or(())?;
    let count = match count {
        Some(count) if count.value <= 0.0 => {
            diags.push(
                Diagnostic::error(Code::BadValue, count.place, "`gpu_count` in [[instance]] is zero")
                    .hint("leave `gpu` out if it has none"),
            );
            return Err(());
        }
        Some(count) => count.value,
        None if table.has("gpu_count") => return Err(()),
        None => 1.0,
    };
    let gpu = OfferGpu { accelerator, count };
    if let Some(card) = context.cards.table.get(accelerator) {
        let stated = super::memory::Stated { key: "gpu_memory", one: one.as_ref(), all: all.as_ref() };
        stated.check(card, count, diags);
    }
    Ok(Some(gpu))
}
