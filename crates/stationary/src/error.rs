//! The two ways a run can fail: the input is wrong, or the mechanics stops.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Everything the library reports. It neither prints nor exits.
#[derive(Debug, Clone)]
pub enum Error {
    /// The scenario, a formula or an option is wrong: nothing has been run or written.
    Input(Box<Diagnostic>),
    /// A run stopped; all that happened before [`RunError::time`] is kept.
    Run(RunError),
    /// A file could not be read or written.
    Io {
        /// The file or folder.
        path: String,
        /// What the system said.
        message: String,
    },
    /// The user ended the preparation of a run ([`interrupt`](crate::interrupt)): nothing has been run or written.
    Interrupted,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Input(d) => d.fmt(f),
            Error::Run(e) => e.fmt(f),
            Error::Io { path, message } => write!(f, "{path}: {message}"),
            Error::Interrupted => write!(f, "interrupted before the first step; nothing was written"),
        }
    }
}

impl std::error::Error for Error {}

impl std::error::Error for RunError {}

impl std::error::Error for Diagnostic {}

impl From<Diagnostic> for Error {
    fn from(d: Diagnostic) -> Self {
        Error::Input(Box::new(d))
    }
}

impl From<RunError> for Error {
    fn from(e: RunError) -> Self {
        Error::Run(e)
    }
}

/// A run that could not go on.
#[derive(Debug, Clone, PartialEq)]
pub struct RunError {
    /// The last time at which everything was well.
    pub time: f64,
    /// Steps completed by then.
    pub step: u64,
    /// What happened.
    pub cause: Cause,
}

/// Why a run could not go on.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cause {
    /// Newton's method did not reach its tolerance.
    Newton {
        /// Iterations made.
        iterations: usize,
        /// Largest component of the last residual, relative to its scale.
        residual: f64,
    },
    /// The matrix of a linear solve is singular at this configuration.
    Singular,
    /// Newton's method found no position that obeys a constraint.
    Constraint {
        /// Its number, from 0.
        number: usize,
        /// What it is left at.
        value: f64,
    },
    /// A value that should be a number is not one.
    NotFinite {
        /// Which value: a coordinate's position or momentum, an energy.
        what: String,
    },
    /// The energy grows without bound.
    Energy {
        /// When it was seen.
        time: f64,
        /// The energy then.
        energy: f64,
        /// Its change, less the work from outside, over all that the system had, set free and was given.
        growth: f64,
        /// Where most of it is, as the user knows the place; empty if there is no such place.
        place: String,
        /// What would help.
        remedy: String,
    },
    /// There is no motion on from a contact.
    Gap {
        /// The gaps it is about, by their numbers, from 0.
        gaps: Vec<usize>,
        /// When, if later than the last good moment.
        time: f64,
        /// What is wrong there.
        why: ContactFault,
    },
    /// The same, with the names that the gaps have in a scenario.
    Contact {
        /// The gaps it is about.
        gaps: Vec<String>,
        /// When, if later than the last good moment.
        time: f64,
        /// What is wrong there.
        why: ContactFault,
    },
    /// Impacts follow each other without end.
    Impacts {
        /// How many, when and between whom.
        what: String,
    },
    /// There is no equilibrium to be found with the next load step.
    Equilibrium {
        /// What is wrong, where, and what would help.
        why: String,
    },
    /// The user ended a step that takes long ([`interrupt`](crate::interrupt)); it was not made.
    Interrupted,
    /// An element has no energy in the configuration reached.
    Element {
        /// Its number, as the user knows it.
        number: usize,
        /// When, if later than the last good moment.
        time: f64,
        /// What is wrong with it.
        why: String,
        /// What would help, or has been tried.
        remedy: String,
    },
}

/// What can be wrong with gaps at a place.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum ContactFault {
    /// The gap is negative: the place is inside an obstacle. Its value.
    Inside(f64),
    /// The gap or its gradient is not a finite number.
    NotFinite,
    /// The gap is closed and has no gradient, so there is no direction that opens it.
    Flat,
    /// The gaps leave no velocity with which none of them closes.
    Opposed,
    /// The gap falls below zero without passing it.
    Jumps,
    /// This many impacts happened in one step.
    Endless(usize),
    /// An impact changed the energy by this, which differs from what its law asks for by more than the energy scale of the run.
    Wild(f64),
}

