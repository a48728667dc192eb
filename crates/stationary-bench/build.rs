//! Builds the hand-written C references the bench measures against.
fn main() {
    println!("cargo:rerun-if-changed=src/reference.c");
    cc::Build::new().file("src/reference.c").opt_level(3).flag("-ffp-contract=off").compile("reference");
    println!("cargo:rerun-if-changed=src/solids.c");
    println!("cargo:rerun-if-changed=src/free_steps.c");
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    println!("cargo:rustc-env=STATIONARY_BENCH_RUSTC={}", version(rustc));
    let cc = cc::Build::new().get_compiler().path().to_owned().into();
    println!("cargo:rustc-env=STATIONARY_BENCH_CC={}", version(cc));
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
            let mut build = cc::Build::new();
            build.file("src/free_steps.c").opt_level(3);
            build.define("NAME(x)", format!("x##_{name}").as_str());
            build.flags((!march.is_empty()).then_some(march)).compile(&format!("free_steps_{name}"));
        }
    }
}

/// The first line that a compiler says of its version.
fn version(program: std::ffi::OsString) -> String {
    let output = std::process::Command::new(program).arg("--version").output();
    let text = output.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_string()
}
