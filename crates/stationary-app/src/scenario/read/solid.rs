//! Solids: a mesh with materials, supports, loads and an initial state.

use std::collections::{HashMap, HashSet};

use super::Reader;
use crate::scenario::kind::{Kind, LOADS};
use crate::scenario::output::take_frame_format;
use crate::scenario::solid::{self, SolidOutput};
use crate::scenario::tree::{self, Entry, Node, Table, Value};
use crate::scenario::{
    InitialShape, Load, LoadKind, MaterialChoice, MeshChoice, Options, Place, PointMass, SolidProbe,
    SolidSystem, Support, Text, names,
};
use stationary::error::Diagnostic;
use stationary::formula::{Graph, Scope};

/// More rows or frames than this are a slip of the pen: they would fill a disk.
const MOST_ROWS: u64 = 100_000_000;
const MOST_FRAMES: u64 = 1_000_000;

/// Ten halvings make a thousand elements of each along every edge.
const MOST_REFINE: u64 = 10;

/// Formulas are tried as they are read, so that a wrong name is found before a mesh is. One graph for all of them: its
/// limits then bound the time they take together.
struct Trial {
    graph: Graph,
    field: Scope,
    probe: Scope,
}

impl Trial {
    /// A formula of `t`, `X`, `Y`, `Z`.
    fn field(&mut self, key: &str, node: Node) -> Result<Text, Diagnostic> {
        let text = node.formula(key)?;
        text.lower(&mut self.graph, &mut self.field)?;
        Ok(text)
    }

    /// A formula that may also name positions and velocities.
    fn probe(&mut self, key: &str, node: Node) -> Result<Text, Diagnostic> {
        let text = node.formula(key)?;
        text.lower(&mut self.graph, &mut self.probe)?;
        Ok(text)
    }

    /// Three components, or two in the plane: positions then stay where they are along z, all else is zero there.
    fn vector(&mut self, key: &str, node: Node) -> Result<[Text; 3], Diagnostic> {
        let third = if key == "deformation" { Value::Text("Z".into()) } else { Value::Integer(0) };
        let [x, y, z] = components(key, node, "a list of 2 or 3 formulas", third)?;
        Ok([self.field(key, x)?, self.field(key, y)?, self.field(key, z)?])
    }
}

impl Reader {
    /// The system; `times` are those of its start and its end.
    pub(super) fn solid_system(
        &mut self,
        parameters: &[(String, f64)],
        times: (f64, f64),
    ) -> Result<SolidSystem, Diagnostic> {
        let (field, probe) = (solid::field_scope(parameters), solid::probe_scope(parameters));
        let mut trial = Trial { graph: Graph::new(), field, probe };
        let mesh = self.mesh()?;
        let step = self.take("step");
        let step = step.map(|node| Ok((self.step(&node, times)?, node.place))).transpose()?;
        let materials = self.materials()?;
        let masses = self.masses()?;
        let supports = self.supports(&mut trial)?;
        let loads = self.loads(&mut trial)?;
        let (shape, velocity) = self.fields(&mut trial)?;
        Ok(SolidSystem {
            mesh,
            materials,
            masses,
            supports,
            loads,
            shape,
            velocity,
            probes: self.solid_probes(&mut trial)?,
            local_energy: self.local_energy()?,
            step,
            output: self.solid_output()?,
        })
    }

    /// `mesh = "block.msh"` or a table with `file`, `scale` and `refine`.
    fn mesh(&mut self) -> Result<MeshChoice, Diagnostic> {
        let node = self.need("mesh")?;
        let place = node.place.clone();
        let (file, scale, refine) = match node.value {
            Value::Text(text) => (Text { text, place, index: None }, 1.0, 0),
            _ => {
                let mut table = node.table("mesh", "the name of a mesh file, or a table with `file`")?;
                tree::only(&table, "`mesh`", &Kind::Solid.keys("mesh"))?;
                let Some(file) = tree::take(&mut table, "file") else {
                    return Err(place.error("`mesh` has no `file`").help("add: file = \"block.msh\""));
                };
                let file = file.text("file", "the name of a mesh file")?;
                let scale = tree::take(&mut table, "scale");
                let scale = scale.map_or(Ok(1.0), |node| self.positive("scale", &node))?;
                let refine = tree::take(&mut table, "refine");
                let times = |node: Node| self.constants.integer("refine", &node, &(0..=MOST_REFINE));
                (file, scale, refine.map_or(Ok(0), times)? as u32)
            }
        };
        if file.text.is_empty() {
            return Err(file.error("the name of the mesh file is empty"));
        }
        Ok(MeshChoice { file, scale, refine })
    }

