//! The one table of functions: name, arguments, description, evaluation and derivative rule.

use super::graph::{Graph, Node};
use std::fmt;

/// How many arguments a function takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arity {
    /// This many.
    Exactly(u32),
    /// This many or more.
    AtLeast(u32),
}

impl fmt::Display for Arity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Arity::Exactly(1) => write!(f, "1 argument"),
            Arity::Exactly(n) => write!(f, "{n} arguments"),
            Arity::AtLeast(n) => write!(f, "{n} or more arguments"),
        }
    }
}

/// A function of the formula language.
pub struct Function {
    /// Its name in formulas.
    pub name: &'static str,
    /// Other names for it.
    pub aliases: &'static [&'static str],
    /// How it is written, for example `atan2(y, x)`.
    pub signature: &'static str,
    /// How many arguments it takes.
    pub arity: Arity,
    /// What it is, in one line.
    pub description: &'static str,
    pub(super) id: Builtin,
    pub(super) rule: Rule,
}

pub(super) type Unary = extern "C" fn(f64) -> f64;
pub(super) type Binary = extern "C" fn(f64, f64) -> f64;
type UnaryDerivative = fn(&mut Graph, Node, Node) -> Node;
type BinaryDerivative = fn(&mut Graph, Node, Node, Node) -> Node;

/// Evaluation, shared to the bit by interpreter and compiled code, and partial derivatives: these get the
/// arguments and the function's own node.
pub(super) enum Rule {
    Unary(Unary, UnaryDerivative),
    /// A function of more arguments is this one applied from the left.
    Binary(Binary, [BinaryDerivative; 2]),
}

impl Builtin {
    /// The function called `name`.
    pub fn named(name: &str) -> Option<Builtin> {
        TABLE.iter().find(|f| f.name == name || f.aliases.contains(&name)).map(|f| f.id)
    }

    /// The row of the table.
    pub fn function(self) -> &'static Function {
        &TABLE[self as usize]
    }

    pub(super) fn unary(self, x: f64) -> f64 {
        match self.function().rule {
            Rule::Unary(f, _) => f(x),
            Rule::Binary(..) => unreachable!("{} has two arguments", self.function().name),
        }
    }

    pub(super) fn binary(self, a: f64, b: f64) -> f64 {
        match self.function().rule {
            Rule::Binary(f, _) => f(a, b),
            Rule::Unary(..) => unreachable!("{} has one argument", self.function().name),
        }
    }
}

/// Every function of the language, for listings. (`sum` is syntax: see the [module](super).)
pub fn functions() -> &'static [Function] {
    TABLE
}

/// Enum and table in one, so that neither can miss a row.
macro_rules! table {
    ($($id:ident $signature:literal $(alias $alias:literal)? $description:literal
       $arity:expr, |$($x:ident),+| $eval:expr, $($d:expr),+;)+) => {
        /// A function of the formula language, by its place in the table.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[repr(u8)]
        #[allow(missing_docs)]
        pub enum Builtin { $($id),+ }

        static TABLE: &[Function] = &[$(Function {
            name: before_bracket($signature),
            aliases: &[$($alias)?],
            signature: $signature,
            arity: $arity,
            description: $description,
            id: Builtin::$id,
            rule: table!(@rule |$($x),+| $eval, $($d),+),
        }),+];
    };
    (@rule |$x:ident| $eval:expr, $d:expr) => {{
        extern "C" fn eval($x: f64) -> f64 { $eval }
        Rule::Unary(eval, $d)
    }};
    (@rule |$a:ident, $b:ident| $eval:expr, $da:expr, $db:expr) => {{
        extern "C" fn eval($a: f64, $b: f64) -> f64 { $eval }
        Rule::Binary(eval, [$da, $db])
    }};
}

