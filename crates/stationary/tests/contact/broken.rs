//! Twins of the systems that are broken on purpose: each law must notice its fault.

use super::rigs::{Exchange, Incline, Rig, Struck, Thrown};

/// What is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The rebound is a thousandth too fast.
    Rebound,
    /// Friction leaves a little of the slip that it should stop.
    Slip,
    /// More friction is recorded than acts.
    FrictionRecord,
    /// A thousandth more spin than there should be.
    Spin,
    /// A smaller impulse is recorded than acts.
    ImpulseRecord,
    /// The bodies of a pair go on together too fast.
    Exchange,
    /// Friction is a fifth less than Coulomb's.
    Incline,
}

pub struct Broken<'a> {
    pub rig: &'a dyn Rig,
    pub fault: Fault,
}

impl Rig for Broken<'_> {
    fn name(&self) -> &'static str {
        self.rig.name()
    }

    fn throw(&self, thrown: &Thrown) -> Option<Struck> {
        let mut struck = self.rig.throw(thrown)?;
        match self.fault {
            Fault::Rebound => struck.after[1] += 1e-3 * struck.before[1].abs(),
            Fault::Slip => struck.after[0] += 1e-3 * struck.before[0],
            Fault::FrictionRecord => struck.friction *= 1.001,
            Fault::Spin => {
                struck.after[2] *= 1.001;
                struck.energy[1] = thrown.energy(&struck.after);
            }
            Fault::ImpulseRecord => struck.impulse *= 0.999,
            Fault::Exchange | Fault::Incline => {}
        }
        Some(struck)
    }

    fn exchange(&self, exchange: &Exchange) -> [f64; 2] {
        let after = self.rig.exchange(exchange);
        if self.fault == Fault::Exchange { after.map(|v| v + 1e-6) } else { after }
    }

    fn slide(&self, incline: &Incline) -> f64 {
        let part = if self.fault == Fault::Incline { 0.8 } else { 1.0 };
        self.rig.slide(&Incline { friction: part * incline.friction, ..*incline })
    }
}
