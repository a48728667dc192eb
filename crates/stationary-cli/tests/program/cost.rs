//! What steps cost, in instructions. Valgrind counts them, so that neither the pace nor the load of the machine matters.

use super::{Folder, stderr};
use serde_json::Value;
use std::fmt::Write;
use std::process::{Command, Stdio};

/// Instructions of the program with these arguments, less those of a shorter run of the same, and the moves between; none
/// where there is no Valgrind.
fn instructions_and_moves(folder: &Folder, run: &[&str], ends: [&str; 2]) -> Option<(f64, f64)> {
    let [short, long] = ends.map(|end| {
        let set = format!("end={end}");
        let mut counted = Command::new("valgrind");
        counted.args(["--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null"]);
        counted
            .arg(env!("CARGO_BIN_EXE_stationary"))
            .args(run)
            .args(["--set", &set, "--out", "out", "--quiet"]);
        // No clock may decide how often progress is told: it would depend on the load of the machine.
        counted.env("STATIONARY_FAILPOINT", "never").current_dir(&folder.0).stdin(Stdio::null());
        let Ok(out) = counted.output() else {
            eprintln!("valgrind, which counts instructions, is not installed");
            return None;
        };
        let told = stderr(&out);
        assert!(matches!(out.status.code(), Some(0 | 1)), "{told}");
        // As in "I   refs:      226,370,207"; the number of spaces differs between versions.
        let is_total = |(head, _): &(&str, &str)| head.trim_end().ends_with('I');
        let count = told.lines().find_map(|line| line.split_once("refs:").filter(is_total));
        let count = count.unwrap_or_else(|| panic!("no count in {told}")).1.trim().replace(',', "");
        let summary = std::fs::read_to_string(folder.0.join("out/summary.json")).unwrap();
        let summary: Value = serde_json::from_str(&summary).unwrap();
        Some((count.parse::<f64>().unwrap(), summary["moves"].as_f64().unwrap()))
    });
    let ((few, before), (many, after)) = short.zip(long)?;
    assert!(after > before);
    Some((many - few, after - before))
}

const ORBIT: &str = r#"coordinates = ["x", "y"]
lagrangian = "0.5*(vx^2 + vy^2) + 1/sqrt(x^2 + y^2)"
initial.position = [1, 0]
initial.velocity = [0, 1.2]
step = 0.05
end = 100
integrator = "verlet"
symmetry.rotation = ["-y", "x"]
output.every = 1000
"#;

/// Instructions for a step of a run by method, at most: the step itself, every observer, and the record for the page. Some
/// 3900 and 5300 were counted; the rest is for other compilers and processors.
const STEP: [(&str, f64); 2] = [("verlet", 5000.0), ("gauss", 6800.0)];

#[test]
fn a_step_of_a_lagrangian_given_as_text_costs_few_instructions() {
    let folder = Folder::new("cost-orbit");
    std::fs::write(folder.0.join("orbit.toml"), ORBIT).unwrap();
    for (method, most) in STEP {
        let method = format!("integrator={method}");
        let run = ["run", "orbit.toml", "--set", &method];
        let Some((instructions, steps)) = instructions_and_moves(&folder, &run, ["1000", "3000"]) else {
            return;
        };
        let each = instructions / steps;
        assert!(each < most, "{method}: {each} instructions for a step");
    }
}

/// A cube of so many cells along each edge, finer towards a corner, each cell cut into six tetrahedra around its diagonal.
fn cube(cells: usize) -> String {
    let points = cells + 1;
    let place = |i: usize| (i as f64 / cells as f64).powf(1.5);
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{}\n", points.pow(3));
    for k in 0..points.pow(3) {
        let [x, y, z] = [k % points, k / points % points, k / points.pow(2)].map(place);
        writeln!(text, "{} {x} {y} {z}", k + 1).unwrap();
    }
    let mut elements = Vec::new();
    for k in 0..cells.pow(3) {
        let corner = [k % cells, k / cells % cells, k / cells.pow(2)];
        // The six orders of the axes are the six ways along edges from a corner to the opposite one.
        for (order, turned) in [
            ([0, 1, 2], false),
            ([1, 2, 0], false),
            ([2, 0, 1], false),
            ([0, 2, 1], true),
            ([2, 1, 0], true),
            ([1, 0, 2], true),
        ] {
            let mut at = corner;
            let mut nodes = vec![at];
            for axis in order {
                at[axis] += 1;
                nodes.push(at);
            }
            if turned {
                nodes.swap(2, 3);
            }
            elements.push(
                nodes.into_iter().map(|[x, y, z]| x + points * (y + points * z) + 1).collect::<Vec<_>>(),
            );
        }
    }
    writeln!(text, "$EndNodes\n$Elements\n{}", elements.len()).unwrap();
    for (k, nodes) in elements.iter().enumerate() {
        writeln!(text, "{} 4 2 1 1 {} {} {} {}", k + 1, nodes[0], nodes[1], nodes[2], nodes[3]).unwrap();
    }
    text + "$EndElements\n"
}

