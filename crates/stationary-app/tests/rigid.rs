//! Rigid bodies from scenario text to results: what is written, what is kept, what is refused, and that the pages say so.

use serde_json::Value;
use stationary_app::run::{RunOutcome, check, run};
use stationary_app::scenario::{Scenario, shipped};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;

const BODY: &str = r#"
step = 0.05
end = 5
integrator = "euler-poincare"

[parameters]
k = 2.0

[body]
mass = 1.5
inertia = [1.0, 2.0, 2.5]
position = [0.5, 0, "k/4"]
orientation = { axis = [1, 2, 3], angle = "pi/3" }
velocity = [0, 0.2, 0]
angular_velocity = [0.1, 1, 0.1]
potential = "k*z + R11*R32"

[probe]
spin = "sqrt(w1^2 + w2^2 + w3^2) + 0*(px + m1 + Lx + vx + R12 + x)"
"#;

fn set(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect()
}

fn run_all(scenario: &Scenario, tag: &str) -> (RunOutcome, String) {
    let out = std::env::temp_dir().join(format!("stationary-rigid-{}-{tag}", std::process::id()));
    let outcome = run(scenario, &out, &mut |_| ControlFlow::Continue(())).unwrap();
    let series = std::fs::read_to_string(out.join("series.csv")).unwrap();
    let page = std::fs::read_to_string(out.join("report.html")).unwrap();
    assert!(page.contains("Third axis"), "{tag}");
    std::fs::remove_dir_all(&out).unwrap();
    (outcome, series)
}

#[test]
fn shipped_bodies_keep_their_claims() {
    for name in ["free-top", "heavy-top", "tumbling-satellite"] {
        let scenario = Scenario::read(name, shipped::find(name).unwrap().text, &[]).unwrap();
        assert!(
            scenario.rigid_body().is_some() && scenario.formula().is_none() && scenario.solid().is_none()
        );
        let (outcome, series) = run_all(&scenario, name);
        for kept in &outcome.conserved {
            println!("  {}: {:e}, {}", kept.quantity, kept.worst, kept.verdict);
        }
        assert!(outcome.stopped.is_none() && outcome.warnings.is_empty(), "{name}: {:?}", outcome.warnings);
        assert!(
            !outcome.claims.is_empty() && outcome.claims.iter().all(|c| c.holds),
            "{:#?}",
            outcome.claims
        );
        let width = series.lines().next().unwrap().split(',').count();
        assert!(series.lines().all(|l| l.split(',').count() == width), "{name}");
        let quantities: Vec<&str> = outcome.conserved.iter().map(|c| c.quantity.as_str()).collect();
        let kept = |q: &str| quantities.contains(&q);
        let expected = match name {
            "free-top" => kept("casimir") && kept("momentum linear_x") && kept("momentum angular_x"),
            "heavy-top" => {
                kept("momentum axis_3")
                    && kept("momentum angular_z")
                    && !kept("momentum angular_x")
                    && !kept("casimir")
            }
            _ => kept("momentum angular_x") && !kept("momentum linear_x") && !kept("casimir"),
        };
        assert!(expected, "{name}: {quantities:?}");
    }
}

#[test]
fn a_body_of_a_scenario_is_that_of_the_library() {
    use stationary::integrate::group::{BodyMethod, BodyRun, BodyStart};
    use stationary::linalg::{Mat3, Quaternion, Vec3};
    let free = BODY.replace("potential = \"k*z + R11*R32\"", "");
    let scenario = Scenario::read("a.toml", &free, &set(&[("integrator.order", "4")])).unwrap();
    let (outcome, series) = run_all(&scenario, "library");
    let start = BodyStart {
        t: 0.0,
        h: 0.05,
        position: Vec3::new(0.5, 0.0, 0.5),
        orientation: Quaternion::about(Vec3::new(1.0, 2.0, 3.0), std::f64::consts::FRAC_PI_3),
        velocity: Vec3::new(0.0, 0.2, 0.0),
        angular_velocity: Vec3::new(0.1, 1.0, 0.1),
    };
    let inertia = Mat3::diagonal(1.0, 2.0, 2.5);
    let body = stationary::model::RigidBody::new(1.5, inertia).unwrap();
    let mut run = BodyRun::new(body, BodyMethod::EulerPoincare { order: 4 }, &start).unwrap();
    run.advance(100).unwrap();
    let view = run.view();
    let (head, last) = (series.lines().next().unwrap(), series.lines().last().unwrap());
    let column = |name: &str| -> f64 {
        let at = head.split(',').position(|c| c == name).unwrap_or_else(|| panic!("{name} in {head}"));
        last.split(',').nth(at).unwrap().parse().unwrap()
    };
    for (name, value) in [
        ("qw", view.orientation.0[0]),
        ("qz", view.orientation.0[3]),
        ("y", view.position[1]),
        ("w2", view.angular_velocity[1]),
        ("m3", view.body_momentum[2]),
        ("momentum.angular_z", view.angular_momentum()[2]),
        ("energy", view.energy[0]),
    ] {
        // The axis is scaled before it is used: the last bits of the start may differ.
        assert!((column(name) - value).abs() < 1e-14, "{name}: {} {value}", column(name));
    }
    assert!(outcome.summary["body"]["free_period"].as_f64().unwrap() > 0.0);
}

