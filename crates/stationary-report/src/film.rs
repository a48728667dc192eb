//! A moving picture of a run: figures to scale, played in `report.html` without network.
//!
//! ```
//! use stationary_report::film::{Backdrop, Figure, Film, Outline, Pose};
//!
//! let ball = Figure { name: "ball".into(), outline: Outline::Disc { radius: 0.1 } };
//! let ground = Backdrop::Line { from: [-1.0, 0.0, 0.0], to: [1.0, 0.0, 0.0] };
//! let mut film = Film::new(2, vec![ball], vec![ground]);
//! for k in 0..100 {
//!     let t = 0.01 * f64::from(k);
//!     film.push(t, &[Pose { at: [0.0, 1.1 - 0.5 * 9.81 * t * t, 0.0], angle: 0.0 }]);
//! }
//! assert_eq!(film.section().plots.len(), 1);
//! ```

mod checkpoint;
mod pack;
mod still;

use super::decimate::{Decimated, Decimator};
use super::encode::short;
use super::escape;
use super::html::Section;
use std::collections::{HashMap, HashSet};
use std::fmt::Write;

const PLAYER: &str = include_str!("film/film.js");

/// How every film in a page begins; a page puts it before its plots.
const OPENING: &str = "<div class=\"film\">";

/// Bytes of frames before base64, which makes four of three.
const BYTES: usize = 3_000_000;
/// Frames: at one step a frame, two minutes of play.
const FRAMES: usize = 8_000;
/// Frames that are retained however large they are.
const FEWEST: usize = 32;
/// Impacts that flash.
const MARKS: usize = 20_000;
/// Numbers beyond this would overflow in the size of the scene.
const HUGE: f64 = 1e300;
/// Colours of figures, `--c0` and on in the style of the page.
const COLOURS: usize = 7;
/// Names in the key below the picture.
const NAMED: usize = 8;

/// The shape of something that moves, in its own coordinates.
#[derive(Clone, Debug, PartialEq)]
pub enum Outline {
    /// A disc; in space it is drawn as a sphere.
    Disc {
        /// Its radius.
        radius: f64,
    },
    /// An ellipse about its centre.
    Ellipse {
        /// Half its axes, along its own x and y.
        semi_axes: [f64; 2],
    },
    /// A closed polygon.
    Polygon(Vec<[f64; 2]>),
    /// A sphere; in the plane it is drawn as a disc.
    Sphere {
        /// Its radius.
        radius: f64,
    },
    /// A straight line such as a rod or a string. It has two poses, one for each end; their angles mean nothing.
    Segment,
}

impl Outline {
    /// How many poses a figure of this shape has in each frame.
    pub fn poses(&self) -> usize {
        if *self == Outline::Segment { 2 } else { 1 }
    }

    /// How far it reaches from its centre.
    fn reach(&self) -> f64 {
        let reach = match self {
            Outline::Disc { radius } | Outline::Sphere { radius } => *radius,
            Outline::Ellipse { semi_axes: [a, b] } => a.max(*b),
            Outline::Polygon(points) => points.iter().map(|[x, y]| x.hypot(*y)).fold(0.0, f64::max),
            Outline::Segment => 0.0,
        };
        reach.min(HUGE)
    }
}

/// Something that moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// Its name in the key of colours; figures of one name share a colour.
    pub name: String,
    /// Its shape.
    pub outline: Outline,
}

/// Where a figure is.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Pose {
    /// Its centre, or an end of a segment; the last entry counts in space only.
    pub at: [f64; 3],
    /// Its angle in the plane of x and y, in radians. It should be continuous: frames are joined by straight lines.
    pub angle: f64,
}

/// Something that stays where it is.
#[derive(Clone, Debug, PartialEq)]
pub enum Backdrop {
    /// A straight line.
    Line {
        /// One end.
        from: [f64; 3],
        /// The other.
        to: [f64; 3],
    },
    /// A closed line through these points.
    Loop(Vec<[f64; 3]>),
}

#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    number: u64,
    t: f64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Mark {
    t: f64,
    at: [f64; 3],
}

/// A moving picture in the making.
#[derive(Clone, Debug)]
pub struct Film {
    space: usize,
    figures: Vec<Figure>,
    backdrop: Vec<Backdrop>,
    /// Poses of a frame.
    width: usize,
    /// Which poses have an angle that would show but has not changed so far.
    steady: Vec<bool>,
    /// The poses that have turned since the first frame.
    turning: Vec<usize>,
    frames: Vec<Frame>,
    poses: Vec<Pose>,
    decimator: Decimator,
    /// The last frame, if it was not retained: the picture ends where the run does.
    last: Option<(f64, Vec<Pose>)>,
    marks: Decimated<Mark>,
    /// Moments that cannot be drawn.
    refused: u64,
}

