//! A step in which a gap closes, or may: where its legs end [FET03 (5.5)-(5.10)].

use super::{Bounce, Point};
use crate::action::DiscreteLagrangian;
use crate::archive::{Archive, Persist};
use crate::contact::time_of_impact::Hermite;
use crate::contact::{Gap, GapImpact};
use crate::integrate::impact::impulse::{FASTEST, SLOWEST};
use crate::model::{Bounds, Jet, Lagrangian};

/// Below this relative speed towards a gap an impact is a graze, which the general path sees to.
const GRAZE: f64 = 1e-5;
/// Gaps that are smaller than this times the terms they are made of close together with one that is closed.
const TOGETHER: f64 = 1e-9;
/// A second bounce sooner than this part of the step is left to the general path, as are more than some impacts a step.
const SHORT: f64 = 1e-3;
const MOST: usize = 32;
/// A gap may have closed within a leg if the cubic through its ends comes as near to zero as this part of the slopes there.
const MARGIN: f64 = 0.02;
/// Newton iterations for an impulse or a time.
const LIMIT: usize = 30;

/// The legs of a step and the impacts between them.
#[derive(Debug, Clone)]
pub struct Cut<const N: usize> {
    pub legs: Vec<Flight<N>>,
    pub impacts: Vec<GapImpact>,
}

impl<const N: usize> Default for Cut<N> {
    fn default() -> Self {
        Cut { legs: Vec::new(), impacts: Vec::new() }
    }
}

/// A leg.
#[derive(Debug, Clone, Copy)]
pub struct Flight<const N: usize> {
    pub t: f64,
    pub h: f64,
    pub q: [f64; N],
    /// The mean momentum.
    pub mean: [f64; N],
    end: [f64; N],
    /// How the end moves with the length, with the same impulse.
    pace: [f64; N],
    /// The impulse with which the leg left an impact, and its discrete energy; zero if it left none.
    impulse: f64,
    energy: f64,
}

/// Room for what is evaluated on the way.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub bounds: Bounds,
    pub jet: Jet,
    pub ends: Vec<Outset>,
    pub values: Vec<f64>,
}

/// A gap where a leg begins: its value, its rate before an impact there and how that answers to the impulse.
#[derive(Debug, Clone, Copy)]
pub struct Outset {
    value: f64,
    rate: f64,
    response: f64,
}

/// How a leg begins.
#[derive(Debug, Clone, Copy)]
struct Departure<const N: usize> {
    t: f64,
    at: Point<N>,
    kick: Option<Kick<N>>,
}

/// The impact that a leg leaves.
#[derive(Debug, Clone, Copy)]
struct Kick<const N: usize> {
    gap: usize,
    normal: [f64; N],
    /// `n.M^-1 n`.
    response: f64,
    /// `V` there, and the discrete energy of the leg that arrived.
    potential: f64,
    energy: f64,
    /// The impulse that mirrors the momentum.
    mirror: f64,
}

impl<L: Lagrangian, G: Gap, const N: usize> Bounce<L, G, N> {
    /// The end of the next step, with its legs and impacts left in `spare`; `None` where it is not of our kind.
    pub(super) fn through(&mut self) -> Option<Point<N>> {
        self.spare.legs.clear();
        self.spare.impacts.clear();
        let (t, end) = (self.time(self.step), self.time(self.step + 1));
        let mut from = Departure { t, at: self.now, kick: None };
        let mut left = self.h;
        self.depart(&from);
        loop {
            let mut whole = self.fly(&from, left);
            if let Some(kick) = &from.kick {
                whole = self.push(kick, whole)?;
            }
            self.look(end, &whole.end);
            let cut = self.crossing(&from, &whole)?;
            let leg = cut.map_or(whole, |(_, leg)| leg);
            if from.kick.is_some() {
                let impact = self.spare.impacts.last_mut()?;
                (impact.impulse, impact.energy_after) = (leg.impulse, leg.energy);
            }
            if self.may_dip(&from, &leg, cut.map(|(gap, _)| gap)) {
                return None;
            }
            self.spare.legs.push(leg);
            let Some((gap, _)) = cut else { return self.finish(&leg, end) };
            from = self.contact(&from, &leg, gap)?;
            left -= leg.h;
            if !(left > 1e-12 * self.h && self.spare.impacts.len() < MOST) {
                return None;
            }
        }
    }

