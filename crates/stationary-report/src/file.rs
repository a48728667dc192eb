//! Files replaced in one step: a reader, or a run that starts after a crash, sees the old or the new one, never half.

use crate::failpoint::{Operation, around, around_write};
use stationary::error::Error;
use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// A file of results. Tests may break a run at each of its operations, see [`crate::failpoint`].
#[derive(Debug)]
pub struct OutputFile(File);

impl OutputFile {
    /// A file that is open.
    pub fn new(file: File) -> Self {
        OutputFile(file)
    }

    /// Brings content and length to the disk.
    pub fn sync(&self) -> io::Result<()> {
        around(Operation::Sync, || self.0.sync_all())
    }

    /// Cuts the file off after so many bytes; what is written next follows them.
    pub fn cut(&mut self, bytes: u64) -> io::Result<()> {
        around(Operation::Truncate, || self.0.set_len(bytes))?;
        self.0.seek(SeekFrom::Start(bytes)).map(|_| ())
    }
}

impl Write for OutputFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        around_write(bytes, |bytes| self.0.write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Read for OutputFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

/// Replaces a file by a new text in one step: readers see the old or the new one, never half.
pub fn write_whole(path: &Path, text: &str) -> Result<(), Error> {
    replace(path, |file| file.write_all(text.as_bytes()))
}

/// Replaces a file by what `write` writes, in one step, and lasting: both the new file and its name are on the disk
/// when this returns. When anything fails the old file stays as it was.
pub fn replace(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<OutputFile>) -> io::Result<()>,
) -> Result<(), Error> {
    let partial = path.with_extension("partial");
    let fill = |file: OutputFile| {
        let mut file = BufWriter::with_capacity(1 << 16, file);
        write(&mut file)?;
        file.into_inner().map_err(io::IntoInnerError::into_error)?.sync()?;
        around(Operation::Rename, || std::fs::rename(&partial, path))?;
        sync_folder(path)
    };
    let created = create(&partial).map_err(|e| io(path, &e))?;
    fill(created).map_err(|e| {
        // The first fault is the one to report; what is left over is overwritten by the next try.
        let _ = std::fs::remove_file(&partial);
        io(path, &e)
    })
}

/// Creates a file anew. What has its name, a link to elsewhere too, is removed and not written to.
pub(crate) fn create(path: &Path) -> io::Result<OutputFile> {
    remove(path)?;
    OpenOptions::new().read(true).write(true).create_new(true).open(path).map(OutputFile)
}

/// Removes a file, or a link, that may be there.
pub(crate) fn remove(path: &Path) -> io::Result<()> {
    let missing = |e: &io::Error| e.kind() == io::ErrorKind::NotFound;
    if path.symlink_metadata().is_err_and(|e| missing(&e)) {
        return Ok(());
    }
    match around(Operation::Remove, || std::fs::remove_file(path)) {
        Err(e) if !missing(&e) => Err(e),
        _ => Ok(()),
    }
}

/// Opens a file of ours to go on with it: no link, which would lead to another file.
pub(crate) fn reopen(path: &Path) -> io::Result<OutputFile> {
    if !std::fs::symlink_metadata(path)?.is_file() {
        return Err(io::Error::other("expected a file, not a link or a folder"));
    }
    OpenOptions::new().read(true).write(true).open(path).map(OutputFile)
}

/// A rename lasts once the folder is on the disk. Elsewhere than on Unix folders cannot be opened.
pub(crate) fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if cfg!(unix) { around(Operation::Sync, || File::open(folder)?.sync_all()) } else { Ok(()) }
}

/// An error about a file; where there is no room for it, also what to do.
pub fn io(path: &Path, error: &io::Error) -> Error {
    use io::ErrorKind::{FileTooLarge, QuotaExceeded, StorageFull};
    let remedy = match error.kind() {
        StorageFull | QuotaExceeded | FileTooLarge => {
            ": free some space, then the same command with --resume goes on"
        }
        _ => "",
    };
    Error::Io { path: path.display().to_string(), message: format!("{error}{remedy}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Scratch;

    #[test]
    fn a_write_that_fails_leaves_the_old_file_and_nothing_else() {
        let scratch = Scratch::new("replace");
        let path = scratch.0.join("a.txt");
        write_whole(&path, "old").unwrap();
        let broken = replace(&path, |file| {
            // More than any buffer holds, so that half of the new file is on the disk when it fails.
            file.write_all(&[b'x'; 300_000])?;
            Err(io::Error::other("the disk is full"))
        });
        let message = broken.unwrap_err().to_string();
        assert!(message.ends_with("a.txt: the disk is full"), "{message}");
        assert_eq!(scratch.files(), [("a.txt".to_string(), b"old".to_vec())]);
        write_whole(&path, "new").unwrap();
        assert_eq!(scratch.files(), [("a.txt".to_string(), b"new".to_vec())]);
    }

    #[test]
    fn a_file_that_cannot_be_begun_leaves_the_old_one() {
        let scratch = Scratch::new("begun");
        let path = scratch.0.join("a.txt");
        write_whole(&path, "old").unwrap();
        std::fs::create_dir(scratch.0.join("a.partial")).unwrap();
        assert!(write_whole(&path, "new").is_err());
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
    }
}
