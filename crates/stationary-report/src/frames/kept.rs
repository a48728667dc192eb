//! Frames in memory.

use super::{CellBlock, Field, Values};

/// The frames of a run in memory: fields frame after frame.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct KeptFrames {
    /// When they were taken.
    pub times: Vec<f64>,
    /// Reference positions, three numbers each.
    pub points: Vec<f64>,
    /// The cells.
    pub blocks: Vec<KeptBlock>,
    /// Fields on points.
    pub point_fields: Vec<KeptField>,
    /// Fields on cells, in the order of the blocks.
    pub cell_fields: Vec<KeptField>,
}

/// The cells of one kind; see [`CellBlock`].
#[derive(Debug, Clone, PartialEq)]
pub struct KeptBlock {
    /// VTK's number of the kind.
    pub vtk_type: u8,
    /// Points of the cells, one cell after the other.
    pub nodes: Vec<u32>,
    /// Points of one cell.
    pub per_cell: usize,
}

/// One quantity over all frames; see [`Field`].
#[derive(Debug, Clone, PartialEq)]
pub struct KeptField {
    /// Its name.
    pub name: String,
    /// Numbers of each point or cell.
    pub components: usize,
    /// All numbers of the first frame, then those of the next.
    pub values: KeptValues,
}

/// The numbers of a kept field.
#[derive(Debug, Clone, PartialEq)]
pub enum KeptValues {
    /// Real numbers.
    Floats(Vec<f64>),
    /// Whole numbers.
    Counts(Vec<u64>),
}

impl KeptFrames {
    /// Adds a frame; points and cells are those of the first.
    pub(super) fn push(&mut self, t: f64, points: &[f64], blocks: &[CellBlock], fields: [&[Field]; 2]) {
        let all = [&mut self.point_fields, &mut self.cell_fields];
        if self.times.is_empty() {
            self.points = points.to_vec();
            let block = |b: &CellBlock| KeptBlock {
                vtk_type: b.vtk_type,
                nodes: b.nodes.to_vec(),
                per_cell: b.per_cell,
            };
            self.blocks = blocks.iter().map(block).collect();
        }
        for (kept, fields) in all.into_iter().zip(fields) {
            if self.times.is_empty() {
                *kept = fields.iter().map(KeptField::like).collect();
            }
            kept.iter_mut().zip(fields).for_each(|(kept, field)| kept.push(field));
        }
        self.times.push(t);
    }
}

impl KeptField {
    /// A field like this one, without a frame.
    fn like(field: &Field) -> Self {
        let values = match field.values {
            Values::Floats(_) => KeptValues::Floats(Vec::new()),
            Values::Counts(_) => KeptValues::Counts(Vec::new()),
        };
        KeptField { name: field.name.to_string(), components: field.components, values }
    }

    fn push(&mut self, field: &Field) {
        match (&mut self.values, field.values) {
            (KeptValues::Floats(all), Values::Floats(x)) => all.extend_from_slice(x),
            (KeptValues::Counts(all), Values::Counts(n)) => all.extend_from_slice(n),
            _ => unreachable!("a field has numbers of one kind in all frames"),
        }
    }
}
