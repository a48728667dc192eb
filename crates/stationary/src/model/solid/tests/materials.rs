use super::super::tensor::{IDENTITY, combine, contract, determinant, product, transpose};
use super::*;
use crate::linalg::max_abs;

/// Deformation gradients of moderate and large strain, all turned.
fn gradients() -> Vec<Tensor> {
    let mut random = Random(1);
    let mut all = Vec::new();
    for size in [0.05, 0.2, 0.35] {
        for k in 0..4 {
            let u = combine([(1.0, &IDENTITY), (1.0, &random.matrix(size))]);
            all.push(product(&rotation(k as f64), &u));
        }
    }
    all.retain(|f| determinant(f) > 0.2);
    assert!(all.len() > 8);
    all
}

/// What the plane stress of each material must satisfy too.
fn with_plane_stress() -> Vec<(String, Box<dyn Material>)> {
    struct Both;
    impl MaterialVisitor for Both {
        type Output = [Box<dyn Material>; 2];
        fn visit<M: Material + Clone + 'static>(self, m: &M) -> Self::Output {
            [Box::new(m.clone()), Box::new(PlaneStress(m.clone()))]
        }
    }
    let both = |(name, law): (&str, ConstitutiveLaw)| {
        let [whole, thin] = law.visit(Both);
        [(name.to_string(), whole), (format!("{name}, plane stress"), thin)]
    };
    laws().into_iter().flat_map(both).collect()
}

fn flat(f: &Tensor) -> Tensor {
    [[f[0][0], f[0][1], 0.0], [f[1][0], f[1][1], 0.0], [0.0, 0.0, 1.0]]
}

/// Largest difference of the stress from central differences of the energy.
fn stress_error(m: &dyn Material, f: &Tensor, directions: usize) -> f64 {
    let (_, p) = m.stress(f).unwrap();
    let h = 1e-5;
    let mut worst: f64 = 0.0;
    for i in 0..directions {
        for j in 0..directions {
            let (mut plus, mut minus) = (*f, *f);
            plus[i][j] += h;
            minus[i][j] -= h;
            let slope = (m.energy(&plus).unwrap() - m.energy(&minus).unwrap()) / (2.0 * h);
            worst = max_abs(&[worst, slope - p[i][j]]);
        }
    }
    worst
}

#[test]
fn material_stress_is_the_derivative_of_the_energy() {
    for (name, m) in with_plane_stress() {
        let thin = name.ends_with("plane stress");
        for f in gradients() {
            let (f, n) = if thin { (flat(&turned_back(&f)), 2) } else { (f, 3) };
            let error = stress_error(&*m, &f, n);
            assert!(error < 2e-8, "{name}: {error:e} at {f:?}");
        }
    }
}

/// Plane states need an area that is not turned out of the plane.
fn turned_back(f: &Tensor) -> Tensor {
    let c = product(&transpose(f), f);
    combine([(0.5, &IDENTITY), (0.5, &c)])
}

/// A stress with the sign of one term of [AVI03 (8)] turned must fail the law above.
#[test]
fn derivative_check_of_materials_detects_a_wrong_sign() {
    #[derive(Debug)]
    struct Broken(NeoHookean);
    impl Material for Broken {
        fn stress(&self, f: &Tensor) -> Result<(f64, Tensor), MaterialFault> {
            let (w, p) = self.0.stress(f)?;
            Ok((w, combine([(-1.0, &p), (2.0 * MU, f)])))
        }
        fn action(&self, f: &Tensor, df: &Tensor) -> Result<Tensor, MaterialFault> {
            self.0.action(f, df)
        }
        fn lame(&self) -> Lame {
            self.0.lame()
        }
    }
    let broken = Broken(NeoHookean::new(lame()).unwrap());
    assert!(gradients().iter().all(|f| stress_error(&broken, f, 3) > 1e-3));
}

