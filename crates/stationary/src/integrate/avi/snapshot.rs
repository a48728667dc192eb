//! All nodes at one time: energies, momenta, and the balance of momentum with what comes from outside.

use super::accounts::Totals;
use super::guarded::no_load;
use super::{Avi, AviError};
use crate::linalg::{cross, dot};
use crate::model::Potentials;

/// All nodes at one time, with the velocities that belong to it.
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
    /// Potential energy, that of dead loads included.
    pub potential: f64,
    /// What changing loads, pressures and moving supports have brought in since the start.
    pub work: f64,
}

/// Momenta with what came from outside: `start + loads + reactions` is what is, to rounding [AVI03 (56)-(57)].
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Balance {
    /// Momentum now.
    pub now: [f64; 3],
    /// Momentum at the start.
    pub start: [f64; 3],
    /// Impulse of all loads.
    pub loads: [f64; 3],
    /// Impulse of all supports.
    pub reactions: [f64; 3],
    /// The size of the terms: of the nodes' momenta, and of the impulses. A body at rest under its weight has none of the
    /// first and ever more of the second.
    pub scale: f64,
}

/// What came from outside between the time reached and the time that kicks have gone to, to be taken back: an element that last fired
/// at `s` has kicked as for the time up to `s + dt/2`.
#[derive(Debug, Clone, Default)]
struct Ahead {
    /// Impulse and moment of the loads.
    loads: [[f64; 3]; 2],
    /// Impulse of each support, and the moment of all.
    reactions: Vec<[f64; 3]>,
    reaction_moment: [f64; 3],
}

impl Ahead {
    /// A load's impulse on the node at `x`.
    fn load(&mut self, x: &[f64], impulse: &[f64; 3]) {
        let moment = cross(x, impulse);
        for i in 0..3 {
            self.loads[0][i] += impulse[i];
            self.loads[1][i] += moment[i];
        }
    }
}

impl Balance {
    /// With the impulses in the scale, where there are any.
    fn with_impulses(mut self) -> Self {
        self.scale += self.loads.iter().chain(&self.reactions).map(|i| i.abs()).sum::<f64>();
        self
    }

    /// The largest component of what is left over.
    pub fn residual(&self) -> f64 {
        let left = |i: usize| self.now[i] - self.start[i] - self.loads[i] - self.reactions[i];
        // One that is no number is the largest.
        (0..3).map(|i| left(i).abs()).fold(0.0, |a, b| if a >= b || a.is_nan() { a } else { b })
    }
}

impl<P: Potentials> Avi<P> {
    /// All nodes at the time reached. An element that last fired at `s` has kicked as for the time up to
    /// `s + dt/2`; taking back the part that lies ahead gives velocities, and an energy, of second order.
    pub fn snapshot(&self) -> Result<Snapshot, AviError> {
        Ok(self.take_back()?.0)
    }

