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

use super::lanes::math::{RATIOS, cube_root};
use super::lanes::{Lanes, Num};
use super::material::MaterialFault;
use super::shape::{Local, Pointwise, Shape, Tensors, minus, zero};
use super::stored::Stored;
use super::tensor::{Tensor, cofactor, combine, contract, determinant_by};

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
    /// The volume ratios `J_q` of the true deformation gradients, and the stretches `s_q`.
    ratios: S::AtPoints<L>,
    stretches: S::AtPoints<L>,
    /// The cofactors in the directions averaged; with the dilatation, the unit matrix.
    cofactors: Pointwise<S, L>,
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

/// The part of a tensor in these directions.
#[inline(always)]
fn part<S: Shape, L: Lanes>(t: &Tensors<L>) -> Tensors<L> {
    if axes::<S>() == 3 {
        return *t;
    }
    [[t[0][0], t[0][1], zero()], [t[1][0], t[1][1], zero()], [zero(); 3]]
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

/// `x^(1/m)`.
#[inline(always)]
fn root<S: Shape, L: Lanes>(x: L) -> L {
    if axes::<S>() == 3 { cube_root(Num(x)).0 } else { x.sqrt() }
}

impl<S: Shape, L: Lanes> Averaged<S, L> {
    /// Of undeformed elements.
    #[inline(always)]
    pub fn new(kind: Averaging) -> Self {
        let one = L::splat(1.0);
        Averaged {
            kind,
            ratios: Local::of(one),
            stretches: Local::of(one),
            cofactors: Local::of(unit::<S, L>()),
            mean: zero(),
            volume: zero(),
        }
    }

    /// Replaces the deformation gradients by the averaged ones. Of several lanes the fault is that of one of them.
    #[inline(always)]
    pub fn average(&mut self, stored: Stored<'_, L>, f: &mut Pointwise<S, L>) -> Result<(), PointFault> {
        for q in 0..S::POINTS {
            let (weight, ratio) = (S::weight(stored, q), self.measure(q, &f[q])?);
            self.mean = self.mean.add(weight.mul(ratio));
            self.volume = self.volume.add(weight);
        }
        self.mean = self.mean.div(self.volume);
        for q in 0..S::POINTS {
            self.stretch(q, &mut f[q]);
        }
        Ok(())
    }

    /// What of a point is averaged.
    #[inline(always)]
    fn measure(&mut self, q: usize, f: &Tensors<L>) -> Result<L, PointFault> {
        if self.kind != Averaging::Volume {
            return Ok(contract(f, &unit::<S, L>()));
        }
        let cof = cofactor(f);
        let j = determinant_by(f, &cof);
        if !j.within(RATIOS[0], RATIOS[1]) {
            let finite = j.within(f64::MIN, f64::MAX);
            return Err((q, if finite { MaterialFault::Inverted } else { MaterialFault::NotFinite }));
        }
        self.ratios[q] = j;
        self.cofactors[q] = part::<S, L>(&cof);
        Ok(j)
    }

    /// From the true deformation gradient of a point to the averaged one.
    #[inline(always)]
    fn stretch(&mut self, q: usize, f: &mut Tensors<L>) {
        let unit = unit::<S, L>();
        if self.kind != Averaging::Volume {
            let more = self.mean.sub(contract(f, &unit));
            *f = combine([(L::splat(1.0), &*f), (more.div(L::splat(axes::<S>() as f64)), &unit)]);
            return;
        }
        let s = root::<S, L>(self.mean.div(self.ratios[q]));
        self.stretches[q] = s;
        let whole = if axes::<S>() == 3 { s } else { L::splat(1.0) };
        for j in 0..3 {
            (f[0][j], f[1][j], f[2][j]) = (s.mul(f[0][j]), s.mul(f[1][j]), whole.mul(f[2][j]));
        }
    }

    /// `r = cof F/(m J)` of a point.
    #[inline(always)]
    fn r(&self, q: usize) -> Tensors<L> {
        let scale = L::splat(1.0).div(L::splat(axes::<S>() as f64).mul(self.ratios[q]));
        combine([(scale, &self.cofactors[q])])
    }

    /// `p`: the stresses at the averaged deformation gradients `bar` do this work on the mean, for each unit of volume.
    #[inline(always)]
    fn pressure(&self, stored: Stored<'_, L>, bar: &Pointwise<S, L>, p: &Pointwise<S, L>) -> L {
        let mut work = zero::<L>();
        for q in 0..S::POINTS {
            work = work.add(S::weight(stored, q).mul(self.work(&bar[q], &p[q])));
        }
        let mean = if self.kind == Averaging::Volume { self.mean } else { L::splat(1.0) };
        work.div(L::splat(axes::<S>() as f64).mul(self.volume).mul(mean))
    }

    /// `t = P : Fbar`; with the dilatation, `tr P`.
    #[inline(always)]
    fn work(&self, bar: &Tensors<L>, p: &Tensors<L>) -> L {
        match self.kind {
            Averaging::Volume => contract(p, &part::<S, L>(bar)),
            _ => contract(p, &unit::<S, L>()),
        }
    }

    /// Replaces the stresses at the averaged deformation gradients `bar` by those that do work on the true ones.
    #[inline(always)]
    pub fn pull(&self, stored: Stored<'_, L>, bar: &Pointwise<S, L>, p: &mut Pointwise<S, L>) {
        let pressure = self.pressure(stored, bar, p);
        for q in 0..S::POINTS {
            let (t, r) = (self.work(&bar[q], &p[q]), self.r(q));
            p[q] = combine([(self.stretches[q], &p[q]), (pressure, &self.cofactors[q]), (minus(t), &r)]);
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
        let (pressure, mean) = (self.pressure(stored, bar, p), if large > 0.0 { self.mean } else { 1.0 });
        let mut coupling = Coupling::<S> {
            mixed: Local::of([[0.0; 3]; 3]),
            slope: self.cofactors.clone(),
            curvature: 0.0,
            volume: self.volume,
        };
        for q in 0..S::POINTS {
            let (j, s, r) = (self.ratios[q], self.stretches[q], self.r(q));
            let u = if large > 0.0 { part::<S, f64>(&bar[q]) } else { unit::<S, f64>() };
            let t = large * self.work(&bar[q], &p[q]);
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
