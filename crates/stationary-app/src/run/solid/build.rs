//! From a scenario to a body that can move: mesh, materials, masses, supports, loads, initial state.

use super::given;
use super::material::{self, Stuff};
use crate::scenario::{InitialShape, LoadKind, MaterialChoice, Scenario, SolidSystem, Text, shipped};
use stationary::error::{Diagnostic, Error, near_miss};
use stationary::formula::{Graph, Scope};
use stationary::interrupt;
use stationary::mesh::{CellId, CellKind, Group, Mesh};
use stationary::model::solid::{Elements, Loads, LoadsBuilder, MAX_NODES, Problem, Side, Solid};
use stationary::model::{Field, PotentialFault, Potentials, Supports};
use stationary_report::checkpoint::identity;
use stationary_report::files;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

/// A body with all that acts on it, and where it starts.
pub(super) struct Body {
    pub problem: Arc<Problem>,
    pub x: Vec<f64>,
    pub v: Vec<f64>,
    /// One more than the last label of each material of the scenario.
    materials: Vec<usize>,
    /// The elements of each group of the mesh that a scenario may give steps to, until it has given them.
    pub groups: Vec<(String, Vec<u32>)>,
    /// A number for the mesh, and for the state where one was given, to know them again.
    pub given: u64,
    /// Where each node stands in the mesh of the file, if not in the same place.
    pub places: Option<Vec<u32>>,
    /// The number of each node in the file, if it is not one more than its place.
    numbers: Option<Vec<u64>>,
    /// What was changed in the mesh, in sentences.
    pub notes: Vec<String>,
    /// The cell of each label in its block of the mesh of the file.
    cells: Vec<u32>,
    /// One more than the last label of each row of labels whose cells are of one block, and the block.
    blocks: Vec<(usize, u32)>,
}

impl Body {
    /// The material of an element, by number in the scenario.
    pub fn material(&self, k: usize) -> usize {
        let (block, j) = self.problem.solid().locate(k);
        let label = block.label(j);
        self.materials.partition_point(|end| *end <= label)
    }

    /// Where a node stands in the mesh of the file.
    pub fn place(&self, node: usize) -> usize {
        self.places.as_ref().map_or(node, |nodes| nodes[node] as usize)
    }

    /// The number of a node in the file.
    pub fn node_number(&self, node: usize) -> u64 {
        self.numbers.as_ref().map_or_else(|| self.place(node) as u64 + 1, |numbers| numbers[node])
    }

    /// What an element is called in messages: its number in the file and its group.
    pub fn named(&self, k: usize) -> String {
        let group = self.group_of(k).map_or(String::new(), |name| format!(" of group `{name}`"));
        format!("element {}{group}", self.problem.tag(k))
    }

    /// The first group that an element is in.
    pub fn group_of(&self, k: usize) -> Option<&str> {
        let group = self.groups.iter().find(|(_, elements)| elements.contains(&(k as u32)))?;
        Some(&group.0)
    }

    /// The cell of an element in the mesh of the file.
    pub fn cell(&self, k: usize) -> CellId {
        let (block, j) = self.problem.solid().locate(k);
        let label = block.label(j);
        let row = self.blocks.partition_point(|(end, _)| *end <= label);
        (self.blocks[row].1, self.cells[label])
    }

    /// Nodes and elements in the order of the file, the elements block by block. `None` if they have it.
    pub fn order(&self) -> Option<Order> {
        let nodes = self.nodes()?;
        let mut elements: Vec<u32> = (0..self.problem.solid().elements() as u32).collect();
        let mut rest = &mut elements[..];
        let mut first = 0;
        for block in self.problem.solid().blocks() {
            let own = rest.split_off_mut(..block.len()).expect("blocks hold all elements");
            own.sort_unstable_by_key(|k| self.cells[block.label(*k as usize - first)]);
            first += block.len();
        }
        Some(Order { nodes, elements })
    }

    /// The node at each place of the file, if they are not the same.
    pub fn nodes(&self) -> Option<Vec<u32>> {
        let places = self.places.as_ref()?;
        let mut nodes = vec![0; places.len()];
        (0..).zip(places).for_each(|(a, place)| nodes[*place as usize] = a);
        Some(nodes)
    }

