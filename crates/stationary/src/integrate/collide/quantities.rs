//! What can be asked of colliding bodies: states, energies, momenta, gaps, and what walls and impacts have given and taken.

use super::engine::Collisions;
use super::flight::{Clock, Flight};
use super::start;
use super::world::World;
use crate::contact::BodyImpact;
use crate::contact::rigid::BodyState;
use crate::contact::time_of_impact::OutlineSearch;
use crate::linalg::Vec3;

impl Collisions {
    /// The time reached.
    pub fn time(&self) -> f64 {
        self.start + self.clock().rounded()
    }

    /// Whole steps made.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Impacts so far.
    pub fn impacts(&self) -> u64 {
        self.impacts
    }

    /// The impacts of the last call of [`advance`](Self::advance).
    pub fn happened(&self) -> &[BodyImpact] {
        &self.happened
    }

    /// What moves.
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The present state of a body.
    pub fn state(&self, i: usize) -> BodyState {
        let Flight { began, state } = &self.flights[i];
        match self.asleep_since[i] {
            Some(_) => *state,
            None => state.after(self.clock().since(*began), self.world.gravity),
        }
    }

    /// Kinetic and potential energy.
    pub fn energy(&self) -> [f64; 2] {
        let (mut kinetic, mut total) = (0.0, 0.0);
        for (i, b) in self.world.bodies.iter().enumerate() {
            let state = self.state(i);
            kinetic +=
                0.5 * (b.mass * state.velocity.dot(state.velocity) + b.inertia * state.spin.dot(state.spin));
            total -= b.mass * self.world.gravity.dot(state.position);
        }
        [kinetic, total]
    }

    /// Linear momentum, and the sum of the sizes of the momenta.
    pub fn momentum(&self) -> (Vec3, f64) {
        let (mut sum, mut size) = (Vec3::ZERO, 0.0);
        for (i, b) in self.world.bodies.iter().enumerate() {
            let velocity = self.state(i).velocity;
            sum += b.mass * velocity;
            size += b.mass * velocity.norm();
        }
        (sum, size)
    }

    /// Angular momentum about the origin.
    pub fn angular_momentum(&self) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for (i, b) in self.world.bodies.iter().enumerate() {
            let state = self.state(i);
            sum += b.mass * state.position.cross(state.velocity);
            sum += b.inertia * state.spin;
        }
        sum
    }

    /// The impulse that all walls have given since the start, also by what they carry.
    pub fn impulse_of_walls(&self) -> Vec3 {
        let mut sum = self.from_walls[0];
        for (b, since) in self.world.bodies.iter().zip(&self.asleep_since) {
            if let Some(since) = since {
                sum += (-b.mass * self.clock().since(*since)) * self.world.gravity;
            }
        }
        sum
    }

    /// Energy that impacts have taken since the start.
    pub fn lost(&self) -> f64 {
        self.lost[0]
    }

    /// How many bodies are asleep where they rest.
    pub fn resting(&self) -> usize {
        self.asleep_since.iter().flatten().count()
    }

    /// Looks at all near pairs now; the least gap seen so far, here and at every impact, in sizes of the smaller of the pair.
    pub fn least_gap(&mut self) -> f64 {
        let mut near = std::mem::take(&mut self.near);
        for i in 0..self.flights.len() {
            self.grid.near(i, &mut near);
            let later = near.iter().map(|j| *j as usize).filter(|j| *j > i);
            let walls = self.flights.len()..self.flights.len() + self.world.walls.len();
            for j in later.chain(walls) {
                let gap =
                    start::gap_between(&self.world, [i, j], |k| self.state(k), &mut OutlineSearch::default());
                self.least_gap = self.least_gap.min(gap / self.size(i, j));
            }
        }
        self.near = near;
        self.least_gap
    }

    pub(super) fn lose(&mut self, energy: f64) {
        let more = energy + self.lost[1];
        let new = self.lost[0] + more;
        self.lost = [new, more - (new - self.lost[0])];
    }

    /// Gravity as a body feels it: none while it is asleep.
    pub(super) fn gravity_of(&self, k: usize) -> Vec3 {
        if self.is_asleep(k) { Vec3::ZERO } else { self.world.gravity }
    }

    /// Whether a body is asleep.
    pub(super) fn is_asleep(&self, k: usize) -> bool {
        self.asleep_since.get(k).is_some_and(Option::is_some)
    }

    /// How fast the points of a body move at most.
    pub(super) fn speed(&self, k: usize) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        let state = self.state(k);
        state.velocity.norm() + b.shape.reach() * state.spin.norm()
    }

    /// Adds an impulse of a wall, with compensation.
    pub(super) fn book(&mut self, impulse: Vec3) {
        let [sum, lost] = &mut self.from_walls;
        for k in 0..3 {
            let more = impulse[k] + lost[k];
            let new = sum[k] + more;
            lost[k] = more - (new - sum[k]);
            sum[k] = new;
        }
    }

    pub(super) fn energy_of(&self, k: usize, state: &BodyState) -> f64 {
        let Some(b) = self.world.bodies.get(k) else { return 0.0 };
        let kinetic =
            0.5 * (b.mass * state.velocity.dot(state.velocity) + b.inertia * state.spin.dot(state.spin));
        kinetic - b.mass * self.world.gravity.dot(state.position)
    }

    pub(super) fn counter(&self, k: usize) -> u32 {
        self.counters.get(k).copied().unwrap_or(0)
    }

    pub(super) fn clock(&self) -> Clock {
        self.window.after(self.offset)
    }
}
