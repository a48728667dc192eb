//! What goes to a terminal or a pipe: nothing is lost unnoticed, and nothing in a scenario commands the terminal.

use super::{Folder, PENDULUM, command, stderr, stdout};
use std::fs::OpenOptions;
use std::process::Stdio;

/// Every command that prints, as it would be typed; `results` is there.
const COMMANDS: [&[&str]; 20] = [
    &["schema"],
    &["list"],
    &["explain", "gauss"],
    &["explain", "kepler"],
    &["explain", "formulas"],
    &["explain-energy", "p.toml"],
    &["check", "p.toml"],
    &["check", "p.toml", "--json"],
    &["check", "missing.toml", "--json"],
    &["compare", "results", "results"],
    &["compare", "results", "results", "--json"],
    &["new"],
    &["new", "pendulum", "other.toml"],
    &["bench", "--list"],
    &["completions", "bash"],
    &["run", "p.toml", "--out", "full"],
    &["run", "p.toml", "--out", "full", "--json"],
    &["sweep", "p.toml", "--over", "step=0.01,0.02", "--out", "full-sweep"],
    &["--help"],
    &["--version"],
];

fn prepared(test: &str) -> Folder {
    let folder = Folder::new(test);
    std::fs::write(folder.0.join("p.toml"), PENDULUM).unwrap();
    let out = folder.stationary(&["run", "p.toml", "--out", "results", "--quiet"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    folder
}

/// `/dev/full` takes nothing; it is on Linux.
#[cfg(target_os = "linux")]
#[test]
fn lost_standard_output_is_reported_and_exits_with_2() {
    let folder = prepared("lost");
    for arguments in COMMANDS {
        let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let out = command(&folder.0, arguments).stdout(full).output().unwrap();
        let message = stderr(&out);
        assert_eq!(out.status.code(), Some(2), "{arguments:?}: {message}");
        assert!(message.contains("error: standard output: No space left"), "{arguments:?}: {message}");
        assert!(message.lines().count() <= 3, "{arguments:?}: {message}");
    }
    // What a run computed is in its files all the same.
    assert!(folder.0.join("full/summary.json").is_file() && folder.0.join("full-sweep/sweep.csv").is_file());
    // The question of a shell that completes.
    let full = OpenOptions::new().write(true).open("/dev/full").unwrap();
    let mut shell = command(&folder.0, &["--", "stationary", "ru"]);
    let asked = shell.env("STATIONARY_COMPLETE", "bash").env("_CLAP_COMPLETE_INDEX", "1").stdout(full);
    let out = asked.output().unwrap();
    assert_eq!(out.status.code(), Some(2), "{}", stderr(&out));
}

#[test]
fn closed_output_pipe_changes_no_exit_code_and_prints_no_error() {
    let folder = prepared("gone");
    for arguments in COMMANDS {
        let expected = if arguments.contains(&"missing.toml") { 2 } else { 0 };
        let mut child =
            command(&folder.0, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let out = child.wait_with_output().unwrap();
        assert_eq!((out.status.code(), stderr(&out).as_str()), (Some(expected), ""), "{arguments:?}");
    }
}

/// ESC with a colour, with a title of the window, and as one character of the C1 set; carriage return, bell, delete, marks that turn
/// the direction of writing, a separator of lines, a tag.
const HOSTILE: &str = "\u{1b}[31m\u{1b}]0;owned\u{7}\u{9b}31m\u{9d}0;owned\u{9c}\r\u{8}\u{7f}\u{202e}\u{2066}\u{200f}\u{2028}\u{e0041}";

/// Nothing that a terminal obeys, line ends aside.
fn harmless(what: &str, text: &str) {
    let found = text.chars().find(|c| *c != '\n' && *c != '\t' && stationary::error::is_unsafe(*c));
    assert_eq!(found, None, "{what}: {text:?}");
}

#[test]
fn control_characters_in_scenarios_and_file_names_are_escaped_on_output() {
    let folder = Folder::new("control");
    let toml = HOSTILE.chars().map(|c| format!("\\U{:08x}", u32::from(c))).collect::<String>();
    let titled = format!("title = \"T{toml}\"\nclaim = [\"energy.max_relative_error < 1e-30\"]\n{PENDULUM}");
    std::fs::write(folder.0.join("p.toml"), &titled).unwrap();
    // Raw, where TOML lets them stand: in comments and strings it forbids the C0 set only.
    let raw: String = HOSTILE.chars().filter(|c| *c >= '\u{80}').collect();
    std::fs::write(folder.0.join("raw.toml"), format!("title = \"T{raw}\"\nstpe = \"{raw}\"\n{PENDULUM}"))
        .unwrap();
    let named = titled.replace("\"theta\"", &format!("\"theta{toml}\""));
    std::fs::write(folder.0.join("named.toml"), named).unwrap();
    let named = PENDULUM.replace("g = 9.81", &format!("g = 9.81, \"{toml}\" = 1"));
    std::fs::write(folder.0.join("parameter.toml"), named).unwrap();
    let hostile = format!("x{}", HOSTILE.replace('/', ""));
    let file = format!("{hostile}.toml");
    std::fs::write(folder.0.join(&file), PENDULUM).unwrap();
    std::fs::create_dir(folder.0.join(&hostile)).unwrap();
    let set = format!("title={hostile}");
    for arguments in [
        &["run", "p.toml", "--out", "out"][..],
        &["run", "p.toml", "--out", "out", "--json"],
        &["run", "p.toml", "--out", &hostile],
        &["run", "raw.toml"],
        &["run", "raw.toml", "--json"],
        &["check", "p.toml"],
        &["check", "p.toml", "--json"],
        &["check", "raw.toml"],
        &["check", "named.toml"],
        &["check", "named.toml", "--json"],
        &["check", "parameter.toml"],
        &["check", &file],
        &["check", &hostile],
        &["check", &hostile, "--json"],
        &["run", &file, "--out", "out", "--set", &set],
        &["run", "p.toml", "--set", &hostile],
        &["run", "p.toml", &hostile],
        &[&hostile],
        &["explain", &hostile],
        &["new", &hostile],
        &["new", "pendulum", &file],
        &["bench", &hostile],
        &["compare", "out", &hostile],
        &["compare", "out", &hostile, "--json"],
        &["compare", "out", "out"],
        &["view", &file],
        &["sweep", "p.toml", "--over", &format!("{hostile}=1,2")],
        &["sweep", "p.toml", "--over", "step=0.01,0.02", "--out", "swept"],
        &["explain-energy", "p.toml"],
        &["completions", &hostile],
    ] {
        let out = folder.stationary(arguments);
        harmless(&format!("{arguments:?}, standard output"), &stdout(&out));
        harmless(&format!("{arguments:?}, standard error"), &stderr(&out));
        for line in
            stdout(&out).lines().filter(|_| arguments.contains(&"--json") && arguments[0] != "compare")
        {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{arguments:?}: {line}");
        }
    }
    // JSON says the same as the scenario.
    let out = folder.stationary(&["check", "p.toml", "--json"]);
    let event: serde_json::Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!(event["title"], format!("T{HOSTILE}").as_str());
    let out = folder.stationary(&["check", "p.toml"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let shown = folder.stationary(&["run", "p.toml", "--out", "out"]);
    assert!(stdout(&shown).starts_with("T\\u{1b}[31m\\u{1b}]0;owned\\u{7}\\u{9b}31m"), "{}", stdout(&shown));
    // Pages are text, not commands.
    for page in ["out/report.html", "swept/sweep.html"] {
        let page = std::fs::read_to_string(folder.0.join(page)).unwrap();
        assert!(!page.contains(['\u{1b}', '\u{7}', '\u{8}']), "a control character in a page");
    }
}
