//! Asynchronous variational integrators (AVI): local time stepping in which every element has its own time step
//! [VTI04 4.2-4.3], [AVI03 3].
//!
//! The discrete action [VTI04 (45)] assigns to element `K` the times `t_K^j = j dt_K`. An *event* of element `K` moves the nodes
//! of `K` to the time of the event on straight lines (drift) and then applies the impulses of its nodal forces (kick),
//!
//! ```text
//! x_a += (t_K^j - t_a) v_a,    p_a -= dt_K dV_K/dx_a    for the nodes a of K    [VTI04 (48)-(50)]
//! ```
//!
//! where `dV_K/dx_a` is minus the nodal force. An event touches no node of other elements. The order of two events therefore
//! matters only if their elements share a node, and every order that respects this gives bit-identical results. Each element starts
//! with half a kick, which makes the method second-order accurate.
//!
//! With equal time steps the method is explicit Newmark (central differences). Three schedulers execute the same events:
//!
//! - [`Queue`]: one priority queue of the next event of every element;
//! - `harmonic_schedule`: time steps that are a base step times powers of two need no queue, since whole levels fire together;
//! - `free_schedule`: arbitrary constant time steps, with one event queue for each subdomain of the mesh.
//!
//! Loads that change in time or follow the deformation act at the events of their element, after the kicks of the elements that fire together with it.
//! Constant nodal forces act at the events of the element with the smallest time step around the node. Components prescribed by a support (Dirichlet boundary conditions)
//! follow the prescribed motion, and the impulse that this requires is summed as the reaction of the support.
//!
//! Mass-proportional damping acts while nodes move: between events their velocities decay exactly. Stiffness damping is a law with memory.
//!
//! Elements with memory are updated and committed at their events ([`crate::model::Past`]).
//!
//! Where levels of harmonic time steps share nodes the method is first-order accurate; [`Boundary::Envelope`] makes it second-order accurate. The
//! harmonic schedule and the queue execute it with the same bits. Arbitrary time steps have no such levels and stay first-order accurate there.

mod advance;
mod certificate;
mod clocks;
mod decay;
mod descent;
mod envelope;
mod external;
mod free_schedule;
mod harmonic_clock;
mod harmonic_schedule;
mod history;
mod level_cleanup;
mod level_table;
mod levels;
mod local_energy;
mod nodal_loads;
mod queue;
mod rescale;
mod snapshot;
mod start;
mod state;
mod steps;
mod turns;
mod work_balance;

pub use advance::{FiredEvent, elapsed};
pub use certificate::{Certificate, Certifier, LevelPair, MarchLength, SmallMotions};
pub use descent::DescentStatistics;
pub use envelope::Boundary;
pub use level_table::{LevelRow, LevelTable, levels, touching_faster};
pub use local_energy::LocalEnergy;
pub use queue::{Event, Queue};
pub use snapshot::{MomentumBalance, Snapshot};
pub use start::{AviStart, StepFactor};
pub use state::AviState;
pub use steps::{Buffer, halvings_for, harmonic};

use crate::model::{Past, PotentialFault, Potentials};
use clocks::Clocks;
use envelope::Envelope;
use free_schedule::FreeSchedule;
use harmonic_schedule::HarmonicSchedule;
use history::History;
use start::with_follower_loads;
use std::fmt;
use turns::Turns;
use work_balance::WorkBalance;

/// An asynchronous variational integrator of a sum of potentials.
#[derive(Debug, Clone)]
pub struct Avi<P> {
    potentials: P,
    /// Positions of the nodes, each at its own time, three numbers a node.
    x: Vec<f64>,
    /// Velocities of the nodes, three numbers a node.
    v: Vec<f64>,
    /// Time of each node since the start.
    node_time: Vec<f64>,
    /// Lumped mass of each node.
    mass: Vec<f64>,
    /// One over the mass for each component; zero where the component is prescribed, so that kicks do not change it.
    inverse_mass: Vec<f64>,
    clocks: Clocks,
    schedule: Schedule,
    /// Elements with a node on which a load of an element, a support or mass-proportional damping acts.
    loaded_or_fixed: Vec<bool>,
    /// At which events of the elements around a node loads and supports act on it.
    turns: Turns,
    /// Whether slower levels are to act with their envelope.
    boundary: Boundary,
    /// The boundaries between levels, where the slower one acts with its envelope.
    envelope: Option<Envelope>,
    local: Option<LocalEnergy>,
    work_balance: WorkBalance,
    history: History,
    /// Linear and angular momentum before the first kick.
    initial_momenta: [[f64; 3]; 2],
    /// Scratch space for the gradient, the dead loads and the follower loads of one element.
    scratch: Vec<f64>,
    /// The time reached, since the start.
    time: f64,
    threads: usize,
    /// Number of elements in a subdomain, if the caller has chosen one.
    subdomain_size: Option<usize>,
}

/// Most threads of a run.
pub const MOST_THREADS: usize = 255;

/// Number of elements from which arbitrary time steps are partitioned into subdomains. With fewer elements one queue is nearly as
/// fast, and it needs no copy of the state.
const LEAST_PARTITIONED: usize = 1000;

/// The scheduler in use.
#[derive(Debug, Clone)]
enum Schedule {
    Queue(Queue),
    Harmonic(HarmonicSchedule),
    Free(Box<FreeSchedule>),
}

