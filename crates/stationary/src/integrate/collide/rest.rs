//! Contacts that last: how their impacts are answered, and bodies that are held where they rest.

use super::engine::Collisions;
use super::flight::{Clock, Flight, State};
use super::impact::{Answer, Contact, Pressing};
use super::start;
use super::times::Bench;
use super::world::Surface;
use crate::archive::{Archive, Persist};
use crate::linalg::space::{inner, norm, times};

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

/// Impacts at rest within a contact time after which a body is held.
const HOLD: u32 = 24;
/// So many times more of them where its hops are much shorter than the contact time: so many show whether it moves on.
const CREEP_LONGER: u32 = 10;
/// A body rests if it is not faster than falling for this part of the time would make it.
const QUIET: f64 = 0.03;
/// So many times the speed of its hops it may have besides: fewer than its motion can pay for.
const HOPS: f64 = 4.0;
/// The energy of a kick is half the square of this times `m a r`, with the acceleration `a` that presses and the size `r`: less than
/// rounding leaves of an energy of that size.
const KICK: f64 = 1e-8;
/// Contacts may be this part of their tolerance behind touching before they are lifted.
const SUNK: f64 = 0.3;
/// Spins count to the speed of a hop with at most this part of the speed of the rims.
const RIM: f64 = 0.05;
/// Contact times after which it is let go, to see whether it still rests.
pub(super) const PATIENCE: f64 = 32.0;

impl Collisions {
    /// How the present impact of a pair is answered; notes that it met.
    pub(super) fn answer(&mut self, i: usize, j: usize, pressing: &Pressing, gap: f64) -> Answer {
        let now = self.clock();
        let span = self.contact_time;
        let met = &mut self.met[i];
        met.retain(|m| now.since(m.when) < span);
        let found = met.iter_mut().find(|m| m.with == j as u32);
        let times = match found {
            Some(m) => {
                (m.when, m.times) = (now, m.times.saturating_add(1));
                m.times
            }
            None => {
                met.push(Met { with: j as u32, when: now, times: 0 });
                0
            }
        };
        let Surface { restitution, friction } = self.world.surface(i).against(self.world.surface(j));
        // A pair flies as one in gravity, but where contacts last, something carries one of them.
        let carried = if times > 0 && j < self.world.bodies.len() { norm(&self.world.gravity) } else { 0.0 };
        let falling = 0.5 * span * (pressing.by_gravity + carried);
        let turning = (0.5 * span * pressing.by_turning).min(RIM * (self.rim_speed(i) + self.rim_speed(j)));
        let hop = falling + turning;
        // A first impact keeps to its restitution as soon as the hop that follows is seen.
        let floor = if times > 0 { 0.5 * hop } else { 0.5 * falling + 0.02 * turning };
        // Whatever presses without speed must part, or it would meet again at once and for ever.
        let pressed = pressing.by_gravity + carried + pressing.by_turning;
        let kick = KICK * (pressed * self.size(i, j)).sqrt();
        // Very many hops would sink by the rounding of each: what has sunk rises again by as much.
        let sunk = (-gap - SUNK * self.touch(i, j)).max(0.0);
        let lift = (2.0 * pressed * sunk).sqrt();
        // Rates that rounding could turn around would also be met again at once.
        let sharp = if times > 0 { 1e-14 * (self.speed(i) + self.speed(j)) } else { 0.0 };
        let kick = kick.min(1e-6 * hop).max(lift).max(sharp);
        Answer { restitution, friction, times, hop, floor, kick }
    }

    /// How fast the rim of a body turns.
    pub(super) fn rim_speed(&self, k: usize) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        b.shape.reach() * norm(&self.flights[k].state.spin)
    }

    /// The speed below which a body may be at rest: twice that of falling for the contact time.
    pub(super) fn rest_speed(&self) -> f64 {
        2.0 * norm(&self.world.gravity) * self.contact_time
    }

    /// Stops a slow body that has met others at rest many times of late: they carry it.
    pub(super) fn hold_if_it_rests(&mut self, k: usize, approach: f64) {
        let now = self.clock();
        let of_late = &mut self.at_rest[k];
        if of_late.count == 0 || now.since(of_late.since) > self.contact_time {
            *of_late = Resting { since: now, ..Resting::NONE };
        }
        of_late.count += 1;
        of_late.fastest = of_late.fastest.max(approach);
        let Resting { since, count, fastest } = *of_late;
        if self.held[k].is_some() {
            return;
        }
        let Surface { restitution, friction } = self.world.bodies[k].surface;
        let lossy = restitution < 1.0 || friction > 0.0;
        let pull = norm(&self.world.gravity);
        // Hops much shorter than those of the contact time.
        let creeps = fastest < 0.0625 * pull * self.contact_time;
        let enough = match (creeps, lossy) {
            (true, _) => CREEP_LONGER * HOLD,
            (false, true) => HOLD,
            // What loses nothing goes on for longer.
            (false, false) => 40 * HOLD,
        };
        // The more often it meets, the faster it may be: what is jammed cannot get away.
        let often = count / enough;
        let factor = if lossy { f64::from(often) * f64::from(often) } else { 1.0 };
        // What is much faster than its hops moves on along what carries it.
        let hops = QUIET * pull * now.since(since) + HOPS * fastest;
        let most = if creeps { hops } else { hops.min(self.rest_speed() * factor) };
        if often == 0 || !(self.speed(k) <= most) {
            return;
        }
        let moving = self.state(k);
        let rest = State { velocity: [0.0; 3], spin: [0.0; 3], ..moving };
        self.lose(self.energy_of(k, &moving) - self.energy_of(k, &rest));
        self.book(&times(-self.world.bodies[k].mass, &moving.velocity));
        self.flights[k] = Flight { began: now, state: rest };
        self.held[k] = Some(now);
    }

    /// Lets a body go that was held.
    pub(super) fn release(&mut self, k: usize) {
        let Some(since) = self.held[k].take() else { return };
        let now = self.clock();
        let carried = -self.world.bodies[k].mass * now.since(since);
        let carried = times(carried, &self.world.gravity);
        self.book(&carried);
        self.flights[k].began = now;
        self.counters[k] = self.counters[k].wrapping_add(1);
        self.at_rest[k] = Resting::NONE;
    }

    /// Lets a held body go, and those beside it, where the impact would move it faster than what rests.
    pub(super) fn wake(&mut self, i: usize, j: usize, contact: &Contact) {
        let Some(k) = [i, j].into_iter().find(|k| self.held.get(*k).is_some_and(Option::is_some)) else {
            return;
        };
        let Some(other) = self.world.bodies.get(i + j - k) else { return };
        let approach = -inner(&contact.velocity(&[self.side(i), self.side(j)]), &contact.normal);
        let mass = self.world.bodies[k].mass;
        if !(approach * other.mass / (mass + other.mass) > self.rest_speed()) {
            return;
        }
        let mut near = Vec::new();
        self.grid.near(k, &mut near);
        near.retain(|n| self.held[*n as usize].is_some());
        self.release(k);
        let mut free = vec![k];
        for n in near.into_iter().map(|n| n as usize) {
            let gap = start::gap_between(
                &self.world,
                [k.min(n), k.max(n)],
                |m| self.state(m),
                &mut Bench::default(),
            );
            if gap < 0.01 * self.size(k, n) {
                self.release(n);
                free.push(n);
            }
        }
        for k in free {
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
