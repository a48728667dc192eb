//! A rigid body: mass, inertia tensor, and a potential of its position and orientation.
//!
//! `L = m |v|^2/2 + w.J w/2 - V(t, x, R)`, where `R` takes vectors of the body to space, `w` is the angular velocity in
//! the body, and `x` the centre of mass. A *held* body turns about a fixed point: `J` is then taken about that point, and
//! there is no translation.

use crate::formula::{Graph, Node, Program, Var};
use crate::linalg::{Mat3, Vec3, symmetric_eigen};
use std::fmt;
use std::sync::Arc;

/// Potential energy of a body and its derivatives at one place.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct BodyJet {
    /// `V`.
    pub value: f64,
    /// `V_t`.
    pub rate: f64,
    /// `V_x`.
    pub position: Vec3,
    /// `V_R`, entry by entry. Only what it says along rotations matters: how `V` continues off them does not.
    pub rotation: Mat3,
}

/// A potential of time, position and orientation.
pub trait BodyPotential: Send + Sync {
    /// The potential and its derivatives.
    fn at(&self, t: f64, position: Vec3, rotation: &Mat3) -> BodyJet;
}

/// A potential given by a formula.
///
/// ```
/// use stationary::formula::{Expr, Graph, Scope, Var};
/// use stationary::linalg::{Mat3, Vec3};
/// use stationary::model::{BodyPotential, FormulaPotential};
/// let mut scope = Scope::new();
/// scope.variable("z", Var::Q(2)).variable("R33", Var::Q(11));
/// let mut graph = Graph::new();
/// let node = graph.lower(&Expr::parse("3*z + 2*R33").unwrap(), &scope).unwrap();
/// let turned = Mat3::from_rows([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]]);
/// let jet = FormulaPotential::new(&mut graph, node).at(0.0, Vec3::new(0.0, 0.0, 5.0), &turned);
/// assert_eq!((jet.value, jet.position[2], jet.rotation[2][2]), (15.0, 3.0, 2.0));
/// ```
#[derive(Debug, Clone)]
pub struct FormulaPotential {
    program: Program,
}

/// `V`, `V_t`, then `V_x` and `V_R`.
const OUTPUTS: usize = 14;

impl FormulaPotential {
    /// The potential of a node whose inputs are `T` and those of [`pose`].
    pub fn new(graph: &mut Graph, node: Node) -> Self {
        let by: Vec<Var> = std::iter::once(Var::T).chain((0..12).map(Var::Q)).collect();
        let outputs: Vec<(Node, usize)> =
            std::iter::once(node).chain(graph.gradient(node, &by)).zip(0..).collect();
        FormulaPotential { program: Program::new(graph, &outputs) }
    }

    /// Whether calls run machine code rather than the interpreter.
    pub fn is_compiled(&self) -> bool {
        self.program.is_compiled()
    }
}

impl BodyPotential for FormulaPotential {
    fn at(&self, t: f64, position: Vec3, rotation: &Mat3) -> BodyJet {
        let mut out = [0.0; OUTPUTS];
        self.program.call(t, &pose(position, rotation), &[], &[], &mut out);
        let row = |i: usize| Vec3::new(out[i], out[i + 1], out[i + 2]);
        BodyJet { value: out[0], rate: out[1], position: row(2), rotation: Mat3([row(5), row(8), row(11)]) }
    }
}

/// Position and rotation in the order in which formulas take them, `Q(0)` to `Q(11)`: `x`, `y`, `z`, `R11`, `R12` to `R33`.
pub fn pose(position: Vec3, rotation: &Mat3) -> [f64; 12] {
    let [x, y, z] = position.0;
    let [a, b, c] = rotation.0;
    [x, y, z, a[0], a[1], a[2], b[0], b[1], b[2], c[0], c[1], c[2]]
}

/// What is wrong with the numbers of a body.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyFault {
    /// The mass is not a positive number.
    Mass(f64),
    /// An entry of the inertia tensor is not finite.
    NotFinite,
    /// The tensor is not symmetric.
    NotSymmetric,
    /// A principal moment is not positive.
    NotPositive(f64),
    /// The largest principal moment is above the sum of the others: no distribution of mass has these.
    Triangle(Vec3),
}

