//! Asynchronous runs whose time steps prove unstable: they go back to their last good row and continue with shorter steps.

use serde_json::Value;
use stationary_app::run::{RunOutcome, run};
use stationary_app::scenario::{Scenario, shipped};
use std::ops::ControlFlow;
use std::path::PathBuf;

/// Waves of the size of an element, without gravity.
const SCATTER: &str = r#"["0.01*sin(7919*X + 1013*Y)", "0.01*cos(5113*X - 3001*Y)"]"#;

/// The integrator of the slab with steps beyond the stability limit, which are free and therefore not refused by a certificate: elements invert
/// within some steps.
const BEYOND_LIMIT: &str = "{ method = \"avi\", steps = \"free\", fraction = 1.6 }";

/// Runs the slab into a folder of its own; returns what came of it, and its series.
fn slab(test: &str, sets: &[(&str, &str)]) -> (RunOutcome, String) {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("stationary-step-watch-{test}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let common = [("output.frames", "0"), ("claim", "[]"), ("output.rows", "100")];
    let sets: Vec<(String, String)> =
        common.iter().chain(sets).map(|(k, v)| (k.to_string(), v.to_string())).collect();
    let scenario = Scenario::read("slab", shipped::find("slab").unwrap().text, &sets).unwrap();
    let outcome = run(&scenario, &folder, &mut |_| ControlFlow::Continue(())).unwrap();
    let series = std::fs::read_to_string(folder.join("series.csv")).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    (outcome, series)
}

fn rescaled(outcome: &RunOutcome) -> &Vec<Value> {
    outcome.summary["avi"]["rescaled"].as_array().unwrap()
}

#[test]
fn steps_beyond_the_stability_limit_are_reduced_and_the_run_finishes() {
    let sets =
        [("parameters.g", "0"), ("end", "0.6"), ("initial.velocity", SCATTER), ("integrator", BEYOND_LIMIT)];
    let (outcome, series) = slab("beyond", &sets);
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    assert_eq!(series.lines().count(), 102, "no row is written twice or left out");
    let records = rescaled(&outcome);
    assert!(!records.is_empty());
    for record in records {
        assert!(
            record["time"].as_f64().unwrap() < 0.6 && record["scale"].as_f64().unwrap() < 1.0,
            "{record}"
        );
        assert!(["fault", "growth"].contains(&record["reason"].as_str().unwrap()), "{record}");
    }
    assert!(
        outcome.warnings.iter().any(|w| w.starts_with("The time steps were reduced")),
        "{:?}",
        outcome.warnings
    );
    for key in ["linear", "angular"] {
        let drift = outcome.summary["momentum"][key]["max_abs_drift"].as_f64().unwrap();
        assert!(drift < 1e-11, "{key}: {drift}");
    }
    assert!(outcome.summary["energy"]["max_relative_error"].as_f64().unwrap() < 0.3);

    // The same run again, on more threads: the same bytes.
    let threads = "{ method = \"avi\", steps = \"free\", fraction = 1.6, threads = 3 }";
    let (_, again) = slab("threads", &[sets[0], sets[1], sets[2], ("integrator", threads)]);
    assert_eq!(again, series);
}

/// The broken twin: the same steps, given by a factor that is one, are left as they are, and the run stops.
#[test]
fn steps_with_a_factor_are_not_reduced() {
    let factor = "{ method = \"avi\", steps = \"free\", fraction = 1.6, factor = \"1\" }";
    let sets = [("parameters.g", "0"), ("end", "0.6"), ("initial.velocity", SCATTER), ("integrator", factor)];
    let (outcome, _) = slab("factor", &sets);
    assert!(rescaled(&outcome).is_empty());
    assert!(outcome.stopped.is_some(), "{}", outcome.summary["energy"]);
}

/// A weight that crushes a slab of a material whose energy stays finite at no volume: an element inverts whatever the steps.
#[test]
fn inversion_that_persists_with_shorter_steps_stops_the_run_by_name() {
    let sets = [
        ("parameters.g", "20000"),
        ("end", "0.04"),
        ("integrator", "{ method = \"avi\" }"),
        ("material.rubber.law", "st-venant-kirchhoff"),
    ];
    let (outcome, series) = slab("crushed", &sets);
    let stopped = outcome.stopped.as_ref().unwrap().to_string();
    assert!(stopped.contains("element ") && stopped.contains("inverted"), "{stopped}");
    assert!(stopped.contains("of the first ones"), "the reductions before are named: {stopped}");
    assert!(series.lines().count() > 10);
}

#[test]
fn stable_steps_are_left_as_they_are() {
    let (outcome, _) = slab("stable", &[("end", "0.6"), ("integrator", "{ method = \"avi\" }")]);
    assert!(outcome.stopped.is_none() && rescaled(&outcome).is_empty());
    assert_eq!(outcome.warnings, Vec::<String>::new());
}
