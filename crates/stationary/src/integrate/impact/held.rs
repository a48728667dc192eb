//! Gaps that stay closed: when a bounce would be too short to follow, until nothing presses any more.
//!
//! A gap that is held is one more constraint of the legs, with the impulses `mu_j >= 0` at their points. What presses is found from
//! short legs that are free of the gaps, one forward and one backward: `a_k`, the second derivative of gap `k` in time. The forces that
//! keep them closed solve `a + A lambda = 0`, `A_kj = n_k . R n_j`. A gap is released where its `lambda` vanishes: the leg is cut there.
//!
//! Friction of a gap that slides is `-mu lambda s/|s|` on its slip `s`: at every point of the leg the impulse of the gap times that.
//! Where the slip vanishes the leg is cut and the slip held at zero, as a constraint `T (Q_j - q_0) + c (t_j - t_0) = 0` with `T`
//! taken in the middle of the leg, as long as the impulse that this takes is at most `mu` times that of the gap.

use super::crossing::SHORT;
use super::law::{Metric, Slip, Touch, norm};
use super::path::{Kick, Slide, Tied};
use super::ties::{Stick, Ties, Which};
use super::{CLOSED, Colliding, Departure, Impact, ImpactKind, NEAR, cone};
use crate::action::DiscreteLagrangian;
use crate::archive::{Archive, Persist};
use crate::error::Cause;
use crate::integrate::constrained::State;
use crate::integrate::constrained::project::Projection;
use crate::linalg::{Lu, dot};
use crate::model::{Bounds, Constraint, Gap};
use std::ops::Range;

/// A gap that is held closed.
#[derive(Debug, Clone)]
pub struct Hold {
    pub which: Which,
    /// The value at which the gap is held: zero, or what it was if it was held before it closed. Were it brought to zero, a short leg would
    /// gain the velocity that takes.
    pub value: f64,
    pub mode: Mode,
    /// Mean force of the last leg, not a number before there is one.
    pub force: f64,
}

impl Hold {
    /// What a leg is tied to.
    fn tie(&self) -> (Which, f64) {
        (self.which, self.value)
    }
}

/// What the contact points of a held gap do.
#[derive(Debug, Clone, PartialEq)]
pub enum Mode {
    /// There is no friction.
    Smooth,
    /// Nothing slips.
    Stick,
    /// They slip in this direction.
    Slide(Vec<f64>),
}

/// Friction of a held gap in the present leg.
#[derive(Debug, Clone)]
pub struct Grip {
    pub(super) hold: usize,
    /// Rows of the ties that keep it from slipping.
    pub(super) rows: Range<usize>,
    coefficient: f64,
    /// Impulses up to this are rounding: of velocities, and of places over the length of the leg.
    noise: [f64; 2],
}

/// What ends a leg besides an impact.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A held gap opens.
    Release(usize),
    /// The slip of a held gap vanishes.
    Stop(usize),
    /// A held gap can no longer keep from slipping, in this direction: the leg is to be made anew.
    Break(usize, Vec<f64>),
}

