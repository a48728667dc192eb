//! Static equilibrium, from the text of a scenario to the numbers: closed forms and published values.

mod meshes;
mod motion;

use meshes::{C3D8, C3D20, CPS4, CPS8, grid, grid_of_tet10, truss};
use serde_json::Value;
use stationary::mesh::Mesh;
use stationary_app::run::{RunOutcome, gather, measure};
use stationary_app::scenario::{Given, Scenario};
use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::ControlFlow;
use std::sync::Arc;

pub fn scenario(mesh: Mesh, text: &str) -> Scenario {
    let mut scenario = Scenario::read("given.toml", &format!("mesh = \"given\"\n{text}"), &[])
        .unwrap_or_else(|e| panic!("{e}"));
    scenario.given = Given { mesh: Some(Arc::new(mesh)), state: None };
    scenario
}

pub fn outcome(mesh: Mesh, text: &str) -> RunOutcome {
    gather(&scenario(mesh, text), None, false, &mut |_| ControlFlow::Continue(()))
        .unwrap_or_else(|e| panic!("{e}"))
}

/// A column of the series.
pub fn column(run: &RunOutcome, name: &str) -> Vec<f64> {
    let series = run.in_memory.series.as_ref().unwrap();
    let at = series.columns.iter().position(|column| column == name).unwrap_or_else(|| panic!("no {name}"));
    series.numbers.iter().skip(at).step_by(series.columns.len()).copied().collect()
}

/// The summary of a static solution that reached its end and balances loads and reactions.
pub fn solved(mesh: Mesh, text: &str) -> Value {
    let outcome = outcome(mesh, &format!("integrator = \"static\"\nend = 1\n{text}"));
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    let summary = outcome.summary;
    let numbers =
        |v: &Value| -> Vec<f64> { v.as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect() };
    let mut sum = numbers(&summary["statics"]["load"]);
    let mut size = sum.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for force in summary["reaction"].as_object().unwrap().values() {
        for (s, f) in sum.iter_mut().zip(numbers(force)) {
            *s += f;
            size = size.max(f.abs());
        }
    }
    // Rings push their neighbours along the radius, and themselves.
    let axes = if text.contains("axisymmetric") { 1..2 } else { 0..3 };
    assert!(sum[axes].iter().all(|s| s.abs() <= 1e-7 * size), "reactions and loads: {sum:?} of {size}");
    assert!(number(&summary, "/statics/residual/max") <= 1e-9);
    summary
}

pub fn number(summary: &Value, path: &str) -> f64 {
    summary.pointer(path).and_then(Value::as_f64).unwrap_or_else(|| panic!("no {path}: {summary:#}"))
}

fn probe(summary: &Value, name: &str) -> f64 {
    number(summary, &format!("/probe/{name}/final"))
}

fn close(what: &str, found: f64, expected: f64, tolerance: f64) {
    assert!((found / expected - 1.0).abs() <= tolerance, "{what}: {found}, expected {expected}");
}

/// The tip of a cantilever of 10 by 1 by 1 under its weight, over the deflection of Timoshenko's beam with Cowper's shear coefficient. Without lateral
/// strain a clamp is that of a beam.
fn sag(mesh: Mesh) -> f64 {
    let (young, weight, length) = (1e9, 1e3, 10.0_f64);
    let summary = solved(
        mesh,
        "output = { rows = 1, frames = 0 }\n[material.m]\nlaw = \"linear\"\nyoung = 1e9\npoisson = 0\ndensity = 1\n[support.wall]\n\
         group = \"x0\"\nfixed = true\n[load.weight]\nbody = [0, -1e3, 0]\n[probe.tip]\nat = [10, 0.5, 0.5]\nvalue = \"y - Y\"\n",
    );
    let shear = young / 2.0 * 10.0 / 12.0;
    let expected = weight * length.powi(4) / (8.0 * young / 12.0) + weight * length.powi(2) / (2.0 * shear);
    -probe(&summary, "tip") / expected
}

#[test]
fn cantilevers_sag_like_timoshenkos_beam() {
    let beam = |[x, y, z]: [f64; 3]| [10.0 * x, y, z];
    let fine = sag(grid(&C3D20, [10, 2, 2], beam));
    close("hex20", fine, 1.0, 0.01);
    close("tet10", sag(grid_of_tet10([10, 2, 2], beam)), 1.0, 0.01);
    let errors = [1, 2, 4].map(|n| (sag(grid(&C3D8, [10 * n, n, n], beam)) - fine).abs());
    assert!(
        errors[2] < 0.02 && errors[0] / errors[1] > 2.0 && errors[1] / errors[2] > 2.5,
        "hex8: {errors:?}"
    );
}

