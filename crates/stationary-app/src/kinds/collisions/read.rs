//! Many bodies that collide.

use super::keys::MOST_BODIES;
use crate::scenario::constants::Constants;
use crate::scenario::read::{Reader, named_tables};
use crate::scenario::section::{Item, Section};
use crate::scenario::tree::Value;
use crate::scenario::{
    BodyBegin, BodyGroup, CollisionSystem, MassSpec, Place, Placement, ShapeSpec, Text, WallKind, WallSpec,
};
use stationary::error::Diagnostic;
use stationary::linalg::{Vec2, Vec3, Vector};

/// How surfaces meet others.
#[derive(Clone, Copy)]
struct Surface {
    restitution: f64,
    friction: f64,
}

/// What all walls and bodies have in common.
struct Common<'a> {
    /// Directions of space.
    space: usize,
    /// The surfaces that do not have their own.
    usual: Surface,
    /// The walls that are read.
    walls: &'a [WallSpec],
}

impl Reader {
    /// The system.
    pub(super) fn collision_system(&mut self) -> Result<CollisionSystem, Diagnostic> {
        let space: usize = self.root.get("space")?;
        let gravity = match self.root.take("gravity")? {
            Some(given) => vector(&given, &self.constants, space)?,
            None => Vec3::default(),
        };
        let usual =
            Surface { restitution: self.root.get("restitution")?, friction: self.root.get("friction")? };
        let mut walls = Vec::new();
        for (name, table) in named_tables(&mut self.root, "wall", "wall", with_dashes)? {
            walls.push(wall(name, table, space, usual)?);
        }
        let root_place = self.root.find("bodies").map(|entry| entry.key_place.clone());
        let named = named_tables(&mut self.root, "bodies", "group of bodies", with_dashes)?;
        if let (true, Some(place)) = (named.is_empty(), root_place) {
            return Err(place
                .error("there are no bodies")
                .help("add: [bodies.NAME] with shape and position"));
        }
        let mut groups = Vec::new();
        let constants = self.constants.part(named.len());
        let common = Common { space, usual, walls: &walls };
        for (name, table) in named {
            groups.push(group(&constants, name, table, &common)?);
        }
        let all: u64 = groups.iter().map(|g| g.starts.len() as u64).sum();
        if let (true, Some(last)) = (all > MOST_BODIES, groups.last()) {
            let message = format!("{all} bodies in all, at most {MOST_BODIES}");
            return Err(last.place.error(message));
        }
        Ok(CollisionSystem {
            space,
            gravity,
            walls,
            groups,
            states: None,
            step: self.need_step()?,
            output_every: self.output.given("every")?,
            output_impacts: self.output.get("impacts")?,
        })
    }
}

/// Names of walls and bodies may have dashes, as their numbers have.
fn with_dashes(name: &str) -> String {
    name.replace('-', "_")
}

fn wall(name: Text, mut table: Section, space: usize, usual: Surface) -> Result<WallSpec, Diagnostic> {
    let Surface { restitution, friction } = surface(&mut table, usual)?;
    let form = wall_kind(&name, &mut table, space)?;
    Ok(WallSpec { name: name.text, place: name.place, form, restitution, friction })
}

/// The one of four ways in which a wall is given.
fn wall_kind(name: &Text, table: &mut Section, space: usize) -> Result<WallKind, Diagnostic> {
    let mut keys: Vec<String> = table.entries().iter().map(|entry| entry.key.clone()).collect();
    keys.sort_unstable();
    let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
    let constants = table.constants().shared();
    match keys[..] {
        ["normal", "point"] => {
            let point = table.need("point")?;
            let given = table.need("normal")?;
            let normal = vector(&given, &constants, space)?;
            if normal == Vec3::default() {
                let message = "the `normal` of a wall is zero, which is no direction";
                return Err(given.node.place.error(message));
            }
            Ok(WallKind::Plane { point: vector(&point, &constants, space)?, normal })
        }
        ["from", "to"] => {
            let from = table.need("from")?;
            let to = table.need("to")?;
            flat(&from, space)?;
            let ends: [Vec2; 2] = [from.read(&constants)?, to.read(&constants)?];
            if ends[0] == ends[1] {
                let message = format!("the wall `{}` ends where it begins", name.text);
                return Err(to.node.place.error(message));
            }
            Ok(WallKind::Segment(ends))
        }
        ["polygon"] => {
            let given = table.need("polygon")?;
            flat(&given, space)?;
            Ok(WallKind::Polygon(given.read(&constants)?))
        }
        ["box"] => Ok(WallKind::Box(corners(&table.need("box")?, &constants, space)?)),
        _ => Err(name
            .error(format!("the wall `{}` is not said in one way", name.text))
            .help("expected `point` and `normal`, or `from` and `to`, or `polygon`, or `box`")),
    }
}

