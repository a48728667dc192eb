//! Impacts [FET03 4-5]: motion restricted to `phi_k(t, q) >= 0`, with time and place of each impact solved for.
//!
//! A step in which a gap would close is cut where it does. The discrete action of a step is then the sum (4.4) of those of its legs,
//! and with the leg `A` that arrives at `(t, q)` on `phi = 0` and the leg `B` that leaves it, stationarity in the points of the
//! legs, in the place and in the time of the impact reads, with a multiplier `lambda >= 0`,
//!
//! ```text
//! p0 + D_0 A = 0,   D_j A = 0,   phi(t, q) = 0                           (4.8)
//! D_s A + lambda phi_q + D_0 B = 0,   D_j B = 0                          (4.9b), (4.10)
//! D3 A - D3 B + D_t0 B + lambda phi_t = 0                                (4.9a)
//! ```
//!
//! where `D3` differentiates in the length of a leg and `D_t0` in the time at its start. So the momentum changes by an impulse along
//! the normal, at corners in the cone of normals (5.17), and with the energy at the end of a leg, `E_end = -D3`, and at its start,
//! `E_start = -D3 + D_t0`,
//!
//! ```text
//! E_start(B) - E_end(A) = -lambda phi_t
//! ```
//!
//! which is zero for walls at rest, and for walls that move what they do work with. Forces that come from no Lagrangian do the virtual
//! work `F . (dq - v dt)`, [FET03 (2.36)]: with nodes at `c_i` and weights `w_i`, `E_end` gains `h sum_i w_i c_i F_i . v_i` and `E_start`
//! loses `h sum_i w_i (1 - c_i) F_i . v_i`; constraints that move, with impulses `mu_j` at the points, likewise. The rest of the step may be
//! cut again, (5.9)-(5.10). All being stationarity conditions of one action, the map over the whole step is symplectic and keeps the
//! momenta of symmetries that leave the gaps unchanged.
//!
//! Restitution and friction prescribe the jumps instead, by the Lagrange-d'Alembert principle at the impact, (2.37)-(2.38): the law
//! gives the impulse of friction and the change of energy from the velocities on arrival ([`law`]); the discrete path then has
//! exactly these, and the impulse along the normal is what the balance of energy makes it. Where that balance has no solution, or hardly
//! depends on the impulse (restitution near zero, or a rebound slower than the error of the discrete energy over legs of different
//! lengths), the momentum of the law is taken as it is.
//!
//! A gap that closes and opens again within one leg is found if values and rates at the ends of the leg tell: if the cubic through them,
//! or, where it falls and then rises, the tangents at both ends come near zero. That sees every obstacle along whose path the
//! gap is convex, as distances are, however long the step; a bump that is narrower than what a step covers is passed unseen, as is
//! everything else in the motion that is shorter than a step.
//!
//! Infinitely many bounces in a finite time end where one would last less than a ten-thousandth of a step: the gap is then held closed
//! until nothing presses any more ([`held`]).

mod bounce;
mod check;
mod cone;
mod crossing;
mod held;
mod law;
mod path;
mod step;
mod tangent;
mod ties;

pub use bounce::Bounce;
pub use check::{GapFault, check_gaps};

use super::constrained::State;
use super::constrained::project::Projection;
use super::integrator::MANY;
use super::{Integrator, Start, View, legs};
use crate::action::{DiscreteLagrangian, Leg};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::model::{Bounds, Constraint, ContactLaw, Gap, Legendre, Simultaneous};
use held::{Grip, Hold};
use path::{Departure, Paths};
use std::sync::Arc;
use ties::{Stick, Which};

/// One impact.
#[derive(Debug, Clone, PartialEq)]
pub struct Impact {
    /// When.
    pub time: f64,
    /// What happened.
    pub kind: ImpactKind,
    /// Which gap closed; of several the one with the largest impulse.
    pub gap: usize,
    /// The others that closed at the same time.
    pub others: Vec<usize>,
    /// Impulse along the normal: the multiple of the gradient of that gap that was added to the momentum.
    pub impulse: f64,
    /// Size of the impulse of friction.
    pub friction: f64,
    /// Discrete energy of the leg that arrived.
    pub energy_before: f64,
    /// Discrete energy of the leg that left.
    pub energy_after: f64,
    /// The difference of these two that the laws of the contact ask for: zero for an elastic impact at a gap that does not move.
    pub prescribed: f64,
}

