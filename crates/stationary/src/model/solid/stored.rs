//! The numbers that elements store, by groups of [`WIDEST`]: each number of all elements of a group side by side, so that vector lanes read
//! it at once. The last element is repeated to fill the last group.

use super::lanes::{Lanes, WIDEST};
use std::marker::PhantomData;

/// One number of each element of a group, in a cache line of its own: no vector is read from two.
#[derive(Debug, Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Sides([f64; WIDEST]);

/// The numbers of a list of elements.
#[derive(Debug, Default)]
pub(super) struct Numbers {
    /// Numbers of an element.
    each: usize,
    groups: Vec<Sides>,
}

impl Numbers {
    /// Of so many elements with so many numbers each, given `write(k, put)`, which puts those of element `k` in order.
    pub fn new(count: usize, each: usize, write: impl Fn(usize, &mut dyn FnMut(f64))) -> Self {
        let mut groups = vec![Sides([0.0; WIDEST]); count.div_ceil(WIDEST) * each];
        for k in 0..count.next_multiple_of(WIDEST) {
            let mut sides = groups[k / WIDEST * each..][..each].iter_mut();
            write(k.min(count - 1), &mut |number| {
                sides.next().expect("as many numbers as an element has").0[k % WIDEST] = number;
            });
        }
        Numbers { each, groups }
    }

    /// Those of the elements in lanes, from `k` on.
    #[inline(always)]
    pub fn of<L: Lanes>(&self, k: usize) -> Stored<'_, L> {
        Stored::new(self.groups(k, 1), k % WIDEST)
    }

    /// Those of some groups, from that of an element on.
    #[inline(always)]
    pub fn groups(&self, k: usize, count: usize) -> &[Sides] {
        &self.groups[k / WIDEST * self.each..][..count * self.each]
    }

    /// Writes all numbers of an element in order.
    pub fn put(&self, k: usize, put: &mut dyn FnMut(f64)) {
        let own = self.of::<f64>(k);
        (0..self.each).for_each(|i| put(own.at(i)));
    }

    /// Asks for those of an element.
    pub fn prefetch(&self, k: usize) {
        let first = self.groups.as_ptr().wrapping_add(k / WIDEST * self.each);
        (0..self.each).for_each(|i| crate::model::prefetch(first.wrapping_add(i)));
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        size_of::<Sides>() * self.groups.capacity()
    }
}

/// The numbers of the elements in lanes.
#[derive(Clone, Copy)]
pub(super) struct Stored<'a, L> {
    sides: &'a [Sides],
    /// The element of the group in the first lane.
    lane: usize,
    lanes: PhantomData<L>,
}

impl<'a, L: Lanes> Stored<'a, L> {
    /// Of a group, from a lane on.
    #[inline(always)]
    pub fn new(sides: &'a [Sides], lane: usize) -> Self {
        Stored { sides, lane, lanes: PhantomData }
    }

    /// One of them.
    #[inline(always)]
    pub fn at(&self, i: usize) -> L {
        // The mask tells the compiler that a vector fits.
        L::load(&self.sides[i].0[self.lane & (WIDEST - L::WIDTH)..])
    }

    /// So many, from one on.
    #[inline(always)]
    pub fn part(&self, from: usize, len: usize) -> Stored<'a, L> {
        Stored { sides: &self.sides[from..][..len], ..*self }
    }
}
