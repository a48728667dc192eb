//! Scenarios of bodies that collide: what is read and run, what is refused, and that the pages list every key.

use serde_json::Value;
use stationary::error::Error;
use stationary_app::run::{self, RunOutcome};
use stationary_app::scenario::{Scenario, shipped};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

const TWO: &str = r#"
space = 2
gravity = [0, -10]
step = 0.01
end = 1
integrator = "collisions"
[wall.floor]
point = [0, 0]
normal = [0, 2]
[bodies.ball]
shape = "disc"
radius = 0.5
position = [0, 1]
[bodies.brick]
shape = "polygon"
vertices = [[0, 0], [1, 0], [1, 0.5], [0, 0.5]]
mass = 2
position = [2, 1]
"#;

fn sets(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

fn read(text: &str, set: &[(&str, &str)]) -> Result<Scenario, Error> {
    Scenario::read("two.toml", text, &sets(set))
}

fn measure(text: &str, set: &[(&str, &str)]) -> RunOutcome {
    let scenario = read(text, set).unwrap_or_else(|e| panic!("{e}"));
    run::measure(&scenario, &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}"))
}

/// The message of a scenario that cannot be had; it must have a place.
fn refused(text: &str, set: &[(&str, &str)]) -> String {
    let error = match read(text, set) {
        Ok(scenario) => run::check(&scenario).expect_err("a scenario that cannot be had"),
        Err(error) => error,
    };
    let Error::Input(diagnostic) = &error else { panic!("{error}") };
    assert!(diagnostic.line_column().is_some(), "{error}");
    error.to_string()
}

#[test]
fn what_cannot_be_had_is_refused_with_the_names_of_who_is_in_the_way() {
    let cases: &[(&[(&str, &str)], &str)] = &[
        (&[("bodies.brick.position", "[0.6, 1]")], "the bodies `ball` and `brick` overlap at the start"),
        (&[("bodies.ball.position", "[0, 0.4]")], "the body `ball` is outside the wall `floor`"),
        (&[("bodies.brick.position", "[2, 0.2]")], "the body `brick` is outside the wall `floor`"),
        (&[("bodies.ball.mass", "0")], "`mass` must be a number from 1e-70 to 1e70, found 0"),
        (&[("bodies.ball.density", "-1")], "`density` must be a number from 1e-70 to 1e70"),
        (&[("bodies.brick.density", "1")], "one follows from the other"),
        (&[("bodies.ball.radius", "0")], "`radius` must be a number from 1e-70 to 1e70"),
        (&[("bodies.ball.shape", "dics")], "did you mean `disc`?"),
        (&[("bodies.ball.shape", "sphere")], "a sphere is a shape of space"),
        (&[("bodies.ball.vertices", "[[0, 0]]")], "a disc has no `vertices`"),
        (&[("bodies.brick.vertices", "[[0, 0], [1, 0]]")], "at least 3 vertices"),
        (&[("bodies.brick.vertices", "[[0, 0], [1, 1], [2, 2]]")], "`bodies.brick`: the polygon has no area"),
        (&[("bodies.brick.vertices", "[[0, 0], [1, 1], [1, 0], [0, 1]]")], "crosses itself"),
        (
            &[(
                "bodies.brick.vertices",
                "[[0, 0], [3, 0], [3, 3], [2, 3], [2, 0.5], [1, 0.5], [1, 3], [0, 3]]",
            )],
            "not star-shaped about its centroid",
        ),
        (&[("bodies.ball.restitution", "1.1")], "`restitution` must be a number from 0 to 1"),
        (&[("friction", "-0.1")], "`friction` must be a number, 0 or more"),
        (&[("wall.floor.normal", "[0, 0]")], "is zero, which is no direction"),
        (&[("wall.roof.point", "[0, -1]"), ("wall.roof.normal", "[0, -1]")], "`floor` and `roof` contradict"),
        (&[("wall.bar.from", "[0, 5]"), ("wall.bar.to", "[0, 5]")], "ends where it begins"),
        (&[("wall.bar.from", "[0, 5]")], "the wall `bar` is not said in one way"),
        (&[("wall.bin.box", "[[0, 0], [0, 1]]")], "no room along x"),
        (&[("wall.bin.polygon", "[[0, 0], [1, 1], [1, 0], [0, 1]]")], "crosses itself"),
        (
            &[("bodies.ball.place", "lattice"), ("bodies.ball.within", "[[0, 0], [9, 9]]")],
            "`position` besides `place`",
        ),
        (&[("bodies.ball.count", "3")], "`ball-0` and `ball-1` overlap"),
        (&[("bodies.ball.count", "0")], "`count` must be a whole number"),
        (&[("bodies.ball.count", "1e9")], "`count` must be a whole number"),
        (&[("bodies.ball.position", "[0, 1, 2]")], "`position` must be a list of two numbers"),
        (&[("bodies.ball.raduis", "1")], "did you mean `radius`?"),
        (&[("wall.floor.colour", "1")], "unknown key `colour` in the wall `floor`"),
        (&[("bodies", "{}")], "there are no bodies"),
        (&[("bodies.ball", "1")], "[bodies.NAME]"),
        (&[("space", "4")], "`space` must be a whole number from 2 to 3"),
        (&[("end_impacts", "0")], "`end_impacts` must be a whole number"),
        (&[("integrator", "verlet")], "`verlet` does not move bodies that collide"),
        (&[("integrator", "collision")], "did you mean `collisions`?"),
        (&[("integrator.contact_time", "0")], "`contact_time` must be a number greater than zero"),
        (&[("observe", "symplectic")], "bodies that collide have none"),
        (&[("lagrangian", "vx^2")], "a scenario has one system"),
        (&[("probe.x", "1")], "is no key of bodies that collide"),
        (&[("claim", "energy.loss < 1")], "a claim about nothing"),
    ];
    for (set, expected) in cases {
        let message = refused(TWO, set);
        assert!(message.contains(expected), "{set:?} gives\n{message}");
    }
    let full = r#"
        step = 0.1
        end = 1
        integrator = "collisions"
        wall.box.box = [[0, 0], [1, 1]]
        bodies.disc = { shape = "disc", radius = 0.2, count = 9, place = "lattice" }
    "#;
    assert!(refused(full, &[]).contains("no room for 9 bodies `disc`: 4 found a place"));
    assert!(refused(full, &[("bodies.disc.place", "random")]).contains("no room for 9 bodies"));
    let outside = "the body `disc-0` is outside the wall `box`";
    assert!(refused(full, &[("bodies.disc.within", "[[-9, -9], [9, 9]]")]).contains(outside));
}

#[test]
fn a_dropped_disc_and_a_brick_do_what_they_should() {
    let outcome = measure(TWO, &[("end", "0.5"), ("restitution", "0.5")]);
    let summary = &outcome.summary;
    // After 1/sqrt(10) s the disc has fallen its half metre; the brick, not turned, lands flat later.
    assert!(summary["impacts"]["count"].as_u64().unwrap() >= 2);
    let scenario = read(TWO, &[("end", "0.4"), ("end_impacts", "1")]).unwrap();
    let end = run::measure(&scenario, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(end.summary["impacts"]["count"], 1);
    let time = end.summary["time"]["end"].as_f64().unwrap();
    assert!((time - 0.1_f64.sqrt()).abs() < 1e-14, "{time}");
    assert_eq!(end.summary["finished"], true);
    // The disc weighs pi/4, and half its speed is three quarters of its energy.
    let mass = std::f64::consts::FRAC_PI_4;
    let one = measure(TWO, &[("end_impacts", "1"), ("restitution", "0.5")]);
    let lost = one.summary["impacts"]["dissipated"].as_f64().unwrap();
    assert!((lost - 0.75 * mass * 10.0 * 0.5).abs() < 1e-12, "{lost}");
}

#[test]
fn walls_of_every_kind_hold_what_is_inside() {
    for wall in [
        r#"{ box = [[-2, -2], [2, 2]] }"#,
        r#"{ polygon = [[-2, -2], [2, -2], [2, 2], [-2, 2]] }"#,
        r#"{ polygon = [[-2, 2], [2, 2], [2, -2], [-2, -2]] }"#,
        r#"{ polygon = [[-2, -2], [0, -1.2], [2, -2], [2, 2], [0, 1.7], [-2, 2]] }"#,
    ] {
        let text = format!(
            r#"
            gravity = [0.3, -1]
            step = 0.05
            end = 30
            integrator = "collisions"
            wall.room = {wall}
            [bodies.ball]
            shape = "disc"
            radius = 0.3
            position = [-1, 0]
            velocity = [1.3, 0.4]
            [bodies.kite]
            shape = "polygon"
            vertices = [[0.5, 0], [0, 0.3], [-0.5, 0], [0, -0.1]]
            position = [1, 0]
            velocity = [-0.8, 1.1]
            spin = 3
        "#
        );
        let summary = measure(&text, &[]).summary;
        assert!(summary["impacts"]["with_walls"].as_u64().unwrap() > 20, "{wall}");
        assert!(summary["energy"]["max_relative_error"].as_f64().unwrap() < 1e-12, "{wall}");
        assert!(summary["momentum"]["linear"]["max_relative_drift"].as_f64().unwrap() < 1e-13, "{wall}");
        assert!(summary["impacts"]["min_gap"].as_f64().unwrap() > -1e-12, "{wall}");
    }
}

/// Ten spheres fall into a shaft and pile up: those that fall do not pass those that rest.
#[test]
fn spheres_pile_up_without_overlap() {
    let text = r#"
        space = 3
        gravity = [0, 0, -9.81]
        restitution = 0.5
        friction = 0.4
        step = 0.01
        end = 2
        integrator = "collisions"
        wall.shaft = { box = [[0, 0, 0], [0.7, 0.7, 8]] }
        [bodies.sphere]
        shape = "sphere"
        radius = 0.15
        count = 10
        place = "random"
        seed = 1
    "#;
    let outcome = measure(text, &[]);
    let impacts = &outcome.summary["impacts"];
    assert!(impacts["min_gap"].as_f64().unwrap() > -1e-12, "{impacts}");
    assert!(outcome.summary["bodies"]["resting"].as_u64().unwrap() > 0 && outcome.warnings.is_empty());
}

#[test]
fn chance_depends_on_its_seed_alone() {
    let text = shipped::find("disc-box").unwrap().text;
    let random =
        [("bodies.disc.place", "random"), ("bodies.disc.count", "100"), ("end", "5"), ("claim", "[]")];
    let energy = |seed: &str| {
        let set = [&random[..], &[("bodies.disc.seed", seed), ("bodies.disc.velocity", "[0.1, 0]")]].concat();
        let summary = measure(text, &set).summary;
        (summary["energy"]["initial"].clone(), summary["impacts"]["count"].clone())
    };
    assert_eq!(energy("5"), energy("5"));
    assert_ne!(energy("5"), energy("6"));
}

/// Runs into a folder that is removed again; the files by name.
fn files(scenario: &Scenario, tag: &str) -> (RunOutcome, Vec<(String, String)>) {
    let out = std::env::temp_dir().join(format!("stationary-bodies-{}-{tag}", std::process::id()));
    let outcome = run::run(scenario, &out, &mut |_| ControlFlow::Continue(())).unwrap();
    let names = ["series.csv", "impacts.csv", "report.html", "summary.json"];
    let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
    let all = names.map(|name| (name.to_string(), read(name))).to_vec();
    std::fs::remove_dir_all(&out).unwrap();
    (outcome, all)
}

#[test]
fn the_files_of_a_run_are_whole_and_the_same_twice() {
    let pile = shipped::find("polygon-pile").unwrap();
    let scenario = Scenario::read(pile.name, pile.text, &sets(&[("end", "0.7")])).unwrap();
    let ((outcome, first), (_, second)) = (files(&scenario, "one"), files(&scenario, "two"));
    for ((name, one), (_, two)) in first.iter().zip(&second).filter(|((name, _), _)| name.ends_with("csv")) {
        assert_eq!(one, two, "{name}");
        let width = one.lines().next().unwrap().split(',').count();
        assert!(one.lines().all(|line| line.split(',').count() == width), "{name}");
    }
    let count = outcome.summary["impacts"]["count"].as_u64().unwrap();
    assert_eq!(first[1].1.lines().count() as u64, count + 1);
    let header = "time,first,second,impulse,friction_impulse,energy_before,energy_after";
    assert_eq!(first[1].1.lines().next(), Some(header));
    assert!(first[2].1.contains("class=\"film\""), "the bodies are drawn");
    let few =
        Scenario::read(pile.name, pile.text, &sets(&[("end", "0.7"), ("output.impacts", "3")])).unwrap();
    let (outcome, all) = files(&few, "few");
    assert_eq!(all[1].1.lines().count(), 4);
    assert!(outcome.warnings[0].contains("first 3 of"), "{:?}", outcome.warnings);
}

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(name)).unwrap()
}

