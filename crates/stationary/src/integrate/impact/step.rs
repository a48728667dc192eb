//! A step: one leg where nothing happens, else as many as there are events.

use super::crossing::{SHORT, Violation};
use super::persistent::{Change, SlipMode};
use super::{Colliding, Departure, MOST};
use crate::action::{DiscreteLagrangian, Leg};
use crate::contact::generalised::Arrival;
use crate::contact::{Gap, GapImpact, ImpactKind};
use crate::error::{Cause, ContactFault};
use crate::interrupt;
use crate::model::Lagrangian;

/// Legs between two looks at whether the step is to be given up.
const LOOK: usize = 16;
/// A coordinate reaches at least this part of what its velocity would take it to in a step, however often it came back to the
/// same place in between: the rounding of gaps is measured with that.
const LEAST_REACH: f64 = 0.25;

/// The part of its earlier reach that a coordinate keeps from leg to leg.
const REMEMBERED: f64 = 0.7;
/// A slip that stops so soon after the start of a leg, in steps, is not looked at again in the next one.
const AT_ONCE: f64 = 1e-9;
/// With persistent contacts a leg that has no solution is halved down to this, in steps.
const SHORTEST_PART: f64 = 1e-3;
/// With persistent contacts a leg shorter than this, in steps, is not made.
const DRIFT: f64 = 1e-7;

