//! Stiffness damping: a material beside a viscous stress.

use super::inelastic::{Inelastic, Update};
use super::{ConstitutiveLaw, Lame, Material, MaterialFault, SharedMaterial};
use crate::error::Diagnostic;
use crate::model::Past;
use crate::model::solid::tensor::{IDENTITY, Tensor, combine, product, transpose};

/// Any material with the viscous stress of Kelvin and Voigt beside its own, the objective form of stiffness damping `C = beta K` (Rayleigh):
///
/// ```text
/// P = dW/dF + F S,    S = beta C : E',    E = (F^T F - 1)/2,    C = d2W/dE2 at rest
/// ```
///
/// The second Piola stress `S` follows from the rate of Green's strain, so that a rotation, however large, is not damped, and each element
/// balances its own viscous forces and their moments; `beta K` with the stiffness of the undeformed body would damp rotations. An increment of duration `dt` has
///
/// ```text
/// W_n(F) = W(F) + beta/(2 dt) (E - E_n) : C : (E - E_n),
/// ```
///
/// with the quadratic rate potential `beta/2 E' : C : E'`, and dissipates twice its second part, which is never negative. The stress at the end of an
/// increment is that of the mean rate in it: explicit steps of length `h` see `E'` half a step late, `S(t) = beta C : E'(t - h/2)`. In the motion this
/// is an error of first order, `xi omega h/2` of a frequency `omega` that is damped by the part `xi = beta omega/2` of its critical damping. The first
/// increment has no viscous stress, since bodies may start deformed.
///
/// History: that of the material; `E` as xx, yy, zz, xy, yz, xz; `S` in the same order; the duration of the last increment; the energy dissipated.
///
/// ```
/// use stationary::model::Past;
/// use stationary::model::solid::{ConstitutiveLaw, Damped, Inelastic, Lame, NeoHookean};
///
/// let rubber = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(3e6, 1e6)?)?);
/// let law = Damped::new(&rubber, 1e-3)?;
/// let mut history = vec![0.0; law.history_size()];
/// law.first_history(&mut history);
/// let rest = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let mut after = history.clone();
/// law.update(&rest, Past { history: &history, dt: 1e-3 }, Some(&mut after)).unwrap();
/// // A small shear within a millisecond: as much viscous as elastic stress.
/// let sheared = [[1.0, 1e-6, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// let update = law.update(&sheared, Past { history: &after, dt: 1e-3 }, None).unwrap();
/// assert!((update.stress[0][1] - 2.0).abs() < 1e-5);
/// # Ok::<(), stationary::error::Diagnostic>(())
/// ```
#[derive(Debug, Clone)]
pub struct Damped {
    law: SharedMaterial,
    beta: f64,
    /// `beta C`, by pairs of components in the order of the history.
    viscous: [[f64; 6]; 6],
}

/// Numbers of history besides those of the material, and where they are.
const OWN: usize = 14;
const STRESS: usize = 6;
const DURATION: usize = 12;

/// The components of a symmetric tensor in the order of the history.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)];

/// A rate is a difference over at least this part of the last increment: the strain between two commits that only rounding separates in time
/// is rounding, too.
const SHORTEST: f64 = 1.0 / 1024.0;

/// A viscous stress with its potential and dissipation.
struct Viscous {
    stress: Tensor,
    strain: [f64; 6],
    potential: f64,
    dissipated: f64,
    /// One over the time by which strains are divided; zero where the stress is given.
    per_time: f64,
}

fn tensor(s: &[f64; 6]) -> Tensor {
    [[s[0], s[3], s[5]], [s[3], s[1], s[4]], [s[5], s[4], s[2]]]
}

/// `(a^T b + b^T a)/2` by components.
fn symmetric(a: &Tensor, b: &Tensor) -> [f64; 6] {
    let c = product(&transpose(a), b);
    PAIRS.map(|(i, j)| 0.5 * (c[i][j] + c[j][i]))
}

/// `a : b`, where each pair off the diagonal stands for two entries.
fn contract(a: &[f64; 6], b: &[f64; 6]) -> f64 {
    let product = |i: usize| a[i] * b[i];
    product(0) + product(1) + product(2) + 2.0 * (product(3) + product(4) + product(5))
}

impl Damped {
    /// A material with the time `beta` of its stiffness damping.
    pub fn new(law: &ConstitutiveLaw, beta: f64) -> Result<Self, Diagnostic> {
        if !(beta >= 0.0 && beta.is_finite()) {
            return Err(Diagnostic::new(format!("the stiffness damping is {beta}"))
                .help("expected a time, a finite number of at least 0"));
        }
        let law = law.shared();
        let tangent = law.tangent(&IDENTITY).map_err(|_| {
            Diagnostic::new("stiffness damping of a material without a stiffness at rest")
                .help("expected an energy with finite derivatives where nothing is deformed")
        })?;
        let entry =
            |(i, j): (usize, usize), (k, l): (usize, usize)| beta * tangent[27 * i + 9 * j + 3 * k + l];
        let viscous = PAIRS.map(|one| PAIRS.map(|other| entry(one, other)));
        Ok(Damped { law, beta, viscous })
    }

