//! Loads and supports: their impulses are those of the forces at the events, whichever elements kick together.

use super::bodies::*;
use super::harmonic_schedule::{compare, rounded};
use stationary::integrate::avi::{Avi, AviStart, FiredEvent};
use stationary::linalg::cross;
use stationary::model::solid::{ElementKind, SolidProblem};
use stationary::model::{Potentials, Supports};
use std::sync::Arc;

const KINDS: [ElementKind; 4] = [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4, ElementKind::Tet10];

/// Half of a body held, partly in one component or on rollers that move, and the other half under pressures and forces that change in time. Some
/// held sides are under pressure too.
fn half_and_half(kind: ElementKind) -> (Arc<SolidProblem>, AviStart) {
    let body = match kind.dimension() {
        2 => grid(kind, [6, 4, 0], [1.3, 1.0, 0.0], 1.4, 0.1),
        _ => grid(kind, [4, 3, 2], [1.3, 1.0, 0.8], 1.4, 0.1),
    };
    let setup = Setup::new(body)
        .gravity(&["0.3*sin(4*t)", "-0.3*t", "0"])
        .traction(&["0.5*X*t", "sin(5*t)", "0"], |p| p[1] > 0.8)
        .pressure("0.1+0.05*sin(3*t)", |p| p[0] > 1.0)
        .pressure("0.1*t*(1+X)", |p| p[1] < 0.1)
        .prescribe(0, "0.03*sin(4*t)", 2, |p| p[0] < 0.15)
        .prescribe(1, "0.02*t*(1+Y)", 1, |p| p[0] < 0.15 && p[1] > 0.5)
        .fix(&[0, 1, 2], 0, |p| p[0] >= 0.15 && p[0] < 0.5)
        .fix(&[1], 3, |p| p[0] >= 0.5 && p[0] < 0.7);
    setup.finish(0.4)
}

#[test]
fn schedules_have_the_same_bits_where_half_of_a_body_is_held_and_half_is_under_changing_loads() {
    for kind in [ElementKind::Tri3, ElementKind::Tet4, ElementKind::Tet10] {
        let (problem, start) = half_and_half(kind);
        compare(&problem, &rounded(&problem, &start), 0.4);
    }
}

#[test]
fn threads_share_ticks_of_a_body_under_changing_loads_with_the_same_bits() {
    let body = grid(ElementKind::Tet4, [12, 10, 8], [1.3, 1.0, 0.8], 1.5, 0.05);
    let setup = Setup::new(body)
        .gravity(&["0.1*t", "-0.3", "0"])
        .pressure("0.1*sin(9*t)", |p| p[2] > 0.7)
        .prescribe(2, "0.01*sin(9*t)", 1, |p| p[0] < 0.03)
        .fix(&[0, 1], 0, |p| p[0] < 0.5);
    let (problem, start) = setup.finish(0.4);
    let start = rounded(&problem, &start);
    for middle in [false, true] {
        let runs = [1, 2, 3].map(|threads| {
            let mut run = match middle {
                true => Avi::with_midpoint_events(problem.clone(), start.clone()).unwrap(),
                false => Avi::new(problem.clone(), start.clone()).unwrap(),
            };
            run.set_threads(threads);
            run.advance(0.5).unwrap();
            assert!(run.updates() > 300_000, "{}", run.updates());
            super::state::bits(&run.state())
        });
        assert!(runs.iter().all(|run| *run == runs[0]));
    }
}

/// The impulses and moments of supports and loads, and the work of supports, from the forces of every element at its events.
struct Impulses<'a> {
    problem: &'a SolidProblem,
    supports: &'a Supports,
    reactions: Vec<[f64; 3]>,
    moment: [f64; 3],
    loads: [f64; 3],
}

impl Impulses<'_> {
    fn add(&mut self, k: usize, t: f64, weight: f64, x: &[f64]) {
        let nodes = self.problem.nodes(k);
        let mut forces = [[0.0; 81]; 3].map(|f| f[..3 * nodes.len()].to_vec());
        let [gradient, dead, follower] = &mut forces;
        self.problem.gradient(k, t, x, gradient).unwrap();
        if self.problem.loaded(k) {
            self.problem.load(k, t, x, dead, follower);
        }
        for (n, a) in nodes.iter().map(|a| *a as usize).enumerate() {
            let mut own = [0.0; 3];
            for i in 0..3 {
                let load = dead[3 * n + i] + follower[3 * n + i];
                self.loads[i] += weight * load;
                if let Some(owner) = self.supports.owner(3 * a + i) {
                    own[i] = weight * (gradient[3 * n + i] - load);
                    self.reactions[owner][i] += own[i];
                }
            }
            let moment = cross(&x[3 * a..3 * a + 3], &own);
            (0..3).for_each(|i| self.moment[i] += moment[i]);
        }
    }
}

