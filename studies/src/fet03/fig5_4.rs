//! FET03 Fig. 5.4: the order of the methods is kept through an impact.

use super::fallers::{Faller, GAUSS2, MIDPOINT, VERLET};
use super::walk::slope;
use crate::{Claim, Outcome, Scale};
use stationary::integrate::Method;
use stationary_report::plot::Plot;

/// When the runs end, and the angle at the start: the star then collides once.
const END: f64 = 2.0;
const ANGLE: f64 = 0.8;

/// Errors of a method at the end over its steps.
struct Errors {
    name: &'static str,
    order: f64,
    h: Vec<f64>,
    error: Vec<f64>,
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let body = body()?;
    let reference = end(&body, Method::Gauss { stages: 4 }, 400)?;
    let most = scale.pick(400, 4000);
    let methods =
        [("verlet", VERLET, 2.0, most), ("midpoint", MIDPOINT, 2.0, most), ("gauss 2", GAUSS2, 4.0, 200)];
    let mut all = Vec::new();
    for (name, method, order, most) in methods {
        all.push(errors(&body, &reference, (name, method, order), most)?);
    }
    let mut plot = Plot::new("error after one collision").x_label("h").y_label("error").log_x().log_y();
    let (mut table, mut claims) = (Vec::new(), Vec::new());
    for x in &all {
        plot = plot.points(x.name, &x.h, &x.error);
        let fit = slope(&x.h, &x.error);
        table.push(format!("{}: error {:.2e} at h = {:.4}, slope {fit:.3}", x.name, x.error[0], x.h[0]));
        claims.push(claim(x));
    }
    Ok(Outcome { plot: plot.to_svg(560, 420), table, claims })
}

fn body() -> Result<Faller, String> {
    let mut body = Faller::star_high()?;
    body.q[2] = ANGLE;
    Ok(body)
}

fn claim(x: &Errors) -> Claim {
    let fit = slope(&x.h, &x.error);
    Claim::between(format!("{}: slope", x.name), fit, x.order - 0.25, x.order + 0.25)
}

/// The state at the end of a run of so many steps; it must have had one impact.
fn end(body: &Faller, method: Method, steps: u64) -> Result<Vec<f64>, String> {
    let mut run = body.begin(method, END / steps as f64)?;
    let mut impacts = 0;
    for _ in 0..steps {
        run.advance(1).map_err(|e| e.to_string())?;
        impacts += run.impacts().len();
    }
    match impacts {
        1 => Ok([run.view().q, run.view().p].concat()),
        n => Err(format!("{n} impacts, not one")),
    }
}

fn errors(
    body: &Faller,
    reference: &[f64],
    (name, method, order): (&'static str, Method, f64),
    most: u64,
) -> Result<Errors, String> {
    let (mut h, mut error) = (Vec::new(), Vec::new());
    let mut steps = 20;
    while steps <= most {
        // Where in its step the impact falls scatters the error: a mean over some steps of nearly one length.
        let mut sum = 0.0;
        for more in 0..5 {
            let state = end(body, method, steps + more)?;
            sum += state.iter().zip(reference).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        }
        h.push(END / (steps + 2) as f64);
        error.push((sum / 5.0).sqrt());
        steps = (steps * 3).div_ceil(2);
    }
    Ok(Errors { name, order, h, error })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fet03_figure_5_4_claims_hold() {
        let outcome = run(Scale::Reduced).unwrap();
        assert!(outcome.claims.iter().all(Claim::holds), "{:?}", outcome.claims);
    }

    #[test]
    fn fet03_figure_5_4_claims_fail_for_another_order() {
        let body = body().unwrap();
        let reference = end(&body, Method::Gauss { stages: 4 }, 200).unwrap();
        assert!(
            !claim(&errors(&body, &reference, ("", Method::Trapezoidal { alpha: 0.3 }, 2.0), 200).unwrap())
                .holds()
        );
        assert!(!claim(&errors(&body, &reference, ("", VERLET, 4.0), 200).unwrap()).holds());
        // A run that misses the impact is another run.
        let mut far = reference.clone();
        far[1] += 1e-3;
        assert!(!claim(&errors(&body, &far, ("", GAUSS2, 4.0), 200).unwrap()).holds());
    }
}
