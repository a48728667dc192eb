//! A disk that is full: one message, the last checkpoint whole, and the same bytes once there is room again.

use super::killed::equal;
use super::{Folder, stderr};
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs that write series, impacts and frames; the ends make them write some hundred kilobytes.
const CASES: [(&str, &[&str]); 6] = [
    ("pendulum", &["end=100", "output.every=1"]),
    ("disc-box", &["end=20"]),
    ("heavy-top", &["end=20", "output.every=1"]),
    ("pendulum", &["end=100", "output.every=1", "output.series=parquet"]),
    ("graded-cube", &["end=0.02", "output.frames=6", "output.rows=60"]),
    ("graded-cube", &["end=0.02", "output.frames=6", "output.rows=60", "output.frame_format=xdmf"]),
];

fn arguments<'a>((name, sets): &(&'a str, &[&'a str]), out: &'a str) -> Vec<&'a str> {
    let fixed = ["run", *name, "--quiet", "--set", "output.checkpoint=0", "--set", "claim=[]", "--out", out];
    fixed.into_iter().chain(sets.iter().flat_map(|s| ["--set", *s])).collect()
}

fn size(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap());
    entries.map(|e| if e.path().is_dir() { size(&e.path()) } else { e.metadata().unwrap().len() }).sum()
}

/// One line that names a file below `out` and says what to do.
fn told(out: &Output, what: &str) {
    let message = stderr(out);
    assert_eq!(out.status.code(), Some(2), "{what}: {message}");
    assert_eq!(message.lines().count(), 1, "{what}: {message}");
    assert!(message.starts_with("error: ") && message.contains("out/"), "{what}: {message}");
    assert!(message.contains("free some space, then the same command with --resume"), "{what}: {message}");
}

/// No file may be longer than so many bytes: every Unix can do that.
#[cfg(unix)]
#[test]
fn run_with_a_file_size_limit_reports_it_and_resumes() {
    for (number, case) in CASES.iter().enumerate() {
        let folder = Folder::new(&format!("limited-{number}"));
        let whole = folder.stationary(&arguments(case, "whole"));
        assert_eq!(whole.status.code(), Some(0), "{case:?}: {}", stderr(&whole));
        let largest =
            |name: &str| std::fs::metadata(folder.0.join("whole").join(name)).map_or(0, |m| m.len());
        let least = largest("series.csv").max(largest("report.html"));
        for part in [0.0, 0.1, 0.5, 0.9] {
            let blocks = (part * least as f64) as u64 / 512;
            // The signal that such a write sends is ignored, as the system's own tools do.
            let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let mut limited = Command::new("sh");
            limited.current_dir(&folder.0).args(["-c", &script, env!("CARGO_BIN_EXE_stationary")]);
            limited.env("STATIONARY_FAILPOINT", "always");
            let out = limited.args(arguments(case, "out")).stdin(Stdio::null()).output().unwrap();
            told(&out, &format!("{case:?}, {blocks} blocks"));
            let resumed = folder.stationary(&[&arguments(case, "out")[..], &["--resume"]].concat());
            assert_eq!(resumed.status.code(), Some(0), "{case:?}: {}", stderr(&resumed));
            equal(&folder.0.join("whole"), &folder.0.join("out"), &format!("{case:?}, {blocks} blocks"));
        }
    }
}

/// As if there were no room for any one of its writes, and all after it.
#[cfg(unix)]
#[test]
fn run_with_a_full_disk_at_any_write_reports_it_and_resumes() {
    let case = ("particle-bounce", &["end=1", "output.series=[\"csv\", \"parquet\"]"][..]);
    let folder = Folder::new("full-at-any-write");
    let whole = folder.stationary(&arguments(&case, "whole"));
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    let mut writes = 0;
    loop {
        let _ = std::fs::remove_dir_all(folder.0.join("out"));
        let place = format!("within-write:{}:full", writes + 1);
        let out = folder.broken_at(&place, &arguments(&case, "out"));
        if out.status.success() {
            break;
        }
        told(&out, &place);
        let resumed = folder.stationary(&[&arguments(&case, "out")[..], &["--resume"]].concat());
        assert_eq!(resumed.status.code(), Some(0), "{place}: {}", stderr(&resumed));
        equal(&folder.0.join("whole"), &folder.0.join("out"), &place);
        writes += 1;
    }
    assert!(writes > 5, "only {writes} writes were found");
}

/// The sweep of some lengths; everything it writes is a few kilobytes.
fn sweep(out: &str, keep: bool) -> Vec<&str> {
    let fixed = ["sweep", "pendulum", "--over", "step=0.005,0.01,0.02", "--set", "end=1", "-q", "-j", "1"];
    let kept: &[&str] = if keep { &["--keep", "--out", out] } else { &["--out", out] };
    [&fixed[..], kept].concat()
}

