//! The coming events in slots of time, the slot at hand in order: a queue whose cost does not grow with its length.
//!
//! A heap of many events misses the cache at every level below the first few, one miss after the other. Here an event is
//! written once to the end of its slot, and the few of a slot are sorted when their time comes. What comes after
//! the event at hand is then known, and can be fetched ahead.

use super::super::{Event, Queue};

/// Events in a slot, on average.
const CROWD: f64 = 128.0;
/// Events in a chunk.
const CHUNK: usize = 16;
const NONE: u32 = u32::MAX;

/// The next event of every element of a tile.
#[derive(Debug, Clone, Default)]
pub(super) struct Agenda {
    start: f64,
    /// Slots in a unit of time.
    per_time: f64,
    /// The slot at hand; the first is 1.
    slot: u64,
    /// The events of the slots that come next, a power of two of them: slot `s` at `s % len`.
    slots: Vec<Slot>,
    chunks: Vec<Chunk>,
    free: u32,
    /// Events beyond these slots. None lies before the next slot that is a multiple of their number.
    later: Vec<Event>,
    /// Those of the slot at hand, sorted, with those done.
    batch: Vec<Event>,
    done: usize,
    /// Those that came to be in the slot while it was at hand.
    soon: Queue,
    /// Events not in `batch` or `soon`.
    waiting: usize,
}

/// The events of one slot: chunks, the last first; all but the last are full.
#[derive(Debug, Clone, Copy)]
struct Slot {
    last: u32,
    count: u32,
}

#[derive(Debug, Clone)]
struct Chunk {
    events: [Event; CHUNK],
    before: u32,
}

impl Agenda {
    /// The agenda of these events, of whose elements `rate` happen in a unit of time.
    pub fn new(events: impl ExactSizeIterator<Item = Event> + Clone, rate: f64) -> Self {
        let slots = 2 * events.len() / CROWD as usize + 1;
        let start = events.clone().map(|e| e.time).fold(f64::INFINITY, f64::min);
        let empty = Slot { last: NONE, count: 0 };
        let mut agenda = Agenda {
            start,
            per_time: rate / CROWD,
            slots: vec![empty; slots.next_power_of_two()],
            free: NONE,
            ..Agenda::default()
        };
        events.for_each(|e| agenda.add(e));
        agenda
    }

    /// Bytes it takes.
    pub fn memory(&self) -> usize {
        size_of::<Slot>() * self.slots.capacity()
            + size_of::<Chunk>() * self.chunks.capacity()
            + size_of::<Event>() * (self.later.capacity() + self.batch.capacity())
    }

    /// The slot of a time; later times have no lower ones.
    fn slot_of(&self, time: f64) -> u64 {
        (((time - self.start) * self.per_time) as u64).saturating_add(1)
    }

    /// The first event.
    #[inline]
    pub fn first(&mut self) -> Option<Event> {
        loop {
            match (self.batch.get(self.done), self.soon.first()) {
                (Some(event), None) => return Some(*event),
                (Some(event), Some(soon)) => return Some(if soon.before(event) { soon } else { *event }),
                (None, Some(soon)) => return Some(soon),
                (None, None) if self.waiting == 0 => return None,
                (None, None) => self.turn(),
            }
        }
    }

    /// The event that is `ahead` places behind the first, if it is known already, or nearly so.
    #[inline]
    pub fn ahead(&self, ahead: usize) -> Option<Event> {
        self.batch.get(self.done + ahead).copied()
    }

    /// Replaces the event that [`first`](Self::first) gave by the next one of its element.
    #[inline]
    pub fn replace_first(&mut self, next: Event) {
        let from_soon = match (self.batch.get(self.done), self.soon.first()) {
            (Some(event), Some(soon)) => soon.before(event),
            (_, soon) => soon.is_some(),
        };
        let now = self.slot_of(next.time) <= self.slot;
        match (from_soon, now) {
            (true, true) => self.soon.replace_first(next),
            (true, false) => {
                self.soon.remove_first();
                self.add(next);
            }
            (false, true) => {
                self.done += 1;
                self.soon.add(next);
            }
            (false, false) => {
                self.done += 1;
                self.add(next);
            }
        }
    }

