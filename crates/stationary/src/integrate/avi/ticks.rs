//! Steps that are a base times powers of two: no queue, a list of elements for every tick of the base.

/// The elements that fire at each tick. Order within a tick is by number, as in the queue, so the bits are the same.
#[derive(Debug, Clone)]
pub(super) struct Ticks {
    pub base: f64,
    /// Ticks made.
    pub done: u64,
    /// `order[l]`: the elements whose step is at most `base * 2^l`.
    order: Vec<Vec<u32>>,
}

impl Ticks {
    /// The schedule of these steps, if the smallest divides all others by a power of two.
    pub fn new(step: &[f64]) -> Option<Self> {
        let base = step.iter().copied().fold(f64::INFINITY, f64::min);
        let levels: Vec<u32> = step
            .iter()
            .map(|h| {
                let level = (h / base).log2().round();
                ((0.0..=40.0).contains(&level) && base * level.exp2() == *h).then_some(level as u32)
            })
            .collect::<Option<_>>()?;
        let most = *levels.iter().max()?;
        let below = |l: u32| (0..step.len() as u32).filter(|k| levels[*k as usize] <= l).collect();
        Some(Ticks { base, done: 0, order: (0..=most).map(below).collect() })
    }

    /// Those that fire at a tick, from 1 on.
    #[inline]
    pub fn at(&self, tick: u64) -> &[u32] {
        &self.order[(tick.trailing_zeros() as usize).min(self.order.len() - 1)]
    }
}
