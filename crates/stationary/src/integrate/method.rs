//! The integrators by name: a typed choice, and the one place that builds it for a system.

use super::boundary::momentum_between;
use super::constrained::{self, Constrained, Rattle};
use super::{
    Bounce, Colliding, Composition, DiscreteEulerLagrange, EnergyStepSpec, EnergySteps, Explicit, Integrator,
    Reduced, RungeKutta4, Start,
};
use crate::action::{DiscreteLagrangian, Galerkin, Newmark, WithForce};
use crate::contact::{ContactLaw, Gaps};
use crate::error::RunError;
use crate::model::{Constraint, Force, Jet, Lagrangian};
use std::fmt;
use std::sync::Arc;

/// A choice of integrator with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Method {
    /// Generalised midpoint rule [VTI04 (13)].
    Midpoint {
        /// Where the Lagrangian is sampled, from 0 to 1.
        alpha: f64,
    },
    /// Generalised trapezoidal rule [VTI04 (16)].
    Trapezoidal {
        /// Weight of the end of the step, from 0 to 1.
        alpha: f64,
    },
    /// Symmetric compositions of the explicit trapezoidal rule.
    Verlet {
        /// 2 (velocity Verlet itself), 4, 6 or 8.
        order: usize,
    },
    /// Newmark's family [VTI04 (19)].
    Newmark {
        /// Weight of the end's acceleration in the position, from 0 to 1/2.
        beta: f64,
        /// Weight of the end's acceleration in the velocity; variational at 1/2 only.
        gamma: f64,
    },
    /// Galerkin method with Gauss quadrature, order twice the stages.
    Gauss {
        /// Quadrature nodes and degree of the path, 1 to 8.
        stages: usize,
    },
    /// Galerkin method with Lobatto quadrature, order twice the points less two.
    Lobatto {
        /// Quadrature nodes, 2 to 8; the path has one degree less.
        points: usize,
    },
    /// Classical Runge-Kutta, for contrast: not variational.
    RungeKutta4,
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Method::Midpoint { alpha } => write!(f, "midpoint (alpha {alpha})"),
            Method::Trapezoidal { alpha } => write!(f, "trapezoidal (alpha {alpha})"),
            Method::Verlet { order } => write!(f, "verlet (order {order})"),
            Method::Newmark { beta, gamma } => write!(f, "newmark (beta {beta}, gamma {gamma})"),
            Method::Gauss { stages } => write!(f, "gauss (stages {stages})"),
            Method::Lobatto { points } => write!(f, "lobatto (stages {points})"),
            Method::RungeKutta4 => write!(f, "rk4"),
        }
    }
}

/// Why a method cannot start on a system.
#[derive(Debug, Clone, PartialEq)]
pub enum BuildError {
    /// The method is not made for such a system.
    Unsuited(String),
    /// The start itself fails, for example on a singular mass matrix.
    Start(RunError),
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BuildError::Unsuited(why) => write!(f, "{why}"),
            BuildError::Start(error) => write!(f, "the run cannot start: it {error}"),
        }
    }
}

impl std::error::Error for BuildError {}

impl From<RunError> for BuildError {
    fn from(e: RunError) -> Self {
        BuildError::Start(e)
    }
}

impl Method {
    /// The order of accuracy on smooth problems.
    pub fn order(&self) -> usize {
        match *self {
            Method::Midpoint { alpha } | Method::Trapezoidal { alpha } => 1 + usize::from(alpha == 0.5),
            Method::Verlet { order } => order,
            Method::Newmark { gamma, .. } => 1 + usize::from(gamma == 0.5),
            Method::Gauss { stages } => 2 * stages,
            Method::Lobatto { points } => 2 * points - 2,
            Method::RungeKutta4 => 4,
        }
    }

    /// Whether the method makes a discrete action stationary.
    pub fn variational(&self) -> bool {
        match *self {
            Method::Newmark { gamma, .. } => gamma == 0.5,
            Method::RungeKutta4 => false,
            _ => true,
        }
    }

