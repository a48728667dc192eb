//! Events of elements with loads or prescribed nodes: drift along prescribed motions, kicks with loads, and the impulses and work
//! that loads and supports contribute.

use super::AviError;
use super::history::{SharedHistory, Slot};
use super::work_balance::SharedWorkBalance;
use crate::linalg::cross;
use crate::model::{LoadEnergy, NO_LOAD, PotentialFault, Potentials};

/// The data on which an event of one element works. Only the entries of the element's nodes are touched.
pub(super) struct EventContext<'a, P> {
    /// The initial time, from which all other times are counted.
    pub start: f64,
    pub potentials: &'a P,
    pub x: &'a mut [f64],
    pub v: &'a mut [f64],
    pub node_time: &'a mut [f64],
    pub mass: &'a [f64],
    pub inverse_mass: &'a [f64],
    pub balance: SharedWorkBalance<'a>,
    pub history: SharedHistory,
    pub scratch: Scratch<'a>,
}

/// Scratch space for the gradient and the loads of one element.
pub(super) struct Scratch<'a> {
    pub gradient: &'a mut [f64],
    pub dead: &'a mut [f64],
    pub follower: &'a mut [f64],
}

/// One event of an element, with the time by which it multiplies forces.
#[derive(Debug, Clone, Copy)]
pub(super) struct WeightedEvent {
    pub element: usize,
    pub time: f64,
    pub weight: f64,
    /// Whether this is the first event of the element.
    pub first: bool,
    /// The history from which an element with memory is updated, and whether it is committed.
    pub slot: Slot,
}

/// Energies of an event, for the local energy balance.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EventEnergies {
    /// Kinetic energy of the element's nodes before and after the kick.
    pub kinetic: [f64; 2],
    /// The element's potential, with all that it has dissipated, and that of its loads.
    pub potential: [f64; 2],
    /// Energy supplied by loads that change in time and by supports that move.
    pub inflow: f64,
}

