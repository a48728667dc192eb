//! Runs that end early, on their own or by a signal: exit 2, and whole files up to the last good step.

use super::{Folder, command, send, stderr, wait_until};
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

/// The rows of `out/series.csv`, each a list of fields, without the header; every row is whole.
fn rows(folder: &Folder) -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(folder.0.join("out/series.csv")).unwrap();
    assert!(text.ends_with('\n'));
    let mut lines = text.lines().map(|l| l.split(',').map(str::to_string).collect::<Vec<_>>());
    let header = lines.next().unwrap();
    let rows: Vec<_> = lines.collect();
    assert!(rows.iter().all(|r| r.len() == header.len()));
    rows
}

/// The value of a key of the summary: what stands between `"key": ` and the end of its line.
fn summary(folder: &Folder, key: &str) -> String {
    let text = std::fs::read_to_string(folder.0.join("out/summary.json")).unwrap();
    assert!(text.trim_end().ends_with('}'));
    let after = text.split_once(&format!("\"{key}\": ")).unwrap_or_else(|| panic!("no `{key}` in {text}")).1;
    after.lines().next().unwrap().trim_end_matches(',').to_string()
}

#[test]
fn failed_run_keeps_all_results_before_the_failure() {
    let quartic = "lagrangian=0.5*vtheta^2 + theta^4";
    let newton = "relative residual of ";
    for (name, sets, reason, least) in [
        ("pendulum", &[quartic, "integrator.method=gauss", "output.every=7"][..], newton, 2),
        ("kepler", &["initial.velocity=[0, 0]", "step=0.1", "integrator.method=gauss"], newton, 2),
        ("double-pendulum", &["step=3", "end=30"], newton, 1),
        // Explicit methods run into infinity, or near it.
        ("pendulum", &[quartic, "integrator.method=verlet", "output.every=10"], "the energy explodes", 2),
        ("pendulum", &[quartic, "integrator.method=rk4", "output.every=1"], "no longer a finite number", 2),
        ("henon-heiles", &["step=2.5", "integrator.method=verlet"], "the energy explodes", 2),
    ] {
        let folder = Folder::new("fails");
        let sets = sets.iter().flat_map(|s| ["--set", *s]);
        let arguments: Vec<&str> = ["run", name, "--out", "out", "--quiet"].into_iter().chain(sets).collect();
        let out = folder.stationary(&arguments);
        let message = stderr(&out);
        assert_eq!(out.status.code(), Some(2), "{name}: {message}");
        assert!(message.contains(reason), "{name}: {message}");
        let (time, step) = (summary(&folder, "time"), summary(&folder, "moves"));
        assert_eq!(time, "{");
        assert_eq!(summary(&folder, "finished"), "false");
        let stopped = std::fs::read_to_string(folder.0.join("out/summary.json")).unwrap();
        let stopped = stopped.split_once("\"stopped\": {").unwrap().1;
        let stopped = &stopped[..stopped.find('}').unwrap()];
        assert!(stopped.contains(&format!("\"step\": {step}")) && stopped.contains(reason), "{stopped}");
        assert!(message.contains(&format!("after {step} steps")), "{message}");

        let rows = rows(&folder);
        assert!(
            rows.len() >= least && summary(&folder, "rows") == rows.len().to_string(),
            "{name}: {rows:?}"
        );
        // The last row is the last good step, whatever the distance between rows; every state is a number.
        let last = &rows.last().unwrap()[0];
        assert!(stopped.contains(&format!("\"time\": {last}")), "{name}: row at {last}, {stopped}");
        for row in &rows {
            assert!(row[..4].iter().all(|x| x.parse::<f64>().is_ok_and(f64::is_finite)), "{name}: {row:?}");
        }
        assert!(folder.0.join("out/report.html").is_file());
    }
}

/// Cause: only numbers that are none stopped a run: an energy of 1e238 ended with exit 0.
#[test]
fn solid_run_with_exploding_energy_stops_and_keeps_all_results_before() {
    let folder = Folder::new("explodes");
    let integrator = "integrator={ method = \"avi\", steps = \"free\", fraction = 1.6, limit = \"element\", factor = \"1\" }";
    let arguments = [
        "run",
        "slab",
        "--out",
        "out",
        "--quiet",
        "--set",
        integrator,
        "--set",
        "material.rubber.law=linear",
    ];
    let out = folder.stationary(&arguments);
    let message = stderr(&out);
    assert_eq!(out.status.code(), Some(2), "{message}");
    assert!(
        message.contains("the energy explodes: at time ") && message.contains("in element "),
        "{message}"
    );
    assert!(message.contains("a fraction below 1.6"), "{message}");
    let rows = rows(&folder);
    assert!(rows.len() > 1 && summary(&folder, "rows") == rows.len().to_string());
    assert_eq!(summary(&folder, "finished"), "false");
    for file in ["report.html", "frames.pvd", "frames/frame-000000.vtu"] {
        assert!(folder.0.join("out").join(file).is_file(), "{file}");
    }
}

