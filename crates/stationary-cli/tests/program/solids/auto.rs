//! `integrator = "auto"`: local steps where they pay, one step for all elsewhere.

use super::{SQUARE, number, summary, write};
use crate::{Folder, stderr, stdout};

/// A square of four equal triangles, whose integrator is not named.
const EQUAL: &str = r#"
mesh = "square.msh"
end = 0.5
[material.rubber]
law = "neo-hookean"
lambda = 100
mu = 50
density = 1
[initial]
velocity = ["0.1*Y", "0"]
[output]
rows = 5
frames = 0
"#;

const CUBE: [&str; 8] =
    ["--set", "end=2e-3", "--set", "output.rows=4", "--set", "output.frames=0", "--set", "claim=[]"];

fn run(folder: &Folder, scenario: &str, out: &str, more: &[&str]) {
    let done = folder.stationary(&[&["run", scenario, "--quiet", "--out", out], more].concat());
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
}

#[test]
fn auto_has_the_bits_of_the_method_that_it_chooses() {
    let folder = Folder::new("solid-auto-bits");
    write(&folder, EQUAL, SQUARE);
    let mut long = CUBE;
    long[1] = "end=2e-2";
    for (scenario, more, method) in [("graded-cube", &long[..], "avi"), ("pull.toml", &[][..], "newmark")] {
        let named = format!("integrator={method}");
        run(&folder, scenario, "auto", &[more, &["--set", "integrator=auto"]].concat());
        run(&folder, scenario, "named", &[more, &["--set", &named]].concat());
        let [auto, named] =
            ["auto", "named"].map(|out| std::fs::read(folder.0.join(out).join("series.csv")).unwrap());
        assert!(auto == named, "{scenario}");
        let auto = summary(&folder.0.join("auto"));
        assert_eq!(auto["avi"]["chosen"]["method"], method, "{scenario}");
        assert_eq!(number(&auto, "avi.chosen.predicted_speedup") >= 1.05, method == "avi", "{scenario}");
        assert!(summary(&folder.0.join("named"))["avi"]["chosen"].is_null());
    }
}

#[test]
fn auto_is_the_integrator_of_a_solid_that_names_none() {
    let folder = Folder::new("solid-auto-default");
    write(&folder, EQUAL, SQUARE);
    let checked = folder.stationary(&["check", "pull.toml"]);
    let told = stdout(&checked);
    assert!(told.contains("newmark (explicit, eigen 0.8)"), "{told}{}", stderr(&checked));
    assert!(told.contains("newmark: in this run local steps cannot be 1.05 times as fast"), "{told}");
    // The run pays for the preparation of local steps: a short one is made with one step.
    let chosen = |end: &str| {
        let set = ["--set", "integrator=auto", "--set", end];
        stdout(&folder.stationary(&[&["check", "graded-cube"], &set[..]].concat()))
    };
    assert!(
        chosen("end=1e-3").contains("newmark: in this run") && chosen("end=0.1").contains("avi: predicted")
    );
    // Options without a method are those of `auto`; a step for all elements decides by itself.
    run(&folder, "pull.toml", "half", &["-t", "1", "--set", "integrator.fraction=0.4"]);
    run(&folder, "pull.toml", "whole", &[]);
    let step = |out: &str| number(&summary(&folder.0.join(out)), "avi.step.min");
    assert!((step("half") / step("whole") - 0.5).abs() < 1e-12);
    let given =
        folder.stationary(&["check", "graded-cube", "--set", "integrator=auto", "--set", "step=1e-6"]);
    assert!(stdout(&given).contains("newmark: the scenario gives one `step`"), "{}", stdout(&given));
    let factor = folder.stationary(&["check", "pull.toml", "--set", "integrator.factor=1+t"]);
    assert_eq!(factor.status.code(), Some(2));
    assert!(stderr(&factor).contains("expected method = \"avi\""), "{}", stderr(&factor));
    let step_of_others = folder.stationary(&["check", "pendulum", "--set", "integrator=auto"]);
    assert_eq!(step_of_others.status.code(), Some(2));
    assert!(stderr(&step_of_others).contains("solids"), "{}", stderr(&step_of_others));
}

#[test]
fn levels_of_steps_are_told_by_check_summary_and_page() {
    let folder = Folder::new("solid-levels");
    let checked = stdout(&folder.stationary(&["check", "graded-cube"]));
    assert!(checked.contains("0: step ") && checked.contains("at a boundary"), "{checked}");
    run(&folder, "graded-cube", "out", &CUBE);
    let summary = summary(&folder.0.join("out"));
    let levels = summary["avi"]["levels"].as_array().unwrap();
    let sum = |key: &str| levels.iter().map(|level| level[key].as_f64().unwrap()).sum::<f64>();
    assert!(levels.len() > 2 && sum("elements") == number(&summary, "avi.elements"), "{levels:?}");
    assert!((sum("updates_share") - 1.0).abs() < 1e-12);
    let touching: f64 = levels
        .iter()
        .map(|level| level["elements"].as_f64().unwrap() * level["boundary_share"].as_f64().unwrap())
        .sum();
    let share = number(&summary, "avi.boundary_share");
    assert!((touching / sum("elements") - share).abs() < 1e-12 && share > 0.1 && share < 0.35, "{share}");
    let page = std::fs::read_to_string(folder.0.join("out/report.html")).unwrap();
    assert!(page.contains("Levels of time steps") && page.contains("level of element step"));
}
