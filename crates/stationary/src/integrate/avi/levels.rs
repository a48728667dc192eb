//! Levels of harmonic time steps on a mesh, what they cost, and the change of one element's level.
//!
//! Element `k` of level `l_k` has the time step `base 2^l_k`. A node is *mixed* if elements of different levels share it, and an element
//! is at a *level boundary* if one of its nodes is mixed. The cost of levels, per unit time, is
//!
//! ```text
//! C = 1/base sum_k 2^-l_k (1 + w b_k),    b_k = 1 at a level boundary, 0 elsewhere
//! ```
//!
//! with [`BOUNDARY_WEIGHT`] `w`. Both sides of a boundary count. If only the slow side counted, a change from level `l` to `l - 1` would
//! cost one update in `2^l` and save `w` of one, so that no `w < 1` would ever remove a boundary.

use crate::model::Potentials;

/// The cost of an element's being at a level boundary, in updates. Where levels meet the method is first-order accurate and the strain
/// beside the boundary is wrong by a few per cent whatever the mesh; the impulses of the slow side also perturb the fast one. Weights
/// of 0.25, 0.5 and 1 were compared on unstructured meshes: see docs/decisions/043.
pub(super) const BOUNDARY_WEIGHT: f64 = 0.5;

/// Largest level: still larger time steps would save nothing.
pub(super) const MOST_LEVELS: u32 = 30;

/// Which elements share which nodes.
pub(super) struct Incidence {
    node_start: Vec<usize>,
    nodes: Vec<u32>,
    element_start: Vec<usize>,
    elements: Vec<u32>,
}

impl Incidence {
    pub fn new<P: Potentials + ?Sized>(potentials: &P, count: usize) -> Self {
        let mut node_start = vec![0];
        let mut nodes = Vec::new();
        for k in 0..count {
            nodes.extend_from_slice(potentials.nodes(k));
            node_start.push(nodes.len());
        }
        let node_count = nodes.iter().max().map_or(0, |a| *a as usize + 1);
        let mut element_start = vec![0; node_count + 1];
        for a in &nodes {
            element_start[*a as usize + 1] += 1;
        }
        for a in 0..node_count {
            element_start[a + 1] += element_start[a];
        }
        let mut next = element_start.clone();
        let mut elements = vec![0; nodes.len()];
        for k in 0..count {
            for a in &nodes[node_start[k]..node_start[k + 1]] {
                elements[next[*a as usize]] = k as u32;
                next[*a as usize] += 1;
            }
        }
        Incidence { node_start, nodes, element_start, elements }
    }

    pub fn nodes(&self, k: usize) -> &[u32] {
        &self.nodes[self.node_start[k]..self.node_start[k + 1]]
    }

    pub fn elements(&self, a: u32) -> &[u32] {
        &self.elements[self.element_start[a as usize]..self.element_start[a as usize + 1]]
    }

    pub fn node_count(&self) -> usize {
        self.element_start.len() - 1
    }

    /// Lowers levels until none is more than one above another that shares a node with it. Each pass lowers elements one level higher
    /// than the pass before, so that there are no more passes than levels.
    pub fn limit_ratio_to_two(&self, level: &mut [u32]) {
        loop {
            let least = self.least_levels(level);
            let mut lowered = false;
            for (k, l) in level.iter_mut().enumerate() {
                let around = self.nodes(k).iter().map(|a| least[*a as usize]).min().unwrap_or(*l);
                if *l > around + 1 {
                    *l = around + 1;
                    lowered = true;
                }
            }
            if !lowered {
                return;
            }
        }
    }

    /// The smallest level of the elements at each node.
    pub fn least_levels(&self, level: &[u32]) -> Vec<u32> {
        let mut least = vec![u32::MAX; self.node_count()];
        for (k, l) in level.iter().enumerate() {
            for a in self.nodes(k) {
                least[*a as usize] = least[*a as usize].min(*l);
            }
        }
        least
    }
}

/// Levels of which no two that share a node differ by more than one, with the counts that give their cost.
pub(super) struct Levels<'a> {
    pub incidence: &'a Incidence,
    pub level: Vec<u32>,
    /// The smallest level at each node, and how many of the elements there have the level above it.
    least: Vec<u32>,
    slow: Vec<u32>,
    /// How many nodes of each element are mixed.
    mixed: Vec<u32>,
    /// Elements of each level, and those of them at a level boundary.
    count: Vec<u64>,
    at_boundary: Vec<u64>,
}

impl<'a> Levels<'a> {
    /// `level` must satisfy the limit of the ratio.
    pub fn new(incidence: &'a Incidence, level: Vec<u32>) -> Self {
        let least = incidence.least_levels(&level);
        let mut slow = vec![0; least.len()];
        for (k, l) in level.iter().enumerate() {
            for a in incidence.nodes(k) {
                slow[*a as usize] += u32::from(*l > least[*a as usize]);
            }
        }
        let mut levels = Levels {
            incidence,
            least,
            mixed: vec![0; level.len()],
            slow,
            level,
            count: vec![0; MOST_LEVELS as usize + 1],
            at_boundary: vec![0; MOST_LEVELS as usize + 1],
        };
        for k in 0..levels.level.len() {
            let mixed = incidence.nodes(k).iter().filter(|a| levels.slow[**a as usize] > 0).count();
            levels.mixed[k] = mixed as u32;
            levels.count_in(k);
        }
        levels
    }

