//! Forces from outside: on volumes, on surfaces, on nodes [AVI03 2.3, (21)].
//!
//! A load that changes belongs to elements: it is part of an element's potential and acts when the element does, so that the
//! asynchronous action stays a sum over elements. Dead loads keep their direction and have the potential `-f(t) . x`;
//! pressures follow the surface and enter as forces (Lagrange-d'Alembert). Dead loads that do not change in time are summed
//! for each node once and for all: a body under its weight is swept like one without.

use super::kind::quadratic;
use crate::linalg::cross;
use crate::model::{Field, Forced, Steady};
use std::sync::Arc;

/// The loads of all elements.
#[derive(Debug, Clone, Default)]
pub struct Loads {
    /// Entries of element `k` are `dead[start[k]..start[k + 1]]`; the same for faces.
    dead: Lists<Dead>,
    faces: Lists<Face>,
    points: Vec<[f64; 3]>,
    steady: Steady,
}

/// A dead force on one node of an element: a coefficient times a field at the node's reference position.
#[derive(Debug, Clone)]
struct Dead {
    local: u32,
    node: u32,
    coefficient: f64,
    force: Arc<Field>,
}

/// One side of an element under pressure.
#[derive(Debug, Clone)]
struct Face {
    /// Places of its nodes in the element; an edge has the body to its left, a triangle's normal points outwards.
    local: Vec<u32>,
    nodes: Vec<u32>,
    /// Thickness of a plane body, whose sides are edges; none for the triangles around tetrahedra.
    depth: Option<f64>,
    pressure: Arc<Field>,
}

/// Loads being gathered, in any order of elements.
#[derive(Debug, Default)]
pub struct LoadsBuilder {
    dead: Vec<(u32, Dead)>,
    faces: Vec<(u32, Face)>,
}

/// Something for each element, one list after the other.
#[derive(Debug, Clone)]
struct Lists<T> {
    start: Vec<u32>,
    all: Vec<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { start: vec![0], all: Vec::new() }
    }
}

impl<T> Lists<T> {
    fn new(mut entries: Vec<(u32, T)>, elements: usize) -> Self {
        if entries.is_empty() {
            return Lists::default();
        }
        // Stable: the order of loads on one element stays that of the scenario.
        entries.sort_by_key(|(k, _)| *k);
        let mut start = vec![0; elements + 1];
        entries.iter().for_each(|(k, _)| start[*k as usize + 1] += 1);
        (0..elements).for_each(|k| start[k + 1] += start[k]);
        Lists { start, all: entries.into_iter().map(|(_, t)| t).collect() }
    }

    fn memory(&self) -> usize {
        4 * self.start.capacity() + size_of::<T>() * self.all.capacity()
    }

    #[inline]
    fn of(&self, k: usize) -> &[T] {
        match self.start.get(k + 1) {
            Some(end) => &self.all[self.start[k] as usize..*end as usize],
            None => &[],
        }
    }
}

impl LoadsBuilder {
    /// A dead force `coefficient * field(t, X)` on a node (its place in element `k`, and its number).
    pub fn dead(&mut self, k: usize, (local, node): (usize, u32), coefficient: f64, field: &Arc<Field>) {
        let entry = Dead { local: local as u32, node, coefficient, force: Arc::clone(field) };
        self.dead.push((k as u32, entry));
    }

    /// A pressure on a side of element `k`: the nodes of the side in the order of [`crate::mesh::Face`], and the
    /// thickness if it is an edge.
    ///
    /// # Panics
    /// If a node of the side is none of the element's.
    pub fn pressure(
        &mut self,
        k: usize,
        element: &[u32],
        side: &[u32],
        depth: Option<f64>,
        pressure: &Arc<Field>,
    ) {
        let place = |a: &u32| element.iter().position(|b| a == b).expect("a side of the element") as u32;
        let local = side.iter().map(place).collect();
        let face = Face { local, nodes: side.to_vec(), depth, pressure: Arc::clone(pressure) };
        self.faces.push((k as u32, face));
    }

