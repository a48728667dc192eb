//! What is written down of a solid in motion: the columns of its rows, and what was conserved.

use super::build::Body;
use super::motion::{Look, Motion};
use super::probe::Probe;
use super::static_results::StaticRecord;
use crate::run::energy_summary::energy_summary;
use crate::scenario::{Scenario, SolidSystem};
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error};
use stationary::integrate::avi::MomentumBalance;
use stationary::model::Potentials;
use stationary::observe::{Conserved, Entry, Record as Found, Track, part, record};

/// Follows energy, momenta, supports, probes and chosen elements from row to row.
pub(super) struct Record {
    /// Energy less the work from outside.
    energy: Track,
    /// What materials with memory and damping have dissipated at the last row, if there are any.
    dissipated: Option<f64>,
    kinetic: f64,
    /// Largest residual of the balances of linear and angular momentum, and the largest scale.
    balance: [[f64; 2]; 2],
    initial: [[f64; 3]; 2],
    supports: Vec<String>,
    /// Time since the start and impulses at the last row.
    last: (f64, Vec<[f64; 3]>),
    reactions: Vec<[f64; 3]>,
    probes: Vec<Probe>,
    chosen: Vec<(u64, usize)>,
    /// Of a static solution.
    statics: Option<StaticRecord>,
    now: Vec<f64>,
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl Record {
    /// A record of a body that starts as it looks here.
    pub fn new(
        scenario: &Scenario,
        system: &SolidSystem,
        body: &Body,
        (motion, start): (&Motion, &Look),
    ) -> Result<Self, Error> {
        let supports: Vec<String> = system.supports.iter().map(|s| s.name.text.clone()).collect();
        let probes = system.probes.iter().map(|choice| Probe::new(scenario, choice, body));
        let probes: Vec<Probe> = probes.collect::<Result<_, _>>()?;
        for (probe, choice) in probes.iter().zip(&system.probes) {
            let value = probe.value(motion, body, start);
            if !value.is_finite() {
                return Err(choice
                    .value
                    .error(format!("the probe `{}` is {value} at the start", probe.name))
                    .help("expected a formula that is a finite number wherever the motion leads")
                    .into());
            }
        }
        let mut chosen = Vec::new();
        for (tag, place) in &system.local_energy {
            let Some(k) = (0..body.problem.count()).find(|k| body.problem.tag(*k) == *tag) else {
                return Err(place
                    .error(format!("the body has no element {tag}"))
                    .help("expected the number of an element in the mesh file")
                    .into());
            };
            chosen.push((*tag, k));
        }
        Ok(Record {
            energy: Track::default(),
            dissipated: body.problem.dissipates().then_some(0.0),
            kinetic: 0.0,
            balance: [[0.0; 2]; 2],
            initial: [[0.0; 3]; 2],
            last: (0.0, vec![[0.0; 3]; supports.len()]),
            reactions: vec![[0.0; 3]; supports.len()],
            supports,
            probes,
            chosen,
            statics: start.statics.as_ref().map(|_| StaticRecord::default()),
            now: Vec::new(),
        })
    }

    /// The names of the supports.
    pub fn supports(&self) -> &[String] {
        &self.supports
    }

    /// The probes of the scenario.
    pub fn probes(&self) -> &[Probe] {
        &self.probes
    }

    /// Forgets what was seen: a run begins at this time since the start.
    pub fn restart(&mut self, elapsed: f64) {
        (self.energy, self.kinetic) = (Track::default(), 0.0);
        (self.balance, self.initial) = ([[0.0; 2]; 2], [[0.0; 3]; 2]);
        self.last = (elapsed, vec![[0.0; 3]; self.supports.len()]);
        self.probes.iter_mut().for_each(Probe::forget);
    }

    /// Names of all columns after the time.
    pub fn columns(&self) -> Vec<String> {
        if self.statics.is_some() {
            let mut names = StaticRecord::columns(self.dissipated.is_some());
            names.extend(self.reaction_columns());
            names.extend(self.probes.iter().map(|p| p.name.clone()));
            return names;
        }
        let mut names: Vec<String> = ["energy", "kinetic", "potential", "work"].map(String::from).to_vec();
        names.extend(self.dissipated.map(|_| "dissipation".to_string()));
        for kind in ["linear", "angular"] {
            names.extend(AXES.map(|axis| format!("momentum.{kind}.{axis}")));
        }
        names.extend(["balance.linear".into(), "balance.angular".into()]);
        names.extend(["total", "min", "max"].map(|part| format!("updates.{part}")));
        names.extend(self.reaction_columns());
        names.extend(self.probes.iter().map(|p| p.name.clone()));
        for (tag, _) in &self.chosen {
            let parts = ["energy", "residual", "accumulated"];
            names.extend(parts.map(|part| format!("element.{tag}.{part}")));
        }
        names
    }

    fn reaction_columns(&self) -> impl Iterator<Item = String> {
        self.supports.iter().flat_map(|support| AXES.map(|axis| format!("reaction.{support}.{axis}")))
    }

    /// Whether a moment, in time since the start, is later than the last one seen. Steps longer than the distance of rows give it
    /// several times.
    pub fn is_new(&self, elapsed: f64) -> bool {
        elapsed > self.last.0
    }

    /// The row of the moment last seen.
    pub fn now(&self) -> &[f64] {
        &self.now
    }

    /// Sees a moment.
    pub fn see(&mut self, motion: &Motion, body: &Body, look: &Look) -> Result<(), Cause> {
        if let (Some(record), Some(statics)) = (&mut self.statics, &look.statics) {
            self.now = vec![look.t];
            record.see(statics, self.dissipated.is_some(), &mut self.now);
            self.dissipated = self.dissipated.map(|_| statics.dissipated);
            self.last.0 = look.elapsed;
            let mut reactions = statics.reactions.clone();
            reactions.resize(self.supports.len(), [0.0; 3]);
            self.now.extend(reactions.as_flattened());
            self.see_probes(motion, body, look);
            return Ok(());
        }
        let energy = look.kinetic + look.potential;
        if !energy.is_finite() {
            return Err(Cause::NotFinite { what: "the energy".into() });
        }
        self.energy.add(look.elapsed, energy - look.work);
        self.kinetic = self.kinetic.max(look.kinetic);
        let momenta = [&look.linear, &look.angular];
        for (kept, balance) in self.balance.iter_mut().zip(momenta) {
            let residual = balance.residual();
            // NaN stays: it means that nobody booked the impulses.
            kept[0] = if residual.is_nan() || residual > kept[0] { residual } else { kept[0] };
            kept[1] = kept[1].max(balance.scale);
        }
        self.initial = [look.linear.start, look.angular.start];
        self.react(look);
        self.now = vec![look.t, energy, look.kinetic, look.potential, look.outer_work()];
        if let Some(dissipated) = &mut self.dissipated {
            *dissipated = look.dissipated;
            self.now.push(look.dissipated);
        }
        for balance in momenta {
            self.now.extend(balance.now);
        }
        self.now.extend(momenta.map(relative));
        let updates = motion.updates();
        let [least, most] = [updates.iter().min(), updates.iter().max()].map(|n| *n.unwrap_or(&0) as f64);
        self.now.extend([updates.iter().sum::<u64>() as f64, least, most]);
        self.now.extend(self.reactions.as_flattened());
        self.see_probes(motion, body, look);
        for (_, k) in &self.chosen {
            let local = motion.avi().and_then(|avi| avi.local_energy());
            let values = local.map(|l| [l.energy(*k), l.residual(*k), l.accumulated(*k)]);
            self.now.extend(values.unwrap_or([f64::NAN; 3]));
        }
        Ok(())
    }

    fn see_probes(&mut self, motion: &Motion, body: &Body, look: &Look) {
        for probe in &mut self.probes {
            let value = probe.value(motion, body, look);
            self.now.push(value);
            probe.see(value);
        }
    }

    /// Refuses a row with a probe that is not a finite number.
    pub fn require_numbers(&self) -> Result<(), Cause> {
        match self.probes.iter().find(|p| !p.last().is_finite()) {
            Some(probe) => Err(Cause::NotFinite { what: format!("the probe `{}`", probe.name) }),
            None => Ok(()),
        }
    }

    /// Mean forces of the supports since the last row.
    fn react(&mut self, look: &Look) {
        let (time, impulses) = &self.last;
        let passed = look.elapsed - time;
        for (s, impulse) in look.reactions.iter().enumerate() {
            for i in 0..3 {
                let change = impulse[i] - impulses[s][i];
                self.reactions[s][i] = if passed > 0.0 { change / passed } else { f64::NAN };
            }
        }
        let mut impulses = look.reactions.clone();
        impulses.resize(self.supports.len(), [0.0; 3]);
        self.last = (look.elapsed, impulses);
    }

    /// What relative energy errors refer to: the energy at the start, or the largest kinetic energy if that is more; 0 as long
    /// as nothing has moved.
    pub fn energy_scale(&self) -> f64 {
        self.energy.initial().abs().max(self.kinetic)
    }

    /// Largest change of the energy less the work, over its scale.
    pub fn energy_error(&self) -> f64 {
        part(self.energy.largest_change(), self.energy_scale())
    }

    /// Largest residual of a balance of momentum (0 linear, 1 angular) over its scale.
    fn momentum_drift(&self, which: usize) -> f64 {
        let [residual, scale] = self.balance[which];
        if scale > 0.0 { residual / scale } else { residual }
    }

    /// Enters what was found into the summary.
    pub fn summarise(&self, summary: &mut Found) {
        if self.statics.is_some() {
            summary.set("probe", self.probe_summary());
            return;
        }
        let mut energy = energy_summary(&self.energy, self.energy_scale());
        if let Some(dissipated) = self.dissipated {
            energy.set("dissipated", dissipated);
        }
        summary.set("energy", energy);
        let momentum = |which: usize| {
            record! {
                "initial": self.initial[which],
                "scale": self.balance[which][1],
                "max_abs_drift": self.momentum_drift(which),
            }
        };
        summary.set("momentum", record! { "linear": momentum(0), "angular": momentum(1) });
        let impulses = self.supports.iter().zip(&self.last.1);
        let impulses = impulses.map(|(name, impulse)| (name.clone(), Entry::from(*impulse)));
        summary.set("reaction_impulse", Found::of(impulses));
        summary.set("probe", self.probe_summary());
    }

    /// Largest residual of a static solution.
    pub fn largest_residual(&self) -> f64 {
        self.statics.as_ref().map_or(f64::NAN, StaticRecord::largest_residual)
    }

    fn probe_summary(&self) -> Found {
        let probe = |p: &Probe| (p.name.clone(), Entry::from(p.summary()));
        Found::of(self.probes.iter().map(probe))
    }

    pub fn conserved(&self) -> Vec<Conserved> {
        if self.statics.is_some() {
            return Vec::new();
        }
        let size = |p: &[f64; 3]| (p[0] * p[0] + p[1] * p[1] + p[2] * p[2]).sqrt();
        let rows = [
            (
                if self.dissipated.is_some() {
                    "energy and dissipation less work"
                } else {
                    "energy less work done"
                },
                self.energy.initial(),
                [self.energy.largest_change(), self.energy_error()],
            ),
            (
                "linear momentum, with impulses",
                size(&self.initial[0]),
                [self.balance[0][0], self.momentum_drift(0)],
            ),
            (
                "angular momentum, with impulses",
                size(&self.initial[1]),
                [self.balance[1][0], self.momentum_drift(1)],
            ),
        ];
        let rows =
            rows.into_iter().map(|(quantity, initial, errors)| Conserved::new(quantity, initial, errors));
        rows.filter(|row| !row.worst.is_nan()).collect()
    }
}

impl Persist for Record {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.energy).pass(&mut self.kinetic).pass(&mut self.balance);
        archive.pass(&mut self.initial).pass(&mut self.last.0).fixed(&mut self.last.1);
        if let Some(dissipated) = &mut self.dissipated {
            archive.pass(dissipated);
        }
        if let Some(statics) = &mut self.statics {
            archive.pass(statics);
        }
        self.probes.iter_mut().for_each(|probe| probe.pass(archive));
    }
}

/// The residual of a balance over its scale at the time.
pub(super) fn relative(balance: &MomentumBalance) -> f64 {
    if balance.scale > 0.0 { balance.residual() / balance.scale } else { balance.residual() }
}
