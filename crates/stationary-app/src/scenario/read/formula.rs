//! Systems given by coordinates and a Lagrangian.

use std::collections::HashMap;

use super::Reader;
use crate::scenario::kind::Kind;
use crate::scenario::overrides::MOTIONS;
use crate::scenario::tree::{self, Entry, Node, Table, Value};
use crate::scenario::{FormulaSystem, Initial, Law, Motion, Place, SectionChoice, Text, names};
use stationary::error::{Diagnostic, near_miss};

/// Matrices over the coordinates are dense: beyond this they would take gigabytes.
const MOST_COORDINATES: u64 = 2_000;

/// The coordinates, and whether they were given by number (`q0`, `q1`, ...), in which case lists may repeat.
struct Coordinates {
    names: Vec<String>,
    numbered: bool,
}

impl Reader {
    /// The system; `times` are those of its start and its end.
    pub(super) fn formula_system(&mut self, times: (f64, f64)) -> Result<FormulaSystem, Diagnostic> {
        let coordinates = self.coordinates()?;
        let (lagrangian, law) = self.law(&coordinates)?;
        let constraints = self.constraints()?;
        let force = match self.take("force") {
            Some(node) => self.pattern("force", node, &coordinates)?,
            None => Vec::new(),
        };
        let reduce = self.reduce(&coordinates)?;
        let (gaps, simultaneous) = self.gaps()?;
        let formulas: Vec<Text> = gaps.iter().map(|g| g.formula.clone()).collect();
        require_lagrangian(
            &law,
            &[("constraint", &constraints), ("force", &force), ("reduce", &reduce), ("gap", &formulas)],
        )?;
        if let ([text, ..], [_, ..]) = (&reduce[..], &gaps[..]) {
            return Err(text
                .error("`reduce` does not go with `gap`: an impact may change the momentum that is to be eliminated")
                .help("leave one of them out"));
        }
        if let ([text, ..], true) = (&reduce[..], !constraints.is_empty() || !force.is_empty()) {
            return Err(text
                .error("`reduce` goes with neither `constraint` nor `force`")
                .help("leave one of them out: the reduction is for a momentum that nothing changes"));
        }
        let step = self.need("step")?;
        Ok(FormulaSystem {
            step: self.step(&step, times)?,
            initial: self.initial(&coordinates, &law)?,
            symmetries: self.symmetries(&coordinates)?,
            probes: self.probes()?,
            section: self.section()?,
            drawings: self.drawings()?,
            law,
            output_every: self.output()?,
            coordinates: coordinates.names,
            lagrangian,
            constraints,
            force,
            gaps,
            simultaneous,
            reduce,
        })
    }

