//! Surfaces of meshes, projected.

use std::fmt::Write;

/// A view along parallel lines: how many pixels a metre has, and where the origin lies.
#[derive(Debug, Clone, Copy)]
pub struct View {
    /// Pixels a metre.
    pub scale: f64,
    /// The pixel of the origin.
    pub origin: [f64; 2],
    /// Elevation of the eye above the plane of rotation, in degrees; it looks along +y.
    pub elevation: f64,
}

impl View {
    /// The pixel of a point.
    pub fn place(&self, x: [f64; 3]) -> [f64; 2] {
        let (sin, cos) = self.elevation.to_radians().sin_cos();
        [self.origin[0] + self.scale * x[0], self.origin[1] - self.scale * (x[1] * sin + x[2] * cos)]
    }
}

/// An SVG in the making.
#[derive(Debug)]
pub struct Canvas {
    svg: String,
}

const EDGE: &str = "#24292f";

impl Canvas {
    /// An empty sheet.
    pub fn new(width: u32, height: u32) -> Canvas {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
             font-family=\"sans-serif\"><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n"
        );
        Canvas { svg }
    }

    /// Triangles that face the eye, in one colour with thin edges.
    pub fn surface<'a>(
        &mut self,
        view: &View,
        triangles: impl Iterator<Item = &'a [[f64; 3]; 3]>,
        fill: &str,
    ) {
        let mut path = String::new();
        for triangle in triangles {
            let [a, b, c] = triangle.map(|x| view.place(x).map(|p| (10.0 * p).round() as i64));
            let (u, v) = ([b[0] - a[0], b[1] - a[1]], [c[0] - b[0], c[1] - b[1]]);
            // Pixels count downwards: outer sides go clockwise.
            if u[0] * v[1] - u[1] * v[0] < 0 {
                let _ = write!(path, "M{} {}l{} {} {} {}z", a[0], a[1], u[0], u[1], v[0], v[1]);
            }
        }
        let _ = writeln!(
            self.svg,
            "<path transform=\"scale(.1)\" d=\"{path}\" fill=\"{fill}\" stroke=\"{EDGE}\" stroke-width=\"0.7\" stroke-linejoin=\"round\"/>"
        );
    }

    /// A line of text.
    pub fn text(&mut self, at: [f64; 2], anchor: &str, size: u32, text: &str) {
        let _ = writeln!(
            self.svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" fill=\"{EDGE}\">{text}</text>",
            at[0], at[1]
        );
    }

    /// A filled box without edges.
    pub fn rectangle(&mut self, at: [f64; 2], size: [f64; 2], fill: &str) {
        let _ = writeln!(
            self.svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.2}\" height=\"{:.2}\" fill=\"{fill}\"/>",
            at[0], at[1], size[0], size[1]
        );
    }

    /// A thin grey line.
    pub fn line(&mut self, from: [f64; 2], to: [f64; 2]) {
        let _ = writeln!(
            self.svg,
            "<path d=\"M{:.1} {:.1}L{:.1} {:.1}\" stroke=\"#9aa3ad\" stroke-width=\"0.6\"/>",
            from[0], from[1], to[0], to[1]
        );
    }

    /// Another picture within this one.
    pub fn embed(&mut self, at: [u32; 2], svg: &str) {
        self.svg.push_str(&svg.replacen("<svg", &format!("<svg x=\"{}\" y=\"{}\"", at[0], at[1]), 1));
    }

    /// The whole picture.
    pub fn finish(mut self) -> String {
        self.svg.push_str("</svg>\n");
        self.svg
    }
}

/// A colour from dark blue over green to yellow, for a share from 0 to 1.
pub fn colour(share: f64) -> String {
    const STOPS: [[f64; 3]; 5] = [
        [68.0, 1.0, 84.0],
        [59.0, 82.0, 139.0],
        [33.0, 145.0, 140.0],
        [94.0, 201.0, 98.0],
        [253.0, 231.0, 37.0],
    ];
    let place = share.clamp(0.0, 1.0) * (STOPS.len() - 1) as f64;
    let k = (place as usize).min(STOPS.len() - 2);
    let part = place - k as f64;
    let mix: [u8; 3] =
        std::array::from_fn(|i| (STOPS[k][i] + part * (STOPS[k + 1][i] - STOPS[k][i])).round() as u8);
    format!("#{:02x}{:02x}{:02x}", mix[0], mix[1], mix[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blade_drawing_contains_only_visible_faces() {
        let view = View { scale: 10.0, origin: [50.0, 50.0], elevation: 90.0 };
        let up = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
        let down = [up[0], up[2], up[1]];
        let draw = |t: &[[f64; 3]; 3]| {
            let mut canvas = Canvas::new(100, 100);
            canvas.surface(&view, [t].into_iter(), "red");
            canvas.finish()
        };
        assert!(draw(&up).contains("M500 500l100 0 -100 -100z"));
        assert!(!draw(&down).contains("M500"));
    }

    #[test]
    fn blade_drawing_colours_cover_the_scale() {
        assert_eq!([colour(0.0), colour(1.0), colour(7.0)], ["#440154", "#fde725", "#fde725"]);
        assert_eq!(colour(0.5), "#21918c");
    }
}
