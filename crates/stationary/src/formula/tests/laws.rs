//! Every function and kind of node: derivatives against differences, machine code against the interpreter.

use super::*;

const BY: [Var; 5] = [Var::Q(0), Var::Q(1), Var::V(0), Var::P(1), Var::T];

/// One formula for each function of the table, and for each kind of node and simplification.
fn formulas() -> Vec<String> {
    let mut all: Vec<String> = vec![];
    for f in functions() {
        // Arguments inside every domain at the points below.
        let (small, above) = ("(0.3*x + 0.05*y)", "(1.5 + x*y)");
        all.push(match (f.name, f.arity) {
            ("acosh", _) => format!("acosh({above})"),
            (name, Arity::Exactly(1)) => format!("{name}({small})*y + {name}(0.2*x*y)"),
            (name, _) => format!("{name}({above}, {small})"),
        });
    }
    let more = [
        "x",
        "2.5",
        "x + y",
        "x - y",
        "x*y",
        "x/y",
        "-x",
        "x^2",
        "x^3",
        "x^7",
        "x^-1",
        "x^-2",
        "x^0.5",
        "x^1.5",
        "x^-1.5",
        "x^-0.5",
        "x^2.5",
        "x^40",
        "x^0.3",
        "2^x",
        "x^y",
        "max(x, y, 0.5*x*y)",
        "min(x, 2*y, vx)",
        "(x + y)*(x - y)/(x*y)",
        "-(-x)*(-y)",
        "x/3 + 3*x/y",
        "1/(1/x)",
        "(x/y)/(y/x^2)",
        "2*x + 3*x - y*0",
        "x - 3 - x*x",
        "-x - y",
        "-3 - x",
        "-2*x - 3*y",
        "sqrt(x)*sqrt(x)*y",
        "x/sqrt(x)",
        "sqrt(x*y)/(x*y)",
        "(x*y)/y",
        "y/(x*y)",
        "abs(x - 2*y)^2",
        "cos(x - y)*cos(y - x)",
        "sin(y - x) + sin(x - y)*x",
        "(y - x)^2*x",
        "1/x*(1/y)",
        "3/x + 2/x",
        "(2/x)*y*(3/y)*x*x",
        "exp(-x)*log(y)*t + p[1]*vx",
        "0.5*m*(vx^2 + vy^2) + k/sqrt(x^2 + y^2)",
        "(x^2 + y^2)^(3/2)",
        "(x^2 + y^2)^(-3/2)*x",
        "atan2(y, x)",
        "hypot(x, y)/t",
        "mod(x*y*4, 1 + y)",
        "t^2*sin(t*x)",
        "sum(i = 0..1, q[i]^2/(1 + q[1-i]))",
        "floor(5*x)*x + ceil(3*y)*y",
        "heaviside(x - 0.1)*x^2",
    ];
    all.extend(more.map(str::to_owned));
    all
}

fn points() -> [Point; 3] {
    [
        Point { t: 0.7, q: [0.31, 0.83], v: [1.3, -0.4], p: [0.2, 1.9] },
        Point { t: 1.9, q: [1.27, 0.46], v: [-0.8, 0.6], p: [-1.1, 0.3] },
        Point { t: 0.2, q: [0.62, 1.71], v: [0.9, 2.2], p: [0.5, -0.6] },
    ]
}

