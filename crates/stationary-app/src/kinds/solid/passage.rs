//! Shorter steps for the few elements that a large motion makes stiff, from one row to the next.
//!
//! Steps are stable about positions `x` if the elements satisfy, with shares `S_K` of the nodal masses that add up to them,
//!
//! ```text
//! (dt_K/2)^2 K_K(x) <= u_K^2 S_K,    sum_K S_K = M,    u_K < 1.
//! ```
//!
//! The shares are fixed at the start. An element that its neighbours crush then needs a shorter step itself, in proportion to its own limit
//! `2/omega_K(x)`, and its neighbours need none but those that keep levels within a factor of two. A sliver whose frequency rises fiftyfold costs a few
//! hundred elements shorter steps, where a common factor would cost all of them fifty times the updates.
//!
//! How stiff an element becomes on the way is found by going there: the way to the row is made again and again, with steps for the stiffest positions
//! seen so far, until these steps were short enough everywhere and the energy at the row is that of the row before.

use super::build::Body;
use super::motion::{Look, Motion};
use stationary::error::{Cause, RunError};
use stationary::integrate::avi::{AviState, halvings_for};
use stationary::interrupt;
use stationary::model::Potentials;
use stationary::model::solid::MassSplit;

/// A step may use so many times the part of its own limit that it used at the start, within these parts: below them steps are left as they are.
const MORE: f64 = 1.5;
const USED: [f64; 2] = [0.5, 0.75];

/// Elements that are known to become stiff are looked at after this part of the smallest step that all elements have without a passage, so many times at
/// most, and all elements at every so manyth of these looks.
const BETWEEN_LOOKS: f64 = 0.25;
const MOST_LOOKS: f64 = 2048.0;
const LOOKS_AT_ALL: u64 = 16;

/// Steps that turn out to be longer than they should be by this factor are made again.
const TOO_LONG: f64 = 1.3;

/// An element that inverts has been stiffer than was seen. Its step is reduced by this factor.
const AFTER_INVERSION: f64 = 0.25;

/// How often the way to a row is made at most, and how often so with half of the steps of elements that became stiffer by [`STIFFER`], where the energy at
/// the row is another one.
const MOST_ATTEMPTS: usize = 24;
const STIFFER: f64 = 1.5;
const TIGHTER: f64 = 0.5;

/// The way to a row that is to be passed.
pub(super) struct Passage<'a> {
    pub body: &'a Body,
    /// The last good row.
    pub good: &'a AviState,
    /// The time of the next row since the start.
    pub until: f64,
    /// The most updates, over those without shorter steps.
    pub most_cost: f64,
}

/// The critical steps of elements, with their shares of the nodal masses.
struct Limits<'a> {
    body: &'a Body,
    shares: Vec<f64>,
    /// Where the shares of each element begin.
    first: Vec<usize>,
}

impl<'a> Limits<'a> {
    fn new(body: &'a Body) -> Option<Self> {
        let problem = &body.problem;
        let shares = problem.solid().shares(&body.x, MassSplit::Stiffness).ok()?;
        let mut first = vec![0];
        (0..problem.count()).for_each(|k| first.push(first[k] + problem.nodes(k).len()));
        Some(Limits { body, shares, first })
    }

    /// Of all elements; zero where one has no energy.
    fn all(&self, x: &[f64]) -> Vec<f64> {
        self.body.problem.solid().limits_with_shares(x, &self.shares)
    }

    /// Notes those of some elements where they are smaller. Of an element that has no energy a fault tells.
    fn note(&self, x: &[f64], some: &[usize], stiffest: &mut [f64]) {
        for k in some {
            let (block, j) = self.body.problem.solid().locate(*k);
            let shares = &self.shares[self.first[*k]..self.first[*k + 1]];
            if let Ok(limit) = block.step_eigen(j, x, shares) {
                stiffest[*k] = stiffest[*k].min(limit);
            }
        }
    }
}

/// Updates per unit time with steps halved so often, over those without.
pub(super) fn cost(steps: &[f64], halvings: &[u32]) -> f64 {
    let all: f64 = steps.iter().map(|h| 1.0 / h).sum();
    steps.iter().zip(halvings).map(|(h, n)| f64::from(*n).exp2() / h).sum::<f64>() / all
}

/// The steps without halvings.
pub(super) fn unrefined(motion: &Motion) -> Vec<f64> {
    let Some(avi) = motion.avi() else { return Vec::new() };
    let halvings = avi.halvings();
    let whole = |(k, h): (usize, &f64)| h * f64::from(halvings.get(k).copied().unwrap_or(0)).exp2();
    avi.steps().iter().enumerate().map(whole).collect()
}

