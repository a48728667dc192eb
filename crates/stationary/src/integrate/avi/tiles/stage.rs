//! What all tiles work on at once, and how one event is made there.

use super::super::accounts::Ledger;
use super::super::guarded::{Moment, Room, Site};
use super::super::{AviError, Event};
use crate::model::{Potentials, fetch};
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// All that an event needs of a node, in one line of the cache.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Node {
    pub x: [f64; 3],
    pub v: [f64; 3],
    pub clock: f64,
    /// One over its mass; of no meaning where a component is held.
    pub inverse: f64,
}

/// All that an event needs of an element's clock.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(32))]
pub(super) struct Pace {
    pub step: f64,
    /// Events made. Read by other tiles: they must see what the last of them wrote.
    pub events: u64,
    /// The element's number in the border, or [`INSIDE`](super::cut::INSIDE).
    pub border: u32,
    pub guarded: bool,
}

/// What all tiles work on.
///
/// A tile makes an event only when no event of another tile that shares a node with it comes before ([`Tile::held`](super::Tile::held)), so
/// a node is never in two hands, and who takes it sees what the last one wrote: counts of events are written after the nodes
/// (release) and read before them (acquire).
pub(super) struct Stage<'a, P> {
    pub potentials: &'a P,
    pub start: f64,
    pub early: f64,
    pub rank: &'a [u32],
    pub mass: &'a [f64],
    pub inverse: &'a [f64],
    pub ledger: Ledger<'a>,
    count: [usize; 2],
    nodes: *mut Node,
    paces: *mut Pace,
    lent: PhantomData<&'a mut Node>,
}

// SAFETY: as said above; everything else is read only.
unsafe impl<P: Sync> Sync for Stage<'_, P> {}

/// Room of one thread.
#[derive(Default)]
pub(super) struct Hands {
    own: Vec<f64>,
    kick: Vec<f64>,
    dead: Vec<f64>,
    following: Vec<f64>,
    /// Numbers for all nodes, of which only those of the element at hand are up to date: for what does not know elements alone.
    shadow: Option<Shadow>,
}

struct Shadow {
    x: Vec<f64>,
    v: Vec<f64>,
    clock: Vec<f64>,
}

impl Hands {
    /// For elements of at most so many nodes.
    pub fn new(widest: usize) -> Self {
        let room = || vec![0.0; 3 * widest];
        Hands { own: room(), kick: room(), dead: room(), following: room(), shadow: None }
    }
}

