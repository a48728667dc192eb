//! Equilibrium: orders of convergence with a manufactured solution, mixed meshes, and locking.

use super::*;
use crate::linalg::max_abs;

/// A linear problem of statics: solids of the small-strain law, forces on nodes, and displacements that are given.
pub(super) struct Statics<'a> {
    pub solid: &'a Solid,
    pub force: Vec<f64>,
    /// Of each component, if it is given.
    pub given: Vec<Option<f64>>,
}

impl Statics<'_> {
    /// The forces of displacements: the tangent at rest is the law's.
    fn apply(&self, u: &[f64], out: &mut [f64]) {
        let x: Vec<f64> = self.solid.points().iter().zip(u).map(|(x, u)| x + u).collect();
        self.solid.gradient(0.0, &x, out).unwrap();
        (0..u.len()).filter(|i| self.given[*i].is_some()).for_each(|i| out[i] = 0.0);
    }

    /// The displacements, by conjugate gradients with the diagonal as preconditioner.
    pub fn solve(&self) -> Vec<f64> {
        let n = self.force.len();
        let mut u: Vec<f64> = self.given.iter().map(|g| g.unwrap_or(0.0)).collect();
        let (mut r, mut diagonal) = (vec![0.0; n], vec![0.0; n]);
        self.apply(&u, &mut r);
        (0..n).for_each(|i| r[i] = if self.given[i].is_some() { 0.0 } else { self.force[i] - r[i] });
        for k in 0..self.solid.elements() {
            let (block, k) = self.solid.locate(k);
            let m = 3 * block.kind().nodes();
            let mut tangent = vec![0.0; m * m];
            block.tangent(k, 0.0, self.solid.points(), &mut tangent).unwrap();
            for (a, node) in block.nodes(k).iter().enumerate() {
                (0..3).for_each(|i| diagonal[3 * *node as usize + i] += tangent[(3 * a + i) * (m + 1)]);
            }
        }
        let inverse: Vec<f64> = diagonal.iter().map(|d| if *d > 0.0 { 1.0 / d } else { 0.0 }).collect();
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let scaled = |r: &[f64]| -> Vec<f64> { r.iter().zip(&inverse).map(|(r, d)| r * d).collect() };
        let (mut z, mut q) = (scaled(&r), vec![0.0; n]);
        let (mut p, mut rho) = (z.clone(), dot(&r, &z));
        let start = rho;
        for _ in 0..20_000 {
            if !(rho > 1e-22 * start) {
                return u;
            }
            self.apply(&p, &mut q);
            let step = rho / dot(&p, &q);
            for i in 0..n {
                u[i] += step * p[i];
                r[i] -= step * q[i];
            }
            z = scaled(&r);
            let next = dot(&r, &z);
            for i in 0..n {
                p[i] = z[i] + next / rho * p[i];
            }
            rho = next;
        }
        panic!("no equilibrium: {rho:e} of {start:e}")
    }
}

pub(super) fn linear_law(lame: Lame) -> ConstitutiveLaw {
    ConstitutiveLaw::Linear(LinearElastic::new(lame))
}

/// Root mean square of the error of displacements inside of the elements, at places between their nodes.
pub(super) fn error_inside(solid: &Solid, u: &[f64], exact: &dyn Fn(&[f64; 3]) -> [f64; 3]) -> f64 {
    let mut random = Random(23);
    let (mut sum, mut count) = (0.0, 0);
    for k in 0..solid.elements() {
        let (block, k) = solid.locate(k);
        let cell = block.kind().cell();
        for _ in 0..4 {
            let parts: Vec<f64> = cell.reference().iter().map(|_| 1.01 + random.next()).collect();
            let whole: f64 = parts.iter().sum();
            let at: [f64; 3] = std::array::from_fn(|i| {
                cell.reference().iter().zip(&parts).map(|(p, part)| p[i] * part / whole).sum()
            });
            let n = cell.functions(&at).values;
            let sum_of = |values: &[f64], i: usize| -> f64 {
                block.nodes(k).iter().zip(&n).map(|(a, n)| n * values[3 * *a as usize + i]).sum()
            };
            let place: [f64; 3] = std::array::from_fn(|i| sum_of(solid.points(), i));
            let want = exact(&place);
            sum += (0..3).map(|i| (sum_of(u, i) - want[i]).powi(2)).sum::<f64>();
            count += 1;
        }
    }
    (sum / f64::from(count)).sqrt()
}

