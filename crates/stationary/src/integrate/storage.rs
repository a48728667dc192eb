//! Where a state lives: in registers when its size is known to the compiler, else on the heap.

/// A vector of coordinates: `[f64; N]` or `Vec<f64>`.
pub trait Storage: Clone + Send {
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
