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
mod new;
mod output;
mod progress;
mod run;
mod schema;
mod sweep;
mod view;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;
use output::complain;
use stationary::error::Diagnostic;
use stationary::failpoint;

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
    completions::answer();
    let command = match Arguments::try_parse() {
        Ok(arguments) => arguments.command,
        Err(error) => return usage(&error),
    };
    let json = command.json();
    let verdict = failpoint::check().and_then(|()| match &command {
        Command::New(arguments) => new::new(arguments),
        Command::Run(arguments) => run::run(arguments),
        Command::Sweep(arguments) => sweep::sweep(arguments),
        Command::Check(arguments) => check::check(arguments),
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
        Ok(verdict) => ExitCode::from(verdict.code()),
        Err(error) if json => {
            events::error(&error);
            ExitCode::from(2)
        }
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}

/// Words that are no command, and requests for help. A program that asks for JSON gets it also for these.
fn usage(error: &clap::Error) -> ExitCode {
    let code = u8::try_from(error.exit_code()).unwrap_or(2);
    if error.use_stderr() && std::env::args_os().any(|word| word == "--json") {
        let text = error.to_string();
        let message = text.lines().next().unwrap_or("wrong usage").trim_start_matches("error: ");
        events::error(&Diagnostic::new(message).help("see stationary --help").into());
    }
    // A reader that has gone away is no error.
    let _ = error.print();
    ExitCode::from(code)
}