impl<P: Potentials> EventContext<'_, P> {
    /// Moves the nodes of an element to a time since the start, on straight lines or along prescribed motions. The change of
    /// momentum of prescribed components is a reaction of the support, that of damped ones counts among the impulses of loads.
    ///
    /// # Safety
    /// No other thread uses the balances of the element's nodes during this call.
    pub unsafe fn drift(&mut self, k: usize, t: f64) {
        let supports = self.potentials.supports().filter(|s| s.moves());
        let damping = self.potentials.mass_damping();
        for &a in self.potentials.nodes(k) {
            let at = 3 * a as usize;
            let ahead = t - self.node_time[a as usize];
            self.node_time[a as usize] = t;
            let old: [f64; 6] =
                std::array::from_fn(|i| if i < 3 { self.x[at + i] } else { self.v[at + i - 3] });
            // The moment of what damping takes.
            let mut damped = [0.0; 3];
            match damping.map(|rates| rates[a as usize]) {
                Some(rate) if rate > 0.0 => {
                    let free = |i: usize| self.inverse_mass[at + i] > 0.0;
                    let mass = self.mass[a as usize];
                    let (x, v) = (&mut self.x[at..at + 3], &mut self.v[at..at + 3]);
                    let decay = Decay::new(rate, ahead).of_node(mass, free, x, v);
                    // SAFETY: guaranteed by this function's contract; every damped node has a balance.
                    let node = unsafe { self.balance.of(a) };
                    node.add_load(&old[..3], &decay.impulse);
                    node.add_damped(decay.energy);
                    damped = cross(&old[..3], &decay.impulse);
                }
                _ => (at..at + 3).for_each(|i| self.x[i] += ahead * self.v[i]),
            }
            let Some(supports) = supports.filter(|s| s.moves_node(a)) else { continue };
            supports.impose_on_node(a, self.start + t, self.x, self.v);
            let mass = self.mass[a as usize];
            let x = &self.x[at..at + 3];
            let v = &self.v[at..at + 3];
            let moment_after = cross(x, v);
            let moment_before = cross(&old[..3], &old[3..]);
            let mut moment: [f64; 3] =
                std::array::from_fn(|i| mass * (moment_after[i] - moment_before[i]) - damped[i]);
            for i in (0..3).filter(|i| supports.is_fixed(at + i)) {
                let change = mass * (v[i] - old[3 + i]);
                // SAFETY: guaranteed by this function's contract.
                let node = unsafe { self.balance.of(a) };
                node.add_reaction(i, change, &moment);
                node.add_work(change * 0.5 * (v[i] + old[3 + i]));
                moment = [0.0; 3];
            }
        }
    }

    /// A kick with loads and reactions. Without loads and supports the velocities are bit-identical to those of the plain kick.
    ///
    /// # Safety
    /// As for [`drift`](Self::drift).
    pub unsafe fn kick(
        &mut self,
        event: WeightedEvent,
        loaded_or_fixed: bool,
    ) -> Result<EventEnergies, AviError> {
        let WeightedEvent { element: k, time: t, weight, .. } = event;
        let nodes = self.potentials.nodes(k);
        let before = kinetic(nodes, self.mass, self.v);
        let gradient = &mut self.scratch.gradient[..3 * nodes.len()];
        let own = if self.history.has(k) {
            // SAFETY: guaranteed by this function's contract: an element is used by one thread.
            let updated =
                unsafe { self.history.update_in(self.potentials, k, (t, event.slot), self.x, gradient) };
            updated.map(|energy| energy.stored + energy.dissipated)
        } else {
            self.potentials.gradient(k, self.start + t, self.x, gradient)
        };
        let own = own.map_err(|fault| AviError { time: self.start + t, fault })?;
        let mut energies = EventEnergies { potential: [own, 0.0], ..EventEnergies::default() };
        if loaded_or_fixed {
            // SAFETY: guaranteed by this function's contract.
            let load = unsafe { self.kick_loaded_or_fixed(event, &mut energies.inflow)? };
            energies.potential[1] = load.potential;
            energies.inflow += weight * load.rate;
        } else {
            for (&a, gradient) in nodes.iter().zip(self.scratch.gradient.chunks_exact(3)) {
                let at = 3 * a as usize;
                for i in 0..3 {
                    self.v[at + i] -= weight * self.inverse_mass[at + i] * gradient[i];
                }
            }
        }
        if self.balance.nodal_loads.any() {
            // SAFETY: guaranteed by this function's contract.
            let [potential, inflow] = unsafe { self.apply_nodal_loads(k, weight) };
            energies.potential[1] += potential;
            energies.inflow += inflow;
        }
        energies.kinetic = [before, kinetic(nodes, self.mass, self.v)];
        Ok(energies)
    }

    /// Applies the constant nodal forces that act at events of the element; returns their potential and the work of moving
    /// supports. A force on a prescribed component is balanced by the reaction of the support.
    ///
    /// # Safety
    /// As for [`drift`](Self::drift).
    pub unsafe fn apply_nodal_loads(&mut self, k: usize, weight: f64) -> [f64; 2] {
        let mut potential = 0.0;
        let mut inflow = 0.0;
        let constant_loads = self.potentials.constant_loads();
        let supports = self.potentials.supports();
        for &a in self.potentials.nodes(k) {
            // SAFETY: guaranteed by this function's contract.
            let Some(force) = (unsafe { self.balance.nodal_loads.force_with(k, a) }) else { continue };
            let at = 3 * a as usize;
            let three = |from: &[f64]| -> [f64; 3] { std::array::from_fn(|i| from[at + i]) };
            let x = three(self.x);
            let inverse_mass = three(self.inverse_mass);
            let mut v = three(self.v);
            // SAFETY: guaranteed by this function's contract.
            unsafe { self.balance.nodal_loads.apply(a, weight, inverse_mass, x, &mut v) };
            self.v[at..at + 3].copy_from_slice(&v);
            potential += constant_loads.map_or(0.0, |s| s.potential_of(a as usize, &x));
            for i in (0..3).filter(|i| supports.is_some_and(|s| s.is_fixed(at + i))) {
                let mut impulse = [0.0; 3];
                impulse[i] = -weight * force[i];
                let work = impulse[i] * v[i];
                // SAFETY: guaranteed by this function's contract; every node with a prescribed component has a balance.
                let node = unsafe { self.balance.of(a) };
                node.add_reaction(i, impulse[i], &cross(&x, &impulse));
                node.add_work(work);
                inflow += work;
            }
        }
        [potential, inflow]
    }

    /// Kicks with the element's gradient in the scratch space and with its loads, and books the impulses of loads and reactions.
    /// Adds the work of moving supports to `inflow`.
    ///
    /// # Safety
    /// As for [`drift`](Self::drift).
    unsafe fn kick_loaded_or_fixed(
        &mut self,
        event: WeightedEvent,
        inflow: &mut f64,
    ) -> Result<LoadEnergy, AviError> {
        let WeightedEvent { element: k, time: t, weight, .. } = event;
        let nodes = self.potentials.nodes(k);
        let supports = self.potentials.supports();
        let width = 3 * nodes.len();
        let dead = &mut self.scratch.dead[..width];
        let follower = &mut self.scratch.follower[..width];
        let load = if self.potentials.loaded(k) {
            self.potentials.load(k, self.start + t, self.x, dead, follower)
        } else {
            dead.fill(0.0);
            follower.fill(0.0);
            LoadEnergy::default()
        };
        if !dead.iter().chain(&*follower).all(|f| f.is_finite()) {
            return Err(load_not_finite(self.potentials, k, self.start + t));
        }
        // SAFETY: guaranteed by this function's contract.
        unsafe { self.balance.of(nodes[0]) }.add_work(weight * load.rate);
        for (n, &a) in nodes.iter().enumerate() {
            let at = 3 * a as usize;
            // SAFETY: guaranteed by this function's contract; no other balance is borrowed.
            let node = unsafe { self.balance.of(a) };
            let mut external = [0.0; 3];
            for i in 0..3 {
                let component = at + i;
                let from = 3 * n + i;
                external[i] = weight * (dead[from] + follower[from]);
                let gradient = self.scratch.gradient[from] - (dead[from] + follower[from]);
                self.v[component] -= weight * self.inverse_mass[component] * gradient;
                if supports.is_some_and(|s| s.is_fixed(component)) {
                    // The support takes the whole impulse.
                    let mut impulse = [0.0; 3];
                    impulse[i] = weight * gradient;
                    let work = impulse[i] * self.v[component];
                    node.add_reaction(i, impulse[i], &cross(&self.x[at..at + 3], &impulse));
                    node.add_work(work);
                    *inflow += work;
                }
            }
            node.add_load(&self.x[at..at + 3], &external);
        }
        if load.follower {
            // SAFETY: guaranteed by this function's contract.
            unsafe { self.balance.record_follower_work(event, nodes, self.x, follower) };
        }
        Ok(load)
    }
}