    /// The largest product of step and frequency for which the motion of an oscillator stays bounded: `h omega <= 2` for
    /// velocity Verlet. `None` where every step is stable, and where none is.
    pub fn stability_limit(&self) -> Option<f64> {
        super::sparse::stability_limit(self)
    }

    /// The parameter of the explicit trapezoidal step this method is on separable systems, if it is one.
    fn explicit(&self) -> Option<(f64, Composition)> {
        match *self {
            // At its ends the midpoint rule samples where the trapezoidal one does.
            Method::Midpoint { alpha } if alpha == 0.0 || alpha == 1.0 => Some((alpha, Composition::PLAIN)),
            Method::Trapezoidal { alpha } => Some((alpha, Composition::PLAIN)),
            Method::Verlet { order } => Some((0.5, Composition::of_order(order)?)),
            Method::Newmark { beta: 0.0, gamma: 0.5 } => Some((0.5, Composition::PLAIN)),
            Method::Lobatto { points: 2 } => Some((0.5, Composition::PLAIN)),
            _ => None,
        }
    }

    /// The discrete Lagrangian of one step, where it is a Galerkin one.
    fn galerkin<L: Lagrangian>(&self, lagrangian: L) -> Option<Galerkin<L>> {
        Some(match *self {
            Method::Midpoint { alpha } => Galerkin::midpoint(lagrangian, alpha),
            Method::Trapezoidal { alpha } => Galerkin::trapezoidal(lagrangian, alpha),
            Method::Verlet { order: 2 } => Galerkin::trapezoidal(lagrangian, 0.5),
            Method::Gauss { stages } => Galerkin::gauss(lagrangian, stages),
            Method::Lobatto { points } => Galerkin::lobatto(lagrangian, points),
            // Newmark's method at beta = 0 moves positions, and no other variable.
            Method::Newmark { beta: 0.0, gamma: 0.5 } if lagrangian.mass().is_some() => {
                Galerkin::trapezoidal(lagrangian, 0.5)
            }
            Method::Verlet { .. } | Method::Newmark { .. } | Method::RungeKutta4 => return None,
        })
    }

    /// The momentum with which the method's discrete path from `q0` reaches `q1` one step `h` later.
    pub fn momentum_between<L: Lagrangian>(
        &self,
        lagrangian: L,
        time_and_step: (f64, f64),
        q0: &[f64],
        q1: &[f64],
    ) -> Result<Vec<f64>, BuildError> {
        self.momentum_between_with(lagrangian, &Interactions::default(), time_and_step, [q0, q1])
    }

    /// The same under forces and constraints.
    pub fn momentum_between_with<L: Lagrangian>(
        &self,
        lagrangian: L,
        interactions: &Interactions,
        time_and_step: (f64, f64),
        ends: [&[f64]; 2],
    ) -> Result<Vec<f64>, BuildError> {
        self.suits(interactions)?;
        if let Method::Newmark { beta, gamma } = *self
            && !(beta == 0.0 && (interactions.constraint.is_some() || interactions.gaps.is_some()))
        {
            let ld = Newmark::new(lagrangian, beta, gamma).ok_or_else(|| inseparable("`newmark`"))?;
            return interactions.between(ld, time_and_step, ends);
        }
        match self.galerkin(lagrangian) {
            Some(ld) => interactions.between(ld, time_and_step, ends),
            None => Err(BuildError::Unsuited(
                "a start from two positions needs the discrete Lagrangian of one step, which `rk4` and composed \
                 methods do not have; give a velocity or a momentum"
                    .into(),
            )),
        }
    }

