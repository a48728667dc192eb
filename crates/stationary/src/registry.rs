//! Everything a user can name, with its mathematics and options: one entry each, read by the program's `list` and
//! `explain`, by the scenario's `integrator` and `observe`, and by the documentation.

use crate::action::quadrature::LARGEST;
use crate::error::Error;
use crate::integrate::avi::{Buffer, MOST_THREADS};
use crate::integrate::group::BodyMethod;
use crate::integrate::{EnergyChoice, Method, Turning};
use crate::model::solid::Split;
use crate::scenario::{Choice, Kind, Numbers, Options, Text, unknown_word};
use std::fmt;

/// Documentation of an integrator or an observer.
#[derive(Debug, Clone, Copy)]
pub struct Entry {
    /// The name in scenarios.
    pub name: &'static str,
    /// A word or two on what it is.
    pub kind: &'static str,
    /// One line.
    pub summary: &'static str,
    /// The mathematics, some lines.
    pub maths: &'static str,
    /// Options: name, default, meaning.
    pub options: &'static [(&'static str, &'static str, &'static str)],
}

/// Size of the last Newton correction, relative to the step's increments, at which a step is solved.
const TOLERANCE: (&str, &str, &str) =
    ("tolerance", "1e-15", "relative size of the Newton correction at which a step counts as solved");
const DEFAULT_TOLERANCE: f64 = 1e-15;

/// Who chooses the length of the steps; the options that go with it belong to the observer `energy_steps`.
const STEP: (&str, &str, &str) =
    ("step", "fixed", "`fixed`, or `energy`: each step has the length that keeps the discrete energy");
const ENERGY_OPTIONS: [(&str, &str, &str); 3] = [
    ("smallest", "0.01", "smallest length, in first steps"),
    ("largest", "3", "largest length, in first steps"),
    ("turning", "first", "where no length keeps the energy: `first`, `hold`, `minimise` or `reset`"),
];

const VARIATIONAL: &str = "variational";
const NOT_VARIATIONAL: &str = "not variational";

/// How the elements of a solid get their steps.
const STEP_OPTIONS: [(&str, &str, &str); 10] = [
    ("steps", "harmonic", "`free`, each element its own, or `harmonic`, a base times powers of two"),
    (
        "rule",
        "eigen",
        "`courant`, by inscribed radius and wave speed, or `eigen`, by the element's largest eigenvalue",
    ),
    ("fraction", "0.8; free: 0.2; courant: 0.1", "part of the stable step that is taken"),
    (
        "split",
        "stiffness",
        "how nodal masses are divided among elements for `eigen`: by `stiffness`, `optimal` for few updates at fractions up to 0.7, or `own`",
    ),
    (
        "limit",
        "body",
        "eigen: `element`, the fraction is of each element's own limit; `body`, all steps grow together to that part of the whole body's",
    ),
    (
        "buffer",
        "jump",
        "harmonic: `jump`, an element takes at most twice the smallest step among its neighbours; `ring`, no more than that; or `none`",
    ),
    (
        "events",
        "middle; free: end",
        "avi: where in its step an element acts, at the `end` or in the `middle`; the middle is safer near the limit",
    ),
    ("step", "by the rule", "a step for all elements, or a table of steps by group"),
    (
        "factor",
        "1",
        "formula of t, X, Y, Z by which each step is multiplied as time goes on; free steps only",
    ),
    (
        "threads",
        "all cores for a large mesh, 1 with free steps",
        "how many threads share the work, 1 to 255; the results have the same bits for any number",
    ),
];

/// The integrators of rigid bodies.
const EULER_POINCARE: &str = "euler-poincare";
const MOSER_VESELOV: &str = "moser-veselov";
/// The integrator of bodies that collide.
const COLLISIONS: &str = "collisions";
const BODY_OPTIONS: [(&str, &str, &str); 1] =
    [("order", "2", "2, 4, 6 or 8; above 2 by symmetric composition")];

/// All integrators.
pub fn integrators() -> &'static [Entry] {
    &INTEGRATORS
}

/// All observers. Those named `always` run in every scenario.
pub fn observers() -> &'static [Entry] {
    &OBSERVERS
}