/// First cells of the first table under a heading.
fn table(page: &str, heading: &str) -> BTreeSet<String> {
    let lines = page.lines().skip_while(|l| *l != heading).skip(1).take_while(|l| !l.starts_with("## "));
    let rows = lines.filter(|l| l.starts_with("| `"));
    rows.map(|l| l.split('`').nth(1).unwrap().to_string()).collect()
}

#[test]
fn every_column_and_key_of_the_results_is_documented() {
    let flat = files(&read(TWO, &[]).unwrap(), "flat");
    let space = r#"
        space = 3
        step = 0.1
        end = 1
        integrator = "collisions"
        bodies.ball = { shape = "sphere", radius = 1, position = [0, 0, 0] }
    "#;
    let deep = files(&read(space, &[]).unwrap(), "deep");
    let mut columns = BTreeSet::new();
    for (_, all) in [&flat, &deep] {
        for column in all[0].1.lines().next().unwrap().split(',') {
            columns.insert(column.replace("ball.", "<body>.").replace("brick.", "<body>."));
        }
    }
    assert_eq!(table(&page("results.md"), "## `series.csv` of bodies that collide"), columns);
    let impacts: BTreeSet<String> =
        flat.1[1].1.lines().next().unwrap().split(',').map(String::from).collect();
    assert_eq!(table(&page("results.md"), "## `impacts.csv` of bodies that collide"), impacts);
    let mut keys = BTreeSet::new();
    fn flatten(prefix: &str, value: &Value, into: &mut BTreeSet<String>) {
        let name = |key: &str| if prefix.is_empty() { key.to_string() } else { format!("{prefix}.{key}") };
        match value {
            Value::Object(map) => map.iter().for_each(|(k, v)| flatten(&name(k), v, into)),
            _ => {
                into.insert(prefix.to_string());
            }
        }
    }
    flatten("", &flat.0.summary, &mut keys);
    let common = table(&page("results.md"), "## `summary.json`");
    let own = table(&page("results.md"), "## Summary of bodies that collide");
    let missing: Vec<_> = keys.iter().filter(|k| !common.contains(*k) && !own.contains(*k)).collect();
    let extra: Vec<_> = own.iter().filter(|k| !keys.contains(*k)).collect();
    assert!(missing.is_empty() && extra.is_empty(), "missing {missing:?}, extra {extra:?}");
}

