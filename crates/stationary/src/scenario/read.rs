//! From the tree of values to a checked [`Scenario`]: the rules of the format, key by key.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::constants::Constants;
use super::names::{self, Names};
use super::overrides::{self, MOTIONS};
use super::tree::{self, Entry, Node, Table, Value};
use super::{Choice, Claim, FormulaSystem, Initial, Motion, Options, Place, Scenario, System, Text};
use crate::error::{Diagnostic, Source, near_miss};

/// Every key of the top level.
const KEYS: [&str; 15] = [
    "title",
    "description",
    "coordinates",
    "lagrangian",
    "step",
    "start",
    "end",
    "integrator",
    "observe",
    "claim",
    "parameters",
    "initial",
    "symmetry",
    "probe",
    "output",
];

/// Matrices over the coordinates are dense: beyond this they would take gigabytes.
const MOST_COORDINATES: u64 = 2_000;

/// The coordinates, and whether they were given by number (`q0`, `q1`, ...), in which case lists may repeat.
struct Coordinates {
    names: Vec<String>,
    numbered: bool,
}

/// Reads a scenario; see [`Scenario::read`].
pub(super) fn read(name: &str, text: &str, overrides: &[(String, String)]) -> Result<Scenario, Diagnostic> {
    let source = Arc::new(Source { name: name.to_string(), text: text.to_string() });
    let mut root = tree::document(&source)?;
    for (key, value) in overrides {
        overrides::apply(&mut root, &source, key, value)?;
    }
    tree::only(&root, "the scenario", &KEYS)?;
    let reader = Reader { source, root, names: Names::new(), constants: Constants::new() };
    Ok(Scenario { overrides: overrides.to_vec(), ..reader.scenario(name)? })
}

struct Reader {
    source: Arc<Source>,
    root: Table,
    names: Names,
    constants: Constants,
}

impl Reader {
    fn scenario(mut self, name: &str) -> Result<Scenario, Diagnostic> {
        let parameters = self.parameters()?;
        let coordinates = self.coordinates()?;
        let lagrangian = self.need("lagrangian")?.text("lagrangian", "a formula in quotes")?;
        let (start, end, step) = self.times()?;
        let initial = self.initial(&coordinates)?;
        let system = System::Formula(Box::new(FormulaSystem {
            symmetries: self.symmetries(&coordinates)?,
            probes: self.probes()?,
            output_every: self.output()?,
            coordinates: coordinates.names,
            lagrangian,
            step,
            initial,
        }));
        Ok(Scenario {
            name: stem(name),
            folder: None,
            title: self.optional_text("title")?,
            description: self.optional_text("description")?,
            integrator: self.integrator()?,
            observe: self.texts("observe", "the name of an observer, or a list of names")?,
            claims: self.claims()?,
            overrides: Vec::new(),
            source: self.source,
            system,
            parameters,
            start,
            end,
        })
    }

    fn take(&mut self, key: &str) -> Option<Node> {
        tree::take(&mut self.root, key)
    }

    fn need(&mut self, key: &str) -> Result<Node, Diagnostic> {
        self.take(key).ok_or_else(|| missing(&self.source, key))
    }

    fn optional_text(&mut self, key: &str) -> Result<Option<String>, Diagnostic> {
        self.take(key).map(|node| node.text(key, "text").map(|t| t.text)).transpose()
    }

    /// A table of the top level; absent means empty.
    fn table(&mut self, key: &str) -> Result<Table, Diagnostic> {
        self.take(key).map_or(Ok(Vec::new()), |node| node.table(key, "a table"))
    }

    /// One text or a list of texts.
    fn texts(&mut self, key: &str, expected: &str) -> Result<Vec<Text>, Diagnostic> {
        match self.take(key) {
            None => Ok(Vec::new()),
            Some(Node { value: Value::List(list), .. }) => {
                list.into_iter().map(|n| n.text(key, expected)).collect()
            }
            Some(node) => Ok(vec![node.text(key, expected)?]),
        }
    }

