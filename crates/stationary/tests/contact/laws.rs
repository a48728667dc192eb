//! The laws of restitution and friction.

use super::broken::Fault;
use super::rigs::{Disc, Exchange, Incline, Rig, Rod, Struck, Thrown, rods};
use stationary::contact::ContactLaw;

/// A law, and the fault that it must notice.
pub struct Law {
    pub name: &'static str,
    pub check: fn(&dyn Rig) -> Result<(), String>,
    pub fault: Fault,
}

pub const LAWS: [Law; 8] = [
    Law {
        name: "the rate after an impact is minus the restitution times that before",
        check: restitution,
        fault: Fault::Rebound,
    },
    Law {
        name: "a contact sticks if Coulomb's cone allows and slides with all of its friction otherwise",
        check: coulomb,
        fault: Fault::Slip,
    },
    Law { name: "the impulse lies in Coulomb's cone", check: cone, fault: Fault::FrictionRecord },
    Law { name: "friction never adds energy", check: energy, fault: Fault::Spin },
    Law {
        name: "the impulse acts at the point of contact: momentum and angular momentum balance",
        check: momentum,
        fault: Fault::ImpulseRecord,
    },
    Law { name: "two bodies exchange momentum as restitution says", check: exchange, fault: Fault::Exchange },
    Law {
        name: "a block on an incline sticks or slides as Coulomb says",
        check: incline,
        fault: Fault::Incline,
    },
    Law {
        name: "contacts that close at once are stopped by the projection onto their cone of normals",
        check: projection,
        fault: Fault::Spin,
    },
];

fn require(holds: bool, what: impl Fn() -> String) -> Result<(), String> {
    if holds { Ok(()) } else { Err(what()) }
}

/// Discs with slip and spin, for every restitution and friction.
fn discs() -> Vec<Thrown> {
    let mut all = Vec::new();
    for restitution in [0.0, 0.3, 0.8, 1.0] {
        for friction in [0.0, 0.05, 0.2, 0.7, 3.0] {
            for [vx, spin] in [[0.0, 0.0], [0.7, 0.0], [-1.0, 3.0], [0.5, -1.0], [0.2, 5.0]] {
                let law = ContactLaw { restitution, friction };
                all.push(Thrown { velocity: [vx, -1.0, spin], law, ..Thrown::default() });
            }
        }
    }
    all
}

/// The impacts of discs, and of those rods that have one.
fn impacts(rig: &dyn Rig) -> Result<Vec<(Thrown, Struck)>, String> {
    let mut all = Vec::new();
    for disc in discs() {
        all.push((disc, rig.throw(&disc).ok_or(format!("{disc:?} has no impact"))?));
    }
    all.extend(rods(100).filter_map(|rod| Some((rod, rig.throw(&rod)?))));
    require(all.len() > 160, || format!("only {} impacts", all.len()))?;
    Ok(all)
}

fn restitution(rig: &dyn Rig) -> Result<(), String> {
    for (thrown, struck) in impacts(rig)? {
        let before = struck.rate(&thrown, &struck.before);
        let after = struck.rate(&thrown, &struck.after);
        let error = after + thrown.law.restitution * before;
        require(error.abs() < 1e-10 * thrown.speed(), || format!("{thrown:?}: {before} {after}"))?;
    }
    Ok(())
}

/// Of a disc normal and tangential motion are not coupled, so that the law is explicit.
fn coulomb(rig: &dyn Rig) -> Result<(), String> {
    let [mut stick, mut slide] = [0; 2];
    for disc in discs() {
        let struck = rig.throw(&disc).ok_or("no impact")?;
        let slip = struck.slip(&disc, &struck.before);
        let impulse = disc.mass * (1.0 + disc.law.restitution);
        let mobility = 1.0 / disc.mass + 0.25 / disc.inertia;
        let most = disc.law.friction * impulse;
        let sticks = slip.abs() / mobility <= most;
        let expected = if sticks { 0.0 } else { slip - slip.signum() * most * mobility };
        let found = struck.slip(&disc, &struck.after);
        require((found - expected).abs() < 1e-11, || format!("{disc:?}: slip {found} for {expected}"))?;
        let of_friction = if sticks { slip.abs() / mobility } else { most };
        require((struck.friction - of_friction).abs() < 1e-11, || format!("{disc:?}: {struck:?}"))?;
        stick += usize::from(sticks && slip != 0.0);
        slide += usize::from(!sticks && most > 0.0);
    }
    require(stick > 10 && slide > 10, || format!("{stick} stick and {slide} slide"))
}

fn cone(rig: &dyn Rig) -> Result<(), String> {
    for (thrown, struck) in impacts(rig)? {
        let most = thrown.law.friction * struck.impulse;
        let within = struck.impulse >= 0.0 && struck.friction <= most * (1.0 + 1e-12) + 1e-14;
        require(within, || format!("{thrown:?}: friction {} of {most}", struck.friction))?;
    }
    Ok(())
}

