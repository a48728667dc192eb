//! Runs broken off and resumed end as if nothing had happened.

use super::super::{Folder, stderr};
use super::{PULLED, SQUARE, summary, write};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

/// All that differs between equal runs.
const CLOCKS: [&str; 3] = ["wall_seconds", "measured_speedup", "nanoseconds_per_update"];

fn without_clocks(value: &mut Value) {
    if let Value::Object(map) = value {
        CLOCKS.iter().for_each(|key| drop(map.remove(*key)));
        map.values_mut().for_each(without_clocks);
    }
}

/// Series, frames, summary and the moving picture are alike to the byte, clocks aside.
pub fn equal(a: &Path, b: &Path) {
    let read = |folder: &Path, name: &str| {
        let path = folder.join(name);
        std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
    };
    assert!(
        read(a, "series.csv") == read(b, "series.csv"),
        "series.csv of {} and {}",
        a.display(),
        b.display()
    );
    let names = |folder: &Path| {
        let all = std::fs::read_dir(folder.join("frames")).unwrap();
        let mut names: Vec<_> = all.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(a), names(b));
    let frames = names(a).into_iter().map(|name| format!("frames/{name}"));
    for name in frames.chain(["frames.pvd".to_string()]) {
        assert!(read(a, &name) == read(b, &name), "{name}");
    }
    let picture = |folder: &Path| {
        let page = String::from_utf8(read(folder, "report.html")).unwrap();
        let data = page.split("<script type=\"application/json\">").nth(1).expect("a picture");
        data.split("</script>").next().unwrap().to_string()
    };
    assert!(picture(a) == picture(b), "the moving picture");
    let [mut one, mut two] = [a, b].map(summary);
    without_clocks(&mut one);
    without_clocks(&mut two);
    assert_eq!(one, two);
}

/// The square, with a checkpoint at every opportunity.
fn watched() -> String {
    let steady = PULLED.replace("0.1*(1 + t)", "0.1*cos(t)");
    steady.replace("end = 1.0", "end = 20.0").replace("rows = 20", "rows = 100\ncheckpoint = 0")
}

const METHODS: [&[&str]; 5] = [
    &[],
    &["--set", "integrator.steps=harmonic"],
    &["--set", "integrator.method=newmark"],
    &["--set", "integrator.factor=1 + 0.5*sin(t + X)"],
    &["--set", "integrator.method=midpoint", "--set", "step=0.02"],
];

fn run(folder: &Folder, sets: &[&str], more: &[&str]) -> Output {
    folder.stationary(&[&["run", "pull.toml", "--quiet"], sets, more].concat())
}

fn break_at(place: &str, folder: &Folder, sets: &[&str], more: &[&str]) -> Output {
    folder.broken_at(place, &[&["run", "pull.toml", "--quiet"], sets, more].concat())
}

#[cfg(unix)]
#[test]
fn killed_solid_run_resumes_to_the_same_bytes() {
    for (m, sets) in METHODS.into_iter().enumerate() {
        let folder = Folder::new(&format!("killed-solid-{m}"));
        write(&folder, &watched(), SQUARE);
        let mut more = vec!["--out", "broken"];
        for place in ["after-move:3", "after-move:17", "within-write:8", "before-rename:5", "after-move:29"] {
            let out = break_at(&format!("{place}:kill"), &folder, sets, &more);
            assert_eq!(out.status.code(), None, "{sets:?} has no place {place}: {}", stderr(&out));
            more = vec!["--out", "broken", "--resume"];
        }
        let last = run(&folder, sets, &more);
        assert!(last.status.success(), "{}", stderr(&last));
        let whole = run(&folder, sets, &["--out", "whole"]);
        assert_eq!(whole.status.code(), Some(0), "{sets:?}: {}", stderr(&whole));
        equal(&folder.0.join("whole"), &folder.0.join("broken"));
        assert!(!folder.0.join("broken/checkpoint").exists(), "a finished run keeps no checkpoint");
    }
}

