//! What happens at an impact: the impulse that the laws of the contacts ask for.
//!
//! With `R` the inverse of the mass matrix on the motions that the system's constraints allow, `r_k = n_k . v + phi_t` the rates with
//! which gaps close on arrival and `n_k` their gradients:
//!
//! - The approach is stopped by the impulse `W = sum_k mu_k n_k` of least energy ([`cone`](super::cone)), in the cone of normals
//!   [FET03 (5.17)]. An impact gives `(1 + e) W`, so that the energy lost is `(1 - e^2) W.R W / 2`. Of several restitutions at once the
//!   mean counts, weighted with the energy that each contact stops.
//! - At a corner, where smooth pieces of a gap meet as a minimum, each is a contact of its own; where they meet as a maximum one
//!   suffices, and the one that needs the least impulse is taken.
//! - Friction [FET03 (2.37)] acts on the slip velocities `s = T v + c` by an impulse `T' f`. The contact sticks, `s = 0` afterwards, if
//!   `|f| <= mu lambda` allows, with `lambda` the impulse along the normal; else `f = -mu lambda s/|s|`. Normal and
//!   friction impulse are found together, so that the rate after is `-e` times that before. Without slip formulas `T` is an
//!   orthonormal basis, in the metric `R`, of what is perpendicular to the normal, and `lambda` is measured in that metric too.
//! - Where friction would add energy, by its coupling to the normal, it is scaled down until it does not.

use super::ties::Which;
use super::{Colliding, Departure, Impact, ImpactKind, cone, path::Kick};
use crate::action::DiscreteLagrangian;
use crate::error::{Cause, ContactFault};
use crate::integrate::constrained::project::fill;
use crate::linalg::{Lu, dot, natural_units};
use crate::model::{Bounds, Constraint, Gap, Jet, Lagrangian, Simultaneous};

/// One contact.
#[derive(Debug, Clone)]
pub struct Touch {
    pub which: Which,
    /// `phi`, zero but for rounding.
    pub value: f64,
    pub normal: Vec<f64>,
    /// `phi_t`.
    pub dt: f64,
    /// `R n`.
    pub response: Vec<f64>,
    /// Rate of the gap before.
    pub rate: f64,
    /// Below this, negative, a rate is more than rounding.
    pub rounding: f64,
}

impl Touch {
    fn rate_at(&self, v: &[f64]) -> f64 {
        dot(&self.normal, v) + self.dt
    }
    pub(super) fn own(&self) -> f64 {
        dot(&self.normal, &self.response)
    }
}

/// The inverse of the mass matrix on the motions that constraints allow.
pub struct Metric {
    lu: Lu,
    /// Units of the coordinates in which their inertias are of one size: pivots do not depend on the user's units.
    units: Vec<f64>,
    size: usize,
}

impl Metric {
    pub fn new<L: Lagrangian>(l: &L, (t, q, v): (f64, &[f64], &[f64]), ties: &Bounds) -> Result<Self, Cause> {
        let n = q.len();
        let mut jet = Jet::new(n);
        l.second(t, q, v, &mut jet);
        let size = n + ties.value().len();
        let mut lu = Lu::new(size);
        let mut units = vec![1.0; n];
        natural_units(jet.dvv(), n, &mut units);
        for (k, x) in jet.parts().dvv.iter_mut().enumerate() {
            *x *= units[k / n] * units[k % n];
        }
        let mut ties = ties.clone();
        for (k, x) in ties.parts().dq.iter_mut().enumerate() {
            *x *= units[k % n];
        }
        fill(&mut lu, &jet, &ties, n);
        if !lu.factor() {
            return Err(Cause::Singular);
        }
        Ok(Metric { lu, units, size })
    }

    /// `R x`.
    pub fn response(&self, x: &[f64]) -> Vec<f64> {
        let mut b = vec![0.0; self.size];
        for (i, unit) in self.units.iter().enumerate() {
            b[i] = unit * x[i];
        }
        self.lu.solve(&mut b);
        b.truncate(self.units.len());
        b.iter_mut().zip(&self.units).for_each(|(b, unit)| *b *= unit);
        b
    }
}