/// Stars and triangles in oblique gravity, elastic and rough: once a spin was counted as a speed that contacts give.
const STARS: &str = r#"
space = 2
integrator = "collisions"
step = 1
end = 50
gravity = [-8.745, 9.634]
restitution = 1
friction = 0.3
end_impacts = 10
wall.box = { box = [[0, 0], [4, 4]] }
[bodies.star]
shape = "polygon"
vertices = [[0.369, 0], [0.136, 0.136], [0, 0.346], [-0.145, 0.145], [-0.371, 0], [-0.188, -0.188], [0, -0.375], [0.187, -0.187]]
position = [3.059, 3.229]
velocity = [-0.503, -0.243]
[bodies.triangle]
shape = "polygon"
vertices = [[0.319, 0], [-0.139, 0.242], [-0.091, -0.158]]
position = [2.88, 1.638]
velocity = [2.558, 3.872]
"#;

/// Pentagons that spin on a lattice.
const PENTAGONS: &str = r#"
space = 2
gravity = [0, 0]
restitution = 0.9
friction = 0.1
step = 0.1
end = 6
integrator = "collisions"
wall.box = { box = [[0, 0], [4, 4]] }
[bodies.p]
shape = "polygon"
vertices = [[0.3, 0.0], [0.0927, 0.2853], [-0.2427, 0.1763], [-0.2427, -0.1763], [0.0927, -0.2853]]
count = 8
place = "lattice"
speed = 3
spin = "3*(1-2*mod(i,2))"
seed = 21
turned = true
"#;