/// Cook's membrane: the deflection of the middle of the loaded side is 23.96 for E = 1, a shear of 1, plane stress, nu = 1/3.
#[test]
fn cooks_membrane_deflects_as_published() {
    let cook = |[s, t, _]: [f64; 3]| [48.0 * s, 44.0 * s + t * (44.0 - 28.0 * s), 0.0];
    let text = "output = { rows = 1, frames = 0 }\n[material.m]\nlaw = \"linear\"\nyoung = 1000\npoisson = \"1/3\"\ndensity = 1\nplane = \"stress\"\n\
                [support.wall]\ngroup = \"x0\"\nfixed = true\n[load.shear]\ngroup = \"side-x1\"\ntraction = [0, \"t/16\"]\n[probe.tip]\n\
                at = [48, 52]\nvalue = \"y - Y\"\n";
    close("quad8", probe(&solved(grid(&CPS8, [16, 16, 0], cook), text), "tip"), 0.02396, 0.004);
    let errors = [8, 16, 32]
        .map(|n| (probe(&solved(grid(&CPS4, [n, n, 0], cook), text), "tip") / 0.02396 - 1.0).abs());
    assert!(
        errors[2] < 0.01 && errors[0] > 2.0 * errors[1] && errors[1] > 2.0 * errors[2],
        "quad4: {errors:?}"
    );
}

/// Pressure inside of a thick tube (plane strain) and a thick sphere, outer radius twice the inner one: errors of second order.
#[test]
fn thick_tubes_and_spheres_widen_as_lame_found() {
    let (pressure, young, nu) = (1e-6, 1.0, 0.3);
    let material = "output = { rows = 1, frames = 0 }\n[material.m]\nlaw = \"linear\"\nyoung = 1\npoisson = 0.3\ndensity = 1\nplane = \"axisymmetric\"\n\
                    [load.p]\ngroup = \"side-x0\"\npressure = 1e-6\n[probe.u]\nat = [1, 0]\nvalue = \"x - X\"\n";
    let tube = |n: usize| {
        let mesh = grid(&CPS4, [n, 2, 0], |[r, y, _]| [1.0 + r, 0.5 * y, 0.0]);
        let held = "[support.a]\ngroup = \"y0\"\ny = 0\n[support.b]\ngroup = \"y1\"\ny = 0\n";
        probe(&solved(mesh, &format!("{material}{held}")), "u")
    };
    let sphere = |n: usize| {
        let mesh = grid(&CPS4, [n, 2 * n, 0], |[r, a, _]| {
            let (r, a) = (1.0 + r, FRAC_PI_2 * a);
            [if a == FRAC_PI_2 { 0.0 } else { r * a.cos() }, r * a.sin(), 0.0]
        });
        let held = "[support.a]\ngroup = \"y0\"\ny = 0\n[support.b]\ngroup = \"y1\"\nx = 0\n";
        probe(&solved(mesh, &format!("{material}{held}")), "u")
    };
    let in_tube = (1.0 + nu) / young * pressure / 3.0 * ((1.0 - 2.0 * nu) + 4.0);
    let in_sphere = pressure / (7.0 * young) * ((1.0 - 2.0 * nu) + (1.0 + nu) * 4.0);
    for (name, found, expected) in
        [("tube", [4, 8, 16].map(tube), in_tube), ("sphere", [4, 8, 16].map(sphere), in_sphere)]
    {
        let errors = found.map(|u| (u / expected - 1.0).abs());
        assert!(
            errors[2] < 0.01 && errors[0] > 3.3 * errors[1] && errors[1] > 3.3 * errors[2],
            "{name}: {errors:?}"
        );
    }
}

/// The stress at the edge of a small hole in a plate under tension is three times that far away: from the strain along the free edge, where the
/// displacement is odd.
#[test]
fn holes_triple_the_stress() {
    let (n, wide) = (12_usize, 20.0_f64);
    // From the hole, radius one, to a circle of radius 20, a quarter, with growing cells.
    let mesh = grid(&CPS8, [20, n, 0], |[s, a, _]| {
        let (r, a) = (wide.powf(s), FRAC_PI_2 * a);
        let tidy = |x: f64| if x.abs() < 1e-14 * r { 0.0 } else { x };
        [tidy(r * a.cos()), tidy(r * a.sin()), 0.0]
    });
    let angle = FRAC_PI_2 / (2 * n) as f64;
    let at = |k: f64| format!("at = [{:?}, {:?}]\nvalue = \"x - X\"\n", (k * angle).sin(), (k * angle).cos());
    let text = format!(
        "output = {{ rows = 1, frames = 0 }}\n[material.m]\nlaw = \"linear\"\nyoung = 1\npoisson = 0.3\ndensity = 1\nplane = \"stress\"\n\
         [support.a]\ngroup = \"y0\"\ny = 0\n[support.b]\ngroup = \"y1\"\nx = 0\n[load.pull]\ngroup = \"side-x1\"\n\
         traction = [\"1e-6*X/sqrt(X^2 + Y^2)\", 0]\n[probe.one]\n{}[probe.two]\n{}",
        at(1.0),
        at(2.0)
    );
    let summary = solved(mesh, &text);
    let strain = (8.0 * probe(&summary, "one") - probe(&summary, "two")) / (6.0 * angle);
    close("edge stress", strain / 1e-6, 3.0, 0.03);
}

