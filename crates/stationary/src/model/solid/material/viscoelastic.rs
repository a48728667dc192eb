//! Viscoelasticity: a spring beside springs with dashpots.

use super::inelastic::{Inelastic, Update};
use super::kernels::{self, ElasticKernel, Histories, InelasticKernel, Updates};
use super::principal::{Deformation, Moduli, Principal, piola_change};
use super::{Lame, Material, MaterialFault, NeoHookean, PastBatch, PointBatch};
use crate::error::Diagnostic;
use crate::model::Past;
use crate::model::solid::lanes::hencky::{Hencky, exponential};
use crate::model::solid::lanes::math::exp;
use crate::model::solid::lanes::tensor::{self as wide, Matrix, Symmetric};
use crate::model::solid::lanes::{Lanes, Num};
use crate::model::solid::tensor::{Tensor, combine, product};

/// A branch of the generalised Maxwell model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MaxwellBranch {
    /// Its shear modulus.
    pub mu: f64,
    /// Its relaxation time.
    pub time: f64,
}

/// Finite viscoelasticity, the generalised Maxwell model: neo-Hookean in equilibrium, beside branches whose elastic strain relaxes,
///
/// ```text
/// W = W_equilibrium(F) + sum_b mu_b |dev e_b|^2,    e_b = log(F C_b^-1 F^T)/2,    (dev e_b)' = ... - dev e_b / time_b
/// ```
///
/// with the internal tensor `C_b` of each branch (Reese and Govindjee 1998). In an increment of duration `dt` it relaxes for half the time at the old deformation,
/// then the deformation changes, then it relaxes for half the time at the new one: exact where the deformation rests, of second order elsewhere.
/// With `E = exp(-dt/(2 time_b))` the part of a branch in the incremental potential is
///
/// ```text
/// mu_b E |dev e_trial|^2 = min over d of  mu_b |dev e_trial - d|^2 + mu_b E/(1 - E) |d|^2,
/// ```
///
/// the minimum of stored energy and rate potential. Where nothing has relaxed the shear modulus is `mu + sum_b mu_b`, in the end `mu`.
///
/// A branch is led by its elastic strain `dev e_b` at the last commit, from which the tensor after the change is
/// `dF exp(2 E dev e_b) dF^T`, `dF = F F_last^-1`: an exponential and a logarithm an increment. Its volume has no part in the deviator.
///
/// History: the last `F` by rows; for each branch `dev e_b` there as xx, yy, zz, xy, yz, xz; the energy dissipated.
#[derive(Debug, Clone, PartialEq)]
pub struct Viscoelastic {
    equilibrium: NeoHookean,
    lame: Lame,
    branches: Vec<MaxwellBranch>,
}

/// Most branches.
const MOST: usize = 12;

/// Where the branches begin in the history.
const FIRST: usize = 9;

/// A branch after the change of the deformation and before it relaxes for the second time.
struct Trial {
    axes: Principal,
    /// `dev e`.
    deviator: [f64; 3],
    /// What is left of the deviator after half the time.
    left: f64,
}

fn deviator(log: [f64; 3]) -> ([f64; 3], f64) {
    let mean = (log[0] + log[1] + log[2]) / 3.0;
    (log.map(|e| e - mean), mean)
}

impl Viscoelastic {
    /// With the constants in equilibrium, at rest for long, and the branches.
    pub fn new(equilibrium: Lame, branches: Vec<MaxwellBranch>) -> Result<Self, Diagnostic> {
        if branches.is_empty() || branches.len() > MOST {
            return Err(Diagnostic::new(format!("{} branches", branches.len()))
                .help(format!("expected from 1 to {MOST} Maxwell branches")));
        }
        for (i, branch) in branches.iter().enumerate() {
            for (name, value) in [("shear modulus", branch.mu), ("relaxation time", branch.time)] {
                if !(value > 0.0 && value.is_finite()) {
                    return Err(Diagnostic::new(format!("the {name} of branch {} is {value}", i + 1))
                        .help("expected a positive finite number"));
                }
            }
        }
        // Branches resist changes of shape only: the bulk modulus is that in equilibrium.
        let mu: f64 = branches.iter().map(|b| b.mu).sum();
        let lame = Lame { lambda: equilibrium.lambda - mu / 1.5, mu: equilibrium.mu + mu };
        Ok(Viscoelastic { equilibrium: NeoHookean::new(equilibrium)?, lame, branches })
    }

    /// A branch relaxes at the deformation of its last commit, and is then deformed to `at`.
    fn trial(&self, b: usize, at: &Deformation, past: Past<'_>) -> Result<Trial, MaterialFault> {
        let strain: [f64; 6] =
            past.history[FIRST + 6 * b..FIRST + 6 * (b + 1)].try_into().expect("six numbers");
        let left = (-0.5 * past.dt / self.branches[b].time).exp();
        let relaxed = exponential::<f64>(&strain.map(|e| Num(2.0 * left * e))).map(|b| b.0);
        let mut before = [[0.0; 3]; 3];
        before.as_flattened_mut().copy_from_slice(&past.history[..FIRST]);
        let change = Deformation::new(&product(&at.f, &Deformation::new(&before)?.inverse))?;
        let axes = Principal::new(&change.push(&relaxed))?;
        let (deviator, _) = deviator(axes.log);
        Ok(Trial { axes, deviator, left })
    }