    pub(super) fn positive(&self, key: &str, node: &Node) -> Result<f64, Diagnostic> {
        let value = self.constants.number(key, node)?;
        if value > 0.0 {
            return Ok(value);
        }
        Err(node.place.error(format!("`{key}` must be greater than zero, found {value}")))
    }

    /// The tables of a section by their names: `[support.left]`, `[support.right]`.
    fn sections(&mut self, section: &str) -> Result<Vec<(Text, Table)>, Diagnostic> {
        let mut all = Vec::new();
        for Entry { key, key_place, node } in self.table(section)? {
            names::identifier(&key, section, &key_place)?;
            if !matches!(node.value, Value::Table(_)) {
                return Err(node.wrong(&format!("{section}.{key}"), "a table").help(format!(
                    "every {section} has a name, and its keys stand below: [{section}.NAME]"
                )));
            }
            let table = node.table(&key, "a table")?;
            all.push((Text { text: key, place: key_place, index: None }, table));
        }
        Ok(all)
    }

    fn materials(&mut self) -> Result<Vec<MaterialChoice>, Diagnostic> {
        let sections = self.sections("material")?;
        let constants = self.constants.part(sections.len());
        let mut materials = Vec::with_capacity(sections.len());
        let mut owners: HashMap<Option<String>, String> = HashMap::new();
        for (name, mut table) in sections {
            let groups = groups(&mut table)?;
            let Some(law) = tree::take(&mut table, "law") else {
                let message = format!("the material `{}` has no `law`", name.text);
                return Err(name.error(message).help("add: law = \"neo-hookean\""));
            };
            let law = law.text("law", "the name of a law of elasticity")?;
            own(&name, &groups, &mut owners)?;
            let options = Options::new(table, constants.clone());
            materials.push(MaterialChoice { name, groups, law, options });
        }
        if materials.is_empty() {
            return Err(super::missing(&self.source, self.kind, "material"));
        }
        Ok(materials)
    }

    fn masses(&mut self) -> Result<Vec<PointMass>, Diagnostic> {
        let mut masses = Vec::new();
        for (name, mut table) in self.sections("mass")? {
            tree::only(&table, &format!("the mass `{}`", name.text), &Kind::Solid.keys("mass"))?;
            let group = group(&mut table, &name, "mass")?;
            let Some(mass) = tree::take(&mut table, "mass") else {
                let message = format!("`{}` has no `mass`", name.text);
                return Err(name.error(message).help("add: mass = 0.1, the mass on each node of the group"));
            };
            let mass = self.positive("mass", &mass)?;
            masses.push(PointMass { name, group, mass });
        }
        Ok(masses)
    }

    fn supports(&mut self, trial: &mut Trial) -> Result<Vec<Support>, Diagnostic> {
        let mut supports = Vec::new();
        for (name, mut table) in self.sections("support")? {
            tree::only(&table, &format!("the support `{}`", name.text), &Kind::Solid.keys("support"))?;
            let group = group(&mut table, &name, "support")?;
            let components = held(&mut table, &name, trial)?;
            supports.push(Support { name, group, components });
        }
        Ok(supports)
    }

