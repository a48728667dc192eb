//! Which impulse stops an approach: the closest-point projection onto the cone of normals [FET03 (5.17), (5.21)].

use crate::linalg::{Lu, dot};

/// The impulse `sum_k mu_k n_k`, `mu_k >= 0`, after which no gap closes any more, of least energy: the projection of the velocity
/// `v` onto the directions that are allowed, in the metric of the mass matrix. `response` holds `M^-1 n_k`, `rates` the
/// rates `n_k . v + phi_t` of the gaps. `None` if there is none, because normals oppose each other.
///
/// By Lemke's idea in its simplest form: contacts join where a gap still closes and leave where they would pull; each set of
/// contacts is visited at most once.
pub fn stop(normals: &[Vec<f64>], response: &[Vec<f64>], rates: &[f64]) -> Option<Vec<f64>> {
    let m = rates.len();
    let scale = rates.iter().fold(0.0_f64, |s, r| s.max(r.abs()));
    let mut active: Vec<usize> = Vec::new();
    let mut mu = vec![0.0; m];
    for _ in 0..4 * m + 4 {
        let closing =
            |k: usize| rates[k] + (0..m).map(|j| dot(&normals[k], &response[j]) * mu[j]).sum::<f64>();
        let worst = (0..m)
            .filter(|k| !active.contains(k))
            .map(|k| (k, closing(k)))
            .filter(|(_, rate)| *rate < -1e-12 * scale)
            .min_by(|a, b| a.1.total_cmp(&b.1));
        let Some((enter, _)) = worst else { return Some(mu) };
        active.push(enter);
        while let Some(trial) = solve(normals, response, rates, &active) {
            // As far towards the trial as no contact pulls.
            let pulls = active.iter().zip(&trial).filter(|(_, t)| **t < 0.0);
            let step = pulls.map(|(&k, t)| (mu[k] / (mu[k] - t), k)).min_by(|a, b| a.0.total_cmp(&b.0));
            match step {
                None => {
                    active.iter().zip(&trial).for_each(|(&k, t)| mu[k] = *t);
                    break;
                }
                Some((part, leave)) => {
                    active.iter().zip(&trial).for_each(|(&k, t)| mu[k] += part * (t - mu[k]));
                    mu[leave] = 0.0;
                    active.retain(|k| *k != leave);
                }
            }
        }
        if solve(normals, response, rates, &active).is_none() && !active.is_empty() {
            // The newcomer depends on the others: they already decide.
            active.pop();
        }
    }
    None
}

/// The impulses of a set of contacts that bring all their rates to zero.
fn solve(normals: &[Vec<f64>], response: &[Vec<f64>], rates: &[f64], active: &[usize]) -> Option<Vec<f64>> {
    let m = active.len();
    let mut lu = Lu::new(m);
    for (a, &i) in active.iter().enumerate() {
        for (b, &j) in active.iter().enumerate() {
            lu.matrix()[a * m + b] = dot(&normals[i], &response[j]);
        }
    }
    let mut mu: Vec<f64> = active.iter().map(|&k| -rates[k]).collect();
    if m == 0 || !lu.factor() {
        return None;
    }
    lu.solve(&mut mu);
    Some(mu)
}