    /// The elements in the order of the cells of the mesh, whatever they are made of.
    pub fn elements(&self) -> Vec<u32> {
        let mut elements: Vec<u32> = (0..self.problem.solid().elements() as u32).collect();
        elements.sort_by_cached_key(|k| self.cell(*k as usize));
        elements
    }
}

/// The node at each place of the file, and the element.
pub(super) struct Order {
    pub nodes: Vec<u32>,
    pub elements: Vec<u32>,
}

/// Builds the body of a scenario.
pub(super) fn body(scenario: &Scenario, system: &SolidSystem) -> Result<Body, Error> {
    let (mut mesh, bytes) = mesh(scenario, system)?;
    let places = mesh.is_large().then(|| mesh.order());
    interrupt::check()?;
    let stuff = material::read(scenario, system)?;
    let (cells, materials) = assign(&mesh, system, &stuff)?;
    let mut blocks = Vec::new();
    let mut first = 0;
    for (end, stuff) in materials.iter().zip(&stuff) {
        blocks.extend(elements(&mesh, &cells, first..*end, stuff)?);
        interrupt::check()?;
        first = *end;
    }
    let solid = Solid::new(&mesh.points, blocks, &point_masses(&mesh, system)?)
        .map_err(|d| system.mesh.file.error(d.message).help(d.help.unwrap_or_default()))?;
    interrupt::check()?;
    let at_cell = AtCell::new(&mesh, &solid, &cells);
    let was = |(b, k): &CellId| places.as_ref().map_or(*k, |p| p.cells[*b as usize][*k as usize]);
    let of_labels = cells.iter().map(was).collect();
    let ends = cells.chunk_by(|a, b| a.0 == b.0).scan(0, |end, row| {
        *end += row.len();
        Some((*end, row[0].0))
    });
    let of_blocks = ends.collect();
    let places = places.map(|p| p.nodes);
    let thickness = |label: usize| stuff[materials.partition_point(|end| *end <= label)].thickness();
    let sides = Sides { mesh: &mesh, solid: &solid, at_cell: &at_cell, thickness: &thickness };
    let loads = loads(scenario, system, &sides, &cells)?;
    interrupt::check()?;
    let supports = supports(scenario, system, &mesh)?;
    let tags = cells.iter().map(|c| mesh.cells[c.0 as usize].tags[c.1 as usize]).collect();
    let (mut x, mut v) = match &scenario.given.state {
        Some(state) => given::start(state, system, places.as_deref(), mesh.points.len())?,
        None => start(scenario, system, &mesh.points)?,
    };
    let groups = mesh.groups.iter().map(|g| (g.name.clone(), of_group(g, &at_cell))).collect();
    let problem = Arc::new(Problem::new(solid, loads, supports, tags));
    if let Some(supports) = problem.supports() {
        supports.drive(scenario.start, &mut x, &mut v);
    }
    interrupt::check()?;
    check_start(&problem, system, scenario.start, &x)?;
    let (cells, blocks, given) = (of_labels, of_blocks, given::known(bytes, scenario));
    let numbers = node_numbers(&mesh, places.as_deref());
    let notes = mesh.notes;
    Ok(Body { problem, x, v, materials, groups, given, places, numbers, notes, cells, blocks })
}

/// More elements than this are refused: a body of them needs more memory than most computers have.
const MOST_ELEMENTS: u64 = 50_000_000;

/// The file of the mesh beside the scenario, or else the shipped one of this name; of a mesh that was given all that decides.
pub(in crate::run) fn mesh_bytes(scenario: &Scenario, system: &SolidSystem) -> Result<Vec<u8>, Error> {
    if let Some(mesh) = &scenario.given.mesh {
        return Ok(mesh.to_bytes());
    }
    let file = &system.mesh.file;
    let path = scenario.folder.as_deref().map(|f| f.join(&file.text));
    let read = path.as_ref().map(|path| files::read(path, files::LONGEST_MESH));
    match (read, shipped::mesh(&file.text)) {
        (Some(Ok(bytes)), _) => Ok(bytes),
        (Some(Err(e)), shipped) if e.kind() != std::io::ErrorKind::NotFound || shipped.is_none() => {
            Err(unreadable(file, path.as_deref(), &e).into())
        }
        (_, Some(bytes)) => Ok(bytes.to_vec()),
        (_, None) => {
            let help = format!("meshes shipped with the program: {}", shipped::meshes().join(", "));
            Err(file.error(format!("there is no mesh `{}`", file.text)).help(help).into())
        }
    }
}