    /// The balances of linear and angular momentum, and the impulse of each support, at the time reached. Those of
    /// [`linear_balance`](Self::linear_balance) and [`reaction_impulses`](Self::reaction_impulses) have the whole kick of every event:
    /// under a constant load `f` they are `f dt/2` ahead.
    pub fn balances_at_time(&self) -> Result<([Balance; 2], Vec<[f64; 3]>), AviError> {
        let ahead = self.take_back()?.1;
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

    fn take_back(&self) -> Result<(Snapshot, Ahead), AviError> {
        let (t, time) = (self.time, self.time());
        let (mut x, mut v) = (self.x.clone(), self.v.clone());
        for (a, clock) in self.clock.iter().enumerate() {
            for i in 3 * a..3 * a + 3 {
                x[i] += (t - clock) * v[i];
            }
        }
        if let Some(supports) = self.potentials.supports() {
            supports.drive(time, &mut x, &mut v);
        }
        let ahead: Vec<f64> = (0..self.potentials.count()).map(|k| self.clocks.reach(k) - t).collect();
        // What is to be taken back, as forces: at a held component it went to the support.
        let mut back = vec![0.0; x.len()];
        let own = self.potentials.weighted(&ahead, time, &x, &mut back);
        let mut potential = own.map_err(|fault| AviError { time, fault })?;
        let mut work = self.totals().work();
        potential += self.potentials.steady().map_or(0.0, |s| s.potential(&x));
        let supports = self.potentials.supports();
        let mut outside =
            Ahead { reactions: vec![[0.0; 3]; supports.map_or(0, |s| s.count())], ..Ahead::default() };
        for (a, force, bearer) in self.accounts.bearers.all() {
            let impulse = force.map(|f| ahead[bearer] * f);
            (0..3).for_each(|i| back[3 * a + i] -= impulse[i]);
            outside.load(&x[3 * a..3 * a + 3], &impulse);
        }
        let (mut dead, mut following) = (self.kick.clone(), self.kick.clone());
        for k in (0..ahead.len()).filter(|k| self.guarded[*k] && self.potentials.loaded(*k)) {
            let nodes = self.potentials.nodes(k);
            let (dead, following) = (&mut dead[..3 * nodes.len()], &mut following[..3 * nodes.len()]);
            let load = self.potentials.load(k, time, &x, dead, following);
            if !dead.iter().chain(&*following).all(|f| f.is_finite()) {
                return Err(no_load(&self.potentials, k, time));
            }
            potential += load.potential;
            work -= ahead[k] * load.rate;
            work += self.accounts.pressing(k, nodes, &x, following);
            for (n, &a) in nodes.iter().enumerate() {
                let at = 3 * a as usize;
                let impulse: [f64; 3] =
                    std::array::from_fn(|i| ahead[k] * (dead[3 * n + i] + following[3 * n + i]));
                (0..3).for_each(|i| back[at + i] -= impulse[i]);
                outside.load(&x[at..at + 3], &impulse);
            }
        }
        self.take_back_reactions(&x, &v, &back, &mut outside);
        for ((v, back), inverse) in v.iter_mut().zip(&back).zip(&self.inverse) {
            if *inverse == 0.0 {
                work -= back * *v;
            } else {
                *v += inverse * back;
            }
        }
        // Moved components carry their velocity at `t`; the accounts know it at the node's last event.
        for (a, mass) in self.mass.iter().enumerate() {
            for i in (3 * a..3 * a + 3).filter(|i| self.inverse[*i] == 0.0) {
                work += 0.5 * mass * (v[i] * v[i] - self.v[i] * self.v[i]);
            }
        }
        let kinetic = v.chunks_exact(3).zip(&self.mass).map(|(v, m)| 0.5 * m * dot(v, v)).sum();
        Ok((Snapshot { t: time, x, v, kinetic, potential, work }, outside))
    }

    /// What the supports gave ahead of time: the kicks on held components; less what they give on the way to the time, the change of
    /// momentum of those that move.
    fn take_back_reactions(&self, x: &[f64], v: &[f64], back: &[f64], outside: &mut Ahead) {
        let Some(supports) = self.potentials.supports() else { return };
        for (a, mass) in self.mass.iter().enumerate() {
            let at = 3 * a;
            let mut kick = [0.0; 3];
            let mut held = false;
            for i in 0..3 {
                let Some(owner) = supports.owner(at + i) else { continue };
                held = true;
                kick[i] = back[at + i];
                outside.reactions[owner][i] += kick[i] - mass * (v[at + i] - self.v[at + i]);
            }
            if !held {
                continue;
            }
            let place = &x[at..at + 3];
            let moment = cross(place, &kick);
            let now = cross(place, &v[at..at + 3]);
            let then = cross(&self.x[at..at + 3], &self.v[at..at + 3]);
            let moved = supports.moves_node(a as u32);
            for i in 0..3 {
                let driven = if moved { mass * (now[i] - then[i]) } else { 0.0 };
                outside.reaction_moment[i] += moment[i] - driven;
            }
        }
    }

    /// Linear momentum: conserved to rounding when nothing acts from outside.
    pub fn linear_momentum(&self) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for (v, m) in self.v.chunks_exact(3).zip(&self.mass) {
            (0..3).for_each(|i| sum[i] += m * v[i]);
        }
        sum
    }

    /// Angular momentum about the origin. Nodes move straight between events, so each may be taken at its own time [VTI04 (56)].
    pub fn angular_momentum(&self) -> [f64; 3] {
        let mut sum = [0.0; 3];
        for ((x, v), m) in self.x.chunks_exact(3).zip(self.v.chunks_exact(3)).zip(&self.mass) {
            let moment = cross(x, v);
            (0..3).for_each(|i| sum[i] += m * moment[i]);
        }
        sum
    }

    /// The balance of linear momentum [AVI03 (56)]; its scale is `sum |p_a|`, and the
    /// impulses from outside.
    pub fn linear_balance(&self) -> Balance {
        let momenta = self.v.chunks_exact(3).zip(&self.mass).map(|(v, m)| m * dot(v, v).sqrt());
        let totals = self.totals();
        let reactions = totals.reactions();
        Balance {
            now: self.linear_momentum(),
            start: self.origin[0],
            loads: totals.loads()[0],
            reactions: std::array::from_fn(|i| reactions.iter().map(|r| r[i]).sum()),
            scale: momenta.sum(),
        }
        .with_impulses()
    }

    /// The balance of angular momentum about the origin [AVI03 (57)]; its scale is
    /// `sum |x_a| |p_a|`, and the moments from outside.
    pub fn angular_balance(&self) -> Balance {
        let size = |((x, v), m): ((&[f64], &[f64]), &f64)| m * (dot(x, x) * dot(v, v)).sqrt();
        let nodes = self.x.chunks_exact(3).zip(self.v.chunks_exact(3)).zip(&self.mass);
        let totals = self.totals();
        Balance {
            now: self.angular_momentum(),
            start: self.origin[1],
            loads: totals.loads()[1],
            reactions: totals.reaction_moment(),
            scale: nodes.map(size).sum(),
        }
        .with_impulses()
    }

    /// The impulse that each support has given so far.
    pub fn reaction_impulses(&self) -> Vec<[f64; 3]> {
        self.totals().reactions()
    }

    /// What has come from outside so far.
    fn totals(&self) -> Totals {
        self.accounts.totals(self.potentials.supports())
    }
}