    /// Writes the history that matter has which has never been deformed.
    fn forget(out: &mut [f64]) {
        out.fill(0.0);
        (0..3).for_each(|i| out[4 * i] = 1.0);
    }

    fn virgin(&self) -> [f64; FIRST + 6 * MOST + 1] {
        let mut history = [0.0; FIRST + 6 * MOST + 1];
        Self::forget(&mut history[..self.history_size()]);
        history
    }
}

/// `2 left e`.
#[inline(always)]
fn twice<L: Lanes>(left: Num<L>, e: &Symmetric<L>) -> Symmetric<L> {
    let mut a = *e;
    for a in &mut a {
        *a = 2.0 * (left * *a);
    }
    a
}

impl InelasticKernel for Viscoelastic {
    #[inline(always)]
    fn evaluate<L: Lanes, const STRIDE: usize>(
        &self,
        f: &Matrix<L>,
        past: Histories<'_, L, STRIDE>,
        mut after: Option<&mut [f64]>,
    ) -> Updates<L> {
        let last = FIRST + 6 * self.branches.len();
        let equilibrium = ElasticKernel::evaluate(&self.equilibrium, f);
        let (cof, j) = wide::cofactor_fused(f);
        let reciprocal = 1.0 / j;
        let before = [past.numbers(0), past.numbers(3), past.numbers(6)];
        // How the deformation has changed: f before^-1.
        let (before_cof, before_j) = wide::cofactor_fused(&before);
        let change = wide::scaled(&wide::product(f, &wide::transpose(&before_cof)), 1.0 / before_j);
        let mut exists = equilibrium.exists;
        let (mut potential, mut stored) = (equilibrium.energy, equilibrium.energy);
        let [mut dissipated]: [Num<L>; 1] = past.numbers(last);
        let mut tau = [Num::splat(0.0); 6];
        for (b, branch) in self.branches.iter().enumerate() {
            // It relaxes at the deformation of its last commit, and is then deformed.
            let left = exp(past.dt * (-0.5 / branch.time));
            let lost = 1.0 - left * left;
            let old: Symmetric<L> = past.numbers(FIRST + 6 * b);
            let trial = Hencky::new(&wide::push(&change, &exponential(&twice(left, &old))));
            exists = L::both(exists, trial.exists);
            let old_square = wide::contract_symmetric(&old, &old);
            potential = potential + branch.mu * (left * trial.square);
            stored = stored + branch.mu * (left * left * trial.square);
            dissipated = dissipated + branch.mu * (lost * (old_square + trial.square));
            let mut relaxed = trial.deviator;
            for i in 0..6 {
                relaxed[i] = left * relaxed[i];
                tau[i] = relaxed[i].mul_add(Num::splat(2.0 * branch.mu), tau[i]);
            }
            if let Some(after) = after.as_deref_mut() {
                past.store(after, FIRST + 6 * b, &relaxed);
            }
        }
        let over = wide::piola(&tau, &cof, reciprocal);
        let mut stress = equilibrium.stress;
        for i in 0..3 {
            for j in 0..3 {
                stress[i][j] = stress[i][j] + over[i][j];
            }
        }
        if let Some(after) = after {
            (0..3).for_each(|i| past.store(after, 3 * i, &f[i]));
            past.store(after, last, &[dissipated]);
        }
        Updates { exists, potential, stored, dissipated, stress }
    }
}

impl Inelastic for Viscoelastic {
    fn history_size(&self) -> usize {
        FIRST + 6 * self.branches.len() + 1
    }

    fn first_history(&self, out: &mut [f64]) {
        Self::forget(out);
    }

    fn update(&self, f: &Tensor, past: Past<'_>, after: Option<&mut [f64]>) -> Result<Update, MaterialFault> {
        kernels::update(self, f, past, after)
    }

    fn update_batch(&self, at: &mut PointBatch, past: PastBatch<'_>) -> bool {
        kernels::update_batch(self, at, past)
    }

    fn action_after(&self, f: &Tensor, df: &Tensor, past: Past<'_>) -> Result<Tensor, MaterialFault> {
        let at = Deformation::new(f)?;
        let mut dp = self.equilibrium.action(f, df)?;
        let l = product(df, &at.inverse);
        for (b, branch) in self.branches.iter().enumerate() {
            let trial = self.trial(b, &at, past)?;
            let twice = 2.0 * branch.mu * trial.left;
            let tau = trial.deviator.map(|e| twice * e);
            let mut by_strain = [[-twice / 3.0; 3]; 3];
            (0..3).for_each(|i| by_strain[i][i] += twice);
            let secant = [(0, 1), (0, 2), (1, 2)].map(|(i, j)| twice * trial.axes.log_secant(i, j));
            let dtau = Moduli { by_strain, secant }.change(&trial.axes, &l);
            dp = combine([(1.0, &dp), (1.0, &piola_change(&at, &l, &trial.axes.tensor(tau), &dtau))]);
        }
        Ok(dp)
    }
}

impl Material for Viscoelastic {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        let history = &self.virgin()[..self.history_size()];
        self.update(f, Past { history, dt: 0.0 }, None).map(|u| (u.potential, u.stress))
    }

    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let history = &self.virgin()[..self.history_size()];
        self.action_after(f, df, Past { history, dt: 0.0 })
    }

    fn inelastic(&self) -> Option<&dyn Inelastic> {
        Some(self)
    }

    fn lame(&self) -> Lame {
        self.lame
    }
}
