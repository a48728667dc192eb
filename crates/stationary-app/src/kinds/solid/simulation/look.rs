//! What can be seen of a solid that is moved on by hand.

use super::SolidSimulation;
use crate::kinds::solid::motion::Look;
use crate::kinds::solid::probe::Probe;
use crate::kinds::solid::record::relative;
use crate::kinds::solid::results::{in_vtk_order, stress, write_frame};
use crate::scenario::{FrameFormat, Place, ProbePlace, SolidProbe, Text};
use stationary::error::{Diagnostic, Error, RunError, Source};
use stationary::mesh::CellId;
use stationary::model::Potentials;
use stationary_report::frames::{Frames, InMemoryBlock};
use std::path::Path;
use std::sync::Arc;

/// The whole body at one moment, nodes in the order of the mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidView {
    /// The time.
    pub t: f64,
    /// Positions.
    pub x: Vec<[f64; 3]>,
    /// Velocities.
    pub v: Vec<[f64; 3]>,
    /// Kinetic energy.
    pub kinetic: f64,
    /// Potential energy, that of dead loads included.
    pub potential: f64,
    /// What changing loads, pressures and moving supports have brought in since the start; NaN where the method does not book it.
    pub work: f64,
    /// Energy that materials with memory and damping have dissipated since the start.
    pub dissipated: f64,
    /// Linear momentum.
    pub linear: [f64; 3],
    /// Angular momentum about the origin.
    pub angular: [f64; 3],
    /// What is left of the balance of linear momentum with all impulses since the start, over the size of its terms; NaN where the
    /// method does not book them.
    pub linear_balance: f64,
    /// The same of angular momentum.
    pub angular_balance: f64,
    /// The impulse that each support has given since the start.
    pub reactions: Vec<(String, [f64; 3])>,
}

impl SolidSimulation {
    /// The body now. A body whose energy is not a finite number any more, or has exploded, is an error.
    pub fn look(&self) -> Result<SolidView, RunError> {
        let look = self.seen()?;
        Ok(SolidView {
            t: look.t,
            x: self.of_nodes(&look.x),
            v: self.of_nodes(&look.v),
            kinetic: look.kinetic,
            potential: look.potential,
            work: look.outer_work(),
            dissipated: look.dissipated,
            linear: look.linear.now,
            angular: look.angular.now,
            linear_balance: relative(&look.linear),
            angular_balance: relative(&look.angular),
            reactions: self.built.record.supports().iter().cloned().zip(look.reactions).collect(),
        })
    }

    fn of_nodes(&self, values: &[f64]) -> Vec<[f64; 3]> {
        let values = values.as_chunks::<3>().0;
        match &self.nodes {
            Some(nodes) => nodes.iter().map(|a| values[*a as usize]).collect(),
            None => values.to_vec(),
        }
    }

    fn of_elements<T>(&self, value: impl Fn(usize) -> T) -> Vec<T> {
        self.elements.iter().map(|k| value(*k as usize)).collect()
    }

    /// Reference positions of the nodes: those of the mesh, scaled and refined as the scenario says.
    pub fn points(&self) -> Vec<[f64; 3]> {
        self.of_nodes(self.built.body.problem.solid().points())
    }

    /// The cell that each element is in the mesh (refined, if the scenario says so): its block there, and its place in the block.
    /// Cells that no material has taken, as those that only name a side, are no elements.
    pub fn elements(&self) -> Vec<CellId> {
        self.of_elements(|k| self.built.body.cell(k))
    }

    /// The elements as cells for pictures, kind by kind in their order: nodes as numbered in the mesh.
    pub fn cells(&self) -> Vec<InMemoryBlock> {
        let body = &self.built.body;
        let solid = body.problem.solid();
        let mut blocks: Vec<InMemoryBlock> = Vec::new();
        for k in self.elements.iter().map(|k| *k as usize) {
            let kind = solid.locate(k).0.kind();
            let (vtk_type, per_cell) = (kind.cell().vtk(), kind.nodes());
            if blocks.last().is_none_or(|block| block.vtk_type != vtk_type) {
                blocks.push(InMemoryBlock { vtk_type, nodes: Vec::new(), per_cell });
            }
            let nodes =
                in_vtk_order(kind, Potentials::nodes(solid, k)).map(|a| body.place(a as usize) as u32);
            blocks.last_mut().expect("one was just made").nodes.extend(nodes);
        }
        blocks
    }

    /// The step of each element.
    pub fn steps(&self) -> Vec<f64> {
        let steps = self.built.motion.steps();
        self.of_elements(|k| steps[k])
    }

    /// Updates of each element since the start.
    pub fn updates(&self) -> Vec<u64> {
        let updates = self.built.motion.updates();
        self.of_elements(|k| updates[k])
    }

