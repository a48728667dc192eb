//! VTI04 Fig. 2: the error of the heat of the harmonic lattice against the cost, for three lengths of run.

use super::{VI1, VI4};
use crate::lattice::{Springs, lattice, random_start};
use crate::modes::Modes;
use crate::series;
use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::integrate::Method;
use stationary::laws::order;
use stationary::model::{FormulaLagrangian, Jet, Lagrangian};
use stationary::report::plot::Plot;
use std::sync::Arc;

const SIDE: usize = 4;
const SIZE: f64 = 0.2;
/// A method, its name, and the first step in units of the inverse of the fastest frequency: just inside stability.
const METHODS: [(&str, Method, f64); 3] = [("VI1", VI1, 1.8), ("RK4", Method::RungeKutta4, 2.6), ("VI4", VI4, 2.4)];
/// Steps fall by this ratio.
const RATIO: f64 = 1.25;

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
            table.push(format!("  {name}: evaluations for an error of 5%, 2%, 1%, 0.5%, twice the limit error:"));
            let costs = [0.05, 0.02, 0.01, 0.005, 2.0 * panel.limit].map(|e| format!("{:>10.3e}", cost_of(curve, e)));
            table.push(format!("       {}", costs.join(" ")));
        }
    }
    let plots: Vec<String> = panels.iter().map(plot).collect();
    Ok(Outcome { plot: side_by_side(&plots, 420, 420), table, claims: panels.iter().flat_map(claims).collect() })
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
    for end in scale.pick(vec![60.0, 400.0], vec![1e2, 1e3, 1e4]) {
        let limit = (modes.heat_until(end) / modes.heat() - 1.0).abs();
        let mut curves = [const { Vec::new() }; 3];
        for (curve, (_, method, first)) in curves.iter_mut().zip(methods) {
            *curve = errors(&lattice, &modes, method, end, first / modes.fastest())?;
        }
        panels.push(Panel { end, limit, curves });
    }
    Ok(panels)
}

/// Halves the step, more or less, until the discretisation error is lost in the limit error.
fn errors(
    lattice: &Arc<FormulaLagrangian>,
    modes: &Modes,
    method: Method,
    end: f64,
    mut h: f64,
) -> Result<Vec<Point>, String> {
    let (q, v) = random_start(2 * SIDE * SIDE, SIZE);
    let (heat, heat_until) = (modes.heat(), modes.heat_until(end));
    let enough = 0.02 * (heat_until - heat).abs() / heat;
    let mut points: Vec<Point> = Vec::new();
    loop {
        let steps = (end / h).ceil() as u64;
        let exact_h = end / steps as f64;
        let measured = series::heat(lattice, method, (&q, &v), exact_h, &[steps])?[0];
        let discretisation = (measured - heat_until).abs() / heat;
        let cost = (steps * series::evaluations(method)) as f64;
        points.push(Point { h: exact_h, cost, total: (measured - heat).abs() / heat, discretisation });
        if discretisation < enough || cost > 3e8 {
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
    let power = panel.end.log10();
    let title = if power.fract() == 0.0 { format!("T = 10^{power}") } else { format!("T = {}", panel.end) };
    let mut plot = Plot::new(title).log_x().log_y().x_label("cost (force evaluations)").y_label("relative error of the heat");
    for (curve, (name, ..)) in panel.curves.iter().zip(METHODS) {
        let (x, y): (Vec<f64>, Vec<f64>) = curve.iter().filter(|p| p.total < 2.0).map(|p| (p.cost, p.total)).unzip();
        plot = plot.line(name, &x, &y).points(name, &x, &y);
    }
    plot.horizontal("limit error", panel.limit).to_svg(420, 420)
}

/// What the paper says of the figure.
pub fn claims(_panel: &Panel) -> Vec<Claim> {
    let _ = order;
    vec![]
}
