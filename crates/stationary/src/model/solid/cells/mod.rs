//! Isoparametric elements: a file for each kind, with its quadrature; everything else is common. Shape functions, nodes and faces are
//! those of the kind of cell in the mesh.
//!
//! At a point `xi` of the reference cell the map of the undeformed element is `X = sum_a N_a(xi) X_a`, and the gradients are
//! `grad N_a = (dX/dxi)^-T dN_a/dxi`. The rule of a kind is exact for `grad N_a` over elements with straight edges, which is the
//! patch test, and no deformation but the rigid motions has zero energy; tests ask both of every kind.
//!
//! A kind computes derivatives along `xi` at all its points together, by as few operations as its functions allow, and the transpose for
//! nodal forces; a test compares them with the shape functions.
//!
//! A new kind is a file here, and a line in the list of [`ElementKind`].

mod bilinear;
mod gauss;
mod hex20;
mod hex27;
mod hex8;
mod measure;
mod pyramid5;
mod quad4;
mod quad8;
mod quad9;
mod quadratic;
mod tri3;
mod tri6;
mod wedge6;

pub(super) use hex8::Hex8;
pub(super) use hex20::Hex20;
pub(super) use hex27::Hex27;
pub(super) use measure::{fine_values, measure};
pub(super) use pyramid5::Pyramid5;
pub(super) use quad4::Quad4;
pub(super) use quad8::Quad8;
pub(super) use quad9::Quad9;
pub(super) use tri3::Tri3;
pub(super) use tri6::Tri6;
pub(super) use wedge6::Wedge6;

use super::kind::{ElementKind, Facts};
use super::lanes::Lanes;
use super::shape::{Local, Points, Shape, Tensors, minus, zero};
use super::stored::Stored;
use super::tensor::Tensor;
use crate::mesh::Functions;
use std::any::TypeId;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};

/// A point of a reference cell.
pub(super) type Place = [f64; 3];

/// One kind of isoparametric element.
pub(super) trait Cell: Debug + Send + Sync + 'static {
    const KIND: ElementKind;
    /// What [`ElementKind`] tells of it.
    const FACTS: Facts;
    /// Points of [`rule`](Self::rule).
    const POINTS: usize;
    /// The volume ratio is averaged over the element, unless the user asks for full integration.
    const AVERAGED: bool = false;
    /// `[T; nodes]`
    type AtNodes<T: Clone>: Local<T>;
    /// `[T; POINTS]`
    type AtPoints<T: Clone>: Local<T>;

    /// Points and weights for energies.
    fn rule() -> Vec<(Place, f64)>;
    /// Points and weights for masses, where speed does not matter: exact for `N_a N_b` of elements with straight edges, also
    /// times a radius.
    fn fine_rule() -> Vec<(Place, f64)>;
    /// The derivatives along the reference coordinates, at the points of [`rule`](Self::rule), of the function that has these values at the
    /// nodes; the first is zero.
    fn slopes<L: Lanes>(u: &Self::AtNodes<L>, to: &mut impl Slopes<L>);
    /// The transpose: what multiplies the value of each node but the first in the sum of the given numbers times the slopes.
    fn loads<L: Lanes>(from: &impl Slopes<L>, out: &mut Self::AtNodes<L>);
    /// The function itself at the points, for rings.
    fn values<L: Lanes>(_u: &Self::AtNodes<L>) -> Self::AtPoints<L> {
        unreachable!("rings are plane")
    }
    /// The transpose of [`values`](Self::values).
    fn value_loads<L: Lanes>(_from: &Self::AtPoints<L>, _out: &mut Self::AtNodes<L>) {
        unreachable!("rings are plane")
    }
    /// Radius of a ball that fits the cell, from the gradients of its reference coordinates at a place.
    fn inradius(at: &Place, dual: &Tensor) -> f64;
    /// Where the map must have a positive volume besides the points of the rules.
    fn corners() -> Vec<Place> {
        Self::FACTS.cell.reference().into()
    }
}

/// Numbers at each point of an element and for each of its reference coordinates.
pub(super) trait Slopes<L: Lanes> {
    fn put(&mut self, q: usize, c: usize, value: L);
    fn get(&self, q: usize, c: usize) -> L;
}

/// A row of what lies at points: it is written to `F`, and read from `P`.
struct Row<'a, P> {
    points: &'a mut P,
    i: usize,
}

impl<L: Lanes, P: Points<L>> Slopes<L> for Row<'_, P> {
    #[inline(always)]
    fn put(&mut self, q: usize, c: usize, value: L) {
        self.points.set(q, self.i, c, value);
    }

    #[inline(always)]
    fn get(&self, q: usize, c: usize) -> L {
        self.points.stress_entry(q, self.i, c)
    }
}

/// The kernel of a kind. Stored for each point of the rule: its weight, the gradients `G_cj = dxi_c/dX_j` of the reference coordinates and, in
/// rings, `1/R`. With the slopes `d_ic = dx_i/dxi_c`, which a kind computes for all its points together,
///
/// ```text
/// F = d G,    sum_q w P grad N_a = sum_q t dN_a/dxi,    t = w P G^T.
/// ```
///
/// Rings are plane elements that turn around the axis `x = 0`: `F33 = r/R`, and weights contain `2 pi R`.
#[derive(Debug)]
pub(super) struct Isoparametric<C, const RING: bool>(PhantomData<C>);

impl<C: Cell, const RING: bool> Isoparametric<C, RING> {
    const NODES: usize = C::KIND.nodes();
    const D: usize = C::KIND.dimension();
    const STRIDE: usize = 1 + Self::D * Self::D + if RING { 1 } else { 0 };

