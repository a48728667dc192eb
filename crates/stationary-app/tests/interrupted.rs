//! Runs that are given up at any place where long work asks, and then resumed.

use serde_json::Value;
use stationary::error::Error;
use stationary::interrupt::{Question, listen};
use stationary_app::run::{Progress, SolidSimulation, check, explain_energy, resume, run};
use stationary_app::scenario::{Scenario, shipped};
use std::cell::Cell;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// A folder of its own for a test, gone with it.
struct Scratch(PathBuf);

impl Scratch {
    fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stationary-interrupted-{test}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A ring of masses: with enough stages its steps factor matrices that are large enough to ask in.
fn ring(law: &str, method: &str) -> String {
    let motion = if law.starts_with("hamiltonian") { "momentum" } else { "velocity" };
    format!(
        "coordinates = 40\n{law}\nstep = 0.1\nend = 0.4\nintegrator = {method}\n\
         [initial]\nposition = [\"0.01*mod(i*i, 7)\"]\n{motion} = [0]\n"
    )
}

const NEIGHBOURS: &str = "sum(i = 0..38, 0.5*(q[i+1]-q[i])^2 + 0.1*(q[i+1]-q[i])^4)";

/// A name, the text of a scenario, and changes to it.
type Case = (&'static str, String, Vec<(&'static str, &'static str)>);

/// Name, text and changes of runs of every kind that can be long within a step.
fn cases() -> Vec<Case> {
    let lagrangian = format!("lagrangian = \"sum(i = 0..39, 0.5*v[i]^2) - {NEIGHBOURS}\"");
    let hamiltonian = format!("hamiltonian = \"sum(i = 0..39, 0.5*p[i]^2) + {NEIGHBOURS}\"");
    let constrained = format!("{lagrangian}\nconstraint = [\"q[0] + q[1] - 0.01\"]");
    // Some fifty impacts in each step.
    let ball = "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(vx^2 + vy^2) - 9.81*y\"\nstep = 0.5\nend = 3\n\
                gap = [\n{ gap = \"y\", restitution = 0.999, friction = 0.001 },\n{ gap = \"1 - y\", restitution = 0.999 },\n]\n\
                integrator = \"midpoint\"\n[initial]\nposition = { x = 0, y = 0.5 }\nvelocity = { x = 1, y = 100 }\n";
    let shipped = |name: &str| shipped::find(name).unwrap().text.to_string();
    vec![
        ("gauss", ring(&lagrangian, "{ method = \"gauss\", stages = 4 }"), vec![]),
        ("lobatto", ring(&lagrangian, "{ method = \"lobatto\", points = 5 }"), vec![]),
        ("phase", ring(&hamiltonian, "{ method = \"gauss\", stages = 2 }"), vec![]),
        ("constrained", ring(&constrained, "{ method = \"gauss\", stages = 4 }"), vec![]),
        ("gap", ball.into(), vec![]),
        ("bodies", shipped("disc-box"), vec![("end", "2"), ("claim", "[]")]),
        (
            "static",
            shipped("slab"),
            vec![
                ("integrator", "static"),
                ("end", "0.5"),
                ("mesh.refine", "1"),
                ("output.rows", "5"),
                ("output.frames", "0"),
                ("claim", "[]"),
            ],
        ),
        (
            "solid",
            shipped("slab"),
            vec![
                ("integrator", "{ method = \"midpoint\" }"),
                ("step", "0.05"),
                ("end", "0.5"),
                ("output.rows", "5"),
                ("output.frames", "0"),
                ("claim", "[]"),
            ],
        ),
    ]
}

fn read(name: &str, text: &str, sets: &[(&str, &str)]) -> Scenario {
    let sets: Vec<(String, String)> = sets.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Scenario::read(name, text, &sets).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Counts how often it is asked, and says yes from a number of times on.
fn from(times: u64, asked: &Rc<Cell<u64>>) -> Question {
    let asked = Rc::clone(asked);
    Rc::new(move || {
        asked.set(asked.get() + 1);
        asked.get() >= times
    })
}

fn go_on(_: &Progress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// The files of a run, without clocks: the page, which shows the wall time, is left out.
fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = entries.map(|path| (path.file_name().unwrap().to_string_lossy().into_owned(), path));
    let mut all: Vec<(String, Vec<u8>)> = named
        .filter(|(name, _)| name != "report.html")
        .map(|(name, path)| (name, std::fs::read(path).unwrap()))
        .collect();
    all.sort();
    for (name, bytes) in &mut all {
        if name == "summary.json" {
            let mut summary: Value = serde_json::from_slice(bytes).unwrap();
            without_clocks(&mut summary);
            *bytes = summary.to_string().into_bytes();
        }
    }
    all
}

fn without_clocks(value: &mut Value) {
    if let Value::Object(map) = value {
        map.retain(|key, _| {
            !["wall_seconds", "measured_speedup", "nanoseconds_per_update"].contains(&key.as_str())
        });
        map.values_mut().for_each(without_clocks);
    }
}

#[test]
fn runs_given_up_within_a_step_or_the_preparation_resume_to_the_same_bytes() {
    for (name, text, sets) in cases() {
        let scenario = read(name, &text, &sets);
        let whole = Scratch::new(&format!("whole-{name}"));
        let asked = Rc::new(Cell::new(0));
        let outcome = listen(from(u64::MAX, &asked), || run(&scenario, &whole.0, &mut go_on)).unwrap();
        assert!(outcome.stopped.is_none() && !outcome.interrupted, "{name}: {:?}", outcome.stopped);
        let (expected, questions) = (files(&whole.0), asked.get());
        assert!(questions > 4, "{name} asks {questions} times: nothing is long in it");
        let mut within = 0;
        for part in 0..=8 {
            let at = 1 + (questions - 1) * part / 8;
            let broken = Scratch::new(&format!("broken-{name}"));
            let out = broken.0.join("out");
            asked.set(0);
            match listen(from(at, &asked), || run(&scenario, &out, &mut go_on)) {
                Err(Error::Interrupted) => assert!(!out.exists(), "{name}: something was written"),
                Ok(outcome) => {
                    assert!(outcome.interrupted && outcome.stopped.is_none(), "{name} at {at}");
                    within += 1;
                }
                Err(other) => panic!("{name} at {at}: {other}"),
            }
            assert!(asked.get() <= at + 1, "{name} at {at}: asked {} times", asked.get());
            let resumed = resume(&scenario, &out, &mut go_on).unwrap();
            assert!(resumed.stopped.is_none() && !resumed.interrupted, "{name} at {at}");
            let same = files(&out) == expected;
            assert!(same, "{name}, given up at question {at} of {questions}: other bytes");
        }
        assert!(within > 0, "{name}: no step was given up");
    }
}

#[test]
fn a_preparation_is_given_up_at_once_and_nothing_else_is() {
    for (name, text, sets) in cases() {
        let scenario = read(name, &text, &sets);
        let asked = Rc::new(Cell::new(0));
        let checked = listen(from(1, &asked), || check(&scenario));
        // Bodies that are placed by hand are there at once.
        match checked {
            Err(Error::Interrupted) => {}
            Ok(_) => assert_eq!(asked.get(), 0, "{name}"),
            Err(other) => panic!("{name}: {other}"),
        }
        assert!(check(&scenario).is_ok(), "{name}");
    }
    let pendulum = read("pendulum", shipped::find("pendulum").unwrap().text, &[("end", "1")]);
    let asked = Rc::new(Cell::new(0));
    let given_up = listen(from(1, &asked), || explain_energy(&pendulum));
    assert!(matches!(given_up, Err(Error::Interrupted)));
}

#[test]
fn a_simulation_whose_step_was_given_up_goes_on_to_the_same_bits() {
    let (name, text, sets) = cases().pop().unwrap();
    let scenario = || read(name, &text, &sets);
    let mut whole = SolidSimulation::new(scenario()).unwrap();
    let asked = Rc::new(Cell::new(0));
    let reached = listen(from(u64::MAX, &asked), || whole.advance(0.5, &mut go_on));
    assert!(reached.unwrap().is_continue());
    let questions = asked.get();
    let mut breaks = 0;
    for at in [1, 2, questions / 2, questions] {
        let mut broken = SolidSimulation::new(scenario()).unwrap();
        asked.set(0);
        let reached = listen(from(at, &asked), || broken.advance(0.5, &mut go_on)).unwrap();
        breaks += u32::from(reached.is_break());
        assert!(broken.time() < 0.5);
        assert!(broken.advance(0.5, &mut go_on).unwrap().is_continue());
        assert_eq!(broken.to_bytes(), whole.to_bytes(), "given up at question {at} of {questions}");
    }
    assert_eq!(breaks, 4);
}
