//! Four and eight lanes on x86-64.
//!
//! # Safety
//! Intrinsics may run only where the processor has their instructions. Every use of these types lies below a function that
//! was entered after [`Isa`](super::Isa) found them (see `super`), which is the argument of every `unsafe` here that
//! names none of its own.

use super::{BIAS, FRACTION, INTEGER, Kernel, Lanes, ROOT, SHIFT};
use std::arch::x86_64::*;

/// [`Isa::run`](super::Isa::run) with four lanes.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<__m256d>()
}

/// The same with eight.
#[target_feature(enable = "avx2,fma,avx512f,avx512vl")]
pub(super) unsafe fn avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<__m512d>()
}

/// The same with one.
#[target_feature(enable = "avx2,fma")]
pub(super) unsafe fn fused_one<K: Kernel>(kernel: K) -> K::Output {
    kernel.run::<f64>()
}

/// Operations that are one intrinsic.
macro_rules! operations {
    ($($name:ident => $intrinsic:ident;)*) => {
        $(#[inline(always)]
        fn $name(self, b: Self) -> Self {
            // SAFETY: see the module.
            unsafe { $intrinsic(self, b) }
        })*
    };
}

impl Lanes for __m256d {
    const WIDTH: usize = 4;
    type Mask = __m256d;

    operations! {
        add => _mm256_add_pd;
        sub => _mm256_sub_pd;
        mul => _mm256_mul_pd;
        div => _mm256_div_pd;
    }

    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_set1_pd(x) }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_fmadd_pd(self, b, c) }
    }
    #[inline(always)]
    fn mul_from(self, b: Self, c: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_fnmadd_pd(self, b, c) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_sqrt_pd(self) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_andnot_pd(Self::splat(-0.0), self) }
    }
    #[inline(always)]
    fn two_to(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let bits = _mm256_castpd_si256(self.add(Self::splat(BIAS)));
            _mm256_castsi256_pd(_mm256_slli_epi64::<52>(bits))
        }
    }
    #[inline(always)]
    fn below(self, b: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_cmp_pd::<_CMP_LT_OQ>(self, b) }
    }
    #[inline(always)]
    fn at_most(self, b: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_cmp_pd::<_CMP_LE_OQ>(self, b) }
    }
    #[inline(always)]
    fn pick(mask: Self, yes: Self, no: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_blendv_pd(no, yes, mask) }
    }
    #[inline(always)]
    fn both(a: Self, b: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_and_pd(a, b) }
    }
    #[inline(always)]
    fn not(a: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm256_xor_pd(a, _mm256_castsi256_pd(_mm256_set1_epi64x(-1))) }
    }
    #[inline(always)]
    fn every(a: Self) -> bool {
        // SAFETY: see the module.
        unsafe { _mm256_movemask_pd(a) == 0b1111 }
    }
    #[inline(always)]
    fn within(self, low: f64, high: f64) -> bool {
        // SAFETY: see the module.
        unsafe {
            let above = _mm256_cmp_pd::<_CMP_GE_OQ>(self, Self::splat(low));
            let below = _mm256_cmp_pd::<_CMP_LE_OQ>(self, Self::splat(high));
            _mm256_movemask_pd(_mm256_and_pd(above, below)) == 0b1111
        }
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        // SAFETY: see the module.
        unsafe {
            let set = |x: u64| _mm256_set1_epi64x(x as i64);
            let b = _mm256_add_epi64(_mm256_castpd_si256(self), set(SHIFT));
            let k = _mm256_or_si256(_mm256_srli_epi64::<52>(b), set(INTEGER));
            let m = _mm256_add_epi64(_mm256_and_si256(b, set(FRACTION)), set(ROOT));
            (_mm256_castsi256_pd(k).sub(Self::splat(BIAS)), _mm256_castsi256_pd(m))
        }
    }
    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        let from = &from[..4];
        // SAFETY: four numbers.
        unsafe { _mm256_loadu_pd(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        let to = &mut to[..4];
        // SAFETY: four numbers.
        unsafe { _mm256_storeu_pd(to.as_mut_ptr(), self) }
    }
    #[inline(always)]
    unsafe fn gather(x: &[f64], nodes: &[u32], stride: usize) -> [Self; 3] {
        let nodes = &nodes[..3 * stride + 1];
        // SAFETY: the nodes are in the slice, and by this function's contract: four numbers from `3 a` on are in `x`.
        unsafe {
            let row = |e: usize| {
                let a = *nodes.get_unchecked(e * stride) as usize;
                _mm256_loadu_pd(x.as_ptr().add(3 * a))
            };
            let (a, b, c, d) = (row(0), row(1), row(2), row(3));
            let (xz0, xz1) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
            let (y0, y1) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(xz0, xz1),
                _mm256_permute2f128_pd::<0x20>(y0, y1),
                _mm256_permute2f128_pd::<0x31>(xz0, xz1),
            ]
        }
    }
    #[inline(always)]
    unsafe fn gather_four(at: &[[f64; 4]], nodes: &[u32], stride: usize) -> [Self; 4] {
        let nodes = &nodes[..3 * stride + 1];
        // SAFETY: the nodes are in the slice, and by this function's contract.
        unsafe { Self::rows(|e| at.as_ptr().add(*nodes.get_unchecked(e * stride) as usize)) }
    }
    #[inline(always)]
    unsafe fn rows(row: impl Fn(usize) -> *const [f64; 4]) -> [Self; 4] {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            let row = |e: usize| _mm256_loadu_pd(row(e).cast());
            let (a, b, c, d) = (row(0), row(1), row(2), row(3));
            let (xz0, xz1) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
            let (yw0, yw1) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(xz0, xz1),
                _mm256_permute2f128_pd::<0x20>(yw0, yw1),
                _mm256_permute2f128_pd::<0x31>(xz0, xz1),
                _mm256_permute2f128_pd::<0x31>(yw0, yw1),
            ]
        }
    }
    #[inline(always)]
    unsafe fn put_rows(numbers: [Self; 4], row: impl Fn(usize) -> *mut [f64; 4]) {
        let [x, y, z, w] = numbers;
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            let (xy0, xy1) = (_mm256_unpacklo_pd(x, y), _mm256_unpackhi_pd(x, y));
            let (zw0, zw1) = (_mm256_unpacklo_pd(z, w), _mm256_unpackhi_pd(z, w));
            _mm256_storeu_pd(row(0).cast(), _mm256_permute2f128_pd::<0x20>(xy0, zw0));
            _mm256_storeu_pd(row(1).cast(), _mm256_permute2f128_pd::<0x20>(xy1, zw1));
            _mm256_storeu_pd(row(2).cast(), _mm256_permute2f128_pd::<0x31>(xy0, zw0));
            _mm256_storeu_pd(row(3).cast(), _mm256_permute2f128_pd::<0x31>(xy1, zw1));
        }
    }
    #[inline(always)]
    fn spread(v: &[Self; 3], to: &mut [f64]) {
        let to = &mut to[..12];
        // SAFETY: see the module.
        unsafe {
            let (even, odd) = (_mm256_unpacklo_pd(v[0], v[1]), _mm256_unpackhi_pd(v[0], v[1]));
            _mm256_permute2f128_pd::<0x20>(even, odd).store(to);
            _mm256_permute2f128_pd::<0x31>(even, odd).store(&mut to[4..]);
        }
        v[2].store(&mut to[8..]);
    }
}

