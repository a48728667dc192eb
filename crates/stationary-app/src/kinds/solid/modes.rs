//! Natural frequencies and mode shapes of the solid of a scenario, and what is written of them.

use super::SolidSystem;
use super::build::{self, Body};
use super::modes_output;
use crate::run::finish::short;
use crate::run::prepare;
use crate::scenario::Scenario;
use serde_json::Value;
use stationary::error::{Diagnostic, Error};
use stationary::integrate::sparse::modes::{ModalSpec, Modes, ModesError, modes};
use stationary::linalg::max_abs;
use stationary::model::Structure;
use std::path::{Path, PathBuf};

/// Unbalanced forces below this part of the largest force at a node are rounding, or what a solver left.
const BALANCED: f64 = 1e-6;
/// Differences of the stiffness matrix from its transpose beyond rounding.
const SYMMETRIC: f64 = 1e-10;

/// The modes of a solid.
#[derive(Debug, Clone)]
pub struct ModalOutcome {
    /// The modes, their shapes with nodes in the order of the mesh.
    pub modes: Modes,
    /// The content of `summary.json`.
    pub summary: Value,
    /// What the user must know before trusting the numbers.
    pub warnings: Vec<String>,
    /// What the user should know.
    pub notes: Vec<String>,
    /// The files written.
    pub files: Vec<PathBuf>,
}

/// The lowest modes of the solid of a scenario about its initial shape, at its start. With a folder, tables, shapes and a page are written there.
///
/// ```
/// use stationary_app::run::natural_modes;
/// use stationary_app::scenario::{Scenario, shipped};
///
/// let slab = Scenario::read("slab", shipped::find("slab").unwrap().text, &[])?;
/// let found = natural_modes(&slab, 3, None)?;
/// assert!(found.modes.modes[0].angular_frequency() > 0.0);
/// # Ok::<(), stationary::error::Error>(())
/// ```
pub fn natural_modes(scenario: &Scenario, count: usize, out: Option<&Path>) -> Result<ModalOutcome, Error> {
    let Some(system) = scenario.solid() else {
        let place = &scenario.integrator.method.place;
        return Err(place
            .error("natural frequencies are those of solids, and this is none")
            .help("expected a scenario with a `mesh`; `stationary new solid` writes one")
            .into());
    };
    let (body, found) = prepare(|| {
        let body = build::body(scenario, system)?;
        let spec = ModalSpec::lowest(count);
        let found = modes(&body.problem, scenario.start, &body.x, &spec);
        Ok((body, found.map_err(|e| explained(system, count, &e))?))
    })?;
    let warnings = warnings(&found);
    let notes = notes(scenario, &body, &found);
    let mut outcome = ModalOutcome { modes: found, summary: Value::Null, warnings, notes, files: Vec::new() };
    modes_output::write(scenario, &body, &mut outcome, out)?;
    outcome.modes = in_file_order(&body, outcome.modes);
    Ok(outcome)
}

/// Why there are no modes, with the remedy.
fn explained(system: &SolidSystem, count: usize, error: &ModesError) -> Error {
    let place = &system.mesh.file.place;
    match error {
        ModesError::Count { unknowns } => {
            Diagnostic::new(format!("{count} modes are wanted of a body with {unknowns} unknowns"))
                .help(format!("expected a number of modes from 1 to {unknowns}, as in --count 10"))
                .into()
        }
        ModesError::Interrupted => Error::Interrupted,
        ModesError::Memory => place
            .error(format!("there are no modes: {error}"))
            .help("expected a coarser mesh, or a machine with more memory")
            .into(),
        ModesError::Fault(_) | ModesError::NotFinite => place
            .error(format!("there are no modes: {error}"))
            .help("expected an initial shape in which every element has a stiffness")
            .into(),
        ModesError::NoShift | ModesError::NotConverged { .. } => place
            .error(format!("there are no modes: {error}"))
            .help("expected fewer modes, or a body whose parts are not stiffer than each other by many orders of magnitude")
            .into(),
    }
}

