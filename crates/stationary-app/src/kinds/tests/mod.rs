//! The list of kinds, and the path of a kind that only the tests have, through everything that a scenario meets.

mod chain;

use super::{KINDS, SystemKind, collisions, formula, rigid_body, solid};
use crate::run::{self, Progress, Simulation};
use crate::scenario::{Scenario, keys};
use crate::schema;
use serde_json::{Value, json};
use stationary::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::Command;

/// The kinds of the program, and one line more.
static WITH_CHAINS: &[&SystemKind] =
    &[&formula::KIND, &solid::KIND, &rigid_body::KIND, &collisions::KIND, &chain::KIND];

const TEXT: &str = r#"
    title = "Masses and springs"
    step = "h"
    end = 8
    integrator = "verlet"
    claim = "energy.max_relative_error < 5e-3"
    parameters = { h = 0.05 }
    chain = { masses = 3, stiffness = 2.0, pull = 0.3 }
"#;

fn read(text: &str) -> Result<Scenario, Error> {
    Scenario::read_with(WITH_CHAINS, "chain.toml", text, &[])
}

/// The error of the text with one part replaced.
fn message(from: &str, to: &str) -> String {
    assert!(TEXT.contains(from), "{from}");
    read(&TEXT.replace(from, to)).unwrap_err().to_string()
}

