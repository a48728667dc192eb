//! `stationary new`: a commented scenario to start from.

mod mesh;

use std::io::Write;
use std::path::{Path, PathBuf};

use stationary::error::{Diagnostic, Error, near_miss};

use crate::output::{say, table};
use crate::{Verdict, arguments};

/// A scenario to start from.
pub struct Kind {
    /// The name it is asked for by, and others.
    pub names: &'static [&'static str],
    /// What it shows.
    pub what: &'static str,
    text: &'static str,
}

macro_rules! kinds {
    ($($name:literal $(| $other:literal)*: $what:literal),* $(,)?) => {
        &[$(Kind {
            names: &[$name $(, $other)*],
            what: $what,
            text: include_str!(concat!("new/", $name, ".toml")),
        }),*]
    };
}

/// All kinds, simplest first.
pub const KINDS: &[Kind] = kinds!(
    "pendulum": "one coordinate and its Lagrangian",
    "orbit" | "kepler": "a planet: a symmetry, and a method of order 4",
    "lattice" | "chain": "a ring of masses: many coordinates by number, sums",
    "constraint" | "rods": "a double pendulum of rigid rods: constraints",
    "force" | "driven": "a driven pendulum with friction: forces and their work",
    "hamiltonian" | "section": "a star by its Hamiltonian, with a Poincare section",
    "collision" | "gap": "a bouncing ball: gaps and impacts",
    "bodies": "discs and squares that fall into a box and collide",
    "body" | "rigid-body" | "top": "a rigid body: a heavy top",
    "solid" | "beam": "an elastic beam on a mesh, written beside it",
);

/// The file of the schema that `--schema` writes.
const SCHEMA: &str = "scenario.schema.json";

/// Writes a scenario, or lists the kinds.
pub fn new(arguments: &arguments::New) -> Result<Verdict, Error> {
    let Some(name) = &arguments.kind else {
        let row = |k: &Kind| vec![k.names.join(", "), k.what.to_string()];
        let rows = table(&KINDS.iter().map(row).collect::<Vec<_>>());
        say(&format!("Kinds of scenarios\n{rows}\n\nWrite one: stationary new KIND [FILE]"));
        return Ok(Verdict::Done);
    };
    let kind = find(name)?;
    let file = path(kind, arguments.file.as_deref())?;
    let folder = file.parent().unwrap_or(Path::new(""));
    let mut text = kind.text.replace("FILE", &shown(&file)).replace("NAME", &stem(&file));
    let mut files: Vec<(PathBuf, Vec<u8>)> = Vec::new();
    if arguments.schema {
        text = format!("#:schema ./{SCHEMA}\n{text}");
        files.extend(schema(&folder.join(SCHEMA))?);
    }
    if kind.names[0] == "solid" {
        let mesh = file.with_extension("msh");
        text = text.replace("MESH", &shown(Path::new(mesh.file_name().unwrap_or_default())));
        files.push((mesh, mesh::beam().into_bytes()));
    }
    files.insert(0, (file.clone(), text.into_bytes()));
    write(&files)?;
    let names: Vec<String> = files.iter().map(|(path, _)| shown(path)).collect();
    say(&format!("Written: {}\nRun it:  stationary run {}", names.join(", "), shown(&file)));
    Ok(Verdict::Done)
}

fn find(name: &str) -> Result<&'static Kind, Error> {
    if let Some(kind) = KINDS.iter().find(|k| k.names.contains(&name)) {
        return Ok(kind);
    }
    let known = || KINDS.iter().flat_map(|k| k.names.iter().copied());
    let near = near_miss(name, known());
    let suggestion = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
    let all: Vec<&str> = KINDS.iter().map(|k| k.names[0]).collect();
    let help = format!("{suggestion}kinds: {}", all.join(", "));
    Err(Diagnostic::new(format!("there is no kind of scenario `{name}`")).help(help).into())
}

/// The file that is asked for, with the ending of scenarios if it has none.
fn path(kind: &Kind, file: Option<&Path>) -> Result<PathBuf, Error> {
    let mut path = file.map_or_else(|| PathBuf::from(kind.names[0]), Path::to_path_buf);
    if path.file_name().is_none() || path.is_dir() {
        let message = format!("`{}` is a folder", path.display());
        return Err(Diagnostic::new(message).help("expected the name of the file to write").into());
    }
    match path.extension() {
        None => _ = path.set_extension("toml"),
        Some(ending) if ending == "toml" => {}
        Some(_) => {
            let message = format!("`{}` does not end in .toml, as scenarios do", path.display());
            return Err(Diagnostic::new(message).into());
        }
    }
    Ok(path)
}

/// The schema beside the scenario, unless it is there already.
fn schema(path: &Path) -> Result<Option<(PathBuf, Vec<u8>)>, Error> {
    let text = crate::schema::text();
    match stationary_report::files::read(path, text.len() as u64) {
        Ok(found) if found == text.as_bytes() => Ok(None),
        _ => Ok(Some((path.to_path_buf(), text.into_bytes()))),
    }
}

/// Writes all files or none; a file that is there is never touched.
fn write(files: &[(PathBuf, Vec<u8>)]) -> Result<(), Error> {
    for (at, (path, bytes)) in files.iter().enumerate() {
        let made = std::fs::OpenOptions::new().write(true).create_new(true).open(path);
        let begun = made.is_ok();
        let written = made.and_then(|mut file| file.write_all(bytes));
        let Err(error) = written else { continue };
        for (ours, _) in &files[..at + usize::from(begun)] {
            // What was begun here would stand in the way of the next attempt; if it stays, so be it.
            let _ = std::fs::remove_file(ours);
        }
        return Err(refused(path, &error));
    }
    Ok(())
}

fn refused(path: &Path, error: &std::io::Error) -> Error {
    let name = shown(path);
    match error.kind() {
        std::io::ErrorKind::AlreadyExists => Diagnostic::new(format!("`{name}` is there already"))
            .help("nothing was written; give another name: stationary new KIND FILE")
            .into(),
        _ => Error::Io { path: name, message: error.to_string() },
    }
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}

fn stem(path: &Path) -> String {
    path.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned())
}
