//! Solids: a mesh with materials, supports, loads and an initial state.

use std::collections::{HashMap, HashSet};

use super::keys::{EQUILIBRIUM, KEYS, USUAL_FRAMES};
use super::spec as solid;
use super::spec::SolidOutput;
use crate::registry;
use crate::scenario::constants::Constants;
use crate::scenario::read::{Reader, named_tables};
use crate::scenario::readable::Placed;
use crate::scenario::section::{Item, Owner, Section};
use crate::scenario::tree::{self, Entry, Value};
use crate::scenario::{
    FrameFormat, InitialShape, Load, LoadKind, MaterialSpec, MeshSpec, Options, Place, PointMass, ProbePlace,
    ProbeSummary, SolidProbe, SolidSystem, Support, Text, names,
};
use stationary::error::Diagnostic;
use stationary::formula::{Graph, Scope};

/// The ways to state a load, of which each load uses one.
const LOADS: [&str; 5] = ["body", "acceleration", "traction", "pressure", "force"];

/// Formulas are tried as they are read, so that a wrong name is found before a mesh is. One graph for all of them: its
/// limits then bound the time they take together.
struct Trial {
    graph: Graph,
    field: Scope,
    probe: Scope,
}

impl Trial {
    /// A formula of `t`, `X`, `Y`, `Z`.
    fn field(&mut self, text: Text) -> Result<Text, Diagnostic> {
        text.lower(&mut self.graph, &mut self.field)?;
        Ok(text)
    }

    /// A formula that may also name positions and velocities.
    fn probe(&mut self, text: Text) -> Result<Text, Diagnostic> {
        text.lower(&mut self.graph, &mut self.probe)?;
        Ok(text)
    }

    /// Three components, or two in the plane: positions then stay where they are along z, all else is zero there.
    fn vector(&mut self, given: &Item, constants: &Constants) -> Result<[Text; 3], Diagnostic> {
        let components: Vec<Text> = given.read(constants)?;
        let third = if given.name() == "deformation" { "Z" } else { "0" };
        let third = Text { text: third.into(), place: given.node.place.clone(), index: None };
        let mut all = components.into_iter().chain([third]);
        let mut next = || {
            let component =
                all.next().unwrap_or_else(|| unreachable!("the form has two components or three"));
            self.field(component)
        };
        Ok([next()?, next()?, next()?])
    }
}

/// Rows where the scenario gives no number: of a motion, and of a static solution.
const USUAL_ROWS: u64 = 500;
const STATIC_ROWS: u64 = 10;

/// What `initial` says.
#[derive(Default)]
struct InitialFields {
    shape: Option<InitialShape>,
    velocity: Option<[Text; 3]>,
    equilibrium: Option<Place>,
}

impl Reader {
    /// Whether the integrator is the static solution.
    fn is_static(&self) -> bool {
        let Some(entry) = self.root.find("integrator") else { return false };
        let is_name = |value: &Value| matches!(value, Value::Text(name) if name == registry::STATIC);
        let method = |entries: &[Entry]| entries.iter().any(|e| e.key == "method" && is_name(&e.node.value));
        is_name(&entry.node.value) || entry.node.as_table().is_some_and(|entries| method(entries))
    }

    /// The system.
    pub(super) fn solid_system(&mut self) -> Result<SolidSystem, Diagnostic> {
        let field = solid::field_scope(&self.parameters);
        let probe = solid::probe_scope(&self.parameters);
        let mut trial = Trial { graph: Graph::new(), field, probe };
        let mesh = self.mesh()?;
        let step = match self.root.take("step")? {
            Some(given) => Some((self.step(&given)?, given.node.place)),
            None => None,
        };
        let materials = self.materials()?;
        let masses = self.masses()?;
        let supports = self.supports(&mut trial)?;
        let loads = self.loads(&mut trial)?;
        let InitialFields { shape, velocity, equilibrium } = self.fields(&mut trial)?;
        let rows = if self.is_static() { STATIC_ROWS } else { USUAL_ROWS };
        Ok(SolidSystem {
            mesh,
            materials,
            masses,
            supports,
            loads,
            shape,
            equilibrium,
            velocity,
            probes: self.solid_probes(&mut trial)?,
            local_energy: self.local_energy()?,
            step,
            output: solid_output(&mut self.output, rows)?,
        })
    }

