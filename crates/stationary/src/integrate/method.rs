//! The integrators by name: a typed choice, and the one place that builds it for a system.

use super::boundary::momentum_between;
use super::{Composition, Del, Explicit, Integrator, RungeKutta4, Start};
use crate::action::{DiscreteLagrangian, Galerkin, Newmark};
use crate::error::RunError;
use crate::model::Lagrangian;
use std::fmt;

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

    /// The momentum with which the method's discrete path from `q0` reaches `q1` one step `h` later.
    pub fn momentum_between<L: Lagrangian>(
        &self,
        lagrangian: L,
        time_and_step: (f64, f64),
        q0: &[f64],
        q1: &[f64],
    ) -> Result<Vec<f64>, BuildError> {
        let start = |cause| BuildError::Start(RunError { time: time_and_step.0, step: 0, cause });
        let solved = match *self {
            Method::Midpoint { alpha } => {
                momentum_between(&mut Galerkin::midpoint(lagrangian, alpha), time_and_step, q0, q1)
            }
            Method::Trapezoidal { alpha } => {
                momentum_between(&mut Galerkin::trapezoidal(lagrangian, alpha), time_and_step, q0, q1)
            }
            Method::Verlet { order: 2 } => {
                momentum_between(&mut Galerkin::trapezoidal(lagrangian, 0.5), time_and_step, q0, q1)
            }
            Method::Gauss { stages } => {
                momentum_between(&mut Galerkin::gauss(lagrangian, stages), time_and_step, q0, q1)
            }
            Method::Lobatto { points } => {
                momentum_between(&mut Galerkin::lobatto(lagrangian, points), time_and_step, q0, q1)
            }
            Method::Newmark { beta, gamma } => match Newmark::new(lagrangian, beta, gamma) {
                Some(mut ld) => momentum_between(&mut ld, time_and_step, q0, q1),
                None => return Err(inseparable("`newmark`")),
            },
            Method::Verlet { .. } | Method::RungeKutta4 => {
                return Err(BuildError::Unsuited(
                    "a start from two positions needs the discrete Lagrangian of one step, which `rk4` and composed \
                     methods do not have; give a velocity or a momentum"
                        .into(),
                ));
            }
        };
        solved.map_err(start)
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
        let galerkin = |ld| implicit(ld, start, tolerance);
        match *self {
            Method::Midpoint { alpha } => galerkin(Galerkin::midpoint(lagrangian, alpha)),
            Method::Trapezoidal { alpha } => galerkin(Galerkin::trapezoidal(lagrangian, alpha)),
            Method::Verlet { order: 2 } => galerkin(Galerkin::trapezoidal(lagrangian, 0.5)),
            Method::Verlet { order } => Err(inseparable(&format!("`verlet` of order {order}"))),
            Method::Gauss { stages } => galerkin(Galerkin::gauss(lagrangian, stages)),
            Method::Lobatto { points } => galerkin(Galerkin::lobatto(lagrangian, points)),
            Method::Newmark { beta, gamma } => {
                let ld = Newmark::new(lagrangian, beta, gamma).ok_or_else(|| inseparable("`newmark`"))?;
                Ok(Box::new(Del::new(ld, start)?.tolerance(tolerance)))
            }
            Method::RungeKutta4 => Ok(Box::new(RungeKutta4::new(lagrangian, start)?)),
        }
    }
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
                $(($n, $s) => Box::new(Del::new(ld.fixed::<$n, $s>(), start)?.tolerance(tolerance)),)*
                _ => Box::new(Del::new(ld, start)?.tolerance(tolerance)),
            }
        };
    }
    Ok(sized!(1 1, 1 2, 1 3, 2 1, 2 2, 2 3))
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
