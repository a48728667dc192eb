//! The matrix of Newton's method: where its entries are, and their values.
//!
//! `J = (A^-1 (x) M) + h^2 diag(K_1 .. K_k)` for `k` unknown nodes of the method and the free components of the body. Unknowns of
//! one node of the method follow each other; each column holds first the masses of earlier nodes, then the stiffness, then
//! the masses of later ones.

use crate::linalg::max_abs;
use crate::model::{Past, PotentialFault, Structure};

/// Marks components that are no unknowns.
const HELD: u32 = u32::MAX;

/// Difference of two opposite entries, relative to the largest of the matrix, that is more than rounding.
const ASYMMETRY: f64 = 1e-10;

/// Where the entries are, by columns.
#[derive(Debug, Clone)]
pub(in crate::integrate) struct Pattern {
    /// Number of each component among the free ones, or [`HELD`].
    number: Vec<u32>,
    /// The free components.
    pub free: Vec<u32>,
    /// Unknown nodes of the method.
    pub nodes: usize,
    pub column_start: Vec<usize>,
    pub rows: Vec<usize>,
    /// Place of each free component in its own column of the stiffness.
    diagonal: Vec<u32>,
    /// For each element and pair of its nodes `(a, b)`: the place of the first free component of `a` in the columns of `b`.
    place: Vec<u32>,
    /// Most nodes of an element.
    widest: usize,
}

impl Pattern {
    pub fn new(structure: &impl Structure, nodes: usize) -> Self {
        let count = structure.mass().len();
        let mut number = vec![HELD; 3 * count];
        let mut free = Vec::new();
        for (i, number) in number.iter_mut().enumerate() {
            if !structure.is_fixed(i) {
                *number = free.len() as u32;
                free.push(i as u32);
            }
        }
        let neighbours = neighbours(structure);
        let components = |a: u32| (3 * a..3 * a + 3).filter(|i| number[*i as usize] != HELD);
        let mut stiffness: Vec<Vec<u32>> = Vec::with_capacity(count);
        // For each node, the place of each neighbour's first component.
        let mut places: Vec<Vec<u32>> = Vec::with_capacity(count);
        for list in &neighbours {
            let (mut rows, mut at) = (Vec::new(), Vec::with_capacity(list.len()));
            for a in list {
                at.push(rows.len() as u32);
                rows.extend(components(*a).map(|i| number[i as usize]));
            }
            stiffness.push(rows);
            places.push(at);
        }
        let (mut place, mut widest) = (Vec::new(), 0);
        for k in 0..structure.elements() {
            let own = structure.nodes(k);
            widest = widest.max(own.len());
            for a in own {
                for b in own {
                    let list = &neighbours[*b as usize];
                    place.push(places[*b as usize][list.partition_point(|c| c < a)]);
                }
            }
        }
        let n = free.len();
        let (mut column_start, mut rows) = (vec![0], Vec::new());
        let mut diagonal = Vec::with_capacity(n);
        for node in 0..nodes {
            for (g, component) in free.iter().enumerate() {
                let list = &stiffness[*component as usize / 3];
                rows.extend((0..node).map(|earlier| earlier * n + g));
                rows.extend(list.iter().map(|f| node * n + *f as usize));
                rows.extend((node + 1..nodes).map(|later| later * n + g));
                column_start.push(rows.len());
                if node == 0 {
                    diagonal.push(list.partition_point(|f| (*f as usize) < g) as u32);
                }
            }
        }
        Pattern { number, free, nodes, column_start, rows, diagonal, place, widest }
    }

    /// Number of unknowns.
    pub fn len(&self) -> usize {
        self.free.len() * self.nodes
    }
}

/// The nodes that share an element with each node, itself among them, in order.
fn neighbours(structure: &impl Structure) -> Vec<Vec<u32>> {
    let mut lists: Vec<Vec<u32>> = (0..structure.mass().len() as u32).map(|a| vec![a]).collect();
    for k in 0..structure.elements() {
        let own = structure.nodes(k);
        for a in own {
            lists[*a as usize].extend_from_slice(own);
        }
    }
    for list in &mut lists {
        list.sort_unstable();
        list.dedup();
    }
    lists
}

/// A configuration in which the matrix is taken: times and positions of the unknown nodes of the method.
#[derive(Debug, Clone, PartialEq, Default)]
pub(in crate::integrate) struct Anchor {
    pub times: Vec<f64>,
    /// All components, node of the method by node.
    pub x: Vec<f64>,
    /// The history of elements with memory, and the times of the nodes since it was committed.
    pub history: Vec<f64>,
    pub ahead: Vec<f64>,
}