/// Bisshopp and Drucker: the end of a slender cantilever under a force P with P L^2/(E I) = 1 and 5 comes down by 0.30172 and 0.71379 of its length
/// and in by 0.05643 and 0.38763.
#[test]
fn slender_cantilevers_bend_as_bisshopp_and_drucker_found() {
    let (length, depth) = (1.0, 0.01);
    let stiffness = depth_cubed(depth) / 12.0;
    let mesh = grid(&CPS8, [40, 1, 0], |[x, y, _]| [length * x, depth * (y - 0.5), 0.0]);
    let text = format!(
        "output = {{ rows = 5, frames = 0 }}\n[material.m]\nlaw = \"st-venant-kirchhoff\"\nyoung = 1\npoisson = 0\ndensity = 1\nplane = \"stress\"\n\
         [support.wall]\ngroup = \"x0\"\nfixed = true\n[load.end]\ngroup = \"side-x1\"\ntraction = [0, \"-t*{:?}\"]\n\
         [probe.down]\nat = [1, 0]\nvalue = \"Y - y\"\n[probe.in]\nat = [1, 0]\nvalue = \"X - x\"\n",
        5.0 * stiffness / depth
    );
    let run = outcome(mesh, &format!("integrator = \"static\"\nend = 1\n{text}"));
    assert!(run.stopped.is_none(), "{:?}", run.stopped);
    let summary = &run.summary;
    close("down", probe(summary, "down"), 0.71379, 0.005);
    close("in", probe(summary, "in"), 0.38763, 0.005);
    // The first of five rows has P = 1.
    close("down at P = 1", column(&run, "down")[1], 0.30172, 0.005);
    close("in at P = 1", column(&run, "in")[1], 0.05643, 0.01);
    // Trapezoids over five steps of a nonlinear path.
    assert!(number(summary, "/statics/work_mismatch") < 0.05);
}

fn depth_cubed(depth: f64) -> f64 {
    depth * depth * depth
}

const TRUSS: &str = "[material.m]\nlaw = \"bar\"\narea = 1\nyoung = 1e3\ndensity = 1\n[support.feet]\ngroup = \"feet\"\nfixed = true\n";

/// The force on the apex of two bars, at a height.
fn truss_force(y: f64) -> f64 {
    let natural = 10.0_f64.hypot(1.0);
    let now = 10.0_f64.hypot(y);
    2.0 * 1e3 * (natural - now) / natural * y / now
}

#[test]
fn shallow_trusses_snap_under_displacement_control_and_stop_at_the_limit_under_a_load() {
    let text = format!(
        "integrator = \"static\"\nend = 1\noutput = {{ rows = 20 }}\n{TRUSS}[support.apex]\ngroup = \"apex\"\nx = 0\ny = \"-2.4*t\"\nz = 0\n\
         [probe.height]\nat = [10, 1, 0]\nvalue = \"y\"\n"
    );
    let run = outcome(truss(10.0, 1.0), &text);
    assert!(run.stopped.is_none(), "{:?}", run.stopped);
    close("reaction", -run.summary["reaction"]["apex"][1].as_f64().unwrap(), truss_force(-1.4), 1e-9);
    // The limit load, at l = (natural b^2)^(1/3).
    let most = (0..100_000).map(|k| truss_force(f64::from(k) * 1e-5)).fold(0.0, f64::max);
    let text = format!(
        "integrator = \"static\"\nend = 2\noutput = {{ rows = 4 }}\n{TRUSS}[support.apex]\ngroup = \"apex\"\nx = 0\nz = 0\n\
         [load.push]\ngroup = \"apex\"\nforce = [0, \"-t*{most:?}\", 0]\n"
    );
    let run = outcome(truss(10.0, 1.0), &text);
    let stopped = run.stopped.expect("the load goes beyond the limit");
    assert!((stopped.time - 1.0).abs() < 2e-3, "{stopped}");
    let words = stopped.to_string();
    assert!(words.contains("loses its stability") && words.contains("displacement control"), "{words}");
    assert!(run.summary["rows"].as_u64().unwrap() >= 2, "the rows before the limit are kept");
}

