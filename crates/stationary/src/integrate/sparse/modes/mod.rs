//! Natural frequencies and mode shapes: small free vibrations about a configuration of a body.
//!
//! ```text
//! K phi = lambda M phi,   phi_i . M phi_j = delta_ij,   omega = sqrt(lambda)
//! ```
//!
//! `K` is the tangent stiffness in the configuration, loads included, so that stresses there count (prestress); `M` the lumped masses
//! of the dynamics. With `y = M^1/2 phi` this is `A y = lambda y`, `A = M^-1/2 K M^-1/2`, whose lowest eigenvalues are the largest of
//! `(A - sigma)^-1` for a shift `sigma` below all of them: the matrix is then positive definite and has a Cholesky factor. Motions of a
//! connected part as a rigid body that cost no energy are found first and kept out of the rest. The number of eigenvalues below a bound is the
//! number of negative pivots of `A - bound` (Sylvester): it tells whether one was missed.
//!
//! ```
//! use stationary::integrate::sparse::modes::{ModalSpec, ModeKind, modes};
//! use stationary::model::solid::{ConstitutiveLaw, ElementGroup, ElementKind, Lame, LinearElastic, Loads, Solid, SolidProblem};
//! use stationary::model::Supports;
//!
//! // A free square of four nodes: three motions as a rigid body in its plane, five vibrations.
//! let points = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.]];
//! let law = ConstitutiveLaw::Linear(LinearElastic::new(Lame::new(1.0, 1.0)?));
//! let blocks = ElementGroup::new(ElementKind::Quad4, &[0, 1, 2, 3], 1.0).build(&points, &law)?;
//! let solid = Solid::new(&points, blocks, &[])?;
//! let body = SolidProblem::new(solid, Loads::default(), Supports::new(&points), vec![1]);
//! let found = modes(&body, 0.0, body.solid().points(), &ModalSpec::lowest(8)).unwrap();
//! assert_eq!(found.modes.iter().filter(|m| m.kind == ModeKind::Rigid).count(), 3);
//! assert!(found.modes[3].eigenvalue > 0.1 && found.loose == 4);
//! # Ok::<(), stationary::error::Diagnostic>(())
//! ```

mod lanczos;
mod matrix;
mod rigid;
mod shift;
mod spectrum;

use crate::interrupt;
use crate::model::{PotentialFault, Structure};
use matrix::ScaledStiffness;
use spectrum::Pair;
use std::fmt;

/// Which modes are wanted.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ModalSpec {
    /// How many, from the lowest eigenvalue on.
    pub count: usize,
    /// Largest residual of a pair relative to the distance of its eigenvalue from the shift.
    pub tolerance: f64,
}

impl ModalSpec {
    /// The lowest modes, to ten digits.
    pub fn lowest(count: usize) -> Self {
        ModalSpec { count, tolerance: 1e-10 }
    }
}

/// What a mode is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModeKind {
    /// A negative eigenvalue: the configuration is an unstable equilibrium, from which this shape grows.
    Unstable,
    /// A connected part of the body moves as a rigid body, which costs no energy.
    Rigid,
    /// No stiffness to rounding, and no motion as a rigid body: a mechanism, such as bars in a line without tension.
    Mechanism,
    /// A vibration.
    Vibration,
}

impl ModeKind {
    /// Its name in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            ModeKind::Unstable => "unstable",
            ModeKind::Rigid => "rigid",
            ModeKind::Mechanism => "mechanism",
            ModeKind::Vibration => "vibration",
        }
    }
}

/// A mode.
#[derive(Debug, Clone, PartialEq)]
pub struct Mode {
    /// The square of the angular frequency; negative for an unstable one.
    pub eigenvalue: f64,
    /// What it is.
    pub kind: ModeKind,
    /// Displacements, three numbers a node, with `phi . M phi = 1`; the largest is positive.
    pub shape: Vec<f64>,
    /// `|(K - sigma M)^-1 (K phi - lambda M phi)|` in the norm of the masses: a bound on the error of the eigenvalue relative to its distance from the shift.
    pub residual: f64,
    /// `phi . M r` for the unit displacements `r` of the whole body along x, y, z; the square is the effective modal mass.
    pub participation: [f64; 3],
    /// `phi . C phi / (2 omega)` with the mass-proportional damping `C`: the part of critical damping. Zero without, and for what does not vibrate.
    pub damping: f64,
}

impl Mode {
    /// The angular frequency; zero for what does not vibrate.
    pub fn angular_frequency(&self) -> f64 {
        if self.kind == ModeKind::Vibration { self.eigenvalue.sqrt() } else { 0.0 }
    }

    /// The rate at which an unstable mode grows, `exp(rate t)`; zero for others.
    pub fn growth_rate(&self) -> f64 {
        if self.kind == ModeKind::Unstable { (-self.eigenvalue).sqrt() } else { 0.0 }
    }

    /// The effective modal masses along x, y, z. Those of all modes add up to the mass that is free to move in the direction.
    pub fn effective_mass(&self) -> [f64; 3] {
        self.participation.map(|g| g * g)
    }
}

