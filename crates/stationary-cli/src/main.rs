//! The `stationary` program: scenarios in, results out.

mod arguments;
mod bench;
mod check;
mod compare;
mod completions;
mod events;
mod explain;
mod explain_energy;
mod help;
mod list;
mod load;
mod modes;
mod new;
mod output;
mod progress;
mod run;
mod schema;
mod sweep;
mod view;

use std::io::Write;
use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;
use output::{complain, exit_code, note};
use stationary::error::{Diagnostic, Error, visible};
use stationary_report::failpoint;

/// How a command that met no error ended.
enum Verdict {
    /// All is well.
    Done,
    /// The run is complete, but the scenario promised more than it kept; or a run of a complete sweep did, or a row of the
    /// bench misses its bar, or two results differ.
    ClaimFailed,
    /// The run ended early, on its own or by the user; what it reached is kept.
    Stopped,
}

impl Verdict {
    /// 0 done, 1 a claim failed, 2 anything else.
    fn code(&self) -> u8 {
        match self {
            Verdict::Done => 0,
            Verdict::ClaimFailed => 1,
            Verdict::Stopped => 2,
        }
    }
}

fn main() -> ExitCode {
    if let Some(code) = completions::answer() {
        return exit_code(code);
    }
    let code = match Arguments::try_parse() {
        Ok(arguments) => obey(&arguments.command),
        Err(error) => usage(&error),
    };
    exit_code(code)
}

/// Does what a command asks for; returns the exit code.
fn obey(command: &Command) -> u8 {
    let verdict = failpoint::check().and_then(|()| match command {
        Command::New(arguments) => new::new(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Sweep(arguments) => sweep::sweep(arguments),
        Command::Check(arguments) => check::check(arguments),
        Command::Modes(arguments) => modes::modes(arguments),
        Command::Compare(arguments) => compare::compare(arguments),
        Command::View(arguments) => view::view(arguments),
        Command::List => list::list(),
        Command::Explain(arguments) => explain::explain(arguments),
        Command::Schema => schema::schema(),
        Command::Completions(arguments) => completions::completions(arguments),
        Command::Bench(arguments) => bench::bench(arguments),
        Command::ExplainEnergy(arguments) => explain_energy::explain_energy(arguments),
    });
    match verdict {
        Ok(verdict) => verdict.code(),
        Err(error) if command.json() => {
            events::error(&error);
            2
        }
        Err(Error::Interrupted) => {
            complain(&format!("{}", Error::Interrupted));
            2
        }
        Err(error) => {
            complain(&format!("error: {error}"));
            2
        }
    }
}

/// Words that are no command, and requests for help; returns the exit code. A program that asks for JSON gets it also for these.
fn usage(error: &clap::Error) -> u8 {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    let text = error.to_string();
    if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        let message = text.lines().next().unwrap_or("wrong usage").trim_start_matches("error: ");
        events::error(&Diagnostic::new(message).help("see stationary --help").into());
    }
    // Its own way of printing has colours; words of the command line that are not safe to print are shown without.
    if error.use_stderr() && visible(&text) != text {
        complain(text.trim_end());
        return code;
    }
    let printed = error.print().and_then(|()| std::io::stdout().flush());
    if !error.use_stderr() {
        note(printed);
    }
    code
}
