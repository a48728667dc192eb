//! What relative errors refer to.

use super::Frame;
use crate::archive::{Archive, Persist};

/// The scale of an energy: its size at the start, or that of its terms if they cancel to nothing.
///
/// Of a system that starts at rest at zero potential both vanish, and no number at the start has the unit of an energy. The scale is then
/// the largest size seen since: it grows with the run, in whatever units that is written, and it is part of the checkpoint.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    value: f64,
    /// Whether there was none at the start.
    grows: bool,
    /// Whether momenta tell how large the kinetic energy is. Those of a one-form depend on its gauge.
    momenta: bool,
}

/// Energies that are a smaller part than this of their terms are what rounding leaves of them.
const CANCELLED: f64 = 1e-9;

impl Scale {
    /// Of a run that has not begun.
    pub fn unknown() -> Self {
        Scale { value: f64::NAN, grows: false, momenta: true }
    }

    /// One that is known at the start, or 0 if there is none.
    pub fn of(value: f64) -> Self {
        Scale { value, grows: value == 0.0, momenta: true }
    }

    /// The same for a system with a one-form.
    pub fn of_one_form(self) -> Self {
        Scale { momenta: false, ..self }
    }

    /// Sees an energy and the size of its terms. The first ones are those of the start.
    pub fn see(&mut self, energy: f64, terms: f64) {
        if self.value.is_nan() {
            self.value = if energy.abs() > CANCELLED * terms { energy.abs() } else { terms };
            self.grows = self.value == 0.0;
        }
    }

    /// Sees an energy of a moment of the motion, and `|p.v|`, which of natural systems is twice the kinetic energy.
    pub fn follow(&mut self, energy: f64, frame: &Frame<'_>) {
        if self.grows {
            self.grow(energy.abs());
            if self.momenta {
                self.grow(frame.size_of_motion());
            }
        }
    }

    /// Grows to a size where there was none at the start.
    pub fn grow(&mut self, size: f64) {
        if self.grows && size > self.value {
            self.value = size;
        }
    }

    /// Whether nothing at the start told the scale, so that it grows with what is seen.
    pub fn grows(&self) -> bool {
        self.grows
    }

    /// The scale; 0 as long as all that was seen vanishes.
    pub fn value(&self) -> f64 {
        self.value
    }

    /// A change as a part of the scale.
    pub fn part(&self, change: f64) -> f64 {
        part(change, self.value)
    }
}

/// A change as a part of a scale. No change is none of any scale, also of one that vanishes.
pub fn part(change: f64, scale: f64) -> f64 {
    if change == 0.0 && scale == 0.0 { 0.0 } else { change / scale }
}

impl Persist for Scale {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.value).pass(&mut self.grows);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn energy_scale_known_at_the_start_does_not_change() {
        let mut scale = Scale::unknown();
        scale.see(-2.0, 3.0);
        scale.see(5.0, 5.0);
        scale.grow(7.0);
        assert_eq!(scale.value(), 2.0);
        let mut cancelled = Scale::unknown();
        cancelled.see(1e-16, 3.0);
        assert_eq!(cancelled.value(), 3.0);
    }

    #[test]
    fn energy_scale_of_a_start_without_energy_grows_with_the_run() {
        let mut scale = Scale::unknown();
        scale.see(0.0, 0.0);
        assert_eq!(scale.part(0.0), 0.0);
        for (size, largest) in [(1e-30, 1e-30), (4e-20, 4e-20), (2e-20, 4e-20)] {
            scale.grow(size);
            assert_eq!(scale.value(), largest);
        }
        assert_eq!(scale.part(2e-20), 0.5);
        assert!(scale.part(f64::NAN).is_nan());
    }
}