    /// The loads, on nodes with these reference positions. Fields that do not change in time are evaluated now.
    pub fn finish(self, points: &[[f64; 3]], elements: usize) -> Loads {
        let (timed, constant): (Vec<_>, Vec<_>) =
            self.dead.into_iter().partition(|(_, d)| d.force.is_timed());
        let mut steady = Steady::default();
        for (_, Dead { node, coefficient, force, .. }) in constant {
            let (value, _) = force.at(0.0, &points[node as usize]);
            steady.add(node as usize, &value.map(|f| coefficient * f), points);
        }
        let (dead, faces) = (Lists::new(timed, elements), Lists::new(self.faces, elements));
        let mut loads = Loads { dead, faces, points: Vec::new(), steady };
        if loads.work() {
            loads.points = points.to_vec();
        }
        loads
    }
}

impl Loads {
    /// Constant forces on nodes.
    pub fn steady(&self) -> &Steady {
        &self.steady
    }

    /// Whether element `k` carries a load that changes.
    #[inline]
    pub fn on(&self, k: usize) -> bool {
        !(self.dead.of(k).is_empty() && self.faces.of(k).is_empty())
    }

    /// No loads at all.
    pub fn is_empty(&self) -> bool {
        !self.work() && self.steady.is_empty()
    }

    /// Bytes in use, but for formulas.
    pub fn memory(&self) -> usize {
        let sides: usize = self.faces.all.iter().map(|f| 4 * (f.local.capacity() + f.nodes.capacity())).sum();
        let steady = self.steady.memory();
        self.dead.memory() + self.faces.memory() + sides + steady + 24 * self.points.capacity()
    }

    /// Whether some load changes in time or follows the deformation, so that it does work of its own.
    pub fn work(&self) -> bool {
        !(self.dead.all.is_empty() && self.faces.all.is_empty())
    }

    /// Writes the forces that change on the nodes of element `k`, three numbers each: those that do not depend on the
    /// deformation, and those that follow it.
    pub fn forces(&self, k: usize, t: f64, x: &[f64], dead: &mut [f64], following: &mut [f64]) -> Forced {
        dead.fill(0.0);
        following.fill(0.0);
        let mut forced = Forced::default();
        for entry in self.dead.of(k) {
            let (value, rate) = entry.force.at(t, &self.points[entry.node as usize]);
            let at = 3 * entry.node as usize;
            for i in 0..3 {
                let f = entry.coefficient * value[i];
                dead[3 * entry.local as usize + i] += f;
                // From the reference place, so that a body at rest has no such energy.
                let moved = x[at + i] - self.points[entry.node as usize][i];
                forced.potential -= f * moved;
                // A force may set in with a vertical slope, as sqrt(t): at rest it brings nothing in all the same.
                if moved != 0.0 {
                    forced.rate -= entry.coefficient * rate[i] * moved;
                }
            }
        }
        for face in self.faces.of(k) {
            forced.following = true;
            face.forces(self.pressure(face, t), x, following);
        }
        forced
    }

    /// The pressure on a side: the mean over its corners.
    fn pressure(&self, face: &Face, t: f64) -> f64 {
        let corners = if face.depth.is_some() { 2 } else { 3 };
        let at = |a: &u32| face.pressure.at(t, &self.points[*a as usize]).0[0];
        face.nodes[..corners].iter().map(at).sum::<f64>() / corners as f64
    }

    /// Subtracts the derivative of the following forces on element `k` from a square matrix by rows.
    pub fn subtract_stiffness(&self, k: usize, t: f64, x: &[f64], nodes: usize, out: &mut [f64]) {
        for face in self.faces.of(k) {
            face.subtract_stiffness(self.pressure(face, t), x, 3 * nodes, out);
        }
    }
}

/// A point of the rule on a side: weight, shape functions and their derivatives along the side's two parameters.
struct Point {
    weight: f64,
    n: [f64; 6],
    d: [[f64; 6]; 2],
}

