//! Synchronous steps of neo-Hookean tetrahedra against vector C (`solids.c`) on the same mesh.

use crate::measure::Outcome;
use stationary::integrate::Method;
use stationary::integrate::sparse::{Sparse, SparseStart};
use stationary::model::Supports;
use stationary::model::solid::{Group, Kind, Lame, Law, LoadsBuilder, NeoHookean, Problem, Solid};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

const LAME: [f64; 2] = [3.0, 1.3];
/// The largest ratio allowed.
const BAR: f64 = 1.15;
/// Steps of one repetition, pairs of repetitions in a round, and rounds before a missed bar is believed.
const STEPS: u64 = 4;
const REPETITIONS: usize = 150;
const ROUNDS: usize = 60;
const PAUSE: Duration = Duration::from_millis(500);

/// A cube of `6 n^3` tetrahedra, inner nodes shaken, numbered in the order in which elements need them.
pub struct Cube {
    /// Tet4 or tet10.
    pub kind: Kind,
    /// Places of the nodes at rest.
    pub points: Vec<[f64; 3]>,
    /// Nodes of the elements.
    pub nodes: Vec<u32>,
}

impl Cube {
    /// Cells a side, and the kind.
    pub fn new(n: usize, kind: Kind) -> Self {
        let mut random = 7u64;
        let mut next = || {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let side = n + 1;
        let mut corners = Vec::new();
        for at in (0..side.pow(3)).map(|i| [i % side, i / side % side, i / (side * side)]) {
            let inner = at.iter().all(|i| *i > 0 && *i < n);
            corners.push(at.map(|i| (i as f64 + if inner { 0.2 * next() } else { 0.0 }) / n as f64));
        }
        let id = |at: [usize; 3]| (at[2] * side + at[1]) * side + at[0];
        // Corners by their number, middles by those of their ends.
        let mut keys: Vec<[usize; 2]> = Vec::new();
        for cell in (0..n.pow(3)).map(|i| [i % n, i / n % n, i / (n * n)]) {
            // Kuhn's six: paths of unit steps from one corner of the cell to the opposite one, half of them turned over.
            for (t, path) in
                [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]].iter().enumerate()
            {
                let (mut at, mut tet) = (cell, vec![id(cell)]);
                for step in path {
                    at[*step] += 1;
                    tet.push(id(at));
                }
                if t > 2 {
                    tet.swap(0, 1);
                }
                keys.extend(tet.iter().map(|a| [*a, *a]));
                if kind == Kind::Tet10 {
                    let edges = [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]];
                    keys.extend(edges.map(|[a, b]| [tet[a].min(tet[b]), tet[a].max(tet[b])]));
                }
            }
        }
        let (mut numbers, mut points) = (BTreeMap::new(), Vec::new());
        let nodes = keys.iter().map(|key| {
            *numbers.entry(*key).or_insert_with(|| {
                let [p, q] = key.map(|a| corners[a]);
                points.push([0, 1, 2].map(|i| 0.5 * (p[i] + q[i])));
                points.len() as u32 - 1
            })
        });
        let nodes = nodes.collect();
        Cube { kind, points, nodes }
    }

    /// Positions of the start, three numbers a node.
    pub fn sheared(&self) -> Vec<f64> {
        self.points.iter().flat_map(|p| [p[0] + 0.05 * (2.0 * p[1]).sin(), p[1], p[2]]).collect()
    }

    /// The body of the library.
    pub fn problem(&self) -> Problem {
        let lame = Lame::new(LAME[0], LAME[1]).expect("a material of ours");
        let law = Law::NeoHookean(NeoHookean::new(lame).expect("a material of ours"));
        let blocks =
            Group::new(self.kind, &self.nodes, 1.0).build(&self.points, &law).expect("a mesh of ours");
        let solid = Solid::new(&self.points, blocks, &[]).expect("a mesh of ours");
        let loads = LoadsBuilder::default().finish(&self.points, solid.elements());
        Problem::new(solid, loads, Supports::new(&self.points), Vec::new())
    }
}

/// A body in C.
type Body = std::ffi::c_void;

/// The functions of one instruction set.
struct Set {
    new: unsafe extern "C" fn(*const f64, *const f64, i64, *const u32, i64, i64, *const f64) -> *mut Body,
    start: unsafe extern "C" fn(*mut Body, *const f64),
    run: unsafe extern "C" fn(*mut Body, f64, i64),
    positions: unsafe extern "C" fn(*const Body) -> *const f64,
    free: unsafe extern "C" fn(*mut Body),
}

macro_rules! set {
    ($new:ident $start:ident $run:ident $positions:ident $free:ident) => {{
        unsafe extern "C" {
            fn $new(
                points: *const f64,
                mass: *const f64,
                nodes: i64,
                list: *const u32,
                elements: i64,
                corners: i64,
                lame: *const f64,
            ) -> *mut Body;
            fn $start(body: *mut Body, x: *const f64);
            fn $run(body: *mut Body, h: f64, steps: i64);
            fn $positions(body: *const Body) -> *const f64;
            fn $free(body: *mut Body);
        }
        Set { new: $new, start: $start, run: $run, positions: $positions, free: $free }
    }};
}

