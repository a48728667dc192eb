//! Numbers that carry their derivatives, so that one generic function gives `L` and all partials.

use std::ops::{Add, Div, Mul, Neg, Sub};

/// What a formula written in Rust may do with its numbers.
///
/// Implemented by `f64`, by [`Dual`] (first derivatives) and by [`Dual2`] (second derivatives). A new
/// function needs only its value and two derivatives, through [`chain`](Scalar::chain).
pub trait Scalar:
    Copy
    + From<f64>
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + Add<f64, Output = Self>
    + Sub<f64, Output = Self>
    + Mul<f64, Output = Self>
    + Div<f64, Output = Self>
{
    /// The plain value.
    fn value(self) -> f64;
    /// `f(self)` given `f`, `f'` and `f''` at [`value`](Scalar::value).
    fn chain(self, f: f64, df: f64, ddf: f64) -> Self;

    /// Square root.
    #[inline(always)]
    fn sqrt(self) -> Self {
        let s = self.value().sqrt();
        let d = 0.5 / s;
        self.chain(s, d, -0.5 * d / self.value())
    }
    /// Sine.
    #[inline(always)]
    fn sin(self) -> Self {
        let (s, c) = self.value().sin_cos();
        self.chain(s, c, -s)
    }
    /// Cosine.
    #[inline(always)]
    fn cos(self) -> Self {
        let (s, c) = self.value().sin_cos();
        self.chain(c, -s, -c)
    }
    /// Tangent.
    #[inline(always)]
    fn tan(self) -> Self {
        let t = self.value().tan();
        let d = 1.0 + t * t;
        self.chain(t, d, 2.0 * t * d)
    }
    /// Exponential.
    #[inline(always)]
    fn exp(self) -> Self {
        let e = self.value().exp();
        self.chain(e, e, e)
    }
    /// Natural logarithm.
    #[inline(always)]
    fn ln(self) -> Self {
        let r = 1.0 / self.value();
        self.chain(self.value().ln(), r, -r * r)
    }
    /// Hyperbolic tangent.
    #[inline(always)]
    fn tanh(self) -> Self {
        let t = self.value().tanh();
        let d = 1.0 - t * t;
        self.chain(t, d, -2.0 * t * d)
    }
    /// `1/x`.
    #[inline(always)]
    fn recip(self) -> Self {
        let r = 1.0 / self.value();
        self.chain(r, -r * r, 2.0 * r * r * r)
    }
    /// `x * x`.
    #[inline(always)]
    fn squared(self) -> Self {
        let x = self.value();
        self.chain(x * x, 2.0 * x, 2.0)
    }
    /// Integer power.
    #[inline(always)]
    fn powi(self, k: i32) -> Self {
        let (x, n) = (self.value(), f64::from(k));
        let d1 = if k == 0 { 0.0 } else { n * x.powi(k - 1) };
        let d2 = if k == 0 || k == 1 { 0.0 } else { n * (n - 1.0) * x.powi(k - 2) };
        self.chain(x.powi(k), d1, d2)
    }
    /// Real power of a positive number.
    #[inline(always)]
    fn powf(self, a: f64) -> Self {
        let x = self.value();
        let y = x.powf(a);
        self.chain(y, a * y / x, a * (a - 1.0) * y / (x * x))
    }
}

impl Scalar for f64 {
    #[inline(always)]
    fn value(self) -> f64 {
        self
    }
    #[inline(always)]
    fn chain(self, f: f64, _: f64, _: f64) -> f64 {
        f
    }
}

/// A value with its gradient in `M` variables.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<const M: usize> {
    /// The value.
    pub value: f64,
    /// Its first derivatives.
    pub gradient: [f64; M],
}

impl<const M: usize> Dual<M> {
    /// The `i`-th variable.
    #[inline(always)]
    pub fn variable(value: f64, i: usize) -> Self {
        let mut gradient = [0.0; M];
        gradient[i] = 1.0;
        Dual { value, gradient }
    }
}

impl<const M: usize> From<f64> for Dual<M> {
    #[inline(always)]
    fn from(value: f64) -> Self {
        Dual { value, gradient: [0.0; M] }
    }
}

impl<const M: usize> Scalar for Dual<M> {
    #[inline(always)]
    fn value(self) -> f64 {
        self.value
    }
    #[inline(always)]
    fn chain(self, f: f64, df: f64, _: f64) -> Self {
        self.scaled(f, df)
    }
}