impl Lanes for __m512d {
    const WIDTH: usize = 8;
    type Mask = __mmask8;

    operations! {
        add => _mm512_add_pd;
        sub => _mm512_sub_pd;
        mul => _mm512_mul_pd;
        div => _mm512_div_pd;
    }

    #[inline(always)]
    fn splat(x: f64) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_set1_pd(x) }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_fmadd_pd(self, b, c) }
    }
    #[inline(always)]
    fn mul_from(self, b: Self, c: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_fnmadd_pd(self, b, c) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_sqrt_pd(self) }
    }
    #[inline(always)]
    fn abs(self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_abs_pd(self) }
    }
    #[inline(always)]
    fn two_to(self) -> Self {
        // SAFETY: see the module.
        unsafe {
            let bits = _mm512_castpd_si512(self.add(Self::splat(BIAS)));
            _mm512_castsi512_pd(_mm512_slli_epi64::<52>(bits))
        }
    }
    #[inline(always)]
    fn below(self, b: Self) -> __mmask8 {
        // SAFETY: see the module.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LT_OQ>(self, b) }
    }
    #[inline(always)]
    fn at_most(self, b: Self) -> __mmask8 {
        // SAFETY: see the module.
        unsafe { _mm512_cmp_pd_mask::<_CMP_LE_OQ>(self, b) }
    }
    #[inline(always)]
    fn pick(mask: __mmask8, yes: Self, no: Self) -> Self {
        // SAFETY: see the module.
        unsafe { _mm512_mask_blend_pd(mask, no, yes) }
    }
    #[inline(always)]
    fn both(a: __mmask8, b: __mmask8) -> __mmask8 {
        a & b
    }
    #[inline(always)]
    fn not(a: __mmask8) -> __mmask8 {
        !a
    }
    #[inline(always)]
    fn every(a: __mmask8) -> bool {
        a == 0b1111_1111
    }
    #[inline(always)]
    fn within(self, low: f64, high: f64) -> bool {
        // SAFETY: see the module.
        unsafe {
            let above = _mm512_cmp_pd_mask::<_CMP_GE_OQ>(self, Self::splat(low));
            _mm512_mask_cmp_pd_mask::<_CMP_LE_OQ>(above, self, Self::splat(high)) == 0b1111_1111
        }
    }
    #[inline(always)]
    fn split(self) -> (Self, Self) {
        // SAFETY: see the module.
        unsafe {
            let set = |x: u64| _mm512_set1_epi64(x as i64);
            let b = _mm512_add_epi64(_mm512_castpd_si512(self), set(SHIFT));
            let k = _mm512_or_si512(_mm512_srli_epi64::<52>(b), set(INTEGER));
            let m = _mm512_add_epi64(_mm512_and_si512(b, set(FRACTION)), set(ROOT));
            (_mm512_castsi512_pd(k).sub(Self::splat(BIAS)), _mm512_castsi512_pd(m))
        }
    }
    #[inline(always)]
    fn load(from: &[f64]) -> Self {
        let from = &from[..8];
        // SAFETY: eight numbers.
        unsafe { _mm512_loadu_pd(from.as_ptr()) }
    }
    #[inline(always)]
    fn store(self, to: &mut [f64]) {
        let to = &mut to[..8];
        // SAFETY: eight numbers.
        unsafe { _mm512_storeu_pd(to.as_mut_ptr(), self) }
    }
    #[inline(always)]
    unsafe fn gather(x: &[f64], nodes: &[u32], stride: usize) -> [Self; 3] {
        let nodes = &nodes[..7 * stride + 1];
        // SAFETY: the nodes are in the slice, and by this function's contract: four numbers from `3 a` on are in `x`.
        unsafe {
            let row = |e: usize| {
                let a = *nodes.get_unchecked(e * stride) as usize;
                _mm256_loadu_pd(x.as_ptr().add(3 * a))
            };
            let join = |e: usize| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(row(e)), row(e + 2));
            let (a, b, c, d) = (join(0), join(1), join(4), join(5));
            let (xz0, xz1) = (_mm512_unpacklo_pd(a, b), _mm512_unpacklo_pd(c, d));
            let (y0, y1) = (_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d));
            [
                _mm512_shuffle_f64x2::<0x88>(xz0, xz1),
                _mm512_shuffle_f64x2::<0x88>(y0, y1),
                _mm512_shuffle_f64x2::<0xdd>(xz0, xz1),
            ]
        }
    }
    #[inline(always)]
    unsafe fn gather_four(at: &[[f64; 4]], nodes: &[u32], stride: usize) -> [Self; 4] {
        let nodes = &nodes[..7 * stride + 1];
        // SAFETY: the nodes are in the slice, and by this function's contract.
        unsafe { Self::rows(|e| at.as_ptr().add(*nodes.get_unchecked(e * stride) as usize)) }
    }
    #[inline(always)]
    unsafe fn rows(row: impl Fn(usize) -> *const [f64; 4]) -> [Self; 4] {
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            let row = |e: usize| _mm256_loadu_pd(row(e).cast());
            let join = |e: usize| _mm512_insertf64x4::<1>(_mm512_castpd256_pd512(row(e)), row(e + 2));
            let (a, b, c, d) = (join(0), join(1), join(4), join(5));
            let (xz0, xz1) = (_mm512_unpacklo_pd(a, b), _mm512_unpacklo_pd(c, d));
            let (yw0, yw1) = (_mm512_unpackhi_pd(a, b), _mm512_unpackhi_pd(c, d));
            [
                _mm512_shuffle_f64x2::<0x88>(xz0, xz1),
                _mm512_shuffle_f64x2::<0x88>(yw0, yw1),
                _mm512_shuffle_f64x2::<0xdd>(xz0, xz1),
                _mm512_shuffle_f64x2::<0xdd>(yw0, yw1),
            ]
        }
    }
    #[inline(always)]
    unsafe fn put_rows(numbers: [Self; 4], row: impl Fn(usize) -> *mut [f64; 4]) {
        let [x, y, z, w] = numbers;
        // SAFETY: guaranteed by this function's contract.
        unsafe {
            // Pairs of lanes 0 2 4 6 and 1 3 5 7; then four numbers of lanes 0 4, 2 6, 1 5, 3 7.
            let (xy0, xy1) = (_mm512_unpacklo_pd(x, y), _mm512_unpackhi_pd(x, y));
            let (zw0, zw1) = (_mm512_unpacklo_pd(z, w), _mm512_unpackhi_pd(z, w));
            let first = _mm512_setr_epi64(0, 1, 8, 9, 4, 5, 12, 13);
            let second = _mm512_setr_epi64(2, 3, 10, 11, 6, 7, 14, 15);
            let put = |e: usize, both: __m512d| {
                _mm256_storeu_pd(row(e).cast(), _mm512_castpd512_pd256(both));
                _mm256_storeu_pd(row(e + 4).cast(), _mm512_extractf64x4_pd::<1>(both));
            };
            put(0, _mm512_permutex2var_pd(xy0, first, zw0));
            put(1, _mm512_permutex2var_pd(xy1, first, zw1));
            put(2, _mm512_permutex2var_pd(xy0, second, zw0));
            put(3, _mm512_permutex2var_pd(xy1, second, zw1));
        }
    }
    #[inline(always)]
    fn spread(v: &[Self; 3], to: &mut [f64]) {
        let to = &mut to[..24];
        // SAFETY: see the module.
        unsafe {
            let (even, odd) = (_mm512_unpacklo_pd(v[0], v[1]), _mm512_unpackhi_pd(v[0], v[1]));
            let first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
            let second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
            _mm512_permutex2var_pd(even, first, odd).store(to);
            _mm512_permutex2var_pd(even, second, odd).store(&mut to[8..]);
        }
        v[2].store(&mut to[16..]);
    }
}
