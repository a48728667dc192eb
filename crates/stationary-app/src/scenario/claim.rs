//! Claims: what a scenario promises about its own results, `energy.max_relative_error < 1e-3`.

use std::fmt;

use serde_json::Value;

use super::constants::Constants;
use super::place::Text;
use super::tree;
use stationary::error::{Diagnostic, near_miss};

/// A comparison of one number of `summary.json` with a bound.
#[derive(Debug, Clone)]
pub struct Claim {
    /// The claim as it was written.
    pub text: Text,
    /// Dotted key of `summary.json`.
    pub path: String,
    /// How the measured number must compare with the bound.
    pub relation: Relation,
    /// The bound.
    pub bound: f64,
}

/// `<`, `<=`, `>`, `>=` or `==`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Relation {
    /// `<`
    Below,
    /// `<=`
    AtMost,
    /// `>`
    Above,
    /// `>=`
    AtLeast,
    /// `==`
    Equal,
}

/// Longer signs first: `<` also begins `<=`.
const RELATIONS: [(&str, Relation); 5] = [
    ("<=", Relation::AtMost),
    (">=", Relation::AtLeast),
    ("==", Relation::Equal),
    ("<", Relation::Below),
    (">", Relation::Above),
];

impl Relation {
    /// Whether the relation holds; never for NaN.
    pub fn holds(self, measured: f64, bound: f64) -> bool {
        match self {
            Relation::Below => measured < bound,
            Relation::AtMost => measured <= bound,
            Relation::Above => measured > bound,
            Relation::AtLeast => measured >= bound,
            Relation::Equal => measured == bound,
        }
    }
}

/// A claim held against the results.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckedClaim {
    /// The claim as it was written.
    pub text: String,
    /// Whether it held.
    pub holds: bool,
    /// The number it was about, if the results have it.
    pub measured: Option<f64>,
    /// Why it does not hold, or what was measured.
    pub reason: String,
}

impl fmt::Display for CheckedClaim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = if self.holds { "holds" } else { "FAILED" };
        write!(f, "{word}: {} ({})", self.text, self.reason)
    }
}

impl Claim {
    /// Reads `path relation number`; the number may be a formula of the parameters.
    pub(super) fn read(text: Text, constants: &Constants) -> Result<Claim, Diagnostic> {
        let malformed = |why: &str| {
            text.error(format!("a claim must be `key < number`, {why}"))
                .help("expected a dotted key of summary.json, one of < <= > >= ==, and a number")
        };
        let Some((at, sign, relation)) = first_relation(&text.text) else {
            return Err(malformed("found no comparison"));
        };
        let path = text.text[..at].trim().to_string();
        let word =
            |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || "_-".contains(c));
        if !path.split('.').all(word) {
            return Err(malformed(&format!("`{}` is no key", tree::shorten(&path))));
        }
        let after = at + sign;
        if text.text[after..].trim().is_empty() {
            return Err(malformed("found no number"));
        }
        let bound = constants.number_within("claim", &text, after)?;
        Ok(Claim { path, relation, bound, text })
    }

    /// Refuses a claim about a key that is not in the summary, or is no number there; null may become one.
    pub fn check(&self, summary: &Value) -> Result<(), Diagnostic> {
        match find(summary, &self.path) {
            Err(reason) => Err(self.text.error(format!("a claim about nothing: {reason}"))),
            Ok(value) if value.is_number() || value.is_null() => Ok(()),
            Ok(_) => Err(self.text.error(format!("a claim needs a number, `{}` is none", self.path))),
        }
    }

    /// Compares the claim with the results. A key that is missing, null or not a number never holds.
    pub fn evaluate(&self, summary: &Value) -> CheckedClaim {
        let outcome = |holds, measured, reason| CheckedClaim {
            text: self.text.text.trim().to_string(),
            holds,
            measured,
            reason,
        };
        match find(summary, &self.path) {
            Err(reason) => outcome(false, None, reason),
            Ok(value) => match value.as_f64() {
                Some(x) => {
                    outcome(self.relation.holds(x, self.bound), Some(x), format!("measured {}", show(x)))
                }
                None if value.is_null() => outcome(false, None, "the measured value is not a number".into()),
                None => outcome(false, None, format!("`{}` is not a number in the summary", self.path)),
            },
        }
    }
}

/// A measured value short enough for a table, long enough to tell it from its bound.
fn show(x: f64) -> String {
    if x == 0.0 || (1e-3..1e6).contains(&x.abs()) { format!("{x}") } else { format!("{x:e}") }
}

/// Where the comparison is, how long its sign is, and which it is.
fn first_relation(text: &str) -> Option<(usize, usize, Relation)> {
    let at = text.find(['<', '>', '='])?;
    RELATIONS.iter().find(|(sign, _)| text[at..].starts_with(sign)).map(|(sign, r)| (at, sign.len(), *r))
}

/// Follows a dotted key.
fn find<'a>(summary: &'a Value, path: &str) -> Result<&'a Value, String> {
    let mut value = summary;
    let mut walked = String::new();
    for part in path.split('.') {
        let next = match value {
            Value::Object(map) => map.get(part),
            Value::Array(list) => part.parse::<usize>().ok().and_then(|k| list.get(k)),
            _ => None,
        };
        let Some(next) = next else { return Err(missing(value, &walked, part)) };
        if !walked.is_empty() {
            walked.push('.');
        }
        walked.push_str(part);
        value = next;
    }
    Ok(value)
}

fn missing(value: &Value, walked: &str, part: &str) -> String {
    let owner = if walked.is_empty() { "the summary".to_string() } else { format!("`{walked}`") };
    let keys: Vec<&str> = value.as_object().map_or(Vec::new(), |m| m.keys().map(String::as_str).collect());
    let mut reason = format!("{owner} has no `{part}`");
    if let Some(near) = near_miss(part, keys.iter().copied()) {
        reason.push_str(&format!("; did you mean `{near}`?"));
    } else if !keys.is_empty() && keys.len() <= 40 {
        reason.push_str(&format!("; it has {}", keys.join(", ")));
    }
    reason
}