fn energy(rig: &dyn Rig) -> Result<(), String> {
    for (thrown, struck) in impacts(rig)? {
        let [before, after] = [&struck.before, &struck.after].map(|v| thrown.energy(v));
        require(after <= before * (1.0 + 1e-12), || format!("{thrown:?}: {before} to {after}"))?;
        let [first, last] = struck.energy;
        let recorded = (first - before).abs().max((last - after).abs());
        require(recorded < 1e-12 * before, || format!("{thrown:?}: {:?} recorded", struck.energy))?;
        let lossless = thrown.law == ContactLaw::ELASTIC;
        require(!lossless || (after - before).abs() < 1e-12 * before, || format!("{thrown:?}: {after}"))?;
    }
    Ok(())
}

fn momentum(rig: &dyn Rig) -> Result<(), String> {
    for (thrown, struck) in impacts(rig)? {
        let change: [f64; 3] = std::array::from_fn(|i| struck.after[i] - struck.before[i]);
        let [along, up] = [thrown.mass * change[0], thrown.mass * change[1]];
        let [x, y] = struck.contact_point(&thrown);
        let turned = (x - struck.pose[0]) * up - (y - struck.pose[1]) * along;
        let tolerance = 1e-10 * thrown.mass * thrown.speed();
        let balance = (thrown.inertia * change[2] - turned).abs();
        require(balance < tolerance, || format!("{thrown:?}: angular momentum misses {balance}"))?;
        let recorded = (up - struck.impulse).abs().max((along.abs() - struck.friction).abs());
        require(recorded < tolerance, || format!("{thrown:?}: impulses miss {recorded}"))?;
    }
    Ok(())
}

fn exchange(rig: &dyn Rig) -> Result<(), String> {
    for masses in [[1.0, 1.0], [3.0, 0.5], [0.2, 4.0]] {
        for restitution in [0.0, 0.5, 1.0] {
            let velocities = [1.0, -0.5];
            let after = rig.exchange(&Exchange { masses, velocities, restitution });
            let [a, b] = masses;
            let common = (a * velocities[0] + b * velocities[1]) / (a + b);
            let expected = velocities.map(|v| common - restitution * (v - common));
            let error = (after[0] - expected[0]).abs().max((after[1] - expected[1]).abs());
            require(error < 1e-12, || format!("{masses:?} {restitution}: {after:?} for {expected:?}"))?;
        }
    }
    Ok(())
}

/// On both sides of the threshold `mu = tan(tilt)`. Resting contact of rigid bodies is micro-bounces, so that their friction is that of
/// Coulomb to about a hundredth of the weight along the incline.
fn incline(rig: &dyn Rig) -> Result<(), String> {
    let (gravity, time) = (10.0, 2.0);
    for tilt in [0.1_f64, 0.3] {
        for over in [0.5, 0.9, 1.1, 1.5] {
            let friction = over * tilt.tan();
            let way = rig.slide(&Incline { tilt, friction, gravity, time });
            let pull = gravity * (tilt.sin() - friction * tilt.cos());
            let expected = 0.5 * pull.max(0.0) * time * time;
            let without_friction = 0.5 * gravity * tilt.sin() * time * time;
            let near = (way - expected).abs() < 0.02 * without_friction;
            require(near, || format!("tilt {tilt}, friction {friction}: {way} for {expected}"))?;
        }
    }
    Ok(())
}

/// A rod that turns and comes to lie flat just as it lands: both corners touch at once.
fn projection(rig: &dyn Rig) -> Result<(), String> {
    let shape = Rod { half_length: 1.0, half_width: 0.1 };
    for restitution in [0.0, 0.6, 1.0] {
        for (spin, inertia) in [(0.0, 0.5), (0.4, 0.5), (-0.4, 0.5), (0.4, 8.0), (-0.7, 8.0)] {
            let law = ContactLaw { restitution, friction: 0.0 };
            let thrown = Thrown {
                shape: shape.into(),
                inertia,
                pose: [0.0, 0.1 + 0.505, -0.505 * spin],
                velocity: [0.3, -1.0, spin],
                law,
                ..Thrown::default()
            };
            let struck = rig.throw(&thrown).ok_or(format!("{thrown:?} has no impact"))?;
            let [up, turned] = stopped(&thrown, spin);
            let factor = 1.0 + restitution;
            let expected = [0.3, -1.0 + factor * up, spin + factor * turned];
            let error = (0..3).map(|i| (struck.after[i] - expected[i]).abs()).fold(0.0, f64::max);
            require(error < 1e-9, || format!("{thrown:?}: {:?} for {expected:?}", struck.after))?;
        }
    }
    Ok(())
}

/// The change of velocity and spin that stops the approach of both corners, or of one if the other opens then.
fn stopped(thrown: &Thrown, spin: f64) -> [f64; 2] {
    // Both: impulses that sum to m and have the moment -I w about the centre.
    if (thrown.inertia * spin).abs() <= thrown.mass {
        return [1.0, -spin];
    }
    // One corner, that which approaches faster.
    let arm = -spin.signum();
    let rate = -1.0 + arm * spin;
    let impulse = -rate / (1.0 / thrown.mass + 1.0 / thrown.inertia);
    [impulse / thrown.mass, arm * impulse / thrown.inertia]
}

/// The disc of [`Thrown::default`] has the radius 0.5 that `coulomb` counts with.
#[test]
fn the_disc_that_is_thrown_by_default_has_the_radius_that_the_laws_count_with() {
    let super::rigs::Shape::Disc(Disc { radius }) = Thrown::default().shape else { panic!("no disc") };
    assert_eq!(radius * radius, 0.25);
}
