//! The laws of elastic energies, each asked of one list of all materials and elements.

mod body;
mod elements;
mod materials;
mod speed;

use super::*;
use crate::formula::Scope;

/// Numbers in (-1, 1), the same in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn matrix(&mut self, size: f64) -> Tensor {
        let mut m = [[0.0; 3]; 3];
        m.as_flattened_mut().iter_mut().for_each(|x| *x = size * self.next());
        m
    }
}

const LAMBDA: f64 = 3.0;
const MU: f64 = 1.3;

fn lame() -> Lame {
    Lame::new(LAMBDA, MU).unwrap()
}

fn laws() -> Vec<(&'static str, ConstitutiveLaw)> {
    let mut scope = Scope::new();
    scope.constant("la", LAMBDA).constant("mu", MU);
    // Ends in I2 and a power of J, so that every derivative is asked.
    let text = "(la - 0.8*mu)/8*(J^2 - 1)^2 + mu/2*(0.6*(I1 - 3) + 0.4*(I2 - 3) - 2.8*log(J))";
    vec![
        ("neo-hookean", ConstitutiveLaw::NeoHookean(NeoHookean::new(lame()).unwrap())),
        ("st-venant-kirchhoff", ConstitutiveLaw::StVenantKirchhoff(StVenantKirchhoff::new(lame()))),
        ("linear", ConstitutiveLaw::Linear(LinearElastic::new(lame()))),
        ("mooney-rivlin", ConstitutiveLaw::MooneyRivlin(MooneyRivlin::new(lame(), 0.4).unwrap())),
        ("formula", ConstitutiveLaw::Formula(FormulaMaterial::new(text, &scope).unwrap())),
    ]
}

/// A turn about an axis that is none of the coordinates' own.
fn rotation(angle: f64) -> Tensor {
    let n = [1.0 / 3.0, 2.0 / 3.0, 2.0 / 3.0];
    let (s, c) = angle.sin_cos();
    let cross = [[0.0, -n[2], n[1]], [n[2], 0.0, -n[0]], [-n[1], n[0], 0.0]];
    let mut r = [[0.0; 3]; 3];
    for i in 0..3 {
        for j in 0..3 {
            r[i][j] = if i == j { c } else { 0.0 } + s * cross[i][j] + (1.0 - c) * n[i] * n[j];
        }
    }
    r
}

