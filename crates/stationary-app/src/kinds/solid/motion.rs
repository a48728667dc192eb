//! The two engines that move a solid, seen alike: events of elements, or steps of the whole.

use super::static_motion::{StaticLook, StaticMotion};
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, RunError};
use stationary::integrate::avi::{Avi, AviError, AviState, MomentumBalance};
use stationary::integrate::sparse::Sparse;
use stationary::linalg::cross;
use stationary::model::solid::SolidProblem;
use stationary::model::{Past, Potentials};
use std::sync::Arc;

/// A solid in motion.
pub(super) enum Motion {
    /// Every element its own step, or all of them one.
    Avi(Box<Avi<Arc<SolidProblem>>>),
    /// Steps of the whole by a discrete Lagrangian.
    Sparse(Box<Synchronous>),
    /// Static equilibria.
    Static(Box<StaticMotion>),
}

/// Steps of the whole, and what its supports gave.
pub(super) struct Synchronous {
    sparse: Sparse<Arc<SolidProblem>>,
    problem: Arc<SolidProblem>,
    step: f64,
    reactions: Vec<[f64; 3]>,
    origin: [[f64; 3]; 2],
}

/// The whole body at one moment.
pub(super) struct Look {
    pub t: f64,
    /// Time since the start.
    pub elapsed: f64,
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    pub kinetic: f64,
    pub potential: f64,
    /// Work from outside less what the matter has dissipated; NaN where it is not known.
    pub work: f64,
    /// Energy that elements with memory and mass-proportional damping have dissipated.
    pub dissipated: f64,
    /// What mass-proportional damping has of it in asynchronous runs.
    pub damped: f64,
    pub linear: MomentumBalance,
    pub angular: MomentumBalance,
    /// Impulses of the supports so far.
    pub reactions: Vec<[f64; 3]>,
    /// Of a static solution.
    pub statics: Option<StaticLook>,
}

impl Look {
    /// The energy that must not grow: less the work, and without what mass-proportional damping is booked with. Between events nodes move with impulses of some elements for
    /// times ahead, too, so that local steps book too much, by a part of second order in the steps; added up, it would look like growth.
    pub fn watched_energy(&self) -> f64 {
        self.kinetic + self.potential - self.work - self.damped
    }

    /// Work from outside alone.
    pub fn outer_work(&self) -> f64 {
        self.work + self.dissipated
    }
}

impl Synchronous {
    pub fn new(
        sparse: Sparse<Arc<SolidProblem>>,
        problem: Arc<SolidProblem>,
        step: f64,
    ) -> Result<Self, RunError> {
        let supports = problem.supports().map_or(0, |s| s.count());
        let mut motion =
            Synchronous { sparse, problem, step, reactions: vec![[0.0; 3]; supports], origin: [[0.0; 3]; 2] };
        motion.origin = motion.momenta()?;
        Ok(motion)
    }

    fn advance(&mut self, until: f64) -> Result<(), RunError> {
        // Rounding forgiven: the last step must not be lost to it.
        while self.sparse.elapsed() + self.step * (1.0 - 1e-9) <= until {
            self.sparse.step()?;
            if let Some(supports) = self.problem.supports() {
                for (i, force) in self.sparse.reactions().iter().enumerate() {
                    if let Some(owner) = supports.owner(i) {
                        self.reactions[owner][i % 3] += force * self.step;
                    }
                }
            }
        }
        Ok(())
    }

    /// Linear and angular momentum, the second with the positions that belong to the momenta.
    fn momenta(&self) -> Result<[[f64; 3]; 2], RunError> {
        let x = self.sparse.canonical()?;
        let (mut linear, mut angular) = ([0.0; 3], [0.0; 3]);
        for (x, p) in x.chunks_exact(3).zip(self.sparse.momenta().chunks_exact(3)) {
            let moment = cross(x, p);
            for i in 0..3 {
                linear[i] += p[i];
                angular[i] += moment[i];
            }
        }
        Ok([linear, angular])
    }

