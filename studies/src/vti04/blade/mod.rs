//! The rotating blade of VTI04 4.5: what the paper prints of its three cases, the body, and its runs.

pub mod draw;
pub mod equilibrium;
pub mod recorded;

use crate::Scale;
use recorded::Recorded;
use stationary::mesh::{CellId, CellKind, Mesh};
use stationary::model::solid::{ConstitutiveLaw, ElementGroup, ElementKind, Lame, NeoHookean, Solid};
use stationary_app::run::{self, RunOutcome};
use stationary_app::scenario::{Scenario, shipped};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Part of the mesh, Lamé constants (Pa) and density (kg/m³).
#[derive(Debug, Clone, Copy)]
pub struct Part {
    /// Group of the mesh.
    pub group: &'static str,
    /// First Lamé constant.
    pub lambda: f64,
    /// Shear modulus.
    pub mu: f64,
    /// Mass per volume.
    pub density: f64,
}

/// A case as printed: Tables I and II.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// 1, 2 or 3.
    pub number: usize,
    /// Dimensionless speed.
    pub omega: f64,
    /// Period of rotation for long times (s), ± 0.0005 s.
    pub period: f64,
    /// Final time (s).
    pub end: f64,
    /// Updates of the element that has the most, and of the one that has the fewest.
    pub most: f64,
    /// See `most`.
    pub fewest: f64,
    /// Updates of all elements. In case 2 what the rest of the row implies, 325e6 x 2089 / 6.37; printed is 42.6e10.
    pub total: f64,
    /// What a synchronous run would need over this.
    pub speedup: f64,
    /// Materials.
    pub parts: [Part; 2],
}

/// One material for both parts.
const fn uniform(lambda: f64, mu: f64, density: f64) -> [Part; 2] {
    [Part { group: "joint", lambda, mu, density }, Part { group: "blade", lambda, mu, density }]
}

/// The three cases.
pub const CASES: [Case; 3] = [
    Case {
        number: 1,
        omega: 1.13,
        period: 0.1575,
        end: 7.849,
        most: 266e6,
        fewest: 14e6,
        total: 8.7e10,
        speedup: 6.37,
        parts: uniform(0.98e9, 0.98e9, 250.0),
    },
    Case {
        number: 2,
        omega: 1.78,
        period: 0.1595,
        end: 15.015,
        most: 325e6,
        fewest: 17e6,
        total: 10.7e10,
        speedup: 6.37,
        parts: uniform(4e9, 4e9, 2500.0),
    },
    Case {
        number: 3,
        omega: 5.02,
        period: 0.1845,
        end: 27.439,
        most: 234e6,
        fewest: 12e6,
        total: 8.4e10,
        speedup: 5.80,
        parts: [
            Part { group: "joint", lambda: 3e9, mu: 0.75e9, density: 4500.0 },
            Part { group: "blade", lambda: 0.1e9, mu: 0.025e9, density: 250.0 },
        ],
    },
];

/// The body of a case, with its elements in the order of the parts.
#[derive(Debug)]
pub struct Body {
    /// The shipped mesh.
    pub mesh: Mesh,
    /// The elements with their materials.
    pub solid: Solid,
    /// The cell of each element.
    pub cells: Vec<CellId>,
    /// The paper's step of each element: a tenth of the inscribed radius over the wave speed [VTI04 (59)].
    pub step: Vec<f64>,
}

impl Case {
    /// Builds the body.
    pub fn body(&self) -> Result<Body, String> {
        let bytes = shipped::mesh("meshes/blade.msh").ok_or("the mesh of the blade is not shipped")?;
        let mesh = Mesh::read("blade.msh", bytes).map_err(|e| e.to_string())?;
        let (mut blocks, mut cells) = (Vec::new(), Vec::new());
        for part in &self.parts {
            let group = mesh.group(part.group).map_err(|e| e.to_string())?;
            let chosen =
                group.cells.iter().filter(|c| mesh.cells[c.0 as usize].kind == CellKind::Tetrahedron10);
            let first = cells.len();
            cells.extend(chosen.copied());
            let nodes: Vec<u32> = cells[first..]
                .iter()
                .flat_map(|c| mesh.cells[c.0 as usize].nodes_of(c.1 as usize))
                .copied()
                .collect();
            let law = Lame::new(part.lambda, part.mu).and_then(NeoHookean::new).map_err(|e| e.to_string())?;
            let group = ElementGroup { first, ..ElementGroup::new(ElementKind::Tet10, &nodes, part.density) };
            blocks.extend(
                group.build(&mesh.points, &ConstitutiveLaw::NeoHookean(law)).map_err(|e| e.to_string())?,
            );
        }
        let solid = Solid::new(&mesh.points, blocks, &[]).map_err(|e| e.to_string())?;
        let mut step = vec![0.0; cells.len()];
        for (k, h) in solid.steps_courant(0.1).into_iter().enumerate() {
            let (block, j) = solid.locate(k);
            step[block.label(j)] = h;
        }
        Ok(Body { mesh, solid, cells, step })
    }