fn turn_in_plane(angle: f64) -> Tensor {
    let (s, c) = angle.sin_cos();
    [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
}

/// A mesh of a unit square or cube, `n` cells a side, inner nodes shaken.
#[derive(Clone)]
struct Mesh {
    kind: ElementKind,
    points: Vec<[f64; 3]>,
    nodes: Vec<u32>,
}

impl Mesh {
    fn corners_of(kind: ElementKind, n: usize, shake: f64) -> Mesh {
        let d = kind.dimension();
        let layers = if d == 3 { n + 1 } else { 1 };
        let mut random = Random(7);
        let (mut points, mut nodes) = (Vec::new(), Vec::new());
        for k in 0..layers {
            for j in 0..=n {
                for i in 0..=n {
                    let mut p = [i as f64 / n as f64, j as f64 / n as f64, k as f64 / n as f64];
                    if (0..d).all(|a| p[a] > 0.0 && p[a] < 1.0) {
                        (0..d).for_each(|a| p[a] += shake / n as f64 * random.next());
                    }
                    points.push(p);
                }
            }
        }
        let id = |i: usize, j: usize, k: usize| ((k * (n + 1) + j) * (n + 1) + i) as u32;
        for k in 0..if d == 3 { n } else { 1 } {
            for j in 0..n {
                for i in 0..n {
                    if d == 2 {
                        let (a, b, c, e) =
                            (id(i, j, 0), id(i + 1, j, 0), id(i + 1, j + 1, 0), id(i, j + 1, 0));
                        nodes.extend([a, b, c, a, c, e]);
                        continue;
                    }
                    // Kuhn's six: a path of unit steps from one corner of the cell to the opposite one.
                    for [p, q, r] in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
                        let mut at = [i, j, k];
                        let mut tet = vec![id(at[0], at[1], at[2])];
                        for step in [p, q, r] {
                            at[step] += 1;
                            tet.push(id(at[0], at[1], at[2]));
                        }
                        if ![[0, 1, 2], [1, 2, 0], [2, 0, 1]].contains(&[p, q, r]) {
                            tet.swap(0, 1);
                        }
                        nodes.extend(tet);
                    }
                }
            }
        }
        Mesh { kind, points, nodes }
    }

    /// A mesh of the kind; quadratic ones get nodes in the middles, inner ones moved off it by `bend`.
    fn new(kind: ElementKind, n: usize, shake: f64, bend: f64) -> Mesh {
        let corners = match kind {
            ElementKind::Tri6 => ElementKind::Tri3,
            ElementKind::Tet10 => ElementKind::Tet4,
            other => other,
        };
        let mesh = Mesh::corners_of(corners, n, shake);
        if corners == kind {
            return mesh;
        }
        let edges: &[[usize; 2]] = match kind {
            ElementKind::Tri6 => &[[0, 1], [1, 2], [2, 0]],
            _ => &[[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]],
        };
        let mut random = Random(11);
        let d = kind.dimension();
        let (mut points, mut nodes) = (mesh.points.clone(), Vec::new());
        let mut middles = std::collections::BTreeMap::new();
        for element in mesh.nodes.chunks_exact(corners.nodes()) {
            nodes.extend_from_slice(element);
            for [a, b] in edges {
                let (a, b) = (element[*a].min(element[*b]), element[*a].max(element[*b]));
                nodes.push(*middles.entry((a, b)).or_insert_with(|| {
                    let (p, q) = (mesh.points[a as usize], mesh.points[b as usize]);
                    let mut m = [0.5 * (p[0] + q[0]), 0.5 * (p[1] + q[1]), 0.5 * (p[2] + q[2])];
                    if (0..d).all(|i| m[i] > 0.0 && m[i] < 1.0) {
                        (0..d).for_each(|i| m[i] += bend / n as f64 * random.next());
                    }
                    points.push(m);
                    points.len() as u32 - 1
                }));
            }
        }
        Mesh { kind, points, nodes }
    }

    fn build(&self, law: &ConstitutiveLaw, plane: PlaneAssumption) -> Solid {
        let group = ElementGroup { plane, thickness: 0.7, ..ElementGroup::new(self.kind, &self.nodes, 2.5) };
        Solid::new(&self.points, group.build(&self.points, law).unwrap(), &[]).unwrap()
    }

    fn is_inner(&self, node: usize) -> bool {
        let p = self.points[node];
        (0..self.kind.dimension()).all(|i| p[i] > 1e-12 && p[i] < 1.0 - 1e-12)
    }
}

/// Every kind, straight and curved, with every material, in plane strain and plane stress.
fn bodies() -> Vec<(String, Mesh, Solid)> {
    let mut all = Vec::new();
    for (kind, bend) in [
        (ElementKind::Tri3, 0.0),
        (ElementKind::Tri6, 0.0),
        (ElementKind::Tri6, 0.08),
        (ElementKind::Tet4, 0.0),
        (ElementKind::Tet10, 0.0),
        (ElementKind::Tet10, 0.05),
    ] {
        let mesh = Mesh::new(kind, 2, 0.3, bend);
        for (name, law) in laws() {
            for plane in [PlaneAssumption::Strain, PlaneAssumption::Stress] {
                if kind.dimension() == 3 && plane == PlaneAssumption::Stress {
                    continue;
                }
                let label = format!("{} bend {bend} {name} plane {plane:?}", kind.name());
                all.push((label, mesh.clone(), mesh.build(&law, plane)));
            }
        }
    }
    all
}

/// `x = F X + b`.
fn affine(points: &[f64], f: &Tensor, b: [f64; 3]) -> Vec<f64> {
    let mut x = points.to_vec();
    for (x, p) in x.chunks_exact_mut(3).zip(points.chunks_exact(3)) {
        for i in 0..3 {
            x[i] = f[i][0] * p[0] + f[i][1] * p[1] + f[i][2] * p[2] + b[i];
        }
    }
    x
}

/// A smooth state of large strain; plane bodies stay in their plane.
fn deformed(mesh: &Mesh, solid: &Solid) -> Vec<f64> {
    let mut random = Random(3);
    let mut x = solid.points().to_vec();
    for x in x.chunks_exact_mut(3) {
        let p = [x[0], x[1], x[2]];
        for i in 0..mesh.kind.dimension() {
            x[i] += 0.1 * (1.3 * p[(i + 1) % 3] + 0.7 * p[i]).sin() + 0.02 * random.next();
        }
    }
    x
}
