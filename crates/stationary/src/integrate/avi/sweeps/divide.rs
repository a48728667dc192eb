//! Nodes divided among threads. A thread kicks its own nodes only; an element with nodes of several threads is evaluated by
//! each of them.

use crate::model::Potentials;
use std::sync::Arc;

/// Nodes that no unguarded element has.
pub(super) const NO_CLASS: u8 = u8::MAX;

/// The directions along which classes are tried to be cut.
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

/// The smallest level of the elements around each node.
pub(super) fn classes<P: Potentials>(potentials: &P, levels: &[Arc<[u32]>], nodes: usize) -> Vec<u8> {
    let mut class = vec![NO_CLASS; nodes];
    for (level, list) in levels.iter().enumerate() {
        for a in list.iter().flat_map(|k| potentials.nodes(*k as usize)) {
            class[*a as usize] = class[*a as usize].min(level as u8);
        }
    }
    class
}

/// The thread of each node: every class cut into slabs of equal work along one direction, the one with the fewest updates
/// done twice. So the threads have equal shares of every tick.
pub(super) fn owners<P: Potentials>(
    potentials: &P,
    levels: &[Arc<[u32]>],
    class: &[u8],
    x: &[f64],
    threads: usize,
) -> Vec<u8> {
    // Updates of an element, and their part of each node.
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
    let mut best = (f64::INFINITY, vec![0; class.len()]);
    for direction in &DIRECTIONS {
        let mut owner = vec![0; class.len()];
        for nodes in &mut by_class {
            cut(nodes, direction, x, &work, (threads, &mut owner));
        }
        let twice = |k: &u32| {
            let nodes = potentials.nodes(*k as usize);
            nodes.iter().any(|a| owner[*a as usize] != owner[nodes[0] as usize])
        };
        let straddling =
            |(l, list): (usize, &Arc<[u32]>)| rate(l) * list.iter().filter(|k| twice(k)).count() as f64;
        let cost = levels.iter().enumerate().map(straddling).sum();
        if cost < best.0 {
            best = (cost, owner);
        }
    }
    best.1
}

/// Cuts nodes into slabs of equal work across a direction.
fn cut(
    nodes: &mut [u32],
    direction: &[f64; 3],
    x: &[f64],
    work: &[f64],
    (threads, owner): (usize, &mut [u8]),
) {
    let place = |a: u32| (0..3).map(|i| direction[i] * x[3 * a as usize + i]).sum::<f64>();
    let mut placed: Vec<(f64, u32)> = nodes.iter().map(|a| (place(*a), *a)).collect();
    placed.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let all: f64 = nodes.iter().map(|a| work[*a as usize]).sum();
    let mut before = 0.0;
    for (_, a) in placed {
        let own = work[a as usize];
        let slab = (before + 0.5 * own) / all * threads as f64;
        owner[a as usize] = (slab as usize).min(threads - 1) as u8;
        before += own;
    }
}
