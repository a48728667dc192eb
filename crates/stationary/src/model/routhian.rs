//! Routh reduction: coordinates that the Lagrangian does not depend on leave, their momenta stay as parameters.

use super::{Jet, Lagrangian, Legendre};
use crate::linalg;

/// Which coordinates of a system are eliminated, and the values of their momenta.
#[derive(Debug, Clone, PartialEq)]
pub struct Reduction {
    kept: Vec<usize>,
    cyclic: Vec<usize>,
    momenta: Vec<f64>,
}

impl Reduction {
    /// Eliminates the coordinates `cyclic` of `n`, each with its momentum of `p`.
    ///
    /// # Panics
    /// If a coordinate is named twice or does not exist, or if none is left.
    pub fn new(n: usize, cyclic: &[usize], p: &[f64]) -> Self {
        let kept: Vec<usize> = (0..n).filter(|i| !cyclic.contains(i)).collect();
        assert!(!kept.is_empty() && kept.len() + cyclic.len() == n, "{cyclic:?} of {n} coordinates");
        Reduction { kept, cyclic: cyclic.to_vec(), momenta: cyclic.iter().map(|&i| p[i]).collect() }
    }

    /// Number of coordinates before the reduction.
    pub fn full(&self) -> usize {
        self.kept.len() + self.cyclic.len()
    }

    /// The coordinates that stay, by their number in the full system.
    pub fn kept(&self) -> &[usize] {
        &self.kept
    }

    /// The coordinates that leave.
    pub fn cyclic(&self) -> &[usize] {
        &self.cyclic
    }

    /// Their momenta, which are constant.
    pub fn momenta(&self) -> &[f64] {
        &self.momenta
    }

    /// What stays of a vector of the full system.
    pub fn reduce(&self, full: &[f64]) -> Vec<f64> {
        self.kept.iter().map(|&i| full[i]).collect()
    }

    /// Writes reduced components to their places in a vector of the full system.
    pub fn embed(&self, reduced: &[f64], full: &mut [f64]) {
        self.kept.iter().zip(reduced).for_each(|(&i, x)| full[i] = *x);
    }
}

/// The Routhian `R(t, x, x') = ext [L(t, x, x', w) - mu.w]` over the velocities `w` of cyclic coordinates: a Lagrangian
/// for the others. The stationary point is `L_w = mu`.
///
/// ```
/// use stationary::model::{Auto, Jet, Lagrangian, Reduction, Routhian, Scalar, System};
///
/// // A planar orbit in polar coordinates r, phi: what is left is motion in V(r) + mu^2/(2 r^2).
/// struct Orbit;
/// impl System<2> for Orbit {
///     fn lagrangian<S: Scalar>(&self, _t: S, [r, _]: [S; 2], [v, w]: [S; 2]) -> S {
///         (v.squared() + (r * w).squared()) * 0.5 + r.recip()
///     }
/// }
/// let routhian = Routhian::new(Auto::new(Orbit), Reduction::new(2, &[1], &[0.0, 0.7]));
/// let mut jet = Jet::new(1);
/// routhian.first(0.0, &[2.0], &[0.3], &mut jet);
/// assert!((jet.value() - (0.045 + 0.5 - 0.49 / 8.0)).abs() < 1e-15);
/// ```
#[derive(Debug, Clone)]
pub struct Routhian<L> {
    lagrangian: L,
    reduction: Reduction,
}

impl<L: Lagrangian> Routhian<L> {
    /// Reduces a Lagrangian that does not depend on the coordinates that leave.
    pub fn new(lagrangian: L, reduction: Reduction) -> Self {
        assert_eq!(
            lagrangian.dimension(),
            reduction.full(),
            "coordinates of the system and of its reduction"
        );
        Routhian { lagrangian, reduction }
    }

    /// The reduction.
    pub fn reduction(&self) -> &Reduction {
        &self.reduction
    }

    /// Position and velocity of the full system at a place of the reduced one, cyclic positions zero. Velocities that
    /// cannot be found are not numbers.
    pub fn lift(&self, t: f64, x: &[f64], xv: &[f64]) -> (Vec<f64>, Vec<f64>) {
        let Reduction { cyclic, momenta, .. } = &self.reduction;
        let (mut q, mut v) = (vec![0.0; self.reduction.full()], vec![0.0; self.reduction.full()]);
        self.reduction.embed(x, &mut q);
        self.reduction.embed(xv, &mut v);
        let mut w = vec![0.0; cyclic.len()];
        let fibre = Fibre { lagrangian: &self.lagrangian, cyclic, place: (&q, &v) };
        if Legendre::new(w.len()).velocity(&fibre, t, &w.clone(), momenta, &mut w).is_err() {
            w.fill(f64::NAN);
        }
        cyclic.iter().zip(&w).for_each(|(&i, w)| v[i] = *w);
        (q, v)
    }
}

