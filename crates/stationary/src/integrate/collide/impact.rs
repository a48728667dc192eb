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

/// Where an impact acts: the arms from both centres, the direction that pushes the first side, and what presses there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Contact {
    pub arms: [Vec3; 2],
    pub normal: Vec3,
    pub pressing: Pressing,
}

/// The acceleration with which a gap closes at this moment, never negative: `-d^2 gap/dt^2` along the flights.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Pressing {
    /// The part of gravity.
    pub by_gravity: f64,
    /// The part of the spins.
    pub by_turning: f64,
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
    /// A faster impact leaves with this speed at least, a slower one elastically.
    pub floor: f64,
    /// What presses without speed leaves with this one, whose energy is below the rounding of the pair's.
    pub kick: f64,
}

/// So many impacts within the contact time are elastic, however fast.
const CROWDED: u32 = 16;
/// So many impacts within the contact time, all slower than a part of its hop, are those of a contact that creeps.
const CREEPING: u32 = 32;
/// This part of the hop of the contact time.
const CREEP: f64 = 0.125;
/// A hop that is paid from the motion along a wall is no faster than this part of it: about a thousandth of the speed pays for
/// it.
const PAID: f64 = 0.05;

impl Answer {
    /// Whether a contact with this rate is one at rest.
    fn rests(&self, rate: f64) -> bool {
        self.times > 0 && -rate <= 2.0 * self.hop
    }

    /// Whether its hops are so short that they would be very many.
    fn creeps(&self, rate: f64) -> bool {
        self.times >= CREEPING && -rate < CREEP * self.hop
    }

    /// The normal rate after the impact: never more than that before, but for the kick.
    fn leaves_with(&self, rate: f64) -> f64 {
        let approach = (-rate).max(0.0);
        let elastic = self.rests(rate) || self.times >= CROWDED;
        let restitution = if elastic { 1.0 } else { self.restitution };
        let returned = (restitution * approach).max(self.floor.min(approach));
        returned.max(rate).max(self.kick)
    }
}

/// What an impact does to the first side, and the opposite of it to the second.
#[derive(Debug, Clone, Copy)]
pub(super) struct Jump {
    pub total: Vec3,
    pub normal: f64,
    pub friction: f64,
    /// What is left of the motion along the contact where it pays for a hop, else one.
    pub left: f64,
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
    /// Let `u` be the normal rate and the slip before the impact, `W` how an impulse `p` changes them, and `u+ = u + W p`. The kinetic energy
    /// changes by
    ///
    /// ```text
    /// G(p) = p.u + p.W p/2 = p.(u + u+)/2.
    /// ```
    ///
    /// 1. The *smooth* impulse `(q, 0)` turns the normal rate into `r = -e u_n`. It has `G = q (u_n + r)/2 <= 0`, since `0 <= r <= -u_n`.
    /// 2. The *rough* one gives the same normal rate, and its friction stops the slip if the cone allows, else opposes the slip with all it has:
    ///    Newton's and Coulomb's laws. Where the normal and the tangential motion are coupled, `W_nt != 0`, these can ask for
    ///    `G > 0`, which is Kane's paradox.
    /// 3. `G` is convex, and so is the cone. On the way from the smooth impulse to the rough one lies a last one with `G <= 0`, and all before it
    ///    are within the cone and leave the normal rate `r`. That one is taken: the rough impulse itself wherever it adds no energy.
    ///
    /// So no impact adds energy, whatever the shapes, masses, restitution and friction. A contact at rest is elastic, and what friction
    /// can stop there it turns around, `u+ = -u` and `G = 0`: over the hop that follows, the slip is zero in the mean.
    pub fn jump(&self, sides: &[Side; 2], answer: &Answer) -> Jump {
        let velocity = self.velocity(sides);
        let rate = inner(&velocity, &self.normal);
        let creeps = answer.creeps(rate);
        let change = answer.leaves_with(rate) - rate;
        let slip = plus(&velocity, -rate, &self.normal);
        let tangent = self.tangent(&slip, sides);
        let by_normal = self.response(sides, &self.normal);
        let nn = inner(&self.normal, &by_normal);
        let smooth = [change / nn, 0.0];
        let goal = 0.5 * answer.hop;
        let plane = tangent.map(|tangent| {
            let by_tangent = self.response(sides, &tangent);
            Plane {
                nn,
                nt: inner(&self.normal, &by_tangent),
                tt: inner(&tangent, &by_tangent),
                before: [rate, inner(&tangent, &slip)],
            }
        });
        let free = sides.iter().all(|side| side.mobility[0] > 0.0);
        let [normal, tangential] = match plane {
            Some(plane) if answer.friction > 0.0 => {
                let slip = plane.before[1];
                let turned = if answer.rests(rate) && !creeps { -2.0 * slip } else { -slip };
                let rough = plane.frictional([change, turned], answer.friction);
                let within = plane.within_energy(smooth, rough);
                if creeps { plane.hop_from_friction(within, goal) } else { within }
            }
            Some(plane) if creeps && free => plane.hop_from_slip(smooth, goal),
            _ => smooth,
        };
        let total = times(normal, &self.normal);
        let total = tangent.map_or(total, |t| plus(&total, tangential, &t));
        let jump = Jump { total, normal, friction: tangential.abs(), left: 1.0 };
        if creeps { self.hop_from_motion(jump, sides, goal) } else { jump }
    }

