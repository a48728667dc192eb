//! The volume ratio averaged over an element, against locking of nearly incompressible materials
//! (Simo, Taylor and Pister 1985, as one potential).
//!
//! With the ratios `J_q = det F_q` and the weights `w_q` of the quadrature points the element has one volume ratio,
//! `Jbar = sum_q w_q J_q / V0`, its current volume over its reference volume, and the potential
//!
//! ```text
//! V = sum_q w_q W(Fbar_q),   Fbar_q = s_q F_q,   s_q = (Jbar / J_q)^(1/m),   so that det Fbar_q = Jbar.
//! ```
//!
//! The factor stretches the directions in which the element deforms: all three of hexahedra and rings (`m = 3`), the two in the
//! plane in plane strain (`m = 2`), where `F33` stays 1. Below, products are over these directions. Under a uniform `F` all `J_q` are
//! equal, `Fbar = F` and the patch test is that of full integration; the isochoric part is integrated fully, so no mode without
//! energy remains. With `P = dW/dF` at `Fbar`, `t_q = P_q : Fbar_q` and `p = sum_q w_q t_q / (m V0 Jbar)`, since
//! `dJ = cof F : dF` and `ds/s = (dJbar/Jbar - dJ/J)/m`,
//!
//! ```text
//! dV = sum_q w_q (s_q P_q + (p - t_q/(m J_q)) cof F_q) : dF_q.
//! ```
//!
//! For the tangent `V` is a function of the `F_q` and of `Jbar`, which depends on them all. With `r = cof F/(m J)`, `A = dP/dF`,
//! `G = A : Fbar + P` and `C = d cof F/dF`,
//!
//! ```text
//! d2V/dF_q dF_q     = w (s^2 A - s (r G + G r) + (Fbar:A:Fbar + (1 + m) t) r r - t C/(m J))      at constant Jbar
//! d2V/dF_q dJbar    = w (s G - (G : Fbar) r)/(m Jbar)
//! d2V/dJbar dJbar   = sum_q w (G : Fbar/m - t)/(m Jbar^2),
//! ```
//!
//! and `p V0 d2Jbar` adds `w p C`. A law of small strains is not asked at large ones: there the dilatation `tr F - 3` is averaged,
//! `Fbar_q = F_q + (theta_bar - theta_q)/m 1`, which is the same to first order and leaves a quadratic energy quadratic.

use super::lanes::math::{RATIOS, inverse_root};
use super::lanes::{Lanes, Num};
use super::material::MaterialFault;
use super::shape::{Alone, Local, Points, Pointwise, Shape, Tensors, minus, zero};
use super::stored::Stored;
use super::tensor::{Tensor, cofactor, combine, contract};

/// What is averaged over the points of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Averaging {
    /// Nothing.
    Off,
    /// The volume ratio.
    Volume,
    /// The dilatation of small strains.
    Dilatation,
}

/// A point of the rule and the fault of the material there.
pub(super) type PointFault = (usize, MaterialFault);

/// The averaged state of elements in lanes: what leads from the stresses at the averaged `F` to those that do work on the true `F`.
#[derive(Clone)]
pub(super) struct Averaged<S: Shape, L: Lanes> {
    kind: Averaging,
    /// The volume ratios `J_q` of the true deformation gradients, later over their mean, and the stretches `s_q`.
    ratios: S::AtPoints<L>,
    stretches: S::AtPoints<L>,
    /// `Jbar` and `V0`.
    mean: L,
    volume: L,
}

/// The tangent of an averaged element in parts: `A` at each point, and the coupling of all points through the mean.
pub(super) struct Coupling<S: Shape> {
    /// `d2V/dF dJbar / w`.
    pub mixed: Pointwise<S, f64>,
    /// `V0 dJbar/dF / w`.
    pub slope: Pointwise<S, f64>,
    /// `d2V/dJbar^2` and `V0`.
    pub curvature: f64,
    pub volume: f64,
}

/// Directions in which an element deforms.
const fn axes<S: Shape>() -> usize {
    if S::KIND.dimension() == 2 && !S::RING { 2 } else { 3 }
}

