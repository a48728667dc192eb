//! Input files: the one place where they are opened and read.
//!
//! A named pipe blocks whoever opens it, a device may never end, and a sparse file may be longer than the memory. So an input is a
//! regular file of bounded length: its kind is looked at before it is opened, its length before it is read. A *text* may also come
//! through a descriptor that the process has already (`/dev/stdin`, or what a shell makes of `<(command)`), up to its bound.

use stationary::error::Error;
use stationary::mesh::Mesh;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The largest mesh file: room for the fifty million elements that a body may have, written as text.
pub const LONGEST_MESH: u64 = 16 << 30;

/// The largest file of results that a resumed run reads as a whole: its checkpoint, its tables, the journal of a sweep.
pub const LONGEST_RESULT: u64 = 16 << 30;

/// Opens a regular file; symbolic links are followed. Whatever else has the name is refused before it is opened.
pub fn open(path: &Path) -> io::Result<File> {
    regular(&path.metadata()?)?;
    let file = File::open(path)?;
    // It may have been replaced in between.
    regular(&file.metadata()?)?;
    Ok(file)
}

/// Reads a regular file of at most `most` bytes.
///
/// ```
/// use std::path::Path;
/// let error = stationary_report::files::read(Path::new("/"), 100).unwrap_err();
/// assert_eq!(error.to_string(), "this is a folder; expected a regular file");
/// ```
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let length = file.metadata()?.len();
    if length > most {
        return Err(too_long(Some(length), most));
    }
    bounded(file, length, most)
}

/// Reads and checks a mesh in a regular file.
///
/// ```
/// let error = stationary_report::files::read_mesh("no/such/mesh.msh").unwrap_err().to_string();
/// assert!(error.starts_with("no/such/mesh.msh: "));
/// ```
pub fn read_mesh(path: impl AsRef<Path>) -> Result<Mesh, Error> {
    let path = path.as_ref();
    let name = path.display().to_string();
    match read(path, LONGEST_MESH) {
        Ok(bytes) => Mesh::read(&name, &bytes),
        Err(e) => Err(Error::Io { path: name, message: e.to_string() }),
    }
}

/// Reads a regular file, or what comes through an open descriptor of this process, of at most `most` bytes.
pub fn read_text(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    if is_own_descriptor(path) && !path.metadata()?.is_file() {
        return bounded(File::open(path)?, 0, most);
    }
    read(path, most)
}

/// Whether a path names a descriptor that the process was given: opening it waits for nobody.
fn is_own_descriptor(path: &Path) -> bool {
    let parent = path.parent().unwrap_or(Path::new(""));
    path == Path::new("/dev/stdin") || ["/dev/fd", "/proc/self/fd"].iter().any(|own| parent == Path::new(own))
}

fn bounded(file: File, expected: u64, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    if bytes.try_reserve_exact(expected as usize).is_err() {
        return Err(io::Error::new(ErrorKind::OutOfMemory, format!("no memory for its {expected} bytes")));
    }
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(too_long(None, most));
    }
    Ok(bytes)
}

fn too_long(length: Option<u64>, most: u64) -> io::Error {
    let length = length.map_or(format!("more than {most}"), |length| length.to_string());
    io::Error::new(ErrorKind::FileTooLarge, format!("it is {length} bytes long, at most {most} are read"))
}

/// Refuses all but regular files, and says what it is.
pub fn regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = kind(metadata);
    Err(io::Error::new(ErrorKind::InvalidInput, format!("this is {what}; expected a regular file")))
}

#[cfg(unix)]
fn kind(metadata: &Metadata) -> &'static str {
    use std::os::unix::fs::FileTypeExt;
    let kind = metadata.file_type();
    match kind {
        _ if kind.is_dir() => "a folder",
        _ if kind.is_fifo() => "a named pipe",
        _ if kind.is_socket() => "a socket",
        _ if kind.is_char_device() || kind.is_block_device() => "a device",
        _ => "a special file",
    }
}

#[cfg(not(unix))]
fn kind(metadata: &Metadata) -> &'static str {
    if metadata.is_dir() { "a folder" } else { "a special file" }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_bound_are_read_and_longer_ones_are_not() {
        let path = std::env::temp_dir().join(format!("stationary-files-{}", std::process::id()));
        std::fs::write(&path, b"12345").unwrap();
        assert_eq!(read(&path, 5).unwrap(), b"12345");
        let error = read(&path, 4).unwrap_err();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(
            (error.kind(), error.to_string().contains("at most 4 are read")),
            (ErrorKind::FileTooLarge, true)
        );
        assert_eq!(read(&path, 5).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_folders_are_no_input_files() {
        for (path, what) in [("/dev/zero", "a device"), ("/dev/null", "a device"), ("/dev", "a folder")] {
            for error in [read(Path::new(path), 1000), read_text(Path::new(path), 1000)] {
                let message = error.unwrap_err().to_string();
                assert!(message.contains(what) && message.contains("expected a regular file"), "{message}");
            }
        }
    }
}
