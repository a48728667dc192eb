//! Laws of elasticity by their names in scenarios, and the keys of a material with each.

use crate::scenario::keys::{Form, IfAbsent, Key};

/// A law of elasticity.
#[derive(Debug, Clone, Copy)]
pub struct Material {
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
const THICKNESS: Key = Key::new("thickness", Form::Positive, IfAbsent::Number(1.0), "of triangles");
const PLANE: Key = Key::new(
    "plane",
    Form::Words(&["strain", "stress"]),
    IfAbsent::Word("strain"),
    "of triangles: what is zero across the plane",
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
    "the energy, a formula of `I1`, `I2`, `J` and the parameters",
);
const AREA: Key = Key::required("area", Form::Positive, "area = 1e-4", "of the cross-section");
const STIFFNESS: Key = Key::required("stiffness", Form::Positive, "stiffness = 100.0", "force per extension");
const LENGTH: Key =
    Key::new("length", Form::AtLeast(0.0), IfAbsent::Derived("that in the mesh"), "the length at rest");

impl Material {
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
pub(super) const MATERIALS: [Material; 7] = [
    Material {
        name: "neo-hookean",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, LAMBDA, MU, YOUNG, POISSON],
        energy: "`lambda/2 log(J)^2 - mu log(J) + mu/2 (I1 - 3)` [AVI03 (7)]",
    },
    Material {
        name: "st-venant-kirchhoff",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, LAMBDA, MU, YOUNG, POISSON],
        energy: "`lambda/2 tr(E)^2 + mu tr(E^2)`, `E = (F'F - 1)/2`",
    },
    Material {
        name: "linear",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, LAMBDA, MU, YOUNG, POISSON],
        energy: "`lambda/2 tr(e)^2 + mu tr(e^2)` with the small strain `e = (F + F')/2 - 1`; rotations stiffen it",
    },
    Material {
        name: "mooney-rivlin",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, LAMBDA, MU, YOUNG, POISSON, SECOND],
        energy: "`mu/2 ((1 - second) (I1 - 3) + second (I2 - 3))` with a volume part that leaves no stress at rest",
    },
    Material {
        name: "formula",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, ENERGY],
        energy: "any formula of `I1`, `I2`, `J` and the parameters, without stress at rest",
    },
    Material {
        name: "bar",
        elements: "lines",
        constants: &[AREA, MODULUS, DENSITY],
        energy: "along the bar, by its stretch",
    },
    Material {
        name: "spring",
        elements: "lines",
        constants: &[STIFFNESS, LENGTH],
        energy: "no mass of its own: `[mass]` or other elements give it",
    },
];
