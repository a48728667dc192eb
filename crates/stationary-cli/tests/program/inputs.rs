//! What is no regular file, or has no end, as an input: one message, exit code 2, neither waiting nor filling the memory.

#![cfg(unix)]

use super::solids::{PULLED, SQUARE};
use super::{Folder, PENDULUM, command, stderr};
use std::io::{Read, Write};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Longer than any of these commands takes on a busy machine; one that waits for a pipe waits for ever.
const PATIENCE: Duration = Duration::from_secs(60);

/// Runs the program, with two gigabytes of memory, and ends it if it waits.
fn bounded(folder: &Folder, arguments: &[&str]) -> Output {
    let program = command(&folder.0, arguments);
    let mut limited = Command::new("sh");
    limited.args(["-c", "ulimit -v 2000000; exec \"$0\" \"$@\""]).arg(program.get_program()).args(arguments);
    limited.current_dir(&folder.0).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = limited.spawn().unwrap();
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("{arguments:?} waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn refused(folder: &Folder, arguments: &[&str], expected: &[&str]) {
    let out = bounded(folder, arguments);
    let message = stderr(&out);
    assert_eq!(out.status.code(), Some(2), "{arguments:?}: {message}");
    for part in expected {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
    assert!(message.starts_with("error: ") && message.lines().count() <= 4, "{message}");
}

fn fifo(folder: &Folder, name: &str) {
    assert!(Command::new("mkfifo").arg(folder.0.join(name)).status().unwrap().success());
}

#[test]
fn pipes_and_devices_are_refused_as_scenarios_meshes_and_lists() {
    let folder = Folder::new("inputs");
    fifo(&folder, "pipe");
    std::fs::write(folder.0.join("pull.toml"), PULLED.replace("square.msh", "pipe")).unwrap();
    std::fs::write(folder.0.join("pendulum.toml"), PENDULUM).unwrap();
    let regular = "expected a regular file";
    for run in ["run", "check"] {
        refused(&folder, &[run, "pipe"], &["pipe: this is a named pipe", regular, "/dev/stdin"]);
        refused(&folder, &[run, "/dev/zero"], &["/dev/zero: this is a device", regular]);
        refused(
            &folder,
            &[run, "pull.toml"],
            &["pull.toml:1:8: the mesh `pipe` cannot be read", "named pipe"],
        );
        refused(
            &folder,
            &[run, "pull.toml", "--set", "mesh=/dev/zero"],
            &["the mesh `/dev/zero`", "a device"],
        );
    }
    for list in ["pipe", "/dev/zero"] {
        let arguments = ["sweep", "pendulum.toml", "--list", list, "--out", "swept"];
        refused(&folder, &arguments, &[list, regular]);
    }
    assert!(!folder.0.join("swept").exists() && !folder.0.join("results").exists());
}

#[test]
fn pipes_are_refused_as_results_to_compare_or_resume() {
    let folder = Folder::new("input-results");
    std::fs::write(folder.0.join("pendulum.toml"), PENDULUM).unwrap();
    assert_eq!(
        folder.stationary(&["run", "pendulum.toml", "--quiet", "--out", "whole"]).status.code(),
        Some(0)
    );
    for file in ["summary.json", "series.csv"] {
        let other = format!("other-{file}");
        assert_eq!(
            folder.stationary(&["run", "pendulum.toml", "--quiet", "--out", &other]).status.code(),
            Some(0)
        );
        let path = folder.0.join(&other).join(file);
        std::fs::remove_file(&path).unwrap();
        fifo(&folder, &format!("{other}/{file}"));
        refused(&folder, &["compare", "whole", &other], &[file, "named pipe"]);
    }
    std::fs::create_dir(folder.0.join("begun")).unwrap();
    fifo(&folder, "begun/checkpoint");
    refused(&folder, &["run", "pendulum.toml", "--resume", "--out", "begun"], &["checkpoint", "named pipe"]);
}

/// A mesh that is longer than any mesh, of which no byte is on the disk.
#[test]
fn input_files_above_the_size_limit_are_refused_unread() {
    let folder = Folder::new("input-long");
    std::fs::write(folder.0.join("pull.toml"), PULLED.replace("square.msh", "long.msh")).unwrap();
    let long = std::fs::File::create(folder.0.join("long.msh")).unwrap();
    if long.set_len(1 << 40).is_err() {
        return;
    }
    refused(
        &folder,
        &["run", "pull.toml"],
        &["the mesh `long.msh` cannot be read", "at most 17179869184 are read"],
    );
}

/// A descriptor that the program was given is a way in, whatever is at its other end, up to the bound of a scenario.
#[test]
fn scenario_is_read_from_standard_input() {
    let folder = Folder::new("input-stdin");
    let mut child = command(&folder.0, &["run", "/dev/stdin", "--quiet", "--out", "out"])
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(PENDULUM.as_bytes()).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let zeros = std::fs::File::open("/dev/zero").unwrap();
    let mut child = command(&folder.0, &["run", "/dev/stdin", "--out", "none"])
        .stdin(zeros)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut message = String::new();
    child.stderr.take().unwrap().read_to_string(&mut message).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(2));
    assert!(message.contains("too long for a scenario"), "{message}");
}

/// The mesh is told as it is found from where the program was called, as the scenario is.
#[test]
fn errors_in_meshes_name_the_path_given_by_the_user() {
    let folder = Folder::new("input-paths");
    std::fs::create_dir(folder.0.join("deep")).unwrap();
    std::fs::write(folder.0.join("deep/pull.toml"), PULLED).unwrap();
    std::fs::write(folder.0.join("deep/square.msh"), SQUARE.replace("5 0.5 0.5 0", "5 nan 0.5 0")).unwrap();
    refused(&folder, &["run", "deep/pull.toml"], &["error: deep/square.msh:", "node 5 has x = NaN"]);
}
