//! Systems of every kind moved on by hand have the bits of runs, however they are moved, saved, restored, set and looked at.

use crate::simulation::{Folder, watched_at_every_stretch};
use stationary::error::{Cause, Error};
use stationary_app::run::{self, Simulation, State};
use stationary_app::scenario::{Scenario, shipped};
use std::ops::ControlFlow;

/// A system, how it is moved, and to which time.
struct Case {
    /// Its name in failures; that of a shipped scenario comes before a blank.
    name: &'static str,
    /// The text of one that is not shipped.
    text: Option<&'static str>,
    changes: &'static [(&'static str, &'static str)],
    end: f64,
}

const CANONICAL: &str = r#"
    coordinates = ["x", "y"]
    hamiltonian = "0.5*(px^2 + (1 + 0.1*x^2)*py^2) + 0.5*x^2 + y^2 + 0.2*x*y*cos(t)"
    step = 0.05
    end = 8
    integrator = { method = "gauss", stages = 2 }
    observe = ["symplectic"]
    [initial]
    position = { x = 1, y = -0.3 }
    momentum = { x = 0.2, y = 0.7 }
"#;

const DISCS: &str = r#"
    space = 2
    gravity = [0, -1]
    step = 0.05
    end = 8
    integrator = "collisions"
    restitution = 0.9
    friction = 0.1
    [wall.box]
    box = [[0, 0], [4, 3]]
    [bodies.one]
    shape = "disc"
    radius = 0.4
    position = [1, 1]
    velocity = [1.3, 0.4]
    [bodies.two]
    shape = "polygon"
    vertices = [[0, 0], [0.8, 0], [0.7, 0.9], [0, 0.8]]
    position = [2.7, 1.6]
    velocity = [-0.7, 0.1]
    spin = 0.8
"#;

const SPHERES: &str = r#"
    space = 3
    step = 0.1
    end = 6
    integrator = "collisions"
    friction = 0.2
    [wall.box]
    box = [[0, 0, 0], [2, 2, 2]]
    [bodies.ball]
    shape = "sphere"
    radius = 0.3
    count = 3
    position = ["0.4 + 0.6*i", "0.5 + 0.5*i", 1]
    velocity = [1, "0.3*i", "0.7 - i"]
    spin = [0.1, 0, "i"]
"#;

const fn case(name: &'static str, changes: &'static [(&'static str, &'static str)], end: f64) -> Case {
    Case { name, text: None, changes, end }
}

const fn written(name: &'static str, text: &'static str, end: f64) -> Case {
    Case { name, text: Some(text), changes: &[], end }
}

/// Every kind of system, and every way in which steps are made that a state must remember.
const CASES: [Case; 19] = [
    case("pendulum", &[], 3.0),
    case("pendulum by gauss", &[("integrator", "{ method = \"gauss\", stages = 2 }"), ("start", "0.7")], 4.7),
    case("pendulum by rk4", &[("integrator", "rk4")], 3.0),
    case("damped-particle", &[("step", "0.02")], 2.0),
    written("canonical", CANONICAL, 8.0),
    case("four-vortices", &[], 80.0),
    case("double-pendulum-rods", &[], 0.4),
    case("double-spherical-pendulum", &[], 1.5),
    case("particle-bounce", &[], 1.6),
    case("bouncing-to-rest", &[], 3.8),
    case("star-bounce", &[], 2.0),
    case("double-well", &[], 12.0),
    case("coupled-wells", &[], 12.0),
    case("heavy-top", &[], 1.0),
    case("tumbling-satellite", &[("step", "0.05")], 6.0),
    written("discs", DISCS, 8.0),
    written("spheres", SPHERES, 6.0),
    case("disc-box", &[("bodies.disc.count", "40"), ("wall.box", "{ box = [[0, 0], [9, 9]] }")], 4.0),
    case("polygon-pile", &[], 1.2),
];

/// A solid besides: it moves in other ways, which have laws of their own.
const SLAB: Case = case("slab", &[("output.rows", "4"), ("output.frames", "0")], 0.04);

impl Case {
    fn scenario(&self) -> Scenario {
        self.with(&[])
    }

