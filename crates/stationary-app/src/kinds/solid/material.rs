//! Materials of a scenario: a law by name, its constants, and what they make of the cells of a mesh.

use crate::registry;
use crate::scenario::section::Section;
use crate::scenario::{MaterialSpec, Place, Scenario, SolidSystem, Text, unknown_word};
use stationary::error::{Diagnostic, Error};
use stationary::formula::Scope;
use stationary::mesh::{CellId, CellKind, Mesh};
use stationary::model::solid::{
    Bars, ConstitutiveLaw, Damped, Depth, ElementGroup, ElementKind, Elements, Eroding, Fluid,
    FormulaMaterial, FormulaMaterialError, Hardening, Heating, Integration, J2, Lame, LinearElastic,
    MaxwellBranch, MooneyRivlin, NeoHookean, Ogden, OgdenTerm, Orthotropic, OrthotropicConstants,
    PlaneAssumption, RateDependence, StVenantKirchhoff, Viscoelastic,
};

/// A checked material with its constants, which builds elements from the cells of a mesh.
pub(super) struct ElementMaterial {
    place: Place,
    form: MaterialForm,
    /// The rate of mass-proportional damping.
    pub mass_damping: f64,
}

enum MaterialForm {
    Continuum {
        law: Box<ConstitutiveLaw>,
        density: f64,
        thickness: f64,
        plane: PlaneAssumption,
        integration: Integration,
        /// The plastic strain at which elements are removed.
        erosion: Option<f64>,
    },
    Bar {
        stiffness: f64,
        line_density: f64,
        stretch: f64,
        only_pulls: bool,
    },
    Spring {
        stiffness: f64,
        length: Option<f64>,
    },
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
    // A spring has no mass to damp.
    let mass_damping = if law.name == "spring" { 0.0 } else { options.get("mass_damping")? };
    let form = match law.name {
        "bar" | "cable" => {
            let area: f64 = options.get("area")?;
            let young: f64 = options.get("young")?;
            let density: f64 = options.get("density")?;
            let stretch = options.get("stretch")?;
            let only_pulls = law.name == "cable";
            MaterialForm::Bar { stiffness: young * area, line_density: density * area, stretch, only_pulls }
        }
        "spring" => {
            MaterialForm::Spring { stiffness: options.get("stiffness")?, length: options.given("length")? }
        }
        _ => continuum(scenario, choice, &mut options)?,
    };
    Ok(ElementMaterial { place, form, mass_damping })
}

fn continuum(
    scenario: &Scenario,
    choice: &MaterialSpec,
    options: &mut Section,
) -> Result<MaterialForm, Error> {
    let placed = |d: Diagnostic| Error::from(Diagnostic { help: d.help, ..choice.law.error(d.message) });
    let density = options.get("density")?;
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
        match choice.law.text.as_str() {
            "ogden" => ConstitutiveLaw::Ogden(rubber(choice, options)?.map_err(placed)?),
            "orthotropic" => ConstitutiveLaw::Orthotropic(orthotropic(options)?.map_err(placed)?),
            "fluid" => {
                let (bulk, gamma) = (options.get("bulk")?, options.get("gamma")?);
                ConstitutiveLaw::Fluid(Fluid::new(bulk, gamma).map_err(placed)?)
            }
            _ => {
                let lame = lame(choice, options)?;
                isotropic(choice, options, lame, density)?.map_err(placed)?
            }
        }
    };
    let beta: f64 = options.get("stiffness_damping")?;
    let law =
        if beta > 0.0 { ConstitutiveLaw::Damped(Damped::new(&law, beta).map_err(placed)?) } else { law };
    let thick = options.find("thickness").map(|entry| entry.key_place.clone());
    let thickness = options.get("thickness")?;
    let plane = match options.get("plane")? {
        "stress" if choice.law.text == "fluid" => {
            let message = format!("material `{}` is a fluid in plane stress", choice.name.text);
            let help = "expected `plane = \"strain\"` or \"axisymmetric\": a sheet of a fluid without pressure resists nothing in its plane";
            return Err(choice.name.error(message).help(help).into());
        }
        "stress" => PlaneAssumption::Stress,
        "axisymmetric" => PlaneAssumption::Axisymmetric,
        _ => PlaneAssumption::Strain,
    };
    if let (PlaneAssumption::Axisymmetric, Some(place)) = (plane, thick) {
        let message = format!("material `{}` is axisymmetric and has a `thickness`", choice.name.text);
        let help = "leave `thickness` out: masses and forces are those of the whole ring";
        return Err(place.error(message).help(help).into());
    }
    let integration = integration(choice, options, plane)?;
    let erosion = if choice.law.text == "j2" { options.given("erosion_strain")? } else { None };
    Ok(MaterialForm::Continuum { law: Box::new(law), density, thickness, plane, integration, erosion })
}

