//! A system of any kind that its user moves on piece by piece, looks at and alters.

pub(crate) mod by_hand;
mod steps;

use super::Watch;
use crate::kinds::solid::SolidSimulation;
use crate::scenario::Scenario;
use by_hand::MovedByHand;
use stationary::archive::{Archive, Persist};
use stationary::error::{Diagnostic, Error, RunError};
use stationary_report::checkpoint::Checkpoint;
use std::ops::ControlFlow;
use std::path::Path;
use steps::Steps;

/// Positions, velocities and momenta of a system at a time.
///
/// | kind | `q` | `v` | `p` |
/// |---|---|---|---|
/// | formulas | the coordinates | their velocities | their momenta |
/// | rigid body | position, quaternion | velocity, angular velocity in the body | momentum, angular momentum in the body |
/// | bodies that collide | for each: position, and in the plane its angle | for each: velocity and spin | nothing |
/// | solid | positions of the nodes | their velocities | nothing |
#[derive(Debug, Clone, Default, PartialEq)]
pub struct State {
    /// The time.
    pub t: f64,
    /// Positions.
    pub q: Vec<f64>,
    /// Velocities.
    pub v: Vec<f64>,
    /// Momenta, where they belong to the state.
    pub p: Vec<f64>,
}

impl Persist for State {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.t).pass(&mut self.q).pass(&mut self.v).pass(&mut self.p);
    }
}

/// A system in motion, moved on by hand: the same engine as that of [`run`](crate::run::run), to the bit.
///
/// Reading changes nothing: however a time is reached, and whoever looks on the way, the bits there are the same. More can be asked of
/// solids, see [`SolidSimulation`].
///
/// ```
/// use stationary_app::run::Simulation;
/// use stationary_app::scenario::{Scenario, shipped};
/// use std::ops::ControlFlow;
///
/// let pendulum = Scenario::read("pendulum", shipped::find("pendulum").unwrap().text, &[])?;
/// let mut simulation = Simulation::new(pendulum)?;
/// let go_on = &mut |_: &_| ControlFlow::Continue(());
/// while simulation.state()?.v[0] <= 0.0 {
///     simulation.advance(simulation.time() + 0.1, go_on)?;
/// }
/// // Stopped where it is, it begins anew there.
/// let q = simulation.state()?.q;
/// simulation.set(None, Some(&[0.0]))?;
/// assert_eq!(simulation.state()?.q, q);
/// # Ok::<(), stationary::error::Error>(())
/// ```
pub struct Simulation(Inner);

enum Inner {
    Steps(Box<Steps>),
    Solid(Box<SolidSimulation>),
}

impl Simulation {
    /// Builds the system of a scenario, at its start. The scenario's `end` does not limit the simulation.
    pub fn new(scenario: Scenario) -> Result<Self, Error> {
        Ok(Simulation(match scenario.solid() {
            Some(_) => Inner::Solid(Box::new(SolidSimulation::new(scenario)?)),
            None => Inner::Steps(Box::new(Steps::new(scenario)?)),
        }))
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        match &self.0 {
            Inner::Steps(steps) => steps.time(),
            Inner::Solid(solid) => solid.time(),
        }
    }

    /// Steps of the whole, or events of elements, since the start.
    pub fn moves(&self) -> u64 {
        match &self.0 {
            Inner::Steps(steps) => steps.steps_made(),
            Inner::Solid(solid) => solid.moves(),
        }
    }

    /// Moves on to a time; methods with steps of the whole stop at the last one that ends by then. `watch` is told the progress several times a
    /// second, and at the end. Where it breaks, the state is that of the time reached by then, and another call goes on from there.
    ///
    /// When the system cannot go on, the state is that of the last good step, or of a solid one shortly before: that of [`RunError::time`].
    pub fn advance(&mut self, until: f64, watch: &mut Watch<'_>) -> Result<ControlFlow<()>, Error> {
        match &mut self.0 {
            Inner::Steps(steps) => by_hand::advance(&mut **steps, until, watch),
            Inner::Solid(solid) => solid.advance(until, watch),
        }
    }

