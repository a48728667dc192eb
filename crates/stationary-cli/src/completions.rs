//! `stationary completions`: what a shell needs to complete commands, options, and the names of scenarios.

use std::ffi::OsStr;
use std::io::Write;

use clap::CommandFactory;
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};
use clap_complete::env::{CompleteEnv, Shells};
use stationary::error::{Diagnostic, Error};
use stationary_app::registry;
use stationary_app::scenario::keys::reference;
use stationary_app::scenario::shipped;

use crate::arguments::{Arguments, Completions};
use crate::output::say;
use crate::{Verdict, new, output};

/// The variable by which the shell asks the program to complete.
const VARIABLE: &str = "STATIONARY_COMPLETE";

/// The shells that there are.
pub const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// Answers a shell that asks what could follow, and returns the exit code; none in any other case.
pub fn answer() -> Option<u8> {
    let here = std::env::current_dir().ok();
    let asked = CompleteEnv::with_factory(Arguments::command).var(VARIABLE);
    match asked.try_complete(std::env::args_os(), here.as_deref()) {
        Ok(false) => None,
        Ok(true) => {
            output::note(std::io::stdout().flush());
            Some(0)
        }
        Err(error) => {
            output::complain(error.to_string().trim_end());
            Some(2)
        }
    }
}

/// Prints the script of a shell.
pub fn completions(arguments: &Completions) -> Result<Verdict, Error> {
    let shells = Shells::builtins();
    let missing = || Error::from(Diagnostic::new(format!("no completions for `{}`", arguments.shell)));
    let shell = shells.completer(&arguments.shell).ok_or_else(missing)?;
    let mut script = Vec::new();
    shell
        .write_registration(VARIABLE, "stationary", "stationary", "stationary", &mut script)
        .map_err(|e| Error::Io { path: "standard output".into(), message: e.to_string() })?;
    say(String::from_utf8_lossy(&script).trim_end());
    Ok(Verdict::Done)
}

fn beginning(all: impl Iterator<Item = &'static str>, current: &OsStr) -> Vec<CompletionCandidate> {
    let current = current.to_string_lossy();
    all.filter(|name| name.starts_with(&*current)).map(CompletionCandidate::new).collect()
}

/// Names of shipped scenarios, and scenario files.
pub fn scenarios(current: &OsStr) -> Vec<CompletionCandidate> {
    let mut all = beginning(shipped::all().iter().map(|s| s.name), current);
    let files =
        PathCompleter::any().filter(|path| path.is_dir() || path.extension().is_some_and(|e| e == "toml"));
    all.extend(files.complete(current));
    all
}

/// What `stationary explain` knows.
pub fn names(current: &OsStr) -> Vec<CompletionCandidate> {
    let entries = registry::integrators().iter().chain(registry::observers()).map(|e| e.name);
    let laws = registry::materials().iter().map(|law| law.name);
    let keys = reference().into_iter().flat_map(|(_, keys)| keys.iter().map(|key| key.path));
    let scenarios = shipped::all().iter().map(|s| s.name);
    beginning(entries.chain(laws).chain(keys).chain(scenarios).chain(["formulas"]), current)
}

/// What `stationary new` can write.
pub fn kinds(current: &OsStr) -> Vec<CompletionCandidate> {
    beginning(new::KINDS.iter().map(|kind| kind.names[0]), current)
}