const fn before_bracket(signature: &'static str) -> &'static str {
    let mut n = 0;
    while signature.as_bytes()[n] != b'(' {
        n += 1;
    }
    signature.split_at(n).0
}

const ONE: Arity = Arity::Exactly(1);
const TWO: Arity = Arity::Exactly(2);

// Divisions are kept out of each other's way (0.5/s for a root, x/(x*x + y*y) for an angle): a division waits for
// its operands and everything behind it waits for the division.
table! {
    Sin "sin(x)" "sine of an angle in radians" ONE, |x| x.sin(), |g, x, _| g.call(Builtin::Cos, &[x]);
    Cos "cos(x)" "cosine of an angle in radians" ONE, |x| x.cos(),
        |g, x, _| { let s = g.call(Builtin::Sin, &[x]); g.neg(s) };
    Tan "tan(x)" "tangent of an angle in radians" ONE, |x| x.tan(), |g, _, y| one_plus_square(g, y);
    Asin "asin(x)" "inverse sine, in radians" ONE, |x| x.asin(), |g, x, _| circle(g, x);
    Acos "acos(x)" "inverse cosine, in radians" ONE, |x| x.acos(), |g, x, _| { let d = circle(g, x); g.neg(d) };
    Atan "atan(x)" "inverse tangent, in radians" ONE, |x| x.atan(),
        |g, x, _| { let w = one_plus_square(g, x); g.reciprocal(w) };
    Atan2 "atan2(y, x)" "angle of the point (x, y), from -pi to pi" TWO, |y, x| y.atan2(x),
        |g, y, x, _| { let w = squares(g, y, x); g.div(x, w) },
        |g, y, x, _| { let w = squares(g, y, x); let d = g.div(y, w); g.neg(d) };
    Sinh "sinh(x)" "hyperbolic sine" ONE, |x| x.sinh(), |g, x, _| g.call(Builtin::Cosh, &[x]);
    Cosh "cosh(x)" "hyperbolic cosine" ONE, |x| x.cosh(), |g, x, _| g.call(Builtin::Sinh, &[x]);
    Tanh "tanh(x)" "hyperbolic tangent" ONE, |x| x.tanh(), |g, _, y| one_minus_square(g, y);
    Asinh "asinh(x)" "inverse hyperbolic sine" ONE, |x| x.asinh(),
        |g, x, _| { let w = one_plus_square(g, x); let s = g.sqrt(w); g.reciprocal(s) };
    Acosh "acosh(x)" "inverse hyperbolic cosine, x >= 1" ONE, |x| x.acosh(), |g, x, _| {
        let (one, xx) = (g.constant(1.0), g.mul(x, x));
        let w = g.sub(xx, one);
        let s = g.sqrt(w);
        g.reciprocal(s)
    };
    Atanh "atanh(x)" "inverse hyperbolic tangent, |x| < 1" ONE, |x| x.atanh(),
        |g, x, _| { let w = one_minus_square(g, x); g.reciprocal(w) };
    Exp "exp(x)" "e to the power x" ONE, |x| x.exp(), |_, _, y| y;
    Log "log(x)" alias "ln" "natural logarithm" ONE, |x| x.ln(), |g, x, _| g.reciprocal(x);
    Log10 "log10(x)" "logarithm to base 10" ONE, |x| x.log10(),
        |g, x, _| { let c = g.constant(std::f64::consts::LOG10_E); g.div(c, x) };
    Sqrt "sqrt(x)" "square root" ONE, |x| x.sqrt(), |g, _, y| { let h = g.constant(0.5); g.div(h, y) };
    Cbrt "cbrt(x)" "cube root, also of negative numbers" ONE, |x| x.cbrt(), |g, _, y| {
        let (third, yy) = (g.constant(1.0 / 3.0), g.mul(y, y));
        g.div(third, yy)
    };
    Abs "abs(x)" "absolute value" ONE, |x| x.abs(), |g, x, _| g.call(Builtin::Sign, &[x]);
    Sign "sign(x)" "-1, 0 or 1" ONE, |x| if x == 0.0 { 0.0 } else { x.signum() }, |g, _, _| g.constant(0.0);
    Min "min(a, b, ...)" "smallest of two or more; not a number if any is not" Arity::AtLeast(2),
        |a, b| if a <= b || a.is_nan() { a } else { b },
        |g, a, b, _| { let d = g.sub(b, a); g.call(Builtin::Heaviside, &[d]) },
        |g, a, b, _| { let d = g.sub(b, a); one_minus_step(g, d) };
    Max "max(a, b, ...)" "largest of two or more; not a number if any is not" Arity::AtLeast(2),
        |a, b| if a >= b || a.is_nan() { a } else { b },
        |g, a, b, _| { let d = g.sub(a, b); g.call(Builtin::Heaviside, &[d]) },
        |g, a, b, _| { let d = g.sub(a, b); one_minus_step(g, d) };
    Pow "pow(a, b)" "a to the power b, the same as a^b" TWO, |a, b| a.powf(b),
        |g, a, b, _| {
            let one = g.constant(1.0);
            let less = g.sub(b, one);
            let p = g.pow(a, less);
            g.mul(b, p)
        },
        |g, a, _, y| { let l = g.call(Builtin::Log, &[a]); g.mul(y, l) };
    Hypot "hypot(x, y)" "length of the vector (x, y), safe for very large and very small ones" TWO,
        |x, y| x.hypot(y), |g, x, _, r| g.div(x, r), |g, _, y, r| g.div(y, r);
    Floor "floor(x)" "largest integer not above x" ONE, |x| x.floor(), |g, _, _| g.constant(0.0);
    Ceil "ceil(x)" "smallest integer not below x" ONE, |x| x.ceil(), |g, _, _| g.constant(0.0);
    Mod "mod(a, b)" "remainder of a / b with the sign of b" TWO, |a, b| floored_mod(a, b),
        |g, _, _, _| g.constant(1.0),
        |g, a, b, _| {
            let q = g.div(a, b);
            let f = g.call(Builtin::Floor, &[q]);
            g.neg(f)
        };
    Heaviside "heaviside(x)" "0 for x < 0, 1 for x >= 0" ONE,
        |x| if x.is_nan() { x } else if x < 0.0 { 0.0 } else { 1.0 }, |g, _, _| g.constant(0.0);
}

/// Sine and cosine of one angle.
#[repr(C)]
pub(super) struct SinCos {
    pub(super) sin: f64,
    pub(super) cos: f64,
}

/// Both at once, where the platform's C functions return two numbers in registers: about half the time of two
/// calls. (The system's `sincos` has the bits of its `sin` and `cos`; a test holds it to that.)
pub(super) const SIN_COS: Option<extern "C" fn(f64) -> SinCos> =
    if cfg!(all(unix, any(target_arch = "x86_64", target_arch = "aarch64"))) { Some(sin_cos) } else { None };

extern "C" fn sin_cos(x: f64) -> SinCos {
    let (sin, cos) = x.sin_cos();
    SinCos { sin, cos }
}

/// `a - b floor(a/b)` without the rounding of the quotient.
fn floored_mod(a: f64, b: f64) -> f64 {
    let r = a % b;
    if r != 0.0 && (r < 0.0) != (b < 0.0) { r + b } else { r }
}

fn squares(g: &mut Graph, a: Node, b: Node) -> Node {
    let (aa, bb) = (g.mul(a, a), g.mul(b, b));
    g.add(aa, bb)
}

fn one_plus_square(g: &mut Graph, x: Node) -> Node {
    let (one, xx) = (g.constant(1.0), g.mul(x, x));
    g.add(one, xx)
}

fn one_minus_square(g: &mut Graph, x: Node) -> Node {
    let (one, xx) = (g.constant(1.0), g.mul(x, x));
    g.sub(one, xx)
}

/// `1/sqrt(1 - x^2)`
fn circle(g: &mut Graph, x: Node) -> Node {
    let w = one_minus_square(g, x);
    let s = g.sqrt(w);
    g.reciprocal(s)
}

fn one_minus_step(g: &mut Graph, x: Node) -> Node {
    let (one, step) = (g.constant(1.0), g.call(Builtin::Heaviside, &[x]));
    g.sub(one, step)
}
