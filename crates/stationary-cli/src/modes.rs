//! `stationary modes`: natural frequencies and mode shapes of a solid.

use std::f64::consts::TAU;
use std::path::PathBuf;
use std::rc::Rc;

use serde_json::json;
use stationary::error::Error;
use stationary::integrate::sparse::modes::{Mode, ModeKind};
use stationary::interrupt;
use stationary_app::run::{ModalOutcome, natural_modes};

use crate::output::{complain, number, say, table};
use crate::progress::{catch_interrupts, interrupted};
use crate::{Verdict, arguments, events, load};

/// Computes and writes the modes.
pub fn modes(arguments: &arguments::Modes) -> Result<Verdict, Error> {
    let scenario = load::load(&arguments.scenario)?;
    let default = || PathBuf::from("results").join(format!("{}-modes", scenario.name));
    let out = arguments.out.clone().unwrap_or_else(default);
    catch_interrupts();
    let outcome =
        interrupt::listen(Rc::new(interrupted), || natural_modes(&scenario, arguments.count, Some(&out)))?;
    let files: Vec<String> = outcome.files.iter().map(|f| f.display().to_string()).collect();
    if arguments.json {
        outcome.warnings.iter().for_each(|warning| events::warning(warning));
        events::write(&json!({
            "event": "done",
            "format": events::FORMAT,
            "command": "modes",
            "outcome": "finished",
            "exit": 0,
            "out": out.display().to_string(),
            "files": files,
            "summary": outcome.summary,
        }));
        return Ok(Verdict::Done);
    }
    outcome.notes.iter().for_each(|note| complain(&format!("note: {note}")));
    outcome.warnings.iter().for_each(|warning| complain(&format!("warning: {warning}")));
    if !arguments.quiet {
        let title = scenario.title.as_deref().unwrap_or(&scenario.name);
        let names: Vec<_> =
            outcome.files.iter().filter_map(|f| f.file_name()).map(|n| n.to_string_lossy()).collect();
        say(&format!(
            "{title}\n\nModes\n{}\n\n{}\n\nResults in {}: {}",
            table(&rows(&outcome)),
            check(&outcome),
            out.display(),
            names.join(", ")
        ));
    }
    Ok(Verdict::Done)
}

fn rows(outcome: &ModalOutcome) -> Vec<Vec<String>> {
    let heads = ["mode", "kind", "frequency", "angular frequency", "period", "mass x, y, z", "residual"]
        .map(String::from);
    let row = |(k, mode): (usize, &Mode)| {
        let vibrates = mode.kind == ModeKind::Vibration;
        let if_so = |x: f64| if vibrates { number(x) } else { "-".into() };
        let parts = ["x", "y", "z"].map(|axis| {
            let part = outcome.summary["mode"][(k + 1).to_string()]["mass_part"][axis].as_f64();
            part.map_or("-".to_string(), |part| format!("{:.1}", 100.0 * part))
        });
        vec![
            (k + 1).to_string(),
            mode.kind.name().into(),
            if_so(mode.angular_frequency() / TAU),
            if mode.kind == ModeKind::Unstable {
                format!("grows at {}", number(mode.growth_rate()))
            } else {
                if_so(mode.angular_frequency())
            },
            if_so(TAU / mode.angular_frequency()),
            format!("{} %", parts.join(" ")),
            format!("{:.1e}", mode.residual),
        ]
    };
    std::iter::once(heads.to_vec()).chain(outcome.modes.modes.iter().enumerate().map(row)).collect()
}

/// Why the table can be trusted.
fn check(outcome: &ModalOutcome) -> String {
    let found = &outcome.modes;
    let counted = match found.count_check {
        Some(check) if check.there == check.found => {
            format!(
                "; no other is below {}: counted by the signs of {} pivots",
                number(check.below),
                found.unknowns
            )
        }
        _ => String::new(),
    };
    format!("{} unknowns; orthogonal to {:.1e}{counted}", found.unknowns, found.orthogonality)
}
