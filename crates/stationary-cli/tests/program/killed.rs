//! Runs of every kind, broken off by `kill -9`, Ctrl-C and SIGTERM at chosen places (`stationary_report::failpoint`) and at some random
//! moments: resumed, they end with the bytes of an unbroken run.

use super::{Folder, command, stderr, wait_until};
use serde_json::Value;
use std::path::Path;
use std::process::{Output, Stdio};
use std::time::Duration;

/// All that differs between equal runs, in summaries and on pages.
const CLOCKS: [&str; 5] =
    ["wall_seconds", "measured_speedup", "nanoseconds_per_update", "wall time", "measured speed-up"];

fn without_clocks(value: &mut Value) {
    if let Value::Object(map) = value {
        CLOCKS.iter().for_each(|key| drop(map.remove(*key)));
        map.values_mut().for_each(without_clocks);
    }
}

/// A page without what clocks said.
fn page(text: &str) -> String {
    let mut parts = vec![text.to_string()];
    for clock in CLOCKS {
        let around = |part: &String| -> Vec<String> {
            let mut pieces = part.split(clock).map(String::from);
            let first = pieces.next();
            let later = pieces.map(|piece| {
                let end = piece.char_indices().nth(60).map_or(piece.len(), |(at, _)| at);
                let quiet = piece[..end].chars().map(|c| if c.is_ascii_digit() { '#' } else { c });
                // Shorter numbers make shorter texts: runs of digits count as one.
                let mut quiet: Vec<char> = quiet.collect();
                quiet.dedup_by(|a, b| *a == '#' && *b == '#');
                quiet.into_iter().collect::<String>() + &piece[end..]
            });
            first.into_iter().chain(later).collect()
        };
        parts = parts.iter().flat_map(around).collect();
    }
    parts.concat()
}

/// Names and contents of all files below a folder, sorted; without clocks.
pub fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<(String, Vec<u8>)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found);
                continue;
            }
            let name = path.strip_prefix(root).unwrap().display().to_string();
            let mut bytes = std::fs::read(&path).unwrap();
            if name.ends_with("summary.json") {
                let mut summary: Value = serde_json::from_slice(&bytes).unwrap();
                without_clocks(&mut summary);
                bytes = summary.to_string().into_bytes();
            } else if name.ends_with("report.html") {
                bytes = page(&String::from_utf8(bytes).unwrap()).into_bytes();
            }
            found.push((name, bytes));
        }
    }
    let mut found = Vec::new();
    walk(folder, folder, &mut found);
    found.sort();
    found
}

/// Both folders hold the same files.
pub fn equal(whole: &Path, broken: &Path, what: &str) {
    let [a, b] = [whole, broken].map(content);
    let names = |all: &[(String, Vec<u8>)]| all.iter().map(|f| f.0.clone()).collect::<Vec<_>>();
    assert_eq!(names(&a), names(&b), "{what}");
    for ((name, one), (_, two)) in a.iter().zip(&b) {
        if one != two {
            let at = one.iter().zip(two).take_while(|(x, y)| x == y).count();
            let near = |x: &[u8]| {
                String::from_utf8_lossy(&x[at.saturating_sub(80)..x.len().min(at + 80)]).into_owned()
            };
            panic!("{what}: {name} differs at byte {at}:\n{}\n---\n{}", near(one), near(two));
        }
    }
}

/// Numbers that look like chance (SplitMix64).
struct Chance(u64);

