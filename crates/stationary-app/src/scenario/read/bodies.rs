//! Many bodies that collide.

use super::Reader;
use crate::scenario::constants::Constants;
use crate::scenario::kind::Kind;
use crate::scenario::tree::{self, Entry, Node, Table, Value};
use crate::scenario::{
    BodiesSystem, BodyBegin, BodyGroup, MassChoice, Place, Placement, ShapeChoice, Text, WallChoice,
    WallKind, names, unknown_word,
};
use stationary::error::Diagnostic;
use stationary::linalg::space::Vec3;

/// Bodies of a scenario, vertices of a polygon: more are a mistake.
const MOST_BODIES: u64 = 100_000;
const MOST_VERTICES: usize = 256;

/// What surfaces have that do not say.
type Surface = [f64; 2];

impl Reader {
    /// The system; `times` are those of its start and its end.
    pub(super) fn bodies_system(&mut self, times: (f64, f64)) -> Result<BodiesSystem, Diagnostic> {
        let space = match self.take("space") {
            Some(node) => self.constants.integer("space", &node, &(2..=3))? as usize,
            None => 2,
        };
        let gravity = match self.take("gravity") {
            Some(node) => vector(&self.constants, "gravity", &node, space)?,
            None => [0.0; 3],
        };
        let restitution = self.take("restitution");
        let friction = self.take("friction");
        let usual = surface(&self.constants, (restitution, friction), [1.0, 0.0])?;
        let mut walls = Vec::new();
        for (name, table) in self.named("wall")? {
            walls.push(self.wall(name, table, space, usual)?);
        }
        let root_place = self.root.iter().find(|e| e.key == "bodies").map(|e| e.key_place.clone());
        let named = self.named("bodies")?;
        if let (true, Some(place)) = (named.is_empty(), root_place) {
            return Err(place
                .error("there are no bodies")
                .help("add: [bodies.NAME] with shape and position"));
        }
        let mut groups = Vec::new();
        let constants = self.constants.part(named.len());
        for (name, table) in named {
            groups.push(group(&constants, name, table, (space, usual, &walls))?);
        }
        let all: u64 = groups.iter().map(|g| g.starts.len() as u64).sum();
        if let (true, Some(last)) = (all > MOST_BODIES, groups.last()) {
            let message = format!("{all} bodies in all, at most {MOST_BODIES}");
            return Err(last.place.error(message));
        }
        let step = self.need("step")?;
        let (output_every, output_impacts) = self.bodies_output()?;
        Ok(BodiesSystem {
            space,
            gravity,
            walls,
            groups,
            states: None,
            step: self.step(&step, times)?,
            output_every,
            output_impacts,
        })
    }

    fn bodies_output(&mut self) -> Result<(Option<u64>, Option<u64>), Diagnostic> {
        let mut table = self.table("output")?;
        self.kind.only(&table, "output")?;
        let mut integer = |key: &str, least: u64| {
            let node = tree::take(&mut table, key);
            node.map(|node| self.constants.integer(key, &node, &(least..=u64::MAX))).transpose()
        };
        Ok((integer("every", 1)?, integer("impacts", 0)?))
    }

    /// The tables of a section by their names: `[wall.floor]`, `[wall.left]`.
    fn named(&mut self, section: &str) -> Result<Vec<(Text, Table)>, Diagnostic> {
        let mut all = Vec::new();
        for Entry { key, key_place, node } in self.table(section)? {
            if !matches!(node.value, Value::Table(_)) {
                return Err(node.wrong(&format!("{section}.{key}"), "a table").help(format!(
                    "everything here has a name, and its keys stand below: [{section}.NAME]"
                )));
            }
            names::identifier(&key.replace('-', "_"), section, &key_place)?;
            let table = node.table(&key, "a table")?;
            all.push((Text { text: key, place: key_place, index: None }, table));
        }
        Ok(all)
    }

    fn wall(
        &self,
        name: Text,
        mut table: Table,
        space: usize,
        usual: Surface,
    ) -> Result<WallChoice, Diagnostic> {
        tree::only(&table, &format!("`wall.{}`", name.text), &Kind::Bodies.keys("wall"))?;
        let [restitution, friction] = take_surface(&self.constants, &mut table, usual)?;
        let form = self.wall_kind(&name, table, space)?;
        Ok(WallChoice { name: name.text, place: name.place, form, restitution, friction })
    }

