//! The boundary of a level with the next faster one in the march, where the level acts with its envelope.
//!
//! The proofs for levels with their impulses hold for envelopes, too. For small motions the envelope, with whatever number of iterations,
//! has a stiffness `0 <= K~ <= K`: see the module `envelope`. Where all `Y_l` are positive definite the discrete action of a period is the
//! minimum over the positions at all events of a sum that falls with every `K_l`, so that it rises if some `K_l` become smaller, and with it `G_l`
//! (the action of motions that begin or end at zero) and `Y_(l+1) = 2 G_l - H K_(l+1)`. By induction all `Y_l` stay positive definite.

use super::super::envelope::spectrum::Patch;
use super::super::envelope::{Boundary, Spectrum};
use super::levels::Level;
use crate::model::Potentials;
use std::sync::Arc;

/// The elements of a level that have a node shared with the next faster level.
#[derive(Debug)]
pub(super) struct LinearBoundary {
    pub level: Level,
    /// The shared nodes, ascending.
    pub shared: Arc<[u32]>,
    spectrum: Spectrum,
    /// The coefficients of the iteration and the factor of each shared node, with all time steps multiplied by a scale.
    pub coefficients: Arc<[[f64; 2]]>,
    pub factors: Arc<[f64]>,
}

impl LinearBoundary {
    /// The boundary of level `l`, where `shared` has the slower of two levels for each node; `None` if there is none.
    pub fn new<P: Potentials>(
        potentials: &P,
        level: &Level,
        about: &Patch<'_, P>,
        (l, shared): (usize, &[Option<u8>]),
        boundary: Boundary,
    ) -> Option<Self> {
        let is_shared = |a: &u32| shared[*a as usize] == Some(l as u8);
        let nodes: Vec<u32> = level.nodes.iter().copied().filter(is_shared).collect();
        if nodes.is_empty() {
            return None;
        }
        let touches = |k: &u32| potentials.nodes(*k as usize).iter().any(is_shared);
        let list: Vec<u32> = level.list.iter().copied().filter(touches).collect();
        let patch = Patch { nodes: &nodes, elements: list.clone(), ..*about };
        let spectrum = Spectrum::new(&patch, boundary, level.step);
        let level = Level::new(potentials, list, level.step, about.inverse_mass);
        let (coefficients, factors) = (Arc::default(), Arc::default());
        let mut made = LinearBoundary { level, shared: nodes.into(), spectrum, coefficients, factors };
        made.set_scale(1.0);
        Some(made)
    }

    /// Follows a factor of all time steps.
    pub fn set_scale(&mut self, scale: f64) {
        let step = scale * self.level.step;
        self.coefficients = self.spectrum.coefficients(step).into();
        self.factors = (0..self.shared.len()).map(|n| self.spectrum.factor(n, step)).collect();
    }

    /// Evaluations of each element for one event of the level, beside those of the event itself.
    pub fn iterations(&self) -> usize {
        self.coefficients.len()
    }
}
