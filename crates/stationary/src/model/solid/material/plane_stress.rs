//! A thin sheet: the thickness takes the stretch that frees the normal direction of stress.

use super::{BATCH, Inelastic, Lame, Material, MaterialFault, PastBatch, PointBatch, Side, Update, broken};
use crate::model::Past;
use crate::model::solid::tensor::Tensor;

/// A material whose `F33` is not given but minimises the energy, so that `P33 = 0`.
///
/// The reduced energy `min W` over `F33` has the in-plane part of `P` as its gradient (the envelope theorem): plane
/// stress is a potential like any other. What the caller puts in `F33` is not read; shear out of the plane is zero.
#[derive(Debug, Clone)]
pub struct PlaneStress<M>(pub M);

const AXIS: Tensor = [[0.0; 3], [0.0; 3], [0.0, 0.0, 1.0]];

/// The method of secants for `P33(F33) = 0`, kept inside a bracket: `P33` grows through its root. The start depends on `F` alone, so that the energy is a function
/// of the state and not of history.
#[derive(Debug, Clone, Copy)]
struct Root {
    /// Where `P33` is asked next; in the end the root.
    s: f64,
    low: f64,
    high: f64,
    /// The last place and the stress there.
    before: Option<[f64; 2]>,
    /// The reciprocal of the slope, and how far the places are apart from which it comes.
    compliance: f64,
    span: f64,
    asked: usize,
}

/// Most evaluations: only a root at zero or at infinity is approached by halves and doubles and never met.
const EVALUATIONS: usize = 100;
/// After so many of them every second one halves the bracket.
const ENOUGH: usize = 12;
/// Places nearer than this part of the thickness give no slope, only rounding.
const NEARBY: f64 = 1e-13;
/// Places as near as this give the slope at the root.
const LOCAL: f64 = 1e-3;
/// After so small a step only rounding is left to gain.
const LAST: f64 = 1e-14;
/// The largest step, as a factor.
const FURTHEST: f64 = 4.0;

impl Root {
    #[inline]
    fn new(f: &Tensor, Lame { lambda, mu }: Lame) -> Result<Self, MaterialFault> {
        let area = f[0][0] * f[1][1] - f[0][1] * f[1][0];
        if !(area > 0.0) {
            return Err(broken(area));
        }
        if !area.is_finite() {
            return Err(MaterialFault::NotFinite);
        }
        let s = area.powf(-lambda / (lambda + 2.0 * mu));
        // Nearly that of a neo-Hookean sheet.
        let compliance = s * s / (mu * (s * s) + lambda + mu);
        Ok(Root { s, low: 0.0, high: f64::INFINITY, before: None, compliance, span: f64::INFINITY, asked: 0 })
    }

    /// Takes the stress at `s` and moves on. True once `s` is the root.
    #[inline]
    fn advance(&mut self, p: f64) -> Result<bool, MaterialFault> {
        let s = self.s;
        if p > 0.0 {
            self.high = s;
        } else if p < 0.0 {
            self.low = s;
        } else if p == 0.0 {
            return Ok(true);
        } else {
            return Err(MaterialFault::NotFinite);
        }
        self.asked += 1;
        if self.asked == EVALUATIONS {
            return Err(MaterialFault::Thickness);
        }
        let mut moved = f64::INFINITY;
        if let Some([t, q]) = self.before.replace([s, p]) {
            moved = (s - t).abs();
            let compliance = (s - t) / (p - q);
            if compliance > 0.0 && moved > NEARBY * s {
                (self.compliance, self.span) = (compliance, moved);
            }
        }
        let step = -p * self.compliance;
        let (next, size) = (s + step, step.abs());
        // The error after a step of secants is about the step times the span, if the slope is that of the neighbourhood.
        let close = self.span <= LOCAL * s && size * self.span <= LOCAL * LAST * (s * s);
        let first = self.asked == 1 && size <= f64::EPSILON * s;
        if close || first || (moved <= LOCAL * s && size <= LAST * s) {
            self.s = next;
            return Ok(true);
        }
        let next = next.clamp(s / FURTHEST, s * FURTHEST);
        let inside = next > self.low && next < self.high;
        self.s = if inside && (self.asked < ENOUGH || self.asked.is_multiple_of(2)) {
            next
        } else if self.high.is_finite() {
            0.5 * (self.low + self.high)
        } else {
            FURTHEST * s
        };
        Ok(false)
    }
}