    fn with(&self, more: &[(&str, String)]) -> Scenario {
        let shipped = self.name.split(' ').next().unwrap();
        let text = self.text.unwrap_or_else(|| shipped::find(shipped).unwrap().text);
        let every = if self.name == "slab" { vec![] } else { vec![("output.every", "1".to_string())] };
        let own = self.changes.iter().map(|(k, v)| (*k, v.to_string()));
        let end = ("end", format!("{:?}", self.end));
        let all = own.chain(every).chain([end]).chain(more.iter().cloned());
        let all: Vec<(String, String)> = all.map(|(k, v)| (k.to_string(), v)).collect();
        Scenario::read(self.name, text, &all).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    fn start(&self) -> Simulation {
        Simulation::new(self.scenario()).unwrap_or_else(|e| panic!("{}: {e}", self.name))
    }

    /// A simulation that has gone part of the way.
    fn after(&self, part: f64) -> Simulation {
        let mut simulation = self.start();
        let start = simulation.time();
        go(&mut simulation, start + part * (self.end - start));
        simulation
    }
}

fn all() -> impl Iterator<Item = &'static Case> {
    CASES.iter().chain([&SLAB])
}

fn go(simulation: &mut Simulation, until: f64) {
    let reached = simulation.advance(until, &mut |_| ControlFlow::Continue(()));
    assert_eq!(reached.unwrap_or_else(|e| panic!("{simulation:?}: {e}")), ControlFlow::Continue(()));
}

/// All that is seen of a simulation; NaN is a number here.
fn bits(simulation: &Simulation) -> Vec<u64> {
    let State { t, q, v, p } = simulation.state().unwrap();
    let row = simulation.row().unwrap().into_iter().map(|(_, value)| value);
    let all = [t].into_iter().chain(q).chain(v).chain(p).chain(row);
    all.map(f64::to_bits).chain([simulation.moves()]).collect()
}

/// Holds the present row against that of a run at the same time.
fn expect_row(simulation: &Simulation, series: &stationary_report::Table, name: &str) {
    let row = simulation.row().unwrap();
    let t = simulation.time();
    let mut rows = series.numbers.chunks_exact(series.columns.len());
    let own = rows.find(|row| row[0] == t).unwrap_or_else(|| panic!("{name}: the run has no row at {t}"));
    if name != "slab" {
        assert!(row.iter().map(|(name, _)| name).eq(&series.columns), "{name}");
    }
    for (column, value) in row {
        let at = series.columns.iter().position(|c| *c == column).unwrap();
        assert_eq!(
            value.to_bits(),
            own[at].to_bits(),
            "{name}, {column} at {t}: {value}, the run has {}",
            own[at]
        );
    }
}

#[test]
fn pieces_looks_and_breaks_give_the_rows_of_a_run_of_every_kind() {
    if !watched_at_every_stretch(
        module_path!(),
        "pieces_looks_and_breaks_give_the_rows_of_a_run_of_every_kind",
    ) {
        return;
    }
    for case in all() {
        let outcome = run::gather(&case.scenario(), None, false, &mut |_| ControlFlow::Continue(())).unwrap();
        let series = outcome.in_memory.series.unwrap();
        let mut pieces = case.start();
        expect_row(&pieces, &series, case.name);
        let start = pieces.time();
        let mut breaks = 0;
        for part in [0.25, 0.25, 0.5, 0.75, 1.0] {
            let goal = start + part * (case.end - start);
            let told = pieces.advance(goal, &mut |_| ControlFlow::Break(())).unwrap();
            breaks += u32::from(told.is_break() && pieces.time() < goal);
            if case.name != "slab" {
                expect_row(&pieces, &series, case.name);
                // No time to go: nothing changes.
                let before = bits(&pieces);
                let now = pieces.time();
                go(&mut pieces, now);
                assert_eq!(bits(&pieces), before, "{}", case.name);
            }
            go(&mut pieces, goal);
            expect_row(&pieces, &series, case.name);
        }
        assert!(breaks > 0, "{}: the watcher was not told early", case.name);
        let mut whole = case.start();
        go(&mut whole, case.end);
        assert_eq!(bits(&whole), bits(&pieces), "{}", case.name);
        assert!(whole.to_bytes() == pieces.to_bytes(), "{}", case.name);
        assert!(case.end - whole.time() < 0.2 * (case.end - start), "{}", case.name);
    }
}

