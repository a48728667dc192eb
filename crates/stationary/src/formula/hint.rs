//! What was probably meant by a name that formulas do not know: letters of other alphabets, velocities written in another
//! way.

use super::scope::{Meaning, Scope, Var};

/// Greek letters, small and large, by their names.
const GREEK: [(char, char, &str); 24] = [
    ('α', 'Α', "alpha"),
    ('β', 'Β', "beta"),
    ('γ', 'Γ', "gamma"),
    ('δ', 'Δ', "delta"),
    ('ε', 'Ε', "epsilon"),
    ('ζ', 'Ζ', "zeta"),
    ('η', 'Η', "eta"),
    ('θ', 'Θ', "theta"),
    ('ι', 'Ι', "iota"),
    ('κ', 'Κ', "kappa"),
    ('λ', 'Λ', "lambda"),
    ('μ', 'Μ', "mu"),
    ('ν', 'Ν', "nu"),
    ('ξ', 'Ξ', "xi"),
    ('ο', 'Ο', "omicron"),
    ('π', 'Π', "pi"),
    ('ρ', 'Ρ', "rho"),
    ('σ', 'Σ', "sigma"),
    ('τ', 'Τ', "tau"),
    ('υ', 'Υ', "upsilon"),
    ('φ', 'Φ', "phi"),
    ('χ', 'Χ', "chi"),
    ('ψ', 'Ψ', "psi"),
    ('ω', 'Ω', "omega"),
];

/// Other signs of the same letters, and letters with marks.
const VARIANTS: [(&str, &str); 16] = [
    ("ϑ", "theta"),
    ("ϕ", "phi"),
    ("ϵ", "epsilon"),
    ("ϱ", "rho"),
    ("ϖ", "pi"),
    ("ς", "sigma"),
    ("µ", "mu"),
    ("ℏħ", "hbar"),
    ("ℓ", "l"),
    ("àáâãäå", "a"),
    ("èéêë", "e"),
    ("ìíîï", "i"),
    ("òóôõöø", "o"),
    ("ùúûü", "u"),
    ("çć", "c"),
    ("ñ", "n"),
];

/// Letters with a dot above, which stands for a velocity.
const DOTTED: [(char, char); 14] = [
    ('ẋ', 'x'),
    ('ẏ', 'y'),
    ('ż', 'z'),
    ('ṙ', 'r'),
    ('ṡ', 's'),
    ('ṫ', 't'),
    ('ȧ', 'a'),
    ('ḃ', 'b'),
    ('ċ', 'c'),
    ('ḋ', 'd'),
    ('ġ', 'g'),
    ('ḣ', 'h'),
    ('ṗ', 'p'),
    ('ẇ', 'w'),
];

/// Digits below the line.
const BELOW: &str = "₀₁₂₃₄₅₆₇₈₉";
/// Digits above the line, which are powers.
const ABOVE: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹";

/// A name in ASCII letters, digits and `_`, if every other character of it has a usual spelling: `θ₁` is `theta1`.
pub fn spelled(name: &str) -> Option<String> {
    let mut all = String::with_capacity(name.len());
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || c == '_' {
            all.push(c);
            continue;
        }
        all.push_str(&letter(c).or_else(|| digit(c, BELOW))?);
    }
    all.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_').then_some(all)
}

fn letter(c: char) -> Option<String> {
    if let Some((small, _, name)) = GREEK.iter().find(|(small, large, _)| [small, large].contains(&&c)) {
        let capital = |name: &str| name[..1].to_uppercase() + &name[1..];
        return Some(if c == *small { name.to_string() } else { capital(name) });
    }
    let variant = VARIANTS.iter().find(|(letters, _)| letters.contains(c));
    variant.map(|(_, name)| name.to_string())
}

fn digit(c: char, digits: &str) -> Option<String> {
    digits.chars().position(|d| d == c).map(|k| k.to_string())
}

/// What to write for a character that is no part of formulas, after the text before it.
pub(super) fn instead(c: char, before: &str) -> Option<String> {
    let code = match c {
        '−' | '–' | '—' | '‐' | '‑' => "-",
        '×' | '·' | '⋅' | '∙' | '∗' | '•' | '＊' => "*",
        '÷' | '⁄' | '∕' => "/",
        '√' => "sqrt(...)",
        '∑' => "sum(i = a..b, ...)",
        '{' => "(",
        '}' => ")",
        '%' => "mod(a, b)",
        '½' => "0.5",
        '¼' => "0.25",
        '¾' => "0.75",
        '⅓' => "1/3",
        '⅔' => "2/3",
        '∞' | '≤' | '≥' | '≠' | '∂' | '∇' => return None,
        '\'' | '’' | '′' | '\u{307}' => {
            let word = last_word(before);
            let word = if word.is_empty() { "x" } else { word };
            return Some(format!("the velocity of `{word}` is written `v{word}`"));
        }
        '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}' => {
            return Some("this character is invisible: delete it".into());
        }
        _ => {
            let power = digit(c, ABOVE).map(|d| format!("^{d}"));
            let index = || digit(c, BELOW).and_then(|_| spelled(&format!("{}{c}", last_word(before))));
            return power.or_else(index).map(|text| format!("write `{text}`"));
        }
    };
    Some(format!("write `{code}`"))
}

/// The name that a text ends with; empty if it ends otherwise.
fn last_word(text: &str) -> &str {
    text.rsplit(|c: char| !super::lexer::in_name(c)).next().unwrap_or("")
}

/// Ways in which others write velocities, by what stands before and after the coordinate.
const VELOCITIES: [(&str, &str); 7] =
    [("", "_dot"), ("", "dot"), ("d", "_dt"), ("d", "dt"), ("d_", ""), ("d", ""), ("", "_d")];
const ACCELERATIONS: [(&str, &str); 5] = [("", "_ddot"), ("", "ddot"), ("a", ""), ("dd", ""), ("d2", "")];

/// What was probably meant by an unknown name, if it is in another alphabet or a velocity of a coordinate in another
/// spelling.
pub(super) fn meant(name: &str, scope: &Scope) -> Option<String> {
    if let Some((_, plain)) = DOTTED.iter().find(|(dotted, _)| name.chars().eq([*dotted])) {
        return Some(velocity(&plain.to_string(), scope));
    }
    if !name.is_ascii() {
        let plain = spelled(name)?;
        let known = scope.contains(&plain);
        let why = if known { "" } else { ": names have the letters a to z, digits and `_`" };
        return Some(format!("write `{plain}`{why}"));
    }
    let coordinate = |(before, after): &(&str, &str)| {
        let inner = name.strip_prefix(before)?.strip_suffix(after)?;
        matches!(scope.get(inner), Some(Meaning::Variable(Var::Q(_)))).then_some(inner)
    };
    if let Some(inner) = VELOCITIES.iter().find_map(coordinate) {
        return Some(velocity(inner, scope));
    }
    let inner = ACCELERATIONS.iter().find_map(coordinate)?;
    Some(format!("formulas have no accelerations, as that of `{inner}`: they follow from the motion"))
}

fn velocity(coordinate: &str, scope: &Scope) -> String {
    let name = format!("v{coordinate}");
    match scope.withheld(&name) {
        Some(why) => format!("the velocity of `{coordinate}` is `{name}`, but {why}"),
        None => format!("the velocity of `{coordinate}` is `{name}`"),
    }
}
