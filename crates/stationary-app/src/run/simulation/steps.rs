//! Systems that move by steps of the whole, by hand: all but solids.

use super::State;
use super::by_hand::{MovedByHand, ROUNDING, Reached};
use crate::run::checkpointer::identify;
use crate::run::engine::{Advanced, Outputs};
use crate::run::prepared::{self, PreparedRun};
use crate::run::results::Last;
use crate::run::{Progress, prepare};
use crate::scenario::Scenario;
use stationary::archive::Archive;
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary_report::checkpoint::Checkpoint;
use stationary_report::{Folder, failpoint};

/// The state is noted after so many steps, to go back to when a later one fails.
const NOTED: u64 = 64;

/// A system that moves by steps of the whole.
pub(super) struct Steps {
    /// As it was given.
    scenario: Scenario,
    /// What a checkpoint must know, to be one of this scenario.
    identity: u64,
    /// What has replaced the initial state and the time of the start, if something has.
    begin: Option<State>,
    prepared: PreparedRun,
    outputs: Outputs,
    /// The present moment.
    last: Last,
}

impl Steps {
    pub fn new(mut scenario: Scenario) -> Result<Self, Error> {
        scenario.end_impacts = None;
        Steps::begun(scenario, None)
    }

    /// The system of a scenario at its start, or where it begins instead.
    fn begun(scenario: Scenario, begin: Option<State>) -> Result<Self, Error> {
        let prepared = prepare(|| match &begin {
            Some(begin) => PreparedRun::build(&prepared::restarted(&scenario, begin)?, false),
            None => PreparedRun::build(&scenario, false),
        })?;
        let mut steps = Steps {
            identity: identify(&scenario, &prepared.identity),
            last: Last::new(begin.as_ref().map_or(scenario.start, |begin| begin.t)),
            // Nobody wants them; but what is found for them must go somewhere.
            outputs: Outputs::open(&prepared.outputs, &Folder::none(), None)?,
            begin,
            scenario,
            prepared,
        };
        steps.look().map_err(|cause| steps.stopped_by(cause))?;
        Ok(steps)
    }

    pub fn name(&self) -> &str {
        &self.scenario.name
    }

    /// Steps made; the moves of bodies that collide are impacts.
    pub fn steps_made(&self) -> u64 {
        self.prepared.engine.progress().step
    }

    pub fn state(&self) -> State {
        self.prepared.engine.state()
    }

    pub fn row(&self) -> Vec<(String, f64)> {
        let columns = &self.prepared.columns;
        let names = columns.state.iter().chain(&columns.observed).cloned();
        names.zip(self.last.row.iter().copied()).collect()
    }

    fn stopped_by(&self, cause: Cause) -> RunError {
        RunError { time: self.time(), step: self.steps_made(), cause }
    }

    /// Shows the present moment to the observers.
    fn look(&mut self) -> Result<(), Cause> {
        let engine = &mut *self.prepared.engine;
        let moment = engine.look()?;
        self.last.see(engine, &moment);
        engine.write(&mut self.outputs).expect("no file is written");
        Ok(())
    }

    fn noted(&mut self) -> Vec<u8> {
        let mut archive = Archive::writer();
        archive.pass(&mut *self.prepared.engine).pass(&mut self.last);
        archive.into_bytes()
    }

    fn go_back(&mut self, noted: Vec<u8>) {
        let mut archive = Archive::reader(noted);
        archive.pass(&mut *self.prepared.engine).pass(&mut self.last);
        archive.finish().expect("a state of its own");
    }

    /// Goes back to the last good step: a step that failed may have left anything. From the state that was noted it is some steps on.
    fn stop(&mut self, advance: &mut StepAdvance, cause: Cause) -> RunError {
        self.go_back(std::mem::take(&mut advance.noted));
        for _ in 0..advance.since {
            // A step that is given up now leaves an earlier time; another call will find the same fault.
            if let Err(error) = self.prepared.engine.advance() {
                return error;
            }
            if let Err(cause) = self.look() {
                return self.stopped_by(cause);
            }
        }
        self.stopped_by(cause)
    }

