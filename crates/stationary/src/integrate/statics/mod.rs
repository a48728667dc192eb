//! Static equilibrium of a body with many nodes: `dV/dx = F` on the free components, with prescribed displacements on the others.
//!
//! Time is the load parameter. A load step goes from the equilibrium at one time to that at a later one; where Newton's method fails it is halved, and
//! steps grow again when they succeed. Materials with memory are updated from the last equilibrium and committed at the end of each load step
//! (`W_n(F)` of a variational update is the energy of the step), so that the equilibrium is a stationary point of one incremental potential.
//!
//! ```text
//! predictor K d = r, imposed motions included -> Newton with line search -> stable? -> commit, reactions, work
//! ```
//!
//! Work is booked by the trapezoidal rule over load steps, `sum (F_n + F_n+1)/2 . (x_n+1 - x_n)` with the loads and reactions `F`: exact for linear
//! problems, and of second order in the load step otherwise.

mod error;
mod newton;
mod rigid_motions;

pub use error::{StaticsCause, StaticsError};
pub use rigid_motions::{FreePiece, free_pieces};

use crate::archive::{Archive, Persist};
use crate::interrupt;
use crate::model::{Past, Structure};
use newton::{Found, Solver};

/// Shortest part of the way to the equilibrium at the start that is tried.
const SHORTEST: f64 = 1.0 / 1024.0;

/// Difference of the work of a load step and the energy that the body gained, over the work, that is a jump to another branch: a body that snaps gives
/// energy away. Of a step along a branch the difference is an error of the trapezoidal rule.
const JUMP: f64 = 0.75;
/// The part of the strain energy that may be rounding.
const NEGLIGIBLE: f64 = 1e-9;

/// How equilibria are sought.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StaticsOptions {
    /// Largest residual, relative to the largest nodal force.
    pub tolerance: f64,
    /// Newton iterations before a load step is halved.
    pub iterations: usize,
    /// The shortest load step, in time.
    pub shortest: f64,
    /// The time from start to end: what load factors are parts of.
    pub span: f64,
}

/// What was done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StaticsCounts {
    /// Load steps made.
    pub steps: u64,
    /// Load steps that were halved.
    pub halvings: u64,
}

/// Energies of an equilibrium.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct StaticsEnergy {
    /// Strain energy.
    pub stored: f64,
    /// What materials with memory have dissipated.
    pub dissipated: f64,
    /// The potential of the loads.
    pub loads: f64,
    /// Work of loads and supports; at the start the energy that the body has there.
    pub work: f64,
}

impl StaticsEnergy {
    /// What the body has, and what became of the rest.
    fn total(&self) -> f64 {
        self.stored + self.dissipated
    }
}

/// What an equilibrium is sought for.
struct Target<'a> {
    t: f64,
    /// The time of the last equilibrium, from which the first trial is predicted.
    before: f64,
    /// Time since the last commit.
    dt: f64,
    history: &'a [f64],
    /// Forces that are not yet balanced, and the part of them that still acts.
    unbalanced: Option<(&'a [f64], f64)>,
}

/// A body in equilibrium, and the way to the next equilibrium.
pub struct Statics<S> {
    structure: S,
    options: StaticsOptions,
    start: f64,
    elapsed: f64,
    x: Vec<f64>,
    history: Vec<f64>,
    /// Nodal loads and reactions now.
    loads: Vec<f64>,
    reactions: Vec<f64>,
    energy: StaticsEnergy,
    counts: StaticsCounts,
    residual: f64,
    /// The longest load step that may be tried next.
    next: f64,
    solver: Solver,
}

