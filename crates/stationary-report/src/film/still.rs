//! The first frame as a drawing, for readers without scripts.

use super::pack::Packed;
use super::{Backdrop, Film, Outline, Pose};
use crate::escape;
use std::fmt::Write;

const WIDTH: f64 = 480.0;
const MARGIN: f64 = 12.0;

/// From which side space is seen at first: about the vertical, and above the horizon. The player has the same.
const AZIMUTH: f64 = 0.6;
const ELEVATION: f64 = 0.35;

/// From places to pixels.
struct View {
    space: usize,
    middle: [f64; 3],
    /// Pixels for a unit of length.
    scale: f64,
    height: f64,
}

impl View {
    fn of(space: usize, packed: &Packed) -> View {
        let [lo, hi] = packed.bounds;
        let middle = std::array::from_fn(|i| 0.5 * (lo[i] + hi[i]));
        let room = WIDTH - 2.0 * MARGIN;
        if space == 3 {
            return View { space, middle, scale: 0.375 * room / packed.radius, height: 0.75 * WIDTH };
        }
        let (wide, high) = (hi[0] - lo[0], hi[1] - lo[1]);
        let height = (WIDTH * high / wide).clamp(0.4 * WIDTH, 0.9 * WIDTH);
        View { space, middle, scale: (room / wide).min((height - 2.0 * MARGIN) / high), height }
    }

    fn pixel(&self, at: &[f64; 3]) -> [f64; 2] {
        let [x, y, z]: [f64; 3] = std::array::from_fn(|i| at[i] - self.middle[i]);
        let (right, up) = match self.space {
            2 => (x, y),
            _ => {
                let ((sa, ca), (se, ce)) = (AZIMUTH.sin_cos(), ELEVATION.sin_cos());
                (-sa * x + ca * y, ce * z - se * (ca * x + sa * y))
            }
        };
        [0.5 * WIDTH + self.scale * right, 0.5 * self.height - self.scale * up]
    }

    fn path(&self, points: impl Iterator<Item = [f64; 3]>, close: bool) -> String {
        let mut path = String::new();
        for (k, at) in points.enumerate() {
            let [x, y] = self.pixel(&at);
            let _ = write!(path, "{}{x:.1} {y:.1}", if k == 0 { 'M' } else { 'L' });
        }
        path + if close { "Z" } else { "" }
    }
}

/// The drawing.
pub(super) fn svg(film: &Film, packed: &Packed, label: &str) -> String {
    let view = View::of(film.space, packed);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {WIDTH} {:.0}\">\
         <g fill=\"none\" stroke-width=\"1.5\" style=\"stroke:var(--muted)\">",
        escape(label),
        view.height
    );
    for backdrop in &film.backdrop {
        let path = match backdrop {
            Backdrop::Line { from, to } => view.path([*from, *to].into_iter(), false),
            Backdrop::Loop(points) => view.path(points.iter().copied(), true),
        };
        let _ = write!(svg, "<path d=\"{path}\"/>");
    }
    let mut poses = film.poses.iter();
    for (figure, colour) in film.figures.iter().zip(film.colours()) {
        let Some(pose) = poses.next() else { break };
        let other = if figure.outline == Outline::Segment { poses.next() } else { None };
        let colour = colour.map_or("var(--ink)".to_string(), |c| format!("var(--c{c})"));
        svg.push_str(&shape(&view, &figure.outline, pose, other, &colour));
    }
    svg + "</g></svg>"
}

fn shape(view: &View, outline: &Outline, pose: &Pose, other: Option<&Pose>, colour: &str) -> String {
    let filled = format!("style=\"stroke:{colour};fill:{colour};fill-opacity:.35\"");
    let (sin, cos) = pose.angle.sin_cos();
    let placed =
        |[x, y]: [f64; 2]| [pose.at[0] + cos * x - sin * y, pose.at[1] + sin * x + cos * y, pose.at[2]];
    match outline {
        Outline::Disc { radius } | Outline::Sphere { radius } => {
            let [x, y] = view.pixel(&pose.at);
            format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{:.2}\" {filled}/>", radius * view.scale)
        }
        Outline::Ellipse { semi_axes: [a, b] } => {
            let turn = |k: u32| f64::from(k) * std::f64::consts::TAU / 48.0;
            let points = (0..48).map(|k| placed([a * turn(k).cos(), b * turn(k).sin()]));
            format!("<path d=\"{}\" {filled}/>", view.path(points, true))
        }
        Outline::Polygon(points) => {
            format!("<path d=\"{}\" {filled}/>", view.path(points.iter().map(|p| placed(*p)), true))
        }
        Outline::Segment => {
            let ends = [pose.at, other.unwrap_or(pose).at];
            format!("<path d=\"{}\" style=\"stroke:{colour}\"/>", view.path(ends.into_iter(), false))
        }
    }
}
