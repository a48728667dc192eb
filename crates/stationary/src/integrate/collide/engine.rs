//! The loop over impacts.

use super::features::{signed_gap, touches};
use super::flight::{Clock, Flight, State};
use super::grid::{Grid, Reach};
use super::impact::{Answer, Contact, Jump, Side, resultant};
use super::predict::Event;
use super::start::{self, StartFault};
use super::times::{Against, Bench};
use super::world::{Shape, Surface, WallForm, World};
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
    /// Length of the windows in which impacts are searched for and after which the state is looked at.
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

/// More impacts in one window than can be meant.
#[derive(Debug, Clone, PartialEq)]
pub struct TooMany {
    /// The window's impacts.
    pub impacts: u64,
    /// When.
    pub time: f64,
    /// Who met last.
    pub pair: [String; 2],
}

impl fmt::Display for TooMany {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.pair;
        write!(
            f,
            "{} impacts within one step, the last at time {} between `{first}` and `{second}`",
            self.impacts, self.time
        )
    }
}

/// Impacts of a window for each body, beyond which a run stops: searches too count here.
const MOST: u64 = 2_000;

/// Events between two looks at whether the window is to be given up.
const LOOK: u64 = 64;

/// The last impact of a pair, and how many have followed each other within the contact time.
#[derive(Debug, Clone, Copy, Default)]
struct Met {
    with: u32,
    when: Clock,
    times: u32,
}

/// Touches that are this near, in sizes, act at once.
const TOGETHER: f64 = 1e-9;

/// Bodies on their way.
pub struct Collisions {
    pub(super) world: World,
    start: f64,
    pub(super) step: f64,
    contact_time: f64,
    pub(super) flights: Vec<Flight>,
    /// Impacts of each body so far.
    pub(super) counters: Vec<u32>,
    met: Vec<Vec<Met>>,
    window: u64,
    /// How far into the window.
    pub(super) offset: f64,
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
    /// Impacts at rest of each body in this window.
    at_rest: Vec<u32>,
    /// Energy taken by impacts and by holding, and what rounding took from the sum.
    lost: [f64; 2],
}

/// Impacts at rest within a window after which a body is held.
const HOLD: u32 = 24;
/// Contact times after which it is let go, to see whether it still rests.
const PATIENCE: f64 = 32.0;

