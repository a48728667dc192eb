//! Loads, supports and mass-proportional damping in asynchronous runs: what acts on a body from outside.
//!
//! Elements kick with their internal forces alone, whatever acts on them. Loads and supports follow for the elements that fire together, which
//! are those of a level of harmonic time steps, and otherwise one element. At each node, in this order:
//!
//! 1. before the first of these elements kicks, a prescribed component has its velocity set to zero, so that kicks leave `-J/m`, where `J` is
//!    the impulse that the support must add;
//! 2. after the last of these elements, the impulses of their loads, summed in their order, kick the node;
//! 3. `J` is booked as the reaction of the support, with its moment and its work, and the component gets its prescribed velocity back.
//!
//! This order is one of each node, whichever scheduler executes the events, so that all have the same bits.

use super::AviError;
use super::decay::Decay;
use super::harmonic_schedule::level_part::{ElementFailure, SharedArrays, Thread};
use super::turns::Turn;
use crate::linalg::cross;
use crate::model::{DeadLoad, FieldValues, FlatPressure, NO_LOAD, PotentialFault, Potentials, Supports};
use std::sync::Arc;

/// The elements and nodes on which loads and supports act, of elements that fire together, as far as one thread owns the nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Externals {
    /// Nodes with a prescribed motion or damping.
    moving: Vec<u32>,
    /// Nodes with a prescribed component, moving or at rest.
    held: Vec<u32>,
    /// Nodes that are held in all components, at rest.
    resting: Vec<u32>,
    /// Pressures on flat triangles, in the order of their elements.
    flat: Vec<FlatPressure>,
    /// Elements with other loads but dead ones, in order.
    loaded: Vec<LoadedElement>,
    /// Dead loads that change in time, summed for each node.
    dead: Vec<DeadLoad>,
    /// The nodes with loads.
    pushed: Vec<u32>,
}

/// An element with loads that are asked of it, and how many pressures on flat triangles come before it.
#[derive(Debug, Clone, Copy)]
struct LoadedElement {
    element: u32,
    after: u32,
}

/// The time of an event, the time by which it multiplies forces, and whether it is the first of its element.
#[derive(Debug, Clone, Copy)]
pub(super) struct LoadTime {
    pub t: f64,
    pub weight: f64,
    pub first: bool,
}

impl Externals {
    /// Of the elements of a list, at the nodes that are `own`.
    pub fn new<P: Potentials>(potentials: &P, list: &[u32], own: &dyn Fn(u32) -> bool) -> Self {
        let nodes_of = |list: &[u32], own: &dyn Fn(u32) -> bool| {
            let all = list.iter().flat_map(|k| potentials.nodes(*k as usize));
            let mut nodes: Vec<u32> = all.copied().filter(|a| own(*a)).collect();
            nodes.sort_unstable();
            nodes.dedup();
            nodes.shrink_to_fit();
            nodes
        };
        let (mut flat, mut loaded) = (Vec::new(), Vec::new());
        for k in list {
            flat.extend_from_slice(potentials.flat_pressures(*k as usize));
            if potentials.has_other_loads(*k as usize) {
                loaded.push(LoadedElement { element: *k, after: flat.len() as u32 });
            }
        }
        flat.shrink_to_fit();
        loaded.shrink_to_fit();
        let dead = dead_loads(potentials, list, own);
        let others: Vec<u32> = loaded.iter().map(|l| l.element).collect();
        let mut pushed = nodes_of(&others, own);
        pushed.extend(flat.iter().flat_map(|load| load.nodes).filter(|a| own(*a)));
        pushed.extend(dead.iter().map(|load| load.node));
        pushed.sort_unstable();
        pushed.dedup();
        pushed.shrink_to_fit();
        let supports = potentials.supports();
        let rests = |a: u32| supports.is_some_and(|s| rests(s, a));
        let held = nodes_of(list, &|a| own(a) && supports.is_some_and(|s| s.holds_node(a)) && !rests(a));
        let resting = nodes_of(list, &|a| own(a) && rests(a));
        let moving = nodes_of(list, &|a| own(a) && moves(potentials, a));
        Externals { moving, held, resting, flat, loaded, dead, pushed }
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        let lists = [&self.moving, &self.held, &self.resting, &self.pushed];
        let lists: usize = lists.map(|list| size_of::<u32>() * list.capacity()).iter().sum();
        lists
            + size_of::<DeadLoad>() * self.dead.capacity()
            + size_of::<FlatPressure>() * self.flat.capacity()
            + size_of::<LoadedElement>() * self.loaded.capacity()
    }

