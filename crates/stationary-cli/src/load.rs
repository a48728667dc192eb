//! From the words of the command line to a scenario: a file, or a name shipped with the program.

use std::path::Path;

use stationary::error::{Diagnostic, Error, near_miss};
use stationary::scenario::{Scenario, Template, shipped};

use crate::arguments;

/// Reads the scenario.
pub fn load(arguments: &arguments::Scenario) -> Result<Scenario, Error> {
    template(&arguments.scenario)?.read(&arguments.set)
}

/// The text of the scenario; a file wins over a shipped name.
pub fn template(name: &str) -> Result<Template, Error> {
    let path = Path::new(name);
    if path.exists() && !path.is_dir() {
        return Template::open(path);
    }
    match shipped::find(name) {
        Some(found) => Ok(Template::new(found.name, found.text)),
        None if path.is_dir() => Err(Diagnostic::new(format!("`{}` is a folder", path.display()))
            .help("expected a scenario file")
            .into()),
        None => Err(unknown(name).into()),
    }
}

fn unknown(name: &str) -> Diagnostic {
    let shipped: Vec<&str> = shipped::all().iter().map(|s| s.name).collect();
    let files = neighbours(Path::new(name));
    let candidates = shipped.iter().copied().chain(files.iter().map(String::as_str));
    let suggestion = near_miss(name, candidates).map_or(String::new(), |n| format!("did you mean `{n}`? "));
    Diagnostic::new(format!("there is no file and no shipped scenario `{name}`"))
        .help(format!("{suggestion}shipped scenarios: {}", shipped.join(", ")))
}

/// The scenario files in the folder the user looked in, spelt as the user would.
fn neighbours(path: &Path) -> Vec<String> {
    let parent = path.parent().unwrap_or(Path::new(""));
    let folder = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().take(1000);
    let mut names: Vec<String> = entries
        .map(|e| parent.join(e.file_name()).display().to_string())
        .filter(|n| n.ends_with(".toml"))
        .collect();
    names.sort();
    names
}
