//! Stage 1: text becomes a checked [`Scenario`], pure data; every error names its line and column.
//!
//! ```toml
//! coordinates = ["x", "y"]        # or a number n: coordinates q0 .. q{n-1}
//! lagrangian = "0.5*m*(vx^2 + vy^2) + k/sqrt(x^2 + y^2)"
//! step = 0.05                     # any number may be a formula of the parameters: "2*pi/200"
//! start = 0.0                     # optional
//! end = 100.0
//! integrator = "verlet"           # or { method = "gauss", stages = 2 }
//! observe = ["symplectic"]        # optional
//! claim = "energy.max_relative_error < 1e-3"   # optional; one or a list
//!
//! [parameters]                    # numbers, or formulas of the parameters above
//! m = 1.0
//! k = 1.0
//!
//! [initial]
//! position = { x = 1.0, y = 0.0 } # a table, a list, or formulas of the coordinate's number `i`
//! velocity = { x = 0.0, y = 1.0 } # or momentum, or next_position
//!
//! [symmetry]                      # infinitesimal generators
//! rotation = ["-y", "x"]
//!
//! [probe]                         # more columns: formulas of t, positions, velocities, momenta
//! radius = "sqrt(x^2 + y^2)"
//!
//! [section]                       # points where a formula crosses zero upward, into sections.csv
//! when = "y"
//! columns = { x = "x", px = "px" }
//!
//! [[draw]]                        # a moving picture in report.html: disc, ellipse, polygon, line, sphere
//! shape = "disc"
//! radius = 0.05
//! at = ["x", "y"]
//!
//! [output]
//! every = 10                      # rows of series.csv
//! series = ["csv", "parquet"]     # optional: series.parquet too
//! checkpoint = 60                 # seconds between checkpoints, from which `--resume` goes on
//! ```
//!
//! **Hamiltonians.** `hamiltonian = "(px^2 + py^2)/2 + ..."` in place of `lagrangian` is a formula of positions and momenta.
//! With `one_form = ["y", "0"]` besides, a formula for each coordinate, the coordinates alone are the state.
//!
//! **Impacts.** `gap = "y - r"` keeps the system where the formula is not negative: it bounces off the rest. A list has
//! several; an entry may be a table with the law of its contact:
//!
//! ```toml
//! gap = ["x", { gap = "y - r", name = "floor", restitution = 0.8, friction = 0.2, slip = "vx + r*vtheta" }]
//! end_impacts = 1000              # the run ends with that impact; `end` may then be left out
//! ```
//!
//! **Names.** The velocity of coordinate `x` is `vx`, its momentum `px`; `q[k]`, `v[k]`, `p[k]` address coordinates
//! by number from 0. No two names may be alike.
//!
//! **Solids.** A scenario with `mesh` in place of `coordinates` and `lagrangian` is about an elastic solid:
//!
//! ```toml
//! mesh = "block.msh"              # relative to the folder of the scenario; or { file = "block.msh", scale = 1e-3 }
//! end = 0.01
//! integrator = { method = "avi", rule = "courant", fraction = 0.1 }
//! [material.steel]
//! group = "body"                  # or a list, or absent: every element that no other material takes
//! law = "neo-hookean"
//! lambda = 93e9                   # all other keys are the constants of the law
//! mu = 10e9
//! density = 7800
//! [support.left]
//! group = "left"
//! fixed = true                    # or displacements along some of x, y, z: formulas of t, X, Y, Z
//! [load.weight]
//! acceleration = [0, -9.81, 0]    # or body; with a group also traction, pressure, force
//! ```
//!
//! **Bodies.** A scenario with `[body]` is about a rigid body, free or held at a point:
//!
//! ```toml
//! step = 0.01
//! end = 100
//! integrator = { method = "euler-poincare", order = 4 }   # or "moser-veselov"
//! [body]
//! mass = 1.0
//! inertia = [1.0, 2.0, 2.5]       # or a 3 by 3 matrix
//! orientation = { axis = [1, 0, 0], angle = 0.6 }   # or a quaternion [w, x, y, z]
//! angular_velocity = [0, 1, 0.01] # in the body; also position, velocity
//! potential = "9.81*z + R33"      # a formula of t, x, y, z and the rotation R11 .. R33
//! fixed = false                   # true: held at a point
//! ```
//!
//! **Many bodies.** A scenario with `[bodies.NAME]` is about rigid bodies that collide with each other and with walls:
//!
//! ```toml
//! space = 2                       # or 3
//! gravity = [0, -9.81]
//! restitution = 0.8               # of all surfaces that do not say; also friction
//! step = 0.01
//! end = 10
//! end_impacts = 1000              # optional: ends the run early
//! integrator = "collisions"
//! [wall.floor]
//! point = [0, 0]                  # and normal; or from and to; or polygon; or box
//! normal = [0, 1]
//! [bodies.ball]
//! shape = "disc"                  # or polygon, with vertices; in space sphere
//! radius = 0.1
//! count = 5                       # positions may be formulas of the number `i`
//! position = ["0.3*i", 1]         # or place = "lattice" or "random" within = [[0, 0], [1, 1]]
//! ```
//!
//! **Many coordinates.** There may be 2000. With `coordinates = n`, the lists of `[initial]` and `[symmetry]` may be shorter than the
//! coordinates: they then repeat, and the formula for coordinate `k` sees `i = k`. In a plane lattice with
//! coordinates x0, y0, x1, y1, ... the rotation is `["-q[i+1]", "q[i-1]"]`.