/// The path of a mesh in messages, as the user would type it: from the folder in which the scenario was called by its path. An absolute
/// folder may be one that the user never typed.
fn name_of(scenario: &Scenario, file: &str) -> String {
    let folder = scenario.folder.as_deref().filter(|folder| folder.is_relative());
    let path = folder.map(|folder| folder.join(file)).filter(|path| path.exists());
    path.map_or(file.to_string(), |path| path.display().to_string())
}

/// The mesh of a scenario, and a number for its bytes.
fn mesh(scenario: &Scenario, system: &SolidSystem) -> Result<(Mesh, u64), Error> {
    let file = &system.mesh.file;
    let bytes = mesh_bytes(scenario, system)?;
    let number = identity(&[&bytes]);
    let mut mesh = match &scenario.given.mesh {
        Some(mesh) => {
            // Its fields are open to everybody.
            mesh.validate()?;
            Mesh::clone(mesh)
        }
        None => Mesh::read(&name_of(scenario, &file.text), &bytes)?,
    };
    drop(bytes);
    mesh.points.as_flattened_mut().iter_mut().for_each(|x| *x *= system.mesh.scale);
    let (times, count) = (system.mesh.refine, mesh.refined_count(system.mesh.refine));
    if times > 0 && count > MOST_ELEMENTS {
        let message = format!("refined {times} times, the mesh `{}` has {count} elements", file.text);
        return Err(file.error(message).help(format!("expected at most {MOST_ELEMENTS}")).into());
    }
    for _ in 0..times {
        mesh = mesh.refined();
        interrupt::check()?;
    }
    Ok((mesh, number))
}

/// A mesh that is not there, with the name that is nearest among the files beside it and those shipped.
fn unreadable(file: &Text, path: Option<&Path>, e: &std::io::Error) -> Diagnostic {
    if e.kind() != std::io::ErrorKind::NotFound {
        return file.error(format!("the mesh `{}` cannot be read: {e}", file.text));
    }
    let folder = path.and_then(Path::parent).filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut beside: Vec<String> = files.map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    beside.sort();
    let near = near_miss(&name, beside.iter().map(String::as_str));
    let help = match near {
        Some(near) => format!("did you mean `{near}`? the path is relative to the folder of the scenario"),
        None => "the path is relative to the folder of the scenario".to_string(),
    };
    file.error(format!("there is no mesh `{}`", file.text)).help(help)
}

/// The numbers of the nodes in the file; none where they are counted from 1 in the order of the file.
fn node_numbers(mesh: &Mesh, places: Option<&[u32]>) -> Option<Vec<u64>> {
    let place = |a: usize| places.map_or(a, |places| places[a] as usize);
    let counted = |(a, tag): (usize, &u64)| *tag == place(a) as u64 + 1;
    (!mesh.point_tags.iter().enumerate().all(counted)).then(|| mesh.point_tags.clone())
}

/// The group a scenario names, or an error that points at the name.
fn group<'a>(mesh: &'a Mesh, name: &Text) -> Result<&'a Group, Error> {
    mesh.group(&name.text).map_err(|e| match e {
        Error::Input(d) => {
            let error = name.error(d.message);
            d.help.map_or(error.clone(), |help| error.help(help)).into()
        }
        other => other,
    })
}

