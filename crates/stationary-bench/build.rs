//! Builds the hand-written C references the bench measures against.
fn main() {
    println!("cargo:rerun-if-changed=src/reference.c");
    cc::Build::new().file("src/reference.c").opt_level(3).flag("-ffp-contract=off").compile("reference");
    println!("cargo:rerun-if-changed=src/solids.c");
    let x86 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    // Once for each instruction set, which the bench then chooses.
    for (name, march, width) in
        [("plain", "", 2), ("v3", "-march=x86-64-v3", 4), ("v4", "-march=x86-64-v4", 8)]
    {
        if march.is_empty() || x86 {
            let mut build = cc::Build::new();
            build
                .file("src/solids.c")
                .opt_level(3)
                .flag("-Wno-psabi")
                .define("W", width.to_string().as_str());
            build.define("NAME(x)", format!("x##_{name}").as_str());
            build.flags((!march.is_empty()).then_some(march)).compile(&format!("solids_{name}"));
        }
    }
}