    /// Moves the nodes with prescribed motions or damping to a time since the start.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a drift.
    pub unsafe fn drift<P: Potentials>(&self, arrays: &SharedArrays<'_, P>, t: f64) {
        if self.moving.is_empty() {
            return;
        }
        let mut fields = FieldValues::new(arrays.start + t);
        for a in &self.moving {
            // SAFETY: guaranteed by this function's contract.
            unsafe { arrays.drift_moving(*a, &mut fields, t) };
        }
    }

    /// Before the first kick.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a kick by this thread.
    pub unsafe fn open<P: Potentials>(&self, arrays: &SharedArrays<'_, P>) {
        for a in &self.moving {
            // SAFETY: guaranteed by this function's contract.
            unsafe { arrays.open_node(*a) };
        }
    }

    /// After the last kick: applies the loads, and books the reactions.
    ///
    /// # Safety
    /// As for [`open`](Self::open).
    pub unsafe fn close<P: Potentials>(
        &self,
        arrays: &SharedArrays<'_, P>,
        time: LoadTime,
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            let mut fields = FieldValues::new(arrays.start + time.t);
            let mut done = 0;
            for LoadedElement { element, after } in &self.loaded {
                let flat = &self.flat[std::mem::replace(&mut done, *after as usize)..*after as usize];
                arrays.gather_flat(flat, time, thread.number)?;
                arrays.gather_loads(*element, time, &mut fields, thread)?;
            }
            arrays.gather_flat(&self.flat[done..], time, thread.number)?;
            arrays.gather_dead(&self.dead, time)?;
            self.pushed.iter().for_each(|a| arrays.push_node(*a));
            self.held.iter().for_each(|a| arrays.release_node(*a));
            self.resting.iter().for_each(|a| arrays.release_resting_node(*a));
        }
        Ok(())
    }

    /// Instead of [`close`](Self::close), where an element could not be evaluated.
    ///
    /// # Safety
    /// As for [`open`](Self::open).
    pub unsafe fn abandon<P: Potentials>(&self, arrays: &SharedArrays<'_, P>) {
        for a in self.held.iter().chain(&self.resting).chain(&self.pushed) {
            // SAFETY: guaranteed by this function's contract.
            unsafe { arrays.abandon_node(*a) };
        }
    }
}

/// Whether a node does not move on straight lines between events: it has a prescribed motion, or damping.
fn moves<P: Potentials>(potentials: &P, a: u32) -> bool {
    potentials.mass_damping().is_some_and(|rates| rates[a as usize] > 0.0)
        || potentials.supports().is_some_and(|s| s.moves_node(a))
}

/// Whether a node is held in all components, at rest: what its support takes has no work, and the moment of its sum.
pub(super) fn rests(supports: &Supports, a: u32) -> bool {
    !supports.moves_node(a) && (0..3).all(|i| supports.is_fixed(3 * a as usize + i))
}

/// The positions of the corners of a flat triangle summed, and the force of a pressure on each of them, at the time of the fields.
#[inline]
pub(super) fn push_of_triangle<'l>(
    load: &'l FlatPressure,
    fields: &mut FieldValues<'l>,
    x: &[f64],
) -> [[f64; 3]; 2] {
    let pressure = fields.at(&load.pressure, &[0.0; 3]).0[0];
    let corners = load.nodes.map(|a| {
        let at = 3 * a as usize;
        [x[at], x[at + 1], x[at + 2]]
    });
    let sum = std::array::from_fn(|i| corners[0][i] + corners[1][i] + corners[2][i]);
    [sum, FlatPressure::force(pressure, &corners)]
}

