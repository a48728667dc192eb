//! Bad input: exit 2, one message that says where, what, and what was expected, and nothing written.

use super::{Folder, PENDULUM, stderr, stdout};
use std::process::Output;

/// A case: what the message must say, all of it.
pub(super) struct Case<'a> {
    pub text: Vec<u8>,
    pub expected: &'a [&'a str],
}

/// The pendulum with one piece of its text replaced.
fn with<'a>(old: &str, new: &str, expected: &'a [&'a str]) -> Case<'a> {
    assert!(PENDULUM.contains(old), "{old}");
    Case { text: PENDULUM.replacen(old, new, 1).into_bytes(), expected }
}

fn refused(folder: &Folder, out: &Output, expected: &[&str]) {
    let message = stderr(out);
    assert_eq!(out.status.code(), Some(2), "{message}");
    for part in expected {
        assert!(message.contains(part), "no `{part}` in: {message}");
    }
    assert!(message.starts_with("error: ") && message.matches("error:").count() == 1, "{message}");
    assert!(message.len() < 1500 && message.lines().count() <= 4, "{message}");
    assert_eq!(stdout(out), "");
    for results in ["out", "results"] {
        assert!(!folder.0.join(results).exists(), "partial results: {message}");
    }
}

pub(super) fn all_refused(test: &str, cases: &[Case]) {
    let folder = Folder::new(test);
    for case in cases {
        std::fs::write(folder.0.join("bad.toml"), &case.text).unwrap();
        for command in [&["run", "bad.toml", "--out", "out"][..], &["check", "bad.toml"]] {
            refused(&folder, &folder.stationary(command), case.expected);
        }
    }
}

#[test]
fn unknown_names_in_scenarios_are_refused_with_a_suggestion() {
    all_refused(
        "bad-words",
        &[
            with(
                "step",
                "stpe",
                &["bad.toml:3:1: unknown key `stpe` in the scenario", "did you mean `step`?"],
            ),
            with("velocity", "velocty", &["bad.toml:9:1: unknown key `velocty`", "did you mean `velocity`?"]),
            with("cos(", "cso(", &["bad.toml:2:36: unknown function `cso`", "did you mean `cos`?"]),
            with("m*g*cos", "m*gg*cos", &["bad.toml:2:34: unknown name `gg`", "did you mean `g`?"]),
            with(
                "\"verlet\"",
                "\"verlte\"",
                &["bad.toml:5:14: unknown integrator", "did you mean `verlet`?"],
            ),
            with(
                "\"verlet\"",
                "{ method = \"gauss\", stagse = 2 }",
                &["bad.toml:5:34: unknown key `stagse`", "did you mean `stages`?"],
            ),
            with(
                "step =",
                "observe = [\"simplectic\"]\nstep =",
                &["bad.toml:3:12: unknown observer `simplectic`", "did you mean `symplectic`?"],
            ),
            // A generator's `i` is its own: a probe has no number.
            with(
                "[initial]",
                "symmetry = { turn = \"i + 1\" }\nprobe = { a = \"2*i\" }\n[initial]",
                &["bad.toml:8:18: unknown name `i`"],
            ),
        ],
    );
}

#[test]
fn wrong_values_in_scenarios_are_refused_with_the_expected_form() {
    all_refused(
        "bad-values",
        &[
            with("cos(theta)", "cos(theta, 1)", &["bad.toml:2:36: ", "`cos`", "takes 1 argument, found 2"]),
            with("cos(theta)", "atan2(theta)", &["bad.toml:2:36: ", "`atan2`", "takes 2 arguments, found 1"]),
            with(
                "velocity = { theta = 0.0 }",
                "velocity = {}",
                &[
                    "bad.toml:9:12: the coordinate `theta` without initial velocity",
                    "needs a number for each",
                ],
            ),
            with("position = { theta = 1.0 }\n", "", &["bad.toml:7:1: `initial` has no `position`"]),
            with(
                "[\"theta\"]",
                "[\"theta\", \"theta\"]",
                &["bad.toml:1:25: ", "has the name of a coordinate"],
            ),
            with("0.01", "0", &["bad.toml:3:8: `step` must be a number greater than zero, found 0"]),
            with("0.01", "-0.0", &["bad.toml:3:8: `step` must be a number greater than zero"]),
            with("g = 9.81", "g = nan", &["bad.toml:6:29: `g` must be a finite number, found NaN"]),
            with("g = 9.81", "g = \"0/0\"", &["bad.toml:6:29: `g` must be a finite number, found NaN"]),
            with("[\"theta\"]", "1000000", &["bad.toml:1:15: ", "from 1 to 2000, found 1000000"]),
            // Singular: without kinetic energy, everywhere, and only at the start.
            with(
                "0.5*m*vtheta^2",
                "0*m*vtheta",
                &["bad.toml:2:14: the mass matrix d2L/dv2 is singular", "`vtheta`"],
            ),
            with(
                "0.5*m*vtheta^2",
                "0.5*(theta - 1)*vtheta^2",
                &["bad.toml:2:14: the mass matrix", "singular"],
            ),
            with("cos(theta)", "log(theta - 1)", &["bad.toml:2:14: the Lagrangian is not a finite number"]),
        ],
    );
}

#[test]
fn scenarios_too_long_or_nested_too_deeply_are_refused_at_once() {
    let deep = 100_000;
    // Each is within the limits of one formula; together they would take minutes.
    let sums: String = (0..1000).map(|k| format!("s{k} = \"sum(j = 0..1e6, 0*j)\"\n")).collect();
    let sums = format!("[symmetry]\n{sums}[initial]");
    all_refused(
        "bad-size",
        &[
            Case {
                text: vec![b'#'; 10_000_000],
                expected: &["bad.toml: too long", "10.0 MB, at most 0.5 MB"],
            },
            with("cos(theta)", &"(".repeat(deep), &["bad.toml:2:", "nested more than 200 deep"]),
            with("cos(theta)", &"cos(".repeat(deep), &["bad.toml:2:", "nested more than 200 deep"]),
            with("cos(theta)", &"-".repeat(deep), &["bad.toml:2:", "nested more than 200 deep"]),
            with("0.01", &"[".repeat(deep), &["bad.toml:3:88: nested more than 80 deep"]),
            with("0.01", &"{a=".repeat(deep), &["bad.toml:3:248: nested more than 80 deep"]),
            with("step", &format!("a{}", ".a".repeat(deep)), &["bad.toml:3:160: nested more than 80 deep"]),
            with("[initial]", &sums, &["bad.toml:", "too large once its sums", "for all formulas together"]),
            with("cos(theta)", "sum(i = 0..1e15, theta^i)", &["bad.toml:2:", "too large once its sums"]),
        ],
    );
}

/// Cause: matrices of Newton's method are dense, and 2000 coordinates with 8 stages asked for 5 GB. Expected: the
/// limit is stated before anything is allocated.
#[test]
fn systems_with_too_many_unknowns_are_refused() {
    let chain = "coordinates = 2000\nlagrangian = \"sum(i = 0..1999, v[i]^2 - q[i]^2)/2\"\nstep = 0.1\nend = 1\n\
                 integrator = { method = \"gauss\", stages = 8 }\ninitial = { position = \"1\", velocity = \"0\" }";
    let expected = ["bad.toml:5:43: 2000 coordinates with 8 unknowns each", "4000 at once", "verlet"];
    all_refused("bad-unknowns", &[Case { text: chain.into(), expected: &expected }]);
}

#[test]
fn files_that_are_no_scenarios_are_refused_with_a_reason() {
    let folder = Folder::new("bad-files");
    let refused = |arguments: &[&str], expected: &[&str]| {
        refused(&folder, &folder.stationary(&[arguments, &["--out", "out"]].concat()), expected);
    };
    std::fs::write(folder.0.join("bad.toml"), b"step = 1\nend = \xff\xfe").unwrap();
    refused(&["run", "bad.toml"], &["bad.toml:2:7: not UTF-8 text", "save the scenario as UTF-8"]);
    std::fs::create_dir(folder.0.join("folder")).unwrap();
    refused(&["run", "folder"], &["`folder` is a folder", "expected a scenario file"]);
    refused(&["run", "bda.toml"], &["there is no file", "`bda.toml`", "did you mean `bad.toml`?"]);
    std::fs::write(folder.0.join("empty.toml"), "").unwrap();
    refused(
        &["run", "empty.toml"],
        &["empty.toml: the scenario has neither `lagrangian` nor `mesh`", "add `coordinates`"],
    );
}

#[test]
fn set_option_without_a_value_is_refused_by_name() {
    let folder = Folder::new("bad-set");
    for (set, expected) in [
        ("stpe=1", &["--set stpe:1:1: unknown key `stpe`", "did you mean `step`?"][..]),
        ("initial.velocty=[0]", &["unknown key `velocty`", "did you mean `velocity`?"]),
        ("parameters.g.x=1", &["`parameters.g` is a number"]),
        ("step=0", &["--set step:1:1: `step` must be a number greater than zero, found 0"]),
        ("step=[1", &["--set step:1:"]),
        ("integrator.stages=2", &["unknown key `stages` in integrator `verlet`"]),
    ] {
        std::fs::write(folder.0.join("good.toml"), PENDULUM).unwrap();
        let out = folder.stationary(&["run", "good.toml", "--out", "out", "--set", set]);
        refused(&folder, &out, expected);
    }
    // The argument parser answers for its own words, in its own form.
    let out = folder.stationary(&["run", "good.toml", "--out", "out", "--set", "step"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("expected key=value, as in step=0.01"), "{}", stderr(&out));
    assert!(!folder.0.join("out").exists());
}

#[test]
fn output_folder_that_cannot_be_created_is_named_in_the_error() {
    let folder = Folder::new("bad-out");
    std::fs::write(folder.0.join("good.toml"), PENDULUM).unwrap();
    // A file in the way refuses everyone, the superuser too.
    let out = folder.stationary(&["run", "good.toml", "--out", "good.toml/results"]);
    refused(&folder, &out, &["good.toml/results: "]);
    let text = std::fs::read_to_string(folder.0.join("good.toml")).unwrap();
    assert_eq!(text, PENDULUM);
}

/// Found before the run, not after it: a long run for a misspelt key is a night lost.
#[test]
fn claim_about_an_unknown_key_is_refused_with_a_suggestion() {
    let folder = Folder::new("bad-claim");
    std::fs::write(folder.0.join("good.toml"), PENDULUM).unwrap();
    for (claim, wants) in [
        ("claim=energy.max_relative_eror < 1", "did you mean `max_relative_error`?"),
        ("claim=symplectic.max_residual < 1", "the summary has no `symplectic`"),
        ("claim=scenario < 1", "a claim needs a number, `scenario` is none"),
    ] {
        let out = folder.stationary(&["run", "good.toml", "--out", "out", "--set", claim]);
        refused(&folder, &out, &["--set claim:1:1: ", wants]);
        let out = folder.stationary(&["check", "good.toml", "--set", claim]);
        refused(&folder, &out, &[wants]);
    }
}

/// A pendulum in the plane under a constraint, with one piece of its text replaced.
fn circle<'a>(old: &str, new: &str, expected: &'a [&'a str]) -> Case<'a> {
    const CIRCLE: &str = r#"coordinates = ["x", "y"]
lagrangian = "0.5*(vx^2 + vy^2) - y"
constraint = ["x^2 + y^2 - 1"]
step = 0.1
end = 1
integrator = "verlet"
[initial]
position = [0.6, 0.8]
velocity = [0.8, -0.6]
"#;
    assert!(CIRCLE.contains(old), "{old}");
    Case { text: CIRCLE.replacen(old, new, 1).into_bytes(), expected }
}

#[test]
fn constraints_that_cannot_be_satisfied_are_named_in_the_error() {
    all_refused(
        "bad-constraints",
        &[
            circle("0.6, 0.8", "0.6, 0.81", &["bad.toml:3:15: the initial position violates", "1.610000e-2"]),
            circle(
                "- 1\"",
                "- 1\", \"2*x^2 + 2*y^2 - 2\"",
                &["bad.toml:3:32: ", "redundant", "`x^2 + y^2 - 1`"],
            ),
            circle("- 1\"", "- 1\", \"x - 0.6\", \"y - 0.8\"", &["bad.toml:3:43: ", "redundant"]),
            circle("x^2 + y^2 - 1", "(x^2 + y^2 - 1)^2", &["bad.toml:3:15: ", "no gradient"]),
            circle("x^2 + y^2 - 1", "log(x - 1)", &["bad.toml:3:15: ", "not a finite number"]),
            circle("[0.8, -0.6]", "[1, 0]", &["bad.toml:3:15: the initial velocity leaves", "1.200000e0"]),
            circle("x^2 + y^2 - 1", "x*vx + y*vy", &["bad.toml:3:18: `vx` has no meaning here"]),
            circle(
                "x^2 + y^2 - 1",
                "x^2 + y^2 = 1",
                &["bad.toml:3:15: ", "not an equation", "x^2 + y^2 - (1)"],
            ),
            circle("\"verlet\"", "\"rk4\"", &["bad.toml:6:14: `rk4` has no discrete action"]),
            circle("\"verlet\"", "\"newmark\"", &["bad.toml:6:14: `newmark` takes constraints only"]),
            circle(
                "\"verlet\"",
                "{ method = \"verlet\", order = 4 }",
                &["bad.toml:6:25: `verlet` of order 4 takes neither forces nor constraints"],
            ),
            circle(
                "step",
                "force = [\"-vx\"]\nstep",
                &["bad.toml:4:9: `force` has 1 values for 2 coordinates"],
            ),
            circle("step", "force = [\"-px\", 0]\nstep", &["bad.toml:4:12: `px` has no meaning here"]),
        ],
    );
}

#[test]
fn reduction_of_systems_without_cyclic_coordinates_is_refused() {
    let orbit = |reduce: &str, more: &str, lagrangian: &str| {
        let text = format!(
            "coordinates = [\"r\", \"phi\"]\nlagrangian = \"{lagrangian}\"\nreduce = {reduce}\n{more}step = 0.1\nend = 1\n\
             [initial]\nposition = [1, 0]\nvelocity = [0, 1]\n"
        );
        text.into_bytes()
    };
    let (free, bound) = ("0.5*vr^2 + 0.5*r^2*vphi^2 + 1/r", "0.5*vr^2 + 0.5*r^2*vphi^2 + cos(phi)/r");
    let midpoint = "integrator = \"midpoint\"\n";
    all_refused(
        "bad-reduce",
        &[
            Case {
                text: orbit("\"phy\"", midpoint, free),
                expected: &["bad.toml:3:10: `phy` is not a coordinate", "did you mean `phi`?"],
            },
            Case { text: orbit("[\"phi\", \"phi\"]", midpoint, free), expected: &["bad.toml:3:", "twice"] },
            Case { text: orbit("[\"phi\", \"r\"]", midpoint, free), expected: &["leaves no coordinate"] },
            Case {
                text: orbit("3", midpoint, free),
                expected: &["bad.toml:3:10", "name of a cyclic coordinate"],
            },
            Case {
                text: orbit("\"phi\"", midpoint, bound),
                expected: &["bad.toml:3:10: `phi` is not cyclic", "depends on it"],
            },
            Case {
                text: orbit("\"phi\"", "force = [\"-vr\", 0]\nintegrator = \"midpoint\"\n", free),
                expected: &["bad.toml:3:10: `reduce` goes with neither"],
            },
            Case {
                text: orbit("\"phi\"", "integrator = \"rk4\"\n", free),
                expected: &["bad.toml:4:", "rk4 has no discrete Lagrangian of one step to reduce"],
            },
        ],
    );
}

#[test]
fn energy_steps_are_refused_where_they_are_not_defined() {
    let energy = |method: &str, more: &str| format!("{{ method = \"{method}\", step = \"energy\"{more} }}");
    all_refused(
        "bad-energy-steps",
        &[
            with("\"verlet\"", &energy("rk4", ""), &["cannot choose the steps of `rk4`", "midpoint"]),
            with("\"verlet\"", &energy("newmark", ""), &["cannot choose the steps of `newmark`"]),
            with("\"verlet\"", &energy("verlet", ", order = 4"), &["steps chosen by the energy", "midpoint"]),
            with(
                "\"verlet\"",
                "{ method = \"midpoint\", step = \"enregy\" }",
                &["bad.toml:5:44: unknown value of `step` `enregy`", "did you mean `energy`?"],
            ),
            with(
                "\"verlet\"",
                &energy("midpoint", ", turning = \"holds\""),
                &["unknown value of `turning`", "did you mean `hold`?"],
            ),
            with(
                "\"verlet\"",
                &energy("midpoint", ", largest = 0.5"),
                &["`largest` must be a number from 1 to 1000000"],
            ),
            with(
                "\"verlet\"",
                &energy("midpoint", ", smallest = 0"),
                &["`smallest` must be a number from 1e-6 to 1"],
            ),
            with(
                "\"verlet\"",
                "{ method = \"midpoint\", turning = \"hold\" }",
                &["`turning` belongs to `step = \"energy\"`"],
            ),
            with(
                "\"verlet\"",
                &(energy("midpoint", "") + "\nforce = [\"-vtheta\"]"),
                &["take no forces, constraints or reductions"],
            ),
        ],
    );
    let mut driven = with("\"verlet\"", &energy("midpoint", ""), &["this Lagrangian depends on `t`"]);
    driven.text =
        String::from_utf8(driven.text).unwrap().replacen("m*g*cos", "sin(t)*m*g*cos", 1).into_bytes();
    all_refused("bad-energy-time", &[driven]);
}

#[test]
fn two_columns_of_one_name_are_refused() {
    let probe = "[probe]\nenergy = \"theta\"\n\n[initial]";
    all_refused(
        "bad-columns",
        &[with("[initial]", probe, &["two columns of the results would be called `energy`", "the probe"])],
    );
}
