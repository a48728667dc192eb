//! When local time stepping pays: total error, of mesh and time step together, over processor time.
//!
//! Every case runs on a sequence of nested meshes, with one step for all elements, with local steps and with `auto`. Displacements
//! are compared with those on a mesh refined once more than the finest of the sequence. Nothing that is asserted
//! depends on a clock.

use crate::{Claim, Outcome, Scale};
use stationary::mesh::{CellKind, Mesh};
use stationary_app::run::SolidSimulation;
use stationary_app::scenario::{Scenario, shipped};
use stationary_report::plot::Plot;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// A body and its motion.
struct Case {
    name: &'static str,
    text: &'static str,
    mesh: &'static str,
    /// Time at which displacements are compared.
    end: f64,
    /// Angular velocity about the z axis of a motion that is no deformation; errors are relative to the rest.
    omega: f64,
}

/// A way to choose time steps, and its integrator in a scenario.
struct Method {
    name: &'static str,
    integrator: &'static str,
}

const ONE: Method = Method { name: "one step", integrator: "{ method = \"newmark\", threads = 1 }" };
const LOCAL: Method = Method { name: "local steps", integrator: "{ method = \"avi\", threads = 1 }" };
const IMPULSE: Method = Method {
    name: "local, impulse",
    integrator: "{ method = \"avi\", boundary = \"impulse\", threads = 1 }",
};
const AUTO: Method = Method { name: "auto", integrator: "{ method = \"auto\", threads = 1 }" };
const FREE: Method = Method {
    name: "free, courant 0.1",
    integrator: "{ method = \"avi\", steps = \"free\", rule = \"courant\", fraction = 0.1, threads = 1 }",
};
/// The reference of its own mesh: the error of an explicit step falls with its square.
const SMALL: Method =
    Method { name: "small step", integrator: "{ method = \"newmark\", fraction = 0.2, threads = 1 }" };

const METHODS: [Method; 4] = [ONE, LOCAL, IMPULSE, AUTO];

/// Free steps cost too much beyond so many elements.
const MOST_FREE: usize = 6_000;

/// Runs of more seconds are made once, those of fewer than the second number more often than others.
const LONG: f64 = 2.0;
const SHORT: f64 = 0.2;
const REPEATS_OF_SHORT: usize = 9;

/// Runs so many times as long show the preparation in proportion; not made where one step took more seconds in the run itself.
const LONGER: f64 = 10.0;
const MOST_SECONDS: f64 = 6.0;

const BRACKET: &str = "mesh = \"bracket-4.msh\"
end = 1
[material.steel]
law = \"neo-hookean\"
young = 2e11
poisson = 0.3
density = 7800
[initial]
velocity = [\"sin(4*Y)\", \"sin(3*X)\", 0]
";

/// What came of a run.
#[derive(Debug, Clone, Default)]
struct Moved {
    x: Vec<[f64; 3]>,
    updates: f64,
    elements: usize,
    /// Seconds of the processor: all, and those before the first step.
    seconds: f64,
    preparation: f64,
}

impl Moved {
    fn stepping(&self) -> f64 {
        self.seconds - self.preparation
    }
}

/// A method on a mesh.
#[derive(Debug, Clone)]
struct Point {
    method: &'static str,
    level: u32,
    moved: Moved,
    /// Relative to the displacement of the reference: of mesh and step, and of the step alone.
    total: f64,
    time: f64,
}

/// The meshes of the papers' and the generated bodies.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("meshes")
}

fn shipped_text(name: &str) -> &'static str {
    shipped::find(name).map_or("", |scenario| scenario.text)
}

impl Case {
    fn mesh(&self, level: u32) -> Result<Mesh, String> {
        let read = |bytes: &[u8]| Mesh::read(self.mesh, bytes).map_err(|e| e.to_string());
        let mesh = match shipped::mesh(self.mesh) {
            Some(bytes) => read(bytes)?,
            None => read(&std::fs::read(folder().join(self.mesh)).map_err(|e| e.to_string())?)?,
        };
        Ok((0..level).fold(mesh, |mesh, _| mesh.refined()))
    }

