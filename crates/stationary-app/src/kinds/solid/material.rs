//! Materials of a scenario: a law by name, its constants, and what they make of the cells of a mesh.

use crate::registry;
use crate::scenario::section::Section;
use crate::scenario::{MaterialSpec, Place, Scenario, SolidSystem, Text, unknown_word};
use stationary::error::{Diagnostic, Error};
use stationary::formula::Scope;
use stationary::mesh::CellKind;
use stationary::model::solid::{
    Bars, ConstitutiveLaw, ElementGroup, ElementKind, Elements, FormulaMaterial, FormulaMaterialError, Lame,
    LinearElastic, MooneyRivlin, NeoHookean, PlaneAssumption, StVenantKirchhoff,
};

/// A checked material with its constants, which builds elements from the cells of a mesh.
pub(super) struct ElementMaterial {
    place: Place,
    form: MaterialForm,
}

enum MaterialForm {
    Continuum { law: ConstitutiveLaw, density: f64, thickness: f64, plane: PlaneAssumption },
    Bar { stiffness: f64, line_density: f64 },
    Spring { stiffness: f64, length: Option<f64> },
}

/// Reads the materials of a scenario.
pub(super) fn read(scenario: &Scenario, system: &SolidSystem) -> Result<Vec<ElementMaterial>, Error> {
    let rest: Vec<&MaterialSpec> = system.materials.iter().filter(|m| m.groups.is_empty()).collect();
    if let [_, second, ..] = rest[..] {
        return Err(second
            .name
            .error("a second material without `group`: only one can take the elements that are left")
            .into());
    }
    system.materials.iter().map(|choice| one(scenario, choice)).collect()
}

fn one(scenario: &Scenario, choice: &MaterialSpec) -> Result<ElementMaterial, Error> {
    let place = choice.name.place.clone();
    let Some(law) = registry::materials().iter().find(|law| law.name == choice.law.text) else {
        let names: Vec<&str> = registry::materials().iter().map(|law| law.name).collect();
        return Err(unknown_word(&choice.law, "law", &names).into());
    };
    let owner = format!("material `{}`", choice.name.text);
    let mut options = choice.options.open(&owner, &choice.name, law.constants.to_vec())?;
    let form = match law.name {
        "bar" => {
            let area: f64 = options.get("area")?;
            let young: f64 = options.get("young")?;
            let density: f64 = options.get("density")?;
            MaterialForm::Bar { stiffness: young * area, line_density: density * area }
        }
        "spring" => {
            MaterialForm::Spring { stiffness: options.get("stiffness")?, length: options.given("length")? }
        }
        _ => continuum(scenario, choice, &mut options)?,
    };
    Ok(ElementMaterial { place, form })
}

fn continuum(
    scenario: &Scenario,
    choice: &MaterialSpec,
    options: &mut Section,
) -> Result<MaterialForm, Error> {
    let placed = |d: Diagnostic| Error::from(Diagnostic { help: d.help, ..choice.law.error(d.message) });
    let law = if choice.law.text == "formula" {
        let text: Text = options.get("energy")?;
        let mut scope = Scope::new();
        for (name, value) in &scenario.parameters {
            scope.constant(name, *value);
        }
        ConstitutiveLaw::Formula(FormulaMaterial::new(&text.text, &scope).map_err(|e| match e {
            FormulaMaterialError::Formula(e) => Error::from(text.formula_error(e)),
            FormulaMaterialError::Material(d) => Diagnostic { help: d.help, ..text.error(d.message) }.into(),
        })?)
    } else {
        let lame = lame(choice, options)?;
        match choice.law.text.as_str() {
            "neo-hookean" => ConstitutiveLaw::NeoHookean(NeoHookean::new(lame).map_err(placed)?),
            "st-venant-kirchhoff" => ConstitutiveLaw::StVenantKirchhoff(StVenantKirchhoff::new(lame)),
            "linear" => ConstitutiveLaw::Linear(LinearElastic::new(lame)),
            _ => {
                let second = options.get("second")?;
                ConstitutiveLaw::MooneyRivlin(MooneyRivlin::new(lame, second).map_err(placed)?)
            }
        }
    };
    let density = options.get("density")?;
    let thickness = options.get("thickness")?;
    let plane = match options.get("plane")? {
        "stress" => PlaneAssumption::Stress,
        _ => PlaneAssumption::Strain,
    };
    Ok(MaterialForm::Continuum { law, density, thickness, plane })
}

/// Either pair of elastic constants.
fn lame(choice: &MaterialSpec, options: &mut Section) -> Result<Lame, Error> {
    let mut given = |key: &str| options.given(key);
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

impl ElementMaterial {
    /// Whether cells of a kind can be made of it.
    pub fn fits(&self, kind: CellKind) -> bool {
        match self.form {
            MaterialForm::Continuum { .. } => continuum_kind(kind).is_some(),
            _ => kind == CellKind::Line2,
        }
    }

    /// The thickness of plane elements of it; lines have none.
    pub fn thickness(&self) -> f64 {
        match self.form {
            MaterialForm::Continuum { thickness, .. } => thickness,
            _ => 1.0,
        }
    }

    /// What cells it wants, in words.
    pub fn expected(&self) -> &'static str {
        match self.form {
            MaterialForm::Continuum { .. } => "triangles (3 or 6 nodes) or tetrahedra (4 or 10 nodes)",
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
            MaterialForm::Bar { stiffness, line_density } => {
                Bars::elastic(points, nodes, first, *stiffness, *line_density).map(boxed)
            }
            MaterialForm::Spring { stiffness, length } => {
                Bars::springs(points, nodes, first, *stiffness, *length).map(boxed)
            }
            MaterialForm::Continuum { law, density, thickness, plane } => {
                let kind = continuum_kind(kind).expect("only cells that fit are given");
                let group = ElementGroup {
                    kind,
                    nodes,
                    first,
                    density: *density,
                    thickness: *thickness,
                    plane: *plane,
                };
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
            let kinds = [
                ElementKind::Bar2,
                ElementKind::Tri3,
                ElementKind::Tri6,
                ElementKind::Tet4,
                ElementKind::Tet10,
            ];
            let kinds = kinds.map(|kind| format!("{} ", kind.name()));
            let before = kinds.iter().find_map(|kind| before.strip_suffix(kind)).unwrap_or(before);
            format!("{before}{}{}", named(label), &after[digits..])
        }
        _ => message.to_string(),
    }
}

fn continuum_kind(kind: CellKind) -> Option<ElementKind> {
    match kind {
        CellKind::Triangle3 => Some(ElementKind::Tri3),
        CellKind::Triangle6 => Some(ElementKind::Tri6),
        CellKind::Tetrahedron4 => Some(ElementKind::Tet4),
        CellKind::Tetrahedron10 => Some(ElementKind::Tet10),
        _ => None,
    }
}
