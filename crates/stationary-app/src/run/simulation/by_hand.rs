//! The loop of every system that is moved on by hand.

use crate::run::{Progress, TICK, Watch};
use crate::scenario::moves_clock;
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary_report::failpoint;
use std::ops::ControlFlow;
use std::time::Instant;

/// Part of a step by which a time may be missed: the last step must not be lost to rounding.
pub(crate) const ROUNDING: f64 = 1e-9;

/// Progress is told in parts of this many.
const PARTS: f64 = 1e6;

/// A system that is moved on by hand.
pub(crate) trait MovedByHand {
    /// The data of one call of [`advance`]: the time to reach, and a good state to go back to after an error.
    type Advance;

    /// The time reached.
    fn time(&self) -> f64;

    /// The length of its steps, the smallest if there are several; none where the method chooses them on the way.
    fn step(&self) -> Option<f64>;

    /// Moves between two looks at the clock: many where one move costs as little as a look.
    fn moves_between_looks(&self) -> u64;

    /// Sets out to a time.
    fn set_out(&mut self, until: f64) -> Self::Advance;

    /// Moves on by a step, or for a stretch that takes a part of a second. After an error the state is a good one that was reached before;
    /// a move that was interrupted ([`Cause::Interrupted`]) has not been made.
    fn move_on(&mut self, advance: &mut Self::Advance) -> Result<Reached, RunError>;

    /// How far it has come.
    fn progress(&mut self, advance: &Self::Advance) -> Progress;
}

/// How far a move has led.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reached {
    /// The goal, or the last step that ends by then.
    Goal,
    /// A time before.
    Partway,
}

/// Moves a system on to a time. The watcher is told the progress several times a second and at the end, and may end the call.
pub(crate) fn advance<S: MovedByHand>(
    system: &mut S,
    until: f64,
    watch: &mut Watch<'_>,
) -> Result<ControlFlow<()>, Error> {
    let start = system.time();
    check_goal(start, system.step(), until)?;
    let mut advance = system.set_out(until);
    let mut told = Instant::now();
    let mut turn = 0_u64;
    loop {
        turn += 1;
        let reached = match system.move_on(&mut advance) {
            Ok(reached) => reached,
            Err(RunError { cause: Cause::Interrupted, .. }) => return Ok(ControlFlow::Break(())),
            Err(error) => return Err(error.into()),
        };
        let looks = turn.is_multiple_of(system.moves_between_looks());
        if reached == Reached::Goal || looks && failpoint::is_due(told, TICK) {
            told = Instant::now();
            let now = system.progress(&advance);
            let part = if until > start { (now.time - start) / (until - start) } else { 1.0 };
            let step = (part * PARTS) as u64;
            let answer = watch(&Progress { step, steps: PARTS as u64, end: until, impacts: None, ..now });
            if answer.is_break() || reached == Reached::Goal {
                return Ok(answer);
            }
        }
    }
}

/// Refuses a time that cannot be reached from now with steps of this length.
fn check_goal(now: f64, step: Option<f64>, until: f64) -> Result<(), Diagnostic> {
    if !until.is_finite() {
        return Err(Diagnostic::new(format!("cannot advance to time {until}"))
            .help(format!("expected a finite time, {now} or later")));
    }
    // The last step may have ended that much after the time it was to reach.
    if until < now - step.unwrap_or(0.0) * ROUNDING {
        return Err(Diagnostic::new(format!("cannot go back to time {until}: the time is {now}"))
            .help("a saved state can be restored, and a state can be set at the present time"));
    }
    match step {
        Some(step) if !moves_clock(step, until) => {
            let message = format!("a step of {step:e} does not move the clock at time {until}");
            Err(Diagnostic::new(message).help("expected an earlier time"))
        }
        _ => Ok(()),
    }
}