/// An option: name, default, meaning.
pub type Opt = (&'static str, &'static str, &'static str);

/// The integrators that a kind of scenario takes, and the options that each has there.
pub(crate) fn integrators_of(kind: Kind) -> Vec<(&'static Entry, Vec<Opt>)> {
    let bodies = [EULER_POINCARE, MOSER_VESELOV];
    let own = |entry: &&'static Entry| match kind {
        Kind::Formula => entry.name != "avi" && entry.name != COLLISIONS && !bodies.contains(&entry.name),
        Kind::Solid => entry.name != COLLISIONS && !bodies.contains(&entry.name),
        Kind::Body => bodies.contains(&entry.name),
        Kind::Bodies => entry.name == COLLISIONS,
    };
    let options = |entry: &'static Entry| {
        let mut options = entry.options.to_vec();
        match (kind, entry.name) {
            (Kind::Solid, "newmark") => options.extend(STEP_OPTIONS),
            (Kind::Solid, "avi") => options = STEP_OPTIONS.to_vec(),
            (_, "lobatto") => options.push(("points", "3", "the same as stages")),
            _ => {}
        }
        if kind == Kind::Formula && options.contains(&STEP) {
            options.extend(ENERGY_OPTIONS);
        }
        (entry, options)
    };
    INTEGRATORS.iter().filter(own).map(options).collect()
}