impl Collisions {
    /// Bodies at the start, if none overlaps another or a wall.
    pub fn new(world: World, options: Options) -> Result<Self, StartFault> {
        let least_gap = start::check(&world)?;
        let began = Clock { window: 0, offset: 0.0 };
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
            contact_time: options.contact_time,
            counters: vec![0; n],
            met: vec![Vec::new(); n],
            window: 0,
            offset: 0.0,
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
            at_rest: vec![0; n],
            lost: [0.0; 2],
        };
        run.open();
        Ok(run)
    }

    /// Goes to the end of the window, or to the impact that makes `most` of them. Where that is [given up](crate::interrupt) it ends
    /// anywhere between: the state from before is then to be put back.
    pub fn advance(&mut self, most: u64) -> Result<(), TooMany> {
        self.happened.clear();
        let limit = 500_000 + MOST.saturating_mul(self.flights.len() as u64);
        let mut events = 0;
        while let Some(event) = self.queue.pop() {
            let [i, j] = event.pair.map(|k| k as usize);
            if event.counters != [self.counters[i], self.counter(j)] {
                continue;
            }
            if events % LOOK == 0 && interrupt::requested() {
                return Ok(());
            }
            self.offset = event.offset;
            events += 1;
            if events > limit {
                let pair = [i, j].map(|k| self.world.name(k).to_string());
                return Err(TooMany { impacts: self.happened.len() as u64, time: self.time(), pair });
            }
            if !event.impact {
                self.predict_pair(i, j);
                continue;
            }
            self.meet(i, j);
            if self.impacts >= most {
                return Ok(());
            }
        }
        self.window += 1;
        self.offset = 0.0;
        self.open();
        Ok(())
    }

    /// Begins a window: boxes, and the impacts that will be unless others come first.
    fn open(&mut self) {
        self.queue.clear();
        let n = self.flights.len();
        for i in 0..n {
            self.at_rest[i] = 0;
            let since = self.held[i].map(|since| self.clock().since(since, self.step));
            if since.is_some_and(|since| since > PATIENCE * self.contact_time) {
                self.release(i);
            }
        }
        let boxes: Vec<Reach> = (0..n).map(|i| self.sweep(i)).collect();
        let largest = |m: f64, b: &Reach| b.low.iter().chain(&b.high).fold(m, |m, x| m.max(x.abs()));
        self.extent = boxes.iter().fold(0.0, largest);
        self.grid.rebuild(boxes, self.world.dimension);
        for i in 0..n {
            self.predict(i, |j| j > i);
        }
    }

    /// The impact of a pair that touches now.
    fn meet(&mut self, i: usize, j: usize) {
        let now = self.clock();
        let (contact, gap) = self.contact(i, j, &[self.side(i), self.side(j)]);
        self.wake(i, j, &contact);
        let mut sides = [self.side(i), self.side(j)];
        self.least_gap = self.least_gap.min(gap / self.size(i, j));
        let answer = self.answer(i, j);
        let before = self.energy_of(i, &sides[0].state) + self.energy_of(j, &sides[1].state);
        let jump = contact.jump(&sides, &answer);
        let point = plus(&sides[0].state.position, 1.0, &contact.arms[0]);
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
                self.hold_if_it_rests(k);
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
    fn answer(&mut self, i: usize, j: usize) -> Answer {
        let now = self.clock();
        let (step, span) = (self.step, self.contact_time);
        let met = &mut self.met[i];
        met.retain(|m| now.since(m.when, step) < span);
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
        let surface = self.world.surface(i).against(self.world.surface(j));
        let lossy = surface.restitution < 1.0 || surface.friction > 0.0;
        // A pair flies as one in gravity, but where contacts last, something carries one of them.
        let carried = if (lossy || times >= 64) && j < self.world.bodies.len() {
            norm(&self.world.gravity)
        } else {
            0.0
        };
        let hop = 0.5 * span * (self.pull(i, j) + carried);
        let least = match (times, lossy) {
            // Whatever presses without speed must part, or it would meet again at once and for ever.
            (0, _) => 1e-6 * hop,
            (_, true) => 0.5 * hop,
            (64.., false) => hop / 100.0,
            (_, false) => 1e-6 * hop,
        };
        // A first impact with restitution keeps to its law, however slow it leaves.
        let least = if times == 0 && surface.restitution < 1.0 { 0.0 } else { least };
        // Rates that rounding could turn around would also be met again at once.
        let sharp = if times > 0 { 1e-14 * (self.speed(i) + self.speed(j)) } else { 0.0 };
        let least = least.max(sharp);
        Answer { restitution: surface.restitution, friction: surface.friction, times, hop, least }
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
                (Contact { arms, normal }, length - (radius + second))
            }
            (Shape::Round { radius }, None, Some(WallForm::Plane { normal, offset })) => {
                let gap = inner(normal, &position) - offset - radius;
                (Contact { arms: [times(-radius, normal), [0.0; 3]], normal: *normal }, gap)
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
                let (all, gap) = match against {
                    Against::HalfPlane(normal, offset) => {
                        super::features::on_plane(&bench.one, normal, offset, near)
                    }
                    _ => (touches(&bench.one, &bench.two, near), signed_gap(&bench.one, &bench.two)),
                };
                (resultant(&all, sides), gap)
            }
        }
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

    /// Stops a slow body that has met others at rest many times in this window: they carry it.
    fn hold_if_it_rests(&mut self, k: usize) {
        self.at_rest[k] += 1;
        let Surface { restitution, friction } = self.world.bodies[k].surface;
        let lossy = restitution < 1.0 || friction > 0.0;
        // The more often it meets, the faster it may be: what is jammed cannot get away. What loses nothing goes on for longer.
        let often = self.at_rest[k] / if lossy { HOLD } else { 40 * HOLD };
        let factor = if lossy { f64::from(often * often) } else { 1.0 };
        if often == 0 || self.held[k].is_some() || !(self.speed(k) <= self.rest_speed() * factor) {
            return;
        }
        let now = self.clock();
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
        let carried = -self.world.bodies[k].mass * now.since(since, self.step);
        let carried = times(carried, &self.world.gravity);
        self.book(&carried);
        self.flights[k].began = now;
        self.counters[k] = self.counters[k].wrapping_add(1);
        self.at_rest[k] = 0;
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
        Clock { window: self.window, offset: self.offset }
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.start + (self.window as f64 * self.step + self.offset)
    }

    /// Windows completed.
    pub fn windows(&self) -> u64 {
        self.window
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
            None => state.after(self.clock().since(*began, self.step), &self.world.gravity),
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
                sum = plus(&sum, -b.mass * self.clock().since(*since, self.step), &self.world.gravity);
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

/// Gives both sides their impulses.
fn strike(sides: &mut [Side; 2], contact: &Contact, jump: &Jump) {
    for ((side, arm), sign) in sides.iter_mut().zip(&contact.arms).zip([1.0, -1.0]) {
        let [by_mass, by_inertia] = side.mobility;
        side.state.velocity = plus(&side.state.velocity, sign * by_mass, &jump.total);
        side.state.spin = plus(&side.state.spin, sign * by_inertia, &cross(arm, &jump.total));
    }
}

impl Persist for Met {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.with).pass(&mut self.when).pass(&mut self.times);
    }
}

/// Between two windows: what is predicted of the next one follows from the rest.
impl Persist for Collisions {
    fn pass(&mut self, archive: &mut Archive) {
        archive.fixed(&mut self.flights).fixed(&mut self.counters).fixed(&mut self.met);
        archive.pass(&mut self.window).pass(&mut self.impacts).pass(&mut self.least_gap);
        archive.pass(&mut self.from_walls).fixed(&mut self.held).pass(&mut self.lost);
        let clocks = self.flights.iter().map(|flight| &flight.began).chain(self.held.iter().flatten());
        let mut clocks = clocks.chain(self.met.iter().flatten().map(|met| &met.when));
        let past = clocks.all(|clock| clock.window <= self.window && clock.offset.is_finite());
        archive.require(past, "a body whose past is yet to come");
        if archive.reads() && archive.sound() {
            self.offset = 0.0;
            self.happened.clear();
            self.open();
        }
    }
}
