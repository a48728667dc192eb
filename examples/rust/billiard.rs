//! Two discs in a box, with elastic impacts: `cargo run --release -p stationary --example billiard`.

use stationary::contact::ContactLaw;
use stationary::integrate::collide::{
    Body, CollisionOptions, Collisions, Shape, Wall, WallForm, World, contact_time,
};
use stationary::linalg::Vec3;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let surface = ContactLaw { restitution: 1.0, friction: 0.0 };
    let disc = |name: &str, position: [f64; 3], velocity: [f64; 3]| {
        let shape = Shape::Round { radius: 0.1 };
        let inertia = shape.inertia(2, 1.0);
        Body {
            name: name.into(),
            shape,
            mass: 1.0,
            inertia,
            position: position.into(),
            angle: 0.0,
            velocity: velocity.into(),
            spin: Vec3::ZERO,
            surface,
        }
    };
    let wall = |name: &str, normal: Vec3, offset| Wall {
        name: name.into(),
        form: WallForm::Plane { normal, offset },
        surface,
    };
    let world = World {
        dimension: 2,
        gravity: Vec3::ZERO,
        bodies: vec![
            disc("left", [0.3, 0.5, 0.0], [1.0, 0.3, 0.0]),
            disc("right", [0.7, 0.55, 0.0], [-0.4, 0.2, 0.0]),
        ],
        walls: vec![
            wall("west", Vec3::unit(0), 0.0),
            wall("east", -Vec3::unit(0), -1.0),
            wall("south", Vec3::unit(1), 0.0),
            wall("north", -Vec3::unit(1), -1.0),
        ],
    };
    let options = CollisionOptions { start: 0.0, step: 0.1, contact_time: contact_time(&world) };
    let mut run = Collisions::new(world, options).map_err(|fault| format!("{fault:?}"))?;
    let [before, _] = run.energy();
    while run.time() < 1000.0 {
        run.advance(u64::MAX)?;
    }
    let [after, _] = run.energy();
    println!("{} impacts until t = {:.0}", run.impacts(), run.time());
    println!("kinetic energy {before}, then {after}: relative change {:.1e}", after / before - 1.0);
    Ok(())
}