/// The values of the matrix.
#[derive(Debug, Clone)]
pub(in crate::integrate) struct Matrix {
    pub pattern: Pattern,
    pub values: Vec<f64>,
    /// Sum of the absolute values in each row: what rounding of the positions does to a residual.
    pub row_sums: Vec<f64>,
    /// `A^-1` by rows.
    inverse: Vec<f64>,
    /// `h^2`
    square: f64,
    element: Vec<f64>,
}

impl Matrix {
    pub fn new(pattern: Pattern, inverse: &[f64], h: f64) -> Self {
        let widest = 3 * pattern.widest;
        Matrix {
            values: vec![0.0; pattern.rows.len()],
            row_sums: vec![0.0; pattern.len()],
            inverse: inverse.to_vec(),
            square: h * h,
            element: vec![0.0; widest * widest],
            pattern,
        }
    }

    /// Fills in the values of a configuration.
    pub fn fill(&mut self, structure: &impl Structure, at: &Anchor) -> Result<(), PotentialFault> {
        self.values.fill(0.0);
        self.add_masses(structure.mass());
        let width = at.x.len() / self.pattern.nodes;
        for node in 0..self.pattern.nodes {
            let x = &at.x[node * width..(node + 1) * width];
            let mut pair = 0;
            for k in 0..structure.elements() {
                if at.history.is_empty() {
                    structure.tangent(k, at.times[node], x, &mut self.element)?;
                } else {
                    let past = Past { history: &at.history, dt: at.ahead[node] };
                    structure.tangent_after(k, at.times[node], x, past, &mut self.element)?;
                }
                let own = structure.nodes(k);
                self.add_element(node, own, pair);
                pair += own.len() * own.len();
            }
        }
        self.row_sums.fill(0.0);
        for (row, value) in self.pattern.rows.iter().zip(&self.values) {
            self.row_sums[*row] += value.abs();
        }
        Ok(())
    }

    /// Gives unknowns without stiffness, by their places among the free components, a unit on the diagonal, relative to the largest value: with no force on
    /// them they stay where they are.
    pub fn hold(&mut self, inert: &[u32]) {
        let unit = max_abs(&self.values);
        for g in inert.iter().map(|g| *g as usize) {
            self.values[self.pattern.column_start[g] + self.pattern.diagonal[g] as usize] = unit;
        }
    }

    /// The symmetric part of the matrix of one unknown node, if it is not the matrix itself: follower loads are not symmetric.
    pub fn symmetric_part(&self) -> Option<Vec<f64>> {
        let Pattern { column_start, rows, .. } = &self.pattern;
        // Entries of a row are met in the order of the columns, which is that of the column of the same number.
        let mut mirror = column_start.clone();
        let mut part = self.values.clone();
        let mut largest: f64 = 0.0;
        for column in 0..self.pattern.len() {
            for at in column_start[column]..column_start[column + 1] {
                let row = rows[at];
                let opposite = mirror[row];
                mirror[row] += 1;
                largest = largest.max((self.values[at] - self.values[opposite]).abs());
                part[at] = 0.5 * (self.values[at] + self.values[opposite]);
            }
        }
        (largest > ASYMMETRY * max_abs(&self.values)).then_some(part)
    }

    fn add_masses(&mut self, mass: &[f64]) {
        let Pattern { free, nodes: k, column_start, diagonal, .. } = &self.pattern;
        for node in 0..*k {
            for (g, component) in free.iter().enumerate() {
                let (start, end) =
                    (column_start[node * free.len() + g], column_start[node * free.len() + g + 1]);
                let m = mass[*component as usize / 3];
                for row in 0..*k {
                    let at = match row.cmp(&node) {
                        std::cmp::Ordering::Less => start + row,
                        std::cmp::Ordering::Equal => start + node + diagonal[g] as usize,
                        std::cmp::Ordering::Greater => end - (*k - row),
                    };
                    self.values[at] += self.inverse[row * k + node] * m;
                }
            }
        }
    }

    /// Adds the stiffness of an element with these nodes, whose pairs begin at `pair`.
    fn add_element(&mut self, node: usize, own: &[u32], pair: usize) {
        let Pattern { number, free, column_start, place, .. } = &self.pattern;
        let width = 3 * own.len();
        for (j, b) in own.iter().enumerate() {
            for column in 0..3 {
                let g = number[3 * *b as usize + column];
                if g == HELD {
                    continue;
                }
                let start = column_start[node * free.len() + g as usize] + node;
                for (i, a) in own.iter().enumerate() {
                    let mut at = start + place[pair + i * own.len() + j] as usize;
                    for row in 0..3 {
                        if number[3 * *a as usize + row] != HELD {
                            self.values[at] +=
                                self.square * self.element[(3 * i + row) * width + 3 * j + column];
                            at += 1;
                        }
                    }
                }
            }
        }
    }
}
