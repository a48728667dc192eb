//! What moves and what energy it has: the continuous Lagrangian.

mod auto;
mod lagrangian;
mod legendre;
mod mass;
mod scalar;

pub use auto::{Auto, Newtonian, Potential, System};
pub use lagrangian::{Jet, JetParts, Lagrangian};
pub use legendre::Legendre;
pub use mass::Mass;
pub use scalar::{Dual, Dual2, Scalar};
