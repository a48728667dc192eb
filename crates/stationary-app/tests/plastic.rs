//! Solids of materials with memory, from their text to their results: a clamped slab that yields under its weight.

use serde_json::Value;
use stationary_app::run::{RunOutcome, SolidSimulation, SolidView, run};
use stationary_app::scenario::{Scenario, shipped};
use std::ops::ControlFlow;
use std::path::PathBuf;

const METAL: &str =
    "{ law = \"j2\", young = 5e6, poisson = 0.3, density = 1000, yield = 2e5, hardening = 4e5 }";
/// The same, which softens by some ten per cent as it heats.
const HEATED: &str = "{ law = \"j2\", young = 5e6, poisson = 0.3, density = 1000, yield = 2e5, hardening = 4e5, rate_factor = 0.01, \
    rate = 1, melting_temperature = 600, room_temperature = 300, specific_heat = 1, softening_exponent = 1.1 }";
const RUBBER: &str = "{ law = \"viscoelastic\", lambda = 2e6, mu = 1e6, density = 1000, branch_mu = [1e6, 5e5], branch_time = [0.1, 1] }";
const AVI: &str = "{ method = \"avi\" }";

fn scenario(sets: &[(&str, &str)]) -> Scenario {
    let common = [("claim", "[]"), ("output.rows", "40"), ("output.frames", "0"), ("end", "1.0")];
    let sets: Vec<(String, String)> =
        common.iter().chain(sets).map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Scenario::read("slab", shipped::find("slab").unwrap().text, &sets).unwrap()
}

/// Runs the slab into a folder of its own; returns what came of it, its series, and what is in the last frame, if there are frames.
fn slab(test: &str, sets: &[(&str, &str)]) -> (RunOutcome, String, String) {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("stationary-plastic-{test}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let outcome = run(&scenario(sets), &folder, &mut |_| ControlFlow::Continue(())).unwrap();
    let series = std::fs::read_to_string(folder.join("series.csv")).unwrap();
    let frames = std::fs::read_dir(folder.join("frames")).into_iter().flatten().flatten().map(|f| f.path());
    let last = frames.filter(|f| f.extension().is_some_and(|e| e == "vtu")).max();
    let frame = last.map_or(String::new(), |f| String::from_utf8_lossy(&std::fs::read(f).unwrap()).into());
    let _ = std::fs::remove_dir_all(&folder);
    assert!(outcome.stopped.is_none(), "{test}: {:?}", outcome.stopped);
    (outcome, series, frame)
}

fn number(outcome: &RunOutcome, path: &[&str]) -> f64 {
    path.iter().fold(&outcome.summary, |value: &Value, key| &value[*key]).as_f64().unwrap()
}

fn column(series: &str, name: &str) -> Vec<f64> {
    let mut lines = series.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap()).collect()
}

/// Local steps, one explicit step and an implicit one: the same end, energy kept but for what is dissipated, momentum to rounding.
#[test]
fn a_yielding_slab_ends_alike_by_every_integrator_and_books_its_dissipation() {
    for (name, material, tolerance) in [("metal", METAL, 0.02), ("rubber", RUBBER, 0.02)] {
        let mut ends = Vec::new();
        for (method, integrator) in [
            ("avi", AVI),
            ("newmark", "\"newmark\""),
            ("verlet", "{ method = \"verlet\", order = 2 }"),
            ("midpoint", "\"midpoint\""),
        ] {
            let mut sets = vec![("material.rubber", material), ("integrator", integrator)];
            // Elements at the clamp are crushed, and need shorter steps than at the start.
            match method {
                "verlet" => sets.push(("step", "1e-4")),
                "midpoint" => sets.push(("step", "5e-3")),
                _ => {}
            }
            let (outcome, series, _) = slab(&format!("{name}-{method}"), &sets);
            let dissipated = column(&series, "dissipation");
            assert!(dissipated.windows(2).all(|pair| pair[1] >= pair[0]), "{name} {method}");
            let end = dissipated[dissipated.len() - 1];
            assert_eq!(end, number(&outcome, &["energy", "dissipated"]));
            let fallen = column(&series, "kinetic").into_iter().fold(0.0, f64::max);
            assert!(end > 0.1 * fallen, "{name} {method}: {end} {fallen}");
            assert!(number(&outcome, &["energy", "max_relative_error"]) < 0.02, "{name} {method}");
            if ["avi", "newmark"].contains(&method) {
                assert!(number(&outcome, &["momentum", "linear", "max_abs_drift"]) < 1e-11);
                assert!(number(&outcome, &["momentum", "angular", "max_abs_drift"]) < 1e-11);
            }
            let tip = |part: &str| number(&outcome, &["probe", "tip", part]);
            ends.push((method, end, tip("final") / tip("min")));
        }
        for (method, dissipated, tip) in &ends[1..] {
            assert!((dissipated / ends[0].1 - 1.0).abs() < tolerance, "{name} {method}: {ends:?}");
            assert!((tip - ends[0].2).abs() < tolerance, "{name} {method}: {ends:?}");
        }
    }
}