/// The slip of a contact: rows of `T`, their responses, the slip of a place at rest, and how much friction there is for an
/// impulse of one along the normal.
pub struct Slip {
    n: usize,
    pub rows: Vec<Vec<f64>>,
    pub response: Vec<Vec<f64>>,
    pub rest: Vec<f64>,
    pub coefficient: f64,
}

impl Slip {
    pub fn at(&self, v: &[f64]) -> Vec<f64> {
        self.rows.iter().zip(&self.rest).map(|(row, c)| dot(row, v) + c).collect()
    }

    /// The size of what the slip is made of: its rounding error is a few units in the last place of that.
    pub fn terms(&self, v: &[f64]) -> f64 {
        let one = |(row, c): (&Vec<f64>, &f64)| {
            row.iter().zip(v).map(|(t, v)| (t * v).abs()).sum::<f64>() + c.abs()
        };
        self.rows.iter().zip(&self.rest).map(one).fold(0.0, f64::max)
    }

    /// How much the slip answers to an impulse, at most.
    pub fn give(&self) -> f64 {
        (0..self.rows.len()).map(|k| dot(&self.rows[k], &self.response[k])).fold(0.0, f64::max)
    }

    /// `T' f`.
    pub fn force(&self, f: &[f64]) -> Vec<f64> {
        combine(&self.rows, f, self.n)
    }

    /// The `f` that brings the slip `s` to zero.
    fn stop(&self, s: &[f64]) -> Option<Vec<f64>> {
        let r = s.len();
        let mut lu = Lu::new(r);
        let unit: Vec<f64> = (0..r).map(|i| unit(dot(&self.rows[i], &self.response[i]))).collect();
        for i in 0..r {
            for j in 0..r {
                lu.matrix()[i * r + j] = unit[i] * unit[j] * dot(&self.rows[i], &self.response[j]);
            }
        }
        let mut f: Vec<f64> = s.iter().zip(&unit).map(|(s, u)| -u * s).collect();
        lu.factor().then(|| lu.solve(&mut f))?;
        f.iter_mut().zip(&unit).for_each(|(f, u)| *f *= u);
        Some(f)
    }
}

impl Blow {
    /// Between which multiples of the push the energy is to be met, if nothing leaves at the multiple `stopped`. Where energy is lost a
    /// rebound must lose its part in any case, or the error of the discrete energy would keep bounces alive; where it is not, a
    /// graze must not become a bounce.
    fn within(&self, stopped: f64) -> [f64; 2] {
        let room = 1.0 - stopped;
        match self.restitution {
            1.0 => [stopped + SLOWEST * room, 1.0 + FASTEST * room],
            e => {
                let room = 0.05 * (1.0 - e).min(e) / e * room;
                [1.0 - room, 1.0 + room]
            }
        }
    }
}

/// A rebound slower than this, relative to that of the law, is not sought, nor one faster by as much energy: were only those left out for
/// which the energy does not suffice, the others would gain what these lack, and the energy would climb.
pub(super) const SLOWEST: f64 = 0.02;
pub(super) const FASTEST: f64 = std::f64::consts::SQRT_2 - 1.0;

/// The impulse of an impact.
struct Blow {
    /// Impulses along the normals.
    lambda: Vec<f64>,
    drag: Vec<f64>,
    friction: f64,
    restitution: f64,
    /// Whether nothing is lost.
    elastic: bool,
}

pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// The unit in which a diagonal entry is one; zero stays zero.
fn unit(diagonal: f64) -> f64 {
    if diagonal > 0.0 { diagonal.sqrt().recip() } else { 1.0 }
}

/// The sum of rows of length `n` with weights.
fn combine(rows: &[Vec<f64>], weights: &[f64], n: usize) -> Vec<f64> {
    let mut sum = vec![0.0; n];
    for (row, w) in rows.iter().zip(weights) {
        sum.iter_mut().zip(row).for_each(|(s, x)| *s += w * x);
    }
    sum
}

