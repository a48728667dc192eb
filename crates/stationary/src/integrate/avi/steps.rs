//! Harmonic time steps from the critical time steps of the elements: rounding to levels, and the transition between levels.

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
    let base = best_base(stable);
    let mut level: Vec<u32> = stable.iter().map(|h| level(*h, base)).collect();
    match buffer.into() {
        Buffer::None => {}
        Buffer::Ring => level = smallest_level_around(potentials, &level),
        Buffer::Jump => limit_ratio_to_two(potentials, &mut level),
    }
    level.iter().map(|l| base * f64::from(*l).exp2()).collect()
}

/// Largest level: still larger time steps would save nothing.
const MOST_LEVELS: u32 = 30;

fn level(step: f64, base: f64) -> u32 {
    let mut level = ((step / base).log2().floor().max(0.0) as u32).min(MOST_LEVELS);
    // The logarithm may round up where the step lies just below a power.
    while level > 0 && base * f64::from(level).exp2() > step {
        level -= 1;
    }
    level
}

/// The base step in (least / 2, least] with the fewest events of all elements.
fn best_base(stable: &[f64]) -> f64 {
    const TRIED: usize = 32;
    // A NaN step makes the base NaN: the run must refuse it, not replace it.
    let least = stable.iter().copied().fold(f64::INFINITY, |a, b| if a <= b || a.is_nan() { a } else { b });
    if !(least > 0.0 && least.is_finite()) {
        return least;
    }
    // A histogram of the steps by 32nds of an octave above the smallest one. With the base `i` 32nds of an octave below the smallest
    // step, a step in bin `parts` has the level `(parts + i) / 32`.
    let mut counts = [0u64; TRIED * (MOST_LEVELS as usize + 1)];
    for h in stable {
        let parts = (TRIED as f64 * (h / least).log2()).floor().max(0.0) as usize;
        counts[parts.min(counts.len() - 1)] += 1;
    }
    let base = |i: usize| least * (-(i as f64) / TRIED as f64).exp2();
    let events = |i: usize| {
        let level = |parts: usize| ((parts + i) / TRIED).min(MOST_LEVELS as usize) as f64;
        counts.iter().enumerate().map(|(parts, n)| *n as f64 * (-level(parts)).exp2()).sum::<f64>() / base(i)
    };
    let mut best = 0;
    let mut fewest = events(0);
    for i in 1..TRIED {
        let tried = events(i);
        if tried < fewest {
            fewest = tried;
            best = i;
        }
    }
    base(best)
}

/// The smallest level among an element and those that share a node with it.
fn smallest_level_around<P: Potentials + ?Sized>(potentials: &P, level: &[u32]) -> Vec<u32> {
    let nodes = (0..level.len()).flat_map(|k| potentials.nodes(k)).max().map_or(0, |a| *a as usize + 1);
    let mut least = vec![u32::MAX; nodes];
    for (k, l) in level.iter().enumerate() {
        for a in potentials.nodes(k) {
            least[*a as usize] = least[*a as usize].min(*l);
        }
    }
    let around = |k: usize| potentials.nodes(k).iter().map(|a| least[*a as usize]).min().unwrap_or(level[k]);
    (0..level.len()).map(around).collect()
}

/// Lowers levels until none is more than one above another that shares a node with it. Each pass lowers elements one level higher than
/// the pass before, so that there are no more passes than levels.
fn limit_ratio_to_two<P: Potentials + ?Sized>(potentials: &P, level: &mut [u32]) {
    loop {
        let least = smallest_level_around(potentials, level);
        let mut lowered = false;
        for (l, least) in level.iter_mut().zip(least) {
            if *l > least + 1 {
                *l = least + 1;
                lowered = true;
            }
        }
        if !lowered {
            return;
        }
    }
}
