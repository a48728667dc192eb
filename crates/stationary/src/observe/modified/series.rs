//! Terms of the modified energy by exact derivatives of formulas.
//!
//! `X_T` and `X_V` are the derivatives along the drift and along the kick of a separable system, `D` the one along its motion.
//!
//! Verlet's method is half a kick, a drift, half a kick, and by the symmetric Baker-Campbell-Hausdorff series
//!
//! `H_2 = A/12 - B/24`, `H_4 = -X_T^2 A/720 + X_V X_T A/360 - X_V^2 A/480 + X_T^2 B/120`
//!
//! with `A = X_T^2 V = v.V_qq v` and `B = X_V^2 T = V_q.M^-1 V_q`. (Of six terms of the series two vanish, since `B` has no
//! velocities.) With other parts of the kick before and after the drift the method is conjugate to Verlet's by a kick, and its
//! modified energy is Verlet's at the kicked velocity.
//!
//! The midpoint rule has the generating function `h H((z0 + z1)/2)`. Put into its Hamilton-Jacobi equation
//! `S_t = H~(z + Omega^-1 S_z/2)`, with `f = z'`, `c = z''` and `K = f.H_zz f/24`:
//!
//! `H_2 = -K`, `H_4 = 7 D^2 K/240 - 3 c.K_z/80 + c.H_zz c/320`.

use crate::formula::{Graph, MAX_NODES, Node, Program, Var};

/// The terms `H_2` and, where formulas did not grow too long, `H_4`.
#[derive(Debug)]
pub struct ModifiedSeries {
    program: Program,
    count: usize,
}

impl ModifiedSeries {
    /// Of Verlet's method: `a(q) = -M^-1 V_q` as nodes, `T = v.M v/2` and `V` only through it and `V_q`.
    pub fn verlet(graph: &mut Graph, a: &[Node], vq: &[Node]) -> Self {
        let n = a.len();
        let drift: Vec<(Var, Node)> = (0..n as u32).map(|i| (Var::Q(i), graph.var(Var::V(i)))).collect();
        let kick: Vec<(Var, Node)> = (0..n as u32).map(|i| (Var::V(i), a[i as usize])).collect();
        let v: Vec<Node> = drift.iter().map(|x| x.1).collect();
        let vv = inner(graph, &v, vq);
        let big_a = along(graph, &drift, vv);
        let minus_b = inner(graph, vq, a);
        let h2 = combine(graph, &[(1.0 / 12.0, big_a), (1.0 / 24.0, minus_b)]);
        let mut terms = vec![h2];
        if fits(graph) {
            let ta = along(graph, &drift, big_a);
            let tta = along(graph, &drift, ta);
            let vta = along(graph, &kick, ta);
            let va = along(graph, &kick, big_a);
            let vva = along(graph, &kick, va);
            let tb = along(graph, &drift, minus_b);
            let ttb = along(graph, &drift, tb);
            let parts = [(-1.0 / 720.0, tta), (1.0 / 360.0, vta), (-1.0 / 480.0, vva), (-1.0 / 120.0, ttb)];
            terms.push(combine(graph, &parts));
        }
        Self::of(graph, &terms)
    }

    /// Of the midpoint rule on phase variables `z`, given `H_z` and `f = z'` as nodes.
    pub fn midpoint(graph: &mut Graph, z: &[Var], hz: &[Node], f: &[Node]) -> Self {
        let motion: Vec<(Var, Node)> = z.iter().copied().zip(f.iter().copied()).collect();
        let turned: Vec<Node> = hz.iter().map(|x| along(graph, &motion, *x)).collect();
        let square = inner(graph, f, &turned);
        let k = combine(graph, &[(1.0 / 24.0, square)]);
        let mut terms = vec![graph.neg(k)];
        if fits(graph) {
            let c: Vec<Node> = f.iter().map(|x| along(graph, &motion, *x)).collect();
            let bent: Vec<(Var, Node)> = z.iter().copied().zip(c.iter().copied()).collect();
            let dk = along(graph, &motion, k);
            let ddk = along(graph, &motion, dk);
            let ck = along(graph, &bent, k);
            let hc: Vec<Node> = hz.iter().map(|x| along(graph, &bent, *x)).collect();
            let cc = inner(graph, &c, &hc);
            terms.push(combine(graph, &[(7.0 / 240.0, ddk), (-3.0 / 80.0, ck), (1.0 / 320.0, cc)]));
        }
        Self::of(graph, &terms)
    }

