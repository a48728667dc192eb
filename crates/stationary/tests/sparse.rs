//! Laws of synchronous methods on bodies, on small meshes of neo-Hookean triangles and tetrahedra.

use stationary::integrate::sparse::{Sparse, SparseCause, SparseStart};
use stationary::integrate::{BuildError, Method, Start};
use stationary::linalg::max_abs;
use stationary::model::solid::{
    ConstitutiveLaw, ElementFault, ElementGroup, ElementKind, Lame, NeoHookean, Solid,
};
use stationary::model::{Jet, Lagrangian, Mass, PotentialFault, Structure};
use std::sync::Arc;

const ALL: [Method; 17] = [
    Method::Midpoint { alpha: 0.5 },
    Method::Midpoint { alpha: 0.3 },
    Method::Midpoint { alpha: 1.0 },
    Method::Trapezoidal { alpha: 0.5 },
    Method::Trapezoidal { alpha: 0.2 },
    Method::Newmark { beta: 0.25, gamma: 0.5 },
    Method::Newmark { beta: 0.3, gamma: 0.6 },
    Method::Newmark { beta: 0.0, gamma: 0.5 },
    Method::Gauss { stages: 1 },
    Method::Gauss { stages: 2 },
    Method::Gauss { stages: 3 },
    Method::Lobatto { points: 2 },
    Method::Lobatto { points: 3 },
    Method::Lobatto { points: 4 },
    Method::Verlet { order: 4 },
    Method::Verlet { order: 8 },
    Method::RungeKutta4,
];

/// How the nodes at the left end are fixed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Support {
    None,
    Fixed,
    /// All nodes of the end, moved up and down.
    Driven,
    /// Only along the first axis, the other components free.
    Roller,
}

const SWING: f64 = 0.05;
const OMEGA: f64 = 3.0;

/// A solid with supports, under gravity.
struct Body {
    solid: Solid,
    fixed: Vec<bool>,
    support: Support,
    gravity: f64,
}

fn fault(f: ElementFault) -> PotentialFault {
    PotentialFault { number: f.element(), why: f.why() }
}

impl Structure for Body {
    fn mass(&self) -> &[f64] {
        self.solid.mass()
    }
    fn elements(&self) -> usize {
        self.solid.elements()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        let (block, k) = self.solid.locate(k);
        block.nodes(k)
    }
    fn gradient(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let mut energy = self.solid.gradient(t, x, out).map_err(fault)?;
        for (a, m) in self.mass().iter().enumerate() {
            out[3 * a + 1] += m * self.gravity;
            energy += m * self.gravity * x[3 * a + 1];
        }
        Ok(energy)
    }
    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        let (block, k) = self.solid.locate(k);
        block.tangent(k, t, x, out).map_err(fault)
    }
    fn is_fixed(&self, i: usize) -> bool {
        self.fixed[i]
    }
    fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        for i in (0..x.len()).filter(|i| self.fixed[*i]) {
            (x[i], v[i]) = (self.solid.points()[i], 0.0);
            if self.support == Support::Driven && i % 3 == 1 {
                x[i] += SWING * (OMEGA * t).sin();
                v[i] = SWING * OMEGA * (OMEGA * t).cos();
            }
        }
    }
}

/// A bar `n` by `m` (by `m`) cells.
fn body(kind: ElementKind, [n, m]: [usize; 2], support: Support) -> Arc<Body> {
    let layers = if kind == ElementKind::Tet4 { m + 1 } else { 1 };
    let mut points = Vec::new();
    for k in 0..layers {
        for j in 0..=m {
            for i in 0..=n {
                points.push([i as f64, j as f64, k as f64].map(|x| 0.5 * x));
            }
        }
    }
    let at = |i: usize, j: usize, k: usize| ((k * (m + 1) + j) * (n + 1) + i) as u32;
    let mut nodes = Vec::new();
    for i in 0..n {
        for j in 0..m {
            if kind == ElementKind::Tri3 {
                let [a, b, c, d] = [at(i, j, 0), at(i + 1, j, 0), at(i + 1, j + 1, 0), at(i, j + 1, 0)];
                nodes.extend([a, b, c, a, c, d]);
                continue;
            }
            for k in 0..m {
                // Six tetrahedra around the diagonal of the cell.
                for path in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [1, 0, 2], [2, 1, 0]] {
                    let (mut corner, mut cell) = ([i, j, k], vec![at(i, j, k)]);
                    for axis in path {
                        corner[axis] += 1;
                        cell.push(at(corner[0], corner[1], corner[2]));
                    }
                    if path[1] != (path[0] + 1) % 3 {
                        cell.swap(1, 2);
                    }
                    nodes.extend(cell);
                }
            }
        }
    }
    let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(30.0, 20.0).unwrap()).unwrap());
    let blocks = ElementGroup::new(kind, &nodes, 1.5).build(&points, &law).unwrap();
    let solid = Solid::new(&points, blocks, &[]).unwrap();
    let fixed = (0..3 * points.len())
        .map(|i| match support {
            Support::None => false,
            Support::Roller => points[i / 3][0] == 0.0 && i % 3 == 0,
            _ => points[i / 3][0] == 0.0,
        })
        .collect();
    let gravity = if support == Support::None { 0.0 } else { 0.4 };
    Arc::new(Body { solid, fixed, support, gravity })
}

