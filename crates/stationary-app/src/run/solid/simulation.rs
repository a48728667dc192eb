//! A solid that its user moves on piece by piece, looks at and alters.

use super::build::has_energy;
use super::given::in_order;
use super::growth::Growth;
use super::motion::Look;
use super::parts;
use super::record::{Probe, relative};
use super::results::{stress, vtk_type, write_frame};
use super::start::{self, Built, State, energy_guard, extremes};
use crate::run::checkpointer::identify;
use crate::run::{Progress, TICK, Watch, prepare};
use crate::scenario::{FrameFormat, Given, Place, Scenario, SolidProbe, SolidSystem, Text, moves_clock};
use stationary::archive::Archive;
use stationary::error::{Cause, Diagnostic, Error, RunError, Source};
use stationary::integrate::avi::{AviState, elapsed};
use stationary::mesh::CellId;
use stationary::model::Potentials;
use stationary_report::checkpoint::Checkpoint;
use stationary_report::failpoint;
use stationary_report::frames::{Frames, KeptBlock};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Looks at the energy on the way take at most one part in so many of the time.
const LOOKS: u32 = 20;

/// The state is kept after so many updates of an element, in the mean, to go back to when an element fails: less than a
/// hundredth of their work.
const KEPT: f64 = 64.0;

/// Part of a step by which a time may be missed: the last step must not be lost to rounding.
const ROUNDING: f64 = 1e-9;

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
    built: Built,
    /// What a checkpoint must know, to be one of this body.
    identity: u64,
    /// The node at each place of the mesh, if not the same, and the element.
    nodes: Option<Vec<u32>>,
    elements: Vec<u32>,
    /// Those that were attached.
    probes: Vec<Probe>,
    frames: Vec<(PathBuf, FrameFormat, Frames)>,
    /// When the watcher was last told.
    told: Instant,
    /// Simulated time after which the state is kept.
    keep: f64,
    /// Time at which it was last seen whether the energy explodes, and what the scenario's run takes.
    guarded: f64,
    span: f64,
    /// When the energy was last looked at on the way, and how long that took.
    glance: (Instant, Duration),
}