    /// Whether the method can take these forces and constraints.
    fn suits(&self, interactions: &Interactions) -> Result<(), BuildError> {
        let unsuited = |why: String| Err(BuildError::Unsuited(why));
        if interactions.gaps.is_some() && !interactions.cyclic.is_empty() {
            return unsuited("a reduction goes with no gaps".into());
        }
        if interactions.gaps.is_some() && !self.colliding() {
            return unsuited(format!(
                "{self} takes no gaps: an impact needs the discrete Lagrangian of one step as a function of positions and its \
                 length; choose midpoint, trapezoidal, verlet of order 2, gauss or lobatto"
            ));
        }
        if !interactions.cyclic.is_empty() && interactions.acting() {
            return unsuited("a reduction goes with neither forces nor constraints".into());
        }
        if interactions.constraint.is_some() {
            match *self {
                Method::RungeKutta4 => {
                    return unsuited(
                        "`rk4` has no discrete action to constrain; choose midpoint, trapezoidal, verlet, gauss or \
                         lobatto, or coordinates that need no constraint"
                            .into(),
                    );
                }
                Method::Newmark { beta, gamma } if beta != 0.0 || gamma != 0.5 => {
                    return unsuited(
                        "`newmark` takes constraints only at beta = 0 and gamma = 1/2: elsewhere its action is not one \
                         of the positions that they restrict; choose midpoint, verlet, gauss or lobatto"
                            .into(),
                    );
                }
                _ => {}
            }
        }
        match *self {
            Method::Verlet { order } if order > 2 && interactions.acting() => unsuited(format!(
                "`verlet` of order {order} takes neither forces nor constraints: its sub-steps are explicit; choose \
                 gauss or lobatto for that order"
            )),
            Method::Newmark { gamma, .. } if gamma != 0.5 && interactions.force.is_some() => unsuited(
                "`newmark` takes forces only at gamma = 1/2, where it has a discrete action to add their work to".into(),
            ),
            _ => Ok(()),
        }
    }

    /// Whether steps of the method can be cut by impacts.
    fn colliding(&self) -> bool {
        match *self {
            Method::RungeKutta4 => false,
            Method::Verlet { order } => order == 2,
            Method::Newmark { beta, gamma } => beta == 0.0 && gamma == 0.5,
            _ => true,
        }
    }