fn warnings(found: &Modes) -> Vec<String> {
    let mut warnings = Vec::new();
    match found.count_check {
        Some(check) if check.there != check.found => warnings.push(format!(
            "{} eigenvalues lie below {:.6e} by the signs of the pivots, and {} were found",
            check.there, check.below, check.found
        )),
        _ => {}
    }
    if found.asymmetry > SYMMETRIC {
        warnings.push(format!(
            "the stiffness of the pressures that follow the surface is not symmetric (by {:.1e} of its largest entry): the modes are those of its \
             symmetric part; such loads are not conservative, and flutter is not seen",
            found.asymmetry
        ));
    }
    warnings
}

fn notes(scenario: &Scenario, body: &Body, found: &Modes) -> Vec<String> {
    let problem = &*body.problem;
    let mut notes = body.notes.clone();
    if let Some(part) = unbalanced(scenario, body).filter(|part| *part > BALANCED) {
        notes.push(format!(
            "the initial shape is no equilibrium: unbalanced forces reach {} of the largest force at a node. Loads count by the stresses \
             of the initial shape, and by pressures that follow it",
            short(part)
        ));
    }
    let plane = is_plane(body);
    let expected = if plane { planar_components(problem) } else { 0 };
    if found.loose > expected {
        notes.push(format!(
            "{} free components of nodes have no stiffness and are left out; bars without tension move freely across",
            found.loose - expected
        ));
    }
    if Structure::history_size(problem) > 0 {
        notes.push("materials with memory are taken as they are at first, without a past".into());
    }
    if problem.supports_move() {
        notes.push(format!("supports that move stand still where they are at t = {}", scenario.start));
    }
    notes
}

/// The largest unbalanced force at a node, relative to the largest of the forces that elements and supports exert; `None` where nothing acts.
fn unbalanced(scenario: &Scenario, body: &Body) -> Option<f64> {
    let problem = &*body.problem;
    let (mut whole, mut inner) = (vec![0.0; body.x.len()], vec![0.0; body.x.len()]);
    Structure::gradient(problem, scenario.start, &body.x, &mut whole).ok()?;
    problem.solid().gradient(scenario.start, &body.x, &mut inner).ok()?;
    let loads: Vec<f64> = whole.iter().zip(&inner).map(|(all, inner)| all - inner).collect();
    // Rounding of the elements, where nothing is strained: their stiffness times the last digit of a position.
    let rounding = rounding_of_forces(body);
    let scale = max_abs(&inner).max(max_abs(&loads));
    if !(scale > rounding) {
        return None;
    }
    let free = whole.iter().enumerate().filter(|(i, _)| !problem.is_fixed(*i));
    Some(free.fold(0.0, |most: f64, (_, f)| most.max(f.abs())) / scale)
}

/// Forces that a change of the last digits of positions makes.
fn rounding_of_forces(body: &Body) -> f64 {
    let problem = &*body.problem;
    let size = max_abs(&body.x);
    let mut moved = body.x.clone();
    moved
        .iter_mut()
        .enumerate()
        .for_each(|(i, x)| *x += if i % 2 == 0 { 64.0 } else { -64.0 } * f64::EPSILON * size);
    let [mut before, mut after] = [vec![0.0; moved.len()], vec![0.0; moved.len()]];
    let is_known = problem.solid().gradient(0.0, &body.x, &mut before).is_ok()
        && problem.solid().gradient(0.0, &moved, &mut after).is_ok();
    if !is_known {
        return 0.0;
    }
    before.iter().zip(&after).fold(0.0, |most: f64, (a, b)| most.max((a - b).abs()))
}

/// Whether all elements lie in planes, and some are plane.
fn is_plane(body: &Body) -> bool {
    let blocks = body.problem.solid().blocks();
    blocks.iter().all(|b| b.kind().dimension() < 3) && blocks.iter().any(|b| b.kind().dimension() == 2)
}

/// Free components normal to the plane.
fn planar_components(problem: &impl Structure) -> usize {
    (0..problem.mass().len()).filter(|a| !problem.is_fixed(3 * a + 2)).count()
}

/// Nodes in the order of the mesh file.
fn in_file_order(body: &Body, mut found: Modes) -> Modes {
    let Some(places) = &body.places else { return found };
    for mode in &mut found.modes {
        let mut shape = vec![0.0; mode.shape.len()];
        for (own, place) in mode.shape.chunks_exact(3).zip(places) {
            shape[3 * *place as usize..][..3].copy_from_slice(own);
        }
        mode.shape = shape;
    }
    found
}
