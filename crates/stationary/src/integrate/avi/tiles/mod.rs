//! Free steps: tiles of elements, each with an agenda of its own, on several threads.
//!
//! Events of two elements must keep their order only if the elements share a node. A tile makes its own events in order. One
//! at its border waits until the elements of other tiles that share a node with it have no earlier event left: what they have
//! made is known from their counts, and when they fire from their steps. The first of all events can always be made, so somebody
//! always moves on, and every node sees its events in the order of one queue: the bits do not depend on the tiles, nor on
//! the threads.
//!
//! A tile gets ahead of those beside it by a small part of a step only, whatever its size: an element of a solid has
//! dozens of neighbours. So there is no gain in tiles that fit a cache, and without a wish there is one for each thread. What hides
//! the latency of memory is the order known in advance ([`Agenda`]).

mod agenda;
mod cut;
mod stage;

use super::guarded::Moment;
use super::{Avi, AviError, Event};
use crate::model::Potentials;
use agenda::Agenda;
use cut::{Cut, INSIDE};
use stage::{Hands, Node, Pace, Stage};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Events ahead of which an element and its nodes are asked for.
const FAR: usize = 12;
const NEAR: usize = 6;
/// Events after which a tile tells how far it is.
const NEWS: u32 = 32;
/// Fruitless looks at other tiles before the processor is offered to others.
const PATIENCE: u32 = 200;

/// The schedule of free steps.
#[derive(Debug, Clone, Default)]
pub(super) struct Tiles {
    /// Nothing until it is needed, and after something else has moved the clocks.
    work: Option<Work>,
}

#[derive(Debug, Clone)]
struct Work {
    threads: usize,
    cut: Cut,
    tiles: Vec<Tile>,
    nodes: Vec<Node>,
    paces: Vec<Pace>,
}

/// A tile on its way.
#[derive(Debug, Clone)]
struct Tile {
    number: usize,
    agenda: Agenda,
    /// No event of the tiles beside lies before this time.
    horizon: f64,
}

/// Where a tile stands, for others.
#[derive(Debug)]
#[repr(align(64))]
struct Flag {
    /// The bits of a time before which it has made all events.
    reached: AtomicU64,
    /// It makes no more events.
    stopped: AtomicBool,
}

/// Why a tile stopped.
enum Halt {
    /// All events have been made.
    Reached,
    /// An element of this tile comes first.
    Held(usize),
    /// An element could not be evaluated.
    Fault(Event, AviError),
}

impl Tiles {
    /// The clocks or the wishes have changed.
    pub fn forget(&mut self) {
        self.work = None;
    }

    /// Bytes it takes.
    pub fn memory(&self) -> usize {
        self.work.as_ref().map_or(0, |work| {
            work.cut.memory()
                + work.tiles.iter().map(|t| t.agenda.memory()).sum::<usize>()
                + size_of::<Node>() * work.nodes.capacity()
                + size_of::<Pace>() * work.paces.capacity()
        })
    }
}

impl<P: Potentials> Avi<P> {
    /// Makes all events up to a time.
    pub(super) fn run_tiles(&mut self, tiles: &mut Tiles, until: f64) -> Result<(), AviError> {
        let work = match &mut tiles.work {
            Some(work) => {
                self.load_nodes(work);
                work
            }
            none => none.insert(self.work()),
        };
        let clocks = (self.clocks.start, self.clocks.early, &*self.clocks.rank);
        let masses = (&*self.mass, &*self.inverse);
        let ledger = self.accounts.ledger();
        let stage = Stage::new(&self.potentials, clocks, masses, ledger, &mut work.nodes, &mut work.paces);
        let widest = self.kick.len() / 3;
        let fault = run(&mut work.tiles, &work.cut, &stage, (until, work.threads, widest));
        self.store(work);
        match fault {
            None => Ok(()),
            Some((event, error)) => {
                // As in one queue, where an event is counted before it fails.
                self.clocks.events[event.element as usize] += 1;
                tiles.work = None;
                Err(error)
            }
        }
    }

