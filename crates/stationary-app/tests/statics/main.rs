//! Static equilibrium, from the text of a scenario to the numbers: closed forms and published values.

mod meshes;
mod motion;

use meshes::{C3D8, CPS4, CPS8, grid};
use serde_json::Value;
use stationary::mesh::Mesh;
use stationary_app::run::{RunOutcome, measure};
use stationary_app::scenario::{Given, Scenario};
use std::f64::consts::FRAC_PI_2;
use std::ops::ControlFlow;
use std::sync::Arc;

pub fn scenario(mesh: Mesh, text: &str) -> Scenario {
    let mut scenario = Scenario::read("given.toml", &format!("mesh = \"given\"\n{text}"), &[])
        .unwrap_or_else(|e| panic!("{e}"));
    scenario.given = Given { mesh: Some(Arc::new(mesh)), state: None };
    scenario
}

pub fn outcome(mesh: Mesh, text: &str) -> RunOutcome {
    measure(&scenario(mesh, text), &mut |_| ControlFlow::Continue(())).unwrap_or_else(|e| panic!("{e}"))
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
