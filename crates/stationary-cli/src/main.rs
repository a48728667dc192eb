//! The `stationary` program: scenarios in, results out.

mod arguments;
mod bench;
mod check;
mod explain;
mod explain_energy;
mod list;
mod load;
mod output;
mod progress;
mod run;
mod sweep;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;
use output::complain;
use stationary::error::Error;

/// How a command that met no error ended.
enum Verdict {
    /// All is well.
    Done,
    /// The run is complete, but the scenario promised more than it kept; or a run of a complete sweep did, or a row of the
    /// bench misses its bar.
    ClaimFailed,
    /// The run ended early, on its own or by the user; what it reached is kept.
    Stopped,
}

fn main() -> ExitCode {
    let verdict = match Arguments::parse().command {
        Command::Run(arguments) => run::run(&arguments),
        Command::Sweep(arguments) => sweep::sweep(&arguments),
        Command::Check(arguments) => check::check(&arguments),
        Command::List => list::list(),
        Command::Explain(arguments) => explain::explain(&arguments),
        Command::Bench(arguments) => bench::bench(&arguments),
        Command::ExplainEnergy(arguments) => explain_energy::explain_energy(&arguments),
    };
    exit_code(verdict)
}

/// 0 done, 1 a claim failed, 2 anything else.
fn exit_code(verdict: Result<Verdict, Error>) -> ExitCode {
    match verdict {
        Ok(Verdict::Done) => ExitCode::SUCCESS,
        Ok(Verdict::ClaimFailed) => ExitCode::from(1),
        Ok(Verdict::Stopped) => ExitCode::from(2),
        Err(error) => {
            complain(&format!("error: {error}"));
            ExitCode::from(2)
        }
    }
}
