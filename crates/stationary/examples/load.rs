//! From a mesh file to the first update, part by part, and a mesh to try it on.
//!
//! ```text
//! cargo run --release -p stationary --example load -- write cube.msh 4.1 55       # or 2.2, 4.1-binary, 2.2-binary
//! cargo run --release -p stationary --example load -- write cube.msh 4.1 55 shuffled
//! cargo run --release -p stationary --example load -- time cube.msh [unordered]
//! ```
//!
//! The mesh is a cube of `6 n^3` tetrahedra, graded towards a corner, with the groups `body`, `bottom` and `top`.

use stationary::error::{Diagnostic, Error};
use stationary::integrate::avi::{Avi, AviStart, Buffer, harmonic};
use stationary::mesh::{CellKind, Mesh};
use stationary::model::Supports;
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, LoadsBuilder, MassSplit, NeoHookean, Solid,
    SolidProblem,
};
use std::io::Write;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", path, format, n] => write(path, format, &Cube::new(n.parse()?))?,
        ["write", path, format, n, "shuffled"] => write(path, format, &Cube::new(n.parse()?).shuffled())?,
        ["time", path] => time(path, true)?,
        ["time", path, "unordered"] => time(path, false)?,
        _ => return Err("expected `write FILE FORMAT CELLS [shuffled]` or `time FILE [unordered]`".into()),
    }
    Ok(())
}

/// Tetrahedra, and the triangles of two sides.
struct Cube {
    points: Vec<[f64; 3]>,
    tets: Vec<[u32; 4]>,
    sides: [Vec<[u32; 3]>; 2],
}

impl Cube {
    fn new(n: usize) -> Self {
        let side = n + 1;
        // Sixteen times finer at the origin than at the far end.
        let graded = |i: usize| ((i as f64 / n as f64) * 16f64.ln()).exp_m1() / 15.0;
        let at = |i: usize| [i % side, i / side % side, i / (side * side)].map(graded);
        let points = (0..side.pow(3)).map(at).collect();
        let id = |at: [usize; 3]| ((at[2] * side + at[1]) * side + at[0]) as u32;
        let mut tets = Vec::new();
        for cell in (0..n.pow(3)).map(|i| [i % n, i / n % n, i / (n * n)]) {
            // Kuhn's six: paths of unit steps from one corner of the cell to the opposite one, half of them turned over.
            for (t, path) in
                [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]].iter().enumerate()
            {
                let (mut at, mut tet) = (cell, [id(cell); 4]);
                for (slot, step) in path.iter().enumerate() {
                    at[*step] += 1;
                    tet[slot + 1] = id(at);
                }
                if t > 2 {
                    tet.swap(0, 1);
                }
                tets.push(tet);
            }
        }
        let sides = [0, n].map(|z| {
            let cells = (0..n * n).map(|i| [i % n, i / n, z]);
            let two = |[x, y, z]: [usize; 3]| {
                let (first, last) = (id([x, y, z]), id([x + 1, y + 1, z]));
                [[first, id([x + 1, y, z]), last], [first, last, id([x, y + 1, z])]]
            };
            cells.flat_map(two).collect()
        });
        Cube { points, tets, sides }
    }

    /// The same body, nodes and elements in the order of dice.
    fn shuffled(mut self) -> Self {
        let mut random = 7u64;
        let mut dice = |below: usize| {
            random = random.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (random >> 33) as usize % below
        };
        let mut new: Vec<u32> = (0..self.points.len() as u32).collect();
        (1..new.len()).for_each(|i| new.swap(i, dice(i + 1)));
        let mut points = self.points.clone();
        new.iter().zip(&self.points).for_each(|(a, x)| points[*a as usize] = *x);
        self.points = points;
        let tets = self.tets.as_flattened_mut().iter_mut();
        tets.chain(self.sides.iter_mut().flat_map(|s| s.as_flattened_mut()))
            .for_each(|a| *a = new[*a as usize]);
        (1..self.tets.len()).for_each(|i| self.tets.swap(i, dice(i + 1)));
        self
    }
}

