//! Keys of rigid bodies.

use super::shared::{
    CLAIM, DESCRIPTION, END, OUTPUT, OUTPUT_CHECKPOINT, OUTPUT_EVERY, OUTPUT_SERIES, PARAMETERS, PROBE,
    START, STEP, TITLE,
};
use super::{Form, Key};

/// All keys.
pub(crate) const KEYS: &[Key] = &[
    TITLE,
    DESCRIPTION,
    Key::new("body", Form::Table, "required table"),
    STEP,
    START,
    END,
    Key::new(
        "integrator",
        Form::Integrator,
        "required; `euler-poincare` or `moser-veselov`, or a table with `method` and [options](integrators.md)",
    ),
    Key::new("observe", Form::Observers, "optional; the name of an observer or a list of names"),
    CLAIM,
    PARAMETERS,
    PROBE,
    OUTPUT,
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
    OUTPUT_EVERY,
    OUTPUT_SERIES,
    OUTPUT_CHECKPOINT,
];
