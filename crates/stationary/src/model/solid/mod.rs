//! Solids by the finite element method, as a sum of potentials: each element has an energy, a gradient (minus its nodal
//! forces), a tangent stiffness, lumped masses and a critical time step. Materials with memory have an incremental potential, and a history that
//! belongs to the run ([`crate::model::Past`]).
//!
//! ```text
//! ElementGroup (nodes, density) + ConstitutiveLaw -> blocks of Elements -> Solid (lumped masses, sums, time steps)
//! ```
//!
//! Asynchronous integrators evaluate single elements of the blocks, synchronous ones the whole [`Solid`].
//!
//! ```
//! use stationary::model::solid::{ElementGroup, ElementKind, Lame, ConstitutiveLaw, NeoHookean, Solid};
//!
//! let points = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
//! let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(93e9, 10e9)?)?);
//! let blocks = ElementGroup::new(ElementKind::Tri3, &[0, 1, 2, 0, 2, 3], 7800.0).build(&points, &law)?;
//! let solid = Solid::new(&points, blocks, &[])?;
//! let mut gradient = [0.0; 12];
//! let energy = solid.gradient(0.0, solid.points(), &mut gradient).unwrap();
//! assert_eq!((energy, gradient), (0.0, [0.0; 12]));
//! assert_eq!(solid.steps_courant(0.1).len(), 2);
//! # Ok::<(), stationary::error::Diagnostic>(())
//! ```

mod assembled;
mod averaged;
mod bars;
mod block;
mod block_tangent;
mod body;
mod body_history;
mod cells;
mod elements;
mod eroding;
mod geometry;
mod group;
mod inelastic_block;
mod kind;
mod lanes;
mod loads;
mod material;
mod problem;
mod recovery;
mod shape;
mod side;
mod spectrum;
mod stored;
mod sweep;
mod tensor;
#[cfg(test)]
mod tests;
mod tets;
mod undeformed_tet;

pub use bars::Bars;
pub use body::{MassSplit, Solid, damped_limit};
pub use elements::{ElementFault, Elements, PointState};
pub use eroding::Eroding;
pub use group::{ElementGroup, Integration, PlaneAssumption};
pub use kind::{ElementKind, MAX_NODES};
pub use loads::{Loads, LoadsBuilder};
pub use material::{
    BATCH, ConstitutiveLaw, Damped, Fluid, FormulaMaterial, FormulaMaterialError, Hardening, Heating,
    Inelastic, J2, Lame, LinearElastic, Material, MaterialFault, MaterialVisitor, MaxwellBranch,
    MooneyRivlin, NeoHookean, Ogden, OgdenTerm, Orthotropic, OrthotropicConstants, PastBatch, PlaneStress,
    PointBatch, RateDependence, SharedMaterial, Side, StVenantKirchhoff, Update, Viscoelastic,
};
pub use problem::SolidProblem;
pub use recovery::{NodalRecovery, QuadraturePoints};
pub use side::{Depth, ElementSide};
pub use spectrum::largest_eigenvalue;
pub(crate) use spectrum::largest_of_tridiagonal;
pub use tensor::Tensor;
