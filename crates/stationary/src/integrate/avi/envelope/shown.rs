//! The positions of shared nodes between events.
//!
//! In a state of rest with the slow force `f_s = -grad V_s` at a shared node, the node has the velocity `h f_s/m` from the slow event to the
//! next fast one, `-h f_s/m` from the fast event before to the slow one, and zero between fast events without a slow one among them. Its
//! true position is that at the fast events. At a time at the distance `tau` from the nearest fast event, between the two fast events around a slow
//! one, the node is therefore off by `-h tau f_s/m`. It is shown at
//!
//! ```text
//! y_a = x_a - (theta/m_a) dV_s/dy_a,    theta = h tau <= h^2/2,
//! ```
//!
//! which at the time of the slow event is where the level's forces are evaluated. Windows of successive levels overlap, so that
//! all levels are solved together. In motion this is second-order accurate, since the forces on a node balance up to its acceleration. The state
//! itself is not changed.

use super::super::harmonic_schedule::level_part::{KickTime, SharedArrays, Thread};
use super::super::history::Slot;
use super::super::work_balance::WorkBalance;
use super::super::{Avi, AviError};
use super::iteration::coefficients;
use super::{EnvelopeArrays, LevelBoundary, of_node};
use crate::model::{OVERFLOW_SAFE, Potentials};

/// The error of the iteration: nothing is accumulated from it.
const TOLERANCE: f64 = 1e-7;

impl<P: Potentials> Avi<P> {
    /// Moves shared nodes from where they are at the time reached to where they are shown.
    pub(in super::super) fn show_shared_nodes(&self, x: &mut [f64]) -> Result<(), AviError> {
        let Some(envelope) = &self.envelope else { return Ok(()) };
        let swinging = |b| Some((b, self.swing(b))).filter(|(_, part)| *part > 0.0);
        let active: Vec<(&LevelBoundary, f64)> =
            envelope.levels.iter().flatten().filter_map(swinging).collect();
        let spectrum = |b: &LevelBoundary| b.spectrum.largest_of_step(b.step(&self.clocks));
        let widest = active.iter().map(|(b, part)| part * spectrum(b)).fold(0.0, f64::max);
        if active.is_empty() {
            return Ok(());
        }
        // Elements are only evaluated.
        let mut history = self.history.clone();
        let mut balance = WorkBalance::default();
        let before = x.to_vec();
        let mut at: Vec<[f64; 4]> = x
            .chunks_exact(3)
            .zip(self.inverse_mass.chunks_exact(3))
            .map(|(x, i)| [x[0], x[1], x[2], of_node(i)])
            .collect();
        let mut displacement = vec![0.0; x.len()];
        let is_free = |i: usize| self.inverse_mass[i] > 0.0;
        let mut direction = vec![0.0; x.len()];
        let mut scratch = vec![0.0; self.scratch.len()];
        for [keep, gain] in coefficients(1.0, widest, TOLERANCE) {
            let overflow_safe = at.iter().all(|a| a[..3].iter().all(|x| x.abs() < OVERFLOW_SAFE));
            let arrays = SharedArrays {
                start: self.clocks.start,
                potentials: &raw const self.potentials,
                x: x.as_mut_ptr(),
                v: displacement.as_mut_ptr(),
                node_time: std::ptr::null_mut(),
                at: at.as_mut_ptr(),
                mass: self.mass.as_ptr(),
                inverse_mass: self.inverse_mass.as_ptr(),
                envelope: EnvelopeArrays { displacement: displacement.as_mut_ptr(), ..EnvelopeArrays::NONE },
                history: history.share(),
                balance: balance.share(),
                nodes: self.mass.len(),
                owner: &[],
            };
            for (boundary, part) in &active {
                let mut thread = Thread { number: 0, scratch: &mut scratch };
                let slot = Slot::between_events(self.clocks.event_count(boundary.first_element()));
                let time = KickTime { t: self.time, overflow_safe, slot };
                // SAFETY: the arrays belong to this function; neither node times nor nodal forces are used by an evaluation.
                let evaluated = unsafe { boundary.whole.evaluate(&arrays, time, &mut thread) };
                evaluated.map_err(|failure| AviError { time: self.time(), fault: failure.fault })?;
                for i in boundary.components().filter(|i| is_free(*i)) {
                    let residual = (before[i] - x[i]) + part * displacement[i];
                    direction[i] = keep * direction[i] + gain * residual;
                }
                // Its elements also have nodes that the next slower level shares with it.
                displacement.fill(0.0);
            }
            for i in active.iter().flat_map(|(boundary, _)| boundary.components()) {
                x[i] += direction[i];
                at[i / 3][i % 3] = x[i];
            }
        }
        Ok(())
    }

    /// `theta/lambda` of a level at the time reached.
    fn swing(&self, boundary: &LevelBoundary) -> f64 {
        let step = boundary.step(&self.clocks);
        let phase = ((self.time - self.clocks.origin) / step).rem_euclid(1.0);
        1.0 - 4.0 * (phase - 0.5).abs()
    }
}

impl LevelBoundary {
    /// The components of the shared nodes.
    fn components(&self) -> impl Iterator<Item = usize> {
        self.nodes.iter().flat_map(|a| 3 * *a as usize..3 * *a as usize + 3)
    }
}
