//! The law of a spot job's billed or completion time: percentiles and the chance of meeting a deadline.
//!
//! With probability p₀ nothing happens and the time is the shortest. Real interruptions come in bursts, so by
//! default the rest is a gamma law whose variance is 2.5 times that of the plain process (a zero-inflated gamma). Where few
//! runs are interrupted at all, that much variance makes most of them lose next to nothing, which no run does: each pays
//! for another launch. So the time told for a share of runs is never below that of the plain process, as a gamma law
//! beyond a launch.
//! With the burst factor off the law of the plain process is known and is inverted exactly, except where the
//! gamma is as good: after very many interruptions, and for the variants.

use super::gamma::Gamma;
use super::outcome::product;
use super::transform::Transform;
use super::{Crew, SpotJob, SpotOutcome};
use crate::units::Hours;

/// How many times the variance of real completion times exceeds the plain process's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Burst(f64);

impl Burst {
    /// The plain process.
    pub const OFF: Self = Self(1.0);
    /// 2.5: on replayed preemption traces the 95th percentile of 1 to 12 h jobs then comes out −7 to +3 % off, of
    /// 48 h jobs 21 % too high; without it 17 to 33 % too low.
    pub const DEFAULT: Self = Self(2.5);

    /// From a factor; `None` unless finite and at least 1.
    pub fn new(factor: f64) -> Option<Self> {
        (factor.is_finite() && factor >= 1.0).then_some(Self(factor))
    }
}

/// The law of a duration that has a shortest value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    shortest: Hours,
    /// The chance of exactly the shortest.
    atom: f64,
    tail: Tail,
    /// The law that it is never below, of those that are interrupted.
    floor: Option<Floor>,
    /// The machines whose last one it is the law of.
    crew: Option<Crew>,
}

/// What an interruption costs at least, and a gamma law of the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Floor {
    least: f64,
    beyond: Gamma,
}

/// The part of a launch that an interrupted run loses at least: it is launched again, but some are interrupted before
/// their first launch is over. Against 40,000 simulated runs each (W = 0.1 to 12 h, R = 5 and 10 min, λ = 0.02 to 0.3 per
/// hour, waits of 0.15 and 1 h with a variation of 2) the 90th percentile is then −6 to +4 % off and the 95th 0 to +3 % (+13 %
/// where a run takes 11 min); without it and with the burst factor alone the 95th was down to half of the simulated one.
const OF_A_LAUNCH: f64 = 0.9;

#[derive(Debug, Clone, Copy, PartialEq)]
enum Tail {
    /// What is not the shortest never ends.
    Never,
    /// Always this much more.
    Fixed(f64),
    Gamma(Gamma),
    /// The exact law, with a gamma to start its search.
    Exact(Transform, Gamma),
}

/// The law of the time from asking for the first instance to the end of the work.
pub fn completion_spread(job: &SpotJob, outcome: &SpotOutcome, burst: Burst) -> Spread {
    let wait = product(job.wait.mean.get(), outcome.interruptions);
    let excess = job.first_wait.mean.get() + outcome.overrun.get() + wait;
    let atom = outcome.p_uninterrupted * job.first_wait.at_once.clamp(0.0, 1.0);
    let one =
        spread(job, outcome, Excess { atom, mean: excess, variance: outcome.completion_variance }, burst);
    Spread { crew: outcome.crew, ..one }
}

/// The law of the billed time, which holds no waits.
pub fn billed_spread(job: &SpotJob, outcome: &SpotOutcome, burst: Burst) -> Spread {
    let unwaited = SpotJob { wait: super::Wait::NONE, first_wait: super::FirstWait::NONE, ..*job };
    let (atom, mean) = (outcome.p_uninterrupted, outcome.overrun.get());
    spread(&unwaited, outcome, Excess { atom, mean, variance: outcome.billed_variance }, burst)
}

/// Abscissae and weights of Gauss and Legendre for eight points on 0 to 1.
const NODES: [(f64, f64); 8] = [
    (0.019_855_071_751_231_9, 0.050_614_268_145_188_1),
    (0.101_666_761_293_186_6, 0.111_190_517_226_687_2),
    (0.237_233_795_041_835_5, 0.156_853_322_938_943_6),
    (0.408_282_678_752_175_1, 0.181_341_891_689_181),
    (0.591_717_321_247_825, 0.181_341_891_689_181),
    (0.762_766_204_958_164_5, 0.156_853_322_938_943_6),
    (0.898_333_238_706_813_4, 0.111_190_517_226_687_2),
    (0.980_144_928_248_768_1, 0.050_614_268_145_188_1),
];

