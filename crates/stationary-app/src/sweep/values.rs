//! The values of `--over KEY=VALUES`: pieces between commas, each a value as for `--set` or a range `from..to:count`.

use super::plan::{Factor, MOST_RUNS};
use super::text::number;
use crate::scenario::{plain_key, plain_value};
use stationary::error::{Diagnostic, Error, Source};
use stationary::formula::{Scope, evaluate_constant};
use std::ops::Range;
use std::sync::Arc;

impl Factor {
    /// One key and its values, parted by commas outside of brackets and quotes. `from..to:count` stands for `count`
    /// equally spaced numbers, both ends included; with `:log` their logarithms are equally spaced.
    ///
    /// ```
    /// use stationary_app::sweep::Factor;
    /// let values = |text| Factor::over("key", text).map(|f| f.rows.concat());
    /// assert_eq!(values("1, [1,2], atan(1,2)")?, ["1", "[1,2]", "atan(1,2)"]);
    /// assert_eq!(values("0..pi:3")?, ["0", "1.5707963267948966", "3.141592653589793"]);
    /// assert_eq!(values("0.001..1:4:log, 5")?, ["0.001", "0.01", "0.1", "1", "5"]);
    /// # Ok::<(), stationary::error::Error>(())
    /// ```
    pub fn over(key: &str, values: &str) -> Result<Factor, Error> {
        let source = Arc::new(Source { name: format!("--over {key}"), text: values.to_string() });
        let mut all = Vec::new();
        for piece in pieces(values) {
            let text = values[piece.clone()].trim();
            if text.is_empty() {
                return Err(Diagnostic::new("a value is missing")
                    .at(&source, piece)
                    .help("expected values between commas, as in 0.5,1,2, or a range, as in 0..1:11")
                    .into());
            }
            match split_range(text) {
                Some(parts) => all.extend(range(parts).map_err(|d| d.at(&source, piece))?),
                None => all.push(plain_value(text).to_string()),
            }
            if all.len() > MOST_RUNS {
                return Err(Diagnostic::new(format!("more than {MOST_RUNS} values"))
                    .at(&source, 0..values.len())
                    .into());
            }
        }
        Ok(Factor { keys: vec![plain_key(key)], rows: all.into_iter().map(|v| vec![v]).collect() })
    }
}

/// The characters of a text that stand outside of all brackets and quotes, with their places.
fn outside(text: &str) -> impl Iterator<Item = (usize, char)> {
    let (mut depth, mut quote) = (0_i64, None);
    text.char_indices().filter(move |(_, c)| {
        match (*c, quote) {
            (_, Some(open)) if *c == open => quote = None,
            (_, Some(_)) => {}
            ('"' | '\'', None) => quote = Some(*c),
            ('(' | '[' | '{', None) => depth += 1,
            (')' | ']' | '}', None) => depth -= 1,
            _ => return depth <= 0,
        }
        false
    })
}

/// What stands between the commas.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let commas: Vec<usize> = outside(text).filter(|(_, c)| *c == ',').map(|(at, _)| at).collect();
    let starts = std::iter::once(0).chain(commas.iter().map(|at| at + 1));
    starts.zip(commas.iter().copied().chain([text.len()])).map(|(from, to)| from..to).collect()
}

/// The two ends of a range, and what follows the colon.
fn split_range(text: &str) -> Option<(&str, &str, Option<&str>)> {
    let dots: Vec<usize> = outside(text).filter(|(_, c)| *c == '.').map(|(at, _)| at).collect();
    let at = dots.windows(2).find(|w| w[0] + 1 == w[1])?[0];
    let (from, rest) = (&text[..at], &text[at + 2..]);
    // The dots of `../block.msh` are a folder.
    if from.trim().is_empty() || from.ends_with(['/', '\\']) || rest.starts_with(['/', '\\']) {
        return None;
    }
    match rest.split_once(':') {
        Some((to, count)) => Some((from, to, Some(count))),
        None => Some((from, rest, None)),
    }
}

