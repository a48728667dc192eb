//! Builds the hand-written C references the bench measures against.
fn main() {
    println!("cargo:rerun-if-changed=src/reference.c");
    cc::Build::new().file("src/reference.c").opt_level(3).flag("-ffp-contract=off").compile("reference");
}
