//! Progress: a bar on a terminal, a line now and then elsewhere, or JSON lines for programs.

mod pace;

use std::io::IsTerminal;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use pace::{Pace, Rates, Sample};
use serde_json::{Value, json};
use stationary_app::scenario::Scenario;
use stationary_app::{run, sweep};
use stationary_report::failpoint;

use crate::events;
use crate::output::complain;

/// Set by Ctrl-C or SIGTERM.
static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Interrupts this close together are one request: `timeout` and batch systems signal the program and its group.
const ONE_REQUEST: Duration = Duration::from_secs(1);

/// Makes Ctrl-C end the run after the current step, or within it where it is long. A second one, a second later, ends the program at once.
pub fn catch_interrupts() {
    let mut first = None;
    // Without a handler an interrupt ends the program as it would any other: nothing to report.
    let _ = ctrlc::set_handler(move || {
        INTERRUPTED.store(true, Ordering::Relaxed);
        failpoint::heard();
        if first.get_or_insert_with(Instant::now).elapsed() > ONE_REQUEST {
            std::process::exit(2);
        }
    });
}

/// Whether the user has asked for an end.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// What numbers of a run are called.
#[derive(Debug, Clone, Copy)]
pub struct ProgressLabels {
    /// What is counted.
    pub moves: &'static str,
    /// How far the energy is from that of the start.
    pub energy: &'static str,
}

impl ProgressLabels {
    /// The words that suit a scenario. Where something takes or gives energy its change is no error.
    pub fn of(scenario: &Scenario) -> ProgressLabels {
        let moves = scenario.moves_name();
        ProgressLabels {
            moves,
            energy: if scenario.exchanges_energy() { "energy change" } else { "energy error" },
        }
    }
}

/// Shows how far a run is.
pub struct Display {
    style: Style,
    /// When something was shown last, or the beginning.
    shown: Instant,
    began: Instant,
    pace: Pace,
    /// Warnings told so far.
    warnings: u64,
    /// Reductions of the time steps told so far.
    reductions: u64,
    /// Whether growth of the energy was told.
    growth_told: bool,
}

enum Style {
    Bar(ProgressBar),
    Lines,
    /// Lines of JSON on standard output, with or without progress.
    Json {
        progress: bool,
    },
    Silent,
}

impl Display {
    pub fn new(quiet: bool, json: bool) -> Self {
        let style = match (json, quiet, std::io::stderr().is_terminal()) {
            (true, _, _) => Style::Json { progress: !quiet },
            (_, true, _) => Style::Silent,
            (_, false, true) => Style::Bar(bar()),
            (_, false, false) => Style::Lines,
        };
        let began = Instant::now();
        Display {
            style,
            shown: began,
            began,
            pace: Pace::default(),
            warnings: 0,
            reductions: 0,
            growth_told: false,
        }
    }

    /// Sees a run after a step and says whether it may go on.
    pub fn watch(&mut self, progress: &run::Progress, words: ProgressLabels) -> ControlFlow<()> {
        if progress.growth > 0.0 && !self.growth_told {
            self.growth_told = true;
            let percent = 100.0 * progress.growth;
            self.warn(&format!("the energy grows, by {percent:.1} % at t = {:.4}", progress.time));
        }
        if progress.reductions > self.reductions {
            self.reductions = progress.reductions;
            if let Some(reduction) = &progress.reduction {
                self.warn(&reduction.to_string());
            }
        }
        self.see(|pace, warnings, seconds| of_run(progress, words, (pace, warnings, seconds)))
    }

    /// The same for a sweep.
    pub fn watch_sweep(&mut self, progress: &sweep::SweepProgress) -> ControlFlow<()> {
        self.see(|pace, _, seconds| of_sweep(progress, (pace, seconds)))
    }

    fn warn(&mut self, message: &str) {
        self.warnings += 1;
        let words = format!("warning: {message}");
        match &self.style {
            Style::Bar(bar) => bar.suspend(|| complain(&words)),
            Style::Json { .. } => events::warning(message),
            Style::Lines | Style::Silent => complain(&words),
        }
    }

    fn see(&mut self, state: impl FnOnce(&mut Pace, u64, f64) -> State) -> ControlFlow<()> {
        if interrupted() {
            return ControlFlow::Break(());
        }
        let now = Instant::now();
        let due = failpoint::is_due(self.shown, self.pause());
        // The first look is where rates are counted from.
        if due || self.pace.is_empty() {
            let state = state(&mut self.pace, self.warnings, (now - self.began).as_secs_f64());
            if due {
                self.shown = now;
                self.show(&state);
            }
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
            Style::Json { .. } => Duration::from_secs(1),
            Style::Lines | Style::Silent => Duration::from_secs(5),
        }
    }

