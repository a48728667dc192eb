//! The command line.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::engine::{ArgValueCompleter, PathCompleter};

use crate::{completions, help};

/// Variational integrators: mechanics that stays true over long runs.
///
/// A scenario is a text file that says what moves and how; `stationary new` writes one to start from. A run leaves a folder with
/// the series (series.csv), every number under a documented key (summary.json) and a page to look at (report.html).
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, after_help = help::TOP)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Write a commented scenario to start from; without an argument, list the kinds.
    #[command(after_help = help::NEW)]
    New(New),
    /// Run a scenario and write its results.
    #[command(after_help = help::RUN)]
    Run(Run),
    /// Run a scenario many times with other values, on all cores, and write a table of the results.
    #[command(after_help = help::SWEEP)]
    Sweep(Sweep),
    /// Check a scenario without running it.
    #[command(after_help = help::CHECK)]
    Check(Check),
    /// Compute the lowest natural frequencies and mode shapes of a solid about its initial shape.
    #[command(after_help = help::MODES)]
    Modes(Modes),
    /// Compare two folders of results: trajectories, energies, counts, claims.
    ///
    /// Rows of series.csv are matched by time. Each column is measured against its largest value, a key of summary.json against its
    /// own size, and errors (keys named error, drift, residual, violation and the like) as they are. Words and the duration of a
    /// run do not count.
    #[command(after_help = help::COMPARE)]
    Compare(Compare),
    /// Look at a folder of results in the browser, served on this machine only.
    #[command(after_help = help::VIEW)]
    View(View),
    /// List the integrators, the observers and the scenarios shipped with the program.
    #[command(after_help = help::LIST)]
    List,
    /// Explain an integrator, an observer or a shipped scenario; `explain formulas` lists the functions.
    #[command(after_help = help::EXPLAIN)]
    Explain(Explain),
    /// Run a scenario at its step and at half of it, and tell which nearby energy its steps follow.
    #[command(after_help = help::EXPLAIN_ENERGY)]
    ExplainEnergy(Scenario),
    /// Print the JSON Schema of scenarios, by which editors complete and check them.
    #[command(after_help = help::SCHEMA)]
    Schema,
    /// Print the script by which a shell completes commands, options and names of scenarios.
    #[command(after_help = help::COMPLETIONS)]
    Completions(Completions),
    /// Measure how fast this build is on this machine, as ratios to hand-written C and to our own simpler ways.
    ///
    /// Every row times two programs in turns, in one process, and takes the best of many repetitions of each, so that what
    /// disturbs one disturbs both. The table has nanoseconds for one step or one update of an element, those of the reference,
    /// what is compared with the bar, and the bar. The book's page on the cost of a run says what each row means.
    #[command(after_help = help::BENCH)]
    Bench(Bench),
}

