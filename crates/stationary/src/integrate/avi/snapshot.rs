//! All nodes at one time: energies, momenta, and the balance of momentum with external impulses.

use super::decay::{Decay, Decayed};
use super::external::{load_not_finite, push_of_triangle};
use super::work_balance::BalanceTotals;
use super::{Avi, AviError};
use crate::linalg::{cross, dot};
use crate::model::{FieldValues, HistoryEnergy, PotentialFault, Potentials};

/// Positions and velocities of all nodes at one time.
#[derive(Debug, Clone, PartialEq)]
pub struct Snapshot {
    /// The time.
    pub t: f64,
    /// Positions, three numbers a node.
    pub x: Vec<f64>,
    /// Velocities, three numbers a node.
    pub v: Vec<f64>,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy, including that of dead loads; of elements with memory that of the increment since their last commit.
    pub potential: f64,
    /// Energy that elements with memory have dissipated up to their last commits, and mass-proportional damping.
    pub dissipated: f64,
    /// What mass-proportional damping has of it.
    pub damped: f64,
    /// Work of time-dependent loads, follower loads and moving supports since the start.
    pub work: f64,
}

/// A momentum and its balance: `now = start + loads + reactions`, to rounding [AVI03 (56)-(57)].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MomentumBalance {
    /// Momentum now.
    pub now: [f64; 3],
    /// Momentum at the start.
    pub start: [f64; 3],
    /// Impulse of all loads.
    pub loads: [f64; 3],
    /// Impulse of all supports.
    pub reactions: [f64; 3],
    /// The size of the terms, to which the residual is relative: sum of the magnitudes of the nodes' momenta and of the impulses. A
    /// body at rest under its weight has no momentum but growing impulses.
    pub scale: f64,
}

/// External impulses that have been applied for times after the time reached: an element that last fired at `s` has applied its impulse up
/// to `s + dt/2`.
#[derive(Debug, Clone, Default)]
struct AppliedAhead {
    /// Impulse and moment of the loads.
    loads: [[f64; 3]; 2],
    /// Impulse of each support.
    reactions: Vec<[f64; 3]>,
    /// Moment of all supports.
    reaction_moment: [f64; 3],
}

impl AppliedAhead {
    /// Adds the impulse of a load on the node at `x`.
    fn add_load(&mut self, x: &[f64], impulse: &[f64; 3]) {
        let moment = cross(x, impulse);
        for i in 0..3 {
            self.loads[0][i] += impulse[i];
            self.loads[1][i] += moment[i];
        }
    }
}

impl MomentumBalance {
    /// Adds the impulses to the scale.
    fn with_impulses(mut self) -> Self {
        self.scale += self.loads.iter().chain(&self.reactions).map(|i| i.abs()).sum::<f64>();
        self
    }

    /// The balance with zero in place of the components that are not `kept`.
    pub fn only(mut self, kept: [bool; 3]) -> Self {
        for vector in [&mut self.now, &mut self.start, &mut self.loads, &mut self.reactions] {
            (0..3).filter(|i| !kept[*i]).for_each(|i| vector[i] = 0.0);
        }
        self
    }

    /// The largest component of the residual of the balance.
    pub fn residual(&self) -> f64 {
        let component = |i: usize| self.now[i] - self.start[i] - self.loads[i] - self.reactions[i];
        // NaN counts as the largest.
        (0..3).map(|i| component(i).abs()).fold(0.0, |a, b| if a >= b || a.is_nan() { a } else { b })
    }
}

impl<P: Potentials> Avi<P> {
    /// All nodes at the time reached. An element that last fired at `s` has applied its impulse up to `s + dt/2`; removing the part
    /// after the time reached gives second-order accurate velocities and energies. Nodes that two levels share are shown where both
    /// see them, if the slower level acts with its envelope: a swing between their impulses is no motion of the body.
    pub fn snapshot(&self) -> Result<Snapshot, AviError> {
        Ok(self.synchronise()?.0)
    }

