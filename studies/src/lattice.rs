//! The spring-mass lattice of [VTI04 2.2], written as text with `sum`.
//!
//! `side * side` unit masses in the plane on a square grid of unit spacing, inside a fixed frame. Springs of stiffness
//! 1 run along the grid and of stiffness 1/2 along the diagonals, all at rest on the grid. The coordinates are
//! displacements: `q[2(side*row + column)]` along x and the next one along y.

use stationary::formula::{Bank, Scope};
use stationary::model::FormulaLagrangian;
use std::f64::consts::FRAC_1_SQRT_2;

/// The law of the springs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Springs {
    /// Energy `k (length - rest)^2 / 2`: nonlinear in the plane, because lengths are.
    Exact,
    /// The harmonic approximation: only the displacement along the spring counts.
    Harmonic,
}

/// Column and row steps to the neighbours; the first four reach each spring between free masses once.
const NEIGHBOURS: [(i32, i32); 8] = [(1, 0), (0, 1), (1, 1), (1, -1), (-1, 0), (0, -1), (-1, -1), (-1, 1)];

/// The Lagrangian of the lattice as a formula.
pub fn text(side: usize, springs: Springs) -> String {
    let last = side - 1;
    let mut terms = vec![format!("sum(i = 0..{}, v[i]^2)/2", 2 * side * side - 1)];
    for (k, (dx, dy)) in NEIGHBOURS.into_iter().enumerate() {
        let spring = Spring { side, springs, dx, dy };
        if k < 4 {
            let columns = format!("0..{}", last - dx as usize);
            let rows = if dy < 0 { format!("1..{last}") } else { format!("0..{}", last - dy as usize) };
            terms.push(format!("sum(r = {rows}, sum(c = {columns}, {}))", spring.energy("r", "c", true)));
        }
        // Springs to the frame leave from an edge column, an edge row, or (diagonals) both.
        let edge = |step: i32| if step > 0 { last } else { 0 };
        if dx != 0 {
            let column = edge(dx).to_string();
            terms.push(format!("sum(r = 0..{last}, {})", spring.energy("r", &column, false)));
        }
        if dy != 0 {
            let row = edge(dy).to_string();
            // The corner has its frame spring already.
            let (from, to) = (usize::from(dx < 0), last - usize::from(dx > 0));
            terms.push(format!("sum(c = {from}..{to}, {})", spring.energy(&row, "c", false)));
        }
    }
    terms.join(" - ")
}

struct Spring {
    side: usize,
    springs: Springs,
    dx: i32,
    dy: i32,
}

impl Spring {
    /// The energy of the spring from a free mass to its neighbour, which is another free mass or the frame.
    fn energy(&self, row: &str, column: &str, free: bool) -> String {
        let (dx, dy) = (self.dx, self.dy);
        let change = |axis: u32| {
            let here = format!("q[2*({}*({row}) + {column}) + {axis}]", self.side);
            match free {
                true => {
                    format!("q[2*({}*({row} + ({dy})) + {column} + ({dx})) + {axis}] - {here}", self.side)
                }
                false => format!("-{here}"),
            }
        };
        let (x, y) = (change(0), change(1));
        let diagonal = dx != 0 && dy != 0;
        let stiffness = if diagonal { 0.5 } else { 1.0 };
        match self.springs {
            Springs::Exact => {
                let rest = if diagonal { "sqrt(2)" } else { "1" };
                format!("{stiffness}*(sqrt(({dx} + ({x}))^2 + ({dy} + ({y}))^2) - {rest})^2/2")
            }
            Springs::Harmonic => {
                let unit = if diagonal { FRAC_1_SQRT_2 } else { 1.0 };
                format!("{stiffness}*({unit}*({dx}*({x}) + ({dy})*({y})))^2/2")
            }
        }
    }
}

/// The lattice, compiled.
pub fn lattice(side: usize, springs: Springs) -> Result<FormulaLagrangian, String> {
    let n = 2 * side * side;
    let mut scope = Scope::new();
    scope.array("q", Bank::Q, n).array("v", Bank::V, n);
    FormulaLagrangian::new(&text(side, springs), &scope, n).map_err(|e| e.to_string())
}

/// Displacements and velocities drawn evenly from `-size..size`, always the same ones.
///
/// The velocities' sign is chosen: the springs do work at the start (`q.Kv < 0`), and then the
/// first-order error of VI1 in the heat, `-h q.Kv/2`, adds to its second-order one. With the other sign the two cancel
/// at some step, which flatters VI1 there.
pub fn random_start(n: usize, size: f64) -> (Vec<f64>, Vec<f64>) {
    let mut state: u64 = 2004;
    let mut draw = || {
        // Knuth's linear congruential generator; the high bits are the good ones.
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        size * ((state >> 11) as f64 / (1u64 << 52) as f64 - 1.0)
    };
    let q = (0..n).map(|_| draw()).collect();
    (q, (0..n).map(|_| -draw()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use stationary::model::{Jet, Lagrangian};

    #[test]
    fn lattice_contains_every_spring_once() {
        let side = 3;
        let n = 2 * side * side;
        let l = lattice(side, Springs::Harmonic).unwrap();
        let mut jet = Jet::new(n);
        l.second(0.0, &vec![0.0; n], &vec![0.0; n], &mut jet);
        let trace: f64 = (0..n).map(|i| -jet.dqq()[i * n + i]).sum();
        // The trace counts ends: at each mass 4 springs of stiffness 1 and 4 of 1/2.
        assert!((trace - 6.0 * (side * side) as f64).abs() < 1e-12, "{trace}");
        l.first(0.0, &[[1.0, 0.0]; 9].concat(), &vec![0.0; n], &mut jet);
        // A uniform displacement strains the springs to the frame alone: of the 4 side^2 ends of diagonals,
        // 2 on each of the 2 (side - 1)^2 between masses.
        let diagonals = (4 * side * side - 4 * (side - 1) * (side - 1)) as f64;
        let expected = 0.5 * (2 * side) as f64 + 0.5 * 0.5 * 0.5 * diagonals;
        assert!((jet.value() + expected).abs() < 1e-12, "{} {expected}", jet.value());
    }

    #[test]
    fn harmonic_lattice_is_the_linearisation_of_the_lattice() {
        let n = 18;
        let rest = vec![0.0; n];
        let stiffness = |springs| {
            let mut jet = Jet::new(n);
            lattice(3, springs).unwrap().second(0.0, &rest, &rest, &mut jet);
            jet.dqq().to_vec()
        };
        let (exact, harmonic) = (stiffness(Springs::Exact), stiffness(Springs::Harmonic));
        for (a, b) in exact.iter().zip(&harmonic) {
            assert!((a - b).abs() < 1e-12, "{a} {b}");
        }
        assert!(harmonic.iter().any(|k| *k != 0.0));
        // And the exact one is not harmonic.
        let q: Vec<f64> = (0..n).map(|i| 0.1 * (i as f64).sin()).collect();
        let value = |springs| {
            let mut jet = Jet::new(n);
            lattice(3, springs).unwrap().first(0.0, &q, &rest, &mut jet);
            jet.value()
        };
        assert!((value(Springs::Exact) / value(Springs::Harmonic) - 1.0).abs() > 1e-3);
    }
}