/// Slips below this, relative to what they are made of, are rounding.
const SLIP_NOISE: f64 = 1e-13;
/// What is left of a direction, by the energy, without its part in the span of others, if it depends on them.
const DEPENDENT: f64 = 1e-12;
/// Friction jams a contact if it leaves less than this of its own response to an impulse along the normal.
pub(super) const JAMS: f64 = 1e-3;
/// The short legs that show what presses, in steps.
const PROBE: f64 = 1e-3;

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// The second derivatives of gaps in time, for a motion that is free of all gaps, or that keeps those which are held; of pieces where
    /// they are given.
    pub(super) fn accelerations(
        &mut self,
        (t, q, p): (f64, &[f64], &[f64]),
        which: &[(usize, Option<u64>)],
        keep: bool,
    ) -> Result<Vec<f64>, Cause> {
        let n = q.len();
        let held = self.held.iter().filter(|_| keep).map(Hold::tie).collect();
        let loose = Ties::new(n, self.system.clone(), &self.gaps, (held, self.sticks.clone()));
        let loose = loose.map(|ties| Tied::new(ties, self.paths.ld.abscissae(), n));
        let ties = std::mem::replace(&mut self.paths.ties, loose);
        let kept = (self.paths.leg.clone(), self.paths.end.clone(), self.paths.times, self.paths.fell);
        let result = self.probe_both_ways((t, q, p), which);
        (self.paths.leg, self.paths.end, self.paths.times, self.paths.fell) = kept;
        self.paths.ties = ties;
        result
    }

    fn probe_both_ways(
        &mut self,
        (t, q, p): (f64, &[f64], &[f64]),
        which: &[(usize, Option<u64>)],
    ) -> Result<Vec<f64>, Cause> {
        let from = Departure { t, q: q.to_vec(), p: p.to_vec(), kick: None };
        let mut v = vec![0.0; q.len()];
        self.paths.velocity(t, q, p, &mut v)?;
        let mut room = Bounds::new(q.len(), self.gaps.count());
        let mut sum = vec![0.0; which.len()];
        let h = PROBE * self.h;
        for way in [1.0, -1.0] {
            self.paths.aim(&v, way * h);
            self.paths.fly(&from, way * h)?;
            self.paths.find_end_velocity()?;
            let (q, v) = (&self.paths.end.q, &self.paths.end.v);
            for (a, (gap, piece)) in sum.iter_mut().zip(which) {
                match piece {
                    Some(piece) => self.gaps.piece((*gap, *piece), t + way * h, q, false, &mut room),
                    None => self.gaps.first(t + way * h, q, &mut room),
                }
                *a += way * room.rate(*gap, v) / (2.0 * h);
            }
        }
        Ok(sum)
    }

    /// A held gap as a contact at a place.
    fn held_touch(&self, i: usize, metric: &Metric, t: f64, q: &[f64]) -> Touch {
        let which = self.held[i].which;
        let mut room = Bounds::new(q.len(), self.gaps.count());
        self.gaps.piece(which, t, q, false, &mut room);
        let (normal, dt) = (room.gradient(which.0).to_vec(), room.dt()[which.0]);
        let response = metric.response(&normal);
        let value = room.value()[which.0];
        Touch { which, value, normal, dt, response, rate: 0.0, rounding: 0.0 }
    }

    fn held_slip(&self, i: usize, t: f64, q: &[f64], v: &[f64]) -> Result<Slip, Cause> {
        let metric = self.metric(t, q, v)?;
        let all: Vec<Touch> = (0..self.held.len()).map(|k| self.held_touch(k, &metric, t, q)).collect();
        Ok(self.slip(&all[i], &all, &metric, (t, q)))
    }

    /// Ties the leg that leaves to what is held.
    pub(super) fn tie(&mut self, from: &Departure, left: f64) -> Result<(), Cause> {
        let n = from.q.len();
        self.sticks.clear();
        self.grips.clear();
        let mut slides = Vec::new();
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let held: Vec<(Which, f64)> = self.held.iter().map(Hold::tie).collect();
        if self.held.iter().any(|x| x.mode != Mode::Smooth) {
            let p = self.paths.leaving(from);
            let mut v = vec![0.0; n];
            self.legendre.velocity(self.paths.ld.system(), from.t, &from.q, &p, &mut v)?;
            let (t, half) = (from.t + 0.5 * left, 0.5 * left);
            let middle: Vec<f64> = from.q.iter().zip(&v).map(|(q, v)| q + half * v).collect();
            let mut basis = self.tied_directions((t, &middle, &v))?;
            for i in 0..self.held.len() {
                if self.held[i].mode == Mode::Smooth {
                    continue;
                }
                let slip = self.held_slip(i, t, &middle, &v)?;
                let coefficient = slip.coefficient;
                let noise = self.slip_noise(&slip, &from.q, &v);
                let unclear = self.unclear_slip(i, &slip, &v);
                let begin = own + held.len() + self.sticks.len();
                match &mut self.held[i].mode {
                    Mode::Smooth => {}
                    Mode::Slide(direction) => {
                        let s = slip.at(&v);
                        let size = norm(&s);
                        if size > unclear {
                            *direction = s.iter().map(|s| s / size).collect();
                        }
                        let pull: Vec<f64> = slip.force(direction).iter().map(|x| coefficient * x).collect();
                        slides.push(Slide { row: own + i, pull });
                    }
                    Mode::Stick => {
                        for (row, rest) in slip.rows.into_iter().zip(slip.rest) {
                            if basis.add(&row) {
                                let stick = Stick { row, rest, from: from.q.clone(), since: from.t };
                                self.sticks.push(stick);
                            }
                        }
                    }
                }
                let rows = begin..own + held.len() + self.sticks.len();
                self.grips.push(Grip { hold: i, rows, coefficient, noise });
            }
        }
        let ties = Ties::new(n, self.system.clone(), &self.gaps, (held, self.sticks.clone()));
        self.paths.ties = ties.map(|ties| Tied::new(ties, self.paths.ld.abscissae(), n));
        if let Some(tied) = &mut self.paths.ties {
            tied.slides = slides;
        }
        Ok(())
    }

    /// Where friction presses a sliding contact so much that no force along the normal balances it, `n . R (n - mu T' d) <= 0`, the
    /// contact jams (the paradox of Painleve): the slip stops at once.
    pub(super) fn jam(
        &mut self,
        from: &mut Departure,
        before: f64,
        impacts: &mut Vec<Impact>,
    ) -> Result<(), Cause> {
        if !self.held.iter().any(|x| matches!(x.mode, Mode::Slide(_))) {
            return Ok(());
        }
        let p = self.paths.leaving(from);
        let mut v = vec![0.0; p.len()];
        self.paths.velocity(from.t, &from.q, &p, &mut v)?;
        let metric = self.metric(from.t, &from.q, &v)?;
        let all: Vec<Touch> =
            (0..self.held.len()).map(|k| self.held_touch(k, &metric, from.t, &from.q)).collect();
        let mut jammed = None;
        for i in 0..self.held.len() {
            let Mode::Slide(direction) = &self.held[i].mode else { continue };
            let slip = self.slip(&all[i], &all, &metric, (from.t, &from.q));
            let s = slip.at(&v);
            let size = norm(&s);
            let along: Vec<f64> = match size > self.unclear_slip(i, &slip, &v) {
                true => s.iter().map(|s| s / size).collect(),
                false => direction.clone(),
            };
            let pull = metric.response(&slip.force(&along));
            let own = all[i].own();
            if own - slip.coefficient * dot(&all[i].normal, &pull) <= JAMS * own {
                self.held[i].mode = Mode::Stick;
                jammed = Some(self.held[i].which.0);
            }
        }
        let Some(gap) = jammed else { return Ok(()) };
        from.kick = None;
        from.p = p;
        let lost = self.project(from)?;
        match impacts.last_mut().filter(|x| x.energy_after.is_nan()) {
            Some(impact) => impact.prescribed += lost,
            None => {
                impacts.push(Impact { kind: ImpactKind::Rest, ..Impact::empty(from.t, gap, before, lost) })
            }
        }
        self.firm = true;
        Ok(())
    }

    /// Where several slips turn within the leg, which is the one solved last, friction acts along their mean direction: the leg is
    /// made anew with that.
    pub(super) fn turn(&mut self, from: &Departure, left: f64) -> Result<(), Cause> {
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let mut turned = false;
        for i in 0..self.held.len() {
            let Mode::Slide(direction) = &self.held[i].mode else { continue };
            if direction.len() == 1 {
                continue;
            }
            let direction = direction.clone();
            let (t, State { q, v, .. }) = (from.t + left, &self.paths.end);
            let slip = self.held_slip(i, t, q, v)?;
            let s = slip.at(v);
            let size = norm(&s);
            if !(dot(&s, &direction) > 0.0) {
                continue;
            }
            let mean: Vec<f64> = s.iter().zip(&direction).map(|(s, d)| s / size + d).collect();
            let pull = slip.force(&mean);
            let size = norm(&mean);
            let tied = self.paths.ties.as_mut().expect("a gap is held");
            if let Some(slide) = tied.slides.iter_mut().find(|x| x.row == own + i) {
                slide.pull = pull.iter().map(|x| slip.coefficient * x / size).collect();
                turned = true;
            }
        }
        if turned { self.paths.again(from, left) } else { Ok(()) }
    }

    /// The slip of a held gap below which its direction is none: rounding, or what friction stops in no time. One that begins to slip
    /// has the direction in which it broke loose.
    fn unclear_slip(&self, i: usize, slip: &Slip, v: &[f64]) -> f64 {
        let force = self.held[i].force.abs();
        let stops = if force.is_finite() { slip.coefficient * force * slip.give() * self.h } else { 0.0 };
        (10.0 * SLIP_NOISE * slip.terms(&self.speeds(v))).max(1e-9 * stops)
    }

    /// How fast coordinates move, or did not long ago.
    fn speeds(&self, v: &[f64]) -> Vec<f64> {
        v.iter().zip(&self.reach).map(|(v, r)| v.abs() + r / self.h).collect()
    }

    /// The impulse of friction that changes slips by their rounding error.
    fn slip_noise(&self, slip: &Slip, q: &[f64], v: &[f64]) -> [f64; 2] {
        let speed = self.speeds(v);
        let give = slip.give();
        if !(give > 0.0) {
            return [0.0; 2];
        }
        [SLIP_NOISE * slip.terms(&speed) / give, 4.0 * f64::EPSILON * slip.terms(q) / give]
    }

    /// The directions of the gradients of constraints and held gaps.
    fn tied_directions(&self, (t, q, v): (f64, &[f64], &[f64])) -> Result<Directions, Cause> {
        let held = self.held.iter().map(Hold::tie).collect();
        let metric = Metric::new(self.paths.ld.system(), (t, q, v), &Bounds::new(q.len(), 0))?;
        let mut directions = Directions { metric, basis: Vec::new() };
        if let Some(ties) = Ties::new(q.len(), self.system.clone(), &self.gaps, (held, Vec::new())) {
            let mut bounds = Bounds::new(q.len(), ties.count());
            ties.first(t, q, &mut bounds);
            for a in 0..ties.count() {
                directions.add(bounds.gradient(a));
            }
        }
        Ok(directions)
    }

    /// Where in the leg of length `until`, which is the one solved last, something changes at the held gaps, and what.
    pub(super) fn change(&mut self, from: &Departure, until: f64) -> Result<(f64, Option<Change>), Cause> {
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let Some(tied) = &self.paths.ties else { return Ok((until, None)) };
        let capacity = |grip: &Grip| grip.coefficient * tied.impulse(own + grip.hold).max(0.0);
        // Contacts that hold what others hold already help them.
        let sticks = |grip: &&Grip| self.held[grip.hold].mode == Mode::Stick && grip.rows.is_empty();
        let help: f64 = self.grips.iter().filter(sticks).map(capacity).sum();
        for grip in &self.grips {
            let f: Vec<f64> = grip.rows.clone().map(|row| tied.impulse(row)).collect();
            let (size, most) = (norm(&f), capacity(grip) + help);
            let [speed, place] = grip.noise;
            if size > most * (1.0 + 1e-9) + speed + place / until && !self.firm {
                let direction = f.iter().map(|f| -f / size).collect();
                return Ok((0.0, Some(Change::Break(grip.hold, direction))));
            }
        }
        let forces: Vec<f64> = (0..self.held.len()).map(|i| tied.impulse(own + i) / until).collect();
        let (mut until, mut change) = (until, None);
        for i in 0..self.held.len() {
            if let Mode::Slide(direction) = self.held[i].mode.clone() {
                let along = |x: &mut Self| -> Result<f64, Cause> {
                    let (t, State { q, v, .. }) = (x.paths.leg.t + x.paths.leg.h, &x.paths.end);
                    Ok(dot(&x.held_slip(i, t, q, v)?.at(v), &direction))
                };
                let last = along(self)?;
                if last < 0.0 {
                    let mut v = vec![0.0; from.q.len()];
                    let p = self.paths.leaving(from);
                    self.legendre.velocity(self.paths.ld.system(), from.t, &from.q, &p, &mut v)?;
                    let first = dot(&self.held_slip(i, from.t, &from.q, &v)?.at(&v), &direction).max(0.0);
                    until = self.vanishes(from, [first, last], until, along)?;
                    change = Some(Change::Stop(i));
                }
            }
        }
        // A force that falls by less than it is over a leg does not vanish before the next one.
        let certain = |(x, force): (&super::held::Hold, &f64)| *force > 0.0 && 2.0 * force - x.force > 0.0;
        if !self.firm && !self.held.iter().zip(&forces).all(certain) {
            let now = self.forces()?;
            if let Some(i) =
                (0..now.len()).filter(|&i| now[i] < 0.0).min_by(|a, b| now[*a].total_cmp(&now[*b]))
            {
                let at_start = self.forces_at((from.t, &from.q, &self.paths.leaving(from)))?[i];
                until = match at_start > 0.0 {
                    true => self.vanishes(from, [at_start, now[i]], until, |x| Ok(x.forces()?[i]))?,
                    false => 0.0,
                };
                change = Some(Change::Release(i));
            }
        }
        for (hold, force) in self.held.iter_mut().zip(forces) {
            hold.force = force;
        }
        Ok((until, change))
    }

    /// The length after which something that is positive at the start and negative at the end of a leg vanishes.
    fn vanishes(
        &mut self,
        from: &Departure,
        [mut fa, mut fb]: [f64; 2],
        until: f64,
        mut value: impl FnMut(&mut Self) -> Result<f64, Cause>,
    ) -> Result<f64, Cause> {
        let (mut a, mut b, mut side) = (0.0, until, 0);
        while b - a > 1e-12 * until {
            let mut x = (fa * b - fb * a) / (fa - fb);
            if !(x > a && x < b) {
                x = 0.5 * (a + b);
            }
            if !(x > a && x < b) {
                break;
            }
            self.paths.again(from, x)?;
            let f = value(self)?;
            if f > 0.0 {
                (a, fa) = (x, f);
                fb *= if side == 1 { 0.5 } else { 1.0 };
                side = 1;
            } else {
                (b, fb) = (x, f);
                fa *= if side == -1 { 0.5 } else { 1.0 };
                side = -1;
            }
            if f == 0.0 {
                break;
            }
        }
        self.paths.again(from, b)?;
        Ok(b)
    }

    /// The forces that keep the held gaps closed at the end of the leg.
    fn forces(&mut self) -> Result<Vec<f64>, Cause> {
        let t = self.paths.leg.t + self.paths.leg.h;
        let (q, p) = (self.paths.end.q.clone(), self.paths.end.p.clone());
        self.forces_at((t, &q, &p))
    }

    fn forces_at(&mut self, (t, q, p): (f64, &[f64], &[f64])) -> Result<Vec<f64>, Cause> {
        let m = self.held.len();
        let which: Vec<(usize, Option<u64>)> =
            self.held.iter().map(|x| (x.which.0, Some(x.which.1))).collect();
        let mut force: Vec<f64> = self.accelerations((t, q, p), &which, false)?.iter().map(|a| -a).collect();
        let mut v = vec![0.0; q.len()];
        self.legendre.velocity(self.paths.ld.system(), t, q, p, &mut v)?;
        let loose = Ties::new(q.len(), self.system.clone(), &self.gaps, (Vec::new(), self.sticks.clone()));
        let mut bounds = Bounds::new(q.len(), loose.as_ref().map_or(0, |x| x.count()));
        if let Some(ties) = &loose {
            ties.first(t, q, &mut bounds);
        }
        let metric = Metric::new(self.paths.ld.system(), (t, q, &v), &bounds)?;
        let touches: Vec<Touch> = (0..m).map(|i| self.held_touch(i, &metric, t, q)).collect();
        let mut lu = Lu::new(m);
        for j in 0..m {
            let mut response = touches[j].response.clone();
            if let Mode::Slide(direction) = &self.held[j].mode {
                let slip = self.slip(&touches[j], &touches, &metric, (t, q));
                let pull = metric.response(&slip.force(direction));
                response.iter_mut().zip(&pull).for_each(|(r, x)| *r -= slip.coefficient * x);
            }
            for i in 0..m {
                lu.matrix()[i * m + j] = dot(&touches[i].normal, &response);
            }
        }
        let diagonal: Vec<f64> = (0..m).map(|i| lu.matrix()[i * m + i]).collect();
        (0..m).for_each(|i| lu.matrix()[i * m + i] += 1e-12 * diagonal[i]);
        if !lu.factor() {
            return Err(Cause::Singular);
        }
        lu.solve(&mut force);
        for (i, force) in force.iter_mut().enumerate() {
            if force.abs() * touches[i].own() <= self.still(self.held[i].which.0, t, q) {
                *force = 0.0;
            }
        }
        Ok(force)
    }

    /// Accelerations of a gap below this are rounding: within a step they neither open nor close it by more than a few times
    /// what is rounding of the gap itself.
    pub(super) fn still(&self, gap: usize, t: f64, q: &[f64]) -> f64 {
        20.0 * CLOSED * self.size(&self.here, gap, t, q) / (self.h * self.h)
    }

    /// Holds what is closed at a departure and pressed so much that it would not open for long. The impact that brought it there, if
    /// there was one, is that of coming to rest.
    pub(super) fn hold(
        &mut self,
        from: &mut Departure,
        before: f64,
        impacts: &mut Vec<Impact>,
        gap: usize,
    ) -> Result<(), Cause> {
        let n = from.q.len();
        self.paths.begin();
        let p = self.paths.leaving(from);
        let mut v = vec![0.0; n];
        let ties = self.paths.ties.take();
        self.sticks.clear();
        let own = Ties::new(n, self.system.clone(), &self.gaps, (Vec::new(), Vec::new()));
        self.paths.ties = own.map(|ties| Tied::new(ties, self.paths.ld.abscissae(), n));
        let velocity = self.paths.velocity(from.t, &from.q, &p, &mut v);
        self.paths.ties = ties;
        velocity?;
        let (touches, _) = self.touches(from.t, &from.q, &v)?;
        let which: Vec<(usize, Option<u64>)> = touches.iter().map(|x| (x.which.0, Some(x.which.1))).collect();
        let a = self.accelerations((from.t, &from.q, &p), &which, false)?;
        let most = a.iter().fold(0.0_f64, |s, a| s.max(a.abs()));
        let slow = 0.5 * most * SHORT * self.h;
        let short = |k: usize| touches[k].which.0 == gap || touches[k].rate <= slow.max(-touches[k].rounding);
        let held = |k: usize| self.held.iter().any(|x| x.which == touches[k].which);
        let near: Vec<usize> = (0..touches.len()).filter(|&k| short(k) || held(k)).collect();
        let m = near.len();
        let gram: Vec<f64> =
            (0..m * m).map(|x| dot(&touches[near[x / m]].normal, &touches[near[x % m]].response)).collect();
        let pressing: Vec<f64> = near.iter().map(|&k| a[k]).collect();
        let lambda = cone::project(&gram, &pressing).unwrap_or_else(|_| vec![1.0; m]);
        // Those that are pressed, and those that nothing opens: of balls in a row that touch and move alike all are held.
        let opening = |x: usize| pressing[x] + (0..m).map(|y| gram[x * m + y] * lambda[y]).sum::<f64>();
        let closed = |x: usize| {
            let own = touches[near[x]].which.0;
            let held = held(near[x]);
            lambda[x] > 0.0 || own == gap || held || opening(x) <= self.still(own, from.t, &from.q)
        };
        let mut order: Vec<usize> = (0..m).filter(|&x| closed(x)).collect();
        order.sort_by(|&x, &y| lambda[y].total_cmp(&lambda[x]));
        let old = std::mem::take(&mut self.held);
        self.lean.clear();
        let mut basis = self.tied_directions((from.t, &from.q, &v))?;
        for x in order {
            let touch = &touches[near[x]];
            if !basis.add(&touch.normal) {
                self.lean.push(touch.which.0);
                continue;
            }
            let known = old.iter().find(|hold| hold.which == touch.which);
            let rough = self.laws[touch.which.0].friction > 0.0;
            let mode = known.map_or(if rough { Mode::Stick } else { Mode::Smooth }, |hold| hold.mode.clone());
            // One that is closed is held at zero; one that is open for less time than can be told, as it is.
            let rounding = NEAR * self.size(&self.here, touch.which.0, from.t, &from.q);
            let open = if touch.value > rounding { touch.value } else { 0.0 };
            let value = known.map_or(open, |hold| hold.value);
            self.held.push(Hold { which: touch.which, value, mode, force: f64::NAN });
        }
        self.settle_modes(from.t, &from.q, &v, &lambda)?;
        // What has just been released and does not open all the same is held for a leg.
        self.firm = self.freed.contains(&gap);
        let kick = from.kick.take();
        let arrived = std::mem::replace(&mut from.p, p);
        let lost = self.project(from)?;
        let waiting = impacts.last_mut().filter(|x| x.energy_after.is_nan());
        // Whether a gap that was hit opens, while others that touch stay closed.
        let held = |gap: &usize| self.held.iter().any(|x| x.which.0 == *gap) || self.lean.contains(gap);
        let opens = |x: &Impact| {
            x.kind == ImpactKind::Bounce && x.others.iter().chain([&x.gap]).any(|gap| !held(gap))
        };
        let mut rest = Impact { kind: ImpactKind::Rest, ..Impact::empty(from.t, gap, before, lost) };
        match waiting {
            Some(impact) if opens(impact) => {
                rest.energy_before = impact.energy_before + impact.prescribed;
                impacts.push(rest);
            }
            Some(impact) if impact.kind == ImpactKind::Bounce => {
                impact.kind = ImpactKind::Rest;
                impact.prescribed += lost;
            }
            // Another one comes to rest at the same time.
            Some(impact) => {
                impact.prescribed += lost;
                if impact.gap != gap && !impact.others.contains(&gap) {
                    impact.others.push(gap);
                }
            }
            None => impacts.push(rest),
        }
        // Such a blow still has its energy to meet.
        let bounced = impacts.iter().any(|x| x.energy_after.is_nan() && opens(x));
        if let Some(kick) = kick.filter(|_| bounced) {
            from.kick = Some(Kick { change: kick.change + lost, ..kick });
            from.p = arrived;
        }
        Ok(())
    }

    /// What the contact points of held gaps do at a velocity.
    pub(super) fn settle_modes(&mut self, t: f64, q: &[f64], v: &[f64], lambda: &[f64]) -> Result<(), Cause> {
        let force = lambda.iter().fold(0.0_f64, |s, x| s.max(x.abs()));
        for i in 0..self.held.len() {
            if self.laws[self.held[i].which.0].friction == 0.0 {
                continue;
            }
            let slip = self.held_slip(i, t, q, v)?;
            let s = slip.at(v);
            let slow = norm(&s) <= SHORT * self.h * slip.coefficient * force * slip.give()
                || norm(&s) <= SLIP_NOISE * slip.terms(v);
            self.held[i].mode =
                if slow { Mode::Stick } else { Mode::Slide(s.iter().map(|x| x / norm(&s)).collect()) };
        }
        Ok(())
    }

    /// Takes from a momentum what is not along the held gaps and the slips that stick; returns the change of energy.
    pub(super) fn project(&mut self, from: &mut Departure) -> Result<f64, Cause> {
        self.tie(from, 0.0)?;
        let Some(tied) = &self.paths.ties else { return Ok(0.0) };
        let (n, m) = (from.q.len(), tied.saddle.count());
        let mut bounds = Bounds::new(n, m);
        tied.saddle.constraint().first(from.t, &from.q, &mut bounds);
        let mut state = State { q: from.q.clone(), p: from.p.clone(), v: vec![0.0; n] };
        let mut old = vec![0.0; n];
        self.legendre.velocity(self.paths.ld.system(), from.t, &from.q, &from.p, &mut old)?;
        Projection::new(n, m).apply(
            self.paths.ld.system(),
            from.t,
            &bounds,
            &mut state,
            &mut vec![0.0; m],
        )?;
        let lost = (0..n).map(|i| 0.5 * (state.p[i] - from.p[i]) * (state.v[i] + old[i])).sum();
        from.p = state.p;
        Ok(lost)
    }

    /// What the legs are tied to, from what is held and sticks.
    pub(super) fn retie(&mut self) {
        let n = self.now.q.len();
        let held = self.held.iter().map(Hold::tie).collect();
        let ties = Ties::new(n, self.system.clone(), &self.gaps, (held, self.sticks.clone()));
        self.paths.ties = ties.map(|ties| Tied::new(ties, self.paths.ld.abscissae(), n));
    }

    /// Removes ties that belong to no held gap any more.
    pub(super) fn untie(&mut self) {
        self.sticks.clear();
        self.grips.clear();
        self.retie();
    }
}

