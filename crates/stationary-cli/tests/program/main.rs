//! The program as a user meets it: words, exit codes, files.

mod bad_input;
mod bench;
mod compare;
mod cost;
mod energy;
mod full;
mod honest;
mod impacts;
mod inputs;
mod json;
mod killed;
mod modes;
mod new;
mod output;
mod reduced;
mod schema;
mod solids;
mod stopped;
mod sweep;
mod view;
mod words;

#[path = "../docs.rs"]
mod docs;
#[path = "../page/main.rs"]
mod page;

use stationary_app::registry;
use stationary_app::scenario::keys::reference;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// A folder of its own for each test, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stationary-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// Runs the program in the folder. However long it takes, it tells no progress (`stationary_report::failpoint`).
    fn stationary(&self, arguments: &[&str]) -> Output {
        self.broken_at("never", arguments)
    }

    /// Runs the program, to be broken at a place in the run (`stationary_report::failpoint`).
    fn broken_at(&self, failpoint: &str, arguments: &[&str]) -> Output {
        command(&self.0, arguments).env("STATIONARY_FAILPOINT", failpoint).output().unwrap()
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

/// A safety limit against waiting for ever, far beyond what a loaded machine needs. No test depends on how long anything takes.
const PATIENCE: Duration = Duration::from_secs(600);

/// Waits until a condition holds.
fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < PATIENCE, "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends signals to a program, all of them before it can notice the first. By the shell's own command: not every machine has another.
#[cfg(unix)]
fn send(signals: &[&str], child: &Child) {
    let number = child.id();
    let all = ["STOP"].iter().chain(signals).chain(&["CONT"]);
    let script: String = all.map(|name| format!("kill -{name} {number} && ")).collect();
    assert!(Command::new("sh").args(["-c", &(script + "true")]).status().unwrap().success());
}

/// The program where the system gives it no thread beside its first. Users may be kept from more processes than they have; the first user
/// of a machine may not, and then the program runs as nobody.
#[cfg(target_os = "linux")]
fn without_threads(folder: &Folder, arguments: &[&str]) -> Command {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    use std::os::unix::process::CommandExt;
    let copy = folder.0.join("program");
    std::fs::copy(env!("CARGO_BIN_EXE_stationary"), &copy).unwrap();
    for (path, mode) in [(&copy, 0o755), (&folder.0, 0o777)] {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }
    // Shells name this limit differently; where it cannot be set nothing would be tested.
    let script = "ulimit -u 1 2>/dev/null || ulimit -p 1 || exit 77; exec ./program \"$@\"";
    let mut limited = Command::new("sh");
    limited.current_dir(&folder.0).args(["-c", script, "sh"]).args(arguments);
    if std::fs::metadata("/proc/self").is_ok_and(|own| own.uid() == 0) {
        limited.uid(65_534).gid(65_534);
    }
    limited.stdin(Stdio::null());
    limited
}

#[cfg(target_os = "linux")]
#[test]
fn without_threads_runs_use_one_thread_and_sweeps_are_refused() {
    let folder = Folder::new("threads");
    let solid = ["run", "slab", "--threads", "2", "--set", "end=0.1", "--set", "claim=[]", "-q", "--out"];
    let steps = ["--set", "integrator.steps=harmonic"];
    let whole = folder.stationary(&[&solid[..], &["whole"], &steps].concat());
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    let out = without_threads(&folder, &[&solid[..], &["alone"], &steps].concat()).output().unwrap();
    assert_eq!((out.status.code(), stderr(&out).as_str()), (Some(0), ""));
    let [whole, alone] =
        ["whole", "alone"].map(|name| std::fs::read(folder.0.join(name).join("series.csv")).unwrap());
    assert_eq!(whole, alone);
    let sweep = ["sweep", "pendulum", "--over", "step=0.01,0.02", "--out", "swept", "-q"];
    let out = without_threads(&folder, &sweep).output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    assert!(stderr(&out).starts_with("error: threads of the sweep: "), "{}", stderr(&out));
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
fn list_names_every_entry_and_explain_knows_each_name() {
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

/// Every key by its path, every option and constant by its owner, and every material.
#[test]
fn explain_knows_every_key_option_and_material() {
    let folder = Folder::new("explain-all");
    let explained = |name: &str, words: &str| {
        let out = folder.stationary(&["explain", name]);
        assert_eq!(out.status.code(), Some(0), "{name}: {}", stderr(&out));
        assert!(stdout(&out).contains(words), "{name}: {}", stdout(&out));
    };
    for (heading, keys) in reference() {
        for key in keys {
            let path = if heading == "Drawing" { format!("draw.{}", key.path) } else { key.path.to_string() };
            explained(&path, &key.meaning());
        }
    }
    for law in registry::materials() {
        explained(law.name, law.energy);
        law.constants.iter().for_each(|key| explained(&format!("{}.{}", law.name, key.path), &key.meaning()));
    }
    for entry in registry::integrators().iter().chain(registry::observers()) {
        entry.options.iter().for_each(|key| explained(&format!("{}.{}", entry.name, key.path), key.doc));
    }
    explained("fraction", "Option of avi");
    explained("gap", "gap.restitution");
}

#[test]
fn every_shipped_scenario_passes_check_without_a_source_checkout() {
    let folder = Folder::new("check");
    for name in stationary_app::scenario::shipped::all().iter().map(|s| s.name) {
        let out = folder.stationary(&["check", name]);
        assert_eq!(out.status.code(), Some(0), "{name}: {}", stderr(&out));
        assert!(stdout(&out).starts_with(&format!("{name} is a valid scenario\n")));
    }
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "a check writes nothing");
}

#[test]
fn unknown_scenario_name_is_refused_with_a_suggestion() {
    let folder = Folder::new("name");
    let out = folder.stationary(&["run", "keppler"]);
    assert_eq!(out.status.code(), Some(2));
    let names: Vec<&str> = stationary_app::scenario::shipped::all().iter().map(|s| s.name).collect();
    assert!(names.starts_with(&["pendulum", "kepler"]));
    assert_eq!(
        stderr(&out),
        format!(
            "error: there is no file and no shipped scenario `keppler`\n  = did you mean `kepler`? shipped scenarios: {}\n",
            names.join(", ")
        )
    );
    std::fs::write(folder.0.join("orbit.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["check", "obrit.toml"]);
    assert!(stderr(&out).contains("did you mean `orbit.toml`?"), "{}", stderr(&out));
}

#[test]
fn wrong_command_line_usage_exits_with_2() {
    let folder = Folder::new("usage");
    for arguments in
        [&["run"][..], &["walk"], &["run", "kepler", "--set", "step"], &["check", "kepler", "--fast"], &[]]
    {
        assert_eq!(folder.stationary(arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(folder.stationary(&["--help"]).status.code(), Some(0));
}

#[test]
fn run_writes_its_results_where_it_says() {
    let folder = Folder::new("run");
    std::fs::write(folder.0.join("swing.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["run", "swing.toml", "--set", "claim=energy.max_relative_error < 1e-2"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    assert!(text.contains("energy") && text.contains("relative error") && text.contains("holds"), "{text}");
    assert!(text.contains("Results in results/swing"), "{text}");
    for file in ["series.csv", "summary.json", "report.html"] {
        assert!(folder.0.join("results/swing").join(file).is_file(), "{file}");
    }
    let quiet = folder.stationary(&["run", "swing.toml", "--out", "elsewhere", "--quiet"]);
    assert_eq!((quiet.status.code(), quiet.stdout.len(), quiet.stderr.len()), (Some(0), 0, 0));
    assert!(folder.0.join("elsewhere/summary.json").is_file());
}

#[test]
fn failed_claim_exits_with_1_and_keeps_the_results() {
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

/// The commands in the comments at the top of shipped scenarios; those with rk4 show claims that fail.
#[test]
fn every_command_in_the_comments_of_shipped_scenarios_runs() {
    let folder = Folder::new("shown");
    let mut commands = 0;
    let shipped = stationary_app::scenario::shipped::all().iter();
    for scenario in shipped.filter(|s| !s.text.contains("\nmesh = ")) {
        for line in scenario.text.lines().filter_map(|l| l.strip_prefix("#   stationary ")) {
            // What follows the options is said to people.
            let mut words = line.split_whitespace().map(|w| w.trim_matches('\''));
            let mut arguments: Vec<&str> = words.by_ref().take(2).collect();
            while let Some("--set") = words.next() {
                arguments.extend(["--set", words.next().unwrap()]);
            }
            let out = folder.stationary(&arguments);
            let good = [Some(0), Some(1)].iter().take(if line.contains("rk4") { 2 } else { 1 });
            assert!(good.into_iter().any(|c| *c == out.status.code()), "{line}: {}", stderr(&out));
            commands += 1;
        }
    }
    assert!(commands > 20, "{commands}");
}

#[test]
fn every_shipped_scenario_except_solids_satisfies_its_claims() {
    let folder = Folder::new("shipped");
    let shipped = stationary_app::scenario::shipped::all().iter();
    for name in shipped.filter(|s| !s.text.contains("\nmesh = ")).map(|s| s.name) {
        let out = folder.stationary(&["run", name]);
        assert_eq!(out.status.code(), Some(0), "{name}: {}{}", stdout(&out), stderr(&out));
    }
}

#[test]
fn set_option_reaches_the_integrator_of_a_shipped_scenario() {
    let folder = Folder::new("set");
    let sets = ["--set", "integrator.method=gauss", "--set", "integrator.stages=3", "--set", "end=1"];
    let out = folder.stationary(&[&["run", "pendulum"][..], &sets].concat());
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let summary = std::fs::read_to_string(folder.0.join("results/pendulum/summary.json")).unwrap();
    assert!(summary.contains("gauss"), "{summary}");
}
