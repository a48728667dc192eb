//! Pressures: forces that follow the surface.

use super::bodies::*;
use stationary::mesh::CellKind;
use stationary::model::solid::{ElementKind, LoadsBuilder};
use stationary::model::{FieldValues, Potentials};

const KINDS: [ElementKind; 4] = [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4, ElementKind::Tet10];

/// Any deformation: every node is moved on its own.
fn deformed(points: &[[f64; 3]], flat: bool, by: f64, seed: u64) -> Vec<f64> {
    let mut random = Random(seed);
    points
        .iter()
        .flat_map(|p| {
            std::array::from_fn::<f64, 3, _>(|i| if flat && i == 2 { 0.0 } else { p[i] + by * random.next() })
        })
        .collect()
}

#[test]
fn uniform_pressure_around_a_body_has_zero_resultant() {
    for kind in KINDS {
        let body = small(kind);
        let x = deformed(&body.points, kind.dimension() == 2, 0.2, 4);
        let (problem, _) = Setup::new(body).pressure("2.5", |_| true).finish(0.1);
        let (mut sum, mut moment, mut size) = ([0.0; 3], [0.0; 3], 0.0);
        for k in 0..problem.count() {
            let nodes = problem.nodes(k);
            let (mut dead, mut f) = ([0.0; 30], [0.0; 30]);
            problem.load(k, 0.0, &x, &mut dead[..3 * nodes.len()], &mut f[..3 * nodes.len()]);
            for (a, f) in nodes.iter().zip(f.chunks_exact(3)) {
                let x = &x[3 * *a as usize..][..3];
                for i in 0..3 {
                    let (j, l) = ((i + 1) % 3, (i + 2) % 3);
                    sum[i] += f[i];
                    moment[i] += x[j] * f[l] - x[l] * f[j];
                    size += f[i].abs();
                }
            }
        }
        assert!(size > 5.0, "{kind:?}: {size}");
        assert!(largest(sum) < 1e-13 * size && largest(moment) < 1e-13 * size, "{kind:?} {sum:?} {moment:?}");
    }
}

/// One element under a pressure on all its sides.
fn element(kind: ElementKind, pressure: &str) -> (Vec<[f64; 3]>, stationary::model::solid::Loads) {
    let body = grid(kind, [1, 1, 1], [1.0, 1.0, 1.0], 1.0, 0.1);
    let nodes: Vec<u32> = (0..kind.nodes() as u32).collect();
    let points = body.element(0).iter().map(|a| body.points[*a as usize]).collect::<Vec<_>>();
    let mut loads = LoadsBuilder::default();
    for side in kind.cell().faces() {
        let side: Vec<u32> = side.iter().map(|a| *a as u32).collect();
        loads.pressure(0, &nodes, &side, body.depth(), &field(&[pressure]));
    }
    let loads = loads.finish(&points, 1);
    (points, loads)
}

/// The volume of one element with curved sides, by a rule of high order from its shape functions.
fn volume(kind: CellKind, x: &[f64]) -> f64 {
    let gauss: [(f64, f64); 4] = [
        (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
        (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
        (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
        (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
    ];
    let d = kind.dimension() as usize;
    let quadratic = kind.nodes() > d + 1;
    // The shape functions, with a step along one barycentric coordinate at the cost of the first.
    let place = |l: &[f64], i: usize| {
        let mut sum = 0.0;
        for a in 0..=d {
            sum += x[3 * a + i] * if quadratic { l[a] * (2.0 * l[a] - 1.0) } else { l[a] };
        }
        if quadratic {
            for (m, [a, b]) in kind.edges().iter().enumerate() {
                sum += x[3 * (d + 1 + m) + i] * 4.0 * l[*a] * l[*b];
            }
        }
        sum
    };
    let mut total = 0.0;
    for (u, wu) in gauss {
        for (v, wv) in gauss {
            for (w, ww) in if d == 3 { gauss.to_vec() } else { vec![(0.0, 1.0)] } {
                let (a, b) = (u, v * (1.0 - u));
                let rest = (1.0 - u) * (1.0 - v);
                let c = w * rest;
                let l = [1.0 - a - b - c, a, b, c];
                let jacobian = (1.0 - u) * if d == 3 { rest } else { 1.0 };
                // Places are quadratic in l: a central difference is exact.
                let mut along = [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0]];
                for e in 0..d {
                    let (mut up, mut down) = (l, l);
                    (up[0], up[e + 1]) = (l[0] - 0.5, l[e + 1] + 0.5);
                    (down[0], down[e + 1]) = (l[0] + 0.5, l[e + 1] - 0.5);
                    along[e] = std::array::from_fn(|i| place(&up, i) - place(&down, i));
                }
                let [p, q, r] = along;
                let det = p[0] * (q[1] * r[2] - q[2] * r[1]) - p[1] * (q[0] * r[2] - q[2] * r[0])
                    + p[2] * (q[0] * r[1] - q[1] * r[0]);
                total += wu * wv * ww * jacobian * det;
            }
        }
    }
    total
}

/// The force of a pressure on all sides of an element is `-p dvolume/dx`, exactly, curved or not: the volume is of the
/// first degree in every single coordinate, so that a difference is its derivative.
#[test]
fn pressure_forces_on_curved_sides_are_exact() {
    for kind in KINDS {
        let (points, loads) = element(kind, "0.7");
        let flat = kind.dimension() == 2;
        let mut x = deformed(&points, flat, 0.1, 8);
        let n = x.len();
        let (mut dead, mut f) = (vec![0.0; n], vec![0.0; n]);
        assert!(loads.forces(0, &mut FieldValues::new(0.0), &x, &mut dead, &mut f).follower);
        assert!(largest(f.iter().copied()) > 0.02);
        for i in (0..n).filter(|i| !flat || i % 3 < 2) {
            let old = x[i];
            x[i] = old + 0.5;
            let up = volume(kind.cell(), &x);
            x[i] = old - 0.5;
            let slope = up - volume(kind.cell(), &x);
            x[i] = old;
            assert!((f[i] + 0.7 * slope).abs() < 1e-13, "{kind:?} {i}: {} {slope}", f[i]);
        }
    }
}

#[test]
fn pressure_stiffness_is_the_derivative_of_the_pressure_forces() {
    let cases = KINDS.map(|kind| [(kind, "0.7"), (kind, "0.7 + X - 0.4*Y^2")]);
    for (kind, pressure) in cases.into_iter().flatten() {
        let (points, loads) = element(kind, pressure);
        let mut x = deformed(&points, kind.dimension() == 2, 0.1, 21);
        let n = x.len();
        let mut stiffness = vec![0.0; n * n];
        loads.subtract_stiffness(0, 0.0, &x, kind.nodes(), &mut stiffness);
        assert!(largest(stiffness.iter().copied()) > 0.02);
        let (mut dead, mut up, mut down) = (vec![0.0; n], vec![0.0; n], vec![0.0; n]);
        for j in 0..n {
            let old = x[j];
            // Forces are quadratic in the positions.
            x[j] = old + 0.25;
            loads.forces(0, &mut FieldValues::new(0.0), &x, &mut dead, &mut up);
            x[j] = old - 0.25;
            loads.forces(0, &mut FieldValues::new(0.0), &x, &mut dead, &mut down);
            x[j] = old;
            for i in 0..n {
                let slope = 2.0 * (up[i] - down[i]);
                assert!(
                    (stiffness[i * n + j] + slope).abs() < 1e-13,
                    "{kind:?} {i} {j}: {} {slope}",
                    stiffness[i * n + j]
                );
            }
        }
    }
}
