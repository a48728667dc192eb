//! Integrators of formulas and bodies as scenarios choose them.

use super::integrators::INTEGRATORS;
use super::{COLLISIONS, DEFAULT_TOLERANCE, ENERGY_OPTIONS, EULER_POINCARE, MOSER_VESELOV};
use crate::scenario::{Choice, Options, Text, unknown_word};
use stationary::action::quadrature::LARGEST;
use stationary::error::{Diagnostic, Error};
use stationary::formula;
use stationary::integrate::group::BodyMethod;
use stationary::integrate::{EnergyChoice, Method, Turning};

/// An integrator read from a scenario.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Chosen {
    /// The method.
    pub method: Method,
    /// Newton's tolerance.
    pub tolerance: f64,
    /// How the energy chooses the steps, if it does.
    pub energy: Option<EnergyChoice>,
}

/// Reads an integrator.
pub fn method(choice: &Choice) -> Result<Chosen, Error> {
    let names: Vec<&str> = INTEGRATORS.iter().map(|e| e.name).collect();
    let Some(entry) = INTEGRATORS.iter().find(|e| e.name == choice.method.text) else {
        return Err(unknown_integrator(&choice.method, "integrator", &names).into());
    };
    if [EULER_POINCARE, MOSER_VESELOV].contains(&entry.name) {
        let message = format!("`{}` moves rigid bodies, and this scenario has no `body`", entry.name);
        let help = "expected another integrator: verlet, midpoint, gauss, ...";
        return Err(choice.method.error(message).help(help).into());
    }
    if entry.name == COLLISIONS {
        return Err(choice
            .method
            .error("`collisions` moves bodies that collide, and this scenario has no `bodies`")
            .help("expected another integrator: verlet, midpoint, gauss, ...")
            .into());
    }
    if entry.name == "avi" {
        return Err(choice
            .method
            .error("`avi` gives every element of a solid its own step, and this scenario has no `mesh`")
            .help("expected another integrator: verlet, midpoint, gauss, ...")
            .into());
    }
    let mut options = choice.options.clone();
    let method = read(entry.name, &mut options)?;
    let mut known: Vec<&str> = entry.options.iter().map(|o| o.0).collect();
    let energy = if known.contains(&"step") { energy_choice(&mut options)? } else { None };
    if energy.is_some() {
        known.extend(ENERGY_OPTIONS.map(|o| o.0));
    }
    refuse_early(entry.name, &options, energy.is_some())?;
    let tolerance = if known.contains(&"tolerance") {
        options.number("tolerance", DEFAULT_TOLERANCE, 1e-16..=1e-3)?
    } else {
        DEFAULT_TOLERANCE
    };
    options.finish(&format!("integrator `{}`", entry.name), &known)?;
    Ok(Chosen { method, tolerance, energy })
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
    let plain = formula::spelled(&text.text.replace(['-', ' '], "_")).unwrap_or_default();
    let name = plain.to_lowercase().replace('_', "-");
    let known =
        ELSEWHERE.iter().find(|(names, here, _)| allowed.contains(here) && names.contains(&name.as_str()));
    let error = unknown_word(text, kind, allowed);
    match known {
        Some((.., words)) => error.help(format!("{words}; all are: {}", allowed.join(", "))),
        None => error,
    }
}

/// Options that mean nothing because the energy does not, or cannot, choose the steps say so.
fn refuse_early(name: &str, options: &Options, energy: bool) -> Result<(), Error> {
    if let Some(place) = options.place("step") {
        return Err(place
            .error(format!("the energy cannot choose the steps of `{name}`"))
            .help("expected one of: midpoint, trapezoidal, verlet, gauss, lobatto; or leave out `step`, which for all \
                   others stands at the top of the scenario")
            .into());
    }
    let early = ENERGY_OPTIONS.iter().find_map(|o| Some((o.0, options.place(o.0)?)));
    match early {
        Some((option, place)) if !energy => Err(place
            .error(format!("`{option}` belongs to `step = \"energy\"`, which is not chosen here"))
            .help("add `step = \"energy\"` to the integrator, or leave this out")
            .into()),
        _ => Ok(()),
    }
}

