//! What presses closed gaps together, and the forces that keep them closed.

use super::{Colliding, Moment, SlipMode};
use crate::action::DiscreteLagrangian;
use crate::contact::generalised::{Arrival, Metric};
use crate::contact::{Gap, Piece};
use crate::error::Cause;
use crate::integrate::impact::path::Tied;
use crate::integrate::impact::{CLOSED, Departure};
use crate::linalg::{Lu, dot};
use crate::model::{Bounds, Constraint};

/// The length of the short legs that show what presses, in steps.
const PROBE: f64 = 1e-3;
/// What is added to the diagonal of the equations for the forces, relative to it: contacts may depend on each other.
const REGULAR: f64 = 1e-12;
/// Accelerations of a gap up to this many times the rounding of the gap, over the square of a step, are rounding.
const STILL: f64 = 20.0;

/// Whose second derivative in time is asked for.
#[derive(Debug, Clone, Copy)]
pub(in crate::integrate::impact) enum Followed {
    /// A gap, whichever piece of it counts.
    Gap(usize),
    /// One of its pieces.
    Piece(Piece),
}

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// The second derivatives of gaps in time, for a motion that is free of all gaps, or that keeps the persistent contacts.
    pub(in crate::integrate::impact) fn accelerations(
        &mut self,
        at: Moment<'_>,
        followed: &[Followed],
        keep: bool,
    ) -> Result<Vec<f64>, Cause> {
        let n = at.q.len();
        let closed = if keep { self.closed() } else { Vec::new() };
        let loose = self.ties(n, closed, self.sticks.clone());
        let loose = loose.map(|ties| Tied::new(ties, self.paths.ld.abscissae(), n));
        let ties = std::mem::replace(&mut self.paths.ties, loose);
        let kept = (self.paths.leg.clone(), self.paths.end.clone(), self.paths.times, self.paths.fell);
        let result = self.probe_both_ways(at, followed);
        (self.paths.leg, self.paths.end, self.paths.times, self.paths.fell) = kept;
        self.paths.ties = ties;
        result
    }

    fn probe_both_ways(&mut self, at: Moment<'_>, followed: &[Followed]) -> Result<Vec<f64>, Cause> {
        let Moment { t, q, p } = at;
        let from = Departure { t, q: q.to_vec(), p: p.to_vec(), kick: None };
        let mut v = vec![0.0; q.len()];
        self.paths.velocity(t, q, p, &mut v)?;
        let mut room = Bounds::new(q.len(), self.gaps.count());
        let mut sum = vec![0.0; followed.len()];
        let h = PROBE * self.h;
        for way in [1.0, -1.0] {
            self.paths.aim(&v, way * h);
            self.paths.fly(&from, way * h)?;
            self.paths.find_end_velocity()?;
            let (q, v) = (&self.paths.end.q, &self.paths.end.v);
            for (a, followed) in sum.iter_mut().zip(followed) {
                let gap = match *followed {
                    Followed::Piece(piece) => {
                        self.gaps.piece(piece, t + way * h, q, false, &mut room);
                        piece.gap
                    }
                    Followed::Gap(gap) => {
                        self.gaps.first(t + way * h, q, &mut room);
                        gap
                    }
                };
                *a += way * room.rate(gap, v) / (2.0 * h);
            }
        }
        Ok(sum)
    }

    /// The forces that keep the persistent contacts closed at the end of the leg.
    pub(super) fn forces(&mut self) -> Result<Vec<f64>, Cause> {
        let t = self.paths.leg.t + self.paths.leg.h;
        let q = self.paths.end.q.clone();
        let p = self.paths.end.p.clone();
        self.forces_at(Moment { t, q: &q, p: &p })
    }

    /// The same at a state.
    pub(super) fn forces_at(&mut self, at: Moment<'_>) -> Result<Vec<f64>, Cause> {
        let Moment { t, q, p } = at;
        let m = self.persistent.len();
        let followed: Vec<Followed> = self.persistent.iter().map(|x| Followed::Piece(x.piece)).collect();
        let mut force: Vec<f64> = self.accelerations(at, &followed, false)?.iter().map(|a| -a).collect();
        let mut v = vec![0.0; q.len()];
        self.legendre.velocity(self.paths.ld.system(), t, q, p, &mut v)?;
        let loose = self.ties(q.len(), Vec::new(), self.sticks.clone());
        let mut bounds = Bounds::new(q.len(), loose.as_ref().map_or(0, |x| x.count()));
        if let Some(ties) = &loose {
            ties.first(t, q, &mut bounds);
        }
        let arrival = Arrival { t, q, v: &v };
        let metric = Metric::new(self.paths.ld.system(), arrival, &bounds)?;
        let touches = self.persistent_touches(&metric, t, q);
        let mut lu = Lu::new(m);
        for j in 0..m {
            let mut response = touches[j].response.clone();
            if let SlipMode::Slide(direction) = &self.persistent[j].mode {
                let slip = self.slip(&touches[j], &touches, &metric, arrival);
                let pull = metric.response(&slip.force(direction));
                response.iter_mut().zip(&pull).for_each(|(r, x)| *r -= slip.coefficient * x);
            }
            for i in 0..m {
                lu.matrix()[i * m + j] = dot(&touches[i].normal, &response);
            }
        }
        let diagonal: Vec<f64> = (0..m).map(|i| lu.matrix()[i * m + i]).collect();
        (0..m).for_each(|i| lu.matrix()[i * m + i] += REGULAR * diagonal[i]);
        if !lu.factor() {
            return Err(Cause::Singular);
        }
        lu.solve(&mut force);
        for (i, force) in force.iter_mut().enumerate() {
            let still = self.still(self.persistent[i].piece.gap, t, q);
            if force.abs() * touches[i].own_response() <= still {
                *force = 0.0;
            }
        }
        Ok(force)
    }

    /// Accelerations of a gap below this are rounding: within a step they neither open nor close it by more than a few times
    /// what is rounding of the gap itself.
    pub(in crate::integrate::impact) fn still(&self, gap: usize, t: f64, q: &[f64]) -> f64 {
        STILL * CLOSED * self.size(&self.here, gap, t, q) / (self.h * self.h)
    }
}
