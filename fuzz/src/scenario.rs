//! Any bytes as a scenario, with a `--set` from a first line `#set key=value`: reading must end in a scenario or one
//! message; a system given by its Lagrangian must check, and run for a few steps, or say why not. What is written is whole
//! and finite.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stationary_app::run;
use stationary_app::scenario::Scenario;
use std::ops::ControlFlow;

/// Larger systems take the fuzzer too long and show nothing new.
const MOST_COORDINATES: usize = 24;

fn overrides(text: &str) -> Vec<(String, String)> {
    let line = text.lines().next().and_then(|l| l.strip_prefix("#set "));
    let pair = line.and_then(|l| l.split_once('='));
    pair.map(|(k, v)| (k.trim().to_string(), v.trim().to_string())).into_iter().collect()
}

fn sound(message: &str) {
    assert!(!message.trim().is_empty() && message.len() < 4000, "{message}");
}

/// Solids are only read: to build one is to open whatever file the bytes name.
fn small(scenario: &Scenario) -> bool {
    scenario.formula().is_some_and(|system| system.coordinates.len() <= MOST_COORDINATES)
}

fn run_a_little(mut scenario: Scenario) {
    let Some(system) = scenario.formula() else { return };
    scenario.end = scenario.start + 6.0 * system.step;
    let out = std::env::temp_dir().join(format!("stationary-fuzz-{}", std::process::id()));
    match run::run(&scenario, &out, &mut |_| ControlFlow::Continue(())) {
        Ok(outcome) => {
            let series = std::fs::read_to_string(out.join("series.csv")).expect("a series");
            assert!(series.ends_with('\n'), "a torn row");
            assert_eq!(outcome.summary["finished"], outcome.stopped.is_none());
        }
        Err(error) => sound(&error.to_string()),
    }
}

fuzz_target!(|bytes: &[u8]| {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    match Scenario::read("fuzz.toml", text, &overrides(text)) {
        Ok(scenario) if small(&scenario) => match run::check(&scenario) {
            Ok(_) => run_a_little(scenario),
            Err(error) => sound(&error.to_string()),
        },
        Ok(_) => {}
        Err(error) => sound(&error.to_string()),
    }
});
