//! What the names of a formula mean.

use std::collections::BTreeMap;

/// One of the arrays a [`Program`](super::Program) reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Bank {
    /// Positions.
    Q,
    /// Velocities.
    V,
    /// Momenta, or whatever the caller passes as fourth argument.
    P,
}

impl Bank {
    /// The variable at an index of this bank.
    pub fn at(self, index: u32) -> Var {
        match self {
            Bank::Q => Var::Q(index),
            Bank::V => Var::V(index),
            Bank::P => Var::P(index),
        }
    }
}

/// An input of a [`Program`](super::Program).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Var {
    /// Time.
    T,
    /// A position.
    Q(u32),
    /// A velocity.
    V(u32),
    /// A momentum.
    P(u32),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Meaning {
    Constant(f64),
    Variable(Var),
    Array(Bank, usize),
}

/// What the names of a formula mean. Functions are no part of it: they are known by the bracket that follows.
#[derive(Debug, Clone)]
pub struct Scope {
    // Ordered, so that suggestions do not depend on a hash seed.
    names: BTreeMap<String, Meaning>,
    /// Names that mean something elsewhere, and why they do not here.
    withheld: BTreeMap<String, &'static str>,
}

impl Default for Scope {
    fn default() -> Self {
        Self::new()
    }
}

impl Scope {
    /// A scope that knows `pi` and nothing else.
    pub fn new() -> Self {
        let names = BTreeMap::from([("pi".to_owned(), Meaning::Constant(std::f64::consts::PI))]);
        Scope { names, withheld: BTreeMap::new() }
    }

    /// A parameter: its value is folded into the formula. A later meaning of a name replaces an earlier one.
    pub fn constant(&mut self, name: impl Into<String>, value: f64) -> &mut Self {
        self.names.insert(name.into(), Meaning::Constant(value));
        self
    }

    /// A name for one input.
    pub fn variable(&mut self, name: impl Into<String>, var: Var) -> &mut Self {
        self.names.insert(name.into(), Meaning::Variable(var));
        self
    }

    /// A name for the first `len` entries of a bank, written `name[index]`.
    pub fn array(&mut self, name: impl Into<String>, bank: Bank, len: usize) -> &mut Self {
        self.names.insert(name.into(), Meaning::Array(bank, len));
        self
    }

    /// Forgets a name.
    pub fn remove(&mut self, name: &str) -> &mut Self {
        self.names.remove(name);
        self
    }

    /// Forgets a name that has a meaning in other formulas; an error about it says why, as in "momenta come from the
    /// Lagrangian".
    pub fn withhold(&mut self, name: &str, why: &'static str) -> &mut Self {
        self.names.remove(name);
        self.withheld.insert(name.to_owned(), why);
        self
    }

    /// Why a name that is unknown here has a meaning elsewhere.
    pub(super) fn withheld(&self, name: &str) -> Option<&'static str> {
        if self.contains(name) { None } else { self.withheld.get(name).copied() }
    }

    /// Whether a name has a meaning.
    pub fn contains(&self, name: &str) -> bool {
        self.names.contains_key(name)
    }

    /// All names with a meaning, in alphabetic order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.names.keys().map(String::as_str)
    }

    pub(super) fn get(&self, name: &str) -> Option<Meaning> {
        self.names.get(name).copied()
    }
}
