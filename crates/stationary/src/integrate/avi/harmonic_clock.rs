//! The clock of harmonic time steps: one count of ticks determines the events of all elements.

use std::ops::Range;

/// Number of ticks beyond which integers are no longer exact in floating point.
const MOST: f64 = (1u64 << 53) as f64;

/// The largest level.
const MOST_LEVEL: f64 = 48.0;

/// Time steps that are a base step times powers of two. An element of level `l` has the step `2^l` times the base and fires at multiples of
/// `2^l` ticks of the base step. Midpoint events are at odd multiples of `2^l` ticks of half the base step, so that no two levels fire
/// together.
#[derive(Debug, Clone)]
pub(super) struct HarmonicClock {
    /// The time of tick 0 since the start.
    origin: f64,
    /// The time between two ticks.
    pub tick: f64,
    /// Whether events lie in the middle of time steps.
    pub midpoint: bool,
    /// The level of each element.
    level: Vec<u8>,
    /// Number of elements of each level.
    sizes: Vec<u64>,
}

impl HarmonicClock {
    /// The clock of these time steps from `origin` on, if all are the smallest one times powers of two.
    pub fn new(step: &[f64], midpoint: bool, origin: f64) -> Option<Self> {
        let base = step.iter().copied().fold(f64::INFINITY, f64::min);
        let level = |h: &f64| {
            let level = (h / base).log2().round();
            ((0.0..=MOST_LEVEL).contains(&level) && base * level.exp2() == *h).then_some(level as u8)
        };
        let level: Vec<u8> = step.iter().map(level).collect::<Option<_>>()?;
        let mut sizes = vec![0; usize::from(*level.iter().max()?) + 1];
        level.iter().for_each(|l| sizes[usize::from(*l)] += 1);
        Some(HarmonicClock { origin, tick: if midpoint { 0.5 * base } else { base }, midpoint, level, sizes })
    }

    /// The level of an element.
    pub fn level(&self, k: usize) -> usize {
        usize::from(self.level[k])
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.sizes.len()
    }

    /// The levels that fire at a tick; the first tick is 1.
    #[inline]
    pub fn fired(&self, tick: u64) -> Range<usize> {
        let level = tick.trailing_zeros() as usize;
        let count = self.levels();
        if !self.midpoint {
            0..count.min(level + 1)
        } else if level < count {
            level..level + 1
        } else {
            0..0
        }
    }

    /// Number of events of an element of a level in so many ticks.
    pub fn events_by(&self, ticks: u64, level: usize) -> u64 {
        if self.midpoint { (ticks + (1 << level)) >> (level + 1) } else { ticks >> level }
    }

    /// Number of events of an element in so many ticks.
    #[inline]
    pub fn events(&self, ticks: u64, k: usize) -> u64 {
        self.events_by(ticks, self.level(k))
    }

    /// Number of events of all elements in so many ticks.
    pub fn total(&self, ticks: u64) -> u64 {
        self.sizes.iter().enumerate().map(|(l, n)| n * self.events_by(ticks, l)).sum()
    }

    /// Number of events of an element of each level during some ticks.
    pub fn events_in(&self, ticks: &Range<u64>) -> impl Iterator<Item = u64> {
        let before = ticks.start.saturating_sub(1);
        let after = ticks.end.saturating_sub(1);
        (0..self.levels()).map(move |l| self.events_by(after.max(before), l) - self.events_by(before, l))
    }

    /// The time of a tick since the start.
    #[inline]
    pub fn time(&self, tick: u64) -> f64 {
        self.origin + tick as f64 * self.tick
    }

    /// The ticks after tick `done` up to a time since the start; none if that time is NaN.
    pub fn ticks_to(&self, done: u64, until: f64) -> Range<u64> {
        let guess = ((until - self.origin) / self.tick).floor();
        let mut last = if guess > 0.0 { guess.min(MOST) as u64 } else { 0 };
        while last > done && !(self.time(last) <= until) {
            last -= 1;
        }
        while last < MOST as u64 && self.time(last + 1) <= until {
            last += 1;
        }
        done + 1..last.max(done) + 1
    }

    /// The number of ticks after which elements have had these numbers of events.
    pub fn ticks(&self, events: &[u64]) -> u64 {
        let last = |(level, n): (&u8, &u64)| {
            if self.midpoint { (n << (level + 1)).saturating_sub(1 << level) } else { n << level }
        };
        self.level.iter().zip(events).map(last).max().unwrap_or(0)
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        self.level.capacity() + size_of::<u64>() * self.sizes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn harmonic_clock_counts_the_events_of_every_level_tick_by_tick() {
        let step: Vec<f64> = [0.1, 0.8, 0.2, 0.1, 0.4].to_vec();
        for midpoint in [false, true] {
            let clock = HarmonicClock::new(&step, midpoint, 0.0).unwrap();
            let mut events = vec![0; step.len()];
            for tick in 1..200 {
                let fired = clock.fired(tick);
                for k in (0..step.len()).filter(|k| fired.contains(&clock.level(*k))) {
                    events[k] += 1;
                    let when = (events[k] as f64 - if midpoint { 0.5 } else { 0.0 }) * step[k];
                    assert_eq!(when, clock.time(tick), "to the bit");
                }
                assert_eq!((0..step.len()).map(|k| clock.events(tick, k)).collect::<Vec<_>>(), events);
                assert_eq!(clock.total(tick), events.iter().sum::<u64>());
                let ticks = clock.ticks(&events);
                assert!(ticks <= tick && clock.total(ticks) == clock.total(tick));
            }
            let mut parts = clock.events_in(&(8..150)).enumerate();
            let before = |n: u64, l| clock.events_by(n, l);
            assert!(parts.all(|(l, n)| n == before(149, l) - before(7, l)));
        }
        assert!(HarmonicClock::new(&[0.1, 0.3], false, 0.0).is_none());
        assert!(HarmonicClock::new(&[0.1, f64::NAN], false, 0.0).is_none());
    }

    #[test]
    fn harmonic_clock_ends_at_the_last_tick_not_after_the_end_time() {
        let clock = HarmonicClock::new(&[0.1, 0.2], false, 0.0).unwrap();
        for (until, last) in [(0.3, 2), (3.0 * 0.1, 3), (-1.0, 0), (f64::NAN, 0), (1e6, 10_000_000)] {
            let ticks = clock.ticks_to(0, until);
            assert_eq!((ticks.start, ticks.end), (1, last + 1), "{until}");
        }
        assert!(clock.ticks_to(7, 0.65).is_empty() && clock.ticks_to(7, f64::NAN).is_empty());
        assert_eq!(clock.ticks_to(7, 0.85), 8..9);
        assert!(clock.ticks_to(7, f64::INFINITY).end > 1 << 52);
        // After a new origin ticks count from there.
        let clock = HarmonicClock::new(&[0.1, 0.2], false, 3.7).unwrap();
        for (until, last) in
            [(3.7, 0), (3.7 + 0.1, 1), (3.75, 0), (3.7 + 20.0 * 0.1, 20), (-1.0, 0), (f64::NAN, 0)]
        {
            assert_eq!(clock.ticks_to(0, until), 1..last + 1, "{until}");
        }
    }
}
