//! Several gaps that close at the same time: how restitution and friction share the impulse among them.
//!
//! The approach is stopped by the impulse `P = sum_k mu_k n_k` of least energy in the cone of normals ([`projection`](super::projection)),
//! and an impact gives `(1 + e) P`, so that the energy lost is `(1 - e^2) P.R P / 2`. Of several restitutions at once the mean counts,
//! weighted with the energy that each contact stops. Friction then acts contact by contact, and what it closes again is stopped once
//! more; where it would add energy less of it is taken.

use super::ContactLaw;
use super::generalised::{Arrival, GapTouch, Metric, Slip, combine, norm, normal_operator};
use super::law::{Components, Demand};
use super::projection::Approach;
use crate::linalg::dot;

/// What happens when several gaps close at the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Simultaneous {
    /// The approach is stopped by the closest-point projection onto all velocities that close none of them [FET03 (5.21)], and as much
    /// is given back: the least impulse that does.
    #[default]
    Projection,
    /// One after the other, the fastest first, until none closes: a row of touching balls passes a blow to its last one.
    Sequence,
}

/// Impacts one after the other before the rest is stopped at once.
const SEQUENCE: usize = 100_000;
/// And below this rate, relative to the fastest at first, a gap does not close any more.
const SEQUENCE_ENDS: f64 = 1e-13;
/// The restitution that is noted of a sequence that loses energy: the mean is not defined there, and only whether it is below one counts.
const LOSSY_SEQUENCE: f64 = 0.5;
/// A gain of energy up to this, relative to the energies of the impulses, is rounding.
const GAIN: f64 = 1e-13;
/// The same for one contact, relative to the energy of its smooth impulse. The discrete energy of the segment that leaves is met afterwards,
/// so that such gains do not add up.
const GAIN_OF_ONE: f64 = 1e-14;
/// Parts of friction below this are not tried: none is taken.
const LEAST_PART: f64 = 1e-3;

/// Gaps that close at one place.
pub(crate) struct Closing<'a> {
    pub touches: &'a [GapTouch],
    /// The law of each of them.
    pub laws: &'a [ContactLaw],
    pub simultaneous: Simultaneous,
    pub metric: &'a Metric,
    pub at: Arrival<'a>,
}

/// The impulse of an impact.
pub(crate) struct ImpactImpulse {
    /// Impulses along the normals.
    pub along_normals: Vec<f64>,
    /// The impulse of friction on the system, `sum T' f`, and its size at the contacts.
    pub friction: Vec<f64>,
    pub friction_size: f64,
    /// The restitution, of several contacts a mean.
    pub restitution: f64,
    /// Whether nothing is lost.
    pub elastic: bool,
}

