//! A material behind a pointer.

use super::{Inelastic, Lame, Material, MaterialFault, PointBatch};
use crate::model::solid::tensor::Tensor;
use std::sync::Arc;

/// A material of any type, for kernels that are compiled once for all materials: a call for each quadrature point costs little beside
/// their work, and a kernel for every pair of element and material would take minutes to compile.
#[derive(Debug, Clone)]
pub struct SharedMaterial(Arc<dyn Material>);

impl SharedMaterial {
    /// Of this material.
    pub fn new(material: impl Material + 'static) -> Self {
        SharedMaterial(Arc::new(material))
    }
}

impl Material for SharedMaterial {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        self.0.stress(f)
    }

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        self.0.stress_batch(at)
    }

    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        self.0.action(f, df)
    }

    fn lame(&self) -> Lame {
        self.0.lame()
    }

    fn is_isotropic(&self) -> bool {
        self.0.is_isotropic()
    }

    fn inelastic(&self) -> Option<&dyn Inelastic> {
        self.0.inelastic()
    }

    fn stiffness_damping(&self) -> f64 {
        self.0.stiffness_damping()
    }

    fn is_small_strain(&self) -> bool {
        self.0.is_small_strain()
    }

    fn neo_hookean(&self) -> Option<Lame> {
        self.0.neo_hookean()
    }

    fn energy(&self, f: &Tensor) -> Result<f64, MaterialFault> {
        self.0.energy(f)
    }

    fn tangent(&self, f: &Tensor) -> Result<[f64; 81], MaterialFault> {
        self.0.tangent(f)
    }

    fn cauchy(&self, f: &Tensor) -> Result<Tensor, MaterialFault> {
        self.0.cauchy(f)
    }

    fn wave_speed(&self, density: f64) -> f64 {
        self.0.wave_speed(density)
    }

    fn thickness(&self, f: &Tensor) -> Result<f64, MaterialFault> {
        self.0.thickness(f)
    }

    fn thickness_batch(&self, at: &mut PointBatch) -> bool {
        self.0.thickness_batch(at)
    }
}
