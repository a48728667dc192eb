//! Static equilibrium at the start: of a static solution, and of a motion that begins from rest under load.

use super::build::Body;
use super::static_motion::StaticMotion;
use crate::run::finish::short;
use crate::scenario::{Place, Scenario, SolidSystem};
use stationary::error::{Error, RunError};
use stationary::integrate::statics::{
    FreePiece, Statics, StaticsCause, StaticsError, StaticsOptions, free_pieces,
};
use stationary::model::solid::SolidProblem;
use std::sync::Arc;

/// The shortest load step, as a part of the distance of rows.
const SHORTEST: f64 = 1.0 / 1024.0;
/// Of an initial state: well below what a motion would show.
const TOLERANCE: f64 = 1e-12;
const ITERATIONS: usize = 40;

/// Tolerance and iterations of a static solution, and the time from row to row and from start to end.
#[derive(Clone, Copy)]
pub(super) struct StaticPlan {
    pub tolerance: f64,
    pub iterations: usize,
    pub row: f64,
    pub span: f64,
}

impl StaticPlan {
    /// The static solution from a configuration.
    pub fn start(
        &self,
        problem: &Arc<SolidProblem>,
        (t, x): (f64, Vec<f64>),
        place: &Place,
    ) -> Result<StaticMotion, Error> {
        let options = StaticsOptions {
            tolerance: self.tolerance,
            iterations: self.iterations,
            shortest: SHORTEST * self.row,
            span: self.span,
        };
        let solution = Statics::new(Arc::clone(problem), t, x, options).map_err(|e| unsolved(e, place))?;
        Ok(StaticMotion::new(solution, Arc::clone(problem), self.row))
    }
}

fn unsolved(error: StaticsError, place: &Place) -> Error {
    if error.cause == StaticsCause::Interrupted {
        return Error::Interrupted;
    }
    let RunError { cause: stationary::error::Cause::Equilibrium { why }, .. } = RunError::from(error) else {
        return place.error("the equilibrium at the start is not found").into();
    };
    place.error(format!("the equilibrium at the start is not found: {why}")).into()
}

/// Refuses a body with parts that may move as rigid bodies.
pub(super) fn require_held(body: &Body, x: &[f64], place: &Place) -> Result<(), Error> {
    let pieces = free_pieces(&*body.problem, x);
    let Some(FreePiece { node, nodes, pieces: count, motions }) = pieces.first() else { return Ok(()) };
    let part = match count {
        1 => "the body".to_string(),
        _ => format!(
            "the part with node {} ({nodes} of the nodes; the body has {count} parts that are not connected)",
            body.node_number(*node as usize)
        ),
    };
    let others = match pieces.len() - 1 {
        0 => String::new(),
        1 => "; another part is not held either".to_string(),
        n => format!("; {n} other parts are not held either"),
    };
    let error = place.error(format!(
        "{part} is not held, and has no unique equilibrium: free are {}{others}",
        motions.join(", ")
    ));
    let help = "add supports that prevent these motions: [support.NAME] with group and fixed = true, or displacements along x, y, z";
    Err(error.help(help).into())
}

/// Puts a body into static equilibrium under its loads and supports at the start.
pub(super) fn settle(scenario: &Scenario, system: &SolidSystem, body: &mut Body) -> Result<(), Error> {
    let Some(place) = &system.equilibrium else { return Ok(()) };
    require_held(body, &body.x, place)?;
    let plan = StaticPlan { tolerance: TOLERANCE, iterations: ITERATIONS, row: 1.0, span: 1.0 };
    let motion = plan.start(&body.problem, (scenario.start, body.x.clone()), place)?;
    let solution = motion.solution();
    body.x.copy_from_slice(solution.positions());
    body.notes.push(format!(
        "the body starts from static equilibrium: found in {} iterations, residual {} of the forces",
        solution.iterations(),
        short(solution.residual())
    ));
    Ok(())
}
