//! The shipped meshes: bodies at rest set in motion by lot, and the growth of their energy.

use super::{Clock, Random, saving, start};
use crate::solids::larger;
use crate::vti04::blade::CASES;
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::avi::{Buffer, harmonic};
use stationary::mesh::{CellKind, Mesh};
use stationary::model::solid::{
    Bars, ConstitutiveLaw, ElementGroup, ElementKind, Elements, Lame, MassSplit, NeoHookean, Solid,
};
use stationary_app::scenario::shipped;
use stationary_report::plot::Plot;
use std::sync::Arc;

/// The shipped meshes of solids; the blade in one material, and with a stiff joint.
pub const NAMES: [&str; 7] = ["bar-wave", "slab", "block", "l-beam", "blade-1", "blade-3", "graded-cube"];

/// A shipped mesh with the material of its scenario, free in space.
pub fn solid(name: &str) -> Result<Solid, String> {
    if let Some(number) = name.strip_prefix("blade-") {
        let case = CASES.iter().find(|c| c.number.to_string() == number).ok_or("there is no such blade")?;
        return Ok(case.body()?.solid);
    }
    let file = format!("meshes/{name}.msh");
    let bytes = shipped::mesh(&file).ok_or_else(|| format!("there is no mesh {file}"))?;
    let mesh = Mesh::read(&file, bytes).map_err(|e| e.to_string())?;
    let find = |kind: CellKind| mesh.cells.iter().filter(move |c| c.kind == kind);
    let mut blocks: Vec<Box<dyn Elements>> = Vec::new();
    if name == "bar-wave" {
        for cells in find(CellKind::Line2) {
            let bars = Bars::elastic(&mesh.points, &cells.nodes, 0, 210e9 * 1e-4, 7800.0 * 1e-4);
            blocks.push(Box::new(bars.map_err(|e| e.message)?));
        }
    } else {
        let (lambda, mu, density) = match name {
            // Young's modulus 2 MPa, Poisson's ratio 0.4.
            "graded-cube" => (2e6 * 0.4 / (1.4 * 0.2), 2e6 / 2.8, 1000.0),
            "slab" => (2e6, 2e6, 1000.0),
            _ => (93e9, 10e9, 7800.0),
        };
        let lame = Lame::new(lambda, mu).map_err(|e| e.message)?;
        let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(lame).map_err(|e| e.message)?);
        let (cell, kind) = match find(CellKind::Tetrahedron10).next() {
            Some(_) => (CellKind::Tetrahedron10, ElementKind::Tet10),
            None => (CellKind::Triangle6, ElementKind::Tri6),
        };
        for cells in find(cell) {
            let group = ElementGroup::new(kind, &cells.nodes, density).build(&mesh.points, &law);
            blocks.extend(group.map_err(|e| e.message)?);
        }
    }
    Solid::new(&mesh.points, blocks, &[]).map_err(|e| e.message)
}

/// How steps are made: none is the papers' free steps.
#[derive(Debug, Clone, Copy)]
pub struct Way {
    /// In words.
    pub name: &'static str,
    /// Harmonic with this buffer, or free.
    pub buffer: Option<Buffer>,
    /// When elements fire.
    pub clock: Clock,
    /// Whether fractions are of the whole body's limit, not of each element's own.
    pub of_body: bool,
    /// How nodal masses are divided among elements.
    pub split: MassSplit,
}

