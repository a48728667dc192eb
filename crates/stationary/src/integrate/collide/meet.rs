//! The impact of a pair.

use super::engine::Collisions;
use super::flight::Flight;
use crate::contact::rigid::{PairContact, Side};
use crate::contact::{Impact, ImpactKind, TouchingPair};
use crate::linalg::Vec3;

impl Collisions {
    /// The impact of a pair that touches now.
    pub(super) fn meet(&mut self, i: usize, j: usize) {
        let now = self.clock();
        let (contact, gap) = self.contact(i, j, &[self.side(i), self.side(j)]);
        self.wake_if_struck(i, j, &contact);
        let mut sides = [self.side(i), self.side(j)];
        self.least_gap = self.least_gap.min(gap / self.size(i, j));
        let rule = self.impact_rule(i, j, &contact.pressing, gap);
        let approach = -contact.velocity(&sides).dot(contact.normal);
        let before = self.energy_of(i, &sides[0].state) + self.energy_of(j, &sides[1].state);
        let jump = contact.jump(&sides, &rule);
        let point = sides[0].state.position + contact.arms[0];
        let slowed = momentum_paid(&sides, &contact, jump.left);
        contact.strike(&mut sides, &jump);
        let after = self.energy_of(i, &sides[0].state) + self.energy_of(j, &sides[1].state);
        let walls = self.world.bodies.len();
        for (k, side) in [i, j].into_iter().zip(&sides).filter(|(k, _)| *k < walls) {
            self.flights[k] = Flight { began: now, state: side.state };
            self.counters[k] = self.counters[k].wrapping_add(1);
        }
        // The impulse of a wall, or of a sleeping body, whom walls carry.
        if j >= walls || self.is_asleep(j) {
            self.book(jump.total);
        } else if self.is_asleep(i) {
            self.book(-jump.total);
        }
        if jump.left < 1.0 {
            self.book(slowed);
        }
        self.lose(before - after);
        self.impacts += 1;
        self.happened.push(Impact {
            time: self.time(),
            kind: ImpactKind::Bounce,
            contact: TouchingPair { pair: [i, j], point, normal: contact.normal, gap },
            impulse: jump.normal,
            friction: jump.friction,
            energy_before: before,
            energy_after: after,
            prescribed: after - before,
        });
        let both = if j < walls { &[i, j][..] } else { &[i] };
        for &k in both {
            if rule.recent > 0 {
                self.fall_asleep_if_at_rest(k, approach);
            }
            let swept = self.sweep(k);
            self.grid.replace(k, swept);
        }
        self.predict(i, |_| true);
        if j < walls {
            self.predict(j, |k| k != i);
        }
    }
}

/// The change of momentum of the motion along a contact where that pays for a micro-bounce: something immovable is on the other side.
fn momentum_paid(sides: &[Side; 2], contact: &PairContact, left: f64) -> Vec3 {
    let Some(side) = sides.iter().find(|side| side.is_mobile()) else { return Vec3::ZERO };
    let velocity = side.state.velocity;
    let along = velocity - velocity.dot(contact.normal) * contact.normal;
    (left - 1.0) / side.mobility[0] * along
}