    fn loads(&mut self, trial: &mut Trial) -> Result<Vec<Load>, Diagnostic> {
        let mut loads = Vec::new();
        for (name, mut table) in self.sections("load")? {
            tree::only(&table, &format!("the load `{}`", name.text), &Kind::Solid.keys("load"))?;
            let groups = groups(&mut table)?;
            if let [first, second, ..] = &table[..] {
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
            let Some(Entry { key, node, .. }) = table.pop() else {
                return Err(name
                    .error(format!("the load `{}` does not say what acts", name.text))
                    .help(format!("expected exactly one of {}", LOADS.join(", "))));
            };
            if groups.is_empty() && !matches!(key.as_str(), "body" | "acceleration") {
                return Err(name.error(format!("the load `{}` has no `group`", name.text)).help(format!(
                    "a {key} acts on a group of the mesh; only body and acceleration need none"
                )));
            }
            let kind = match key.as_str() {
                "pressure" => LoadKind::Pressure(trial.field(&key, node)?),
                "body" => LoadKind::Body(trial.vector(&key, node)?),
                "acceleration" => LoadKind::Acceleration(trial.vector(&key, node)?),
                "traction" => LoadKind::Traction(trial.vector(&key, node)?),
                _ => LoadKind::Force(trial.vector(&key, node)?),
            };
            loads.push(Load { name, groups, kind });
        }
        Ok(loads)
    }

    /// The initial shape and velocity.
    fn fields(&mut self, trial: &mut Trial) -> Result<(Option<InitialShape>, Option<[Text; 3]>), Diagnostic> {
        let mut table = self.table("initial")?;
        Kind::Solid.only(&table, "initial")?;
        let velocity = tree::take(&mut table, "velocity");
        let velocity = velocity.map(|node| trial.vector("velocity", node)).transpose()?;
        if let [first, second, ..] = &table[..] {
            let message =
                format!("`{}` besides `{}`: the initial shape is given twice", second.key, first.key);
            return Err(second.key_place.error(message).help("keep one of deformation, displacement"));
        }
        let shape = table.pop().map(|Entry { key, node, .. }| {
            let vector = trial.vector(&key, node)?;
            Ok(match key.as_str() {
                "deformation" => InitialShape::Deformation(vector),
                _ => InitialShape::Displacement(vector),
            })
        });
        Ok((shape.transpose()?, velocity))
    }

    fn solid_probes(&mut self, trial: &mut Trial) -> Result<Vec<SolidProbe>, Diagnostic> {
        let mut probes = Vec::new();
        for (name, mut table) in self.sections("probe")? {
            self.names.probe(&name.text, &name.place)?;
            tree::only(&table, &format!("the probe `{}`", name.text), &Kind::Solid.keys("probe"))?;
            let [at, value] = ["at", "value"].map(|key| tree::take(&mut table, key));
            let (Some(at), Some(value)) = (at, value) else {
                return Err(name
                    .error(format!("the probe `{}` needs `at` and `value`", name.text))
                    .help(format!("as in {} = {{ at = [1, 0, 0], value = \"y - Y\" }}", name.text)));
            };
            let place = at.place.clone();
            let [x, y, z] = components("at", at, "a list of 2 or 3 numbers", Value::Integer(0))?;
            let number = |node: Node| self.constants.number("at", &node);
            let at = [number(x)?, number(y)?, number(z)?];
            let value = trial.probe("value", value)?;
            probes.push(SolidProbe { name, at, place, value });
        }
        Ok(probes)
    }

    /// `elements = 12` or `elements = [12, 57]`.
    fn local_energy(&mut self) -> Result<Vec<(u64, Place)>, Diagnostic> {
        let Some(node) = self.take("local_energy") else { return Ok(Vec::new()) };
        let place = node.place.clone();
        let mut table = node.table("local_energy", "a table")?;
        tree::only(&table, "`local_energy`", &Kind::Solid.keys("local_energy"))?;
        let Some(node) = tree::take(&mut table, "elements") else {
            return Err(place.error("`local_energy` has no `elements`").help("add: elements = [12, 57]"));
        };
        let list = match node.value {
            Value::List(list) => list,
            _ => vec![node],
        };
        let mut elements: Vec<(u64, Place)> = Vec::with_capacity(list.len());
        let mut seen = HashSet::new();
        for node in list {
            let number = self.constants.integer("elements", &node, &(0..=u64::MAX))?;
            if !seen.insert(number) {
                return Err(node.place.error(format!("the element {number} is listed twice")));
            }
            elements.push((number, node.place));
        }
        Ok(elements)
    }

    fn solid_output(&mut self) -> Result<SolidOutput, Diagnostic> {
        let mut table = self.table("output")?;
        Kind::Solid.only(&table, "output")?;
        let mut output = SolidOutput::default();
        if let Some(node) = tree::take(&mut table, "rows") {
            output.rows = self.constants.integer("rows", &node, &(1..=MOST_ROWS))?;
        }
        output.frames = output.frames.min(output.rows);
        if let Some(node) = tree::take(&mut table, "frames") {
            output.frames = self.constants.integer("frames", &node, &(0..=MOST_FRAMES))?;
            let SolidOutput { rows, frames, .. } = output;
            if frames > rows {
                let message = format!("{frames} frames and {rows} rows: a frame is written with a row");
                return Err(node.place.error(message).help("expected `frames` to be at most `rows`"));
            }
        }
        output.format = take_frame_format(&mut table)?;
        Ok(output)
    }
}

/// The prescribed components of a support: all of them zero, or those with a formula.
fn held(table: &mut Table, name: &Text, trial: &mut Trial) -> Result<[Option<Text>; 3], Diagnostic> {
    let fixed = match tree::take(table, "fixed") {
        Some(Node { value: Value::Flag(fixed), place }) => fixed.then_some(place),
        Some(node) => return Err(node.wrong("fixed", "true or false")),
        None => None,
    };
    if let Some(place) = fixed {
        if let Some(entry) = table.first() {
            let message = format!("`{}` besides `fixed`, which holds every component at zero", entry.key);
            return Err(entry.key_place.error(message).help("keep one of the two"));
        }
        return Ok([(); 3].map(|()| Some(Text { text: "0".into(), place: place.clone(), index: None })));
    }
    let mut components = [None, None, None];
    for (component, key) in components.iter_mut().zip(["x", "y", "z"]) {
        *component = tree::take(table, key).map(|node| trial.field(key, node)).transpose()?;
    }
    if components.iter().all(Option::is_none) {
        return Err(name
            .error(format!("the support `{}` holds nothing", name.text))
            .help("add: fixed = true, or the displacement along some of x, y, z"));
    }
    Ok(components)
}

/// Three components; two are followed by `third`.
fn components(key: &str, node: Node, expected: &str, third: Value) -> Result<[Node; 3], Diagnostic> {
    let place = node.place.clone();
    let Value::List(mut list) = node.value else { return Err(node.wrong(key, expected)) };
    if list.len() == 2 {
        list.push(Node { value: third, place: place.clone() });
    }
    list.try_into().map_err(|list: Vec<Node>| {
        let place = list.get(3).map_or(&place, |extra| &extra.place);
        place.error(format!("`{key}` must be {expected}, found {}", list.len()))
    })
}

/// The names of one or more groups; none where the key is absent.
fn groups(table: &mut Table) -> Result<Vec<Text>, Diagnostic> {
    const EXPECTED: &str = "the name of a group of the mesh, or a list of names";
    match tree::take(table, "group") {
        None => Ok(Vec::new()),
        Some(Node { value: Value::List(list), place }) if list.is_empty() => {
            Err(place.error("`group` names no group").help("leave the key out for the whole body"))
        }
        Some(Node { value: Value::List(list), .. }) => {
            list.into_iter().map(|node| node.text("group", EXPECTED)).collect()
        }
        Some(node) => Ok(vec![node.text("group", EXPECTED)?]),
    }
}

/// The one group of a support or a mass.
fn group(table: &mut Table, name: &Text, kind: &str) -> Result<Text, Diagnostic> {
    match tree::take(table, "group") {
        Some(node) => node.text("group", "the name of a group of the mesh"),
        None => Err(name
            .error(format!("the {kind} `{}` has no `group`", name.text))
            .help("add: group = \"...\", the name of a group of the mesh")),
    }
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
