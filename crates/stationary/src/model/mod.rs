//! Continuous models: Lagrangians and Hamiltonians, constraints and forces, rigid bodies, and finite elements as sums of potentials.

mod auto;
mod bounds_programs;
mod compiled;
mod constant_loads;
mod constraint;
mod field;
mod force;
mod formula;
mod history;
mod independent;
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
pub(crate) use bounds_programs::BoundsPrograms;
pub use compiled::{CompiledPotentials, CompiledPrefix, EventHistory, NodalKicks, OVERFLOW_SAFE};
pub use constant_loads::ConstantLoads;
pub(crate) use constraint::fill_saddle;
pub use constraint::{Bounds, BoundsParts, Constraint, FormulaConstraint};
pub use field::{FieldValues, FormulaField};
pub use force::{Force, ForceJet, FormulaForce};
pub use formula::FormulaLagrangian;
pub(crate) use formula::{positions, velocities};
pub use history::{HistoryEnergy, Past};
pub use independent::{
    IndependentEvent, IndependentKicks, IndependentRecord, MOST_LANES, MovingNode, RECORD_NODES,
    RECORD_NUMBERS,
};
pub use lagrangian::{Jet, JetParts, Lagrangian};
pub use legendre::Legendre;
pub use mass::Mass;
pub use phase::{ConstantForm, Fibred, FormulaPhase, PhaseFault, PhaseJet, PhaseSpace, TwoForm};
pub use potentials::{DeadLoad, FlatPressure, LoadEnergy, NO_LOAD, PotentialFault, Potentials};
pub(crate) use prefetch::prefetch;
pub use rigid::{
    BodyFault, BodyJet, BodyPotential, FormulaPotential, RigidBody, complete_elliptic, pose, torque,
};
pub use routhian::{Reduction, Routhian};
pub use scalar::{Dual, Dual2, Scalar};
pub use structure::Structure;
pub use supports::{SupportConflict, Supports};
