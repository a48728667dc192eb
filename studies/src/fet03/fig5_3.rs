//! FET03 Fig. 5.3: energy of the bouncing star, and whether it is bounded or a random walk, as that of the particle of Fig. 5.1 is
//! not.

use super::fallers::{Faller, G, GAUSS2, MIDPOINT, VERLET};
use super::walk::{Walk, slope, walk};
use crate::series::range;
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::Method;
use stationary_report::plot::Plot;

/// The thesis' step.
const H: f64 = 0.005;

/// One ensemble.
struct Row {
    name: &'static str,
    h: f64,
    walk: Walk,
}

/// The mean square of one impact's change of energy in uniform gravity. With the trapezoidal and with the midpoint rule
/// `-D3 = H - g^2 tau^2/8` over a leg of length `tau`, and an impact keeps `-D3`; where it parts a step at random, the two squares
/// differ by `h^2 (1 - 2 s)` with `s` evenly spread.
fn foreseen(h: f64) -> f64 {
    (G * G * h * h / 8.0).powi(2) / 3.0
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let (star, high) = (Faller::star()?, Faller::star_high()?);
    let short = star.bounce(VERLET, H, 1500)?;
    let long = star.bounce(VERLET, H, scale.pick(3000, 100_000))?;
    let few = scale.pick((512, 24), (8192, 16));
    let slow = scale.pick((256, 12), (1024, 16));
    let ensemble = |body: &Faller, name, method: Method, h: f64, (impacts, starts)| {
        walk(body, method, h, impacts, starts).map(|walk| Row { name, h, walk })
    };
    let mut uniform = Vec::new();
    for h in scale.pick(vec![0.02, 0.04], vec![0.005, 0.01, 0.02, 0.04]) {
        uniform.push(ensemble(&star, "verlet", VERLET, h, few)?);
    }
    uniform.push(ensemble(&star, "midpoint", MIDPOINT, 0.04, slow)?);
    uniform.push(ensemble(&star, "gauss 2", GAUSS2, 0.04, slow)?);
    let mut falling = Vec::new();
    for h in [0.04, 0.08] {
        falling.push(ensemble(&high, "verlet", VERLET, h, few)?);
        falling.push(ensemble(&high, "midpoint", MIDPOINT, h, slow)?);
        falling.push(ensemble(&high, "gauss 2", GAUSS2, h, slow)?);
    }
    let regular = Faller::particle()?.bounce(VERLET, 0.01, scale.pick(100_000, 1_000_000))?;
    let regular = Row { name: "particle, verlet", h: 0.01, walk: Walk::of(&[regular.drift]) };
    let mut claims = vec![
        Claim::below("discrete energy over an impact", short.worst.max(long.worst), 1e-12),
        Claim::below(
            "part of the impacts that do not keep it",
            long.grazes as f64 / long.time.len() as f64,
            1e-3,
        ),
        Claim::below("1500 impacts: energy, relative", spread(&short.drift) / 38.0, 1e-3),
        Claim::below("particle: exponent", regular.walk.exponent(), 0.6),
    ];
    claims.extend(walk_claims(&uniform));
    claims.extend(order_claims(&falling));
    uniform.push(regular);
    let mut table = vec![];
    for (name, run) in [("thesis", &short), ("long", &long)] {
        let (low, high) = range(&run.drift);
        table.push(format!(
            "{name}: {} impacts, up to {} a step: energy {low:+.2e} to {high:+.2e}; discrete energy over an impact {:.1e}, but for {}",
            run.time.len(),
            run.most,
            run.worst,
            run.grazes
        ));
    }
    for (title, rows) in [("uniform", &uniform), ("falling", &falling)] {
        table.extend(rows.iter().map(|x| line(title, x)));
    }
    let number: Vec<f64> = (1..=long.drift.len()).map(|k| k as f64).collect();
    let path = Plot::new("the star, verlet, h = 0.005").x_label("impact").y_label("change of the energy");
    let plots = [
        path.line("", &number, &long.drift).to_svg(480, 360),
        plot("uniform gravity", &uniform),
        plot("gravity that falls with the height", &falling),
    ];
    Ok(Outcome { plot: side_by_side(&plots, 480, 360), table, claims })
}

