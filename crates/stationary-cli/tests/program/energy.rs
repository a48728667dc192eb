//! `stationary explain-energy`.

use super::{Folder, PENDULUM, stderr, stdout};

/// The last column of the row that begins with a name, as a number.
fn order(text: &str, row: &str) -> f64 {
    let line = text.lines().find(|l| l.trim_start().starts_with(&format!("{row}  ")));
    let line = line.unwrap_or_else(|| panic!("no row `{row}` in\n{text}"));
    line.split_whitespace().last().unwrap().parse().unwrap_or_else(|_| panic!("{line}"))
}

#[test]
fn explain_energy_shows_the_truncations_of_a_run_with_their_orders() {
    let folder = Folder::new("energy");
    std::fs::write(folder.0.join("swing.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["explain-energy", "swing.toml", "--set", "end=10", "--set", "step=0.05"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    for part in
        ["h = 0.05 (200 steps) and h/2 = 0.025 (400 steps)", "H_2 = A/12 - B/24", "H_4 = ", "[VTI04 3.5]"]
    {
        assert!(text.contains(part), "{part}:\n{text}");
    }
    for (row, expected) in [("H", 2.0), ("H + h^2 H_2", 4.0), ("H + h^2 H_2 + h^4 H_4", 6.0)] {
        assert!((order(&text, row) - expected).abs() < 0.2, "{text}");
    }
    let files: Vec<_> = std::fs::read_dir(&folder.0).unwrap().map(|f| f.unwrap().file_name()).collect();
    assert_eq!(files, ["swing.toml"], "nothing is written");
    let gauss = ["--set", "integrator.method=gauss", "--set", "end=10", "--set", "step=0.05"];
    let out = folder.stationary(&[&["explain-energy", "swing.toml"][..], &gauss].concat());
    let text = stdout(&out);
    assert!(text.contains("no term is known as a formula"), "{text}");
    assert!((order(&text, "|H~ - H| at most") - 4.0).abs() < 0.3, "{text}");
}

#[test]
fn explain_energy_of_runs_without_modified_energy_exits_with_2() {
    let folder = Folder::new("no-energy");
    let cases: [(&[&str], &str); 6] = [
        (&["pendulum", "--set", "integrator=rk4"], "rk4 is not variational"),
        (&["damped-particle"], "forces do work"),
        (&["free-top"], "this is a rigid body"),
        (&["bar-wave"], "this is a solid"),
        (&["pendulm"], "did you mean `pendulum`?"),
        (&["pendulum", "--set", "step=-1"], "step"),
    ];
    for (arguments, expected) in cases {
        let out = folder.stationary(&[&["explain-energy"], arguments].concat());
        assert_eq!(out.status.code(), Some(2), "{arguments:?}");
        assert!(out.stdout.is_empty(), "{arguments:?}: {}", stdout(&out));
        assert!(stderr(&out).contains(expected), "{arguments:?}: {}", stderr(&out));
    }
}

/// Observers and sections of systems that cannot have them are refused, not crashed on.
#[test]
fn observers_that_need_neighbouring_runs_are_refused_where_they_cannot_work() {
    let folder = Folder::new("around");
    let cases: [(&[&str], &str); 6] = [
        (&["spherical-pendulum", "--set", "observe=loop_area"], "constraints leave them none"),
        (&["spherical-pendulum", "--set", "observe=modified_energy"], "not known under constraints"),
        (&["free-top", "--set", "observe=loop_area"], "loop_area"),
        (&["bar-wave", "--set", "observe=modified_energy"], "`modified_energy` is not observed on solids"),
        (&["free-top", "--set", "section.when=x"], "`section`"),
        (&["bar-wave", "--set", "section.when=x"], "`section`"),
    ];
    for (arguments, expected) in cases {
        let out = folder.stationary(&[&["check"], arguments].concat());
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {}", stdout(&out));
        assert!(stderr(&out).contains(expected), "{arguments:?}: {}", stderr(&out));
    }
    // A section under constraints is one like any other.
    let sets = [
        "--set",
        "end=20",
        "--set",
        "section={when=\"x\",columns={y=\"y\"}}",
        "--set",
        "claim=section.points > 2",
    ];
    let out = folder.stationary(&[&["run", "spherical-pendulum"][..], &sets].concat());
    assert_eq!(out.status.code(), Some(0), "{}{}", stdout(&out), stderr(&out));
}
