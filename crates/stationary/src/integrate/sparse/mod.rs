//! The methods of [`Method`] on bodies with thousands of nodes: the same discrete Lagrangians as [`DiscreteEulerLagrange`](super::DiscreteEulerLagrange) solves,
//! for `L = v.M v/2 - V(t, x)` with a mass on every node, sparse second derivatives and supports.
//!
//! ```text
//! Method -> Table (coefficients) -> explicit nodes, then Newton on the unknown ones -> x1, p1, reactions
//! ```
//!
//! Held components are no unknowns: at every node of the quadrature the path takes the prescribed positions there.
//!
//! ```
//! use stationary::integrate::Method;
//! use stationary::integrate::sparse::{Sparse, SparseStart};
//! use stationary::model::{PotentialFault, Structure};
//!
//! /// A mass on a spring of stiffness 1e6, whose other end is held.
//! struct Spring;
//! impl Structure for Spring {
//!     fn mass(&self) -> &[f64] { &[1.0, 1.0] }
//!     fn elements(&self) -> usize { 1 }
//!     fn nodes(&self, _: usize) -> &[u32] { &[0, 1] }
//!     fn gradient(&self, _: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
//!         for i in 0..3 {
//!             out[3 + i] = 1e6 * (x[3 + i] - x[i]);
//!             out[i] = -out[3 + i];
//!         }
//!         Ok((0..3).map(|i| 0.5e6 * (x[3 + i] - x[i]).powi(2)).sum())
//!     }
//!     fn tangent(&self, _: usize, _: f64, _: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
//!         let sign = |i: usize, j: usize| if i == j { 1e6 } else if i % 3 == j % 3 { -1e6 } else { 0.0 };
//!         (0..36).for_each(|k| out[k] = sign(k / 6, k % 6));
//!         Ok(())
//!     }
//!     fn is_fixed(&self, i: usize) -> bool { i < 3 }
//!     fn impose(&self, _: f64, x: &mut [f64], v: &mut [f64]) {
//!         x[..3].fill(0.0);
//!         v[..3].fill(0.0);
//!     }
//! }
//!
//! let start = SparseStart { t: 0.0, h: 0.1, x: vec![0., 0., 0., 1., 0., 0.], v: vec![0.0; 6] };
//! let mut run = Sparse::new(Spring, Method::Midpoint { alpha: 0.5 }, start, 1e-15).unwrap();
//! for _ in 0..1000 {
//!     run.step().unwrap();
//! }
//! // Fifty times the limit of an explicit step, and the energy is that of the start.
//! let [kinetic, potential] = run.energy().unwrap();
//! assert!((kinetic + potential - 0.5e6).abs() < 1e-4);
//! ```

mod assembly;
mod error;
mod explicit;
mod factor;
mod limit;
pub mod modes;
mod newton;
mod state;
mod table;

pub(in crate::integrate) use assembly::{Anchor, Matrix, Pattern};
pub use error::{SparseCause, SparseError};
pub(in crate::integrate) use factor::Factors;
pub(in crate::integrate) use limit::stability_limit;
pub use state::SparseState;

use super::{BuildError, Method};
use crate::interrupt::{self, Interrupted};
use crate::linalg::max_abs;
use crate::model::{HistoryEnergy, Past, PotentialFault, Structure};
use explicit::Explicit;
use newton::{Newton, Problem};
use table::{End, Row, Table};

/// Steps a body by any [`Method`].
pub struct Sparse<S> {
    body: Body<S>,
    table: Table,
    start: f64,
    h: f64,
    step: u64,
    x: Vec<f64>,
    p: Vec<f64>,
    v: Vec<f64>,
    /// Increments of the last step, or those of a uniform motion: where Newton's method starts.
    last: Vec<f64>,
    reactions: Vec<f64>,
    /// At the nodes of the method.
    forces: Vec<Vec<f64>>,
    /// Whether the forces at the first node are already those of the step to come.
    carried: bool,
    newton: Newton,
    trial: Vec<f64>,
    /// Kinetic energy that mass-proportional damping has taken.
    damped: f64,
    /// For methods that have shorter steps.
    explicit: Option<Explicit>,
}

