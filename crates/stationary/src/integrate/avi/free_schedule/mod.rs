//! The schedule of arbitrary constant time steps: subdomains of elements, each with an event queue of its own, on several threads.
//!
//! Events of two elements must keep their order only if the elements share a node. A subdomain executes its own events in order. An
//! event at its border waits until the elements of other subdomains that share a node with it have no earlier event: how many events
//! they have had is known from their counts, and when they fire from their time steps. The earliest of all events can always be
//! executed, so that there is no deadlock, and every node sees its events in the order of one queue. The results depend neither on the
//! subdomains nor on the threads.
//!
//! A subdomain gets ahead of its neighbours by a small part of a time step only, whatever its size, since an element of a solid has dozens of
//! neighbours. Subdomains that fit into a cache are therefore no faster, and by default there is one for each thread. The latency of
//! memory is hidden by prefetching, since the calendar queue ([`CalendarQueue`]) knows the order of events in advance.

mod calendar_queue;
mod group;
mod partition;
mod shared_state;
mod workers;

use super::{Avi, AviError};
use crate::model::{MovingNode, Potentials};
use calendar_queue::CalendarQueue;
use partition::Partition;
use shared_state::{ElementRecord, Kernel, NO_KERNEL, SharedState};
use std::sync::atomic::{AtomicU64, Ordering};
use workers::{Extent, Subdomain};

/// The schedule of arbitrary constant time steps.
#[derive(Debug, Clone, Default)]
pub(super) struct FreeSchedule {
    /// Absent until it is needed, and after the clocks were changed from outside.
    prepared: Option<Prepared>,
}

/// The partition of the mesh, and the state in the layout in which subdomains work on it.
#[derive(Debug, Clone)]
struct Prepared {
    threads: usize,
    partition: Partition,
    subdomains: Vec<Subdomain>,
    nodes: Vec<MovingNode>,
    elements: Vec<ElementRecord>,
    /// Kernels for events of elements that share no node.
    kernels: Vec<Kernel>,
}

impl FreeSchedule {
    /// Discards the partition, since clocks or settings have changed.
    pub fn reset(&mut self) {
        self.prepared = None;
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.prepared.as_ref().map_or(0, |prepared| {
            prepared.partition.memory()
                + prepared.subdomains.iter().map(Subdomain::memory).sum::<usize>()
                + size_of::<MovingNode>() * prepared.nodes.capacity()
                + size_of::<ElementRecord>() * prepared.elements.capacity()
        })
    }
}

impl<P: Potentials> Avi<P> {
    /// Executes all events up to a time since the start.
    pub(super) fn run_free(&mut self, schedule: &mut FreeSchedule, until: f64) -> Result<(), AviError> {
        let prepared = match &mut schedule.prepared {
            Some(prepared) => {
                self.load_nodes(prepared);
                prepared
            }
            none => none.insert(self.prepare_free()),
        };
        let shared = SharedState {
            potentials: &self.potentials,
            start: self.clocks.start,
            origin: self.clocks.origin,
            event_shift: self.clocks.event_shift,
            rank: &self.clocks.rank,
            mass: &self.mass,
            inverse_mass: &self.inverse_mass,
            balance: self.work_balance.share(),
            history: self.history.share(),
            turns: &self.turns,
            elements: &prepared.elements,
            kernels: &prepared.kernels,
            nodes: shared_state::Nodes::new(&mut prepared.nodes),
        };
        let extent = Extent { until, threads: prepared.threads, widest: self.scratch.len() / 9 };
        let fault = workers::run(&mut prepared.subdomains, &prepared.partition, &shared, extent);
        self.store_nodes(prepared);
        match fault {
            None => Ok(()),
            Some((event, error)) => {
                // As with one queue, where an event is counted before it fails.
                self.clocks.events[event.element as usize] += 1;
                schedule.prepared = None;
                self.work_balance.abandon(&mut self.v, &self.inverse_mass);
                Err(error)
            }
        }
    }

    fn prepare_free(&self) -> Prepared {
        let clocks = &self.clocks;
        let count = clocks.step.len();
        let threads = self.threads.max(1);
        let size = self.subdomain_size.unwrap_or(usize::MAX).max(1);
        let number = threads.max(count.div_ceil(size));
        let partition = Partition::new(&self.potentials, &self.x, &clocks.step, number);
        let (kernels, kernel_of) = self.kernels();
        let elements = (0..count).map(|k| {
            let has_kernel = kernel_of[k] != NO_KERNEL;
            let record = if has_kernel { self.potentials.independent_record(k) } else { Default::default() };
            ElementRecord {
                step: clocks.step[k],
                events: AtomicU64::new(clocks.events[k]),
                border: partition.border[k],
                kernel: kernel_of[k],
                loaded_or_fixed: self.loaded_or_fixed[k],
                nodes: record.nodes,
                numbers: record.numbers,
            }
        });
        let elements = elements.collect();
        let mut subdomains = Vec::new();
        for (number, own) in partition.subdomains.iter().enumerate() {
            let rate = own.iter().map(|k| 1.0 / clocks.step[*k as usize]).sum();
            let events = CalendarQueue::new(own.iter().map(|k| clocks.next(*k as usize)), rate);
            subdomains.push(Subdomain::new(number, events));
        }
        let empty = MovingNode { x: [0.0; 3], v: [0.0; 3], time: 0.0, inverse_mass: 0.0 };
        let nodes = vec![empty; self.mass.len()];
        let mut prepared = Prepared { threads, partition, subdomains, nodes, elements, kernels };
        self.load_nodes(&mut prepared);
        prepared
    }

    /// The kernels, and that of each element. Elements with memory, loads or supports have none, and are executed one by one.
    fn kernels(&self) -> (Vec<Kernel>, Vec<u16>) {
        let mut kernels = Vec::new();
        let mut kernel_of = vec![NO_KERNEL; self.clocks.step.len()];
        for (range, kernel) in self.potentials.independent_kicks() {
            if kernels.len() == usize::from(NO_KERNEL) {
                break;
            }
            for k in range.filter(|k| !self.loaded_or_fixed[*k] && self.potentials.history_size(*k) == 0) {
                kernel_of[k] = kernels.len() as u16;
            }
            kernels.push(Kernel::new(kernel));
        }
        (kernels, kernel_of)
    }

    fn load_nodes(&self, prepared: &mut Prepared) {
        for (a, node) in prepared.nodes.iter_mut().enumerate() {
            node.x.copy_from_slice(&self.x[3 * a..3 * a + 3]);
            node.v.copy_from_slice(&self.v[3 * a..3 * a + 3]);
            node.time = self.node_time[a];
            node.inverse_mass = 1.0 / self.mass[a];
        }
    }

    fn store_nodes(&mut self, prepared: &Prepared) {
        for (a, node) in prepared.nodes.iter().enumerate() {
            self.x[3 * a..3 * a + 3].copy_from_slice(&node.x);
            self.v[3 * a..3 * a + 3].copy_from_slice(&node.v);
            self.node_time[a] = node.time;
        }
        for (events, element) in self.clocks.events.iter_mut().zip(&prepared.elements) {
            *events = element.events.load(Ordering::Relaxed);
        }
    }
}
