//! A solid that its user moves on piece by piece, looks at and alters.

mod look;

pub use look::SolidView;

use super::build::has_energy;
use super::engine::parts;
use super::given::in_order;
use super::growth::Growth;
use super::motion::Look;
use super::probe::Probe;
use super::start::{self, PreparedSolid, State, energy_guard, extremes};
use super::step_watch::{NextRow, StepWatch, may_come_from_steps};
use crate::run::checkpointer::identify;
use crate::run::simulation::by_hand::{self, MovedByHand, Reached};
use crate::run::{Progress, ReductionReason, StepReduction, Watch, prepare};
use crate::scenario::{FrameFormat, Given, Scenario, SolidSystem};
use stationary::archive::Archive;
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary::integrate::avi::{AviState, elapsed};
use stationary::model::Potentials;
use stationary_report::checkpoint::Checkpoint;
use stationary_report::frames::Frames;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The energy is looked at and the state kept after so many updates of an element, in the mean: a few hundredths of their work.
const BETWEEN_LOOKS: f64 = 64.0;

/// A solid in motion, moved on by hand: the same engine as that of [`run`](crate::run::run), to the bit.
///
/// All that belongs to nodes comes in the order of the mesh, all that belongs to elements in the order of its cells; see
/// [`elements`](Self::elements). Reading changes nothing: however a time is reached, and whoever looks on the way, the bits there
/// are the same.
///
/// Where the time steps prove unstable the simulation goes back a little and continues with shorter ones, as a run does; see
/// [`reductions`](Self::reductions). The places to go back to follow from the simulated time since the state was last set.
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
    /// Reduces time steps that prove unstable.
    watch: StepWatch,
    /// Simulated time between looks at the energy, and when the next one is.
    between_looks: f64,
    next_look: f64,
    /// What the scenario's run takes.
    span: f64,
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
            watch: StepWatch::default(),
            between_looks: BETWEEN_LOOKS * steps.len() as f64 / steps.iter().map(|h| 1.0 / h).sum::<f64>(),
            next_look: 0.0,
            span: scenario.end - scenario.start,
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

    /// The times at which the time steps were reduced since the state was last set, and by how much.
    pub fn reductions(&self) -> &[StepReduction] {
        self.watch.reductions()
    }

    /// Looks at the energy on the way. If it explodes or grows the motion goes back to the last look and continues with shorter steps; returns
    /// false then.
    fn look_on_the_way(&mut self) -> Result<bool, RunError> {
        let built = &mut self.built;
        let (time, step) = (built.motion.time(), built.motion.moves());
        let stop = |cause| RunError { time, step, cause };
        let look = built.motion.look()?;
        built.judge_energy(&look).map_err(stop)?;
        let energy = (built.record.energy_scale(), built.energy_growth(&look));
        if let Some(reason) = self.watch.judge(&built.growth, &look, energy) {
            if self.go_back(reason)? {
                return Ok(false);
            }
            self.watch.go_on_after(reason);
        }
        let built = &mut self.built;
        built.see_energy(&look).map_err(stop)?;
        if built.record.is_new(look.elapsed) {
            built.record.see(&built.motion, &built.body, &look).map_err(stop)?;
            let scale = built.record.energy_scale();
            built.growth.see((&built.motion, &built.body.problem), &look, scale);
        }
        self.watch.accept(&mut built.motion, &built.growth, &look);
        Ok(true)
    }

    /// After a fault on the way: continues with shorter steps, unless that is of no use. The motion is then where it was before the attempt.
    fn retry(&mut self, advance: &mut SolidAdvance, error: RunError) -> Result<(), RunError> {
        let error = match may_come_from_steps(&error.cause).then(|| self.go_back(ReductionReason::Fault)) {
            Some(Ok(true)) => return Ok(()),
            Some(Err(interrupted)) => interrupted,
            _ => error,
        };
        let built = &mut self.built;
        built.motion.go_back(advance.fallback.as_ref());
        advance.at = built.motion.elapsed();
        let error = RunError { time: built.motion.time(), step: built.motion.moves(), ..error };
        Err(self.watch.explain(error))
    }

    /// Goes back to the last look, and on from there with shorter steps; false where that is of no use.
    fn go_back(&mut self, reason: ReductionReason) -> Result<bool, RunError> {
        let built = &mut self.built;
        let next =
            NextRow { growth: &built.growth, scale: built.record.energy_scale(), until: self.next_look };
        let goes_back = self.watch.go_back((&mut built.motion, &built.body), reason, &next);
        if goes_back != Ok(false) {
            built.growth.restart();
        }
        goes_back.map_err(|_| built.interrupted())
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
    /// at this time with the steps that they have, counts, work and impulses from nought, and materials with memory without history.
    /// Supports drive their nodes all the same.
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
        built.record.see(&built.motion, &built.body, look).map_err(stop)?;
        built.guard = energy_guard(&built.motion, &built.body, [look.t, look.t + self.span]);
        built.see_energy(look).map_err(stop)?;
        built.growth = Growth::new(extremes(&built.motion.steps()).1);
        self.watch = StepWatch::of(built, solid(&self.scenario)?, self.span / self.between_looks);
        self.watch.accept(&mut built.motion, &built.growth, look);
        self.next_look = look.elapsed + self.between_looks;
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
pub(crate) struct SolidAdvance {
    at: f64,
    until: f64,
    /// The state to go back to when the simulation cannot go on, where the method keeps one.
    fallback: Option<AviState>,
}

impl MovedByHand for SolidSimulation {
    type Advance = SolidAdvance;

    fn time(&self) -> f64 {
        self.built.motion.time()
    }

    fn step(&self) -> Option<f64> {
        Some(extremes(&self.built.motion.steps()).0)
    }

    fn moves_between_looks(&self) -> u64 {
        1
    }

    fn set_out(&mut self, until: f64) -> SolidAdvance {
        let motion = &self.built.motion;
        let at = motion.elapsed();
        SolidAdvance { at, until: elapsed(motion.start(), until).max(at), fallback: motion.keep() }
    }

    fn move_on(&mut self, advance: &mut SolidAdvance) -> Result<Reached, RunError> {
        let moved = self.built.stretch_on(advance.at, advance.until.min(self.next_look)).0.and_then(|at| {
            advance.at = at;
            if at < self.next_look { Ok(true) } else { self.look_on_the_way() }
        });
        match moved {
            Ok(true) if advance.at < self.next_look => {}
            Ok(true) => {
                advance.fallback = self.built.motion.keep();
                self.next_look = advance.at + self.between_looks;
            }
            stepped_back => {
                if let Err(error) = stepped_back {
                    self.retry(advance, error)?;
                }
                advance.at = self.built.motion.elapsed();
                self.next_look = advance.at + self.between_looks;
            }
        }
        Ok(if advance.at >= advance.until { Reached::Goal } else { Reached::Partway })
    }

    fn progress(&mut self, advance: &SolidAdvance) -> Progress {
        let time = self.built.motion.start() + advance.at;
        Progress {
            step: 0,
            steps: 0,
            time,
            end: time,
            energy_error: self.built.record.energy_error(),
            moves: self.moves(),
            impacts: None,
            growth: self.built.growth.largest(),
            reductions: self.watch.reductions().len() as u64,
            reduction: self.watch.reductions().last().copied(),
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
