//! `stationary bench`: choice of rows, the form of the JSON, exit codes. Figures are for `stationary bench --check`,
//! which no test runs.

use crate::{Folder, command, stderr, stdout};
use serde_json::Value;
use std::io::Read;
use std::process::Stdio;

#[test]
fn bench_lists_its_rows_by_group_and_name() {
    let folder = Folder::new("bench-list");
    let out = folder.stationary(&["bench", "--list"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let text = stdout(&out);
    for row in
        [["formulas", "kepler-text"], ["solids", "sync-tet4"], ["materials", "ogden-3"], ["model", "free-1m"]]
    {
        let is_listed = |line: &str| line.split_whitespace().take(2).eq(row);
        assert!(text.lines().any(is_listed), "{row:?}\n{text}");
    }
    let solids = stdout(&folder.stationary(&["bench", "--list", "solids", "kepler-text"]));
    assert!(solids.lines().all(|l| l.contains(" solids ") || l.contains(" kepler-text ")), "{solids}");
    assert!(solids.contains("kepler-text") && solids.contains("sync-tet10"));
}

#[test]
fn bench_refuses_an_unknown_row_with_a_suggestion() {
    let folder = Folder::new("bench-none");
    let out = folder.stationary(&["bench", "solid"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stdout(&out).is_empty());
    let text = stderr(&out);
    assert!(text.starts_with("error: the bench has no row or group `solid`"), "{text}");
    assert!(text.contains("did you mean `solids`?"), "{text}");
}

#[test]
fn bench_json_names_the_machine_and_every_part_of_a_row() {
    let folder = Folder::new("bench-json");
    let out = folder.stationary(&["bench", "--json", "kepler-text", "kepler-rk4"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(stderr(&out).contains("[1/2] kepler-text"), "{}", stderr(&out));
    let all: Value = serde_json::from_str(&stdout(&out)).unwrap();
    assert_eq!(all["format"], 1);
    for key in ["processor", "cores", "caches", "features", "rustc", "cc", "system"] {
        assert!(all["machine"].get(key).is_some(), "{key}");
    }
    assert!(all["machine"]["rustc"].as_str().unwrap().starts_with("rustc "));
    let rows = all["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 2);
    let keys = [
        "name",
        "group",
        "what",
        "elements",
        "updates",
        "repeats",
        "ns",
        "reference_ns",
        "ratio",
        "value",
        "unit",
        "bar",
        "bound",
        "goal",
        "ok",
        "failed",
        "more",
    ];
    for row in rows {
        assert_eq!(row.as_object().unwrap().keys().map(String::as_str).collect::<Vec<_>>(), keys);
    }
    let number = |key: &str| rows[0][key].as_f64().unwrap();
    assert!((number("ratio") - number("ns") / number("reference_ns")).abs() < 1e-12);
    assert!(number("ns") > 0.0 && number("updates") >= 200.0 && number("repeats") > 1.0);
    assert_eq!((&rows[0]["bar"], &rows[0]["bound"]), (&Value::from(1.3), &Value::from("at most")));
    assert_eq!(
        (&rows[1]["bar"], &rows[1]["ratio"], &rows[1]["ok"]),
        (&Value::Null, &Value::Null, &true.into())
    );
    let quiet = folder.stationary(&["bench", "--json", "--quiet", "kepler-rk4"]);
    assert!(stderr(&quiet).is_empty());
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 0, "a bench writes nothing");
}

#[test]
fn bench_with_a_closed_output_pipe_is_no_error() {
    let folder = Folder::new("bench-pipe");
    let mut child = command(&folder.0, &["bench", "kepler-rk4", "kepler-gauss-2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut first = [0];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let out = child.wait_with_output().unwrap();
    assert_eq!((out.status.code(), stderr(&out)), (Some(0), String::new()));
}
