//! The moving picture of a solid: which moments it has, and what its surface is coloured by.

use super::motion::Look;
use super::results::{stress, von_mises};
use super::start::PreparedSolid;
use crate::scenario::Scenario;
use stationary::archive::{Archive, Persist};
use stationary::integrate::avi::levels;
use stationary::model::Potentials;
use stationary::model::solid::{ElementKind, Solid};
use stationary_report::html::Section;
use stationary_report::scene::{Scene, SceneField, Surface};

/// Moments of a run that are offered to the picture, about.
const MOMENTS: u64 = 160;

/// A picture in the making.
#[derive(Clone)]
pub(super) struct Picture {
    scene: Scene,
    /// A picture every so many rows; or, between rows that are few, so many from one to the next.
    every: u64,
    between: u64,
    rows: u64,
}

impl Picture {
    pub fn new(scenario: &Scenario, built: &PreparedSolid, rows: u64) -> Self {
        let solid = built.body.problem.solid();
        let kinds = solid.blocks().iter().flat_map(|b| std::iter::repeat_n(b.kind().cell(), b.len()));
        let cells = kinds.enumerate().map(|(k, kind)| (kind, Potentials::nodes(solid, k)));
        let surface = Surface::of(solid.points(), cells);
        let tension = match only_bars(solid) {
            true => SceneField::on_elements("axial force").signed(),
            false => SceneField::on_elements("stress (von Mises)"),
        };
        let mut fields = vec![SceneField::on_nodes("speed"), tension];
        if built.motion.avi().is_some_and(|avi| avi.local_energy().is_some()) {
            fields.push(SceneField::on_elements("local energy residual, relative").signed());
        }
        let scene = Scene::new(solid.points(), surface, fields);
        let between = MOMENTS.min(looks(scenario, built)) / rows.max(1);
        Picture { scene, every: rows.div_ceil(MOMENTS).max(1), between, rows }
    }

    /// Whether a row is to be seen: one of several, and always the last.
    pub fn wants(&self, row: u64) -> bool {
        row.is_multiple_of(self.every) || row == self.rows
    }

    /// Whether there are pictures between rows.
    pub fn has_between(&self) -> bool {
        self.between > 1
    }

    /// The next time after `at`, on the way to a row, at which the body is to be seen; `part` gives times of rows and parts
    /// of them.
    pub fn between(&self, row: u64, at: f64, part: impl Fn(f64) -> f64) -> Option<f64> {
        let before = row.checked_sub(1)? as f64;
        let times = (1..self.between).map(|j| part(before + j as f64 / self.between as f64));
        times.into_iter().find(|t| *t > at)
    }

    /// Takes a picture of the body as it is.
    pub fn take(&mut self, built: &PreparedSolid, look: &Look) {
        // Steps of the whole may be longer than the time between pictures.
        if self.scene.last_time().is_some_and(|last| look.t <= last) {
            return;
        }
        let solid = built.body.problem.solid();
        let surface = self.scene.surface();
        let (points, nodes) = (solid.points(), surface.nodes.iter().map(|a| 3 * *a as usize));
        let displacements: Vec<f64> =
            nodes.clone().flat_map(|a| (a..a + 3).map(|i| look.x[i] - points[i])).collect();
        let speed = nodes.map(|a| look.v[a..a + 3].iter().map(|v| v * v).sum::<f64>().sqrt()).collect();
        let elements = || surface.elements.iter().map(|k| *k as usize);
        let bars = only_bars(solid);
        let mut fields = vec![speed, elements().map(|k| tension(built, k, &look.x, bars)).collect()];
        if let Some(local) = built.motion.avi().and_then(|avi| avi.local_energy()) {
            fields.push(elements().map(|k| local.relative(k)).collect());
        }
        self.scene.push(look.t, &displacements, &fields);
    }

    /// The picture for the page, once the run is over.
    pub fn section(&self, built: &PreparedSolid) -> Section {
        let elements = &self.scene.surface().elements;
        let seen = |values: Vec<f64>| elements.iter().map(|k| values[*k as usize].log10()).collect();
        let steps = (SceneField::on_elements("log10 of element step"), seen(built.motion.steps()));
        let updates = built.motion.updates().iter().map(|n| *n as f64).collect();
        let updates = (SceneField::on_elements("log10 of updates in all"), seen(updates));
        let mut still = vec![steps, updates];
        if let Some(level) = levels(&built.motion.steps()).filter(|level| level.iter().any(|l| *l > 0)) {
            let level = elements.iter().map(|k| f64::from(level[*k as usize])).collect();
            still.push((SceneField::on_elements("level of element step"), level));
        }
        self.scene.section(&still)
    }
}

impl Persist for Picture {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.scene);
    }
}

/// Looks at the body beside those of rows that a run can bear: one is about as much work as an update of every element,
/// and much less than a step of an implicit method.
fn looks(scenario: &Scenario, built: &PreparedSolid) -> u64 {
    let steps = built.motion.steps();
    let updates = steps.iter().map(|h| (scenario.end - scenario.start) / h).sum::<f64>() / steps.len() as f64;
    let bearable = if built.motion.avi().is_some() { 0.1 * updates } else { updates };
    bearable as u64
}

fn only_bars(solid: &Solid) -> bool {
    solid.blocks().iter().all(|b| b.kind() == ElementKind::Bar2)
}

/// What pulls at an element: in a body of bars the axial force of each, otherwise the von Mises stress, which bars have none of.
fn tension(built: &PreparedSolid, k: usize, x: &[f64], bars: bool) -> f64 {
    let stress = stress(built, k, x);
    match (built.body.problem.solid().locate(k).0.kind(), bars) {
        (ElementKind::Bar2, true) => stress[0],
        (ElementKind::Bar2, false) => f64::NAN,
        _ => von_mises(&stress),
    }
}
