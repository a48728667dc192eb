//! The time of impact: the length at which a leg must be cut because a gap closes, sought with legs of that length.

use super::persistent::{Followed, Moment};
use super::{CLOSED, Colliding, Departure};
use crate::action::DiscreteLagrangian;
use crate::contact::Gap;
use crate::contact::time_of_impact::{Bracket, Hermite};
use crate::error::{Cause, ContactFault};
use crate::linalg::max_abs;
use crate::model::Bounds;

/// How a leg leaves the admissible set.
#[derive(Debug, Clone, Copy)]
pub enum Violation {
    /// A gap is open after the first length and closed after the second; values with them.
    Between(usize, [f64; 2], [f64; 2]),
    /// A gap that is closed at the start does not open for long enough to be followed.
    Stays(usize),
}

/// Looks for the time at which a gap closes before its best bracket is taken.
const LOOKS: usize = 200;
/// A minimum of the cubic through the ends of a leg below this part of the sum of the values there is looked at more closely.
const CLOSE: f64 = 0.05;
/// A gap ends on the admissible side, at most this open, relative to what it is made of.
const TOUCHED: f64 = 1e-15;
/// A bounce shorter than this, in steps, is not followed: the contact becomes persistent.
pub const SHORT: f64 = 1e-4;
/// A gap that changes by this part of its values within rounding of the time jumps.
const JUMP: f64 = 1e-6;
/// Looks for the lowest value of a gap between two open ends.
const DIP_LOOKS: usize = 40;
/// A lowest value below this part of the values at the ends, at a place where the gap hardly has a gradient, closes without a way out.
const DIP_CLOSED: f64 = 1e-6;
/// The gradient of a gap is lost if it falls to this part of that at the ends of the leg.
const GRADIENT_LOST: f64 = 1e-2;
/// The time of a lowest value is sought to this part of the leg.
const DIP_SHARP: f64 = 1e-9;
/// A secant so near to an end of its bracket, in parts of it, is not followed.
const DIP_EDGE: f64 = 1e-3;
/// A dip so soon after the start of a leg, in steps, is the contact that it leaves.
const SOON: f64 = 1e-6;
/// The rounding error of a gap along a leg, relative to what it is made of: a gap that is nowhere farther from zero is closed.
const NOISE: f64 = 0.1 * CLOSED;

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// The size of what a gap is made of at a place: its rounding error is a few units in the last place of that.
    pub(super) fn size(&self, bounds: &Bounds, k: usize, t: f64, q: &[f64]) -> f64 {
        let mut size = bounds.dt()[k].abs() * (t.abs() + self.h);
        for ((g, q), r) in bounds.gradient(k).iter().zip(q).zip(&self.reach) {
            size += g.abs() * (q.abs() + r);
        }
        size
    }

    /// The rounding error of a gap along a leg.
    pub(super) fn noise(&self, k: usize, from: &Departure) -> f64 {
        NOISE * self.size(&self.here, k, from.t, &from.q)
    }

    /// The size of the gradient of a gap at the start of the leg.
    pub(super) fn slope_of(&self, k: usize) -> f64 {
        self.paths.steepness(self.here.gradient(k))
    }

    /// Looks at the gaps at a departure. Where a contact persists its gap may be below zero by rounding, elsewhere by nothing.
    pub(super) fn stand(&mut self, from: &Departure) {
        self.gaps.first(from.t, &from.q, &mut self.here);
        self.slack.fill(0.0);
        for k in self.persistent.iter().map(|x| x.piece.gap).chain(self.redundant.iter().copied()) {
            self.slack[k] = 4.0 * CLOSED * self.size(&self.here, k, from.t, &from.q);
        }
    }

    /// Looks at the gaps at the end of the leg; not a number is an error.
    #[inline]
    pub(super) fn look_at_end(&mut self) -> Result<(), Cause> {
        let t = self.paths.leg.t + self.paths.leg.h;
        self.gaps.first(t, &self.paths.end.q, &mut self.there);
        for (k, value) in self.there.value().iter().enumerate() {
            if !value.is_finite() {
                return Err(Cause::Gap { gaps: vec![k], time: t, why: ContactFault::NotFinite });
            }
        }
        Ok(())
    }

    /// Whether the leg that was solved stays in the admissible set, by a sufficient test that costs little.
    #[inline]
    pub(super) fn clear(&mut self) -> Result<bool, Cause> {
        self.look_at_end()?;
        let (n, h) = (self.now.q.len(), self.paths.leg.h);
        let end = &self.paths.leg.u[self.paths.leg.u.len() - n..];
        let mut near = false;
        for k in 0..self.there.value().len() {
            let (a, b) = (self.here.value()[k], self.there.value()[k]);
            let mut travel = h * self.there.dt()[k].abs();
            for (i, g) in self.there.gradient(k).iter().enumerate() {
                travel += g.abs() * end[i].abs().max(self.reach[i]);
            }
            let open = if a < b { a } else { b };
            near |= !(open > 2.0 * travel);
        }
        if !near {
            return Ok(true);
        }
        let closed =
            |k: usize| self.here.value()[k] <= CLOSED * self.size(&self.here, k, self.now.t, &self.now.q);
        if (0..self.there.value().len()).any(|k| !(self.there.value()[k] >= 0.0) || closed(k)) {
            return Ok(false);
        }
        let from = std::mem::take(&mut self.now);
        let violation = self.violation(&from, h);
        self.now = from;
        Ok(violation?.is_none())
    }

    /// How the leg of length `until`, which is the one solved last, leaves the admissible set. It is still that one afterwards.
    pub(super) fn violation(&mut self, from: &Departure, until: f64) -> Result<Option<Violation>, Cause> {
        self.look_at_end()?;
        self.departing(from)?;
        for k in 0..self.there.value().len() {
            let slack = self.slack[k];
            let (a, b) = (self.here.value()[k], self.there.value()[k] + slack);
            let closed = if slack == 0.0 {
                a <= CLOSED * self.size(&self.here, k, from.t, &from.q)
            } else {
                // One piece persists; another one may just have been hit.
                from.kick.is_some()
            };
            if !(b >= 0.0) {
                if closed {
                    return self.returns(from, k, [until, b]).map(Some);
                }
                return Ok(Some(Violation::Between(k, [0.0, a + slack], [until, b])));
            }
            if b == 0.0 && max_abs(self.there.gradient(k)) == 0.0 {
                let time = from.t + until;
                return Err(Cause::Gap { gaps: vec![k], time, why: ContactFault::Flat });
            }
            if slack == 0.0
                && let Some(low) = self.dip(from, k, until)?
            {
                if closed {
                    return self.returns(from, k, low).map(Some);
                }
                return Ok(Some(Violation::Between(k, [0.0, a], low)));
            }
        }
        Ok(None)
    }

    /// Writes the velocity with which a departure leaves into `self.v0`.
    fn departing(&mut self, from: &Departure) -> Result<(), Cause> {
        let mut v = std::mem::take(&mut self.v0);
        self.p0.copy_from_slice(&from.p);
        if let Some(kick) = &from.kick {
            let x = self.paths.times;
            (0..v.len()).for_each(|i| self.p0[i] += x * kick.push[i] + kick.drag[i]);
        }
        let result = self.paths.velocity(from.t, &from.q, &self.p0, &mut v);
        self.v0 = v;
        result
    }

    /// Gap `k` after a leg of another length.
    fn after(&mut self, from: &Departure, length: f64, k: usize) -> Result<f64, Cause> {
        self.paths.again(from, length)?;
        let t = from.t + length;
        self.gaps.first(t, &self.paths.end.q, &mut self.probe);
        let value = self.probe.value()[k];
        if value.is_finite() {
            Ok(value + self.slack[k])
        } else {
            Err(Cause::Gap { gaps: vec![k], time: t, why: ContactFault::NotFinite })
        }
    }

    /// Whether a gap that is open at both ends closes and opens in between, and where: seen in the cubic through values and rates
    /// at both ends, then looked for with legs. Length and value there.
    fn dip(&mut self, from: &Departure, k: usize, until: f64) -> Result<Option<[f64; 2]>, Cause> {
        let (a, b) = (self.here.value()[k].max(0.0), self.there.value()[k]);
        self.paths.find_end_velocity()?;
        let rates = [self.here.rate(k, &self.v0), self.there.rate(k, &self.paths.end.v)];
        let Some(at) = lowest(Hermite { values: [a, b], slopes: rates.map(|r| r * until) }) else {
            return Ok(None);
        };
        let rounding = -self.noise(k, from);
        if at * until < SOON * self.h {
            return Ok(None);
        }
        let steep = self.slope_of(k).max(self.paths.steepness(self.there.gradient(k)));
        // By secants for where the rate vanishes.
        let (mut low, mut high) = ([0.0, rates[0].min(0.0)], [until, rates[1].max(0.0)]);
        let mut x = at * until;
        let (mut found, mut side) = (None, 0.0);
        for _ in 0..DIP_LOOKS {
            let value = self.after(from, x, k)?;
            if value < rounding {
                found = Some([x, value]);
                break;
            }
            self.paths.find_end_velocity()?;
            let rate = self.probe.rate(k, &self.paths.end.v);
            let flat = self.paths.steepness(self.probe.gradient(k)) <= GRADIENT_LOST * steep;
            if value <= DIP_CLOSED * a.max(b) && flat {
                return Err(Cause::Gap { gaps: vec![k], time: from.t + x, why: ContactFault::Flat });
            }
            // Twice on one side: the rate bends, and halving is sooner there.
            let bends = rate.signum() == side;
            side = rate.signum();
            let end = if rate < 0.0 { &mut low } else { &mut high };
            *end = [x, rate];
            let width = high[0] - low[0];
            if !flat && value > 2.0 * rate.abs() * width || width <= DIP_SHARP * until || rate == 0.0 {
                break;
            }
            let secant = low[0] - low[1] * width / (high[1] - low[1]);
            let inside = secant > low[0] + DIP_EDGE * width && secant < high[0] - DIP_EDGE * width;
            x = if inside && !bends { secant } else { 0.5 * (low[0] + high[0]) };
        }
        self.paths.again(from, until)?;
        Ok(found)
    }

    /// A gap that is closed at the start is below zero after a length: it closes again before, or it never opens.
    fn returns(&mut self, from: &Departure, k: usize, [length, value]: [f64; 2]) -> Result<Violation, Cause> {
        let rate = self.here.rate(k, &self.v0).max(0.0);
        let pressing = 2.0 * (rate * length - value) / (length * length);
        let mut flight = 2.0 * rate / pressing;
        let released = self.released.contains(&k);
        let persists = self.slack[k] > 0.0;
        // Where one piece persists the slack is in the values, and it is larger.
        let noise = if persists { 0.0 } else { self.noise(k, from) };
        if !persists && value >= -noise && rate * length <= noise {
            // Nothing presses and nothing opens it: it stays closed, with a force that is nothing but rounding.
            return Ok(Violation::Stays(k));
        }
        if !released && !persists && flight < 10.0 * SHORT * self.h {
            let p = self.paths.leaving(from);
            let acceleration =
                self.accelerations(Moment { t: from.t, q: &from.q, p: &p }, &[Followed::Gap(k)], true)?[0];
            self.paths.again(from, length)?;
            if acceleration < 0.0 && -2.0 * rate / acceleration < SHORT * self.h {
                return Ok(Violation::Stays(k));
            }
            if acceleration > self.still(k, from.t, &from.q) {
                // It opens, as where the corner of a body that spins lifts off, and closes later by another motion.
                flight = length;
            }
        }
        let flight = if persists { length } else { flight.min(length) };
        let (mut high, mut x) = ([length, value], 0.5 * flight);
        let shortest = if persists { 0.1 * SHORT } else { 1e-10 };
        while x > shortest * self.h {
            let value = self.after(from, x, k)?;
            if value > noise {
                return Ok(Violation::Between(k, [x, value], high));
            }
            high = [x, value];
            x *= 0.5;
        }
        Ok(Violation::Stays(k))
    }

    /// The length after which gap `k` closes, on the admissible side: regula falsi in a bracket (Illinois). The leg of that length
    /// is the one solved last.
    pub(super) fn root(
        &mut self,
        from: &Departure,
        k: usize,
        [low, high]: [[f64; 2]; 2],
    ) -> Result<f64, Cause> {
        let mut bracket = Bracket::new([low[0], high[0]], [low[1], high[1]]);
        // The values themselves: the bracket halves its own.
        let (mut above, mut below) = (low[1], high[1]);
        self.jumps = false;
        for _ in 0..LOOKS {
            if bracket.width() <= 2.0 * f64::EPSILON * bracket.high() {
                break;
            }
            let Some(x) = bracket.next() else { break };
            let f = self.after(from, x, k)?;
            if f >= 0.0 {
                if f <= TOUCHED * self.size(&self.probe, k, from.t + x, &self.paths.end.q) {
                    return Ok(x);
                }
                bracket.raise(x, f);
                above = f;
            } else {
                bracket.lower(x, f);
                below = f;
            }
        }
        let (a, b) = (bracket.low(), bracket.high());
        if a > 0.0 {
            self.paths.again(from, a)?;
        }
        // Legs are solved to a part of the largest of their increments.
        let rounding = CLOSED * self.size(&self.here, k, from.t, &from.q)
            + 1e-12 * self.slope_of(k) * self.paths.extent(&self.reach);
        let met = b - a <= 1e-12 * self.h;
        let allowed = JUMP * (low[1].abs() + high[1].abs()) + rounding;
        if met && above - below > allowed {
            self.jumps = self.gap_jumps(from, k, [a, b], allowed)?;
        }
        Ok(a)
    }

    /// Whether a gap that falls by more than is allowed between legs of nearly the same length does so because its formula jumps. A
    /// path that jumps is none of its faults: the energy of the impact that it leaves, or its friction, can not be met at all
    /// lengths. The leg of the first length is then the one solved last.
    fn gap_jumps(
        &mut self,
        from: &Departure,
        k: usize,
        [a, b]: [f64; 2],
        allowed: f64,
    ) -> Result<bool, Cause> {
        // Anew, because what is found may depend on the leg that was solved before.
        let (above, low) = if a > 0.0 {
            (self.after(from, a, k)?, self.paths.end.q.clone())
        } else {
            (self.here.value()[k] + self.slack[k], from.q.clone())
        };
        let fall = above - self.after(from, b, k)?;
        let mut moved = 0.0;
        for (i, g) in self.probe.gradient(k).iter().enumerate() {
            moved += g.abs() * (self.paths.end.q[i] - low[i]).abs();
        }
        if a > 0.0 {
            self.paths.again(from, a)?;
        }
        Ok(fall > allowed && !(moved >= 0.5 * fall))
    }
}

/// Where in (0, 1) a gap with these values and slopes at 0 and 1 may have closed: where the tangents at both ends meet below zero, above which a gap
/// that is convex along the path lies, or where the cubic has a minimum that is close to zero or below it.
fn lowest(ends: Hermite) -> Option<f64> {
    let [a, b] = ends.values;
    let inside = |x: f64| x > 0.0 && x < 1.0;
    if let Some(x) = ends.tangents_meet()
        && inside(x)
        && a + ends.slopes[0] * x < 0.0
    {
        return Some(x);
    }
    let [x, value] = ends.minimum()?;
    (inside(x) && value < CLOSE * (a + b)).then_some(x)
}
