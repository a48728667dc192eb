//! A body with everything that acts on it.

use super::body::Solid;
use super::elements::Fault;
use super::loads::Loads;
use crate::model::{Forced, PotentialFault, Potentials, Supports};

/// A solid with its loads and supports: what integrators run.
#[derive(Debug)]
pub struct Problem {
    solid: Solid,
    loads: Loads,
    supports: Supports,
    /// The user's number of each label.
    tags: Vec<u64>,
}

impl Problem {
    /// A solid under loads and supports; `tags` are the numbers of the elements in the user's mesh, by label.
    pub fn new(solid: Solid, loads: Loads, supports: Supports, tags: Vec<u64>) -> Self {
        Problem { solid, loads, supports, tags }
    }

    /// The solid.
    pub fn solid(&self) -> &Solid {
        &self.solid
    }

    /// The loads.
    pub fn loads(&self) -> &Loads {
        &self.loads
    }

    /// The number of element `k` in the user's mesh.
    pub fn tag(&self, k: usize) -> u64 {
        let (block, k) = self.solid.locate(k);
        self.tag_of(block.label(k))
    }

    fn tag_of(&self, label: usize) -> u64 {
        self.tags.get(label).copied().unwrap_or(label as u64)
    }

    /// A fault in the user's terms.
    pub fn fault(&self, fault: &Fault) -> PotentialFault {
        PotentialFault { number: self.tag_of(fault.element()) as usize, why: fault.why() }
    }
}

impl Potentials for Problem {
    fn count(&self) -> usize {
        self.solid.elements()
    }

    #[inline]
    fn nodes(&self, k: usize) -> &[u32] {
        Potentials::nodes(&self.solid, k)
    }

    #[inline]
    fn gradient(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let (block, k) = self.solid.locate(k);
        block.gradient(k, t, x, out).map_err(|fault| self.fault(&fault))
    }

    fn number(&self, k: usize) -> usize {
        self.tag(k) as usize
    }

    fn loaded(&self, k: usize) -> bool {
        self.loads.on(k)
    }

    fn load(&self, k: usize, t: f64, x: &[f64], dead: &mut [f64], following: &mut [f64]) -> Forced {
        self.loads.forces(k, t, x, dead, following)
    }

    fn supports(&self) -> Option<&Supports> {
        (!self.supports.is_empty()).then_some(&self.supports)
    }
}
