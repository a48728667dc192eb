//! Integrators of solids as scenarios choose them, and how elements get their steps.

use super::choice::{Chosen, method};
use super::options::{ITERATIONS, RESIDUAL, STEP_OPTIONS, TOLERANCE};
use super::{AUTO, STATIC, accepted};
use crate::kinds::solid;
use crate::scenario::keys::Key;
use crate::scenario::readable::Switch;
use crate::scenario::section::Section;
use crate::scenario::{IntegratorSpec, Numbers, Options, Text};
use stationary::error::Error;
use stationary::integrate::Method;
use stationary::integrate::avi::{Boundary, Buffer};
use stationary::model::solid::MassSplit;
use std::fmt;

/// How the steps of a solid's elements are found.
#[derive(Debug, Clone)]
pub struct StepSpec {
    /// What the stable step is.
    pub rule: Rule,
    /// The part of it that is taken.
    pub fraction: f64,
    /// Whether that is a part of the whole body's limit, not of each element's own: by `eigen` only.
    pub of_body: bool,
    /// Whether steps are rounded down to a base times powers of two.
    pub harmonic: bool,
    /// What harmonic steps give up where unequal ones meet.
    pub buffer: Buffer,
    /// Whether elements act in the middle of their steps.
    pub middle: bool,
    /// How slower levels act on the nodes that they share with faster ones.
    pub boundary: Boundary,
    /// Steps by hand.
    pub given: Option<Numbers>,
    /// A factor that changes in time.
    pub factor: Option<Text>,
    /// Threads that share the work, if said.
    pub threads: Option<usize>,
}

/// What the stable step of an element is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rule {
    /// Inscribed radius over wave speed [AVI03 (68)].
    Courant,
    /// Two over the element's largest frequency, with a split of the nodal masses.
    Eigen(MassSplit),
}

/// The two methods between which `auto` chooses.
#[derive(Debug, Clone)]
pub struct AutoSpec {
    /// The steps of `avi`.
    pub local: StepSpec,
    /// The step of explicit `newmark`.
    pub one: StepSpec,
}

/// An integrator of solids.
#[derive(Debug, Clone)]
pub enum SolidMethod {
    /// Local steps or one step for all, whichever takes less time on the mesh: the mesh decides when the solid is built.
    Auto(Box<AutoSpec>),
    /// Every element its own step.
    Avi(StepSpec),
    /// Explicit, the smallest step for all.
    Newmark(StepSpec),
    /// A discrete Lagrangian of the whole body, with a sparse solver where it is implicit.
    Discrete {
        /// Which.
        method: Method,
        /// Newton's tolerance.
        tolerance: f64,
        /// For the step where the scenario gives none.
        steps: Box<StepSpec>,
    },
    /// Static equilibrium at every row.
    Static {
        /// Largest residual over the forces.
        tolerance: f64,
        /// Newton iterations before a load step is halved.
        iterations: usize,
        /// What explicit steps would be; not used.
        steps: Box<StepSpec>,
    },
}

impl SolidMethod {
    /// How steps are found.
    pub fn steps(&self) -> &StepSpec {
        match self {
            SolidMethod::Auto(auto) => &auto.local,
            SolidMethod::Avi(steps) | SolidMethod::Newmark(steps) => steps,
            SolidMethod::Discrete { steps, .. } | SolidMethod::Static { steps, .. } => steps,
        }
    }

    /// The same for a body that starts at rest under load: of the envelopes at level boundaries only the iterated one keeps a state of rest exactly.
    pub(crate) fn starting_at_rest(mut self) -> Self {
        let iterate = |steps: &mut StepSpec| {
            if steps.boundary == Boundary::Envelope {
                steps.boundary = Boundary::IteratedEnvelope;
            }
        };
        match &mut self {
            SolidMethod::Auto(auto) => iterate(&mut auto.local),
            SolidMethod::Avi(steps) => iterate(steps),
            _ => {}
        }
        self
    }

