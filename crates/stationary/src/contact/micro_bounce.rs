//! Resting contact of rigid bodies as micro-bounces: a rule on top of the law of the impact.
//!
//! Restitution below one leads to infinitely many bounces in finite time. Let `a` be the acceleration that presses a contact together and
//! `c = a T/2` the speed of a micro-bounce of the *contact time* `T`. Slow impacts of a pair (up to `2 c`) that follow each other within
//! that time are elastic, and friction that could stop the slip there reverses it instead, `u+ = -u` and `G = 0`: over the micro-bounce that
//! follows the slip is zero in the mean. Faster impacts leave with `c/2` at least. The bounces end in micro-bounces of about the contact
//! time, which are time-symmetric and therefore rest in the mean.
//!
//! A contact that presses without any speed gets a speed whose energy is below rounding. Its very short micro-bounces (it *creeps*) grow
//! where something pays for them: half of the energy that friction takes, or a little of the motion along the contact. No impact adds
//! energy beyond rounding.

use super::ContactLaw;
use super::law::{Components, ContactSpace, Demand};
use super::rigid::{BodyState, PairContact, PairJump, Side};

/// So many impacts within the contact time are elastic, however fast.
const CROWDED: u32 = 16;
/// An impact slower than this many times the speed of a micro-bounce belongs to a resting contact.
const AT_REST: f64 = 2.0;
/// So many impacts within the contact time, all slower than a part of the speed of a micro-bounce, are those of a contact that creeps.
const CREEPING: u32 = 32;
/// This part of the speed of a micro-bounce of the contact time.
const CREEP: f64 = 0.125;
/// A contact that creeps is to leave with this part of the speed of a micro-bounce of the contact time, if something pays for it.
const GOAL: f64 = 0.5;
/// A micro-bounce that is paid from the motion along the contact is no faster than this part of that motion: about a thousandth of the
/// speed pays for it.
const PAID: f64 = 0.05;
/// At most this part of the slip is taken at once.
const MOST_OF_SLIP: f64 = 0.25;
/// A little more is taken from the motion than a micro-bounce costs, so that rounding adds no energy.
const SURPLUS: f64 = 1e-10;

/// How an impact of a pair is answered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PairImpactRule {
    pub law: ContactLaw,
    /// How many impacts of the pair have followed each other within the contact time, before this one.
    pub recent: u32,
    /// The speed of a micro-bounce of the contact time: a contact that lasts and is not much faster is at rest.
    pub speed: f64,
    /// A faster impact leaves with this speed at least, a slower one elastically.
    pub least_speed: f64,
    /// A contact that presses without speed leaves with this one, whose energy is below the rounding of the pair's.
    pub parting_speed: f64,
}

type Impulse = Components<[f64; 1]>;

impl PairImpactRule {
    /// Whether a contact with this rate is one at rest.
    fn is_at_rest(&self, rate: f64) -> bool {
        self.recent > 0 && -rate <= AT_REST * self.speed
    }

    /// Whether its micro-bounces are so short that they would be very many.
    pub fn creeps(&self, rate: f64) -> bool {
        self.recent >= CREEPING && -rate < CREEP * self.speed
    }

    /// The normal rate after the impact: never more than that before, but for the speed of parting.
    pub fn rate_after(&self, rate: f64) -> f64 {
        let approach = (-rate).max(0.0);
        let elastic = self.is_at_rest(rate) || self.recent >= CROWDED;
        let restitution = if elastic { 1.0 } else { self.law.restitution };
        let returned = (restitution * approach).max(self.least_speed.min(approach));
        returned.max(rate).max(self.parting_speed)
    }

    /// The impulse of the impact; `free` says whether both sides can move. Rounding is not allowed to add energy: piles make millions of
    /// impacts, and such gains would add up.
    pub fn impulse(&self, space: &ContactSpace<[f64; 1]>, free: bool) -> Impulse {
        let rate = space.before.normal;
        let creeps = self.creeps(rate);
        let change = self.rate_after(rate) - rate;
        let goal = GOAL * self.speed;
        if !(self.law.friction > 0.0) {
            let smooth = space.smooth(change);
            return if creeps && free { paid_from_slip(space, smooth, goal) } else { smooth };
        }
        let [slip] = space.before.tangential;
        let slip_change = if self.is_at_rest(rate) && !creeps { -2.0 * slip } else { -slip };
        let change = Components { normal: change, tangential: [slip_change] };
        let impulse = space.impulse(&Demand { change, friction: self.law.friction, rounding: 0.0 });
        if creeps { paid_from_friction(space, impulse, goal) } else { impulse }
    }