/// Whether an entry of a tensor may differ from that of the unit matrix, and belongs to the directions in which an element deforms.
#[inline(always)]
const fn deforms<S: Shape>(i: usize, j: usize) -> bool {
    let d = S::KIND.dimension();
    (i < d && j < d) || (i == j && i < axes::<S>())
}

/// The part of a tensor in these directions.
#[inline(always)]
fn part<S: Shape, L: Lanes>(t: &Tensors<L>) -> Tensors<L> {
    let mut part = [[zero(); 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            if deforms::<S>(i, j) {
                part[i][j] = t[i][j];
            }
        }
    }
    part
}

/// The unit matrix of these directions.
#[inline(always)]
fn unit<S: Shape, L: Lanes>() -> Tensors<L> {
    let mut unit = [[zero(); 3]; 3];
    for i in 0..axes::<S>() {
        unit[i][i] = L::splat(1.0);
    }
    unit
}

/// The cofactors of a deformation gradient in these directions, zero elsewhere. Entries that are zero or one in all elements take no operations.
#[inline(always)]
fn cofactors<S: Shape, L: Lanes>(f: &Tensors<L>) -> Tensors<L> {
    if S::KIND.dimension() == 3 {
        return cofactor(f);
    }
    let mut cof = [[zero(); 3]; 3];
    cof[0][0] = f[1][1];
    cof[0][1] = minus(f[1][0]);
    cof[1][0] = minus(f[0][1]);
    cof[1][1] = f[0][0];
    if axes::<S>() == 3 {
        cof[2][2] = f[0][0].mul(f[1][1]).sub(f[0][1].mul(f[1][0]));
        for i in 0..2 {
            for j in 0..2 {
                cof[i][j] = cof[i][j].mul(f[2][2]);
            }
        }
    }
    cof
}

/// `a : b` over these directions.
#[inline(always)]
fn contracted<S: Shape, L: Lanes>(a: &Tensors<L>, b: &Tensors<L>) -> L {
    let mut sum = zero::<L>();
    for i in 0..3 {
        for j in 0..3 {
            if deforms::<S>(i, j) {
                sum = sum.add(a[i][j].mul(b[i][j]));
            }
        }
    }
    sum
}

/// The trace over these directions.
#[inline(always)]
fn trace<S: Shape, L: Lanes>(t: &Tensors<L>) -> L {
    let sum = t[0][0].add(t[1][1]);
    if axes::<S>() == 3 { sum.add(t[2][2]) } else { sum }
}

impl<S: Shape, L: Lanes> Averaged<S, L> {
    /// Of undeformed elements.
    #[inline(always)]
    pub fn new(kind: Averaging) -> Self {
        let one = L::splat(1.0);
        Averaged { kind, ratios: Local::of(one), stretches: Local::of(one), mean: zero(), volume: zero() }
    }

    /// Replaces the deformation gradients by the averaged ones. Of several lanes the fault is that of one of them.
    #[inline(always)]
    pub fn average(&mut self, stored: Stored<'_, L>, points: &mut impl Points<L>) -> Result<(), PointFault> {
        for q in 0..S::POINTS {
            let (weight, ratio) = (S::weight(stored, q), self.measure(q, &points.deformation(q))?);
            self.mean = self.mean.add(weight.mul(ratio));
            self.volume = self.volume.add(weight);
        }
        self.mean = self.mean.div(self.volume);
        let inverse = L::splat(1.0).div(self.mean);
        for q in 0..S::POINTS {
            self.stretch(q, inverse, points)?;
        }
        Ok(())
    }

    /// What of a point is averaged.
    #[inline(always)]
    fn measure(&mut self, q: usize, f: &Tensors<L>) -> Result<L, PointFault> {
        if self.kind != Averaging::Volume {
            return Ok(trace::<S, L>(f));
        }
        let cof = cofactors::<S, L>(f);
        let j = f[0][0].mul(cof[0][0]).add(f[0][1].mul(cof[0][1]));
        let j = if S::KIND.dimension() == 3 { j.add(f[0][2].mul(cof[0][2])) } else { j };
        if !j.within(RATIOS[0], RATIOS[1]) {
            let finite = j.within(f64::MIN, f64::MAX);
            return Err((q, if finite { MaterialFault::Inverted } else { MaterialFault::NotFinite }));
        }
        self.ratios[q] = j;
        Ok(j)
    }

