//! Large bodies: threads, memory, and the way from a file to the first update.

use super::cube::{Cube, LAME};
use super::runs::{asynchronous, harmonic_steps, lambda, largest, least};
use crate::measure::{seconds, take_turns};
use crate::row::BenchOutcome;
use stationary::integrate::avi::{Avi, AviStart};
use stationary::mesh::{CellKind, Mesh};
use stationary::model::Supports;
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, LoadsBuilder, NeoHookean, Solid, SolidProblem,
};
use std::fmt::Write;
use std::time::Instant;

/// Cells a side of about 10^5 and 10^6 elements.
const HUNDRED_THOUSAND: usize = 26;
const MILLION: usize = 55;
/// The grading of the mesh.
const POWER: f64 = 0.5;

/// A run, and the spans it has made.
type Counted = (Avi<SolidProblem>, f64);

/// Begins one on so many threads; what is made for the first span is not measured.
fn begin(
    cube: &Cube,
    problem: SolidProblem,
    steps: &[f64],
    threads: usize,
    span: f64,
) -> Result<Counted, String> {
    let mut avi = asynchronous(cube, problem, steps)?;
    avi.set_threads(threads);
    avi.advance(span).map_err(|e| e.fault.why)?;
    Ok((avi, 1.0))
}

/// Makes one more.
fn go_on((avi, made): &mut Counted, span: f64) {
    *made += 1.0;
    avi.advance(*made * span).expect("a run of ours");
}

/// One thread over two.
pub fn threads() -> Result<BenchOutcome, String> {
    let cube = Cube::graded(HUNDRED_THOUSAND, ElementKind::Tet4, POWER);
    let steps = harmonic_steps(&cube.problem())?;
    // Some rounds of the schedule, as runs make them between two rows of their results: threads start anew in each call.
    let span = 8.0 * largest(&steps);
    let run = |threads| begin(&cube, cube.problem(), &steps, threads, span);
    let mut runs = [run(1)?, run(2)?];
    let (repetitions, before) = (20, runs[1].0.updates());
    let best = take_turns(repetitions, |which| seconds(|| go_on(&mut runs[which], span)));
    let [one, two] = &runs;
    if one.0.positions() != two.0.positions() || one.0.velocities() != two.0.velocities() {
        return Err("two threads give other bits than one".into());
    }
    let each = (two.0.updates() - before) / repetitions;
    let apart = apart(&cube, &steps, span)?;
    Ok(BenchOutcome::ns(1e9 * best[1] / each as f64)
        .over(1e9 * best[0] / each as f64)
        .counts(cube.elements() as u64, each, repetitions)
        .value(best[0] / best[1], "times")
        .note(format!("; two bodies apart: {apart:.2} times"))
        .with("apart", apart)
        .with("lambda", lambda(&steps)))
}

/// What the machine gives two threads that have nothing to do with each other: two bodies at once over one after the other.
fn apart(cube: &Cube, steps: &[f64], span: f64) -> Result<f64, String> {
    let run = || begin(cube, cube.problem(), steps, 1, span);
    let [mut first, mut second] = [run()?, run()?];
    let best = take_turns(10, |which| match which {
        0 => seconds(|| [&mut first, &mut second].into_iter().for_each(|run| go_on(run, span))),
        _ => seconds(|| {
            std::thread::scope(|scope| {
                scope.spawn(|| go_on(&mut first, span));
                go_on(&mut second, span);
            })
        }),
    });
    Ok(best[0] / best[1])
}

/// An update of a body under its weight, held at one side, over one of a free body.
pub fn weight() -> Result<BenchOutcome, String> {
    let cube = Cube::graded(HUNDRED_THOUSAND, ElementKind::Tet4, POWER);
    let steps = harmonic_steps(&cube.problem())?;
    let span = 2.0 * largest(&steps);
    let run = |problem| begin(&cube, problem, &steps, 1, span);
    let mut runs = [run(cube.problem())?, run(cube.hanging())?];
    let (repetitions, before) = (20, runs[1].0.updates());
    let best = take_turns(repetitions, |which| seconds(|| go_on(&mut runs[which], span)));
    let each = (runs[1].0.updates() - before) / repetitions;
    let [free, hanging] = best.map(|best| 1e9 * best / each as f64);
    Ok(BenchOutcome::ns(hanging).over(free).counts(cube.elements() as u64, each, repetitions))
}

/// Bytes of all that a run keeps for an element: material and geometry, state, schedule.
pub fn memory() -> Result<BenchOutcome, String> {
    let cube = Cube::graded(HUNDRED_THOUSAND, ElementKind::Tet4, POWER);
    let problem = cube.problem();
    let steps = harmonic_steps(&problem)?;
    let mut avi = asynchronous(&cube, problem, &steps)?;
    // Some of it is made when it is needed.
    avi.advance(largest(&steps)).map_err(|e| e.fault.why)?;
    let each = |bytes: usize| bytes as f64 / cube.elements() as f64;
    let (body, run) = (each(avi.potentials().memory()), each(avi.memory()));
    Ok(BenchOutcome::default()
        .counts(cube.elements() as u64, 0, 1)
        .value(body + run, "bytes")
        .with("body", body)
        .with("state_and_schedule", run)
        .with("nodes", cube.points.len()))
}