#[test]
fn a_yielding_slab_has_the_same_bits_on_two_threads_and_shows_its_plastic_strain() {
    let sets = [("material.rubber", METAL), ("integrator", AVI)];
    let (_, series, _) = slab("one", &sets);
    let threads = ("integrator", "{ method = \"avi\", threads = 2 }");
    let frames = [("output.frames", "2"), ("output.frame_format", "vtu")];
    let (_, again, frame) = slab("two", &[sets[0], threads, frames[0], frames[1]]);
    assert_eq!(series, again);
    assert!(frame.contains("plastic_strain") && !frame.contains("temperature"));
    let heated = ("material.rubber", HEATED);
    let (_, series, frame) = slab("heated", &[heated, sets[1], frames[0], frames[1]]);
    assert!(frame.contains("plastic_strain") && frame.contains("temperature"));
    assert_eq!(slab("heated two", &[heated, threads]).1, series);
    // Without memory there is nothing of this.
    let (_, plain, frame) = slab("none", &[frames[0], frames[1]]);
    assert!(
        !plain.contains("dissipation") && !frame.contains("plastic_strain") && frame.contains("von_mises")
    );
}

#[test]
fn a_yielding_slab_is_restored_with_the_same_bits() {
    for (material, integrator) in [(METAL, AVI), (HEATED, AVI), (RUBBER, AVI), (METAL, "\"midpoint\"")] {
        let sets = [("material.rubber", material), ("integrator", integrator), ("step", "5e-3")];
        let sets = if integrator == AVI { &sets[..2] } else { &sets[..] };
        let new = || SolidSimulation::new(scenario(sets)).unwrap();
        let go_on = &mut |_: &_| ControlFlow::Continue(());
        let mut simulation = new();
        assert!(simulation.advance(0.5, go_on).unwrap().is_continue());
        let (saved, before) = (simulation.to_bytes(), simulation.look().unwrap());
        assert!(simulation.advance(0.8, go_on).unwrap().is_continue());
        let end = simulation.look().unwrap();
        assert!(end.dissipated > before.dissipated && before.dissipated > 0.0);
        let mut other = new();
        other.from_bytes(&saved).unwrap();
        // Balances of synchronous methods under loads are NaN, which equals nothing.
        let seen = |view: SolidView| (view.x, view.v, [view.kinetic, view.potential, view.dissipated]);
        assert_eq!(seen(other.look().unwrap()), seen(before));
        assert!(other.advance(0.8, go_on).unwrap().is_continue());
        assert_eq!(seen(other.look().unwrap()), seen(end));
        assert_eq!(other.stresses().unwrap(), simulation.stresses().unwrap());
    }
}

#[test]
fn laws_are_chosen_by_name_and_their_constants_checked() {
    let refused = |material: &str| {
        let made = SolidSimulation::new(scenario(&[("material.rubber", material)]));
        made.err().map_or(String::new(), |error| error.to_string())
    };
    let works = [
        "{ law = \"ogden\", density = 1000, moduli = [1e6, -2e5], exponents = [2, -2], bulk = 1e7 }",
        "{ law = \"orthotropic\", density = 1000, young = [9e6, 3e6, 3e6], poisson = [0.3, 0.3, 0.1], shear = [1e6, 1e6, 1e6], axis = [1, 1, 0] }",
        "{ law = \"fluid\", density = 1000, bulk = 1e7, gamma = 7 }",
        METAL,
        HEATED,
        RUBBER,
        "{ law = \"formula\", density = 1000, energy = \"1e6*(I1 - 3 - 2*log(J)) + 1e6*log(J)^2 + 2e6*(C12^2 + (C22 - 1)^2)\" }",
    ];
    for material in works {
        assert_eq!(refused(material), "");
    }
    for (material, word) in [
        (
            "{ law = \"ogden\", density = 1000, moduli = [1e6], exponents = [2, -2], bulk = 1e7 }",
            "same length",
        ),
        ("{ law = \"ogden\", density = 1000, moduli = [1e6], exponents = [-2], bulk = 1e7 }", "term 1"),
        ("{ law = \"j2\", young = 5e6, poisson = 0.3, density = 1000 }", "yield"),
        (
            "{ law = \"formula\", density = 1000, energy = \"(F11 - 1)^2 + F12^2\" }",
            "expected a formula of C11 to C33",
        ),
        (
            "{ law = \"formula\", density = 1000, energy = \"1e6*(C11 - 1)^2\" }",
            "expected every strain to cost energy",
        ),
        (
            "{ law = \"orthotropic\", density = 1000, young = [9e6, 3e6, 3e6], poisson = [0.3, 0.3, 0.1], shear = [1e6, 1e6, 1e6], axis = [0, 1, 0] }",
            "parallel",
        ),
        ("{ law = \"fluid\", density = 1000, bulk = 1e7, gamma = 0.5 }", "1 or more"),
        (HEATED.replace("melting_temperature = 600,", "").as_str(), "add: melting_temperature = 1356"),
        (HEATED.replace("specific_heat = 1,", "").as_str(), "add: specific_heat = 383"),
        (HEATED.replace("room_temperature = 300,", "").as_str(), "add: room_temperature = 293"),
        (HEATED.replace("= 600", "= 250").as_str(), "the melting temperature is 250"),
        (
            HEATED.replace("specific_heat = 1,", "specific_heat = 1e-3,").as_str(),
            "look at the units of the density",
        ),
    ] {
        let message = refused(material);
        assert!(message.contains(word), "{word}: {message}");
    }
    let backwards = [("material.rubber", METAL), ("integrator", "{ method = \"verlet\", order = 4 }")];
    let message = SolidSimulation::new(scenario(&backwards)).err().unwrap().to_string();
    assert!(message.contains("backwards in time"), "{message}");
}