impl Impact {
    /// An impact without impulse.
    fn empty(time: f64, gap: usize, energy_before: f64, prescribed: f64) -> Self {
        Impact {
            time,
            kind: ImpactKind::Bounce,
            gap,
            others: Vec::new(),
            impulse: 0.0,
            friction: 0.0,
            energy_before,
            energy_after: f64::NAN,
            prescribed,
        }
    }
}

/// What happens at a contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImpactKind {
    /// The gap closes and opens.
    Bounce,
    /// The gap closes and stays closed.
    Rest,
    /// A gap that was closed opens, because nothing presses any more.
    Release,
}

/// Steps a discrete Lagrangian between impacts and through them.
pub struct Colliding<D, G> {
    paths: Paths<D, G>,
    gaps: Arc<G>,
    system: Option<Arc<dyn Constraint>>,
    laws: Vec<ContactLaw>,
    simultaneous: Simultaneous,
    start: f64,
    h: f64,
    step: u64,
    now: Departure,
    /// Impacts that the next leg completes.
    pending: Vec<Impact>,
    /// Gaps that are held closed, and those that are closed because these are.
    held: Vec<Hold>,
    lean: Vec<usize>,
    /// The legs of the last step, and its impacts.
    done: Vec<Leg>,
    impacts: Vec<Impact>,
    /// Whether the last step is one leg of full length, and whether it is stationary for its action alone.
    whole: bool,
    elastic: bool,
    work: (Option<f64>, f64),
    multipliers: Vec<f64>,
    legendre: Legendre,
    /// Gaps at the start and at the end of a leg, and anywhere.
    here: Bounds,
    there: Bounds,
    probe: Bounds,
    slack: Vec<f64>,
    /// How far each coordinate went in the last leg.
    reach: Vec<f64>,
    /// Velocity to aim along where the last step does not tell.
    guess: Vec<f64>,
    /// Velocity and momentum with which a leg leaves.
    v0: Vec<f64>,
    p0: Vec<f64>,
    /// Pieces that the last impact opened, and gaps that were released at the present time.
    opened: Vec<Which>,
    freed: Vec<usize>,
    sticks: Vec<Stick>,
    grips: Vec<Grip>,
    /// Whether the present leg holds what it holds whatever happens.
    firm: bool,
    /// Whether the gap that closed last did so in a jump.
    jumps: bool,
}

/// Impacts in one step before it is given up.
const MOST: usize = 50_000;
/// Impacts in a step beside whose solution it costs little to note the state before the next one.
const CROWDED: usize = 16;
/// A gap is closed if it is smaller than this times what it is made of.
const CLOSED: f64 = 1e-13;
/// And takes part in an impact of another one if it is smaller than this.
const NEAR: f64 = 1e-12;

