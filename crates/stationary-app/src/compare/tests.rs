use super::*;
use stationary_report::testing::Scratch;

const SUMMARY: &str = r#"{
  "schema": "stationary.summary/1", "scenario": "a", "wall_seconds": 1.0, "moves": 100,
  "energy": { "initial": -1.0, "final": -1.0, "max_relative_error": 1e-15 },
  "claims": [{ "claim": "moves == 100", "holds": true }]
}"#;
const SERIES: &str = "t,x,energy\n0,1,-1\n0.5,0.5,-1\n1,-2,-1\n";

/// A folder with these files.
fn folder(name: &str, files: &[(&str, &str)]) -> Scratch {
    let folder = Scratch::new(name);
    for (file, text) in files {
        std::fs::write(folder.0.join(file), text).unwrap();
    }
    folder
}

fn run(name: &str, summary: &str, series: &str) -> Scratch {
    folder(name, &[("summary.json", summary), ("series.csv", series)])
}

fn both(name: &str, summary: [&str; 2], series: [&str; 2]) -> Comparison {
    let a = run(&format!("{name}-a"), summary[0], series[0]);
    let b = run(&format!("{name}-b"), summary[1], series[1]);
    compare(&a.0, &b.0).unwrap()
}

#[test]
fn equal_runs_have_the_same_bits_but_for_their_duration() {
    let other = SUMMARY.replace("1.0, \"moves\"", "2.5, \"moves\"").replace("\"a\"", "\"b\"");
    let found = both("compare-equal", [SUMMARY, &other], [SERIES; 2]);
    assert!(found.same_bits() && found.within(0.0));
    assert_eq!(found.keys.len(), 1, "the name is told: {:?}", found.keys);
    assert_eq!((found.tables[0].rows, found.tables[0].matched), ([3, 3], 3));
}

#[test]
fn the_largest_difference_is_found_with_its_time() {
    let found = both("compare-far", [SUMMARY; 2], [SERIES, "t,x,energy\n0,1,-1\n0.5,0.9,-1\n1,-2.1,-1\n"]);
    let x = &found.tables[0].columns[1];
    assert_eq!((x.at, x.name.as_str()), (0.5, "x"));
    assert!((x.largest - 0.4).abs() < 1e-15 && (x.last - 0.1).abs() < 1e-15, "{x:?}");
    assert!((x.relative - 0.4 / 2.1).abs() < 1e-15);
    assert!(!found.within(0.19) && found.within(0.1905) && !found.same_bits());
}

#[test]
fn rows_are_matched_by_time() {
    // Half the step: every other row has no counterpart, and times differ by rounding.
    let fine = "t,x,energy\n0,1,-1\n0.25,9,-1\n0.5000000000000001,0.5,-1\n0.75,9,-1\n1,-2,-1\n";
    let found = both("compare-time", [SUMMARY; 2], [SERIES, fine]);
    assert_eq!((found.tables[0].rows, found.tables[0].matched), ([3, 5], 3));
    assert!(found.within(1e-12) && !found.within(0.0), "rows in between count only where all must be equal");
    let found = both("compare-time-back", [SUMMARY; 2], [fine, SERIES]);
    assert_eq!((found.tables[0].rows, found.tables[0].matched), ([5, 3], 3));
    let late = "t,x,energy\n0,1,-1\n7,2,-1\n8,2,-1\n";
    let found = both("compare-late", [SUMMARY; 2], [SERIES, late]);
    assert!(!found.within(1e9), "one common moment is no comparison");
}

#[test]
fn what_is_missing_or_no_number_never_passes() {
    for other in ["t,x,energy\n0,1,-1\n0.5,,-1\n1,-2,-1\n", "t,x,energy\n0,1,-1\n0.5,NaN,-1\n1,-2,-1\n"] {
        let found = both("compare-nan", [SUMMARY; 2], [SERIES, other]);
        assert!(!found.within(1e300), "{other}");
        assert_eq!(found.tables[0].columns[1].largest, f64::INFINITY);
    }
    let null = SUMMARY.replace("\"final\": -1.0", "\"final\": null");
    assert!(!both("compare-null", [SUMMARY, &null], [SERIES; 2]).within(1e300));
    let failed = SUMMARY.replace("true", "false");
    assert!(!both("compare-claim", [SUMMARY, &failed], [SERIES; 2]).within(1e300));
}

