//! Keys of systems given by formulas.

use crate::scenario::keys::shared::{
    CLAIM, DESCRIPTION, OUTPUT, OUTPUT_CHECKPOINT, OUTPUT_SERIES, PARAMETERS, PROBE, START, STEP, TITLE,
};
use crate::scenario::keys::{FORMULAS, Form, IN_QUOTES, IfAbsent, Key, PAIR, PATTERN, STATE, UNBOUNDED};

/// Matrices over the coordinates are dense: beyond this they would take gigabytes.
const MOST_COORDINATES: u64 = 2_000;

/// Shapes of a picture in all: each moment of it has to hold them.
pub(super) const MOST_DRAWINGS: u64 = 2_000;

/// All keys.
pub(crate) const KEYS: &[Key] = &[
    TITLE,
    DESCRIPTION,
    Key::required(
        "coordinates",
        Form::AnyOf(&[
            Form::List { of: &Form::Name("a name in quotes"), least: 1, most: MOST_COORDINATES as usize },
            Form::Whole { least: 1, most: Some(MOST_COORDINATES) },
        ]),
        r#"coordinates = ["x", "y"]"#,
        "their names, or how many there are, `n`: coordinates `q0` to `q{n-1}`",
    ),
    Key::new(
        "lagrangian",
        IN_QUOTES,
        IfAbsent::Depends {
            when: "required, unless there is a `hamiltonian`",
            example: r#"lagrangian = "0.5*m*(vx^2 + vy^2) - m*g*y""#,
        },
        "`L(t, q, v)`, a [formula](formulas.md)",
    ),
    Key::new(
        "hamiltonian",
        IN_QUOTES,
        IfAbsent::Depends { when: "", example: "" },
        "in place of `lagrangian`; [`H(t, q, p)`](#hamiltonians), or `H(t, q)` with a one-form",
    ),
    Key::new(
        "one_form",
        PATTERN,
        IfAbsent::Depends { when: "optional, with `hamiltonian`", example: "" },
        "a list of formulas `theta(q)`, one for each coordinate",
    ),
    Key::new(
        "constraint",
        Form::OneOrMany(&IN_QUOTES),
        IfAbsent::Depends { when: "optional, with `lagrangian`", example: "" },
        "a formula of `t` and the positions that must vanish: [constraints](#constraints)",
    ),
    Key::new(
        "force",
        PATTERN,
        IfAbsent::Depends { when: "optional, with `lagrangian`", example: "" },
        "[forces](#forces) that come from no potential, one formula of `t`, positions and velocities for each coordinate",
    ),
    Key::new(
        "gap",
        Form::OneOrMany(&Form::AnyOf(&[IN_QUOTES, Form::Table])),
        IfAbsent::Depends { when: "optional, with `lagrangian`", example: "" },
        "where the system may be: a formula of `t` and the positions that must not become negative, or a table with such a `gap`: [impacts](impacts.md)",
    ),
    Key::new(
        "simultaneous",
        Form::Words(&["projection", "sequence"]),
        IfAbsent::Word("projection"),
        "with `gap`; how [several gaps that close at once](impacts.md#several-gaps-at-once) act",
    ),
    Key::new(
        "reduce",
        Form::OneOrMany(&Form::Name("the name of a cyclic coordinate")),
        IfAbsent::Depends { when: "optional, with `lagrangian`", example: "" },
        "the [cyclic coordinates](#cyclic-coordinates) to be eliminated",
    ),
    STEP,
    START,
    Key::new(
        "end",
        Form::Number,
        IfAbsent::Depends {
            when: "required, unless there is `end_impacts`",
            example: "end = 100.0, or with `gap` also end_impacts = 1000",
        },
        "later than `start`. The run makes whole steps, the fewest that reach it",
    ),
    Key::new(
        "end_impacts",
        Form::Whole { least: 1, most: None },
        IfAbsent::Depends { when: "optional, with `gap`", example: "" },
        "the run ends with the step in which so many bounces have happened, or where there is no `end` after ten million steps without one",
    ),
    Key::required(
        "integrator",
        Form::Integrator,
        r#"integrator = "verlet""#,
        r#"the [integrator](integrators.md), with options such as [`step = "energy"`](integrators.md#steps-chosen-by-the-energy)"#,
    ),
    Key::optional(
        "observe",
        Form::Observers,
        "what is measured besides. `symplectic`, `modified_energy` and `loop_area` are those that must be asked for",
    ),
    CLAIM,
    PARAMETERS,
    Key::required(
        "initial",
        Form::Table,
        "[initial] with position and velocity",
        "the [initial state](#initial-state)",
    ),
    Key::optional("symmetry", Form::Named(&PATTERN), "[infinitesimal generators](#symmetries)"),
    PROBE,
    Key::optional("section", Form::Table, "a [Poincare section](#sections)"),
    Key::optional("draw", Form::Drawings, "a [moving picture](#drawing) in `report.html`"),
    OUTPUT,
    Key::required(
        "initial.position",
        STATE,
        "position = [1.0], and one of velocity, momentum, next_position",
        "the positions at `start`",
    ),
    Key::new(
        "initial.velocity",
        STATE,
        IfAbsent::Depends { when: "", example: "" },
        "the velocities there, or",
    ),
    Key::new("initial.momentum", STATE, IfAbsent::Depends { when: "", example: "" }, "the momenta there, or"),
    Key::new(
        "initial.next_position",
        STATE,
        IfAbsent::Depends { when: "", example: "" },
        "the positions one step later",
    ),
    Key::required(
        "section.when",
        Form::Formula,
        r#"when = "x", a formula that crosses zero upward"#,
        "the formula that crosses zero upward",
    ),
    Key::required(
        "section.columns",
        Form::Named(&Form::Formula),
        r#"columns = { y = "y", py = "py" }"#,
        "what is recorded there, by name",
    ),
    Key::required(
        "gap.gap",
        IN_QUOTES,
        r#"gap = "y", a formula that must not become negative"#,
        "the formula",
    ),
    Key::optional(
        "gap.name",
        Form::Name("a name in quotes"),
        "a name of the gap for results and messages. Without one: `gap 1`, `gap 2`, ...",
    ),
    Key::new(
        "gap.restitution",
        Form::Between(0.0, 1.0),
        IfAbsent::Number(1.0),
        "rate of opening after an impact over that of closing before it: 0 is plastic, 1 elastic",
    ),
    Key::new("gap.friction", Form::AtLeast(0.0), IfAbsent::Number(0.0), "Coulomb's coefficient"),
    Key::optional(
        "gap.slip",
        Form::OneOrMany(&Form::Formula),
        "velocity with which the touching points pass each other, linear in the velocities",
    ),
    Key::optional("gap.at", FORMULAS, "where impacts are shown in the moving picture"),
    Key::optional(
        "output.every",
        Form::Whole { least: 1, most: None },
        "write a row every so many steps. Without it about 2000 rows are written; where no `end` is given each of the first 2000 steps, then every other up to 4000, every fourth up to 8000 and so on",
    ),
    OUTPUT_SERIES,
    OUTPUT_CHECKPOINT,
];

