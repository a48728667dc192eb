//! Keys of bodies that collide.

use super::shared::{
    CLAIM, DESCRIPTION, END, OUTPUT, OUTPUT_CHECKPOINT, OUTPUT_EVERY, OUTPUT_SERIES, PARAMETERS, START, TITLE,
};
use super::{Form, Key, VECTOR};

/// All keys.
pub(crate) const KEYS: &[Key] = &[
    TITLE,
    DESCRIPTION,
    Key::new("space", Form::Whole { least: 2, most: Some(3) }, "optional, 2; 2 for the plane, 3 for space"),
    Key::new("gravity", VECTOR, "optional, 0; acceleration by gravity"),
    Key::new(
        "restitution",
        Form::Between(0.0, 1.0),
        "optional, 1; coefficient of restitution, 0 to 1, of surfaces that do not have their own",
    ),
    Key::new("friction", Form::AtLeast(0.0), "optional, 0; coefficient of Coulomb friction of such surfaces"),
    Key::new("wall", Form::Tables, "optional table of walls by name"),
    Key::new("bodies", Form::Tables, "required table of bodies by name; those of a kind together"),
    Key::new(
        "step",
        Form::Positive,
        "required; the window in which impacts are searched for and after which the state is looked at",
    ),
    START,
    END,
    Key::new(
        "end_impacts",
        Form::Whole { least: 1, most: None },
        "optional; the run ends with this impact, if it comes before `end`",
    ),
    Key::new(
        "integrator",
        Form::Integrator,
        "required; `collisions`, or a table with `method` and [options](integrators.md#collisions)",
    ),
    Key::new(
        "observe",
        Form::Observers,
        "optional; the name of an observer or a list of names; all that suit are always on",
    ),
    CLAIM,
    PARAMETERS,
    OUTPUT,
    Key::new(
        "wall.<name>.point",
        VECTOR,
        "with `normal`: a point of a line of the plane, or of a plane of space; all beyond it is solid",
    ),
    Key::new("wall.<name>.normal", VECTOR, "of any length but zero, to the side where the bodies are"),
    Key::new(
        "wall.<name>.from",
        Form::List { of: &Form::Number, least: 2, most: 2 },
        "with `to`: a segment of the plane, solid from both sides",
    ),
    Key::new("wall.<name>.to", Form::List { of: &Form::Number, least: 2, most: 2 }, "its other end"),
    Key::new(
        "wall.<name>.polygon",
        Form::List { of: &Form::List { of: &Form::Number, least: 2, most: 2 }, least: 0, most: 256 },
        "the vertices of a polygon around the bodies; it need not be convex",
    ),
    Key::new(
        "wall.<name>.box",
        Form::List { of: &VECTOR, least: 2, most: 2 },
        "the lower and the upper corner of a box around the bodies",
    ),
    Key::new(
        "wall.<name>.restitution",
        Form::Between(0.0, 1.0),
        "optional; its own coefficient. Of two surfaces that meet the smaller counts",
    ),
    Key::new("wall.<name>.friction", Form::AtLeast(0.0), "optional; the same"),
    Key::new(
        "bodies.<name>.shape",
        Form::Words(&["disc", "polygon", "sphere"]),
        "required; `disc` or `polygon` in the plane, `sphere` in space",
    ),
    Key::new("bodies.<name>.radius", Form::Positive, "of a disc or a sphere"),
    Key::new(
        "bodies.<name>.vertices",
        Form::List { of: &Form::List { of: &Form::Number, least: 2, most: 2 }, least: 0, most: 256 },
        "of a polygon, in either sense, at most 256. It must be simple and star-shaped about its centroid, which becomes the body's `position`",
    ),
    Key::new("bodies.<name>.mass", Form::Positive, "optional; the mass of each, or"),
    Key::new(
        "bodies.<name>.density",
        Form::Positive,
        "optional, 1; mass per area, or per volume in space. Mass is spread evenly",
    ),
    Key::new("bodies.<name>.position", VECTOR, "required unless there is `place`; the centre of mass"),
    Key::new("bodies.<name>.angle", Form::Number, "optional, 0; how far it is turned, in the plane"),
    Key::new("bodies.<name>.velocity", VECTOR, "optional, 0; of the centre of mass"),
    Key::new(
        "bodies.<name>.spin",
        Form::AnyOf(&[Form::Number, Form::List { of: &Form::Number, least: 3, most: 3 }]),
        "optional, 0; angular velocity: a number in the plane, a vector in space",
    ),
    Key::new("bodies.<name>.restitution", Form::Between(0.0, 1.0), "optional; its own coefficient"),
    Key::new("bodies.<name>.friction", Form::AtLeast(0.0), "optional; the same"),
    Key::new(
        "bodies.<name>.count",
        Form::Whole { least: 1, most: Some(100000) },
        "optional, 1; how many there are, at most 100,000 in all. They are called `<name>-0`, `<name>-1` and so on",
    ),
    Key::new(
        "bodies.<name>.place",
        Form::Words(&["lattice", "random"]),
        "optional; `lattice`, or `random`: the rule by which they are placed",
    ),
    Key::new(
        "bodies.<name>.within",
        Form::List { of: &VECTOR, least: 2, most: 2 },
        "the lower and the upper corner of the region they are placed in; the first box among the walls if it is left out",
    ),
    Key::new(
        "bodies.<name>.speed",
        Form::AtLeast(0.0),
        "optional, 0; each gets a velocity of this size in a direction by chance, besides `velocity`",
    ),
    Key::new(
        "bodies.<name>.turned",
        Form::Flag,
        "optional, `false`; whether each is turned by chance, besides `angle`",
    ),
    Key::new("bodies.<name>.seed", Form::Whole { least: 0, most: None }, "optional, 0; of what is by chance"),
    OUTPUT_EVERY,
    OUTPUT_SERIES,
    OUTPUT_CHECKPOINT,
    Key::new(
        "output.impacts",
        Form::Whole { least: 0, most: None },
        "optional, 200000; rows of `impacts.csv` at most",
    ),
];
