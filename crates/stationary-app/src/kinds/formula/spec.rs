//! A system given by formulas, as a scenario states it.

use super::drawing::Drawing;
use crate::scenario::place::Text;
use crate::scenario::with_time;
use stationary::formula::{Bank, Scope, Var};

/// A system of a few coordinates, given by its Lagrangian or Hamiltonian. Formulas are still text; the model and the observers parse
/// them in [`FormulaSystem::scope`].
#[derive(Debug, Clone)]
pub struct FormulaSystem {
    /// Names of the coordinates, in order.
    pub coordinates: Vec<String>,
    /// `L(t, q, v)`, or the Hamiltonian where `law` says so.
    pub lagrangian: Text,
    /// What that formula is.
    pub law: Law,
    /// Constraints on the positions, each a formula that must vanish; with a Lagrangian only.
    pub constraints: Vec<Text>,
    /// Forces besides those of the Lagrangian, one formula for each coordinate; none or all.
    pub force: Vec<Text>,
    /// Where the system may be: each a formula that must not become negative, and what happens where it vanishes.
    pub gaps: Vec<GapSpec>,
    /// How several gaps that close at once act.
    pub simultaneous: Together,
    /// Cyclic coordinates that are eliminated, by their names.
    pub reduce: Vec<Text>,
    /// Time step; positive, and large enough to move the clock.
    pub step: f64,
    /// The initial state.
    pub initial: Initial,
    /// Symmetries by name: the infinitesimal generator, one formula for each coordinate.
    pub symmetries: Vec<(String, Vec<Text>)>,
    /// Further columns by name.
    pub probes: Vec<(String, Text)>,
    /// A Poincare section.
    pub section: Option<SectionSpec>,
    /// What is drawn.
    pub drawings: Vec<Drawing>,
    /// Write a row every so many steps.
    pub output_every: Option<u64>,
}

/// What makes a system move.
#[derive(Debug, Clone)]
pub enum Law {
    /// `L(t, q, v)`.
    Lagrangian,
    /// `H(t, q, p)`.
    Canonical,
    /// `H(t, q)` and a one-form `theta(q)`, one formula for each coordinate: `theta.q' - H` is stationary.
    OneForm(Vec<Text>),
}

/// A gap `phi(t, q) >= 0` and the law of its contact.
#[derive(Debug, Clone)]
pub struct GapSpec {
    /// Its name, `gap 1` and so on where the scenario gives none.
    pub name: String,
    /// `phi(t, q)`.
    pub formula: Text,
    /// The rate of opening after an impact over that of closing before it, from 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient, at least 0.
    pub friction: f64,
    /// Velocities with which the touching points slip over each other, linear in the velocities; none to let the kinetic
    /// energy decide what is tangential.
    pub slip: Vec<Text>,
    /// Where its impacts are shown in the moving picture: two or three formulas, or none.
    pub at: Vec<Text>,
}

/// How several gaps that close at once act.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Together {
    /// All at once, by the closest-point projection [FET03 (5.21)].
    #[default]
    Projection,
    /// One after the other.
    Sequence,
}

/// A Poincare section: when a formula crosses zero upward, some formulas are recorded.
#[derive(Debug, Clone)]
pub struct SectionSpec {
    /// The formula that crosses zero.
    pub when: Text,
    /// What is recorded, by name.
    pub columns: Vec<(String, Text)>,
}

/// Where the system starts and how it moves there.
#[derive(Debug, Clone, PartialEq)]
pub struct Initial {
    /// One number for each coordinate.
    pub position: Vec<f64>,
    /// The motion, in one of three ways.
    pub motion: Motion,
}

/// The ways to state an initial motion; one number for each coordinate.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// Velocities.
    Velocity(Vec<f64>),
    /// Momenta.
    Momentum(Vec<f64>),
    /// The positions one step later.
    NextPosition(Vec<f64>),
    /// None is needed: with a one-form the positions alone are the state.
    Implied,
}

impl FormulaSystem {
    /// Everything formulas of this system may name: the scenario's parameters, `t`, coordinates, velocities, momenta,
    /// and the lists `q`, `v`, `p`.
    pub fn scope(&self, parameters: &[(String, f64)]) -> Scope {
        let mut scope = with_time(parameters);
        for (k, name) in self.coordinates.iter().enumerate() {
            let k = k as u32;
            scope.variable(name.as_str(), Var::Q(k));
            scope.variable(format!("v{name}"), Var::V(k));
            scope.variable(format!("p{name}"), Var::P(k));
        }
        let count = self.coordinates.len();
        scope.array("q", Bank::Q, count);
        scope.array("v", Bank::V, count);
        scope.array("p", Bank::P, count);
        scope
    }
}
