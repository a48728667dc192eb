//! A rehearsal of the first motion from a large deformation, and the steps that it asks for.
//!
//! Stable steps are a part of the limit `2/omega_max` of small motions about the start. A body that is released from strains of a tenth moves far
//! from there: elements that are pressed together become stiffer, flat ones by a factor of two and more, and a vibration of large amplitude with
//! a step `h` resonates with itself where it turns by a third or a quarter of a revolution in a step, that is at `sqrt(3)/2` and `1/sqrt(2)` of the limit, since
//! forces have terms of second and third degree in the displacement. Energy that has come into an element in this way is not taken out
//! by shorter steps later.
//!
//! The first steps are therefore made once before the run, with half of the steps. Two numbers are recorded: the error of the energy, which tells how
//! much of it the release brings into fast vibrations, and the part of the limit that the steps of the run would use on the way,
//!
//! ```text
//! p = max_t lambda_max^(1/2) [ M^-1/2 sum_K (dt_K/2)^2 K_K(x(t)) M^-1/2 ].
//! ```
//!
//! Where the error is of any consequence, all steps are multiplied by `1/(2 p)`, if that is less than one: the fastest vibration then turns by a sixth
//! of a revolution in a step. A gentle release, and a start with small strains, leave the steps as they are.

use super::build::Body;
use super::motion::Motion;
use super::stability;
use super::start::extremes;
use crate::run::finish::short;
use crate::scenario::Scenario;
use stationary::error::Error;
use stationary::interrupt;
use stationary::linalg::dot;
use stationary::model::Potentials;
use stationary::observe::{Record, record};

/// The smallest strain of an element at the start, as the relative change of a distance between its nodes, that is worth a rehearsal.
const LARGE_STRAIN: f64 = 0.02;

/// Largest steps of the run that are rehearsed, as a part of all, and within these numbers.
const PART: f64 = 0.05;
const LEAST_LENGTH: f64 = 8.0;
const MOST_LENGTH: f64 = 32.0;

/// Largest steps between looks.
const BETWEEN_LOOKS: f64 = 2.0;

/// The part of the first steps with which is rehearsed, and how often half of it is tried where an element inverts or the steps are
/// themselves too long.
const FIRST_PART: f64 = 0.5;
const ATTEMPTS: usize = 4;

/// The error of the energy with half of the steps from which on the release counts as violent. Parts released from a stretch of a
/// tenth have 2e-3 to 1.2e-2 with local steps, 6e-4 to 4e-3 with one step, the shipped twisted cube 1e-4.
const VIOLENT: f64 = 1e-3;

/// Below this part of [`VIOLENT`] a release is gentle so far: its steps will be left as they are, so that the limit on the way is not sought at every
/// look, and the rehearsal ends after its least length.
const GENTLE: f64 = 0.25;

/// The part of the limit at the stiffest state that steps use at most after a violent release.
const MOST_USED: f64 = 0.5;

/// Steps of the rehearsal that use more of the limit are too long for what they are to show.
const TOO_LONG: f64 = 0.7;

/// What a rehearsal has shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rehearsal {
    /// The largest part of the limit that the first steps would use on the way, over that at the start.
    pub stiffening: f64,
    /// The largest change of the energy less work, over the energy of the deformation.
    pub energy_error: f64,
    /// By what the steps are multiplied.
    pub scale: f64,
}

/// What a march with a part of the steps has shown.
struct March {
    /// The largest part of the limit that the steps of the run would use.
    used: f64,
    energy_error: f64,
    /// Whether all of it was reached, with steps that are short enough.
    is_valid: bool,
}

/// Whether a body starts with strains that are worth a rehearsal.
pub(super) fn is_deformed(body: &Body) -> bool {
    largest_strain(body) > LARGE_STRAIN
}