    /// The state at the end of the last leg of a step; the gaps there have just been looked at.
    #[inline(always)]
    fn finish(&mut self, leg: &Flight<N>, end: f64) -> Option<Point<N>> {
        let mut to = Point { q: leg.end, p: leg.mean, f: self.now.f };
        if self.uniform.is_none() {
            self.system().force(end, &to.q, &mut to.f);
        }
        let mut v = [0.0; N];
        for i in 0..N {
            to.p[i] += self.alpha * leg.h * to.f[i];
            v[i] = self.inverse[i] * to.p[i];
        }
        if !to.is_finite() {
            return None;
        }
        let bounds = &self.work.bounds;
        for k in 0..self.open.len() {
            (self.open[k], self.trend[k]) = (bounds.value()[k], self.h * rate(bounds, k, &v));
        }
        Some(to)
    }

    /// Gaps and their rates where a step begins.
    #[inline(always)]
    fn depart(&mut self, from: &Departure<N>) {
        self.look(from.t, &from.at.q);
        let v: [f64; N] = std::array::from_fn(|i| self.inverse[i] * from.at.p[i]);
        let (bounds, ends) = (&self.work.bounds, &mut self.work.ends);
        ends.clear();
        let outset = |k: usize| Outset { value: bounds.value()[k], rate: rate(bounds, k, &v), response: 0.0 };
        ends.extend((0..self.open.len()).map(outset));
    }

    /// Looks at the gaps at a place.
    #[inline(always)]
    fn look(&mut self, t: f64, q: &[f64; N]) {
        if self.planes.is_empty() {
            self.whole.parts().1.first(t, q, &mut self.work.bounds);
        } else {
            let values = self.work.bounds.parts().value;
            values.iter_mut().zip(&self.planes).for_each(|(x, plane)| *x = plane.height(q));
        }
    }

    /// `V` and the force at a place; `None` if `V` changes in time there.
    #[inline(always)]
    fn potential(&mut self, t: f64, q: &[f64; N], force: &mut [f64; N]) -> Option<f64> {
        if let Some(zero) = self.uniform {
            *force = self.now.f;
            return Some(zero - (0..N).map(|i| force[i] * q[i]).sum::<f64>());
        }
        let jet = &mut self.work.jet;
        self.whole.parts().0.system().first(t, q, &[0.0; N], jet);
        force.copy_from_slice(&jet.dq()[..N]);
        (jet.dt() == 0.0).then_some(-jet.value())
    }

    /// The leg of length `h` without what an impact where it begins adds.
    #[inline(always)]
    fn fly(&self, from: &Departure<N>, h: f64) -> Flight<N> {
        let (Point { q, p, f }, before, t) = (&from.at, (1.0 - self.alpha) * h, from.t);
        let mut leg = Flight { t, h, q: *q, mean: *p, end: *q, pace: *p, impulse: 0.0, energy: 0.0 };
        for i in 0..N {
            leg.mean[i] += before * f[i];
            leg.end[i] += h * self.inverse[i] * leg.mean[i];
            leg.pace[i] = self.inverse[i] * (leg.mean[i] + before * f[i]);
        }
        leg
    }

    /// The leg with the impulse of an impact that keeps the energy: a root of that, which is a parabola in the impulse but for the
    /// curvature of the potential.
    #[inline(always)]
    fn push(&mut self, kick: &Kick<N>, free: Flight<N>) -> Option<Flight<N>> {
        let (h, alpha, inverse, normal) = (free.h, self.alpha, self.inverse, &kick.normal);
        let (mut leg, mut impulse, mut before, mut force) = (free, 0.0, f64::INFINITY, [0.0; N]);
        for _ in 0..LIMIT {
            let (mut kinetic, mut slope) = (0.0, 0.0);
            for i in 0..N {
                leg.mean[i] = free.mean[i] + impulse * normal[i];
                leg.end[i] = free.q[i] + h * inverse[i] * leg.mean[i];
                kinetic += 0.5 * inverse[i] * leg.mean[i] * leg.mean[i];
            }
            let there = alpha * self.potential(free.t + h, &leg.end, &mut force)?;
            for i in 0..N {
                slope += inverse[i] * (leg.mean[i] - alpha * h * force[i]) * normal[i];
            }
            let here = (1.0 - alpha) * kick.potential;
            let (energy, size) = (kinetic + here + there, kinetic.abs() + here.abs() + there.abs());
            let excess = energy - kick.energy;
            self.iterations += 1;
            // Where it stops falling it is rounding, too.
            let small = excess.abs() <= 2.0 * f64::EPSILON * size
                || (excess.abs() >= before && excess.abs() <= 32.0 * f64::EPSILON * size);
            if small && slope > 0.0 {
                // A rebound of which the general path takes the momentum alone.
                let rebound = 2.0 * impulse / kick.mirror - 1.0;
                if !(rebound > SLOWEST && rebound < 1.0 + FASTEST) {
                    return None;
                }
                (leg.impulse, leg.energy) = (impulse, energy);
                for i in 0..N {
                    leg.pace[i] = free.pace[i] + impulse * inverse[i] * normal[i];
                }
                return Some(leg);
            }
            before = excess.abs();
            // The root on the far side of the lowest energy, where the motion leads away.
            let root = (slope * slope - 2.0 * kick.response * excess).sqrt();
            impulse +=
                if slope > 0.0 { -2.0 * excess / (slope + root) } else { (root - slope) / kick.response };
            if impulse.is_nan() {
                return None;
            }
        }
        None
    }

