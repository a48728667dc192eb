//! The impact at the end of a segment: the gaps that are closed there, and the impulse that the law of the contact
//! ([`contact`](crate::contact)) gives for them.
//!
//! - At a corner, where smooth pieces of a gap meet as a minimum, each piece is a contact of its own; where they meet as a maximum one
//!   suffices, and the list of pieces that needs the least impulse is taken.
//! - The discrete path has the impulse of friction and the change of energy of the law; the impulse along the normals is scaled so that
//!   the discrete energy has that change ([`Kick`]).

use super::path::Kick;
use super::{Colliding, Departure, NEAR};
use crate::action::DiscreteLagrangian;
use crate::contact::generalised::{Arrival, GapTouch, Metric, Slip, combine};
use crate::contact::simultaneous::{Closing, ImpactImpulse};
use crate::contact::{ClosedGaps, ContactLaw, Gap, GapImpact, Impact, ImpactKind, Piece};
use crate::error::{Cause, ContactFault};
use crate::linalg::dot;
use crate::model::{Bounds, Constraint};
use std::sync::Arc;

/// Impacts that are less than this part of a step apart happen at once: after some thousand steps such times differ by rounding only.
const TOGETHER: f64 = 1e-11;
/// A rebound slower than this, relative to that of the law, is not sought, nor one faster by as much energy: were only those left out for
/// which the energy does not suffice, the others would gain what these lack, and the energy would climb.
pub(super) const SLOWEST: f64 = 0.02;
pub(super) const FASTEST: f64 = std::f64::consts::SQRT_2 - 1.0;
/// With restitution `e` below one, the impulse may differ from that of the law by at most this part of `min(e, 1 - e)/e`: a rebound must
/// lose its part in any case.
const ROOM_OF_RESTITUTION: f64 = 0.05;
/// The energy is not met where it grows with the impulse by less than this part of the impulse's own energy: it hardly depends on it.
const LEAST_SLOPE: f64 = 0.02;
/// A gap with a gradient smaller than this, relative to that at the start of the segment, has none.
const FLAT: f64 = 1e-6;
/// Rates of a gap below this, relative to the terms they are made of, are rounding.
const RATE_ROUNDING: f64 = 1e-12;
/// A piece opens if its rate after the impact is above this many times the rounding of rates.
const OPENS: f64 = 10.0;

impl ImpactImpulse {
    /// Between which multiples of the impulse along the normals the energy is to be met, if nothing leaves at the multiple `stopped`. Where
    /// energy is lost a rebound must lose its part in any case, or the error of the discrete energy would keep bounces alive; where it
    /// is not, a graze must not become a bounce.
    fn within(&self, stopped: f64) -> [f64; 2] {
        let room = 1.0 - stopped;
        match self.restitution {
            1.0 => [stopped + SLOWEST * room, 1.0 + FASTEST * room],
            e => {
                let room = ROOM_OF_RESTITUTION * (1.0 - e).min(e) / e * room;
                [1.0 - room, 1.0 + room]
            }
        }
    }
}

