//! Solids as a user runs them: shipped ones by name, small ones from meshes written here, broken ones.

mod auto;
mod faults;
mod materials;
mod ordered;
mod resumed;

use super::{Folder, stderr, stdout};
use serde_json::Value;
use std::path::Path;

/// Four triangles around the centre of a unit square, with a line inside and a point.
pub(super) const SQUARE: &str = r#"$MeshFormat
2.2 0 8
$EndMeshFormat
$PhysicalNames
6
0 6 "corner"
1 1 "left"
1 2 "right"
1 4 "inner"
2 3 "body"
2 5 "half"
$EndPhysicalNames
$Nodes
5
1 0 0 0
2 1 0 0
3 1 1 0
4 0 1 0
5 0.5 0.5 0
$EndNodes
$Elements
8
1 1 2 1 1 4 1
2 1 2 2 2 2 3
3 1 2 4 4 1 5
4 15 2 6 6 3
11 2 2 3 3 1 2 5
12 2 2 3 3 2 3 5
13 2 2 5 5 3 4 5
14 2 2 5 5 4 1 5
$EndElements
"#;

/// The square, held on its left and pulled on its right.
pub(super) const PULLED: &str = r#"mesh = "square.msh"
end = 1.0
integrator = { method = "avi", steps = "free", fraction = 0.2 }
[material.rubber]
law = "neo-hookean"
young = 10
poisson = 0.3
density = 1
[support.wall]
group = "left"
fixed = true
[load.pull]
group = "right"
traction = ["0.1*(1 + t)", 0]
[probe]
tip = { at = [1, 1], value = "x - X" }
[local_energy]
elements = [12]
[output]
rows = 20
frames = 4
"#;

/// Writes a scenario and its mesh.
fn write(folder: &Folder, scenario: &str, mesh: &str) {
    std::fs::write(folder.0.join("pull.toml"), scenario).unwrap();
    std::fs::write(folder.0.join("square.msh"), mesh).unwrap();
}

fn summary(out: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(out.join("summary.json")).unwrap()).unwrap()
}

/// The number under a dotted key.
fn number(summary: &Value, key: &str) -> f64 {
    let value = key.split('.').fold(summary, |value, part| &value[part]);
    value.as_f64().unwrap_or_else(|| panic!("{key} is {value}"))
}

/// Those whose momenta are conserved: not bodies of revolution, nor the law `linear`, which rotations stiffen.
const SHIPPED: [(&str, &str); 10] = [
    ("bar-wave", "1e-4"),
    ("block", "1e-4"),
    ("l-beam", "1e-4"),
    ("slab", "0.02"),
    ("blade-1", "2e-5"),
    ("blade-2", "2e-5"),
    ("blade-3", "2e-5"),
    ("graded-cube", "5e-4"),
    ("viscoelastic-ring", "3e-4"),
    ("tube-wave", "3e-4"),
];

#[test]
fn every_shipped_solid_runs_by_name_with_every_step_rule() {
    let folder = Folder::new("solids");
    for (name, end) in SHIPPED {
        for (method, steps) in
            [("avi", "free"), ("avi", "harmonic"), ("newmark", "free"), ("newmark", "harmonic")]
        {
            // Balances of energy are followed where asked for.
            let observe = if steps == "free" { "local_energy" } else { "energy" };
            let sets = [
                "end=".to_string() + end,
                format!("observe={observe}"),
                format!("integrator.method={method}"),
                format!("integrator.steps={steps}"),
                "output.rows=10".into(),
                "output.frames=2".into(),
            ];
            let sets = sets.iter().flat_map(|s| ["--set", s.as_str()]);
            let out =
                folder.stationary(&["run", name, "--out", "out"].into_iter().chain(sets).collect::<Vec<_>>());
            let code = out.status.code();
            assert!(matches!(code, Some(0 | 1)), "{name} {method} {steps}: {}", stderr(&out));
            // A method may fail to gain by local steps, and a short run may not come to what happens at the end.
            let fails: Vec<String> = stderr(&out).lines().map(String::from).collect();
            let may =
                ["avi.ideal_speedup", "probe.", "energy.dissipated"].map(|c| format!("claim failed: {c}"));
            assert!(fails.iter().all(|l| may.iter().any(|m| l.starts_with(m))), "{name}: {fails:?}");
            let summary = summary(&folder.0.join("out"));
            sane(&summary, method);
            assert_eq!(
                summary["local_energy"]["worst"].is_number(),
                steps == "free",
                "{name} {method} {steps}"
            );
        }
    }
}

