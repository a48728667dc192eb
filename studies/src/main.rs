//! Runs the studies: `cargo run --release -p studies -- list`.

use std::path::PathBuf;
use std::process::ExitCode;
use studies::{STUDIES, Scale, Study};

const USAGE: &str = "usage: studies list | all [--full] | NAME... [--full]";

fn main() -> ExitCode {
    let mut scale = Scale::Reduced;
    let mut chosen: Vec<&Study> = Vec::new();
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--full" => scale = Scale::Full,
            "list" => {
                STUDIES.iter().for_each(|s| println!("{:<18} {}", s.name(), s.title));
                return ExitCode::SUCCESS;
            }
            "all" => chosen.extend(STUDIES),
            name => match STUDIES.iter().find(|s| s.name() == name) {
                Some(study) => chosen.push(study),
                None => {
                    let names: Vec<String> = STUDIES.iter().map(Study::name).collect();
                    eprintln!("there is no study `{name}`; there are: {}\n{USAGE}", names.join(", "));
                    return ExitCode::from(2);
                }
            },
        }
    }
    if chosen.is_empty() {
        eprintln!("{USAGE}");
        return ExitCode::from(2);
    }
    let mut good = true;
    for study in chosen {
        good &= run(study, scale).unwrap_or_else(|message| {
            eprintln!("{}: {message}", study.name());
            false
        });
    }
    if good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Runs one study, writes its plot beside the paper's page, and says whether all claims hold.
fn run(study: &Study, scale: Scale) -> Result<bool, String> {
    println!("{}: {} ({})", study.name(), study.title, scale.pick("reduced", "full"));
    let clock = std::time::Instant::now();
    let outcome = (study.run)(scale)?;
    outcome.table.iter().for_each(|line| println!("  {line}"));
    outcome.claims.iter().for_each(|claim| println!("  {claim}"));
    // Cargo names this crate's folder to what it runs; without cargo, stand at the root of the repository.
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(|| PathBuf::from("studies"), PathBuf::from);
    let file = format!("{}{}.svg", study.figure, scale.pick("-reduced", ""));
    std::fs::write(root.join(study.paper).join(&file), &outcome.plot)
        .map_err(|e| format!("studies/{}/{file}: {e}", study.paper))?;
    println!("  plot: studies/{}/{file}   ({:.1} s)\n", study.paper, clock.elapsed().as_secs_f64());
    Ok(outcome.claims.iter().all(|claim| claim.holds()))
}