    fn parameters(&mut self) -> Result<Vec<(String, f64)>, Diagnostic> {
        let table = self.table("parameters")?;
        let mut order: HashMap<&str, usize> = HashMap::new();
        for (at, entry) in table.iter().enumerate() {
            self.names.parameter(&entry.key, &entry.key_place)?;
            order.insert(&entry.key, at);
        }
        let mut parameters = Vec::with_capacity(table.len());
        for (at, entry) in table.iter().enumerate() {
            let value = self.constants.number(&entry.key, &entry.node).map_err(|d| {
                let named = d.source.as_ref().zip(d.span.clone()).and_then(|(s, span)| s.text.get(span));
                match named.and_then(|n| order.get_key_value(n)) {
                    Some((later, place)) if *place >= at => {
                        let help =
                            format!("`{later}` has no value yet: a parameter may use only those above it");
                        d.help(help)
                    }
                    _ => d,
                }
            })?;
            self.constants.define(&entry.key, value);
            parameters.push((entry.key.clone(), value));
        }
        Ok(parameters)
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

    /// Start, end and step; every step must move the clock.
    fn times(&mut self) -> Result<(f64, f64, f64), Diagnostic> {
        let step_node = self.need("step")?;
        let step = self.constants.number("step", &step_node)?;
        if step <= 0.0 {
            return Err(step_node.place.error(format!("`step` must be greater than zero, found {step}")));
        }
        let start = match self.take("start") {
            Some(node) => self.constants.number("start", &node)?,
            None => 0.0,
        };
        let end_node = self.need("end")?;
        let end = self.constants.number("end", &end_node)?;
        if end <= start {
            let message = format!("`end` must be later than `start`, found {end} after {start}");
            return Err(end_node.place.error(message));
        }
        let latest = if start.abs() > end.abs() { start } else { end };
        if latest + step == latest || !(end - start).is_finite() {
            let message =
                format!("`step` is too small: {latest:?} + {step:?} is {latest:?} in double precision");
            return Err(step_node.place.error(message));
        }
        Ok((start, end, step))
    }

    fn initial(&mut self, coordinates: &Coordinates) -> Result<Initial, Diagnostic> {
        let node = self.need("initial")?;
        let place = node.place.clone();
        let mut table = node.table("initial", "a table")?;
        tree::only(&table, "`initial`", &["position", "velocity", "momentum", "next_position"])?;
        let Some(position) = tree::take(&mut table, "position") else {
            return Err(place
                .error("`initial` has no `position`")
                .help("expected `position`, and one of velocity, momentum, next_position"));
        };
        let position = self.state("position", position, coordinates)?;
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

    fn integrator(&mut self) -> Result<Choice, Diagnostic> {
        let node = self.need("integrator")?;
        let place = node.place.clone();
        if let Value::Text(text) = node.value {
            let options = Options::new(Vec::new(), self.constants.clone());
            return Ok(Choice { method: Text { text, place, index: None }, options });
        }
        let mut table = node.table("integrator", "the name of an integrator, or a table with `method`")?;
        let Some(method) = tree::take(&mut table, "method") else {
            return Err(place
                .error("`integrator` has no `method`")
                .help("expected the name of an integrator: method = \"verlet\""));
        };
        let method = method.text("method", "the name of an integrator")?;
        Ok(Choice { method, options: Options::new(table, self.constants.clone()) })
    }

    fn symmetries(&mut self, coordinates: &Coordinates) -> Result<Vec<(String, Vec<Text>)>, Diagnostic> {
        let count = coordinates.names.len();
        let mut symmetries = Vec::new();
        for Entry { key, key_place, node } in self.table("symmetry")? {
            names::identifier(&key, "symmetry", &key_place)?;
            let place = node.place.clone();
            let pattern = match node.value {
                Value::List(list) => {
                    pattern_length(&key, &list, &place, coordinates)?;
                    list
                }
                Value::Text(_) => vec![node],
                _ => return Err(node.wrong(&key, "a list of formulas, one for each coordinate")),
            };
            self.constants.charge(&pattern, count)?;
            let formulas = pattern.into_iter().map(|n| n.formula(&key)).collect::<Result<Vec<_>, _>>()?;
            let generator =
                (0..count).map(|k| Text { index: Some(k), ..formulas[k % formulas.len()].clone() });
            symmetries.push((key, generator.collect()));
        }
        Ok(symmetries)
    }

    fn probes(&mut self) -> Result<Vec<(String, Text)>, Diagnostic> {
        let mut probes = Vec::new();
        for Entry { key, key_place, node } in self.table("probe")? {
            self.names.probe(&key, &key_place)?;
            let text = node.formula(&key)?;
            probes.push((key, text));
        }
        Ok(probes)
    }

    fn output(&mut self) -> Result<Option<u64>, Diagnostic> {
        let mut table = self.table("output")?;
        tree::only(&table, "`output`", &["every"])?;
        let every = tree::take(&mut table, "every");
        every.map(|node| self.constants.integer("every", &node, &(1..=u64::MAX))).transpose()
    }

    fn claims(&mut self) -> Result<Vec<Claim>, Diagnostic> {
        let texts = self.texts("claim", "a comparison in quotes, or a list of them")?;
        texts.into_iter().map(|text| Claim::read(text, &self.constants)).collect()
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

/// What each required key is for, with a line to copy.
fn missing(source: &Arc<Source>, key: &str) -> Diagnostic {
    let example = match key {
        "coordinates" => "coordinates = [\"x\", \"y\"]",
        "lagrangian" => "lagrangian = \"0.5*m*(vx^2 + vy^2) - m*g*y\"",
        "step" => "step = 0.01",
        "end" => "end = 100.0",
        "integrator" => "integrator = \"verlet\"",
        _ => "[initial] with position and velocity",
    };
    let mut diagnostic =
        Diagnostic::new(format!("the scenario has no `{key}`")).help(format!("add: {example}"));
    diagnostic.source = Some(Arc::clone(source));
    diagnostic
}

/// `folder/kepler.toml` names the scenario `kepler`.
fn stem(name: &str) -> String {
    Path::new(name).file_stem().map_or(name.to_string(), |s| s.to_string_lossy().into_owned())
}
