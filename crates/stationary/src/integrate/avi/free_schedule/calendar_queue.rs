//! A calendar queue: future events in slots of time, of which only the current slot is sorted. Its cost does not grow with its length.
//!
//! A heap of many events misses the cache at every level below the first few. Here an event is written once to the end of its slot, and
//! the few events of a slot are sorted when their time comes. The events after the current one are then known, and their data can be
//! prefetched.

use super::super::{Event, Queue};

/// Mean number of events in a slot.
const EVENTS_PER_SLOT: f64 = 128.0;
/// Number of events in a chunk.
const CHUNK: usize = 16;
/// Number of parts of a slot by which its events are sorted before they are compared.
const PARTS: usize = 256;
/// Most events of a part that are sorted one by one: more of them are simultaneous.
const CROWD: u16 = 16;
/// Number of events below which they are compared at once, and above which counts would overflow.
const COUNTED: std::ops::Range<usize> = 16..16_384;
/// Marks the end of a list of chunks.
const NONE: u32 = u32::MAX;

/// The next event of every element of a subdomain.
#[derive(Debug, Clone, Default)]
pub(super) struct CalendarQueue {
    start: f64,
    /// Number of slots in a unit of time.
    per_time: f64,
    /// The current slot; the first is 1.
    slot: u64,
    /// The next slots; their number is a power of two, and slot `s` is at `s % len`.
    slots: Vec<Slot>,
    chunks: Vec<Chunk>,
    /// The first unused chunk.
    free: u32,
    /// Events after these slots. None lies before the next slot whose number is a multiple of `slots.len()`.
    later: Vec<Event>,
    /// The events of the current slot, sorted.
    batch: Vec<Event>,
    /// Scratch space of the sort.
    sorted: Vec<Event>,
    /// How many events of `batch` are done.
    done: usize,
    /// Events that were added to the current slot.
    soon: Queue,
    /// Number of events outside of `batch` and `soon`.
    waiting: usize,
}

/// The events of one slot: a list of chunks, the last one first; all but the last are full.
#[derive(Debug, Clone, Copy)]
struct Slot {
    last: u32,
    count: u32,
}

/// Some events of one slot.
#[derive(Debug, Clone)]
struct Chunk {
    events: [Event; CHUNK],
    before: u32,
}

impl CalendarQueue {
    /// A queue of these events, where `rate` events take place in a unit of time.
    pub fn new(events: impl ExactSizeIterator<Item = Event> + Clone, rate: f64) -> Self {
        let slots = 2 * events.len() / EVENTS_PER_SLOT as usize + 1;
        let start = events.clone().map(|e| e.time).fold(f64::INFINITY, f64::min);
        let empty = Slot { last: NONE, count: 0 };
        let mut calendar = CalendarQueue {
            start,
            per_time: rate / EVENTS_PER_SLOT,
            slots: vec![empty; slots.next_power_of_two()],
            free: NONE,
            ..CalendarQueue::default()
        };
        events.for_each(|e| calendar.insert(e));
        calendar
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Slot>() * self.slots.capacity()
            + size_of::<Chunk>() * self.chunks.capacity()
            + size_of::<Event>() * (self.later.capacity() + self.batch.capacity() + self.sorted.capacity())
    }

    /// The slot of a time, which does not decrease with time.
    fn slot_of(&self, time: f64) -> u64 {
        (((time - self.start) * self.per_time) as u64).saturating_add(1)
    }

    /// The earliest event. `soon` is called with the element of every event of a slot that begins.
    #[inline]
    pub fn first(&mut self, soon: impl Fn(u32)) -> Option<Event> {
        loop {
            match (self.batch.get(self.done), self.soon.first()) {
                (Some(event), None) => return Some(*event),
                (Some(event), Some(added)) => return Some(if added.before(event) { added } else { *event }),
                (None, Some(added)) => return Some(added),
                (None, None) if self.waiting == 0 => return None,
                (None, None) => self.turn(&soon),
            }
        }
    }

    /// The event `ahead` places after the first one, if it is in the current slot; added events are not counted.
    #[inline]
    pub fn ahead(&self, ahead: usize) -> Option<Event> {
        self.batch.get(self.done + ahead).copied()
    }

    /// The next events in order, as far as they are in the current slot; none if events were added to it.
    #[inline]
    pub fn next_events(&self) -> &[Event] {
        if self.soon.first().is_some() { &[] } else { &self.batch[self.done..] }
    }

