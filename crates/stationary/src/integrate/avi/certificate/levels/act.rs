//! The kick of a level as the run executes it: with its envelope on the nodes that it shares with the next faster one.

use super::super::boundary::LinearBoundary;
use super::{LinearLevels, Part};
use crate::integrate::avi::Boundary;
use crate::integrate::avi::envelope::iteration::LAMBDA;
use crate::integrate::avi::envelope::shared_nodes;
use crate::integrate::avi::envelope::spectrum::Patch;
use crate::model::{PotentialFault, Potentials};

impl<P: Potentials> LinearLevels<'_, P> {
    /// Chooses how levels act on the nodes that they share with the next faster one; at first with their impulses.
    pub fn set_boundary(&mut self, boundary: Boundary) -> Result<(), PotentialFault> {
        self.boundaries = Vec::new();
        if boundary == Boundary::Impulse {
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
            let made = LinearBoundary::new(self.potentials, &self.levels[l], &self.patch(), (l, &shared));
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

    /// The kick of a level as the run executes it, with all time steps multiplied by `scale`: the nodes that it shares with the next faster level
    /// are first put where its forces are evaluated. The next drift takes them back.
    pub fn act(&mut self, l: usize, scale: f64, v: &mut [f64]) -> Result<(), PotentialFault> {
        let step = scale * self.levels[l].step;
        let Some(Some(boundary)) = self.boundaries.get(l) else { return self.kick(l, step, v) };
        let nodes = boundary.shared.clone();
        let coefficients = boundary.coefficients(scale);
        let before: Vec<f64> = nodes.iter().flat_map(|a| self.at[*a as usize][..3].to_vec()).collect();
        let mut direction = vec![0.0; before.len()];
        let mut displacement = vec![0.0; self.x.len()];
        for [keep, gain] in coefficients {
            self.kick_of(Part::Boundary(l), LAMBDA * step * step, &mut displacement)?;
            for (n, a) in nodes.iter().enumerate() {
                let a = *a as usize;
                for i in 0..3 {
                    let residual = before[3 * n + i] - self.at[a][i] + displacement[3 * a + i];
                    direction[3 * n + i] = keep * direction[3 * n + i] + gain * residual;
                    self.at[a][i] += direction[3 * n + i];
                    self.displaced[3 * a + i] = self.at[a][i];
                }
            }
            let moved = self.boundaries[l].as_ref().map_or(&[][..], |b| &b.level.nodes);
            moved.iter().for_each(|a| displacement[3 * *a as usize..][..3].fill(0.0));
        }
        self.kick(l, step, v)
    }
}
