//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

/// Variational integrators: mechanics that stays true over long runs.
///
/// Exit codes: 0 done, 1 a claim of the scenario (or a run of a sweep, or a bar of the bench) failed, 2 error.
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
    /// Measure how fast this build is on this machine, as ratios to hand-written C and to our own simpler ways.
    ///
    /// Every row times two programs in turns, in one process, and takes the best of many repetitions of each, so that what
    /// disturbs one disturbs both. The table has nanoseconds for one step or one update of an element, those of the reference,
    /// what is compared with the bar, and the bar. The book's page on the cost of a run says what each row means.
    Bench(Bench),
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
pub struct Bench {
    /// Rows to measure, by name or by group [default: all that do not take long]
    ///
    /// The group `model` runs only when it is asked for: it measures the cost model of the book, and has no bars.
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,
    /// Print JSON: the machine, and of each row counts, times, ratio, bar and more.
    #[arg(long)]
    pub json: bool,
    /// Measure again what misses its bar, for up to 45 seconds a row, and exit with 1 if it still does.
    #[arg(long)]
    pub check: bool,
    /// Long rows too, and energies followed over 100,000 steps instead of 2,000.
    #[arg(long)]
    pub full: bool,
    /// List the groups and rows without measuring.
    #[arg(long, conflicts_with_all = ["json", "check"])]
    pub list: bool,
    /// No progress with --json; only the result.
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