/// The ways compared, the former default last.
pub const WAYS: [Way; 6] = [
    Way { name: "free", buffer: None, clock: Clock::Ends, of_body: false, split: MassSplit::Stiffness },
    Way {
        name: "none",
        buffer: Some(Buffer::None),
        clock: Clock::Ends,
        of_body: false,
        split: MassSplit::Stiffness,
    },
    Way {
        name: "ring",
        buffer: Some(Buffer::Ring),
        clock: Clock::Ends,
        of_body: false,
        split: MassSplit::Stiffness,
    },
    Way {
        name: "jump",
        buffer: Some(Buffer::Jump),
        clock: Clock::Ends,
        of_body: false,
        split: MassSplit::Stiffness,
    },
    Way {
        name: "jump, middles",
        buffer: Some(Buffer::Jump),
        clock: Clock::Middles,
        of_body: false,
        split: MassSplit::Stiffness,
    },
    Way {
        name: "jump, middles, of body",
        buffer: Some(Buffer::Jump),
        clock: Clock::Middles,
        of_body: true,
        split: MassSplit::Stiffness,
    },
];

/// What the program did unless told otherwise, before a mesh that it was not chosen on exploded with it.
pub const FORMER_DEFAULT: Way = WAYS[5];

/// The part of the body's limit that was the default; it is 0.7 now, with levels by cost and an envelope at their boundaries.
pub const FORMER_FRACTION: f64 = 0.8;

/// Velocities of the start over the wave speed: strains so small see the linear body.
pub const SMALL: f64 = 1e-4;

/// What a run showed.
#[derive(Debug, Clone)]
pub struct Seen {
    /// Growth of the energy for each update of the smallest element, from the second half of the run.
    pub rate: f64,
    /// Largest energy over the first.
    pub largest: f64,
    /// Updates that one step for all at the body's true limit would need, over those made.
    pub saving: f64,
    /// The energy over the first at equal distances of time.
    pub energy: Vec<f64>,
}

/// Nodes of a body at rest get velocities by lot, `strain` of the wave speed; the body runs for so many updates of its
/// smallest element. Small motions see the linear body, whose every vibration is there.
pub fn shake(solid: &Arc<Solid>, way: Way, fraction: f64, updates: f64, strain: f64) -> Result<Seen, String> {
    const LOOKS: usize = 40;
    let x = solid.points().to_vec();
    let whole = solid.steps_eigen(1.0, &x, way.split).map_err(|e| e.to_string())?;
    let stable: Vec<f64> = whole.iter().map(|h| fraction * h).collect();
    let mut step = match way.buffer {
        None => stable,
        Some(buffer) => harmonic(&**solid, &stable, buffer),
    };
    let used = |step: &[f64]| solid.used_limit(&x, step).map_err(|e| e.to_string());
    if way.of_body {
        let longer = fraction / used(&step)?;
        step.iter_mut().for_each(|h| *h *= longer);
    }
    let smallest = step.iter().copied().fold(f64::INFINITY, f64::min);
    let saved = saving(1.0 / used(&vec![1.0; step.len()])?, &step);
    let kind = solid.blocks()[0].kind();
    let speed = strain * solid.blocks()[0].wave_speed(0);
    let mut random = Random::new(23);
    let v = (0..x.len()).map(|i| {
        let v = speed * (2.0 * random.next() - 1.0);
        if i % 3 < kind.dimension() { v } else { 0.0 }
    });
    let state = (x.clone(), v.collect());
    let failed = |e: stationary::integrate::avi::AviError| crate::solids::fault(&e);
    let mut run = start(solid, way.clock, state, solid.mass().to_vec(), step).map_err(failed)?;
    let mut energy = Vec::new();
    for i in 0..=LOOKS {
        let t = updates * smallest * i as f64 / LOOKS as f64;
        match run.advance(t).and_then(|()| run.snapshot()) {
            Ok(shot) => energy.push(shot.kinetic + shot.potential),
            // An element turned over: the end of any growth.
            Err(_) => break,
        }
    }
    let made = energy.len() - 1;
    let largest =
        if made < LOOKS { f64::INFINITY } else { energy.iter().copied().fold(0.0, larger) / energy[0] };
    // Means over quarters of what there is, so that the wobble of the energy does not count as growth.
    let quarter = (made / 4).max(1);
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (early, late) =
        (mean(&energy[made + 1 - 2 * quarter..made + 1 - quarter]), mean(&energy[made + 1 - quarter..]));
    let rate = (late / early).ln() / (quarter as f64 / LOOKS as f64 * updates);
    let first = energy[0];
    energy.iter_mut().for_each(|e| *e /= first);
    Ok(Seen { rate, largest, saving: saved, energy })
}

