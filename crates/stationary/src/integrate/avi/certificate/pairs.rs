//! The proof for pairs of levels: whether `[[2 - h^2 K_s, 1], [1, 1 - h^2 K_f / 4]]` is positive definite, where `h` is the step of the
//! faster level `f` and `2 h` that of the slower level `s`.
//!
//! Where the body uses the part `u` of its limit, `h^2 K_s + h^2 K_f / 4 <= u^2` as quadratic forms. With `d = a + b` the form of the matrix is
//! `|d|^2 + |a|^2 - h^2 a.K_s a - h^2 (d - a).K_f (d - a) / 4 >= (1 - 2 u^2) (|d|^2 + |a|^2)`, since `(d - a).K_f (d - a) <= 2 d.K_f d + 2 a.K_f a`, and
//! `|d|^2 + |a|^2` is at least `(3 - sqrt(5))/2` times `|a|^2 + |b|^2`. For `u < 1/sqrt(2)` this proves all pairs at once.
//!
//! Otherwise its smallest eigenvalue is two less the largest one of `[[h^2 K_s, -1], [-1, 1 + h^2 K_f / 4]]`, which Lanczos' iteration finds.

use super::LevelPair;
use super::levels::LinearLevels;
use crate::interrupt;
use crate::model::solid::largest_of_tridiagonal;
use crate::model::{PotentialFault, Potentials};

/// Iterations between looks at the eigenvalue, and most of them.
const LOOK: usize = 4;
const MOST: usize = 120;

/// The eigenvalue is known well enough when so many more iterations gain no more than this.
const ENOUGH: f64 = 2e-4;

/// By what the part of the body's limit may be larger than it was found.
const UNSURE: f64 = 2e-3;

/// A lower bound of the eigenvalue of every pair where the body uses this part of its limit; `None` where that proves nothing.
fn margin_within(used: f64) -> Option<f64> {
    let rest = 1.0 - 2.0 * (used * (1.0 + UNSURE)).powi(2);
    (rest > 0.0).then(|| 0.5 * (3.0 - 5.0_f64.sqrt()) * rest)
}

/// Examines all pairs of levels that share nodes. `used` is the part of the body's limit that the scaled steps use, if it is known.
pub(super) fn examine<P: Potentials>(
    levels: &mut LinearLevels<'_, P>,
    scale: f64,
    used: Option<f64>,
) -> Result<Vec<LevelPair>, PotentialFault> {
    let mut pairs = Vec::new();
    for fast in 0..levels.count() {
        for slow in fast + 1..levels.count() {
            if !share_a_node(&levels.level(fast).nodes, &levels.level(slow).nodes) {
                continue;
            }
            let margin = match used.and_then(margin_within) {
                _ if slow > fast + 1 => f64::NAN,
                Some(bound) => bound,
                None => margin(levels, fast, scale)?,
            };
            pairs.push(LevelPair { fast, slow, margin });
        }
    }
    Ok(pairs)
}

/// Whether two ascending lists have a number in common.
fn share_a_node(one: &[u32], other: &[u32]) -> bool {
    let (few, many) = if one.len() < other.len() { (one, other) } else { (other, one) };
    few.iter().any(|a| many.binary_search(a).is_ok())
}

