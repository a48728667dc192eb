//! The table of conserved quantities: what is relative to what, and what the system does not conserve.

use crate::run;
use crate::scenario::Scenario;
use stationary::observe::Conserved;
use std::ops::ControlFlow;

fn table(text: &str) -> (Vec<Conserved>, serde_json::Value) {
    let scenario = Scenario::read("a.toml", text, &[]).unwrap();
    let outcome = run::measure(&scenario, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(outcome.stopped.is_none(), "{:?}", outcome.stopped);
    (outcome.conserved, outcome.summary)
}

fn row<'a>(table: &'a [Conserved], quantity: &str) -> &'a Conserved {
    table.iter().find(|row| row.quantity == quantity).unwrap_or_else(|| panic!("no {quantity}: {table:?}"))
}

fn kepler(speed: &str, more: &str) -> String {
    format!(
        "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(vx^2 + vy^2) + 1/sqrt(x^2 + y^2)\"\nstep = 0.02\nend = 50\n\
         integrator = \"verlet\"\ninitial = {{ position = [1, 0], velocity = [0, \"{speed}\"] }}\n{more}\n"
    )
}

/// On a parabolic orbit the energy is a difference of equal terms, and its own size no measure of its error. Nearby, where it
/// is not quite zero, the words say how large the error is beside the terms.
#[test]
fn energies_that_cancel_are_judged_by_the_size_of_their_terms() {
    for speed in ["sqrt(2)", "sqrt(2) + 1e-9", "sqrt(2) - 1e-6", "sqrt(2) + 1e-4"] {
        let (table, summary) = table(&kepler(speed, ""));
        for quantity in ["energy", "discrete energy"] {
            let row = row(&table, quantity);
            assert!(row.constant && !row.verdict.contains("not conserved"), "{speed}: {row:?}");
            assert!(row.change < 1e-3, "{speed}: {row:?}");
        }
        let scale = summary["energy"]["scale"].as_f64().unwrap();
        let error = summary["discrete_energy"]["max_relative_error"].as_f64().unwrap();
        assert_eq!(error, row(&table, "discrete energy").change / scale, "{speed}");
    }
    let (table, _) = table(&kepler("sqrt(2) - 1e-6", ""));
    let energy = row(&table, "energy");
    assert!(energy.verdict.contains("of the terms that cancel in it"), "{energy:?}");
}

/// What grows within one step beyond anything before it is no scale of its own error.
#[test]
fn energies_that_explode_are_not_at_rounding_level() {
    let text = "coordinates = [\"x\"]\nlagrangian = \"0.5*vx^2 - 0.5*1e4*x^2 - 0.25*x^4\"\nstep = 0.021\nend = 100\n\
                integrator = \"verlet\"\ninitial = { position = [1], velocity = [0] }\n";
    let scenario = Scenario::read("a.toml", text, &[]).unwrap();
    let outcome = run::measure(&scenario, &mut |_| ControlFlow::Continue(())).unwrap();
    assert!(outcome.stopped.is_some());
    for row in &outcome.conserved {
        assert!(row.constant && row.verdict.starts_with("not conserved"), "{row:?}");
    }
}

/// Errors of runs of usual energies are told in one number.
#[test]
fn errors_are_labelled_and_have_one_measure() {
    let (table, summary) = table(&kepler("1.1", "symmetry = { turn = [\"-y\", \"x\"], shift = [1, 0] }"));
    let energy = row(&table, "energy");
    assert_eq!(energy.verdict, format!("relative error {:.1e}", energy.worst));
    assert_eq!(energy.worst, summary["energy"]["max_relative_error"].as_f64().unwrap());
    let turn = row(&table, "momentum of turn");
    assert_eq!(turn.verdict, format!("relative error {:.1e}, rounding level", turn.worst));
    assert_eq!(turn.change, summary["momentum"]["turn"]["max_abs_drift"].as_f64().unwrap());
    assert_eq!(turn.worst, summary["momentum"]["turn"]["max_relative_drift"].as_f64().unwrap());
    let shift = row(&table, "momentum of shift");
    assert!(
        !shift.constant
            && shift.verdict.starts_with("not conserved, as its generator is not a symmetry: between"),
        "{shift:?}"
    );
    assert_eq!(table.last(), Some(shift), "what the system conserves comes first");
}

/// A quantity that starts at zero is relative to the terms that it is the sum of, not to itself.
#[test]
fn momenta_that_start_at_zero_are_relative_to_their_terms() {
    let text = kepler("0.9", "symmetry = { turn = [\"-y\", \"x\"] }")
        .replace("position = [1, 0], velocity = [0, \"0.9\"]", "position = [1, 0.5], velocity = [0.8, 0.4]")
        .replace("1/sqrt(x^2 + y^2)", "1e-9*x - 0.5*(x^2 + y^2)");
    let (table, _) = table(&text);
    let turn = row(&table, "momentum of turn");
    assert!(turn.initial.abs() < 1e-15 && turn.worst < 1e-6, "{turn:?}");
}

