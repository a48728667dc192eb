//! The interface between a run and a system of any kind.

use super::simulation::State;
use super::{End, Progress};
use crate::scenario::Scenario;
use stationary::archive::Persist;
use stationary::error::{Cause, Error, RunError};
use stationary::observe::{Conserved, Record};
use stationary_report::frames::{FrameFormat, Frames};
use stationary_report::html::{Section, TextTable};
use stationary_report::{Events, Series};

/// A system in motion with its observers. Its [`Persist`] holds everything on which the rest of the run depends.
pub(crate) trait Engine: Persist + Send {
    /// The recorded pictures of the motion, if a page will show them.
    fn pictures(&mut self) -> Option<&mut dyn Persist> {
        None
    }

    /// Advances by one step, or by an interval of simulated time that takes a fraction of a second to compute. If the call is interrupted
    /// ([`Cause::Interrupted`]), the state is that from before.
    fn advance(&mut self) -> Result<Advanced, RunError>;

    /// Shows the present moment to every observer.
    fn look(&mut self) -> Result<Moment, Cause>;

    /// Positions, velocities and momenta now.
    fn state(&self) -> State;

    /// The moment last seen as a row of the series.
    fn row(&self, row: &mut Vec<f64>);

    /// Writes what belongs to the moment last seen besides its row.
    fn write(&mut self, _outputs: &mut Outputs) -> Result<(), Error> {
        Ok(())
    }

    /// Writes results that are known only when the run is over. Returns a fault that is found only then.
    fn conclude(&mut self, _outputs: &mut Outputs) -> Result<Option<Cause>, Error> {
        Ok(None)
    }

    /// What only `stationary check` tells, since it takes time: names and values.
    fn survey(&self, _scenario: &Scenario) -> Result<Vec<(&'static str, String)>, Error> {
        Ok(Vec::new())
    }

    /// Steps, time and energy error so far.
    fn progress(&self) -> Progress;

    /// The entries of `summary.json` that this kind of system has, for a run that ended at `end`.
    fn summary(&self, end: &End) -> Summary;

    /// Facts, plots, tables and warnings for the page and the terminal.
    fn report(&self, finished: &FinishedRun<'_>) -> EngineReport;
}

/// What a call of [`Engine::advance`] has reached.
pub(crate) enum Advanced {
    /// A moment that observers must see.
    Moment,
    /// A time between two such moments.
    Partway,
    /// The end of the run; observers have seen its last moment.
    Over,
}

/// A moment that observers have seen.
pub(crate) struct Moment {
    /// Its number among all such moments, from zero.
    pub number: u64,
    /// The time.
    pub time: f64,
    /// Steps of the whole, or events of elements, so far.
    pub moves: u64,
    /// Whether it is a row of the series.
    pub is_row: bool,
    /// Whether the run ends with it.
    pub is_last: bool,
}

/// Names of the columns of the series.
pub(crate) struct Columns {
    /// The time and the components of the state.
    pub state: Vec<String>,
    /// The columns of the observers.
    pub observed: Vec<String>,
}

/// What is written besides the series.
#[derive(Default)]
pub(crate) struct OutputSpec {
    /// Columns of `sections.csv`.
    pub section: Option<Vec<String>>,
    /// Columns of `impacts.csv`.
    pub impacts: Option<&'static [&'static str]>,
    /// The form of frames.
    pub frames: Option<FrameFormat>,
}

/// The files of an [`OutputSpec`].
pub(crate) struct Outputs {
    pub section: Option<Series>,
    pub impacts: Option<Events>,
    pub frames: Option<Frames>,
}

/// The part of the summary that depends on the kind of system.
pub(crate) struct Summary {
    /// The method in words.
    pub method: String,
    pub order: usize,
    pub variational: bool,
    /// Iterations of Newton's method.
    pub iterations: u64,
    /// The keys that this kind of system has.
    pub keys: Record,
}

/// A run that has ended, as [`Engine::report`] sees it.
pub(crate) struct FinishedRun<'a> {
    pub scenario: &'a Scenario,
    pub end: &'a End,
    /// The whole summary except claims and warnings.
    pub summary: &'a Record,
    pub series: &'a Series,
    pub outputs: &'a Outputs,
    /// Wall time.
    pub seconds: f64,
    /// Whether a page with plots and pictures will be made.
    pub shows: bool,
}

/// The part of the page and of the terminal output that depends on the kind of system.
#[derive(Default)]
pub(crate) struct EngineReport {
    pub conserved: Vec<Conserved>,
    /// Name and value of the run's facts.
    pub facts: Vec<(String, String)>,
    /// Parts of the page beyond those of every run.
    pub sections: Vec<Section>,
    /// Tables after them.
    pub tables: Vec<TextTable>,
    pub warnings: Vec<String>,
    /// What the user should know of how the input was read.
    pub notes: Vec<String>,
}
