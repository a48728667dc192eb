//! Laws of solids; see `systems.rs` for why they are one program.

mod shipped_meshes;
mod simulation;
mod sparse;

#[path = "avi/main.rs"]
mod avi;
#[path = "solid_loads/main.rs"]
mod solid_loads;
