//! The initial state of an asynchronous run, its first half kicks, and the choice of the scheduler.

use super::clocks::Clocks;
use super::envelope::{Boundary, Envelope, Mesh};
use super::external::{LoadTime, load_not_finite};
use super::harmonic_schedule::HarmonicSchedule;
use super::history::History;
use super::nodal_loads::NodalLoads;
use super::turns::{Turn, Turns};
use super::work_balance::WorkBalance;
use super::{Avi, AviError, LEAST_PARTITIONED, Queue, Schedule};
use crate::model::{FormulaField, Potentials};
use std::sync::Arc;

/// Initial state, lumped masses and time steps of an asynchronous run.
#[derive(Debug, Clone, PartialEq)]
pub struct AviStart {
    /// Initial time.
    pub t: f64,
    /// Initial positions, three numbers a node.
    pub x: Vec<f64>,
    /// Initial velocities, three numbers a node.
    pub v: Vec<f64>,
    /// Masses of the nodes, positive.
    pub mass: Vec<f64>,
    /// Time steps of the elements, positive.
    pub step: Vec<f64>,
}

/// Time steps that change: a factor that depends on the time and on the position of each element.
#[derive(Debug, Clone)]
pub struct StepFactor {
    /// A positive number, evaluated at the time of the event that begins the step.
    pub factor: Arc<FormulaField>,
    /// The position of each element.
    pub places: Vec<[f64; 3]>,
}

impl<P: Potentials> Avi<P> {
    /// Starts at a state and applies the initial half kick of every element.
    ///
    /// # Panics
    /// If the lengths in `start` do not fit each other or the potentials.
    pub fn new(potentials: P, start: AviStart) -> Result<Self, AviError> {
        let mut avi = Avi::before_first_kick(potentials, start);
        avi.begin()?;
        Ok(avi)
    }

    /// As [`new`](Self::new), with the events of every element in the middle of its time steps, at `(j - 1/2) dt_K`: the
    /// midpoint rule for its part of the action, where [`new`](Self::new) uses the trapezoidal rule. There is no initial half kick.
    ///
    /// If the time steps are a base step times powers of two, elements of different time steps then never fire together. The
    /// slower element sees its nodes half way between two kicks of the faster element, at the mean of the positions that these kicks
    /// see. A vibration near the stability limit of the faster element changes sign between two kicks and has a mean near
    /// zero, so the impulses of the slower element hardly excite it (resonance).
    pub fn with_midpoint_events(potentials: P, start: AviStart) -> Result<Self, AviError> {
        let mut avi = Avi::before_first_kick(potentials, start);
        avi.clocks.event_shift = 0.5;
        avi.begin()?;
        Ok(avi)
    }

    /// As [`with_midpoint_events`](Self::with_midpoint_events), where `boundary` chooses how a slower level acts on the nodes that it shares
    /// with the next faster one. Time steps that are not a base step times powers of two have no levels, and act with their impulses;
    /// [`boundary`](Self::boundary) tells which is in use.
    pub fn with_boundary(potentials: P, start: AviStart, boundary: Boundary) -> Result<Self, AviError> {
        let mut avi = Avi::before_first_kick(potentials, start);
        avi.clocks.event_shift = 0.5;
        avi.boundary = boundary.of(&avi.potentials);
        avi.begin()?;
        Ok(avi)
    }

    /// As [`new`](Self::new), with time steps that change in time.
    pub fn with_varying_steps(potentials: P, start: AviStart, steps: StepFactor) -> Result<Self, AviError> {
        let mut avi = Avi::before_first_kick(potentials, start);
        avi.clocks.vary(steps.factor, steps.places);
        avi.begin()?;
        Ok(avi)
    }

