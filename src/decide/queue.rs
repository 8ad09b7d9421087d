//! How long requests wait for a free place: many places, one queue, arrivals at random.
//!
//! The queue is M/G/c. Requests arrive as a Poisson process of rate λ (many users who do not know of one another); each
//! occupies one of *c* places for a time of mean *s* and standard deviation *v·s*; all places are fed from one queue, as
//! by a balancer that sends each request to a free place. A balancer that does not look (at random, in turn) makes them
//! wait longer.
//!
//! * Chance to wait: Erlang's C at the load a = λs, from his B by the recurrence 1/B(n) = 1 + (n/a)/B(n−1), which has
//!   no factorials and cannot overflow (A. K. Erlang, "Solution of some problems in the theory of probabilities of
//!   significance in automatic telephone exchanges", 1917; L. Kleinrock, "Queueing Systems", volume 1, 1975, 3.5).
//! * Mean wait of those that wait: (1 + v²)/2 · s/(c − a), the two-moment approximation of Allen and Cunneen (A. O. Allen,
//!   "Probability, Statistics, and Queueing Theory", 1990, 5.3), exact for exponential times (v = 1) on any number of
//!   places and for any times on one place (Pollaczek and Khinchin). Their wait is taken as exponential: exact for
//!   v = 1, otherwise the leading term of the tail in heavy traffic (W. Whitt, "Approximations for the GI/G/m queue",
//!   Production and Operations Management 2, 1993).
//! * Time of one request: up to v = 1 a fixed part s(1 − v) and an exponential one of mean sv; above it two exponential
//!   ones with balanced means (H2). Both have the stated mean and deviation.

/// A queue at some load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Queue {
    /// Requests that arrive per second.
    pub rate: f64,
    /// Places that work on one request each.
    pub places: f64,
    /// Seconds for which a request occupies a place, on average.
    pub holds: f64,
    /// Standard deviation of that time over its mean.
    pub variation: f64,
    /// Seconds of the answer beside the place and the wait, always the same.
    pub beside: f64,
}

impl Queue {
    /// Requests at work at once on average, in places (erlang): λs.
    pub fn load(&self) -> f64 {
        self.rate * self.holds
    }

    /// Whether the places keep up; otherwise the queue grows without end.
    pub fn is_stable(&self) -> bool {
        self.load() < self.places
    }

    /// The chance that a request finds every place taken (Erlang's C); 1 for a queue that cannot keep up.
    pub fn waiting_chance(&self) -> f64 {
        if !self.is_stable() {
            return 1.0;
        }
        let mut erlang = Erlang::new(self.load());
        erlang.advance(self.places);
        erlang.waiting()
    }

    /// Mean wait of all requests in seconds; infinite for a queue that cannot keep up.
    pub fn mean_wait(&self) -> f64 {
        if self.is_stable() { self.waiting_chance() / self.drain() } else { f64::INFINITY }
    }

    /// Rate at which the wait of those that wait ends: 2(c − a) ÷ ((1 + v²)s).
    fn drain(&self) -> f64 {
        2.0 * (self.places - self.load()) / ((1.0 + self.variation * self.variation) * self.holds)
    }

    /// The chance that an answer takes longer than so many seconds.
    pub fn tail(&self, seconds: f64) -> f64 {
        if self.is_stable() { self.tail_at(self.waiting_chance(), seconds) } else { 1.0 }
    }

    fn tail_at(&self, waiting: f64, seconds: f64) -> f64 {
        let drain = self.drain();
        let parts = self.parts();
        parts.iter().map(|part| part.share * part.tail(waiting, drain, seconds - self.beside)).sum()
    }

    /// The chance that an answer takes longer than so many seconds although it never waits.
    pub fn bare_tail(&self, seconds: f64) -> f64 {
        self.parts().iter().map(|part| part.share * part.tail(0.0, 1.0, seconds - self.beside)).sum()
    }

    /// Seconds within which a share of the answers is there; infinite for a queue that cannot keep up.
    pub fn percentile(&self, share: f64) -> f64 {
        if !self.is_stable() {
            return f64::INFINITY;
        }
        let waiting = self.waiting_chance();
        self.quantile(share, |seconds| self.tail_at(waiting, seconds))
    }

    /// The same where nothing ever waits: what no number of places can better.
    pub fn bare_percentile(&self, share: f64) -> f64 {
        self.quantile(share, |seconds| self.bare_tail(seconds))
    }

