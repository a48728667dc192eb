//! Continuous models: Lagrangians and Hamiltonians, constraints and forces, rigid bodies, and finite elements as sums of potentials.

mod auto;
mod compiled;
mod constant_loads;
mod constraint;
mod field;
mod force;
mod formula;
mod lagrangian;
mod legendre;
mod mass;
mod phase;
mod potentials;
mod prefetch;
mod rigid;
mod routhian;
mod scalar;
pub mod solid;
mod structure;
mod supports;

pub use auto::{Auto, Newtonian, Potential, System};
pub use compiled::{CompiledPotentials, CompiledPrefix, NodalKicks, OVERFLOW_SAFE};
pub use constant_loads::ConstantLoads;
pub use constraint::{Bounds, BoundsParts, Constraint, FormulaConstraint};
pub(crate) use constraint::{bounds_program, fill_saddle};
pub use field::FormulaField;
pub use force::{Force, ForceJet, FormulaForce};
pub use formula::FormulaLagrangian;
pub(crate) use formula::{positions, velocities};
pub use lagrangian::{Jet, JetParts, Lagrangian};
pub use legendre::Legendre;
pub use mass::Mass;
pub use phase::{ConstantForm, Fibred, Form, FormulaPhase, PhaseFault, PhaseJet, PhaseSpace};
pub use potentials::{LoadEnergy, NO_LOAD, PotentialFault, Potentials};
pub(crate) use prefetch::prefetch;
pub use rigid::{
    BodyFault, BodyJet, BodyPotential, FormulaPotential, RigidBody, complete_elliptic, pose, torque,
};
pub use routhian::{Reduction, Routhian};
pub use scalar::{Dual, Dual2, Scalar};
pub use structure::Structure;
pub use supports::{SupportConflict, Supports};
