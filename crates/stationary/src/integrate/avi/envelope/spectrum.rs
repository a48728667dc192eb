//! The largest eigenvalue of `M^-1 K` on the shared nodes of a level, by Lanczos' iteration with differences of forces.

use crate::model::Potentials;
use crate::model::solid::largest_of_tridiagonal;

/// Number of iterations: the eigenvalue is then known to a few per cent.
const ROUNDS: usize = 12;

/// Displacements are this part of the smallest distance between nodes of an element.
const NEAR: f64 = 1e-6;

/// The elements of a level that have shared nodes, and these nodes.
pub(in super::super) struct Patch<'a, P> {
    pub potentials: &'a P,
    /// The time at which the potentials are evaluated.
    pub t: f64,
    pub x: &'a [f64],
    /// One over the mass of each component; zero where it is prescribed.
    pub inverse_mass: &'a [f64],
    pub nodes: &'a [u32],
    pub elements: Vec<u32>,
}

/// NaN if an element cannot be evaluated.
pub(in super::super) fn largest_eigenvalue<P: Potentials>(patch: &Patch<'_, P>) -> f64 {
    let mut stiffness = Stiffness::new(patch);
    let n = stiffness.components.len();
    let mut now = without_pattern(patch, &stiffness.components);
    let length = norm(&now);
    now.iter_mut().for_each(|x| *x /= length);
    let mut before = vec![0.0; n];
    let mut diagonal = Vec::new();
    let mut off: Vec<f64> = Vec::new();
    let mut beta = 0.0;
    for _ in 0..ROUNDS.min(n) {
        let Some(mut next) = stiffness.apply(&now) else { return f64::NAN };
        let alpha: f64 = next.iter().zip(&now).map(|(a, b)| a * b).sum();
        for i in 0..n {
            next[i] -= alpha * now[i] + beta * before[i];
        }
        diagonal.push(alpha);
        beta = norm(&next);
        if !(beta > 1e-6 * alpha.abs()) {
            break;
        }
        off.push(beta);
        next.iter_mut().for_each(|x| *x /= beta);
        before = std::mem::replace(&mut now, next);
    }
    off.truncate(diagonal.len().saturating_sub(1));
    if diagonal.is_empty() { 0.0 } else { largest_of_tridiagonal(&diagonal, &off).max(0.0) }
}

/// Numbers without a pattern, which follow from the places of the nodes within the patch: their order changes nothing.
fn without_pattern<P>(patch: &Patch<'_, P>, components: &[usize]) -> Vec<f64> {
    let places = || patch.nodes.iter().map(|a| &patch.x[3 * *a as usize..3 * *a as usize + 3]);
    let least: [f64; 3] = std::array::from_fn(|i| places().map(|x| x[i]).fold(f64::INFINITY, f64::min));
    let size = places().flat_map(|x| (0..3).map(|i| x[i] - least[i])).fold(0.0, f64::max);
    let of_size = |at: usize| if size > 0.0 { (patch.x[at] - least[at % 3]) / size } else { 0.0 };
    let one = |at: &usize| {
        let first = at - at % 3;
        let place = [127.1, 311.7, 74.7].iter().zip(first..).map(|(f, i)| f * of_size(i)).sum::<f64>();
        (1.0 + place + 2.4 * (at % 3) as f64).sin() + 0.1
    };
    components.iter().map(one).collect()
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// `M^-1/2 K M^-1/2` on the free components of the shared nodes.
pub(super) struct Stiffness<'a, P> {
    patch: &'a Patch<'a, P>,
    /// The free components of the shared nodes.
    pub components: Vec<usize>,
    /// The nodes of the elements, ascending.
    pub nodes: Vec<u32>,
    /// Positions, displaced.
    pub x: Vec<f64>,
    near: f64,
    /// Gradients without displacement.
    rest: Option<Vec<f64>>,
    gradient: Vec<f64>,
}

impl<'a, P: Potentials> Stiffness<'a, P> {
    pub fn new(patch: &'a Patch<'a, P>) -> Self {
        let components = patch.nodes.iter().flat_map(|a| 3 * *a as usize..3 * *a as usize + 3);
        let components = components.filter(|i| patch.inverse_mass[*i] > 0.0).collect();
        let mut least = f64::INFINITY;
        for k in &patch.elements {
            let nodes = patch.potentials.nodes(*k as usize);
            for (n, a) in nodes.iter().enumerate() {
                for b in &nodes[..n] {
                    let difference = |i: usize| patch.x[3 * *a as usize + i] - patch.x[3 * *b as usize + i];
                    let square = (0..3).map(|i| difference(i).powi(2)).sum::<f64>();
                    if square > 0.0 && square < least {
                        least = square;
                    }
                }
            }
        }
        let near = NEAR * if least.is_finite() { least.sqrt() } else { 1.0 };
        let x = patch.x.to_vec();
        let gradient = vec![0.0; x.len()];
        let mut nodes: Vec<u32> =
            patch.elements.iter().flat_map(|k| patch.potentials.nodes(*k as usize)).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let mut all = Stiffness { patch, components, nodes, x, near, rest: None, gradient };
        if all.evaluate().is_some() {
            all.rest = Some(all.components.iter().map(|i| all.gradient[*i]).collect());
        }
        all
    }

    /// The gradient of the elements at the boundary, in `gradient`.
    fn evaluate(&mut self) -> Option<()> {
        let mut own = Vec::new();
        self.nodes.iter().for_each(|a| self.gradient[3 * *a as usize..][..3].fill(0.0));
        for k in &self.patch.elements {
            let nodes = self.patch.potentials.nodes(*k as usize);
            own.resize(3 * nodes.len(), 0.0);
            self.patch.potentials.gradient(*k as usize, self.patch.t, &self.x, &mut own).ok()?;
            for (a, own) in nodes.iter().zip(own.chunks_exact(3)) {
                (0..3).for_each(|i| self.gradient[3 * *a as usize + i] += own[i]);
            }
        }
        Some(())
    }

    fn apply(&mut self, z: &[f64]) -> Option<Vec<f64>> {
        let root: Vec<f64> = self.components.iter().map(|i| self.patch.inverse_mass[*i].sqrt()).collect();
        let largest = root.iter().zip(z).map(|(r, z)| (r * z).abs()).fold(0.0, f64::max);
        let size = self.near / largest;
        for ((i, root), z) in self.components.iter().zip(&root).zip(z) {
            self.x[*i] = self.patch.x[*i] + size * root * z;
        }
        let change = self.change()?;
        Some(change.iter().zip(&root).map(|(change, root)| root * change / size).collect())
    }

    /// The gradient at the displaced positions less that without displacement, of the free components of the shared nodes.
    pub fn change(&mut self) -> Option<Vec<f64>> {
        self.evaluate()?;
        let rest = self.rest.as_ref()?;
        Some(self.components.iter().zip(rest).map(|(i, rest)| self.gradient[*i] - rest).collect())
    }
}