    /// From the true deformation gradient of a point to the averaged one, given `1/Jbar`.
    #[inline(always)]
    fn stretch(&mut self, q: usize, inverse: L, points: &mut impl Points<L>) -> Result<(), PointFault> {
        let f = points.deformation(q);
        if self.kind != Averaging::Volume {
            let more = self.mean.sub(trace::<S, L>(&f)).mul(L::splat(1.0 / axes::<S>() as f64));
            for i in 0..axes::<S>() {
                points.set(q, i, i, f[i][i].add(more));
            }
            return Ok(());
        }
        let relative = self.ratios[q].mul(inverse);
        if !relative.within(RATIOS[0], RATIOS[1]) {
            return Err((q, MaterialFault::NotFinite));
        }
        let s = if axes::<S>() == 3 {
            inverse_root::<L, 3>(Num(relative)).0
        } else {
            inverse_root::<L, 2>(Num(relative)).0
        };
        (self.ratios[q], self.stretches[q]) = (relative, s);
        for i in 0..3 {
            for j in 0..3 {
                if deforms::<S>(i, j) {
                    points.set(q, i, j, s.mul(f[i][j]));
                }
            }
        }
        Ok(())
    }

    /// `t = P : Fbar` of a point; with the dilatation, `tr P`.
    #[inline(always)]
    fn work(&self, q: usize, points: &impl Points<L>) -> L {
        match self.kind {
            Averaging::Volume => contracted::<S, L>(&points.stress(q), &points.deformation(q)),
            _ => trace::<S, L>(&points.stress(q)),
        }
    }

    /// `p`, and `t` of each point: the stresses at the averaged deformation gradients do this work on the mean, for each unit of volume.
    #[inline(always)]
    fn pressure(&self, stored: Stored<'_, L>, points: &impl Points<L>) -> (L, S::AtPoints<L>) {
        let mut work = zero::<L>();
        let mut each = S::AtPoints::<L>::of(zero());
        for q in 0..S::POINTS {
            each[q] = self.work(q, points);
            work = work.add(S::weight(stored, q).mul(each[q]));
        }
        let mean = if self.kind == Averaging::Volume { self.mean } else { L::splat(1.0) };
        (work.div(L::splat(axes::<S>() as f64).mul(self.volume).mul(mean)), each)
    }

    /// Replaces the stresses at the averaged deformation gradients by those that do work on the true ones.
    ///
    /// Since `cof F = s^(1-m) cof Fbar` and `J = Jbar s^-m`, the factor of `cof Fbar` is `p s^(1-m) - t s/(m Jbar)`.
    #[inline(always)]
    pub fn pull(&self, stored: Stored<'_, L>, points: &mut impl Points<L>) {
        let (pressure, work) = self.pressure(stored, points);
        let parts = L::splat(1.0 / axes::<S>() as f64);
        let share = if self.kind == Averaging::Volume { parts.div(self.mean) } else { parts };
        for q in 0..S::POINTS {
            let p = points.stress(q);
            if self.kind != Averaging::Volume {
                let more = pressure.sub(work[q].mul(share));
                for i in 0..axes::<S>() {
                    points.set_stress(q, i, i, p[i][i].add(more));
                }
                continue;
            }
            let (s, ratio) = (self.stretches[q], self.ratios[q]);
            // 1/s, since the ratio is s^-m.
            let inverse = if axes::<S>() == 3 { ratio.mul(s).mul(s) } else { ratio.mul(s) };
            let power = if axes::<S>() == 3 { inverse.mul(inverse) } else { inverse };
            let factor = pressure.mul(power).sub(work[q].mul(s).mul(share));
            let cof = cofactors::<S, L>(&points.deformation(q));
            for i in 0..3 {
                for j in 0..3 {
                    if deforms::<S>(i, j) {
                        points.set_stress(q, i, j, s.mul(p[i][j]).add(factor.mul(cof[i][j])));
                    }
                }
            }
        }
    }
}