/// Where and how a run starts.
#[derive(Debug, Clone, PartialEq)]
pub struct SparseStart {
    /// Initial time.
    pub t: f64,
    /// Time step.
    pub h: f64,
    /// Initial positions, three numbers a node. Held components take their prescribed ones.
    pub x: Vec<f64>,
    /// Initial velocities, three numbers a node.
    pub v: Vec<f64>,
}

/// The structure, with what is always asked of it.
struct Body<S> {
    structure: S,
    held: Vec<u32>,
    /// One over the mass, of each component. Velocities are always momenta times this, so that they can be had back to the bit.
    inverse: Vec<f64>,
    /// Room for velocities that nobody asks for.
    spare: Vec<f64>,
    /// The history of elements with memory at the start of the step, and that of the last update; empty without memory.
    history: Vec<f64>,
    after: Vec<f64>,
}

impl<S: Structure> Body<S> {
    /// Puts the held components where they are at time `t`.
    fn place(&mut self, t: f64, x: &mut [f64]) {
        if !self.held.is_empty() {
            self.structure.impose(t, x, &mut self.spare);
        }
    }

    /// Writes the forces, minus the gradient. Elements with memory are updated by a time since the start of the step, without a commit.
    fn force(&self, t: f64, dt: f64, x: &[f64], out: &mut [f64]) -> Result<HistoryEnergy, SparseCause> {
        let energy = match self.past(dt) {
            Some(past) => self.structure.update(t, x, past, out, None)?,
            None => HistoryEnergy::elastic(self.structure.gradient(t, x, out)?),
        };
        out.iter_mut().for_each(|f| *f = -*f);
        if !max_abs(out).is_finite() {
            return Err(SparseCause::NotFinite { what: "a force" });
        }
        Ok(energy)
    }

    /// The history as seen from a time since the start of the step; `None` without memory.
    fn past(&self, dt: f64) -> Option<Past<'_>> {
        (!self.history.is_empty()).then_some(Past { history: &self.history, dt })
    }

    /// Writes the forces at the end of a step, minus the gradient, and notes the history there, which [`commit`](Self::commit) makes valid.
    fn last_forces(&mut self, t: f64, dt: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        if self.history.is_empty() {
            return self.structure.forces(t, x, out);
        }
        let past = Past { history: &self.history, dt };
        self.structure.update(t, x, past, out, Some(&mut self.after))?;
        out.iter_mut().for_each(|f| *f = -*f);
        Ok(())
    }

    /// Commits the last update that was noted.
    fn commit(&mut self) {
        std::mem::swap(&mut self.history, &mut self.after);
    }

    /// Adds to `u` the increment that a row of the table gives to free components.
    fn add_row(&self, row: &Row, h: f64, v: &[f64], forces: &[Vec<f64>], u: &mut [f64]) {
        for (u, v) in u.iter_mut().zip(v) {
            *u += row.velocity * (h * v);
        }
        let mass = self.structure.mass();
        for (c, force) in row.force.iter().zip(forces) {
            if *c != 0.0 {
                for i in 0..u.len() {
                    u[i] += c * (h * h) * force[i] / mass[i / 3];
                }
            }
        }
    }
}

