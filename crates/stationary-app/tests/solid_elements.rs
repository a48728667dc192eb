//! Scenarios of hexahedra, of bodies of revolution and of cables, from the text to the motion.

use stationary::mesh::Mesh;
use stationary_app::run::SolidSimulation;
use stationary_app::scenario::{Given, Scenario};
use std::f64::consts::PI;
use std::ops::ControlFlow;
use std::sync::Arc;

const LENGTH: f64 = 8.0;
const CELLS: [usize; 3] = [20, 2, 2];

/// A cantilever of hexahedra, a unit square in section, shorter towards the clamp: neighbours along it differ in their steps.
fn cantilever() -> Mesh {
    let count = CELLS.map(|n| n + 1);
    let (mut points, mut nodes) = (Vec::new(), Vec::new());
    for n in 0..count.iter().product() {
        let at = [n % count[0], n / count[0] % count[1], n / count[0] / count[1]];
        let s = at[0] as f64 / CELLS[0] as f64;
        points.push([LENGTH * (0.3 * s + 0.7 * s * s), at[1] as f64 / 2.0, at[2] as f64 / 2.0]);
    }
    let id = |i: usize, j: usize, k: usize| (i + count[0] * (j + count[1] * k)) as u32;
    for cell in 0..CELLS.iter().product() {
        let [i, j, k] = [cell % CELLS[0], cell / CELLS[0] % CELLS[1], cell / CELLS[0] / CELLS[1]];
        for [a, b, c] in
            [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]
        {
            nodes.push(id(i + a, j + b, k + c));
        }
    }
    let clamped: Vec<u32> = (0..points.len() as u32).filter(|a| points[*a as usize][0] == 0.0).collect();
    mesh_of("C3D8", 8, &points, &nodes, ("clamped", &clamped))
}

