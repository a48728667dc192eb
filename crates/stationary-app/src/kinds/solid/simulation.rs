//! A solid that its user moves on piece by piece, looks at and alters.

mod look;

pub use look::View;

use super::build::has_energy;
use super::engine::parts;
use super::given::in_order;
use super::growth::Growth;
use super::motion::Look;
use super::record::Probe;
use super::start::{self, PreparedSolid, State, energy_guard, extremes};
use crate::run::checkpointer::identify;
use crate::run::simulation::by_hand::{self, MovedByHand, Reached};
use crate::run::{Progress, Watch, prepare};
use crate::scenario::{FrameFormat, Given, Scenario, SolidSystem};
use stationary::archive::Archive;
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary::integrate::avi::{AviState, elapsed};
use stationary::model::Potentials;
use stationary_report::checkpoint::Checkpoint;
use stationary_report::frames::Frames;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Looks at the energy on the way take at most one part in so many of the time.
const LOOKS: u32 = 20;

/// The state is kept after so many updates of an element, in the mean, to go back to when an element fails: less than a
/// hundredth of their work.
const KEPT: f64 = 64.0;

/// A solid in motion, moved on by hand: the same engine as that of [`run`](crate::run::run), to the bit.
///
/// All that belongs to nodes comes in the order of the mesh, all that belongs to elements in the order of its cells; see
/// [`elements`](Self::elements). Reading changes nothing: however a time is reached, and whoever looks on the way, the bits there
/// are the same.
///
/// ```
/// use stationary_app::run::SolidSimulation;
/// use stationary_app::scenario::{Scenario, shipped};
/// use std::ops::ControlFlow;
///
/// let slab = Scenario::read("slab", shipped::find("slab").unwrap().text, &[])?;
/// let mut simulation = SolidSimulation::new(slab)?;
/// simulation.attach_probe("height", [4.0, 0.5, 0.0], "y")?;
/// let go_on = &mut |_: &_| ControlFlow::Continue(());
/// while simulation.probes()?.iter().any(|(name, y)| name == "height" && *y > 0.48) {
///     simulation.advance(simulation.time() + 0.01, go_on)?;
/// }
/// let view = simulation.look()?;
/// assert!(view.t > 0.0 && view.kinetic > 0.0);
///
/// // Stopped where it is, it begins anew there.
/// simulation.set(None, Some(&vec![[0.0; 3]; view.v.len()]))?;
/// assert!(simulation.look()?.kinetic < 1e-20);
/// assert_eq!(simulation.look()?.x, view.x);
/// # Ok::<(), stationary::error::Error>(())
/// ```
pub struct SolidSimulation {
    scenario: Scenario,
    built: PreparedSolid,
    /// What a checkpoint must know, to be one of this body.
    identity: u64,
    /// The node at each place of the mesh, if not the same, and the element.
    nodes: Option<Vec<u32>>,
    elements: Vec<u32>,
    /// Those that were attached.
    probes: Vec<Probe>,
    frames: Vec<(PathBuf, FrameFormat, Frames)>,
    /// Simulated time after which the state is kept.
    keep: f64,
    /// Time at which it was last seen whether the energy explodes, and what the scenario's run takes.
    guarded: f64,
    span: f64,
    /// When the energy was last looked at on the way, and how long that took.
    glance: (Instant, Duration),
}

impl SolidSimulation {
    /// Builds the solid of a scenario, at its start. The scenario's `end` does not limit the simulation.
    pub fn new(mut scenario: Scenario) -> Result<Self, Error> {
        let built = prepare(|| start::build(&scenario, solid(&scenario)?))?;
        let identity = identify(&scenario, &parts(built.body.given));
        // They have served.
        scenario.given = Given::default();
        let steps = built.motion.steps();
        let mut simulation = SolidSimulation {
            identity,
            nodes: built.body.nodes(),
            elements: built.body.elements(),
            probes: Vec::new(),
            frames: Vec::new(),
            keep: KEPT * steps.len() as f64 / steps.iter().map(|h| 1.0 / h).sum::<f64>(),
            guarded: 0.0,
            span: scenario.end - scenario.start,
            glance: (Instant::now(), Duration::ZERO),
            scenario,
            built,
        };
        simulation.begin(&simulation.finite()?)?;
        Ok(simulation)
    }

    /// The time reached.
    pub fn time(&self) -> f64 {
        self.built.motion.time()
    }

    /// Events of elements, or steps of the whole, since the start.
    pub fn moves(&self) -> u64 {
        self.built.motion.moves()
    }