#[test]
fn a_saved_state_of_every_kind_goes_on_to_the_same_bits_also_after_it_was_set() {
    let folder = Folder::new("saved-kinds");
    let file = folder.0.join("state");
    for case in all() {
        for sets in [false, true] {
            let mut whole = case.after(0.31);
            if sets {
                whole.set(None, None).unwrap_or_else(|e| panic!("{}: {e}", case.name));
                let until = whole.time() + 0.3 * (case.end - whole.time());
                go(&mut whole, until);
            }
            whole.save(&file).unwrap();
            let (then, saved) = (bits(&whole), whole.to_bytes());
            assert!(std::fs::read(&file).unwrap() == saved, "{}", case.name);
            go(&mut whole, case.end);
            let end = bits(&whole);
            let mut other = case.start();
            other.restore(&file).unwrap();
            assert_eq!(bits(&other), then, "{}, set: {sets}", case.name);
            go(&mut other, case.end);
            assert_eq!(bits(&other), end, "{}, set: {sets}", case.name);
            assert!(other.to_bytes() == whole.to_bytes(), "{}, set: {sets}", case.name);
            // Back again, in the same simulation; and from one that begins elsewhere.
            whole.set(None, None).unwrap();
            whole.from_bytes(&saved).unwrap();
            go(&mut whole, case.end);
            assert_eq!(bits(&whole), end, "{}, set: {sets}", case.name);
        }
        let mut stranger = Simulation::new(case.with(&[("end", "1e6".into())])).unwrap();
        let before = stranger.to_bytes();
        let error = stranger.restore(&file).unwrap_err().to_string();
        assert!(error.contains("belongs to another scenario"), "{}: {error}", case.name);
        assert!(stranger.from_bytes(b"nonsense").is_err());
        assert!(stranger.to_bytes() == before, "{}", case.name);
    }
}

