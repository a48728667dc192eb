//! Bodies released from strains of a tenth: the first motion is rehearsed, and the energy of the run does not grow.

use serde_json::Value;
use stationary_app::run::{RunOutcome, run};
use stationary_app::scenario::Scenario;
use std::ops::ControlFlow;
use std::path::Path;

/// A stretch by up to a tenth that is not the same everywhere, as in `studies/meshes`.
const STRETCH: &str = r#"["X*(1 + 0.08*sin(2*X + 1))", "Y*(1 + 0.05*cos(3*X))", "Z"]"#;
/// The same shape with strains of a hundredth.
const SLIGHT: &str = r#"["X*(1 + 0.008*sin(2*X + 1))", "Y*(1 + 0.005*cos(3*X))", "Z"]"#;

/// What came of a run, and its energy at every row.
struct Released {
    outcome: RunOutcome,
    energy: Vec<f64>,
}

impl Released {
    fn avi(&self, key: &str) -> &Value {
        &self.outcome.summary["avi"][key]
    }

    /// The mean energy of the last quarter over that of the third to seventh rows.
    fn growth(&self) -> f64 {
        let mean = |rows: &[f64]| rows.iter().sum::<f64>() / rows.len() as f64;
        mean(&self.energy[3 * self.energy.len() / 4..]) / mean(&self.energy[2..7]) - 1.0
    }
}

/// Releases a part of `studies/meshes` from a deformation, free in space.
fn released(test: &str, mesh: &str, (deformation, integrator): (&str, &str), end: f64) -> Released {
    let folder = std::env::temp_dir().join(format!("stationary-release-{test}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mesh = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/meshes").join(mesh);
    std::fs::copy(mesh, folder.join("part.msh")).unwrap();
    let text = format!(
        "mesh = \"part.msh\"\nend = {end}\nintegrator = {integrator}\n[initial]\ndeformation = {deformation}\n\
         [output]\nrows = 80\nframes = 0\n[material.part]\ngroup = \"part\"\nlaw = \"neo-hookean\"\nyoung = 2e11\n\
         poisson = 0.3\ndensity = 7800\n"
    );
    std::fs::write(folder.join("run.toml"), text).unwrap();
    let scenario = Scenario::open(&folder.join("run.toml"), &[]).unwrap();
    let outcome = run(&scenario, &folder.join("out"), &mut |_| ControlFlow::Continue(())).unwrap();
    let series = std::fs::read_to_string(folder.join("out/series.csv")).unwrap();
    let mut lines = series.lines();
    let at = lines.next().unwrap().split(',').position(|name| name == "energy").unwrap();
    let energy = lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect();
    let _ = std::fs::remove_dir_all(&folder);
    Released { outcome, energy }
}

#[test]
fn parts_released_from_strains_of_a_tenth_keep_their_energy_with_local_steps_and_with_one() {
    for (name, mesh, end) in [("elbow", "elbow-0.msh", 4e-3), ("notch", "notch-0.msh", 8e-3)] {
        for method in ["avi", "newmark"] {
            let part = released(&format!("{name}-{method}"), mesh, (STRETCH, &format!("\"{method}\"")), end);
            assert!(part.outcome.stopped.is_none(), "{name} {method}: {:?}", part.outcome.stopped);
            let rehearsal = &part.avi("certificate")["rehearsal"];
            let scale = rehearsal["scale"].as_f64().unwrap();
            assert!((0.3..0.8).contains(&scale), "{name} {method}: {rehearsal}");
            let used = part.avi("certificate")["used_limit"].as_f64().unwrap();
            let most = used * rehearsal["stiffening"].as_f64().unwrap();
            assert!(most < 0.51, "{name} {method}: steps use up to {most} of the limit");
            assert!(part.growth() < 0.01, "{name} {method}: the energy grows by {}", part.growth());
        }
    }
}

/// The broken twin: a fraction that the user has chosen is taken as it is, and the energy grows.
#[test]
fn a_fraction_that_is_given_is_not_rehearsed_and_grows_where_it_is_too_large() {
    let part = released("twin", "elbow-0.msh", (STRETCH, "{ method = \"avi\", fraction = 0.7 }"), 4e-3);
    assert!(part.avi("certificate")["rehearsal"].is_null());
    let reduced = part.avi("rescaled").as_array().unwrap();
    assert!(part.growth() > 0.01 || !reduced.is_empty(), "{}", part.growth());
}

/// A node lies close to the face opposite: its element is crushed to a small part of its volume within some vibrations.
#[test]
fn a_crushed_sliver_is_passed_with_shorter_steps_of_few_elements() {
    for method in ["avi", "newmark"] {
        let part = released(
            &format!("sliver-{method}"),
            "sliver-0.msh",
            (STRETCH, &format!("\"{method}\"")),
            1.2e-2,
        );
        assert!(part.outcome.stopped.is_none(), "{method}: {:?}", part.outcome.stopped);
        assert!(part.growth() < 0.01, "{method}: the energy grows by {}", part.growth());
    }
}

#[test]
fn small_strains_are_not_rehearsed() {
    for method in ["\"avi\"", "\"newmark\""] {
        let part = released("slight", "elbow-0.msh", (SLIGHT, method), 1e-4);
        assert!(part.avi("certificate")["rehearsal"].is_null());
        let used = part.avi("certificate")["used_limit"].as_f64().unwrap();
        assert!(used > 0.55, "more than after a violent release: {used}");
    }
}