    /// Adds an event that does not lie in the slot at hand.
    #[inline]
    fn add(&mut self, event: Event) {
        self.waiting += 1;
        let slot = self.slot_of(event.time);
        if slot - self.slot >= self.slots.len() as u64 {
            self.later.push(event);
        } else {
            self.put(slot, event);
        }
    }

    #[inline]
    fn put(&mut self, slot: u64, event: Event) {
        let mask = self.slots.len() - 1;
        let slot = &mut self.slots[slot as usize & mask];
        let place = slot.count as usize % CHUNK;
        if place == 0 {
            let before = std::mem::replace(&mut slot.last, self.free);
            if slot.last == NONE {
                slot.last = self.chunks.len() as u32;
                self.chunks.push(Chunk { events: [event; CHUNK], before: NONE });
            } else {
                self.free = self.chunks[slot.last as usize].before;
            }
            self.chunks[slot.last as usize].before = before;
        }
        self.chunks[slot.last as usize].events[place] = event;
        slot.count += 1;
    }

    /// Goes to the next slot.
    fn turn(&mut self) {
        let mask = self.slots.len() as u64 - 1;
        self.slot += 1;
        if self.slot & mask == 0 {
            let mut kept = 0;
            for i in 0..self.later.len() {
                let event = self.later[i];
                let slot = self.slot_of(event.time);
                if slot - self.slot > mask {
                    self.later[kept] = event;
                    kept += 1;
                } else {
                    self.put(slot, event);
                }
            }
            self.later.truncate(kept);
        }
        self.batch.clear();
        self.done = 0;
        let empty = Slot { last: NONE, count: 0 };
        let slot = std::mem::replace(&mut self.slots[(self.slot & mask) as usize], empty);
        let (mut chunk, mut count) = (slot.last, slot.count as usize);
        self.waiting -= count;
        while count > 0 {
            let own = (count - 1) % CHUNK + 1;
            let here = &mut self.chunks[chunk as usize];
            self.batch.extend_from_slice(&here.events[..own]);
            let before = std::mem::replace(&mut here.before, self.free);
            self.free = chunk;
            chunk = before;
            count -= own;
        }
        self.batch.sort_unstable_by_key(|e| e.key());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Steps over six decades, some of them equal: events of many slots at once, and many of one slot.
    fn event(j: u32, k: u32) -> Event {
        let step = 10f64.powf(-6.0 * f64::from(k / 2 * 7919 % 1000) / 1000.0);
        Event { time: f64::from(j) * step - 0.1, rank: 999 - k, element: k }
    }

    #[test]
    fn events_come_in_the_order_of_one_queue() {
        let mut made = [1_u32; 1000];
        let first = (0..1000).map(|k| event(1, k));
        let rate = first.clone().map(|e| 1.0 / (e.time + 0.1)).sum();
        let (mut queue, mut agenda) = (Queue::new(first.clone()), Agenda::new(first, rate));
        for _ in 0..300_000 {
            let event_at_hand = queue.first().unwrap();
            assert_eq!(agenda.first(), Some(event_at_hand));
            let k = event_at_hand.element;
            made[k as usize] += 1;
            queue.replace_first(event(made[k as usize], k));
            agenda.replace_first(event(made[k as usize], k));
        }
        assert!(made.iter().max() > Some(&1000) && made.contains(&1), "{made:?}");
    }

    #[test]
    fn an_agenda_of_nothing_has_no_event() {
        assert_eq!(
            Agenda::new(std::iter::empty::<Event>().collect::<Vec<_>>().into_iter(), 0.0).first(),
            None
        );
    }
}