/// An Abaqus file of these elements, with a set of nodes, as read.
fn mesh_of(
    element: &str,
    each: usize,
    points: &[[f64; 3]],
    nodes: &[u32],
    (group, members): (&str, &[u32]),
) -> Mesh {
    let list = |of: &[u32]| of.iter().map(|a| (a + 1).to_string()).collect::<Vec<_>>().join(", ");
    let mut text = String::from("*NODE\n");
    for (a, [x, y, z]) in points.iter().enumerate() {
        text += &format!("{}, {x:?}, {y:?}, {z:?}\n", a + 1);
    }
    text += &format!("*ELEMENT, TYPE={element}\n");
    for (k, element) in nodes.chunks_exact(each).enumerate() {
        text += &format!("{}, {}\n", k + 1, list(element));
    }
    text += &format!("*NSET, NSET={group}\n");
    members.chunks(8).for_each(|some| text += &format!("{}\n", list(some)));
    Mesh::read("given.inp", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn simulation(mesh: Mesh, text: &str) -> SolidSimulation {
    let mut scenario = Scenario::read("given.toml", text, &[]).unwrap_or_else(|e| panic!("{e}"));
    scenario.given = Given { mesh: Some(Arc::new(mesh)), state: None };
    SolidSimulation::new(scenario).unwrap_or_else(|e| panic!("{e}"))
}

/// The time at which the tip comes back, half a period after it was sent up, and the worst error of the energy.
fn half_period(integrator: &str) -> (f64, f64, usize) {
    let text = format!(
        "mesh = \"given\"\nend = 10\nintegrator = {integrator}\n[material.rubber]\nlaw = \"neo-hookean\"\nyoung = 1e6\npoisson = 0.3\n\
         density = 1000\n[support.wall]\ngroup = \"clamped\"\nfixed = true\n[initial]\nvelocity = [0, \"0.01*(X/8)^2\", 0]\n"
    );
    let mut body = simulation(cantilever(), &text);
    let tip = CELLS[0];
    let rest = body.points()[tip][1];
    let first = body.look().unwrap();
    let energy = first.kinetic + first.potential;
    let mut steps = body.steps();
    steps.sort_by(f64::total_cmp);
    steps.dedup();
    let (mut before, mut worst): (f64, f64) = (0.0, 0.0);
    for row in 1..500 {
        let t = 0.02 * f64::from(row);
        assert!(body.advance(t, &mut |_| ControlFlow::Continue(())).unwrap().is_continue());
        let view = body.look().unwrap();
        worst = worst.max(((view.kinetic + view.potential) / energy - 1.0).abs());
        let now = view.x[tip][1] - rest;
        if row > 50 && now <= 0.0 {
            return (t - 0.02 * now / (now - before), worst, steps.len());
        }
        before = now;
    }
    panic!("the tip does not come back")
}

/// The first frequency of a cantilever of Euler and Bernoulli is `1.8751^2 sqrt(E I/(rho A))/L^2`; shear and the inertia of rotation
/// lower it by some percent at this slenderness.
#[test]
fn cantilever_of_hexahedra_swings_with_the_period_of_a_beam() {
    let expected = PI * LENGTH * LENGTH / (1.875_104_f64.powi(2) * (1e6_f64 / 1e3 / 12.0).sqrt());
    let (newmark, energy, _) = half_period("\"newmark\"");
    println!("newmark: {newmark:.4}, beam {expected:.4}, energy {energy:e}");
    assert!((newmark / expected - 1.0).abs() < 0.05 && energy < 1e-2, "{newmark} {expected} {energy}");
    let (avi, energy, levels) = half_period("\"avi\"");
    println!("avi: {avi:.4}, energy {energy:e}, {levels} steps");
    assert!((avi / newmark - 1.0).abs() < 2e-3 && energy < 1e-2, "{avi} {newmark} {energy}");
    assert!(levels > 1, "{levels}");
}

/// A disc of four-node rings in a spin of none: sent outwards as a whole along its axis, it flies; its mass is that of the whole body.
#[test]
fn body_of_revolution_has_the_mass_of_its_rings_and_flies_along_its_axis() {
    let points = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
        [2.0, 1.0, 0.0],
    ];
    let mesh = mesh_of("CAX4", 4, &points, &[0, 1, 4, 3, 1, 2, 5, 4], ("axis", &[0, 3]));
    let text = "mesh = \"given\"\nend = 0.125\nintegrator = \"avi\"\n[material.stuff]\nlaw = \"neo-hookean\"\nyoung = 1e3\npoisson = 0.3\n\
                density = 10\nplane = \"axisymmetric\"\n[support.axis]\ngroup = \"axis\"\nx = 0\n[initial]\nvelocity = [0, 2]\n";
    let mut body = simulation(mesh, text);
    let mass = 10.0 * PI * 4.0;
    assert!(body.advance(0.125, &mut |_| ControlFlow::Continue(())).unwrap().is_continue());
    let view = body.look().unwrap();
    assert!((view.linear[1] - 2.0 * mass).abs() < 1e-12 * mass, "{:?} {mass}", view.linear);
    let off =
        view.x.iter().zip(body.points()).map(|(x, p)| (x[1] - p[1] - 0.25).abs().max((x[0] - p[0]).abs()));
    let off = off.fold(0.0, f64::max);
    assert!(off < 1e-12, "{off:e}");
}

#[test]
fn axisymmetric_file_with_a_plane_material_is_refused() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let text = "mesh = \"given\"\nend = 1\n[material.sheet]\nlaw = \"neo-hookean\"\nyoung = 1\npoisson = 0.3\ndensity = 1\n";
    let mut scenario = Scenario::read("given.toml", text, &[]).unwrap();
    let mesh = mesh_of("CAX4", 4, &points, &[0, 1, 2, 3], ("all", &[0]));
    scenario.given = Given { mesh: Some(Arc::new(mesh)), state: None };
    let Err(error) = SolidSimulation::new(scenario) else { panic!("accepted") };
    let error = error.to_string();
    assert!(error.contains("axisymmetric (CAX...)") && error.contains("plane = \"axisymmetric\""), "{error}");
}

#[test]
fn averaged_volume_in_plane_stress_is_refused() {
    let material = "law = \"neo-hookean\"\nyoung = 1\npoisson = 0.3\ndensity = 1\nplane = \"stress\"\nintegration = \"averaged-volume\"";
    let text = format!("mesh = \"given\"\nend = 1\n[material.sheet]\n{material}\n");
    let mut scenario = Scenario::read("given.toml", &text, &[]).unwrap();
    let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mesh = mesh_of("CPS4", 4, &points, &[0, 1, 2, 3], ("all", &[0]));
    scenario.given = Given { mesh: Some(Arc::new(mesh)), state: None };
    let Err(error) = SolidSimulation::new(scenario) else { panic!("accepted") };
    let error = error.to_string();
    assert!(error.contains("material `sheet` has `plane = \"stress\"` and an averaged volume"), "{error}");
    assert!(error.contains("integration = \"full\""), "{error}");
}

const GRAVITY: f64 = 9.81;
const BALL: f64 = 0.25;

