//! VTI04 Fig. 2: the error of the heat of the harmonic lattice against the cost, for three lengths of run.

use super::{VI1, VI4};
use crate::lattice::{Springs, lattice, random_start};
use crate::modes::Modes;
use crate::series;
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::Method;
use stationary::laws::order;
use stationary::model::{FormulaLagrangian, Jet, Lagrangian};
use stationary_report::plot::Plot;
use std::sync::Arc;

const SIDE: usize = 4;
const SIZE: f64 = 0.2;
/// A method, its name, and the first step in units of the inverse of the fastest frequency: just inside stability.
const METHODS: [(&str, Method, f64); 3] =
    [("VI1", VI1, 1.8), ("RK4", Method::RungeKutta4, 2.6), ("VI4", VI4, 2.4)];
/// Steps fall by this ratio.
const RATIO: f64 = 1.3;

/// One simulation.
#[derive(Debug, Clone, Copy)]
pub struct Point {
    /// Time step.
    pub h: f64,
    /// Evaluations of the force.
    pub cost: f64,
    /// `|K(T, dt) - K| / K`, the total error [VTI04 (8)].
    pub total: f64,
    /// `|K(T, dt) - K(T)| / K`, the discretisation error.
    pub discretisation: f64,
}

/// One panel of the figure: points in order of falling step for each of the methods.
#[derive(Debug, Clone)]
pub struct Panel {
    /// Length of the run, `T`.
    pub end: f64,
    /// `|K(T) - K| / K`, exact.
    pub limit: f64,
    /// VI1, RK4, VI4.
    pub curves: [Vec<Point>; 3],
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let panels = panels(scale, METHODS)?;
    let mut table = Vec::new();
    for panel in &panels {
        table.push(format!("T = {}: limit error {:.3e}", panel.end, panel.limit));
        for (curve, (name, ..)) in panel.curves.iter().zip(METHODS) {
            table.push(format!(
                "  {name}: evaluations for an error of 5%, 2%, 1%, 0.5%, twice the limit error:"
            ));
            let costs =
                [0.05, 0.02, 0.01, 0.005, 2.0 * panel.limit].map(|e| format!("{:>10.3e}", cost_of(curve, e)));
            table.push(format!("       {}", costs.join(" ")));
        }
    }
    let plots: Vec<String> = panels.iter().map(plot).collect();
    Ok(Outcome {
        plot: side_by_side(&plots, 420, 420),
        table,
        claims: panels.iter().flat_map(claims).collect(),
    })
}

/// Measures the errors.
pub fn panels(scale: Scale, methods: [(&str, Method, f64); 3]) -> Result<Vec<Panel>, String> {
    let n = 2 * SIDE * SIDE;
    let lattice = Arc::new(lattice(SIDE, Springs::Harmonic)?);
    let (q, v) = random_start(n, SIZE);
    let mut jet = Jet::new(n);
    lattice.second(0.0, &q, &v, &mut jet);
    let stiffness: Vec<f64> = jet.dqq().iter().map(|k| -k).collect();
    let modes = Modes::new(&stiffness, &q, &v);
    let mut panels = Vec::new();
    for end in scale.pick(vec![60.0, 1000.0], vec![1e2, 1e3, 1e4]) {
        let limit = (modes.heat_until(end) / modes.heat() - 1.0).abs();
        let mut curves = [const { Vec::new() }; 3];
        for (curve, (_, method, first)) in curves.iter_mut().zip(methods) {
            *curve = errors(&lattice, &modes, method, (end, first / modes.fastest()), scale.pick(3e5, 3e7))?;
        }
        panels.push(Panel { end, limit, curves });
    }
    Ok(panels)
}

/// Lowers the step until the discretisation error is lost in the limit error, or the cost too high.
fn errors(
    lattice: &Arc<FormulaLagrangian>,
    modes: &Modes,
    method: Method,
    (end, mut h): (f64, f64),
    dear: f64,
) -> Result<Vec<Point>, String> {
    let (q, v) = random_start(2 * SIDE * SIDE, SIZE);
    let (heat, heat_until) = (modes.heat(), modes.heat_until(end));
    let enough = 0.03 * (heat_until - heat).abs() / heat;
    let mut points: Vec<Point> = Vec::new();
    loop {
        let steps = (end / h).ceil() as u64;
        let exact_h = end / steps as f64;
        let measured = series::heat(lattice, method, (&q, &v), exact_h, &[steps])?[0];
        let discretisation = (measured - heat_until).abs() / heat;
        let cost = (steps * series::evaluations(method)) as f64;
        points.push(Point { h: exact_h, cost, total: (measured - heat).abs() / heat, discretisation });
        if discretisation < enough || cost > dear {
            return Ok(points);
        }
        h /= RATIO;
    }
}

