//! Laws of points side by side, each asked of one list of all of them.

use super::super::lanes::{FORCED, Isa};
use super::super::tensor::{IDENTITY, combine, contract, determinant, product, transpose};
use super::*;
use crate::model::Past;
use crate::model::solid::MaterialFault;

/// Every elastic law in space and in plane stress, and those with memory as matter that has never been deformed.
fn elastic() -> Vec<(String, Box<dyn Material>)> {
    struct Both;
    impl MaterialVisitor for Both {
        type Output = [Box<dyn Material>; 2];
        fn visit<M: Material + Clone + 'static>(self, m: &M) -> Self::Output {
            [Box::new(m.clone()), Box::new(PlaneStress(m.clone()))]
        }
    }
    let mut laws = laws();
    for (name, gamma) in [("fluid", 7.0), ("isothermal fluid", 1.0)] {
        laws.push((name, ConstitutiveLaw::Fluid(Fluid::new(2.0, gamma).unwrap())));
    }
    let both = |(name, law): (&str, ConstitutiveLaw)| {
        let [whole, thin] = law.visit(Both);
        [(name.to_string(), whole), (format!("{name}, plane stress"), thin)]
    };
    laws.into_iter().flat_map(both).collect()
}

/// Deformations small and large, with equal stretches, nearly inverted; those after `valid` of them have no energy.
fn deformations() -> (Vec<Tensor>, usize) {
    let mut random = Random(77);
    let mut all = vec![IDENTITY, rotation(0.4), combine([(1.3, &rotation(1.0))])];
    for size in [1e-12, 1e-6, 1e-3, 0.02, 0.1, 0.3] {
        for k in 0..6 {
            let u = combine([(1.0, &IDENTITY), (1.0, &random.matrix(size))]);
            all.push(if k % 2 == 0 { u } else { product(&rotation(k as f64), &u) });
        }
    }
    for stretches in [[2.0, 2.0, 0.5], [0.1, 5.0, 5.0], [20.0, 0.1, 0.1], [1.0, 1.0, 1e-6], [1e-3, 1.0, 30.0]]
    {
        let stretch: Tensor =
            std::array::from_fn(|i| std::array::from_fn(|j| if i == j { stretches[i] } else { 0.0 }));
        all.push(stretch);
        all.push(product(&product(&rotation(0.7), &stretch), &rotation(2.0)));
    }
    all.retain(|f| determinant(f) > 0.0);
    let valid = all.len();
    all.push([[-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    all.push([[0.0; 3]; 3]);
    all.push([[f64::NAN, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    all.push([[f64::INFINITY, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]);
    (all, valid)
}

fn set(at: &mut PointBatch, lane: usize, f: &Tensor) {
    f.as_flattened().iter().enumerate().for_each(|(i, x)| at.f[i][lane] = *x);
}

/// Does something with the kernels of every instruction set of this processor.
fn with_every_isa(mut act: impl FnMut(Isa)) {
    for isa in Isa::available() {
        FORCED.set(Some(isa));
        act(isa);
    }
    FORCED.set(None);
}

fn numbers(energy: f64, p: &Tensor) -> Vec<u64> {
    std::iter::once(&energy)
        .chain(p.as_flattened())
        .map(|x| if x.is_nan() { 0 } else { x.to_bits() })
        .collect()
}

#[test]
fn batches_of_every_law_have_the_bits_of_single_points_and_refuse_what_these_refuse() {
    let (all, _) = deformations();
    for (name, law) in elastic() {
        let single: Vec<Result<Vec<u64>, MaterialFault>> =
            all.iter().map(|f| law.stress(f).map(|(w, p)| numbers(w, &p))).collect();
        let mut seen = [0, 0];
        with_every_isa(|isa| {
            let mut random = Random(5);
            for round in 0..120 {
                // Every second batch only of points that have an energy: neighbours of all sorts.
                let place = |random: &mut Random| loop {
                    let i = ((0.5 + 0.5 * random.next()) * all.len() as f64) as usize;
                    if i < all.len() && (round % 2 == 0 || single[i].is_ok()) {
                        break i;
                    }
                };
                let places: [usize; BATCH] = std::array::from_fn(|_| place(&mut random));
                let mut at = PointBatch::undeformed();
                (0..BATCH).for_each(|lane| set(&mut at, lane, &all[places[lane]]));
                let good = law.stress_batch(std::slice::from_mut(&mut at));
                assert_eq!(good, places.iter().all(|i| single[*i].is_ok()), "{name} {isa:?} {places:?}");
                seen[usize::from(good)] += 1;
                for (lane, i) in places.into_iter().enumerate().filter(|_| good) {
                    let p = std::array::from_fn(|r| std::array::from_fn(|c| at.p[3 * r + c][lane]));
                    let got = numbers(at.energy[lane], &p);
                    assert_eq!(Some(&got), single[i].as_ref().ok(), "{name} {isa:?} {:?}", all[i]);
                    assert_eq!(law.stress(&all[i]).map(|(w, p)| numbers(w, &p)), single[i], "{name} {isa:?}");
                }
            }
        });
        assert!(seen[1] > 20 && (seen[0] > 20 || name.starts_with("linear")), "{name}: {seen:?}");
    }
}

/// Laws with memory, each with a list of histories, times and deformations.
fn remembering() -> Vec<(String, Box<dyn Inelastic>)> {
    let mut all: Vec<(String, Box<dyn Inelastic>)> = Vec::new();
    let rates = [
        ("", RateDependence::NONE),
        ("johnson-cook ", RateDependence { reference: 0.2, factor: 0.3, ..RateDependence::NONE }),
        ("perzyna ", RateDependence { reference: 2.0, viscous: 0.05, exponent: 0.5, ..RateDependence::NONE }),
    ];
    let flows = [("linear", Hardening { linear: 0.2, ..Hardening::none(0.02) }), ("all terms", hardening())];
    for (rate_name, rate) in rates {
        for (name, hardening) in flows {
            let law = J2::new(lame(), hardening, rate).unwrap();
            all.push((format!("j2 {rate_name}{name}"), Box::new(law)));
            all.push((format!("j2 {rate_name}{name}, plane stress"), Box::new(PlaneStress(law))));
        }
    }
    all.push(("viscoelastic".into(), Box::new(viscoelastic())));
    all.push(("viscoelastic, plane stress".into(), Box::new(PlaneStress(viscoelastic()))));
    all
}

#[test]
fn batches_of_every_law_with_memory_have_the_bits_of_single_points_whatever_their_neighbours() {
    let (all, valid) = deformations();
    let mut random = Random(31);
    for (name, law) in remembering() {
        let size = law.history_size();
        // Points after a commit, or none, each with a time and a deformation that follow.
        let mut points: Vec<(Vec<f64>, f64, Tensor)> = Vec::new();
        for f in &all {
            for dt in [0.0, 0.1, f64::INFINITY] {
                let mut history = vec![0.0; size];
                law.first_history(&mut history);
                points.push((history.clone(), dt, *f));
                let u = combine([(1.0, &IDENTITY), (1.0, &random.matrix([0.01, 0.3][points.len() % 2]))]);
                let before = history.clone();
                let past = Past { history: &before, dt: 0.1 };
                if law.update(&u, past, Some(&mut history)).is_ok() {
                    points.push((history.clone(), dt, u));
                    points.push((history, dt, product(f, &u)));
                }
            }
        }
        let single = |(history, dt, f): &(Vec<f64>, f64, Tensor)| {
            let mut after = vec![0.0; size];
            let update = law.update(f, Past { history, dt: *dt }, Some(&mut after))?;
            let mut bits = numbers(update.stored, &update.stress);
            bits.extend(numbers(update.dissipated, &[[0.0; 3]; 3]));
            bits.extend(after.iter().map(|x| if x.is_nan() { 0 } else { x.to_bits() }));
            Ok::<_, MaterialFault>(bits)
        };
        let singles: Vec<_> = points.iter().map(single).collect();
        assert!(singles.iter().filter(|s| s.is_ok()).count() > valid, "{name}");
        with_every_isa(|isa| {
            for (point, want) in points.iter().zip(&singles) {
                assert_eq!(&single(point), want, "{name} {isa:?}");
            }
            let mut random = Random(9);
            for round in 0..200 {
                let place = |random: &mut Random| loop {
                    let i = ((0.5 + 0.5 * random.next()) * points.len() as f64) as usize;
                    if i < points.len() && (round % 5 == 0 || singles[i].is_ok()) {
                        break i;
                    }
                };
                let places: [usize; BATCH] = std::array::from_fn(|_| place(&mut random));
                let mut at = PointBatch::undeformed();
                let (mut history, mut after) = (vec![[0.0; BATCH]; size], vec![[0.0; BATCH]; size]);
                let mut dt = [0.0; BATCH];
                for (lane, i) in places.into_iter().enumerate() {
                    set(&mut at, lane, &points[i].2);
                    dt[lane] = points[i].1;
                    (0..size).for_each(|h| history[h][lane] = points[i].0[h]);
                }
                let asked = round % 3 != 1;
                let past = PastBatch { history: &history, dt, after: asked.then_some(after.as_mut_slice()) };
                let good = law.update_batch(&mut at, past);
                assert_eq!(good, places.iter().all(|i| singles[*i].is_ok()), "{name} {isa:?} {places:?}");
                for (lane, i) in places.into_iter().enumerate().filter(|_| good) {
                    let p = std::array::from_fn(|r| std::array::from_fn(|c| at.p[3 * r + c][lane]));
                    let mut got = numbers(at.energy[lane], &p);
                    got.extend(numbers(at.dissipated[lane], &[[0.0; 3]; 3]));
                    got.extend(after.iter().map(|x| if x[lane].is_nan() { 0 } else { x[lane].to_bits() }));
                    let want = singles[i].as_ref().unwrap();
                    let compared = if asked { want.len() } else { want.len() - size };
                    assert_eq!(got[..compared], want[..compared], "{name} {isa:?} {:?}", points[i]);
                }
            }
        });
    }
}

/// The laws without a logarithm or an exponential are their formulas, operation by operation; a logarithm is good to its last place.
#[test]
fn simple_laws_are_their_formulas_to_the_bit_but_for_the_logarithm() {
    let (all, valid) = deformations();
    let [neo_hookean, venant, linear, mooney] = {
        let mut laws = laws().into_iter();
        std::array::from_fn(|_| laws.next().unwrap().1)
    };
    let hooke = |e: &Tensor| {
        let mut s = combine([(2.0 * MU, e)]);
        let pressure = LAMBDA * (e[0][0] + e[1][1] + e[2][2]);
        (0..3).for_each(|i| s[i][i] += pressure);
        s
    };
    for f in &all[..valid] {
        let mut e: Tensor = std::array::from_fn(|i| std::array::from_fn(|j| 0.5 * (f[i][j] + f[j][i])));
        (0..3).for_each(|i| e[i][i] -= 1.0);
        let s = hooke(&e);
        assert_eq!(linear.material().stress(f), Ok((0.5 * contract(&s, &e), s)));
        let mut e = combine([(0.5, &product(&transpose(f), f))]);
        (0..3).for_each(|i| e[i][i] -= 0.5);
        let s = hooke(&e);
        assert_eq!(venant.material().stress(f), Ok((0.5 * contract(&s, &e), product(f, &s))));
        let cof = crate::model::solid::tensor::cofactor(f);
        let j = determinant(f);
        let (w, p) = neo_hookean.material().stress(f).unwrap();
        let want = combine([(MU, f), ((LAMBDA * j.ln() - MU) / j, &cof)]);
        let size = MU + (LAMBDA * j.ln().abs() + MU) / j * contract(&cof, &cof).sqrt();
        let off = combine([(1.0, &p), (-1.0, &want)]);
        assert!(contract(&off, &off).sqrt() <= 1e-15 * size && w.is_finite());
        assert!(mooney.material().stress(f).unwrap().0.is_finite());
    }
}
