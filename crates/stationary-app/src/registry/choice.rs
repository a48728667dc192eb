//! Integrators of formulas and bodies as scenarios choose them.

use super::options::{BODY_ORDER, CONTACT_TIME, DEFAULT_TOLERANCE, ENERGY_OPTIONS, STEP, TOLERANCE};
use super::{COLLISIONS, EULER_POINCARE, accepted};
use crate::kinds::{collisions, formula, rigid_body};
use crate::scenario::section::Section;
use crate::scenario::{IntegratorSpec, Options, Text, unknown_word};
use stationary::error::{Diagnostic, Error};
use stationary::integrate::group::BodyMethod;
use stationary::integrate::{EnergyStepSpec, Method, Turning};

/// An integrator read from a scenario.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chosen {
    /// The method.
    pub method: Method,
    /// Newton's tolerance.
    pub tolerance: f64,
    /// How the energy chooses the steps, if it does.
    pub energy: Option<EnergyStepSpec>,
}

/// Reads an integrator.
pub fn method(choice: &IntegratorSpec) -> Result<Chosen, Error> {
    let entry = accepted(&formula::KIND, choice)?;
    let rows = (formula::KIND.options_of)(entry).unwrap_or_default();
    let chooses_steps = rows.contains(&STEP);
    if !chooses_steps {
        refuse_energy_steps(entry.name, &choice.options)?;
    }
    let mut options = choice.options.open(&format!("integrator `{}`", entry.name), &choice.method, rows)?;
    let energy = if chooses_steps { energy_steps(&mut options)? } else { None };
    let has_tolerance = entry.options.contains(&TOLERANCE);
    let tolerance = if has_tolerance { options.get("tolerance")? } else { DEFAULT_TOLERANCE };
    Ok(Chosen { method: read(entry.name, &mut options)?, tolerance, energy })
}

/// Names that integrators have elsewhere, the integrator here, and how it becomes that one.
const ELSEWHERE: [(&[&str], &str, &str); 12] = [
    (
        &["leapfrog", "stormer-verlet", "stormer", "velocity-verlet", "position-verlet", "kdk", "dkd"],
        "verlet",
        "`verlet` is this method",
    ),
    (&["central-difference", "explicit-newmark"], "newmark", "`newmark` with `beta = 0` is this method"),
    (
        &[
            "newmark-beta",
            "average-acceleration",
            "linear-acceleration",
            "hht",
            "hht-alpha",
            "generalized-alpha",
        ],
        "newmark",
        "`newmark` with `beta` and `gamma` is the nearest",
    ),
    (
        &["euler", "symplectic-euler", "semi-implicit-euler", "euler-cromer"],
        "midpoint",
        "`midpoint` with `alpha = 0` or `alpha = 1` is the symplectic Euler method",
    ),
    (&["implicit-midpoint", "midpoint-rule"], "midpoint", "`midpoint` is this method"),
    (&["crank-nicolson", "trapezoid", "trapezium"], "trapezoidal", "`trapezoidal` is the nearest"),
    (
        &["yoshida", "yoshida4", "forest-ruth", "suzuki", "mclachlan", "kahan-li"],
        "verlet",
        "`verlet` with `order = 4`, 6 or 8 is such a composition",
    ),
    (
        &["yoshida6", "yoshida8", "saba", "saba4", "whfast", "wisdom-holman"],
        "verlet",
        "`verlet` with `order = 6` or 8 is the nearest",
    ),
    (&["rattle", "shake"], "verlet", "`verlet` with `constraint` is this method"),
    (&["gauss-legendre", "gl4", "gl6", "irk-gauss"], "gauss", "`gauss` with `stages` is this method"),
    (&["runge-kutta", "rk", "runge-kutta-4", "erk4"], "rk4", "`rk4` is the classical Runge-Kutta method"),
    (
        &[
            "rk45",
            "rk23",
            "dop853",
            "dopri5",
            "ode45",
            "lsoda",
            "odeint",
            "radau",
            "bdf",
            "ias15",
            "bulirsch-stoer",
        ],
        "gauss",
        "steps that follow an error estimate are not offered; `gauss` with `stages = 3`, of order 6, is accurate at a fixed step",
    ),
];

