//! Everything a user can name, with its mathematics and options: one entry each, read by the program's `list` and
//! `explain`, by the scenario's `integrator` and `observe`, and by the documentation.

mod choice;
mod integrators;
mod materials;
mod observers;
mod solid;

pub use choice::{Chosen, body_method, collisions, method};
pub use materials::Material;
pub use solid::{Rule, SolidMethod, StepChoice, solid_method};

use crate::scenario::{Kind, Text, unknown_word};
use integrators::INTEGRATORS;
use materials::MATERIALS;
use observers::OBSERVERS;
use stationary::error::Error;

/// Documentation of an integrator or an observer.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name in scenarios.
    pub name: &'static str,
    /// A word or two on what it is.
    pub kind: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The mathematics, some lines.
    pub maths: &'static str,
    /// Options: name, default, meaning.
    pub options: &'static [(&'static str, &'static str, &'static str)],
}

/// Size of the last Newton correction, relative to the step's increments, at which a step is solved.
const TOLERANCE: (&str, &str, &str) =
    ("tolerance", "1e-15", "relative size of the Newton correction at which a step counts as solved");
const DEFAULT_TOLERANCE: f64 = 1e-15;

/// Who chooses the length of the steps; the options that go with it belong to the observer `energy_steps`.
const STEP: (&str, &str, &str) =
    ("step", "fixed", "`fixed`, or `energy`: each step has the length that keeps the discrete energy");
const ENERGY_OPTIONS: [(&str, &str, &str); 3] = [
    ("smallest", "0.01", "smallest length, in first steps"),
    ("largest", "3", "largest length, in first steps"),
    ("turning", "first", "where no length keeps the energy: `first`, `hold`, `minimise` or `reset`"),
];

const VARIATIONAL: &str = "variational";
const NOT_VARIATIONAL: &str = "not variational";

/// How the elements of a solid get their steps.
const STEP_OPTIONS: [(&str, &str, &str); 10] = [
    ("steps", "harmonic", "`free`, each element its own, or `harmonic`, a base times powers of two"),
    (
        "rule",
        "eigen",
        "`courant`, by inscribed radius and wave speed, or `eigen`, by the element's largest eigenvalue",
    ),
    ("fraction", "0.8; free: 0.2; courant: 0.1", "part of the stable step that is taken"),
    (
        "split",
        "stiffness",
        "how nodal masses are divided among elements for `eigen`: by `stiffness`, `optimal` for few updates at fractions up to 0.7, or `own`",
    ),
    (
        "limit",
        "body",
        "eigen: `element`, the fraction is of each element's own limit; `body`, all steps grow together to that part of the whole body's",
    ),
    (
        "buffer",
        "jump",
        "harmonic: `jump`, an element takes at most twice the smallest step among its neighbours; `ring`, no more than that; or `none`",
    ),
    (
        "events",
        "middle; free: end",
        "avi: where in its step an element acts, at the `end` or in the `middle`; the middle is safer near the limit",
    ),
    ("step", "by the rule", "a step for all elements, or a table of steps by group"),
    (
        "factor",
        "1",
        "formula of t, X, Y, Z by which each step is multiplied as time goes on; free steps only",
    ),
    (
        "threads",
        "all cores for a large mesh, 1 with free steps",
        "how many threads share the work, 1 to 255; the results have the same bits for any number",
    ),
];

/// The integrators of rigid bodies.
const EULER_POINCARE: &str = "euler-poincare";
const MOSER_VESELOV: &str = "moser-veselov";
/// The integrator of bodies that collide.
const COLLISIONS: &str = "collisions";
const BODY_OPTIONS: [(&str, &str, &str); 1] =
    [("order", "2", "2, 4, 6 or 8; above 2 by symmetric composition")];

/// All integrators.
pub fn integrators() -> &'static [Entry] {
    &INTEGRATORS
}

/// All observers. Those named `always` run in every scenario.
pub fn observers() -> &'static [Entry] {
    &OBSERVERS
}

/// All laws of elasticity.
pub fn materials() -> &'static [Material] {
    &MATERIALS
}

/// An option: name, default, meaning.
pub type Opt = (&'static str, &'static str, &'static str);

/// The integrators that a kind of scenario takes, and the options that each has there.
pub(crate) fn integrators_of(kind: Kind) -> Vec<(&'static Entry, Vec<Opt>)> {
    let bodies = [EULER_POINCARE, MOSER_VESELOV];
    let own = |entry: &&'static Entry| match kind {
        Kind::Formula => entry.name != "avi" && entry.name != COLLISIONS && !bodies.contains(&entry.name),
        Kind::Solid => entry.name != COLLISIONS && !bodies.contains(&entry.name),
        Kind::Body => bodies.contains(&entry.name),
        Kind::Bodies => entry.name == COLLISIONS,
    };
    let options = |entry: &'static Entry| {
        let mut options = entry.options.to_vec();
        match (kind, entry.name) {
            (Kind::Solid, "newmark") => options.extend(STEP_OPTIONS),
            (Kind::Solid, "avi") => options = STEP_OPTIONS.to_vec(),
            (_, "lobatto") => options.push(("points", "3", "the same as stages")),
            _ => {}
        }
        if kind == Kind::Formula && options.contains(&STEP) {
            options.extend(ENERGY_OPTIONS);
        }
        (entry, options)
    };
    INTEGRATORS.iter().filter(own).map(options).collect()
}

/// Checks the names under `observe`; returns whether the one given is among them.
pub fn wants(observe: &[Text], name: &str) -> Result<bool, Error> {
    let names: Vec<&str> = OBSERVERS.iter().map(|e| e.name).collect();
    for text in observe {
        if !names.contains(&text.text.as_str()) {
            return Err(unknown_word(text, "observer", &names).into());
        }
    }
    Ok(observe.iter().any(|t| t.text == name))
}
