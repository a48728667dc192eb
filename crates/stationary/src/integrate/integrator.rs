//! The interface of every integrator: it advances a state and shows it.

use super::Adaption;
use crate::archive::Persist;
use crate::contact::GapImpact;
use crate::error::RunError;

/// Where and how a run starts.
#[derive(Debug, Clone, PartialEq)]
pub struct Start {
    /// Initial time.
    pub t: f64,
    /// Initial position.
    pub q: Vec<f64>,
    /// Initial momentum, `L_v(t, q, v)`.
    pub p: Vec<f64>,
    /// Time step.
    pub h: f64,
}

/// The observable part of a state.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Steps made.
    pub step: u64,
    /// Time, `t_0 + step * h`: it is accumulated only where the energy chooses the steps.
    pub t: f64,
    /// Position.
    pub q: &'a [f64],
    /// Momentum.
    pub p: &'a [f64],
    /// The position variable conjugate to `p` in the discrete action: where Noether momenta and the
    /// symplectic form live. It is `q` for all methods but Newmark's.
    pub canonical: &'a [f64],
}

/// From this many coordinates on a step may take long, and saving the state before it costs little in comparison. With fewer, dense matrices of
/// all points of a step are factored within milliseconds.
pub(super) const MANY: usize = 32;

/// Moves a state by whole steps.
///
/// An integrator is deterministic, and grouping its steps into calls differently changes no bit. [`Persist`] passes all numbers that
/// determine the next steps and the observations of the last one: restored into an integrator that was started alike, they give
/// the same bits.
pub trait Integrator: Send + Persist {
    /// Makes steps. On an error the state is that of the last good step.
    fn advance(&mut self, steps: u64) -> Result<(), RunError>;

    /// Whether the next step may take so long that the user must be able to [interrupt](crate::interrupt) it. Whoever lets that happen goes back to
    /// the state from before by [`Persist`].
    fn is_slow(&self) -> bool {
        self.view().q.len() >= MANY
    }

    /// The present state.
    fn view(&self) -> View<'_>;

    /// `-D3 L_d` of the last step; `None` before the first one and for methods that have no action.
    fn discrete_energy(&mut self) -> Option<f64>;

    /// `L_d` of the last step, the action whose differential is `p1.dq1 - p0.dq0` in canonical positions; `None` before
    /// the first one and for methods that have no action.
    fn action(&mut self) -> Option<f64> {
        None
    }

    /// Degrees of freedom `d`: the coordinates less the constraints.
    fn freedom(&self) -> usize {
        self.view().q.len()
    }

    /// The derivative of the last step in the canonical position and momentum, a `2d` by `2d` matrix by rows;
    /// `false` before the first step. Under constraints it is taken in a canonical basis of the motions they allow.
    fn tangent(&mut self, matrix: &mut [f64]) -> bool;

    /// Multipliers of the constraints over the last step: the mean of each, so that `sum_a multiplier_a grad g_a` is
    /// the force of the constraints. `None` before the first step and without constraints.
    fn multipliers(&self) -> Option<&[f64]> {
        None
    }

    /// Work over the last step of the forces that come from no Lagrangian; `None` without such forces.
    fn work(&mut self) -> Option<f64> {
        None
    }

    /// Time since the start, where the method chooses its steps; `None` where it is the number of steps times their length. Differences of
    /// [`View::t`] lose digits far from time zero.
    fn elapsed(&self) -> Option<f64> {
        None
    }

    /// How the length of the last step came about, where the method chooses it.
    fn adaption(&self) -> Option<Adaption> {
        None
    }

    /// The impacts of the last step, in the order of time; the energy after an impact at its very end is not known before the
    /// next step, and is then told by that one.
    fn impacts(&self) -> &[GapImpact] {
        &[]
    }

    /// Newton iterations so far.
    fn iterations(&self) -> u64 {
        0
    }

    /// Whether the method makes a discrete action stationary.
    fn variational(&self) -> bool {
        true
    }
}