/// Free steps at 0.8 of the limits feed waves of the size of an element; the default does not. Unless they have a factor the run reduces them.
#[test]
fn secular_energy_growth_of_a_solid_is_reported_with_elements_and_remedy() {
    let folder = Folder::new("growth");
    let run = |sets: &[&str]| {
        let scatter = r#"initial.velocity=["0.01*sin(7919*X + 1013*Y)", "0.01*cos(5113*X - 3001*Y)"]"#;
        let common = ["parameters.g=0", "end=3", "output.frames=0", "claim=[]", scatter];
        let sets = common.iter().chain(sets).flat_map(|s| ["--set", s]);
        let arguments: Vec<&str> =
            ["run", "slab", "--quiet", "--out", "out"].into_iter().chain(sets).collect();
        let out = folder.stationary(&arguments);
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        (stderr(&out), summary(&folder.0.join("out")))
    };
    let free = ["integrator.rule=eigen", "integrator.fraction=0.8", "integrator.limit=element"];
    // Steps with a factor are left as they are.
    let (told, seen) = run(&[free[0], free[1], free[2], "integrator.factor=1"]);
    assert!(told.lines().next().is_some_and(|l| l.starts_with("warning: the energy grows")), "{told}");
    assert!(told.contains("warning: The energy grew by") && told.contains("steps = \"harmonic\""), "{told}");
    let growth = &seen["energy"]["growth"];
    assert!(number(growth, "relative") > 0.02 && number(growth, "first_seen") < 3.0, "{growth}");
    assert_eq!(growth["elements"].as_array().map(Vec::len), Some(5), "{growth}");
    assert_eq!(seen["avi"]["rescaled"], Value::Array(Vec::new()));
    // Others are reduced where the energy grows.
    let (told, seen) = run(&free);
    assert!(told.starts_with("warning: the energy grew: back to t = "), "{told}");
    assert!(told.contains("warning: The time steps were reduced"), "{told}");
    let rescaled = seen["avi"]["rescaled"].as_array().unwrap();
    assert!((1..=6).contains(&rescaled.len()), "{rescaled:?}");
    assert!(rescaled.iter().all(|r| r["reason"] == "growth" && number(r, "factor") <= 0.7), "{rescaled:?}");
    assert_eq!(number(&seen, "energy.growth.relative"), 0.0);
    let (told, seen) = run(&["integrator={ method = \"avi\" }"]);
    assert_eq!(told, "");
    assert_eq!(number(&seen, "energy.growth.relative"), 0.0);
    assert!(seen["energy"]["growth"]["first_seen"].is_null());
}

/// The message names a fraction, and that fraction is accepted.
#[test]
fn fraction_whose_energy_grows_is_refused_with_one_that_holds() {
    let folder = Folder::new("certificate");
    let check = |fraction: &str| {
        let fraction = format!("integrator.fraction={fraction}");
        folder.stationary(&["check", "graded-cube", "--set", &fraction])
    };
    let out = check("1.3");
    let told = stderr(&out);
    assert_eq!(out.status.code(), Some(2), "{told}");
    assert!(told.contains("the energy grows with these steps") && told.contains("around element"), "{told}");
    let after = told.split("a `fraction` of ").nth(1).unwrap_or_default();
    let holds = after.split(',').next().unwrap_or_default();
    assert!(holds.parse::<f64>().is_ok_and(|fraction| fraction < 1.0), "{told}");
    let out = check(holds);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(stdout(&out).contains("pairs of levels proved stable: "), "{}", stdout(&out));
}

/// The keys that every run of a solid has, with values that can be.
fn sane(summary: &Value, method: &str) {
    let get = |key: &str| number(summary, key);
    let [elements, nodes] = ["avi.elements", "avi.nodes"].map(get);
    let [total, min, max] = ["avi.updates.total", "avi.updates.min", "avi.updates.max"].map(get);
    assert!(
        elements >= 1.0 && nodes >= 2.0 && min <= max && total >= elements * min && total <= elements * max
    );
    let [least, most] = ["avi.step.min", "avi.step.max"].map(get);
    assert!(least > 0.0 && least <= most);
    let lambda = get("avi.ideal_speedup");
    match method {
        "newmark" => {
            assert!((lambda - 1.0).abs() < 1e-9 && least == most && total == get("avi.synchronous_updates"))
        }
        _ => assert!(lambda >= 1.0 - 1e-9 && get("avi.synchronous_updates") >= total - elements),
    }
    for key in ["momentum.linear.max_abs_drift", "momentum.angular.max_abs_drift"] {
        assert!((0.0..1e-11).contains(&get(key)), "{key}: {}", get(key));
    }
    if summary["local_energy"]["worst"].is_number() {
        let [fine, coarse] =
            ["local_energy.fraction_below_0_1_percent", "local_energy.fraction_below_1_percent"].map(get);
        assert!(0.0 <= fine && fine <= coarse && coarse <= 1.0, "{fine} {coarse}");
    }
    assert!(get("solid.mass") > 0.0 && get("solid.volume") > 0.0 && get("wall_seconds") > 0.0);
}