    /// A contact with something immovable that creeps and does move along it: its motion pays for a micro-bounce. Velocity along the contact
    /// and spin are scaled down by what that takes.
    pub fn paid_from_motion(&self, contact: &PairContact, jump: PairJump, sides: &[Side; 2]) -> PairJump {
        let (moving, sign) = match [sides[0].is_mobile(), sides[1].is_mobile()] {
            [true, false] => (0, 1.0),
            [false, true] => (1, -1.0),
            _ => return jump,
        };
        let Side { state, mobility: [by_mass, by_inertia] } = sides[moving];
        let normal = sign * contact.normal;
        let along = state.velocity - state.velocity.dot(normal) * normal;
        // Twice the energies over the mass: squares of speeds.
        let turning = state.spin.dot(state.spin) * by_mass / by_inertia;
        let motion = along.dot(along) + turning;
        let leaves = contact.rate_after(sides, &jump).max(0.0);
        let goal = (GOAL * self.speed).min(PAID * motion.sqrt());
        if !(goal > leaves) {
            return jump;
        }
        // An impulse along the normal that raises the rate to the goal costs (goal^2 - leaves^2)/(2 W_nn), and W_nn is at least 1/m.
        let taken = (1.0 + SURPLUS) * (goal - leaves) * (goal + leaves);
        let left = (1.0 - taken / motion).max(0.0).sqrt();
        let scaled = PairJump { left, ..jump };
        let leaves = contact.rate_after(sides, &scaled);
        let push = ((goal - leaves) / contact.normal_response(sides)).max(0.0);
        let paid =
            PairJump { total: scaled.total + push * contact.normal, normal: scaled.normal + push, ..scaled };
        let energy = |jump: &PairJump| {
            let mut after = *sides;
            contact.strike(&mut after, jump);
            let BodyState { velocity, spin, .. } = after[moving].state;
            velocity.dot(velocity) + spin.dot(spin) * by_mass / by_inertia
        };
        if energy(&paid) <= energy(&jump) { paid } else { jump }
    }
}

/// Two smooth bodies that creep along each other: a little of their slip pays for a micro-bounce.
fn paid_from_slip(space: &ContactSpace<[f64; 1]>, p: Impulse, goal: f64) -> Impulse {
    let [tt] = space.tt;
    let slip = space.before.tangential[0] + space.response(&p).tangential[0];
    let goal = goal.min(PAID * slip.abs());
    // The micro-bounce takes goal^2/(2 nn), half of what is taken from slip^2/(2 tt).
    let part = (goal * goal * tt / (slip * slip * space.nn)).min(MOST_OF_SLIP);
    if !(part > 0.0) {
        return p;
    }
    let slower = Components { normal: p.normal, tangential: [p.tangential[0] - part * slip / tt] };
    let paid = paid_from_friction(space, slower, goal);
    if space.gain(&paid) <= space.gain(&p).max(0.0) { paid } else { p }
}

/// Half of the energy that an impulse takes, by friction, goes into the normal rate, up to a goal: more normal impulse stays in the cone.
fn paid_from_friction(space: &ContactSpace<[f64; 1]>, p: Impulse, goal: f64) -> Impulse {
    let taken = -0.5 * space.gain(&p);
    let rate = space.before.normal + space.response(&p).normal;
    if !(taken > 0.0 && rate >= 0.0 && goal > rate) {
        return p;
    }
    // q rate + nn q^2/2 = taken.
    let most = 2.0 * taken / (rate + (rate * rate + 2.0 * space.nn * taken).sqrt());
    Components { normal: p.normal + most.min((goal - rate) / space.nn), ..p }
}
