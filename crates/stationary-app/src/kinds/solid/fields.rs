//! Stresses, strains and what materials remember, at the nodes of a solid.
//!
//! The values at quadrature points are carried to the nodes by [`NodalRecovery`]; quantities that are not linear in them, as the von Mises stress,
//! are those of the tensor at the node.

use super::build::Body;
use super::motion::Motion;
use super::results::von_mises;
use stationary::formula::{Scope, Var};
use stationary::linalg::{Mat3, Vec3, symmetric_eigen};
use stationary::model::solid::{NodalRecovery, PointState, QuadraturePoints, Tensor};
use std::ops::Range;

/// Names of what is recovered, in the order of a row of values: components as xx, yy, zz, xy, yz, xz; strains are logarithmic, those
/// of the tensor.
const RECOVERED: [&str; 14] = [
    "stress_xx",
    "stress_yy",
    "stress_zz",
    "stress_xy",
    "stress_yz",
    "stress_xz",
    "strain_xx",
    "strain_yy",
    "strain_zz",
    "strain_xy",
    "strain_yz",
    "strain_xz",
    "plastic_strain",
    "temperature",
];

/// What follows from the stress: principal stresses decrease.
const DERIVED: [&str; 5] = ["von_mises", "mean_stress", "stress_1", "stress_2", "stress_3"];

/// Values at a node, as [`names`] lists them.
pub(super) const COUNT: usize = RECOVERED.len() + DERIVED.len();

/// The number of the first of them among the variables of a probe: positions come before.
pub(super) const FIRST: u32 = 6;

/// Where the components of the stress are in a row, those of the strain, and the von Mises stress.
pub(super) const STRESS: Range<usize> = 0..6;
pub(super) const STRAIN: Range<usize> = 6..12;
pub(super) const VON_MISES: Range<usize> = RECOVERED.len()..RECOVERED.len() + 1;

/// The names of all quantities.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    RECOVERED.into_iter().chain(DERIVED)
}

/// Lets formulas name the quantities, but for names that a parameter has.
pub(super) fn allow(scope: &mut Scope, parameters: &[(String, f64)]) {
    for (k, name) in (FIRST..).zip(names()) {
        if !parameters.iter().any(|(parameter, _)| parameter == name) {
            scope.variable(name, Var::Q(k));
        }
    }
}

/// The quantities at chosen nodes.
pub(super) struct NodalFields {
    points: QuadraturePoints,
    recovery: NodalRecovery,
    elements: Vec<u32>,
}

impl NodalFields {
    pub fn new(body: &Body, nodes: &[u32]) -> Self {
        let solid = body.problem.solid();
        let points = QuadraturePoints::new(solid);
        let recovery = NodalRecovery::new(solid, &points, nodes, |k| body.material(k));
        let elements = recovery.elements();
        NodalFields { points, recovery, elements }
    }

    /// The quantities at each node now, in the order of the nodes; NaN where an element has none.
    pub fn values(&self, motion: &Motion, body: &Body, x: &[f64]) -> Vec<[f64; COUNT]> {
        let mut first = Vec::with_capacity(self.elements.len());
        let mut values = Vec::new();
        for k in &self.elements {
            first.push(values.len());
            values_of_element(motion, body, (*k as usize, x), &mut values);
            let missing = first.last().map_or(0, |first| first + self.points.of(*k as usize).len());
            values.resize(missing, [f64::NAN; RECOVERED.len()]);
        }
        let at = |k: usize, q: usize| match self.elements.binary_search(&(k as u32)) {
            Ok(place) => values[first[place] + q],
            Err(_) => [f64::NAN; RECOVERED.len()],
        };
        (0..self.recovery.nodes().len()).map(|i| with_derived(self.recovery.value(i, at))).collect()
    }
}

/// Appends the recovered quantities at the points of an element; fewer where it cannot be evaluated.
fn values_of_element(
    motion: &Motion,
    body: &Body,
    (k, x): (usize, &[f64]),
    out: &mut Vec<[f64; RECOVERED.len()]>,
) {
    let solid = body.problem.solid();
    let past = motion.past(k);
    let mut states = Vec::new();
    if solid.point_states(k, x, past, &mut states).is_err() {
        return;
    }
    let (block, j) = solid.locate(k);
    let shown = |name: &str| {
        let mut values = Vec::new();
        if let Some(past) = past {
            block.shown_points(j, past.history, name, &mut values);
        }
        values
    };
    let [plastic, temperature] = ["plastic_strain", "temperature"].map(shown);
    for (q, state) in states.iter().enumerate() {
        let of = |values: &[f64]| values.get(q).copied().unwrap_or(f64::NAN);
        let mut row = [0.0; RECOVERED.len()];
        row[STRESS].copy_from_slice(&components(&state.stress));
        row[STRAIN].copy_from_slice(&components(&logarithmic_strain(state)));
        row[12] = of(&plastic);
        row[13] = of(&temperature);
        out.push(row);
    }
}

/// The components of a symmetric tensor as xx, yy, zz, xy, yz, xz.
pub(super) fn components(s: &Tensor) -> [f64; 6] {
    [s[0][0], s[1][1], s[2][2], s[0][1], s[1][2], s[0][2]]
}

/// `1/2 ln b`, along the axes of space.
pub(super) fn logarithmic_strain(state: &PointState) -> Tensor {
    let (values, vectors) = symmetric_eigen(&matrix(&state.left_cauchy_green));
    let logs = values.map(|stretch| 0.5 * stretch.ln());
    std::array::from_fn(|i| {
        std::array::from_fn(|j| (0..3).map(|k| logs[k] * vectors[i][k] * vectors[j][k]).sum())
    })
}

/// The principal values of the components of a symmetric tensor, the largest first.
pub(super) fn principal(s: &[f64]) -> [f64; 3] {
    let (values, _) = symmetric_eigen(&matrix(&[[s[0], s[3], s[5]], [s[3], s[1], s[4]], [s[5], s[4], s[2]]]));
    [values[2], values[1], values[0]]
}

fn matrix(rows: &Tensor) -> Mat3 {
    Mat3(rows.map(|row| Vec3::from_fn(|j| row[j])))
}

fn with_derived(recovered: [f64; RECOVERED.len()]) -> [f64; COUNT] {
    let stress = &recovered[STRESS];
    let [first, second, third] = principal(stress);
    let mean = (stress[0] + stress[1] + stress[2]) / 3.0;
    let mut all = [0.0; COUNT];
    all[..RECOVERED.len()].copy_from_slice(&recovered);
    all[RECOVERED.len()..].copy_from_slice(&[von_mises(stress), mean, first, second, third]);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn principal_stresses_and_logarithmic_strains_do_not_depend_on_the_axes() {
        // A pull of 3 along a diagonal, and 1 across it.
        assert!(
            principal(&[2.0, 2.0, 0.5, 1.0, 0.0, 0.0])
                .iter()
                .zip([3.0, 1.0, 0.5])
                .all(|(a, b)| (a - b).abs() < 1e-14)
        );
        // Stretched by 2 along the first diagonal, by 1/2 along the other one.
        let b = [[2.125, 1.875, 0.0], [1.875, 2.125, 0.0], [0.0, 0.0, 1.0]];
        let state = PointState { weight: 1.0, left_cauchy_green: b, stress: [[0.0; 3]; 3] };
        let strain = components(&logarithmic_strain(&state));
        let want = [0.0, 0.0, 0.0, 2.0_f64.ln(), 0.0, 0.0];
        assert!(strain.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-14), "{strain:?}");
    }
}