/// Cause: the list of frames was looked for where no frame had been written, and so there was a page without a summary.
#[test]
fn initial_state_of_infinite_energy_or_above_the_stability_limit_is_refused_without_output() {
    let folder = Folder::new("refused");
    for (sets, reason) in [
        (
            &["initial.velocity=[\"1e200\", 0]"][..],
            "the energy is not a finite number at the start: kinetic inf",
        ),
        (&["integrator=newmark", "step=0.01"], "the step 0.01 is beyond the limit of explicit newmark"),
    ] {
        for command in ["run", "check"] {
            let sets = sets.iter().flat_map(|s| ["--set", *s]);
            let mut arguments = vec![command, "slab"];
            if command == "run" {
                arguments.extend(["--out", "out", "--quiet"]);
            }
            arguments.extend(sets);
            let out = folder.stationary(&arguments);
            assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
            assert!(stderr(&out).contains(reason), "{}", stderr(&out));
            assert!(!folder.0.join("out").exists());
        }
    }
}

#[cfg(unix)]
#[test]
fn interrupted_run_keeps_its_results() {
    // Twice at once is how `timeout` sends it: to the program, and to its group.
    for signals in [&["INT"][..], &["TERM"], &["INT", "TERM"]] {
        let folder = Folder::new("interrupt");
        let arguments =
            ["run", "pendulum", "--set", "end=1e9", "--set", "output.every=100000", "--out", "out"];
        let child =
            command(&folder.0, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        // Not before it runs: the series then has its first rows.
        let series = folder.0.join("out/series.csv");
        let begun = || std::fs::read_to_string(&series).is_ok_and(|text| text.lines().count() > 2);
        wait_until("the run begins", begun);
        send(signals, &child);
        let out = child.wait_with_output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{signals:?}: {}", stderr(&out));
        assert!(stderr(&out).contains("interrupted: the run ended early"), "{}", stderr(&out));
        let rows = rows(&folder);
        assert_eq!(summary(&folder, "rows"), rows.len().to_string());
        assert_eq!(summary(&folder, "finished"), "false");
        let end = std::fs::read_to_string(folder.0.join("out/summary.json")).unwrap();
        assert!(end.contains(&format!("\"end\": {},", rows.last().unwrap()[0])), "the last row is the end");
        assert!(folder.0.join("out/report.html").is_file());
    }
}

/// Steps of thousands of unknowns, and thousands of impacts within a step: neither run would ever come to its end.
const SLOW: [(&str, &str); 2] = [
    (
        "step",
        "coordinates = 1000\nlagrangian = \"\"\"0.5*sum(i = 0..999, v[i]^2) - sum(i = 0..998, (q[i+1]-q[i])^4)\n\
         - 0.01*sum(i = 0..999, q[i])^4\"\"\"\nstep = 0.1\nend = 1e9\nintegrator = { method = \"gauss\", stages = 2 }\n\
         [initial]\nposition = [\"sin(i)\"]\nvelocity = [0]\n",
    ),
    (
        "impacts",
        "space = 2\nstep = 1e9\nend = 1e12\nintegrator = \"collisions\"\n[wall.box]\nbox = [[0, 0], [40, 40]]\n\
         [bodies.disc]\nshape = \"disc\"\nradius = 0.4\nmass = 1\ncount = 1000\nplace = \"lattice\"\nspeed = 1\nseed = 1\n",
    ),
];

/// A run that would never end by itself; it must not outlive a test that fails.
#[cfg(unix)]
struct Endless(Child);

#[cfg(unix)]
impl Drop for Endless {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[cfg(unix)]
#[test]
fn signal_interrupts_a_long_step_and_a_long_preparation() {
    for (name, text) in SLOW {
        for (signal, marker) in [("INT", "start"), ("TERM", "series")] {
            let folder = Folder::new(&format!("slow-{name}"));
            std::fs::write(folder.0.join("slow.toml"), text).unwrap();
            let arguments = ["run", "slow.toml", "--out", "out", "--json"];
            let child = command(&folder.0, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
            let mut run = Endless(child.unwrap());
            let mut lines = BufReader::new(run.0.stdout.take().unwrap()).lines();
            let first = lines.next().unwrap().unwrap();
            assert!(first.contains("\"start\""), "{name}: {first}");
            let series = folder.0.join("out/series.csv");
            wait_until(&format!("{name} begins"), || marker == "start" || series.exists());
            send(&[signal], &run.0);
            let mut status = None;
            wait_until(&format!("{name} hears {signal}"), || {
                status = run.0.try_wait().unwrap();
                status.is_some()
            });
            let last = lines.last().unwrap().unwrap();
            assert_eq!(status.unwrap().code(), Some(2), "{name}, {marker}: {last}");
            assert!(last.contains("\"interrupted\""), "{name}, {marker}: {last}");
            assert!(
                marker == "start" || folder.0.join("out/checkpoint").is_file(),
                "{name}, {marker}: {last}"
            );
        }
    }
}