/// Files of a sweep grow one after the other, so every limit strikes at another place: the journal's first line, its rows, the
/// table, its summary, the page, with `--keep` the files of the runs.
#[cfg(unix)]
#[test]
fn sweep_with_a_file_size_limit_resumes_to_the_same_bytes() {
    for keep in [false, true] {
        let folder = Folder::new(&format!("limited-sweep-{keep}"));
        let whole = folder.stationary(&sweep("whole", keep));
        assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
        let mut struck = Vec::new();
        for blocks in (0..8).chain((8..400).step_by(if keep { 37 } else { 7 })) {
            let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
            let mut limited = Command::new("sh");
            limited.current_dir(&folder.0).args(["-c", &script, env!("CARGO_BIN_EXE_stationary")]);
            let out = limited.args(sweep("out", keep)).stdin(Stdio::null()).output().unwrap();
            if out.status.code() == Some(0) {
                break;
            }
            told(&out, &format!("{blocks} blocks"));
            struck.push(stderr(&out));
            let resumed = folder.stationary(&[&sweep("out", keep)[..], &["--resume"]].concat());
            assert_eq!(resumed.status.code(), Some(0), "{blocks} blocks: {}", stderr(&resumed));
            equal(&folder.0.join("whole"), &folder.0.join("out"), &format!("{blocks} blocks"));
            std::fs::remove_dir_all(folder.0.join("out")).unwrap();
        }
        let at = |file: &str| struck.iter().any(|message| message.contains(file));
        assert!(at("sweep.journal") && (keep || at("sweep.html")), "{struck:?}");
        assert!(!keep || at("runs/0001/"), "{struck:?}");
    }
}

/// A file system in memory, gone at the end.
struct Small<'a>(&'a Path);

impl Small<'_> {
    fn mount(&self, options: &str) -> bool {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", options, "tmpfs"]).arg(self.0).stderr(Stdio::null());
        mount.status().is_ok_and(|s| s.success())
    }
}

impl Drop for Small<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).stderr(Stdio::null()).status();
    }
}

/// A real one, where one may be mounted: the test before this one is made everywhere.
#[cfg(unix)]
#[test]
fn run_on_a_full_file_system_reports_it_and_resumes() {
    for (number, case) in CASES.iter().enumerate() {
        let folder = Folder::new(&format!("full-{number}"));
        let whole = folder.stationary(&arguments(case, "whole"));
        assert_eq!(whole.status.code(), Some(0), "{case:?}: {}", stderr(&whole));
        let needed = size(&folder.0.join("whole"));
        for part in [0.0, 0.08, 0.3, 0.6, 0.95] {
            let place = folder.0.join("small");
            std::fs::create_dir_all(&place).unwrap();
            let small = Small(&place);
            if !small.mount(&format!("size={}k", ((part * needed as f64) as u64 / 4096).max(1) * 4)) {
                eprintln!("no file system may be mounted here: only limited files were tried");
                return;
            }
            let run = [&arguments(case, "small/out")[..], &[]].concat();
            let out = folder.broken_at("always", &run);
            told(&out, &format!("{case:?}, {part} of {needed} bytes"));
            assert!(stderr(&out).contains("No space left on device"), "{}", stderr(&out));
            assert!(small.mount("remount,size=64m"));
            let resumed = folder.stationary(&[&run[..], &["--resume"]].concat());
            assert_eq!(resumed.status.code(), Some(0), "{case:?}: {}", stderr(&resumed));
            equal(
                &folder.0.join("whole"),
                &place.join("out"),
                &format!("{case:?}, {part} of {needed} bytes"),
            );
        }
    }
}

/// A sweep on a disk with any room from none on: the folder itself, the journal, the tables and the page find it full in turn.
#[cfg(unix)]
#[test]
fn sweep_on_a_full_disk_resumes_to_the_same_bytes() {
    let folder = Folder::new("full-sweep");
    let whole = folder.stationary(&sweep("whole", false));
    assert_eq!(whole.status.code(), Some(0), "{}", stderr(&whole));
    for pages in 0..40 {
        let place = folder.0.join("small");
        std::fs::create_dir_all(&place).unwrap();
        let small = Small(&place);
        if !small.mount("size=256k") {
            eprintln!("no file system may be mounted here: only limited files were tried");
            return;
        }
        // All but so many pages are taken by something else.
        let mut filler = std::fs::File::create(place.join("fill")).unwrap();
        while filler.write_all(&[0; 4096]).is_ok() {}
        let length = filler.metadata().unwrap().len();
        filler.set_len(length.saturating_sub(4096 * pages)).unwrap();
        drop(filler);
        let out = folder.stationary(&sweep("small/out", false));
        if out.status.code() == Some(0) {
            assert!(pages > 3, "it struck {pages} times");
            return;
        }
        told(&out, &format!("{pages} pages"));
        std::fs::remove_file(place.join("fill")).unwrap();
        let resumed = folder.stationary(&[&sweep("small/out", false)[..], &["--resume"]].concat());
        assert_eq!(resumed.status.code(), Some(0), "{pages} pages: {}", stderr(&resumed));
        equal(&folder.0.join("whole"), &place.join("out"), &format!("{pages} pages"));
    }
    panic!("it never found room");
}
