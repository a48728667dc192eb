//! Scenarios from their text to their results, and the documentation, which shows them. One program: each links every crate, and the
//! last test of each leaves other cores idle. `every_test_file_is_part_of_a_program` holds the list complete.

mod bodies_scenario;
mod damping;
mod docs;
mod energy;
mod gather;
mod interrupted;
mod plastic;
mod release;
mod rigid;
mod shipped_solids;
mod simulation;
mod simulation_kinds;
mod solid_elements;
mod solid_fields;
mod step_watch;
mod units;

#[path = "phase/main.rs"]
mod phase;
#[path = "solid_loads/main.rs"]
mod solid_loads;
#[path = "statics/main.rs"]
mod statics;
