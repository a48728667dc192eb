//! The linear systems of constrained steps: increments of points and impulses of constraints together.

use crate::action::{DiscreteLagrangian, Leg};
use crate::archive::{Archive, Persist};
use crate::linalg::{self, max_abs};
use crate::model::{Bounds, Constraint};
use std::ops::Range;

/// A larger violation, relative to what the constraint is made of, is more than rounding.
pub(super) const ROUNDING: f64 = 1e-8;

/// Equations `D_j + g'(Q_j)^T mu_j = 0` of some points and `g(Q_k) = 0` of others, linearised.
///
/// Unknowns are the increments of the points `k`, then the impulses of the points `j`. Constraints and impulses are
/// measured in units that make all entries of one size: whatever the units of the system, pivots can be compared.
#[derive(Debug, Clone)]
pub struct Saddle<C> {
    constraint: C,
    abscissae: Vec<f64>,
    n: usize,
    /// One for each point.
    bounds: Vec<Bounds>,
    /// What each constraint is multiplied with; found with the first matrix.
    units: Vec<f64>,
    /// Units of the coordinates, and whether they are those in which inertias are of one size, or the user's.
    coordinate_units: Vec<f64>,
    natural: bool,
    /// Points of the equations and of the unknowns of the last matrix.
    rows: Range<usize>,
    columns: Range<usize>,
    q: Vec<f64>,
    d: Vec<f64>,
    dd: Vec<f64>,
    matrix: Vec<f64>,
    pivot: Vec<usize>,
    /// The right side, then the solution.
    delta: Vec<f64>,
}

impl<C: Constraint> Saddle<C> {
    pub fn new(constraint: C, abscissae: &[f64], n: usize) -> Self {
        let m = constraint.count();
        Saddle {
            bounds: vec![Bounds::new(n, m); abscissae.len()],
            constraint,
            abscissae: abscissae.to_vec(),
            n,
            units: Vec::new(),
            coordinate_units: vec![1.0; n],
            natural: false,
            rows: 0..0,
            columns: 0..0,
            q: vec![0.0; n],
            d: Vec::new(),
            dd: Vec::new(),
            matrix: Vec::new(),
            pivot: Vec::new(),
            delta: Vec::new(),
        }
    }

    /// The same with coordinates in units in which inertias are of one size ([`natural_units`](linalg::natural_units)): neither pivots nor
    /// sizes then depend on the user's units.
    pub fn in_natural_units(mut self) -> Self {
        self.natural = true;
        self
    }

    /// The units of the coordinates.
    pub fn coordinate_units(&self) -> &[f64] {
        &self.coordinate_units
    }

    /// The constraints.
    #[inline]
    pub fn constraint(&self) -> &C {
        &self.constraint
    }

    /// Number of constraints.
    pub fn count(&self) -> usize {
        self.constraint.count()
    }

    /// The constraints at point `j`, as last looked at.
    pub fn bounds(&self, j: usize) -> &Bounds {
        &self.bounds[j]
    }

    /// Forgets the units, which belong to legs of one length and to one set of constraints.
    pub fn rescale(&mut self) {
        self.units.clear();
    }

    /// Looks at the constraints at point `j` of a leg, which lies at `q`.
    pub fn look(&mut self, leg: &Leg, j: usize, q: &[f64], second: bool) {
        let t = leg.t + self.abscissae[j] * leg.h;
        match second {
            true => self.constraint.second(t, q, &mut self.bounds[j]),
            false => self.constraint.first(t, q, &mut self.bounds[j]),
        }
    }

    /// Looks at the constraints at all points.
    pub fn look_at_all(&mut self, leg: &Leg, second: bool) {
        let mut q = std::mem::take(&mut self.q);
        for j in 0..self.abscissae.len() {
            q.copy_from_slice(&leg.q);
            if j > 0 {
                q.iter_mut().zip(leg.increment(j)).for_each(|(q, u)| *q += u);
            }
            self.look(leg, j, &q, second);
        }
        self.q = q;
    }

