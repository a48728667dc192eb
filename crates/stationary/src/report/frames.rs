//! The moving body for ParaView: a VTU file for each frame, and `frames.pvd`, which lists them with their times.
//!
//! Points are the reference positions. ParaView's *Warp By Vector* with the point field of displacements shows the
//! body as it is. Numbers are raw and little endian behind the text, so that nothing is lost and little is spent.

use super::escape;
use super::file::{io, replace, write_whole};
use crate::error::Error;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The cells of one kind.
#[derive(Debug, Clone, Copy)]
pub struct CellBlock<'a> {
    /// VTK's number of the kind.
    pub vtk_type: u8,
    /// Points of the cells, one cell after the other, in VTK's order.
    pub nodes: &'a [u32],
    /// Points of one cell.
    pub per_cell: usize,
}

impl CellBlock<'_> {
    fn cells(&self) -> usize {
        self.nodes.len() / self.per_cell
    }
}

/// One quantity on all points or on all cells.
#[derive(Debug, Clone, Copy)]
pub struct Field<'a> {
    /// As ParaView shows it.
    pub name: &'a str,
    /// Numbers of each point or cell: 1 for a scalar, 3 for a vector, 6 for a symmetric tensor (xx, yy, zz, xy, yz,
    /// xz), 9 for any tensor, row by row.
    pub components: usize,
    /// All components of the first, then those of the next; cells in the order of the blocks.
    pub values: Values<'a>,
}

/// The numbers of a field.
#[derive(Debug, Clone, Copy)]
pub enum Values<'a> {
    /// Real numbers.
    Floats(&'a [f64]),
    /// Whole numbers.
    Counts(&'a [u64]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Values::Floats(x) => x.len(),
            Values::Counts(n) => n.len(),
        }
    }
}

/// The frames of a run, written one by one.
///
/// ```
/// use stationary::mesh::Mesh;
/// use stationary::report::frames::{CellBlock, Field, Frames, Values};
///
/// let folder = std::env::temp_dir().join(format!("stationary-doc-frames-{}", std::process::id()));
/// let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// let triangle = CellBlock { vtk_type: 5, nodes: &[0, 1, 2], per_cell: 3 };
/// let mut frames = Frames::create(&folder, 0)?;
/// for k in 0..3 {
///     let u = [0.1 * k as f64; 9];
///     let displacement = Field { name: "displacement", components: 3, values: Values::Floats(&u) };
///     frames.write(0.5 * k as f64, &points, &[triangle], &[displacement], &[])?;
/// }
/// assert_eq!(Mesh::open(folder.join("frames/frame-000002.vtu"))?.points[1], [1.0, 0.0, 0.0]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), stationary::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Frames {
    folder: PathBuf,
    /// The lines of `frames.pvd` that name the frames.
    entries: String,
    count: usize,
}

const PVD_HEAD: &str = "<?xml version=\"1.0\"?>\n\
    <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
const PVD_TAIL: &str = "</Collection>\n</VTKFile>\n";

impl Frames {
    /// Begins in the folder of a run, or goes on there after the first `keep` frames, as a checkpoint knows them.
    ///
    /// Other frames in the folder are of an earlier run, or were written after the checkpoint: they are removed.
    pub fn create(folder: &Path, keep: usize) -> Result<Self, Error> {
        let inside = folder.join("frames");
        std::fs::create_dir_all(&inside).map_err(|e| io(&inside, &e))?;
        let list = folder.join("frames.pvd");
        let mut frames = Frames { folder: folder.to_path_buf(), entries: String::new(), count: keep };
        if keep > 0 {
            let text = std::fs::read_to_string(&list)
                .map_err(|e| fault(&list, format!("the list of frames cannot be read: {e}")))?;
            frames.entries = kept(&text, keep).map_err(|message| fault(&list, message))?;
            if let Some(lost) = (0..keep).map(|k| folder.join(name(k))).find(|p| !p.is_file()) {
                return Err(fault(&lost, "this frame is missing".into()));
            }
            frames.list()?;
        } else if list.exists() {
            std::fs::remove_file(&list).map_err(|e| io(&list, &e))?;
        }
        remove_from(&inside, keep)?;
        Ok(frames)
    }

