//! Contacts that last: the micro-bounces of a pair, and bodies that fall asleep where they rest.

use super::engine::Collisions;
use super::flight::{Clock, Flight};
use super::start;
use crate::archive::{Archive, Persist};
use crate::contact::ContactLaw;
use crate::contact::micro_bounce::PairImpactRule;
use crate::contact::rigid::{BodyState, PairContact, Pressing};
use crate::contact::time_of_impact::OutlineSearch;
use crate::linalg::Vec3;

/// The last impact of a pair, and how many have followed each other within the contact time.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Met {
    pub with: u32,
    pub when: Clock,
    pub times: u32,
}

/// Impacts of a body with contacts that last, within a contact time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Resting {
    since: Clock,
    count: u32,
    /// The fastest approach among them.
    fastest: f64,
}

impl Resting {
    pub const NONE: Resting = Resting { since: Clock::ZERO, count: 0, fastest: 0.0 };
}

/// Impacts at rest within a contact time after which a body falls asleep.
const IMPACTS_BEFORE_SLEEP: u32 = 24;
/// So many times more of them where its micro-bounces are much shorter than the contact time: so many show whether it moves on.
const CREEP_LONGER: u32 = 10;
/// Micro-bounces are much shorter than the contact time if they are slower than this part of falling for that time.
const CREEP_SPEED: f64 = 0.0625;
/// So many times more impacts of a body whose contacts lose no energy: it goes on for longer.
const ELASTIC_LONGER: u32 = 40;
/// A body rests if it is not faster than falling for this part of the time would make it.
const QUIET: f64 = 0.03;
/// So many times the speed of its micro-bounces it may have besides: fewer than its motion can pay for.
const BOUNCES: f64 = 4.0;
/// The energy of parting is half the square of this times `m a r`, with the acceleration `a` that presses and the size `r`: less than
/// rounding leaves of an energy of that size.
const PARTING: f64 = 1e-8;
/// The speed of parting is at most this part of that of a micro-bounce of the contact time.
const PARTING_BOUNCE: f64 = 1e-6;
/// Rates below this, relative to the speeds of the pair, are rounding: an impact could find them again at once.
const RATE_ROUNDING: f64 = 1e-14;
/// Contacts may be this part of their tolerance behind touching before they are lifted.
const SUNK: f64 = 0.3;
/// Spins count to the speed of a micro-bounce with at most this part of the speed of the rims.
const RIM: f64 = 0.05;
/// An impact that is faster than a micro-bounce leaves with at least this part of its speed.
const LEAST: f64 = 0.5;
/// Of the part of the speed that comes from spins a first impact counts only this: it keeps to its restitution as soon as the micro-bounce
/// that follows is seen.
const LEAST_OF_TURNING: f64 = 0.02;
/// Contact times after which a body is woken, to see whether it still rests.
pub(super) const PATIENCE: f64 = 32.0;
/// A sleeping body is woken with a neighbour that is nearer than this part of its size.
const BESIDE: f64 = 0.01;

impl Collisions {
    /// How the present impact of a pair is answered; notes that it met.
    pub(super) fn impact_rule(
        &mut self,
        i: usize,
        j: usize,
        pressing: &Pressing,
        gap: f64,
    ) -> PairImpactRule {
        let recent = self.recent_impacts(i, j);
        let law = self.world.surface(i).against(self.world.surface(j));
        // A pair falls as one in gravity, but where a contact lasts, something carries one of them.
        let carried = if recent > 0 && j < self.world.bodies.len() { self.world.gravity.norm() } else { 0.0 };
        let span = self.contact_time;
        let falling = 0.5 * span * (pressing.by_gravity + carried);
        let turning = (0.5 * span * pressing.by_turning).min(RIM * (self.rim_speed(i) + self.rim_speed(j)));
        let speed = falling + turning;
        let least_speed =
            if recent > 0 { LEAST * speed } else { LEAST * falling + LEAST_OF_TURNING * turning };
        // A contact that presses without speed must part, or it would meet again at once and for ever.
        let pressed = pressing.by_gravity + carried + pressing.by_turning;
        let parting = PARTING * (pressed * self.size(i, j)).sqrt();
        // Very many micro-bounces would sink by the rounding of each: a contact that has sunk rises again by as much.
        let sunk = (-gap - SUNK * self.touch(i, j)).max(0.0);
        let lift = (2.0 * pressed * sunk).sqrt();
        let rounding = if recent > 0 { RATE_ROUNDING * (self.speed(i) + self.speed(j)) } else { 0.0 };
        let parting_speed = parting.min(PARTING_BOUNCE * speed).max(lift).max(rounding);
        PairImpactRule { law, recent, speed, least_speed, parting_speed }
    }

