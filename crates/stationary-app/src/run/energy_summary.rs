//! The energy of a run in its summary: the same keys for every kind of system.

use stationary::observe::{Record, Track, part, record};

/// The entry `energy`: its course since the start, with changes as parts of a scale.
pub(crate) fn energy_summary(energy: &Track, scale: f64) -> Record {
    record! {
        "initial": energy.initial(),
        "final": energy.last(),
        "scale": scale,
        "max_relative_error": part(energy.largest_change(), scale),
        "relative_drift_rate": part(energy.slope(), scale),
    }
}
