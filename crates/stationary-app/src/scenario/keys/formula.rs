//! Keys of systems given by formulas.

use super::shared::{
    CLAIM, DESCRIPTION, OUTPUT, OUTPUT_CHECKPOINT, OUTPUT_SERIES, PARAMETERS, PROBE, START, STEP, TITLE,
};
use super::{Form, Key, PATTERN, STATE, UNBOUNDED};

/// All keys.
pub(crate) const KEYS: &[Key] = &[
    TITLE,
    DESCRIPTION,
    Key::new(
        "coordinates",
        Form::AnyOf(&[
            Form::List { of: &Form::Text, least: 1, most: 2000 },
            Form::Whole { least: 1, most: Some(2000) },
        ]),
        "required; a list of names, or a number `n`: coordinates `q0` to `q{n-1}`",
    ),
    Key::new(
        "lagrangian",
        Form::Text,
        "required, unless there is a `hamiltonian`; `L(t, q, v)`, a [formula](formulas.md)",
    ),
    Key::new(
        "hamiltonian",
        Form::Text,
        "in place of `lagrangian`; [`H(t, q, p)`](#hamiltonians), or `H(t, q)` with a one-form",
    ),
    Key::new(
        "one_form",
        PATTERN,
        "optional, with `hamiltonian`; a list of formulas `theta(q)`, one for each coordinate",
    ),
    Key::new(
        "constraint",
        Form::OneOrMany(&Form::Text),
        "optional, with `lagrangian`; a formula of `t` and the positions that must vanish, or a list of them: [constraints](#constraints)",
    ),
    Key::new(
        "force",
        PATTERN,
        "optional, with `lagrangian`; [forces](#forces) that come from no potential, one formula of `t`, positions and velocities for each coordinate",
    ),
    Key::new(
        "gap",
        Form::OneOrMany(&Form::AnyOf(&[Form::Text, Form::Table])),
        "optional, with `lagrangian`; where the system may be: a formula of `t` and the positions that must not become negative, a table with such a `gap`, or a list of them: [impacts](impacts.md)",
    ),
    Key::new(
        "simultaneous",
        Form::Words(&["projection", "sequence"]),
        r#"optional, with `gap`; `"projection"`, or `"sequence"`: how [several gaps that close at once](impacts.md#several-gaps-at-once) act"#,
    ),
    Key::new(
        "reduce",
        Form::OneOrMany(&Form::Text),
        "optional, with `lagrangian`; the name of a [cyclic coordinate](#cyclic-coordinates) to be eliminated, or a list of names",
    ),
    STEP,
    START,
    Key::new(
        "end",
        Form::Number,
        "required, unless there is `end_impacts`; later than `start`. The run makes whole steps, the fewest that reach it",
    ),
    Key::new(
        "end_impacts",
        Form::Whole { least: 1, most: None },
        "optional, with `gap`; the run ends with the step in which so many bounces have happened, or where there is no `end` after ten million steps without one",
    ),
    Key::new(
        "integrator",
        Form::Integrator,
        r#"required; a name, or a table with `method` and [options](integrators.md), such as [`step = "energy"`](integrators.md#steps-chosen-by-the-energy)"#,
    ),
    Key::new(
        "observe",
        Form::Observers,
        "optional; the name of an observer or a list of names. `symplectic`, `modified_energy` and `loop_area` are those that must be asked for",
    ),
    CLAIM,
    PARAMETERS,
    Key::new("initial", Form::Table, "required table; the [initial state](#initial-state)"),
    Key::new("symmetry", Form::Named(&PATTERN), "optional table; [infinitesimal generators](#symmetries)"),
    PROBE,
    Key::new("section", Form::Table, "optional table; a [Poincare section](#sections)"),
    Key::new(
        "draw",
        Form::Drawings,
        "optional list of tables, each below a line `[[draw]]`; a [moving picture](#drawing) in `report.html`",
    ),
    OUTPUT,
    Key::new("initial.position", STATE, "required; the positions at `start`"),
    Key::new("initial.velocity", STATE, "the velocities there, or"),
    Key::new("initial.momentum", STATE, "the momenta there, or"),
    Key::new("initial.next_position", STATE, "the positions one step later"),
    Key::new("section.when", Form::Number, "required in `section`; the formula that crosses zero upward"),
    Key::new(
        "section.columns",
        Form::Named(&Form::Number),
        "required in `section`; a table of formulas by name: what is recorded there",
    ),
    Key::new("gap.gap", Form::Text, "required in a table of `gap`; the formula"),
    Key::new(
        "gap.name",
        Form::Text,
        "optional; a name of the gap for results and messages. Without one: `gap 1`, `gap 2`, ...",
    ),
    Key::new(
        "gap.restitution",
        Form::Between(0.0, 1.0),
        "optional, 1; rate of opening after an impact over that of closing before it, from 0 to 1",
    ),
    Key::new("gap.friction", Form::AtLeast(0.0), "optional, 0; Coulomb's coefficient"),
    Key::new(
        "gap.slip",
        Form::OneOrMany(&Form::Number),
        "optional; velocity with which the touching points pass each other, linear in the velocities, or a list of such",
    ),
    Key::new(
        "gap.at",
        Form::List { of: &Form::Number, least: 2, most: 3 },
        "optional; where impacts are shown in the moving picture, two or three formulas",
    ),
    Key::new(
        "output.every",
        Form::Whole { least: 1, most: None },
        "optional; write a row every so many steps. Without it about 2000 rows are written; where no `end` is given each of the first 2000 steps, then every other up to 4000, every fourth up to 8000 and so on",
    ),
    OUTPUT_SERIES,
    OUTPUT_CHECKPOINT,
];

/// Keys of `[[draw]]`; each shape has some of them.
pub(crate) const DRAW: &[Key] = &[
    Key::new(
        "shape",
        Form::Shape,
        "required; `disc`, `ellipse` or `polygon` in the plane, `sphere` in space, `line` in either",
    ),
    Key::new(
        "at",
        Form::List { of: &Form::Number, least: 2, most: 3 },
        r#"required, but for lines; where the centre is: `["x", "y"]`, or three formulas in space"#,
    ),
    Key::new(
        "angle",
        Form::Number,
        "optional, for shapes of the plane; by which angle it is turned, in radians. It is drawn as it is given: where it jumps, the picture does",
    ),
    Key::new("radius", Form::Positive, "of a disc or a sphere; greater than zero"),
    Key::new(
        "semi_axes",
        Form::List { of: &Form::Positive, least: 2, most: 2 },
        "of an ellipse; half its axes, along its own x and y",
    ),
    Key::new(
        "points",
        Form::List { of: &Form::List { of: &Form::Number, least: 2, most: 2 }, least: 3, most: UNBOUNDED },
        "of a polygon; its corners in its own coordinates, three or more: `[[0, 0], [1, 0], [0, 1]]`",
    ),
    Key::new(
        "from",
        Form::List { of: &Form::Number, least: 2, most: 3 },
        "of a line; where it begins, like `at`",
    ),
    Key::new("to", Form::List { of: &Form::Number, least: 2, most: 3 }, "of a line; where it ends"),
    Key::new(
        "name",
        Form::Text,
        "optional; its name in the key of colours. Shapes of one name share a colour, lines without a name have that of text",
    ),
    Key::new(
        "count",
        Form::Whole { least: 1, most: Some(2000) },
        "optional; draws so many of them, for which the formulas of places, angles and sizes see `i` = 0, 1 and so on",
    ),
];
