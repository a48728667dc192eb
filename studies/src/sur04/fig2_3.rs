//! SUR04 Fig. 2.3: a Poincare section of four point vortices, by a variational integrator of order two
//! and by RK4, at three steps.
//!
//! Two pairs of equal vortices turn about each other. The section is taken where the first pair lies along the line
//! between the pairs; drawn is how the second pair lies to that line, its component along and across it.

use crate::{Claim, Outcome, Scale, side_by_side};
use stationary::formula::{Expr, Graph, Node, Scope, Var};
use stationary::integrate::Method;
use stationary::integrate::phase::PhaseStart;
use stationary::model::{FormulaPhase, PhaseJet, PhaseSpace};
use stationary::observe::{Frame, PoincareSection};
use stationary_report::plot::Plot;
use std::sync::Arc;

/// The steps of the figure.
pub const STEPS: [f64; 3] = [0.2, 0.5, 1.0];
/// Order two: the implicit midpoint rule.
const VI2: Method = Method::Midpoint { alpha: 0.5 };
/// Positions x, y of the four vortices.
const START: [f64; 8] = [-2.0, 0.0, -1.0, 0.0, 1.5, -0.5, 1.5, 0.5];

/// One section.
#[derive(Debug, Clone, Default)]
pub struct Run {
    /// Points of the section, in the order of time.
    pub points: Vec<[f64; 2]>,
    /// Largest relative change of the energy.
    pub energy: f64,
    /// Largest change of the angular impulse over its size.
    pub impulse: f64,
    /// Why it ended early, if it did.
    pub stopped: bool,
}

/// The figure as numbers: a run for each step.
#[derive(Debug, Clone)]
pub struct Sections {
    /// Of the variational method.
    pub variational: Vec<Run>,
    /// Of the other.
    pub classical: Vec<Run>,
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    Ok(sections(scale, VI2, Method::RungeKutta4)?.outcome())
}

/// All sections, by two methods.
pub fn sections(scale: Scale, variational: Method, classical: Method) -> Result<Sections, String> {
    let end = scale.pick(4e4, 2e5);
    let all = |method| STEPS.iter().map(|h| section(method, *h, end)).collect::<Result<Vec<_>, _>>();
    Ok(Sections { variational: all(variational)?, classical: all(classical)? })
}

/// The vortices: strength 1 each, `theta = sum y dx`.
fn vortices() -> Result<Arc<FormulaPhase>, String> {
    let mut graph = Graph::new();
    let scope = scope();
    let mut pairs = Vec::new();
    for a in 1..=4 {
        for b in a + 1..=4 {
            pairs.push(format!("log((x{a} - x{b})^2 + (y{a} - y{b})^2)"));
        }
    }
    let h = lower(&mut graph, &scope, &format!("-({})/(4*pi)", pairs.join(" + ")))?;
    let zero = graph.constant(0.0);
    let theta: Vec<Node> = (0..8).map(|i| if i % 2 == 0 { graph.var(Var::Q(i + 1)) } else { zero }).collect();
    FormulaPhase::of_nodes(graph, h, Some(&theta), 8).map(Arc::new).map_err(|e| e.to_string())
}

fn scope() -> Scope {
    let mut scope = Scope::new();
    for a in 0..4 {
        scope
            .variable(format!("x{}", a + 1), Var::Q(2 * a))
            .variable(format!("y{}", a + 1), Var::Q(2 * a + 1));
    }
    scope
}

fn lower(graph: &mut Graph, scope: &Scope, text: &str) -> Result<Node, String> {
    Expr::parse(text).and_then(|e| graph.lower(&e, scope)).map_err(|e| e.to_string())
}

/// The section of this figure.
fn observer() -> Result<PoincareSection, String> {
    let (mut graph, scope) = (Graph::new(), scope());
    let (rx, ry) = ("(x3 + x4 - x1 - x2)", "(y3 + y4 - y1 - y2)");
    let length = format!("sqrt({rx}^2 + {ry}^2)");
    let when = format!("({rx}*(y2 - y1) - {ry}*(x2 - x1))/{length}");
    let along = format!("({rx}*(x4 - x3) + {ry}*(y4 - y3))/{length}");
    let across = format!("({rx}*(y4 - y3) - {ry}*(x4 - x3))/{length}");
    let when = lower(&mut graph, &scope, &when)?;
    let columns = [("along", along), ("across", across)]
        .into_iter()
        .map(|(name, text)| Ok((name.to_string(), lower(&mut graph, &scope, &text)?)))
        .collect::<Result<Vec<_>, String>>()?;
    Ok(PoincareSection::new(&graph, when, columns))
}

fn section(method: Method, h: f64, end: f64) -> Result<Run, String> {
    let system = vortices()?;
    let mut section = observer()?;
    let start = PhaseStart { t: 0.0, z: START.to_vec(), h };
    let mut integrator =
        method.start_phase(Arc::clone(&system), &start, 1e-15).map_err(|e| format!("{e:?}"))?;
    let mut jet = PhaseJet::new(8);
    let mut measure = |z: &[f64]| {
        system.first(0.0, z, &mut jet);
        (jet.value(), z.iter().map(|x| x * x).sum::<f64>())
    };
    let initial = measure(&START);
    let mut run = Run::default();
    let rest = [0.0; 8];
    for step in 0..=(end / h).round() as u64 {
        if step > 0 && integrator.advance(1).is_err() {
            run.stopped = true;
            break;
        }
        let view = integrator.view();
        let now = measure(view.q);
        run.energy = larger(run.energy, ((now.0 - initial.0) / initial.0).abs());
        run.impulse = larger(run.impulse, (now.1 / initial.1 - 1.0).abs());
        section.observe(&Frame {
            step,
            t: view.t,
            elapsed: view.t,
            q: view.q,
            v: &rest,
            p: view.p,
            canonical: view.q,
            discrete_energy: None,
            multipliers: None,
            work: None,
            adaption: None,
            impacts: &[],
            tangent: None,
        });
    }
    section.finish();
    run.points = section.take().iter().map(|row| [row[1], row[2]]).collect();
    Ok(run)
}

