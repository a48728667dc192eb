//! What scenarios on phase space show: sections, modified energies, loops, momenta, and what is wrong with wrong ones.

use super::*;

fn outcome(name: &str, text: &str) -> (RunOutcome, String) {
    let scenario = Scenario::read(name, text, &[]).unwrap_or_else(|e| panic!("{e}"));
    check(&scenario).unwrap_or_else(|e| panic!("{e}"));
    let out = std::env::temp_dir().join(format!("stationary-phase-{}-{name}", std::process::id()));
    let outcome = run(&scenario, &out, &mut |_| ControlFlow::Continue(())).unwrap();
    let sections = std::fs::read_to_string(out.join("sections.csv")).unwrap_or_default();
    std::fs::remove_dir_all(&out).unwrap();
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    (outcome, sections)
}

fn number(outcome: &RunOutcome, path: &str) -> f64 {
    let value = path.split('.').fold(&outcome.summary, |v, key| &v[key]);
    value.as_f64().unwrap_or_else(|| panic!("{path}: {value}"))
}

/// The harmonic oscillator crosses `x = 0` upward once a turn, at `p = 1`: known to the last digit.
#[test]
fn section_points_of_the_oscillator_are_exact() {
    let cases = [
        ("oscillator-h", "hamiltonian = \"(px^2 + x^2)/2\""),
        ("oscillator-l", "lagrangian = \"(vx^2 - x^2)/2\""),
    ];
    cases.into_iter().for_each(|(name, law)| section_is_exact(name, law));
}

fn section_is_exact(name: &str, law: &str) {
    let text = r#"
        coordinates = ["x"]
        step = 0.1
        end = 100
        integrator = { method = "gauss", stages = 6 }
        initial = { position = [0.0], momentum = [-1.0] }
        section = { when = "x", columns = { p = "px", v = "vx" } }
        "#;
    let (outcome, sections) = outcome(name, &format!("{law}\n{text}"));
    let rows: Vec<Vec<f64>> =
        sections.lines().skip(1).map(|line| line.split(',').map(|x| x.parse().unwrap()).collect()).collect();
    assert_eq!(sections.lines().next(), Some("t,p,v"));
    assert_eq!(rows.len(), 16);
    assert_eq!(number(&outcome, "section.points"), 16.0);
    for (k, row) in rows.iter().enumerate() {
        let exact = std::f64::consts::PI * (2 * k + 1) as f64;
        assert!((row[0] - exact).abs() < 1e-11, "{k}: {:e}", row[0] - exact);
        assert!((row[1] - 1.0).abs() < 1e-11 && (row[2] - 1.0).abs() < 1e-11, "{k}: {row:?}");
    }
}

#[test]
fn the_modified_energy_is_steadier_than_the_energy() {
    let pendulum = "coordinates = [\"u\"]\ninitial = { position = [2.0], momentum = [0.0] }\n";
    let stars =
        "coordinates = [\"x\", \"y\"]\ninitial = { position = [0.3, 0.1], momentum = [-0.2, 0.25] }\n";
    let (lp, hp) = ("lagrangian = \"vu^2/2 + cos(u)\"\n", "hamiltonian = \"pu^2/2 - cos(u)\"\n");
    let ls = "lagrangian = \"(vx^2 + vy^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\"\n";
    let hs = format!("hamiltonian = \"{HENON_HEILES}\"\n");
    // Not separable: the mass depends on the position.
    let lm = "lagrangian = \"vu^2/2*(2 + cos(u)) + cos(u)\"\n";
    let cases = [
        ("pendulum-v", pendulum, lp, "verlet"),
        ("pendulum-t", pendulum, lp, "trapezoidal"),
        ("pendulum-m", pendulum, lp, "midpoint"),
        ("pendulum-h", pendulum, hp, "midpoint"),
        ("pendulum-x", pendulum, lm, "midpoint"),
        ("stars-v", stars, ls, "verlet"),
        ("stars-m", stars, ls, "midpoint"),
        ("stars-h", stars, hs.as_str(), "midpoint"),
    ];
    for (name, system, law, method) in cases {
        let at = |step: f64| {
            let rest = format!(
                "step = {step}\nend = 100\nintegrator = \"{method}\"\nobserve = [\"modified_energy\"]\n"
            );
            let (outcome, _) = outcome(name, &format!("{rest}{law}{system}"));
            let both = ["energy.max_relative_error", "modified_energy.max_relative_error"];
            both.map(|key| number(&outcome, key))
        };
        let (coarse, fine) = (at(0.1), at(0.05));
        println!("{name}: {coarse:?} {fine:?}");
        assert!(coarse[0] / coarse[1] > 100.0, "{name}: {coarse:?}");
        // The energy is off by h^2, the truncation by h^4.
        let slopes = [0, 1].map(|k| (coarse[k] / fine[k]).log2());
        assert!((slopes[0] - 2.0).abs() < 0.2 && (slopes[1] - 4.0).abs() < 0.4, "{name}: {slopes:?}");
    }
}

