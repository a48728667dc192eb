//! Fewer level boundaries: islands removed, boundaries smoothed, levels merged that save little. Levels are only ever lowered, so that
//! steps stay within their limits, and every change but a merger lowers the cost [`Levels::cost`].

use super::levels::{BOUNDARY_WEIGHT, Levels, two_to_minus};

/// Passes over all levels, at most, and the part of the cost that a pass must save for another to follow. On the meshes that were tried
/// the third pass changed one element in a million.
const PASSES: usize = 8;
const WORTH_A_PASS: f64 = 1e-4;

/// Two levels are merged if the cost rises by no more than this part, all mergers together: fewer boundaries and fewer ticks of the
/// schedule are worth that much.
const MERGE_FOR: f64 = 0.01;

/// Lowers levels where that lowers the cost, then merges levels.
pub(super) fn clean_up(levels: &mut Levels<'_>) {
    for _ in 0..PASSES {
        let before = levels.cost();
        pass(levels);
        if levels.cost() >= before * (1.0 - WORTH_A_PASS) {
            break;
        }
    }
    merge(levels);
}

fn pass(levels: &mut Levels<'_>) {
    for l in (1..=levels.top()).rev() {
        lower_islands(levels, l, Candidates::Thin);
        lower_islands(levels, l, Candidates::Whole);
        smooth(levels, l);
    }
}

/// Sets of elements that are tried to be lowered together.
#[derive(Clone, Copy, PartialEq)]
enum Candidates {
    /// Components of the elements of level `l` or more.
    Whole,
    /// Components of those among them that share no node with an element in the interior, that is, with one of level `l` or more none
    /// of whose nodes belongs to a faster element. They are of level `l`: elements above it are in the interior.
    Thin,
}

/// Lowers connected sets of elements to level `l - 1` where that lowers the cost, small ones first.
fn lower_islands(levels: &mut Levels<'_>, l: u32, candidates: Candidates) {
    let member = match candidates {
        Candidates::Whole => levels.level.iter().map(|level| *level >= l).collect(),
        Candidates::Thin => thin(levels, l),
    };
    for island in components(levels, member) {
        lower_together(levels, &island, l);
    }
}

/// The elements of level `l` that share no node with the interior of the levels from `l` on.
fn thin(levels: &Levels<'_>, l: u32) -> Vec<bool> {
    let incidence = levels.incidence;
    let mut is_interior = vec![false; incidence.node_count()];
    for k in 0..levels.level.len() {
        if levels.level[k] > l || (levels.level[k] == l && !levels.touches_faster(k)) {
            for a in incidence.nodes(k) {
                is_interior[*a as usize] = true;
            }
        }
    }
    let is_thin =
        |k: usize| levels.level[k] == l && !incidence.nodes(k).iter().any(|a| is_interior[*a as usize]);
    (0..levels.level.len()).map(is_thin).collect()
}

/// The connected components of a set of elements by shared nodes, small ones first; of equal ones that with the first element.
fn components(levels: &Levels<'_>, mut member: Vec<bool>) -> Vec<Vec<u32>> {
    let incidence = levels.incidence;
    let mut node_seen = vec![false; incidence.node_count()];
    let mut found = Vec::new();
    for first in 0..member.len() {
        if !std::mem::replace(&mut member[first], false) {
            continue;
        }
        let mut island = vec![first as u32];
        let mut next = 0;
        while next < island.len() {
            let k = island[next] as usize;
            next += 1;
            for a in incidence.nodes(k) {
                if std::mem::replace(&mut node_seen[*a as usize], true) {
                    continue;
                }
                for n in incidence.elements(*a) {
                    if std::mem::replace(&mut member[*n as usize], false) {
                        island.push(*n);
                    }
                }
            }
        }
        found.push(island);
    }
    found.sort_by_key(Vec::len);
    found
}

/// Lowers a set of elements of level `l` or more to `l - 1` if that lowers the cost. No element outside the set may be above one of it.
fn lower_together(levels: &mut Levels<'_>, island: &[u32], l: u32) {
    // At best no element of the island nor of the level below is at a boundary any more.
    let after = two_to_minus(l - 1);
    let own = |k: &u32| {
        let boundary = f64::from(u8::from(levels.is_at_boundary(*k as usize)));
        after - two_to_minus(levels.level[*k as usize]) * (1.0 + BOUNDARY_WEIGHT * boundary)
    };
    let rise: f64 = island.iter().map(own).sum();
    if rise >= BOUNDARY_WEIGHT * levels.at_boundary(l - 1) as f64 * after {
        return;
    }
    let before = levels.cost();
    let top = island.iter().map(|k| levels.level[*k as usize]).max().unwrap_or(0);
    let mut lowered = Vec::new();
    // From the top, so that levels that share a node differ by one at most at any time.
    for from in (l..=top).rev() {
        for k in island {
            if levels.level[*k as usize] == from {
                levels.lower(*k as usize);
                lowered.push(*k);
            }
        }
    }
    if levels.cost() >= before {
        for k in lowered.iter().rev() {
            levels.raise(*k as usize);
        }
    }
}

/// Lowers single elements of a level where that lowers the cost.
fn smooth(levels: &mut Levels<'_>, l: u32) {
    for k in 0..levels.level.len() {
        if levels.level[k] == l && levels.is_alone_above(k) && levels.may_go_down(k) {
            lower_together(levels, &[k as u32], l);
        }
    }
}

