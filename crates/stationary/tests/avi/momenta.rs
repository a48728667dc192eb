//! Momenta: kept by free bodies, balanced with what comes from outside [AVI03 (56)-(57)].

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviStart, Buffer, MomentumBalance, harmonic};
use stationary::model::Potentials;
use stationary::model::solid::{ElementKind, SolidProblem};

/// Runs a free body for so many updates; returns its largest relative drifts.
fn drifts(kind: ElementKind, updates: u64) -> (f64, f64) {
    let body = match kind.dimension() {
        2 => grid(kind, [8, 8, 0], [1.0, 1.0, 0.0], 1.5, 0.1),
        _ => grid(kind, [4, 3, 2], [1.2, 1.0, 0.7], 1.5, 0.1),
    };
    let solid = body.neo_hookean();
    let start = body.start(&solid, 0.3);
    let mut avi = Avi::new(solid, start).unwrap();
    let span = 0.05 * updates as f64 / avi.steps().iter().map(|h| 1.0 / h).sum::<f64>();
    let (mut linear, mut angular): (f64, f64) = (0.0, 0.0);
    while avi.events().iter().sum::<u64>() < updates {
        avi.advance(avi.time() + span).unwrap();
        let (p, l) = (avi.linear_balance(), avi.angular_balance());
        linear = largest([linear, p.residual() / p.scale]);
        angular = largest([angular, l.residual() / l.scale]);
    }
    (linear, angular)
}

#[test]
fn avi_conserves_momenta_of_a_free_body_over_ten_million_updates() {
    for (kind, updates) in
        [(ElementKind::Tri3, 10_000_000), (ElementKind::Tet4, 3_000_000), (ElementKind::Tet10, 10_000_000)]
    {
        let (linear, angular) = drifts(kind, updates);
        assert!(linear < 1e-12 && angular < 1e-12, "{kind:?}: {linear:e} {angular:e}");
    }
}

/// Impulses of loads and supports, from the events alone.
struct Replay<'a> {
    problem: &'a SolidProblem,
    mass: Vec<f64>,
    /// When each node was last carried.
    clock: Vec<f64>,
    /// One of the fastest elements around each node: constant forces act with it, or another that fires at the same times.
    fastest: Vec<usize>,
    loads: [f64; 3],
    load_moment: [f64; 3],
    reactions: [f64; 3],
}

impl<'a> Replay<'a> {
    fn new(problem: &'a SolidProblem, start: &AviStart) -> Self {
        let zero = [0.0; 3];
        let (mass, clock) = (start.mass.clone(), vec![start.t; start.mass.len()]);
        let mut fastest = vec![usize::MAX; mass.len()];
        for k in 0..problem.count() {
            for a in problem.nodes(k).iter().map(|a| *a as usize) {
                if fastest[a] == usize::MAX || start.step[k] < start.step[fastest[a]] {
                    fastest[a] = k;
                }
            }
        }
        let (loads, load_moment, reactions) = (zero, zero, zero);
        let mut replay = Replay { problem, mass, clock, fastest, loads, load_moment, reactions };
        let (mut x, mut v) = (start.x.clone(), start.v.clone());
        problem.supports().unwrap().impose(start.t, &mut x, &mut v);
        (0..problem.count()).for_each(|k| replay.event(k, start.t, 0.5 * start.step[k], &x));
        replay
    }

    fn event(&mut self, k: usize, t: f64, weight: f64, x: &[f64]) {
        let nodes = self.problem.nodes(k);
        let supports = self.problem.supports().unwrap();
        let (mut gradient, mut dead, mut follower) = ([0.0; 30], [0.0; 30], [0.0; 30]);
        let n = 3 * nodes.len();
        self.problem.gradient(k, t, x, &mut gradient[..n]).unwrap();
        self.problem.load(k, t, x, &mut dead[..n], &mut follower[..n]);
        for (m, a) in nodes.iter().enumerate() {
            let at = 3 * *a as usize;
            let steady = match self.fastest[*a as usize] == k {
                true => self.problem.loads().constant_loads().on(*a as usize),
                false => [0.0; 3],
            };
            let force: [f64; 3] = std::array::from_fn(|i| dead[3 * m + i] + follower[3 * m + i] + steady[i]);
            let moment = cross(&x[at..at + 3], &force);
            // What its support does to a moved node between events: mass times the change of the given velocity.
            let mut rate = [[0.0; 3]; 2];
            for (rate, t) in rate.iter_mut().zip([self.clock[*a as usize], t]) {
                let (mut x, mut v) = (x.to_vec(), vec![0.0; x.len()]);
                impose_on_node(supports, *a, t, &mut x, &mut v);
                rate.copy_from_slice(&v[at..at + 3]);
            }
            self.clock[*a as usize] = t;
            for i in 0..3 {
                self.loads[i] += weight * force[i];
                self.load_moment[i] += weight * moment[i];
                if supports.is_fixed(at + i) {
                    self.reactions[i] += weight * (gradient[3 * m + i] - force[i]);
                    self.reactions[i] += self.mass[*a as usize] * (rate[1][i] - rate[0][i]);
                }
            }
        }
    }
}

