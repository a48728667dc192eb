//! Solids moved on by hand have the bits of runs, however they are moved, saved, restored and looked at.

use stationary::error::{Cause, Error};
use stationary::mesh::{Mesh, NewGroup};
use stationary_app::run::{self, SolidSimulation, SolidView};
use stationary_app::scenario::{FrameFormat, Given, Scenario, shipped};
use stationary_report::files::read_mesh;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

/// What changes the shipped slab to all the ways in which solids move: one queue, sweeps, one step for all, steps in the middle,
/// steps that change, and a discrete Lagrangian.
const WAYS: [&[(&str, &str)]; 6] = [
    &[],
    &[("integrator.steps", "harmonic")],
    &[("integrator.method", "newmark")],
    &[("integrator.steps", "harmonic"), ("integrator.events", "middle")],
    &[("integrator.factor", "1 + 0.3*sin(90*t + X)")],
    &[("integrator", "{ method = \"midpoint\" }"), ("step", "2e-3")],
];

const END: f64 = 0.04;

fn set(all: &[(&str, &str)]) -> Vec<(String, String)> {
    all.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

fn slab(changes: &[(&str, &str)]) -> Scenario {
    let more = [("end", "0.04"), ("output.rows", "4"), ("output.frames", "0")];
    let text = shipped::find("slab").unwrap().text;
    Scenario::read("slab", text, &set(&[&more[..], changes].concat())).unwrap()
}

fn go(simulation: &mut SolidSimulation, until: f64) {
    let reached = simulation.advance(until, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(reached, ControlFlow::Continue(()));
}

/// All numbers of a view; NaN is a number here.
fn bits(view: &SolidView) -> Vec<u64> {
    let SolidView {
        t,
        x,
        v,
        kinetic,
        potential,
        work,
        dissipated,
        linear,
        angular,
        linear_balance,
        angular_balance,
        reactions,
    } = view;
    let one = [*t, *kinetic, *potential, *work, *dissipated, *linear_balance, *angular_balance];
    let reactions = reactions.iter().flat_map(|r| r.1);
    let vectors = x.iter().chain(v).chain([linear, angular]).flatten().copied();
    one.into_iter().chain(vectors).chain(reactions).map(f64::to_bits).collect()
}

pub struct Folder(pub PathBuf);

impl Folder {
    pub fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("stationary-simulation-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Rows of a run by the names of their columns.
fn series(scenario: &Scenario, folder: &Folder) -> Vec<Vec<(String, f64)>> {
    let outcome = run::run(scenario, &folder.0, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(outcome.stopped.is_none());
    let text = std::fs::read_to_string(folder.0.join("series.csv")).unwrap();
    let names: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let row = |line: &str| {
        let numbers = line.split(',').map(|n| n.parse().unwrap_or(f64::NAN));
        names.iter().map(|n| n.to_string()).zip(numbers).collect()
    };
    text.lines().skip(1).map(row).collect()
}

/// Makes a test of a module in a process of its own, in which watchers are told after every stretch of steps, whatever the pace of
/// the machine (`stationary_report::failpoint`). Says whether this is that process.
pub fn watched_at_every_stretch(module: &str, test: &str) -> bool {
    const VARIABLE: &str = "STATIONARY_FAILPOINT";
    if std::env::var_os(VARIABLE).is_some() {
        return true;
    }
    let module = module.split_once("::").map_or(String::new(), |(_, inside)| format!("{inside}::"));
    let out = Command::new(std::env::current_exe().unwrap())
        .args([&format!("{module}{test}"), "--exact", "--nocapture"])
        .env(VARIABLE, "always")
        .output()
        .unwrap();
    let said = [out.stdout, out.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat();
    assert!(out.status.success() && said.contains("1 passed"), "{said}");
    false
}

#[test]
fn pieces_looks_and_breaks_give_the_rows_of_a_run() {
    if !watched_at_every_stretch(module_path!(), "pieces_looks_and_breaks_give_the_rows_of_a_run") {
        return;
    }
    for (way, changes) in WAYS.iter().enumerate() {
        let scenario = slab(changes);
        let rows = series(&scenario, &Folder::new(&format!("rows-{way}")));
        assert_eq!(rows.len(), 5);
        let mut simulation = SolidSimulation::new(scenario.clone()).unwrap();
        let mut breaks = 0;
        for (k, row) in rows.iter().enumerate() {
            let goal = END * (k as f64 / 4.0);
            for _ in 0..if k == 1 { 2 } else { 0 } {
                let told = simulation.advance(goal, &mut |_| ControlFlow::Break(())).unwrap();
                breaks += u32::from(told.is_break() && simulation.time() < goal);
            }
            for part in [0.8, 0.41, 0.4] {
                let until = goal - 0.01 * part;
                if until > simulation.time() {
                    go(&mut simulation, until);
                    simulation.look().unwrap();
                }
            }
            go(&mut simulation, goal);
            let view = simulation.look().unwrap();
            let probes = simulation.probes().unwrap();
            let known = [
                ("t", view.t),
                ("energy", view.kinetic + view.potential),
                ("work", view.work),
                ("momentum.linear.y", view.linear[1]),
                ("momentum.angular.z", view.angular[2]),
                ("balance.linear", view.linear_balance),
                ("balance.angular", view.angular_balance),
                ("updates.total", simulation.updates().iter().sum::<u64>() as f64),
                ("tip", probes[0].1),
            ];
            for (name, value) in known {
                let (_, expected) = row.iter().find(|(n, _)| n == name).unwrap();
                let same = value.to_bits() == expected.to_bits() || value.is_nan() && expected.is_nan();
                assert!(same, "way {way}, row {k}, {name}: {value}, the run has {expected}");
            }
        }
        assert_eq!(breaks, 2, "way {way}: the watcher was not told early");
        let mut whole = SolidSimulation::new(scenario).unwrap();
        go(&mut whole, END);
        assert_eq!(bits(&whole.look().unwrap()), bits(&simulation.look().unwrap()), "way {way}");
    }
}

#[test]
fn a_saved_state_goes_on_to_the_same_bits_also_after_it_was_set() {
    let folder = Folder::new("saved");
    for (way, changes) in WAYS.iter().enumerate() {
        let mut whole = SolidSimulation::new(slab(changes)).unwrap();
        go(&mut whole, 0.013);
        let pushed: Vec<_> = whole.look().unwrap().v.iter().map(|v| [v[0] + 0.1, v[1], v[2]]).collect();
        whole.set(None, Some(&pushed)).unwrap();
        go(&mut whole, 0.021);
        let file = folder.0.join(format!("{way}"));
        whole.save(&file).unwrap();
        let (then, saved) = (bits(&whole.look().unwrap()), whole.to_bytes());
        assert_eq!(std::fs::read(&file).unwrap(), saved);
        go(&mut whole, END);
        let end = (bits(&whole.look().unwrap()), whole.updates());
        let mut other = SolidSimulation::new(slab(changes)).unwrap();
        other.restore(&file).unwrap();
        assert_eq!(bits(&other.look().unwrap()), then, "way {way}");
        go(&mut other, END);
        assert_eq!((bits(&other.look().unwrap()), other.updates()), end, "way {way}");
        // Back again, in the same simulation.
        whole.from_bytes(&saved).unwrap();
        go(&mut whole, END);
        assert_eq!((bits(&whole.look().unwrap()), whole.updates()), end, "way {way}");
    }
    let mut stranger = SolidSimulation::new(slab(&[("parameters.g", "1")])).unwrap();
    let error = stranger.restore(&folder.0.join("0")).unwrap_err().to_string();
    assert!(error.contains("belongs to another scenario"), "{error}");
    assert!(stranger.from_bytes(b"nonsense").unwrap_err().to_string().contains("not a checkpoint"));
    let before = bits(&stranger.look().unwrap());
    assert_eq!(before, bits(&SolidSimulation::new(slab(&[("parameters.g", "1")])).unwrap().look().unwrap()));
}

#[test]
fn the_checkpoint_of_a_broken_run_can_be_restored() {
    let folder = Folder::new("broken");
    let scenario = slab(&[("end", "1")]);
    let outcome = run::run(&scenario, &folder.0, &mut |_| ControlFlow::Break(())).unwrap();
    assert!(outcome.interrupted);
    let mut simulation = SolidSimulation::new(scenario.clone()).unwrap();
    simulation.restore(&folder.0.join("checkpoint")).unwrap();
    let until = simulation.time() + 0.01;
    let mut whole = SolidSimulation::new(scenario).unwrap();
    go(&mut simulation, until);
    go(&mut whole, until);
    assert_eq!(bits(&whole.look().unwrap()), bits(&simulation.look().unwrap()));
}

#[test]
fn a_state_that_is_set_is_the_start_of_a_new_run() {
    for (way, changes) in WAYS.iter().enumerate() {
        let mut simulation = SolidSimulation::new(slab(changes)).unwrap();
        go(&mut simulation, 0.0125);
        let t = simulation.time();
        let SolidView { mut x, mut v, .. } = simulation.look().unwrap();
        x.iter_mut().for_each(|x| x[1] -= 0.01 * x[0]);
        v.iter_mut().zip(&x).for_each(|(v, x)| v[1] += x[0]);
        simulation.set(Some(&x), Some(&v)).unwrap();
        let start = format!("{t:?}");
        let mut later = slab(&[*changes, &[("start", start.as_str())][..]].concat());
        later.given = Given { mesh: None, state: Some(Arc::new([x, v])) };
        let mut new = SolidSimulation::new(later).unwrap();
        for until in [t, 0.02, END] {
            go(&mut simulation, until);
            go(&mut new, until);
            assert_eq!(bits(&simulation.look().unwrap()), bits(&new.look().unwrap()), "way {way}, {until}");
            assert_eq!(simulation.updates(), new.updates());
        }
        assert_eq!(simulation.moves(), new.moves());
        let held = simulation.look().unwrap();
        let fixed = simulation.points().iter().zip(&held.x).filter(|(p, _)| p[0] == 0.0).all(|(p, x)| p == x);
        assert!(fixed, "way {way}: the clamped side has moved");
    }
}

#[test]
fn a_run_from_arrays_has_the_bits_of_a_run_from_the_file() {
    let name = "meshes/slab.msh";
    let mesh = Mesh::read(name, shipped::mesh(name).unwrap()).unwrap();
    let group = |g: &stationary::mesh::Group| NewGroup {
        name: g.name.clone(),
        nodes: g.nodes.clone(),
        cells: g.cells.iter().map(|c| (c.0 as usize, vec![c.1])).collect(),
    };
    let cells = mesh.cells.iter().map(|c| (c.kind, c.nodes.clone())).collect();
    let groups = mesh.groups.iter().map(group).collect();
    let arrays = Mesh::from_arrays("arrays", mesh.points.clone(), cells, groups).unwrap();
    for changes in [&[][..], &[("mesh", "{ file = \"meshes/slab.msh\", scale = 2, refine = 1 }")]] {
        let file = slab(changes);
        let mut given = file.clone();
        given.given.mesh = Some(Arc::new(arrays.clone()));
        let [mut file, mut given] = [file, given].map(|s| SolidSimulation::new(s).unwrap());
        go(&mut file, 0.01);
        go(&mut given, 0.01);
        assert_eq!(bits(&file.look().unwrap()), bits(&given.look().unwrap()));
        assert_eq!(file.elements(), given.elements());
        // They are not the same for a checkpoint: a file may change.
        assert!(file.from_bytes(&given.to_bytes()).is_err());
    }
}

#[test]
fn what_is_given_decides_the_identity_of_a_run() {
    let state = |push: f64| {
        let simulation = SolidSimulation::new(slab(&[])).unwrap();
        let v = vec![[push, 0.0, 0.0]; simulation.points().len()];
        let mut scenario = slab(&[]);
        scenario.given.state = Some(Arc::new([simulation.points(), v]));
        scenario
    };
    let folder = Folder::new("identity");
    let run = |scenario: &Scenario| run::resume(scenario, &folder.0, &mut |_| ControlFlow::Continue(()));
    run(&state(0.0)).unwrap();
    assert!(run(&state(0.0)).unwrap().notes[0].contains("finished"));
    assert!(run(&state(1.0)).unwrap_err().to_string().contains("another run"));
    assert!(run(&slab(&[])).unwrap_err().to_string().contains("another run"));
}

/// More elements than stay in the order of the mesh.
fn large() -> (Scenario, Mesh) {
    let text = r#"
        mesh = { file = "meshes/block.msh", refine = 3 }
        end = 1e-5
        integrator = { method = "avi", steps = "free", rule = "courant", fraction = 0.1 }
        [material.rubber]
        law = "neo-hookean"
        lambda = 93e9
        mu = 10e9
        density = 7800
        [initial]
        displacement = ["0.01*X^2", 0]
        velocity = ["X - 7*Y", "X*Y"]
    "#;
    let name = "meshes/block.msh";
    let mut mesh = Mesh::read(name, shipped::mesh(name).unwrap()).unwrap();
    (0..3).for_each(|_| mesh = mesh.refined());
    assert!(mesh.is_large());
    (Scenario::read("large", text, &[]).unwrap(), mesh)
}

#[test]
fn a_large_body_comes_in_the_order_of_its_mesh() {
    let (scenario, mesh) = large();
    let mut simulation = SolidSimulation::new(scenario.clone()).unwrap();
    assert_eq!(simulation.points(), mesh.points);
    let view = simulation.look().unwrap();
    for (v, p) in view.v.iter().zip(&mesh.points) {
        let expected = [p[0] - 7.0 * p[1], p[0] * p[1], 0.0];
        // The half kicks of the start are made and taken back.
        assert!((0..3).all(|i| (v[i] - expected[i]).abs() < 1e-6), "{v:?}, expected {expected:?}");
    }
    let (b, cells) = mesh.cells.iter().enumerate().find(|(_, c)| c.kind.dimension() == 2).unwrap();
    let own: Vec<_> = (0..cells.len() as u32).map(|k| (b as u32, k)).collect();
    assert_eq!(simulation.elements(), own);
    // The stretch grows with X, and the stress with it.
    let stresses = simulation.stresses().unwrap();
    let centre = |k: usize| cells.nodes_of(k).iter().map(|a| mesh.points[*a as usize][0]).sum::<f64>() / 6.0;
    for bound in [0.2, 0.4, 0.6, 0.8] {
        let most = (0..own.len()).filter(|k| centre(*k) < bound).map(|k| stresses[k][0]).fold(0.0, f64::max);
        let beyond = (0..own.len()).filter(|k| centre(*k) > bound + 0.05);
        assert!(beyond.map(|k| stresses[k][0]).all(|s| s > most), "{bound}");
    }
    // Set to what it is, and given what it is: the same again.
    simulation.set(Some(&view.x), Some(&view.v)).unwrap();
    assert_eq!(simulation.look().unwrap().x, view.x);
    let kinetic = simulation.look().unwrap().kinetic;
    assert!((kinetic / view.kinetic - 1.0).abs() < 1e-9, "{kinetic}, {}", view.kinetic);
}

#[test]
fn elements_of_several_materials_come_in_the_order_of_the_cells() {
    let points: Vec<[f64; 3]> = (0..6).map(|i| [i as f64, 0.0, 0.0]).collect();
    let line = stationary::mesh::CellKind::Line2;
    let cells = vec![(line, vec![0, 1, 1, 2, 2, 3, 3, 4, 4, 5])];
    let odd = NewGroup { name: "odd".into(), nodes: vec![], cells: vec![(0, vec![1, 3])] };
    let text = r#"
        mesh = "chain"
        end = 1.0
        integrator = { method = "avi", steps = "free", step = { odd = 0.01, even = 0.02 } }
        [material.hard]
        law = "bar"
        group = "odd"
        young = 1.0
        area = 1.0
        density = 1.0
        [material.soft]
        law = "bar"
        young = 0.5
        area = 1.0
        density = 1.0
    "#;
    let even = NewGroup { name: "even".into(), nodes: vec![], cells: vec![(0, vec![0, 2, 4])] };
    let mesh = Mesh::from_arrays("chain", points, cells, vec![odd, even]).unwrap();
    let mut scenario = Scenario::read("chain", text, &[]).unwrap();
    scenario.given.mesh = Some(Arc::new(mesh));
    let mut simulation = SolidSimulation::new(scenario).unwrap();
    assert_eq!(simulation.elements(), [0, 1, 2, 3, 4].map(|k| (0, k)));
    assert_eq!(simulation.steps(), [0.02, 0.01, 0.02, 0.01, 0.02]);
    go(&mut simulation, 0.105);
    assert_eq!(simulation.updates(), [5, 10, 5, 10, 5]);
    assert_eq!((simulation.moves(), simulation.time()), (35, 0.105));
}

#[test]
fn an_element_that_fails_is_named_and_the_state_before_stays() {
    // A weight that crushes the slab.
    for steps in ["free", "harmonic"] {
        let crushed = || slab(&[("parameters.g", "20000"), ("integrator.steps", steps), ("end", "5")]);
        let mut simulation = SolidSimulation::new(crushed()).unwrap();
        let mut stop = || simulation.advance(5.0, &mut |_| ControlFlow::Continue(())).unwrap_err();
        let (first, again) = (stop(), stop());
        let Error::Run(error) = &first else { panic!("{first}") };
        let Cause::Element { time, .. } = &error.cause else { panic!("{error}") };
        assert!(error.time < *time, "{error}");
        // It begins where it was left, and fails alike.
        let Error::Run(second) = &again else { panic!("{again}") };
        assert_eq!(second.cause, error.cause);
        assert_eq!(simulation.time(), second.time);
        assert_eq!(simulation.moves(), second.step);
        let view = simulation.look().unwrap();
        assert_eq!(view.t, second.time);
        // On the way to a time before the fault it has the bits of one that never failed.
        let mut other = SolidSimulation::new(crushed()).unwrap();
        go(&mut other, view.t);
        assert_eq!(bits(&other.look().unwrap()), bits(&view), "{steps}");
    }
}

#[test]
fn states_that_cannot_be_are_refused_and_the_old_one_stays() {
    for changes in [&[][..], WAYS[5]] {
        let mut simulation = SolidSimulation::new(slab(changes)).unwrap();
        go(&mut simulation, 0.01);
        let before = simulation.look().unwrap();
        let count = before.x.len();
        let mut refused = |x: Option<&[[f64; 3]]>, v: Option<&[[f64; 3]]>, expected: &str| {
            let error = simulation.set(x, v).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}\nexpected {expected}");
            assert_eq!(bits(&simulation.look().unwrap()), bits(&before));
        };
        refused(Some(&before.x[1..]), None, &format!("there are {} positions", count - 1));
        let mut odd = before.v.clone();
        odd[7][1] = f64::NAN;
        refused(None, Some(&odd), "velocities[7][1] is NaN");
        let mirrored: Vec<_> = before.x.iter().map(|x| [x[0], -x[1], x[2]]).collect();
        refused(Some(&mirrored), None, "the state cannot be set: element");
        let fast = vec![[1e200, 0.0, 0.0]; count];
        refused(None, Some(&fast), "the energy is no longer a finite number");
        let mut whole = SolidSimulation::new(slab(changes)).unwrap();
        go(&mut whole, 0.02);
        go(&mut simulation, 0.02);
        assert_eq!(bits(&whole.look().unwrap()), bits(&simulation.look().unwrap()));
    }
}

#[test]
fn times_scenarios_and_states_that_do_not_fit_get_a_message() {
    let mut simulation = SolidSimulation::new(slab(&[])).unwrap();
    go(&mut simulation, 0.01);
    for (until, expected) in [
        (0.005, "cannot go back to time 0.005: the time is 0.01"),
        (f64::NAN, "cannot advance to time NaN"),
        (f64::INFINITY, "cannot advance to time inf"),
        (1e300, "does not move the clock"),
    ] {
        let error = simulation.advance(until, &mut |_| ControlFlow::Continue(())).unwrap_err();
        assert!(matches!(&error, Error::Input(_)) && error.to_string().contains(expected), "{error}");
    }
    assert_eq!(simulation.time(), 0.01);
    let pendulum = Scenario::read("pendulum", shipped::find("pendulum").unwrap().text, &[]).unwrap();
    assert!(SolidSimulation::new(pendulum).unwrap_err().to_string().contains("this is no solid"));
    let points = simulation.points();
    let refuse = |changes: &[(&str, &str)], rows: usize, expected: &str| {
        let mut scenario = slab(changes);
        let rest = vec![[0.0; 3]; points.len()];
        scenario.given.state = Some(Arc::new([points[..rows].to_vec(), rest]));
        for error in [run::check(&scenario).err(), SolidSimulation::new(scenario).err()] {
            let error = error.unwrap().to_string();
            assert!(error.contains(expected), "{error}\nexpected {expected}");
        }
    };
    let all = points.len();
    refuse(&[], all - 2, &format!("the given state: there are {} positions", all - 2));
    refuse(&[("mesh", "{ file = \"meshes/slab.msh\", refine = 1 }")], all, "the mesh is refined");
    refuse(&[("initial.velocity", "[1, 0]")], all, "`initial` gives another");
}

#[test]
fn probes_can_be_attached_and_their_faults_are_shown_in_place() {
    let mut simulation = SolidSimulation::new(slab(&[])).unwrap();
    simulation.attach_probe("again", [4.0, 0.5, 0.0], "y - Y").unwrap();
    simulation.attach_probe("weight", [0.1, 0.5, 0.0], "g*t + vx").unwrap();
    go(&mut simulation, 0.03);
    let probes = simulation.probes().unwrap();
    let names: Vec<&str> = probes.iter().map(|p| p.0.as_str()).collect();
    assert_eq!(names, ["tip", "again", "weight"]);
    assert_eq!(probes[0].1.to_bits(), probes[1].1.to_bits());
    assert!(probes[0].1 < 0.0);
    let mut fault =
        |name: &str, at: [f64; 3], value: &str| simulation.attach_probe(name, at, value).unwrap_err();
    let misspelt = fault("speed", [4.0, 0.5, 0.0], "2*vxx");
    assert!(misspelt.to_string().starts_with("probe.speed:1:3: "), "{misspelt}");
    assert!(misspelt.to_string().contains("\n  | 2*vxx\n  |   ^^^"), "{misspelt}");
    let outside = fault("far", [9.0, 0.5, 0.0], "x").to_string();
    assert!(outside.starts_with("probe.far.at:1:1: the probe `far` is outside of the body"), "{outside}");
    assert!(fault("nan", [f64::NAN, 0.0, 0.0], "x").to_string().contains("three finite numbers"));
    assert!(fault("tip", [4.0, 0.5, 0.0], "x").to_string().contains("there is a probe of this name"));
    assert_eq!(simulation.probes().unwrap().len(), 3);
}

#[test]
fn frames_follow_each_other_in_a_folder() {
    let folder = Folder::new("frames");
    let mut simulation = SolidSimulation::new(slab(&[])).unwrap();
    for until in [0.0, 0.01, 0.02] {
        go(&mut simulation, until);
        simulation.write_frame(&folder.0, FrameFormat::Vtu).unwrap();
    }
    let list = std::fs::read_to_string(folder.0.join("frames.pvd")).unwrap();
    let times: Vec<&str> = list.split("timestep=\"").skip(1).map(|l| l.split('"').next().unwrap()).collect();
    assert_eq!(times, ["0.0", "0.01", "0.02"]);
    let frame = read_mesh(folder.0.join("frames/frame-000002.vtu")).unwrap();
    assert_eq!(frame.points, simulation.points());
    assert!(simulation.write_frame(&folder.0, FrameFormat::Xdmf).is_err());
    simulation.write_frame(&folder.0.join("other"), FrameFormat::Xdmf).unwrap();
    assert!(folder.0.join("other/frames.xdmf").is_file());
}

#[test]
fn a_simulation_may_go_to_another_thread() {
    fn fits<T: Send + Sync>(_: &T) {}
    let mut simulation = SolidSimulation::new(slab(&[])).unwrap();
    fits(&simulation);
    let mut other = SolidSimulation::new(slab(&[])).unwrap();
    go(&mut other, 0.01);
    let there = std::thread::spawn(move || {
        go(&mut simulation, 0.01);
        bits(&simulation.look().unwrap())
    });
    assert_eq!(there.join().unwrap(), bits(&other.look().unwrap()));
}
