//! Shipped solids in full: their claims, and closed forms that no claim can state.

use serde_json::Value;
use stationary_app::run::{RunOutcome, run};
use stationary_app::scenario::{Scenario, shipped};
use std::ops::ControlFlow;

fn scenario(name: &str, sets: &[(&str, &str)]) -> Scenario {
    let sets: Vec<(String, String)> = sets.iter().map(|(k, v)| (k.to_string(), v.to_string())).collect();
    Scenario::read(name, shipped::find(name).unwrap().text, &sets).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Runs a shipped scenario without frames; what came of it, and its series.
fn whole(name: &str, sets: &[(&str, &str)]) -> (RunOutcome, String) {
    let folder =
        std::env::temp_dir().join(format!("stationary-shipped-{name}-{}-{}", sets.len(), std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    let sets: Vec<(&str, &str)> = [("output.frames", "0")].iter().chain(sets).copied().collect();
    let outcome = run(&scenario(name, &sets), &folder, &mut |_| ControlFlow::Continue(())).unwrap();
    let series = std::fs::read_to_string(folder.join("series.csv")).unwrap();
    let _ = std::fs::remove_dir_all(&folder);
    assert!(outcome.stopped.is_none(), "{name}: {:?}", outcome.stopped);
    (outcome, series)
}

fn claims_hold(name: &str, outcome: &RunOutcome) {
    let claims = outcome.summary["claims"].as_array().unwrap();
    assert!(claims.len() > 3, "{name}");
    for claim in claims {
        assert_eq!(claim["holds"], true, "{name}: {claim}");
    }
}

/// A column; NaN where a cell is empty.
fn column(series: &str, name: &str) -> Vec<f64> {
    let mut lines = series.lines();
    let at = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    lines.map(|line| line.split(',').nth(at).unwrap().parse().unwrap_or(f64::NAN)).collect()
}

fn number(outcome: &RunOutcome, path: &[&str]) -> f64 {
    path.iter().fold(&outcome.summary, |value: &Value, key| &value[*key]).as_f64().unwrap()
}

/// Considere: `d sigma_y/d strain = sigma_y` at the largest force, where the neck begins. The mesh and the inertia of the ends blur the
/// place of a flat maximum, not its height.
#[test]
fn necking_bar_carries_the_force_of_considere_at_his_strain() {
    let stress = |p: f64| 450e6 + 129.24e6 * p + 265e6 * (1.0 - (-16.93 * p).exp());
    let slope = |p: f64| 129.24e6 + 265e6 * 16.93 * (-16.93 * p).exp();
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slope(middle) > stress(middle) { low = middle } else { high = middle }
    }
    let force = std::f64::consts::PI * 6.413e-3_f64.powi(2) * stress(low) * (-low).exp();
    let (outcome, series) = whole("necking", &[]);
    claims_hold("necking", &outcome);
    let [pulled, neck, end] = ["reaction.grip.y", "neck", "end"].map(|name| column(&series, name));
    let top = (1..pulled.len()).max_by(|a, b| pulled[*a].total_cmp(&pulled[*b])).unwrap();
    // Of the section in the middle, which is as large as any other until there.
    let strain = -2.0 * neck[top].ln();
    println!("force {:e} of {force:e}, at the strain {strain:.4} of {low:.4}", pulled[top]);
    assert!((pulled[top] / force - 1.0).abs() < 5e-3, "{:e} {force:e}", pulled[top]);
    assert!((strain / low - 1.0).abs() < 0.15, "{strain} {low}");
    // From there on all happens in the neck.
    let last = neck.len() - 1;
    assert!(pulled[last] < 0.7 * pulled[top] && neck[last] < 0.7 * neck[top]);
    assert!((end[last] - end[top]).abs() < 2e-3, "{} {}", end[last], end[top]);
}

#[derive(Clone, Copy)]
struct Complex(f64, f64);

impl Complex {
    fn times(self, b: Complex) -> Complex {
        Complex(self.0 * b.0 - self.1 * b.1, self.0 * b.1 + self.1 * b.0)
    }

    fn plus(self, b: Complex) -> Complex {
        Complex(self.0 + b.0, self.1 + b.1)
    }

    fn scaled(self, by: f64) -> Complex {
        Complex(by * self.0, by * self.1)
    }

    fn over(self, b: Complex) -> Complex {
        let square = b.0 * b.0 + b.1 * b.1;
        self.times(Complex(b.0 / square, -b.1 / square))
    }
}

/// The numbers in the text: each exponent `s` is a root of `s^2 + E*(s)/(density radius^2)` with `E* = 9 K mu*/(3 K + mu*)`, and its part in
/// the motion at unit speed from the undeformed shape is one over the slope there: the residue of the Laplace transform.
#[test]
fn ring_of_rubber_breathes_as_its_complex_modulus_says() {
    let ring = scenario("viscoelastic-ring", &[]);
    let parameter = |name: &str| ring.parameters.iter().find(|(n, _)| n == name).unwrap().1;
    let [lambda, mu, density] = ["lambda", "mu", "density"].map(parameter);
    let bulk = lambda + 2.0 * mu / 3.0;
    let stiffness = |s: Complex| {
        let one = Complex(1.0, 0.0);
        let branch = |mu: f64, time: f64| s.scaled(mu * time).over(one.plus(s.scaled(time)));
        let shear = Complex(mu, 0.0).plus(branch(1.5e5, 4e-3)).plus(branch(1e5, 3e-2));
        let modulus = shear.scaled(9.0 * bulk).over(shear.plus(Complex(3.0 * bulk, 0.0)));
        s.times(s).plus(modulus.scaled(1.0 / (density * 0.1 * 0.1)))
    };
    let size = parameter("omega").powi(2);
    for (s, part) in [
        (Complex(-parameter("one"), 0.0), Complex(parameter("part_one"), 0.0)),
        (Complex(-parameter("other"), 0.0), Complex(parameter("part_other"), 0.0)),
        (
            Complex(-parameter("decay"), parameter("omega")),
            Complex(0.5 * parameter("part_cos"), -0.5 * parameter("part_sin")),
        ),
    ] {
        let left = stiffness(s);
        assert!(left.0.hypot(left.1) < 1e-6 * size, "{} + {} i", left.0, left.1);
        let h = 1e-3;
        let slope = stiffness(s.plus(Complex(h, 0.0))).plus(stiffness(s.plus(Complex(-h, 0.0))).scaled(-1.0));
        let residue = Complex(1.0, 0.0).over(slope.scaled(0.5 / h));
        let off = residue.plus(part.scaled(-1.0));
        assert!(off.0.hypot(off.1) < 1e-6 * part.0.hypot(part.1), "{} {}", residue.0, residue.1);
    }
    claims_hold("viscoelastic-ring", &whole("viscoelastic-ring", &[]).0);
}

/// One step for all follows an even deformation exactly, whatever the elements; local steps, at which neighbours push at different times, to
/// second order.
#[test]
fn mixed_mesh_deforms_evenly_and_local_steps_do_to_second_order() {
    claims_hold("mixed-mesh", &whole("mixed-mesh", &[]).0);
    let error = |fraction: &str| {
        let integrator = format!("{{ method = \"avi\", fraction = {fraction} }}");
        let (outcome, _) = whole("mixed-mesh", &[("integrator", &integrator), ("claim", "[]")]);
        assert!(number(&outcome, &["avi", "step", "min"]) < 0.6 * number(&outcome, &["avi", "step", "max"]));
        number(&outcome, &["probe", "patch", "max"])
    };
    let (coarse, fine) = (error("0.3"), error("0.15"));
    println!("{coarse:e} {fine:e}");
    assert!(fine < 1e-7 && coarse / fine > 3.0, "{coarse:e} {fine:e}");
}

/// The speed of sound and the pressure of Joukowsky depend on the bulk modulus alone, whatever its exponent.
#[test]
fn wave_in_a_tube_has_the_speed_of_sound_of_every_fluid() {
    for gamma in ["1", "7.15"] {
        claims_hold("tube-wave", &whole("tube-wave", &[("parameters.gamma", gamma)]).0);
    }
}

/// Final length and radius of the foot in the range of the literature, and the same by local steps as by one step for all.
#[test]
fn taylor_bar_ends_alike_by_local_steps_and_by_one_step() {
    let ends = ["newmark", "avi"].map(|method| {
        let (outcome, series) = whole("taylor-bar", &[("integrator.method", method)]);
        claims_hold("taylor-bar", &outcome);
        // All but the elastic vibration at the end is dissipated.
        let dissipated = number(&outcome, &["energy", "dissipated"]);
        let kinetic = column(&series, "kinetic")[0];
        assert!(dissipated > 0.99 * kinetic && dissipated < kinetic, "{method}: {dissipated} {kinetic}");
        ["end", "edge"].map(|probe| number(&outcome, &["probe", probe, "final"]))
    });
    println!("{ends:?}");
    let [one, other] = ends;
    assert!((0..2).all(|i| (one[i] / other[i] - 1.0).abs() < 1e-4 && one[i] != other[i]), "{ends:?}");
}