    /// Order of accuracy in time.
    pub fn order(&self) -> usize {
        match self {
            SolidMethod::Discrete { method, .. } => method.order(),
            _ => 2,
        }
    }

    /// Whether it comes from a discrete action.
    pub fn variational(&self) -> bool {
        match self {
            SolidMethod::Discrete { method, .. } => method.variational(),
            _ => true,
        }
    }
}

impl fmt::Display for SolidMethod {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rule = |s: &StepSpec| match (&s.given, s.rule) {
            (Some(Numbers::One(..)), _) => "one step given".to_string(),
            (_, Rule::Courant) => format!("courant {}", s.fraction),
            (_, Rule::Eigen(_)) if s.of_body => format!("eigen {}", s.fraction),
            (_, Rule::Eigen(_)) => format!("eigen {} of each element", s.fraction),
        };
        match self {
            SolidMethod::Auto(_) => write!(f, "auto"),
            SolidMethod::Avi(s) => {
                let steps = match (s.harmonic, s.buffer) {
                    (false, _) => "free steps",
                    (true, Buffer::Ring) => "harmonic steps with buffer",
                    (true, Buffer::Jump) => "harmonic steps, neighbours within a factor of two",
                    (true, Buffer::None) => "harmonic steps without buffer",
                };
                let middle = if s.middle { ", events in the middle" } else { "" };
                let impulse = s.harmonic && s.middle && s.boundary == Boundary::Impulse;
                let boundary = if impulse { ", impulses at level boundaries" } else { "" };
                write!(f, "avi ({steps}{middle}{boundary}, {})", rule(s))
            }
            SolidMethod::Newmark(s) => write!(f, "newmark (explicit, {})", rule(s)),
            SolidMethod::Discrete { method, .. } => method.fmt(f),
            SolidMethod::Static { tolerance, .. } => write!(f, "static (residual below {tolerance:.0e})"),
        }
    }
}

/// An integrator of a solid, read from a scenario.
pub fn solid_method(choice: &IntegratorSpec) -> Result<SolidMethod, Error> {
    let name = choice.method.text.as_str();
    let entry = accepted(&solid::KIND, choice)?;
    if name == AUTO {
        return auto_method(choice);
    }
    if name == STATIC {
        return static_method(choice, entry.options);
    }
    if name != "avi" && name != "newmark" {
        return discrete_method(choice);
    }
    let rows = (solid::KIND.options_of)(entry).unwrap_or_default();
    let mut options =
        choice.options.open(&format!("integrator `{name}` of a solid"), &choice.method, rows)?;
    if name == "avi" {
        return Ok(SolidMethod::Avi(step_choice(name, &mut options)?));
    }
    let beta: f64 = options.get("beta")?;
    let gamma: f64 = options.get("gamma")?;
    let steps = step_choice(name, &mut options)?;
    if beta == 0.0 && gamma == 0.5 {
        if let Some(entry) = options.find(TOLERANCE.path) {
            return Err(entry
                .key_place
                .error("`tolerance` is of a solve, and this `newmark` is explicit")
                .help("leave it out, or give `beta` and `gamma` of an implicit method")
                .into());
        }
        return Ok(SolidMethod::Newmark(steps));
    }
    Ok(SolidMethod::Discrete {
        method: Method::Newmark { beta, gamma },
        tolerance: options.get(TOLERANCE.path)?,
        steps: Box::new(steps),
    })
}

/// Static equilibrium.
fn static_method(choice: &IntegratorSpec, rows: &[Key]) -> Result<SolidMethod, Error> {
    let mut options = choice.options.open("integrator `static` of a solid", &choice.method, rows.to_vec())?;
    let tolerance = options.get(RESIDUAL.path)?;
    let iterations = options.get::<u64>(ITERATIONS.path)? as usize;
    let mut usual = Options::default().open("integrator", &choice.method, STEP_OPTIONS.to_vec())?;
    let steps = Box::new(step_choice("newmark", &mut usual)?);
    Ok(SolidMethod::Static { tolerance, iterations, steps })
}

