//! Failpoints: places in a run at which a test breaks it. A facility of the tests.
//!
//! What a run leaves behind when it is killed must be tested at chosen places, not at moments: how much a program has done after so
//! many milliseconds depends on the machine and on its load. The environment variable `STATIONARY_FAILPOINT` names one place, as
//! `MOMENT-OPERATION:NUMBER:ACTION`, and is read once:
//!
//! | part | values |
//! |---|---|
//! | moment | `before`, `after`; of a write also `within`: half of its bytes have been written |
//! | operation | `move` (a step, or for solids a stretch of steps), `write`, `sync`, `rename`, `remove`, `truncate` |
//! | number | which operation of this kind the program makes, from 1 |
//! | action | `kill` (SIGKILL), `int` (Ctrl-C), `term` (SIGTERM), `full` (this operation and all later ones of its kind fail as on a full disk) |
//!
//! `before-rename:3:kill` kills the program just before it renames its third file. All files of results go through these
//! operations (`report/file.rs`).
//!
//! While the variable is set no clock decides when a loop reports, hands rows to the system or writes a checkpoint ([`is_due`]): it does
//! so at every opportunity, so that the same operation is the same place on every machine. `always` does that and breaks nothing;
//! with `never` a loop does so at its end only, for tests that count instructions or compare all that is printed. Results do not depend on any of this. When the
//! variable is not set, a place costs one load and one branch.

use stationary::error::Error;
use std::io;
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// The variable that sets a failpoint.
const VARIABLE: &str = "STATIONARY_FAILPOINT";

