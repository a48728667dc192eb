//! Asynchronous variational integrators: every element keeps its own time [VTI04 4.2-4.3], [AVI03 3].
//!
//! The discrete action (45) gives each element a clock. At `t_K^j = j dt_K` element `K` takes its nodes to that time
//! on straight lines and kicks them, `p_a -= dt_K dV_K/dx_a` (48)-(50). Nodes of other elements are not touched, so the
//! order of two events matters only if their elements share a node, and any order that respects this gives the same
//! bits. The start is half a kick of every element, which makes the whole second order.
//!
//! Equal steps make this explicit Newmark; steps of one base times powers of two need no queue. Loads act with
//! their element, constant ones with the fastest around their node; held components of nodes go where their support says, and what the support must give for it
//! is kept as its reaction.

mod accounts;
mod bearers;
mod clocks;
mod descent;
mod guarded;
mod local;
mod queue;
mod snapshot;
mod state;
mod steps;
mod sweeps;
mod ticked;
mod tiles;

pub use descent::Walk;
pub use local::LocalEnergy;
pub use queue::{Event, Queue};
pub use snapshot::{Balance, Snapshot};
pub use state::AviState;
pub use steps::{Buffer, harmonic};

use crate::model::{Field, PotentialFault, Potentials};
use accounts::Accounts;
use bearers::Bearers;
use clocks::Clocks;
use guarded::{Moment, Room, Site, no_load};
use std::fmt;
use std::sync::Arc;
use sweeps::Sweeps;
use tiles::Tiles;

/// An asynchronous integrator of a sum of potentials.
#[derive(Debug, Clone)]
pub struct Avi<P> {
    potentials: P,
    /// Positions and velocities of the nodes, each at its own time, three numbers a node.
    x: Vec<f64>,
    v: Vec<f64>,
    /// Time of each node since the start.
    clock: Vec<f64>,
    mass: Vec<f64>,
    /// One over the mass for each component; nought where a support holds it, so that kicks leave it alone.
    inverse: Vec<f64>,
    clocks: Clocks,
    schedule: Schedule,
    /// Elements with a load or a held node, whose events go the longer way.
    guarded: Vec<bool>,
    local: Option<LocalEnergy>,
    accounts: Accounts,
    /// Momenta before the first kick.
    origin: [[f64; 3]; 2],
    /// Room for the gradient and the loads of one element.
    kick: Vec<f64>,
    dead: Vec<f64>,
    following: Vec<f64>,
    /// The time reached, since the start.
    time: f64,
    threads: usize,
    /// Elements of a tile, if somebody wishes.
    tile: Option<usize>,
}

/// Most threads of a run.
pub const MOST_THREADS: usize = 255;

/// From so many elements on free steps go in tiles: with fewer one queue is nearly as fast, and needs no copy of the state.
const LEAST_TILED: usize = 1000;

#[derive(Debug, Clone)]
enum Schedule {
    Queue(Queue),
    Sweeps(Sweeps),
    Tiles(Box<Tiles>),
}

/// Where and how an asynchronous run starts: three numbers a node, one mass a node, one step an element.
#[derive(Debug, Clone, PartialEq)]
pub struct AviStart {
    /// Initial time.
    pub t: f64,
    /// Initial positions.
    pub x: Vec<f64>,
    /// Initial velocities.
    pub v: Vec<f64>,
    /// Masses of the nodes, positive.
    pub mass: Vec<f64>,
    /// Steps of the elements, positive.
    pub step: Vec<f64>,
}

/// An element that could not be evaluated: where the run stands.
#[derive(Debug, Clone, PartialEq)]
pub struct AviError {
    /// Time of the event.
    pub time: f64,
    /// What failed.
    pub fault: PotentialFault,
}

impl fmt::Display for AviError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at time {}: {}", self.time, self.fault)
    }
}

impl std::error::Error for AviError {}

/// Steps that change: a factor of the time and the place of each element.
#[derive(Debug, Clone)]
pub struct StepFactor {
    /// A positive number, at the time of the event that the step follows.
    pub factor: Arc<Field>,
    /// The place of each element.
    pub places: Vec<[f64; 3]>,
}

/// One event, as it happened.
#[derive(Debug, Clone, Copy)]
pub struct Fired<'a> {
    /// The element.
    pub element: usize,
    /// The time.
    pub time: f64,
    /// What multiplied the forces: the element's step.
    pub weight: f64,
    /// Positions of all nodes, those of the element at the time.
    pub x: &'a [f64],
}

