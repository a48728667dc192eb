//! A frame as a VTU file: numbers raw and little endian behind the text.

use super::{CellBlock, Field, Values};
use crate::escape;
use std::io::{self, Write};

/// One `<DataArray>`.
pub(super) struct Array<'a> {
    name: &'a str,
    components: usize,
    pub data: Data<'a>,
}

/// Where the numbers of an array come from. Topology may be `wide`, with eight bytes a number instead of four.
pub(super) enum Data<'a> {
    Values(Values<'a>),
    Nodes { blocks: &'a [CellBlock<'a>], wide: bool },
    Ends { blocks: &'a [CellBlock<'a>], wide: bool },
    Types(&'a [CellBlock<'a>]),
}

impl Data<'_> {
    fn number(&self) -> &'static str {
        match self {
            Data::Values(Values::Floats(_)) => "Float64",
            Data::Values(Values::Counts(_)) => "UInt64",
            Data::Nodes { wide: false, .. } | Data::Ends { wide: false, .. } => "Int32",
            Data::Nodes { wide: true, .. } | Data::Ends { wide: true, .. } => "Int64",
            Data::Types(_) => "UInt8",
        }
    }

    fn bytes(&self) -> u64 {
        let cells = |blocks: &[CellBlock]| blocks.iter().map(CellBlock::cells).sum();
        let size = |wide: &bool| if *wide { 8 } else { 4 };
        let (count, size): (usize, u64) = match self {
            Data::Values(values) => (values.len(), 8),
            Data::Nodes { blocks, wide } => (blocks.iter().map(|b| b.nodes.len()).sum(), size(wide)),
            Data::Ends { blocks, wide } => (cells(blocks), size(wide)),
            Data::Types(blocks) => (cells(blocks), 1),
        };
        count as u64 * size
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        match self {
            Data::Values(Values::Floats(x)) => x.iter().try_for_each(|x| out.write_all(&x.to_le_bytes())),
            Data::Values(Values::Counts(n)) => n.iter().try_for_each(|n| out.write_all(&n.to_le_bytes())),
            Data::Nodes { blocks, wide } => {
                let mut nodes = blocks.iter().flat_map(CellBlock::of_vtk);
                nodes.try_for_each(|n| whole(out, u64::from(n), *wide))
            }
            Data::Ends { blocks, wide } => {
                let mut sizes = blocks.iter().flat_map(|b| std::iter::repeat_n(b.per_cell, b.cells()));
                let mut end = 0;
                sizes.try_for_each(|n| {
                    end += n as u64;
                    whole(out, end, *wide)
                })
            }
            Data::Types(blocks) => {
                let mut types = blocks.iter().flat_map(|b| std::iter::repeat_n(b.vtk_type, b.cells()));
                types.try_for_each(|code| out.write_all(&[code]))
            }
        }
    }
}

fn whole(out: &mut impl Write, n: u64, wide: bool) -> io::Result<()> {
    if wide { out.write_all(&n.to_le_bytes()) } else { out.write_all(&(n as u32).to_le_bytes()) }
}

/// A frame: the elements of its file, each with its arrays.
pub(super) struct Grid<'a> {
    points: usize,
    cells: usize,
    pub elements: [(&'static str, Vec<Array<'a>>); 4],
}

impl<'a> Grid<'a> {
    pub fn new(
        points: &'a [f64],
        blocks: &'a [CellBlock<'a>],
        point_fields: &'a [Field<'a>],
        cell_fields: &'a [Field<'a>],
    ) -> Self {
        assert!(points.len().is_multiple_of(3), "{} numbers for points", points.len());
        for block in blocks {
            let whole = block.nodes.len().is_multiple_of(block.per_cell);
            assert!(whole, "{} nodes in cells of {}", block.nodes.len(), block.per_cell);
        }
        let (count, cells) = (points.len() / 3, blocks.iter().map(CellBlock::cells).sum());
        let ends: usize = blocks.iter().map(|b| b.nodes.len()).sum();
        // Signed, since not every reader takes unsigned numbers here.
        let wide = i32::try_from(count.max(ends)).is_err();
        let array = |name, components, data| Array { name, components, data };
        let fields = |fields: &'a [Field<'a>], count: usize| -> Vec<Array<'a>> {
            let checked = fields.iter().map(|f| {
                let (found, needed) = (f.values.len(), f.components * count);
                assert!(found == needed, "field `{}` has {found} numbers, not {needed}", f.name);
                array(f.name, f.components, Data::Values(f.values))
            });
            checked.collect()
        };
        let topology = vec![
            array("connectivity", 1, Data::Nodes { blocks, wide }),
            array("offsets", 1, Data::Ends { blocks, wide }),
            array("types", 1, Data::Types(blocks)),
        ];
        let elements = [
            ("PointData", fields(point_fields, count)),
            ("CellData", fields(cell_fields, cells)),
            ("Points", vec![array("Points", 3, Data::Values(Values::Floats(points)))]),
            ("Cells", topology),
        ];
        Grid { points: count, cells, elements }
    }

    pub fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let (points, cells) = (self.points, self.cells);
        writeln!(
            out,
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
             byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n\
             <Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">"
        )?;
        let mut offset = 0;
        for (element, arrays) in &self.elements {
            writeln!(out, "<{element}>")?;
            for array in arrays {
                let (number, name) = (array.data.number(), escape(array.name));
                write!(out, "<DataArray type=\"{number}\" Name=\"{name}\"")?;
                if array.components > 1 {
                    write!(out, " NumberOfComponents=\"{}\"", array.components)?;
                }
                writeln!(out, " format=\"appended\" offset=\"{offset}\"/>")?;
                offset += 8 + array.data.bytes();
            }
            writeln!(out, "</{element}>")?;
        }
        write!(out, "</Piece>\n</UnstructuredGrid>\n<AppendedData encoding=\"raw\">\n_")?;
        for array in self.elements.iter().flat_map(|(_, arrays)| arrays) {
            out.write_all(&array.data.bytes().to_le_bytes())?;
            array.data.write(out)?;
        }
        // The line break is for readers that look for the end tag at the start of a line.
        out.write_all(b"\n</AppendedData>\n</VTKFile>\n")
    }
}