#[test]
fn the_checkpoint_of_a_broken_run_of_every_kind_can_be_restored() {
    if !watched_at_every_stretch(
        module_path!(),
        "the_checkpoint_of_a_broken_run_of_every_kind_can_be_restored",
    ) {
        return;
    }
    for case in all() {
        let folder = Folder::new("broken-kind");
        let mut told = 0;
        let mut watch = |_: &run::Progress| {
            told += 1;
            if told == 4 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let scenario = case.scenario();
        let outcome = run::run(&scenario, &folder.0, &mut watch).unwrap();
        assert!(outcome.interrupted, "{}", case.name);
        let mut restored = case.start();
        restored.restore(&folder.0.join("checkpoint")).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        let mut whole = case.start();
        if case.name != "slab" {
            go(&mut whole, restored.time());
            assert!(restored.moves() > 0);
            assert_eq!(bits(&restored), bits(&whole), "{}", case.name);
        }
        go(&mut restored, case.end);
        go(&mut whole, case.end);
        assert_eq!(bits(&restored), bits(&whole), "{}", case.name);
    }
}

/// Numbers as a list of a scenario.
fn list(values: &[f64]) -> String {
    format!("{values:?}")
}

#[test]
fn a_state_that_is_set_is_the_start_of_a_scenario_of_every_kind() {
    for case in &CASES {
        let mut simulation = case.after(0.4);
        let State { t, q, v, p } = simulation.state().unwrap();
        // Of a velocity that the constraints allow they allow every multiple.
        let faster: Vec<f64> = v.iter().map(|v| 1.25 * v).collect();
        let one_body = |k: usize| (list(&q[3 * k..3 * k + 2]), list(&faster[3 * k..3 * k + 2]));
        let mut texts = match case.name {
            "canonical" => {
                simulation.set(Some(&q), None).unwrap();
                vec![("initial", format!("{{ position = {}, momentum = {} }}", list(&q), list(&p)))]
            }
            "four-vortices" => {
                simulation.set(Some(&q), None).unwrap();
                vec![("initial", format!("{{ position = {} }}", list(&q)))]
            }
            "disc-box" | "polygon-pile" | "spheres" => continue,
            _ => {
                simulation.set(Some(&q), Some(&faster)).unwrap_or_else(|e| panic!("{}: {e}", case.name));
                match case.name {
                    "heavy-top" => vec![
                        ("body.orientation", list(&q[3..])),
                        ("body.angular_velocity", list(&faster[3..])),
                    ],
                    "tumbling-satellite" => vec![
                        ("body.position", list(&q[..3])),
                        ("body.orientation", list(&q[3..])),
                        ("body.velocity", list(&faster[..3])),
                        ("body.angular_velocity", list(&faster[3..])),
                    ],
                    "discs" => vec![
                        ("bodies.one.position", one_body(0).0),
                        ("bodies.one.velocity", one_body(0).1),
                        ("bodies.one.angle", format!("{:?}", q[2])),
                        ("bodies.one.spin", format!("{:?}", faster[2])),
                        ("bodies.two.position", one_body(1).0),
                        ("bodies.two.velocity", one_body(1).1),
                        ("bodies.two.angle", format!("{:?}", q[5])),
                        ("bodies.two.spin", format!("{:?}", faster[5])),
                    ],
                    _ => vec![(
                        "initial",
                        format!("{{ position = {}, velocity = {} }}", list(&q), list(&faster)),
                    )],
                }
            }
        };
        texts.push(("start", format!("{t:?}")));
        let later = Simulation::new(case.with(&texts));
        let mut later = later.unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert_eq!((simulation.time(), simulation.moves()), (t, 0), "{}", case.name);
        for until in [t, t + 0.5 * (case.end - t), case.end] {
            go(&mut simulation, until);
            go(&mut later, until);
            assert_eq!(bits(&simulation), bits(&later), "{} at {until}", case.name);
        }
        assert!(simulation.moves() > 0);
    }
}

#[test]
fn what_a_motion_reaches_can_be_set_again() {
    for case in &CASES {
        let mut simulation = case.start();
        let start = simulation.time();
        for k in 1..=20 {
            go(&mut simulation, start + f64::from(k) / 20.0 * (case.end - start));
            let State { t, q, v, .. } = simulation.state().unwrap();
            let follows = ["canonical", "four-vortices"].contains(&case.name);
            let mut again = case.start();
            again.from_bytes(&simulation.to_bytes()).unwrap();
            again
                .set(Some(&q), (!follows).then_some(&v))
                .unwrap_or_else(|e| panic!("{} at {t}: {e}", case.name));
            let new = again.state().unwrap();
            let apart =
                |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
            assert!(new.t == t && apart(&new.q, &q) < 1e-12, "{} at {t}", case.name);
            assert!(apart(&new.v, &v) < 1e-9, "{} at {t}: {:?}, {v:?}", case.name, new.v);
        }
    }
}

/// Positions and velocities to be set, where they are given.
type Setting = (Option<Vec<f64>>, Option<Vec<f64>>);

#[test]
fn a_state_that_is_refused_leaves_the_old_one() {
    let refused: [(&str, &[&str]); 6] = [
        ("pendulum", &[]),
        ("canonical", &["velocities cannot be set"]),
        ("double-pendulum-rods", &["the state cannot be set", "constraint"]),
        ("particle-bounce", &["the state cannot be set", "gap"]),
        ("heavy-top", &["quaternion"]),
        ("discs", &["the state cannot be set", "overlap"]),
    ];
    for (name, words) in refused {
        let case = CASES.iter().find(|c| c.name == name).unwrap();
        let mut simulation = case.after(0.4);
        let before = simulation.to_bytes();
        let State { q, v, .. } = simulation.state().unwrap();
        let mut wrong: Vec<Setting> = vec![
            (Some(vec![0.0; q.len() + 1]), None),
            (None, Some(Vec::new())),
            (Some(vec![f64::NAN; q.len()]), None),
            (None, Some(vec![f64::INFINITY; v.len()])),
        ];
        let q_with =
            |k: usize, x: f64| q.iter().enumerate().map(|(i, q)| if i == k { x } else { *q }).collect();
        wrong.extend(match name {
            "canonical" => Some((None, Some(v.clone()))),
            "double-pendulum-rods" => Some((Some(q_with(0, 2.0)), Some(v.clone()))),
            "particle-bounce" => Some((Some(q_with(1, -0.5)), None)),
            "heavy-top" => Some((Some(vec![0.0; 7]), None)),
            "discs" => Some((Some([&q[..3], &q[..3]].concat()), None)),
            _ => None,
        });
        for (q, v) in &wrong {
            let error = simulation.set(q.as_deref(), v.as_deref()).unwrap_err().to_string();
            if !words.is_empty() && std::ptr::eq(&wrong[wrong.len() - 1].0, q) {
                assert!(words.iter().all(|word| error.contains(word)), "{name}: {error}");
            }
            assert!(simulation.to_bytes() == before, "{name}: {error}");
        }
        for goal in [f64::NAN, f64::INFINITY, simulation.time() - 0.1] {
            assert!(matches!(
                simulation.advance(goal, &mut |_| panic!("nothing moves")),
                Err(Error::Input(_))
            ));
        }
        go(&mut simulation, case.end);
        let mut whole = case.start();
        go(&mut whole, case.end);
        assert_eq!(bits(&simulation), bits(&whole), "{name}");
    }
    let mut slab = SLAB.start();
    let count = slab.state().unwrap().q.len();
    assert!(slab.set(None, Some(&vec![0.0; count + 1])).is_err());
    assert!(slab.set(None, Some(&vec![0.0; count])).is_ok());
}

#[test]
fn a_step_that_fails_leaves_the_last_good_state() {
    // One fails as a step, whose stages leave the domain of the potential; one when it is looked at.
    let falls = |potential: &str, probe: &str, integrator: &str| {
        format!(
            "coordinates = [\"x\"]\nlagrangian = \"0.5*vx^2 - {potential}\"\nstep = 0.01\nend = 9\nintegrator = {integrator}\n\
             output.every = 1\ninitial = {{ position = [1], velocity = [-0.1] }}\nprobe.root = \"{probe}\"\n"
        )
    };
    let gauss = "{ method = \"gauss\", stages = 2 }";
    for (text, by_look) in [
        (falls("x*sqrt(x)", "x", gauss), false),
        (falls("x", "sqrt(x)", "\"verlet\""), true),
        (falls("x", "sqrt(x)", "{ method = \"midpoint\", step = \"energy\" }"), true),
    ] {
        let scenario = Scenario::read("falls", &text, &[]).unwrap();
        let stopped = run::measure(&scenario, &mut |_| ControlFlow::Continue(())).unwrap().stopped.unwrap();
        let Cause::NotFinite { what } = &stopped.cause else { panic!("{stopped:?}") };
        assert_eq!(what.contains("root"), by_look, "{stopped:?}");
        let mut simulation = Simulation::new(scenario.clone()).unwrap();
        let fails = |simulation: &mut Simulation| {
            let failed = simulation.advance(9.0, &mut |_| ControlFlow::Continue(())).unwrap_err();
            let Error::Run(error) = failed else { panic!("{failed}") };
            assert_eq!(error, stopped);
            assert_eq!((simulation.time(), simulation.moves()), (error.time, error.step));
        };
        fails(&mut simulation);
        let then = (bits(&simulation), simulation.to_bytes());
        fails(&mut simulation);
        assert!((bits(&simulation), simulation.to_bytes()) == then, "{text}");
        let mut whole = Simulation::new(scenario).unwrap();
        go(&mut whole, stopped.time);
        assert!(then == (bits(&whole), whole.to_bytes()), "{text}");
        // It is a state like any other: thrown up again it goes on.
        simulation.set(None, Some(&[0.5])).unwrap();
        let until = simulation.time() + 0.1;
        go(&mut simulation, until);
        assert!(simulation.state().unwrap().q[0] > 0.0);
    }
}

#[test]
fn a_time_that_rounding_has_passed_is_reached_again() {
    let scenario = CASES[0].with(&[("step", "0.1".into())]);
    let mut simulation = Simulation::new(scenario).unwrap();
    for until in [0.3, 0.3, 0.6, 0.7, 0.7] {
        go(&mut simulation, until);
        assert!((simulation.time() - until).abs() < 1e-15, "{} for {until}", simulation.time());
    }
    assert!(simulation.time() > 0.7 && simulation.moves() == 7);
    let mut told = 0.0;
    let mut watch = |p: &run::Progress| {
        told = p.step as f64 / p.steps as f64;
        ControlFlow::Continue(())
    };
    assert!(simulation.advance(0.7, &mut watch).unwrap().is_continue());
    assert_eq!(told, 1.0);
    // A solid with steps of the whole, too.
    let midpoint = ("integrator", "{ method = \"midpoint\" }".to_string());
    let mut slab = Simulation::new(SLAB.with(&[midpoint, ("step", "1e-3".into())])).unwrap();
    let mut passed = 0;
    for until in [0.003, 0.006, 0.007, 0.009, 0.012, 0.014] {
        go(&mut slab, until);
        passed += u32::from(slab.time() > until);
        go(&mut slab, until);
        assert!((slab.time() - until).abs() < 1e-15, "{} for {until}", slab.time());
    }
    assert!(passed > 0, "rounding has passed none of these times");
}

#[test]
fn a_simulation_of_any_kind_can_go_to_another_thread() {
    fn moves<T: Send>(_: &T) {}
    let mut here = CASES[0].after(0.3);
    moves(&here);
    let there = std::thread::spawn(|| CASES[0].after(0.3).to_bytes());
    assert_eq!(here.to_bytes(), there.join().unwrap());
}
