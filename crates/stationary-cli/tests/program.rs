//! The program as a user meets it: words, exit codes, files.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stationary-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Runs the program in the folder.
    fn stationary(&self, arguments: &[&str]) -> Output {
        command(&self.0, arguments).output().unwrap()
    }

    /// Runs `run` on a scenario that must be refused: exit 2, one message, nothing written.
    fn refused(&self, text: &[u8], expected: &str) {
        std::fs::write(self.0.join("bad.toml"), text).unwrap();
        let out = self.stationary(&["run", "bad.toml", "--out", "out"]);
        let message = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{message}");
        assert!(message.starts_with("error: bad.toml:"), "{message}");
        assert!(message.contains(expected), "{message}");
        assert!(message.len() < 1500 && message.matches("error:").count() == 1, "{message}");
        assert!(out.stdout.is_empty());
        assert!(
            !self.0.join("out").exists() && !self.0.join("results").exists(),
            "partial results: {expected}"
        );
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stationary"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    command
}

fn stdout(out: &Output) -> String {
    String::from_utf8(out.stdout.clone()).unwrap()
}

fn stderr(out: &Output) -> String {
    String::from_utf8(out.stderr.clone()).unwrap()
}

const PENDULUM: &str = r#"coordinates = ["theta"]
lagrangian = "0.5*m*vtheta^2 + m*g*cos(theta)"
step = 0.01
end = 1.0
integrator = "verlet"
parameters = { m = 1.0, g = 9.81 }
[initial]
position = { theta = 1.0 }
velocity = { theta = 0.0 }
"#;

