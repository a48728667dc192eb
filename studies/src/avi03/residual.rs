//! The balance of energy of an element over time: what AVI03 Fig. 10 and 14 share.

use crate::Claim;
use crate::solids::{Body, Clock, Trace, trace};
use stationary_report::plot::Plot;

/// A run whose elements are looked at.
pub(super) struct Watched {
    pub body: Body,
    /// The element; its number is half the number of elements, chosen before anything was run.
    pub element: usize,
    pub fraction: f64,
    pub end: f64,
    /// What comes before is not held to the bound.
    pub transient: f64,
}

impl Watched {
    pub fn new(body: Body, fraction: f64, end: f64, transient: f64) -> Self {
        let element = body.problem.solid().elements() / 2;
        Watched { body, element, fraction, end, transient }
    }

    pub fn trace(&self) -> Result<Trace, String> {
        let mut run = self.body.start(Clock::Own, self.fraction)?;
        trace(&mut run, self.element, self.end, self.transient)
    }

    /// The numbers behind the figure.
    pub fn table(&self, trace: &Trace) -> Vec<String> {
        let mut all = trace.all.clone();
        all.sort_by(f64::total_cmp);
        let at = |part: f64| all[((all.len() - 1) as f64 * part) as usize];
        vec![
            format!("f = {}, element {}, {} events", self.fraction, self.element, trace.t.len()),
            format!(
                "largest accumulated residual over energy, after the transient: {:.3e}",
                trace.worst_after(self.transient)
            ),
            format!("the same from the start: {:.3e}", trace.worst_after(0.0)),
            format!(
                "of all elements, after the transient: median {:.3e}, nine tenths below {:.3e}, largest {:.3e}",
                at(0.5),
                at(0.9),
                at(1.0)
            ),
        ]
    }

    /// Residuals at each event and their sum, over the element's energy at the time.
    pub fn plot(&self, trace: &Trace, title: &str) -> String {
        let ms: Vec<f64> = trace.t.iter().map(|t| 1e3 * t).collect();
        let relative =
            |values: &[f64]| values.iter().zip(&trace.energy).map(|(r, e)| 100.0 * r / e).collect::<Vec<_>>();
        let plot = Plot::new(title).x_label("time (ms)").y_label("part of the element's energy (%)");
        let plot = plot.line("accumulated", &ms, &relative(&trace.accumulated));
        plot.line("instantaneous", &ms, &relative(&trace.residual)).to_svg(720, 400)
    }
}

/// The residual of one event is of second order in the step; what adds up is `dt/2` times the change of the power that
/// the element takes in: of first order, and bounded.
pub(super) fn order(coarse: (f64, f64), fine: (f64, f64)) -> Claim {
    let order = (coarse.1 / fine.1).ln() / (coarse.0 / fine.0).ln();
    Claim::between("order of the accumulated residual in the step", order, 0.7, 2.2)
}
