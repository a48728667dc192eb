//! The jump of an impact: (4.9) and, with restitution and friction, (2.37) and (2.38).

use super::features::Touch;
use super::flight::State;
use crate::linalg::space::{Vec3, cross, inner, norm, plus, times};
use crate::model::{Point, cross2, dot2, minus2};

/// One side of an impact. A wall has no mobility.
#[derive(Debug, Clone, Copy)]
pub(super) struct Side {
    pub state: State,
    /// `1/m` and `1/I`.
    pub mobility: [f64; 2],
}

impl Side {
    /// A wall.
    pub fn wall() -> Side {
        let state = State { position: [0.0; 3], velocity: [0.0; 3], angle: 0.0, spin: [0.0; 3] };
        Side { state, mobility: [0.0; 2] }
    }
}

/// Where an impact acts: the arms from both centres, and the direction that pushes the first side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub arms: [Vec3; 2],
    pub normal: Vec3,
}

/// How the impact is answered.
#[derive(Debug, Clone, Copy)]
pub(super) struct Answer {
    pub restitution: f64,
    pub friction: f64,
    /// How many impacts of the pair have followed each other within the contact time, before this one.
    pub times: u32,
    /// The speed of a hop of the contact time: what lasts and is not faster is at rest.
    pub hop: f64,
    /// Least normal rate after the impact.
    pub least: f64,
}

/// So many impacts within the contact time are elastic, however fast.
const CROWDED: u32 = 16;

impl Answer {
    /// Whether a contact with this rate is one at rest.
    fn rests(&self, rate: f64) -> bool {
        self.times > 0 && -rate <= 2.0 * self.hop
    }
}

/// Impulses of an impact on the first side.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jump {
    pub total: Vec3,
    pub normal: f64,
    pub friction: f64,
}

impl Contact {
    /// The velocity with which the contact point of the first side moves past that of the second.
    pub fn velocity(&self, sides: &[Side; 2]) -> Vec3 {
        let of = |k: usize| plus(&sides[k].state.velocity, 1.0, &cross(&sides[k].state.spin, &self.arms[k]));
        plus(&of(0), -1.0, &of(1))
    }

    /// By how much an impulse changes that velocity.
    fn response(&self, sides: &[Side; 2], impulse: &Vec3) -> Vec3 {
        let mut change = [0.0; 3];
        for (side, arm) in sides.iter().zip(&self.arms) {
            let [by_mass, by_inertia] = side.mobility;
            change = plus(&change, by_mass, impulse);
            change = plus(&change, by_inertia, &cross(&cross(arm, impulse), arm));
        }
        change
    }

    /// The impulses of the impact.
    ///
    /// The normal rate becomes `-e` times what it was. Friction stops the slip if its cone allows, else it opposes the slip with
    /// all it has. A contact at rest is elastic, and what friction can stop there it turns around: over the hop that
    /// follows, the slip is zero in the mean. No answer adds energy: where restitution and friction together would, because the
    /// normal and the tangential motion are coupled, there is as much less friction.
    pub fn jump(&self, sides: &[Side; 2], answer: &Answer) -> Jump {
        let velocity = self.velocity(sides);
        let rate = inner(&velocity, &self.normal);
        let rests = answer.rests(rate);
        let e = if rests || answer.times >= CROWDED { 1.0 } else { answer.restitution };
        let change = (-e * rate).max(answer.least) - rate;
        let slip = plus(&velocity, -rate, &self.normal);
        let tangent = self.tangent(&slip, sides);
        let by_normal = self.response(sides, &self.normal);
        let nn = inner(&self.normal, &by_normal);
        let smooth = [change / nn, 0.0];
        let [normal, tangential] = match tangent {
            Some(tangent) if answer.friction > 0.0 => {
                let (nt, tt) = {
                    let by_tangent = self.response(sides, &tangent);
                    (inner(&self.normal, &by_tangent), inner(&tangent, &by_tangent))
                };
                let matrix = [nn, nt, tt];
                let u = [rate, inner(&tangent, &slip)];
                let turned = if rests { -2.0 * u[1] } else { -u[1] };
                let rough = frictional(matrix, [change, turned], u[1], answer.friction);
                within_energy(matrix, u, smooth, rough)
            }
            _ => smooth,
        };
        let total = times(normal, &self.normal);
        let total = tangent.map_or(total, |t| plus(&total, tangential, &t));
        Jump { total, normal, friction: tangential.abs() }
    }

    /// The direction of the slip; in the plane there is one also where nothing slips yet.
    fn tangent(&self, slip: &Vec3, sides: &[Side; 2]) -> Option<Vec3> {
        let size = norm(slip);
        if size > 0.0 {
            // Once more off the normal: of a small slip rounding leaves a part along it.
            let unit = times(1.0 / size, slip);
            let unit = plus(&unit, -inner(&unit, &self.normal), &self.normal);
            let size = norm(&unit);
            return (size > 0.5).then(|| times(1.0 / size, &unit));
        }
        let flat = self.normal[2] == 0.0 && sides.iter().all(|s| s.state.position[2] == 0.0);
        flat.then(|| [-self.normal[1], self.normal[0], 0.0])
    }
}

