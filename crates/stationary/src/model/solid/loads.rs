//! Loads: body forces, surface tractions and pressures, nodal forces [AVI03 2.3, (21)].
//!
//! A load that depends on time or on the deformation belongs to elements: it acts at the events of its element, so that the asynchronous action
//! remains a sum over elements. Dead loads keep their direction and have the potential `-f(t) . x`; pressures follow the surface and
//! enter as non-conservative forces (Lagrange-d'Alembert). Constant dead loads are summed for each node once, so that a solid under its
//! weight costs no more than one without.

use super::side::{Depth, ElementSide, MOST_NODES, Pressure};
use crate::model::{ConstantLoads, DeadLoad, FieldValues, FlatPressure, FormulaField, LoadEnergy};
use std::sync::Arc;

/// The loads of all elements.
#[derive(Debug, Clone, Default)]
pub struct Loads {
    /// Dead loads that depend on time.
    dead: Lists<DeadLoad>,
    faces: Lists<Face>,
    /// The pressures of elements that have no others, once more.
    flat: Lists<FlatPressure>,
    points: Vec<[f64; 3]>,
    constant_loads: ConstantLoads,
}

/// One side of an element under pressure.
#[derive(Debug, Clone)]
struct Face {
    /// Numbers of its nodes in the element.
    local: Vec<u32>,
    side: ElementSide,
    pressure: Arc<FormulaField>,
}

/// Builds [`Loads`], in any order of elements.
#[derive(Debug, Default)]
pub struct LoadsBuilder {
    dead: Vec<(u32, DeadLoad)>,
    faces: Vec<(u32, Face)>,
}

/// A list for each element, in one array: that of element `k` is `all[start[k]..start[k + 1]]`.
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
    pub fn dead(
        &mut self,
        k: usize,
        (local, node): (usize, u32),
        coefficient: f64,
        field: &Arc<FormulaField>,
    ) {
        let (element, local) = (k as u32, local as u32);
        // The place is known in the end.
        let entry = DeadLoad { element, local, node, coefficient, place: [0.0; 3], force: Arc::clone(field) };
        self.dead.push((element, entry));
    }

    /// A pressure on a side of element `k`: the nodes of the side in the order of [`crate::mesh::Face`], and the
    /// third dimension if it is an edge.
    ///
    /// # Panics
    /// If a node of the side is none of the element's.
    pub fn pressure(
        &mut self,
        k: usize,
        element: &[u32],
        side: &[u32],
        depth: Option<Depth>,
        pressure: &Arc<FormulaField>,
    ) {
        let place = |a: &u32| element.iter().position(|b| a == b).expect("a side of the element") as u32;
        let local = side.iter().map(place).collect();
        let face = Face { local, side: ElementSide::new(side, depth), pressure: Arc::clone(pressure) };
        self.faces.push((k as u32, face));
    }

    /// The loads, for nodes with these reference positions. Fields that do not depend on time are evaluated now.
    pub fn finish(self, points: &[[f64; 3]], elements: usize) -> Loads {
        let (mut timed, constant): (Vec<_>, Vec<_>) =
            self.dead.into_iter().partition(|(_, d)| d.force.is_timed());
        timed.iter_mut().for_each(|(_, d)| d.place = points[d.node as usize]);
        let mut constant_loads = ConstantLoads::default();
        for (_, DeadLoad { node, coefficient, force, .. }) in constant {
            let (value, _) = force.at(0.0, &points[node as usize]);
            constant_loads.add(node as usize, &value.map(|f| coefficient * f), points);
        }
        let (dead, faces) = (Lists::new(timed, elements), Lists::new(self.faces, elements));
        let flat = Lists::new(flat_pressures(&faces, elements), elements);
        let mut loads = Loads { dead, faces, flat, points: Vec::new(), constant_loads };
        if loads.work() {
            loads.points = points.to_vec();
        }
        loads
    }
}

/// The pressures of elements that have only those on flat triangles.
fn flat_pressures(faces: &Lists<Face>, elements: usize) -> Vec<(u32, FlatPressure)> {
    let mut flat = Vec::new();
    for element in 0..elements as u32 {
        let of_element = (0..).zip(faces.of(element as usize)).map(|(number, face)| {
            let nodes = face.side.flat().filter(|_| !face.pressure.is_varied())?;
            Some((element, FlatPressure { element, number, nodes, pressure: Arc::clone(&face.pressure) }))
        });
        flat.extend(of_element.collect::<Option<Vec<_>>>().unwrap_or_default());
    }
    flat
}

impl Loads {
    /// Constant nodal forces.
    pub fn constant_loads(&self) -> &ConstantLoads {
        &self.constant_loads
    }

