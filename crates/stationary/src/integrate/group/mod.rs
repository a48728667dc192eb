//! Rigid bodies on their groups, SO(3) and SE(3): no angles, so no orientation is singular.
//!
//! The discrete action of a body is `L_d = (2/h) g.J g + m |x_1-x_0|^2/(2h) - h/2 (V_0 + V_1)`, where `g` is a parameter of
//! the turn `F = R_0' R_1`. It is invariant under every motion of space that leaves the potential alone, and
//! stationarity is the discrete Euler-Poincare equation [SUR04 2]: the angular momentum in the body is carried
//! by the discrete coadjoint action `m_1 = F' m_0`, which says that `R m`, the angular momentum in space, is constant. So
//! that one is the state here, and the momentum in the body is always taken from it: a free body keeps the one to the last
//! bit and the other, with its Casimir `|m|^2`, to the rounding of a single product, after any number of steps.
//!
//! The rotation is a quaternion. A step adds `q (f - 1)` to it by compensated summation and corrects its length to one. Its
//! matrix divides by that length, so that it is orthogonal to rounding after any number of steps.

mod solve;

use super::Composition;
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::linalg::{CompensatedSum, Mat3, Quaternion, Vec3, Vector};
use crate::model::{BodyJet, RigidBody, torque};
use solve::Turn;
use std::fmt;

/// An integrator of rigid bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BodyMethod {
    /// The integrable discretisation of Moser and Veselov, `L_d = tr((1 - F) J_d)/h`; steps are limited to about a
    /// quarter turn.
    MoserVeselov {
        /// 2, or 4, 6, 8 by symmetric composition.
        order: usize,
    },
    /// The discrete Euler-Poincare step of the Cayley transform: solvable whatever the step.
    EulerPoincare {
        /// 2, or 4, 6, 8 by symmetric composition.
        order: usize,
    },
}

impl fmt::Display for BodyMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyMethod::MoserVeselov { order } => write!(f, "moser-veselov (order {order})"),
            BodyMethod::EulerPoincare { order } => write!(f, "euler-poincare (order {order})"),
        }
    }
}

impl BodyMethod {
    /// The order of accuracy.
    pub fn order(&self) -> usize {
        match *self {
            BodyMethod::MoserVeselov { order } | BodyMethod::EulerPoincare { order } => order,
        }
    }
}

/// Where and how a body starts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyStart {
    /// Initial time.
    pub t: f64,
    /// Time step.
    pub h: f64,
    /// The centre of mass, or the point that is held.
    pub position: Vec3,
    /// From the body to space; of any length but zero.
    pub orientation: Quaternion,
    /// Velocity of the centre of mass; nothing for a held body.
    pub velocity: Vec3,
    /// In the body.
    pub angular_velocity: Vec3,
}

/// The observable state of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BodyView {
    /// Steps made.
    pub step: u64,
    /// Time, never accumulated.
    pub t: f64,
    /// The centre of mass, or the point that is held.
    pub position: Vec3,
    /// Unit quaternion from the body to space.
    pub orientation: Quaternion,
    /// Its matrix.
    pub rotation: Mat3,
    /// Linear momentum.
    pub momentum: Vec3,
    /// Angular momentum about `position`, in space.
    pub spin: Vec3,
    /// The same in the body.
    pub body_momentum: Vec3,
    /// Angular velocity in the body.
    pub angular_velocity: Vec3,
    /// Kinetic and potential energy.
    pub energy: [f64; 2],
}

impl BodyView {
    /// Angular momentum in space about the origin, or, of a held body, about its point: the Noether momentum of
    /// rotations.
    pub fn angular_momentum(&self) -> Vec3 {
        self.spin + self.position.cross(self.momentum)
    }
}

/// The moving part.
#[derive(Debug, Clone, Copy)]
struct State {
    x: CompensatedSum<Vec3>,
    p: CompensatedSum<Vec3>,
    spin: CompensatedSum<Vec3>,
    q: CompensatedSum<Vector<4>>,
    rotation: Mat3,
    jet: BodyJet,
    torque: Vec3,
}