fn integration(
    choice: &MaterialSpec,
    options: &mut Section,
    plane: PlaneAssumption,
) -> Result<Integration, Error> {
    match options.given("integration")? {
        Some("full") => Ok(Integration::Full),
        Some(_) if plane == PlaneAssumption::Stress => {
            let name = &choice.name.text;
            let message = format!("material `{name}` has `plane = \"stress\"` and an averaged volume");
            let help = "expected `integration = \"full\"`, or no `integration`: in plane stress the thickness is free, and nothing locks";
            Err(choice.name.error(message).help(help).into())
        }
        _ => Ok(Integration::AveragedVolume),
    }
}

/// The laws with the two elastic constants of Lame.
fn isotropic(
    choice: &MaterialSpec,
    options: &mut Section,
    lame: Lame,
    density: f64,
) -> Result<Result<ConstitutiveLaw, Diagnostic>, Error> {
    Ok(match choice.law.text.as_str() {
        "neo-hookean" => NeoHookean::new(lame).map(ConstitutiveLaw::NeoHookean),
        "st-venant-kirchhoff" => Ok(ConstitutiveLaw::StVenantKirchhoff(StVenantKirchhoff::new(lame))),
        "j2" => plastic(lame, density, options)?.map(ConstitutiveLaw::J2),
        "viscoelastic" => viscoelastic(choice, lame, options)?.map(ConstitutiveLaw::Viscoelastic),
        "linear" => Ok(ConstitutiveLaw::Linear(LinearElastic::new(lame))),
        _ => MooneyRivlin::new(lame, options.get("second")?).map(ConstitutiveLaw::MooneyRivlin),
    })
}

/// Two lists of the same length.
fn pairs(choice: &MaterialSpec, options: &mut Section, keys: [&str; 2]) -> Result<Vec<[f64; 2]>, Error> {
    let [one, other]: [Vec<f64>; 2] = [options.get(keys[0])?, options.get(keys[1])?];
    if one.len() != other.len() {
        let message = format!("{} numbers in `{}` and {} in `{}`", one.len(), keys[0], other.len(), keys[1]);
        return Err(choice.name.error(message).help("expected two lists of the same length").into());
    }
    Ok(one.into_iter().zip(other).map(|(a, b)| [a, b]).collect())
}

fn viscoelastic(
    choice: &MaterialSpec,
    lame: Lame,
    options: &mut Section,
) -> Result<Result<Viscoelastic, Diagnostic>, Error> {
    let branches = pairs(choice, options, ["branch_mu", "branch_time"])?;
    let branches = branches.into_iter().map(|[mu, time]| MaxwellBranch { mu, time }).collect();
    Ok(Viscoelastic::new(lame, branches))
}

fn rubber(choice: &MaterialSpec, options: &mut Section) -> Result<Result<Ogden, Diagnostic>, Error> {
    let terms = pairs(choice, options, ["moduli", "exponents"])?;
    let terms = terms.into_iter().map(|[modulus, exponent]| OgdenTerm { modulus, exponent }).collect();
    Ok(Ogden::new(terms, options.get("bulk")?))
}

fn orthotropic(options: &mut Section) -> Result<Result<Orthotropic, Diagnostic>, Error> {
    let constants = OrthotropicConstants {
        young: options.get("young")?,
        poisson: options.get("poisson")?,
        shear: options.get("shear")?,
    };
    let first: Option<[f64; 3]> = options.given("axis")?;
    let second: Option<[f64; 3]> = options.given("side")?;
    Ok(Orthotropic::new(constants, first.unwrap_or([1.0, 0.0, 0.0]), second.unwrap_or([0.0, 1.0, 0.0])))
}

/// Constants that say nothing without a factor: the constant, and the factors of which one must be given.
const WITH_FACTOR: [(&str, &[&str]); 4] = [
    ("saturation_rate", &["saturation"]),
    ("exponent", &["power"]),
    ("rate", &["rate_factor", "viscous"]),
    ("viscous_exponent", &["viscous"]),
];

/// Plasticity with its hardening, its dependence on the rate and its heat.
fn plastic(lame: Lame, density: f64, options: &mut Section) -> Result<Result<J2, Diagnostic>, Error> {
    for (constant, factors) in WITH_FACTOR {
        if let Some(entry) = options.find(constant).filter(|_| !factors.iter().any(|f| options.has(f))) {
            let factors = factors.iter().map(|f| format!("`{f}`")).collect::<Vec<_>>().join(" or ");
            let message = format!("`{constant}` has no effect without {factors}");
            return Err(entry
                .key_place
                .error(message)
                .help(format!("add {factors}, or leave it out"))
                .into());
        }
    }
    let hardening = Hardening {
        yield_stress: options.get("yield")?,
        linear: options.get("hardening")?,
        saturation: options.get("saturation")?,
        saturation_rate: options.get("saturation_rate")?,
        power: options.get("power")?,
        exponent: options.get("exponent")?,
    };
    let rate = RateDependence {
        reference: options.get("rate")?,
        factor: options.get("rate_factor")?,
        viscous: options.get("viscous")?,
        exponent: options.get("viscous_exponent")?,
    };
    let metal = J2::new(lame, hardening, rate);
    Ok(match heating(density, options)? {
        Some(heating) => metal.and_then(|metal| metal.heated(heating)),
        None => metal,
    })
}

