//! The cubic through values and rates at two times: whether a gap that is open at both may close in between.

/// Values and slopes of a function at the ends of the unit interval.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hermite {
    pub values: [f64; 2],
    pub slopes: [f64; 2],
}

impl Hermite {
    /// Where the tangents at the ends meet, if the function falls and then rises: a convex function lies above both.
    #[inline(always)]
    pub fn tangents_meet(&self) -> Option<f64> {
        let [a, b] = self.values;
        let [da, db] = self.slopes;
        let x = (a - b + db) / (db - da);
        (da < 0.0 && db > 0.0).then_some(x)
    }

    /// The coefficients of `x^2` and `x^3` in `a + da x + c2 x^2 + c3 x^3`.
    #[inline(always)]
    pub fn coefficients(&self) -> [f64; 2] {
        let [a, b] = self.values;
        let [da, db] = self.slopes;
        [3.0 * (b - a) - 2.0 * da - db, 2.0 * (a - b) + da + db]
    }

    /// The place and the value of the minimum of the cubic, which may lie anywhere; `None` if it has none.
    #[inline(always)]
    pub fn minimum(&self) -> Option<[f64; 2]> {
        let a = self.values[0];
        let slope = self.slopes[0];
        let [c2, c3] = self.coefficients();
        let discriminant = c2 * c2 - 3.0 * c3 * slope;
        if !(discriminant > 0.0) {
            return None;
        }
        // Of the two roots of the derivative that with a positive second derivative, 2 c2 + 6 c3 x = 2 sqrt(discriminant).
        let root = discriminant.sqrt();
        let x = if c2 > 0.0 { -slope / (c2 + root) } else { (root - c2) / (3.0 * c3) };
        Some([x, a + x * (slope + x * (c2 + x * c3))])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_minimum_of_a_cubic_is_found_from_its_ends() {
        // p = (x - 0.3)^2 (x + 2) + 0.1: its minimum is 0.1 at 0.3.
        let p = |x: f64| (x - 0.3).powi(2) * (x + 2.0) + 0.1;
        let slope = |x: f64| 2.0 * (x - 0.3) * (x + 2.0) + (x - 0.3).powi(2);
        let ends = Hermite { values: [p(0.0), p(1.0)], slopes: [slope(0.0), slope(1.0)] };
        let [x, value] = ends.minimum().unwrap();
        assert!((x - 0.3).abs() < 1e-14 && (value - 0.1).abs() < 1e-14);
        assert_eq!(Hermite { values: [0.0, 1.0], slopes: [1.0, 1.5] }.minimum(), None);
    }
}
