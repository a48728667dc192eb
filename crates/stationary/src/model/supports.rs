//! Dirichlet boundary conditions: components of nodes that are fixed or have a prescribed motion [AVI03 2.3].

use super::{FieldValues, FormulaField};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Supports: for some components of some nodes the displacement is prescribed.
///
/// ```
/// use stationary::model::Supports;
/// let mut supports = Supports::new(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
/// supports.fix(0, 1, 0.5, 0).unwrap();
/// assert!(supports.is_fixed(1) && !supports.is_fixed(0));
/// let (mut x, mut v) = ([1.0, 0.0, 0.0, 2.0, 0.0, 0.0], [0.0; 6]);
/// supports.impose(0.0, &mut x, &mut v);
/// assert_eq!(x[1], 0.5);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Supports {
    points: Vec<[f64; 3]>,
    /// For each component, the number of its support plus one, or 0.
    owner: Vec<u32>,
    /// Components at rest, and their positions.
    at_rest: BTreeMap<u32, f64>,
    /// Moving components, and the field whose first component is their displacement.
    moved: BTreeMap<u32, Arc<FormulaField>>,
    count: usize,
}

/// Two supports that prescribe one component differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SupportConflict {
    /// The node.
    pub node: u32,
    /// 0, 1 or 2.
    pub direction: usize,
    /// The support that prescribes it already.
    pub owner: usize,
}

impl Supports {
    /// No supports yet, for nodes with these reference positions.
    pub fn new(points: &[[f64; 3]]) -> Self {
        Supports { points: points.to_vec(), owner: vec![0; 3 * points.len()], ..Supports::default() }
    }

    /// Fixes a component at a displacement, for support number `by`.
    pub fn fix(
        &mut self,
        node: u32,
        direction: usize,
        displacement: f64,
        by: usize,
    ) -> Result<(), SupportConflict> {
        let i = 3 * node as usize + direction;
        let place = self.points[node as usize][direction] + displacement;
        if let Some(owner) = self.owner(i) {
            // Neighbouring sides share nodes: to prescribe the same position twice is no conflict.
            let same = self.at_rest.get(&(i as u32)) == Some(&place);
            return if same { Ok(()) } else { Err(SupportConflict { node, direction, owner }) };
        }
        self.take(i, by);
        self.at_rest.insert(i as u32, place);
        Ok(())
    }

    /// Prescribes the motion of a component by a field, for support number `by`.
    pub fn prescribe(
        &mut self,
        node: u32,
        direction: usize,
        motion: &Arc<FormulaField>,
        by: usize,
    ) -> Result<(), SupportConflict> {
        let i = 3 * node as usize + direction;
        if let Some(owner) = self.owner(i) {
            return Err(SupportConflict { node, direction, owner });
        }
        self.take(i, by);
        self.moved.insert(i as u32, Arc::clone(motion));
        Ok(())
    }

    fn take(&mut self, i: usize, by: usize) {
        self.owner[i] = by as u32 + 1;
        self.count = self.count.max(by + 1);
    }

    /// The support that prescribes component `i = 3 node + direction`.
    pub fn owner(&self, i: usize) -> Option<usize> {
        self.owner.get(i).and_then(|o| (*o as usize).checked_sub(1))
    }

    /// Whether component `i` is prescribed by a support, at rest or moving.
    pub fn is_fixed(&self, i: usize) -> bool {
        self.owner(i).is_some()
    }

    /// One more than the largest number of a support.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Approximate memory in bytes, without formulas.
    pub fn memory(&self) -> usize {
        // An entry of a tree: key, value, and a third of the space unused.
        24 * self.points.capacity() + 4 * self.owner.capacity() + 20 * (self.at_rest.len() + self.moved.len())
    }

    /// Whether there are no prescribed components.
    pub fn is_empty(&self) -> bool {
        self.at_rest.is_empty() && self.moved.is_empty()
    }

    /// Whether some component has a prescribed motion.
    pub fn moves(&self) -> bool {
        !self.moved.is_empty()
    }

    /// Whether a component of a node is prescribed.
    pub fn holds_node(&self, node: u32) -> bool {
        (0..3).any(|i| self.is_fixed(3 * node as usize + i))
    }

    /// Whether a component of a node has a prescribed motion.
    pub fn moves_node(&self, node: u32) -> bool {
        self.moved.range(3 * node..3 * node + 3).next().is_some()
    }

    /// Writes position and velocity of the moving components of one node.
    #[inline]
    pub fn impose_on_node<'a>(
        &'a self,
        node: u32,
        fields: &mut FieldValues<'a>,
        x: &mut [f64; 3],
        v: &mut [f64; 3],
    ) {
        for (i, field) in self.moved.range(3 * node..3 * node + 3) {
            let i = (*i - 3 * node) as usize;
            (x[i], v[i]) = self.place(node as usize, i, field, fields);
        }
    }

    /// Writes positions and velocities of all prescribed components.
    pub fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        for (i, place) in &self.at_rest {
            x[*i as usize] = *place;
            v[*i as usize] = 0.0;
        }
        let mut fields = FieldValues::new(t);
        for (i, field) in &self.moved {
            let i = *i as usize;
            (x[i], v[i]) = self.place(i / 3, i % 3, field, &mut fields);
        }
    }

    #[inline]
    fn place<'a>(
        &self,
        node: usize,
        direction: usize,
        field: &'a FormulaField,
        fields: &mut FieldValues<'a>,
    ) -> (f64, f64) {
        let point = &self.points[node];
        let (value, rate) = fields.at(field, point);
        (point[direction] + value[0], rate[0])
    }
}
