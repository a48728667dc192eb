//! Loads on the curved sides of quadratic elements: laws of the integrals, and orders of convergence to the true boundary.

use super::shells::{INNER, OUTER, ring, shell};
use stationary::mesh::Mesh;
use stationary_app::run::SolidSimulation;
use stationary_app::scenario::{Given, Scenario};
use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::ControlFlow;
use std::sync::Arc;

const STEP: f64 = 1.0 / 131_072.0;
const END: f64 = 16.0 * STEP;
const THICKNESS: f64 = 0.5;

/// Small against the stiffness: the body keeps its shape while it is pushed.
const SOFT: &str = "law = \"neo-hookean\"\nlambda = 1e3\nmu = 1e3\ndensity = 1000\nthickness = 0.5";

fn simulation(mesh: Mesh, rest: &str) -> SolidSimulation {
    let text = format!(
        "mesh = \"given\"\nend = {END:?}\nintegrator = {{ method = \"avi\", step = {STEP:?} }}\n[material.stuff]\n{SOFT}\n{rest}"
    );
    let mut scenario = Scenario::read("load.toml", &text, &[]).unwrap_or_else(|e| panic!("{e}"));
    scenario.given = Given { mesh: Some(Arc::new(mesh)), state: None };
    SolidSimulation::new(scenario).unwrap_or_else(|e| panic!("{e}"))
}

/// The total force and moment of a load: what a free body gains in momentum over the time.
fn force(mesh: Mesh, load: &str) -> [[f64; 3]; 2] {
    let mut body = simulation(mesh, &format!("[load.push]\n{load}\n"));
    assert!(body.advance(END, &mut |_| ControlFlow::Continue(())).unwrap().is_continue());
    let view = body.look().unwrap();
    [view.linear.map(|p| p / END), view.angular.map(|p| p / END)]
}

/// The orders at which errors fall when the size of the elements is halved.
fn slopes(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|pair| (pair[0] / pair[1]).log2()).collect()
}

/// Straight chords are 13 % short on two edges of 45 degrees, if the elements' areas are those of their corners too.
#[test]
fn traction_on_an_arc_has_its_length_to_fourth_order() {
    let expected = FRAC_PI_2 * INNER * THICKNESS;
    let errors = [1, 2, 4, 8].map(|n| {
        let [found, _] = force(ring(n, 2), "group = \"inner\"\ntraction = [3, -2]");
        assert!((found[0] / 3.0 + found[1] / 2.0).abs() < 1e-12, "{found:?}");
        (found[0] / 3.0 / expected - 1.0).abs()
    });
    assert!(errors[1] < 1e-3, "{errors:?}");
    assert!(slopes(&errors[1..]).iter().all(|s| *s > 3.5), "{errors:?}");
}

#[test]
fn traction_on_a_spherical_patch_has_its_area_to_fourth_order() {
    // A sixth of the sphere.
    let expected = 4.0 * PI / 6.0 * INNER * INNER;
    let errors = [2, 4, 8].map(|n| {
        let [found, _] = force(shell(n), "group = \"inner\"\ntraction = [0, 2, 0]");
        (found[1] / 2.0 / expected - 1.0).abs()
    });
    assert!(errors[0] < 1e-2, "{errors:?}");
    assert!(slopes(&errors).iter().all(|s| *s > 3.5), "{errors:?}");
}

/// The integral of the normal along a curve depends on its ends alone: a uniform pressure on an arc is exact however coarse.
#[test]
fn uniform_pressure_on_an_arc_is_that_on_its_projections() {
    for n in [1, 2, 5] {
        let [found, _] = force(ring(n, 2), "group = \"inner\"\npressure = 1e-3");
        for x in &found[..2] {
            assert!((x / (1e-3 * INNER * THICKNESS) - 1.0).abs() < 1e-6, "{n}: {found:?}");
        }
    }
}

#[test]
fn pressure_that_varies_along_an_arc_converges_to_fourth_order() {
    let (along, across) = (PI / 4.0 * INNER * THICKNESS, 0.5 * INNER * THICKNESS);
    let errors = [2, 4, 8].map(|n| {
        let load = format!("group = \"inner\"\npressure = \"1e-5*X/{INNER}\"");
        let [found, _] = force(ring(n, 2), &load);
        (found[0] * 1e5 / along - 1.0).abs().max((found[1] * 1e5 / across - 1.0).abs())
    });
    assert!(errors[0] < 1e-2, "{errors:?}");
    assert!(slopes(&errors).iter().all(|s| *s > 3.5), "{errors:?}");
}

