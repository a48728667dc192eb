//! Whether the energy of a run rises out of the range of its past: the sign of unstable time steps that is seen first.
//!
//! The trend of [`Growth`](super::growth::Growth) needs a rise through the whole past. An instability is exponential: it is hidden in the
//! oscillation of the energy for most of the run, and then rises within a few rows.

use stationary::archive::{Archive, Persist};

/// The past is kept in at most so many parts; when they are full, each two become one.
const PARTS: usize = 64;

/// Rows of the present, which are compared with the past.
const RECENT: usize = 4;

/// Slower rises are sought over so many parts of the past, with at least three times as many before them. An exponential is seen where it
/// grows threefold over one of them.
const LAGS: [usize; 3] = [4, 8, 16];

/// The past has at least so many times the length of the rise: oscillations have then shown most of their range.
const PAST: usize = 3;

/// A rise counts where it is so many times the range of the past. A parabola from the middle of the past on rises less.
const RANGES: f64 = 2.0;

/// The energy of rows since the time steps were set.
#[derive(Debug, Clone, Default)]
pub(super) struct Rise {
    /// The last rows, the latest last.
    recent: Vec<f64>,
    /// Rows before them: sum, smallest and largest energy of equal numbers of rows.
    parts: Vec<[f64; 3]>,
    /// Rows in a part, and in the last one.
    size: u64,
    filled: u64,
    /// Energy when the time steps were reduced, and the range of the past then.
    reduced_at: Option<[f64; 2]>,
}

impl Rise {
    /// Adds the energy of a row.
    pub fn add(&mut self, energy: f64) {
        self.recent.push(energy);
        if self.recent.len() > RECENT {
            let past = self.recent.remove(0);
            self.add_to_past(past);
        }
    }

    fn add_to_past(&mut self, energy: f64) {
        self.size = self.size.max(1);
        match self.parts.last_mut() {
            Some([sum, least, most]) if self.filled < self.size => {
                *sum += energy;
                *least = least.min(energy);
                *most = most.max(energy);
                self.filled += 1;
            }
            _ => {
                self.parts.push([energy; 3]);
                self.filled = 1;
            }
        }
        if self.parts.len() == PARTS && self.filled == self.size {
            let join = |p: &[[f64; 3]]| [p[0][0] + p[1][0], p[0][1].min(p[1][1]), p[0][2].max(p[1][2])];
            self.parts = self.parts.chunks_exact(2).map(join).collect();
            self.size *= 2;
            self.filled = self.size;
        }
    }

    /// How far the energy has risen above the range of the past: within the last rows, or within four parts on average over more of them;
    /// nought if this is no rise.
    pub fn now(&self) -> f64 {
        let mut largest = self.rise_after_reduction();
        if self.parts.len() >= PAST * RECENT && self.recent.len() == RECENT {
            let rows: [f64; RECENT] = std::array::from_fn(|i| self.recent[i]);
            largest = largest.max(rise_above(&self.parts, rows));
        }
        let whole = self.parts.len() - usize::from(self.filled < self.size);
        for lag in LAGS.into_iter().filter(|lag| whole >= (PAST + 1) * lag) {
            let (past, rise) = self.parts[..whole].split_at(whole - lag);
            let quarter = |i: usize| {
                let parts = &rise[i * lag / 4..(i + 1) * lag / 4];
                parts.iter().map(|p| p[0]).sum::<f64>() / (parts.len() as u64 * self.size) as f64
            };
            let rate = LAGS[0] as f64 / lag as f64;
            largest = largest.max(rate * rise_above(past, std::array::from_fn(quarter)));
        }
        largest
    }

    /// Steps that were reduced and are still unstable go on to raise the energy at once.
    fn rise_after_reduction(&self) -> f64 {
        match (self.reduced_at, self.recent.last()) {
            (Some([energy, past]), Some(now)) if self.is_new() && now - energy > RANGES * past => {
                now - energy
            }
            _ => 0.0,
        }
    }

    /// Whether there is no past yet with which to compare.
    pub fn is_new(&self) -> bool {
        self.parts.len() < PAST * RECENT
    }

    /// How far an energy lies above all before it; nought where there is none before.
    pub fn jump_to(&self, energy: f64) -> f64 {
        let most = self.recent.iter().copied().fold(range(&self.parts)[1], f64::max);
        if most.is_finite() { energy - most } else { 0.0 }
    }

