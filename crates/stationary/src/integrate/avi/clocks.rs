//! The clock of every element: the times of its events, and the weights of its kicks.

use super::Event;
use super::harmonic_clock::HarmonicClock;
use crate::model::FormulaField;
use std::sync::Arc;

/// A time step is halved at most so often.
pub(super) const MOST_HALVINGS: u32 = 16;

/// Time steps and event counts of all elements.
///
/// Times count from the start: they are then bit-identical for every initial time, and lose few digits late in a run. Loads and
/// prescribed motions are evaluated at the sum with `start`.
///
/// With constant time steps the time of event `j` is the product `j dt_K`, never an accumulated sum, and `(j - 1/2) dt_K` where events lie
/// in the middle of steps. With time steps that change, the weight of an event is half the time from the last event to the next: the
/// trapezoidal rule for the element's part of the action.
///
/// Constant steps may be multiplied by a number, and those of some elements be halved several times, at a time at which all nodes are brought
/// together: the clocks then begin anew at this time, their origin, and event `j` since then is at `origin + j dt_K` or `origin + (j - 1/2) dt_K`.
#[derive(Debug, Clone)]
pub(super) struct Clocks {
    /// The initial time.
    pub start: f64,
    /// The time step of each element.
    pub step: Vec<f64>,
    /// Number of events of each element since the origin; empty while ticks are counted instead.
    pub events: Vec<u64>,
    /// The time since the start from which events are counted.
    pub origin: f64,
    /// The number by which the first time steps have been multiplied.
    pub scale: f64,
    /// How often the time step of each element has been halved besides; empty if none has.
    pub halvings: Vec<u32>,
    /// The first time steps, once they have been changed.
    first_step: Option<Vec<f64>>,
    /// Number of events of each element before the origin; empty while that is the start.
    pub events_before: Vec<u64>,
    /// The clock of harmonic time steps.
    pub harmonic: Option<Arc<HarmonicClock>>,
    /// Number of ticks of the harmonic clock since the origin.
    pub ticks_done: u64,
    /// The order of each element among those that fire at the same time.
    pub rank: Vec<u32>,
    pub varying: Option<VaryingSteps>,
    /// The part of its step by which an event precedes the end of the step: 0, or 1/2 for midpoint events.
    pub event_shift: f64,
}

/// How time steps differ from the first ones.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct StepChange {
    /// A factor of all time steps.
    pub scale: f64,
    /// How often that of each element is halved besides; empty if none is.
    pub halvings: Vec<u32>,
}

impl StepChange {
    /// Time steps from the first ones. Halves are exact, so that harmonic time steps stay so.
    fn apply(&self, first: &[f64], step: &mut [f64]) {
        for (k, (step, first)) in step.iter_mut().zip(first).enumerate() {
            let halvings = self.halvings.get(k).copied().unwrap_or(0);
            *step = self.scale * *first * (-f64::from(halvings)).exp2();
        }
    }
}

/// The order of elements among those that fire at the same time: small time steps first, then by number.
fn ranks(step: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..step.len() as u32).collect();
    order.sort_by(|a, b| step[*a as usize].total_cmp(&step[*b as usize]));
    let mut rank = vec![0; step.len()];
    order.iter().zip(0..).for_each(|(k, place)| rank[*k as usize] = place);
    rank
}

/// Time steps that change: `dt_K` times a factor that depends on the time and the element's position.
#[derive(Debug, Clone)]
pub(super) struct VaryingSteps {
    factor: Arc<FormulaField>,
    places: Vec<[f64; 3]>,
    /// Time of the last event of each element.
    pub last: Vec<f64>,
    /// Time of the next event of each element.
    pub next: Vec<f64>,
}

