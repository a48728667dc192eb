//! Events without a queue: from any element walk to the neighbour with the earliest event until it is the element itself [VTI04 4.7].

use super::{Avi, AviError, Event, elapsed};
use crate::model::Potentials;

/// How long the walks to a ready element were.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Walk {
    /// Events made.
    pub events: u64,
    /// Moves from an element to a neighbour.
    pub moves: u64,
}

/// The first event of some elements.
fn earliest(of: &[u32], next: &[Event]) -> Option<Event> {
    of.iter().map(|n| next[*n as usize]).reduce(|a, b| if b.before(&a) { b } else { a })
}

impl Walk {
    /// Moves to an event, on average; the paper expects at most `2^(r-1) - 1/2` for `r` neighbours (66).
    pub fn mean(&self) -> f64 {
        self.moves as f64 / self.events.max(1) as f64
    }
}

impl<P: Potentials> Avi<P> {
    /// Makes all events up to a time in an order found by random descents. The bits are those of
    /// [`advance`](Self::advance): an element fires only when none that shares a node with it comes before.
    pub fn advance_by_descent(&mut self, until: f64, seed: u64) -> Result<Walk, AviError> {
        let harmonic = self.clocks.ticked.is_some();
        self.clocks.count_events();
        let until = elapsed(self.clocks.start, until);
        let walk = self.descend(until, seed);
        if harmonic {
            self.clocks.count_ticks();
        }
        self.refill();
        let walk = walk?;
        self.time = self.time.max(until);
        Ok(walk)
    }

    fn descend(&mut self, until: f64, seed: u64) -> Result<Walk, AviError> {
        let neighbours = self.neighbours();
        let mut next: Vec<Event> = (0..neighbours.len()).map(|k| self.clocks.next(k)).collect();
        // Elements that still have an event to make.
        let mut waiting: Vec<u32> = next.iter().filter(|e| e.time <= until).map(|e| e.element).collect();
        let mut random = seed | 1;
        let mut walk = Walk::default();
        while !waiting.is_empty() {
            // Marsaglia's xorshift: any sequence will do, the same for the same seed.
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let at = (random % waiting.len() as u64) as usize;
            let mut k = waiting[at] as usize;
            if next[k].time > until {
                waiting.swap_remove(at);
                continue;
            }
            while let Some(earlier) = earliest(&neighbours[k], &next).filter(|e| e.before(&next[k])) {
                k = earlier.element as usize;
                walk.moves += 1;
            }
            next[k] = match self.local {
                Some(_) => self.fire::<true>(next[k], &mut |_| {})?,
                None => self.fire::<false>(next[k], &mut |_| {})?,
            };
            walk.events += 1;
        }
        Ok(walk)
    }

    /// The elements that share a node with each element.
    fn neighbours(&self) -> Vec<Vec<u32>> {
        let count = self.potentials.count();
        let mut at_node: Vec<Vec<u32>> = vec![Vec::new(); self.mass.len()];
        for k in 0..count {
            for &a in self.potentials.nodes(k) {
                at_node[a as usize].push(k as u32);
            }
        }
        let around = |k: usize| {
            let nodes = self.potentials.nodes(k).iter();
            let mut all: Vec<u32> = nodes.flat_map(|a| &at_node[*a as usize]).copied().collect();
            all.sort_unstable();
            all.dedup();
            all.retain(|n| *n as usize != k);
            all
        };
        (0..count).map(around).collect()
    }
}