/// A clamped arch of quadrilaterals under a growing weight.
#[test]
fn arches_under_dead_loads_stop_at_their_limit_point() {
    let arch = || {
        grid(&CPS8, [16, 1, 0], |[s, t, _]| {
            let angle = PI / 12.0 * (1.0 - 2.0 * s);
            let radius = 10.0 + 0.05 * (0.5 - t);
            [-radius * angle.sin(), radius * angle.cos() - 10.0, 0.0]
        })
    };
    let material = "[material.m]\nlaw = \"st-venant-kirchhoff\"\nyoung = 1e6\npoisson = 0.3\ndensity = 1\nplane = \"stress\"\n[support.a]\n\
                    group = \"x0\"\nfixed = true\n[support.b]\ngroup = \"x1\"\nfixed = true\n";
    let text = format!(
        "integrator = \"static\"\nend = 1\noutput = {{ rows = 30 }}\n{material}[load.push]\nacceleration = [0, \"-300*t\"]\n"
    );
    let run = outcome(arch(), &text);
    let stopped = run.stopped.expect("the arch snaps through");
    assert!(stopped.to_string().contains("load factor"), "{stopped}");
    assert!(stopped.time > 0.01 && stopped.time < 0.99, "{stopped}");
}

/// A cube of metal is pulled: the force is the Kirchhoff stress over the stretch, and the work is stored and dissipated.
#[test]
fn plastic_bars_carry_their_yield_stress() {
    let mesh = grid(&C3D8, [1, 1, 1], |s| s);
    let text = "output = { rows = 200, frames = 0 }\n[material.m]\nlaw = \"j2\"\nyoung = 1000\npoisson = 0.3\ndensity = 1\nyield = 10\nhardening = 50\n\
                [support.a]\ngroup = \"x0\"\nx = 0\n[support.b]\ngroup = \"y0\"\ny = 0\n[support.c]\ngroup = \"z0\"\nz = 0\n[support.pull]\n\
                group = \"x1\"\nx = \"0.1*t\"\n";
    let summary = solved(mesh, text);
    let strain = 1.1_f64.ln();
    let stress = 10.0 + 50.0 * (strain - 10.0 / 1000.0) / (1.0 + 50.0 / 1000.0);
    close("force", summary["reaction"]["pull"][0].as_f64().unwrap(), stress / 1.1, 1e-6);
    assert!(number(&summary, "/statics/dissipated") > 0.5);
    assert!(number(&summary, "/statics/work_mismatch") < 1e-3, "{summary:#}");
}

/// Pressure that follows the surface of a cantilever: the tangent is not symmetric.
#[test]
fn follower_pressure_is_balanced() {
    let mesh = grid(&CPS8, [20, 1, 0], |[x, y, _]| [10.0 * x, 0.5 * y, 0.0]);
    let text = "output = { rows = 4, frames = 0 }\n[material.m]\nlaw = \"neo-hookean\"\nyoung = 1e5\npoisson = 0.3\ndensity = 1\n[support.wall]\ngroup = \"x0\"\n\
                fixed = true\n[load.p]\ngroup = \"side-y1\"\npressure = \"3*t\"\n[probe.tip]\nat = [10, 0]\nvalue = \"y - Y\"\n";
    let summary = solved(mesh, text);
    assert!(probe(&summary, "tip") < -1.5, "{summary:#}");
    assert!(number(&summary, "/statics/iterations") < 60.0, "{summary:#}");
}

#[test]
fn bodies_that_are_not_held_are_refused_by_name() {
    let refused = |supports: &str| {
        let mesh = grid(&C3D8, [2, 1, 1], |s| s);
        let text = format!(
            "integrator = \"static\"\nend = 1\n[material.m]\nlaw = \"linear\"\nyoung = 1\npoisson = 0.3\ndensity = 1\n{supports}"
        );
        measure(&scenario(mesh, &text), &mut |_| ControlFlow::Continue(())).unwrap_err().to_string()
    };
    let words = refused("");
    for motion in
        ["translation along x", "translation along y", "translation along z", "along x", "along y", "along z"]
    {
        assert!(words.contains(motion), "{words}");
    }
    let words = refused("[support.a]\ngroup = \"x0\"\nx = 0\n");
    assert!(words.contains("translation along y") && !words.contains("translation along x"), "{words}");
    assert!(
        words.contains("rotation about the axis through (0, 0.5, 0.5) along x") || words.contains("along x"),
        "{words}"
    );
    assert!(words.contains("add supports"), "{words}");
}
