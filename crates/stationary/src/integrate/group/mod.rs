//! Rigid bodies on their groups, SO(3) and SE(3): no angles, so no orientation is singular.
//!
//! The discrete action of a body is `L_d = (2/h) g.J g + m |x_1-x_0|^2/(2h) - h/2 (V_0 + V_1)`, where `g` is a parameter of
//! the turn `F = R_0' R_1`. It is invariant under every motion of space that leaves the potential alone, and
//! stationarity is the discrete Euler-Poincare equation [SUR04 2]: the angular momentum in the body is carried
//! by the discrete coadjoint action `m_1 = F' m_0`, which says that `R m`, the angular momentum in space, is constant. So
//! that one is the state here, and the momentum in the body is always taken from it: a free body keeps the one to the last
//! bit and the other, with its Casimir `|m|^2`, to the rounding of a single product, after any number of steps.
//!
//! The rotation is a quaternion. A step adds to it `q (f - 1)`, what the addition loses is carried to the next step,
//! and its length is led back to one within each. Its matrix divides by that length, so it is orthogonal to rounding
//! whatever happened before.

mod carry;
mod solve;

use super::Composition;
use crate::archive::{Archive, Persist};
use crate::error::{Cause, RunError};
use crate::linalg::space::{Mat3, Quaternion, Vec3, apply, apply_transposed, inner, plus, times};
use crate::model::{BodyJet, RigidBody, torque};
use carry::Carry;
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

/// What can be seen of a body.
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
        plus(&self.spin, 1.0, &crate::linalg::space::cross(&self.position, &self.momentum))
    }
}

/// The moving part.
#[derive(Debug, Clone, Copy)]
struct State {
    x: Carry<3>,
    p: Carry<3>,
    spin: Carry<3>,
    q: Carry<4>,
    rotation: Mat3,
    jet: BodyJet,
    torque: Vec3,
}

/// Moves one body by whole steps.
///
/// ```
/// use stationary::integrate::group::{BodyMethod, BodyRun, BodyStart};
/// use stationary::linalg::space::Quaternion;
/// use stationary::model::RigidBody;
/// let body = RigidBody::new(1.0, [[1.0, 0.0, 0.0], [0.0, 2.0, 0.0], [0.0, 0.0, 2.5]]).unwrap();
/// let start = BodyStart {
///     t: 0.0,
///     h: 0.1,
///     position: [0.0; 3],
///     orientation: Quaternion::ONE,
///     velocity: [1.0, 0.0, 0.0],
///     angular_velocity: [0.01, 1.0, 0.01],
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
        let spin = apply(&rotation, &apply(body.inertia(), &start.angular_velocity));
        let p = if body.is_held() { [0.0; 3] } else { times(body.mass(), &start.velocity) };
        let jet = body.potential(start.t, &start.position, &rotation);
        let now = State {
            x: Carry::new(start.position),
            p: Carry::new(p),
            spin: Carry::new(spin),
            q: Carry::new(orientation.0),
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
        let inverse = crate::linalg::space::inverse(body.inertia());
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
        x.spin.add(0.5 * h, &x.torque);
        let mut kinetic = 0.0;
        if !held {
            x.p.add(-0.5 * h, &x.jet.position);
            x.x.add(h / self.body.mass(), &x.p.value);
            kinetic = 0.5 * inner(&x.p.value, &x.p.value) / self.body.mass();
        }
        let momentum = apply_transposed(&x.rotation, &x.spin.value);
        let inertia = self.body.inertia();
        let turned = self.turn.solve(inertia, &self.inverse, &times(0.5 * h, &momentum))?;
        self.iterations += turned.iterations;
        kinetic += 2.0 * inner(&turned.g, &apply(inertia, &turned.g)) / (h * h);
        let [a, b, c] = turned.u;
        let q = Quaternion(x.q.value);
        x.q.add(1.0, &q.after(&Quaternion([turned.less_one, a, b, c])).0);
        let q = Quaternion(x.q.value);
        x.q.add(-0.5 * (q.squared() - 1.0), &q.0);
        x.rotation = Quaternion(x.q.value).matrix();
        x.jet = self.body.potential(t + h, &x.x.value, &x.rotation);
        x.torque = torque(&x.rotation, &x.jet.rotation);
        x.spin.add(0.5 * h, &x.torque);
        if !held {
            x.p.add(-0.5 * h, &x.jet.position);
        }
        Ok(kinetic)
    }

    /// The present state.
    pub fn view(&self) -> BodyView {
        let x = &self.now;
        let body_momentum = apply_transposed(&x.rotation, &x.spin.value);
        BodyView {
            step: self.step,
            t: self.start + self.step as f64 * self.h,
            position: x.x.value,
            orientation: Quaternion(x.q.value),
            rotation: x.rotation,
            momentum: x.p.value,
            spin: x.spin.value,
            body_momentum,
            angular_velocity: self.body.angular_velocity(&body_momentum),
            energy: [self.body.kinetic(&x.p.value, &body_momentum), x.jet.value],
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
    let all = |values: &[f64]| values.iter().all(|x| x.is_finite());
    let parts: [(&str, bool); 6] = [
        ("the potential", x.jet.value.is_finite() && x.jet.rate.is_finite()),
        ("the force", all(&x.jet.position)),
        ("the torque", all(&x.torque)),
        ("the position", all(&x.x.value)),
        ("a momentum", all(&x.p.value) && all(&x.spin.value)),
        ("the orientation", all(&x.q.value)),
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