    /// Moves on to a time; methods with steps of the whole stop at the last one before it. `watch` is told the progress
    /// several times a second, and at the end. Where it breaks, the state is that of the time reached by then, and
    /// another call goes on from there.
    ///
    /// The energy error it is told is the largest that was seen since the start, now and then.
    ///
    /// A long step of the whole that is [given up](stationary::interrupt) has not been made, and ends the call like a break.
    ///
    /// When an element cannot go on, or the energy explodes, the state is one shortly before: that of [`RunError::time`], as it would be without the attempt.
    pub fn advance(&mut self, until: f64, watch: &mut Watch<'_>) -> Result<ControlFlow<()>, Error> {
        by_hand::advance(self, until, watch)
    }

    /// Looks whether the energy explodes, after the same simulated time whatever the clock on the wall says. If it does the motion goes back
    /// to the state that was kept, where the method keeps one.
    fn guard(&mut self, kept: Option<&AviState>) -> Result<(), RunError> {
        self.guarded = self.built.motion.elapsed();
        let look = self.built.motion.look().map_err(|error| error.cause);
        let seen = look.and_then(|look| self.built.see_energy(&look));
        seen.map_err(|cause| {
            self.built.motion.go_back(kept);
            self.guarded = self.built.motion.elapsed();
            RunError { time: self.time(), step: self.moves(), cause }
        })
    }

    /// Looks at the energy, unless that takes too long, or cannot be done: then nothing is known of it.
    fn glance(&mut self) {
        let (last, took) = self.glance;
        let built = &mut self.built;
        if last.elapsed() < LOOKS * took || !built.record.is_new(built.motion.elapsed()) {
            return;
        }
        let began = Instant::now();
        if let Ok(look) = built.motion.look()
            && built.record.see(&built.motion, &look).is_ok()
        {
            let scale = built.record.energy_scale();
            built.growth.see((&built.motion, &built.body.problem), &look, scale);
        }
        self.glance = (Instant::now(), began.elapsed());
    }

    /// The body now, unless its energy is not a finite number.
    fn finite(&self) -> Result<Look, RunError> {
        let look = self.built.motion.look()?;
        if (look.kinetic + look.potential).is_finite() {
            return Ok(look);
        }
        let cause = Cause::NotFinite { what: "the energy".into() };
        Err(RunError { time: self.time(), step: self.moves(), cause })
    }

    /// Replaces positions, velocities or both at the present time. The run begins anew there: the clocks of all elements start
    /// at this time with the steps that they have, and counts, work and impulses from nought. Supports drive their nodes all the same.
    ///
    /// A state that is refused leaves the old one as it was.
    pub fn set(&mut self, x: Option<&[[f64; 3]]>, v: Option<&[[f64; 3]]>) -> Result<(), Error> {
        let (t, body) = (self.time(), &self.built.body);
        let count = body.problem.solid().mass().len();
        let given = |what, values: Option<&[[f64; 3]]>| {
            values.map(|values| in_order(what, values, body.places.as_deref(), count)).transpose()
        };
        let (mut x, mut v) = match (given("positions", x)?, given("velocities", v)?) {
            (Some(x), Some(v)) => (x, v),
            (x, v) => {
                let now = self.built.motion.look()?;
                (x.unwrap_or(now.x), v.unwrap_or(now.v))
            }
        };
        if let Some(supports) = body.problem.supports() {
            supports.impose(t, &mut x, &mut v);
        }
        has_energy(&body.problem, t, &x).map_err(|fault| {
            Diagnostic::new(format!("the state cannot be set: {fault}"))
                .help("expected positions that turn no element inside out")
        })?;
        let steps = self.built.motion.steps();
        let motion = self.built.engine.start(&body.problem, State { t, x, v }, steps)?;
        let old = std::mem::replace(&mut self.built.motion, motion);
        match self.finite() {
            Ok(look) => self.begin(&look),
            Err(error) => {
                self.built.motion = old;
                Err(Diagnostic::new(format!("the state cannot be set: {error}")).into())
            }
        }
    }

    /// What is watched of the energy begins with this moment.
    fn begin(&mut self, look: &Look) -> Result<(), Error> {
        let built = &mut self.built;
        built.record.restart(look.elapsed);
        let stop = |cause| RunError { time: look.t, step: 0, cause };
        built.record.see(&built.motion, look).map_err(stop)?;
        built.guard = energy_guard(&built.motion, &built.body, [look.t, look.t + self.span]);
        built.see_energy(look).map_err(stop)?;
        self.guarded = look.elapsed;
        built.growth = Growth::new(extremes(&built.motion.steps()).1);
        Ok(())
    }

