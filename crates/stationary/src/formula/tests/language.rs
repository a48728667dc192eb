//! The language: what formulas mean, and what is said about wrong ones.

use super::*;
use proptest::prelude::*;

fn value(text: &str) -> f64 {
    let mut scope = Scope::new();
    scope.constant("E", 2.5).constant("e1", 7.0).constant("n", 4.0);
    let value = evaluate_constant(text, &scope).unwrap_or_else(|e| panic!("{text}: {e}"));
    let (graph, node) = lowered(text, &scope);
    let folded = graph.as_constant(node).unwrap();
    assert!(
        (folded - value).abs() <= 1e-15 * value.abs()
            || folded == value
            || (folded.is_nan() && value.is_nan()),
        "{text}"
    );
    value
}

#[test]
fn formula_operators_have_the_precedence_of_mathematics() {
    let table = [
        ("-2^2", -4.0),
        ("2^-1", 0.5),
        ("2^3^2", 512.0),
        ("2**3**2", 512.0),
        ("(-2)^2", 4.0),
        ("-2^-2", -0.25),
        ("2^-2^2", 0.0625),
        ("1-2-3", -4.0),
        ("8/4/2", 1.0),
        ("8/4*2", 4.0),
        ("1+2*3", 7.0),
        ("2*-3", -6.0),
        ("--3", 3.0),
        ("-+3", -3.0),
        ("2*3^2", 18.0),
        ("1e-3*2", 0.002),
        ("1.5e+2", 150.0),
        (".5+1.", 1.5),
        ("2*E", 5.0),
        ("e1*2", 14.0),
        ("1E2", 100.0),
        ("pow(2, 10) - 2^10", 0.0),
        ("max(1, 5, 3) - min(4, 2, 8)", 3.0),
        ("mod(-1, 4) + mod(1, -4)", 0.0),
        ("sign(-3) + sign(0) + heaviside(0)", 0.0),
        ("ln(exp(2)) + log10(100) + cbrt(-8)", 2.0),
        ("hypot(3, 4) + floor(-1.5) + ceil(-1.5)", 2.0),
        ("atan2(1, 0)*2/pi", 1.0),
        ("sum(i = 1..4, i)", 10.0),
        ("sum(i=0..n-1, sum(j=0..i, 1))", 10.0),
        ("sum(i = 3..2, 1/0)", 0.0),
        ("sum(i = -2..0, i^2)", 5.0),
        ("sum(i = 1..2, 10*i + sum(i = 1..2, i))", 36.0),
        (" ( ( 1 ) ) ", 1.0),
    ];
    for (text, expected) in table {
        assert_eq!(value(text), expected, "{text}");
    }
    for text in ["1/0", "-1/0", "sqrt(-1)", "log(0)", "0/0", "0*(1/0)", "10^400"] {
        assert!(!value(text).is_finite(), "{text}");
    }
}

#[test]
fn free_names_of_a_formula_exclude_bound_variables() {
    let expr = Expr::parse("m*sum(i = 0..n, q[i]*i) + i + sin(x)").unwrap();
    assert_eq!(expr.names().collect::<Vec<_>>(), ["m", "n", "i", "q", "x"].to_vec());
    let expr = Expr::parse("sum(i = 0..n, q[i])").unwrap();
    assert_eq!(expr.names().collect::<Vec<_>>(), ["n", "q"]);
}

