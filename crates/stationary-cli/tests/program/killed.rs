//! Runs of every kind, broken off at random moments by `kill -9`, Ctrl-C and SIGTERM: resumed, they end with the bytes of an unbroken
//! run.

use super::{Folder, command, stderr};
use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

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
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() as u64;
        let seed = std::env::var("STATIONARY_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(now);
        eprintln!("moments of this test by STATIONARY_SEED={seed}");
        Chance(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Between 0 and 1.
    fn part(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// A scenario, its options, and times to end at: the first that is long enough to be broken is taken.
type Case = (&'static str, &'static [&'static str], [f64; 4]);

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

const CASES: [Case; 14] = [
    ("pendulum", &["observe=[\"symplectic\", \"modified_energy\"]"], [5e2, 2e3, 8e3, 4e4]),
    ("pendulum", &["integrator.method=gauss", "observe=[\"loop_area\"]"], [10.0, 50.0, 200.0, 1e3]),
    ("kepler", &["integrator={ method = \"midpoint\", step = \"energy\" }"], [600.0, 2500.0, 1e4, 4e4]),
    ("kepler", &["integrator.method=rk4"], [500.0, 2e3, 8e3, 4e4]),
    ("henon-heiles", &["output.series=[\"csv\", \"parquet\"]"], [500.0, 2e3, 8e3, 4e4]),
    ("double-pendulum-rods", &[], [5.0, 20.0, 80.0, 400.0]),
    ("four-bar", &[], [10.0, 40.0, 160.0, 800.0]),
    ("four-vortices", &[], [500.0, 2e3, 8e3, 4e4]),
    ("particle-bounce", &[], [50.0, 200.0, 1e3, 5e3]),
    ("friction.toml", &[], [30.0, 100.0, 400.0, 2e3]),
    ("heavy-top", &[], [100.0, 400.0, 2e3, 1e4]),
    ("polygon-pile", &[], [1.0, 3.0, 9.0, 30.0]),
    ("graded-cube", &["output.frames=6", "output.frame_format=xdmf"], [5e-3, 0.02, 0.1, 0.5]),
    ("slab", &["output.frames=4", "output.rows=100"], [5e-4, 2e-3, 1e-2, 5e-2]),
];

/// A run must take so long to be broken.
const LONG: Duration = Duration::from_millis(400);
/// How often each run is broken.
const BREAKS: usize = 4;

fn arguments<'a>((name, sets, _): &Case, end: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let sets = sets.iter().flat_map(|s| ["--set", *s]);
    let fixed = ["run", *name, "--quiet", "--set", end, "--set", "output.checkpoint=0", "--set", "claim=[]"];
    fixed.into_iter().chain(sets).chain(more.iter().copied()).collect()
}

/// Starts a run and ends it after a time by a signal, if it is not over before.
fn broken(folder: &Folder, arguments: &[&str], after: Duration, signal: &str) -> Output {
    let mut child =
        command(&folder.0, arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let clock = Instant::now();
    while clock.elapsed() < after && child.try_wait().unwrap().is_none() {
        std::thread::sleep(Duration::from_micros(500).min(after.saturating_sub(clock.elapsed())));
    }
    // Not once it is waited for: its number may be another's by then.
    if child.try_wait().unwrap().is_none() {
        assert!(Command::new("kill").args([signal, &child.id().to_string()]).status().unwrap().success());
    }
    child.wait_with_output().unwrap()
}

#[cfg(unix)]
#[test]
fn runs_broken_at_random_moments_resume_to_the_same_bytes() {
    let (mut chance, mut breaks) = (Chance::new(), 0);
    for (number, case) in CASES.iter().enumerate() {
        let folder = Folder::new(&format!("killed-at-random-{number}"));
        std::fs::write(folder.0.join("friction.toml"), FRICTION).unwrap();
        let mut taken = Duration::ZERO;
        let mut end = String::new();
        for until in case.2 {
            end = format!("end={until:?}");
            let clock = Instant::now();
            let out = folder.stationary(&arguments(case, &end, &["--out", "whole"]));
            taken = clock.elapsed();
            assert_eq!(out.status.code(), Some(0), "{case:?}: {}", stderr(&out));
            if taken > LONG {
                break;
            }
        }
        for round in 0..BREAKS {
            let signal = ["-KILL", "-KILL", "-INT", "-TERM"][chance.next() as usize % 4];
            let after = taken.mul_f64(0.6 * chance.part());
            let more: &[&str] =
                if round == 0 { &["--out", "broken"] } else { &["--out", "broken", "--resume"] };
            let out = broken(&folder, &arguments(case, &end, more), after, signal);
            let what = format!("{case:?}, {signal} after {after:?}: {}", stderr(&out));
            match out.status.code() {
                None => {}
                Some(2) if signal != "-KILL" => assert!(what.contains("--resume goes on"), "{what}"),
                Some(0) => break,
                Some(_) => panic!("{what}"),
            }
            breaks += 1;
        }
        let resume = arguments(case, &end, &["--out", "broken", "--resume"]);
        let out = folder.stationary(&resume);
        assert_eq!(out.status.code(), Some(0), "{case:?}: {}", stderr(&out));
        let [whole, parts] = ["whole", "broken"].map(|name| folder.0.join(name));
        equal(&whole, &parts, &format!("{case:?}"));
        assert!(!parts.join("checkpoint").exists(), "a finished run keeps no checkpoint");
        let again = folder.stationary(&resume);
        assert!(
            again.status.success() && stderr(&again).contains("nothing was left to do"),
            "{}",
            stderr(&again)
        );
        equal(&whole, &parts, &format!("{case:?}, resumed when it was finished"));
    }
    assert!(breaks >= 24, "only {breaks} breaks: the runs are over too soon");
}

/// Broken before the first checkpoint, at the last files, and with halves of files about.
#[test]
fn what_a_killed_run_leaves_in_between_is_put_right() {
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
fn two_runs_do_not_share_a_folder() {
    let folder = Folder::new("two-runs");
    let long = ["run", "pendulum", "--quiet", "--set", "end=1e9", "--out", "out"];
    let mut child = command(&folder.0, &long).stderr(Stdio::null()).spawn().unwrap();
    let clock = Instant::now();
    while !folder.0.join("out/series.csv").exists() {
        assert!(clock.elapsed().as_secs() < 60, "the run does not begin");
        std::thread::sleep(Duration::from_millis(5));
    }
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
fn links_in_the_folder_lead_nowhere() {
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
