//! Legs under constraints: those of the system, of persistent contacts, and of slips that stick, with friction where contacts slide.

use super::{Paths, not_finite, stagnates};
use crate::action::DiscreteLagrangian;
use crate::archive::{Archive, Persist};
use crate::contact::Gap;
use crate::error::Cause;
use crate::integrate::constrained::project::Projection;
use crate::integrate::constrained::saddle::{Saddle, size_in};
use crate::integrate::discrete_euler_lagrange::{LIMIT, ROUGH, settled_in_all};
use crate::integrate::impact::ties::Ties;
use crate::linalg::max_abs;

/// Friction of a persistent contact that slides: its impulse at each point is that of the tie `row` times `-pull`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Slide {
    pub row: usize,
    pub pull: Vec<f64>,
}

/// The equations and the impulses of a leg under constraints.
pub struct Tied<G> {
    pub saddle: Saddle<Ties<G>>,
    pub(super) projection: Projection,
    /// Impulses of the ties at the points `0..=s`.
    pub mu: Vec<f64>,
    pub slides: Vec<Slide>,
    /// Impulses of friction at the points `0..=s`, what they were off by before they were last changed, and how much of that was
    /// taken.
    pub(super) drag: Vec<f64>,
    off: Vec<f64>,
    share: f64,
    rows: Vec<f64>,
    pub(super) h: f64,
}

impl<G: Gap> Tied<G> {
    pub fn new(ties: Ties<G>, abscissae: &[f64], n: usize) -> Self {
        let (s, m) = (abscissae.len() - 1, crate::model::Constraint::count(&ties));
        Tied {
            saddle: Saddle::new(ties, abscissae, n).in_natural_units(),
            projection: Projection::new(n, m),
            mu: vec![0.0; (s + 1) * m],
            slides: Vec::new(),
            drag: vec![0.0; (s + 1) * n],
            off: vec![0.0; (s + 1) * n],
            share: 1.0,
            rows: vec![0.0; s * n],
            h: f64::NAN,
        }
    }

    /// The number of points of a leg.
    pub(super) fn points(&self) -> usize {
        self.mu.len() / self.saddle.count()
    }

    /// The sum of the impulses of a tie over all points.
    pub fn impulse(&self, row: usize) -> f64 {
        self.mu[row..].iter().step_by(self.saddle.count()).sum()
    }

    /// Brings friction in line with the impulses; returns the size of what it is off by and that of friction. How much of it is
    /// changed follows from what the last change did (Aitken): normal and friction may be coupled so much that the plain
    /// iteration would not end.
    pub(super) fn drag(&mut self, n: usize, first: bool) -> (f64, f64) {
        let m = self.saddle.count();
        let unit = self.saddle.coordinate_units();
        let (mut change, mut size, mut along, mut square) = (0.0_f64, 0.0_f64, 0.0, 0.0);
        for j in 0..self.drag.len() / n {
            for i in 0..n {
                let new: f64 = self.slides.iter().map(|x| -self.mu[j * m + x.row].max(0.0) * x.pull[i]).sum();
                let at = j * n + i;
                let off = new - self.drag[at];
                let turn = unit[i] * (off - self.off[at]);
                along += unit[i] * self.off[at] * turn;
                square += turn.powi(2);
                self.off[at] = off;
                change = change.max((unit[i] * off).abs());
                size = size.max((unit[i] * new).abs());
            }
        }
        let share = -self.share * along / square;
        self.share = if first || !share.is_finite() { 1.0 } else { share.clamp(-3.0, 3.0) };
        let share = self.share;
        self.drag.iter_mut().zip(&self.off).for_each(|(d, off)| *d += share * off);
        (change, size)
    }
}

