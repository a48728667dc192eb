//! Asynchronous variational integrators: every element keeps its own time [VTI04 4.2-4.3], [AVI03 3].
//!
//! The discrete action (45) gives each element a clock. At `t_K^j = j dt_K` element `K` takes its nodes to that time
//! on straight lines and kicks them, `p_a -= dt_K dV_K/dx_a` (48)-(50). Nodes of other elements are not touched, so the
//! order of two events matters only if their elements share a node, and any order that respects this gives the same
//! bits. The start is half a kick of every element, which makes the whole second order.

mod descent;
mod queue;

pub use descent::Walk;
pub use queue::{Event, Queue};

use crate::model::{PotentialFault, Potentials};

/// An asynchronous integrator of a sum of potentials.
#[derive(Debug, Clone)]
pub struct Avi<P> {
    potentials: P,
    /// Positions and velocities of the nodes, each at its own time, three numbers a node.
    x: Vec<f64>,
    v: Vec<f64>,
    /// Time of each node.
    clock: Vec<f64>,
    mass: Vec<f64>,
    start: f64,
    /// Step and number of events so far of each element: the time of an event is a product, never a sum.
    step: Vec<f64>,
    events: Vec<u64>,
    queue: Queue,
    kick: Vec<f64>,
    time: f64,
}

/// Where and how an asynchronous run starts: three numbers a node, one mass a node, one step an element.
#[derive(Debug, Clone, PartialEq)]
pub struct AviStart {
    /// Initial time.
    pub t: f64,
    /// Initial positions.
    pub x: Vec<f64>,
    /// Initial velocities.
    pub v: Vec<f64>,
    /// Masses of the nodes, positive.
    pub mass: Vec<f64>,
    /// Steps of the elements, positive.
    pub step: Vec<f64>,
}

/// An element that could not be evaluated: where the run stands.
#[derive(Debug, Clone, PartialEq)]
pub struct AviError {
    /// Time of the event.
    pub time: f64,
    /// What failed.
    pub fault: PotentialFault,
}

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
    /// Potential energy.
    pub potential: f64,
}

impl<P: Potentials> Avi<P> {
    /// Starts at a state; makes the half kick of every element there.
    ///
    /// # Panics
    /// If the lengths in `start` do not fit each other or the potentials.
    pub fn new(potentials: P, start: AviStart) -> Result<Self, AviError> {
        let (nodes, count) = (start.mass.len(), potentials.count());
        assert_eq!(
            (start.x.len(), start.v.len(), start.step.len()),
            (3 * nodes, 3 * nodes, count),
            "lengths"
        );
        let widest = (0..count).map(|k| potentials.nodes(k).len()).max().unwrap_or(0);
        let queue =
            Queue::new((0..count).map(|k| Event { time: start.t + start.step[k], element: k as u32 }));
        let mut avi = Avi {
            potentials,
            x: start.x,
            v: start.v,
            clock: vec![start.t; nodes],
            mass: start.mass,
            start: start.t,
            events: vec![0; count],
            step: start.step,
            queue,
            kick: vec![0.0; 3 * widest],
            time: start.t,
        };
        // Every half kick sees the positions of the start: velocities alone change.
        for k in 0..count {
            avi.kick(k, start.t, 0.5 * avi.step[k])?;
        }
        Ok(avi)
    }

    /// Makes all events up to a time, in the order of one queue.
    pub fn advance(&mut self, until: f64) -> Result<(), AviError> {
        while let Some(event) = self.queue.first().filter(|e| e.time <= until) {
            let next = self.fire(event)?;
            self.queue.replace_first(next);
        }
        self.time = self.time.max(until);
        Ok(())
    }

    /// The next event of an element.
    #[inline]
    fn next(&self, k: usize) -> Event {
        Event { time: self.start + (self.events[k] + 1) as f64 * self.step[k], element: k as u32 }
    }

    /// One event; returns the next one of its element.
    #[inline]
    fn fire(&mut self, event: Event) -> Result<Event, AviError> {
        let k = event.element as usize;
        for &a in self.potentials.nodes(k) {
            let a = a as usize;
            let ahead = event.time - self.clock[a];
            for i in 3 * a..3 * a + 3 {
                self.x[i] += ahead * self.v[i];
            }
            self.clock[a] = event.time;
        }
        self.kick(k, event.time, self.step[k])?;
        self.events[k] += 1;
        Ok(self.next(k))
    }

    /// `v_a -= (weight / m_a) dV_k/dx_a`.
    #[inline]
    fn kick(&mut self, k: usize, t: f64, weight: f64) -> Result<(), AviError> {
        let nodes = self.potentials.nodes(k);
        let kick = &mut self.kick[..3 * nodes.len()];
        self.potentials.gradient(k, t, &self.x, kick).map_err(|fault| AviError { time: t, fault })?;
        for (&a, kick) in nodes.iter().zip(kick.chunks_exact(3)) {
            let a = a as usize;
            let factor = weight / self.mass[a];
            for i in 0..3 {
                self.v[3 * a + i] -= factor * kick[i];
            }
        }
        Ok(())
    }

    /// All nodes at the time reached. An element that last fired at `s` has kicked as for the time up to
    /// `s + dt/2`; taking back the part that lies ahead gives velocities, and an energy, of second order.
    pub fn snapshot(&self) -> Result<Snapshot, AviError> {
        let t = self.time;
        let (mut x, mut v) = (self.x.clone(), self.v.clone());
        for (a, clock) in self.clock.iter().enumerate() {
            for i in 3 * a..3 * a + 3 {
                x[i] += (t - clock) * v[i];
            }
        }
        let mut gradient = self.kick.clone();
        let mut potential = 0.0;
        for k in 0..self.potentials.count() {
            let nodes = self.potentials.nodes(k);
            let gradient = &mut gradient[..3 * nodes.len()];
            let value = self.potentials.gradient(k, t, &x, gradient);
            potential += value.map_err(|fault| AviError { time: t, fault })?;
            let last = self.start + self.events[k] as f64 * self.step[k];
            let ahead = last + 0.5 * self.step[k] - t;
            for (&a, gradient) in nodes.iter().zip(gradient.chunks_exact(3)) {
                for i in 0..3 {
                    v[3 * a as usize + i] += ahead / self.mass[a as usize] * gradient[i];
                }
            }
        }
        let kinetic =
            v.chunks_exact(3).zip(&self.mass).map(|(v, m)| 0.5 * m * crate::linalg::dot(v, v)).sum();
        Ok(Snapshot { t, x, v, kinetic, potential })
    }

    /// Linear momentum: conserved to rounding when no potential is tied to space.
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
            for i in 0..3 {
                let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                sum[i] += m * (x[j] * v[k] - x[k] * v[j]);
            }
        }
        sum
    }

    /// Positions of the nodes, each at its own time.
    pub fn positions(&self) -> &[f64] {
        &self.x
    }

    /// Velocities of the nodes since their last kick.
    pub fn velocities(&self) -> &[f64] {
        &self.v
    }

    /// Events of each element so far.
    pub fn events(&self) -> &[u64] {
        &self.events
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// What a synchronous run would need, over what this one needs: `lambda = sum(1/dt_min) / sum(1/dt_K)` [VTI04 (62)].
    pub fn ideal_speedup(&self) -> f64 {
        let least = self.step.iter().copied().fold(f64::INFINITY, f64::min);
        self.step.len() as f64 / least / self.step.iter().map(|h| 1.0 / h).sum::<f64>()
    }
}
