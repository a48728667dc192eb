//! A run put away in an archive and taken out by another that was started alike goes on to the same bits, whatever the integrator.

use super::methods;
use super::systems::{self, Problem, constraints, lagrangian};
use stationary::archive::Archive;
use stationary::integrate::{EnergyStepSpec, Integrator, Interactions, Method};
use stationary::model::Legendre;

/// All that can be asked of a moment, as bits.
fn seen(run: &mut dyn Integrator) -> Vec<u64> {
    let d = run.freedom();
    let mut tangent = vec![0.0; 4 * d * d];
    run.tangent(&mut tangent);
    let energy = run.discrete_energy().unwrap_or(f64::NAN);
    let (action, work) = (run.action().unwrap_or(f64::NAN), run.work().unwrap_or(f64::NAN));
    let multipliers: Vec<f64> = run.multipliers().unwrap_or_default().to_vec();
    let view = run.view();
    let mut all = vec![view.step, run.iterations(), view.t.to_bits()];
    let numbers = [view.q, view.p, view.canonical, &tangent, &multipliers, &[energy, action, work]].concat();
    all.extend(numbers.iter().map(|x| x.to_bits()));
    all
}

/// Broken after some steps; the second one has gone elsewhere before it is set.
fn goes_on(name: &str, start: impl Fn() -> Box<dyn Integrator>) {
    for steps in [0, 1, 2, 37] {
        let (mut whole, mut other) = (start(), start());
        whole.advance(steps).unwrap();
        let mut noted = Archive::writer();
        whole.pass(&mut noted);
        other.advance(5).unwrap();
        let mut archive = Archive::reader(noted.into_bytes());
        other.pass(&mut archive);
        archive.finish().unwrap_or_else(|why| panic!("{name} after {steps} steps: {why}"));
        for k in 0..20 {
            whole.advance(1).unwrap();
            other.advance(1).unwrap();
            assert_eq!(seen(&mut *whole), seen(&mut *other), "{name}: {k} steps after {steps}");
        }
    }
}

#[test]
fn every_integrator_goes_on_from_an_archive() {
    for problem in [systems::pendulum(), systems::kepler(), systems::double_pendulum(), systems::shaken()] {
        for method in methods() {
            let start = || method.start(problem.system.clone(), &problem.start(0.05), 1e-15);
            if start().is_ok() {
                goes_on(&format!("{} {method:?}", problem.name), || start().unwrap());
            }
        }
    }
}

#[test]
fn archived_constrained_forced_reduced_and_energy_stepped_integrators_go_on_to_the_bit() {
    let (q, v) = ([0.6, -0.8], [0.4, 0.3]);
    let system = lagrangian("0.5*(vx^2 + vy^2) - y", 2);
    let mut p = vec![0.0; 2];
    Legendre::new(2).momentum(&*system, 0.0, &q, &v, &mut p);
    let problem = Problem { name: "rod", system, q: q.to_vec(), p, length: 1.0 };
    let tied = constraints(&["x^2 + y^2 - 1"], 2);
    let cyclic = Interactions { cyclic: vec![1], ..Interactions::default() };
    let turning = lagrangian("0.5*(vx^2 + x^2*vy^2) + 1/x", 2);
    let mut runs = 0;
    for method in methods() {
        let start = |interactions: &Interactions| {
            let system = if interactions.cyclic.is_empty() { &problem.system } else { &turning };
            method.start_with(system.clone(), interactions, &problem.start(0.02), 1e-15)
        };
        for interactions in [&tied, &cyclic] {
            if start(interactions).is_ok() {
                goes_on(&format!("{method:?} with interactions"), || start(interactions).unwrap());
                runs += 1;
            }
        }
    }
    assert!(runs > 20, "{runs}");
    let kepler = systems::kepler();
    let choice = (EnergyStepSpec::default(), 1e-15);
    for method in [Method::Midpoint { alpha: 0.5 }, Method::Gauss { stages: 2 }] {
        goes_on(&format!("{method:?} by the energy"), || {
            method
                .start_energy(kepler.system.clone(), &Interactions::default(), &kepler.start(0.02), choice)
                .unwrap()
        });
    }
}
