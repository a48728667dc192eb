//! `[[draw]]`: what is drawn of a system given by formulas.

use crate::kinds::formula::keys::{DRAW, DRAWINGS, MOST_DRAWINGS};
use crate::scenario::keys::Key;
use crate::scenario::read::Reader;
use crate::scenario::readable::Readable;
use crate::scenario::section::{Owner, Section};
use crate::scenario::tree::{self, Node, Value};
use crate::scenario::{Drawing, DrawnShape, Place, Text, unknown_word};
use stationary::error::Diagnostic;

/// Corners of all polygons: each moment of the picture has to hold them.
const MOST_CORNERS: usize = 100_000;

impl Reader {
    /// The drawings, in the order of the file.
    pub(super) fn drawings(&mut self) -> Result<Vec<Drawing>, Diagnostic> {
        let Some(given) = self.root.take("draw")? else { return Ok(Vec::new()) };
        let Value::List(list) = given.node.value else { return Ok(Vec::new()) };
        let mut drawings: Vec<Drawing> = Vec::with_capacity(list.len());
        let (mut room, mut corners) = (MOST_DRAWINGS, MOST_CORNERS);
        for node in list {
            let drawing = self.drawing(node)?;
            let count = drawing.count.unwrap_or(1);
            let points =
                if let DrawnShape::Polygon(points) = &drawing.shape { count * points.len() } else { 0 };
            match (room.checked_sub(count as u64), corners.checked_sub(points)) {
                (Some(left), Some(less)) => (room, corners) = (left, less),
                _ => {
                    let message = format!(
                        "too much to draw: at most {MOST_DRAWINGS} shapes with {MOST_CORNERS} corners in all"
                    );
                    return Err(drawing.place.error(message));
                }
            }
            same_space(drawings.first(), &drawing)?;
            drawings.push(drawing);
        }
        Ok(drawings)
    }

    fn drawing(&mut self, node: Node) -> Result<Drawing, Diagnostic> {
        let place = node.place.clone();
        let mut entries = node.table("draw", "a list of tables, each below a line `[[draw]]`")?;
        let Some(shape) = tree::take(&mut entries, "shape") else {
            return Err(place
                .error("this drawing has no `shape`")
                .help(format!("expected one of: {}", shapes().join(", "))));
        };
        let shape = shape.text("shape", "the name of a shape")?;
        let Some((_, keys)) = DRAWINGS.iter().find(|(name, _)| *name == shape.text) else {
            return Err(unknown_word(&shape, "shape", &shapes()));
        };
        let keys: Vec<Key> = DRAW.iter().filter(|key| keys.contains(&key.path)).copied().collect();
        let owner = Owner::at(format!("this {}", shape.text), &shape.place);
        let table = Section::open(entries, keys, "", owner, &self.constants)?;
        Parts { table, shape }.drawing(place)
    }
}

/// The keys of one drawing.
struct Parts {
    table: Section,
    shape: Text,
}

impl Parts {
    fn drawing(mut self, place: Place) -> Result<Drawing, Diagnostic> {
        let name = self.table.given("name")?.unwrap_or_default();
        let count = self.table.given("count")?;
        let (at, shape) = self.shape(count)?;
        let has_angle = !matches!(shape, DrawnShape::Line(_) | DrawnShape::Sphere(_));
        let angle = if has_angle { self.table.given("angle")? } else { None };
        Ok(Drawing { name, shape, at, angle, count, place })
    }

    /// The place and the shape.
    fn shape(&mut self, count: Option<usize>) -> Result<(Vec<Text>, DrawnShape), Diagnostic> {
        let kind = self.shape.text.clone();
        if kind == "line" {
            let from = self.formulas("from")?;
            let to = self.formulas("to")?;
            if from.len() != to.len() {
                let (a, b) = (from.len(), to.len());
                return Err(to[0]
                    .error(format!("`from` has {a} formulas and `to` has {b}"))
                    .help("a line has both ends in the plane (two formulas) or in space (three)"));
            }
            return Ok((from, DrawnShape::Line(to)));
        }
        let at = self.formulas("at")?;
        let shape = match kind.as_str() {
            "disc" => DrawnShape::Disc(self.sizes("radius", count)?),
            "sphere" => DrawnShape::Sphere(self.sizes("radius", count)?),
            "ellipse" => DrawnShape::Ellipse(self.sizes("semi_axes", count)?),
            _ => DrawnShape::Polygon(self.table.need("points")?.read(self.table.constants())?),
        };
        match (at.len(), &shape) {
            (2, DrawnShape::Sphere(_)) => Err(at[0]
                .error("a sphere is in space: its `at` needs three formulas, found 2")
                .help("add a third formula, or draw a disc: shape = \"disc\"")),
            (3, DrawnShape::Disc(_) | DrawnShape::Ellipse(_) | DrawnShape::Polygon(_)) => Err(at[0]
                .error(format!("a {kind} is in the plane: its `at` needs two formulas, found 3"))
                .help("leave out the third formula, or draw a sphere: shape = \"sphere\"")),
            _ => Ok((at, shape)),
        }
    }

    /// Two or three formulas.
    fn formulas(&mut self, key: &str) -> Result<Vec<Text>, Diagnostic> {
        let given = self.table.need(key)?;
        given.read(self.table.constants())
    }

    /// A size for each of the shapes.
    fn sizes<T: Readable>(&mut self, key: &str, count: Option<usize>) -> Result<Vec<T>, Diagnostic> {
        let given = self.table.need(key)?;
        match count {
            None => Ok(vec![given.read(self.table.constants())?]),
            Some(count) => given.repeated(self.table.constants(), count),
        }
    }
}

/// A picture is in the plane or in space as a whole.
fn same_space(first: Option<&Drawing>, drawing: &Drawing) -> Result<(), Diagnostic> {
    let Some(first) = first.filter(|first| first.at.len() != drawing.at.len()) else { return Ok(()) };
    let words =
        |n: usize| if n == 3 { "in space, with three formulas" } else { "in the plane, with two formulas" };
    let (other, this) = (words(first.at.len()), words(drawing.at.len()));
    Err(drawing.at[0]
        .error(format!("this place is {this}, but that of the first drawing is {other}"))
        .help("a picture is in the plane or in space: give every place as many formulas"))
}

fn shapes() -> [&'static str; 5] {
    DRAWINGS.map(|(name, _)| name)
}
