//! Every kind of name in every place of a scenario that takes a formula: a run comes of it, or one message that points at the
//! place. Names that the scope of a place has and its program does not get are how a formula can end in a panic.

use crate::run;
use crate::scenario::{Given, Scenario};
use stationary::error::{Diagnostic, Error};
use stationary::mesh::{CellKind, Mesh, NewGroup};
use std::ops::ControlFlow;
use std::sync::Arc;

/// Coordinates, velocities, momenta, their lists, parameters, time, numbers, functions, names of other kinds of scenarios, and
/// names of nothing.
const NAMES: [&str; 40] = [
    "x",
    "vx",
    "px",
    "y",
    "vy",
    "py",
    "q[0]",
    "v[1]",
    "p[1]",
    "q[7]",
    "q",
    "v",
    "p",
    "q0",
    "v0",
    "p0",
    "k",
    "t",
    "i",
    "X",
    "Z",
    "z",
    "vz",
    "R11",
    "w1",
    "m1",
    "Lx",
    "I1",
    "J",
    "n",
    "pi",
    "zz",
    "θ",
    "x_dot",
    "sin(x)",
    "sin",
    "abs(vx)",
    "sum(j = 0..1, p[j])",
    "1/0",
    "log(-1)",
];

/// A scenario and its places: keys of `--set` with a value in which `@` stands for the name.
struct Places {
    text: &'static str,
    places: &'static [(&'static str, &'static str)],
    mesh: bool,
}

