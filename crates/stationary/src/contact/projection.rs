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

/// The state of the method of active sets. Normals are in units in which each has length one.
struct ActiveSets<'a> {
    operator: &'a [f64],
    unit: Vec<f64>,
    rates: Vec<f64>,
    /// The contacts whose gaps are held at rate zero; their normals are independent.
    active: Vec<usize>,
    /// The impulses of all contacts.
    mu: Vec<f64>,
}

fn active_sets(operator: &[f64], rates: &[f64]) -> Result<Vec<f64>, Vec<usize>> {
    let m = rates.len();
    let mut sets = ActiveSets::new(operator, rates);
    let floor = -ZERO * sets.rates.iter().fold(0.0_f64, |s, r| s.max(r.abs()));
    for _ in 0..50 * m + 50 {
        let closing = (0..m).filter(|k| !sets.active.contains(k)).map(|k| (k, sets.rate(k)));
        let Some((enter, _)) = closing.filter(|(_, w)| *w < floor).min_by(|x, y| x.1.total_cmp(&y.1)) else {
            return Ok((0..m).map(|k| sets.unit[k] * sets.mu[k]).collect());
        };
        let along = sets.combination(enter);
        let spanned: f64 = sets.active.iter().zip(&along).map(|(&k, y)| sets.gram(enter, k) * y).sum();
        if 1.0 + spanned <= DEPENDENT && !sets.exchange(enter, &along) {
            sets.active.push(enter);
            return Err(sets.active);
        }
        sets.active.push(enter);
        loop {
            let mut trial: Vec<f64> = sets.active.iter().map(|&k| -sets.rates[k]).collect();
            sets.solve(&mut trial);
            if sets.advance(&trial) {
                break;
            }
        }
    }
    Err(sets.active)
}

impl<'a> ActiveSets<'a> {
    fn new(operator: &'a [f64], rates: &[f64]) -> Self {
        let m = rates.len();
        let unit: Vec<f64> = (0..m).map(|k| operator[k * m + k].sqrt().recip()).collect();
        let rates = (0..m).map(|k| unit[k] * rates[k]).collect();
        ActiveSets { operator, unit, rates, active: Vec::new(), mu: vec![0.0; m] }
    }

    /// The scalar product of two normals.
    fn gram(&self, i: usize, j: usize) -> f64 {
        self.unit[i] * self.unit[j] * self.operator[i * self.mu.len() + j]
    }

    /// The rate of a gap after the impulses.
    fn rate(&self, k: usize) -> f64 {
        self.rates[k] + (0..self.mu.len()).map(|j| self.gram(k, j) * self.mu[j]).sum::<f64>()
    }

    /// The factors `y_k` of the active normals for which `n_enter + sum_k y_k n_k` is shortest.
    fn combination(&self, enter: usize) -> Vec<f64> {
        let mut along: Vec<f64> = self.active.iter().map(|&k| -self.gram(k, enter)).collect();
        self.solve(&mut along);
        along
    }

    /// A contact enters whose normal is `-sum_k y_k n_k` of the active ones: impulses moved along that combination change no velocity.
    /// They are moved until an active contact has none left, and that contact leaves. Returns false if no impulse decreases: then the
    /// normals oppose each other.
    fn exchange(&mut self, enter: usize, along: &[f64]) -> bool {
        let bound = self.active.iter().zip(along).filter(|(_, y)| **y < -DEPENDENT);
        let bound = bound.map(|(&k, y)| (-self.mu[k] / y, k)).min_by(|x, y| x.0.total_cmp(&y.0));
        let Some((step, leave)) = bound else {
            return false;
        };
        self.active.iter().zip(along).for_each(|(&k, y)| self.mu[k] += step * y);
        self.mu[enter] += step;
        self.mu[leave] = 0.0;
        self.active.retain(|k| *k != leave);
        true
    }

