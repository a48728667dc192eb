//! The rows of formulas: what runs, what it is compared with, and the bar it must stay below.

use crate::measure::measure;
use crate::row::BenchRow;
use crate::systems::{Floor, Kepler, KeplerByHand, ParticleByHand, Pendulum};
use crate::systems::{automatic, circle_text, double_well_text, ellipse_text};
use crate::systems::{kepler_text, lattice_text, particle_text, pendulum_text};
use stationary::contact::{ContactLaw, Gap, Gaps};
use stationary::integrate::{EnergyStepSpec, Integrator, Interactions, Method, Start};
use stationary::model::Lagrangian;
use std::sync::Arc;

unsafe extern "C" {
    fn kepler_verlet(state: *mut f64, h: f64, steps: i64);
    fn pendulum_midpoint(state: *mut f64, h: f64, steps: i64);
    fn pendulum_gauss2(state: *mut f64, h: f64, steps: i64);
    fn pendulum_rattle(state: *mut f64, h: f64, steps: i64);
    fn particle_bounce(state: *mut f64, h: f64, steps: i64);
    fn ellipse_bounce(state: *mut f64, h: f64, steps: i64);
}

/// A hand-written loop in C: moves positions, then velocities, by steps of a length.
pub type Loop = unsafe extern "C" fn(*mut f64, f64, i64);

/// What a row is compared with.
pub enum Reference {
    /// A loop in C and the state it moves.
    Loop {
        /// The loop.
        run: Loop,
        /// Positions, then velocities.
        state: Vec<f64>,
        /// The step.
        h: f64,
    },
    /// One of our own integrators, which need not make the same steps.
    Ours(Box<dyn Integrator>),
}

impl Reference {
    fn new(start: &Start, run: Loop) -> Self {
        Reference::Loop { run, state: [start.q.as_slice(), &start.p].concat(), h: start.h }
    }

    /// Makes steps.
    pub fn advance(&mut self, steps: u64) {
        match self {
            // SAFETY: the loops of `reference.c` read and write as many numbers as their system has positions and
            // velocities, which is what `state` was filled with, and keep no pointer.
            Reference::Loop { run, state, h } => unsafe { run(state.as_mut_ptr(), *h, steps as i64) },
            Reference::Ours(integrator) => integrator.advance(steps).expect("a run of ours"),
        }
    }
}

/// What runs, beside what it is compared with.
pub struct Case {
    /// What it is compared with.
    pub reference: Option<Reference>,
    /// What is measured.
    pub candidate: Box<dyn Integrator>,
    /// Times are divided by this: 1, or the number of particles.
    pub share: f64,
}

impl Case {
    /// Whether both are at the same state after the steps, to rounding that has had time to grow.
    ///
    /// The unit masses make momenta velocities.
    pub fn agrees_after(&mut self, steps: u64) -> bool {
        let Some(reference) = &mut self.reference else { return true };
        reference.advance(steps);
        self.candidate.advance(steps).expect("a run of ours");
        let view = self.candidate.view();
        let ours = view.q.iter().chain(view.p);
        let Reference::Loop { state, .. } = reference else { return true };
        ours.zip(state.iter()).all(|(a, b)| (a - b).abs() < 1e-9)
    }
}

/// The rows of formulas.
pub fn rows() -> Vec<BenchRow> {
    let verlet = Method::Verlet { order: 2 };
    let midpoint = Method::Midpoint { alpha: 0.5 };
    let gauss = |stages| Method::Gauss { stages };
    let erased = || -> Arc<dyn Lagrangian> { kepler_text() };
    vec![
        row("formulas", "kepler-hand", "kepler, verlet, derivatives by hand", Some(1.1), move || {
            kepler(verlet, KeplerByHand::new())
        }),
        row("formulas", "kepler-automatic", "kepler, verlet, derivatives automatic", Some(1.1), move || {
            kepler(verlet, automatic(Kepler))
        }),
        row("formulas", "kepler-text", "kepler, verlet, from text", Some(1.3), move || {
            kepler(verlet, kepler_text())
        }),
        row("formulas", "kepler-pointer", "the same behind a pointer", Some(1.3), move || {
            kepler(verlet, erased())
        }),
        row("formulas", "midpoint-automatic", "pendulum, midpoint, automatic", Some(1.5), move || {
            pendulum(midpoint, automatic(Pendulum))
        }),
        row("formulas", "midpoint-text", "pendulum, midpoint, from text", Some(1.5), move || {
            pendulum(midpoint, pendulum_text())
        }),
        row("formulas", "gauss-automatic", "pendulum, gauss 2, automatic", Some(1.5), move || {
            pendulum(gauss(2), automatic(Pendulum))
        }),
        row("formulas", "gauss-text", "pendulum, gauss 2, from text", Some(1.5), move || {
            pendulum(gauss(2), pendulum_text())
        }),
        row("formulas", "circle-text", "pendulum on a circle, rattle, from text", Some(2.0), move || {
            circle(verlet)
        }),
        row("impacts", "particle-hand", "bouncing particle, by hand", Some(2.0), || {
            particle((ParticleByHand::new(), Arc::new(Floor)))
        }),
        row("impacts", "particle-text", "bouncing particle, from text", Some(2.0), || {
            particle(particle_text())
        }),
        row("impacts", "ellipse-text", "bouncing ellipse, from text", Some(2.0), || ellipse(ellipse_text())),
        row("formulas", "kepler-rk4", "kepler, rk4, from text; no reference", None, || {
            alone(kepler(Method::RungeKutta4, kepler_text()))
        }),
        row("formulas", "kepler-gauss-2", "kepler, gauss 2, from text; no reference", None, move || {
            alone(kepler(gauss(2), kepler_text()))
        }),
        row("formulas", "kepler-gauss-3", "kepler, gauss 3, from text; no reference", None, move || {
            alone(kepler(gauss(3), kepler_text()))
        }),
        row(
            "energy",
            "energy-automatic",
            "pendulum, steps by energy over fixed ones, automatic",
            Some(3.0),
            || chosen(automatic(Pendulum), automatic(Pendulum), 1.2),
        ),
        row("energy", "energy-text", "the same from text", Some(3.0), || {
            chosen(pendulum_text(), pendulum_text(), 1.2)
        }),
        // Between 2.9 and 3.1 by the start: near the bottom a fixed step needs only two iterations.
        row("energy", "energy-wells", "double well, the same from text", None, || {
            chosen(double_well_text(), double_well_text(), 0.9)
        }),
        BenchRow::new(
            "formulas",
            "lattice-text",
            "lattice, verlet, from text, for each particle; no reference",
            || measure(lattice(64)),
        ),
    ]
}

