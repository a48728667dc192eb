//! The two runs that are compared: one step for all, and a step for each element.

use super::cube::Cube;
use stationary::integrate::Method;
use stationary::integrate::avi::{Avi, AviStart, Buffer, harmonic};
use stationary::integrate::sparse::{Sparse, SparseStart};
use stationary::model::solid::{Problem, Split};

/// The part of the steps of the rule that runs near their limit take: what `studies/resonance` found to hold everywhere.
pub const FRACTION: f64 = 0.8;

/// Explicit steps of one length for all.
pub fn synchronous(cube: &Cube, h: f64, x: Vec<f64>, v: Vec<f64>) -> Result<Sparse<Problem>, String> {
    let start = SparseStart { t: 0.0, h, x, v };
    Sparse::new(cube.problem(), Method::Verlet { order: 2 }, start, 1e-15).map_err(|e| format!("{e:?}"))
}

/// The steps of elements.
pub struct Steps {
    /// By the rule, before rounding.
    pub free: Vec<f64>,
    /// Harmonic.
    pub used: Vec<f64>,
}

impl Steps {
    /// By `eigen` at the fraction, harmonic, neighbours within a factor of two.
    pub fn new(problem: &Problem) -> Result<Self, String> {
        let solid = problem.solid();
        let free = solid
            .steps_eigen(FRACTION, solid.points(), Split::Stiffness)
            .map_err(|fault| problem.fault(&fault).why)?;
        let used = harmonic(problem, &free, Buffer::Jump);
        Ok(Steps { free, used })
    }
}

/// The smallest.
pub fn least(steps: &[f64]) -> f64 {
    steps.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The ideal speed-up of steps [VTI04 (62)].
pub fn lambda(steps: &[f64]) -> f64 {
    steps.len() as f64 / (least(steps) * steps.iter().map(|h| 1.0 / h).sum::<f64>())
}

/// Events in the middle of harmonic steps.
pub fn asynchronous(cube: &Cube, problem: Problem, steps: &[f64]) -> Result<Avi<Problem>, String> {
    let start = start(cube, &problem, steps);
    Avi::with_events_in_the_middle(problem, start).map_err(|e| e.fault.why)
}

/// Free steps, as in the papers.
pub fn free(cube: &Cube, problem: Problem, steps: &[f64]) -> Result<Avi<Problem>, String> {
    let start = start(cube, &problem, steps);
    Avi::new(problem, start).map_err(|e| e.fault.why)
}

fn start(cube: &Cube, problem: &Problem, steps: &[f64]) -> AviStart {
    AviStart {
        t: 0.0,
        x: cube.points.as_flattened().to_vec(),
        v: cube.shaken(),
        mass: problem.solid().mass().to_vec(),
        step: steps.to_vec(),
    }
}
