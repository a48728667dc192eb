//! What `stationary check` tells of a system of formulas.

use super::build::PreparedFormula;
use super::gaps;
use crate::scenario::Scenario;
use stationary::integrate::EnergyStepSpec;

impl PreparedFormula {
    /// The method and whether the energy chooses its steps.
    pub fn method_in_words(&self) -> String {
        match self.energy_choice {
            Some(choice) => format!("{}, steps by the energy (turning {})", self.method, choice.turning),
            None => self.method.to_string(),
        }
    }

    fn steps_in_words(&self) -> String {
        match self.energy_choice {
            Some(EnergyStepSpec { smallest, largest, .. }) => {
                let h = self.system.step;
                format!("from {h} on, {} to {}, to time {}", smallest * h, largest * h, self.end)
            }
            None => {
                let until = match (self.end_impacts, self.end.is_finite()) {
                    (None, _) => {
                        return format!("{} of {} to time {}", self.steps, self.system.step, self.end);
                    }
                    (Some(impacts), false) => format!("until impact {impacts}"),
                    (Some(impacts), true) => {
                        format!("until impact {impacts}, at most {} to time {}", self.steps, self.end)
                    }
                };
                format!("of {} {until}", self.system.step)
            }
        }
    }
}

/// What `stationary check` tells.
pub(super) fn describe(scenario: &Scenario, built: &PreparedFormula) -> Vec<(&'static str, String)> {
    let system = &*built.system;
    let kind = if built.method.variational() { "variational" } else { "not variational" };
    let names: Vec<&str> = built.system.coordinates.iter().map(String::as_str).take(8).collect();
    let more = if built.system.coordinates.len() > 8 { ", ..." } else { "" };
    let mut lines = vec![
        ("coordinates", format!("{} ({}{more})", built.system.coordinates.len(), names.join(", "))),
        built.mechanics.describe(),
        ("integrator", format!("{}, order {}, {kind}", built.method_in_words(), built.method.order())),
        ("steps", built.steps_in_words()),
        ("rows", built.rows.to_string()),
        ("claims", scenario.claims.len().to_string()),
    ];
    if !built.system.constraints.is_empty() {
        let (m, d) = (built.system.constraints.len(), built.integrator.freedom());
        lines.insert(2, ("constraints", format!("{m}, {d} degrees of freedom")));
    }
    if !system.reduce.is_empty() {
        let names: Vec<&str> = system.reduce.iter().map(|name| name.text.as_str()).collect();
        let d = built.integrator.freedom();
        lines.insert(2, ("reduced", format!("{} by the momentum, {d} degrees of freedom", names.join(", "))));
    }
    if !system.gaps.is_empty() {
        lines.insert(2, ("gaps", gaps::in_words(system)));
    }
    if built.interactions.force.is_some() {
        lines.insert(2, ("force", "besides that of the Lagrangian".into()));
    }
    lines.extend(built.warnings.iter().map(|w| ("warning", w.clone())));
    lines
}
