//! The clamped slab of VTI04 4.6: its body at a level of refinement, its motion, and errors between levels.

use stationary::formula::{Expr, Graph, Scope};
use stationary::integrate::avi::{Avi, AviStart};
use stationary::mesh::{CellKind, Mesh};
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, LoadsBuilder, MAX_NODES, NeoHookean, Solid,
    SolidProblem,
};
use stationary::model::{FormulaField, Potentials, Supports};
use stationary_app::scenario::shipped;
use std::sync::Arc;

// As in the scenario `slab`.
const LAME: [f64; 2] = [2e6, 2e6];
const DENSITY: f64 = 1000.0;
const GRAVITY: &str = "-9.81";

/// The slab on one mesh.
#[derive(Debug)]
pub struct Slab {
    /// The body with its weight and its wall.
    pub problem: Arc<SolidProblem>,
}

/// How elements step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steps {
    /// Each its own: the asynchronous integrator.
    Own,
    /// All the smallest: explicit Newmark.
    Smallest,
}

/// A slab that was moved.
#[derive(Debug, Clone)]
pub struct Moved {
    /// Positions of the nodes, three numbers each.
    pub x: Vec<f64>,
    /// Updates of elements.
    pub updates: u64,
    /// `lambda` [VTI04 (62)].
    pub speedup: f64,
}

/// The slab's mesh, refined so many times.
pub fn mesh(level: u32) -> Result<Mesh, String> {
    let bytes = shipped::mesh("meshes/slab.msh").ok_or("the mesh of the slab is not shipped")?;
    let mesh = Mesh::read("slab.msh", bytes).map_err(|e| e.to_string())?;
    Ok((0..level).fold(mesh, |mesh, _| mesh.refined()))
}

impl Slab {
    /// The slab on a mesh of six-node triangles with a group `clamped`.
    pub fn new(mesh: &Mesh) -> Result<Slab, String> {
        let cells =
            mesh.cells.iter().find(|c| c.kind == CellKind::Triangle6).ok_or("no six-node triangles")?;
        let lame = Lame::new(LAME[0], LAME[1]).map_err(|d| d.to_string())?;
        let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(lame).map_err(|d| d.to_string())?);
        let group = ElementGroup::new(ElementKind::Tri6, &cells.nodes, DENSITY);
        let blocks = group.build(&mesh.points, &law).map_err(|d| d.to_string())?;
        let solid = Solid::new(&mesh.points, blocks, &[]).map_err(|d| d.to_string())?;
        let weight = constant(&["0", GRAVITY])?;
        let mut loads = LoadsBuilder::default();
        let mut share = [0.0; MAX_NODES];
        for k in 0..solid.elements() {
            let (block, j) = solid.locate(k);
            block.lumped_mass(j, &mut share);
            for (a, node) in block.nodes(j).iter().enumerate() {
                loads.dead(k, (a, *node), share[a], &weight);
            }
        }
        let loads = loads.finish(&mesh.points, solid.elements());
        let mut supports = Supports::new(&mesh.points);
        for node in &mesh.group("clamped").map_err(|e| e.to_string())?.nodes {
            for direction in 0..3 {
                supports.fix(*node, direction, 0.0, 0).map_err(|c| format!("{c:?}"))?;
            }
        }
        Ok(Slab { problem: Arc::new(SolidProblem::new(solid, loads, supports, cells.tags.clone())) })
    }

    /// Lets it fall from rest until a time, steps being `fraction` of the Courant step [AVI03 (68)].
    ///
    /// The integrator starts with half a kick of every element, as the paper says for both methods.
    pub fn fall(&self, steps: Steps, fraction: f64, end: f64) -> Result<Moved, String> {
        let solid = self.problem.solid();
        let mut step = solid.steps_courant(fraction);
        if steps == Steps::Smallest {
            let least = step.iter().copied().fold(f64::INFINITY, f64::min);
            step.fill(least);
        }
        let x = solid.points().to_vec();
        let start = AviStart { t: 0.0, v: vec![0.0; x.len()], x, mass: solid.mass().to_vec(), step };
        let failed = |e: stationary::integrate::avi::AviError| {
            format!("element {} at time {}: {}", e.fault.number, e.time, e.fault.why)
        };
        let mut avi = Avi::new(Arc::clone(&self.problem), start).map_err(failed)?;
        avi.advance(end).map_err(failed)?;
        let shot = avi.snapshot().map_err(failed)?;
        Ok(Moved { x: shot.x, updates: avi.events().iter().sum(), speedup: avi.ideal_speedup() })
    }
}