impl<'a, P: Potentials> Stage<'a, P> {
    /// On these nodes and clocks; books in the ledger.
    pub fn new(
        potentials: &'a P,
        (start, early, rank): (f64, f64, &'a [u32]),
        (mass, inverse): (&'a [f64], &'a [f64]),
        ledger: Ledger<'a>,
        nodes: &'a mut [Node],
        paces: &'a mut [Pace],
    ) -> Self {
        let count = [nodes.len(), paces.len()];
        let (nodes, paces) = (nodes.as_mut_ptr(), paces.as_mut_ptr());
        Stage {
            potentials,
            start,
            early,
            rank,
            mass,
            inverse,
            ledger,
            count,
            nodes,
            paces,
            lent: PhantomData,
        }
    }

    fn node(&self, a: u32) -> *mut Node {
        assert!((a as usize) < self.count[0], "a node of the mesh");
        // SAFETY: there are so many.
        unsafe { self.nodes.add(a as usize) }
    }

    /// An element's clock, of which nothing but the count ever changes.
    #[inline]
    pub fn pace(&self, k: usize) -> (f64, &AtomicU64, u32, bool) {
        assert!(k < self.count[1], "an element of the mesh");
        // SAFETY: there are so many; the count is only touched through atomics while the stage lives.
        unsafe {
            let pace = self.paces.add(k);
            ((*pace).step, AtomicU64::from_ptr(&raw mut (*pace).events), (*pace).border, (*pace).guarded)
        }
    }

    /// The next event of an element that has made so many, since the start.
    #[inline]
    pub fn time(&self, events: u64, step: f64) -> f64 {
        ((events + 1) as f64 - self.early) * step
    }

    /// Whether an event comes before the next one of another tile's element; if so, all that that element did before is seen.
    #[inline]
    pub fn before(&self, event: &Event, other: u32) -> bool {
        let (step, events, ..) = self.pace(other as usize);
        let time = self.time(events.load(Ordering::Acquire), step);
        event.time < time || (event.time == time && event.rank < self.rank[other as usize])
    }

    /// Asks for what an event some way ahead will need first.
    #[inline]
    pub fn fetch_element(&self, k: u32) {
        self.potentials.fetch(k as usize);
        fetch(self.paces.wrapping_add(k as usize));
    }

    /// Asks for the nodes of an event that comes soon.
    #[inline]
    pub fn fetch_nodes(&self, k: u32) {
        for a in self.potentials.nodes(k as usize) {
            fetch(self.nodes.wrapping_add(*a as usize));
        }
    }

    /// Takes the nodes of an element to a time and kicks them.
    ///
    /// # Safety
    /// Nobody else has the element's nodes in hand.
    #[inline]
    pub unsafe fn make(&self, event: Moment, guarded: bool, hands: &mut Hands) -> Result<(), AviError> {
        let Moment { element: k, time, weight, .. } = event;
        if guarded {
            // SAFETY: the caller's.
            return unsafe { self.make_guarded(event, hands) };
        }
        let nodes = self.potentials.nodes(k);
        let own = &mut hands.own[..3 * nodes.len()];
        for (&a, own) in nodes.iter().zip(own.chunks_exact_mut(3)) {
            // SAFETY: the caller's.
            let node = unsafe { &mut *self.node(a) };
            let ahead = time - node.clock;
            for i in 0..3 {
                node.x[i] += ahead * node.v[i];
            }
            own.copy_from_slice(&node.x);
            node.clock = time;
        }
        let kick = &mut hands.kick[..3 * nodes.len()];
        let known = self.potentials.gradient_own(k, self.start + time, own, kick);
        let result = known.unwrap_or_else(|| {
            let shadow = hands.shadow.get_or_insert_with(|| Shadow::new(self.count[0]));
            for (&a, own) in nodes.iter().zip(own.chunks_exact(3)) {
                shadow.x[3 * a as usize..][..3].copy_from_slice(own);
            }
            self.potentials.gradient(k, self.start + time, &shadow.x, kick)
        });
        result.map_err(|fault| AviError { time: self.start + time, fault })?;
        for (&a, kick) in nodes.iter().zip(kick.chunks_exact(3)) {
            // SAFETY: the caller's.
            let node = unsafe { &mut *self.node(a) };
            for i in 0..3 {
                node.v[i] -= weight * node.inverse * kick[i];
            }
        }
        let bearing = &self.ledger.bearing;
        if bearing.any() {
            for &a in nodes {
                // SAFETY: the caller's: who has a node in hand has its force.
                unsafe {
                    if bearing.borne(k, a).is_some() {
                        let node = &mut *self.node(a);
                        bearing.kick(a, weight, [node.inverse; 3], node.x, &mut node.v);
                    }
                }
            }
        }
        Ok(())
    }

    /// The same with loads and supports.
    unsafe fn make_guarded(&self, event: Moment, hands: &mut Hands) -> Result<(), AviError> {
        let Hands { kick, dead, following, shadow, .. } = hands;
        let shadow = shadow.get_or_insert_with(|| Shadow::new(self.count[0]));
        let nodes = self.potentials.nodes(event.element);
        for &a in nodes {
            // SAFETY: the caller's.
            let node = unsafe { &*self.node(a) };
            shadow.x[3 * a as usize..][..3].copy_from_slice(&node.x);
            shadow.v[3 * a as usize..][..3].copy_from_slice(&node.v);
            shadow.clock[a as usize] = node.clock;
        }
        let mut site = Site {
            start: self.start,
            potentials: self.potentials,
            x: &mut shadow.x,
            v: &mut shadow.v,
            clock: &mut shadow.clock,
            mass: self.mass,
            inverse: self.inverse,
            ledger: self.ledger,
            room: Room { kick, dead, following },
        };
        // SAFETY: the caller's: who has a node in hand has its account.
        let result = unsafe {
            site.carry(event.element, event.time);
            site.strike(event, true)
        };
        for &a in nodes {
            // SAFETY: the caller's.
            let node = unsafe { &mut *self.node(a) };
            node.x.copy_from_slice(&shadow.x[3 * a as usize..][..3]);
            node.v.copy_from_slice(&shadow.v[3 * a as usize..][..3]);
            node.clock = shadow.clock[a as usize];
        }
        result.map(drop)
    }
}

impl Shadow {
    fn new(nodes: usize) -> Self {
        Shadow { x: vec![0.0; 3 * nodes], v: vec![0.0; 3 * nodes], clock: vec![0.0; nodes] }
    }
}