    fn run(&self, method: &Method, level: u32) -> Result<Moved, String> {
        self.run_to(self.end, method, level)
    }

    fn run_to(&self, end: f64, method: &Method, level: u32) -> Result<Moved, String> {
        let mut overrides: Vec<(String, String)> = [
            ("integrator", method.integrator.to_string()),
            ("end", format!("{end:e}")),
            ("mesh.refine", level.to_string()),
            ("claim", "[]".to_string()),
        ]
        .map(|(key, value)| (key.to_string(), value))
        .to_vec();
        if self.text.contains("\nobserve") {
            overrides.push(("observe".into(), "[]".into()));
        }
        let mut scenario = Scenario::read(self.name, self.text, &overrides).map_err(|e| e.to_string())?;
        scenario.folder = Some(folder());
        let begin = processor_seconds();
        let mut simulation = SolidSimulation::new(scenario).map_err(|e| e.to_string())?;
        let prepared = processor_seconds();
        let _ = simulation
            .advance(end, &mut |_| ControlFlow::Continue(()))
            .map_err(|e| format!("{}: {e}", method.name))?;
        let done = processor_seconds();
        let updates = simulation.updates();
        Ok(Moved {
            x: simulation.look().map_err(|e| e.to_string())?.x,
            updates: updates.iter().sum::<u64>() as f64,
            elements: updates.len(),
            seconds: done - begin,
            preparation: prepared - begin,
        })
    }

    /// Where the motion that is no deformation takes a point.
    fn carried(&self, p: [f64; 3]) -> [f64; 3] {
        let (sin, cos) = (self.omega * self.end).sin_cos();
        [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1], p[2]]
    }

    /// All methods on the meshes below the reference, each run so many times, the methods in turn.
    fn points(&self, levels: &[u32], reference: u32, repeats: usize) -> Result<Vec<Point>, String> {
        let fine = self.mesh(reference)?;
        let exact = self.run(&ONE, reference)?.x;
        let rest: Vec<[f64; 3]> = fine.points.iter().map(|p| self.carried(*p)).collect();
        let size = norm(&fine, |a| minus(exact[a], rest[a]));
        let mut points = Vec::new();
        for level in levels {
            let mesh = self.mesh(*level)?;
            let own = self.run(&SMALL, *level)?.x;
            let count = mesh.cells.iter().filter(|c| c.kind.dimension() == mesh.dimension());
            let is_small = count.map(|c| c.len()).sum::<usize>() <= MOST_FREE;
            let methods = METHODS.iter().chain(is_small.then_some(&FREE));
            let mut runs: Vec<(&Method, Vec<Moved>)> = methods.map(|m| (m, Vec::new())).collect();
            for repeat in 0..if repeats > 1 { REPEATS_OF_SHORT } else { 1 } {
                for (method, moved) in &mut runs {
                    let most = match moved.first() {
                        Some(m) if m.seconds > LONG || method.name == FREE.name => 1,
                        Some(m) if m.seconds < SHORT => REPEATS_OF_SHORT,
                        _ => repeats,
                    };
                    if repeat < most {
                        moved.push(self.run(method, *level)?);
                    }
                }
            }
            for (method, mut moved) in runs {
                moved.sort_by(|a, b| a.seconds.total_cmp(&b.seconds));
                let moved = moved.swap_remove(moved.len() / 2);
                let there = prolonged((&mesh, &moved.x), &fine, reference - level)?;
                let total = norm(&fine, |a| minus(there[a], exact[a])) / size;
                let time = norm(&mesh, |a| minus(moved.x[a], own[a])) / size;
                points.push(Point { method: method.name, level: *level, moved, total, time });
            }
        }
        Ok(points)
    }
}

