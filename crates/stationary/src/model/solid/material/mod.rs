//! Stored energies `W(F)` per unit reference volume, with their first and second derivatives.
//!
//! A material is one small struct; everything else (elements, plane stress, step rules) asks it the three questions
//! of [`Material`], and laws with memory those of [`Inelastic`]. A new one is a file, and a line in the list of [`ConstitutiveLaw`].

mod at_rest;
mod batch;
mod damped;
mod fluid;
mod formula;
mod hardening;
mod heating;
mod inelastic;
mod j2;
mod j2_lanes;
mod kernels;
mod linear;
mod measure;
mod mooney_rivlin;
mod neo_hookean;
mod ogden;
mod orthotropic;
mod plane_stress;
mod principal;
mod shared;
mod sheet;
mod st_venant;
mod viscoelastic;

pub use batch::{BATCH, PastBatch, PointBatch, Side};
pub use damped::Damped;
pub use fluid::Fluid;
pub use formula::{FormulaMaterial, FormulaMaterialError};
pub use hardening::{Hardening, RateDependence};
pub use heating::Heating;
pub use inelastic::{Inelastic, Update};
pub use j2::J2;
pub use linear::LinearElastic;
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hookean::NeoHookean;
pub use ogden::{Ogden, OgdenTerm};
pub use orthotropic::{Orthotropic, OrthotropicConstants};
pub use plane_stress::PlaneStress;
pub use shared::SharedMaterial;
pub use st_venant::StVenantKirchhoff;
pub use viscoelastic::{MaxwellBranch, Viscoelastic};

use super::tensor::{Tensor, combine, determinant, product, transpose};
use crate::error::Diagnostic;
use std::fmt::Debug;
use std::slice::from_mut;

/// Why a material has no energy at a deformation gradient.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MaterialFault {
    /// `det F <= 0`: the matter is turned inside out.
    Inverted,
    /// The deformation gradient contains a value that is not a finite number.
    NotFinite,
    /// Plane stress: no thickness makes the normal stress vanish.
    Thickness,
}

/// A stored energy `W(F)`: value, first Piola stress `P = dW/dF`, tangent `dP/dF`.
pub trait Material: Debug + Send + Sync {
    /// `W` and `P` at `F`.
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault>;

    /// `dP = (dP/dF) dF`, the tangent applied to a change of `F`.
    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault>;

    /// The Lame constants of the small-strain limit.
    fn lame(&self) -> Lame;

    /// Whether these constants describe it at small strain in every direction.
    fn is_isotropic(&self) -> bool {
        true
    }

    /// The same as a law with memory, if it is one.
    fn inelastic(&self) -> Option<&dyn Inelastic> {
        None
    }

    /// The time `beta` of its stiffness damping `C = beta K`, by which stable steps are shorter.
    fn stiffness_damping(&self) -> f64 {
        0.0
    }

    /// Whether its energy is that of small strains, where changes of volume add up.
    fn is_small_strain(&self) -> bool {
        false
    }

    /// The constants of a material that is exactly [`NeoHookean`]: its tetrahedra have a faster kernel.
    fn neo_hookean(&self) -> Option<Lame> {
        None
    }

    /// Energies and stresses of batches of points side by side, with the bits of [`stress`](Self::stress). `false`, and anything written, if one
    /// of them has no energy: they must then be asked one by one.
    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        at.iter_mut().all(|at| batch::stress_one_by_one(self, at))
    }

    /// `W` at `F`, zero at rest.
    #[inline]
    fn energy(&self, f: &Tensor) -> Result<f64, MaterialFault> {
        self.stress(f).map(|(w, _)| w)
    }

    /// All of `A[iJkL] = dP_iJ / dF_kL`, at `27 i + 9 J + 3 k + L`.
    fn tangent(&self, f: &Tensor) -> Result<[f64; 81], MaterialFault> {
        let mut a = [0.0; 81];
        for k in 0..3 {
            for l in 0..3 {
                let mut df = [[0.0; 3]; 3];
                df[k][l] = 1.0;
                let dp = self.action(f, &df)?;
                for i in 0..3 {
                    for j in 0..3 {
                        a[27 * i + 9 * j + 3 * k + l] = dp[i][j];
                    }
                }
            }
        }
        Ok(a)
    }

    /// The true (Cauchy) stress `P F^T / J`.
    fn cauchy(&self, f: &Tensor) -> Result<Tensor, MaterialFault> {
        let (_, p) = self.stress(f)?;
        Ok(combine([(1.0 / determinant(f), &product(&p, &transpose(f)))]))
    }

    /// Speed of volumetric waves in the undeformed state, `sqrt((lambda + 2 mu) / rho)` [AVI03 4].
    fn wave_speed(&self, density: f64) -> f64 {
        self.lame().wave_speed(density)
    }

    /// The `F33` at which `P33` vanishes, given the rest of `F`: what plane stress needs.
    #[inline]
    fn thickness(&self, f: &Tensor) -> Result<f64, MaterialFault> {
        plane_stress::solve(self, f)
    }

    /// Writes the thicknesses of points side by side as `F33`, with the bits of [`thickness`](Self::thickness). `false` as in
    /// [`stress_batch`](Self::stress_batch).
    fn thickness_batch(&self, at: &mut PointBatch) -> bool {
        plane_stress::solve_batch(at, self.lame(), |at| self.stress_batch(from_mut(at)))
    }
}