impl Chance {
    fn new() -> Self {
        Chance(std::env::var("STATIONARY_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(1))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// A scenario and its options. Runs are short: a few hundred moves.
type Case = (&'static str, &'static [&'static str]);

const FRICTION: &str = r#"coordinates = ["x", "y"]
lagrangian = "0.5*(vx^2 + vy^2) - 9.81*y"
gap = [{ gap = "y + 0.1*sin(x)", name = "floor", restitution = 0.7, friction = 0.1, slip = "vx" }, "x", "9 - x"]
step = 0.01
end = 3
integrator = "midpoint"
[initial]
position = [1, 1]
velocity = [1, 0]
"#;

/// Steps that resonate: they are reduced in the course of the run.
const RESONANT: &[&str] = &[
    "end=0.6",
    "parameters.g=0",
    "output.frames=2",
    "output.rows=100",
    r#"initial.velocity=["0.01*sin(7919*X + 1013*Y)", "0.01*cos(5113*X - 3001*Y)"]"#,
    "integrator={ method = \"avi\", steps = \"free\", rule = \"eigen\", fraction = 0.8, limit = \"element\" }",
];

const CASES: [Case; 15] = [
    ("pendulum", &["end=6", "observe=[\"symplectic\", \"modified_energy\"]"]),
    ("pendulum", &["end=6", "integrator.method=gauss", "observe=[\"loop_area\"]"]),
    ("kepler", &["end=15", "integrator={ method = \"midpoint\", step = \"energy\" }"]),
    ("kepler", &["end=15", "integrator.method=rk4"]),
    ("henon-heiles", &["end=60", "output.series=[\"csv\", \"parquet\"]"]),
    ("double-pendulum-rods", &["end=3"]),
    ("four-bar", &["end=3"]),
    ("four-vortices", &["end=150"]),
    ("particle-bounce", &["end=30"]),
    ("friction.toml", &[]),
    ("heavy-top", &["end=3"]),
    ("polygon-pile", &["end=3"]),
    ("graded-cube", &["end=5e-3", "output.frames=6", "output.frame_format=xdmf"]),
    ("slab", &["end=0.06", "output.frames=4", "output.rows=100"]),
    ("slab", RESONANT),
];

/// Where each of these runs is broken, one place after the other: most have made some checkpoints by then, and some are
/// broken while they write one.
const PLACES: [&str; 6] = [
    "after-move:5:kill",
    "after-move:45:kill",
    "after-move:70:int",
    "before-rename:2:kill",
    "within-write:6:kill",
    "after-move:40:term",
];

fn arguments<'a>((name, sets): &(&'a str, &[&'a str]), more: &[&'a str]) -> Vec<&'a str> {
    let sets = sets.iter().flat_map(|s| ["--set", *s]);
    let fixed = ["run", *name, "--quiet", "--set", "output.checkpoint=0", "--set", "claim=[]"];
    fixed.into_iter().chain(sets).chain(more.iter().copied()).collect()
}

/// A folder with the results of an unbroken run in `whole`.
fn with_whole_run(test: &str, case: &Case) -> Folder {
    let folder = Folder::new(test);
    std::fs::write(folder.0.join("friction.toml"), FRICTION).unwrap();
    let out = folder.stationary(&arguments(case, &["--out", "whole"]));
    assert_eq!(out.status.code(), Some(0), "{case:?}: {}", stderr(&out));
    folder
}

/// Whether a run was broken off in the way that belongs to a signal; otherwise it must have finished.
fn was_broken(out: &Output, what: &str) -> bool {
    match out.status.code() {
        None => true,
        Some(2) if !what.ends_with("kill") => {
            assert!(stderr(out).contains("--resume goes on"), "{what}: {}", stderr(out));
            true
        }
        Some(0) => false,
        Some(_) => panic!("{what}: {}", stderr(out)),
    }
}

/// Resumes the run in `broken` to its end, where it must be what is in `whole`.
fn resumes_to_the_same_bytes(folder: &Folder, case: &Case, what: &str) {
    let out = folder.stationary(&arguments(case, &["--out", "broken", "--resume"]));
    assert_eq!(out.status.code(), Some(0), "{case:?}, {what}: {}", stderr(&out));
    let [whole, parts] = ["whole", "broken"].map(|name| folder.0.join(name));
    equal(&whole, &parts, &format!("{case:?}, {what}"));
    assert!(!parts.join("checkpoint").exists(), "a finished run keeps no checkpoint");
}

#[cfg(unix)]
#[test]
fn runs_of_every_kind_interrupted_repeatedly_resume_to_the_same_bytes() {
    for (number, case) in CASES.iter().enumerate() {
        let folder = with_whole_run(&format!("killed-{number}"), case);
        for (round, place) in PLACES.iter().enumerate() {
            let more: &[&str] =
                if round == 0 { &["--out", "broken"] } else { &["--out", "broken", "--resume"] };
            let out = folder.broken_at(place, &arguments(case, more));
            assert!(was_broken(&out, place), "{case:?} has no place {place}");
        }
        resumes_to_the_same_bytes(&folder, case, "broken at all places");
        let again = folder.stationary(&arguments(case, &["--out", "broken", "--resume"]));
        assert!(
            again.status.success() && stderr(&again).contains("nothing was left to do"),
            "{}",
            stderr(&again)
        );
        let [whole, parts] = ["whole", "broken"].map(|name| folder.0.join(name));
        equal(&whole, &parts, &format!("{case:?}, resumed when it was finished"));
    }
}

/// Every operation on a file at which a run may be killed.
const OPERATIONS: [&str; 7] = [
    "within-write",
    "before-rename",
    "after-rename",
    "before-remove",
    "after-remove",
    "before-truncate",
    "after-truncate",
];

/// Runs that write every kind of file, with a few checkpoints each, and a place on their way.
const SHORT: [(Case, &str); 3] = [
    (("particle-bounce", &["end=0.5", "output.series=[\"csv\", \"parquet\"]"]), "after-move:20:kill"),
    (("disc-box", &["end=1"]), "after-move:5:kill"),
    (
        ("slab", &["end=0.002", "output.frames=2", "output.rows=4", "output.frame_format=xdmf"]),
        "after-move:7:kill",
    ),
];

/// A new run, and one that goes on after it was killed, killed at each of their operations on files in turn.
#[cfg(unix)]
#[test]
fn runs_killed_at_any_file_operation_resume_to_the_same_bytes() {
    for (number, (case, way)) in SHORT.iter().enumerate() {
        let folder = with_whole_run(&format!("killed-at-files-{number}"), case);
        for resumed in [false, true] {
            let mut places = 0;
            for operation in OPERATIONS {
                for n in 1.. {
                    let _ = std::fs::remove_dir_all(folder.0.join("broken"));
                    let mut more = vec!["--out", "broken"];
                    if resumed {
                        let out = folder.broken_at(way, &arguments(case, &more));
                        assert!(was_broken(&out, way), "{case:?} has no place {way}");
                        more.push("--resume");
                    }
                    let place = format!("{operation}:{n}:kill");
                    let out = folder.broken_at(&place, &arguments(case, &more));
                    let what = format!("{place}, resumed before: {resumed}");
                    let broken = was_broken(&out, &what);
                    resumes_to_the_same_bytes(&folder, case, &what);
                    if !broken {
                        break;
                    }
                    places += 1;
                }
            }
            assert!(places > 10, "{case:?}: only {places} operations were found");
        }
    }
}

/// Besides those places: at whatever a run is doing after some random milliseconds. It may be over by then.
#[cfg(unix)]
#[test]
fn runs_killed_at_random_moments_resume_to_the_same_bytes() {
    let mut chance = Chance::new();
    let long: [Case; 3] = [
        ("particle-bounce", &["end=2000"]),
        ("polygon-pile", &["end=4"]),
        ("graded-cube", &["end=0.02", "output.frames=6"]),
    ];
    for (number, case) in long.iter().enumerate() {
        let folder = with_whole_run(&format!("killed-at-random-{number}"), case);
        for round in 0..3 {
            let more: &[&str] =
                if round == 0 { &["--out", "broken"] } else { &["--out", "broken", "--resume"] };
            let mut child = command(&folder.0, &arguments(case, more)).stderr(Stdio::null()).spawn().unwrap();
            std::thread::sleep(Duration::from_millis(chance.next() % 300));
            child.kill().unwrap();
            let status = child.wait().unwrap();
            assert!(matches!(status.code(), None | Some(0)), "{case:?}: {status}");
        }
        resumes_to_the_same_bytes(&folder, case, "killed at random moments");
    }
}

#[test]
fn failpoint_with_an_unknown_name_is_refused() {
    let folder = Folder::new("no-failpoint");
    let out = folder.broken_at("before-lunch:1:kill", &["list"]);
    assert_eq!(out.status.code(), Some(2));
    assert!(stderr(&out).contains("or never; found `before-lunch:1:kill`"), "{}", stderr(&out));
}

/// Broken before the first checkpoint, at the last files, and with halves of files about.
#[test]
fn partial_files_of_a_killed_run_are_repaired_on_resume() {
    let folder = Folder::new("killed-between");
    let run = |more: &[&str]| {
        let sets = ["--set", "end=20", "--set", "claim=[]", "--quiet"];
        let out = folder.stationary(&[&["run", "particle-bounce"], &sets[..], more].concat());
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        stderr(&out)
    };
    run(&["--out", "whole"]);
    let (whole, out) = (folder.0.join("whole"), folder.0.join("out"));
    assert!(run(&["--out", "out", "--resume"]).contains("no checkpoint in out yet: the run begins anew"));
    equal(&whole, &out, "begun with --resume");
    // The summary was to be the last file.
    std::fs::remove_file(out.join("summary.json")).unwrap();
    std::fs::write(out.join("series.csv"), "t,x\n0.0,1.2\n0.1,").unwrap();
    for half in ["checkpoint.partial", "report.partial", "summary.partial"] {
        std::fs::write(out.join(half), "half").unwrap();
    }
    assert!(run(&["--out", "out", "--resume"]).contains("begins anew"));
    equal(&whole, &out, "without a summary");
}

#[cfg(unix)]
#[test]
fn second_run_in_a_folder_in_use_is_refused() {
    let folder = Folder::new("two-runs");
    let long = ["run", "pendulum", "--quiet", "--set", "end=1e9", "--out", "out"];
    let mut child = command(&folder.0, &long).stderr(Stdio::null()).spawn().unwrap();
    wait_until("the run begins", || folder.0.join("out/series.csv").exists());
    for more in [&[][..], &["--resume"]] {
        let out = folder.stationary(&[&["run", "kepler", "--out", "out"], more].concat());
        assert_eq!(out.status.code(), Some(2));
        let expected = "error: out: another run is writing into this folder: wait for it, or choose another with --out\n";
        assert_eq!(stderr(&out), expected);
    }
    child.kill().unwrap();
    child.wait().unwrap();
    // A killed run keeps nobody out.
    let out = folder.stationary(&["run", "kepler", "--out", "out", "--quiet"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
}

#[cfg(unix)]
#[test]
fn symbolic_links_in_the_results_folder_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = Folder::new("links");
    let (out, precious) = (folder.0.join("out"), folder.0.join("precious"));
    std::fs::create_dir(&out).unwrap();
    std::fs::write(&precious, "precious").unwrap();
    let names =
        ["series.csv", "summary.json", "report.html", "impacts.csv", "checkpoint", "checkpoint.partial"];
    for name in names.into_iter().chain(["report.partial", "summary.partial", "series.parquet"]) {
        symlink(&precious, out.join(name)).unwrap();
    }
    let run = ["run", "particle-bounce", "--out", "out", "--quiet", "--set", "end=5", "--set", "claim=[]"];
    let sets = ["--set", "output.series=[\"csv\", \"parquet\"]", "--set", "output.checkpoint=0"];
    let done = folder.stationary(&[&run[..], &sets].concat());
    assert_eq!(done.status.code(), Some(0), "{}", stderr(&done));
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
    for name in ["series.csv", "summary.json", "report.html", "impacts.csv", "series.parquet"] {
        assert!(out.join(name).symlink_metadata().unwrap().is_file(), "{name}");
    }
    let elsewhere = folder.0.join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, out.join("frames")).unwrap();
    let solid = folder.stationary(&["run", "graded-cube", "--out", "out", "--quiet", "--set", "end=0.01"]);
    assert!(
        solid.status.code() == Some(2) && stderr(&solid).contains("out/frames: expected a folder"),
        "{}",
        stderr(&solid)
    );
    assert_eq!(std::fs::read_dir(&elsewhere).unwrap().count(), 0);
    // The name of a scenario is that of its folder: not one that leads out of `results`.
    std::fs::write(folder.0.join("...toml"), super::PENDULUM).unwrap();
    let dots = folder.stationary(&["run", "...toml", "--quiet"]);
    assert_eq!(dots.status.code(), Some(0), "{}", stderr(&dots));
    assert!(folder.0.join("results/scenario/summary.json").is_file());
}
