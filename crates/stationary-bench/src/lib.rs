//! Speed as ratios against hand-written C (`reference.c`, `solids.c`) and against ourselves, all in one run: the rows of
//! `stationary bench`.

pub mod cases;
pub mod machine;
pub mod measure;
pub mod row;
pub mod solids;
pub mod systems;

pub use row::{Bar, BenchOutcome, BenchRow, Effort, HEADER, Measured, When};

/// All rows, in the order of the table.
pub fn rows() -> Vec<BenchRow> {
    let mut rows = cases::rows();
    rows.extend(solids::rows());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bench_row_names_are_unique_and_differ_from_group_names() {
        let rows = rows();
        let mut names: Vec<&str> = rows.iter().map(|row| row.name).collect();
        let mut groups: Vec<&str> = rows.iter().map(|row| row.group).collect();
        groups.sort_unstable();
        groups.dedup();
        names.extend(groups);
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count);
    }

    #[test]
    fn bench_value_that_is_nan_does_not_meet_its_bar() {
        let row = || BenchRow::new("g", "n", "w", || Ok(BenchOutcome::ns(f64::NAN).over(1.0)));
        assert!(!row().at_most(1.0).measure(Effort::default()).unwrap().ok());
        assert!(!row().at_least(1.0).measure(Effort::default()).unwrap().ok());
        assert!(row().measure(Effort::default()).unwrap().ok());
    }

    #[test]
    fn bench_row_with_a_failed_claim_does_not_meet_its_bar() {
        let row = BenchRow::new("g", "n", "w", || Ok(BenchOutcome::ns(1.0).over(1.0).fail("energy".into())))
            .at_most(2.0);
        let measured = row.measure(Effort::default()).unwrap();
        assert!(!measured.ok() && measured.line().contains("FAILED: energy"));
        assert_eq!(measured.json()["ok"], false);
    }

    #[test]
    fn bench_row_may_miss_a_goal_but_not_a_claim() {
        let row =
            |outcome: BenchOutcome| BenchRow::new("g", "n", "w", move || Ok(outcome.clone())).at_most(1.0);
        let slow = || BenchOutcome::ns(2.0).over(1.0);
        let passes = |row: BenchRow| row.measure(Effort::default()).unwrap().passes();
        assert!(!passes(row(slow())) && passes(row(slow()).as_goal()));
        assert!(!passes(row(slow().fail("energy".into())).as_goal()));
    }
}
