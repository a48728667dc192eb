//! Scenarios that are part of the program and run by name, with no checkout.

/// A scenario shipped with the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shipped {
    /// The name it runs by.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
}

macro_rules! shipped {
    ($($name:literal),*) => {
        &[$(Shipped { name: $name, text: include_str!(concat!("../../../../scenarios/", $name, ".toml")) }),*]
    };
}

const ALL: &[Shipped] = shipped!(
    "pendulum",
    "kepler",
    "henon-heiles",
    "double-pendulum",
    "double-spherical-pendulum",
    "oblate-satellite",
    "lattice",
    "spherical-pendulum",
    "double-pendulum-rods",
    "four-bar",
    "rod-molecule",
    "damped-particle",
    "particle-bounce",
    "ellipse-bounce",
    "star-bounce",
    "cradle",
    "bouncing-to-rest",
    "double-well",
    "coupled-wells",
    "free-top",
    "heavy-top",
    "tumbling-satellite",
    "four-vortices",
    "disc-box",
    "polygon-pile",
    "bar-wave",
    "block",
    "l-beam",
    "slab",
    "taylor-bar",
    "necking",
    "viscoelastic-ring",
    "mixed-mesh",
    "tube-wave",
    "blade-1",
    "blade-2",
    "blade-3",
    "graded-cube"
);

/// Every shipped scenario, simplest first.
pub fn all() -> &'static [Shipped] {
    ALL
}

/// The shipped scenario of this name.
///
/// ```
/// let kepler = stationary_app::scenario::shipped::find("kepler").unwrap();
/// assert!(kepler.text.contains("lagrangian"));
/// ```
pub fn find(name: &str) -> Option<&'static Shipped> {
    ALL.iter().find(|s| s.name == name)
}

macro_rules! meshes {
    ($($name:literal),*) => {
        &[$((
            concat!("meshes/", $name, ".msh"),
            include_bytes!(concat!("../../../../scenarios/meshes/", $name, ".msh")),
        )),*]
    };
}

/// Meshes of shipped scenarios: the name in the scenario, and the file.
const MESHES: &[(&str, &[u8])] = meshes!(
    "bar-wave",
    "block",
    "l-beam",
    "slab",
    "blade",
    "graded-cube",
    "taylor-bar",
    "necking",
    "viscoelastic-ring",
    "mixed-mesh",
    "tube-wave"
);

/// The shipped mesh of this name.
pub fn mesh(name: &str) -> Option<&'static [u8]> {
    MESHES.iter().find(|(n, _)| *n == name).map(|(_, bytes)| *bytes)
}

/// The names of all shipped meshes.
pub fn meshes() -> Vec<&'static str> {
    MESHES.iter().map(|(name, _)| *name).collect()
}
