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

/// A system in motion, with all that observes it. Whatever decides how it goes on is in its [`Persist`].
pub(crate) trait Engine: Persist + Send {
    /// What is drawn of it, where anybody will see it.
    fn pictures(&mut self) -> Option<&mut dyn Persist> {
        None
    }

    /// Moves on: by a step, or for a stretch of simulated time that takes a part of a second. A move that was interrupted
    /// ([`Cause::Interrupted`]) has not been made.
    fn advance(&mut self) -> Result<Moved, RunError>;

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

    /// Writes what is known only once the run is over; returns what is found wrong only then.
    fn conclude(&mut self, _outputs: &mut Outputs) -> Result<Option<Cause>, Error> {
        Ok(None)
    }

    /// How far it has come.
    fn progress(&self) -> Progress;

    /// What it found, for the summary of a run that ended here.
    fn summary(&self, end: &End) -> Summary;

    /// What it tells people.
    fn report(&self, finished: &FinishedRun<'_>) -> EngineReport;
}

/// Where a move has led.
pub(crate) enum Moved {
    /// To a moment that is to be looked at.
    Moment,
    /// Part of the way to one.
    Partway,
    /// Nowhere: the run is over, and its last moment has been seen.
    Over,
}

/// A moment that was looked at.
pub(crate) struct Moment {
    /// Its place among all moments looked at, from nought.
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
    /// The time, and what the state is made of.
    pub state: Vec<String>,
    /// What observers add.
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

/// What a system has for the summary of its run.
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

/// A run that has ended, for whoever reports it.
pub(crate) struct FinishedRun<'a> {
    pub scenario: &'a Scenario,
    pub end: &'a End,
    /// The whole summary, but for what judges it: claims and warnings.
    pub summary: &'a Record,
    pub series: &'a Series,
    pub outputs: &'a Outputs,
    /// Wall time.
    pub seconds: f64,
    /// Whether anybody will see plots and pictures.
    pub shows: bool,
}

/// What a system tells people of its run.
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
