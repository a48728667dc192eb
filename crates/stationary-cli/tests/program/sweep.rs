//! Sweeps: a row for each run, the same bytes whatever the threads and however often they were broken off.

use super::{Folder, PENDULUM, stderr, stdout};
use std::path::Path;
use std::process::Output;

fn read(folder: &Folder, name: &str) -> String {
    std::fs::read_to_string(folder.0.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// The cells of a table, header first; commas within quotes belong to their cell.
fn cells(text: &str) -> Vec<Vec<&str>> {
    assert!(text.ends_with('\n'));
    let split = |line: &'_ str| -> Vec<std::ops::Range<usize>> {
        let mut quoted = false;
        let mut from = 0;
        let mut found = Vec::new();
        for (at, c) in line.char_indices() {
            quoted ^= c == '"';
            if c == ',' && !quoted {
                found.push(from..at);
                from = at + 1;
            }
        }
        found.push(from..line.len());
        found
    };
    text.lines().map(|line| split(line).into_iter().map(|cell| &line[cell]).collect()).collect()
}

/// A column of a table of runs, without its head.
fn column<'a>(rows: &[Vec<&'a str>], name: &str) -> Vec<&'a str> {
    let at = rows[0].iter().position(|head| *head == name).unwrap_or_else(|| panic!("no {name}"));
    rows[1..].iter().map(|row| row[at]).collect()
}

fn succeeds(out: &Output) {
    assert_eq!(out.status.code(), Some(0), "{}", stderr(out));
    assert_eq!(stderr(out), "");
}

const FILES: [&str; 3] = ["sweep.csv", "sweep.json", "sweep.html"];

#[test]
fn sweep_over_a_grid_has_one_row_per_run_for_any_number_of_threads() {
    let folder = Folder::new("sweep-grid");
    std::fs::write(folder.0.join("p.toml"), PENDULUM).unwrap();
    let grid = ["sweep", "p.toml", "--over", "parameters.g=1,9.81", "--over", "step=0.01..0.03:3"];
    let out = folder.stationary(&[&grid[..], &["--out", "a", "--jobs", "1"]].concat());
    succeeds(&out);
    let told = stdout(&out);
    for part in [
        "p: 6 runs over parameters.g, step",
        "finished  6",
        "Results in a: sweep.csv, sweep.json, sweep.html",
    ] {
        assert!(told.contains(part), "{told}");
    }
    let table = read(&folder, "a/sweep.csv");
    let rows = cells(&table);
    assert_eq!(rows.len(), 7);
    assert_eq!(column(&rows, "run"), ["1", "2", "3", "4", "5", "6"]);
    assert_eq!(column(&rows, "parameters.g"), ["1", "1", "1", "9.81", "9.81", "9.81"]);
    assert_eq!(column(&rows, "step"), ["0.01", "0.02", "0.03", "0.01", "0.02", "0.03"]);
    assert_eq!(column(&rows, "outcome"), ["finished"; 6]);
    assert!(!rows[0].iter().any(|head| head.contains("wall")), "clocks are no results");

    // Two threads, and runs that also leave their files: the same bytes; and each row is the run it says it is.
    succeeds(&folder.stationary(&[&grid[..], &["--out", "b", "--jobs", "2", "--quiet", "--keep"]].concat()));
    for file in FILES {
        assert!(read(&folder, &format!("a/{file}")) == read(&folder, &format!("b/{file}")), "{file}");
    }
    assert_eq!(
        std::fs::read_dir(folder.0.join("b")).unwrap().count(),
        4,
        "a journal or another file is left"
    );
    succeeds(&folder.stationary(&[
        "run",
        "p.toml",
        "--set",
        "parameters.g=9.81",
        "--set",
        "step=0.02",
        "-q",
        "--out",
        "c",
    ]));
    let energy = |text: &str| {
        let text = text.split_once("\"max_relative_error\": ").unwrap().1;
        text.split([',', '\n']).next().unwrap().to_string()
    };
    let kept = energy(&read(&folder, "b/runs/0005/summary.json"));
    assert_eq!(kept, energy(&read(&folder, "c/summary.json")));
    let measured: f64 = column(&rows, "energy.max_relative_error")[4].parse().unwrap();
    assert_eq!(measured, kept.parse::<f64>().unwrap());
    assert_eq!(read(&folder, "b/runs/0005/series.csv"), read(&folder, "c/series.csv"));
}