/// The whole body at one moment, nodes in the order of the mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The time.
    pub t: f64,
    /// Positions.
    pub x: Vec<[f64; 3]>,
    /// Velocities.
    pub v: Vec<[f64; 3]>,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy, that of dead loads included.
    pub potential: f64,
    /// What changing loads, pressures and moving supports have brought in since the start; NaN where the method does not book it.
    pub work: f64,
    /// Linear momentum.
    pub linear: [f64; 3],
    /// Angular momentum about the origin.
    pub angular: [f64; 3],
    /// What is left of the balance of linear momentum with all impulses since the start, over the size of its terms; NaN where the
    /// method does not book them.
    pub linear_balance: f64,
    /// The same of angular momentum.
    pub angular_balance: f64,
    /// The impulse that each support has given since the start.
    pub reactions: Vec<(String, [f64; 3])>,
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
            told: Instant::now(),
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
        self.check_goal(until)?;
        // In time since the start, whose digits do not depend on it.
        let start = self.built.motion.elapsed();
        let until = elapsed(self.built.motion.start(), until).max(start);
        let (mut at, mut kept) = (start, self.built.motion.keep());
        let mut keep_at = start + self.keep;
        loop {
            at = match self.built.stretch_on(at, until.min(keep_at)).0 {
                Ok(at) => at,
                // A step was given up, and not made.
                Err(RunError { cause: Cause::Interrupted, .. }) => return Ok(ControlFlow::Break(())),
                Err(RunError { cause, .. }) => {
                    self.built.motion.go_back(kept.as_ref());
                    return Err(RunError { time: self.time(), step: self.moves(), cause }.into());
                }
            };
            if self.built.motion.elapsed() >= self.guarded + self.keep {
                self.guard(&mut kept)?;
            }
            if at >= keep_at && at < until {
                (kept, keep_at) = (self.built.motion.keep(), at + self.keep);
            }
            if failpoint::is_due(self.told, TICK) || at >= until {
                let told = self.tell([start, at, until], watch);
                if told.is_break() || at >= until {
                    return Ok(told);
                }
            }
        }
    }

    /// Looks whether the energy explodes, after the same simulated time whatever the clock on the wall says. If it does the motion goes back
    /// to the state that was kept, where the method keeps one.
    fn guard(&mut self, kept: &mut Option<AviState>) -> Result<(), RunError> {
        self.guarded = self.built.motion.elapsed();
        let look = self.built.motion.look().map_err(|error| error.cause);
        let seen = look.and_then(|look| self.built.see_energy(&look));
        seen.map_err(|cause| {
            self.built.motion.go_back(kept.as_ref());
            self.guarded = self.built.motion.elapsed();
            RunError { time: self.time(), step: self.moves(), cause }
        })
    }

    fn check_goal(&self, until: f64) -> Result<(), Diagnostic> {
        let now = self.time();
        if !until.is_finite() {
            return Err(Diagnostic::new(format!("cannot advance to time {until}"))
                .help(format!("expected a finite time, {now} or later")));
        }
        let least = extremes(&self.built.motion.steps()).0;
        // The last step of the whole may have ended that much after the time it was to reach.
        if until < now - least * ROUNDING {
            return Err(Diagnostic::new(format!("cannot go back to time {until}: the time is {now}"))
                .help("a saved state can be restored, and a state can be set at the present time"));
        }
        if !moves_clock(least, until) {
            return Err(Diagnostic::new(format!(
                "a step of {least:e} does not move the clock at time {until}"
            ))
            .help("expected an earlier time"));
        }
        Ok(())
    }

    fn tell(&mut self, [start, at, until]: [f64; 3], watch: &mut Watch<'_>) -> ControlFlow<()> {
        self.told = Instant::now();
        self.glance();
        let part = if until > start { (at - start) / (until - start) } else { 1.0 };
        watch(&Progress {
            step: (part * 1e6) as u64,
            steps: 1_000_000,
            time: self.built.motion.start() + at,
            end: self.built.motion.start() + until,
            energy_error: self.built.record.energy_error(),
            moves: self.moves(),
            impacts: None,
            growth: self.built.growth.largest(),
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

    /// The body now. A body whose energy is not a finite number any more, or has exploded, is an error.
    pub fn look(&self) -> Result<View, RunError> {
        let look = self.seen()?;
        Ok(View {
            t: look.t,
            x: self.of_nodes(&look.x),
            v: self.of_nodes(&look.v),
            kinetic: look.kinetic,
            potential: look.potential,
            work: look.work,
            linear: look.linear.now,
            angular: look.angular.now,
            linear_balance: relative(&look.linear),
            angular_balance: relative(&look.angular),
            reactions: self.built.record.supports().iter().cloned().zip(look.reactions).collect(),
        })
    }

    /// The body now, unless its energy is not finite or has exploded.
    fn seen(&self) -> Result<Look, RunError> {
        let look = self.finite()?;
        let stop = |cause| RunError { time: self.time(), step: self.moves(), cause };
        self.built.judge_energy(&look).map_err(stop)?;
        Ok(look)
    }

    fn finite(&self) -> Result<Look, RunError> {
        let look = self.built.motion.look()?;
        if (look.kinetic + look.potential).is_finite() {
            return Ok(look);
        }
        let cause = Cause::NotFinite { what: "the energy".into() };
        Err(RunError { time: self.time(), step: self.moves(), cause })
    }

    fn of_nodes(&self, values: &[f64]) -> Vec<[f64; 3]> {
        let values = values.as_chunks::<3>().0;
        match &self.nodes {
            Some(nodes) => nodes.iter().map(|a| values[*a as usize]).collect(),
            None => values.to_vec(),
        }
    }

    fn of_elements<T>(&self, value: impl Fn(usize) -> T) -> Vec<T> {
        self.elements.iter().map(|k| value(*k as usize)).collect()
    }

    /// Reference positions of the nodes: those of the mesh, scaled and refined as the scenario says.
    pub fn points(&self) -> Vec<[f64; 3]> {
        self.of_nodes(self.built.body.problem.solid().points())
    }

    /// The cell that each element is in the mesh (refined, if the scenario says so): its block there, and its place in the block.
    /// Cells that no material has taken, as those that only name a side, are no elements.
    pub fn elements(&self) -> Vec<CellId> {
        self.of_elements(|k| self.built.body.cell(k))
    }

    /// The elements as cells for pictures, kind by kind in their order: nodes as numbered in the mesh.
    pub fn cells(&self) -> Vec<KeptBlock> {
        let body = &self.built.body;
        let solid = body.problem.solid();
        let mut blocks: Vec<KeptBlock> = Vec::new();
        for k in self.elements.iter().map(|k| *k as usize) {
            let kind = solid.locate(k).0.kind();
            let (vtk_type, per_cell) = (vtk_type(kind), kind.nodes());
            if blocks.last().is_none_or(|block| block.vtk_type != vtk_type) {
                blocks.push(KeptBlock { vtk_type, nodes: Vec::new(), per_cell });
            }
            let nodes = Potentials::nodes(solid, k).iter().map(|a| body.place(*a as usize) as u32);
            blocks.last_mut().expect("one was just made").nodes.extend(nodes);
        }
        blocks
    }

    /// The step of each element.
    pub fn steps(&self) -> Vec<f64> {
        let steps = self.built.motion.steps();
        self.of_elements(|k| steps[k])
    }

    /// Updates of each element since the start.
    pub fn updates(&self) -> Vec<u64> {
        let updates = self.built.motion.updates();
        self.of_elements(|k| updates[k])
    }

    /// The true stress of each element as xx, yy, zz, xy, yz, xz; of bars, the axial force comes first.
    pub fn stresses(&self) -> Result<Vec<[f64; 6]>, RunError> {
        let look = self.seen()?;
        Ok(self.of_elements(|k| stress(self.built.body.problem.solid(), k, &look.x)))
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
            supports.drive(t, &mut x, &mut v);
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

    /// Attaches a probe: a formula of `t`, `X`, `Y`, `Z`, `x`, `y`, `z`, `vx`, `vy`, `vz` and the parameters of the scenario, at the
    /// node nearest to a reference position.
    pub fn attach_probe(&mut self, name: &str, at: [f64; 3], value: &str) -> Result<(), Error> {
        let written = |part: &str, text: String| {
            let source = Arc::new(Source { name: format!("probe.{name}{part}"), text: text.clone() });
            Text { place: Place { source, span: 0..text.len() }, text, index: None }
        };
        let place = written(".at", format!("[{}, {}, {}]", at[0], at[1], at[2])).place;
        if !at.iter().all(|x| x.is_finite()) {
            return Err(place.error("a probe needs a place").help("expected three finite numbers").into());
        }
        let named = written("", name.into());
        if name.is_empty() || self.all_probes().any(|p| p.name == name) {
            let what = if name.is_empty() { "a probe has no name" } else { "there is a probe of this name" };
            return Err(Diagnostic::new(format!("{what}: `{name}`")).help("expected a new name").into());
        }
        let choice = SolidProbe { name: named, at, place, value: written("", value.into()) };
        self.probes.push(Probe::new(&self.scenario, &choice, &self.built.body)?);
        Ok(())
    }

    fn all_probes(&self) -> impl Iterator<Item = &Probe> {
        self.built.record.probes().iter().chain(&self.probes)
    }

    /// The values of all probes now: those of the scenario, then those attached.
    pub fn probes(&self) -> Result<Vec<(String, f64)>, RunError> {
        let look = self.seen()?;
        Ok(self.all_probes().map(|p| (p.name.clone(), p.value(&look))).collect())
    }

    /// Names and values of what a run writes into `series.csv`, but for what belongs to the time between two of its rows: the mean
    /// reactions, and the energies of elements. Attached probes come last.
    pub fn row(&self) -> Result<Vec<(String, f64)>, RunError> {
        let look = self.seen()?;
        let mut row = vec![
            ("t".to_string(), look.t),
            ("energy".into(), look.kinetic + look.potential),
            ("kinetic".into(), look.kinetic),
            ("potential".into(), look.potential),
            ("work".into(), look.work),
        ];
        let momenta = [("linear", &look.linear), ("angular", &look.angular)];
        for (kind, balance) in momenta {
            row.extend(
                ["x", "y", "z"].iter().zip(balance.now).map(|(a, p)| (format!("momentum.{kind}.{a}"), p)),
            );
        }
        row.extend(momenta.map(|(kind, balance)| (format!("balance.{kind}"), relative(balance))));
        let updates = self.built.motion.updates();
        let [least, most] = [updates.iter().min(), updates.iter().max()].map(|n| *n.unwrap_or(&0) as f64);
        let total = updates.iter().sum::<u64>() as f64;
        row.extend(
            [("total", total), ("min", least), ("max", most)].map(|(k, n)| (format!("updates.{k}"), n)),
        );
        row.extend(self.all_probes().map(|p| (p.name.clone(), p.value(&look))));
        Ok(row)
    }

    /// Writes the body as it is as one more frame into a folder. The first into it begins there, and removes frames that are in it.
    pub fn write_frame(&mut self, folder: &Path, format: FrameFormat) -> Result<(), Error> {
        let look = self.seen()?;
        let at = match self.frames.iter().position(|(known, _, _)| known == folder) {
            Some(at) if self.frames[at].1 == format => at,
            Some(_) => {
                let message = "the frames in this folder have another format".into();
                return Err(Error::Io { path: folder.display().to_string(), message });
            }
            None => {
                self.frames.push((folder.to_path_buf(), format, Frames::create(folder, format, 0)?));
                self.frames.len() - 1
            }
        };
        write_frame(&mut self.frames[at].2, &self.built, &look)
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