/// Turning, sheared and shaken; flat bodies stay in their plane.
fn start(body: &Body, h: f64) -> SparseStart {
    let points = body.solid.points();
    let flat = points.chunks(3).all(|x| x[2] == 0.0);
    let (mut x, mut v) = (points.to_vec(), vec![0.0; points.len()]);
    for i in 0..x.len() {
        if flat && i % 3 == 2 {
            continue;
        }
        x[i] += 0.02 * (i as f64 * 1.9).sin();
        v[i] = 0.1 * (i as f64 * 2.3).cos()
            + [-0.3 * points[i / 3 * 3 + 1], 0.3 * points[i / 3 * 3], 0.05][i % 3];
    }
    SparseStart { t: 0.3, h, x, v }
}

fn run(body: &Arc<Body>, method: Method, h: f64) -> Sparse<Arc<Body>> {
    Sparse::new(Arc::clone(body), method, start(body, h), 1e-15).unwrap()
}

/// The free components of the same body as a Lagrangian, dense.
struct Dense {
    body: Arc<Body>,
    free: Vec<usize>,
    mass: Mass,
}

impl Dense {
    fn new(body: &Arc<Body>) -> Self {
        let free: Vec<usize> = (0..body.fixed.len()).filter(|i| !body.fixed[*i]).collect();
        let mass: Vec<f64> = free.iter().map(|i| body.mass()[i / 3]).collect();
        Dense { body: Arc::clone(body), free, mass: Mass::diagonal(&mass).unwrap() }
    }
    fn place(&self, t: f64, q: &[f64]) -> Vec<f64> {
        let mut x = self.body.solid.points().to_vec();
        let mut v = x.clone();
        self.free.iter().zip(q).for_each(|(i, q)| x[*i] = *q);
        self.body.impose(t, &mut x, &mut v);
        x
    }
}

impl Lagrangian for Dense {
    fn dimension(&self) -> usize {
        self.free.len()
    }
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let x = self.place(t, q);
        let mut gradient = x.clone();
        // The dense path asks once where no body can be.
        let energy = self.body.gradient(t, &x, &mut gradient).unwrap_or_else(|_| {
            gradient.fill(f64::NAN);
            f64::NAN
        });
        let parts = jet.parts();
        *parts.value = -energy;
        for (a, i) in self.free.iter().enumerate() {
            let m = self.body.mass()[i / 3];
            parts.dq[a] = -gradient[*i];
            parts.dv[a] = m * v[a];
            *parts.value += 0.5 * m * v[a] * v[a];
        }
    }
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.first(t, q, v, jet);
        let (x, n) = (self.place(t, q), self.free.len());
        let number: Vec<Option<usize>> =
            (0..x.len()).map(|i| self.free.iter().position(|f| *f == i)).collect();
        let parts = jet.parts();
        parts.dqq.fill(0.0);
        let mut element = vec![0.0; 144];
        for k in 0..self.body.elements() {
            if self.body.tangent(k, t, &x, &mut element).is_err() {
                element.fill(f64::NAN);
            }
            let own = self.body.nodes(k);
            let at = |i: usize| number[3 * own[i / 3] as usize + i % 3];
            for i in 0..3 * own.len() {
                for j in 0..3 * own.len() {
                    if let (Some(a), Some(b)) = (at(i), at(j)) {
                        parts.dqq[a * n + b] -= element[i * 3 * own.len() + j];
                    }
                }
            }
        }
        self.free.iter().enumerate().for_each(|(a, i)| parts.dvv[a * n + a] = self.body.mass()[i / 3]);
    }
    fn mass(&self) -> Option<&Mass> {
        Some(&self.mass)
    }
}