/// A line from the origin, with the nodes `top` and `ball`.
fn line_to([x, y, z]: [f64; 3]) -> Mesh {
    let text = format!(
        "*NODE\n1, 0., 0., 0.\n2, {x:?}, {y:?}, {z:?}\n*ELEMENT, TYPE=T3D2\n1, 1, 2\n*NSET, NSET=top\n1\n*NSET, NSET=ball\n2\n"
    );
    Mesh::read("given.inp", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

/// A ball on a cable of natural length 1, with `EA = 50` and hardly any mass, that starts at rest `below` its support or beside it.
fn on_a_cable(end: [f64; 3], integrator: &str) -> SolidSimulation {
    let mesh = line_to(end);
    let length = end.iter().map(|x| x * x).sum::<f64>().sqrt();
    let text = format!(
        "mesh = \"given\"\nend = 1e3\nintegrator = {integrator}\n[material.cable]\nlaw = \"cable\"\narea = 1e-4\nyoung = 5e5\n\
         density = 1e-6\nstretch = {length:?}\n[mass.ball]\ngroup = \"ball\"\nmass = {BALL}\n[mass.hook]\ngroup = \"top\"\nmass = {BALL}\n[support.top]\ngroup = \"top\"\nfixed = true\n\
         [load.weight]\nacceleration = [0, -{GRAVITY}, 0]\n"
    );
    simulation(mesh, &text)
}

/// The period of a mass that falls from `above` the natural length of the cable, and what it does in between.
fn bounce(above: f64) -> f64 {
    let omega = (50.0 / BALL).sqrt();
    let (sag, speed) = (GRAVITY / omega.powi(2), (2.0 * GRAVITY * above).sqrt());
    // Taut it swings about the sag, `sag + a sin(omega t - phase)`.
    let phase = (sag * omega).atan2(speed);
    2.0 * speed / GRAVITY + (PI + 2.0 * phase) / omega
}

#[test]
fn mass_bounces_on_a_cable_with_the_period_of_the_closed_form() {
    for above in [0.05, 0.4] {
        let period = bounce(above);
        let error = |fraction: f64| {
            let integrator = format!("{{ method = \"newmark\", fraction = {fraction} }}");
            let mut body = on_a_cable([0.0, above - 1.0, 0.0], &integrator);
            assert!(body.advance(3.0 * period, &mut |_| ControlFlow::Continue(())).unwrap().is_continue());
            let view = body.look().unwrap();
            // At the top the height says little of the time, and the speed everything.
            let speed = view.v[1][1];
            (speed / GRAVITY).abs().max((view.x[1][1] - (above - 1.0)).abs())
        };
        let (coarse, fine) = (error(0.05), error(0.0125));
        println!("{above}: {coarse:e} {fine:e}");
        assert!(fine < 2e-4 && fine < 0.2 * coarse, "{above}: {coarse:e} {fine:e}");
    }
}

#[test]
fn energy_of_a_mass_that_bounces_on_a_cable_does_not_drift() {
    for integrator in ["{ method = \"newmark\", fraction = 0.1 }", "{ method = \"avi\", fraction = 0.1 }"] {
        let mut body = on_a_cable([0.1, -0.8, 0.0], integrator);
        let energy = |body: &SolidSimulation| {
            let view = body.look().unwrap();
            // The potential contains that of the constant weight.
            view.kinetic + view.potential
        };
        let first = energy(&body);
        let mut worst = [0.0_f64; 4];
        for row in 1..=4000 {
            let t = 0.1 * f64::from(row);
            assert!(body.advance(t, &mut |_| ControlFlow::Continue(())).unwrap().is_continue());
            let quarter = &mut worst[(row as usize - 1) / 1000];
            *quarter = quarter.max((energy(&body) - first).abs());
        }
        let size = BALL * GRAVITY;
        println!("{integrator}: {worst:?}");
        assert!(worst.iter().all(|w| *w < 2e-2 * size) && worst[3] < 2.0 * worst[0], "{worst:?}");
    }
}

#[test]
fn slack_cable_lets_its_ends_fly_and_a_prestretched_one_pulls() {
    let mesh = line_to([0.8, 0.0, 0.0]);
    let text = "mesh = \"given\"\nend = 1\n[material.cable]\nlaw = \"cable\"\narea = 1\nyoung = 100\ndensity = 2\nstretch = 0.8\n\
                [initial]\nvelocity = [0, \"X\", \"-2*X\"]\n";
    let mut body = simulation(mesh, text);
    assert!(body.advance(0.25, &mut |_| ControlFlow::Continue(())).unwrap().is_continue());
    let view = body.look().unwrap();
    assert_eq!(view.x[0], [0.0; 3]);
    let off = [0.8, 0.2, -0.4].into_iter().zip(view.x[1]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(off < 1e-14 && view.potential == 0.0, "{:?}", view.x[1]);
    // Half of the mass of its natural length at each end.
    assert!((view.linear[1] - 0.8).abs() < 1e-14, "{:?}", view.linear);
}
