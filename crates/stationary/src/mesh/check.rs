//! What makes a mesh usable, whatever file it came from.

use super::geometry::{affine, longest_edge, plane_determinant, smallest_jacobian, volume};
use super::topology::duplicates;
use super::{CellId, CellKind, Cells, Mesh};

/// What a fault is about.
pub(super) enum At {
    Mesh,
    Node(u32),
    Cell(CellId),
}

/// One fault of a mesh.
pub(super) struct Fault {
    pub at: At,
    pub message: String,
    pub help: Option<String>,
}

fn fault(at: At, message: String, help: &str) -> Fault {
    Fault { at, message, help: (!help.is_empty()).then(|| help.into()) }
}

/// The first fault, if there is one.
pub(super) fn check(mesh: &Mesh) -> Result<(), Fault> {
    if mesh.points.is_empty() {
        return Err(fault(At::Mesh, "the mesh has no nodes".into(), ""));
    }
    if mesh.dimension() == 0 {
        return Err(fault(At::Mesh, "the mesh has no elements".into(), super::kind::SUPPORTED));
    }
    shape(mesh)?;
    for (a, x) in mesh.points.iter().enumerate() {
        if let Some(i) = x.iter().position(|c| !c.is_finite()) {
            let message = format!(
                "node {} has {} = {}, not a finite number",
                mesh.point_tags[a],
                ["x", "y", "z"][i],
                x[i]
            );
            return Err(fault(At::Node(a as u32), message, ""));
        }
    }
    let plane = mesh.dimension() == 2 && mesh.points.iter().all(|x| x[2] == 0.0);
    for (b, cells) in mesh.cells.iter().enumerate() {
        for k in 0..cells.len() {
            element(mesh, cells, k, plane).map_err(|(message, help)| {
                let message = format!("element {} ({}) {message}", cells.tags[k], cells.kind.name());
                fault(At::Cell((b as u32, k as u32)), message, help)
            })?;
        }
        if let Some((first, second)) = duplicates(cells.len(), |k| cells.nodes_of(k as usize)).first() {
            let (first, name) = (cells.tags[*first as usize], cells.kind.name());
            let tag = cells.tags[*second as usize];
            let message = format!("element {tag} ({name}) has the same nodes as element {first}");
            return Err(fault(At::Cell((b as u32, *second)), message, "remove one of them"));
        }
    }
    no_lone_nodes(mesh)
}

/// Lengths and indices: true of every mesh that was read.
fn shape(mesh: &Mesh) -> Result<(), Fault> {
    let broken = |message: String| Err(fault(At::Mesh, message, ""));
    if mesh.point_tags.len() != mesh.points.len() {
        return broken("points and their numbers differ in length".into());
    }
    for cells in &mesh.cells {
        if cells.nodes.len() != cells.tags.len() * cells.kind.nodes() {
            return broken(format!("nodes and numbers of the {}s differ in length", cells.kind.name()));
        }
        if let Some(i) = cells.nodes.iter().position(|a| *a as usize >= mesh.points.len()) {
            let tag = cells.tags[i / cells.kind.nodes()];
            return broken(format!("element {tag} names node index {}, beyond the last", cells.nodes[i]));
        }
    }
    for group in &mesh.groups {
        let cell = |(b, k): &CellId| mesh.cells.get(*b as usize).is_some_and(|c| (*k as usize) < c.len());
        if !group.cells.iter().all(cell) || group.nodes.iter().any(|a| *a as usize >= mesh.points.len()) {
            return broken(format!("group `{}` names a node or a cell beyond the last", group.name));
        }
    }
    Ok(())
}

type Complaint = (String, &'static str);

fn element(mesh: &Mesh, cells: &Cells, k: usize, plane: bool) -> Result<(), Complaint> {
    let (kind, nodes) = (cells.kind, cells.nodes_of(k));
    for (i, a) in nodes.iter().enumerate() {
        if nodes[..i].contains(a) {
            let collapsed = if kind.corners() > kind.dimension() as usize + 1 { COLLAPSED } else { "" };
            return Err((format!("names node {} twice", mesh.point_tags[*a as usize]), collapsed));
        }
    }
    if kind == CellKind::Point {
        return Ok(());
    }
    let mut x = [[0.0; 3]; CellKind::MOST_NODES];
    let x = mesh.positions(nodes, &mut x);
    let (d, longest) = (kind.dimension(), longest_edge(kind, x));
    let signed = d == 3 || (d == 2 && plane);
    let size = if signed && d == 2 { 0.5 * plane_determinant(&x[..kind.corners()]) } else { volume(kind, x) };
    // What rounding alone could leave of a flat element; whether a thin one is good enough is for the solver to say.
    let floor = 8.0 * f64::EPSILON * longest.powi(d as i32);
    let simplex = kind.corners() == d as usize + 1;
    let what = ["", "length", "area", "volume"][d as usize];
    if !size.is_finite() || !floor.is_finite() {
        return Err((format!("has {what} {size}, not a finite number"), "its coordinates are too large"));
    }
    if !(size.abs() > floor) {
        let help = match simplex {
            true => "its corners lie on one line, plane or point",
            false => "its corners lie on one line, plane or point, or are given in a wrong order",
        };
        return Err((format!("has no {what}"), help));
    }
    if signed && size < 0.0 {
        return Err((format!("is inverted: its {what} is {size:.6e}"), kind.table().sense));
    }
    if signed && !(simplex && kind.is_linear()) && !affine(kind, x, longest) {
        let (least, point) = smallest_jacobian(kind, x);
        if !(least > 0.0) {
            let place = match nodes.get(point) {
                Some(a) => format!("at node {}", mesh.point_tags[*a as usize]),
                None => "between its nodes".into(),
            };
            let help = match kind.is_linear() {
                true => "its corners are given in a wrong order, or it is warped too far",
                false => {
                    "its middle nodes lie too far from the middles of its edges, or its corners are warped"
                }
            };
            return Err((format!("is folded: its Jacobian is {least:.6e} {place}"), help));
        }
    }
    Ok(())
}

const COLLAPSED: &str = "a collapsed cell has a kind of its own: triangle, tetrahedron, pyramid or wedge";

fn no_lone_nodes(mesh: &Mesh) -> Result<(), Fault> {
    let mut used = vec![false; mesh.points.len()];
    for cells in mesh.cells.iter().filter(|c| c.kind != CellKind::Point) {
        cells.nodes.iter().for_each(|a| used[*a as usize] = true);
    }
    let Some(first) = used.iter().position(|u| !u) else { return Ok(()) };
    let lone = used.iter().filter(|u| !**u).count();
    let others = match lone - 1 {
        0 => String::new(),
        1 => ", and 1 other".into(),
        n => format!(", and {n} others"),
    };
    let message = format!("node {} belongs to no element{others}", mesh.point_tags[first]);
    let help = "a node without an element has no mass; remove it (Gmsh: put all of the body into physical groups, \
                and do not save the rest)";
    Err(fault(At::Node(first as u32), message, help))
}
