//! Events of elements with a load or a held node: reactions, loads, and the books of both.

use super::accounts::Ledger;
use super::{AviError, kinetic};
use crate::linalg::cross;
use crate::model::{Forced, NO_LOAD, PotentialFault, Potentials};

/// What an event of one element may need, three numbers a node. Only those of the element's nodes are touched.
pub(super) struct Site<'a, P> {
    /// The time at the start, since which all others are counted.
    pub start: f64,
    pub potentials: &'a P,
    pub x: &'a mut [f64],
    pub v: &'a mut [f64],
    pub clock: &'a mut [f64],
    pub mass: &'a [f64],
    pub inverse: &'a [f64],
    pub ledger: Ledger<'a>,
    pub room: Room<'a>,
}

/// Room for the gradient and the loads of one element.
pub(super) struct Room<'a> {
    pub kick: &'a mut [f64],
    pub dead: &'a mut [f64],
    pub following: &'a mut [f64],
}

/// One event of an element.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment {
    pub element: usize,
    pub time: f64,
    pub weight: f64,
    /// Nothing has been booked for the element before.
    pub first: bool,
}

/// The energy side of an event.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Struck {
    /// Kinetic energy of the nodes before and after.
    pub kinetic: [f64; 2],
    /// The element's potential and that of its loads.
    pub potential: [f64; 2],
    /// What changing loads and moving supports bring in.
    pub inflow: f64,
}

