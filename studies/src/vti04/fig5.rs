//! VTI04 Fig. 5: the pendulum in phase space by a symplectic method and by RK4, and the modified energy.
//!
//! VI1 of `H = p^2/2 - cos q` is the kick `p -= h sin q` and then the drift `q += h p`: the flows of `V` and of `T` over
//! `h`, one after the other. By the Baker-Campbell-Hausdorff series their composition is, up to what the series leaves
//! out, the flow over `h` of
//!
//! `H~ = T + V + (h/2) {T, V} + (h^2/12) ({T, {T, V}} + {V, {V, T}}) + (h^3/24) {T, {V, {V, T}}} + ...`
//!
//! with `{F, G} = F_q G_p - F_p G_q`, and so
//!
//! `H~ = p^2/2 - cos q - (h/2) p sin q + (h^2/12) (p^2 cos q + sin^2 q) - (h^3/12) p sin q cos q + O(h^4)`.

use super::VI1;
use crate::series::{self, range};
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::formula::{Scope, Var};
use stationary::integrate::Method;
use stationary::laws::order;
use stationary::model::FormulaLagrangian;
use stationary_report::plot::Plot;
use std::f64::consts::PI;
use std::sync::Arc;

/// Where the pendulum is let go, at rest.
const ANGLE: f64 = 2.0;
/// The step of the portrait.
const STEP: f64 = 0.5;
/// Steps at which the orders of the truncations are measured.
const STEPS: [f64; 4] = [0.1, 0.05, 0.025, 0.0125];

/// The terms of the modified energy by powers of `h`, without them.
pub fn terms(q: f64, p: f64) -> [f64; 4] {
    let (s, c) = q.sin_cos();
    [p * p / 2.0 - c, -p * s / 2.0, (p * p * c + s * s) / 12.0, -p * s * c / 12.0]
}

/// The modified energy up to the power `truncation` of `h`; 0 is the energy itself.
pub fn modified_energy(q: f64, p: f64, h: f64, truncation: usize) -> f64 {
    terms(q, p)[..=truncation].iter().rev().fold(0.0, |sum, term| sum * h + term)
}

/// Phase points of a run.
type Orbit = Vec<(f64, f64)>;

/// The figure as numbers.
#[derive(Debug, Clone)]
pub struct Portrait {
    /// Points of the variational run.
    pub variational: Orbit,
    /// Points of the other run.
    pub classical: Orbit,
    /// For each truncation, how much it varies along runs at [`STEPS`].
    pub variation: [Vec<f64>; 4],
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    Ok(portrait(scale, VI1, Method::RungeKutta4)?.outcome())
}

fn orbit(method: Method, h: f64, end: f64) -> Result<Orbit, String> {
    let mut scope = Scope::new();
    scope.variable("q", Var::Q(0)).variable("v", Var::V(0));
    let pendulum = FormulaLagrangian::new("v^2/2 + cos(q)", &scope, 1).map_err(|e| e.to_string())?;
    let mut integrator = series::start(&Arc::new(pendulum), method, (&[ANGLE], &[0.0]), h)?;
    Ok(series::observe(&mut *integrator, (end / h).round() as u64, 1, |q, p| (q[0], p[0]))?.1)
}

/// How much a truncation varies along an orbit.
fn variation(orbit: &Orbit, h: f64, truncation: usize) -> f64 {
    let (lo, hi) =
        range(&orbit.iter().map(|(q, p)| modified_energy(*q, *p, h, truncation)).collect::<Vec<_>>());
    hi - lo
}

/// Simulates the pendulum with a variational method and with one that is not.
pub fn portrait(scale: Scale, variational: Method, classical: Method) -> Result<Portrait, String> {
    let mut table: [Vec<f64>; 4] = Default::default();
    for h in STEPS {
        let orbit = orbit(variational, h, scale.pick(100.0, 1000.0))?;
        table.iter_mut().enumerate().for_each(|(r, row)| row.push(variation(&orbit, h, r)));
    }
    let end = scale.pick(2e3, 4e4);
    Ok(Portrait {
        variational: orbit(variational, STEP, end)?,
        classical: orbit(classical, STEP, end)?,
        variation: table,
    })
}

/// The closed curve on which `p^2 a(q) + p b(q) + c(q)` keeps its value at the start.
fn level_set(h: f64, truncation: usize) -> (Vec<f64>, Vec<f64>) {
    let level = modified_energy(ANGLE, 0.0, h, truncation);
    // The energy is a quadratic in p: its values at three momenta give the coefficients.
    let roots = |q: f64| {
        let [minus, zero, plus] = [-1.0, 0.0, 1.0].map(|p| modified_energy(q, p, h, truncation) - level);
        let (a, b) = (0.5 * (plus + minus) - zero, 0.5 * (plus - minus));
        let root = (b * b - 4.0 * a * zero).sqrt();
        ((-b + root) / (2.0 * a), (-b - root) / (2.0 * a))
    };
    let q: Vec<f64> =
        (0..=4000).map(|k| PI * (f64::from(k) / 2000.0 - 1.0)).filter(|q| roots(*q).0.is_finite()).collect();
    let upper = q.iter().map(|q| (*q, roots(*q).0));
    let lower = q.iter().rev().map(|q| (*q, roots(*q).1));
    let (mut x, mut y): (Vec<f64>, Vec<f64>) = upper.chain(lower).unzip();
    x.push(x[0]);
    y.push(y[0]);
    (x, y)
}