/// The elements in the order of the materials, and where those of each material end. Cells of the largest dimension must all have one;
/// others are elements only where a material names them.
fn assign(mesh: &Mesh, system: &SolidSystem, stuff: &[Stuff]) -> Result<(Vec<CellId>, Vec<usize>), Error> {
    const NONE: u32 = u32::MAX;
    let mut owner: Vec<Vec<u32>> = mesh.cells.iter().map(|c| vec![NONE; c.len()]).collect();
    for (m, choice) in system.materials.iter().enumerate() {
        for name in &choice.groups {
            let group = group(mesh, name)?;
            let fitting = group.cells.iter().filter(|c| stuff[m].fits(mesh.cells[c.0 as usize].kind));
            let mut count = 0;
            for cell in fitting {
                let slot = &mut owner[cell.0 as usize][cell.1 as usize];
                if *slot != NONE && *slot != m as u32 {
                    let first = &system.materials[*slot as usize].name.text;
                    let both =
                        format!("{} is of `{first}` and of `{}`", placed(mesh, *cell), choice.name.text);
                    return Err(name.error(both).help("expected groups that do not overlap").into());
                }
                *slot = m as u32;
                count += 1;
            }
            if count == 0 {
                let expected = stuff[m].expected();
                return Err(name
                    .error(format!("group `{}` has no elements for the law `{}`", name.text, choice.law.text))
                    .help(format!("expected {expected}"))
                    .into());
            }
        }
    }
    let dimension = mesh.dimension();
    if let Some(rest) = system.materials.iter().position(|m| m.groups.is_empty()) {
        for (b, cells) in mesh.cells.iter().enumerate() {
            if cells.kind.dimension() == dimension && stuff[rest].fits(cells.kind) {
                owner[b].iter_mut().filter(|o| **o == NONE).for_each(|o| *o = rest as u32);
            }
        }
    }
    let mut ends = vec![0; stuff.len()];
    for (b, cells) in mesh.cells.iter().enumerate() {
        for k in 0..cells.len() {
            match owner[b][k] {
                NONE if cells.kind.dimension() == dimension => {
                    return Err(without_material(system, stuff, mesh, (b as u32, k as u32)));
                }
                NONE => {}
                m => ends[m as usize] += 1,
            }
        }
    }
    // Counted into place: by material, then as in the mesh.
    let mut next: Vec<usize> = ends.iter().scan(0, |sum, n| Some(std::mem::replace(sum, *sum + n))).collect();
    (ends.iter_mut().zip(&next)).for_each(|(end, start)| *end += start);
    let mut all = vec![(0, 0); ends.last().copied().unwrap_or(0)];
    for (owner, b) in owner.iter().zip(0..) {
        for (m, k) in owner.iter().zip(0..).filter(|(m, _)| **m != NONE) {
            all[next[*m as usize]] = (b, k);
            next[*m as usize] += 1;
        }
    }
    Ok((all, ends))
}

fn without_material(system: &SolidSystem, stuff: &[Stuff], mesh: &Mesh, cell: CellId) -> Error {
    let message = format!("{} has no material", placed(mesh, cell));
    let help = match system.materials.iter().position(|m| m.groups.is_empty()) {
        None => "give its group to a material, or leave `group` out of one material: it then takes the rest"
            .into(),
        Some(rest) => {
            let MaterialChoice { name, law, .. } = &system.materials[rest];
            format!("the law `{}` of `{}` is for {}", law.text, name.text, stuff[rest].expected())
        }
    };
    system.mesh.file.error(message).help(help).into()
}

/// What a cell is called in messages: its number in the file, its kind and its group.
fn named(mesh: &Mesh, cell: CellId) -> String {
    let kind = mesh.cells[cell.0 as usize].kind.name();
    let group = mesh.groups.iter().find(|g| g.cells.binary_search(&cell).is_ok());
    let group = group.map_or(String::new(), |g| format!(" of group `{}`", g.name));
    format!("element {} ({kind}){group}", tag(mesh, cell))
}

/// The same, with the place of its first node.
fn placed(mesh: &Mesh, cell: CellId) -> String {
    let node = mesh.cells[cell.0 as usize].nodes_of(cell.1 as usize)[0];
    let [x, y, z] = mesh.points[node as usize];
    format!("{} near ({x}, {y}, {z})", named(mesh, cell))
}

fn tag(mesh: &Mesh, cell: CellId) -> u64 {
    mesh.cells[cell.0 as usize].tags[cell.1 as usize]
}

