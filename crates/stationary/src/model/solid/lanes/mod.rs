//! Several elements side by side: one, four or eight numbers that go through a kernel together.
//!
//! A lane's result has the same bits whatever the width and the processor. Only operations that IEEE 754 rounds exactly are
//! used, and a product that is fused for one width is fused for all. Compilers never fuse on their own.
//!
//! A kernel is written once, generic over [`Lanes`], and entered through a function compiled for the instructions that
//! [`Isa::detect`] found. Everything below that function is inlined into it.

pub(super) mod hencky;
pub(super) mod math;
mod number;
pub(super) mod spectrum;
pub(super) mod tensor;
#[cfg(test)]
mod tests;
#[cfg(target_arch = "x86_64")]
pub(super) mod x86;

pub(super) use number::Num;

use std::sync::LazyLock;

/// The instructions that the kernels use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Isa {
    /// What every processor of the target has: one lane. Without instructions for fused products they are
    /// computed in software, slowly.
    Portable,
    /// Four lanes.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Eight lanes.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Isa {
    /// All that this processor has, the widest last.
    pub(super) fn available() -> Vec<Isa> {
        #[allow(unused_mut)]
        let mut all = vec![Isa::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Isa::Avx2);
                if is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512vl") {
                    all.push(Isa::Avx512);
                }
            }
        }
        all
    }

    /// The widest that this processor has.
    pub(super) fn detect() -> Isa {
        static WIDEST: LazyLock<Isa> =
            LazyLock::new(|| Isa::available().into_iter().next_back().unwrap_or(Isa::Portable));
        #[cfg(test)]
        if let Some(isa) = FORCED.get() {
            return isa;
        }
        *WIDEST
    }

    /// Runs a kernel with the lanes of these instructions.
    #[inline]
    pub(super) fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Isa::Portable => kernel.run::<f64>(),
            // SAFETY: `Isa` was detected.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { x86::avx2(kernel) },
            // SAFETY: `Isa` was detected.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { x86::avx512(kernel) },
        }
    }

    /// Runs a kernel with a single lane, with instructions for fused products if there are any.
    #[inline]
    pub(super) fn run_one<K: Kernel>(self, kernel: K) -> K::Output {
        match self {
            Isa::Portable => kernel.run::<f64>(),
            // SAFETY: `Isa` was detected, and the wider one includes the narrower one.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 | Isa::Avx512 => unsafe { x86::fused_one(kernel) },
        }
    }
}

/// A computation for any number of lanes. What it calls must be inlined into it.
pub(super) trait Kernel {
    /// What comes of it.
    type Output;
    /// Does it.
    fn run<L: Lanes>(self) -> Self::Output;
}

#[cfg(test)]
thread_local! {
    /// The instructions that kernels of this thread use, if a test says so.
    pub(super) static FORCED: std::cell::Cell<Option<Isa>> = const { std::cell::Cell::new(None) };
}

/// Most lanes.
pub(super) const WIDEST: usize = 8;

/// Numbers side by side. Vector types may only be used below a function that was entered by a matched [`Isa`].
pub(super) trait Lanes: Copy {
    /// How many; divides [`WIDEST`].
    const WIDTH: usize;
    /// A truth value for each lane.
    type Mask: Copy;

    fn splat(x: f64) -> Self;
    fn add(self, b: Self) -> Self;
    fn sub(self, b: Self) -> Self;
    fn mul(self, b: Self) -> Self;
    fn div(self, b: Self) -> Self;
    /// `self b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `c - self b`, rounded once.
    fn mul_from(self, b: Self, c: Self) -> Self;
    fn sqrt(self) -> Self;
    fn abs(self) -> Self;
    /// `2^k` of integers `k` from -1022 to 1023.
    fn two_to(self) -> Self;
    /// `self < b`; no NaN is.
    fn below(self, b: Self) -> Self::Mask;
    /// `self <= b`; no NaN is.
    fn at_most(self, b: Self) -> Self::Mask;
    /// Lane by lane `yes` where the mask is true, `no` elsewhere.
    fn pick(mask: Self::Mask, yes: Self, no: Self) -> Self;
    fn both(a: Self::Mask, b: Self::Mask) -> Self::Mask;
    fn not(a: Self::Mask) -> Self::Mask;
    /// True in all lanes.
    #[inline(always)]
    fn always() -> Self::Mask {
        let zero = Self::splat(0.0);
        zero.at_most(zero)
    }
    /// Whether the mask is true in all lanes.
    fn every(a: Self::Mask) -> bool;
    /// Whether all lanes lie from `low` to `high`; no NaN does.
    fn within(self, low: f64, high: f64) -> bool;
    /// `x = 2^k m` with `m` in `[sqrt(1/2), sqrt(2))` as `(k, m)`, for positive normal numbers.
    fn split(self) -> (Self, Self);