    /// Runs the shipped scenario of the case into a folder.
    pub fn run(&self, overrides: &[(&str, String)], out: &Path) -> Result<RunOutcome, String> {
        let name = format!("blade-{}", self.number);
        let text = shipped::find(&name).ok_or("the scenario of the blade is not shipped")?.text;
        let overrides: Vec<(String, String)> =
            overrides.iter().map(|(key, value)| (key.to_string(), value.clone())).collect();
        let scenario = Scenario::read(&name, text, &overrides).map_err(|e| e.to_string())?;
        let outcome =
            run::run(&scenario, out, &mut |_| ControlFlow::Continue(())).map_err(|e| e.to_string())?;
        match &outcome.stopped {
            Some(error) => Err(error.to_string()),
            None => Ok(outcome),
        }
    }

    /// A run with the paper's steps up to a time.
    pub fn run_as_printed(
        &self,
        end: f64,
        more: &[(&str, String)],
    ) -> Result<(RunOutcome, Recorded), String> {
        let mut overrides = vec![("end", end.to_string()), ("output.frames", "0".into())];
        overrides.extend_from_slice(more);
        let folder = scratch(&format!("printed-{}", self.number));
        let result =
            self.run(&overrides, &folder).and_then(|outcome| Ok((outcome, Recorded::read(&folder)?)));
        let _ = std::fs::remove_dir_all(&folder);
        result
    }

    /// The run with larger steps that Table I and Figs. 9-11 and 13 share; made once in a process.
    ///
    /// The full one is read from `results/studies/blade-N` if a run with these steps is there, of whatever
    /// length, and else made there.
    pub fn long_run(&self, scale: Scale) -> Result<&'static Recorded, String> {
        static RUNS: [OnceLock<Result<Recorded, String>>; 6] = [const { OnceLock::new() }; 6];
        let slot = 2 * (self.number - 1) + scale.pick(0, 1);
        RUNS[slot].get_or_init(|| self.make_long_run(scale)).as_ref().map_err(String::clone)
    }

    fn make_long_run(&self, scale: Scale) -> Result<Recorded, String> {
        let (folder, end) = match scale {
            Scale::Reduced => (scratch(&format!("long-{}", self.number)), 3e-4),
            Scale::Full => (kept(self.number), [0.08, 0.08, 0.56][self.number - 1]),
        };
        let overrides = larger_steps(end);
        if scale == Scale::Reduced || !is_there(&folder, &overrides[..6]) {
            self.run(&overrides, &folder)?;
        }
        let recorded = Recorded::read(&folder);
        if scale == Scale::Reduced {
            let _ = std::fs::remove_dir_all(&folder);
        }
        recorded
    }
}

/// Harmonic steps near the limit of stability, with a ring around the smaller ones: half the paper's cost.
fn larger_steps(end: f64) -> [(&'static str, String); 9] {
    let rows = (end / 5e-4).round().max(24.0) as u64;
    [
        ("integrator.steps", "harmonic".into()),
        ("integrator.rule", "eigen".into()),
        ("integrator.fraction", "0.8".into()),
        ("integrator.limit", "element".into()),
        ("integrator.buffer", "ring".into()),
        ("integrator.events", "end".into()),
        ("end", end.to_string()),
        ("output.rows", rows.to_string()),
        ("output.frames", (rows / 8).to_string()),
    ]
}

/// Whether a folder holds a run with these choices, ended or interrupted: one under way has no summary.
fn is_there(folder: &Path, overrides: &[(&str, String)]) -> bool {
    let Ok(summary) = std::fs::read_to_string(folder.join("summary.json")) else { return false };
    let chosen = |(key, value): &(&str, String)| summary.contains(&format!("\"{key}={value}\""));
    overrides.iter().all(chosen)
}

/// A folder that no other run of this process has, nor another process.
fn scratch(name: &str) -> PathBuf {
    static MADE: AtomicU32 = AtomicU32::new(0);
    let (process, number) = (std::process::id(), MADE.fetch_add(1, Ordering::Relaxed));
    std::env::temp_dir().join(format!("stationary-studies-{process}-{number}-blade-{name}"))
}

/// Where full runs stay, at the root of the repository.
fn kept(number: usize) -> PathBuf {
    let root =
        std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, |f| PathBuf::from(f).join(".."));
    root.join(format!("results/studies/blade-{number}"))
}

/// Events of an element of a step up to a time: the largest `j` with `j dt <= end`, as the engine counts.
pub fn events(step: f64, end: f64) -> u64 {
    let mut j = (end / step).floor();
    while (j + 1.0) * step <= end {
        j += 1.0;
    }
    while j * step > end {
        j -= 1.0;
    }
    j as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blade_angular_velocity_is_the_printed_one() {
        // The printed speeds follow from span 7.2 m and chord 0.533 m: that is how the length enters the paper.
        for case in CASES {
            let part = case.parts[1];
            let c = ((part.lambda + 2.0 * part.mu) / part.density).sqrt();
            let speed = 40.0 * 7.2 * 7.2 / (c * 0.533);
            assert!((speed / case.omega - 1.0).abs() < 0.005, "{speed} {}", case.omega);
        }
    }

    #[test]
    fn blade_events_are_counted_to_the_end() {
        assert_eq!([events(0.1, 0.3), events(0.1, 0.25), events(0.25, 1.0)], [2, 2, 4]);
        assert_eq!(events(2.0, 1.0), 0);
    }
}
