//! The laws of elastic energies, each asked of one list of all materials and elements.

mod body;
mod cables;
mod cells;
mod elastic_laws;
mod elements;
mod formula;
mod inelastic;
mod j2;
mod lanes;
mod materials;
mod plastic_elements;
mod recovery;
mod rings;
mod sides;
mod speed;
mod statics;
mod sweeps;
mod viscoelastic;

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

/// All terms at once.
fn hardening() -> Hardening {
    Hardening {
        yield_stress: 0.1,
        linear: 0.2,
        saturation: 0.15,
        saturation_rate: 8.0,
        power: 0.1,
        exponent: 0.7,
    }
}

/// With the common constants where nothing has relaxed.
fn viscoelastic() -> Viscoelastic {
    let branches = [(0.4, 0.3), (0.2, 2.0)].map(|(mu, time)| MaxwellBranch { mu, time });
    Viscoelastic::new(Lame::new(LAMBDA + 0.6 / 1.5, MU - 0.6).unwrap(), branches.to_vec()).unwrap()
}

/// With the common constants.
fn ogden() -> Ogden {
    let terms = [(0.5, 2.0), (-0.3, -2.0), (0.01, 10.0), (0.8, 1.1)]
        .map(|(modulus, exponent)| OgdenTerm { modulus, exponent });
    let mu: f64 = terms.iter().map(|t| 0.5 * t.modulus * t.exponent).sum();
    let terms = terms.map(|t| OgdenTerm { modulus: t.modulus * MU / mu, ..t });
    Ogden::new(terms.to_vec(), LAMBDA + MU / 1.5).unwrap()
}

/// An orthotropic law that is the same in all directions.
fn alike() -> Orthotropic {
    let (young, poisson) = (lame().young(), lame().poisson());
    let constants = OrthotropicConstants { young: [young; 3], poisson: [poisson; 3], shear: [MU; 3] };
    Orthotropic::new(constants, [1.0, 2.0, 0.0], [0.0, 1.0, 1.0]).unwrap()
}

fn rubber() -> ConstitutiveLaw {
    ConstitutiveLaw::MooneyRivlin(MooneyRivlin::new(lame(), 0.4).unwrap())
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
        ("mooney-rivlin", rubber()),
        ("formula", ConstitutiveLaw::Formula(FormulaMaterial::new(text, &scope).unwrap())),
        ("formula of components", ConstitutiveLaw::Formula(formula::of_components(&scope))),
        ("j2", ConstitutiveLaw::J2(J2::new(lame(), hardening(), RateDependence::NONE).unwrap())),
        ("viscoelastic", ConstitutiveLaw::Viscoelastic(viscoelastic())),
        ("ogden", ConstitutiveLaw::Ogden(ogden())),
        ("orthotropic", ConstitutiveLaw::Orthotropic(alike())),
        ("damped", ConstitutiveLaw::Damped(Damped::new(&rubber(), 0.3).unwrap())),
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
    /// To be turned around the axis `x = 0`.
    ring: bool,
}

/// The kinds in the plane and in space.
fn kinds() -> impl Iterator<Item = ElementKind> {
    ElementKind::ALL.iter().copied().filter(|kind| kind.dimension() > 1)
}

/// The kind of the same shape whose nodes are corners.
fn of_corners(kind: ElementKind) -> ElementKind {
    let same = |other: &ElementKind| {
        other.corners() == kind.corners() && other.dimension() == kind.dimension() && other.cell().is_linear()
    };
    kinds().find(same).unwrap()
}

/// The corners between which each node of a kind lies.
fn corners_around(kind: ElementKind) -> Vec<Vec<usize>> {
    let (cell, corners) = (kind.cell(), kind.corners());
    let place = cell.reference();
    let around = |a: usize| -> Vec<usize> {
        if a >= corners && kind.is_simplex() {
            return cell.edges()[a - corners].into();
        }
        // In the square and the cube, those on the same side wherever the node is on one.
        let near = |c: &usize| (0..3).all(|i| place[a][i] == 0.0 || place[a][i] == place[*c][i]);
        if a < corners { vec![a] } else { (0..corners).filter(near).collect() }
    };
    (0..kind.nodes()).map(around).collect()
}