/// The softening by temperature and the heat of plastic work, where a melting temperature asks for them.
fn heating(density: f64, options: &mut Section) -> Result<Option<Heating>, Error> {
    const OTHERS: [&str; 5] =
        ["room_temperature", "specific_heat", "temperature", "softening_exponent", "heat_fraction"];
    let Some(melting) = options.given("melting_temperature")? else {
        if OTHERS.iter().any(|key| options.has(key)) {
            return Err(options.missing("melting_temperature").into());
        }
        return Ok(None);
    };
    let mut needed = |key: &str| options.given::<f64>(key)?.ok_or_else(|| options.missing(key));
    let (room, heat) = (needed("room_temperature")?, needed("specific_heat")?);
    Ok(Some(Heating {
        room,
        melting,
        start: options.given("temperature")?.unwrap_or(room),
        exponent: options.get("softening_exponent")?,
        capacity: density * heat,
        fraction: options.get("heat_fraction")?,
    }))
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

    /// The third dimension of plane elements of it; lines have none.
    pub fn depth(&self) -> Depth {
        match self.form {
            MaterialForm::Continuum { plane: PlaneAssumption::Axisymmetric, .. } => Depth::Ring,
            MaterialForm::Continuum { thickness, .. } => Depth::Thickness(thickness),
            _ => Depth::Thickness(1.0),
        }
    }

    /// Refuses plane elements that the file of the mesh calls axisymmetric, and elements in space of a material for plane ones.
    pub fn require_section(&self, mesh: &Mesh, cells: &[CellId]) -> Result<(), Error> {
        let in_space = || cells.iter().any(|c| mesh.cells[c.0 as usize].kind.dimension() == 3);
        match self.form {
            MaterialForm::Continuum { plane, .. } if plane != PlaneAssumption::Strain && in_space() => {
                let word = if plane == PlaneAssumption::Stress { "stress" } else { "axisymmetric" };
                let message = format!("this material has `plane = \"{word}\"`, and elements in space");
                let help = "leave `plane` out, or take a plane mesh: triangles and quadrilaterals";
                Err(self.place.error(message).help(help).into())
            }
            MaterialForm::Continuum { plane, .. }
                if mesh.axisymmetric && plane != PlaneAssumption::Axisymmetric =>
            {
                let message = format!(
                    "the elements of `{}` are axisymmetric (CAX...), and this material is not",
                    mesh.name
                );
                Err(self
                    .place
                    .error(message)
                    .help("expected `plane = \"axisymmetric\"` in the material")
                    .into())
            }
            _ => Ok(()),
        }
    }

    /// What cells it wants, in words.
    pub fn expected(&self) -> &'static str {
        match self.form {
            MaterialForm::Continuum { .. } => {
                "plane or solid elements: triangles, quadrilaterals, tetrahedra, hexahedra, wedges or pyramids"
            }
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
            MaterialForm::Bar { stiffness, line_density, stretch, only_pulls } => {
                let bars = Bars::elastic(points, nodes, first, *stiffness, *line_density);
                let bars = bars.and_then(|bars| bars.stretched(*stretch));
                bars.map(|bars| boxed(if *only_pulls { bars.cables() } else { bars }))
            }
            MaterialForm::Spring { stiffness, length } => {
                Bars::springs(points, nodes, first, *stiffness, *length).map(boxed)
            }
            MaterialForm::Continuum { law, density, thickness, plane, integration, erosion } => {
                let kind = continuum_kind(kind).expect("only cells that fit are given");
                let group = ElementGroup {
                    kind,
                    nodes,
                    first,
                    density: *density,
                    thickness: *thickness,
                    plane: *plane,
                    integration: *integration,
                };
                let blocks = group.build(points, law);
                match erosion {
                    Some(limit) => {
                        blocks.and_then(|blocks| blocks.into_iter().map(|b| eroding(b, *limit)).collect())
                    }
                    None => blocks,
                }
            }
        };
        built.map_err(|d| {
            let message = in_users_terms(&d.message, first, nodes.len(), named);
            Diagnostic { help: d.help, ..self.place.error(message) }.into()
        })
    }
}

fn eroding(block: Box<dyn Elements>, limit: f64) -> Result<Box<dyn Elements>, Diagnostic> {
    Ok(Box::new(Eroding::new(block, limit)?))
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
            let kinds = ElementKind::ALL.iter().map(|kind| format!("{} ", kind.name()));
            let before = kinds.filter_map(|kind| before.strip_suffix(&kind)).next().unwrap_or(before);
            format!("{before}{}{}", named(label), &after[digits..])
        }
        _ => message.to_string(),
    }
}

fn continuum_kind(kind: CellKind) -> Option<ElementKind> {
    ElementKind::of(kind).filter(|kind| kind.dimension() > 1)
}
