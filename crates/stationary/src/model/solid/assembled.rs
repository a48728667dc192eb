//! The part of its stability limit that an assembled solid uses with given time steps of its elements.

use super::body::Solid;
use super::elements::ElementFault;
use super::spectrum::largest_of_tridiagonal;
use crate::interrupt;

/// Iterations between looks at the eigenvalue, and most of them.
const LOOK: usize = 4;
const MOST: usize = 48;

/// The eigenvalue is known well enough when so many more iterations gain no more than this part of it.
const ENOUGH: f64 = 2e-3;

/// Differences of forces are taken over this part of the smallest inscribed radius.
const NEAR: f64 = 1e-5;

impl Solid {
    /// The part of its limit that the body uses if its elements take these steps, linearised at `x`: the root of the largest
    /// eigenvalue of `sum_K (dt_K/2)^2 K_K` against the masses. With one step for all that is `dt omega_max / 2`.
    ///
    /// Steps of [`steps_eigen`](Self::steps_eigen) use no more than their fraction (Irons and Treharne), mostly less: neighbours do
    /// not all vibrate together. For harmonic steps whose neighbours differ by two at most, between two lengths, nothing
    /// grows while this is below `1/sqrt(2)`.
    ///
    /// Found by Lanczos' iteration, from below; twice what its last four rounds gained is added.
    pub fn used_limit(&self, x: &[f64], steps: &[f64]) -> Result<f64, ElementFault> {
        self.used_limit_of_free(x, steps, |_| false)
    }

    /// The same for a body some of whose components, `3 node + direction`, are prescribed, which can only lower its frequencies.
    pub fn used_limit_of_free(
        &self,
        x: &[f64],
        steps: &[f64],
        fixed: impl Fn(usize) -> bool,
    ) -> Result<f64, ElementFault> {
        let operator = Operator::new(self, x, steps, &fixed)?;
        let n = x.len();
        let mut now = scattered(n, &fixed);
        let (mut before, mut next) = (vec![0.0; n], vec![0.0; n]);
        let (mut diagonal, mut off) = (Vec::new(), Vec::new());
        let (mut beta, mut last) = (0.0, 0.0);
        for round in 1..=MOST {
            if interrupt::requested() {
                break;
            }
            operator.apply(&now, &mut next)?;
            let alpha = product(&next, &now);
            for ((next, now), before) in next.iter_mut().zip(&now).zip(&before) {
                *next -= alpha * now + beta * before;
            }
            diagonal.push(alpha);
            beta = norm(&next);
            let exhausted = !(beta > 1e-6 * alpha.abs());
            if round % LOOK == 0 || exhausted {
                let value = largest_of_tridiagonal(&diagonal, &off);
                let gained = (value - last).max(0.0);
                // NaN ends it, too.
                if exhausted || !(gained > ENOUGH * value) {
                    last = value + if exhausted { 0.0 } else { 2.0 * gained };
                    break;
                }
                last = value;
            }
            off.push(beta);
            let inverse = 1.0 / beta;
            next.iter_mut().for_each(|y| *y *= inverse);
            std::mem::swap(&mut before, &mut now);
            std::mem::swap(&mut now, &mut next);
        }
        Ok(last.max(0.0).sqrt())
    }
}

/// Sums of products are made in so many parts, which do not wait for each other.
const PARTS: usize = 16;

fn product(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<PARTS>();
    let (b, b_rest) = b.as_chunks::<PARTS>();
    let mut sums = [0.0; PARTS];
    for (a, b) in a.iter().zip(b) {
        (0..PARTS).for_each(|i| sums[i] += a[i] * b[i]);
    }
    sums.iter().sum::<f64>() + a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum::<f64>()
}

fn norm(x: &[f64]) -> f64 {
    product(x, x).sqrt()
}

