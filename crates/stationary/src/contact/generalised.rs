//! Contacts in generalised coordinates: gaps that are closed at a place, seen in contact space.
//!
//! With `R` the inverse of the mass matrix on the motions that the system's constraints allow ([`Metric`]), a closed gap has the normal
//! `n`, its gradient, and the rate `n . v + phi_t` ([`GapTouch`]). Its slip is `s = T v + c` ([`Slip`]): friction acts on the system by the
//! impulse `T' f`. Without formulas of the slip `T` is an orthonormal basis, in the metric `R`, of the directions perpendicular to the
//! normals, and the impulse along the normal is measured in that metric too.

use super::law::{Components, ContactSpace, unit_of_diagonal};
use super::{Gap, Piece};
use crate::error::Cause;
use crate::linalg::{Lu, dot, natural_units};
use crate::model::{Bounds, Jet, Lagrangian, fill_saddle};

/// A direction depends on others if less than this part of its square is left without its parts along them.
const DEPENDENT: f64 = 1e-10;

/// A place, when it is reached and with which velocity.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Arrival<'a> {
    pub t: f64,
    pub q: &'a [f64],
    pub v: &'a [f64],
}

/// One smooth piece of a gap that is closed.
#[derive(Debug, Clone)]
pub(crate) struct GapTouch {
    pub piece: Piece,
    /// `phi`, zero but for rounding.
    pub value: f64,
    /// `n`, the gradient of `phi`.
    pub normal: Vec<f64>,
    /// `phi_t`.
    pub dt: f64,
    /// `R n`.
    pub response: Vec<f64>,
    /// Rate of the gap on arrival.
    pub rate: f64,
    /// Below this, negative, a rate is more than rounding.
    pub rounding: f64,
}

impl GapTouch {
    /// The rate of the gap at a velocity.
    pub fn rate_at(&self, v: &[f64]) -> f64 {
        dot(&self.normal, v) + self.dt
    }

    /// `W_nn = n . R n`.
    pub fn own_response(&self) -> f64 {
        dot(&self.normal, &self.response)
    }

    /// This contact, with its slip, in contact space.
    pub fn in_contact_space(&self, slip: &Slip, v: &[f64]) -> ContactSpace<Vec<f64>> {
        let r = slip.rows.len();
        ContactSpace {
            before: Components { normal: self.rate, tangential: slip.at(v) },
            nn: self.own_response(),
            nt: slip.response.iter().map(|x| dot(&self.normal, x)).collect(),
            tt: (0..r * r).map(|k| dot(&slip.rows[k / r], &slip.response[k % r])).collect(),
        }
    }
}

/// The Delassus operator of the normals of several contacts, by rows.
pub(crate) fn normal_operator(touches: &[GapTouch]) -> Vec<f64> {
    let m = touches.len();
    (0..m * m).map(|k| dot(&touches[k / m].normal, &touches[k % m].response)).collect()
}

/// The inverse of the mass matrix on the motions that constraints allow.
pub(crate) struct Metric {
    lu: Lu,
    /// Units of the coordinates in which their inertias are of one size: pivots do not depend on the user's units.
    units: Vec<f64>,
    size: usize,
}

impl Metric {
    pub fn new<L: Lagrangian>(l: &L, at: Arrival<'_>, constraints: &Bounds) -> Result<Self, Cause> {
        let n = at.q.len();
        let mut jet = Jet::new(n);
        l.second(at.t, at.q, at.v, &mut jet);
        let size = n + constraints.value().len();
        let mut lu = Lu::new(size);
        let mut units = vec![1.0; n];
        natural_units(jet.dvv(), n, &mut units);
        for (k, x) in jet.parts().dvv.iter_mut().enumerate() {
            *x *= units[k / n] * units[k % n];
        }
        let mut constraints = constraints.clone();
        for (k, x) in constraints.parts().dq.iter_mut().enumerate() {
            *x *= units[k % n];
        }
        fill_saddle(&mut lu, &jet, &constraints, n);
        if !lu.factor() {
            return Err(Cause::Singular);
        }
        Ok(Metric { lu, units, size })
    }

    /// `R x`.
    pub fn response(&self, x: &[f64]) -> Vec<f64> {
        let mut b = vec![0.0; self.size];
        for (i, unit) in self.units.iter().enumerate() {
            b[i] = unit * x[i];
        }
        self.lu.solve(&mut b);
        b.truncate(self.units.len());
        b.iter_mut().zip(&self.units).for_each(|(b, unit)| *b *= unit);
        b
    }
}

/// The slip of a contact.
pub(crate) struct Slip {
    n: usize,
    /// The rows of `T`.
    pub rows: Vec<Vec<f64>>,
    /// `R T'`, row by row.
    pub response: Vec<Vec<f64>>,
    /// `c`, the slip of a place at rest.
    pub rest: Vec<f64>,
    /// The most friction for an impulse of one along the normal.
    pub coefficient: f64,
}