    fn checkpoint(&mut self) -> Checkpoint {
        let mut checkpoint = Checkpoint::new(self.identity);
        checkpoint.state("state", |archive| _ = archive.pass(&mut self.built.motion));
        checkpoint
    }

    /// Saves the state of the motion, to be [restored](Self::restore) to the bit. Attached probes are not in it.
    pub fn save(&mut self, path: &Path) -> Result<(), Error> {
        self.checkpoint().save(path)
    }

    /// Goes to a state that was saved by a simulation of the same scenario and mesh, or is the checkpoint of such a run.
    pub fn restore(&mut self, path: &Path) -> Result<(), Error> {
        self.go_to(&Checkpoint::load(path)?)
    }

    /// What [`save`](Self::save) writes.
    pub fn to_bytes(&mut self) -> Vec<u8> {
        self.checkpoint().to_bytes()
    }

    /// Goes to the state of these bytes, as [`restore`](Self::restore).
    pub fn from_bytes(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.go_to(&Checkpoint::from_bytes("checkpoint", bytes.to_vec())?)
    }

    fn go_to(&mut self, checkpoint: &Checkpoint) -> Result<(), Error> {
        checkpoint.expect_identity(self.identity)?;
        let mut noted = Archive::writer();
        noted.pass(&mut self.built.motion);
        if let Err(error) = checkpoint.take_first("state", &mut self.built.motion) {
            let mut noted = Archive::reader(noted.into_bytes());
            noted.pass(&mut self.built.motion);
            noted.finish().expect("a state of its own");
            return Err(error);
        }
        // A state may be saved that cannot be looked at; it is still what it was.
        match self.finite() {
            Ok(look) => self.begin(&look),
            Err(_) => Ok(()),
        }
    }
}

/// The way to a time. Times are those since the start, whose digits do not depend on it.
pub(crate) struct Course {
    at: f64,
    until: f64,
    /// A good state, where the method keeps one, and when the next is kept.
    kept: Option<AviState>,
    keep_at: f64,
}

impl MovedByHand for SolidSimulation {
    type Course = Course;

    fn time(&self) -> f64 {
        self.built.motion.time()
    }

    fn step(&self) -> Option<f64> {
        Some(extremes(&self.built.motion.steps()).0)
    }

    fn moves_between_looks(&self) -> u64 {
        1
    }

    fn set_out(&mut self, until: f64) -> Course {
        let motion = &self.built.motion;
        let at = motion.elapsed();
        Course {
            at,
            until: elapsed(motion.start(), until).max(at),
            kept: motion.keep(),
            keep_at: at + self.keep,
        }
    }

    fn move_on(&mut self, course: &mut Course) -> Result<Reached, RunError> {
        let goal = course.until.min(course.keep_at);
        course.at = match self.built.stretch_on(course.at, goal).0 {
            Ok(at) => at,
            Err(error @ RunError { cause: Cause::Interrupted, .. }) => return Err(error),
            Err(RunError { cause, .. }) => {
                self.built.motion.go_back(course.kept.as_ref());
                return Err(RunError { time: self.time(), step: self.moves(), cause });
            }
        };
        if self.built.motion.elapsed() >= self.guarded + self.keep {
            self.guard(course.kept.as_ref())?;
        }
        if course.at >= course.until {
            return Ok(Reached::Goal);
        }
        if course.at >= course.keep_at {
            course.kept = self.built.motion.keep();
            course.keep_at = course.at + self.keep;
        }
        Ok(Reached::OnTheWay)
    }

    fn progress(&mut self, course: &Course) -> Progress {
        self.glance();
        let time = self.built.motion.start() + course.at;
        Progress {
            step: 0,
            steps: 0,
            time,
            end: time,
            energy_error: self.built.record.energy_error(),
            moves: self.moves(),
            impacts: None,
            growth: self.built.growth.largest(),
            reductions: 0,
            reduction: None,
        }
    }
}

/// The solid of a scenario, or the word that it has none.
fn solid(scenario: &Scenario) -> Result<&SolidSystem, Error> {
    scenario.solid().ok_or_else(|| {
        let place = &scenario.integrator.method.place;
        place.error("this is no solid").help("expected a scenario with a mesh").into()
    })
}

impl std::fmt::Debug for SolidSimulation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Simulation")
            .field("scenario", &self.scenario.name)
            .field("time", &self.time())
            .finish()
    }
}