/// Above this shape (a tail narrower than a thirtieth of its mean, after a thousand interruptions or so) the inversion
/// needs more terms than it has, and the gamma is within 0.002 of the exact law: both are nearly normal.
const NARROW: f64 = 1000.0;
/// Above this exposure of one stretch the tail is exponential to many digits.
const LONG: f64 = 30.0;
/// Expected hours beyond the shortest within which no intermediate result overflows.
const USUAL: std::ops::Range<f64> = 1e-12..1e15;

/// What is known of the time beyond the shortest: the chance of none, mean and variance.
#[derive(Clone, Copy)]
struct Excess {
    atom: f64,
    mean: f64,
    variance: f64,
}

fn spread(job: &SpotJob, outcome: &SpotOutcome, excess: Excess, burst: Burst) -> Spread {
    let exact = burst == Burst::OFF
        && outcome.plain
        && USUAL.contains(&excess.mean)
        && excess.variance.is_finite()
        && (job.wait.mean + job.wait.deviation).is_finite()
        && job.hazard.over(job.longest_stretch()) < LONG;
    let tail = match gamma_tail(excess, burst) {
        Tail::Gamma(gamma) if exact && gamma.shape() < NARROW => Tail::Exact(Transform::new(job), gamma),
        other => other,
    };
    let floor = if burst == Burst::OFF { None } else { floor(job, excess) };
    Spread { shortest: outcome.shortest, atom: excess.atom, tail, floor, crew: None }
}

/// The plain process as a gamma law beyond a launch, with its mean and variance.
fn floor(job: &SpotJob, excess: Excess) -> Option<Floor> {
    let Excess { atom, mean, variance } = excess;
    let rest = 1.0 - atom;
    let given = mean / rest;
    let left = (variance + mean * mean) / rest - given * given;
    let least = OF_A_LAUNCH * job.restart.get().min(given);
    let shape = (given - least) * (given - least) / left;
    let plain = rest > 0.0 && mean > 0.0 && mean.is_finite() && left.is_finite();
    (plain && shape > 0.0 && shape < 1e9)
        .then(|| Floor { least, beyond: Gamma::new(shape, (given - least) / shape) })
}

/// A gamma law with the mean and variance that are left once the atom is taken out.
fn gamma_tail(excess: Excess, burst: Burst) -> Tail {
    let Excess { atom, mean, variance } = excess;
    let rest = 1.0 - atom;
    if !mean.is_finite() {
        return Tail::Never;
    }
    if rest <= 0.0 || mean <= 0.0 {
        return Tail::Fixed(0.0);
    }
    let given = mean / rest;
    let second = (burst.0 * variance + mean * mean) / rest;
    let left = second - given * given;
    // Where the variance overflows, hopeless repetition makes the tail exponential.
    let shape = if left.is_finite() { given * given / left } else { 1.0 };
    if shape > 0.0 && shape < 1e9 {
        Tail::Gamma(Gamma::new(shape, given / shape))
    } else {
        Tail::Fixed(given)
    }
}

impl Spread {
    /// The time that is not exceeded with probability `q`: 0.5, 0.9, 0.95. Never, for 1 and above where nothing
    /// bounds the time.
    pub fn percentile(&self, q: f64) -> Hours {
        let one = self.percentile_of_one(q);
        match self.crew {
            Some(crew) if q < 1.0 => one.max(self.shortest + Hours::new(crew.beyond(q))),
            _ => one,
        }
    }

    fn percentile_of_one(&self, q: f64) -> Hours {
        if q <= self.atom {
            return self.shortest;
        }
        let within = (q - self.atom) / (1.0 - self.atom);
        let time = match &self.tail {
            Tail::Never => Hours::NEVER,
            Tail::Fixed(more) => self.shortest + Hours::new(*more),
            Tail::Gamma(_) | Tail::Exact(..) if within.is_nan() || within >= 1.0 => Hours::NEVER,
            Tail::Gamma(gamma) => self.shortest + Hours::new(gamma.quantile(within)),
            Tail::Exact(law, gamma) => self.shortest + Hours::new(search(law, gamma, self.atom, q)),
        };
        match self.floor {
            Some(floor) if time.is_finite() => {
                time.max(self.shortest + Hours::new(floor.least + floor.beyond.quantile(within)))
            }
            _ => time,
        }
    }

