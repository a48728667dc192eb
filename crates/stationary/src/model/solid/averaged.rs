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

use super::material::MaterialFault;
use super::shape::{Local, Shape};
use super::tensor::{Tensor, cofactor, combine, contract, determinant_by};

/// Most points of an element whose volume can be averaged.
const MOST_POINTS: usize = 8;

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

/// An element's averaged state: what leads from the stresses at the averaged `F` to those that do work on the true `F`.
pub(super) struct Averaged<S: Shape> {
    kind: Averaging,
    /// The true deformation gradients.
    f: S::Tensors,
    /// Their volume ratios `J_q`, and the stretches `s_q`.
    ratios: [f64; MOST_POINTS],
    stretches: [f64; MOST_POINTS],
    /// Their cofactors in the directions averaged; with the dilatation, the unit matrix.
    cofactors: S::Tensors,
    /// `Jbar` and `V0`.
    mean: f64,
    volume: f64,
}

/// The tangent of an averaged element in parts: `A` at each point, and the coupling of all points through the mean.
pub(super) struct Coupling<S: Shape> {
    /// `d2V/dF dJbar / w`.
    pub mixed: S::Tensors,
    /// `V0 dJbar/dF / w`.
    pub slope: S::Tensors,
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
fn part<S: Shape>(t: &Tensor) -> Tensor {
    if axes::<S>() == 3 {
        return *t;
    }
    [[t[0][0], t[0][1], 0.0], [t[1][0], t[1][1], 0.0], [0.0; 3]]
}

/// The unit matrix of these directions.
const fn unit<S: Shape>() -> Tensor {
    [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, if axes::<S>() == 3 { 1.0 } else { 0.0 }]]
}

/// `x^(1/m)`.
#[inline(always)]
fn root<S: Shape>(x: f64) -> f64 {
    if axes::<S>() == 3 { x.cbrt() } else { x.sqrt() }
}

impl<S: Shape> Averaged<S> {
    /// Replaces the deformation gradients by the averaged ones.
    #[inline]
    pub fn new(kind: Averaging, stored: &[f64], f: &mut S::Tensors) -> Result<Self, PointFault> {
        let (ratios, stretches) = ([1.0; MOST_POINTS], [1.0; MOST_POINTS]);
        let mut averaged =
            Averaged { kind, f: *f, ratios, stretches, cofactors: S::Tensors::ZERO, mean: 0.0, volume: 0.0 };
        for q in 0..S::POINTS {
            let (weight, ratio) = (S::weight(stored, q), averaged.measure(q)?);
            averaged.mean += weight * ratio;
            averaged.volume += weight;
        }
        averaged.mean /= averaged.volume;
        for q in 0..S::POINTS {
            averaged.stretch(q, &mut f[q]);
        }
        Ok(averaged)
    }

    /// What of a point is averaged.
    #[inline(always)]
    fn measure(&mut self, q: usize) -> Result<f64, PointFault> {
        let f = &self.f[q];
        if self.kind != Averaging::Volume {
            self.cofactors[q] = unit::<S>();
            return Ok(contract(f, &unit::<S>()));
        }
        let cof = cofactor(f);
        let j = determinant_by(f, &cof);
        if !(j > 0.0) {
            return Err((q, if j.is_finite() { MaterialFault::Inverted } else { MaterialFault::NotFinite }));
        }
        self.ratios[q] = j;
        self.cofactors[q] = part::<S>(&cof);
        Ok(j)
    }

    /// From the true deformation gradient of a point to the averaged one.
    #[inline(always)]
    fn stretch(&mut self, q: usize, f: &mut Tensor) {
        if self.kind != Averaging::Volume {
            let more = self.mean - contract(f, &unit::<S>());
            *f = combine([(1.0, f), (more / axes::<S>() as f64, &unit::<S>())]);
            return;
        }
        let s = root::<S>(self.mean / self.ratios[q]);
        self.stretches[q] = s;
        let whole = if axes::<S>() == 3 { s } else { 1.0 };
        f[0] = f[0].map(|f| s * f);
        f[1] = f[1].map(|f| s * f);
        f[2] = f[2].map(|f| whole * f);
    }

    /// `r = cof F/(m J)` of a point.
    #[inline(always)]
    fn r(&self, q: usize) -> Tensor {
        combine([(1.0 / (axes::<S>() as f64 * self.ratios[q]), &self.cofactors[q])])
    }

