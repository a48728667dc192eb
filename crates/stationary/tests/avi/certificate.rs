//! The certificate of stability against the period maps of small systems, assembled as dense matrices.

use super::bodies::{Random, everything};
use stationary::integrate::avi::{AviStart, Certifier, MarchLength, SmallMotions};
use stationary::model::solid::{ElementKind, SolidProblem, largest_eigenvalue};
use stationary::model::{PotentialFault, Potentials};
use std::sync::Arc;

/// A square matrix by rows.
#[derive(Debug, Clone)]
struct Matrix {
    n: usize,
    entries: Vec<f64>,
}

impl Matrix {
    fn new(n: usize, entry: impl Fn(usize, usize) -> f64) -> Self {
        Matrix { n, entries: (0..n * n).map(|i| entry(i / n, i % n)).collect() }
    }
    fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.n + j]
    }
    fn scaled(&self, factor: f64) -> Self {
        Matrix::new(self.n, |i, j| factor * self.at(i, j))
    }
    fn plus(&self, other: &Matrix) -> Self {
        Matrix::new(self.n, |i, j| self.at(i, j) + other.at(i, j))
    }
    fn times(&self, other: &Matrix) -> Self {
        Matrix::new(self.n, |i, j| (0..self.n).map(|k| self.at(i, k) * other.at(k, j)).sum())
    }
    fn largest_eigenvalue(&self) -> f64 {
        largest_eigenvalue(&mut self.entries.clone(), self.n).unwrap()
    }
    fn smallest_eigenvalue(&self) -> f64 {
        -self.scaled(-1.0).largest_eigenvalue()
    }
    /// The inverse by Gauss-Jordan elimination.
    fn inverse(&self) -> Self {
        let n = self.n;
        let mut a = self.clone();
        let mut b = Matrix::new(n, |i, j| f64::from(u8::from(i == j)));
        for k in 0..n {
            let pivot = (k..n).max_by(|i, j| a.at(*i, k).abs().total_cmp(&a.at(*j, k).abs())).unwrap();
            for j in 0..n {
                a.entries.swap(k * n + j, pivot * n + j);
                b.entries.swap(k * n + j, pivot * n + j);
            }
            let head = a.at(k, k);
            for j in 0..n {
                a.entries[k * n + j] /= head;
                b.entries[k * n + j] /= head;
            }
            for i in (0..n).filter(|i| *i != k) {
                let factor = a.at(i, k);
                for j in 0..n {
                    a.entries[i * n + j] -= factor * a.at(k, j);
                    b.entries[i * n + j] -= factor * b.at(k, j);
                }
            }
        }
        b
    }
    /// `ln |M^p| / p` for a large power: the logarithm of the spectral radius, to about `1e-4`.
    fn growth(&self) -> f64 {
        let mut power = self.clone();
        let mut logarithm = 0.0;
        for _ in 0..18 {
            let norm = power.entries.iter().map(|x| x * x).sum::<f64>().sqrt();
            logarithm = 2.0 * (logarithm + norm.ln());
            power = power.scaled(1.0 / norm);
            power = power.times(&power);
        }
        logarithm / f64::from(1 << 18)
    }
}

/// A number in [0, 1).
fn unit(random: &mut Random) -> f64 {
    0.5 * (1.0 + random.next())
}

/// Positive semidefinite, of rank three at most, and of size one.
fn stiffness(n: usize, random: &mut Random) -> Matrix {
    let rows: Vec<f64> = (0..3 * n).map(|_| unit(random) - 0.5).collect();
    let k = Matrix::new(n, |i, j| (0..3).map(|r| rows[r * n + i] * rows[r * n + j]).sum());
    k.scaled(1.0 / k.largest_eigenvalue())
}

/// The map of one step of the slowest level, for masses of one: levels of steps 1, 2, 4... with events in the middle.
fn period(levels: &[Matrix]) -> Matrix {
    let n = levels[0].n;
    let one = |i: usize, j: usize| f64::from(u8::from(i == j));
    let drift = |t: f64| Matrix::new(2 * n, |i, j| one(i, j) + if i < n && j == i + n { t } else { 0.0 });
    let mut map = drift(0.5);
    for (l, k) in levels.iter().enumerate() {
        let step = f64::from(1 << l);
        let kick =
            Matrix::new(2 * n, |i, j| one(i, j) - if i >= n && j < n { step * k.at(i - n, j) } else { 0.0 });
        map = map.times(&kick).times(&map);
    }
    map
}