#[test]
fn wrong_formulas_are_refused_with_one_clear_message() {
    // text, marked part, part of the message, part of the help
    let table = [
        ("", "", "empty", "expression"),
        ("  \t\n", "  \t\n", "empty", "expression"),
        ("2x", "x", "unexpected `x`", "`2*x`"),
        ("2 (x)", "(", "unexpected `(`", "`2*(...)`"),
        ("(x) y", "y", "unexpected `y`", "product"),
        ("sin x", "x", "unexpected `x`", "write `sin(x)`"),
        ("(x+1)(x-1)", "(", "unexpected `(`", "product"),
        ("2*π", "π", "unknown name", "`pi`"),
        ("2*w", "w", "unknown name", "known names"),
        ("2*M", "M", "unknown name", "did you mean `m`?"),
        ("x 2", "2", "unexpected `2`", "`x*2`"),
        ("x + siin(y)", "siin", "unknown function `siin`", "`sin`"),
        ("m(x)", "m", "unknown function `m`", "`m*(...)`"),
        ("1 + sin(x, y)", "sin(x, y)", "`sin` takes 1 argument, found 2", "sin(x): sine"),
        ("atan2(x)", "atan2(x)", "takes 2 arguments, found 1", "atan2(y, x)"),
        ("max(x)", "max(x)", "takes 2 or more arguments, found 1", "largest"),
        ("sin()", "sin()", "takes 1 argument, found 0", "sine"),
        ("2*vxx", "vxx", "unknown name `vxx`", "did you mean `vx`?"),
        ("2*banana", "banana", "unknown name `banana`", "known names: E, g, k, m"),
        ("sin + 1", "sin", "unknown name `sin`", "`sin(...)`"),
        ("q + 1", "q", "an array and needs an index", "entries 0 to 1"),
        ("x[0]", "x[0]", "`x` is not an array", "without an index"),
        (
            "1 + q[2]",
            "q[2]",
            "index 2 of `q` is out of range",
            "entries 0 to 1; sum(i = a..b, ...) includes both",
        ),
        ("q[-1]", "q[-1]", "index -1 of `q`", "0 to 1"),
        ("q[0.5]", "q[0.5]", "index 0.5 of `q` is not an integer", "0 to 1"),
        ("q[x]", "q[x]", "not a constant", "sum indices"),
        ("sum(i=0..2, q[i])", "q[i]", "index 2 of `q`", "both ends"),
        ("qq[0]", "qq", "unknown name `qq`", "`q`"),
        ("sum(i=0..x, 1)", "sum(i=0..x, 1)", "constant integers", "both ends"),
        ("sum(i=0..0.5, 1)", "sum(i=0..0.5, 1)", "one is 0.5", "both ends"),
        ("sum(0..2, 1)", "0", "expected the name of the index", "sum(i = 0..9, term)"),
        ("sum(i=0, 1)", ",", "expected `..`", "sum(i = 0..9, term)"),
        ("(x + 1", "(x + 1", "never closed", "`)`"),
        ("sin(x", "sin(x", "never closed", "`)`"),
        ("x + 1)", ")", "unexpected `)`", "no opening"),
        ("x +", "", "the formula ends here", ""),
        ("x * / y", "/", "found `/`", ""),
        ("x = 1", "=", "unexpected `=`", "not an equation"),
        ("1,5", ",", "unexpected `,`", "point"),
        ("q[0", "", "expected `]`", ""),
        ("1e999", "1e999", "too large", "1.7977e308"),
        ("x − y", "−", "unexpected character", "`-`"),
        ("x + 🦀", "🦀", "unexpected character", "numbers, names"),
        ("x²", "²", "unexpected character", "^2"),
        ("x % 2", "%", "unexpected character", "mod(a, b)"),
        ("1..2", "..", "unexpected `..`", ""),
        ("sum(i=0..1e15, 0)", "0", "too large once its sums are written out", "limit"),
        ("sum(i=0..1e9, x^i)", "", "too large once its sums are written out", "limit"),
    ];
    let scope = plane();
    for (text, marked, message, help) in table {
        let error = Expr::parse(text).and_then(|e| Graph::new().lower(&e, &scope)).unwrap_err();
        let shown = error.help.clone().unwrap_or_default();
        if !text.contains("1e9, ") {
            assert_eq!(&text[error.span.clone()], marked, "{text}: {error}");
        }
        assert!(error.message.contains(message), "{text}: {error}");
        assert!(shown.contains(help), "{text}: {error}");
    }
}