/// How long a failpoint waits for the program to notice a signal; a safety limit against hanging only.
const PATIENCE: Duration = Duration::from_secs(300);

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operation {
    /// A step of a run, or a stretch of steps.
    Move,
    /// Bytes handed to the system.
    Write,
    /// Bytes brought to the disk.
    Sync,
    /// A file gets its name.
    Rename,
    /// A file is removed.
    Remove,
    /// A file is cut off.
    Truncate,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Moment {
    Before,
    Within,
    After,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Action {
    Signal(&'static str),
    Full,
}

/// What the variable says.
#[derive(Debug)]
struct Setting {
    /// Whether whatever a clock would decide is due.
    due: bool,
    point: Option<Failpoint>,
}

/// A failpoint as the variable names it, and how often its operation was made.
#[derive(Debug)]
struct Failpoint {
    moment: Moment,
    operation: Operation,
    number: u64,
    action: Action,
    made: AtomicU64,
}

/// Set once the program has noticed a signal.
static HEARD: AtomicBool = AtomicBool::new(false);

fn parse(text: &str) -> Option<Setting> {
    match text {
        "always" => Some(Setting { due: true, point: None }),
        "never" => Some(Setting { due: false, point: None }),
        place => Some(Setting { due: true, point: Some(parse_place(place)?) }),
    }
}

fn parse_place(text: &str) -> Option<Failpoint> {
    let (place, rest) = text.split_once(':')?;
    let (moment, operation) = place.split_once('-')?;
    let (number, action) = rest.split_once(':')?;
    let moment = match moment {
        "before" => Moment::Before,
        "within" => Moment::Within,
        "after" => Moment::After,
        _ => return None,
    };
    let operation = match operation {
        "move" => Operation::Move,
        "write" => Operation::Write,
        "sync" => Operation::Sync,
        "rename" => Operation::Rename,
        "remove" => Operation::Remove,
        "truncate" => Operation::Truncate,
        _ => return None,
    };
    let action = match action {
        "kill" => Action::Signal("KILL"),
        "int" => Action::Signal("INT"),
        "term" => Action::Signal("TERM"),
        "full" if operation != Operation::Move => Action::Full,
        _ => return None,
    };
    let number = number.parse().ok().filter(|n| *n > 0)?;
    if moment == Moment::Within && operation != Operation::Write {
        return None;
    }
    Some(Failpoint { moment, operation, number, action, made: AtomicU64::new(0) })
}

/// What the variable says in this process.
fn setting() -> Option<&'static Setting> {
    static SETTING: OnceLock<Option<Setting>> = OnceLock::new();
    SETTING.get_or_init(|| parse(&std::env::var(VARIABLE).ok()?)).as_ref()
}

/// Refuses a variable that names no place, so that no test breaks nothing unnoticed.
pub fn check() -> Result<(), Error> {
    match std::env::var_os(VARIABLE) {
        Some(text) if setting().is_none() => Err(Error::Io {
            path: VARIABLE.into(),
            message: format!(
                "expected MOMENT-OPERATION:NUMBER:ACTION, such as before-rename:3:kill, or always, or never; found `{}`",
                text.to_string_lossy()
            ),
        }),
        _ => Ok(()),
    }
}

/// The program has noticed a signal: a failpoint that sent it goes on from its place.
pub fn heard() {
    HEARD.store(true, Ordering::Release);
}

/// Whether so much time has passed since a moment; while the variable is set, what it says instead.
pub fn is_due(since: Instant, pause: Duration) -> bool {
    setting().map_or_else(|| since.elapsed() > pause, |setting| setting.due)
}

/// Whether the variable is set: what depends on measured times must then depend on something else.
pub fn is_set() -> bool {
    setting().is_some()
}

/// Makes an operation on a file, unless a failpoint keeps it from being made.
pub fn around<T>(operation: Operation, make: impl FnOnce() -> io::Result<T>) -> io::Result<T> {
    let reached = reach(operation);
    act(reached, Moment::Before)?;
    let made = make()?;
    act(reached, Moment::After)?;
    Ok(made)
}

/// Writes some bytes by `write`, or half of them where a failpoint says so.
pub fn around_write(bytes: &[u8], write: impl FnOnce(&[u8]) -> io::Result<usize>) -> io::Result<usize> {
    let reached = reach(Operation::Write);
    act(reached, Moment::Before)?;
    if reached.is_some_and(|point| point.moment == Moment::Within) {
        // A short write: where the program goes on, its caller writes the rest.
        let written = write(&bytes[..bytes.len().div_ceil(2)])?;
        act(reached, Moment::Within)?;
        return Ok(written);
    }
    let written = write(bytes)?;
    act(reached, Moment::After)?;
    Ok(written)
}

/// A move has been made.
pub fn moved() {
    let reached = reach(Operation::Move);
    // A move cannot fail here: the parser knows no such action.
    let _ = act(reached, Moment::Before);
    let _ = act(reached, Moment::After);
}

/// Counts an operation; returns the failpoint if this is its place.
fn reach(operation: Operation) -> Option<&'static Failpoint> {
    let point = setting()?.point.as_ref().filter(|point| point.operation == operation)?;
    let number = point.made.fetch_add(1, Ordering::Relaxed) + 1;
    let here = match point.action {
        Action::Full => number >= point.number,
        Action::Signal(_) => number == point.number,
    };
    here.then_some(point)
}

fn act(reached: Option<&Failpoint>, moment: Moment) -> io::Result<()> {
    match reached.filter(|point| point.moment == moment).map(|point| point.action) {
        None => Ok(()),
        Some(Action::Full) => Err(io::ErrorKind::StorageFull.into()),
        Some(Action::Signal(name)) => {
            signal(name);
            Ok(())
        }
    }
}

/// Sends a signal to this process, by the shell's own command, and waits until it is noticed.
fn signal(name: &str) {
    let kill = format!("kill -{name} {}", std::process::id());
    let sent = Command::new("sh").args(["-c", &kill]).status().is_ok_and(|status| status.success());
    if !sent || name == "KILL" {
        // Ended without any cleaning up in either case.
        std::process::abort();
    }
    let began = Instant::now();
    while !HEARD.load(Ordering::Acquire) && began.elapsed() < PATIENCE {
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failpoints_are_read_or_refused() {
        assert!(parse("always").is_some_and(|s| s.due && s.point.is_none()));
        assert!(parse("never").is_some_and(|s| !s.due && s.point.is_none()));
        let point = parse("before-rename:3:kill").unwrap().point.unwrap();
        assert_eq!((point.moment, point.operation), (Moment::Before, Operation::Rename));
        assert_eq!((point.number, point.action), (3, Action::Signal("KILL")));
        for good in
            ["after-move:1:int", "within-write:17:full", "after-truncate:2:term", "before-sync:1:full"]
        {
            assert!(parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "rename:3:kill",
            "before-rename:0:kill",
            "before-rename:x:kill",
            "before-rename:3",
            "before-rename:3:stop",
            "within-sync:1:kill",
            "amid-write:1:kill",
            "before-read:1:kill",
            "after-move:1:full",
        ] {
            assert!(parse(bad).is_none(), "{bad}");
        }
    }
}