/// Numbers as text or binary.
struct Out {
    file: std::io::BufWriter<std::fs::File>,
    binary: bool,
}

impl Out {
    fn line(&mut self, text: &str) -> std::io::Result<()> {
        writeln!(self.file, "{text}")
    }

    /// Four bytes each in binary.
    fn ints(&mut self, numbers: &[i32]) -> std::io::Result<()> {
        self.all(numbers.iter().map(|n| (n.to_string(), n.to_le_bytes().to_vec())))
    }

    /// Eight bytes each in binary.
    fn sizes(&mut self, numbers: &[u64]) -> std::io::Result<()> {
        self.all(numbers.iter().map(|n| (n.to_string(), n.to_le_bytes().to_vec())))
    }

    fn doubles(&mut self, numbers: &[f64]) -> std::io::Result<()> {
        self.all(numbers.iter().map(|n| (n.to_string(), n.to_le_bytes().to_vec())))
    }

    /// Text with a blank after each; `end` ends the line.
    fn all(&mut self, numbers: impl Iterator<Item = (String, Vec<u8>)>) -> std::io::Result<()> {
        for (text, bytes) in numbers {
            if self.binary {
                self.file.write_all(&bytes)?;
            } else {
                write!(self.file, "{text} ")?;
            }
        }
        Ok(())
    }

    fn end(&mut self) -> std::io::Result<()> {
        if self.binary { Ok(()) } else { writeln!(self.file) }
    }
}

fn write(path: &str, format: &str, cube: &Cube) -> std::io::Result<()> {
    let (version, binary) = match format.split_once('-') {
        Some((version, _)) => (version, true),
        None => (format, false),
    };
    let mut out = Out { file: std::io::BufWriter::new(std::fs::File::create(path)?), binary };
    out.line(&format!("$MeshFormat\n{version} {} 8", u8::from(binary)))?;
    if binary {
        out.ints(&[1])?;
        out.line("")?;
    }
    out.line(
        "$EndMeshFormat\n$PhysicalNames\n3\n3 1 \"body\"\n2 2 \"bottom\"\n2 3 \"top\"\n$EndPhysicalNames",
    )?;
    if version == "2.2" {
        write_2(&mut out, cube)?
    } else {
        write_4(&mut out, cube)?
    }
    out.file.flush()
}

fn write_4(out: &mut Out, cube: &Cube) -> std::io::Result<()> {
    let (nodes, triangles) = (cube.points.len() as u64, cube.sides[0].len() as u64);
    out.line("$Entities")?;
    out.sizes(&[0, 0, 2, 1])?;
    out.end()?;
    for (d, entity) in [(2, 2), (2, 3), (3, 1)] {
        out.ints(&[entity])?;
        out.doubles(&[0.0, 0.0, if entity == 3 { 1.0 } else { 0.0 }, 1.0, 1.0, f64::from(d - 2)])?;
        out.sizes(&[1])?;
        out.ints(&[entity])?;
        out.sizes(&[0])?;
        out.end()?;
    }
    out.line("$EndEntities\n$Nodes")?;
    out.sizes(&[1, nodes, 1, nodes])?;
    out.end()?;
    out.ints(&[3, 1, 0])?;
    out.sizes(&[nodes])?;
    out.end()?;
    for a in 1..=nodes {
        out.sizes(&[a])?;
        out.end()?;
    }
    for x in &cube.points {
        out.doubles(x)?;
        out.end()?;
    }
    out.line("$EndNodes\n$Elements")?;
    let count = cube.tets.len() as u64 + 2 * triangles;
    out.sizes(&[3, count, 1, count])?;
    out.end()?;
    let mut tag = 0;
    let mut block =
        |d: i32, entity: i32, code: i32, cells: &mut dyn Iterator<Item = &[u32]>, count: usize| {
            out.ints(&[d, entity, code])?;
            out.sizes(&[count as u64])?;
            out.end()?;
            for cell in cells {
                tag += 1;
                out.sizes(&[tag])?;
                let nodes: Vec<u64> = cell.iter().map(|a| u64::from(*a) + 1).collect();
                out.sizes(&nodes)?;
                out.end()?;
            }
            std::io::Result::Ok(())
        };
    for (entity, side) in [2, 3].into_iter().zip(&cube.sides) {
        block(2, entity, 2, &mut side.iter().map(|c| &c[..]), side.len())?;
    }
    block(3, 1, 4, &mut cube.tets.iter().map(|c| &c[..]), cube.tets.len())?;
    out.line("$EndElements")
}