impl Clocks {
    /// Orders simultaneous events: small time steps first, so that loops over elements go from level to level; then by number.
    pub fn new(start: f64, step: Vec<f64>) -> Self {
        let rank = ranks(&step);
        let events = vec![0; step.len()];
        Clocks {
            start,
            step,
            events,
            origin: 0.0,
            scale: 1.0,
            halvings: Vec::new(),
            first_step: None,
            events_before: Vec::new(),
            harmonic: None,
            ticks_done: 0,
            rank,
            varying: None,
            event_shift: 0.0,
        }
    }

    /// All elements in the order of simultaneous events.
    pub fn ranked(&self) -> Vec<u32> {
        let mut ranked = vec![0; self.rank.len()];
        self.rank.iter().zip(0..).for_each(|(place, k)| ranked[*place as usize] = k);
        ranked
    }

    /// Makes the time steps variable: `factor` multiplies each element's step, evaluated at the time of the event that begins the step and
    /// at the element's position.
    pub fn vary(&mut self, factor: Arc<FormulaField>, places: Vec<[f64; 3]>) {
        let last = vec![0.0; self.step.len()];
        let mut varying = VaryingSteps { factor, places, next: last.clone(), last };
        for k in 0..self.step.len() {
            varying.next[k] = varying.step(k, self.start, self.step[k]);
        }
        self.varying = Some(varying);
    }

    /// Counts ticks instead of the events of each element, if the time steps are harmonic and constant.
    pub fn count_ticks(&mut self) {
        if self.varying.is_none()
            && let Some(clock) = HarmonicClock::new(&self.step, self.event_shift > 0.0, self.origin)
        {
            self.ticks_done = clock.ticks(&self.events);
            self.harmonic = Some(Arc::new(clock));
            self.events = Vec::new();
        }
    }

    /// The clock of harmonic time steps, also where a queue executes them.
    pub fn harmonic_clock(&self) -> Option<Arc<HarmonicClock>> {
        let equivalent = || HarmonicClock::new(&self.step, self.event_shift > 0.0, self.origin).map(Arc::new);
        self.harmonic.clone().or_else(|| self.varying.is_none().then(equivalent).flatten())
    }

    /// Counts the events of each element.
    pub fn count_events(&mut self) {
        self.events = self.events();
        self.harmonic = None;
    }

    /// Begins anew at a time since the start, with the first time steps changed in this way and these numbers of events before.
    pub fn restart(&mut self, origin: f64, change: &StepChange, events_before: Vec<u64>) {
        self.origin = origin;
        self.events_before = events_before;
        if (change.scale, &change.halvings) != (self.scale, &self.halvings) {
            let first = self.first_step.get_or_insert_with(|| self.step.clone());
            change.apply(first, &mut self.step);
            self.scale = change.scale;
        }
        if change.halvings != self.halvings {
            self.halvings.clone_from(&change.halvings);
            self.rank = ranks(&self.step);
        }
        self.ticks_done = 0;
        self.events.fill(0);
        if self.harmonic.is_some() {
            let clock = HarmonicClock::new(&self.step, self.event_shift > 0.0, origin);
            self.harmonic = Some(Arc::new(clock.expect("halves of harmonic time steps are harmonic")));
        }
    }

    /// Whether the time steps changed in this way are steps for the schedule in use.
    pub fn can_change(&self, change: &StepChange) -> bool {
        let count = self.step.len();
        let fits = change.halvings.is_empty() || change.halvings.len() == count;
        if !(fits && change.scale > 0.0 && change.scale.is_finite()) {
            return false;
        }
        if change.halvings.iter().any(|n| *n > MOST_HALVINGS) {
            return false;
        }
        let first = self.first_step.as_ref().unwrap_or(&self.step);
        let mut step = first.clone();
        change.apply(first, &mut step);
        self.harmonic.is_none() || HarmonicClock::new(&step, self.event_shift > 0.0, 0.0).is_some()
    }

    /// Number of events of an element since the origin.
    #[inline]
    pub fn event_count(&self, k: usize) -> u64 {
        self.harmonic.as_ref().map_or_else(|| self.events[k], |clock| clock.events(self.ticks_done, k))
    }

