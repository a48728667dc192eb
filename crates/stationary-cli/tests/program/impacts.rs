//! Gaps as a user meets them: what is refused, and what a run with impacts leaves.

use super::bad_input::{Case, all_refused};
use super::{Folder, command, send, stderr, stdout, wait_until};
use std::process::Stdio;

const BALL: &str = r#"coordinates = ["x", "y"]
lagrangian = "0.5*(vx^2 + vy^2) - 9.81*y"
gap = ["y", "x + 9"]
step = 0.01
end = 3
integrator = "verlet"
[initial]
position = [0, 1]
velocity = [1, 0]
"#;

/// The ball with one piece of its text replaced.
fn with<'a>(old: &str, new: &str, expected: &'a [&'a str]) -> Case<'a> {
    assert!(BALL.contains(old), "{old}");
    Case { text: BALL.replacen(old, new, 1).into_bytes(), expected }
}

/// The ball with another first gap.
fn first<'a>(gap: &str, expected: &'a [&'a str]) -> Case<'a> {
    with("gap = [\"y\"", &format!("gap = [{gap}"), expected)
}

#[test]
fn wrong_gaps_are_refused_by_name() {
    all_refused(
        "bad-gaps",
        &[
            with(
                "[0, 1]",
                "[0, -0.25]",
                &[
                    "bad.toml:3:8: the system starts inside an obstacle: gap 1 is -2.500000e-1",
                    "y = 0.000250",
                ],
            ),
            with(
                "\"x + 9\"",
                "{ gap = \"-1 - y\", name = \"roof\" }",
                &["bad.toml:3:21: ", "inside an obstacle: roof is -2", "gap 1 (`y`) seem to contradict"],
            ),
            first("\"(y - 1)^2\"", &["bad.toml:3:8: this gap is closed", "has no gradient", "square"]),
            with("\"x + 9\"", "\"-y\"", &["bad.toml:3:13: ", "inside an obstacle: gap 2 is -1"]),
            with(
                "[\"y\", \"x + 9\"]",
                "[\"y - 1\", \"1 - y\"]",
                &["bad.toml:3:17: ", "gap 1 (`y - 1`)", "oppose each other"],
            ),
            first("\"log(y - 1)\"", &["bad.toml:3:8: ", "not a finite number at the initial position"]),
            first("\"vy\"", &["bad.toml:3:9: `vy` has no meaning here"]),
            first("\"2 + t\"", &["bad.toml:3:8: this gap does not depend on a coordinate"]),
            first(
                "{ gap = \"y\", slip = \"vx^2\" }",
                &["bad.toml:3:28: this slip is not linear in the velocities"],
            ),
        ],
    );
}

#[test]
fn methods_and_observers_that_do_not_support_gaps_are_refused() {
    let energy = "{ method = \"midpoint\", step = \"energy\" }";
    all_refused(
        "bad-gap-company",
        &[
            with("\"verlet\"", "\"rk4\"", &["bad.toml:6:14: rk4 takes no gaps", "choose midpoint"]),
            with(
                "\"verlet\"",
                "\"newmark\"",
                &["bad.toml:6:14: newmark (beta 0.25, gamma 0.5) takes no gaps"],
            ),
            with(
                "\"verlet\"",
                "{ method = \"verlet\", order = 4 }",
                &["bad.toml:6:25: verlet (order 4) takes no gaps"],
            ),
            with(
                "\"verlet\"",
                energy,
                &["bad.toml:3:8: a gap does not go with steps that the energy chooses"],
            ),
            with(
                "step =",
                "observe = \"loop_area\"\nstep =",
                &["bad.toml:4:11: `loop_area` does not go with `gap`"],
            ),
            with(
                "step =",
                "observe = \"modified_energy\"\nstep =",
                &["bad.toml:4:11: `modified_energy` does not go with"],
            ),
            with(
                "[initial]",
                "section = { when = \"x\", columns = { y = \"y\" } }\n[initial]",
                &["bad.toml:7:20: a section does not go with `gap`", "impacts.csv"],
            ),
            with(
                "end = 3",
                "end = 3\nclaim = \"impacts.cuont > 1\"",
                &["bad.toml:6:9: ", "`impacts` has no `cuont`; did you mean `count`?"],
            ),
        ],
    );
    let folder = Folder::new("gap-explain-energy");
    std::fs::write(folder.0.join("ball.toml"), BALL).unwrap();
    let out = folder.stationary(&["explain-energy", "ball.toml"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("impacts cut the steps"), "{}", stderr(&out));
}

/// Rows of a file in the folder `out`, without the header; every row is whole.
fn rows(folder: &Folder, file: &str) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.0.join("out").join(file)).unwrap();
    assert!(text.ends_with('\n'));
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_string).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<_> = lines.collect();
    assert!(rows.iter().all(|r| r.len() == header.len()));
    rows
}