pub mod claim;
pub mod shipped;

mod clock;
pub(crate) mod constants;
mod given;
pub mod keys;
pub(crate) mod names;
pub(crate) mod options;
pub(crate) mod output;
pub(crate) mod overrides;
pub(crate) mod place;
pub(crate) mod read;
pub(crate) mod readable;
pub(crate) mod section;
mod template;
pub(crate) mod tree;

#[cfg(test)]
mod tests;

use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub use crate::kinds::collisions::{
    BodyBegin, BodyGroup, CollisionSystem, MassSpec, Placement, ShapeSpec, WallKind, WallSpec,
};
pub use crate::kinds::formula::{
    Drawing, DrawnShape, FormulaSystem, GapSpec, Initial, Law, Motion, SectionSpec, Together,
};
pub use crate::kinds::rigid_body::RigidBodySystem;
pub use crate::kinds::solid::{
    InitialShape, Load, LoadKind, MaterialSpec, MeshSpec, PointMass, ProbePlace, ProbeSummary, SolidOutput,
    SolidProbe, SolidSystem, Support,
};
pub use claim::Claim;
pub(crate) use clock::{moves_clock, spacing};
pub use given::Given;
pub use options::{IntegratorSpec, NamedNumber, Numbers, Options, unknown_word};
pub use output::Output;
pub(crate) use overrides::{plain_key, plain_value};
pub use place::{Place, Text};
pub use stationary_report::frames::FrameFormat;
pub use template::Template;

use crate::kinds::{KINDS, SystemKind, SystemSpec};
use stationary::error::{Diagnostic, Error, Source};
use stationary::formula::{Scope, Var};

/// Scenarios longer than this many bytes are refused unread: they are data files given by mistake. The TOML parser
/// takes up to a hundred times as much memory as there is text, so the limit bounds that too.
pub const LONGEST: usize = 500_000;

/// A checked scenario: what every kind of system has, and the system.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Name of the file without folder and ending.
    pub name: String,
    /// Folder of the file, where the files that it names are; none where the text did not come from a file.
    pub folder: Option<PathBuf>,
    /// One line for people.
    pub title: Option<String>,
    /// More lines for people.
    pub description: Option<String>,
    /// The file.
    pub source: Arc<Source>,
    /// What moves.
    pub(crate) system: Arc<dyn SystemSpec>,
    /// Parameters and their values, in the order of the file.
    pub parameters: Vec<(String, f64)>,
    /// Time of the initial state.
    pub start: f64,
    /// Time at which the run ends; later than `start`, and infinite where only [`end_impacts`](Self::end_impacts) ends it.
    pub end: f64,
    /// The run ends with the step in which so many impacts have happened.
    pub end_impacts: Option<u64>,
    /// The integrator and its options.
    pub integrator: IntegratorSpec,
    /// Names of the observers asked for.
    pub observe: Vec<Text>,
    /// What the scenario promises about its results.
    pub claims: Vec<Claim>,
    /// What is written of it.
    pub output: Output,
    /// What `--set` changed, in order: the source's text alone does not say what is run.
    pub overrides: Vec<(String, String)>,
    /// What a program hands over instead of files; nothing in a scenario that was read.
    pub given: Given,
}

