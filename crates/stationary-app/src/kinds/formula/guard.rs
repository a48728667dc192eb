//! The energy of a system of formulas under watch: what of it is kinetic and potential, and what comes from outside.

use super::mechanics::Mechanics;
use super::setting::Setting;
use crate::run::energy_guard::{Energies, EnergyGuard, Looks};
use crate::scenario::{FormulaSystem, Scenario};
use stationary::archive::{Archive, Persist};
use stationary::error::{Cause, Error};
use stationary::formula::{Graph, Var};
use stationary::integrate::{Method, Start};
use stationary::linalg::dot;
use stationary::model::{FormulaLagrangian, Jet, Lagrangian, PhaseJet, PhaseSpace};
use stationary::observe::Frame;
use std::sync::Arc;

/// Watches the energy of a run.
pub(super) struct FormulaGuard {
    guard: EnergyGuard,
    split: Split,
    /// Work of forces and impacts since the start, and what they brought in.
    work: f64,
    supplied: f64,
    /// Whether impacts may bring energy in: gaps that move.
    moving: bool,
    remedy: String,
}

/// How the energy divides.
enum Split {
    /// Half of `p.v` is kinetic: separable Lagrangians, canonical Hamiltonians.
    Halves,
    /// The energy at rest, `-L(t, q, 0)`, is potential.
    Rest(Arc<FormulaLagrangian>, Jet, Vec<f64>),
    /// All of it is potential: Hamiltonians with a one-form.
    Whole,
}

impl FormulaGuard {
    /// A guard of a run from this start. A start without a finite energy is refused.
    pub fn build(setting: &Setting<'_>, start: &Start, velocity: &[f64], steps: f64) -> Result<Self, Error> {
        let Setting { scenario, system, mechanics, method, .. } = *setting;
        let (energy, unit) = match mechanics {
            Mechanics::Lagrangian(l) => {
                let mut jet = Jet::new(velocity.len());
                let mut energy = |v: &[f64]| {
                    l.first(start.t, &start.q, v, &mut jet);
                    dot(jet.dv(), v) - jet.value()
                };
                let by_itself: Vec<f64> = start.q.iter().map(|q| q / start.h).collect();
                let rest = vec![0.0; velocity.len()];
                (energy(velocity), (energy(&by_itself) - energy(&rest)).abs())
            }
            Mechanics::Phase(model) => {
                let mut jet = PhaseJet::new(model.dimension());
                let z = if model.positions() < model.dimension() {
                    [start.q.as_slice(), &start.p].concat()
                } else {
                    start.q.clone()
                };
                let doubled: Vec<f64> = z.iter().map(|z| 2.0 * z).collect();
                model.first(start.t, &doubled, &mut jet);
                let far = jet.value();
                model.first(start.t, &z, &mut jet);
                (jet.value(), (far - jet.value()).abs())
            }
        };
        if !energy.is_finite() {
            return Err(system
                .lagrangian
                .place
                .error(format!("the energy is not a finite number at the initial state ({energy})"))
                .help("check the initial state: its numbers may be too large to be squared")
                .into());
        }
        let guard = EnergyGuard::new(Looks::Steps, unit, steps).from(start.t, start.h);
        let split = match mechanics {
            Mechanics::Lagrangian(l) if l.mass().is_none() => {
                Split::Rest(Arc::clone(l), Jet::new(velocity.len()), vec![0.0; velocity.len()])
            }
            Mechanics::Phase(model) if model.positions() == model.dimension() => Split::Whole,
            _ => Split::Halves,
        };
        Ok(FormulaGuard {
            guard: if driven(scenario, system)? { guard.unbalanced() } else { guard },
            split,
            work: 0.0,
            supplied: 0.0,
            moving: !system.gaps.is_empty()
                && any_timed(scenario, system, system.gaps.iter().map(|g| &g.formula))?,
            remedy: remedy(method),
        })
    }

    /// Sees a moment with its energy, and the size of the terms that make up the energy.
    pub fn see(
        &mut self,
        system: &FormulaSystem,
        frame: &Frame<'_>,
        energy: f64,
        terms: f64,
    ) -> Result<(), Cause> {
        let parts = [("position", frame.q), ("velocity", frame.v), ("momentum", frame.p)];
        for (what, values) in parts {
            if let Some(i) = values.iter().position(|x| !x.is_finite()) {
                let name = system.coordinates.get(i).map_or(String::new(), |name| format!(" of `{name}`"));
                return Err(Cause::NotFinite { what: format!("the {what}{name}") });
            }
        }
        let potential = match &mut self.split {
            Split::Halves => energy - 0.5 * dot(frame.p, frame.v),
            Split::Whole => energy,
            Split::Rest(l, jet, rest) => {
                l.first(frame.t, frame.q, rest, jet);
                // A Lagrangian need not be defined at rest.
                if jet.value().is_finite() { -jet.value() } else { energy }
            }
        };
        let force = frame.work.unwrap_or(0.0);
        self.work += force;
        self.supplied += force.max(0.0);
        for impact in frame.impacts {
            let change = impact.energy_after - impact.energy_before;
            // What an impact with an obstacle at rest brings in comes from nowhere.
            if change < 0.0 || self.moving {
                self.work += change;
                self.supplied += change.max(0.0);
            }
        }
        self.guard.reach(terms);
        let now = Energies {
            time: frame.t,
            kinetic: energy - potential,
            potential,
            work: self.work,
            supplied: self.supplied,
        };
        self.guard.see(&now).map_err(|fault| fault.cause(fastest(system, frame), self.remedy.clone()))
    }
}

impl Persist for FormulaGuard {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.guard).pass(&mut self.work).pass(&mut self.supplied);
    }
}

/// The coordinate with the most kinetic energy.
fn fastest(system: &FormulaSystem, frame: &Frame<'_>) -> String {
    if system.coordinates.len() < 2 {
        return String::new();
    }
    let share = |i: usize| (frame.p[i] * frame.v[i]).abs();
    let most = (0..frame.v.len().min(frame.p.len())).max_by(|a, b| share(*a).total_cmp(&share(*b)));
    most.map_or(String::new(), |i| format!("the coordinate `{}`", system.coordinates[i]))
}

fn remedy(method: &Method) -> String {
    match method.stability_limit() {
        Some(limit) => format!(
            "a shorter `step` helps ({method} is stable while step times frequency is at most {limit:.3}), or an implicit method such as midpoint"
        ),
        None => "a shorter `step` may help".into(),
    }
}

/// Whether the energy changes for reasons that are not booked as work: time in the formula of the system, constraints that move.
fn driven(scenario: &Scenario, system: &FormulaSystem) -> Result<bool, Error> {
    let all = std::iter::once(&system.lagrangian).chain(&system.constraints);
    let forms = match &system.law {
        crate::scenario::Law::OneForm(forms) => forms.as_slice(),
        _ => &[],
    };
    any_timed(scenario, system, all.chain(forms))
}

/// Whether `t` appears in one of some formulas.
fn any_timed<'a>(
    scenario: &Scenario,
    system: &FormulaSystem,
    texts: impl Iterator<Item = &'a crate::scenario::Text>,
) -> Result<bool, Error> {
    let mut graph = Graph::new();
    let mut scope = system.scope(&scenario.parameters);
    for text in texts {
        let node = text.lower(&mut graph, &mut scope)?;
        if graph.depends_on(node, Var::T) {
            return Ok(true);
        }
    }
    Ok(false)
}