static INTEGRATORS: [Entry; 11] = [
    Entry {
        name: "midpoint",
        kind: VARIATIONAL,
        summary: "generalised midpoint rule, implicit; order 2 at alpha = 1/2, else 1",
        maths: "L_d = h L((1-alpha) q0 + alpha q1, (q1-q0)/h)                    [VTI04 (13)]\n\
                p0 = -D1 L_d, p1 = D2 L_d, solved by Newton with exact second derivatives.\n\
                alpha = 0 and 1 are the symplectic Euler methods, explicit for separable systems.",
        options: &[("alpha", "0.5", "where in the step the Lagrangian is sampled, 0 to 1"), STEP, TOLERANCE],
    },
    Entry {
        name: "trapezoidal",
        kind: VARIATIONAL,
        summary: "generalised trapezoidal rule, explicit for separable systems; order 2 at alpha = 1/2, else 1",
        maths: "L_d = h (1-alpha) L(q0, (q1-q0)/h) + h alpha L(q1, (q1-q0)/h)      [VTI04 (16)]\n\
                For L = v.M v/2 - V(t, q) one gradient a step and no solve, (18).\n\
                alpha only changes the momentum that belongs to a discrete path, (17).",
        options: &[("alpha", "0.5", "weight of the end of the step, 0 to 1"), STEP, TOLERANCE],
    },
    Entry {
        name: "verlet",
        kind: VARIATIONAL,
        summary: "velocity Verlet and its symmetric compositions of order 4, 6 and 8; explicit",
        maths: "Order 2 is the trapezoidal rule at alpha = 1/2. Higher orders chain steps g_i h with sum g_i = 1 and\n\
                g_i = g_{m+1-i}: L_d(q0, q1) = ext sum_i L_trap(Q_{i-1}, Q_i, g_i h), so they stay variational.\n\
                Order 4: 5 sub-steps (Suzuki); 6: 9 (Kahan-Li); 8: 15 (Suzuki-Umeno). One gradient a sub-step.",
        options: &[("order", "2", "2, 4, 6 or 8; above 2 the system must be separable"), STEP, TOLERANCE],
    },
    Entry {
        name: "newmark",
        kind: "variational at gamma = 1/2",
        summary: "Newmark's family for separable systems; explicit at beta = 0, gamma = 1/2",
        maths: "q1 = q0 + h v0 + h^2/2 [(1-2 beta) a0 + 2 beta a1], v1 = v0 + h [(1-gamma) a0 + gamma a1]   [VTI04 (19)]\n\
                At gamma = 1/2, with x = q - beta h^2 a(q), it is the trapezoidal rule of the Moreau envelope\n\
                ext_q [V(q) + |x-q|_M^2 / (2 beta h^2)], and (x, M v) is the canonical pair in which it is symplectic.\n\
                gamma != 1/2 adds h (gamma-1/2) M (a1-a0) to the momentum and is not variational.",
        options: &[
            ("beta", "0.25", "weight of the end's acceleration in the position, 0 to 0.5"),
            ("gamma", "0.5", "weight of the end's acceleration in the velocity, 0 to 1"),
            TOLERANCE,
        ],
    },
    Entry {
        name: "gauss",
        kind: VARIATIONAL,
        summary: "Galerkin method with Gauss quadrature, order 2 s with s stages; implicit",
        maths: "L_d = ext h sum_i w_i L(q(a_i h), q'(a_i h)) over polynomials q of degree s    [VTI04 (20)-(23)]\n\
                with the s Gauss nodes a_i: the collocation method of Gauss-Legendre. s = 1 is the midpoint rule.\n\
                All points of the step are found together by one Newton iteration.",
        options: &[("stages", "2", "s, 1 to 8"), STEP, TOLERANCE],
    },
    Entry {
        name: "lobatto",
        kind: VARIATIONAL,
        summary: "Galerkin method with Lobatto quadrature, order 2 s - 2 with s points; implicit for s > 2",
        maths: "L_d as for gauss, with the s Lobatto nodes and polynomials of degree s - 1 through them\n\
                [VTI04 (20)-(23)]: the Lobatto IIIA-IIIB pair. s = 2 is the trapezoidal rule, explicit if separable.",
        options: &[("stages", "3", "s, 2 to 8; `points` is the same option"), STEP, TOLERANCE],
    },
    Entry {
        name: "avi",
        kind: VARIATIONAL,
        summary: "asynchronous: every element of a solid keeps its own step; explicit, order 2",
        maths: "S_d = sum_a sum_i m_a/2 |x_a^(i+1) - x_a^i|^2 / (t_a^(i+1) - t_a^i) - sum_K sum_j dt_K V_K(x_K^j)   [VTI04 (45)]\n\
                At t = j dt_K element K takes its nodes to t on straight lines and kicks them, p_a -= dt_K dV_K/dx_a (48)-(50).\n\
                Momenta are kept to rounding whatever the steps. On a solid, `newmark` is the same with the smallest step for all.\n\
                courant: f h/c with the inscribed radius h [AVI03 (68)]; eigen: f 2/omega_max of the element with its part of the\n\
                nodal masses, all then grown together until sum_K (dt_K/2)^2 K_K <= f^2 M for the whole body. Free steps are what the\n\
                rule gives, and resonate near the limit; harmonic ones are rounded down to base * 2^k and differ by two at most between\n\
                neighbours, each element acting in the middle of its step, which keeps them from resonating.",
        options: &STEP_OPTIONS,
    },
    Entry {
        name: EULER_POINCARE,
        kind: VARIATIONAL,
        summary: "rigid bodies on SO(3) and SE(3), no angles; order 2, 4, 6 or 8; any step has a solution",
        maths: "F = R0' R1 turns by a about the unit vector e, g = tan(a/2) e (Cayley):\n\
                L_d = (2/h) g.J g + m |x1-x0|^2/(2h) - h/2 (V0 + V1)                       [SUR04 2]\n\
                (h/2) m0 = J g + g x J g + (g.J g) g, then m1 = F' m0: the discrete Euler-Poincare equation.\n\
                The angular momentum R m in space is the state: a free body keeps it to the last bit, and |m|^2 to rounding.",
        options: &BODY_OPTIONS,
    },
    Entry {
        name: MOSER_VESELOV,
        kind: VARIATIONAL,
        summary: "rigid bodies, the integrable discretisation of the free top; order 2, 4, 6 or 8",
        maths: "As euler-poincare with g = sin(a/2) e: the kinetic part is tr((1-F) J_d)/h, J_d = tr(J)/2 - J, and\n\
                (h/2) m0 = sqrt(1-|g|^2) J g + g x J g, which has a solution up to about a quarter turn a step.\n\
                Of the free body it keeps the energy too, to rounding.",
        options: &BODY_OPTIONS,
    },
    Entry {
        name: COLLISIONS,
        kind: VARIATIONAL,
        summary: "rigid bodies that collide: every body has its own legs, cut at its own impacts; exact between them",
        maths: "S_d = sum over bodies and legs of m |x1-x0|^2/(2h) + I (a1-a0)^2/(2h) - h (V0+V1)/2 - m |g|^2 h^3/24, V = -m g.x,\n\
                the exact action of a leg in uniform gravity: -D3 L_d is the energy. An impact of two bodies varies their time and\n\
                poses on the contact set: -D3 and the momenta along the set match          [FET03 (4.8)-(4.10)]\n\
                At corners, and where several features touch, the jump is in the cone of normals (5.17), by closest-point projection.\n\
                Restitution and Coulomb friction by Lagrange-d'Alembert (2.37)-(2.38). Slow impacts of a pair that follow sooner\n\
                than `contact_time` are elastic, and what friction can stop it turns around: rest is a time-symmetric hop.",
        options: &[(
            "contact_time",
            "the step",
            "impacts of a pair that follow each other sooner are of a lasting contact",
        )],
    },
    Entry {
        name: "rk4",
        kind: NOT_VARIATIONAL,
        summary: "classical Runge-Kutta, the contrast: keeps neither momenta nor the symplectic form",
        maths: "q' = v(q, p), p' = L_q(t, q, v) by the four-stage method of order 4. It has no discrete Lagrangian,\n\
                so there is no discrete energy, and the energy drifts.",
        options: &[],
    },
];

