//! The mesh of a solid: from its file, or as it was given.

use crate::scenario::{Scenario, SolidSystem, Text, shipped};
use stationary::error::{Diagnostic, Error, near_miss};
use stationary::interrupt;
use stationary::mesh::{Group, Mesh};
use stationary_report::checkpoint::identity;
use stationary_report::files;
use std::path::Path;

/// More elements than this are refused: a body of them needs more memory than most computers have.
const MOST_ELEMENTS: u64 = 50_000_000;

/// The file of the mesh beside the scenario, or else the shipped one of this name; of a mesh that was given all that decides.
pub(super) fn mesh_bytes(scenario: &Scenario, system: &SolidSystem) -> Result<Vec<u8>, Error> {
    if let Some(mesh) = &scenario.given.mesh {
        return Ok(mesh.to_bytes());
    }
    let file = &system.mesh.file;
    let path = scenario.folder.as_deref().map(|f| f.join(&file.text));
    let read = path.as_ref().map(|path| files::read(path, files::LONGEST_MESH));
    match (read, shipped::mesh(&file.text)) {
        (Some(Ok(bytes)), _) => Ok(bytes),
        (Some(Err(e)), shipped) if e.kind() != std::io::ErrorKind::NotFound || shipped.is_none() => {
            Err(unreadable(file, path.as_deref(), &e).into())
        }
        (_, Some(bytes)) => Ok(bytes.to_vec()),
        (_, None) => {
            let help = format!("meshes shipped with the program: {}", shipped::meshes().join(", "));
            Err(file.error(format!("there is no mesh `{}`", file.text)).help(help).into())
        }
    }
}

/// The path of a mesh in messages, as the user would type it: from the folder in which the scenario was called by its path. An absolute
/// folder may be one that the user never typed.
fn name_of(scenario: &Scenario, file: &str) -> String {
    let folder = scenario.folder.as_deref().filter(|folder| folder.is_relative());
    let path = folder.map(|folder| folder.join(file)).filter(|path| path.exists());
    path.map_or(file.to_string(), |path| path.display().to_string())
}

/// The mesh of a scenario, and a number for its bytes.
pub(super) fn mesh(scenario: &Scenario, system: &SolidSystem) -> Result<(Mesh, u64), Error> {
    let file = &system.mesh.file;
    let bytes = mesh_bytes(scenario, system)?;
    let number = identity(&[&bytes]);
    let mut mesh = match &scenario.given.mesh {
        Some(mesh) => {
            // Its fields are open to everybody.
            mesh.validate()?;
            Mesh::clone(mesh)
        }
        None => Mesh::read(&name_of(scenario, &file.text), &bytes)?,
    };
    drop(bytes);
    mesh.points.as_flattened_mut().iter_mut().for_each(|x| *x *= system.mesh.scale);
    let (times, count) = (system.mesh.refine, mesh.refined_count(system.mesh.refine));
    if times > 0 && count > MOST_ELEMENTS {
        let message = format!("refined {times} times, the mesh `{}` has {count} elements", file.text);
        return Err(file.error(message).help(format!("expected at most {MOST_ELEMENTS}")).into());
    }
    for _ in 0..times {
        mesh = mesh.refined();
        interrupt::check()?;
    }
    Ok((mesh, number))
}

/// A mesh that is not there, with the name that is nearest among the files beside it and those shipped.
fn unreadable(file: &Text, path: Option<&Path>, e: &std::io::Error) -> Diagnostic {
    if e.kind() != std::io::ErrorKind::NotFound {
        return file.error(format!("the mesh `{}` cannot be read: {e}", file.text));
    }
    let folder = path.and_then(Path::parent).filter(|f| !f.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let name = path.and_then(Path::file_name).map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut beside: Vec<String> = files.map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    beside.sort();
    let near = near_miss(&name, beside.iter().map(String::as_str));
    let help = match near {
        Some(near) => format!("did you mean `{near}`? the path is relative to the folder of the scenario"),
        None => "the path is relative to the folder of the scenario".to_string(),
    };
    file.error(format!("there is no mesh `{}`", file.text)).help(help)
}

/// The numbers of the nodes in the file; none where they are counted from 1 in the order of the file.
pub(super) fn node_numbers(mesh: &Mesh, places: Option<&[u32]>) -> Option<Vec<u64>> {
    let place = |a: usize| places.map_or(a, |places| places[a] as usize);
    let counted = |(a, tag): (usize, &u64)| *tag == place(a) as u64 + 1;
    (!mesh.point_tags.iter().enumerate().all(counted)).then(|| mesh.point_tags.clone())
}

/// The group a scenario names, or an error that points at the name.
pub(super) fn group<'a>(mesh: &'a Mesh, name: &Text) -> Result<&'a Group, Error> {
    mesh.group(&name.text).map_err(|e| match e {
        Error::Input(d) => {
            let error = name.error(d.message);
            d.help.map_or(error.clone(), |help| error.help(help)).into()
        }
        other => other,
    })
}