    /// The first [`WIDTH`](Self::WIDTH) numbers of a slice.
    fn load(from: &[f64]) -> Self;
    /// The reverse.
    fn store(self, to: &mut [f64]);

    /// Three components of one node of each lane: the nodes are `nodes[0]`, `nodes[stride]`, ...
    ///
    /// # Safety
    /// For every such node `a`, `x` has at least `3 a + 4` numbers.
    unsafe fn gather(x: &[f64], nodes: &[u32], stride: usize) -> [Self; 3];

    /// The four numbers of one node of each lane, likewise.
    ///
    /// # Safety
    /// Every such node is below the length of `at`.
    unsafe fn gather_four(at: &[[f64; 4]], nodes: &[u32], stride: usize) -> [Self; 4];

    /// Four numbers of each lane, from `row(e)` for lane `e`.
    ///
    /// # Safety
    /// Every row may be read.
    unsafe fn rows(row: impl Fn(usize) -> *const [f64; 4]) -> [Self; 4];

    /// The reverse of [`rows`](Self::rows): writes the numbers of one lane after the other.
    ///
    /// # Safety
    /// Every row may be written.
    unsafe fn put_rows(numbers: [Self; 4], row: impl Fn(usize) -> *mut [f64; 4]);

    /// Writes `(x, y)` of all lanes in order, then all `z`: three times the width numbers.
    fn spread(v: &[Self; 3], to: &mut [f64]);
}

/// Shift that maps the bits of `sqrt(1/2)` to those of 1, so that the exponent field is `k` more than its bias.
const SHIFT: u64 = 0x3ff0_0000_0000_0000 - ROOT;
/// The bits of `sqrt(1/2)`.
const ROOT: u64 = 0x3fe6_a09e_667f_3bcd;
const FRACTION: u64 = (1 << 52) - 1;
/// The bits of `2^52`: with a small integer in the last places it is that much more.
const INTEGER: u64 = 0x4330_0000_0000_0000;
const BIAS: f64 = (1u64 << 52) as f64 + 1023.0;

impl Lanes for f64 {
    const WIDTH: usize = 1;
    type Mask = bool;

    #[inline(always)]
    fn splat(x: f64) -> Self {
        x
    }
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        self + b
    }
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self - b
    }
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        self * b
    }
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        self / b
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        f64::mul_add(self, b, c)
    }
    #[inline(always)]
    fn mul_from(self, b: Self, c: Self) -> Self {
        f64::mul_add(-self, b, c)
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        f64::sqrt(self)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f64::abs(self)
    }
    #[inline(always)]
    fn two_to(self) -> Self {
        f64::from_bits((self + BIAS).to_bits() << 52)
    }
    #[inline(always)]
    fn below(self, b: Self) -> bool {
        self < b
    }
    #[inline(always)]
    fn at_most(self, b: Self) -> bool {
        self <= b
    }
    #[inline(always)]
    fn pick(mask: bool, yes: Self, no: Self) -> Self {
        if mask { yes } else { no }
    }
    #[inline(always)]
    fn both(a: bool, b: bool) -> bool {
        a && b
    }
    #[inline(always)]
    fn not(a: bool) -> bool {
        !a
    }
    #[inline(always)]
    fn every(a: bool) -> bool {
        a
    }
    #[inline(always)]
    fn within(self, low: f64, high: f64) -> bool {
        self >= low && self <= high
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        let b = self.to_bits().wrapping_add(SHIFT);
        (f64::from_bits((b >> 52) | INTEGER) - BIAS, f64::from_bits((b & FRACTION) + ROOT))
    }
    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        to[0] = self;
    }
    #[inline(always)]
    unsafe fn gather(x: &[f64], nodes: &[u32], _stride: usize) -> [Self; 3] {
        let at = 3 * nodes[0] as usize;
        // SAFETY: guaranteed by this function's contract.
        unsafe { [*x.get_unchecked(at), *x.get_unchecked(at + 1), *x.get_unchecked(at + 2)] }
    }
    #[inline(always)]
    unsafe fn gather_four(at: &[[f64; 4]], nodes: &[u32], _stride: usize) -> [Self; 4] {
        // SAFETY: guaranteed by this function's contract.
        unsafe { *at.get_unchecked(nodes[0] as usize) }
    }
    #[inline(always)]
    unsafe fn rows(row: impl Fn(usize) -> *const [f64; 4]) -> [Self; 4] {
        // SAFETY: guaranteed by this function's contract.
        unsafe { *row(0) }
    }
    #[inline(always)]
    unsafe fn put_rows(numbers: [Self; 4], row: impl Fn(usize) -> *mut [f64; 4]) {
        // SAFETY: guaranteed by this function's contract.
        unsafe { *row(0) = numbers }
    }
    #[inline(always)]
    fn spread(v: &[Self; 3], to: &mut [f64]) {
        to[..3].copy_from_slice(v);
    }
}
