//! The energy that a variational run follows, all terms at once, from the run itself.
//!
//! The steps lie on a motion of the modified energy `H~`, whose action over a step is `L_d` [VTI04 3.5]. So with the action
//! `S` added up along the run, `H~ = p.q' - S'` on that motion, and both derivatives are those of polynomials through
//! the steps around. No method need be known but by its steps and its discrete action.

use crate::action::quadrature::lagrange;
use crate::linalg::dot;
use std::collections::VecDeque;

/// Steps to either side that the polynomials go through: what they leave is of the order `h^16`.
const REACH: usize = 8;

/// Follows the modified energy of a run.
#[derive(Debug, Clone)]
pub struct Followed {
    h: f64,
    /// Derivatives in the middle of the window of what is one at one step and zero at the others.
    slopes: Vec<f64>,
    /// Canonical position, momentum, and the action of the step that led there.
    recent: VecDeque<(Vec<f64>, Vec<f64>, f64)>,
}

impl Followed {
    /// For steps of length `h`.
    pub fn new(h: f64) -> Self {
        let nodes: Vec<f64> = (0..=2 * REACH).map(|k| k as f64 - REACH as f64).collect();
        Followed { h, slopes: lagrange(&nodes, 0.0).1, recent: VecDeque::new() }
    }

    /// Steps that a run must have for the energy to be known somewhere.
    pub const fn least_steps() -> u64 {
        2 * REACH as u64
    }

    /// How many steps behind the last one the energy is known.
    pub const fn behind() -> usize {
        REACH
    }

    /// Sees a step: its canonical position and momentum, and the action of the step that led there (NaN at the start). Returns
    /// the modified energy [`Followed::behind`] steps earlier, once there are enough.
    pub fn push(&mut self, canonical: &[f64], p: &[f64], action: f64) -> Option<f64> {
        if self.recent.len() > 2 * REACH {
            self.recent.pop_front();
        }
        self.recent.push_back((canonical.to_vec(), p.to_vec(), action));
        (self.recent.len() > 2 * REACH).then(|| self.middle())
    }

    fn middle(&self) -> f64 {
        let (here, p, _) = &self.recent[REACH];
        let mut rate = 0.0;
        let mut away = vec![0.0; here.len()];
        // Differences from the middle: what is common to all steps must not be multiplied and cancelled.
        let mut add = |k: usize, action: f64| {
            for (x, (there, here)) in away.iter_mut().zip(self.recent[k].0.iter().zip(here)) {
                *x = there - here;
            }
            rate += self.slopes[k] * (dot(p, &away) - action);
        };
        let (mut ahead, mut back) = (0.0, 0.0);
        for j in 1..=REACH {
            ahead += self.recent[REACH + j].2;
            back -= self.recent[REACH + 1 - j].2;
            add(REACH + j, ahead);
            add(REACH - j, back);
        }
        rate / self.h
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On exact motion with its exact action it is the energy: `q = sin t`, `p = cos t`, `S = sin(2t)/4`.
    #[test]
    fn modified_energy_of_exact_motion_is_the_exact_energy() {
        let h = 0.2;
        let mut followed = Followed::new(h);
        let mut seen = 0;
        for k in 0..100 {
            let t = h * f64::from(k);
            let action = ((2.0 * t).sin() - (2.0 * (t - h)).sin()) / 4.0;
            if let Some(energy) = followed.push(&[t.sin()], &[t.cos()], action) {
                assert!((energy - 0.5).abs() < 1e-12, "{k}: {energy}");
                seen += 1;
            }
        }
        assert_eq!(seen, 100 - Followed::least_steps() as usize);
    }
}
