//! Work on stages, which do not wait for one another, on two threads.

use std::error::Error;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use system::Cores;

/// What some work makes of each item, in their order. Two or more are done side by side, each thread taking the next item
/// when it is done with one: two cores are common, and further threads would mostly wait.
pub fn each<S: Sync, T: Send>(items: &[S], work: impl Fn(&S) -> T + Sync) -> Vec<T> {
    each_after(items, || (), work)
}

/// The same in two steps, of which the second needs what the `first` one made of the item: steps are shorter than whole
/// works, so that both threads end at about the same time. So do they where those that are `long` come first. This thread
/// does something else `before` it joins in.
pub fn each_in_two<S: Sync, M: Send + Sync, T: Send>(
    items: &[S],
    long: impl Fn(&S) -> bool,
    before: impl FnOnce() + Send,
    first: impl Fn(&S) -> M + Sync,
    second: impl Fn(&S, &M) -> T + Sync,
) -> Vec<T> {
    let mut order: Vec<(usize, &S)> = items.iter().enumerate().collect();
    order.sort_by_key(|(_, item)| !long(item));
    let made: Vec<OnceLock<M>> = items.iter().map(|_| OnceLock::new()).collect();
    let both = || order.iter().zip(&made);
    let steps: Vec<_> = both().map(|step| (step, false)).chain(both().map(|step| (step, true))).collect();
    let done = each_after(&steps, before, |(((at, item), made), last)| {
        let made = made.get_or_init(|| first(item));
        last.then(|| (*at, second(item, made)))
    });
    let mut done: Vec<(usize, T)> = done.into_iter().flatten().collect();
    done.sort_unstable_by_key(|(at, _)| *at);
    done.into_iter().map(|(_, made)| made).collect()
}

/// The same in one step.
fn each_after<S: Sync, T: Send>(
    items: &[S],
    first: impl FnOnce() + Send,
    work: impl Fn(&S) -> T + Sync,
) -> Vec<T> {
    if items.len() < 2 {
        first();
        return items.iter().map(work).collect();
    }
    let next = AtomicUsize::new(0);
    let share = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(at) else { return done };
            done.push((at, work(item)));
        }
    };
    let own = || {
        first();
        share()
    };
    let (mut all, mut rest) = both(own, share);
    all.append(&mut rest);
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, made)| made).collect()
}

/// Two works side by side, where there is more than one core; this thread does the first one.
pub fn both<A: Send, B: Send>(first: impl FnOnce() -> A + Send, second: impl FnOnce() -> B + Send) -> (A, B) {
    let cores = Cores::now();
    if !cores.several() || !in_company() {
        return (first(), second());
    }
    let second = |context: rayon::FnContext| {
        if context.migrated() {
            cores.part();
        }
        second()
    };
    rayon::join_context(|_| first(), second)
}

/// Whether there are other threads to share work with. Where no second one was started, as many start as there are cores;
/// where they cannot, every thread works alone.
fn in_company() -> bool {
    static STARTED: OnceLock<bool> = OnceLock::new();
    let start = || match rayon::ThreadPoolBuilder::new().build_global() {
        Ok(()) => true,
        // Without a source it says that they run already.
        Err(error) => error.source().is_none(),
    };
    rayon::current_thread_index().is_some() || *STARTED.get_or_init(start)
}

/// The second thread, as long as it is kept.
#[must_use]
pub struct Second {
    /// Of this thread and the second one; none where there is no second one.
    _pair: Option<rayon::ThreadPool>,
}

impl Second {
    /// Starts it, where there is more than one core: whoever will need it before long does not wait for it then.
    pub fn start() -> Self {
        let cores = Cores::now();
        if !cores.several() {
            return Self { _pair: None };
        }
        let pair = rayon::ThreadPoolBuilder::new().num_threads(2).use_current_thread();
        let pair = pair.start_handler(move |_| cores.leave()).build();
        // The new thread may stand behind this one: it goes first, and away.
        std::thread::yield_now();
        Self { _pair: pair.ok() }
    }