/// Legs that have a tangent, in steps.
const SHORTEST: f64 = 1e-5;

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// Starts at a state where no gap is negative. All impacts are elastic.
    pub fn new(ld: D, gaps: G, start: &Start) -> Result<Self, RunError> {
        Self::constrained(ld, None, gaps, start)
    }

    /// The same on a constraint set; the momentum is projected so that the velocity obeys it too.
    pub fn constrained(
        ld: D,
        system: Option<Arc<dyn Constraint>>,
        gaps: G,
        start: &Start,
    ) -> Result<Self, RunError> {
        let (n, count) = (start.q.len(), gaps.count());
        let failed = |cause| RunError { time: start.t, step: 0, cause };
        check_gaps(&gaps, start.t, &start.q)
            .map_err(|GapFault { gap, why }| failed(Cause::Gap { gaps: vec![gap], time: start.t, why }))?;
        let mut state = State { q: start.q.clone(), p: start.p.clone(), v: vec![0.0; n] };
        let mut legendre = Legendre::new(n);
        match &system {
            None => {
                legendre.velocity(ld.system(), start.t, &start.q, &start.p, &mut state.v).map_err(failed)?
            }
            Some(constraint) => {
                let m = constraint.count();
                let mut bounds = Bounds::new(n, m);
                constraint.first(start.t, &start.q, &mut bounds);
                Projection::new(n, m)
                    .apply(ld.system(), start.t, &bounds, &mut state, &mut vec![0.0; m])
                    .map_err(failed)?;
            }
        }
        let State { q, p, v } = state;
        let mut x = Colliding {
            paths: Paths::new(ld, n),
            multipliers: vec![0.0; system.as_ref().map_or(0, |c| c.count())],
            system,
            laws: vec![ContactLaw::default(); count],
            simultaneous: Simultaneous::default(),
            start: start.t,
            h: start.h,
            step: 0,
            now: Departure { t: start.t, q, p, kick: None },
            pending: Vec::new(),
            held: Vec::new(),
            lean: Vec::new(),
            done: Vec::new(),
            impacts: Vec::new(),
            whole: false,
            elastic: true,
            work: (None, 0.0),
            legendre,
            here: Bounds::new(n, count),
            there: Bounds::new(n, count),
            probe: Bounds::new(n, count),
            slack: vec![0.0; count],
            reach: v.iter().map(|v| (v * start.h).abs()).collect(),
            guess: v.clone(),
            v0: v,
            p0: vec![0.0; n],
            opened: Vec::new(),
            freed: Vec::new(),
            sticks: Vec::new(),
            grips: Vec::new(),
            firm: false,
            jumps: false,
            gaps: Arc::new(gaps),
        };
        x.untie();
        let now = x.now.clone();
        x.stand(&now);
        Ok(x)
    }

    /// Sets the law of each gap.
    pub fn laws(mut self, laws: &[ContactLaw]) -> Self {
        self.laws.copy_from_slice(laws);
        self
    }

    /// Sets what happens when several gaps close at once.
    pub fn simultaneous(mut self, simultaneous: Simultaneous) -> Self {
        self.simultaneous = simultaneous;
        self
    }

    /// Sets the size of the last Newton correction, relative to the increments, below which a leg is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.paths.tolerance = tolerance;
        self
    }

    /// The discrete Lagrangian and the gaps.
    pub fn parts(&self) -> (&D, &G) {
        (&self.paths.ld, &self.gaps)
    }

    /// Whether position and momentum say everything about the present state: no gap is held and no impact is under way.
    pub fn free(&self) -> bool {
        self.held.is_empty() && self.now.kick.is_none() && self.pending.is_empty()
    }

    /// Takes a state that another integrator reached at the end of a step, with the legs of that step, of elastic impacts.
    pub fn place(&mut self, step: u64, [q, p]: [&[f64]; 2], legs: &[Leg], impacts: &[Impact]) {
        self.step = step;
        self.now.t = self.start + step as f64 * self.h;
        self.now.q.copy_from_slice(q);
        self.now.p.copy_from_slice(p);
        self.now.kick = None;
        self.pending.clear();
        self.held.clear();
        self.lean.clear();
        self.done = legs.to_vec();
        self.impacts = impacts.to_vec();
        (self.whole, self.elastic) = (legs.len() == 1, true);
        self.untie();
        if let Some(leg) = legs.last() {
            let scale = self.h / leg.h;
            let end = leg.increment(self.paths.ld.pieces());
            self.reach.iter_mut().zip(end).for_each(|(r, u)| *r = (scale * u).abs());
            self.guess.iter_mut().zip(end).for_each(|(v, u)| *v = u / leg.h);
        }
        let now = self.now.clone();
        self.stand(&now);
    }

    fn time(&self) -> f64 {
        self.start + self.step as f64 * self.h
    }
}