impl<D: DiscreteLagrangian, G: Gap> Colliding<D, G> {
    /// The metric at a place, on the system's own constraints.
    pub(super) fn metric(&self, t: f64, q: &[f64], v: &[f64]) -> Result<Metric, Cause> {
        let own = self.system.as_ref().map_or(0, |c| c.count());
        let mut bounds = Bounds::new(q.len(), own);
        if let Some(constraint) = &self.system {
            constraint.first(t, q, &mut bounds);
        }
        Metric::new(self.paths.ld.system(), (t, q, v), &bounds)
    }

    /// Gaps that are held or closed at a place but for rounding, and those that would close within [`TOGETHER`]: at the rate they have, or as fast, by
    /// the energy, as the fastest of these does, because its blow may be passed on to them.
    fn near(&self, metric: &Metric, (t, q, v): (f64, &[f64], &[f64])) -> Vec<usize> {
        let value = self.probe.value();
        let together = TOGETHER * self.h;
        let closing = |k: usize| -self.probe.rate(k, v);
        // At rest what a gap is made of may be less than the value at which it is held.
        let held = |k: usize| self.held.iter().any(|x| x.which.0 == k) || self.lean.contains(&k);
        let closed = |k: usize| {
            let rounding = super::NEAR * self.size(&self.probe, k, t, q);
            held(k) || value[k] <= rounding.max(together * closing(k))
        };
        let length = |k: usize| {
            let normal = self.probe.gradient(k);
            dot(normal, &metric.response(normal)).sqrt()
        };
        let mut fastest = 0.0_f64;
        for k in (0..value.len()).filter(|&k| closed(k)) {
            let speed = closing(k) / length(k);
            // The gradient of a formula may vanish at a corner.
            if speed.is_finite() {
                fastest = fastest.max(speed);
            }
        }
        let soon = |k: usize| fastest > 0.0 && value[k] <= together * fastest * length(k);
        (0..value.len()).filter(|&k| closed(k) || soon(k)).collect()
    }

    /// All contacts at a place that is reached with the velocity `v`: pieces of gaps that are closed but for rounding.
    pub(super) fn touches(&mut self, t: f64, q: &[f64], v: &[f64]) -> Result<(Vec<Touch>, Metric), Cause> {
        let metric = self.metric(t, q, v)?;
        let n = q.len();
        let gaps = std::sync::Arc::clone(&self.gaps);
        gaps.first(t, q, &mut self.probe);
        let near = self.near(&metric, (t, q, v));
        let mut room = Bounds::new(n, gaps.count());
        let mut all = Vec::new();
        for gap in near {
            let mut best: Option<(f64, Vec<Touch>)> = None;
            let within = super::NEAR * self.size(&self.probe, gap, t, q);
            for list in gaps.pieces(gap, t, q, within) {
                let mut touches = Vec::with_capacity(list.len());
                let mut need = 0.0_f64;
                for piece in list {
                    gaps.piece((gap, piece), t, q, false, &mut room);
                    let (normal, dt) = (room.gradient(gap).to_vec(), room.dt()[gap]);
                    let response = metric.response(&normal);
                    let rate = dot(&normal, v) + dt;
                    let speed = |i: usize| v[i].abs() + self.reach[i] / self.h;
                    let terms: f64 = (0..n).map(|i| normal[i].abs() * speed(i)).sum();
                    let touch = Touch {
                        which: (gap, piece),
                        value: room.value()[gap],
                        normal,
                        dt,
                        response,
                        rate,
                        rounding: -1e-12 * (terms + dt.abs()),
                    };
                    let own = touch.own();
                    let flat = self.paths.steepness(&touch.normal) <= 1e-6 * self.slope_of(gap);
                    if !(own > 0.0 && own.is_finite()) || flat {
                        let why = if own.is_nan() { ContactFault::NotFinite } else { ContactFault::Flat };
                        return Err(Cause::Gap { gaps: vec![gap], time: t, why });
                    }
                    need = need.max((-rate).max(0.0) / own.sqrt());
                    touches.push(touch);
                }
                if best.as_ref().is_none_or(|(least, _)| need < *least) {
                    best = Some((need, touches));
                }
            }
            all.extend(best.map(|(_, touches)| touches).unwrap_or_default());
        }
        Ok((all, metric))
    }