type Pair = (Option<Reference>, Box<dyn Integrator>);

fn row(
    group: &'static str,
    name: &'static str,
    what: &'static str,
    bar: Option<f64>,
    pair: impl Fn() -> Pair + 'static,
) -> BenchRow {
    let row = BenchRow::new(group, name, what, move || {
        let (reference, candidate) = pair();
        measure(Case { reference, candidate, share: 1.0 })
    });
    match bar {
        Some(bar) => row.at_most(bar),
        None => row,
    }
}

/// Without a loop to compare with.
fn alone((_, candidate): Pair) -> Pair {
    (None, candidate)
}

fn kepler<L: Lagrangian + 'static>(method: Method, system: L) -> Pair {
    let start = Start { t: 0.0, q: vec![1.6, 0.0], p: vec![0.0, 0.5], h: 0.01 };
    pair(method, system, start, kepler_verlet)
}

fn pendulum<L: Lagrangian + 'static>(method: Method, system: L) -> Pair {
    let start = Start { t: 0.0, q: vec![2.0], p: vec![0.0], h: 0.1 };
    let run = if matches!(method, Method::Gauss { .. }) { pendulum_gauss2 } else { pendulum_midpoint };
    pair(method, system, start, run)
}

/// The pendulum in the plane, held on its circle by a constraint.
fn circle(method: Method) -> Pair {
    let start = Start { t: 0.0, q: vec![0.8, 0.6], p: vec![0.0, 0.0], h: 0.05 };
    let reference = Reference::new(&start, pendulum_rattle);
    let (system, constraint) = circle_text();
    let interactions = Interactions { constraint: Some(constraint), ..Interactions::default() };
    (Some(reference), method.start_with(system, &interactions, &start, 1e-15).expect("a start of ours"))
}

/// The bouncing particle of FET03 Fig. 5.1.
fn particle<L: Lagrangian + 'static>(system: (L, Arc<dyn Gap>)) -> Pair {
    let start = Start { t: 0.0, q: vec![0.0, 1.0], p: vec![-2.0, 0.0], h: 0.01 };
    bouncing(system, start, particle_bounce)
}

/// The ellipse dropped with spin; its momenta are those of the C loop too.
fn ellipse<L: Lagrangian + 'static>(system: (L, Arc<dyn Gap>)) -> Pair {
    let start = Start { t: 0.0, q: vec![0.0, 1.5, 0.3], p: vec![-2.0, 0.0, 0.2], h: 0.01 };
    bouncing(system, start, ellipse_bounce)
}

fn bouncing<L: Lagrangian + 'static>((system, gap): (L, Arc<dyn Gap>), start: Start, run: Loop) -> Pair {
    let gaps = Some(Gaps::new(gap, vec![ContactLaw::default()]));
    let interactions = Interactions { gaps, ..Interactions::default() };
    let verlet = Method::Verlet { order: 2 };
    let candidate = verlet.start_with(system, &interactions, &start, 1e-15).expect("a start of ours");
    (Some(Reference::new(&start, run)), candidate)
}

/// The midpoint rule with steps that the energy chooses, against its fixed ones.
fn chosen<L: Lagrangian + 'static>(fixed: L, system: L, q: f64) -> Pair {
    let method = Method::Midpoint { alpha: 0.5 };
    let start = Start { t: 0.0, q: vec![q], p: vec![0.0], h: 0.1 };
    let reference = method.start(fixed, &start, 1e-15).expect("a start of ours");
    let choice = (EnergyStepSpec::default(), 1e-15);
    let candidate =
        method.start_energy(system, &Interactions::default(), &start, choice).expect("a start of ours");
    (Some(Reference::Ours(reference)), candidate)
}

fn pair<L: Lagrangian + 'static>(method: Method, system: L, start: Start, run: Loop) -> Pair {
    let reference = Reference::new(&start, run);
    (Some(reference), method.start(system, &start, 1e-15).expect("a start of ours"))
}

fn lattice(particles: usize) -> Case {
    let q = (0..particles).map(|i| (0.3 * i as f64).sin()).collect();
    let start = Start { t: 0.0, q, p: vec![0.0; particles], h: 0.01 };
    let verlet = Method::Verlet { order: 2 };
    let candidate = verlet.start(lattice_text(particles), &start, 1e-15).expect("a start of ours");
    Case { reference: None, candidate, share: particles as f64 }
}
