//! Keys of rigid bodies.

use crate::scenario::keys::shared::{
    CLAIM, DESCRIPTION, END, OUTPUT, OUTPUT_CHECKPOINT, OUTPUT_EVERY, OUTPUT_SERIES, PARAMETERS, PROBE,
    START, STEP, TITLE,
};
use crate::scenario::keys::{Form, IfAbsent, Key, TRIPLE};

/// All keys.
pub(crate) const KEYS: &[Key] = &[
    TITLE,
    DESCRIPTION,
    Key::required("body", Form::Table, "[body] with mass and inertia", "the body"),
    STEP,
    START,
    END,
    Key::required(
        "integrator",
        Form::Integrator,
        r#"integrator = "euler-poincare""#,
        "`euler-poincare` or `moser-veselov`, and [options](integrators.md)",
    ),
    Key::optional("observe", Form::Observers, "what is measured besides"),
    CLAIM,
    PARAMETERS,
    PROBE,
    OUTPUT,
    Key::new(
        "body.mass",
        Form::Positive,
        IfAbsent::Depends {
            when: "required unless the body is fixed",
            example: "mass = 1.0, or fixed = true for a body held at a point",
        },
        "its mass",
    ),
    Key::required(
        "body.inertia",
        Form::AnyOf(&[TRIPLE, Form::List { of: &TRIPLE, least: 3, most: 3 }]),
        "inertia = [1.0, 2.0, 2.5], the moments about the body's axes, or a 3 by 3 matrix",
        "three moments about the axes of the body, or three rows of three",
    ),
    Key::new(
        "body.position",
        TRIPLE,
        IfAbsent::Number(0.0),
        "the centre of mass at `start`, or the point that is held",
    ),
    Key::new(
        "body.orientation",
        Form::AnyOf(&[Form::List { of: &Form::Number, least: 4, most: 4 }, Form::Table]),
        IfAbsent::Derived("the axes of space"),
        "a quaternion `[w, x, y, z]` of any length but zero, or `{ axis = [x, y, z], angle = a }`",
    ),
    Key::required("body.orientation.axis", TRIPLE, "axis = [0, 1, 0]", "the axis, of any length but zero"),
    Key::required("body.orientation.angle", Form::Number, "angle = 0.3", "the angle about it, in radians"),
    Key::new("body.velocity", TRIPLE, IfAbsent::Number(0.0), "of the centre of mass; not of a fixed body"),
    Key::new("body.angular_velocity", TRIPLE, IfAbsent::Number(0.0), "its components along the body's axes"),
    Key::optional("body.potential", Form::Formula, "potential energy, a [formula](formulas.md)"),
    Key::new("body.fixed", Form::Flag, IfAbsent::Flag(false), "whether the body is held at a point"),
    OUTPUT_EVERY,
    OUTPUT_SERIES,
    OUTPUT_CHECKPOINT,
];
