//! The machine a figure belongs to.

use serde_json::{Value, json};

/// Processor, cores, caches, compiler and the instruction set that the kernels of both sides use here.
pub fn machine() -> Value {
    json!({
        "processor": processor(),
        "cores": std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
        "caches": caches(),
        "features": features(),
        "rustc": env!("STATIONARY_BENCH_RUSTC"),
        "cc": env!("STATIONARY_BENCH_CC"),
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    })
}

fn processor() -> Option<String> {
    let text = std::fs::read_to_string("/proc/cpuinfo").ok()?;
    let get = |key: &str| {
        let line = text.lines().find(|line| line.split(':').next().is_some_and(|k| k.trim() == key))?;
        Some(line.split_once(':')?.1.trim().to_string())
    };
    let name = get("model name")?;
    Some(match (get("cpu family"), get("model")) {
        (Some(family), Some(model)) => format!("{name}, family {family}, model {model}"),
        _ => name,
    })
}

/// As `L1d 48K, L2 2048K`.
fn caches() -> Vec<String> {
    let part = |index: u32, what: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/{what}");
        std::fs::read_to_string(path).ok().map(|text| text.trim().to_string())
    };
    let one = |index| {
        let kind = match part(index, "type")?.as_str() {
            "Data" => "d",
            "Instruction" => "i",
            _ => "",
        };
        Some(format!("L{}{kind} {}", part(index, "level")?, part(index, "size")?))
    };
    (0..8).map_while(one).collect()
}

/// What the vector kernels use, of the library and of C.
pub fn features() -> &'static str {
    #[cfg(target_arch = "x86_64")]
    {
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            return if fourth() {
                "x86-64-v4 (AVX-512), eight lanes"
            } else {
                "x86-64-v3 (AVX2), four lanes"
            };
        }
    }
    "portable"
}

/// Whether the processor has all of x86-64-v4.
#[cfg(target_arch = "x86_64")]
pub fn fourth() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
}
