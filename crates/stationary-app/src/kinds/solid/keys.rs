//! Keys of solids.

use super::spec::ProbeSummary;
use crate::registry::AUTO;
use crate::scenario::keys::shared::{
    CLAIM, DESCRIPTION, OUTPUT, OUTPUT_CHECKPOINT, OUTPUT_SERIES, PARAMETERS, START, TITLE,
};
use crate::scenario::keys::{FORMULAS, Form, IfAbsent, Key, UNBOUNDED, VECTOR};

/// More rows or frames than this are a slip of the pen: they would fill a disk.
const MOST_ROWS: u64 = 100_000_000;
const MOST_FRAMES: u64 = 1_000_000;

/// The word for `initial` that asks for a static equilibrium.
pub(super) const EQUILIBRIUM: &str = "equilibrium";

/// Frames of a run that does not say how many.
pub(super) const USUAL_FRAMES: u64 = 20;

/// Ten halvings make a thousand elements of each along every edge.
const MOST_REFINE: u64 = 10;

const MESH: Form = Form::Name("the name of a mesh file");
const GROUP: Form = Form::Name("the name of a group of the mesh");
/// One group or several.
const GROUPS: Form = Form::AnyOf(&[GROUP, Form::List { of: &GROUP, least: 1, most: UNBOUNDED }]);