/// Processor time of this thread, so that other programs do not count; on systems without it, that of the clock.
fn processor_seconds() -> f64 {
    // The system brings the time up to date when the thread gives up the processor.
    std::thread::sleep(std::time::Duration::from_micros(1));
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    match text.split_whitespace().next().and_then(|n| n.parse::<f64>().ok()) {
        Some(nanoseconds) => 1e-9 * nanoseconds,
        None => std::time::UNIX_EPOCH.elapsed().map_or(f64::NAN, |t| t.as_secs_f64()),
    }
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

/// The L2 norm of a field, with the mean over the nodes of an element for its integral.
fn norm(mesh: &Mesh, value: impl Fn(usize) -> [f64; 3]) -> f64 {
    let mut sum = 0.0;
    for (b, cells) in mesh.cells.iter().enumerate().filter(|(_, c)| c.kind.dimension() == mesh.dimension()) {
        for k in 0..cells.len() {
            let nodes = cells.nodes_of(k);
            let squares = nodes.iter().map(|a| value(*a as usize).iter().map(|v| v * v).sum::<f64>());
            sum += mesh.volume((b as u32, k as u32)) * squares.sum::<f64>() / nodes.len() as f64;
        }
    }
    sum.sqrt()
}

/// Positions on a mesh, at the nodes of the mesh refined so many times from it. Sides are straight.
fn prolonged(coarse: (&Mesh, &[[f64; 3]]), fine: &Mesh, times: u32) -> Result<Vec<[f64; 3]>, String> {
    let (mesh, x) = coarse;
    let mut there = vec![[f64::NAN; 3]; fine.points.len()];
    for (parents, cells) in mesh.cells.iter().zip(&fine.cells) {
        let kind = parents.kind;
        if kind.dimension() != mesh.dimension() {
            continue;
        }
        let children = 1_usize << (kind.dimension() * times);
        for k in 0..cells.len() {
            let parent = parents.nodes_of(k / children);
            for a in cells.nodes_of(k) {
                let l = barycentric(mesh, &parent[..kind.corners()], fine.points[*a as usize]);
                let mut sum = [0.0; 3];
                for (weight, b) in shape(kind, &l).iter().zip(parent) {
                    (0..3).for_each(|i| sum[i] += weight * x[*b as usize][i]);
                }
                there[*a as usize] = sum;
            }
        }
    }
    if there.iter().flatten().any(|v| v.is_nan()) { Err("a node has no value".into()) } else { Ok(there) }
}

/// Barycentric coordinates of a point in the triangle or tetrahedron of these corners, by Cramer's rule.
fn barycentric(mesh: &Mesh, corners: &[u32], point: [f64; 3]) -> Vec<f64> {
    let origin = mesh.points[corners[0] as usize];
    let mut edges: Vec<[f64; 3]> =
        corners[1..].iter().map(|a| minus(mesh.points[*a as usize], origin)).collect();
    if edges.len() == 2 {
        edges.push([0.0, 0.0, 1.0]);
    }
    let to = minus(point, origin);
    let all = triple(edges[0], edges[1], edges[2]);
    let mut l = vec![triple(to, edges[1], edges[2]) / all, triple(edges[0], to, edges[2]) / all];
    if corners.len() == 4 {
        l.push(triple(edges[0], edges[1], to) / all);
    }
    l.insert(0, 1.0 - l.iter().sum::<f64>());
    l
}

fn triple(a: [f64; 3], b: [f64; 3], c: [f64; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

/// Linear or quadratic shape functions.
fn shape(kind: CellKind, l: &[f64]) -> Vec<f64> {
    if kind.nodes() == kind.corners() {
        return l.to_vec();
    }
    let corners = l.iter().map(|l| l * (2.0 * l - 1.0));
    corners.chain(kind.edges().iter().map(|[a, b]| 4.0 * l[*a] * l[*b])).collect()
}

fn of<'a>(points: &'a [Point], method: &str) -> Vec<&'a Point> {
    points.iter().filter(|p| p.method == method).collect()
}

/// Seconds of a method for an error, on straight lines through its points in a doubly logarithmic plot, continued beyond them.
fn seconds_for(curve: &[&Point], error: f64) -> f64 {
    let pair = curve.windows(2).find(|pair| pair[1].total <= error).or_else(|| curve.windows(2).last());
    let Some([a, b]) = pair else { return f64::NAN };
    let part = (a.total / error).ln() / (a.total / b.total).ln();
    a.moved.seconds * (b.moved.seconds / a.moved.seconds).powf(part)
}

/// Seconds of runs [`LONGER`] times as long.
fn longer_runs(case: &Case, points: &[Point]) -> Result<Vec<String>, String> {
    let mut lines = vec![
        format!("the same to {} s:", LONGER * case.end),
        "| elements | method | updates | seconds | before the first step | all, of one step |".to_string(),
        "|---|---|---|---|---|---|".to_string(),
    ];
    for short in of(points, ONE.name).iter().filter(|p| p.moved.seconds < MOST_SECONDS) {
        let mut one = f64::NAN;
        for method in [ONE, LOCAL, AUTO] {
            let moved = case.run_to(LONGER * case.end, &method, short.level)?;
            if method.name == ONE.name {
                one = moved.seconds;
            }
            lines.push(format!(
                "| {} | {} | {:.3e} | {:.3} | {:.3} | {:.2} |",
                moved.elements,
                method.name,
                moved.updates,
                moved.seconds,
                moved.preparation,
                moved.seconds / one
            ));
        }
    }
    Ok(lines)
}

/// The table of a case.
fn table(points: &[Point]) -> Vec<String> {
    let mut lines = vec![
        "| elements | method | updates | seconds | before the first step | all, of one step | stepping, of one step | total error | error of the step |"
            .to_string(),
        "|---|---|---|---|---|---|---|---|---|".to_string(),
    ];
    for p in points {
        let one = points.iter().find(|q| q.level == p.level && q.method == ONE.name);
        let ratio = p.moved.seconds / one.map_or(f64::NAN, |q| q.moved.seconds);
        let stepping = p.moved.stepping() / one.map_or(f64::NAN, |q| q.moved.stepping());
        lines.push(format!(
            "| {} | {} | {:.3e} | {:.3} | {:.3} | {ratio:.2} | {stepping:.2} | {:.3e} | {:.1e} |",
            p.moved.elements,
            p.method,
            p.moved.updates,
            p.moved.seconds,
            p.moved.preparation,
            p.total,
            p.time
        ));
    }
    for auto in of(points, AUTO.name) {
        let seconds = [ONE, LOCAL].map(|m| seconds_for(&of(points, m.name), auto.total));
        lines.push(format!(
            "at the error of auto on {} elements: one step {:.3} s, local steps {:.3} s, auto over the better {:.2}",
            auto.moved.elements,
            seconds[0],
            seconds[1],
            auto.moved.seconds / seconds[0].min(seconds[1])
        ));
    }
    for (envelope, impulse) in of(points, LOCAL.name).iter().zip(of(points, IMPULSE.name)) {
        lines.push(format!(
            "stepping with the envelope over that with impulses on {} elements: {:.2}",
            envelope.moved.elements,
            envelope.moved.stepping() / impulse.moved.stepping()
        ));
    }
    lines
}

/// Claims that hold on any machine: local steps save updates, and their total error is that of the mesh.
fn claims(points: &[Point], most: f64) -> Vec<Claim> {
    let mut claims = Vec::new();
    for (one, local) in of(points, ONE.name).iter().zip(of(points, LOCAL.name)) {
        let on = format!("on {} elements", one.moved.elements);
        claims.push(Claim::below(
            format!("updates with local steps over those with one step {on}"),
            local.moved.updates / one.moved.updates,
            1.0,
        ));
        claims.push(Claim::below(
            format!("total error with local steps over that with one step {on}"),
            local.total / one.total,
            most,
        ));
    }
    claims
}

fn plot(title: &str, points: &[Point]) -> String {
    let mut plot = Plot::new(title)
        .x_label("processor time, s")
        .y_label("total relative error of the displacement")
        .log_x()
        .log_y();
    for method in &METHODS {
        let curve = of(points, method.name);
        let x: Vec<f64> = curve.iter().map(|p| p.moved.seconds).collect();
        let y: Vec<f64> = curve.iter().map(|p| p.total).collect();
        plot = plot.line(method.name, &x, &y).points(method.name, &x, &y);
    }
    plot.to_svg(640, 420)
}

fn study(case: &Case, levels: &[u32], scale: Scale, most: f64) -> Result<Outcome, String> {
    let levels = scale.pick(&levels[..1], levels);
    let reference = levels.last().map_or(1, |level| level + 1);
    let points = case.points(levels, reference, scale.pick(1, 3))?;
    let mut lines = table(&points);
    if matches!(scale, Scale::Full) {
        lines.extend(longer_runs(case, &points)?);
    }
    Ok(Outcome { plot: plot(case.name, &points), table: lines, claims: claims(&points, most) })
}

/// The slab of VTI04 Fig. 15.
pub fn slab(scale: Scale) -> Result<Outcome, String> {
    let case = Case {
        name: "slab",
        text: shipped_text("slab"),
        mesh: "meshes/slab.msh",
        end: scale.pick(0.02, 0.05),
        omega: 0.0,
    };
    study(&case, &[0, 1, 2, 3, 4], scale, 1.5)
}

/// The shipped graded cube.
pub fn cube(scale: Scale) -> Result<Outcome, String> {
    let case = Case {
        name: "graded-cube",
        text: shipped_text("graded-cube"),
        mesh: "meshes/graded-cube.msh",
        end: scale.pick(0.002, 0.02),
        omega: 0.0,
    };
    study(&case, &[0, 1], scale, 1.1)
}

/// A generated bracket with little grading.
pub fn bracket(scale: Scale) -> Result<Outcome, String> {
    let case = Case {
        name: "bracket",
        text: BRACKET,
        mesh: "bracket-4.msh",
        end: scale.pick(2e-4, 4e-4),
        omega: 0.0,
    };
    study(&case, &[0, 1, 2], scale, 1.1)
}

/// The first case of the rotating blade of VTI04.
pub fn blade(scale: Scale) -> Result<Outcome, String> {
    let case = Case {
        name: "blade-1",
        text: shipped_text("blade-1"),
        mesh: "meshes/blade.msh",
        end: scale.pick(5e-5, 4e-4),
        omega: 40.0,
    };
    study(&case, &[0, 1], scale, 1.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn local_steps_save_updates_and_have_the_error_of_the_mesh() {
        for run in [slab, cube, bracket, blade] {
            for claim in run(Scale::Reduced).unwrap().claims {
                assert!(claim.holds(), "{claim}");
            }
        }
    }

    /// A quadratic field is in the space of ten-node tetrahedra: prolongation has no error.
    #[test]
    fn prolonged_positions_are_exact_for_quadratic_fields() {
        let case = Case { name: "", text: "", mesh: "meshes/blade.msh", end: 0.0, omega: 0.0 };
        let meshes = [0, 1].map(|level| case.mesh(level).unwrap());
        let field = |p: &[f64; 3]| [p[0] * p[1], p[2] * p[2] - p[0], p[1]];
        let [coarse, fine] = meshes.each_ref().map(|m| m.points.iter().map(field).collect::<Vec<_>>());
        let there = prolonged((&meshes[0], &coarse), &meshes[1], 1).unwrap();
        let error = norm(&meshes[1], |a| minus(there[a], fine[a]));
        assert!(error < 1e-10 * norm(&meshes[1], |a| fine[a]), "{error:e}");
    }

    #[test]
    fn seconds_at_equal_error_are_interpolated() {
        let point = |seconds, total| Point {
            method: "",
            level: 0,
            moved: Moved { seconds, ..Moved::default() },
            total,
            time: 0.0,
        };
        let points = [point(1.0, 1.0), point(8.0, 0.25), point(64.0, 0.0625)];
        let curve: Vec<&Point> = points.iter().collect();
        assert!((seconds_for(&curve, 0.125) - 8.0 * 8.0_f64.sqrt()).abs() < 1e-12);
        assert!(seconds_for(&curve[..1], 0.125).is_nan());
    }
}
