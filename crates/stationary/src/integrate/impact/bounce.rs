//! Impacts on their own path: the trapezoidal rule of a separable system with a diagonal mass matrix, whose impacts are elastic, without
//! friction, and one at a time [FET03 5.1].
//!
//! There the leg of length `d` that leaves `q`, `p` has the mean momentum `m = p + (1-alpha) d f(q)` and ends at
//! `q + d M^-1 m`: explicit in its length, so the time of an impact is one equation in one unknown, (5.5), and so is the impulse
//! `lambda` along the normal, (5.7), with which the leg that leaves has the energy
//! `m.M^-1 m/2 + (1-alpha) V(q) + alpha V(q1)` of the one that arrived, (5.6a). All lives in arrays whose sizes the compiler knows.
//! Whatever is not of this kind, [`Colliding`] does, step by step, from the same state; it gives the same numbers (law:
//! `bounce_and_the_general_path_agree`).

use super::{Colliding, Impact, ImpactKind};
use crate::action::{Galerkin, Leg};
use crate::error::RunError;
use crate::integrate::{Integrator, Start, View};
use crate::linalg::Storage;
use crate::model::{Bounds, Gap, Jet, Lagrangian, Mass};

/// Steps `N` coordinates.
#[derive(Debug, Clone)]
pub struct Bounce<L, G, const N: usize> {
    /// The same steps on the general path: for those that need it, and for what only observers ask. What it knows is brought up
    /// to date for either.
    whole: Colliding<Galerkin<L>, G>,
    alpha: f64,
    start: f64,
    h: f64,
    step: u64,
    now: Point<N>,
    /// The gaps, and by how much they grew in the last step.
    open: Vec<f64>,
    trend: Vec<f64>,
    last: Last<N>,
    /// Legs and impacts of the last step, where it was cut.
    cut: Cut<N>,
    spare: Cut<N>,
    /// `1/m` of each coordinate.
    inverse: [f64; N],
    /// Whether the force is the same everywhere.
    uniform: bool,
    work: Work,
    iterations: u64,
}

/// A state and the force there.
#[derive(Debug, Clone, Copy)]
struct Point<const N: usize> {
    q: [f64; N],
    p: [f64; N],
    f: [f64; N],
}

/// How the last step was made.
#[derive(Debug, Clone, Copy)]
enum Last<const N: usize> {
    /// There was none.
    Never,
    /// Without an impact, from here.
    Plain(Point<N>),
    /// With impacts.
    Cut,
    /// On the general path, which also makes the next one if it holds more than position and momentum.
    Whole,
}

/// The legs of a step and the impacts between them.
#[derive(Debug, Clone, Default)]
struct Cut<const N: usize> {
    legs: Vec<Flight<N>>,
    impacts: Vec<Impact>,
}

/// Room for what is evaluated on the way through impacts.
#[derive(Debug, Clone)]
struct Work {
    bounds: Bounds,
    jet: Jet,
    ends: Vec<Ends>,
}

/// One gap over a leg: its value where the leg begins, its rate there before an impact and how that answers to the impulse.
#[derive(Debug, Clone, Copy)]
struct Ends {
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
    /// `V` there, and the discrete energy of the leg that arrived.
    potential: f64,
    energy: f64,
    /// The impulse of the continuous motion.
    guess: f64,
}

/// A leg.
#[derive(Debug, Clone, Copy)]
struct Flight<const N: usize> {
    t: f64,
    h: f64,
    q: [f64; N],
    /// The mean momentum.
    mean: [f64; N],
    end: [f64; N],
    /// How the end moves with the length.
    pace: [f64; N],
    /// The impulse with which the leg left an impact and its discrete energy; else zero.
    impulse: f64,
    energy: f64,
}

/// Below this relative speed towards a gap an impact is a graze, which the general path sees to.
const GRAZE: f64 = 1e-5;
/// Gaps that are smaller than this times the terms they are made of close together with one that is closed.
const TOGETHER: f64 = 1e-9;
/// A second bounce sooner than this part of the step is left to the general path, as are more than some impacts a step.
const SHORT: f64 = 1e-3;
const MOST: usize = 32;
/// Newton iterations for an impulse or a time.
const LIMIT: usize = 30;