    /// Frames written so far, those of the run before the checkpoint too: what to `keep` when resuming.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Writes the frame at time `t`, then the list anew; both replace their files in one step.
    ///
    /// `points` are reference positions, three numbers each.
    ///
    /// # Panics
    /// When lengths do not fit together, or the time is not a finite number.
    pub fn write(
        &mut self,
        t: f64,
        points: &[f64],
        blocks: &[CellBlock],
        point_fields: &[Field],
        cell_fields: &[Field],
    ) -> Result<(), Error> {
        assert!(t.is_finite(), "a frame at time {t}");
        let grid = Grid::new(points, blocks, point_fields, cell_fields);
        let name = name(self.count);
        replace(&self.folder.join(&name), |file| grid.write(file))?;
        writeln!(self.entries, "{}", entry(&format!("{t:?}"), &name)).expect("writing to a string");
        self.count += 1;
        self.list()
    }

    fn list(&self) -> Result<(), Error> {
        write_whole(&self.folder.join("frames.pvd"), &[PVD_HEAD, &self.entries, PVD_TAIL].concat())
    }
}

fn fault(path: &Path, message: String) -> Error {
    Error::Io { path: path.display().to_string(), message: format!("cannot resume: {message}") }
}

/// A frame's file, seen from the folder of the run.
fn name(frame: usize) -> String {
    format!("frames/frame-{frame:06}.vtu")
}

fn entry(time: &str, name: &str) -> String {
    format!("<DataSet timestep=\"{time}\" part=\"0\" file=\"{name}\"/>")
}

/// The lines of the first `keep` frames, from a list that we wrote.
fn kept(text: &str, keep: usize) -> Result<String, String> {
    let inside = text.strip_prefix(PVD_HEAD).and_then(|rest| rest.strip_suffix(PVD_TAIL));
    let inside = inside.ok_or("this is not a whole list of frames as we write it")?;
    let mut entries = String::new();
    for (k, line) in inside.lines().enumerate() {
        let time = line.strip_prefix("<DataSet timestep=\"").and_then(|rest| rest.split('"').next());
        let time = time.filter(|t| t.parse::<f64>().is_ok_and(|x| x.is_finite() && format!("{x:?}") == *t));
        if time.is_none_or(|time| line != entry(time, &name(k))) {
            let (number, expected) = (PVD_HEAD.lines().count() + k + 1, entry("...", &name(k)));
            return Err(format!("line {number} is damaged, expected {expected}"));
        }
        if k < keep {
            entries += line;
            entries += "\n";
        }
    }
    let found = inside.lines().count();
    if found < keep {
        return Err(format!("the checkpoint knows {keep} frames, the list has {found}"));
    }
    Ok(entries)
}

/// Removes the frames from number `keep` on, and what a killed run left half written.
fn remove_from(folder: &Path, keep: usize) -> Result<(), Error> {
    for found in std::fs::read_dir(folder).map_err(|e| io(folder, &e))? {
        let path = found.map_err(|e| io(folder, &e))?.path();
        let stem = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.strip_prefix("frame-"));
        let Some(frame) = stem.and_then(|s| s.parse::<usize>().ok()) else { continue };
        let written = path == folder.join(&name(frame)["frames/".len()..]) && frame >= keep;
        if written || path.extension().is_some_and(|e| e == "partial") {
            std::fs::remove_file(&path).map_err(|e| io(&path, &e))?;
        }
    }
    Ok(())
}

/// One `<DataArray>`.
struct Array<'a> {
    name: &'a str,
    components: usize,
    data: Data<'a>,
}

/// Where the numbers of an array come from. Topology may be `wide`, with eight bytes a number instead of four.
enum Data<'a> {
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
                let mut nodes = blocks.iter().flat_map(|b| b.nodes);
                nodes.try_for_each(|n| whole(out, u64::from(*n), *wide))
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
struct Grid<'a> {
    points: usize,
    cells: usize,
    elements: [(&'static str, Vec<Array<'a>>); 4],
}

impl<'a> Grid<'a> {
    fn new(
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

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
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

#[cfg(test)]
mod tests;
