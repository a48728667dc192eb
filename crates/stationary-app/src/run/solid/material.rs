//! Materials of a scenario: a law by name, its constants, and what they make of the cells of a mesh.

use crate::registry;
use crate::scenario::{MaterialChoice, Options, Place, Scenario, SolidSystem, unknown_word};
use stationary::error::{Diagnostic, Error};
use stationary::formula::Scope;
use stationary::mesh::CellKind;
use stationary::model::solid::{
    Bars, Elements, FormulaMaterial, FormulaMaterialError, Group, Kind, Lame, Law, LinearElastic,
    MooneyRivlin, NeoHookean, Plane, StVenantKirchhoff,
};

/// A material with its constants.
pub(super) struct Stuff {
    place: Place,
    form: Form,
}

enum Form {
    Continuum { law: Law, density: f64, thickness: f64, plane: Plane },
    Bar { stiffness: f64, line_density: f64 },
    Spring { stiffness: f64, length: Option<f64> },
}

/// Reads the materials of a scenario.
pub(super) fn read(scenario: &Scenario, system: &SolidSystem) -> Result<Vec<Stuff>, Error> {
    let rest: Vec<&MaterialChoice> = system.materials.iter().filter(|m| m.groups.is_empty()).collect();
    if let [_, second, ..] = rest[..] {
        return Err(second
            .name
            .error("a second material without `group`: only one can take the elements that are left")
            .into());
    }
    system.materials.iter().map(|choice| one(scenario, choice)).collect()
}

fn one(scenario: &Scenario, choice: &MaterialChoice) -> Result<Stuff, Error> {
    let mut options = choice.options.clone();
    let place = choice.name.place.clone();
    let Some(law) = registry::materials().iter().find(|law| law.name == choice.law.text) else {
        let names: Vec<&str> = registry::materials().iter().map(|law| law.name).collect();
        return Err(unknown_word(&choice.law, "law", &names).into());
    };
    let form = match law.name {
        "bar" => {
            let area = needed(&mut options, "area", choice)?;
            let young = needed(&mut options, "young", choice)?;
            let density = needed(&mut options, "density", choice)?;
            Form::Bar { stiffness: young * area, line_density: density * area }
        }
        "spring" => {
            let stiffness = needed(&mut options, "stiffness", choice)?;
            Form::Spring { stiffness, length: options.number_if_given("length", 0.0..=f64::MAX)? }
        }
        _ => continuum(scenario, choice, &mut options)?,
    };
    let known: Vec<&str> = law.constants.iter().map(|key| key.path).collect();
    options.finish(&format!("material `{}`", choice.name.text), &known)?;
    Ok(Stuff { place, form })
}

fn continuum(scenario: &Scenario, choice: &MaterialChoice, options: &mut Options) -> Result<Form, Error> {
    let placed = |d: Diagnostic| Error::from(Diagnostic { help: d.help, ..choice.law.error(d.message) });
    let law = if choice.law.text == "formula" {
        let Some(text) = options.formula("energy")? else {
            return Err(choice
                .law
                .error("a law `formula` needs its `energy`")
                .help("expected a formula of I1, I2 and J: energy = \"mu/2*(I1 - 3) - mu*log(J) + la/2*log(J)^2\"")
                .into());
        };
        let mut scope = Scope::new();
        for (name, value) in &scenario.parameters {
            scope.constant(name, *value);
        }
        Law::Formula(FormulaMaterial::new(&text.text, &scope).map_err(|e| match e {
            FormulaMaterialError::Formula(e) => Error::from(text.formula_error(e)),
            FormulaMaterialError::Material(d) => Diagnostic { help: d.help, ..text.error(d.message) }.into(),
        })?)
    } else {
        let lame = lame(choice, options)?;
        match choice.law.text.as_str() {
            "neo-hookean" => Law::NeoHookean(NeoHookean::new(lame).map_err(placed)?),
            "st-venant-kirchhoff" => Law::StVenantKirchhoff(StVenantKirchhoff::new(lame)),
            "linear" => Law::Linear(LinearElastic::new(lame)),
            _ => {
                let second = options.number("second", 0.5, 0.0..=1.0)?;
                Law::MooneyRivlin(MooneyRivlin::new(lame, second).map_err(placed)?)
            }
        }
    };
    let density = needed(options, "density", choice)?;
    let thickness = options.number("thickness", 1.0, f64::MIN_POSITIVE..=f64::MAX)?;
    let plane = match options.choice("plane", "strain", &["strain", "stress"])? {
        "stress" => Plane::Stress,
        _ => Plane::Strain,
    };
    Ok(Form::Continuum { law, density, thickness, plane })
}

