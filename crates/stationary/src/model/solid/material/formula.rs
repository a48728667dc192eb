//! A stored energy from a line of text.

use super::{Lame, Material, MaterialFault, broken};
use crate::error::Diagnostic;
use crate::formula::{Expr, FormulaError, Graph, Node, Program, Scope, Var};
use crate::model::solid::tensor::{
    IDENTITY, Tensor, cofactor, combine, contract, determinant_by, product, transpose,
};

/// A stored energy `W(I1, I2, J)` given by a formula, differentiated exactly and compiled; `I1 = tr C`,
/// `I2 = (I1^2 - tr C^2) / 2`, `J = det F`.
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
    rest: f64,
    lame: Lame,
}

/// Why a formula is no material.
#[derive(Debug, Clone)]
pub enum FormulaMaterialError {
    /// The text is no formula of `I1`, `I2`, `J` and the given names.
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
    /// Reads `W` from text; `scope` gives the names other than `I1`, `I2` and `J`.
    pub fn new(text: &str, scope: &Scope) -> Result<Self, FormulaMaterialError> {
        let mut scope = scope.clone();
        let by = [Var::Q(0), Var::Q(1), Var::Q(2)];
        scope.variable("I1", by[0]).variable("I2", by[1]).variable("J", by[2]);
        let mut graph = Graph::new();
        let formula = FormulaMaterialError::Formula;
        let w = graph.lower(&Expr::parse(text).map_err(formula)?, &scope).map_err(formula)?;
        let d = graph.gradient(w, &by);
        let outputs: Vec<(Node, usize)> = [w].iter().chain(&d).copied().zip(0..).collect();
        let first = Program::new(&graph, &outputs);
        let mut outputs: Vec<(Node, usize)> = d.iter().copied().zip(0..).collect();
        for (i, node) in d.iter().enumerate() {
            outputs.extend(graph.gradient(*node, &by).into_iter().zip(3 + 3 * i..));
        }
        let second = Program::new(&graph, &outputs);
        let mut out = FormulaMaterial { first, second, rest: 0.0, lame: Lame { lambda: 0.0, mu: 1.0 } };
        out.settle().map_err(FormulaMaterialError::Material)?;
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
        self.rest = w;
        Ok(())
    }
}

struct State {
    cof: Tensor,
    j: f64,
    q: [f64; 3],
}

#[inline(always)]
fn invariants(f: &Tensor) -> Result<State, MaterialFault> {
    let cof = cofactor(f);
    let j = determinant_by(f, &cof);
    if !(j > 0.0) {
        return Err(broken(j));
    }
    Ok(State { cof, j, q: [contract(f, f), contract(&cof, &cof), j] })
}

impl Material for FormulaMaterial {
    fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
        let State { cof, q, .. } = invariants(f)?;
        let mut w = [0.0; 4];
        self.first.call(0.0, &q, &[], &[], &mut w);
        let fc = product(f, &product(&transpose(f), f));
        let p = combine([(2.0 * (w[1] + w[2] * q[0]), f), (-2.0 * w[2], &fc), (w[3], &cof)]);
        Ok((w[0] - self.rest, p))
    }

    fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
        let State { cof, j, q } = invariants(f)?;
        let mut w = [0.0; 12];
        self.second.call(0.0, &q, &[], &[], &mut w);
        let c = product(&transpose(f), f);
        let half = product(&transpose(df), f);
        let dc = combine([(1.0, &half), (1.0, &transpose(&half))]);
        // The gradients of I1, I2, J by F, and their changes.
        let by_f = [combine([(2.0, f)]), combine([(2.0 * q[0], f), (-2.0, &product(f, &c))]), cof];
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
        for a in 0..3 {
            let dw: f64 = (0..3).map(|b| w[3 + 3 * a + b] * contract(&by_f[b], df)).sum();
            dp = combine([(1.0, &dp), (dw, &by_f[a])]);
        }
        Ok(dp)
    }

    fn lame(&self) -> Lame {
        self.lame
    }
}