#[test]
fn sweep_list_varies_keys_together_and_an_empty_cell_keeps_the_scenario() {
    let folder = Folder::new("sweep-list");
    let list = "integrator,integrator.stages,initial\nverlet,,\ngauss,2,\"{position = [2, 0.1], velocity = [0, 1]}\"\n";
    std::fs::write(folder.0.join("l.csv"), list).unwrap();
    let sweep = [
        "sweep",
        "kepler",
        "--list",
        "l.csv",
        "--over",
        "step=0.01,0.02",
        "--set",
        "end=1",
        "--set",
        "claim=[]",
    ];
    succeeds(
        &folder
            .stationary(&[&sweep[..], &["--out", "o", "--plot", "method.order", "--plot", "moves"]].concat()),
    );
    let table = read(&folder, "o/sweep.csv").replace("\"{position = [2, 0.1], velocity = [0, 1]}\"", "there");
    let rows = cells(&table);
    assert_eq!(column(&rows, "integrator"), ["verlet", "verlet", "gauss", "gauss"]);
    assert_eq!(column(&rows, "integrator.stages"), ["", "", "2", "2"]);
    assert_eq!(column(&rows, "initial"), ["", "", "there", "there"]);
    assert_eq!(column(&rows, "step"), ["0.01", "0.02", "0.01", "0.02"]);
    assert_eq!(column(&rows, "method.order"), ["2", "2", "4", "4"]);
    assert_eq!(column(&rows, "moves"), ["100", "50", "100", "50"]);
    let page = read(&folder, "o/sweep.html");
    assert_eq!(page.matches("<svg").count(), 2);
}

#[test]
fn sweep_runs_solids() {
    let folder = Folder::new("sweep-solid");
    let sweep = [
        "sweep",
        "bar-wave",
        "--over",
        "material.steel.young=100e9,210e9",
        "--set",
        "end=1e-4",
        "--set",
        "claim=[]",
    ];
    succeeds(&folder.stationary(&[&sweep[..], &["--set", "output.rows=20", "--out", "a"]].concat()));
    succeeds(&folder.stationary(
        &[&sweep[..], &["--set", "output.rows=20", "--out", "b", "--keep", "--jobs", "1"]].concat(),
    ));
    assert!(read(&folder, "a/sweep.csv") == read(&folder, "b/sweep.csv"));
    assert!(folder.0.join("b/runs/0002/frames.pvd").is_file());
    let table = read(&folder, "a/sweep.csv");
    let rows = cells(&table);
    for clock in ["wall_seconds", "avi.measured_speedup", "avi.nanoseconds_per_update"] {
        assert!(!rows[0].contains(&clock), "{clock}");
    }
    let energy = column(&rows, "energy.initial");
    let [soft, stiff] = [energy[0], energy[1]].map(|e| e.parse::<f64>().unwrap());
    assert!((stiff / soft - 2.1).abs() < 1e-9, "{soft} {stiff}");
    assert_eq!(column(&rows, "momentum.linear.initial.2").len(), 2);
}

