//! The loop over impacts.

use super::flight::{Clock, Flight, State};
use super::grid::{Grid, Reach};
use super::impact::{Contact, Side, strike};
use super::predict::Event;
use super::rest::{Met, PATIENCE, Resting};
use super::start::{self, StartFault};
use super::times::Bench;
use super::world::World;
use crate::archive::{Archive, Persist};
use crate::interrupt;
use crate::linalg::space::{Vec3, cross, inner, norm, plus, times};
use std::collections::BinaryHeap;
use std::fmt;

/// How a run is made.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Time of the initial state.
    pub start: f64,
    /// How far [`Collisions::advance`] goes. The motion does not depend on it.
    pub step: f64,
    /// Impacts of a pair that follow each other sooner are those of a contact that lasts.
    pub contact_time: f64,
}

/// An impact that happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Impact {
    /// When.
    pub time: f64,
    /// The body, and the other body or the wall, whose numbers follow those of the bodies.
    pub pair: [usize; 2],
    /// Where.
    pub point: Vec3,
    /// The direction in which it pushes the first body.
    pub normal: Vec3,
    /// The impulse along the normal.
    pub impulse: f64,
    /// The impulse of friction.
    pub friction: f64,
    /// Energy of the pair before and after.
    pub energy: [f64; 2],
    /// The gap at this moment.
    pub gap: f64,
}

/// Why a run cannot go on.
#[derive(Debug, Clone, PartialEq)]
pub enum Stop {
    /// More impacts and searches in a short time than can be meant.
    TooMany {
        /// The impacts.
        impacts: u64,
        /// The searches for impacts that had to be taken up again.
        searches: u64,
        /// Since when.
        since: f64,
        /// When.
        time: f64,
        /// Who met last.
        pair: [String; 2],
    },
    /// A state of a body is not a finite number any more.
    NotFinite {
        /// When.
        time: f64,
        /// The body.
        body: String,
    },
}

impl std::error::Error for Stop {}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::TooMany { impacts, searches, since, time, pair: [first, second] } => write!(
                f,
                "{impacts} impacts and {searches} searches for impacts between the times {since} and {time}, the last of `{first}` and `{second}`; a longer `contact_time` usually helps"
            ),
            Stop::NotFinite { time, body } => {
                write!(f, "the energy or the state of `{body}` is not a finite number after time {time}")
            }
        }
    }
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
    pub(super) bench: Bench,
    pub(super) near: Vec<u32>,
    /// Largest coordinate.
    pub(super) extent: f64,
    pub(super) happened: Vec<Impact>,
    pub(super) impacts: u64,
    pub(super) least_gap: f64,
    /// Impulse of the walls on all bodies, and what rounding took from it.
    pub(super) from_walls: [Vec3; 2],
    /// Since when a body is held where it rests.
    pub(super) held: Vec<Option<Clock>>,
    /// Impacts at rest of each body of late.
    pub(super) at_rest: Vec<Resting>,
    /// Energy taken by impacts and by holding, and what rounding took from the sum.
    pub(super) lost: [f64; 2],
}

/// A window is so long that bodies move or turn by this part of their size, in the mean of their rates.
const WINDOW: f64 = 0.25;
/// While something is held, a window is no longer than this many contact times.
const WATCHED: f64 = 8.0;

