//! The law in contact space alone, with any Delassus operator: also those that no body has.

use crate::bodies::Random;
use stationary::contact::{Components, ContactLaw, ContactSpace, Demand};

/// A contact with one tangent, by chance: `W` is positive definite, often nearly singular.
fn contact(random: &mut Random) -> ContactSpace<[f64; 1]> {
    let nn = random.within(0.1, 2.0);
    let tt = random.within(0.1, 2.0);
    let nt = random.within(-0.999, 0.999) * f64::sqrt(nn * tt);
    let before = Components { normal: random.within(-2.0, -0.1), tangential: [random.within(-2.0, 2.0)] };
    ContactSpace { before, nn, nt: [nt], tt: [tt] }
}

fn demand(space: &ContactSpace<[f64; 1]>, random: &mut Random) -> Demand<[f64; 1]> {
    let e = random.unit();
    let change =
        Components { normal: -(1.0 + e) * space.before.normal, tangential: [-space.before.tangential[0]] };
    Demand { change, friction: random.within(0.0, 1.5), rounding: 0.0 }
}

#[test]
fn the_impulse_of_any_contact_is_in_the_cone_gives_the_rate_and_adds_no_energy() {
    let mut random = Random(3);
    let mut limited = 0;
    for _ in 0..20_000 {
        let space = contact(&mut random);
        let demand = demand(&space, &mut random);
        let p = space.impulse(&demand);
        assert!(p.normal >= 0.0 && p.tangential_size() <= demand.friction * p.normal * (1.0 + 1e-12));
        let change = space.response(&p).normal;
        assert!((change - demand.change.normal).abs() < 1e-9 * demand.change.normal, "{space:?} {p:?}");
        let scale = p.normal * space.before.normal.abs();
        assert!(space.gain(&p) <= 1e-10 * scale, "{space:?} {demand:?}: {}", space.gain(&p));
        // More friction would have added energy.
        let bound = demand.friction * p.normal;
        let slip = space.before.tangential[0] + space.response(&p).tangential[0];
        let between = p.tangential_size() < 0.999 * bound && slip.abs() > 1e-3;
        limited += usize::from(between && space.gain(&p).abs() < 1e-9 * scale);
    }
    assert!(limited > 100, "only {limited} contacts were limited by their energy");
}

/// The closed form for one tangent and elimination for any number are the same law.
#[test]
fn one_tangent_and_a_list_of_tangents_have_the_same_impulse() {
    let mut random = Random(5);
    for _ in 0..2_000 {
        let one = contact(&mut random);
        let demand = demand(&one, &mut random);
        let of =
            |x: &Components<[f64; 1]>| Components { normal: x.normal, tangential: x.tangential.to_vec() };
        let list =
            ContactSpace { before: of(&one.before), nn: one.nn, nt: one.nt.to_vec(), tt: one.tt.to_vec() };
        let p = one.impulse(&demand);
        let same = Demand { change: of(&demand.change), friction: demand.friction, rounding: 0.0 };
        let q = list.impulse(&same);
        let distance = (p.normal - q.normal).abs().max((p.tangential[0] - q.tangential[0]).abs());
        assert!(distance < 1e-9 * p.normal, "{one:?} {demand:?}: {p:?} {q:?}");
    }
}

/// Friction that energy limits is the largest that adds none.
#[test]
fn friction_limited_by_energy_uses_all_the_energy_there_is() {
    let mut random = Random(11);
    let mut limited = 0;
    for _ in 0..20_000 {
        let space = contact(&mut random);
        let demand = demand(&space, &mut random);
        let p = space.impulse(&demand);
        let slip = space.before.tangential[0] + space.response(&p).tangential[0];
        let sticks = slip.abs() < 1e-9;
        let slides = p.tangential_size() > demand.friction * p.normal * (1.0 - 1e-9);
        if !sticks && !slides {
            limited += 1;
            let gain = space.gain(&p);
            let scale = p.normal * space.before.normal.abs();
            assert!(gain.abs() < 1e-9 * scale, "{space:?} {demand:?}: {gain:e} of {scale:e}");
        }
    }
    assert!(limited > 100, "energy limited friction only {limited} times");
}

#[test]
fn a_contact_with_two_tangents_sticks_if_friction_suffices() {
    let mut random = Random(13);
    for _ in 0..1_000 {
        let coupling = random.within(-0.4, 0.4);
        let space = ContactSpace {
            before: Components {
                normal: random.within(-2.0, -1.0),
                tangential: vec![random.within(-1.0, 1.0), random.within(-1.0, 1.0)],
            },
            nn: 1.0,
            nt: vec![random.within(-0.2, 0.2), random.within(-0.2, 0.2)],
            tt: vec![1.0, coupling, coupling, 1.5],
        };
        let before = &space.before;
        let change =
            Components { normal: -before.normal, tangential: before.tangential.iter().map(|u| -u).collect() };
        let demand = Demand { change: change.clone(), friction: 100.0, rounding: 0.0 };
        let response = space.response(&space.impulse(&demand));
        let tangential = response.tangential.iter().zip(&change.tangential);
        let distance = tangential.map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
        assert!((response.normal - change.normal).abs() < 1e-12, "{space:?}");
        assert!(distance < 1e-12, "{space:?}: {distance:e}");
    }
}

#[test]
fn friction_opposes_the_slip_that_an_impact_begins() {
    for nt in [-0.5, 0.5] {
        let before = Components { normal: -1.0, tangential: [0.0] };
        let space = ContactSpace { before, nn: 1.0, nt: [nt], tt: [1.0] };
        let change = Components { normal: 1.5, tangential: [0.0] };
        let p = space.impulse(&Demand { change, friction: 0.1, rounding: 0.0 });
        assert!((p.tangential[0] + nt.signum() * 0.1 * p.normal).abs() < 1e-15, "{nt}: {p:?}");
        assert!(nt * space.response(&p).tangential[0] > 0.0, "{nt}: the slip is reversed");
    }
}

#[test]
fn two_surfaces_have_the_smaller_restitution_and_the_smaller_friction() {
    let one = ContactLaw { restitution: 0.2, friction: 0.7 };
    let other = ContactLaw { restitution: 0.9, friction: 0.3 };
    let both = ContactLaw { restitution: 0.2, friction: 0.3 };
    assert_eq!(one.against(other), both);
    assert_eq!(other.against(one), both);
}