    /// Where its own numbers begin in the history.
    fn first(&self) -> usize {
        self.law.inelastic().map_or(0, |law| law.history_size())
    }

    /// The past of the material itself, and its own numbers.
    fn split<'a>(&self, past: Past<'a>) -> (Past<'a>, &'a [f64]) {
        let (history, own) = past.history.split_at(self.first());
        (Past { history, dt: past.dt }, own)
    }

    /// `beta C : e`.
    fn resist(&self, e: &[f64; 6]) -> [f64; 6] {
        self.viscous.map(|row| contract(&row, e))
    }

    fn viscous(&self, f: &Tensor, own: &[f64], dt: f64) -> Viscous {
        let six = |from: usize| -> [f64; 6] { std::array::from_fn(|i| own[from + i]) };
        let (before, last) = (six(0), six(STRESS));
        let mut strain = symmetric(f, f).map(|c| 0.5 * c);
        (0..3).for_each(|i| strain[i] -= 0.5);
        let change: [f64; 6] = std::array::from_fn(|i| strain[i] - before[i]);
        let time = dt.max(SHORTEST * own[DURATION]);
        // Nothing is known of the rate before there has been an increment.
        let per_time = if dt > 0.0 && own[DURATION] > 0.0 { 1.0 / time } else { 0.0 };
        // What is left of the last rate where the time is shorter.
        let left = match dt {
            0.0 => 1.0,
            _ if dt < time => (time - dt) / time,
            _ => 0.0,
        };
        let resisted = self.resist(&change).map(|s| per_time * s);
        let stress: [f64; 6] = std::array::from_fn(|i| resisted[i] + left * last[i]);
        let dissipated = contract(&resisted, &change);
        let potential = 0.5 * dissipated + left * contract(&last, &change);
        Viscous { stress: tensor(&stress), strain, potential, dissipated, per_time }
    }
}

impl Inelastic for Damped {
    fn history_size(&self) -> usize {
        self.first() + OWN
    }

    fn first_history(&self, out: &mut [f64]) {
        let (inner, own) = out.split_at_mut(self.first());
        if let Some(law) = self.law.inelastic() {
            law.first_history(inner);
        }
        own.fill(0.0);
    }

    fn update(&self, f: &Tensor, past: Past<'_>, after: Option<&mut [f64]>) -> Result<Update, MaterialFault> {
        let (inner, own) = self.split(past);
        let (inner_after, own_after) = match after {
            Some(after) => {
                let (inner, own) = after.split_at_mut(self.first());
                (Some(inner), Some(own))
            }
            None => (None, None),
        };
        let mut update = match self.law.inelastic() {
            Some(law) => law.update(f, inner, inner_after)?,
            None => {
                let (stored, stress) = self.law.stress(f)?;
                Update { potential: stored, stored, dissipated: 0.0, stress }
            }
        };
        let viscous = self.viscous(f, own, past.dt);
        let flowed = update.dissipated - inner.history.last().unwrap_or(&0.0);
        update.dissipated = own[OWN - 1] + (flowed + viscous.dissipated);
        update.potential += viscous.potential;
        update.stress = combine([(1.0, &update.stress), (1.0, &product(f, &viscous.stress))]);
        if let Some(after) = own_after {
            after.copy_from_slice(own);
            if past.dt > 0.0 {
                after[..STRESS].copy_from_slice(&viscous.strain);
                for (after, (i, j)) in after[STRESS..DURATION].iter_mut().zip(PAIRS) {
                    *after = viscous.stress[i][j];
                }
                after[DURATION] = past.dt;
            }
            after[OWN - 1] = update.dissipated;
        }
        Ok(update)
    }

    fn action_after(&self, f: &Tensor, df: &Tensor, past: Past<'_>) -> Result<Tensor, MaterialFault> {
        let (inner, own) = self.split(past);
        let elastic = match self.law.inelastic() {
            Some(law) => law.action_after(f, df, inner)?,
            None => self.law.action(f, df)?,
        };
        let viscous = self.viscous(f, own, past.dt);
        let change = tensor(&self.resist(&symmetric(f, df)).map(|s| viscous.per_time * s));
        Ok(combine([(1.0, &elastic), (1.0, &product(df, &viscous.stress)), (1.0, &product(f, &change))]))
    }

    fn shown(&self) -> &'static [(&'static str, usize)] {
        self.law.inelastic().map_or(&[], |law| law.shown())
    }
}

/// Of matter that has never been deformed, in the limit of slow motion: the material itself.
impl Material for Damped {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        self.law.stress(f)
    }

    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        self.law.action(f, df)
    }

    fn inelastic(&self) -> Option<&dyn Inelastic> {
        Some(self)
    }

    fn stiffness_damping(&self) -> f64 {
        self.beta
    }

    fn is_small_strain(&self) -> bool {
        self.law.is_small_strain()
    }

    fn lame(&self) -> Lame {
        self.law.lame()
    }

    fn is_isotropic(&self) -> bool {
        self.law.is_isotropic()
    }

    fn cauchy(&self, f: &Tensor) -> Result<Tensor, MaterialFault> {
        self.law.cauchy(f)
    }

    fn wave_speed(&self, density: f64) -> f64 {
        self.law.wave_speed(density)
    }
}
