//! The kick of a level as the run executes it: with its envelope on the nodes that it shares with the next faster one.

use super::super::boundary::LinearBoundary;
use super::{LinearLevels, Part};
use crate::integrate::avi::Boundary;
use crate::integrate::avi::envelope::iteration::LAMBDA;
use crate::integrate::avi::envelope::shared_nodes;
use crate::integrate::avi::envelope::spectrum::Patch;
use crate::model::{PotentialFault, Potentials};
use std::sync::Arc;

impl<P: Potentials> LinearLevels<'_, P> {
    /// Chooses how levels act on the nodes that they share with the next faster one; at first with their impulses.
    pub fn set_boundary(&mut self, boundary: Boundary) -> Result<(), PotentialFault> {
        self.boundaries = Vec::new();
        let boundary = boundary.of(self.potentials);
        if !boundary.has_envelope() {
            return Ok(());
        }
        let mut level = vec![0; self.potentials.count()];
        for (l, all) in self.levels.iter().enumerate() {
            all.list.iter().for_each(|k| level[*k as usize] = l as u8);
        }
        let shared = shared_nodes(self.potentials, &level, self.x.len() / 3);
        let mut v = vec![0.0; self.x.len()];
        let still = v.clone();
        for l in 0..self.levels.len() {
            let (level, place) = (&self.levels[l], (l, &shared[..]));
            let made = LinearBoundary::new(self.potentials, level, &self.patch(), place, boundary);
            self.boundaries.push(made);
            self.displace(l, &still);
            self.kick_of(Part::Boundary(l), 1.0, &mut v)?;
            if let Some(boundary) = &mut self.boundaries[l] {
                boundary.level.set_rest(&mut v);
            }
        }
        Ok(())
    }

    /// The positions about which motions are small, without elements.
    fn patch(&self) -> Patch<'_, P> {
        Patch {
            potentials: self.potentials,
            t: self.t,
            x: self.x,
            inverse_mass: &self.inverse_mass,
            nodes: &[],
            elements: Vec::new(),
        }
    }

    /// All time steps are multiplied by `scale` from now on.
    pub fn set_scale(&mut self, scale: f64) {
        self.boundaries.iter_mut().flatten().for_each(|boundary| boundary.set_scale(scale));
    }

    /// The kick of a level as the run executes it, with all time steps multiplied by the `scale` that was set: the nodes that it shares with the
    /// next faster level are first put where its forces are evaluated. The next drift takes them back.
    pub fn act(&mut self, l: usize, scale: f64, v: &mut [f64]) -> Result<(), PotentialFault> {
        let step = scale * self.levels[l].step;
        let Some(Some(boundary)) = self.boundaries.get(l) else { return self.kick(l, step, v) };
        let (nodes, coefficients, factors) =
            (Arc::clone(&boundary.shared), Arc::clone(&boundary.coefficients), Arc::clone(&boundary.factors));
        let at = |a: &u32| [0, 1, 2].map(|i| self.at[*a as usize][i]);
        let before: Vec<f64> = nodes.iter().flat_map(at).collect();
        let mut direction = vec![0.0; before.len()];
        let mut kicked = std::mem::take(&mut self.kicked);
        for [keep, gain] in coefficients.iter() {
            if let Err(fault) = self.kick_of(Part::Boundary(l), LAMBDA * step * step, &mut kicked) {
                kicked.fill(0.0);
                self.kicked = kicked;
                return Err(fault);
            }
            for (n, a) in nodes.iter().enumerate() {
                let (a, gain) = (*a as usize, gain * factors[n]);
                for i in 0..3 {
                    let residual = before[3 * n + i] - self.at[a][i] + kicked[3 * a + i];
                    direction[3 * n + i] = keep * direction[3 * n + i] + gain * residual;
                    self.at[a][i] += direction[3 * n + i];
                    self.displaced[3 * a + i] = self.at[a][i];
                }
            }
            let moved = self.boundaries[l].as_ref().map_or(&[][..], |b| &b.level.nodes);
            moved.iter().for_each(|a| kicked[3 * *a as usize..][..3].fill(0.0));
        }
        self.kicked = kicked;
        self.kick(l, step, v)
    }
}