impl<D: DiscreteLagrangian, G: Gap> Paths<D, G> {
    pub(super) fn saddle(&mut self, tied: &mut Tied<G>) -> Result<(), Cause> {
        let (n, s) = (self.leg.q.len(), self.ld.pieces());
        let m = tied.saddle.count();
        tied.rows.copy_from_slice(&tied.drag[..s * n]);
        (0..n).for_each(|i| tied.rows[i] += self.push[i]);
        let mut before = 0.0;
        for iterations in 1..=LIMIT {
            tied.saddle.assemble(&mut self.ld, &self.leg, &tied.mu, (0..s, 1..s + 1));
            tied.saddle.add_momentum(&tied.rows);
            let residual = tied.saddle.size();
            if !tied.saddle.factor() {
                return Err(if residual.is_finite() { Cause::Singular } else { not_finite() });
            }
            let (size, scale) = tied.saddle.correct(&mut self.leg.u, &mut tied.mu);
            if !size.is_finite() {
                return Err(not_finite());
            }
            self.iterations += 1;
            self.units.copy_from_slice(tied.saddle.coordinate_units());
            self.set_place();
            // A motion that is tied to rest has no size of its own: that of the place is then the scale.
            let still = iterations > 2 && size <= 1e-16 * max_abs(&self.place);
            let sizes = [before, size, scale];
            let small_parts = || tied.saddle.small_parts_settled(&self.leg.u, scale);
            let done = settled_in_all(iterations, sizes, self.tolerance, &self.place, small_parts);
            let push = size_in(&self.push, |i| self.units[i]);
            if done || still || size == 0.0 || stagnates(iterations, size / before, residual, push) {
                break;
            }
            if iterations == LIMIT {
                if let Some((number, value)) = tied.saddle.violated() {
                    return Err(Cause::Constraint { number, value });
                }
                let residual = residual / push.max(f64::MIN_POSITIVE);
                return Err(Cause::Newton { iterations, residual });
            }
            before = size;
        }
        self.gradient(tied);
        let (d, sum) = self.work.spare[..(s + 1) * n].split_at(s * n);
        tied.saddle.residual(&self.leg, &tied.mu, [&tied.rows[..n], d, sum]);
        tied.rows[..n].fill(0.0);
        tied.saddle.add_momentum(&tied.rows);
        tied.saddle.correct(&mut self.leg.u, &mut tied.mu);
        if s > ROUGH {
            self.gradient(tied);
        }
        self.impulse.copy_from_slice(&self.work.spare[s * n..(s + 1) * n]);
        for j in 0..s {
            tied.saddle.bounds(j).add_force(&tied.mu[j * m..(j + 1) * m], &mut self.impulse);
        }
        for drag in tied.drag.chunks(n) {
            self.impulse.iter_mut().zip(drag).for_each(|(x, d)| *x += d);
        }
        Ok(())
    }

    fn gradient(&mut self, tied: &mut Tied<G>) {
        let (n, s) = (self.leg.q.len(), self.ld.pieces());
        let (d, sum) = self.work.spare[..(s + 1) * n].split_at_mut(s * n);
        self.ld.gradient(&self.leg, d, sum);
        tied.saddle.look_at_all(&self.leg, false);
    }

    /// The state at the end of a leg under ties: the velocity stays on them.
    pub(super) fn arrive(&mut self, tied: &mut Tied<G>) -> Result<(), Cause> {
        let (n, s, m) = (self.leg.q.len(), self.ld.pieces(), tied.saddle.count());
        for i in 0..n {
            self.end.q[i] = self.leg.q[i] + self.leg.u[(s - 1) * n + i];
            self.end.p[i] = self.push[i] + self.impulse[i];
            self.end.v[i] = self.leg.u[(s - 1) * n + i] / self.leg.h;
        }
        tied.saddle.look(&self.leg, s, &self.end.q, false);
        let (t, mu) = (self.leg.t + self.leg.h, &mut tied.mu[s * m..]);
        tied.projection.apply(self.ld.system(), t, tied.saddle.bounds(s), &mut self.end, mu)
    }
}

impl Persist for Slide {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.row).pass(&mut self.pull);
    }
}

/// The ties themselves are made anew from the persistent contacts.
impl<G> Persist for Tied<G> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.saddle).fixed(&mut self.mu).pass(&mut self.slides).fixed(&mut self.drag);
        archive.fixed(&mut self.off).pass(&mut self.share).pass(&mut self.h);
    }
}
