//! Steps far from contact: kick, drift, a look at the gaps, force, kick.

use super::{Bounce, Last, Point};
use crate::contact::Gap;
use crate::integrate::Start;
use crate::linalg::Storage;
use crate::model::{Bounds, Lagrangian};

/// Steps between looks at whether all is finite.
const BLOCK: u64 = 1024;
/// The part of its change over two steps that a gap must have left: what values do not tell of the path between them.
const HEDGE: f64 = 0.5;

/// A gap that is an affine function of the place, at all times the same.
#[derive(Debug, Clone, Copy)]
pub struct Plane<const N: usize> {
    normal: [f64; N],
    offset: f64,
}

impl<const N: usize> Plane<N> {
    /// The planes of gaps that are all planes; none otherwise. A formula that jumps has a constant gradient, too, and is no plane.
    pub fn all<G: Gap>(gaps: &G, start: &Start) -> Vec<Self> {
        if !gaps.flat() {
            return Vec::new();
        }
        let mut bounds = Bounds::new(N, gaps.count());
        gaps.first(start.t, &[0.0; N], &mut bounds);
        let normal = |k: usize| std::array::from_fn(|i| bounds.gradient(k)[i]);
        let planes: Vec<Self> =
            (0..gaps.count()).map(|k| Plane { normal: normal(k), offset: bounds.value()[k] }).collect();
        gaps.first(start.t, &start.q, &mut bounds);
        let q = std::array::from_fn(|i| start.q[i]);
        let lies = |(plane, value): (&Plane<N>, &f64)| {
            let size: f64 = plane.offset.abs() + (0..N).map(|i| (plane.normal[i] * q[i]).abs()).sum::<f64>();
            plane.normal.iter().any(|x| *x != 0.0) && (plane.height(&q) - value).abs() <= 1e-9 * size
        };
        if planes.iter().zip(bounds.value()).all(lies) { planes } else { Vec::new() }
    }

    /// The gap at a place.
    #[inline(always)]
    pub fn height(&self, q: &[f64; N]) -> f64 {
        let mut sum = self.offset;
        for i in 0..N {
            sum += self.normal[i] * q[i];
        }
        sum
    }
}

impl<const N: usize> Plane<N> {
    /// How many steps end above the plane, at these growths of the place over a step and of that from step to step: the parabola's
    /// root, but for rounding.
    #[inline(always)]
    fn steps_above(&self, q: &[f64; N], speed: &[f64; N], gain: &[f64; N]) -> f64 {
        let (mut rise, mut bend) = (0.0, 0.0);
        for i in 0..N {
            rise += self.normal[i] * speed[i];
            bend += self.normal[i] * gain[i];
        }
        let (height, fall) = (self.height(q), -rise);
        // height - fall n + bend n^2/2 = 0; 0 steps where a value is not a number.
        let square = fall * fall - 2.0 * bend * height;
        if square < 0.0 || (fall <= 0.0 && bend >= 0.0) {
            // Never. Of a parabola that turns above the plane this is sure if it does so clearly.
            return if height > 0.0 && !(square.abs() < 1e-3 * fall * fall) { f64::INFINITY } else { 0.0 };
        }
        let root = square.sqrt();
        let count = if fall > 0.0 { 2.0 * height / (fall + root) } else { (root - fall) / -bend };
        0.999_999 * count - 1e-3
    }
}

/// Steps without impacts: the state, place and mean momentum of the leg that led to it, and the gaps.
#[derive(Debug, Clone)]
struct Run<const N: usize, W> {
    now: Point<N>,
    leg: ([f64; N], [f64; N]),
    open: W,
    trend: W,
    made: u64,
}

impl<const N: usize, W: Storage> Run<N, W> {
    #[inline(always)]
    fn commit<L, G>(self, to: &mut Bounce<L, G, N>) -> u64 {
        if self.made > 0 {
            to.open.copy_from_slice(self.open.as_slice());
            to.trend.copy_from_slice(self.trend.as_slice());
            (to.now, to.last) = (self.now, Last::Plain(self.leg.0, self.leg.1));
            to.step += self.made;
        }
        self.made
    }
}