    /// The slip of a contact at a place, among all contacts there.
    pub(super) fn slip(&self, touch: &Touch, all: &[Touch], metric: &Metric, (t, q): (f64, &[f64])) -> Slip {
        let (n, gap) = (q.len(), touch.which.0);
        let r = self.gaps.slips(gap);
        let mu = self.laws[gap].friction;
        if r == 0 {
            // An orthonormal basis of what is perpendicular to the normals: along one of them friction would press or lift.
            let size = touch.own().sqrt();
            let mut across = 1;
            let mut basis: Vec<(Vec<f64>, Vec<f64>)> = vec![(
                touch.normal.iter().map(|x| x / size).collect(),
                touch.response.iter().map(|x| x / size).collect(),
            )];
            let normals = all.iter().map(|other| other.normal.clone());
            let axes = (0..n).map(|i| (0..n).map(|j| if i == j { 1.0 } else { 0.0 }).collect());
            for (k, mut x) in normals.chain(axes).enumerate() {
                let before = dot(&metric.response(&x), &x);
                for _ in 0..2 {
                    for (row, response) in &basis {
                        let part = dot(response, &x);
                        x.iter_mut().zip(row).for_each(|(x, y)| *x -= part * y);
                    }
                }
                let response = metric.response(&x);
                let own = dot(&x, &response);
                if own > 1e-10 * before.abs() {
                    let scale = own.sqrt().recip();
                    x.iter_mut().for_each(|x| *x *= scale);
                    basis.push((x, response.iter().map(|y| y * scale).collect()));
                }
                if k + 1 == all.len() {
                    across = basis.len();
                }
            }
            let (rows, response): (Vec<_>, Vec<_>) = basis.into_iter().skip(across).unzip();
            return Slip { n, rest: vec![0.0; rows.len()], rows, response, coefficient: mu * size };
        }
        let (mut rows, mut rest) = (vec![0.0; r * n], vec![0.0; r]);
        self.gaps.slip(gap, t, q, &mut rows, &mut rest);
        let rows: Vec<Vec<f64>> = rows.chunks(n).map(<[f64]>::to_vec).collect();
        let response = rows.iter().map(|row| metric.response(row)).collect();
        Slip { n, rows, response, rest, coefficient: mu }
    }