    /// The balances of linear and angular momentum, and the impulse of each support, at the time reached. Those of
    /// [`linear_balance`](Self::linear_balance) and [`reaction_impulses`](Self::reaction_impulses) contain the whole impulse of every
    /// event: under a constant load `f` they are `f dt/2` ahead.
    pub fn balances_at_time(&self) -> Result<([MomentumBalance; 2], Vec<[f64; 3]>), AviError> {
        let ahead = self.synchronise()?.1;
        let mut linear = self.linear_balance();
        let mut angular = self.angular_balance();
        let mut reactions = self.reaction_impulses();
        for i in 0..3 {
            let of_supports: f64 = ahead.reactions.iter().map(|r| r[i]).sum();
            linear.now[i] -= ahead.loads[0][i] + of_supports;
            linear.loads[i] -= ahead.loads[0][i];
            linear.reactions[i] -= of_supports;
            angular.now[i] -= ahead.loads[1][i] + ahead.reaction_moment[i];
            angular.loads[i] -= ahead.loads[1][i];
            angular.reactions[i] -= ahead.reaction_moment[i];
            reactions.iter_mut().zip(&ahead.reactions).for_each(|(all, ahead)| all[i] -= ahead[i]);
        }
        Ok(([linear, angular], reactions))
    }

    /// Positions, velocities and energies of all nodes at the time reached, and the external impulses that had been applied ahead.
    fn synchronise(&self) -> Result<(Snapshot, AppliedAhead), AviError> {
        let time = self.time();
        let (mut x, mut v, damped) = self.drifted();
        self.show_shared_nodes(&mut x)?;
        let ahead: Vec<f64> =
            (0..self.potentials.count()).map(|k| self.clocks.impulse_time(k) - self.time).collect();
        // Impulses applied ahead, with the sign of a gradient; at a prescribed component they act on the support.
        let mut back = vec![0.0; x.len()];
        let own = self.add_weighted_gradient(&ahead, &x, &mut back);
        let own = own.map_err(|fault| AviError { time, fault })?;
        let mut potential = own.incremental();
        let mut work = self.totals().work();
        potential += self.potentials.constant_loads().map_or(0.0, |s| s.potential(&x));
        let supports = self.potentials.supports();
        let mut external = AppliedAhead {
            reactions: vec![[0.0; 3]; supports.map_or(0, |s| s.count())],
            ..AppliedAhead::default()
        };
        let mut lost = self.totals().damped();
        for (a, decayed) in damped {
            let x = &self.x[3 * a..3 * a + 3];
            external.add_load(x, &decayed.impulse.map(|p| -p));
            lost += decayed.energy;
            if supports.is_some_and(|s| s.moves_node(a as u32)) {
                // Among the change of its moment, which is not all of the support.
                let moment = cross(x, &decayed.impulse);
                (0..3).for_each(|i| external.reaction_moment[i] += moment[i]);
            }
        }
        for (a, force, element) in self.work_balance.nodal_loads.iter() {
            let impulse = force.map(|f| ahead[element] * f);
            (0..3).for_each(|i| back[3 * a + i] -= impulse[i]);
            external.add_load(&x[3 * a..3 * a + 3], &impulse);
        }
        let mut fields = FieldValues::new(time);
        let mut dead = self.scratch.clone();
        let mut follower = self.scratch.clone();
        for k in (0..ahead.len()).filter(|k| self.potentials.loaded(*k)) {
            let nodes = self.potentials.nodes(k);
            let dead = &mut dead[..3 * nodes.len()];
            let follower = &mut follower[..3 * nodes.len()];
            let load = self.potentials.load_at(k, &mut fields, &x, dead, follower);
            if !dead.iter().chain(&*follower).all(|f| f.is_finite()) {
                return Err(load_not_finite(&self.potentials, k, time));
            }
            potential += load.potential;
            work -= ahead[k] * load.rate;
            match self.potentials.flat_pressures(k) {
                [] => work += self.work_balance.follower_work(k, nodes, &x, follower),
                flat => {
                    for load in flat {
                        let push = push_of_triangle(load, &mut fields, &x);
                        work += self.work_balance.work_of_triangle(load, &push);
                    }
                }
            }
            for (n, &a) in nodes.iter().enumerate() {
                let at = 3 * a as usize;
                let impulse: [f64; 3] =
                    std::array::from_fn(|i| ahead[k] * (dead[3 * n + i] + follower[3 * n + i]));
                (0..3).for_each(|i| back[at + i] -= impulse[i]);
                external.add_load(&x[at..at + 3], &impulse);
            }
        }
        self.add_reactions_ahead(&x, &v, &back, &mut external);
        self.remove_impulses(&back, &mut v, &mut work);
        let kinetic = v.chunks_exact(3).zip(&self.mass).map(|(v, m)| 0.5 * m * dot(v, v)).sum();
        let dissipated = own.committed + lost;
        Ok((Snapshot { t: time, x, v, kinetic, potential, dissipated, damped: lost, work }, external))
    }

