//! VTI04 Fig. 18: the balance of energy of one element of the third blade, which nothing enforces.

use super::blade::CASES;
use crate::{Claim, Outcome, Scale, series};
use stationary_report::plot::Plot;

/// What was measured.
#[derive(Debug, Clone)]
pub struct Local {
    /// The element, by its number in the mesh.
    pub element: u64,
    /// Times, energies, residuals of (97), and their sums so far.
    pub columns: [Vec<f64>; 4],
    /// Largest residual of any element relative to its energy; part of the elements below a thousandth.
    pub all: [f64; 2],
    /// Updates made.
    pub updates: u64,
}

impl Local {
    /// The paper's steps in case 3, up to a time.
    pub fn new(end: f64) -> Result<Local, String> {
        let case = CASES[2];
        let body = case.body()?;
        // "Chosen at random": the middle digits of a square.
        let cell = body.cells[(2004 * 2004 / 100) % body.cells.len()];
        let element = body.mesh.cells[cell.0 as usize].tags[cell.1 as usize];
        let more = [("local_energy.elements", format!("[{element}]")), ("output.rows", "1000".to_string())];
        let (outcome, recorded) = case.run_as_printed(end, &more)?;
        let column = |part: &str| recorded.column(&format!("element.{element}.{part}")).to_vec();
        let number = |path: &str| outcome.summary.pointer(path).and_then(|v| v.as_f64()).unwrap_or(f64::NAN);
        let columns =
            [recorded.column("t").to_vec(), column("energy"), column("residual"), column("accumulated")];
        // Nothing is known before the element's first event.
        let first = columns[1].iter().position(|e| *e != 0.0).unwrap_or(0);
        Ok(Local {
            element,
            columns: columns.map(|c| c[first..].to_vec()),
            all: ["/local_energy/worst", "/local_energy/fraction_below_0_1_percent"].map(number),
            updates: outcome.summary["moves"].as_u64().unwrap_or(0),
        })
    }

    /// The largest of a column relative to the element's energy at the time.
    fn relative(&self, column: usize) -> f64 {
        let ratios: Vec<f64> =
            self.columns[column].iter().zip(&self.columns[1]).map(|(r, e)| (r / e).abs()).collect();
        series::range(&ratios).1
    }
}

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let local = Local::new(scale.pick(1e-4, 0.02))?;
    let [t, energy, residual, sum] = &local.columns;
    let table = vec![
        format!("element {}, {} updates of all elements", local.element, local.updates),
        format!(
            "largest residual over the energy: {:.2e}; of their sum: {:.2e}",
            local.relative(2),
            local.relative(3)
        ),
        format!(
            "all elements: largest residual {:.2e}, below 0.1 %: {:.2} %",
            local.all[0],
            100.0 * local.all[1]
        ),
    ];
    let both = Plot::new(format!("Element {}, case 3", local.element))
        .x_label("t (s)")
        .y_label("J")
        .line("energy", t, energy)
        .line("residual of (97)", t, residual);
    let close =
        Plot::new("The residual alone").x_label("t (s)").y_label("J").line("residual of (97)", t, residual);
    let sums = Plot::new("Its sum over all events").x_label("t (s)").y_label("J").line("accumulated", t, sum);
    let plots = [both, close, sums].map(|p| p.to_svg(460, 400));
    Ok(Outcome { plot: crate::side_by_side(&plots, 460, 400), table, claims: claims(&local) })
}

fn claims(local: &Local) -> Vec<Claim> {
    vec![
        Claim::below("largest residual of the element over its energy", local.relative(2), 1e-4),
        Claim::below("sum of its residuals over its energy", local.relative(3), 0.01),
        Claim::below("largest residual of any element over its energy", local.all[0], 0.01),
        Claim::above("part of the elements that stay below 0.1 %", local.all[1], 0.98),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vti04_figure_18_claims_hold() {
        let mut local = Local::new(1e-4).unwrap();
        for claim in claims(&local) {
            assert!(claim.holds(), "{claim}");
        }
        // Some of the numbers are not nought: the balance is followed.
        assert!(local.relative(2) > 0.0 && local.relative(3) > 0.0);
        (local.columns[2][0], local.columns[3][3], local.all) = (f64::NAN, 1e9, [f64::NAN, 0.5]);
        assert!(claims(&local).iter().all(|claim| !claim.holds()));
    }
}