impl Closing<'_> {
    /// The impulse of the impact; `slip` gives the slip of a contact among others. If no velocity is admissible, the numbers of the
    /// contacts that oppose each other.
    pub fn impulse(&self, slip: impl Fn(usize, &[GapTouch]) -> Slip) -> Result<ImpactImpulse, Vec<usize>> {
        let smooth = self.without_friction()?;
        let hit: Vec<usize> = (0..self.touches.len()).filter(|&k| smooth.along_normals[k] > 0.0).collect();
        let rough = |k: &usize| self.laws[*k].friction > 0.0;
        if !hit.iter().any(rough) {
            return Ok(smooth);
        }
        if let [k] = hit[..] {
            return Ok(self.with_friction_of_one(k, &slip(k, &[]), smooth));
        }
        let slips: Vec<(usize, Slip)> =
            hit.iter().filter(|k| rough(k)).map(|&k| (k, slip(k, self.touches))).collect();
        let mut part = 1.0;
        while part > LEAST_PART {
            if let Some(impulse) = self.with_friction_of_several(&slips, &smooth, part) {
                return Ok(impulse);
            }
            part *= 0.5;
        }
        Ok(smooth)
    }

    fn without_friction(&self) -> Result<ImpactImpulse, Vec<usize>> {
        let one_at_a_time = self.simultaneous == Simultaneous::Sequence && self.touches.len() > 1;
        let (along_normals, restitution) = if one_at_a_time { self.in_sequence()? } else { self.at_once()? };
        Ok(ImpactImpulse {
            friction: vec![0.0; self.at.q.len()],
            friction_size: 0.0,
            restitution,
            elastic: restitution == 1.0,
            along_normals,
        })
    }

    /// The projection, times one and the restitution, and the restitution.
    fn at_once(&self) -> Result<(Vec<f64>, f64), Vec<usize>> {
        let m = self.touches.len();
        let rates: Vec<f64> = self.touches.iter().map(|x| x.rate).collect();
        let mut mu = Approach { operator: &normal_operator(self.touches), rates: &rates }.project()?;
        let stopped = |k: usize| -mu[k] * rates[k];
        let all: f64 = (0..m).map(stopped).sum();
        let mean = (0..m).map(|k| self.laws[k].restitution * stopped(k)).sum::<f64>() / all;
        let elastic = (0..m).all(|k| mu[k] == 0.0 || self.laws[k].restitution == 1.0);
        let e = if elastic { 1.0 } else { mean.clamp(0.0, 1.0) };
        mu.iter_mut().for_each(|x| *x *= 1.0 + e);
        Ok((mu, e))
    }

    /// Impacts one after the other, the fastest first.
    fn in_sequence(&self) -> Result<(Vec<f64>, f64), Vec<usize>> {
        let m = self.touches.len();
        let mut mu = vec![0.0; m];
        let mut now: Vec<f64> = self.touches.iter().map(|x| x.rate).collect();
        let mut v = self.at.v.to_vec();
        let unit: Vec<f64> = self.touches.iter().map(|x| x.own_response().sqrt().recip()).collect();
        let floor = -SEQUENCE_ENDS * (0..m).fold(0.0_f64, |s, k| s.max(unit[k] * now[k].abs()));
        let mut elastic = true;
        for _ in 0..SEQUENCE {
            let fastest = (0..m).min_by(|&a, &b| (unit[a] * now[a]).total_cmp(&(unit[b] * now[b])));
            let Some(k) = fastest.filter(|&k| unit[k] * now[k] < floor) else { break };
            let e = self.laws[k].restitution;
            let lambda = -(1.0 + e) * now[k] * unit[k] * unit[k];
            elastic &= e == 1.0;
            mu[k] += lambda;
            v.iter_mut().zip(&self.touches[k].response).for_each(|(v, r)| *v += lambda * r);
            (0..m).for_each(|j| now[j] = self.touches[j].rate_at(&v));
        }
        if now.iter().zip(&unit).any(|(r, u)| u * r < floor) {
            elastic = false;
            let rest = Approach { operator: &normal_operator(self.touches), rates: &now }.project()?;
            mu.iter_mut().zip(rest).for_each(|(mu, x)| *mu += x);
        }
        Ok((mu, if elastic { 1.0 } else { LOSSY_SEQUENCE }))
    }

    /// Normal impulse and friction of one contact together.
    fn with_friction_of_one(&self, k: usize, slip: &Slip, smooth: ImpactImpulse) -> ImpactImpulse {
        let touch = &self.touches[k];
        let space = touch.in_contact_space(slip, self.at.v);
        let demand = Demand {
            change: Components {
                normal: -(1.0 + smooth.restitution) * touch.rate,
                tangential: space.before.tangential.iter().map(|s| -s).collect(),
            },
            friction: slip.coefficient,
            rounding: GAIN_OF_ONE,
        };
        let impulse = space.impulse(&demand);
        let mut along_normals = smooth.along_normals;
        along_normals[k] = impulse.normal;
        ImpactImpulse {
            along_normals,
            friction: slip.force(&impulse.tangential),
            friction_size: norm(&impulse.tangential),
            restitution: smooth.restitution,
            elastic: false,
        }
    }

    /// Friction at several contacts, one after the other, a `part` of it; `None` if that would add energy.
    fn with_friction_of_several(
        &self,
        slips: &[(usize, Slip)],
        smooth: &ImpactImpulse,
        part: f64,
    ) -> Option<ImpactImpulse> {
        let mut lambda = smooth.along_normals.clone();
        let mut friction = vec![0.0; self.at.v.len()];
        let mut square = 0.0;
        for (k, slip) in slips {
            let s = slip.at(&self.after(&lambda, &friction).velocity);
            let mut f = slip.stop(&s)?;
            let size = norm(&f);
            let most = part * slip.coefficient * lambda[*k];
            if size > most {
                f.iter_mut().for_each(|x| *x *= most / size);
            }
            square += dot(&f, &f);
            friction.iter_mut().zip(slip.force(&f)).for_each(|(d, x)| *d += x);
        }
        let now = self.after(&lambda, &friction).velocity;
        let rates: Vec<f64> = self.touches.iter().map(|x| x.rate_at(&now).min(0.0)).collect();
        if self.touches.iter().any(|x| x.rate_at(&now) < x.rounding) {
            let operator = normal_operator(self.touches);
            let more = Approach { operator: &operator, rates: &rates }.project().ok()?;
            lambda.iter_mut().zip(more).for_each(|(lambda, x)| *lambda += x);
        }
        let After { twice_energy, total, .. } = self.after(&lambda, &friction);
        let walls: f64 = self.touches.iter().zip(&lambda).map(|(x, l)| x.dt * l).sum();
        let gain = dot(&total, self.at.v) + 0.5 * twice_energy + walls;
        (gain <= GAIN * twice_energy).then_some(ImpactImpulse {
            along_normals: lambda,
            friction,
            friction_size: square.sqrt(),
            restitution: smooth.restitution,
            elastic: false,
        })
    }

    /// What impulses along the normals and of friction make of the velocity.
    fn after(&self, lambda: &[f64], friction: &[f64]) -> After {
        let normals: Vec<Vec<f64>> = self.touches.iter().map(|x| x.normal.clone()).collect();
        let mut total = combine(&normals, lambda, self.at.v.len());
        total.iter_mut().zip(friction).for_each(|(j, d)| *j += d);
        let through = self.metric.response(&total);
        After {
            velocity: self.at.v.iter().zip(&through).map(|(v, x)| v + x).collect(),
            twice_energy: dot(&total, &through),
            total,
        }
    }
}

/// The velocity after an impulse, the impulse `j`, and `j . R j`.
struct After {
    velocity: Vec<f64>,
    twice_energy: f64,
    total: Vec<f64>,
}