#[test]
fn sweep_records_a_failed_run_as_a_row_with_its_reason() {
    let folder = Folder::new("sweep-amiss");
    std::fs::write(folder.0.join("p.toml"), PENDULUM).unwrap();
    // The second blows up, the third promises too much.
    let quartic = "lagrangian=0.5*vtheta^2 + k*theta^4";
    let sweep = [
        "sweep",
        "p.toml",
        "--set",
        quartic,
        "--set",
        "end=20",
        "--set",
        "claim=energy.max_relative_error < 1e-6",
    ];
    let more = ["--set", "step=0.001", "--set", "parameters={k=1}", "--out", "o"];
    let over = ["--list", "l.csv"];
    let list = "parameters.k,integrator\n-1,\"{method = 'gauss', stages = 3}\"\n1,verlet\n-1,verlet\n";
    std::fs::write(folder.0.join("l.csv"), list).unwrap();
    let out = folder.stationary(&[&sweep[..], &more, &over].concat());
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    let table = read(&folder, "o/sweep.csv").replace("\"{method = 'gauss', stages = 3}\"", "gauss");
    let rows = cells(&table);
    assert_eq!(column(&rows, "outcome"), ["finished", "stopped", "claim failed"]);
    let notes = column(&rows, "note");
    assert!(notes[0].is_empty() && notes[1].contains("the energy explodes"), "{notes:?}");
    assert!(notes[2].starts_with("claim failed: energy.max_relative_error < 1e-6 (measured "), "{notes:?}");
    let reached: f64 = column(&rows, "time.end")[1].parse().unwrap();
    assert!(reached > 0.0 && reached < 20.0);
    let told = stderr(&out);
    assert!(told.contains("run 2 (parameters.k=1, integrator=verlet): stopped at time "), "{told}");
    assert!(told.contains("run 3 (parameters.k=-1, integrator=verlet): claim failed: "), "{told}");
    let json = read(&folder, "o/sweep.json");
    for count in ["\"finished\": 1", "\"claim_failed\": 1", "\"stopped\": 1", "\"refused\": 0", "\"runs\": 3"]
    {
        assert!(json.contains(count), "{json}");
    }

    // A mass of zero somewhere in a long range makes no system; the other runs do not suffer.
    let out = folder.stationary(&["sweep", "p.toml", "--over", "parameters.m=-1..1:21", "--out", "m"]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    assert!(
        stderr(&out).starts_with("run 11 (parameters.m=0): refused: p.toml:2:14: the mass matrix"),
        "{}",
        stderr(&out)
    );
    let table = read(&folder, "m/sweep.csv");
    let outcomes: Vec<&str> = table.lines().skip(1).map(|l| l.split(',').nth(2).unwrap()).collect();
    assert_eq!((outcomes[10], outcomes.iter().filter(|o| **o == "finished").count()), ("refused", 20));
}

#[test]
fn wrong_sweeps_are_refused_without_output() {
    let folder = Folder::new("sweep-bad");
    std::fs::write(folder.0.join("p.toml"), PENDULUM).unwrap();
    std::fs::write(folder.0.join("short.csv"), "step,end\n0.1,1\n0.2\n").unwrap();
    std::fs::write(folder.0.join("none.csv"), "step,end\n").unwrap();
    std::fs::write(folder.0.join("wrong.csv"), "step,end\n0.1,1\n0.1,soon\n").unwrap();
    std::fs::write(folder.0.join("bytes.csv"), b"step\n\xff\n").unwrap();
    for (arguments, expected) in [
        (&[][..], &["a sweep that varies nothing", "--over parameters.l=0.5,1,2"][..]),
        (
            &["--over", "stpe=1,2"],
            &["run 1, stpe:1:1: unknown key `stpe`", "did you mean `step`?", "in run 1 of 2: stpe=1"],
        ),
        (&["--over", "parameters.m=1,2,x"], &["run 3, parameters.m:1:1: ", "in run 3 of 3: parameters.m=x"]),
        (
            &["--over", "step=0.1,0"],
            &["run 2, step:1:1: `step` must be a number greater than zero", "in run 2 of 2"],
        ),
        (
            &["--over", "integrator=verlet,gaus"],
            &["unknown integrator `gaus`", "did you mean `gauss`?", "in run 2 of 2"],
        ),
        (&["--over", "parameters.m=1,0"], &["p.toml:2:14: the mass matrix", "in run 2 of 2: parameters.m=0"]),
        (
            &["--over", "step=0..1"],
            &["--over step:1:1: a range needs the number of its values", "expected from..to:count"],
        ),
        (&["--over", "step=0..1:one"], &["`one` is no number of values"]),
        (&["--over", "step=0.1,,0.2"], &["--over step:1:5: a value is missing"]),
        (&["--over", "step="], &["a value is missing"]),
        (&["--over", "step=0.1", "--over", "step=0.2"], &["`step` varies twice"]),
        (&["--over", "step=0.1", "--set", "step=0.2"], &["`step` is set and varies"]),
        (
            &["--over", "step=1..2:2000", "--over", "end=10..20:2000"],
            &["a sweep of 2000 x 2000 runs is too large"],
        ),
        (
            &["--over", "step=0.1,0.2", "--plot", "energy.max_eror"],
            &["--plot:1:1: a plot of nothing: `energy` has no"],
        ),
        (&["--list", "shrt.csv"], &["there is no list `shrt.csv`", "did you mean `short.csv`?"]),
        (&["--list", "short.csv"], &["short.csv:3:1: 1 cells under 2 keys"]),
        (&["--list", "none.csv"], &["none.csv:1:1: a list of no runs"]),
        (&["--list", "wrong.csv"], &["run 2, end:1:1: ", "in run 2 of 2: step=0.1, end=soon"]),
        (&["--list", "bytes.csv"], &["bytes.csv: not UTF-8 text"]),
    ] {
        let out = folder.stationary(&[&["sweep", "p.toml", "--out", "out"], arguments].concat());
        let message = stderr(&out);
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {message}");
        for part in expected {
            assert!(message.contains(part), "{arguments:?}: no `{part}` in: {message}");
        }
        assert!(message.starts_with("error: ") && message.matches("error:").count() == 1, "{message}");
        assert!(message.len() < 1500 && message.lines().count() <= 5, "{message}");
        assert_eq!(stdout(&out), "");
        assert!(!folder.0.join("out").exists(), "{arguments:?}");
    }
    for arguments in [&["--jobs", "0", "--over", "step=1,2"][..], &["--over", "step"], &["--over", "=1"]] {
        assert_eq!(folder.stationary(&[&["sweep", "p.toml"], arguments].concat()).status.code(), Some(2));
    }
}

/// Finished runs in a journal: all its lines but the first that are no keys.
fn journalled(out: &Path) -> usize {
    let text = std::fs::read_to_string(out.join("sweep.journal")).unwrap_or_default();
    text.lines().filter(|line| line.contains("\"outcome\"")).count()
}

#[cfg(unix)]
#[test]
fn interrupted_sweep_resumes_to_the_bytes_of_an_uninterrupted_one() {
    let folder = Folder::new("sweep-resumed");
    let base =
        ["sweep", "pendulum", "--over", "initial.position.theta=0.1..3:30", "--set", "end=5", "--quiet"];
    let with =
        |more: &[&'static str]| -> Vec<&str> { base.iter().copied().chain(more.iter().copied()).collect() };
    let unbroken = folder.stationary(&with(&["--out", "whole"]));
    // The head of the journal and four runs are written whole, the fifth in half.
    let out = folder.broken_at("within-write:6:kill", &with(&["--out", "broken", "--jobs", "2"]));
    assert_eq!(out.status.code(), None, "{}", stderr(&out));
    let killed = journalled(&folder.0.join("broken"));
    assert!(killed >= 4 && !folder.0.join("broken/sweep.csv").exists(), "{killed}");
    // Another sweep does not go on with this one, and does it no harm.
    let other = folder.stationary(&with(&["--out", "broken", "--resume", "--over", "step=0.01,0.02"]));
    assert_eq!(other.status.code(), Some(2));
    assert!(stderr(&other).contains("the journal is of another sweep"), "{}", stderr(&other));
    // Broken off again, this time in good order.
    let resume = with(&["--out", "broken", "--resume", "--jobs", "1"]);
    let out = folder.broken_at("after-write:3:int", &resume);
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    let done = journalled(&folder.0.join("broken"));
    let told =
        format!("interrupted: {done} of 30 runs are over and kept; --resume goes on with the others\n");
    assert!(stderr(&out).ends_with(&told), "{done}: {}", stderr(&out));
    assert!(done > killed && !folder.0.join("broken/sweep.csv").exists());
    // And while the tables are written, before the journal goes.
    for place in
        ["before-rename:1:kill", "after-rename:1:kill", "before-rename:3:kill", "before-remove:1:kill"]
    {
        let out = folder.broken_at(place, &resume);
        assert_eq!(out.status.code(), None, "{place}: {}", stderr(&out));
    }
    let resumed = folder.stationary(&with(&["--out", "broken", "--resume"]));
    assert_eq!((resumed.status.code(), stderr(&resumed)), (unbroken.status.code(), stderr(&unbroken)));
    for file in FILES {
        assert!(
            read(&folder, &format!("whole/{file}")) == read(&folder, &format!("broken/{file}")),
            "{file}"
        );
    }
    assert!(!folder.0.join("broken/sweep.journal").exists());
}
