//! What comes from outside: impulses and moments of loads and supports, and their work [AVI03 3.5 (52)-(57)].

use super::bearers::{Bearers, Bearing};
use crate::linalg::cross;
use crate::model::Supports;
use std::collections::BTreeMap;
use std::marker::PhantomData;

/// A sum that does not lose small terms: millions of impulses are to balance to rounding.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Sum {
    value: f64,
    lost: f64,
}

impl Sum {
    /// What rounding takes from the sum is known exactly (Knuth), whichever term is larger.
    #[inline]
    pub fn add(&mut self, x: f64) {
        let sum = self.value + x;
        let added = sum - self.value;
        self.lost += (self.value - (sum - added)) + (x - added);
        self.value = sum;
    }

    pub fn get(&self) -> f64 {
        self.value + self.lost
    }

    /// Times a number.
    pub fn times(&self, factor: f64) -> Sum {
        Sum { value: factor * self.value, lost: factor * self.lost }
    }

    /// Less another.
    pub fn less(mut self, other: &Sum) -> Sum {
        self.join(&other.times(-1.0));
        self
    }

    fn join(&mut self, other: &Sum) {
        self.add(other.value);
        self.add(other.lost);
    }
}

/// What one node has got from outside so far.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Account {
    load: [Sum; 3],
    load_moment: [Sum; 3],
    reaction: [Sum; 3],
    reaction_moment: [Sum; 3],
    /// Of supports on the node, and of the changing loads and pressures of elements whose first node it is.
    work: Sum,
}

impl Account {
    /// A load's impulse on the node at `x`.
    pub fn load(&mut self, x: &[f64], impulse: &[f64; 3]) {
        add(&mut self.load, impulse);
        add(&mut self.load_moment, &cross(x, impulse));
    }

    /// A support's impulse on one component, and its moment.
    pub fn reaction(&mut self, direction: usize, impulse: f64, moment: &[f64; 3]) {
        self.reaction[direction].add(impulse);
        add(&mut self.reaction_moment, moment);
    }

    /// Work from outside.
    pub fn work(&mut self, work: f64) {
        self.work.add(work);
    }

    fn sums(&mut self) -> impl Iterator<Item = &mut Sum> {
        let loads = self.load.iter_mut().chain(&mut self.load_moment);
        loads.chain(&mut self.reaction).chain(&mut self.reaction_moment).chain([&mut self.work])
    }
}

/// What all nodes have got.
#[derive(Debug, Clone, Default)]
pub(super) struct Totals {
    load: [Sum; 3],
    load_moment: [Sum; 3],
    /// Of each support.
    reaction: Vec<[Sum; 3]>,
    reaction_moment: [Sum; 3],
    work: Sum,
}

/// Impulses and work so far, by nodes: a node's events have the same order under every scheduler, and so its account has the same
/// bits.
#[derive(Debug, Clone, Default)]
pub(super) struct Accounts {
    /// The account of each node, if it has one; empty if none has.
    slot: Vec<u32>,
    /// The nodes with accounts, in order.
    nodes: Vec<u32>,
    accounts: Vec<Account>,
    /// Positions and forces at the last event of each element under pressure, six numbers a node.
    pressed: Vec<f64>,
    /// Where the numbers of an element begin there.
    place: BTreeMap<u32, usize>,
    /// Constant forces.
    pub bearers: Bearers,
}

impl Accounts {
    /// For these nodes of so many, in any order, and pressures on these elements with so many nodes each.
    pub fn new(
        count: usize,
        nodes: impl Iterator<Item = u32>,
        pressed: &[(usize, usize)],
        bearers: Bearers,
    ) -> Self {
        let mut accounts = Accounts { bearers, ..Accounts::default() };
        accounts.nodes.extend(nodes);
        accounts.nodes.sort_unstable();
        accounts.nodes.dedup();
        accounts.accounts = vec![Account::default(); accounts.nodes.len()];
        if !accounts.nodes.is_empty() {
            accounts.slot = vec![u32::MAX; count];
            accounts.nodes.iter().zip(0..).for_each(|(a, slot)| accounts.slot[*a as usize] = slot);
        }
        for (k, nodes) in pressed {
            accounts.place.insert(*k as u32, accounts.pressed.len());
            accounts.pressed.resize(accounts.pressed.len() + 6 * nodes, 0.0);
        }
        accounts
    }