fn spread(values: &[f64]) -> f64 {
    let (low, high) = range(values);
    high - low
}

fn line(title: &str, row: &Row) -> String {
    let Row { name, h, walk } = row;
    let walks = title == "uniform" && matches!(*name, "verlet" | "midpoint");
    let foreseen = if walks { format!(" ({:.2e} foreseen)", foreseen(*h)) } else { String::new() };
    format!(
        "{title} gravity, {name}, h = {h}: mean square {:.2e} an impact{foreseen}, growing with their number to the {:.2}, late {:.2}",
        walk.rate(),
        walk.exponent(),
        walk.late_exponent()
    )
}

fn plot(title: &str, rows: &[Row]) -> String {
    let mut plot =
        Plot::new(title).x_label("impacts").y_label("mean square change of the energy").log_x().log_y();
    // Gauss in uniform gravity is twenty powers of ten below.
    for row in rows.iter().filter(|row| row.walk.square[0] > 1e-20) {
        plot = plot.line(format!("{}, h = {}", row.name, row.h), &row.walk.impacts, &row.walk.square);
    }
    if let Some(first) = rows.iter().find(|row| row.name == "verlet" && title.starts_with("uniform")) {
        let walk: Vec<f64> = first.walk.impacts.iter().map(|n| n * foreseen(first.h)).collect();
        plot = plot.dashed_line("a random walk, foreseen", &first.walk.impacts, &walk);
    }
    plot.to_svg(480, 360)
}

/// In uniform gravity second-order methods walk at random at the rate that is foreseen; Gauss, which is exact there, does not.
fn walk_claims(rows: &[Row]) -> Vec<Claim> {
    let mut claims = Vec::new();
    for Row { name, h, walk } in rows {
        if *name == "gauss 2" {
            let last = walk.square[walk.square.len() - 1];
            claims.push(Claim::below("gauss 2: mean square at the end", last, 1e-22));
        } else {
            let about = format!("{name}, h = {h}");
            claims.push(Claim::between(format!("{about}: exponent"), walk.exponent(), 0.85, 1.15));
            let ratio = walk.rate() / foreseen(*h);
            claims.push(Claim::between(format!("{about}: rate over that foreseen"), ratio, 0.7, 1.4));
        }
    }
    claims
}

/// Elsewhere all walk, the slower the higher the order: the mean square goes with twice the order.
fn order_claims(rows: &[Row]) -> Vec<Claim> {
    let order = |method: &str| {
        let of: Vec<&Row> = rows.iter().filter(|row| row.name == method).collect();
        let (h, rate): (Vec<f64>, Vec<f64>) = of.iter().map(|row| (row.h, row.walk.rate())).unzip();
        0.5 * slope(&h, &rate)
    };
    let claim = |name: &str, low, high| {
        Claim::between(
            format!("falling gravity, {name}: order of the step of the walk"),
            order(name),
            low,
            high,
        )
    };
    vec![claim("verlet", 1.6, 2.4), claim("midpoint", 1.6, 2.8), claim("gauss 2", 3.5, 4.5)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fet03_figure_5_3_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(Claim::holds), "{:?}", outcome.claims);
    }

    #[test]
    fn fet03_figure_5_3_claims_fail_for_another_method() {
        let star = Faller::star().unwrap();
        let row = |name, method| Row { name, h: 0.04, walk: walk(&star, method, 0.04, 256, 8).unwrap() };
        assert!(!walk_claims(&[row("gauss 2", VERLET)])[0].holds());
        // Rounding may walk at random too, but not at that rate.
        assert!(walk_claims(&[row("verlet", GAUSS2)]).iter().any(|claim| !claim.holds()));
        // Energy that is bounded has no exponent.
        let bounded: Vec<f64> = (0..512).map(|k| (7.3 * k as f64).sin() * foreseen(0.04).sqrt()).collect();
        let bounded = Row { name: "verlet", h: 0.04, walk: Walk::of(&[bounded]) };
        assert!(walk_claims(&[bounded]).iter().all(|claim| !claim.holds()));
    }
}
