//! What every discrete Lagrangian provides: the value and the slot derivatives of `L_d`.

use crate::archive::{Archive, Persist};
use crate::model::Lagrangian;
use std::ops::Range;

/// A discrete Lagrangian `L_d(t0, q0, q1, h)`, given as the stationary value over interior points
/// of a function of `s + 1` points, [VTI04 (23)]:
///
/// `L_d(q0, q1) = ext L_full(q0, Q_1, ..., Q_{s-1}, q1)`.
///
/// Midpoint and trapezoidal rules have no interior points (`s = 1`). Derivatives of `L_d` are those
/// of `L_full` at the stationary point, so an implementation needs only `L_full`: the interior
/// points are found together with `q1` by one Newton iteration
/// ([`DiscreteEulerLagrange`](crate::integrate::DiscreteEulerLagrange)).
pub trait DiscreteLagrangian: Send {
    /// The continuous system.
    type System: Lagrangian;

    /// The continuous system.
    fn system(&self) -> &Self::System;

    /// Number of coordinates `n`.
    #[inline]
    fn dimension(&self) -> usize {
        self.system().dimension()
    }

    /// The number `s`: the points are numbered `0..=s`, ends included.
    fn pieces(&self) -> usize;

    /// Where in the step (from 0 to 1) each point lies: a first guess for interior points.
    fn abscissae(&self) -> &[f64];

    /// Writes the value, `D_j L_full` for each point `j`, their sum and `D3`.
    fn first(&mut self, leg: &Leg, out: &mut Slots);

    /// Writes `D_j L_full` for the points `j` in `rows`, one after the other, into `d`, and the second derivatives
    /// `D_k D_j L_full` for these `j` and the `k` in `columns` (a matrix of blocks, stored by rows) into `dd`.
    fn second(&mut self, leg: &Leg, d: &mut [f64], dd: &mut [f64], rows: Range<usize>, columns: Range<usize>);

    /// Writes `D_j` for the points `1..=s` and the sum of all `D_j`, which is the momentum gained over the step when the
    /// equations hold. Called once a step: worth its own code where speed matters.
    fn gradient(&mut self, leg: &Leg, d: &mut [f64], sum: &mut [f64]) {
        let n = leg.q.len();
        let mut out = Slots::new(n, self.pieces());
        self.first(leg, &mut out);
        d.copy_from_slice(&out.d[n..]);
        sum.copy_from_slice(&out.sum);
    }

    /// As [`second`](Self::second), and what the length of the step changes: writes `D_j D3` for the points `0..=s` into
    /// `mixed` and returns the rest. For Lagrangians that do not depend on time. `None` where the step cannot be
    /// varied alone.
    fn second_in_length(
        &mut self,
        _leg: &Leg,
        _block: [Range<usize>; 2],
        _d: &mut [f64],
        _dd: &mut [f64],
        _mixed: &mut [f64],
    ) -> Option<Length> {
        None
    }

    /// The point that approximates the position at the end of the step. It is the last one, except
    /// where the action is written in other variables than positions.
    fn end_position(&self) -> usize {
        self.pieces()
    }

    /// Turns a position at time `t` into the variable of the discrete action, for a step `h`, where a force `outer`
    /// acts besides those of `L`.
    fn enter(&mut self, _t: f64, _h: f64, _outer: &[f64], _q: &mut [f64]) {}

    /// The quadrature of the action: where along the step it looks, and how much each look counts. Forces that come
    /// from no Lagrangian are sampled there too ([`DiscreteForce`](super::DiscreteForce)).
    fn samples(&self) -> Vec<QuadraturePoint>;

    /// Writes the force that acts besides those of `L` at a place.
    fn outer_force(&mut self, _t: f64, _q: &[f64], _v: &[f64], force: &mut [f64]) {
        force.fill(0.0);
    }

    /// The work of that force over a step; `None` where there is no such force.
    fn work(&mut self, leg: &Leg) -> Option<f64> {
        self.work_shares(leg).map(|[to_end, to_start]| to_end + to_start)
    }

    /// That work in the shares in which it moves with the end and with the start of the step: `h sum_i w_i c_i F_i . v_i` and
    /// `h sum_i w_i (1 - c_i) F_i . v_i` for nodes at `c_i`.
    fn work_shares(&mut self, _leg: &Leg) -> Option<[f64; 2]> {
        None
    }

    /// A momentum added to `p` after each step that does not come from the discrete action. `true` if there
    /// is one: the method is then not variational. When `tangent` is given, the derivative in each
    /// point is added to it (`n` rows, one block of columns a point).
    fn extra_impulse(&mut self, _leg: &Leg, _p: &mut [f64], _tangent: Option<&mut [f64]>) -> bool {
        false
    }
}

/// How a discrete Lagrangian depends on the length of its step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    /// `D3`, minus the discrete energy.
    pub d3: f64,
    /// `D3 D3`.
    pub d33: f64,
    /// The size of the terms whose sum `D3` is: its rounding error is a few units in their last place.
    pub size: f64,
}

/// One node of the quadrature of a discrete action: there the path has the position `sum_j shape_j Q_j` and the
/// velocity `sum_j slope_j Q_j / h`, both sums over the points `0..=s`.
#[derive(Debug, Clone, PartialEq)]
pub struct QuadraturePoint {
    /// Where in the step, from 0 to 1.
    pub abscissa: f64,
    /// The weight; all add to one.
    pub weight: f64,
    /// Weights of the points in the position; they add to one.
    pub shape: Vec<f64>,
    /// Weights of the points in the velocity; they add to zero.
    pub slope: Vec<f64>,
}

/// One step: where it starts, how long it is, and the points relative to the start.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Leg {
    /// Time at the start.
    pub t: f64,
    /// Length in time.
    pub h: f64,
    /// The point at the start.
    pub q: Vec<f64>,
    /// Increments `Q_j - q0` of the points `1..=s`, one after the other. Increments, because
    /// differences of positions lose digits when the step is short.
    pub u: Vec<f64>,
}

impl Leg {
    /// A leg of no motion.
    pub fn new(n: usize, pieces: usize) -> Self {
        Leg { t: 0.0, h: 0.0, q: vec![0.0; n], u: vec![0.0; n * pieces] }
    }
    /// The increment of point `j >= 1`.
    #[inline]
    pub fn increment(&self, j: usize) -> &[f64] {
        let n = self.q.len();
        &self.u[(j - 1) * n..j * n]
    }
}

/// Value and first derivatives of a discrete Lagrangian at one leg.
#[derive(Debug, Clone)]
pub struct Slots {
    /// `L_d`.
    pub value: f64,
    /// `D_j` for `j = 0..=s`, one after the other; `D1 L_d` is the first, `D2 L_d` the last.
    pub d: Vec<f64>,
    /// The sum of all `D_j`.
    pub sum: Vec<f64>,
    /// `D3 L_d`, the derivative in `h`: minus the discrete energy.
    pub d3: f64,
    /// The derivative in the time at the start, at the same `h`: zero where the Lagrangian does not depend on time.
    pub dt: f64,
}

impl Slots {
    /// Room for `n` coordinates and points `0..=s`.
    pub fn new(n: usize, s: usize) -> Self {
        Slots { value: 0.0, d: vec![0.0; (s + 1) * n], sum: vec![0.0; n], d3: 0.0, dt: 0.0 }
    }
}

impl Leg {
    /// How many numbers its place and its increments have.
    pub(crate) fn shape(&self) -> [usize; 2] {
        [self.q.len(), self.u.len()]
    }
}

impl Persist for Leg {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.t).pass(&mut self.h).pass(&mut self.q).pass(&mut self.u);
    }
}
