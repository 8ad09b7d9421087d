//! Names of machines in, machines out: a card and a count, an instance type, or so many vCPUs.

use crate::catalog::alias::Found;
use crate::catalog::{Catalog, Instance, Name, OfferGpu, ProviderId};
use crate::diag::{Code, Diagnostic};
use crate::job::MeasuredOn;
use crate::names::{closest, list};
use crate::units::Bytes;

/// A machine as it was named, and what it is.
#[derive(Debug, Clone)]
pub struct Hardware {
    /// What it is.
    pub instance: Instance,
    /// How many of it: more than one only of a named instance type.
    pub instances: u32,
    /// How a measurement on it is told.
    pub on: MeasuredOn,
    /// What its name left open, in words.
    pub note: Option<String>,
}

/// The machine that a text names: `A100-80GB` (so many of them), `p4d.24xlarge`, `aws/p4d.24xlarge`, `8 vCPU`, or any
/// text that counts its cores or threads. An error says what is wrong with the name, or (`bad-value`) with the count.
pub fn hardware(text: &str, count: f64, catalog: &Catalog) -> Result<Hardware, Diagnostic> {
    let (found, each) = card(text, catalog);
    let cards = each * count;
    if let Some(accelerator) = found.id() {
        let note = match &found {
            Found::Ambiguous { meaning, .. } => Some(meaning.clone()),
            _ => None,
        };
        let gpu = Some(OfferGpu { accelerator, count: cards });
        let on = MeasuredOn::Gpu { accelerator, count: cards };
        return Ok(Hardware { instance: nameless(8.0 * cards.max(1.0), gpu), instances: 1, on, note });
    }
    let (provider, name) = text.split_once('/').map_or((None, text), |(p, i)| (Some(p), i));
    let sold_by = |id: ProviderId| catalog.provider(id).map(|p| &*p.name);
    let named = catalog
        .instances
        .iter()
        .find(|i| &*i.name == name.trim() && provider.is_none_or(|p| sold_by(i.provider) == Some(p)));
    if let Some(instance) = named {
        let provider = sold_by(instance.provider).map(str::to_owned);
        let on = MeasuredOn::Instance { provider, instance: instance.name.to_string() };
        let instances = whole(count)?;
        return Ok(Hardware { instance: instance.clone(), instances, on, note: None });
    }
    if let Some(vcpus) = counted(text) {
        let vcpus = vcpus * count;
        return Ok(Hardware {
            instance: nameless(vcpus, None),
            instances: 1,
            on: MeasuredOn::Vcpus(vcpus),
            note: None,
        });
    }
    let near: Vec<&str> = match &found {
        Found::Unknown { near } if !near.is_empty() => {
            near.iter().map(|id| catalog.accelerators.name(*id)).collect()
        }
        _ => closest(text, catalog.accelerators.iter().map(|(_, card)| &*card.name)).into_iter().collect(),
    };
    let message = "neither an accelerator nor an instance type of the catalog";
    let unknown = Diagnostic::error(Code::UnknownName, None, message);
    Err(if near.is_empty() {
        unknown.allowed(
            "an accelerator such as A100-80GB, an instance type, or a number of vCPUs such as \"8 vCPU\"",
        )
    } else {
        let near: Vec<String> = near.into_iter().map(|name| format!("`{name}`")).collect();
        unknown.hint(format!("did you mean {}?", list(near.iter().map(String::as_str))))
    })
}

/// A whole number of instances.
fn whole(count: f64) -> Result<u32, Diagnostic> {
    let whole = format!("{count}").parse::<u32>().ok().filter(|n| *n > 0);
    whole.ok_or_else(|| {
        Diagnostic::error(Code::BadValue, None, "no number of instances")
            .allowed("a whole number of 1 or more")
    })
}

/// The card that a text names and how many: by itself, with a count (`8x V100`), or before a remark
/// (`V100 (size not stated)`).
fn card(text: &str, catalog: &Catalog) -> (Found, f64) {
    if let Some(id) = catalog.accelerators.named(text.trim()) {
        return (Found::Card(id), 1.0);
    }
    let before = text.split(['(', '|']).next().unwrap_or("");
    let (found, each) = catalog.accelerators.parse_gpu_with_count(text);
    if found.id().is_none() && before.len() < text.len() && !before.trim().is_empty() {
        let (short, each) = catalog.accelerators.parse_gpu_with_count(before);
        if short.id().is_some() {
            return (short, each);
        }
    }
    (found, each)
}

fn nameless(vcpus: f64, gpu: Option<OfferGpu>) -> Instance {
    Instance {
        provider: ProviderId(u16::MAX),
        name: Name::default(),
        vcpus: vcpus.max(0.5),
        memory: Bytes::from_gib(4.0 * vcpus),
        gpu,
    }
}

/// vCPUs that a description counts: `8 vCPU`, `16 cores` (two each), `4 threads`, `14c`.
fn counted(text: &str) -> Option<f64> {
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| c.is_whitespace() || "(),/[]".contains(c)).filter(|w| !w.is_empty()).collect();
    let mut found = None;
    for (at, word) in words.iter().enumerate() {
        let (digits, glued) = word.split_at(word.find(|c: char| !c.is_ascii_digit()).unwrap_or(word.len()));
        let Ok(number) = digits.parse::<f64>() else { continue };
        let unit = if glued.is_empty() {
            words.get(at + 1).copied().unwrap_or("")
        } else {
            glued.trim_start_matches('-')
        };
        let per = match unit {
            "vcpu" | "vcpus" | "thread" | "threads" => 1.0,
            "core" | "cores" | "c" | "cpu" | "cpus" => 2.0,
            _ => continue,
        };
        found = Some(number * per);
        if per < 2.0 {
            break;
        }
    }
    found.filter(|n| *n > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machines_are_found_by_card_type_or_cores() {
        let catalog = Catalog::embedded();
        let gpu = hardware("A100-80GB-SXM", 8.0, &catalog).unwrap();
        assert_eq!(gpu.instance.gpu.map(|g| g.count), Some(8.0));
        let several = hardware("8x V100-16GB (DGX-1)", 2.0, &catalog).unwrap();
        assert_eq!(several.instance.gpu.map(|g| g.count), Some(16.0));
        assert!(hardware("p4d.24xlarge", 1.0, &catalog).unwrap().instance.gpu.is_some());
        assert!(hardware("aws/m5.large", 1.0, &catalog).unwrap().instance.gpu.is_none());
        for (text, vcpus) in [
            ("8 vCPU", 8.0),
            ("Some Xeon 16 cores (E5-2686v4)", 32.0),
            ("CPU i9-10940X (14c)", 28.0),
            ("CPU c9.2xlarge 4 threads (Xeon 8275CL)", 4.0),
            ("28-core CPU", 56.0),
        ] {
            assert_eq!(hardware(text, 1.0, &catalog).map(|h| h.instance.vcpus), Ok(vcpus), "{text}");
        }
        let error = hardware("A1000-80GB", 1.0, &catalog).unwrap_err();
        assert!(error.to_string().contains("did you mean `A100-80GB"), "{error}");
        assert!(hardware("abacus", 1.0, &catalog).is_err());
    }
}