    /// What events book in.
    pub fn ledger(&mut self) -> Ledger<'_> {
        Ledger {
            slot: &self.slot,
            place: &self.place,
            accounts: self.accounts.as_mut_ptr(),
            pressed: self.pressed.as_mut_ptr(),
            bearing: self.bearers.share(),
            lent: PhantomData,
        }
    }

    /// Everything together.
    pub fn totals(&self, supports: Option<&Supports>) -> Totals {
        let reaction = vec![[Sum::default(); 3]; supports.map_or(0, Supports::count)];
        let mut totals = Totals { reaction, ..Totals::default() };
        for (node, account) in self.nodes.iter().zip(&self.accounts) {
            for i in 0..3 {
                totals.load[i].join(&account.load[i]);
                totals.load_moment[i].join(&account.load_moment[i]);
                totals.reaction_moment[i].join(&account.reaction_moment[i]);
                if let Some(owner) = supports.and_then(|s| s.owner(3 * *node as usize + i)) {
                    totals.reaction[owner][i].join(&account.reaction[i]);
                }
            }
            totals.work.join(&account.work);
        }
        for [impulse, moment] in self.bearers.given() {
            for i in 0..3 {
                totals.load[i].join(&impulse[i]);
                totals.load_moment[i].join(&moment[i]);
            }
        }
        totals
    }

    /// The work of the forces that follow element `k` since its last event, if they have come to `force` on the way
    /// to `x`: the trapezoidal rule along the path. Velocities would not do: at an event those of a node have
    /// had the kicks of some elements for times ahead and of others not yet.
    pub fn pressing(&self, k: usize, nodes: &[u32], x: &[f64], force: &[f64]) -> f64 {
        let Some(at) = self.place.get(&(k as u32)) else { return 0.0 };
        pressing(&self.pressed[*at..][..6 * nodes.len()], nodes, x, force)
    }

    /// Bytes they take.
    pub fn memory(&self) -> usize {
        size_of::<u32>() * (self.slot.capacity() + self.nodes.capacity())
            + size_of::<Account>() * self.accounts.capacity()
            + size_of::<f64>() * self.pressed.capacity()
            + self.bearers.memory()
    }

    /// Every number of the accounts, for checkpoints.
    pub fn save(&self) -> Vec<f64> {
        let (mut accounts, mut bearers) = (self.accounts.clone(), self.bearers.clone());
        let sums = accounts.iter_mut().flat_map(Account::sums).chain(bearers.sums());
        sums.flat_map(|s| [s.value, s.lost]).chain(self.pressed.iter().copied()).collect()
    }

    /// Puts back what [`save`](Self::save) gave for the same nodes.
    pub fn restore(&mut self, saved: &[f64]) {
        let (sums, pressed) = saved.split_at(saved.len() - self.pressed.len());
        let all = self.accounts.iter_mut().flat_map(Account::sums).chain(self.bearers.sums());
        for (sum, pair) in all.zip(sums.chunks_exact(2)) {
            *sum = Sum { value: pair[0], lost: pair[1] };
        }
        self.pressed.copy_from_slice(pressed);
    }
}

/// The accounts, for several who book in those of different nodes. There is room for as many as [`Accounts::new`] was told.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ledger<'a> {
    slot: &'a [u32],
    place: &'a BTreeMap<u32, usize>,
    accounts: *mut Account,
    pressed: *mut f64,
    pub bearing: Bearing,
    lent: PhantomData<&'a mut Accounts>,
}

// SAFETY: all who use it promise to touch different parts at a time.
unsafe impl Send for Ledger<'_> {}
// SAFETY: as above.
unsafe impl Sync for Ledger<'_> {}

impl<'a> Ledger<'a> {
    /// The account of a node that has one.
    ///
    /// # Safety
    /// Nobody else has it in hand.
    #[inline]
    pub unsafe fn of(&self, node: u32) -> &'a mut Account {
        let slot = self.slot[node as usize];
        assert!(slot != u32::MAX, "a node with an account");
        // SAFETY: slots are numbers of accounts, which live as long as `'a`; the caller's for the rest.
        unsafe { &mut *self.accounts.add(slot as usize) }
    }

    /// An event of an element under pressure: books the work since the last, unless it is the first.
    ///
    /// # Safety
    /// Nobody else has the accounts of the element's nodes in hand.
    pub unsafe fn press(&self, k: usize, nodes: &[u32], x: &[f64], force: &[f64], first: bool) {
        let Some(at) = self.place.get(&(k as u32)) else { return };
        // SAFETY: six numbers a node are the element's own, and who has its nodes has the element.
        let last = unsafe { std::slice::from_raw_parts_mut(self.pressed.add(*at), 6 * nodes.len()) };
        if !first {
            // SAFETY: the caller's.
            unsafe { self.of(nodes[0]) }.work(pressing(last, nodes, x, force));
        }
        for ((n, a), last) in nodes.iter().enumerate().zip(last.chunks_exact_mut(6)) {
            last[..3].copy_from_slice(&x[3 * *a as usize..][..3]);
            last[3..].copy_from_slice(&force[3 * n..][..3]);
        }
    }
}

/// Work on the way from the positions and forces in `last`, six numbers a node.
fn pressing(last: &[f64], nodes: &[u32], x: &[f64], force: &[f64]) -> f64 {
    let mut work = 0.0;
    for ((n, a), last) in nodes.iter().enumerate().zip(last.chunks_exact(6)) {
        for i in 0..3 {
            let way = x[3 * *a as usize + i] - last[i];
            work += 0.5 * (last[3 + i] + force[3 * n + i]) * way;
        }
    }
    work
}

impl Totals {
    /// Impulse and moment of all loads.
    pub fn loads(&self) -> [[f64; 3]; 2] {
        [&self.load, &self.load_moment].map(|sums| sums.map(|s| s.get()))
    }

    /// Impulse of each support.
    pub fn reactions(&self) -> Vec<[f64; 3]> {
        self.reaction.iter().map(|r| r.map(|s| s.get())).collect()
    }

    /// Moment of all supports.
    pub fn reaction_moment(&self) -> [f64; 3] {
        self.reaction_moment.map(|s| s.get())
    }

    /// All work.
    pub fn work(&self) -> f64 {
        self.work.get()
    }
}

fn add(sums: &mut [Sum; 3], terms: &[f64; 3]) {
    sums.iter_mut().zip(terms).for_each(|(sum, x)| sum.add(*x));
}