    /// Replaces the first ones of [`next_events`](Self::next_events) by the next ones of their elements.
    #[inline]
    pub fn replace_next(&mut self, next: &[Event]) {
        self.done += next.len();
        for event in next {
            self.insert(*event);
        }
    }

    /// Replaces the event that [`first`](Self::first) returned by the next one of its element.
    #[inline]
    pub fn replace_first(&mut self, next: Event) {
        let from_soon = match (self.batch.get(self.done), self.soon.first()) {
            (Some(event), Some(soon)) => soon.before(event),
            (_, soon) => soon.is_some(),
        };
        let now = self.slot_of(next.time) <= self.slot;
        if from_soon && now {
            self.soon.replace_first(next);
            return;
        }
        if from_soon {
            self.soon.remove_first();
        } else {
            self.done += 1;
        }
        self.insert(next);
    }

    /// Adds an event.
    #[inline]
    fn insert(&mut self, event: Event) {
        let slot = self.slot_of(event.time);
        if slot <= self.slot {
            self.soon.add(event);
            return;
        }
        self.waiting += 1;
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

    /// Advances to the next slot.
    fn turn(&mut self, soon: &impl Fn(u32)) {
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
        let mut chunk = slot.last;
        let mut count = slot.count as usize;
        self.waiting -= count;
        while count > 0 {
            let own = (count - 1) % CHUNK + 1;
            let here = &mut self.chunks[chunk as usize];
            here.events[..own].iter().for_each(|event| soon(event.element));
            self.batch.extend_from_slice(&here.events[..own]);
            let before = std::mem::replace(&mut here.before, self.free);
            self.free = chunk;
            chunk = before;
            count -= own;
        }
        self.sort();
    }

    /// Sorts the events of the current slot: by parts of the slot, and then by insertion, which moves few events.
    fn sort(&mut self) {
        let events = &mut self.batch;
        if COUNTED.contains(&events.len()) {
            let begin = self.start + (self.slot - 1) as f64 / self.per_time;
            let scale = self.per_time * PARTS as f64;
            // Does not decrease with time.
            let part = |event: &Event| (((event.time - begin) * scale) as usize).min(PARTS - 1);
            let mut counts = [0_u16; PARTS];
            events.iter().for_each(|event| counts[part(event)] += 1);
            if counts.iter().any(|count| *count > CROWD) {
                events.sort_unstable_by_key(|event| event.key());
                return;
            }
            let mut before = 0;
            for count in &mut counts {
                before += std::mem::replace(count, before);
            }
            self.sorted.clear();
            self.sorted.extend_from_slice(events);
            for event in &self.sorted {
                let place = &mut counts[part(event)];
                events[usize::from(*place)] = *event;
                *place += 1;
            }
        } else if events.len() >= COUNTED.end {
            events.sort_unstable_by_key(|event| event.key());
            return;
        }
        for i in 1..events.len() {
            let event = events[i];
            let mut at = i;
            while at > 0 && event.before(&events[at - 1]) {
                events[at] = events[at - 1];
                at -= 1;
            }
            events[at] = event;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Time steps over six decades, some of them equal: events that skip many slots, and many events in one slot.
    fn event(j: u32, k: u32) -> Event {
        let step = 10f64.powf(-6.0 * f64::from(k / 2 * 7919 % 1000) / 1000.0);
        Event { time: f64::from(j) * step - 0.1, rank: 999 - k, element: k }
    }

    #[test]
    fn calendar_queue_returns_events_in_the_order_of_the_priority_queue() {
        let mut made = [1_u32; 1000];
        let first = (0..1000).map(|k| event(1, k));
        let rate = first.clone().map(|e| 1.0 / (e.time + 0.1)).sum();
        let (mut queue, mut calendar) = (Queue::new(first.clone()), CalendarQueue::new(first, rate));
        for _ in 0..300_000 {
            let event_at_hand = queue.first().unwrap();
            assert_eq!(calendar.first(|_| ()), Some(event_at_hand));
            let k = event_at_hand.element;
            made[k as usize] += 1;
            queue.replace_first(event(made[k as usize], k));
            calendar.replace_first(event(made[k as usize], k));
        }
        assert!(made.iter().max() > Some(&1000) && made.contains(&1), "{made:?}");
    }

    #[test]
    fn empty_calendar_queue_has_no_event() {
        assert_eq!(
            CalendarQueue::new(std::iter::empty::<Event>().collect::<Vec<_>>().into_iter(), 0.0)
                .first(|_| ()),
            None
        );
    }
}
