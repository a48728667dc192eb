//! From the tree of values to a checked [`Scenario`]: the rules of the format, key by key.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::constants::Constants;
use super::keys::{IfAbsent, Key};
use super::names::{self, Names};
use super::overrides;
use super::readable::Placed;
use super::section::{Item, Owner, Section};
use super::tree::{self, Entry, Node, Table, Value};
use super::{Claim, Given, IntegratorSpec, Options, Output, Place, Scenario, Text, moves_clock, spacing};
use crate::kinds::{self, SystemKind};
use stationary::error::{Diagnostic, Source};

/// Reads a scenario of one of some kinds; see [`Scenario::read`].
pub(crate) fn read(
    kinds: &'static [&'static SystemKind],
    name: &str,
    text: &str,
    overrides: &[(String, String)],
) -> Result<Scenario, Diagnostic> {
    let source = Arc::new(Source { name: name.to_string(), text: text.to_string() });
    let mut root = tree::document(&source)?;
    for (key, value) in overrides {
        overrides::apply(&mut root, &source, key, value)?;
    }
    let kind = kinds::kind_of(kinds, &root, &source)?;
    kinds::only(kinds, kind, &root, "").map_err(|unknown| lead(unknown, &root))?;
    for (table, key) in root.iter().filter_map(|entry| Some((entry.node.as_table()?, &entry.key))) {
        let is_section = |row: &&Key| row.path == key && row.form.may_be_section();
        let section = kind.keys.iter().find(is_section);
        section.map_or(Ok(()), |row| kinds::only(kinds, kind, table, row.path))?;
    }
    let owner = Owner::scenario(&source);
    let mut root = Section::open(root, kind.keys, "", owner.clone(), &Constants::new())?;
    let mut names = Names::new((kind.reserved_names)());
    let given = if kind.keys_of("").contains(&"parameters") { root.take("parameters")? } else { None };
    let Parameters { values, constants } = Parameters::read(given, &mut names)?;
    let mut root = Section::open(root.into_entries(), kind.keys, "", owner, &constants)?;
    let times = Times::read(&mut root)?;
    let mut output = root.optional_table("output")?;
    let common_output = Output::read(&mut output)?;
    let reader =
        Reader { kind, source, root, output, common_output, names, constants, parameters: values, times };
    Ok(Scenario { overrides: overrides.to_vec(), ..reader.scenario(name)? })
}

/// The parameters, and the constants that they are for all other values.
struct Parameters {
    values: Vec<(String, f64)>,
    constants: Constants,
}

impl Parameters {
    /// Numbers by name, each of which may use those above it.
    fn read(given: Option<Item>, names: &mut Names) -> Result<Self, Diagnostic> {
        let mut constants = Constants::new();
        let mut values = Vec::new();
        let Some(Value::Table(table)) = given.map(|item| item.node.value) else {
            return Ok(Parameters { values, constants });
        };
        let mut order: HashMap<&str, usize> = HashMap::new();
        for (at, entry) in table.iter().enumerate() {
            names.parameter(&entry.key, &entry.key_place)?;
            order.insert(&entry.key, at);
        }
        for (at, entry) in table.iter().enumerate() {
            let value = constants.number(&entry.key, &entry.node).map_err(|d| {
                let named = d.source.as_ref().zip(d.span.clone()).and_then(|(s, span)| s.text.get(span));
                match named.and_then(|n| order.get_key_value(n)) {
                    Some((later, place)) if *place >= at => {
                        d.help(format!("`{later}` has no value yet: a parameter may use only those above it"))
                    }
                    _ => d,
                }
            })?;
            constants.define(&entry.key, value);
            values.push((entry.key.clone(), value));
        }
        Ok(Parameters { values, constants })
    }
}

/// Keys of other programs and formats, and the key that says the same here.
const ELSEWHERE: [(&str, &str); 17] = [
    ("dt", "step"),
    ("h", "step"),
    ("time_step", "step"),
    ("timestep", "step"),
    ("t_end", "end"),
    ("tend", "end"),
    ("tmax", "end"),
    ("t_max", "end"),
    ("t0", "start"),
    ("t_start", "start"),
    ("method", "integrator.method"),
    ("q0", "initial.position"),
    ("x0", "initial.position"),
    ("v0", "initial.velocity"),
    ("p0", "initial.momentum"),
    ("L", "lagrangian"),
    ("H", "hamiltonian"),
];

