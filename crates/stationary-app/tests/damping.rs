//! Damping of a solid from the keys of its material to the results of a run: a clamped slab under its weight.

use serde_json::Value;
use stationary_app::run::{RunOutcome, SolidSimulation, run};
use stationary_app::scenario::{Scenario, shipped};
use std::ops::ControlFlow;

const AVI: &str = "{ method = \"avi\" }";
const SHORTER: &str = "{ method = \"avi\", fraction = 0.49 }";

fn rubber(damping: &str) -> String {
    format!("{{ law = \"neo-hookean\", young = 5e6, poisson = 0.3, density = 1000{damping} }}")
}

fn scenario(material: &str, sets: &[(&str, &str)]) -> Scenario {
    let common = [
        ("claim", "[]"),
        ("output.rows", "40"),
        ("output.frames", "0"),
        ("end", "1.0"),
        ("material.rubber", material),
    ];
    let sets: Vec<(String, String)> =
        common.iter().chain(sets).map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Scenario::read("slab", shipped::find("slab").unwrap().text, &sets).unwrap()
}

/// The outcome, the series and the page of a run.
fn slab(test: &str, material: &str, sets: &[(&str, &str)]) -> (RunOutcome, String, String) {
    let folder = std::env::temp_dir().join(format!("stationary-damping-{test}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let outcome = run(&scenario(material, sets), &folder, &mut |_| ControlFlow::Continue(())).unwrap();
    let [series, page] =
        ["series.csv", "report.html"].map(|file| std::fs::read_to_string(folder.join(file)).unwrap());
    let _ = std::fs::remove_dir_all(&folder);
    assert!(outcome.stopped.is_none(), "{test}: {:?}", outcome.stopped);
    (outcome, series, page)
}

fn number(outcome: &RunOutcome, path: &[&str]) -> f64 {
    path.iter().fold(&outcome.summary, |value: &Value, key| &value[*key]).as_f64().unwrap()
}

/// Local steps, one explicit step and implicit ones: the same end, and what is lost is dissipated.
#[test]
fn a_damped_slab_ends_alike_by_every_integrator_and_books_its_dissipation() {
    for (name, damping) in [("mass", ", mass_damping = 2"), ("stiffness", ", stiffness_damping = 2e-3")] {
        let mut ends = Vec::new();
        // Local steps book more than mass damping takes, of second order in the steps: shorter ones keep to the bound of all methods.
        let avi = if name == "mass" { SHORTER } else { AVI };
        for (method, integrator, step) in [
            ("avi", avi, None),
            ("newmark", "\"newmark\"", None),
            ("verlet", "{ method = \"verlet\", order = 2 }", None),
            ("midpoint", "\"midpoint\"", Some("2e-3")),
        ] {
            let mut sets = vec![("integrator", integrator)];
            sets.extend(step.map(|step| ("step", step)));
            let (outcome, series, page) = slab(&format!("{name}-{method}"), &rubber(damping), &sets);
            assert!(series.lines().next().unwrap().contains("dissipation"));
            assert!(
                page.contains("Change of the energy and the dissipation less the work done from outside")
            );
            let error = number(&outcome, &["energy", "max_relative_error"]);
            assert!(error < 0.02, "{name} {method}: {error}");
            if ["avi", "newmark"].contains(&method) {
                assert!(number(&outcome, &["momentum", "linear", "max_abs_drift"]) < 1e-11);
                assert!(number(&outcome, &["momentum", "angular", "max_abs_drift"]) < 1e-11);
            }
            let tip = |part: &str| number(&outcome, &["probe", "tip", part]);
            ends.push((method, number(&outcome, &["energy", "dissipated"]), tip("final") / tip("min")));
        }
        for (method, dissipated, tip) in &ends[1..] {
            assert!((dissipated / ends[0].1 - 1.0).abs() < 0.03, "{name} {method}: {ends:?}");
            assert!((tip - ends[0].2).abs() < 0.03, "{name} {method}: {ends:?}");
        }
    }
}

/// Local steps book slightly more than mass damping takes: the watch over the steps must not take that for growth.
#[test]
fn mass_damping_of_local_steps_does_not_shorten_them() {
    let (outcome, ..) =
        slab("watch", &rubber(", mass_damping = 2"), &[("integrator", AVI), ("output.rows", "100")]);
    assert_eq!(outcome.summary["avi"]["rescaled"], Value::Array(Vec::new()));
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
}

#[test]
fn stiffness_damping_shortens_the_steps_and_mass_damping_does_not() {
    let steps = |damping: &str| {
        let simulation = SolidSimulation::new(scenario(&rubber(damping), &[("integrator", "\"newmark\"")]));
        simulation.unwrap().steps()[0]
    };
    let plain = steps("");
    assert_eq!(plain, steps(", mass_damping = 2"));
    // Far beyond critical damping of the fastest vibration: h -> h^2/(2 beta).
    let (damped, more) = (steps(", stiffness_damping = 0.1"), steps(", stiffness_damping = 0.2"));
    assert!(damped < 0.3 * plain && (damped / more - 2.0).abs() < 0.1, "{plain} {damped} {more}");
}

#[test]
fn damping_that_is_negative_or_of_a_bar_in_proportion_to_its_stiffness_is_refused() {
    for (material, word) in [
        (rubber(", mass_damping = -1"), "mass_damping"),
        (rubber(", stiffness_damping = -1"), "stiffness_damping"),
        (
            "{ law = \"bar\", area = 1, young = 1, density = 1, stiffness_damping = 1 }".into(),
            "stiffness_damping",
        ),
    ] {
        let message = SolidSimulation::new(scenario(&material, &[])).err().unwrap().to_string();
        assert!(message.contains(word), "{message}");
    }
}
