//! The laws of materials with memory, each asked of one list of all of them.

use super::super::tensor::{IDENTITY, combine, contract, determinant, product, transpose};
use super::*;
use crate::linalg::max_abs;
use crate::model::Past;

/// Every law with memory, with and without dependence on the rate, in space and in plane stress.
fn remembering() -> Vec<(String, Box<dyn Inelastic>)> {
    let mut all: Vec<(String, Box<dyn Inelastic>)> = Vec::new();
    let rates = [
        ("", RateDependence::NONE),
        (", johnson-cook", RateDependence { reference: 0.2, factor: 0.3, ..RateDependence::NONE }),
        (
            ", perzyna",
            RateDependence { reference: 2.0, viscous: 0.05, exponent: 0.5, ..RateDependence::NONE },
        ),
    ];
    for (name, rate) in rates {
        let law = J2::new(lame(), hardening(), rate).unwrap();
        all.push((format!("j2{name}"), Box::new(law)));
        all.push((format!("j2{name}, plane stress"), Box::new(PlaneStress(law))));
        let law = law.heated(heating()).unwrap();
        all.push((format!("j2{name}, heated"), Box::new(law)));
        all.push((format!("j2{name}, heated, plane stress"), Box::new(PlaneStress(law))));
    }
    let branches = [(0.4, 0.3), (0.2, 2.0)].map(|(mu, time)| MaxwellBranch { mu, time });
    let law = Viscoelastic::new(lame(), branches.to_vec()).unwrap();
    all.push(("viscoelastic".into(), Box::new(law.clone())));
    all.push(("viscoelastic, plane stress".into(), Box::new(PlaneStress(law))));
    let flowing = J2::new(lame(), hardening(), RateDependence::NONE).unwrap();
    let elastic = NeoHookean::new(lame()).unwrap();
    for (name, law) in [
        ("damped neo-hookean", ConstitutiveLaw::NeoHookean(elastic)),
        ("damped j2", ConstitutiveLaw::J2(flowing)),
    ] {
        let law = Damped::new(&law, 0.15).unwrap();
        all.push((name.into(), Box::new(law.clone())));
        all.push((format!("{name}, plane stress"), Box::new(PlaneStress(law))));
    }
    all
}

/// Fast enough to take half of the flow stress along the path.
fn heating() -> Heating {
    Heating { room: 0.02, melting: 1.0, start: 0.03, exponent: 0.9, capacity: 1.0, fraction: 0.9 }
}

fn is_thin(name: &str) -> bool {
    name.ends_with("plane stress")
}

/// A path of deformation gradients that yields, returns and turns.
fn path(thin: bool) -> Vec<Tensor> {
    let mut random = Random(21);
    let (one, other) = (random.matrix(0.5), random.matrix(0.5));
    let steps = 12;
    let step = |i: usize| {
        let s = i as f64 / steps as f64;
        let (a, b) = ((3.0 * s).sin(), (4.0 * s).sin() * 0.7);
        let u = combine([(1.0, &IDENTITY), (0.4 * a, &one), (0.4 * b, &other)]);
        if thin {
            return product(&turn_in_plane(0.8 * s), &flat(&u));
        }
        product(&rotation(0.8 * s), &u)
    };
    (1..=steps).map(step).collect()
}

fn flat(f: &Tensor) -> Tensor {
    [[f[0][0], f[0][1], 0.0], [f[1][0], f[1][1], 0.0], [0.0, 0.0, 1.0]]
}

/// The histories along the path, each with the deformation that follows it.
fn stations(law: &dyn Inelastic, thin: bool) -> Vec<(Vec<f64>, Tensor)> {
    let mut history = vec![0.0; law.history_size()];
    law.first_history(&mut history);
    let mut all = Vec::new();
    for f in path(thin) {
        all.push((history.clone(), f));
        let mut after = history.clone();
        law.update(&f, Past { history: &history, dt: DT }, Some(&mut after)).unwrap();
        history = after;
    }
    all
}

const DT: f64 = 0.1;

fn moved(f: &Tensor, i: usize, j: usize, h: f64) -> Tensor {
    let mut f = *f;
    f[i][j] += h;
    f
}