impl<D: DiscreteLagrangian, G: Gap> Integrator for Colliding<D, G> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            self.one_step().map_err(|cause| RunError { time: self.time(), step: self.step, cause })?;
        }
        Ok(())
    }

    /// Many impacts in a step make it long, and where there were many there will be. (The first such step of few coordinates is not noticed
    /// in advance; [`MOST`] of their impacts take seconds.)
    fn is_slow(&self) -> bool {
        self.now.q.len() >= MANY || self.impacts.len() >= CROWDED
    }

    fn view(&self) -> View<'_> {
        View { step: self.step, t: self.time(), q: &self.now.q, p: &self.now.p, canonical: &self.now.q }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        self.paths.leg.clone_from(self.done.last()?);
        Some(-self.paths.look().d3)
    }

    /// The sum over the legs of the step.
    fn action(&mut self) -> Option<f64> {
        if self.done.is_empty() {
            return None;
        }
        let mut sum = 0.0;
        for leg in &self.done {
            self.paths.leg.clone_from(leg);
            sum += self.paths.look().value;
        }
        Some(sum)
    }

    fn freedom(&self) -> usize {
        self.now.q.len() - self.multipliers.len()
    }

    /// Through impacts of one gap each, elastic and at rest, of systems without forces, constraints and explicit time; `false` elsewhere,
    /// and where a leg is so short that the rounding of its second derivatives would drown the rest.
    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        let free = self.system.is_none() && self.free() && self.elastic;
        match &self.done[..] {
            [] => false,
            _ if !free => false,
            done if done.iter().any(|leg| leg.h < SHORTEST * self.h) => false,
            [leg] if self.impacts.is_empty() => legs::tangent(&mut self.paths.ld, leg, matrix),
            done => tangent::tangent(&mut self.paths.ld, &self.gaps, (done, &self.impacts), matrix),
        }
    }

    fn multipliers(&self) -> Option<&[f64]> {
        (!self.done.is_empty() && self.system.is_some()).then_some(&self.multipliers)
    }

    /// With what friction and moving gaps do while they are held.
    fn work(&mut self) -> Option<f64> {
        let lossy = self.laws.iter().any(|law| law.friction > 0.0);
        match self.work {
            _ if self.done.is_empty() => None,
            (Some(forces), ties) => Some(forces + ties),
            (None, ties) if ties != 0.0 || lossy => Some(ties),
            _ => None,
        }
    }

    fn impacts(&self) -> &[Impact] {
        &self.impacts
    }

    fn iterations(&self) -> u64 {
        self.paths.iterations
    }
}

impl Default for Impact {
    fn default() -> Self {
        Impact::empty(0.0, 0, 0.0, 0.0)
    }
}

impl Persist for Impact {
    fn pass(&mut self, archive: &mut Archive) {
        archive.choice(&mut self.kind, &[ImpactKind::Bounce, ImpactKind::Rest, ImpactKind::Release]);
        archive.pass(&mut self.time).pass(&mut self.gap).pass(&mut self.others).pass(&mut self.impulse);
        archive.pass(&mut self.friction).pass(&mut self.energy_before).pass(&mut self.energy_after);
        archive.pass(&mut self.prescribed);
    }
}

impl<D: DiscreteLagrangian, G: Gap> Persist for Colliding<D, G> {
    fn pass(&mut self, archive: &mut Archive) {
        let shape = self.paths.leg.shape();
        archive.pass(&mut self.step).pass(&mut self.now).pass(&mut self.pending).pass(&mut self.held);
        archive.pass(&mut self.lean).pass(&mut self.done).pass(&mut self.impacts).pass(&mut self.whole);
        archive.pass(&mut self.elastic).pass(&mut self.work).fixed(&mut self.multipliers);
        archive.pass(&mut self.here).pass(&mut self.there).fixed(&mut self.slack).fixed(&mut self.reach);
        archive.fixed(&mut self.guess).fixed(&mut self.v0).fixed(&mut self.p0);
        archive.pass(&mut self.opened).pass(&mut self.freed).pass(&mut self.sticks).pass(&mut self.grips);
        archive.pass(&mut self.firm).pass(&mut self.jumps);
        archive.require(self.fits(shape), "legs or gaps of another system");
        if archive.reads() && archive.sound() {
            self.retie();
        }
        archive.pass(&mut self.paths);
        archive.require(self.paths.leg.shape() == shape, "a leg of another system");
    }
}

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// Whether gaps that are named are there, and all that is as long as the state is.
    fn fits(&self, shape: [usize; 2]) -> bool {
        let (n, count) = (shape[0], self.gaps.count());
        let hit = self.pending.iter().chain(&self.impacts).flat_map(|x| x.others.iter().chain([&x.gap]));
        let held = self.held.iter().map(|x| &x.which.0).chain(self.opened.iter().map(|which| &which.0));
        let named = hit.chain(held).chain(&self.lean).chain(&self.freed).all(|gap| *gap < count);
        let kick = self.now.kick.as_ref().is_none_or(|kick| kick.push.len() == n && kick.drag.len() == n);
        let sticks = self.sticks.iter().all(|x| x.row.len() == n && x.from.len() == n);
        let grips = self.grips.iter().all(|grip| grip.hold < self.held.len());
        let whole = !self.whole || self.done.len() == 1;
        named && kick && sticks && grips && whole && self.done.iter().all(|leg| leg.shape() == shape)
    }
}
