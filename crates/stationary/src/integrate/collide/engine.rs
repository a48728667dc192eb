//! The loop over impacts.

use super::flight::{Clock, Flight};
use super::predict::Event;
use super::rest::{Met, PATIENCE, Resting};
use super::start::{self, StartFault};
use super::stop::CollisionStop;
use super::world::World;
use crate::archive::{Archive, Persist};
use crate::contact::BodyImpact;
use crate::contact::broad_phase::{Grid, Reach};
use crate::contact::rigid::BodyState;
use crate::contact::time_of_impact::OutlineSearch;
use crate::interrupt;
use crate::linalg::Vec3;
use std::collections::BinaryHeap;

/// How a run is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CollisionOptions {
    /// Time of the initial state.
    pub start: f64,
    /// How far [`Collisions::advance`] goes. The motion does not depend on it.
    pub step: f64,
    /// Impacts of a pair that follow each other sooner are those of a contact that lasts.
    pub contact_time: f64,
}

/// Impacts of a window for each body, beyond which a run stops: searches too count here.
const MOST: u64 = 2_000;
/// The same for all bodies together.
const MOST_AT_ALL: u64 = 500_000;

/// Events between two looks at whether the advance is to be given up.
const LOOK: u64 = 64;

/// Bodies on their way.
pub struct Collisions {
    pub(super) world: World,
    pub(super) start: f64,
    pub(super) step: f64,
    /// Whole steps made.
    pub(super) steps: u64,
    pub(super) contact_time: f64,
    pub(super) flights: Vec<Flight>,
    /// Impacts of each body so far.
    pub(super) counters: Vec<u32>,
    pub(super) met: Vec<Vec<Met>>,
    /// When the window began in which impacts are predicted.
    pub(super) window: Clock,
    /// How long it is.
    pub(super) length: f64,
    /// How far into the window.
    pub(super) offset: f64,
    /// Impacts and searches in this window.
    pub(super) events: [u64; 2],
    pub(super) grid: Grid,
    pub(super) queue: BinaryHeap<Event>,
    pub(super) outlines: OutlineSearch,
    pub(super) near: Vec<u32>,
    /// Largest coordinate.
    pub(super) extent: f64,
    pub(super) happened: Vec<BodyImpact>,
    pub(super) impacts: u64,
    pub(super) least_gap: f64,
    /// Impulse of the walls on all bodies, and what rounding took from it.
    pub(super) from_walls: [Vec3; 2],
    /// Since when a body is asleep, if it is.
    pub(super) asleep_since: Vec<Option<Clock>>,
    /// Impacts at rest of each body of late.
    pub(super) at_rest: Vec<Resting>,
    /// Energy taken by impacts and by bodies that fall asleep, and what rounding took from the sum.
    pub(super) lost: [f64; 2],
}

/// A window is so long that bodies move or turn by this part of their size, in the mean of their rates.
const WINDOW: f64 = 0.25;
/// While a body is asleep, a window is no longer than this many contact times.
const WATCHED: f64 = 8.0;

impl Collisions {
    /// Bodies at the start, if none overlaps another or a wall.
    pub fn new(world: World, options: CollisionOptions) -> Result<Self, StartFault> {
        let least_gap = start::check(&world)?;
        let began = Clock::ZERO;
        let flight = |b: &super::world::Body| Flight {
            began,
            state: BodyState { position: b.position, velocity: b.velocity, angle: b.angle, spin: b.spin },
        };
        let n = world.bodies.len();
        let mut run = Collisions {
            flights: world.bodies.iter().map(flight).collect(),
            world,
            start: options.start,
            step: options.step,
            steps: 0,
            contact_time: options.contact_time,
            counters: vec![0; n],
            met: vec![Vec::new(); n],
            window: began,
            length: 0.0,
            offset: 0.0,
            events: [0; 2],
            grid: Grid::default(),
            queue: BinaryHeap::new(),
            outlines: OutlineSearch::default(),
            near: Vec::new(),
            extent: 0.0,
            happened: Vec::new(),
            impacts: 0,
            least_gap,
            from_walls: [Vec3::ZERO; 2],
            asleep_since: vec![None; n],
            at_rest: vec![Resting::NONE; n],
            lost: [0.0; 2],
        };
        run.open();
        Ok(run)
    }