/// The larger of two, and NaN if one of them is.
fn larger(a: f64, b: f64) -> f64 {
    if a >= b || a.is_nan() { a } else { b }
}

impl Run {
    /// How thick the section is: the points lie about a closed curve; in the order of their angles, this is the distance
    /// of a point from the chord of its neighbours that nine of ten points stay below.
    pub fn thickness(&self) -> f64 {
        let mut polar: Vec<(f64, f64)> =
            self.points.iter().map(|[x, y]| (y.atan2(*x), x.hypot(*y))).collect();
        polar.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut off: Vec<f64> = polar
            .windows(3)
            .map(|w| {
                let part = (w[1].0 - w[0].0) / (w[2].0 - w[0].0);
                (w[1].1 - w[0].1 - part * (w[2].1 - w[0].1)).abs()
            })
            .collect();
        off.sort_by(f64::total_cmp);
        off.get(off.len() * 9 / 10).copied().unwrap_or(f64::NAN)
    }
}

impl Sections {
    fn outcome(&self) -> Outcome {
        let row = |name: &str, runs: &[Run]| {
            let plots: Vec<String> = runs
                .iter()
                .zip(STEPS)
                .map(|(run, h)| {
                    let (x, y): (Vec<f64>, Vec<f64>) =
                        run.points.iter().take(DRAWN).map(|p| (p[0], p[1])).unzip();
                    Plot::new(format!("{name}, h = {h}"))
                        .equal_aspect()
                        .x_label("along")
                        .y_label("across")
                        .points("", &x, &y)
                        .to_svg(400, 400)
                })
                .collect();
            side_by_side(&plots, 400, 400)
        };
        let rows = [row("VI2", &self.variational), row("RK4", &self.classical), self.near()];
        let plot = stacked(&rows, 1200, 400);
        let mut table = vec!["method, step: points, energy error, impulse error, thickness".to_string()];
        for (name, runs) in [("VI2", &self.variational), ("RK4", &self.classical)] {
            for (run, h) in runs.iter().zip(STEPS) {
                let stopped = if run.stopped { " (stopped)" } else { "" };
                table.push(format!(
                    "{name} {h}: {} {:.2e} {:.2e} {:.2e}{stopped}",
                    run.points.len(),
                    run.energy,
                    run.impulse,
                    run.thickness()
                ));
            }
        }
        Outcome { plot, table, claims: self.claims() }
    }

    /// A small piece of both sections, where the blur is seen.
    fn near(&self) -> String {
        let pick = |run: &Run| -> (Vec<f64>, Vec<f64>) {
            let near = |p: &&[f64; 2]| (1.15..1.3).contains(&p[0]) && p[1].abs() < 0.15;
            run.points.iter().take(DRAWN).filter(near).map(|p| (p[0], p[1])).unzip()
        };
        let plots: Vec<String> = (0..STEPS.len())
            .map(|k| {
                let (a, b) = (pick(&self.classical[k]), pick(&self.variational[k]));
                Plot::new(format!("near, h = {}", STEPS[k]))
                    .x_label("along")
                    .y_label("across")
                    .points("RK4", &a.0, &a.1)
                    .points("VI2", &b.0, &b.1)
                    .to_svg(400, 400)
            })
            .collect();
        side_by_side(&plots, 400, 400)
    }

    /// What the paper says of the figure.
    pub fn claims(&self) -> Vec<Claim> {
        let mut claims = Vec::new();
        for (run, h) in self.variational.iter().zip(STEPS) {
            claims.push(Claim::below(
                format!("thickness of the section of VI2, h = {h}"),
                run.thickness(),
                CRISP,
            ));
            claims.push(Claim::below(format!("angular impulse of VI2, h = {h}"), run.impulse, 1e-12));
        }
        let bounds = [None, Some(1e-3), Some(0.03)];
        for ((run, h), bound) in self.classical.iter().zip(STEPS).zip(bounds) {
            let text = format!("thickness of the section of RK4, h = {h}");
            claims.push(match bound {
                None => Claim::below(text, run.thickness(), CRISP),
                Some(bound) => Claim::above(text, run.thickness(), bound),
            });
        }
        claims
    }
}

/// Points drawn of each section.
const DRAWN: usize = 6000;
/// A crisp section is thinner than this; its curve measures one across.
const CRISP: f64 = 2e-4;

/// Rows of plots, one below the other.
fn stacked(rows: &[String], width: u32, height: u32) -> String {
    let total = height * rows.len() as u32;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{total}\" viewBox=\"0 0 {width} {total}\">"
    );
    for (i, row) in rows.iter().enumerate() {
        svg.push_str(&row.replacen("<svg", &format!("<svg y=\"{}\"", height * i as u32), 1));
    }
    svg.push_str("</svg>");
    svg
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sur04_figure_2_3_claims_hold_and_fail_for_exchanged_methods() {
        let sections = sections(Scale::Reduced, VI2, Method::RungeKutta4).unwrap();
        for claim in sections.claims() {
            assert!(claim.holds(), "{claim}");
        }
        let swapped = Sections { variational: sections.classical, classical: sections.variational };
        let failed = swapped.claims().iter().filter(|c| !c.holds()).count();
        assert!(failed >= 6, "{failed}");
    }
}
