//! Keys of solids.

use super::shared::{CLAIM, DESCRIPTION, OUTPUT, OUTPUT_CHECKPOINT, OUTPUT_SERIES, PARAMETERS, START, TITLE};
use super::{Form, Key, UNBOUNDED, VECTOR};

/// All keys; those of materials besides `group` and `law` belong to the laws.
pub(crate) const KEYS: &[Key] = &[
    TITLE,
    DESCRIPTION,
    Key::new(
        "mesh",
        Form::AnyOf(&[Form::Text, Form::Table]),
        "required; the name of the mesh file, or a table",
    ),
    Key::new("material", Form::Materials, "required; a table for each material"),
    Key::new("mass", Form::Tables, "optional; a table for each kind of point mass"),
    Key::new("support", Form::Tables, "optional; a table for each support"),
    Key::new("load", Form::Tables, "optional; a table for each load"),
    Key::new("step", Form::Positive, "optional; one step for all elements, for methods that have one"),
    START,
    Key::new("end", Form::Number, "required; later than `start`"),
    Key::new("integrator", Form::Integrator, "required; a name, or a table with `method` and options"),
    Key::new(
        "observe",
        Form::Observers,
        "optional; the name of an observer or a list of names. `local_energy`, the balance of energy of every element, must be asked for: elements then go one by one, on one thread",
    ),
    CLAIM,
    PARAMETERS,
    Key::new("initial", Form::Table, "optional table; the initial shape and velocity"),
    Key::new("probe", Form::Tables, "optional; a table for each further column"),
    Key::new("local_energy", Form::Table, "optional table"),
    OUTPUT,
    Key::new("mesh.file", Form::Text, "required; the path of the file, from the folder of the scenario"),
    Key::new("mesh.scale", Form::Positive, "optional, 1; the coordinates of the file are multiplied by it"),
    Key::new(
        "mesh.refine",
        Form::Whole { least: 0, most: Some(10) },
        "optional, 0; how many times every line is divided in 2, triangle in 4, tetrahedron in 8. Groups of elements keep their place, sets of nodes gain the new nodes between theirs; elements are numbered anew. What is given for each node, `mass` and `force`, is then given for more of them",
    ),
    Key::new(
        "material.<name>.group",
        Form::AnyOf(&[Form::Text, Form::List { of: &Form::Text, least: 1, most: UNBOUNDED }]),
        "a group of elements or a list of groups; without it, all elements that are left",
    ),
    Key::new("material.<name>.law", Form::Law, "required; the name of the law of elasticity"),
    Key::new("mass.<name>.group", Form::Text, "required; a group of nodes"),
    Key::new("mass.<name>.mass", Form::Positive, "required; mass added to each of these nodes"),
    Key::new("support.<name>.group", Form::Text, "required; a group of nodes"),
    Key::new("support.<name>.fixed", Form::Flag, "`true` holds all components at zero"),
    Key::new("support.<name>.x", Form::Number, "prescribed displacement along x: a formula"),
    Key::new("support.<name>.y", Form::Number, "along y"),
    Key::new("support.<name>.z", Form::Number, "along z"),
    Key::new(
        "load.<name>.group",
        Form::AnyOf(&[Form::Text, Form::List { of: &Form::Text, least: 1, most: UNBOUNDED }]),
        "a group or a list of groups",
    ),
    Key::new("load.<name>.body", VECTOR, "force per volume of the reference shape: a list of formulas, or"),
    Key::new("load.<name>.acceleration", VECTOR, "force per mass, as gravity, or"),
    Key::new("load.<name>.traction", VECTOR, "force per area of the reference shape, of fixed direction, or"),
    Key::new(
        "load.<name>.pressure",
        Form::Number,
        "force per current area against the outward normal, one formula: it follows the surface, or",
    ),
    Key::new("load.<name>.force", VECTOR, "force on each node of the group"),
    Key::new("initial.deformation", VECTOR, "the positions at `start`: a list of formulas, or"),
    Key::new("initial.displacement", VECTOR, "the displacements there"),
    Key::new("initial.velocity", VECTOR, "the velocities there"),
    Key::new(
        "probe.<name>.at",
        VECTOR,
        "required; reference position of a point of the solid, a list of numbers. The nearest node is taken, and named in the results; a warning says if it is farther away than a quarter of its elements",
    ),
    Key::new("probe.<name>.value", Form::Number, "required; a formula"),
    Key::new(
        "local_energy.elements",
        Form::OneOrMany(&Form::Whole { least: 0, most: None }),
        "required; numbers of elements in the mesh file, whose local energy balance is recorded",
    ),
    Key::new(
        "output.rows",
        Form::Whole { least: 1, most: Some(100000000) },
        "optional, 500; rows of `series.csv` after the first",
    ),
    Key::new(
        "output.frames",
        Form::Whole { least: 0, most: Some(1000000) },
        "optional, 20 or as many as rows; frames after the first, at most as many as rows. 0 writes none",
    ),
    Key::new(
        "output.frame_format",
        Form::Words(&["vtu", "xdmf"]),
        r#"optional, `"vtu"`; form of the frames: `"vtu"` or `"xdmf"`. See [frames](results.md#frames)"#,
    ),
    OUTPUT_SERIES,
    OUTPUT_CHECKPOINT,
];