    /// `p`: the stresses at the averaged deformation gradients `bar` do this work on the mean, for each unit of volume.
    fn pressure(&self, stored: &[f64], bar: &S::Tensors, p: &S::Tensors) -> f64 {
        let work = (0..S::POINTS).map(|q| S::weight(stored, q) * self.work(&bar[q], &p[q])).sum::<f64>();
        let mean = if self.kind == Averaging::Volume { self.mean } else { 1.0 };
        work / (axes::<S>() as f64 * self.volume * mean)
    }

    /// `t = P : Fbar`; with the dilatation, `tr P`.
    #[inline(always)]
    fn work(&self, bar: &Tensor, p: &Tensor) -> f64 {
        match self.kind {
            Averaging::Volume => contract(p, &part::<S>(bar)),
            _ => contract(p, &unit::<S>()),
        }
    }

    /// Replaces the stresses at the averaged deformation gradients `bar` by those that do work on the true ones.
    #[inline]
    pub fn pull(&self, stored: &[f64], bar: &S::Tensors, p: &mut S::Tensors) {
        let pressure = self.pressure(stored, bar, p);
        for q in 0..S::POINTS {
            let (t, r) = (self.work(&bar[q], &p[q]), self.r(q));
            p[q] = combine([(self.stretches[q], &p[q]), (pressure, &self.cofactors[q]), (-t, &r)]);
        }
    }

    /// Replaces the tangents `a` at the averaged deformation gradients, with the stresses `p` there, by those of the true ones.
    pub fn tangents(
        &self,
        stored: &[f64],
        bar: &S::Tensors,
        p: &S::Tensors,
        a: &mut [[f64; 81]],
    ) -> Coupling<S> {
        let m = axes::<S>() as f64;
        let large = if self.kind == Averaging::Volume { 1.0 } else { 0.0 };
        let (pressure, mean) = (self.pressure(stored, bar, p), if large > 0.0 { self.mean } else { 1.0 });
        let mut coupling = Coupling::<S> {
            mixed: S::Tensors::ZERO,
            slope: self.cofactors,
            curvature: 0.0,
            volume: self.volume,
        };
        for q in 0..S::POINTS {
            let (j, s, r) = (self.ratios[q], self.stretches[q], self.r(q));
            let u = if large > 0.0 { part::<S>(&bar[q]) } else { unit::<S>() };
            let t = large * self.work(&bar[q], &p[q]);
            let g = part::<S>(&combine([(1.0, &applied(&a[q], &u)), (large, &p[q])]));
            let along = contract(&g, &u);
            // Fbar:A:Fbar + (1 + m) t, since G : Fbar = Fbar:A:Fbar + t.
            let square = along + m * t;
            let c = if large > 0.0 { cofactor_slope(&self.f[q]) } else { [0.0; 81] };
            let (g9, r9, c_factor) = (g.as_flattened(), r.as_flattened(), pressure - t / (m * j));
            for (n, a) in a[q].iter_mut().enumerate() {
                let (i, k) = (n / 9, n % 9);
                *a = s * s * *a - s * (r9[i] * g9[k] + g9[i] * r9[k])
                    + square * r9[i] * r9[k]
                    + c_factor * c[n];
            }
            coupling.mixed[q] = combine([(s / (m * mean), &g), (-along / (m * mean), &r)]);
            coupling.curvature += S::weight(stored, q) * (along / m - t) / (m * mean * mean);
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

/// The stresses and tangents of a material at all points.
pub(super) fn at_points<S: Shape>(
    f: &S::Tensors,
    stress: impl Fn(usize, &Tensor) -> Result<Tensor, MaterialFault>,
    tangent: impl Fn(usize, &Tensor) -> Result<[f64; 81], MaterialFault>,
) -> Result<(S::Tensors, Vec<[f64; 81]>), PointFault> {
    let mut p = S::Tensors::ZERO;
    let mut a = Vec::with_capacity(S::POINTS);
    for q in 0..S::POINTS {
        p[q] = stress(q, &f[q]).map_err(|why| (q, why))?;
        a.push(tangent(q, &f[q]).map_err(|why| (q, why))?);
    }
    Ok((p, a))
}
