//! Any bytes as a formula: reading must end in a formula or an error that points into the text, and of a formula
//! machine code and interpreter must agree to the last bit, derivatives included.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stationary::formula::{Bank, Expr, FormulaError, Graph, Program, Scope, Var, evaluate_constant};

fn scope() -> Scope {
    let mut scope = Scope::new();
    scope.constant("m", 2.0).constant("k", -0.5).constant("n", 3.0).variable("t", Var::T);
    for (i, name) in ["x", "y", "z"].into_iter().enumerate() {
        scope.variable(name, Var::Q(i as u32));
        scope.variable(format!("v{name}"), Var::V(i as u32));
        scope.variable(format!("p{name}"), Var::P(i as u32));
    }
    scope.array("q", Bank::Q, 3).array("v", Bank::V, 3).array("p", Bank::P, 3);
    scope
}

fn sound(text: &str, error: &FormulaError) {
    assert!(!error.message.is_empty() && error.message.len() < 400, "{error}");
    assert!(text.get(error.span.clone()).is_some(), "{:?} of {} bytes: {error}", error.span, text.len());
}

/// `x` and its derivatives up to the second, machine code against interpreter.
fn agree(graph: &mut Graph, node: stationary::formula::Node) {
    let inputs: Vec<Var> = (0..3).flat_map(|i| [Var::Q(i), Var::V(i), Var::P(i)]).chain([Var::T]).collect();
    let first = graph.gradient(node, &inputs);
    let second = graph.gradient(first[0], &inputs);
    let outputs: Vec<_> =
        [node].into_iter().chain(first).chain(second).enumerate().map(|(i, x)| (x, i)).collect();
    let program = Program::new(graph, &outputs);
    for (t, q, v, p) in [
        (0.0, [0.0; 3], [0.0; 3], [0.0; 3]),
        (0.5, [1.5, -0.25, 3.0], [-1.0, 0.125, 2.0], [0.75, -4.0, 1e-3]),
        (-1e9, [1e300, f64::INFINITY, -1e-300], [-0.0, f64::MAX, 1.0], [f64::NAN, 2.0, 1e5]),
    ] {
        let mut called = vec![0.0; outputs.len()];
        let mut interpreted = called.clone();
        program.call(t, &q, &v, &p, &mut called);
        program.interpret(t, &q, &v, &p, &mut interpreted);
        for (a, b) in called.iter().zip(&interpreted) {
            assert!(a.to_bits() == b.to_bits() || a.is_nan() && b.is_nan(), "{a} is not {b}");
        }
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let scope = scope();
    if let Err(error) = evaluate_constant(text, &scope) {
        sound(text, &error);
    }
    let mut graph = Graph::new();
    match Expr::parse(text).and_then(|expr| graph.lower(&expr, &scope)) {
        // Long ones take the fuzzer too long and show nothing new.
        Ok(node) if graph.len() < 2000 => agree(&mut graph, node),
        Ok(_) => {}
        Err(error) => sound(text, &error),
    }
});