fn cross(a: &[f64], b: &[f64]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

fn closed(b: &MomentumBalance) {
    assert!(b.residual() < 1e-12 * b.scale, "{b:?}");
    assert!(largest(b.loads) > 1e-3 && largest(b.reactions) > 1e-3, "{b:?}");
}

#[test]
fn avi_momenta_balance_with_loads_and_supports() {
    for kind in [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4, ElementKind::Tet10] {
        for varying in [false, true] {
            let (problem, start) = everything(kind, 0.4);
            let mut replay = Replay::new(&problem, &start);
            let mut avi = match varying {
                false => Avi::new(problem.clone(), start).unwrap(),
                true => changing(problem.clone(), start),
            };
            for round in 1..=10 {
                avi.advance_watched(0.12 * f64::from(round), |f| {
                    replay.event(f.element, f.time, f.weight, f.x)
                })
                .unwrap();
                closed(&avi.linear_balance());
                closed(&avi.angular_balance());
            }
            if varying {
                // The weight of the start is another.
                continue;
            }
            let (p, l) = (avi.linear_balance(), avi.angular_balance());
            assert!(distance(&p.loads, &replay.loads) < 1e-12, "{kind:?} {:?} {:?}", p.loads, replay.loads);
            assert!(distance(&l.loads, &replay.load_moment) < 1e-12, "{kind:?}");
            assert!(
                distance(&p.reactions, &replay.reactions) < 1e-12,
                "{kind:?} {:?} {:?}",
                p.reactions,
                replay.reactions
            );
            let mut each = [0.0; 3];
            avi.reaction_impulses().iter().for_each(|r| (0..3).for_each(|i| each[i] += r[i]));
            assert!(distance(&each, &p.reactions) < 1e-13);
        }
    }
}

/// However its elements step, a body falls as one: at every time its momentum is its weight times the time.
#[test]
fn avi_momentum_of_a_falling_body_grows_exactly_with_its_weight() {
    let (problem, start) = Setup::new(small(ElementKind::Tet4)).gravity(&["0.1", "0", "-0.2"]).finish(0.4);
    let mass: f64 = start.mass.iter().sum();
    let momentum = |v: &[f64]| -> [f64; 3] {
        std::array::from_fn(|i| v.iter().skip(i).step_by(3).zip(&start.mass).map(|(v, m)| m * v).sum())
    };
    let before = momentum(&start.v);
    let rounded = AviStart { step: harmonic(&problem, &start.step, Buffer::None), ..start.clone() };
    let runs = [
        Avi::new(problem.clone(), start.clone()),
        Avi::with_midpoint_events(problem.clone(), rounded),
        Ok(changing(problem.clone(), start.clone())),
    ];
    for avi in runs {
        let mut avi = avi.unwrap();
        for t in [0.3, 0.71, 1.0] {
            avi.advance(t).unwrap();
            let now = momentum(&avi.snapshot().unwrap().v);
            let fallen = [0.1 * mass * t, 0.0, -0.2 * mass * t];
            let off = (0..3).map(|i| (now[i] - before[i] - fallen[i]).abs());
            assert!(off.clone().all(|off| off < 1e-13), "{t} {:?}", off.collect::<Vec<_>>());
        }
    }
}

/// A body that hangs: what the support gives is the weight, in the mean, and it gives it upwards.
#[test]
fn avi_mean_reaction_of_a_support_equals_the_weight() {
    let setup =
        Setup::new(small(ElementKind::Tri6)).gravity(&["0", "-0.2", "0"]).fix(&[0, 1], 0, |p| p[1] > 0.9);
    let (problem, start) = setup.finish(0.3);
    let weight = 0.2 * start.mass.iter().sum::<f64>();
    let mut avi = Avi::new(problem, start).unwrap();
    let end = 150.0;
    avi.advance(end).unwrap();
    let b = avi.linear_balance();
    assert!((b.loads[1] / end + weight).abs() < 1e-3 * weight);
    let moved = (b.now[1] - b.start[1]).abs() / end;
    assert!(
        moved < 0.05 * weight && (b.reactions[1] / end - weight).abs() < moved + 1e-3 * weight,
        "{b:?} {weight}"
    );
}