    fn before_first_kick(potentials: P, start: AviStart) -> Self {
        let nodes = start.mass.len();
        let count = potentials.count();
        assert_eq!(
            (start.x.len(), start.v.len(), start.step.len()),
            (3 * nodes, 3 * nodes, count),
            "lengths"
        );
        let AviStart { t, mut x, mut v, mass, step } = start;
        let mut inverse_mass: Vec<f64> = mass.iter().flat_map(|m| [1.0 / m; 3]).collect();
        let loaded = (0..count).filter(|k| potentials.loaded(*k));
        let mut booked: Vec<u32> = loaded.flat_map(|k| potentials.nodes(k)).copied().collect();
        if let Some(supports) = potentials.supports() {
            supports.impose(t, &mut x, &mut v);
            (0..inverse_mass.len()).filter(|i| supports.is_fixed(*i)).for_each(|i| inverse_mass[i] = 0.0);
            booked.extend((0..nodes as u32).filter(|a| supports.holds_node(*a)));
        }
        if let Some(rates) = potentials.mass_damping() {
            booked.extend((0..nodes as u32).filter(|a| rates[*a as usize] > 0.0));
        }
        let widest = (0..count).map(|k| potentials.nodes(k).len()).max().unwrap_or(0);
        let clocks = Clocks::new(t, step);
        let nodal_loads = NodalLoads::new(&potentials, &clocks.step, &clocks.rank);
        let follower = with_follower_loads(&potentials, &x, t);
        let mut work_balance = WorkBalance::new(nodes, booked.into_iter(), &follower, nodal_loads);
        work_balance.note_velocities(&v);
        let is_booked = |k: usize| potentials.nodes(k).iter().any(|a| work_balance.has(*a));
        let loaded_or_fixed = (0..count).map(is_booked).collect();
        let history = History::new(&potentials);
        let mut avi = Avi {
            potentials,
            x,
            v,
            node_time: vec![0.0; nodes],
            mass,
            inverse_mass,
            clocks,
            schedule: Schedule::Queue(Queue::default()),
            loaded_or_fixed,
            turns: Turns::default(),
            boundary: Boundary::Impulse,
            envelope: None,
            local: None,
            work_balance,
            history,
            initial_momenta: [[0.0; 3]; 2],
            scratch: vec![0.0; 9 * widest],
            time: 0.0,
            threads: 1,
            subdomain_size: None,
        };
        avi.initial_momenta = [avi.linear_momentum(), avi.angular_momentum()];
        avi
    }

    /// Applies half a kick of every element at the initial positions (only velocities change), and chooses the scheduler.
    fn begin(&mut self) -> Result<(), AviError> {
        if let Some(k) = self.potentials.constant_loads().and_then(|s| s.not_finite(&self.potentials)) {
            return Err(load_not_finite(&self.potentials, k, self.clocks.start));
        }
        for k in 0..self.clocks.step.len() {
            let weight = self.clocks.first_weight(k);
            self.check_next(k)?;
            self.kick_with_loads::<false>(k, LoadTime { t: 0.0, weight, first: true }, Turn::ALONE)?;
        }
        self.clocks.count_ticks();
        if self.clocks.harmonic.is_none()
            && self.clocks.varying.is_none()
            && self.clocks.step.len() >= LEAST_PARTITIONED
        {
            self.schedule = Schedule::Free(Box::default());
        }
        self.arrange_levels();
        self.refill();
        Ok(())
    }

    /// Makes what follows from the levels of harmonic time steps: whose turn it is at a node, the schedule, and the envelopes of slower levels about
    /// the present positions.
    pub(super) fn arrange_levels(&mut self) {
        let Some(clock) = self.clocks.harmonic_clock() else { return };
        let ranked = self.clocks.ranked();
        if self.loaded_or_fixed.contains(&true) {
            self.turns = Turns::new(&self.potentials, &ranked, &self.clocks.step, self.mass.len());
        }
        if self.clocks.harmonic.is_some() {
            self.schedule = Schedule::Harmonic(HarmonicSchedule::new(&self.potentials, &clock, &ranked));
        }
        self.envelope = None;
        if self.boundary.has_envelope() && clock.midpoint {
            let mesh = Mesh {
                potentials: &self.potentials,
                clocks: &self.clocks,
                inverse_mass: &self.inverse_mass,
                x: &self.x,
            };
            self.envelope = Envelope::new(&mesh, &clock, self.boundary);
        }
    }
}

/// The elements under follower loads (pressures), each with the number of the points on which they act: flat triangles, or nodes.
pub(super) fn with_follower_loads<P: Potentials>(potentials: &P, x: &[f64], t: f64) -> Vec<(usize, usize)> {
    let has_follower = |k: &usize| {
        let mut dead = vec![0.0; 3 * potentials.nodes(*k).len()];
        let mut follower = dead.clone();
        potentials.load(*k, t, x, &mut dead, &mut follower).follower
    };
    (0..potentials.count())
        .filter(|k| potentials.loaded(*k))
        .filter(has_follower)
        .map(|k| match potentials.flat_pressures(k) {
            [] => (k, potentials.nodes(k).len()),
            flat => (k, flat.len()),
        })
        .collect()
}
