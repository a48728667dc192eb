//! Matter with three planes of symmetry: wood, laminates, rolled sheet.

use super::kernels::{self, ElasticKernel, Stresses};
use super::{Lame, Material, MaterialFault, PointBatch, broken};
use crate::error::Diagnostic;
use crate::linalg::{cross, dot};
use crate::model::solid::lanes::tensor::{self as wide, Matrix};
use crate::model::solid::lanes::{Lanes, Num};
use crate::model::solid::tensor::{Tensor, cofactor, combine, determinant, product, transpose};

/// Orthotropic elasticity, `W = E : C : E / 2` of Green's strain `E = (F'F - 1)/2`, so that rotations cost nothing. As
/// [`StVenantKirchhoff`](super::StVenantKirchhoff), whose anisotropic sister it is, it is for small strains, and softens under strong compression.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Orthotropic {
    /// The axes of the matter, one a row.
    axes: Tensor,
    /// Stiffness of normal strains along the axes.
    normal: Tensor,
    /// Shear moduli in the planes 12, 23, 31.
    shear: [f64; 3],
}

/// The nine constants of an orthotropic law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OrthotropicConstants {
    /// Young's moduli along the axes.
    pub young: [f64; 3],
    /// Poisson's ratios 12, 23, 31: pulled along the first axis, matter becomes thinner along the second by this part.
    pub poisson: [f64; 3],
    /// Shear moduli in the planes 12, 23, 31.
    pub shear: [f64; 3],
}

impl Orthotropic {
    /// With nine constants, in a frame of which the first axis is along `first`, and the second in the plane of both vectors.
    pub fn new(
        constants: OrthotropicConstants,
        first: [f64; 3],
        second: [f64; 3],
    ) -> Result<Self, Diagnostic> {
        let OrthotropicConstants { young: e, poisson: nu, shear } = constants;
        for (name, values) in [("Young's moduli", e), ("shear moduli", shear)] {
            if !values.iter().all(|x| *x > 0.0 && x.is_finite()) {
                return Err(Diagnostic::new(format!("the {name} are {values:?}"))
                    .help("expected three positive finite numbers"));
            }
        }
        // The compliance of normal strains is symmetric: nu_ij / E_i = nu_ji / E_j.
        let [s12, s23, s31] = [-nu[0] / e[0], -nu[1] / e[1], -nu[2] / e[2]];
        let compliance = [[1.0 / e[0], s12, s31], [s12, 1.0 / e[1], s23], [s31, s23, 1.0 / e[2]]];
        let minor = compliance[0][0] * compliance[1][1] - s12 * s12;
        let whole = determinant(&compliance);
        if !(minor > 0.0 && whole > 0.0 && whole.is_finite()) {
            return Err(Diagnostic::new(format!("Poisson's ratios {nu:?} with Young's moduli {e:?}"))
                .help("expected ratios with which every strain costs energy: nu_ij^2 < E_i / E_j, and all together not near incompressible"));
        }
        let mut normal = cofactor(&compliance);
        normal.as_flattened_mut().iter_mut().for_each(|x| *x /= whole);
        Ok(Orthotropic { axes: frame(first, second)?, normal, shear })
    }

    /// `S = C : E`, both in the axes of space.
    #[inline(always)]
    fn second_piola<L: Lanes>(&self, e: &Matrix<L>) -> Matrix<L> {
        let axes = wide::splat(&self.axes);
        let own = wide::product(&wide::product(&axes, e), &wide::transpose(&axes));
        let mut s = wide::zero();
        for i in 0..3 {
            for j in 0..3 {
                s[i][i] = s[i][i] + self.normal[i][j] * own[j][j];
            }
        }
        for ((i, j), shear) in [(0, 1), (1, 2), (2, 0)].into_iter().zip(self.shear) {
            s[i][j] = 2.0 * shear * own[i][j];
            s[j][i] = s[i][j];
        }
        wide::product(&wide::product(&wide::transpose(&axes), &s), &axes)
    }
}

/// Three unit vectors at right angles.
fn frame(first: [f64; 3], second: [f64; 3]) -> Result<Tensor, Diagnostic> {
    let unit = |v: [f64; 3]| {
        let length = dot(&v, &v).sqrt();
        (length > 0.0 && length.is_finite()).then(|| v.map(|x| x / length))
    };
    let axes = unit(first).zip(unit(second)).and_then(|(a, b)| {
        let third = cross(&a, &b);
        // Below this the second direction says nothing.
        let c = (dot(&third, &third) > 1e-12).then(|| unit(third)).flatten()?;
        Some([a, cross(&c, &a), c])
    });
    axes.ok_or_else(|| {
        Diagnostic::new(format!("the axes {first:?} and {second:?}"))
            .help("expected two vectors that are not parallel, and not zero")
    })
}

impl ElasticKernel for Orthotropic {
    const FUSED: bool = false;

    #[inline(always)]
    fn evaluate<L: Lanes>(&self, f: &Matrix<L>) -> Stresses<L> {
        let j = wide::determinant_by(f, &wide::cofactor(f));
        let e = wide::green(f);
        let s = self.second_piola(&e);
        Stresses {
            exists: Num::splat(0.0).below(j),
            energy: 0.5 * wide::contract(&s, &e),
            stress: wide::product(f, &s),
        }
    }
}

impl Material for Orthotropic {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        kernels::stress(self, f)
    }

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        kernels::stress_batch(self, at)
    }

    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let j = determinant(f);
        if !(j > 0.0) {
            return Err(broken(j));
        }
        let e = wide::green(&wide::splat::<f64>(f));
        let de = wide::symmetric(&wide::splat::<f64>(&product(&transpose(f), df)));
        let [s, ds] = [e, de].map(|e| wide::single(&self.second_piola(&e)));
        let (one, other) = (product(df, &s), product(f, &ds));
        Ok(combine([(1.0, &one), (1.0, &other)]))
    }

    /// Constants of the mean over directions, nearly: only estimates are made with them.
    fn lame(&self) -> Lame {
        let mean = |x: [f64; 3]| (x[0] + x[1] + x[2]) / 3.0;
        let off = mean([self.normal[0][1], self.normal[1][2], self.normal[2][0]]);
        let diagonal = mean([self.normal[0][0], self.normal[1][1], self.normal[2][2]]);
        Lame { lambda: off, mu: (diagonal - off + 3.0 * mean(self.shear)) / 5.0 }
    }

    fn is_isotropic(&self) -> bool {
        false
    }

    /// An upper bound for waves in any direction: by the largest row sum of the stiffness (Gershgorin).
    fn wave_speed(&self, density: f64) -> f64 {
        let row = |i: usize| self.normal[i].iter().map(|x| x.abs()).sum::<f64>();
        let stiffness = (0..3).map(row).chain(self.shear.map(|g| 2.0 * g)).fold(0.0, f64::max);
        (stiffness / density).sqrt()
    }
}