impl<S: Structure> Sparse<S> {
    /// Starts a method on a body. `tolerance` is the size of Newton's last correction, relative to the increments of a step,
    /// below which the step is solved; 1e-15 asks for rounding.
    pub fn new(structure: S, method: Method, start: SparseStart, tolerance: f64) -> Result<Self, BuildError> {
        let table = Table::new(&method)?;
        check(&structure, &start, tolerance)?;
        let n = start.x.len();
        let held = (0..n as u32).filter(|i| structure.is_fixed(*i as usize)).collect();
        let SparseStart { t, h, mut x, mut v } = start;
        structure.impose(t, &mut x, &mut v);
        if !(max_abs(&x).is_finite() && max_abs(&v).is_finite()) {
            return Err(BuildError::Unsuited(format!(
                "the supports at time {t}: expected finite positions and velocities"
            )));
        }
        let mut history = vec![0.0; structure.history_size()];
        structure.first_history(&mut history);
        let goes_back = h < 0.0 || table.nodes.windows(2).any(|pair| pair[1] < pair[0]);
        if !history.is_empty() && goes_back {
            return Err(BuildError::Unsuited(format!(
                "{method} steps backwards in time, which materials with memory cannot: expected another method, such as newmark, \
                 midpoint or verlet of order 2"
            )));
        }
        let newton = Newton::new(&structure, &table, h, tolerance);
        let mass = structure.mass();
        let p: Vec<f64> = v.iter().enumerate().map(|(i, v)| mass[i / 3] * v).collect();
        let inverse: Vec<f64> = mass.iter().flat_map(|m| [1.0 / m; 3]).collect();
        // As after every step, so that a restored start has the same bits.
        (0..n).filter(|i| !structure.is_fixed(*i)).for_each(|i| v[i] = p[i] * inverse[i]);
        Ok(Sparse {
            explicit: Explicit::new(&table, h, &inverse, &p),
            p,
            last: v.iter().map(|v| h * v).collect(),
            forces: vec![vec![0.0; n]; table.nodes.len()],
            reactions: vec![0.0; n],
            trial: vec![0.0; n],
            damped: 0.0,
            body: Body { structure, held, inverse, spare: vec![0.0; n], after: history.clone(), history },
            start: t,
            step: 0,
            carried: false,
            table,
            h,
            x,
            v,
            newton,
        })
    }

    /// One step. After an error the state is that of the last good step. A long one may be [given up](crate::interrupt): the state is then
    /// that from before to the bit, as if it had never been begun.
    pub fn step(&mut self) -> Result<(), SparseError> {
        let before = self.body.structure.mass_damping().is_some().then(|| {
            let before = (self.p.clone(), self.v.clone(), self.damped);
            self.damp();
            before
        });
        let made = interrupt::attempt(|| self.advance()).unwrap_or_else(|Interrupted| {
            self.newton.go_back();
            Err(SparseCause::Interrupted)
        });
        match (before, &made) {
            (Some((p, v, damped)), Err(_)) => (self.p, self.v, self.damped) = (p, v, damped),
            (Some(_), Ok(())) => self.damp(),
            (None, _) => {}
        }
        made.map_err(|cause| SparseError { time: self.time(), step: self.step, cause })
    }

    /// Mass-proportional damping over half a step, exactly: `p <- exp(-a h/2) p`. A step between two halves has the order of its method, at
    /// most two. Prescribed components are not damped.
    fn damp(&mut self) {
        let Some(rates) = self.body.structure.mass_damping() else { return };
        for (i, p) in self.p.iter_mut().enumerate() {
            let rate = rates[i / 3];
            if rate > 0.0 && !self.body.structure.is_fixed(i) {
                let before = *p * *p;
                *p += (-0.5 * rate * self.h).exp_m1() * *p;
                self.damped += 0.5 * (before - *p * *p) * self.body.inverse[i];
                self.v[i] = *p * self.body.inverse[i];
            }
        }
        if let Some(explicit) = &mut self.explicit {
            explicit.restart(&self.p);
        }
    }

    fn time_at(&self, step: u64) -> f64 {
        self.start + step as f64 * self.h
    }

    /// The time of a node of the method. The end of a step is the start of the next to the bit.
    fn node_time(&self, node: usize) -> f64 {
        if self.table.nodes[node] == 1.0 {
            self.time_at(self.step + 1)
        } else {
            self.time() + self.table.nodes[node] * self.h
        }
    }

    fn advance(&mut self) -> Result<(), SparseCause> {
        if let Some(made) = self.kick_drift_kick() {
            return made;
        }
        if let Some(explicit) = &mut self.explicit {
            explicit.ahead = false;
        }
        let unknown = self.table.unknown.clone();
        let mut end = self.last.clone();
        for node in 0..unknown.start {
            if node > 0 || !self.carried {
                self.explicit(node, &mut end)?;
            }
        }
        self.carried = self.table.carries().is_some();
        if !unknown.is_empty() {
            let times: Vec<f64> = unknown.clone().map(|node| self.node_time(node)).collect();
            let ahead: Vec<f64> = unknown.clone().map(|node| self.table.nodes[node] * self.h).collect();
            let problem = Problem { x: &self.x, v: &self.v, last: &self.last, times: &times, ahead: &ahead };
            self.newton.solve(&mut self.body, &self.table, problem, &mut self.forces)?;
        }
        for node in unknown.end..self.table.nodes.len() {
            self.explicit(node, &mut end)?;
        }
        self.finish(end)
    }

