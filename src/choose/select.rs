//! Which quote each stage takes: the class by evidence where there is some on both sides, else by rule of thumb;
//! within it the lowest expected cost.

use crate::catalog::{Catalog, Offer};
use crate::decide::StageCandidates;
use crate::duration::Evidence;
use crate::job::{Class, Job, Purchase, Stage};
use crate::price::open::commits;
use crate::price::pricer::PURCHASES;
use crate::price::{Quote, StageQuotes, hidden};
use crate::rules::class::class_rules;
use std::cmp::Ordering;

/// What decided the class of a stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClassBy {
    /// Price × duration of both classes.
    Cost,
    /// The rule of thumb of the kind and the layers.
    Thumb,
    /// The rule of thumb says the other class, but nothing of it can do the stage.
    Only,
}

/// What was selected for one stage: positions among its quotes.
#[derive(Debug, Clone)]
pub struct Selection {
    /// The quote that is taken; `None` when nothing can do the stage.
    pub chosen: Option<usize>,
    /// What decided its class.
    pub by: ClassBy,
    /// The class of the rule of thumb, if it names one.
    pub thumb: Option<Class>,
    /// The cheapest of each class: CPU, GPU.
    pub best: [Option<usize>; 2],
    /// The classes that compete.
    pub classes: Vec<Class>,
    /// Whether it depends on who gets owned machines of which more are wanted at the same time than there are.
    pub contested: bool,
}

impl Selection {
    /// Whether what is taken shares months with other stages: then it need not be the cheapest by itself.
    pub fn shares(&self, quotes: &[Quote]) -> bool {
        self.chosen.and_then(|at| quotes.get(at)).is_some_and(|quote| quote.share().is_some())
    }

    /// The preferred one among the quotes of the competing classes that a condition admits.
    pub fn cheapest(
        &self,
        job: &Job,
        catalog: &Catalog,
        quotes: &[Quote],
        admits: impl Fn(&Quote) -> bool,
    ) -> Option<usize> {
        preferred(job, catalog, quotes, |q| self.classes.contains(&q.class) && admits(q))
    }
}

/// The position of the preferred quote among those that a condition admits.
pub fn preferred(
    job: &Job,
    catalog: &Catalog,
    quotes: &[Quote],
    admits: impl Fn(&Quote) -> bool,
) -> Option<usize> {
    let mut best: Option<(usize, &Quote)> = None;
    for (i, quote) in quotes.iter().enumerate() {
        // Few are better than all before them: whether one is admitted is asked of these alone.
        if best.is_none_or(|(_, best)| preference(job, catalog, quote, best).is_lt()) && admits(quote) {
            best = Some((i, quote));
        }
    }
    best.map(|(i, _)| i)
}

/// The order in which quotes are preferred: cost, then time, then the reversible purchase, then the region of the data, then
/// provider, instance, region and zone by name. A total order: equal quotes are the same offer.
#[inline]
pub fn preference(job: &Job, catalog: &Catalog, a: &Quote, b: &Quote) -> Ordering {
    a.cost.cmp(&b.cost).then_with(|| at_one_cost(job, catalog, a, b))
}

/// The order of quotes of the same cost.
fn at_one_cost(job: &Job, catalog: &Catalog, a: &Quote, b: &Quote) -> Ordering {
    let rank = |p: Purchase| PURCHASES.iter().position(|x| *x == p);
    let names = |q: &Quote| {
        let offer = catalog.offers.get(q.offer)?;
        let instance = catalog.instance(offer.instance)?;
        let provider = catalog.provider(instance.provider)?;
        let away = job.data_location.as_ref().is_some_and(|at| !at_home(&provider.name, &offer, at));
        Some((away, &*provider.name, &*instance.name, &*offer.listing.region, offer.listing.zone.as_deref()))
    };
    a.time
        .total_cmp(&b.time)
        .then_with(|| rank(a.purchase).cmp(&rank(b.purchase)))
        .then_with(|| names(a).cmp(&names(b)))
        .then_with(|| a.candidate.cmp(&b.candidate))
}

fn at_home(provider: &str, offer: &Offer, at: &crate::job::Location) -> bool {
    *provider == *at.provider && *offer.region == *at.region
}

/// Selects for a stage.
pub fn select(
    job: &Job,
    stage: &Stage,
    catalog: &Catalog,
    found: &StageCandidates,
    priced: &StageQuotes,
) -> Selection {
    let (_, thumb) = class_rules(stage, &job.thresholds);
    let quotes = &priced.quotes;
    // What is owned says nothing of the classes: it competes whatever they are, so that it never raises the cost.
    let open = |q: &Quote| !commits(stage, q.purchase) && q.purchase != Purchase::Owned;
    let best = [Class::Cpu, Class::Gpu]
        .map(|class| preferred(job, catalog, quotes, |q| q.class == class && open(q)));
    let (by, classes) = if hidden::unpriced(job, stage) {
        by_thumb(thumb.unwrap_or(Class::Cpu), best)
    } else {
        decide_class(thumb, best, found, priced)
    };
    let chosen = preferred(job, catalog, quotes, |q| {
        q.purchase == Purchase::Owned || (classes.contains(&q.class) && open(q))
    });
    Selection { chosen, by, thumb, best, classes, contested: false }
}

/// The classes that compete: both where both have evidence better than a rule of thumb or where no rule names one;
/// else the one of the rule, if anything of it can do the stage.
fn decide_class(
    thumb: Option<Class>,
    best: [Option<usize>; 2],
    found: &StageCandidates,
    priced: &StageQuotes,
) -> (ClassBy, Vec<Class>) {
    let both = vec![Class::Cpu, Class::Gpu];
    let evidence = |i: Option<usize>| {
        let quote = priced.quotes.get(i?)?;
        Some(found.of(quote.candidate)?.duration.evidence)
    };
    let known = |i| evidence(i).is_some_and(|e| e < Evidence::RuleOfThumb);
    match (thumb, best) {
        (None, _) => (ClassBy::Cost, both),
        (_, [cpu @ Some(_), gpu @ Some(_)]) if known(cpu) && known(gpu) => (ClassBy::Cost, both),
        (Some(thumb), _) => by_thumb(thumb, best),
    }
}

/// The class of a rule of thumb, if anything of it can do the stage. It also decides where what a GPU costs is not
/// wholly known, since porting to it takes labour without a price.
fn by_thumb(thumb: Class, best: [Option<usize>; 2]) -> (ClassBy, Vec<Class>) {
    match (thumb, best) {
        (Class::Cpu, [Some(_), _]) => (ClassBy::Thumb, vec![Class::Cpu]),
        (Class::Gpu, [_, Some(_)]) => (ClassBy::Thumb, vec![Class::Gpu]),
        _ => (ClassBy::Only, vec![Class::Cpu, Class::Gpu]),
    }
}
