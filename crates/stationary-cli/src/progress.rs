//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use stationary::{run, sweep};

use crate::output::complain;

/// Set by Ctrl-C or SIGTERM.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Interrupts this close together are one request: `timeout` and batch systems signal the program and its group.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// Makes Ctrl-C end the run after the current step. A second one, a second later, ends the program at once.
pub fn catch_interrupts() {
    let mut first = None;
    // Without a handler an interrupt ends the program as it would any other: nothing to report.
    let _ = ctrlc::set_handler(move || {
        INTERRUPTED.store(true, Ordering::Relaxed);
        if first.get_or_insert_with(Instant::now).elapsed() > ONE_REQUEST {
            std::process::exit(2);
        }
    });
}

/// Shows how far a run is.
pub struct Display {
    style: Style,
    next: Instant,
    began: Instant,
    /// Whether the growth of an energy has been told.
    told: bool,
}

enum Style {
    Bar(ProgressBar),
    Lines,
    Silent,
}

impl Display {
    pub fn new(quiet: bool) -> Self {
        let style = match (quiet, std::io::stderr().is_terminal()) {
            (true, _) => Style::Silent,
            (false, true) => Style::Bar(bar()),
            (false, false) => Style::Lines,
        };
        let began = Instant::now();
        let mut display = Display { style, next: began, began, told: false };
        display.next += display.pause();
        display
    }

    /// Sees a run after a step and says whether it may go on.
    pub fn watch(&mut self, progress: &run::Progress) -> ControlFlow<()> {
        if progress.growth > 0.0 && !self.told {
            self.told = true;
            let percent = 100.0 * progress.growth;
            let words = format!("warning: the energy grows, by {percent:.1} % at t = {:.4}", progress.time);
            match &self.style {
                Style::Bar(bar) => bar.suspend(|| complain(&words)),
                _ => complain(&words),
            }
        }
        self.see(|seconds| of_run(progress, seconds))
    }

    /// The same for a sweep.
    pub fn watch_sweep(&mut self, progress: &sweep::Progress) -> ControlFlow<()> {
        self.see(|seconds| of_sweep(progress, seconds))
    }

    fn see(&mut self, state: impl FnOnce(f64) -> State) -> ControlFlow<()> {
        if INTERRUPTED.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let now = Instant::now();
        if now >= self.next {
            self.next = now + self.pause();
            self.show(&state((now - self.began).as_secs_f64()));
        }
        ControlFlow::Continue(())
    }

    /// Clears the bar, so that the results follow on an empty line.
    pub fn finish(self) {
        if let Style::Bar(bar) = self.style {
            bar.finish_and_clear();
        }
    }

    fn pause(&self) -> Duration {
        match self.style {
            Style::Bar(_) => Duration::from_millis(100),
            _ => Duration::from_secs(10),
        }
    }

    fn show(&self, State { part, left, words }: &State) {
        let (percent, left) = (100.0 * part, duration(*left));
        match &self.style {
            Style::Bar(bar) => {
                bar.set_position((part * f64::from(BAR)) as u64);
                bar.set_message(format!("{percent:>3.0} %, {left} left, {words}"));
            }
            Style::Lines => complain(&format!("{percent:.0} %, {left} left, {words}")),
            Style::Silent => {}
        }
    }
}

/// What is shown.
struct State {
    /// How much is done, from 0 to 1.
    part: f64,
    /// Seconds left.
    left: f64,
    words: String,
}

fn of_run(progress: &run::Progress, seconds: f64) -> State {
    let run::Progress { step, steps, time, end, energy_error, moves, impacts, growth: _ } = progress;
    let (rate, speed) = (*step as f64 / seconds, *moves as f64 / seconds);
    let goal = match (impacts, end.is_finite()) {
        (Some([seen, all]), _) => format!("impact {seen} of {all}, t = {time:.4}"),
        (None, true) => format!("t = {time:.4} of {end:.4}"),
        (None, false) => format!("t = {time:.4}"),
    };
    State {
        part: *step as f64 / (*steps).max(1) as f64,
        left: steps.saturating_sub(*step) as f64 / rate,
        words: format!("{goal}, energy error {energy_error:.1e}, {speed:.1e} moves/s"),
    }
}

fn of_sweep(progress: &sweep::Progress, seconds: f64) -> State {
    let sweep::Progress { runs, done, resumed, amiss, under_way } = progress;
    let made = (done - resumed) as f64 + under_way;
    let all = *done as f64 + under_way;
    let amiss = if *amiss > 0 { format!(", {amiss} amiss") } else { String::new() };
    State {
        part: all / *runs as f64,
        left: (*runs as f64 - all) * seconds / made,
        words: format!("{done} of {runs} runs{amiss}"),
    }
}

/// A time for people. A rate that is not known yet makes it infinite, or not a number.
fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 180.0 => format!("{s:.0} s"),
        s if s < 10_800.0 => format!("{:.0} min", s / 60.0),
        s if s < 1e9 => format!("{:.1} h", s / 3600.0),
        _ => "?".into(),
    }
}

/// Parts of the bar: more than it has characters.
const BAR: u32 = 10_000;

fn bar() -> ProgressBar {
    let style =
        ProgressStyle::with_template("{bar:16} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(u64::from(BAR)).with_style(style)
}
