//! `stationary modes`.

use super::{Folder, stderr, stdout};
use serde_json::Value;
use std::path::Path;

fn summary(folder: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(folder.join("summary.json")).unwrap()).unwrap()
}

#[test]
fn modes_of_a_solid_are_told_and_written() {
    let folder = Folder::new("modes");
    let out = folder.stationary(&["modes", "slab", "--count", "4", "--out", "held"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    assert!(text.contains("vibration") && text.contains("no other is below"), "{text}");
    // The slab is loaded by its weight and starts without stresses.
    assert!(stderr(&out).contains("the initial shape is no equilibrium"), "{}", stderr(&out));
    let held = folder.0.join("held");
    let found = summary(&held);
    assert_eq!((&found["count"], &found["rigid"]), (&4.into(), &0.into()));
    let frequency = |k: usize| found["mode"][k.to_string()]["frequency"].as_f64().unwrap();
    assert!(frequency(1) > 0.0 && (2..=4).all(|k| frequency(k) > frequency(k - 1)));
    let rows = std::fs::read_to_string(held.join("modes.csv")).unwrap();
    let columns = |line: &str| line.split(',').count();
    assert_eq!(rows.lines().count(), 5);
    assert!(rows.lines().all(|line| columns(line) == columns(rows.lines().next().unwrap())), "{rows}");
    assert_eq!(std::fs::read_dir(held.join("frames")).unwrap().count(), 4);
    let page = std::fs::read_to_string(held.join("report.html")).unwrap();
    assert!(page.contains("scene-mode") && page.contains("Mode shapes"));
    // The results of a run replace those of the modes.
    let out = folder.stationary(&["run", "slab", "--set", "end=0.01", "--set", "claim=[]", "--out", "held"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(!held.join("modes.csv").exists());
}

#[test]
fn a_free_solid_has_rigid_modes_and_json_tells_them() {
    let folder = Folder::new("free-modes");
    let support = "support={}";
    let out = folder.stationary(&["modes", "slab", "-n", "5", "--set", support, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let done: Value = serde_json::from_str(stdout(&out).lines().last().unwrap()).unwrap();
    assert_eq!((&done["event"], &done["summary"]["rigid"]), (&"done".into(), &3.into()));
    assert_eq!(done["summary"]["mode"]["1"]["frequency"], 0.0);
    assert_eq!(done["summary"], summary(&folder.0.join("results/slab-modes")));
}

#[test]
fn modes_that_cannot_be_computed_are_refused() {
    let folder = Folder::new("no-modes");
    let cases: [(&[&str], &str); 4] = [
        (&["pendulum"], "natural frequencies are those of solids"),
        (&["slab", "--count", "0"], "expected a number of modes from 1 to"),
        (&["slab", "--count", "100000"], "100000 modes are wanted of a body with"),
        (&["slap"], "did you mean `slab`?"),
    ];
    for (arguments, expected) in cases {
        let out = folder.stationary(&[&["modes"], arguments].concat());
        assert_eq!(out.status.code(), Some(2), "{arguments:?}");
        assert!(stderr(&out).contains(expected), "{arguments:?}: {}", stderr(&out));
    }
    assert!(!folder.0.join("results").exists(), "nothing is written");
}