impl<P: Potentials> Avi<P> {
    /// Starts at a state; makes the half kick of every element there.
    ///
    /// # Panics
    /// If the lengths in `start` do not fit each other or the potentials.
    pub fn new(potentials: P, start: AviStart) -> Result<Self, AviError> {
        let mut avi = Avi::at_rest(potentials, start);
        avi.begin()?;
        Ok(avi)
    }

    /// As [`new`](Self::new), with the events of every element in the middle of its steps, at `(j - 1/2) dt_K`: the
    /// midpoint rule for its part of the action, where [`new`](Self::new) has the trapezoidal one. There is no kick at the start.
    ///
    /// With steps that are a base times powers of two no two elements of unequal steps then fire together: the slower one
    /// sees its nodes half way between two kicks of the faster, at the mean of the positions that those kicks see. A vibration near
    /// the faster one's limit turns over between two kicks and has no mean, so the slower one's impulses
    /// can hardly feed it.
    pub fn with_events_in_the_middle(potentials: P, start: AviStart) -> Result<Self, AviError> {
        let mut avi = Avi::at_rest(potentials, start);
        avi.clocks.early = 0.5;
        avi.begin()?;
        Ok(avi)
    }

    /// As [`new`](Self::new), with steps that change in time.
    pub fn with_changing_steps(potentials: P, start: AviStart, steps: StepFactor) -> Result<Self, AviError> {
        let mut avi = Avi::at_rest(potentials, start);
        avi.clocks.vary(steps.factor, steps.places);
        avi.begin()?;
        Ok(avi)
    }

    fn at_rest(potentials: P, start: AviStart) -> Self {
        let (nodes, count) = (start.mass.len(), potentials.count());
        assert_eq!(
            (start.x.len(), start.v.len(), start.step.len()),
            (3 * nodes, 3 * nodes, count),
            "lengths"
        );
        let AviStart { t, mut x, mut v, mass, step } = start;
        let mut inverse: Vec<f64> = mass.iter().flat_map(|m| [1.0 / m; 3]).collect();
        let mut guarded: Vec<bool> = (0..count).map(|k| potentials.loaded(k)).collect();
        if let Some(supports) = potentials.supports() {
            supports.drive(t, &mut x, &mut v);
            (0..inverse.len()).filter(|i| supports.held(*i)).for_each(|i| inverse[i] = 0.0);
            let held = |a: &u32| (0..3).any(|i| supports.held(3 * *a as usize + i));
            (0..count).for_each(|k| guarded[k] |= potentials.nodes(k).iter().any(held));
        }
        let widest = (0..count).map(|k| potentials.nodes(k).len()).max().unwrap_or(0);
        let watched = (0..count).filter(|k| guarded[*k]).flat_map(|k| potentials.nodes(k)).copied();
        let clocks = Clocks::new(t, step, &guarded);
        let bearers = Bearers::new(&potentials, &clocks.step, &clocks.rank, &guarded);
        let accounts = Accounts::new(nodes, watched, &pressed(&potentials, &x, t), bearers);
        let mut avi = Avi {
            potentials,
            x,
            v,
            clock: vec![0.0; nodes],
            mass,
            inverse,
            clocks,
            schedule: Schedule::Queue(Queue::default()),
            guarded,
            local: None,
            accounts,
            origin: [[0.0; 3]; 2],
            kick: vec![0.0; 3 * widest],
            dead: vec![0.0; 3 * widest],
            following: vec![0.0; 3 * widest],
            time: 0.0,
            threads: 1,
            tile: None,
        };
        avi.origin = [avi.linear_momentum(), avi.angular_momentum()];
        avi
    }

    /// Half a kick of every element. All of them see the positions of the start: velocities alone change.
    fn begin(&mut self) -> Result<(), AviError> {
        if let Some(k) = self.potentials.steady().and_then(|s| s.unfit(&self.potentials)) {
            return Err(no_load(&self.potentials, k, self.clocks.start));
        }
        for k in 0..self.clocks.step.len() {
            let weight = self.clocks.first_weight(k);
            self.check_next(k)?;
            if self.guarded[k] {
                self.strike::<false>(k, 0.0, weight)?;
            } else {
                self.kick(k, 0.0, weight)?;
            }
        }
        self.clocks.count_ticks();
        if let Some(ticked) = &self.clocks.ticked {
            self.schedule =
                Schedule::Sweeps(Sweeps::new(&self.potentials, ticked, &self.clocks.rank, &self.guarded));
        } else if self.clocks.varying.is_none() && self.clocks.step.len() >= LEAST_TILED {
            self.schedule = Schedule::Tiles(Box::default());
        }
        self.refill();
        Ok(())
    }