/// Keys of `[[draw]]`; each shape has some of them.
pub(crate) const DRAW: &[Key] = &[
    Key::required(
        "shape",
        Form::Shape,
        r#"shape = "disc""#,
        "`disc`, `ellipse` or `polygon` in the plane, `sphere` in space, `line` in either",
    ),
    Key::new(
        "at",
        FORMULAS,
        IfAbsent::Depends { when: "required, but for lines", example: r#"at = ["x", "y"]"# },
        r#"where the centre is, two formulas in the plane and three in space: `["x", "y"]`"#,
    ),
    Key::new(
        "angle",
        Form::Formula,
        IfAbsent::Depends { when: "optional, for shapes of the plane", example: "" },
        "by which angle it is turned, in radians. It is drawn as it is given: where it jumps, the picture does",
    ),
    Key::new(
        "radius",
        Form::Positive,
        IfAbsent::Depends { when: "", example: "radius = 0.1" },
        "of a disc or a sphere",
    ),
    Key::new(
        "semi_axes",
        Form::List { of: &Form::Positive, least: 2, most: 2 },
        IfAbsent::Depends { when: "", example: "semi_axes = [0.5, 0.25]" },
        "of an ellipse; half its axes, along its own x and y",
    ),
    Key::new(
        "points",
        Form::List { of: &PAIR, least: 3, most: UNBOUNDED },
        IfAbsent::Depends { when: "", example: "points = [[0, 0], [1, 0], [0, 1]]" },
        "of a polygon; its corners in its own coordinates: `[[0, 0], [1, 0], [0, 1]]`",
    ),
    Key::new(
        "from",
        FORMULAS,
        IfAbsent::Depends { when: "", example: r#"from = ["0", "0"]"# },
        "of a line; where it begins, like `at`",
    ),
    Key::new(
        "to",
        FORMULAS,
        IfAbsent::Depends { when: "", example: r#"to = ["l*sin(a)", "-l*cos(a)"]"# },
        "of a line; where it ends",
    ),
    Key::optional(
        "name",
        Form::Text,
        "its name in the key of colours. Shapes of one name share a colour, lines without a name have that of text",
    ),
    Key::optional(
        "count",
        Form::Whole { least: 1, most: Some(MOST_DRAWINGS) },
        "draws so many of them, for which the formulas of places, angles and sizes see `i` = 0, 1 and so on",
    ),
];

/// The shapes of `[[draw]]`, and the keys of each besides `shape`.
pub(crate) const DRAWINGS: [(&str, &[&str]); 5] = [
    ("disc", &["name", "count", "at", "angle", "radius"]),
    ("ellipse", &["name", "count", "at", "angle", "semi_axes"]),
    ("polygon", &["name", "count", "at", "angle", "points"]),
    ("line", &["name", "count", "from", "to"]),
    ("sphere", &["name", "count", "at", "radius"]),
];
