//! The element rules against the true limit of the assembled body, `2/omega_max`.

use super::Random;
use super::meshes::{NAMES, solid};
use crate::modes::symmetric_eigen;
use crate::solids::larger;
use crate::{Claim, Outcome, Scale};
use stationary::integrate::avi::{Buffer, harmonic};
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, MAX_NODES, MassSplit, NeoHookean, Solid,
};
use stationary_report::plot::Plot;

/// Tangents of all elements at rest, under the roots of the masses: `M^-1/2 K M^-1/2` element by element.
struct Operator {
    nodes: Vec<Vec<u32>>,
    tangents: Vec<Vec<f64>>,
    root: Vec<f64>,
}

impl Operator {
    fn new(solid: &Solid) -> Result<Self, String> {
        let mut matrix = vec![0.0; 9 * MAX_NODES * MAX_NODES];
        let (mut nodes, mut tangents) = (Vec::new(), Vec::new());
        for block in solid.blocks() {
            let n = 3 * block.kind().nodes();
            for k in 0..block.len() {
                block.tangent(k, 0.0, solid.points(), &mut matrix).map_err(|e| e.to_string())?;
                nodes.push(block.nodes(k).to_vec());
                tangents.push(matrix[..n * n].to_vec());
            }
        }
        Ok(Operator { nodes, tangents, root: solid.mass().iter().map(|m| m.sqrt()).collect() })
    }

    fn apply(&self, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let mut local = [0.0; 3 * MAX_NODES];
        for (nodes, tangent) in self.nodes.iter().zip(&self.tangents) {
            let n = 3 * nodes.len();
            for (i, slot) in local[..n].iter_mut().enumerate() {
                let a = nodes[i / 3] as usize;
                *slot = x[3 * a + i % 3] / self.root[a];
            }
            for (i, row) in tangent.chunks_exact(n).enumerate() {
                let a = nodes[i / 3] as usize;
                out[3 * a + i % 3] += row.iter().zip(&local).map(|(k, x)| k * x).sum::<f64>() / self.root[a];
            }
        }
    }

    /// The largest eigenvalue: power iteration, and of all its vectors the best combination (Lanczos).
    fn largest(&self, steps: usize) -> f64 {
        let n = 3 * self.root.len();
        let mut random = Random::new(3);
        let mut now: Vec<f64> = (0..n).map(|_| random.next() - 0.5).collect();
        let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        let first = norm(&now);
        now.iter_mut().for_each(|x| *x /= first);
        let (mut before, mut next) = (vec![0.0; n], vec![0.0; n]);
        let (mut diagonal, mut off) = (Vec::new(), Vec::new());
        let mut beta = 0.0;
        for _ in 0..steps {
            self.apply(&now, &mut next);
            let alpha: f64 = next.iter().zip(&now).map(|(a, b)| a * b).sum();
            for i in 0..n {
                next[i] -= alpha * now[i] + beta * before[i];
            }
            diagonal.push(alpha);
            beta = norm(&next);
            off.push(beta);
            if !(beta > 1e-12 * alpha.abs()) {
                break;
            }
            next.iter_mut().for_each(|x| *x /= beta);
            std::mem::swap(&mut before, &mut now);
            std::mem::swap(&mut now, &mut next);
        }
        let m = diagonal.len();
        let mut matrix = vec![0.0; m * m];
        for i in 0..m {
            matrix[i * m + i] = diagonal[i];
            if i + 1 < m {
                (matrix[i * m + i + 1], matrix[(i + 1) * m + i]) = (off[i], off[i]);
            }
        }
        symmetric_eigen(m, &matrix).0.into_iter().fold(0.0, larger)
    }
}

/// `2/omega_max` of a body at rest.
pub fn true_limit(solid: &Solid, steps: usize) -> Result<f64, String> {
    Ok(2.0 / Operator::new(solid)?.largest(steps).sqrt())
}

/// A cube of six tetrahedra a cell, `n` cells to an edge; a corner of one inner tetrahedron is moved towards the side opposite
/// until that is so many times flatter.
pub fn sliver(n: usize, flatter: f64) -> Result<Solid, String> {
    let at = |i: usize, j: usize, k: usize| ((i * (n + 1) + j) * (n + 1) + k) as u32;
    let mut points = Vec::new();
    for i in 0..=n {
        for j in 0..=n {
            points.extend((0..=n).map(|k| [i as f64, j as f64, k as f64]));
        }
    }
    let mut nodes = Vec::new();
    for i in 0..n {
        for j in 0..n {
            for k in 0..n {
                // Along the three edges from one corner to the opposite one, in every order.
                for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
                    let mut place = [i, j, k];
                    let mut corners = vec![at(i, j, k)];
                    for axis in order {
                        place[axis] += 1;
                        corners.push(at(place[0], place[1], place[2]));
                    }
                    // Odd orders turn the tetrahedron over.
                    if order[1] != (order[0] + 1) % 3 {
                        corners.swap(2, 3);
                    }
                    nodes.extend(corners);
                }
            }
        }
    }
    // The corner (m, m, m) of the tetrahedron along x, y, z: its height over the others is along (1, 1, 0) - (0, 1, 0).
    let m = n / 2;
    points[at(m, m, m) as usize][0] += 1.0 - 1.0 / flatter;
    let law = ConstitutiveLaw::NeoHookean(
        NeoHookean::new(Lame::new(2.0, 1.0).map_err(|e| e.message)?).map_err(|e| e.message)?,
    );
    let blocks =
        ElementGroup::new(ElementKind::Tet4, &nodes, 1.0).build(&points, &law).map_err(|e| e.message)?;
    Solid::new(&points, blocks, &[]).map_err(|e| e.message)
}

