//! The order of events: a heap of the next event of every element.

/// When an element fires next. Earlier events come first, at one time those of lower rank: the same for every scheduler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// Time.
    pub time: f64,
    /// Place of the element among those that fire at one time.
    pub rank: u32,
    /// The element.
    pub element: u32,
}

impl Event {
    /// Whether this event comes before another.
    #[inline(always)]
    pub fn before(&self, other: &Event) -> bool {
        self.time < other.time || (self.time == other.time && self.rank < other.rank)
    }

    /// A number whose order is that of events.
    #[inline(always)]
    pub(super) fn key(&self) -> u128 {
        // Numbers without a sign are ordered as their bits, those with one the other way round. No zero has a sign.
        let bits = (self.time + 0.0).to_bits();
        let ordered = bits ^ (((bits as i64 >> 63) as u64) | 1 << 63);
        (u128::from(ordered) << 32) | u128::from(self.rank)
    }
}

/// A heap in which every node has four children: shallower than a binary one, and siblings share a cache line.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    heap: Vec<Event>,
}

const CHILDREN: usize = 4;

impl Queue {
    /// The queue of these events.
    pub fn new(events: impl IntoIterator<Item = Event>) -> Self {
        let mut queue = Queue { heap: events.into_iter().collect() };
        for at in (0..queue.heap.len()).rev() {
            queue.sink(at);
        }
        queue
    }

    /// Bytes it takes.
    pub fn memory(&self) -> usize {
        size_of::<Event>() * self.heap.capacity()
    }

    /// The earliest event.
    pub fn first(&self) -> Option<Event> {
        self.heap.first().copied()
    }

    /// Replaces the earliest event by the next one of its element.
    #[inline]
    pub fn replace_first(&mut self, event: Event) {
        self.heap[0] = event;
        self.sink(0);
    }

    /// Takes the earliest event away.
    pub(super) fn remove_first(&mut self) {
        let last = self.heap.pop();
        if let (Some(last), Some(first)) = (last, self.heap.first_mut()) {
            *first = last;
            self.sink(0);
        }
    }

    /// Adds an event.
    pub(super) fn add(&mut self, event: Event) {
        let mut at = self.heap.len();
        self.heap.push(event);
        while at > 0 && event.before(&self.heap[(at - 1) / CHILDREN]) {
            self.heap[at] = self.heap[(at - 1) / CHILDREN];
            at = (at - 1) / CHILDREN;
        }
        self.heap[at] = event;
    }

    #[inline]
    fn sink(&mut self, mut at: usize) {
        let event = self.heap[at];
        loop {
            let children = CHILDREN * at + 1;
            let Some(mut least) = (children < self.heap.len()).then_some(children) else { break };
            for child in children + 1..(children + CHILDREN).min(self.heap.len()) {
                if self.heap[child].before(&self.heap[least]) {
                    least = child;
                }
            }
            if !self.heap[least].before(&event) {
                break;
            }
            self.heap[at] = self.heap[least];
            at = least;
        }
        self.heap[at] = event;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_with_ties_by_rank() {
        let step = |k: u32| 0.1 + 0.03 * f64::from(k % 7);
        let nth = |j: u32, k: u32| Event { time: f64::from(j) * step(k), rank: 49 - k, element: k };
        let mut count = [1_u32; 50];
        let mut queue = Queue::new((0..50).rev().map(|k| nth(1, k)));
        let mut last = nth(0, 0);
        for _ in 0..5000 {
            let first = queue.first().unwrap();
            assert!(last.before(&first), "{last:?} {first:?}");
            let k = first.element;
            count[k as usize] += 1;
            queue.replace_first(nth(count[k as usize], k));
            last = first;
        }
        assert!(count.iter().all(|c| *c > 50));
    }
}