    /// Adds `sum_k weights[k] dV_k/dx` at the time reached to `out`, without commits; returns the sums of the energies.
    fn add_weighted_gradient(
        &self,
        weights: &[f64],
        x: &[f64],
        out: &mut [f64],
    ) -> Result<HistoryEnergy, PotentialFault> {
        if self.history.is_empty() {
            let energy = self.potentials.add_weighted_gradient(weights, self.time(), x, out)?;
            return Ok(HistoryEnergy::elastic(energy));
        }
        let mut total = HistoryEnergy::default();
        let (mut own, mut gradient) = (self.scratch.clone(), self.scratch.clone());
        for (k, weight) in weights.iter().enumerate() {
            let nodes = self.potentials.nodes(k);
            let (own, gradient) = (&mut own[..3 * nodes.len()], &mut gradient[..3 * nodes.len()]);
            let energy = match self.past(k) {
                Some(past) => {
                    for (own, a) in own.chunks_exact_mut(3).zip(nodes) {
                        own.copy_from_slice(&x[3 * *a as usize..][..3]);
                    }
                    self.potentials.update(k, own, past, gradient, None)?
                }
                None => HistoryEnergy::elastic(self.potentials.gradient(k, self.time(), x, gradient)?),
            };
            total.add(1.0, energy);
            for (a, gradient) in nodes.iter().zip(gradient.chunks_exact(3)) {
                let out = &mut out[3 * *a as usize..][..3];
                (0..3).for_each(|i| out[i] += weight * gradient[i]);
            }
        }
        Ok(total)
    }

    /// Positions at the time reached, and velocities as of the last kicks; both with prescribed motions, and what damping takes on the way.
    fn drifted(&self) -> (Vec<f64>, Vec<f64>, Vec<(usize, Decayed)>) {
        let mut x = self.x.clone();
        let mut v = self.v.clone();
        let mut damped = Vec::new();
        for (a, node_time) in self.node_time.iter().enumerate() {
            let (own, ahead) = (3 * a..3 * a + 3, self.time - node_time);
            match self.potentials.mass_damping().map(|rates| rates[a]) {
                Some(rate) if rate > 0.0 => {
                    let free = |i: usize| self.inverse_mass[3 * a + i] > 0.0;
                    let (x, v) = (&mut x[own.clone()], &mut v[own]);
                    damped.push((a, Decay::new(rate, ahead).of_node(self.mass[a], free, x, v)));
                }
                _ => own.for_each(|i| x[i] += ahead * v[i]),
            }
        }
        if let Some(supports) = self.potentials.supports() {
            supports.impose(self.time(), &mut x, &mut v);
        }
        (x, v, damped)
    }

    /// Removes the impulses `back` from free velocities, and their work on prescribed components from `work`.
    fn remove_impulses(&self, back: &[f64], v: &mut [f64], work: &mut f64) {
        for ((v, back), inverse_mass) in v.iter_mut().zip(back).zip(&self.inverse_mass) {
            if *inverse_mass == 0.0 {
                *work -= back * *v;
            } else {
                *v += inverse_mass * back;
            }
        }
        // Prescribed components have their velocity at the time reached; the work balance has that of the node's last event.
        for (a, mass) in self.mass.iter().enumerate() {
            for i in (3 * a..3 * a + 3).filter(|i| self.inverse_mass[*i] == 0.0) {
                *work += 0.5 * mass * (v[i] * v[i] - self.v[i] * self.v[i]);
            }
        }
    }