fn write_2(out: &mut Out, cube: &Cube) -> std::io::Result<()> {
    out.line(&format!("$Nodes\n{}", cube.points.len()))?;
    for (x, a) in cube.points.iter().zip(1..) {
        out.ints(&[a])?;
        out.doubles(x)?;
        out.end()?;
    }
    out.line(&format!("$EndNodes\n$Elements\n{}", cube.tets.len() + 2 * cube.sides[0].len()))?;
    let mut tag = 0;
    let mut block = |group: i32, code: i32, cells: &mut dyn Iterator<Item = &[u32]>, count: usize| {
        if out.binary {
            out.ints(&[code, count as i32, 2])?;
        }
        for cell in cells {
            tag += 1;
            if out.binary {
                out.ints(&[tag])?
            } else {
                out.ints(&[tag, code, 2])?
            }
            out.ints(&[group, group])?;
            let nodes: Vec<i32> = cell.iter().map(|a| *a as i32 + 1).collect();
            out.ints(&nodes)?;
            out.end()?;
        }
        std::io::Result::Ok(())
    };
    for (group, side) in [2, 3].into_iter().zip(&cube.sides) {
        block(group, 2, &mut side.iter().map(|c| &c[..]), side.len())?;
    }
    block(1, 4, &mut cube.tets.iter().map(|c| &c[..]), cube.tets.len())?;
    out.line("$EndElements")
}

/// Prints what each part took on the clock and of the processor, and the memory in use after it and at most so far.
struct Parts {
    start: [f64; 2],
    last: [f64; 2],
}

/// Seconds on the clock, and those that the processor worked for us (Linux; else the clock again).
fn now() -> [f64; 2] {
    static ORIGIN: OnceLock<Instant> = OnceLock::new();
    let clock = ORIGIN.get_or_init(Instant::now).elapsed().as_secs_f64();
    let own = std::fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    let worked = own.split(' ').next().and_then(|ns| ns.parse::<f64>().ok());
    [clock, worked.map_or(clock, |ns| 1e-9 * ns)]
}

impl Parts {
    fn new() -> Self {
        let now = now();
        println!("{:24} {:>10} {:>10} {:>14} {:>12}", "part", "clock", "processor", "in use", "at most");
        Parts { start: now, last: now }
    }

    fn done(&mut self, what: &str) {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let of = |key: &str| {
            let line = status.lines().find_map(|l| l.strip_prefix(key)).unwrap_or("0");
            line.trim_matches(|c: char| !c.is_ascii_digit()).parse::<f64>().unwrap_or(0.0) / 1024.0
        };
        let ([clock, worked], [in_use, most]) = (now(), [of("VmRSS:"), of("VmHWM:")]);
        let (clock, worked) = (clock - self.last[0], worked - self.last[1]);
        println!("{what:24} {clock:8.3} s {worked:8.3} s {in_use:10.0} MiB {most:8.0} MiB");
        self.last = now();
    }

    fn end(&self) {
        let now = now();
        println!("{:24} {:8.3} s {:8.3} s", "all", now[0] - self.start[0], now[1] - self.start[1]);
    }
}