impl<S: Structure> Statics<S> {
    /// Finds the equilibrium at the start time near the positions `x`. The forces that are out of balance there are released all at once, or in
    /// parts where that fails.
    pub fn new(structure: S, t: f64, x: Vec<f64>, options: StaticsOptions) -> Result<Self, StaticsError> {
        let mut history = vec![0.0; structure.history_size()];
        structure.first_history(&mut history);
        let n = x.len();
        let mut statics = Statics {
            solver: Solver::new(&structure, options.tolerance, options.iterations),
            structure,
            options,
            start: t,
            elapsed: 0.0,
            x,
            history,
            loads: vec![0.0; n],
            reactions: vec![0.0; n],
            energy: StaticsEnergy::default(),
            counts: StaticsCounts::default(),
            residual: 0.0,
            next: f64::INFINITY,
        };
        statics.structure.impose(t, &mut statics.x, &mut vec![0.0; n]);
        statics.settle().map_err(|cause| StaticsError {
            time: t,
            step: 0,
            beyond: t,
            factor: f64::NAN,
            cause,
        })?;
        Ok(statics)
    }

    /// The equilibrium at the start.
    fn settle(&mut self) -> Result<(), StaticsCause> {
        let t = self.start;
        let mut out_of_balance = vec![0.0; self.x.len()];
        if self.history.is_empty() {
            self.structure.gradient(t, &self.x, &mut out_of_balance)?;
        } else {
            let past = Past { history: &self.history, dt: 0.0 };
            self.structure.update(t, &self.x, past, &mut out_of_balance, None)?;
        }
        for i in 0..self.x.len() {
            if self.structure.is_fixed(i) {
                out_of_balance[i] = 0.0;
            }
        }
        let (mut left, mut step) = (1.0, 1.0);
        let mut last = None;
        while left > 0.0 {
            let part = f64::max(left - step, 0.0);
            let target = Target {
                t,
                before: t,
                dt: 0.0,
                history: &self.history,
                unbalanced: Some((&out_of_balance, part)),
            };
            match self.solver.solve(&self.structure, &target, &self.x) {
                Ok(found) => {
                    self.x.copy_from_slice(&found.x);
                    last = Some(found);
                    left = part;
                    step *= 2.0;
                }
                Err(StaticsCause::Interrupted) => return Err(StaticsCause::Interrupted),
                Err(cause) => {
                    self.counts.halvings += 1;
                    self.solver.is_current = false;
                    step = 0.5 * step.min(left);
                    if step < SHORTEST {
                        return Err(cause);
                    }
                }
            }
        }
        let found = last.expect("the way to the equilibrium is not empty");
        self.accept(found, t, 0.0)?;
        self.energy.work = self.energy.stored + self.energy.dissipated;
        self.counts.steps = 0;
        Ok(())
    }

    /// Goes on to the equilibrium at a time since the start. After an error the state is that of the last load step; a long step may be
    /// [given up](crate::interrupt) and is then not made.
    pub fn advance(&mut self, until: f64) -> Result<(), StaticsError> {
        while self.elapsed < until {
            let left = until - self.elapsed;
            // Rounding must leave no step at the end.
            let is_last = self.next >= left * (1.0 - 1e-9);
            let dt = if is_last { left } else { self.next };
            let beyond = if is_last { until } else { self.elapsed + dt };
            let iterations = self.solver.iterations;
            let made = interrupt::attempt(|| self.step(beyond, dt)).unwrap_or(Err(StaticsCause::Interrupted));
            match made {
                Ok(()) => {
                    self.elapsed = beyond;
                    self.next = if self.next.is_finite() { self.next.max(2.0 * dt) } else { self.next };
                }
                Err(cause) => {
                    self.solver.is_current = false;
                    if cause == StaticsCause::Interrupted {
                        // A step that is not made has no iterations: a run that goes on makes it again.
                        self.solver.iterations = iterations;
                    }
                    let is_over = cause == StaticsCause::Interrupted || 0.5 * dt < self.options.shortest;
                    if is_over {
                        return Err(self.error(beyond, cause));
                    }
                    self.counts.halvings += 1;
                    self.next = 0.5 * dt;
                }
            }
        }
        Ok(())
    }

    fn error(&self, beyond: f64, cause: StaticsCause) -> StaticsError {
        StaticsError {
            time: self.time(),
            step: self.counts.steps,
            beyond: self.start + beyond,
            factor: self.elapsed / self.options.span,
            cause,
        }
    }

