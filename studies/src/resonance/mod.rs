//! Resonance of element time steps: the systematic study that VTI04 4.6 leaves open.

pub mod chain;
pub mod chains;
pub mod limits;
pub mod long;
pub mod matrix;
pub mod meshes;
pub mod pair;
pub mod triple;

use stationary::integrate::avi::{Avi, AviError, AviStart};
use stationary::model::Potentials;
use std::sync::Arc;

/// Where in its step an element fires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clock {
    /// At the end, `j dt`, with half a kick at the start: the papers' clocks.
    Ends,
    /// In the middle, `(j - 1/2) dt`.
    Middles,
}

impl Clock {
    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Clock::Ends => "ends",
            Clock::Middles => "middles",
        }
    }
}

/// Numbers by lot between 0 and 1, the same for the same seed (Marsaglia's xorshift).
#[derive(Debug, Clone)]
pub struct Random(u64);

impl Random {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        (0..10).for_each(|_| {
            random.next();
        });
        random
    }

    /// The next one.
    #[expect(clippy::should_implement_trait, reason = "there is no last one")]
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Sets potentials in motion with the library's engine.
pub fn start<P: Potentials>(
    potentials: &Arc<P>,
    clock: Clock,
    (x, v): (Vec<f64>, Vec<f64>),
    mass: Vec<f64>,
    step: Vec<f64>,
) -> Result<Avi<Arc<P>>, AviError> {
    let start = AviStart { t: 0.0, x, v, mass, step };
    match clock {
        Clock::Ends => Avi::new(Arc::clone(potentials), start),
        Clock::Middles => Avi::with_midpoint_events(Arc::clone(potentials), start),
    }
}

/// Events at one step for all, over those with these steps.
pub fn saving(smallest: f64, step: &[f64]) -> f64 {
    step.len() as f64 / smallest / step.iter().map(|h| 1.0 / h).sum::<f64>()
}