/// Both methods of `auto`, with the same options.
fn auto_method(choice: &IntegratorSpec) -> Result<SolidMethod, Error> {
    let steps = |method: &str| {
        let mut options =
            choice.options.open("integrator `auto` of a solid", &choice.method, STEP_OPTIONS.to_vec())?;
        step_choice(method, &mut options)
    };
    let auto = AutoSpec { local: steps("avi")?, one: steps("newmark")? };
    if let Some(factor) = &auto.local.factor {
        return Err(factor
            .error("`factor` changes the steps of elements, and `auto` may choose one step for all")
            .help("expected method = \"avi\"")
            .into());
    }
    Ok(SolidMethod::Auto(Box::new(auto)))
}

/// A discrete Lagrangian of the whole body, with steps by the usual rule where the scenario gives none.
fn discrete_method(choice: &IntegratorSpec) -> Result<SolidMethod, Error> {
    let Chosen { method, tolerance, energy } = method(choice)?;
    if let (Some(_), Some(place)) = (energy, choice.options.place("step")) {
        return Err(place
            .error("the energy chooses the steps of systems with a Lagrangian only, not those of a solid")
            .help("leave out `step = \"energy\"`")
            .into());
    }
    let mut usual = Options::default().open("integrator", &choice.method, STEP_OPTIONS.to_vec())?;
    let steps = Box::new(step_choice(&choice.method.text, &mut usual)?);
    Ok(SolidMethod::Discrete { method, tolerance, steps })
}

/// How levels act where they share nodes. Only levels whose events are in the middle have an envelope.
fn boundary(method: &str, has_envelope: bool, options: &mut Section) -> Result<Boundary, Error> {
    let place = options.find("boundary").map(|entry| entry.key_place.clone());
    match options.given("boundary")? {
        Some("impulse") => Ok(Boundary::Impulse),
        Some(_) if method == "avi" && !has_envelope => {
            let error = "the envelope is of levels of harmonic steps with events in the middle";
            let place = place.as_ref().expect("the key is there");
            Err(place
                .error(error)
                .help("expected steps = \"harmonic\" and events = \"middle\", or boundary = \"impulse\"")
                .into())
        }
        Some("iterated-envelope") if has_envelope => Ok(Boundary::IteratedEnvelope),
        _ if has_envelope => Ok(Boundary::Envelope),
        _ => Ok(Boundary::Impulse),
    }
}

fn step_choice(method: &str, options: &mut Section) -> Result<StepSpec, Error> {
    let split = match options.get("split")? {
        "own" => MassSplit::Own,
        "optimal" => MassSplit::Optimal,
        _ => MassSplit::Stiffness,
    };
    let is_harmonic = options.get::<&str>("steps")? == "harmonic";
    // Below 1/sqrt(2) any two levels of harmonic steps are stable. Free steps show no trend of the energy up to 0.2: studies/resonance. One step
    // for all resonates with nothing.
    let (rule, usual) = match options.get("rule")? {
        "courant" => (Rule::Courant, 0.1),
        _ if method != "avi" => (Rule::Eigen(split), 0.8),
        _ if is_harmonic => (Rule::Eigen(split), 0.7),
        _ => (Rule::Eigen(split), 0.2),
    };
    // Free steps gain nothing by the middle, and may change in time if they have it not.
    let usual_events = if is_harmonic { "middle" } else { "end" };
    let middle = options.given("events")?.unwrap_or(usual_events) == "middle";
    let boundary = boundary(method, is_harmonic && middle, options)?;
    Ok(StepSpec {
        rule,
        fraction: options.given("fraction")?.unwrap_or(usual),
        of_body: options.get::<&str>("limit")? == "body",
        harmonic: is_harmonic,
        buffer: match options.get("buffer")? {
            Switch::Word("none") | Switch::Flag(false) => Buffer::None,
            Switch::Word("ring") | Switch::Flag(true) => Buffer::Ring,
            Switch::Word(_) => Buffer::Jump,
        },
        middle,
        boundary,
        given: options.given("step")?,
        factor: options.given("factor")?,
        threads: options.given("threads")?,
    })
}
