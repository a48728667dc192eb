//! The loop over impacts.

use super::features::{Feature, Touch, signed_gap, touches};
use super::flight::{Clock, Flight, State};
use super::grid::{Grid, Reach};
use super::impact::{Answer, Contact, Pressing, Side, resultant, strike};
use super::predict::Event;
use super::start::{self, StartFault};
use super::times::{Against, Bench};
use super::world::{Shape, Surface, WallForm, World};
use crate::archive::{Archive, Persist};
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

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::TooMany { impacts, searches, since, time, pair: [first, second] } => write!(
                f,
                "{impacts} impacts and {searches} searches for impacts between the times {since} and {time}, the last of `{first}` and `{second}`; a longer `contact_time` usually helps"
            ),
            Stop::NotFinite { time, body } => {
                write!(f, "position or velocity of `{body}` is not a finite number after time {time}")
            }
        }
    }
}

/// Impacts of a window for each body, beyond which a run stops: searches too count here.
const MOST: u64 = 2_000;
/// The same for all bodies together.
const MOST_AT_ALL: u64 = 500_000;

/// The last impact of a pair, and how many have followed each other within the contact time.
#[derive(Debug, Clone, Copy, Default)]
struct Met {
    with: u32,
    when: Clock,
    times: u32,
}

/// Impacts of a body with contacts that last, within a contact time.
#[derive(Debug, Clone, Copy)]
struct Resting {
    since: Clock,
    count: u32,
    /// The fastest approach among them.
    fastest: f64,
}

impl Resting {
    const NONE: Resting = Resting { since: Clock::ZERO, count: 0, fastest: 0.0 };
}

/// Touches that are this near, in sizes, act at once.
const TOGETHER: f64 = 1e-9;

/// Bodies on their way.
pub struct Collisions {
    pub(super) world: World,
    start: f64,
    step: f64,
    /// Whole steps made.
    steps: u64,
    contact_time: f64,
    pub(super) flights: Vec<Flight>,
    /// Impacts of each body so far.
    pub(super) counters: Vec<u32>,
    met: Vec<Vec<Met>>,
    /// When the window began in which impacts are predicted.
    window: Clock,
    /// How long it is.
    pub(super) length: f64,
    /// How far into the window.
    pub(super) offset: f64,
    /// Impacts and searches in this window.
    events: [u64; 2],
    pub(super) grid: Grid,
    pub(super) queue: BinaryHeap<Event>,
    pub(super) bench: Bench,
    pub(super) near: Vec<u32>,
    /// Largest coordinate.
    pub(super) extent: f64,
    happened: Vec<Impact>,
    impacts: u64,
    least_gap: f64,
    /// Impulse of the walls on all bodies, and what rounding took from it.
    from_walls: [Vec3; 2],
    /// Since when a body is held where it rests.
    held: Vec<Option<Clock>>,
    /// Impacts at rest of each body of late.
    at_rest: Vec<Resting>,
    /// Energy taken by impacts and by holding, and what rounding took from the sum.
    lost: [f64; 2],
}