/// The blocks of one material. Labels are places in `cells`.
fn elements(
    mesh: &Mesh,
    cells: &[CellId],
    labels: Range<usize>,
    stuff: &Stuff,
) -> Result<Vec<Box<dyn Elements>>, Error> {
    let mut blocks = Vec::new();
    let mut first = labels.start;
    // A material may own cells of several kinds; within one they follow each other.
    for run in cells[labels].chunk_by(|a, b| a.0 == b.0) {
        let block = &mesh.cells[run[0].0 as usize];
        let named = |label: usize| named(mesh, cells[label]);
        let chosen: Vec<u32>;
        let nodes = if run.len() == block.len() {
            &block.nodes
        } else {
            chosen = run.iter().flat_map(|c| block.nodes_of(c.1 as usize)).copied().collect();
            &chosen
        };
        blocks.extend(stuff.build(&mesh.points, block.kind, nodes, first, &named)?);
        first += run.len();
    }
    Ok(blocks)
}

fn point_masses(mesh: &Mesh, system: &SolidSystem) -> Result<Vec<(u32, f64)>, Error> {
    let mut masses = Vec::new();
    for choice in &system.masses {
        masses.extend(group(mesh, &choice.group)?.nodes.iter().map(|a| (*a, choice.mass)));
    }
    Ok(masses)
}

/// The element made of each cell: by block of the mesh, then cell.
struct AtCell(Vec<Vec<u32>>);

impl AtCell {
    fn new(mesh: &Mesh, solid: &Solid, cells: &[CellId]) -> Self {
        let mut all: Vec<Vec<u32>> = mesh.cells.iter().map(|c| vec![u32::MAX; c.len()]).collect();
        for k in 0..solid.elements() {
            let (block, j) = solid.locate(k);
            let (b, cell) = cells[block.label(j)];
            all[b as usize][cell as usize] = k as u32;
        }
        AtCell(all)
    }

    fn get(&self, (b, k): CellId) -> Option<usize> {
        let element = self.0[b as usize][k as usize];
        (element != u32::MAX).then_some(element as usize)
    }
}

fn of_group(group: &Group, at_cell: &AtCell) -> Vec<u32> {
    group.cells.iter().filter_map(|c| at_cell.get(*c)).map(|k| k as u32).collect()
}

/// A vector of formulas of time and place.
fn field(texts: &[Text], scope: &Scope) -> Result<Arc<Field>, Error> {
    let mut graph = Graph::new();
    let mut scope = scope.clone();
    let nodes: Vec<_> = texts.iter().map(|t| t.lower(&mut graph, &mut scope)).collect::<Result<_, _>>()?;
    Ok(Arc::new(Field::new(&mut graph, &nodes)))
}

/// The field at a place, which must be finite there.
fn value(field: &Field, texts: &[Text], t: f64, place: &[f64; 3]) -> Result<[f64; 3], Error> {
    let value = field.at(t, place).0;
    match (0..texts.len()).find(|i| !value[*i].is_finite()) {
        None => Ok(value),
        Some(i) => {
            let at = format!("({}, {}, {})", place[0], place[1], place[2]);
            Err(texts[i].error(format!("the formula is {} at {at}, time {t}", value[i])).into())
        }
    }
}

fn supports(scenario: &Scenario, system: &SolidSystem, mesh: &Mesh) -> Result<Supports, Error> {
    let scope = scenario.field_scope();
    let mut supports = Supports::new(&mesh.points);
    for (number, support) in system.supports.iter().enumerate() {
        let group = group(mesh, &support.group)?;
        for (direction, text) in support.components.iter().enumerate() {
            let Some(text) = text else { continue };
            let motion = field(std::slice::from_ref(text), &scope)?;
            for node in &group.nodes {
                let point = &mesh.points[*node as usize];
                let at = value(&motion, std::slice::from_ref(text), scenario.start, point)?[0];
                let held = match motion.is_timed() {
                    true => supports.guide(*node, direction, &motion, number),
                    false => supports.fix(*node, direction, at, number),
                };
                held.map_err(|conflict| {
                    let axis = ["x", "y", "z"][conflict.direction];
                    let owner = &system.supports[conflict.owner].name.text;
                    let tag = mesh.point_tags[conflict.node as usize];
                    text.error(format!("node {tag} is held along {axis} by `{owner}` already, elsewhere"))
                        .help(
                            "expected groups without common nodes, or the same constant displacement in both",
                        )
                })?;
            }
        }
    }
    Ok(supports)
}