    /// The same out of line, for legs that may be of any length.
    #[cold]
    #[inline(never)]
    fn push_again(&mut self, kick: &Kick<N>, free: Flight<N>) -> Option<Flight<N>> {
        self.push(kick, free)
    }

    /// The gap that closes first in a leg whose end has been looked at, and the leg until then, whose end then has been;
    /// `Some(None)` if all are open at the end.
    #[inline(always)]
    fn crossing(&mut self, from: &Departure<N>, whole: &Flight<N>) -> Option<Option<(usize, Flight<N>)>> {
        let mut first = None;
        for k in 0..self.open.len() {
            if !(self.work.bounds.value()[k] >= 0.0) {
                let until = first.map_or(*whole, |(_, leg)| leg);
                first = Some((k, self.closing(from, until, k)?));
            }
        }
        Some(first)
    }

    #[inline(always)]
    fn until(&mut self, from: &Departure<N>, h: f64) -> Option<Flight<N>> {
        let leg = self.fly(from, h);
        match &from.kick {
            None => Some(leg),
            Some(kick) => self.push_again(kick, leg),
        }
    }

    /// The leg at whose end gap `k` closes: Newton's method in a bracket.
    #[inline(always)]
    fn closing(&mut self, from: &Departure<N>, until: Flight<N>, k: usize) -> Option<Flight<N>> {
        let (mut low, mut high, mut leg) = (0.0, until.h, until);
        if from.kick.is_some_and(|kick| kick.gap == k) {
            // It must open before it can close again.
            while !(self.work.bounds.value()[k] > 0.0) {
                high = leg.h;
                if high < SHORT * self.h {
                    return None;
                }
                leg = self.until(from, 0.5 * high)?;
                self.look(from.t + leg.h, &leg.end);
            }
            low = leg.h;
        } else if !(self.work.ends[k].value > 0.0) {
            return None;
        }
        // First where the parabola through the gap and its rate at the start and the gap at the end has its root.
        let Outset { value: first, rate: slope, response } = self.work.ends[k];
        let slope = slope + leg.impulse * response;
        let bend = self.work.bounds.value()[k] - first - slope * leg.h;
        let fall = -slope * leg.h;
        let mut next = 2.0 * leg.h * first / ((fall * fall - 4.0 * bend * first).sqrt() + fall);
        for _ in 0..LIMIT {
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            leg = self.until(from, next)?;
            self.look(from.t + next, &leg.end);
            self.iterations += 1;
            let bounds = &self.work.bounds;
            let value = bounds.value()[k];
            let correction = value / rate(bounds, k, &leg.pace);
            if correction.abs() <= 2.0 * f64::EPSILON * until.h
                || value.abs() <= 0.5 * f64::EPSILON * terms(bounds, k, &leg.end)
                || high - low <= 2.0 * f64::EPSILON * until.h
            {
                return Some(leg);
            }
            *(if value >= 0.0 { &mut low } else { &mut high }) = next;
            next -= correction;
            if value.is_nan() {
                return None;
            }
        }
        None
    }

    /// Whether a gap may have closed and opened again within a leg: by the cubic through values and rates at the ends, and in the
    /// middle of a leg without an impulse. `closed` is the gap that closes at the end.
    #[inline(always)]
    fn may_dip(&mut self, from: &Departure<N>, leg: &Flight<N>, closed: Option<usize>) -> bool {
        if self.planes.is_empty() && from.kick.is_none() {
            let middle = self.fly(from, 0.5 * leg.h);
            let values = &mut self.work.values;
            self.whole.parts().1.values(from.t + middle.h, &middle.end, values);
            if !values.iter().all(|x| *x > 0.0) {
                return true;
            }
        }
        let bounds = &self.work.bounds;
        (0..self.open.len()).any(|k| {
            let Outset { value, rate: before, response } = self.work.ends[k];
            let ends = [value, if closed == Some(k) { 0.0 } else { bounds.value()[k] }];
            let rates = [before + leg.impulse * response, rate(bounds, k, &leg.pace)];
            !stays_open(Hermite { values: ends, slopes: rates.map(|r| r * leg.h) })
        })
    }

