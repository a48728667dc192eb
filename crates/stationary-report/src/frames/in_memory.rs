//! Frames in memory.

use super::{CellBlock, Field, Values};

/// The frames of a run in memory: fields frame after frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InMemoryFrames {
    /// When they were taken.
    pub times: Vec<f64>,
    /// Reference positions, three numbers each.
    pub points: Vec<f64>,
    /// The cells.
    pub blocks: Vec<InMemoryBlock>,
    /// Fields on points.
    pub point_fields: Vec<InMemoryField>,
    /// Fields on cells, in the order of the blocks.
    pub cell_fields: Vec<InMemoryField>,
}

/// The cells of one kind; see [`CellBlock`].
#[derive(Debug, Clone, PartialEq)]
pub struct InMemoryBlock {
    /// VTK's number of the kind.
    pub vtk_type: u8,
    /// Points of the cells, one cell after the other.
    pub nodes: Vec<u32>,
    /// Points of one cell.
    pub per_cell: usize,
}

/// One quantity over all frames; see [`Field`].
#[derive(Debug, Clone, PartialEq)]
pub struct InMemoryField {
    /// Its name.
    pub name: String,
    /// Numbers of each point or cell.
    pub components: usize,
    /// All numbers of the first frame, then those of the next.
    pub values: InMemoryValues,
}

/// The numbers of a field in memory.
#[derive(Debug, Clone, PartialEq)]
pub enum InMemoryValues {
    /// Real numbers.
    Floats(Vec<f64>),
    /// Whole numbers.
    Counts(Vec<u64>),
}

impl InMemoryFrames {
    /// Adds a frame; points and cells are those of the first.
    pub(super) fn push(&mut self, t: f64, points: &[f64], blocks: &[CellBlock], fields: [&[Field]; 2]) {
        let all = [&mut self.point_fields, &mut self.cell_fields];
        if self.times.is_empty() {
            self.points = points.to_vec();
            let block = |b: &CellBlock| InMemoryBlock {
                vtk_type: b.vtk_type,
                nodes: b.nodes.to_vec(),
                per_cell: b.per_cell,
            };
            self.blocks = blocks.iter().map(block).collect();
        }
        for (own, fields) in all.into_iter().zip(fields) {
            if self.times.is_empty() {
                *own = fields.iter().map(InMemoryField::like).collect();
            }
            own.iter_mut().zip(fields).for_each(|(own, field)| own.push(field));
        }
        self.times.push(t);
    }
}

impl InMemoryField {
    /// A field like this one, without a frame.
    fn like(field: &Field) -> Self {
        let values = match field.values {
            Values::Floats(_) => InMemoryValues::Floats(Vec::new()),
            Values::Counts(_) => InMemoryValues::Counts(Vec::new()),
        };
        InMemoryField { name: field.name.to_string(), components: field.components, values }
    }

    fn push(&mut self, field: &Field) {
        match (&mut self.values, field.values) {
            (InMemoryValues::Floats(all), Values::Floats(x)) => all.extend_from_slice(x),
            (InMemoryValues::Counts(all), Values::Counts(n)) => all.extend_from_slice(n),
            _ => unreachable!("a field has numbers of one kind in all frames"),
        }
    }
}