    /// The impact at a place that was reached with a discrete energy; `None` if no gap closes there.
    pub(super) fn strike(&mut self, at: &Departure, before: f64) -> Result<Option<(Kick, Impact)>, Cause> {
        let mut v = vec![0.0; at.q.len()];
        self.legendre.velocity(self.paths.ld.system(), at.t, &at.q, &at.p, &mut v)?;
        let (touches, metric) = self.touches(at.t, &at.q, &v)?;
        if touches.iter().all(|x| x.rate >= x.rounding) {
            return Ok(None);
        }
        let (mu, e) = self.stop(at.t, &touches, &v)?;
        let blow = self.blow((at.t, &at.q, &v), &touches, &metric, (mu, e));
        let normals: Vec<Vec<f64>> = touches.iter().map(|x| x.normal.clone()).collect();
        let push = combine(&normals, &blow.lambda, v.len());
        let power: f64 = touches.iter().zip(&blow.lambda).map(|(x, l)| x.dt * l).sum();
        let through = metric.response(&push);
        let slowed = metric.response(&blow.drag);
        let own = dot(&push, &through);
        let arriving: f64 = dot(&push, &v) + dot(&push, &slowed) + power;
        let total: Vec<f64> = push.iter().zip(&blow.drag).map(|(a, b)| a + b).collect();
        let change = match blow.elastic {
            true => -power,
            false => dot(&total, &v) + 0.5 * (own + 2.0 * dot(&push, &slowed) + dot(&blow.drag, &slowed)),
        };
        let first = (0..touches.len())
            .max_by(|&a, &b| blow.lambda[a].total_cmp(&blow.lambda[b]))
            .expect("a gap is closed");
        let gap = touches[first].which.0;
        let part = touches.iter().zip(&blow.lambda).filter(|(x, l)| x.rate < x.rounding || **l > 0.0);
        let mut others: Vec<usize> = part.map(|(x, _)| x.which.0).filter(|k| *k != gap).collect();
        others.dedup();
        let slope = arriving + own;
        let after: Vec<f64> = (0..v.len()).map(|i| v[i] + through[i] + slowed[i]).collect();
        self.opened.clear();
        self.opened
            .extend(touches.iter().filter(|x| x.rate_at(&after) > -10.0 * x.rounding).map(|x| x.which));
        let within = (slope > 0.02 * own).then(|| blow.within(-arriving / own));
        let kick = Kick { push, drag: blow.drag, before, change, power, slope, curvature: own, within };
        let impact = Impact {
            time: at.t,
            kind: ImpactKind::Bounce,
            gap,
            others,
            impulse: touches.iter().zip(&blow.lambda).filter(|(x, _)| x.which.0 == gap).map(|(_, l)| l).sum(),
            friction: blow.friction,
            energy_before: before,
            energy_after: f64::NAN,
            prescribed: change,
        };
        Ok(Some((kick, impact)))
    }

    /// The impulses along the normals without friction, and the restitution.
    fn stop(&self, t: f64, touches: &[Touch], v: &[f64]) -> Result<(Vec<f64>, f64), Cause> {
        let m = touches.len();
        let restitution = |k: usize| self.laws[touches[k].which.0].restitution;
        let gram: Vec<f64> =
            (0..m * m).map(|k| dot(&touches[k / m].normal, &touches[k % m].response)).collect();
        let project = |rates: &[f64]| {
            cone::project(&gram, rates).map_err(|set| {
                let mut gaps: Vec<usize> = set.iter().map(|&k| touches[k].which.0).collect();
                gaps.sort_unstable();
                gaps.dedup();
                Cause::Gap { gaps, time: t, why: ContactFault::Opposed }
            })
        };
        let rates: Vec<f64> = touches.iter().map(|x| x.rate).collect();
        if self.simultaneous == Simultaneous::Projection || m == 1 {
            let mut mu = project(&rates)?;
            let stopped = |k: usize| -mu[k] * rates[k];
            let all: f64 = (0..m).map(stopped).sum();
            let e = (0..m).map(|k| restitution(k) * stopped(k)).sum::<f64>() / all;
            let e =
                if (0..m).all(|k| mu[k] == 0.0 || restitution(k) == 1.0) { 1.0 } else { e.clamp(0.0, 1.0) };
            mu.iter_mut().for_each(|x| *x *= 1.0 + e);
            return Ok((mu, e));
        }
        // One after the other.
        let (mut mu, mut now, mut v) = (vec![0.0; m], rates, v.to_vec());
        let unit: Vec<f64> = touches.iter().map(|x| x.own().sqrt().recip()).collect();
        let floor = -SEQUENCE_ENDS * (0..m).fold(0.0_f64, |s, k| s.max(unit[k] * now[k].abs()));
        let mut elastic = true;
        for _ in 0..SEQUENCE {
            let fastest = (0..m).min_by(|&a, &b| (unit[a] * now[a]).total_cmp(&(unit[b] * now[b])));
            let Some(k) = fastest.filter(|&k| unit[k] * now[k] < floor) else { break };
            let lambda = -(1.0 + restitution(k)) * now[k] * unit[k] * unit[k];
            elastic &= restitution(k) == 1.0;
            mu[k] += lambda;
            v.iter_mut().zip(&touches[k].response).for_each(|(v, r)| *v += lambda * r);
            (0..m).for_each(|j| now[j] = touches[j].rate_at(&v));
        }
        if now.iter().zip(&unit).any(|(r, u)| u * r < floor) {
            elastic = false;
            project(&now)?.iter().enumerate().for_each(|(k, x)| mu[k] += x);
        }
        Ok((mu, if elastic { 1.0 } else { 0.5 }))
    }

