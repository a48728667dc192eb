//! Systems that move by steps of the whole, by hand: all but solids.

use super::State;
use crate::run::checkpointer::identify;
use crate::run::engine::{Moved, Outputs};
use crate::run::kinds::{self, Built};
use crate::run::results::Last;
use crate::run::{Progress, TICK, Watch, prepare};
use crate::scenario::{Scenario, moves_clock};
use stationary::archive::Archive;
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary_report::checkpoint::Checkpoint;
use stationary_report::{Folder, failpoint};
use std::ops::ControlFlow;
use std::time::Instant;

/// Part of a step by which a time may be missed: the last step must not be lost to rounding.
const ROUNDING: f64 = 1e-9;

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
    built: Built,
    outputs: Outputs,
    /// The present moment.
    last: Last,
    /// When the watcher was last told.
    told: Instant,
}

impl Steps {
    pub fn new(mut scenario: Scenario) -> Result<Self, Error> {
        scenario.end_impacts = None;
        Steps::begun(scenario, None)
    }

    /// The system of a scenario at its start, or where it begins instead.
    fn begun(scenario: Scenario, begin: Option<State>) -> Result<Self, Error> {
        let built = prepare(|| match &begin {
            Some(begin) => kinds::build(&kinds::restarted(&scenario, begin)?, false),
            None => kinds::build(&scenario, false),
        })?;
        let mut steps = Steps {
            identity: identify(&scenario, &built.identity),
            last: Last::new(begin.as_ref().map_or(scenario.start, |begin| begin.t)),
            // Nobody wants them; but what is found for them must go somewhere.
            outputs: Outputs::open(&built.outputs, &Folder::none(), None)?,
            begin,
            scenario,
            built,
            told: Instant::now(),
        };
        steps.look().map_err(|cause| steps.stopped_by(cause))?;
        Ok(steps)
    }

    pub fn name(&self) -> &str {
        &self.scenario.name
    }

    pub fn time(&self) -> f64 {
        self.built.engine.progress().time
    }

    /// Steps made; the moves of bodies that collide are impacts.
    pub fn steps_made(&self) -> u64 {
        self.built.engine.progress().step
    }

    pub fn state(&self) -> State {
        self.built.engine.state()
    }

    pub fn row(&self) -> Vec<(String, f64)> {
        let columns = &self.built.columns;
        let names = columns.state.iter().chain(&columns.observed).cloned();
        names.zip(self.last.row.iter().copied()).collect()
    }

    fn stopped_by(&self, cause: Cause) -> RunError {
        RunError { time: self.time(), step: self.steps_made(), cause }
    }

    /// Shows the present moment to the observers.
    fn look(&mut self) -> Result<(), Cause> {
        let engine = &mut *self.built.engine;
        let moment = engine.look()?;
        self.last.see(engine, &moment);
        engine.write(&mut self.outputs).expect("no file is written");
        Ok(())
    }

    fn noted(&mut self) -> Vec<u8> {
        let mut archive = Archive::writer();
        archive.pass(&mut *self.built.engine).pass(&mut self.last);
        archive.into_bytes()
    }

    fn go_back(&mut self, noted: Vec<u8>) {
        let mut archive = Archive::reader(noted);
        archive.pass(&mut *self.built.engine).pass(&mut self.last);
        archive.finish().expect("a state of its own");
    }

    pub fn advance(&mut self, until: f64, watch: &mut Watch<'_>) -> Result<ControlFlow<()>, Error> {
        self.check_goal(until)?;
        let start = self.time();
        // The length of a step that the method chooses is known only when it has been made.
        let notes_every = if self.built.step.is_some() { NOTED } else { 1 };
        let (mut noted, mut since) = (self.noted(), 0);
        for turn in 1_u64.. {
            if self.built.step.is_some_and(|step| self.time() + step * (1.0 - ROUNDING) > until) {
                break;
            }
            let moved = self.built.engine.advance();
            failpoint::moved();
            let fault = match moved {
                Ok(Moved::Moment) if self.built.step.is_none() && self.time() > until => {
                    self.go_back(noted);
                    break;
                }
                Ok(Moved::Moment) => self.look().err(),
                Ok(Moved::OnTheWay | Moved::Over) => unreachable!("steps of the whole end with a moment"),
                Err(RunError { cause: Cause::Interrupted, .. }) => return Ok(ControlFlow::Break(())),
                Err(RunError { cause, .. }) => Some(cause),
            };
            if let Some(cause) = fault {
                return self.stop(noted, since, cause);
            }
            since += 1;
            if since == notes_every {
                (noted, since) = (self.noted(), 0);
            }
            if turn.is_multiple_of(self.built.moves_between_looks) && failpoint::is_due(self.told, TICK) {
                let told = self.tell([start, until], watch);
                if told.is_break() {
                    return Ok(told);
                }
            }
        }
        Ok(self.tell([start, until], watch))
    }

    /// Goes back to the last good step: a step that failed may have left anything. From the state that was noted it is `since` steps on.
    fn stop(&mut self, noted: Vec<u8>, since: u64, cause: Cause) -> Result<ControlFlow<()>, Error> {
        self.go_back(noted);
        for _ in 0..since {
            match self.built.engine.advance() {
                Ok(_) => self.look().map_err(|cause| self.stopped_by(cause))?,
                // The time reached by then is earlier; another call will find the same fault.
                Err(RunError { cause: Cause::Interrupted, .. }) => return Ok(ControlFlow::Break(())),
                Err(error) => return Err(error.into()),
            };
        }
        Err(self.stopped_by(cause).into())
    }

    fn check_goal(&self, until: f64) -> Result<(), Diagnostic> {
        let now = self.time();
        if !until.is_finite() {
            return Err(Diagnostic::new(format!("cannot advance to time {until}"))
                .help(format!("expected a finite time, {now} or later")));
        }
        // The last step may have ended that much after the time it was to reach.
        if until < now - self.built.step.unwrap_or(0.0) * ROUNDING {
            return Err(Diagnostic::new(format!("cannot go back to time {until}: the time is {now}"))
                .help("a saved state can be restored, and a state can be set at the present time"));
        }
        match self.built.step {
            Some(step) if !moves_clock(step, until) => {
                let message = format!("a step of {step:e} does not move the clock at time {until}");
                Err(Diagnostic::new(message).help("expected an earlier time"))
            }
            _ => Ok(()),
        }
    }

    fn tell(&mut self, [start, until]: [f64; 2], watch: &mut Watch<'_>) -> ControlFlow<()> {
        self.told = Instant::now();
        let now = self.built.engine.progress();
        let part = if until > start { (now.time - start) / (until - start) } else { 1.0 };
        watch(&Progress { step: (part * 1e6) as u64, steps: 1_000_000, end: until, impacts: None, ..now })
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
        let begin = kinds::begin(&self.scenario, now, q, v)?;
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
        checkpoint.state("state", |archive| _ = archive.pass(&mut *self.built.engine));
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
        checkpoint.take_state("state", |archive| _ = archive.pass(&mut *self.built.engine))?;
        let columns = self.built.columns.state.len() + self.built.columns.observed.len();
        match self.last.row.len() == columns {
            true => Ok(()),
            false => Err(checkpoint.fault("section `last` is not what such a run writes")),
        }
    }
}

fn bits(state: Option<&State>) -> Option<Vec<Vec<u64>>> {
    let parts =
        |s: &State| [&[s.t][..], &s.q, &s.v, &s.p].map(|part| part.iter().map(|x| x.to_bits()).collect());
    state.map(|state| parts(state).to_vec())
}