/// Supports at rest here: what a moving one adds is the change of momentum of its nodes, for which the balances below stand.
#[test]
fn reactions_are_the_sums_of_the_forces_on_held_components_at_the_events() {
    for kind in KINDS {
        for harmonic in [true, false] {
            let setup = Setup::new(small(kind))
                .pressure("0.1+0.05*sin(3*t)", |p| p[0] > 1.1 || p[1] < 0.1)
                .traction(&["sin(5*t)", "0.5*t*X", "0"], |p| p[1] > 0.8)
                .fix(&[0, 1, 2], 0, |p| p[0] < 0.3)
                .fix(&[1], 1, |p| p[0] >= 0.3 && p[0] < 0.8);
            let (problem, mut start) = setup.finish(0.4);
            if harmonic {
                start = rounded(&problem, &start);
            }
            let supports = problem.supports().unwrap();
            let reactions = vec![[0.0; 3]; supports.count()];
            let (moment, loads) = ([0.0; 3], [0.0; 3]);
            let mut sums = Impulses { problem: &problem, supports, reactions, moment, loads };
            let mut x = start.x.clone();
            supports.impose(0.0, &mut x, &mut start.v.clone());
            (0..problem.count()).for_each(|k| sums.add(k, 0.0, 0.5 * start.step[k], &x));
            let mut avi = Avi::new(problem.clone(), start).unwrap();
            let mut same = avi.clone();
            avi.advance_watched(0.4, |FiredEvent { element, time, weight, x }| {
                sums.add(element, time, weight, x)
            })
            .unwrap();
            same.advance(0.4).unwrap();
            for avi in [&avi, &same] {
                let found = avi.reaction_impulses();
                let size = largest(found.concat());
                assert!(size > 1e-3, "{found:?}");
                assert!(distance(&found.concat(), &sums.reactions.concat()) < 1e-12 * size, "{found:?}");
                let moments = avi.angular_balance();
                assert!(distance(&moments.reactions, &sums.moment) < 1e-12 * moments.scale, "{moments:?}");
                assert!(distance(&avi.linear_balance().loads, &sums.loads) < 1e-12 * size);
            }
        }
    }
}

#[test]
fn momenta_balance_to_rounding_where_half_of_a_body_is_held_and_half_is_under_changing_loads() {
    for kind in KINDS {
        for harmonic in [true, false] {
            let (problem, mut start) = half_and_half(kind);
            if harmonic {
                start = rounded(&problem, &start);
            }
            let mut avi = Avi::new(problem, start).unwrap();
            for row in 1..=5 {
                avi.advance(0.1 * f64::from(row)).unwrap();
                let [linear, angular] = [avi.linear_balance(), avi.angular_balance()];
                assert!(linear.residual() < 1e-13 * linear.scale, "{kind:?} {linear:?}");
                assert!(angular.residual() < 1e-13 * angular.scale, "{kind:?} {angular:?}");
                assert!(largest(linear.reactions) > 1e-3 && largest(linear.loads) > 1e-3);
            }
        }
    }
}

/// The energy that loads and supports supply is that of the body, up to the error of the method: second order in the steps.
#[test]
fn work_of_loads_and_supports_balances_the_energy_with_second_order() {
    for kind in [ElementKind::Tri3, ElementKind::Tet4] {
        let (problem, start) = half_and_half(kind);
        let start = rounded(&problem, &start);
        let least = start.step.iter().copied().fold(1.0, f64::min);
        let error = |fraction: f64| {
            let start = AviStart { step: vec![fraction * least; start.step.len()], ..start.clone() };
            let mut avi = Avi::new(problem.clone(), start).unwrap();
            let first = avi.snapshot().unwrap();
            let mut worst = 0.0;
            let mut work = 0.0;
            for row in 1..=20 {
                avi.advance(0.02 * f64::from(row)).unwrap();
                let now = avi.snapshot().unwrap();
                work = largest([work, now.work - first.work]);
                let gained = now.kinetic + now.potential - first.kinetic - first.potential;
                worst = largest([worst, gained - (now.work - first.work)]);
            }
            assert!(work > 1e-3, "{work}");
            worst
        };
        let [coarse, fine] = [1.0, 0.25].map(error);
        println!("{kind:?}: {coarse:e} {fine:e}");
        assert!(fine < coarse / 10.0, "{kind:?}: {coarse:e} {fine:e}");
    }
}