#[test]
fn material_tangent_is_the_symmetric_derivative_of_the_stress() {
    for (name, m) in with_plane_stress() {
        let thin = name.ends_with("plane stress");
        let n = if thin { 2 } else { 3 };
        for f in gradients() {
            let f = if thin { flat(&turned_back(&f)) } else { f };
            let a = m.tangent(&f).unwrap();
            let h = 1e-5;
            for k in 0..n {
                for l in 0..n {
                    let (mut plus, mut minus) = (f, f);
                    plus[k][l] += h;
                    minus[k][l] -= h;
                    let (plus, minus) = (m.stress(&plus).unwrap().1, m.stress(&minus).unwrap().1);
                    for i in 0..n {
                        for j in 0..n {
                            let slope = (plus[i][j] - minus[i][j]) / (2.0 * h);
                            let entry = a[27 * i + 9 * j + 3 * k + l];
                            let other = a[27 * k + 9 * l + 3 * i + j];
                            assert!((slope - entry).abs() < 1e-6, "{name}: {slope} {entry}");
                            assert!((entry - other).abs() < 1e-12 * max_abs(&a), "{name}: {entry} {other}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn material_energy_is_frame_indifferent_and_isotropic() {
    let mut linear_differs = false;
    for (name, law) in laws() {
        let m = law.material();
        for (k, f) in gradients().iter().enumerate() {
            let q = rotation(0.7 + k as f64);
            let (w, p) = m.stress(f).unwrap();
            let (turned, stress) = m.stress(&product(&q, f)).unwrap();
            let isotropic = m.energy(&product(f, &q)).unwrap();
            let error = (turned - w).abs().max((isotropic - w).abs());
            if name == "linear" {
                // The broken twin: small strains see rotations.
                linear_differs |= error > 1e-2;
                continue;
            }
            assert!(error < 1e-13 * (1.0 + w.abs()), "{name}: {error:e}");
            let expected = product(&q, &p);
            let off = combine([(1.0, &stress), (-1.0, &expected)]);
            assert!(max_abs(off.as_flattened()) < 1e-13, "{name}");
        }
    }
    assert!(linear_differs);
}

#[test]
fn all_materials_agree_with_linear_elasticity_at_small_strain() {
    let linear = LinearElastic::new(lame());
    let mut random = Random(5);
    let h = random.matrix(1.0);
    for (name, m) in with_plane_stress() {
        let thin = name.ends_with("plane stress");
        let reference: Box<dyn Material> =
            if thin { Box::new(PlaneStress(linear)) } else { Box::new(linear) };
        assert!((m.lame().lambda - LAMBDA).abs() < 1e-12 && (m.lame().mu - MU).abs() < 1e-12, "{name}");
        assert!(max_abs(m.stress(&IDENTITY).unwrap().1.as_flattened()) < 1e-15, "{name}: stress at rest");
        assert!(m.energy(&IDENTITY).unwrap().abs() < 1e-15, "{name}: energy at rest");
        // The difference of the stresses is of second order in the strain.
        let difference = |size: f64| {
            let mut f = combine([(1.0, &IDENTITY), (size, &h)]);
            if thin {
                f = flat(&f);
            }
            let (p, q) = (m.stress(&f).unwrap().1, reference.stress(&f).unwrap().1);
            max_abs(combine([(1.0, &p), (-1.0, &q)]).as_flattened())
        };
        let (coarse, fine) = (difference(1e-3), difference(1e-4));
        assert!(coarse < 4e-5, "{name}: {coarse:e}");
        assert!(name.starts_with("linear") || fine < coarse / 60.0, "{name}: {coarse:e} {fine:e}");
    }
}

#[test]
fn neo_hookean_energy_and_stress_are_those_of_the_paper() {
    // [AVI03 (7)-(8)] at a pure stretch, by hand: F = diag(2, 1, 1), J = 2.
    let m = NeoHookean::new(Lame::new(3.0, 2.0).unwrap()).unwrap();
    let f = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let log = 2.0f64.ln();
    let (w, p) = m.stress(&f).unwrap();
    assert!((w - (1.5 * log * log - 2.0 * log + 6.0 - 3.0)).abs() < 1e-14);
    assert!((p[0][0] - (1.5 * log + 2.0 * (2.0 - 0.5))).abs() < 1e-14);
    assert!((p[1][1] - 3.0 * log).abs() < 1e-14);
}

#[test]
fn materials_refuse_inverted_and_nan_deformations() {
    let inside_out = [[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let collapsed = [[0.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let broken = [[f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    for (name, m) in with_plane_stress() {
        if name.starts_with("linear") {
            continue;
        }
        for f in [inside_out, collapsed] {
            assert_eq!(m.stress(&f).unwrap_err(), MaterialFault::Inverted, "{name}");
            assert_eq!(m.energy(&f).unwrap_err(), MaterialFault::Inverted, "{name}");
            assert_eq!(m.action(&f, &IDENTITY).unwrap_err(), MaterialFault::Inverted, "{name}");
        }
        assert_eq!(m.stress(&broken).unwrap_err(), MaterialFault::NotFinite, "{name}");
    }
}

#[test]
fn plane_stress_makes_the_normal_stress_vanish_even_at_large_strain() {
    for stretch in [0.05, 0.3, 0.9, 1.0, 1.1, 3.0, 20.0] {
        let f = [[stretch, 0.3, 0.0], [0.0, 1.2, 0.0], [0.0, 0.0, 1.0]];
        for (name, law) in laws() {
            let m = law.material();
            let thickness = m.thickness(&f);
            if ["st-venant-kirchhoff", "orthotropic"].contains(&name) && stretch > 1.5 {
                // Its Green strain normal to the sheet would lie below -1/2.
                assert_eq!(thickness, Err(MaterialFault::Thickness));
                continue;
            }
            let mut full = f;
            full[2][2] = thickness.unwrap_or_else(|e| panic!("{name} {stretch}: {e:?}"));
            let (_, p) = m.stress(&full).unwrap();
            let slope = m.tangent(&full).unwrap()[80];
            assert!(
                p[2][2].abs() < 1e-14 * slope * full[2][2].abs().max(1.0),
                "{name} {stretch}: {}",
                p[2][2]
            );
        }
    }
}

#[test]
fn material_constants_out_of_range_are_named() {
    for (lambda, mu) in [(1.0, 0.0), (1.0, f64::NAN), (-1.0, 1.0), (f64::INFINITY, 1.0), (f64::NAN, 1.0)] {
        assert!(Lame::new(lambda, mu).is_err(), "{lambda} {mu}");
    }
    for (young, poisson) in [(0.0, 0.3), (1.0, 0.5), (1.0, -1.0), (f64::NAN, 0.3), (1.0, f64::NAN)] {
        assert!(Lame::from_young(young, poisson).is_err(), "{young} {poisson}");
    }
    let auxetic = Lame::from_young(1.0, -0.2).unwrap();
    assert!(NeoHookean::new(auxetic).unwrap_err().to_string().contains("lambda >= 0"));
    assert!(MooneyRivlin::new(lame(), 1.5).unwrap_err().to_string().contains("1.5"));
    assert!(MooneyRivlin::new(Lame::new(0.1, 1.0).unwrap(), 1.0).is_err());
    let formula = |text: &str| FormulaMaterial::new(text, &Scope::new()).map(|_| ()).unwrap_err().to_string();
    assert!(formula("I1 - 3").contains("stress of 2"));
    assert!(formula("log(J - 2)").contains("no finite value"));
    assert!(formula("I4").contains("I4"));
    assert!(formula("0*J").contains("mu"));
}

#[test]
fn formula_material_agrees_with_the_hand_written_one() {
    let mut scope = Scope::new();
    scope.constant("la", LAMBDA).constant("mu", MU);
    let formula = FormulaMaterial::new("la/2*log(J)^2 - mu*log(J) + mu/2*I1", &scope).unwrap();
    let twin = NeoHookean::new(lame()).unwrap();
    for f in gradients() {
        let ((w, p), (v, q)) = (formula.stress(&f).unwrap(), twin.stress(&f).unwrap());
        let off = combine([(1.0, &p), (-1.0, &q)]);
        assert!((w - v).abs() < 1e-13 && contract(&off, &off).sqrt() < 1e-13);
    }
}