/// Moves one body by whole steps.
///
/// ```
/// use stationary::integrate::group::{BodyMethod, BodyRun, BodyStart};
/// use stationary::linalg::{Mat3, Quaternion, Vec3};
/// use stationary::model::RigidBody;
/// let body = RigidBody::new(1.0, Mat3::diagonal(1.0, 2.0, 2.5)).unwrap();
/// let start = BodyStart {
///     t: 0.0,
///     h: 0.1,
///     position: Vec3::ZERO,
///     orientation: Quaternion::ONE,
///     velocity: Vec3::unit(0),
///     angular_velocity: Vec3::new(0.01, 1.0, 0.01),
/// };
/// let mut run = BodyRun::new(body, BodyMethod::EulerPoincare { order: 4 }, &start).unwrap();
/// let before = run.view();
/// run.advance(10_000).unwrap();
/// assert_eq!(run.view().spin, before.spin);
/// assert!((run.view().energy[0] / before.energy[0] - 1.0).abs() < 1e-6);
/// ```
#[derive(Debug, Clone)]
pub struct BodyRun {
    body: RigidBody,
    inverse: Mat3,
    turn: Turn,
    composition: Composition,
    start: f64,
    h: f64,
    step: u64,
    now: State,
    discrete_energy: Option<f64>,
    iterations: u64,
}

impl BodyRun {
    /// Starts a method on a body.
    ///
    /// # Panics
    /// If the order is none of 2, 4, 6 and 8.
    pub fn new(body: RigidBody, method: BodyMethod, start: &BodyStart) -> Result<Self, RunError> {
        let orientation = start.orientation.unit();
        let rotation = orientation.matrix();
        let spin = rotation * (body.inertia() * start.angular_velocity);
        let p = if body.is_held() { Vec3::ZERO } else { body.mass() * start.velocity };
        let jet = body.potential(start.t, start.position, &rotation);
        let now = State {
            x: CompensatedSum::new(start.position),
            p: CompensatedSum::new(p),
            spin: CompensatedSum::new(spin),
            q: CompensatedSum::new(Vector(orientation.0)),
            rotation,
            torque: torque(&rotation, &jet.rotation),
            jet,
        };
        let fail = |cause| RunError { time: start.t, step: 0, cause };
        finite(&now).map_err(fail)?;
        let turn = match method {
            BodyMethod::MoserVeselov { .. } => Turn::MoserVeselov,
            BodyMethod::EulerPoincare { .. } => Turn::Cayley,
        };
        let composition =
            Composition::of_order(method.order()).expect("orders 2, 4, 6 and 8 are all there are");
        let inverse = body.inertia().inverse();
        let (t, h) = (start.t, start.h);
        Ok(BodyRun {
            body,
            inverse,
            turn,
            composition,
            start: t,
            h,
            step: 0,
            now,
            discrete_energy: None,
            iterations: 0,
        })
    }