    fn of(graph: &Graph, terms: &[Node]) -> Self {
        let terms = if graph.len() > MAX_NODES { &terms[..1] } else { terms };
        let outputs: Vec<(Node, usize)> = terms.iter().enumerate().map(|(i, x)| (*x, i)).collect();
        ModifiedSeries { program: Program::new(graph, &outputs), count: terms.len() }
    }

    /// How many terms there are, one or two.
    pub fn count(&self) -> usize {
        self.count
    }

    /// `H_2` and `H_4` at a state; zero for a term that there is not.
    pub fn terms(&self, t: f64, q: &[f64], v: &[f64], p: &[f64]) -> [f64; 2] {
        let mut out = [0.0; 2];
        self.program.call(t, q, v, p, &mut out[..self.count]);
        out
    }
}

/// Each derivative multiplies what there is by about five, and `H_4` takes four of them.
fn fits(graph: &Graph) -> bool {
    graph.len() < MAX_NODES / 100
}

/// The derivative of a node along a vector field.
fn along(graph: &mut Graph, field: &[(Var, Node)], of: Node) -> Node {
    let by: Vec<Var> = field.iter().map(|x| x.0).collect();
    let gradient = graph.gradient(of, &by);
    let direction: Vec<Node> = field.iter().map(|x| x.1).collect();
    inner(graph, &gradient, &direction)
}

fn inner(graph: &mut Graph, a: &[Node], b: &[Node]) -> Node {
    let mut sum = graph.constant(0.0);
    for (a, b) in a.iter().zip(b) {
        let term = graph.mul(*a, *b);
        sum = graph.add(sum, term);
    }
    sum
}

/// A matrix of numbers times a vector of nodes.
pub fn apply(graph: &mut Graph, matrix: &[f64], x: &[Node]) -> Vec<Node> {
    let n = x.len();
    (0..n)
        .map(|i| {
            let row: Vec<Node> = matrix[i * n..(i + 1) * n].iter().map(|m| graph.constant(*m)).collect();
            inner(graph, &row, x)
        })
        .collect()
}

fn combine(graph: &mut Graph, parts: &[(f64, Node)]) -> Node {
    let mut sum = graph.constant(0.0);
    for (factor, node) in parts {
        let factor = graph.constant(*factor);
        let term = graph.mul(factor, *node);
        sum = graph.add(sum, term);
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The oscillator `H = (v^2 + q^2)/2`, whose modified energies are known in closed form: the midpoint rule turns by
    /// `2 atan(h/2)` a step, Verlet's method by `2 asin(h/2)` on an ellipse.
    #[test]
    fn modified_energy_series_of_the_oscillator_has_the_closed_form_terms() {
        let mut graph = Graph::new();
        let [q, v] = [Var::Q(0), Var::V(0)].map(|x| graph.var(x));
        let minus = graph.neg(q);
        let verlet = ModifiedSeries::verlet(&mut graph, &[minus], &[q]);
        let midpoint = ModifiedSeries::midpoint(&mut graph, &[Var::Q(0), Var::V(0)], &[q, v], &[v, minus]);
        let (x, y) = (0.7, -0.4);
        let exact = [[y * y / 12.0 - x * x / 24.0, y * y / 60.0 - x * x / 240.0], {
            let h = (x * x + y * y) / 2.0;
            [-h / 12.0, h / 80.0]
        }];
        for (series, exact) in [verlet, midpoint].iter().zip(exact) {
            let found = series.terms(0.0, &[x], &[y], &[]);
            for (a, b) in found.iter().zip(exact) {
                assert!((a - b).abs() < 1e-15, "{found:?} {exact:?}");
            }
        }
    }
}