    /// Begins anew: the time steps were reduced at this energy.
    pub fn restart(&mut self, energy: f64) {
        let [least, most] = range(&self.parts);
        let past = match self.reduced_at {
            Some([_, past]) if self.is_new() => past,
            _ => (most - least).max(0.0),
        };
        *self = Rise { reduced_at: Some([energy, past]), ..Rise::default() };
    }
}

/// How far the last of four energies lies above the range of the past, if this is a rise that steepens; otherwise nought.
fn rise_above(past: &[[f64; 3]], energies: [f64; 4]) -> f64 {
    let [least, most] = range(past);
    let steepens = energies[3] - energies[2] > energies[1] - energies[0];
    let rise = energies[3] - most;
    if steepens && rise > RANGES * (most - least) { rise } else { 0.0 }
}

/// The smallest and the largest energy of some parts.
fn range(parts: &[[f64; 3]]) -> [f64; 2] {
    parts
        .iter()
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], p| [least.min(p[1]), most.max(p[2])])
}

impl Persist for Rise {
    fn pass(&mut self, archive: &mut Archive) {
        archive
            .pass(&mut self.recent)
            .pass(&mut self.parts)
            .pass(&mut self.size)
            .pass(&mut self.filled)
            .pass(&mut self.reduced_at);
        let fits = self.recent.len() <= RECENT && self.parts.len() <= PARTS && self.filled <= self.size;
        archive.require(fits, "the past of its energy is not what such a run writes");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first row at which the energy has risen by more than `counts`.
    fn seen(rows: u32, counts: f64, energy: impl Fn(f64) -> f64) -> Option<u32> {
        let mut rise = Rise::default();
        (0..=rows).find(|i| {
            rise.add(energy(f64::from(*i)));
            rise.now() > counts
        })
    }

    fn wave(period: f64, row: f64) -> f64 {
        (2.0 * std::f64::consts::PI * row / period).sin()
    }

    #[test]
    fn exponential_growth_is_seen_as_soon_as_it_leaves_the_oscillation_and_an_oscillation_is_not_seen() {
        // An oscillation of 0.1 %, and an exponential that reaches 0.4 % at row 300.
        for folding in [2.0, 3.0, 6.0, 10.0, 20.0] {
            let energy = |row: f64| 1.0 + 1e-3 * wave(7.3, row) + 4e-3 * ((row - 300.0) / folding).exp();
            let found = seen(500, 4e-3, energy).unwrap();
            let grown = energy(f64::from(found)) - 1.0;
            assert!((290..350).contains(&found) && grown < 0.06, "{folding}: row {found}, {grown}");
        }
        for period in [3.7, 11.0, 61.3, 200.0, 1000.0, 3000.0] {
            for phase in 0..12 {
                let energy = |row: f64| 1.0 + 0.05 * wave(period, row + period * f64::from(phase) / 12.0);
                assert_eq!(seen(2000, 4e-3, energy), None, "{period} {phase}");
            }
        }
        assert_eq!(seen(2000, 4e-3, |row| 1.0 - 0.1 * row), None);
        assert_eq!(seen(2000, 4e-3, |row| 1.0 + 0.1 * row), None);
        assert_eq!(seen(2000, 4e-3, |row| 1.0 - (-row).exp()), None);
    }

    #[test]
    fn growth_that_goes_on_after_a_restart_is_seen_at_once() {
        let mut rise = Rise::default();
        (0..50).for_each(|i| rise.add(1.0 + 1e-3 * wave(7.3, f64::from(i))));
        rise.restart(1.006);
        rise.add(1.0065);
        assert_eq!(rise.now(), 0.0);
        rise.add(1.013);
        assert!(rise.now() > 6e-3);
        assert!(rise.jump_to(1.1) > 0.08 && Rise::default().jump_to(1.0) == 0.0);
    }

    #[test]
    fn a_restored_past_goes_on_as_before() {
        let energy = |row: u32| 1.0 + 1e-3 * wave(7.3, f64::from(row)) + 1e-5 * (f64::from(row) / 9.0).exp();
        let mut whole = Rise::default();
        (0..90).for_each(|row| whole.add(energy(row)));
        let mut archive = Archive::writer();
        archive.pass(&mut whole);
        let mut again = Rise::default();
        let mut archive = Archive::reader(archive.into_bytes());
        archive.pass(&mut again);
        archive.finish().unwrap();
        for row in 90..150 {
            whole.add(energy(row));
            again.add(energy(row));
            assert_eq!(whole.now().to_bits(), again.now().to_bits());
        }
        assert!(whole.now() > 0.0);
    }
}
