//! Integrators of solids as scenarios choose them, and how elements get their steps.

use super::choice::{Chosen, method, unknown_integrator};
use super::integrators::INTEGRATORS;
use super::{DEFAULT_TOLERANCE, STEP_OPTIONS};
use crate::scenario::{Choice, Numbers, Options, Text};
use stationary::error::Error;
use stationary::integrate::Method;
use stationary::integrate::avi::{Buffer, MOST_THREADS};
use stationary::model::solid::Split;
use std::fmt;

/// How the steps of a solid's elements are found.
#[derive(Debug, Clone)]
pub struct StepChoice {
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
    Eigen(Split),
}

/// An integrator of solids.
#[derive(Debug, Clone)]
pub enum SolidMethod {
    /// Every element its own step.
    Avi(StepChoice),
    /// Explicit, the smallest step for all.
    Newmark(StepChoice),
    /// A discrete Lagrangian of the whole body, with a sparse solver where it is implicit.
    Discrete {
        /// Which.
        method: Method,
        /// Newton's tolerance.
        tolerance: f64,
        /// For the step where the scenario gives none.
        steps: Box<StepChoice>,
    },
}

impl SolidMethod {
    /// How steps are found.
    pub fn steps(&self) -> &StepChoice {
        match self {
            SolidMethod::Avi(steps) | SolidMethod::Newmark(steps) => steps,
            SolidMethod::Discrete { steps, .. } => steps,
        }
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
        let rule = |s: &StepChoice| match (&s.given, s.rule) {
            (Some(Numbers::One(..)), _) => "one step given".to_string(),
            (_, Rule::Courant) => format!("courant {}", s.fraction),
            (_, Rule::Eigen(_)) if s.of_body => format!("eigen {}", s.fraction),
            (_, Rule::Eigen(_)) => format!("eigen {} of each element", s.fraction),
        };
        match self {
            SolidMethod::Avi(s) => {
                let steps = match (s.harmonic, s.buffer) {
                    (false, _) => "free steps",
                    (true, Buffer::Ring) => "harmonic steps with buffer",
                    (true, Buffer::Jump) => "harmonic steps, neighbours within a factor of two",
                    (true, Buffer::None) => "harmonic steps without buffer",
                };
                let middle = if s.middle { ", events in the middle" } else { "" };
                write!(f, "avi ({steps}{middle}, {})", rule(s))
            }
            SolidMethod::Newmark(s) => write!(f, "newmark (explicit, {})", rule(s)),
            SolidMethod::Discrete { method, .. } => method.fmt(f),
        }
    }
}

/// An integrator of a solid, read from a scenario.
pub fn solid_method(choice: &Choice) -> Result<SolidMethod, Error> {
    let names: Vec<&str> = INTEGRATORS.iter().map(|e| e.name).collect();
    let mut options = choice.options.clone();
    let name = choice.method.text.as_str();
    let mut known: Vec<&str> = STEP_OPTIONS.iter().map(|o| o.0).collect();
    let (beta, gamma) = match name {
        "newmark" => {
            known.extend(["beta", "gamma", "tolerance"]);
            (options.number("beta", 0.0, 0.0..=0.5)?, options.number("gamma", 0.5, 0.0..=1.0)?)
        }
        _ => (0.0, 0.5),
    };
    let explicit = name == "newmark" && (beta, gamma) == (0.0, 0.5);
    if name != "avi" && !explicit && name != "newmark" {
        if !names.contains(&name) {
            return Err(unknown_integrator(&choice.method, "integrator", &names).into());
        }
        let Chosen { method, tolerance, energy } = method(choice)?;
        if let (Some(_), Some(place)) = (energy, choice.options.place("step")) {
            return Err(place
                .error("the energy chooses the steps of systems with a Lagrangian only, not those of a solid")
                .help("leave out `step = \"energy\"`")
                .into());
        }
        let steps = Box::new(step_choice(name, &mut Options::default())?);
        return Ok(SolidMethod::Discrete { method, tolerance, steps });
    }
    let steps = step_choice(name, &mut options)?;
    let tolerance = match explicit || name == "avi" {
        true => DEFAULT_TOLERANCE,
        false => options.number("tolerance", DEFAULT_TOLERANCE, 1e-16..=1e-3)?,
    };
    options.finish(&format!("integrator `{name}` of a solid"), &known)?;
    Ok(match (name, explicit) {
        ("avi", _) => SolidMethod::Avi(steps),
        (_, true) => SolidMethod::Newmark(steps),
        (_, false) => SolidMethod::Discrete {
            method: Method::Newmark { beta, gamma },
            tolerance,
            steps: Box::new(steps),
        },
    })
}

fn step_choice(method: &str, options: &mut Options) -> Result<StepChoice, Error> {
    let split = match options.choice("split", "stiffness", &["stiffness", "optimal", "own"])? {
        "own" => Split::Own,
        "optimal" => Split::Optimal,
        _ => Split::Stiffness,
    };
    let harmonic = options.choice("steps", "harmonic", &["free", "harmonic"])? == "harmonic";
    // The largest steps whose energy shows no trend: studies/resonance. One step for all resonates with nothing.
    let (rule, usual) = match options.choice("rule", "eigen", &["courant", "eigen"])? {
        "courant" => (Rule::Courant, 0.1),
        _ if harmonic || method != "avi" => (Rule::Eigen(split), 0.8),
        _ => (Rule::Eigen(split), 0.2),
    };
    let of_body = options.choice("limit", "body", &["body", "element"])? == "body";
    // Free steps gain nothing by the middle, and may change in time if they have it not.
    let usual_events = if harmonic { "middle" } else { "end" };
    Ok(StepChoice {
        rule,
        fraction: options.number("fraction", usual, f64::MIN_POSITIVE..=10.0)?,
        of_body,
        harmonic,
        buffer: match options.word_or_flag("buffer", "jump", &["none", "ring", "jump"], ["ring", "none"])? {
            "none" => Buffer::None,
            "ring" => Buffer::Ring,
            _ => Buffer::Jump,
        },
        middle: options.choice("events", usual_events, &["end", "middle"])? == "middle",
        given: options.numbers("step")?,
        factor: options.formula("factor")?,
        threads: match options.integer("threads", 0, 1..=MOST_THREADS as u64)? {
            0 => None,
            threads => Some(threads as usize),
        },
    })
}