impl Mesh {
    /// The elements of a kind whose nodes are corners in one cell of a grid, by the corners of the cell and, for pyramids, its middle, 8.
    fn in_cell(kind: ElementKind) -> Vec<Vec<usize>> {
        // Corners of the cell as bits: x, then y, then z.
        const HEX: [usize; 8] = [0, 1, 3, 2, 4, 5, 7, 6];
        match kind {
            ElementKind::Tri3 => vec![vec![0, 1, 3], vec![0, 3, 2]],
            ElementKind::Quad4 => vec![vec![0, 1, 3, 2]],
            ElementKind::Hex8 => vec![HEX.into()],
            ElementKind::Wedge6 => vec![vec![0, 1, 3, 4, 5, 7], vec![0, 3, 2, 4, 7, 6]],
            ElementKind::Pyramid5 => {
                let faces = ElementKind::Hex8.cell().faces();
                // Seen from the middle the faces turn the other way.
                faces.iter().map(|f| f.iter().rev().map(|c| HEX[*c]).chain([8]).collect()).collect()
            }
            // Kuhn's six: a path of unit steps from one corner of the cell to the opposite one.
            _ => [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]]
                .iter()
                .enumerate()
                .map(|(k, [p, q, _])| {
                    let mut tet = vec![0, 1 << p, (1 << p) + (1 << q), 7];
                    if k > 2 {
                        tet.swap(0, 1);
                    }
                    tet
                })
                .collect(),
        }
    }

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
        let inside = Mesh::in_cell(kind);
        for k in 0..if d == 3 { n } else { 1 } {
            for j in 0..n {
                for i in 0..n {
                    let mut corners: Vec<u32> =
                        (0..1 << d).map(|c: usize| id(i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))).collect();
                    if kind == ElementKind::Pyramid5 {
                        corners.push(points.len() as u32);
                        let middle =
                            |i: usize| corners[..8].iter().map(|a| points[*a as usize][i]).sum::<f64>() / 8.0;
                        points.push(std::array::from_fn(|i| {
                            middle(i) + 0.3 * shake / n as f64 * random.next()
                        }));
                    }
                    nodes.extend(inside.iter().flatten().map(|c| corners[*c]));
                }
            }
        }
        Mesh { kind, points, nodes, ring: false }
    }

    /// A mesh of the kind; quadratic ones get nodes in the middles, inner ones moved off it by `bend`.
    fn new(kind: ElementKind, n: usize, shake: f64, bend: f64) -> Mesh {
        let corners = of_corners(kind);
        let mesh = Mesh::corners_of(corners, n, shake);
        if corners == kind {
            return mesh;
        }
        let around = corners_around(kind);
        let mut random = Random(11);
        let d = kind.dimension();
        let (mut points, mut nodes) = (mesh.points.clone(), Vec::new());
        let mut middles = std::collections::BTreeMap::new();
        for element in mesh.nodes.chunks_exact(corners.nodes()) {
            nodes.extend_from_slice(element);
            for around in &around[kind.corners()..] {
                let mut key: Vec<u32> = around.iter().map(|c| element[*c]).collect();
                key.sort_unstable();
                let middle = |i: usize| {
                    key.iter().map(|a| mesh.points[*a as usize][i]).sum::<f64>() / key.len() as f64
                };
                let mut m: [f64; 3] = std::array::from_fn(middle);
                nodes.push(*middles.entry(key).or_insert_with(|| {
                    if (0..d).all(|i| m[i] > 0.0 && m[i] < 1.0) {
                        (0..d).for_each(|i| m[i] += bend / n as f64 * random.next());
                    }
                    points.push(m);
                    points.len() as u32 - 1
                }));
            }
        }
        Mesh { kind, points, nodes, ring: false }
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

/// How far inner middle nodes of a kind may be moved, as a part of a cell.
fn bends(kind: ElementKind) -> &'static [f64] {
    match (kind.cell().is_linear(), kind.dimension()) {
        (true, _) => &[0.0],
        (false, 2) => &[0.0, 0.08],
        (false, _) => &[0.0, 0.05],
    }
}

/// Every kind, straight and curved, with every material, in plane strain, plane stress and as rings.
fn bodies() -> Vec<(String, Mesh, Solid)> {
    let mut all = Vec::new();
    for (kind, bend) in kinds().flat_map(|kind| bends(kind).iter().map(move |bend| (kind, *bend))) {
        let mesh = Mesh::new(kind, 2, 0.3, bend);
        for (name, law) in laws() {
            use PlaneAssumption::*;
            for plane in if kind.dimension() == 3 { &[Strain][..] } else { &[Strain, Stress, Axisymmetric] } {
                let label = format!("{} bend {bend} {name} plane {plane:?}", kind.name());
                let solid = mesh.build(&law, *plane);
                all.push((label, Mesh { ring: *plane == Axisymmetric, ..mesh.clone() }, solid));
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
            let moved = 0.1 * (1.3 * p[(i + 1) % 3] + 0.7 * p[i]).sin() + 0.02 * random.next();
            // The axis of rings stays where it is.
            x[i] += if mesh.ring && i == 0 { p[0] * moved } else { moved };
        }
    }
    x
}
