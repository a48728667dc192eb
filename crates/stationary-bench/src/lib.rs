//! Speed as ratios against hand-written C (`reference.c`, `solids.c`), all in one run.
//!
//! `cargo run --release -p stationary-bench` prints a table, with `--json` one JSON array; `--check` measures rows that
//! miss their bar again and exits 1 if one still does.

pub mod cases;
pub mod measure;
pub mod solids;
pub mod systems;
