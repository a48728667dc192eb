//! Progress on standard error: a bar on a terminal, a line now and then elsewhere.

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use stationary::run::Progress;

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
        let mut display = Display { style, next: began, began };
        display.next += display.pause();
        display
    }

    /// Sees the run after a step and says whether it may go on.
    pub fn watch(&mut self, progress: &Progress) -> ControlFlow<()> {
        if INTERRUPTED.load(Ordering::Relaxed) {
            return ControlFlow::Break(());
        }
        let now = Instant::now();
        if now >= self.next {
            self.next = now + self.pause();
            self.show(progress, now);
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

    fn show(&self, progress: &Progress, now: Instant) {
        let Progress { step, steps, time, end, energy_error, moves } = progress;
        let seconds = (now - self.began).as_secs_f64();
        let (rate, speed) = (*step as f64 / seconds, *moves as f64 / seconds);
        let state =
            format!("t = {time:.4} of {end:.4}, energy error {energy_error:.1e}, {speed:.1e} moves/s");
        match &self.style {
            Style::Bar(bar) => {
                bar.set_message(state);
                bar.set_length(*steps);
                bar.set_position(*step);
            }
            Style::Lines => {
                let left = steps.saturating_sub(*step) as f64 / rate;
                let percent = 100.0 * *step as f64 / (*steps).max(1) as f64;
                complain(&format!("{percent:.0} %, {left:.0} s left, {state}"));
            }
            Style::Silent => {}
        }
    }
}

fn bar() -> ProgressBar {
    let template = "{bar:16} {percent:>3} %, {eta} left, {wide_msg}";
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(0).with_style(style)
}
