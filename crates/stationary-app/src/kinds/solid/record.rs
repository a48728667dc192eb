//! What is written down of a solid in motion: the columns of its rows, and what was conserved.

use super::build::Body;
use super::motion::{Look, Motion};
use crate::run::energy_summary::energy_summary;
use crate::run::finish::short;
use crate::scenario::{Scenario, SolidProbe, SolidSystem};
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error};
use stationary::formula::{Graph, Program};
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
    now: Vec<f64>,
}

/// A formula at a material point.
pub(super) struct Probe {
    pub name: String,
    node: usize,
    /// Its number in the file of the mesh, and how far it is from the place that was asked for.
    number: u64,
    distance: f64,
    /// Whether the distance is more than rounding and untidy coordinates explain.
    far: bool,
    place: [f64; 3],
    program: Program,
    /// Smallest, largest and last value.
    seen: [f64; 3],
}

/// Nothing seen yet: no number is smaller or larger.
const UNSEEN: [f64; 3] = [f64::INFINITY, f64::NEG_INFINITY, f64::NAN];

const AXES: [&str; 3] = ["x", "y", "z"];

impl Record {
    /// A record of a body that starts as it looks here.
    pub fn new(scenario: &Scenario, system: &SolidSystem, body: &Body, start: &Look) -> Result<Self, Error> {
        let supports: Vec<String> = system.supports.iter().map(|s| s.name.text.clone()).collect();
        let probes = system.probes.iter().map(|choice| Probe::new(scenario, choice, body));
        let probes: Vec<Probe> = probes.collect::<Result<_, _>>()?;
        for (probe, choice) in probes.iter().zip(&system.probes) {
            let value = probe.value(start);
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
        self.probes.iter_mut().for_each(|probe| probe.seen = UNSEEN);
    }

    /// Names of all columns after the time.
    pub fn columns(&self) -> Vec<String> {
        let mut names: Vec<String> = ["energy", "kinetic", "potential", "work"].map(String::from).to_vec();
        names.extend(self.dissipated.map(|_| "dissipation".to_string()));
        for kind in ["linear", "angular"] {
            names.extend(AXES.map(|axis| format!("momentum.{kind}.{axis}")));
        }
        names.extend(["balance.linear".into(), "balance.angular".into()]);
        names.extend(["total", "min", "max"].map(|part| format!("updates.{part}")));
        for support in &self.supports {
            names.extend(AXES.map(|axis| format!("reaction.{support}.{axis}")));
        }
        names.extend(self.probes.iter().map(|p| p.name.clone()));
        for (tag, _) in &self.chosen {
            let parts = ["energy", "residual", "accumulated"];
            names.extend(parts.map(|part| format!("element.{tag}.{part}")));
        }
        names
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
    pub fn see(&mut self, motion: &Motion, look: &Look) -> Result<(), Cause> {
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
        for probe in &mut self.probes {
            let value = probe.value(look);
            self.now.push(value);
            probe.see(value);
        }
        for (_, k) in &self.chosen {
            let local = motion.avi().and_then(|avi| avi.local_energy());
            let values = local.map(|l| [l.energy(*k), l.residual(*k), l.accumulated(*k)]);
            self.now.extend(values.unwrap_or([f64::NAN; 3]));
        }
        Ok(())
    }

    /// Refuses a row with a probe that is not a finite number.
    pub fn require_numbers(&self) -> Result<(), Cause> {
        match self.probes.iter().find(|p| !p.seen[2].is_finite()) {
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
        let probe = |p: &Probe| {
            let [min, max, last] = p.seen;
            let taken = record! {
                "min": min,
                "max": max,
                "final": last,
                "node": p.number,
                "position": p.place,
                "distance": p.distance,
            };
            (p.name.clone(), Entry::from(taken))
        };
        summary.set("probe", Found::of(self.probes.iter().map(probe)));
    }

    pub fn conserved(&self) -> Vec<Conserved> {
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
        self.probes.iter_mut().for_each(|probe| probe.seen.pass(archive));
    }
}

/// Coordinates of meshers are off by about this part of an element: such a node is where it was asked for.
const UNTIDY: f64 = 1e-9;

/// A probe that is farther from its node than this part of the elements there is told: values change within an element.
const FAR: f64 = 0.25;

/// The size of the largest element at a node: a place farther away is in none of them.
fn reach(body: &Body, node: usize) -> f64 {
    let points = body.problem.solid().points();
    let place = |a: u32, i: usize| points[3 * a as usize + i];
    let at_node = (0..body.problem.count()).map(|k| Potentials::nodes(&*body.problem, k));
    at_node
        .filter(|nodes| nodes.contains(&(node as u32)))
        .flat_map(|nodes| {
            nodes.iter().map(|a| (0..3).map(|i| (place(*a, i) - place(node as u32, i)).powi(2)).sum())
        })
        .fold(0.0, f64::max)
        .sqrt()
}

impl Probe {
    /// The probe at the node nearest to the place that was chosen.
    pub fn new(scenario: &Scenario, choice: &SolidProbe, body: &Body) -> Result<Self, Error> {
        let points = body.problem.solid().points();
        let distance = |a: usize| (0..3).map(|i| (points[3 * a + i] - choice.at[i]).powi(2)).sum::<f64>();
        let node = (0..points.len() / 3)
            .min_by(|a, b| distance(*a).total_cmp(&distance(*b)).then(body.place(*a).cmp(&body.place(*b))))
            .expect("a body has nodes");
        let (away, reach) = (distance(node).sqrt(), reach(body, node));
        if away > reach {
            let nearest: Vec<String> = (0..3).map(|i| points[3 * node + i].to_string()).collect();
            return Err(choice
                .place
                .error(format!("the probe `{}` is outside of the body", choice.name.text))
                .help(format!("the node nearest to it is at [{}]", nearest.join(", ")))
                .into());
        }
        let mut graph = Graph::new();
        let value = choice.value.lower(&mut graph, &mut scenario.probe_scope())?;
        let place = [points[3 * node], points[3 * node + 1], points[3 * node + 2]];
        let program = Program::new(&graph, &[(value, 0)]);
        Ok(Probe {
            name: choice.name.text.clone(),
            node,
            number: body.node_number(node),
            distance: if away > UNTIDY * reach { away } else { 0.0 },
            far: away > FAR * reach,
            place,
            program,
            seen: UNSEEN,
        })
    }

    /// The node it was given, for people.
    pub fn taken(&self) -> String {
        let [x, y, z] = self.place.map(short);
        let away =
            if self.distance > 0.0 { format!(", {} away", short(self.distance)) } else { String::new() };
        format!("node {} at ({x}, {y}, {z}){away}", self.number)
    }

    /// A warning where the node is not where the probe was asked for.
    pub fn warning(&self) -> Option<String> {
        self.far.then(|| {
            format!(
                "no node is where the probe `{}` was asked for: it follows {} from there",
                self.name,
                self.taken()
            )
        })
    }

    /// Its value at a moment.
    pub fn value(&self, look: &Look) -> f64 {
        let [x, v] = [&look.x, &look.v].map(|all| &all[3 * self.node..3 * self.node + 3]);
        let p = &self.place;
        let mut out = [0.0];
        self.program.call(look.t, &[p[0], p[1], p[2], x[0], x[1], x[2]], v, &[], &mut out);
        out[0]
    }

    fn see(&mut self, value: f64) {
        let [least, most, _] = self.seen;
        // Written so that NaN stays once it has come.
        let least = if value >= least || least.is_nan() { least } else { value };
        let most = if value <= most || most.is_nan() { most } else { value };
        self.seen = [least, most, value];
    }
}

/// The residual of a balance over its scale at the time.
pub(super) fn relative(balance: &MomentumBalance) -> f64 {
    if balance.scale > 0.0 { balance.residual() / balance.scale } else { balance.residual() }
}
