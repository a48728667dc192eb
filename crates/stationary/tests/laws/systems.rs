//! Model problems shared by the law tests: nonlinear, with known symmetries.

use stationary::formula::{Expr, Graph, Node, Scope, Var};
use stationary::integrate::{Interactions, Start};
use stationary::model::{Auto, Lagrangian, Newtonian, Potential, Scalar, System};
use stationary::model::{FormulaConstraint, FormulaForce, FormulaLagrangian};
use std::sync::Arc;

/// One problem: a system, where it starts, and how long a measurement of order lasts.
pub struct Problem {
    pub name: &'static str,
    pub system: Arc<dyn Lagrangian>,
    pub q: Vec<f64>,
    pub p: Vec<f64>,
    pub length: f64,
}

impl Problem {
    pub fn start(&self, h: f64) -> Start {
        Start { t: 0.0, q: self.q.clone(), p: self.p.clone(), h }
    }
}

pub struct Pendulum;
impl Potential<1> for Pendulum {
    fn masses(&self) -> [f64; 1] {
        [1.0]
    }
    fn potential<S: Scalar>(&self, _: S, [theta]: [S; 1]) -> S {
        -theta.cos()
    }
}

pub struct HenonHeiles;
impl Potential<2> for HenonHeiles {
    fn masses(&self) -> [f64; 2] {
        [1.0, 1.0]
    }
    fn potential<S: Scalar>(&self, _: S, [x, y]: [S; 2]) -> S {
        (x.squared() + y.squared()) * 0.5 + x.squared() * y - y.powi(3) / 3.0
    }
}

pub struct Kepler;
impl Potential<2> for Kepler {
    fn masses(&self) -> [f64; 2] {
        [1.0, 1.0]
    }
    fn potential<S: Scalar>(&self, _: S, [x, y]: [S; 2]) -> S {
        -(x.squared() + y.squared()).sqrt().recip()
    }
}

/// Two rods of unit length and mass: the mass matrix depends on the position.
pub struct DoublePendulum;
impl System<2> for DoublePendulum {
    fn lagrangian<S: Scalar>(&self, _: S, [a, b]: [S; 2], [u, v]: [S; 2]) -> S {
        u.squared() + v.squared() * 0.5 + u * v * (a - b).cos() + a.cos() * 2.0 + b.cos()
    }
}

/// A pendulum whose pivot is shaken: the Lagrangian depends on time.
pub struct Shaken;
impl System<1> for Shaken {
    fn lagrangian<S: Scalar>(&self, t: S, [theta]: [S; 1], [omega]: [S; 1]) -> S {
        omega.squared() * 0.5 + theta.cos() * ((t * 1.3).cos() * 0.4 + 1.0)
    }
}

pub fn pendulum() -> Problem {
    let system = Arc::new(Newtonian::new(Pendulum).unwrap());
    Problem { name: "pendulum", system, q: vec![1.2], p: vec![0.3], length: 16.0 }
}

pub fn henon_heiles() -> Problem {
    let system = Arc::new(Newtonian::new(HenonHeiles).unwrap());
    Problem { name: "henon-heiles", system, q: vec![0.3, 0.1], p: vec![-0.2, 0.25], length: 16.0 }
}

/// Eccentricity 0.6, from the far point.
pub fn kepler() -> Problem {
    let system = Arc::new(Newtonian::new(Kepler).unwrap());
    let e: f64 = 0.6;
    Problem {
        name: "kepler",
        system,
        q: vec![1.0 + e, 0.0],
        p: vec![0.0, ((1.0 - e) / (1.0 + e)).sqrt()],
        length: 2.0,
    }
}

pub fn double_pendulum() -> Problem {
    let system = Arc::new(Auto::new(DoublePendulum));
    Problem { name: "double pendulum", system, q: vec![0.9, 1.3], p: vec![0.1, -0.2], length: 2.0 }
}

pub fn shaken() -> Problem {
    Problem {
        name: "shaken pendulum",
        system: Arc::new(Auto::new(Shaken)),
        q: vec![1.0],
        p: vec![0.0],
        length: 4.0,
    }
}

/// Coordinates `x`, `y`, `z`, `w` as far as there are, velocities `vx` and so on, and the time.
fn scope(n: usize) -> Scope {
    let mut scope = Scope::new();
    scope.variable("t", Var::T);
    for (k, name) in ["x", "y", "z", "w"].into_iter().enumerate().take(n) {
        scope.variable(name, Var::Q(k as u32)).variable(format!("v{name}"), Var::V(k as u32));
    }
    scope
}

fn nodes(graph: &mut Graph, texts: &[&str], n: usize) -> Vec<Node> {
    let lower = |text: &&str| graph.lower(&Expr::parse(text).unwrap(), &scope(n)).unwrap();
    texts.iter().map(lower).collect()
}

/// Constraints of `n` coordinates from text.
pub fn constraints(texts: &[&str], n: usize) -> Interactions {
    let mut graph = Graph::new();
    let nodes = nodes(&mut graph, texts, n);
    Interactions {
        constraint: Some(Arc::new(FormulaConstraint::new(&mut graph, &nodes, n))),
        ..Interactions::default()
    }
}

/// A force from text.
pub fn force(texts: &[&str]) -> Interactions {
    let mut graph = Graph::new();
    let nodes = nodes(&mut graph, texts, texts.len());
    Interactions { force: Some(Arc::new(FormulaForce::new(&mut graph, &nodes))), ..Interactions::default() }
}

/// A Lagrangian of `n` coordinates from text.
pub fn lagrangian(text: &str, n: usize) -> Arc<dyn Lagrangian> {
    Arc::new(FormulaLagrangian::new(text, &scope(n), n).unwrap())
}
