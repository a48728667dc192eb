//! The systems of the bench: by automatic differentiation, by hand and from text.

use stationary::contact::{FormulaGap, Gap, GapNodes};
use stationary::formula::{Expr, Graph, Scope, Var};
use stationary::model::{Bounds, Constraint, FormulaConstraint, FormulaLagrangian};
use stationary::model::{Jet, Lagrangian, Mass, Newtonian, Potential, Scalar};
use std::sync::Arc;

/// The planar Kepler problem, `V = -1/r`.
pub struct Kepler;

impl Potential<2> for Kepler {
    fn masses(&self) -> [f64; 2] {
        [1.0, 1.0]
    }
    fn potential<S: Scalar>(&self, _: S, [x, y]: [S; 2]) -> S {
        -(x.squared() + y.squared()).sqrt().recip()
    }
}

/// The same with derivatives by hand.
pub struct KeplerByHand(Mass);

impl KeplerByHand {
    /// A unit mass.
    pub fn new() -> Self {
        KeplerByHand(Mass::diagonal(&[1.0, 1.0]).expect("unit masses"))
    }
}

impl Default for KeplerByHand {
    fn default() -> Self {
        Self::new()
    }
}

impl Lagrangian for KeplerByHand {
    fn dimension(&self) -> usize {
        2
    }
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let parts = jet.parts();
        *parts.value = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 1.0 / q[0].hypot(q[1]);
        *parts.dt = 0.0;
        self.force(t, q, parts.dq);
        parts.dv.copy_from_slice(v);
    }
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.first(t, q, v, jet);
        let parts = jet.parts();
        let r2 = q[0] * q[0] + q[1] * q[1];
        let f = -1.0 / (r2 * r2.sqrt());
        let g = -3.0 * f / r2;
        let cross = g * q[0] * q[1];
        parts.dqq.copy_from_slice(&[f + g * q[0] * q[0], cross, cross, f + g * q[1] * q[1]]);
        parts.dvv.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    }
    fn mass(&self) -> Option<&Mass> {
        Some(&self.0)
    }
    #[inline]
    fn force(&self, _: f64, q: &[f64], force: &mut [f64]) {
        let r2 = q[0] * q[0] + q[1] * q[1];
        let f = -1.0 / (r2 * r2.sqrt());
        force[0] = f * q[0];
        force[1] = f * q[1];
    }
}

/// The pendulum, `V = -cos q`.
pub struct Pendulum;

impl Potential<1> for Pendulum {
    fn masses(&self) -> [f64; 1] {
        [1.0]
    }
    fn potential<S: Scalar>(&self, _: S, [theta]: [S; 1]) -> S {
        -theta.cos()
    }
}

/// A system of unit masses by automatic differentiation.
pub fn automatic<T: Potential<N>, const N: usize>(system: T) -> Newtonian<T, N> {
    Newtonian::new(system).expect("unit masses")
}

fn scope(names: &[&str]) -> Scope {
    let mut scope = Scope::new();
    for (i, name) in names.iter().enumerate() {
        scope.variable(*name, Var::Q(i as u32)).variable(format!("v{name}"), Var::V(i as u32));
    }
    scope
}

/// A system from text.
pub fn text(formula: &str, names: &[&str]) -> Arc<FormulaLagrangian> {
    Arc::new(FormulaLagrangian::new(formula, &scope(names), names.len()).expect("a formula of ours"))
}

/// The planar Kepler problem from text.
pub fn kepler_text() -> Arc<FormulaLagrangian> {
    text("0.5*(vx^2 + vy^2) + 1/sqrt(x^2 + y^2)", &["x", "y"])
}

/// The pendulum from text.
pub fn pendulum_text() -> Arc<FormulaLagrangian> {
    text("0.5*vq^2 + cos(q)", &["q"])
}