impl<P: Potentials> Site<'_, P> {
    /// Takes the nodes of an element to a time since the start, along straight lines or their supports' paths: the momentum that those
    /// take is a reaction.
    ///
    /// # Safety
    /// Nobody else has accounts of the element's nodes in hand.
    pub unsafe fn carry(&mut self, k: usize, t: f64) {
        let supports = self.potentials.supports().filter(|s| s.moves());
        for &a in self.potentials.nodes(k) {
            let at = 3 * a as usize;
            let ahead = t - self.clock[a as usize];
            self.clock[a as usize] = t;
            let old: [f64; 6] =
                std::array::from_fn(|i| if i < 3 { self.x[at + i] } else { self.v[at + i - 3] });
            for i in at..at + 3 {
                self.x[i] += ahead * self.v[i];
            }
            let Some(supports) = supports.filter(|s| s.moves_node(a)) else { continue };
            supports.drive_node(a, self.start + t, self.x, self.v);
            let mass = self.mass[a as usize];
            let (x, v) = (&self.x[at..at + 3], &self.v[at..at + 3]);
            let (now, then) = (cross(x, v), cross(&old[..3], &old[3..]));
            let mut moment: [f64; 3] = std::array::from_fn(|i| mass * (now[i] - then[i]));
            for i in (0..3).filter(|i| supports.held(at + i)) {
                let change = mass * (v[i] - old[3 + i]);
                // SAFETY: the caller's.
                let account = unsafe { self.ledger.of(a) };
                account.reaction(i, change, &moment);
                account.work(change * 0.5 * (v[i] + old[3 + i]));
                moment = [0.0; 3];
            }
        }
    }

    /// A kick with all that may come with it; the bits of velocities without loads and supports are those of the plain one.
    ///
    /// # Safety
    /// As of [`carry`](Self::carry).
    pub unsafe fn strike(&mut self, event: Moment, guarded: bool) -> Result<Struck, AviError> {
        let Moment { element: k, time: t, weight, .. } = event;
        let nodes = self.potentials.nodes(k);
        let before = kinetic(nodes, self.mass, self.v);
        let own = self
            .potentials
            .gradient(k, self.start + t, self.x, &mut self.room.kick[..3 * nodes.len()])
            .map_err(|fault| AviError { time: self.start + t, fault })?;
        let mut struck = Struck { potential: [own, 0.0], ..Struck::default() };
        if guarded {
            // SAFETY: the caller's.
            let load = unsafe { self.strike_loaded(event, &mut struck.inflow)? };
            struck.potential[1] = load.potential;
            struck.inflow += weight * load.rate;
        } else {
            for (&a, kick) in nodes.iter().zip(self.room.kick.chunks_exact(3)) {
                let at = 3 * a as usize;
                for i in 0..3 {
                    self.v[at + i] -= weight * self.inverse[at + i] * kick[i];
                }
            }
        }
        if self.ledger.bearing.any() {
            // SAFETY: the caller's.
            let [potential, inflow] = unsafe { self.bear(k, weight) };
            struck.potential[1] += potential;
            struck.inflow += inflow;
        }
        struck.kinetic = [before, kinetic(nodes, self.mass, self.v)];
        Ok(struck)
    }

    /// Kicks with the constant forces that the element bears; returns their potential, and the work of moving supports. What acts on held
    /// components goes to these.
    ///
    /// # Safety
    /// As of [`carry`](Self::carry).
    pub unsafe fn bear(&mut self, k: usize, weight: f64) -> [f64; 2] {
        let (mut potential, mut inflow) = (0.0, 0.0);
        let (steady, supports) = (self.potentials.steady(), self.potentials.supports());
        for &a in self.potentials.nodes(k) {
            // SAFETY: the caller's, here and below.
            let Some(force) = (unsafe { self.ledger.bearing.borne(k, a) }) else { continue };
            let at = 3 * a as usize;
            let three = |from: &[f64]| -> [f64; 3] { std::array::from_fn(|i| from[at + i]) };
            let (x, inverse, mut v) = (three(self.x), three(self.inverse), three(self.v));
            // SAFETY: as above.
            unsafe { self.ledger.bearing.kick(a, weight, inverse, x, &mut v) };
            self.v[at..at + 3].copy_from_slice(&v);
            potential += steady.map_or(0.0, |s| s.potential_of(a as usize, &x));
            for i in (0..3).filter(|i| supports.is_some_and(|s| s.held(at + i))) {
                let mut impulse = [0.0; 3];
                impulse[i] = -weight * force[i];
                let work = impulse[i] * v[i];
                // SAFETY: as above: all elements around a held node have accounts.
                let account = unsafe { self.ledger.of(a) };
                account.reaction(i, impulse[i], &cross(&x, &impulse));
                account.work(work);
                inflow += work;
            }
        }
        [potential, inflow]
    }

    /// Kicks with the element's gradient in `room.kick` and its loads; books loads and reactions. Adds the work of
    /// moving supports to `inflow`.
    unsafe fn strike_loaded(&mut self, event: Moment, inflow: &mut f64) -> Result<Forced, AviError> {
        let Moment { element: k, time: t, weight, first } = event;
        let (nodes, supports) = (self.potentials.nodes(k), self.potentials.supports());
        let width = 3 * nodes.len();
        let (dead, following) = (&mut self.room.dead[..width], &mut self.room.following[..width]);
        let load = match self.potentials.loaded(k) {
            true => self.potentials.load(k, self.start + t, self.x, dead, following),
            false => {
                dead.fill(0.0);
                following.fill(0.0);
                Forced::default()
            }
        };
        if !dead.iter().chain(&*following).all(|f| f.is_finite()) {
            return Err(no_load(self.potentials, k, self.start + t));
        }
        // SAFETY: the caller's, here and below.
        unsafe { self.ledger.of(nodes[0]) }.work(weight * load.rate);
        for (n, &a) in nodes.iter().enumerate() {
            let at = 3 * a as usize;
            // SAFETY: as above; no other account is in hand.
            let account = unsafe { self.ledger.of(a) };
            let mut outside = [0.0; 3];
            for i in 0..3 {
                let (component, from) = (at + i, 3 * n + i);
                outside[i] = weight * (dead[from] + following[from]);
                let kick = self.room.kick[from] - (dead[from] + following[from]);
                self.v[component] -= weight * self.inverse[component] * kick;
                if supports.is_some_and(|s| s.held(component)) {
                    // The support takes the whole kick.
                    let mut impulse = [0.0; 3];
                    impulse[i] = weight * kick;
                    let work = impulse[i] * self.v[component];
                    account.reaction(i, impulse[i], &cross(&self.x[at..at + 3], &impulse));
                    account.work(work);
                    *inflow += work;
                }
            }
            account.load(&self.x[at..at + 3], &outside);
        }
        if load.following {
            // SAFETY: as above.
            unsafe { self.ledger.press(k, nodes, self.x, following, first) };
        }
        Ok(load)
    }
}

/// A load that is not a finite number.
pub(super) fn no_load<P: Potentials>(potentials: &P, k: usize, time: f64) -> AviError {
    AviError { time, fault: PotentialFault { number: potentials.number(k), why: NO_LOAD.into() } }
}
