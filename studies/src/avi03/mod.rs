//! Lew, Marsden, Ortiz and West, Asynchronous variational integrators (2003), section 4.

pub mod fig10;
pub mod fig12;
pub mod fig13;
pub mod fig14;
pub mod fig6;
pub mod fig7;
pub mod fig8;
pub mod fig9;
mod residual;
pub mod table1;

use crate::Claim;
use crate::series::{mean, range};

/// What the paper says of total energy: nearly constant, no growth or decay.
fn energy_claims(energy: &[f64], bound: f64) -> Vec<Claim> {
    let (low, high) = range(energy);
    let quarter = (energy.len() / 4).max(1);
    let (first, last) = (mean(&energy[..quarter]), mean(&energy[energy.len() - quarter..]));
    vec![
        Claim::below(
            "oscillation of the energy, largest less smallest, over the first",
            (high - low) / energy[0],
            bound,
        ),
        Claim::below(
            "mean energy of the last quarter against the first quarter, over the first",
            ((last - first) / energy[0]).abs(),
            0.25 * bound,
        ),
    ]
}

/// A number with its thousands apart.
fn thousands(x: f64) -> String {
    let digits = format!("{x:.0}");
    let parts: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().filter_map(|c| std::str::from_utf8(c).ok()).collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_energy_claims_fail_for_a_drifting_run() {
        let wave: Vec<f64> = (0..100).map(|i| 1.0 + 1e-3 * f64::from(i).sin()).collect();
        assert!(energy_claims(&wave, 0.01).iter().all(Claim::holds));
        let grows: Vec<f64> = wave.iter().enumerate().map(|(i, e)| e + 1e-4 * i as f64).collect();
        assert!(!energy_claims(&grows, 0.02)[1].holds());
        let wild: Vec<f64> = wave.iter().map(|e| 1.0 + 20.0 * (e - 1.0)).collect();
        assert!(!energy_claims(&wild, 0.01)[0].holds());
        assert!(!energy_claims(&[1.0, f64::NAN, 1.0, 1.0], 0.01)[0].holds());
        assert_eq!(thousands(1_374_413.0), "1,374,413");
        assert_eq!(thousands(42.0), "42");
    }
}