/// Directions that do not depend on each other. They are compared in the metric of the kinetic energy, so that the units of
/// coordinates do not count: beside a height in metres the angle of a body of a nanometre has a slope of 1e-9.
struct Directions {
    metric: Metric,
    /// Orthonormal covectors, each with its response.
    basis: Vec<[Vec<f64>; 2]>,
}

impl Directions {
    /// Adds what a direction has besides those that are there; `false` if that is nothing.
    fn add(&mut self, direction: &[f64]) -> bool {
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

impl Default for Hold {
    fn default() -> Self {
        Hold { which: (0, 0), value: 0.0, mode: Mode::Smooth, force: f64::NAN }
    }
}

impl Persist for Hold {
    fn pass(&mut self, archive: &mut Archive) {
        let mut mode = match &self.mode {
            Mode::Smooth => (0, Vec::new()),
            Mode::Stick => (1, Vec::new()),
            Mode::Slide(direction) => (2, direction.clone()),
        };
        archive.pass(&mut self.which).pass(&mut self.value).pass(&mut mode).pass(&mut self.force);
        self.mode = match mode {
            (0usize, _) => Mode::Smooth,
            (1, _) => Mode::Stick,
            (2, direction) => Mode::Slide(direction),
            (other, _) => return archive.refuse(format!("mode {other} of a held gap")),
        };
    }
}

impl Default for Grip {
    fn default() -> Self {
        Grip { hold: 0, rows: 0..0, coefficient: 0.0, noise: [0.0; 2] }
    }
}

impl Persist for Grip {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.hold).pass(&mut self.rows.start).pass(&mut self.rows.end);
        archive.pass(&mut self.coefficient).pass(&mut self.noise);
    }
}
