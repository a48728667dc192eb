//! Any bytes as a checkpoint, and as the folder of a run that is to be resumed: reading must end in sections or in one message that names
//! the file; `--resume` on it must go on, begin anew or say why not.
//!
//! The bytes stand for the whole file, or, where they begin with `+`, for its body behind a head that fits: what a checksum would
//! have caught must not be trusted either. With `=` they change bytes of a good one. With `s` they are the series, with `j` the summary beside a good checkpoint.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stationary::archive::Archive;
use stationary_app::run;
use stationary_app::scenario::Scenario;
use stationary_report::checkpoint::{Checkpoint, identity};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::OnceLock;

const SCENARIO: &str = r#"coordinates = ["y"]
lagrangian = "0.5*vy^2 - y"
gap = "y"
step = 0.1
end = 1e9
integrator = "verlet"
[initial]
position = [1]
velocity = [0]
[output]
checkpoint = 0
"#;

/// The files of a run that was broken off.
fn broken() -> &'static [(String, Vec<u8>)] {
    static FILES: OnceLock<Vec<(String, Vec<u8>)>> = OnceLock::new();
    FILES.get_or_init(|| {
        let out = std::env::temp_dir().join(format!("stationary-fuzz-broken-{}", std::process::id()));
        let scenario = Scenario::read("fuzz.toml", SCENARIO, &[]).expect("a scenario");
        run::run(&scenario, &out, &mut |_| ControlFlow::Break(())).expect("a run");
        let files = std::fs::read_dir(&out).expect("a folder").map(|e| e.expect("an entry"));
        files
            .map(|e| (e.file_name().into_string().expect("a name"), std::fs::read(e.path()).expect("a file")))
            .collect()
    })
}

fn sound(message: &str, path: &Path) {
    assert!(!message.trim().is_empty() && message.len() < 4000, "{message}");
    let folder = path.parent().expect("a folder").display().to_string();
    assert!(message.contains(&folder), "no file is named: {message}");
}

/// A file whose head fits its body.
fn with_head(body: &[u8]) -> Vec<u8> {
    let mut file = b"\x89stationary ckpt".to_vec();
    for word in [1, body.len() as u64, identity(&[body])] {
        file.extend(word.to_le_bytes());
    }
    file.extend(body);
    file
}

/// The good one with some bytes changed: three each, for the place and the new value.
fn patched(changes: &[u8]) -> Vec<u8> {
    let good = broken().iter().find(|(name, _)| name == "checkpoint").expect("a checkpoint");
    let mut body = good.1[40..].to_vec();
    for change in changes.chunks_exact(3) {
        let place = usize::from(u16::from_le_bytes([change[0], change[1]])) % body.len();
        body[place] = change[2];
    }
    with_head(&body)
}

fuzz_target!(|bytes: &[u8]| {
    let out = std::env::temp_dir().join(format!("stationary-fuzz-checkpoint-{}", std::process::id()));
    std::fs::create_dir_all(&out).expect("a folder");
    let path = out.join("checkpoint");
    let (kind, rest) = bytes.split_first().map_or((b' ', bytes), |(k, rest)| (*k, rest));
    let file = match kind {
        b'+' => with_head(rest),
        b'=' => patched(rest),
        _ => bytes.to_vec(),
    };
    std::fs::write(&path, &file).expect("a file");
    match Checkpoint::load(&path) {
        Ok(checkpoint) => {
            for name in ["state", "series.written", "run.seconds"] {
                let mut lists = (Vec::<f64>::new(), Some(String::new()), vec![(0_u64, [false; 2])]);
                let took = checkpoint.take_state(name, |archive: &mut Archive| _ = archive.pass(&mut lists));
                if let Err(error) = took {
                    sound(&error.to_string(), &path);
                }
                let _ = (checkpoint.take_floats(name, None), checkpoint.take_counts(name, Some(1)));
            }
        }
        Err(error) => sound(&error.to_string(), &path),
    }
    for (name, good) in broken() {
        let file = match (name.as_str(), kind) {
            ("series.csv", b's') | ("summary.json", b'j') => rest,
            ("checkpoint", b's') => good,
            ("checkpoint", _) => &file,
            _ => good,
        };
        std::fs::write(out.join(name), file).expect("a file");
    }
    if kind == b'j' {
        std::fs::remove_file(&path).expect("no checkpoint");
    }
    let scenario = Scenario::read("fuzz.toml", SCENARIO, &[]).expect("a scenario");
    match run::resume(&scenario, &out, &mut |_| ControlFlow::Break(())) {
        Ok(_) => {}
        Err(error) => sound(&error.to_string(), &path),
    }
});
