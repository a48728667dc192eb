//! Published figures, computed again. Each study is one function: it runs the simulations, returns the numbers,
//! the plot, and the paper's claims with what was measured for each.
//!
//! The same claims are asserted by the tests (on a reduced run) and by the program (on either).

pub mod avi03;
pub mod contrast;
pub mod damping;
pub mod fet03;
mod harness;
pub mod lattice;
pub mod local_steps;
pub mod modes;
pub mod resonance;
pub mod sem99;
pub mod series;
pub mod solids;
pub mod sur04;
pub mod vti04;

pub use harness::{Claim, Outcome, STUDIES, Scale, Study, side_by_side};
