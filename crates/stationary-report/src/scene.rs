//! A body that deforms, in space: its surface over time for `report.html`, coloured by what its elements do.
//!
//! ```
//! use stationary::mesh::CellKind;
//! use stationary_report::scene::{Scene, SceneField, Surface};
//!
//! let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
//! let surface = Surface::of(&points, [(CellKind::Triangle3, &[0, 1, 2][..])].into_iter());
//! let mut scene = Scene::new(&points, surface, vec![SceneField::on_nodes("speed")]);
//! for k in 0..10 {
//!     let (t, u) = (0.1 * f64::from(k), 0.01 * f64::from(k));
//!     scene.push(t, &[0.0, 0.0, u, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], &[vec![0.1, 0.0, 0.0]]);
//! }
//! assert_eq!(scene.section(&[]).plots.len(), 1);
//! ```

mod checkpoint;
mod pack;
mod surface;

use super::decimate::Decimator;
use super::encode::short;
use super::escape;
use super::html::Section;
use pack::Packed;
use std::fmt::Write;
pub use surface::Surface;

const VIEWER: &str = concat!(
    "(function () {\n\"use strict\";\n",
    include_str!("scene/colours.js"),
    include_str!("scene/camera.js"),
    include_str!("scene/mesh.js"),
    include_str!("scene/viewer.js"),
    "})();\n"
);

/// How every scene in a page begins.
const OPENING: &str = "<div class=\"scene\">";

/// Bytes of packed frames before base64, which makes four of three: with all else the page stays below 15 MB.
const BYTES: usize = 8_000_000;
/// Frames that are retained however large they are.
const FEWEST: usize = 16;
/// Numbers beyond this would overflow in the picture, which is drawn with 32 bits.
const HUGE: f64 = 1e30;

/// A quantity that the surface can be coloured by.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneField {
    /// What the legend calls it.
    pub name: &'static str,
    /// Whether nodes have it; otherwise elements do.
    nodal: bool,
    /// Whether both signs count: zero is then in the middle of the colours.
    signed: bool,
}

impl SceneField {
    /// A quantity of nodes that is not negative.
    pub fn on_nodes(name: &'static str) -> Self {
        SceneField { name, nodal: true, signed: false }
    }

    /// A quantity of elements.
    pub fn on_elements(name: &'static str) -> Self {
        SceneField { name, nodal: false, signed: false }
    }

    /// The same quantity, with a sign that counts.
    pub fn signed(self) -> Self {
        SceneField { signed: true, ..self }
    }
}

/// One moment, packed.
#[derive(Clone, Debug, Default, PartialEq)]
struct Frame {
    /// How many were offered before it.
    number: u64,
    t: f64,
    /// Least and largest of the displacements along x, y, z and of each field.
    ranges: Vec<[f64; 2]>,
    /// See [`pack::frame`].
    data: Vec<u8>,
}

/// A body's surface in motion, in the making.
#[derive(Clone, Debug)]
pub struct Scene {
    surface: Surface,
    /// Reference positions of the nodes seen.
    points: Vec<f64>,
    fields: Vec<SceneField>,
    frames: Vec<Frame>,
    decimator: Decimator,
    /// The last frame, if it was not retained: the picture ends where the run does.
    last: Option<Frame>,
    /// Moments that cannot be drawn.
    refused: u64,
    /// Names of mode shapes: each frame is one, and the picture swings about the points. None for moments of a motion.
    modes: Vec<String>,
}

impl Scene {
    /// A scene of mode shapes, to be [pushed](Self::push_mode), about these points.
    pub fn of_modes(points: &[f64], surface: Surface) -> Self {
        Scene::new(points, surface, Vec::new())
    }

    /// Offers a mode shape: displacements of the nodes seen, three numbers each. Beyond a number of bytes no more are taken.
    pub fn push_mode(&mut self, name: String, displacements: &[f64]) {
        assert_eq!(displacements.len(), self.points.len(), "three numbers for each node seen");
        let bytes: usize = self.frames.iter().map(|f| f.data.len()).sum();
        if bytes > BYTES || !displacements.iter().all(|u| u.abs() <= HUGE) {
            self.refused += 1;
            return;
        }
        let (ranges, data) = pack::frame(displacements, &[]);
        let number = self.frames.len() as u64;
        self.frames.push(Frame { number, t: number as f64, ranges, data });
        self.modes.push(name);
    }