    /// Fills matrix and right side for the equations of the points `rows` in the unknown points `columns`.
    pub fn assemble<D: DiscreteLagrangian>(
        &mut self,
        ld: &mut D,
        leg: &Leg,
        mu: &[f64],
        (rows, columns): (Range<usize>, Range<usize>),
    ) {
        let (n, m) = (self.n, self.count());
        let (height, width) = (rows.len() * n, columns.len() * n);
        let size = height + columns.len() * m;
        self.d.resize(height, 0.0);
        self.dd.resize(height * width, 0.0);
        self.matrix.resize(size * size, 0.0);
        self.pivot.resize(size, 0);
        self.delta.resize(size, 0.0);
        ld.second(leg, &mut self.d, &mut self.dd, rows.clone(), columns.clone());
        self.look_at_all(leg, true);
        if self.natural {
            linalg::natural_units(&self.dd, width, &mut self.coordinate_units);
        }
        if self.units.is_empty() {
            let unit = &self.coordinate_units;
            let size = size_in(&self.dd, |k| unit[k / width % n] * unit[k % width % n]);
            let bounds = &self.bounds[0];
            self.units.extend((0..m).map(|a| size / size_in(bounds.gradient(a), |i| unit[i])));
        }
        self.matrix.fill(0.0);
        for r in 0..height {
            self.matrix[r * size..r * size + width].copy_from_slice(&self.dd[r * width..(r + 1) * width]);
        }
        for (r, j) in rows.clone().enumerate() {
            let bounds = &self.bounds[j];
            if columns.contains(&j) {
                let at = r * n * size + (j - columns.start) * n;
                bounds.add_curvature(&mu[j * m..(j + 1) * m], &mut self.matrix[at..], size);
            }
            for a in 0..m {
                for (i, g) in bounds.gradient(a).iter().enumerate() {
                    self.matrix[(r * n + i) * size + width + r * m + a] = self.units[a] * g;
                }
            }
        }
        for (c, k) in columns.clone().enumerate() {
            for a in 0..m {
                let at = (height + c * m + a) * size + c * n;
                for (i, g) in self.bounds[k].gradient(a).iter().enumerate() {
                    self.matrix[at + i] = self.units[a] * g;
                }
            }
        }
        (self.rows, self.columns) = (rows, columns);
        if self.natural {
            self.scale_matrix();
        }
        self.delta[..height].copy_from_slice(&self.d);
        self.close(mu);
    }

    /// Brings the rows of forces and the columns of increments to the units of the coordinates.
    fn scale_matrix(&mut self) {
        let (n, size) = (self.n, self.pivot.len());
        let (height, width) = (self.rows.len() * n, self.columns.len() * n);
        for (r, row) in self.matrix.chunks_mut(size).enumerate() {
            if r < height {
                row.iter_mut().for_each(|x| *x *= self.coordinate_units[r % n]);
            }
            row[..width].iter_mut().enumerate().for_each(|(c, x)| *x *= self.coordinate_units[c % n]);
        }
    }

    /// Adds what the constraints contribute to the right side.
    fn close(&mut self, mu: &[f64]) {
        let (n, m) = (self.n, self.count());
        for (r, j) in self.rows.clone().enumerate() {
            let target = &mut self.delta[r * n..(r + 1) * n];
            self.bounds[j].add_force(&mu[j * m..(j + 1) * m], target);
        }
        let height = self.rows.len() * n;
        for (c, k) in self.columns.clone().enumerate() {
            for a in 0..m {
                self.delta[height + c * m + a] = self.units[a] * self.bounds[k].value()[a];
            }
        }
    }

    /// The right side of a step anew, from the momentum, `D_j` of the points `1..=s` and the sum of all `D_j`; the
    /// constraints must have been looked at.
    pub fn residual(&mut self, leg: &Leg, mu: &[f64], [p, d, sum]: [&[f64]; 3]) {
        let n = leg.q.len();
        let height = self.rows.len() * n;
        self.delta[n..height].copy_from_slice(&d[..height - n]);
        for i in 0..n {
            // D_0 as the sum less the others, so that it balances the impulse to the last bit.
            self.delta[i] = d[i..].iter().step_by(n).fold(p[i] + sum[i], |rest, d| rest - d);
        }
        self.close(mu);
    }

    /// Adds the momentum to the equation of the first point.
    pub fn add_momentum(&mut self, p: &[f64]) {
        self.delta.iter_mut().zip(p).for_each(|(d, p)| *d += p);
    }

