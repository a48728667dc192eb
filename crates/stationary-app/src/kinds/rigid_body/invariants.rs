//! Quantity a body keeps: energy, momenta in space and about axes of the body, the Casimir.

use crate::run::energy_summary::energy_summary;
use stationary::archive::{Archive, Persist};
use stationary::integrate::group::BodyView;
use stationary::linalg::{Mat3, Quaternion, Vec3};
use stationary::model::RigidBody;
use stationary::observe::{Conserved, Range, Record, Scale, Track, record};

/// A quantity of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Quantity {
    Energy,
    /// `|m|^2` of the angular momentum in the body.
    Casimir,
    /// Along an axis of space.
    Linear(usize),
    /// About an axis of space through the origin, or through the point that is held.
    Angular(usize),
    /// About an axis of the body.
    Axis(usize),
}

impl Quantity {
    /// The value, and the size of its terms.
    pub fn of(self, view: &BodyView) -> (f64, f64) {
        match self {
            Quantity::Energy => {
                let [kinetic, potential] = view.energy;
                (kinetic + potential, kinetic.abs() + potential.abs())
            }
            Quantity::Casimir => {
                let squared = view.body_momentum.dot(view.body_momentum);
                (squared, squared)
            }
            Quantity::Linear(k) => (view.momentum[k], view.momentum.norm()),
            Quantity::Angular(k) => {
                let orbital = view.position.norm() * view.momentum.norm();
                (view.angular_momentum()[k], view.spin.norm() + orbital)
            }
            Quantity::Axis(k) => (view.body_momentum[k], view.body_momentum.norm()),
        }
    }

    /// The name of its column.
    pub fn column(self) -> String {
        match self {
            Quantity::Energy => "energy".into(),
            Quantity::Casimir => "casimir".into(),
            _ => format!("momentum.{}", self.name()),
        }
    }

    /// The name of a momentum in the summary.
    pub fn name(self) -> String {
        let axis = |k: usize| ["x", "y", "z"][k];
        match self {
            Quantity::Energy => "energy".into(),
            Quantity::Casimir => "casimir".into(),
            Quantity::Linear(k) => format!("linear_{}", axis(k)),
            Quantity::Angular(k) => format!("angular_{}", axis(k)),
            Quantity::Axis(k) => format!("axis_{}", k + 1),
        }
    }
}

/// A quantity followed along the run.
pub(super) struct Invariant {
    pub quantity: Quantity,
    track: Track,
    range: Range,
    pub scale: Scale,
    pub now: f64,
    /// Change of the potential under the symmetry, relative to its terms.
    pub invariance: f64,
    /// Why it is not conserved, if it is not.
    why: Option<&'static str>,
}

impl Persist for Invariant {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.track).pass(&mut self.range).pass(&mut self.scale).pass(&mut self.now);
    }
}

/// Change of the potential, relative to its terms, above which there is no symmetry.
pub(super) const INVARIANT: f64 = 1e-9;

impl Invariant {
    pub fn new(quantity: Quantity, invariance: f64) -> Self {
        let (track, range) = (Track::default(), Range::default());
        // Energies refer to the start, where its terms do not cancel; momenta to the largest size of their terms.
        let scale = if quantity == Quantity::Energy { Scale::unknown() } else { Scale::of(0.0) };
        Invariant { quantity, track, range, scale, now: f64::NAN, invariance, why: None }
    }

    /// Says why it is not conserved.
    pub fn because(mut self, why: Option<&'static str>) -> Self {
        self.why = why;
        self
    }

    pub fn add(&mut self, t: f64, value: f64, size: f64) {
        self.scale.see(value, size);
        self.scale.grow(size);
        self.now = value;
        self.track.add(t, value);
        self.range.add(value);
    }

    /// Largest change over the scale.
    pub fn relative(&self) -> f64 {
        self.scale.part(self.track.largest_change())
    }

    /// Its part of `summary.json`.
    pub fn summary(&self) -> Record {
        let (initial, last) = (self.track.initial(), self.track.last());
        match self.quantity {
            Quantity::Energy => energy_summary(&self.track, self.scale.value()),
            Quantity::Casimir => record! {
                "initial": initial,
                "final": last,
                "max_relative_error": self.relative(),
            },
            _ => record! {
                "initial": initial,
                "final": last,
                "max_abs_drift": self.track.largest_change(),
                "max_relative_drift": self.relative(),
                "invariance_error": self.invariance,
            },
        }
    }

