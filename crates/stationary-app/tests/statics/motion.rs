//! Static equilibrium and motion: starts from equilibrium, limits of damped motions, and units.

use super::meshes::{CPS4, CPS8, grid};
use super::{column, number, outcome, solved};
use stationary::mesh::Mesh;

/// A graded plate, clamped on one side: neighbours differ in their steps.
fn plate() -> Mesh {
    grid(&CPS4, [12, 3, 0], |[x, y, _]| [4.0 * (0.3 * x + 0.7 * x * x), y, 0.0])
}

const PLATE: &str = "[material.rubber]\nlaw = \"neo-hookean\"\nyoung = 5e6\npoisson = 0.3\ndensity = 1000\n[support.wall]\ngroup = \"x0\"\n\
                     fixed = true\n[load.weight]\nacceleration = [0, -9.81]\n[probe.tip]\nat = [4, 0]\nvalue = \"y - Y\"\n[output]\nrows = 40\nframes = 0\n";

#[test]
fn bodies_released_from_equilibrium_stay_at_rest_with_every_integrator() {
    for integrator in [
        "\"avi\"",
        "{ method = \"avi\", boundary = \"iterated-envelope\" }",
        "\"newmark\"",
        "\"midpoint\"",
        "{ method = \"verlet\", order = 4 }",
        "\"gauss\"",
    ] {
        for initial in ["initial = \"equilibrium\"", "initial.equilibrium = true"] {
            let run = outcome(plate(), &format!("integrator = {integrator}\nend = 0.5\n{initial}\n{PLATE}"));
            assert!(run.stopped.is_none(), "{integrator}: {:?}", run.stopped);
            let kinetic = column(&run, "kinetic").into_iter().fold(0.0, f64::max);
            let potential = column(&run, "potential")[0].abs();
            assert!(
                potential > 1.0 && kinetic <= 1e-10 * potential,
                "{integrator}: {kinetic} of {potential}"
            );
            assert!(number(&run.summary, "/probe/tip/final") < -0.1);
        }
    }
}

/// The same plate under load at once, with numerical damping, for a long time.
#[test]
fn static_solutions_are_the_limit_of_damped_motions() {
    let end = "step = 1\nend = 60\nintegrator = { method = \"newmark\", beta = 0.5, gamma = 0.9 }\n";
    let ramped = PLATE.replace("-9.81", "\"-9.81*min(t/5, 1)\"");
    let run = outcome(plate(), &format!("{end}{ramped}"));
    assert!(run.stopped.is_none(), "{:?}", run.stopped);
    let limit = number(&run.summary, "/probe/tip/final");
    let found = number(&solved(plate(), PLATE), "/probe/tip/final");
    assert!((found / limit - 1.0).abs() < 1e-8, "{found} {limit}");
}

/// Metres and kilogrammes, or millimetres and tonnes.
#[test]
fn static_solutions_do_not_depend_on_units() {
    let beam = |scale: f64| grid(&CPS8, [10, 2, 0], move |[x, y, _]| [scale * x, 0.1 * scale * y, 0.0]);
    let text = |young: f64, density: f64, gravity: f64, at: f64| {
        format!(
            "[material.m]\nlaw = \"neo-hookean\"\nyoung = {young:?}\npoisson = 0.3\ndensity = {density:?}\n[support.wall]\ngroup = \"x0\"\nfixed = true\n\
             [load.w]\nacceleration = [0, \"-t*{gravity:?}\"]\n[probe.tip]\nat = [{at:?}, 0]\nvalue = \"y - Y\"\n"
        )
    };
    let metres = solved(beam(1.0), &text(1e6, 1000.0, 9.81, 1.0));
    let millimetres = solved(beam(1000.0), &text(1.0, 1e-9, 9810.0, 1000.0));
    let tips = [&metres, &millimetres].map(|summary| number(summary, "/probe/tip/final"));
    assert!((tips[1] / tips[0] / 1000.0 - 1.0).abs() < 1e-10, "{tips:?}");
    assert_eq!(metres["statics"]["iterations"], millimetres["statics"]["iterations"]);
}
