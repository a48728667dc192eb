//! Frames as XDMF: what all share in one HDF5 file, the fields of each frame in another, and a text that tells how they belong
//! together.

use super::hdf5::{self, Array, Data};
use super::{CellBlock, Field, Values};
use crate::escape;
use std::fmt::Write as _;
use std::io::{self, Write};

pub(super) const HEAD: &str = "<?xml version=\"1.0\"?>\n<Xdmf Version=\"3.0\">\n<Domain>\n\
    <Grid Name=\"frames\" GridType=\"Collection\" CollectionType=\"Temporal\">\n";
pub(super) const TAIL: &str = "</Grid>\n</Domain>\n</Xdmf>\n";
/// Ends the line of a frame.
pub(super) const END: &str = "</Grid>";
/// Points and cells, seen from the folder of the run.
pub(super) const MESH: &str = "frames/mesh.h5";

/// How the line of a frame begins before its time, and what follows that.
pub(super) fn entry(frame: usize) -> [String; 2] {
    [format!("<Grid Name=\"frame-{frame:06}\" GridType=\"Uniform\"><Time Value=\""), "\"/>".into()]
}

/// A frame to be written.
pub(super) struct Frame<'a> {
    pub points: &'a [f64],
    pub blocks: &'a [CellBlock<'a>],
    /// Of points and of cells.
    pub fields: [&'a [Field<'a>]; 2],
}

/// The names of arrays in the files: fields are named in the text, where any name may stand.
const ARRAYS: [&str; 30] = [
    "a00", "a01", "a02", "a03", "a04", "a05", "a06", "a07", "a08", "a09", "a10", "a11", "a12", "a13", "a14",
    "a15", "a16", "a17", "a18", "a19", "a20", "a21", "a22", "a23", "a24", "a25", "a26", "a27", "a28", "a29",
];

/// XDMF has the components of a symmetric tensor by rows: xx, xy, xz, yy, yz, zz.
const BY_ROWS: [usize; 6] = [0, 3, 5, 1, 4, 2];

impl Frame<'_> {
    pub fn write_mesh(&self, out: &mut impl Write) -> io::Result<()> {
        let points = Data::Floats(Box::new(self.points.iter().copied()));
        let shape = vec![self.points.len() as u64 / 3, 3];
        let cells: Vec<i64> = self.topology();
        let shape_of_cells = self.cells_shape();
        let cells = Data::Whole(Box::new(cells.into_iter()));
        hdf5::write(
            out,
            vec![
                Array { name: "points", shape, data: points },
                Array { name: "cells", shape: shape_of_cells, data: cells },
            ],
        )
    }

    pub fn write_fields(&self, out: &mut impl Write) -> io::Result<()> {
        let all = self.fields.iter().copied().flatten().zip(ARRAYS);
        let arrays = all.map(|(field, name)| {
            let data = match field.values {
                Values::Floats(x) if field.components == 6 => {
                    Data::Floats(Box::new(x.chunks_exact(6).flat_map(|six| BY_ROWS.map(|k| six[k]))))
                }
                Values::Floats(x) => Data::Floats(Box::new(x.iter().copied())),
                Values::Counts(n) => Data::Whole(Box::new(n.iter().map(|n| *n as i64))),
            };
            Array { name, shape: shape(field), data }
        });
        hdf5::write(out, arrays.collect())
    }

    /// The rest of the line of a frame.
    pub fn text(&self, frame: usize) -> String {
        let mut text = String::new();
        let cells: usize = self.blocks.iter().map(|b| b.nodes.len() / b.per_cell).sum();
        let kind = match self.blocks {
            [block] => named(block.vtk_type).0,
            _ => "Mixed",
        };
        let item = |shape: &[u64], number: &str, file: &str, name: &str| {
            let shape: Vec<String> = shape.iter().map(u64::to_string).collect();
            format!(
                "<DataItem Dimensions=\"{}\" NumberType=\"{number}\" Precision=\"8\" Format=\"HDF\">{file}:/{name}</DataItem>",
                shape.join(" ")
            )
        };
        let points = [self.points.len() as u64 / 3, 3];
        let _ = write!(
            text,
            "<Topology TopologyType=\"{kind}\" NumberOfElements=\"{cells}\"{}>{}</Topology>\
             <Geometry GeometryType=\"XYZ\">{}</Geometry>",
            if kind == "Polyline" { " NodesPerElement=\"2\"" } else { "" },
            item(&self.cells_shape(), "Int", MESH, "cells"),
            item(&points, "Float", MESH, "points")
        );
        let file = format!("frames/frame-{frame:06}.h5");
        let mut names = ARRAYS.iter();
        for (fields, center) in self.fields.iter().zip(["Node", "Cell"]) {
            for (field, array) in fields.iter().zip(names.by_ref()) {
                let kind = match field.components {
                    1 => "Scalar",
                    3 => "Vector",
                    6 => "Tensor6",
                    9 => "Tensor",
                    _ => "Matrix",
                };
                let number = if matches!(field.values, Values::Floats(_)) { "Float" } else { "Int" };
                let _ = write!(
                    text,
                    "<Attribute Name=\"{}\" AttributeType=\"{kind}\" Center=\"{center}\">{}</Attribute>",
                    escape(field.name),
                    item(&shape(field), number, &file, array)
                );
            }
        }
        text + END
    }

    fn cells_shape(&self) -> Vec<u64> {
        match self.blocks {
            [block] => vec![(block.nodes.len() / block.per_cell) as u64, block.per_cell as u64],
            blocks => {
                let length =
                    |b: &CellBlock| b.nodes.len() + b.nodes.len() / b.per_cell * named(b.vtk_type).1.len();
                vec![blocks.iter().map(length).sum::<usize>() as u64]
            }
        }
    }

    /// The nodes of one kind of cells; of several kinds each cell with its number before it.
    fn topology(&self) -> Vec<i64> {
        if let [block] = self.blocks {
            return block.of_vtk().map(i64::from).collect();
        }
        let mut all = Vec::new();
        for block in self.blocks {
            let mut nodes = block.of_vtk();
            for _ in 0..block.cells() {
                all.extend(named(block.vtk_type).1);
                all.extend(nodes.by_ref().take(block.per_cell).map(i64::from));
            }
        }
        all
    }
}

fn shape(field: &Field<'_>) -> Vec<u64> {
    let count = field.values.len() as u64;
    match field.components as u64 {
        1 => vec![count],
        n => vec![count / n, n],
    }
}

/// XDMF's name of VTK's kind, and what stands before such a cell among others: its number, and of a line also that of its nodes.
fn named(vtk_type: u8) -> (&'static str, &'static [i64]) {
    match vtk_type {
        3 => ("Polyline", &[2, 2]),
        21 => ("Edge_3", &[34]),
        5 => ("Triangle", &[4]),
        22 => ("Tri_6", &[36]),
        9 => ("Quadrilateral", &[5]),
        23 => ("Quad_8", &[37]),
        28 => ("Quad_9", &[35]),
        10 => ("Tetrahedron", &[6]),
        24 => ("Tet_10", &[38]),
        14 => ("Pyramid", &[7]),
        13 => ("Wedge", &[8]),
        12 => ("Hexahedron", &[9]),
        25 => ("Hex_20", &[48]),
        29 => ("Hex_27", &[50]),
        other => unreachable!("no solid has cells of kind {other}"),
    }
}
