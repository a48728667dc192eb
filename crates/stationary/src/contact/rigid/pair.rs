//! A pair of rigid bodies that touch, or a body and a wall: the contact in contact space, and what an impulse does to both.

use super::{BodyState, Touch};
use crate::contact::law::{Components, ContactSpace};
use crate::contact::micro_bounce::PairImpactRule;
use crate::contact::projection::Approach;
use crate::linalg::{Vec2, Vec3};

/// Pushes cancel if their sum is smaller than this part of the sum of their sizes.
const CANCEL: f64 = 1e-6;
/// A direction of slip is taken if at least this part of it is left without its part along the normal: less is rounding.
const ALONG: f64 = 0.5;

/// One side of an impact. A wall has no mobility.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Side {
    pub state: BodyState,
    /// `1/m` and `1/I`.
    pub mobility: [f64; 2],
}

impl Side {
    /// A wall.
    pub fn wall() -> Side {
        let state = BodyState { position: Vec3::ZERO, velocity: Vec3::ZERO, angle: 0.0, spin: Vec3::ZERO };
        Side { state, mobility: [0.0; 2] }
    }

    /// Whether an impulse moves it.
    pub fn is_mobile(&self) -> bool {
        self.mobility[0] > 0.0
    }
}

/// Where an impact acts: the arms from both centres, the direction that pushes the first side, and what presses there.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairContact {
    pub arms: [Vec3; 2],
    pub normal: Vec3,
    pub pressing: Pressing,
}

/// The acceleration with which a gap closes at this moment, never negative: `-d^2 gap/dt^2` along the free motion.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Pressing {
    /// The part of gravity.
    pub by_gravity: f64,
    /// The part of the spins.
    pub by_turning: f64,
}

/// What an impact does to the first side, and the opposite of it to the second.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairJump {
    pub total: Vec3,
    /// The impulse along the normal, and the size of that of friction.
    pub normal: f64,
    pub friction: f64,
    /// The part that is left of the motion along the contact where that pays for a micro-bounce, else one.
    pub left: f64,
}

impl PairContact {
    /// The velocity with which the contact point of the first side moves past that of the second.
    pub fn velocity(&self, sides: &[Side; 2]) -> Vec3 {
        let of = |k: usize| sides[k].state.velocity + sides[k].state.spin.cross(self.arms[k]);
        of(0) - of(1)
    }

    /// By how much an impulse changes that velocity.
    fn response(&self, sides: &[Side; 2], impulse: Vec3) -> Vec3 {
        let mut change = Vec3::ZERO;
        for (side, arm) in sides.iter().zip(&self.arms) {
            let [by_mass, by_inertia] = side.mobility;
            change += by_mass * impulse;
            change += by_inertia * arm.cross(impulse).cross(*arm);
        }
        change
    }

    /// `W_nn`.
    pub fn normal_response(&self, sides: &[Side; 2]) -> f64 {
        self.normal.dot(self.response(sides, self.normal))
    }

    /// The contact in contact space, with one tangent, the direction of the slip. That suffices: in the plane there is no other, and round
    /// bodies in space answer to a tangential impulse alike in all directions.
    fn in_contact_space(&self, sides: &[Side; 2], tangent: Vec3) -> ContactSpace<[f64; 1]> {
        let velocity = self.velocity(sides);
        let rate = velocity.dot(self.normal);
        let slip = velocity - rate * self.normal;
        let by_tangent = self.response(sides, tangent);
        ContactSpace {
            before: Components { normal: rate, tangential: [tangent.dot(slip)] },
            nn: self.normal_response(sides),
            nt: [self.normal.dot(by_tangent)],
            tt: [tangent.dot(by_tangent)],
        }
    }

    /// The impulses of the impact.
    pub fn jump(&self, sides: &[Side; 2], rule: &PairImpactRule) -> PairJump {
        let velocity = self.velocity(sides);
        let rate = velocity.dot(self.normal);
        let slip = velocity - rate * self.normal;
        let tangent = self.tangent(slip, sides);
        let free = sides.iter().all(Side::is_mobile);
        let impulse = match tangent {
            Some(tangent) => rule.impulse(&self.in_contact_space(sides, tangent), free),
            None => {
                let change = rule.rate_after(rate) - rate;
                Components { normal: change / self.normal_response(sides), tangential: [0.0] }
            }
        };
        let Components { normal, tangential: [tangential] } = impulse;
        let total = normal * self.normal;
        let total = tangent.map_or(total, |t| total + tangential * t);
        let jump = PairJump { total, normal, friction: tangential.abs(), left: 1.0 };
        if rule.creeps(rate) { rule.paid_from_motion(self, jump, sides) } else { jump }
    }