/// `u = a sin(k . X + 0.3)` in equilibrium under `((lambda + mu) k (k . a) + mu k^2 a) sin(k . X + 0.3)`.
fn manufactured_error(kind: ElementKind, n: usize, shake: f64) -> f64 {
    let mesh = Mesh::new(kind, n, shake, 0.0);
    let solid = ElementGroup::new(kind, &mesh.nodes, 1.0).build(&mesh.points, &linear_law(lame())).unwrap();
    let solid = Solid::new(&mesh.points, solid, &[]).unwrap();
    let flat = if kind.dimension() == 2 { 0.0 } else { 1.0 };
    let (a, k) = ([0.8, -0.5, 0.6 * flat], [1.9, 1.3, -1.1 * flat]);
    let dot: f64 = (0..3).map(|i| a[i] * k[i]).sum();
    let square: f64 = k.iter().map(|k| k * k).sum();
    let wave = |p: &[f64; 3]| (k[0] * p[0] + k[1] * p[1] + k[2] * p[2] + 0.3).sin();
    let exact = |p: &[f64; 3]| a.map(|a| a * wave(p));
    let mut force = vec![0.0; 3 * mesh.points.len()];
    for e in 0..solid.elements() {
        let (block, e) = solid.locate(e);
        let m = kind.nodes();
        let mut mass = vec![0.0; m * m];
        block.consistent_mass(e, &mut mass);
        for (s, node) in block.nodes(e).iter().enumerate() {
            for (t, other) in block.nodes(e).iter().enumerate() {
                let wave = wave(&mesh.points[*other as usize]);
                for i in 0..3 {
                    let body = (LAMBDA + MU) * k[i] * dot + MU * square * a[i];
                    force[3 * *node as usize + i] += mass[s * m + t] * body * wave;
                }
            }
        }
    }
    let given = (0..force.len()).map(|i| {
        let p = &mesh.points[i / 3];
        let fixed = !mesh.is_inner(i / 3) || i % 3 >= kind.dimension();
        fixed.then(|| exact(p)[i % 3])
    });
    let statics = Statics { solid: &solid, force, given: given.collect() };
    error_inside(&solid, &statics.solve(), &exact)
}

#[test]
fn displacements_converge_with_the_order_of_the_element() {
    for kind in kinds() {
        let wanted = if kind.cell().is_linear() { 2.0 } else { 3.0 };
        // Serendipity functions keep their order on parallelograms alone.
        let serendipity = [ElementKind::Quad8, ElementKind::Hex20].contains(&kind);
        let shake = if serendipity { 0.0 } else { 0.1 };
        let n = if kind.dimension() == 2 { 6 } else { 3 };
        let (coarse, fine) = (manufactured_error(kind, n, shake), manufactured_error(kind, 2 * n, shake));
        let slope = (coarse / fine).log2();
        println!("{kind:?}: {coarse:.2e} {fine:.2e}, order {slope:.2}");
        assert!(slope > wanted - 0.3, "{kind:?}: order {slope}");
    }
}

/// Elements of each kind, by their nodes.
type Groups = Vec<(ElementKind, Vec<u32>)>;

