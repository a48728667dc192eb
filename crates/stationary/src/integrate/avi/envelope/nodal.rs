//! The iteration with one evaluation: a factor for each shared node, with which states of uniform strain are at rest.
//!
//! One evaluation at `x` moves a shared node to `y_a = x_a - p_a (lambda/m_a) g_a(x)` with `g = grad V_s`. For small motions this is
//! `K~ = K - K Q K` with the diagonal matrix `Q = p_a lambda/m_a`: a potential, whatever the factors are. In a state of rest `y` the shared
//! nodes swing through `x = y + lambda M^-1 g(y)`, and rest is exact where `p_a g_a(x) = g_a(y)`. The factors solve this in the mean over the six
//! states of uniform strain,
//!
//! ```text
//! p_a = sum_s g_a(y_s) . g_a(x_s) / sum_s |g_a(x_s)|^2.
//! ```
//!
//! They do not depend on the directions of the axes, so that they need not turn with the body. `p_a = 1/(1 + lambda e_a)` defines an eigenvalue `e_a` of the node,
//! from which the factors for other time steps follow.

use super::iteration::LAMBDA;
use super::spectrum::{Patch, Stiffness};
use crate::model::Potentials;

/// The strain of the six states.
const STRAIN: f64 = 1e-6;

/// Where the forces of a node are smaller than this part of those of the largest, uniform strain says nothing about its factor.
const NO_FORCE: f64 = 1e-9;

/// `p_a` for a time step of the slow level and the eigenvalue of the node.
pub(in super::super) fn factor(step: f64, eigenvalue: f64) -> f64 {
    1.0 / (1.0 + LAMBDA * step * step * eigenvalue)
}

/// The eigenvalue of each shared node at a time step of the slow level. Zero for all of them if an element cannot be evaluated, which is reported
/// elsewhere.
pub(in super::super) fn nodal_eigenvalues<P: Potentials>(patch: &Patch<'_, P>, step: f64) -> Vec<f64> {
    let lambda = LAMBDA * step * step;
    let Some(sums) = sums(patch, lambda) else { return vec![0.0; patch.nodes.len()] };
    let largest = sums.iter().map(|[_, square]| *square).fold(0.0, f64::max);
    let [product, square] = sums.iter().fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]]);
    // With `p` in [1/2, 1]: the steps are within the limit of stability.
    let eigenvalue = |[product, square]: [f64; 2]| {
        let inverse = square / product;
        if inverse > 1.0 { (inverse.min(2.0) - 1.0) / lambda } else { 0.0 }
    };
    let common = eigenvalue([product, square]);
    let has_force = |sum: &[f64; 2]| sum[1] > NO_FORCE * NO_FORCE * largest;
    sums.iter().map(|sum| if has_force(sum) { eigenvalue(*sum) } else { common }).collect()
}

/// For each shared node the sums of `g_a(y_s) . g_a(x_s)` and `|g_a(x_s)|^2` over the states of uniform strain.
fn sums<P: Potentials>(patch: &Patch<'_, P>, lambda: f64) -> Option<Vec<[f64; 2]>> {
    let mut stiffness = Stiffness::new(patch);
    let first = *patch.nodes.first()? as usize;
    let origin: [f64; 3] = std::array::from_fn(|i| patch.x[3 * first + i]);
    let mut sums = vec![[0.0; 2]; patch.nodes.len()];
    for [i, j] in [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 0]] {
        for a in stiffness.nodes.iter().map(|a| 3 * *a as usize) {
            stiffness.x[a..a + 3].copy_from_slice(&patch.x[a..a + 3]);
            stiffness.x[a + i] += STRAIN * (patch.x[a + j] - origin[j]);
            if i != j {
                stiffness.x[a + j] += STRAIN * (patch.x[a + i] - origin[i]);
            }
        }
        let at_rest = stiffness.change()?;
        for (c, gradient) in stiffness.components.iter().zip(&at_rest) {
            stiffness.x[*c] += lambda * patch.inverse_mass[*c] * gradient;
        }
        let swung = stiffness.change()?;
        for (c, (at_rest, swung)) in stiffness.components.iter().zip(at_rest.iter().zip(&swung)) {
            let Ok(node) = patch.nodes.binary_search(&((c / 3) as u32)) else { continue };
            sums[node][0] += at_rest * swung;
            sums[node][1] += swung * swung;
        }
    }
    Some(sums)
}