    /// The direction of the slip; in the plane there is one also where nothing slips yet.
    fn tangent(&self, slip: Vec3, sides: &[Side; 2]) -> Option<Vec3> {
        let size = slip.norm();
        if size > 0.0 {
            // Once more off the normal: of a small slip rounding leaves a part along it.
            let unit = 1.0 / size * slip;
            let unit = unit - unit.dot(self.normal) * self.normal;
            let size = unit.norm();
            return (size > ALONG).then(|| 1.0 / size * unit);
        }
        let flat = self.normal[2] == 0.0 && sides.iter().all(|s| s.state.position[2] == 0.0);
        flat.then(|| self.normal.truncate().quarter_turn().extend(0.0))
    }

    /// Gives both sides their impulses.
    pub fn strike(&self, sides: &mut [Side; 2], jump: &PairJump) {
        for ((side, arm), sign) in sides.iter_mut().zip(&self.arms).zip([1.0, -1.0]) {
            let [by_mass, by_inertia] = side.mobility;
            if jump.left < 1.0 && by_mass > 0.0 {
                let velocity = side.state.velocity;
                let across = velocity.dot(self.normal) * self.normal;
                side.state.velocity = across + jump.left * (velocity - across);
                side.state.spin = jump.left * side.state.spin;
            }
            side.state.velocity += sign * by_mass * jump.total;
            side.state.spin += sign * by_inertia * arm.cross(jump.total);
        }
    }

    /// The normal rate after an impact.
    pub fn rate_after(&self, sides: &[Side; 2], jump: &PairJump) -> f64 {
        let mut after = *sides;
        self.strike(&mut after, jump);
        self.velocity(&after).dot(self.normal)
    }
}

/// Several touches at once, or a corner: the impulse in their cone of normals that brings the velocity nearest to admissible, the
/// closest-point projection in the kinetic metric [FET03 (5.17), (5.21)], as one contact on the line on which it acts.
pub(crate) fn resultant(touches: &[Touch], sides: &[Side; 2]) -> PairContact {
    let pressing = Pressing {
        by_gravity: touches.iter().fold(0.0, |m, t| t.pressing.by_gravity.max(m)),
        by_turning: touches.iter().fold(0.0, |m, t| t.pressing.by_turning.max(m)),
    };
    let at = |t: &Touch| PairContact { pressing, ..contact_at(t.point, t.normal, sides) };
    if let [one] = touches {
        return at(one);
    }
    let contacts: Vec<PairContact> = touches.iter().map(at).collect();
    let rates: Vec<f64> = contacts.iter().map(|c| c.velocity(sides).dot(c.normal)).collect();
    let operator = normal_operator(&contacts, sides);
    let weights = Approach { operator: &operator, rates: &rates }.project_by_sweeps();
    let mut force = Vec2::ZERO;
    let mut middle = Vec2::ZERO;
    let mut sum = 0.0;
    for (touch, &weight) in touches.iter().zip(&weights) {
        force += weight * touch.normal;
        middle += weight * touch.point;
        sum += weight;
    }
    let size = force.hypot();
    if !(size > CANCEL * sum) {
        // Nothing approaches, or the pushes cancel: the one that approaches fastest alone.
        let fastest = (0..rates.len()).min_by(|a, b| rates[*a].total_cmp(&rates[*b])).unwrap_or(0);
        return contacts[fastest];
    }
    let middle = middle / sum;
    let mut moment = 0.0;
    for (touch, weight) in touches.iter().zip(&weights) {
        moment += weight * (touch.point - middle).cross(touch.normal);
    }
    // The force has this moment about the middle of the points; on a parallel line it has none.
    let normal = force / size;
    let shift = -moment / size;
    let point = middle + shift * normal.quarter_turn();
    PairContact { pressing, ..contact_at(point, normal, sides) }
}

fn contact_at(point: Vec2, normal: Vec2, sides: &[Side; 2]) -> PairContact {
    let arm = |s: &Side| (point - s.state.position.truncate()).extend(0.0);
    PairContact {
        arms: [arm(&sides[0]), arm(&sides[1])],
        normal: normal.extend(0.0),
        pressing: Pressing::default(),
    }
}

/// The Delassus operator of the normals of several contacts in the plane, by rows: how a push at one changes the rate at another.
fn normal_operator(contacts: &[PairContact], sides: &[Side; 2]) -> Vec<f64> {
    let n = contacts.len();
    let mut operator = vec![0.0; n * n];
    for (i, a) in contacts.iter().enumerate() {
        for (j, b) in contacts.iter().enumerate() {
            let mut entry = 0.0;
            for (k, side) in sides.iter().enumerate() {
                let turn = |c: &PairContact| c.arms[k].cross(c.normal)[2];
                entry += side.mobility[0] * a.normal.dot(b.normal) + side.mobility[1] * turn(a) * turn(b);
            }
            operator[i * n + j] = entry;
        }
    }
    operator
}