    /// How many impacts of a pair have followed each other within the contact time; notes this one.
    fn recent_impacts(&mut self, i: usize, j: usize) -> u32 {
        let now = self.clock();
        let span = self.contact_time;
        let met = &mut self.met[i];
        met.retain(|m| now.since(m.when) < span);
        if let Some(m) = met.iter_mut().find(|m| m.with == j as u32) {
            m.when = now;
            m.times = m.times.saturating_add(1);
            return m.times;
        }
        met.push(Met { with: j as u32, when: now, times: 0 });
        0
    }

    /// How fast the rim of a body turns.
    pub(super) fn rim_speed(&self, k: usize) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        b.shape.reach() * self.flights[k].state.spin.norm()
    }

    /// The speed below which a body may be at rest: twice that of falling for the contact time.
    pub(super) fn rest_speed(&self) -> f64 {
        2.0 * self.world.gravity.norm() * self.contact_time
    }

    /// Puts a slow body to sleep that has had many resting impacts of late: it stands still, and its neighbours carry it.
    pub(super) fn fall_asleep_if_at_rest(&mut self, k: usize, approach: f64) {
        let now = self.clock();
        let of_late = &mut self.at_rest[k];
        if of_late.count == 0 || now.since(of_late.since) > self.contact_time {
            *of_late = Resting { since: now, ..Resting::NONE };
        }
        of_late.count += 1;
        of_late.fastest = of_late.fastest.max(approach);
        let of_late = *of_late;
        if self.is_asleep(k) || !self.is_at_rest(k, of_late) {
            return;
        }
        let moving = self.state(k);
        let rest = BodyState { velocity: Vec3::ZERO, spin: Vec3::ZERO, ..moving };
        self.lose(self.energy_of(k, &moving) - self.energy_of(k, &rest));
        self.book(-self.world.bodies[k].mass * moving.velocity);
        self.flights[k] = Flight { began: now, state: rest };
        self.asleep_since[k] = Some(now);
    }

    /// Whether a body with these resting impacts of late is slow enough to stand still.
    fn is_at_rest(&self, k: usize, of_late: Resting) -> bool {
        let Resting { since, count, fastest } = of_late;
        let ContactLaw { restitution, friction } = self.world.bodies[k].surface;
        let lossy = restitution < 1.0 || friction > 0.0;
        let pull = self.world.gravity.norm();
        let creeps = fastest < CREEP_SPEED * pull * self.contact_time;
        let longer = match (creeps, lossy) {
            (true, _) => CREEP_LONGER,
            (false, true) => 1,
            (false, false) => ELASTIC_LONGER,
        };
        // The more often it meets others, the faster it may be: a body that is jammed cannot get away.
        let often = count / (longer * IMPACTS_BEFORE_SLEEP);
        let factor = if lossy { f64::from(often) * f64::from(often) } else { 1.0 };
        // A body that is much faster than its micro-bounces moves on along what carries it.
        let bounces = QUIET * pull * self.clock().since(since) + BOUNCES * fastest;
        let most = if creeps { bounces } else { bounces.min(self.rest_speed() * factor) };
        often > 0 && self.speed(k) <= most
    }

    /// Wakes a body: it moves again from where it stood.
    pub(super) fn wake(&mut self, k: usize) {
        let Some(since) = self.asleep_since[k].take() else { return };
        let now = self.clock();
        let carried = -self.world.bodies[k].mass * now.since(since);
        let carried = carried * self.world.gravity;
        self.book(carried);
        self.flights[k].began = now;
        self.counters[k] = self.counters[k].wrapping_add(1);
        self.at_rest[k] = Resting::NONE;
    }

    /// Wakes a sleeping body, and those beside it, where the impact would move it faster than a body at rest.
    pub(super) fn wake_if_struck(&mut self, i: usize, j: usize, contact: &PairContact) {
        let Some(k) = [i, j].into_iter().find(|k| self.is_asleep(*k)) else { return };
        let Some(other) = self.world.bodies.get(i + j - k) else { return };
        let approach = -contact.velocity(&[self.side(i), self.side(j)]).dot(contact.normal);
        let mass = self.world.bodies[k].mass;
        if !(approach * other.mass / (mass + other.mass) > self.rest_speed()) {
            return;
        }
        let mut near = Vec::new();
        self.grid.near(k, &mut near);
        near.retain(|n| self.is_asleep(*n as usize));
        self.wake(k);
        let mut woken = vec![k];
        for n in near.into_iter().map(|n| n as usize) {
            let pair = [k.min(n), k.max(n)];
            let state = |m| self.state(m);
            let gap = start::gap_between(&self.world, pair, state, &mut OutlineSearch::default());
            if gap < BESIDE * self.size(k, n) {
                self.wake(n);
                woken.push(n);
            }
        }
        for k in woken {
            let swept = self.sweep(k);
            self.grid.replace(k, swept);
            self.predict(k, |_| true);
        }
    }
}

impl Persist for Met {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.with).pass(&mut self.when).pass(&mut self.times);
    }
}

impl Persist for Resting {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.since).pass(&mut self.count).pass(&mut self.fastest);
    }
}