    /// Names of coordinates to be eliminated: one or a list.
    fn reduce(&mut self, coordinates: &Coordinates) -> Result<Vec<Text>, Diagnostic> {
        let names = self.texts("reduce", "the name of a cyclic coordinate, or a list of names")?;
        for (at, name) in names.iter().enumerate() {
            if !coordinates.names.contains(&name.text) {
                let near = near_miss(&name.text, coordinates.names.iter().map(String::as_str).take(1000));
                return Err(name.error(format!("`{}` is not a coordinate", name.text)).help(match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("expected one of {}", listed(&coordinates.names)),
                }));
            }
            if names[..at].iter().any(|n| n.text == name.text) {
                return Err(name.error(format!("`{}` is listed twice", name.text)));
            }
        }
        match names.first() {
            Some(first) if names.len() == coordinates.names.len() => Err(first
                .error("`reduce` leaves no coordinate")
                .help("keep one: where all are cyclic, the motion is uniform")),
            _ => Ok(names),
        }
    }

    /// One formula or a list of them.
    fn constraints(&mut self) -> Result<Vec<Text>, Diagnostic> {
        let expected = "a formula in quotes that must vanish, or a list of them";
        let constraints = self.texts("constraint", expected)?;
        for text in &constraints {
            if let Some(at) = equals(&text.text) {
                let (left, right) =
                    (text.text[..at].trim(), text.text[at + 1..].trim_start_matches('=').trim());
                return Err(text
                    .error("a constraint is one formula that must vanish, not an equation")
                    .help(format!("bring everything to one side: \"{left} - ({right})\"")));
            }
        }
        Ok(constraints)
    }

    fn coordinates(&mut self) -> Result<Coordinates, Diagnostic> {
        let node = self.need("coordinates")?;
        let place = node.place.clone();
        let (names, numbered) = match node.value {
            Value::List(list) => {
                let count = list.len() as u64;
                if count == 0 || count > MOST_COORDINATES {
                    let message =
                        format!("`coordinates` must have from 1 to {MOST_COORDINATES} names, found {count}");
                    return Err(place.error(message));
                }
                let texts = list.into_iter().map(|n| n.text("coordinates", "a list of names in quotes"));
                (texts.collect::<Result<Vec<_>, _>>()?, false)
            }
            _ => (self.numbered(&node)?, true),
        };
        for name in &names {
            self.names.coordinate(&name.text, &name.place)?;
        }
        Ok(Coordinates { names: names.into_iter().map(|n| n.text).collect(), numbered })
    }

    /// `coordinates = 12` or `coordinates = "2*n*n"`.
    fn numbered(&self, node: &Node) -> Result<Vec<Text>, Diagnostic> {
        if !matches!(node.value, Value::Integer(_) | Value::Float(_) | Value::Text(_)) {
            return Err(node.wrong("coordinates", "a list of names or how many there are"));
        }
        let count = self.constants.integer("coordinates", node, &(1..=MOST_COORDINATES)).map_err(|d| {
            if matches!(node.value, Value::Text(_)) && d.help.is_none() {
                return d
                    .help("expected a list of names, as in [\"x\", \"y\"], or a formula of the parameters");
            }
            d
        })?;
        let name = |k| Text { text: format!("q{k}"), place: node.place.clone(), index: None };
        Ok((0..count).map(name).collect())
    }

    /// The formula that makes the system move, and what it is.
    fn law(&mut self, coordinates: &Coordinates) -> Result<(Text, Law), Diagnostic> {
        let hamiltonian = self.take("hamiltonian");
        let one_form = self.take("one_form");
        let Some(hamiltonian) = hamiltonian else {
            if let Some(node) = one_form {
                return Err(node
                    .place
                    .error("`one_form` without `hamiltonian`: it is one half of theta.q' - H")
                    .help("add: hamiltonian = \"...\", a formula of the coordinates"));
            }
            let lagrangian = self.need("lagrangian")?.text("lagrangian", "a formula in quotes")?;
            return Ok((lagrangian, Law::Lagrangian));
        };
        if let Some(other) = self.take("lagrangian") {
            return Err(other
                .place
                .error("`lagrangian` besides `hamiltonian`: a system has one law of motion")
                .help("keep one of them"));
        }
        let hamiltonian = hamiltonian.text("hamiltonian", "a formula in quotes")?;
        let Some(node) = one_form else { return Ok((hamiltonian, Law::Canonical)) };
        Ok((hamiltonian, Law::OneForm(self.pattern("one_form", node, coordinates)?)))
    }

    fn section(&mut self) -> Result<Option<SectionChoice>, Diagnostic> {
        let Some(node) = self.take("section") else { return Ok(None) };
        let place = node.place.clone();
        let mut table = node.table("section", "a table with `when` and `columns`")?;
        Kind::Formula.only(&table, "section")?;
        let lacks = |key: &str, example: &str| {
            place.error(format!("`section` has no `{key}`")).help(format!("add: {example}"))
        };
        let when = tree::take(&mut table, "when")
            .ok_or_else(|| lacks("when", "when = \"x\", a formula that crosses zero upward"))?
            .formula("when")?;
        let columns = tree::take(&mut table, "columns")
            .ok_or_else(|| lacks("columns", "columns = { y = \"y\", py = \"py\" }"))?
            .table("columns", "a table of formulas by name")?;
        if columns.is_empty() {
            return Err(place.error("`section.columns` names nothing to record"));
        }
        let mut chosen = Vec::new();
        for Entry { key, key_place, node } in columns {
            names::identifier(&key, "column", &key_place)?;
            if key == "t" {
                return Err(key_place.error("the column `t` is there already: the time of each point"));
            }
            chosen.push((key.clone(), node.formula(&key)?));
        }
        Ok(Some(SectionChoice { when, columns: chosen }))
    }

    fn initial(&mut self, coordinates: &Coordinates, law: &Law) -> Result<Initial, Diagnostic> {
        let node = self.need("initial")?;
        let place = node.place.clone();
        let mut table = node.table("initial", "a table")?;
        Kind::Formula.only(&table, "initial")?;
        let Some(position) = tree::take(&mut table, "position") else {
            return Err(place
                .error("`initial` has no `position`")
                .help("expected `position`, and one of velocity, momentum, next_position"));
        };
        let position = self.state("position", position, coordinates)?;
        if let Law::OneForm(_) = law {
            return match table.first() {
                None => Ok(Initial { position, motion: Motion::Implied }),
                Some(entry) => Err(entry
                    .key_place
                    .error(format!("`{}` besides a one-form: the position alone is the state", entry.key))
                    .help("keep `position` only")),
            };
        }
        if let (Law::Canonical, Some(entry)) = (law, table.iter().find(|e| e.key != "momentum")) {
            return Err(entry
                .key_place
                .error(format!("`{}` is no initial motion of a system given by its Hamiltonian", entry.key))
                .help("give `momentum`: the state is positions and momenta"));
        }
        if let [_, second, ..] = &table[..] {
            let message =
                format!("`{}` besides `{}`: the initial motion is given twice", second.key, table[0].key);
            return Err(second
                .key_place
                .error(message)
                .help("keep exactly one of velocity, momentum, next_position"));
        }
        let Some(Entry { key, node, .. }) = table.pop() else {
            return Err(place
                .error("`initial` does not say how the system moves")
                .help(format!("expected exactly one of {}", MOTIONS.join(", "))));
        };
        let values = self.state(&key, node, coordinates)?;
        let motion = match key.as_str() {
            "velocity" => Motion::Velocity(values),
            "momentum" => Motion::Momentum(values),
            _ => Motion::NextPosition(values),
        };
        Ok(Initial { position, motion })
    }

    /// One number for each coordinate: a table by name, a list, or formulas of `i` that repeat.
    fn state(&self, key: &str, node: Node, coordinates: &Coordinates) -> Result<Vec<f64>, Diagnostic> {
        match node.value {
            Value::Table(table) => self.by_name(key, &table, &node.place, &coordinates.names),
            Value::List(list) => {
                pattern_length(key, &list, &node.place, coordinates)?;
                self.constants.repeated(key, &list, coordinates.names.len())
            }
            Value::Text(_) => self.constants.repeated(key, &[node], coordinates.names.len()),
            _ => Err(node.wrong(key, "a table of coordinates, a list, or one formula of `i` for all")),
        }
    }

    fn by_name(
        &self,
        key: &str,
        table: &Table,
        place: &Place,
        names: &[String],
    ) -> Result<Vec<f64>, Diagnostic> {
        let index: HashMap<&str, usize> = names.iter().enumerate().map(|(k, n)| (n.as_str(), k)).collect();
        let mut values = vec![None; names.len()];
        for entry in table {
            let Some(k) = index.get(entry.key.as_str()) else {
                let near = near_miss(&entry.key, names.iter().map(String::as_str).take(1000));
                let suggestion = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
                let list = listed(names);
                return Err(entry
                    .key_place
                    .error(format!("`{key}` names `{}`, which is no coordinate", tree::shorten(&entry.key)))
                    .help(format!("{suggestion}the coordinates are {list}")));
            };
            values[*k] = Some(self.constants.number(&format!("{key}.{}", entry.key), &entry.node)?);
        }
        let complete: Option<Vec<f64>> = values.iter().copied().collect();
        complete.ok_or_else(|| {
            let absent: Vec<String> =
                names.iter().zip(&values).filter(|(_, v)| v.is_none()).map(|(n, _)| n.clone()).collect();
            let plural = if absent.len() == 1 { "coordinate" } else { "coordinates" };
            place
                .error(format!("the {plural} {} without initial {}", listed(&absent), key.replace('_', " ")))
                .help(format!("`{key}` needs a number for each of {}", listed(names)))
        })
    }

    fn symmetries(&mut self, coordinates: &Coordinates) -> Result<Vec<(String, Vec<Text>)>, Diagnostic> {
        let mut symmetries = Vec::new();
        for Entry { key, key_place, node } in self.table("symmetry")? {
            names::identifier(&key, "symmetry", &key_place)?;
            let generator = self.pattern(&key, node, coordinates)?;
            symmetries.push((key, generator));
        }
        Ok(symmetries)
    }

    /// One formula for each coordinate: a list, which may repeat where the coordinates are numbered, or one for all.
    fn pattern(&self, key: &str, node: Node, coordinates: &Coordinates) -> Result<Vec<Text>, Diagnostic> {
        let count = coordinates.names.len();
        let place = node.place.clone();
        let pattern = match node.value {
            Value::List(list) => {
                pattern_length(key, &list, &place, coordinates)?;
                list
            }
            Value::Text(_) => vec![node],
            _ => return Err(node.wrong(key, "a list of formulas, one for each coordinate")),
        };
        self.constants.charge(&pattern, count)?;
        let formulas = pattern.into_iter().map(|n| n.formula(key)).collect::<Result<Vec<_>, _>>()?;
        Ok((0..count).map(|k| Text { index: Some(k), ..formulas[k % formulas.len()].clone() }).collect())
    }

    pub(super) fn probes(&mut self) -> Result<Vec<(String, Text)>, Diagnostic> {
        let mut probes = Vec::new();
        for Entry { key, key_place, node } in self.table("probe")? {
            self.names.probe(&key, &key_place)?;
            let text = node.formula(&key)?;
            probes.push((key, text));
        }
        Ok(probes)
    }

    pub(super) fn output(&mut self) -> Result<Option<u64>, Diagnostic> {
        let mut table = self.table("output")?;
        self.kind.only(&table, "output")?;
        let every = tree::take(&mut table, "every");
        every.map(|node| self.constants.integer("every", &node, &(1..=u64::MAX))).transpose()
    }
}

