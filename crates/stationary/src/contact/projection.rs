//! The closest-point projection onto the cone of normals [FET03 (5.17), (5.21)]: the impulse that stops the approach of several contacts.
//!
//! The velocity nearest to `v`, in the metric of the mass matrix, with which no gap closes is `v + M^-1 sum_k mu_k n_k` with
//!
//! ```text
//! mu_k >= 0,     w_k = r_k + sum_j W_kj mu_j >= 0,     mu_k w_k = 0,     W_kj = n_k . M^-1 n_j
//! ```
//!
//! for the rates `r_k = n_k . v + phi_t` of the gaps: a linear complementarity problem with the Delassus operator `W`, or nonnegative
//! least squares. Two methods solve it. [`Approach::project`] visits sets of active contacts and is exact; normals may depend on each
//! other, and contacts that leave no admissible velocity are named. [`Approach::project_by_sweeps`] is projected Gauss-Seidel
//! iteration, for the two to four features of one pair of polygons: it never fails, and its last digits are those that the shipped runs of
//! polygons have, which a direct solution would change.

use crate::linalg::Lu;

/// What is left of a normal, relative to itself, without its part in the span of the others, if it depends on them.
const DEPENDENT: f64 = 1e-11;
/// Rates below this, relative to the largest one, count as zero.
const ZERO: f64 = 1e-13;

/// Sweeps of the iteration before its last result is taken.
const SWEEPS: usize = 500;
/// The iteration ends where no impulse moves by more than this part of their sum.
const SETTLED: f64 = 1e-15;

/// Contacts that approach at the same time.
#[derive(Debug, Clone, Copy)]
pub struct Approach<'a> {
    /// `W` by rows: how an impulse along the normal of one contact changes the rate of another.
    pub operator: &'a [f64],
    /// The rates of the gaps, negative where they close.
    pub rates: &'a [f64],
}

impl Approach<'_> {
    /// The impulses `mu`. If no velocity is admissible, because normals oppose each other while their gaps close, the numbers of these
    /// contacts.
    ///
    /// Contacts join where a gap still closes, the fastest first, and leave where they would pull, as in the method of Lawson and
    /// Hanson; each set of contacts is visited at most once, because the distance grows from one to the next.
    pub fn project(&self) -> Result<Vec<f64>, Vec<usize>> {
        active_sets(self.operator, self.rates)
    }

    /// The impulses `mu` by sweeps over the contacts, each of which sets its own impulse so that its gap does not close.
    pub fn project_by_sweeps(&self) -> Vec<f64> {
        let n = self.rates.len();
        let mut impulses = vec![0.0; n];
        for _ in 0..SWEEPS {
            let mut moved = 0.0_f64;
            for i in 0..n {
                let by_others: f64 = (0..n).map(|j| self.operator[i * n + j] * impulses[j]).sum();
                let rate = self.rates[i] + by_others;
                let impulse = (impulses[i] - rate / self.operator[i * n + i]).max(0.0);
                moved = moved.max((impulse - impulses[i]).abs());
                impulses[i] = impulse;
            }
            if moved <= SETTLED * impulses.iter().sum::<f64>() {
                break;
            }
        }
        impulses
    }
}

fn active_sets(a: &[f64], rates: &[f64]) -> Result<Vec<f64>, Vec<usize>> {
    let m = rates.len();
    // In units in which every normal has length one.
    let unit: Vec<f64> = (0..m).map(|k| a[k * m + k].sqrt().recip()).collect();
    let gram = |i: usize, j: usize| unit[i] * unit[j] * a[i * m + j];
    let r: Vec<f64> = (0..m).map(|k| unit[k] * rates[k]).collect();
    let floor = -ZERO * r.iter().fold(0.0_f64, |s, r| s.max(r.abs()));
    let mut active: Vec<usize> = Vec::new();
    let mut mu = vec![0.0; m];
    for _ in 0..50 * m + 50 {
        let left = |k: usize| r[k] + (0..m).map(|j| gram(k, j) * mu[j]).sum::<f64>();
        let closing = (0..m).filter(|k| !active.contains(k)).map(|k| (k, left(k)));
        let Some((enter, _)) = closing.filter(|(_, w)| *w < floor).min_by(|x, y| x.1.total_cmp(&y.1)) else {
            return Ok((0..m).map(|k| unit[k] * mu[k]).collect());
        };
        // The newcomer as a combination of the others: if nothing else is left of it, impulses may be moved along that
        // combination without any effect but on the rates that walls give by moving.
        let mut along: Vec<f64> = active.iter().map(|&k| -gram(k, enter)).collect();
        solve(&gram, &active, &mut along);
        let rest = 1.0 + active.iter().zip(&along).map(|(&k, y)| gram(enter, k) * y).sum::<f64>();
        if rest <= DEPENDENT {
            let bound = active.iter().zip(&along).filter(|(_, y)| **y < -DEPENDENT);
            let Some((step, leave)) = bound.map(|(&k, y)| (-mu[k] / y, k)).min_by(|x, y| x.0.total_cmp(&y.0))
            else {
                active.push(enter);
                return Err(active);
            };
            active.iter().zip(&along).for_each(|(&k, y)| mu[k] += step * y);
            mu[enter] += step;
            mu[leave] = 0.0;
            active.retain(|k| *k != leave);
        }
        active.push(enter);
        loop {
            let mut trial: Vec<f64> = active.iter().map(|&k| -r[k]).collect();
            solve(&gram, &active, &mut trial);
            // As far towards the trial as no contact pulls.
            let pulls = active.iter().zip(&trial).filter(|(_, t)| !(**t >= 0.0));
            let step = pulls.map(|(&k, t)| (mu[k] / (mu[k] - t), k)).min_by(|x, y| x.0.total_cmp(&y.0));
            let Some((part, leave)) = step else {
                active.iter().zip(&trial).for_each(|(&k, t)| mu[k] = *t);
                break;
            };
            active.iter().zip(&trial).for_each(|(&k, t)| mu[k] += part * (t - mu[k]));
            mu[leave] = 0.0;
            active.retain(|k| *k != leave);
        }
    }
    Err(active)
}