    /// `mesh = "block.msh"` or a table with `file`, `scale` and `refine`.
    fn mesh(&mut self) -> Result<MeshSpec, Diagnostic> {
        let is_table = self.root.find("mesh").is_some_and(|entry| entry.node.as_table().is_some());
        let mesh = if is_table && let Some(mut table) = self.root.table("mesh")? {
            MeshSpec {
                file: table.get("file")?,
                scale: table.get("scale")?,
                refine: table.get::<u64>("refine")? as u32,
            }
        } else {
            MeshSpec { file: self.root.get("mesh")?, scale: 1.0, refine: 0 }
        };
        if mesh.file.text.is_empty() {
            return Err(mesh.file.error("the name of the mesh file is empty"));
        }
        Ok(mesh)
    }

    /// The materials; the constants of each belong to its law, which is found when the solid is built.
    fn materials(&mut self) -> Result<Vec<MaterialSpec>, Diagnostic> {
        let Some(given) = self.root.take("material")? else { return Err(self.root.missing("material")) };
        let Value::Table(named) = given.node.value else { unreachable!("the form of `material` is a table") };
        let constants = self.constants.part(named.len());
        let mut materials = Vec::with_capacity(named.len());
        let mut owners: HashMap<Option<String>, String> = HashMap::new();
        for Entry { key, key_place, node } in named {
            names::identifier(&key, "material", &key_place)?;
            let entries = node.table(&format!("material.{key}"), "a table").map_err(|error| {
                error.help("every material has a name, and its keys stand below: [material.NAME]")
            })?;
            let name = Text { text: key, place: key_place, index: None };
            let is_own = |entry: &Entry| !["group", "law"].contains(&entry.key.as_str());
            let (options, own_keys) = entries.into_iter().partition(is_own);
            let owner = Owner::at(format!("the material `{}`", name.text), &name.place);
            let mut table = Section::open(own_keys, KEYS, "material", owner, &self.constants)?;
            let groups: Vec<Text> = table.given("group")?.unwrap_or_default();
            let law = table.get("law")?;
            own(&name, &groups, &mut owners)?;
            let options = Options::new(options, constants.clone());
            materials.push(MaterialSpec { name, groups, law, options });
        }
        if materials.is_empty() {
            return Err(self.root.missing("material"));
        }
        Ok(materials)
    }

    fn masses(&mut self) -> Result<Vec<PointMass>, Diagnostic> {
        let mut masses = Vec::new();
        for (name, mut table) in named_tables(&mut self.root, "mass", "mass", str::to_string)? {
            masses.push(PointMass { name, group: table.get("group")?, mass: table.get("mass")? });
        }
        Ok(masses)
    }

    fn supports(&mut self, trial: &mut Trial) -> Result<Vec<Support>, Diagnostic> {
        let mut supports = Vec::new();
        for (name, mut table) in named_tables(&mut self.root, "support", "support", str::to_string)? {
            let group = table.get("group")?;
            let components = fixed_components(&mut table, &name, trial)?;
            supports.push(Support { name, group, components });
        }
        Ok(supports)
    }

