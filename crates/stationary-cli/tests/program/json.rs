//! `--json`: lines that programs read.

use super::{Folder, PENDULUM, command, send, stderr, stdout};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::process::{Output, Stdio};

/// The events of a run; every line is one, and nothing else is printed.
fn events(out: &Output) -> Vec<Value> {
    assert_eq!(stderr(out), "");
    let text = stdout(out);
    text.lines().map(|l| serde_json::from_str(l).unwrap_or_else(|e| panic!("{e}: {l}"))).collect()
}

fn names(events: &[Value]) -> Vec<&str> {
    events.iter().map(|e| e["event"].as_str().unwrap()).collect()
}

#[test]
fn json_events_begin_with_start_and_end_with_done() {
    let folder = Folder::new("json-run");
    std::fs::write(folder.0.join("swing.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["run", "swing.toml", "--json", "--set", "claim=moves == 100"]);
    assert_eq!(out.status.code(), Some(0));
    let events = events(&out);
    assert_eq!(names(&events), ["start", "done"]);
    let (start, done) = (&events[0], &events[1]);
    assert_eq!(start["format"], 1);
    assert_eq!((start["kind"].as_str(), start["out"].as_str()), (Some("formula"), Some("results/swing")));
    assert_eq!((done["outcome"].as_str(), done["exit"].as_u64()), (Some("finished"), Some(0)));
    assert_eq!(done["claims"][0]["holds"], true);
    let summary = std::fs::read_to_string(folder.0.join("results/swing/summary.json")).unwrap();
    assert_eq!(done["summary"], serde_json::from_str::<Value>(&summary).unwrap());
    let files: Vec<&str> = done["files"].as_array().unwrap().iter().map(|f| f.as_str().unwrap()).collect();
    assert!(files.contains(&"results/swing/series.csv"), "{files:?}");
    assert!(files.iter().all(|f| folder.0.join(f).is_file()), "{files:?}");
}

#[test]
fn json_events_do_not_change_exit_codes() {
    let folder = Folder::new("json-outcomes");
    std::fs::write(folder.0.join("swing.toml"), PENDULUM).unwrap();
    let quartic = "lagrangian=0.5*vtheta^2 + theta^4";
    for (set, outcome, code) in [("claim=moves == 1", "claim_failed", 1), (quartic, "stopped", 2)] {
        let out = folder.stationary(&["run", "swing.toml", "--json", "--set", set, "--set", "end=100"]);
        assert_eq!(out.status.code(), Some(code));
        let events = events(&out);
        let done = events.last().unwrap();
        assert_eq!((done["outcome"].as_str(), done["exit"].as_i64()), (Some(outcome), Some(code.into())));
        assert_eq!(done["message"].is_string(), outcome == "stopped", "{done}");
    }
}

/// Every key is there in every line of progress, and the numbers go on.
#[cfg(unix)]
#[test]
fn json_progress_has_time_rates_and_remaining_time() {
    let folder = Folder::new("json-progress");
    let arguments =
        ["run", "pendulum", "--set", "end=1e9", "--set", "output.every=1000000", "--json", "--out", "out"];
    let mut child =
        command(&folder.0, &arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // Until it has told its rates twice; on an idle machine that takes two seconds.
    let mut events: Vec<Value> = Vec::new();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let tells_rates = |event: &&Value| event["event"] == "progress" && event["left"].is_number();
    while events.iter().filter(tells_rates).count() < 2 {
        events.push(serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap());
    }
    send(&["INT"], &child);
    events.extend(lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap()));
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), stderr(&out)), (Some(2), String::new()));
    let progress: Vec<&Value> = events.iter().filter(|e| e["event"] == "progress").collect();
    for event in &progress {
        assert_eq!(event["unit"], "steps");
        for key in ["elapsed", "part", "time", "end", "moves", "energy_error", "warnings"] {
            assert!(event[key].is_number(), "{key} of {event}");
        }
    }
    let last = progress.last().unwrap();
    let number = |key: &str| last[key].as_f64().unwrap_or_else(|| panic!("{key} of {last}"));
    // One step is 0.02: the rates must tell the same story.
    let rate = number("time_per_minute") / 60.0 / (0.02 * number("moves_per_second"));
    assert!((rate - 1.0).abs() < 1e-6, "{rate}");
    let left = (1e9 - number("time")) / number("time_per_minute") * 60.0;
    assert!((left / number("left") - 1.0).abs() < 1e-3, "{left} {}", number("left"));
    assert!(progress.windows(2).all(|w| w[0]["time"].as_f64() < w[1]["time"].as_f64()));
    assert_eq!(events.last().unwrap()["outcome"], "interrupted");
}

