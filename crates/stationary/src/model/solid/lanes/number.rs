//! Arithmetic with numbers side by side, written as with single ones.

use super::Lanes;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number of each lane. Every operation rounds once; none is fused unless its name says so.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub(in crate::model::solid) struct Num<L>(pub L);

impl<L: Lanes> Num<L> {
    /// The same in all lanes.
    #[inline(always)]
    pub fn splat(x: f64) -> Self {
        Num(L::splat(x))
    }

    /// The first numbers of a slice.
    #[inline(always)]
    pub fn load(from: &[f64]) -> Self {
        Num(L::load(from))
    }

    /// The reverse.
    #[inline(always)]
    pub fn store(self, to: &mut [f64]) {
        self.0.store(to);
    }

    /// `self b + c`, rounded once.
    #[inline(always)]
    pub fn mul_add(self, b: Self, c: Self) -> Self {
        Num(self.0.mul_add(b.0, c.0))
    }

    /// `c - self b`, rounded once.
    #[inline(always)]
    pub fn mul_from(self, b: Self, c: Self) -> Self {
        Num(self.0.mul_from(b.0, c.0))
    }

    #[inline(always)]
    pub fn sqrt(self) -> Self {
        Num(self.0.sqrt())
    }

    #[inline(always)]
    pub fn abs(self) -> Self {
        Num(self.0.abs())
    }

    /// `self < b`; no NaN is.
    #[inline(always)]
    pub fn below(self, b: Self) -> L::Mask {
        self.0.below(b.0)
    }

    /// `self <= b`; no NaN is.
    #[inline(always)]
    pub fn at_most(self, b: Self) -> L::Mask {
        self.0.at_most(b.0)
    }

    /// Where it lies from `low` to `high`; no NaN does.
    #[inline(always)]
    pub fn between(self, [low, high]: [f64; 2]) -> L::Mask {
        L::both(L::splat(low).at_most(self.0), self.0.at_most(L::splat(high)))
    }

    /// Lane by lane `yes` where the mask is true, `no` elsewhere.
    #[inline(always)]
    pub fn pick(mask: L::Mask, yes: Self, no: Self) -> Self {
        Num(L::pick(mask, yes.0, no.0))
    }

    /// `a . b` of three numbers each, fused.
    #[inline(always)]
    pub fn dot(a: [Self; 3], b: [Self; 3]) -> Self {
        a[2].mul_add(b[2], a[1].mul_add(b[1], a[0] * b[0]))
    }
}

/// An operator between numbers, and between a number and the same single one in all lanes.
macro_rules! operator {
    ($($operator:ident $method:ident $lanes:ident;)*) => {
        $(impl<L: Lanes> $operator for Num<L> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: Self) -> Self {
                Num(self.0.$lanes(b.0))
            }
        }

        impl<L: Lanes> $operator<f64> for Num<L> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, b: f64) -> Self {
                Num(self.0.$lanes(L::splat(b)))
            }
        }

        impl<L: Lanes> $operator<Num<L>> for f64 {
            type Output = Num<L>;
            #[inline(always)]
            fn $method(self, b: Num<L>) -> Num<L> {
                Num(L::splat(self).$lanes(b.0))
            }
        })*
    };
}

operator! {
    Add add add;
    Sub sub sub;
    Mul mul mul;
    Div div div;
}

impl<L: Lanes> Neg for Num<L> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        -0.0 - self
    }
}
