//! From a scenario to a body that can move: mesh, materials, masses, supports, loads, initial state.

use super::boundary::{field, supports, value};
use super::elements::{AtCell, assign, elements, of_group, point_masses};
use super::given;
use super::loads::{Sides, loads};
use super::material;
use super::mesh_file::{group, mesh, node_numbers};
use crate::scenario::{InitialShape, ProbePlace, Scenario, SolidSystem};
use stationary::error::Error;
use stationary::interrupt;
use stationary::mesh::{CellId, Mesh};
use stationary::model::solid::{Solid, SolidProblem};
use stationary::model::{PotentialFault, Potentials};
use std::sync::Arc;

/// A body with all that acts on it, and where it starts.
pub(super) struct Body {
    pub problem: Arc<SolidProblem>,
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
    /// The nodes of elements in each group that a probe looks at.
    pub probed: Vec<(String, Vec<u32>)>,
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
    let element_materials = material::read(scenario, system)?;
    let (cells, materials) = assign(&mesh, system, &element_materials)?;
    let mut blocks = Vec::new();
    let mut first = 0;
    for (end, material) in materials.iter().zip(&element_materials) {
        blocks.extend(elements(&mesh, &cells, first..*end, material)?);
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
    let depth = |label: usize| element_materials[materials.partition_point(|end| *end <= label)].depth();
    let sides = Sides { mesh: &mesh, solid: &solid, at_cell: &at_cell, depth: &depth };
    let loads = loads(scenario, system, &sides, &cells)?;
    interrupt::check()?;
    let supports = supports(scenario, system, &mesh)?;
    let tags = cells.iter().map(|c| mesh.cells[c.0 as usize].tags[c.1 as usize]).collect();
    let (mut x, mut v) = match &scenario.given.state {
        Some(state) => given::start(state, system, places.as_deref(), mesh.points.len())?,
        None => start(scenario, system, &mesh.points)?,
    };
    let probed = probed_groups(system, &mesh, &solid)?;
    let groups = mesh.groups.iter().map(|g| (g.name.clone(), of_group(g, &at_cell))).collect();
    let alpha = |k: usize| {
        let (block, j) = solid.locate(k);
        let label = block.label(j);
        element_materials[materials.partition_point(|end| *end <= label)].mass_damping
    };
    let alpha: Vec<f64> = (0..solid.elements()).map(alpha).collect();
    let problem = SolidProblem::new(solid, loads, supports, tags).with_mass_damping(|k| alpha[k]);
    let problem = Arc::new(problem);
    if let Some(supports) = problem.supports() {
        supports.impose(scenario.start, &mut x, &mut v);
    }
    interrupt::check()?;
    check_start(&problem, system, scenario.start, &x)?;
    let (cells, blocks, given) = (of_labels, of_blocks, given::known(bytes, scenario));
    let numbers = node_numbers(&mesh, places.as_deref());
    let notes = mesh.notes;
    Ok(Body { problem, x, v, materials, groups, given, places, numbers, probed, notes, cells, blocks })
}

/// The groups that probes look at, with those of their nodes that elements have.
fn probed_groups(system: &SolidSystem, mesh: &Mesh, solid: &Solid) -> Result<Vec<(String, Vec<u32>)>, Error> {
    let mut has_element = vec![false; mesh.points.len()];
    let all = (0..solid.elements()).flat_map(|k| Potentials::nodes(solid, k));
    all.for_each(|a| has_element[*a as usize] = true);
    let mut probed = Vec::new();
    for probe in &system.probes {
        if let ProbePlace::Group { group: name, .. } = &probe.at {
            let nodes = group(mesh, name)?.nodes.iter().copied().filter(|a| has_element[*a as usize]);
            probed.push((name.text.clone(), nodes.collect()));
        }
    }
    Ok(probed)
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
fn check_start(problem: &SolidProblem, system: &SolidSystem, t: f64, x: &[f64]) -> Result<(), Error> {
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
pub(super) fn has_energy(problem: &SolidProblem, t: f64, x: &[f64]) -> Result<(), PotentialFault> {
    let gradient = problem.solid().gradient(t, x, &mut vec![0.0; x.len()]);
    gradient.map(|_| ()).map_err(|fault| problem.fault(&fault))
}
