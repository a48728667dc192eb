//! Galerkin discrete Lagrangians [VTI04 (20)-(23)]: the path is a polynomial, the action a quadrature.
//!
//! `L_full = h sum_i w_i L(t0 + a_i h, q0 + sum_j phi_j(a_i) u_j, (1/h) sum_j phi_j'(a_i) u_j)`
//!
//! with `u_j = Q_j - q0` (the shape functions add to one, so `q0` drops out of the velocity). The
//! midpoint and trapezoidal rules are the linear case with other quadratures; Gauss and Lobatto
//! give the collocation methods of those names. The coefficients are data, the code is one.

use super::quadrature::{self, Quadrature};
use super::{DiscreteLagrangian, Leg, Length, QuadraturePoint, Slots};
use crate::linalg::{Dim, Dynamic, Fixed, Storage};
use crate::model::{Jet, Lagrangian};
use std::ops::Range;

/// A polynomial path of any degree under any quadrature, for `N` coordinates and degree `S`.
///
/// The sizes are data unless [`fixed`](Self::fixed) makes them types, which changes speed and nothing else.
#[derive(Debug, Clone)]
pub struct Galerkin<L, N: Dim = Dynamic, S: Dim = Dynamic> {
    lagrangian: L,
    /// The mass matrix of a separable system: what the velocities add to the second derivatives is then the same in
    /// every step, and `L_qv` vanishes.
    mass: Option<Vec<f64>>,
    n: N,
    s: S,
    rule: Quadrature,
    /// Abscissae of the points `0..=s`.
    points: Vec<f64>,
    /// `phi_j(a_i)` and `phi_j'(a_i)`, `j = 0..=s`, row `i`.
    shape: Vec<f64>,
    slope: Vec<f64>,
    table: Table,
    jet: Jet,
    q: N::Vector,
    v: N::Vector,
}

/// The coefficients of a step of length `h`.
#[derive(Debug, Clone, Default)]
struct Table {
    h: f64,
    inverse_h: f64,
    /// One [`Node`] behind the other: one check of a length then serves them all.
    nodes: Vec<f64>,
    /// The second derivatives of the kinetic part of a separable system, of all points, by rows; else empty.
    kinetic: Vec<f64>,
}

