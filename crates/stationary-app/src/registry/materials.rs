//! Laws of elasticity by their names in scenarios, and the keys of a material with each.

use crate::scenario::keys::{Form, IfAbsent, Key, TRIPLE};

/// A constitutive law.
#[derive(Debug, Clone, Copy)]
pub struct MaterialEntry {
    /// The name in scenarios.
    pub name: &'static str,
    /// The elements it is for.
    pub elements: &'static str,
    /// The keys of a material with this law, besides `group` and `law`.
    pub constants: &'static [Key],
    /// Its energy per reference volume.
    pub energy: &'static str,
}

const DENSITY: Key =
    Key::required("density", Form::Positive, "density = 1000.0", "mass per reference volume");
const THICKNESS: Key = Key::new("thickness", Form::Positive, IfAbsent::Number(1.0), "of plane elements");
const PLANE: Key = Key::new(
    "plane",
    Form::Words(&["strain", "stress", "axisymmetric"]),
    IfAbsent::Word("strain"),
    "of plane elements: what is zero across the plane; or a body of revolution around the axis `x = 0`",
);
const INTEGRATION: Key = Key::new(
    "integration",
    Form::Words(&["averaged-volume", "full"]),
    IfAbsent::Derived("`averaged-volume`, but `full` in plane stress"),
    "of quadrilaterals of 4 nodes and hexahedra of 8: with the [volume ratio averaged](elements.md#averaged-volume) over an element nearly incompressible materials do not lock",
);
const MASS_DAMPING: Key = Key::new(
    "mass_damping",
    Form::AtLeast(0.0),
    IfAbsent::Number(0.0),
    "the rate `alpha` of [damping](materials.md#damping) in proportion to the mass: velocities decay like `exp(-alpha t)`",
);
const STIFFNESS_DAMPING: Key = Key::new(
    "stiffness_damping",
    Form::AtLeast(0.0),
    IfAbsent::Number(0.0),
    "the time `beta` of [damping](materials.md#damping) in proportion to the stiffness: a viscous stress beside the elastic one; explicit steps are shorter with it",
);
const LAMBDA: Key = Key::new(
    "lambda",
    Form::Number,
    IfAbsent::Depends { when: "", example: "" },
    "the first elastic constant of Lame, with `mu`",
);
const MU: Key = Key::new(
    "mu",
    Form::Number,
    IfAbsent::Depends { when: "", example: "" },
    "the shear modulus, with `lambda`",
);
const YOUNG: Key =
    Key::new("young", Form::Number, IfAbsent::Depends { when: "", example: "" }, "Young's modulus");
const MODULUS: Key = Key::required("young", Form::Positive, "young = 2e11", "Young's modulus");
const POISSON: Key = Key::new(
    "poisson",
    Form::Number,
    IfAbsent::Depends { when: "", example: "" },
    "Poisson's ratio, with `young` in place of `lambda` and `mu`",
);
const SECOND: Key = Key::new(
    "second",
    Form::Between(0.0, 1.0),
    IfAbsent::Number(0.5),
    "the part of `mu` in the second invariant",
);
const ENERGY_EXAMPLE: &str = r#"energy = "mu/2*(I1 - 3) - mu*log(J) + la/2*log(J)^2""#;
const ENERGY: Key = Key::required(
    "energy",
    Form::Formula,
    ENERGY_EXAMPLE,
    "the energy, a [formula](materials.md#any-energy-formula) of `I1`, `I2`, `J`, the components `C11` to `C33` and `F11` to `F33`, and the parameters",
);
const AREA: Key = Key::required("area", Form::Positive, "area = 1e-4", "of the cross-section");
const STRETCH: Key = Key::new(
    "stretch",
    Form::Positive,
    IfAbsent::Number(1.0),
    "the length in the mesh over the natural length: above 1 it pulls from the start",
);
const STIFFNESS: Key = Key::required("stiffness", Form::Positive, "stiffness = 100.0", "force per extension");
const LENGTH: Key =
    Key::new("length", Form::AtLeast(0.0), IfAbsent::Derived("that in the mesh"), "the length at rest");