const RUBBER: &str = r#"mesh = "cube.msh"
end = 1
integrator = { method = "avi", steps = "harmonic" }
[material.rubber]
law = "neo-hookean"
young = 10
poisson = 0.3
density = 1
[initial]
velocity = ["0.1*sin(3*Y)", "0.1*sin(3*Z)", "0.1*sin(3*X)"]
[output]
rows = 1
frames = 0
"#;

/// What the schedule adds to the instructions of an update, at most, as a part of it. Counted were 232 instructions for an
/// asynchronous update and 257 for a synchronous one.
const SCHEDULE: f64 = 0.15;

#[test]
fn an_asynchronous_update_costs_little_more_instructions_than_a_synchronous_one() {
    let folder = Folder::new("cost-solid");
    std::fs::write(folder.0.join("cube.msh"), cube(8)).unwrap();
    std::fs::write(folder.0.join("rubber.toml"), RUBBER).unwrap();
    // Events at the ends of steps have no certificate: its updates would be counted as well.
    let [avi, newmark] = ["\"avi\", events = \"end\"", "\"newmark\""].map(|method| {
        let integrator = format!("integrator={{ method = {method}, threads = 1 }}");
        let run = ["run", "rubber.toml", "--set", &integrator];
        let (instructions, updates) = instructions_and_moves(&folder, &run, ["0.1", "0.3"])?;
        Some(instructions / updates)
    });
    let Some((avi, newmark)) = avi.zip(newmark) else { return };
    assert!(avi < (1.0 + SCHEDULE) * newmark, "{avi} and {newmark} instructions for an update");
}

/// The chain of Fermi, Pasta, Ulam and Tsingou with a cubic term, between fixed ends.
const CHAIN: &str = r#"coordinates = "n"
lagrangian = """0.5*sum(k = 0..n-1, v[k]^2)
 - 0.5*(q[0]^2 + sum(k = 0..n-2, (q[k+1] - q[k])^2) + q[n-1]^2)
 - alpha/3*(q[0]^3 + sum(k = 0..n-2, (q[k+1] - q[k])^3) - q[n-1]^3)"""
step = 0.125
end = 1
integrator = { method = "verlet", order = 2 }
[parameters]
n = 256
alpha = 0.25
[initial]
position = "sin(pi*(i+1)/(n+1))"
velocity = "0"
[output]
every = 100
"#;

/// What a stage of a composed step costs at most, in stages of one of lower order.
const STAGE: f64 = 1.2;

/// A step of order 2, 4 and 8 has 1, 5 and 15 stages, with one gradient each. Counted were 218,000, 549,000 and 1,376,000 instructions for a
/// step: 136,000 for what every step costs its observers, and 83,000 for each stage with its part of the discrete energy, whatever the order.
#[test]
fn stage_of_a_composition_method_costs_the_same_at_every_order() {
    let folder = Folder::new("cost-chain");
    std::fs::write(folder.0.join("chain.toml"), CHAIN).unwrap();
    let [two, four, eight] = [2, 4, 8].map(|order| {
        let order = format!("integrator.order={order}");
        let run = ["run", "chain.toml", "--set", &order];
        let (instructions, steps) = instructions_and_moves(&folder, &run, ["10", "40"])?;
        Some(instructions / steps)
    });
    let Some(((two, four), eight)) = two.zip(four).zip(eight) else { return };
    assert!(
        eight / 15.0 < STAGE * two,
        "{eight} instructions for a step of order 8, {two} for one of order 2"
    );
    // What does not depend on the number of stages cancels in differences.
    let [few, many] = [(four - two) / 4.0, (eight - two) / 14.0];
    assert!(many < STAGE * few, "{many} instructions for a stage of order 8, {few} for one of order 4");
}
