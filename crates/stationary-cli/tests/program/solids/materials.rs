//! Wrong constants of metals, rubber, wood and liquids, elements in space under plane assumptions, axes of revolution, methods that cannot
//! follow a history, and bricks of bad shape: one message with place and remedy, nothing written.

use super::super::{Folder, stderr, stdout};

const END: &str = "end = 1e-3\n";
const METAL: &str = "law = \"j2\"\nyoung = 2e9\npoisson = 0.3\ndensity = 1000\nyield = 1e6\n";
const LIQUID: &str = "law = \"fluid\"\ndensity = 1000\nbulk = 1e9\n";
const RUBBER: &str = "law = \"viscoelastic\"\nlambda = 2e6\nmu = 1e6\ndensity = 1000\n";
const WOOD: &str =
    "law = \"orthotropic\"\ndensity = 500\npoisson = [0.3, 0.3, 0.3]\nshear = [1e8, 1e8, 1e8]\n";

/// Corners of a brick, by place.
const BRICK: [[f64; 3]; 8] = [
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 0.0, 1.0],
    [1.0, 1.0, 1.0],
    [0.0, 1.0, 1.0],
];

/// An Abaqus file of one element, number 7.
fn element(kind: &str, points: &[[f64; 3]], nodes: &str) -> String {
    let mut text = String::from("*NODE\n");
    for (a, [x, y, z]) in points.iter().enumerate() {
        text += &format!("{}, {x}, {y}, {z}\n", a + 1);
    }
    format!("{text}*ELEMENT, TYPE={kind}, ELSET=body\n7, {nodes}\n")
}

fn brick(points: &[[f64; 3]]) -> String {
    element("C3D8", points, "1, 2, 3, 4, 5, 6, 7, 8")
}