/// The contacts at a place, and the metric there.
pub(super) struct Touching {
    pub touches: Vec<GapTouch>,
    pub metric: Metric,
}

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// The metric at a place, on the system's own constraints.
    pub(super) fn metric(&self, at: Arrival<'_>) -> Result<Metric, Cause> {
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let mut bounds = Bounds::new(at.q.len(), own);
        if let Some(constraint) = &self.system {
            constraint.first(at.t, at.q, &mut bounds);
        }
        Metric::new(self.paths.ld.system(), at, &bounds)
    }

    /// Gaps that are persistently closed, those closed at a place but for rounding, and those that would close within [`TOGETHER`]: at the
    /// rate they have, or as fast, by the energy, as the fastest of these does, because its blow may be passed on to them.
    fn near(&self, metric: &Metric, at: Arrival<'_>) -> Vec<usize> {
        let value = self.probe.value();
        let together = TOGETHER * self.h;
        let closing = |k: usize| -self.probe.rate(k, at.v);
        // At rest what a gap is made of may be less than the value at which it persists.
        let closed = |k: usize| {
            let rounding = NEAR * self.size(&self.probe, k, at.t, at.q);
            self.persists(k) || value[k] <= rounding.max(together * closing(k))
        };
        let length = |k: usize| {
            let normal = self.probe.gradient(k);
            dot(normal, &metric.response(normal)).sqrt()
        };
        let mut fastest = 0.0_f64;
        for k in (0..value.len()).filter(|&k| closed(k)) {
            let speed = closing(k) / length(k);
            // The gradient of a formula may vanish at a corner.
            if speed.is_finite() {
                fastest = fastest.max(speed);
            }
        }
        let soon = |k: usize| fastest > 0.0 && value[k] <= together * fastest * length(k);
        (0..value.len()).filter(|&k| closed(k) || soon(k)).collect()
    }

    /// All contacts at a place: pieces of gaps that are closed but for rounding.
    pub(super) fn touches(&mut self, at: Arrival<'_>) -> Result<Touching, Cause> {
        let metric = self.metric(at)?;
        let gaps = Arc::clone(&self.gaps);
        gaps.first(at.t, at.q, &mut self.probe);
        let near = self.near(&metric, at);
        let mut room = Bounds::new(at.q.len(), gaps.count());
        let mut all = Vec::new();
        for gap in near {
            let mut best: Option<(f64, Vec<GapTouch>)> = None;
            let within = NEAR * self.size(&self.probe, gap, at.t, at.q);
            for list in gaps.pieces(gap, at.t, at.q, within) {
                let mut touches = Vec::with_capacity(list.len());
                let mut need = 0.0_f64;
                for number in list {
                    let touch = self.touch(Piece { gap, number }, &metric, at, &mut room)?;
                    need = need.max((-touch.rate).max(0.0) / touch.own_response().sqrt());
                    touches.push(touch);
                }
                if best.as_ref().is_none_or(|(least, _)| need < *least) {
                    best = Some((need, touches));
                }
            }
            all.extend(best.map(|(_, touches)| touches).unwrap_or_default());
        }
        Ok(Touching { touches: all, metric })
    }

    /// A piece of a gap as a contact; a gap without a gradient says no way out.
    fn touch(
        &self,
        piece: Piece,
        metric: &Metric,
        at: Arrival<'_>,
        room: &mut Bounds,
    ) -> Result<GapTouch, Cause> {
        let gap = piece.gap;
        self.gaps.piece(piece, at.t, at.q, false, room);
        let normal = room.gradient(gap).to_vec();
        let dt = room.dt()[gap];
        let response = metric.response(&normal);
        let rate = dot(&normal, at.v) + dt;
        let speed = |i: usize| at.v[i].abs() + self.reach[i] / self.h;
        let terms: f64 = (0..at.q.len()).map(|i| normal[i].abs() * speed(i)).sum();
        let rounding = -RATE_ROUNDING * (terms + dt.abs());
        let touch = GapTouch { piece, value: room.value()[gap], normal, dt, response, rate, rounding };
        let own = touch.own_response();
        let flat = self.paths.steepness(&touch.normal) <= FLAT * self.slope_of(gap);
        if !(own > 0.0 && own.is_finite()) || flat {
            let why = if own.is_nan() { ContactFault::NotFinite } else { ContactFault::Flat };
            return Err(Cause::Gap { gaps: vec![gap], time: at.t, why });
        }
        Ok(touch)
    }

    /// The slip of a contact at a place, among all contacts there.
    pub(super) fn slip(&self, touch: &GapTouch, all: &[GapTouch], metric: &Metric, at: Arrival<'_>) -> Slip {
        let gap = touch.piece.gap;
        let friction = self.laws[gap].friction;
        if self.gaps.slips(gap) == 0 {
            Slip::of_kinetic_energy(touch, all, metric, friction)
        } else {
            Slip::of_formulas(&*self.gaps, gap, metric, at, friction)
        }
    }

    /// The impact at a place that was reached with a discrete energy; `None` if no gap closes there.
    pub(super) fn strike(
        &mut self,
        from: &Departure,
        before: f64,
    ) -> Result<Option<(Kick, GapImpact)>, Cause> {
        let mut v = vec![0.0; from.q.len()];
        self.legendre.velocity(self.paths.ld.system(), from.t, &from.q, &from.p, &mut v)?;
        let at = Arrival { t: from.t, q: &from.q, v: &v };
        let Touching { touches, metric } = self.touches(at)?;
        if touches.iter().all(|x| x.rate >= x.rounding) {
            return Ok(None);
        }
        let laws: Vec<ContactLaw> = touches.iter().map(|x| self.laws[x.piece.gap]).collect();
        let simultaneous = self.simultaneous;
        let closing = Closing { touches: &touches, laws: &laws, simultaneous, metric: &metric, at };
        let slip = |k: usize, all: &[GapTouch]| self.slip(&touches[k], all, &metric, at);
        let impulse = closing.impulse(slip).map_err(|opposed| {
            let mut gaps: Vec<usize> = opposed.iter().map(|&k| touches[k].piece.gap).collect();
            gaps.sort_unstable();
            gaps.dedup();
            Cause::Gap { gaps, time: from.t, why: ContactFault::Opposed }
        })?;
        let contact = closed_gaps(&touches, &impulse.along_normals);
        let own = |(touch, _): &(&GapTouch, &f64)| touch.piece.gap == contact.gap;
        let along_normal = touches.iter().zip(&impulse.along_normals).filter(own).map(|(_, l)| l).sum();
        let friction = impulse.friction_size;
        let kick = self.kick(&closing, impulse, before);
        let impact = Impact {
            time: from.t,
            kind: ImpactKind::Bounce,
            contact,
            impulse: along_normal,
            friction,
            energy_before: before,
            energy_after: f64::NAN,
            prescribed: kick.change,
        };
        Ok(Some((kick, impact)))
    }

    /// What the impulse of an impact does to the segment that leaves; notes the pieces that open.
    fn kick(&mut self, closing: &Closing<'_>, impulse: ImpactImpulse, before: f64) -> Kick {
        let (touches, metric, v) = (closing.touches, closing.metric, closing.at.v);
        let normals: Vec<Vec<f64>> = touches.iter().map(|x| x.normal.clone()).collect();
        let push = combine(&normals, &impulse.along_normals, v.len());
        let power: f64 = touches.iter().zip(&impulse.along_normals).map(|(x, l)| x.dt * l).sum();
        let through = metric.response(&push);
        let slowed = metric.response(&impulse.friction);
        let own = dot(&push, &through);
        let arriving: f64 = dot(&push, v) + dot(&push, &slowed) + power;
        let total: Vec<f64> = push.iter().zip(&impulse.friction).map(|(a, b)| a + b).collect();
        let change = if impulse.elastic {
            -power
        } else {
            dot(&total, v) + 0.5 * (own + 2.0 * dot(&push, &slowed) + dot(&impulse.friction, &slowed))
        };
        let slope = arriving + own;
        let after: Vec<f64> = (0..v.len()).map(|i| v[i] + through[i] + slowed[i]).collect();
        let opens = |x: &&GapTouch| x.rate_at(&after) > -OPENS * x.rounding;
        self.opened.clear();
        self.opened.extend(touches.iter().filter(opens).map(|x| x.piece));
        let within = (slope > LEAST_SLOPE * own).then(|| impulse.within(-arriving / own));
        Kick { push, drag: impulse.friction, before, change, power, slope, curvature: own, within }
    }
}

/// The gap with the largest impulse, and the others that take part.
fn closed_gaps(touches: &[GapTouch], along_normals: &[f64]) -> ClosedGaps {
    let first = (0..touches.len())
        .max_by(|&a, &b| along_normals[a].total_cmp(&along_normals[b]))
        .expect("a gap is closed");
    let gap = touches[first].piece.gap;
    let part = touches.iter().zip(along_normals).filter(|(x, l)| x.rate < x.rounding || **l > 0.0);
    let mut others: Vec<usize> = part.map(|(x, _)| x.piece.gap).filter(|k| *k != gap).collect();
    others.dedup();
    ClosedGaps { gap, others }
}