#[test]
fn list_names_everything_and_explain_knows_each_name() {
    let folder = Folder::new("list");
    let out = folder.stationary(&["list"]);
    assert_eq!(out.status.code(), Some(0));
    let text = stdout(&out);
    let names: Vec<&str> =
        text.lines().filter(|l| l.starts_with("  ")).filter_map(|l| l.split_whitespace().next()).collect();
    for name in
        ["verlet", "gauss", "symplectic", "pendulum", "kepler", "henon-heiles", "double-pendulum", "lattice"]
    {
        assert!(names.contains(&name), "{name}");
    }
    for name in names.into_iter().chain(["formulas"]) {
        let out = folder.stationary(&["explain", name]);
        assert_eq!(out.status.code(), Some(0), "{name}: {}", stderr(&out));
        assert!(stdout(&out).lines().count() > 3, "{name}");
    }
    let out = folder.stationary(&["explain", "gaus"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("did you mean `gauss`?"));
}

#[test]
fn every_shipped_scenario_checks_with_no_checkout() {
    let folder = Folder::new("check");
    for name in ["pendulum", "kepler", "henon-heiles", "double-pendulum", "lattice"] {
        let out = folder.stationary(&["check", name]);
        assert_eq!(out.status.code(), Some(0), "{name}: {}", stderr(&out));
        assert!(stdout(&out).starts_with(&format!("{name} is a valid scenario\n")));
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "a check writes nothing");
}

#[test]
fn a_name_that_is_nothing_gets_a_near_miss() {
    let folder = Folder::new("name");
    let out = folder.stationary(&["run", "keppler"]);
    assert_eq!(out.status.code(), Some(2));
    assert_eq!(
        stderr(&out),
        "error: there is no file and no shipped scenario `keppler`\n  = did you mean `kepler`? shipped scenarios: \
         pendulum, kepler, henon-heiles, double-pendulum, lattice\n"
    );
    std::fs::write(folder.0.join("orbit.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["check", "obrit.toml"]);
    assert!(stderr(&out).contains("did you mean `orbit.toml`?"), "{}", stderr(&out));
}

#[test]
fn wrong_usage_is_exit_2() {
    let folder = Folder::new("usage");
    for arguments in
        [&["run"][..], &["walk"], &["run", "kepler", "--set", "step"], &["check", "kepler", "--fast"], &[]]
    {
        assert_eq!(folder.stationary(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(folder.stationary(&["--help"]).status.code(), Some(0));
}

#[test]
fn bad_input_is_one_message_and_no_results() {
    let folder = Folder::new("bad");
    let with = |old: &str, new: &str| {
        assert!(PENDULUM.contains(old), "{old}");
        PENDULUM.replacen(old, new, 1).into_bytes()
    };
    folder.refused(&with("step", "stpe"), "bad.toml:3:1: unknown key `stpe` in the scenario");
    folder.refused(&with("cos(", "cso("), "did you mean `cos`?");
    folder.refused(&with("cos(theta)", "cos(theta, 1)"), "bad.toml:2:");
    folder.refused(
        &with("velocity = { theta = 0.0 }", "velocity = {}"),
        "the coordinate `theta` without initial velocity",
    );
    folder.refused(&with("0.01", "0"), "bad.toml:3:8: `step` must be greater than zero, found 0");
    folder.refused(&with("g = 9.81", "g = nan"), "`g` must be a finite number, found NaN");
    folder.refused(&vec![b'#'; 10_000_000], "too long for a scenario: 10.0 MB");
    folder.refused(&with("cos(theta)", &"(".repeat(100_000)), "bad.toml:2:");
    folder.refused(&with("0.01", &"[".repeat(100_000)), "bad.toml:3:");
    folder.refused(b"step = \xff\xfe", "bad.toml:1:8: not UTF-8 text");
    folder.refused(&with("\"verlet\"", "\"verlte\""), "did you mean `verlet`?");
    folder.refused(&with("\"verlet\"", "{ method = \"gauss\", stagse = 2 }"), "did you mean `stages`?");
    folder.refused(&with("step =", "observe = [\"simplectic\"]\nstep ="), "did you mean `symplectic`?");
    // The mass matrix of a Lagrangian without velocities is singular everywhere.
    folder.refused(&with("0.5*m*vtheta^2", "0*m*vtheta"), "bad.toml:2:");
}

#[test]
fn a_run_leaves_its_results_where_it_says() {
    let folder = Folder::new("run");
    std::fs::write(folder.0.join("swing.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["run", "swing.toml", "--set", "claim=energy.max_relative_error < 1e-2"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    assert!(text.contains("energy") && text.contains("kept to") && text.contains("holds"), "{text}");
    assert!(text.contains("Results in results/swing"), "{text}");
    for file in ["series.csv", "summary.json", "report.html"] {
        assert!(folder.0.join("results/swing").join(file).is_file(), "{file}");
    }
    let quiet = folder.stationary(&["run", "swing.toml", "--out", "elsewhere", "--quiet"]);
    assert_eq!((quiet.status.code(), quiet.stdout.len(), quiet.stderr.len()), (Some(0), 0, 0));
    assert!(folder.0.join("elsewhere/summary.json").is_file());
}

#[test]
fn a_failed_claim_is_exit_1_and_keeps_the_results() {
    let folder = Folder::new("claim");
    std::fs::write(folder.0.join("swing.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["run", "swing.toml", "--set", "claim=energy.max_relative_error < 1e-30"]);
    assert_eq!(out.status.code(), Some(1), "{}", stderr(&out));
    assert!(
        stderr(&out).contains("claim failed: energy.max_relative_error < 1e-30 (measured "),
        "{}",
        stderr(&out)
    );
    assert!(folder.0.join("results/swing/summary.json").is_file());
}

#[test]
fn every_shipped_scenario_keeps_its_claims() {
    let folder = Folder::new("shipped");
    for name in ["pendulum", "kepler", "henon-heiles", "double-pendulum", "lattice"] {
        let out = folder.stationary(&["run", name]);
        assert_eq!(out.status.code(), Some(0), "{name}: {}{}", stdout(&out), stderr(&out));
    }
}

#[test]
fn set_reaches_the_integrator_of_a_shipped_scenario() {
    let folder = Folder::new("set");
    let sets = ["--set", "integrator.method=gauss", "--set", "integrator.stages=3", "--set", "end=1"];
    let out = folder.stationary(&[&["run", "pendulum"][..], &sets].concat());
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let summary = std::fs::read_to_string(folder.0.join("results/pendulum/summary.json")).unwrap();
    assert!(summary.contains("gauss"), "{summary}");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    let folder = Folder::new("pipe");
    let mut child =
        command(&folder.0, &["list"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), stderr(&out).as_str()), (Some(0), ""));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_what_it_has() {
    let folder = Folder::new("interrupt");
    let arguments = ["run", "pendulum", "--set", "end=1e9", "--set", "output.every=100000", "--out", "out"];
    let child = command(&folder.0, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1500));
    let sent = Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    assert!(stderr(&out).contains("interrupted: the run ended early"), "{}", stderr(&out));
    let rows = std::fs::read_to_string(folder.0.join("out/series.csv")).unwrap();
    assert!(rows.lines().count() > 2 && rows.ends_with('\n'));
    assert!(folder.0.join("out/summary.json").is_file());
}