impl<L: Lagrangian, G: Gap, const N: usize> Bounce<L, G, N> {
    /// Starts the trapezoidal rule with the parameter `alpha` as [`Colliding::new`] does; all impacts are elastic and without
    /// friction. `None` unless the system is separable with a diagonal mass matrix and there are `N` coordinates.
    pub fn new(lagrangian: L, alpha: f64, gaps: G, start: &Start) -> Result<Option<Self>, RunError> {
        let inverse = lagrangian.mass().and_then(Mass::inverse_diagonal).and_then(|d| d.try_into().ok());
        let Some(inverse) = inverse else { return Ok(None) };
        let uniform = lagrangian.uniform();
        let count = gaps.count();
        let whole = Colliding::new(Galerkin::trapezoidal(lagrangian, alpha), gaps, start)?;
        let fixed = |x: &[f64]| std::array::from_fn(|i| x[i]);
        let now = Point { q: fixed(&start.q), p: fixed(&start.p), f: [0.0; N] };
        let mut bounce = Bounce {
            whole,
            alpha,
            start: start.t,
            h: start.h,
            step: 0,
            now,
            open: vec![0.0; count],
            trend: vec![0.0; count],
            last: Last::Never,
            cut: Cut { legs: Vec::new(), impacts: Vec::new() },
            spare: Cut { legs: Vec::new(), impacts: Vec::new() },
            inverse,
            uniform,
            work: Work { bounds: Bounds::new(N, count), jet: Jet::new(N), ends: Vec::new() },
            iterations: 0,
        };
        bounce.arrive();
        Ok(Some(bounce))
    }

