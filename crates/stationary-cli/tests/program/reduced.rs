//! Runs with cyclic coordinates eliminated: the same as without, and the motion of the node of an orbit.

use super::{Folder, stderr};

/// Columns of a table by name, one row after the other.
fn columns(folder: &Folder, file: &str, names: &[&str]) -> Vec<Vec<f64>> {
    let text = std::fs::read_to_string(folder.0.join(file)).unwrap();
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    let at: Vec<usize> = names.iter().map(|n| header.iter().position(|h| h == n).unwrap()).collect();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        at.iter().map(|&i| fields[i].parse().unwrap()).collect()
    };
    text.lines().skip(1).map(row).collect()
}

#[test]
fn runs_of_reduced_and_full_systems_agree() {
    let folder = Folder::new("reduced");
    let cases = [
        ("oblate-satellite", &["r", "z", "phi", "vphi", "pr", "pz"][..], "end=86400"),
        ("double-spherical-pendulum", &["a", "b", "d", "phi", "vphi", "pa"], "end=10"),
    ];
    for (name, names, end) in cases {
        for (out, reduce) in [("reduced", "reduce=[\"phi\"]"), ("full", "reduce=[]")] {
            let run = folder.stationary(&[
                "run", name, "--set", reduce, "--set", end, "--set", "claim=[]", "--out", out, "--quiet",
            ]);
            assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
        }
        let [a, b] = ["reduced/series.csv", "full/series.csv"].map(|file| columns(&folder, file, names));
        assert!(a.len() == b.len() && a.len() > 300, "{} {}", a.len(), b.len());
        for (k, name) in names.iter().enumerate() {
            let size = b.iter().fold(0.0_f64, |m, row| m.max(row[k].abs()));
            let apart = a.iter().zip(&b).fold(0.0_f64, |m, (a, b)| m.max((a[k] - b[k]).abs()));
            assert!(apart < 1e-11 * size, "{name}: {apart:e} of {size}");
        }
        let summary = std::fs::read_to_string(folder.0.join("reduced/summary.json")).unwrap();
        assert!(summary.contains("\"freedom\": ") && summary.contains("\"phi\""), "{summary}");
    }
}

/// The rate at which the node goes back, to first order in J2: -(3/2) n J2 (R/a)^2 cos i.
#[test]
fn nodal_precession_about_an_oblate_planet_agrees_with_theory() {
    let folder = Folder::new("node");
    let run = folder.stationary(&["run", "oblate-satellite", "--out", "out", "--quiet"]);
    assert_eq!(run.status.code(), Some(0), "{}", stderr(&run));
    let nodes = columns(&folder, "out/sections.csv", &["t", "node"]);
    let (first, last, turns) = (&nodes[0], &nodes[nodes.len() - 1], (nodes.len() - 1) as f64);
    let rate = (last[1] - first[1] - turns * std::f64::consts::TAU) / (last[0] - first[0]);
    let (mu, j2, radius, a, i) = (398600.4418_f64, 1.08262668e-3, 6378.137_f64, 6778.137_f64, 0.9006_f64);
    let theory = -1.5 * (mu / a.powi(3)).sqrt() * j2 * (radius / a).powi(2) * i.cos();
    assert!((rate / theory - 1.0).abs() < 0.01, "{rate:e} {theory:e}");
}
