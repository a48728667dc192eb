//! Rigid motions that supports leave free: a body that has some is not held, and has no unique equilibrium.

use crate::linalg::{cross, dot};
use crate::model::Structure;

/// A connected part of a body with free rigid motions.
#[derive(Debug, Clone, PartialEq)]
pub struct FreePiece {
    /// Its first node.
    pub node: u32,
    /// Number of its nodes.
    pub nodes: usize,
    /// Number of pieces of the whole body.
    pub pieces: usize,
    /// The motions in words: a basis of all that are free.
    pub motions: Vec<String>,
}

/// Three translations, and three rotations about the centre over the size of the piece.
const MODES: usize = 6;
/// Displacements below this part of the size of a motion are none.
const NONE: f64 = 1e-8;

type Motion = [f64; MODES];

/// The pieces of a body in the configuration `x` that are not held, in the order of their first nodes.
pub fn free_pieces(structure: &impl Structure, x: &[f64]) -> Vec<FreePiece> {
    let pieces = pieces(structure);
    let count = pieces.len();
    let free = pieces.into_iter().filter_map(|nodes| {
        let piece = Piece::new(&nodes, x);
        let motions: Vec<Motion> = piece.free(structure, x);
        (!motions.is_empty()).then(|| FreePiece {
            node: nodes[0],
            nodes: nodes.len(),
            pieces: count,
            motions: motions.iter().map(|motion| piece.describe(motion)).collect(),
        })
    });
    free.collect()
}

/// The nodes of each connected part.
fn pieces(structure: &impl Structure) -> Vec<Vec<u32>> {
    let count = structure.mass().len();
    let mut root: Vec<u32> = (0..count as u32).collect();
    fn find(root: &mut [u32], mut a: u32) -> u32 {
        while root[a as usize] != a {
            root[a as usize] = root[root[a as usize] as usize];
            a = root[a as usize];
        }
        a
    }
    for k in 0..structure.elements() {
        let nodes = structure.nodes(k);
        for pair in nodes.windows(2) {
            let (a, b) = (find(&mut root, pair[0]), find(&mut root, pair[1]));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    let mut of_root: Vec<Vec<u32>> = vec![Vec::new(); count];
    for a in 0..count as u32 {
        of_root[find(&mut root, a) as usize].push(a);
    }
    of_root.retain(|nodes| !nodes.is_empty());
    of_root
}

/// A connected part, with its centre and size.
struct Piece<'a> {
    nodes: &'a [u32],
    centre: [f64; 3],
    size: f64,
}

impl<'a> Piece<'a> {
    fn new(nodes: &'a [u32], x: &[f64]) -> Self {
        let at = |a: &u32, i: usize| x[3 * *a as usize + i];
        let mean = |i| nodes.iter().map(|a| at(a, i)).sum::<f64>() / nodes.len() as f64;
        let centre = [mean(0), mean(1), mean(2)];
        let from_centre = nodes.iter().flat_map(|a| (0..3).map(move |i| (at(a, i) - centre[i]).abs()));
        let size = from_centre.fold(0.0, f64::max);
        Piece { nodes, centre, size: if size > 0.0 { size } else { 1.0 } }
    }

    /// The displacement along `i` at a place, as a linear form of the motion.
    fn row(&self, place: &[f64], i: usize) -> Motion {
        let arm: [f64; 3] = std::array::from_fn(|j| (place[j] - self.centre[j]) / self.size);
        std::array::from_fn(|m| {
            let mut unit = [0.0; 3];
            unit[m % 3] = 1.0;
            if m < 3 { unit[i] } else { cross(&unit, &arm)[i] }
        })
    }

    /// A basis of the motions that nothing prevents.
    fn free(&self, structure: &impl Structure, x: &[f64]) -> Vec<Motion> {
        let mut held = Eliminated::default();
        if structure.has_rings() {
            for m in (0..MODES).filter(|m| *m != 1) {
                let mut row = [0.0; MODES];
                row[m] = 1.0;
                held.add(row);
            }
        }
        for a in self.nodes.iter().map(|a| *a as usize) {
            for i in 0..3 {
                if structure.is_fixed(3 * a + i) || structure.is_inert(3 * a + i) {
                    held.add(self.row(&x[3 * a..3 * a + 3], i));
                }
            }
            if held.rows.len() == MODES {
                return Vec::new();
            }
        }
        // A rotation of a straight piece about itself moves nothing.
        let moves = |motion: &Motion| {
            let at = |a: &u32| 3 * *a as usize..3 * *a as usize + 3;
            let mut forms = self.nodes.iter().flat_map(|a| (0..3).map(move |i| self.row(&x[at(a)], i)));
            forms.any(|form| dot(&form, motion).abs() > NONE)
        };
        held.kernel().into_iter().filter(moves).collect()
    }

    /// A motion in words.
    fn describe(&self, motion: &Motion) -> String {
        let spin: [f64; 3] = std::array::from_fn(|i| motion[3 + i] / self.size);
        let shift = [motion[0], motion[1], motion[2]];
        let rate = dot(&spin, &spin);
        if rate.sqrt() * self.size <= NONE {
            return format!("translation along {}", direction(&shift));
        }
        // Points of the axis do not move across it: c + w x u / w^2.
        let arm = cross(&spin, &shift);
        let point: [f64; 3] = std::array::from_fn(|i| self.centre[i] + arm[i] / rate);
        let tidy = |x: f64| if x.abs() < NONE * self.size { 0.0 } else { x };
        let [x, y, z] =
            point.map(|x| format!("{:.6}", tidy(x)).trim_end_matches('0').trim_end_matches('.').to_string());
        format!("rotation about the axis through ({x}, {y}, {z}) along {}", direction(&spin))
    }
}

/// The name of an axis, or the components of a direction.
fn direction(v: &[f64; 3]) -> String {
    let size = dot(v, v).sqrt();
    let along = |i: usize| (v[i] / size).abs() > 1.0 - 1e-9;
    match (0..3).find(|i| along(*i)) {
        Some(i) => ["x", "y", "z"][i].to_string(),
        None => format!("({:.3}, {:.3}, {:.3})", v[0] / size, v[1] / size, v[2] / size),
    }
}

/// Linear conditions on a motion, in reduced row echelon form.
#[derive(Default)]
struct Eliminated {
    rows: Vec<(usize, Motion)>,
}

impl Eliminated {
    /// Adds a condition, if it does not follow from the others.
    fn add(&mut self, mut row: Motion) {
        for (pivot, other) in &self.rows {
            let part = row[*pivot];
            (0..MODES).for_each(|m| row[m] -= part * other[m]);
        }
        let largest = (0..MODES).fold(0, |best, m| if row[m].abs() > row[best].abs() { m } else { best });
        if row[largest].abs() <= NONE {
            return;
        }
        let scale = row[largest];
        row.iter_mut().for_each(|c| *c /= scale);
        for (_, other) in &mut self.rows {
            let part = other[largest];
            (0..MODES).for_each(|m| other[m] -= part * row[m]);
        }
        self.rows.push((largest, row));
    }

    /// A basis of what the conditions leave.
    fn kernel(&self) -> Vec<Motion> {
        let is_pivot = |m: &usize| self.rows.iter().any(|(pivot, _)| pivot == m);
        let of = |m: usize| {
            let mut motion = [0.0; MODES];
            motion[m] = 1.0;
            self.rows.iter().for_each(|(pivot, row)| motion[*pivot] = -row[m]);
            motion
        };
        (0..MODES).filter(|m| !is_pivot(m)).map(of).collect()
    }
}
