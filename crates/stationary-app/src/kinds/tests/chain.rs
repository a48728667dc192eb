//! A kind of system for tests: a chain of equal masses and springs whose first spring hangs on a wall, moved by the leapfrog method.

use crate::kinds::{KindNames, SystemKind, SystemSpec};
use crate::registry::{self, RegistryEntry};
use crate::run::energy_guard::{Energies, EnergyGuard, Looks};
use crate::run::energy_summary::energy_summary;
use crate::run::engine::{Advanced, Columns, Engine, EngineReport, FinishedRun, Moment, OutputSpec, Summary};
use crate::run::prepared::PreparedRun;
use crate::run::{End, Progress, State};
use crate::scenario::Scenario;
use crate::scenario::keys::shared::{CLAIM, END, PARAMETERS, STEP, TITLE};
use crate::scenario::keys::{Form, Key};
use crate::scenario::read::Reader;
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Diagnostic, Error, RunError};
use stationary::observe::{Conserved, Track, record};
use std::sync::Arc;

pub static KIND: SystemKind = SystemKind {
    name: "chain",
    defining_keys: &["chain"],
    identifying_keys: &[],
    names: KindNames {
        one: "a chain",
        many: "chains, which have a `chain`",
        made_by: "`chain` for masses and springs",
    },
    keys: KEYS,
    reference: &[("Keys of chains", KEYS)],
    reserved_names: || vec![("x", "a position")],
    options_of,
    read: |reader| Ok(Arc::new(reader.chain()?)),
};

const KEYS: &[Key] = &[
    TITLE,
    END,
    STEP,
    CLAIM,
    PARAMETERS,
    Key::required("integrator", Form::Integrator, r#"integrator = "verlet""#, "`verlet`"),
    Key::required("chain", Form::Table, "[chain] with masses", "the chain"),
    Key::required(
        "chain.masses",
        Form::Whole { least: 1, most: Some(1000) },
        "masses = 10",
        "their number, 1 kg each",
    ),
    Key::required("chain.stiffness", Form::Positive, "stiffness = 1.0", "the stiffness of every spring"),
    Key::required(
        "chain.pull",
        Form::Number,
        "pull = 0.1",
        "how far the last mass is displaced at the start",
    ),
];

fn options_of(integrator: &RegistryEntry) -> Option<Vec<Key>> {
    (integrator.name == "verlet").then(Vec::new)
}

/// A chain as a scenario states it.
#[derive(Debug, Clone)]
pub struct ChainSystem {
    pub stiffness: f64,
    pub step: f64,
    pub x: Vec<f64>,
    pub v: Vec<f64>,
}

impl Reader {
    fn chain(&mut self) -> Result<ChainSystem, Diagnostic> {
        let mut table = self.root.optional_table("chain")?;
        let masses: usize = table.get("masses")?;
        let stiffness = table.get("stiffness")?;
        let mut x = vec![0.0; masses];
        x[masses - 1] = table.get("pull")?;
        Ok(ChainSystem { stiffness, step: self.need_step()?, x, v: vec![0.0; masses] })
    }
}

impl SystemSpec for ChainSystem {
    fn kind(&self) -> &'static SystemKind {
        &KIND
    }

    fn build(self: Arc<Self>, scenario: &Scenario, _shows: bool) -> Result<PreparedRun, Error> {
        registry::accepted(&KIND, &scenario.integrator)?;
        let steps = ((scenario.end - scenario.start) / self.step).round() as u64;
        let engine = ChainEngine {
            x: self.x.clone(),
            v: self.v.clone(),
            start: scenario.start,
            done: 0,
            steps,
            energy: Track::default(),
            guard: EnergyGuard::new(Looks::Steps, 1.0, steps as f64),
            system: Arc::clone(&self),
        };
        let positions = (1..=self.x.len()).map(|i| format!("x{i}"));
        let state = std::iter::once("t".to_string()).chain(positions).collect();
        Ok(PreparedRun {
            columns: Columns { state, observed: vec!["energy".into()] },
            outputs: OutputSpec::default(),
            moves_between_looks: 1,
            step: Some(self.step),
            identity: Vec::new(),
            description: vec![("chain", format!("{} masses", self.x.len()))],
            engine: Box::new(engine),
        })
    }

    fn restarted(&self, begin: &State) -> Option<Arc<dyn SystemSpec>> {
        let fits = begin.q.len() == self.x.len() && begin.v.len() == self.v.len();
        fits.then(|| Arc::new(ChainSystem { x: begin.q.clone(), v: begin.v.clone(), ..self.clone() }) as _)
    }
}