static OBSERVERS: [Entry; 14] = [
    Entry {
        name: "energy",
        kind: "always",
        summary: "energy p v - L(t, q, v) of the continuous system at each step",
        maths: "v solves p = L_v(t, q, v). The relative error is max |E - E_0| / |E_0| over every step; where the\n\
                initial energy vanishes, over the size of its terms. The drift rate is the slope of a line fitted to E/|E_0|.",
        options: &[],
    },
    Entry {
        name: "discrete_energy",
        kind: "always",
        summary: "discrete energy -D3 L_d of each step; null for rk4",
        maths: "-D3 L_d(q0, q1, h), the derivative of the discrete action in the step. It is close to the energy, not\n\
                equal to it, and is what an integrator with energy-chosen steps conserves.",
        options: &[],
    },
    Entry {
        name: "energy_steps",
        kind: "with step = \"energy\"",
        summary: "length of each step, and where no length keeps the discrete energy",
        maths: "p0 = -D1 L_d(q0, q1, h) and -D3 L_d(q0, q1, h) = E, that of the first step, solved together for q1 and h\n\
                [SEM99 (4.2), (4.6); VTI04 (84)-(85)]. With L_d - S = h^(r+1) M the lengths follow h^(r+1) M = const: there is\n\
                none where M changes its sign. Such steps are flagged, counted, listed and made as `turning` says.",
        options: &ENERGY_OPTIONS,
    },
    Entry {
        name: "momentum",
        kind: "with [symmetry]",
        summary: "Noether momentum p . xi(q) of each named symmetry",
        maths: "For an infinitesimal generator xi that leaves L_d unchanged, D2 L_d . xi is constant   [VTI04 (33)].\n\
                The drift is max |J - J_0| over every step. A generator that does not leave L unchanged is reported.\n\
                Symmetries affine in q (translations, rotations) carry over to every L_d exactly.",
        options: &[],
    },
    Entry {
        name: "symplectic",
        kind: "on request",
        summary: "residual of the discrete symplectic form",
        maths: "D1 D2 L_d [dq_k de_{k-1} - de_k dq_{k-1}] of two variations dq, de is the same at every step   [VTI04 (38)]:\n\
                the tangent F of the map from the start satisfies F' J F = J. Reported is max |F' J F - J| / max(1, |F|^2)\n\
                over all pairs of variations, with positions and momenta in units in which they are of one size; a new\n\
                window begins after 100 steps, or when |F| has grown by 10^4. Costs a few n^3 operations a step.",
        options: &[],
    },
    Entry {
        name: "constraint",
        kind: "with constraint",
        summary: "violation of each constraint and of its hidden one, and the multipliers",
        maths: "g(t, q) and g_q v + g_t at each step, largest absolute values. The multiplier is the mean over a step: the\n\
                constraints push with sum_a multiplier_a grad g_a   [VTI04 (25)].",
        options: &[],
    },
    Entry {
        name: "work",
        kind: "with force, or gaps that take energy",
        summary: "work of the forces, and whether it accounts for the change of the energy",
        maths: "h sum_i w_i F(t_i, q_i, v_i) . v_i of each step by the quadrature of the action   [VTI04 (27)], added up.\n\
                The balance error is max |E - E_0 - W| over the energy scale, less what impacts changed.",
        options: &[],
    },
    Entry {
        name: "impacts",
        kind: "with gap",
        summary: "impacts, their impulses and energies in impacts.csv, and the gaps as columns",
        maths: "A step is cut where a gap phi closes. With legs (q0, q~) and (q~, q1) of lengths a h and (1-a) h:\n\
                p0 = -D1 L_d(q0, q~, a h), phi(q~) = 0                                             [FET03 (4.8)]\n\
                D3 L_d(q0, q~, a h) = D3 L_d(q~, q1, (1-a) h), the discrete energy                 (4.9a)\n\
                D2 L_d(q0, q~, a h) + D1 L_d(q~, q1, (1-a) h) = -lambda grad phi, lambda > 0       (4.9b)\n\
                The energies before and after are -D3 L_d of the two legs; with restitution or friction they differ as the law asks.",
        options: &[],
    },
    Entry {
        name: "modified_energy",
        kind: "on request",
        summary: "energy with the first term of the modified energy that the method follows",
        maths: "A variational method follows the flow of H + h^2 H_2 + ... almost exactly   [VTI04 3.5]. With A = v.V_qq v and\n\
                B = V_q.M^-1 V_q: verlet (order 2) and its equals, on separable systems, H_2 = A/12 - B/24; midpoint and gauss with\n\
                one stage, on any system that does not depend on time, H_2 = -z'.H_zz z'/24, which is -(A + B)/24 if separable.\n\
                H varies by h^2 along the run, H + h^2 H_2 by h^4. `steadier_by` is the ratio of the two.",
        options: &[],
    },
    Entry {
        name: "loop_area",
        kind: "on request",
        summary: "Poincare's integral invariant: the area of a small loop of 32 neighbouring runs",
        maths: "The loop integral of p.dq (of theta for one-forms) over states around the initial one, carried along, is\n\
                kept by every symplectic map, for loops of any size. Costs 32 more runs. Where neighbours separate fast, 32\n\
                points no longer resolve the loop, and the reported change is that of the resolution.",
        options: &[],
    },
    Entry {
        name: "section",
        kind: "with [section]",
        summary: "Poincare section: formulas recorded where another crosses zero upward, in sections.csv",
        maths: "Crossings are found on the polynomial through ten steps around, which follows the flow that the method itself\n\
                follows; a shorter step of the method would not. Of several crossings within one step at most one is seen. A formula\n\
                that jumps from minus to plus crosses no zero: such places are counted, not recorded.",
        options: &[],
    },
    Entry {
        name: "local_energy",
        kind: "on request, or with [local_energy] or a claim on it",
        summary: "solids: the balance of energy of every element, which its steps do not keep",
        maths: "T- + V(x^j) + dt dV/dt = T+ + V(x^(j+1)) at each event of an element, with the kinetic energies of its nodes before\n\
                and after its kick [AVI03 (43), VTI04 (97)]; what is left over, relative to the element's energy. With it\n\
                elements are evaluated one by one, on one thread.",
        options: &[],
    },
    Entry {
        name: "probe",
        kind: "with [probe]",
        summary: "any formula of t, positions, velocities and momenta as a column",
        maths: "A line such as radius = \"sqrt(x^2 + y^2)\" under [probe].",
        options: &[],
    },
    Entry {
        name: "newton",
        kind: "always",
        summary: "Newton iterations of implicit methods, in the summary",
        maths: "The number of linear solves over the run; 0 for explicit methods.",
        options: &[],
    },
];

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
        return Err(unknown_word(&choice.method, "integrator", &names).into());
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
        return Err(unknown_word(&choice.method, "integrator of a rigid body", &own).into());
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
        return Err(unknown_word(&choice.method, "integrator of bodies that collide", &[COLLISIONS]).into());
    }
    let mut options = choice.options.clone();
    let contact_time = options.number_if_given("contact_time", f64::MIN_POSITIVE..=f64::MAX)?;
    options.finish(&format!("integrator `{COLLISIONS}`"), &["contact_time"])?;
    Ok(contact_time)
}

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
            return Err(unknown_word(&choice.method, "integrator", &names).into());
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

/// Checks the names under `observe`; returns whether the one given is among them.
pub fn wants(observe: &[Text], name: &str) -> Result<bool, Error> {
    let names: Vec<&str> = OBSERVERS.iter().map(|e| e.name).collect();
    for text in observe {
        if !names.contains(&text.text.as_str()) {
            return Err(unknown_word(text, "observer", &names).into());
        }
    }
    Ok(observe.iter().any(|t| t.text == name))
}