    /// Goes a step on, or to the impact that makes `most` of them. Where that is [given up](crate::interrupt) it ends anywhere
    /// between: the state from before is then to be put back.
    ///
    /// Impacts are predicted within windows whose lengths follow from the motion. Steps only say where to look: they cut no leg, and the
    /// same impacts happen to the same bits whatever their length.
    pub fn advance(&mut self, most: u64) -> Result<(), CollisionStop> {
        self.happened.clear();
        self.check_finite(0..self.flights.len())?;
        let target = Clock::multiple(self.steps + 1, self.step);
        let limit = MOST_AT_ALL + MOST.saturating_mul(self.flights.len() as u64);
        loop {
            let until = target.since(self.window);
            let due = |event: &Event| event.offset <= until.min(self.length);
            let Some(event) = self.queue.peek().filter(|event| due(event)).copied() else {
                if !(until > self.length) {
                    self.steps += 1;
                    self.offset = until;
                    return Ok(());
                }
                self.window = self.window.after(self.length);
                self.offset = 0.0;
                self.open();
                self.check_finite(0..self.flights.len())?;
                continue;
            };
            self.queue.pop();
            let [i, j] = event.pair.map(|k| k as usize);
            if event.counters != [self.counters[i], self.counter(j)] {
                continue;
            }
            self.offset = event.offset;
            self.events[usize::from(!event.impact)] += 1;
            let [impacts, searches] = self.events;
            if (impacts + searches).is_multiple_of(LOOK) && interrupt::requested() {
                return Ok(());
            }
            if impacts + searches > limit {
                let pair = [i, j].map(|k| self.world.name(k).to_string());
                let since = self.start + self.window.rounded();
                return Err(CollisionStop::TooMany { impacts, searches, since, time: self.time(), pair });
            }
            if !event.impact {
                self.predict_pair(i, j);
                continue;
            }
            self.meet(i, j);
            self.check_finite([i, j].into_iter().filter(|k| *k < self.flights.len()))?;
            if self.impacts >= most {
                return Ok(());
            }
        }
    }

    /// Refuses bodies whose states, or boxes until the end of the window, are not finite numbers: nothing could be predicted of them.
    fn check_finite(&self, bodies: impl IntoIterator<Item = usize>) -> Result<(), CollisionStop> {
        for k in bodies {
            let swept = &self.grid.boxes[k];
            let finite = swept.low.iter().chain(&swept.high).all(|x| x.is_finite());
            if !(finite && self.flights[k].state.is_finite() && self.energy_of(k, &self.state(k)).is_finite())
            {
                return Err(CollisionStop::NotFinite {
                    time: self.time(),
                    body: self.world.name(k).to_string(),
                });
            }
        }
        Ok(())
    }

    /// Begins a window: boxes, and the impacts that will be unless others come first.
    fn open(&mut self) {
        self.queue.clear();
        self.events = [0; 2];
        let n = self.flights.len();
        for i in 0..n {
            let since = self.asleep_since[i].map(|since| self.clock().since(since));
            if since.is_some_and(|since| since > PATIENCE * self.contact_time) {
                self.wake(i);
            }
        }
        self.length = self.window_length();
        let boxes: Vec<Reach> = (0..n).map(|i| self.sweep(i)).collect();
        let largest = |m: f64, b: &Reach| b.low.iter().chain(&b.high).fold(m, |m, x| m.max(x.abs()));
        self.extent = boxes.iter().fold(0.0, largest);
        self.grid.rebuild(boxes, self.world.dimension);
        for i in 0..n {
            self.predict(i, |j| j > i);
        }
    }

    /// How long the window that begins now is to be: bodies move by a part of their size in it. The rates with which they do so are averaged: a single
    /// fast body among many then passes about as many of them in a window as there are bodies to be looked at when it begins.
    fn window_length(&self) -> f64 {
        let rate = |k: usize| {
            if self.is_asleep(k) {
                return 0.0;
            }
            let reach = self.world.bodies[k].shape.reach();
            self.speed(k) / reach + (0.5 * self.world.gravity.norm() / reach).sqrt()
        };
        let n = self.flights.len();
        let sum: f64 = (0..n).map(rate).sum();
        let watched = if self.resting() > 0 { WATCHED * self.contact_time } else { f64::MAX };
        // Where nothing moves, nothing will.
        (WINDOW * n as f64 / sum).min(watched)
    }
}

/// At any time: boxes and predictions too, since those made anew would differ by rounding.
impl Persist for Collisions {
    fn pass(&mut self, archive: &mut Archive) {
        archive.fixed(&mut self.flights).fixed(&mut self.counters).fixed(&mut self.met);
        archive.pass(&mut self.steps).pass(&mut self.impacts).pass(&mut self.least_gap);
        archive.pass(&mut self.window).pass(&mut self.length).pass(&mut self.offset);
        archive.pass(&mut self.events).pass(&mut self.extent);
        archive.pass(&mut self.from_walls).fixed(&mut self.asleep_since).pass(&mut self.lost);
        archive.fixed(&mut self.at_rest).fixed(&mut self.grid.boxes);
        let mut queue = std::mem::take(&mut self.queue).into_sorted_vec();
        archive.pass(&mut queue);
        let clocks =
            self.flights.iter().map(|flight| &flight.began).chain(self.asleep_since.iter().flatten());
        let mut clocks = clocks.chain(self.met.iter().flatten().map(|met| &met.when));
        let now = self.clock();
        let past = now.is_finite() && clocks.all(|clock| clock.since(now) <= 0.0);
        archive.require(past, "a body whose past is yet to come");
        let all = self.flights.len() + self.world.walls.len();
        let known = |event: &Event| {
            let [i, j] = event.pair.map(|k| k as usize);
            i < self.flights.len() && i < j && j < all && event.offset.is_finite()
        };
        archive.require(queue.iter().all(known), "an impact of a body that is not there");
        if archive.reads() && archive.sound() {
            self.happened.clear();
            let boxes = std::mem::take(&mut self.grid.boxes);
            self.grid.rebuild(boxes, self.world.dimension);
        }
        self.queue = queue.into();
    }
}
