//! The discrete phase-space principle where the form is not constant but half of the one-form's entries vanish.
//!
//! `L_d(x0, x1) = ext sum_i h b_i [theta(X_i, Y_i).X'_i - H(t_i, X_i, Y_i)]` over polynomials `x` of degree `s` and free
//! fibre variables `Y_i` at the Gauss nodes. With `l = theta.x' - H` this is, in position-momentum form,
//!
//! ```text
//! 0 = l_y(X_i, Y_i, V_i),   theta(X_i, Y_i) = p0 + h sum_j a_ij l_x(X_j, Y_j, V_j),   X_i = x0 + h sum_j a_ij V_j
//! x1 = x0 + h sum_i b_i V_i,   p1 = p0 + h sum_i b_i l_x(X_i, Y_i, V_i),   theta(x1, y1) = p1
//! ```
//!
//! A one-step method, unlike the discrete Euler-Lagrange equations in all of `z`, which are of second order and have
//! spurious solutions. `dx ^ d theta`, the form itself, is kept exactly; so are the momenta of symmetries that are affine
//! in `x` and leave `l` unchanged.

use super::tableau::Tableau;
use super::{PhaseStart, failure};
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::integrate::{Integrator, View};
use crate::linalg::{Lu, NewtonProgress, ROUNDING_OF_POSITIONS, Verdict, max_abs, small_parts_settled};
use crate::model::{Fibred, Jet, Lagrangian, PhaseJet, PhaseSpace, TwoForm};
use std::sync::Arc;

/// Steps a system with a fibred one-form. Variational.
#[derive(Debug, Clone)]
pub struct PhaseFibred<P> {
    system: P,
    lagrangian: Arc<crate::model::FormulaLagrangian>,
    base: Vec<usize>,
    fibre: Vec<usize>,
    table: Tableau,
    start: f64,
    h: f64,
    step: u64,
    z: Vec<f64>,
    /// `theta` as observers see it, and its part along the base.
    seen: Vec<f64>,
    p: Vec<f64>,
    before: Vec<f64>,
    momentum: Vec<f64>,
    /// For each stage `V` and `Y`: what is solved for, and the last good ones.
    unknowns: Vec<f64>,
    done: Vec<f64>,
    residual: Vec<f64>,
    lu: Lu,
    jets: Vec<Jet>,
    iterations: u64,
    tolerance: f64,
}

impl<P: PhaseSpace> PhaseFibred<P> {
    /// Starts at a state.
    ///
    /// # Panics
    /// If the system is not fibred.
    pub fn new(system: P, stages: usize, start: &PhaseStart) -> Result<Self, RunError> {
        let TwoForm::Fibred(Fibred { lagrangian, base, fibre, .. }) = system.form() else {
            panic!("the one-form of the system is fibred")
        };
        let (lagrangian, base, fibre) = (Arc::clone(lagrangian), base.clone(), fibre.clone());
        let (m, k) = (start.z.len(), base.len());
        let mut rate = vec![0.0; m];
        if !system.rate(start.t, &start.z, &mut PhaseJet::new(m), &mut rate) {
            return Err(RunError { time: start.t, step: 0, cause: Cause::Singular });
        }
        let mut seen = vec![0.0; m];
        system.momentum(&start.z, &mut seen);
        let mut stage: Vec<f64> = base.iter().map(|i| rate[*i]).collect();
        stage.extend(fibre.iter().map(|i| start.z[*i]));
        let p: Vec<f64> = base.iter().map(|i| seen[*i]).collect();
        Ok(PhaseFibred {
            table: Tableau::gauss(stages),
            start: start.t,
            h: start.h,
            step: 0,
            z: start.z.clone(),
            seen,
            momentum: p.clone(),
            p,
            before: start.z.clone(),
            unknowns: stage.repeat(stages),
            done: stage.repeat(stages),
            residual: vec![0.0; 2 * k * stages],
            lu: Lu::new(2 * k * stages),
            jets: vec![Jet::new(m); stages],
            iterations: 0,
            tolerance: 1e-15,
            system,
            lagrangian,
            base,
            fibre,
        })
    }