    fn look(&self) -> Result<Look, RunError> {
        let [kinetic, potential] = self.sparse.energy()?;
        let [linear, angular] = self.momenta()?;
        let (x, p) = (self.sparse.positions(), self.sparse.momenta());
        let size = |v: &[f64]| (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]).sqrt();
        let nodes = || x.chunks_exact(3).zip(p.chunks_exact(3));
        // Impulses of loads and damping and moments of supports are not booked by these methods.
        let undriven = self.problem.loads().is_empty() && self.problem.supports().is_none();
        let free = undriven && self.problem.mass_damping().is_none();
        let outside = if free { [0.0; 3] } else { [f64::NAN; 3] };
        let balance =
            |now, start, scale| MomentumBalance { now, start, loads: outside, reactions: [0.0; 3], scale };
        let dissipated = self.sparse.dissipated()?;
        let passive = !self.problem.loads().work() && self.problem.supports().is_none_or(|s| !s.moves());
        Ok(Look {
            t: self.sparse.time(),
            elapsed: self.sparse.elapsed(),
            x: x.to_vec(),
            v: self.sparse.velocities().to_vec(),
            kinetic,
            potential,
            work: if passive { -dissipated } else { f64::NAN },
            dissipated,
            damped: 0.0,
            linear: balance(linear, self.origin[0], nodes().map(|(_, p)| size(p)).sum()),
            angular: balance(angular, self.origin[1], nodes().map(|(x, p)| size(x) * size(p)).sum()),
            reactions: self.reactions.clone(),
            statics: None,
        })
    }
}

impl Motion {
    /// Goes on to a time since the start; steps of the whole stop at the last one before it.
    pub fn advance(&mut self, until: f64) -> Result<(), RunError> {
        match self {
            Motion::Avi(avi) => {
                let before = avi.time();
                avi.advance_to_elapsed(until).map_err(|e| avi_error(before, avi.updates(), &e))
            }
            Motion::Sparse(synchronous) => synchronous.advance(until),
            Motion::Static(statics) => statics.advance(until),
        }
    }

    /// The whole body now.
    pub fn look(&self) -> Result<Look, RunError> {
        let mut look = self.look_at_nodes()?;
        if self.problem().solid().has_rings() {
            // The momenta of whole rings: only the one along the axis `y` is not zero by symmetry.
            look.linear = look.linear.only([false, true, false]);
            look.angular = look.angular.only([false; 3]);
        }
        Ok(look)
    }

    fn problem(&self) -> &SolidProblem {
        match self {
            Motion::Avi(avi) => avi.potentials(),
            Motion::Sparse(synchronous) => &synchronous.problem,
            Motion::Static(statics) => statics.problem(),
        }
    }

    /// The whole body now, with the momenta of its nodes in the plane or in space.
    fn look_at_nodes(&self) -> Result<Look, RunError> {
        match self {
            Motion::Avi(avi) => {
                let failed = |e: AviError| avi_error(avi.time(), self.moves(), &e);
                let shot = avi.snapshot().map_err(failed)?;
                // Steps of the whole have momenta at their ends, as all other synchronous methods. Asynchronous ones have them as the
                // action does, each node at its own time with its last kick [VTI04 (55)-(56)].
                let ([linear, angular], reactions) = if avi.is_synchronous() {
                    avi.balances_at_time().map_err(failed)?
                } else {
                    ([avi.linear_balance(), avi.angular_balance()], avi.reaction_impulses())
                };
                Ok(Look {
                    t: shot.t,
                    elapsed: avi.elapsed(),
                    x: shot.x,
                    v: shot.v,
                    kinetic: shot.kinetic,
                    potential: shot.potential,
                    work: shot.work - shot.dissipated,
                    dissipated: shot.dissipated,
                    damped: shot.damped,
                    linear,
                    angular,
                    reactions,
                    statics: None,
                })
            }
            Motion::Sparse(synchronous) => synchronous.look(),
            Motion::Static(statics) => Ok(statics.look()),
        }
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        match self {
            Motion::Avi(avi) => avi.time(),
            Motion::Sparse(synchronous) => synchronous.sparse.time(),
            Motion::Static(statics) => statics.solution().time(),
        }
    }

    /// The time at the start.
    pub fn start(&self) -> f64 {
        match self {
            Motion::Avi(avi) => avi.start(),
            Motion::Sparse(synchronous) => synchronous.sparse.start(),
            Motion::Static(statics) => statics.solution().start(),
        }
    }