fn range((from, to, count): (&str, &str, Option<&str>)) -> Result<Vec<String>, Diagnostic> {
    let help = "expected from..to:count, as in 0..1:11, or from..to:count:log, as in 1e-3..1:4:log";
    let Some(count) = count else {
        return Err(Diagnostic::new("a range needs the number of its values").help(help));
    };
    let (count, log) = match count.split_once(':') {
        Some((count, "log")) => (count, true),
        Some((_, other)) => {
            return Err(Diagnostic::new(format!("`{other}` is no kind of range")).help(help));
        }
        None => (count, false),
    };
    let end = |text: &str| match evaluate_constant(text.trim(), &Scope::new()) {
        Ok(x) if x.is_finite() => Ok(x),
        Ok(x) => Err(Diagnostic::new(format!("the end `{}` of a range is {x}", text.trim())).help(help)),
        Err(e) => Err(Diagnostic::new(format!("the end `{}` of a range: {}", text.trim(), e.message))
            .help(e.help.unwrap_or(help.into()))),
    };
    let (from, to) = (end(from)?, end(to)?);
    let n = match count.trim().parse::<usize>() {
        Ok(n) if (2..=MOST_RUNS).contains(&n) => n,
        _ => {
            let message = format!("`{}` is no number of values", count.trim());
            return Err(Diagnostic::new(message)
                .help(format!("expected a whole number from 2 to {MOST_RUNS}: both ends are included")));
        }
    };
    if log && !(from > 0.0 && to > 0.0) {
        let message = format!("a range on a logarithmic scale from {from} to {to}");
        return Err(Diagnostic::new(message).help("expected two ends above zero"));
    }
    let between = |a: f64, b: f64, i: usize| (a * (n - 1 - i) as f64 + b * i as f64) / (n - 1) as f64;
    let value = |i: usize| match i {
        0 => from,
        i if i == n - 1 => to,
        i if log => 10_f64.powf(between(from.log10(), to.log10(), i)),
        i => between(from, to, i),
    };
    let values: Vec<f64> = (0..n).map(value).collect();
    if values.iter().any(|x| !x.is_finite()) {
        return Err(Diagnostic::new(format!("the numbers from {from:e} to {to:e} overflow")));
    }
    Ok(values.into_iter().map(number).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(text: &str) -> Vec<String> {
        Factor::over("key", text).unwrap().rows.concat()
    }

    #[test]
    fn commas_part_values_outside_of_brackets_and_quotes() {
        assert_eq!(values("a"), ["a"]);
        assert_eq!(values(" 1 , 2,3 "), ["1", "2", "3"]);
        assert_eq!(values("[1, 2], [3, 4]"), ["[1, 2]", "[3, 4]"]);
        assert_eq!(values(r#""a, b", 'c,"', {x = 1, y = 2}"#), ["a, b", r#"'c,"'"#, "{x = 1, y = 2}"]);
        assert_eq!(values("sum(i = 0..3, i), max(1, 2)"), ["sum(i = 0..3, i)", "max(1, 2)"]);
        assert_eq!(values("../a.msh,meshes/../b.msh"), ["../a.msh", "meshes/../b.msh"]);
        // A bracket too many is the value's own fault, not a reason to lose the commas.
        assert_eq!(values("1), 2"), ["1)", "2"]);
    }

    /// Quotes that change nothing are left out, so that tables and pages name a value as the scenario does.
    #[test]
    fn quotes_around_names_are_left_out_and_those_that_make_text_stay() {
        assert_eq!(values(r#""verlet",'rk4', "2*pi""#), ["verlet", "rk4", "2*pi"]);
        // Without quotes these would be a number, a flag, a list or another text.
        for kept in [r#""1""#, r#""true""#, r#""[1]""#, r#"" a""#, r#""""#, r#"'a"b'"#] {
            assert_eq!(values(kept), [kept]);
        }
        assert_eq!(Factor::over("'parameters'.\"l\"", "1").unwrap().keys, ["parameters.l"]);
    }

    #[test]
    fn ranges_include_their_ends_and_read_back() {
        assert_eq!(values("0..1:11")[3], "0.3");
        assert_eq!(values("1..-1:5"), ["1", "0.5", "0", "-0.5", "-1"]);
        assert_eq!(values("2..2:3"), ["2", "2", "2"]);
        assert_eq!(values("1..4:4"), ["1", "2", "3", "4"]);
        assert_eq!(values("1e-6..1e-2:5:log"), ["1e-6", "1e-5", "0.0001", "0.001", "0.01"]);
        assert_eq!(values("-1..1:2,7"), ["-1", "1", "7"]);
        let all: Vec<f64> = values("0.1..pi:97").iter().map(|v| v.parse().unwrap()).collect();
        assert_eq!((all[0], all[96], all.len()), (0.1, std::f64::consts::PI, 97));
        for pair in all.windows(2) {
            assert!((pair[1] - pair[0] - (all[96] - all[0]) / 96.0).abs() < 1e-15);
        }
    }

    #[test]
    fn what_is_no_list_and_no_range_is_refused_where_it_stands() {
        for (text, expected) in [
            ("", "a value is missing"),
            ("1,,2", "--over key:1:3: a value is missing"),
            ("1,2,", "--over key:1:5: a value is missing"),
            ("0..1", "needs the number of its values"),
            ("0..1:", "`` is no number of values"),
            ("0..1:1", "a whole number from 2 to 1000000"),
            ("0..1:2.5", "`2.5` is no number of values"),
            ("0..1:9999999999999999999999", "is no number of values"),
            ("0..1:-3", "`-3` is no number of values"),
            ("5,0..1:3:cubic", "--over key:1:3: `cubic` is no kind of range"),
            ("0..1:3:log", "above zero"),
            ("-1..1:3:log", "above zero"),
            ("a..1:3", "the end `a` of a range"),
            ("1/0..1:3", "the end `1/0` of a range is inf"),
            ("-1.7e308..1.7e308:10", "overflow"),
            ("0..1:600000,0..1:600000", "more than 1000000 values"),
        ] {
            let message = Factor::over("key", text).unwrap_err().to_string();
            assert!(message.contains(expected), "{text}: {message}");
        }
    }
}