#[test]
fn sparse_and_dense_solvers_agree_for_every_method() {
    for (kind, support) in [
        (ElementKind::Tri3, Support::None),
        (ElementKind::Tri3, Support::Fixed),
        (ElementKind::Tet4, Support::Driven),
        (ElementKind::Tet4, Support::Roller),
    ] {
        let body = body(kind, [2, 1], support);
        for method in ALL {
            let (h, steps) = (0.01, 12);
            let mut sparse = run(&body, method, h);
            let dense = Dense::new(&body);
            let free = dense.free.clone();
            let (q, p) = free.iter().map(|i| (sparse.positions()[*i], sparse.momenta()[*i])).unzip();
            let mut dense = method.start(dense, &Start { t: 0.3, q, p, h }, 1e-15).unwrap();
            dense.advance(steps).unwrap();
            (0..steps).for_each(|_| sparse.step().unwrap());
            for (a, i) in free.iter().enumerate() {
                let (dq, dp) =
                    (sparse.positions()[*i] - dense.view().q[a], sparse.momenta()[*i] - dense.view().p[a]);
                assert!(dq.abs() < 1e-12 && dp.abs() < 1e-12, "{method} {kind:?} {support:?}: {dq:e} {dp:e}");
            }
            assert!(free.iter().any(|i| (sparse.positions()[*i] - body.solid.points()[*i]).abs() > 0.01));
        }
    }
}

#[test]
fn sparse_methods_have_their_order_with_and_without_supports() {
    for support in [Support::None, Support::Driven] {
        let body = body(ElementKind::Tri3, [2, 1], support);
        let at_end = |method: Method, steps: usize| {
            let mut sparse = run(&body, method, 0.4 / steps as f64);
            (0..steps).for_each(|_| sparse.step().unwrap());
            [sparse.positions(), sparse.momenta()].concat()
        };
        let exact = at_end(Method::Gauss { stages: 6 }, 40);
        for method in ALL {
            let steps = if method.order() > 4 { [10, 20] } else { [40, 80] };
            let errors = steps.map(|n| {
                let x = at_end(method, n);
                max_abs(&x.iter().zip(&exact).map(|(x, e)| x - e).collect::<Vec<_>>())
            });
            let order = (errors[0] / errors[1]).log2();
            let promised = method.order() as f64;
            assert!(
                order > promised - 0.4 && order < promised + 1.2,
                "{method} {support:?}: order {order:.2}, errors {errors:?}"
            );
        }
    }
}

/// Linear and angular momentum, and their scales.
fn momenta(run: &Sparse<Arc<Body>>) -> ([f64; 6], [f64; 2]) {
    let x = run.canonical().unwrap();
    let (mut sums, mut scales) = ([0.0; 6], [0.0; 2]);
    for (x, p) in x.chunks(3).zip(run.momenta().chunks(3)) {
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            sums[i] += p[i];
            sums[3 + i] += x[j] * p[k] - x[k] * p[j];
            scales[0] += p[i].abs();
            scales[1] += (x[j] * p[k]).abs() + (x[k] * p[j]).abs();
        }
    }
    (sums, scales)
}

#[test]
fn sparse_methods_conserve_momenta_of_a_free_body() {
    let body = body(ElementKind::Tet4, [2, 1], Support::None);
    for method in ALL {
        let mut run = run(&body, method, 0.02);
        let (before, scales) = momenta(&run);
        let mut worst = [0.0f64; 2];
        for _ in 0..1000 {
            run.step().unwrap();
        }
        let (after, _) = momenta(&run);
        for i in 0..6 {
            worst[i / 3] = worst[i / 3].max((after[i] - before[i]).abs() / scales[i / 3]);
        }
        assert!(worst[0] < 1e-12, "{method}: linear momentum {:e}", worst[0]);
        if method.variational() {
            assert!(worst[1] < 1e-12, "{method}: angular momentum {:e}", worst[1]);
        } else {
            // The law can fail.
            assert!(worst[1] > 1e-10, "{method}: angular momentum {:e}", worst[1]);
        }
    }
}

