//! A system of formulas, its method and what acts on it: what integrator and observers are made from.

use super::mechanics::Mechanics;
use super::start::unbuildable;
use super::{FormulaSystem, gaps};
use crate::scenario::{IntegratorSpec, Place, Scenario};
use stationary::error::Error;
use stationary::formula::{Graph, Var};
use stationary::integrate::phase::PhaseStart;
use stationary::integrate::{EnergyStepSpec, Integrator, Interactions, Method, Start};
use stationary::model::FormulaLagrangian;
use stationary::observe::Impacts;
use std::sync::Arc;

/// What is run, and how.
pub(super) struct Setting<'a> {
    pub scenario: &'a Scenario,
    pub system: &'a FormulaSystem,
    pub mechanics: &'a Mechanics,
    pub interactions: &'a Interactions,
    pub method: &'a Method,
    pub tolerance: f64,
    /// How the energy chooses the steps, if it does.
    pub energy_choice: Option<EnergyStepSpec>,
}

impl Setting<'_> {
    /// Starts the method on either side. With a one-form `p` is empty.
    pub fn launch(&self, start: &Start) -> Result<Box<dyn Integrator>, Error> {
        let launched = match (self.mechanics, self.energy_choice) {
            (Mechanics::Lagrangian(l), None) => {
                self.method.start_with(Arc::clone(l), self.interactions, start, self.tolerance)
            }
            (Mechanics::Lagrangian(l), Some(choice)) => {
                require_autonomous(self, l)?;
                self.method.start_energy(Arc::clone(l), self.interactions, start, (choice, self.tolerance))
            }
            (Mechanics::Phase(_), Some(_)) => {
                return Err(self
                    .chooser()
                    .error("the energy chooses steps of Lagrangians only")
                    .help(FIXED)
                    .into());
            }
            (Mechanics::Phase(system), None) => {
                let z = [start.q.as_slice(), &start.p].concat();
                let start = PhaseStart { t: start.t, z, h: start.h };
                self.method.start_phase(Arc::clone(system), &start, self.tolerance)
            }
        };
        launched.map_err(|e| unbuildable(self.scenario, self.system, self.method, e))
    }

    /// Why the system does not conserve its energy, if it does not.
    pub fn energy_changes(&self) -> Result<Option<&'static str>, Error> {
        let work = self.work_changes()?;
        Ok(if work.is_some() { work } else { self.time_changes()? })
    }

    /// What changes the energy by work that is booked.
    pub fn work_changes(&self) -> Result<Option<&'static str>, Error> {
        match self.interactions.force {
            Some(_) => Ok(Some("forces do work")),
            None => gaps::changes_energy(self.scenario, self.system),
        }
    }

    /// What changes the energy because it names the time.
    pub fn time_changes(&self) -> Result<Option<&'static str>, Error> {
        if self.mechanics.depends_on_time() {
            return Ok(Some(match self.mechanics {
                Mechanics::Lagrangian(_) => "the Lagrangian depends on t",
                Mechanics::Phase(_) => "the Hamiltonian depends on t",
            }));
        }
        let mut graph = Graph::new();
        for text in &self.system.constraints {
            let node = text.lower(&mut graph, &mut self.system.scope(&self.scenario.parameters))?;
            if graph.depends_on(node, Var::T) {
                return Ok(Some("constraints that move do work"));
            }
        }
        Ok(None)
    }

    /// What is to be seen of impacts.
    pub fn impacts(&self, n: usize, scale: f64) -> Option<Impacts> {
        let (Some(gaps), Mechanics::Lagrangian(_)) = (&self.interactions.gaps, self.mechanics) else {
            return None;
        };
        let names: Vec<String> = self.system.gaps.iter().map(|g| g.name.clone()).collect();
        Some(Impacts::new(Arc::clone(&gaps.gap), &names, n, scale))
    }

    /// Where the scenario lets the energy choose the steps.
    pub fn chooser(&self) -> &Place {
        let IntegratorSpec { method, options } = &self.scenario.integrator;
        options.place("step").unwrap_or(&method.place)
    }
}

/// What to do where the energy cannot choose the steps.
pub(super) const FIXED: &str = "leave out `step = \"energy\"`";

/// Refuses steps chosen by the energy where time appears in the Lagrangian.
fn require_autonomous(setting: &Setting<'_>, lagrangian: &FormulaLagrangian) -> Result<(), Error> {
    if !lagrangian.depends_on_time() {
        return Ok(());
    }
    let message =
        "the energy cannot choose the steps: this Lagrangian depends on `t`, so there is no energy to keep";
    Err(setting.chooser().error(message).help(FIXED).into())
}