impl Command {
    /// Whether errors are wanted as lines of JSON.
    pub fn json(&self) -> bool {
        match self {
            Command::Run(arguments) => arguments.json,
            Command::Sweep(arguments) => arguments.json,
            Command::Check(arguments) => arguments.json,
            Command::Modes(arguments) => arguments.json,
            Command::Compare(arguments) => arguments.json,
            _ => false,
        }
    }
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
    ///
    /// For runs of every kind: the same command again, with --resume, after Ctrl-C, a crash or a full disk. Where there is no
    /// checkpoint yet the run begins anew, and where the run is finished nothing is done; both are told. The checkpoint
    /// of another scenario, mesh, --set or version of the program is refused, and nothing is changed.
    #[arg(long)]
    pub resume: bool,
    /// No progress; only warnings and errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// Lines of JSON on standard output for programs: start, progress, warning, done, error.
    ///
    /// Nothing else is printed. With --quiet there are no lines of progress.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Sweep {
    #[command(flatten)]
    pub scenario: Scenario,
    /// A key and its values, as in `parameters.l=0.5,1,2` or `step=0.01..0.1:10`.
    ///
    /// Values stand between commas, and need no quotes. FROM..TO:COUNT is a range with both ends, FROM..TO:COUNT:log one on a logarithmic scale.
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
    /// Lines of JSON on standard output for programs: start, progress, warning, done, error.
    ///
    /// Nothing else is printed. With --quiet there are no lines of progress.
    #[arg(long)]
    pub json: bool,
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
pub struct New {
    /// What it is about, from the list that `stationary new` prints.
    #[arg(value_name = "KIND", add = ArgValueCompleter::new(completions::kinds))]
    pub kind: Option<String>,
    /// The file to write [default: KIND.toml]
    ///
    /// A file that is there is never overwritten. For a solid the mesh is written beside it.
    #[arg(value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// Also write scenario.schema.json beside it, and a first line by which editors find it.
    #[arg(long)]
    pub schema: bool,
}

#[derive(Debug, Args)]
pub struct Compare {
    /// A folder of results.
    #[arg(value_name = "A", add = ArgValueCompleter::new(PathCompleter::dir()))]
    pub a: PathBuf,
    /// Another.
    #[arg(value_name = "B", add = ArgValueCompleter::new(PathCompleter::dir()))]
    pub b: PathBuf,
    /// How far numbers may be apart, relative to their size; 0: not at all.
    ///
    /// At 0 both must also have the same rows, columns and keys. Above, what only one of them has, and how many steps it took, is
    /// told but does not count.
    #[arg(long, value_name = "X", default_value_t = 0.0, value_parser = tolerance)]
    pub tolerance: f64,
    /// Print JSON: every difference under documented keys.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct View {
    /// A folder of results.
    #[arg(value_name = "DIR", add = ArgValueCompleter::new(PathCompleter::dir()))]
    pub folder: PathBuf,
    /// The port [default: any that is free]
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    pub port: u16,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell.
    #[arg(value_parser = clap::builder::PossibleValuesParser::new(completions::SHELLS))]
    pub shell: String,
}

#[derive(Debug, Args)]
pub struct Check {
    #[command(flatten)]
    pub scenario: Scenario,
    /// A line of JSON on standard output in place of words: `done`, or `error` with file, line, column, message and help.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Modes {
    #[command(flatten)]
    pub scenario: Scenario,
    /// How many, from the lowest eigenvalue on.
    #[arg(long, short = 'n', value_name = "N", default_value_t = 10)]
    pub count: usize,
    /// Folder for the results [default: results/NAME-modes]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// No table; only warnings and errors.
    #[arg(long, short)]
    pub quiet: bool,
    /// Lines of JSON on standard output for programs: warning, done, error.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct Scenario {
    /// A scenario file, or the name of a shipped scenario.
    #[arg(value_name = "FILE|NAME", add = ArgValueCompleter::new(completions::scenarios))]
    pub scenario: String,
    /// Replace a value of the scenario, as in `step=0.01` or `integrator.stages=3`.
    ///
    /// The value is TOML, or else text. A whole value replaces all that is inside: integrator=verlet leaves no option of the
    /// file. A new integrator.method drops the options that the file gives to the old one; options given by --set stay. One of initial.velocity, initial.momentum and initial.next_position
    /// replaces the others.
    #[arg(long, value_name = "KEY=VALUE", value_parser = key_value)]
    pub set: Vec<(String, String)>,
}

#[derive(Debug, Args)]
pub struct Explain {
    /// A name from `stationary list`, or `formulas`.
    #[arg(add = ArgValueCompleter::new(completions::names))]
    pub name: String,
}

fn key_value(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => Ok((key.trim().into(), value.trim().into())),
        _ => Err("expected key=value, as in step=0.01".into()),
    }
}

fn tolerance(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(x) if x >= 0.0 && x.is_finite() => Ok(x),
        _ => Err("expected a number, zero or more, as in 1e-9".into()),
    }
}