    /// Adds the reactions applied ahead of the time reached: the impulses on prescribed components, minus the change of momentum of the
    /// components that move until the time reached.
    fn add_reactions_ahead(&self, x: &[f64], v: &[f64], back: &[f64], external: &mut AppliedAhead) {
        let Some(supports) = self.potentials.supports() else { return };
        for (a, mass) in self.mass.iter().enumerate() {
            let at = 3 * a;
            let mut impulse = [0.0; 3];
            let mut fixed = false;
            for i in 0..3 {
                let Some(owner) = supports.owner(at + i) else { continue };
                fixed = true;
                impulse[i] = back[at + i];
                external.reactions[owner][i] += impulse[i] - mass * (v[at + i] - self.v[at + i]);
            }
            if !fixed {
                continue;
            }
            let position = &x[at..at + 3];
            let moment = cross(position, &impulse);
            let now = cross(position, &v[at..at + 3]);
            let then = cross(&self.x[at..at + 3], &self.v[at..at + 3]);
            let moved = supports.moves_node(a as u32);
            for i in 0..3 {
                let driven = if moved { mass * (now[i] - then[i]) } else { 0.0 };
                external.reaction_moment[i] += moment[i] - driven;
            }
        }
    }

    /// Linear momentum, conserved to rounding without external forces.
    pub fn linear_momentum(&self) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for (v, m) in self.v.chunks_exact(3).zip(&self.mass) {
            (0..3).for_each(|i| sum[i] += m * v[i]);
        }
        sum
    }

    /// Angular momentum about the origin. Nodes move on straight lines between events, so that each may be taken at its
    /// own time [VTI04 (56)].
    pub fn angular_momentum(&self) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for ((x, v), m) in self.x.chunks_exact(3).zip(self.v.chunks_exact(3)).zip(&self.mass) {
            let moment = cross(x, v);
            (0..3).for_each(|i| sum[i] += m * moment[i]);
        }
        sum
    }

    /// The balance of linear momentum [AVI03 (56)]; its scale is `sum |p_a|` plus the external impulses.
    pub fn linear_balance(&self) -> MomentumBalance {
        let momenta = self.v.chunks_exact(3).zip(&self.mass).map(|(v, m)| m * dot(v, v).sqrt());
        let totals = self.totals();
        let reactions = totals.reactions();
        MomentumBalance {
            now: self.linear_momentum(),
            start: self.initial_momenta[0],
            loads: totals.loads()[0],
            reactions: std::array::from_fn(|i| reactions.iter().map(|r| r[i]).sum()),
            scale: momenta.sum(),
        }
        .with_impulses()
    }

    /// The balance of angular momentum about the origin [AVI03 (57)]; its scale is `sum |x_a| |p_a|` plus the external moments.
    pub fn angular_balance(&self) -> MomentumBalance {
        let size = |((x, v), m): ((&[f64], &[f64]), &f64)| m * (dot(x, x) * dot(v, v)).sqrt();
        let nodes = self.x.chunks_exact(3).zip(self.v.chunks_exact(3)).zip(&self.mass);
        let totals = self.totals();
        MomentumBalance {
            now: self.angular_momentum(),
            start: self.initial_momenta[1],
            loads: totals.loads()[1],
            reactions: totals.reaction_moment(),
            scale: nodes.map(size).sum(),
        }
        .with_impulses()
    }

    /// The reaction impulse of each support so far.
    pub fn reaction_impulses(&self) -> Vec<[f64; 3]> {
        self.totals().reactions()
    }

    /// External impulses and work so far.
    fn totals(&self) -> BalanceTotals {
        self.work_balance.totals(self.potentials.supports(), &self.x)
    }
}
