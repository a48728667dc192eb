//! Options of integrators, each once: reader, messages, schema, tables of the book and `explain` take it from its row.

use crate::scenario::keys::{Form, IfAbsent, Key};
use stationary::action::quadrature::LARGEST;
use stationary::integrate::avi::MOST_THREADS;

/// Where the generalised midpoint rule samples the Lagrangian.
pub(super) const SAMPLE: Key = Key::new(
    "alpha",
    Form::Between(0.0, 1.0),
    IfAbsent::Number(0.5),
    "where in the step the Lagrangian is sampled",
);

/// The weights of the generalised trapezoidal rule.
pub(super) const END_WEIGHT: Key =
    Key::new("alpha", Form::Between(0.0, 1.0), IfAbsent::Number(0.5), "weight of the end of the step");

const EVEN: Form = Form::OneOf(&[2, 4, 6, 8]);
pub(super) const ORDER: Key =
    Key::new("order", EVEN, IfAbsent::Whole(2), "order of accuracy; above 2 the system must be separable");
pub(super) const BODY_ORDER: Key =
    Key::new("order", EVEN, IfAbsent::Whole(2), "order of accuracy; above 2 by symmetric composition");

pub(super) const BETA: Key = Key::new(
    "beta",
    Form::Between(0.0, 0.5),
    IfAbsent::Number(0.25),
    "weight of the end's acceleration in the position; of a solid the default is 0, explicit",
);
/// The explicit method is the usual one of a solid.
pub(crate) const SOLID_BETA: Key = Key { default: IfAbsent::Number(0.0), ..BETA };
pub(super) const GAMMA: Key = Key::new(
    "gamma",
    Form::Between(0.0, 1.0),
    IfAbsent::Number(0.5),
    "weight of the end's acceleration in the velocity",
);

const fn stages(least: u64) -> Form {
    Form::Whole { least, most: Some(LARGEST as u64) }
}
pub(super) const GAUSS_STAGES: Key =
    Key::new("stages", stages(1), IfAbsent::Whole(2), "the number `s` of Gauss nodes");
pub(super) const LOBATTO_STAGES: Key =
    Key::new("stages", stages(2), IfAbsent::Whole(3), "the number `s` of Lobatto nodes");
pub(super) const POINTS: Key =
    Key::new("points", stages(2), IfAbsent::Derived("`stages`"), "another name of `stages`");

/// Size of the last Newton correction, relative to the step's increments, at which a step is solved.
pub(super) const TOLERANCE: Key = Key::new(
    "tolerance",
    Form::Between(1e-16, 1e-3),
    IfAbsent::Number(DEFAULT_TOLERANCE),
    "relative size of the Newton correction at which a step counts as solved",
);
/// Of a static solution.
pub(super) const RESIDUAL: Key = Key::new(
    "tolerance",
    Form::Between(1e-14, 1e-2),
    IfAbsent::Number(1e-9),
    "largest residual at which a load step counts as solved, relative to the largest nodal force",
);
pub(super) const ITERATIONS: Key = Key::new(
    "iterations",
    Form::Whole { least: 2, most: Some(1000) },
    IfAbsent::Whole(25),
    "Newton iterations before a load step is halved",
);
pub(super) const DEFAULT_TOLERANCE: f64 = 1e-15;

/// Who chooses the length of the steps; the options that go with it belong to the observer `energy_steps`.
pub(crate) const STEP: Key = Key::new(
    "step",
    Form::Words(&["fixed", "energy"]),
    IfAbsent::Word("fixed"),
    "with `energy` each step has the length that keeps the discrete energy",
);
pub(crate) const ENERGY_OPTIONS: [Key; 3] = [
    Key::new("smallest", Form::Between(1e-6, 1.0), IfAbsent::Number(0.01), "smallest length, in first steps"),
    Key::new("largest", Form::Between(1.0, 1e6), IfAbsent::Number(3.0), "largest length, in first steps"),
    Key::new(
        "turning",
        Form::Words(&["first", "hold", "minimise", "reset"]),
        IfAbsent::Word("first"),
        "how steps are made where no length keeps the energy",
    ),
];

/// How the elements of a solid get their steps.
pub(crate) const STEP_OPTIONS: [Key; 11] = [
    Key::new(
        "steps",
        Form::Words(&["free", "harmonic"]),
        IfAbsent::Word("harmonic"),
        "`free`, each element its own, or `harmonic`, a base times powers of two",
    ),
    Key::new(
        "rule",
        Form::Words(&["courant", "eigen"]),
        IfAbsent::Word("eigen"),
        "`courant`, by inscribed radius and wave speed, or `eigen`, by the element's largest eigenvalue",
    ),
    Key::new(
        "fraction",
        Form::PositiveTo(10.0),
        IfAbsent::Derived(
            "0.7, lowered where it does not hold; one step for all: 0.8; free: 0.2; courant: 0.1",
        ),
        "part of the stable step that is taken",
    ),
    Key::new(
        "split",
        Form::Words(&["stiffness", "optimal", "own"]),
        IfAbsent::Word("stiffness"),
        "how nodal masses are divided among elements for `eigen`: by `stiffness`, `optimal` for few updates at fractions up to 0.7, or `own`",
    ),
    Key::new(
        "limit",
        Form::Words(&["body", "element"]),
        IfAbsent::Word("body"),
        "eigen: `element`, the fraction is of each element's own limit; `body`, all steps grow together to that part of the whole body's",
    ),
    Key::new(
        "buffer",
        Form::AnyOf(&[Form::Words(&["none", "ring", "jump"]), Form::Flag]),
        IfAbsent::Word("jump"),
        "harmonic: `jump`, an element takes at most twice the smallest step among its neighbours; `ring` (or `true`), no more than that; or `none` (or `false`)",
    ),
    Key::new(
        "events",
        Form::Words(&["end", "middle"]),
        IfAbsent::Derived("middle; free: end"),
        "avi: where in its step an element acts; the middle is safer near the limit",
    ),
    Key::new(
        "boundary",
        Form::Words(&["envelope", "iterated-envelope", "impulse"]),
        IfAbsent::Derived("envelope; free steps or events at the end: impulse"),
        "avi: how the slower of two levels acts on the nodes they share: by the `envelope` of its potential, second-order accurate, by the `iterated-envelope`, nearer to the minimum at the price of another evaluation, or by its `impulse`, first-order accurate",
    ),
    Key::new(
        "step",
        Form::AnyOf(&[Form::Positive, Form::Named(&Form::Positive)]),
        IfAbsent::Derived("by the rule"),
        "a step for all elements, or a table of steps by group",
    ),
    Key::new(
        "factor",
        Form::Formula,
        IfAbsent::Derived("1"),
        "formula of t, X, Y, Z by which each step is multiplied as time goes on; free steps only",
    ),
    Key::new(
        "threads",
        Form::Whole { least: 1, most: Some(MOST_THREADS as u64) },
        IfAbsent::Derived("all cores for a large mesh, 1 with free steps"),
        "how many threads share the work; the results have the same bits for any number",
    ),
];

/// When impacts of bodies belong to a lasting contact.
pub(super) const CONTACT_TIME: Key = Key::new(
    "contact_time",
    Form::Positive,
    IfAbsent::Derived("by size, gravity and speed"),
    "impacts of a pair that follow each other sooner are of a lasting contact",
);
