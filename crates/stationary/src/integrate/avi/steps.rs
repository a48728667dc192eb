//! Harmonic time steps from the critical time steps of the elements: rounding to levels, and the transition between levels.

use super::clocks::MOST_HALVINGS;
use super::level_cleanup::clean_up;
use super::level_table::levels;
use super::levels::{Incidence, Levels, MOST_LEVELS};
use crate::model::Potentials;

/// How harmonic time steps are reduced where elements of different levels share nodes. The impulses of a slow element, at intervals `H`,
/// resonate with vibrations of its fast neighbours whose phase advances by a multiple of `pi` in `H`. At a ratio of two between the steps
/// all of these vibrations have at least `1/sqrt(2)` of the fast element's limit frequency; at larger ratios some are slower.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Buffer {
    /// No reduction: neighbours may have time steps of any ratio.
    None,
    /// Every element takes the smallest time step among those that share a node with it.
    Ring,
    /// No element takes more than twice the time step of an element that shares a node with it.
    #[default]
    Jump,
}

impl From<bool> for Buffer {
    fn from(ring: bool) -> Self {
        if ring { Buffer::Ring } else { Buffer::None }
    }
}

/// Rounds time steps down to `base * 2^level` with one base for all, chosen for the fewest events, and reduces them further as `buffer`
/// requires: without a buffer neighbouring levels can resonate.
///
/// ```
/// use stationary::integrate::avi::{Buffer, harmonic};
/// # struct Springs;
/// # impl stationary::model::Potentials for Springs {
/// #     fn count(&self) -> usize { 3 }
/// #     fn nodes(&self, k: usize) -> &[u32] { &[0, 1, 2, 3][k..k + 2] }
/// #     fn gradient(&self, _: usize, _: f64, _: &[f64], _: &mut [f64]) -> Result<f64, stationary::model::PotentialFault> { Ok(0.0) }
/// # }
/// # let springs = Springs; // a chain of three
/// let stable = [1.0, 4.5, 9.0];
/// assert_eq!(harmonic(&springs, &stable, Buffer::None), [1.0, 4.0, 8.0]);
/// assert_eq!(harmonic(&springs, &stable, Buffer::Ring), [1.0, 1.0, 4.0]);
/// assert_eq!(harmonic(&springs, &stable, Buffer::Jump), [1.0, 2.0, 4.0]);
/// ```
pub fn harmonic<P: Potentials + ?Sized>(
    potentials: &P,
    stable: &[f64],
    buffer: impl Into<Buffer>,
) -> Vec<f64> {
    let Some(bases) = Bases::new(stable) else {
        // A step that is not a positive number makes all of them so: the run must refuse it, not replace it.
        return vec![least(stable); stable.len()];
    };
    let incidence = Incidence::new(potentials, stable.len());
    let (base, level) = match buffer.into() {
        Buffer::None => {
            let base = bases.of_fewest_updates();
            (base, levels_of(stable, base))
        }
        Buffer::Ring => {
            let base = bases.of_fewest_updates();
            (base, smallest_level_around(&incidence, &levels_of(stable, base)))
        }
        Buffer::Jump => of_least_cost(&incidence, stable, &bases),
    };
    level.iter().map(|l| base * f64::from(*l).exp2()).collect()
}

/// How often the time steps of elements must be halved to be at most `most`, where harmonic ones with neighbours within a factor of two: for
/// [`Avi::refine_steps`](super::Avi::refine_steps). A time step is halved sixteen times at most.
///
/// ```
/// use stationary::integrate::avi::halvings_for;
/// # struct Springs;
/// # impl stationary::model::Potentials for Springs {
/// #     fn count(&self) -> usize { 4 }
/// #     fn nodes(&self, k: usize) -> &[u32] { &[0, 1, 2, 3, 4][k..k + 2] }
/// #     fn gradient(&self, _: usize, _: f64, _: &[f64], _: &mut [f64]) -> Result<f64, stationary::model::PotentialFault> { Ok(0.0) }
/// # }
/// # let springs = Springs; // a chain of four
/// let halvings = halvings_for(&springs, &[1.0, 1.0, 2.0, 2.0], &[0.2, 1.0, 2.0, 9.0]);
/// assert_eq!(halvings, [3, 2, 2, 1]);
/// ```
pub fn halvings_for<P: Potentials + ?Sized>(potentials: &P, steps: &[f64], most: &[f64]) -> Vec<u32> {
    let needed = |(h, most): (&f64, &f64)| {
        let halvings = (h / most).log2().ceil();
        // A limit of zero is no number of halvings.
        if halvings > 0.0 { halvings.min(f64::from(MOST_HALVINGS)) as u32 } else { 0 }
    };
    let halvings: Vec<u32> = steps.iter().zip(most).map(needed).collect();
    let Some(levels) = levels(steps) else { return halvings };
    let lowered = levels.iter().zip(&halvings).map(|(level, n)| level + MOST_HALVINGS - n);
    let mut limited: Vec<u32> = lowered.collect();
    Incidence::new(potentials, steps.len()).limit_ratio_to_two(&mut limited);
    levels.iter().zip(&limited).map(|(level, l)| (level + MOST_HALVINGS - l).min(MOST_HALVINGS)).collect()
}

