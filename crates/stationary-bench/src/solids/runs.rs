//! The two runs that are compared: one step for all, and a step for each element.

use super::cube::Cube;
use stationary::integrate::Method;
use stationary::integrate::avi::{Avi, AviStart, Buffer, harmonic};
use stationary::integrate::sparse::{Sparse, SparseStart};
use stationary::model::solid::{MassSplit, SolidProblem};

/// The part of the steps of the rule that runs near their limit take: what `studies/resonance` found to hold everywhere.
pub const FRACTION: f64 = 0.8;

/// Explicit steps of one length for all.
pub fn synchronous(cube: &Cube, h: f64, x: Vec<f64>, v: Vec<f64>) -> Result<Sparse<SolidProblem>, String> {
    let start = SparseStart { t: 0.0, h, x, v };
    Sparse::new(cube.problem(), Method::Verlet { order: 2 }, start, 1e-15).map_err(|e| format!("{e:?}"))
}

/// Steps as in the papers, each element its own: by `eigen`, stretched together to the fraction of the limit of the body.
pub fn free_steps(problem: &SolidProblem) -> Result<Vec<f64>, String> {
    stretched(problem, own_steps(problem)?)
}

/// The same as a scenario makes them: harmonic, neighbours within a factor of two.
pub fn harmonic_steps(problem: &SolidProblem) -> Result<Vec<f64>, String> {
    stretched(problem, harmonic(problem, &own_steps(problem)?, Buffer::Jump))
}

fn own_steps(problem: &SolidProblem) -> Result<Vec<f64>, String> {
    let solid = problem.solid();
    let steps = solid.steps_eigen(FRACTION, solid.points(), MassSplit::Stiffness);
    steps.map_err(|fault| problem.fault(&fault).why)
}

/// Steps that use the fraction of the body's limit.
fn stretched(problem: &SolidProblem, mut steps: Vec<f64>) -> Result<Vec<f64>, String> {
    let solid = problem.solid();
    let used = solid.used_limit(solid.points(), &steps).map_err(|fault| problem.fault(&fault).why)?;
    let longer = (FRACTION / used).max(1.0);
    steps.iter_mut().for_each(|h| *h *= longer);
    Ok(steps)
}

/// The true limit of one step for all, `2/omega_max` at rest.
pub fn true_limit(problem: &SolidProblem) -> Result<f64, String> {
    let solid = problem.solid();
    let one = least(&solid.steps_courant(1.0));
    let used = solid.used_limit(solid.points(), &vec![one; solid.elements()]);
    Ok(one / used.map_err(|fault| problem.fault(&fault).why)?)
}

/// The largest.
pub fn largest(steps: &[f64]) -> f64 {
    steps.iter().copied().fold(0.0, f64::max)
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
pub fn asynchronous(cube: &Cube, problem: SolidProblem, steps: &[f64]) -> Result<Avi<SolidProblem>, String> {
    let start = start(cube, &problem, steps);
    Avi::with_midpoint_events(problem, start).map_err(|e| e.fault.why)
}

/// Free steps, as in the papers.
pub fn free(cube: &Cube, problem: SolidProblem, steps: &[f64]) -> Result<Avi<SolidProblem>, String> {
    let start = start(cube, &problem, steps);
    Avi::new(problem, start).map_err(|e| e.fault.why)
}

fn start(cube: &Cube, problem: &SolidProblem, steps: &[f64]) -> AviStart {
    AviStart {
        t: 0.0,
        x: cube.points.as_flattened().to_vec(),
        v: cube.shaken(),
        mass: problem.solid().mass().to_vec(),
        step: steps.to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stationary::model::solid::ElementKind;

    /// Below the limit vibrations stay, above it they grow.
    #[test]
    fn energy_grows_just_above_the_computed_stability_limit_and_not_below() {
        let cube = Cube::graded(4, ElementKind::Tet4, 0.5);
        let limit = true_limit(&cube.problem()).unwrap();
        let energy = |part: f64| {
            let x = cube.points.as_flattened().to_vec();
            let mut run = synchronous(&cube, part * limit, x, cube.shaken()).unwrap();
            let first: f64 = run.energy().unwrap().iter().sum();
            for _ in 0..600 {
                if run.step().is_err() {
                    return f64::INFINITY;
                }
            }
            run.energy().unwrap().iter().sum::<f64>() / first
        };
        assert!(energy(0.99) < 5.0, "{}", energy(0.99));
        assert!(energy(1.02) > 100.0, "{}", energy(1.02));
    }

    #[test]
    fn ideal_speedup_is_one_for_equal_steps_and_exact_for_two_steps() {
        assert_eq!(lambda(&[2.0, 2.0]), 1.0);
        // (1/1 + 1/1) / (1/1 + 1/4)
        assert!((lambda(&[1.0, 4.0]) - 1.6).abs() < 1e-15);
    }
}
