//! What a sweep varies: factors, and their product.

use super::text::clip;
use stationary::error::{Diagnostic, Error};
use std::collections::BTreeSet;

/// More runs than this are refused: nobody waits for them, and a slip of the finger asks for them.
pub const MOST_RUNS: usize = 1_000_000;

/// Keys that vary together, row by row: one key of `--over`, or all those of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Factor {
    /// The keys, as for `--set`.
    pub keys: Vec<String>,
    /// The values of the keys in each row. An empty one leaves what the scenario says.
    pub rows: Vec<Vec<String>>,
}

/// Every combination of the rows of some factors; the last factor varies fastest.
///
/// ```
/// use stationary_app::sweep::{Factor, Plan};
/// let plan = Plan::new(vec![Factor::over("parameters.l", "0.5,1")?, Factor::over("step", "0.1..0.3:3")?])?;
/// assert_eq!(plan.len(), 6);
/// let fourth = plan.overrides(3);
/// assert_eq!(fourth, [("parameters.l".to_string(), "1".to_string()), ("step".to_string(), "0.1".to_string())]);
/// # Ok::<(), stationary::error::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    factors: Vec<Factor>,
    runs: usize,
}

impl Plan {
    /// The product of some factors; refused if it is empty or too large, or varies a key twice.
    pub fn new(factors: Vec<Factor>) -> Result<Self, Error> {
        if factors.is_empty() {
            return Err(Diagnostic::new("a sweep that varies nothing")
                .help("say what varies: --over parameters.l=0.5,1,2 or --list FILE.csv")
                .into());
        }
        let mut seen = BTreeSet::new();
        if let Some(twice) = factors.iter().flat_map(|f| &f.keys).find(|key| !seen.insert(key.as_str())) {
            return Err(Diagnostic::new(format!("`{twice}` varies twice"))
                .help("expected every key once: give all its values together")
                .into());
        }
        let product = factors.iter().try_fold(1_usize, |runs, f| runs.checked_mul(f.rows.len()));
        match product {
            Some(0) => Err(Diagnostic::new("a sweep of no runs").help("expected at least one value").into()),
            Some(runs) if runs <= MOST_RUNS => Ok(Plan { factors, runs }),
            _ => {
                let sizes: Vec<String> = factors.iter().map(|f| f.rows.len().to_string()).collect();
                let message = format!("a sweep of {} runs is too large", sizes.join(" x "));
                Err(Diagnostic::new(message).help(format!("expected at most {MOST_RUNS} runs")).into())
            }
        }
    }

    /// The number of runs, at least one.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.runs
    }

    /// What is varied, slowest first.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// All keys that vary.
    pub fn keys(&self) -> impl Iterator<Item = &str> {
        self.factors.iter().flat_map(|f| &f.keys).map(String::as_str)
    }

    /// The row of each factor in a run, counted from 0.
    pub fn rows(&self, run: usize) -> Vec<usize> {
        let mut rest = run;
        let mut rows: Vec<usize> = self
            .factors
            .iter()
            .rev()
            .map(|f| {
                let row = rest % f.rows.len();
                rest /= f.rows.len();
                row
            })
            .collect();
        rows.reverse();
        rows
    }

    /// The value of every key in a run.
    pub fn values(&self, run: usize) -> Vec<&str> {
        let rows = self.rows(run);
        self.factors.iter().zip(rows).flat_map(|(f, row)| &f.rows[row]).map(String::as_str).collect()
    }

    /// What a run replaces in the scenario.
    pub fn overrides(&self, run: usize) -> Vec<(String, String)> {
        let pairs = self.keys().zip(self.values(run)).filter(|(_, value)| !value.is_empty());
        pairs.map(|(key, value)| (key.to_string(), value.to_string())).collect()
    }

    /// A run in words: `parameters.l=0.5, step=0.1`. Long values, and more than a few keys, are cut short.
    pub fn describe(&self, run: usize) -> String {
        let overrides = self.overrides(run);
        let pair = |(key, value): &(String, String)| format!("{}={}", clip(key, 40), clip(value, 40));
        let mut pairs: Vec<String> = overrides.iter().take(8).map(pair).collect();
        if overrides.len() > 8 {
            pairs.push("...".into());
        }
        if pairs.is_empty() { "the scenario as it is".into() } else { pairs.join(", ") }
    }

    /// The runs in which one factor takes each of its rows while the others stay at their first: of a factor with many
    /// rows, only the first and the last.
    pub(super) fn probes(&self) -> BTreeSet<usize> {
        let mut stride = self.runs;
        let mut runs = BTreeSet::from([0]);
        for factor in &self.factors {
            stride /= factor.rows.len();
            let rows = factor.rows.len();
            match rows <= FEW {
                true => runs.extend((0..rows).map(|row| row * stride)),
                false => runs.extend([(rows - 1) * stride]),
            }
        }
        runs
    }
}

/// Rows that people type one by one, and mistype.
const FEW: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(factors: &[(&str, &str)]) -> Result<Plan, Error> {
        Plan::new(factors.iter().map(|(key, values)| Factor::over(key, values).unwrap()).collect())
    }

    #[test]
    fn the_last_factor_varies_fastest_and_every_combination_is_there_once() {
        let list = Factor::list("l.csv", "a,b\n1,2\n3,\n").unwrap();
        let plan = Plan::new(vec![list, Factor::over("c", "x,y,z").unwrap()]).unwrap();
        let all: Vec<String> = (0..plan.len()).map(|run| plan.describe(run)).collect();
        let expected =
            ["a=1, b=2, c=x", "a=1, b=2, c=y", "a=1, b=2, c=z", "a=3, c=x", "a=3, c=y", "a=3, c=z"];
        assert_eq!(all, expected);
        assert_eq!(plan.values(4), ["3", "", "y"]);
        assert_eq!(plan.rows(5), [1, 2]);
    }

    #[test]
    fn what_is_typed_is_built_before_the_first_run() {
        let small = plan(&[("a", "1,2"), ("b", "1,2,3")]).unwrap();
        assert_eq!(small.probes().into_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
        let large = plan(&[("a", "0..1:100"), ("b", "1,2")]).unwrap();
        assert_eq!(large.probes().into_iter().collect::<Vec<_>>(), [0, 1, 198]);
    }

    #[test]
    fn empty_ambiguous_and_endless_plans_are_refused() {
        for (factors, expected) in [
            (&[][..], "a sweep that varies nothing"),
            (&[("a", "1"), ("b", "1"), ("a", "2")], "`a` varies twice"),
            (&[("a", "0..1:1000"), ("b", "0..1:1001")], "a sweep of 1000 x 1001 runs is too large"),
            (
                &[("a", "0..1:1000000"), ("b", "0..1:1000000"), ("c", "0..1:1000000"), ("d", "0..1:1000000")],
                "too large",
            ),
        ] {
            let message = plan(factors).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        }
    }
}