fn loads(scenario: &Scenario, system: &SolidSystem, sides: &Sides, cells: &[CellId]) -> Result<Loads, Error> {
    let Sides { mesh, solid, at_cell, .. } = *sides;
    let scope = scenario.field_scope();
    let number = |label: usize| tag(mesh, cells[label]);
    let mut builder = LoadsBuilder::default();
    for load in &system.loads {
        let groups: Vec<&Group> =
            load.groups.iter().map(|name| group(mesh, name)).collect::<Result<_, _>>()?;
        let (texts, body): (&[Text], bool) = match &load.kind {
            LoadKind::Body(f) | LoadKind::Acceleration(f) => (f, true),
            LoadKind::Traction(f) | LoadKind::Force(f) => (f, false),
            LoadKind::Pressure(p) => (std::slice::from_ref(p), false),
        };
        let force = field(texts, &scope)?;
        // Only where it acts: 1/X is a fine load on a side far from the origin.
        let everywhere = if groups.is_empty() { 0..mesh.points.len() as u32 } else { 0..0 };
        for node in groups.iter().flat_map(|g| g.nodes.iter().copied()).chain(everywhere) {
            value(&force, texts, scenario.start, &mesh.points[node as usize])?;
        }
        if body {
            let all: Vec<u32> = match groups.is_empty() {
                true => (0..solid.elements() as u32).collect(),
                false => groups.iter().flat_map(|g| of_group(g, at_cell)).collect(),
            };
            if all.is_empty() {
                return Err(load.name.error(format!("load `{}` acts on no element", load.name.text)).into());
            }
            let per_mass = matches!(load.kind, LoadKind::Acceleration(_));
            all.iter().for_each(|k| on_element(&mut builder, solid, *k as usize, per_mass, &force));
            continue;
        }
        for group in groups {
            match load.kind {
                LoadKind::Force(_) => on_nodes(&mut builder, solid, number, group, &force),
                _ => on_sides(&mut builder, sides, group, &force, &load.kind, &load.name)?,
            }
        }
    }
    Ok(builder.finish(&mesh.points, solid.elements()))
}

/// A load on an element's volume or mass.
fn on_element(builder: &mut LoadsBuilder, solid: &Solid, k: usize, per_mass: bool, force: &Arc<Field>) {
    let (block, j) = solid.locate(k);
    let nodes = block.nodes(j);
    let mut share = [0.0; MAX_NODES];
    if per_mass {
        // As the masses are lumped: all nodes of a free body then fall alike.
        block.lumped_mass(j, &mut share);
    } else {
        let (n, mut consistent) = (nodes.len(), [0.0; MAX_NODES * MAX_NODES]);
        block.consistent_mass(j, &mut consistent);
        for (a, share) in share[..n].iter_mut().enumerate() {
            let whole: f64 = consistent[a * n..(a + 1) * n].iter().sum();
            *share = whole / block.mass(j) * block.volume(j);
        }
    }
    for (a, node) in nodes.iter().enumerate() {
        if share[a] != 0.0 {
            builder.dead(k, (a, *node), share[a], force);
        }
    }
}

/// A force on each node of a group, given to the element of the lowest number in the file that has the node, of the first block.
fn on_nodes(
    builder: &mut LoadsBuilder,
    solid: &Solid,
    number: impl Fn(usize) -> u64,
    group: &Group,
    force: &Arc<Field>,
) {
    let mut wanted = vec![false; solid.mass().len()];
    group.nodes.iter().for_each(|a| wanted[*a as usize] = true);
    let mut before = 0;
    for block in solid.blocks() {
        // Number in the file, place and local node of the best so far.
        let mut chosen: BTreeMap<u32, (u64, usize, usize)> = BTreeMap::new();
        for j in 0..block.len() {
            for (local, node) in block.nodes(j).iter().enumerate().filter(|(_, a)| wanted[**a as usize]) {
                let candidate = (number(block.label(j)), before + j, local);
                chosen.entry(*node).and_modify(|best| *best = candidate.min(*best)).or_insert(candidate);
            }
        }
        before += block.len();
        for (node, (_, k, local)) in chosen {
            wanted[node as usize] = false;
            builder.dead(k, (local, node), 1.0, force);
        }
    }
}

