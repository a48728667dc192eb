//! Legs with contacts that slide: friction follows the impulses along the normals, which follow friction.

use super::{Paths, Tied};
use crate::action::DiscreteLagrangian;
use crate::contact::Gap;
use crate::error::Cause;
use crate::linalg::{Lu, max_abs};

/// Rounds in which friction and the impulses it follows are brought together.
const ROUNDS: usize = 40;
/// Friction agrees with the impulses it follows if it is off by at most this part of its size.
const AGREES: f64 = 1e-14;
/// Corrections by Newton's method where rounds do not bring them together.
const COUPLINGS: usize = 12;
/// These agree to this part of the impulses.
const COUPLED: f64 = 1e-13;

impl<D: DiscreteLagrangian, G: Gap> Paths<D, G> {
    /// Solves the leg under constraints, with friction where contacts slide.
    pub(super) fn tied(&mut self) -> Result<(), Cause> {
        let n = self.leg.q.len();
        let mut tied = self.ties.take().expect("there are ties");
        if tied.h != self.leg.h {
            tied.saddle.rescale();
            tied.h = self.leg.h;
        }
        if tied.slides.is_empty() {
            tied.drag.fill(0.0);
        }
        let first = self.leg.u.clone();
        let mut result = Ok(());
        for round in 1..=ROUNDS {
            result = self.saddle(&mut tied).and_then(|()| self.arrive(&mut tied));
            if tied.slides.is_empty() || round == 1 && result.is_err() {
                break;
            }
            let (change, size) = match result {
                Ok(()) => tied.drag(n, round == 1),
                Err(_) => (f64::INFINITY, 0.0),
            };
            if change <= AGREES * size || size == 0.0 && change == 0.0 {
                break;
            }
            if round == ROUNDS || result.is_err() {
                result = self.couple(&mut tied, &first);
                break;
            }
        }
        self.ties = Some(tied);
        result?;
        self.check()
    }

    /// Friction and the impulses it follows where the plain iteration does not bring them together: impulses `m` of the gaps that slide
    /// give friction, under which the leg has the impulses `f(m)`. That is affine but for what bends over the leg, so `f(m) = m` is
    /// solved by Newton's method with differences.
    fn couple(&mut self, tied: &mut Tied<G>, first: &[f64]) -> Result<(), Cause> {
        let zero = vec![0.0; tied.points() * tied.slides.len()];
        let count = zero.len();
        let free = self.under(tied, &zero, first)?;
        let step = max_abs(&free);
        let mut lu = Lu::new(count);
        let mut m = free.clone();
        if step > 0.0 {
            for i in 0..count {
                let mut moved = zero.clone();
                moved[i] = step;
                let f = self.under(tied, &moved, first)?;
                for k in 0..count {
                    let slope = (f[k] - free[k]) / step;
                    lu.matrix()[k * count + i] = if k == i { 1.0 - slope } else { -slope };
                }
            }
            if lu.factor() {
                m.fill(0.0);
                for _ in 0..COUPLINGS {
                    let Ok(f) = self.under(tied, &m, first) else { break };
                    let mut off: Vec<f64> = f.iter().zip(&m).map(|(f, m)| f - m).collect();
                    if max_abs(&off) <= COUPLED * max_abs(&m) {
                        let pressed =
                            |k: usize| m.iter().skip(k).step_by(tied.slides.len()).sum::<f64>() >= 0.0;
                        if (0..tied.slides.len()).all(pressed) {
                            return Ok(());
                        }
                        break;
                    }
                    lu.solve(&mut off);
                    m.iter_mut().zip(&off).for_each(|(m, off)| *m += off);
                }
            }
        }
        // Normal and friction find no balance: the contact is at the edge of leaving. Friction is then that of the normal
        // impulses which there would be without it.
        let pressed: Vec<f64> = free.iter().map(|x| x.max(0.0)).collect();
        self.under(tied, &pressed, first).map(|_| ())
    }

    /// The impulses of gaps that slide, under the friction that belongs to impulses `m`: point by point.
    fn under(&mut self, tied: &mut Tied<G>, m: &[f64], first: &[f64]) -> Result<Vec<f64>, Cause> {
        let n = self.leg.q.len();
        tied.drag.fill(0.0);
        for (at, impulse) in m.iter().enumerate() {
            let (j, slide) = (at / tied.slides.len(), &tied.slides[at % tied.slides.len()]);
            let drag = &mut tied.drag[j * n..(j + 1) * n];
            drag.iter_mut().zip(&slide.pull).for_each(|(d, pull)| *d -= impulse * pull);
        }
        self.leg.u.copy_from_slice(first);
        tied.mu.fill(0.0);
        self.saddle(tied)?;
        self.arrive(tied)?;
        let count = tied.saddle.count();
        let rows: Vec<usize> = tied.slides.iter().map(|x| x.row).collect();
        Ok((0..tied.points())
            .flat_map(|j| rows.iter().map(move |row| j * count + row))
            .map(|at| tied.mu[at])
            .collect())
    }
}