/// The error of a name that no integrator has, with what it is called here if others call it so.
pub(super) fn unknown_integrator(text: &Text, kind: &str, allowed: &[&str]) -> Diagnostic {
    let plain = stationary::formula::spelled(&text.text.replace(['-', ' '], "_")).unwrap_or_default();
    let name = plain.to_lowercase().replace('_', "-");
    let known =
        ELSEWHERE.iter().find(|(names, here, _)| allowed.contains(here) && names.contains(&name.as_str()));
    let error = unknown_word(text, kind, allowed);
    match known {
        Some((.., words)) => error.help(format!("{words}; all are: {}", allowed.join(", "))),
        None => error,
    }
}

/// Refuses the choice of steps by the energy, and the options that go with it, for a method that has no such steps.
fn refuse_energy_steps(name: &str, options: &Options) -> Result<(), Error> {
    let names = [STEP.path].into_iter().chain(ENERGY_OPTIONS.map(|option| option.path));
    let Some(place) = names.into_iter().find_map(|option| options.place(option)) else { return Ok(()) };
    Err(place
        .error(format!("the energy cannot choose the steps of `{name}`"))
        .help(
            "expected one of: midpoint, trapezoidal, verlet, gauss, lobatto; or leave out `step`, which for all \
             others stands at the top of the scenario",
        )
        .into())
}

/// How the energy chooses the steps, if it does.
fn energy_steps(options: &mut Section) -> Result<Option<EnergyStepSpec>, Error> {
    if options.get::<&str>("step")? == "fixed" {
        let early = ENERGY_OPTIONS.iter().find_map(|option| options.find(option.path));
        return match early {
            Some(entry) => Err(entry
                .node
                .place
                .error(format!("`{}` belongs to `step = \"energy\"`, which is not chosen here", entry.key))
                .help("add `step = \"energy\"` to the integrator, or leave this out")
                .into()),
            None => Ok(None),
        };
    }
    let chosen: &str = options.get("turning")?;
    let turning = Turning::ALL.iter().find(|(name, _)| *name == chosen);
    let (_, turning) = turning.unwrap_or_else(|| unreachable!("`{chosen}` is a word of `turning`"));
    Ok(Some(EnergyStepSpec {
        smallest: options.get("smallest")?,
        largest: options.get("largest")?,
        turning: *turning,
    }))
}

fn read(name: &str, options: &mut Section) -> Result<Method, Error> {
    Ok(match name {
        "midpoint" => Method::Midpoint { alpha: options.get("alpha")? },
        "trapezoidal" => Method::Trapezoidal { alpha: options.get("alpha")? },
        "verlet" => Method::Verlet { order: options.get("order")? },
        "newmark" => Method::Newmark { beta: options.get("beta")?, gamma: options.get("gamma")? },
        "gauss" => Method::Gauss { stages: options.get("stages")? },
        "lobatto" => Method::Lobatto { points: lobatto_points(options)? },
        "rk4" => Method::RungeKutta4,
        other => unreachable!("registry entry `{other}` has no reader"),
    })
}

/// `stages`, which has another name.
fn lobatto_points(options: &mut Section) -> Result<usize, Error> {
    let Some(points) = options.take("points")? else { return Ok(options.get("stages")?) };
    if options.has("stages") {
        let message = "`points` and `stages` are the same option: give one of them";
        return Err(points.node.place.error(message).into());
    }
    Ok(points.read(options.constants())?)
}

/// An integrator of a rigid body, read from a scenario.
pub fn body_method(choice: &IntegratorSpec) -> Result<BodyMethod, Error> {
    let name = choice.method.text.as_str();
    accepted(&rigid_body::KIND, choice)?;
    let rows = vec![BODY_ORDER];
    let mut options = choice.options.open(&format!("integrator `{name}`"), &choice.method, rows)?;
    let order = options.get("order")?;
    Ok(match name {
        EULER_POINCARE => BodyMethod::EulerPoincare { order },
        _ => BodyMethod::MoserVeselov { order },
    })
}

/// The contact time of bodies that collide, if one was given.
pub fn collisions(choice: &IntegratorSpec) -> Result<Option<f64>, Error> {
    accepted(&collisions::KIND, choice)?;
    let rows = vec![CONTACT_TIME];
    let mut options = choice.options.open(&format!("integrator `{COLLISIONS}`"), &choice.method, rows)?;
    Ok(options.given(CONTACT_TIME.path)?)
}
