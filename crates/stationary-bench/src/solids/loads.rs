//! What acts on a body from outside: an update of AVI of a body under loads and supports over one of the same body free in space.

use super::cube::Cube;
use super::runs::{asynchronous, harmonic_steps, largest};
use crate::measure::{seconds, take_turns};
use crate::row::{BenchOutcome, BenchRow, When};
use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::model::solid::{ElementKind, LoadsBuilder, SolidProblem};
use stationary::model::{FormulaField, Supports};
use std::sync::Arc;

/// Cells a side of the cube, and of a plate of one layer with as many elements.
const CUBE: usize = 15;
const PLATE: usize = 58;
const REPETITIONS: u64 = 60;

/// What acts on a body.
#[derive(Clone, Copy, Default)]
struct Outside {
    /// Nodes below this height are held.
    held: f64,
    /// Whether the two sides at the ends of the second axis are pressed.
    sides: bool,
    /// Whether the top of a plate is pressed.
    top: bool,
    /// Whether there is a body force.
    body_force: bool,
}

/// The rows.
pub fn rows() -> Vec<BenchRow> {
    let row = |name, what, outside: Outside| {
        let cube = move || if outside.top { Cube::plate(PLATE) } else { Cube::new(CUBE, ElementKind::Tet4) };
        BenchRow::new("loads", name, what, move || over_free(&cube(), outside))
            .at_most(1.2)
            .as_goal()
            .when(When::Group)
    };
    let none = Outside::default();
    let both = Outside { held: HALF, sides: true, ..none };
    vec![
        row(
            "half-held",
            "avi update, half of the body held, over a free one, 20,250 tet4",
            Outside { held: HALF, ..none },
        ),
        row(
            "two-sides-pressed",
            "the same, a pressure in time on two sides",
            Outside { sides: true, ..none },
        ),
        row("held-and-pressed", "the same, half held and two sides under pressure", both),
        row("body-force", "the same, a body force in time", Outside { body_force: true, ..none }),
        row(
            "plate-pressed",
            "the same, a plate, a third of its 20,184 tet4 under pressure",
            Outside { top: true, ..none },
        ),
    ]
}

/// Half of the height, and something, so that a layer of nodes is not cut by rounding.
const HALF: f64 = 0.51;

fn over_free(cube: &Cube, outside: Outside) -> Result<BenchOutcome, String> {
    let steps = harmonic_steps(&cube.problem())?;
    let span = 4.0 * largest(&steps);
    let mut runs = Vec::new();
    for problem in [cube.problem(), under(cube, outside)] {
        let mut run = asynchronous(cube, problem, &steps)?;
        run.advance(span).map_err(|e| e.fault.why)?;
        runs.push(run);
    }
    let (mut made, before) = ([1.0; 2], runs[1].updates());
    let best = take_turns(REPETITIONS, |which| {
        made[which] += 1.0;
        seconds(|| runs[which].advance(made[which] * span).expect("a run of ours"))
    });
    let each = (runs[1].updates() - before) / REPETITIONS;
    let [free, loaded] = best.map(|best| 1e9 * best / each as f64);
    Ok(BenchOutcome::ns(loaded).over(free).counts(cube.elements() as u64, each, REPETITIONS))
}

/// A field of formulas of the time.
fn field(texts: &[&str]) -> Arc<FormulaField> {
    let mut scope = Scope::new();
    scope.variable("t", Var::T);
    let mut graph = Graph::new();
    let node = |text: &&str| {
        let formula = Expr::parse(text).expect("a formula of ours");
        graph.lower(&formula, &scope).expect("of known names")
    };
    let nodes: Vec<_> = texts.iter().map(node).collect();
    Arc::new(FormulaField::new(&mut graph, &nodes))
}

/// The body with what acts on it.
fn under(cube: &Cube, outside: Outside) -> SolidProblem {
    let Outside { held, sides, top, body_force } = outside;
    let (solid, mut loads, mut supports) =
        (cube.solid(), LoadsBuilder::default(), Supports::new(&cube.points));
    let pressure = field(&["1e-4*(1+sin(3*t))"]);
    let force = field(&["0", "1e-4*sin(3*t)", "-1e-4*cos(5*t)"]);
    let place = |a: &u32| cube.points[*a as usize];
    let upper = if top { 0.5 / PLATE as f64 } else { 1.0 };
    let mut mass = vec![0.0; cube.kind.nodes()];
    for (k, nodes) in cube.nodes.chunks_exact(cube.kind.nodes()).enumerate() {
        for face in cube.kind.cell().faces() {
            let face: Vec<u32> = face.iter().map(|a| nodes[*a]).collect();
            let on_side = [0.0, 1.0].iter().any(|y| face.iter().all(|a| place(a)[1] == *y));
            let on_top = face.iter().all(|a| place(a)[2] > upper);
            if (sides && on_side) || (top && on_top) {
                loads.pressure(k, nodes, &face, None, &pressure);
            }
        }
        if body_force {
            let (block, at) = solid.locate(k);
            block.lumped_mass(at, &mut mass);
            let nodal = nodes.iter().zip(&mass).enumerate();
            nodal.for_each(|(n, (a, m))| loads.dead(k, (n, *a), *m, &force));
        }
    }
    for (a, _) in cube.points.iter().enumerate().filter(|(_, p)| p[2] < held) {
        (0..3).for_each(|i| supports.fix(a as u32, i, 0.0, 0).expect("held once"));
    }
    let loads = loads.finish(&cube.points, solid.elements());
    SolidProblem::new(solid, loads, supports, Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bench_plate_has_a_third_of_its_elements_under_pressure() {
        let plate = Cube::plate(PLATE);
        let problem = under(&plate, Outside { top: true, ..Outside::default() });
        let pressed = (0..plate.elements()).filter(|k| problem.loads().is_pushed(*k)).count();
        assert_eq!((plate.elements(), pressed), (6 * PLATE.pow(2), 2 * PLATE.pow(2)));
        assert_eq!(plate.points.len(), 2 * (PLATE + 1).pow(2));
    }

    #[test]
    fn bench_cube_has_half_of_its_nodes_held_and_two_sides_under_pressure() {
        let cube = Cube::new(CUBE, ElementKind::Tet4);
        let problem = under(&cube, Outside { held: HALF, sides: true, ..Outside::default() });
        let pressed = (0..cube.elements()).filter(|k| problem.loads().is_pushed(*k)).count();
        assert_eq!(pressed, 4 * CUBE.pow(2));
    }
}
