//! Motions of connected parts as rigid bodies that supports allow and that cost no energy.

use super::ModeKind;
use super::lanczos::{dot, eigen, orthogonalise};
use super::matrix::ScaledStiffness;
use super::spectrum::Pair;
use crate::model::Structure;

/// A combination of motions moves no support if it moves supported components by less than this part of the body's size.
const ALLOWED: f64 = 1e-10;
/// Rounding of `A y`, in parts of what its terms amount to: entries of the stiffness are sums over quadrature points.
pub(super) const ROUNDING: f64 = 1e3 * f64::EPSILON;

/// Orthonormal vectors of such motions, at most so many.
pub(super) fn motions(
    structure: &impl Structure,
    matrix: &ScaledStiffness,
    x: &[f64],
    most: usize,
) -> Vec<Pair> {
    let mut number = vec![usize::MAX; x.len()];
    matrix.components().iter().enumerate().for_each(|(g, i)| number[*i as usize] = g);
    let mut found: Vec<Pair> = Vec::new();
    for nodes in parts(structure) {
        if found.len() >= most {
            break;
        }
        if nodes.iter().any(|a| (0..3).any(|i| number[3 * *a as usize + i] != usize::MAX)) {
            found.extend(of_part(matrix, &number, x, &nodes));
        }
    }
    found.truncate(most);
    found
}

/// The nodes of each connected part.
fn parts(structure: &impl Structure) -> Vec<Vec<u32>> {
    let count = structure.mass().len();
    let mut parent: Vec<u32> = (0..count as u32).collect();
    fn root(parent: &mut [u32], mut a: u32) -> u32 {
        while parent[a as usize] != a {
            parent[a as usize] = parent[parent[a as usize] as usize];
            a = parent[a as usize];
        }
        a
    }
    for k in 0..structure.elements() {
        for pair in structure.nodes(k).windows(2) {
            let [a, b] = [root(&mut parent, pair[0]), root(&mut parent, pair[1])];
            // The smaller number is the root: parts come in the order of their first nodes.
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let mut lists: Vec<Vec<u32>> = vec![Vec::new(); count];
    for a in 0..count as u32 {
        let first = root(&mut parent, a);
        lists[first as usize].push(a);
    }
    lists.retain(|list| !list.is_empty());
    lists
}

/// Three displacements and three rotations of some nodes about their middle, three numbers a node.
fn candidates(x: &[f64], nodes: &[u32]) -> Vec<Vec<f64>> {
    let place = |a: &u32| [0, 1, 2].map(|i| x[3 * *a as usize + i]);
    let count = nodes.len() as f64;
    let middle = [0, 1, 2].map(|i| nodes.iter().map(|a| place(a)[i]).sum::<f64>() / count);
    let arm = |a: &u32| {
        let at = place(a);
        [0, 1, 2].map(|i| at[i] - middle[i])
    };
    let size = nodes.iter().flat_map(arm).fold(0.0, |most: f64, r| most.max(r.abs()));
    let mut all = Vec::new();
    for axis in 0..3 {
        let mut along = [0.0; 3];
        along[axis] = 1.0;
        all.push(nodes.iter().flat_map(|_| along).collect());
    }
    for axis in 0..3 {
        if size > 0.0 {
            let (j, k) = ((axis + 1) % 3, (axis + 2) % 3);
            let turned = |a: &u32| {
                let r = arm(a).map(|r| r / size);
                let mut u = [0.0; 3];
                (u[j], u[k]) = (-r[k], r[j]);
                u
            };
            all.push(nodes.iter().flat_map(turned).collect());
        }
    }
    all
}

/// A combination of vectors.
fn combined(vectors: &[Vec<f64>], weights: &[f64]) -> Vec<f64> {
    let mut sum = vec![0.0; vectors[0].len()];
    for (vector, weight) in vectors.iter().zip(weights) {
        sum.iter_mut().zip(vector).for_each(|(sum, v)| *sum += weight * v);
    }
    sum
}

/// Products of some vectors with each other, a square matrix by columns.
fn products(vectors: &[Vec<f64>]) -> Vec<f64> {
    vectors.iter().flat_map(|a| vectors.iter().map(|b| dot(a, b))).collect()
}

fn of_part(matrix: &ScaledStiffness, number: &[usize], x: &[f64], nodes: &[u32]) -> Vec<Pair> {
    let all = candidates(x, nodes);
    let component = |k: usize| number[3 * nodes[k / 3] as usize + k % 3];
    // What a combination moves where it must not.
    let held: Vec<Vec<f64>> = all
        .iter()
        .map(|u| {
            u.iter().enumerate().map(|(k, u)| if component(k) == usize::MAX { *u } else { 0.0 }).collect()
        })
        .collect();
    let (values, weights) = eigen(&products(&held), all.len());
    let limit = ALLOWED * ALLOWED * nodes.len() as f64;
    let mut free: Vec<Vec<f64>> = Vec::new();
    for (_, weights) in values.iter().zip(&weights).filter(|(value, _)| **value <= limit) {
        let mut y = vec![0.0; matrix.len()];
        for (k, u) in combined(&all, weights).iter().enumerate() {
            if component(k) != usize::MAX {
                y[component(k)] = u * matrix.masses()[component(k)].sqrt();
            }
        }
        let before = dot(&y, &y).sqrt();
        orthogonalise(&mut y, &free);
        let after = dot(&y, &y).sqrt();
        // A bar has no rotation about itself.
        if after > 1e-6 * before {
            y.iter_mut().for_each(|y| *y /= after);
            free.push(y);
        }
    }
    // Of these, the ones without stiffness.
    let strained: Vec<Vec<f64>> = free.iter().map(|y| matrix.multiply(y).0).collect();
    let (_, weights) =
        if free.is_empty() { (Vec::new(), Vec::new()) } else { eigen(&products(&strained), free.len()) };
    let mut pairs = Vec::new();
    for weights in &weights {
        let vector = combined(&free, weights);
        let (force, size) = matrix.multiply(&vector);
        let (force_norm, size) = (dot(&force, &force).sqrt(), dot(&size, &size).sqrt());
        if force_norm <= ROUNDING * size {
            pairs.push(Pair { value: dot(&vector, &force), kind: ModeKind::Rigid, residual: 0.0, vector });
        }
    }
    pairs
}