const fn term(path: &'static str, meaning: &'static str) -> Key {
    Key::new(path, Form::AtLeast(0.0), IfAbsent::Number(0.0), meaning)
}

const YIELD: Key = Key::required("yield", Form::Positive, "yield = 4e8", "the first yield stress");
const HARDENING: Key = term("hardening", "the linear hardening modulus: stress over plastic strain");
const SATURATION: Key = term("saturation", "by how much the yield stress rises to saturation (Voce)");
const SATURATION_RATE: Key = Key::new(
    "saturation_rate",
    Form::Positive,
    IfAbsent::Number(1.0),
    "how fast it saturates: 1 over a plastic strain",
);
const POWER: Key = term("power", "the factor of the power law of hardening (B of Johnson and Cook)");
const EXPONENT: Key = Key::new(
    "exponent",
    Form::Positive,
    IfAbsent::Number(1.0),
    "the exponent of the power law (n of Johnson and Cook)",
);
const RATE: Key =
    Key::new("rate", Form::Positive, IfAbsent::Number(1.0), "the reference rate of plastic strain");
const RATE_FACTOR: Key =
    term("rate_factor", "the factor of the logarithm of the rate (C of Johnson and Cook)");
const VISCOUS: Key = term("viscous", "the viscous stress at the reference rate (Perzyna)");
const VISCOUS_EXPONENT: Key = Key::new(
    "viscous_exponent",
    Form::Positive,
    IfAbsent::Number(1.0),
    "the exponent of the rate in the viscous stress",
);
const EROSION: Key = Key::new(
    "erosion_strain",
    Form::Positive,
    IfAbsent::Depends { when: "removes elements at this plastic strain", example: "erosion_strain = 0.8" },
    "the mean plastic strain at which an element is removed: no force from then on, its energy counts as dissipated, its mass stays",
);
const MELTING: Key = Key::new(
    "melting_temperature",
    Form::Number,
    IfAbsent::Depends {
        when: "makes the flow stress fall with the temperature, and plastic work heat the metal",
        example: "melting_temperature = 1356",
    },
    "where nothing is left of the flow stress (Johnson and Cook)",
);
const ROOM: Key = Key::new(
    "room_temperature",
    Form::Number,
    IfAbsent::Depends { when: "required with `melting_temperature`", example: "room_temperature = 293" },
    "up to which nothing softens",
);
const SPECIFIC_HEAT: Key = Key::new(
    "specific_heat",
    Form::Positive,
    IfAbsent::Depends { when: "required with `melting_temperature`", example: "specific_heat = 383" },
    "heat per mass and degree",
);
const TEMPERATURE: Key = Key::new(
    "temperature",
    Form::Number,
    IfAbsent::Derived("`room_temperature`"),
    "the temperature at the start",
);
const SOFTENING_EXPONENT: Key = Key::new(
    "softening_exponent",
    Form::Positive,
    IfAbsent::Number(1.0),
    "the exponent of the temperature (m of Johnson and Cook)",
);
const HEAT_FRACTION: Key = Key::new(
    "heat_fraction",
    Form::Between(0.0, 1.0),
    IfAbsent::Number(0.9),
    "the part of the plastic work that becomes heat (Taylor and Quinney); 0 keeps the temperature",
);

const NUMBERS: Form = Form::List { of: &Form::Number, least: 1, most: 12 };
const TIMES: Form = Form::List { of: &Form::Positive, least: 1, most: 12 };
const THREE: Form = Form::List { of: &Form::Positive, least: 3, most: 3 };
const BRANCH_MU: Key = Key::required(
    "branch_mu",
    TIMES,
    "branch_mu = [1e6, 4e5]",
    "the shear modulus of each Maxwell branch, besides `mu` in equilibrium",
);
const BRANCH_TIME: Key =
    Key::required("branch_time", TIMES, "branch_time = [1e-3, 0.1]", "the relaxation time of each branch");
const MODULI: Key =
    Key::required("moduli", NUMBERS, "moduli = [6.3e5, 1.2e3, -1e4]", "the modulus of each term");
