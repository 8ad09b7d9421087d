//! A plan with the chance, made cheaper by taking something else for one stage or two.

use super::ask::{Asked, Found};
use super::front::Measure;

/// Most plans of which the chance is asked while stages are made cheaper, of a run of few stages.
const TRIES: usize = 200;
/// The same times the number of stages, of a run of many.
const TRIED_STAGES: usize = 12_000;

/// Most exchanges between two stages of which the chance is asked, of a run of few stages.
const EXCHANGES: usize = 100;

/// Something else for one stage.
#[derive(Debug, Clone, Copy)]
struct Swap {
    stage: usize,
    place: usize,
    /// What it costs more, in billionths.
    dearer: i64,
    /// What it takes longer, in milliseconds.
    longer: i64,
}

impl Asked<'_> {
    /// The same selection with single stages made cheaper, the largest saving first, as long as the chance stays.
    pub(super) fn cheapened(&mut self, mut best: Found, bound: i64, confidence: f64) -> Found {
        let mut tries = (TRIED_STAGES / self.fronts.len().max(1)).min(TRIES);
        loop {
            let mut cheaper: Vec<(i64, usize, usize)> = Vec::new();
            for (at, (front, now)) in self.fronts.iter().zip(&best.places).enumerate() {
                let Some(now) = front.get(*now) else { continue };
                // The cheapest stand first.
                for (place, open) in front.iter().enumerate().take_while(|(_, open)| open.cost < now.cost) {
                    if best.cost - (now.cost - open.cost) >= bound {
                        cheaper.push((open.cost - now.cost, at, place));
                    }
                }
            }
            cheaper.sort_unstable();
            let changes = cheaper.into_iter().map(|(_, at, place)| [(at, place)]);
            match self.first_sure(&best, changes, &mut tries, confidence) {
                Some(found) => best = found,
                None => return best,
            }
        }
    }

    /// The first of some changes, each of the places of one stage or more, with which the chance is still there; none
    /// where no change has it and where the `tries` are used up.
    fn first_sure<const N: usize>(
        &mut self,
        best: &Found,
        changes: impl Iterator<Item = [(usize, usize); N]>,
        tries: &mut usize,
        confidence: f64,
    ) -> Option<Found> {
        for change in changes {
            *tries = tries.checked_sub(1)?;
            let mut places = best.places.clone();
            for (stage, place) in change {
                if let Some(slot) = places.get_mut(stage) {
                    *slot = place;
                }
            }
            let found = self.found_if(places, confidence);
            if found.is_some() {
                return found;
            }
        }
        None
    }

    /// The same selection with one stage made dearer and another one cheaper by more, the largest saving first, where both
    /// together take no longer by a measure.
    pub(super) fn exchanged(&mut self, mut best: Found, bound: i64, confidence: f64, by: Measure) -> Found {
        let mut tries = (TRIED_STAGES / self.fronts.len().max(1)).min(EXCHANGES);
        loop {
            let swaps = self.swaps(&best, by);
            let (dear, cheap): (Vec<Swap>, Vec<Swap>) = swaps.into_iter().partition(|s| s.dearer > 0);
            let mut pairs: Vec<(i64, Swap, Swap)> = Vec::new();
            for d in &dear {
                for c in cheap.iter().filter(|c| c.stage != d.stage && c.longer + d.longer <= 0) {
                    let more = d.dearer + c.dearer;
                    if more < 0 && best.cost + more >= bound {
                        pairs.push((more, *d, *c));
                    }
                }
            }
            pairs.sort_unstable_by_key(|(more, d, c)| (*more, d.stage, d.place, c.stage, c.place));
            let changes = pairs
                .into_iter()
                .map(|(_, dear, cheap)| [(dear.stage, dear.place), (cheap.stage, cheap.place)]);
            match self.first_sure(&best, changes, &mut tries, confidence) {
                Some(found) => best = found,
                None => return best,
            }
        }
    }

    /// What else each stage may take: what is dearer and shorter or cheaper and longer, and not beaten in that by anything.
    fn swaps(&self, best: &Found, by: Measure) -> Vec<Swap> {
        let mut all = Vec::new();
        for (stage, (front, now)) in self.fronts.iter().zip(&best.places).enumerate() {
            let Some(now) = front.get(*now) else { continue };
            let (now_cost, now_time) = (now.cost, now.time(by));
            // The cheapest stand first.
            let mut fastest = i64::MAX;
            for (place, open) in front.iter().enumerate() {
                let time = open.time(by);
                if time < fastest {
                    fastest = time;
                    let (dearer, longer) = (open.cost - now_cost, time - now_time);
                    if dearer != 0 && (dearer > 0) == (longer < 0) {
                        all.push(Swap { stage, place, dearer, longer });
                    }
                }
            }
        }
        all
    }
}
