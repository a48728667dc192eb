//! Formulas of invariants and of components of `C` and `F`.

use super::super::tensor::{IDENTITY, combine, determinant, product, transpose};
use super::*;
use crate::linalg::max_abs;

const DET_F: &str = "(F11*(F22*F33 - F23*F32) - F12*(F21*F33 - F23*F31) + F13*(F21*F32 - F22*F31))";
const DET_C: &str = "(C11*(C22*C33 - C23^2) - C12*(C21*C33 - C23*C31) + C13*(C12*C32 - C22*C13))";

/// Neo-Hookean, with the determinant from `F`, the logarithm from `C`, and the trace partly from the invariant.
pub(super) fn of_components(scope: &Scope) -> FormulaMaterial {
    let text =
        format!("la/2*log({DET_F})^2 - mu/2*log({DET_C}) + mu/4*(I1 - 3) + mu/4*(C11 + C22 + C33 - 3)");
    FormulaMaterial::new(&text, scope).unwrap()
}

fn scope() -> Scope {
    let mut scope = Scope::new();
    scope.constant("la", LAMBDA).constant("mu", MU).constant("k", 7.0);
    scope
}

fn gradients() -> Vec<Tensor> {
    let mut random = Random(4);
    let all = (0..12).map(|k| {
        let u = combine([(1.0, &IDENTITY), (1.0, &random.matrix(0.3))]);
        product(&rotation(f64::from(k)), &u)
    });
    all.filter(|f| determinant(f) > 0.2).collect()
}

fn difference(a: &dyn Material, b: &dyn Material, f: &Tensor) -> f64 {
    let ((w, p), (v, q)) = (a.stress(f).unwrap(), b.stress(f).unwrap());
    let (s, t) = (a.tangent(f).unwrap(), b.tangent(f).unwrap());
    let tangent = s.iter().zip(&t).map(|(s, t)| (s - t).abs()).fold(0.0, f64::max);
    let off = combine([(1.0, &p), (-1.0, &q)]);
    max_abs(&[w - v, max_abs(off.as_flattened()), tangent])
}

#[test]
fn formulas_of_invariants_components_of_c_and_of_f_are_the_same_material() {
    let trace = "F11^2 + F12^2 + F13^2 + F21^2 + F22^2 + F23^2 + F31^2 + F32^2 + F33^2";
    let neo = NeoHookean::new(lame()).unwrap();
    for text in [
        "la/2*log(J)^2 - mu*log(J) + mu/2*(I1 - 3)".to_string(),
        format!("la/8*log({DET_C})^2 - mu/2*log({DET_C}) + mu/2*(C11 + C22 + C33 - 3)"),
        format!("la/2*log({DET_F})^2 - mu*log({DET_F}) + mu/2*({trace} - 3)"),
    ] {
        let formula = FormulaMaterial::new(&text, &scope()).unwrap();
        let worst = gradients().iter().map(|f| difference(&formula, &neo, f)).fold(0.0, f64::max);
        assert!(worst < 1e-12, "{text}: {worst:e}");
        assert!(formula.is_isotropic() && (formula.wave_speed(2.0) - neo.wave_speed(2.0)).abs() < 1e-12);
        assert!((formula.lame().mu - MU).abs() < 1e-12 && (formula.lame().lambda - LAMBDA).abs() < 1e-12);
    }
}

/// Neo-Hookean with fibres along a unit vector, `k/8 (a.C a - 1)^2`.
fn fibres(a: [f64; 3]) -> FormulaMaterial {
    let mut scope = scope();
    for (name, value) in ["a1", "a2", "a3"].into_iter().zip(a) {
        scope.constant(name, value);
    }
    let square = "a1^2*C11 + a2^2*C22 + a3^2*C33 + 2*a1*a2*C12 + 2*a2*a3*C23 + 2*a1*a3*C13";
    FormulaMaterial::new(&format!("mu/2*(I1 - 3) - mu*log(J) + la/2*log(J)^2 + k/8*({square} - 1)^2"), &scope)
        .unwrap()
}

