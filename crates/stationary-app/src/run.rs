//! Runs of scenarios. `drive.rs` is the whole path.

pub(crate) mod checkpointer;
#[cfg(test)]
mod conserved;
mod drive;
pub(crate) mod energy;
pub(crate) mod energy_guard;
pub(crate) mod energy_summary;
pub(crate) mod engine;
pub(crate) mod finish;
pub(crate) mod impacts;
#[cfg(test)]
mod names;
pub(crate) mod page;
pub(crate) mod prepared;
pub(crate) mod results;
pub(crate) mod rows;
pub(crate) mod simulation;

pub use crate::kinds::solid::{ModalOutcome, SolidSimulation, SolidView, natural_modes};
pub use energy::{EnergyReport, EnergyRow, EnergyTerm};
pub use simulation::{Simulation, State};
pub use stationary::observe::Conserved;

use crate::scenario::{Scenario, claim};
use prepared::PreparedRun;
use serde_json::Value;
use stationary::archive::{Archive, Persist};

use stationary::error::{Error, RunError};
use stationary::interrupt::{self, Interrupted};
use stationary_report::{Folder, InMemoryResults};
use std::fmt;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time between reports to the watcher.
pub(crate) const TICK: Duration = Duration::from_millis(50);

/// Told how far a run is; may end it.
pub type Watch<'a> = dyn FnMut(&Progress) -> ControlFlow<()> + 'a;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Steps made.
    pub step: u64,
    /// Steps to make.
    pub steps: u64,
    /// Time reached.
    pub time: f64,
    /// Time to reach.
    pub end: f64,
    /// Largest relative energy error so far.
    pub energy_error: f64,
    /// Moves made: steps of the whole, or events of elements.
    pub moves: u64,
    /// Impacts so far and those that end the run, if some number does.
    pub impacts: Option<[u64; 2]>,
    /// Secular growth of a solid's energy over the scale of the energy; zero if there is none.
    pub growth: f64,
    /// How often the time steps of a solid were reduced.
    pub reductions: u64,
    /// The last of these reductions.
    pub reduction: Option<StepReduction>,
}

/// A common factor by which the time steps of all elements were multiplied in a run, since they proved unstable.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StepReduction {
    /// The time from which the run continued.
    pub time: f64,
    /// The factor.
    pub factor: f64,
    /// The steps since then over the first ones.
    pub scale: f64,
    /// The sign of instability.
    pub reason: ReductionReason,
}

impl Default for StepReduction {
    fn default() -> Self {
        StepReduction { time: 0.0, factor: 1.0, scale: 1.0, reason: ReductionReason::Fault }
    }
}

/// Why time steps were reduced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReductionReason {
    /// An element inverted, or the energy exploded.
    Fault,
    /// The energy grew.
    Growth,
}

impl ReductionReason {
    /// The name in `summary.json`.
    pub fn name(self) -> &'static str {
        match self {
            ReductionReason::Fault => "fault",
            ReductionReason::Growth => "growth",
        }
    }
}

impl std::fmt::Display for ReductionReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            ReductionReason::Fault => "an element inverted or the energy exploded",
            ReductionReason::Growth => "the energy grew",
        })
    }
}

impl std::fmt::Display for StepReduction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let StepReduction { time, factor, scale, reason } = self;
        let [time, factor, scale] = [time, factor, scale].map(|x| finish::short(*x));
        write!(
            f,
            "{reason}: back to t = {time}, and on with time steps times {factor} ({scale} of the first ones)"
        )
    }
}