    /// Sets the size of the last Newton correction, relative to the increments, below which a leg of the general path is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.whole = self.whole.tolerance(tolerance);
        self
    }

    fn time(&self, step: u64) -> f64 {
        self.start + step as f64 * self.h
    }

    /// Learns force and gaps of a state that was given from outside; the next step looks at the gaps closely.
    fn arrive(&mut self) {
        let t = self.time(self.step);
        self.whole.system().force(t, &self.now.q, &mut self.now.f);
        self.whole.gaps().values(t, &self.now.q, &mut self.open);
        self.trend.fill(f64::INFINITY);
    }

    /// Makes steps while all gaps are clearly open; how many.
    #[inline(always)]
    fn plain<W: Storage>(&mut self, steps: u64) -> u64 {
        let (mut open, mut trend, mut next) =
            (W::copy(&self.open), W::copy(&self.trend), W::copy(&self.open));
        let (gaps, system, uniform) = (self.whole.gaps(), self.whole.system(), self.uniform);
        let (before, after) = ((1.0 - self.alpha) * self.h, self.alpha * self.h);
        let drift = self.inverse.map(|x| self.h * x);
        let (mut from, mut x, mut made) = (self.now, self.now, 0);
        while made < steps {
            let t = self.time(self.step + made + 1);
            let mut y = x;
            for i in 0..N {
                y.p[i] += before * y.f[i];
                y.q[i] += drift[i] * y.p[i];
            }
            gaps.values(t, &y.q, next.as_mut_slice());
            let (open, trend, next) = (open.as_mut_slice(), trend.as_mut_slice(), next.as_slice());
            if !(0..next.len()).all(|k| clear(open[k], trend[k], next[k])) {
                break;
            }
            if !uniform {
                system.force(t, &y.q, &mut y.f);
            }
            for i in 0..N {
                y.p[i] += after * y.f[i];
            }
            if !finite(&y) {
                break;
            }
            for k in 0..next.len() {
                (open[k], trend[k]) = (next[k], next[k] - open[k]);
            }
            (from, x) = (x, y);
            made += 1;
        }
        if made > 0 {
            self.open.copy_from_slice(open.as_slice());
            self.trend.copy_from_slice(trend.as_slice());
            (self.now, self.last) = (x, Last::Plain(from));
            self.step += made;
        }
        made
    }

    /// One step in which a gap may close.
    fn careful(&mut self) -> Result<(), RunError> {
        let held = matches!(self.last, Last::Whole) && !self.whole.free();
        if !held && let Some(to) = self.through() {
            let from = std::mem::replace(&mut self.now, to);
            let plain = self.spare.impacts.is_empty();
            std::mem::swap(&mut self.cut, &mut self.spare);
            self.last = if plain { Last::Plain(from) } else { Last::Cut };
            self.step += 1;
            return Ok(());
        }
        if !held {
            self.whole.place(self.step, [&self.now.q, &self.now.p], &[], &[]);
        }
        self.whole.advance(1)?;
        let view = self.whole.view();
        self.now.q.copy_from_slice(view.q);
        self.now.p.copy_from_slice(view.p);
        self.step = view.step;
        self.last = Last::Whole;
        self.arrive();
        Ok(())
    }

    /// The end of the next step, with its legs and impacts left in `spare`; `None` where it is not of our kind.
    fn through(&mut self) -> Option<Point<N>> {
        self.spare.legs.clear();
        self.spare.impacts.clear();
        let (t, end) = (self.time(self.step), self.time(self.step + 1));
        let mut from = Departure { t, at: self.now, kick: None };
        let mut left = self.h;
        self.depart(&from);
        loop {
            let whole = self.fly(&from, left, from.kick.map_or(0.0, |kick| kick.guess))?;
            self.whole.gaps().first(end, &whole.end, &mut self.work.bounds);
            let cut = self.crossing(&from, &whole)?;
            let leg = cut.map_or(whole, |(_, leg)| leg);
            if from.kick.is_some() {
                let impact = self.spare.impacts.last_mut()?;
                (impact.impulse, impact.energy_after) = (leg.impulse, leg.energy);
            }
            if self.may_dip(&leg, cut.map(|(gap, _)| gap)) {
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

    /// The state at the end of the last leg of a step; the gaps there have just been evaluated.
    fn finish(&mut self, leg: &Flight<N>, end: f64) -> Option<Point<N>> {
        let mut to = Point { q: leg.end, p: leg.mean, f: self.now.f };
        if !self.uniform {
            self.whole.system().force(end, &to.q, &mut to.f);
        }
        for i in 0..N {
            to.p[i] += self.alpha * leg.h * to.f[i];
        }
        if !finite(&to) {
            return None;
        }
        let v = self.velocity(&to.p);
        let bounds = &self.work.bounds;
        for k in 0..self.open.len() {
            (self.open[k], self.trend[k]) = (bounds.value()[k], self.h * bounds.rate(k, &v));
        }
        Some(to)
    }

    #[inline(always)]
    fn velocity(&self, p: &[f64; N]) -> [f64; N] {
        std::array::from_fn(|i| self.inverse[i] * p[i])
    }

    /// Gaps and their rates where a step begins.
    fn depart(&mut self, from: &Departure<N>) {
        let v = self.velocity(&from.at.p);
        self.whole.gaps().first(from.t, &from.at.q, &mut self.work.bounds);
        let (bounds, ends) = (&self.work.bounds, &mut self.work.ends);
        ends.clear();
        ends.extend((0..self.open.len()).map(|k| Ends {
            value: bounds.value()[k],
            rate: bounds.rate(k, &v),
            response: 0.0,
        }));
    }

    /// The leg of length `h`; off an impact with the impulse that keeps the energy, by Newton's method from a guess.
    #[inline(always)]
    fn fly(&mut self, from: &Departure<N>, h: f64, guess: f64) -> Option<Flight<N>> {
        let (at, before) = (&from.at, (1.0 - self.alpha) * h);
        let mut leg =
            Flight { t: from.t, h, q: at.q, mean: at.p, end: at.q, pace: at.p, impulse: 0.0, energy: 0.0 };
        for i in 0..N {
            leg.mean[i] += before * at.f[i];
            leg.end[i] += h * self.inverse[i] * leg.mean[i];
            leg.pace[i] = self.inverse[i] * (leg.mean[i] + before * at.f[i]);
        }
        match &from.kick {
            None => Some(leg),
            Some(kick) => self.push(&from.at, kick, leg, guess),
        }
    }

    /// The leg with the impulse of an impact: a root of the energy, which is a parabola in the impulse but for the curvature of
    /// the potential.
    fn push(&mut self, at: &Point<N>, kick: &Kick<N>, free: Flight<N>, guess: f64) -> Option<Flight<N>> {
        let (h, alpha, inverse, normal) = (free.h, self.alpha, &self.inverse, &kick.normal);
        let (mut leg, mut impulse, mut before) = (free, guess, f64::INFINITY);
        let stiffness: f64 = (0..N).map(|i| inverse[i] * normal[i] * normal[i]).sum();
        for _ in 0..LIMIT {
            for i in 0..N {
                leg.mean[i] = free.mean[i] + impulse * normal[i];
                leg.end[i] = at.q[i] + h * inverse[i] * leg.mean[i];
            }
            let jet = &mut self.work.jet;
            self.whole.system().first(free.t + h, &leg.end, &[0.0; N], jet);
            let kinetic: f64 = (0..N).map(|i| 0.5 * inverse[i] * leg.mean[i] * leg.mean[i]).sum();
            let (here, there) = ((1.0 - alpha) * kick.potential, -alpha * jet.value());
            let (energy, size) = (kinetic + here + there, kinetic.abs() + here.abs() + there.abs());
            let excess = energy - kick.energy;
            let slope: f64 =
                (0..N).map(|i| inverse[i] * (leg.mean[i] - alpha * h * jet.dq()[i]) * normal[i]).sum();
            let root = (slope * slope - 2.0 * stiffness * excess).sqrt();
            let change = -2.0 * excess / (slope + root);
            if !(slope > 0.0) || change.is_nan() || jet.dt() != 0.0 {
                return None;
            }
            self.iterations += 1;
            let small =
                excess.abs() <= 2.0 * f64::EPSILON * size || change.abs() <= f64::EPSILON * impulse.abs();
            if small || (change.abs() >= before && change.abs() <= 1e-12 * impulse.abs()) {
                (leg.impulse, leg.energy) = (impulse, energy);
                self.pace(at, &mut leg, normal, slope);
                return Some(leg);
            }
            before = change.abs();
            impulse += change;
        }
        None
    }

    /// How the end of a leg off an impact moves with its length, the impulse following to keep the energy.
    fn pace(&self, at: &Point<N>, leg: &mut Flight<N>, normal: &[f64; N], slope: f64) {
        let (before, alpha, dq) = (1.0 - self.alpha, self.alpha, self.work.jet.dq());
        let mut gain = 0.0;
        for i in 0..N {
            let (v, a) = (self.inverse[i] * leg.mean[i], self.inverse[i] * before * at.f[i]);
            leg.pace[i] = v + leg.h * a;
            gain += v * before * at.f[i] - alpha * dq[i] * leg.pace[i];
        }
        let answer = -gain / slope;
        for i in 0..N {
            leg.pace[i] += leg.h * self.inverse[i] * normal[i] * answer;
        }
    }

    /// The gap that closes first in a leg whose end has been looked at, and the leg until then, at whose end they then have been;
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

    /// The leg at whose end gap `k` closes: Newton's method in a bracket.
    fn closing(&mut self, from: &Departure<N>, until: Flight<N>, k: usize) -> Option<Flight<N>> {
        let (mut low, mut high, mut leg) = (0.0, until.h, until);
        if from.kick.is_some_and(|kick| kick.gap == k) {
            // It must open before it can close again.
            while !(self.work.bounds.value()[k] > 0.0) {
                high = leg.h;
                if high < SHORT * self.h {
                    return None;
                }
                leg = self.look(from, 0.5 * high, leg.impulse)?;
            }
            low = leg.h;
        } else if !(self.work.ends[k].value > 0.0) {
            return None;
        }
        for _ in 0..LIMIT {
            let (value, rate) = (self.work.bounds.value()[k], self.work.bounds.rate(k, &leg.pace));
            let mut next = leg.h - value / rate;
            if !(next > low && next < high) {
                next = 0.5 * (low + high);
            }
            let moved = (next - leg.h).abs();
            leg = self.look(from, next, leg.impulse)?;
            let bounds = &self.work.bounds;
            let value = bounds.value()[k];
            *(if value >= 0.0 { &mut low } else { &mut high }) = next;
            if moved <= 2.0 * f64::EPSILON * until.h
                || value.abs() <= 0.5 * f64::EPSILON * bounds.terms(k, &leg.end)
            {
                return Some(leg);
            }
            if value.is_nan() {
                return None;
            }
        }
        None
    }

    /// A leg, and the gaps at its end.
    fn look(&mut self, from: &Departure<N>, h: f64, guess: f64) -> Option<Flight<N>> {
        let leg = self.fly(from, h, guess)?;
        self.whole.gaps().first(from.t + h, &leg.end, &mut self.work.bounds);
        self.iterations += 1;
        Some(leg)
    }

    /// Whether a gap may have closed and opened again within a leg, or a wall have moved: by the cubic through values and rates at
    /// the ends. `closed` is the gap that closes at the end.
    fn may_dip(&self, leg: &Flight<N>, closed: Option<usize>) -> bool {
        let bounds = &self.work.bounds;
        (0..self.open.len()).any(|k| {
            let Ends { value, rate, response } = self.work.ends[k];
            let ends = [value, if closed == Some(k) { 0.0 } else { bounds.value()[k] }];
            let rates = [rate + leg.impulse * response, bounds.rate(k, &leg.pace)];
            !stays_open(ends, rates.map(|r| r * leg.h))
        })
    }

    /// The impact at the end of a leg where gap `gap` is closed, noted but for what the leg that leaves it will tell.
    fn contact(&mut self, from: &Departure<N>, leg: &Flight<N>, gap: usize) -> Option<Departure<N>> {
        let (alpha, time) = (self.alpha, from.t + leg.h);
        let mut energy = leg.energy;
        if from.kick.is_none() {
            self.whole.system().first(from.t, &leg.q, &[0.0; N], &mut self.work.jet);
            let kinetic: f64 = (0..N).map(|i| 0.5 * self.inverse[i] * leg.mean[i] * leg.mean[i]).sum();
            energy = kinetic - (1.0 - alpha) * self.work.jet.value();
        }
        let Work { bounds, jet, ends } = &mut self.work;
        let moving = jet.dt() != 0.0 || bounds.dt()[gap] != 0.0;
        self.whole.system().first(time, &leg.end, &[0.0; N], jet);
        if from.kick.is_none() {
            energy -= alpha * jet.value();
        }
        let mut at = Point { q: leg.end, p: leg.mean, f: [0.0; N] };
        at.f.copy_from_slice(&jet.dq()[..N]);
        let mut normal = [0.0; N];
        normal.copy_from_slice(&bounds.gradient(gap)[..N]);
        let (mut rate, mut stiffness, mut speed) = (0.0, 0.0, 0.0);
        for i in 0..N {
            at.p[i] += alpha * leg.h * at.f[i];
            rate += self.inverse[i] * normal[i] * at.p[i];
            stiffness += self.inverse[i] * normal[i] * normal[i];
            speed += self.inverse[i] * at.p[i] * at.p[i];
        }
        let swift = rate < 0.0 && stiffness > 0.0 && rate * rate > GRAZE * GRAZE * stiffness * speed;
        let alone = |k: usize| k == gap || bounds.value()[k] > TOGETHER * bounds.terms(k, &leg.end);
        if moving || jet.dt() != 0.0 || !swift || !(0..bounds.value().len()).all(alone) {
            return None;
        }
        let (v, answer) = (self.inverse, self.inverse);
        let v: [f64; N] = std::array::from_fn(|i| v[i] * at.p[i]);
        let answer: [f64; N] = std::array::from_fn(|i| answer[i] * normal[i]);
        for (k, end) in ends.iter_mut().enumerate() {
            let value = if k == gap { 0.0 } else { bounds.value()[k] };
            let response = (0..N).map(|i| bounds.gradient(k)[i] * answer[i]).sum();
            *end = Ends { value, rate: bounds.rate(k, &v), response };
        }
        self.spare.impacts.push(Impact {
            time,
            kind: ImpactKind::Bounce,
            gap,
            others: Vec::new(),
            impulse: f64::NAN,
            friction: 0.0,
            energy_before: energy,
            energy_after: f64::NAN,
        });
        let kick = Kick { gap, normal, potential: -jet.value(), energy, guess: -2.0 * rate / stiffness };
        Some(Departure { t: time, at, kick: Some(kick) })
    }

    /// The general path after the last step.
    fn whole(&mut self) -> Option<&mut Colliding<Galerkin<L>, G>> {
        let (t, h, inverse) = (self.time(self.step.checked_sub(1)?), self.h, self.inverse);
        let leg = |t: f64, h: f64, q: &[f64; N], mean: &[f64; N]| {
            let u = (0..N).map(|i| h * inverse[i] * mean[i]).collect();
            Leg { t, h, q: q.to_vec(), u }
        };
        let (legs, impacts) = match &self.last {
            Last::Never => return None,
            Last::Whole => return Some(&mut self.whole),
            Last::Plain(from) => {
                let mean = std::array::from_fn(|i| from.p[i] + (1.0 - self.alpha) * h * from.f[i]);
                (vec![leg(t, h, &from.q, &mean)], [].as_slice())
            }
            Last::Cut => {
                let legs = self.cut.legs.iter().map(|x| leg(x.t, x.h, &x.q, &x.mean)).collect();
                (legs, self.cut.impacts.as_slice())
            }
        };
        self.whole.place(self.step, [&self.now.q, &self.now.p], &legs, impacts);
        Some(&mut self.whole)
    }
}

/// Whether a gap that grew by `trend` in the last step and now from `open` to `next` can not have closed between: both ends lie above
/// what a curve bent as these values are may dip, and above a part of its changes for what they do not tell.
#[inline(always)]
fn clear(open: f64, trend: f64, next: f64) -> bool {
    let change = next - open;
    let bend = change - trend;
    let least = if open < next { open } else { next };
    least > (if bend > 0.0 { bend } else { 0.0 }) + 0.0625 * (change.abs() + trend.abs())
}

/// Whether the cubic with these values and slopes at the ends of the unit interval stays positive inside, with a margin.
fn stays_open([a, b]: [f64; 2], [da, db]: [f64; 2]) -> bool {
    if !(a >= 0.0 && b >= 0.0 && (da - da) + (db - db) == 0.0) {
        return false;
    }
    if da >= 0.0 && db <= 0.0 {
        return true;
    }
    let (rise, margin) = (b - a, 0.02 * (da.abs() + db.abs()));
    // x' = da + 2 second s + 3 third s^2.
    let (second, third) = (3.0 * rise - 2.0 * da - db, da + db - 2.0 * rise);
    let root = (second * second - 3.0 * third * da).sqrt();
    if root.is_nan() {
        return true;
    }
    // The minimum is the root with the rising slope.
    let s = if second > 0.0 { -da / (second + root) } else { (root - second) / (3.0 * third) };
    !(s > 0.0 && s < 1.0) || a + s * (da + s * (second + s * third)) > margin
}

#[inline(always)]
fn finite<const N: usize>(x: &Point<N>) -> bool {
    let mut sum = 0.0;
    for i in 0..N {
        sum += x.q[i].abs() + x.p[i].abs();
    }
    sum < f64::INFINITY
}

impl<L: Lagrangian, G: Gap, const N: usize> Integrator for Bounce<L, G, N> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        let mut left = steps;
        while left > 0 {
            let led = matches!(self.last, Last::Whole) && !self.whole.free();
            if !led {
                left -= match self.open.len() {
                    1 => self.plain::<[f64; 1]>(left),
                    2 => self.plain::<[f64; 2]>(left),
                    4 => self.plain::<[f64; 4]>(left),
                    _ => self.plain::<Vec<f64>>(left),
                };
            }
            if left > 0 {
                self.careful()?;
                left -= 1;
            }
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        let q = &self.now.q;
        View { step: self.step, t: self.time(self.step), q, p: &self.now.p, canonical: q }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        self.whole()?.discrete_energy()
    }

    fn action(&mut self) -> Option<f64> {
        self.whole()?.action()
    }

    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        self.whole().is_some_and(|whole| whole.tangent(matrix))
    }

    fn impacts(&self) -> &[Impact] {
        match self.last {
            Last::Whole => self.whole.impacts(),
            Last::Cut => &self.cut.impacts,
            Last::Never | Last::Plain(_) => &[],
        }
    }

    fn iterations(&self) -> u64 {
        self.iterations + self.whole.iterations()
    }
}