#[test]
fn a_loop_keeps_its_area_where_the_method_is_symplectic() {
    let h = format!("hamiltonian = \"{HENON_HEILES}\"");
    let l = "lagrangian = \"(vx^2 + vy^2)/2 - (x^2 + y^2)/2 - x^2*y + y^3/3\"".to_string();
    let cases = [
        (&h, "\"midpoint\"", true),
        (&h, "\"rk4\"", false),
        (&l, "\"verlet\"", true),
        (&l, "{ method = \"gauss\", stages = 2 }", true),
        // The form lives in other positions than those seen.
        (&l, "{ method = \"newmark\", beta = 0.25 }", true),
        (&l, "{ method = \"newmark\", beta = 0.25, gamma = 0.6 }", false),
        (&l, "\"rk4\"", false),
    ];
    for (law, method, kept) in cases {
        let text = format!(
            "coordinates = [\"x\", \"y\"]\n{law}\nstep = 0.2\nend = 40\n\
             integrator = {method}\nobserve = [\"loop_area\", \"symplectic\"]\n\
             initial = {{ position = [0.3, 0.1], momentum = [-0.2, 0.25] }}\n"
        );
        let change = number(&outcome("loop", &text).0, "loop_area.max_relative_error");
        println!("{law} {method}: {change:e}");
        assert_eq!(kept, change < 1e-9, "{law} {method}: {change:e}");
        assert!(kept || change > 1e-5, "{law} {method}: {change:e}");
    }
}

/// A pair of vortices of either sign, in any order of coordinates, has loops that enclose something.
#[test]
fn a_loop_of_a_dipole_has_an_area() {
    let h = "log((x1-x2)^2 + (y1-y2)^2)/(4*pi)";
    let cases = [
        ("\"x1\", \"y1\", \"x2\", \"y2\"", "\"y1\", 0, \"-y2\", 0", "0, 0, 1, 0"),
        ("\"x1\", \"x2\", \"y1\", \"y2\"", "\"y1\", \"-y2\", 0, 0", "0, 1, 0, 0"),
    ];
    for (names, form, start) in cases {
        let text = format!(
            "coordinates = [{names}]\none_form = [{form}]\nhamiltonian = \"{h}\"\nstep = 0.1\nend = 10\n\
             integrator = \"midpoint\"\nobserve = \"loop_area\"\ninitial.position = [{start}]\n"
        );
        let outcome = outcome("dipole", &text).0;
        let (area, change) =
            (number(&outcome, "loop_area.initial"), number(&outcome, "loop_area.max_relative_error"));
        // The radius is a hundredth of the size of the start.
        assert!(area.abs() > 0.1 * std::f64::consts::PI * 1e-4, "{names}: {area:e}");
        assert!(change < 1e-9, "{names}: {change:e}");
    }
}

/// Friction `-c v` lets areas shrink as `exp(-c t)`.
#[test]
fn friction_shrinks_a_loop_as_it_must() {
    let text = "coordinates = [\"x\"]\nlagrangian = \"vx^2/2 + cos(x)\"\nforce = \"-0.1*vx\"\nstep = 0.1\nend = 10\n\
                integrator = { method = \"gauss\", stages = 3 }\nobserve = \"loop_area\"\n\
                initial = { position = [0.6], velocity = [0.5] }\n";
    let outcome = outcome("friction", text).0;
    let shrunk = number(&outcome, "loop_area.final") / number(&outcome, "loop_area.initial");
    assert!((shrunk - (-1.0f64).exp()).abs() < 1e-6, "{shrunk}");
}

/// Impulses through generators, in a gauge that translations change.
#[test]
fn symmetries_of_one_forms_have_their_momenta() {
    let text = r#"
        coordinates = ["x1", "y1", "x2", "y2", "x3", "y3"]
        hamiltonian = "-(2*log((x1-x2)^2 + (y1-y2)^2) + 3*log((x1-x3)^2 + (y1-y3)^2) + 6*log((x2-x3)^2 + (y2-y3)^2))/(4*pi)"
        one_form = ["y1/2", "-x1/2", "y2", "-x2", "3/2*y3", "-3/2*x3"]
        step = 0.2
        end = 200
        integrator = "midpoint"
        observe = ["symplectic"]
        initial = { position = [1.0, 0.0, -0.3, 0.8, -0.4, -0.9] }
        [symmetry]
        shift_x = [1, 0, 1, 0, 1, 0]
        shift_y = [0, 1, 0, 1, 0, 1]
        rotation = ["-y1", "x1", "-y2", "x2", "-y3", "x3"]
        stretch = ["x1", "y1", "x2", "y2", "x3", "y3"]
    "#;
    let (outcome, _) = outcome("impulses", text);
    // The momentum of a shift along x is the impulse sum of strength times y, and so on.
    let exact = [
        ("shift_x", 1.6 - 2.7),
        ("shift_y", -(1.0 - 0.6 - 1.2)),
        ("rotation", -0.5 * (1.0 + 2.0 * 0.73 + 3.0 * 0.97)),
    ];
    for (name, value) in exact {
        assert!((number(&outcome, &format!("momentum.{name}.initial")) - value).abs() < 1e-14, "{name}");
        assert!(number(&outcome, &format!("momentum.{name}.max_abs_drift")) < 1e-13, "{name}");
        assert!(number(&outcome, &format!("momentum.{name}.invariance_error")) < 1e-12, "{name}");
    }
    assert!(number(&outcome, "symplectic.max_residual") < 1e-13);
    assert_eq!(outcome.warnings.len(), 1, "{:?}", outcome.warnings);
    assert!(outcome.warnings[0].contains("`stretch` is not a symmetry of this Hamiltonian"));
}

