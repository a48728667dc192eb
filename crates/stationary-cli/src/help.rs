//! What `--help` says at the end: examples, exit codes, where to read on.

pub const TOP: &str = "\
Start here:
  stationary new pendulum         write pendulum.toml, a commented scenario
  stationary run pendulum.toml    run it; results/pendulum/report.html shows it
  stationary list                 what else there is; all of it runs by its name

Exit codes: 0 done; 1 a claim of the scenario, a run of a sweep, a comparison or a bar of the bench failed; 2 error.
`stationary COMMAND --help` has examples for each command.";

pub const NEW: &str = "\
Examples:
  stationary new                        the kinds
  stationary new pendulum               writes pendulum.toml
  stationary new solid beam.toml        writes beam.toml, and the mesh beam.msh beside it
  stationary new orbit --schema         with scenario.schema.json, for editors

Every scenario runs as it is, in a few seconds.

Exit codes: 0 written; 2 not written: an unknown kind, a file that is there already.";

pub const RUN: &str = "\
Examples:
  stationary run kepler                    a scenario of the program, into results/kepler
  stationary run beam.toml --out results/stiff --set material.rubber.young=2e6
  stationary run graded-cube --resume      go on after Ctrl-C, a crash or a full disk
  stationary run kepler --json | jq -c 'select(.event == \"progress\") | .left'

Ctrl-C ends a run after its step, or gives the step up where it takes long; what it reached is written. Progress is on standard error: a bar on a terminal, \
elsewhere a line every five seconds. Files of an earlier run in the folder are replaced.

Exit codes: 0 done, every claim held; 1 done, a claim failed; 2 wrong input, or a run that stopped or was interrupted.";

pub const SWEEP: &str = "\
Examples:
  stationary sweep pendulum --over step=0.01..0.1:10
  stationary sweep kepler --over parameters.e=0,0.3,0.6 --over step=0.01,0.02 --set end=100
  stationary sweep pendulum --list runs.csv --jobs 2 --keep

Exit codes: 0 every run finished and held its claims; 1 a run did not; 2 wrong input, or interrupted.";

pub const CHECK: &str = "\
Examples:
  stationary check beam.toml
  stationary check kepler --set integrator.stages=3
  stationary check beam.toml --json      for editors: file, line, column, message, help

Everything up to the first step is done, and nothing is written.

Exit codes: 0 valid; 2 not.";

pub const MODES: &str = "\
Examples:
  stationary modes slab                     the ten lowest, into results/slab-modes
  stationary modes beam.toml --count 20 --set support.wall.fixed=false
  stationary modes beam.toml --json | jq .summary.mode

The solid is taken as it is at its start: with its supports, with the stresses of its initial shape, and with pressures that follow its \
surface. Motions as a rigid body, mechanisms and unstable modes are told apart from vibrations. report.html shows each mode in motion.

Exit codes: 0 done; 2 wrong input, or interrupted.";

pub const COMPARE: &str = "\
Examples:
  stationary compare results/a results/b     equal to the last digit?
  stationary compare results/a results/b --tolerance 1e-9
  stationary compare results/a results/b --json

Exit codes: 0 equal, or within the tolerance; 1 not; 2 one is no folder of results, or cannot be read.";

pub const VIEW: &str = "\
Examples:
  stationary view results/kepler
  stationary view results/kepler --port 8000

Listens on 127.0.0.1 only, answers GET and HEAD for files in the folder, and nothing outside of it. \
Ctrl-C ends it.

Exit codes: 0 ended by Ctrl-C; 2 no such folder, or the port is taken.";

pub const LIST: &str = "\
Example:
  stationary list | less";

pub const EXPLAIN: &str = "\
Examples:
  stationary explain gauss               an integrator: its mathematics and options
  stationary explain symplectic          an observer
  stationary explain kepler > mine.toml  a shipped scenario, to change
  stationary explain formulas            the functions of formulas

Exit codes: 0 explained; 2 nothing has this name.";

pub const EXPLAIN_ENERGY: &str = "\
Examples:
  stationary explain-energy henon-heiles
  stationary explain-energy pendulum --set end=50

Exit codes: 0 done; 2 wrong input, or a method or a system without such an energy.";

pub const SCHEMA: &str = "\
Example:
  stationary schema > scenario.schema.json

Editors with taplo (Even Better TOML) complete keys and check values with a first line in the scenario:
  #:schema ./scenario.schema.json";

pub const COMPLETIONS: &str = "\
Examples:
  source <(stationary completions bash)    in ~/.bashrc
  source <(stationary completions zsh)     in ~/.zshrc, after compinit
  stationary completions fish | source     in ~/.config/fish/config.fish

The script asks the program itself what could follow, so names of scenarios and kinds are completed too.";

pub const BENCH: &str = "\
Examples:
  stationary bench
  stationary bench --list
  stationary bench formulas --check

Measure on a machine that does nothing else: times are of the clock.

Exit codes: 0 done; 1 with --check, a row misses its bar; 2 error.";
