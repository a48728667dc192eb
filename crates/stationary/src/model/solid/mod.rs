//! Elastic bodies as a family of potentials: finite elements, each with its energy, gradient, tangent and step.
//!
//! ```text
//! Group (nodes, density) + Law (material) -> blocks of Elements -> Solid (nodal masses, sums, steps)
//! ```
//!
//! An asynchronous integrator asks the blocks element by element, a synchronous one the [`Solid`].
//!
//! ```
//! use stationary::model::solid::{Group, Kind, Lame, Law, NeoHookean, Solid};
//!
//! let points = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
//! let law = Law::NeoHookean(NeoHookean::new(Lame::new(93e9, 10e9)?)?);
//! let blocks = Group::new(Kind::Tri3, &[0, 1, 2, 0, 2, 3], 7800.0).build(&points, &law)?;
//! let solid = Solid::new(&points, blocks, &[])?;
//! let mut gradient = [0.0; 12];
//! let energy = solid.gradient(0.0, solid.points(), &mut gradient).unwrap();
//! assert_eq!((energy, gradient), (0.0, [0.0; 12]));
//! assert_eq!(solid.steps_courant(0.1).len(), 2);
//! # Ok::<(), stationary::error::Diagnostic>(())
//! ```

mod assembled;
mod bars;
mod block;
mod body;
mod elements;
mod geometry;
mod group;
mod kind;
mod lanes;
mod loads;
mod material;
mod problem;
mod rest;
mod shape;
mod side;
mod spectrum;
mod tensor;
#[cfg(test)]
mod tests;
mod tets;

pub use bars::Bars;
pub use body::{Solid, Split};
pub use elements::{Elements, Fault};
pub use group::{Group, Plane};
pub use kind::{Kind, MAX_NODES};
pub use loads::{Loads, LoadsBuilder};
pub use material::{
    Breakdown, FormulaMaterial, FormulaMaterialError, Lame, Law, LinearElastic, Material, MooneyRivlin,
    NeoHookean, PlaneStress, StVenantKirchhoff,
};
pub use problem::Problem;
pub use side::Side;
pub use spectrum::largest_eigenvalue;
pub use tensor::Mat3;
