//! VTI04 Fig. 12: how often each element of the third blade is updated.

use super::blade::draw::{Canvas, View, colour};
use super::blade::{Body, CASES, events};
use crate::{Claim, Outcome, Scale};
use stationary::mesh::CellId;

/// Elements updated more often than this are drawn alone.
const OFTEN: u64 = 100_000_000;
/// Ends of the scale of colours, in powers of ten, and how many there are.
const RANGE: [f64; 2] = [7.0, 8.4];
const COLOURS: usize = 28;
const WIDTH: u32 = 960;

/// Updates of the elements of case 3 up to the final time.
#[derive(Debug)]
pub struct Updates {
    body: Body,
    /// Of each element.
    pub counts: Vec<u64>,
    /// Whether it is of the joint.
    pub joint: Vec<bool>,
}

impl Updates {
    /// Counts.
    pub fn new() -> Result<Updates, String> {
        let case = CASES[2];
        let body = case.body()?;
        let counts = body.step.iter().map(|h| events(*h, case.end)).collect();
        let group = body.mesh.group("joint").map_err(|e| e.to_string())?;
        let joint = body.cells.iter().map(|c| group.cells.binary_search(c).is_ok()).collect();
        Ok(Updates { body, counts, joint })
    }

    /// The median of the updates in the joint over that in the blades.
    fn jump(&self) -> f64 {
        let median = |joint: bool| {
            let of = self.counts.iter().zip(&self.joint).filter(|(_, j)| **j == joint);
            let mut counts: Vec<u64> = of.map(|(c, _)| *c).collect();
            counts.sort_unstable();
            counts[counts.len() / 2] as f64
        };
        median(true) / median(false)
    }
}

/// Runs the study; nothing need be run, so that both scales are the same.
pub fn run(_: Scale) -> Result<Outcome, String> {
    let updates = Updates::new()?;
    let often = updates.counts.iter().filter(|c| **c > OFTEN).count();
    let joint = updates.joint.iter().filter(|j| **j).count();
    let table = vec![
        format!("updates of an element: {:.3e} to {:.3e}", least(&updates.counts), most(&updates.counts)),
        format!("elements updated more than 1e8 times: {often} of {}", updates.counts.len()),
        format!("median in the joint ({joint} elements) over that in the blades: {:.2}", updates.jump()),
    ];
    Ok(Outcome { plot: draw(&updates)?, table, claims: claims(&updates) })
}

fn least(counts: &[u64]) -> f64 {
    counts.iter().copied().min().unwrap_or(0) as f64
}

fn most(counts: &[u64]) -> f64 {
    counts.iter().copied().max().unwrap_or(0) as f64
}

fn claims(updates: &Updates) -> Vec<Claim> {
    let often = updates.counts.iter().filter(|c| **c > OFTEN).count() as f64;
    vec![
        Claim::between(
            "share of elements updated more than 1e8 times",
            often / updates.counts.len() as f64,
            0.0,
            0.1,
        ),
        Claim::above("updates in the joint over those in the blades, medians", updates.jump(), 1.2),
        Claim::between(
            "largest over smallest number",
            most(&updates.counts) / least(&updates.counts),
            10.0,
            30.0,
        ),
    ]
}

fn draw(updates: &Updates) -> Result<String, String> {
    let mut canvas = Canvas::new(WIDTH, 420);
    let middle = f64::from(WIDTH) / 2.0;
    canvas.text([20.0, 22.0], "start", 13, "elements updated more than 10⁸ times");
    let top = View { scale: 62.0, origin: [middle, 56.0], elevation: 55.0 };
    let outline = [[-7.2, -0.2665, 0.0], [7.2, -0.2665, 0.0], [7.2, 0.2665, 0.0], [-7.2, 0.2665, 0.0]];
    for k in 0..4 {
        canvas.line(top.place(outline[k]), top.place(outline[(k + 1) % 4]));
    }
    for (k, cell) in updates.body.cells.iter().enumerate().filter(|(k, _)| updates.counts[*k] > OFTEN) {
        canvas.surface(&top, sides(&updates.body, *cell).iter(), &shade(updates.counts[k]));
    }
    canvas.text([20.0, 110.0], "start", 13, "the joint and the roots of the blades");
    let near = View { scale: 300.0, origin: [middle, 192.0], elevation: 55.0 };
    surface(&mut canvas, updates, &near, 1.5)?;
    canvas.text([20.0, 292.0], "start", 13, "the whole");
    surface(&mut canvas, updates, &View { origin: [middle, 326.0], ..top }, f64::INFINITY)?;
    legend(&mut canvas);
    Ok(canvas.finish())
}