    pub fn set(&mut self, q: Option<&[f64]>, v: Option<&[f64]>) -> Result<(), Error> {
        let now = self.state();
        for (what, given, own) in [("positions", q, &now.q), ("velocities", v, &now.v)] {
            let Some(given) = given else { continue };
            if given.len() != own.len() {
                let help = format!("expected {} numbers, found {}", own.len(), given.len());
                return Err(Diagnostic::new(format!("the {what} cannot be set")).help(help).into());
            }
            if !given.iter().all(|x| x.is_finite()) {
                let message = format!("the {what} cannot be set");
                return Err(Diagnostic::new(message).help("expected finite numbers").into());
            }
        }
        let begin = self.scenario.system.begin(now, q, v)?;
        let begun = Steps::begun(self.scenario.clone(), Some(begin)).map_err(|error| match error {
            Error::Input(mut diagnostic) => {
                diagnostic.message = format!("the state cannot be set: {}", diagnostic.message);
                Error::Input(diagnostic)
            }
            other => other,
        })?;
        *self = begun;
        Ok(())
    }

    pub fn checkpoint(&mut self) -> Checkpoint {
        let mut checkpoint = Checkpoint::new(self.identity);
        if let Some(begin) = &mut self.begin {
            checkpoint.state("begin", |archive| _ = archive.pass(begin));
        }
        checkpoint.state("last", |archive| _ = archive.pass(&mut self.last));
        checkpoint.state("state", |archive| _ = archive.pass(&mut *self.prepared.engine));
        checkpoint
    }

    /// Goes to the state of a checkpoint. That of a run has more sections, and begins where the scenario does.
    pub fn go_to(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        checkpoint.expect_identity(self.identity)?;
        let mut begin = None;
        if checkpoint.has("begin") {
            checkpoint.take_state("begin", |archive| _ = archive.pass(begin.insert(State::default())))?;
        }
        if bits(begin.as_ref()) != bits(self.begin.as_ref()) {
            // When and where a run begins decides more than its state, as the times of its steps.
            let mut other = Steps::begun(self.scenario.clone(), begin)?;
            other.take(checkpoint)?;
            *self = other;
            return Ok(());
        }
        let noted = self.noted();
        let taken = self.take(checkpoint);
        if taken.is_err() {
            self.go_back(noted);
        }
        taken
    }

    /// Sets the state to that of a checkpoint; on an error it may be set in part.
    fn take(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        checkpoint.take_state("last", |archive| _ = archive.pass(&mut self.last))?;
        checkpoint.take_state("state", |archive| _ = archive.pass(&mut *self.prepared.engine))?;
        let columns = self.prepared.columns.state.len() + self.prepared.columns.observed.len();
        match self.last.row.len() == columns {
            true => Ok(()),
            false => Err(checkpoint.fault("section `last` is not what such a run writes")),
        }
    }
}

/// The way to a time.
pub(super) struct StepAdvance {
    until: f64,
    /// A good state.
    noted: Vec<u8>,
    /// Steps made since.
    since: u64,
}

impl MovedByHand for Steps {
    type Advance = StepAdvance;

    fn time(&self) -> f64 {
        self.prepared.engine.progress().time
    }

    fn step(&self) -> Option<f64> {
        self.prepared.step
    }

    fn moves_between_looks(&self) -> u64 {
        self.prepared.moves_between_looks
    }

    fn set_out(&mut self, until: f64) -> StepAdvance {
        StepAdvance { until, noted: self.noted(), since: 0 }
    }

    fn move_on(&mut self, advance: &mut StepAdvance) -> Result<Reached, RunError> {
        let step = self.prepared.step;
        if step.is_some_and(|step| self.time() + step * (1.0 - ROUNDING) > advance.until) {
            return Ok(Reached::Goal);
        }
        let moved = self.prepared.engine.advance();
        failpoint::moved();
        match moved {
            Ok(Advanced::Moment) if step.is_none() && self.time() > advance.until => {
                self.go_back(std::mem::take(&mut advance.noted));
                return Ok(Reached::Goal);
            }
            Ok(Advanced::Moment) => self.look().map_err(|cause| self.stop(advance, cause))?,
            Ok(Advanced::Partway | Advanced::Over) => unreachable!("steps of the whole end with a moment"),
            Err(error @ RunError { cause: Cause::Interrupted, .. }) => return Err(error),
            Err(RunError { cause, .. }) => return Err(self.stop(advance, cause)),
        }
        advance.since += 1;
        // The length of a step that the method chooses is known only when it has been made.
        let notes_every = if step.is_some() { NOTED } else { 1 };
        if advance.since == notes_every {
            advance.noted = self.noted();
            advance.since = 0;
        }
        Ok(Reached::Partway)
    }

    fn progress(&mut self, _advance: &StepAdvance) -> Progress {
        self.prepared.engine.progress()
    }
}

fn bits(state: Option<&State>) -> Option<Vec<Vec<u64>>> {
    let parts =
        |s: &State| [&[s.t][..], &s.q, &s.v, &s.p].map(|part| part.iter().map(|x| x.to_bits()).collect());
    state.map(|state| parts(state).to_vec())
}
