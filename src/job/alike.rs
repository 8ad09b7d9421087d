//! Stages that ask for the same thing: what can do one of them, and what that costs, holds for all.

use super::Stage;
use crate::diag::Place;
use crate::threads;

/// The stages of a job by what they ask for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alike {
    /// Positions of the first stage of each kind of demand, in their order.
    first: Vec<usize>,
    /// For each stage the position in `first` of the one that asks for the same.
    of: Vec<usize>,
}

impl Alike {
    /// Compares all stages in everything but their names, their places in the file and the stages that they wait for.
    pub fn new(stages: &[Stage]) -> Self {
        let mut alike = Self { first: Vec::new(), of: Vec::with_capacity(stages.len()) };
        let mut demands: Vec<Stage> = Vec::new();
        for (at, stage) in stages.iter().enumerate() {
            let demand = demand(stage);
            let known = demands.iter().position(|other| *other == demand);
            alike.of.push(known.unwrap_or(demands.len()));
            if known.is_none() {
                demands.push(demand);
                alike.first.push(at);
            }
        }
        alike
    }

    /// What some work makes of an item of each stage, done once for those that are alike. The items of such stages must
    /// be alike too.
    pub fn each<S: Sync, T: Send + Clone>(&self, items: &[S], work: impl Fn(&S) -> T + Sync) -> Vec<T> {
        self.dealt(&threads::each(&self.different(items), |item| work(item)))
    }

    /// The same in two steps, of which the second needs what the first made of the item, those that are `long` first, while
    /// this thread does something else `before` it joins in.
    pub fn each_in_two<S: Sync, M: Send + Sync, T: Send + Clone>(
        &self,
        items: &[S],
        long: impl Fn(&S) -> bool,
        before: impl FnOnce() + Send,
        first: impl Fn(&S) -> M + Sync,
        second: impl Fn(&S, &M) -> T + Sync,
    ) -> Vec<T> {
        self.dealt(&threads::each_in_two(
            &self.different(items),
            |item| long(item),
            before,
            |item| first(item),
            |item, made| second(item, made),
        ))
    }

    /// The same on this thread alone, for work that a second one is not worth.
    pub fn each_here<S, T: Clone>(&self, items: &[S], work: impl Fn(&S) -> T) -> Vec<T> {
        let made: Vec<T> = self.different(items).into_iter().map(work).collect();
        self.dealt(&made)
    }

    /// The item of the first stage of each kind of demand.
    fn different<'a, S>(&self, items: &'a [S]) -> Vec<&'a S> {
        self.first.iter().filter_map(|at| items.get(*at)).collect()
    }

    /// What was made of the first of each kind of demand, for every stage.
    fn dealt<T: Clone>(&self, made: &[T]) -> Vec<T> {
        self.of.iter().filter_map(|of| made.get(*of).cloned()).collect()
    }
}

/// A stage without what no machine, time or price depends on.
fn demand(stage: &Stage) -> Stage {
    let nowhere = Place { file: "".into(), line: 0, column: 0 };
    let mut demand =
        Stage { name: String::new(), after: Vec::new(), place: nowhere.clone(), ..stage.clone() };
    for measured in &mut demand.measured {
        measured.place = nowhere.clone();
    }
    demand
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::StageKind;

    #[test]
    fn names_and_places_do_not_part_what_is_alike() {
        let place = |line| Place { file: "x".into(), line, column: 1 };
        let stage = |name: &str, line: u32, epochs: f64| Stage {
            name: name.to_owned(),
            after: (line > 1).then_some(0).into_iter().collect(),
            epochs,
            ..Stage::bare(StageKind::Train, place(line))
        };
        let stages = [stage("a", 1, 1.0), stage("b", 2, 2.0), stage("c", 3, 1.0), stage("d", 4, 2.0)];
        let alike = Alike::new(&stages);
        assert_eq!(alike, Alike { first: vec![0, 1], of: vec![0, 1, 0, 1] });
        assert_eq!(alike.each(&[1, 2, 3, 4], |item| item * 10), [10, 20, 10, 20]);
        assert_eq!(alike.each_here(&[1, 2, 3, 4], |item| item * 10), [10, 20, 10, 20]);
    }
}