/// The two constants of isotropic linear elasticity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lame {
    /// First constant, `lambda`.
    pub lambda: f64,
    /// Shear modulus, `mu`.
    pub mu: f64,
}

impl Lame {
    /// From `lambda` and `mu`; stability asks `mu > 0` and a bulk modulus `lambda + 2 mu / 3 > 0`.
    ///
    /// ```
    /// use stationary::model::solid::Lame;
    /// let steel = Lame::from_young(210e9, 0.3)?;
    /// assert!((steel.young() - 210e9).abs() < 1.0 && (steel.poisson() - 0.3).abs() < 1e-12);
    /// assert!(Lame::new(93e9, -10e9).is_err());
    /// # Ok::<(), stationary::error::Diagnostic>(())
    /// ```
    pub fn new(lambda: f64, mu: f64) -> Result<Self, Diagnostic> {
        if !(mu > 0.0 && mu.is_finite()) {
            return Err(Diagnostic::new(format!("the shear modulus mu is {mu}"))
                .help("expected a positive finite number"));
        }
        if !(lambda + mu / 1.5 > 0.0 && lambda.is_finite()) {
            return Err(Diagnostic::new(format!("the Lame constant lambda is {lambda}")).help(format!(
                "expected a finite number above -2 mu / 3 = {}, so that the bulk modulus is positive",
                -mu / 1.5
            )));
        }
        Ok(Lame { lambda, mu })
    }

    /// From Young's modulus and Poisson's ratio.
    pub fn from_young(young: f64, poisson: f64) -> Result<Self, Diagnostic> {
        if !(young > 0.0 && young.is_finite()) {
            return Err(Diagnostic::new(format!("Young's modulus is {young}"))
                .help("expected a positive finite number"));
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(Diagnostic::new(format!("Poisson's ratio is {poisson}"))
                .help("expected a number above -1 and below 0.5 (0.5 would be incompressible)"));
        }
        let mu = young / (2.0 * (1.0 + poisson));
        Lame::new(2.0 * mu * poisson / (1.0 - 2.0 * poisson), mu)
    }

    /// Young's modulus.
    pub fn young(&self) -> f64 {
        self.mu * (3.0 * self.lambda + 2.0 * self.mu) / (self.lambda + self.mu)
    }

    /// Poisson's ratio.
    pub fn poisson(&self) -> f64 {
        0.5 * self.lambda / (self.lambda + self.mu)
    }

    /// `sqrt((lambda + 2 mu) / rho)`.
    pub fn wave_speed(&self, density: f64) -> f64 {
        ((self.lambda + 2.0 * self.mu) / density).sqrt()
    }

    /// Refuses `lambda < 0` where a logarithm of the volume would make collapse to a point profitable.
    fn non_negative(self, name: &str) -> Result<Self, Diagnostic> {
        if self.lambda < 0.0 {
            return Err(Diagnostic::new(format!("a {name} material with lambda = {}", self.lambda))
                .help("expected lambda >= 0 (a Poisson's ratio of at least 0): below it, collapse lowers the energy"));
        }
        Ok(self)
    }
}

/// The volume ratio's typed failure; NaN fails both comparisons.
#[cold]
#[inline(never)]
fn broken(j: f64) -> MaterialFault {
    if j.is_finite() { MaterialFault::Inverted } else { MaterialFault::NotFinite }
}

/// What is done with a material whose type is known only at run time.
pub trait MaterialVisitor {
    /// What comes of it.
    type Output;
    /// Does it.
    fn visit<M: Material + Clone + 'static>(self, material: &M) -> Self::Output;
}

/// Makes [`ConstitutiveLaw`] of a list of materials.
macro_rules! laws {
    ($($(#[$doc:meta])* $name:ident($material:ty),)*) => {
        /// The materials that come with the library, for a choice made at run time.
        #[derive(Debug, Clone)]
        pub enum ConstitutiveLaw {
            $($(#[$doc])* $name($material),)*
        }

        impl ConstitutiveLaw {
            /// The same questions, asked through a pointer: for set-up and reports, not for kernels.
            pub fn material(&self) -> &dyn Material {
                match self {
                    $(ConstitutiveLaw::$name(material) => material,)*
                }
            }

            /// The material behind a pointer.
            pub fn shared(&self) -> SharedMaterial {
                match self {
                    $(ConstitutiveLaw::$name(material) => SharedMaterial::new(material.clone()),)*
                }
            }

            /// Does something with the material as its own type.
            pub fn visit<V: MaterialVisitor>(&self, visitor: V) -> V::Output {
                match self {
                    $(ConstitutiveLaw::$name(material) => visitor.visit(material),)*
                }
            }
        }
    };
}

laws! {
    /// Compressible neo-Hookean.
    NeoHookean(NeoHookean),
    /// St Venant-Kirchhoff.
    StVenantKirchhoff(StVenantKirchhoff),
    /// Small-strain linear elastic.
    Linear(LinearElastic),
    /// Compressible Mooney-Rivlin.
    MooneyRivlin(MooneyRivlin),
    /// A formula of the invariants, or of components of `C` or `F`.
    Formula(FormulaMaterial),
    /// Finite-strain plasticity of metals.
    J2(J2),
    /// Neo-Hookean with Maxwell branches.
    Viscoelastic(Viscoelastic),
    /// Ogden's rubber.
    Ogden(Ogden),
    /// Orthotropic elasticity.
    Orthotropic(Orthotropic),
    /// A barotropic fluid.
    Fluid(Fluid),
    /// Another one with stiffness damping.
    Damped(Damped),
}