#[test]
fn wrong_scenarios_say_what_is_wrong() {
    let base = "coordinates = [\"x\", \"y\"]\nstep = 0.1\nend = 1\n";
    let midpoint = "integrator = \"midpoint\"\n";
    let both = "initial = { position = [1, 0], momentum = [0, 1] }\n";
    let place = "initial = { position = [1, 0] }\n";
    let h = "hamiltonian = \"(x^2 + y^2)/2\"\n";
    let (l, moving) =
        ("lagrangian = \"(vx^2 + vy^2)/2\"\n", "initial = { position = [1, 0], velocity = [0, 1] }\n");
    let cases = [
        (
            format!("one_form = [\"y\", 0]\nlagrangian = \"vx^2\"\n{midpoint}{place}"),
            "`one_form` without `hamiltonian`",
        ),
        (format!("{h}lagrangian = \"vx^2\"\n{midpoint}{both}"), "`lagrangian` besides `hamiltonian`"),
        (format!("{h}one_form = [\"y\"]\n{midpoint}{place}"), "`one_form` has 1 values for 2 coordinates"),
        (format!("{h}one_form = [\"y\", 0]\n{midpoint}{both}"), "`momentum` besides a one-form"),
        (
            format!("{h}one_form = [\"x\", 0]\n{midpoint}{place}"),
            "does not determine how the coordinates move",
        ),
        (format!("{h}one_form = [\"y*t\", 0]\n{midpoint}{place}"), "`t`"),
        (format!("{h}one_form = [\"x*y^2\", \"x^2\"]\n{midpoint}{place}"), "half of the entries"),
        (format!("{h}{midpoint}initial = {{ position = [1, 0], velocity = [0, 1] }}\n"), "give `momentum`"),
        (format!("{h}integrator = \"verlet\"\n{both}"), "made for Lagrangians"),
        (format!("hamiltonian = \"vx^2\"\n{midpoint}{both}"), "`vx`"),
        (format!("hamiltonian = \"log(-x)\"\n{midpoint}{both}"), "not a finite number"),
        (
            format!("{h}{midpoint}{both}section = {{ columns = {{ a = \"x\" }} }}\n"),
            "`section` has no `when`",
        ),
        (format!("{h}{midpoint}{both}section = {{ when = \"x\", columns = {{ }} }}\n"), "names nothing"),
        (format!("{h}{midpoint}{both}section = {{ when = \"x\", colums = 1 }}\n"), "columns"),
        (format!("{h}integrator = \"rk4\"\n{both}observe = \"modified_energy\"\n"), "modified energy of rk4"),
        (
            format!(
                "hamiltonian = \"px^2 + py^2 + x*sin(t)\"\n{midpoint}{both}observe = \"modified_energy\"\n"
            ),
            "depends on time",
        ),
        (format!("{h}constraint = \"x\"\n{midpoint}{both}"), "`constraint` besides `hamiltonian`"),
        (format!("{h}force = [\"x\", \"y\"]\n{midpoint}{both}"), "`force` besides `hamiltonian`"),
        (
            format!("{h}one_form = [\"y + y^3\", 0]\n{midpoint}{place}observe = \"modified_energy\"\n"),
            "modified energy of midpoint (alpha 0.5) is not known",
        ),
        (
            format!("{l}{midpoint}{moving}observe = \"loop_area\"\nconstraint = \"x - 1\"\n"),
            "constraints leave them none",
        ),
        (
            format!("{l}{midpoint}{moving}observe = \"modified_energy\"\nconstraint = \"x - 1\"\n"),
            "under constraints",
        ),
        (format!("{l}{midpoint}{moving}observe = \"modified_energy\"\nforce = [0, 1]\n"), "forces do work"),
        (
            format!("{l}integrator = {{ method = \"gauss\" }}\n{moving}observe = \"modified_energy\"\n"),
            "explain-energy",
        ),
    ];
    for (text, expected) in cases {
        let result = Scenario::read("a.toml", &format!("{base}{text}"), &[]).and_then(|s| check(&s));
        let message = result.expect_err(&text).to_string();
        assert!(message.contains(expected), "{expected}:\n{message}");
    }
}