/// Solves the equations of a set of independent contacts.
fn solve(gram: &impl Fn(usize, usize) -> f64, active: &[usize], b: &mut [f64]) {
    let m = active.len();
    let mut lu = Lu::new(m);
    for (x, &i) in active.iter().enumerate() {
        for (y, &j) in active.iter().enumerate() {
            lu.matrix()[x * m + y] = gram(i, j);
        }
    }
    if lu.factor() {
        lu.solve(b);
    } else {
        b.fill(f64::NAN);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linalg::dot;

    /// The largest violation of the three conditions.
    fn violation(approach: &Approach<'_>, mu: &[f64]) -> f64 {
        let m = mu.len();
        let row = |k: usize| dot(&approach.operator[k * m..(k + 1) * m], mu);
        let of = |k: usize| {
            let rate = approach.rates[k] + row(k);
            (-mu[k]).max(-rate).max((mu[k] * rate).abs())
        };
        (0..m).map(of).fold(0.0, f64::max)
    }

    /// Normals in the plane or in space, also with many more contacts than coordinates.
    #[test]
    fn the_projection_onto_the_cone_of_normals_obeys_its_conditions() {
        let mut seed = 7_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        for (m, n) in [(1, 2), (2, 2), (5, 2), (12, 3), (40, 3), (40, 12), (7, 9)] {
            for _ in 0..200 {
                // All normals lie on one side, so that there is an admissible velocity.
                let normals: Vec<Vec<f64>> = (0..m)
                    .map(|_| (0..n).map(|i| if i == 0 { 0.3 + random().abs() } else { random() }).collect())
                    .collect();
                let operator: Vec<f64> = (0..m * m).map(|k| dot(&normals[k / m], &normals[k % m])).collect();
                let v: Vec<f64> = (0..n).map(|i| if i == 0 { -1.0 } else { random() }).collect();
                let rates: Vec<f64> = normals.iter().map(|x| dot(x, &v)).collect();
                let approach = Approach { operator: &operator, rates: &rates };
                let mu = approach.project().unwrap();
                assert!(violation(&approach, &mu) < 1e-9, "{m} contacts in {n} coordinates: {mu:?}");
                let broken: Vec<f64> = mu.iter().map(|x| 1.001 * x).collect();
                assert!(violation(&approach, &broken) > 1e-9, "an impulse that is too large passes");
            }
        }
    }

    #[test]
    fn both_methods_of_projection_agree_on_independent_normals() {
        let operator = [2.0, 0.5, 0.5, 1.5];
        for rates in [[-1.0, -0.8], [-1.0, 0.1], [0.3, -2.0], [-1.0, -0.1]] {
            let approach = Approach { operator: &operator, rates: &rates };
            let exact = approach.project().unwrap();
            let swept = approach.project_by_sweeps();
            let distance = exact.iter().zip(&swept).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(distance < 1e-14, "{rates:?}: {exact:?} {swept:?}");
        }
    }

    #[test]
    fn walls_that_close_on_each_other_are_named() {
        let operator = [1.0, 0.0, -1.0, 0.0, 1.0, 0.0, -1.0, 0.0, 1.0];
        let project = |rates: &[f64]| Approach { operator: &operator, rates }.project();
        let mut opposed = project(&[-1.0, 0.5, -1.0]).unwrap_err();
        opposed.sort_unstable();
        assert_eq!(opposed, [0, 2]);
        assert_eq!(project(&[-1.0, 0.5, 1.0]).unwrap(), [1.0, 0.0, 0.0], "they move together with it");
    }
}
