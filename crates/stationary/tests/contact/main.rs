//! Laws of contact, one list for all kinds of system that have it: gaps in generalised coordinates and rigid bodies. Each law is
//! shown to fail on a twin of the system that is broken on purpose.

mod broken;
mod laws;
mod rigs;
mod space;

use laws::{LAWS, Law};
use rigs::{FormulaGaps, Rig, RigidBodies, Rod, Thrown, rods};

const RIGS: [&dyn Rig; 2] = [&FormulaGaps, &RigidBodies];

#[test]
fn gaps_and_rigid_bodies_obey_every_law_of_contact() {
    let mut broken = Vec::new();
    for rig in RIGS {
        for Law { name, check, .. } in &LAWS {
            if let Err(why) = check(rig) {
                broken.push(format!("{}: {name}: {why}", rig.name()));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn every_law_of_contact_fails_on_a_system_that_breaks_it() {
    for rig in RIGS {
        for Law { name, check, fault } in &LAWS {
            let twin = broken::Broken { rig, fault: *fault };
            assert!(check(&twin).is_err(), "{}: {name} does not notice {fault:?}", rig.name());
        }
    }
}

/// The law is one: an impact of a rod has the same outcome whether its corners are gaps or it is a polygon, also where friction and the
/// normal are so coupled that Newton's and Coulomb's laws together would add energy.
#[test]
fn a_rod_leaves_an_impact_alike_as_gaps_and_as_a_rigid_body() {
    let mut coupled = 0;
    for rod in rods(400) {
        let [gaps, body] = RIGS.map(|rig| rig.throw(&rod));
        let (Some(gaps), Some(body)) = (gaps, body) else { continue };
        let scale = rod.speed();
        for i in 0..3 {
            let distance = (gaps.after[i] - body.after[i]).abs() * rod.lever(i);
            assert!(distance < 1e-9 * scale, "{rod:?}: {gaps:?} {body:?}");
        }
        assert!((gaps.impulse - body.impulse).abs() < 1e-9 * rod.mass * scale, "{rod:?}");
        assert!((gaps.friction - body.friction).abs() < 1e-9 * rod.mass * scale, "{rod:?}");
        // Neither at the bound of the cone nor without slip: the energy has limited friction.
        let inside = body.friction < rod.law.friction * body.impulse * (1.0 - 1e-6);
        let slips = body.slip(&rod, &body.after).abs() > 1e-6 * scale;
        coupled += usize::from(inside && slips);
    }
    assert!(coupled > 3, "only {coupled} impacts were limited by their energy");
}

/// A disc and a rod for which the outcome is known by hand.
#[test]
fn a_rod_that_falls_flat_on_one_end_turns_as_its_lever_says() {
    let law = stationary::contact::ContactLaw { restitution: 1.0, friction: 0.0 };
    let shape = Rod { half_length: 1.0, half_width: 0.1 };
    let rod = Thrown { shape: shape.into(), law, ..Thrown::default() };
    // Tilted so that one end hits: n.R n = 1/m + l^2/I.
    let rod = Thrown { pose: [0.0, 1.5, 0.3], velocity: [0.0, -1.0, 0.0], ..rod };
    for rig in RIGS {
        let struck = rig.throw(&rod).unwrap();
        let arm = struck.contact_point(&rod)[0] - struck.pose[0];
        let impulse = 2.0 / (1.0 / rod.mass + arm * arm / rod.inertia);
        assert!((struck.impulse - impulse).abs() < 1e-12, "{}: {struck:?}", rig.name());
        assert!((struck.after[2] - arm * impulse / rod.inertia).abs() < 1e-12, "{}: {struck:?}", rig.name());
    }
}
