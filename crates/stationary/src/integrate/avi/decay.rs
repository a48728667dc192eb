//! Mass-proportional damping, between events.

/// A node without forces, `v' = -a v`, over a time `dt`, exactly: `v <- exp(-a dt) v`, `x <- x + (1 - exp(-a dt))/a v`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Decay {
    /// `exp(-a dt) - 1`
    loss: f64,
    /// The way over the velocity at the beginning.
    way: f64,
    ahead: f64,
}

/// What a node loses by damping.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Decayed {
    pub impulse: [f64; 3],
    /// Kinetic energy.
    pub energy: f64,
}

impl Decay {
    /// At a positive rate.
    pub fn new(rate: f64, ahead: f64) -> Self {
        let loss = (-rate * ahead).exp_m1();
        Decay { loss, way: -loss / rate, ahead }
    }

    /// Moves a node; its components that are not free are not damped.
    pub fn of_node(&self, mass: f64, free: impl Fn(usize) -> bool, x: &mut [f64], v: &mut [f64]) -> Decayed {
        let mut decayed = Decayed { impulse: [0.0; 3], energy: 0.0 };
        for i in 0..3 {
            if !free(i) {
                x[i] += self.ahead * v[i];
                continue;
            }
            x[i] += self.way * v[i];
            let change = self.loss * v[i];
            let old = v[i];
            v[i] += change;
            decayed.impulse[i] = mass * change;
            decayed.energy -= 0.5 * mass * change * (old + v[i]);
        }
        decayed
    }
}
