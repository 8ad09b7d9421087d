//! The way of least slack through the network (Dijkstra 1959).

use super::network::Network;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Room to work in, kept between searches, and the result of the last one.
#[derive(Debug, Clone)]
pub(super) struct Way {
    /// How much slack lies between where the search began and each event; `FAR` if not known to be near.
    distance: Vec<i64>,
    /// The arc by which each event was reached, and whether along it.
    from: Vec<(usize, bool)>,
    /// The events with a distance.
    reached: Vec<usize>,
    /// Events as near as the one being looked at.
    here: Vec<usize>,
    /// Events farther away.
    later: BinaryHeap<Reverse<(i64, usize)>>,
    /// Arcs looked at so far.
    pub(super) steps: u64,
}

/// What the search goes by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Slack<'a> {
    pub(super) network: &'a Network,
    /// When each event happens.
    pub(super) time: &'a [i64],
    /// The length of each arc along it.
    pub(super) more: &'a [i64],
    /// The length of each arc against it.
    pub(super) less: &'a [i64],
}

const FAR: i64 = i64::MAX;

impl Way {
    /// Room for a network of so many events.
    pub(super) fn new(events: usize) -> Self {
        Self {
            distance: vec![FAR; events],
            from: vec![(0, false); events],
            reached: Vec::new(),
            here: Vec::new(),
            later: BinaryHeap::new(),
            steps: 0,
        }
    }

    /// The least slack on a way from event `from` to event `to`, or `limit` if that is less. Arcs whose ends are
    /// closer in time than they are long count as having no slack.
    pub(super) fn search(&mut self, slack: Slack<'_>, from: usize, to: usize, limit: i64) -> i64 {
        let Slack { network, time, more, less } = slack;
        self.later.clear();
        self.here.clear();
        self.distance[from] = 0;
        self.reached.push(from);
        self.here.push(from);
        let mut near = 0;
        loop {
            let Some(event) = self.here.pop() else {
                let Some(Reverse((next, event))) = self.later.pop() else { return limit };
                if next == self.distance[event] {
                    near = next;
                    if event == to {
                        return near;
                    }
                    self.here.push(event);
                }
                continue;
            };
            let joins = network.at(event);
            self.steps += joins.len() as u64;
            for &(arc, along, other) in joins {
                let length = if along { more[arc] } else { less[arc] };
                let far = near + (time[other] - time[event] - length).max(0);
                if far < limit && far < self.distance[other] {
                    if self.distance[other] == FAR {
                        self.reached.push(other);
                    }
                    self.distance[other] = far;
                    self.from[other] = (arc, along);
                    if far > near {
                        self.later.push(Reverse((far, other)));
                    } else if other == to {
                        return near;
                    } else {
                        self.here.push(other);
                    }
                }
            }
        }
    }

    /// Moves the events that the last search found nearer than `shift` so much later that the nearest one moves by
    /// all of it, and forgets the distances.
    pub(super) fn move_events(&mut self, time: &mut [i64], shift: i64) {
        for event in self.reached.drain(..) {
            time[event] += (shift - self.distance[event]).max(0);
            self.distance[event] = FAR;
        }
    }

    /// Adds the arcs of the last way found, from its end back to its beginning, to `arcs`.
    pub(super) fn trace(&self, network: &Network, from: usize, to: usize, arcs: &mut Vec<(usize, bool)>) {
        let mut event = to;
        while event != from {
            let (arc, along) = self.from[event];
            let (tail, head) = network.arcs[arc];
            event = if along { tail } else { head };
            arcs.push((arc, along));
        }
    }
}