fn constant(components: &[&str]) -> Result<Arc<FormulaField>, String> {
    let mut graph = Graph::new();
    let mut nodes = Vec::new();
    for text in components {
        let expression = Expr::parse(text).map_err(|e| format!("{e:?}"))?;
        nodes.push(graph.lower(&expression, &Scope::new()).map_err(|e| format!("{e:?}"))?);
    }
    Ok(Arc::new(FormulaField::new(&mut graph, &nodes)))
}

/// L2 norms over the slab of a displacement and of its gradient.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Norms {
    /// Of the displacement.
    pub displacement: f64,
    /// Of its gradient: the deformation gradient less the identity.
    pub gradient: f64,
}

/// Norms of the difference of two fields of positions, one on a mesh and one on a mesh refined from it.
///
/// A coarse element and its field are quadratic over each of its descendants, so that the difference at the six nodes
/// is the whole of it; both integrals are exact.
pub fn difference(coarse: (&Slab, &[f64]), fine: (&Slab, &[f64])) -> Norms {
    let [parents, solid] = [coarse.0, fine.0].map(|s| s.problem.solid());
    let ratio = solid.elements() / parents.elements();
    norms(solid, |k, nodes| {
        let parent = Potentials::nodes(parents, k / ratio);
        let own = |a: u32| -> [f64; 2] { [fine.1[3 * a as usize], fine.1[3 * a as usize + 1]] };
        std::array::from_fn(|n| {
            let l = barycentric(&corners(parents, parent), at(solid.points(), nodes[n]));
            let shape = quadratic(&l);
            let mut d = own(nodes[n]);
            for (weight, a) in shape.iter().zip(parent) {
                let x = at(coarse.1, *a);
                (0..2).for_each(|i| d[i] -= weight * x[i]);
            }
            d
        })
    })
}

/// Norms of the displacement itself.
pub fn size(slab: &Slab, x: &[f64]) -> Norms {
    let solid = slab.problem.solid();
    norms(solid, |_, nodes| {
        std::array::from_fn(|n| {
            let (now, rest) = (at(x, nodes[n]), at(solid.points(), nodes[n]));
            [now[0] - rest[0], now[1] - rest[1]]
        })
    })
}

/// Norms of a field given by its values at the six nodes of each element.
fn norms(solid: &Solid, values: impl Fn(usize, &[u32]) -> [[f64; 2]; 6]) -> Norms {
    let (mut square, mut gradient) = (0.0, 0.0);
    let mut mass = [0.0; MAX_NODES * MAX_NODES];
    for k in 0..solid.elements() {
        let (block, j) = solid.locate(k);
        let nodes = block.nodes(j);
        let d = values(k, nodes);
        block.consistent_mass(j, &mut mass);
        for a in 0..6 {
            for b in 0..6 {
                square += mass[6 * a + b] / DENSITY * (d[a][0] * d[b][0] + d[a][1] * d[b][1]);
            }
        }
        // The gradient is linear: the middles of the sides integrate its square.
        let slopes = slopes(&corners(solid, nodes));
        for l in [[0.5, 0.5, 0.0], [0.0, 0.5, 0.5], [0.5, 0.0, 0.5]] {
            let g = gradients(&l, &slopes);
            for i in 0..2 {
                for c in 0..2 {
                    let entry: f64 = (0..6).map(|a| d[a][i] * g[a][c]).sum();
                    gradient += block.volume(j) / 3.0 * entry * entry;
                }
            }
        }
    }
    // Rounding may leave a square below zero.
    Norms { displacement: square.abs().sqrt(), gradient: gradient.sqrt() }
}

fn at(x: &[f64], node: u32) -> [f64; 2] {
    [x[3 * node as usize], x[3 * node as usize + 1]]
}