fn go_on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A folder for the results of a test, removed when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stationary-chain-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn read(&self, file: &str) -> String {
        std::fs::read_to_string(self.0.join(file)).unwrap_or_else(|e| panic!("{file}: {e}"))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn names_and_identifying_keys_of_kinds_are_unique_and_keys_of_their_kind() {
    let mut seen: Vec<&str> = Vec::new();
    for kind in KINDS {
        for key in kind.all_identifying_keys() {
            assert!(kind.keys_of("").contains(&key), "{key} is no key of {kind:?}");
            assert!(!seen.contains(&key), "{key} tells two kinds");
            seen.push(key);
        }
    }
    let names: Vec<&str> = KINDS.iter().map(|kind| kind.name).collect();
    assert!(names.iter().enumerate().all(|(at, name)| !names[..at].contains(name)), "{names:?}");
}

#[test]
fn a_kind_of_the_tests_is_read_and_its_faults_are_explained() {
    let scenario = read(TEXT).unwrap();
    assert_eq!((scenario.kind_name(), scenario.moves_name()), ("chain", "steps"));
    let system = scenario.system_as::<chain::ChainSystem>().unwrap();
    assert_eq!((&system.x[..], system.stiffness, system.step), (&[0.0, 0.0, 0.3][..], 2.0, 0.05));
    for (from, to, expected) in [
        ("pull", "pul", "unknown key `pul` in `chain`"),
        ("pull", "pul", "did you mean `pull`?"),
        ("title", "gravity = [0, -1]\ntitle", "`gravity` is no key of a chain"),
        ("title", "gravity = [0, -1]\ntitle", "it belongs to bodies that collide"),
        ("title", "mesh = \"a.msh\"\ntitle", "`chain` besides `mesh`: a scenario has one system"),
        ("chain", "chian", "did you mean `chain`?"),
        ("stiffness = 2.0", "stiffness = -2.0", "`stiffness` must be a number greater than zero"),
        ("h = 0.05", "x = 0.05", "the parameter `x` has the name of a position"),
        ("integrator = \"verlet\"", "", "add: integrator = \"verlet\""),
        ("end = 8", "", "add: end = 100.0"),
    ] {
        let found = message(from, to);
        assert!(found.contains(expected), "{to}: {found}");
    }
    let neither = read("step = 1").unwrap_err().to_string();
    assert!(neither.contains("nor `bodies` nor `chain`"), "{neither}");
    assert!(neither.contains("or `chain` for masses and springs"), "{neither}");
    let midpoint = read(&TEXT.replace("verlet", "midpoint")).unwrap();
    let refused = run::check(&midpoint).unwrap_err().to_string();
    assert!(refused.contains("`midpoint` does not move a chain"), "{refused}");
    assert!(refused.contains("expected one of: verlet"), "{refused}");
    let explained = run::explain_energy(&scenario).unwrap_err().to_string();
    assert!(explained.contains("for systems given by formulas, and this is a chain"), "{explained}");
}

#[test]
fn a_kind_of_the_tests_is_in_schema_and_reference() {
    let schema = schema::schema_of(WITH_CHAINS);
    let masses = &schema["$defs"]["chain"]["properties"]["chain"]["properties"]["masses"];
    assert_eq!((&masses["minimum"], &masses["maximum"]), (&json!(1), &json!(1000)));
    assert_eq!(masses["description"], "required; their number, 1 kg each");
    assert!(schema["properties"]["chain"].is_object());
    let methods = &schema["$defs"]["chain"]["properties"]["integrator"]["anyOf"][0]["enum"];
    assert_eq!(methods, &json!(["verlet"]));
    let told = schema["allOf"].as_array().unwrap().iter().any(|rule| {
        rule["then"]["$ref"] == "#/$defs/chain" && rule["if"]["anyOf"] == json!([{ "required": ["chain"] }])
    });
    assert!(told, "{:#}", schema["allOf"]);
    let reference = keys::reference_of(WITH_CHAINS);
    let (_, own) = reference.iter().find(|(heading, _)| *heading == "Keys of chains").unwrap();
    let stiffness = own.iter().find(|key| key.path == "chain.stiffness").unwrap();
    assert_eq!(stiffness.meaning(), "required; the stiffness of every spring");
    assert_eq!(schema::schema()["$defs"].get("chain"), None);
}

#[test]
fn a_kind_of_the_tests_runs_into_files_and_is_held_to_its_claims() {
    let scratch = Scratch::new("run");
    let outcome = run::run(&read(TEXT).unwrap(), &scratch.0, &mut go_on).unwrap();
    assert!(outcome.claims[0].holds && outcome.stopped.is_none(), "{:?}", outcome.claims);
    assert_eq!(outcome.conserved[0].quantity, "energy");
    let series = scratch.read("series.csv");
    assert_eq!((series.lines().next(), series.lines().count()), (Some("t,x1,x2,x3,energy"), 162));
    let summary: Value = serde_json::from_str(&scratch.read("summary.json")).unwrap();
    assert_eq!((&summary["moves"], &summary["finished"]), (&json!(160), &json!(true)));
    assert!(scratch.read("report.html").contains("Masses and springs"));

    let strict = read(&TEXT.replace("5e-3", "1e-9")).unwrap();
    assert!(!run::measure(&strict, &mut go_on).unwrap().claims[0].holds);
    let about_nothing = read(&TEXT.replace("energy.max_relative_error", "momentum.x")).unwrap();
    assert!(run::check(&about_nothing).unwrap_err().to_string().contains("momentum"));
    // Beyond h omega < 2: omega is at most 2 sqrt(k/m).
    let unstable = read(&TEXT.replace("h = 0.05", "h = 0.8").replace("end = 8", "end = 80")).unwrap();
    let stopped = run::measure(&unstable, &mut go_on).unwrap().stopped.unwrap().to_string();
    assert!(stopped.contains("a shorter `step` helps"), "{stopped}");
}

#[test]
fn an_interrupted_run_of_a_kind_of_the_tests_is_resumed_to_the_bit() {
    // The watcher is asked after every step only while this variable says so, and it is read once in a process.
    const VARIABLE: &str = "STATIONARY_FAILPOINT";
    if std::env::var_os(VARIABLE).is_none() {
        let test = "kinds::tests::an_interrupted_run_of_a_kind_of_the_tests_is_resumed_to_the_bit";
        let child = Command::new(std::env::current_exe().unwrap())
            .args([test, "--exact"])
            .env(VARIABLE, "always")
            .output();
        let child = child.unwrap();
        let said = String::from_utf8_lossy(&child.stdout);
        assert!(child.status.success() && said.contains("1 passed"), "{said}");
        return;
    }
    let scenario = read(TEXT).unwrap();
    let whole = Scratch::new("whole");
    run::run(&scenario, &whole.0, &mut go_on).unwrap();
    let parts = Scratch::new("parts");
    let mut left = 40;
    let mut break_off = |_: &Progress| {
        left -= 1;
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let broken = run::run(&scenario, &parts.0, &mut break_off).unwrap();
    assert!(broken.interrupted && parts.read("series.csv").lines().count() < 100);
    let resumed = run::resume(&scenario, &parts.0, &mut go_on).unwrap();
    assert!(!resumed.interrupted && resumed.claims[0].holds);
    assert_eq!(parts.read("series.csv"), whole.read("series.csv"));
    assert_eq!(resumed.summary["energy"], run::measure(&scenario, &mut go_on).unwrap().summary["energy"]);
}

#[test]
fn a_kind_of_the_tests_is_moved_on_by_hand_set_saved_and_restored() {
    let scenario = read(TEXT).unwrap();
    let series = run::gather(&scenario, None, false, &mut go_on).unwrap().in_memory.series.unwrap();
    let row = |k: usize| series.numbers[k * series.columns.len()..][..series.columns.len()].to_vec();
    let mut simulation = Simulation::new(scenario).unwrap();
    let values = |s: &Simulation| s.row().unwrap().into_iter().map(|(_, x)| x).collect::<Vec<f64>>();
    for time in [1.0, 1.02, 2.0] {
        _ = simulation.advance(time, &mut go_on).unwrap();
    }
    assert_eq!((values(&simulation), simulation.moves()), (row(40), 40));

    let scratch = Scratch::new("hand");
    let saved = scratch.0.join("state");
    simulation.save(&saved).unwrap();
    _ = simulation.advance(4.0, &mut go_on).unwrap();
    assert_eq!(values(&simulation), row(80));
    simulation.restore(&saved).unwrap();
    assert_eq!(values(&simulation), row(40));

    simulation.set(None, Some(&[0.0; 3])).unwrap();
    let state = simulation.state().unwrap();
    assert_eq!((state.t, &state.q[..], &state.v[..]), (2.0, &row(40)[1..4], &[0.0; 3][..]));
    assert!(simulation.set(Some(&[0.0; 2]), None).unwrap_err().to_string().contains("expected 3 numbers"));
    simulation.set(Some(&[0.0; 3]), None).unwrap();
    _ = simulation.advance(3.0, &mut go_on).unwrap();
    assert_eq!(values(&simulation), [3.0, 0.0, 0.0, 0.0, 0.0]);
}
