//! The division of nodes among threads. A thread kicks its own nodes only; an element with nodes of several threads is evaluated by
//! each of them.

use crate::model::Potentials;
use std::sync::Arc;

/// Class of nodes that belong to no element.
pub(super) const NO_CLASS: u8 = u8::MAX;

/// The directions across which nodes may be divided into slabs.
const DIRECTIONS: [[f64; 3]; 13] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, -1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 0.0, -1.0],
    [0.0, 1.0, 1.0],
    [0.0, 1.0, -1.0],
    [1.0, 1.0, 1.0],
    [1.0, 1.0, -1.0],
    [1.0, -1.0, 1.0],
    [-1.0, 1.0, 1.0],
];

/// The class of each node: the smallest level of the elements around it.
pub(super) fn classes<P: Potentials>(potentials: &P, levels: &[Arc<[u32]>], nodes: usize) -> Vec<u8> {
    let mut class = vec![NO_CLASS; nodes];
    for (level, list) in levels.iter().enumerate() {
        for a in list.iter().flat_map(|k| potentials.nodes(*k as usize)) {
            class[*a as usize] = class[*a as usize].min(level as u8);
        }
    }
    class
}

/// The thread of each node: every class is divided into slabs of equal work across one direction, the one that makes the run shortest. The
/// threads then have equal shares of every tick, and few elements are evaluated twice.
pub(super) fn owners<P: Potentials>(
    potentials: &P,
    levels: &[Arc<[u32]>],
    class: &[u8],
    x: &[f64],
    threads: usize,
) -> Vec<u8> {
    // Updates of an element per largest time step, added to each of its nodes.
    let rate = |level: usize| (-(level as f64)).exp2();
    let mut work = vec![0.0; class.len()];
    for (level, list) in levels.iter().enumerate() {
        for a in list.iter().flat_map(|k| potentials.nodes(*k as usize)) {
            work[*a as usize] += rate(level);
        }
    }
    let mut by_class: Vec<Vec<u32>> = vec![Vec::new(); levels.len()];
    for (a, class) in class.iter().enumerate().filter(|(_, c)| **c != NO_CLASS) {
        by_class[usize::from(*class)].push(a as u32);
    }
    let mut least = f64::INFINITY;
    let mut best = vec![0; class.len()];
    for direction in &DIRECTIONS {
        let mut owner = vec![0; class.len()];
        for nodes in &by_class {
            let slabs = Slabs { direction, x, work: &work, threads };
            slabs.divide(nodes, &mut owner);
        }
        let cost = duration(potentials, levels, &owner, threads);
        if cost < least {
            least = cost;
            best = owner;
        }
    }
    best
}

/// Updates of the busiest thread, averaged over ticks: at a tick all levels up to some level fire together.
fn duration<P: Potentials>(potentials: &P, levels: &[Arc<[u32]>], owner: &[u8], threads: usize) -> f64 {
    let mut updates = vec![0.0; threads];
    let mut mean = 0.0;
    for (level, list) in levels.iter().enumerate() {
        for k in list.iter() {
            let nodes = potentials.nodes(*k as usize);
            for (n, a) in nodes.iter().enumerate() {
                let owner = |a: &u32| owner[*a as usize];
                if !nodes[..n].iter().any(|b| owner(b) == owner(a)) {
                    updates[usize::from(owner(a))] += 1.0;
                }
            }
        }
        let part = (-(level as f64 + if level + 1 < levels.len() { 1.0 } else { 0.0 })).exp2();
        mean += part * updates.iter().copied().fold(0.0, f64::max);
    }
    mean
}

/// Slabs of equal work across a direction.
struct Slabs<'a> {
    direction: &'a [f64; 3],
    x: &'a [f64],
    work: &'a [f64],
    threads: usize,
}

impl Slabs<'_> {
    /// Divides nodes into slabs, one for each thread.
    fn divide(&self, nodes: &[u32], owner: &mut [u8]) {
        let place = |a: u32| (0..3).map(|i| self.direction[i] * self.x[3 * a as usize + i]).sum::<f64>();
        let mut placed: Vec<(f64, u32)> = nodes.iter().map(|a| (place(*a), *a)).collect();
        placed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let all: f64 = nodes.iter().map(|a| self.work[*a as usize]).sum();
        let mut before = 0.0;
        for (_, a) in placed {
            let own = self.work[a as usize];
            let slab = (before + 0.5 * own) / all * self.threads as f64;
            owner[a as usize] = (slab as usize).min(self.threads - 1) as u8;
            before += own;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::PotentialFault;

    /// Springs between neighbours of a row of nodes.
    struct Row(Vec<u32>);

    impl Potentials for Row {
        fn count(&self) -> usize {
            self.0.len() - 1
        }
        fn nodes(&self, k: usize) -> &[u32] {
            &self.0[k..k + 2]
        }
        fn gradient(&self, _: usize, _: f64, _: &[f64], _: &mut [f64]) -> Result<f64, PotentialFault> {
            Ok(0.0)
        }
    }

    #[test]
    fn partition_of_a_row_of_nodes_gives_threads_equal_shares_of_every_level() {
        let row = Row((0..1001).collect());
        let x: Vec<f64> = (0..1001).flat_map(|a| [0.0, f64::from(a), 1.0]).collect();
        let lists: [Vec<u32>; 3] = [(0..300).collect(), (300..360).collect(), (360..1000).collect()];
        let levels: Vec<Arc<[u32]>> = lists.iter().map(|l| l.as_slice().into()).collect();
        let class = classes(&row, &levels, 1001);
        assert_eq!((class[300], class[301], class[360], class[361]), (0, 1, 1, 2));
        for threads in [2, 3, 7] {
            let owner = owners(&row, &levels, &class, &x, threads);
            for list in &lists {
                let mut shares = vec![0; threads];
                list.iter().for_each(|k| shares[usize::from(owner[*k as usize])] += 1);
                let (least, most) = (shares.iter().min().unwrap(), shares.iter().max().unwrap());
                assert!(most - least <= 3, "{shares:?}");
            }
            let best = 0.5 * 300.0 + 0.25 * 360.0 + 0.25 * 1000.0;
            let spent = duration(&row, &levels, &owner, threads) * threads as f64 / best;
            assert!((1.0..1.1).contains(&spent), "{spent}");
        }
    }
}
