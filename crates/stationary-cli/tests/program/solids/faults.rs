//! Wrong meshes, groups, materials, supports, loads and steps: one message with place and element, nothing written. Runs
//! that fail on their way: time and element, everything kept.

use super::super::{Folder, stderr, stdout};
use super::{PULLED, SQUARE, summary, write};

/// The pulled square with one piece of its scenario replaced.
fn with(old: &str, new: &str) -> String {
    assert!(PULLED.contains(old), "{old}");
    PULLED.replacen(old, new, 1)
}

/// The mesh with one piece replaced.
fn mesh(old: &str, new: &str) -> String {
    assert!(SQUARE.contains(old), "{old}");
    SQUARE.replacen(old, new, 1)
}

/// Scenario, mesh, and what the message must say.
type Case<'a> = (String, String, &'a [&'a str]);

fn refused(test: &str, cases: &[Case]) {
    let folder = Folder::new(test);
    for (scenario, mesh, expected) in cases {
        write(&folder, scenario, mesh);
        for command in [&["run", "pull.toml", "--out", "out"][..], &["check", "pull.toml"]] {
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

fn scenarios(test: &str, cases: &[(String, &[&str])]) {
    let cases: Vec<Case> =
        cases.iter().map(|(text, expected)| (text.clone(), SQUARE.into(), *expected)).collect();
    refused(test, &cases);
}

#[test]
fn wrong_meshes_are_refused_with_place_and_remedy() {
    let pulled = || PULLED.to_string();
    refused(
        "solid-mesh",
        &[
            (
                with("square.msh", "sqare.msh"),
                SQUARE.into(),
                &["pull.toml:1:8: there is no mesh", "did you mean `square.msh`?"],
            ),
            (
                with("square.msh", "meshes/none.msh"),
                SQUARE.into(),
                &["there is no mesh", "relative to the folder"],
            ),
            (with("square.msh", "."), SQUARE.into(), &["pull.toml:1:8: the mesh `.` cannot be read"]),
            (pulled(), "hello\n".into(), &["square.msh:1:1: this is no mesh", "expected a Gmsh file"]),
            (pulled(), String::new(), &["square.msh:1:1: the file is empty"]),
            (pulled(), SQUARE[..SQUARE.len() / 2].into(), &["square.msh:"]),
            (
                pulled(),
                mesh("14 2 2 5 5 4 1 5", "14 3 2 5 5 4 1 5 2"),
                &["square.msh:30:1: element 14 (4-node quadrilateral) is folded"],
            ),
            (
                pulled(),
                mesh("14 2 2 5 5 4 1 5", "14 21 2 5 5 4 1 5"),
                &["square.msh:30:4: element type 21 (triangle of third or higher order) is not supported"],
            ),
            (pulled(), mesh("5 0.5 0.5 0", "5 0.5 0 0"), &["square.msh:27:1: element 11", "has no area"]),
            (pulled(), mesh("5 0.5 0.5 0", "5 0.5 -0.5 0"), &["square.msh:27:1: element 11", "is inverted"]),
            (
                pulled(),
                mesh("5 5 4 1 5", "5 5 3 4 5"),
                &["square.msh:30:1: element 14", "same nodes as element 13"],
            ),
            (
                pulled(),
                mesh("$Nodes\n5", "$Nodes\n6").replace("$EndNodes", "6 3 3 3\n$EndNodes"),
                &["square.msh:20:1: node 6 belongs to no element"],
            ),
            (pulled(), mesh("5 0.5 0.5 0", "5 nan 0.5 0"), &["node 5 has x = NaN"]),
            (
                pulled(),
                mesh("3 1 1 0", "3 1 1 0.5"),
                &[
                    "element 12 (3-node triangle) of group `body` near (1, 0, 0) is not in a plane of constant z",
                ],
            ),
        ],
    );
}

#[test]
fn wrong_groups_and_materials_are_refused_with_place_and_remedy() {
    scenarios(
        "solid-material",
        &[
            (
                with("law =", "group = \"bdoy\"\nlaw ="),
                &["pull.toml:5:9: ", "no group `bdoy`", "did you mean `body`?"],
            ),
            (with("\"left\"", "\"lfet\""), &["pull.toml:10:9: ", "no group `lfet`", "did you mean `left`?"]),
            (with("\"right\"", "\"rigth\""), &["no group `rigth`", "did you mean `right`?"]),
            (
                with("[probe]", "[mass.a]\ngroup = \"cornr\"\nmass = 1\n[probe]"),
                &["no group `cornr`", "did you mean `corner`?"],
            ),
            (
                with("law =", "group = \"body\"\nlaw ="),
                &["pull.toml:1:8: element 13 (3-node triangle)", "no material"],
            ),
            (
                with("law =", "group = [\"body\", \"half\"]\nlaw =")
                    .replace("[support", "[material.b]\ngroup = \"half\"\nlaw = \"linear\"\n[support"),
                &["the group `half` is already of `rubber`"],
            ),
            (
                with(
                    "law = \"neo-hookean\"\nyoung = 10\npoisson = 0.3",
                    "law = \"bar\"\nyoung = 10\narea = 1",
                ),
                &["element 11 (3-node triangle)", "no material", "`bar` of `rubber` is for lines"],
            ),
            (
                with("neo-hookean", "neo-hokean"),
                &["pull.toml:5:7: unknown law", "did you mean `neo-hookean`?"],
            ),
            (with("density = 1\n", ""), &["pull.toml:4:11: material `rubber` has no `density`"]),
            (
                with("density = 1", "density = 0"),
                &["pull.toml:8:11: `density` must be a number greater than zero, found 0"],
            ),
            (with("0.3", "0.5"), &["Poisson's ratio is 0.5", "below 0.5"]),
            (with("0.3", "-1"), &["Poisson's ratio is -1"]),
            (with("young = 10", "young = -10"), &["Young's modulus is -10", "positive"]),
            (with("young = 10", "young = nan"), &["pull.toml:6:9: `young` must be a finite number"]),
            (with("young = 10", "young = 10\nmu = 3"), &["`lambda` and `mu`, or `young` and `poisson`"]),
            (with("young = 10\n", ""), &["`lambda` and `mu`, or `young` and `poisson`"]),
            (
                with("young = 10", "yuong = 10"),
                &["unknown key `yuong` in material `rubber`", "did you mean `young`?"],
            ),
            (
                with("young = 10", "young = 10\nplane = \"stres\""),
                &["unknown value of `plane`", "did you mean `stress`?"],
            ),
            (
                with("density = 1", "density = 1\nthickness = -1"),
                &["`thickness` must be a number greater than zero, found -1"],
            ),
            (
                with(
                    "law = \"neo-hookean\"\nyoung = 10\npoisson = 0.3",
                    "law = \"formula\"\nenergy = \"I1*K\"",
                ),
                &["pull.toml:6:14: unknown name `K`"],
            ),
            (
                with(
                    "law = \"neo-hookean\"\nyoung = 10\npoisson = 0.3",
                    "law = \"formula\"\nenergy = \"I1\"",
                ),
                &["pull.toml:6:10: the energy leaves a stress of 2 at rest"],
            ),
        ],
    );
}

/// An element in two groups of two materials.
#[test]
fn element_in_two_materials_is_refused() {
    let two = with("law =", "group = \"body\"\nlaw =").replace(
        "[support",
        "[material.b]\ngroup = \"half\"\nlaw = \"linear\"\nyoung = 1\npoisson = 0\ndensity = 1\n[support",
    );
    let abaqus = "*Node\n1, 0, 0\n2, 1, 0\n3, 0, 1\n4, 1, 1\n*Element, type=CPE3\n1, 1, 2, 3\n2, 2, 4, 3\n\
                  *Elset, elset=body\n1, 2\n*Elset, elset=half\n2\n*Nset, nset=left\n1, 3\n*Nset, nset=right\n2, 4\n";
    let two = two.replace("[12]", "[2]");
    refused(
        "solid-two",
        &[(
            two.clone(),
            abaqus.into(),
            &["element 2 (3-node triangle)", "is of `rubber` and of `b`", "overlap"],
        )],
    );
    let folder = Folder::new("abaqus");
    write(
        &folder,
        &two.replace("\"body\"", "\"rest\""),
        &abaqus.replace("elset=body\n1, 2", "elset=rest\n1"),
    );
    let out = folder.stationary(&["run", "pull.toml"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
}

#[test]
fn wrong_supports_loads_and_initial_states_are_refused_with_place_and_remedy() {
    let pressure = "group = \"inner\"\npressure = \"0.1\"";
    let pull = "group = \"right\"\ntraction = [\"0.1*(1 + t)\", 0]";
    scenarios(
        "solid-loads",
        &[
            (
                with("[load", "[support.two]\ngroup = \"left\"\nx = \"0.1\"\n[load"),
                &["pull.toml:14:5: node 1 is held along x by `wall` already"],
            ),
            (
                with(pull, pressure),
                &["pull.toml:12:7: element 3 (2-node line) of group `inner` lies inside the body"],
            ),
            (with("\"right\"", "\"corner\""), &["group `corner` of load `pull` has no side of the body"]),
            (with("0.1*(1 + t)", "log(t)"), &["pull.toml:14:13: the formula is -inf at (1, 0, 0), time 0"]),
            (with("0.1*(1 + t)", "0.1*x"), &["pull.toml:14:18: `x` has no meaning here"]),
            (
                with("[probe]", "[initial]\ndeformation = [\"-X\", \"Y\"]\n[probe]"),
                &["pull.toml:16:16: at the start, element 11: inverted"],
            ),
            (
                with("[probe]", "[initial]\nvelocity = [\"1/X\", 0]\n[probe]"),
                &["pull.toml:16:13: the formula is inf at (0, 0, 0), time 0"],
            ),
            (
                with("[1, 1]", "[9, 9]"),
                &["pull.toml:16:14: the probe `tip` is outside of the body", "[1, 1, 0]"],
            ),
            (with("[12]", "[99]"), &["the body has no element 99"]),
            (with("[12]", "[1]"), &["the body has no element 1"]),
            (with("frames = 4", "frames = 40"), &["pull.toml:21:10: 40 frames and 20 rows"]),
            (
                with("end = 1.0", "end = 1.0\nobserve = [\"symplectic\"]"),
                &["pull.toml:3:12: `symplectic` is not observed on solids"],
            ),
            (
                with("end = 1.0", "end = 1.0\nclaim = \"momentum.liner.scale < 1\""),
                &["did you mean `linear`?"],
            ),
        ],
    );
}

#[test]
fn wrong_time_steps_of_solids_are_refused_with_place_and_remedy() {
    let spring = "[material.s]\nlaw = \"spring\"\ngroup = \"inner\"\nstiffness = 1\n[support";
    let sprung = |option: &str| with("fraction = 0.2", option).replace("[support", spring);
    scenarios(
        "solid-steps",
        &[
            (with("0.2", "0"), &["`fraction` must be a number greater than zero and at most 10, found 0"]),
            (
                with("fraction = 0.2", "rule = \"eigne\""),
                &["unknown value of `rule`", "did you mean `eigen`?"],
            ),
            (with("\"free\"", "\"fre\""), &["unknown value of `steps`", "did you mean `free`?"]),
            (with("\"avi\"", "\"abi\""), &["unknown integrator `abi`", "did you mean `avi`?"]),
            (with("0.2", "0.2, alpha = 1"), &["unknown key `alpha` in integrator `avi` of a solid"]),
            (with("0.2", "0.2, threads = 0"), &["threads", "1 to 255"]),
            (with("0.2", "0.2, threads = 1.5"), &["threads", "whole number"]),
            (with("0.2", "0.2, factor = \"-1\""), &["the factor is -1 at the start"]),
            (
                with("\"free\"", "\"harmonic\", factor = \"1\""),
                &["`factor` changes the steps", "steps = \"free\""],
            ),
            (with("0.2", "0.2, step = { bdy = 0.1 }"), &["unknown group `bdy`", "did you mean `body`?"]),
            (with("0.2", "0.2, step = -1"), &["`step` must be a number greater than zero"]),
            (with("0.2", "0.2, step = 1e-30"), &["the step of element 11 is 1e-30", "move the clock"]),
            (
                sprung("rule = \"courant\""),
                &["element 3 of group `inner` is a spring without mass", "rule = \"eigen\"", "step = {"],
            ),
            (sprung("split = \"own\""), &["no step: element 3", "split = \"stiffness\""]),
        ],
    );
    let folder = Folder::new("spring");
    write(&folder, &sprung("rule = \"eigen\""), SQUARE);
    let out = folder.stationary(&["run", "pull.toml"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let out = folder.stationary(&["check", "pendulum", "--set", "integrator=avi"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("it moves solids, which have a `mesh`"), "{}", stderr(&out));
}

/// A formula may have no value where its load does not act.
#[test]
fn load_formula_needs_a_finite_value_only_where_it_acts() {
    let folder = Folder::new("solid-where");
    write(&folder, &with("0.1*(1 + t)", "0.1/X"), SQUARE);
    let out = folder.stationary(&["run", "pull.toml"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    // Nor does it need a slope at the start.
    write(&folder, &with("0.1*(1 + t)", "0.1*sqrt(t)"), SQUARE);
    let claim = "claim=energy.max_relative_error < 0.1";
    let out = folder.stationary(&["run", "pull.toml", "--set", claim]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
}

#[test]
fn failed_solid_run_names_time_and_element_and_keeps_its_rows() {
    let violent = with("[probe]", "[initial]\nvelocity = [\"-30*X\", 0]\n[probe]");
    let folder = Folder::new("solid-fails");
    for (scenario, sets, reason) in [
        (violent.clone(), &[][..], "inverted"),
        (violent.clone(), &["--set", "integrator.steps=harmonic"], "inverted"),
        (violent.clone(), &["--set", "integrator.method=newmark"], "inverted"),
        (violent, &["--set", "integrator.method=midpoint", "--set", "step=0.01"], "inverted"),
        (with("0.2", "0.2, factor = \"0.5 - t\""), &[], "its step is "),
        (with("0.1*(1 + t)", "sqrt(0.5 - t)"), &[], "the load on it is not a finite number"),
        (
            with("0.1*(1 + t)", "sqrt(0.5 - t)"),
            &["--set", "integrator.method=verlet"],
            "the load on it is not a finite",
        ),
    ] {
        write(&folder, &scenario, SQUARE);
        let more = ["--set", "output.rows=200", "--out", "out", "--quiet"];
        let out = folder.stationary(&[&["run", "pull.toml"], &more[..], sets].concat());
        let message = stderr(&out);
        assert_eq!(out.status.code(), Some(2), "{reason} {sets:?}: {message}");
        assert!(
            message.starts_with("error: the run stopped at time ") && message.lines().count() == 1,
            "{message}"
        );
        assert!(message.contains(reason), "no `{reason}` in: {message}");
        let element = (11..=14).any(|k| message.contains(&format!("element {k} at time ")));
        assert!(element, "no element of the mesh in: {message}");
        let series = std::fs::read_to_string(folder.0.join("out/series.csv")).unwrap();
        let summary = summary(&folder.0.join("out"));
        assert_eq!(summary["rows"], series.lines().count() - 1);
        assert!(series.lines().count() > 2 && series.ends_with('\n'), "{series}");
        assert_eq!(summary["finished"], false);
        assert!(summary["stopped"]["reason"].as_str().unwrap().contains(reason));
        for file in ["report.html", "frames.pvd"] {
            assert!(folder.0.join("out").join(file).is_file(), "{file}");
        }
    }
}
