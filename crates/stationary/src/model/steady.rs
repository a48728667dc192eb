//! Forces on nodes that never change.

use super::Potentials;

/// A constant force on each node: weight, tractions that keep their direction and size. Its potential is `-f . (x - X)`, nought where
/// nothing has moved.
///
/// In asynchronous runs the force on a node acts with one of the fastest elements around it, as often as the node is kicked at all.
///
/// ```
/// use stationary::model::Steady;
/// let mut steady = Steady::default();
/// steady.add(1, &[0.0, 0.0, -9.81], &[[0.0; 3], [1.0, 0.0, 0.0]]);
/// assert_eq!(steady.on(1), [0.0, 0.0, -9.81]);
/// assert_eq!(steady.potential(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.5]), 0.5 * 9.81);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Steady {
    /// Of each node; empty if there is none at all.
    force: Vec<[f64; 3]>,
    /// Where the nodes are at rest.
    from: Vec<[f64; 3]>,
}

impl Steady {
    /// Adds a force on a node of those at `points`.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn add(&mut self, node: usize, force: &[f64; 3], points: &[[f64; 3]]) {
        if self.force.is_empty() {
            (self.force, self.from) = (vec![[0.0; 3]; points.len()], points.to_vec());
        }
        let sum = &mut self.force[node];
        (0..3).for_each(|i| sum[i] += force[i]);
    }

    /// No force on any node.
    pub fn is_empty(&self) -> bool {
        self.force.is_empty()
    }

    /// The force on each node; empty if there is none on any.
    pub fn forces(&self) -> &[[f64; 3]] {
        &self.force
    }

    /// The force on a node.
    pub fn on(&self, node: usize) -> [f64; 3] {
        self.force.get(node).copied().unwrap_or_default()
    }

    /// The potential of the force on a node at `x`.
    #[inline]
    pub fn potential_of(&self, node: usize, x: &[f64]) -> f64 {
        let (force, from) = (&self.force[node], &self.from[node]);
        -(0..3).map(|i| force[i] * (x[i] - from[i])).sum::<f64>()
    }

    /// The potential of all, for positions of three numbers a node.
    pub fn potential(&self, x: &[f64]) -> f64 {
        (0..self.force.len()).map(|a| self.potential_of(a, &x[3 * a..3 * a + 3])).sum()
    }

    /// The first potential with a node on which the force is not a finite number.
    pub fn unfit<P: Potentials + ?Sized>(&self, potentials: &P) -> Option<usize> {
        let bad = |a: &u32| !self.on(*a as usize).iter().all(|f| f.is_finite());
        if self.force.as_flattened().iter().all(|f| f.is_finite()) {
            return None;
        }
        (0..potentials.count()).find(|k| potentials.nodes(*k).iter().any(bad))
    }

    /// Bytes it takes.
    pub fn memory(&self) -> usize {
        24 * (self.force.capacity() + self.from.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_potential_is_nought_at_rest_and_its_slope_is_the_force() {
        let points = [[0.5, -2.0, 3.0], [1.0, 4.0, -1.5]];
        let force = [3.0, -0.25, 7.0];
        let mut steady = Steady::default();
        steady.add(1, &force, &points);
        let rest = points.as_flattened();
        assert_eq!(steady.potential(rest), 0.0);
        for i in 0..3 {
            let mut moved = rest.to_vec();
            moved[3 + i] += 0.125;
            assert_eq!(steady.potential(&moved), -0.125 * force[i]);
            // Nothing acts on the other node.
            let mut other = rest.to_vec();
            other[i] += 0.125;
            assert_eq!(steady.potential(&other), 0.0);
        }
    }
}