const LAGRANGIAN: Places = Places {
    text: r#"
coordinates = ["x", "y"]
lagrangian = "0.5*(vx^2 + vy^2) - 0.5*k*(x^2 + y^2)"
step = 0.1
end = 0.3
integrator = "midpoint"
parameters = { k = 2 }
initial = { position = [1, 0.5], velocity = [0.25, 1] }
"#,
    places: &[
        ("lagrangian", "0.5*(vx^2 + vy^2) - x^2 + 0.1*(@)"),
        ("lagrangian", "@"),
        ("force", r#"["0.1*(@)", 0]"#),
        ("force", r#"["@", "@"]"#),
        ("constraint", r#"["x - 1 + 0*(@)"]"#),
        ("constraint", r#"["@"]"#),
        ("gap", "x + 9 + 0.1*(@)"),
        ("gap", "@"),
        ("gap", r#"{ gap = "x + 9", friction = 0.2, slip = "vy + 0*(@)" }"#),
        ("gap", r#"{ gap = "x + 9", friction = 0.2, slip = "@" }"#),
        ("gap", r#"{ gap = "x + 9", at = ["@", "y"] }"#),
        ("gap", r#"{ gap = "x + 9", restitution = "@" }"#),
        ("gap", r#"{ gap = "x + 9", friction = "@" }"#),
        ("symmetry", r#"{ a = ["@", "x"] }"#),
        ("symmetry", r#"{ a = ["-y", "0.5*(@)"], b = ["@", "@"] }"#),
        ("probe", r#"{ a = "@" }"#),
        ("section", r#"{ when = "@", columns = { a = "x" } }"#),
        ("section", r#"{ when = "x", columns = { a = "@" } }"#),
        ("draw", r#"[{ shape = "disc", radius = 0.1, at = ["@", "y"] }]"#),
        ("draw", r#"[{ shape = "disc", radius = "@", at = ["x", "y"] }]"#),
        ("draw", r#"[{ shape = "ellipse", semi_axes = [1, "@"], at = ["x", "y"], angle = "@", count = 2 }]"#),
        ("draw", r#"[{ shape = "line", from = ["@", 0], to = ["x", "@"] }]"#),
        ("draw", r#"[{ shape = "polygon", points = [[0, 0], [1, "@"], [0, 1]], at = ["x", "y"] }]"#),
        ("initial.position", r#"["@", 0]"#),
        ("initial.position", "@"),
        ("initial.velocity", r#"{ x = "@", y = 0 }"#),
        ("initial.momentum", r#"["@", 0]"#),
        ("initial.next_position", r#"["1 + 0.01*(@)", 0.6]"#),
        ("parameters.k", "@"),
        ("parameters.more", "@"),
        ("step", "0.1 + 0*(@)"),
        ("start", "@"),
        ("end", "@"),
        ("end_impacts", "@"),
        ("claim", "energy.final < @"),
        ("claim", "@ < 1"),
        ("observe", "@"),
        ("reduce", "@"),
        ("coordinates", "@"),
        ("integrator.alpha", "@"),
        ("output.every", "@"),
    ],
    mesh: false,
};

const HAMILTONIAN: Places = Places {
    text: r#"
coordinates = ["x", "y"]
hamiltonian = "0.5*(px^2 + py^2) + 0.5*k*(x^2 + y^2)"
step = 0.1
end = 0.3
integrator = "midpoint"
parameters = { k = 2 }
initial = { position = [1, 0.5], momentum = [0.25, 1] }
"#,
    places: &[
        ("hamiltonian", "0.5*(px^2 + py^2) + 0.1*(@)"),
        ("hamiltonian", "@"),
        ("symmetry", r#"{ a = ["@", "x"] }"#),
        ("symmetry", r#"{ a = ["-y", "0.5*(@)"], b = ["@", "@"] }"#),
        ("probe", r#"{ a = "@" }"#),
        ("section", r#"{ when = "@", columns = { a = "@" } }"#),
        ("draw", r#"[{ shape = "disc", radius = 0.1, at = ["@", "y"] }]"#),
        ("initial.position", r#"["@", 0]"#),
        ("initial.momentum", r#"["@", 0]"#),
        ("force", r#"["@", 0]"#),
        ("constraint", "@"),
        ("gap", "@"),
    ],
    mesh: false,
};

const ONE_FORM: Places = Places {
    text: r#"
coordinates = ["x", "y"]
hamiltonian = "0.5*k*(x^2 + y^2)"
one_form = ["y", 0]
step = 0.1
end = 0.3
integrator = "midpoint"
parameters = { k = 2 }
initial = { position = [1, 0.5] }
"#,
    places: &[
        ("hamiltonian", "0.5*(x^2 + y^2) + 0.1*(@)"),
        ("one_form", r#"["y + 0.1*(@)", 0]"#),
        ("one_form", r#"["@", "x"]"#),
        ("symmetry", r#"{ a = ["@", "x"] }"#),
        ("symmetry", r#"{ a = ["-y", "0.5*(@)"], b = ["@", "@"] }"#),
        ("probe", r#"{ a = "@" }"#),
        ("section", r#"{ when = "@", columns = { a = "@" } }"#),
        ("draw", r#"[{ shape = "disc", radius = 0.1, at = ["@", "y"] }]"#),
        ("initial.position", r#"["@", 0]"#),
    ],
    mesh: false,
};

const NUMBERED: Places = Places {
    text: r#"
coordinates = "n"
lagrangian = "0.5*sum(j = 0..n-1, v[j]^2 - k*q[j]^2)"
step = 0.1
end = 0.3
integrator = "verlet"
parameters = { k = 2, n = 4 }
initial = { position = "0.1*i + 1", velocity = [0.5, 0] }
"#,
    places: &[
        ("lagrangian", "0.5*sum(j = 0..n-1, v[j]^2) - sum(j = 0..n-1, 0.1*(@))"),
        ("coordinates", "4 + 0*(@)"),
        ("force", "@"),
        ("force", r#"["@", 0]"#),
        ("constraint", "q0 - 1 + 0*(@)"),
        ("gap", "q0 + 9 + 0.1*(@)"),
        ("symmetry", r#"{ a = "@" }"#),
        ("symmetry", r#"{ a = ["@", "q[i]"] }"#),
        ("probe", r#"{ a = "@" }"#),
        ("initial.position", "1 + @"),
        ("initial.velocity", r#"["@", 0]"#),
        ("initial.momentum", "@"),
    ],
    mesh: false,
};

const BODY: Places = Places {
    text: r#"
step = 0.1
end = 0.3
integrator = "euler-poincare"
parameters = { k = 2 }
body = { mass = 1, inertia = [1, 1.2, 1.4], angular_velocity = [0.3, 0, 1], potential = "k*x^2" }
"#,
    places: &[
        ("body.potential", "@"),
        ("body.potential", "R33 + 0.1*(@)"),
        ("probe", r#"{ a = "@" }"#),
        ("body.mass", "@"),
        ("body.inertia", r#"[1, 1.2, "@"]"#),
        ("body.position", r#"["@", 0, 0]"#),
        ("body.orientation", r#"[1, "@", 0, 0]"#),
        ("body.orientation", r#"{ axis = [1, 0, "@"], angle = "@" }"#),
        ("body.velocity", r#"["@", 0, 0]"#),
        ("body.angular_velocity", r#"["@", 0, 0]"#),
        ("integrator.order", "@"),
    ],
    mesh: false,
};

const BODIES: Places = Places {
    text: r#"
step = 0.1
end = 0.3
integrator = "collisions"
parameters = { k = 2 }
wall = { table = { box = [[0, 0], [9, 9]] } }
bodies = { ball = { shape = "disc", radius = 0.2, count = 3, position = ["i + 1", 4], velocity = [1, 0.3] } }
"#,
    places: &[
        ("gravity", r#"[0, "@"]"#),
        ("restitution", "@"),
        ("friction", "@"),
        ("wall.table.box", r#"[["@", 0], [9, 9]]"#),
        ("wall.more", r#"{ point = [0, "@"], normal = [0, "@"] }"#),
        ("bodies.ball.radius", "0.2 + 0.01*(@)"),
        ("bodies.ball.mass", "@"),
        ("bodies.ball.density", "@"),
        ("bodies.ball.count", "@"),
        ("bodies.ball.position", r#"["i + 1", "4 + 0.1*(@)"]"#),
        ("bodies.ball.velocity", r#"["@", 0]"#),
        ("bodies.ball.spin", "@"),
        ("bodies.ball.angle", "@"),
        ("bodies.ball.speed", "@"),
        ("bodies.ball.seed", "@"),
        ("integrator.contact_time", "@"),
        ("output.impacts", "@"),
    ],
    mesh: false,
};

const SOLID: Places = Places {
    text: r#"
mesh = "given"
end = 0.01
integrator = { method = "avi", rule = "courant", fraction = 0.2 }
parameters = { k = 2 }
output = { rows = 2, frames = 0 }

[material.rubber]
law = "neo-hookean"
lambda = 1e4
mu = 1e4
density = 1000

[support.left]
group = "left"
x = 0
"#,
    places: &[
        ("support.left.x", "@"),
        ("support.left.y", "1e-4*(@)"),
        ("load", r#"{ a = { body = ["@", 0] } }"#),
        ("load", r#"{ a = { acceleration = [0, "@"] } }"#),
        ("load", r#"{ a = { group = "right", traction = ["@", 0] } }"#),
        ("load", r#"{ a = { group = "right", pressure = "@" } }"#),
        ("load", r#"{ a = { group = "left", force = ["@", 0] } }"#),
        ("initial", r#"{ deformation = ["X + 1e-4*(@)", "Y"] }"#),
        ("initial", r#"{ displacement = ["1e-4*(@)", 0] }"#),
        ("initial", r#"{ velocity = ["@", 0] }"#),
        ("probe", r#"{ a = { at = [1, 0], value = "@" } }"#),
        ("probe", r#"{ a = { at = ["@", 0], value = "x" } }"#),
        ("mass", r#"{ a = { group = "right", mass = "@" } }"#),
        ("material.rubber.mu", "1e4 + @"),
        (
            "material.rubber",
            r#"{ law = "formula", energy = "5e3*(I1 - 3) - 1e4*log(J) + 0*(@)", density = 1000 }"#,
        ),
        ("material.rubber", r#"{ law = "formula", energy = "@", density = "@" }"#),
        ("integrator.factor", "1 + 0.1*(@)"),
        ("integrator.fraction", "@"),
        ("integrator.step", "@"),
        ("mesh", r#"{ file = "given", scale = "@" }"#),
        ("end", "@"),
    ],
    mesh: true,
};

/// Two triangles of a unit square.
fn square() -> Mesh {
    let points = vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let cells = vec![(CellKind::Triangle3, vec![0, 1, 2, 0, 2, 3]), (CellKind::Line2, vec![3, 0, 1, 2])];
    let side =
        |name: &str, line: u32| NewGroup { name: name.into(), nodes: vec![], cells: vec![(1, vec![line])] };
    Mesh::from_arrays("given", points, cells, vec![side("left", 0), side("right", 1)]).unwrap()
}

/// Runs a scenario with one value replaced, and returns what is wrong with it.
fn outcome(base: &Places, key: &str, value: &str) -> Option<Diagnostic> {
    let overrides = [(key.to_string(), value.to_string())];
    let made = Scenario::read("names.toml", base.text, &overrides).and_then(|mut scenario| {
        if base.mesh {
            scenario.given = Given { mesh: Some(Arc::new(square())), state: None };
        }
        // Of very long runs the beginning is enough.
        let mut looks = 0;
        let mut watch = |_: &run::Progress| {
            looks += 1;
            if looks > 2 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        run::gather(&scenario, None, false, &mut watch)
    });
    match made {
        Ok(_) => None,
        Err(Error::Input(diagnostic)) => Some(*diagnostic),
        Err(other) => panic!("{key} = {value}: {other}"),
    }
}

/// Puts every name into every place. Returns how many values made a run, and how many were refused.
fn fuzz(base: &Places) -> [usize; 2] {
    let mut counts = [0; 2];
    for (key, form) in base.places {
        for name in NAMES {
            let value = form.replace('@', name);
            let Some(wrong) = outcome(base, key, &value) else {
                counts[0] += 1;
                continue;
            };
            counts[1] += 1;
            assert!(wrong.source.is_some() && wrong.span.is_some(), "{key} = {value}: no place: {wrong}");
            assert!(!wrong.message.trim().is_empty(), "{key} = {value}");
        }
    }
    counts
}

#[test]
fn every_name_in_every_formula_of_a_lagrangian_runs_or_is_refused() {
    let [runs, refused] = fuzz(&LAGRANGIAN);
    assert!(runs > 200 && refused > 200, "{runs} runs, {refused} refused");
}

#[test]
fn every_name_in_every_formula_of_a_hamiltonian_runs_or_is_refused() {
    let [runs, refused] = fuzz(&HAMILTONIAN);
    assert!(runs > 50 && refused > 50, "{runs} runs, {refused} refused");
    let [runs, refused] = fuzz(&ONE_FORM);
    assert!(runs > 50 && refused > 50, "{runs} runs, {refused} refused");
}

#[test]
fn every_name_in_every_formula_of_numbered_coordinates_runs_or_is_refused() {
    let [runs, refused] = fuzz(&NUMBERED);
    assert!(runs > 50 && refused > 50, "{runs} runs, {refused} refused");
}

#[test]
fn every_name_in_every_formula_of_rigid_bodies_runs_or_is_refused() {
    for base in [&BODY, &BODIES] {
        let [runs, refused] = fuzz(base);
        assert!(runs > 20 && refused > 50, "{runs} runs, {refused} refused");
    }
}

#[test]
fn every_name_in_every_formula_of_a_solid_runs_or_is_refused() {
    let [runs, refused] = fuzz(&SOLID);
    assert!(runs > 50 && refused > 50, "{runs} runs, {refused} refused");
}

/// What a generator with momenta is: `p = dL/dv`, so it may as well be written in velocities. The momentum `p.xi` of
/// `xi = (py, -px)` vanishes identically, that of `(px, py)` is `p^2`, which a central force does not keep.
#[test]
fn generators_of_momenta_are_those_of_velocities() {
    let run = |text: &str, symmetry: &str| {
        let set = [("symmetry".to_string(), symmetry.to_string())];
        let scenario = Scenario::read("a.toml", text, &set).unwrap();
        run::measure(&scenario, &mut |_| ControlFlow::Continue(())).unwrap()
    };
    for base in [&LAGRANGIAN, &HAMILTONIAN] {
        let [momenta, velocities] = [("px", "py"), ("vx", "vy")].map(|(x, y)| {
            let text = format!("{{ squared = [\"{x}\", \"{y}\"], nothing = [\"{y}\", \"-{x}\"] }}");
            run(base.text, &text)
        });
        let [a, b] = [&momenta, &velocities].map(|outcome| &outcome.summary["momentum"]);
        // The masses are 1: momenta are velocities, to the digits of the Legendre transform.
        for name in ["squared", "nothing"] {
            let close = |key: &str| {
                let [a, b] = [a, b].map(|m| m[name][key].as_f64().unwrap());
                assert!((a - b).abs() < 1e-9, "{name}.{key}: {a} and {b}");
            };
            ["initial", "final", "invariance_error"].into_iter().for_each(close);
        }
        assert!(a["squared"]["invariance_error"].as_f64().unwrap() > 1e-2);
        assert!(a["nothing"]["invariance_error"].as_f64().unwrap() < 1e-9);
        assert!(momenta.warnings.iter().any(|w| w.contains("`squared` is not a symmetry")));
        assert!(!momenta.warnings.iter().any(|w| w.contains("`nothing`")));
    }
    // A free particle keeps all of its momenta, and so p^2.
    let free = LAGRANGIAN.text.replace(" - 0.5*k*(x^2 + y^2)", "");
    let outcome = run(&free, "{ squared = [\"px\", \"vy\"] }");
    assert!(outcome.warnings.is_empty(), "{:?}", outcome.warnings);
    assert!(outcome.summary["momentum"]["squared"]["max_abs_drift"].as_f64().unwrap() < 1e-14);
}

/// What a user of other programs writes, and what the message must tell.
#[test]
fn messages_about_names_say_what_to_write_instead() {
    let polar = r#"coordinates = ["theta"]
lagrangian = "0.5*vtheta^2 + cos(theta)"
step = 0.1
end = 1
integrator = "verlet"
parameters = { l = 1 }
initial = { position = { theta = 1 }, velocity = [0] }
"#;
    let polar = Places { text: polar, places: &[], mesh: false };
    for (base, key, value, expected) in [
        (&LAGRANGIAN, "constraint", "x*vx + y", "constraints and gaps are formulas of t, the positions"),
        (&LAGRANGIAN, "constraint", "x_dot", "the velocity of `x` is `vx`, but constraints"),
        (&LAGRANGIAN, "gap", "vy", "`vy` has no meaning here"),
        (
            &LAGRANGIAN,
            "lagrangian",
            "0.5*(vx^2 + vy^2) - px*x",
            "momenta come from the Lagrangian, p = dL/dv",
        ),
        (&LAGRANGIAN, "force", r#"["-p[0]", 0]"#, "write velocities, p = dL/dv"),
        (&HAMILTONIAN, "hamiltonian", "vx^2", "velocities come from the Hamiltonian, v = dH/dp"),
        (&ONE_FORM, "hamiltonian", "px^2", "beside a one-form"),
        (&SOLID, "support.left.x", "0.1*x", "write X, Y, Z, the reference position"),
        (&LAGRANGIAN, "lagrangian", "x*vy - 0.5*(x^2 + y^2)", "write it as `one_form`"),
        (&LAGRANGIAN, "lagrangian", "0.5*vx^2 + x*vy", "L has no kinetic energy in `vy`"),
        (
            &LAGRANGIAN,
            "lagrangian",
            "0.5*(vx^2 + (x - 1)^2*vy^2)",
            "at the initial state: there L has no kinetic energy in `vy`",
        ),
        (&LAGRANGIAN, "lagrangian", "0.5*(vx + vy)^2", "is one coordinate a function of the others?"),
        (&polar, "lagrangian", "0.5*theta_dot^2", "the velocity of `theta` is `vtheta`"),
        (&polar, "lagrangian", "0.5*dtheta^2", "the velocity of `theta` is `vtheta`"),
        (&polar, "lagrangian", "0.5*theta'^2", "the velocity of `theta` is written `vtheta`"),
        (&polar, "lagrangian", "theta_ddot", "formulas have no accelerations"),
        (&polar, "lagrangian", "0.5*vtheta^2 + cos(θ)", "write `theta`"),
        (&polar, "lagrangian", "0.5*vtheta^2 − cos(theta)", "write `-`"),
        (&polar, "lagrangian", "0.5·vtheta^2", "write `*`"),
        (&polar, "lagrangian", "0.5∗vtheta^2", "write `*`"),
        (&polar, "lagrangian", "½*vtheta^2", "write `0.5`"),
        (&polar, "lagrangian", "0.5*vtheta⁴", "write `^4`"),
        (&polar, "lagrangian", "0.5*vtheta^2 - π*φ₀", "write `phi"),
        (&polar, "coordinates", "[\"θ\"]", "write `theta`: expected a letter from a to z"),
        (&polar, "parameters.ω₀", "1", "write `omega0`"),
        (&polar, "integrator", "leapfrog", "`verlet` is this method"),
        (&polar, "integrator", "Störmer-Verlet", "`verlet` is this method"),
        (&polar, "integrator", "symplectic_euler", "`midpoint` with `alpha = 0`"),
        (&polar, "integrator", "RK45", "steps that follow an error estimate are not offered"),
        (&SOLID, "integrator", "central-difference", "`newmark` with `beta = 0`"),
        (&polar, "l", "2", "`l` is a parameter: write `parameters.l`"),
        (&polar, "theta", "2", "at the start it is `initial.position.theta`"),
        (&polar, "vtheta", "2", "at the start it is `initial.velocity.0`"),
        (&polar, "position", "2", "`position` is a key of `initial`: write `initial.position`"),
        (&polar, "dt", "0.1", "write `step`"),
        (&LAGRANGIAN, "force", "[\"0\", \"x\u{200b}\"]", "this character is invisible"),
    ] {
        let wrong = outcome(base, key, value).unwrap_or_else(|| panic!("{key} = {value} runs"));
        let told = wrong.to_string();
        assert!(told.contains(expected), "{key} = {value}: {told}");
    }
}