/// A mesh, and how long to run it.
struct Plan {
    name: &'static str,
    /// Updates of the smallest element in every run.
    updates: f64,
    fractions: &'static [f64],
}

fn plan(scale: Scale) -> Vec<Plan> {
    const ALL: [f64; 6] = [0.2, 0.3, 0.5, 0.7, 0.8, 0.9];
    const SOME: [f64; 3] = [0.5, 0.8, 0.9];
    let plan = |name, updates, fractions| Plan { name, updates, fractions };
    match scale {
        Scale::Reduced => vec![plan("bar-wave", 2e3, &[0.5, 0.8]), plan("slab", 2e3, &[0.5, 0.8])],
        Scale::Full => vec![
            plan("bar-wave", 2e4, &ALL),
            plan("slab", 5e4, &ALL),
            plan("block", 1e4, &SOME),
            plan("l-beam", 5e3, &SOME),
            plan("blade-1", 2e3, &SOME),
            plan("blade-3", 2e3, &SOME),
            plan("graded-cube", 1e3, &SOME),
        ],
    }
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let (mut table, mut plots) = (Vec::new(), Vec::new());
    let (mut held, mut freely) = (0.0, 0.0);
    for Plan { name, updates, fractions } in plan(scale) {
        let body = Arc::new(solid(name)?);
        table.push(format!("{name}: {} elements, {updates:.0e} updates of the smallest", body.elements()));
        let mut plot =
            Plot::new(name).x_label("fraction of the limits").y_label("growth of energy an update").log_y();
        for way in WAYS {
            let (mut rates, mut cells) = (Vec::new(), Vec::new());
            let mut worth = 0.0;
            for f in fractions {
                let seen = shake(&body, way, *f, updates, SMALL)?;
                cells.push(format!("{f}: {:+.1e} ({:.4})", seen.rate, seen.largest));
                // Below this the wobble of the energy hides what growth there may be.
                rates.push(seen.rate.max(1e-3 / updates));
                // At equal fraction.
                worth = seen.saving / f;
                if way.clock == Clock::Middles && *f <= 0.8 {
                    held = larger(held, seen.largest - 1.0);
                }
                if way.buffer.is_none() {
                    freely = larger(freely, seen.rate * updates);
                }
            }
            table.push(format!("  {:<24} saving {worth:.2}   {}", way.name, cells.join("  ")));
            plot = plot.line(way.name, fractions, &rates);
        }
        plot =
            plot.note(format!("at least {:.0e} is shown: below is the wobble of the energy", 1e-3 / updates));
        plots.push(plot.to_svg(480, 340));
    }
    let claims = vec![
        Claim::below("jump, middles up to 0.8: largest energy over the first, less one", held, 0.05),
        Claim::above(
            "free steps: logarithm of the growth in all, the largest",
            freely,
            scale.pick(0.05, 1.0),
        ),
    ];
    let rows: Vec<String> = plots.chunks(4).map(|row| side_by_side(row, 480, 340)).collect();
    Ok(Outcome { plot: stacked(&rows, 340), table, claims })
}

/// Rows of plots below each other.
fn stacked(rows: &[String], height: u32) -> String {
    let (width, total) = (480 * 4, height * rows.len() as u32);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{total}\" viewBox=\"0 0 {width} {total}\">"
    );
    for (i, row) in rows.iter().enumerate() {
        svg.push_str(&row.replacen("<svg", &format!("<svg y=\"{}\"", height * i as u32), 1));
    }
    svg.push_str("</svg>\n");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resonance_meshes_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        outcome.claims.iter().for_each(|claim| assert!(claim.holds(), "{claim}"));
    }
}