#[test]
fn no_row_of_impacts_csv_has_more_energy_after_the_impact_than_before() {
    let falling = [
        ("gravity", "[0, -9.81]"),
        ("restitution", "0.2"),
        ("friction", "1"),
        ("step", "0.3"),
        ("end", "9"),
        ("bodies.p.speed", "1"),
        ("bodies.p.seed", "8"),
    ];
    for (text, set, tag) in
        [(STARS, &[][..], "stars"), (PENTAGONS, &[], "gain"), (PENTAGONS, &falling, "stop")]
    {
        let (outcome, all) = files(&read(text, set).unwrap(), tag);
        assert_eq!(outcome.summary["finished"], true, "{tag}");
        assert!(outcome.summary["impacts"]["dissipated"].as_f64().unwrap() > 0.0, "{tag}");
        let scale = outcome.summary["energy"]["scale"].as_f64().unwrap();
        for row in all[1].1.lines().skip(1) {
            let cells: Vec<&str> = row.split(',').collect();
            let [before, after] = [5, 6].map(|k: usize| cells[k].parse::<f64>().unwrap());
            assert!(after <= before + 1e-13 * (scale + before.abs()), "{tag}: {row}");
        }
    }
}

#[test]
fn the_step_of_a_scenario_changes_neither_impacts_nor_contact_time() {
    let impacts = |step: &str| {
        let set = [("step", step), ("end", "1e6"), ("end_impacts", "60"), ("gravity", "[0, -9.81]")];
        let (outcome, all) = files(&read(PENTAGONS, &set).unwrap(), &format!("step-{step}"));
        assert_eq!(outcome.summary["impacts"]["count"], 60);
        (all[1].1.clone(), outcome.summary["integrator"].clone())
    };
    let expected = impacts("0.01");
    for step in ["0.5", "7", "100", "320", "0.4142135623730951"] {
        assert_eq!(impacts(step), expected, "step {step}");
    }
}

#[test]
fn an_energy_out_of_range_at_the_start_is_refused_by_name() {
    let scenario = read(TWO, &[("bodies.brick.velocity", "[1e160, 0]")]).unwrap();
    let refused = run::measure(&scenario, &mut |_| ControlFlow::Continue(())).unwrap_err().to_string();
    assert!(refused.contains("the energy is not a finite number at the start"), "{refused}");
}
