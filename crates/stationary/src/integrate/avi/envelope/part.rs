//! The iteration on the nodes that one thread owns.

use super::super::harmonic_schedule::level_part::{
    ElementFailure, KickTime, LevelPart, Nodes, SharedArrays, Thread,
};
use super::super::history::Slot;
use super::iteration::LAMBDA;
use crate::model::{FieldValues, OVERFLOW_SAFE, Potentials};
use std::sync::Arc;

/// Arrays of the iteration, three numbers for each node: the positions and velocities before, the last direction, and
/// `-(lambda/m) grad V` at the present positions. Null if there is no envelope.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct EnvelopeArrays {
    pub x: *mut f64,
    pub v: *mut f64,
    pub direction: *mut f64,
    pub displacement: *mut f64,
}

impl EnvelopeArrays {
    pub const NONE: Self = EnvelopeArrays {
        x: std::ptr::null_mut(),
        v: std::ptr::null_mut(),
        direction: std::ptr::null_mut(),
        displacement: std::ptr::null_mut(),
    };
}

/// The boundary of a level as far as one thread owns its nodes.
#[derive(Debug, Clone)]
pub(in super::super) struct EnvelopePart {
    /// The elements, whose kicks are displacements here.
    elements: LevelPart,
    /// Those of them that have loads.
    loaded: Vec<u32>,
    /// The shared nodes that the thread owns.
    nodes: Vec<u32>,
    lambda: f64,
    coefficients: Vec<[f64; 2]>,
    /// By what the gain of each of these nodes is multiplied.
    factors: Vec<f64>,
}

impl EnvelopePart {
    pub fn new<P: Potentials>(
        potentials: &P,
        elements: Arc<[u32]>,
        nodes: Vec<u32>,
        own: &dyn Fn(u32) -> bool,
    ) -> Self {
        let of = Nodes { own, element_of_load: &|_| None, moves: |_| false };
        let loaded = elements.iter().copied().filter(|k| potentials.loaded(*k as usize)).collect();
        EnvelopePart {
            elements: LevelPart::new(potentials, elements, 0.0, of),
            loaded,
            nodes,
            lambda: 0.0,
            coefficients: Vec::new(),
            factors: Vec::new(),
        }
    }

    /// For a time step of the slow level, with the coefficients of its iterations and a factor for each of the nodes.
    pub fn set_step(&mut self, step: f64, coefficients: Vec<[f64; 2]>, factors: Vec<f64>) {
        self.lambda = LAMBDA * step * step;
        self.elements.set_weight(self.lambda);
        self.coefficients = coefficients;
        self.factors = factors;
    }

    /// Number of iterations.
    pub fn iterations(&self) -> usize {
        self.coefficients.len()
    }

    pub fn memory(&self) -> usize {
        self.elements.memory()
            + size_of_val(&*self.elements.list)
            + size_of::<u32>() * (self.loaded.capacity() + self.nodes.capacity())
    }

    /// Notes positions and velocities of the shared nodes.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a drift by this thread; here and below there are [`EnvelopeArrays`].
    pub unsafe fn begin<P>(&self, arrays: &SharedArrays<'_, P>) {
        let EnvelopeArrays { x, v, direction, displacement } = arrays.envelope;
        for at in self.nodes.iter().map(|a| 3 * *a as usize) {
            // SAFETY: guaranteed by this function's contract: this thread owns the node.
            unsafe {
                *x.add(at).cast::<[f64; 3]>() = *arrays.x.add(at).cast();
                *v.add(at).cast::<[f64; 3]>() = *arrays.v.add(at).cast();
                *direction.add(at).cast::<[f64; 3]>() = [0.0; 3];
                *displacement.add(at).cast::<[f64; 3]>() = [0.0; 3];
            }
        }
    }

