//! The local energy balance of each element, which an AVI with prescribed time steps does not satisfy exactly [AVI03 3.4], [VTI04 6.2].
//!
//! The balance is the derivative of the discrete action with respect to the time `t_K^j` of an event at fixed positions. The segments of the
//! nodes before and after the event contribute `T+ - T-`, the kinetic energies of the element's nodes after and before the kick. The
//! contribution of the potential depends on the weights `w^i` in `- sum_i w^i V(x^i, t^i)`:
//!
//! - constant time steps, `w^i = t^(i+1) - t^i`: `T- + V^j + w^j dV/dt = T+ + V^(j+1)` [AVI03 (43)], [VTI04 (97)];
//! - time steps that change, `w^i = (t^(i+1) - t^(i-1))/2`, the trapezoidal rule: `t^j` appears in the weights of the two neighbouring
//!   events, so that `T- + V^(j-1)/2 + w^j dV/dt = T+ + V^(j+1)/2`.
//!
//! The work of a support that moves nodes of the element is added on the left.

use super::Avi;
use crate::model::{LoadEnergy, Potentials};

/// Energies of an event.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct EventEnergies {
    /// Kinetic energy of the element's nodes before and after the kick.
    pub kinetic: [f64; 2],
    /// The element's potential, with all that it has dissipated, and that of its loads.
    pub potential: [f64; 2],
    /// Energy supplied by loads that change in time and by supports that move.
    pub inflow: f64,
}

impl<P: Potentials> Avi<P> {
    /// Records the energy balance of an element before it kicks, with its gradient in the scratch space and its energy `own`. Its loads count as if
    /// they acted in the same kick.
    pub(super) fn record_local(&mut self, k: usize, (time, weight): (f64, f64), own: f64) {
        let nodes = self.potentials.nodes(k);
        let (gradient, loads) = self.scratch.split_at_mut(3 * nodes.len());
        let (dead, follower) = loads.split_at_mut(3 * nodes.len());
        let follower = &mut follower[..3 * nodes.len()];
        let load = if self.potentials.loaded(k) {
            self.potentials.load(k, time, &self.x, dead, follower)
        } else {
            dead.fill(0.0);
            follower.fill(0.0);
            LoadEnergy::default()
        };
        let mut event = EventEnergies { potential: [own, load.potential], ..EventEnergies::default() };
        event.inflow = weight * load.rate;
        let constant = self.potentials.constant_loads().filter(|s| !s.is_empty());
        for (n, a) in nodes.iter().enumerate() {
            let at = 3 * *a as usize;
            let constant =
                constant.filter(|_| self.work_balance.nodal_loads.element_of(*a) == Some(k as u32));
            let force = constant.map_or([0.0; 3], |s| s.on(*a as usize));
            event.potential[1] += constant.map_or(0.0, |s| s.potential_of(*a as usize, &self.x[at..at + 3]));
            let mass = self.mass[*a as usize];
            for i in 0..3 {
                let impulse =
                    weight * (dead[3 * n + i] + follower[3 * n + i] + force[i] - gradient[3 * n + i]);
                let fixed = self.inverse_mass[at + i] == 0.0;
                let before = if fixed { self.work_balance.velocity(*a)[i] } else { self.v[at + i] };
                let after = if fixed { before } else { before + impulse / mass };
                event.kinetic[0] += 0.5 * mass * before * before;
                event.kinetic[1] += 0.5 * mass * after * after;
                if fixed {
                    // The support takes the whole impulse.
                    event.inflow -= impulse * before;
                }
            }
        }
        if let Some(local) = &mut self.local {
            local.record(k, event);
        }
    }
}

/// Residuals of the balances of all elements, left side minus right side. The residual of an event is known at the next event.
#[derive(Debug, Clone)]
pub struct LocalEnergy {
    /// The left side minus `T+`, until the next event; NaN before the first.
    pending: Vec<f64>,
    /// `V` at the last event, NaN before the first; empty if time steps are constant.
    previous: Vec<f64>,
    /// `T- + V` at the last event, without loads.
    energy: Vec<f64>,
    /// The residual at the last event.
    last: Vec<f64>,
    accumulated: Vec<f64>,
    worst: Vec<f64>,
    worst_accumulated: Vec<f64>,
    /// Elements under follower loads, which have no potential, or with damped nodes, whose velocities change between events: no balance.
    exempt: Vec<bool>,
    /// Elements with less energy have no relative residual: an element at rest has no relative error.
    floor: f64,
}