impl Scenario {
    /// Reads a scenario from its text. `name` is the file as the user gave it; `overrides` are the keys and values
    /// of `--set`, applied in order.
    ///
    /// ```
    /// use stationary_app::scenario::Scenario;
    /// let text = r#"
    ///     coordinates = ["x"]
    ///     lagrangian = "0.5*vx^2 - 0.5*x^2"
    ///     step = 0.1
    ///     end = 10
    ///     integrator = "verlet"
    ///     initial = { position = [1.0], velocity = [0.0] }
    /// "#;
    /// let overrides = [("step".to_string(), "pi/50".to_string())];
    /// let scenario = Scenario::read("oscillator.toml", text, &overrides)?;
    /// assert_eq!(scenario.formula().unwrap().step, std::f64::consts::PI / 50.0);
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn read(name: &str, text: &str, overrides: &[(String, String)]) -> Result<Scenario, Error> {
        if text.len() > LONGEST {
            return Err(too_long(name, Some(text.len() as u64)).into());
        }
        Self::read_with(KINDS, name, text, overrides)
    }

    /// Reads a scenario of one of some kinds.
    pub(crate) fn read_with(
        kinds: &'static [&'static SystemKind],
        name: &str,
        text: &str,
        overrides: &[(String, String)],
    ) -> Result<Scenario, Error> {
        Ok(read::read(kinds, name, text, overrides)?)
    }

    /// Reads a scenario file; of a file that is too long only the beginning.
    pub fn open(path: &Path, overrides: &[(String, String)]) -> Result<Scenario, Error> {
        Template::open(path)?.read(overrides)
    }

    /// The system, where it is given by its Lagrangian.
    pub fn formula(&self) -> Option<&FormulaSystem> {
        self.system_as()
    }

    /// The system, where it is a solid.
    pub fn solid(&self) -> Option<&SolidSystem> {
        self.system_as()
    }

    /// The system, where it is a rigid body.
    pub fn rigid_body(&self) -> Option<&RigidBodySystem> {
        self.system_as()
    }

    /// The system, where it is made of bodies that collide.
    pub fn collisions(&self) -> Option<&CollisionSystem> {
        self.system_as()
    }

    pub(crate) fn system_as<T: Any>(&self) -> Option<&T> {
        let system: &dyn Any = &*self.system;
        system.downcast_ref()
    }

    /// The kind of the system: `formula`, `solid`, `body` or `bodies`.
    pub fn kind_name(&self) -> &'static str {
        self.system.kind().name
    }

    /// What the moves of a run are called: steps, updates of elements, or impacts.
    pub fn moves_name(&self) -> &'static str {
        self.system.moves_name(&self.integrator)
    }

    /// Whether forces or impacts give or take energy, so that its change is no error of the method.
    pub fn exchanges_energy(&self) -> bool {
        self.system.exchanges_energy()
    }

    /// What formulas of fields over a solid may name: the parameters, the time `t` and the reference position `X`, `Y`,
    /// `Z`, which are the inputs `T` and `Q(0)`, `Q(1)`, `Q(2)`.
    pub fn field_scope(&self) -> Scope {
        crate::kinds::solid::field_scope(&self.parameters)
    }

    /// What formulas of probes of a solid may name: also the position `x`, `y`, `z`, the inputs `Q(3)`, `Q(4)`, `Q(5)`,
    /// and the velocity `vx`, `vy`, `vz`, the inputs `V(0)`, `V(1)`, `V(2)`.
    pub fn probe_scope(&self) -> Scope {
        crate::kinds::solid::probe_scope(&self.parameters)
    }
}

/// The parameters and `t`: what every formula may name.
pub(crate) fn with_time(parameters: &[(String, f64)]) -> Scope {
    let mut scope = Scope::new();
    for (name, value) in parameters {
        scope.constant(name, *value);
    }
    scope.variable("t", Var::T);
    scope
}

fn too_long(name: &str, length: Option<u64>) -> Diagnostic {
    let length = length.map_or("more".to_string(), |l| format!("{:.1} MB", l as f64 / 1e6));
    let mut diagnostic =
        Diagnostic::new(format!("too long for a scenario: {length}, at most {} MB", LONGEST as f64 / 1e6))
            .help("a scenario states formulas and a few numbers; is this another file?");
    diagnostic.source = Some(Arc::new(Source { name: name.to_string(), text: String::new() }));
    diagnostic
}

fn not_utf8(name: &str, error: &std::string::FromUtf8Error) -> Diagnostic {
    let at = error.utf8_error().valid_up_to();
    // Every byte before `at` is valid, so the replacement of later ones cannot move the place.
    let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
    let source = Arc::new(Source { name: name.to_string(), text });
    Diagnostic::new("not UTF-8 text").at(&source, at..at + 1).help("save the scenario as UTF-8")
}
