//! A disk that is full: one message, the last checkpoint whole, and the same bytes once there is room again.

use super::killed::equal;
use super::{Folder, stderr};
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs that write series, impacts and frames; the ends make them write some hundred kilobytes.
const CASES: [(&str, &[&str]); 4] = [
    ("pendulum", &["end=100", "output.every=1"]),
    ("disc-box", &["end=20"]),
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
fn files_that_cannot_grow_are_told_and_the_run_resumes() {
    for (number, case) in CASES.iter().enumerate() {
        let folder = Folder::new(&format!("limited-{number}"));
        let whole = folder.stationary(&arguments(case, "whole"));
        assert_eq!(whole.status.code(), Some(0), "{case:?}: {}", stderr(&whole));
        let largest =
            |name: &str| std::fs::metadata(folder.0.join("whole").join(name)).map_or(0, |m| m.len());
        let least = largest("series.csv").max(largest("report.html"));
        for part in [0.1, 0.5, 0.9] {
            let blocks = ((part * least as f64) as u64 / 512).max(1);
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
fn a_disk_that_is_full_at_any_write_is_told_and_the_run_resumes() {
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
fn a_full_file_system_is_told_and_the_run_resumes() {
    for (number, case) in CASES.iter().enumerate() {
        let folder = Folder::new(&format!("full-{number}"));
        let whole = folder.stationary(&arguments(case, "whole"));
        assert_eq!(whole.status.code(), Some(0), "{case:?}: {}", stderr(&whole));
        let needed = size(&folder.0.join("whole"));
        for part in [0.08, 0.3, 0.6, 0.95] {
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
