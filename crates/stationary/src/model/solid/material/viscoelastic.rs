//! Viscoelasticity: a spring beside springs with dashpots.

use super::inelastic::{Inelastic, Update};
use super::principal::{Deformation, Moduli, Principal, piola_change};
use super::{Lame, Material, MaterialFault, NeoHookean};
use crate::error::Diagnostic;
use crate::model::Past;
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
/// with the internal tensor `C_b`, `det C_b = 1`, of each branch (Reese and Govindjee 1998). In an increment of duration `dt` it relaxes for half the time at the old deformation,
/// then the deformation changes, then it relaxes for half the time at the new one: exact where the deformation rests, of second order elsewhere.
/// With `E = exp(-dt/(2 time_b))` the part of a branch in the incremental potential is
///
/// ```text
/// mu_b E |dev e_trial|^2 = min over d of  mu_b |dev e_trial - d|^2 + mu_b E/(1 - E) |d|^2,
/// ```
///
/// the minimum of stored energy and rate potential. Where nothing has relaxed the shear modulus is `mu + sum_b mu_b`, in the end `mu`.
///
/// History: the last `F` by rows; for each branch `C_b^-1` as xx, yy, zz, xy, yz, xz; the energy dissipated.
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
    /// `|dev e|^2` and `dev e`.
    square: f64,
    deviator: [f64; 3],
    /// What is left of the deviator after half the time.
    left: f64,
    /// What the branch has dissipated in the first half, over its shear modulus.
    lost: f64,
}

fn deviator(log: [f64; 3]) -> ([f64; 3], f64, f64) {
    let mean = (log[0] + log[1] + log[2]) / 3.0;
    let deviator = log.map(|e| e - mean);
    (deviator, deviator.iter().map(|e| e * e).sum(), mean)
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
        let inverse: &[f64; 6] =
            past.history[FIRST + 6 * b..FIRST + 6 * (b + 1)].try_into().expect("six numbers");
        let left = (-0.5 * past.dt / self.branches[b].time).exp();
        let (mut relaxed, mut lost) = (*inverse, 0.0);
        if past.dt != 0.0 {
            let mut f = [[0.0; 3]; 3];
            f.as_flattened_mut().copy_from_slice(&past.history[..FIRST]);
            let before = Deformation::new(&f)?;
            let axes = Principal::new(&before.push(inverse))?;
            let (own, square, mean) = deviator(axes.log);
            relaxed = before.pull(&axes.tensor(own.map(|e| (2.0 * (mean + left * e)).exp())));
            lost = (1.0 - left * left) * square;
        }
        let axes = Principal::new(&at.push(&relaxed))?;
        let (deviator, square, _) = deviator(axes.log);
        Ok(Trial { axes, square, deviator, left, lost })
    }

    /// Writes the history that matter has which has never been deformed.
    fn forget(out: &mut [f64]) {
        out.fill(0.0);
        let end = out.len() - 1;
        (0..3).for_each(|i| out[4 * i] = 1.0);
        out[FIRST..end].chunks_exact_mut(6).for_each(|b| b[..3].fill(1.0));
    }

    fn virgin(&self) -> [f64; FIRST + 6 * MOST + 1] {
        let mut history = [0.0; FIRST + 6 * MOST + 1];
        Self::forget(&mut history[..self.history_size()]);
        history
    }
}

impl Inelastic for Viscoelastic {
    fn history_size(&self) -> usize {
        FIRST + 6 * self.branches.len() + 1
    }

    fn first_history(&self, out: &mut [f64]) {
        Self::forget(out);
    }

    fn update(
        &self,
        f: &Tensor,
        past: Past<'_>,
        mut after: Option<&mut [f64]>,
    ) -> Result<Update, MaterialFault> {
        let at = Deformation::new(f)?;
        let (equilibrium, mut stress) = self.equilibrium.stress(f)?;
        let (mut potential, mut stored) = (equilibrium, equilibrium);
        let mut dissipated = past.history[past.history.len() - 1];
        for (b, branch) in self.branches.iter().enumerate() {
            let trial = self.trial(b, &at, past)?;
            let (left, square) = (trial.left, trial.square);
            potential += branch.mu * left * square;
            stored += branch.mu * left * left * square;
            dissipated += branch.mu * (trial.lost + (1.0 - left * left) * square);
            let tau = trial.axes.tensor(trial.deviator.map(|e| 2.0 * branch.mu * left * e));
            stress = combine([(1.0, &stress), (1.0, &at.piola(&tau))]);
            if let Some(after) = after.as_deref_mut() {
                let (own, _, mean) = deviator(trial.axes.log);
                let relaxed = trial.axes.tensor(own.map(|e| (2.0 * (mean + left * e)).exp()));
                after[FIRST + 6 * b..FIRST + 6 * (b + 1)].copy_from_slice(&at.pull(&relaxed));
            }
        }
        if let Some(after) = after {
            after[..FIRST].copy_from_slice(f.as_flattened());
            after[past.history.len() - 1] = dissipated;
        }
        Ok(Update { potential, stored, dissipated, stress })
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
