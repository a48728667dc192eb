//! Building nodes. Every rule keeps the value to a few units in the last place where it is finite; `0*x` is 0 and
//! `x/x` is 1 whatever `x` is.
//!
//! Normal form: a constant factor stands outside (`c*x`), or in the numerator of a reciprocal (`c/w`, `(c/w)*x`), where
//! it costs nothing. Signs count as constant factors. So derivatives of separable Lagrangians come out as constants.

use super::functions::Builtin;
use super::graph::{Graph, Node, Op};

/// Integer powers up to this one become multiplications; above it `powf` is more accurate and as fast.
const MAX_POWER: f64 = 32.0;

impl Graph {
    /// `a + b`
    pub fn add(&mut self, a: Node, b: Node) -> Node {
        self.combine(a, b, 1.0)
    }

    /// `a - b`
    pub fn sub(&mut self, a: Node, b: Node) -> Node {
        self.combine(a, b, -1.0)
    }

    /// `-a`
    pub fn neg(&mut self, a: Node) -> Node {
        match self.as_constant(a) {
            Some(value) => self.constant(-value),
            None => self.scale(-1.0, a),
        }
    }

    /// `a * b`
    pub fn mul(&mut self, a: Node, b: Node) -> Node {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => return self.constant(a * b),
            (Some(0.0), _) | (_, Some(0.0)) => return self.constant(0.0),
            _ => {}
        }
        let ((ca, xa), (cb, xb)) = (self.coefficient(a), self.coefficient(b));
        if !(ca * cb).is_normal() {
            return self.raw_mul(a, b);
        }
        let core = self.mul_core(xa, xb);
        self.scale(ca * cb, core)
    }

    /// `a / b`; by a constant it becomes a product with the reciprocal.
    pub fn div(&mut self, a: Node, b: Node) -> Node {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => return self.constant(a / b),
            (Some(0.0), _) => return self.constant(0.0),
            _ => {}
        }
        let ((ca, xa), (cb, xb)) = (self.coefficient(a), self.coefficient(b));
        if !(ca / cb).is_normal() {
            return self.intern(Op::Div(a, b));
        }
        let core = self.div_core(xa, xb);
        self.scale(ca / cb, core)
    }

    /// `1 / a`
    pub fn reciprocal(&mut self, a: Node) -> Node {
        self.div(Node::ONE, a)
    }

    /// The square root of `a`.
    pub fn sqrt(&mut self, a: Node) -> Node {
        self.call(Builtin::Sqrt, &[a])
    }

    /// `a ^ b`; small integers and halves become multiplications and a root.
    pub fn pow(&mut self, a: Node, b: Node) -> Node {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => self.constant(Builtin::Pow.binary(a, b)),
            (Some(1.0), _) => Node::ONE,
            (_, Some(e)) if e.abs() <= MAX_POWER && (2.0 * e).fract() == 0.0 => {
                let mut p = self.integer_power(a, e.abs() as u32);
                if e.fract() != 0.0 {
                    let root = self.sqrt(a);
                    p = self.mul(p, root);
                }
                if e < 0.0 { self.reciprocal(p) } else { p }
            }
            _ => self.intern(Op::Binary(Builtin::Pow, a, b)),
        }
    }

    fn integer_power(&mut self, a: Node, n: u32) -> Node {
        match n {
            0 => Node::ONE,
            1 => a,
            _ => {
                let half = self.integer_power(a, n / 2);
                let square = self.mul(half, half);
                if n % 2 == 1 { self.mul(square, a) } else { square }
            }
        }
    }

    /// A function of the language; more than two arguments are taken from the left.
    ///
    /// # Panics
    /// If the number of arguments is not what the function takes.
    pub fn call(&mut self, function: Builtin, arguments: &[Node]) -> Node {
        match *arguments {
            [x] => self.unary(function, x),
            [a, b] => self.binary(function, a, b),
            [a, b, ref rest @ ..] => {
                let first = self.binary(function, a, b);
                rest.iter().fold(first, |a, b| self.binary(function, a, *b))
            }
            [] => panic!("{} needs arguments", function.function().name),
        }
    }

    fn unary(&mut self, function: Builtin, x: Node) -> Node {
        use Builtin::*;
        if let Some(value) = self.as_constant(x) {
            return self.constant(function.unary(value));
        }
        let odd = matches!(function, Sin | Tan | Asin | Atan | Sinh | Tanh | Asinh | Atanh | Cbrt | Sign);
        let even = matches!(function, Cos | Cosh | Abs);
        if (odd || even) && self.prefers_negation(x) {
            let minus = self.neg(x);
            let y = self.intern(Op::Unary(function, minus));
            return if odd { self.neg(y) } else { y };
        }
        self.intern(Op::Unary(function, x))
    }

    fn binary(&mut self, function: Builtin, a: Node, b: Node) -> Node {
        match (function, self.as_constant(a), self.as_constant(b)) {
            (Builtin::Pow, ..) => self.pow(a, b),
            (_, Some(a), Some(b)) => self.constant(function.binary(a, b)),
            (Builtin::Min | Builtin::Max, ..) if a == b => a,
            _ => self.intern(Op::Binary(function, a, b)),
        }
    }

    /// Of `x` and `-x` one is taken as argument of odd and even functions, so that `cos(a-b)` and `cos(b-a)` are one.
    fn prefers_negation(&mut self, x: Node) -> bool {
        match self.op(x) {
            Op::Sub(a, b) => a > b,
            _ => self.coefficient(x).0 < 0.0,
        }
    }

    fn normal_constant(&self, a: Node) -> Option<f64> {
        self.as_constant(a).filter(|c| c.is_normal())
    }

    /// `w` and `c` of `c/w`.
    fn as_reciprocal(&self, a: Node) -> Option<(f64, Node)> {
        match self.op(a) {
            Op::Div(c, w) => self.normal_constant(c).map(|c| (c, w)),
            _ => None,
        }
    }

    /// `(c, w, x)` of `(c/w)*x`.
    fn as_scaled_reciprocal(&self, a: Node) -> Option<(f64, Node, Node)> {
        let Op::Mul(p, q) = self.op(a) else { return None };
        let left = self.as_reciprocal(p).map(|(c, w)| (c, w, q));
        left.or_else(|| self.as_reciprocal(q).map(|(c, w)| (c, w, p)))
    }

    /// The constant factor of a node and the rest, which has factor 1.
    fn coefficient(&mut self, a: Node) -> (f64, Node) {
        match self.op(a) {
            Op::Neg(x) => return (-1.0, x),
            Op::Const(_) => return self.normal_constant(a).map_or((1.0, a), |c| (c, Node::ONE)),
            Op::Mul(c, x) => {
                if let Some(c) = self.normal_constant(c) {
                    return (c, x);
                }
            }
            Op::Div(..) => {}
            _ => return (1.0, a),
        }
        if let Some((c, w)) = self.as_reciprocal(a) {
            return (c, self.intern(Op::Div(Node::ONE, w)));
        }
        if let Some((c, w, x)) = self.as_scaled_reciprocal(a) {
            let r = self.intern(Op::Div(Node::ONE, w));
            return (c, self.raw_mul(r, x));
        }
        (1.0, a)
    }

    /// `c * x`
    fn scale(&mut self, factor: f64, node: Node) -> Node {
        let (own, x) = self.coefficient(node);
        let c = factor * own;
        if !c.is_normal() {
            let factor = self.constant(factor);
            return self.raw_mul(factor, node);
        }
        if c == 1.0 {
            return x;
        }
        if x == Node::ONE {
            return self.constant(c);
        }
        if let Some((_, w)) = self.as_reciprocal(x) {
            let c = self.constant(c);
            return self.intern(Op::Div(c, w));
        }
        if let Some((_, w, x)) = self.as_scaled_reciprocal(x) {
            let c = self.constant(c);
            let r = self.intern(Op::Div(c, w));
            return self.raw_mul(r, x);
        }
        match self.op(x) {
            Op::Sub(a, b) if c == -1.0 => self.intern(Op::Sub(b, a)),
            _ if c == -1.0 => self.intern(Op::Neg(x)),
            _ => {
                let c = self.constant(c);
                self.raw_mul(c, x)
            }
        }
    }

    /// Operands in one order: constants first, then as built.
    fn raw_mul(&mut self, a: Node, b: Node) -> Node {
        let (a, b) = self.ordered(a, b);
        self.intern(Op::Mul(a, b))
    }

    fn ordered(&self, a: Node, b: Node) -> (Node, Node) {
        let key = |n| (self.as_constant(n).is_none(), n);
        if key(b) < key(a) { (b, a) } else { (a, b) }
    }

    /// `a + sign*b` with like terms gathered and signs turned into differences.
    fn combine(&mut self, a: Node, b: Node, sign: f64) -> Node {
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(a), Some(b)) => return self.constant(a + sign * b),
            (Some(0.0), _) => return if sign < 0.0 { self.neg(b) } else { b },
            (_, Some(0.0)) => return a,
            _ => {}
        }
        let ((ca, xa), (cb, xb)) = (self.coefficient(a), self.coefficient(b));
        let cb = sign * cb;
        if xa == xb {
            match ca + cb {
                0.0 => return self.constant(0.0),
                c if c.is_normal() => return self.scale(c, xa),
                _ => {}
            }
        }
        let constant = xa == Node::ONE || xb == Node::ONE;
        match (ca < 0.0, cb < 0.0) {
            (true, true) if !constant => {
                let (a, b) = (self.scale(-ca, xa), self.scale(-cb, xb));
                let sum = self.raw_add(a, b);
                self.intern(Op::Neg(sum))
            }
            (_, true) => {
                let b = self.scale(-cb, xb);
                self.intern(Op::Sub(a, b))
            }
            (true, false) => {
                let (a, b) = (self.scale(-ca, xa), self.scale(cb, xb));
                self.intern(Op::Sub(b, a))
            }
            (false, false) => {
                let b = self.scale(cb, xb);
                self.raw_add(a, b)
            }
        }
    }

    fn raw_add(&mut self, a: Node, b: Node) -> Node {
        let (a, b) = self.ordered(a, b);
        self.intern(Op::Add(a, b))
    }

    /// `a * b` where neither has a constant factor.
    fn mul_core(&mut self, a: Node, b: Node) -> Node {
        if a == Node::ONE {
            return b;
        }
        if b == Node::ONE {
            return a;
        }
        if a == b {
            match self.op(a) {
                Op::Unary(Builtin::Sqrt, u) => return u,
                Op::Unary(Builtin::Abs, u) => return self.raw_mul(u, u),
                Op::Sub(p, q) if p > q => {
                    let d = self.intern(Op::Sub(q, p));
                    return self.raw_mul(d, d);
                }
                _ => return self.raw_mul(a, b),
            }
        }
        match (self.as_reciprocal(a), self.as_reciprocal(b)) {
            (Some((_, v)), Some((_, w))) => {
                let vw = self.mul(v, w);
                self.reciprocal(vw)
            }
            (Some((_, w)), None) => self.cancel(b, w).unwrap_or_else(|| self.raw_mul(a, b)),
            (None, Some((_, w))) => self.cancel(a, w).unwrap_or_else(|| self.raw_mul(a, b)),
            (None, None) => self.raw_mul(a, b),
        }
    }

    /// `a / b` where neither has a constant factor. Quotients of quotients become one division.
    fn div_core(&mut self, a: Node, b: Node) -> Node {
        if b == Node::ONE {
            return a;
        }
        if let Some(q) = self.cancel(a, b) {
            return q;
        }
        if let Some((_, w)) = self.as_reciprocal(b) {
            return self.mul(a, w);
        }
        if let Some((_, w, x)) = self.as_scaled_reciprocal(b) {
            let aw = self.mul(a, w);
            return self.div(aw, x);
        }
        if let Some((_, w)) = self.as_reciprocal(a) {
            let wb = self.mul(w, b);
            return self.reciprocal(wb);
        }
        if let Some((_, w, x)) = self.as_scaled_reciprocal(a) {
            let wb = self.mul(w, b);
            let r = self.reciprocal(wb);
            return self.mul(r, x);
        }
        self.intern(Op::Div(a, b))
    }

    /// `x / w` if a factor cancels.
    fn cancel(&mut self, x: Node, w: Node) -> Option<Node> {
        if x == w {
            return Some(Node::ONE);
        }
        let root = |u| Op::Unary(Builtin::Sqrt, u);
        match (self.op(x), self.op(w)) {
            (_, op) if op == root(x) => Some(w),
            (op, _) if op == root(w) => Some(self.reciprocal(x)),
            (_, Op::Mul(p, q)) if p == x => Some(self.reciprocal(q)),
            (_, Op::Mul(p, q)) if q == x => Some(self.reciprocal(p)),
            (Op::Mul(p, q), _) if p == w => Some(q),
            (Op::Mul(p, q), _) if q == w => Some(p),
            _ => None,
        }
    }
}
