//! The certificate of stability of a harmonic schedule with midpoint events, for small motions about given positions.
//!
//! Let `K_l` be the stiffness of the elements of level `l`, scaled by the masses, and `H_l = 2^l h` their time step. One period of the
//! schedule is nested, `Phi_l(H_l) = Phi_(l-1)(H_l/2) kick_l(H_l) Phi_(l-1)(H_l/2)`, with a drift as `Phi_(-1)`. Each map is symplectic and
//! reversible, `q_1 = A q_0 + B p_0`, and its discrete action is `1/2 q_0 G q_0 + 1/2 q_1 G q_1 - q_0 B^-1 q_1` with `G = B^-1 A`. Eliminating
//! the position in the middle gives
//!
//! ```text
//! Y_l = 2 G_(l-1) - H_l K_l,    B_l = B_(l-1) Y_l B_(l-1),    G_l = G_(l-1) - B_l^-1,    B_(-1) = h/2,  G_(-1) = 2/h.
//! ```
//!
//! If all `K_l` are positive semidefinite and all `Y_l` positive definite, nothing grows: `B_l` is positive definite, so `A_l = B_l G_l` has real
//! eigenvalues, and by induction they lie in `(-1, 1]`. For two levels `Y_1` is positive definite if and only if the matrix
//! `[[2 - h^2 K_1, 1], [1, 1 - h^2 K_0 / 4]]` is, by its Schur complement. A sufficient condition is `h^2 K_1 + h^2 K_0 / 2 < 1`, which holds
//! wherever the body uses less than `1/sqrt(2)` of its limit. The chapter on integrators of the book has the proofs.
//!
//! For three levels and more there is no such bound: the fastest vibrations turn by more than half a revolution in the slowest step. The
//! certificate therefore has two parts: every pair of neighbouring levels is examined by the matrix above, which is a proof for the pair,
//! and the whole schedule is executed on small random motions, in which growth is measured.

mod boundary;
mod levels;
mod march;
mod pairs;

use super::Boundary;
use crate::model::{PotentialFault, Potentials};
use levels::LinearLevels;
use march::March;

/// What a schedule is certified for: positions at a time, masses and time steps.
#[derive(Debug, Clone, Copy)]
pub struct SmallMotions<'a> {
    /// The time at which the potentials are evaluated.
    pub t: f64,
    /// Positions about which motions are small, three numbers a node.
    pub x: &'a [f64],
    /// Masses of the nodes.
    pub mass: &'a [f64],
    /// Time steps of the elements.
    pub step: &'a [f64],
}

/// How stable a schedule was found to be.
#[derive(Debug, Clone, PartialEq)]
pub struct Certificate {
    /// The pairs of levels that share nodes.
    pub pairs: Vec<LevelPair>,
    /// Growth of the amplitude in one largest time step, as an exponent: after `n` of them the amplitude is `exp(n growth)` times as
    /// large. Zero if no growth was found.
    pub growth: f64,
    /// The element around which the growth is largest, if there is growth.
    pub element: Option<usize>,
    /// The smallest growth that the march would have found.
    pub resolution: f64,
    /// Number of largest time steps marched.
    pub periods: u64,
    /// Number of evaluations of elements for this certificate.
    pub updates: u64,
}

/// Two levels that share nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LevelPair {
    /// The faster level.
    pub fast: usize,
    /// The slower level.
    pub slow: usize,
    /// The smallest eigenvalue of the matrix whose definiteness proves the pair to be stable; NaN for levels that are not neighbours, for
    /// which there is no such matrix.
    pub margin: f64,
}

impl LevelPair {
    /// Whether the two levels alone are proved to be stable.
    pub fn is_proved(&self) -> bool {
        self.margin > 0.0
    }
}

impl Certificate {
    /// Whether no growth was found.
    pub fn holds(&self) -> bool {
        self.growth == 0.0
    }

    /// Number of pairs of levels that are proved to be stable.
    pub fn proved(&self) -> usize {
        self.pairs.iter().filter(|pair| pair.is_proved()).count()
    }
}

/// The part of an exponent of growth that a march twice as long must find again. An energy that has risen and remains gives half of it.
const SUSTAINED: f64 = 0.7;