    /// The true stress of each element as xx, yy, zz, xy, yz, xz; of bars, the axial force comes first.
    pub fn stresses(&self) -> Result<Vec<[f64; 6]>, RunError> {
        let look = self.seen()?;
        Ok(self.of_elements(|k| stress(&self.built, k, &look.x)))
    }

    /// The body now, unless its energy is not finite or has exploded.
    fn seen(&self) -> Result<Look, RunError> {
        let look = self.finite()?;
        let stop = |cause| RunError { time: self.time(), step: self.moves(), cause };
        self.built.judge_energy(&look).map_err(stop)?;
        Ok(look)
    }

    /// Attaches a probe: a formula of `t`, `X`, `Y`, `Z`, `x`, `y`, `z`, `vx`, `vy`, `vz` and the parameters of the scenario, at the
    /// node nearest to a reference position.
    pub fn attach_probe(&mut self, name: &str, at: [f64; 3], value: &str) -> Result<(), Error> {
        let written = |part: &str, text: String| {
            let source = Arc::new(Source { name: format!("probe.{name}{part}"), text: text.clone() });
            Text { place: Place { source, span: 0..text.len() }, text, index: None }
        };
        let place = written(".at", format!("[{}, {}, {}]", at[0], at[1], at[2])).place;
        if !at.iter().all(|x| x.is_finite()) {
            return Err(place.error("a probe needs a place").help("expected three finite numbers").into());
        }
        let named = written("", name.into());
        if name.is_empty() || self.all_probes().any(|p| p.name == name) {
            let what = if name.is_empty() { "a probe has no name" } else { "there is a probe of this name" };
            return Err(Diagnostic::new(format!("{what}: `{name}`")).help("expected a new name").into());
        }
        let at = ProbePlace::Near { at };
        let choice = SolidProbe { name: named, at, place, value: written("", value.into()) };
        self.probes.push(Probe::new(&self.scenario, &choice, &self.built.body)?);
        Ok(())
    }

    fn all_probes(&self) -> impl Iterator<Item = &Probe> {
        self.built.record.probes().iter().chain(&self.probes)
    }

    /// The values of all probes now: those of the scenario, then those attached.
    pub fn probes(&self) -> Result<Vec<(String, f64)>, RunError> {
        let look = self.seen()?;
        Ok(self
            .all_probes()
            .map(|p| (p.name.clone(), p.value(&self.built.motion, &self.built.body, &look)))
            .collect())
    }

    /// Names and values of what a run writes into `series.csv`, but for what belongs to the time between two of its rows: the mean
    /// reactions, and the energies of elements. Attached probes come last.
    pub fn row(&self) -> Result<Vec<(String, f64)>, RunError> {
        let look = self.seen()?;
        let mut row = vec![
            ("t".to_string(), look.t),
            ("energy".into(), look.kinetic + look.potential),
            ("kinetic".into(), look.kinetic),
            ("potential".into(), look.potential),
            ("work".into(), look.outer_work()),
        ];
        if self.built.body.problem.dissipates() {
            row.push(("dissipation".into(), look.dissipated));
        }
        let momenta = [("linear", &look.linear), ("angular", &look.angular)];
        for (kind, balance) in momenta {
            row.extend(
                ["x", "y", "z"].iter().zip(balance.now).map(|(a, p)| (format!("momentum.{kind}.{a}"), p)),
            );
        }
        row.extend(momenta.map(|(kind, balance)| (format!("balance.{kind}"), relative(balance))));
        let updates = self.built.motion.updates();
        let [least, most] = [updates.iter().min(), updates.iter().max()].map(|n| *n.unwrap_or(&0) as f64);
        let total = updates.iter().sum::<u64>() as f64;
        row.extend(
            [("total", total), ("min", least), ("max", most)].map(|(k, n)| (format!("updates.{k}"), n)),
        );
        row.extend(
            self.all_probes().map(|p| (p.name.clone(), p.value(&self.built.motion, &self.built.body, &look))),
        );
        Ok(row)
    }

    /// Writes the body as it is as one more frame into a folder. The first into it begins there, and removes frames that are in it.
    pub fn write_frame(&mut self, folder: &Path, format: FrameFormat) -> Result<(), Error> {
        let look = self.seen()?;
        let at = match self.frames.iter().position(|(known, _, _)| known == folder) {
            Some(at) if self.frames[at].1 == format => at,
            Some(_) => {
                let message = "the frames in this folder have another format".into();
                return Err(Error::Io { path: folder.display().to_string(), message });
            }
            None => {
                self.frames.push((folder.to_path_buf(), format, Frames::create(folder, format, 0)?));
                self.frames.len() - 1
            }
        };
        write_frame(&mut self.frames[at].2, &self.built, &look)
    }
}
