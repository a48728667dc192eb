//! Loads of scenarios have the size that their formulas say: what a free body gains in momentum is their integral.

mod curved;
mod shells;

use stationary_app::run::run;
use stationary_app::scenario::Scenario;
use std::ops::ControlFlow;

/// One step for all, and 128 of them: binary fractions, so that no event is lost to rounding.
const STEP: f64 = 1.0 / 131_072.0;
const END: f64 = 128.0 * STEP;

/// Momentum at the end over the time of its kicks, each in the middle of its step.
fn force(name: &str, mesh: &str, material: &str, load: &str) -> [f64; 3] {
    let text = format!(
        "mesh = \"meshes/{mesh}.msh\"\nend = {END:?}\nintegrator = {{ method = \"avi\", step = {STEP:?} }}\n\
         [output]\nrows = 1\nframes = 0\n[material.stuff]\n{material}\n[load.pull]\n{load}\n"
    );
    let scenario = Scenario::read("load.toml", &text, &[]).unwrap_or_else(|e| panic!("{name}: {e}"));
    let folder = std::env::temp_dir().join(format!("stationary-loads-{name}-{}", std::process::id()));
    let outcome = run(&scenario, &folder, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(outcome.stopped.is_none(), "{name}: {:?}", outcome.stopped);
    let series = std::fs::read_to_string(folder.join("series.csv")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    let cells = |line: &str| line.split(',').map(String::from).collect::<Vec<_>>();
    let (names, last) = (cells(series.lines().next().unwrap()), cells(series.lines().last().unwrap()));
    ["x", "y", "z"].map(|axis| {
        let column = names.iter().position(|n| *n == format!("momentum.linear.{axis}")).unwrap();
        last[column].parse::<f64>().unwrap() / END
    })
}

fn close(name: &str, found: [f64; 3], expected: [f64; 3], tolerance: f64) {
    let size = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for i in 0..3 {
        let error = (found[i] - expected[i]).abs() / size;
        assert!(error <= tolerance, "{name}: {found:?}, expected {expected:?}");
    }
}

const SOFT: &str = "law = \"neo-hookean\"\nlambda = 1e3\nmu = 1e3\ndensity = 1000";

/// Quadratic fields are integrated exactly by quadratic elements: a wrong share of a corner or a middle node shows.
#[test]
fn dead_loads_have_the_integral_of_their_formulas() {
    let sheet = format!("{SOFT}\nthickness = 0.5");
    let found = force("body-2d", "slab", &sheet, "body = [\"X^2\", 3]");
    close("body on triangles", found, [64.0 / 3.0 * 0.5, 3.0 * 4.0 * 0.5, 0.0], 1e-9);
    let found = force("traction-2d", "slab", &sheet, "group = \"end\"\ntraction = [\"Y^2\", 2]");
    close("traction on edges", found, [0.5 / 3.0, 2.0 * 0.5, 0.0], 1e-9);
    let found = force("gravity", "slab", &sheet, "acceleration = [0, -9.81]");
    close("gravity", found, [0.0, -9.81 * 1000.0 * 4.0 * 0.5, 0.0], 1e-9);

    // The L of two legs, 1.8 m long and 0.35 m square.
    let (a, l) = (0.35_f64, 1.8_f64);
    let second = a * (l * a.powi(3) / 3.0 + a * (l.powi(3) - a.powi(3)) / 3.0);
    let found = force("body-3d", "l-beam", SOFT, "body = [0, 0, \"X^2\"]");
    close("body on tetrahedra", found, [0.0, 0.0, second], 1e-9);
    let found = force("traction-3d", "l-beam", SOFT, "group = \"tip\"\ntraction = [0, \"Y^2\", 0]");
    close("traction on triangles", found, [0.0, a * (l.powi(3) - (l - a).powi(3)) / 3.0, 0.0], 1e-9);
    let bar = "law = \"bar\"\nyoung = 1\narea = 1\ndensity = 1000";
    let found = force("point", "bar-wave", bar, "group = \"right\"\nforce = [2, 1, 0]");
    close("a force on a node", found, [2.0, 1.0, 0.0], 1e-9);
}

/// A pressure pushes against the outward normal of each side, with the thickness of a sheet.
#[test]
fn pressures_push_inwards_with_pressure_times_area() {
    let sheet = format!("{SOFT}\nthickness = 0.5");
    let found = force("pressure-2d", "slab", &sheet, "group = \"bottom\"\npressure = \"1\"");
    close("pressure on edges", found, [0.0, 4.0 * 0.5, 0.0], 1e-5);
    let found = force("pressure-3d", "l-beam", SOFT, "group = \"tip\"\npressure = 1");
    close("pressure on triangles", found, [-0.35 * 0.35, 0.0, 0.0], 1e-5);
}
