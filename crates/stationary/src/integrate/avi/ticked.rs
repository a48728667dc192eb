//! Clocks of harmonic steps: one count of ticks stands for the events of all elements.

use std::ops::Range;

/// Ticks beyond which times are no longer exact products.
const MOST: f64 = (1u64 << 53) as f64;

/// Steps that are a base times powers of two. Elements of level `l` fire at multiples of `2^l` ticks of the base; in the middle of
/// their steps, at odd multiples of `2^l` ticks of half the base, no two levels together.
#[derive(Debug, Clone)]
pub(super) struct Ticked {
    /// The time between two ticks.
    pub tick: f64,
    /// Whether events lie in the middle of steps.
    pub middle: bool,
    /// The level of each element, and the number of elements of each level.
    level: Vec<u8>,
    sizes: Vec<u64>,
}

impl Ticked {
    /// The clocks of these steps, if the smallest divides all others by a power of two.
    pub fn new(step: &[f64], middle: bool) -> Option<Self> {
        let base = step.iter().copied().fold(f64::INFINITY, f64::min);
        let level = |h: &f64| {
            let level = (h / base).log2().round();
            ((0.0..=40.0).contains(&level) && base * level.exp2() == *h).then_some(level as u8)
        };
        let level: Vec<u8> = step.iter().map(level).collect::<Option<_>>()?;
        let mut sizes = vec![0; usize::from(*level.iter().max()?) + 1];
        level.iter().for_each(|l| sizes[usize::from(*l)] += 1);
        Some(Ticked { tick: if middle { 0.5 * base } else { base }, middle, level, sizes })
    }

    /// The level of an element.
    pub fn level(&self, k: usize) -> usize {
        usize::from(self.level[k])
    }

    /// Number of levels.
    pub fn levels(&self) -> usize {
        self.sizes.len()
    }

    /// The levels that fire at a tick, from 1 on.
    #[inline]
    pub fn fired(&self, tick: u64) -> Range<usize> {
        let (level, count) = (tick.trailing_zeros() as usize, self.levels());
        match self.middle {
            true if level < count => level..level + 1,
            true => 0..0,
            false => 0..count.min(level + 1),
        }
    }

    /// Events of an element of a level in so many ticks.
    fn events_by(&self, ticks: u64, level: usize) -> u64 {
        if self.middle { (ticks + (1 << level)) >> (level + 1) } else { ticks >> level }
    }

    /// Events of an element in so many ticks.
    #[inline]
    pub fn events(&self, ticks: u64, k: usize) -> u64 {
        self.events_by(ticks, self.level(k))
    }

    /// Events of all elements in so many ticks.
    pub fn total(&self, ticks: u64) -> u64 {
        self.sizes.iter().enumerate().map(|(l, n)| n * self.events_by(ticks, l)).sum()
    }

    /// Events of an element of each level during some ticks.
    pub fn events_in(&self, ticks: &Range<u64>) -> impl Iterator<Item = u64> {
        let (before, after) = (ticks.start.saturating_sub(1), ticks.end.saturating_sub(1));
        (0..self.levels()).map(move |l| self.events_by(after.max(before), l) - self.events_by(before, l))
    }

    /// The time of a tick since the start.
    #[inline]
    pub fn time(&self, tick: u64) -> f64 {
        tick as f64 * self.tick
    }

    /// The ticks after so many up to a time since the start. An end that is no number ends nothing.
    pub fn ticks_to(&self, done: u64, until: f64) -> Range<u64> {
        let guess = (until / self.tick).floor();
        let mut last = if guess > 0.0 { guess.min(MOST) as u64 } else { 0 };
        while last > done && !(self.time(last) <= until) {
            last -= 1;
        }
        while last < MOST as u64 && self.time(last + 1) <= until {
            last += 1;
        }
        done + 1..last.max(done) + 1
    }

    /// The ticks after which these events are behind.
    pub fn ticks(&self, events: &[u64]) -> u64 {
        let last = |(level, n): (&u8, &u64)| match self.middle {
            true => (n << (level + 1)).saturating_sub(1 << level),
            false => n << level,
        };
        self.level.iter().zip(events).map(last).max().unwrap_or(0)
    }

    /// Bytes it takes.
    pub fn memory(&self) -> usize {
        self.level.capacity() + size_of::<u64>() * self.sizes.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_those_of_ticks_one_by_one() {
        let step: Vec<f64> = [0.1, 0.8, 0.2, 0.1, 0.4].to_vec();
        for middle in [false, true] {
            let ticked = Ticked::new(&step, middle).unwrap();
            let mut events = vec![0; step.len()];
            for tick in 1..200 {
                let fired = ticked.fired(tick);
                for k in (0..step.len()).filter(|k| fired.contains(&ticked.level(*k))) {
                    events[k] += 1;
                    let when = (events[k] as f64 - if middle { 0.5 } else { 0.0 }) * step[k];
                    assert_eq!(when, ticked.time(tick), "to the bit");
                }
                assert_eq!((0..step.len()).map(|k| ticked.events(tick, k)).collect::<Vec<_>>(), events);
                assert_eq!(ticked.total(tick), events.iter().sum::<u64>());
                let ticks = ticked.ticks(&events);
                assert!(ticks <= tick && ticked.total(ticks) == ticked.total(tick));
            }
            let mut parts = ticked.events_in(&(8..150)).enumerate();
            let before = |n: u64, l| ticked.events_by(n, l);
            assert!(parts.all(|(l, n)| n == before(149, l) - before(7, l)));
        }
        assert!(Ticked::new(&[0.1, 0.3], false).is_none());
        assert!(Ticked::new(&[0.1, f64::NAN], false).is_none());
    }

    #[test]
    fn ticks_end_at_the_last_one_in_time() {
        let ticked = Ticked::new(&[0.1, 0.2], false).unwrap();
        for (until, last) in [(0.3, 2), (3.0 * 0.1, 3), (-1.0, 0), (f64::NAN, 0), (1e6, 10_000_000)] {
            let ticks = ticked.ticks_to(0, until);
            assert_eq!((ticks.start, ticks.end), (1, last + 1), "{until}");
        }
        assert!(ticked.ticks_to(7, 0.65).is_empty() && ticked.ticks_to(7, f64::NAN).is_empty());
        assert_eq!(ticked.ticks_to(7, 0.85), 8..9);
        assert!(ticked.ticks_to(7, f64::INFINITY).end > 1 << 52);
    }
}
