//! Impacts [FET03 4-5]: motion restricted to `phi_k(t, q) >= 0`, with time and place of each impact solved for.
//!
//! A step in which a gap would close is cut where it does. A *leg* is a segment of the trajectory between two cuts. The discrete action of a step is then the sum (4.4) of those of its legs,
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
//! gives the impulse of friction and the change of energy from the velocities on arrival ([`contact`](crate::contact)); the discrete path then has
//! exactly these, and the impulse along the normal is what the balance of energy makes it. Where that balance has no solution, or hardly
//! depends on the impulse (restitution near zero, or a rebound slower than the error of the discrete energy over legs of different
//! lengths), the momentum of the law is taken as it is.
//!
//! A gap that closes and opens again within one leg is found if values and rates at the ends of the leg tell: if the cubic through them,
//! or, where it falls and then rises, the tangents at both ends come near zero. That sees every obstacle along whose path the
//! gap is convex, as distances are, however long the step; a bump that is narrower than what a step covers is passed unseen, as is
//! everything else in the motion that is shorter than a step.
//!
//! Infinitely many bounces in a finite time end where one would last less than a ten-thousandth of a step: the contact is then persistent
//! until nothing presses any more ([`persistent`]).

mod bounce;
mod crossing;
mod impulse;
mod path;
mod persistent;
mod step;
mod tangent;
mod ties;

pub use bounce::Bounce;

use super::constrained::State;
use super::constrained::project::Projection;
use super::integrator::MANY;
use super::{Integrator, Start, View, legs};
use crate::action::{DiscreteLagrangian, Leg};
use crate::archive::{Archive, Persist};
use crate::contact::{CLOSED_WITHIN, ContactLaw, Gap, GapFault, GapImpact, Piece, Simultaneous, check_gaps};
use crate::error::{Cause, RunError};
use crate::model::{Bounds, Constraint, Legendre};
use path::{Departure, Paths};
use persistent::{FrictionRows, PersistentContact};
use std::sync::Arc;
use ties::Stick;

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
    pending: Vec<GapImpact>,
    /// Gaps that stay closed, and those that are closed because these are.
    persistent: Vec<PersistentContact>,
    redundant: Vec<usize>,
    /// The legs of the last step, and its impacts.
    done: Vec<Leg>,
    impacts: Vec<GapImpact>,
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
    opened: Vec<Piece>,
    released: Vec<usize>,
    sticks: Vec<Stick>,
    friction_rows: Vec<FrictionRows>,
    /// Whether the persistent contacts of the present leg stay whatever their forces and their slips do.
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
const NEAR: f64 = CLOSED_WITHIN;

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
            persistent: Vec::new(),
            redundant: Vec::new(),
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
            released: Vec::new(),
            sticks: Vec::new(),
            friction_rows: Vec::new(),
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

    /// Whether position and momentum say everything about the present state: no contact persists and no impact is under way.
    pub fn free(&self) -> bool {
        self.persistent.is_empty() && self.now.kick.is_none() && self.pending.is_empty()
    }

    /// Takes a state that another integrator reached at the end of a step, with the legs of that step, of elastic impacts.
    pub fn place(&mut self, step: u64, [q, p]: [&[f64]; 2], legs: &[Leg], impacts: &[GapImpact]) {
        self.step = step;
        self.now.t = self.start + step as f64 * self.h;
        self.now.q.copy_from_slice(q);
        self.now.p.copy_from_slice(p);
        self.now.kick = None;
        self.pending.clear();
        self.persistent.clear();
        self.redundant.clear();
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
            done => tangent::tangent(&mut self.paths.ld, &self.gaps, done, &self.impacts, matrix),
        }
    }

    fn multipliers(&self) -> Option<&[f64]> {
        (!self.done.is_empty() && self.system.is_some()).then_some(&self.multipliers)
    }

    /// With the work of friction and of moving gaps while contacts persist.
    fn work(&mut self) -> Option<f64> {
        let lossy = self.laws.iter().any(|law| law.friction > 0.0);
        match self.work {
            _ if self.done.is_empty() => None,
            (Some(forces), ties) => Some(forces + ties),
            (None, ties) if ties != 0.0 || lossy => Some(ties),
            _ => None,
        }
    }

    fn impacts(&self) -> &[GapImpact] {
        &self.impacts
    }

    fn iterations(&self) -> u64 {
        self.paths.iterations
    }
}

impl<D: DiscreteLagrangian, G: Gap> Persist for Colliding<D, G> {
    fn pass(&mut self, archive: &mut Archive) {
        let shape = self.paths.leg.shape();
        archive.pass(&mut self.step).pass(&mut self.now).pass(&mut self.pending).pass(&mut self.persistent);
        archive.pass(&mut self.redundant).pass(&mut self.done).pass(&mut self.impacts).pass(&mut self.whole);
        archive.pass(&mut self.elastic).pass(&mut self.work).fixed(&mut self.multipliers);
        archive.pass(&mut self.here).pass(&mut self.there).fixed(&mut self.slack).fixed(&mut self.reach);
        archive.fixed(&mut self.guess).fixed(&mut self.v0).fixed(&mut self.p0);
        archive
            .pass(&mut self.opened)
            .pass(&mut self.released)
            .pass(&mut self.sticks)
            .pass(&mut self.friction_rows);
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
        let hit = self.pending.iter().chain(&self.impacts).flat_map(|x| x.gaps());
        let pieces = self.persistent.iter().map(|x| x.piece).chain(self.opened.iter().copied());
        let others = self.redundant.iter().chain(&self.released).copied();
        let named = hit.chain(pieces.map(|piece| piece.gap)).chain(others).all(|gap| gap < count);
        let kick = self.now.kick.as_ref().is_none_or(|kick| kick.push.len() == n && kick.drag.len() == n);
        let sticks = self.sticks.iter().all(|x| x.row.len() == n && x.from.len() == n);
        let rows = self.friction_rows.iter().all(|friction| friction.contact < self.persistent.len());
        let whole = !self.whole || self.done.len() == 1;
        named && kick && sticks && rows && whole && self.done.iter().all(|leg| leg.shape() == shape)
    }
}
