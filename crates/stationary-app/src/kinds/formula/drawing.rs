//! What is drawn of a system given by formulas: `[[draw]]`.

use crate::scenario::place::{Place, Text};

/// One shape, or several alike: formulas written once for many see their number `i`, from 0.
#[derive(Debug, Clone)]
pub struct Drawing {
    /// Its name in the key of colours; may be empty.
    pub name: String,
    /// Its shape.
    pub shape: DrawnShape,
    /// Formulas of its place, two in the plane or three in space: of the centre, or of one end of a line.
    pub at: Vec<Text>,
    /// Formula of its angle.
    pub angle: Option<Text>,
    /// How many there are, where their formulas may name `i`.
    pub count: Option<usize>,
    /// Where it was written.
    pub place: Place,
}

/// A shape in its own coordinates; what may depend on `i` has an entry for each.
#[derive(Debug, Clone)]
pub enum DrawnShape {
    /// In the plane: the radius.
    Disc(Vec<f64>),
    /// In space: the radius.
    Sphere(Vec<f64>),
    /// Half the axes.
    Ellipse(Vec<[f64; 2]>),
    /// The corners in order.
    Polygon(Vec<[f64; 2]>),
    /// From `at` to the place that these formulas give.
    Line(Vec<Text>),
}