impl Face {
    /// The points of a rule that integrates the force of a constant pressure exactly.
    fn points(&self) -> Vec<Point> {
        let quadratic_side = self.nodes.len() > if self.depth.is_some() { 2 } else { 3 };
        if self.depth.is_some() {
            // Two Gauss points: exact for N_a x' of degree 3.
            let offset = 0.5 / 3f64.sqrt();
            return [0.5 - offset, 0.5 + offset].map(|s| Point::on_edge(s, quadratic_side)).into();
        }
        // Six points of degree 4 (Cowper): N_a times a product of two linear functions.
        let orbits = [
            (0.091_576_213_509_770_74, 0.054_975_871_827_660_93),
            (0.445_948_490_915_964_9, 0.111_690_794_839_005_73),
        ];
        let points = orbits.iter().flat_map(|(l, weight)| {
            (0..3).map(move |corner| {
                let mut at = [*l, *l, *l, 0.0];
                at[corner] = 1.0 - 2.0 * l;
                Point::on_triangle(&at, *weight, quadratic_side)
            })
        });
        points.collect()
    }

    /// The vectors along a side's two parameters at a point; the second of an edge is the depth, towards the viewer.
    fn tangents(&self, point: &Point, x: &[f64]) -> [[f64; 3]; 2] {
        let mut along = [[0.0; 3]; 2];
        for (a, node) in self.nodes.iter().enumerate() {
            for (along, d) in along.iter_mut().zip(&point.d) {
                (0..3).for_each(|i| along[i] += d[a] * x[3 * *node as usize + i]);
            }
        }
        if let Some(depth) = self.depth {
            along[1] = [0.0, 0.0, depth];
        }
        along
    }

    /// Adds `-p int N_a n da` with the normal of the deformed side.
    fn forces(&self, pressure: f64, x: &[f64], out: &mut [f64]) {
        for point in self.points() {
            let [u, v] = self.tangents(&point, x);
            let normal = cross(&u, &v);
            for (a, local) in self.local.iter().enumerate() {
                for i in 0..3 {
                    out[3 * *local as usize + i] -= pressure * point.weight * point.n[a] * normal[i];
                }
            }
        }
    }

    fn subtract_stiffness(&self, pressure: f64, x: &[f64], rows: usize, out: &mut [f64]) {
        for point in self.points() {
            let [u, v] = self.tangents(&point, x);
            for (b, column) in self.local.iter().enumerate() {
                for j in 0..3 {
                    let mut e = [0.0; 3];
                    e[j] = 1.0;
                    let (first, second) = (cross(&e, &v), cross(&u, &e));
                    for (a, row) in self.local.iter().enumerate() {
                        for i in 0..3 {
                            let dn = point.d[0][b] * first[i] + point.d[1][b] * second[i];
                            out[(3 * *row as usize + i) * rows + 3 * *column as usize + j] +=
                                pressure * point.weight * point.n[a] * dn;
                        }
                    }
                }
            }
        }
    }
}

impl Point {
    fn on_edge(s: f64, quadratic_side: bool) -> Self {
        let (mut n, mut d) = ([0.0; 6], [[0.0; 6]; 2]);
        if quadratic_side {
            n[..3].copy_from_slice(&[(1.0 - s) * (1.0 - 2.0 * s), s * (2.0 * s - 1.0), 4.0 * s * (1.0 - s)]);
            d[0][..3].copy_from_slice(&[4.0 * s - 3.0, 4.0 * s - 1.0, 4.0 - 8.0 * s]);
        } else {
            n[..2].copy_from_slice(&[1.0 - s, s]);
            d[0][..2].copy_from_slice(&[-1.0, 1.0]);
        }
        Point { weight: 0.5, n, d }
    }

    fn on_triangle(l: &[f64; 4], weight: f64, quadratic_side: bool) -> Self {
        let (mut n, mut d) = ([0.0; 6], [[0.0; 6]; 2]);
        let count = if quadratic_side { 6 } else { 3 };
        let (values, slopes) = quadratic::<2>(l);
        for a in 0..count {
            // The first barycentric coordinate makes up for changes of the other two.
            let slope = |c: usize| slopes[a][c] - slopes[a][0];
            (n[a], d[0][a], d[1][a]) = (values[a], slope(1), slope(2));
        }
        if !quadratic_side {
            n[..3].copy_from_slice(&l[..3]);
            (d[0], d[1]) = ([-1.0, 1.0, 0.0, 0.0, 0.0, 0.0], [-1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
        }
        Point { weight, n, d }
    }
}