/// The outer sides up to a distance from the middle, each in the colour of its element.
fn surface(canvas: &mut Canvas, updates: &Updates, view: &View, reach: f64) -> Result<(), String> {
    let body = &updates.body;
    let number: std::collections::HashMap<CellId, usize> =
        body.cells.iter().enumerate().map(|(k, c)| (*c, k)).collect();
    let mut bins: Vec<Vec<[[f64; 3]; 3]>> = vec![Vec::new(); COLOURS];
    for group in ["skin", "tips"] {
        let group = body.mesh.group(group).map_err(|e| e.to_string())?;
        for face in body.mesh.boundary_faces(group).map_err(|e| e.to_string())? {
            let x: [[f64; 3]; 3] = std::array::from_fn(|i| body.mesh.points[face.nodes()[i] as usize]);
            if x.iter().all(|x| x[0].abs() < reach) {
                bins[bin(updates.counts[number[&face.cell]])].push(x);
            }
        }
    }
    for (k, triangles) in bins.iter().enumerate().filter(|(_, t)| !t.is_empty()) {
        canvas.surface(view, triangles.iter(), &colour(k as f64 / (COLOURS - 1) as f64));
    }
    Ok(())
}

/// The four sides of a tetrahedron, drawn from both sides: flat ones are seen edge on.
fn sides(body: &Body, cell: CellId) -> Vec<[[f64; 3]; 3]> {
    let nodes = body.mesh.cells[cell.0 as usize].nodes_of(cell.1 as usize);
    let x: [[f64; 3]; 4] = std::array::from_fn(|i| body.mesh.points[nodes[i] as usize]);
    [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]]
        .into_iter()
        .flat_map(|[a, b, c]| [[x[a], x[b], x[c]], [x[a], x[c], x[b]]])
        .collect()
}

fn bin(count: u64) -> usize {
    let share = ((count as f64).log10() - RANGE[0]) / (RANGE[1] - RANGE[0]);
    ((share * COLOURS as f64) as usize).min(COLOURS - 1)
}

fn shade(count: u64) -> String {
    colour(bin(count) as f64 / (COLOURS - 1) as f64)
}

fn legend(canvas: &mut Canvas) {
    let (left, wide, y) = (280.0, 400.0, 372.0);
    for k in 0..COLOURS {
        let step = wide / COLOURS as f64;
        canvas.rectangle(
            [left + k as f64 * step, y],
            [step + 0.3, 12.0],
            &colour(k as f64 / (COLOURS - 1) as f64),
        );
    }
    for k in 0..=7 {
        let value = RANGE[0] + 0.2 * f64::from(k);
        let x = left + (value - RANGE[0]) / (RANGE[1] - RANGE[0]) * wide;
        canvas.text([x, y + 25.0], "middle", 11, &format!("{value:.1}"));
    }
    canvas.text([left + 0.5 * wide, y + 41.0], "middle", 12, "log₁₀ of the updates up to 27.439 s, case 3");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_figure_12_claims_hold() {
        let mut updates = Updates::new().unwrap();
        for claim in claims(&updates) {
            assert!(claim.holds(), "{claim}");
        }
        updates.counts.fill(2 * OFTEN);
        assert!(claims(&updates).iter().all(|claim| !claim.holds()));
    }
}