/// Steps of a run that will make `steps` of them unless impacts end it before: then as many as it takes if they go on so.
pub(crate) fn steps_ahead(steps: u64, step: u64, impacts: Option<[u64; 2]>) -> u64 {
    let expected = match impacts {
        Some([0, _]) | None => steps,
        Some([seen, all]) => steps.min((step as f64 / seen as f64 * all as f64) as u64),
    };
    expected.max(step)
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct RunOutcome {
    /// The content of `summary.json`.
    pub summary: Value,
    /// What was conserved and how well.
    pub conserved: Vec<Conserved>,
    /// The claims of the scenario, held against the summary.
    pub claims: Vec<claim::CheckedClaim>,
    /// Why the run stopped early, if it did.
    pub stopped: Option<RunError>,
    /// Whether the watcher ended the run.
    pub interrupted: bool,
    /// What the user must know.
    pub warnings: Vec<String>,
    /// What the user should know of this part of a run; not in its summary, which is that of an unbroken one.
    pub notes: Vec<String>,
    /// The files written.
    pub files: Vec<PathBuf>,
    /// What is in memory; see [`gather`].
    pub in_memory: InMemoryResults,
}

/// Runs a scenario into a folder. `watch` is told the progress several times a second and may end the run.
///
/// An `Err` means that nothing was run and, for a wrong scenario, nothing written; a run that stops on
/// its way is a [`RunOutcome`] with everything up to the last good step.
///
/// `watch` is asked between steps. Where the question of [`interrupt::listen`](stationary::interrupt::listen) is answered yes, a long step and a
/// long preparation are given up as well.
pub fn run(scenario: &Scenario, out: &Path, watch: &mut Watch<'_>) -> Result<RunOutcome, Error> {
    drive::run(scenario, &Folder::at(out), false, watch)
}

/// Runs a scenario for its summary alone and writes nothing.
///
/// ```
/// use stationary_app::{run, scenario::{Scenario, shipped}};
/// let pendulum = shipped::find("pendulum").unwrap();
/// let scenario = Scenario::read("pendulum", pendulum.text, &[("end".into(), "10".into())])?;
/// let outcome = run::measure(&scenario, &mut |_| std::ops::ControlFlow::Continue(()))?;
/// assert_eq!(outcome.summary["moves"], 500);
/// assert!(outcome.files.is_empty());
/// # Ok::<(), stationary::error::Error>(())
/// ```
pub fn measure(scenario: &Scenario, watch: &mut Watch<'_>) -> Result<RunOutcome, Error> {
    drive::run(scenario, &Folder::none(), false, watch)
}

/// Goes on with a run from the last checkpoint in its folder; its results are those of an unbroken run to the last bit.
///
/// Where there is no checkpoint yet the run begins, and where it is finished nothing is left to do: [`RunOutcome::notes`] says so.
pub fn resume(scenario: &Scenario, out: &Path, watch: &mut Watch<'_>) -> Result<RunOutcome, Error> {
    drive::run(scenario, &Folder::at(out), true, watch)
}

/// Runs a scenario for a caller who goes on with the numbers: [`RunOutcome::in_memory`] has what the files of a run have, to the bit. With a
/// folder the files are written as well, and with `resume` an earlier run goes on there.
///
/// ```
/// use stationary_app::{run, scenario::{Scenario, shipped}};
/// let pendulum = shipped::find("pendulum").unwrap();
/// let every_step = [("end".into(), "10".into()), ("output.every".into(), "1".into())];
/// let scenario = Scenario::read("pendulum", pendulum.text, &every_step)?;
/// let outcome = run::gather(&scenario, None, false, &mut |_| std::ops::ControlFlow::Continue(()))?;
/// let series = outcome.in_memory.series.unwrap();
/// assert_eq!(series.numbers.len(), 501 * series.columns.len());
/// # Ok::<(), stationary::error::Error>(())
/// ```
pub fn gather(
    scenario: &Scenario,
    out: Option<&Path>,
    resume: bool,
    watch: &mut Watch<'_>,
) -> Result<RunOutcome, Error> {
    drive::run(scenario, &out.map_or_else(Folder::none, Folder::at).in_memory(), resume, watch)
}

/// Builds everything a run needs, runs nothing, writes nothing.
pub fn check(scenario: &Scenario) -> Result<Description, Error> {
    prepare(|| {
        let prepared = PreparedRun::build(scenario, false)?;
        results::check_claims(scenario, &*prepared.engine)?;
        let mut lines = prepared.description;
        // After what the system is made of, the first line.
        let place = lines.len().min(1);
        lines.splice(place..place, prepared.engine.survey(scenario)?);
        Ok(Description { lines })
    })
}

/// Runs a scenario at its step and at half of it, writes nothing, and tells which nearby energy its steps follow: the
/// truncations that are known of the modified energy [VTI04 3.5], and how much each varies.
///
/// A method that is not variational, and a system without an energy, is an error, and so is a run that stops on its way.
pub fn explain_energy(scenario: &Scenario) -> Result<EnergyReport, Error> {
    prepare(|| scenario.system.explain_energy(scenario))
}

/// Builds what a run needs. That may be given up: then nothing has been written.
pub(crate) fn prepare<T>(build: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
    interrupt::attempt(build)?
}

/// Makes a move that may be given up: the state is then that from before, to the bit. `notes` is room for it.
pub(crate) fn try_move<S: Persist + ?Sized, T>(
    state: &mut S,
    notes: &mut Vec<u8>,
    make: impl FnOnce(&mut S) -> T,
) -> Result<T, Interrupted> {
    if !interrupt::is_heard() {
        return Ok(make(state));
    }
    let mut archive = Archive::over(std::mem::take(notes));
    archive.pass(state);
    *notes = archive.into_bytes();
    let made = interrupt::attempt(|| make(state));
    if made.is_err() {
        let mut archive = Archive::reader(std::mem::take(notes));
        archive.pass(state);
        archive.finish().expect("a state of its own");
    }
    made
}

/// What `stationary check` tells.
#[derive(Debug, Clone)]
pub struct Description {
    lines: Vec<(&'static str, String)>,
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.lines.iter().enumerate() {
            let newline = if i == 0 { "" } else { "\n" };
            write!(f, "{newline}{name:<13} {value}")?;
        }
        Ok(())
    }
}

/// How the loop ended.
pub(crate) struct End {
    pub stopped: Option<RunError>,
    pub interrupted: bool,
    /// Time and number of the last good step.
    pub time: f64,
    pub step: u64,
}