/// A Lagrangian as a function of the velocities of its cyclic coordinates alone.
struct Fibre<'a, L> {
    lagrangian: &'a L,
    cyclic: &'a [usize],
    place: (&'a [f64], &'a [f64]),
}

impl<L: Lagrangian> Fibre<'_, L> {
    fn velocity(&self, w: &[f64]) -> Vec<f64> {
        let mut v = self.place.1.to_vec();
        self.cyclic.iter().zip(w).for_each(|(&i, w)| v[i] = *w);
        v
    }
}

impl<L: Lagrangian> Lagrangian for Fibre<'_, L> {
    fn dimension(&self) -> usize {
        self.cyclic.len()
    }

    fn first(&self, t: f64, _: &[f64], w: &[f64], jet: &mut Jet) {
        let mut full = Jet::new(self.place.0.len());
        self.lagrangian.first(t, self.place.0, &self.velocity(w), &mut full);
        let parts = jet.parts();
        (*parts.value, *parts.dt) = (full.value(), full.dt());
        self.cyclic.iter().zip(parts.dv).for_each(|(&i, dv)| *dv = full.dv()[i]);
    }

    fn second(&self, t: f64, _: &[f64], w: &[f64], jet: &mut Jet) {
        let (n, m) = (self.place.0.len(), w.len());
        let mut full = Jet::new(n);
        self.lagrangian.second(t, self.place.0, &self.velocity(w), &mut full);
        let parts = jet.parts();
        for (a, &i) in self.cyclic.iter().enumerate() {
            parts.dv[a] = full.dv()[i];
            for (b, &j) in self.cyclic.iter().enumerate() {
                parts.dvv[a * m + b] = full.dvv()[i * n + j];
            }
        }
    }
}

impl<L: Lagrangian> Lagrangian for Routhian<L> {
    fn dimension(&self) -> usize {
        self.reduction.kept.len()
    }

    /// First derivatives are those of `L`: that in the velocities `w` vanishes.
    fn first(&self, t: f64, x: &[f64], xv: &[f64], jet: &mut Jet) {
        let (q, v) = self.lift(t, x, xv);
        let mut full = Jet::new(q.len());
        self.lagrangian.first(t, &q, &v, &mut full);
        let parts = jet.parts();
        let Reduction { kept, cyclic, momenta } = &self.reduction;
        *parts.value = full.value() - cyclic.iter().zip(momenta).map(|(&i, mu)| mu * v[i]).sum::<f64>();
        *parts.dt = full.dt();
        for (a, &i) in kept.iter().enumerate() {
            (parts.dq[a], parts.dv[a]) = (full.dq()[i], full.dv()[i]);
        }
    }

    fn second(&self, t: f64, x: &[f64], xv: &[f64], jet: &mut Jet) {
        let (q, v) = self.lift(t, x, xv);
        let n = q.len();
        let mut full = Jet::new(n);
        self.lagrangian.second(t, &q, &v, &mut full);
        let Reduction { kept, cyclic, .. } = &self.reduction;
        let mut matrix = vec![0.0; 4 * n * n];
        for i in 0..n {
            for j in 0..n {
                matrix[i * 2 * n + j] = full.dqq()[i * n + j];
                matrix[i * 2 * n + n + j] = full.dqv()[i * n + j];
                matrix[(n + j) * 2 * n + i] = full.dqv()[i * n + j];
                matrix[(n + i) * 2 * n + n + j] = full.dvv()[i * n + j];
            }
        }
        let stay: Vec<usize> = kept.iter().copied().chain(kept.iter().map(|i| n + i)).collect();
        let leave: Vec<usize> = cyclic.iter().map(|i| n + i).collect();
        let m = kept.len();
        let mut reduced = vec![0.0; 4 * m * m];
        linalg::schur(&matrix, 2 * n, [&stay, &stay], &leave, &mut reduced);
        let parts = jet.parts();
        for (a, &i) in kept.iter().enumerate() {
            (parts.dq[a], parts.dv[a]) = (full.dq()[i], full.dv()[i]);
            for b in 0..m {
                parts.dqq[a * m + b] = reduced[a * 2 * m + b];
                parts.dqv[a * m + b] = reduced[a * 2 * m + m + b];
                parts.dvv[a * m + b] = reduced[(m + a) * 2 * m + m + b];
            }
        }
    }
}
