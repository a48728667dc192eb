//! Speed as ratios against hand-written C (`reference.c`, `solids.c`) and against ourselves, all in one run: the rows of
//! `stationary bench`.

pub mod cases;
pub mod machine;
pub mod measure;
pub mod row;
pub mod solids;
pub mod systems;

pub use row::{Bar, Effort, HEADER, Measured, Outcome, Row, When};

/// All rows, in the order of the table.
pub fn rows() -> Vec<Row> {
    let mut rows = cases::rows();
    rows.extend(solids::rows());
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_no_group_is_one() {
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
    fn a_value_that_is_no_number_keeps_no_bar() {
        let row = || Row::new("g", "n", "w", || Ok(Outcome::ns(f64::NAN).over(1.0)));
        assert!(!row().at_most(1.0).measure(Effort::default()).unwrap().ok());
        assert!(!row().at_least(1.0).measure(Effort::default()).unwrap().ok());
        assert!(row().measure(Effort::default()).unwrap().ok());
    }

    #[test]
    fn a_failed_claim_misses_the_bar() {
        let row =
            Row::new("g", "n", "w", || Ok(Outcome::ns(1.0).over(1.0).fail("energy".into()))).at_most(2.0);
        let measured = row.measure(Effort::default()).unwrap();
        assert!(!measured.ok() && measured.line().contains("FAILED: energy"));
        assert_eq!(measured.json()["ok"], false);
    }

    #[test]
    fn a_goal_may_be_missed_but_no_claim_beside_it() {
        let row = |outcome: Outcome| Row::new("g", "n", "w", move || Ok(outcome.clone())).at_most(1.0);
        let slow = || Outcome::ns(2.0).over(1.0);
        let passes = |row: Row| row.measure(Effort::default()).unwrap().passes();
        assert!(!passes(row(slow())) && passes(row(slow()).as_goal()));
        assert!(!passes(row(slow().fail("energy".into())).as_goal()));
    }
}