    /// Lets it end, beside whatever this thread goes on with: a process that ends waits for all its threads.
    pub fn end(self) {
        drop(self);
    }
}

/// Where threads run.
///
/// Some systems start a thread on the core of its maker and leave it there for several milliseconds, longer than a plan
/// takes, while the other core idles: virtual machines that keep their work on few cores do so nine times out of ten. So
/// the second thread leaves that core when it starts, and whenever it finds itself there with work to do.
#[cfg(target_os = "linux")]
mod system {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_getcpu, sched_setaffinity};

    /// The cores that this process may use, and the one that it uses now.
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Cores {
        allowed: Option<CpuSet>,
        here: usize,
    }

    impl Cores {
        /// What the system says.
        pub(super) fn now() -> Self {
            Self { allowed: sched_getaffinity(None).ok(), here: sched_getcpu() }
        }

        /// Whether two threads can work at once. Where the system does not say, they may.
        pub(super) fn several(&self) -> bool {
            self.allowed.is_none_or(|cores| cores.count() > 1)
        }

        /// Moves the calling thread to another core if it stands on the one that was in use.
        pub(super) fn part(&self) {
            if sched_getcpu() == self.here {
                self.leave();
            }
        }

        /// Moves the calling thread to another core than the one that was in use.
        pub(super) fn leave(&self) {
            let Some(allowed) = self.allowed else { return };
            let mut others = allowed;
            if self.here < CpuSet::MAX_CPU {
                others.unset(self.here);
            }
            // Where that is refused, the thread works where it is; and once it is there it need not stay.
            let _ = sched_setaffinity(None, &others);
            let _ = sched_setaffinity(None, &allowed);
        }
    }
}

/// Elsewhere the system is left to place them.
#[cfg(not(target_os = "linux"))]
mod system {
    #[derive(Debug, Clone, Copy)]
    pub(super) struct Cores;

    impl Cores {
        pub(super) const fn now() -> Self {
            Self
        }

        pub(super) const fn several(&self) -> bool {
            true
        }

        pub(super) const fn part(&self) {}

        pub(super) const fn leave(&self) {}
    }
}

#[cfg(test)]
mod tests {
    use super::{Second, both, each, each_in_two};
    use std::sync::OnceLock;

    #[test]
    fn the_second_thread_comes_and_goes() {
        let sums = || {
            let hundreds: Vec<u64> = (0..20).map(|n| n * 100).collect();
            let (all, halves) = both(
                || each(&hundreds, |n| (0..*n).sum::<u64>()),
                || each(&hundreds, |n| (0..n / 2).sum::<u64>()),
            );
            (all.iter().sum::<u64>(), halves.iter().sum::<u64>())
        };
        // Each is n × (n − 1) ÷ 2, of n = 0, 100 … 1,900 and of half of that.
        let expected = (12_340_500, 3_082_750);
        assert_eq!(sums(), expected);
        let second = Second::start();
        assert_eq!(sums(), expected);
        second.end();
        assert_eq!(sums(), expected);
        let again = Second::start();
        assert_eq!(sums(), expected);
        again.end();
    }

    #[test]
    #[should_panic(expected = "the second one")]
    fn a_panic_of_either_is_one_of_both() {
        both(|| (), || panic!("the second one"));
    }

    #[test]
    fn results_stand_in_their_order() {
        for count in 0..7 {
            let items: Vec<u32> = (0..count).collect();
            let squares: Vec<u32> = items.iter().map(|n| n * n).collect();
            assert_eq!(each(&items, |n| n * n), squares);
            let made = |long: fn(&u32) -> bool| {
                let two = OnceLock::new();
                each_in_two(&items, long, || two.set(2).unwrap(), |n| n + 1, |n, more| n * more * *two.wait())
            };
            let expected: Vec<u32> = items.iter().map(|n| n * (n + 1) * 2).collect();
            assert_eq!(made(|_| false), expected);
            assert_eq!(made(|n| n % 2 == 1), expected);
        }
    }
}
