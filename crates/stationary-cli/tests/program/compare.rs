//! `stationary compare`: exit codes and words for two folders of results.

use super::{Folder, PENDULUM, stderr, stdout};
use serde_json::Value;

/// A folder with the pendulum run into each of the folders, with these settings.
fn runs(test: &str, runs: &[(&str, &[&str])]) -> Folder {
    let folder = Folder::new(test);
    std::fs::write(folder.0.join("swing.toml"), PENDULUM).unwrap();
    for (out, sets) in runs {
        let sets = sets.iter().flat_map(|s| ["--set", *s]);
        let arguments: Vec<&str> =
            ["run", "swing.toml", "--quiet", "--out", out].into_iter().chain(sets).collect();
        let done = folder.stationary(&arguments);
        assert!(matches!(done.status.code(), Some(0 | 1)), "{}", stderr(&done));
    }
    folder
}

#[test]
fn compare_finds_a_repeated_run_bit_identical() {
    let folder = runs("compare-same", &[("a", &[]), ("b", &[])]);
    let out = folder.stationary(&["compare", "a", "b"]);
    assert_eq!(out.status.code(), Some(0), "{}", stdout(&out));
    assert!(
        stdout(&out).contains("the same bytes") && stdout(&out).contains("The same bits"),
        "{}",
        stdout(&out)
    );
    let json = folder.stationary(&["compare", "a", "b", "--json"]);
    let found: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert_eq!((found["same_bits"].as_bool(), found["within"].as_bool()), (Some(true), Some(true)));
}

#[test]
fn compare_of_two_steps_shows_the_order_of_the_method() {
    let folder = runs("compare-step", &[("a", &[]), ("b", &["step=0.005"]), ("c", &["step=0.0025"])]);
    let difference = |one: &str, other: &str| {
        let out = folder.stationary(&["compare", one, other, "--json", "--tolerance", "1e-3"]);
        let found: Value = serde_json::from_str(&stdout(&out)).unwrap();
        let series = &found["tables"][0];
        assert_eq!(series["matched"], 101, "{series}");
        let theta = series["columns"].as_array().unwrap().iter().find(|c| c["name"] == "theta").unwrap();
        theta["final"].as_f64().unwrap()
    };
    // Errors of order 2: h^2 - (h/2)^2 against h^2 - (h/4)^2.
    let ratio = difference("a", "c") / difference("a", "b");
    assert!((ratio - 1.25).abs() < 0.02, "{ratio}");
    let exit =
        |tolerance: &str| folder.stationary(&["compare", "a", "b", "--tolerance", tolerance]).status.code();
    assert_eq!((exit("1e-9"), exit("1e-2")), (Some(1), Some(0)));
}

#[test]
fn compare_counts_a_claim_that_fails_in_one_run_as_a_difference() {
    let folder =
        runs("compare-claims", &[("a", &["claim=moves < 1000"]), ("b", &["claim=moves < 1000", "end=20"])]);
    let out = folder.stationary(&["compare", "a", "b", "--tolerance", "1e9"]);
    assert_eq!(out.status.code(), Some(1), "{}", stdout(&out));
    let text = stdout(&out);
    assert!(
        text.contains("Claims that differ") && text.contains("A holds") && text.contains("B FAILED"),
        "{text}"
    );
}

#[test]
fn compare_of_a_folder_without_results_exits_with_2() {
    let folder = runs("compare-bad", &[("a", &[])]);
    std::fs::create_dir(folder.0.join("empty")).unwrap();
    std::fs::create_dir(folder.0.join("torn")).unwrap();
    for (file, text) in [("summary.json", "{\"schema\": \"stationary.summary/1\""), ("series.csv", "t")] {
        std::fs::write(folder.0.join("torn").join(file), text).unwrap();
    }
    for (other, expected) in [
        ("nowhere", "there is no folder `nowhere`"),
        ("empty", "`empty` has no results of a run"),
        ("swing.toml", "is no folder"),
        ("torn", "torn/summary.json: EOF"),
    ] {
        for arguments in [["compare", "a", other], ["compare", other, "a"]] {
            let out = folder.stationary(&arguments);
            assert_eq!((out.status.code(), stdout(&out).as_str()), (Some(2), ""), "{other}");
            assert!(stderr(&out).contains(expected), "{}", stderr(&out));
        }
    }
    let out = folder.stationary(&["compare", "a", "empty", "--json"]);
    let event: Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!((event["event"].as_str(), event["exit"].as_u64()), (Some("error"), Some(2)));
    for tolerance in ["-1", "NaN", "inf", "x"] {
        let out = folder.stationary(&["compare", "a", "a", "--tolerance", tolerance]);
        assert_eq!(out.status.code(), Some(2), "{tolerance}");
    }
}

/// Of a solid and of bodies too.
#[test]
fn compare_covers_solids_and_impacts() {
    let folder = Folder::new("compare-kinds");
    for kind in ["collision", "solid"] {
        assert_eq!(folder.stationary(&["new", kind]).status.code(), Some(0));
        let file = format!("{kind}.toml");
        let end = if kind == "solid" { "end=0.02" } else { "end=3" };
        let claims = ["--set", "claim=[]", "--set", end, "--quiet", "--out"];
        for out in ["a", "b"] {
            let done = folder.stationary(&[&["run", &file][..], &claims, &[out]].concat());
            assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
        }
        let out = folder.stationary(&["compare", "a", "b"]);
        assert_eq!(out.status.code(), Some(0), "{}", stdout(&out));
        assert_eq!(stdout(&out).contains("impacts.csv"), kind == "collision", "{}", stdout(&out));
        for name in ["a", "b"] {
            std::fs::remove_dir_all(folder.0.join(name)).unwrap();
        }
    }
}