    fn count_in(&mut self, k: usize) {
        let l = self.level[k] as usize;
        self.count[l] += 1;
        self.at_boundary[l] += u64::from(self.mixed[k] > 0);
    }

    fn count_out(&mut self, k: usize) {
        let l = self.level[k] as usize;
        self.count[l] -= 1;
        self.at_boundary[l] -= u64::from(self.mixed[k] > 0);
    }

    /// The cost, times the base step.
    pub fn cost(&self) -> f64 {
        self.sum(&self.at_boundary)
    }

    fn sum(&self, boundary: &[u64]) -> f64 {
        let cost =
            |(l, (n, b)): (u32, (&u64, &u64))| (*n as f64 + BOUNDARY_WEIGHT * *b as f64) * two_to_minus(l);
        (0..).zip(self.count.iter().zip(boundary)).map(cost).sum()
    }

    /// The cost where only the slow side of boundaries counts, times the base step: by it bases are compared. Both sides would favour
    /// bases whose smallest levels have few elements, since the fast side of a boundary there counts most.
    pub fn slow_side_cost(&self) -> f64 {
        let mut slow = vec![0u64; self.count.len()];
        for (k, l) in self.level.iter().enumerate() {
            slow[*l as usize] += u64::from(self.touches_faster(k));
        }
        self.sum(&slow)
    }

    /// The largest level.
    pub fn top(&self) -> u32 {
        self.count.iter().rposition(|n| *n > 0).unwrap_or(0) as u32
    }

    /// Elements of a level at a level boundary.
    pub fn at_boundary(&self, level: u32) -> u64 {
        self.at_boundary[level as usize]
    }

    /// Whether an element is at a level boundary.
    pub fn is_at_boundary(&self, k: usize) -> bool {
        self.mixed[k] > 0
    }

    /// Whether an element shares a node with one of a smaller level.
    pub fn touches_faster(&self, k: usize) -> bool {
        self.incidence.nodes(k).iter().any(|a| self.least[*a as usize] < self.level[k])
    }

    /// Whether an element may go down a level: no element at its nodes is above it.
    pub fn may_go_down(&self, k: usize) -> bool {
        let l = self.level[k];
        let above = |a: &u32| self.least[*a as usize] == l && self.slow[*a as usize] > 0;
        l > 0 && !self.incidence.nodes(k).iter().any(above)
    }

    /// Whether a node would have one level only if this element went down.
    pub fn is_alone_above(&self, k: usize) -> bool {
        let alone = |a: &u32| self.least[*a as usize] < self.level[k] && self.slow[*a as usize] == 1;
        self.incidence.nodes(k).iter().any(alone)
    }

    /// Lowers an element by a level.
    pub fn lower(&mut self, k: usize) {
        let incidence = self.incidence;
        self.count_out(k);
        let l = self.level[k];
        self.level[k] = l - 1;
        // The element itself is counted anew at the end, with whatever its nodes have become.
        self.count_in(k);
        for a in incidence.nodes(k) {
            let i = *a as usize;
            let was_mixed = self.slow[i] > 0;
            if self.least[i] < l {
                self.slow[i] -= 1;
            } else {
                self.least[i] = l - 1;
                self.slow[i] = incidence.elements(*a).len() as u32 - 1;
            }
            self.turn(*a, was_mixed);
        }
    }

    /// Raises an element by a level: undoes [`lower`](Self::lower).
    pub fn raise(&mut self, k: usize) {
        let incidence = self.incidence;
        self.count_out(k);
        let l = self.level[k];
        self.level[k] = l + 1;
        self.count_in(k);
        for a in incidence.nodes(k) {
            let i = *a as usize;
            let was_mixed = self.slow[i] > 0;
            if incidence.elements(*a).len() as u32 - self.slow[i] == 1 {
                self.least[i] = l + 1;
                self.slow[i] = 0;
            } else {
                self.slow[i] += 1;
            }
            self.turn(*a, was_mixed);
        }
    }

    /// Books that a node has become mixed, or is no longer.
    fn turn(&mut self, a: u32, was_mixed: bool) {
        let is_mixed = self.slow[a as usize] > 0;
        if is_mixed == was_mixed {
            return;
        }
        for k in self.incidence.elements(a) {
            let k = *k as usize;
            let l = self.level[k] as usize;
            let before = self.mixed[k] > 0;
            if is_mixed {
                self.mixed[k] += 1;
            } else {
                self.mixed[k] -= 1;
            }
            let after = self.mixed[k] > 0;
            self.at_boundary[l] += u64::from(after);
            self.at_boundary[l] -= u64::from(before);
        }
    }
}

/// Updates of an element of a level, for one of level zero.
pub(super) fn two_to_minus(level: u32) -> f64 {
    1.0 / (1u64 << level) as f64
}
