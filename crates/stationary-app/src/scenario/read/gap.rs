//! Gaps: formulas that must not become negative, and the laws of their contacts.

use super::Reader;
use crate::scenario::kind::Kind;
use crate::scenario::tree::{self, Node, Table, Value};
use crate::scenario::{GapChoice, Text, Together, names, unknown_word};
use stationary::error::Diagnostic;

/// What `gap` may be.
const EXPECTED: &str =
    "a formula in quotes that must not become negative, a table with `gap`, or a list of them";
/// What happens at a contact is a small dense problem: beyond this it would take minutes.
const MOST: usize = 1_000;

impl Reader {
    /// The gaps and how several of them act at once.
    pub(super) fn gaps(&mut self) -> Result<(Vec<GapChoice>, Together), Diagnostic> {
        let nodes = match self.take("gap") {
            None => Vec::new(),
            Some(Node { value: Value::List(list), .. }) => list,
            Some(node) => vec![node],
        };
        if let Some(node) = nodes.get(MOST) {
            return Err(node.place.error(format!("{} gaps are too many, at most {MOST}", nodes.len())));
        }
        let mut gaps: Vec<GapChoice> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let gap = self.gap(node, &gaps)?;
            gaps.push(gap);
        }
        let simultaneous = self.take("simultaneous");
        if let (Some(node), []) = (&simultaneous, &gaps[..]) {
            return Err(node.place.error("`simultaneous` without `gap`: nothing can be hit").help(ADD));
        }
        Ok((gaps, simultaneous.map_or(Ok(Together::default()), together)?))
    }

    /// One gap, after those before it.
    fn gap(&self, node: Node, before: &[GapChoice]) -> Result<GapChoice, Diagnostic> {
        let place = node.place.clone();
        let mut table: Table = match node.value {
            Value::Text(_) => Vec::new(),
            Value::Table(ref table) => table.clone(),
            _ => return Err(node.wrong("gap", EXPECTED)),
        };
        Kind::Formula.only(&table, "gap")?;
        let formula = match node.value {
            Value::Text(_) => node.text("gap", EXPECTED)?,
            _ => tree::take(&mut table, "gap")
                .ok_or_else(|| {
                    place
                        .error("this gap has no formula")
                        .help("add: gap = \"y\", a formula that must not become negative")
                })?
                .text("gap", "a formula in quotes")?,
        };
        refuse_comparison(&formula)?;
        let number = before.len() + 1;
        let name = match tree::take(&mut table, "name") {
            None => format!("gap {number}"),
            Some(node) => {
                let name = node.text("name", "a name in quotes")?;
                names::identifier(&name.text, "gap", &name.place)?;
                if before.iter().any(|g| g.name == name.text) {
                    return Err(name.error(format!("two gaps are called `{}`", name.text)));
                }
                name.text
            }
        };
        Ok(GapChoice {
            name,
            restitution: self.within(&mut table, "restitution", (1.0, 1.0), "from 0 to 1")?,
            friction: self.within(&mut table, "friction", (0.0, f64::MAX), "0 or more")?,
            slip: formulas(&mut table, "slip")?,
            at: place_of(&mut table)?,
            formula,
        })
    }

    /// A number from 0 to the largest; the other is its default.
    fn within(
        &self,
        table: &mut Table,
        key: &str,
        (usual, largest): (f64, f64),
        allowed: &str,
    ) -> Result<f64, Diagnostic> {
        let Some(node) = tree::take(table, key) else { return Ok(usual) };
        let value = self.constants.number(key, &node)?;
        if (0.0..=largest).contains(&value) {
            return Ok(value);
        }
        Err(node.place.error(format!("`{key}` must be {allowed}, found {value}")))
    }
}

const ADD: &str = "add: gap = \"y\", a formula that must not become negative";

fn together(node: Node) -> Result<Together, Diagnostic> {
    let expected = "\"projection\" or \"sequence\"";
    let text = node.text("simultaneous", expected)?;
    match text.text.as_str() {
        "projection" => Ok(Together::Projection),
        "sequence" => Ok(Together::Sequence),
        _ => Err(unknown_word(&text, "way to treat simultaneous impacts", &["projection", "sequence"])),
    }
}

/// One formula or a list of them.
fn formulas(table: &mut Table, key: &str) -> Result<Vec<Text>, Diagnostic> {
    match tree::take(table, key) {
        None => Ok(Vec::new()),
        Some(Node { value: Value::List(list), .. }) => list.into_iter().map(|n| n.formula(key)).collect(),
        Some(node) => Ok(vec![node.formula(key)?]),
    }
}

fn place_of(table: &mut Table) -> Result<Vec<Text>, Diagnostic> {
    let place = table.iter().find(|e| e.key == "at").map(|e| e.node.place.clone());
    let at = formulas(table, "at")?;
    match place {
        Some(place) if !(2..=3).contains(&at.len()) => Err(place
            .error(format!("`at` must be a list of two or three formulas, found {}", at.len()))
            .help("it is where impacts are shown: at = [\"x\", \"0\"]")),
        _ => Ok(at),
    }
}

/// A comparison instead of its difference.
fn refuse_comparison(text: &Text) -> Result<(), Diagnostic> {
    let Some((at, sign)) = relation(&text.text) else { return Ok(()) };
    let (left, right) =
        (text.text[..at].trim(), text.text[at + 1..].trim_start_matches(['=', '>', '<']).trim());
    let (large, small) = if sign == '<' { (right, left) } else { (left, right) };
    let difference = if small == "0" { large.to_string() } else { format!("{large} - ({small})") };
    let kind = if sign == '=' { "an equation" } else { "a comparison" };
    let help = match sign {
        '=' => format!("bring everything to one side: \"{difference}\"; what must vanish is a `constraint`"),
        _ => format!("bring everything to one side: \"{difference}\""),
    };
    Err(text.error(format!("a gap is one formula that must not become negative, not {kind}")).help(help))
}

/// Where a formula compares: relations inside parentheses belong to sums.
fn relation(text: &str) -> Option<(usize, char)> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '=' | '<' | '>' if depth == 0 => return Some((at, c)),
            _ => {}
        }
    }
    None
}