/// Cause: methods of the ground floor took the largest step of an element, and the explicit ones blew up. Expected: each
/// takes a step at which it is stable.
#[test]
fn integrators_of_formula_systems_run_on_solids() {
    let folder = Folder::new("solid-methods");
    for (name, end) in [("bar-wave", "1e-4"), ("slab", "0.02")] {
        for method in ["midpoint", "gauss", "lobatto", "verlet", "trapezoidal", "rk4"] {
            let (end, method) = (format!("end={end}"), format!("integrator.method={method}"));
            let sets = ["--set", &end, "--set", &method, "--set", "claim=energy.max_relative_error < 0.2"];
            let out = folder.stationary(&[&["run", name, "--out", "out"][..], &sets].concat());
            assert_eq!(out.status.code(), Some(0), "{name} {method}: {}", stderr(&out));
            let series = std::fs::read_to_string(folder.0.join("out/series.csv")).unwrap();
            let times: Vec<f64> =
                series.lines().skip(1).map(|l| l.split(',').next().unwrap().parse().unwrap()).collect();
            assert!(times.len() > 2 && times.windows(2).all(|w| w[0] < w[1]), "{method}: a moment twice");
        }
    }
}

#[test]
fn two_runs_of_a_solid_write_the_same_bytes_and_frames_read_back() {
    let folder = Folder::new("solid-equal");
    write(&folder, PULLED, SQUARE);
    for out in ["a", "b"] {
        let out = folder.stationary(&["run", "pull.toml", "--out", out]);
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        assert!(stdout(&out).contains("frames.pvd"));
    }
    resumed::equal(&folder.0.join("a"), &folder.0.join("b"));
    let series = std::fs::read_to_string(folder.0.join("a/series.csv")).unwrap();
    assert_eq!(
        series.lines().next().unwrap(),
        "t,energy,kinetic,potential,work,momentum.linear.x,momentum.linear.y,momentum.linear.z,momentum.angular.x,\
         momentum.angular.y,momentum.angular.z,balance.linear,balance.angular,updates.total,updates.min,\
         updates.max,reaction.wall.x,reaction.wall.y,reaction.wall.z,tip,element.12.energy,element.12.residual,element.12.accumulated"
    );
    assert_eq!(series.lines().count(), 22);
    let pvd = std::fs::read_to_string(folder.0.join("a/frames.pvd")).unwrap();
    let files: Vec<&str> = pvd.split("file=\"").skip(1).map(|rest| rest.split('"').next().unwrap()).collect();
    assert_eq!(files.len(), 5);
    for file in files {
        let bytes = std::fs::read(folder.0.join("a").join(file)).unwrap();
        let mesh = stationary::mesh::Mesh::read(file, &bytes).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((mesh.points.len(), mesh.cells.iter().map(|c| c.len()).sum::<usize>()), (5, 4));
        let text = String::from_utf8_lossy(&bytes).into_owned();
        for field in
            ["displacement", "velocity", "stress", "von_mises", "step", "updates", "material", "element"]
        {
            assert!(text.contains(&format!("Name=\"{field}\"")), "{field}");
        }
    }
}