    /// The forces at a node that depends on earlier ones only. Leaves its increments in `u`.
    fn explicit(&mut self, node: usize, u: &mut [f64]) -> Result<(), SparseCause> {
        let t = self.node_time(node);
        self.move_by(&self.table.rows[node].clone(), t, u);
        let dt = self.table.nodes[node] * self.h;
        self.body.force(t, dt, &self.trial, &mut self.forces[node])?;
        Ok(())
    }

    /// Sets `u` to the increments of a row, and `trial` to the positions.
    fn move_by(&mut self, row: &Row, t: f64, u: &mut [f64]) {
        u.fill(0.0);
        self.body.add_row(row, self.h, &self.v, &self.forces, u);
        for (c, y) in row.point.iter().zip(self.newton.increments()) {
            for (u, y) in u.iter_mut().zip(y) {
                *u += c * y;
            }
        }
        for i in 0..u.len() {
            self.trial[i] = self.x[i] + u[i];
        }
        self.body.place(t, &mut self.trial);
        for i in &self.body.held {
            u[*i as usize] = self.trial[*i as usize] - self.x[*i as usize];
        }
    }

    /// Position, momentum and reactions at the end; `u` are the increments of the last node.
    fn finish(&mut self, mut u: Vec<f64>) -> Result<(), SparseCause> {
        let t = self.time_at(self.step + 1);
        match &self.table.end {
            End::Row(row) => self.move_by(&row.clone(), t, &mut u),
            End::Node(node) if self.table.unknown.contains(node) => {
                u.copy_from_slice(self.newton.increments().nth(node - self.table.unknown.start).unwrap());
                (0..u.len()).for_each(|i| self.trial[i] = self.x[i] + u[i]);
                self.body.place(t, &mut self.trial);
            }
            // The last node, which has just been placed.
            End::Node(_) => {}
        }
        let mut impulse = vec![0.0; u.len()];
        for (b, force) in self.table.weights.iter().zip(&self.forces) {
            for (impulse, f) in impulse.iter_mut().zip(force) {
                *impulse += b * self.h * f;
            }
        }
        let mut v = self.v.clone();
        let mut x = self.trial.clone();
        self.body.structure.impose(t, &mut x, &mut v);
        if !(max_abs(&self.trial).is_finite() && max_abs(&impulse).is_finite() && max_abs(&v).is_finite()) {
            return Err(SparseCause::NotFinite { what: "a position or a momentum" });
        }
        if !self.body.history.is_empty() {
            // Where the step ends: Newton's method evaluated its last iterate but one.
            let mut unused = vec![0.0; x.len()];
            self.body.last_forces(t, self.h, &self.trial, &mut unused)?;
            self.body.commit();
        }
        let mass = self.body.structure.mass();
        for i in &self.body.held {
            let i = *i as usize;
            let momentum = mass[i / 3] * v[i];
            self.reactions[i] = (momentum - self.p[i] - impulse[i]) / self.h;
            self.p[i] = momentum;
        }
        for i in 0..v.len() {
            if !self.body.structure.is_fixed(i) {
                self.p[i] += impulse[i];
                v[i] = self.p[i] * self.body.inverse[i];
            }
        }
        self.v = v;
        std::mem::swap(&mut self.x, &mut self.trial);
        self.last = u;
        self.step += 1;
        if let Some(explicit) = &mut self.explicit {
            explicit.restart(&self.p);
        }
        if let Some(last) = self.table.carries() {
            self.forces.swap(0, last);
        }
        Ok(())
    }

    /// Time, `t_0 + steps * h`: never accumulated.
    pub fn time(&self) -> f64 {
        self.time_at(self.step)
    }

    /// The time at the start.
    pub fn start(&self) -> f64 {
        self.start
    }

    /// Time since the start.
    pub fn elapsed(&self) -> f64 {
        self.step as f64 * self.h
    }

    /// Steps made.
    pub fn steps(&self) -> u64 {
        self.step
    }

    /// Positions, three numbers a node.
    pub fn positions(&self) -> &[f64] {
        &self.x
    }