impl Passage<'_> {
    /// Finds how often the steps of each element must be halved. The motion is then at the good row, with these steps. `Ok(false)` if there are no such
    /// numbers; the motion is anywhere then.
    pub fn find(
        &self,
        motion: &mut Motion,
        is_good: impl Fn(&Look) -> bool,
    ) -> Result<bool, interrupt::Interrupted> {
        interrupt::attempt(|| self.search(motion, is_good).unwrap_or(false))
    }

    /// `None` where an element cannot be evaluated at the good row.
    fn search(&self, motion: &mut Motion, is_good: impl Fn(&Look) -> bool) -> Option<bool> {
        motion.go_back(Some(self.good));
        let problem = &self.body.problem;
        let steps = unrefined(motion);
        let limits = Limits::new(self.body)?;
        let first = limits.all(&self.body.x);
        let [least, most] = USED;
        let used = |(h, limit): (&f64, &f64)| (MORE * h / limit).clamp(least, most).max(h / limit);
        let used: Vec<f64> = steps.iter().zip(&first).map(used).collect();
        let mut stiffest = limits.all(&motion.look().ok()?.x);
        let mut tighter = 1.0;
        for _ in 0..MOST_ATTEMPTS {
            let most: Vec<f64> = (0..steps.len())
                .map(|k| {
                    let factor = if STIFFER * stiffest[k] < first[k] { tighter } else { 1.0 };
                    factor * used[k] * stiffest[k]
                })
                .collect();
            let mut halvings = halvings_for(&**problem, &steps, &most);
            halvings.iter_mut().zip(&self.good.halvings).for_each(|(n, before)| *n = (*n).max(*before));
            if interrupt::requested() || cost(&steps, &halvings) > self.most_cost {
                return Some(false);
            }
            motion.go_back(Some(self.good));
            if !motion.refine_steps(&halvings) {
                return Some(false);
            }
            let stiff: Vec<usize> = (0..steps.len()).filter(|k| steps[*k] > most[*k]).collect();
            match self.march(motion, &steps, (&limits, &stiff), &mut stiffest) {
                Ok(()) => {
                    let is_short = |k: usize| {
                        let step = steps[k] * (-f64::from(halvings[k])).exp2();
                        step <= TOO_LONG * used[k] * stiffest[k]
                    };
                    if (0..steps.len()).all(is_short) {
                        let look = motion.look().ok();
                        if look.is_some_and(|look| is_good(&look)) {
                            motion.go_back(Some(self.good));
                            return Some(motion.refine_steps(&halvings));
                        }
                        tighter *= TIGHTER;
                    }
                }
                Err(inverted) => {
                    let now = steps[inverted] * (-f64::from(halvings[inverted])).exp2();
                    let least = AFTER_INVERSION * now / used[inverted];
                    stiffest[inverted] = stiffest[inverted].min(least);
                }
            }
        }
        Some(false)
    }

    /// Goes on to the row, and notes the smallest limits on the way. An element that inverts is the error.
    fn march(
        &self,
        motion: &mut Motion,
        steps: &[f64],
        (limits, stiff): (&Limits<'_>, &[usize]),
        stiffest: &mut [f64],
    ) -> Result<(), usize> {
        let at = motion.elapsed();
        let smallest = steps.iter().copied().fold(f64::INFINITY, f64::min);
        let looks = ((self.until - at) / (BETWEEN_LOOKS * smallest)).ceil().clamp(1.0, MOST_LOOKS) as u64;
        let all: Vec<usize> = (0..steps.len()).collect();
        for i in 1..=looks {
            let part = i as f64 / looks as f64;
            let next = if i < looks { at + (self.until - at) * part } else { self.until };
            let reached = motion.advance(next);
            let looks_at_all = i.is_multiple_of(LOOKS_AT_ALL) || i == looks || reached.is_err();
            if let Some(avi) = motion.avi() {
                limits.note(avi.positions(), if looks_at_all { &all } else { stiff }, stiffest);
            }
            if let Err(error) = reached {
                return Err(self.element(&error).unwrap_or(0));
            }
            if interrupt::requested() {
                break;
            }
        }
        Ok(())
    }

    /// The element that an error names.
    fn element(&self, error: &RunError) -> Option<usize> {
        let Cause::Element { number, .. } = &error.cause else { return None };
        let problem = &self.body.problem;
        (0..problem.count()).find(|k| problem.number(*k) == *number)
    }
}