#[test]
fn wrong_bodies_are_one_message_with_a_place() {
    let cases = [
        (
            "[1.0, 2.0, 2.5]",
            "[1.0, 2.0, 3.5]",
            "11:11: no body has the principal moments of inertia 1, 2 and 3.5",
        ),
        (
            "[1.0, 2.0, 2.5]",
            "[1.0, 2.0, 0]",
            "11:11: the principal moments of inertia must be positive, found 0",
        ),
        ("[1.0, 2.0, 2.5]", "[1.0, -2.0, 1]", "11:11: the principal moments of inertia must be positive"),
        ("[1.0, 2.0, 2.5]", "[nan, 1, 1]", "11:12: `inertia` must be a finite number, found NaN"),
        ("[1.0, 2.0, 2.5]", "[1, 1]", "11:11: `inertia` must be a list of 3"),
        ("[1.0, 2.0, 2.5]", "2", "11:11: `inertia` must be a list of 3"),
        ("[1.0, 2.0, 2.5]", "[[1, 0, 0], [0, 1, 0]]", "11:11: `inertia` must be a list of 3"),
        ("[1.0, 2.0, 2.5]", "[[1, 0, 0], [0, 1, 0], 3]", "11:11: `inertia` must be a list of 3"),
        (
            "[1.0, 2.0, 2.5]",
            "[[1, 0.5, 0], [0, 1, 0], [0, 0, 1]]",
            "11:11: an inertia tensor must be symmetric",
        ),
        ("inertia = [1.0, 2.0, 2.5]", "", "9:1: `body` has no `inertia`"),
        ("mass = 1.5", "", "9:1: `body` has no `mass`"),
        ("mass = 1.5", "mass = 0", "10:8: `mass` must be a number greater than zero, found 0"),
        ("mass = 1.5", "mass = -1", "10:8: `mass` must be a number greater than zero, found -1"),
        ("mass = 1.5", "mas = 1.5", "10:1: unknown key `mas` in `body`"),
        (
            "{ axis = [1, 2, 3], angle = \"pi/3\" }",
            "[0, 0, 0, 0]",
            "13:15: the quaternion of `orientation` is zero",
        ),
        ("{ axis = [1, 2, 3], angle = \"pi/3\" }", "[1, 0, 0]", "13:15: `orientation` must be a list of 4"),
        (
            "{ axis = [1, 2, 3], angle = \"pi/3\" }",
            "[1, 0, inf, 0]",
            "13:22: `orientation` must be a finite number",
        ),
        ("[1, 2, 3], angle", "[0, 0, 0], angle", "13:24: the `axis` of `orientation` is zero"),
        (", angle = \"pi/3\"", "", "13:15: `orientation` has no `angle`"),
        ("velocity = [0, 0.2, 0]", "velocity = [0, 0.2]", "14:12: `velocity` must be a list of 3 numbers"),
        ("mass = 1.5", "fixed = true", "14:1: `velocity` besides `fixed = true`"),
        ("k*z + R11*R32", "k*z + R14", "16:20: unknown name `R14`"),
        ("k*z + R11*R32", "k*z + w1", "16:20: unknown name `w1`"),
        ("k*z + R11*R32", "sqrt(-1 - z^2)", "16:13: the body cannot start"),
        ("\"euler-poincare\"", "\"verlet\"", "4:14: `verlet` does not move a rigid body"),
        ("\"euler-poincare\"", "\"moser-veselof\"", "4:14: unknown integrator `moser-veselof`"),
        (
            "\"euler-poincare\"",
            "{ method = \"euler-poincare\", order = 3 }",
            "`order` must be 2, 4, 6 or 8, found 3",
        ),
        (
            "\"euler-poincare\"",
            "\"euler-poincare\"\nobserve = [\"symplectic\"]",
            "5:12: `symplectic` observes systems",
        ),
        (
            "\"euler-poincare\"",
            "\"euler-poincare\"\nmesh = \"a.msh\"",
            "10:2: `body` besides `mesh`: a scenario has one system",
        ),
        (
            "\"euler-poincare\"",
            "\"euler-poincare\"\nsymmetry = { a = 1 }",
            "5:1: `symmetry` is no key of a rigid body",
        ),
        ("k = 2.0", "k = 2.0\nR11 = 1", "8:1: the parameter `R11` has the name of"),
        ("spin = ", "casimir = ", "19:1: the probe `casimir` has the name of"),
        ("step = 0.05", "step = 0.05\nclaim = \"momentum.axis_3.final < 1\"", "a claim about nothing"),
    ];
    for (from, to, expected) in cases {
        assert!(BODY.contains(from), "{from}");
        let text = BODY.replacen(from, to, 1);
        let error = Scenario::read("a.toml", &text, &[]).and_then(|s| check(&s)).expect_err(to).to_string();
        assert!(error.contains(expected), "{to}: expected {expected}, found\n{error}");
    }
    let formula = "coordinates = [\"x\"]\nlagrangian = \"vx^2\"\nstep = 1\nend = 2\nintegrator = \"moser-veselov\"\ninitial = { position = [0], velocity = [0] }";
    let error = Scenario::read("a.toml", formula, &[]).and_then(|s| check(&s)).unwrap_err().to_string();
    assert!(error.contains("5:14: `moser-veselov` does not move a system given by formulas"), "{error}");
}