    fn wall_kind(&self, name: &Text, mut table: Table, space: usize) -> Result<WallKind, Diagnostic> {
        const HELP: &str = "expected `point` and `normal`, or `from` and `to`, or `polygon`, or `box`";
        let keys: Vec<String> = table.iter().map(|e| e.key.clone()).collect();
        let mut keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        keys.sort_unstable();
        let mut take = |key: &str| tree::take(&mut table, key).ok_or_else(|| name.error(HELP));
        let flat = |node: &Node| match space {
            2 => Ok(()),
            _ => Err(node.place.error("in space a wall is a plane (`point` and `normal`) or a `box`")),
        };
        let constants = &self.constants;
        match keys[..] {
            ["normal", "point"] => {
                let (point, node) = (take("point")?, take("normal")?);
                let normal = vector(constants, "normal", &node, space)?;
                if normal == [0.0; 3] {
                    return Err(node.place.error("the `normal` of a wall is zero, which is no direction"));
                }
                Ok(WallKind::Plane { point: vector(constants, "point", &point, space)?, normal })
            }
            ["from", "to"] => {
                let (from, to) = (take("from")?, take("to")?);
                flat(&from)?;
                let ends = [("from", &from), ("to", &to)].map(|(key, node)| vector(constants, key, node, 2));
                let [a, b] = ends;
                let (a, b) = (a?, b?);
                if a == b {
                    return Err(to.place.error(format!("the wall `{}` ends where it begins", name.text)));
                }
                Ok(WallKind::Segment([[a[0], a[1]], [b[0], b[1]]]))
            }
            ["polygon"] => {
                let node = take("polygon")?;
                flat(&node)?;
                Ok(WallKind::Polygon(points(constants, "polygon", &node)?))
            }
            ["box"] => {
                let node = take("box")?;
                Ok(WallKind::Box(corners(constants, "box", &node, space)?))
            }
            _ => Err(name.error(format!("the wall `{}` is not said in one way", name.text)).help(HELP)),
        }
    }
}

