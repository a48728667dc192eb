//! One small mesh in every format, what is wrong with broken ones, and bytes at random.

mod arrays;
mod bombs;
mod broken;
mod cells;
mod formats;
mod geometry;
mod orient;
mod programs;
mod random;
mod refine;
mod surfaces;
mod survey;

use super::Mesh;

/// The mesh of `tests/meshes/make.py` in all its forms.
pub(super) const FILES: [(&str, &[u8]); 13] = [
    ("4.1.msh", include_bytes!("../../../tests/meshes/4.1.msh")),
    ("4.1-little.msh", include_bytes!("../../../tests/meshes/4.1-little.msh")),
    ("4.1-big.msh", include_bytes!("../../../tests/meshes/4.1-big.msh")),
    ("2.2.msh", include_bytes!("../../../tests/meshes/2.2.msh")),
    ("2.2-little.msh", include_bytes!("../../../tests/meshes/2.2-little.msh")),
    ("2.2-big.msh", include_bytes!("../../../tests/meshes/2.2-big.msh")),
    ("text.vtu", include_bytes!("../../../tests/meshes/text.vtu")),
    ("base64.vtu", include_bytes!("../../../tests/meshes/base64.vtu")),
    ("base64-big-zlib.vtu", include_bytes!("../../../tests/meshes/base64-big-zlib.vtu")),
    ("appended-raw.vtu", include_bytes!("../../../tests/meshes/appended-raw.vtu")),
    ("appended-raw-zlib.vtu", include_bytes!("../../../tests/meshes/appended-raw-zlib.vtu")),
    ("appended-base64.vtu", include_bytes!("../../../tests/meshes/appended-base64.vtu")),
    ("flat.inp", include_bytes!("../../../tests/meshes/flat.inp")),
];

pub(super) fn file(name: &str) -> &'static [u8] {
    FILES.iter().find(|(n, _)| *n == name).unwrap().1
}

pub(super) fn text(name: &str) -> String {
    String::from_utf8(file(name).to_vec()).unwrap()
}

pub(super) fn mesh(name: &str) -> Mesh {
    Mesh::read(name, file(name)).unwrap()
}

/// The message for a file that cannot be used.
pub(super) fn message(name: &str, bytes: impl AsRef<[u8]>) -> String {
    Mesh::read(name, bytes.as_ref()).unwrap_err().to_string()
}
