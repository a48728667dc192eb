//! Steps of elements made from their stable ones: harmonic rounding, and what is done where steps of unequal length meet.

use crate::model::Potentials;

/// What harmonic steps give up where elements of unequal steps meet. A slow element's impulses, every `H`, resonate with
/// vibrations of its fast neighbours that advance by a multiple of half a turn in `H`. Between steps of ratio two
/// none of these is slower than `1/sqrt(2)` of the fast one's limit, between larger ratios some always are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Buffer {
    /// Nothing: neighbours may have steps of any ratio.
    None,
    /// Every element takes the smallest step among those that share a node with it.
    Ring,
    /// Only where steps jump: no element takes more than twice the step of one that shares a node with it.
    #[default]
    Jump,
}

impl From<bool> for Buffer {
    fn from(ring: bool) -> Self {
        if ring { Buffer::Ring } else { Buffer::None }
    }
}

/// Rounds steps down to `base * 2^k` with one base for all, chosen so that the events lost are few, and lowers them
/// further as the buffer says: without one a fast element drives its slow neighbour into resonance.
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
        Buffer::Ring => level = around(potentials, &level),
        Buffer::Jump => hold_to_two(potentials, &mut level),
    }
    level.iter().map(|l| base * f64::from(*l).exp2()).collect()
}

/// Beyond this ratio to the smallest step there is nothing left to gain.
const MOST_LEVELS: u32 = 30;

fn level(step: f64, base: f64) -> u32 {
    let mut level = ((step / base).log2().floor().max(0.0) as u32).min(MOST_LEVELS);
    // The logarithm may round up where the step lies just below a power.
    while level > 0 && base * f64::from(level).exp2() > step {
        level -= 1;
    }
    level
}

/// The base in (least / 2, least] with the fewest events in all.
fn best_base(stable: &[f64]) -> f64 {
    const TRIED: usize = 32;
    // A step that is no number makes them all so: the run must refuse it, not replace it.
    let least = stable.iter().copied().fold(f64::INFINITY, |a, b| if a <= b || a.is_nan() { a } else { b });
    if !(least > 0.0 && least.is_finite()) {
        return least;
    }
    // Steps by how many 32nds of an octave they lie above the least: base `i`, that many 32nds below it, makes level
    // `(parts + i) / 32` of them.
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
    let mut best = (events(0), 0);
    for i in 1..TRIED {
        let tried = events(i);
        if tried < best.0 {
            best = (tried, i);
        }
    }
    base(best.1)
}

/// The smallest level among an element and those that share a node with it.
fn around<P: Potentials + ?Sized>(potentials: &P, level: &[u32]) -> Vec<u32> {
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

/// Lowers levels until none is more than one above another that shares a node with it. What a sweep lowers lies one
/// level higher than what the last one did, so there are no more sweeps than levels.
fn hold_to_two<P: Potentials + ?Sized>(potentials: &P, level: &mut [u32]) {
    loop {
        let least = around(potentials, level);
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
