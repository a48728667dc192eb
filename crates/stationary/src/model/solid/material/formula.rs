//! A stored energy from a line of text.

use super::at_rest::AtRest;
use super::measure::Component;
use super::{Lame, Material, MaterialFault, broken};
use crate::error::Diagnostic;
use crate::formula::{Expr, FormulaError, Graph, Node, Program, Scope, Var};
use crate::linalg::{Quaternion, Vec3, max_abs};
use crate::model::solid::tensor::{
    IDENTITY, Tensor, cofactor, combine, contract, determinant_by, product, transpose,
};

/// A stored energy given by a formula, differentiated exactly and compiled: of the invariants `I1 = tr C`, `I2 = (I1^2 - tr C^2) / 2`,
/// `J = det F`, of the components `C11` to `C33` of `C = F'F`, of the components `F11` to `F33` of `F`, or of all of these together.
///
/// Invariants and components of `C` do not change when the body is turned. An energy of components of `F` that does is refused: it would
/// exert a moment on a body that is at rest.
///
/// ```
/// use stationary::formula::Scope;
/// use stationary::model::solid::{FormulaMaterial, Material};
///
/// let mut scope = Scope::new();
/// scope.constant("la", 2.0).constant("mu", 1.0);
/// let m = FormulaMaterial::new("la/2*log(J)^2 - mu*log(J) + mu/2*(I1 - 3)", &scope).unwrap();
/// assert!((m.lame().lambda - 2.0).abs() < 1e-12 && (m.lame().mu - 1.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct FormulaMaterial {
    first: Program,
    second: Program,
    /// What it contains besides the invariants.
    components: Vec<Component>,
    rest: f64,
    lame: Lame,
    isotropic: bool,
    /// Density times the square of the fastest speed of waves.
    fastest: f64,
}

/// Invariants, and all that a formula may contain: six components of `C` and nine of `F` too.
const INVARIANTS: usize = 3;
const MOST: usize = INVARIANTS + 6 + 9;

/// Why a formula is no material.
#[derive(Debug, Clone)]
pub enum FormulaMaterialError {
    /// The text is no formula of `I1`, `I2`, `J`, the components of `C` and `F`, and the given names.
    Formula(FormulaError),
    /// The energy has no stable, stress-free rest state.
    Material(Diagnostic),
}

impl std::fmt::Display for FormulaMaterialError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FormulaMaterialError::Formula(e) => f.write_str(&e.message),
            FormulaMaterialError::Material(d) => d.fmt(f),
        }
    }
}

impl std::error::Error for FormulaMaterialError {}

impl FormulaMaterial {
    /// Reads `W` from text; `scope` gives the names other than the invariants and components.
    pub fn new(text: &str, scope: &Scope) -> Result<Self, FormulaMaterialError> {
        let formula = FormulaMaterialError::Formula;
        let expression = Expr::parse(text).map_err(formula)?;
        let given = scope;
        let mut scope = given.clone();
        let mut by: Vec<Var> = (0..INVARIANTS as u32).map(Var::Q).collect();
        scope.variable("I1", by[0]).variable("I2", by[1]).variable("J", by[2]);
        let mut components = Vec::new();
        for name in expression.names() {
            let Some(component) = Component::named(name) else { continue };
            if given.contains(name) {
                let message = format!("`{name}` is a parameter, and a component of the deformation");
                let help = "expected another name for the parameter";
                return Err(FormulaMaterialError::Material(Diagnostic::new(message).help(help)));
            }
            let known = components.iter().position(|other| *other == component);
            let place = known.unwrap_or_else(|| {
                components.push(component);
                by.push(Var::Q(by.len() as u32));
                components.len() - 1
            });
            scope.variable(name, by[INVARIANTS + place]);
        }
        let mut graph = Graph::new();
        let w = graph.lower(&expression, &scope).map_err(formula)?;
        let d = graph.gradient(w, &by);
        let outputs: Vec<(Node, usize)> = [w].iter().chain(&d).copied().zip(0..).collect();
        let first = Program::new(&graph, &outputs);
        let n = by.len();
        let mut outputs: Vec<(Node, usize)> = d.iter().copied().zip(0..).collect();
        for (i, node) in d.iter().enumerate() {
            outputs.extend(graph.gradient(*node, &by).into_iter().zip(n + n * i..));
        }
        let second = Program::new(&graph, &outputs);
        let lame = Lame { lambda: 0.0, mu: 1.0 };
        let mut out =
            FormulaMaterial { first, second, components, rest: 0.0, lame, isotropic: true, fastest: 0.0 };
        let settled = if out.components.is_empty() { out.settle() } else { out.settle_components() };
        settled.map_err(FormulaMaterialError::Material)?;
        Ok(out)
    }