impl<S: Shape> Averaged<S, f64> {
    /// Replaces the tangents `a` at the averaged deformation gradients `bar`, with the stresses `p` there, by those of the true ones, `f`.
    pub fn tangents(
        &self,
        stored: Stored<'_, f64>,
        [f, bar]: [&Pointwise<S, f64>; 2],
        p: &Pointwise<S, f64>,
        a: &mut [[f64; 81]],
    ) -> Coupling<S> {
        let m = axes::<S>() as f64;
        let large = if self.kind == Averaging::Volume { 1.0 } else { 0.0 };
        let mean = if large > 0.0 { self.mean } else { 1.0 };
        let (mut bars, mut stresses) = (bar.clone(), p.clone());
        let points = Alone { f: bars.as_mut(), p: stresses.as_mut() };
        let (pressure, work) = self.pressure(stored, &points);
        let mut coupling = Coupling::<S> {
            mixed: Local::of([[0.0; 3]; 3]),
            slope: Local::of(unit::<S, f64>()),
            curvature: 0.0,
            volume: self.volume,
        };
        for q in 0..S::POINTS {
            let (j, s) = (if large > 0.0 { self.ratios[q] * self.mean } else { 1.0 }, self.stretches[q]);
            if large > 0.0 {
                coupling.slope[q] = cofactors::<S, f64>(&f[q]);
            }
            let r = combine([(1.0 / (m * j), &coupling.slope[q])]);
            let u = if large > 0.0 { part::<S, f64>(&bar[q]) } else { unit::<S, f64>() };
            let t = large * work[q];
            let g = part::<S, f64>(&combine([(1.0, &applied(&a[q], &u)), (large, &p[q])]));
            let along = contract(&g, &u);
            // Fbar:A:Fbar + (1 + m) t, since G : Fbar = Fbar:A:Fbar + t.
            let square = along + m * t;
            let c = if large > 0.0 { cofactor_slope(&f[q]) } else { [0.0; 81] };
            let (g9, r9, c_factor) = (g.as_flattened(), r.as_flattened(), pressure - t / (m * j));
            for (n, a) in a[q].iter_mut().enumerate() {
                let (i, k) = (n / 9, n % 9);
                *a = s * s * *a - s * (r9[i] * g9[k] + g9[i] * r9[k])
                    + square * r9[i] * r9[k]
                    + c_factor * c[n];
            }
            coupling.mixed[q] = combine([(s / (m * mean), &g), (-along / (m * mean), &r)]);
            coupling.curvature += S::weight::<f64>(stored, q) * (along / m - t) / (m * mean * mean);
        }
        coupling
    }
}

/// `A : H`.
fn applied(a: &[f64; 81], h: &Tensor) -> Tensor {
    let h = h.as_flattened();
    std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..9).map(|n| a[27 * i + 9 * j + n] * h[n]).sum::<f64>())
    })
}

/// `d cof F_iJ / dF_kL = e_ikm e_JLM F_mM`.
fn cofactor_slope(f: &Tensor) -> [f64; 81] {
    let mut c = [0.0; 81];
    let sign = |a: usize, b: usize| if (a + 1) % 3 == b { 1.0 } else { -1.0 };
    for i in 0..3 {
        for k in (0..3).filter(|k| *k != i) {
            for j in 0..3 {
                for l in (0..3).filter(|l| *l != j) {
                    c[27 * i + 9 * j + 3 * k + l] = sign(i, k) * sign(j, l) * f[3 - i - k][3 - j - l];
                }
            }
        }
    }
    c
}

/// The stresses of a material at all points, and its tangents.
type StressesAndTangents<S> = (Pointwise<S, f64>, Vec<[f64; 81]>);

/// The stresses and tangents of a material at all points.
pub(super) fn at_points<S: Shape>(
    f: &Pointwise<S, f64>,
    stress: impl Fn(usize, &Tensor) -> Result<Tensor, MaterialFault>,
    tangent: impl Fn(usize, &Tensor) -> Result<[f64; 81], MaterialFault>,
) -> Result<StressesAndTangents<S>, PointFault> {
    let mut p = Pointwise::<S, f64>::of([[0.0; 3]; 3]);
    let mut a = Vec::with_capacity(S::POINTS);
    for q in 0..S::POINTS {
        p[q] = stress(q, &f[q]).map_err(|why| (q, why))?;
        a.push(tangent(q, &f[q]).map_err(|why| (q, why))?);
    }
    Ok((p, a))
}