/// What shows with least effort that gaps are clearly open: bounds on their change in a step and on the growth of that from step to
/// step, and what they must then be larger than.
struct Watch<W> {
    change: W,
    bend: W,
    guard: W,
}

impl<W: Storage> Watch<W> {
    #[inline(always)]
    fn new(trend: &W) -> Self {
        let mut watch = Watch { change: trend.clone(), bend: trend.clone(), guard: trend.clone() };
        for (k, trend) in trend.as_slice().iter().enumerate() {
            watch.set(k, *trend, *trend);
        }
        watch
    }

    #[inline(always)]
    fn set(&mut self, k: usize, trend: f64, change: f64) {
        let (bend, most) = (change - trend, 1.25 * larger(trend.abs(), change.abs()));
        let bend = 2.0 * larger(bend, 0.0) + HEDGE * most;
        self.change.as_mut_slice()[k] = most;
        self.bend.as_mut_slice()[k] = bend;
        self.guard.as_mut_slice()[k] = most + bend + 2.0 * HEDGE * most;
    }

    /// Whether all gaps are clearly open by these bounds.
    #[inline(always)]
    fn far(&self, open: &W, trend: &W, next: &W) -> bool {
        (0..next.as_slice().len()).all(|k| {
            let change = next.as_slice()[k] - open.as_slice()[k];
            change.abs() <= self.change.as_slice()[k]
                && change - trend.as_slice()[k] <= self.bend.as_slice()[k]
                && next.as_slice()[k] > self.guard.as_slice()[k]
        })
    }

    /// Whether they are clearly open: gaps that grew by `trend` in the last step and now from `open` to `next` can not have closed
    /// between. Both ends lie above what a curve bent as these values are may dip, and above a part of its changes for what they
    /// do not tell. Makes the bounds new.
    fn closer(&mut self, open: &W, trend: &W, next: &W) -> bool {
        (0..next.as_slice().len()).all(|k| {
            let (open, trend, next) = (open.as_slice()[k], trend.as_slice()[k], next.as_slice()[k]);
            let change = next - open;
            self.set(k, trend, change);
            let least = -larger(-open, -next);
            least > larger(change - trend, 0.0) + HEDGE * (change.abs() + trend.abs())
        })
    }
}

