//! Scheduling without a priority queue: starting at a random element, go to the neighbour with the earliest event until the element
//! itself comes first [VTI04 4.7].

use super::{Avi, AviError, Event, elapsed};
use crate::model::Potentials;

/// How many moves to neighbours were necessary to find elements that may fire.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DescentStatistics {
    /// Number of events.
    pub events: u64,
    /// Number of moves from an element to a neighbour.
    pub moves: u64,
}

/// The earliest event of some elements.
fn earliest(of: &[u32], next: &[Event]) -> Option<Event> {
    of.iter().map(|n| next[*n as usize]).reduce(|a, b| if b.before(&a) { b } else { a })
}

impl DescentStatistics {
    /// Mean number of moves to an event; expected are at most `2^(r-1) - 1/2` for `r` neighbours [VTI04 (66)].
    pub fn mean(&self) -> f64 {
        self.moves as f64 / self.events.max(1) as f64
    }
}

impl<P: Potentials> Avi<P> {
    /// Executes all events up to a time in an order found by random descents. The results are bit-identical to those of
    /// [`advance`](Self::advance): an element fires only if no element that shares a node with it has an earlier event.
    ///
    /// # Panics
    /// If levels act with their [envelope](super::Boundary::Envelope): their events are executed together.
    pub fn advance_by_descent(&mut self, until: f64, seed: u64) -> Result<DescentStatistics, AviError> {
        assert!(self.envelope.is_none(), "elements act one by one");
        let harmonic = self.clocks.harmonic.is_some();
        self.clocks.count_events();
        let until = elapsed(self.clocks.start, until);
        let statistics = self.descend(until, seed);
        if harmonic {
            self.clocks.count_ticks();
        }
        self.refill();
        let statistics = statistics?;
        self.time = self.time.max(until);
        Ok(statistics)
    }

    fn descend(&mut self, until: f64, seed: u64) -> Result<DescentStatistics, AviError> {
        let neighbours = self.neighbours();
        let mut next: Vec<Event> = (0..neighbours.len()).map(|k| self.clocks.next(k)).collect();
        // Elements that have another event before the end.
        let mut waiting: Vec<u32> = next.iter().filter(|e| e.time <= until).map(|e| e.element).collect();
        let mut random = seed | 1;
        let mut statistics = DescentStatistics::default();
        while !waiting.is_empty() {
            // Marsaglia's xorshift: any sequence is suitable, as long as it is the same for the same seed.
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
                statistics.moves += 1;
            }
            next[k] = match self.local {
                Some(_) => self.fire::<true>(next[k], &mut |_| {})?,
                None => self.fire::<false>(next[k], &mut |_| {})?,
            };
            statistics.events += 1;
        }
        Ok(statistics)
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