#[cfg(unix)]
#[test]
fn interrupted_solid_run_says_how_to_resume_and_does() {
    for (m, sets) in METHODS.into_iter().enumerate() {
        let folder = Folder::new(&format!("interrupted-solid-{m}"));
        // No checkpoint but that of the interruption.
        write(&folder, &watched().replace("checkpoint = 0", "checkpoint = 1e9"), SQUARE);
        let out = break_at("after-move:23:int", &folder, sets, &["--out", "broken"]);
        assert_eq!(out.status.code(), Some(2), "{sets:?}: {}", stderr(&out));
        assert!(stderr(&out).contains("--resume goes on from here"), "{}", stderr(&out));
        let before = summary(&folder.0.join("broken"));
        assert_eq!(before["finished"], false);
        let out = run(&folder, sets, &["--out", "broken", "--resume"]);
        assert_eq!(out.status.code(), Some(0), "{sets:?}: {}", stderr(&out));
        let whole = run(&folder, sets, &["--out", "whole"]);
        assert_eq!(whole.status.code(), Some(0), "{sets:?}: {}", stderr(&whole));
        equal(&folder.0.join("whole"), &folder.0.join("broken"));
    }
}

/// All files of a folder.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut all: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.is_file())
        .map(|p| (p.display().to_string(), std::fs::read(&p).unwrap()))
        .collect();
    all.sort();
    all
}

#[cfg(unix)]
#[test]
fn resume_of_unsuitable_results_is_refused_and_destroys_nothing() {
    let folder = Folder::new("not-resumed");
    write(&folder, &watched(), SQUARE);
    let out = break_at("after-move:40:kill", &folder, &[], &["--out", "broken"]);
    assert_eq!(out.status.code(), None, "{}", stderr(&out));
    let refused = |arguments: &[&str], expected: &[&str]| {
        let before = content(&folder.0.join("broken"));
        let out = folder.stationary(arguments);
        let message = stderr(&out);
        assert_eq!(out.status.code(), Some(2), "{message}");
        assert!(message.starts_with("error: ") && message.lines().count() <= 4, "{message}");
        for part in expected {
            assert!(message.contains(part), "no `{part}` in: {message}");
        }
        assert!(before == content(&folder.0.join("broken")), "something was changed: {message}");
    };
    let resume = ["run", "pull.toml", "--out", "broken", "--resume"];
    // Another scenario, the same with another number, another mesh.
    refused(&[&resume[..], &["--set", "end=500"]].concat(), &["broken/checkpoint", "another scenario"]);
    refused(&["run", "slab", "--out", "broken", "--resume"], &["broken/checkpoint", "another scenario"]);
    std::fs::write(folder.0.join("square.msh"), SQUARE.replace("5 0.5 0.5 0", "5 0.5 0.4 0")).unwrap();
    refused(&resume, &["broken/checkpoint", "another scenario"]);
    std::fs::write(folder.0.join("square.msh"), SQUARE).unwrap();
    // Damaged: a bit turned over anywhere, or an end missing.
    let path = folder.0.join("broken/checkpoint");
    let good = std::fs::read(&path).unwrap();
    for at in [0, 9, good.len() / 2, good.len() - 1] {
        let mut bad = good.clone();
        bad[at] ^= 4;
        std::fs::write(&path, bad).unwrap();
        refused(&resume, &["broken/checkpoint"]);
        std::fs::write(&path, &good[..at]).unwrap();
        refused(&resume, &["broken/checkpoint"]);
    }
    std::fs::write(&path, &good).unwrap();
    // A series cut shorter than the checkpoint knows.
    let series = folder.0.join("broken/series.csv");
    let text = std::fs::read(&series).unwrap();
    std::fs::write(&series, &text[..text.len().min(100)]).unwrap();
    refused(&resume, &["series.csv"]);
    std::fs::write(&series, &text).unwrap();
    let out = folder.stationary(&resume);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let (before, again) = (content(&folder.0.join("broken")), folder.stationary(&resume));
    assert_eq!((again.status.code(), before), (Some(0), content(&folder.0.join("broken"))));
    assert!(stderr(&again).contains("nothing was left to do"), "{}", stderr(&again));
    let other = ["there is no checkpoint to resume from", "broken/summary.json", "results of another run"];
    refused(&["run", "pendulum", "--out", "broken", "--resume"], &other);
}