    /// Starts the method on a system under forces and constraints: every discrete Lagrangian takes both. With a force
    /// steps are implicit, because it may depend on the velocity.
    pub fn start_with<L: Lagrangian + 'static>(
        &self,
        lagrangian: L,
        interactions: &Interactions,
        start: &Start,
        tolerance: f64,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        if interactions.is_empty() {
            return self.start(lagrangian, start, tolerance);
        }
        self.suits(interactions)?;
        if !interactions.cyclic.is_empty() {
            return self.reduced(lagrangian, &interactions.cyclic, start, tolerance);
        }
        if let Some((alpha, composition)) = self.explicit()
            && let Interactions { force: None, constraint: Some(constraint), gaps: None, .. } = interactions
            && lagrangian.mass().is_some_and(|mass| mass.inverse_diagonal().is_some())
            && composition == Composition::PLAIN
        {
            return rattle(lagrangian, alpha, Arc::clone(constraint), start, tolerance);
        }
        if let Some((alpha, composition)) = self.explicit()
            && let Interactions { force: None, constraint: None, gaps: Some(gaps), .. } = interactions
            && lagrangian.mass().is_some_and(|mass| mass.inverse_diagonal().is_some())
            && composition == Composition::PLAIN
            && gaps.laws.iter().all(|law| *law == ContactLaw::default())
        {
            return bounce(lagrangian, alpha, gaps, start, tolerance);
        }
        match *self {
            Method::RungeKutta4 => {
                let rk4 = RungeKutta4::new(lagrangian, start)?;
                Ok(match &interactions.force {
                    Some(force) => Box::new(rk4.force(Arc::clone(force))),
                    None => Box::new(rk4),
                })
            }
            Method::Newmark { beta, gamma }
                if interactions.constraint.is_none() && interactions.gaps.is_none() =>
            {
                let ld = Newmark::new(lagrangian, beta, gamma).ok_or_else(|| inseparable("`newmark`"))?;
                interactions.implicit(ld, start, tolerance)
            }
            _ => match self.galerkin(lagrangian) {
                Some(ld) => interactions.implicit(ld, start, tolerance),
                None => Err(inseparable("`newmark`")),
            },
        }
    }

    /// Starts the method without the coordinates `cyclic`: discrete Routh reduction.
    fn reduced<L: Lagrangian + 'static>(
        &self,
        lagrangian: L,
        cyclic: &[usize],
        start: &Start,
        tolerance: f64,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        let lagrangian = Arc::new(lagrangian);
        match self.galerkin(Arc::clone(&lagrangian)) {
            Some(ld) => Ok(Box::new(Reduced::new(ld, lagrangian, cyclic, start, tolerance)?)),
            None => Err(BuildError::Unsuited(format!(
                "{self} has no discrete Lagrangian of one step to reduce; choose midpoint, trapezoidal, verlet of order 2, \
                 gauss or lobatto"
            ))),
        }
    }

    /// Starts the method on a system with steps that the energy chooses; `start.h` is the first of them.
    pub fn start_energy<L: Lagrangian + 'static>(
        &self,
        lagrangian: L,
        interactions: &Interactions,
        start: &Start,
        (choice, tolerance): (EnergyStepSpec, f64),
    ) -> Result<Box<dyn Integrator>, BuildError> {
        let unsuited = |why: &str| Err(BuildError::Unsuited(why.into()));
        if !interactions.is_empty() {
            return unsuited(
                "steps chosen by the energy take no forces, constraints or reductions: forces change the energy that the steps \
                 are to keep; leave out `step = \"energy\"`",
            );
        }
        if changes_in_time(&lagrangian, start) {
            return unsuited(
                "steps chosen by the energy need a Lagrangian that does not depend on `t`: where it does there is no \
                 energy to keep",
            );
        }
        let Some(ld) = self.galerkin(lagrangian) else {
            return unsuited(
                "steps chosen by the energy need the discrete Lagrangian of one step as a function of positions and its \
                 length; choose midpoint, trapezoidal, verlet of order 2, gauss or lobatto",
            );
        };
        macro_rules! sized {
            ($($n:literal $s:literal),*) => {
                match (ld.dimension(), ld.pieces()) {
                    $(($n, $s) => Box::new(
                        EnergySteps::new(ld.fixed::<$n, $s>(), start, choice)?.tolerance(tolerance),
                    ),)*
                    _ => Box::new(EnergySteps::new(ld, start, choice)?.tolerance(tolerance)),
                }
            };
        }
        Ok(sized!(1 1, 1 2, 2 1, 2 2))
    }

    /// Starts the method on a system: explicitly where the system is separable and the method allows, else
    /// with Newton's method to the given tolerance.
    pub fn start<L: Lagrangian + 'static>(
        &self,
        lagrangian: L,
        start: &Start,
        tolerance: f64,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        if lagrangian.mass().is_some()
            && let Some((alpha, composition)) = self.explicit()
        {
            return Ok(explicit(lagrangian, alpha, composition, start));
        }
        match *self {
            Method::Verlet { order: order @ 4.. } => Err(inseparable(&format!("`verlet` of order {order}"))),
            Method::Newmark { beta, gamma } => {
                let ld = Newmark::new(lagrangian, beta, gamma).ok_or_else(|| inseparable("`newmark`"))?;
                Ok(Box::new(DiscreteEulerLagrange::new(ld, start)?.tolerance(tolerance)))
            }
            Method::RungeKutta4 => Ok(Box::new(RungeKutta4::new(lagrangian, start)?)),
            _ => match self.galerkin(lagrangian) {
                Some(ld) => implicit(ld, start, tolerance),
                None => Err(inseparable(&format!("{self}"))),
            },
        }
    }
}