impl Collisions {
    /// Bodies at the start, if none overlaps another or a wall.
    pub fn new(world: World, options: Options) -> Result<Self, StartFault> {
        let least_gap = start::check(&world)?;
        let began = Clock::ZERO;
        let flight = |b: &super::world::Body| Flight {
            began,
            state: State { position: b.position, velocity: b.velocity, angle: b.angle, spin: b.spin },
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
            bench: Bench::default(),
            near: Vec::new(),
            extent: 0.0,
            happened: Vec::new(),
            impacts: 0,
            least_gap,
            from_walls: [[0.0; 3]; 2],
            held: vec![None; n],
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
    pub fn advance(&mut self, most: u64) -> Result<(), Stop> {
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
                return Err(Stop::TooMany { impacts, searches, since, time: self.time(), pair });
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
    fn check_finite(&self, bodies: impl IntoIterator<Item = usize>) -> Result<(), Stop> {
        for k in bodies {
            let swept = &self.grid.boxes[k];
            let finite = swept.low.iter().chain(&swept.high).all(|x| x.is_finite());
            if !(finite && self.flights[k].state.is_finite() && self.energy_of(k, &self.state(k)).is_finite())
            {
                return Err(Stop::NotFinite { time: self.time(), body: self.world.name(k).to_string() });
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
            let since = self.held[i].map(|since| self.clock().since(since));
            if since.is_some_and(|since| since > PATIENCE * self.contact_time) {
                self.release(i);
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
            if self.is_held(k) {
                return 0.0;
            }
            let reach = self.world.bodies[k].shape.reach();
            self.speed(k) / reach + (0.5 * norm(&self.world.gravity) / reach).sqrt()
        };
        let n = self.flights.len();
        let sum: f64 = (0..n).map(rate).sum();
        let watched = if self.resting() > 0 { WATCHED * self.contact_time } else { f64::MAX };
        // Where nothing moves, nothing will.
        (WINDOW * n as f64 / sum).min(watched)
    }

    /// The impact of a pair that touches now.
    fn meet(&mut self, i: usize, j: usize) {
        let now = self.clock();
        let (contact, gap) = self.contact(i, j, &[self.side(i), self.side(j)]);
        self.wake(i, j, &contact);
        let mut sides = [self.side(i), self.side(j)];
        self.least_gap = self.least_gap.min(gap / self.size(i, j));
        let answer = self.answer(i, j, &contact.pressing, gap);
        let approach = -inner(&contact.velocity(&sides), &contact.normal);
        let before = self.energy_of(i, &sides[0].state) + self.energy_of(j, &sides[1].state);
        let jump = contact.jump(&sides, &answer);
        let point = plus(&sides[0].state.position, 1.0, &contact.arms[0]);
        let slowed = momentum_paid(&sides, &contact, jump.left);
        strike(&mut sides, &contact, &jump);
        let after = self.energy_of(i, &sides[0].state) + self.energy_of(j, &sides[1].state);
        let walls = self.world.bodies.len();
        for (k, side) in [i, j].into_iter().zip(&sides).filter(|(k, _)| *k < walls) {
            self.flights[k] = Flight { began: now, state: side.state };
            self.counters[k] = self.counters[k].wrapping_add(1);
        }
        // What a wall gives, or a body that is held: walls carry that.
        if j >= walls || self.held[j].is_some() {
            self.book(&jump.total);
        } else if self.held[i].is_some() {
            self.book(&times(-1.0, &jump.total));
        }
        if jump.left < 1.0 {
            self.book(&slowed);
        }
        self.lose(before - after);
        self.impacts += 1;
        self.happened.push(Impact {
            time: self.time(),
            pair: [i, j],
            point,
            normal: contact.normal,
            impulse: jump.normal,
            friction: jump.friction,
            energy: [before, after],
            gap,
        });
        let both = if j < walls { &[i, j][..] } else { &[i] };
        for &k in both {
            if answer.times > 0 {
                self.hold_if_it_rests(k, approach);
            }
            let swept = self.sweep(k);
            self.grid.replace(k, swept);
        }
        self.predict(i, |_| true);
        if j < walls {
            self.predict(j, |k| k != i);
        }
    }

    pub(super) fn lose(&mut self, energy: f64) {
        let more = energy + self.lost[1];
        let new = self.lost[0] + more;
        self.lost = [new, more - (new - self.lost[0])];
    }

    /// Gravity as a body feels it: none while it is held.
    pub(super) fn gravity_of(&self, k: usize) -> Vec3 {
        if self.held[k].is_some() { [0.0; 3] } else { self.world.gravity }
    }

    /// Whether a body is held.
    pub(super) fn is_held(&self, k: usize) -> bool {
        self.held.get(k).is_some_and(Option::is_some)
    }

    /// How fast the points of a body move at most.
    pub(super) fn speed(&self, k: usize) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        let state = self.state(k);
        norm(&state.velocity) + b.shape.reach() * norm(&state.spin)
    }

    /// Adds an impulse of a wall, with compensation.
    pub(super) fn book(&mut self, impulse: &Vec3) {
        let [sum, lost] = &mut self.from_walls;
        for k in 0..3 {
            let more = impulse[k] + lost[k];
            let new = sum[k] + more;
            lost[k] = more - (new - sum[k]);
            sum[k] = new;
        }
    }

    pub(super) fn energy_of(&self, k: usize, state: &State) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        let kinetic = 0.5
            * (b.mass * inner(&state.velocity, &state.velocity)
                + b.inertia * inner(&state.spin, &state.spin));
        kinetic - b.mass * inner(&self.world.gravity, &state.position)
    }

    pub(super) fn counter(&self, k: usize) -> u32 {
        self.counters.get(k).copied().unwrap_or(0)
    }

    pub(super) fn clock(&self) -> Clock {
        self.window.after(self.offset)
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.start + self.clock().rounded()
    }

    /// Whole steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Impacts so far.
    pub fn impacts(&self) -> u64 {
        self.impacts
    }

    /// The impacts of the last call of [`advance`](Self::advance).
    pub fn happened(&self) -> &[Impact] {
        &self.happened
    }

    /// What moves.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The present state of a body.
    pub fn state(&self, i: usize) -> State {
        let Flight { began, state } = &self.flights[i];
        match self.held[i] {
            Some(_) => *state,
            None => state.after(self.clock().since(*began), &self.world.gravity),
        }
    }

    /// Kinetic and potential energy.
    pub fn energy(&self) -> [f64; 2] {
        let (mut kinetic, mut total) = (0.0, 0.0);
        for (i, b) in self.world.bodies.iter().enumerate() {
            let state = self.state(i);
            kinetic += 0.5
                * (b.mass * inner(&state.velocity, &state.velocity)
                    + b.inertia * inner(&state.spin, &state.spin));
            total -= b.mass * inner(&self.world.gravity, &state.position);
        }
        [kinetic, total]
    }

    /// Linear momentum, and the sum of the sizes of the momenta.
    pub fn momentum(&self) -> (Vec3, f64) {
        let (mut sum, mut size) = ([0.0; 3], 0.0);
        for (i, b) in self.world.bodies.iter().enumerate() {
            let velocity = self.state(i).velocity;
            sum = plus(&sum, b.mass, &velocity);
            size += b.mass * norm(&velocity);
        }
        (sum, size)
    }

    /// Angular momentum about the origin.
    pub fn angular_momentum(&self) -> Vec3 {
        let mut sum = [0.0; 3];
        for (i, b) in self.world.bodies.iter().enumerate() {
            let state = self.state(i);
            sum = plus(&sum, b.mass, &cross(&state.position, &state.velocity));
            sum = plus(&sum, b.inertia, &state.spin);
        }
        sum
    }

    /// The impulse that all walls have given since the start, also by what they carry.
    pub fn impulse_of_walls(&self) -> Vec3 {
        let mut sum = self.from_walls[0];
        for (b, since) in self.world.bodies.iter().zip(&self.held) {
            if let Some(since) = since {
                sum = plus(&sum, -b.mass * self.clock().since(*since), &self.world.gravity);
            }
        }
        sum
    }

    /// Energy that impacts have taken since the start.
    pub fn lost(&self) -> f64 {
        self.lost[0]
    }

    /// How many bodies are held where they rest.
    pub fn resting(&self) -> usize {
        self.held.iter().flatten().count()
    }

    /// Looks at all near pairs now; the least gap seen so far, here and at every impact, in sizes of the smaller of the pair.
    pub fn least_gap(&mut self) -> f64 {
        let mut near = std::mem::take(&mut self.near);
        for i in 0..self.flights.len() {
            self.grid.near(i, &mut near);
            let later = near.iter().map(|j| *j as usize).filter(|j| *j > i);
            let walls = self.flights.len()..self.flights.len() + self.world.walls.len();
            for j in later.chain(walls) {
                let gap = start::gap_between(&self.world, [i, j], |k| self.state(k), &mut Bench::default());
                self.least_gap = self.least_gap.min(gap / self.size(i, j));
            }
        }
        self.near = near;
        self.least_gap
    }
}

/// What the motion along a contact loses of its momentum where it pays for a hop: something immovable is on the other side.
fn momentum_paid(sides: &[Side; 2], contact: &Contact, left: f64) -> Vec3 {
    let Some(side) = sides.iter().find(|side| side.mobility[0] > 0.0) else { return [0.0; 3] };
    let velocity = side.state.velocity;
    let along = plus(&velocity, -inner(&velocity, &contact.normal), &contact.normal);
    times((left - 1.0) / side.mobility[0], &along)
}

/// At any time: boxes and predictions too, since those made anew would differ by rounding.
impl Persist for Collisions {
    fn pass(&mut self, archive: &mut Archive) {
        archive.fixed(&mut self.flights).fixed(&mut self.counters).fixed(&mut self.met);
        archive.pass(&mut self.steps).pass(&mut self.impacts).pass(&mut self.least_gap);
        archive.pass(&mut self.window).pass(&mut self.length).pass(&mut self.offset);
        archive.pass(&mut self.events).pass(&mut self.extent);
        archive.pass(&mut self.from_walls).fixed(&mut self.held).pass(&mut self.lost);
        archive.fixed(&mut self.at_rest).fixed(&mut self.grid.boxes);
        let mut queue = std::mem::take(&mut self.queue).into_sorted_vec();
        archive.pass(&mut queue);
        let clocks = self.flights.iter().map(|flight| &flight.began).chain(self.held.iter().flatten());
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