/// Modes of a body, and how they were found.
#[derive(Debug, Clone, PartialEq)]
pub struct Modes {
    /// By ascending eigenvalue, motions as a rigid body counted as zero.
    pub modes: Vec<Mode>,
    /// Components of nodes that are free and have stiffness.
    pub unknowns: usize,
    /// Free components without any stiffness, such as those normal to the plane of a plane body: they are left out.
    pub loose: usize,
    /// Mass that is free to move along x, y, z.
    pub free_mass: [f64; 3],
    /// The shift below all eigenvalues.
    pub shift: f64,
    /// Numbers in the factor of the matrix.
    pub fill: usize,
    /// Solutions of the linear system.
    pub solves: usize,
    /// Largest difference of the stiffness matrix from its transpose, relative to its largest entry. Pressures that follow a surface with an
    /// edge have such a stiffness; the modes are those of its symmetric part.
    pub asymmetry: f64,
    /// Largest `|phi_i . M phi_j - delta_ij|`.
    pub orthogonality: f64,
    /// The last count of eigenvalues below a bound, if one was possible.
    pub count_check: Option<CountCheck>,
}

/// The number of eigenvalues below a bound, from the signs of the pivots of the shifted matrix, beside the number of those found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CountCheck {
    /// The bound.
    pub below: f64,
    /// How many there are.
    pub there: usize,
    /// How many were found.
    pub found: usize,
}

/// Why there are no modes.
#[derive(Debug, Clone, PartialEq)]
pub enum ModesError {
    /// More modes are wanted than there are unknowns, or none.
    Count {
        /// Free components with stiffness.
        unknowns: usize,
    },
    /// An element has no stiffness here.
    Fault(PotentialFault),
    /// The stiffness has an entry that is not a finite number.
    NotFinite,
    /// The factor of the matrix does not fit in memory.
    Memory,
    /// No shift was found below all eigenvalues.
    NoShift,
    /// The iteration did not reach its tolerance.
    NotConverged {
        /// Modes that did.
        found: usize,
    },
    /// The end was wanted.
    Interrupted,
}

impl fmt::Display for ModesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModesError::Count { unknowns } => {
                write!(f, "expected a number of modes from 1 to {unknowns}, the unknowns of this body")
            }
            ModesError::Fault(fault) => write!(f, "element {}: {}", fault.number, fault.why),
            ModesError::NotFinite => {
                write!(f, "the stiffness matrix has an entry that is not a finite number")
            }
            ModesError::Memory => write!(f, "the factor of the stiffness matrix does not fit in memory"),
            ModesError::NoShift => write!(f, "no bound below all eigenvalues was found"),
            ModesError::NotConverged { found } => {
                write!(f, "the iteration came to an end with {found} modes to its tolerance")
            }
            ModesError::Interrupted => write!(f, "interrupted"),
        }
    }
}

/// The lowest modes about the positions `x` at time `t`. Elements with memory are as they are without a past.
pub fn modes(structure: &impl Structure, t: f64, x: &[f64], spec: &ModalSpec) -> Result<Modes, ModesError> {
    let matrix = ScaledStiffness::new(structure, t, x)?;
    let unknowns = matrix.len();
    if spec.count == 0 || spec.count > unknowns {
        return Err(ModesError::Count { unknowns });
    }
    let rigid = rigid::motions(structure, &matrix, x, spec.count);
    if interrupt::requested() {
        return Err(ModesError::Interrupted);
    }
    let found = spectrum::lowest(&matrix, rigid, spec)?;
    let modes: Vec<Mode> = found.pairs.iter().map(|pair| mode(structure, &matrix, pair)).collect();
    let mut free_mass = [0.0; 3];
    for (i, m) in matrix.components().iter().zip(matrix.masses()) {
        free_mass[*i as usize % 3] += m;
    }
    Ok(Modes {
        orthogonality: orthogonality(structure.mass(), &modes),
        modes,
        unknowns,
        loose: matrix.loose,
        free_mass,
        shift: found.shift,
        fill: found.fill,
        solves: found.solves,
        asymmetry: matrix.asymmetry,
        count_check: found.count_check,
    })
}

/// Back from `y = M^1/2 phi`.
fn mode(structure: &impl Structure, matrix: &ScaledStiffness, pair: &Pair) -> Mode {
    let mut shape = vec![0.0; 3 * structure.mass().len()];
    for ((i, m), y) in matrix.components().iter().zip(matrix.masses()).zip(&pair.vector) {
        shape[*i as usize] = y / m.sqrt();
    }
    let largest = shape.iter().fold(0.0, |most: f64, u| if u.abs() > most.abs() { *u } else { most });
    if largest < 0.0 {
        shape.iter_mut().for_each(|u| *u = -*u);
    }
    let (mut participation, mut damping) = ([0.0; 3], 0.0);
    for (i, m) in matrix.components().iter().zip(matrix.masses()) {
        let i = *i as usize;
        participation[i % 3] += m * shape[i];
        damping += structure.mass_damping().map_or(0.0, |rates| rates[i / 3] * m * shape[i] * shape[i]);
    }
    let Pair { value: eigenvalue, kind, residual, .. } = *pair;
    let damping = if kind == ModeKind::Vibration { 0.5 * damping / eigenvalue.sqrt() } else { 0.0 };
    Mode { eigenvalue, kind, shape, residual, participation, damping }
}

/// Largest `|phi_i . M phi_j - delta_ij|`.
fn orthogonality(mass: &[f64], modes: &[Mode]) -> f64 {
    let mut worst: f64 = 0.0;
    for (i, a) in modes.iter().enumerate() {
        for (j, b) in modes[..=i].iter().enumerate() {
            let product: f64 =
                a.shape.iter().zip(&b.shape).enumerate().map(|(k, (a, b))| mass[k / 3] * a * b).sum();
            worst = worst.max((product - if i == j { 1.0 } else { 0.0 }).abs());
        }
    }
    worst
}