    /// Moves the impulses of the active contacts towards others, as far as no contact pulls. A contact that would pull leaves; returns
    /// whether there was none.
    fn advance(&mut self, trial: &[f64]) -> bool {
        let pulls = self.active.iter().zip(trial).filter(|(_, t)| !(**t >= 0.0));
        let step = pulls.map(|(&k, t)| (self.mu[k] / (self.mu[k] - t), k)).min_by(|x, y| x.0.total_cmp(&y.0));
        let Some((part, leave)) = step else {
            self.active.iter().zip(trial).for_each(|(&k, t)| self.mu[k] = *t);
            return true;
        };
        self.active.iter().zip(trial).for_each(|(&k, t)| self.mu[k] += part * (t - self.mu[k]));
        self.mu[leave] = 0.0;
        self.active.retain(|k| *k != leave);
        false
    }

    /// Solves the equations of the active contacts.
    fn solve(&self, b: &mut [f64]) {
        let m = self.active.len();
        let mut lu = Lu::new(m);
        for (x, &i) in self.active.iter().enumerate() {
            for (y, &j) in self.active.iter().enumerate() {
                lu.matrix()[x * m + y] = self.gram(i, j);
            }
        }
        if lu.factor() {
            lu.solve(b);
        } else {
            b.fill(f64::NAN);
        }
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

    /// A normal that the active ones span enters, and another one leaves: no velocity changes, every impulse stays nonnegative, and the
    /// contact that leaves has none.
    #[test]
    fn exchanging_dependent_contacts_changes_no_velocity() {
        // In the plane at 20, 160 and 75 degrees, in units of length 2, 3 and 0.5.
        let normal = |degrees: f64, length: f64| {
            [length * degrees.to_radians().cos(), length * degrees.to_radians().sin()]
        };
        let normals = [normal(20.0, 2.0), normal(160.0, 3.0), normal(75.0, 0.5)];
        let operator: Vec<f64> = (0..9).map(|k| dot(&normals[k / 3], &normals[k % 3])).collect();
        let mut sets = ActiveSets::new(&operator, &[-1.0; 3]);
        sets.active = vec![0, 1];
        sets.mu = vec![0.7, 0.4, 0.0];
        let before: Vec<f64> = (0..3).map(|k| sets.rate(k)).collect();
        let along = sets.combination(2);
        assert!(sets.exchange(2, &along));
        let after: Vec<f64> = (0..3).map(|k| sets.rate(k)).collect();
        let change = before.iter().zip(&after).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!(change < 1e-15, "{before:?} {after:?}");
        assert_eq!(sets.active.len(), 1, "one contact leaves");
        let left = 1 - sets.active[0];
        assert_eq!(sets.mu[left], 0.0);
        assert!(sets.mu.iter().all(|x| *x >= 0.0) && sets.mu[2] > 0.1, "{:?}", sets.mu);
    }

    /// Where a contact would pull, the impulses stop on the straight line to the trial, at the first one to vanish.
    #[test]
    fn impulses_stop_on_the_line_to_the_trial_where_the_first_vanishes() {
        let operator = [1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
        let mut sets = ActiveSets::new(&operator, &[-1.0; 3]);
        sets.active = vec![0, 1, 2];
        sets.mu = vec![1.0, 2.0, 3.0];
        // The first vanishes after a half of the way, the second after two thirds.
        assert!(!sets.advance(&[-1.0, -1.0, 7.0]));
        assert_eq!(sets.mu, [0.0, 0.5, 5.0]);
        assert_eq!(sets.active, [1, 2]);
        assert!(sets.advance(&[0.25, 4.0]), "no contact pulls");
        assert_eq!(sets.mu, [0.0, 0.25, 4.0]);
    }

    /// Gauss-Seidel iteration solves the equation of each contact exactly: contacts that do not influence each other are solved by one
    /// sweep, to the bit.
    #[test]
    fn sweeps_solve_the_equation_of_each_contact_exactly() {
        let approach = Approach { operator: &[3.0, 0.0, 0.0, 7.0], rates: &[-1.0, -2.0] };
        assert_eq!(approach.project_by_sweeps(), [1.0 / 3.0, 2.0 / 7.0]);
        let rates = [-0.25, -0.1, 0.3];
        let alone: Vec<f64> = rates
            .iter()
            .flat_map(|r| Approach { operator: &[0.9], rates: &[*r] }.project_by_sweeps())
            .collect();
        assert_eq!(alone, [0.25 / 0.9, 0.1 / 0.9, 0.0]);
    }
}
