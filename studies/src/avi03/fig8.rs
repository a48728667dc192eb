//! AVI03 Fig. 8: how often each element of the block is updated.

use crate::solids::{Body, Clock, FRACTION, fault, shrunk_triangle, updates};
use crate::{Claim, Outcome, Scale};
use stationary_report::plot::Plot;

/// Width of a class of log10 of the updates.
const CLASS: f64 = 0.25;

/// Runs the study.
pub fn run(scale: Scale) -> Result<Outcome, String> {
    let body = Body::block()?;
    let mut avi = body.start(Clock::Own, FRACTION)?;
    avi.advance(scale.pick(1e-4, 1e-2)).map_err(|e| fault(&e))?;
    let logs: Vec<f64> = avi.events().iter().map(|n| (*n as f64).log10()).collect();
    let [least, most, _] = updates(&avi);
    let first = (least.log10() / CLASS).floor() as i32;
    let last = (most.log10() / CLASS).floor() as i32;
    let mut plot = Plot::new("log10 of the updates of each element").x_label("m").y_label("m").equal_aspect();
    let mut table = vec!["log10 of updates, elements:".to_string()];
    for class in (first..=last).rev() {
        let own: Vec<usize> =
            (0..logs.len()).filter(|k| (logs[*k] / CLASS).floor() as i32 == class).collect();
        let name = format!("{:.2} to {:.2}", f64::from(class) * CLASS, f64::from(class + 1) * CLASS);
        table.push(format!("{name}  {}", own.len()));
        for k in own {
            let [x, y] = shrunk_triangle(&body.problem, k);
            plot = plot.line(name.as_str(), &x, &y);
        }
    }
    table.push(format!(
        "smallest and largest: {:.3} and {:.3}   printed 4.631 and 6.138",
        least.log10(),
        most.log10()
    ));
    let area: Vec<f64> = (0..logs.len())
        .map(|k| {
            let (block, j) = body.problem.solid().locate(k);
            block.volume(j)
        })
        .collect();
    Ok(Outcome { plot: plot.to_svg(720, 760), table, claims: claims(&area, &logs) })
}

fn claims(area: &[f64], logs: &[f64]) -> Vec<Claim> {
    let mut order: Vec<usize> = (0..area.len()).collect();
    order.sort_by(|a, b| area[*a].total_cmp(&area[*b]));
    let tenth = order.len() / 10;
    let mean = |part: &[usize]| part.iter().map(|k| logs[*k]).sum::<f64>() / part.len() as f64;
    let gap = mean(&order[..tenth]) - mean(&order[order.len() - tenth..]);
    let (low, high) = crate::series::range(logs);
    vec![
        Claim::above("mean log10 of updates, smallest tenth of the elements less largest tenth", gap, 0.5),
        Claim::between("spread of log10 of updates (printed 1.507)", high - low, 1.4, 1.6),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn avi03_figure_8_claims_hold() {
        for claim in run(Scale::Reduced).unwrap().claims {
            assert!(claim.holds(), "{claim}");
        }
        // All alike, as at one step; and turned round.
        let area: Vec<f64> = (1..=100).map(f64::from).collect();
        assert!(claims(&area, &[5.0; 100]).iter().all(|c| !c.holds()));
        let wrong: Vec<f64> = area.iter().map(|a| 4.0 + 0.015 * a).collect();
        assert!(!claims(&area, &wrong)[0].holds());
    }
}
