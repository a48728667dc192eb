//! The moving body for ParaView: a VTU file for each frame, and `frames.pvd`, which lists them with their times; or HDF5 files and
//! `frames.xdmf`.
//!
//! Points are the reference positions. ParaView's *Warp By Vector* with the point field of displacements shows the
//! body as it is. Numbers are raw and little endian behind the text, so that nothing is lost and little is spent.

mod hdf5;
mod in_memory;
mod vtu;
mod xdmf;

pub use in_memory::{InMemoryBlock, InMemoryField, InMemoryFrames, InMemoryValues};

use super::file::{io, remove, replace, write_whole};
use crate::files;
use stationary::error::Error;
use stationary::mesh::CellKind;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// The cells of one kind.
#[derive(Debug, Clone, Copy)]
pub struct CellBlock<'a> {
    /// VTK's number of the kind.
    pub vtk_type: u8,
    /// Points of the cells, one cell after the other, in the order of `stationary::mesh::CellKind`; files have VTK's.
    pub nodes: &'a [u32],
    /// Points of one cell.
    pub per_cell: usize,
}

impl CellBlock<'_> {
    fn cells(&self) -> usize {
        self.nodes.len() / self.per_cell
    }

    /// The points in VTK's order.
    fn of_vtk(&self) -> impl Iterator<Item = u32> {
        let order = CellKind::from_vtk(self.vtk_type).and_then(CellKind::vtk_order);
        let CellBlock { nodes, per_cell, .. } = *self;
        (0..nodes.len()).map(move |i| match order {
            Some(order) => nodes[i - i % per_cell + order[i % per_cell]],
            None => nodes[i],
        })
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
/// use stationary_report::files::read_mesh;
/// use stationary_report::frames::{CellBlock, Field, FrameFormat, Frames, Values};
///
/// let folder = std::env::temp_dir().join(format!("stationary-doc-frames-{}", std::process::id()));
/// let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
/// let triangle = CellBlock { vtk_type: 5, nodes: &[0, 1, 2], per_cell: 3 };
/// let mut frames = Frames::create(&folder, FrameFormat::Vtu, 0)?;
/// for k in 0..3 {
///     let u = [0.1 * k as f64; 9];
///     let displacement = Field { name: "displacement", components: 3, values: Values::Floats(&u) };
///     frames.write(0.5 * k as f64, &points, &[triangle], &[displacement], &[])?;
/// }
/// assert_eq!(read_mesh(folder.join("frames/frame-000002.vtu"))?.points[1], [1.0, 0.0, 0.0]);
/// # std::fs::remove_dir_all(&folder).unwrap();
/// # Ok::<(), stationary::error::Error>(())
/// ```
#[derive(Debug)]
pub struct Frames {
    /// None where they are only held in memory.
    folder: Option<PathBuf>,
    format: FrameFormat,
    /// The lines of the list that name the frames.
    entries: String,
    count: usize,
    in_memory: Option<InMemoryFrames>,
}

/// What differs between the formats.
/// The form of the frames of a solid.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrameFormat {
    /// A VTU file for each, and `frames.pvd`.
    #[default]
    Vtu,
    /// An HDF5 file for each, and `frames.xdmf`.
    Xdmf,
}

impl FrameFormat {
    /// The list of the frames, in the folder of the run.
    fn list(self) -> &'static str {
        match self {
            FrameFormat::Vtu => "frames.pvd",
            FrameFormat::Xdmf => "frames.xdmf",
        }
    }

    fn ending(self) -> &'static str {
        match self {
            FrameFormat::Vtu => "vtu",
            FrameFormat::Xdmf => "h5",
        }
    }

    fn head(self) -> &'static str {
        match self {
            FrameFormat::Vtu => {
                "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n"
            }
            FrameFormat::Xdmf => xdmf::HEAD,
        }
    }

    fn tail(self) -> &'static str {
        match self {
            FrameFormat::Vtu => "</Collection>\n</VTKFile>\n",
            FrameFormat::Xdmf => xdmf::TAIL,
        }
    }

    /// How the line of a frame begins before its time, and what follows that; more may follow that in turn.
    fn entry(self, frame: usize) -> [String; 2] {
        match self {
            FrameFormat::Vtu => {
                let name = self.name(frame);
                ["<DataSet timestep=\"".into(), format!("\" part=\"0\" file=\"{name}\"/>")]
            }
            FrameFormat::Xdmf => xdmf::entry(frame),
        }
    }

    /// A frame's file, seen from the folder of the run.
    fn name(self, frame: usize) -> String {
        format!("frames/frame-{frame:06}.{}", self.ending())
    }

    /// What all frames share, seen from the folder of the run.
    fn shared(self) -> Option<&'static str> {
        match self {
            FrameFormat::Vtu => None,
            FrameFormat::Xdmf => Some(xdmf::MESH),
        }
    }
}

