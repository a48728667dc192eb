//! Constant nodal forces.

use super::Potentials;

/// A constant force on each node, from weight and dead tractions. Its potential is `-f . (x - X)`, zero in the reference configuration.
///
/// In asynchronous runs the force on a node acts at the events of an element with the smallest time step around it.
///
/// ```
/// use stationary::model::ConstantLoads;
/// let mut loads = ConstantLoads::default();
/// loads.add(1, &[0.0, 0.0, -9.81], &[[0.0; 3], [1.0, 0.0, 0.0]]);
/// assert_eq!(loads.on(1), [0.0, 0.0, -9.81]);
/// assert_eq!(loads.potential(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.5]), 0.5 * 9.81);
/// ```
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ConstantLoads {
    /// The force on each node; empty if there is none.
    force: Vec<[f64; 3]>,
    /// The reference position of each node.
    reference: Vec<[f64; 3]>,
}

impl ConstantLoads {
    /// Adds a force on a node; `points` are the reference positions of all nodes.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn add(&mut self, node: usize, force: &[f64; 3], points: &[[f64; 3]]) {
        if self.force.is_empty() {
            self.force = vec![[0.0; 3]; points.len()];
            self.reference = points.to_vec();
        }
        let sum = &mut self.force[node];
        (0..3).for_each(|i| sum[i] += force[i]);
    }

    /// Whether there is no force on any node.
    pub fn is_empty(&self) -> bool {
        self.force.is_empty()
    }

    /// The force on each node; empty if there is none.
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
        let force = &self.force[node];
        let reference = &self.reference[node];
        -(0..3).map(|i| force[i] * (x[i] - reference[i])).sum::<f64>()
    }

    /// The potential of all forces, for positions of three numbers a node.
    pub fn potential(&self, x: &[f64]) -> f64 {
        (0..self.force.len()).map(|a| self.potential_of(a, &x[3 * a..3 * a + 3])).sum()
    }

    /// The first potential with a node on which the force is not a finite number.
    pub fn not_finite<P: Potentials + ?Sized>(&self, potentials: &P) -> Option<usize> {
        let bad = |a: &u32| !self.on(*a as usize).iter().all(|f| f.is_finite());
        if self.force.as_flattened().iter().all(|f| f.is_finite()) {
            return None;
        }
        (0..potentials.count()).find(|k| potentials.nodes(*k).iter().any(bad))
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        24 * (self.force.capacity() + self.reference.capacity())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constant_loads_have_zero_potential_at_rest_and_the_force_as_its_slope() {
        let points = [[0.5, -2.0, 3.0], [1.0, 4.0, -1.5]];
        let force = [3.0, -0.25, 7.0];
        let mut loads = ConstantLoads::default();
        loads.add(1, &force, &points);
        let rest = points.as_flattened();
        assert_eq!(loads.potential(rest), 0.0);
        for i in 0..3 {
            let mut moved = rest.to_vec();
            moved[3 + i] += 0.125;
            assert_eq!(loads.potential(&moved), -0.125 * force[i]);
            // There is no force on the other node.
            let mut other = rest.to_vec();
            other[i] += 0.125;
            assert_eq!(loads.potential(&other), 0.0);
        }
    }
}
