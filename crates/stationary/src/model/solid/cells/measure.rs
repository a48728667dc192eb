//! The undeformed element: what its kernel stores, its volume, inscribed radius and mass.

use super::super::geometry::{Defect, mass_matrix};
use super::super::tensor::{Tensor, cofactor, determinant_by};
use super::{Cell, Place};
use crate::mesh::Functions;
use std::f64::consts::TAU;

/// An undeformed element.
pub(in crate::model::solid) struct Measured {
    pub stored: Vec<f64>,
    pub volume: f64,
    pub inradius: f64,
    /// What [`Geometry`](super::super::geometry::Geometry) keeps of its mass.
    pub mass: Vec<f64>,
}

/// A place of the undeformed element.
struct Mapped {
    functions: Functions,
    /// `grad xi_c`.
    dual: Tensor,
    /// `det dX/dxi`.
    ratio: f64,
    radius: f64,
}

/// Measures the element at `x`: a plane one of thickness `depth`, a ring around the axis `x = 0`, or one in space.
pub(in crate::model::solid) fn measure<C: Cell>(
    x: &[[f64; 3]],
    depth: f64,
    ring: bool,
) -> Result<Measured, Defect> {
    let (n, d) = (C::KIND.nodes(), C::KIND.dimension());
    let span = |at: &Mapped| depth * if ring { TAU * at.radius } else { 1.0 };
    let rule: Vec<(Mapped, f64)> = C::rule().iter().map(|(at, w)| (map::<C>(x, at), *w)).collect();
    let fine: Vec<(Mapped, f64)> = C::fine_rule().iter().map(|(at, w)| (map::<C>(x, at), *w)).collect();
    let corners: Vec<(Place, Mapped)> = C::corners().into_iter().map(|at| (at, map::<C>(x, &at))).collect();
    let ratios = || rule.iter().chain(&fine).map(|(at, _)| at).chain(corners.iter().map(|(_, at)| at));
    judge::<C>(x, ratios().map(|at| at.ratio))?;
    let mut measured = Measured {
        stored: Vec::new(),
        volume: fine.iter().map(|(at, weight)| weight * at.ratio * span(at)).sum(),
        inradius: corners.iter().map(|(at, m)| C::inradius(at, &m.dual)).fold(f64::INFINITY, f64::min),
        mass: Vec::new(),
    };
    for (at, weight) in &rule {
        measured.stored.push(weight * at.ratio * span(at));
        for c in 0..d {
            measured.stored.extend_from_slice(&at.dual[c][..d]);
        }
        if ring {
            measured.stored.push(1.0 / at.radius);
        }
    }
    let volumes = fine.iter().map(|(at, weight)| weight * at.ratio * span(at) / measured.volume);
    measured.mass = volumes.collect();
    if fine_values::<C>().is_none() {
        let values: Vec<f64> = fine.iter().flat_map(|(at, _)| at.functions.values[..n].to_vec()).collect();
        measured.mass = mass_matrix(&measured.mass, &values);
    }
    Ok(measured)
}

/// The shape functions at the points of the fine rule, if those of one element have fewer weights than its mass matrix has entries.
pub(in crate::model::solid) fn fine_values<C: Cell>() -> Option<Vec<f64>> {
    let (n, rule) = (C::KIND.nodes(), C::fine_rule());
    let values = |(at, _): &(Place, f64)| C::FACTS.cell.functions(at).values[..n].to_vec();
    (rule.len() < n * n).then(|| rule.iter().flat_map(values).collect())
}

fn map<C: Cell>(x: &[[f64; 3]], at: &Place) -> Mapped {
    let d = C::KIND.dimension();
    let functions = C::FACTS.cell.functions(at);
    // m[c][j] = dX_j / dxi_c
    let mut m: Tensor = [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0]];
    for c in 0..d {
        for j in 0..d {
            m[c][j] = x.iter().zip(&functions.slopes).map(|(x_a, slope)| (x_a[j] - x[0][j]) * slope[c]).sum();
        }
    }
    let cof = cofactor(&m);
    let ratio = determinant_by(&m, &cof);
    let radius = x.iter().zip(&functions.values).map(|(x, n)| n * x[0]).sum();
    Mapped { functions, dual: cof.map(|row| row.map(|c| c / ratio)), ratio, radius }
}

/// Refuses an element whose map has no positive volume somewhere; flat is what is lost in the rounding of its own computation.
fn judge<C: Cell>(x: &[[f64; 3]], ratios: impl Iterator<Item = f64>) -> Result<(), Defect> {
    let d = C::KIND.dimension();
    let size = |j: usize| {
        let (low, high) =
            x.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), p| (l.min(p[j]), h.max(p[j])));
        high - low
    };
    let tiny = 16.0 * f64::EPSILON * (0..d).map(size).product::<f64>() / f64::powi(2.0, d as i32);
    let (mut positive, mut negative) = (false, false);
    for ratio in ratios {
        positive |= ratio > tiny;
        // Not a number is no volume.
        negative |= !(ratio > tiny) && (ratio < -tiny);
        if !(ratio.abs() > tiny) {
            return Err(if positive || negative { Defect::Folded } else { Defect::Flat });
        }
    }
    match (positive, negative) {
        (true, false) => Ok(()),
        (false, _) => Err(Defect::TurnedOver),
        _ => Err(Defect::Folded),
    }
}
