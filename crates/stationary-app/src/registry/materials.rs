//! Laws of elasticity by their names in scenarios, and the keys of a material with each.

use crate::scenario::keys::{Form, Key};

/// A law of elasticity.
#[derive(Debug, Clone, Copy)]
pub struct Material {
    /// The name in scenarios.
    pub name: &'static str,
    /// The elements it is for.
    pub elements: &'static str,
    /// The keys of a material with this law, besides `group` and `law`.
    pub constants: &'static [Key],
    /// The constants in words, for a table.
    pub words: &'static str,
    /// Its energy per reference volume.
    pub energy: &'static str,
}

const DENSITY: Key = Key::new("density", Form::Positive, "mass per reference volume");
const THICKNESS: Key = Key::new("thickness", Form::Positive, "optional, 1; of triangles");
const PLANE: Key = Key::new(
    "plane",
    Form::Words(&["strain", "stress"]),
    "optional, `strain`; of triangles: what is zero across the plane",
);
const LAMBDA: Key = Key::new("lambda", Form::Number, "the first elastic constant of Lame, with `mu`");
const MU: Key = Key::new("mu", Form::Number, "the shear modulus, with `lambda`");
const YOUNG: Key = Key::new("young", Form::Number, "Young's modulus");
const POISSON: Key =
    Key::new("poisson", Form::Number, "Poisson's ratio, with `young` in place of `lambda` and `mu`");
const SECOND: Key =
    Key::new("second", Form::Between(0.0, 1.0), "optional, 0.5; the part of `mu` in the second invariant");
const ENERGY: Key =
    Key::new("energy", Form::Number, "the energy, a formula of `I1`, `I2`, `J` and the parameters");
const AREA: Key = Key::new("area", Form::Positive, "of the cross-section");
const STIFFNESS: Key = Key::new("stiffness", Form::Positive, "force per extension");
const LENGTH: Key = Key::new("length", Form::AtLeast(0.0), "optional, that in the mesh; the length at rest");

/// All laws.
pub(super) const MATERIALS: [Material; 7] = [
    Material {
        name: "neo-hookean",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, LAMBDA, MU, YOUNG, POISSON],
        words: "`lambda`, `mu`, `density`",
        energy: "`lambda/2 log(J)^2 - mu log(J) + mu/2 (I1 - 3)` [AVI03 (7)]",
    },
    Material {
        name: "st-venant-kirchhoff",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, LAMBDA, MU, YOUNG, POISSON],
        words: "`lambda`, `mu`, `density`",
        energy: "`lambda/2 tr(E)^2 + mu tr(E^2)`, `E = (F'F - 1)/2`",
    },
    Material {
        name: "linear",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, LAMBDA, MU, YOUNG, POISSON],
        words: "`lambda`, `mu`, `density`",
        energy: "`lambda/2 tr(e)^2 + mu tr(e^2)` with the small strain `e = (F + F')/2 - 1`; rotations stiffen it",
    },
    Material {
        name: "mooney-rivlin",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, LAMBDA, MU, YOUNG, POISSON, SECOND],
        words: "`lambda`, `mu`, `density`; `second`, 0.5: the part of `mu` in the second invariant, 0 to 1",
        energy: "`mu/2 ((1 - second) (I1 - 3) + second (I2 - 3))` with a volume part that leaves no stress at rest",
    },
    Material {
        name: "formula",
        elements: "triangles, tetrahedra",
        constants: &[DENSITY, THICKNESS, PLANE, ENERGY],
        words: "`energy`, `density`",
        energy: "any formula of `I1`, `I2`, `J` and the parameters, without stress at rest",
    },
    Material {
        name: "bar",
        elements: "lines",
        constants: &[AREA, YOUNG, DENSITY],
        words: "`young`, `area`, `density`",
        energy: "along the bar, by its stretch",
    },
    Material {
        name: "spring",
        elements: "lines",
        constants: &[STIFFNESS, LENGTH],
        words: "`stiffness`; `length` at rest, that in the mesh",
        energy: "no mass of its own: `[mass]` or other elements give it",
    },
];
