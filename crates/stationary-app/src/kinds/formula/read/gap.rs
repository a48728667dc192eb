//! Gaps: formulas that must not become negative, and the laws of their contacts.

use crate::scenario::read::Reader;
use crate::scenario::section::{Owner, Section};
use crate::scenario::tree::{Node, Value};
use crate::scenario::{GapSpec, Text, Together, names};
use stationary::error::Diagnostic;

/// What happens at a contact is a small dense problem: beyond this it would take minutes.
const MOST: usize = 1_000;

impl Reader {
    /// The gaps and how several of them act at once.
    pub(super) fn gaps(&mut self) -> Result<(Vec<GapSpec>, Together), Diagnostic> {
        let nodes = match self.root.take("gap")?.map(|given| given.node) {
            None => Vec::new(),
            Some(Node { value: Value::List(list), .. }) => list,
            Some(node) => vec![node],
        };
        if let Some(node) = nodes.get(MOST) {
            return Err(node.place.error(format!("{} gaps are too many, at most {MOST}", nodes.len())));
        }
        let mut gaps: Vec<GapSpec> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let gap = self.gap(node, &gaps)?;
            gaps.push(gap);
        }
        if let (Some(entry), []) = (self.root.find("simultaneous"), &gaps[..]) {
            return Err(entry
                .node
                .place
                .error("`simultaneous` without `gap`: nothing can be hit")
                .help("add: gap = \"y\", a formula that must not become negative"));
        }
        let together = match self.root.get("simultaneous")? {
            "sequence" => Together::Sequence,
            _ => Together::Projection,
        };
        Ok((gaps, together))
    }

    /// One gap, after those before it.
    fn gap(&self, node: Node, before: &[GapSpec]) -> Result<GapSpec, Diagnostic> {
        let (formula, entries) = match node.value {
            Value::Table(entries) => (None, entries),
            Value::Text(text) => (Some(Text { text, place: node.place.clone(), index: None }), Vec::new()),
            _ => unreachable!("the form of `gap` is a formula or a table"),
        };
        let owner = Owner::at("this gap", &node.place);
        let mut table = Section::open(entries, self.keys(), "gap", owner, &self.constants)?;
        let formula = match formula {
            Some(formula) => formula,
            None => table.get("gap")?,
        };
        refuse_comparison(&formula)?;
        let number = before.len() + 1;
        let name = match table.given::<Text>("name")? {
            None => format!("gap {number}"),
            Some(name) => {
                names::identifier(&name.text, "gap", &name.place)?;
                if before.iter().any(|g| g.name == name.text) {
                    return Err(name.error(format!("two gaps are called `{}`", name.text)));
                }
                name.text
            }
        };
        Ok(GapSpec {
            name,
            restitution: table.get("restitution")?,
            friction: table.get("friction")?,
            slip: table.given("slip")?.unwrap_or_default(),
            at: table.given("at")?.unwrap_or_default(),
            formula,
        })
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