/// Mass-proportional damping of nodes without forces, `v' = -a v`, over a time `dt`, exactly: `v <- exp(-a dt) v`, `x <- x + (1 - exp(-a dt))/a v`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decay {
    /// `exp(-a dt) - 1`
    loss: f64,
    /// The way over the velocity at the beginning.
    way: f64,
    ahead: f64,
}

/// What a node loses by damping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decayed {
    pub impulse: [f64; 3],
    /// Kinetic energy.
    pub energy: f64,
}

impl Decay {
    /// At a positive rate.
    pub fn new(rate: f64, ahead: f64) -> Self {
        let loss = (-rate * ahead).exp_m1();
        Decay { loss, way: -loss / rate, ahead }
    }

    /// Moves a node; its components that are not free are not damped.
    pub fn of_node(&self, mass: f64, free: impl Fn(usize) -> bool, x: &mut [f64], v: &mut [f64]) -> Decayed {
        let mut decayed = Decayed { impulse: [0.0; 3], energy: 0.0 };
        for i in 0..3 {
            if !free(i) {
                x[i] += self.ahead * v[i];
                continue;
            }
            x[i] += self.way * v[i];
            let change = self.loss * v[i];
            let old = v[i];
            v[i] += change;
            decayed.impulse[i] = mass * change;
            decayed.energy -= 0.5 * mass * change * (old + v[i]);
        }
        decayed
    }
}

/// The error of a load that is not a finite number.
pub(super) fn load_not_finite<P: Potentials>(potentials: &P, k: usize, time: f64) -> AviError {
    AviError { time, fault: PotentialFault { number: potentials.number(k), why: NO_LOAD.into() } }
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
