//! Keys of rigid bodies.

use super::{Form, Key};

/// All keys.
pub(crate) const KEYS: &[Key] = &[
    Key::new("title", Form::Text, "optional; one line for people"),
    Key::new("description", Form::Text, "optional; more lines for people"),
    Key::new("body", Form::Table, "required table"),
    Key::new("step", Form::Positive, "required; the time step, greater than zero"),
    Key::new("start", Form::Number, "optional, 0; the time of the initial state"),
    Key::new(
        "end",
        Form::Number,
        "required; later than `start`. The run makes whole steps, the fewest that reach it",
    ),
    Key::new(
        "integrator",
        Form::Integrator,
        "required; `euler-poincare` or `moser-veselov`, or a table with `method` and [options](integrators.md)",
    ),
    Key::new("observe", Form::Observers, "optional; the name of an observer or a list of names"),
    Key::new("claim", Form::OneOrMany(&Form::Text), "optional; a [claim](#claims) or a list of claims"),
    Key::new(
        "parameters",
        Form::Named(&Form::Number),
        "optional table; numbers, or formulas of the parameters above them",
    ),
    Key::new("probe", Form::Named(&Form::Number), "optional table; [more columns](#probes)"),
    Key::new("output", Form::Table, "optional table"),
    Key::new("body.mass", Form::Positive, "required unless the body is fixed; greater than zero"),
    Key::new(
        "body.inertia",
        Form::AnyOf(&[
            Form::List { of: &Form::Number, least: 3, most: 3 },
            Form::List { of: &Form::List { of: &Form::Number, least: 3, most: 3 }, least: 3, most: 3 },
        ]),
        "required; three moments, or three rows of three",
    ),
    Key::new(
        "body.position",
        Form::List { of: &Form::Number, least: 3, most: 3 },
        "optional, the origin; the centre of mass at `start`, or the point that is held",
    ),
    Key::new(
        "body.orientation",
        Form::AnyOf(&[Form::List { of: &Form::Number, least: 4, most: 4 }, Form::Table]),
        "optional, the axes of space; a quaternion `[w, x, y, z]` of any length but zero, or `{ axis = [x, y, z], angle = a }`",
    ),
    Key::new(
        "body.orientation.axis",
        Form::List { of: &Form::Number, least: 3, most: 3 },
        "required in a table of `orientation`; the axis, of any length but zero",
    ),
    Key::new(
        "body.orientation.angle",
        Form::Number,
        "required in a table of `orientation`; the angle about it",
    ),
    Key::new(
        "body.velocity",
        Form::List { of: &Form::Number, least: 3, most: 3 },
        "optional, 0; of the centre of mass; not of a fixed body",
    ),
    Key::new(
        "body.angular_velocity",
        Form::List { of: &Form::Number, least: 3, most: 3 },
        "optional, 0; its components along the body's axes",
    ),
    Key::new("body.potential", Form::Number, "optional; potential energy, a [formula](formulas.md)"),
    Key::new("body.fixed", Form::Flag, "optional, `false`; whether the body is held at a point"),
    Key::new(
        "output.every",
        Form::Whole { least: 1, most: None },
        "optional; write a row every so many steps. Without it about 2000 rows are written",
    ),
    Key::new(
        "output.series",
        Form::OneOrMany(&Form::Words(&["csv", "parquet"])),
        r#"optional, `"csv"`; form of the series: `"csv"`, `"parquet"` or both in a list. See [its page](results.md#seriesparquet)"#,
    ),
    Key::new(
        "output.checkpoint",
        Form::AtLeast(0.0),
        "optional, 60; seconds of computing between [checkpoints](results.md#checkpoint). 0 writes some twenty a second",
    ),
];