    /// Makes steps. On an error the state is that of the last good step.
    pub fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        for _ in 0..steps {
            let time = self.start + self.step as f64 * self.h;
            self.stride(time).map_err(|cause| RunError { time, step: self.step, cause })?;
        }
        Ok(())
    }

    /// One whole step.
    fn stride(&mut self, time: f64) -> Result<(), Cause> {
        let (mut x, mut energy, mut done) = (self.now, 0.0, 0.0);
        for g in self.composition.0 {
            let (t, h) = (time + done * self.h, g * self.h);
            let (value, rate) = (x.jet.value, x.jet.rate);
            let kinetic = self.leap(&mut x, t, h)?;
            // -D3 of the sum of the parts; the times at which a part samples the potential move with the step too.
            let sampled = 0.5 * h * (done * rate + (done + g) * x.jet.rate);
            energy += g * (kinetic + 0.5 * (value + x.jet.value)) + sampled;
            done += g;
        }
        finite(&x)?;
        self.now = x;
        self.discrete_energy = Some(energy);
        self.step += 1;
        Ok(())
    }

    /// One part of a step: kick, free motion, kick. Returns the kinetic part of its discrete energy.
    #[inline]
    fn leap(&mut self, x: &mut State, t: f64, h: f64) -> Result<f64, Cause> {
        let held = self.body.is_held();
        x.spin.advance_exactly(0.5 * h * x.torque);
        let mut kinetic = 0.0;
        if !held {
            x.p.advance_exactly(-0.5 * h * x.jet.position);
            x.x.advance_exactly(h / self.body.mass() * x.p.value());
            kinetic = 0.5 * x.p.value().dot(x.p.value()) / self.body.mass();
        }
        let momentum = x.rotation.transpose() * x.spin.value();
        let inertia = self.body.inertia();
        let turned = self.turn.solve(inertia, &self.inverse, 0.5 * h * momentum)?;
        self.iterations += turned.iterations;
        kinetic += 2.0 * turned.g.dot(inertia * turned.g) / (h * h);
        let [a, b, c] = turned.u.0;
        let q = Quaternion(x.q.value().0);
        x.q.advance_exactly(Vector(q.after(&Quaternion([turned.less_one, a, b, c])).0));
        let q = Quaternion(x.q.value().0);
        x.q.advance_exactly(-0.5 * (q.squared() - 1.0) * Vector(q.0));
        x.rotation = Quaternion(x.q.value().0).matrix();
        x.jet = self.body.potential(t + h, x.x.value(), &x.rotation);
        x.torque = torque(&x.rotation, &x.jet.rotation);
        x.spin.advance_exactly(0.5 * h * x.torque);
        if !held {
            x.p.advance_exactly(-0.5 * h * x.jet.position);
        }
        Ok(kinetic)
    }

    /// The present state.
    pub fn view(&self) -> BodyView {
        let x = &self.now;
        let body_momentum = x.rotation.transpose() * x.spin.value();
        BodyView {
            step: self.step,
            t: self.start + self.step as f64 * self.h,
            position: x.x.value(),
            orientation: Quaternion(x.q.value().0),
            rotation: x.rotation,
            momentum: x.p.value(),
            spin: x.spin.value(),
            body_momentum,
            angular_velocity: self.body.angular_velocity(body_momentum),
            energy: [self.body.kinetic(x.p.value(), body_momentum), x.jet.value],
        }
    }

    /// `-D3 L_d` of the last step; `None` before the first.
    pub fn discrete_energy(&self) -> Option<f64> {
        self.discrete_energy
    }

    /// Newton iterations so far.
    pub fn iterations(&self) -> u64 {
        self.iterations
    }

    /// The body.
    pub fn body(&self) -> &RigidBody {
        &self.body
    }
}

fn finite(x: &State) -> Result<(), Cause> {
    let parts: [(&str, bool); 6] = [
        ("the potential", x.jet.value.is_finite() && x.jet.rate.is_finite()),
        ("the force", x.jet.position.is_finite()),
        ("the torque", x.torque.is_finite()),
        ("the position", x.x.value().is_finite()),
        ("a momentum", x.p.value().is_finite() && x.spin.value().is_finite()),
        ("the orientation", x.q.value().is_finite()),
    ];
    match parts.iter().find(|(_, finite)| !finite) {
        Some((what, _)) => Err(Cause::NotFinite { what: (*what).into() }),
        None => Ok(()),
    }
}

impl Persist for State {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.x).pass(&mut self.p).pass(&mut self.spin).pass(&mut self.q);
        archive.pass(&mut self.rotation).pass(&mut self.torque);
        let jet = &mut self.jet;
        archive.pass(&mut jet.value).pass(&mut jet.rate).pass(&mut jet.position).pass(&mut jet.rotation);
    }
}

impl Persist for BodyRun {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.step).pass(&mut self.now).pass(&mut self.discrete_energy);
        archive.pass(&mut self.iterations);
    }
}

#[cfg(test)]
mod tests;
