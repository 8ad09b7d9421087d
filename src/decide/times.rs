//! The times of a stage on the machines of a catalog, each kind of machine worked out once.

use super::{CandidateId, Seat};
use crate::catalog::{Catalog, Kinds, ProviderId};
use crate::duration::{Duration, Machine, NoDuration, StageClock};

/// What is known of the times of one stage.
pub(super) struct Times<'a> {
    clock: &'a StageClock,
    kinds: Option<&'a Kinds>,
    known: Vec<Known>,
    /// By number of instances and by kind, the position in `known`, and one more; 0 for what is not known.
    numbers: Vec<(u32, Vec<u32>)>,
}

/// What is known of a number of machines of one kind.
struct Known {
    duration: Result<Duration, NoDuration>,
    /// The seller whose machines were met last, and its first candidate.
    first: Option<(ProviderId, CandidateId)>,
}

impl<'a> Times<'a> {
    /// Every machine on its own: for few of them.
    pub(super) const fn one_by_one(clock: &'a StageClock) -> Self {
        Self { clock, kinds: None, known: Vec::new(), numbers: Vec::new() }
    }

    /// Every kind of a catalog once.
    pub(super) fn by_kind(clock: &'a StageClock, catalog: &'a Catalog) -> Self {
        let kinds = catalog.kinds();
        let known = Vec::with_capacity(kinds.map_or(0, Kinds::count));
        Self { clock, kinds, known, numbers: Vec::new() }
    }

    /// How many machines may be asked for.
    pub(super) fn most(&self) -> usize {
        self.kinds.map_or(0, Kinds::len)
    }

    /// What tells the times.
    pub(super) const fn clock(&self) -> &'a StageClock {
        self.clock
    }

    /// The time of the whole stage on `count` machines, and the first candidate that is as many machines of
    /// the same kind and seller: `own`, where this is it. Instance types come seller by seller.
    pub(super) fn on(
        &mut self,
        seat: &Seat<'_>,
        count: u32,
        own: CandidateId,
    ) -> Result<(Duration, CandidateId), NoDuration> {
        let new = |clock: &StageClock| clock.time_on(Machine { instance: seat.instance, instances: count });
        let Some(kind) = self.kind(seat) else { return Ok((new(self.clock)?, own)) };
        let Some(known) = self.known_of(kind, count, new) else { return Ok((new(self.clock)?, own)) };
        let seller = seat.instance.provider;
        let twin = match known.first {
            Some((last, first)) if last == seller => first,
            _ => known.first.insert((seller, own)).1,
        };
        Ok((known.duration?, twin))
    }

    /// What is known of so many machines of a kind; it is found out where that is nothing.
    fn known_of(
        &mut self,
        kind: usize,
        count: u32,
        new: impl FnOnce(&StageClock) -> Result<Duration, NoDuration>,
    ) -> Option<&mut Known> {
        let kinds = self.kinds.map_or(0, Kinds::count);
        let at = self.numbers.iter().position(|(known, _)| *known == count).unwrap_or_else(|| {
            self.numbers.push((count, vec![0; kinds]));
            self.numbers.len() - 1
        });
        let number = self.numbers.get_mut(at)?.1.get_mut(kind)?;
        if *number == 0 {
            *number = u32::try_from(self.known.len() + 1).ok()?;
            self.known.push(Known { duration: new(self.clock), first: None });
        }
        self.known.get_mut(usize::try_from(*number).ok()?.checked_sub(1)?)
    }

    /// The kind of a machine; none where its time is its own.
    fn kind(&self, seat: &Seat<'_>) -> Option<usize> {
        let kinds = self.kinds.filter(|_| !self.clock.singles_out(seat.instance))?;
        kinds.of(seat.id, self.clock.counts()).map(usize::from)
    }
}