/// A body of several kinds in the unit cube: two hexahedra, a wedge pair, and a cube of pyramids, some of which are cut into tetrahedra;
/// in the plane quadrilaterals beside triangles.
fn mixed(dimension: usize, shake: f64) -> (Vec<[f64; 3]>, Groups) {
    let base = if dimension == 2 { ElementKind::Quad4 } else { ElementKind::Hex8 };
    let mesh = Mesh::corners_of(base, 3, shake);
    let mut points = mesh.points.clone();
    let mut groups: std::collections::BTreeMap<ElementKind, Vec<u32>> = std::collections::BTreeMap::new();
    for (k, hex) in mesh.nodes.chunks_exact(base.nodes()).enumerate() {
        let by = |c: &[usize]| c.iter().map(|c| hex[*c]).collect::<Vec<u32>>();
        let mut add = |kind: ElementKind, nodes: Vec<u32>| groups.entry(kind).or_default().extend(nodes);
        if dimension == 2 {
            if k % 2 == 0 {
                add(base, hex.to_vec());
            } else {
                add(ElementKind::Tri3, by(&[0, 1, 2]));
                add(ElementKind::Tri3, by(&[0, 2, 3]));
            }
            continue;
        }
        // Layers along x: hexahedra, then pyramids and tetrahedra; a row of wedges, cut along z so that their triangles meet no others.
        let (x, y) = (k % 3, k / 3 % 3);
        if y == 0 && x == 0 {
            add(ElementKind::Wedge6, by(&[0, 1, 2, 4, 5, 6]));
            add(ElementKind::Wedge6, by(&[0, 2, 3, 4, 6, 7]));
        } else if x == 2 {
            let middle = points.len() as u32;
            points
                .push(std::array::from_fn(|i| hex.iter().map(|a| points[*a as usize][i]).sum::<f64>() / 8.0));
            for (f, face) in base.cell().faces().iter().enumerate() {
                let c: Vec<u32> = face.iter().rev().map(|c| hex[*c]).collect();
                // The free side at x = 1 belongs to one element: it may be two tetrahedra.
                if f == 3 {
                    add(ElementKind::Tet4, vec![c[0], c[1], c[2], middle]);
                    add(ElementKind::Tet4, vec![c[0], c[2], c[3], middle]);
                } else {
                    add(ElementKind::Pyramid5, vec![c[0], c[1], c[2], c[3], middle]);
                }
            }
        } else {
            add(base, hex.to_vec());
        }
    }
    (points, groups.into_iter().collect())
}

#[test]
fn mixed_meshes_pass_the_patch_test() {
    let f2 = [[1.15, 0.2, 0.0], [-0.1, 0.9, 0.0], [0.0, 0.0, 1.0]];
    let f3 = [[1.15, 0.2, 0.05], [-0.1, 0.9, 0.1], [0.08, 0.0, 1.1]];
    for (name, law) in laws() {
        for (d, f) in [(2, f2), (3, f3)] {
            let (points, groups) = mixed(d, 0.3);
            assert_eq!(groups.len(), if d == 2 { 2 } else { 4 });
            let mut blocks = Vec::new();
            for (kind, nodes) in &groups {
                blocks.extend(ElementGroup::new(*kind, nodes, 1.0).build(&points, &law).unwrap());
            }
            let solid = Solid::new(&points, blocks, &[]).unwrap();
            let total: f64 = solid.mass().iter().sum();
            assert!((total - 1.0).abs() < 1e-13, "{name} {d}: {total}");
            let x = affine(solid.points(), &f, [0.0; 3]);
            let mut gradient = vec![0.0; x.len()];
            solid.gradient(0.0, &x, &mut gradient).unwrap();
            let inner = |p: &[f64; 3]| (0..d).all(|i| p[i] > 1e-9 && p[i] < 1.0 - 1e-9);
            let residual = |g: &[f64]| {
                let of = (0..points.len()).filter(|a| inner(&points[*a]));
                of.map(|a| max_abs(&g[3 * a..3 * a + 3])).fold(0.0, f64::max)
            };
            assert!(residual(&gradient) < 1e-13, "{name} {d}: {:e}", residual(&gradient));
            let mut off = x.clone();
            let moved = (0..points.len()).find(|a| inner(&points[*a])).unwrap();
            off[3 * moved] += 1e-3;
            solid.gradient(0.0, &off, &mut gradient).unwrap();
            assert!(residual(&gradient) > 1e-4, "{name}");
        }
    }
}

/// The tip of a cantilever along x under a shear force at its end, over that of the theory of beams with shear.
struct Beam {
    kind: ElementKind,
    integration: Integration,
    /// Along, across and in depth.
    cells: [usize; 3],
    size: [f64; 3],
    lame: Lame,
}