/// The base step and the levels of least cost. Bases are judged first by the levels that the limit of the ratio leaves; the best of them
/// by what the clean-up makes of these levels.
fn of_least_cost(incidence: &Incidence, stable: &[f64], bases: &Bases) -> (f64, Vec<u32>) {
    let at_most = |elements: usize, least, most| (elements / stable.len().max(1)).clamp(least, most);
    let cleaned = at_most(CLEANED_ELEMENTS, 1, CLEANED);
    let most = at_most(JUDGED_ELEMENTS, LEAST_JUDGED, TRIED);
    let mut judged = Vec::new();
    for i in bases.by_updates().into_iter().take(most) {
        let base = bases.base(i);
        let mut level = levels_of(stable, base);
        incidence.limit_ratio_to_two(&mut level);
        let levels = Levels::new(incidence, level);
        judged.push((levels.slow_side_cost() / base, base, levels.level));
        keep_cheapest(&mut judged, cleaned);
    }
    for (cost, base, level) in &mut judged {
        let mut levels = Levels::new(incidence, std::mem::take(level));
        clean_up(&mut levels);
        *cost = levels.slow_side_cost() / *base;
        *level = levels.level;
    }
    keep_cheapest(&mut judged, 1);
    judged.pop().map_or((bases.base(0), Vec::new()), |(_, base, level)| (base, level))
}

/// Sorts candidates by their cost and leaves only the first; of equal ones those that came first.
fn keep_cheapest(candidates: &mut Vec<(f64, f64, Vec<u32>)>, most: usize) {
    candidates.sort_by(|a, b| a.0.total_cmp(&b.0));
    candidates.truncate(most);
}

fn levels_of(stable: &[f64], base: f64) -> Vec<u32> {
    stable.iter().map(|h| level(*h, base)).collect()
}

/// The largest level whose step is not above `step`.
fn level(step: f64, base: f64) -> u32 {
    // The exponent of the quotient; rounding may have put it at the wrong side of a power.
    let exponent = ((step / base).to_bits() >> 52) as i64 - 1023;
    let mut level = exponent.clamp(0, i64::from(MOST_LEVELS)) as u32;
    while level > 0 && base * two_to(level) > step {
        level -= 1;
    }
    while level < MOST_LEVELS && base * two_to(level + 1) <= step {
        level += 1;
    }
    level
}

fn two_to(level: u32) -> f64 {
    (1_u64 << level) as f64
}

/// Bases that are tried, in equal parts of an octave.
const TRIED: usize = 32;

/// Bases that are judged by the levels they give: all of them on meshes of up to ten thousand elements or so, at least [`LEAST_JUDGED`] on any
/// mesh. The clean-up is tried on [`CLEANED`] of them, on meshes above a hundred thousand elements on one.
const JUDGED_ELEMENTS: usize = 400_000;
const LEAST_JUDGED: usize = 4;
const CLEANED_ELEMENTS: usize = 200_000;
const CLEANED: usize = 3;

/// The smallest of some steps, NaN if there is a NaN.
fn least(stable: &[f64]) -> f64 {
    stable.iter().copied().fold(f64::INFINITY, |a, b| if a <= b || a.is_nan() { a } else { b })
}

/// The base steps in (least / 2, least].
struct Bases {
    least: f64,
    /// A histogram of the steps by 32nds of an octave above the smallest one.
    counts: Vec<u64>,
}

impl Bases {
    /// None if a step is not a positive number.
    fn new(stable: &[f64]) -> Option<Self> {
        let least = least(stable);
        if !(least > 0.0 && least.is_finite()) {
            return None;
        }
        let mut counts = vec![0u64; TRIED * (MOST_LEVELS as usize + 1)];
        for h in stable {
            let parts = (TRIED as f64 * (h / least).log2()).floor().max(0.0) as usize;
            counts[parts.min(TRIED * (MOST_LEVELS as usize + 1) - 1)] += 1;
        }
        Some(Bases { least, counts })
    }

    /// The base `i` 32nds of an octave below the smallest step.
    fn base(&self, i: usize) -> f64 {
        self.least * (-(i as f64) / TRIED as f64).exp2()
    }

    /// Updates of all elements per unit time without a buffer. A step in bin `parts` has the level `(parts + i) / 32`.
    fn updates(&self, i: usize) -> f64 {
        let level = |parts: usize| ((parts + i) / TRIED).min(MOST_LEVELS as usize) as f64;
        let updates = |(parts, n): (usize, &u64)| *n as f64 * (-level(parts)).exp2();
        self.counts.iter().enumerate().map(updates).sum::<f64>() / self.base(i)
    }

    /// All bases, that of the fewest updates first, of equal ones the largest.
    fn by_updates(&self) -> Vec<usize> {
        let mut all: Vec<(f64, usize)> = (0..TRIED).map(|i| (self.updates(i), i)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        all.into_iter().map(|(_, i)| i).collect()
    }

    fn of_fewest_updates(&self) -> f64 {
        self.base(self.by_updates()[0])
    }
}

/// The smallest level among an element and those that share a node with it.
fn smallest_level_around(incidence: &Incidence, level: &[u32]) -> Vec<u32> {
    let least = incidence.least_levels(level);
    let around = |k: usize| incidence.nodes(k).iter().map(|a| least[*a as usize]).min().unwrap_or(level[k]);
    (0..level.len()).map(around).collect()
}