#[test]
fn solid_run_writes_the_same_bytes_on_any_number_of_threads() {
    let folder = Folder::new("solid-threads");
    let run = |out: &str, more: &[&str]| {
        let sets =
            ["--set", "end=2e-3", "--set", "output.rows=4", "--set", "output.frames=2", "--set", "claim=[]"];
        let out = folder.stationary(&[&["run", "graded-cube", "--out", out], &sets[..], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    };
    run("one", &["--threads", "1"]);
    for (out, more) in [("two", &["-t", "2"][..]), ("three", &["--set", "integrator.threads=3"])] {
        run(out, more);
        for name in ["series.csv", "frames/frame-000002.vtu"] {
            let [a, b] = ["one", out].map(|o| std::fs::read(folder.0.join(o).join(name)).unwrap());
            assert!(a == b, "{name} of {out}");
        }
    }
    for (more, why) in [("0", "1..=255"), ("many", "invalid"), ("-1", "-1")] {
        let out = folder.stationary(&["run", "graded-cube", "--threads", more]);
        assert!(out.status.code() == Some(2) && stderr(&out).contains(why), "{}", stderr(&out));
    }
    let out = folder.stationary(&["run", "pendulum", "--threads", "2"]);
    assert!(out.status.code() == Some(2) && stderr(&out).contains("threads"), "{}", stderr(&out));
}

/// The work of a growing load is the energy it brings in, and what the wall gives is what the load gives.
#[test]
fn loaded_solid_balances_energy_and_momentum() {
    let folder = Folder::new("solid-balance");
    write(&folder, PULLED, SQUARE);
    let out = folder.stationary(&["run", "pull.toml", "--out", "out", "--set", "integrator.fraction=0.02"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let summary = summary(&folder.0.join("out"));
    assert!(number(&summary, "energy.max_relative_error") < 1e-3, "{summary}");
    // Load and wall: 0.1 (t + t^2/2) to the right, all of the momentum else.
    let series = std::fs::read_to_string(folder.0.join("out/series.csv")).unwrap();
    let last: Vec<f64> = series.lines().last().unwrap().split(',').map(|x| x.parse().unwrap()).collect();
    let wall = summary["reaction_impulse"]["wall"][0].as_f64().unwrap();
    assert!((last[5] - 0.15 - wall).abs() < 2e-3, "{} {wall}", last[5]);
}

/// Probes say which node they follow, and warn where that is not where they were asked for.
#[test]
fn probes_of_a_solid_name_their_node() {
    let folder = Folder::new("solid-probes");
    write(&folder, PULLED, SQUARE);
    let out = folder.stationary(&["run", "pull.toml", "--out", "near"]);
    assert_eq!((out.status.code(), stderr(&out).contains("probe")), (Some(0), false), "{}", stderr(&out));
    assert!(stdout(&out).contains("probe tip"), "{}", stdout(&out));
    assert!(stdout(&out).contains("node 3 at (1, 1, 0)\n"), "{}", stdout(&out));
    let near = summary(&folder.0.join("near"));
    let tip = &near["probe"]["tip"];
    assert_eq!((tip["node"].as_u64(), tip["distance"].as_f64()), (Some(3), Some(0.0)));
    let far = PULLED.replace("at = [1, 1]", "at = [0.7, 1]");
    write(&folder, &far, SQUARE);
    let out = folder.stationary(&["run", "pull.toml", "--quiet", "--out", "far"]);
    assert_eq!(out.status.code(), Some(0));
    let told = stderr(&out);
    assert!(told.contains("warning: no node is where the probe `tip` was asked for"), "{told}");
    assert!(told.contains("node 3 at (1, 1, 0), 0.3 away"), "{told}");
    let far = summary(&folder.0.join("far"));
    assert_eq!(far["probe"]["tip"]["final"], near["probe"]["tip"]["final"]);
    let out = folder.stationary(&["check", "pull.toml"]);
    assert!(stdout(&out).contains("tip: node 3 at (1, 1, 0), 0.3 away"), "{}", stdout(&out));
}

/// A mesh whose triangles run clockwise is the same body, and a note says what was done.
#[test]
fn clockwise_plane_mesh_gives_the_results_of_the_anticlockwise_one() {
    let folder = Folder::new("solid-clockwise");
    write(&folder, PULLED, SQUARE);
    assert_eq!(folder.stationary(&["run", "pull.toml", "--quiet", "--out", "a"]).status.code(), Some(0));
    let mut turned = SQUARE.to_string();
    for (old, new) in [("1 2 5", "1 5 2"), ("2 3 5", "2 5 3"), ("3 4 5", "3 5 4"), ("4 1 5", "4 5 1")] {
        assert!(turned.contains(&format!("{old}\n")));
        turned = turned.replace(&format!(" {old}\n"), &format!(" {new}\n"));
    }
    write(&folder, PULLED, &turned);
    let out = folder.stationary(&["run", "pull.toml", "--quiet", "--out", "b"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert_eq!(stderr(&out), "note: all 4 triangles of the mesh ran clockwise and were turned over\n");
    let series = |run: &str| std::fs::read(folder.0.join(run).join("series.csv")).unwrap();
    assert_eq!(series("a"), series("b"));
}