impl Beam {
    fn tip(&self) -> f64 {
        let unit = Beam::grid(self.kind, self.cells);
        let points: Vec<[f64; 3]> =
            unit.points.iter().map(|p| std::array::from_fn(|i| self.size[i] * p[i])).collect();
        let group =
            ElementGroup { integration: self.integration, ..ElementGroup::new(self.kind, &unit.nodes, 1.0) };
        let blocks = group.build(&points, &linear_law(self.lame)).unwrap();
        let solid = Solid::new(&points, blocks, &[]).unwrap();
        // A unit force over the end, by the masses of the last nodes; depth is free.
        let end: Vec<usize> = (0..points.len()).filter(|a| unit.points[*a][0] > 1.0 - 1e-9).collect();
        let whole: f64 = end.iter().map(|a| solid.mass()[*a]).sum();
        let mut force = vec![0.0; 3 * points.len()];
        end.iter().for_each(|a| force[3 * a + 1] = solid.mass()[*a] / whole);
        let held = |a: usize, i: usize| unit.points[a][0] < 1e-9 && (i < 2 || unit.points[a][2] < 1e-9);
        let given = (0..force.len()).map(|i| held(i / 3, i % 3).then_some(0.0)).collect();
        let u = Statics { solid: &solid, force, given }.solve();
        let [l, h, b] = self.size;
        let (young, mu) = (self.lame.young(), self.lame.mu);
        let theory = 4.0 * l.powi(3) / (young * b * h.powi(3)) + 1.2 * l / (mu * b * h);
        end.iter().map(|a| u[3 * a + 1] * solid.mass()[*a] / whole).sum::<f64>() / theory
    }

    /// A unit cube of unequal counts of cells.
    fn grid(kind: ElementKind, cells: [usize; 3]) -> Mesh {
        let n = cells.into_iter().max().unwrap();
        let fine = Mesh::new(kind, n, 0.0, 0.0);
        // Only cells near the origin, stretched to the unit cube.
        let keep = |p: &[f64; 3]| (0..3).all(|i| p[i] <= cells[i] as f64 / n as f64 + 1e-9);
        let mut place = vec![u32::MAX; fine.points.len()];
        let mut points = Vec::new();
        for (a, p) in fine.points.iter().enumerate().filter(|(_, p)| keep(p)) {
            place[a] = points.len() as u32;
            points.push(std::array::from_fn(|i| p[i] * n as f64 / cells[i] as f64));
        }
        let elements = fine.nodes.chunks_exact(kind.nodes());
        let inside = elements.filter(|e| e.iter().all(|a| place[*a as usize] != u32::MAX));
        Mesh { kind, points, nodes: inside.flatten().map(|a| place[*a as usize]).collect(), ring: false }
    }
}

/// Thick and thin beams, compressible and not: hexahedra with averaged volume converge, with the square of their size, to what quadratic
/// elements find; with a volume ratio at every point nearly incompressible matter cannot bend.
#[test]
fn averaged_volume_hexahedra_bend_and_do_not_lock() {
    use Integration::*;
    // Conjugate gradients do not reach the equilibrium of beams that are thin and nearly incompressible.
    for (length, along, values) in [(4.0, 4, &[0.3, 0.4999][..]), (16.0, 16, &[0.3])] {
        for poisson in values.iter().copied() {
            let beam = |kind, integration, n: usize| {
                let lame = Lame::from_young(1.0, poisson).unwrap();
                Beam { kind, integration, cells: [along * n, 2 * n, 2 * n], size: [length, 1.0, 1.0], lame }
                    .tip()
            };
            let quadratic = beam(ElementKind::Hex27, Full, 1);
            let tet = beam(ElementKind::Tet10, Full, 1);
            let [coarse, fine] = [1, 2].map(|n| beam(ElementKind::Hex8, AveragedVolume, n));
            let limit = (4.0 * fine - coarse) / 3.0;
            let full = beam(ElementKind::Hex8, Full, 2);
            let name = format!("length {length}, nu {poisson}");
            println!(
                "{name}: tet10 {tet:.3}, hex27 {quadratic:.3}, hex8 {coarse:.3} {fine:.3} -> {limit:.3}, full {full:.3}"
            );
            // The theory leaves the clamped end free to contract, which counts in thick beams that keep their volume.
            assert!(
                (quadratic - 1.0).abs() < 0.06 || (length < 5.0 && poisson > 0.49),
                "{name}: {quadratic}"
            );
            assert!((limit / quadratic - 1.0).abs() < 0.07, "{name}: {coarse} {fine} {limit} {quadratic}");
            assert!((fine / tet - 1.0).abs() < 0.12 && fine > full, "{name}: {fine} {tet} {full}");
            assert!(poisson < 0.49 || full < 0.75 * fine, "{name}: {fine} {full}");
        }
    }
}
