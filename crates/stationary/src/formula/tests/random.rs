//! Random formulas: machine code against the interpreter, simplification against the text, derivatives against
//! differences.

use super::*;
use proptest::prelude::*;

type Words = &'static [&'static str];

fn tree(leaves: Words, functions: Words, pairs: Words) -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(leaves).prop_map(str::to_owned),
        (-40i32..40).prop_map(|c| format!("({})", f64::from(c) / 8.0)),
    ];
    leaf.prop_recursive(5, 40, 2, move |inner| {
        prop_oneof![
            (inner.clone(), prop::sample::select(vec!["+", "-", "*", "/"]), inner.clone())
                .prop_map(|(a, op, b)| format!("({a} {op} {b})")),
            inner.clone().prop_map(|a| format!("(-{a})")),
            (inner.clone(), prop::sample::select(vec!["2", "3", "-1", "0.5", "-1.5", "4", "0", "1"]))
                .prop_map(|(a, e)| format!("({a})^{e}")),
            (prop::sample::select(functions), inner.clone()).prop_map(|(f, a)| format!("{f}({a})")),
            (prop::sample::select(pairs), inner.clone(), inner)
                .prop_map(|(f, a, b)| format!("{f}({a}, {b})")),
        ]
    })
}

const LEAVES: &[&str] = &["x", "y", "vx", "q[1]", "t", "m", "pi"];
const ALL: &[&str] = &[
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
    "asinh",
    "acosh",
    "atanh",
    "exp",
    "log",
    "log10",
    "sqrt",
    "cbrt",
    "abs",
    "sign",
    "floor",
    "ceil",
    "heaviside",
];
const PAIRS: &[&str] = &["atan2", "min", "max", "pow", "hypot", "mod"];

fn point() -> impl Strategy<Value = Point> {
    prop::array::uniform4(-3.0..3.0f64).prop_map(|[a, b, c, d]| Point {
        t: a,
        q: [b, c],
        v: [d, a],
        p: [c, b],
    })
}

/// A value and a bound of what rounding may have done to it, so that cancellation is not taken for a wrong rule.
#[derive(Clone, Copy)]
struct Rounded(f64, f64);

/// The last field turns false at the first intermediate result that is not finite.
struct Tracking<'a>(&'a Point, bool);

impl Tracking<'_> {
    /// Error of a function by trying it at the ends of the argument's error bar.
    fn push(&mut self, f: impl Fn(f64, f64) -> f64, a: Rounded, b: Rounded) -> Rounded {
        let y = f(a.0, b.0);
        self.1 &= y.is_finite();
        let mut spread = 0.0f64;
        for (sa, sb) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let d = (f(a.0 + sa * a.1, b.0 + sb * b.1) - y).abs();
            spread = if d.is_nan() { f64::INFINITY } else { spread.max(d) };
        }
        Rounded(y, 2.0 * spread + 8.0 * f64::EPSILON * y.abs() + 1e-300)
    }
}

impl lower::Algebra for Tracking<'_> {
    type Value = Rounded;
    fn number(&mut self, value: f64) -> Rounded {
        Rounded(value, 0.0)
    }
    fn variable(&mut self, var: Var) -> Rounded {
        Rounded(self.0.get(var), 0.0)
    }
    fn negate(&mut self, a: Rounded) -> Rounded {
        Rounded(-a.0, a.1)
    }
    fn binary(&mut self, op: BinaryOp, a: Rounded, b: Rounded) -> Rounded {
        match op {
            BinaryOp::Add => Rounded(a.0 + b.0, a.1 + b.1 + 4.0 * f64::EPSILON * (a.0.abs() + b.0.abs())),
            BinaryOp::Sub => Rounded(a.0 - b.0, a.1 + b.1 + 4.0 * f64::EPSILON * (a.0.abs() + b.0.abs())),
            BinaryOp::Mul => self.push(|a, b| a * b, a, b),
            BinaryOp::Div => self.push(|a, b| a / b, a, b),
            BinaryOp::Pow => self.push(f64::powf, a, b),
        }
    }
    fn call(&mut self, f: Builtin, x: &[Rounded]) -> Rounded {
        match x {
            [x] => self.push(|x, _| f.unary(x), *x, Rounded(0.0, 0.0)),
            _ => self.push(|a, b| f.binary(a, b), x[0], x[1]),
        }
    }
    fn known(&self, value: Rounded) -> Option<f64> {
        Some(value.0)
    }
}

proptest! {
    #![proptest_config(repeatable(1000))]

    #[test]
    fn machine_code_agrees_with_the_interpreter_and_simplification_keeps_values(text in tree(LEAVES, ALL, PAIRS), at in point()) {
        let scope = plane();
        let (mut graph, node) = lowered(&text, &scope);
        let by = [Var::Q(0), Var::Q(1), Var::V(0), Var::T];
        let first = graph.gradient(node, &by);
        let second: Vec<Node> = first.iter().flat_map(|d| graph.gradient(*d, &by)).collect();
        let outputs: Vec<(Node, usize)> = [node].iter().chain(&first).chain(&second).copied().zip(0..).collect();
        let out = at.run(&Program::new(&graph, &outputs), outputs.len());
        let Rounded(plain, error) = lower::run(&Expr::parse(&text).unwrap(), &scope, &mut Tracking(&at, true)).unwrap();
        if plain.is_finite() && error.is_finite() {
            prop_assert!((out[0] - plain).abs() <= error, "{text} at {at:?}: {:e} is not {plain:e}", out[0]);
        }
    }

    #[test]
    fn derivatives_of_random_smooth_formulas_agree_with_finite_differences(
        text in tree(&["x", "y", "1.5"], &["sin", "cos", "exp", "tanh", "atan", "asinh", "sqrt", "log"], &["atan2", "hypot", "pow"]), at in point(),
    ) {
        let scope = plane();
        let (mut graph, node) = lowered(&text, &scope);
        let d = graph.gradient(node, &[Var::Q(0)]);
        let dd = graph.gradient(d[0], &[Var::Q(0)]);
        let program = Program::new(&graph, &[(node, 0), (d[0], 1), (dd[0], 2)]);
        let slopes = |h: f64| {
            let f = |h: f64| at.moved(Var::Q(0), h).run(&program, 3);
            let (a, b) = (f(-h), f(h));
            [(b[0] - a[0]) / (2.0 * h), (b[1] - a[1]) / (2.0 * h)]
        };
        let out = at.run(&program, 3);
        let mut tracking = Tracking(&at, true);
        lower::run(&Expr::parse(&text).unwrap(), &scope, &mut tracking).unwrap();
        // Two steps that agree tell where differences can be trusted: no kink, pole or edge of a domain near.
        let (coarse, fine) = (slopes(2e-5), slopes(1e-5));
        for k in 0..2 {
            let noise = 1e-9 * (1.0 + out[k].abs());
            // At a singular point (0^x, the tip of a cone) the derivative is not a number, whatever differences say.
            let regular = tracking.1 && !out[1 + k].is_nan() && out[k].abs() < 1e3;
            let trusted = regular && (coarse[k] - fine[k]).abs() < 1e-6 * (1.0 + fine[k].abs());
            if trusted {
                prop_assert!((out[1 + k] - fine[k]).abs() < 1e-4 * (1.0 + fine[k].abs()) + noise,
                    "derivative {} of {text} at {at:?}: {} is not {}", k + 1, out[1 + k], fine[k]);
            }
        }
    }
}