/// All keys; those of materials besides `group` and `law` belong to the laws.
pub(crate) const KEYS: &[Key] = &[
    TITLE,
    DESCRIPTION,
    Key::required(
        "mesh",
        Form::AnyOf(&[MESH, Form::Table]),
        r#"mesh = "block.msh""#,
        "the mesh: a Gmsh, VTU or Abaqus file",
    ),
    Key::required(
        "material",
        Form::Materials,
        "[material.NAME] with law, density and the constants of the law",
        "a table for each material",
    ),
    Key::optional("mass", Form::Tables, "a table for each kind of point mass"),
    Key::optional("support", Form::Tables, "a table for each support"),
    Key::optional("load", Form::Tables, "a table for each load"),
    Key::optional("step", Form::Positive, "one step for all elements, for methods that have one"),
    START,
    Key::required("end", Form::Number, "end = 100.0", "later than `start`"),
    Key::new(
        "integrator",
        Form::Integrator,
        IfAbsent::Word(AUTO),
        "the [integrator](integrators.md) and its options; `auto` takes local steps where they pay",
    ),
    Key::optional(
        "observe",
        Form::Observers,
        "what is measured besides. `local_energy`, the balance of energy of every element, must be asked for: elements then go one by one, on one thread",
    ),
    CLAIM,
    PARAMETERS,
    Key::optional(
        "initial",
        Form::AnyOf(&[Form::Words(&[EQUILIBRIUM]), Form::Table]),
        "the initial shape and velocity, or `\"equilibrium\"`: the static equilibrium under the loads and supports at `start`",
    ),
    Key::optional("probe", Form::Tables, "a table for each further column"),
    Key::optional("local_energy", Form::Table, "the elements whose balance of energy is recorded"),
    OUTPUT,
    Key::required(
        "mesh.file",
        MESH,
        r#"file = "block.msh""#,
        "the path of the file, from the folder of the scenario",
    ),
    Key::new(
        "mesh.scale",
        Form::Positive,
        IfAbsent::Number(1.0),
        "the coordinates of the file are multiplied by it",
    ),
    Key::new(
        "mesh.refine",
        Form::Whole { least: 0, most: Some(MOST_REFINE) },
        IfAbsent::Whole(0),
        "how many times every line is divided in 2, triangle in 4, tetrahedron in 8. Groups of elements keep their place, sets of nodes gain the new nodes between theirs; elements are numbered anew. What is given for each node, `mass` and `force`, is then given for more of them",
    ),
    Key::new(
        "material.<name>.group",
        GROUPS,
        IfAbsent::Derived("all elements that are left"),
        "the elements of this material",
    ),
    Key::required(
        "material.<name>.law",
        Form::Law,
        r#"law = "neo-hookean""#,
        "the name of the constitutive law",
    ),
    Key::required(
        "mass.<name>.group",
        GROUP,
        r#"group = "left", the name of a group of the mesh"#,
        "a group of nodes",
    ),
    Key::required(
        "mass.<name>.mass",
        Form::Positive,
        "mass = 0.1, the mass on each node of the group",
        "mass added to each of these nodes",
    ),
    Key::required(
        "support.<name>.group",
        GROUP,
        r#"group = "left", the name of a group of the mesh"#,
        "a group of nodes",
    ),
    Key::new(
        "support.<name>.fixed",
        Form::Flag,
        IfAbsent::Flag(false),
        "`true` holds all components at zero",
    ),
    Key::new(
        "support.<name>.x",
        Form::Formula,
        IfAbsent::Depends { when: "", example: "" },
        "prescribed displacement along x",
    ),
    Key::new("support.<name>.y", Form::Formula, IfAbsent::Depends { when: "", example: "" }, "along y"),
    Key::new("support.<name>.z", Form::Formula, IfAbsent::Depends { when: "", example: "" }, "along z"),
    Key::new(
        "load.<name>.group",
        GROUPS,
        IfAbsent::Depends { when: "required, but for `body` and `acceleration`", example: "" },
        "the groups that it acts on",
    ),
    Key::new(
        "load.<name>.body",
        FORMULAS,
        IfAbsent::Depends { when: "", example: "" },
        "force per volume of the reference shape, or",
    ),
    Key::new(
        "load.<name>.acceleration",
        FORMULAS,
        IfAbsent::Depends { when: "", example: "" },
        "force per mass, as gravity, or",
    ),
    Key::new(
        "load.<name>.traction",
        FORMULAS,
        IfAbsent::Depends { when: "", example: "" },
        "force per area of the reference shape, of fixed direction, or",
    ),
    Key::new(
        "load.<name>.pressure",
        Form::Formula,
        IfAbsent::Depends { when: "", example: "" },
        "force per current area against the outward normal: it follows the surface, or",
    ),
    Key::new(
        "load.<name>.force",
        FORMULAS,
        IfAbsent::Depends { when: "", example: "" },
        "force on each node of the group",
    ),
    Key::new(
        "initial.deformation",
        FORMULAS,
        IfAbsent::Depends { when: "", example: "" },
        "the positions at `start`, or",
    ),
    Key::new(
        "initial.displacement",
        FORMULAS,
        IfAbsent::Depends { when: "", example: "" },
        "the displacements there",
    ),
    Key::new(
        "initial.velocity",
        FORMULAS,
        IfAbsent::Depends { when: "", example: "" },
        "the velocities there",
    ),
    Key::new(
        "initial.equilibrium",
        Form::Flag,
        IfAbsent::Flag(false),
        "`true` starts from the static equilibrium under the loads and supports at `start`, found from the initial shape",
    ),
    Key::new(
        "probe.<name>.at",
        VECTOR,
        IfAbsent::Depends { when: "", example: "at = [1, 0, 0]" },
        "reference position of a point of the solid. The nearest node is taken, and named in the results; a warning says if it is farther away than a quarter of its elements. Or",
    ),
    Key::new(
        "probe.<name>.group",
        GROUP,
        IfAbsent::Depends { when: "", example: r#"group = "fillet""# },
        "a group of the mesh, at all of whose nodes the formula is evaluated",
    ),
    Key::new(
        "probe.<name>.of",
        Form::Words(&ProbeSummary::NAMES),
        IfAbsent::Word(ProbeSummary::NAMES[0]),
        "what is recorded of the values over a group",
    ),
    Key::required(
        "probe.<name>.value",
        Form::Formula,
        r#"value = "y - Y""#,
        "what is recorded there: a formula of `t`, of the reference position `X`, `Y`, `Z`, of `x`, `y`, `z`, `vx`, `vy`, `vz`, and of [stresses and strains](results.md#stresses-at-nodes)",
    ),
    Key::required(
        "local_energy.elements",
        Form::OneOrMany(&Form::Whole { least: 0, most: None }),
        "elements = [12, 57]",
        "numbers of elements in the mesh file, whose local energy balance is recorded",
    ),
    Key::new(
        "output.rows",
        Form::Whole { least: 1, most: Some(MOST_ROWS) },
        IfAbsent::Derived("500; 10 of a static run"),
        "rows of `series.csv` after the first; of a static run the load steps",
    ),
    Key::new(
        "output.frames",
        Form::Whole { least: 0, most: Some(MOST_FRAMES) },
        IfAbsent::Derived("20 or as many as rows"),
        "frames after the first, at most as many as rows. 0 writes none",
    ),
    Key::new(
        "output.frame_format",
        Form::Words(&["vtu", "xdmf"]),
        IfAbsent::Word("vtu"),
        "form of the [frames](results.md#frames)",
    ),
    OUTPUT_SERIES,
    OUTPUT_CHECKPOINT,
];