#[test]
fn json_errors_name_file_line_and_remedy() {
    let folder = Folder::new("json-errors");
    std::fs::write(folder.0.join("swing.toml"), PENDULUM.replace("step", "stpe")).unwrap();
    for arguments in [&["run", "swing.toml", "--json"][..], &["check", "swing.toml", "--json"]] {
        let out = folder.stationary(arguments);
        assert_eq!(out.status.code(), Some(2));
        let events = events(&out);
        let error = events.last().unwrap();
        assert_eq!((error["event"].as_str(), error["kind"].as_str()), (Some("error"), Some("input")));
        assert_eq!(
            (error["file"].as_str(), error["line"].as_u64(), error["column"].as_u64()),
            (Some("swing.toml"), Some(3), Some(1))
        );
        assert!(error["message"].as_str().unwrap().contains("unknown key `stpe`"), "{error}");
        assert!(error["help"].as_str().unwrap().contains("did you mean `step`?"), "{error}");
    }
    // Usage, and a place that cannot be written to.
    let out = folder.stationary(&["run", "--json", "--fast"]);
    assert_eq!(out.status.code(), Some(2));
    let event: Value = serde_json::from_str(stdout(&out).trim()).unwrap();
    assert!(event["message"].as_str().unwrap().contains("--fast"), "{event}");
    std::fs::write(folder.0.join("file"), "").unwrap();
    std::fs::write(folder.0.join("good.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["run", "good.toml", "--json", "--out", "file/out"]);
    assert_eq!(out.status.code(), Some(2));
    let events = events(&out);
    let error = events.last().unwrap();
    assert_eq!(error["kind"], "file");
    assert!(error["file"].as_str().unwrap().contains("file"), "{error}");
}

#[test]
fn check_and_sweep_write_json_events() {
    let folder = Folder::new("json-sweep");
    std::fs::write(folder.0.join("swing.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["check", "swing.toml", "--json"]);
    assert_eq!(out.status.code(), Some(0));
    assert_eq!(events(&out)[0]["outcome"], "valid");
    let sweep = ["sweep", "swing.toml", "--over", "step=0.01,0.02", "--set", "claim=moves == 100", "--json"];
    let out = folder.stationary(&sweep);
    assert_eq!(out.status.code(), Some(1), "{}", stdout(&out));
    let events = events(&out);
    assert_eq!(names(&events), ["start", "warning", "done"]);
    assert_eq!((events[0]["runs"].as_u64(), events[0]["keys"][0].as_str()), (Some(2), Some("step")));
    assert_eq!(events[2]["outcome"], "claim_failed");
    let counts = &events[2]["counts"];
    assert_eq!(
        (counts["finished"].as_u64(), counts["claim_failed"].as_u64()),
        (Some(1), Some(1)),
        "{counts}"
    );
}

/// Without a terminal: a line every five seconds, with all that the bar shows; nothing for short runs and with --quiet.
#[cfg(unix)]
#[test]
fn progress_without_a_terminal_is_a_line_now_and_then() {
    let folder = Folder::new("lines");
    let run = |quiet: &[&str]| {
        let base = ["run", "pendulum", "--set", "end=1e9", "--set", "output.every=1000000", "--out"];
        let out = if quiet.is_empty() { "loud" } else { "quiet" };
        command(&folder.0, &[&base[..], &[out], quiet].concat())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
    };
    let [mut loud, quiet] = [run(&[]).unwrap(), run(&["--quiet"]).unwrap()];
    let mut told = BufReader::new(loud.stderr.take().unwrap());
    let mut line = String::new();
    // Rates are known from the second look on, which a loaded machine may delay beyond the first line.
    while !line.contains('%') || line.contains('?') {
        line.clear();
        assert!(told.read_line(&mut line).unwrap() > 0, "the run ended by itself");
    }
    send(&["INT"], &loud);
    send(&["INT"], &quiet);
    let mut rest = String::new();
    told.read_to_string(&mut rest).unwrap();
    loud.wait().unwrap();
    let quiet = stderr(&quiet.wait_with_output().unwrap());
    for part in ["0 %, ", " left, t = ", " of 1e9, energy error ", " steps/s, ", " of t/min"] {
        assert!(line.contains(part), "{part}: {line}");
    }
    assert!(!line.contains("NaN"), "{line}");
    assert!(!quiet.contains('%'), "{quiet}");
}
