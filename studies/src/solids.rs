//! The shipped solids as the library's own parts: bodies to integrate, what was seen of them, and their drawings.

use stationary::integrate::avi::{Avi, AviError, AviStart};
use stationary::mesh::{CellKind, Mesh};
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, Loads, NeoHookean, Solid, SolidProblem,
};
use stationary::model::{Potentials, Supports};
use stationary_app::scenario::shipped;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The part of the Courant step in the papers [AVI03 (68)].
pub const FRACTION: f64 = 0.1;
/// At 1/10 our block breaks after eleven milliseconds, asynchronous or not; at 1/20 it lasts.
pub const LASTING_FRACTION: f64 = 0.05;
/// The part of the Courant step that gives our block the printed 1,380,000 steps in 10 ms: with f = 1/10 it makes
/// 94,110.
pub const PRINTED_FRACTION: f64 = FRACTION * 94_110.0 / 1_380_000.0;
/// Elements with less than this part of the mean energy count as having none.
const NO_ENERGY: f64 = 1e-9;

/// A body in its first shape, at rest.
#[derive(Debug, Clone)]
pub struct Body {
    /// What moves.
    pub problem: Arc<SolidProblem>,
    /// Positions at the start, three numbers a node.
    pub x: Vec<f64>,
    /// The nodes of a walk along all edges that are drawn.
    trail: Vec<u32>,
}

/// Events of elements that keep their own steps, or all the smallest one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// Every element its own step.
    Own,
    /// The smallest step for all: explicit Newmark.
    Smallest,
}

/// A solid in motion.
pub type Run = Avi<Arc<SolidProblem>>;

impl Body {
    /// The block of AVI03 4.1, stretched by 1.2, its left side held: the shipped scenario `block`.
    pub fn block() -> Result<Body, String> {
        Body::new("meshes/block.msh", Some("left"), |[x, y, z]| [1.2 * x, y, z])
    }

    /// The L-beam of AVI03 4.2, bent and twisted, free: the shipped scenario `l-beam`.
    pub fn l_beam() -> Result<Body, String> {
        let (a, size) = (0.12, 1.8 * 1.8);
        Body::new("meshes/l-beam.msh", None, move |[x, y, z]| {
            let up = 1.8 - y;
            [x + a * up * up / size, y - a * x * x / size, z + a * x * up / size]
        })
    }

    /// A shipped mesh of the papers' material, perhaps held at a group, in a first shape.
    fn new(mesh: &str, held: Option<&str>, shape: impl Fn([f64; 3]) -> [f64; 3]) -> Result<Body, String> {
        let bytes = shipped::mesh(mesh).ok_or_else(|| format!("there is no mesh {mesh}"))?;
        let mesh = Mesh::read(mesh, bytes).map_err(|e| e.to_string())?;
        let lame = Lame::new(93e9, 10e9).map_err(|e| e.message)?;
        let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(lame).map_err(|e| e.message)?);
        let find = |cell: CellKind| mesh.cells.iter().find(|c| c.kind == cell);
        let (cells, kind) = find(CellKind::Tetrahedron10)
            .map(|c| (c, ElementKind::Tet10))
            .or_else(|| find(CellKind::Triangle6).map(|c| (c, ElementKind::Tri6)))
            .ok_or("no quadratic elements")?;
        let blocks =
            ElementGroup::new(kind, &cells.nodes, 7800.0).build(&mesh.points, &law).map_err(|e| e.message)?;
        let solid = Solid::new(&mesh.points, blocks, &[]).map_err(|e| e.message)?;
        let mut supports = Supports::new(&mesh.points);
        if let Some(name) = held {
            for node in &mesh.group(name).map_err(|e| e.to_string())?.nodes {
                for direction in 0..3 {
                    supports.fix(*node, direction, 0.0, 0).map_err(|c| format!("{c:?}"))?;
                }
            }
        }
        let problem = Arc::new(SolidProblem::new(solid, Loads::default(), supports, cells.tags.clone()));
        let x = mesh.points.iter().flat_map(|p| shape(*p)).collect();
        Ok(Body { trail: trail(&edges(&mesh, kind)?), problem, x })
    }

    /// Sets the body in motion with steps of a part of the Courant step.
    pub fn start(&self, clock: Clock, fraction: f64) -> Result<Run, String> {
        let solid = self.problem.solid();
        let mut step = solid.steps_courant(fraction);
        if clock == Clock::Smallest {
            let least = step.iter().copied().fold(f64::INFINITY, f64::min);
            step.fill(least);
        }
        let mass = solid.mass().to_vec();
        let start = AviStart { t: 0.0, x: self.x.clone(), v: vec![0.0; self.x.len()], mass, step };
        Avi::new(Arc::clone(&self.problem), start).map_err(|e| fault(&e))
    }

    /// The edges of the elements (in space: those of the surface) in some shape, projected, as one line that goes
    /// there and back along them.
    pub fn drawing(&self, x: &[f64], project: impl Fn(&[f64]) -> [f64; 2]) -> [Vec<f64>; 2] {
        let places = self.trail.iter().map(|node| project(&x[3 * *node as usize..][..3]));
        let (mut across, mut up) = (Vec::new(), Vec::new());
        for [x, y] in places {
            across.push(x);
            up.push(y);
        }
        [across, up]
    }
}