    /// The time reached since the start.
    pub fn elapsed(&self) -> f64 {
        match self {
            Motion::Avi(avi) => avi.elapsed(),
            Motion::Sparse(synchronous) => synchronous.sparse.elapsed(),
            Motion::Static(statics) => statics.solution().elapsed(),
        }
    }

    /// Events of elements, or steps.
    pub fn moves(&self) -> u64 {
        match self {
            Motion::Avi(avi) => avi.updates(),
            Motion::Sparse(synchronous) => synchronous.sparse.steps(),
            Motion::Static(statics) => statics.solution().counts().steps,
        }
    }

    /// Updates of each element.
    pub fn updates(&self) -> Vec<u64> {
        match self {
            Motion::Avi(avi) => avi.events(),
            Motion::Sparse(_) | Motion::Static(_) => vec![self.moves(); self.problem().solid().elements()],
        }
    }

    /// The step of each element.
    pub fn steps(&self) -> Vec<f64> {
        match self {
            Motion::Avi(avi) => avi.steps().to_vec(),
            Motion::Sparse(s) => vec![s.step; s.problem.solid().elements()],
            Motion::Static(s) => vec![s.row(); s.problem().solid().elements()],
        }
    }

    /// Newton iterations; none for explicit methods.
    pub fn iterations(&self) -> u64 {
        match self {
            Motion::Avi(_) => 0,
            Motion::Sparse(s) => s.sparse.newton_iterations(),
            Motion::Static(s) => s.solution().iterations(),
        }
    }

    /// The asynchronous engine.
    pub fn avi(&self) -> Option<&Avi<Arc<SolidProblem>>> {
        match self {
            Motion::Avi(avi) => Some(avi),
            Motion::Sparse(_) | Motion::Static(_) => None,
        }
    }

    /// The static solution.
    pub fn statics(&self) -> Option<&StaticMotion> {
        match self {
            Motion::Static(statics) => Some(statics),
            _ => None,
        }
    }

    /// The history of an element, if it has memory.
    pub fn past(&self, k: usize) -> Option<Past<'_>> {
        match self {
            Motion::Avi(avi) => avi.past(k),
            Motion::Sparse(s) => {
                let own = s.problem.solid().past_of(k, s.sparse.past()?);
                (!own.history.is_empty()).then_some(own)
            }
            Motion::Static(s) => {
                let own = s.problem().solid().past_of(k, s.solution().past()?);
                (!own.history.is_empty()).then_some(own)
            }
        }
    }

    /// Multiplies the steps of all elements by a factor; false where that is not possible.
    pub fn rescale_steps(&mut self, factor: f64) -> bool {
        match self {
            Motion::Avi(avi) => avi.can_rescale() && avi.rescale_steps(factor).is_ok(),
            Motion::Sparse(_) | Motion::Static(_) => false,
        }
    }

    /// Halves the steps of elements so often; false where that is not possible.
    pub fn refine_steps(&mut self, halvings: &[u32]) -> bool {
        match self {
            Motion::Avi(avi) => avi.can_rescale() && avi.refine_steps(halvings).is_ok(),
            Motion::Sparse(_) | Motion::Static(_) => false,
        }
    }

    /// What to [go back](Self::go_back) to when an element fails; nothing where steps that fail have not been made.
    pub fn keep(&self) -> Option<AviState> {
        self.avi().map(Avi::state)
    }

    /// Goes back to a state that was kept.
    pub fn go_back(&mut self, kept: Option<&AviState>) {
        if let (Motion::Avi(avi), Some(state)) = (self, kept) {
            assert!(avi.restore(state), "a state of its own");
        }
    }
}

impl Persist for Motion {
    fn pass(&mut self, archive: &mut Archive) {
        match self {
            Motion::Avi(avi) => archive.pass(&mut **avi),
            Motion::Sparse(s) => archive.pass(&mut s.sparse).pass(&mut s.origin).fixed(&mut s.reactions),
            Motion::Static(s) => archive.pass(&mut **s),
        };
    }
}

pub(super) fn avi_error(time: f64, step: u64, error: &AviError) -> RunError {
    let AviError { time: at, fault } = error;
    let remedy = "a smaller step may help".into();
    let cause = Cause::Element { number: fault.number, time: *at, why: fault.why.clone(), remedy };
    RunError { time, step, cause }
}