/// Says where a key belongs that is none of the scenario's: the name of a parameter or a coordinate, or a key of a table.
fn lead(unknown: Diagnostic, root: &Table) -> Diagnostic {
    let source = unknown.source.as_ref();
    let here = |e: &&tree::Entry| {
        source.is_some_and(|s| Arc::ptr_eq(s, &e.key_place.source))
            && unknown.span.as_ref() == Some(&e.key_place.span)
    };
    let Some(key) = root.iter().find(here).map(|e| e.key.as_str()) else { return unknown };
    let Some(lead) = belongs(key, root) else { return unknown };
    let help = unknown.help.as_deref().map_or(String::new(), |help| format!("; {help}"));
    Diagnostic { help: Some(format!("{lead}{help}")), ..unknown }
}

/// Where a key belongs, in words.
fn belongs(key: &str, root: &Table) -> Option<String> {
    let table = |name: &str| match root.iter().find(|e| e.key == name).map(|e| &e.node.value) {
        Some(Value::Table(table)) => Some(table),
        _ => None,
    };
    let has = |name: &str| table(name).is_some_and(|t| t.iter().any(|e| e.key == key));
    if has("parameters") {
        return Some(format!("`{key}` is a parameter: write `parameters.{key}`"));
    }
    if let Some(place) = coordinate(key, root) {
        return Some(place);
    }
    if let Some(owner) = root.iter().map(|e| e.key.as_str()).find(|name| has(name)) {
        return Some(format!("`{key}` is a key of `{owner}`: write `{owner}.{key}`"));
    }
    let (_, known) = ELSEWHERE.iter().find(|(other, _)| *other == key)?;
    Some(format!("write `{known}`"))
}

/// Where the initial value of a coordinate or of its velocity stands.
fn coordinate(key: &str, root: &Table) -> Option<String> {
    let find = |table: &'_ Table, key: &str| table.iter().position(|e| e.key == key);
    let Value::List(names) = &root[find(root, "coordinates")?].node.value else { return None };
    let is = |name: &str| names.iter().position(|n| matches!(&n.value, Value::Text(text) if text == name));
    let of_motion = |letter: char| is(key.strip_prefix(letter)?).zip(key.strip_prefix(letter));
    let (what, group, (at, name)) = match (is(key), of_motion('v'), of_motion('p')) {
        (Some(at), ..) => ("a coordinate", "position", (at, key)),
        (None, Some(found), _) => ("a velocity", "velocity", found),
        (None, None, Some(found)) => ("a momentum", "momentum", found),
        _ => return None,
    };
    let listed = match root.iter().find(|e| e.key == "initial").map(|e| &e.node.value) {
        Some(Value::Table(initial)) => {
            find(initial, group).is_some_and(|k| matches!(initial[k].node.value, Value::List(_)))
        }
        _ => false,
    };
    let part = if listed { at.to_string() } else { name.to_string() };
    Some(format!("`{key}` is {what}: at the start it is `initial.{group}.{part}`"))
}

/// Reads the keys of a scenario one after another. What every scenario has is read first, then its system by the reader of its kind.
pub(crate) struct Reader {
    kind: &'static SystemKind,
    source: Arc<Source>,
    /// What is written of every kind of system.
    common_output: Output,
    /// Keys that nobody has taken yet.
    pub root: Section,
    /// Those of the table `output`.
    pub output: Section,
    pub names: Names,
    pub constants: Constants,
    pub parameters: Vec<(String, f64)>,
    pub times: Times,
}

/// When a run begins and ends.
pub(crate) struct Times {
    pub start: f64,
    /// Infinite where only impacts end the run.
    pub end: f64,
    /// Impacts that end the run, and where their number was written.
    pub end_impacts: Option<(u64, Place)>,
}

impl Times {
    fn read(root: &mut Section) -> Result<Self, Diagnostic> {
        let start: f64 = root.given("start")?.unwrap_or(0.0);
        let end_impacts = root.given::<Placed<u64>>("end_impacts")?.map(|given| (given.value, given.place));
        if end_impacts.is_some() && !root.has("end") {
            return Ok(Times { start, end: f64::INFINITY, end_impacts });
        }
        let given = root.need("end")?;
        let end: f64 = given.read(root.constants())?;
        if end <= start {
            let message = format!("`end` must be later than `start`, found {end} after {start}");
            return Err(given.node.place.error(message));
        }
        if !(end - start).is_finite() {
            let message =
                format!("`end` is too far from `start`: from {start:?} to {end:?} is no finite time");
            return Err(given.node.place.error(message));
        }
        Ok(Times { start, end, end_impacts })
    }
}

