//! Work on stages, which do not wait for one another, on two threads.

use std::sync::atomic::{AtomicUsize, Ordering};

/// What some work makes of each item, in their order. Two or more are done side by side, each thread taking the next item
/// when it is done with one: two cores are common, and further threads would mostly wait.
pub fn each<S: Sync, T: Send>(items: &[S], work: impl Fn(&S) -> T + Sync) -> Vec<T> {
    each_after(items, || (), work)
}

/// The same, while this thread does something else `first`; the other one begins with the items at once.
pub fn each_after<S: Sync, T: Send>(
    items: &[S],
    first: impl FnOnce(),
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
    let mut all = std::thread::scope(|scope| {
        let other = scope.spawn(share);
        first();
        let mut all: Vec<(usize, T)> = share();
        match other.join() {
            Ok(rest) => all.extend(rest),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        all
    });
    all.sort_unstable_by_key(|(at, _)| *at);
    all.into_iter().map(|(_, made)| made).collect()
}

#[cfg(test)]
mod tests {
    use super::{each, each_after};
    use std::sync::OnceLock;

    #[test]
    fn results_stand_in_their_order() {
        for count in 0..7 {
            let items: Vec<u32> = (0..count).collect();
            let squares: Vec<u32> = items.iter().map(|n| n * n).collect();
            assert_eq!(each(&items, |n| n * n), squares);
            let two = OnceLock::new();
            let made = each_after(&items, || two.set(2).unwrap(), |n| n * *two.wait());
            assert_eq!(made, items.iter().map(|n| n * 2).collect::<Vec<u32>>());
        }
    }
}