#[test]
fn inelastic_stress_is_the_derivative_of_the_incremental_potential() {
    for (name, law) in remembering() {
        let n = if is_thin(&name) { 2 } else { 3 };
        let mut flowed = 0;
        for (history, f) in stations(&*law, is_thin(&name)) {
            for dt in [0.0, DT, 10.0] {
                let past = Past { history: &history, dt };
                let update = law.update(&f, past, None).unwrap();
                flowed += usize::from(update.dissipated > history[history.len() - 1]);
                for i in 0..n {
                    for j in 0..n {
                        let potential =
                            |h: f64| law.update(&moved(&f, i, j, h), past, None).unwrap().potential;
                        let slope = (potential(1e-5) - potential(-1e-5)) / 2e-5;
                        let error = (slope - update.stress[i][j]).abs();
                        assert!(error < 5e-8, "{name}: {slope} {}", update.stress[i][j]);
                    }
                }
            }
        }
        assert!(flowed > 10, "{name}: {flowed}");
    }
}

#[test]
fn inelastic_tangent_is_the_symmetric_derivative_of_the_stress() {
    for (name, law) in remembering() {
        let n = if is_thin(&name) { 2 } else { 3 };
        for (history, f) in stations(&*law, is_thin(&name)) {
            for dt in [0.0, DT, 10.0] {
                let past = Past { history: &history, dt };
                let a = law.tangent_after(&f, past).unwrap();
                for (k, l) in (0..n).flat_map(|k| (0..n).map(move |l| (k, l))) {
                    let stress = |h: f64| law.update(&moved(&f, k, l, h), past, None).unwrap().stress;
                    let (plus, minus) = (stress(1e-5), stress(-1e-5));
                    for (i, j) in (0..n).flat_map(|i| (0..n).map(move |j| (i, j))) {
                        let slope = (plus[i][j] - minus[i][j]) / 2e-5;
                        let entry = a[27 * i + 9 * j + 3 * k + l];
                        let other = a[27 * k + 9 * l + 3 * i + j];
                        assert!((slope - entry).abs() < 2e-6, "{name} {dt}: {slope} {entry}");
                        assert!((entry - other).abs() < 1e-12 * max_abs(&a), "{name}: {entry} {other}");
                    }
                }
            }
        }
    }
}

