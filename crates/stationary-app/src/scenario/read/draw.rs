//! `[[draw]]`: what is drawn of a system given by formulas.

use super::Reader;
use crate::scenario::kind::DRAWINGS;
use crate::scenario::tree::{self, Node, Table, Value};
use crate::scenario::{Drawing, Place, Shape, Text, unknown_word};
use stationary::error::Diagnostic;

/// Shapes in all, and corners of all polygons: each moment of the picture has to hold them.
const MOST: u64 = 2_000;
const MOST_CORNERS: usize = 100_000;

const PLACE: &str = "a list of two formulas, or three in space";

impl Reader {
    /// The drawings, in the order of the file.
    pub(super) fn drawings(&mut self) -> Result<Vec<Drawing>, Diagnostic> {
        let Some(node) = self.take("draw") else { return Ok(Vec::new()) };
        let Value::List(list) = node.value else {
            return Err(node
                .wrong("draw", "a list of tables")
                .help("write each shape below a line `[[draw]]`, in double brackets"));
        };
        let mut drawings: Vec<Drawing> = Vec::with_capacity(list.len());
        let (mut room, mut corners) = (MOST, MOST_CORNERS);
        for node in list {
            let drawing = self.drawing(node)?;
            let count = drawing.count.unwrap_or(1);
            let points = if let Shape::Polygon(points) = &drawing.shape { count * points.len() } else { 0 };
            match (room.checked_sub(count as u64), corners.checked_sub(points)) {
                (Some(left), Some(less)) => (room, corners) = (left, less),
                _ => {
                    let message =
                        format!("too much to draw: at most {MOST} shapes with {MOST_CORNERS} corners in all");
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
        let mut table = node.table("draw", "a list of tables")?;
        let Some(shape) = tree::take(&mut table, "shape") else {
            return Err(place
                .error("this drawing has no `shape`")
                .help(format!("expected one of: {}", shapes().join(", "))));
        };
        let shape = shape.text("shape", "the name of a shape")?;
        let Some((_, keys)) = DRAWINGS.iter().find(|(name, _)| *name == shape.text) else {
            return Err(unknown_word(&shape, "shape", &shapes()));
        };
        tree::only(&table, &format!("a drawing of shape `{}`", shape.text), keys)?;
        let name = match tree::take(&mut table, "name") {
            Some(node) => node.text("name", "text")?.text,
            None => String::new(),
        };
        let count = tree::take(&mut table, "count");
        let count = count.map(|n| self.constants.integer("count", &n, &(1..=MOST))).transpose()?;
        let count = count.map(|n| n as usize);
        let mut parts = Parts { reader: self, table, shape: &shape, count };
        let (at, shape) = parts.shape()?;
        let angle = parts.table.iter().position(|e| e.key == "angle").map(|k| parts.table.remove(k).node);
        let angle = angle.map(|node| node.formula("angle")).transpose()?;
        Ok(Drawing { name, shape, at, angle, count, place })
    }
}

/// The keys of one drawing.
struct Parts<'a> {
    reader: &'a Reader,
    table: Table,
    shape: &'a Text,
    count: Option<usize>,
}

impl Parts<'_> {
    fn need(&mut self, key: &str, example: &str) -> Result<Node, Diagnostic> {
        tree::take(&mut self.table, key).ok_or_else(|| {
            let message = format!("this {} has no `{key}`", self.shape.text);
            self.shape.error(message).help(format!("add: {key} = {example}"))
        })
    }

    /// The place and the shape.
    fn shape(&mut self) -> Result<(Vec<Text>, Shape), Diagnostic> {
        let kind = self.shape.text.clone();
        if kind == "line" {
            let from = self.formulas("from", "[\"0\", \"0\"]")?;
            let to = self.formulas("to", "[\"l*sin(a)\", \"-l*cos(a)\"]")?;
            if from.len() != to.len() {
                let (a, b) = (from.len(), to.len());
                return Err(to[0]
                    .error(format!("`from` has {a} formulas and `to` has {b}"))
                    .help("a line has both ends in the plane (two formulas) or in space (three)"));
            }
            return Ok((from, Shape::Line(to)));
        }
        let at = self.formulas("at", "[\"x\", \"y\"]")?;
        let shape = match kind.as_str() {
            "disc" => Shape::Disc(self.sizes("radius", "0.1")?),
            "sphere" => Shape::Sphere(self.sizes("radius", "0.1")?),
            "ellipse" => Shape::Ellipse(self.semi_axes()?),
            _ => Shape::Polygon(self.corners()?),
        };
        match (at.len(), &shape) {
            (2, Shape::Sphere(_)) => Err(at[0]
                .error("a sphere is in space: its `at` needs three formulas, found 2")
                .help("add a third formula, or draw a disc: shape = \"disc\"")),
            (3, Shape::Disc(_) | Shape::Ellipse(_) | Shape::Polygon(_)) => Err(at[0]
                .error(format!("a {kind} is in the plane: its `at` needs two formulas, found 3"))
                .help("leave out the third formula, or draw a sphere: shape = \"sphere\"")),
            _ => Ok((at, shape)),
        }
    }

    /// Two or three formulas.
    fn formulas(&mut self, key: &str, example: &str) -> Result<Vec<Text>, Diagnostic> {
        let node = self.need(key, example)?;
        let place = node.place.clone();
        let Value::List(list) = node.value else { return Err(node.wrong(key, PLACE)) };
        if !(2..=3).contains(&list.len()) {
            return Err(place.error(format!("`{key}` must be {PLACE}, found {}", list.len())));
        }
        list.into_iter().map(|node| node.formula(key)).collect()
    }

    /// A positive number for each.
    fn sizes(&mut self, key: &str, example: &str) -> Result<Vec<f64>, Diagnostic> {
        let node = self.need(key, example)?;
        self.positive(key, node)
    }

    fn positive(&self, key: &str, node: Node) -> Result<Vec<f64>, Diagnostic> {
        let place = node.place.clone();
        let sizes = match self.count {
            None => vec![self.reader.constants.number(key, &node)?],
            Some(count) => self.reader.constants.repeated(key, &[node], count)?,
        };
        match sizes.iter().find(|size| **size <= 0.0) {
            None => Ok(sizes),
            Some(size) => Err(place.error(format!("`{key}` must be greater than zero, found {size}"))),
        }
    }

    fn semi_axes(&mut self) -> Result<Vec<[f64; 2]>, Diagnostic> {
        let node = self.need("semi_axes", "[0.5, 0.25]")?;
        let [a, b] = pair("semi_axes", node, "a list of two numbers")?;
        let (a, b) = (self.positive("semi_axes", a)?, self.positive("semi_axes", b)?);
        Ok(a.into_iter().zip(b).map(|(a, b)| [a, b]).collect())
    }

    fn corners(&mut self) -> Result<Vec<[f64; 2]>, Diagnostic> {
        const EXPECTED: &str = "a list of points [x, y], three or more";
        let node = self.need("points", "[[0, 0], [1, 0], [0, 1]]")?;
        let place: Place = node.place.clone();
        let Value::List(list) = node.value else { return Err(node.wrong("points", EXPECTED)) };
        if list.len() < 3 {
            return Err(place.error(format!("`points` must be {EXPECTED}, found {}", list.len())));
        }
        let number = |node: &Node| self.reader.constants.number("points", node);
        let corner = |node| {
            let [x, y] = pair("points", node, EXPECTED)?;
            Ok([number(&x)?, number(&y)?])
        };
        list.into_iter().map(corner).collect()
    }
}

fn pair(key: &str, node: Node, expected: &str) -> Result<[Node; 2], Diagnostic> {
    let place = node.place.clone();
    let Value::List(list) = node.value else { return Err(node.wrong(key, expected)) };
    <[Node; 2]>::try_from(list).map_err(|list| {
        let message = format!("`{key}` must be {expected}, found a list of {}", list.len());
        place.error(message)
    })
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
