//! Meshes from files (Gmsh, VTU and Abaqus) and from arrays, checked as they are read.
//!
//! | format | read | refused, with a message |
//! |---|---|---|
//! | Gmsh `.msh` | 4.1 and 2.0-2.2; text and binary, both byte orders | other versions, partitioned meshes |
//! | VTU | text, base64, raw and base64 appended; plain and zlib | LZ4 and LZMA, several pieces |
//! | Abaqus `.inp` | flat files, or one part and one instance of it in place | several parts, moved instances, `*INCLUDE`, `INPUT=`, generated nodes and elements (`*NGEN`, `*ELGEN`, ...), surfaces of other types or made from others |
//!
//! # Groups
//!
//! - **Gmsh**: physical groups. An entity may be in several. One with no name is called by its number.
//! - **VTU**: the integer cell array `group`, `material` or `gmsh:physical` makes a group of each value but 0 (and of each
//!   dimension), called by the number, or by the name that the field data has for it: a whole number `NAME`, or pairs of number and
//!   dimension as meshio writes them. An integer cell or point array `group:NAME` makes a group `NAME` of what is not zero.
//! - **Abaqus**: `*NSET` and `*ELSET`, also those named on `*NODE` and `*ELEMENT`. Node set and element set may share a
//!   name; where they have the same nodes, they are one group. `*SURFACE` of `TYPE=ELEMENT` is a group of sides: elements or sets of them
//!   with `S1`, `S2`, ... of solid elements, `S1` or `E1`, ... of plane ones, `SPOS` and `SNEG` of shells on solid elements, or
//!   nothing for all sides that no other element shares. Each side is a cell of the mesh, numbered on from the last element.
//!   `TYPE=NODE` is a group of nodes. Shell elements (`S3`, `S4`, ...) are read as sides of a solid body; alone they are refused.
//!   `CAX...` elements set [`Mesh::axisymmetric`].
//!
//! # Checks
//!
//! Cells of a plane mesh that run clockwise together, as those of a surface that looks down do, are turned over, and
//! [`Mesh::notes`] says so. Nothing else is mended.
//!
//! Every fault is one message with the file, the place in it, and the node or element as numbered there: see
//! [`Mesh::validate`] for what a mesh must satisfy besides being well formed.

mod abaqus;
mod abaqus_sets;
mod abaqus_surfaces;
mod arrays;
mod cells;
mod check;
mod cursor;
mod draft;
mod functions;
mod geometry;
mod gmsh;
mod gmsh_sections;
mod input;
mod kind;
mod order;
mod orient;
mod refine;
mod survey;
mod topology;
mod vtu;
mod vtu_data;
mod vtu_groups;

#[cfg(test)]
mod tests;

pub use arrays::NewGroup;
pub use functions::Functions;
pub use geometry::{inradius, quality};
pub use kind::CellKind;
pub use order::Places;
pub use survey::{COINCIDENT, MeshPiece, Survey};
pub use topology::duplicates;
pub use topology::{Face, NodeCells};

use crate::error::{Diagnostic, Error, near_miss};
use crate::interrupt;
use input::Input;

/// Points, cells and named groups.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Mesh {
    /// The file, for messages.
    pub name: String,
    /// Reference positions; a plane mesh has `z = 0`.
    pub points: Vec<[f64; 3]>,
    /// Numbers of the points in the file, for messages.
    pub point_tags: Vec<u64>,
    /// At most one block of each kind, in the order of [`CellKind::ALL`].
    pub cells: Vec<Cells>,
    /// By name, then dimension.
    pub groups: Vec<Group>,
    /// The file says that this is the half section of a body of revolution, `x` the radius and `y` the axis (`CAX...` of Abaqus).
    pub axisymmetric: bool,
    /// What was changed while it was read, in sentences for people.
    pub notes: Vec<String>,
}

/// All cells of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Cells {
    /// Their kind.
    pub kind: CellKind,
    /// Indices into the points, [`CellKind::nodes`] for each cell, in the order [`CellKind`] documents.
    pub nodes: Vec<u32>,
    /// Numbers of the cells in the file, for messages.
    pub tags: Vec<u64>,
}

impl Cells {
    /// How many cells.
    pub fn len(&self) -> usize {
        self.tags.len()
    }

    /// No cells.
    pub fn is_empty(&self) -> bool {
        self.tags.is_empty()
    }

    /// Nodes of one cell.
    pub fn nodes_of(&self, index: usize) -> &[u32] {
        let n = self.kind.nodes();
        &self.nodes[index * n..(index + 1) * n]
    }
}

/// A cell: its block in [`Mesh::cells`] and its index there.
pub type CellId = (u32, u32);