/// The matrix whose definiteness proves two levels of steps 1 and 2 to be stable.
fn proof(fast: &Matrix, slow: &Matrix) -> Matrix {
    let n = fast.n;
    Matrix::new(2 * n, |i, j| {
        let unit = f64::from(u8::from(i % n == j % n));
        match (i < n, j < n) {
            (true, true) => 2.0 * unit - slow.at(i, j),
            (false, false) => unit - 0.25 * fast.at(i - n, j - n),
            _ => unit,
        }
    })
}

/// The smallest eigenvalues of `Y_0, Y_1, ...` of the recursion.
fn recursion(levels: &[Matrix]) -> Vec<f64> {
    let n = levels[0].n;
    let mut b = Matrix::new(n, |i, j| 0.5 * f64::from(u8::from(i == j)));
    let mut g = b.scaled(4.0);
    let mut least = Vec::new();
    for (l, k) in levels.iter().enumerate() {
        let y = g.scaled(2.0).plus(&k.scaled(-f64::from(1 << l)));
        least.push(y.smallest_eigenvalue());
        b = b.times(&y).times(&b);
        g = g.plus(&b.inverse().scaled(-1.0));
    }
    least
}

/// Growth below this is what the power of a matrix cannot tell from none.
const NO_GROWTH: f64 = 2e-4;

#[test]
fn certificate_of_two_levels_agrees_with_the_spectral_radius_on_both_sides_of_its_limit() {
    let mut random = Random(5);
    let mut beyond = 0;
    for case in 0..300 {
        let n = 3 + case % 4;
        let fast = stiffness(n, &mut random).scaled(0.2 + unit(&mut random));
        let slow = stiffness(n, &mut random).scaled(0.2 + unit(&mut random));
        let at = |s: f64| proof(&fast.scaled(s), &slow.scaled(s)).smallest_eigenvalue();
        let mut within = 0.0;
        let mut outside = 100.0;
        for _ in 0..60 {
            let middle = 0.5 * (within + outside);
            if at(middle) > 0.0 { within = middle } else { outside = middle }
        }
        let growth = |s: f64| period(&[fast.scaled(s), slow.scaled(s)]).growth();
        assert!(growth(0.98 * within) < NO_GROWTH, "case {case}");
        // Where the fast level alone is beyond a = 2 the matrix decides nothing.
        if 1.02 * within * fast.largest_eigenvalue() < 2.0 {
            assert!(growth(1.02 * within) > NO_GROWTH, "case {case}");
            beyond += 1;
        }
        // The recursion says the same as the matrix.
        let y = |s: f64| recursion(&[fast.scaled(s), slow.scaled(s)]);
        assert!(y(0.98 * within).iter().all(|y| *y > 0.0), "case {case}");
        assert!(y(1.02 * within).iter().any(|y| *y < 0.0), "case {case}");
    }
    assert!(beyond > 100, "{beyond}");
}

/// Cases of two levels at a part of the body's limit that grow.
fn growing_pairs(part: f64, cases: usize) -> usize {
    let mut random = Random(11);
    let grows = |_: &usize| {
        let fast = stiffness(3, &mut random).scaled(unit(&mut random));
        let slow = stiffness(3, &mut random).scaled(unit(&mut random));
        let limit = fast.plus(&slow.scaled(4.0)).largest_eigenvalue();
        let scale = 4.0 * part * part / limit;
        period(&[fast.scaled(scale), slow.scaled(scale)]).growth() > NO_GROWTH
    };
    (0..cases).filter(grows).count()
}

#[test]
fn two_levels_below_one_over_root_two_of_the_limit_never_grow_and_some_do_above() {
    assert_eq!(growing_pairs(0.707, 4000), 0);
    assert!(growing_pairs(0.8, 4000) > 0);
}

#[test]
fn recursion_of_three_levels_proves_no_map_stable_that_grows() {
    let mut random = Random(23);
    let mut proved = 0;
    for case in 0..2000 {
        let size = 1.5 * unit(&mut random);
        let mut level = |l: i32| stiffness(4, &mut random).scaled(size * 0.25_f64.powi(l));
        let levels = [level(0), level(1), level(2)];
        if recursion(&levels).iter().all(|y| *y > 0.0) {
            proved += 1;
            let growth = period(&levels).growth();
            assert!(growth < NO_GROWTH, "case {case}: {growth}");
        }
    }
    assert!((200..2000).contains(&proved), "{proved}");
}

/// Springs along a line, linear, with nodes of mass one.
struct Chain {
    ends: Vec<[u32; 2]>,
    stiffness: Vec<f64>,
    level: Vec<u32>,
}

