//! What moves and what energy it has: the continuous Lagrangian.

mod auto;
mod cluster;
mod constraint;
mod fetch;
mod field;
mod force;
mod formula;
mod gap;
mod lagrangian;
mod legendre;
mod mass;
mod outline;
mod phase;
mod potentials;
mod rigid;
mod routhian;
mod scalar;
pub mod solid;
mod steady;
mod structure;
mod supports;

pub use auto::{Auto, Newtonian, Potential, System};
pub use cluster::{CALM, Cluster, Compiled, Kicks};
pub use constraint::{Bounds, BoundsParts, Constraint, FormulaConstraint};
pub(crate) use fetch::fetch;
pub use field::Field;
pub use force::{Force, ForceJet, FormulaForce};
pub use formula::FormulaLagrangian;
pub use gap::{ContactLaw, FormulaGap, Gap, GapNodes, Gaps, Simultaneous};
pub use lagrangian::{Jet, JetParts, Lagrangian};
pub use legendre::Legendre;
pub use mass::Mass;
pub use outline::{Point, Polygon, PolygonFault};
pub(crate) use outline::{cross2, dot2, minus2};
pub use phase::{ConstantForm, Fibred, Form, FormulaPhase, PhaseFault, PhaseJet, PhaseSpace};
pub use potentials::{Forced, NO_LOAD, PotentialFault, Potentials};
pub use rigid::{
    BodyFault, BodyJet, BodyPotential, FormulaPotential, RigidBody, complete_elliptic, pose, torque,
};
pub use routhian::{Reduction, Routhian};
pub use scalar::{Dual, Dual2, Scalar};
pub use steady::Steady;
pub use structure::Structure;
pub use supports::{Conflict, Supports};
