//! The whole path of a run, of every kind: build, loop (advance, look, write, checkpoint, watch), finish.

use super::checkpointer::{Checkpointer, Opened};
use super::engine::Advanced;
use super::prepared::PreparedRun;
use super::results::{Results, check_claims};
use super::{End, RunOutcome, TICK, Watch, prepare};
use crate::scenario::Scenario;
use stationary::error::{Cause, Error, RunError};
use stationary_report::{Folder, failpoint};
use std::time::Instant;

/// Runs a scenario into a folder, or goes on with its run there.
pub(super) fn run(
    scenario: &Scenario,
    out: &Folder,
    resume: bool,
    watch: &mut Watch<'_>,
) -> Result<RunOutcome, Error> {
    let clock = Instant::now();
    let mut prepared = prepare(|| PreparedRun::build(scenario, out.shows()))?;
    check_claims(scenario, &*prepared.engine)?;
    let checkpointer = match Checkpointer::open(scenario, out, resume, clock, &prepared.identity)? {
        Opened::Run(checkpointer) => checkpointer,
        Opened::Finished(outcome) => return Ok(*outcome),
    };
    let mut results = Results::open(scenario, &mut prepared, checkpointer)?;
    let end = drive(&mut prepared, &mut results, watch)?;
    results.finish(&mut *prepared.engine, end)
}

/// The loop: advance, observe, write; at intervals report to the watcher and write a checkpoint.
fn drive(prepared: &mut PreparedRun, results: &mut Results<'_>, watch: &mut Watch<'_>) -> Result<End, Error> {
    let engine = &mut *prepared.engine;
    let mut told = Instant::now();
    let mut stopped = None;
    let mut interrupted = false;
    for turn in 0_u64.. {
        // The initial state is the first moment; nothing is advanced for it.
        let advanced = if results.is_empty() { Ok(Advanced::Moment) } else { engine.advance() };
        failpoint::moved();
        let over = match advanced {
            Ok(Advanced::Partway) => false,
            Ok(Advanced::Over) => true,
            Ok(Advanced::Moment) => match engine.look() {
                Ok(moment) => results.take(engine, &moment)?,
                Err(cause) => {
                    stopped = Some(results.stopped_by(cause));
                    break;
                }
            },
            Err(RunError { cause: Cause::Interrupted, .. }) => {
                interrupted = true;
                results.checkpoint(engine)?;
                break;
            }
            Err(error) => {
                stopped = Some(error);
                break;
            }
        };
        if over || turn.is_multiple_of(prepared.moves_between_looks) && failpoint::is_due(told, TICK) {
            told = Instant::now();
            results.flush()?;
            interrupted = watch(&engine.progress()).is_break() && !over;
            if interrupted || results.is_checkpoint_due() && !over {
                results.checkpoint(engine)?;
            }
        }
        if over || interrupted {
            break;
        }
    }
    results.write_last_row()?;
    Ok(results.end(stopped, interrupted))
}