impl fmt::Display for ContactFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ContactFault::Inside(value) => {
                write!(f, "{value:.6e}: the place is inside an obstacle, where a gap is negative")
            }
            ContactFault::NotFinite => write!(f, "not a finite number"),
            ContactFault::Flat => write!(
                f,
                "closed where its gradient vanishes, so that no direction opens it; write the gap as a distance, for example \
                 `y` instead of `y^2`"
            ),
            ContactFault::Jumps => {
                write!(f, "not continuous: it jumps from a positive value to a negative one")
            }
            ContactFault::Opposed => {
                write!(f, "in contradiction: no velocity keeps all of them from closing")
            }
            ContactFault::Wild(change) => write!(
                f,
                "hit with a change of energy by {change:.3e}, far from that of its law: the contact could not be solved; a smaller step \
                 or formulas for the slip of friction may help"
            ),
            ContactFault::Endless(most) => {
                write!(f, "hit {most} times in one step; a smaller restitution or step may help")
            }
        }
    }
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stopped at time {} after {} steps: ", self.time, self.step)?;
        match &self.cause {
            Cause::Newton { iterations, residual } => write!(
                f,
                "Newton's method left a relative residual of {residual:.3e} after {iterations} iterations; \
                 a smaller step usually helps"
            ),
            Cause::Singular => write!(f, "the step's linear system is singular"),
            Cause::Constraint { number, value } => write!(
                f,
                "constraint {number} is left at {value:.3e}: no position nearby obeys all constraints, or the step is too large"
            ),
            Cause::Gap { gaps, time, why } => {
                let names: Vec<String> = gaps.iter().map(|g| g.to_string()).collect();
                let (plural, verb) = if gaps.len() == 1 { ("", "is") } else { ("s", "are") };
                write!(f, "gap{plural} {} at time {time} {verb} {why}", names.join(", "))
            }
            Cause::Contact { gaps, time, why } => {
                let verb = if gaps.len() == 1 { "is" } else { "are" };
                write!(f, "at time {time} {} {verb} {why}", gaps.join(" and "))
            }
            Cause::NotFinite { what } => write!(f, "{what} is no longer a finite number"),
            Cause::Energy { time, energy, growth, place, remedy } => {
                let place = if place.is_empty() { String::new() } else { format!(", most of it in {place}") };
                write!(
                    f,
                    "the energy explodes: at time {time} it is {energy:.3e}{place}, and has changed by {growth:.1e} times all that the \
                     system had, set free and was given; {remedy}"
                )
            }
            Cause::Impacts { what } => write!(f, "{what}"),
            Cause::Equilibrium { why } => write!(f, "{why}"),
            Cause::Interrupted => write!(f, "interrupted"),
            Cause::Element { number, time, why, remedy } => {
                write!(f, "element {number} at time {time}: {why}; {remedy}")
            }
        }
    }
}

/// A named text that errors point into.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// File name as the user gave it, or `--set key`.
    pub name: String,
    /// The whole text.
    pub text: String,
}

/// One input error: where it is, what is wrong, what was expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// What was expected, or a near miss.
    pub help: Option<String>,
    /// Byte range in `source`.
    pub span: Option<Range<usize>>,
    /// The text the span points into.
    pub source: Option<Arc<Source>>,
}

impl Diagnostic {
    /// An error with no place yet.
    pub fn new(message: impl Into<String>) -> Self {
        Diagnostic { message: message.into(), help: None, span: None, source: None }
    }

    /// Says what was expected.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Points at a byte range of a text.
    pub fn at(mut self, source: &Arc<Source>, span: Range<usize>) -> Self {
        self.source = Some(Arc::clone(source));
        self.span = Some(span);
        self
    }

