//! Sweeps whose runs are handed to a program instead of a table: no journal, and files only where they are asked for.

use super::Sweep;
use super::drive::{self, SweepWatch, Work};
use crate::run;
use crate::scenario::Scenario;
use stationary::error::Error;
use std::ops::ControlFlow;
use std::path::PathBuf;

/// How the runs of a sweep are made for a program.
#[derive(Debug, Clone)]
pub struct HandOver {
    /// Runs at a time.
    pub jobs: usize,
    /// Whether outcomes have their tables, or only the summary.
    pub tables: bool,
    /// A folder in which every run leaves its files, in `0001` and so on.
    pub out: Option<PathBuf>,
}

/// A run that is over.
#[derive(Debug)]
pub struct Made {
    /// Its number, from 0.
    pub run: usize,
    /// Its scenario, if it could be read.
    pub scenario: Option<Scenario>,
    /// What came of it, or why it was refused.
    pub outcome: Result<run::RunOutcome, Error>,
}

impl Sweep {
    /// Makes all runs and gives each to `done`, on the calling thread in the order in which they end; what a run is does not depend
    /// on that order, nor on the number of threads. `watch` and `done` may end the sweep. Returns whether they did before its end.
    ///
    /// An `Err` of input means that the first run is refused, and that nothing was run. Others that are refused are handed over as such.
    ///
    /// ```
    /// use stationary_app::scenario::{Template, shipped};
    /// use stationary_app::sweep::{Factor, HandOver, Plan, Sweep};
    /// use std::ops::ControlFlow;
    ///
    /// let template = Template::new("pendulum", shipped::find("pendulum").unwrap().text);
    /// let set = vec![("end".to_string(), "1".to_string())];
    /// let sweep = Sweep { template, set, plan: Plan::new(vec![Factor::over("step", "0.01,0.02")?])? };
    /// let options = HandOver { jobs: 2, tables: false, out: None };
    /// let mut moves = [0; 2];
    /// sweep.hand_over(&options, &mut |_| ControlFlow::Continue(()), &mut |made| {
    ///     moves[made.run] = made.outcome.unwrap().summary["moves"].as_u64().unwrap();
    ///     ControlFlow::Continue(())
    /// })?;
    /// assert_eq!(moves, [100, 50]);
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn hand_over(
        &self,
        options: &HandOver,
        watch: &mut SweepWatch<'_>,
        done: &mut dyn FnMut(Made) -> ControlFlow<()>,
    ) -> Result<bool, Error> {
        run::check(&self.scenario(0)?).map_err(|error| self.named(0, error))?;
        let make = |run: usize, watch: &mut run::Watch<'_>| self.make_one(run, options, watch);
        let pending = (0..self.plan.len()).collect();
        let work = Work { runs: self.plan.len(), pending, amiss: 0, jobs: options.jobs, make: &make };
        let mut note = |made: Made| {
            let is_amiss = made.outcome.as_ref().map_or(true, |outcome| outcome.stopped.is_some());
            if done(made).is_break() { Err(Error::Interrupted) } else { Ok(is_amiss) }
        };
        match drive::drive(&work, &mut note, watch) {
            Err(Error::Interrupted) => Ok(true),
            ended => ended,
        }
    }

    fn make_one(&self, run: usize, options: &HandOver, watch: &mut run::Watch<'_>) -> Result<Made, Error> {
        let scenario = match self.scenario(run) {
            Ok(scenario) => scenario,
            Err(why) => return Ok(Made { run, scenario: None, outcome: Err(why) }),
        };
        let folder = options.out.as_ref().map(|out| out.join(format!("{:04}", run + 1)));
        let outcome = match (&folder, options.tables) {
            (out, true) => run::gather(&scenario, out.as_deref(), false, watch),
            (Some(out), false) => run::run(&scenario, out, watch),
            (None, false) => run::measure(&scenario, watch),
        };
        match outcome {
            Ok(outcome) if outcome.interrupted => Err(Error::Interrupted),
            Err(error @ (Error::Interrupted | Error::Io { .. })) => Err(error),
            outcome => Ok(Made { run, scenario: Some(scenario), outcome }),
        }
    }
}