    fn show(&self, State { part, left, words, event }: &State) {
        let (percent, left) = (100.0 * part, duration(*left));
        match &self.style {
            Style::Bar(bar) => {
                bar.set_position((part * f64::from(BAR)) as u64);
                bar.set_message(format!("{percent:>3.0} %, {left} left, {words}"));
            }
            Style::Lines => complain(&format!("{percent:.0} %, {left} left, {words}")),
            Style::Json { progress: true } => events::write(event),
            Style::Json { progress: false } | Style::Silent => {}
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
    /// The same for programs.
    event: Value,
}

fn of_run(
    progress: &run::Progress,
    names: ProgressLabels,
    (pace, warnings, seconds): (&mut Pace, u64, f64),
) -> State {
    let run::Progress {
        step,
        steps,
        time,
        end,
        energy_error,
        moves,
        impacts,
        growth: _,
        reductions: _,
        reduction: _,
    } = progress;
    let part = (*step as f64 / (*steps).max(1) as f64).min(1.0);
    let rates = pace.see(Sample { at: seconds, part, time: *time, moves: *moves as f64 });
    let Rates { moves: speed, time: flow, left } = rates.unwrap_or(UNKNOWN);
    let goal = match (impacts, end.is_finite()) {
        (Some([seen, all]), _) => format!("impact {seen} of {all}, t = {}", amount(*time)),
        (None, true) => format!("t = {} of {}", amount(*time), amount(*end)),
        (None, false) => format!("t = {}", amount(*time)),
    };
    let plural = if warnings == 1 { "" } else { "s" };
    let warned = if warnings > 0 { format!("{warnings} warning{plural}, ") } else { String::new() };
    let ProgressLabels { moves: unit, energy } = names;
    State {
        part,
        left,
        words: format!(
            "{warned}{goal}, {energy} {energy_error:.1e}, {} {unit}/s, {} of t/min",
            short(speed),
            short(flow)
        ),
        event: json!({
            "event": "progress",
            "elapsed": seconds,
            "part": part,
            "left": left,
            "time": time,
            "end": end,
            "moves": moves,
            "unit": unit,
            "moves_per_second": speed,
            "time_per_minute": flow,
            "energy_error": energy_error,
            "impacts": impacts.map(|[seen, _]| seen),
            "end_impacts": impacts.map(|[_, all]| all),
            "warnings": warnings,
        }),
    }
}

fn of_sweep(progress: &sweep::SweepProgress, (pace, seconds): (&mut Pace, f64)) -> State {
    let sweep::SweepProgress { runs, done, resumed: _, amiss, under_way } = progress;
    let all = *done as f64 + under_way;
    let part = (all / (*runs).max(1) as f64).min(1.0);
    let Rates { moves: speed, left, .. } =
        pace.see(Sample { at: seconds, part, time: 0.0, moves: all }).unwrap_or(UNKNOWN);
    let bad = if *amiss > 0 { format!(", {amiss} amiss") } else { String::new() };
    State {
        part,
        left,
        words: format!("{done} of {runs} runs{bad}, {} runs/s", short(speed)),
        event: json!({
            "event": "progress",
            "elapsed": seconds,
            "part": part,
            "left": left,
            "runs": runs,
            "runs_done": done,
            "runs_amiss": amiss,
            "runs_per_second": speed,
        }),
    }
}

/// Before there are two looks.
const UNKNOWN: Rates = Rates { moves: f64::NAN, time: f64::NAN, left: f64::NAN };

/// A simulated time for people: six digits at most.
fn amount(time: f64) -> String {
    match time {
        t if !t.is_finite() => t.to_string(),
        t if t == 0.0 || (1e-3..1e6).contains(&t.abs()) => {
            let digits = (5 - t.abs().max(1.0).log10().floor() as usize).min(4);
            trimmed(&format!("{t:.digits$}"))
        }
        t => {
            let text = format!("{t:.4e}");
            let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
            format!("{}e{power}", trimmed(digits))
        }
    }
}

/// Without zeros at the end of a fraction.
fn trimmed(number: &str) -> String {
    match number.contains('.') {
        true => number.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => number.to_string(),
    }
}

/// A rate for people: two digits, or `?` where it is not known yet.
fn short(rate: f64) -> String {
    match rate {
        r if !r.is_finite() => "?".into(),
        0.0 => "0".into(),
        r if (0.01..1e4).contains(&r.abs()) => format!("{:.*}", usize::from(r.abs() < 10.0) * 2, r),
        r => format!("{r:.1e}"),
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
        ProgressStyle::with_template("{bar:10} {wide_msg}").unwrap_or_else(|_| ProgressStyle::default_bar());
    let bar = ProgressBar::new(u64::from(BAR)).with_style(style);
    bar.set_message("preparing");
    bar.tick();
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_numbers_are_printed_short() {
        let shown = [0.0, 0.5, 12.34, 9999.0, 1.23456e7, 1e-5, f64::NAN, f64::INFINITY].map(short);
        assert_eq!(shown, ["0", "0.50", "12", "9999", "1.2e7", "1.0e-5", "?", "?"]);
        let shown = [0.0, 10.0, 2.654321, 123.456, 99_999.96, 1e7, 2.5e-4, -1.5, f64::NAN].map(amount);
        assert_eq!(shown, ["0", "10", "2.6543", "123.456", "100000", "1e7", "2.5e-4", "-1.5", "NaN"]);
        let shown = [0.4, 179.0, 300.0, 36_000.0, f64::INFINITY, f64::NAN].map(duration);
        assert_eq!(shown, ["0 s", "179 s", "5 min", "10.0 h", "?", "?"]);
    }
}
