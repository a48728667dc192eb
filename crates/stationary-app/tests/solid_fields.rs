//! Stresses and strains at nodes and over groups, from the text of a probe to its column.

use stationary::mesh::Mesh;
use stationary_app::run::SolidSimulation;
use stationary_app::scenario::{Given, Scenario};
use std::sync::Arc;

/// A unit square of quadrilaterals with eight nodes, with its right side as a group.
fn square(n: usize) -> Mesh {
    let place = |i: usize| i as f64 / (2 * n) as f64;
    let mut number = std::collections::BTreeMap::new();
    let mut text = String::from("*NODE\n");
    let mut right = Vec::new();
    for j in 0..=2 * n {
        for i in (0..=2 * n).filter(|i| i % 2 == 0 || j % 2 == 0) {
            let label = number.len() + 1;
            number.insert((i, j), label);
            text += &format!("{label}, {:?}, {:?}\n", place(i), place(j));
            if i == 2 * n {
                right.push(label.to_string());
            }
        }
    }
    text += "*ELEMENT, TYPE=CPE8\n";
    for cell in 0..n * n {
        let (i, j) = (2 * (cell % n), 2 * (cell / n));
        let around = [(0, 0), (2, 0), (2, 2), (0, 2), (1, 0), (2, 1), (1, 2), (0, 1)];
        let nodes: Vec<String> = around.iter().map(|(a, b)| number[&(i + a, j + b)].to_string()).collect();
        text += &format!("{}, {}\n", cell + 1, nodes.join(", "));
    }
    text += &format!("*NSET, NSET=right\n{}\n", right.join(",\n"));
    Mesh::read("given.inp", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn simulation(text: &str) -> Result<SolidSimulation, stationary::error::Error> {
    let mut scenario = Scenario::read("given.toml", text, &[])?;
    scenario.given = Given { mesh: Some(Arc::new(square(3))), state: None };
    SolidSimulation::new(scenario)
}

const BODY: &str =
    "mesh = \"given\"\nend = 1e-3\n[material.a]\nlaw = \"linear\"\nlambda = 2\nmu = 1\ndensity = 1\n";

/// In the bending `u = e (X Y, -X^2/2)` of a linear law the stress is linear: it is exact at the nodes, at those of the boundary, too.
#[test]
fn probes_of_stresses_are_exact_in_pure_bending_at_nodes_and_over_groups() {
    let e = 1e-6;
    let probes = [
        ("corner", "at = [1, 1]\nvalue = \"stress_xx\"", 4.0 * e),
        ("edge", "at = [1, 0.5]\nvalue = \"stress_yy\"", 2.0 * 0.5 * e),
        ("bent", "at = [0.5, 1]\nvalue = \"strain_xx/Y\"", e),
        ("most", "group = \"right\"\nvalue = \"stress_1\"", 4.0 * e),
        ("least", "group = \"right\"\nof = \"min\"\nvalue = \"stress_xx\"", 0.0),
        (
            "mean",
            "group = \"right\"\nof = \"mean\"\nvalue = \"mean_stress\"",
            (4.0 + 2.0 + 2.0) / 3.0 * 0.5 * e,
        ),
        ("mises", "at = [0, 1]\nvalue = \"von_mises\"", 2.0 * e),
    ];
    let mut text = format!("{BODY}[initial]\ndisplacement = [\"{e}*X*Y\", \"-{e}*X^2/2\", 0]\n");
    for (name, probe, _) in &probes {
        text += &format!("[probe.{name}]\n{probe}\n");
    }
    let body = simulation(&text).unwrap_or_else(|e| panic!("{e}"));
    let values = body.probes().unwrap();
    for ((name, value), (expected, _, want)) in values.iter().zip(&probes) {
        assert_eq!(name, expected);
        assert!((value - want).abs() < 1e-4 * e, "{name}: {value} and {want}");
    }
}

#[test]
fn probes_of_what_a_material_does_not_have_are_refused_with_place() {
    for (probe, reason) in [
        ("at = [1, 1]\nvalue = \"plastic_strain\"", "is NaN at the start"),
        ("group = \"left\"\nvalue = \"von_mises\"", "left"),
    ] {
        let Err(error) = simulation(&format!("{BODY}[probe.p]\n{probe}\n")) else {
            panic!("{probe} is accepted")
        };
        let error = error.to_string();
        assert!(error.starts_with("given.toml:") && error.contains(reason), "{error}");
    }
}