/// Normal and tangential impulse with friction, for these changes of the normal rate and, if the cone allows, of the slip.
fn frictional([nn, nt, tt]: [f64; 3], [change, tangential]: [f64; 2], slip: f64, mu: f64) -> [f64; 2] {
    let determinant = nn * tt - nt * nt;
    if determinant > 0.0 {
        let normal = (tt * change - nt * tangential) / determinant;
        let along = (nn * tangential - nt * change) / determinant;
        if normal >= 0.0 && along.abs() <= mu * normal {
            return [normal, along];
        }
        let against = if slip == 0.0 { along.signum() } else { -slip.signum() };
        let effective = nn + against * mu * nt;
        if effective > 0.0 {
            let normal = change / effective;
            return [normal, against * mu * normal];
        }
    }
    [change / nn, 0.0]
}

/// The rough impulse, or as much of it beyond the smooth one as adds no energy. Both leave the same normal rate, and the cone of
/// friction is convex.
fn within_energy([nn, nt, tt]: [f64; 3], u: [f64; 2], smooth: [f64; 2], rough: [f64; 2]) -> [f64; 2] {
    let times_k = |p: [f64; 2]| [nn * p[0] + nt * p[1], nt * p[0] + tt * p[1]];
    let gain = |p: [f64; 2]| dot2(p, u) + 0.5 * dot2(p, times_k(p));
    let (base, full) = (gain(smooth), gain(rough));
    let allowed = base.max(0.0);
    if full <= allowed {
        return rough;
    }
    let way = minus2(rough, smooth);
    let curve = 0.5 * dot2(way, times_k(way));
    let slope = dot2(way, u) + dot2(way, times_k(smooth));
    // curve s^2 + slope s + (base - allowed) = 0, the last not positive.
    let rest = base - allowed;
    let root = (slope * slope - 4.0 * curve * rest).max(0.0).sqrt();
    let part = if slope >= 0.0 { -2.0 * rest / (slope + root) } else { (root - slope) / (2.0 * curve) };
    let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
    [smooth[0] + part * way[0], smooth[1] + part * way[1]]
}

/// Several touches at once, or a corner: the impulse in their cone of normals that brings the velocity nearest to admissible, the
/// closest-point projection in the kinetic metric [FET03 (5.17), (5.21)], as one contact on the line on which it acts.
pub(super) fn resultant(touches: &[Touch], sides: &[Side; 2]) -> Contact {
    let at = |t: &Touch| contact_at(t.point, t.normal, sides);
    if let [one] = touches {
        return at(one);
    }
    let contacts: Vec<Contact> = touches.iter().map(at).collect();
    let rates: Vec<f64> = contacts.iter().map(|c| inner(&c.velocity(sides), &c.normal)).collect();
    let weights = project(&contacts, &rates, sides);
    let (mut force, mut moment, mut middle, mut sum) = ([0.0; 2], 0.0, [0.0; 2], 0.0);
    for (touch, weight) in touches.iter().zip(&weights) {
        force = [force[0] + weight * touch.normal[0], force[1] + weight * touch.normal[1]];
        middle = [middle[0] + weight * touch.point[0], middle[1] + weight * touch.point[1]];
        sum += weight;
    }
    let size = force[0].hypot(force[1]);
    if !(size > 1e-6 * sum) {
        // Nothing approaches, or the pushes cancel: the one that approaches fastest alone.
        let fastest = (0..rates.len()).min_by(|a, b| rates[*a].total_cmp(&rates[*b])).unwrap_or(0);
        return contacts[fastest];
    }
    let middle = middle.map(|x| x / sum);
    for (touch, weight) in touches.iter().zip(&weights) {
        moment += weight * cross2(minus2(touch.point, middle), touch.normal);
    }
    // The force has this moment about the middle of the points; on a parallel line it has none.
    let normal = force.map(|x| x / size);
    let shift = -moment / size;
    contact_at([middle[0] + shift * -normal[1], middle[1] + shift * normal[0]], normal, sides)
}

fn contact_at(point: Point, normal: Point, sides: &[Side; 2]) -> Contact {
    let arm = |s: &Side| [point[0] - s.state.position[0], point[1] - s.state.position[1], 0.0];
    Contact { arms: [arm(&sides[0]), arm(&sides[1])], normal: [normal[0], normal[1], 0.0] }
}

/// Weights `w >= 0` that minimise the kinetic energy after impulses `w_k n_k`.
fn project(contacts: &[Contact], rates: &[f64], sides: &[Side; 2]) -> Vec<f64> {
    const SWEEPS: usize = 500;
    let n = contacts.len();
    let mut matrix = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..n {
            // How a push at j changes the rate at i.
            let mut entry = 0.0;
            for (k, side) in sides.iter().enumerate() {
                let (a, b) = (&contacts[i], &contacts[j]);
                let turn = |c: &Contact| cross(&c.arms[k], &c.normal)[2];
                entry +=
                    side.mobility[0] * inner(&a.normal, &b.normal) + side.mobility[1] * turn(a) * turn(b);
            }
            matrix[i * n + j] = entry;
        }
    }
    let mut weights = vec![0.0; n];
    for _ in 0..SWEEPS {
        let mut moved = 0.0_f64;
        for i in 0..n {
            let rate: f64 = rates[i] + (0..n).map(|j| matrix[i * n + j] * weights[j]).sum::<f64>();
            let weight = (weights[i] - rate / matrix[i * n + i]).max(0.0);
            moved = moved.max((weight - weights[i]).abs());
            weights[i] = weight;
        }
        if moved <= 1e-15 * weights.iter().sum::<f64>() {
            break;
        }
    }
    weights
}
