//! How fast something goes, by what it did lately: neither the time that preparations took nor what an earlier part of a
//! resumed run did is counted.

/// What is known at a moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sample {
    /// Seconds since the beginning.
    pub at: f64,
    /// How much is done, from 0 to 1.
    pub part: f64,
    /// Simulated time.
    pub time: f64,
    /// Moves made.
    pub moves: f64,
}

/// What follows from two samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Moves a second.
    pub moves: f64,
    /// Simulated time in a minute.
    pub time: f64,
    /// Seconds left.
    pub left: f64,
}

/// Seconds that are looked back at least, and the part of the time so far.
const LATELY: f64 = 10.0;
const PART: f64 = 0.25;
/// A rate over less time than this many seconds would be a guess.
const SHORTEST: f64 = 0.25;
/// Samples kept at most; beyond, every other is dropped.
const MOST: usize = 256;

/// The samples of late, the oldest first.
#[derive(Debug, Default)]
pub struct Pace {
    samples: Vec<Sample>,
}

impl Pace {
    /// Whether nothing has been seen yet.
    pub fn is_empty(&self) -> bool {
        self.samples.is_empty()
    }

    /// Adds a sample and tells the rates, once there are some.
    pub fn see(&mut self, now: Sample) -> Option<Rates> {
        let window = LATELY.max(PART * now.at);
        // One sample at least as old as the window stays, so that rates never rest on a moment alone.
        let old = self.samples.iter().take_while(|s| now.at - s.at >= window).count();
        self.samples.drain(..old.saturating_sub(1));
        if self.samples.len() >= MOST {
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        self.samples.push(now);
        let first = self.samples[0];
        let seconds = now.at - first.at;
        (seconds >= SHORTEST).then(|| Rates {
            moves: (now.moves - first.moves) / seconds,
            time: 60.0 * (now.time - first.time) / seconds,
            left: (1.0 - now.part) * seconds / (now.part - first.part),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(at: f64, part: f64) -> Sample {
        Sample { at, part, time: 100.0 * part, moves: 1e6 * part }
    }

    #[test]
    fn pace_of_a_resumed_run_counts_only_the_part_since_the_resume() {
        let mut pace = Pace::default();
        assert_eq!(pace.see(sample(3.0, 0.9)), None, "one moment tells nothing");
        let rates = pace.see(sample(5.0, 0.92)).unwrap();
        assert!((rates.left - 8.0).abs() < 1e-9, "{rates:?}");
        assert!((rates.moves - 1e4).abs() < 1e-6 && (rates.time - 60.0).abs() < 1e-9, "{rates:?}");
    }

    #[test]
    fn pace_of_a_run_that_slows_down_follows_the_recent_rate() {
        let mut pace = Pace::default();
        let mut left = 0.0;
        for second in 0..2000 {
            let at = f64::from(second);
            // A hundredth a second at first, then a hundred times less.
            let part = if at < 50.0 { 0.01 * at } else { 0.5 + 1e-4 * (at - 50.0) };
            left = pace.see(sample(at, part)).map_or(f64::NAN, |r| r.left);
        }
        let true_left = (1.0 - (0.5 + 1e-4 * 1949.0)) / 1e-4;
        assert!((left / true_left - 1.0).abs() < 0.01, "{left} {true_left}");
        assert!(pace.samples.len() <= MOST, "{}", pace.samples.len());
    }

    #[test]
    fn pace_of_a_run_without_progress_estimates_no_remaining_time() {
        let mut pace = Pace::default();
        pace.see(sample(0.0, 0.1));
        assert!(pace.see(sample(1.0, 0.1)).unwrap().left.is_infinite());
    }
}