    /// One load step.
    fn step(&mut self, beyond: f64, dt: f64) -> Result<(), StaticsCause> {
        let t = self.start + beyond;
        let target = Target { t, before: self.time(), dt, history: &self.history, unbalanced: None };
        let found = self.solver.solve(&self.structure, &target, &self.x)?;
        self.accept(found, t, dt)
    }

    /// Takes over an equilibrium: history, reactions, work.
    fn accept(&mut self, found: Found, t: f64, dt: f64) -> Result<(), StaticsCause> {
        let n = self.x.len();
        let mut loads = vec![0.0; n];
        let potential = self.structure.loads(t, &found.x, &mut loads)?;
        let mut reactions = found.gradient;
        (0..n).filter(|i| !self.structure.is_fixed(*i)).for_each(|i| reactions[i] = 0.0);
        let (mut work, mut size) = (0.0, 0.0);
        for i in 0..n {
            let mean = 0.5 * ((self.loads[i] + loads[i]) + (self.reactions[i] + reactions[i]));
            let part = mean * (found.x[i] - self.x[i]);
            work += part;
            size += part.abs();
        }
        let energy = StaticsEnergy {
            stored: found.energy.stored - potential,
            dissipated: found.energy.dissipated,
            loads: potential,
            work: self.energy.work + work,
        };
        let gained = energy.total() - self.energy.total();
        if dt > 0.0 && (work - gained).abs() > JUMP * size + NEGLIGIBLE * energy.stored.abs() {
            // Another branch: a stable equilibrium, but none that is reached without motion.
            return Err(StaticsCause::NotPositive);
        }
        if !self.history.is_empty() {
            let mut after = self.history.clone();
            let past = Past { history: &self.history, dt };
            self.structure.update(t, &found.x, past, &mut vec![0.0; n], Some(&mut after))?;
            self.history = after;
        }
        self.energy = energy;
        self.x = found.x;
        (self.loads, self.reactions) = (loads, reactions);
        self.residual = found.residual;
        self.counts.steps += 1;
        Ok(())
    }

    /// The time of the present equilibrium.
    pub fn time(&self) -> f64 {
        self.start + self.elapsed
    }

    /// The time at the start.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Time since the start.
    pub fn elapsed(&self) -> f64 {
        self.elapsed
    }

    /// Positions, three numbers a node.
    pub fn positions(&self) -> &[f64] {
        &self.x
    }

    /// The forces of the supports, three numbers a node; zero on free components. They and the loads sum to zero.
    pub fn reactions(&self) -> &[f64] {
        &self.reactions
    }

    /// The nodal forces of all loads.
    pub fn loads(&self) -> &[f64] {
        &self.loads
    }

    /// Energies and work.
    pub fn energy(&self) -> StaticsEnergy {
        self.energy
    }

    /// Largest residual of the present equilibrium, over the largest nodal force; zero where it is rounding.
    pub fn residual(&self) -> f64 {
        self.residual
    }

    /// Iterations of Newton's method so far: one tangent, its factors and a solve each.
    pub fn iterations(&self) -> u64 {
        self.solver.iterations
    }

    /// Load steps and halvings so far.
    pub fn counts(&self) -> StaticsCounts {
        self.counts
    }

    /// Number of unknowns.
    pub fn unknowns(&self) -> usize {
        self.solver.unknowns()
    }

    /// The history of all elements with memory; `None` if there is none.
    pub fn past(&self) -> Option<Past<'_>> {
        (!self.history.is_empty()).then_some(Past { history: &self.history, dt: 0.0 })
    }
}

impl<S: Structure> Persist for Statics<S> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.start).pass(&mut self.elapsed).pass(&mut self.next).pass(&mut self.residual);
        archive.fixed(&mut self.x).fixed(&mut self.history).fixed(&mut self.loads).fixed(&mut self.reactions);
        let StaticsEnergy { stored, dissipated, loads, work } = &mut self.energy;
        archive.pass(stored).pass(dissipated).pass(loads).pass(work);
        let StaticsCounts { steps, halvings } = &mut self.counts;
        archive.pass(steps).pass(halvings).pass(&mut self.solver.iterations);
        if archive.reads() {
            self.solver.is_current = false;
        }
    }
}