/// For how many smallest time steps a schedule is marched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarchLength {
    /// Where every pair of levels that share nodes is proved to be stable. Doubled, up to the other length, as long as growth is found.
    pub proved: u64,
    /// Where a pair is not.
    pub not_proved: u64,
}

impl MarchLength {
    /// The same for all schedules.
    pub fn always(steps: u64) -> Self {
        MarchLength { proved: steps, not_proved: steps }
    }
}

/// A harmonic schedule with midpoint events, ready to be certified at any common factor of its time steps.
#[derive(Debug)]
pub struct Certifier<'a, P> {
    levels: LinearLevels<'a, P>,
    /// The part of the body's limit that the steps use, if it is known.
    used: Option<f64>,
}

impl<'a, P: Potentials> Certifier<'a, P> {
    /// The schedule of these time steps; `None` if they are not one base step times powers of two.
    pub fn new(potentials: &'a P, about: SmallMotions<'a>) -> Option<Result<Self, PotentialFault>> {
        Some(LinearLevels::new(potentials, about)?.map(|levels| Certifier { levels, used: None }))
    }

    /// Chooses how levels of the run act on the nodes that they share with the next faster one; at first with their impulses.
    pub fn set_boundary(&mut self, boundary: Boundary) -> Result<(), PotentialFault> {
        self.levels.set_boundary(boundary)
    }

    /// Tells which part of the body's limit the steps use. Below `1/sqrt(2)` it proves all pairs of neighbouring levels without an eigenvalue
    /// problem for each.
    pub fn set_used_limit(&mut self, used: f64) {
        self.used = Some(used);
    }

    /// Number of levels, empty ones included.
    pub fn levels(&self) -> usize {
        self.levels.count()
    }

    /// The sum of a cost over the evaluations of elements in one smallest time step, on average.
    pub fn cost_per_step(&self, of_element: &dyn Fn(usize) -> f64) -> f64 {
        self.levels.cost_per_step(of_element)
    }

    /// Certifies the schedule with all time steps multiplied by `scale`, by a march of about this length. With one level there
    /// is nothing to certify beyond the limit of the body.
    ///
    /// The same call gives the same bits; it is executed by one thread.
    pub fn certify(&mut self, scale: f64, length: MarchLength) -> Result<Certificate, PotentialFault> {
        let mut certificate = Certificate {
            pairs: Vec::new(),
            growth: 0.0,
            element: None,
            resolution: f64::INFINITY,
            periods: 0,
            updates: 0,
        };
        if self.levels.occupied() < 2 {
            return Ok(certificate);
        }
        self.levels.reset_updates();
        certificate.pairs = pairs::examine(&mut self.levels, scale, self.used.map(|used| scale * used))?;
        let all_proved = certificate.pairs.iter().all(LevelPair::is_proved);
        let mut steps = if all_proved { length.proved } else { length.not_proved };
        let mut march = march::march(&mut self.levels, scale, steps)?;
        while march.growth > 0.0 && steps < length.not_proved {
            // In few periods the energy around an element may rise by chance: a longer march decides.
            steps = length.not_proved.min(2 * steps);
            march = march::march(&mut self.levels, scale, steps)?;
        }
        if march.growth > 0.0 {
            march = self.confirmed(scale, (march, steps))?;
        }
        certificate.growth = march.growth;
        certificate.element = march.element;
        certificate.resolution = march.resolution;
        certificate.periods = march.periods;
        certificate.updates = self.levels.updates();
        Ok(certificate)
    }

    /// Growth that a march of so many steps has found, if one of twice the length sustains it. Vibrations exchange energy with their surroundings,
    /// on large meshes slowly: what comes into an element in this way ends, while the energy of a resonance grows by the same factor in
    /// every period.
    fn confirmed(&mut self, scale: f64, (found, steps): (March, u64)) -> Result<March, PotentialFault> {
        let longer = march::march(&mut self.levels, scale, 2 * steps)?;
        let is_sustained = longer.growth > SUSTAINED * found.growth;
        Ok(March {
            growth: if is_sustained { longer.growth } else { 0.0 },
            element: longer.element.filter(|_| is_sustained),
            ..longer
        })
    }
}
