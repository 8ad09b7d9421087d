//! Instance types by what makes them fast or slow.
//!
//! Hundreds of instance types differ in nothing but their name, their seller, their main memory and their price: how long
//! some work takes on one of them holds for all of its kind.

use super::processor::{is_arm, is_of_family};
use super::{Catalog, Instance, InstanceId, Processor, Provider};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Number of a kind, from 0.
pub type Kind = u16;

/// What of a machine counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counts {
    /// Its processor, its vCPUs and its accelerators.
    All,
    /// Its accelerators alone, where it has any.
    Cards,
}

/// The kinds of each instance type of a catalog, in the order of the types: if all counts, and if the cards alone do.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kinds {
    of: Vec<(Kind, Kind)>,
    count: Kind,
}

/// What is the same for all machines of a kind: the class of their cores; the bits of the number of their vCPUs; of
/// those with accelerators the card and the bits of its number.
type Key = (Cores, u64, Option<(u16, u64)>);

/// What the speed of cores depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cores {
    /// It does not count.
    Any,
    /// Nothing is known of them.
    Unknown,
    /// That they are Arm cores.
    Arm,
    /// vCPUs per core, and the bits of the speed of one and of its share in the memory's bandwidth.
    Known(u8, u64, Option<u64>),
}

impl Kinds {
    /// Goes through the instance types of some providers once. More kinds than can be numbered are none.
    pub(super) fn new(instances: &[Instance], providers: &[Provider], processors: &[Processor]) -> Self {
        let mut chips: Vec<Vec<(&str, Cores)>> = vec![Vec::new(); providers.len()];
        for processor in processors {
            let seller = providers.iter().position(|provider| provider.name == processor.provider);
            let Some(chips) = seller.and_then(|seller| chips.get_mut(seller)) else { continue };
            let share = processor.bandwidth_per_vcpu().map(f64::to_bits);
            let cores = Cores::Known(processor.vcpus_per_core, processor.relative.to_bits(), share);
            chips.extend(processor.families().map(|family| (family, cores)));
        }
        let mut known: BTreeMap<Key, Kind> = BTreeMap::new();
        let mut number = |key| {
            let next = Kind::try_from(known.len()).ok()?;
            Some(*known.entry(key).or_insert(next))
        };
        let kind = |instance: &Instance| {
            let chips = chips.get(usize::from(instance.provider.0)).map_or(&[][..], Vec::as_slice);
            let cores = match chips.iter().find(|(family, _)| is_of_family(&instance.name, family)) {
                Some((_, cores)) => *cores,
                None if is_arm(&instance.name) => Cores::Arm,
                None => Cores::Unknown,
            };
            let gpu = instance.gpu.map(|gpu| (gpu.accelerator.0, gpu.count.to_bits()));
            let all = number((cores, instance.vcpus.to_bits(), gpu))?;
            let cards = if gpu.is_some() { number((Cores::Any, 0, gpu))? } else { all };
            Some((all, cards))
        };
        let of = instances.iter().map(kind).collect::<Option<_>>().unwrap_or_default();
        Self { of, count: Kind::try_from(known.len()).unwrap_or(Kind::MAX) }
    }

    /// How many instance types there are.
    pub fn len(&self) -> usize {
        self.of.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// How many kinds there are.
    pub fn count(&self) -> usize {
        usize::from(self.count)
    }

    /// The kind of an instance type, where that is known.
    pub fn of(&self, instance: InstanceId, by: Counts) -> Option<Kind> {
        let (all, cards) = *self.of.get(usize::try_from(instance.0).ok()?)?;
        Some(match by {
            Counts::All => all,
            Counts::Cards => cards,
        })
    }
}

impl Catalog {
    /// The kinds of its instance types, as far as they are those that it was made with.
    pub fn kinds(&self) -> Option<&Kinds> {
        Some(&self.kinds).filter(|kinds| kinds.of.len() == self.instances.len())
    }
}