impl Film {
    /// An empty film of these figures, in the plane (2) or in space (3), before something that does not move.
    pub fn new(space: usize, figures: Vec<Figure>, backdrop: Vec<Backdrop>) -> Self {
        assert!(space == 2 || space == 3, "a picture is in the plane or in space");
        let round = |outline: &Outline| match outline {
            Outline::Segment | Outline::Sphere { .. } => true,
            Outline::Disc { .. } => space == 3,
            _ => false,
        };
        let steady: Vec<bool> =
            figures.iter().flat_map(|f| vec![!round(&f.outline); f.outline.poses()]).collect();
        Film {
            space,
            figures,
            backdrop,
            width: steady.len(),
            steady,
            turning: Vec::new(),
            frames: Vec::new(),
            poses: Vec::new(),
            decimator: Decimator::default(),
            last: None,
            marks: Decimated::new(MARKS).with_opening(),
            refused: 0,
        }
    }

    /// Frames that were left out because a number of theirs was not finite.
    pub fn refused(&self) -> u64 {
        self.refused
    }

    /// Offers the next frame: a pose for each figure, in their order, and two for a segment. Times must not decrease.
    ///
    /// Beyond a number of bytes the film is decimated: all frames of the opening remain, and of the rest every second, then
    /// every fourth, and so on. The choice depends only on the frames offered. A frame with a number that is not finite is
    /// counted and left out.
    pub fn push(&mut self, t: f64, poses: &[Pose]) {
        assert_eq!(poses.len(), self.width, "a pose for each figure, two for a segment");
        let drawable = |x: &f64| x.abs() <= HUGE;
        if !drawable(&t)
            || !poses.iter().all(|p| p.at[..self.space].iter().all(drawable) && drawable(&p.angle))
        {
            self.refused += 1;
            return;
        }
        for (k, pose) in poses.iter().enumerate() {
            if self.steady[k] && self.poses.get(k).is_some_and(|first| first.angle != pose.angle) {
                self.steady[k] = false;
                self.turning.push(k);
            }
        }
        if self.retains_next() {
            self.frames.push(Frame { number: self.decimator.offered(), t });
            self.poses.extend_from_slice(poses);
            self.last = None;
        } else {
            let (time, last) = self.last.get_or_insert_with(|| (t, Vec::new()));
            *time = t;
            last.clear();
            last.extend_from_slice(poses);
        }
        self.decimator.count();
        self.decimate();
    }

    /// Whether the frame that is offered next will be retained; if not, [`skip`](Self::skip) saves the work of making it.
    pub fn retains_next(&self) -> bool {
        self.decimator.retains_next()
    }

    /// Counts a frame that was not made because it would not be retained.
    pub fn skip(&mut self) {
        self.decimator.count();
    }

    /// Marks an impact, which flashes at that place and time. Times must not decrease.
    pub fn mark(&mut self, t: f64, at: [f64; 3]) {
        if !(t.abs() <= HUGE && at[..self.space].iter().all(|x| x.abs() <= HUGE)) {
            return;
        }
        self.marks.push(Mark { t, at });
    }

    /// Frames that the bytes allow.
    fn limit(&self) -> usize {
        let bytes = 4 + 2 * self.space * self.width + 4 * self.turning.len();
        (BYTES / bytes).clamp(FEWEST, FRAMES)
    }

    fn decimate(&mut self) {
        let limit = self.limit();
        while self.frames.len() > limit {
            self.decimator.halve(limit as u64 / 2);
            let mut count = 0;
            for k in 0..self.frames.len() {
                if self.decimator.retains(self.frames[k].number) {
                    self.frames[count] = self.frames[k];
                    self.poses.copy_within(k * self.width..(k + 1) * self.width, count * self.width);
                    count += 1;
                }
            }
            self.frames.truncate(count);
            self.poses.truncate(count * self.width);
        }
    }

    /// Times of all frames, and their poses one frame after the other.
    fn reel(&self) -> (Vec<f64>, std::borrow::Cow<'_, [Pose]>) {
        let mut times: Vec<f64> = self.frames.iter().map(|f| f.t).collect();
        match &self.last {
            None => (times, (&self.poses).into()),
            Some((t, poses)) => {
                times.push(*t);
                (times, [&self.poses[..], poses].concat().into())
            }
        }
    }

    /// Time at which the opening ends, if the rest was decimated.
    fn open_until(&self) -> Option<f64> {
        let opening = self.decimator.opening();
        let last = self.frames.iter().rev().find(|f| f.number < opening)?;
        (self.decimator.stride() > 1).then_some(last.t)
    }

