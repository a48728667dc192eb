//! Completions and `--help`: what the program says about itself.

use super::{Folder, command, stderr, stdout};

/// What the program offers after these words, as bash asks it.
fn offers(folder: &Folder, words: &[&str]) -> Vec<String> {
    let index = words.len().to_string();
    let all: Vec<&str> = ["--", "stationary"].into_iter().chain(words.iter().copied()).collect();
    let out = command(&folder.0, &all)
        .env("STATIONARY_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", &index)
        .env("_CLAP_COMPLETE_COMP_TYPE", "9")
        .env("_CLAP_COMPLETE_SPACE", "true")
        .env("_CLAP_IFS", "\n")
        .output()
        .unwrap();
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    stdout(&out).lines().map(|l| l.trim().to_string()).collect()
}

#[test]
fn completion_offers_commands_scenarios_kinds_and_files() {
    let folder = Folder::new("completions");
    std::fs::write(folder.0.join("henhouse.toml"), "").unwrap();
    std::fs::write(folder.0.join("henry.txt"), "").unwrap();
    assert_eq!(offers(&folder, &["comp"]), ["compare", "completions"]);
    assert_eq!(offers(&folder, &["run", "hen"]), ["henon-heiles", "henhouse.toml"]);
    assert_eq!(offers(&folder, &["new", "coll"]), ["collision"]);
    assert_eq!(offers(&folder, &["explain", "mose"]), ["moser-veselov"]);
    assert_eq!(offers(&folder, &["run", "kepler", "--res"]), ["--resume"]);
    assert_eq!(offers(&folder, &["completions", "z"]), ["zsh"]);
}

#[test]
fn completion_script_exists_for_every_shell() {
    let folder = Folder::new("completion-scripts");
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let out = folder.stationary(&["completions", shell]);
        assert_eq!(out.status.code(), Some(0), "{shell}: {}", stderr(&out));
        assert!(stdout(&out).contains("STATIONARY_COMPLETE"), "{shell}: {}", stdout(&out));
    }
    assert_eq!(folder.stationary(&["completions", "cobol"]).status.code(), Some(2));
}

/// The script in a real shell, as a user has it.
#[cfg(unix)]
#[test]
fn completion_script_works_in_bash() {
    let folder = Folder::new("completion-bash");
    let program = std::path::Path::new(env!("CARGO_BIN_EXE_stationary")).parent().unwrap();
    let script = "source <(stationary completions bash) || exit 3
        COMP_WORDS=(stationary run henon); COMP_CWORD=2; COMP_TYPE=9; COMPREPLY=()
        eval \"$(complete -p stationary | sed 's/.*-F \\([^ ]*\\).*/\\1/') stationary henon run\"
        printf '%s\\n' \"${COMPREPLY[@]}\"";
    let path = std::env::join_paths(
        std::iter::once(program.to_path_buf())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    )
    .unwrap();
    let out = std::process::Command::new("bash")
        .args(["-c", script])
        .current_dir(&folder.0)
        .env("PATH", path)
        .output();
    // A machine without bash cannot be asked.
    let Ok(out) = out else { return };
    assert_eq!(stdout(&out).trim(), "henon-heiles", "{}", stderr(&out));
}

/// Each command shows how it is used and how it ends, and lines fit a terminal.
#[test]
fn help_of_every_command_has_examples_and_exit_codes() {
    let folder = Folder::new("help");
    let top = stdout(&folder.stationary(&["--help"]));
    let commands: Vec<&str> = top
        .lines()
        .skip_while(|l| !l.starts_with("Commands:"))
        .skip(1)
        .take_while(|l| l.starts_with("  "))
        // Deeper lines go on with what the one above says.
        .filter(|l| !l.starts_with("   "))
        .filter_map(|l| l.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 12, "{commands:?}");
    assert!(top.contains("Exit codes: 0 done; 1 "), "{top}");
    for name in commands {
        for flag in ["--help", "-h"] {
            let out = folder.stationary(&[name, flag]);
            assert_eq!(out.status.code(), Some(0));
            let text = stdout(&out);
            assert!(
                text.contains("Example") && text.contains(&format!("stationary {name}")),
                "{name}: {text}"
            );
            let silent = ["list", "schema", "completions"];
            assert!(text.contains("Exit codes: 0 ") || silent.contains(&name), "{name}: {text}");
        }
    }
}

/// The examples of the help are commands of this program: their words are understood.
#[test]
fn examples_in_the_help_are_accepted_by_the_parser() {
    let folder = Folder::new("help-examples");
    let mut seen = 0;
    for name in ["new", "run", "sweep", "check", "compare", "explain", "explain-energy", "schema"] {
        let text = stdout(&folder.stationary(&[name, "--help"]));
        for line in text.lines().filter_map(|l| l.strip_prefix("  stationary ")) {
            let command_line = line.split(['|', '>']).next().unwrap().split("    ").next().unwrap();
            let words: Vec<&str> = command_line.split_whitespace().collect();
            let out = if ["run", "sweep"].contains(&name) && !words.contains(&"--help") {
                folder.stationary(&[&words[..], &["--help"]].concat())
            } else if words.contains(&"results/a") || words.contains(&"beam.toml") && name == "check" {
                continue;
            } else {
                folder.stationary(&words)
            };
            assert_eq!(out.status.code(), Some(0), "{line}: {}", stderr(&out));
            seen += 1;
        }
    }
    assert!(seen >= 14, "{seen}");
}
