//! The text of a scenario before it is read: with other overrides it is another scenario, as in a sweep.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Given, LONGEST, Scenario, not_utf8, shipped, too_long};
use stationary::error::{Diagnostic, Error, near_miss};
use stationary_report::files;

/// The text of a scenario, and where it came from.
#[derive(Debug, Clone)]
pub struct Template {
    name: String,
    text: String,
    folder: Option<PathBuf>,
    given: Given,
    /// What is replaced before all else.
    overrides: Vec<(String, String)>,
}

impl Template {
    /// A text under the name that messages give it.
    pub fn new(name: &str, text: &str) -> Self {
        Template {
            name: name.to_string(),
            text: text.to_string(),
            folder: None,
            given: Given::default(),
            overrides: Vec::new(),
        }
    }

    /// The same with keys that are replaced before all others.
    pub fn replacing(self, overrides: Vec<(String, String)>) -> Self {
        Template { overrides, ..self }
    }

    /// The same for a folder in which the files that it names are, and with arrays in place of files.
    pub fn within(self, folder: Option<PathBuf>, given: Given) -> Self {
        Template { folder, given, ..self }
    }

    /// The text of a file; of one that is too long only the beginning is read, and refused.
    pub fn open(path: &Path) -> Result<Self, Error> {
        let name = path.display().to_string();
        let bytes = files::read_text(path, LONGEST as u64).map_err(|e| match e.kind() {
            ErrorKind::FileTooLarge => {
                too_long(&name, path.metadata().ok().filter(|m| m.is_file()).map(|m| m.len())).into()
            }
            ErrorKind::InvalidInput => {
                let help = "expected a scenario file; a scenario from a pipe is read through /dev/stdin";
                Error::from(Diagnostic::new(format!("{name}: {e}")).help(help))
            }
            _ => Error::Io { path: name.clone(), message: e.to_string() },
        })?;
        let text = String::from_utf8(bytes).map_err(|error| not_utf8(&name, &error))?;
        Ok(Template::new(&name, &text).within(path.parent().map(Path::to_path_buf), Given::default()))
    }

    /// The scenario that a user names: a file, or one that is shipped; a file wins.
    pub fn find(name: &str) -> Result<Self, Error> {
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

    /// The name that messages give it: the file as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The scenario with some keys replaced, in order.
    ///
    /// ```
    /// use stationary_app::scenario::{Template, shipped};
    /// let pendulum = Template::new("pendulum", shipped::find("pendulum").unwrap().text);
    /// for length in ["0.5", "2"] {
    ///     let scenario = pendulum.read(&[("parameters.l".to_string(), length.to_string())])?;
    ///     assert_eq!(scenario.parameters[1], ("l".to_string(), length.parse().unwrap()));
    /// }
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn read(&self, overrides: &[(String, String)]) -> Result<Scenario, Error> {
        let overrides = [&self.overrides[..], overrides].concat();
        let (folder, given) = (self.folder.clone(), self.given.clone());
        Ok(Scenario { folder, given, ..Scenario::read(&self.name, &self.text, &overrides)? })
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