    /// A line of the table, where the quantity should be kept at all.
    pub fn conserved(&self) -> Option<Conserved> {
        let quantity = match self.quantity {
            Quantity::Energy | Quantity::Casimir => self.quantity.name(),
            _ => format!("momentum {}", self.quantity.name()),
        };
        let errors = [self.track.largest_change(), self.relative()];
        let row = Conserved::new(quantity, self.track.initial(), errors).unless(self.why, &self.range);
        (self.invariance <= INVARIANT).then_some(row)
    }
}

/// How often the place where symmetries are tested moves half way to the initial state.
const HALVINGS: usize = 40;

/// Energy, Casimir and momenta of a body, each with how far the potential is from the symmetry behind it. Momenta about
/// axes of the body are followed only where body and potential are symmetric about them.
pub(super) fn all(body: &RigidBody, view: &BodyView, span: f64) -> Vec<Invariant> {
    let (t, position, rotation) = general_place(body, view, span);
    let jet = body.potential(t, position, &rotation);
    let (force, gradient) = (jet.position, jet.rotation);
    let spun = sums((0..3).map(|j| (rotation.column(j), gradient.column(j))));
    let orbit = (position, if body.is_held() { Vec3::ZERO } else { force });
    let turned = sums((0..3).map(|j| (rotation.column(j), gradient.column(j))).chain([orbit]));
    let about_body = sums((0..3).map(|i| (gradient[i], rotation[i])));
    let mut all = vec![Invariant::new(Quantity::Casimir, worst(spun))];
    if !body.is_held() {
        // One term each: it is there or it is not.
        let moved = |k: usize| match force[k] {
            0.0 => 0.0,
            f if f.is_nan() => f,
            _ => 1.0,
        };
        all.extend((0..3).map(|k| Invariant::new(Quantity::Linear(k), moved(k))));
    }
    all.extend((0..3).map(|k| Invariant::new(Quantity::Angular(k), turned[k])));
    let symmetric = (0..3).filter(|k| symmetric_about(body.inertia(), *k) && about_body[*k] <= INVARIANT);
    all.extend(symmetric.map(|k| Invariant::new(Quantity::Axis(k), about_body[k])));
    all
}

fn worst(all: Vec3) -> f64 {
    // Not `max`, which forgets a NaN.
    if all.iter().any(|x| x.is_nan()) { f64::NAN } else { all.iter().fold(0.0, |m, x| m.max(*x)) }
}

/// The components of a sum of cross products, each over the size of its terms.
fn sums(pairs: impl Iterator<Item = (Vec3, Vec3)>) -> Vec3 {
    let (mut sum, mut size) = (Vec3::ZERO, Vec3::ZERO);
    for (a, b) in pairs {
        let product = a.cross(b);
        sum += product;
        for k in 0..3 {
            let (i, j) = ((k + 1) % 3, (k + 2) % 3);
            size[k] += (a[i] * b[j]).abs() + (a[j] * b[i]).abs();
        }
    }
    Vec3::from_fn(|k| if size[k] == 0.0 { 0.0 } else { f64::abs(sum[k]) / size[k] })
}

/// Whether turning about an axis of the body leaves its inertia alone.
fn symmetric_about(inertia: &Mat3, k: usize) -> bool {
    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
    let size = inertia[i][i].abs() + inertia[j][j].abs() + inertia[k][k].abs();
    let off = inertia[i][j].abs() + inertia[i][k].abs() + inertia[j][k].abs();
    (inertia[i][i] - inertia[j][j]).abs() + off <= 1e-14 * size
}

/// Time, position and rotation near the initial ones but in general position: at the start itself symmetry may be an
/// accident. The nearer, the smaller the domain of the potential.
fn general_place(body: &RigidBody, view: &BodyView, span: f64) -> (f64, Vec3, Mat3) {
    let size = view.position.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
    let size = if size > 0.0 { size } else { 1.0 };
    let mut by = 1.0;
    for _ in 0..HALVINGS {
        let t = view.t + by * span / std::f64::consts::PI;
        let shift = Vec3::new(0.31, -0.47, 0.22).map(|x| if body.is_held() { 0.0 } else { by * size * x });
        let position = view.position + shift;
        let rotation = Quaternion::about(Vec3::new(0.5, 0.7, -0.3), by).after(&view.orientation).matrix();
        let jet = body.potential(t, position, &rotation);
        if jet.value.is_finite() && jet.position.is_finite() && jet.rotation.is_finite() {
            return (t, position, rotation);
        }
        by *= 0.5;
    }
    (view.t, view.position, view.rotation)
}
