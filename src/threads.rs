//! Work on stages, which do not wait for one another, on two threads.

/// What some work makes of each item, in their order. Two or more are done in halves side by side: two cores are common,
/// and further threads would mostly wait.
pub fn each<S: Sync, T: Send>(items: &[S], work: impl Fn(&S) -> T + Sync) -> Vec<T> {
    let (now, beside) = items.split_at(items.len().div_ceil(2));
    if beside.is_empty() {
        return now.iter().map(work).collect();
    }
    std::thread::scope(|scope| {
        let other = scope.spawn(|| beside.iter().map(&work).collect::<Vec<T>>());
        let mut all: Vec<T> = now.iter().map(&work).collect();
        match other.join() {
            Ok(rest) => all.extend(rest),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        all
    })
}

#[cfg(test)]
mod tests {
    use super::each;

    #[test]
    fn results_stand_in_their_order() {
        for count in 0..7 {
            let items: Vec<u32> = (0..count).collect();
            let squares: Vec<u32> = items.iter().map(|n| n * n).collect();
            assert_eq!(each(&items, |n| n * n), squares);
        }
    }
}