    /// Adds friction.
    fn blow(
        &self,
        (t, q, v): (f64, &[f64], &[f64]),
        touches: &[Touch],
        metric: &Metric,
        (lambda, e): (Vec<f64>, f64),
    ) -> Blow {
        let smooth =
            Blow { drag: vec![0.0; q.len()], friction: 0.0, restitution: e, elastic: e == 1.0, lambda };
        let hit: Vec<usize> = (0..touches.len()).filter(|&k| smooth.lambda[k] > 0.0).collect();
        let rough = |k: usize| self.laws[touches[k].which.0].friction > 0.0;
        if !hit.iter().any(|k| rough(*k)) {
            return smooth;
        }
        if let [k] = hit[..] {
            let slip = self.slip(&touches[k], &[], metric, (t, q));
            let (one, f) = single(&touches[k], &slip, v, e);
            let mut lambda = smooth.lambda;
            lambda[k] = one;
            return Blow { lambda, drag: slip.force(&f), friction: norm(&f), restitution: e, elastic: false };
        }
        let slips: Vec<(usize, Slip)> = hit
            .iter()
            .filter(|k| rough(**k))
            .map(|&k| (k, self.slip(&touches[k], touches, metric, (t, q))))
            .collect();
        let mut part = 1.0;
        while part > 1e-3 {
            let blow = several((touches, &slips), metric, v, (&smooth.lambda, e), part);
            if let Some(blow) = blow {
                return blow;
            }
            part *= 0.5;
        }
        smooth
    }
}

/// Impacts that are less than this part of a step apart happen at once: after some thousand steps such times differ by rounding only.
const TOGETHER: f64 = 1e-11;
/// Impacts one after the other before the rest is stopped at once.
const SEQUENCE: usize = 100_000;
/// And below this rate, relative to the fastest at first, a gap does not close any more.
const SEQUENCE_ENDS: f64 = 1e-13;

/// Normal impulse and friction of one contact together.
fn single(touch: &Touch, slip: &Slip, v: &[f64], e: f64) -> (f64, Vec<f64>) {
    let r = slip.rows.len();
    let (s, own) = (slip.at(v), touch.own());
    let smooth = -(1.0 + e) * touch.rate / own;
    let couple: Vec<f64> = slip.response.iter().map(|x| dot(&touch.normal, x)).collect();
    // Sticking: [n R n, n R T'; T R n, T R T'] [lambda, f] = [-(1 + e) rate, -s], in units in which the diagonal is one: masses of
    // any unit have pivots that compare.
    let units = [own].into_iter().chain((0..r).map(|i| dot(&slip.rows[i], &slip.response[i])));
    let unit: Vec<f64> = units.map(unit).collect();
    let mut lu = Lu::new(1 + r);
    let mut b = vec![-(1.0 + e) * touch.rate];
    lu.matrix()[0] = 1.0;
    for i in 0..r {
        let mixed = unit[0] * unit[1 + i] * couple[i];
        lu.matrix()[1 + i] = mixed;
        lu.matrix()[(1 + i) * (1 + r)] = mixed;
        for j in 0..r {
            let entry = dot(&slip.rows[i], &slip.response[j]);
            lu.matrix()[(1 + i) * (1 + r) + 1 + j] = unit[1 + i] * unit[1 + j] * entry;
        }
        b.push(-s[i]);
    }
    let sticks = lu.factor();
    if sticks {
        b.iter_mut().zip(&unit).for_each(|(b, u)| *b *= u);
        lu.solve(&mut b);
        b.iter_mut().zip(&unit).for_each(|(b, u)| *b *= u);
    }
    let (mut lambda, mut f) = (b[0], b[1..].to_vec());
    if !(sticks && lambda > 0.0 && norm(&f) <= slip.coefficient * lambda) {
        let size = norm(&s);
        let against: Vec<f64> = match size > 0.0 {
            true => s.iter().map(|s| s / size).collect(),
            false => f.iter().map(|x| -x / norm(&f).max(f64::MIN_POSITIVE)).collect(),
        };
        let inertia = own - slip.coefficient * dot(&couple, &against);
        let possible = inertia > 1e-3 * own;
        lambda = if possible { -(1.0 + e) * touch.rate / inertia } else { smooth };
        let size = if possible { -slip.coefficient * lambda } else { 0.0 };
        f = against.iter().map(|d| size * d).collect();
    }
    // The energy it adds, as seen from what moves the wall.
    let gain = |part: f64| {
        let f: Vec<f64> = f.iter().map(|x| part * x).collect();
        let lambda = smooth - dot(&couple, &f) / own;
        let through: Vec<f64> = {
            let mut x = combine(&slip.response, &f, slip.n);
            x.iter_mut().zip(&touch.response).for_each(|(x, r)| *x += lambda * r);
            x
        };
        let work = lambda * touch.rate + dot(&f, &s);
        let gain = work + 0.5 * (lambda * dot(&touch.normal, &through) + dot(&slip.force(&f), &through));
        (gain, lambda, f)
    };
    if gain(1.0).0 <= 1e-14 * smooth * touch.rate.abs() {
        return (lambda, f);
    }
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if gain(middle).0 <= 0.0 { low = middle } else { high = middle }
    }
    let (_, lambda, f) = gain(low);
    (lambda, f)
}