/// Refuses walls of the plane in space.
fn flat(given: &Item, space: usize) -> Result<(), Diagnostic> {
    if space == 2 {
        return Ok(());
    }
    Err(given.node.place.error("in space a wall is a plane (`point` and `normal`) or a `box`"))
}

fn group(
    constants: &Constants,
    name: Text,
    mut table: Section,
    common: &Common<'_>,
) -> Result<BodyGroup, Diagnostic> {
    let (shape, shape_place) = shape(&mut table, common.space)?;
    let mass = mass(&mut table)?;
    let Surface { restitution, friction } = surface(&mut table, common.usual)?;
    let count: usize = table.get("count")?;
    let placement = placement(&mut table, common)?;
    let speed = table.get("speed")?;
    let turned = table.get("turned")?;
    let seed = table.get("seed")?;
    let starts = Starts::take(&mut table, common.space, placement.is_some())?.each(constants, count)?;
    Ok(BodyGroup {
        name: name.text,
        place: name.place,
        shape,
        shape_place,
        mass,
        restitution,
        friction,
        starts,
        placement,
        speed,
        turned,
        seed,
    })
}

/// What says where the bodies of a group are and how they move: formulas of the number `i` of a body.
struct Starts {
    space: usize,
    position: Option<Item>,
    angle: Option<Item>,
    velocity: Option<Item>,
    spin: Option<Item>,
}

impl Starts {
    fn take(table: &mut Section, space: usize, is_placed: bool) -> Result<Self, Diagnostic> {
        let position = table.take("position")?;
        match &position {
            None if !is_placed => return Err(table.missing("position")),
            Some(given) if is_placed => {
                let message = "`position` besides `place`: one of them says where the bodies are";
                return Err(given.node.place.error(message));
            }
            _ => {}
        }
        let angle = table.take("angle")?;
        if let (3, Some(given)) = (space, &angle) {
            let message = "`angle` is for bodies in the plane; spheres look alike however they are turned";
            return Err(given.node.place.error(message));
        }
        let velocity = table.take("velocity")?;
        let spin = table.take("spin")?;
        Ok(Starts { space, position, angle, velocity, spin })
    }

    /// The states of all bodies of the group.
    fn each(&self, constants: &Constants, count: usize) -> Result<Vec<BodyBegin>, Diagnostic> {
        let mut constants = constants.clone();
        let mut all = Vec::with_capacity(count);
        for i in 0..count {
            constants.define("i", i as f64);
            let vector = |given: &Option<Item>| match given {
                Some(given) => vector(given, &constants, self.space),
                None => Ok(Vec3::default()),
            };
            let number = |given: &Option<Item>| match given {
                Some(given) => given.read(&constants),
                None => Ok(0.0),
            };
            all.push(BodyBegin {
                position: vector(&self.position)?,
                angle: number(&self.angle)?,
                velocity: vector(&self.velocity)?,
                spin: if self.space == 3 {
                    vector(&self.spin)?
                } else {
                    Vector([0.0, 0.0, plane_spin(&self.spin, &constants)?])
                },
            });
        }
        Ok(all)
    }
}

/// The angular velocity of a body in the plane: a number.
fn plane_spin(given: &Option<Item>, constants: &Constants) -> Result<f64, Diagnostic> {
    match given {
        None => Ok(0.0),
        Some(given) if matches!(given.node.value, Value::List(_)) => {
            Err(given.node.wrong("spin", "a number in the plane"))
        }
        Some(given) => given.read(constants),
    }
}

