//! The order of events: a priority queue (heap) of the next event of every element.

/// The next event of an element. Earlier events come first, simultaneous events by rank; this order is the same for every scheduler.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// Time.
    pub time: f64,
    /// The order of the element among those that fire at the same time.
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

    /// An integer that is ordered as the events are.
    #[inline(always)]
    pub(super) fn key(&self) -> u128 {
        // Bits of positive floating-point numbers are ordered as the numbers, those of negative ones in reverse. Adding 0.0
        // removes the sign of a negative zero.
        let bits = (self.time + 0.0).to_bits();
        let ordered = bits ^ (((bits as i64 >> 63) as u64) | 1 << 63);
        (u128::from(ordered) << 32) | u128::from(self.rank)
    }
}

/// A priority queue: a heap with four children at every node, which is shallower than a binary heap, and whose siblings share a cache line.
#[derive(Debug, Clone, Default)]
pub struct Queue {
    heap: Vec<Event>,
}

const CHILDREN: usize = 4;

impl Queue {
    /// A queue of these events.
    pub fn new(events: impl IntoIterator<Item = Event>) -> Self {
        let mut queue = Queue { heap: events.into_iter().collect() };
        for at in (0..queue.heap.len()).rev() {
            queue.sink(at);
        }
        queue
    }

    /// Memory in bytes.
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

    /// Removes the earliest event.
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
    fn priority_queue_returns_events_by_time_and_simultaneous_ones_by_rank() {
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
