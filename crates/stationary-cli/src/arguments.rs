//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Variational integrators: mechanics that stays true over long runs.
///
/// Exit codes: 0 done, 1 a claim of the scenario (or a run of a sweep) failed, 2 error.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Run a scenario and write its results.
    Run(Run),
    /// Run a scenario many times with other values, on all cores, and write a table of the results.
    Sweep(Sweep),
    /// Check a scenario without running it.
    Check(Scenario),
    /// List the integrators, the observers and the scenarios shipped with the program.
    List,
    /// Explain an integrator, an observer or a shipped scenario; `explain formulas` lists the functions.
    Explain(Explain),
    /// Run a scenario at its step and at half of it, and tell which nearby energy its steps follow.
    ExplainEnergy(Scenario),
}

#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub scenario: Scenario,
    /// Folder for the results [default: results/NAME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Threads that share the work on a solid [default: all cores for a large mesh]
    ///
    /// As `--set integrator.threads=N`. The results have the same bits for any number.
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=255))]
    pub threads: Option<u16>,
    /// Go on from the checkpoint in the folder for the results, with the same bits as an unbroken run.
    #[arg(long)]
    pub resume: bool,
    /// No progress; only warnings and errors.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Sweep {
    #[command(flatten)]
    pub scenario: Scenario,
    /// A key and its values, as in `parameters.l=0.5,1,2` or `step=0.01..0.1:10`.
    ///
    /// Values stand between commas. FROM..TO:COUNT is a range with both ends, FROM..TO:COUNT:log one on a logarithmic scale.
    /// Several --over make all combinations; the last varies fastest.
    #[arg(long, value_name = "KEY=VALUES", value_parser = key_value)]
    pub over: Vec<(String, String)>,
    /// A CSV file with keys in its first line and a run in each of the others.
    #[arg(long, value_name = "FILE.csv")]
    pub list: Option<PathBuf>,
    /// Folder for the results [default: results/NAME-sweep]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Runs at a time [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=4096))]
    pub jobs: Option<u16>,
    /// Keep the results of every run in runs/NNNN.
    #[arg(long)]
    pub keep: bool,
    /// A key of summary.json to plot in sweep.html; may be repeated [default: energy.max_relative_error]
    #[arg(long, value_name = "KEY")]
    pub plot: Vec<String>,
    /// Go on with the interrupted sweep in the folder for the results.
    #[arg(long)]
    pub resume: bool,
    /// No progress; only warnings and errors.
    #[arg(long, short)]
    pub quiet: bool,
}

#[derive(Debug, Args)]
pub struct Scenario {
    /// A scenario file, or the name of a shipped scenario.
    #[arg(value_name = "FILE|NAME")]
    pub scenario: String,
    /// Replace a value of the scenario, as in `step=0.01` or `integrator.stages=3`.
    ///
    /// The value is TOML, or else text. A new integrator.method drops the options that the file gives to the old
    /// one; options given by --set stay. One of initial.velocity, initial.momentum and initial.next_position
    /// replaces the others.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// A name from `stationary list`, or `formulas`.
    pub name: String,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().into(), value.trim().into())),
        _ => Err("expected key=value, as in step=0.01".into()),
    }
}