    /// Line and column, both from 1, columns counted in characters.
    pub fn line_column(&self) -> Option<(usize, usize)> {
        let (source, span) = (self.source.as_ref()?, self.span.as_ref()?);
        let start = floor_char_boundary(&source.text, span.start);
        let before = &source.text[..start];
        let line_start = before.rfind('\n').map_or(0, |i| i + 1);
        Some((before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }
}

fn floor_char_boundary(text: &str, mut at: usize) -> usize {
    at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Longest piece of a source line shown under a message.
const SHOWN: usize = 100;

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = self.line_column();
        if let Some(source) = &self.source {
            write!(f, "{}:", source.name)?;
            if let Some((line, column)) = place {
                write!(f, "{line}:{column}:")?;
            }
            write!(f, " ")?;
        }
        write!(f, "{}", self.message)?;
        if let (Some(source), Some(span), Some((line, column))) = (&self.source, &self.span, place) {
            let text = source.text.lines().nth(line - 1).unwrap_or("");
            let skip = column.saturating_sub(SHOWN / 2 + 1);
            // One character for each, so that the carets stand below what they mean.
            let plain = |c: char| match c {
                '\t' => ' ',
                c if is_unsafe(c) => char::REPLACEMENT_CHARACTER,
                c => c,
            };
            let shown: String = text.chars().skip(skip).take(SHOWN).map(plain).collect();
            let width =
                source.text.get(span.clone()).map_or(1, |s| s.lines().next().unwrap_or("").chars().count());
            let room = shown.chars().count().saturating_sub(column - 1 - skip);
            let carets = "^".repeat(width.clamp(1, room.max(1)));
            write!(f, "\n  | {shown}\n  | {}{carets}", " ".repeat(column - 1 - skip))?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n  = {help}")?;
        }
        Ok(())
    }
}

/// Whether a terminal may obey a character instead of showing it: control characters (ESC, CR, BEL, the C1 set with its
/// one-character CSI and OSC), separators of lines, and the marks that reorder text or are tags without a picture. Line ends and tabs are
/// among what a terminal obeys, and are for the caller to allow.
pub fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        || matches!(c, '\u{e0000}'..='\u{e007f}')
}

/// A text that is safe to print: characters that a terminal may obey ([`is_unsafe`]), line ends and tabs aside, are written as
/// Rust writes them.
///
/// ```
/// use stationary::error::visible;
/// assert_eq!(visible("\u{1b}[31mred\r\u{9b}0m\u{202e}"), "\\u{1b}[31mred\\r\\u{9b}0m\\u{202e}");
/// assert_eq!(visible("ä θ\n\t"), "ä θ\n\t");
/// ```
pub fn visible(text: &str) -> Cow<'_, str> {
    let hidden = |c: char| is_unsafe(c) && !matches!(c, '\n' | '\t');
    if !text.contains(hidden) {
        return Cow::Borrowed(text);
    }
    let show = |c: char| if hidden(c) { c.escape_default().to_string() } else { c.to_string() };
    Cow::Owned(text.chars().map(show).collect())
}

/// The candidate a misspelt `name` most likely meant, if any is near.
///
/// ```
/// assert_eq!(stationary::error::near_miss("sni", ["sin", "sinh", "cos"]), Some("sin"));
/// assert_eq!(stationary::error::near_miss("banana", ["sin", "cos"]), None);
/// ```
pub fn near_miss<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.len() > 64 {
        return None;
    }
    let lower = name.to_lowercase();
    candidates
        .into_iter()
        .map(|c| (strsim::osa_distance(&lower, &c.to_lowercase()), c))
        .filter(|(d, c)| *d <= 1 + c.chars().count().max(name.chars().count()) / 4)
        .min_by_key(|(d, _)| *d)
        .map(|(_, c)| c)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_diagnostic_names_file_line_and_column() {
        let source = Arc::new(Source { name: "a.toml".into(), text: "one = 1\ntwo = sni\n".into() });
        let d = Diagnostic::new("unknown function `sni`").at(&source, 14..17).help("did you mean `sin`?");
        assert_eq!(
            d.to_string(),
            "a.toml:2:7: unknown function `sni`\n  | two = sni\n  |       ^^^\n  = did you mean `sin`?"
        );
    }
}
