//! Whether one step for the whole body is within the limit of stability of its method.

use super::build::Body;
use crate::run::finish::short;
use crate::scenario::{Place, Scenario, SolidSystem};
use stationary::error::Error;
use stationary::model::Potentials;

/// The body's largest frequency is found to about two parts in a thousand; a step is refused that is surely beyond the limit.
const UNSURE: f64 = 1e-2;

/// Refuses a step beyond the limit: the largest product of step and frequency that the method bears.
pub(super) fn require_stable(
    scenario: &Scenario,
    system: &SolidSystem,
    body: &Body,
    (method, limit): (&str, f64),
    step: f64,
) -> Result<(), Error> {
    let solid = body.problem.solid();
    let held = |i: usize| body.problem.supports().is_some_and(|s| s.is_fixed(i));
    // An element without a step is told elsewhere.
    let Ok(used) = solid.used_limit_of_free(&body.x, &vec![step; solid.elements()], held) else {
        return Ok(());
    };
    let product = 2.0 * used;
    if !(product > limit * (1.0 + UNSURE)) {
        return Ok(());
    }
    let most = step * limit / product;
    let message = format!(
        "the step {} is beyond the limit of {method}: the largest frequency of this body is {}, and steps beyond {} let it grow without \
         bound",
        short(step),
        short(product / step),
        short(most)
    );
    let help = match system.step {
        Some(_) => format!(
            "expected a `step` below {}; without `step` a fraction of the limit is taken; or an implicit method such as midpoint",
            short(most)
        ),
        None => format!(
            "expected steps below {}: a smaller `fraction`, or an implicit method such as midpoint",
            short(most)
        ),
    };
    Err(place(scenario, system).error(message).help(help).into())
}

/// Where the step was chosen.
fn place<'a>(scenario: &'a Scenario, system: &'a SolidSystem) -> &'a Place {
    let options = &scenario.integrator.options;
    let chosen = ["step", "fraction"].iter().find_map(|key| options.place(key));
    system.step.as_ref().map(|(_, place)| place).or(chosen).unwrap_or(&scenario.integrator.method.place)
}