/// A walk over the nodes of a connected mesh that takes every edge at least once: depth first, back where it ends.
fn trail(edges: &[[u32; 2]]) -> Vec<u32> {
    let mut around: BTreeMap<u32, Vec<(usize, u32)>> = BTreeMap::new();
    for (e, [a, b]) in edges.iter().enumerate() {
        around.entry(*a).or_default().push((e, *b));
        around.entry(*b).or_default().push((e, *a));
    }
    let Some([first, _]) = edges.first() else { return Vec::new() };
    let (mut path, mut trail) = (vec![*first], vec![*first]);
    let mut taken = vec![false; edges.len()];
    while let Some(here) = path.last() {
        let next = around.get_mut(here).and_then(|list| {
            list.retain(|(e, _)| !taken[*e]);
            list.pop()
        });
        if let Some((edge, node)) = next {
            taken[edge] = true;
            path.push(node);
            trail.push(node);
        } else {
            path.pop();
            if taken.iter().all(|t| *t) {
                break;
            }
            trail.extend(path.last());
        }
    }
    trail
}

/// The edges of triangles, or of the surface of tetrahedra, each once.
fn edges(mesh: &Mesh, kind: ElementKind) -> Result<Vec<[u32; 2]>, String> {
    let mut triangles: Vec<[u32; 3]> = Vec::new();
    if kind == ElementKind::Tri6 {
        let cells = mesh.cells.iter().filter(|c| c.kind == CellKind::Triangle6);
        triangles.extend(cells.flat_map(|c| c.nodes.chunks_exact(6)).map(|n| [n[0], n[1], n[2]]));
    } else {
        for group in mesh.groups.iter().filter(|g| g.dimension == 2) {
            let faces = mesh.boundary_faces(group).map_err(|e| e.to_string())?;
            triangles.extend(faces.iter().map(|f| [f.nodes()[0], f.nodes()[1], f.nodes()[2]]));
        }
    }
    let sides = triangles.iter().flat_map(|[a, b, c]| [[a, b], [b, c], [c, a]]);
    let all: BTreeSet<[u32; 2]> = sides.map(|[a, b]| [*a.min(b), *a.max(b)]).collect();
    Ok(all.into_iter().collect())
}

/// Why a run stopped, in words.
pub fn fault(error: &AviError) -> String {
    format!("at {}: element {}: {}", error.time, error.fault.number, error.fault.why)
}

/// Makes `run` follow the balance of energy of its elements from now on.
pub fn follow(run: &mut Run) -> Result<(), String> {
    let now = run.snapshot().map_err(|e| fault(&e))?;
    run.follow_local_energy(NO_ENERGY * (now.kinetic + now.potential) / run.events().len() as f64);
    Ok(())
}

/// The body at some times.
#[derive(Debug, Clone, Default)]
pub struct History {
    /// The times, evenly spaced from the start on.
    pub t: Vec<f64>,
    /// The total energy.
    pub energy: Vec<f64>,
    /// Positions of all nodes.
    pub frames: Vec<Vec<f64>>,
}

/// Runs to a time and looks at the start and then `rows` times.
pub fn record(run: &mut Run, end: f64, rows: usize) -> Result<History, String> {
    let mut history = History::default();
    for row in 0..=rows {
        let t = end * row as f64 / rows as f64;
        run.advance(t).map_err(|e| fault(&e))?;
        let now = run.snapshot().map_err(|e| fault(&e))?;
        history.t.push(t);
        history.energy.push(now.kinetic + now.potential);
        history.frames.push(now.x);
    }
    Ok(history)
}

/// The balance of energy (43) of one element at each of its events, and the worst of all elements.
#[derive(Debug, Clone, Default)]
pub struct Trace {
    /// Times of the events.
    pub t: Vec<f64>,
    /// Energy of the element.
    pub energy: Vec<f64>,
    /// Residual of the balance.
    pub residual: Vec<f64>,
    /// The sum of the residuals so far.
    pub accumulated: Vec<f64>,
    /// For each element of the body the largest accumulated residual over its energy after the transient, seen
    /// at the events of the one element.
    pub all: Vec<f64>,
}

