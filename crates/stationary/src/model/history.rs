//! History: the internal variables of potentials with memory, for example the plastic strains of finite elements.
//!
//! A potential with memory is updated in increments. From the history committed a time `dt` ago its incremental potential
//!
//! ```text
//! W_n(x) = min over the internal increments of [stored energy + dissipated energy + rate potential * dt]
//! ```
//!
//! is a potential like any other (Ortiz and Stainier 1999): forces are its gradient, tangents are symmetric, momenta are conserved.
//! *Evaluation* and *commit* are separate: an evaluation may be repeated anywhere and changes nothing, a commit makes the history that it
//! leads to that of the next increment. History is part of the state of a run, kept by its integrator.

/// The history from which a potential is updated.
#[derive(Debug, Clone, Copy)]
pub struct Past<'a> {
    /// The history at the last commit.
    pub history: &'a [f64],
    /// The time since then; 0 freezes whatever depends on the rate.
    pub dt: f64,
}

/// The energies of an update.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct HistoryEnergy {
    /// Stored energy after the update.
    pub stored: f64,
    /// Energy dissipated since the beginning, the update included.
    pub dissipated: f64,
    /// Energy dissipated before the update.
    pub committed: f64,
}

impl HistoryEnergy {
    /// The energy of a potential without memory.
    pub fn elastic(stored: f64) -> Self {
        HistoryEnergy { stored, ..HistoryEnergy::default() }
    }

    /// Stored energy, and what the update dissipates: the potential energy while the update is not committed.
    pub fn incremental(&self) -> f64 {
        self.stored + (self.dissipated - self.committed)
    }

    /// Adds the energies of another potential, times a weight.
    pub fn add(&mut self, weight: f64, other: HistoryEnergy) {
        self.stored += weight * other.stored;
        self.dissipated += weight * other.dissipated;
        self.committed += weight * other.committed;
    }
}