    /// The part of the page: a heading, the picture with its controls, and what it leaves out.
    pub fn section(&self) -> Section {
        let heading = "Animation".to_string();
        if self.frames.is_empty() || self.width == 0 {
            let text = "No moment of the run can be drawn.".to_string();
            return Section { heading, text, plots: Vec::new() };
        }
        Section { heading, text: String::new(), plots: vec![(self.to_html(), self.caption())] }
    }

    fn caption(&self) -> String {
        let mut caption = String::new();
        let mut say = |text: String| {
            caption.push_str(if caption.is_empty() { "" } else { " " });
            caption.push_str(&text);
        };
        say("To scale.".into());
        if self.space == 3 {
            say("Drag to turn the view.".into());
        }
        if let Some(until) = self.open_until() {
            say(format!(
                "The first {} of {} moments, to t = {}, are all here; of the rest one in {}.",
                self.decimator.opening(),
                self.decimator.offered(),
                short(until, 6),
                self.decimator.stride()
            ));
        }
        match (self.marks.len(), self.marks.decimator().offered()) {
            (0, _) => {}
            (shown, all) if shown as u64 == all => say("Impacts flash where they happen.".into()),
            (shown, all) => say(format!("Of {all} impacts {shown} flash where they happen.")),
        }
        if self.refused > 0 {
            say(format!("{} moments with values that are not finite are left out.", self.refused));
        }
        caption
    }

    fn to_html(&self) -> String {
        let packed = pack::Packed::of(self);
        let names = self.names();
        let what: Vec<&str> = names.iter().map(|(name, _)| *name).take(NAMED).collect();
        let of = if what.is_empty() { String::new() } else { format!(" of {}", what.join(", ")) };
        let turn = if self.space == 3 { ", shift and arrow keys turn the view" } else { "" };
        let label = format!("Animation{of}. Space plays and pauses, arrow keys step by frames{turn}.");
        let mut html = String::with_capacity(packed.data.len() + 64 * 1024);
        let _ = write!(
            html,
            "{OPENING}<canvas tabindex=\"0\" role=\"img\" aria-label=\"{}\"></canvas><div class=\"film-bar\">\
             <button type=\"button\">Play</button><input type=\"range\" min=\"0\" max=\"10000\" step=\"1\" \
             value=\"0\" aria-label=\"Time\"/><output></output>",
            escape(&label)
        );
        html.push_str("<label>speed <select class=\"film-speed\">");
        for factor in [0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0] {
            let chosen = if factor == 1.0 { " selected=\"\"" } else { "" };
            let speed = short(factor * packed.speed, 3);
            let _ = write!(html, "<option value=\"{speed}\"{chosen}>×{speed}</option>");
        }
        html.push_str("</select></label>");
        if self.open_until().is_some() {
            html.push_str(
                "<label>show <select class=\"film-range\"><option value=\"open\">the opening</option>\
                 <option value=\"all\">the whole run</option></select></label>",
            );
        }
        let trail = if self.figures.len() <= NAMED { " checked=\"\"" } else { "" };
        let _ = write!(html, "<label><input type=\"checkbox\"{trail}/> trails</label></div>");
        if !names.is_empty() && names.len() <= NAMED {
            html.push_str("<p class=\"film-key\">");
            for (name, colour) in &names {
                let _ = write!(html, "<span style=\"--k:var(--c{colour})\">{}</span> ", escape(name));
            }
            html.push_str("</p>");
        }
        let _ = write!(
            html,
            "<noscript>{}</noscript><script type=\"application/json\">{}</script><script>{PLAYER}</script></div>",
            still::svg(self, &packed, &label),
            packed.to_json(self)
        );
        html
    }

    /// The different names, in order, and their colours.
    fn names(&self) -> Vec<(&str, usize)> {
        let mut known = HashSet::new();
        let all = self.figures.iter().map(|f| f.name.as_str()).zip(self.colours());
        let named = all.filter_map(|(name, colour)| Some((name, colour?)));
        named.filter(|(name, _)| !name.is_empty() && known.insert(*name)).collect()
    }

    /// The colour of each figure; figures of one name share it. Lines without a name have that of ink.
    fn colours(&self) -> Vec<Option<usize>> {
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut next = 0;
        let mut fresh = || {
            next += 1;
            (next - 1) % COLOURS
        };
        let mut colours = Vec::with_capacity(self.figures.len());
        for figure in &self.figures {
            colours.push(match figure.name.as_str() {
                "" if figure.outline == Outline::Segment => None,
                "" => Some(fresh()),
                name => Some(*known.entry(name).or_insert_with(&mut fresh)),
            });
        }
        colours
    }
}

/// Whether a part of the page is a film.
pub(super) fn is_film(section: &Section) -> bool {
    section.plots.iter().any(|(html, _)| html.starts_with(OPENING))
}

#[cfg(test)]
mod tests;