    /// Tiles, agendas, and the state in the form in which tiles work on it.
    fn work(&self) -> Work {
        let clocks = &self.clocks;
        let (count, threads) = (clocks.step.len(), self.threads.max(1));
        let tile = self.tile.unwrap_or(usize::MAX).max(1);
        let cut = Cut::new(&self.potentials, &self.x, &clocks.step, threads.max(count.div_ceil(tile)));
        let paces = (0..count).map(|k| Pace {
            step: clocks.step[k],
            events: clocks.events[k],
            border: cut.border[k],
            guarded: self.guarded[k],
        });
        let (paces, mut tiles) = (paces.collect(), Vec::new());
        for (number, own) in cut.tiles.iter().enumerate() {
            let rate = own.iter().map(|k| 1.0 / clocks.step[*k as usize]).sum();
            let agenda = Agenda::new(own.iter().map(|k| clocks.next(*k as usize)), rate);
            tiles.push(Tile { number, agenda, horizon: f64::NEG_INFINITY });
        }
        let nothing = Node { x: [0.0; 3], v: [0.0; 3], clock: 0.0, inverse: 0.0 };
        let mut work = Work { threads, cut, tiles, nodes: vec![nothing; self.mass.len()], paces };
        self.load_nodes(&mut work);
        work
    }

    fn load_nodes(&self, work: &mut Work) {
        for (a, node) in work.nodes.iter_mut().enumerate() {
            node.x.copy_from_slice(&self.x[3 * a..3 * a + 3]);
            node.v.copy_from_slice(&self.v[3 * a..3 * a + 3]);
            (node.clock, node.inverse) = (self.clock[a], self.inverse[3 * a]);
        }
    }

    fn store(&mut self, work: &Work) {
        for (a, node) in work.nodes.iter().enumerate() {
            self.x[3 * a..3 * a + 3].copy_from_slice(&node.x);
            self.v[3 * a..3 * a + 3].copy_from_slice(&node.v);
            self.clock[a] = node.clock;
        }
        for (events, pace) in self.clocks.events.iter_mut().zip(&work.paces) {
            *events = pace.events;
        }
    }
}

/// Lets all tiles make their events up to a time, on so many threads. Returns the first fault in the order of events.
///
/// After a fault the tile stops, and so do others once they wait for one that has stopped. All events before the fault are
/// made; which of those after it is settled by the tiles, not by the pace of threads.
fn run<P: Potentials>(
    tiles: &mut [Tile],
    cut: &Cut,
    stage: &Stage<'_, P>,
    (until, threads, widest): (f64, usize, usize),
) -> Option<(Event, AviError)> {
    let flag =
        |_: &Tile| Flag { reached: AtomicU64::new(f64::NEG_INFINITY.to_bits()), stopped: false.into() };
    let flags: Vec<Flag> = tiles.iter().map(flag).collect();
    tiles.iter_mut().for_each(|tile| tile.horizon = f64::NEG_INFINITY);
    let crew = Crew { cut, stage, flags: &flags, until };
    let each = tiles.len().div_ceil(threads.max(1)).max(1);
    let mut shares = tiles.chunks_mut(each);
    let mine = shares.next()?;
    std::thread::scope(|scope| {
        let crew = &crew;
        let others: Vec<_> =
            shares.map(|share| scope.spawn(move || crew.work(share, Hands::new(widest)))).collect();
        let mut first = crew.work(mine, Hands::new(widest));
        for other in others {
            let fault = other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            first = earlier(first, fault);
        }
        first
    })
}

fn earlier(a: Option<(Event, AviError)>, b: Option<(Event, AviError)>) -> Option<(Event, AviError)> {
    match (&a, &b) {
        (Some(first), Some(other)) if other.0.before(&first.0) => b,
        (None, _) => b,
        _ => a,
    }
}

/// What threads share.
struct Crew<'a, P> {
    cut: &'a Cut,
    stage: &'a Stage<'a, P>,
    flags: &'a [Flag],
    until: f64,
}

/// Tells those who would wait that tiles make no more events, also when their thread panics.
struct Stop<'a>(&'a [Flag]);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.iter().for_each(|flag| flag.stopped.store(true, Ordering::Release));
    }
}

