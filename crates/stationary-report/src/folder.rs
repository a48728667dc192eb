//! The folder that the results of a run go into. A run may also be made for its summary alone: it then has none.

use super::checkpoint::{CHECKPOINT, Checkpoint};
use super::events::Events;
use super::file::{io, remove, sync_folder, write_whole};
use super::series::Series;
use crate::failpoint::{Operation, around};
use stationary::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What runs leave beside `series.csv`, frames and checkpoint.
const RESULTS: [&str; 6] =
    ["summary.json", "report.html", "sections.csv", "impacts.csv", "series.parquet", "modes.csv"];

/// A folder for results, or none: results written into none are lost unless they are held in memory.
#[derive(Debug, Clone)]
pub struct Folder {
    path: Option<PathBuf>,
    /// While somebody has it, no other run goes into the folder.
    lock: Option<Arc<File>>,
    /// Whether results are held in memory, too.
    in_memory: bool,
}

impl Folder {
    /// The folder at this path; it need not exist yet.
    pub fn at(path: &Path) -> Self {
        Folder { path: Some(path.to_path_buf()), lock: None, in_memory: false }
    }

    /// No folder.
    pub fn none() -> Self {
        Folder { path: None, lock: None, in_memory: false }
    }

    /// The same, and results written into it are also held in memory, see [`InMemoryResults`](super::InMemoryResults).
    pub fn in_memory(self) -> Self {
        Folder { in_memory: true, ..self }
    }

    /// Whether results are held in memory.
    pub fn keeps(&self) -> bool {
        self.in_memory
    }

    /// Whether anybody will see plots and pictures.
    pub fn shows(&self) -> bool {
        self.in_memory || self.path.is_some()
    }

    /// Where it is, if anywhere.
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// Makes the folder, and keeps other runs out of it for as long as this, or a copy of it, lives; the system ends that with the
    /// program, however it ends. Where folders cannot be locked, no other program is excluded.
    pub fn enter(&mut self) -> Result<(), Error> {
        let Some(path) = self.path.clone() else { return Ok(()) };
        std::fs::create_dir_all(&path).map_err(|e| io(&path, &e))?;
        if !cfg!(unix) || self.lock.is_some() {
            return Ok(());
        }
        let folder = File::open(&path).map_err(|e| io(&path, &e))?;
        if let Err(std::fs::TryLockError::WouldBlock) = folder.try_lock() {
            let message =
                "another run is writing into this folder: wait for it, or choose another with --out";
            return Err(Error::Io { path: path.display().to_string(), message: message.into() });
        }
        self.lock = Some(Arc::new(folder));
        Ok(())
    }

    /// Makes the folder, and removes what an earlier run, of whatever kind, left there: it must not stand beside the results
    /// of this one. All that is gone for good before anything that it tells of is touched.
    pub fn begin(&mut self) -> Result<(), Error> {
        self.enter()?;
        self.remove(&[CHECKPOINT])?;
        self.remove(&RESULTS)?;
        self.tidy()?;
        self.sync()
    }

    /// Makes the folder, and removes these files of it.
    pub fn begin_without(&mut self, stale: &[&str]) -> Result<(), Error> {
        self.enter()?;
        self.remove(stale)
    }

    /// Brings what was removed and renamed in it to the disk.
    fn sync(&self) -> Result<(), Error> {
        match self.file(CHECKPOINT) {
            Some(file) => sync_folder(&file).map_err(|e| io(&file, &e)),
            None => Ok(()),
        }
    }

    /// Removes what a killed run left half written.
    pub fn tidy(&self) -> Result<(), Error> {
        self.remove(
            &["checkpoint", "summary", "report", "series", "frames"].map(|name| format!("{name}.partial")),
        )
    }

    /// Removes files that may be there.
    pub fn remove(&self, names: &[impl AsRef<str>]) -> Result<(), Error> {
        for file in names.iter().filter_map(|name| self.file(name.as_ref())) {
            remove(&file).map_err(|e| io(&file, &e))?;
        }
        Ok(())
    }

    /// Brings a file of it to the disk.
    pub fn sync_file(&self, file: &Path) -> Result<(), Error> {
        around(Operation::Sync, || File::open(file)?.sync_all()).map_err(|e| io(file, &e))
    }

    /// The path of a file in it.
    pub fn file(&self, name: &str) -> Option<PathBuf> {
        self.path().map(|path| path.join(name))
    }

    /// Begins `series.csv`, or goes on with it from a checkpoint; see [`Series::create`] and [`Series::resume`].
    pub fn series(
        &self,
        columns: (Vec<String>, Vec<String>),
        from: Option<&Checkpoint>,
    ) -> Result<Series, Error> {
        self.table("series.csv", columns, from)
    }

    /// Another table like it.
    pub fn table(
        &self,
        name: &str,
        (state, observed): (Vec<String>, Vec<String>),
        from: Option<&Checkpoint>,
    ) -> Result<Series, Error> {
        let series = match (self.file(name), from) {
            (Some(file), None) => Series::create(&file, state, observed)?,
            (Some(file), Some(checkpoint)) => Series::resume(&file, state, observed, checkpoint)?,
            (None, _) => Series::unwritten(state, observed),
        };
        if self.in_memory { series.in_memory() } else { Ok(series) }
    }

    /// Begins a table of things that happen now and then, or goes on with it.
    pub fn events(&self, name: &str, columns: &[&str], from: Option<&Checkpoint>) -> Result<Events, Error> {
        let events = match (self.file(name), from) {
            (Some(file), Some(checkpoint)) => Events::resume(&file, columns, checkpoint)?,
            (file, _) => Events::create(file.as_deref(), columns)?,
        };
        if self.in_memory { events.in_memory(columns) } else { Ok(events) }
    }

    /// Replaces a file of it by a new text in one step.
    pub fn write(&self, name: &str, text: &str) -> Result<(), Error> {
        self.file(name).map_or(Ok(()), |file| write_whole(&file, text))
    }
}