const EXPONENTS: Key = Key::required(
    "exponents",
    NUMBERS,
    "exponents = [1.3, 5.0, -2.0]",
    "the exponent of each term; its product with the modulus is positive",
);
const BULK: Key = Key::required("bulk", Form::Positive, "bulk = 2.2e9", "the bulk modulus");
const GAMMA: Key = Key::new(
    "gamma",
    Form::AtLeast(1.0),
    IfAbsent::Number(1.0),
    "the exponent of the pressure; about 7 for water",
);
const YOUNGS: Key = Key::required(
    "young",
    THREE,
    "young = [1.2e10, 1e9, 6e8]",
    "Young's moduli along the three axes of the material",
);
const POISSONS: Key = Key::required(
    "poisson",
    TRIPLE,
    "poisson = [0.4, 0.35, 0.02]",
    "Poisson's ratios 12, 23 and 31: along the first axis pulled, along the second thinner",
);
const SHEARS: Key =
    Key::required("shear", THREE, "shear = [7e8, 1e8, 9e8]", "the shear moduli in the planes 12, 23 and 31");
const AXIS: Key =
    Key::new("axis", TRIPLE, IfAbsent::Derived("`[1, 0, 0]`"), "the first axis of the material");
const SIDE: Key = Key::new(
    "side",
    TRIPLE,
    IfAbsent::Derived("`[0, 1, 0]`"),
    "a vector that spans the plane of the first and the second axis together with `axis`",
);

impl MaterialEntry {
    /// Its constants in words, for a table: with the defaults of those that may be left out.
    pub fn words(&self) -> String {
        let word = |key: &Key| match key.default.value() {
            Some(default) => format!("`{}` ({default})", key.path),
            None => format!("`{}`", key.path),
        };
        self.constants.iter().map(word).collect::<Vec<_>>().join(", ")
    }
}