impl<P: Potentials> Crew<'_, P> {
    /// Takes the tiles of one thread to the end.
    fn work(&self, tiles: &mut [Tile], mut hands: Hands) -> Option<(Event, AviError)> {
        let numbers = tiles.first()?.number..tiles.last()?.number + 1;
        let _stop = Stop(&self.flags[numbers]);
        let (mut first, mut idle) = (None, 0);
        let mut open: Vec<&mut Tile> = tiles.iter_mut().collect();
        while !open.is_empty() {
            let mut moved = false;
            open.retain_mut(|tile| {
                // Read before a second look: one that has stopped and still holds it does so for good.
                let stopped = |by: usize| self.flags[by].stopped.load(Ordering::Acquire);
                let (made, halt) = tile.go(self, &mut hands);
                moved |= made > 0;
                match halt {
                    Halt::Held(by) if !(stopped(by) && tile.held_by(self) == Some(by)) => {
                        return true;
                    }
                    Halt::Fault(event, error) => first = earlier(first.take(), Some((event, error))),
                    Halt::Held(_) | Halt::Reached => {}
                }
                self.flags[tile.number].stopped.store(true, Ordering::Release);
                moved = true;
                false
            });
            idle = if moved { 0 } else { idle + 1 };
            if idle > PATIENCE {
                std::thread::yield_now();
            } else if idle > 0 {
                std::hint::spin_loop();
            }
        }
        first
    }
}

impl Tile {
    /// Makes events as far as possible; returns how many, and why no more.
    fn go<P: Potentials>(&mut self, crew: &Crew<'_, P>, hands: &mut Hands) -> (u32, Halt) {
        let (stage, flag) = (crew.stage, &crew.flags[self.number]);
        let mut made = 0;
        loop {
            // An end that is no number ends nothing.
            let Some(event) = self.agenda.first().filter(|e| e.time <= crew.until) else {
                flag.reached.store(f64::INFINITY.to_bits(), Ordering::Release);
                return (made, Halt::Reached);
            };
            let k = event.element as usize;
            let (step, events, border, guarded) = stage.pace(k);
            if border != INSIDE
                && !(event.time < self.horizon)
                && let Some(by) = self.held(event, border, crew)
            {
                flag.reached.store(event.time.to_bits(), Ordering::Release);
                return (made, Halt::Held(by));
            }
            if let Some(ahead) = self.agenda.ahead(FAR) {
                stage.fetch_element(ahead.element);
            }
            if let Some(ahead) = self.agenda.ahead(NEAR) {
                stage.fetch_nodes(ahead.element);
            }
            let count = events.load(Ordering::Relaxed);
            let moment = Moment { element: k, time: event.time, weight: step, first: false };
            // SAFETY: inside the tile its nodes are this thread's; at the border those who share them come later, and wait.
            if let Err(error) = unsafe { stage.make(moment, guarded, hands) } {
                return (made, Halt::Fault(event, error));
            }
            events.store(count + 1, Ordering::Release);
            self.agenda.replace_first(Event { time: stage.time(count + 1, step), ..event });
            made += 1;
            if made % NEWS == 0 {
                // All before this event is made; others may have come to be before the next one in the batch.
                flag.reached.store(event.time.to_bits(), Ordering::Release);
            }
        }
    }

    /// The tile of an element that must fire before an event at the border, if there is one.
    fn held<P: Potentials>(&mut self, event: Event, border: u32, crew: &Crew<'_, P>) -> Option<usize> {
        let (cut, b) = (crew.cut, border as usize);
        let reached = |tile: &u32| f64::from_bits(crew.flags[*tile as usize].reached.load(Ordering::Acquire));
        self.horizon = cut.beside[self.number].iter().map(reached).fold(f64::INFINITY, f64::min);
        if event.time < self.horizon {
            return None;
        }
        let across = &cut.across[cut.start[b] as usize..cut.start[b + 1] as usize];
        let earlier = across.iter().find(|other| !crew.stage.before(&event, **other))?;
        Some(cut.home[*earlier as usize] as usize)
    }

    /// The same for the event at hand.
    fn held_by<P: Potentials>(&mut self, crew: &Crew<'_, P>) -> Option<usize> {
        let event = self.agenda.first()?;
        let border = crew.cut.border[event.element as usize];
        if border == INSIDE { None } else { self.held(event, border, crew) }
    }
}