impl fmt::Display for BodyFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BodyFault::Mass(m) => write!(f, "the mass of a body must be positive and finite, found {m}"),
            BodyFault::NotFinite => write!(f, "an inertia tensor must have finite entries"),
            BodyFault::NotSymmetric => write!(f, "an inertia tensor must be symmetric"),
            BodyFault::NotPositive(i) => {
                write!(f, "the principal moments of inertia must be positive, found {i}")
            }
            BodyFault::Triangle(moments) => {
                let [a, b, c] = moments.0;
                write!(
                    f,
                    "no body has the principal moments of inertia {a}, {b} and {c}: the largest is above the sum of the others"
                )
            }
        }
    }
}

/// Rounding forgiven in an inertia tensor, relative to its size.
const SLACK: f64 = 1e-12;
/// A moment this small beside the largest is zero: a needle, whose turns about itself mean nothing.
const FLAT: f64 = 1e-13;

/// A rigid body.
#[derive(Clone)]
pub struct RigidBody {
    mass: f64,
    inertia: Mat3,
    inverse: Mat3,
    principal: Vec3,
    axes: Mat3,
    held: bool,
    potential: Option<Arc<dyn BodyPotential>>,
}

impl fmt::Debug for RigidBody {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RigidBody")
            .field("mass", &self.mass)
            .field("inertia", &self.inertia)
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}

impl RigidBody {
    /// A body free in space, with its inertia tensor about the centre of mass, by rows.
    ///
    /// ```
    /// use stationary::linalg::Mat3;
    /// use stationary::model::{BodyFault, RigidBody};
    /// assert!(RigidBody::new(1.0, Mat3::diagonal(1.0, 2.0, 2.5)).is_ok());
    /// assert!(matches!(RigidBody::new(1.0, Mat3::diagonal(1.0, 2.0, 3.5)), Err(BodyFault::Triangle(_))));
    /// ```
    pub fn new(mass: f64, inertia: Mat3) -> Result<Self, BodyFault> {
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(BodyFault::Mass(mass));
        }
        if !inertia.is_finite() {
            return Err(BodyFault::NotFinite);
        }
        let size = inertia.entries().fold(0.0_f64, |m, x| m.max(x.abs()));
        let asymmetry = |i: usize, j: usize| (inertia[i][j] - inertia[j][i]).abs() > SLACK * size;
        if asymmetry(0, 1) || asymmetry(0, 2) || asymmetry(1, 2) {
            return Err(BodyFault::NotSymmetric);
        }
        let (principal, axes) = symmetric_eigen(&inertia);
        let [least, middle, most] = principal.0;
        if !(least > FLAT * most) {
            return Err(BodyFault::NotPositive(least));
        }
        if most > (least + middle) * (1.0 + SLACK) {
            return Err(BodyFault::Triangle(principal));
        }
        let inverse = inertia.inverse();
        if !inverse.is_finite() {
            return Err(BodyFault::NotPositive(least));
        }
        Ok(RigidBody { mass, inertia, inverse, principal, axes, held: false, potential: None })
    }

    /// The body held at a fixed point, about which its inertia tensor is taken.
    pub fn held(mut self) -> Self {
        self.held = true;
        self
    }

    /// The body in a potential.
    pub fn with_potential(mut self, potential: impl BodyPotential + 'static) -> Self {
        self.potential = Some(Arc::new(potential));
        self
    }

    /// The mass.
    pub fn mass(&self) -> f64 {
        self.mass
    }

    /// The inertia tensor.
    pub fn inertia(&self) -> &Mat3 {
        &self.inertia
    }

    /// Whether the body turns about a fixed point.
    pub fn is_held(&self) -> bool {
        self.held
    }

    /// The principal moments of inertia, in increasing order, and the principal axes as columns.
    pub fn principal(&self) -> (&Vec3, &Mat3) {
        (&self.principal, &self.axes)
    }

    /// The potential and its derivatives; zero for a free body.
    #[inline]
    pub fn potential(&self, t: f64, position: Vec3, rotation: &Mat3) -> BodyJet {
        self.potential.as_ref().map_or_else(BodyJet::default, |v| v.at(t, position, rotation))
    }

    /// The angular velocity in the body for an angular momentum in the body.
    #[inline]
    pub fn angular_velocity(&self, momentum: Vec3) -> Vec3 {
        self.inverse * momentum
    }

    /// Kinetic energy for a linear momentum and an angular momentum in the body.
    pub fn kinetic(&self, linear: Vec3, angular: Vec3) -> f64 {
        let translation = if self.held { 0.0 } else { 0.5 * linear.dot(linear) / self.mass };
        translation + 0.5 * angular.dot(self.angular_velocity(angular))
    }

    /// The time after which a free body with this angular momentum in the body, about its centre or the held point, has it
    /// again: `4 K(k)` in the time of Jacobi's elliptic functions. Half of it lies between two flips of a body that
    /// turns nearly about its middle axis. `None` where the momentum never moves or never returns: at rest, about a
    /// principal axis or on the separatrix, and for a sphere.
    pub fn free_period(&self, momentum: Vec3) -> Option<f64> {
        let m = self.axes.transpose() * momentum;
        let [a, b, c] = self.principal.0;
        let (squared, twice_energy) =
            (m.dot(m), (0..3).map(|i| m[i] * m[i] / self.principal[i]).sum::<f64>());
        // l^2 - 2 E I_1 and 2 E I_3 - l^2, as sums of terms of one sign.
        let low = m[1] * m[1] * (b - a) / b + m[2] * m[2] * (c - a) / c;
        let high = m[0] * m[0] * (c - a) / a + m[1] * m[1] * (c - b) / b;
        let (rate, other) = if squared > twice_energy * b {
            ((c - b) * low, (b - a) * high)
        } else {
            ((b - a) * high, (c - b) * low)
        };
        // The complement of the modulus, 1 - k^2.
        let period = 4.0 * complete_elliptic(1.0 - other / rate) * (a * b * c / rate).sqrt();
        (low > 0.0 && high > 0.0 && period.is_finite()).then_some(period)
    }
}