/// The smallest eigenvalue of the matrix of a level and the next slower one, from below as far as is known.
fn margin<P: Potentials>(
    levels: &mut LinearLevels<'_, P>,
    fast: usize,
    scale: f64,
) -> Result<f64, PotentialFault> {
    let mut pair = Pair::new(levels, fast, scale);
    let n = 2 * pair.components.len();
    let mut now = scattered(n);
    let mut before = vec![0.0; n];
    let mut next = vec![0.0; n];
    let mut diagonal = Vec::new();
    let mut off: Vec<f64> = Vec::new();
    let mut beta = 0.0;
    let mut last = f64::NEG_INFINITY;
    for round in 1..=MOST {
        if interrupt::requested() {
            break;
        }
        pair.apply(&now, &mut next)?;
        let alpha = dot(&next, &now);
        for i in 0..n {
            next[i] -= alpha * now[i] + beta * before[i];
        }
        diagonal.push(alpha);
        beta = dot(&next, &next).sqrt();
        let exhausted = !(beta > 1e-6);
        if round % LOOK == 0 || exhausted {
            let value = largest_of_tridiagonal(&diagonal, &off);
            let gained = value - last;
            last = value;
            if exhausted {
                return Ok(2.0 - value);
            }
            // A NaN ends it, too, and proves nothing.
            if !(gained > ENOUGH) || value >= 2.0 {
                return Ok(2.0 - value - 2.0 * gained.clamp(0.0, ENOUGH));
            }
        }
        off.push(beta);
        next.iter_mut().for_each(|y| *y /= beta);
        std::mem::swap(&mut before, &mut now);
        std::mem::swap(&mut now, &mut next);
    }
    // Not known well enough to be a proof.
    Ok((2.0 - last).min(0.0))
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// Numbers between -1/2 and 1/2, always the same.
pub(super) fn random_numbers() -> impl FnMut() -> f64 {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    move || {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }
}

/// A vector of length one with something of every vibration, always the same.
fn scattered(n: usize) -> Vec<f64> {
    let mut random = random_numbers();
    let mut x: Vec<f64> = (0..n).map(|_| random()).collect();
    let length = dot(&x, &x).sqrt();
    x.iter_mut().for_each(|x| *x /= length);
    x
}

/// The matrix of a pair of levels, applied by differences of forces.
struct Pair<'l, 'a, P> {
    levels: &'l mut LinearLevels<'a, P>,
    fast: usize,
    /// The components of the nodes of both levels that are not prescribed.
    components: Vec<u32>,
    /// The square of the step of the faster level.
    square: f64,
    u: Vec<f64>,
    v: Vec<f64>,
}

impl<'l, 'a, P: Potentials> Pair<'l, 'a, P> {
    fn new(levels: &'l mut LinearLevels<'a, P>, fast: usize, scale: f64) -> Self {
        let mut nodes = levels.level(fast).nodes.clone();
        nodes.extend(&levels.level(fast + 1).nodes);
        nodes.sort_unstable();
        nodes.dedup();
        let free = |i: &u32| levels.inverse_mass()[*i as usize] > 0.0;
        let components = nodes.iter().flat_map(|a| 3 * a..3 * a + 3).filter(free).collect();
        let square = (scale * levels.level(fast).step).powi(2);
        let u = vec![0.0; levels.components()];
        let v = u.clone();
        Pair { levels, fast, components, square, u, v }
    }

    /// `out = [[h^2 K_s, -1], [-1, 1 + h^2 K_f / 4]] y`.
    fn apply(&mut self, y: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        let (slow, fast) = y.split_at(self.components.len());
        let (out_slow, out_fast) = out.split_at_mut(slow.len());
        self.stiffness(self.fast + 1, self.square, slow, out_slow)?;
        self.stiffness(self.fast, 0.25 * self.square, fast, out_fast)?;
        for i in 0..slow.len() {
            out_slow[i] -= fast[i];
            out_fast[i] += fast[i] - slow[i];
        }
        Ok(())
    }

    /// `out = factor M^-1/2 K_l M^-1/2 y`.
    fn stiffness(&mut self, l: usize, factor: f64, y: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        let root = |i: &u32| self.levels.inverse_mass()[*i as usize].sqrt();
        let largest = self.components.iter().zip(y).map(|(i, y)| (root(i) * y).abs()).fold(0.0, f64::max);
        if largest == 0.0 {
            out.fill(0.0);
            return Ok(());
        }
        let reach = self.levels.near() / largest;
        for (i, y) in self.components.iter().zip(y) {
            self.u[*i as usize] = reach * root(i) * y;
            self.v[*i as usize] = 0.0;
        }
        self.levels.displace(l, &self.u);
        self.levels.kick(l, factor, &mut self.v)?;
        for (i, out) in self.components.iter().zip(out) {
            *out = -self.v[*i as usize] / (self.levels.inverse_mass()[*i as usize].sqrt() * reach);
        }
        Ok(())
    }
}