    fn loads(&mut self, trial: &mut Trial) -> Result<Vec<Load>, Diagnostic> {
        let mut loads = Vec::new();
        for (name, mut table) in named_tables(&mut self.root, "load", "load", str::to_string)? {
            let groups: Vec<Text> = table.given("group")?.unwrap_or_default();
            if let [first, second, ..] = table.entries() {
                let message = format!(
                    "`{}` besides `{}`: the load `{}` is given twice",
                    second.key, first.key, name.text
                );
                let help = format!(
                    "keep exactly one of {}; further loads have names of their own",
                    LOADS.join(", ")
                );
                return Err(second.key_place.error(message).help(help));
            }
            let Some(key) = table.entries().first().map(|entry| entry.key.clone()) else {
                return Err(name
                    .error(format!("the load `{}` does not say what acts", name.text))
                    .help(format!("expected exactly one of {}", LOADS.join(", "))));
            };
            if groups.is_empty() && !matches!(key.as_str(), "body" | "acceleration") {
                return Err(name.error(format!("the load `{}` has no `group`", name.text)).help(format!(
                    "a {key} acts on a group of the mesh; only body and acceleration need none"
                )));
            }
            let given = table.need(&key)?;
            let kind = if key == "pressure" {
                LoadKind::Pressure(trial.field(given.read(&self.constants)?)?)
            } else {
                let vector = trial.vector(&given, &self.constants)?;
                match key.as_str() {
                    "body" => LoadKind::Body(vector),
                    "acceleration" => LoadKind::Acceleration(vector),
                    "traction" => LoadKind::Traction(vector),
                    _ => LoadKind::Force(vector),
                }
            };
            loads.push(Load { name, groups, kind });
        }
        Ok(loads)
    }

    /// The initial shape and velocity.
    fn fields(&mut self, trial: &mut Trial) -> Result<InitialFields, Diagnostic> {
        let is_word = self.root.find("initial").is_some_and(|entry| entry.node.as_table().is_none());
        if is_word {
            let expected = self.root.row("initial").form.to_string();
            let given = self.root.need("initial")?;
            return match &given.node.value {
                Value::Text(word) if word == EQUILIBRIUM => {
                    Ok(InitialFields { equilibrium: Some(given.node.place), ..InitialFields::default() })
                }
                _ => Err(given.node.wrong("initial", &expected)),
            };
        }
        let Some(mut table) = self.root.table("initial")? else { return Ok(InitialFields::default()) };
        let place = table.find("equilibrium").map(|entry| entry.key_place.clone());
        let equilibrium = if table.get("equilibrium")? { place } else { None };
        let velocity = match table.take("velocity")? {
            Some(given) => Some(trial.vector(&given, &self.constants)?),
            None => None,
        };
        if let [first, second, ..] = table.entries() {
            let message =
                format!("`{}` besides `{}`: the initial shape is given twice", second.key, first.key);
            return Err(second.key_place.error(message).help("keep one of deformation, displacement"));
        }
        let Some(key) = table.entries().first().map(|entry| entry.key.clone()) else {
            return Ok(InitialFields { shape: None, velocity, equilibrium });
        };
        let vector = trial.vector(&table.need(&key)?, &self.constants)?;
        let shape = match key.as_str() {
            "deformation" => InitialShape::Deformation(vector),
            _ => InitialShape::Displacement(vector),
        };
        Ok(InitialFields { shape: Some(shape), velocity, equilibrium })
    }

    fn solid_probes(&mut self, trial: &mut Trial) -> Result<Vec<SolidProbe>, Diagnostic> {
        let mut probes = Vec::new();
        for (name, mut table) in named_tables(&mut self.root, "probe", "probe", str::to_string)? {
            self.names.probe(&name.text, &name.place)?;
            let value = trial.probe(table.get("value")?)?;
            let (at, place) = probe_place(&name, &mut table)?;
            probes.push(SolidProbe { name, at, place, value });
        }
        Ok(probes)
    }

    /// `elements = 12` or `elements = [12, 57]`.
    fn local_energy(&mut self) -> Result<Vec<(u64, Place)>, Diagnostic> {
        let Some(mut table) = self.root.table("local_energy")? else { return Ok(Vec::new()) };
        let mut elements: Vec<(u64, Place)> = Vec::new();
        let mut seen = HashSet::new();
        for Placed { value, place } in table.get::<Vec<Placed<u64>>>("elements")? {
            if !seen.insert(value) {
                return Err(place.error(format!("the element {value} is listed twice")));
            }
            elements.push((value, place));
        }
        Ok(elements)
    }
}