/// What ends a leg.
enum Event {
    /// The step is over.
    End,
    /// This gap closes.
    Impact(usize),
    /// A gap that is closed does not open: its contact persists.
    Persists(usize),
    /// Something changes at a persistent contact.
    Change(Change),
}

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    pub(super) fn one_step(&mut self) -> Result<(), Cause> {
        self.now.t = self.time();
        if !self.free() {
            return self.eventful();
        }
        if self.whole {
            self.paths.continue_from(&self.done[0]);
        } else {
            self.paths.aim(&self.guess, self.h);
        }
        self.paths.begin();
        self.paths.fly(&self.now, self.h)?;
        if !self.clear()? {
            return self.eventful();
        }
        self.impacts.clear();
        self.count_leg(true);
        match &mut self.done[..] {
            [done, ..] => std::mem::swap(done, &mut self.paths.leg),
            [] => self.done.push(self.paths.leg.clone()),
        }
        self.done.truncate(1);
        std::mem::swap(&mut self.now.q, &mut self.paths.end.q);
        std::mem::swap(&mut self.now.p, &mut self.paths.end.p);
        std::mem::swap(&mut self.here, &mut self.there);
        (self.whole, self.elastic) = (true, true);
        self.step += 1;
        Ok(())
    }

    /// Adds a leg to what is told of the step.
    #[inline]
    fn count_leg(&mut self, first: bool) {
        let (n, s) = (self.now.q.len(), self.paths.ld.pieces());
        let scale = self.h / self.paths.leg.h;
        let end = &self.paths.leg.u[(s - 1) * n..];
        // From one bounce to the next a coordinate may end where it began: what it did before still counts.
        for (r, u) in self.reach.iter_mut().zip(end) {
            let now = (scale * u).abs();
            *r = if now > REMEMBERED * *r { now } else { REMEMBERED * *r };
        }
        if first {
            self.work = (None, 0.0);
            self.multipliers.fill(0.0);
        }
        if let Some(tied) = &self.paths.ties {
            for a in 0..self.multipliers.len() {
                self.multipliers[a] += tied.impulse(a) / self.h;
            }
        }
        let (forces, ties) = self.paths.work();
        self.work.0 = forces.map(|w| w + self.work.0.unwrap_or(0.0));
        self.work.1 += ties;
    }

    /// A step in which something happens; on an error everything is as before.
    fn eventful(&mut self) -> Result<(), Cause> {
        let kept = (self.persistent.clone(), self.redundant.clone(), self.pending.clone());
        let (work, multipliers) = (self.work, self.multipliers.clone());
        let result = self.through();
        if result.is_err() {
            (self.persistent, self.redundant, self.pending) = kept;
            (self.work, self.multipliers) = (work, multipliers);
            self.untie();
            let now = self.now.clone();
            self.stand(&now);
        }
        result
    }

    fn through(&mut self) -> Result<(), Cause> {
        let mut from = self.now.clone();
        let mut impacts = std::mem::take(&mut self.pending);
        let (mut legs, mut left): (Vec<Leg>, f64) = (Vec::new(), self.h);
        let mut before = self.arrived_energy(&from)?;
        let mut guess = self.guess.clone();
        if let Some(leg) = self.done.last() {
            guess.iter_mut().zip(leg.increment(self.paths.ld.pieces())).for_each(|(g, u)| *g = u / leg.h);
        }
        (self.firm, self.elastic) = (false, true);
        self.released.clear();
        for legs_made in 0..MOST {
            if legs_made % LOOK == 0 && interrupt::requested() {
                return Err(Cause::Interrupted);
            }
            self.stand(&from);
            if from.kick.is_none() && self.touching(&from) {
                self.impact(&mut from, before, &mut impacts)?;
            }
            self.paths.begin();
            self.jam(&mut from, before, &mut impacts)?;
            if !self.persistent.is_empty() && left < DRIFT * self.h {
                self.drift(&mut from, left)?;
                return self.finish(from, legs, impacts, guess);
            }
            let length = self.leave(&from, left, &mut guess)?;
            let (until, event) = self.settled_event(&from, length)?;
            if until > 0.0 && until < DRIFT * self.h && !self.persistent.is_empty() {
                self.drift(&mut from, until)?;
                left -= until;
            } else if until > 0.0 {
                before = self.accept(&mut from, legs.is_empty(), &mut impacts);
                guess.iter_mut().zip(self.paths.mean_velocity()).for_each(|(g, v)| *g = v);
                legs.push(self.paths.leg.clone());
                left -= until;
            }
            match event {
                // A part of the step was made.
                Event::End => {}
                Event::Impact(k) => {
                    self.stand(&from);
                    if self.jumps {
                        return Err(Cause::Gap { gaps: vec![k], time: from.t, why: ContactFault::Jumps });
                    }
                    self.impact(&mut from, before, &mut impacts)?;
                }
                Event::Persists(k) => self.make_persistent(&mut from, before, &mut impacts, k)?,
                Event::Change(change) => self.apply_change(&mut from, before, &mut impacts, change, until)?,
            }
            if !(left > 0.0) {
                return self.finish(from, legs, impacts, guess);
            }
        }
        let mut gaps: Vec<usize> = impacts.iter().rev().take(100).map(|x| x.contact.gap).collect();
        gaps.sort_unstable();
        gaps.dedup();
        Err(Cause::Gap { gaps, time: from.t, why: ContactFault::Endless(MOST) })
    }

    /// Adds the impulse of an impact to the momentum as the law gives it, where no leg follows whose energy it could meet, less
    /// the part that persistent contacts take.
    fn fold(&mut self, from: &mut Departure) -> Result<(), Cause> {
        self.paths.begin();
        from.p = self.paths.leaving(from);
        from.kick = None;
        if !self.persistent.is_empty() {
            self.project(from)?;
        }
        Ok(())
    }

    /// Moves a departure on for a time in which persistent contacts allow no leg: the rounding of the places that they tie, over so short a
    /// time, would be a velocity. Place and momentum go on to first order, which leaves an error of the second.
    fn drift(&mut self, from: &mut Departure, length: f64) -> Result<(), Cause> {
        self.fold(from)?;
        let mut v = self.v0.clone();
        self.paths.velocity(from.t, &from.q, &from.p, &mut v)?;
        let mut jet = crate::model::Jet::new(v.len());
        self.paths.ld.system().first(from.t, &from.q, &v, &mut jet);
        for i in 0..v.len() {
            from.q[i] += length * v[i];
            from.p[i] += length * jet.dq()[i];
        }
        from.t += length;
        Ok(())
    }

    /// The discrete energy with which a departure at the start of a step was reached.
    fn arrived_energy(&mut self, from: &Departure) -> Result<f64, Cause> {
        let Some(leg) = self.done.last() else {
            // H = p . v - L
            let mut v = self.v0.clone();
            self.legendre.velocity(self.paths.ld.system(), from.t, &from.q, &from.p, &mut v)?;
            let mut jet = crate::model::Jet::new(v.len());
            self.paths.ld.system().first(from.t, &from.q, &v, &mut jet);
            return Ok(crate::linalg::dot(&from.p, &v) - jet.value());
        };
        self.paths.leg.clone_from(leg);
        Ok(self.paths.energy_at_end())
    }

    /// Whether a gap is closed whose contact does not persist.
    fn touching(&self, from: &Departure) -> bool {
        let closed =
            |k: usize| self.here.value()[k] <= super::CLOSED * self.size(&self.here, k, from.t, &from.q);
        (0..self.here.value().len()).any(|k| self.slack[k] == 0.0 && closed(k))
    }

    /// An impact at a departure, if gaps close there.
    fn impact(
        &mut self,
        from: &mut Departure,
        before: f64,
        impacts: &mut Vec<GapImpact>,
    ) -> Result<(), Cause> {
        if from.kick.is_some() {
            // Another gap closes before a leg was made.
            self.fold(from)?;
        }
        let before = at_hand(impacts, before);
        let Some((kick, impact)) = self.strike(from, before)? else { return Ok(()) };
        impacts.iter_mut().filter(|x| x.energy_after.is_nan()).for_each(|x| x.energy_after = before);
        let lossless = kick.within.is_some() && kick.change == 0.0 && kick.power == 0.0;
        self.elastic &= lossless && impact.contact.others.is_empty() && self.opened.len() == 1;
        from.kick = Some(kick);
        impacts.push(impact);
        self.released.clear();
        self.firm = false;
        if !self.persistent.is_empty() {
            let opened = std::mem::take(&mut self.opened);
            self.persistent.retain(|x| !opened.contains(&x.piece));
            self.redundant.retain(|k| !opened.iter().any(|piece| piece.gap == *k));
            self.opened = opened;
            self.paths.begin();
            let p = self.paths.leaving(from);
            let mut v = self.v0.clone();
            self.legendre.velocity(self.paths.ld.system(), from.t, &from.q, &p, &mut v)?;
            let forces: Vec<f64> =
                self.persistent.iter().map(|x| x.force).filter(|x| x.is_finite()).collect();
            self.settle_modes(Arrival { t: from.t, q: &from.q, v: &v }, &forces)?;
            self.untie();
        }
        Ok(())
    }

    /// Solves the leg that leaves, as long as what is left of the step, or a part of it: under persistent contacts a long leg may have no
    /// solution where shorter ones have, as of a body that turns by a radian in a step while it rolls. Returns its length.
    fn leave(&mut self, from: &Departure, left: f64, guess: &mut [f64]) -> Result<f64, Cause> {
        let mut length = left;
        loop {
            let result = self.leave_for(from, length, guess);
            let shorter = !self.persistent.is_empty() && length > SHORTEST_PART * self.h;
            match result {
                Ok(()) => return Ok(length),
                Err(Cause::Newton { .. } | Cause::Constraint { .. } | Cause::Singular) if shorter => {
                    length *= 0.5;
                    self.paths.begin();
                }
                Err(cause) => return Err(cause),
            }
        }
    }

    fn leave_for(&mut self, from: &Departure, length: f64, guess: &mut [f64]) -> Result<(), Cause> {
        if self.persistent.iter().any(|x| x.mode != SlipMode::Smooth) {
            self.tie(from, length)?;
        }
        if from.kick.is_some() {
            let p = self.paths.leaving(from);
            self.paths.velocity(from.t, &from.q, &p, guess)?;
        }
        self.paths.aim(guess, length);
        self.paths.fly(from, length)?;
        self.turn(from, length)
    }

    /// As [`event`](Self::event). Where it is found on the way that the energy of the impact which the leg leaves cannot be met, the
    /// momentum of the law is taken from then on: what had been found before belongs to another path, and is looked for anew.
    fn settled_event(&mut self, from: &Departure, left: f64) -> Result<(f64, Event), Cause> {
        let fell = self.paths.fell;
        let found = self.event(from, left);
        if self.paths.fell == fell {
            return found;
        }
        self.paths.again(from, left)?;
        self.event(from, left)
    }

    /// What ends the leg that was solved last, and after which length; the leg of that length is then the one solved last.
    fn event(&mut self, from: &Departure, left: f64) -> Result<(f64, Event), Cause> {
        let (mut until, mut event) = (left, Event::End);
        for _ in 0..2 * self.slack.len() + 8 {
            match self.violation(from, until)? {
                None => break,
                Some(Violation::Stays(k)) => return Ok((0.0, Event::Persists(k))),
                Some(Violation::Between(k, low, high)) => {
                    until = self.root(from, k, [low, high])?;
                    event = Event::Impact(k);
                    // One piece persists, another one was just hit and comes back too soon to be followed.
                    let hit = self.here.value()[k] <= -0.5 * self.slack[k];
                    if self.slack[k] > 0.0 && hit && until < SHORT * self.h {
                        return Ok((0.0, Event::Persists(k)));
                    }
                    if until == 0.0 {
                        break;
                    }
                }
            }
        }
        if !self.persistent.is_empty() && until > 0.0 {
            let (length, change) = self.change(from, until)?;
            if let Some(change) = change {
                return Ok((length, Event::Change(change)));
            }
        }
        Ok((until, event))
    }

    /// Takes the leg that was solved last: moves the departure to its end and completes the impacts it leaves. Returns the energy at
    /// its end.
    fn accept(&mut self, from: &mut Departure, first: bool, impacts: &mut [GapImpact]) -> f64 {
        if impacts.last().is_some_and(|x| x.energy_after.is_nan()) {
            // Of several at the same time each ends with the energy with which the next one begins.
            let mut energy = self.paths.energy_at_start();
            for impact in impacts.iter_mut().rev().take_while(|x| x.energy_after.is_nan()) {
                impact.energy_after = energy;
                energy = impact.energy_before;
                if impact.kind == ImpactKind::Bounce {
                    impact.impulse *= self.paths.times;
                }
            }
        }
        self.elastic &= !self.paths.fell;
        self.count_leg(first);
        for (r, v) in self.reach.iter_mut().zip(&self.v0) {
            *r = r.max(LEAST_REACH * self.h * v.abs());
        }
        from.t += self.paths.leg.h;
        from.q.copy_from_slice(&self.paths.end.q);
        from.p.copy_from_slice(&self.paths.end.p);
        from.kick = None;
        self.released.clear();
        self.firm = false;
        self.paths.energy_at_end()
    }

    fn apply_change(
        &mut self,
        from: &mut Departure,
        before: f64,
        impacts: &mut Vec<GapImpact>,
        change: Change,
        length: f64,
    ) -> Result<(), Cause> {
        match change {
            Change::Release(i) => {
                let gap = self.persistent.remove(i).piece.gap;
                self.redundant.clear();
                self.released.push(gap);
                let before = at_hand(impacts, before);
                let opened = GapImpact::without_impulse(from.t, gap, before, 0.0);
                impacts.push(GapImpact { kind: ImpactKind::Release, ..opened });
                self.untie();
            }
            Change::Stop(i) => {
                self.persistent[i].mode = SlipMode::Stick;
                self.firm = length < AT_ONCE * self.h;
                self.project(from)?;
            }
            Change::Break(i, direction) => {
                let helps = |k: usize| {
                    self.friction_rows
                        .iter()
                        .any(|friction| friction.contact == k && friction.rows.is_empty())
                };
                let alike = |k: usize| k == i || helps(k);
                for k in (0..self.persistent.len()).filter(|&k| alike(k)).collect::<Vec<_>>() {
                    if self.persistent[k].mode == SlipMode::Stick {
                        self.persistent[k].mode = SlipMode::Slide(direction.clone());
                    }
                }
            }
        }
        Ok(())
    }

    fn finish(
        &mut self,
        mut from: Departure,
        legs: Vec<Leg>,
        mut impacts: Vec<GapImpact>,
        guess: Vec<f64>,
    ) -> Result<(), Cause> {
        self.pending.extend(impacts.iter().filter(|x| x.energy_after.is_nan()).cloned());
        impacts.retain(|x| !x.energy_after.is_nan());
        self.step += 1;
        from.t = self.time();
        self.stand(&from);
        self.guess = guess;
        self.elastic &= self.persistent.is_empty();
        (self.now, self.done, self.impacts, self.whole) = (from, legs, impacts, false);
        Ok(())
    }
}

/// The energy with which a departure is reached: `before`, unless impacts happen there of which no leg tells yet.
pub(super) fn at_hand(impacts: &[GapImpact], before: f64) -> f64 {
    match impacts.last().filter(|x| x.energy_after.is_nan()) {
        Some(last) => last.energy_before + last.prescribed,
        None => before,
    }
}