/// What a run has besides its Lagrangian.
#[derive(Clone, Default)]
pub struct Interactions {
    /// Forces that come from no potential [VTI04 2.6].
    pub force: Option<Arc<dyn Force>>,
    /// Constraints on the positions [VTI04 2.5].
    pub constraint: Option<Arc<dyn Constraint>>,
    /// Coordinates that leave by discrete Routh reduction; the Lagrangian must not depend on them. The run is still seen
    /// as one of the full system.
    pub cyclic: Vec<usize>,
    /// Where the system may be [FET03 4-5].
    pub gaps: Option<Gaps>,
}

impl fmt::Debug for Interactions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let constraints = self.constraint.as_ref().map_or(0, |c| c.count());
        write!(
            f,
            "Interactions {{ force: {}, constraints: {constraints}, cyclic: {:?}, gaps: {} }}",
            self.force.is_some(),
            self.cyclic,
            self.gaps.as_ref().map_or(0, |g| g.laws.len())
        )
    }
}

impl Interactions {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.cyclic.is_empty() && !self.acting() && self.gaps.is_none()
    }

    /// Whether something acts on the system: a force or a constraint.
    pub fn acting(&self) -> bool {
        self.force.is_some() || self.constraint.is_some()
    }

    /// Starts a discrete Lagrangian under them.
    fn implicit<D: DiscreteLagrangian + 'static>(
        &self,
        ld: D,
        start: &Start,
        tolerance: f64,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        match &self.force {
            Some(force) => self.constrain(WithForce::new(ld, Arc::clone(force)), start, tolerance),
            None => self.constrain(ld, start, tolerance),
        }
    }

    fn constrain<D: DiscreteLagrangian + 'static>(
        &self,
        ld: D,
        start: &Start,
        tolerance: f64,
    ) -> Result<Box<dyn Integrator>, BuildError> {
        if let Some(gaps) = &self.gaps {
            let run = Colliding::constrained(ld, self.constraint.clone(), Arc::clone(&gaps.gap), start)?;
            let run = run.laws(&gaps.laws).simultaneous(gaps.simultaneous);
            return Ok(Box::new(run.tolerance(tolerance)));
        }
        Ok(match &self.constraint {
            Some(constraint) => {
                Box::new(Constrained::new(ld, Arc::clone(constraint), start)?.tolerance(tolerance))
            }
            None => Box::new(DiscreteEulerLagrange::new(ld, start)?.tolerance(tolerance)),
        })
    }

    /// The momentum of the discrete path under them between two positions.
    fn between<D: DiscreteLagrangian>(
        &self,
        ld: D,
        (t, h): (f64, f64),
        ends: [&[f64]; 2],
    ) -> Result<Vec<f64>, BuildError> {
        match &self.force {
            Some(force) => self.between_on(WithForce::new(ld, Arc::clone(force)), (t, h), ends),
            None => self.between_on(ld, (t, h), ends),
        }
    }

    fn between_on<D: DiscreteLagrangian>(
        &self,
        mut ld: D,
        (t, h): (f64, f64),
        [q0, q1]: [&[f64]; 2],
    ) -> Result<Vec<f64>, BuildError> {
        let momentum = match &self.constraint {
            Some(constraint) => constrained::between(&mut ld, Arc::clone(constraint), (t, h), q0, q1),
            None => momentum_between(&mut ld, (t, h), q0, q1),
        };
        momentum.map_err(|cause| BuildError::Start(RunError { time: t, step: 0, cause }))
    }
}

/// Whether `L_t` is seen at the start or at two places near it, within the first step.
fn changes_in_time<L: Lagrangian>(lagrangian: &L, start: &Start) -> bool {
    let n = start.q.len();
    let mut jet = Jet::new(n);
    let place = |x: f64| (start.q.iter().map(|q| q + 0.1 * x).collect::<Vec<f64>>(), vec![0.3 * x; n]);
    [0.0, 0.37, 0.71].into_iter().any(|x| {
        let (q, v) = place(x);
        lagrangian.first(start.t + x * start.h, &q, &v, &mut jet);
        jet.dt() != 0.0 && !jet.dt().is_nan()
    })
}