    /// Sets the size of the last Newton correction, relative to the unknowns, below which a step is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    fn time(&self) -> f64 {
        self.start + self.step as f64 * self.h
    }

    /// The point and the velocity of stage `i`, in all variables.
    fn stage(&self, i: usize) -> (Vec<f64>, Vec<f64>) {
        let (s, k) = (self.table.s, self.base.len());
        let (mut z, mut v) = (self.before.clone(), vec![0.0; self.before.len()]);
        for (a, at) in self.base.iter().enumerate() {
            let mut sum = 0.0;
            for j in 0..s {
                sum += self.table.a[i * s + j] * self.unknowns[j * 2 * k + a];
            }
            z[*at] += self.h * sum;
            v[*at] = self.unknowns[i * 2 * k + a];
        }
        for (a, at) in self.fibre.iter().enumerate() {
            z[*at] = self.unknowns[i * 2 * k + k + a];
        }
        (z, v)
    }

    /// Derivatives of `l` at all stages of the step that begins at `t`.
    fn differentiate(&mut self, t: f64) {
        for i in 0..self.table.s {
            let (z, v) = self.stage(i);
            self.lagrangian.second(t + self.table.c[i] * self.h, &z, &v, &mut self.jets[i]);
        }
    }

    /// The residual: `l_y`, then `theta - p0 - h sum a l_x`, stage by stage. Returns the size of its terms.
    fn equations(&mut self) -> f64 {
        let (s, k) = (self.table.s, self.base.len());
        let mut size: f64 = max_abs(&self.momentum);
        for i in 0..s {
            for a in 0..k {
                self.residual[i * 2 * k + a] = self.jets[i].dq()[self.fibre[a]];
                let mut rest = self.jets[i].dv()[self.base[a]] - self.momentum[a];
                for j in 0..s {
                    rest -= self.h * self.table.a[i * s + j] * self.jets[j].dq()[self.base[a]];
                }
                self.residual[i * 2 * k + k + a] = rest;
            }
            size = size.max(max_abs(self.jets[i].dq()));
        }
        size
    }

    /// Second derivative of `l` at a stage in `z_i` and `z_j`, or `z_i` and `v_j`.
    fn qq(&self, stage: usize, i: usize, j: usize) -> f64 {
        self.jets[stage].dqq()[i * self.z.len() + j]
    }
    fn qv(&self, stage: usize, i: usize, j: usize) -> f64 {
        self.jets[stage].dqv()[i * self.z.len() + j]
    }

    /// Derivatives of the residual of stage `i` in `(X_j, Y_j, V_j)` directly, the first by `X_i` shifted along the base
    /// variable `c`: `[l_yX, theta_X - h a l_xX]`.
    fn by_base(&self, (i, j): (usize, usize), a: usize, c: usize) -> [f64; 2] {
        let (x, y, by) = (self.base[a], self.fibre[a], self.base[c]);
        let coupling = -self.h * self.table.a[i * self.table.s + j];
        let own = if i == j { [self.qq(j, y, by), self.qv(j, by, x)] } else { [0.0; 2] };
        [own[0], own[1] + coupling * self.qq(j, x, by)]
    }

    /// Fills the matrix of Newton's method.
    fn linearise(&mut self) {
        let (s, k) = (self.table.s, self.base.len());
        let width = 2 * k * s;
        let mut matrix = std::mem::take(self.lu.matrix_mut());
        matrix.fill(0.0);
        for i in 0..s {
            for j in 0..s {
                let coupling = -self.h * self.table.a[i * s + j];
                for a in 0..k {
                    let rows = [i * 2 * k + a, i * 2 * k + k + a].map(|r| r * width);
                    for c in 0..k {
                        let (x, y) = (self.base[a], self.fibre[a]);
                        // Directly in Y_j and V_j.
                        let (by_y, by_v) = (j * 2 * k + k + c, j * 2 * k + c);
                        if i == j {
                            matrix[rows[0] + by_y] += self.qq(j, y, self.fibre[c]);
                            matrix[rows[0] + by_v] += self.qv(j, y, self.base[c]);
                            matrix[rows[1] + by_y] += self.qv(j, self.fibre[c], x);
                        }
                        matrix[rows[1] + by_y] += coupling * self.qq(j, x, self.fibre[c]);
                        matrix[rows[1] + by_v] += coupling * self.qv(j, x, self.base[c]);
                        // Through X_j = x0 + h sum_l a_jl V_l.
                        let through = self.by_base((i, j), a, c);
                        for l in 0..s {
                            let shift = self.h * self.table.a[j * s + l];
                            matrix[rows[0] + l * 2 * k + c] += shift * through[0];
                            matrix[rows[1] + l * 2 * k + c] += shift * through[1];
                        }
                    }
                }
            }
        }
        *self.lu.matrix_mut() = matrix;
    }

    fn correct(&mut self) -> f64 {
        self.lu.solve(&mut self.residual);
        for (x, d) in self.unknowns.iter_mut().zip(&self.residual) {
            *x -= d;
        }
        max_abs(&self.residual)
    }

    fn solve(&mut self, t: f64) -> Result<(), Cause> {
        let mut progress = NewtonProgress::new(self.tolerance);
        while progress.begin() {
            self.differentiate(t);
            let residual = self.equations();
            let residual = max_abs(&self.residual) / residual.max(f64::MIN_POSITIVE);
            self.linearise();
            let regular = self.lu.factor();
            if !regular || !residual.is_finite() {
                return Err(failure(progress.iterations(), residual, regular));
            }
            let size = self.correct();
            self.iterations += 1;
            let (delta, unknowns, n) = (&*self.residual, &*self.unknowns, 2 * self.base.len());
            let scale = max_abs(unknowns);
            let small_parts = || small_parts_settled(delta, unknowns, n, scale);
            let verdict = progress.judge(size, scale, small_parts, || size <= ROUNDING_OF_POSITIONS * scale);
            if verdict.ends() {
                self.differentiate(t);
                self.equations();
                self.correct();
                self.differentiate(t);
                return Ok(());
            }
            if verdict == Verdict::Diverged {
                return Err(failure(progress.iterations(), size, true));
            }
        }
        self.differentiate(t);
        let size = self.equations();
        Err(failure(progress.iterations(), max_abs(&self.residual) / size.max(f64::MIN_POSITIVE), true))
    }

    /// `theta(x, y) = p` for the fibre variables of `z`, from the guess in them.
    fn descend(&mut self, z: &mut [f64], p: &[f64]) -> Result<(), Cause> {
        let k = self.base.len();
        let rest = vec![0.0; z.len()];
        let (mut lu, mut delta, mut residual) = (Lu::new(k), vec![0.0; k], f64::NAN);
        let mut progress = NewtonProgress::new(4.0 * f64::EPSILON).forecast_below(0.0);
        while progress.begin() {
            // theta does not depend on time, and H does not enter l_v.
            self.lagrangian.second(self.start, z, &rest, &mut self.jets[0]);
            for a in 0..k {
                delta[a] = self.jets[0].dv()[self.base[a]] - p[a];
                for c in 0..k {
                    lu.matrix()[a * k + c] = self.qv(0, self.fibre[c], self.base[a]);
                }
            }
            // A gauge adds to theta what its derivatives in the fibre do not know: what is left may be its rounding.
            let terms = max_abs(self.jets[0].dv()) + max_abs(p);
            residual = max_abs(&delta) / terms.max(f64::MIN_POSITIVE);
            if residual <= 2.0 * f64::EPSILON {
                return Ok(());
            }
            let regular = lu.factor();
            if !regular || !residual.is_finite() {
                return Err(failure(progress.iterations(), residual, regular));
            }
            lu.solve(&mut delta);
            let mut scale: f64 = 0.0;
            for a in 0..k {
                z[self.fibre[a]] -= delta[a];
                scale = scale.max(z[self.fibre[a]].abs());
            }
            let fibre: Vec<f64> = self.fibre.iter().map(|i| z[*i]).collect();
            let small_parts = || small_parts_settled(&delta, &fibre, k, scale);
            if progress.judge(max_abs(&delta), scale, small_parts, || false).ends() {
                return Ok(());
            }
        }
        Err(failure(progress.iterations(), residual, true))
    }

    fn one_step(&mut self) -> Result<(), Cause> {
        let (s, k, t) = (self.table.s, self.base.len(), self.time());
        self.before.copy_from_slice(&self.z);
        self.momentum.copy_from_slice(&self.p);
        if self.step > 0 {
            let done = std::mem::take(&mut self.done);
            self.table.extrapolate(2 * k, &done, &mut self.unknowns);
            self.done = done;
        } else {
            self.unknowns.copy_from_slice(&self.done);
        }
        self.solve(t)?;
        let (mut z, mut p) = (self.before.clone(), self.momentum.clone());
        for a in 0..k {
            let (mut drift, mut kick) = (0.0, 0.0);
            for i in 0..s {
                drift += self.table.b[i] * self.unknowns[i * 2 * k + a];
                kick += self.table.b[i] * self.jets[i].dq()[self.base[a]];
            }
            z[self.base[a]] += self.h * drift;
            p[a] += self.h * kick;
            z[self.fibre[a]] = self.unknowns[(s - 1) * 2 * k + k + a];
        }
        if !max_abs(&z).is_finite() || !max_abs(&p).is_finite() {
            return Err(Cause::NotFinite { what: "the state".into() });
        }
        self.descend(&mut z, &p)?;
        self.z = z;
        self.system.momentum(&self.z, &mut self.seen);
        self.p = p;
        self.done.copy_from_slice(&self.unknowns);
        self.step += 1;
        Ok(())
    }
}