impl Potentials for Chain {
    fn count(&self) -> usize {
        self.ends.len()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        &self.ends[k]
    }
    fn gradient(&self, k: usize, _: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let [a, b] = self.ends[k].map(|a| 3 * a as usize);
        let extension = x[b] - x[a] - 1.0;
        out.fill(0.0);
        out[0] = -self.stiffness[k] * extension;
        out[3] = self.stiffness[k] * extension;
        Ok(0.5 * self.stiffness[k] * extension * extension)
    }
}

impl Chain {
    /// Springs whose stiffness falls by four from level to level, a few of each, at random about that.
    fn new(springs: usize, levels: u32, random: &mut Random) -> Self {
        let level: Vec<u32> = (0..springs as u32).map(|k| k * levels / springs as u32).collect();
        let stiffness = level.iter().map(|l| 0.25_f64.powi(*l as i32) * (0.5 + unit(random))).collect();
        Chain { ends: (0..springs as u32).map(|k| [k, k + 1]).collect(), stiffness, level }
    }
    fn steps(&self) -> Vec<f64> {
        self.level.iter().map(|l| f64::from(*l).exp2()).collect()
    }
    /// The stiffness of each level, with all steps multiplied by `scale` and time measured in the smallest.
    fn matrices(&self, scale: f64) -> Vec<Matrix> {
        let of = |level: u32| {
            let mut k = Matrix::new(self.ends.len() + 1, |_, _| 0.0);
            for (s, [a, b]) in self.ends.iter().enumerate().filter(|(s, _)| self.level[*s] == level) {
                for (i, j, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                    k.entries[*i as usize * k.n + *j as usize] += sign * scale * scale * self.stiffness[s];
                }
            }
            k
        };
        (0..=self.level[self.level.len() - 1]).map(of).collect()
    }
    /// The factor of the steps at which the body is at its limit.
    fn limit(&self) -> f64 {
        let weighted = |(l, k): (usize, Matrix)| k.scaled(0.25 * f64::from(1 << (2 * l)));
        let sum = self.matrices(1.0).into_iter().enumerate().map(weighted).reduce(|a, b| a.plus(&b));
        1.0 / sum.unwrap().largest_eigenvalue().sqrt()
    }
}

/// Positions and masses of the nodes of a chain.
fn nodes(chain: &Chain) -> (Vec<f64>, Vec<f64>) {
    let count = chain.ends.len() + 1;
    ((0..count).flat_map(|a| [a as f64, 0.0, 0.0]).collect(), vec![1.0; count])
}

#[test]
fn certificate_finds_the_eigenvalue_of_every_pair_of_levels() {
    let mut random = Random(3);
    let chain = Chain::new(12, 3, &mut random);
    let (x, mass) = nodes(&chain);
    let step = chain.steps();
    let about = SmallMotions { t: 0.0, x: &x, mass: &mass, step: &step };
    let mut certifier = Certifier::new(&chain, about).unwrap().unwrap();
    let scale = 0.7 * chain.limit();
    let found = certifier.certify(scale, MarchLength::always(100)).unwrap();
    let matrices = chain.matrices(scale);
    assert_eq!((found.pairs.len(), found.proved()), (2, 2));
    for pair in &found.pairs {
        // In the units of the fast step of the pair.
        let square = f64::from(1 << (2 * pair.fast));
        let dense = proof(&matrices[pair.fast].scaled(square), &matrices[pair.slow].scaled(square));
        let difference = dense.smallest_eigenvalue() - pair.margin;
        // A lower bound, and a close one.
        assert!((-1e-6..2e-3).contains(&difference), "{pair:?}: {difference}");
    }
    assert_eq!(certifier.certify(scale, MarchLength::always(100)).unwrap(), found, "the same bits");
    // Twin: beyond the limit no pair with the stiffest part is proved.
    assert!(certifier.certify(1.2 * chain.limit(), MarchLength::always(100)).unwrap().proved() < 2);
}

