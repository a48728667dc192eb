//! Laws of solids; see `systems.rs` for why they are one program.

mod modes;
mod shipped_meshes;
mod sparse;

#[path = "avi/main.rs"]
mod avi;