impl Slip {
    /// The slip that the formulas of a gap give.
    pub fn of_formulas<G: Gap>(
        gaps: &G,
        gap: usize,
        metric: &Metric,
        at: Arrival<'_>,
        friction: f64,
    ) -> Self {
        let n = at.q.len();
        let r = gaps.slips(gap);
        let mut rows = vec![0.0; r * n];
        let mut rest = vec![0.0; r];
        gaps.slip(gap, at.t, at.q, &mut rows, &mut rest);
        let rows: Vec<Vec<f64>> = rows.chunks(n).map(<[f64]>::to_vec).collect();
        let response = rows.iter().map(|row| metric.response(row)).collect();
        Slip { n, rows, response, rest, coefficient: friction }
    }

    /// The slip in all directions perpendicular, in the metric of the kinetic energy, to the normals of all contacts at a place: along one
    /// of them friction would press or lift.
    pub fn of_kinetic_energy(touch: &GapTouch, all: &[GapTouch], metric: &Metric, friction: f64) -> Self {
        let n = touch.normal.len();
        let size = touch.own_response().sqrt();
        let mut across = 1;
        let mut basis: Vec<(Vec<f64>, Vec<f64>)> = vec![(
            touch.normal.iter().map(|x| x / size).collect(),
            touch.response.iter().map(|x| x / size).collect(),
        )];
        let normals = all.iter().map(|other| other.normal.clone());
        let axes = (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect());
        for (k, mut x) in normals.chain(axes).enumerate() {
            let before = dot(&metric.response(&x), &x);
            // Twice, because rounding of the first leaves parts along the others.
            for _ in 0..2 {
                for (row, response) in &basis {
                    let part = dot(response, &x);
                    x.iter_mut().zip(row).for_each(|(x, y)| *x -= part * y);
                }
            }
            let response = metric.response(&x);
            let own = dot(&x, &response);
            if own > DEPENDENT * before.abs() {
                let scale = own.sqrt().recip();
                x.iter_mut().for_each(|x| *x *= scale);
                basis.push((x, response.iter().map(|y| y * scale).collect()));
            }
            if k + 1 == all.len() {
                across = basis.len();
            }
        }
        let (rows, response): (Vec<_>, Vec<_>) = basis.into_iter().skip(across).unzip();
        Slip { n, rest: vec![0.0; rows.len()], rows, response, coefficient: friction * size }
    }

    /// The slip at a velocity.
    pub fn at(&self, v: &[f64]) -> Vec<f64> {
        self.rows.iter().zip(&self.rest).map(|(row, c)| dot(row, v) + c).collect()
    }

    /// The size of the terms that the slip is made of: its rounding error is a few units in the last place of that.
    pub fn terms(&self, v: &[f64]) -> f64 {
        let one = |(row, c): (&Vec<f64>, &f64)| {
            row.iter().zip(v).map(|(t, v)| (t * v).abs()).sum::<f64>() + c.abs()
        };
        self.rows.iter().zip(&self.rest).map(one).fold(0.0, f64::max)
    }

    /// The largest diagonal entry of `W_tt`: how much the slip answers to an impulse, at most.
    pub fn largest_response(&self) -> f64 {
        (0..self.rows.len()).map(|k| dot(&self.rows[k], &self.response[k])).fold(0.0, f64::max)
    }

    /// `T' f`.
    pub fn force(&self, f: &[f64]) -> Vec<f64> {
        combine(&self.rows, f, self.n)
    }

    /// The `f` that brings the slip `s` to zero.
    pub fn stop(&self, s: &[f64]) -> Option<Vec<f64>> {
        let r = s.len();
        let mut lu = Lu::new(r);
        let diagonal = |i: usize| dot(&self.rows[i], &self.response[i]);
        let unit: Vec<f64> = (0..r).map(|i| unit_of_diagonal(diagonal(i))).collect();
        for i in 0..r {
            for j in 0..r {
                lu.matrix()[i * r + j] = unit[i] * unit[j] * dot(&self.rows[i], &self.response[j]);
            }
        }
        let mut f: Vec<f64> = s.iter().zip(&unit).map(|(s, u)| -u * s).collect();
        lu.factor().then(|| lu.solve(&mut f))?;
        f.iter_mut().zip(&unit).for_each(|(f, u)| *f *= u);
        Some(f)
    }
}

/// The size of a vector.
pub(crate) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// The sum of rows of length `n` with weights.
pub(crate) fn combine(rows: &[Vec<f64>], weights: &[f64], n: usize) -> Vec<f64> {
    let mut sum = vec![0.0; n];
    for (row, w) in rows.iter().zip(weights) {
        sum.iter_mut().zip(row).for_each(|(s, x)| *s += w * x);
    }
    sum
}
