//! Laws of systems given by formulas and of rigid bodies. One program: each links the whole library, and the last
//! test of each leaves other cores idle. `every_test_file_is_part_of_a_program` holds the list complete.

mod bounce;

#[path = "bodies/main.rs"]
mod bodies;
#[path = "contact/main.rs"]
mod contact;
#[path = "impacts/main.rs"]
mod impacts;
#[path = "laws/main.rs"]
mod laws;
