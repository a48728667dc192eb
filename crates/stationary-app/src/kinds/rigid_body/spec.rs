//! A rigid body as a scenario states it.

use crate::scenario::place::{Place, Text};
use crate::scenario::with_time;
use stationary::formula::{Scope, Var};
use stationary::linalg::{Mat3, Quaternion, Vec3};

/// A rigid body, free or held at a point. The potential is still text; it may name what [`RigidBodySystem::potential_scope`]
/// knows.
#[derive(Debug, Clone)]
pub struct RigidBodySystem {
    /// Its mass, positive.
    pub mass: f64,
    /// The inertia tensor by rows: about the centre of mass, or about the point that is held.
    pub inertia: Mat3,
    /// Where the tensor was written: only the model sees whether a body can have it.
    pub inertia_place: Place,
    /// Whether the body turns about a fixed point.
    pub fixed: bool,
    /// The centre of mass at the start, or the point that is held.
    pub position: Vec3,
    /// The orientation at the start, from the body to space; of any length but zero.
    pub orientation: Quaternion,
    /// Velocity of the centre of mass at the start.
    pub velocity: Vec3,
    /// Angular velocity at the start, in the body.
    pub angular_velocity: Vec3,
    /// Potential energy.
    pub potential: Option<Text>,
    /// Further columns by name.
    pub probes: Vec<(String, Text)>,
    /// Time step; positive, and large enough to move the clock.
    pub step: f64,
    /// Write a row every so many steps.
    pub output_every: Option<u64>,
}

/// Position and rotation: the inputs `Q(0)` to `Q(11)`.
const POSE: [&str; 12] = ["x", "y", "z", "R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33"];
/// Velocity, and angular velocity in the body: `V(0)` to `V(5)`.
const RATES: [&str; 6] = ["vx", "vy", "vz", "w1", "w2", "w3"];
/// Linear momentum, angular momentum in the body, and in space about the origin: `P(0)` to `P(8)`.
const MOMENTA: [&str; 9] = ["px", "py", "pz", "m1", "m2", "m3", "Lx", "Ly", "Lz"];

impl RigidBodySystem {
    /// Quantity a potential may name: the parameters, `t`, the position `x`, `y`, `z` and the entries `R11` to `R33` of the
    /// rotation from the body to space, which are the inputs `Q(0)` to `Q(11)`.
    pub fn potential_scope(parameters: &[(String, f64)]) -> Scope {
        let mut scope = with_time(parameters);
        for (k, name) in (0..).zip(POSE) {
            scope.variable(name, Var::Q(k));
        }
        scope
    }

    /// Quantity a probe may name: also velocities, `V(0)` to `V(5)`, and momenta, `P(0)` to `P(8)`.
    pub fn probe_scope(parameters: &[(String, f64)]) -> Scope {
        let mut scope = Self::potential_scope(parameters);
        for (k, name) in (0..).zip(RATES) {
            scope.variable(name, Var::V(k));
        }
        for (k, name) in (0..).zip(MOMENTA) {
            scope.variable(name, Var::P(k));
        }
        scope
    }
}

/// Names with a fixed meaning in scenarios of bodies, and what they mean.
pub(crate) fn reserved() -> impl Iterator<Item = (&'static str, &'static str)> {
    let quaternion = ["qw", "qx", "qy", "qz"].map(|name| (name, "a component of the orientation"));
    let observed = ["energy", "discrete_energy", "casimir"].map(|name| (name, "a column of every body"));
    let pose = POSE.into_iter().map(|name| (name, "a position or an entry of the rotation"));
    let rates = RATES.into_iter().map(|name| (name, "a velocity"));
    pose.chain(rates)
        .chain(MOMENTA.into_iter().map(|name| (name, "a momentum")))
        .chain(quaternion)
        .chain(observed)
}