    /// Adds `-(lambda/m) grad V` at the present positions to the displacements, loads included.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a kick by this thread.
    pub unsafe fn evaluate<P: Potentials>(
        &self,
        arrays: &SharedArrays<'_, P>,
        time: KickTime,
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        let displacements = SharedArrays { v: arrays.envelope.displacement, ..*arrays };
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            self.elements.kick(&displacements, time, thread)?;
            self.evaluate_loads(arrays, time, thread);
        }
        Ok(())
    }

    /// Adds the part of the loads. A load that is not a finite number is found at the event itself.
    ///
    /// # Safety
    /// As for [`evaluate`](Self::evaluate).
    unsafe fn evaluate_loads<P: Potentials>(
        &self,
        arrays: &SharedArrays<'_, P>,
        time: KickTime,
        thread: &mut Thread<'_>,
    ) {
        if self.loaded.is_empty() {
            return;
        }
        // SAFETY: guaranteed by this function's contract: no thread writes positions now.
        let (potentials, x) =
            unsafe { (&*arrays.potentials, std::slice::from_raw_parts(arrays.x, 3 * arrays.nodes)) };
        let mut fields = FieldValues::new(arrays.start + time.t);
        for k in &self.loaded {
            let nodes = potentials.nodes(*k as usize);
            let (dead, follower) = thread.scratch.split_at_mut(3 * nodes.len());
            let follower = &mut follower[..3 * nodes.len()];
            potentials.load_at(*k as usize, &mut fields, x, dead, follower);
            for (n, a) in nodes.iter().enumerate().filter(|(_, a)| self.nodes.binary_search(a).is_ok()) {
                for i in 0..3 {
                    let at = 3 * *a as usize + i;
                    let force = dead[3 * n + i] + follower[3 * n + i];
                    // SAFETY: guaranteed by this function's contract: this thread owns the node.
                    unsafe {
                        let weight = self.lambda * *arrays.inverse_mass.add(at);
                        *arrays.envelope.displacement.add(at) += weight * force;
                    }
                }
            }
        }
    }

    /// Moves the shared nodes by iteration `j`; false if a position is not below [`OVERFLOW_SAFE`].
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a drift by this thread.
    pub unsafe fn update<P>(&self, arrays: &SharedArrays<'_, P>, j: usize) -> bool {
        let [keep, gain] = self.coefficients[j];
        let mut overflow_safe = true;
        let EnvelopeArrays { x: before, direction, displacement, .. } = arrays.envelope;
        for (a, factor) in self.nodes.iter().zip(&self.factors) {
            let gain = gain * factor;
            let first = 3 * *a as usize;
            // SAFETY: guaranteed by this function's contract: this thread owns the node.
            let (x, at, direction, displacement, before, inverse_mass) = unsafe {
                (
                    &mut *arrays.x.add(first).cast::<[f64; 3]>(),
                    &mut *arrays.at.add(*a as usize),
                    &mut *direction.add(first).cast::<[f64; 3]>(),
                    &mut *displacement.add(first).cast::<[f64; 3]>(),
                    *before.add(first).cast::<[f64; 3]>(),
                    *arrays.inverse_mass.add(first).cast::<[f64; 3]>(),
                )
            };
            for i in 0..3 {
                // A prescribed component stays where it is.
                if inverse_mass[i] > 0.0 {
                    let residual = (before[i] - x[i]) + displacement[i];
                    direction[i] = keep * direction[i] + gain * residual;
                    x[i] += direction[i];
                    at[i] = x[i];
                    overflow_safe &= x[i].abs() < OVERFLOW_SAFE;
                }
            }
            *displacement = [0.0; 3];
        }
        overflow_safe
    }

    /// The whole iteration, by one thread.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], with no other thread at work.
    pub unsafe fn iterate<P: Potentials>(
        &self,
        arrays: &SharedArrays<'_, P>,
        (t, slot): (f64, Slot),
        overflow_safe: &mut bool,
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            self.begin(arrays);
            for j in 0..self.iterations() {
                let time = KickTime { t, overflow_safe: *overflow_safe, slot: slot.uncommitted() };
                self.evaluate(arrays, time, thread)?;
                *overflow_safe &= self.update(arrays, j);
            }
        }
        Ok(())
    }
}
