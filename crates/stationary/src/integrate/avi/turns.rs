//! The order of the elements that fire together, at each of their nodes: loads and supports act on a node after the last of them.

use super::external::dead_loads;
use crate::model::{DeadLoad, Potentials};
use std::sync::Arc;

/// Which of its nodes an element is the first, and the last, to kick among the elements that fire together with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    opens: u32,
    closes: u32,
    /// The number of its time step among all.
    level: u32,
}

impl Turn {
    /// Of an element that fires alone.
    pub const ALONE: Self = Turn { opens: u32::MAX, closes: u32::MAX, level: u32::MAX };

    /// Whether it is the first to kick its node of this number.
    #[inline]
    pub fn opens(self, n: usize) -> bool {
        self.opens >> n.min(31) & 1 == 1
    }

    /// Whether it is the last.
    #[inline]
    pub fn closes(self, n: usize) -> bool {
        self.closes >> n.min(31) & 1 == 1
    }
}

/// The [`Turn`] of each element; empty if each fires alone.
#[derive(Debug, Clone, Default)]
pub(super) struct Turns {
    turns: Vec<Turn>,
    /// The dead loads of the elements of each time step.
    dead: Vec<Arc<[DeadLoad]>>,
}

impl Turns {
    /// For elements in the order of their events, of which those of one time step fire together.
    ///
    /// # Panics
    /// If an element has more than 32 nodes.
    pub fn new<P: Potentials>(potentials: &P, ranked: &[u32], step: &[f64], nodes: usize) -> Self {
        let mut turns = vec![Turn { opens: 0, closes: 0, level: 0 }; step.len()];
        let mut dead = Vec::new();
        let mut mark = vec![u32::MAX; nodes];
        let mut marks = |a: &u32, level: u32| std::mem::replace(&mut mark[*a as usize], level) != level;
        let levels = ranked.chunk_by(|k, next| step[*k as usize] == step[*next as usize]);
        for (level, list) in (0..).zip(levels) {
            for (k, forward) in list.iter().map(|k| (k, true)).chain(list.iter().rev().map(|k| (k, false))) {
                let own = potentials.nodes(*k as usize);
                assert!(own.len() <= 32, "an element of at most 32 nodes");
                let turn = &mut turns[*k as usize];
                turn.level = level;
                for (n, a) in own.iter().enumerate() {
                    let is_first = marks(a, 2 * level + u32::from(forward));
                    let nodes = if forward { &mut turn.opens } else { &mut turn.closes };
                    *nodes |= u32::from(is_first) << n;
                }
            }
            dead.push(dead_loads(potentials, list, &|_| true).into());
        }
        Turns { turns, dead }
    }

    /// That of an element.
    #[inline]
    pub fn of(&self, k: usize) -> Turn {
        self.turns.get(k).copied().unwrap_or(Turn::ALONE)
    }

    /// The dead loads of the elements that fire together; none if an element fires alone.
    pub fn dead(&self, turn: Turn) -> Option<Arc<[DeadLoad]>> {
        self.dead.get(turn.level as usize).cloned()
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Turn>() * self.turns.capacity() + self.dead.iter().map(|d| size_of_val(&**d)).sum::<usize>()
    }
}