    /// A scene without frames: the body's points at rest, three numbers each, and what moments will tell beside
    /// displacements.
    pub fn new(points: &[f64], surface: Surface, fields: Vec<SceneField>) -> Self {
        let seen = surface.nodes.iter().flat_map(|a| &points[3 * *a as usize..][..3]).copied().collect();
        Scene {
            surface,
            points: seen,
            fields,
            frames: Vec::new(),
            decimator: Decimator::default(),
            last: None,
            refused: 0,
            modes: Vec::new(),
        }
    }

    /// What is seen of the body.
    pub fn surface(&self) -> &Surface {
        &self.surface
    }

    /// The time of the last moment that was offered and could be drawn.
    pub fn last_time(&self) -> Option<f64> {
        self.reel().last().map(|f| f.t)
    }

    /// Offers a moment: displacements of the nodes seen, three numbers each, and the values of each field, of the nodes or
    /// of the elements seen. NaN is no value. Times must not decrease.
    ///
    /// Beyond a number of bytes the scene is decimated: every second moment remains, then every fourth, and so on. The choice
    /// depends only on the moments offered. A moment with a displacement that is not finite is counted and left out.
    pub fn push(&mut self, t: f64, displacements: &[f64], fields: &[Vec<f64>]) {
        assert_eq!(displacements.len(), self.points.len(), "three numbers for each node seen");
        assert_eq!(fields.len(), self.fields.len(), "values of each field");
        let drawable = |x: &f64| x.abs() <= HUGE;
        if !drawable(&t) || !displacements.iter().all(drawable) {
            self.refused += 1;
            return;
        }
        for (field, values) in self.fields.iter().zip(fields) {
            let count = if field.nodal { self.surface.nodes.len() } else { self.surface.elements.len() };
            assert_eq!(values.len(), count, "values of {}", field.name);
        }
        let (ranges, data) = pack::frame(displacements, fields);
        let frame = Frame { number: self.decimator.offered(), t, ranges, data };
        if self.decimator.retains_next() {
            self.frames.push(frame);
            self.last = None;
        } else {
            self.last = Some(frame);
        }
        self.decimator.count();
        self.decimate();
    }

    fn decimate(&mut self) {
        while self.frames.len() > FEWEST && self.frames.iter().map(|f| f.data.len()).sum::<usize>() > BYTES {
            self.decimator.halve(0);
            let newest = self.frames.last().cloned().filter(|f| !self.decimator.retains(f.number));
            self.frames.retain(|f| self.decimator.retains(f.number));
            self.last = newest.or(self.last.take());
        }
    }

    /// The picture as a part of the page, with more fields that do not change in time: values of the elements seen.
    pub fn section(&self, fixed: &[(SceneField, Vec<f64>)]) -> Section {
        let plots = if self.frames.is_empty() || self.points.is_empty() {
            Vec::new()
        } else {
            vec![(self.to_html(fixed), self.caption())]
        };
        let heading = if self.modes.is_empty() { "Motion" } else { "Mode shapes" };
        Section { heading: heading.into(), text: String::new(), plots }
    }

    /// All frames in order, the last moment among them.
    fn reel(&self) -> impl Iterator<Item = &Frame> + Clone {
        self.frames.iter().chain(&self.last)
    }

