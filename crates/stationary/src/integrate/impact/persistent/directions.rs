//! Which of several directions are independent of each other.

use super::Colliding;
use crate::action::DiscreteLagrangian;
use crate::contact::Gap;
use crate::contact::generalised::{Arrival, Metric};
use crate::error::Cause;
use crate::linalg::dot;
use crate::model::{Bounds, Constraint};

/// A direction depends on others if less than this part of its square, in the metric of the energy, is left without its parts along them.
const DEPENDENT: f64 = 1e-12;

/// Directions that do not depend on each other. They are compared in the metric of the kinetic energy, so that the units of
/// coordinates do not count: beside a height in metres the angle of a body of a nanometre has a slope of 1e-9.
pub(super) struct Directions {
    metric: Metric,
    /// Orthonormal covectors, each with its response.
    basis: Vec<[Vec<f64>; 2]>,
}

impl Directions {
    /// Adds the part of a direction that is independent of those that are there; `false` if there is none.
    pub fn add(&mut self, direction: &[f64]) -> bool {
        let mut x = direction.to_vec();
        let own = dot(&x, &self.metric.response(&x));
        for _ in 0..2 {
            for [other, response] in &self.basis {
                let part = dot(response, &x);
                x.iter_mut().zip(other).for_each(|(x, y)| *x -= part * y);
            }
        }
        let mut response = self.metric.response(&x);
        let rest = dot(&x, &response);
        if !(rest > DEPENDENT * own) {
            return false;
        }
        let scale = rest.sqrt().recip();
        x.iter_mut().chain(&mut response).for_each(|x| *x *= scale);
        self.basis.push([x, response]);
        true
    }
}

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// The directions of the gradients of constraints and persistent contacts.
    pub(super) fn tied_directions(&self, at: Arrival<'_>) -> Result<Directions, Cause> {
        let n = at.q.len();
        let metric = Metric::new(self.paths.ld.system(), at, &Bounds::new(n, 0))?;
        let mut directions = Directions { metric, basis: Vec::new() };
        if let Some(ties) = self.ties(n, self.closed(), Vec::new()) {
            let mut bounds = Bounds::new(n, ties.count());
            ties.first(at.t, at.q, &mut bounds);
            for a in 0..ties.count() {
                directions.add(bounds.gradient(a));
            }
        }
        Ok(directions)
    }
}