    /// Whether element `k` has a time-dependent or follower load.
    #[inline]
    pub fn on(&self, k: usize) -> bool {
        !(self.dead.of(k).is_empty() && self.faces.of(k).is_empty())
    }

    /// Whether there are no loads.
    pub fn is_empty(&self) -> bool {
        !self.work() && self.constant_loads.is_empty()
    }

    /// Memory in bytes, without formulas.
    pub fn memory(&self) -> usize {
        let sides: usize = self.faces.all.iter().map(|f| 4 * f.local.capacity() + f.side.memory()).sum();
        let constant_loads = self.constant_loads.memory();
        self.dead.memory()
            + self.faces.memory()
            + self.flat.memory()
            + sides
            + constant_loads
            + 24 * self.points.capacity()
    }

    /// Whether some load depends on time or follows the deformation, so that its work is not a difference of potentials.
    pub fn work(&self) -> bool {
        !(self.dead.all.is_empty() && self.faces.all.is_empty())
    }

    /// Writes the time-dependent dead loads and the follower loads on the nodes of element `k`, three numbers each.
    pub fn forces<'a>(
        &'a self,
        k: usize,
        fields: &mut FieldValues<'a>,
        x: &[f64],
        dead: &mut [f64],
        follower: &mut [f64],
    ) -> LoadEnergy {
        dead.fill(0.0);
        let mut forced = LoadEnergy::default();
        for entry in self.dead.of(k) {
            let (value, rate) = fields.at(&entry.force, &entry.place);
            let at = 3 * entry.node as usize;
            for i in 0..3 {
                let f = entry.coefficient * value[i];
                dead[3 * entry.local as usize + i] += f;
                // Relative to the reference position, so that an undeformed body has no load potential.
                let moved = x[at + i] - entry.place[i];
                forced.potential -= f * moved;
                // The rate of a load such as sqrt(t) is infinite at t = 0; without displacement its power is zero all the same.
                if moved != 0.0 {
                    forced.rate -= entry.coefficient * rate[i] * moved;
                }
            }
        }
        forced.follower = self.push(k, fields, x, follower);
        forced
    }

    /// The time-dependent dead loads on element `k`.
    pub fn dead(&self, k: usize) -> &[DeadLoad] {
        self.dead.of(k)
    }

    /// The follower loads on element `k`, if all of them are pressures on flat triangles.
    pub fn flat(&self, k: usize) -> &[FlatPressure] {
        self.flat.of(k)
    }

    /// Whether element `k` has a follower load.
    pub fn is_pushed(&self, k: usize) -> bool {
        !self.faces.of(k).is_empty()
    }

    /// Writes the follower loads on the nodes of element `k`; whether there are any.
    pub fn push<'a>(
        &'a self,
        k: usize,
        fields: &mut FieldValues<'a>,
        x: &[f64],
        follower: &mut [f64],
    ) -> bool {
        follower.fill(0.0);
        for face in self.faces.of(k) {
            let pressure = self.pressure(face, fields);
            face.side.push(&pressure, x, |a, force| {
                let at = 3 * face.local[a] as usize;
                (0..3).for_each(|i| follower[at + i] += force[i]);
            });
        }
        self.is_pushed(k)
    }

    /// The pressure on a side at its nodes; one number if it does not depend on the place.
    fn pressure<'a>(&self, face: &'a Face, fields: &mut FieldValues<'a>) -> Pressure {
        let mut at = |node: u32| fields.at(&face.pressure, &self.points[node as usize]).0[0];
        let nodes = face.side.nodes();
        if !face.pressure.is_varied() {
            return Pressure::Uniform(at(nodes[0]));
        }
        let mut values = [0.0; MOST_NODES];
        values.iter_mut().zip(nodes).for_each(|(value, node)| *value = at(*node));
        Pressure::Nodal(values)
    }

    /// Subtracts the load stiffness, the derivative of the follower loads on element `k`, from a square matrix by rows.
    pub fn subtract_stiffness(&self, k: usize, t: f64, x: &[f64], nodes: usize, out: &mut [f64]) {
        let mut fields = FieldValues::new(t);
        for face in self.faces.of(k) {
            let pressure = self.pressure(face, &mut fields);
            let (local, columns) = (&face.local, 3 * nodes);
            face.side.slope(&pressure, x, |[a, b], slope| {
                for i in 0..3 {
                    let row = (3 * local[a] as usize + i) * columns;
                    for j in 0..3 {
                        out[row + 3 * local[b] as usize + j] -= slope[i][j];
                    }
                }
            });
        }
    }
}