#[test]
fn sparse_methods_follow_supports_and_reactions_balance_the_momentum() {
    for support in [Support::Fixed, Support::Driven, Support::Roller] {
        let body = body(ElementKind::Tet4, [2, 1], support);
        let total: f64 = body.mass().iter().sum();
        for method in ALL {
            let h = 0.02;
            let mut run = run(&body, method, h);
            for _ in 0..50 {
                let before = momenta(&run).0;
                run.step().unwrap();
                let after = momenta(&run).0;
                for i in 0..3 {
                    let reaction: f64 = run.reactions().iter().skip(i).step_by(3).sum();
                    let gravity = if i == 1 { -total * body.gravity } else { 0.0 };
                    let rest = after[i] - before[i] - h * (reaction + gravity);
                    assert!(rest.abs() < 1e-12, "{method} {support:?}: {rest:e}");
                }
            }
            let (mut x, mut v) = (run.positions().to_vec(), run.velocities().to_vec());
            body.impose(run.time(), &mut x, &mut v);
            assert_eq!((&x[..], &v[..]), (run.positions(), run.velocities()), "{method}");
            for i in 0..x.len() {
                assert!(body.fixed[i] || run.reactions()[i] == 0.0);
            }
            assert!(max_abs(run.reactions()) > 0.01);
        }
    }
}

#[test]
fn sparse_midpoint_and_newmark_are_stable_far_above_the_explicit_limit() {
    let mut body = body(ElementKind::Tet4, [6, 1], Support::Fixed);
    Arc::get_mut(&mut body).unwrap().gravity = 0.02;
    let steps = body.solid.steps_eigen(1.0, body.solid.points(), Default::default()).unwrap();
    let limit = steps.into_iter().fold(f64::INFINITY, f64::min);
    for method in [Method::Midpoint { alpha: 0.5 }, Method::Newmark { beta: 0.25, gamma: 0.5 }] {
        let mut start = start(&body, 50.0 * limit);
        // At rest, under its weight.
        start.x.copy_from_slice(body.solid.points());
        start.v.fill(0.0);
        let mut run = Sparse::new(Arc::clone(&body), method, start, 1e-15).unwrap();
        let before: f64 = run.energy().unwrap().iter().sum();
        let (mut largest, mut fallen) = (0.0f64, 0.0f64);
        for _ in 0..200 {
            run.step().unwrap();
            let [kinetic, potential] = run.energy().unwrap();
            largest = largest.max(kinetic);
            let drift = (kinetic + potential - before).abs();
            assert!(drift < 2e-3, "{method}: {drift} {kinetic} {potential} {before}");
            fallen = fallen.max(body.solid.points()[19] - run.positions()[19]);
        }
        assert!(largest > 1e-4 && fallen > 0.1, "{method}: it moves, {largest} {fallen}");
    }
}

/// A body all of whose masses and forces are multiplied.
struct Heavy {
    body: Arc<Body>,
    mass: Vec<f64>,
    scale: f64,
}

impl Structure for Heavy {
    fn mass(&self) -> &[f64] {
        &self.mass
    }
    fn elements(&self) -> usize {
        self.body.elements()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        self.body.nodes(k)
    }
    fn gradient(&self, t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let energy = self.body.gradient(t, x, out)?;
        out.iter_mut().for_each(|f| *f *= self.scale);
        Ok(self.scale * energy)
    }
    fn tangent(&self, k: usize, t: f64, x: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        self.body.tangent(k, t, x, out)
    }
    fn is_fixed(&self, i: usize) -> bool {
        self.body.is_fixed(i)
    }
    fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        self.body.impose(t, x, v);
    }
}

#[test]
fn sparse_explicit_fast_path_agrees_with_the_general_path() {
    // Momenta of 1e120 are left to the general step.
    for support in [Support::None, Support::Driven, Support::Roller] {
        let body = body(ElementKind::Tet4, [2, 1], support);
        for method in [Method::Verlet { order: 2 }, Method::Trapezoidal { alpha: 0.2 }] {
            let [short, general] = [1.0, 1e120].map(|scale| {
                let mass = body.mass().iter().map(|m| scale * m).collect();
                let heavy = Heavy { body: Arc::clone(&body), mass, scale };
                let mut run = Sparse::new(heavy, method, start(&body, 0.02), 1e-15).unwrap();
                (0..200).for_each(|_| run.step().unwrap());
                let scaled = |x: &[f64]| x.iter().map(|x| x / scale).collect::<Vec<_>>();
                [run.positions().to_vec(), run.velocities().to_vec(), scaled(run.reactions())]
            });
            for (a, b) in short.iter().flatten().zip(general.iter().flatten()) {
                assert!((a - b).abs() < 1e-10, "{support:?} {method}: {a} {b}");
            }
        }
    }
}