impl<const M: usize> Dual<M> {
    /// The value `f`, the gradient times `df`.
    #[inline(always)]
    fn scaled(mut self, f: f64, df: f64) -> Self {
        self.value = f;
        for x in &mut self.gradient {
            *x *= df;
        }
        self
    }
    /// Applies `f` to each pair of components.
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        self.value = f(self.value, other.value);
        for i in 0..M {
            self.gradient[i] = f(self.gradient[i], other.gradient[i]);
        }
        self
    }
}

/// A value with gradient and Hessian in `q` and `v`, `N` of each; the Hessian by blocks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual2<const N: usize> {
    /// The value.
    pub value: f64,
    /// Derivatives in `q`.
    pub q: [f64; N],
    /// Derivatives in `v`.
    pub v: [f64; N],
    /// Second derivatives in `q_i`, `q_j`.
    pub qq: [[f64; N]; N],
    /// Second derivatives in `q_i`, `v_j`.
    pub qv: [[f64; N]; N],
    /// Second derivatives in `v_i`, `v_j`.
    pub vv: [[f64; N]; N],
}

impl<const N: usize> Dual2<N> {
    /// The position `q_i`.
    #[inline(always)]
    pub fn position(value: f64, i: usize) -> Self {
        let mut x = Self::from(value);
        x.q[i] = 1.0;
        x
    }
    /// The velocity `v_i`.
    #[inline(always)]
    pub fn velocity(value: f64, i: usize) -> Self {
        let mut x = Self::from(value);
        x.v[i] = 1.0;
        x
    }
    /// Applies `f` to each pair of components.
    #[inline(always)]
    fn zip(mut self, other: Self, f: impl Fn(f64, f64) -> f64) -> Self {
        self.value = f(self.value, other.value);
        for i in 0..N {
            self.q[i] = f(self.q[i], other.q[i]);
            self.v[i] = f(self.v[i], other.v[i]);
            for j in 0..N {
                self.qq[i][j] = f(self.qq[i][j], other.qq[i][j]);
                self.qv[i][j] = f(self.qv[i][j], other.qv[i][j]);
                self.vv[i][j] = f(self.vv[i][j], other.vv[i][j]);
            }
        }
        self
    }
}

impl<const N: usize> From<f64> for Dual2<N> {
    #[inline(always)]
    fn from(value: f64) -> Self {
        let (z, zz) = ([0.0; N], [[0.0; N]; N]);
        Dual2 { value, q: z, v: z, qq: zz, qv: zz, vv: zz }
    }
}

/// Both at once. Kept whole: inlined, the optimiser may move one of them behind a branch, and then calls two functions.
#[inline(never)]
fn sin_cos(x: f64) -> (f64, f64) {
    x.sin_cos()
}

impl<const N: usize> Scalar for Dual2<N> {
    #[inline(always)]
    fn value(self) -> f64 {
        self.value
    }
    #[inline(always)]
    fn sin(self) -> Self {
        let (s, c) = sin_cos(self.value);
        self.chain(s, c, -s)
    }
    #[inline(always)]
    fn cos(self) -> Self {
        let (s, c) = sin_cos(self.value);
        self.chain(c, -s, -c)
    }
    #[inline(always)]
    fn chain(mut self, f: f64, df: f64, ddf: f64) -> Self {
        for i in 0..N {
            for j in 0..N {
                self.qq[i][j] = df * self.qq[i][j] + ddf * (self.q[i] * self.q[j]);
                self.qv[i][j] = df * self.qv[i][j] + ddf * (self.q[i] * self.v[j]);
                self.vv[i][j] = df * self.vv[i][j] + ddf * (self.v[i] * self.v[j]);
            }
        }
        for i in 0..N {
            self.q[i] *= df;
            self.v[i] *= df;
        }
        self.value = f;
        self
    }
}