fn group(
    constants: &Constants,
    name: Text,
    mut table: Table,
    (space, usual, walls): (usize, Surface, &[WallChoice]),
) -> Result<BodyGroup, Diagnostic> {
    tree::only(&table, &format!("`bodies.{}`", name.text), &Kind::Bodies.keys("bodies"))?;
    let (shape, shape_place) = shape(constants, &name, &mut table, space)?;
    let mass = mass(constants, &mut table)?;
    let [restitution, friction] = take_surface(constants, &mut table, usual)?;
    let count = match tree::take(&mut table, "count") {
        Some(node) => constants.integer("count", &node, &(1..=MOST_BODIES))? as usize,
        None => 1,
    };
    let placement = placement(constants, &name, &mut table, (space, walls))?;
    let number = |table: &mut Table, key: &str| match tree::take(table, key) {
        Some(node) => constants.number(key, &node).map(|x| (x, Some(node.place))),
        None => Ok((0.0, None)),
    };
    let (speed, place) = number(&mut table, "speed")?;
    if let (true, Some(place)) = (speed < 0.0, place) {
        return Err(place.error(format!("`speed` must not be negative, found {speed}")));
    }
    let turned = match tree::take(&mut table, "turned") {
        Some(Node { value: Value::Flag(turned), .. }) => turned,
        Some(node) => return Err(node.wrong("turned", "true or false")),
        None => false,
    };
    let seed = match tree::take(&mut table, "seed") {
        Some(node) => constants.integer("seed", &node, &(0..=1 << 53))?,
        None => 0,
    };
    let starts = starts(constants, &name, table, (space, count, placement.is_some()))?;
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

/// The states of all bodies of a group; what is left in the table are formulas of the number `i` of a body.
fn starts(
    constants: &Constants,
    name: &Text,
    mut table: Table,
    (space, count, placed): (usize, usize, bool),
) -> Result<Vec<BodyBegin>, Diagnostic> {
    let [position, angle, velocity, spin] =
        ["position", "angle", "velocity", "spin"].map(|key| tree::take(&mut table, key));
    match (&position, placed) {
        (None, false) => {
            return Err(name
                .error(format!("`bodies.{}` has no `position`", name.text))
                .help("add: position = [0, 0], for several bodies with formulas of their number `i`; or place = \"lattice\""));
        }
        (Some(node), true) => {
            return Err(node
                .place
                .error("`position` besides `place`: one of them says where the bodies are"));
        }
        _ => {}
    }
    if let (3, Some(node)) = (space, &angle) {
        return Err(node
            .place
            .error("`angle` is for bodies in the plane; spheres look alike however they are turned"));
    }
    let mut constants = constants.clone();
    let mut all = Vec::with_capacity(count);
    for i in 0..count {
        constants.define("i", i as f64);
        let vector = |key: &str, node: &Option<Node>| match node {
            Some(node) => vector(&constants, key, node, space),
            None => Ok([0.0; 3]),
        };
        let number = |key: &str, node: &Option<Node>| match node {
            Some(node) => constants.number(key, node),
            None => Ok(0.0),
        };
        all.push(BodyBegin {
            position: vector("position", &position)?,
            angle: number("angle", &angle)?,
            velocity: vector("velocity", &velocity)?,
            spin: if space == 3 { vector("spin", &spin)? } else { [0.0, 0.0, number("spin", &spin)?] },
        });
    }
    Ok(all)
}

fn shape(
    constants: &Constants,
    name: &Text,
    table: &mut Table,
    space: usize,
) -> Result<(ShapeChoice, Place), Diagnostic> {
    let known: &[&str] = if space == 3 { &["sphere"] } else { &["disc", "polygon"] };
    let Some(node) = tree::take(table, "shape") else {
        return Err(name
            .error(format!("`bodies.{}` has no `shape`", name.text))
            .help(format!("expected one of: {}", known.join(", "))));
    };
    let text = node.text("shape", "the name of a shape")?;
    let (other, wanted) = match (text.text.as_str(), space) {
        ("disc", 2) | ("sphere", 3) => ("vertices", "radius"),
        ("polygon", 2) => ("radius", "vertices"),
        ("disc" | "polygon", _) => {
            let message = format!("a {} is a shape of the plane, and `space` is 3", text.text);
            return Err(text.error(message).help("expected: sphere"));
        }
        ("sphere", _) => {
            return Err(text
                .error("a sphere is a shape of space, and `space` is 2")
                .help("expected one of: disc, polygon; or space = 3"));
        }
        _ => return Err(unknown_word(&text, "shape", known)),
    };
    if let Some(entry) = table.iter().find(|e| e.key == other) {
        return Err(entry.key_place.error(format!("a {} has no `{other}`", text.text)));
    }
    let Some(node) = tree::take(table, wanted) else {
        let example = if wanted == "radius" { "radius = 0.1" } else { "vertices = [[0, 0], [1, 0], [0, 1]]" };
        return Err(text.error(format!("a {} needs `{wanted}`", text.text)).help(format!("add: {example}")));
    };
    let shape = if wanted == "radius" {
        ShapeChoice::Round(positive(constants, "radius", &node)?)
    } else {
        ShapeChoice::Polygon(points(constants, "vertices", &node)?)
    };
    Ok((shape, node.place))
}

fn mass(constants: &Constants, table: &mut Table) -> Result<MassChoice, Diagnostic> {
    match (tree::take(table, "mass"), tree::take(table, "density")) {
        (Some(_), Some(node)) => {
            Err(node.place.error("`density` besides `mass`: one follows from the other"))
        }
        (Some(node), None) => Ok(MassChoice::Mass(positive(constants, "mass", &node)?)),
        (None, Some(node)) => Ok(MassChoice::Density(positive(constants, "density", &node)?)),
        (None, None) => Ok(MassChoice::Density(1.0)),
    }
}

fn placement(
    constants: &Constants,
    name: &Text,
    table: &mut Table,
    (space, walls): (usize, &[WallChoice]),
) -> Result<Option<Placement>, Diagnostic> {
    let Some(node) = tree::take(table, "place") else {
        return match table.iter().find(|e| e.key == "within") {
            Some(entry) => {
                Err(entry.key_place.error("`within` belongs to `place`").help("add: place = \"lattice\""))
            }
            None => Ok(None),
        };
    };
    let text = node.text("place", "`lattice` or `random`")?;
    let lattice = match text.text.as_str() {
        "lattice" => true,
        "random" => false,
        _ => return Err(unknown_word(&text, "value of `place`", &["lattice", "random"])),
    };
    let boxes = walls.iter().find_map(|w| match &w.form {
        WallKind::Box(corners) => Some(*corners),
        _ => None,
    });
    let within = match (tree::take(table, "within"), boxes) {
        (Some(node), _) => corners(constants, "within", &node, space)?,
        (None, Some(corners)) => corners,
        (None, None) => {
            return Err(name
                .error(format!(
                    "`bodies.{}` has no `within`, and no wall is a box to take in its place",
                    name.text
                ))
                .help("add the corners of the region: within = [[0, 0], [1, 1]]"));
        }
    };
    Ok(Some(Placement { lattice, within, place: text.place }))
}

fn take_surface(constants: &Constants, table: &mut Table, usual: Surface) -> Result<Surface, Diagnostic> {
    let pair = (tree::take(table, "restitution"), tree::take(table, "friction"));
    surface(constants, pair, usual)
}

fn surface(
    constants: &Constants,
    (restitution, friction): (Option<Node>, Option<Node>),
    usual: Surface,
) -> Result<Surface, Diagnostic> {
    let [mut e, mut mu] = usual;
    if let Some(node) = restitution {
        e = constants.number("restitution", &node)?;
        if !(0.0..=1.0).contains(&e) {
            let message = format!("`restitution` must be from 0 to 1, found {e}");
            return Err(node.place.error(message).help("0 is plastic, 1 elastic"));
        }
    }
    if let Some(node) = friction {
        mu = constants.number("friction", &node)?;
        if mu < 0.0 {
            return Err(node.place.error(format!("`friction` must not be negative, found {mu}")));
        }
    }
    Ok([e, mu])
}

fn positive(constants: &Constants, key: &str, node: &Node) -> Result<f64, Diagnostic> {
    let value = constants.number(key, node)?;
    // Squares and cubes of it must be numbers too.
    if value > 0.0 && (1e-70..1e70).contains(&value) {
        return Ok(value);
    }
    let expected = if value > 0.0 { "from 1e-70 to 1e70" } else { "greater than zero" };
    Err(node.place.error(format!("`{key}` must be {expected}, found {value}")))
}

/// As many numbers as space has directions; in the plane the third is zero.
fn vector(constants: &Constants, key: &str, node: &Node, space: usize) -> Result<Vec3, Diagnostic> {
    let words = ["two", "three"][space - 2];
    let Value::List(list) = &node.value else {
        return Err(node.wrong(key, &format!("a list of {words} numbers")));
    };
    if list.len() != space {
        let message = format!("`{key}` must be a list of {words} numbers, found {}", list.len());
        return Err(node.place.error(message));
    }
    let mut vector = [0.0; 3];
    for (x, node) in vector.iter_mut().zip(list) {
        *x = constants.number(key, node)?;
    }
    Ok(vector)
}

fn points(constants: &Constants, key: &str, node: &Node) -> Result<Vec<[f64; 2]>, Diagnostic> {
    let Value::List(list) = &node.value else {
        return Err(node.wrong(key, "a list of points, as in [[0, 0], [1, 0], [0, 1]]"));
    };
    if list.len() > MOST_VERTICES {
        let message = format!("`{key}` has {} points, at most {MOST_VERTICES}", list.len());
        return Err(node.place.error(message));
    }
    list.iter().map(|node| vector(constants, key, node, 2).map(|v| [v[0], v[1]])).collect()
}

/// Two opposite corners of a box, the lower first.
fn corners(constants: &Constants, key: &str, node: &Node, space: usize) -> Result<[Vec3; 2], Diagnostic> {
    let list = match &node.value {
        Value::List(list) if list.len() == 2 => list,
        _ => return Err(node.wrong(key, "a list of two corners, as in [[0, 0], [1, 1]]")),
    };
    let [low, high] = [vector(constants, key, &list[0], space)?, vector(constants, key, &list[1], space)?];
    match (0..space).find(|k| !(low[*k] < high[*k])) {
        Some(k) => {
            let axis = ["x", "y", "z"][k];
            let message = format!("`{key}` has no room along {axis}: from {} to {}", low[k], high[k]);
            Err(node.place.error(message).help("expected the lower corner first, then the upper"))
        }
        None => Ok([low, high]),
    }
}
