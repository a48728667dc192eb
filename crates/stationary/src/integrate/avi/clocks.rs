//! The clock of every element: when it fires, and with what weight.

use super::Event;
use super::ticked::Ticked;
use crate::model::Field;
use std::sync::Arc;

/// Steps and event counts of all elements.
///
/// Times are those since the start: they have the same bits whenever a run starts, and few digits are lost late in time. What depends on
/// time itself is asked at the sum with `start`.
///
/// With constant steps the time of event `j` is the product `j dt_K`, never a sum; where events lie in the middle of
/// steps, `(j - 1/2) dt_K`. With steps that change, the weight
/// of an event is half the time from the last event to the next: the trapezoidal rule for the element's action.
#[derive(Debug, Clone)]
pub(super) struct Clocks {
    /// The time at which everything begins.
    pub start: f64,
    pub step: Vec<f64>,
    /// Events of each element; empty while ticks stand for them.
    pub events: Vec<u64>,
    /// Harmonic steps, and the ticks made.
    pub ticked: Option<Arc<Ticked>>,
    pub done: u64,
    /// Place of each element among those that fire at one time.
    pub rank: Vec<u32>,
    pub varying: Option<Varying>,
    /// How much of its step an element fires before the end of it: nought or one half.
    pub early: f64,
}

/// Steps that change in time: `dt_K` times a factor of the time and the element's place.
#[derive(Debug, Clone)]
pub(super) struct Varying {
    factor: Arc<Field>,
    places: Vec<[f64; 3]>,
    /// Times of the last and the next event of each element.
    pub last: Vec<f64>,
    pub next: Vec<f64>,
}

impl Clocks {
    /// Elements that fire at one time do so in this order: those with a load or a held node last, so that sweeps over the others
    /// are not broken; short steps first, so that these sweeps go from level to level; then by number.
    pub fn new(start: f64, step: Vec<f64>, guarded: &[bool]) -> Self {
        let mut order: Vec<u32> = (0..step.len() as u32).collect();
        let key = |k: &u32| (guarded[*k as usize], step[*k as usize]);
        order.sort_by(|a, b| {
            let ((late_a, step_a), (late_b, step_b)) = (key(a), key(b));
            late_a.cmp(&late_b).then(step_a.total_cmp(&step_b))
        });
        let mut rank = vec![0; step.len()];
        order.iter().zip(0..).for_each(|(k, place)| rank[*k as usize] = place);
        let events = vec![0; step.len()];
        Clocks { start, step, events, ticked: None, done: 0, rank, varying: None, early: 0.0 }
    }

    /// Lets the steps change: `factor` multiplies each element's step, evaluated at the event the step follows, in the element's
    /// place.
    pub fn vary(&mut self, factor: Arc<Field>, places: Vec<[f64; 3]>) {
        let last = vec![0.0; self.step.len()];
        let mut varying = Varying { factor, places, next: last.clone(), last };
        for k in 0..self.step.len() {
            varying.next[k] = varying.step(k, self.start, self.step[k]);
        }
        self.varying = Some(varying);
    }

    /// Counts ticks instead of the events of each element, if steps are harmonic and do not change.
    pub fn count_ticks(&mut self) {
        if self.varying.is_none()
            && let Some(ticked) = Ticked::new(&self.step, self.early > 0.0)
        {
            self.done = ticked.ticks(&self.events);
            self.ticked = Some(Arc::new(ticked));
            self.events = Vec::new();
        }
    }

    /// Counts the events of each element.
    pub fn count_events(&mut self) {
        self.events = self.events();
        self.ticked = None;
    }

    /// Events of an element so far.
    #[inline]
    pub fn made(&self, k: usize) -> u64 {
        self.ticked.as_ref().map_or_else(|| self.events[k], |ticked| ticked.events(self.done, k))
    }

    /// Events of all elements so far.
    pub fn total(&self) -> u64 {
        self.ticked.as_ref().map_or_else(|| self.events.iter().sum(), |ticked| ticked.total(self.done))
    }

    /// Events of each element so far.
    pub fn events(&self) -> Vec<u64> {
        (0..self.step.len()).map(|k| self.made(k)).collect()
    }

    /// Puts the counts where these events are behind.
    pub fn settle(&mut self, events: &[u64]) {
        match &self.ticked {
            Some(ticked) => self.done = ticked.ticks(events),
            None => self.events.copy_from_slice(events),
        }
    }

    /// The next event of an element.
    #[inline]
    pub fn next(&self, k: usize) -> Event {
        let time = match &self.varying {
            None => ((self.made(k) + 1) as f64 - self.early) * self.step[k],
            Some(varying) => varying.next[k],
        };
        Event { time, rank: self.rank[k], element: k as u32 }
    }

    /// Half the first step: the weight of the start. An event in the middle of its step leaves nothing to the start.
    pub fn first_weight(&self, k: usize) -> f64 {
        match &self.varying {
            None => (0.5 - self.early) * self.step[k],
            Some(varying) => 0.5 * varying.next[k],
        }
    }

    /// Counts the event of an element at a time; returns its weight.
    #[inline]
    pub fn count(&mut self, k: usize, t: f64) -> f64 {
        if self.ticked.is_none() {
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

    /// The time up to which the kicks of an element have gone: half way between its last event and its next.
    pub fn reach(&self, k: usize) -> f64 {
        match &self.varying {
            None => (self.made(k) as f64 + 0.5 - self.early) * self.step[k],
            Some(varying) => 0.5 * (varying.last[k] + varying.next[k]),
        }
    }

    /// Bytes they take.
    pub fn memory(&self) -> usize {
        let varying = self.varying.as_ref().map_or(0, |v| {
            size_of::<[f64; 3]>() * v.places.capacity()
                + size_of::<f64>() * (v.last.capacity() + v.next.capacity())
        });
        size_of::<f64>() * self.step.capacity()
            + size_of::<u64>() * self.events.capacity()
            + size_of::<u32>() * self.rank.capacity()
            + self.ticked.as_ref().map_or(0, |ticked| ticked.memory())
            + varying
    }

    /// What a synchronous run at the smallest step would need, over what this one needs [VTI04 (62)].
    pub fn ideal_speedup(&self) -> f64 {
        let least = self.step.iter().copied().fold(f64::INFINITY, f64::min);
        self.step.len() as f64 / least / self.step.iter().map(|h| 1.0 / h).sum::<f64>()
    }
}

impl Varying {
    /// The step after an event at time `t`. A factor that is no positive number stops the element's clock, which
    /// [`Avi::new`](super::Avi::new) and the event report.
    fn step(&self, k: usize, t: f64, step: f64) -> f64 {
        step * self.factor.at(t, &self.places[k]).0[0]
    }

    /// An event at `t` since the start, before a step of length `after`; returns its weight.
    fn advance(&mut self, k: usize, t: f64, after: f64) -> f64 {
        let before = t - self.last[k];
        (self.last[k], self.next[k]) = (t, t + after);
        0.5 * (before + after)
    }
}