    /// The state now.
    pub fn state(&self) -> Result<State, RunError> {
        match &self.0 {
            Inner::Steps(steps) => Ok(steps.state()),
            Inner::Solid(solid) => {
                let view = solid.look()?;
                let (q, v) = (view.x.into_flattened(), view.v.into_flattened());
                Ok(State { t: view.t, q, v, p: Vec::new() })
            }
        }
    }

    /// Names and values of what a run writes of this moment into `series.csv`. Of a solid these are its energies, momenta, updates and
    /// probes: what a run adds belongs to the time between two of its rows.
    pub fn row(&self) -> Result<Vec<(String, f64)>, RunError> {
        match &self.0 {
            Inner::Steps(steps) => Ok(steps.row()),
            Inner::Solid(solid) => solid.row(),
        }
    }

    /// Replaces positions, velocities or both at the present time; what is not given stays. The run begins anew there: its bits are those of a
    /// scenario that starts with this state at this time.
    ///
    /// A state that is refused leaves the old one as it was.
    pub fn set(&mut self, q: Option<&[f64]>, v: Option<&[f64]>) -> Result<(), Error> {
        match &mut self.0 {
            Inner::Steps(steps) => steps.set(q, v),
            Inner::Solid(solid) => {
                let [x, v] = [("positions", q), ("velocities", v)]
                    .map(|(what, all)| all.map_or(Ok(None), |all| vectors(what, all)));
                solid.set(x?, v?)
            }
        }
    }

    /// The same simulation as one of a solid, if it is one.
    pub fn solid(&mut self) -> Option<&mut SolidSimulation> {
        match &mut self.0 {
            Inner::Steps(_) => None,
            Inner::Solid(solid) => Some(solid),
        }
    }

    /// Saves the state, to be [restored](Self::restore) to the bit.
    pub fn save(&mut self, path: &Path) -> Result<(), Error> {
        match &mut self.0 {
            Inner::Steps(steps) => steps.checkpoint().save(path),
            Inner::Solid(solid) => solid.save(path),
        }
    }

    /// Goes to a state that was saved by a simulation of the same scenario, or is the checkpoint of its run.
    pub fn restore(&mut self, path: &Path) -> Result<(), Error> {
        match &mut self.0 {
            Inner::Steps(steps) => steps.go_to(&Checkpoint::load(path)?),
            Inner::Solid(solid) => solid.restore(path),
        }
    }

    /// What [`save`](Self::save) writes.
    pub fn to_bytes(&mut self) -> Vec<u8> {
        match &mut self.0 {
            Inner::Steps(steps) => steps.checkpoint().to_bytes(),
            Inner::Solid(solid) => solid.to_bytes(),
        }
    }

    /// Goes to the state of these bytes, as [`restore`](Self::restore).
    pub fn from_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        match &mut self.0 {
            Inner::Steps(steps) => steps.go_to(&Checkpoint::from_bytes("checkpoint", bytes.to_vec())?),
            Inner::Solid(solid) => solid.from_bytes(bytes),
        }
    }
}

/// The vectors of all nodes.
fn vectors<'a>(what: &str, all: &'a [f64]) -> Result<Option<&'a [[f64; 3]]>, Diagnostic> {
    let (vectors, rest) = all.as_chunks::<3>();
    if rest.is_empty() {
        return Ok(Some(vectors));
    }
    let help = format!("expected three numbers for each node, found {}", all.len());
    Err(Diagnostic::new(format!("the {what} cannot be set")).help(help))
}

impl std::fmt::Debug for Simulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.0 {
            Inner::Steps(steps) => {
                let name = steps.name();
                f.debug_struct("Simulation").field("scenario", &name).field("time", &self.time()).finish()
            }
            Inner::Solid(solid) => solid.fmt(f),
        }
    }
}
