//! From the stage graph to how it is put together: stages one after another, stages side by side.

use super::graph::Graph;

/// A series-parallel graph, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Shape {
    /// One stage.
    Stage(usize),
    /// Each part starts when all of the part before it has ended.
    Series(Vec<Self>),
    /// No part waits for any other.
    Parallel(Vec<Self>),
}

impl Shape {
    /// Takes a graph apart; none if it is not series-parallel or has no stage.
    ///
    /// Side by side are the connected components of "one waits for the other", one after another those of
    /// "neither waits for the other". A graph of more than one stage that is connected in both senses is not
    /// series-parallel (it holds four stages of which 2 waits for 0, and 3 for 0 and 1, and nothing else).
    pub fn of(graph: &Graph) -> Option<Self> {
        let related = related(graph);
        take_apart(&related, graph.order())
    }
}

/// For each pair of stages whether one of them waits, however indirectly, for the other.
fn related(graph: &Graph) -> Vec<Vec<bool>> {
    let n = graph.len();
    let mut past = vec![vec![false; n]; n];
    for &i in graph.order() {
        let mut row = vec![false; n];
        for &p in &graph.before()[i] {
            row[p] = true;
            for (here, there) in row.iter_mut().zip(&past[p]) {
                *here |= there;
            }
        }
        past[i] = row;
    }
    (0..n).map(|i| (0..n).map(|j| past[i][j] || past[j][i]).collect()).collect()
}

/// `stages` are in an order of the graph, and every part keeps it.
fn take_apart(related: &[Vec<bool>], stages: &[usize]) -> Option<Shape> {
    if let [only] = *stages {
        return Some(Shape::Stage(only));
    }
    for sense in [true, false] {
        let parts = components(related, stages, sense);
        if parts.len() > 1 {
            let parts = parts.iter().map(|part| take_apart(related, part)).collect::<Option<_>>()?;
            return Some(if sense { Shape::Parallel(parts) } else { Shape::Series(parts) });
        }
    }
    None
}

/// The components of the stages under "related" (or "not related"), each in the given order and all in the order
/// of their first stages.
fn components(related: &[Vec<bool>], stages: &[usize], sense: bool) -> Vec<Vec<usize>> {
    let mut left: Vec<usize> = stages.to_vec();
    let mut parts = Vec::new();
    while let Some(&first) = left.first() {
        let mut inside = vec![first];
        let mut outside: Vec<usize> = left[1..].to_vec();
        let mut next = 0;
        while let Some(&i) = inside.get(next) {
            let (joined, apart): (Vec<usize>, Vec<usize>) =
                outside.into_iter().partition(|&j| related[i][j] == sense);
            inside.extend(joined);
            outside = apart;
            next += 1;
        }
        parts.push(left.iter().copied().filter(|i| !outside.contains(i)).collect());
        left = outside;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shape(before: &[&[usize]]) -> Option<Shape> {
        let before: Vec<Vec<usize>> = before.iter().map(|b| b.to_vec()).collect();
        Shape::of(&Graph::new(&before).unwrap().reduced())
    }

    #[test]
    fn a_diamond_is_a_series_with_a_pair_inside() {
        let pair = Shape::Parallel(vec![Shape::Stage(1), Shape::Stage(2)]);
        let whole = Shape::Series(vec![Shape::Stage(0), pair, Shape::Stage(3)]);
        assert_eq!(shape(&[&[], &[0], &[0], &[1, 2]]), Some(whole));
    }

    #[test]
    fn implied_arcs_and_the_numbering_do_not_matter() {
        let chain = Shape::Series(vec![Shape::Stage(2), Shape::Stage(0), Shape::Stage(1)]);
        assert_eq!(shape(&[&[2], &[0, 2], &[]]), Some(chain));
    }

    #[test]
    fn groups_that_all_wait_for_all_are_a_series() {
        let all = Shape::Series(vec![
            Shape::Parallel(vec![Shape::Stage(0), Shape::Stage(1)]),
            Shape::Parallel(vec![Shape::Stage(2), Shape::Stage(3)]),
        ]);
        assert_eq!(shape(&[&[], &[], &[0, 1], &[0, 1]]), Some(all));
    }

    #[test]
    fn a_crossing_is_none() {
        assert_eq!(shape(&[&[], &[], &[0], &[0, 1]]), None);
        assert_eq!(shape(&[]), None);
    }
}