/// Merges adjacent levels, from the top, while the cost stays within [`MERGE_FOR`] of what it was.
fn merge(levels: &mut Levels<'_>) {
    let most = levels.cost() * (1.0 + MERGE_FOR);
    for l in (1..=levels.top()).rev() {
        let shifted: Vec<u32> = levels.level.iter().map(|level| level - u32::from(*level >= l)).collect();
        let merged = Levels::new(levels.incidence, shifted);
        if merged.cost() <= most {
            *levels = merged;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::integrate::avi::levels::Incidence;
    use crate::model::{PotentialFault, Potentials};

    /// Elements by their nodes.
    struct Graph(Vec<Vec<u32>>);

    impl Potentials for Graph {
        fn count(&self) -> usize {
            self.0.len()
        }
        fn nodes(&self, k: usize) -> &[u32] {
            &self.0[k]
        }
        fn gradient(&self, _: usize, _: f64, _: &[f64], _: &mut [f64]) -> Result<f64, PotentialFault> {
            Ok(0.0)
        }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, most: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % most
        }
    }

    /// Squares of a grid, each with its four nodes.
    fn squares(n: usize) -> Graph {
        let node = |i: usize, j: usize| (i + (n + 1) * j) as u32;
        let square = |k: usize| {
            let (i, j) = (k % n, k / n);
            vec![node(i, j), node(i + 1, j), node(i, j + 1), node(i + 1, j + 1)]
        };
        Graph((0..n * n).map(square).collect())
    }

    /// Elements of one to four nodes at random, of which two may be the same.
    fn tangle(random: &mut Random, elements: usize, nodes: usize) -> Graph {
        let element =
            |random: &mut Random| (0..1 + random.below(4)).map(|_| random.below(nodes) as u32).collect();
        Graph((0..elements).map(|_| element(random)).collect())
    }

    fn limited(incidence: &Incidence, mut level: Vec<u32>) -> Vec<u32> {
        incidence.limit_ratio_to_two(&mut level);
        level
    }

    fn differ_by_one_at_most(graph: &Graph, level: &[u32]) -> bool {
        let shares = |k: usize, n: usize| graph.0[k].iter().any(|a| graph.0[n].contains(a));
        let pairs = (0..level.len()).flat_map(|k| (0..k).map(move |n| (k, n)));
        pairs.into_iter().all(|(k, n)| level[k].abs_diff(level[n]) <= 1 || !shares(k, n))
    }

    #[test]
    fn the_cost_of_levels_follows_every_change_of_a_level_and_back() {
        let mut random = Random(3);
        for _ in 0..200 {
            let graph = tangle(&mut random, 40, 30);
            let incidence = Incidence::new(&graph, graph.count());
            let start = limited(&incidence, (0..40).map(|_| random.below(5) as u32).collect());
            let mut levels = Levels::new(&incidence, start.clone());
            let mut lowered = Vec::new();
            for _ in 0..60 {
                let k = random.below(40);
                if levels.may_go_down(k) {
                    levels.lower(k);
                    lowered.push(k);
                    assert_eq!(levels.cost(), Levels::new(&incidence, levels.level.clone()).cost());
                }
            }
            let before = Levels::new(&incidence, start.clone()).cost();
            for k in lowered.iter().rev() {
                levels.raise(*k);
            }
            assert_eq!((levels.cost(), &levels.level), (before, &start));
        }
    }

    #[test]
    fn the_clean_up_never_raises_a_level_nor_the_cost_and_leaves_ratios_of_two() {
        let mut random = Random(5);
        let mut changed = 0;
        for round in 0..200 {
            let graph = if round % 2 == 0 { tangle(&mut random, 80, 60) } else { squares(9) };
            let n = graph.count();
            let incidence = Incidence::new(&graph, n);
            let spread = 2 + random.below(6);
            let start = limited(&incidence, (0..n).map(|_| random.below(spread) as u32).collect());
            let mut levels = Levels::new(&incidence, start.clone());
            let before = levels.cost();
            clean_up(&mut levels);
            assert!(levels.level.iter().zip(&start).all(|(now, then)| now <= then));
            assert!(differ_by_one_at_most(&graph, &levels.level));
            assert!(levels.cost() <= before * (1.0 + MERGE_FOR), "{} {before}", levels.cost());
            changed += usize::from(levels.level != start);
        }
        assert!(changed > 100, "{changed}");
    }

    /// Slow squares amid fast ones: an island of `side` by `side` saves `side^2 / 2` updates and makes a boundary of about `8 side`
    /// elements, so that small ones do not pay and large ones do.
    #[test]
    fn small_islands_of_slow_elements_are_removed_and_large_ones_stay() {
        let n = 40;
        let graph = squares(n);
        let incidence = Incidence::new(&graph, graph.count());
        let island = |side: usize| {
            let inside = |i: usize| i >= 3 && i < 3 + side;
            let level = |k: usize| u32::from(inside(k % n) && inside(k / n));
            let mut levels = Levels::new(&incidence, (0..n * n).map(level).collect());
            pass(&mut levels);
            levels.level.iter().filter(|l| **l == 1).count()
        };
        for side in 1..=5 {
            assert_eq!(island(side), 0, "{side}");
        }
        for side in 16..=20 {
            assert_eq!(island(side), side * side, "{side}");
        }
    }

    #[test]
    fn a_level_of_few_elements_is_merged_and_one_of_many_is_not() {
        // A chain of bars, the slow part at its end: on a chain a boundary has two elements only.
        let bars = |n: u32| Graph((0..n).map(|k| vec![k, k + 1]).collect());
        for (slow, merged) in [(8, true), (500, false)] {
            let graph = bars(1000);
            let incidence = Incidence::new(&graph, 1000);
            let mut levels =
                Levels::new(&incidence, (0..1000).map(|k| u32::from(k >= 1000 - slow)).collect());
            clean_up(&mut levels);
            assert_eq!(levels.top() == 0, merged, "{slow}");
        }
    }
}