impl Portrait {
    fn outcome(&self) -> Outcome {
        let every = |orbit: &Orbit, stride: usize, most: usize| -> (Vec<f64>, Vec<f64>) {
            orbit.iter().step_by(stride).take(most).copied().unzip()
        };
        let (exact, modified) = (level_set(STEP, 0), level_set(STEP, 3));
        let few = self.classical.len() / 4000 + 1;
        let (symplectic, spiral) =
            (every(&self.variational, 1, 400), every(&self.classical, few, usize::MAX));
        let axes = |title: &str| Plot::new(title).equal_aspect().x_label("q").y_label("p");
        let portrait = axes("(a) phase portrait")
            .points("Runge-Kutta 4", &spiral.0, &spiral.1)
            .points("variational (VI1)", &symplectic.0, &symplectic.1)
            .line("exact", &exact.0, &exact.1)
            .to_svg(480, 520);
        let sparse = every(&self.variational, 1, 60);
        let truncated = axes("(b) modified energy")
            .line("third-order truncation", &modified.0, &modified.1)
            .points("variational (VI1)", &sparse.0, &sparse.1)
            .dashed_line("exact", &exact.0, &exact.1)
            .to_svg(480, 520);
        let mut table =
            vec![format!("variation of the truncations of the modified energy at dt = {STEPS:?}")];
        for (r, row) in self.variation.iter().enumerate() {
            let row: Vec<String> = row.iter().map(|x| format!("{x:.3e}")).collect();
            table.push(format!("up to h^{r}: {}", row.join("  ")));
        }
        let shown: Vec<String> =
            (0..4).map(|r| format!("{:.3e}", variation(&self.variational, STEP, r))).collect();
        table.push(format!("at the step of the plot, {STEP}: {}", shown.join("  ")));
        let last = self.classical[self.classical.len() - 1];
        table.push(format!("RK4 at the end: distance from the origin {:.4}", last.0.hypot(last.1)));
        Outcome { plot: side_by_side(&[portrait, truncated], 480, 520), table, claims: self.claims() }
    }

    /// What the paper says of the figure.
    pub fn claims(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (r, row) in self.variation.iter().enumerate() {
            let expected = (r + 1) as f64;
            let slope = order(&STEPS, row, 1e-13).unwrap_or(f64::NAN);
            let text = format!("order of the variation of the modified energy up to h^{r}");
            claims.push(Claim::between(text, slope, expected - 0.25, expected + 0.25));
        }
        let fall = |r: usize, k: usize| self.variation[0][k] / self.variation[r][k];
        claims.push(Claim::above(
            "variation of the energy over that of the third truncation, dt = 0.1",
            fall(3, 0),
            1e3,
        ));
        let shown = variation(&self.variational, STEP, 0) / variation(&self.variational, STEP, 3);
        claims.push(Claim::above(format!("the same at the step of the plot, {STEP}"), shown, 30.0));
        let size = |orbit: &Orbit| {
            let last = &orbit[orbit.len() - 40..];
            range(&last.iter().map(|(q, _)| q.abs()).collect::<Vec<_>>()).1 / ANGLE
        };
        claims.push(Claim::below(
            "amplitude of RK4 at the end over that at the start",
            size(&self.classical),
            0.8,
        ));
        claims.push(Claim::above("the same, variational", size(&self.variational), 0.98));
        claims
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_figure_5_claims_hold() {
        let portrait = portrait(Scale::Reduced, VI1, Method::RungeKutta4).unwrap();
        for claim in portrait.claims() {
            assert!(claim.holds(), "{claim}");
        }
        // The other symplectic Euler method has the modified energy with -h: nothing beyond the energy fits.
        let twin = super::portrait(Scale::Reduced, Method::Midpoint { alpha: 1.0 }, VI1).unwrap();
        for (i, claim) in twin.claims().iter().enumerate() {
            // The energy itself varies as h with either, and the twin keeps its amplitude.
            assert_eq!(claim.holds(), i == 0 || i == 7, "{claim}");
        }
        let swapped =
            Portrait { variational: portrait.classical, classical: portrait.variational, ..portrait };
        assert!(!swapped.claims()[7].holds());
        // The energy varies as h^2 with Verlet.
        let verlet =
            super::portrait(Scale::Reduced, Method::Verlet { order: 2 }, Method::RungeKutta4).unwrap();
        assert!(!verlet.claims()[0].holds());
    }
}
