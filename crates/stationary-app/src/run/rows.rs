//! Which steps become rows of `series.csv`.

use std::fmt;

/// Which steps are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rows {
    /// Every so many.
    Every(u64),
    /// Each, then every other, then every fourth: the end of the run is not known.
    Sparser,
}

/// Rows written when the scenario does not say how many.
const ROWS: u64 = 2000;

impl Rows {
    /// As the scenario says, else about two thousand of the steps, of which `None` are known.
    pub fn choose(every: Option<u64>, steps: Option<u64>) -> Self {
        match (every, steps) {
            (Some(every), _) => Rows::Every(every),
            (None, Some(steps)) => Rows::Every(steps.div_ceil(ROWS)),
            (None, None) => Rows::Sparser,
        }
    }

    /// Whether a step is written.
    pub fn has(self, step: u64) -> bool {
        match self {
            Rows::Every(every) => step.is_multiple_of(every),
            Rows::Sparser => step.is_multiple_of((step / ROWS + 1).next_power_of_two()),
        }
    }
}

impl fmt::Display for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rows::Every(every) => write!(f, "one every {every} steps"),
            Rows::Sparser => write!(f, "each of the first {ROWS} steps, then fewer and fewer"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_a_run_without_a_known_end_grow_sparser_and_stay_few() {
        let written: Vec<u64> = (0..1_000_000).filter(|step| Rows::Sparser.has(*step)).collect();
        assert!((0..ROWS).all(|step| Rows::Sparser.has(step)));
        assert!(written.len() < 12_000, "{}", written.len());
        let apart: Vec<u64> = written.windows(2).map(|w| w[1] - w[0]).collect();
        assert!(apart.is_sorted() && apart.last() == Some(&512), "{:?}", apart.last());
        assert!(Rows::Every(7).has(14) && !Rows::Every(7).has(15));
    }
}
