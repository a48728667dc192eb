//! The folder that the results of a run go into. A run may also be made for its summary alone: it then has none.

use super::checkpoint::CHECKPOINT;
use super::file::{io, write_whole};
use super::series::Series;
use crate::error::Error;
use std::path::{Path, PathBuf};

/// A folder for results, or none: what is written into none is gone.
#[derive(Debug, Clone)]
pub struct Folder(Option<PathBuf>);

impl Folder {
    /// The folder at this path; it need not exist yet.
    pub fn at(path: &Path) -> Self {
        Folder(Some(path.to_path_buf()))
    }

    /// No folder.
    pub fn none() -> Self {
        Folder(None)
    }

    /// Where it is, if anywhere.
    pub fn path(&self) -> Option<&Path> {
        self.0.as_deref()
    }

    /// Makes the folder, and removes what an earlier run, of whatever kind, left there: it must not stand beside the results
    /// of this one.
    pub fn begin(&self) -> Result<(), Error> {
        self.begin_without(&["summary.json", "report.html", "sections.csv", "impacts.csv", CHECKPOINT])
    }

    /// Makes the folder, and removes these files of it.
    pub fn begin_without(&self, stale: &[&str]) -> Result<(), Error> {
        let Some(path) = self.path() else { return Ok(()) };
        std::fs::create_dir_all(path).map_err(|e| io(path, &e))?;
        self.remove(stale)
    }

    /// Removes files that may be there.
    pub fn remove(&self, names: &[&str]) -> Result<(), Error> {
        for file in names.iter().filter_map(|name| self.file(name)) {
            match std::fs::remove_file(&file) {
                Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(io(&file, &e)),
                _ => {}
            }
        }
        Ok(())
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.path().map(|path| path.join(name))
    }

    /// Begins `series.csv`; see [`Series::create`].
    pub fn series(&self, state: Vec<String>, observed: Vec<String>) -> Result<Series, Error> {
        self.table("series.csv", state, observed)
    }

    /// Begins another table like it.
    pub fn table(&self, name: &str, state: Vec<String>, observed: Vec<String>) -> Result<Series, Error> {
        match self.file(name) {
            Some(file) => Series::create(&file, state, observed),
            None => Ok(Series::unwritten(state, observed)),
        }
    }

    /// Replaces a file of it by a new text in one step.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        self.file(name).map_or(Ok(()), |file| write_whole(&file, text))
    }
}