/// What loads on sides need to know of the body.
struct Sides<'a> {
    mesh: &'a Mesh,
    solid: &'a Solid,
    at_cell: &'a AtCell,
    /// The thickness of the plane element of a label.
    thickness: &'a dyn Fn(usize) -> f64,
}

/// A traction or a pressure on the sides of a group.
fn on_sides(
    builder: &mut LoadsBuilder,
    Sides { mesh, solid, at_cell, thickness }: &Sides,
    group: &Group,
    force: &Arc<Field>,
    kind: &LoadKind,
    name: &Text,
) -> Result<(), Error> {
    let faces = mesh.boundary_faces(group).map_err(|e| match e {
        Error::Input(d) => Error::from(Diagnostic { help: d.help, ..name.error(d.message) }),
        other => other,
    })?;
    if faces.is_empty() {
        let message = format!("group `{}` of load `{}` has no side of the body", group.name, name.text);
        return Err(name.error(message).help("expected a group on the surface").into());
    }
    for face in faces {
        let Some(k) = at_cell.get(face.cell) else { continue };
        let (block, j) = solid.locate(k);
        let is_edge = matches!(face.kind, CellKind::Line2 | CellKind::Line3);
        let depth = is_edge.then(|| thickness(block.label(j)));
        if let LoadKind::Pressure(_) = kind {
            builder.pressure(k, block.nodes(j), face.nodes(), depth, force);
            continue;
        }
        let shares = Side::new(face.nodes(), depth).shares(mesh.points.as_flattened());
        for (node, share) in face.nodes().iter().zip(shares) {
            let local = block.nodes(j).iter().position(|b| b == node).expect("a side of the element");
            if share != 0.0 {
                builder.dead(k, (local, *node), share, force);
            }
        }
    }
    Ok(())
}

/// Initial positions and velocities.
fn start(
    scenario: &Scenario,
    system: &SolidSystem,
    points: &[[f64; 3]],
) -> Result<(Vec<f64>, Vec<f64>), Error> {
    let scope = scenario.field_scope();
    let mut x = points.as_flattened().to_vec();
    if let Some(InitialShape::Deformation(texts) | InitialShape::Displacement(texts)) = &system.shape {
        let shape = field(texts, &scope)?;
        let whole = matches!(system.shape, Some(InitialShape::Deformation(_)));
        for (a, point) in points.iter().enumerate() {
            let value = value(&shape, texts, scenario.start, point)?;
            for i in 0..3 {
                x[3 * a + i] = if whole { value[i] } else { point[i] + value[i] };
            }
        }
    }
    let mut v = vec![0.0; x.len()];
    if let Some(texts) = &system.velocity {
        let velocity = field(texts, &scope)?;
        for (a, point) in points.iter().enumerate() {
            v[3 * a..3 * a + 3].copy_from_slice(&value(&velocity, texts, scenario.start, point)?);
        }
    }
    Ok((x, v))
}

/// Refuses a start in which an element has no energy.
fn check_start(problem: &Problem, system: &SolidSystem, t: f64, x: &[f64]) -> Result<(), Error> {
    let Err(fault) = has_energy(problem, t, x) else { return Ok(()) };
    let place = match &system.shape {
        Some(InitialShape::Deformation(texts) | InitialShape::Displacement(texts)) => &texts[0].place,
        None => &system.mesh.file.place,
    };
    Err(place
        .error(format!("at the start, {fault}"))
        .help("expected an initial shape that turns no element inside out")
        .into())
}

/// Whether every element has an energy in a configuration.
pub(super) fn has_energy(problem: &Problem, t: f64, x: &[f64]) -> Result<(), PotentialFault> {
    let gradient = problem.solid().gradient(t, x, &mut vec![0.0; x.len()]);
    gradient.map(|_| ()).map_err(|fault| problem.fault(&fault))
}