/// A named part of a mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name in the file.
    pub name: String,
    /// Largest dimension of its cells; 0 for a set of nodes.
    pub dimension: u32,
    /// Nodes of the group or of its cells, ascending.
    pub nodes: Vec<u32>,
    /// Its cells, ascending; none for a set of nodes.
    pub cells: Vec<CellId>,
}

impl Mesh {
    /// Reads and checks the bytes of a file. What they begin with decides the format; `name` is for messages.
    ///
    /// ```
    /// let text = "*NODE\n 1, 0, 0\n 2, 1, 0\n 3, 0, 1\n*ELEMENT, TYPE=CPS3, ELSET=plate\n 7, 1, 2, 3\n";
    /// let mesh = stationary::mesh::Mesh::read("plate.inp", text.as_bytes())?;
    /// assert_eq!(mesh.volume((0, 0)), 0.5);
    /// assert_eq!(mesh.group("plate")?.nodes, [0, 1, 2]);
    /// assert!(mesh.group("plat").unwrap_err().to_string().contains("did you mean `plate`?"));
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn read(name: &str, bytes: &[u8]) -> Result<Mesh, Error> {
        let input = Input::new(name, bytes);
        let start = bytes.iter().position(|b| !b.is_ascii_whitespace()).unwrap_or(bytes.len());
        let draft = match bytes.get(start) {
            None => return Err(input.fault(0, "the file is empty").into()),
            Some(b'$') => gmsh::read(input)?,
            Some(b'<') => vtu::read(input)?,
            Some(b'*') => abaqus::read(input)?,
            Some(_) => {
                return Err(input
                    .fault(start, "this is no mesh that we can read")
                    .help("expected a Gmsh file (begins with `$`), VTU (`<`) or Abaqus input (`*`)")
                    .into());
            }
        };
        interrupt::check()?;
        Ok(draft.finish()?)
    }

    /// Largest dimension of a cell.
    pub fn dimension(&self) -> u32 {
        self.cells.iter().map(|c| c.kind.dimension()).max().unwrap_or(0)
    }

    /// The one group of this name.
    pub fn group(&self, name: &str) -> Result<&Group, Error> {
        let mut found = self.groups.iter().filter(|g| g.name == name);
        match (found.next(), found.next()) {
            (Some(group), None) => Ok(group),
            (Some(first), Some(second)) => Err(self
                .fault(format!(
                    "`{name}` names groups of dimension {} and {}",
                    first.dimension, second.dimension
                ))
                .help("give them different names")
                .into()),
            (None, _) => Err(self.no_group(name, "").into()),
        }
    }

    /// The group of this name and dimension: 3 for volumes down to 0 for nodes.
    pub fn group_of(&self, name: &str, dimension: u32) -> Result<&Group, Error> {
        let found = self.groups.iter().find(|g| g.name == name && g.dimension == dimension);
        found.ok_or_else(|| self.no_group(name, &format!(" of dimension {dimension}")).into())
    }

    fn no_group(&self, name: &str, of: &str) -> Diagnostic {
        let d = self.fault(format!("the mesh has no group `{name}`{of}"));
        let names = || self.groups.iter().map(|g| g.name.as_str());
        if let Some(g) = self.groups.iter().find(|g| g.name == name) {
            return d.help(format!("`{name}` has dimension {}", g.dimension));
        }
        if let Some(near) = near_miss(name, names()) {
            return d.help(format!("did you mean `{near}`?"));
        }
        let list: Vec<String> = names().take(12).map(|n| format!("`{n}`")).collect();
        match list.len() {
            0 => d.help("it has no groups at all; in Gmsh they are physical groups"),
            n if n < self.groups.len() => d.help(format!("it has {}, ...", list.join(", "))),
            _ => d.help(format!("it has {}", list.join(", "))),
        }
    }

    pub(in crate::mesh) fn fault(&self, message: String) -> Diagnostic {
        input::placeless(&self.name, message)
    }

    /// Checks what reading has checked, for a mesh that was made or changed by hand:
    ///
    /// - there are elements, and every index is in range;
    /// - coordinates are finite, and every node belongs to an element (cells of dimension 1 or more);
    /// - no element names a node twice, and no two elements of a kind have the same nodes;
    /// - lines have length, plane cells area, solid cells positive volume; so do plane cells of a mesh in the plane `z = 0` without solid
    ///   ones. Of curved and warped elements, the Jacobian is positive at every node, and at the middles of edges, sides and cells.
    pub fn validate(&self) -> Result<(), Error> {
        check::check(self).map_err(|f| {
            let d = self.fault(f.message);
            Error::from(match f.help {
                Some(help) => d.help(help),
                None => d,
            })
        })
    }
}
