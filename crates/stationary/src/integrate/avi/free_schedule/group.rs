//! The next events of elements that share no node, executed together by a kernel with an element in each lane.
//!
//! Two events commute if their elements share no node. A group is a beginning of the queue, in which no two elements share a node, and no
//! event lies after the next event of an element before it. Executing it at once therefore changes no bit.

use super::super::Event;
use super::partition::INSIDE;
use super::shared_state::{NO_KERNEL, SharedState, ThreadScratch};
use super::workers::{FreeWorkers, Subdomain};
use crate::model::{IndependentEvent, MOST_LANES, Potentials};
use std::sync::atomic::Ordering;

/// How many events ahead nodes are prefetched. Records are prefetched when their slot of time begins.
const PREFETCH_NODES: usize = 16;

/// What became of the next events.
pub(super) enum Together {
    /// So many were executed, the last one at this time.
    Executed(u32, f64),
    /// None was; so many are to be executed one by one.
    Alone(u32),
}

/// Which nodes belong to the elements of the current group.
#[derive(Debug, Default)]
pub(super) struct Marks {
    group: u32,
    /// The last group of each node.
    of_node: Vec<u32>,
}

impl Marks {
    pub fn new(nodes: usize) -> Self {
        Marks { group: 0, of_node: vec![0; nodes] }
    }

    /// Begins a group.
    #[inline(always)]
    fn begin(&mut self) {
        self.group = self.group.wrapping_add(1);
        if self.group == 0 {
            self.of_node.fill(0);
            self.group = 1;
        }
    }

    /// Adds the nodes of an element to the group; false, and nothing is added, if one of them is in it.
    #[inline(always)]
    fn add(&mut self, nodes: &[u32]) -> bool {
        if nodes.iter().any(|a| self.of_node[*a as usize] == self.group) {
            return false;
        }
        nodes.iter().for_each(|a| self.of_node[*a as usize] = self.group);
        true
    }
}

impl Subdomain {
    /// Executes the longest group of next events that is possible now.
    pub(super) fn execute_group<P: Potentials>(
        &mut self,
        workers: &FreeWorkers<'_, P>,
        scratch: &mut ThreadScratch,
    ) -> Together {
        let shared = workers.shared;
        let events = self.events.next_events();
        let Some(first) = events.first().map(|event| &shared.elements[event.element as usize]) else {
            return Together::Alone(1);
        };
        if first.kernel == NO_KERNEL {
            return Together::Alone(1);
        }
        let kernel = &shared.kernels[usize::from(first.kernel)];
        let nothing =
            IndependentEvent { nodes: &first.nodes, numbers: &first.numbers, time: 0.0, weight: 0.0 };
        let mut group = [nothing; MOST_LANES];
        let mut next = [events[0]; MOST_LANES];
        let mut count = 0;
        let mut earliest_next = f64::INFINITY;
        let marks = &mut scratch.marks;
        marks.begin();
        for event in events.iter().take(kernel.lanes) {
            let element = &shared.elements[event.element as usize];
            if !(event.time <= workers.until && event.time < earliest_next) || element.kernel != first.kernel
            {
                break;
            }
            if element.border != INSIDE && self.must_wait(*event, element.border, workers).is_some() {
                break;
            }
            if !marks.add(&element.nodes[..kernel.nodes]) {
                break;
            }
            if let Some(ahead) = events.get(count + PREFETCH_NODES) {
                shared.prefetch_nodes(&shared.elements[ahead.element as usize].nodes[..kernel.nodes]);
            }
            let done = element.events.load(Ordering::Relaxed) + 1;
            let time = shared.time(done, element.step);
            earliest_next = earliest_next.min(time);
            (group[count].nodes, group[count].numbers) = (&element.nodes, &element.numbers);
            (group[count].time, group[count].weight) = (event.time, element.step);
            next[count] = Event { time, ..*event };
            count += 1;
        }
        // The first event may have to wait, which is found out once more; an element that may have no value is evaluated alone.
        // SAFETY: the elements share no node. Nodes inside the subdomain are used by this thread only; at the border the elements of other
        // subdomains that share them have later events, and wait.
        if count == 0 || !unsafe { kernel.kicks.kick(&group[..count], shared.all_nodes()) } {
            return Together::Alone(count.max(1) as u32);
        }
        finish(shared, &group[..count], &next[..count], kernel.nodes);
        let last = events[count - 1].time;
        self.events.replace_next(&next[..count]);
        Together::Executed(count as u32, last)
    }
}

/// Applies constant nodal forces, and counts the events.
#[inline(always)]
fn finish<P: Potentials>(
    shared: &SharedState<'_, P>,
    group: &[IndependentEvent<'_>],
    next: &[Event],
    nodes: usize,
) {
    for (event, next) in group.iter().zip(next) {
        let k = next.element as usize;
        if shared.balance.nodal_loads.any() {
            // SAFETY: as for the kick.
            unsafe { shared.apply_nodal_loads(k, &event.nodes[..nodes], event.weight) };
        }
        let count = &shared.elements[k].events;
        count.store(count.load(Ordering::Relaxed) + 1, Ordering::Release);
    }
}