#[test]
fn a_turn_too_large_for_moser_and_veselov_stops_the_run_and_is_written() {
    let sets = set(&[("integrator", "moser-veselov"), ("body.angular_velocity", "[0, 0, 40]")]);
    let scenario = Scenario::read("a.toml", BODY, &sets).unwrap();
    let (outcome, series) = run_all(&scenario, "stops");
    assert!(outcome.stopped.is_some() && outcome.summary["finished"] == false, "{:?}", outcome.summary);
    assert_eq!(series.lines().count(), 2, "the start is written");
}

fn page(name: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src").join(name)).unwrap()
}

/// First cells of the table under a heading.
fn documented(page: &str, heading: &str) -> BTreeSet<String> {
    let lines = page.lines().skip_while(|l| *l != heading).skip(1).take_while(|l| !l.starts_with("## "));
    let rows = lines.skip_while(|l| !l.starts_with("|---")).skip(1).take_while(|l| l.starts_with('|'));
    rows.map(|l| l.split('|').nth(1).unwrap().trim().trim_matches('`').to_string()).collect()
}

#[test]
fn every_column_and_key_of_the_results_of_a_body_is_documented() {
    let scenario = Scenario::read("a.toml", BODY, &[]).unwrap();
    let top =
        Scenario::read("heavy-top", shipped::find("heavy-top").unwrap().text, &set(&[("end", "1")])).unwrap();
    let (mut columns, mut keys) = (BTreeSet::new(), BTreeSet::new());
    for (tag, scenario) in [("columns", &scenario), ("columns-top", &top)] {
        let (outcome, series) = run_all(scenario, tag);
        let probe = |name: &str| scenario.rigid_body().unwrap().probes.iter().any(|(n, _)| n == name);
        let head = series.lines().next().unwrap().split(',');
        columns.extend(head.map(|c| if probe(c) { "<probe>".to_string() } else { c.to_string() }));
        for section in ["body", "casimir"] {
            let Value::Object(map) = &outcome.summary[section] else { panic!("{section}") };
            keys.extend(map.keys().map(|k| format!("{section}.{k}")));
        }
        assert!(outcome.summary["momentum"]["angular_z"]["invariance_error"].is_number());
    }
    assert_eq!(documented(&page("results.md"), "## Columns of bodies"), columns);
    assert_eq!(documented(&page("results.md"), "## Summary of bodies"), keys);
}