    /// Goes on with one queue for all elements whatever the steps: slow, and the measure of the bits of every other way.
    pub fn use_plain_queue(&mut self) {
        self.clocks.count_events();
        self.schedule = Schedule::Queue(Queue::default());
        self.refill();
    }

    /// How many threads a run may use; one from the start. The bits do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, MOST_THREADS);
        if let Schedule::Sweeps(sweeps) = &mut self.schedule {
            sweeps.forget();
        }
        self.refill();
    }

    /// Threads that a run may use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Cuts free steps into tiles of about so many elements, each with an agenda of its own; without this there is one tile for
    /// each thread, which is fastest, and few elements have one queue. The bits do not depend on it.
    pub fn set_tile(&mut self, elements: usize) {
        self.tile = Some(elements.max(1));
        let free = self.clocks.varying.is_none() && self.clocks.ticked.is_none();
        if free && matches!(self.schedule, Schedule::Queue(_)) {
            self.schedule = Schedule::Tiles(Box::default());
        }
        self.refill();
    }

    /// Makes the queue anew from the clocks.
    fn refill(&mut self) {
        match &mut self.schedule {
            Schedule::Queue(queue) => {
                *queue = Queue::new((0..self.clocks.step.len()).map(|k| self.clocks.next(k)));
            }
            Schedule::Tiles(tiles) => tiles.forget(),
            Schedule::Sweeps(_) => {}
        }
    }

    /// Follows the balance of energy of every element from here on. Energies below `floor` count as none.
    pub fn follow_local_energy(&mut self, floor: f64) {
        let mut local = LocalEnergy::new(self.potentials.count(), floor, self.clocks.varying.is_some());
        pressed(&self.potentials, &self.x, self.time()).iter().for_each(|(k, _)| local.exempt(*k));
        self.local = Some(local);
        if matches!(self.schedule, Schedule::Tiles(_)) {
            self.use_plain_queue();
        }
    }

    /// The balance of energy of every element, if followed.
    pub fn local_energy(&self) -> Option<&LocalEnergy> {
        self.local.as_ref()
    }

    /// Makes all events up to a time: tick by tick where steps are harmonic, else in tiles on several threads, or in the
    /// order of one queue.
    pub fn advance(&mut self, until: f64) -> Result<(), AviError> {
        self.advance_to_elapsed(elapsed(self.clocks.start, until))
    }

    /// The same up to a time since the start. Times far from zero are far apart: what is to have the same bits whenever it starts
    /// must count from there.
    pub fn advance_to_elapsed(&mut self, until: f64) -> Result<(), AviError> {
        if self.local.is_some() || matches!(self.schedule, Schedule::Queue(_)) {
            return self.run_watched(until, |_| {});
        }
        // Taken out, so that events may borrow the rest.
        let mut schedule = std::mem::replace(&mut self.schedule, Schedule::Queue(Queue::default()));
        let result = match &mut schedule {
            Schedule::Sweeps(sweeps) => self.run_sweeps(sweeps, until),
            Schedule::Tiles(tiles) => self.run_tiles(tiles, until),
            Schedule::Queue(_) => Ok(()),
        };
        self.schedule = schedule;
        result?;
        self.time = self.time.max(until);
        Ok(())
    }

    /// As [`advance`](Self::advance), and shows every event.
    pub fn advance_watched(&mut self, until: f64, watch: impl FnMut(Fired<'_>)) -> Result<(), AviError> {
        self.run_watched(elapsed(self.clocks.start, until), watch)
    }

    fn run_watched(&mut self, until: f64, mut watch: impl FnMut(Fired<'_>)) -> Result<(), AviError> {
        if self.local.is_some() {
            self.run::<true>(until, &mut watch)?;
        } else {
            self.run::<false>(until, &mut watch)?;
        }
        self.time = self.time.max(until);
        Ok(())
    }

    fn run<const LOCAL: bool>(
        &mut self,
        until: f64,
        watch: &mut impl FnMut(Fired<'_>),
    ) -> Result<(), AviError> {
        // Taken out, so that events may borrow the rest; put back on every way out.
        let mut schedule = std::mem::replace(&mut self.schedule, Schedule::Queue(Queue::default()));
        let result = match &mut schedule {
            Schedule::Queue(queue) => self.run_queue::<LOCAL>(queue, until, watch),
            Schedule::Sweeps(sweeps) => self.run_events::<LOCAL>(sweeps, until, watch),
            Schedule::Tiles(tiles) => {
                tiles.forget();
                let mut queue = Queue::new((0..self.clocks.step.len()).map(|k| self.clocks.next(k)));
                self.run_queue::<LOCAL>(&mut queue, until, watch)
            }
        };
        self.schedule = schedule;
        result
    }

    fn run_queue<const LOCAL: bool>(
        &mut self,
        queue: &mut Queue,
        until: f64,
        watch: &mut impl FnMut(Fired<'_>),
    ) -> Result<(), AviError> {
        while let Some(event) = queue.first().filter(|e| e.time <= until) {
            let next = self.fire::<LOCAL>(event, watch)?;
            queue.replace_first(next);
        }
        Ok(())
    }

    /// One event; returns the next one of its element.
    #[inline]
    fn fire<const LOCAL: bool>(
        &mut self,
        event: Event,
        watch: &mut impl FnMut(Fired<'_>),
    ) -> Result<Event, AviError> {
        let (k, t) = (event.element as usize, event.time);
        let weight = self.clocks.count(k, t);
        if self.clocks.varying.is_some() {
            self.check_next(k)?;
        }
        if self.guarded[k] {
            // SAFETY: the accounts are borrowed for this call.
            unsafe { self.site().carry(k, t) };
        } else {
            self.carry(k, t);
        }
        if LOCAL || self.guarded[k] {
            self.strike::<LOCAL>(k, t, weight)?;
        } else {
            self.kick(k, t, weight)?;
        }
        watch(Fired { element: k, time: self.clocks.start + t, weight, x: &self.x });
        Ok(self.clocks.next(k))
    }

    /// An element whose clock does not go on would hold all others.
    fn check_next(&self, k: usize) -> Result<(), AviError> {
        let next = self.clocks.next(k).time;
        let now = self.clocks.varying.as_ref().map_or(0.0, |v| v.last[k]);
        if next > now && next < f64::INFINITY {
            return Ok(());
        }
        let why = format!("its step is {}, which does not move its clock to a later time", next - now);
        let time = self.clocks.start + now;
        Err(AviError { time, fault: PotentialFault { number: self.potentials.number(k), why } })
    }

    /// Takes the nodes of an element to a time since the start on straight lines.
    #[inline]
    fn carry(&mut self, k: usize, t: f64) {
        for &a in self.potentials.nodes(k) {
            let a = a as usize;
            let ahead = t - self.clock[a];
            for i in 3 * a..3 * a + 3 {
                self.x[i] += ahead * self.v[i];
            }
            self.clock[a] = t;
        }
    }

    /// `v_a -= (weight / m_a) dV_k/dx_a`.
    #[inline]
    fn kick(&mut self, k: usize, t: f64, weight: f64) -> Result<(), AviError> {
        let nodes = self.potentials.nodes(k);
        let kick = &mut self.kick[..3 * nodes.len()];
        let time = self.clocks.start + t;
        self.potentials.gradient(k, time, &self.x, kick).map_err(|fault| AviError { time, fault })?;
        for (&a, kick) in nodes.iter().zip(kick.chunks_exact(3)) {
            let at = 3 * a as usize;
            let (v, inverse) = (&mut self.v[at..at + 3], &self.inverse[at..at + 3]);
            for i in 0..3 {
                v[i] -= weight * inverse[i] * kick[i];
            }
        }
        if !self.accounts.bearers.is_empty() {
            // SAFETY: the accounts are borrowed for this call.
            unsafe { self.site().bear(k, weight) };
        }
        Ok(())
    }

    /// A kick with all that may come with it: loads, reactions, the element's balance of energy. The bits of the
    /// velocities are those of [`kick`](Self::kick).
    fn strike<const LOCAL: bool>(&mut self, k: usize, t: f64, weight: f64) -> Result<(), AviError> {
        let first = self.clocks.made(k) == 0;
        let (event, guarded) = (Moment { element: k, time: t, weight, first }, self.guarded[k]);
        // SAFETY: the accounts are borrowed for this call.
        let struck = unsafe { self.site().strike(event, guarded)? };
        if LOCAL && let Some(local) = &mut self.local {
            local.record(k, struck.kinetic, struck.potential, struck.inflow);
        }
        Ok(())
    }

    /// Everything that events of elements with loads and supports work on.
    fn site(&mut self) -> Site<'_, P> {
        Site {
            start: self.clocks.start,
            potentials: &self.potentials,
            x: &mut self.x,
            v: &mut self.v,
            clock: &mut self.clock,
            mass: &self.mass,
            inverse: &self.inverse,
            ledger: self.accounts.ledger(),
            room: Room { kick: &mut self.kick, dead: &mut self.dead, following: &mut self.following },
        }
    }

    /// Positions of the nodes, each at its own time.
    pub fn positions(&self) -> &[f64] {
        &self.x
    }

    /// Velocities of the nodes since their last kick.
    pub fn velocities(&self) -> &[f64] {
        &self.v
    }

    /// The potentials.
    pub fn potentials(&self) -> &P {
        &self.potentials
    }

    /// Masses of the nodes.
    pub fn mass(&self) -> &[f64] {
        &self.mass
    }

    /// Steps of the elements.
    pub fn steps(&self) -> &[f64] {
        &self.clocks.step
    }

    /// Whether all elements fire together, at the ends of equal steps: explicit Newmark.
    pub fn is_synchronous(&self) -> bool {
        let steps = &self.clocks.step;
        let equal = steps.iter().all(|h| *h == steps[0]);
        equal && self.clocks.early == 0.0 && self.clocks.varying.is_none()
    }

    /// Events of each element so far.
    pub fn events(&self) -> Vec<u64> {
        self.clocks.events()
    }

    /// Events of all elements so far.
    pub fn updates(&self) -> u64 {
        self.clocks.total()
    }

    /// Bytes of the state and of the schedule, without the potentials.
    pub fn memory(&self) -> usize {
        let numbers = [
            &self.x,
            &self.v,
            &self.clock,
            &self.mass,
            &self.inverse,
            &self.kick,
            &self.dead,
            &self.following,
        ];
        let schedule = match &self.schedule {
            Schedule::Queue(queue) => queue.memory(),
            Schedule::Sweeps(sweeps) => sweeps.memory(),
            Schedule::Tiles(tiles) => tiles.memory(),
        };
        numbers.map(|x| size_of::<f64>() * x.capacity()).iter().sum::<usize>()
            + self.accounts.memory()
            + self.clocks.memory()
            + self.guarded.capacity()
            + schedule
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.clocks.start + self.time
    }

    /// The time at the start.
    pub fn start(&self) -> f64 {
        self.clocks.start
    }

    /// The time reached since the start.
    pub fn elapsed(&self) -> f64 {
        self.time
    }

    /// What a synchronous run would need, over what this one needs: `lambda = sum(1/dt_min) / sum(1/dt_K)` [VTI04 (62)].
    pub fn ideal_speedup(&self) -> f64 {
        self.clocks.ideal_speedup()
    }
}

/// The time from `start` to `until`: of those that have this sum with `start`, if there are any, one next to the difference.
pub fn elapsed(start: f64, until: f64) -> f64 {
    let difference = until - start;
    let near = [difference, difference.next_up(), difference.next_down()];
    near.into_iter().find(|x| start + x == until).unwrap_or(difference)
}

/// The elements whose loads follow their deformation, with the numbers of their nodes.
fn pressed<P: Potentials>(potentials: &P, x: &[f64], t: f64) -> Vec<(usize, usize)> {
    let under = |k: &usize| {
        let mut dead = vec![0.0; 3 * potentials.nodes(*k).len()];
        let mut following = dead.clone();
        potentials.load(*k, t, x, &mut dead, &mut following).following
    };
    (0..potentials.count())
        .filter(|k| potentials.loaded(*k))
        .filter(under)
        .map(|k| (k, potentials.nodes(k).len()))
        .collect()
}

/// Kinetic energy of some nodes, with their whole masses [AVI03 (44)].
#[inline]
fn kinetic(nodes: &[u32], mass: &[f64], v: &[f64]) -> f64 {
    let one = |a: &u32| {
        let v = &v[3 * *a as usize..][..3];
        0.5 * mass[*a as usize] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    };
    nodes.iter().map(one).sum()
}
