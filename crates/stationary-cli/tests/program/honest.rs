//! What the results say must be so: nothing passes because it was not looked at.

use super::{Folder, stderr, stdout};

/// One coordinate, no force; tests add to it.
const FREE: &str = r#"coordinates = ["x"]
lagrangian = "0.5*m*vx^2"
parameters.m = 1
step = 0.1
end = 2
integrator = "gauss"
initial = { position = [0], velocity = [1] }
"#;

fn run(folder: &Folder, sets: &[&str]) -> (String, String, serde_json::Value) {
    std::fs::write(folder.0.join("free.toml"), FREE).unwrap();
    let sets: Vec<&str> = sets.iter().flat_map(|set| ["--set", set]).collect();
    let out = folder.stationary(&[&["run", "free.toml", "--out", "out"], sets.as_slice()].concat());
    let summary = std::fs::read_to_string(folder.0.join("out/summary.json"))
        .unwrap_or_else(|e| panic!("{e}: {}", stderr(&out)));
    (stdout(&out), stderr(&out), serde_json::from_str(&summary).unwrap())
}

/// Cause: the test was made at the initial position and time only, where the force may vanish, and at a velocity
/// at which L may not exist; NaN counted as invariance. Expected: a warning, and none for a true symmetry.
#[test]
fn generator_that_is_no_symmetry_is_reported_for_every_initial_state() {
    let folder = Folder::new("symmetry");
    for (lagrangian, symmetric) in [
        ("0.5*vx^2", true),
        ("0.5*vx^2 - 0.5*x^2", false),
        ("0.5*vx^2 + x*sin(t)", false),
        ("-sqrt(4 - vx^2)", true),
        ("-sqrt(4 - vx^2) - 0.5*x^2", false),
        ("0.5*vx^2 + sqrt(1e-3 - x)", false),
    ] {
        let set = format!("lagrangian={lagrangian}");
        let (_, warnings, summary) = run(&folder, &[&set, "symmetry.shift=[\"1\"]", "end=0.1", "step=1e-4"]);
        let told = warnings.contains("`shift` is not a symmetry");
        assert_eq!(told, !symmetric, "{lagrangian}: {warnings} {summary:#}");
    }
    let (_, warnings, _) = run(&folder, &["symmetry.shift=[\"log(x - 9)\"]"]);
    assert!(warnings.contains("`shift` is not a number near the initial state"), "{warnings}");
}

/// Cause: `f64::max` forgets NaN, and a run went on with empty fields. Expected: the run stops and names the probe, and no claim holds
/// for it.
#[test]
fn probe_that_becomes_nan_stops_the_run_and_has_no_extremes() {
    let folder = Folder::new("probe");
    let claims = "claim=[\"probe.a.max < 100\", \"probe.a.min > -100\"]";
    let (_, errors, summary) = run(&folder, &["probe.a=log(1.05 - x)", claims]);
    assert!(errors.contains("the probe `a` is no longer a finite number"), "{errors}");
    assert!(summary["probe"]["a"]["max"].is_null() && summary["probe"]["a"]["min"].is_null(), "{summary:#}");
    assert!((0..2).all(|k| summary["claims"][k]["holds"] == false), "{summary:#}");
    assert_eq!((&summary["finished"], &summary["rows"]), (&false.into(), &11.into()), "{summary:#}");
}

/// Cause: the residual was relative to a tangent whose size depends on the units, and hid what rk4 does to a heavy
/// body behind twelve orders. Expected: the same verdict in all units.
#[test]
fn symplectic_residual_does_not_depend_on_units() {
    let folder = Folder::new("units");
    for mass in ["1", "1e9", "1e-9"] {
        let residual = |method: &str| {
            let sets = [
                "lagrangian=m*(0.5*vx^2 + cos(x))",
                "observe=symplectic",
                "end=20",
                &format!("parameters.m={mass}"),
                &format!("integrator={method}"),
            ];
            run(&folder, &sets).2["symplectic"]["max_residual"].as_f64().unwrap()
        };
        assert!(residual("rk4") > 1e-7, "rk4, mass {mass}: {:e}", residual("rk4"));
        assert!(residual("gauss") < 1e-12, "gauss, mass {mass}: {:e}", residual("gauss"));
    }
}

/// Cause: on a closed orbit rounding adds up for as long as the run is. Expected: a long run is as symplectic as its steps.
#[test]
fn symplectic_residual_does_not_grow_with_the_length_of_the_run() {
    let folder = Folder::new("long");
    let residual = |method: &str| {
        let sets = [
            "lagrangian=0.5*vx^2 - 2*x^2",
            "observe=symplectic",
            "step=0.01",
            "end=200",
            "output.every=1000",
            method,
        ];
        run(&folder, &sets).2["symplectic"]["max_residual"].as_f64().unwrap()
    };
    for method in ["gauss", "lobatto"] {
        let found = residual(&format!("integrator={{ method = \"{method}\", stages = 8 }}"));
        assert!(found < 1e-12, "{method}: {found:e}");
    }
    assert!(residual("integrator=rk4") > 2e-11);
}

/// Cause: the report showed the file, not what was run. Expected: what `--set` changed, in report and summary.
#[test]
fn results_contain_the_values_of_set_options() {
    let folder = Folder::new("overrides");
    let (_, _, summary) = run(&folder, &["parameters.m=2", "integrator=rk4"]);
    assert_eq!(summary["overrides"], serde_json::json!(["parameters.m=2", "integrator=rk4"]));
    let page = std::fs::read_to_string(folder.0.join("out/report.html")).unwrap();
    assert!(page.contains("# changed by --set parameters.m=2\n# changed by --set integrator=rk4\n"));
    assert!(!page.contains("discrete energy"), "rk4 has none");
}

#[test]
fn option_given_under_two_names_is_refused() {
    let folder = Folder::new("twice");
    std::fs::write(folder.0.join("free.toml"), FREE).unwrap();
    let set = "integrator={ method = \"lobatto\", points = 4, stages = 5 }";
    let out = folder.stationary(&["check", "free.toml", "--set", set]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("`points` and `stages` are the same option"), "{}", stderr(&out));
}