/// A square in the plane, from this radius on.
fn section(kind: &str, from: f64) -> String {
    let points = [[from, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [from, 1.0, 0.0]];
    element(kind, &points, "1, 2, 3, 4")
}

fn scenario(top: &str, material: &str) -> String {
    format!("mesh = \"mesh.inp\"\n{top}[material.stuff]\n{material}")
}

/// Runs and checks each scenario with its mesh: exit code 2, and one message that has all the parts.
fn refused(test: &str, cases: &[(String, String, &[&str])]) {
    let folder = Folder::new(test);
    for (scenario, mesh, expected) in cases {
        std::fs::write(folder.0.join("run.toml"), scenario).unwrap();
        std::fs::write(folder.0.join("mesh.inp"), mesh).unwrap();
        for command in [&["run", "run.toml", "--out", "out"][..], &["check", "run.toml"]] {
            let out = folder.stationary(command);
            let message = stderr(&out);
            assert_eq!(out.status.code(), Some(2), "expected {expected:?}: {message}");
            for part in *expected {
                assert!(message.contains(part), "no `{part}` in: {message}");
            }
            assert!(message.starts_with("error: ") && message.matches("error:").count() == 1, "{message}");
            assert!(message.len() < 600 && message.lines().count() <= 4, "{message}");
            assert_eq!(stdout(&out), "");
            assert!(!folder.0.join("out").exists(), "partial results: {message}");
        }
    }
}

fn of_materials(test: &str, cases: &[(&str, &str, &[&str])]) {
    let cases: Vec<_> = cases
        .iter()
        .map(|(base, more, expected)| (scenario(END, &format!("{base}{more}")), brick(&BRICK), *expected))
        .collect();
    refused(test, &cases);
}

#[test]
fn wrong_constants_of_metals_are_refused_with_place_and_remedy() {
    let without = METAL.replace("yield = 1e6\n", "");
    of_materials(
        "metal-constants",
        &[
            (&without, "", &["run.toml:3:11: material `stuff` has no `yield`", "add: yield = 4e8"]),
            (&without, "yeild = 1e6", &["run.toml:8:1: unknown key `yeild`", "did you mean `yield`?"]),
            (&without, "yield = 0", &["`yield` must be a number greater than zero, found 0"]),
            (&without, "yield = \"soft\"", &["run.toml:8:10: unknown name `soft`"]),
            (METAL, "hardening = -1e6", &["run.toml:9:13: `hardening` must be a number, 0 or more"]),
            (METAL, "saturation = -1", &["`saturation` must be a number, 0 or more"]),
            (METAL, "saturation = 1\nsaturation_rate = 0", &["`saturation_rate` must be a number greater"]),
            (
                METAL,
                "saturation_rate = 10",
                &["run.toml:9:1: `saturation_rate` has no effect without `saturation`", "leave it out"],
            ),
            (METAL, "exponent = 0.3", &["run.toml:9:1: `exponent` has no effect without `power`"]),
            (METAL, "power = 1\nexponent = -1", &["`exponent` must be a number greater than zero, found -1"]),
            (METAL, "rate = 1", &["run.toml:9:1: `rate` has no effect without `rate_factor` or `viscous`"]),
            (METAL, "viscous_exponent = 1", &["`viscous_exponent` has no effect without `viscous`"]),
            (METAL, "viscous = 1\nrate = 0", &["`rate` must be a number greater than zero, found 0"]),
            (METAL, "branch_mu = [1]", &["unknown key `branch_mu` in material `stuff`"]),
            (METAL, "integration = \"reduced\"", &["`integration` `reduced`", "averaged-volume, full"]),
        ],
    );
}

#[test]
fn wrong_constants_of_rubber_wood_and_liquids_are_refused_with_place_and_remedy() {
    let ogden = "law = \"ogden\"\ndensity = 1000\n";
    of_materials(
        "other-constants",
        &[
            (RUBBER, "", &["material `stuff` has no `branch_mu`", "add: branch_mu = ["]),
            (
                RUBBER,
                "branch_mu = 1e6\nbranch_time = 1",
                &["run.toml:8:13: `branch_mu` must be a list of 1 to 12"],
            ),
            (RUBBER, "branch_mu = []\nbranch_time = []", &["`branch_mu` must be a list of 1 to 12"]),
            (
                RUBBER,
                "branch_mu = [1, 2]\nbranch_time = [1]",
                &["2 numbers in `branch_mu` and 1 in `branch_time`", "same length"],
            ),
            (
                RUBBER,
                "branch_mu = [1]\nbranch_time = [-1]",
                &["run.toml:9:16: `branch_time` must be a number greater than zero, found -1"],
            ),
            (RUBBER, "yield = 1", &["unknown key `yield`"]),
            (ogden, "young = 1\npoisson = 0.3", &["unknown key `young`", "moduli, exponents, bulk"]),
            (ogden, "moduli = [1]\nexponents = [-2]\nbulk = 1", &["run.toml:4:7: ", "term 1"]),
            (ogden, "moduli = 1\nexponents = 2\nbulk = 1", &["`moduli` must be a list"]),
            (WOOD, "young = 1e9", &["run.toml:8:9: `young` must be a list of 3 numbers greater than zero"]),
            (
                &WOOD.replace("0.3, 0.3, 0.3", "0.9, 0.9, 0.9"),
                "young = [1, 1, 1]",
                &["Poisson's ratios", "every strain costs energy"],
            ),
            (WOOD, "young = [1, 1, 1]\naxis = [0, 1, 0]", &["the axes", "not parallel"]),
            (WOOD, "young = [1, 1, 1]\naxis = [0, 0, 0]", &["the axes", "not zero"]),
            (WOOD, "young = [1, 1, 1]\naxis = [1, 0]", &["`axis` must be a list of 3 numbers"]),
            (LIQUID, "mu = 0", &["unknown key `mu` in material `stuff`", "allowed keys: density"]),
            (LIQUID, "gamma = 0.5", &["`gamma` must be", "1 or more, found 0.5"]),
            (LIQUID, "plane = \"axisymmetric\"", &["`plane = \"axisymmetric\"`, and elements in space"]),
            ("law = \"fluid\"\ndensity = 1000\n", "", &["material `stuff` has no `bulk`", "add: bulk = "]),
            ("law = \"J2\"\n", "", &["run.toml:4:7: unknown law `J2`", "did you mean `j2`?"]),
        ],
    );
}

#[test]
fn plane_assumptions_of_wrong_meshes_are_refused_with_place_and_remedy() {
    let of = |more: &str| scenario(END, &format!("{METAL}{more}"));
    let ring = of("plane = \"axisymmetric\"");
    refused(
        "assumptions",
        &[
            (
                ring.clone(),
                brick(&BRICK),
                &[
                    "run.toml:3:11: ",
                    "`plane = \"axisymmetric\"`, and elements in space",
                    "leave `plane` out",
                ],
            ),
            (of("plane = \"stress\""), brick(&BRICK), &["`plane = \"stress\"`, and elements in space"]),
            (of("plane = \"axi\""), section("CAX4", 0.0), &["`plane` `axi`", "strain, stress, axisymmetric"]),
            (of(""), section("CAX4", 0.0), &["axisymmetric (CAX...)", "expected `plane = \"axisymmetric\"`"]),
            (
                ring.clone(),
                section("CAX4", -0.1),
                &[
                    "element 7 (4-node quadrilateral) of group `body` has a node at (-0.1, 0, 0), across the axis",
                    "x >= 0",
                ],
            ),
            (
                of("plane = \"axisymmetric\"\nthickness = 2"),
                section("CAX4", 0.0),
                &["run.toml:10:1: ", "is axisymmetric and has a `thickness`", "whole ring"],
            ),
            (
                of("plane = \"stress\"\nintegration = \"averaged-volume\""),
                section("CPS4", 0.0),
                &["averaged volume", "integration = \"full\""],
            ),
        ],
    );
}

#[test]
fn methods_that_cannot_follow_a_history_are_refused_with_place_and_remedy() {
    let by = |method: &str| scenario(&format!("{END}step = 1e-6\nintegrator = {method}\n"), METAL);
    refused(
        "history-methods",
        &[
            (
                by("{ method = \"verlet\", order = 4 }"),
                brick(&BRICK),
                &["run.toml:4:25: verlet (order 4) steps backwards in time", "newmark"],
            ),
            (
                by("\"static\""),
                brick(&BRICK),
                &["run.toml:4:14: the body is not held", "free are translation along x", "add supports"],
            ),
        ],
    );
}

#[test]
fn bricks_of_bad_shape_are_refused_by_number_or_run() {
    let text = scenario(END, METAL);
    let moved = |a: usize, to: [f64; 3]| {
        let mut points = BRICK;
        points[a] = to;
        points
    };
    let flat = BRICK.map(|[x, y, _]| [x, y, 0.0]);
    let over = BRICK.map(|[x, y, z]| [x, -y, z]);
    let named = "mesh.inp:11:1: element 7 (8-node hexahedron)";
    refused(
        "brick-shapes",
        &[
            (text.clone(), brick(&flat), &[named, "has no volume"]),
            (text.clone(), brick(&over), &[named, "is inverted", "anticlockwise"]),
            (text.clone(), brick(&moved(6, [-1.0, -1.0, -0.2])), &[named, "is inverted"]),
            // Turned over at one corner alone: the volume is positive.
            (text.clone(), brick(&moved(6, [0.3, 0.3, 0.4])), &["element 7 (8-node hexahedron)", "folded"]),
            (text.clone(), element("C3D8", &BRICK, "1, 2, 3, 4, 5, 6, 7, 7"), &[named, "names node 7 twice"]),
            (
                text.clone(),
                element("C3D8", &BRICK, "1, 2, 3, 4, 5, 6, 7"),
                &["element 7 has 7 nodes", "has 8"],
            ),
            (text.clone(), element("S4R", &BRICK[..4], "1, 2, 3, 4"), &["`S4R` is a shell"]),
        ],
    );
    // A face that is warped by almost the length of an edge, and a brick a hundred times wider than thick, run.
    let folder = Folder::new("bricks-run");
    let thin = BRICK.map(|[x, y, z]| [x, y, 0.01 * z]);
    for points in [moved(6, [1.0, 1.0, 1.9]), thin] {
        let moving =
            scenario(&format!("{END}integrator = {{ method = \"newmark\", fraction = 0.05 }}\n"), METAL)
                + "[initial]\nvelocity = [\"Y\", 0, 0]\n";
        std::fs::write(folder.0.join("run.toml"), moving).unwrap();
        std::fs::write(folder.0.join("mesh.inp"), brick(&points)).unwrap();
        let claims = [
            "--set",
            "claim=[\"energy.max_relative_error < 1e-3\", \"momentum.linear.max_abs_drift < 1e-12\"]",
        ];
        let out = folder.stationary(&[&["run", "run.toml", "--out", "out"], &claims[..]].concat());
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    }
}