/// Follows element `k` from the start to a time; what happens before `transient` does not count in [`Trace::all`].
pub fn trace(run: &mut Run, k: usize, end: f64, transient: f64) -> Result<Trace, String> {
    follow(run)?;
    let (step, count) = (run.steps()[k], run.events().len());
    let mut trace = Trace { all: vec![0.0; count], ..Trace::default() };
    for j in 1..=(end / step) as u64 {
        // Half way to the next event of `k`, so that exactly one lies behind.
        run.advance((j as f64 + 0.5) * step).map_err(|e| fault(&e))?;
        let local = run.local_energy().ok_or("no balance is followed")?;
        trace.t.push(j as f64 * step);
        trace.energy.push(local.energy(k));
        trace.residual.push(local.residual(k));
        trace.accumulated.push(local.accumulated(k));
        if j as f64 * step >= transient {
            for (e, worst) in trace.all.iter_mut().enumerate() {
                *worst = larger(*worst, (local.accumulated(e) / local.energy(e)).abs());
            }
        }
    }
    Ok(trace)
}

impl Trace {
    /// The largest accumulated residual over the element's energy at the time, from a time on.
    pub fn worst_after(&self, transient: f64) -> f64 {
        let late =
            self.t.iter().zip(&self.accumulated).zip(&self.energy).filter(|((t, _), _)| **t >= transient);
        late.map(|((_, a), e)| (a / e).abs()).fold(0.0, larger)
    }
}

/// The larger number; NaN if one is not a number.
pub fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

/// The largest distance between two shapes, at a node.
pub fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.chunks_exact(3).zip(b.chunks_exact(3));
    let one = |(a, b): (&[f64], &[f64])| (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
    squares.map(one).fold(0.0, larger)
}

/// The smallest and largest number of updates of an element, and all.
pub fn updates(run: &Run) -> [f64; 3] {
    let events = run.events();
    let (least, most) =
        (events.iter().min().copied().unwrap_or(0), events.iter().max().copied().unwrap_or(0));
    [least as f64, most as f64, events.iter().sum::<u64>() as f64]
}

/// The corners of an element of triangles, shrunk about their middle so that neighbours stay apart; closed.
pub fn shrunk_triangle(problem: &SolidProblem, k: usize) -> [Vec<f64>; 2] {
    let points = problem.solid().points();
    let nodes = problem.nodes(k);
    let at = |i: usize, a: usize| points[3 * nodes[a] as usize + i];
    std::array::from_fn(|i| {
        let middle = (at(i, 0) + at(i, 1) + at(i, 2)) / 3.0;
        [0, 1, 2, 0].map(|a| middle + 0.8 * (at(i, a) - middle)).to_vec()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use stationary_app::run::run;
    use stationary_app::scenario::Scenario;
    use std::ops::ControlFlow;

    /// The bodies are those of the shipped scenarios, and move like them.
    #[test]
    fn study_solids_are_those_of_the_shipped_scenarios() {
        for (name, body, end) in
            [("block", Body::block().unwrap(), 2e-5), ("l-beam", Body::l_beam().unwrap(), 1e-4)]
        {
            let text = shipped::find(name).unwrap().text;
            let set = |key: &str, value: String| (key.to_string(), value);
            let overrides = [
                set("end", end.to_string()),
                set("output.rows", "1".into()),
                set("output.frames", "0".into()),
            ];
            let scenario = Scenario::read(name, text, &overrides).unwrap();
            let out = std::env::temp_dir().join(format!("studies-{name}-{}", std::process::id()));
            let summary = run(&scenario, &out, &mut |_| ControlFlow::Continue(())).unwrap().summary;
            std::fs::remove_dir_all(&out).unwrap();
            let mut ours = body.start(Clock::Own, FRACTION).unwrap();
            let history = record(&mut ours, end, 1).unwrap();
            for (key, ours) in ["initial", "final"].iter().zip(&history.energy) {
                let theirs = summary["energy"][key].as_f64().unwrap();
                // Formulas of the first shape round otherwise than Rust's.
                assert!((theirs - ours).abs() < 1e-12 * ours, "{name}, {key}: {theirs} and {ours}");
            }
            assert_eq!(summary["avi"]["updates"]["total"].as_f64(), Some(updates(&ours)[2]), "{name}");
        }
    }

    #[test]
    fn drawn_edge_trail_covers_every_edge_and_no_other() {
        let edges = [[0, 1], [1, 2], [0, 2], [2, 3], [1, 4]];
        let sorted = |a: u32, b: u32| [a.min(b), a.max(b)];
        let taken: BTreeSet<[u32; 2]> = trail(&edges).windows(2).map(|w| sorted(w[0], w[1])).collect();
        assert_eq!(taken, edges.into_iter().collect());
    }

    #[test]
    fn distance_of_equal_shapes_is_zero_and_propagates_nan() {
        let a = [0.0, 0.0, 0.0, 1.0, 1.0, 1.0];
        assert_eq!(distance(&a, &a), 0.0);
        assert_eq!(distance(&a, &[0.0, 3.0, 4.0, 1.0, 1.0, 1.0]), 5.0);
        assert!(distance(&a, &[f64::NAN, 0.0, 0.0, 1.0, 1.0, 1.0]).is_nan());
        assert!(larger(f64::NAN, 1.0).is_nan() && larger(1.0, f64::NAN).is_nan());
    }
}