/// All laws.
pub(super) const MATERIALS: [MaterialEntry; 13] = [
    MaterialEntry {
        name: "neo-hookean",
        elements: "plane, solid",
        constants: &[
            DENSITY,
            MASS_DAMPING,
            STIFFNESS_DAMPING,
            THICKNESS,
            PLANE,
            INTEGRATION,
            LAMBDA,
            MU,
            YOUNG,
            POISSON,
        ],
        energy: "`lambda/2 log(J)^2 - mu log(J) + mu/2 (I1 - 3)` [AVI03 (7)]",
    },
    MaterialEntry {
        name: "st-venant-kirchhoff",
        elements: "plane, solid",
        constants: &[
            DENSITY,
            MASS_DAMPING,
            STIFFNESS_DAMPING,
            THICKNESS,
            PLANE,
            INTEGRATION,
            LAMBDA,
            MU,
            YOUNG,
            POISSON,
        ],
        energy: "`lambda/2 tr(E)^2 + mu tr(E^2)`, `E = (F'F - 1)/2`",
    },
    MaterialEntry {
        name: "linear",
        elements: "plane, solid",
        constants: &[
            DENSITY,
            MASS_DAMPING,
            STIFFNESS_DAMPING,
            THICKNESS,
            PLANE,
            INTEGRATION,
            LAMBDA,
            MU,
            YOUNG,
            POISSON,
        ],
        energy: "`lambda/2 tr(e)^2 + mu tr(e^2)` with the small strain `e = (F + F')/2 - 1`; rotations stiffen it",
    },
    MaterialEntry {
        name: "mooney-rivlin",
        elements: "plane, solid",
        constants: &[
            DENSITY,
            MASS_DAMPING,
            STIFFNESS_DAMPING,
            THICKNESS,
            PLANE,
            INTEGRATION,
            LAMBDA,
            MU,
            YOUNG,
            POISSON,
            SECOND,
        ],
        energy: "`mu/2 ((1 - second) (I1 - 3) + second (I2 - 3))` with a volume part that leaves no stress at rest",
    },
    MaterialEntry {
        name: "formula",
        elements: "plane, solid",
        constants: &[DENSITY, MASS_DAMPING, STIFFNESS_DAMPING, THICKNESS, PLANE, INTEGRATION, ENERGY],
        energy: "any [formula](materials.md#any-energy-formula) of `I1`, `I2`, `J`, components of `C` and `F`, and the parameters, without stress at rest",
    },
    MaterialEntry {
        name: "j2",
        elements: "plane, solid",
        constants: &[
            DENSITY,
            MASS_DAMPING,
            STIFFNESS_DAMPING,
            THICKNESS,
            PLANE,
            INTEGRATION,
            LAMBDA,
            MU,
            YOUNG,
            POISSON,
            YIELD,
            HARDENING,
            SATURATION,
            SATURATION_RATE,
            POWER,
            EXPONENT,
            RATE,
            RATE_FACTOR,
            VISCOUS,
            VISCOUS_EXPONENT,
            MELTING,
            ROOM,
            SPECIFIC_HEAT,
            TEMPERATURE,
            SOFTENING_EXPONENT,
            HEAT_FRACTION,
            EROSION,
        ],
        energy: "`K/2 tr(e)^2 + mu dev(e):dev(e)` with the logarithmic elastic strain `e`; flows where the Mises stress reaches \
                 `yield + hardening p + saturation (1 - exp(-saturation_rate p)) + power p^exponent`, `p` the plastic strain, \
                 times `1 - ((T - room_temperature)/(melting_temperature - room_temperature))^softening_exponent` where it heats",
    },
    MaterialEntry {
        name: "viscoelastic",
        elements: "plane, solid",
        constants: &[
            DENSITY,
            MASS_DAMPING,
            STIFFNESS_DAMPING,
            THICKNESS,
            PLANE,
            INTEGRATION,
            LAMBDA,
            MU,
            YOUNG,
            POISSON,
            BRANCH_MU,
            BRANCH_TIME,
        ],
        energy: "neo-Hookean, beside Maxwell branches `branch_mu dev(e):dev(e)` whose elastic strain `e` relaxes with `branch_time`",
    },
    MaterialEntry {
        name: "ogden",
        elements: "plane, solid",
        constants: &[
            DENSITY,
            MASS_DAMPING,
            STIFFNESS_DAMPING,
            THICKNESS,
            PLANE,
            INTEGRATION,
            MODULI,
            EXPONENTS,
            BULK,
        ],
        energy: "`sum modulus/exponent (l1^exponent + l2^exponent + l3^exponent - 3) + bulk/4 (J^2 - 1 - 2 log(J))`, `l` the stretches less the volume",
    },
    MaterialEntry {
        name: "orthotropic",
        elements: "plane, solid",
        constants: &[
            DENSITY,
            MASS_DAMPING,
            STIFFNESS_DAMPING,
            THICKNESS,
            PLANE,
            INTEGRATION,
            YOUNGS,
            POISSONS,
            SHEARS,
            AXIS,
            SIDE,
        ],
        energy: "`E:C:E/2`, `E = (F'F - 1)/2`, with nine constants in the axes of the material",
    },
    MaterialEntry {
        name: "fluid",
        elements: "plane, solid",
        constants: &[DENSITY, MASS_DAMPING, STIFFNESS_DAMPING, THICKNESS, PLANE, INTEGRATION, BULK, GAMMA],
        energy: "pressure `bulk/gamma (J^-gamma - 1)` and no shear: waves and moderate flow of a liquid",
    },
    MaterialEntry {
        name: "bar",
        elements: "lines",
        constants: &[AREA, MODULUS, DENSITY, MASS_DAMPING, STRETCH],
        energy: "along the bar, `young area L/2 (l/L - 1)^2` with its length `l` and natural length `L`",
    },
    MaterialEntry {
        name: "cable",
        elements: "lines",
        constants: &[AREA, MODULUS, DENSITY, MASS_DAMPING, STRETCH],
        energy: "that of a [bar](elements.md#bars-springs-and-cables) where it is longer than its natural length, else zero: it only pulls",
    },
    MaterialEntry {
        name: "spring",
        elements: "lines",
        constants: &[STIFFNESS, LENGTH],
        energy: "no mass of its own: `[mass]` or other elements give it",
    },
];
