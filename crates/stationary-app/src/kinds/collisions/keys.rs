//! Keys of bodies that collide.

use crate::scenario::keys::shared::{
    CLAIM, DESCRIPTION, END, OUTPUT, OUTPUT_CHECKPOINT, OUTPUT_EVERY, OUTPUT_SERIES, PARAMETERS, START, TITLE,
};
use crate::scenario::keys::{Form, IfAbsent, Key, PAIR, TRIPLE, VECTOR};

/// Bodies of a scenario: more are a mistake.
pub(super) const MOST_BODIES: u64 = 100_000;

/// Corners of a polygon; more are a mistake.
const POINTS: Form = Form::List { of: &PAIR, least: 0, most: 256 };

/// A size, a mass or a density: its squares and cubes must be numbers too.
const SIZE: Form = Form::Between(1e-70, 1e70);

/// All keys.
pub(crate) const KEYS: &[Key] = &[
    TITLE,
    DESCRIPTION,
    Key::new(
        "space",
        Form::Whole { least: 2, most: Some(3) },
        IfAbsent::Whole(2),
        "2 for the plane, 3 for space",
    ),
    Key::new("gravity", VECTOR, IfAbsent::Number(0.0), "acceleration by gravity"),
    Key::new(
        "restitution",
        Form::Between(0.0, 1.0),
        IfAbsent::Number(1.0),
        "coefficient of restitution of surfaces that do not have their own: 0 is plastic, 1 elastic",
    ),
    Key::new(
        "friction",
        Form::AtLeast(0.0),
        IfAbsent::Number(0.0),
        "coefficient of Coulomb friction of such surfaces",
    ),
    Key::optional("wall", Form::Tables, "the walls"),
    Key::required(
        "bodies",
        Form::Tables,
        "[bodies.NAME] with shape and position",
        "the bodies, those of a kind together",
    ),
    Key::required(
        "step",
        Form::Positive,
        "step = 0.01",
        "the window in which impacts are searched for and after which the state is looked at",
    ),
    START,
    END,
    Key::optional(
        "end_impacts",
        Form::Whole { least: 1, most: None },
        "the run ends with this impact, if it comes before `end`",
    ),
    Key::required(
        "integrator",
        Form::Integrator,
        r#"integrator = "collisions""#,
        "`collisions`, and its [options](integrators.md#collisions)",
    ),
    Key::optional("observe", Form::Observers, "what is measured besides; all that suit are always on"),
    CLAIM,
    PARAMETERS,
    OUTPUT,
    Key::new(
        "wall.<name>.point",
        VECTOR,
        IfAbsent::Depends { when: "", example: "" },
        "with `normal`: a point of a line of the plane, or of a plane of space; all beyond it is solid",
    ),
    Key::new(
        "wall.<name>.normal",
        VECTOR,
        IfAbsent::Depends { when: "", example: "" },
        "of any length but zero, to the side where the bodies are",
    ),
    Key::new(
        "wall.<name>.from",
        PAIR,
        IfAbsent::Depends { when: "", example: "" },
        "with `to`: a segment of the plane, solid from both sides",
    ),
    Key::new("wall.<name>.to", PAIR, IfAbsent::Depends { when: "", example: "" }, "its other end"),
    Key::new(
        "wall.<name>.polygon",
        POINTS,
        IfAbsent::Depends { when: "", example: "" },
        "the vertices of a polygon around the bodies; it need not be convex",
    ),
    Key::new(
        "wall.<name>.box",
        Form::List { of: &VECTOR, least: 2, most: 2 },
        IfAbsent::Depends { when: "", example: "" },
        "the lower and the upper corner of a box around the bodies",
    ),
    Key::optional(
        "wall.<name>.restitution",
        Form::Between(0.0, 1.0),
        "its own coefficient. Of two surfaces that meet the smaller counts",
    ),
    Key::optional("wall.<name>.friction", Form::AtLeast(0.0), "the same"),
    Key::required(
        "bodies.<name>.shape",
        Form::Words(&["disc", "polygon", "sphere"]),
        r#"shape = "disc", in space shape = "sphere""#,
        "`disc` or `polygon` in the plane, `sphere` in space",
    ),
    Key::new(
        "bodies.<name>.radius",
        SIZE,
        IfAbsent::Depends { when: "", example: "radius = 0.1" },
        "of a disc or a sphere",
    ),
    Key::new(
        "bodies.<name>.vertices",
        POINTS,
        IfAbsent::Depends { when: "", example: "vertices = [[0, 0], [1, 0], [0, 1]]" },
        "of a polygon, in either sense. It must be simple and star-shaped about its centroid, which becomes the body's `position`",
    ),
    Key::optional("bodies.<name>.mass", SIZE, "the mass of each, or"),
    Key::new(
        "bodies.<name>.density",
        SIZE,
        IfAbsent::Number(1.0),
        "mass per area, or per volume in space. Mass is spread evenly",
    ),
    Key::new(
        "bodies.<name>.position",
        VECTOR,
        IfAbsent::Depends {
            when: "required unless there is `place`",
            example: r#"position = [0, 0], for several bodies with formulas of their number `i`; or place = "lattice""#,
        },
        "the centre of mass",
    ),
    Key::new(
        "bodies.<name>.angle",
        Form::Number,
        IfAbsent::Number(0.0),
        "how far it is turned, in the plane",
    ),
    Key::new("bodies.<name>.velocity", VECTOR, IfAbsent::Number(0.0), "of the centre of mass"),
    Key::new(
        "bodies.<name>.spin",
        Form::AnyOf(&[Form::Number, TRIPLE]),
        IfAbsent::Number(0.0),
        "angular velocity: a number in the plane, a vector in space",
    ),
    Key::optional("bodies.<name>.restitution", Form::Between(0.0, 1.0), "its own coefficient"),
    Key::optional("bodies.<name>.friction", Form::AtLeast(0.0), "the same"),
    Key::new(
        "bodies.<name>.count",
        Form::Whole { least: 1, most: Some(MOST_BODIES) },
        IfAbsent::Whole(1),
        "how many there are; of all groups together no more than that either. They are called `<name>-0`, `<name>-1` and so on",
    ),
    Key::optional(
        "bodies.<name>.place",
        Form::Words(&["lattice", "random"]),
        "the rule by which they are placed",
    ),
    Key::new(
        "bodies.<name>.within",
        Form::List { of: &VECTOR, least: 2, most: 2 },
        IfAbsent::Depends { when: "", example: "within = [[0, 0], [1, 1]], the corners of the region" },
        "the lower and the upper corner of the region they are placed in; the first box among the walls if it is left out",
    ),
    Key::new(
        "bodies.<name>.speed",
        Form::AtLeast(0.0),
        IfAbsent::Number(0.0),
        "each gets a velocity of this size in a direction by chance, besides `velocity`",
    ),
    Key::new(
        "bodies.<name>.turned",
        Form::Flag,
        IfAbsent::Flag(false),
        "whether each is turned by chance, besides `angle`",
    ),
    Key::new(
        "bodies.<name>.seed",
        Form::Whole { least: 0, most: Some(1 << 53) },
        IfAbsent::Whole(0),
        "of what is by chance",
    ),
    OUTPUT_EVERY,
    OUTPUT_SERIES,
    OUTPUT_CHECKPOINT,
    Key::new(
        "output.impacts",
        Form::Whole { least: 0, most: None },
        IfAbsent::Whole(200_000),
        "rows of `impacts.csv` at most",
    ),
];