/// The true limit, the least step of each rule over it, and the updates of one step for all at the true limit over those of own steps;
/// then the same for harmonic steps of the rule by stiffness, for these grown to the body's limit, and so by the optimal split.
struct Row {
    name: String,
    limit: f64,
    over: [f64; 4],
    lambda: [f64; 4],
    harmonic: [f64; 3],
    /// The library's limit over that of the dense matrices.
    known: f64,
}

fn row(name: &str, solid: &Solid, steps: usize) -> Result<Row, String> {
    let limit = true_limit(solid, steps)?;
    let x = solid.points();
    let eigen = |split| solid.steps_eigen(1.0, x, split).map_err(|e| e.to_string());
    let rules = [
        solid.steps_courant(1.0),
        eigen(MassSplit::Own)?,
        eigen(MassSplit::Stiffness)?,
        eigen(MassSplit::Optimal)?,
    ];
    let [jump, optimal] = [2, 3].map(|i| harmonic(solid, &rules[i], Buffer::Jump));
    let used = |h: &[f64]| solid.used_limit(x, h).map_err(|e| e.to_string());
    let known = 1.0 / used(&vec![limit; solid.elements()])?;
    let least = |h: &[f64]| h.iter().copied().fold(f64::INFINITY, f64::min);
    let lambda = |h: &[f64]| super::saving(limit, h);
    Ok(Row {
        name: name.into(),
        limit,
        over: [0, 1, 2, 3].map(|i| least(&rules[i]) / limit),
        lambda: [0, 1, 2, 3].map(|i| lambda(&rules[i])),
        harmonic: [lambda(&jump), lambda(&jump) / used(&jump)?, lambda(&optimal) / used(&optimal)?],
        known,
    })
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let names: &[&str] = scale.pick(&["slab", "block"], &NAMES);
    let steps = scale.pick(40, 80);
    let mut rows = Vec::new();
    for name in names {
        rows.push(row(name, &solid(name)?, steps)?);
    }
    let edge = scale.pick(4, 12);
    rows.push(row("cube", &sliver(edge, 1.0)?, steps)?);
    rows.push(row("cube, 10-fold sliver", &sliver(edge, 10.0)?, steps)?);
    rows.push(row("cube, 100-fold sliver", &sliver(edge, 100.0)?, steps)?);
    let mut table = vec![
        "least step over 2/omega_max; updates of one step for all there over those of free steps; the same for harmonic steps of each element's".into(),
        "limit (stiffness), of the body's limit (stiffness, optimal); the body's limit as the steps know it over the true one".into(),
        format!(
            "{:<22}  courant     own stiffn. optimal | courant     own stiffn. optimal | element    body optimal | known",
            ""
        ),
    ];
    for r in &rows {
        let cells: Vec<String> = r
            .over
            .iter()
            .map(|x| format!("{x:7.3}"))
            .chain(r.lambda.iter().chain(&r.harmonic).map(|x| format!("{x:7.3}")))
            .chain([format!("{:7.4}", r.known)])
            .collect();
        table.push(format!("{:<22} {}", r.name, cells.join(" ")));
    }
    let last = &rows[rows.len() - 1];
    let plain = &rows[rows.len() - 3];
    let above = rows.iter().flat_map(|r| r.over[1..].iter().copied()).fold(0.0, larger);
    let worst = rows.iter().map(|r| r.over[2]).fold(1.0, |a, b| if a <= b || a.is_nan() { a } else { b });
    let known = rows.iter().map(|r| (r.known - 1.0).abs()).fold(0.0, larger);
    let claims = vec![
        Claim::below("limit of the body as the steps know it, over the true one, less one", known, 0.02),
        Claim::below("eigen rule, either split, over the true limit", above, 1.0 + 1e-9),
        Claim::above("eigen rule by stiffness over the true limit, the least", worst, 0.3),
        Claim::above(
            "100-fold sliver: least step, eigen by stiffness over courant",
            last.over[2] / last.over[0],
            10.0,
        ),
        Claim::below(
            "updates of the whole cube, with the sliver over without, eigen by stiffness",
            plain.limit * plain.lambda[2] / (last.limit * last.lambda[2]),
            scale.pick(1.5, 1.1),
        ),
        Claim::below(
            "the same, harmonic steps grown to the body's limit",
            plain.limit * plain.harmonic[1] / (last.limit * last.harmonic[1]),
            // In a small cube the neighbours that are held to twice the sliver's step are a large part.
            scale.pick(3.0, 1.1),
        ),
    ];
    let number: Vec<f64> = (0..rows.len()).map(|i| i as f64).collect();
    let mut plot = Plot::new("Least step of the rules over the true limit")
        .x_label("mesh, in the order of the table")
        .y_label("over 2/omega_max")
        .log_y();
    for (i, name) in
        ["courant, f = 1", "eigen, own masses", "eigen, by stiffness", "eigen, optimal"].iter().enumerate()
    {
        let y: Vec<f64> = rows.iter().map(|r| r.over[i]).collect();
        plot = plot.points(*name, &number, &y);
    }
    Ok(Outcome { plot: plot.to_svg(640, 400), table, claims })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resonance_limits_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        outcome.claims.iter().for_each(|claim| assert!(claim.holds(), "{claim}"));
    }
}