fn energy_choice(options: &mut Options) -> Result<Option<EnergyChoice>, Error> {
    if options.choice("step", "fixed", &["fixed", "energy"])? == "fixed" {
        return Ok(None);
    }
    let usual = EnergyChoice::default();
    let names = Turning::ALL.map(|(name, _)| name);
    let chosen = options.choice("turning", names[0], &names)?;
    let turning = Turning::ALL.iter().find(|(name, _)| *name == chosen).map_or(usual.turning, |(_, t)| *t);
    Ok(Some(EnergyChoice {
        smallest: options.number("smallest", usual.smallest, 1e-6..=1.0)?,
        largest: options.number("largest", usual.largest, 1.0..=1e6)?,
        turning,
    }))
}

fn read(name: &str, options: &mut Options) -> Result<Method, Error> {
    let largest = LARGEST as u64;
    Ok(match name {
        "midpoint" => Method::Midpoint { alpha: options.number("alpha", 0.5, 0.0..=1.0)? },
        "trapezoidal" => Method::Trapezoidal { alpha: options.number("alpha", 0.5, 0.0..=1.0)? },
        "verlet" => Method::Verlet { order: even_order(options)? },
        "newmark" => Method::Newmark {
            beta: options.number("beta", 0.25, 0.0..=0.5)?,
            gamma: options.number("gamma", 0.5, 0.0..=1.0)?,
        },
        "gauss" => Method::Gauss { stages: options.integer("stages", 2, 1..=largest)? as usize },
        "lobatto" => {
            if let (Some(place), Some(_)) = (options.place("points"), options.place("stages")) {
                return Err(place
                    .error("`points` and `stages` are the same option: give one of them")
                    .into());
            }
            let points = options.integer("points", 3, 2..=largest)?;
            Method::Lobatto { points: options.integer("stages", points, 2..=largest)? as usize }
        }
        "rk4" => Method::RungeKutta4,
        other => unreachable!("registry entry `{other}` has no reader"),
    })
}

fn even_order(options: &mut Options) -> Result<usize, Error> {
    let place = options.place("order").cloned();
    let order = options.integer("order", 2, 2..=8)? as usize;
    match (order % 2, place) {
        (1, Some(place)) => Err(place.error(format!("`order` must be 2, 4, 6 or 8, found {order}")).into()),
        _ => Ok(order),
    }
}

/// An integrator of a rigid body, read from a scenario.
pub fn body_method(choice: &Choice) -> Result<BodyMethod, Error> {
    let name = choice.method.text.as_str();
    let own = [EULER_POINCARE, MOSER_VESELOV];
    if !own.contains(&name) {
        if INTEGRATORS.iter().any(|e| e.name == name) {
            let message = format!("`{name}` does not move rigid bodies");
            let help = format!("expected one of: {}", own.join(", "));
            return Err(choice.method.error(message).help(help).into());
        }
        return Err(unknown_integrator(&choice.method, "integrator of a rigid body", &own).into());
    }
    let mut options = choice.options.clone();
    let order = even_order(&mut options)?;
    options.finish(&format!("integrator `{name}`"), &["order"])?;
    Ok(match name {
        EULER_POINCARE => BodyMethod::EulerPoincare { order },
        _ => BodyMethod::MoserVeselov { order },
    })
}

/// The contact time of bodies that collide, if one was given.
pub fn collisions(choice: &Choice) -> Result<Option<f64>, Error> {
    if choice.method.text != COLLISIONS {
        if INTEGRATORS.iter().any(|e| e.name == choice.method.text) {
            let message = format!("`{}` does not move bodies that collide", choice.method.text);
            return Err(choice.method.error(message).help(format!("expected: {COLLISIONS}")).into());
        }
        return Err(
            unknown_integrator(&choice.method, "integrator of bodies that collide", &[COLLISIONS]).into()
        );
    }
    let mut options = choice.options.clone();
    let contact_time = options.number_if_given("contact_time", f64::MIN_POSITIVE..=f64::MAX)?;
    options.finish(&format!("integrator `{COLLISIONS}`"), &["contact_time"])?;
    Ok(contact_time)
}