#[test]
fn sparse_explicit_step_that_fails_leaves_the_last_good_state() {
    let body = body(ElementKind::Tet4, [2, 1], Support::Roller);
    let mut start = start(&body, 0.05);
    start.v.iter_mut().for_each(|v| *v *= 10.0);
    let mut run = Sparse::new(body, Method::Verlet { order: 2 }, start, 1e-15).unwrap();
    let (mut good, mut steps) = (run.state(), 0);
    let error = loop {
        match run.step() {
            Ok(()) => (good, steps) = (run.state(), steps + 1),
            Err(error) => break error,
        }
        assert!(steps < 1000, "too slow to break");
    };
    assert!(steps > 2 && error.to_string().contains("inverted"), "{steps}: {error}");
    assert_eq!(run.state(), good);
    assert_eq!(run.step().unwrap_err(), error);
    assert_eq!(run.state(), good);
}

#[test]
fn sparse_restored_run_continues_bit_by_bit() {
    let body = body(ElementKind::Tet4, [2, 1], Support::Driven);
    for method in ALL {
        for early in [0, 7] {
            let mut one = run(&body, method, 0.02);
            (0..early).for_each(|_| one.step().unwrap());
            let saved = one.state();
            (0..20).for_each(|_| one.step().unwrap());
            let mut other = run(&body, method, 0.02);
            (0..3).for_each(|_| other.step().unwrap());
            other.restore(&saved).unwrap();
            assert_eq!(other.state(), saved);
            (0..20).for_each(|_| other.step().unwrap());
            assert_eq!(one.state(), other.state(), "{method} {early}");
            assert_eq!(one.velocities(), other.velocities());
        }
    }
    let mut other = run(&body, ALL[0], 0.05);
    let mut cut = other.state();
    cut.values.pop();
    assert!(matches!(other.restore(&cut), Err(BuildError::Unsuited(_))));
}

/// Two masses on a hill, `V = (k (x_0^2 - x_1^2) + c x_0 x_1) / 2` in every direction: neither rest nor a minimum.
struct Saddle {
    fixed: bool,
}

impl Structure for Saddle {
    fn mass(&self) -> &[f64] {
        &[1.0, 2.0]
    }
    fn elements(&self) -> usize {
        1
    }
    fn nodes(&self, _: usize) -> &[u32] {
        &[1, 0]
    }
    fn gradient(&self, _: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let mut energy = 0.0;
        for i in 0..3 {
            let (a, b) = (x[i], x[3 + i]);
            (out[i], out[3 + i]) = (9.0 * a + 2.0 * b, -9.0 * b + 2.0 * a);
            energy += 4.5 * (a * a - b * b) + 2.0 * a * b;
        }
        Ok(energy)
    }
    fn tangent(&self, _: usize, _: f64, _: &[f64], out: &mut [f64]) -> Result<(), PotentialFault> {
        for k in 0..36 {
            let (i, j) = (k / 6, k % 6);
            let own = if i < 3 { -9.0 } else { 9.0 };
            out[k] = if i == j { own } else { 2.0 * f64::from(u8::from(i % 3 == j % 3)) };
        }
        Ok(())
    }
    fn is_fixed(&self, _: usize) -> bool {
        self.fixed
    }
    fn impose(&self, t: f64, x: &mut [f64], v: &mut [f64]) {
        if self.fixed {
            x.fill(t);
            v.fill(1.0);
        }
    }
}

#[test]
fn sparse_solver_handles_indefinite_matrices() {
    // Four masses less nine times the square of the step: negative.
    let h = 1.0;
    let start = SparseStart { t: 0.0, h, x: vec![0.3, -0.2, 0.1, 0.2, 0.5, -0.4], v: vec![0.1; 6] };
    for (method, middle) in
        [(Method::Midpoint { alpha: 0.5 }, true), (Method::Newmark { beta: 0.25, gamma: 0.5 }, false)]
    {
        let mut run = Sparse::new(Saddle { fixed: false }, method, start.clone(), 1e-15).unwrap();
        let (x0, p0) = (run.positions().to_vec(), run.momenta().to_vec());
        run.step().unwrap();
        let [mut f0, mut f1] = [x0.clone(), x0.clone()];
        run.structure().gradient(0.0, &x0, &mut f0).unwrap();
        run.structure().gradient(0.0, run.positions(), &mut f1).unwrap();
        // Both are the trapezoidal rule for linear forces.
        for i in 0..6 {
            let (x1, p1, m) = (run.positions()[i], run.momenta()[i], run.structure().mass()[i / 3]);
            assert!((p1 - p0[i] + 0.5 * h * (f0[i] + f1[i])).abs() < 1e-13, "{method} {i}");
            assert!((m * (x1 - x0[i]) - 0.5 * h * (p0[i] + p1)).abs() < 1e-13, "{method} {i}");
        }
        assert_eq!(middle, run.canonical().unwrap() == run.positions());
    }
}

