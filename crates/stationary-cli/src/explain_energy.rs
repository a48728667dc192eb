//! `stationary explain-energy`: the energy that a variational run follows, and how well.

use stationary::error::Error;
use stationary_app::run::{EnergyReport, EnergyRow};

use crate::output::{number, say, table};
use crate::{Verdict, arguments, load};

/// Runs a scenario twice and tells of its modified energy.
pub fn explain_energy(arguments: &arguments::Scenario) -> Result<Verdict, Error> {
    let scenario = load::load(arguments)?;
    let report = stationary_app::run::explain_energy(&scenario)?;
    say(&text(scenario.title.as_deref().unwrap_or(&scenario.name), &report));
    Ok(Verdict::Done)
}

fn text(title: &str, report: &EnergyReport) -> String {
    let EnergyReport { method, order, steps, counts, scale, terms, notes, rows } = report;
    let mut text = format!(
        "{title}\n{method}, order {order}; h = {} ({} steps) and h/2 = {} ({} steps)\n\n\
         The steps follow, almost exactly, the motion of a nearby energy H~   [VTI04 3.5]\n  H~ = {}",
        steps[0],
        counts[0],
        steps[1],
        counts[1],
        series(report)
    );
    if !terms.is_empty() {
        let row = |t: &stationary_app::run::EnergyTerm| {
            vec![format!("{} = {}", t.name, t.formula), format!("{:.6e} at the start", t.at_start)]
        };
        text.push_str(&format!("\n\nTerms\n{}", table(&terms.iter().map(row).collect::<Vec<_>>())));
    }
    for note in notes {
        text.push_str(&format!("\n  {note}"));
    }
    let head = ["energy", "at h", "at h/2", "order"].map(String::from).to_vec();
    let row = |r: &EnergyRow| {
        let order = r.order().map_or("rounding".to_string(), |x| format!("{x:.2}"));
        vec![r.what.clone(), format!("{:.3e}", r.varies[0]), format!("{:.3e}", r.varies[1]), order]
    };
    let all: Vec<_> = std::iter::once(head).chain(rows.iter().map(row)).collect();
    let scale = number(*scale);
    text.push_str(&format!("\n\nHow much each varies over the run, relative to {scale}\n{}", table(&all)));
    text
}

/// The beginning of the series, as far as it is known.
fn series(report: &EnergyReport) -> String {
    let kicked = report.rows.iter().any(|r| r.what.ends_with("kicked"));
    match report.terms.len() {
        _ if kicked => "(H + h^2 H_2 + h^4 H_4 + ...) after a kick".into(),
        0 => format!("H + h^{} (...) + ...", report.order),
        1 => "H + h^2 H_2 + ...".into(),
        _ => "H + h^2 H_2 + h^4 H_4 + ...".into(),
    }
}