/// The dead loads of elements that fire together, summed for each node that is `own`, ascending by nodes.
pub(super) fn dead_loads<P: Potentials>(
    potentials: &P,
    list: &[u32],
    own: &dyn Fn(u32) -> bool,
) -> Vec<DeadLoad> {
    let all = list.iter().flat_map(|k| potentials.dead_loads(*k as usize)).filter(|load| own(load.node));
    let mut all: Vec<&DeadLoad> = all.collect();
    // Stable: loads on a node stay in the order of the elements.
    all.sort_by_key(|load| load.node);
    let mut sums: Vec<DeadLoad> = Vec::new();
    for load in all {
        let same = |sum: &&mut DeadLoad| Arc::ptr_eq(&sum.force, &load.force);
        let here = sums.iter_mut().rev().take_while(|sum| sum.node == load.node);
        match here.into_iter().find(same) {
            Some(sum) => {
                sum.coefficient += load.coefficient;
                sum.element = sum.element.min(load.element);
            }
            None => sums.push(load.clone()),
        }
    }
    sums.shrink_to_fit();
    sums
}

impl<'p, P: Potentials + 'p> SharedArrays<'_, P> {
    /// Whether a thread owns a node.
    #[inline]
    pub fn is_owned(&self, a: u32, thread: u8) -> bool {
        self.owner.get(a as usize).is_none_or(|owner| *owner == thread)
    }

    /// Position and velocity of a node.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`]: nobody else uses them.
    #[inline]
    unsafe fn node<'b>(&self, a: u32) -> (&'b mut [f64; 3], &'b mut [f64; 3]) {
        let at = 3 * a as usize;
        debug_assert!((a as usize) < self.nodes);
        // SAFETY: guaranteed by this function's contract.
        unsafe { (&mut *self.x.add(at).cast(), &mut *self.v.add(at).cast()) }
    }

    /// Whether a component is prescribed.
    #[inline]
    unsafe fn is_fixed(&self, a: u32, i: usize) -> bool {
        // SAFETY: there is a number for each component of each node.
        unsafe { *self.inverse_mass.add(3 * a as usize + i) == 0.0 }
    }

    /// Moves a node to the time of the fields, `t` since the start, along its prescribed motion and with what damping takes on the way. The change of momentum of
    /// prescribed components is a reaction of the support, that of damped ones counts among the impulses of loads.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a drift.
    pub unsafe fn drift_moving(&self, a: u32, fields: &mut FieldValues<'p>, t: f64) {
        // SAFETY: guaranteed by this function's contract.
        let (potentials, node_time, mass, (x, v), node): (&'p P, _, _, _, _) = unsafe {
            let node_time = &mut *self.node_time.add(a as usize);
            (&*self.potentials, node_time, *self.mass.add(a as usize), self.node(a), self.balance.of(a))
        };
        if *node_time == t {
            return;
        }
        let ahead = t - *node_time;
        *node_time = t;
        let (old_x, old_v) = (*x, *v);
        // The moment of what damping takes.
        let mut damped = [0.0; 3];
        match potentials.mass_damping().map(|rates| rates[a as usize]) {
            Some(rate) if rate > 0.0 => {
                // SAFETY: guaranteed by this function's contract.
                let free = |i: usize| unsafe { !self.is_fixed(a, i) };
                let decayed = Decay::new(rate, ahead).of_node(mass, free, x, v);
                node.add_load(&old_x, &decayed.impulse);
                node.add_damped(decayed.energy);
                damped = cross(&old_x, &decayed.impulse);
            }
            _ => (0..3).for_each(|i| x[i] += ahead * v[i]),
        }
        let Some(supports) = potentials.supports().filter(|s| s.moves_node(a)) else { return };
        supports.impose_on_node(a, fields, x, v);
        let moment_after = cross(&x[..], &v[..]);
        let moment_before = cross(&old_x, &old_v);
        let moment = std::array::from_fn(|i| mass * (moment_after[i] - moment_before[i]) - damped[i]);
        let mut impulse = [0.0; 3];
        let mut work = 0.0;
        // SAFETY: guaranteed by this function's contract.
        for i in (0..3).filter(|i| unsafe { self.is_fixed(a, *i) }) {
            impulse[i] = mass * (v[i] - old_v[i]);
            work += impulse[i] * 0.5 * (v[i] + old_v[i]);
            node.velocity[i] = v[i];
        }
        node.add_reaction(&impulse, &moment);
        node.add_work(work);
    }

    /// Before the first kick of a node with a prescribed component: from here on its velocity there is that of the impulses.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a kick by this thread, which owns the node.
    #[inline]
    pub unsafe fn open_node(&self, a: u32) {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            let (_, v) = self.node(a);
            (0..3).filter(|i| self.is_fixed(a, *i)).for_each(|i| v[i] = 0.0);
        }
    }

    /// Adds the impulses of the loads on an element to those of its nodes, and books their work.
    ///
    /// # Safety
    /// The contract of [`SharedArrays`], in a kick by this thread.
    pub unsafe fn gather_loads(
        &self,
        k: u32,
        time: LoadTime,
        fields: &mut FieldValues<'p>,
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        // SAFETY: guaranteed by this function's contract: no thread writes positions now.
        let (potentials, x): (&'p P, _) =
            unsafe { (&*self.potentials, std::slice::from_raw_parts(self.x, 3 * self.nodes)) };
        let nodes = potentials.nodes(k as usize);
        let width = 3 * nodes.len();
        let (dead, follower) = thread.scratch.split_at_mut(width);
        let follower = &mut follower[..width];
        let load = potentials.other_load_at(k as usize, fields, x, dead, follower);
        if self.is_owned(nodes[0], thread.number) {
            // SAFETY: guaranteed by this function's contract: the thread owns the first node, and thereby what is booked with the element.
            unsafe {
                let work = if load.follower {
                    self.balance.record_follower_work(k, time.first, nodes, x, follower)
                } else {
                    0.0
                };
                self.balance.of(nodes[0]).add_work(time.weight * load.rate + work);
            }
        }
        // Zero, or NaN where a force is not finite.
        let mut nought = 0.0;
        for ((a, dead), follower) in nodes.iter().zip(dead.chunks_exact(3)).zip(follower.chunks_exact(3)) {
            let force: [f64; 3] = std::array::from_fn(|i| dead[i] + follower[i]);
            nought += 0.0 * force[0] + 0.0 * force[1] + 0.0 * force[2];
            if force == [0.0; 3] || !self.is_owned(*a, thread.number) {
                continue;
            }
            // SAFETY: guaranteed by this function's contract; no other balance is borrowed.
            let impulse = unsafe { &mut self.balance.of(*a).impulse };
            (0..3).for_each(|i| impulse[i] += time.weight * force[i]);
        }
        if nought.is_nan() {
            return Err(ElementFailure::of_load(potentials, k));
        }
        Ok(())
    }

    /// Adds the impulses of pressures on flat triangles to those of their nodes, and books their work: for each of them the work of equal forces on three
    /// corners, which is that of one on the sum of their positions.
    ///
    /// # Safety
    /// As for [`open_node`](Self::open_node), of the nodes that the thread owns.
    pub unsafe fn gather_flat(
        &self,
        loads: &[FlatPressure],
        time: LoadTime,
        thread: u8,
    ) -> Result<(), ElementFailure> {
        if loads.is_empty() {
            return Ok(());
        }
        // SAFETY: guaranteed by this function's contract: no thread writes positions now.
        let x = unsafe { std::slice::from_raw_parts(self.x, 3 * self.nodes) };
        let mut fields = FieldValues::new(self.start + time.t);
        for load in loads {
            let [sum, force] = push_of_triangle(load, &mut fields, x);
            // Zero, or NaN where a force is not finite.
            if (0.0 * force[0] + 0.0 * force[1] + 0.0 * force[2]).is_nan() {
                // SAFETY: the potentials outlive this call.
                return Err(ElementFailure::of_load(unsafe { &*self.potentials }, load.element));
            }
            let impulse = force.map(|f| time.weight * f);
            for (corner, a) in load.nodes.into_iter().enumerate() {
                if !self.is_owned(a, thread) {
                    continue;
                }
                // SAFETY: guaranteed by this function's contract; what is booked with a triangle belongs to its first node.
                unsafe {
                    let node = self.balance.of(a);
                    (0..3).for_each(|i| node.impulse[i] += impulse[i]);
                    if corner == 0 {
                        node.add_work(self.balance.record_work_of_triangle(load, time.first, &sum, &force));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds the impulses of dead loads to those of their nodes, and books their work.
    ///
    /// # Safety
    /// As for [`open_node`](Self::open_node), of these nodes; each has a balance.
    pub unsafe fn gather_dead(&self, loads: &[DeadLoad], time: LoadTime) -> Result<(), ElementFailure> {
        let mut fields = FieldValues::new(self.start + time.t);
        for load in loads {
            let (value, rate) = fields.at(&load.force, &load.place);
            if !value.iter().all(|f| f.is_finite()) {
                // SAFETY: the potentials outlive this call.
                return Err(ElementFailure::of_load(unsafe { &*self.potentials }, load.element));
            }
            // SAFETY: guaranteed by this function's contract.
            let ((x, _), node) = unsafe { (self.node(load.node), self.balance.of(load.node)) };
            let weight = time.weight * load.coefficient;
            let mut work = 0.0;
            for i in 0..3 {
                node.impulse[i] += weight * value[i];
                // The rate of a load such as sqrt(t) is infinite at t = 0; without displacement its power is zero all the same.
                let moved = x[i] - load.place[i];
                if moved != 0.0 {
                    work -= weight * rate[i] * moved;
                }
            }
            node.add_work(work);
        }
        Ok(())
    }

    /// Kicks a node with the impulses of its loads.
    ///
    /// # Safety
    /// As for [`open_node`](Self::open_node); the node has a balance.
    #[inline]
    pub unsafe fn push_node(&self, a: u32) {
        // SAFETY: guaranteed by this function's contract.
        let (mass, (x, v), node) = unsafe { (*self.mass.add(a as usize), self.node(a), self.balance.of(a)) };
        if node.impulse == [0.0; 3] {
            return;
        }
        let impulse = std::mem::take(&mut node.impulse);
        let inverse_mass = 1.0 / mass;
        (0..3).for_each(|i| v[i] += inverse_mass * impulse[i]);
        node.add_load(x, &impulse);
    }

    /// After the last kick of a node with a prescribed component: the support takes the impulse on it.
    ///
    /// # Safety
    /// As for [`push_node`](Self::push_node).
    #[inline]
    pub unsafe fn release_node(&self, a: u32) {
        // SAFETY: guaranteed by this function's contract.
        let (mass, (x, v), node) = unsafe { (*self.mass.add(a as usize), self.node(a), self.balance.of(a)) };
        let mut impulse = [0.0; 3];
        let mut work = 0.0;
        // SAFETY: guaranteed by this function's contract.
        for i in (0..3).filter(|i| unsafe { self.is_fixed(a, *i) }) {
            impulse[i] = -mass * v[i];
            v[i] = node.velocity[i];
            work += impulse[i] * v[i];
        }
        node.add_reaction(&impulse, &cross(&x[..], &impulse));
        if work != 0.0 {
            node.add_work(work);
        }
    }

    /// The same of a node that is held in all components, at rest. Its moment follows from the sum of its impulses.
    ///
    /// # Safety
    /// As for [`push_node`](Self::push_node).
    #[inline]
    pub unsafe fn release_resting_node(&self, a: u32) {
        // SAFETY: guaranteed by this function's contract.
        let (mass, (_, v), node) = unsafe { (*self.mass.add(a as usize), self.node(a), self.balance.of(a)) };
        node.add_impulse_at_rest(&v.map(|v| -mass * v));
        *v = [0.0; 3];
    }

    /// Moves the nodes of an element that have prescribed motions or damping to a time since the start.
    ///
    /// # Safety
    /// As for [`drift_moving`](Self::drift_moving).
    pub unsafe fn drift_element(&self, k: u32, t: f64) {
        // SAFETY: guaranteed by this function's contract.
        let potentials: &'p P = unsafe { &*self.potentials };
        let mut fields = FieldValues::new(self.start + t);
        for a in potentials.nodes(k as usize).iter().filter(|a| moves(potentials, **a)) {
            // SAFETY: guaranteed by this function's contract.
            unsafe { self.drift_moving(*a, &mut fields, t) };
        }
    }

    /// Before an element kicks: opens the nodes whose turn it is.
    ///
    /// # Safety
    /// As for [`open_node`](Self::open_node), of all its nodes.
    pub unsafe fn open_element(&self, k: u32, turn: Turn) {
        // SAFETY: guaranteed by this function's contract.
        let nodes = unsafe { (*self.potentials).nodes(k as usize) };
        for (_, a) in nodes.iter().enumerate().filter(|(n, _)| turn.opens(*n)) {
            // SAFETY: guaranteed by this function's contract.
            unsafe { self.open_node(*a) };
        }
    }

    /// After an element has kicked: its loads, and what acts on the nodes whose turn it is, with the `dead` loads of the elements that fire together, if
    /// those are others.
    ///
    /// # Safety
    /// As for [`push_node`](Self::push_node), of all its nodes.
    pub unsafe fn close_element(
        &self,
        k: u32,
        time: LoadTime,
        (turn, dead): (Turn, Option<&[DeadLoad]>),
        thread: &mut Thread<'_>,
    ) -> Result<(), ElementFailure> {
        // SAFETY: guaranteed by this function's contract.
        let potentials: &'p P = unsafe { &*self.potentials };
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.gather_flat(potentials.flat_pressures(k as usize), time, thread.number) }?;
        if potentials.has_other_loads(k as usize) {
            let mut fields = FieldValues::new(self.start + time.t);
            // SAFETY: guaranteed by this function's contract.
            unsafe { self.gather_loads(k, time, &mut fields, thread) }?;
        }
        if dead.is_none() {
            // SAFETY: guaranteed by this function's contract.
            unsafe { self.gather_dead(potentials.dead_loads(k as usize), time) }?;
        }
        let nodes = potentials.nodes(k as usize).iter().enumerate();
        // SAFETY: guaranteed by this function's contract.
        for (_, a) in nodes.filter(|(n, a)| turn.closes(*n) && unsafe { self.balance.has(**a) }) {
            let supports = potentials.supports().filter(|s| s.holds_node(*a));
            let of_node = |all: &'_ [DeadLoad]| {
                let first = all.partition_point(|load| load.node < *a);
                first..first + all[first..].partition_point(|load| load.node == *a)
            };
            let dead = dead.map_or(&[][..], |all| &all[of_node(all)]);
            // SAFETY: guaranteed by this function's contract.
            unsafe {
                self.gather_dead(dead, time)?;
                self.push_node(*a);
                match supports {
                    Some(supports) if rests(supports, *a) => self.release_resting_node(*a),
                    Some(_) => self.release_node(*a),
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// Forgets what acts on a node since its first kick.
    ///
    /// # Safety
    /// As for [`push_node`](Self::push_node).
    pub unsafe fn abandon_node(&self, a: u32) {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            let ((_, v), node) = (self.node(a), self.balance.of(a));
            node.impulse = [0.0; 3];
            (0..3).filter(|i| self.is_fixed(a, *i)).for_each(|i| v[i] = node.velocity[i]);
        }
    }
}

impl ElementFailure {
    /// Failures of a level in the order in which one thread finds them.
    pub fn order(&self) -> (bool, u32) {
        (self.is_load, self.element)
    }

    /// The failure of a load that is not a finite number.
    fn of_load<P: Potentials>(potentials: &P, k: u32) -> Self {
        let fault = PotentialFault { number: potentials.number(k as usize), why: NO_LOAD.into() };
        ElementFailure { element: k, is_load: true, fault }
    }
}

/// The error of a load that is not a finite number.
pub(super) fn load_not_finite<P: Potentials>(potentials: &P, k: usize, time: f64) -> AviError {
    AviError { time, fault: ElementFailure::of_load(potentials, k as u32).fault }
}
