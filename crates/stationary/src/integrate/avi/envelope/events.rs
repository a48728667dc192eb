//! The envelope where events are executed one by one: the same operations as in the harmonic schedule, in the same order.

use super::super::harmonic_schedule::level_part::{SharedArrays, Thread};
use super::super::history::Slot;
use super::super::{Avi, AviError};
use super::Boundary;
use crate::model::Potentials;

impl<P: Potentials> Avi<P> {
    /// How slower levels act on the nodes that they share with faster ones.
    pub fn boundary(&self) -> Boundary {
        self.envelope.as_ref().map_or(Boundary::Impulse, |envelope| envelope.boundary)
    }

    /// Evaluations of the elements at level boundaries for one event of theirs, by levels with a boundary; without the one of the event itself.
    pub fn envelope_evaluations(&self) -> Vec<usize> {
        let levels = self.envelope.iter().flat_map(|e| e.levels.iter().flatten());
        levels.map(|boundary| boundary.whole.iterations()).collect()
    }

    /// Before the events of a level at a time: its nodes at the boundary drift to this time, and the shared ones are then put where its forces
    /// are to be evaluated.
    pub(in super::super) fn open_boundary(
        &mut self,
        level: usize,
        t: f64,
        slot: Slot,
    ) -> Result<(), AviError> {
        let Some(mut envelope) = self.envelope.take() else { return Ok(()) };
        let mut result = Ok(());
        let levels = envelope.levels();
        if let Some(boundary) = levels.get(level).and_then(Option::as_ref) {
            for k in boundary.elements.iter().map(|k| *k as usize) {
                self.drift_any(k, t);
            }
            for a in
                boundary.elements.iter().flat_map(|k| self.potentials.nodes(*k as usize)).map(|a| *a as usize)
            {
                (0..3).for_each(|i| envelope.at[a][i] = self.x[3 * a + i]);
            }
            let pointers = envelope.arrays();
            let at = envelope.at.as_mut_ptr();
            let mut scratch = std::mem::take(&mut self.scratch);
            let arrays = SharedArrays { envelope: pointers, ..self.shared_arrays(at, &[]) };
            let mut thread = Thread { number: 0, scratch: &mut scratch };
            // Elements are evaluated one by one: no position may overflow unseen.
            let mut overflow_safe = false;
            // SAFETY: the arrays are those of this integrator and its envelope, both borrowed exclusively.
            let iterated =
                unsafe { boundary.whole.iterate(&arrays, (t, slot), &mut overflow_safe, &mut thread) };
            if let Err(failure) = iterated {
                // SAFETY: as above.
                unsafe { boundary.abandon(&arrays) };
                result = Err(AviError { time: self.clocks.start + t, fault: failure.fault });
            }
            self.scratch = scratch;
        }
        self.envelope = Some(envelope);
        result
    }

    /// After the events of a level at a time, or where one of them failed.
    pub(in super::super) fn close_boundary(&mut self, level: usize, succeeded: bool) {
        let Some(mut envelope) = self.envelope.take() else { return };
        let pointers = envelope.arrays();
        let at = envelope.at.as_mut_ptr();
        if let Some(boundary) = envelope.level(level) {
            let arrays = SharedArrays { envelope: pointers, ..self.shared_arrays(at, &[]) };
            // SAFETY: the arrays are those of this integrator and its envelope, both borrowed exclusively.
            unsafe {
                if succeeded {
                    boundary.finish(&arrays);
                } else {
                    boundary.abandon(&arrays);
                }
            }
        }
        self.envelope = Some(envelope);
    }
}