    /// Number and value of the constraint that the points, as last looked at, obey least; `None` if they obey all but for
    /// rounding.
    pub fn violated(&self) -> Option<(usize, f64)> {
        let all = self.bounds.iter().flat_map(|b| b.value().iter().enumerate());
        let worst =
            all.max_by(|(a, x), (b, y)| (self.units[*a] * x.abs()).total_cmp(&(self.units[*b] * y.abs())));
        let (number, value) = worst?;
        let terms = self.bounds[0].terms(number, &self.q);
        (value.abs() > ROUNDING * terms).then_some((number, *value))
    }

    /// Largest entry of the right side.
    pub fn size(&self) -> f64 {
        if !self.natural {
            return max_abs(&self.delta);
        }
        let height = self.rows.len() * self.n;
        size_in(&self.delta, |k| if k < height { self.coordinate_units[k % self.n] } else { 1.0 })
    }

    /// Factors the matrix; `false` when it is singular.
    pub fn factor(&mut self) -> bool {
        let size = self.pivot.len();
        linalg::factor(&mut self.matrix, &mut self.pivot, size)
    }

    /// Solves for any right side: forces on the points of the equations, then conditions on those of the unknowns. The
    /// impulses that come out are in the user's units.
    pub fn solve(&self, b: &mut [f64]) {
        let (n, m, size) = (self.n, self.count(), self.pivot.len());
        let (height, width) = (self.rows.len() * n, self.columns.len() * n);
        b[..height].iter_mut().enumerate().for_each(|(k, f)| *f *= self.coordinate_units[k % n]);
        b[height..].iter_mut().enumerate().for_each(|(k, g)| *g *= self.units[k % m]);
        linalg::solve(&self.matrix, &self.pivot, b, size);
        b[..width].iter_mut().enumerate().for_each(|(k, u)| *u *= self.coordinate_units[k % n]);
        b[width..].iter_mut().enumerate().for_each(|(k, mu)| *mu *= self.units[k % m]);
    }

    /// Subtracts the solution from increments and impulses. Returns the size of the correction of the increments and that
    /// of the increments, in the units of the coordinates.
    pub fn correct(&mut self, u: &mut [f64], mu: &mut [f64]) -> (f64, f64) {
        let (n, m, size) = (self.n, self.count(), self.pivot.len());
        let unit = &self.coordinate_units;
        let height = self.rows.len() * n;
        self.delta[..height].iter_mut().enumerate().for_each(|(k, f)| *f *= unit[k % n]);
        linalg::solve(&self.matrix, &self.pivot, &mut self.delta, size);
        let width = self.columns.len() * n;
        let (increments, impulses) = self.delta.split_at(width);
        let u = &mut u[(self.columns.start - 1) * n..][..width];
        u.iter_mut().zip(increments).enumerate().for_each(|(k, (u, d))| *u -= unit[k % n] * d);
        for (k, d) in impulses.iter().enumerate() {
            mu[self.rows.start * m + k] -= self.units[k % m] * d;
        }
        (max_abs(increments), size_in(u, |i| unit[i % n].recip()))
    }

    /// Whether coordinates too small to show in the largest of the increments `u` have settled with the last correction.
    pub fn small_parts_settled(&self, u: &[f64], scale: f64) -> bool {
        let width = self.columns.len() * self.n;
        let u = &u[(self.columns.start - 1) * self.n..][..width];
        if !self.natural {
            return linalg::small_parts_settled(&self.delta[..width], u, self.n, scale);
        }
        let unit = |k: usize| self.coordinate_units[k % self.n];
        let u: Vec<f64> = u.iter().enumerate().map(|(k, u)| u / unit(k)).collect();
        linalg::small_parts_settled(&self.delta[..width], &u, self.n, scale)
    }
}

/// The largest component of a vector whose components are multiplied with factors; not a number if a component is not.
pub fn size_in(x: &[f64], factor: impl Fn(usize) -> f64) -> f64 {
    let mut most = 0.0;
    for (i, x) in x.iter().enumerate() {
        let size = (factor(i) * x).abs();
        most = if size > most || size.is_nan() { size } else { most };
    }
    most
}

impl<C> Persist for Saddle<C> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.fixed(&mut self.bounds).pass(&mut self.units);
    }
}