/// The operators that need no knowledge of the layout.
macro_rules! operators {
    ($type:ident, $n:ident) => {
        impl<const $n: usize> $type<$n> {
            /// The product with derivatives `b x + a y`, all but the products of first derivatives.
            #[inline(always)]
            fn product_rule(self, other: Self) -> Self {
                let (a, b) = (self.value, other.value);
                let mut r = self.zip(other, |x, y| b * x + a * y);
                r.value = a * b;
                r
            }
        }
        impl<const $n: usize> Add for $type<$n> {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.zip(other, |a, b| a + b)
            }
        }
        impl<const $n: usize> Sub for $type<$n> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.zip(other, |a, b| a - b)
            }
        }
        impl<const $n: usize> Mul<f64> for $type<$n> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: f64) -> Self {
                self.zip(self, |x, _| x * other)
            }
        }
        impl<const $n: usize> Div for $type<$n> {
            type Output = Self;
            #[inline(always)]
            #[allow(
                clippy::suspicious_arithmetic_impl,
                reason = "a quotient is a product with the reciprocal"
            )]
            fn div(self, other: Self) -> Self {
                self * other.recip()
            }
        }
        impl<const $n: usize> Add<f64> for $type<$n> {
            type Output = Self;
            #[inline(always)]
            fn add(mut self, other: f64) -> Self {
                self.value += other;
                self
            }
        }
        impl<const $n: usize> Sub<f64> for $type<$n> {
            type Output = Self;
            #[inline(always)]
            fn sub(mut self, other: f64) -> Self {
                self.value -= other;
                self
            }
        }
        impl<const $n: usize> Div<f64> for $type<$n> {
            type Output = Self;
            #[inline(always)]
            fn div(self, other: f64) -> Self {
                self * (1.0 / other)
            }
        }
        impl<const $n: usize> Neg for $type<$n> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                self * -1.0
            }
        }
        impl<const $n: usize> Mul<$type<$n>> for f64 {
            type Output = $type<$n>;
            #[inline(always)]
            fn mul(self, other: $type<$n>) -> $type<$n> {
                other * self
            }
        }
    };
}
operators!(Dual, M);
operators!(Dual2, N);

impl<const M: usize> Mul for Dual<M> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        self.product_rule(other)
    }
}

impl<const N: usize> Mul for Dual2<N> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, other: Self) -> Self {
        let mut r = self.product_rule(other);
        for i in 0..N {
            for j in 0..N {
                r.qq[i][j] += self.q[i] * other.q[j] + other.q[i] * self.q[j];
                r.qv[i][j] += self.q[i] * other.v[j] + other.q[i] * self.v[j];
                r.vv[i][j] += self.v[i] * other.v[j] + other.v[i] * self.v[j];
            }
        }
        r
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use num_dual::{DualNum, second_derivative};

    /// Value and derivatives of a function of one variable, ours against `num-dual`.
    fn agree(name: &str, x: f64, ours: impl Fn(Dual2<1>) -> Dual2<1>, theirs: (f64, f64, f64)) {
        let y = ours(Dual2::position(x, 0));
        for (a, b) in [(y.value, theirs.0), (y.q[0], theirs.1), (y.qq[0][0], theirs.2)] {
            assert!((a - b).abs() <= 4e-15 * (1.0 + b.abs()), "{name} at {x}: {a} {b}");
        }
    }

    #[test]
    fn dual_number_functions_have_their_derivatives() {
        for x in [0.3, 0.7, 1.9] {
            agree("sqrt", x, |x| x.sqrt(), second_derivative(|x| x.sqrt(), x));
            agree("sin", x, |x| x.sin(), second_derivative(|x| x.sin(), x));
            agree("cos", x, |x| x.cos(), second_derivative(|x| x.cos(), x));
            agree("tan", 0.4 * x, |x| x.tan(), second_derivative(|x| x.tan(), 0.4 * x));
            agree("exp", x, |x| x.exp(), second_derivative(|x| x.exp(), x));
            agree("ln", x, |x| x.ln(), second_derivative(|x| x.ln(), x));
            agree("tanh", x, |x| x.tanh(), second_derivative(|x| x.tanh(), x));
            agree("recip", x, |x| x.recip(), second_derivative(|x| x.recip(), x));
            agree("squared", x, |x| x.squared(), second_derivative(|x| x.powi(2), x));
            agree("powf", x, |x| x.powf(1.7), second_derivative(|x| x.powf(1.7), x));
            for k in -3..5 {
                agree("powi", x, |x| x.powi(k), second_derivative(|x| x.powi(k), x));
            }
            agree("a / b", x, |x| x.sin() / (x + 2.0), second_derivative(|x| x.sin() / (x + 2.0), x));
            agree("a * b - c", x, |x| x.sin() * x - x / 3.0, second_derivative(|x| x.sin() * x - x / 3.0, x));
        }
    }

    #[test]
    fn first_and_second_order_dual_numbers_agree() {
        let f = |x: Dual<2>, y: Dual<2>| (x * y).exp() / (x - y) + 2.0 * y.sin() - 1.0;
        let g = |x: Dual2<1>, y: Dual2<1>| (x * y).exp() / (x - y) + 2.0 * y.sin() - 1.0;
        let first = f(Dual::variable(1.1, 0), Dual::variable(0.4, 1));
        let second = g(Dual2::position(1.1, 0), Dual2::velocity(0.4, 0));
        assert_eq!((first.value, first.gradient), (second.value, [second.q[0], second.v[0]]));
    }
}