    /// P(time ≤ deadline).
    pub fn within(&self, deadline: Hours) -> f64 {
        // The last digit of a sum must not cost the deadline that is exactly met.
        let slack = deadline.get() - self.shortest.get();
        if slack < -1e-12 * self.shortest.get() || self.shortest == Hours::NEVER {
            return 0.0;
        }
        let rest = 1.0 - self.atom;
        let within = match &self.tail {
            Tail::Fixed(more) if slack >= *more => 1.0,
            Tail::Never | Tail::Fixed(_) => self.atom,
            Tail::Gamma(_) | Tail::Exact(..) if slack == f64::INFINITY => 1.0,
            Tail::Gamma(gamma) => self.atom + rest * gamma.below(slack),
            Tail::Exact(law, gamma) => exactly(law, gamma, self.atom, slack.max(0.0)),
        };
        let within = match self.floor {
            Some(floor) if slack.is_finite() => {
                within.min(self.atom + rest * floor.beyond.below(slack - floor.least))
            }
            _ => within,
        };
        self.crew.map_or(within, |crew| within.min(crew.within(slack.max(0.0))))
    }

    /// The shortest time.
    pub const fn shortest(&self) -> Hours {
        self.shortest
    }

    /// Which part of the time beyond the shortest is expected to lie after `end`: E[(T − end)⁺/(T − shortest)], by the law
    /// that has the mean.
    ///
    /// For the exact law the integral of P(T > t) over that part, by Gauss and Legendre.
    pub fn share_after(&self, end: Hours) -> f64 {
        let slack = end.get() - self.shortest.get();
        let rest = 1.0 - self.atom;
        let share = match &self.tail {
            _ if slack.is_nan() || slack <= 0.0 => rest,
            Tail::Never => rest,
            Tail::Fixed(more) => rest * (1.0 - slack / more).max(0.0),
            Tail::Gamma(gamma) => rest * gamma.share_above(slack),
            Tail::Exact(..) => {
                let above = |share: f64| 1.0 - self.within(self.shortest + Hours::new(slack / (1.0 - share)));
                NODES.iter().map(|(share, weight)| weight * above(*share)).sum()
            }
        };
        share.clamp(0.0, 1.0)
    }
}

/// P(X ≤ x) from the transform; beyond ten thousand times the mean, where the inversion has no digits left, from
/// the gamma, and so near to nothing that it would overflow, the atom alone.
fn exactly(law: &Transform, gamma: &Gamma, atom: f64, x: f64) -> f64 {
    let reach = x / gamma.mean();
    if reach < 1e-100 {
        atom
    } else if reach < 1e4 {
        law.below(x)
    } else {
        atom + (1.0 - atom) * gamma.below(x)
    }
}

/// The x with P(X ≤ x) = q: widening to a bracket, then regula falsi, where an end that stays put twice loses half
/// its weight (the Illinois rule).
fn search(law: &Transform, gamma: &Gamma, atom: f64, q: f64) -> f64 {
    let start = gamma.quantile((q - atom) / (1.0 - atom));
    let at = |x: f64| (x, exactly(law, gamma, atom, x) - q);
    let mut low = at(start.max(f64::MIN_POSITIVE));
    let mut high = low;
    for _ in 0..200 {
        if high.1 < 0.0 {
            low = high;
            high = at(high.0 * 1.25);
        } else if low.1 > 0.0 {
            high = low;
            low = at(low.0 * 0.8);
        } else {
            break;
        }
    }
    let mut stayed = 0;
    for _ in 0..60 {
        if high.0 - low.0 <= 1e-7 * high.0 {
            break;
        }
        let here = at((low.0 * high.1 - high.0 * low.1) / (high.1 - low.1));
        if here.1.abs() < 1e-9 {
            return here.0;
        }
        if here.1 < 0.0 {
            low = here;
            stayed = stayed.max(0) + 1;
            high.1 /= if stayed > 1 { 2.0 } else { 1.0 };
        } else {
            high = here;
            stayed = stayed.min(0) - 1;
            low.1 /= if stayed < -1 { 2.0 } else { 1.0 };
        }
    }
    f64::midpoint(low.0, high.0)
}