fn solid_output(table: &mut Section, usual: u64) -> Result<SolidOutput, Diagnostic> {
    let rows: u64 = table.given("rows")?.unwrap_or(usual);
    let frames = match table.given::<Placed<u64>>("frames")? {
        None => rows.min(USUAL_FRAMES),
        Some(Placed { value, place }) if value > rows => {
            let message = format!("{value} frames and {rows} rows: a frame is written with a row");
            return Err(place.error(message).help("expected `frames` to be at most `rows`"));
        }
        Some(frames) => frames.value,
    };
    let format = match table.get("frame_format")? {
        "vtu" => FrameFormat::Vtu,
        _ => FrameFormat::Xdmf,
    };
    Ok(SolidOutput { rows, frames, format })
}

/// The prescribed components of a support: all of them zero, or those with a formula.
fn fixed_components(
    table: &mut Section,
    name: &Text,
    trial: &mut Trial,
) -> Result<[Option<Text>; 3], Diagnostic> {
    let place = table.find("fixed").map_or(&name.place, |entry| &entry.node.place).clone();
    if table.get("fixed")? {
        if let Some(entry) = table.entries().first() {
            let message = format!("`{}` besides `fixed`, which holds every component at zero", entry.key);
            return Err(entry.key_place.error(message).help("keep one of the two"));
        }
        return Ok([(); 3].map(|()| Some(Text { text: "0".into(), place: place.clone(), index: None })));
    }
    let mut components = [None, None, None];
    for (component, key) in components.iter_mut().zip(["x", "y", "z"]) {
        *component = table.given(key)?.map(|text| trial.field(text)).transpose()?;
    }
    if components.iter().all(Option::is_none) {
        return Err(name
            .error(format!("the support `{}` holds nothing", name.text))
            .help("add: fixed = true, or the displacement along some of x, y, z"));
    }
    Ok(components)
}

/// No group, and not the rest of the body either, is of two materials.
fn own(name: &Text, groups: &[Text], owners: &mut HashMap<Option<String>, String>) -> Result<(), Diagnostic> {
    if groups.is_empty()
        && let Some(other) = owners.insert(None, name.text.clone())
    {
        let message = format!("the material `{}` has no `group`, as has `{other}`", name.text);
        return Err(name.error(message).help("only one material may take all elements that are left"));
    }
    for group in groups {
        if let Some(other) = owners.insert(Some(group.text.clone()), name.text.clone()) {
            let message = format!("the group `{}` is already of `{other}`", tree::shorten(&group.text));
            return Err(group.error(message).help("an element has one material"));
        }
    }
    Ok(())
}

/// Where a probe is, and where that is written: `at` a place, or over a `group`.
fn probe_place(name: &Text, table: &mut Section) -> Result<(ProbePlace, Place), Diagnostic> {
    let of = table.find("of").map(|entry| entry.key_place.clone());
    let group: Option<Text> = table.given("group")?;
    let near: Option<Placed<Vec<f64>>> = table.given("at")?;
    match (group, near, of) {
        (Some(group), None, _) => {
            let of = ProbeSummary::named(table.get("of")?).expect("a word of the key");
            let place = group.place.clone();
            Ok((ProbePlace::Group { group, of }, place))
        }
        (None, Some(_), Some(of)) => Err(of
            .error("`of` is of a probe over a group")
            .help("expected `group` in place of `at`, or no `of`")),
        (None, Some(Placed { value: at, place }), None) => {
            let at = [at[0], at[1], at.get(2).copied().unwrap_or(0.0)];
            Ok((ProbePlace::Near { at }, place))
        }
        (Some(group), Some(_), _) => {
            let message = format!("`group` besides `at`: the probe `{}` is in two places", name.text);
            Err(group.error(message).help("expected one of `at` and `group`"))
        }
        (None, None, _) => Err(name
            .error(format!("the probe `{}` has no place", name.text))
            .help("expected `at`, a reference position, or `group`, the name of a group of the mesh")),
    }
}