/// A chain in motion.
struct ChainEngine {
    system: Arc<ChainSystem>,
    x: Vec<f64>,
    v: Vec<f64>,
    start: f64,
    done: u64,
    steps: u64,
    energy: Track,
    guard: EnergyGuard,
}

impl ChainEngine {
    fn time(&self) -> f64 {
        self.start + self.done as f64 * self.system.step
    }

    /// How far the springs are stretched.
    fn stretches(&self) -> Vec<f64> {
        (0..self.x.len()).map(|i| if i == 0 { self.x[0] } else { self.x[i] - self.x[i - 1] }).collect()
    }

    /// Half a step of the springs: `v += -(h/2) dV/dx`.
    fn kick(&mut self) {
        let stretches = self.stretches();
        for (i, v) in self.v.iter_mut().enumerate() {
            let beyond = stretches.get(i + 1).copied().unwrap_or(0.0);
            *v += 0.5 * self.system.step * self.system.stiffness * (beyond - stretches[i]);
        }
    }

    fn energies(&self) -> [f64; 2] {
        let sum_of_squares = |all: &[f64]| all.iter().map(|x| x * x).sum::<f64>();
        [0.5 * sum_of_squares(&self.v), 0.5 * self.system.stiffness * sum_of_squares(&self.stretches())]
    }

    fn energy_error(&self) -> f64 {
        self.energy.largest_change() / self.energy.initial()
    }
}

impl Persist for ChainEngine {
    fn pass(&mut self, archive: &mut Archive) {
        archive.fixed(&mut self.x).fixed(&mut self.v).pass(&mut self.done);
        archive.pass(&mut self.energy).pass(&mut self.guard);
    }
}

impl Engine for ChainEngine {
    fn advance(&mut self) -> Result<Advanced, RunError> {
        self.kick();
        for (x, v) in self.x.iter_mut().zip(&self.v) {
            *x += self.system.step * v;
        }
        self.kick();
        self.done += 1;
        Ok(Advanced::Moment)
    }

    fn look(&mut self) -> Result<Moment, Cause> {
        let [kinetic, potential] = self.energies();
        let time = self.time();
        self.energy.add(time, kinetic + potential);
        let seen = self.guard.see(&Energies { time, kinetic, potential, work: 0.0, supplied: 0.0 });
        seen.map_err(|fault| fault.cause(String::new(), "a shorter `step` helps".into()))?;
        Ok(Moment {
            number: self.done,
            time,
            moves: self.done,
            is_row: true,
            is_last: self.done == self.steps,
        })
    }

    fn state(&self) -> State {
        State { t: self.time(), q: self.x.clone(), v: self.v.clone(), p: Vec::new() }
    }

    fn row(&self, row: &mut Vec<f64>) {
        row.push(self.time());
        row.extend(&self.x);
        row.push(self.energies().iter().sum());
    }

    fn progress(&self) -> Progress {
        Progress {
            step: self.done,
            steps: self.steps,
            time: self.time(),
            end: self.start + self.steps as f64 * self.system.step,
            energy_error: self.energy_error(),
            moves: self.done,
            impacts: None,
            growth: 0.0,
            reductions: 0,
            reduction: None,
        }
    }

    fn summary(&self, _end: &End) -> Summary {
        Summary {
            method: "verlet".into(),
            order: 2,
            variational: true,
            iterations: 0,
            keys: record! { "energy": energy_summary(&self.energy, self.energy.initial()) },
        }
    }

    fn report(&self, _finished: &FinishedRun<'_>) -> EngineReport {
        let errors = [self.energy.largest_change(), self.energy_error()];
        let energy = Conserved::new("energy", self.energy.initial(), errors);
        EngineReport { conserved: vec![energy], ..EngineReport::default() }
    }
}