/// The coefficients of a quadrature node, of points `j`, `k` from 0 to `s`.
#[derive(Clone, Copy)]
struct Node<'a> {
    abscissa: f64,
    weight: f64,
    /// `phi_j` and `phi_j'`.
    path: [&'a [f64]; 2],
    /// `w h phi_j` and `w phi_j'`: what `L_q` and `L_v` are multiplied with in `D_j`.
    first: [&'a [f64]; 2],
    /// `w h phi_j phi_k`, `w phi_j phi_k'`, `w phi_j' phi_k`, `w phi_j' phi_k'/h`, by rows.
    second: [&'a [f64]; 4],
}

impl<'a> Node<'a> {
    /// The first node of the table of a path through `points`, and the rest of the table.
    #[inline(always)]
    fn next(table: &'a [f64], points: usize) -> Option<(Self, &'a [f64])> {
        let square = points * points;
        let (node, rest) = table.split_at_checked(2 + 4 * points + 4 * square)?;
        let (vectors, matrices) = node[2..].split_at(4 * points);
        let vector = |i: usize| &vectors[i * points..(i + 1) * points];
        let matrix = |i: usize| &matrices[i * square..(i + 1) * square];
        let (path, first) = ([vector(0), vector(1)], [vector(2), vector(3)]);
        let second = [matrix(0), matrix(1), matrix(2), matrix(3)];
        Some((Node { abscissa: node[0], weight: node[1], path, first, second }, rest))
    }

    /// Position of the path.
    #[inline(always)]
    fn position(self, start: &[f64], u: &[f64], q: &mut [f64]) {
        let (n, phi) = (start.len(), self.path[0]);
        for a in 0..n {
            let mut sum = start[a];
            for j in 1..phi.len() {
                sum += phi[j] * u[(j - 1) * n + a];
            }
            q[a] = sum;
        }
    }

    /// Velocity of the path.
    #[inline(always)]
    fn velocity(self, inverse_h: f64, u: &[f64], v: &mut [f64]) {
        let (n, slope) = (v.len(), self.path[1]);
        for a in 0..n {
            let mut sum = 0.0;
            for j in 1..slope.len() {
                sum += slope[j] * u[(j - 1) * n + a];
            }
            v[a] = sum * inverse_h;
        }
    }

    /// Adds the node to `D_j` for the points `j` in `rows`.
    #[inline(always)]
    fn add_first(self, [lq, lv]: [&[f64]; 2], d: &mut [f64], rows: Range<usize>) {
        let n = lq.len();
        let d = &mut d[..rows.len() * n];
        for (r, j) in rows.enumerate() {
            for k in 0..n {
                d[r * n + k] += self.first[0][j] * lq[k] + self.first[1][j] * lv[k];
            }
        }
    }

    /// Adds the node to `D_j` for all points of a step of any length. The bits are those of [`add_first`](Self::add_first).
    #[inline(always)]
    fn add_all(self, [lq, lv]: [&[f64]; 2], h: f64, d: &mut [f64]) {
        let (n, w, [phi, slope]) = (lq.len(), self.weight, self.path);
        let d = &mut d[..phi.len() * n];
        for j in 0..phi.len() {
            let (force, momentum) = (w * h * phi[j], w * slope[j]);
            for k in 0..n {
                d[j * n + k] += force * lq[k] + momentum * lv[k];
            }
        }
    }

    /// Adds the node to `D_j` and their sum with the same rounded `phi_j`, `phi_j'` that made the path. A symmetry of `L` is
    /// then one of `L_d` whatever the coefficients' own rounding, which would else push momenta the same way in every step.
    #[inline(always)]
    fn add_exact(self, [lq, lv]: [&[f64]; 2], h: f64, d: &mut [f64], sum: &mut [f64]) {
        let (n, [phi, slope]) = (lq.len(), self.path);
        let (d, sum) = (&mut d[..(phi.len() - 1) * n], &mut sum[..n]);
        for k in 0..n {
            let (force, momentum) = (self.weight * h * lq[k], self.weight * lv[k]);
            sum[k] += force;
            for j in 1..phi.len() {
                d[(j - 1) * n + k] += phi[j] * force + slope[j] * momentum;
            }
        }
    }

    /// Adds the node to a block of the second derivatives.
    #[inline(always)]
    fn add_second(self, n: usize, [qq, qv, vv]: [&[f64]; 3], dd: &mut [f64], block: &Block) {
        let (points, width) = (self.path[0].len(), block.columns.len() * n);
        let dd = &mut dd[..block.rows.len() * n * width];
        for (r, j) in block.rows.clone().enumerate() {
            for (c, k) in block.columns.clone().enumerate() {
                let [a, b, e, f] = self.second.map(|matrix| matrix[j * points + k]);
                for x in 0..n {
                    for y in 0..n {
                        let (xy, yx) = (x * n + y, y * n + x);
                        let target = &mut dd[(r * n + x) * width + c * n + y];
                        *target += a * qq[xy] + f * vv[xy];
                        *target += b * qv[xy] + e * qv[yx];
                    }
                }
            }
        }
    }

    /// Adds the node to `D_j` and their second derivatives with coefficients made from the length of the step.
    #[inline(always)]
    fn add_with_length(
        self,
        (h, inverse_h): (f64, f64),
        ([lq, lv], [qq, qv, vv]): ([&[f64]; 2], [&[f64]; 3]),
        (d, dd): (&mut [f64], &mut [f64]),
        block: &Block,
    ) {
        let (n, w, [phi, slope]) = (lq.len(), self.weight, self.path);
        let width = block.columns.len() * n;
        let (d, dd) = (&mut d[..block.rows.len() * n], &mut dd[..block.rows.len() * n * width]);
        for (r, j) in block.rows.clone().enumerate() {
            let (a, b) = (w * h * phi[j], w * slope[j]);
            for x in 0..n {
                d[r * n + x] += a * lq[x] + b * lv[x];
                for (c, k) in block.columns.clone().enumerate() {
                    for y in 0..n {
                        let (xy, yx) = (x * n + y, y * n + x);
                        dd[(r * n + x) * width + c * n + y] += a * phi[k] * qq[xy]
                            + b * slope[k] * inverse_h * vv[xy]
                            + w * (phi[j] * slope[k] * qv[xy] + slope[j] * phi[k] * qv[yx]);
                    }
                }
            }
        }
    }

    /// Adds the node to `D_j D3` for all points and to `D3 D3`.
    #[inline(always)]
    fn add_mixed(
        self,
        inverse_h: f64,
        (v, [lq, _], [_, qv, vv]): (&[f64], [&[f64]; 2], [&[f64]; 3]),
        mixed: &mut [f64],
        d33: &mut f64,
    ) {
        let (n, w, [phi, slope]) = (lq.len(), self.weight, self.path);
        for x in 0..n {
            let (mut turn, mut inertia) = (0.0, 0.0);
            for y in 0..n {
                turn += qv[x * n + y] * v[y];
                inertia += vv[x * n + y] * v[y];
            }
            let (force, momentum) = (w * (lq[x] - turn), w * inertia * inverse_h);
            *d33 += v[x] * momentum;
            for j in 0..phi.len() {
                mixed[j * n + x] += phi[j] * force - slope[j] * momentum;
            }
        }
    }

    /// Adds the node of a separable system to a block of the second derivatives, but for what
    /// [`Table::velocities`] gives.
    #[inline(always)]
    fn add_potential(self, n: usize, qq: &[f64], dd: &mut [f64], block: &Block) {
        let (points, width) = (self.path[0].len(), block.columns.len() * n);
        let dd = &mut dd[..block.rows.len() * n * width];
        for (r, j) in block.rows.clone().enumerate() {
            for (c, k) in block.columns.clone().enumerate() {
                for x in 0..n {
                    for y in 0..n {
                        dd[(r * n + x) * width + c * n + y] += self.second[0][j * points + k] * qq[x * n + y];
                    }
                }
            }
        }
    }
}

impl Table {
    /// What the velocities of a separable system contribute to a block of the second derivatives. Their contribution to
    /// `D_j` is not taken from here: it would differ from that of the path by rounding that is the same in every step.
    #[inline(always)]
    fn velocities(&self, [n, points]: [usize; 2], dd: &mut [f64], block: &Block) {
        let (size, width) = (points * n, block.columns.len() * n);
        let dd = &mut dd[..block.rows.len() * n * width];
        let kinetic = &self.kinetic[..size * size];
        for (r, x) in (block.rows.start * n..block.rows.end * n).enumerate() {
            for c in 0..width {
                dd[r * width + c] = kinetic[x * size + block.columns.start * n + c];
            }
        }
    }
}

/// Which second derivatives: of these points, in those.
struct Block {
    rows: Range<usize>,
    columns: Range<usize>,
}

/// Products of all components, by rows.
fn pairs<'a>(a: &'a [f64], b: &'a [f64]) -> impl Iterator<Item = f64> + 'a {
    a.iter().flat_map(move |x| b.iter().map(move |y| x * y))
}

impl<L: Lagrangian> Galerkin<L> {
    /// Polynomials of the given degree (at least 1) under a quadrature rule.
    pub fn new(lagrangian: L, degree: usize, rule: Quadrature) -> Self {
        let n = lagrangian.dimension();
        let points = quadrature::lobatto(degree + 1).nodes;
        let (mut shape, mut slope) = (Vec::new(), Vec::new());
        for &a in &rule.nodes {
            let (value, derivative) = quadrature::lagrange(&points, a);
            shape.extend(value);
            slope.extend(derivative);
        }
        Galerkin {
            mass: lagrangian.mass().map(|mass| mass.matrix().to_vec()),
            lagrangian,
            n: Dynamic(n),
            s: Dynamic(degree),
            rule,
            points,
            shape,
            slope,
            table: Table::default(),
            jet: Jet::new(n),
            q: vec![0.0; n],
            v: vec![0.0; n],
        }
    }

    /// Generalised midpoint rule [VTI04 (13)]: `h L((1-alpha) q0 + alpha q1, (q1-q0)/h)`.
    pub fn midpoint(lagrangian: L, alpha: f64) -> Self {
        Self::new(lagrangian, 1, Quadrature { nodes: vec![alpha], weights: vec![1.0] })
    }

    /// Generalised trapezoidal rule [VTI04 (16)]: `h (1-alpha) L(q0, .) + h alpha L(q1, .)`.
    pub fn trapezoidal(lagrangian: L, alpha: f64) -> Self {
        Self::new(lagrangian, 1, Quadrature { nodes: vec![0.0, 1.0], weights: vec![1.0 - alpha, alpha] })
    }

    /// Gauss quadrature with `stages` nodes and polynomials of that degree: order `2 stages`.
    pub fn gauss(lagrangian: L, stages: usize) -> Self {
        Self::new(lagrangian, stages, quadrature::gauss(stages))
    }

    /// Lobatto quadrature with `points >= 2` nodes and polynomials through them: order `2 points - 2`.
    pub fn lobatto(lagrangian: L, points: usize) -> Self {
        Self::new(lagrangian, points - 1, quadrature::lobatto(points))
    }

    /// The same with its sizes, which must be these, known to the compiler.
    ///
    /// # Panics
    /// If the sizes are others.
    pub fn fixed<const N: usize, const S: usize>(self) -> Galerkin<L, Fixed<N>, Fixed<S>> {
        assert_eq!((self.n.get(), self.s.get()), (N, S), "coordinates and degree");
        let Galerkin { lagrangian, mass, rule, points, shape, slope, table, jet, .. } = self;
        let (n, s, q, v) = (Fixed, Fixed, [0.0; N], [0.0; N]);
        Galerkin { lagrangian, mass, n, s, rule, points, shape, slope, table, jet, q, v }
    }
}

impl<L: Lagrangian, N: Dim, S: Dim> Galerkin<L, N, S> {
    /// Makes the tables those of the step length. That costs the square of the number of coordinates, and serves second derivatives: first
    /// ones, which composed methods ask for with legs of many lengths, do without.
    #[inline(always)]
    fn prepare(&mut self, h: f64) {
        if h != self.table.h {
            self.tabulate(h);
        }
    }

    /// `1/h`, and tables of some step: what only weighs and shapes is the same in all of them.
    #[inline(always)]
    fn inverse(&mut self, h: f64) -> f64 {
        if self.table.nodes.is_empty() {
            self.tabulate(h);
        }
        if h == self.table.h { self.table.inverse_h } else { 1.0 / h }
    }

    #[cold]
    fn tabulate(&mut self, h: f64) {
        let points = self.s.get() + 1;
        let nodes = &mut self.table.nodes;
        nodes.clear();
        for (i, &w) in self.rule.weights.iter().enumerate() {
            let row = i * points..(i + 1) * points;
            let (shape, slope) = (&self.shape[row.clone()], &self.slope[row]);
            nodes.extend([self.rule.nodes[i], w]);
            nodes.extend(shape.iter().chain(slope));
            nodes.extend(shape.iter().map(|x| w * h * x));
            nodes.extend(slope.iter().map(|x| w * x));
            // In this order the matrix of second derivatives is symmetric to the last bit.
            nodes.extend(pairs(shape, shape).map(|x| w * h * x));
            nodes.extend(pairs(shape, slope).map(|x| w * x));
            nodes.extend(pairs(slope, shape).map(|x| w * x));
            nodes.extend(pairs(slope, slope).map(|x| w * x / h));
        }
        (self.table.h, self.table.inverse_h) = (h, 1.0 / h);
        self.tabulate_kinetic();
    }

    fn tabulate_kinetic(&mut self) {
        let Some(mass) = &self.mass else { return };
        let (n, points) = (self.n.get(), self.s.get() + 1);
        let Table { nodes, kinetic, .. } = &mut self.table;
        kinetic.clear();
        kinetic.resize(points * n * points * n, 0.0);
        let mut table = nodes.as_slice();
        while let Some((node, rest)) = Node::next(table, points) {
            table = rest;
            for (at, f) in node.second[3].iter().enumerate() {
                let (j, k) = (at / points, at % points);
                for x in 0..n {
                    for y in 0..n {
                        kinetic[((j * n + x) * points + k) * n + y] += f * mass[x * n + y];
                    }
                }
            }
        }
    }
}

impl<L: Lagrangian, N: Dim, S: Dim> DiscreteLagrangian for Galerkin<L, N, S> {
    type System = L;

    fn system(&self) -> &L {
        &self.lagrangian
    }

    #[inline(always)]
    fn dimension(&self) -> usize {
        self.n.get()
    }

    #[inline(always)]
    fn pieces(&self) -> usize {
        self.s.get()
    }

    fn abscissae(&self) -> &[f64] {
        &self.points
    }

    fn samples(&self) -> Vec<QuadraturePoint> {
        let points = self.s.get() + 1;
        let rows = self.shape.chunks(points).zip(self.slope.chunks(points));
        let rule = self.rule.nodes.iter().zip(&self.rule.weights);
        rule.zip(rows)
            .map(|((&abscissa, &weight), (shape, slope))| QuadraturePoint {
                abscissa,
                weight,
                shape: shape.to_vec(),
                slope: slope.to_vec(),
            })
            .collect()
    }

    fn first(&mut self, leg: &Leg, out: &mut Slots) {
        let inverse_h = self.inverse(leg.h);
        (out.value, out.d3, out.dt) = (0.0, 0.0, 0.0);
        out.d.fill(0.0);
        out.sum.fill(0.0);
        let (n, points) = (self.n.get(), self.s.get() + 1);
        let (q, v) = (&mut self.q.as_mut_slice()[..n], &mut self.v.as_mut_slice()[..n]);
        let mut table = self.table.nodes.as_slice();
        while let Some((node, rest)) = Node::next(table, points) {
            table = rest;
            node.position(&leg.q[..n], &leg.u, q);
            node.velocity(inverse_h, &leg.u, v);
            self.lagrangian.first(leg.t + node.abscissa * leg.h, q, v, &mut self.jet);
            let (w, l) = (node.weight, self.jet.value());
            out.value += w * leg.h * l;
            // d/dh of h L(t0 + a h, q, u'/h): the velocity shrinks as the step grows.
            let power = crate::linalg::dot(v, self.jet.dv());
            out.d3 += w * (l + node.abscissa * leg.h * self.jet.dt() - power);
            out.dt += w * leg.h * self.jet.dt();
            let (first, _) = self.jet.derivatives(n);
            node.add_all(first, leg.h, &mut out.d);
            for k in 0..n {
                out.sum[k] += w * leg.h * first[0][k];
            }
        }
    }

    #[inline(always)]
    fn second(
        &mut self,
        leg: &Leg,
        d: &mut [f64],
        dd: &mut [f64],
        rows: Range<usize>,
        columns: Range<usize>,
    ) {
        self.prepare(leg.h);
        let (n, points, block) = (self.n.get(), self.s.get() + 1, Block { rows, columns });
        let (start, u) = (&leg.q[..n], &leg.u[..(points - 1) * n]);
        let (q, v) = (&mut self.q.as_mut_slice()[..n], &mut self.v.as_mut_slice()[..n]);
        let mut table = self.table.nodes.as_slice();
        d.fill(0.0);
        match &self.mass {
            Some(_) => self.table.velocities([n, points], dd, &block),
            None => dd.fill(0.0),
        }
        while let Some((node, rest)) = Node::next(table, points) {
            table = rest;
            node.position(start, u, q);
            node.velocity(self.table.inverse_h, u, v);
            self.lagrangian.second(leg.t + node.abscissa * leg.h, q, v, &mut self.jet);
            let (first, second) = self.jet.derivatives(n);
            node.add_first(first, d, block.rows.clone());
            match &self.mass {
                Some(_) => node.add_potential(n, second[0], dd, &block),
                None => node.add_second(n, second, dd, &block),
            }
        }
    }

    /// `D_j D3 = sum_i w_i [phi_j (L_q - L_qv v) - (phi_j'/h) L_vv v]` and `D3 D3 = sum_i w_i v.L_vv v / h`.
    #[inline(always)]
    fn second_in_length(
        &mut self,
        leg: &Leg,
        [rows, columns]: [Range<usize>; 2],
        d: &mut [f64],
        dd: &mut [f64],
        mixed: &mut [f64],
    ) -> Option<Length> {
        let inverse_h = self.inverse(leg.h);
        let (n, points, block) = (self.n.get(), self.s.get() + 1, Block { rows, columns });
        let (start, u) = (&leg.q[..n], &leg.u[..(points - 1) * n]);
        let (q, v) = (&mut self.q.as_mut_slice()[..n], &mut self.v.as_mut_slice()[..n]);
        let mixed = &mut mixed[..points * n];
        let mut table = self.table.nodes.as_slice();
        d.fill(0.0);
        dd.fill(0.0);
        mixed.fill(0.0);
        let mut length = Length { d3: 0.0, d33: 0.0, size: 0.0 };
        while let Some((node, rest)) = Node::next(table, points) {
            table = rest;
            node.position(start, u, q);
            node.velocity(inverse_h, u, v);
            self.lagrangian.whole(leg.t + node.abscissa * leg.h, q, v, &mut self.jet);
            let (first, second) = self.jet.derivatives(n);
            node.add_with_length((leg.h, inverse_h), (first, second), (d, dd), &block);
            node.add_mixed(inverse_h, (v, first, second), mixed, &mut length.d33);
            let (w, l, power) = (node.weight, self.jet.value(), crate::linalg::dot(v, first[1]));
            length.d3 += w * (l - power);
            length.size += (w * l).abs() + (w * power).abs();
        }
        Some(length)
    }

    #[inline(always)]
    fn gradient(&mut self, leg: &Leg, d: &mut [f64], sum: &mut [f64]) {
        let inverse_h = self.inverse(leg.h);
        d.fill(0.0);
        sum.fill(0.0);
        let (n, points) = (self.n.get(), self.s.get() + 1);
        let (start, u) = (&leg.q[..n], &leg.u[..(points - 1) * n]);
        let (q, v) = (&mut self.q.as_mut_slice()[..n], &mut self.v.as_mut_slice()[..n]);
        let mut table = self.table.nodes.as_slice();
        while let Some((node, rest)) = Node::next(table, points) {
            table = rest;
            node.position(start, u, q);
            node.velocity(inverse_h, u, v);
            self.lagrangian.gradient(leg.t + node.abscissa * leg.h, q, v, &mut self.jet);
            node.add_exact(self.jet.derivatives(n).0, leg.h, d, sum);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Mass;

    /// Springs between neighbours and to two walls.
    #[derive(Clone)]
    struct Chain(Mass);

    impl Lagrangian for Chain {
        fn dimension(&self) -> usize {
            self.0.inverse_diagonal().map_or(0, <[f64]>::len)
        }
        fn first(&self, _: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
            let n = q.len();
            let at = |i: isize| if i < 0 || i >= n as isize { 0.0 } else { q[i as usize] };
            let parts = jet.parts();
            *parts.value = 0.0;
            for i in 0..n {
                let (left, right) = (q[i] - at(i as isize - 1), at(i as isize + 1) - q[i]);
                *parts.value += 0.5 * v[i] * v[i] - 0.5 * left * left;
                parts.dq[i] = right - left;
                parts.dv[i] = v[i];
            }
        }
        fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
            self.first(t, q, v, jet);
            let n = q.len();
            let parts = jet.parts();
            for i in 0..n {
                parts.dqq[i * n + i] = -2.0;
                parts.dvv[i * n + i] = 1.0;
                if i > 0 {
                    (parts.dqq[i * n + i - 1], parts.dqq[(i - 1) * n + i]) = (1.0, 1.0);
                }
            }
        }
        fn mass(&self) -> Option<&Mass> {
            Some(&self.0)
        }
    }

    /// The legs of a composed method differ in length, and observers ask each for its energy: tables for second derivatives, whose
    /// cost is the square of the number of coordinates, must not be made for that.
    #[test]
    fn galerkin_first_derivatives_for_many_step_lengths_build_no_tables() {
        let chain = Chain(Mass::diagonal(&[1.0; 5]).unwrap());
        let mut leg = Leg::new(5, 1);
        leg.q.iter_mut().zip(1..).for_each(|(q, i)| *q = f64::from(i * i) * 0.1);
        leg.u.iter_mut().zip(1..).for_each(|(u, i)| *u = 0.03 * f64::from(i) - 0.07);
        let mut used = Galerkin::trapezoidal(chain.clone(), 0.5);
        let (mut d, mut dd) = (vec![0.0; 5], vec![0.0; 25]);
        leg.h = 0.1;
        used.second(&leg, &mut d, &mut dd, 0..1, 1..2);
        let kinetic = used.table.kinetic.clone();
        for h in [0.3, -0.07, 0.21] {
            leg.h = h;
            let (mut ours, mut fresh) = (Slots::new(5, 1), Slots::new(5, 1));
            used.first(&leg, &mut ours);
            Galerkin::trapezoidal(chain.clone(), 0.5).first(&leg, &mut fresh);
            assert_eq!((ours.value, ours.d3, &ours.d), (fresh.value, fresh.d3, &fresh.d), "{h}");
            assert_eq!((used.table.h, &used.table.kinetic), (0.1, &kinetic), "tables were made for {h}");
        }
    }
}