#[test]
fn errors_are_compared_by_their_size_and_numbers_by_theirs() {
    let rounding = SUMMARY.replace("1e-15", "5e-15");
    let found = both("compare-rounding", [SUMMARY, &rounding], [SERIES; 2]);
    assert!(found.within(1e-14) && !found.within(0.0));
    let worse = SUMMARY.replace("1e-15", "5e-4");
    let found = both("compare-worse", [SUMMARY, &worse], [SERIES; 2]);
    assert!(found.within(6e-4) && !found.within(4e-4));
    let far = SUMMARY.replace("\"final\": -1.0", "\"final\": -1.01");
    let found = both("compare-numbers", [SUMMARY, &far], [SERIES; 2]);
    assert!(found.within(0.01) && !found.within(0.009));
    // How many steps there were says how a run was made: it may differ where something may.
    let counts = SUMMARY.replace("100,", "200,");
    let found = both("compare-counts", [SUMMARY, &counts], [SERIES; 2]);
    assert!(found.within(1e-9) && !found.within(0.0));
    // A column of errors, and one of roundings.
    let noise = |size: &str| format!("t,symplectic_residual,momentum.x\n0,0,0\n1,{size},{size}\n");
    let found = both("compare-noise", [SUMMARY; 2], [&noise("1e-15"), &noise("4e-15")]);
    assert!(found.within(1e-9) && !found.within(0.0));
    let found = both("compare-noisy", [SUMMARY; 2], [&noise("1e-15"), &noise("1e-5")]);
    assert!(!found.within(1e-9), "a momentum that is no longer zero");
}

#[test]
fn columns_that_one_has_count_where_all_must_be_equal() {
    let wider = "t,x,energy,probe\n0,1,-1,5\n0.5,0.5,-1,5\n1,-2,-1,5\n";
    let found = both("compare-wider", [SUMMARY; 2], [SERIES, wider]);
    assert_eq!(found.tables[0].only, [vec![], vec!["probe".to_string()]]);
    assert!(found.within(1e-12) && !found.within(0.0));
}

#[test]
fn a_row_that_was_being_written_is_left_out() {
    let found = both("compare-torn", [SUMMARY; 2], [SERIES, "t,x,energy\n0,1,-1\n0.5,0.5,-1\n1,-"]);
    assert_eq!((found.tables[0].torn, found.tables[0].matched), ([false, true], 2));
    assert!(found.within(1e-12) && !found.within(0.0));
}

#[test]
fn what_is_no_folder_of_results_is_said() {
    let good = run("compare-good", SUMMARY, SERIES);
    let message = |files: &[(&str, &str)]| {
        let bad = folder("compare-bad", files);
        compare(&good.0, &bad.0).expect_err("bad").to_string()
    };
    let deep = "[".repeat(100_000);
    for (files, expected) in [
        (&[][..], "has no results of a run"),
        (&[("sweep.csv", "")], "the results of a sweep"),
        (&[("summary.json", "{")], "summary.json: EOF while parsing"),
        (&[("summary.json", &deep)], "recursion limit"),
        (&[("summary.json", "{}")], "no `schema`"),
        (&[("summary.json", SUMMARY)], "there is no such file, but there is"),
        (&[("summary.json", SUMMARY), ("series.csv", "")], "it has no header"),
        (&[("summary.json", SUMMARY), ("series.csv", "t,x\n0\n")], "line 2 has 1 fields, the header has 2"),
        (&[("summary.json", SUMMARY), ("series.csv", "t,x\nzero,1\n")], "line 2 does not begin with a time"),
        (&[("summary.json", SUMMARY), ("series.csv", "t,x\nNaN,1\n")], "line 2 does not begin with a time"),
    ] {
        let text = message(files);
        assert!(text.contains(expected), "{text}");
    }
    let absent = compare(&good.0, Path::new("no-such-folder")).expect_err("absent").to_string();
    assert!(absent.contains("there is no folder `no-such-folder`"), "{absent}");
    let file = good.0.join("series.csv");
    assert!(compare(&file, &good.0).expect_err("a file").to_string().contains("is no folder"));
}

/// Impacts have words, and are matched by their numbers.
#[test]
fn impacts_are_compared_row_by_row() {
    let impacts = "time,gap,kind,impulse\n0.5,floor,bounce,2\n0.9,wall,bounce,1\n";
    let files = |text| [("summary.json", SUMMARY), ("series.csv", SERIES), ("impacts.csv", text)];
    let a = folder("compare-impacts-a", &files(impacts));
    let b = folder("compare-impacts-b", &files(&impacts.replace("wall", "door")));
    let found = compare(&a.0, &b.0).unwrap();
    assert_eq!(found.tables[1].columns[1].largest, f64::INFINITY);
    assert_eq!(found.tables[1].columns[1].at, 0.9);
    assert!(!found.within(1.0));
}