    /// Finds the energy and the Lame constants of the rest state, and refuses one that is under stress.
    fn settle(&mut self) -> Result<(), Diagnostic> {
        let unusable =
            || Diagnostic::new("the energy has no finite value or derivative at rest (I1 = I2 = 3, J = 1)");
        let (w, p) = self.stress(&IDENTITY).map_err(|_| unusable())?;
        let mut df = [[0.0; 3]; 3];
        df[2][2] = 1.0;
        let dp = self.action(&IDENTITY, &df).map_err(|_| unusable())?;
        let (lambda, p_wave) = (dp[0][0], dp[2][2]);
        if !(w.is_finite() && p[0][0].is_finite() && lambda.is_finite() && p_wave.is_finite()) {
            return Err(unusable());
        }
        if !(p[0][0].abs() <= 1e-9 * p_wave.abs()) {
            return Err(Diagnostic::new(format!("the energy leaves a stress of {} at rest", p[0][0]))
                .help("expected 2 dW/dI1 + 4 dW/dI2 + dW/dJ = 0 at I1 = I2 = 3, J = 1"));
        }
        self.lame = Lame::new(lambda, 0.5 * (p_wave - lambda))?;
        self.fastest = self.lame.lambda + 2.0 * self.lame.mu;
        self.rest = w;
        Ok(())
    }

    /// The same where the matter may differ from direction to direction.
    fn settle_components(&mut self) -> Result<(), Diagnostic> {
        let unusable = || Diagnostic::new("the energy has no finite value or derivative at rest (F = C = 1)");
        let (w, p) = self.stress(&IDENTITY).map_err(|_| unusable())?;
        let at_rest = AtRest::new(self).map_err(|_| unusable())?;
        let (stress, scale) = (max_abs(p.as_flattened()), at_rest.scale());
        if !(w.is_finite() && stress.is_finite() && scale.is_finite()) {
            return Err(unusable());
        }
        if !(stress <= 1e-9 * scale) {
            return Err(Diagnostic::new(format!("the energy leaves a stress of {stress} at rest"))
                .help("expected all derivatives by F to vanish at F = 1"));
        }
        self.rest = w;
        self.require_objective(scale)?;
        at_rest.require_stable()?;
        self.lame = at_rest.mean();
        self.isotropic = at_rest.is_isotropic();
        self.fastest = at_rest.fastest();
        Ok(())
    }

    /// Refuses an energy that changes when the body is turned: `W(Q F) = W(F)` for all rotations, of which some are tried.
    fn require_objective(&self, scale: f64) -> Result<(), Diagnostic> {
        if !self.components.iter().any(|c| matches!(c, Component::Gradient(..))) {
            return Ok(());
        }
        for sample in 1..=24 {
            let number = |k: usize| (12.9898 * (9 * sample + k) as f64).sin();
            let size = [0.01, 0.1, 0.3][sample % 3];
            let stretched: Tensor =
                std::array::from_fn(|i| std::array::from_fn(|j| IDENTITY[i][j] + size * number(3 * i + j)));
            let axis = Vec3::new(number(0), number(4), 0.1 + number(7).abs());
            let turn = Quaternion::about(axis, 0.25 * sample as f64).matrix().rows();
            let turned = product(&turn, &stretched);
            let (Ok(one), Ok(other)) = (self.energy(&stretched), self.energy(&turned)) else { continue };
            if !(one.is_finite() && other.is_finite()) {
                continue;
            }
            let rounding = 1e-10 * (scale * size * size + one.abs() + other.abs() + self.rest.abs());
            if (one - other).abs() > rounding {
                let message =
                    "the energy changes when the body is turned: W(Q F) differs from W(F) for a rotation Q";
                return Err(Diagnostic::new(message).help(
                    "expected a formula of C11 to C33, the components of C = F'F, or of I1, I2 and J; for small strains there is the law `linear`",
                ));
            }
        }
        Ok(())
    }
}