#[test]
fn pairs_are_proved_by_the_limit_of_the_body_where_it_is_below_one_over_root_two() {
    let mut random = Random(17);
    for case in 0..40 {
        let chain = Chain::new(12, 3, &mut random);
        let (x, mass) = nodes(&chain);
        let step = chain.steps();
        let about = SmallMotions { t: 0.0, x: &x, mass: &mass, step: &step };
        let mut certifier = Certifier::new(&chain, about).unwrap().unwrap();
        certifier.set_used_limit(1.0 / chain.limit());
        for part in [0.3, 0.5, 0.6, 0.7] {
            let scale = part * chain.limit();
            let matrices = chain.matrices(scale);
            for pair in certifier.certify(scale, MarchLength::always(1)).unwrap().pairs {
                let square = f64::from(1 << (2 * pair.fast));
                let [fast, slow] = [pair.fast, pair.slow].map(|l| matrices[l].scaled(square));
                let exact = proof(&fast, &slow).smallest_eigenvalue();
                assert!(pair.is_proved() && pair.margin <= exact, "case {case}, {part}: {pair:?} {exact}");
            }
        }
        // Beyond, the eigenvalue problem of the pair decides.
        let scale = 0.72 * chain.limit();
        let known = certifier.certify(scale, MarchLength::always(1)).unwrap().pairs;
        let mut without = Certifier::new(&chain, about).unwrap().unwrap();
        assert_eq!(known, without.certify(scale, MarchLength::always(1)).unwrap().pairs);
    }
}

#[test]
fn march_measures_the_growth_that_the_spectral_radius_has() {
    let mut random = Random(31);
    let mut compared = 0;
    for case in 0..60 {
        let chain = Chain::new(12, 3, &mut random);
        let (x, mass) = nodes(&chain);
        let step = chain.steps();
        let about = SmallMotions { t: 0.0, x: &x, mass: &mass, step: &step };
        let mut certifier = Certifier::new(&chain, about).unwrap().unwrap();
        for part in [0.6, 0.7, 0.85, 0.95, 1.05] {
            let scale = part * chain.limit();
            let growth = period(&chain.matrices(scale)).growth();
            let found = certifier.certify(scale, MarchLength::always(8000)).unwrap();
            if growth < NO_GROWTH {
                assert!(found.holds(), "case {case}, {part}: {found:?}");
            } else if growth > 2.0 * found.resolution {
                assert!(!found.holds(), "case {case}, {part}: {growth}");
                assert!((found.growth / growth - 1.0).abs() < 0.35, "{part}: {} {growth}", found.growth);
                assert!(found.element.is_some());
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "{compared}");
}

/// A body with loads and supports, and steps of two levels at its limit: so few elements would all have one level by cost.
fn body(kind: ElementKind, deformed: bool) -> (Arc<SolidProblem>, AviStart) {
    let (problem, mut start) = everything(kind, 1.0);
    if !deformed {
        start.x = problem.solid().points().to_vec();
    }
    let half = start.step.len() / 2;
    start.step = (0..start.step.len()).map(|k| if k < half { 1e-6 } else { 2e-6 }).collect();
    let used = problem.solid().used_limit(&start.x, &start.step).unwrap();
    start.step.iter_mut().for_each(|h| *h /= used);
    (problem, start)
}

fn small_motions(start: &AviStart) -> SmallMotions<'_> {
    SmallMotions { t: start.t, x: &start.x, mass: &start.mass, step: &start.step }
}

#[test]
fn certificate_of_bodies_with_loads_and_supports_holds_at_the_default_and_not_beyond_the_limit() {
    let mut several_levels = 0;
    for kind in [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4, ElementKind::Tet10] {
        let (problem, start) = body(kind, false);
        let mut certifier = Certifier::new(&problem, small_motions(&start)).unwrap().unwrap();
        let found = certifier.certify(0.7, MarchLength::always(4000)).unwrap();
        assert!(found.holds() && found.proved() == found.pairs.len(), "{kind:?}: {found:?}");
        if certifier.levels() > 1 {
            several_levels += 1;
            assert!(found.periods > 100 && found.updates > 0, "{kind:?}: {found:?}");
            assert!(!certifier.certify(2.0, MarchLength::always(4000)).unwrap().holds(), "{kind:?}");
        }
    }
    assert!(several_levels > 0);
    let uneven = [1.0, 3.0];
    let chain = Chain::new(2, 1, &mut Random(1));
    let (x, mass) = nodes(&chain);
    assert!(Certifier::new(&chain, SmallMotions { t: 0.0, x: &x, mass: &mass, step: &uneven }).is_none());
}

#[test]
fn certificate_measures_the_same_growth_in_time_with_any_steps_if_the_body_itself_is_unstable() {
    let (problem, start) = body(ElementKind::Tet10, true);
    let mut certifier = Certifier::new(&problem, small_motions(&start)).unwrap().unwrap();
    let in_time =
        [0.7, 0.5].map(|scale| certifier.certify(scale, MarchLength::always(4000)).unwrap().growth / scale);
    assert!(in_time[0] > 0.0 && (in_time[1] / in_time[0] - 1.0).abs() < 0.3, "{in_time:?}");
}
