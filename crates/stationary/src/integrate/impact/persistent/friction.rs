//! Friction of persistent contacts: constraints on the slip of those that stick, forces on that of those that slide.

use super::{Colliding, FrictionRows, SLIP_NOISE, SlipMode};
use crate::action::DiscreteLagrangian;
use crate::contact::generalised::{Arrival, Slip, norm};
use crate::contact::{Gap, GapImpact, ImpactKind};
use crate::error::Cause;
use crate::integrate::constrained::State;
use crate::integrate::impact::Departure;
use crate::integrate::impact::crossing::SHORT;
use crate::integrate::impact::path::{Slide, Tied};
use crate::integrate::impact::ties::Stick;
use crate::linalg::dot;

/// Friction jams a contact if it leaves less than this of its own response to an impulse along the normal.
const JAMS: f64 = 1e-3;
/// The direction of a slip is not known below this many times its rounding error.
const UNCLEAR: f64 = 10.0;
/// Nor where friction would stop it within this part of a step.
const STOPS_AT_ONCE: f64 = 1e-9;

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// Ties the leg that leaves to the persistent contacts.
    pub(in crate::integrate::impact) fn tie(&mut self, from: &Departure, left: f64) -> Result<(), Cause> {
        let n = from.q.len();
        self.sticks.clear();
        self.friction_rows.clear();
        let mut slides = Vec::new();
        if self.persistent.iter().any(|x| x.mode != SlipMode::Smooth) {
            let p = self.paths.leaving(from);
            let mut v = vec![0.0; n];
            self.legendre.velocity(self.paths.ld.system(), from.t, &from.q, &p, &mut v)?;
            let half = 0.5 * left;
            let middle: Vec<f64> = from.q.iter().zip(&v).map(|(q, v)| q + half * v).collect();
            slides = self.tie_slips(from, Arrival { t: from.t + half, q: &middle, v: &v })?;
        }
        let ties = self.ties(n, self.closed(), self.sticks.clone());
        self.paths.ties = ties.map(|ties| Tied::new(ties, self.paths.ld.abscissae(), n));
        if let Some(tied) = &mut self.paths.ties {
            tied.slides = slides;
        }
        Ok(())
    }

    /// The constraints of contacts that stick, with the slip of the middle of the leg, and the friction of those that slide.
    fn tie_slips(&mut self, from: &Departure, middle: Arrival<'_>) -> Result<Vec<Slide>, Cause> {
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let count = self.persistent.len();
        let mut slides = Vec::new();
        let mut basis = self.tied_directions(middle)?;
        for i in 0..count {
            if self.persistent[i].mode == SlipMode::Smooth {
                continue;
            }
            let slip = self.persistent_slip(i, middle)?;
            let coefficient = slip.coefficient;
            let noise = self.slip_noise(&slip, &from.q, middle.v);
            let unclear = self.unclear_slip(i, &slip, middle.v);
            let begin = own + count + self.sticks.len();
            match &mut self.persistent[i].mode {
                SlipMode::Smooth => {}
                SlipMode::Slide(direction) => {
                    let s = slip.at(middle.v);
                    let size = norm(&s);
                    if size > unclear {
                        *direction = s.iter().map(|s| s / size).collect();
                    }
                    let pull: Vec<f64> = slip.force(direction).iter().map(|x| coefficient * x).collect();
                    slides.push(Slide { row: own + i, pull });
                }
                SlipMode::Stick => {
                    for (row, rest) in slip.rows.into_iter().zip(slip.rest) {
                        if basis.add(&row) {
                            let stick = Stick { row, rest, from: from.q.clone(), since: from.t };
                            self.sticks.push(stick);
                        }
                    }
                }
            }
            let rows = begin..own + count + self.sticks.len();
            self.friction_rows.push(FrictionRows { contact: i, rows, coefficient, noise });
        }
        Ok(slides)
    }

    /// Where friction presses a sliding contact so much that no force along the normal balances it, `n . R (n - mu T' d) <= 0`, the
    /// contact jams (the paradox of Painleve): the slip stops at once.
    pub(in crate::integrate::impact) fn jam(
        &mut self,
        from: &mut Departure,
        before: f64,
        impacts: &mut Vec<GapImpact>,
    ) -> Result<(), Cause> {
        if !self.persistent.iter().any(|x| matches!(x.mode, SlipMode::Slide(_))) {
            return Ok(());
        }
        let p = self.paths.leaving(from);
        let mut v = vec![0.0; p.len()];
        self.paths.velocity(from.t, &from.q, &p, &mut v)?;
        let Some(gap) = self.jammed(Arrival { t: from.t, q: &from.q, v: &v })? else { return Ok(()) };
        from.kick = None;
        from.p = p;
        let lost = self.project(from)?;
        match impacts.last_mut().filter(|x| x.energy_after.is_nan()) {
            Some(impact) => impact.prescribed += lost,
            None => {
                let rest = GapImpact::without_impulse(from.t, gap, before, lost);
                impacts.push(GapImpact { kind: ImpactKind::Rest, ..rest });
            }
        }
        self.firm = true;
        Ok(())
    }

    /// Makes contacts stick that jam; the gap of the last of them.
    fn jammed(&mut self, at: Arrival<'_>) -> Result<Option<usize>, Cause> {
        let metric = self.metric(at)?;
        let all = self.persistent_touches(&metric, at.t, at.q);
        let mut jammed = None;
        for i in 0..self.persistent.len() {
            let SlipMode::Slide(direction) = &self.persistent[i].mode else { continue };
            let slip = self.slip(&all[i], &all, &metric, at);
            let s = slip.at(at.v);
            let size = norm(&s);
            let along: Vec<f64> = if size > self.unclear_slip(i, &slip, at.v) {
                s.iter().map(|s| s / size).collect()
            } else {
                direction.clone()
            };
            let pull = metric.response(&slip.force(&along));
            let own = all[i].own_response();
            if own - slip.coefficient * dot(&all[i].normal, &pull) <= JAMS * own {
                self.persistent[i].mode = SlipMode::Stick;
                jammed = Some(self.persistent[i].piece.gap);
            }
        }
        Ok(jammed)
    }

    /// Where several slips turn within the leg, which is the one solved last, friction acts along their mean direction: the leg is
    /// made anew with that.
    pub(in crate::integrate::impact) fn turn(&mut self, from: &Departure, left: f64) -> Result<(), Cause> {
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let mut turned = false;
        for i in 0..self.persistent.len() {
            let SlipMode::Slide(direction) = &self.persistent[i].mode else { continue };
            if direction.len() == 1 {
                continue;
            }
            let direction = direction.clone();
            let State { q, v, .. } = &self.paths.end;
            let slip = self.persistent_slip(i, Arrival { t: from.t + left, q, v })?;
            let s = slip.at(v);
            let size = norm(&s);
            if !(dot(&s, &direction) > 0.0) {
                continue;
            }
            let mean: Vec<f64> = s.iter().zip(&direction).map(|(s, d)| s / size + d).collect();
            let pull = slip.force(&mean);
            let size = norm(&mean);
            let tied = self.paths.ties.as_mut().expect("a contact persists");
            if let Some(slide) = tied.slides.iter_mut().find(|x| x.row == own + i) {
                slide.pull = pull.iter().map(|x| slip.coefficient * x / size).collect();
                turned = true;
            }
        }
        if turned { self.paths.again(from, left) } else { Ok(()) }
    }

    /// The slip of a persistent contact below which it has no direction: rounding, or a slip that friction stops in no time. A contact that
    /// begins to slip has the direction in which it broke loose.
    fn unclear_slip(&self, i: usize, slip: &Slip, v: &[f64]) -> f64 {
        let force = self.persistent[i].force.abs();
        let stops =
            if force.is_finite() { slip.coefficient * force * slip.largest_response() * self.h } else { 0.0 };
        (UNCLEAR * SLIP_NOISE * slip.terms(&self.speeds(v))).max(STOPS_AT_ONCE * stops)
    }

    /// How fast coordinates move, or did not long ago.
    fn speeds(&self, v: &[f64]) -> Vec<f64> {
        v.iter().zip(&self.reach).map(|(v, r)| v.abs() + r / self.h).collect()
    }

    /// The impulse of friction that changes slips by their rounding error.
    fn slip_noise(&self, slip: &Slip, q: &[f64], v: &[f64]) -> [f64; 2] {
        let speed = self.speeds(v);
        let response = slip.largest_response();
        if !(response > 0.0) {
            return [0.0; 2];
        }
        [SLIP_NOISE * slip.terms(&speed) / response, 4.0 * f64::EPSILON * slip.terms(q) / response]
    }

    /// Whether persistent contacts stick or slide at a velocity, with these forces along the normals.
    pub(in crate::integrate::impact) fn settle_modes(
        &mut self,
        at: Arrival<'_>,
        forces: &[f64],
    ) -> Result<(), Cause> {
        let force = forces.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        for i in 0..self.persistent.len() {
            if self.laws[self.persistent[i].piece.gap].friction == 0.0 {
                continue;
            }
            let slip = self.persistent_slip(i, at)?;
            let s = slip.at(at.v);
            let slow = norm(&s) <= SHORT * self.h * slip.coefficient * force * slip.largest_response()
                || norm(&s) <= SLIP_NOISE * slip.terms(at.v);
            self.persistent[i].mode = if slow {
                SlipMode::Stick
            } else {
                SlipMode::Slide(s.iter().map(|x| x / norm(&s)).collect())
            };
        }
        Ok(())
    }
}