impl LocalEnergy {
    /// For `count` elements; `changing` tells whether their time steps change.
    pub(super) fn new(count: usize, floor: f64, changing: bool) -> Self {
        LocalEnergy {
            pending: vec![f64::NAN; count],
            previous: vec![f64::NAN; if changing { count } else { 0 }],
            energy: vec![0.0; count],
            last: vec![0.0; count],
            accumulated: vec![0.0; count],
            worst: vec![0.0; count],
            worst_accumulated: vec![0.0; count],
            exempt: vec![false; count],
            floor,
        }
    }

    pub(super) fn exempt(&mut self, k: usize) {
        self.exempt[k] = true;
    }

    /// Forgets the last events, since the time steps change: the next ones are the first of new balances.
    pub(super) fn interrupt(&mut self) {
        self.pending.fill(f64::NAN);
    }

    /// Records the energies of an event of element `k`.
    #[inline]
    pub(super) fn record(&mut self, k: usize, event: EventEnergies) {
        let [before, after] = event.kinetic;
        let [own, loads] = event.potential;
        let inflow = event.inflow;
        let potential = own + loads;
        let residual;
        if let Some(previous) = self.previous.get_mut(k) {
            residual = self.pending[k] - 0.5 * potential;
            self.pending[k] = before - after + 0.5 * *previous + inflow;
            *previous = potential;
        } else {
            residual = self.pending[k] - potential;
            self.pending[k] = before - after + potential + inflow;
        }
        // Without the loads, whose potential has no natural zero.
        self.energy[k] = before + own;
        if residual.is_nan() {
            return;
        }
        self.last[k] = residual;
        self.accumulated[k] += residual;
        if self.energy[k].abs() > self.floor {
            let scale = 1.0 / self.energy[k].abs();
            self.worst[k] = self.worst[k].max((residual * scale).abs());
            self.worst_accumulated[k] = self.worst_accumulated[k].max((self.accumulated[k] * scale).abs());
        }
    }

    /// The residual of an element at its last event.
    pub fn residual(&self, k: usize) -> f64 {
        self.last[k]
    }

    /// The residual divided by the element's energy; zero while it has none, NaN under follower loads.
    pub fn relative(&self, k: usize) -> f64 {
        if self.exempt[k] {
            f64::NAN
        } else if self.energy[k].abs() > self.floor {
            self.last[k] / self.energy[k].abs()
        } else {
            0.0
        }
    }

    /// The sum of an element's residuals: its spurious energy.
    pub fn accumulated(&self, k: usize) -> f64 {
        self.accumulated[k]
    }

    /// An element's energy at its last event: its own potential, and the kinetic energy of its nodes.
    pub fn energy(&self, k: usize) -> f64 {
        self.energy[k]
    }

    /// The largest residual of each element so far relative to its energy at the time. Elements under follower loads are left out.
    pub fn worst(&self) -> impl Iterator<Item = f64> {
        self.worst.iter().zip(&self.exempt).filter(|(_, exempt)| !**exempt).map(|(worst, _)| *worst)
    }

    /// The largest accumulated residual of an element so far relative to its energy at the time.
    pub fn worst_accumulated(&self, k: usize) -> f64 {
        self.worst_accumulated[k]
    }

    /// The fraction of the elements whose largest relative residual is below a bound.
    pub fn fraction_below(&self, bound: f64) -> f64 {
        let count = self.worst().count();
        self.worst().filter(|w| *w < bound).count() as f64 / count.max(1) as f64
    }

    pub(super) fn save(&self) -> Vec<f64> {
        let lists = self.clone().lists().map(std::mem::take);
        lists.into_iter().flatten().chain([self.floor]).chain(self.previous.iter().copied()).collect()
    }

    pub(super) fn restore(&mut self, saved: &[f64]) {
        let count = self.pending.len();
        for (list, saved) in self.lists().into_iter().zip(saved.chunks_exact(count.max(1))) {
            list.copy_from_slice(saved);
        }
        self.floor = saved[6 * count];
        self.previous.copy_from_slice(&saved[6 * count + 1..]);
    }

    fn lists(&mut self) -> [&mut Vec<f64>; 6] {
        [
            &mut self.pending,
            &mut self.energy,
            &mut self.last,
            &mut self.accumulated,
            &mut self.worst,
            &mut self.worst_accumulated,
        ]
    }
}
