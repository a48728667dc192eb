//! SEM99 Fig. 8.4: the error of the energy of the coupled system.

use super::fig8_2::{better, energy_plot, line};
use super::wells::Wells;
use crate::{Outcome, Scale};
use stationary::integrate::EnergyStepSpec;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let runs = Wells::coupled()?.both(EnergyStepSpec::default(), scale.pick(100.0, 500.0))?;
    let plot = energy_plot("coupled wells", &runs);
    Ok(Outcome { plot, table: vec![line("coupled wells", &runs)], claims: better("coupled wells", &runs) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sem99_figure_8_4_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(|c| c.holds()), "{:?}", outcome.claims);
    }
}