/// Reads the file and goes on to the first updates as a run does.
fn time(path: &str, order: bool) -> Result<(), Error> {
    let mut parts = Parts::new();
    let told = |message: String| Error::from(Diagnostic::new(message));
    let bytes = std::fs::read(path).map_err(|e| told(e.to_string()))?;
    parts.done("file");
    let mut mesh = Mesh::read(path, &bytes)?;
    drop(bytes);
    parts.done("mesh");
    if order {
        mesh.order();
        parts.done("order");
    }
    let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(3.0, 1.3)?)?);
    let cells = mesh
        .cells
        .iter()
        .find(|c| c.kind == CellKind::Tetrahedron4)
        .ok_or_else(|| told("the mesh has no tetrahedra of four nodes".into()))?;
    let blocks = ElementGroup::new(ElementKind::Tet4, &cells.nodes, 1.0).build(&mesh.points, &law)?;
    parts.done("elements");
    let solid = Solid::new(&mesh.points, blocks, &[])?;
    parts.done("masses and checks");
    let loads = LoadsBuilder::default().finish(&mesh.points, solid.elements());
    let mut supports = Supports::new(&mesh.points);
    for node in &mesh.group("bottom")?.nodes {
        for direction in 0..3 {
            supports
                .fix(*node, direction, 0.0, 0)
                .map_err(|c| told(format!("node {} is held twice", c.node)))?;
        }
    }
    let tags = cells.tags.clone();
    drop(mesh);
    let problem = Arc::new(SolidProblem::new(solid, loads, supports, tags));
    parts.done("supports, loads");
    let (solid, x) = (problem.solid(), problem.solid().points().to_vec());
    let steps = solid.steps_eigen(0.5, &x, MassSplit::Stiffness).map_err(|e| told(e.to_string()))?;
    parts.done("steps");
    let step = harmonic(&*problem, &steps, Buffer::Ring);
    drop(steps);
    parts.done("harmonic");
    // As the default of a run: all steps grow until the body's own limit is used.
    let longer = (0.5 / solid.used_limit(&x, &step).map_err(|e| told(e.to_string()))?).max(1.0);
    let step: Vec<f64> = step.iter().map(|h| longer * h).collect();
    parts.done("limit of the body");
    let least = step.iter().copied().fold(f64::INFINITY, f64::min);
    let (mass, v) = (solid.mass().to_vec(), vec![0.0; x.len()]);
    let start = AviStart { t: 0.0, x, v, mass, step };
    let mut avi = Avi::new(Arc::clone(&problem), start).map_err(|e| told(e.fault.why))?;
    parts.done("start, half kick");
    avi.advance(1.5 * least).map_err(|e| told(e.fault.why))?;
    let events = avi.updates();
    parts.done(&format!("{events} updates"));
    parts.end();
    let elements = solid.elements() as f64;
    let (x, mut out) = (avi.positions().to_vec(), vec![0.0; avi.positions().len()]);
    let sweep = || {
        let start = now();
        solid.forces(0.0, &x, &mut out).map_err(|e| told(e.to_string()))?;
        Ok(now()[1] - start[1])
    };
    let swept = std::iter::repeat_with(sweep).take(10).collect::<Result<Vec<f64>, Error>>()?;
    let before = (now()[1], avi.updates());
    avi.advance(16.5 * least).map_err(|e| told(e.fault.why))?;
    let events = avi.updates() - before.1;
    println!(
        "a sweep {:.1} ns an element, {events} updates {:.1} ns each",
        1e9 * swept.iter().copied().fold(f64::INFINITY, f64::min) / elements,
        1e9 * (now()[1] - before.0) / events as f64
    );
    let bytes = |n: usize| n as f64 / elements;
    println!("{:.0} elements, {:.3} nodes an element", elements, solid.mass().len() as f64 / elements);
    println!("state and schedule {:.0} bytes an element", bytes(avi.memory()));
    println!(
        "solid {:.0}, all of the problem {:.0} bytes an element",
        bytes(solid.memory()),
        bytes(problem.memory())
    );
    Ok(())
}
