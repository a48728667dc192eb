//! A number with its derivatives by the three reference coordinates: shape functions are written once.

use std::ops::{Add, Mul, Sub};

/// A value and its gradient.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Jet {
    pub value: f64,
    pub gradient: [f64; 3],
}

impl Jet {
    pub fn constant(value: f64) -> Jet {
        Jet { value, gradient: [0.0; 3] }
    }

    /// The reference coordinates at a point.
    pub fn coordinates(at: &[f64; 3]) -> [Jet; 3] {
        std::array::from_fn(|i| {
            let mut gradient = [0.0; 3];
            gradient[i] = 1.0;
            Jet { value: at[i], gradient }
        })
    }

    fn map2(self, other: Jet, value: f64, a: f64, b: f64) -> Jet {
        let gradient = std::array::from_fn(|i| a * self.gradient[i] + b * other.gradient[i]);
        Jet { value, gradient }
    }

    /// 1 / x.
    pub fn inverse(self) -> Jet {
        let value = 1.0 / self.value;
        Jet { value, gradient: self.gradient.map(|g| -g * value * value) }
    }
}

impl Add for Jet {
    type Output = Jet;
    fn add(self, other: Jet) -> Jet {
        self.map2(other, self.value + other.value, 1.0, 1.0)
    }
}

impl Sub for Jet {
    type Output = Jet;
    fn sub(self, other: Jet) -> Jet {
        self.map2(other, self.value - other.value, 1.0, -1.0)
    }
}

impl Mul for Jet {
    type Output = Jet;
    fn mul(self, other: Jet) -> Jet {
        self.map2(other, self.value * other.value, other.value, self.value)
    }
}

impl Mul<Jet> for f64 {
    type Output = Jet;
    fn mul(self, x: Jet) -> Jet {
        Jet { value: self * x.value, gradient: x.gradient.map(|g| self * g) }
    }
}

impl Add<Jet> for f64 {
    type Output = Jet;
    fn add(self, x: Jet) -> Jet {
        Jet { value: self + x.value, ..x }
    }
}

impl Sub<Jet> for f64 {
    type Output = Jet;
    fn sub(self, x: Jet) -> Jet {
        Jet { value: self - x.value, gradient: x.gradient.map(|g| -g) }
    }
}
