//! Where in a leg something changes at persistent contacts: one opens, begins to slip or stops slipping.

use super::{Colliding, FrictionRows, Moment, PersistentContact, SlipMode};
use crate::action::DiscreteLagrangian;
use crate::contact::Gap;
use crate::contact::generalised::{Arrival, norm};
use crate::contact::time_of_impact::Bracket;
use crate::error::Cause;
use crate::integrate::constrained::State;
use crate::integrate::impact::Departure;
use crate::linalg::dot;

/// What ends a leg besides an impact.
#[derive(Debug, Clone, PartialEq)]
pub enum Change {
    /// A persistent contact ends: its gap opens.
    Release(usize),
    /// The slip of a persistent contact vanishes.
    Stop(usize),
    /// A persistent contact can no longer keep from slipping, in this direction: the leg is to be made anew.
    Break(usize, Vec<f64>),
}

/// Friction may exceed Coulomb's bound by this part before a contact breaks loose: rounding.
const BREAKS: f64 = 1e-9;
/// The time of a change is sought to this part of the leg.
const SHARP: f64 = 1e-12;

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// Where in the leg of length `until`, which is the one solved last, something changes at the persistent contacts, and what.
    pub(in crate::integrate::impact) fn change(
        &mut self,
        from: &Departure,
        until: f64,
    ) -> Result<(f64, Option<Change>), Cause> {
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let Some(tied) = &self.paths.ties else { return Ok((until, None)) };
        let forces: Vec<f64> = (0..self.persistent.len()).map(|i| tied.impulse(own + i) / until).collect();
        if let Some(broken) = self.breaks(until) {
            return Ok((0.0, Some(broken)));
        }
        let (mut until, mut change) = (until, None);
        for i in 0..self.persistent.len() {
            if let Some(length) = self.stops_slipping(from, i, until)? {
                until = length;
                change = Some(Change::Stop(i));
            }
        }
        // A force that falls by less than it is over a leg does not vanish before the next one.
        let certain = |(x, force): (&PersistentContact, &f64)| *force > 0.0 && 2.0 * force - x.force > 0.0;
        if !self.firm && !self.persistent.iter().zip(&forces).all(certain) {
            let now = self.forces()?;
            let negative = (0..now.len()).filter(|&i| now[i] < 0.0);
            if let Some(i) = negative.min_by(|a, b| now[*a].total_cmp(&now[*b])) {
                let leaving = self.paths.leaving(from);
                let start = Moment { t: from.t, q: &from.q, p: &leaving };
                let at_start = self.forces_at(start)?[i];
                until = if at_start > 0.0 {
                    self.vanishes(from, [at_start, now[i]], until, |x| Ok(x.forces()?[i]))?
                } else {
                    0.0
                };
                change = Some(Change::Release(i));
            }
        }
        for (contact, force) in self.persistent.iter_mut().zip(forces) {
            contact.force = force;
        }
        Ok((until, change))
    }

    /// A contact whose friction exceeds Coulomb's bound in the leg that was solved last.
    fn breaks(&self, until: f64) -> Option<Change> {
        if self.firm {
            return None;
        }
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let tied = self.paths.ties.as_ref()?;
        let capacity =
            |friction: &FrictionRows| friction.coefficient * tied.impulse(own + friction.contact).max(0.0);
        // Contacts whose slip others keep at zero already help them.
        let sticks = |friction: &&FrictionRows| {
            self.persistent[friction.contact].mode == SlipMode::Stick && friction.rows.is_empty()
        };
        let help: f64 = self.friction_rows.iter().filter(sticks).map(capacity).sum();
        for friction in &self.friction_rows {
            let f: Vec<f64> = friction.rows.clone().map(|row| tied.impulse(row)).collect();
            let size = norm(&f);
            let most = capacity(friction) + help;
            let [speed, place] = friction.noise;
            if size > most * (1.0 + BREAKS) + speed + place / until {
                let direction = f.iter().map(|f| -f / size).collect();
                return Some(Change::Break(friction.contact, direction));
            }
        }
        None
    }

    /// The length after which the slip of a sliding contact vanishes, if it does within the leg.
    fn stops_slipping(&mut self, from: &Departure, i: usize, until: f64) -> Result<Option<f64>, Cause> {
        let SlipMode::Slide(direction) = self.persistent[i].mode.clone() else { return Ok(None) };
        let along = |x: &mut Self| -> Result<f64, Cause> {
            let State { q, v, .. } = &x.paths.end;
            let at = Arrival { t: x.paths.leg.t + x.paths.leg.h, q, v };
            Ok(dot(&x.persistent_slip(i, at)?.at(v), &direction))
        };
        let last = along(self)?;
        if !(last < 0.0) {
            return Ok(None);
        }
        let mut v = vec![0.0; from.q.len()];
        let p = self.paths.leaving(from);
        self.legendre.velocity(self.paths.ld.system(), from.t, &from.q, &p, &mut v)?;
        let at = Arrival { t: from.t, q: &from.q, v: &v };
        let first = dot(&self.persistent_slip(i, at)?.at(&v), &direction).max(0.0);
        self.vanishes(from, [first, last], until, along).map(Some)
    }

    /// The length after which something that is positive at the start and negative at the end of a leg vanishes. The leg of that length is
    /// then the one solved last.
    fn vanishes(
        &mut self,
        from: &Departure,
        ends: [f64; 2],
        until: f64,
        mut value: impl FnMut(&mut Self) -> Result<f64, Cause>,
    ) -> Result<f64, Cause> {
        let mut bracket = Bracket::new([0.0, until], ends);
        while bracket.width() > SHARP * until {
            let Some(x) = bracket.next() else { break };
            self.paths.again(from, x)?;
            let f = value(self)?;
            if f > 0.0 {
                bracket.raise(x, f);
            } else {
                bracket.lower(x, f);
            }
            if f == 0.0 {
                break;
            }
        }
        let length = bracket.high();
        self.paths.again(from, length)?;
        Ok(length)
    }
}