/// A tangent of the elastic law alone must fail the law above.
#[test]
fn tangent_check_of_inelastic_laws_detects_an_elastic_tangent() {
    let law = J2::new(lame(), hardening(), RateDependence::NONE).unwrap();
    let hard = Hardening::none(1e9);
    let elastic = J2::new(lame(), hard, RateDependence::NONE).unwrap();
    let differs = |(history, f): &(Vec<f64>, Tensor)| {
        let past = Past { history, dt: DT };
        let [a, b] = [&law, &elastic].map(|law| law.tangent_after(f, past).unwrap());
        let flows = law.update(f, past, None).unwrap().dissipated > history[7];
        let difference = a.iter().zip(&b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert_eq!(flows, difference > 1e-3, "{difference}");
        flows
    };
    assert!(stations(&law, false).iter().filter(|s| differs(s)).count() > 5);
}

/// Turns the strains of the branches in a viscoelastic history.
fn turn_strains(q: &Tensor, history: &mut [f64]) {
    let last = history.len() - 1;
    for strain in history[9..last].chunks_exact_mut(6) {
        let [a, b, c, d, e, f] = strain[..] else { unreachable!() };
        let t = product(&product(q, &[[a, d, f], [d, b, e], [f, e, c]]), &transpose(q));
        strain.copy_from_slice(&[t[0][0], t[1][1], t[2][2], t[0][1], t[1][2], t[0][2]]);
    }
}

#[test]
fn inelastic_updates_are_frame_indifferent_and_remember_nothing_of_rotations() {
    for (name, law) in remembering() {
        let thin = is_thin(&name);
        for (k, (history, f)) in stations(&*law, thin).into_iter().enumerate() {
            let angle = 0.9 + k as f64;
            let q = if thin { turn_in_plane(angle) } else { rotation(angle) };
            let past = Past { history: &history, dt: DT };
            let (mut one, mut other) = (history.clone(), history.clone());
            let plain = law.update(&f, past, Some(&mut one)).unwrap();
            let turned = law.update(&product(&q, &f), past, Some(&mut other)).unwrap();
            assert!((plain.potential - turned.potential).abs() < 1e-13, "{name}");
            let off = combine([(1.0, &turned.stress), (-1.0, &product(&q, &plain.stress))]);
            assert!(max_abs(off.as_flattened()) < 1e-12, "{name}");
            // The viscoelastic law keeps the deformation itself, and strains in the axes of space.
            if name.starts_with("viscoelastic") {
                turn_strains(&q, &mut one);
                one[..9].copy_from_slice(&other[..9]);
            }
            let difference = one.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(difference < 1e-12, "{name}: {difference:e}");
        }
    }
}

#[test]
fn inelastic_laws_are_at_rest_at_the_start_and_dissipate() {
    for (name, law) in remembering() {
        let mut first = vec![0.0; law.history_size()];
        law.first_history(&mut first);
        let rest = law.update(&IDENTITY, Past { history: &first, dt: DT }, None).unwrap();
        assert_eq!((rest.potential, rest.dissipated), (0.0, 0.0), "{name}");
        assert!(max_abs(rest.stress.as_flattened()) == 0.0, "{name}");
        let mut last = 0.0;
        for (history, f) in stations(&*law, is_thin(&name)) {
            let update = law.update(&f, Past { history: &history, dt: DT }, None).unwrap();
            let before = history[history.len() - 1];
            assert!(update.dissipated >= before && before >= last, "{name}");
            last = before;
        }
        assert!(last > 1e-3, "{name}: {last}");
    }
}

#[test]
fn inelastic_commit_repeated_at_the_same_place_and_time_changes_nothing() {
    for (name, law) in remembering() {
        for (history, f) in stations(&*law, is_thin(&name)) {
            let mut once = history.clone();
            let first = law.update(&f, Past { history: &history, dt: DT }, Some(&mut once)).unwrap();
            let mut twice = once.clone();
            let again = law.update(&f, Past { history: &once, dt: 0.0 }, Some(&mut twice)).unwrap();
            let moved = once.iter().zip(&twice).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(moved < 1e-13, "{name}: {moved:e}");
            let off = combine([(1.0, &first.stress), (-1.0, &again.stress)]);
            assert!(max_abs(off.as_flattened()) < 1e-12, "{name}");
        }
    }
}

/// Work of the stress along a fine path is stored energy and dissipation, with an error of second order in the step.
#[test]
fn inelastic_work_is_stored_or_dissipated() {
    for (name, law) in remembering() {
        let thin = is_thin(&name);
        let error = |parts: usize| {
            let mut history = vec![0.0; law.history_size()];
            law.first_history(&mut history);
            let (mut work, mut end) = (0.0, None);
            let (mut f, mut p) = (IDENTITY, [[0.0; 3]; 3]);
            for goal in path(thin) {
                let start = f;
                for i in 1..=parts {
                    let s = i as f64 / parts as f64;
                    let next = combine([(1.0 - s, &start), (s, &goal)]);
                    let mut after = history.clone();
                    let past = Past { history: &history, dt: DT / parts as f64 };
                    let update = law.update(&next, past, Some(&mut after)).unwrap();
                    let df = combine([(1.0, &next), (-1.0, &f)]);
                    let mean = combine([(0.5, &p), (0.5, &update.stress)]);
                    work += contract(&mean, &df);
                    (history, f, p) = (after, next, update.stress);
                    end = Some(update);
                }
            }
            let end = end.unwrap();
            (work - end.stored - end.dissipated).abs() / end.dissipated
        };
        let (coarse, fine) = (error(40), error(160));
        assert!(fine < 2e-3 && fine < 0.4 * coarse, "{name}: {coarse:e} {fine:e}");
    }
}

#[test]
fn inelastic_laws_keep_the_volume_of_plastic_flow() {
    for (name, law) in remembering().into_iter().filter(|(name, _)| name.starts_with("j2")) {
        for (history, _) in stations(&*law, is_thin(&name)) {
            let [a, b, c, d, e, f] = history[..6] else { unreachable!() };
            let inverse = [[a, d, f], [d, b, e], [f, e, c]];
            assert!((determinant(&inverse) - 1.0).abs() < 1e-12, "{name}");
        }
    }
}