/// Friction at several contacts, one after the other, a `part` of it; `None` if that would add energy.
fn several(
    (touches, slips): (&[Touch], &[(usize, Slip)]),
    metric: &Metric,
    v: &[f64],
    (lambda, restitution): (&[f64], f64),
    part: f64,
) -> Option<Blow> {
    let m = touches.len();
    let mut lambda = lambda.to_vec();
    let normals: Vec<Vec<f64>> = touches.iter().map(|x| x.normal.clone()).collect();
    let (mut drag, mut friction) = (vec![0.0; v.len()], 0.0);
    let after = |lambda: &[f64], drag: &[f64]| {
        let mut j = combine(&normals, lambda, v.len());
        j.iter_mut().zip(drag).for_each(|(j, d)| *j += d);
        let through = metric.response(&j);
        (v.iter().zip(&through).map(|(v, x)| v + x).collect::<Vec<f64>>(), dot(&j, &through), j)
    };
    for (k, slip) in slips {
        let s = slip.at(&after(&lambda, &drag).0);
        let mut f = slip.stop(&s)?;
        let (size, most) = (norm(&f), part * slip.coefficient * lambda[*k]);
        if size > most {
            f.iter_mut().for_each(|x| *x *= most / size);
        }
        friction += dot(&f, &f);
        drag.iter_mut().zip(slip.force(&f)).for_each(|(d, x)| *d += x);
    }
    let (now, _, _) = after(&lambda, &drag);
    let gram: Vec<f64> = (0..m * m).map(|k| dot(&touches[k / m].normal, &touches[k % m].response)).collect();
    let rates: Vec<f64> = touches.iter().map(|x| x.rate_at(&now).min(0.0)).collect();
    if touches.iter().any(|x| x.rate_at(&now) < x.rounding) {
        cone::project(&gram, &rates).ok()?.iter().enumerate().for_each(|(k, x)| lambda[k] += x);
    }
    let (_, twice, j) = after(&lambda, &drag);
    let walls: f64 = touches.iter().zip(&lambda).map(|(x, l)| x.dt * l).sum();
    let gain = dot(&j, v) + 0.5 * twice + walls;
    let friction = friction.sqrt();
    (gain <= 1e-13 * twice).then_some(Blow { lambda, drag, friction, restitution, elastic: false })
}
