//! Components of nodes that do not move freely: fixed, or moved as a formula says [AVI03 2.3].

use super::Field;
use std::collections::BTreeMap;
use std::sync::Arc;

/// What supports hold: for some components of some nodes the displacement is given.
///
/// ```
/// use stationary::model::Supports;
/// let mut supports = Supports::new(&[[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]);
/// supports.fix(0, 1, 0.5, 0).unwrap();
/// assert!(supports.held(1) && !supports.held(0));
/// let (mut x, mut v) = ([1.0, 0.0, 0.0, 2.0, 0.0, 0.0], [0.0; 6]);
/// supports.drive(0.0, &mut x, &mut v);
/// assert_eq!(x[1], 0.5);
/// ```
#[derive(Debug, Clone, Default)]
pub struct Supports {
    points: Vec<[f64; 3]>,
    /// For each component, the number of its support plus one, or 0.
    owner: Vec<u32>,
    /// Fixed components and where they stay.
    still: BTreeMap<u32, f64>,
    /// Moved components and the field whose first component is their displacement.
    moved: BTreeMap<u32, Arc<Field>>,
    count: usize,
}

/// Two supports that want one component at different places.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// The node.
    pub node: u32,
    /// 0, 1 or 2.
    pub direction: usize,
    /// The support that holds it already.
    pub owner: usize,
}

impl Supports {
    /// No supports yet, of nodes with these reference positions.
    pub fn new(points: &[[f64; 3]]) -> Self {
        Supports { points: points.to_vec(), owner: vec![0; 3 * points.len()], ..Supports::default() }
    }

    /// Holds a component at a displacement, for support number `by`.
    pub fn fix(&mut self, node: u32, direction: usize, displacement: f64, by: usize) -> Result<(), Conflict> {
        let i = 3 * node as usize + direction;
        let place = self.points[node as usize][direction] + displacement;
        if let Some(owner) = self.owner(i) {
            // Neighbouring sides share nodes: to say the same twice is no conflict.
            let same = self.still.get(&(i as u32)) == Some(&place);
            return if same { Ok(()) } else { Err(Conflict { node, direction, owner }) };
        }
        self.take(i, by);
        self.still.insert(i as u32, place);
        Ok(())
    }

    /// Moves a component as a field says, for support number `by`.
    pub fn guide(
        &mut self,
        node: u32,
        direction: usize,
        motion: &Arc<Field>,
        by: usize,
    ) -> Result<(), Conflict> {
        let i = 3 * node as usize + direction;
        if let Some(owner) = self.owner(i) {
            return Err(Conflict { node, direction, owner });
        }
        self.take(i, by);
        self.moved.insert(i as u32, Arc::clone(motion));
        Ok(())
    }

    fn take(&mut self, i: usize, by: usize) {
        self.owner[i] = by as u32 + 1;
        self.count = self.count.max(by + 1);
    }

    /// The support that holds component `i = 3 node + direction`.
    pub fn owner(&self, i: usize) -> Option<usize> {
        self.owner.get(i).and_then(|o| (*o as usize).checked_sub(1))
    }

    /// Whether a support holds component `i`.
    pub fn held(&self, i: usize) -> bool {
        self.owner(i).is_some()
    }

    /// One more than the largest number of a support.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bytes in use, roughly, but for formulas.
    pub fn memory(&self) -> usize {
        // An entry of a tree: key, value, and a third of the room empty.
        24 * self.points.capacity() + 4 * self.owner.capacity() + 20 * (self.still.len() + self.moved.len())
    }

    /// Nothing is held.
    pub fn is_empty(&self) -> bool {
        self.still.is_empty() && self.moved.is_empty()
    }

    /// Whether some component is moved.
    pub fn moves(&self) -> bool {
        !self.moved.is_empty()
    }

    /// Whether a component of a node is moved.
    pub fn moves_node(&self, node: u32) -> bool {
        self.moved.range(3 * node..3 * node + 3).next().is_some()
    }

    /// Writes positions and velocities of the moved components of one node.
    #[inline]
    pub fn drive_node(&self, node: u32, t: f64, x: &mut [f64], v: &mut [f64]) {
        for (i, field) in self.moved.range(3 * node..3 * node + 3) {
            self.place(*i as usize, field, t, x, v);
        }
    }

    /// Writes positions and velocities of all held components.
    pub fn drive(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        for (i, place) in &self.still {
            (x[*i as usize], v[*i as usize]) = (*place, 0.0);
        }
        for (i, field) in &self.moved {
            self.place(*i as usize, field, t, x, v);
        }
    }

    #[inline]
    fn place(&self, i: usize, field: &Field, t: f64, x: &mut [f64], v: &mut [f64]) {
        let point = &self.points[i / 3];
        let (value, rate) = field.at(t, point);
        (x[i], v[i]) = (point[i % 3] + value[0], rate[0]);
    }
}