/// Either pair of elastic constants.
fn lame(choice: &MaterialChoice, options: &mut Options) -> Result<Lame, Error> {
    let mut given = |key: &str| options.number_if_given(key, f64::MIN..=f64::MAX);
    let (lambda, mu) = (given("lambda")?, given("mu")?);
    let (young, poisson) = (given("young")?, given("poisson")?);
    let made = match (lambda, mu, young, poisson) {
        (Some(lambda), Some(mu), None, None) => Lame::new(lambda, mu),
        (None, None, Some(young), Some(poisson)) => Lame::from_young(young, poisson),
        _ => {
            let name = &choice.name.text;
            return Err(choice
                .name
                .error(format!(
                    "the elastic constants of material `{name}` are not given, or not by one pair"
                ))
                .help("expected `lambda` and `mu`, or `young` and `poisson`")
                .into());
        }
    };
    made.map_err(|d| Diagnostic { help: d.help, ..choice.name.error(d.message) }.into())
}

fn needed(options: &mut Options, key: &str, choice: &MaterialChoice) -> Result<f64, Error> {
    options.number_if_given(key, f64::MIN_POSITIVE..=f64::MAX)?.ok_or_else(|| {
        let name = &choice.name.text;
        choice
            .name
            .error(format!("material `{name}` has no `{key}`"))
            .help("expected a positive number")
            .into()
    })
}

impl Stuff {
    /// Whether cells of a kind can be made of it.
    pub fn fits(&self, kind: CellKind) -> bool {
        match self.form {
            Form::Continuum { .. } => continuum_kind(kind).is_some(),
            _ => kind == CellKind::Line2,
        }
    }

    /// The thickness of plane elements of it; lines have none.
    pub fn thickness(&self) -> f64 {
        match self.form {
            Form::Continuum { thickness, .. } => thickness,
            _ => 1.0,
        }
    }

    /// What cells it wants, in words.
    pub fn expected(&self) -> &'static str {
        match self.form {
            Form::Continuum { .. } => "triangles (3 or 6 nodes) or tetrahedra (4 or 10 nodes)",
            _ => "lines of two nodes",
        }
    }

    /// Makes elements of cells of one kind, labelled from `first` on.
    pub fn build(
        &self,
        points: &[[f64; 3]],
        kind: CellKind,
        nodes: &[u32],
        first: usize,
        named: &dyn Fn(usize) -> String,
    ) -> Result<Vec<Box<dyn Elements>>, Error> {
        let built = match &self.form {
            Form::Bar { stiffness, line_density } => {
                Bars::elastic(points, nodes, first, *stiffness, *line_density).map(boxed)
            }
            Form::Spring { stiffness, length } => {
                Bars::springs(points, nodes, first, *stiffness, *length).map(boxed)
            }
            Form::Continuum { law, density, thickness, plane } => {
                let kind = continuum_kind(kind).expect("only cells that fit are given");
                let group =
                    Group { kind, nodes, first, density: *density, thickness: *thickness, plane: *plane };
                group.build(points, law)
            }
        };
        built.map_err(|d| {
            let message = in_users_terms(&d.message, first, nodes.len(), named);
            Diagnostic { help: d.help, ..self.place.error(message) }.into()
        })
    }
}

fn boxed(bars: Bars) -> Vec<Box<dyn Elements>> {
    vec![Box::new(bars)]
}

/// Replaces "KIND element LABEL" by what the element is called in the user's mesh.
fn in_users_terms(message: &str, first: usize, count: usize, named: &dyn Fn(usize) -> String) -> String {
    let Some((before, after)) = message.split_once("element ") else { return message.to_string() };
    let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
    match after[..digits].parse::<usize>() {
        Ok(label) if (first..first + count).contains(&label) => {
            let kinds = [Kind::Bar2, Kind::Tri3, Kind::Tri6, Kind::Tet4, Kind::Tet10];
            let kinds = kinds.map(|kind| format!("{} ", kind.name()));
            let before = kinds.iter().find_map(|kind| before.strip_suffix(kind)).unwrap_or(before);
            format!("{before}{}{}", named(label), &after[digits..])
        }
        _ => message.to_string(),
    }
}

fn continuum_kind(kind: CellKind) -> Option<Kind> {
    match kind {
        CellKind::Triangle3 => Some(Kind::Tri3),
        CellKind::Triangle6 => Some(Kind::Tri6),
        CellKind::Tetrahedron4 => Some(Kind::Tet4),
        CellKind::Tetrahedron10 => Some(Kind::Tet10),
        _ => None,
    }
}