/// Seconds from a text file of Gmsh to the first updates.
pub fn load() -> Result<BenchOutcome, String> {
    let path = std::env::temp_dir().join(format!("stationary-bench-{}.msh", std::process::id()));
    std::fs::write(&path, gmsh(&Cube::graded(MILLION, ElementKind::Tet4, POWER)))
        .map_err(|e| e.to_string())?;
    let repetitions = 3;
    let runs: Result<Vec<_>, String> = (0..repetitions).map(|_| from_file(&path)).collect();
    std::fs::remove_file(&path).map_err(|e| e.to_string())?;
    let best = runs?.into_iter().min_by(|a, b| a.0[3].total_cmp(&b.0[3])).ok_or("no run")?;
    let ([read, built, stepped, all], elements, updates) = best;
    Ok(BenchOutcome::default()
        .counts(elements, updates, repetitions)
        .value(all, "seconds")
        .with("read", read)
        .with("build", built - read)
        .with("steps", stepped - built)
        .with("first_update", all - stepped))
}

/// Seconds after the file was read, the body built, its steps found and the first updates made; elements, and updates.
fn from_file(path: &std::path::Path) -> Result<([f64; 4], u64, u64), String> {
    let told = |e: &dyn std::fmt::Display| e.to_string();
    let began = Instant::now();
    let bytes = std::fs::read(path).map_err(|e| told(&e))?;
    let mesh = Mesh::read("cube.msh", &bytes).map_err(|e| told(&e))?;
    drop(bytes);
    let read = began.elapsed().as_secs_f64();
    let lame = Lame::new(LAME[0], LAME[1]).map_err(|e| told(&e))?;
    let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(lame).map_err(|e| told(&e))?);
    let cells = mesh.cells.iter().find(|c| c.kind == CellKind::Tetrahedron4).ok_or("no tetrahedra")?;
    let blocks = ElementGroup::new(ElementKind::Tet4, &cells.nodes, 1.0)
        .build(&mesh.points, &law)
        .map_err(|e| told(&e))?;
    let solid = Solid::new(&mesh.points, blocks, &[]).map_err(|e| told(&e))?;
    let loads = LoadsBuilder::default().finish(&mesh.points, solid.elements());
    let problem = SolidProblem::new(solid, loads, Supports::new(&mesh.points), cells.tags.clone());
    let built = began.elapsed().as_secs_f64();
    let steps = harmonic_steps(&problem)?;
    let stepped = began.elapsed().as_secs_f64();
    let first = least(&steps);
    let (x, mass) = (problem.solid().points().to_vec(), problem.solid().mass().to_vec());
    let start = AviStart { t: 0.0, v: vec![0.0; x.len()], x, mass, step: steps };
    let mut avi = Avi::with_midpoint_events(problem, start).map_err(|e| e.fault.why)?;
    avi.advance(first).map_err(|e| e.fault.why)?;
    let all = began.elapsed().as_secs_f64();
    Ok(([read, built, stepped, all], avi.steps().len() as u64, avi.updates()))
}

/// A mesh of tet4 as Gmsh writes it: version 4.1, text.
fn gmsh(cube: &Cube) -> String {
    let (nodes, elements) = (cube.points.len(), cube.elements());
    let mut text =
        format!("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n1 {nodes} 1 {nodes}\n3 1 0 {nodes}\n");
    let mut line = |words: std::fmt::Arguments<'_>| text.write_fmt(words).expect("memory takes it");
    (1..=nodes).for_each(|a| line(format_args!("{a}\n")));
    cube.points.iter().for_each(|[x, y, z]| line(format_args!("{x} {y} {z}\n")));
    line(format_args!("$EndNodes\n$Elements\n1 {elements} 1 {elements}\n3 1 4 {elements}\n"));
    for (k, tet) in cube.nodes.chunks_exact(4).enumerate() {
        let [a, b, c, d] = [0, 1, 2, 3].map(|i| tet[i] + 1);
        line(format_args!("{} {a} {b} {c} {d}\n", k + 1));
    }
    line(format_args!("$EndElements\n"));
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mesh_file_of_the_large_bench_row_reads_back_as_the_mesh() {
        let cube = Cube::graded(3, ElementKind::Tet4, POWER);
        let mesh = Mesh::read("cube.msh", gmsh(&cube).as_bytes()).unwrap();
        assert_eq!(mesh.cells[0].len(), cube.elements());
        let volume: f64 = (0..mesh.cells[0].len() as u32).map(|k| mesh.volume((0, k))).sum();
        assert!((volume - 1.0).abs() < 1e-12, "{volume}");
    }
}