    fn caption(&self) -> String {
        let mut caption = String::from(
            "To scale. Drag to turn, drag with shift or two fingers to shift; once the picture is clicked, the wheel zooms.",
        );
        if !self.modes.is_empty() {
            caption = caption.replacen(
                "To scale.",
                "A mode swings about the initial shape; its size is arbitrary.",
                1,
            );
            if self.refused > 0 {
                let _ = write!(caption, " {} more modes are left out, to keep the page small.", self.refused);
            }
            return caption;
        }
        let shown = self.reel().count() as u64;
        let offered = self.decimator.offered();
        let _ = if shown < offered {
            write!(caption, " {shown} of {offered} moments are here, to keep the page small.")
        } else {
            write!(caption, " {shown} moments.")
        };
        caption.push_str(" Between them nodes move on straight lines.");
        if let Some(whole) = self.surface.whole {
            let count = self.surface.triangles.len() + self.surface.bars.len();
            let _ =
                write!(caption, " The surface has {whole} sides; neighbours are joined, {count} are drawn.");
        }
        if self.refused > 0 {
            let _ =
                write!(caption, " {} moments with values that are not finite are left out.", self.refused);
        }
        caption
    }

    fn to_html(&self, fixed: &[(SceneField, Vec<f64>)]) -> String {
        let packed = Packed::of(self, fixed);
        let label = "The body in motion. Space plays and pauses, left and right arrow keys step by moments, shift and \
                     arrow keys turn the view, plus and minus zoom, 0 brings the first view back.";
        let mut html = String::with_capacity(packed.json.len() + 64 * 1024);
        let _ = write!(
            html,
            "{OPENING}<div class=\"scene-view\"><canvas tabindex=\"0\" role=\"img\" aria-label=\"{}\"></canvas>\
             <canvas class=\"scene-over\" aria-hidden=\"true\"></canvas></div><p class=\"scene-none\"></p>\
             <div class=\"scene-legend\"><span class=\"scene-name\"></span><span class=\"scene-map\"></span>\
             <span class=\"scene-ticks\"><span></span><span></span><span></span></span></div>\
             <div class=\"film-bar\"><button type=\"button\" class=\"scene-play\">Play</button><input type=\"range\" \
             min=\"0\" max=\"10000\" step=\"1\" value=\"0\" aria-label=\"Time\"/><output></output>",
            escape(label)
        );
        if !self.modes.is_empty() {
            html.push_str("<label>mode <select class=\"scene-mode\">");
            for (k, name) in self.modes.iter().enumerate() {
                let _ = write!(html, "<option value=\"{k}\">{}</option>", escape(name));
            }
            html.push_str("</select></label>");
        }
        html.push_str("<label>speed <select class=\"scene-speed\">");
        for factor in [0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0] {
            let chosen = if factor == 1.0 { " selected=\"\"" } else { "" };
            let speed = short(factor * packed.speed, 3);
            let _ = write!(html, "<option value=\"{speed}\"{chosen}>×{speed}</option>");
        }
        html.push_str(
            "</select></label></div><div class=\"film-bar\"><label>colour <select class=\"scene-field\">",
        );
        let names = ["displacement"].into_iter().chain(self.fields.iter().map(|f| f.name));
        for (k, name) in names.chain(fixed.iter().map(|(f, _)| f.name)).enumerate() {
            let _ = write!(html, "<option value=\"{k}\">{name}</option>");
        }
        html.push_str(
            "</select></label><label>range <select class=\"scene-range\"><option value=\"run\">of the whole run</option>\
             <option value=\"now\">of this moment</option><option value=\"most\">this moment, without extremes</option></select></label><label>displacements <select \
             class=\"scene-factor\">",
        );
        for factor in packed.factors() {
            let _ = write!(html, "<option value=\"{factor}\">×{factor}</option>");
        }
        let mesh = if self.surface.triangles.len() <= 20_000 { " checked=\"\"" } else { "" };
        let _ = write!(
            html,
            "</select></label><label><input type=\"checkbox\" class=\"scene-mesh\"{mesh}/> elements</label>\
             <label><input type=\"checkbox\" class=\"scene-rest\" checked=\"\"/> shape at rest</label>\
             <button type=\"button\" class=\"scene-reset\">First view</button></div>\
             <noscript><p>The moving picture needs scripts; the plots below do not.</p></noscript>\
             <script type=\"application/json\">{}</script><script>{VIEWER}</script></div>",
            packed.json
        );
        html
    }
}

/// Whether a part of the page is a scene.
pub(super) fn is_scene(section: &Section) -> bool {
    section.plots.iter().any(|(html, _)| html.starts_with(OPENING))
}

#[cfg(test)]
mod tests;
