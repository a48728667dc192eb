//! A solid: a mesh with materials, supports, loads and an initial state. Formulas are text that has been found to parse
//! and to name only what it may; groups and element numbers are held against the mesh by who builds the model.

use super::fields;
use crate::scenario::options::Options;
use crate::scenario::place::{Place, Text};
use crate::scenario::with_time;
use stationary::formula::{Scope, Var};
use stationary_report::frames::FrameFormat;

/// A mesh with materials, supports and loads.
#[derive(Debug, Clone)]
pub struct SolidSystem {
    /// The mesh file.
    pub mesh: MeshSpec,
    /// What the body is made of; at least one.
    pub materials: Vec<MaterialSpec>,
    /// Masses beyond those of the elements.
    pub masses: Vec<PointMass>,
    /// Prescribed displacements.
    pub supports: Vec<Support>,
    /// Forces.
    pub loads: Vec<Load>,
    /// The initial shape, where it differs from that of the mesh.
    pub shape: Option<InitialShape>,
    /// Where the static equilibrium at the start was asked for.
    pub equilibrium: Option<Place>,
    /// The initial velocity, where there is one: formulas of `t`, `X`, `Y`, `Z`.
    pub velocity: Option<[Text; 3]>,
    /// Further columns.
    pub probes: Vec<SolidProbe>,
    /// Elements whose local energy residual is recorded: their numbers in the mesh file.
    pub local_energy: Vec<(u64, Place)>,
    /// One step for all elements, for synchronous methods; positive, and large enough to move the clock.
    pub step: Option<(f64, Place)>,
    /// How much is written.
    pub output: SolidOutput,
}

/// A mesh file.
#[derive(Debug, Clone)]
pub struct MeshSpec {
    /// Its path, relative to the folder of the scenario file.
    pub file: Text,
    /// Its coordinates are multiplied by this; positive.
    pub scale: f64,
    /// How many times every element is divided: triangles in four, tetrahedra in eight.
    pub refine: u32,
}

/// A material and where it is.
#[derive(Debug, Clone)]
pub struct MaterialSpec {
    /// Its name and where it was written.
    pub name: Text,
    /// Groups of elements; none means every element that no other material takes.
    pub groups: Vec<Text>,
    /// The name of the constitutive law.
    pub law: Text,
    /// Every other key: the constants of the law.
    pub options: Options,
}

/// Additional mass on nodes.
#[derive(Debug, Clone)]
pub struct PointMass {
    /// Its name and where it was written.
    pub name: Text,
    /// The group of nodes.
    pub group: Text,
    /// The mass on each of them; positive.
    pub mass: f64,
}

/// Nodes whose displacement is prescribed, component by component.
#[derive(Debug, Clone)]
pub struct Support {
    /// Its name and where it was written.
    pub name: Text,
    /// The group of nodes.
    pub group: Text,
    /// The prescribed displacement along x, y, z: formulas of `t`, `X`, `Y`, `Z`. At least one component has one.
    pub components: [Option<Text>; 3],
}

/// A force and where it acts.
#[derive(Debug, Clone)]
pub struct Load {
    /// Its name and where it was written.
    pub name: Text,
    /// The groups it acts on; none means the whole body, and only loads on the body have none.
    pub groups: Vec<Text>,
    /// What it is.
    pub kind: LoadKind,
}

/// The kinds of loads: formulas of `t`, `X`, `Y`, `Z`.
#[derive(Debug, Clone)]
pub enum LoadKind {
    /// Force per reference volume.
    Body([Text; 3]),
    /// Force per mass, as gravity.
    Acceleration([Text; 3]),
    /// Force per reference area, of fixed direction.
    Traction([Text; 3]),
    /// Force per current area against the outward normal: it follows the surface.
    Pressure(Text),
    /// Force on each node of the group.
    Force([Text; 3]),
}

/// The two ways to state an initial shape: formulas of `t`, `X`, `Y`, `Z`.
#[derive(Debug, Clone)]
pub enum InitialShape {
    /// Where each point is.
    Deformation([Text; 3]),
    /// How far each point is from its reference position.
    Displacement([Text; 3]),
}

/// A column: a formula at a material point.
#[derive(Debug, Clone)]
pub struct SolidProbe {
    /// Its name, the name of the column, and where it was written.
    pub name: Text,
    /// Where it is.
    pub at: ProbePlace,
    /// Where that was written.
    pub place: Place,
    /// A formula of `t`, `X`, `Y`, `Z`, `x`, `y`, `z`, `vx`, `vy`, `vz` and of stresses and strains.
    pub value: Text,
}

/// Where a probe is.
#[derive(Debug, Clone)]
pub enum ProbePlace {
    /// At the node nearest to a reference position.
    Near {
        /// The position.
        at: [f64; 3],
    },
    /// At all nodes of a group.
    Group {
        /// Its name.
        group: Text,
        /// What the column has of the values there.
        of: ProbeSummary,
    },
}

/// One number for the values of a probe over a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeSummary {
    /// The largest.
    Max,
    /// The smallest.
    Min,
    /// The mean over the nodes.
    Mean,
}

impl ProbeSummary {
    /// The names, in the order of [`ALL`](Self::ALL).
    pub(super) const NAMES: [&str; 3] = ["max", "min", "mean"];
    const ALL: [ProbeSummary; 3] = [ProbeSummary::Max, ProbeSummary::Min, ProbeSummary::Mean];

    /// By name.
    pub(super) fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().position(|known| *known == name).map(|k| Self::ALL[k])
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }
}

/// How much a run of a solid writes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SolidOutput {
    /// Rows of the series after the first; at least one.
    pub rows: u64,
    /// Frames after the first, at most as many as rows; 0 means that none are written.
    pub frames: u64,
    /// The form of the frames.
    pub format: FrameFormat,
}

/// Names with a fixed meaning in formulas of solids.
pub(super) const RESERVED_NAMES: [(&str, &str); 9] = [
    ("X", "a reference position"),
    ("Y", "a reference position"),
    ("Z", "a reference position"),
    ("x", "a position"),
    ("y", "a position"),
    ("z", "a position"),
    ("vx", "a velocity"),
    ("vy", "a velocity"),
    ("vz", "a velocity"),
];

/// The names of reference positions, positions and velocities in formulas of solids.
const REFERENCE: [&str; 3] = ["X", "Y", "Z"];
const POSITION: [&str; 3] = ["x", "y", "z"];
const VELOCITY: [&str; 3] = ["vx", "vy", "vz"];

/// What formulas of fields may name; see [`super::Scenario::field_scope`].
pub(crate) fn field_scope(parameters: &[(String, f64)]) -> Scope {
    let mut scope = with_time(parameters);
    for (k, name) in (0..).zip(REFERENCE) {
        scope.variable(name, Var::Q(k));
    }
    for name in POSITION.into_iter().chain(VELOCITY) {
        scope.withhold(name, "positions x, y, z and velocities are named in probes only: write X, Y, Z, the reference position");
    }
    scope
}

/// What formulas of probes may name; see [`super::Scenario::probe_scope`].
pub(crate) fn probe_scope(parameters: &[(String, f64)]) -> Scope {
    let mut scope = field_scope(parameters);
    for k in 0..3 {
        scope.variable(POSITION[k], Var::Q(3 + k as u32));
        scope.variable(VELOCITY[k], Var::V(k as u32));
    }
    fields::allow(&mut scope, parameters);
    scope
}
