//! The documentation as a user follows it: scenarios are saved, commands are run in the order of the page, and what
//! they print is compared with the page, digits aside (the last ones depend on the machine).
//!
//! With `STATIONARY_UPDATE_DOCS=1` in the environment the pages are rewritten with what the commands print.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A page being followed in a folder of its own.
struct Page {
    path: PathBuf,
    folder: PathBuf,
    /// The page with the outputs that were seen.
    seen: String,
    commands: usize,
    failures: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn pages() -> Vec<PathBuf> {
    let mut pages: Vec<PathBuf> = std::fs::read_dir(root().join("docs/src"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    pages.push(root().join("README.md"));
    pages.sort();
    pages
}

#[test]
fn every_command_of_the_documentation_runs_and_prints_the_shown_output() {
    let update = std::env::var_os("STATIONARY_UPDATE_DOCS").is_some();
    let (mut commands, mut failures) = (0, Vec::new());
    for (i, path) in pages().into_iter().enumerate() {
        let folder = std::env::temp_dir().join(format!("stationary-docs-{}-{i}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let mut page = Page { path, folder, seen: String::new(), commands: 0, failures: Vec::new() };
        page.follow(&text);
        std::fs::remove_dir_all(&page.folder).unwrap();
        if update && page.seen != text {
            std::fs::write(&page.path, &page.seen).unwrap();
        } else if shape(&page.seen) != shape(&text) {
            let (was, is) = (shape(&text), shape(&page.seen));
            let lines = was.iter().zip(&is).find(|(a, b)| a != b);
            let name = page.path.display();
            page.failures.push(format!(
                "{name}: the page and the program differ; first at (page, program) {lines:#?}"
            ));
        }
        commands += page.commands;
        failures.extend(page.failures);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(commands > 10, "only {commands} commands found");
}

impl Page {
    fn follow(&mut self, text: &str) {
        let mut lines = text.lines().peekable();
        while let Some(line) = lines.next() {
            self.push(line);
            let Some(language) = line.strip_prefix("```").filter(|l| !l.is_empty()) else { continue };
            let mut block = Vec::new();
            while let Some(inner) = lines.next_if(|l| *l != "```") {
                block.push(inner);
            }
            match language {
                "toml,scenario" | "toml,wrong" => self.save(&block),
                "console" => {
                    self.console(&block);
                    self.push(lines.next().expect("a closed block"));
                    continue;
                }
                _ => {}
            }
            block.iter().for_each(|inner| self.push(inner));
            self.push(lines.next().expect("a closed block"));
        }
    }

    fn push(&mut self, line: &str) {
        self.seen.push_str(line);
        self.seen.push('\n');
    }

    /// Saves a scenario whose first line is a comment with its name.
    fn save(&self, block: &[&str]) {
        if let Some(name) = block[0].strip_prefix("# ").filter(|name| name.ends_with(".toml")) {
            std::fs::write(self.folder.join(name), block.join("\n") + "\n").unwrap();
        }
    }

    /// Runs the commands of a block. A command must succeed unless `$ echo $?` and a number follow.
    fn console(&mut self, block: &[&str]) {
        let mut at = 0;
        while at < block.len() {
            let Some(command) = block[at].strip_prefix("$ ") else {
                self.failures.push(format!(
                    "{}: output without a command: {}",
                    self.path.display(),
                    block[at]
                ));
                return;
            };
            self.push(block[at]);
            let length = block[at + 1..].iter().take_while(|l| !l.starts_with("$ ")).count();
            let shown = &block[at + 1..at + 1 + length];
            at += 1 + length;
            let Some(command) = runnable(command) else {
                shown.iter().for_each(|line| self.push(line));
                continue;
            };
            let (printed, code) = self.run(&command);
            if shown.contains(&"...") {
                self.abridged(&command, shown, &printed);
                shown.iter().for_each(|line| self.push(line));
            } else {
                printed.lines().for_each(|line| self.push(line));
            }
            let stated = block.get(at) == Some(&"$ echo $?");
            let expected = if stated { block[at + 1].parse().unwrap() } else { 0 };
            if stated {
                self.push(block[at]);
                self.push(block[at + 1]);
                at += 2;
            }
            if code != expected {
                let name = self.path.display();
                self.failures.push(format!("{name}: `{command}` exits {code}, not {expected}:\n{printed}"));
            }
        }
    }

    /// Each line shown must be printed, in this order; `...` stands for the others.
    fn abridged(&mut self, command: &str, shown: &[&str], printed: &str) {
        let printed = shape(printed);
        let mut rest = printed.iter();
        for line in shape(&shown.join("\n")).iter().filter(|line| *line != "...") {
            if !rest.any(|l| l == line) {
                self.failures.push(format!("{}: `{command}` does not print {line:?}", self.path.display()));
                return;
            }
        }
    }

    /// What a command prints, errors last, and its exit code.
    fn run(&mut self, command: &str) -> (String, i32) {
        self.commands += 1;
        let program = Path::new(env!("CARGO_BIN_EXE_stationary")).parent().unwrap();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(program.to_path_buf()).chain(std::env::split_paths(&path));
        let out = Command::new("sh")
            .args(["-c", command])
            .current_dir(&self.folder)
            .env("PATH", std::env::join_paths(folders).unwrap())
            // How often a run or a sweep tells its progress would depend on the machine.
            .env("STATIONARY_FAILPOINT", "never")
            .output()
            .unwrap();
        let text = [out.stdout, out.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        (text, out.status.code().unwrap())
    }
}

/// What interrupts a command on a page, before the seconds after which it does.
const INTERRUPTED: &str = "timeout --preserve-status -s INT ";

/// The command as it is run here; `None` for what needs the whole repository. A run is interrupted after some moves and a server when
/// it has said where it is, not after some seconds: a slow machine may not have begun by then, and a fast one may be through.
fn runnable(command: &str) -> Option<String> {
    if let Some((_, interrupted)) = command.strip_prefix(INTERRUPTED).and_then(|rest| rest.split_once(' ')) {
        return Some(match interrupted.starts_with("stationary view ") {
            true => format!(
                "{interrupted} > told 2>&1 & until [ -s told ]; do sleep 0.05; done; kill -INT $!; wait $!; code=$?; \
                 cat told; rm told; exit $code"
            ),
            false => format!("STATIONARY_FAILPOINT=after-move:100:int {interrupted}"),
        });
    }
    match command.strip_prefix("cargo run --release -- ") {
        Some(arguments) => Some(format!("stationary {arguments}")),
        None if ["cargo ", "git ", "./test"].iter().any(|p| command.starts_with(p)) => None,
        None => Some(command.to_string()),
    }
}

/// Lines with every number replaced by `#` and spaces by one: what does not depend on the machine.
fn shape(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().map(word).collect::<Vec<_>>().join(" ")).collect()
}

/// A number loses its digits, whatever brackets and commas stand around it; other words stay.
fn word(word: &str) -> String {
    let inner = word.trim_matches(|c: char| "(),;:".contains(c));
    match inner.parse::<f64>() {
        Ok(x) if x.is_finite() => word.replacen(inner, "#", 1),
        _ => word.to_string(),
    }
}

#[test]
fn comparison_of_printed_output_ignores_digits_only() {
    assert_eq!(shape("relative error 1.2e-6, at"), shape("relative   error 3.4e-16, at"));
    assert_ne!(shape("relative error 1.2e-6"), shape("absolute error 1.2e-6"));
    assert_ne!(shape("stages 2, x2"), shape("stages 2, x3"));
    assert_ne!(shape("relative error NaN"), shape("relative error 1.2e-6"));
}
