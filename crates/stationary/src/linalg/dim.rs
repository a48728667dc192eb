//! Sizes as types or as data. One code serves both: loops over a [`Fixed`] size unroll and its vectors live in
//! registers, loops over a [`Dynamic`] one run for any size.

/// A number of things: known to the compiler ([`Fixed`]) or when the program runs ([`Dynamic`]).
pub trait Dim: Copy + Send + std::fmt::Debug {
    /// Where a vector of this size lives.
    type Vector: Storage;
    /// The size.
    fn get(self) -> usize;
}

/// A size known to the compiler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Fixed<const K: usize>;

/// A size known when the program runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Dynamic(pub usize);

impl<const K: usize> Dim for Fixed<K> {
    type Vector = [f64; K];
    #[inline(always)]
    fn get(self) -> usize {
        K
    }
}

impl Dim for Dynamic {
    type Vector = Vec<f64>;
    #[inline(always)]
    fn get(self) -> usize {
        self.0
    }
}

/// A vector of coordinates: `[f64; N]`, in registers, or `Vec<f64>`, on the heap.
pub trait Storage: Clone + Send + std::fmt::Debug {
    /// A copy of `x`, whose length must fit.
    fn copy(x: &[f64]) -> Self;
    /// The components.
    fn as_slice(&self) -> &[f64];
    /// The components, to be changed.
    fn as_mut_slice(&mut self) -> &mut [f64];
}

impl<const N: usize> Storage for [f64; N] {
    #[inline(always)]
    fn copy(x: &[f64]) -> Self {
        let mut y = [0.0; N];
        y.copy_from_slice(x);
        y
    }
    #[inline(always)]
    fn as_slice(&self) -> &[f64] {
        self
    }
    #[inline(always)]
    fn as_mut_slice(&mut self) -> &mut [f64] {
        self
    }
}

impl Storage for Vec<f64> {
    #[inline(always)]
    fn copy(x: &[f64]) -> Self {
        x.to_vec()
    }
    #[inline(always)]
    fn as_slice(&self) -> &[f64] {
        self
    }
    #[inline(always)]
    fn as_mut_slice(&mut self) -> &mut [f64] {
        self
    }
}