#[test]
fn sparse_body_with_all_components_prescribed_follows_its_supports() {
    for method in ALL {
        let start = SparseStart { t: 0.5, h: 0.25, x: vec![0.0; 6], v: vec![0.0; 6] };
        let mut run = Sparse::new(Saddle { fixed: true }, method, start, 1e-15).unwrap();
        run.step().unwrap();
        assert_eq!((run.positions(), run.momenta()), (&[0.75; 6][..], &[1., 1., 1., 2., 2., 2.][..]));
    }
}

#[test]
fn sparse_factorisation_is_reused_over_many_steps() {
    let body = body(ElementKind::Tet4, [4, 1], Support::Fixed);
    let mut run = run(&body, Method::Midpoint { alpha: 0.5 }, 0.02);
    (0..200).for_each(|_| run.step().unwrap());
    let (factorizations, iterations) = (run.factorizations(), run.newton_iterations());
    assert!(factorizations < 40 && iterations < 200 * 12, "{factorizations} {iterations}");
}

#[test]
fn sparse_methods_report_faults_with_time_and_element() {
    let body = body(ElementKind::Tet4, [2, 1], Support::Fixed);
    let method = Method::Midpoint { alpha: 0.5 };
    let refused = |change: &dyn Fn(&mut SparseStart)| {
        let mut start = start(&body, 0.1);
        change(&mut start);
        match Sparse::new(Arc::clone(&body), method, start, 1e-15) {
            Err(BuildError::Unsuited(text)) => text,
            _ => panic!("accepted"),
        }
    };
    assert!(refused(&|s| s.x.truncate(5)).contains("5 initial positions: expected 36"));
    assert!(refused(&|s| s.v[4] = f64::NAN).contains("velocities of node 1"));
    assert!(refused(&|s| s.h = 0.0).contains("step 0"));
    // Two nodes that pass through each other within a step: no configuration to be found on the way.
    let mut violent = start(&body, 0.5);
    violent.v.iter_mut().for_each(|v| *v *= 1e4);
    let mut run = Sparse::new(Arc::clone(&body), Method::Trapezoidal { alpha: 0.5 }, violent, 1e-15).unwrap();
    let (x, error) = (run.positions().to_vec(), run.step().unwrap_err());
    assert!(matches!(error.cause, SparseCause::Potential(_)), "{error}");
    assert!(error.to_string().contains("stopped at time 0.3 after 0 steps: element"), "{error}");
    assert_eq!((run.positions(), run.steps()), (&x[..], 0));
}

/// Seconds of one factorization and one solve at about 20,000 unknowns.
#[test]
#[ignore = "a measurement: cargo test --release -p stationary --test solids -- --ignored --nocapture seconds"]
fn sparse_seconds_per_step_of_a_large_body() {
    for (kind, cells, method) in [
        (ElementKind::Tet4, [40, 12], Method::Midpoint { alpha: 0.5 }),
        (ElementKind::Tri3, [200, 33], Method::Midpoint { alpha: 0.5 }),
        (ElementKind::Tet4, [20, 8], Method::Gauss { stages: 2 }),
        (ElementKind::Tri3, [200, 33], Method::Gauss { stages: 2 }),
    ] {
        let body = body(kind, cells, Support::Fixed);
        let clock = std::time::Instant::now();
        let mut run = run(&body, method, 0.05);
        let built = clock.elapsed().as_secs_f64();
        let clock = std::time::Instant::now();
        run.step().unwrap();
        let first = clock.elapsed().as_secs_f64();
        let (f, n) = (run.factorizations(), run.newton_iterations());
        let clock = std::time::Instant::now();
        (0..10).for_each(|_| run.step().unwrap());
        let ten = clock.elapsed().as_secs_f64();
        println!(
            "{} {method}: {} components, {} elements: built {built:.2} s; first step {first:.2} s, {f} factorizations, \
             {n} solves; ten more {ten:.2} s, {} factorizations, {} solves",
            kind.name(),
            run.positions().len(),
            body.elements(),
            run.factorizations() - f,
            run.newton_iterations() - n
        );
    }
}
