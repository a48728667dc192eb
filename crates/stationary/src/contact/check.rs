//! Whether a run can start at a place: no gap is negative there.

use super::{Gap, Piece};
use crate::error::ContactFault;
use crate::linalg::max_abs;
use crate::model::Bounds;

/// A gap is closed if it is smaller than this times the terms that it is made of: rounding leaves less.
pub(crate) const CLOSED_WITHIN: f64 = 1e-12;

/// What is wrong with a gap at the start; it is named by its number, from 0.
#[derive(Debug, Clone, PartialEq)]
pub struct GapFault {
    /// Which gap.
    pub gap: usize,
    /// What is wrong.
    pub why: ContactFault,
}

/// Checks a place against gaps: none is negative but for rounding, and those that are closed have a gradient.
///
/// ```
/// use stationary::error::ContactFault;
/// use stationary::contact::{Gap, check_gaps};
/// use stationary::model::Bounds;
///
/// struct Floor;
/// impl Gap for Floor {
///     fn count(&self) -> usize {
///         1
///     }
///     fn first(&self, _t: f64, q: &[f64], out: &mut Bounds) {
///         let out = out.parts();
///         (out.value[0], out.dq[0]) = (q[0] - 1.0, 1.0);
///     }
///     fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
///         self.first(t, q, out);
///     }
/// }
/// assert!(check_gaps(&Floor, 0.0, &[1.0]).is_ok(), "a start at the contact");
/// let fault = check_gaps(&Floor, 0.0, &[0.5]).unwrap_err();
/// assert_eq!((fault.gap, fault.why), (0, ContactFault::Inside(-0.5)));
/// ```
pub fn check_gaps<G: Gap + ?Sized>(gaps: &G, t: f64, q: &[f64]) -> Result<(), GapFault> {
    let mut bounds = Bounds::new(q.len(), gaps.count());
    gaps.first(t, q, &mut bounds);
    for gap in 0..gaps.count() {
        let (value, gradient) = (bounds.value()[gap], bounds.gradient(gap));
        let terms: f64 = gradient.iter().zip(q).map(|(g, q)| (g * q).abs()).sum();
        let rounding = CLOSED_WITHIN * (terms + (bounds.dt()[gap] * t).abs());
        // At a corner the derivative of the formula is none; its pieces have one.
        let flat = || {
            let mut room = Bounds::new(q.len(), gaps.count());
            gaps.pieces(gap, t, q, rounding).iter().flatten().any(|number| {
                gaps.piece(Piece { gap, number: *number }, t, q, false, &mut room);
                !(max_abs(room.gradient(gap)) > 0.0)
            })
        };
        let why = if !value.is_finite() {
            ContactFault::NotFinite
        } else if value < -rounding {
            ContactFault::Inside(value)
        } else if value <= rounding && flat() {
            ContactFault::Flat
        } else {
            continue;
        };
        return Err(GapFault { gap, why });
    }
    Ok(())
}
