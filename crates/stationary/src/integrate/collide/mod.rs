//! Many rigid bodies that collide: an asynchronous variational collision integrator.
//!
//! Colliding bodies advance asynchronously. The trajectory of every body `b` has segments of its own, which the papers call legs, cut only at
//! its own impacts. The discrete action is the sum over bodies and legs
//!
//! ```text
//! S_d = sum_b sum_k L_b(q_b^k, q_b^{k+1}, t_b^{k+1} - t_b^k),
//! L_b(q0, q1, h) = m |x1 - x0|^2/(2h) + I (a1 - a0)^2/(2h) - h (V0 + V1)/2 - m |g|^2 h^3/24,    V = -m g.x,
//! ```
//!
//! which is the exact action of a leg in uniform gravity. `D2 L_b` and `-D1 L_b` are then the momenta of the parabola, and `-D3 L_b` is
//! its energy. An impact of bodies `i` and `j` varies their common time and their two poses within the contact set
//! `gap(q_i, q_j) = 0`:
//!
//! ```text
//! D3 L_i + D3 L_j before = after                      the energy of the pair        [FET03 (4.9a)]
//! i^*(D2 L before + D1 L after) = 0                   momenta along the contact set [FET03 (4.9b)]
//! ```
//!
//! so that the momenta jump by `lambda grad gap`, with the `lambda` that keeps the energy. All other bodies fly on: their legs
//! are not cut. Since the legs are exact, the discrete energy is the energy, and both are kept to rounding in runs of any length.
//! Where a gap has a kink, at corners and where several features touch at once, the jump is in the cone of normals
//! (5.15)-(5.17), in the direction of the closest-point projection in the kinetic metric. With restitution `e < 1` and friction the jump
//! is that of the Lagrange-d'Alembert principle (2.37)-(2.38).
//!
//! Impacts at one time are made one after the other, with legs of length zero between them.
//!
//! **Energy.** No impact adds energy beyond rounding, whatever the shapes, masses, restitution and friction: the law of the contact
//! ([`contact`](crate::contact)) has the argument.
//!
//! **Steps.** Impacts are predicted within windows whose lengths follow from the motion. A step only says where to look: it cuts no leg, and
//! every step gives the same bits.
//!
//! **Rest.** Resting contact is modelled as micro-bounces of about the contact time, which are elastic and rest in the mean. A slow body that
//! has made many of them within a contact time falls *asleep*: it stands still, the walls carry its weight, and it wakes when something hits it
//! harder than a resting body would, when a neighbour was hit so, or after some contact times, to see whether it still rests. Energy and
//! impulses of all this are booked.
//!
//! ```
//! use stationary::integrate::collide::{Body, Collisions, CollisionOptions, World};
//! use stationary::linalg::Vec3;
//! // Newton's cradle: five discs in a row that touch, the first comes in.
//! let ball = |k: usize| Body { position: 2.0 * k as f64 * Vec3::unit(0), ..Body::round(2, 1.0) };
//! let mut bodies: Vec<Body> = (0..5).map(ball).collect();
//! bodies[0].position[0] = -3.0;
//! bodies[0].velocity[0] = 1.0;
//! let world = World { dimension: 2, gravity: Vec3::ZERO, bodies, walls: vec![] };
//! let mut run = Collisions::new(world, CollisionOptions { start: 0.0, step: 0.5, contact_time: 0.5 }).unwrap();
//! for _ in 0..10 {
//!     run.advance(u64::MAX).unwrap();
//! }
//! assert_eq!(run.impacts(), 4);
//! assert_eq!(run.state(4).velocity, [1.0, 0.0, 0.0]);
//! assert_eq!(run.state(0).velocity, [0.0, 0.0, 0.0]);
//! ```

mod engine;
mod flight;
mod meet;
mod predict;
mod quantities;
mod rest;
mod start;
mod stop;
mod touching;
mod world;

pub use crate::contact::rigid::{BodyState, Shape};
pub use engine::{CollisionOptions, Collisions};
pub use start::{StartFault, gap};
pub use stop::CollisionStop;
pub use world::{Body, Wall, WallForm, World, contact_time};