/// A difference of fourth order, `f` given at multiples of the step.
fn slope(f: impl Fn(f64) -> f64) -> f64 {
    let h = 1e-3;
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

fn close(exact: f64, difference: f64, scale: f64) -> bool {
    (exact - difference).abs() <= 1e-7 * (1.0 + exact.abs() + scale)
}

#[test]
fn formula_derivatives_agree_with_finite_differences() {
    let scope = plane();
    for text in formulas() {
        let (mut graph, value) = lowered(&text, &scope);
        let first = graph.gradient(value, &BY);
        let n = BY.len();
        let mut outputs = vec![(value, 0)];
        outputs.extend(first.iter().enumerate().map(|(i, d)| (*d, 1 + i)));
        for (i, d) in first.iter().enumerate() {
            let row = graph.gradient(*d, &BY);
            outputs.extend(row.iter().enumerate().map(|(j, d)| (*d, 1 + n + i * n + j)));
        }
        let count = outputs.len();
        let program = Program::new(&graph, &outputs);
        assert!(program.is_compiled());
        for point in points() {
            let out = point.run(&program, count);
            let plain = direct(&text, &scope, &point);
            assert!(
                (out[0] - plain).abs() <= 1e-13 * (1.0 + plain.abs()),
                "{text}: {} is not {plain}",
                out[0]
            );
            for j in 0..n {
                let at = |h: f64| point.moved(BY[j], h);
                let d = slope(|h| direct(&text, &scope, &at(h)));
                assert!(
                    close(out[1 + j], d, 0.0),
                    "d({text})/d{:?} at {point:?}: {} is not {d}",
                    BY[j],
                    out[1 + j]
                );
                for i in 0..n {
                    let d = slope(|h| at(h).run(&program, count)[1 + i]);
                    let (ij, ji) = (out[1 + n + i * n + j], out[1 + n + j * n + i]);
                    let at = format!("d2({text})/d{:?}d{:?} at {point:?}", BY[i], BY[j]);
                    assert!(close(ij, d, out[0].abs()), "{at}: {ij} is not {d}");
                    assert!(close(ij, ji, 0.0), "{at}: {ij} is not symmetric, {ji}");
                }
            }
        }
    }
}

#[test]
fn finite_difference_check_of_formulas_detects_a_wrong_derivative() {
    // d(x^3) taken for d(x^2): the difference must see it.
    let point = points()[0];
    let d = slope(|h| direct("x^2", &plane(), &point.moved(Var::Q(0), h)));
    assert!(close(2.0 * point.q[0], d, 0.0) && !close(3.0 * point.q[0].powi(2), d, 0.0));
}

#[test]
fn formula_evaluation_propagates_nan() {
    let scope = plane();
    for text in
        ["max(x, y)", "min(x, y)", "max(y, x)", "min(y, x)", "sign(x)", "heaviside(x)", "abs(x)", "mod(x, y)"]
    {
        let (graph, node) = lowered(text, &scope);
        let program = Program::new(&graph, &[(node, 0)]);
        let point = Point { t: 0.0, q: [f64::NAN, 1.0], v: [0.0; 2], p: [0.0; 2] };
        assert!(point.run(&program, 1)[0].is_nan(), "{text}");
    }
}

#[test]
fn machine_code_and_interpreter_agree_bit_by_bit_at_edge_values() {
    let scope = plane();
    let special =
        [0.0, -0.0, 1.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1e308, 5e-324, 1e17, 0.5];
    for text in formulas() {
        let (mut graph, node) = lowered(&text, &scope);
        let d = graph.gradient(node, &BY);
        let mut outputs: Vec<_> = d.iter().enumerate().map(|(i, d)| (*d, i + 1)).collect();
        outputs.push((node, 0));
        let program = Program::new(&graph, &outputs);
        for x in special {
            for y in special {
                Point { t: y, q: [x, y], v: [x, 1.0], p: [y, x] }.run(&program, 6);
            }
        }
    }
}

#[test]
fn kepler_formula_compiles_to_one_square_root_and_one_division() {
    let (mut graph, l) = lowered("0.5*m*(vx^2 + vy^2) + k/sqrt(x^2 + y^2)", &plane());
    let d = graph.gradient(l, &[Var::Q(0), Var::Q(1)]);
    let program = Program::new(&graph, &[(d[0], 0), (d[1], 1)]);
    // two loads, x*x, y*y, their sum, root, product, quotient, two products
    assert_eq!(program.len(), 10);
}

#[test]
fn formula_programs_are_shared_between_threads_and_leave_unused_outputs_unchanged() {
    fn sendable<T: Send + Sync + Clone>(_: &T) {}
    let (graph, node) = lowered("sin(x) + t", &plane());
    let program = Program::new(&graph, &[(node, 2)]);
    sendable(&program);
    let copy = program.clone();
    drop(program);
    let out = std::thread::spawn(move || {
        let mut out = [9.0; 4];
        copy.call(1.0, &[0.0], &[], &[], &mut out);
        out
    });
    assert_eq!(out.join().unwrap(), [9.0, 9.0, 1.0, 9.0]);
}

#[test]
fn fused_sine_and_cosine_have_the_bits_of_each_alone() {
    let scope = plane();
    let (mut graph, sin) = lowered("sin(3*x)*y", &scope);
    let d = graph.gradient(sin, &[Var::Q(0), Var::Q(1)]);
    let together = Program::new(&graph, &[(d[0], 0), (d[1], 1)]);
    let alone = [Program::new(&graph, &[(d[0], 0)]), Program::new(&graph, &[(d[1], 1)])];
    let mut x: f64 = 1e-9;
    while x.abs() < 1e9 {
        x *= -1.003;
        let point = Point { t: 0.0, q: [x, 0.7], v: [0.0; 2], p: [0.0; 2] };
        let both = point.run(&together, 2);
        assert_eq!(both, [point.run(&alone[0], 2)[0], point.run(&alone[1], 2)[1]]);
    }
}

#[test]
#[should_panic(expected = "shorter")]
fn formula_call_with_short_arrays_is_refused() {
    let (graph, node) = lowered("q[1]", &plane());
    Program::new(&graph, &[(node, 0)]).call(0.0, &[1.0], &[], &[], &mut [0.0]);
}

#[test]
fn long_formula_programs_are_interpreted() {
    let mut scope = Scope::new();
    scope.array("q", Bank::Q, 10_000);
    let (graph, node) = lowered("sum(i = 0..9999, q[i]*sin(q[i]))", &scope);
    let program = Program::new(&graph, &[(node, 0)]);
    assert!(!program.is_compiled());
    let mut out = [0.0];
    program.call(0.0, &[0.5; 10_000], &[], &[], &mut out);
    assert!((out[0] - 5000.0 * 0.5f64.sin()).abs() < 1e-8);
}