/// Where a formula has an equals sign of its own: those inside parentheses belong to sums.
fn equals(text: &str) -> Option<usize> {
    let mut depth = 0;
    for (at, c) in text.char_indices() {
        match c {
            '(' => depth += 1,
            ')' => depth -= 1,
            '=' if depth == 0 => return Some(at),
            _ => {}
        }
    }
    None
}

/// Constraints and forces enter a discrete Lagrangian; beside a Hamiltonian there is none.
fn require_lagrangian(law: &Law, given: &[(&str, &[Text])]) -> Result<(), Diagnostic> {
    let found = given.iter().find_map(|(key, texts)| Some((key, texts.first()?)));
    match (law, found) {
        (Law::Canonical | Law::OneForm(_), Some((key, text))) => Err(text
            .error(format!("`{key}` besides `hamiltonian`: `{key}` needs a system given by its `lagrangian`"))
            .help("write the system as a Lagrangian, or leave this out")),
        _ => Ok(()),
    }
}

/// A list must have one entry for each coordinate; where the coordinates are numbered it may also repeat.
fn pattern_length(
    key: &str,
    list: &[Node],
    place: &Place,
    coordinates: &Coordinates,
) -> Result<(), Diagnostic> {
    let (count, length) = (coordinates.names.len(), list.len());
    let repeats = coordinates.numbered && length > 0 && count.is_multiple_of(length);
    if length == count || repeats {
        return Ok(());
    }
    let extra = list.get(count).map_or(place, |n| &n.place);
    let help = match coordinates.numbered {
        true => format!("expected {count} values, or a pattern whose length divides {count}"),
        false => format!("expected one value for each of {}", listed(&coordinates.names)),
    };
    Err(extra.error(format!("`{key}` has {length} values for {count} coordinates")).help(help))
}

/// Names joined by commas, the first few of many.
fn listed(names: &[String]) -> String {
    const FEW: usize = 8;
    let quoted: Vec<String> = names.iter().take(FEW).map(|n| format!("`{n}`")).collect();
    let rest = names.len().saturating_sub(FEW);
    if rest > 0 { format!("{} and {rest} more", quoted.join(", ")) } else { quoted.join(", ") }
}