    /// Number of events of all elements since the start.
    pub fn total(&self) -> u64 {
        let before: u64 = self.events_before.iter().sum();
        let clock = self.harmonic.as_ref();
        before + clock.map_or_else(|| self.events.iter().sum(), |clock| clock.total(self.ticks_done))
    }

    /// Number of events of each element since the origin.
    pub fn events(&self) -> Vec<u64> {
        (0..self.step.len()).map(|k| self.event_count(k)).collect()
    }

    /// Number of events of each element since the start.
    pub fn all_events(&self) -> Vec<u64> {
        let mut events = self.events();
        events.iter_mut().zip(&self.events_before).for_each(|(all, before)| *all += before);
        events
    }

    /// Sets the counts to the state after these events.
    pub fn restore_counts(&mut self, events: &[u64]) {
        match &self.harmonic {
            Some(clock) => self.ticks_done = clock.ticks(events),
            None => self.events.copy_from_slice(events),
        }
    }

    /// The next event of an element.
    #[inline]
    pub fn next(&self, k: usize) -> Event {
        let time = match &self.varying {
            None => self.origin + ((self.event_count(k) + 1) as f64 - self.event_shift) * self.step[k],
            Some(varying) => varying.next[k],
        };
        Event { time, rank: self.rank[k], element: k as u32 }
    }

    /// The weight of the kick at the origin: half the first step, or zero where events lie in the middle of steps.
    pub fn first_weight(&self, k: usize) -> f64 {
        match &self.varying {
            None => (0.5 - self.event_shift) * self.step[k],
            Some(varying) => 0.5 * varying.next[k],
        }
    }

    /// Counts the event of an element at a time; returns the weight of its kick.
    #[inline]
    pub fn record_event(&mut self, k: usize, t: f64) -> f64 {
        if self.harmonic.is_none() {
            self.events[k] += 1;
        }
        match &mut self.varying {
            None => self.step[k],
            Some(varying) => {
                let after = varying.step(k, self.start + t, self.step[k]);
                varying.advance(k, t, after)
            }
        }
    }

    /// The time up to which the impulses of an element have been applied: half way between its last event and its next.
    pub fn impulse_time(&self, k: usize) -> f64 {
        match &self.varying {
            None => self.origin + (self.event_count(k) as f64 + 0.5 - self.event_shift) * self.step[k],
            Some(varying) => 0.5 * (varying.last[k] + varying.next[k]),
        }
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        let varying = self.varying.as_ref().map_or(0, |v| {
            size_of::<[f64; 3]>() * v.places.capacity()
                + size_of::<f64>() * (v.last.capacity() + v.next.capacity())
        });
        size_of::<f64>() * self.step.capacity()
            + size_of::<u64>() * (self.events.capacity() + self.events_before.capacity())
            + size_of::<f64>() * self.first_step.as_ref().map_or(0, Vec::capacity)
            + size_of::<u32>() * (self.rank.capacity() + self.halvings.capacity())
            + self.harmonic.as_ref().map_or(0, |clock| clock.memory())
            + varying
    }

    /// The number of updates of a synchronous run at the smallest time step over that of this run [VTI04 (62)].
    pub fn ideal_speedup(&self) -> f64 {
        let least = self.step.iter().copied().fold(f64::INFINITY, f64::min);
        self.step.len() as f64 / least / self.step.iter().map(|h| 1.0 / h).sum::<f64>()
    }
}

impl VaryingSteps {
    /// The time step after an event at time `t`. A factor that is not a positive number stops the element's clock, which
    /// [`Avi::new`](super::Avi::new) and the event report.
    fn step(&self, k: usize, t: f64, step: f64) -> f64 {
        step * self.factor.at(t, &self.places[k]).0[0]
    }

    /// An event at `t` since the start, followed by a step of length `after`; returns its weight.
    fn advance(&mut self, k: usize, t: f64, after: f64) -> f64 {
        let before = t - self.last[k];
        self.last[k] = t;
        self.next[k] = t + after;
        0.5 * (before + after)
    }
}