/// Torque about the body's own point and in space, `-sum_j r_j x V_(r_j)` with the columns `r_j` of the rotation.
#[inline]
pub fn torque(rotation: &Mat3, gradient: &Mat3) -> Vec3 {
    let mut sum = Vec3::ZERO;
    for j in 0..3 {
        sum -= rotation.column(j).cross(gradient.column(j));
    }
    sum
}

/// The complete elliptic integral of the first kind for the complementary parameter `1 - k^2`, by the
/// arithmetic-geometric mean. Infinite at zero.
pub fn complete_elliptic(complement: f64) -> f64 {
    if complement == 0.0 {
        return f64::INFINITY;
    }
    let (mut a, mut g) = (1.0, complement.sqrt());
    // It converges quadratically: forty means are enough for any number, NaN among them.
    for _ in 0..40 {
        if !((a - g).abs() > 1e-16 * a) {
            break;
        }
        (a, g) = (0.5 * (a + g), (a * g).sqrt());
    }
    std::f64::consts::PI / (a + g)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formula::{Expr, Scope};
    use crate::linalg::Quaternion;

    #[test]
    fn rigid_bodies_with_impossible_inertia_are_refused() {
        let fault = |inertia| RigidBody::new(1.0, inertia).expect_err("refused");
        assert!(matches!(fault(Mat3::diagonal(0.0, 1.0, 1.0)), BodyFault::NotPositive(_)));
        assert!(matches!(fault(Mat3::diagonal(-1.0, 1.0, 1.0)), BodyFault::NotPositive(_)));
        assert!(matches!(fault(Mat3::diagonal(0.0, 0.0, 0.0)), BodyFault::NotPositive(_)));
        assert!(matches!(fault(Mat3::diagonal(1.0, 1.0, 2.1)), BodyFault::Triangle(_)));
        assert!(matches!(fault(Mat3::diagonal(f64::NAN, 1.0, 1.0)), BodyFault::NotFinite));
        assert!(matches!(
            fault(Mat3::from_rows([[1.0, 0.1, 0.0], [0.2, 1.0, 0.0], [0.0, 0.0, 1.0]])),
            BodyFault::NotSymmetric
        ));
        // Two moments of one and a product of one: the third principal moment is zero.
        assert!(matches!(
            fault(Mat3::from_rows([[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 2.0]])),
            BodyFault::NotPositive(_)
        ));
        for mass in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            assert!(matches!(RigidBody::new(mass, Mat3::diagonal(1.0, 1.0, 1.0)), Err(BodyFault::Mass(_))));
        }
        assert!(RigidBody::new(1.0, Mat3::diagonal(1.0, 1.0, 2.0)).is_ok(), "a plate");
    }

    #[test]
    fn torque_is_the_derivative_of_the_potential_along_rotations() {
        let mut scope = Scope::new();
        scope.variable("t", Var::T);
        let names = ["x", "y", "z", "R11", "R12", "R13", "R21", "R22", "R23", "R31", "R32", "R33"];
        for (k, name) in (0..).zip(names) {
            scope.variable(name, Var::Q(k));
        }
        let mut graph = Graph::new();
        let text = "sin(t)*R11*R23 + exp(0.3*R32)*x - R13^2*R31/(2 + R22) + y*z*R12*R21 + R33*R12";
        let node = graph.lower(&Expr::parse(text).unwrap(), &scope).unwrap();
        let potential = FormulaPotential::new(&mut graph, node);
        let (q, x) = (Quaternion([0.5, 0.3, -0.7, 0.4]).unit(), Vec3::new(0.3, -0.2, 0.9));
        let r = q.matrix();
        let exact = torque(&r, &potential.at(0.7, x, &r).rotation);
        for k in 0..3 {
            let axis = Vec3::unit(k);
            let value =
                |angle: f64| potential.at(0.7, x, &Quaternion::about(axis, angle).after(&q).matrix()).value;
            let difference = (value(1e-5) - value(-1e-5)) / 2e-5;
            assert!((difference + exact[k]).abs() < 1e-9, "{k}: {difference} {}", exact[k]);
        }
    }

    #[test]
    fn complete_elliptic_integral_agrees_with_tabulated_values() {
        assert!((complete_elliptic(1.0) - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
        assert!((complete_elliptic(0.5) - 1.854_074_677_301_371_9).abs() < 1e-15);
        assert!((complete_elliptic(0.01) - 3.695_637_362_989_874_6).abs() < 1e-14);
        assert!(complete_elliptic(f64::NAN).is_nan() && complete_elliptic(0.0).is_infinite());
        let tiny = 1e-300_f64;
        assert!((complete_elliptic(tiny) - (4.0 / tiny.sqrt()).ln()).abs() < 1e-12, "its asymptote");
    }

    #[test]
    fn rigid_bodies_without_unstable_rotation_have_no_flip_period() {
        let body = RigidBody::new(1.0, Mat3::diagonal(1.0, 2.0, 2.5)).unwrap();
        for still in [Vec3::ZERO, Vec3::unit(0), Vec3::unit(1), Vec3::unit(2)] {
            assert_eq!(body.free_period(still), None, "{still:?}");
        }
        let sphere = RigidBody::new(1.0, Mat3::diagonal(2.0, 2.0, 2.0)).unwrap();
        assert_eq!(sphere.free_period(Vec3::new(1.0, 2.0, 3.0)), None);
        // Near the stable axes: small oscillations of Euler's equations.
        let w = 3.0;
        let near = body.free_period(Vec3::new(w, 1e-6, 1e-6)).unwrap();
        let slow = w * ((2.0 - 1.0) * (2.5 - 1.0) / (2.0 * 2.5_f64)).sqrt();
        assert!((near * slow / (2.0 * std::f64::consts::PI) - 1.0).abs() < 1e-10);
    }
}
