//! Laws of systems given by formulas, of rigid bodies, and of the documentation. One program: each links the whole library, and the last
//! test of each leaves other cores idle. `every_test_file_is_part_of_a_program` holds the list complete.

mod bodies_scenario;
mod bounce;
mod docs;
mod energy;
mod gather;
mod interrupted;
mod rigid;

#[path = "bodies/main.rs"]
mod bodies;
#[path = "impacts/main.rs"]
mod impacts;
#[path = "laws/main.rs"]
mod laws;
#[path = "phase/main.rs"]
mod phase;
