//! Steps that are a base times powers of two: no queue, a list of elements for every tick of the base, or of half the base
//! where events lie in the middle of steps.

/// The elements that fire at each tick. Order within a tick is by rank, as in the queue, so the bits are the same.
#[derive(Debug, Clone)]
pub(super) struct Ticks {
    /// The time between two ticks.
    pub tick: f64,
    /// Ticks made.
    pub done: u64,
    /// `order[l]`: the elements that fire at odd multiples of `2^l` ticks.
    order: Vec<Vec<u32>>,
    /// What a tick beyond all lists fires: the last list, or none.
    last: usize,
}

impl Ticks {
    /// The schedule of these steps, if the smallest divides all others by a power of two. Elements fire at the ends of their
    /// steps, the faster ones together with the slower; in the middle, `(j - 1/2) dt`, each kind alone.
    pub fn new(step: &[f64], rank: &[u32], middle: bool) -> Option<Self> {
        let base = step.iter().copied().fold(f64::INFINITY, f64::min);
        let levels: Vec<u32> = step
            .iter()
            .map(|h| {
                let level = (h / base).log2().round();
                ((0.0..=40.0).contains(&level) && base * level.exp2() == *h).then_some(level as u32)
            })
            .collect::<Option<_>>()?;
        let most = *levels.iter().max()?;
        let fires = |k: u32, l: u32| if middle { levels[k as usize] == l } else { levels[k as usize] <= l };
        let mut ranked = vec![0; step.len()];
        rank.iter().zip(0..).for_each(|(place, k)| ranked[*place as usize] = k);
        let list = |l: u32| ranked.iter().copied().filter(|k| fires(*k, l)).collect();
        let mut order: Vec<Vec<u32>> = (0..=most).map(list).collect();
        if middle {
            order.push(Vec::new());
        }
        Some(Ticks { tick: if middle { 0.5 * base } else { base }, done: 0, last: order.len() - 1, order })
    }

    /// Puts the schedule where the clocks are: `events[k]` of each element behind.
    pub fn settle(&mut self, step: &[f64], events: &[u64], middle: bool) {
        let last = |(h, n): (&f64, &u64)| {
            let ticks = (h / self.tick).round() as u64;
            if middle { (ticks * n).saturating_sub(ticks / 2) } else { ticks * n }
        };
        self.done = step.iter().zip(events).map(last).max().unwrap_or(0);
    }

    /// Those that fire at a tick, from 1 on.
    #[inline]
    pub fn at(&self, tick: u64) -> &[u32] {
        &self.order[(tick.trailing_zeros() as usize).min(self.last)]
    }
}