fn corners(solid: &Solid, nodes: &[u32]) -> [[f64; 2]; 3] {
    std::array::from_fn(|c| at(solid.points(), nodes[c]))
}

/// Gradients of the barycentric coordinates of a triangle.
fn slopes(x: &[[f64; 2]; 3]) -> [[f64; 2]; 3] {
    let double = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[2][0] - x[0][0]) * (x[1][1] - x[0][1]);
    std::array::from_fn(|c| {
        let (p, q) = (x[(c + 1) % 3], x[(c + 2) % 3]);
        [(p[1] - q[1]) / double, (q[0] - p[0]) / double]
    })
}

fn barycentric(x: &[[f64; 2]; 3], point: [f64; 2]) -> [f64; 3] {
    let slopes = slopes(x);
    std::array::from_fn(|c| {
        let base = x[(c + 1) % 3];
        slopes[c][0] * (point[0] - base[0]) + slopes[c][1] * (point[1] - base[1])
    })
}

/// Shape functions of the six-node triangle.
fn quadratic(l: &[f64; 3]) -> [f64; 6] {
    let corner = |c: usize| l[c] * (2.0 * l[c] - 1.0);
    let middle = |c: usize| 4.0 * l[c] * l[(c + 1) % 3];
    [corner(0), corner(1), corner(2), middle(0), middle(1), middle(2)]
}

fn gradients(l: &[f64; 3], slopes: &[[f64; 2]; 3]) -> [[f64; 2]; 6] {
    std::array::from_fn(|a| {
        std::array::from_fn(|i| match a.checked_sub(3) {
            None => (4.0 * l[a] - 1.0) * slopes[a][i],
            Some(c) => {
                let next = (c + 1) % 3;
                4.0 * (l[next] * slopes[c][i] + l[c] * slopes[next][i])
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `u = (x y, y^2 - x)` is in every space of quadratics: no error between levels, and norms by hand.
    #[test]
    fn slab_error_norm_is_exact_for_quadratic_fields() {
        let slabs = [0, 2].map(|level| Slab::new(&mesh(level).unwrap()).unwrap());
        let fields = [&slabs[0], &slabs[1]].map(|slab| {
            let mut x = slab.problem.solid().points().to_vec();
            for p in x.chunks_exact_mut(3) {
                let [a, b] = [p[0], p[1]];
                p[0] += a * b;
                p[1] += b * b - a;
            }
            x
        });
        let error = difference((&slabs[0], &fields[0]), (&slabs[1], &fields[1]));
        assert!(error.displacement < 1e-12 && error.gradient < 1e-11, "{error:?}");
        // Over [0, 4] x [y0, y0 + 1].
        let y: Vec<f64> = slabs[0].problem.solid().points().chunks_exact(3).map(|p| p[1]).collect();
        let low = y.iter().copied().fold(f64::INFINITY, f64::min);
        let power = |n: i32| ((low + 1.0).powi(n + 1) - low.powi(n + 1)) / f64::from(n + 1);
        let square = 64.0 / 3.0 * power(2) + 4.0 * power(4) - 16.0 * power(2) + 64.0 / 3.0;
        let slope = 4.0 * power(2) + 64.0 / 3.0 + 4.0 + 16.0 * power(2);
        for (slab, x) in slabs.iter().zip(&fields) {
            let norms = size(slab, x);
            assert!((norms.displacement / square.sqrt() - 1.0).abs() < 1e-12, "{norms:?} {square}");
            assert!((norms.gradient / slope.sqrt() - 1.0).abs() < 1e-12, "{norms:?} {slope}");
        }
    }

    /// One node moved: an error of known size where it should be, none elsewhere.
    #[test]
    fn slab_error_norm_detects_a_difference() {
        let slabs = [0, 1].map(|level| Slab::new(&mesh(level).unwrap()).unwrap());
        let rest = slabs[0].problem.solid().points();
        let mut moved = slabs[1].problem.solid().points().to_vec();
        moved.chunks_exact_mut(3).for_each(|p| p[1] += 0.5);
        let error = difference((&slabs[0], rest), (&slabs[1], &moved));
        assert!((error.displacement - 0.5 * 2.0).abs() < 1e-12 && error.gradient < 1e-11, "{error:?}");
    }
}