    /// `G` at a point.
    #[inline(always)]
    fn dual<L: Lanes>(stored: Stored<'_, L>, q: usize) -> Tensors<L> {
        let mut g = [[zero(); 3]; 3];
        for c in 0..Self::D {
            for j in 0..Self::D {
                g[c][j] = stored.at(q * Self::STRIDE + 1 + c * Self::D + j);
            }
        }
        g
    }

    /// `1/R` at a point of a ring.
    #[inline(always)]
    fn curvature<L: Lanes>(stored: Stored<'_, L>, q: usize) -> L {
        stored.at((q + 1) * Self::STRIDE - 1)
    }
}

impl<C: Cell, const RING: bool> Shape for Isoparametric<C, RING> {
    const KIND: ElementKind = C::KIND;
    const POINTS: usize = C::POINTS;
    const STORED: usize = C::POINTS * Self::STRIDE;
    const RING: bool = RING;
    const AVERAGED: bool = C::AVERAGED;
    type AtNodes<T: Clone> = C::AtNodes<T>;
    type AtPoints<T: Clone> = C::AtPoints<T>;

    #[inline(always)]
    fn deformation<L: Lanes>(stored: Stored<'_, L>, x: &C::AtNodes<[L; 3]>, points: &mut impl Points<L>) {
        for i in 0..Self::D {
            // Differences from the first node: a rigid shift leaves no rounding behind.
            let mut u = C::AtNodes::<L>::of(zero());
            for a in 1..Self::NODES {
                u[a] = x[a][i].sub(x[0][i]);
            }
            C::slopes(&u, &mut Row { points, i });
            if RING && i == 0 {
                let r = C::values(&u);
                for q in 0..C::POINTS {
                    points.set(q, 2, 2, x[0][0].add(r[q]).mul(Self::curvature(stored, q)));
                }
            }
        }
        for q in 0..C::POINTS {
            let (d, g) = (points.deformation(q), Self::dual(stored, q));
            for i in 0..Self::D {
                for j in 0..Self::D {
                    let mut s = d[i][0].mul(g[0][j]);
                    for c in 1..Self::D {
                        s = s.add(d[i][c].mul(g[c][j]));
                    }
                    points.set(q, i, j, s);
                }
            }
            if Self::D == 2 && !RING {
                points.set(q, 2, 2, L::splat(1.0));
            }
        }
    }

    #[inline(always)]
    fn force<L: Lanes>(stored: Stored<'_, L>, points: &mut impl Points<L>, out: &mut C::AtNodes<[L; 3]>) {
        for q in 0..C::POINTS {
            let (weight, p, g) = (Self::weight(stored, q), points.stress(q), Self::dual(stored, q));
            for i in 0..Self::D {
                for c in 0..Self::D {
                    let mut s = p[i][0].mul(g[c][0]);
                    for j in 1..Self::D {
                        s = s.add(p[i][j].mul(g[c][j]));
                    }
                    points.set_stress(q, i, c, weight.mul(s));
                }
            }
            if RING {
                points.set_stress(q, 2, 2, weight.mul(p[2][2]).mul(Self::curvature(stored, q)));
            }
        }
        *out = Local::of([zero(); 3]);
        for i in 0..Self::D {
            let mut loads = C::AtNodes::<L>::of(zero());
            C::loads(&Row { points: &mut *points, i }, &mut loads);
            let mut sum = zero::<L>();
            for a in 1..Self::NODES {
                out[a][i] = loads[a];
                sum = sum.add(loads[a]);
            }
            out[0][i] = minus(sum);
        }
        if RING {
            Self::hoop(points, out);
        }
    }

    fn places() -> Vec<[f64; 3]> {
        C::rule().into_iter().map(|(place, _)| place).collect()
    }

    #[inline(always)]
    fn weight<L: Lanes>(stored: Stored<'_, L>, q: usize) -> L {
        stored.at(q * Self::STRIDE)
    }

    fn gradients(stored: Stored<'_, f64>, q: usize) -> C::AtNodes<[f64; 3]> {
        let functions = &functions::<C>()[q];
        let g = Self::dual(stored, q);
        let mut out = C::AtNodes::of([0.0; 3]);
        for a in 0..Self::NODES {
            for j in 0..Self::D {
                out[a][j] = (0..Self::D).map(|c| functions.slopes[a][c] * g[c][j]).sum();
            }
            if RING {
                out[a][2] = functions.values[a] * Self::curvature(stored, q);
            }
        }
        out
    }
}

impl<C: Cell, const RING: bool> Isoparametric<C, RING> {
    /// Adds the radial forces of the stresses around the axis, `w P33/R` at each point: the radius there is that of the first node, and the
    /// mean of the differences of the others from it.
    #[inline(always)]
    fn hoop<L: Lanes>(points: &impl Points<L>, out: &mut C::AtNodes<[L; 3]>) {
        let mut hoop = C::AtPoints::<L>::of(zero());
        let mut first = zero::<L>();
        for q in 0..C::POINTS {
            hoop[q] = points.stress_entry(q, 2, 2);
            first = first.add(hoop[q]);
        }
        let mut loads = C::AtNodes::<L>::of(zero());
        C::value_loads(&hoop, &mut loads);
        for a in 1..Self::NODES {
            out[a][0] = out[a][0].add(loads[a]);
            first = first.sub(loads[a]);
        }
        out[0][0] = out[0][0].add(first);
    }
}

/// The shape functions of a kind at the points of its rule, computed once.
fn functions<C: Cell>() -> &'static [Functions] {
    static ALL: Mutex<BTreeMap<TypeId, &'static [Functions]>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.entry(TypeId::of::<C>()).or_insert_with(|| {
        let rule = C::rule();
        Vec::leak(rule.iter().map(|(at, _)| C::FACTS.cell.functions(at)).collect())
    })
}
