//! A thin sheet: the thickness takes the stretch that frees the normal direction of stress.

use super::{Inelastic, Lame, Material, MaterialFault, Update, broken};
use crate::model::Past;
use crate::model::solid::tensor::Tensor;

/// A material whose `F33` is not given but minimises the energy, so that `P33 = 0`.
///
/// The reduced energy `min W` over `F33` has the in-plane part of `P` as its gradient (the envelope theorem): plane
/// stress is a potential like any other. What the caller puts in `F33` is not read; shear out of the plane is zero.
#[derive(Debug, Clone)]
pub struct PlaneStress<M>(pub M);

const AXIS: Tensor = [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0]];

/// Newton's method for `P33(F33) = 0`, kept inside a bracket: `P33` grows through its root. The start depends
/// on `F` alone, so that the energy is a function of the state and not of history.
#[inline]
pub(super) fn solve<M: Material + ?Sized>(material: &M, f: &Tensor) -> Result<f64, MaterialFault> {
    solve_with(
        f,
        material.lame(),
        |g| material.stress(g).map(|(_, p)| p[2][2]),
        |g| material.action(g, &AXIS).map(|dp| dp[2][2]),
    )
}

/// The same of any `P33` and its slope.
#[inline]
fn solve_with(
    f: &Tensor,
    lame: Lame,
    stress: impl Fn(&Tensor) -> Result<f64, MaterialFault>,
    slope: impl Fn(&Tensor) -> Result<f64, MaterialFault>,
) -> Result<f64, MaterialFault> {
    let area = f[0][0] * f[1][1] - f[0][1] * f[1][0];
    if !(area > 0.0) {
        return Err(broken(area));
    }
    if !area.is_finite() {
        return Err(MaterialFault::NotFinite);
    }
    let Lame { lambda, mu } = lame;
    let mut s = area.powf(-lambda / (lambda + 2.0 * mu));
    let (mut low, mut high) = (0.0, f64::INFINITY);
    let mut g = *f;
    for _ in 0..100 {
        g[2][2] = s;
        let p = stress(&g)?;
        if p > 0.0 {
            high = s;
        } else if p < 0.0 {
            low = s;
        } else if p == 0.0 {
            return Ok(s);
        } else {
            return Err(MaterialFault::NotFinite);
        }
        let slope = slope(&g)?;
        let newton = s - p / slope;
        // Newton doubles the correct digits: after so small a step only rounding is left to gain.
        if slope > 0.0 && (newton - s).abs() <= 1e-9 * s {
            return Ok(newton);
        }
        s = if slope > 0.0 && newton > low && newton < high {
            newton
        } else if high.is_finite() {
            0.5 * (low + high)
        } else {
            2.0 * s
        };
    }
    // Only a root at zero or at infinity is approached by halves and doubles and never met.
    Err(MaterialFault::Thickness)
}

impl<M: Material> PlaneStress<M> {
    #[inline]
    fn complete(&self, f: &Tensor) -> Result<Tensor, MaterialFault> {
        Ok([[f[0][0], f[0][1], 0.0], [f[1][0], f[1][1], 0.0], [0.0, 0.0, self.0.thickness(f)?]])
    }
}

/// The tangent in the plane: `P33` stays zero, `A3333 dF33 = -(A33 : dF in the plane)`.
#[inline]
fn in_plane(
    df: &Tensor,
    action: impl Fn(&Tensor) -> Result<Tensor, MaterialFault>,
) -> Result<Tensor, MaterialFault> {
    let mut df = [[df[0][0], df[0][1], 0.0], [df[1][0], df[1][1], 0.0], [0.0; 3]];
    df[2][2] = -action(&df)?[2][2] / action(&AXIS)?[2][2];
    let mut dp = action(&df)?;
    dp[2] = [0.0; 3];
    (dp[0][2], dp[1][2]) = (0.0, 0.0);
    Ok(dp)
}

impl<M: Material> PlaneStress<M> {
    /// The law with memory; only asked for where there is one.
    fn remembering(&self) -> &dyn Inelastic {
        self.0.inelastic().expect("a law with memory")
    }

    /// `F` with the thickness that frees the normal direction of the stress of an update.
    fn complete_after(&self, f: &Tensor, past: Past<'_>) -> Result<Tensor, MaterialFault> {
        let law = self.remembering();
        let thickness = solve_with(
            f,
            law.lame(),
            |g| law.update(g, past, None).map(|u| u.stress[2][2]),
            |g| law.action_after(g, &AXIS, past).map(|dp| dp[2][2]),
        )?;
        Ok([[f[0][0], f[0][1], 0.0], [f[1][0], f[1][1], 0.0], [0.0, 0.0, thickness]])
    }
}

impl<M: Material> Inelastic for PlaneStress<M> {
    fn history_size(&self) -> usize {
        self.remembering().history_size()
    }

    fn first_history(&self, out: &mut [f64]) {
        self.remembering().first_history(out);
    }

    fn update(&self, f: &Tensor, past: Past<'_>, after: Option<&mut [f64]>) -> Result<Update, MaterialFault> {
        let mut update = self.remembering().update(&self.complete_after(f, past)?, past, after)?;
        update.stress[2] = [0.0; 3];
        (update.stress[0][2], update.stress[1][2]) = (0.0, 0.0);
        Ok(update)
    }

    fn action_after(&self, f: &Tensor, df: &Tensor, past: Past<'_>) -> Result<Tensor, MaterialFault> {
        let f = self.complete_after(f, past)?;
        in_plane(df, |df| self.remembering().action_after(&f, df, past))
    }

    fn cauchy_after(&self, f: &Tensor, past: Past<'_>) -> Result<Tensor, MaterialFault> {
        self.remembering().cauchy_after(&self.complete_after(f, past)?, past)
    }

    fn shown(&self) -> &'static [(&'static str, usize)] {
        self.remembering().shown()
    }
}

impl<M: Material> Material for PlaneStress<M> {
    #[inline]
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        let (w, mut p) = self.0.stress(&self.complete(f)?)?;
        p[2] = [0.0; 3];
        (p[0][2], p[1][2]) = (0.0, 0.0);
        Ok((w, p))
    }

    #[inline]
    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let f = self.complete(f)?;
        in_plane(df, |df| self.0.action(&f, df))
    }

    fn inelastic(&self) -> Option<&dyn Inelastic> {
        self.0.inelastic().is_some().then_some(self as _)
    }

    fn stiffness_damping(&self) -> f64 {
        self.0.stiffness_damping()
    }

    #[inline]
    fn lame(&self) -> Lame {
        self.0.lame()
    }

    fn is_isotropic(&self) -> bool {
        self.0.is_isotropic()
    }

    fn wave_speed(&self, density: f64) -> f64 {
        self.0.wave_speed(density)
    }

    fn cauchy(&self, f: &Tensor) -> Result<Tensor, MaterialFault> {
        self.0.cauchy(&self.complete(f)?)
    }

    #[inline]
    fn thickness(&self, f: &Tensor) -> Result<f64, MaterialFault> {
        self.0.thickness(f)
    }
}