    /// The impact at the end of a leg where a gap is closed, noted but for what the leg that leaves it will tell.
    #[inline(always)]
    fn contact(&mut self, from: &Departure<N>, leg: &Flight<N>, gap: usize) -> Option<Departure<N>> {
        let (alpha, time, inverse) = (self.alpha, from.t + leg.h, self.inverse);
        let mut at = Point { q: leg.end, p: leg.mean, f: [0.0; N] };
        let potential = self.potential(time, &leg.end, &mut at.f)?;
        let energy = match from.kick {
            Some(_) => leg.energy,
            None => {
                let kinetic: f64 = (0..N).map(|i| 0.5 * inverse[i] * leg.mean[i] * leg.mean[i]).sum();
                let before = self.potential(from.t, &leg.q, &mut [0.0; N])?;
                kinetic + (1.0 - alpha) * before + alpha * potential
            }
        };
        if !self.gaps().smooth_at(gap, time, &leg.end) {
            return None;
        }
        let Workspace { bounds, ends, .. } = &mut self.work;
        let mut normal = [0.0; N];
        normal.copy_from_slice(&bounds.gradient(gap)[..N]);
        let (mut v, mut answer, mut closing, mut response, mut speed) = ([0.0; N], [0.0; N], 0.0, 0.0, 0.0);
        for i in 0..N {
            at.p[i] += alpha * leg.h * at.f[i];
            (v[i], answer[i]) = (inverse[i] * at.p[i], inverse[i] * normal[i]);
            closing += v[i] * normal[i];
            response += answer[i] * normal[i];
            speed += v[i] * at.p[i];
        }
        let swift = closing < 0.0 && response > 0.0 && closing * closing > GRAZE * GRAZE * response * speed;
        let alone = |k: usize| k == gap || bounds.value()[k] > TOGETHER * terms(bounds, k, &leg.end);
        if !swift || bounds.dt()[gap] != 0.0 || !(0..ends.len()).all(alone) {
            return None;
        }
        for (k, end) in ends.iter_mut().enumerate() {
            let value = if k == gap { 0.0 } else { bounds.value()[k] };
            let dt = bounds.dt()[k];
            *end = Outset { value, rate: rate(bounds, k, &v), response: rate(bounds, k, &answer) - dt };
        }
        self.spare.impacts.push(GapImpact::without_impulse(time, gap, energy, 0.0));
        let mirror = -2.0 * closing / response;
        Some(Departure { t: time, at, kick: Some(Kick { gap, normal, response, potential, energy, mirror }) })
    }
}

/// Whether the cubic with these values and slopes at the ends of the unit interval stays positive inside, with a margin.
#[inline(always)]
fn stays_open(ends: Hermite) -> bool {
    let [a, b] = ends.values;
    let [da, db] = ends.slopes;
    if !(a >= 0.0 && b >= 0.0 && da.is_finite() && db.is_finite()) {
        return false;
    }
    if da >= 0.0 && db <= 0.0 {
        return true;
    }
    if ends.tangents_meet().is_some_and(|x| a + da * x < 0.0) {
        return false;
    }
    let [second, third] = ends.coefficients();
    if (da > 0.0) == (db > 0.0) && second.abs() >= 3.0 * third.abs() {
        // The slope is monotone and keeps its sign.
        return true;
    }
    let margin = MARGIN * (da.abs() + db.abs());
    ends.minimum().is_none_or(|[s, value]| !(s > 0.0 && s < 1.0) || value > margin)
}

/// How fast gap `k` opens at a velocity.
#[inline(always)]
fn rate<const N: usize>(bounds: &Bounds, k: usize, v: &[f64; N]) -> f64 {
    let gradient = &bounds.gradient(k)[..N];
    (0..N).map(|i| gradient[i] * v[i]).sum::<f64>() + bounds.dt()[k]
}

/// The size of what gap `k` is made of at a place: its rounding error is a few units in the last place of that.
#[inline(always)]
fn terms<const N: usize>(bounds: &Bounds, k: usize, q: &[f64; N]) -> f64 {
    let gradient = &bounds.gradient(k)[..N];
    (0..N).map(|i| (gradient[i] * q[i]).abs()).sum()
}

impl<const N: usize> Default for Flight<N> {
    fn default() -> Self {
        let none = [0.0; N];
        Flight { t: 0.0, h: 0.0, q: none, mean: none, end: none, pace: none, impulse: 0.0, energy: 0.0 }
    }
}

impl<const N: usize> Persist for Flight<N> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.t).pass(&mut self.h).pass(&mut self.q).pass(&mut self.mean);
        archive.pass(&mut self.end).pass(&mut self.pace).pass(&mut self.impulse).pass(&mut self.energy);
    }
}

impl<const N: usize> Persist for Cut<N> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.legs).pass(&mut self.impacts);
    }
}