/// The pendulum in the plane and the circle it is held on, both from text.
pub fn circle_text() -> (Arc<FormulaLagrangian>, Arc<dyn Constraint>) {
    let names = ["x", "y"];
    let mut graph = Graph::new();
    let expr = Expr::parse("x^2 + y^2 - 1").expect("a formula of ours");
    let node = graph.lower(&expr, &scope(&names)).expect("a formula of ours");
    let constraint = FormulaConstraint::new(&mut graph, &[node], 2);
    (text("0.5*(vx^2 + vy^2) - y", &names), Arc::new(constraint))
}

/// A gap from text.
pub fn gap(formula: &str, names: &[&str]) -> Arc<dyn Gap> {
    let mut graph = Graph::new();
    let expr = Expr::parse(formula).expect("a formula of ours");
    let gap = graph.lower(&expr, &scope(names)).expect("a formula of ours");
    Arc::new(FormulaGap::new(&mut graph, &[GapNodes { gap, slip: Vec::new() }], names.len()))
}

/// The particle of FET03 5.2 over its floor, both from text.
pub fn particle_text() -> (Arc<FormulaLagrangian>, Arc<dyn Gap>) {
    let names = ["x", "y"];
    (text("0.5*(vx^2 + vy^2) - 9.81*y", &names), gap("y", &names))
}

/// An ellipse of semi-axes 1/2 and 1/4 and unit mass over the floor, both from text.
pub fn ellipse_text() -> (Arc<FormulaLagrangian>, Arc<dyn Gap>) {
    let names = ["x", "y", "a"];
    let body = text("0.5*(vx^2 + vy^2) + 0.5*0.078125*va^2 - 9.81*y", &names);
    (body, gap("y - sqrt((0.5*sin(a))^2 + (0.25*cos(a))^2)", &names))
}

/// A particle under gravity, derivatives by hand.
pub struct ParticleByHand(Mass);

impl ParticleByHand {
    /// A unit mass.
    pub fn new() -> Self {
        ParticleByHand(Mass::diagonal(&[1.0, 1.0]).expect("unit masses"))
    }
}

impl Default for ParticleByHand {
    fn default() -> Self {
        Self::new()
    }
}

impl Lagrangian for ParticleByHand {
    fn dimension(&self) -> usize {
        2
    }
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let parts = jet.parts();
        *parts.value = 0.5 * (v[0] * v[0] + v[1] * v[1]) - 9.81 * q[1];
        self.force(t, q, parts.dq);
        parts.dv.copy_from_slice(v);
    }
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.first(t, q, v, jet);
        jet.parts().dvv.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    }
    fn mass(&self) -> Option<&Mass> {
        Some(&self.0)
    }
    fn uniform(&self) -> bool {
        true
    }
    fn force(&self, _: f64, _: &[f64], force: &mut [f64]) {
        force.copy_from_slice(&[0.0, -9.81]);
    }
}

/// The floor `y >= 0` by hand.
pub struct Floor;

impl Gap for Floor {
    fn count(&self) -> usize {
        1
    }
    fn flat(&self) -> bool {
        true
    }
    fn values(&self, _: f64, q: &[f64], out: &mut [f64]) {
        out[0] = q[1];
    }
    fn first(&self, _: f64, q: &[f64], out: &mut Bounds) {
        let out = out.parts();
        out.value[0] = q[1];
        out.dq[1] = 1.0;
    }
    fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
        self.first(t, q, out);
    }
}

/// The double well of SEM99 8.1 from text.
pub fn double_well_text() -> Arc<FormulaLagrangian> {
    text("0.5*vq^2 - 0.5*(q^4 - q^2)", &["q"])
}

/// A ring of unit masses joined by springs with a quartic part, from text.
pub fn lattice_text(particles: usize) -> Arc<FormulaLagrangian> {
    let names: Vec<String> = (0..particles).map(|i| format!("q{i}")).collect();
    let terms: Vec<String> = (0..particles)
        .map(|i| {
            let stretch = format!("(q{} - q{i})", (i + 1) % particles);
            format!("0.5*vq{i}^2 - 0.5*{stretch}^2 - 0.25*{stretch}^4")
        })
        .collect();
    text(&terms.join(" + "), &names.iter().map(String::as_str).collect::<Vec<_>>())
}