    /// Where a falling tail reaches `1 − share`.
    fn quantile(&self, share: f64, tail: impl Fn(f64) -> f64) -> f64 {
        let within = |seconds: f64| tail(seconds) <= 1.0 - share + SLACK;
        let mut low = self.beside;
        let mut high = self.beside + self.holds;
        while !within(high) && high.is_finite() {
            low = high;
            high *= 2.0;
        }
        for _ in 0..100 {
            let middle = f64::midpoint(low, high);
            if within(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        high
    }

    /// The time of one request as parts of which one is drawn.
    fn parts(&self) -> [Part; 2] {
        let (mean, v) = (self.holds, self.variation);
        let none = Part { share: 0.0, fixed: 0.0, mean: 0.0 };
        if v <= 1.0 {
            return [Part { share: 1.0, fixed: mean * (1.0 - v), mean: mean * v }, none];
        }
        let square = v * v;
        let share = 0.5 * (1.0 + ((square - 1.0) / (square + 1.0)).sqrt());
        let part = |share: f64| Part { share, fixed: 0.0, mean: mean / (2.0 * share) };
        [part(share), part(1.0 - share)]
    }
}

/// What is lost to rounding where a tail is compared with its bound.
const SLACK: f64 = 1e-9;

/// The least multiple of `step` places, from `least` multiples on, with which `share` of the answers take at most
/// `seconds`. `None` where no number of them does: even without a wait too many answers take longer.
pub fn least_places(queue: Queue, step: f64, least: u32, share: f64, seconds: f64) -> Option<u32> {
    let bound = 1.0 - share + SLACK;
    if queue.bare_tail(seconds) > bound {
        return None;
    }
    let mut erlang = Erlang::new(queue.load());
    let mut count = least.max(1);
    loop {
        let tried = Queue { places: step * f64::from(count), ..queue };
        if tried.is_stable() {
            erlang.advance(tried.places);
            if tried.tail_at(erlang.waiting(), seconds) <= bound {
                return Some(count);
            }
        }
        count = count.checked_add(1)?;
    }
}

/// A part of the time of a request: something fixed and something exponential.
#[derive(Debug, Clone, Copy)]
struct Part {
    share: f64,
    fixed: f64,
    mean: f64,
}

impl Part {
    /// The chance that this part and the wait together exceed `x` seconds. The sum of two exponential times of rates m
    /// and m + d exceeds x with e^(−mx)·(1 + m(1 − e^(−dx))/d).
    fn tail(&self, waiting: f64, drain: f64, seconds: f64) -> f64 {
        let x = seconds - self.fixed;
        // A bound that was computed from the same figures is not missed by its last binary digit.
        if x < -1e-12 * self.fixed {
            return 1.0;
        }
        let x = x.max(0.0);
        if self.mean <= 0.0 {
            return waiting * (-drain * x).exp();
        }
        let own = 1.0 / self.mean;
        let (slow, gap) = (own.min(drain), (own - drain).abs());
        let grown = if gap * x < 1e-300 { x } else { -(-gap * x).exp_m1() / gap };
        let both = (-slow * x).exp() * (1.0 + slow * grown);
        (1.0 - waiting) * (-own * x).exp() + waiting * both
    }
}

/// The load from which only the spare places in units of √a count: C tends to a function of (c − a)/√a (S. Halfin and
/// W. Whitt, "Heavy-traffic limits for queues with many exponential servers", Operations Research 29, 1981), here to
/// within a thousandth. A larger load is reckoned as this one, with as many spare places in its own units.
const LARGE: f64 = 1e6;

/// Erlang's formulas at one load, for more and more places.
#[derive(Debug, Clone, Copy)]
struct Erlang {
    /// The load as it is.
    stated: f64,
    /// The load that is reckoned with, and its places.
    load: f64,
    places: f64,
    /// 1 ÷ B: grows with the places, to infinity where nothing is ever blocked.
    inverse: f64,
}

impl Erlang {
    /// Begins well below the load, where B is near 1 − n/a: the error of the start is multiplied by n/a at each step
    /// and has shrunk by e^(−32) when the load is reached, so that a load of millions takes thousands of steps.
    fn new(stated: f64) -> Self {
        let load = stated.min(LARGE);
        let start = (load - 8.0 * load.sqrt()).floor().max(0.0);
        let inverse = if start > 0.0 { load / (load - start) } else { 1.0 };
        Self { stated, load, places: start, inverse }
    }

    fn advance(&mut self, places: f64) {
        let spare = (places - self.stated) / self.stated.sqrt();
        let places = if self.stated > LARGE { (LARGE + spare * LARGE.sqrt()).floor() } else { places };
        while self.places < places && self.inverse.is_finite() {
            self.places += 1.0;
            self.inverse = 1.0 + self.places / self.load * self.inverse;
        }
        self.places = self.places.max(places);
    }

    /// Erlang's C, of a load below the places: 1 ÷ (ρ + (1 − ρ)/B).
    fn waiting(&self) -> f64 {
        let busy = (self.load / self.places).min(1.0);
        1.0 / (busy + (1.0 - busy) * self.inverse)
    }
}