#[test]
fn what_time_or_forces_change_is_not_called_an_error() {
    let text = |lagrangian: &str, more: &str| {
        format!(
            "coordinates = [\"x\"]\nlagrangian = \"{lagrangian}\"\nstep = 0.02\nend = 20\nintegrator = \"midpoint\"\n\
             initial = {{ position = [1], velocity = [0] }}\n{more}\n"
        )
    };
    let oscillator = "0.5*vx^2 - 0.5*x^2";
    let cases = [
        (text("0.5*vx^2 - 0.5*(1 + 0.5*cos(t))*x^2", ""), "the Lagrangian depends on t"),
        (text(oscillator, "force = [\"-0.1*vx\"]"), "forces do work"),
    ];
    for (text, why) in cases {
        let (table, _) = table(&text);
        for quantity in ["energy", "discrete energy"] {
            let row = row(&table, quantity);
            let expected = format!("not conserved, as {why}: between ");
            assert!(!row.constant && row.verdict.starts_with(&expected), "{row:?}");
        }
    }
    let (damped, _) = table(&text(oscillator, "force = [\"-0.1*vx\"]"));
    assert!(damped[0].quantity == "energy less work" && damped[0].constant, "{damped:?}");
    assert!(damped[0].worst < 1e-12, "{damped:?}");
    // Forces and time together: the work does not account for what time changes.
    let (both, _) = table(&text("0.5*vx^2 - 0.5*(1 + 0.5*cos(t))*x^2", "force = [\"-0.1*vx\"]"));
    assert!(!row(&both, "energy less work").constant, "{both:?}");
    // A force that does nothing leaves an energy that is conserved.
    let (idle, _) = table(&text("0.5*vx^2", "force = [\"0*vx\"]"));
    assert!(row(&idle, "energy").constant, "{idle:?}");
    let hamiltonian = "coordinates = [\"x\"]\nhamiltonian = \"0.5*px^2 + 0.5*(1 + 0.5*cos(t))*x^2\"\nstep = 0.02\nend = 20\n\
                       integrator = \"midpoint\"\ninitial = { position = [1], momentum = [0] }\n";
    let (timed, _) = table(hamiltonian);
    assert!(row(&timed, "energy").verdict.contains("as the Hamiltonian depends on t"), "{timed:?}");
    let top = "step = 0.02\nend = 5\nintegrator = \"euler-poincare\"\n\
               [body]\ninertia = [1, 1.2, 1.4]\nfixed = true\nangular_velocity = [0.3, 0, 1]\npotential = \"cos(t)*R33\"\n";
    let (timed, _) = table(top);
    assert!(row(&timed, "energy").verdict.contains("as the potential depends on t"), "{timed:?}");
    let rail = "coordinates = [\"x\", \"y\"]\nlagrangian = \"0.5*(vx^2 + vy^2) - y\"\nconstraint = [\"y - 0.1*sin(t)*x\"]\n\
                step = 0.02\nend = 5\nintegrator = \"midpoint\"\ninitial = { position = [1, 0], velocity = [0, 0.1] }\n";
    let (moved, _) = table(rail);
    assert!(row(&moved, "energy").verdict.contains("as constraints that move do work"), "{moved:?}");
}

/// The plots of the page say of an energy what its row says.
#[test]
fn the_page_of_a_damped_run_shows_the_energy_less_work() {
    let text = "coordinates = [\"x\"]\nlagrangian = \"0.5*vx^2 - 0.5*x^2\"\nforce = [\"-0.1*vx\"]\nstep = 0.02\nend = 20\n\
                integrator = \"midpoint\"\ninitial = { position = [1], velocity = [0] }\n";
    let page = |text: &str| {
        let scenario = Scenario::read("a.toml", text, &[]).unwrap();
        let outcome = run::gather(&scenario, None, false, &mut |_| ControlFlow::Continue(())).unwrap();
        outcome.in_memory.page.unwrap().to_html()
    };
    let damped = page(text);
    assert!(damped.contains("Change of the energy less the work of the forces"));
    assert!(
        damped.contains("the system does not conserve it") && !damped.contains("bounded for variational")
    );
    assert!(damped.contains("largest change (absolute)"));
    let free = page(&text.replace("force = [\"-0.1*vx\"]\n", ""));
    assert!(free.contains("bounded for variational") && !free.contains("less the work"));
}