impl Frames {
    /// Begins in the folder of a run, or resumes there after the first `known` frames, which a checkpoint counts.
    ///
    /// Other frames in the folder are of an earlier run, or were written after the checkpoint: they are removed.
    pub fn create(folder: &Path, format: FrameFormat, known: usize) -> Result<Self, Error> {
        let inside = folder.join("frames");
        std::fs::create_dir_all(&inside).map_err(|e| io(&inside, &e))?;
        if !inside.symlink_metadata().is_ok_and(|m| m.is_dir()) {
            let message = "expected a folder of its own, not a link to elsewhere: remove it".into();
            return Err(Error::Io { path: inside.display().to_string(), message });
        }
        let list = folder.join(format.list());
        let entries = String::new();
        let path = Some(folder.to_path_buf());
        let mut frames = Frames { folder: path, format, entries, count: known, in_memory: None };
        if known > 0 {
            let unreadable = |e: String| fault(&list, format!("the list of frames cannot be read: {e}"));
            let bytes = files::read(&list, files::LONGEST_RESULT).map_err(|e| unreadable(e.to_string()))?;
            let text = String::from_utf8(bytes).map_err(|e| unreadable(e.to_string()))?;
            frames.entries = known_entries(format, &text, known).map_err(|message| fault(&list, message))?;
            let names = (0..known).map(|k| format.name(k)).chain(format.shared().map(String::from));
            if let Some(lost) = names.map(|name| folder.join(name)).find(|p| !p.is_file()) {
                return Err(fault(&lost, "this frame is missing".into()));
            }
            frames.write_list(folder)?;
        }
        for other in [FrameFormat::Vtu, FrameFormat::Xdmf] {
            let stale = folder.join(other.list());
            if known == 0 || other != format {
                remove(&stale).map_err(|e| io(&stale, &e))?;
            }
            remove_from(&inside, other, if other == format { known } else { 0 })?;
        }
        Ok(frames)
    }

    /// Frames without a folder: see [`in_memory`](Self::in_memory).
    pub fn unwritten() -> Self {
        Frames {
            folder: None,
            format: FrameFormat::default(),
            entries: String::new(),
            count: 0,
            in_memory: None,
        }
    }

    /// The same, held in memory, too, if these are all the frames there are.
    pub fn in_memory(mut self) -> Self {
        self.in_memory = (self.count == 0).then(InMemoryFrames::default);
        self
    }

    /// The frames in memory.
    pub fn into_in_memory(self) -> Option<InMemoryFrames> {
        self.in_memory
    }

    /// Frames written so far, those of the run before the checkpoint too: the frames `known` when resuming.
    pub fn count(&self) -> usize {
        self.count
    }

    /// The file to open, in the folder of the run.
    pub fn list(&self) -> &'static str {
        self.format.list()
    }

    /// Writes the frame at time `t`, then the list anew; both replace their files in one step.
    ///
    /// `points` are reference positions, three numbers each. In XDMF points and cells are written once, with the first frame.
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
        // Checks the lengths for both.
        let grid = vtu::Grid::new(points, blocks, point_fields, cell_fields);
        if let Some(frames) = &mut self.in_memory {
            frames.push(t, points, blocks, [point_fields, cell_fields]);
        }
        let Some(folder) = &self.folder else {
            self.count += 1;
            return Ok(());
        };
        let file = folder.join(self.format.name(self.count));
        let mut more = String::new();
        match self.format {
            FrameFormat::Vtu => replace(&file, |file| grid.write(file))?,
            FrameFormat::Xdmf => {
                let frame = xdmf::Frame { points, blocks, fields: [point_fields, cell_fields] };
                if self.count == 0 {
                    replace(&folder.join(xdmf::MESH), |file| frame.write_mesh(file))?;
                }
                replace(&file, |file| frame.write_fields(file))?;
                more = frame.text(self.count);
            }
        }
        let [before, after] = self.format.entry(self.count);
        writeln!(self.entries, "{before}{t:?}{after}{more}").expect("writing to a string");
        self.count += 1;
        self.write_list(folder)
    }

    fn write_list(&self, folder: &Path) -> Result<(), Error> {
        let text = [self.format.head(), &self.entries, self.format.tail()].concat();
        write_whole(&folder.join(self.format.list()), &text)
    }
}

fn fault(path: &Path, message: String) -> Error {
    Error::Io { path: path.display().to_string(), message: format!("cannot resume: {message}") }
}

/// The lines of the first `known` frames, from a list that we wrote.
fn known_entries(format: FrameFormat, text: &str, known: usize) -> Result<String, String> {
    let inside = text.strip_prefix(format.head()).and_then(|rest| rest.strip_suffix(format.tail()));
    let inside = inside.ok_or("this is not a whole list of frames as we write it")?;
    let mut entries = String::new();
    for (k, line) in inside.lines().enumerate() {
        let [before, after] = format.entry(k);
        let parts = line.strip_prefix(&before).and_then(|rest| rest.split_once(&after));
        let ours = |t: &str| t.parse::<f64>().is_ok_and(|x| x.is_finite() && format!("{x:?}") == t);
        let ended = |rest: &str| match format {
            FrameFormat::Vtu => rest.is_empty(),
            FrameFormat::Xdmf => rest.ends_with(xdmf::END),
        };
        if !parts.is_some_and(|(time, rest)| ours(time) && ended(rest)) {
            let number = format.head().lines().count() + k + 1;
            return Err(format!("line {number} is damaged, expected {before}...{after}"));
        }
        if k < known {
            entries += line;
            entries += "\n";
        }
    }
    let found = inside.lines().count();
    if found < known {
        return Err(format!("the checkpoint knows {known} frames, the list has {found}"));
    }
    Ok(entries)
}

/// Removes the frames from number `known` on, and files that a killed run left half written.
fn remove_from(folder: &Path, format: FrameFormat, known: usize) -> Result<(), Error> {
    let own = |name: &str| name["frames/".len()..].to_string();
    for found in std::fs::read_dir(folder).map_err(|e| io(folder, &e))? {
        let path = found.map_err(|e| io(folder, &e))?.path();
        let Some(name) = path.file_name().and_then(|n| n.to_str()) else { continue };
        let stem = name.strip_prefix("frame-").and_then(|s| s.split('.').next());
        let frame = stem.and_then(|s| s.parse::<usize>().ok());
        let written = frame.is_some_and(|k| name == own(&format.name(k)) && k >= known);
        let half = name.ends_with(".partial") && (frame.is_some() || name == "mesh.partial");
        let shared = known == 0 && format.shared().is_some_and(|shared| name == own(shared));
        if written || half || shared {
            remove(&path).map_err(|e| io(&path, &e))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