impl Set {
    /// The widest that this processor has.
    fn detect() -> Set {
        #[cfg(target_arch = "x86_64")]
        {
            let third = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
            if third && fourth() {
                return set!(solid_new_v4 solid_start_v4 solid_run_v4 solid_positions_v4 solid_free_v4);
            }
            if third {
                return set!(solid_new_v3 solid_start_v3 solid_run_v3 solid_positions_v3 solid_free_v3);
            }
        }
        set!(solid_new_plain solid_start_plain solid_run_plain solid_positions_plain solid_free_plain)
    }
}

/// Whether the processor has all of x86-64-v4.
#[cfg(target_arch = "x86_64")]
fn fourth() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}

/// The same body in C.
struct Reference {
    set: Set,
    body: *mut Body,
    nodes: usize,
}

impl Reference {
    fn new(cube: &Cube, mass: &[f64]) -> Self {
        let set = Set::detect();
        let (nodes, each) = (cube.points.len(), cube.kind.nodes());
        let points = cube.points.as_flattened();
        let elements = cube.nodes.len() / each;
        // SAFETY: the lists have the lengths that are handed over, node numbers are below the count of points, and the
        // functions keep no pointer into them.
        let body = unsafe {
            let body = (set.new)(
                points.as_ptr(),
                mass.as_ptr(),
                nodes as i64,
                cube.nodes.as_ptr(),
                elements as i64,
                each as i64,
                LAME.as_ptr(),
            );
            (set.start)(body, cube.sheared().as_ptr());
            body
        };
        Reference { set, body, nodes }
    }

    fn advance(&mut self, h: f64, steps: u64) {
        // SAFETY: the body is ours alone.
        unsafe { (self.set.run)(self.body, h, steps as i64) }
    }

    fn positions(&self) -> Vec<f64> {
        // SAFETY: the body has four numbers a node.
        let all = unsafe { std::slice::from_raw_parts((self.set.positions)(self.body), 4 * self.nodes) };
        all.chunks_exact(4).flat_map(|x| [x[0], x[1], x[2]]).collect()
    }
}

impl Drop for Reference {
    fn drop(&mut self) {
        // SAFETY: made by `new`, and not used afterwards.
        unsafe { (self.set.free)(self.body) }
    }
}

/// All rows; with `insist` measured again while one misses its bar. Times are those of one element in one step.
pub fn outcomes(insist: bool) -> impl Iterator<Item = Outcome> {
    let rows = [
        ("tet4 neo-hookean, a synchronous update", 15, Kind::Tet4, 0.02),
        ("tet10 neo-hookean, the same", 9, Kind::Tet10, 0.01),
    ];
    rows.into_iter()
        .map(move |(name, n, kind, part)| measure(name, &Cube::new(n, kind), part / n as f64, insist))
}

fn measure(name: &'static str, cube: &Cube, h: f64, insist: bool) -> Outcome {
    let problem = cube.problem();
    let mut reference = Reference::new(cube, problem.solid().mass());
    let start = SparseStart { t: 0.0, h, x: cube.sheared(), v: vec![0.0; 3 * cube.points.len()] };
    let mut ours = Sparse::new(problem, Method::Verlet { order: 2 }, start, 1e-15).expect("a start of ours");
    for _ in 0..100 {
        ours.step().expect("a run of ours");
    }
    reference.advance(h, 100);
    let off = reference.positions().iter().zip(ours.positions()).map(|(a, b)| (a - b).abs()).fold(0.0, keep);
    assert!(off < 1e-12, "{name}: positions differ from those of C by {off}");
    let each = 1e9 / (STEPS as f64 * (cube.nodes.len() / cube.kind.nodes()) as f64);
    let mut round = || {
        let mut best = [f64::INFINITY; 2];
        for _ in 0..REPETITIONS {
            best[0] = best[0].min(seconds(|| reference.advance(h, STEPS)));
            best[1] = best[1].min(seconds(|| (0..STEPS).for_each(|_| ours.step().expect("a run of ours"))));
        }
        Outcome { name, ns: best[1] * each, reference_ns: Some(best[0] * each), bar: Some(BAR) }
    };
    let mut best = round();
    for _ in 1..if insist { ROUNDS } else { 1 } {
        if best.ok() {
            break;
        }
        std::thread::sleep(PAUSE);
        let next = round();
        if next.ratio() < best.ratio() {
            best = next;
        }
    }
    best
}

/// The larger; NaN if one is.
fn keep(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}

fn seconds(f: impl FnOnce()) -> f64 {
    let start = Instant::now();
    f();
    start.elapsed().as_secs_f64()
}
