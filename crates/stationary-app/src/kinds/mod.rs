//! The kinds of systems: a folder for each, and one list.
//!
//! A folder has the keys of its scenarios (`keys`), what they say as plain data (`spec`), how they are read (`read`), how a system is
//! made of them (`build`), how it moves in a run (`engine`) and what is told of it (`results`); `mod.rs` joins these in a [`SystemKind`].
//! Everything else asks that value and never which kind it is.

pub(crate) mod collisions;
pub(crate) mod formula;
mod kind;
pub(crate) mod rigid_body;
pub(crate) mod solid;
mod tell;
#[cfg(test)]
mod tests;

pub(crate) use kind::{KindNames, SystemKind, SystemSpec};
pub(crate) use tell::{kind_of, only};

/// Every kind of system. A new one is a folder here and a line in this list.
pub(crate) static KINDS: &[&SystemKind] =
    &[&formula::KIND, &solid::KIND, &rigid_body::KIND, &collisions::KIND];
