//! Systems given by coordinates and a Lagrangian.

mod draw;
mod gap;

use std::collections::HashMap;

use crate::scenario::overrides::MOTIONS;
use crate::scenario::read::Reader;
use crate::scenario::readable::Named;
use crate::scenario::section::Item;
use crate::scenario::tree::{self, Entry, Node, Table, Value};
use crate::scenario::{FormulaSystem, Initial, Law, Motion, Place, SectionSpec, Text, names};
use stationary::error::{Diagnostic, near_miss};

/// The coordinates, and whether they were given by number (`q0`, `q1`, ...), in which case lists may repeat.
struct Coordinates {
    names: Vec<String>,
    numbered: bool,
}

impl Reader {
    /// The system.
    pub(super) fn formula_system(&mut self) -> Result<FormulaSystem, Diagnostic> {
        if let (Some((_, place)), false) = (&self.times.end_impacts, self.root.has("gap")) {
            return Err(place
                .error("`end_impacts` without `gap`: nothing can be hit")
                .help("add: gap = \"y\", a formula that must not become negative"));
        }
        let coordinates = self.coordinates()?;
        let (lagrangian, law) = self.law(&coordinates)?;
        let constraints = self.constraints()?;
        let force = match self.root.take("force")? {
            Some(given) => self.pattern("force", given.node, &coordinates)?,
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
        Ok(FormulaSystem {
            step: self.need_step()?,
            initial: self.initial(&coordinates, &law)?,
            symmetries: self.symmetries(&coordinates)?,
            probes: self.probes()?,
            section: self.section()?,
            drawings: self.drawings()?,
            law,
            output_every: self.output.given("every")?,
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
        let names = self.root.given::<Vec<Text>>("reduce")?.unwrap_or_default();
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
        let constraints: Vec<Text> = self.root.given("constraint")?.unwrap_or_default();
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
        let given = self.root.need("coordinates")?;
        let is_list = matches!(given.node.value, Value::List(_));
        let names = if is_list { given.read(&self.constants)? } else { self.numbered(&given)? };
        for name in &names {
            self.names.coordinate(&name.text, &name.place)?;
        }
        Ok(Coordinates { names: names.into_iter().map(|n| n.text).collect(), numbered: !is_list })
    }

    /// `coordinates = 12` or `coordinates = "2*n*n"`.
    fn numbered(&self, given: &Item) -> Result<Vec<Text>, Diagnostic> {
        let Node { value, place } = &given.node;
        let count: u64 = given.read(&self.constants).map_err(|d| {
            if matches!(value, Value::Text(_)) && d.help.is_none() {
                return d
                    .help("expected a list of names, as in [\"x\", \"y\"], or a formula of the parameters");
            }
            d
        })?;
        let name = |k| Text { text: format!("q{k}"), place: place.clone(), index: None };
        Ok((0..count).map(name).collect())
    }

    /// The formula that makes the system move, and what it is.
    fn law(&mut self, coordinates: &Coordinates) -> Result<(Text, Law), Diagnostic> {
        let hamiltonian = self.root.take("hamiltonian")?;
        let one_form = self.root.take("one_form")?;
        let Some(hamiltonian) = hamiltonian else {
            if let Some(given) = one_form {
                return Err(given
                    .node
                    .place
                    .error("`one_form` without `hamiltonian`: it is one half of theta.q' - H")
                    .help("add: hamiltonian = \"...\", a formula of the coordinates"));
            }
            let lagrangian = self.root.need("lagrangian")?.read(&self.constants)?;
            return Ok((lagrangian, Law::Lagrangian));
        };
        if let Some(other) = self.root.find("lagrangian") {
            return Err(other
                .node
                .place
                .error("`lagrangian` besides `hamiltonian`: a system has one law of motion")
                .help("keep one of them"));
        }
        let hamiltonian = hamiltonian.read(&self.constants)?;
        let Some(given) = one_form else { return Ok((hamiltonian, Law::Canonical)) };
        Ok((hamiltonian, Law::OneForm(self.pattern("one_form", given.node, coordinates)?)))
    }

    fn section(&mut self) -> Result<Option<SectionSpec>, Diagnostic> {
        let Some(mut table) = self.root.table("section")? else { return Ok(None) };
        let when = table.get("when")?;
        let columns: Vec<Named<Text>> = table.get("columns")?;
        if columns.is_empty() {
            return Err(table.error("`section.columns` names nothing to record"));
        }
        let mut chosen = Vec::new();
        for Named { name, value } in columns {
            names::identifier(&name.text, "column", &name.place)?;
            if name.text == "t" {
                return Err(name.error("the column `t` is there already: the time of each point"));
            }
            chosen.push((name.text, value));
        }
        Ok(Some(SectionSpec { when, columns: chosen }))
    }

    fn initial(&mut self, coordinates: &Coordinates, law: &Law) -> Result<Initial, Diagnostic> {
        let Some(mut table) = self.root.table("initial")? else { return Err(self.root.missing("initial")) };
        let position = self.state("position", table.need("position")?.node, coordinates)?;
        if let Law::OneForm(_) = law {
            return match table.entries().first() {
                None => Ok(Initial { position, motion: Motion::Implied }),
                Some(entry) => Err(entry
                    .key_place
                    .error(format!("`{}` besides a one-form: the position alone is the state", entry.key))
                    .help("keep `position` only")),
            };
        }
        if let (Law::Canonical, Some(entry)) = (law, table.entries().iter().find(|e| e.key != "momentum")) {
            return Err(entry
                .key_place
                .error(format!("`{}` is no initial motion of a system given by its Hamiltonian", entry.key))
                .help("give `momentum`: the state is positions and momenta"));
        }
        if let [first, second, ..] = table.entries() {
            let message =
                format!("`{}` besides `{}`: the initial motion is given twice", second.key, first.key);
            return Err(second
                .key_place
                .error(message)
                .help("keep exactly one of velocity, momentum, next_position"));
        }
        let Some(key) = table.entries().first().map(|entry| entry.key.clone()) else {
            return Err(table
                .error("`initial` does not say how the system moves")
                .help(format!("expected exactly one of {}", MOTIONS.join(", "))));
        };
        let values = self.state(&key, table.need(&key)?.node, coordinates)?;
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
            _ => self.constants.repeated(key, &[node], coordinates.names.len()),
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
        let Some(Value::Table(table)) = self.root.take("symmetry")?.map(|given| given.node.value) else {
            return Ok(symmetries);
        };
        for Entry { key, key_place, node } in table {
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
            _ => vec![node],
        };
        self.constants.charge(&pattern, count)?;
        let formulas = pattern.into_iter().map(|n| n.formula(key)).collect::<Result<Vec<_>, _>>()?;
        Ok((0..count).map(|k| Text { index: Some(k), ..formulas[k % formulas.len()].clone() }).collect())
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
