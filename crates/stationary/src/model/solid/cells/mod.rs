//! Isoparametric elements: a file for each kind, with its quadrature; everything else is common. Shape functions, nodes and faces are
//! those of the kind of cell in the mesh.
//!
//! At a point `xi` of the reference cell the map of the undeformed element is `X = sum_a N_a(xi) X_a`, and the gradients are
//! `grad N_a = (dX/dxi)^-T dN_a/dxi`. The rule of a kind is exact for `grad N_a` over elements with straight edges, which is the
//! patch test, and no deformation but the rigid motions has zero energy; tests ask both of every kind.
//!
//! A new kind is a file here, and a line in the list of [`ElementKind`].

mod gauss;
mod hex20;
mod hex27;
mod hex8;
mod measure;
mod pyramid5;
mod quad4;
mod quad8;
mod quad9;
mod tri3;
mod tri6;
mod wedge6;

pub(super) use hex8::Hex8;
pub(super) use hex20::Hex20;
pub(super) use hex27::Hex27;
pub(super) use measure::measure;
pub(super) use pyramid5::Pyramid5;
pub(super) use quad4::Quad4;
pub(super) use quad8::Quad8;
pub(super) use quad9::Quad9;
pub(super) use tri3::Tri3;
pub(super) use tri6::Tri6;
pub(super) use wedge6::Wedge6;

use super::kind::{ElementKind, Facts};
use super::lanes::Lanes;
use super::shape::{Local, Points, Shape, zero};
use super::stored::Stored;
use super::tensor::Tensor;
use std::fmt::Debug;
use std::marker::PhantomData;

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
    /// Radius of a ball that fits the cell, from the gradients of its reference coordinates at a place.
    fn inradius(at: &Place, dual: &Tensor) -> f64;
    /// Where the map must have a positive volume besides the points of the rules.
    fn corners() -> Vec<Place> {
        Self::FACTS.cell.reference().into()
    }
}

/// The kernel of a kind. Stored for each point of the rule: its weight, then for each node the gradient of its shape function and, in
/// rings, `N_a / R`.
///
/// Rings are plane elements that turn around the axis `x = 0`: `F33 = r/R = sum_a (N_a/R) x_a`, and weights contain `2 pi R`.
#[derive(Debug)]
pub(super) struct Isoparametric<C, const RING: bool>(PhantomData<C>);

impl<C: Cell, const RING: bool> Isoparametric<C, RING> {
    const NODES: usize = C::KIND.nodes();
    const D: usize = C::KIND.dimension();
    /// Numbers of a node at a point.
    const EACH: usize = Self::D + if RING { 1 } else { 0 };
    const STRIDE: usize = 1 + Self::EACH * Self::NODES;

    #[inline(always)]
    fn at<L: Lanes>(stored: Stored<'_, L>, q: usize) -> (L, Stored<'_, L>) {
        (stored.at(q * Self::STRIDE), stored.part(q * Self::STRIDE + 1, Self::STRIDE - 1))
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
    fn deformation<L: Lanes>(
        stored: Stored<'_, L>,
        x: &C::AtNodes<[L; 3]>,
        points: &mut (impl Points<L> + ?Sized),
    ) {
        for q in 0..C::POINTS {
            let (_, g) = Self::at(stored, q);
            let mut f = [[zero::<L>(); 3]; 3];
            if Self::D == 2 {
                f[2][2] = if RING { x[0][0].mul(g.at(2)) } else { L::splat(1.0) };
            }
            // Differences from the first node: a rigid shift leaves no rounding behind.
            for a in 1..Self::NODES {
                let g = g.part(a * Self::EACH, Self::EACH);
                for i in 0..Self::D {
                    let u = x[a][i].sub(x[0][i]);
                    for j in 0..Self::D {
                        f[i][j] = f[i][j].add(u.mul(g.at(j)));
                    }
                }
                if RING {
                    f[2][2] = f[2][2].add(x[a][0].mul(g.at(2)));
                }
            }
            points.put(q, f);
        }
    }

    #[inline(always)]
    fn force<L: Lanes>(
        stored: Stored<'_, L>,
        points: &(impl Points<L> + ?Sized),
        out: &mut C::AtNodes<[L; 3]>,
    ) {
        *out = Local::of([zero(); 3]);
        for q in 0..C::POINTS {
            let (weight, g) = Self::at(stored, q);
            let mut p = points.stress(q);
            for i in 0..3 {
                for j in 0..3 {
                    p[i][j] = p[i][j].mul(weight);
                }
            }
            for a in 1..Self::NODES {
                let own = g.part(a * Self::EACH, Self::EACH);
                for i in 0..Self::D {
                    let mut s = p[i][0].mul(own.at(0));
                    for j in 1..Self::D {
                        s = s.add(p[i][j].mul(own.at(j)));
                    }
                    out[a][i] = out[a][i].add(s);
                    out[0][i] = out[0][i].sub(s);
                }
                if RING {
                    out[a][0] = out[a][0].add(p[2][2].mul(own.at(2)));
                }
            }
            if RING {
                out[0][0] = out[0][0].add(p[2][2].mul(g.at(2)));
            }
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
        let (_, g) = Self::at(stored, q);
        let mut out = C::AtNodes::of([0.0; 3]);
        for a in 0..Self::NODES {
            (0..Self::EACH).for_each(|i| out[a][i] = g.at(a * Self::EACH + i));
        }
        out
    }
}
