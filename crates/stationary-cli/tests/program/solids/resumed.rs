//! Runs broken off and resumed end as if nothing had happened.

use super::super::{Folder, command, stderr};
use super::{PULLED, SQUARE, summary, write};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// The square, until a time.
fn long(end: f64) -> String {
    let steady = PULLED.replace("0.1*(1 + t)", "0.1*cos(t)");
    let until = format!("end = {end:?}");
    steady.replace("end = 1.0", &until).replace("rows = 20", "rows = 200\ncheckpoint = 0.02")
}

/// Tries longer and longer runs until one is long enough on this machine to be broken off.
fn until_broken(name: &str, attempt: impl Fn(&Folder, f64) -> bool) {
    let ends = [400.0, 2e3, 1e4, 5e4, 2.5e5];
    let broken = |end: &f64| attempt(&Folder::new(&format!("{name}-{end}")), *end);
    assert!(ends.iter().any(broken), "{name}: every run was over before it could be broken");
}

const METHODS: [&[&str]; 5] = [
    &[],
    &["--set", "integrator.steps=harmonic"],
    &["--set", "integrator.method=newmark"],
    &["--set", "integrator.factor=1 + 0.5*sin(t + X)"],
    &["--set", "integrator.method=midpoint", "--set", "step=0.02"],
];

fn start(folder: &Folder, sets: &[&str], more: &[&str]) -> std::process::Child {
    let arguments = [&["run", "pull.toml", "--quiet"], sets, more].concat();
    command(&folder.0, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until there is a checkpoint and some moments more.
fn wait_for_checkpoint(folder: &Folder, more: Duration, child: &mut std::process::Child) {
    let (path, clock) = (folder.0.join("broken/checkpoint"), Instant::now());
    while !path.exists() && child.try_wait().unwrap().is_none() {
        assert!(clock.elapsed().as_secs() < 60, "no checkpoint");
        std::thread::sleep(Duration::from_millis(2));
    }
    std::thread::sleep(more);
}

#[cfg(unix)]
#[test]
fn a_killed_run_resumes_to_the_same_bytes() {
    for (m, sets) in METHODS.into_iter().enumerate() {
        until_broken(&format!("killed-{m}"), |folder, end| killed(folder, end, sets));
    }
}

/// Kills a run as often as it lets us; false if never.
fn killed(folder: &Folder, end: f64, sets: &[&str]) -> bool {
    write(folder, &long(end), SQUARE);
    let mut child = start(folder, sets, &["--out", "broken"]);
    let (mut broken, mut pauses) = (0, [3, 17, 41, 8, 29].into_iter());
    let last = loop {
        let Some(pause) = pauses.next() else { break child.wait_with_output().unwrap() };
        wait_for_checkpoint(folder, Duration::from_millis(pause), &mut child);
        // By SIGKILL: nothing of ours is asked.
        child.kill().unwrap();
        let out = child.wait_with_output().unwrap();
        if out.status.code().is_some() {
            break out;
        }
        broken += 1;
        child = start(folder, sets, &["--out", "broken", "--resume"]);
    };
    if broken == 0 {
        return false;
    }
    assert!(last.status.success(), "{}", stderr(&last));
    let whole = start(folder, sets, &["--out", "whole"]).wait_with_output().unwrap();
    assert_eq!(whole.status.code(), Some(0), "{sets:?}: {}", stderr(&whole));
    equal(&folder.0.join("whole"), &folder.0.join("broken"));
    assert!(!folder.0.join("broken/checkpoint").exists(), "a finished run keeps no checkpoint");
    true
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_says_how_to_go_on_and_does() {
    for (m, sets) in METHODS.into_iter().enumerate() {
        until_broken(&format!("interrupted-{m}"), |folder, end| interrupted(folder, end, sets));
    }
}

/// Interrupts a run; false if it was over before.
fn interrupted(folder: &Folder, end: f64, sets: &[&str]) -> bool {
    // No checkpoint but that of the interruption.
    write(folder, &long(end).replace("checkpoint = 0.02", "checkpoint = 1000"), SQUARE);
    let mut child = start(folder, sets, &["--out", "broken"]);
    let clock = Instant::now();
    while !folder.0.join("broken/series.csv").exists() && child.try_wait().unwrap().is_none() {
        assert!(clock.elapsed().as_secs() < 60);
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    let out = child.wait_with_output().unwrap();
    if out.status.code() == Some(0) {
        return false;
    }
    assert_eq!(out.status.code(), Some(2), "{sets:?}: {}", stderr(&out));
    assert!(stderr(&out).contains("--resume goes on from here"), "{}", stderr(&out));
    let before = summary(&folder.0.join("broken"));
    assert_eq!(before["finished"], false);
    let out = start(folder, sets, &["--out", "broken", "--resume"]).wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{sets:?}: {}", stderr(&out));
    let whole = start(folder, sets, &["--out", "whole"]).wait_with_output().unwrap();
    assert_eq!(whole.status.code(), Some(0), "{sets:?}: {}", stderr(&whole));
    equal(&folder.0.join("whole"), &folder.0.join("broken"));
    true
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
fn what_cannot_be_resumed_is_refused_and_nothing_is_destroyed() {
    let folder = Folder::new("not-resumed");
    write(&folder, &long(1e4), SQUARE);
    let mut child = start(&folder, &[], &["--out", "broken"]);
    wait_for_checkpoint(&folder, Duration::ZERO, &mut child);
    child.kill().unwrap();
    child.wait().unwrap();
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