fn shape(table: &mut Section, space: usize) -> Result<(ShapeSpec, Place), Diagnostic> {
    let given = table.need("shape")?;
    let place = &given.node.place;
    let word: &str = given.read(table.constants())?;
    let (other, wanted) = match (word, space) {
        ("disc", 2) | ("sphere", 3) => ("vertices", "radius"),
        ("polygon", 2) => ("radius", "vertices"),
        ("sphere", _) => {
            return Err(place
                .error("a sphere is a shape of space, and `space` is 2")
                .help("expected one of: disc, polygon; or space = 3"));
        }
        _ => {
            let message = format!("a {word} is a shape of the plane, and `space` is 3");
            return Err(place.error(message).help("expected: sphere"));
        }
    };
    if let Some(entry) = table.find(other) {
        return Err(entry.key_place.error(format!("a {word} has no `{other}`")));
    }
    let Some(size) = table.take(wanted)? else {
        let missing = table.missing(wanted);
        return Err(Diagnostic { help: missing.help, ..place.error(format!("a {word} needs `{wanted}`")) });
    };
    let shape = if wanted == "radius" {
        ShapeSpec::Round(size.read(table.constants())?)
    } else {
        ShapeSpec::Polygon(size.read(table.constants())?)
    };
    Ok((shape, size.node.place))
}

fn mass(table: &mut Section) -> Result<MassSpec, Diagnostic> {
    let Some(mass) = table.given("mass")? else { return Ok(MassSpec::Density(table.get("density")?)) };
    match table.find("density") {
        Some(entry) => Err(entry.node.place.error("`density` besides `mass`: one follows from the other")),
        None => Ok(MassSpec::Mass(mass)),
    }
}

fn placement(table: &mut Section, common: &Common<'_>) -> Result<Option<Placement>, Diagnostic> {
    let Some(given) = table.take("place")? else {
        return match table.find("within") {
            Some(entry) => {
                Err(entry.key_place.error("`within` belongs to `place`").help("add: place = \"lattice\""))
            }
            None => Ok(None),
        };
    };
    let lattice = given.read::<&str>(table.constants())? == "lattice";
    let boxes = common.walls.iter().find_map(|w| match &w.form {
        WallKind::Box(corners) => Some(*corners),
        _ => None,
    });
    let within = match (table.take("within")?, boxes) {
        (Some(given), _) => corners(&given, table.constants(), common.space)?,
        (None, Some(corners)) => corners,
        (None, None) => {
            let missing = table.missing("within");
            let message = format!("{}, and no wall is a box to take in its place", missing.message);
            return Err(Diagnostic { message, ..missing });
        }
    };
    Ok(Some(Placement { lattice, within, place: given.node.place }))
}

/// The surface of a wall or a body: its own, or the usual one.
fn surface(table: &mut Section, usual: Surface) -> Result<Surface, Diagnostic> {
    Ok(Surface {
        restitution: table.given("restitution")?.unwrap_or(usual.restitution),
        friction: table.given("friction")?.unwrap_or(usual.friction),
    })
}

/// As many numbers as space has directions; in the plane the third is zero.
fn vector(given: &Item, constants: &Constants, space: usize) -> Result<Vec3, Diagnostic> {
    fill(&given.read::<Vec<f64>>(constants)?, given, space)
}

/// Numbers as a vector of space; there must be as many as space has directions.
fn fill(numbers: &[f64], given: &Item, space: usize) -> Result<Vec3, Diagnostic> {
    if numbers.len() != space {
        let words = ["two", "three"][space - 2];
        let message =
            format!("`{}` must be a list of {words} numbers, found {}", given.name(), numbers.len());
        return Err(given.node.place.error(message));
    }
    let mut vector = [0.0; 3];
    vector[..space].copy_from_slice(numbers);
    Ok(Vector(vector))
}

/// Two opposite corners of a box, the lower first.
fn corners(given: &Item, constants: &Constants, space: usize) -> Result<[Vec3; 2], Diagnostic> {
    let [low, high]: [Vec<f64>; 2] = given.read(constants)?;
    let low = fill(&low, given, space)?;
    let high = fill(&high, given, space)?;
    match (0..space).find(|k| !(low[*k] < high[*k])) {
        Some(k) => {
            let axis = ["x", "y", "z"][k];
            let message =
                format!("`{}` has no room along {axis}: from {} to {}", given.name(), low[k], high[k]);
            Err(given.node.place.error(message).help("expected the lower corner first, then the upper"))
        }
        None => Ok([low, high]),
    }
}
