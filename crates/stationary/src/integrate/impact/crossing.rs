//! Where a leg must be cut: the first time at which a gap closes, looked for with legs of that length.

use super::{CLOSED, Colliding, Departure};
use crate::action::DiscreteLagrangian;
use crate::error::{Cause, ContactFault};
use crate::linalg::max_abs;
use crate::model::{Bounds, Gap};

/// How a leg leaves the admissible set.
#[derive(Debug, Clone, Copy)]
pub enum Violation {
    /// A gap is open after the first length and closed after the second; values with them.
    Between(usize, [f64; 2], [f64; 2]),
    /// A gap that is closed at the start does not open for long enough to be followed.
    Stays(usize),
}

/// A gap ends on the admissible side, at most this open, relative to what it is made of.
const TOUCHED: f64 = 1e-15;
/// A bounce shorter than this, in steps, is none: the gap is held.
pub const SHORT: f64 = 1e-4;
/// A gap that changes by this part of its values within rounding of the time jumps.
const JUMP: f64 = 1e-6;
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

    /// Looks at the gaps at a departure. What a gap may be below zero is rounding where it is held, else nothing.
    pub(super) fn stand(&mut self, from: &Departure) {
        self.gaps.first(from.t, &from.q, &mut self.here);
        self.slack.fill(0.0);
        for k in self.held.iter().map(|x| x.which.0).chain(self.lean.iter().copied()) {
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
            let closed = match slack == 0.0 {
                true => a <= CLOSED * self.size(&self.here, k, from.t, &from.q),
                // One piece is held; another one may just have been hit.
                false => from.kick.is_some(),
            };
            if !(b >= 0.0) {
                return match closed {
                    true => self.returns(from, k, [until, b]).map(Some),
                    false => Ok(Some(Violation::Between(k, [0.0, a + slack], [until, b]))),
                };
            }
            if b == 0.0 && max_abs(self.there.gradient(k)) == 0.0 {
                let time = from.t + until;
                return Err(Cause::Gap { gaps: vec![k], time, why: ContactFault::Flat });
            }
            if slack == 0.0
                && let Some(low) = self.dip(from, k, until)?
            {
                return match closed {
                    true => self.returns(from, k, low).map(Some),
                    false => Ok(Some(Violation::Between(k, [0.0, a], low))),
                };
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
        match value.is_finite() {
            true => Ok(value + self.slack[k]),
            false => Err(Cause::Gap { gaps: vec![k], time: t, why: ContactFault::NotFinite }),
        }
    }

    /// Whether a gap that is open at both ends closes and opens in between, and where: seen in the cubic through values and rates
    /// at both ends, then looked for with legs. Length and value there.
    fn dip(&mut self, from: &Departure, k: usize, until: f64) -> Result<Option<[f64; 2]>, Cause> {
        let (a, b) = (self.here.value()[k].max(0.0), self.there.value()[k]);
        self.paths.find_end_velocity()?;
        let rates = [self.here.rate(k, &self.v0), self.there.rate(k, &self.paths.end.v)];
        let Some(at) = lowest(a, b, rates.map(|r| r * until)) else { return Ok(None) };
        let rounding = -self.noise(k, from);
        if at * until < SOON * self.h {
            return Ok(None);
        }
        let steep = self.slope_of(k).max(self.paths.steepness(self.there.gradient(k)));
        // By secants for where the rate vanishes.
        let (mut low, mut high) = ([0.0, rates[0].min(0.0)], [until, rates[1].max(0.0)]);
        let mut x = at * until;
        let (mut found, mut side) = (None, 0.0);
        for _ in 0..40 {
            let value = self.after(from, x, k)?;
            if value < rounding {
                found = Some([x, value]);
                break;
            }
            self.paths.find_end_velocity()?;
            let rate = self.probe.rate(k, &self.paths.end.v);
            let flat = self.paths.steepness(self.probe.gradient(k)) <= 1e-2 * steep;
            if value <= 1e-6 * a.max(b) && flat {
                return Err(Cause::Gap { gaps: vec![k], time: from.t + x, why: ContactFault::Flat });
            }
            // Twice on one side: the rate bends, and halving is sooner there.
            let bends = rate.signum() == side;
            side = rate.signum();
            let end = if rate < 0.0 { &mut low } else { &mut high };
            *end = [x, rate];
            let width = high[0] - low[0];
            if !flat && value > 2.0 * rate.abs() * width || width <= 1e-9 * until || rate == 0.0 {
                break;
            }
            let secant = low[0] - low[1] * width / (high[1] - low[1]);
            let inside = secant > low[0] + 1e-3 * width && secant < high[0] - 1e-3 * width;
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
        let freed = self.freed.contains(&k);
        let held = self.slack[k] > 0.0;
        // Where one piece is held the slack is in the values, and it is larger.
        let noise = if held { 0.0 } else { self.noise(k, from) };
        if !held && value >= -noise && rate * length <= noise {
            // Nothing presses and nothing opens it: it stays closed, with a force that is nothing but rounding.
            return Ok(Violation::Stays(k));
        }
        if !freed && !held && flight < 10.0 * SHORT * self.h {
            let p = self.paths.leaving(from);
            let acceleration = self.accelerations((from.t, &from.q, &p), &[(k, None)], true)?[0];
            self.paths.again(from, length)?;
            if acceleration < 0.0 && -2.0 * rate / acceleration < SHORT * self.h {
                return Ok(Violation::Stays(k));
            }
            if acceleration > self.still(k, from.t, &from.q) {
                // It opens, as where the corner of a body that spins lifts off, and closes later by another motion.
                flight = length;
            }
        }
        let flight = if held { length } else { flight.min(length) };
        let (mut high, mut x) = ([length, value], 0.5 * flight);
        let shortest = if held { 0.1 * SHORT } else { 1e-10 };
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
        let ([mut a, mut fa], [mut b, mut fb]) = (low, high);
        // The values themselves: the method halves its own.
        let (mut above, mut below) = (fa, fb);
        let mut side = 0;
        self.jumps = false;
        for _ in 0..200 {
            if b - a <= 2.0 * f64::EPSILON * b {
                break;
            }
            let mut x = (fa * b - fb * a) / (fa - fb);
            if !(x > a && x < b) {
                x = 0.5 * (a + b);
            }
            if !(x > a && x < b) {
                break;
            }
            let f = self.after(from, x, k)?;
            if f >= 0.0 {
                if f <= TOUCHED * self.size(&self.probe, k, from.t + x, &self.paths.end.q) {
                    return Ok(x);
                }
                (a, fa, above) = (x, f, f);
                if side == 1 {
                    fb *= 0.5;
                }
                side = 1;
            } else {
                (b, fb, below) = (x, f, f);
                if side == -1 {
                    fa *= 0.5;
                }
                side = -1;
            }
        }
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
        let (above, low) = match a > 0.0 {
            true => (self.after(from, a, k)?, self.paths.end.q.clone()),
            false => (self.here.value()[k] + self.slack[k], from.q.clone()),
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

/// Where in (0, 1) the cubic with these values and slopes at 0 and 1 has a minimum that is close to zero or below it.
fn lowest(a: f64, b: f64, [ra, rb]: [f64; 2]) -> Option<f64> {
    // A gap that is convex along the path lies above its tangents at both ends.
    if ra < 0.0 && rb > 0.0 {
        let x = (a - b + rb) / (rb - ra);
        if x > 0.0 && x < 1.0 && a + ra * x < 0.0 {
            return Some(x);
        }
    }
    // p = a + ra x + c2 x^2 + c3 x^3
    let (c2, c3) = (3.0 * (b - a) - 2.0 * ra - rb, 2.0 * (a - b) + ra + rb);
    let disc = c2 * c2 - 3.0 * c3 * ra;
    if !(disc > 0.0) {
        return None;
    }
    // The minimum is the root of p' with p'' > 0: p'' = 2 c2 + 6 c3 x = 2 sqrt(disc) there.
    let x = match c2 > 0.0 {
        true => -ra / (c2 + disc.sqrt()),
        false => (disc.sqrt() - c2) / (3.0 * c3),
    };
    let value = a + x * (ra + x * (c2 + x * c3));
    (x > 0.0 && x < 1.0 && value < 0.05 * (a + b)).then_some(x)
}