/// Impacts at rest within a contact time after which a body is held.
const HOLD: u32 = 24;
/// So many times more of them where its hops are much shorter than the contact time: so many show whether it moves on.
const CREEP_LONGER: u32 = 10;
/// A body rests if it is not faster than falling for this part of the time would make it.
const QUIET: f64 = 0.03;
/// So many times the speed of its hops it may have besides: fewer than its motion can pay for.
const HOPS: f64 = 4.0;
/// A window is so long that bodies move or turn by this part of their size, in the mean of their rates.
const WINDOW: f64 = 0.25;
/// While something is held, a window is no longer than this many contact times.
const WATCHED: f64 = 8.0;
/// The energy of a kick is half the square of this times `m a r`, with the acceleration `a` that presses and the size `r`: less than
/// rounding leaves of an energy of that size.
const KICK: f64 = 1e-8;
/// Contacts may be this part of their tolerance behind touching before they are lifted.
const SUNK: f64 = 0.3;
/// Spins count to the speed of a hop with at most this part of the speed of the rims.
const RIM: f64 = 0.05;
/// Contact times after which it is let go, to see whether it still rests.
const PATIENCE: f64 = 32.0;

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

    /// Goes a step on, or to the impact that makes `most` of them.
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

    /// How the present impact of a pair is answered; notes that it met.
    fn answer(&mut self, i: usize, j: usize, pressing: &Pressing, gap: f64) -> Answer {
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
    fn rim_speed(&self, k: usize) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        b.shape.reach() * norm(&self.flights[k].state.spin)
    }

    /// Where a pair touches, and the gap there.
    fn contact(&self, i: usize, j: usize, sides: &[Side; 2]) -> (Contact, f64) {
        let a = &self.world.bodies[i];
        let other = self.world.bodies.get(j);
        let wall = j.checked_sub(self.world.bodies.len()).map(|w| &self.world.walls[w].form);
        let position = sides[0].state.position;
        match (&a.shape, other.map(|b| &b.shape), wall) {
            (Shape::Round { radius }, Some(Shape::Round { radius: second }), _) => {
                let apart = plus(&position, -1.0, &sides[1].state.position);
                let length = norm(&apart);
                let normal = times(1.0 / length, &apart);
                let arms = [times(-radius, &normal), times(*second, &normal)];
                let pressing = self.pressing_of(&normal, i, j);
                (Contact { arms, normal, pressing }, length - (radius + second))
            }
            (Shape::Round { radius }, None, Some(WallForm::Plane { normal, offset })) => {
                let gap = inner(normal, &position) - offset - radius;
                let pressing = self.pressing_of(normal, i, j);
                let arms = [times(-radius, normal), [0.0; 3]];
                (Contact { arms, normal: *normal, pressing }, gap)
            }
            _ => {
                let near = TOGETHER * self.size(i, j);
                let mover = self.mover(i, sides[0].state);
                let against = match (other, wall) {
                    (Some(_), _) => Against::Mover(self.mover(j, sides[1].state)),
                    (_, Some(WallForm::Segment(ends))) => Against::Segment(ends),
                    (_, Some(WallForm::Plane { normal, offset })) => {
                        Against::HalfPlane([normal[0], normal[1]], *offset)
                    }
                    (None, None) => unreachable!("a number is that of a body or of a wall"),
                };
                let mut bench = Bench::default();
                bench.put(&mover, &against, 0.0);
                let flat = |[x, y, _]: Vec3| [x, y];
                let own = flat(self.gravity_of(i));
                let its = if other.is_some() { flat(self.gravity_of(j)) } else { [0.0; 2] };
                let (all, gap) = match against {
                    Against::HalfPlane(normal, offset) => {
                        super::features::on_plane(&bench.one, (normal, offset), near, own)
                    }
                    _ => {
                        let all = touches(&bench.one, &bench.two, near, [own, its]);
                        (all, signed_gap(&bench.one, &bench.two))
                    }
                };
                let contact = resultant(&all, sides);
                if inner(&contact.velocity(sides), &contact.normal) < 0.0 {
                    return (contact, gap);
                }
                // The cone as a whole does not approach: what does is the feature that the search has found.
                let mut nearest: Option<Feature> = None;
                bench.each(&against, |f| {
                    if f.distance <= near && nearest.is_none_or(|least| f.rate < least.rate) {
                        nearest = Some(f);
                    }
                });
                let found = nearest.map(|f| Touch {
                    point: f.point,
                    normal: f.normal,
                    pressing: f.pressing(&bench.one, &bench.two, [own, its]),
                });
                (found.map_or(contact, |touch| resultant(&[touch], sides)), gap)
            }
        }
    }

    /// What presses where round bodies meet: their spins do not.
    fn pressing_of(&self, normal: &Vec3, i: usize, j: usize) -> Pressing {
        Pressing { by_gravity: (-inner(normal, &self.drift(i, j))).max(0.0), by_turning: 0.0 }
    }

    fn side(&self, k: usize) -> Side {
        match self.world.bodies.get(k) {
            Some(_) if self.held[k].is_some() => Side { mobility: [0.0; 2], state: self.state(k) },
            Some(b) => Side { state: self.state(k), mobility: [1.0 / b.mass, 1.0 / b.inertia] },
            None => Side::wall(),
        }
    }

    fn lose(&mut self, energy: f64) {
        let more = energy + self.lost[1];
        let new = self.lost[0] + more;
        self.lost = [new, more - (new - self.lost[0])];
    }

    /// The speed below which a body may be at rest: twice that of falling for the contact time.
    fn rest_speed(&self) -> f64 {
        2.0 * norm(&self.world.gravity) * self.contact_time
    }

    /// Stops a slow body that has met others at rest many times of late: they carry it.
    fn hold_if_it_rests(&mut self, k: usize, approach: f64) {
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
    fn release(&mut self, k: usize) {
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
    fn wake(&mut self, i: usize, j: usize, contact: &Contact) {
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

    /// Gravity as a body feels it: none while it is held.
    pub(super) fn gravity_of(&self, k: usize) -> Vec3 {
        if self.held[k].is_some() { [0.0; 3] } else { self.world.gravity }
    }

    /// Whether a body is held.
    pub(super) fn is_held(&self, k: usize) -> bool {
        self.held.get(k).is_some_and(Option::is_some)
    }

    /// How fast the points of a body move at most.
    fn speed(&self, k: usize) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        let state = self.state(k);
        norm(&state.velocity) + b.shape.reach() * norm(&state.spin)
    }

    /// Adds an impulse of a wall, with compensation.
    fn book(&mut self, impulse: &Vec3) {
        let [sum, lost] = &mut self.from_walls;
        for k in 0..3 {
            let more = impulse[k] + lost[k];
            let new = sum[k] + more;
            lost[k] = more - (new - sum[k]);
            sum[k] = new;
        }
    }

    fn energy_of(&self, k: usize, state: &State) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        let kinetic = 0.5
            * (b.mass * inner(&state.velocity, &state.velocity)
                + b.inertia * inner(&state.spin, &state.spin));
        kinetic - b.mass * inner(&self.world.gravity, &state.position)
    }

    pub(super) fn counter(&self, k: usize) -> u32 {
        self.counters.get(k).copied().unwrap_or(0)
    }

    fn clock(&self) -> Clock {
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