struct State {
    cof: Tensor,
    j: f64,
    q: [f64; MOST],
}

impl FormulaMaterial {
    #[inline(always)]
    fn state(&self, f: &Tensor) -> Result<State, MaterialFault> {
        let cof = cofactor(f);
        let j = determinant_by(f, &cof);
        if !(j > 0.0) {
            return Err(broken(j));
        }
        let mut q = [0.0; MOST];
        q[..INVARIANTS].copy_from_slice(&[contract(f, f), contract(&cof, &cof), j]);
        for (q, component) in q[INVARIANTS..].iter_mut().zip(&self.components) {
            *q = component.value(f);
        }
        Ok(State { cof, j, q })
    }
}

impl Material for FormulaMaterial {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        let State { cof, q, .. } = self.state(f)?;
        let mut w = [0.0; 1 + MOST];
        let n = INVARIANTS + self.components.len();
        self.first.call(0.0, &q[..n], &[], &[], &mut w[..=n]);
        let fc = product(f, &product(&transpose(f), f));
        let mut p = combine([(2.0 * (w[1] + w[2] * q[0]), f), (-2.0 * w[2], &fc), (w[3], &cof)]);
        for (component, w) in self.components.iter().zip(&w[1 + INVARIANTS..]) {
            component.add_derivative(*w, f, &mut p);
        }
        Ok((w[0] - self.rest, p))
    }

    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let State { cof, j, q } = self.state(f)?;
        let n = INVARIANTS + self.components.len();
        let mut w = [0.0; MOST + MOST * MOST];
        self.second.call(0.0, &q[..n], &[], &[], &mut w[..n + n * n]);
        let c = product(&transpose(f), f);
        let half = product(&transpose(df), f);
        let dc = combine([(1.0, &half), (1.0, &transpose(&half))]);
        // The gradients of I1, I2, J by F, and their changes.
        let mut by_f = [[[0.0; 3]; 3]; MOST];
        let invariants = [combine([(2.0, f)]), combine([(2.0 * q[0], f), (-2.0, &product(f, &c))]), cof];
        by_f[..INVARIANTS].copy_from_slice(&invariants);
        for (by_f, component) in by_f[INVARIANTS..].iter_mut().zip(&self.components) {
            component.add_derivative(1.0, f, by_f);
        }
        let g = combine([(1.0 / j, &cof)]);
        let turn = product(&product(&g, &transpose(df)), &g);
        let change = [
            combine([(2.0, df)]),
            combine([
                (2.0 * q[0], df),
                (4.0 * contract(f, df), f),
                (-2.0, &product(df, &c)),
                (-2.0, &product(f, &dc)),
            ]),
            combine([(contract(&cof, df), &g), (-j, &turn)]),
        ];
        let mut dp = combine([(w[0], &change[0]), (w[1], &change[1]), (w[2], &change[2])]);
        for (component, w) in self.components.iter().zip(&w[INVARIANTS..]) {
            component.add_change(*w, df, &mut dp);
        }
        for a in 0..n {
            let dw: f64 = (0..n).map(|b| w[n + n * a + b] * contract(&by_f[b], df)).sum();
            dp = combine([(1.0, &dp), (dw, &by_f[a])]);
        }
        Ok(dp)
    }

    fn lame(&self) -> Lame {
        self.lame
    }

    fn is_isotropic(&self) -> bool {
        self.isotropic
    }

    fn wave_speed(&self, density: f64) -> f64 {
        (self.fastest / density).sqrt()
    }
}