    /// A contact with something immovable that creeps and does move along it: its motion pays for a hop. Velocity along the contact and spin
    /// are scaled down by what the hop takes.
    fn hop_from_motion(&self, jump: Jump, sides: &[Side; 2], goal: f64) -> Jump {
        let mobile = |side: &Side| side.mobility[0] > 0.0;
        let (moving, sign) = match [mobile(&sides[0]), mobile(&sides[1])] {
            [true, false] => (0, 1.0),
            [false, true] => (1, -1.0),
            _ => return jump,
        };
        let Side { state, mobility: [by_mass, by_inertia] } = sides[moving];
        let normal = times(sign, &self.normal);
        let along = plus(&state.velocity, -inner(&state.velocity, &normal), &normal);
        // Twice the energies over the mass: squares of speeds.
        let turning = inner(&state.spin, &state.spin) * by_mass / by_inertia;
        let motion = inner(&along, &along) + turning;
        let mut sides_after = *sides;
        strike(&mut sides_after, self, &jump);
        let leaves = inner(&self.velocity(&sides_after), &self.normal).max(0.0);
        let goal = goal.min(PAID * motion.sqrt());
        if !(goal > leaves) {
            return jump;
        }
        // An impulse along the normal that raises the rate to the goal costs (goal^2 - leaves^2)/(2 w_nn), and w_nn is at least 1/m.
        // A little more is taken, so that rounding adds nothing.
        let taken = (1.0 + 1e-10) * (goal - leaves) * (goal + leaves);
        let left = (1.0 - taken / motion).max(0.0).sqrt();
        let more = |jump: Jump, push: f64| Jump {
            total: plus(&jump.total, push, &self.normal),
            normal: jump.normal + push,
            ..jump
        };
        let scaled = Jump { left, ..jump };
        let mut sides_after = *sides;
        strike(&mut sides_after, self, &scaled);
        let leaves = inner(&self.velocity(&sides_after), &self.normal);
        let nn = inner(&self.normal, &self.response(sides, &self.normal));
        let paid = more(scaled, ((goal - leaves) / nn).max(0.0));
        let energy = |jump: &Jump| {
            let mut after = *sides;
            strike(&mut after, self, jump);
            let State { velocity, spin, .. } = after[moving].state;
            inner(&velocity, &velocity) + inner(&spin, &spin) * by_mass / by_inertia
        };
        if energy(&paid) <= energy(&jump) { paid } else { jump }
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

/// The normal and one tangent: how impulses change the rates, and the rates before.
struct Plane {
    nn: f64,
    nt: f64,
    tt: f64,
    before: [f64; 2],
}

impl Plane {
    /// `W p`.
    fn response(&self, p: [f64; 2]) -> [f64; 2] {
        [self.nn * p[0] + self.nt * p[1], self.nt * p[0] + self.tt * p[1]]
    }

    /// The energy that an impulse adds, `G(p)`.
    fn gain(&self, p: [f64; 2]) -> f64 {
        dot2(p, self.before) + 0.5 * dot2(p, self.response(p))
    }

    /// Normal and tangential impulse with friction, for these changes of the normal rate and, if the cone allows, of the slip.
    fn frictional(&self, [change, tangential]: [f64; 2], mu: f64) -> [f64; 2] {
        let Plane { nn, nt, tt, before: [_, slip] } = *self;
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

    /// The rough impulse, or as much of it beyond the smooth one as adds no energy.
    fn within_energy(&self, smooth: [f64; 2], rough: [f64; 2]) -> [f64; 2] {
        let base = self.gain(smooth);
        let allowed = base.max(0.0);
        if self.gain(rough) <= allowed {
            return rough;
        }
        let way = minus2(rough, smooth);
        let curve = 0.5 * dot2(way, self.response(way));
        let slope = dot2(way, self.before) + dot2(way, self.response(smooth));
        // curve s^2 + slope s + (base - allowed) = 0, the last not positive.
        let rest = base - allowed;
        let root = (slope * slope - 4.0 * curve * rest).max(0.0).sqrt();
        let part = if slope >= 0.0 { -2.0 * rest / (slope + root) } else { (root - slope) / (2.0 * curve) };
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        [smooth[0] + part * way[0], smooth[1] + part * way[1]]
    }

    /// Two smooth bodies that creep along each other: a little of their slip pays for a hop.
    fn hop_from_slip(&self, p: [f64; 2], goal: f64) -> [f64; 2] {
        let slip = self.before[1] + self.response(p)[1];
        let goal = goal.min(PAID * slip.abs());
        // The hop takes goal^2/(2 nn), half of what is taken from slip^2/(2 tt).
        let part = (goal * goal * self.tt / (slip * slip * self.nn)).min(0.25);
        if !(part > 0.0) {
            return p;
        }
        let paid = self.hop_from_friction([p[0], p[1] - part * slip / self.tt], goal);
        if self.gain(paid) <= self.gain(p).max(0.0) { paid } else { p }
    }

    /// Half of what an impulse takes, by friction, goes into the normal rate, up to a goal: more normal impulse stays in the cone.
    fn hop_from_friction(&self, p: [f64; 2], goal: f64) -> [f64; 2] {
        let taken = -0.5 * self.gain(p);
        let rate = self.before[0] + self.response(p)[0];
        if !(taken > 0.0 && rate >= 0.0 && goal > rate) {
            return p;
        }
        // q rate + nn q^2/2 = taken.
        let most = 2.0 * taken / (rate + (rate * rate + 2.0 * self.nn * taken).sqrt());
        [p[0] + most.min((goal - rate) / self.nn), p[1]]
    }
}

/// Gives both sides their impulses.
pub(super) fn strike(sides: &mut [Side; 2], contact: &Contact, jump: &Jump) {
    for ((side, arm), sign) in sides.iter_mut().zip(&contact.arms).zip([1.0, -1.0]) {
        let [by_mass, by_inertia] = side.mobility;
        if jump.left < 1.0 && by_mass > 0.0 {
            let velocity = side.state.velocity;
            let across = times(inner(&velocity, &contact.normal), &contact.normal);
            side.state.velocity = plus(&across, jump.left, &plus(&velocity, -1.0, &across));
            side.state.spin = times(jump.left, &side.state.spin);
        }
        side.state.velocity = plus(&side.state.velocity, sign * by_mass, &jump.total);
        side.state.spin = plus(&side.state.spin, sign * by_inertia, &cross(arm, &jump.total));
    }
}

/// Several touches at once, or a corner: the impulse in their cone of normals that brings the velocity nearest to admissible, the
/// closest-point projection in the kinetic metric [FET03 (5.17), (5.21)], as one contact on the line on which it acts.
pub(super) fn resultant(touches: &[Touch], sides: &[Side; 2]) -> Contact {
    let pressing = Pressing {
        by_gravity: touches.iter().fold(0.0, |m, t| t.pressing.by_gravity.max(m)),
        by_turning: touches.iter().fold(0.0, |m, t| t.pressing.by_turning.max(m)),
    };
    let at = |t: &Touch| Contact { pressing, ..contact_at(t.point, t.normal, sides) };
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
    let point = [middle[0] + shift * -normal[1], middle[1] + shift * normal[0]];
    Contact { pressing, ..contact_at(point, normal, sides) }
}

fn contact_at(point: Point, normal: Point, sides: &[Side; 2]) -> Contact {
    let arm = |s: &Side| [point[0] - s.state.position[0], point[1] - s.state.position[1], 0.0];
    Contact {
        arms: [arm(&sides[0]), arm(&sides[1])],
        normal: [normal[0], normal[1], 0.0],
        pressing: Pressing::default(),
    }
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
