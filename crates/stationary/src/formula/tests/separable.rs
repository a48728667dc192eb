//! Structure that integrators read off the Hessian: constant mass, no mixed terms.

use super::*;

/// `L_vv` if it is constant and `L_vq` is the constant 0.
fn mass(text: &str, n: u32, scope: &Scope) -> Option<Vec<f64>> {
    let (mut graph, l) = lowered(text, scope);
    let q: Vec<Var> = (0..n).map(Var::Q).collect();
    let v: Vec<Var> = (0..n).map(Var::V).collect();
    let first = graph.gradient(l, &v);
    let mut mass = vec![];
    for d in first {
        let mixed = graph.gradient(d, &q);
        if mixed.iter().any(|m| graph.as_constant(*m) != Some(0.0)) {
            return None;
        }
        for m in graph.gradient(d, &v) {
            mass.push(graph.as_constant(m)?);
        }
    }
    Some(mass)
}

fn polar() -> Scope {
    let mut scope = plane();
    scope.constant("l", 0.7).constant("l1", 0.9).constant("l2", 1.1).constant("m1", 0.3).constant("m2", 0.7);
    scope
        .variable("a", Var::Q(0))
        .variable("b", Var::Q(1))
        .variable("va", Var::V(0))
        .variable("vb", Var::V(1));
    scope
}

#[test]
fn separable_lagrangians_are_recognised_with_their_exact_mass_matrix() {
    let scope = polar();
    let diagonal = |m: f64| Some(vec![m, 0.0, 0.0, m]);
    let table = [
        ("0.5*m*(vx^2 + vy^2) + k/sqrt(x^2 + y^2)", diagonal(0.3)),
        ("0.5*m*vx^2 + 0.5*m*vy^2 - m*g*y", diagonal(0.3)),
        ("m*(vx**2 + vy**2)/2 - x^2*y + y^3/3", diagonal(0.3)),
        ("(vx^2 + vy^2)*m/2 - exp(-x)*cos(t*y)", diagonal(0.3)),
        ("1/2*m*(vx*vx + vy*vy) - (x^2 + y^2)^2", diagonal(0.3)),
        ("0.5*(vx^2 + vy^2) - (0.5*(x^2 + y^2) + x^2*y - y^3/3)", diagonal(1.0)),
        ("sum(i = 0..1, 0.5*m*v[i]^2 - (q[mod(i+1, 2)] - q[i])^4)", diagonal(0.3)),
        ("0.5*m*(-vx)^2 - -0.5*m*vy^2 - hypot(x, y)", diagonal(0.3)),
        ("0.5*(vx + vy)^2 + 0.5*vx^2 - x*y", Some(vec![2.0, 1.0, 1.0, 1.0])),
        ("0.5*m*(vx^2 + vy^2)*(1 + 0*x) - x^2", diagonal(0.3)),
    ];
    for (text, expected) in table {
        assert_eq!(mass(text, 2, &scope), expected, "{text}");
    }
    assert_eq!(mass("0.5*m*l^2*va^2 + m*g*l*cos(a)", 1, &scope), Some(vec![0.3 * (0.7 * 0.7)]));
}

#[test]
fn coupled_lagrangians_are_not_recognised_as_separable() {
    let scope = polar();
    let table = [
        "0.5*(m1+m2)*l1^2*va^2 + 0.5*m2*l2^2*vb^2 + m2*l1*l2*va*vb*cos(a-b) + (m1+m2)*g*l1*cos(a) + m2*g*l2*cos(b)",
        "0.5*m*(va^2 + a^2*vb^2) + k/a",
        "0.5*m*(vx^2 + vy^2) + k*(x*vy - y*vx)",
        "-m*sqrt(1 - vx^2 - vy^2) - x^2",
        "0.5*m*vx^2*(1 + t) + vy^2",
        "vx^4 + vy^2",
    ];
    for text in table {
        assert_eq!(mass(text, 2, &scope), None, "{text}");
    }
}

#[test]
fn lattice_lagrangians_are_recognised_as_separable_and_sparse() {
    let n = 64u32;
    let mut scope = Scope::new();
    scope.constant("n", f64::from(n)).constant("m", 0.1).constant("k", 3.0);
    scope.array("q", Bank::Q, n as usize).array("v", Bank::V, n as usize);
    let text = "sum(i = 0..n-1, 0.5*m*v[i]^2) - sum(i = 0..n-1, 0.5*k*(q[mod(i+1, n)] - q[i])^2 + (q[mod(i+1,n)] - q[i])^4/4)";
    let mass = mass(text, n, &scope).unwrap();
    for (at, value) in mass.iter().enumerate() {
        assert_eq!(*value, if at % (n as usize + 1) == 0 { 0.1 } else { 0.0 });
    }
    let (mut graph, l) = lowered(text, &scope);
    let q: Vec<Var> = (0..n).map(Var::Q).collect();
    let force = graph.gradient(l, &q);
    assert_eq!(graph.variables(force[5]), [Var::Q(4), Var::Q(5), Var::Q(6)]);
    assert!(graph.depends_on(force[5], Var::Q(4)) && !graph.depends_on(force[5], Var::Q(7)));
}