    /// Momenta, three numbers a node; those of held components are their masses times the prescribed velocities.
    pub fn momenta(&self) -> &[f64] {
        &self.p
    }

    /// Momenta divided by masses.
    pub fn velocities(&self) -> &[f64] {
        &self.v
    }

    /// The mean force of the supports during the last step: the momentum that held components gained and that no force in
    /// the body gave them, divided by the step. Zero on free components.
    pub fn reactions(&self) -> &[f64] {
        &self.reactions
    }

    /// Newton iterations so far: one evaluation of the forces and one solve each.
    pub fn newton_iterations(&self) -> u64 {
        self.newton.iterations
    }

    /// Matrices factored so far.
    pub fn factorizations(&self) -> u64 {
        self.newton.factorizations
    }

    /// The structure.
    pub fn structure(&self) -> &S {
        &self.body.structure
    }

    /// Kinetic and potential energy; what elements with memory have [dissipated](Self::dissipated) is not in it.
    pub fn energy(&self) -> Result<[f64; 2], SparseError> {
        let potential = self.potential()?.incremental();
        Ok([0.5 * crate::linalg::dot(&self.p, &self.v), potential])
    }

    /// Energy that elements with memory and mass-proportional damping have dissipated so far.
    pub fn dissipated(&self) -> Result<f64, SparseError> {
        let of_memory = if self.body.history.is_empty() { 0.0 } else { self.potential()?.committed };
        Ok(of_memory + self.damped)
    }

    fn potential(&self) -> Result<HistoryEnergy, SparseError> {
        let mut out = vec![0.0; self.x.len()];
        let potential = self.body.force(self.time(), 0.0, &self.x, &mut out);
        potential.map_err(|cause| SparseError { time: self.time(), step: self.step, cause })
    }

    /// The history of all elements with memory; `None` if there is none.
    pub fn past(&self) -> Option<Past<'_>> {
        self.body.past(0.0)
    }

    /// The positions conjugate to the momenta in the discrete action, where Noether momenta live: the positions, except for
    /// Newmark's method, where they are `x - beta h^2 M^-1 f(x)`.
    pub fn canonical(&self) -> Result<Vec<f64>, SparseError> {
        let mut x = self.x.clone();
        if self.table.beta != 0.0 {
            let mut f = vec![0.0; x.len()];
            let force = self.body.force(self.time(), 0.0, &self.x, &mut f);
            force.map_err(|cause| SparseError { time: self.time(), step: self.step, cause })?;
            let mass = self.body.structure.mass();
            for i in 0..x.len() {
                x[i] -= self.table.beta * self.h * self.h * f[i] / mass[i / 3];
            }
        }
        Ok(x)
    }
}

/// Refuses a start that makes no sense.
fn check(structure: &impl Structure, start: &SparseStart, tolerance: f64) -> Result<(), BuildError> {
    let refuse = |message: String| Err(BuildError::Unsuited(message));
    let mass = structure.mass();
    for (name, values) in [("positions", &start.x), ("velocities", &start.v)] {
        if values.len() != 3 * mass.len() {
            return refuse(format!(
                "{} initial {name}: expected {}, three for each of {} nodes",
                values.len(),
                3 * mass.len(),
                mass.len()
            ));
        }
        if let Some(i) = values.iter().position(|x| !x.is_finite()) {
            return refuse(format!("initial {name} of node {}: expected finite numbers", i / 3));
        }
    }
    if let Some(a) = mass.iter().position(|m| !(*m > 0.0 && m.is_finite())) {
        return refuse(format!("the mass {} of node {a}: expected a positive finite number", mass[a]));
    }
    for k in 0..structure.elements() {
        if let Some(node) = structure.nodes(k).iter().find(|a| **a as usize >= mass.len()) {
            return refuse(format!(
                "element {k} has the node {node}: expected a number below {}",
                mass.len()
            ));
        }
    }
    if !(start.h != 0.0 && start.h.is_finite() && start.t.is_finite()) {
        return refuse(format!(
            "the step {} from time {}: expected finite numbers, the step not zero",
            start.h, start.t
        ));
    }
    if !(tolerance > 0.0 && tolerance < 1.0) {
        return refuse(format!("the tolerance {tolerance}: expected a number between 0 and 1"));
    }
    Ok(())
}
