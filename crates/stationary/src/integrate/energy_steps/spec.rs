//! The options of steps whose length the energy chooses.

use std::fmt;

/// How a place is passed where no length of the step keeps the energy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Turning {
    /// The squared residuals of both equations are minimised over position and length [SEM99 (5.8)]. Neither holds
    /// then: such a step is not symplectic and keeps no momentum.
    Minimise,
    /// A step of the last length that keeps the first equation [SEM99 4].
    Hold,
    /// A step of the first length that keeps the first equation.
    First,
    /// The same, and its discrete energy is the one to be kept from there on.
    Reset,
}

impl Turning {
    /// All of them, by name.
    pub const ALL: [(&'static str, Turning); 4] = [
        ("first", Turning::First),
        ("hold", Turning::Hold),
        ("minimise", Turning::Minimise),
        ("reset", Turning::Reset),
    ];
}

impl fmt::Display for Turning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Turning::ALL.iter().find(|(_, turning)| turning == self).map_or("", |(name, _)| name);
        f.write_str(name)
    }
}

/// The bounds of the length, and what happens where there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EnergyStepSpec {
    /// The smallest length, in first steps.
    pub smallest: f64,
    /// The largest length, in first steps.
    pub largest: f64,
    /// How places are passed where no length keeps the energy.
    pub turning: Turning,
}

impl Default for EnergyStepSpec {
    fn default() -> Self {
        EnergyStepSpec { smallest: 0.01, largest: 3.0, turning: Turning::First }
    }
}