/// Archimedes' law, of curved elements to rounding: `p = c - g Y` around a body of volume V pushes it up by `g V`, and through the centre of
/// what it displaces. The uniform part has neither force nor moment.
#[test]
fn a_body_in_a_fluid_is_carried_by_what_it_displaces() {
    for mesh in [ring(2, 1), ring(3, 2), shell(2), shell(3)] {
        let dimension = mesh.dimension();
        let [uniform, turn] = force(mesh.clone(), "group = \"all\"\npressure = 1e-3");
        let [lift, _] = force(mesh.clone(), "group = \"all\"\npressure = \"1e-5*(1 - 10*Y)\"");
        let weight = force(mesh, "acceleration = [0, 1e-7, 0]");
        let (volume, about) = (weight[0][1] / 1e-4, weight[1]);
        let size = OUTER * OUTER * 1e-3;
        for i in 0..3 {
            assert!(uniform[i].abs() < 1e-9 * size, "{dimension}: {uniform:?}");
            assert!(turn[i].abs() < 1e-9 * size * OUTER, "{dimension}: {turn:?}");
        }
        assert!((lift[1] / (1e-4 * volume) - 1.0).abs() < 1e-6, "{dimension}: {lift:?} {volume}");
        assert!(lift[0].abs() + lift[2].abs() < 1e-6 * lift[1], "{dimension}: {lift:?} {about:?}");
    }
}

/// The patch test with curved sides: a ring under the stress of a uniform dilation, and the pressure that belongs to it on all its
/// sides, stays at rest.
#[test]
fn a_dilated_ring_under_its_own_pressure_stays_at_rest() {
    const E: f64 = 1e-3;
    // The linear law has P = 2 (lambda + mu) e in the plane; the current sides are longer by 1 + e.
    let pressure = -2.0 * (1e3 + 1e3) * E / (1.0 + E);
    let fastest = |pressure: f64| {
        let load = format!(
            "[load.push]\ngroup = \"all\"\npressure = {pressure:?}\n[initial]\ndisplacement = [\"{E}*X\", \"{E}*Y\"]\n"
        );
        let text = format!(
            "mesh = \"given\"\nend = {END:?}\nintegrator = {{ method = \"avi\", step = {STEP:?} }}\n[material.stuff]\n{}\n{load}",
            SOFT.replace("neo-hookean", "linear")
        );
        let mut scenario = Scenario::read("patch.toml", &text, &[]).unwrap();
        scenario.given = Given { mesh: Some(Arc::new(ring(3, 2))), state: None };
        let mut body = SolidSimulation::new(scenario).unwrap();
        assert!(body.advance(END, &mut |_| ControlFlow::Continue(())).unwrap().is_continue());
        body.look().unwrap().v.iter().flatten().fold(0.0, |most: f64, v| most.max(v.abs()))
    };
    let (with, without) = (fastest(pressure), fastest(0.0));
    assert!(with < 1e-9 * without, "{with} {without}");
}

/// A thick pipe under pressure from inside [Lame], found as the state in which heavy damping ends. Its energy, half of what the pressure
/// would do at once, is what quadratic elements have to the fourth order; a single node of the wall is not.
#[test]
fn a_pressed_pipe_has_the_energy_of_lame_by_slope() {
    let (nu, p) = (0.3, 1e-6);
    let wall = p * INNER.powi(2) / (OUTER.powi(2) - INNER.powi(2))
        * (1.0 + nu)
        * ((1.0 - 2.0 * nu) * INNER + OUTER.powi(2) / INNER);
    let expected = 0.5 * p * FRAC_PI_2 * INNER * wall;
    let errors = [1, 2, 4].map(|n| {
        let text = format!(
            "mesh = \"given\"\nend = 600\nstep = 10\nintegrator = {{ method = \"newmark\", beta = 0.5, gamma = 0.9 }}\n\
             [material.stuff]\nlaw = \"linear\"\nyoung = 1\npoisson = {nu}\ndensity = 1\n\
             [support.x]\ngroup = \"left\"\nx = 0\n[support.y]\ngroup = \"below\"\ny = 0\n\
             [load.gas]\ngroup = \"inner\"\npressure = {p:?}\n"
        );
        let mut scenario = Scenario::read("pipe.toml", &text, &[]).unwrap_or_else(|e| panic!("{e}"));
        scenario.given = Given { mesh: Some(Arc::new(ring(2 * n, n))), state: None };
        let mut pipe = SolidSimulation::new(scenario).unwrap();
        assert!(pipe.advance(600.0, &mut |_| ControlFlow::Continue(())).unwrap().is_continue());
        let view = pipe.look().unwrap();
        let inner = view.x.iter().zip(pipe.points()).find(|(_, p)| *p == [INNER, 0.0, 0.0]).unwrap();
        let moved = (inner.0[0] - INNER) / wall - 1.0;
        assert!(moved.abs() < 2e-2, "{n}: {moved}");
        (view.potential / expected - 1.0).abs()
    });
    assert!(errors[0] < 1e-2 && errors[2] < 1e-4, "{errors:?}");
    assert!(slopes(&errors).iter().all(|s| *s > 2.8), "{errors:?}");
}