/// Rehearses the first motion with the engine of the run, if steps as long as these may be too long for it.
pub(super) fn rehearse(
    scenario: &Scenario,
    body: &Body,
    (used, steps): (f64, &[f64]),
    start: impl Fn(Vec<f64>) -> Result<Motion, Error>,
) -> Result<Option<Rehearsal>, Error> {
    // Twice as stiff a body uses twice as much; what few starts exceed is left to the watch over the steps.
    if !(2.0 * used > MOST_USED) {
        return Ok(None);
    }
    let largest = extremes(steps).1;
    let run = (scenario.end - scenario.start) / largest;
    let length = (PART * run).clamp(LEAST_LENGTH, MOST_LENGTH).min(run);
    let mut part = FIRST_PART;
    let mut found = march(body, (part, steps, length), used, &start)?;
    for _ in 1..ATTEMPTS {
        if found.is_valid {
            break;
        }
        part *= 0.5;
        found = march(body, (part, steps, length), used, &start)?;
    }
    // The error is of second order: it is that of half of the steps that counts.
    let energy_error = found.energy_error * (FIRST_PART / part).powi(2);
    let is_violent = energy_error > VIOLENT || part < FIRST_PART;
    let scale = if is_violent { (MOST_USED / found.used).min(1.0) } else { 1.0 };
    Ok(Some(Rehearsal { stiffening: found.used / used, energy_error, scale }))
}

/// Makes so many of the largest steps, with this part of all of them, from a start at which the steps of the run use a part of the limit.
fn march(
    body: &Body,
    (part, steps, length): (f64, &[f64], f64),
    used: f64,
    start: &impl Fn(Vec<f64>) -> Result<Motion, Error>,
) -> Result<March, Error> {
    let mut motion = start(steps.iter().map(|h| part * h).collect())?;
    let largest = extremes(steps).1;
    let mut found = March { used, energy_error: 0.0, is_valid: true };
    let mut first = None;
    // Where longer steps failed it is not.
    let mut is_gentle = part == FIRST_PART;
    for i in 0..=(length / BETWEEN_LOOKS).ceil() as u64 {
        interrupt::check()?;
        let at = (i as f64 * BETWEEN_LOOKS).min(length) * largest;
        let Ok(look) = motion.advance(at).and_then(|()| motion.look()) else {
            found.is_valid = false;
            break;
        };
        let energy = look.kinetic + look.potential - look.work;
        let (first, scale) = *first.get_or_insert((energy, look.potential.abs()));
        found.energy_error = found.energy_error.max((energy - first).abs() / scale);
        is_gentle &= found.energy_error < GENTLE * VIOLENT;
        let is_last = i as f64 * BETWEEN_LOOKS >= if is_gentle { LEAST_LENGTH.min(length) } else { length };
        if is_last || !is_gentle {
            found.used = found.used.max(stability::used(body, &look.x, steps));
        }
        if is_last {
            break;
        }
    }
    found.is_valid &= part * found.used < TOO_LONG;
    Ok(found)
}

/// The largest relative change of the distance between two nodes of an element.
fn largest_strain(body: &Body) -> f64 {
    let (problem, points) = (&body.problem, body.problem.solid().points());
    let distance = |x: &[f64], a: u32, b: u32| {
        let at = |node: u32| 3 * node as usize;
        let between: [f64; 3] = std::array::from_fn(|i| x[at(a) + i] - x[at(b) + i]);
        dot(&between, &between).sqrt()
    };
    let of_pair = |a: u32, b: u32| {
        let was = distance(points, a, b);
        if was > 0.0 { (distance(&body.x, a, b) / was - 1.0).abs() } else { 0.0 }
    };
    let of_element = |k: usize| {
        let nodes = problem.nodes(k);
        let pairs = nodes.iter().enumerate().flat_map(|(i, a)| nodes[..i].iter().map(move |b| (*a, *b)));
        pairs.map(|(a, b)| of_pair(a, b)).fold(0.0, f64::max)
    };
    (0..problem.count()).map(of_element).fold(0.0, f64::max)
}

impl Rehearsal {
    /// What `stationary check` adds to the stability of the steps, unless a note tells that they were shortened.
    pub fn words(&self) -> String {
        if self.scale < 1.0 {
            String::new()
        } else {
            format!("; {}: the steps are left as they are", self.seen())
        }
    }

    /// A sentence for the user, if the steps were shortened.
    pub fn note(&self) -> String {
        format!(
            "the steps are {} of the usual ones for the release from a large deformation: {}",
            short(self.scale),
            self.seen()
        )
    }

    fn seen(&self) -> String {
        format!(
            "in a rehearsal with half of the steps the largest frequency rose by the factor {:.2}, and the energy changed by {:.2e} of that \
             of the deformation",
            self.stiffening, self.energy_error
        )
    }

    /// What `summary.json` has of it.
    pub fn summary(&self) -> Record {
        record! { "stiffening": self.stiffening, "energy_error": self.energy_error, "scale": self.scale }
    }
}