/// An element that could not be evaluated, with the time of its event.
#[derive(Debug, Clone, PartialEq)]
pub struct AviError {
    /// Time of the event.
    pub time: f64,
    /// The element and the reason.
    pub fault: PotentialFault,
}

impl fmt::Display for AviError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at time {}: {}", self.time, self.fault)
    }
}

impl std::error::Error for AviError {}

impl<P: Potentials> Avi<P> {
    /// Continues with one priority queue for all elements, whatever the time steps. This is slow, and the reference with which the
    /// results of the other schedulers are compared bit by bit.
    pub fn use_priority_queue(&mut self) {
        self.clocks.count_events();
        self.schedule = Schedule::Queue(Queue::default());
        self.refill();
    }

    /// Sets the number of threads that a run may use; initially one. The results do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads = threads.clamp(1, MOST_THREADS);
        if let Schedule::Harmonic(schedule) = &mut self.schedule {
            schedule.reset();
        }
        self.refill();
    }

    /// Number of threads that a run may use.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Partitions arbitrary time steps into subdomains of about so many elements, each with an event queue of its own. By
    /// default there is one subdomain for each thread, which is fastest, and small meshes have one queue. The results do not
    /// depend on it.
    pub fn set_subdomain_size(&mut self, elements: usize) {
        self.subdomain_size = Some(elements.max(1));
        let free = self.clocks.varying.is_none() && self.clocks.harmonic.is_none() && self.envelope.is_none();
        if free && matches!(self.schedule, Schedule::Queue(_)) {
            self.schedule = Schedule::Free(Box::default());
        }
        self.refill();
    }

    /// Builds the queue again from the clocks.
    fn refill(&mut self) {
        match &mut self.schedule {
            Schedule::Queue(queue) => {
                *queue = Queue::new((0..self.clocks.step.len()).map(|k| self.clocks.next(k)));
            }
            Schedule::Free(schedule) => schedule.reset(),
            Schedule::Harmonic(_) => {}
        }
    }

    /// Records the local energy balance of every element from here on. Elements with less energy than `floor` have no relative
    /// residual.
    pub fn follow_local_energy(&mut self, floor: f64) {
        let mut local = LocalEnergy::new(self.potentials.count(), floor, self.clocks.varying.is_some());
        with_follower_loads(&self.potentials, &self.x, self.time())
            .iter()
            .for_each(|(k, _)| local.exempt(*k));
        if let Some(rates) = self.potentials.mass_damping() {
            let damped = |k: &usize| self.potentials.nodes(*k).iter().any(|a| rates[*a as usize] > 0.0);
            (0..self.potentials.count()).filter(damped).for_each(|k| local.exempt(k));
        }
        self.local = Some(local);
        if matches!(self.schedule, Schedule::Free(_)) {
            self.use_priority_queue();
        }
    }

    /// The local energy balance of every element, if it is recorded.
    pub fn local_energy(&self) -> Option<&LocalEnergy> {
        self.local.as_ref()
    }

    /// The history of an element at its last commit, as seen from the time reached; `None` without memory.
    pub fn past(&self, k: usize) -> Option<Past<'_>> {
        self.history.past(k, self.clocks.event_count(k), self.time)
    }

    /// Whether elements have memory.
    pub fn has_history(&self) -> bool {
        !self.history.is_empty()
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

    /// Time steps of the elements.
    pub fn steps(&self) -> &[f64] {
        &self.clocks.step
    }

    /// Whether all elements fire together at the ends of equal time steps: explicit Newmark.
    pub fn is_synchronous(&self) -> bool {
        let steps = &self.clocks.step;
        let equal = steps.iter().all(|h| *h == steps[0]);
        equal && self.clocks.event_shift == 0.0 && self.clocks.varying.is_none()
    }

    /// Number of events of each element so far.
    pub fn events(&self) -> Vec<u64> {
        self.clocks.all_events()
    }

    /// Number of events of all elements so far.
    pub fn updates(&self) -> u64 {
        self.clocks.total()
    }

    /// Memory of the state and of the schedule in bytes, without the potentials.
    pub fn memory(&self) -> usize {
        let numbers = [&self.x, &self.v, &self.node_time, &self.mass, &self.inverse_mass, &self.scratch];
        let schedule = match &self.schedule {
            Schedule::Queue(queue) => queue.memory(),
            Schedule::Harmonic(schedule) => schedule.memory(),
            Schedule::Free(schedule) => schedule.memory(),
        };
        numbers.map(|x| size_of::<f64>() * x.capacity()).iter().sum::<usize>()
            + self.work_balance.memory()
            + self.history.memory()
            + self.clocks.memory()
            + self.loaded_or_fixed.capacity()
            + self.turns.memory()
            + self.envelope.as_ref().map_or(0, Envelope::memory)
            + schedule
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.clocks.start + self.time
    }

    /// The initial time.
    pub fn start(&self) -> f64 {
        self.clocks.start
    }

    /// The time reached since the start.
    pub fn elapsed(&self) -> f64 {
        self.time
    }

    /// The number of updates of a synchronous run at the smallest time step over that of this run,
    /// `lambda = sum(1/dt_min) / sum(1/dt_K)` [VTI04 (62)].
    pub fn ideal_speedup(&self) -> f64 {
        self.clocks.ideal_speedup()
    }
}