fn inseparable(what: &str) -> BuildError {
    BuildError::Unsuited(format!(
        "{what} needs a separable Lagrangian, one of the form v.M v/2 - V(t, q) with a constant mass matrix M"
    ))
}

/// The implicit integrator, its loops unrolled when small.
fn implicit<L: Lagrangian + 'static>(
    ld: Galerkin<L>,
    start: &Start,
    tolerance: f64,
) -> Result<Box<dyn Integrator>, BuildError> {
    macro_rules! sized {
        ($($n:literal $s:literal),*) => {
            match (ld.dimension(), ld.pieces()) {
                $(($n, $s) => Box::new(DiscreteEulerLagrange::new(ld.fixed::<$n, $s>(), start)?.tolerance(tolerance)),)*
                _ => Box::new(DiscreteEulerLagrange::new(ld, start)?.tolerance(tolerance)),
            }
        };
    }
    Ok(sized!(1 1, 1 2, 1 3, 2 1, 2 2, 2 3))
}

/// The trapezoidal rule under constraints, its state in registers when small; the mass matrix must be diagonal.
fn rattle<L: Lagrangian + 'static>(
    lagrangian: L,
    alpha: f64,
    constraint: Arc<dyn Constraint>,
    start: &Start,
    tolerance: f64,
) -> Result<Box<dyn Integrator>, BuildError> {
    macro_rules! sized {
        ($($n:literal $m:literal),*) => {
            match (start.q.len(), constraint.count()) {
                $(($n, $m) => Rattle::<L, _, $n, $m>::new(lagrangian, alpha, constraint, start)?
                    .map(|x| Box::new(x.tolerance(tolerance)) as Box<dyn Integrator>),)*
                _ => {
                    let ld = Galerkin::trapezoidal(lagrangian, alpha);
                    Some(Box::new(Constrained::new(ld, constraint, start)?.tolerance(tolerance)) as _)
                }
            }
        };
    }
    Ok(sized!(2 1, 3 1, 4 2, 4 3).expect("the caller has looked at the mass matrix"))
}

/// The trapezoidal rule through elastic impacts, its state in registers when small; the mass matrix must be diagonal.
fn bounce<L: Lagrangian + 'static>(
    lagrangian: L,
    alpha: f64,
    gaps: &Gaps,
    start: &Start,
    tolerance: f64,
) -> Result<Box<dyn Integrator>, BuildError> {
    let gap = Arc::clone(&gaps.gap);
    macro_rules! sized {
        ($($n:literal)*) => {
            match start.q.len() {
                $($n => Bounce::<L, _, $n>::new(lagrangian, alpha, gap, start)?
                    .map(|x| Box::new(x.tolerance(tolerance).simultaneous(gaps.simultaneous)) as Box<dyn Integrator>),)*
                _ => {
                    let run = Colliding::new(Galerkin::trapezoidal(lagrangian, alpha), gap, start)?;
                    Some(Box::new(run.simultaneous(gaps.simultaneous).tolerance(tolerance)) as _)
                }
            }
        };
    }
    Ok(sized!(1 2 3 4).expect("the caller has looked at the mass matrix"))
}

/// The explicit integrator, its state in registers when small.
fn explicit<L: Lagrangian + 'static>(
    lagrangian: L,
    alpha: f64,
    composition: Composition,
    start: &Start,
) -> Box<dyn Integrator> {
    macro_rules! sized {
        ($($n:literal)*) => {
            match start.q.len() {
                $($n => Explicit::<L, [f64; $n]>::composed(lagrangian, alpha, composition, start)
                    .map(|x| Box::new(x) as Box<dyn Integrator>),)*
                _ => Explicit::<L, Vec<f64>>::composed(lagrangian, alpha, composition, start)
                    .map(|x| Box::new(x) as Box<dyn Integrator>),
            }
        };
    }
    sized!(1 2 3 4).expect("separable: the caller has asked for the mass matrix")
}
