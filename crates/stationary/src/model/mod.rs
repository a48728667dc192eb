//! What moves and what energy it has: the continuous Lagrangian.

mod auto;
mod formula;
mod lagrangian;
mod legendre;
mod mass;
mod potentials;
mod scalar;
pub mod solid;
mod structure;

pub use auto::{Auto, Newtonian, Potential, System};
pub use formula::FormulaLagrangian;
pub use lagrangian::{Jet, JetParts, Lagrangian};
pub use legendre::Legendre;
pub use mass::Mass;
pub use potentials::{PotentialFault, Potentials};
pub use scalar::{Dual, Dual2, Scalar};
pub use structure::Structure;