/// The `F33` at which `P33` vanishes.
#[inline]
pub(super) fn solve<M: Material + ?Sized>(material: &M, f: &Tensor) -> Result<f64, MaterialFault> {
    solve_with(f, material.lame(), |g| material.stress(g).map(|(_, p)| p[2][2]))
}

/// The same of any `P33`.
#[inline]
fn solve_with(
    f: &Tensor,
    lame: Lame,
    stress: impl Fn(&Tensor) -> Result<f64, MaterialFault>,
) -> Result<f64, MaterialFault> {
    let mut root = Root::new(f, lame)?;
    let mut g = *f;
    loop {
        g[2][2] = root.s;
        if root.advance(stress(&g)?)? {
            return Ok(root.s);
        }
    }
}

/// The same side by side, written as `F33`: the stresses of all points are asked until the last has its root. `false` if one has none.
pub(super) fn solve_batch(
    at: &mut PointBatch,
    lame: Lame,
    mut stress: impl FnMut(&mut PointBatch) -> bool,
) -> bool {
    let mut roots = [None; BATCH];
    for (lane, root) in roots.iter_mut().enumerate() {
        let Ok(new) = Root::new(&at.deformation(lane), lame) else { return false };
        (at.f[8][lane], *root) = (new.s, Some(new));
    }
    while roots.iter().any(Option::is_some) {
        if !stress(at) {
            return false;
        }
        for (lane, slot) in roots.iter_mut().enumerate() {
            let Some(root) = slot else { continue };
            let Ok(done) = root.advance(at.p[8][lane]) else { return false };
            at.f[8][lane] = root.s;
            if done {
                *slot = None;
            }
        }
    }
    true
}

/// No shear out of the plane.
fn flatten(t: &mut [Side; 9]) {
    [2, 5, 6, 7].into_iter().for_each(|i| t[i] = [0.0; BATCH]);
}

/// And no normal stress.
fn free(p: &mut [Side; 9]) {
    flatten(p);
    p[8] = [0.0; BATCH];
}

impl<M: Material> PlaneStress<M> {
    #[inline]
    fn complete(&self, f: &Tensor) -> Result<Tensor, MaterialFault> {
        let mut flat = [[f[0][0], f[0][1], 0.0], [f[1][0], f[1][1], 0.0], [0.0; 3]];
        flat[2][2] = self.0.thickness(&flat)?;
        Ok(flat)
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
        let thickness =
            solve_with(&[[f[0][0], f[0][1], 0.0], [f[1][0], f[1][1], 0.0], [0.0; 3]], law.lame(), |g| {
                law.update(g, past, None).map(|u| u.stress[2][2])
            })?;
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

    fn update_batch(&self, at: &mut PointBatch, past: PastBatch<'_>) -> bool {
        let law = self.remembering();
        let PastBatch { history, dt, after } = past;
        flatten(&mut at.f);
        let found =
            solve_batch(at, law.lame(), |at| law.update_batch(at, PastBatch { history, dt, after: None }));
        if !found || !law.update_batch(at, PastBatch { history, dt, after }) {
            return false;
        }
        free(&mut at.p);
        true
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

    fn stress_batch(&self, at: &mut [PointBatch]) -> bool {
        for at in at.iter_mut() {
            flatten(&mut at.f);
            if !self.0.thickness_batch(at) {
                return false;
            }
        }
        if !self.0.stress_batch(at) {
            return false;
        }
        at.iter_mut().for_each(|at| free(&mut at.p));
        true
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

    fn thickness_batch(&self, at: &mut PointBatch) -> bool {
        self.0.thickness_batch(at)
    }
}