#[inline(always)]
fn smaller(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

#[inline(always)]
fn larger(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

impl<L: Lagrangian, G: Gap, const N: usize> Bounce<L, G, N> {
    /// Makes steps while all gaps are clearly open; how many.
    #[inline]
    pub(super) fn plain(&mut self, steps: u64) -> u64 {
        let (gaps, system) = (self.gaps(), self.system());
        let ask = |t: f64, q: &[f64; N], out: &mut [f64]| gaps.values(t, q, out);
        let push = |t: f64, q: &[f64; N], f: &mut [f64; N]| system.force(t, q, f);
        let keep = |_: f64, _: &[f64; N], _: &mut [f64; N]| {};
        match (self.planes.is_empty(), self.open.len(), self.uniform.is_some()) {
            (false, _, true) => self.glide(steps),
            (_, 1, true) => self.run::<[f64; 1]>(steps, ask, keep).commit(self),
            (_, 1, false) => self.run::<[f64; 1]>(steps, ask, push).commit(self),
            (_, _, true) => self.run::<Vec<f64>>(steps, ask, keep).commit(self),
            (_, _, false) => self.run::<Vec<f64>>(steps, ask, push).commit(self),
        }
    }

    /// The same under a uniform force over planes: all gaps are parabolas in time, so how many steps there are before one closes is
    /// known beforehand.
    #[inline(always)]
    fn glide(&mut self, steps: u64) -> u64 {
        let Point { mut q, mut p, f } = self.now;
        let (mut count, mut speed, mut gain) = (steps.min(BLOCK) as f64, [0.0; N], [0.0; N]);
        for i in 0..N {
            speed[i] = self.h * self.inverse[i] * p[i];
            gain[i] = self.h * self.h * self.inverse[i] * f[i];
        }
        for plane in &self.planes {
            count = smaller(count, plane.steps_above(&q, &speed, &gain));
        }
        // Also where it is not a number.
        if !(count >= 1.0) {
            return 0;
        }
        let (before, after) = ((1.0 - self.alpha) * self.h, self.alpha * self.h);
        let drift = self.inverse.map(|x| self.h * x);
        let (mut leg, made) = ((q, p), count as u64);
        for _ in 0..made {
            let mut mean = p;
            leg.0 = q;
            for i in 0..N {
                mean[i] = p[i] + before * f[i];
                q[i] += drift[i] * mean[i];
                p[i] = mean[i] + after * f[i];
            }
            leg.1 = mean;
        }
        let now = Point { q, p, f };
        if !now.is_finite() || !self.planes.iter().all(|plane| plane.height(&q) > 0.0) {
            return 0;
        }
        (self.now, self.last) = (now, Last::Plain(leg.0, leg.1));
        self.step += made;
        made
    }

    /// The same, where gaps and forces are found so. Steps are made in blocks: a value that is not finite stays so, and such a block
    /// is left to be made step by step.
    #[inline(always)]
    fn run<W: Storage>(
        &self,
        steps: u64,
        values: impl Fn(f64, &[f64; N], &mut [f64]),
        force: impl Fn(f64, &[f64; N], &mut [f64; N]),
    ) -> Run<N, W> {
        let (open, trend) = (W::copy(&self.open), W::copy(&self.trend));
        let mut run = Run { now: self.now, leg: ([0.0; N], [0.0; N]), open, trend, made: 0 };
        while run.made < steps {
            let wanted = (run.made + BLOCK).min(steps);
            let next = self.block(run.clone(), wanted, &values, &force);
            if !next.now.is_finite() {
                break;
            }
            run = next;
            if run.made < wanted {
                break;
            }
        }
        run
    }

    /// Steps until so many are made, or a gap is not clearly open.
    #[inline(always)]
    fn block<W: Storage>(
        &self,
        run: Run<N, W>,
        wanted: u64,
        values: impl Fn(f64, &[f64; N], &mut [f64]),
        force: impl Fn(f64, &[f64; N], &mut [f64; N]),
    ) -> Run<N, W> {
        let Run { now: Point { mut q, mut p, mut f }, mut leg, mut open, mut trend, mut made } = run;
        let (before, after) = ((1.0 - self.alpha) * self.h, self.alpha * self.h);
        let drift = self.inverse.map(|x| self.h * x);
        let (mut mean, mut end, mut next, mut watch) = (p, q, open.clone(), Watch::new(&trend));
        macro_rules! accept {
            ($t:expr) => {
                for k in 0..next.as_slice().len() {
                    trend.as_mut_slice()[k] = next.as_slice()[k] - open.as_slice()[k];
                    open.as_mut_slice()[k] = next.as_slice()[k];
                }
                force($t, &end, &mut f);
                leg = (q, mean);
                for i in 0..N {
                    p[i] = mean[i] + after * f[i];
                }
                q = end;
                made += 1;
            };
        }
        loop {
            // The loop within keeps all in registers where it calls nothing.
            let mut near = false;
            while made < wanted {
                let t = self.time(self.step + made + 1);
                for i in 0..N {
                    mean[i] = p[i] + before * f[i];
                    end[i] = q[i] + drift[i] * mean[i];
                }
                values(t, &end, next.as_mut_slice());
                near = !watch.far(&open, &trend, &next);
                if near {
                    break;
                }
                accept!(t);
            }
            if !near || !watch.closer(&open, &trend, &next) {
                break;
            }
            accept!(self.time(self.step + made + 1));
        }
        Run { now: Point { q, p, f }, leg, open, trend, made }
    }
}
