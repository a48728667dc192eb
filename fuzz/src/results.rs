//! Any bytes as two folders of results: the part before the first line `%` is the first summary, then come the first series, the
//! second summary and the second series. The comparison must end in numbers or one message; what it finds is never NaN, and a
//! folder beside itself is equal.

#![no_main]

use libfuzzer_sys::fuzz_target;
use stationary_app::compare::compare;
use std::path::PathBuf;

fn folder(name: &str, summary: &[u8], series: &[u8]) -> PathBuf {
    let path = std::env::temp_dir().join(format!("stationary-fuzz-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&path).expect("a folder");
    std::fs::write(path.join("summary.json"), summary).expect("a file");
    std::fs::write(path.join("series.csv"), series).expect("a file");
    path
}

fn parts(bytes: &[u8]) -> [&[u8]; 4] {
    let mut rest = bytes;
    std::array::from_fn(|_| {
        let cut = rest.windows(3).position(|w| w == b"\n%\n");
        let (part, after) = cut.map_or((rest, &[][..]), |at| (&rest[..=at], &rest[at + 3..]));
        rest = after;
        part
    })
}

fuzz_target!(|bytes: &[u8]| {
    let [first, series, second, other] = parts(bytes);
    let (a, b) = (folder("a", first, series), folder("b", second, other));
    match compare(&a, &b) {
        Ok(found) => {
            let numbers =
                found.tables.iter().flat_map(|t| &t.columns).flat_map(|c| [c.largest, c.relative, c.last]);
            assert!(numbers.chain(found.keys.iter().map(|k| k.relative)).all(|x| x >= 0.0), "{found:?}");
            assert!(!found.within(0.0) || found.within(1e-9), "a tolerance makes nothing worse");
            assert!(!found.json(1e-9).to_string().is_empty());
        }
        Err(error) => {
            let message = error.to_string();
            assert!(!message.trim().is_empty() && message.len() < 4000, "{message}");
        }
    }
    if let Ok(found) = compare(&a, &a) {
        assert!(found.same_bits() || found.tables.iter().any(|t| t.torn[0]), "{found:?}");
    }
});