impl Reader {
    fn scenario(mut self, name: &str) -> Result<Scenario, Diagnostic> {
        let system = (self.kind.read)(&mut self)?;
        Ok(Scenario {
            name: stem(name),
            folder: None,
            title: self.root.given("title")?,
            description: self.root.given("description")?,
            integrator: self.integrator()?,
            observe: self.root.given("observe")?.unwrap_or_default(),
            claims: self.claims()?,
            output: self.common_output,
            overrides: Vec::new(),
            given: Given::default(),
            source: self.source,
            system,
            parameters: self.parameters,
            start: self.times.start,
            end: self.times.end,
            end_impacts: self.times.end_impacts.map(|(count, _)| count),
        })
    }

    /// The rows of the keys of the scenario.
    pub fn keys(&self) -> &'static [Key] {
        self.kind.keys
    }

    /// The step of a system that needs one.
    pub fn need_step(&mut self) -> Result<f64, Diagnostic> {
        let given = self.root.need("step")?;
        self.step(&given)
    }

    /// A step that moves the clock, wherever it stands between start and end.
    pub fn step(&self, given: &Item) -> Result<f64, Diagnostic> {
        let Times { start, end, .. } = self.times;
        let step: f64 = given.read(&self.constants)?;
        // Without an end the clock must move at the start.
        let latest = if start.abs() > end.abs() || end.is_infinite() { start } else { end };
        if !moves_clock(step, latest) {
            let message = format!(
                "`step` is too small: times near {latest:?} are {:?} apart in double precision, so a step of {step:?} does not move \
                 the clock",
                spacing(latest)
            );
            return Err(given
                .node
                .place
                .error(message)
                .help("expected a longer step, or times nearer to zero"));
        }
        Ok(step)
    }

    fn integrator(&mut self) -> Result<IntegratorSpec, Diagnostic> {
        let usual = match self.root.row("integrator").default {
            IfAbsent::Word(name) => Some(name),
            _ => None,
        };
        let node = match (self.root.take("integrator")?, usual) {
            (Some(item), _) => item.node,
            (None, None) => return Err(self.root.missing("integrator")),
            (None, Some(name)) => {
                let place = Place { source: Arc::clone(&self.source), span: 0..0 };
                Node { value: Value::Text(name.into()), place }
            }
        };
        let place = node.place.clone();
        let mut table = match node.value {
            Value::Text(text) => {
                let options = Options::new(Vec::new(), self.constants.clone());
                return Ok(IntegratorSpec { method: Text { text, place, index: None }, options });
            }
            Value::Table(table) => table,
            _ => unreachable!("the form of `integrator` is a name or a table"),
        };
        let method = tree::take(&mut table, "method");
        if let (None, Some(name)) = (&method, usual) {
            let method = Text { text: name.into(), place, index: None };
            return Ok(IntegratorSpec { method, options: Options::new(table, self.constants.clone()) });
        }
        let Some(method) = method else {
            return Err(place
                .error("`integrator` has no `method`")
                .help("expected the name of an integrator: method = \"verlet\""));
        };
        let method = method.text("method", "the name of an integrator")?;
        Ok(IntegratorSpec { method, options: Options::new(table, self.constants.clone()) })
    }

    fn claims(&mut self) -> Result<Vec<Claim>, Diagnostic> {
        let texts: Vec<Text> = self.root.given("claim")?.unwrap_or_default();
        texts.into_iter().map(|text| Claim::read(text, &self.constants)).collect()
    }

    /// The formulas of a table by name.
    pub fn probes(&mut self) -> Result<Vec<(String, Text)>, Diagnostic> {
        let Some(Value::Table(table)) = self.root.take("probe")?.map(|item| item.node.value) else {
            return Ok(Vec::new());
        };
        let mut probes = Vec::new();
        for Entry { key, key_place, node } in table {
            self.names.probe(&key, &key_place)?;
            let text = node.formula(&key)?;
            probes.push((key, text));
        }
        Ok(probes)
    }
}

/// The tables of a key by their names. A name must be that of a variable once it is spelt as `spelt` does.
pub(crate) fn named_tables(
    root: &mut Section,
    section: &'static str,
    what: &str,
    spelt: fn(&str) -> String,
) -> Result<Vec<(Text, Section)>, Diagnostic> {
    let mut all = Vec::new();
    for (Entry { key, key_place, .. }, table) in root.tables(section, what)? {
        names::identifier(&spelt(&key), section, &key_place)?;
        all.push((Text { text: key, place: key_place, index: None }, table));
    }
    Ok(all)
}

/// `folder/kepler.toml` names the scenario `kepler`.
fn stem(name: &str) -> String {
    let stem = Path::new(name).file_stem().map_or(name.to_string(), |s| s.to_string_lossy().into_owned());
    // The stem of `...toml` is `..`: as the name of a folder it would lead out of the results.
    if stem.chars().all(|c| c == '.') { "scenario".into() } else { stem }
}
