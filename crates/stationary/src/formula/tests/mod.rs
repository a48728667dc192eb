mod language;
mod laws;
mod random;
mod separable;

use super::*;
use proptest::test_runner::{Config as ProptestConfig, RngSeed};

/// The same cases in every run: a failure must not depend on the day.
fn repeatable(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(2004),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

/// `x`, `y` / `q[0]`, `q[1]`, their velocities, `t`, `p` and a few parameters.
fn plane() -> Scope {
    let mut scope = Scope::new();
    scope.variable("x", Var::Q(0)).variable("y", Var::Q(1)).variable("t", Var::T);
    scope.variable("vx", Var::V(0)).variable("vy", Var::V(1));
    scope.array("q", Bank::Q, 2).array("v", Bank::V, 2).array("p", Bank::P, 2);
    scope.constant("m", 0.3).constant("g", 9.81).constant("k", 1.7).constant("n", 4.0).constant("E", 2.5);
    scope
}

fn lowered(text: &str, scope: &Scope) -> (Graph, Node) {
    let mut graph = Graph::new();
    let expr = Expr::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"));
    let node = graph.lower(&expr, scope).unwrap_or_else(|e| panic!("{text}: {e}"));
    (graph, node)
}

/// The formula as written, with no graph in between: the oracle for simplification.
fn direct(text: &str, scope: &Scope, at: &Point) -> f64 {
    lower::run(&Expr::parse(text).unwrap(), scope, &mut lower::Numbers(|var| at.get(var), &mut { MAX_STEPS }))
        .unwrap()
}

#[derive(Debug, Clone, Copy)]
struct Point {
    t: f64,
    q: [f64; 2],
    v: [f64; 2],
    p: [f64; 2],
}

impl Point {
    fn get(&self, var: Var) -> f64 {
        match var {
            Var::T => self.t,
            Var::Q(i) => self.q[i as usize],
            Var::V(i) => self.v[i as usize],
            Var::P(i) => self.p[i as usize],
        }
    }

    fn moved(mut self, var: Var, by: f64) -> Point {
        *match var {
            Var::T => &mut self.t,
            Var::Q(i) => &mut self.q[i as usize],
            Var::V(i) => &mut self.v[i as usize],
            Var::P(i) => &mut self.p[i as usize],
        } += by;
        self
    }

    /// Runs a program both ways, which must agree in every bit.
    fn run(&self, program: &Program, outputs: usize) -> Vec<f64> {
        let (mut compiled, mut interpreted) = (vec![7.0; outputs], vec![7.0; outputs]);
        program.call(self.t, &self.q, &self.v, &self.p, &mut compiled);
        program.interpret(self.t, &self.q, &self.v, &self.p, &mut interpreted);
        for (a, b) in compiled.iter().zip(&interpreted) {
            assert!(
                a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()),
                "{a:e} is not {b:e} at {self:?}"
            );
        }
        compiled
    }
}