#[test]
fn formula_of_fibres_is_anisotropic_with_its_fastest_wave_along_them() {
    let along = fibres([1.0, 0.0, 0.0]);
    assert!(!along.is_isotropic() && !fibres([0.6, 0.0, 0.8]).is_isotropic());
    let square = LAMBDA + 2.0 * MU + 7.0;
    for k in 0..5 {
        let turn = rotation(0.9 * f64::from(k));
        // Its first axis.
        let a = [turn[0][0], turn[1][0], turn[2][0]];
        let law = fibres(a);
        let fastest = law.wave_speed(1.0).powi(2);
        assert!((fastest / square - 1.0).abs() < 1e-9, "{fastest} {square}");
        // The same matter, turned.
        let turned = |f: &Tensor| product(f, &turn);
        for f in gradients() {
            let (w, p) = law.stress(&f).unwrap();
            let (v, q) = along.stress(&turned(&f)).unwrap();
            let off = combine([(1.0, &p), (-1.0, &product(&q, &transpose(&turn)))]);
            assert!((w - v).abs() < 1e-12 && max_abs(off.as_flattened()) < 1e-11);
            // Turned in space it has the same energy, turned in itself it has not.
            assert!((law.energy(&product(&rotation(1.0), &f)).unwrap() - w).abs() < 1e-12);
            assert!((law.energy(&product(&f, &rotation(1.0))).unwrap() - w).abs() > 1e-4);
        }
        // No wave is faster.
        let tangent = law.tangent(&IDENTITY).unwrap();
        let mut random = Random(9);
        for _ in 0..200 {
            let unit = |m: [f64; 3]| m.map(|x| x / m.iter().map(|x| x * x).sum::<f64>().sqrt());
            let [a, n, _] = random.matrix(1.0).map(unit);
            let speed: f64 =
                (0..81).map(|at| tangent[at] * a[at / 27] * n[at / 9 % 3] * a[at / 3 % 3] * n[at % 3]).sum();
            assert!(speed <= fastest * (1.0 + 1e-12));
        }
    }
    // First and second derivatives against differences.
    let law = fibres([0.6, 0.0, 0.8]);
    let h = 1e-5;
    for f in gradients() {
        let (p, a) = (law.stress(&f).unwrap().1, law.tangent(&f).unwrap());
        for (k, l) in (0..9).map(|n| (n / 3, n % 3)) {
            let (mut plus, mut minus) = (f, f);
            plus[k][l] += h;
            minus[k][l] -= h;
            let slope = (law.energy(&plus).unwrap() - law.energy(&minus).unwrap()) / (2.0 * h);
            assert!((slope - p[k][l]).abs() < 1e-7, "{slope} {}", p[k][l]);
            let (plus, minus) = (law.stress(&plus).unwrap().1, law.stress(&minus).unwrap().1);
            for (i, j) in (0..9).map(|n| (n / 3, n % 3)) {
                let slope = (plus[i][j] - minus[i][j]) / (2.0 * h);
                let (entry, other) = (a[27 * i + 9 * j + 3 * k + l], a[27 * k + 9 * l + 3 * i + j]);
                assert!((slope - entry).abs() < 1e-5 && (entry - other).abs() < 1e-12 * max_abs(&a));
            }
        }
    }
}

/// Steps of an anisotropic formula follow from the fastest direction: a cell of it has no longer step than its tangent allows.
#[test]
fn steps_of_an_anisotropic_formula_are_those_of_its_tangent() {
    let points = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let build = |law: ConstitutiveLaw| {
        let group = ElementGroup {
            kind: ElementKind::Tet4,
            nodes: &[0, 1, 2, 3],
            first: 0,
            density: 1.0,
            thickness: 1.0,
            plane: PlaneAssumption::Strain,
            integration: Integration::AveragedVolume,
        };
        let block = group.build(&points, &law).unwrap().remove(0);
        let mut stiffness = [0.0; 4];
        (block.step_courant(0), block.stiffness_at_rest(0, &mut stiffness))
    };
    let (step, closed) = build(ConstitutiveLaw::Formula(fibres([1.0, 0.0, 0.0])));
    let (plain, other) = build(ConstitutiveLaw::NeoHookean(NeoHookean::new(lame()).unwrap()));
    let expected = ((LAMBDA + 2.0 * MU) / (LAMBDA + 2.0 * MU + 7.0)).sqrt();
    assert!((step / plain - expected).abs() < 1e-9 && !closed && other);
}

#[test]
fn formulas_that_are_no_material_are_refused_with_the_remedy() {
    let refused = |text: &str| FormulaMaterial::new(text, &scope()).map(|_| ()).unwrap_err().to_string();
    // Small strains, written with F: turning costs energy.
    let small = "mu*((F11-1)^2 + (F22-1)^2 + (F33-1)^2 + (F12+F21)^2/2 + (F23+F32)^2/2 + (F13+F31)^2/2) + la/2*(F11+F22+F33-3)^2";
    assert!(refused(small).contains("turned") && refused(small).contains("C11 to C33"));
    assert!(refused("mu/2*(C11 + C22 + C33)").contains("stress of 1.3"));
    assert!(refused("mu*(C11 - 1)^2").contains("every strain to cost energy"));
    assert!(refused("mu*(C11 - 1)^2 + log(C22 - 2)").contains("no finite value"));
    assert!(refused("mu*(C14 - 1)^2").contains("C14"));
    assert!(refused("mu*(C11 - 1)^2 + stiffness").contains("stiffness"));
    let mut scope = scope();
    scope.constant("C11", 3.0);
    let both = FormulaMaterial::new("C11*(I1 - 3)", &scope).unwrap_err().to_string();
    assert!(both.contains("`C11` is a parameter") && both.contains("another name"), "{both}");
}
