//! Scientific plots as small SVG files.
//!
//! A plot is self-contained and draws dark ink on white; every element also carries a class (`sp-…`), so that a
//! page can recolour it, as [`super::html`] does in dark mode. Long series are thinned to what the eye can see.
//!
//! ```
//! use stationary_report::plot::Plot;
//! let t: Vec<f64> = (0..1000).map(|i| 0.01 * i as f64).collect();
//! let x: Vec<f64> = t.iter().map(|t| t.cos()).collect();
//! let svg = Plot::new("oscillator").x_label("time").y_label("x").line("exact", &t, &x).to_svg(480, 320);
//! assert!(svg.starts_with("<svg"));
//! ```

mod axis;
mod data;
mod heat;
mod svg;
mod thin;

pub use heat::HeatMap;

/// How a series is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Line,
    Dashed,
    Points,
    /// A reference value across the whole width; `y` holds it, `x` is empty.
    Horizontal,
    /// Places on the x axis; `x` holds them, `y` is empty.
    Marks,
}

#[derive(Clone, Debug)]
struct Series {
    name: String,
    style: Style,
    /// Number of the colour; references have none.
    colour: Option<usize>,
    x: Vec<f64>,
    y: Vec<f64>,
}

/// A plot in the making: labels, axes, then series in drawing order.
///
/// Series of the same name share a colour and a legend entry, so that a line and its points belong together.
/// Non-finite values are gaps. What an axis cannot show (zero or negative values on a log axis, infinities) is
/// left out and counted in a note below the plot.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    title: String,
    x_label: String,
    y_label: String,
    log_x: bool,
    log_y: bool,
    equal_aspect: bool,
    series: Vec<Series>,
    notes: Vec<String>,
}

impl Plot {
    /// An empty plot. An empty title takes no room.
    pub fn new(title: impl Into<String>) -> Plot {
        Plot { title: title.into(), ..Plot::default() }
    }

    /// What runs along the bottom, with its unit.
    pub fn x_label(mut self, label: impl Into<String>) -> Plot {
        self.x_label = label.into();
        self
    }

    /// What runs up the side, with its unit.
    pub fn y_label(mut self, label: impl Into<String>) -> Plot {
        self.y_label = label.into();
        self
    }

    /// Makes the x axis logarithmic.
    pub fn log_x(mut self) -> Plot {
        self.log_x = true;
        self
    }

    /// Makes the y axis logarithmic.
    pub fn log_y(mut self) -> Plot {
        self.log_y = true;
        self
    }

    /// Gives one unit the same length on both axes, so that circles are round. Without effect when only one of
    /// the axes is logarithmic.
    pub fn equal_aspect(mut self) -> Plot {
        self.equal_aspect = true;
        self
    }

    /// A line through the points in their order.
    pub fn line(self, name: impl Into<String>, x: &[f64], y: &[f64]) -> Plot {
        self.push(name.into(), Style::Line, x, y)
    }

    /// A dashed line, for a comparison or a slope.
    pub fn dashed_line(self, name: impl Into<String>, x: &[f64], y: &[f64]) -> Plot {
        self.push(name.into(), Style::Dashed, x, y)
    }

    /// Dots.
    pub fn points(self, name: impl Into<String>, x: &[f64], y: &[f64]) -> Plot {
        self.push(name.into(), Style::Points, x, y)
    }

    /// A grey reference line at height `y` across the whole width.
    pub fn horizontal(mut self, name: impl Into<String>, y: f64) -> Plot {
        let name = name.into();
        self.series.push(Series { name, style: Style::Horizontal, colour: None, x: Vec::new(), y: vec![y] });
        self
    }

    /// Marks places on the x axis, such as times of impacts: thin lines from bottom to top or, where there are many,
    /// ticks above the axis. They do not widen the axis: what lies beyond its ends is left out.
    pub fn marks(mut self, name: impl Into<String>, x: &[f64]) -> Plot {
        let name = name.into();
        self.series.push(Series { name, style: Style::Marks, colour: None, x: x.to_vec(), y: Vec::new() });
        self
    }

    /// A remark printed small below the plot.
    pub fn note(mut self, text: impl Into<String>) -> Plot {
        self.notes.push(text.into());
        self
    }

    /// The finished drawing, `width` by `height` pixels (kept within 200 to 4000; a plot with a long legend grows
    /// downwards rather than squeeze its data).
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        svg::draw(self, width, height, false)
    }

    /// The drawing for a page: it carries its numbers, and where its x axis is time `t`, how to find a moment on it.
    pub fn to_page(&self) -> String {
        let (width, height) = super::html::PLOT_SIZE;
        svg::draw(self, width, height, true)
    }

    fn push(mut self, name: String, style: Style, x: &[f64], y: &[f64]) -> Plot {
        if x.len() != y.len() {
            let shown = if name.is_empty() { "a series" } else { &name };
            let note = format!("{shown}: {} x for {} y; the excess is not drawn.", x.len(), y.len());
            self.notes.push(note);
        }
        let n = x.len().min(y.len());
        let same = self.series.iter().find(|s| !name.is_empty() && s.name == name).and_then(|s| s.colour);
        let next = self.series.iter().filter_map(|s| s.colour).max().map_or(0, |last| last + 1);
        let colour = Some(same.unwrap_or(next));
        self.series.push(Series { name, style, colour, x: x[..n].to_vec(), y: y[..n].to_vec() });
        self
    }

    /// The notes of the author, then what the axes had to leave out.
    fn all_notes(&self) -> Vec<String> {
        let (mut not_finite, mut not_positive) = (0usize, 0usize);
        let mut count = |v: f64, log: bool| {
            if !axis::drawable(v, false) {
                not_finite += 1;
            } else if log && v <= 0.0 {
                not_positive += 1;
            }
        };
        for s in &self.series {
            s.x.iter().for_each(|&x| count(x, self.log_x));
            s.y.iter().for_each(|&y| count(y, self.log_y));
        }
        let mut notes = self.notes.clone();
        for (n, what) in
            [(not_positive, "zero or negative: no place on a log axis"), (not_finite, "not finite")]
        {
            if n > 0 {
                let plural = if n == 1 { "" } else { "s" };
                notes.push(format!("{n} value{plural} not drawn ({what})."));
            }
        }
        notes
    }
}

#[cfg(test)]
mod tests;