/// The cost from which on the total error stays below a bound, between the points by their logarithms.
pub fn cost_of(curve: &[Point], error: f64) -> f64 {
    let Some(last) = curve.iter().rposition(|p| p.total > error) else {
        return curve.first().map_or(f64::NAN, |p| p.cost);
    };
    let Some(after) = curve.get(last + 1) else { return f64::INFINITY };
    let before = curve[last];
    let share = (before.total / error).ln() / (before.total / after.total).ln();
    before.cost * (after.cost / before.cost).powf(share)
}

fn plot(panel: &Panel) -> String {
    let mut plot = Plot::new(format!("T = {}", panel.end))
        .log_x()
        .log_y()
        .x_label("cost (force evaluations)")
        .y_label("relative error of the heat");
    for (curve, (name, ..)) in panel.curves.iter().zip(METHODS) {
        let (x, y): (Vec<f64>, Vec<f64>) =
            curve.iter().filter(|p| p.total < 2.0).map(|p| (p.cost, p.total)).unzip();
        plot = plot.line(name, &x, &y).points(name, &x, &y);
    }
    plot.horizontal("limit error", panel.limit).to_svg(420, 420)
}

/// What the paper says of the figure.
pub fn claims(panel: &Panel) -> Vec<Claim> {
    let [vi1, rk4, vi4] = &panel.curves;
    let at = |text: &str| format!("T = {}: {text}", panel.end);
    let fine = (2.0 * panel.limit).max(2e-3);
    // Tolerances from 5% down to where the limit error rules.
    let dearest = (0..=20)
        .map(|k| 0.05 * (fine / 0.05).powf(f64::from(k) / 20.0))
        .map(|e| cost_of(vi4, e) / cost_of(vi1, e).min(cost_of(rk4, e)))
        .fold(0.0, |a: f64, b| if b.is_nan() { b } else { a.max(b) });
    let slope = |curve: &[Point]| {
        let seen: Vec<&Point> = curve.iter().filter(|p| p.discretisation < 0.05).collect();
        let (h, e): (Vec<f64>, Vec<f64>) = seen.iter().map(|p| (p.h, p.discretisation)).unzip();
        order(&h, &e, 0.0).unwrap_or(f64::NAN)
    };
    let floor = |curve: &[Point]| curve.last().map_or(f64::NAN, |p| p.total) / panel.limit;
    let ratio = |a, b, e| cost_of(a, e) / cost_of(b, e);
    vec![
        Claim::below(
            at("cost of VI4 over the cheaper of the others, largest for errors up to 5%"),
            dearest,
            1.0,
        ),
        Claim::below(at("cost of VI1 over RK4 for an error of 5%"), ratio(vi1, rk4, 0.05), 0.7),
        Claim::below(at("cost of VI1 over RK4 for an error of 2%"), ratio(vi1, rk4, 0.02), 1.0),
        Claim::above(
            at(&format!("cost of VI1 over RK4 for an error of {fine:.1e}")),
            ratio(vi1, rk4, fine),
            1.1,
        ),
        Claim::between(at("error of VI4 at the smallest step over the limit error"), floor(vi4), 0.9, 1.1),
        Claim::between(at("error of RK4 at the smallest step over the limit error"), floor(rk4), 0.9, 1.1),
        Claim::between(at("order of VI1"), slope(vi1), 0.8, 1.5),
        Claim::between(at("order of RK4, whose dissipation is of order 5"), slope(rk4), 4.5, 5.5),
        Claim::between(at("order of VI4"), slope(vi4), 3.5, 5.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_figure_2_claims_hold() {
        let panels = panels(Scale::Reduced, METHODS).unwrap();
        for claim in panels.iter().flat_map(claims) {
            assert!(claim.holds(), "{claim}");
        }
        // Each claim fails when some two methods change places.
        let panel = &panels[1];
        let twins = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| {
            let mut twin = panel.clone();
            twin.curves.swap(a, b);
            claims(&twin)
        });
        for (i, claim) in claims(panel).iter().enumerate() {
            let fails = |twin: &Vec<Claim>| !twin[i].holds();
            assert!(twins.iter().any(fails), "{claim}");
        }
    }

    #[test]
    fn vti04_figure_2_cost_is_interpolated_between_points() {
        let point = |cost, total| Point { h: 0.0, cost, total, discretisation: 0.0 };
        let curve = [point(1.0, 1.0), point(10.0, 0.1), point(100.0, 0.01)];
        assert!((cost_of(&curve, 0.03) / 10.0f64.powf(2.0 - 3.0f64.log10()) - 1.0).abs() < 1e-12);
        assert_eq!(cost_of(&curve, 2.0), 1.0);
        assert_eq!(cost_of(&curve, 1e-3), f64::INFINITY);
    }
}