impl<P: PhaseSpace> Integrator for PhaseFibred<P> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            self.one_step().map_err(|cause| RunError { time: self.time(), step: self.step, cause })?;
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        View { step: self.step, t: self.time(), q: &self.z, p: &self.seen, canonical: &self.z }
    }

    fn freedom(&self) -> usize {
        self.z.len() / 2
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        if self.step == 0 {
            return None;
        }
        let t = self.start + (self.step - 1) as f64 * self.h;
        self.unknowns.copy_from_slice(&self.done);
        let mut jet = PhaseJet::new(self.z.len());
        let mut energy = 0.0;
        for i in 0..self.table.s {
            let (z, _) = self.stage(i);
            let ahead = self.table.c[i] * self.h;
            self.system.first(t + ahead, &z, &mut jet);
            energy += self.table.b[i] * (jet.value() + ahead * jet.dt());
        }
        Some(energy)
    }

    fn action(&mut self) -> Option<f64> {
        if self.step == 0 {
            return None;
        }
        let t = self.start + (self.step - 1) as f64 * self.h;
        self.unknowns.copy_from_slice(&self.done);
        let mut sum = 0.0;
        for i in 0..self.table.s {
            let (z, v) = self.stage(i);
            self.lagrangian.first(t + self.table.c[i] * self.h, &z, &v, &mut self.jets[i]);
            sum += self.table.b[i] * self.jets[i].value();
        }
        Some(self.h * sum)
    }

    /// The derivative in the canonical variables `x` and `theta`.
    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        if self.step == 0 {
            return false;
        }
        let (s, k) = (self.table.s, self.base.len());
        self.unknowns.copy_from_slice(&self.done);
        self.differentiate(self.start + (self.step - 1) as f64 * self.h);
        self.linearise();
        if !self.lu.factor() {
            return false;
        }
        let mut d = vec![0.0; 2 * k * s];
        for column in 0..2 * k {
            d.fill(0.0);
            for i in 0..s {
                for a in 0..k {
                    if column < k {
                        for j in 0..s {
                            let [fibre, base] = self.by_base((i, j), a, column);
                            d[i * 2 * k + a] -= fibre;
                            d[i * 2 * k + k + a] -= base;
                        }
                    } else if a == column - k {
                        d[i * 2 * k + k + a] = 1.0;
                    }
                }
            }
            self.lu.solve(&mut d);
            for a in 0..k {
                let unit = |at: usize| f64::from(u8::from(at == column));
                let (mut drift, mut kick) = (0.0, 0.0);
                for i in 0..s {
                    drift += self.table.b[i] * d[i * 2 * k + a];
                    let mut force = 0.0;
                    for c in 0..k {
                        let mut shift = unit(c);
                        for j in 0..s {
                            shift += self.h * self.table.a[i * s + j] * d[j * 2 * k + c];
                        }
                        force += self.qq(i, self.base[a], self.base[c]) * shift
                            + self.qq(i, self.base[a], self.fibre[c]) * d[i * 2 * k + k + c]
                            + self.qv(i, self.base[a], self.base[c]) * d[i * 2 * k + c];
                    }
                    kick += self.table.b[i] * force;
                }
                matrix[a * 2 * k + column] = unit(a) + self.h * drift;
                matrix[(k + a) * 2 * k + column] = unit(k + a) + self.h * kick;
            }
        }
        true
    }

    fn iterations(&self) -> u64 {
        self.iterations
    }
}

impl<P> Persist for PhaseFibred<P> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.step).fixed(&mut self.z).fixed(&mut self.seen).fixed(&mut self.p);
        archive.fixed(&mut self.before).fixed(&mut self.momentum).fixed(&mut self.unknowns);
        archive.fixed(&mut self.done).pass(&mut self.iterations);
    }
}