#[test]
fn run_with_impacts_writes_them_to_impacts_csv() {
    let folder = Folder::new("impacts-table");
    std::fs::write(folder.0.join("ball.toml"), BALL).unwrap();
    let gap = r#"gap=[{ gap = "y", name = "floor" }, { gap = "1.5 - x", name = "wall" }]"#;
    let out = folder.stationary(&["run", "ball.toml", "--out", "out", "--set", gap, "--set", "end=4"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    assert!(
        text.contains("impacts.csv") && text.contains("bounces") && text.contains("energy at impacts"),
        "{text}"
    );
    let head = std::fs::read_to_string(folder.0.join("out/impacts.csv")).unwrap();
    assert!(
        head.starts_with("time,gap,kind,impulse,friction_impulse,energy_before,energy_after\n"),
        "{head}"
    );
    let rows = rows(&folder, "impacts.csv");
    let number = |row: &[String], k: usize| row[k].parse::<f64>().unwrap();
    let walls: Vec<_> = rows.iter().filter(|r| r[1] == "wall").collect();
    assert!(
        (number(walls[0], 0) - 1.5).abs() < 1e-12 && (number(walls[0], 3) - 2.0).abs() < 1e-2,
        "{walls:?}"
    );
    assert!(rows.iter().all(|r| r[2] == "bounce" && (number(r, 5) - number(r, 6)).abs() < 1e-12), "{rows:?}");
    assert!(rows.windows(2).all(|w| number(&w[0], 0) <= number(&w[1], 0)));
    // Dropped from 1: the floor at t, 3 t, 5 t.
    let fall = (2.0 / 9.81_f64).sqrt();
    let floor: Vec<f64> = rows.iter().filter(|r| r[1] == "floor").map(|r| number(r, 0)).collect();
    assert!(
        floor.len() == 4 && floor.iter().zip([1.0, 3.0, 5.0, 7.0]).all(|(t, k)| (t - k * fall).abs() < 1e-3),
        "{floor:?}"
    );
    let page = std::fs::read_to_string(folder.0.join("out/report.html")).unwrap();
    assert!(page.contains("Energy at impacts") && page.contains("First and last impacts"));
    // A run without gaps in that folder leaves none of it.
    let out = folder.stationary(&["run", "pendulum", "--out", "out", "--set", "end=1", "--quiet"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(!folder.0.join("out/impacts.csv").exists());
}

#[test]
fn run_until_an_impact_ends_with_it_or_reports_that_it_did_not() {
    let folder = Folder::new("end-impacts");
    std::fs::write(folder.0.join("ball.toml"), BALL.replacen("end = 3", "end_impacts = 5", 1)).unwrap();
    let out = folder.stationary(&["run", "ball.toml", "--out", "out", "--set", "claim=impacts.count == 5"]);
    assert_eq!((out.status.code(), stderr(&out).as_str()), (Some(0), ""));
    let impacts = rows(&folder, "impacts.csv");
    let last: f64 = impacts.last().unwrap()[0].parse().unwrap();
    let end: f64 = rows(&folder, "series.csv").last().unwrap()[0].parse().unwrap();
    assert!(impacts.len() == 5 && end >= last && end < last + 0.0100001, "{last} {end}");

    let out = folder.stationary(&["run", "ball.toml", "--out", "out", "--set", "end=2"]);
    assert_eq!(out.status.code(), Some(0));
    assert!(stderr(&out).contains("warning: the end came before impact 5: there were 2"), "{}", stderr(&out));

    let out = folder.stationary(&["check", "ball.toml"]);
    let text = stdout(&out);
    assert!(text.contains("until impact 5") && text.contains("2: gap 1, gap 2"), "{text}");
}

#[test]
fn run_stopped_by_a_gap_names_the_gap() {
    let folder = Folder::new("gap-stops");
    std::fs::write(folder.0.join("ball.toml"), BALL).unwrap();
    for (gap, reason, hits) in [
        (r#"{ gap = "y^2", name = "floor" }"#, "floor is closed where its gradient vanishes", 0),
        (r#"["y", { gap = "2 - t - y", name = "press" }]"#, "gap 1 and press are hit", 100),
        (r#"["y + 0.5", { gap = "sqrt(y)", name = "root" }]"#, "root is not a finite number", 0),
    ] {
        let gap = format!("gap={gap}");
        let out = folder.stationary(&["run", "ball.toml", "--out", "out", "--quiet", "--set", &gap]);
        assert_eq!(out.status.code(), Some(2), "{gap}");
        let message = stderr(&out);
        assert!(
            message.contains(reason) && message.contains("everything up to then is written"),
            "{message}"
        );
        assert!(rows(&folder, "impacts.csv").len() >= hits, "{gap}");
        assert!(folder.0.join("out/report.html").is_file());
    }
}

#[test]
fn symmetry_broken_by_a_gap_gives_a_warning() {
    let folder = Folder::new("gap-symmetry");
    let symmetric = BALL.to_string() + "[symmetry]\nshift = [1, 0]\n";
    std::fs::write(folder.0.join("ball.toml"), &symmetric).unwrap();
    let told = |sets: &[&str]| {
        let sets = sets.iter().flat_map(|s| ["--set", *s]);
        let arguments: Vec<&str> = ["run", "ball.toml", "--quiet"].into_iter().chain(sets).collect();
        stderr(&folder.stationary(&arguments))
    };
    assert!(told(&[]).contains("`shift` does not leave gap 2 unchanged: its momentum changes at impacts"));
    assert_eq!(told(&["gap=y"]), "");
}

#[test]
fn sweep_table_has_columns_for_impacts() {
    let folder = Folder::new("impacts-sweep");
    std::fs::write(folder.0.join("ball.toml"), BALL).unwrap();
    let out = folder.stationary(&[
        "sweep",
        "ball.toml",
        "--over",
        "initial.position.1=0.5,1",
        "--out",
        "out",
        "--quiet",
    ]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = std::fs::read_to_string(folder.0.join("out/sweep.csv")).unwrap();
    let column = |name: &str| text.lines().next().unwrap().split(',').position(|c| c == name).unwrap();
    let counts: Vec<&str> =
        text.lines().skip(1).map(|l| l.split(',').nth(column("impacts.count")).unwrap()).collect();
    assert_eq!(counts, ["5", "3"]);
}

#[cfg(unix)]
#[test]
fn interrupted_run_keeps_its_impacts() {
    let folder = Folder::new("impacts-interrupt");
    std::fs::write(folder.0.join("ball.toml"), BALL.replacen("end = 3", "end_impacts = 100000000", 1))
        .unwrap();
    let mut child = command(&folder.0, &["run", "ball.toml", "--out", "out", "--set", "gap=y"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let table = folder.0.join("out/impacts.csv");
    let grown = || std::fs::metadata(&table).is_ok_and(|m| m.len() > 2000);
    wait_until("impacts are written", || {
        assert!(child.try_wait().unwrap().is_none(), "it must not end by itself");
        grown()
    });
    send(&["INT"], &child);
    let out = child.wait_with_output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
    let summary = std::fs::read_to_string(folder.0.join("out/summary.json")).unwrap();
    let count = rows(&folder, "impacts.csv").len();
    assert!(count > 10 && summary.contains(&format!("\"count\": {count},")), "{count}");
}