/// The largest magnitude of the products of two lists.
fn largest_product(a: &[f64], b: &[f64]) -> f64 {
    let (a, a_rest) = a.as_chunks::<PARTS>();
    let (b, b_rest) = b.as_chunks::<PARTS>();
    let larger = |x: f64, y: f64| if y.abs() > x { y.abs() } else { x };
    let mut most = [0.0; PARTS];
    for (a, b) in a.iter().zip(b) {
        (0..PARTS).for_each(|i| most[i] = larger(most[i], a[i] * b[i]));
    }
    let rest = a_rest.iter().zip(b_rest).map(|(a, b)| a * b);
    most.into_iter().chain(rest).fold(0.0, larger)
}

/// A vector of length one with something of every vibration, always the same; without prescribed components.
fn scattered(n: usize, fixed: &impl Fn(usize) -> bool) -> Vec<f64> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut x: Vec<f64> = (0..n)
        .map(|_| {
            // Marsaglia's xorshift.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        })
        .collect();
    (0..n).filter(|i| fixed(*i)).for_each(|i| x[i] = 0.0);
    let length = norm(&x);
    if length > 0.0 {
        x.iter_mut().for_each(|x| *x /= length);
    }
    x
}

/// `M^-1/2 sum_K (dt_K/2)^2 K_K M^-1/2` by differences of the elements' forces: no matrix is stored, any law serves.
struct Operator<'a> {
    solid: &'a Solid,
    x: &'a [f64],
    /// `(dt_K/2)^2`; with the stiffness damping `beta_K` the square is `dt_K (dt_K + 2 beta_K)` ([`damped_limit`](super::damped_limit)).
    weights: Vec<f64>,
    /// One over the root of the mass of each component; zero where it is prescribed.
    root: Vec<f64>,
    /// What the forces, so weighted, are at `x`.
    base: Vec<f64>,
    near: f64,
}

impl<'a> Operator<'a> {
    fn new(
        solid: &'a Solid,
        x: &'a [f64],
        steps: &[f64],
        fixed: &impl Fn(usize) -> bool,
    ) -> Result<Self, ElementFault> {
        let radii = solid.blocks().iter().flat_map(|b| (0..b.len()).map(|k| b.inradius(k)));
        let near = NEAR * radii.fold(f64::INFINITY, f64::min);
        let mut root: Vec<f64> = solid.mass().iter().flat_map(|m| [1.0 / m.sqrt(); 3]).collect();
        (0..root.len()).filter(|i| fixed(*i)).for_each(|i| root[i] = 0.0);
        let damping = solid.blocks().iter().flat_map(|b| std::iter::repeat_n(b.stiffness_damping(), b.len()));
        let weights = steps.iter().zip(damping).map(|(h, beta)| 0.25 * h * (h + 2.0 * beta)).collect();
        let mut operator = Operator { solid, x, weights, root, base: Vec::new(), near };
        let mut base = vec![0.0; x.len()];
        operator.forces(x, &mut base)?;
        operator.base = base;
        Ok(operator)
    }

    /// `sum_K (dt_K/2)^2 dV_K/dx`.
    fn forces(&self, x: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        out.fill(0.0);
        self.solid.add_weighted_gradient(&self.weights, 0.0, x, out).map(drop)
    }

    fn apply(&self, y: &[f64], out: &mut [f64]) -> Result<(), ElementFault> {
        let largest = largest_product(&self.root, y);
        if largest == 0.0 {
            out.fill(0.0);
            return Ok(());
        }
        let reach = self.near / largest;
        let moved = |((x, y), root): ((&f64, &f64), &f64)| x + reach * root * y;
        let ahead: Vec<f64> = self.x.iter().zip(y).zip(&self.root).map(moved).collect();
        self.forces(&ahead, out)?;
        let inverse = 1.0 / reach;
        for ((out, base), root) in out.iter_mut().zip(&self.base).zip(&self.root) {
            *out = inverse * root * (*out - base);
        }
        Ok(())
    }
}