#[test]
fn formula_constant_that_depends_on_a_variable_is_refused() {
    let error = evaluate_constant("1 + x", &plane()).unwrap_err();
    assert!(error.message.contains("depends on time or coordinates"), "{error}");
}

#[test]
fn formula_nesting_is_limited_and_length_is_not() {
    for deep in ["(", "-", "sin(", "2^", "q[", "x+(", "sum(i=0..1,"] {
        let text = format!("{}1", deep.repeat(80_000));
        let error = Expr::parse(&text).unwrap_err();
        assert!(error.message.contains("nested more than 200 deep"), "{deep}: {error}");
    }
    let fine = format!("{}x{}", "(".repeat(90), ")".repeat(90));
    assert!(Expr::parse(&fine).is_ok());
    let scope = plane();
    for (term, count) in [("+x*y", 100_000), ("-sin(x)/2", 50_000), ("*x", 100_000), ("/y+1", 100_000)] {
        let text = format!("x{}", term.repeat(count));
        let (mut graph, node) = lowered(&text, &scope);
        let d = graph.gradient(node, &[Var::Q(0), Var::Q(1)]);
        let program = Program::new(&graph, &[(node, 0), (d[0], 1)]);
        let point = Point { t: 0.0, q: [0.9, 1.1], v: [0.0; 2], p: [0.0; 2] };
        assert!(point.run(&program, 2)[0].is_finite());
    }
}

/// By their length, before anything else is looked at.
#[test]
fn formulas_above_the_length_limit_are_refused() {
    for piece in ["(", "1+", "x", "sin(x)+", "🦀", " "] {
        let refused = Expr::parse(&piece.repeat(10_000_000 / piece.len())).unwrap_err();
        assert!(refused.to_string().contains(&format!("at most {MAX_TEXT} are allowed")), "{refused}");
    }
    for piece in ["1+", "x", " ", "9", "x1*"] {
        let text = piece.repeat(MAX_TEXT / piece.len());
        let _ = Expr::parse(&text);
    }
}

/// Parses and lowers; an error must point into the text.
fn survives(text: &str) {
    if let Err(e) = Expr::parse(text).and_then(|e| Graph::new().lower(&e, &plane())) {
        assert!(text.get(e.span.clone()).is_some(), "{text:?}: {e} at {:?}", e.span);
        assert!(!e.message.is_empty() && e.message.len() < 300, "{e}");
    }
}

proptest! {
    #![proptest_config(repeatable(3000))]

    #[test]
    fn parser_survives_arbitrary_text(text in "\\PC{0,40}") {
        survives(&text);
    }

    #[test]
    fn parser_survives_arbitrary_tokens(tokens in prop::collection::vec(prop::sample::select(vec![
        "1", "2.5", "1e3", "x", "q", "[", "]", "(", ")", "+", "-", "*", "/", "^", "**", ",", "..", "=", "sum", "sin", "max",
        "i", "sum(i=0..3,", "q[i]", " ", ".", "e", "é", "²",
    ]), 0..30)) {
        survives(&tokens.concat());
    }

    #[test]
    fn parser_survives_mutated_formulas(
        which in 0usize..4, at in 0usize..80, remove in 0usize..4, insert in "[-+*/^().,=\\[\\]a-z0-9 é]{0,3}",
    ) {
        let text: Vec<char> = [
            "0.5*m*(vx^2 + vy^2) + k/sqrt(x^2 + y^2)",
            "sum(i = 0..1, 0.5*m*v[i]^2 - g*cos(q[i]))",
            "sum(i = 0..n-4, sum(j = 0..i, atan2(q[i], q[mod(j+1, 2)])))**-1.5e-1",
            "max(x, y, -2^2)*exp(-t/3) - hypot(x, vy)*heaviside(x)",
        ][which].chars().collect();
        let at = at.min(text.len());
        let end = (at + remove).min(text.len());
        let mutated: String = text[..at].iter().copied().chain(insert.chars()).chain(text[end..].iter().copied()).collect();
        survives(&mutated);
    }
}
