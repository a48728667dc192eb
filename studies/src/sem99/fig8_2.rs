//! SEM99 Fig. 8.2: the error of the energy of the orbits of Fig. 8.1.

use super::wells::{Run, STARTS, Wells, drawn};
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::EnergyStepSpec;
use stationary_report::plot::Plot;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let end = scale.pick(60.0, 200.0);
    let (mut plots, mut table, mut claims) = (Vec::new(), Vec::new(), Vec::new());
    for start in STARTS {
        let runs = Wells::double(start)?.both(EnergyStepSpec::default(), end)?;
        plots.push(energy_plot(&format!("q0 = q1 = {start}"), &runs));
        table.push(line(&format!("start {start}"), &runs));
        claims.extend(better(&format!("start {start}"), &runs));
    }
    Ok(Outcome { plot: side_by_side(&plots, 420, 380), table, claims })
}

/// Both errors over time.
pub fn energy_plot(title: &str, [fixed, chosen]: &[Run; 2]) -> String {
    Plot::new(title)
        .x_label("time")
        .y_label("energy error")
        .log_y()
        .line("fixed steps", &fixed.t, &drawn(&fixed.error()))
        .line("steps by energy", &chosen.t, &drawn(&chosen.error()))
        .to_svg(420, 380)
}

/// Both runs in numbers.
pub fn line(name: &str, [fixed, chosen]: &[Run; 2]) -> String {
    let (least, most) = chosen.lengths();
    format!(
        "{name}: fixed {:.1e} in {} steps; by energy {:.1e} in {} steps of {least:.4} to {most:.4}; {} flagged in {} stretches, there {:.1e}",
        fixed.worst(false),
        fixed.t.len(),
        chosen.worst(false),
        chosen.t.len(),
        chosen.flags(),
        chosen.stretches(),
        chosen.worst(true),
    )
}

/// That the energy is kept at least a hundred times better away from flagged steps, and not worse at them.
pub fn better(name: &str, [fixed, chosen]: &[Run; 2]) -> Vec<Claim> {
    let ratio = fixed.worst(false) / chosen.worst(false).max(f64::MIN_POSITIVE);
    let at_flags = chosen.worst(true) / fixed.worst(false);
    vec![
        Claim::above(format!("{name}: error by fixed steps over error by chosen ones"), ratio, 100.0),
        Claim::below(format!("{name}: error at flagged steps over that of fixed ones"), at_flags, 1.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sem99_figure_8_2_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(Claim::holds), "{:?}", outcome.claims);
    }

    #[test]
    fn sem99_figure_8_2_claims_fail_for_exchanged_runs() {
        let [fixed, chosen] = Wells::double(0.995).unwrap().both(EnergyStepSpec::default(), 60.0).unwrap();
        assert!(!better("", &[chosen, fixed])[0].holds());
    }
}
