//! Heat maps: a number for each pair of values of two quantities, as colour.

use std::fmt::Write;

use super::svg::{self, Layout, NOTE_ROW, clip, text, text_width};

/// A heat map in the making. Columns and rows are equally wide whatever their labels say.
///
/// ```
/// use stationary_report::plot::HeatMap;
/// let labels = |n: u32| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
/// let map = HeatMap {
///     title: "product".into(),
///     x: ("a".into(), labels(3)),
///     y: ("b".into(), labels(2)),
///     values: vec![0.0, 0.0, 0.0, 0.0, 1.0, f64::NAN],
///     log: false,
///     notes: Vec::new(),
/// };
/// assert!(map.to_svg(480, 330).starts_with("<svg"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct HeatMap {
    /// The title.
    pub title: String,
    /// What runs along the bottom, and the label of each column.
    pub x: (String, Vec<String>),
    /// What runs up the side, and the label of each row, lowest first.
    pub y: (String, Vec<String>),
    /// The values, row by row from the lowest; those that are not finite are grey.
    pub values: Vec<f64>,
    /// Whether colours follow the logarithm; values that have none are then grey.
    pub log: bool,
    /// Remarks printed small below the map.
    pub notes: Vec<String>,
}

/// From least to largest: light to dark, so that it reads without colour too.
const RAMP: [[f64; 3]; 5] = [
    [247.0, 242.0, 214.0],
    [170.0, 214.0, 168.0],
    [72.0, 168.0, 160.0],
    [42.0, 104.0, 152.0],
    [40.0, 34.0, 94.0],
];
const NONE: &str = "#c9ced4";

/// More columns or rows than this cannot be told apart.
const MOST: usize = 96;

impl HeatMap {
    /// The finished drawing.
    pub fn to_svg(&self, width: u32, height: u32) -> String {
        let (width, height) = (f64::from(width.clamp(200, 4000)), f64::from(height.clamp(160, 4000)));
        let cells = self.cells();
        let shown = |v: &&f64| v.is_finite();
        let least = cells.values.iter().filter(shown).copied().fold(f64::INFINITY, f64::min);
        let most = cells.values.iter().filter(shown).copied().fold(f64::NEG_INFINITY, f64::max);
        let notes = svg::wrap(&self.all_notes(&cells), (width - 24.0) / 5.8);
        let widest = self.y.1.iter().map(|label| text_width(label, 11.0)).fold(0.0, f64::max);
        let layout = Layout {
            width,
            height,
            left: widest.min(0.3 * width) + 34.0,
            right: width - 88.0,
            top: if self.title.is_empty() { 10.0 } else { 34.0 },
            bottom: height - 48.0 - notes.len() as f64 * NOTE_ROW,
        };
        let mut svg = String::with_capacity(80 * cells.values.len() + 4096);
        svg::open(&mut svg, &self.title, &layout);
        svg.push_str("<g shape-rendering=\"crispEdges\">");
        let part = |v: f64| if most > least { (v - least) / (most - least) } else { 0.5 };
        let (wide, high) = (layout.right - layout.left, layout.bottom - layout.top);
        let (w, h) = (wide / cells.columns as f64, high / cells.rows as f64);
        for (k, v) in cells.values.iter().enumerate() {
            let (row, column) = (k / cells.columns, k % cells.columns);
            let colour = if v.is_finite() { ramp(part(*v)) } else { NONE.to_string() };
            // A little over the next column and row, which are drawn later: rounded edges would leave seams.
            let (x, y) = (layout.left + column as f64 * w, layout.bottom - row as f64 * h);
            let (right, top) = ((x + w + 0.7).min(layout.right), (y - h - 0.7).max(layout.top));
            rectangle(&mut svg, (x, top), (right - x, y - top), &colour);
        }
        self.bar(&mut svg, &layout, (least, most));
        svg.push_str("</g>");
        self.labels(&mut svg, &layout);
        for (i, note) in notes.iter().enumerate() {
            let y = height - (notes.len() - i) as f64 * NOTE_ROW + 8.0;
            text(&mut svg, "sp-muted", (12.0, y), "start", 11, note);
        }
        svg.push_str("</g></svg>");
        svg
    }

    /// What is drawn: the values, or their logarithms; of blocks where there are too many, the largest.
    fn cells(&self) -> Cells {
        let (wide, high) = (self.x.1.len().max(1), self.y.1.len().max(1));
        let block = [wide.div_ceil(MOST), high.div_ceil(MOST)];
        let (columns, rows) = (wide.div_ceil(block[0]), high.div_ceil(block[1]));
        let mut values = vec![f64::NAN; columns * rows];
        for (k, v) in self.values.iter().enumerate().take(wide * high) {
            let v = if self.log { v.log10() } else { *v };
            let cell = &mut values[k / wide / block[1] * columns + k % wide / block[0]];
            // A block with a value shows it, whatever the others lack.
            if v.is_finite() && !(*cell >= v) {
                *cell = v;
            }
        }
        Cells { columns, rows, values, block }
    }

    fn all_notes(&self, cells: &Cells) -> Vec<String> {
        let mut notes = self.notes.clone();
        if cells.block != [1, 1] {
            notes.push(format!(
                "Each cell shows the largest of {} x {} values.",
                cells.block[0], cells.block[1]
            ));
        }
        if cells.values.iter().any(|v| !v.is_finite()) {
            notes.push("Grey: no value.".into());
        }
        notes
    }

    /// The colours and what they mean, to the right of the map.
    fn bar(&self, svg: &mut String, layout: &Layout, (least, most): (f64, f64)) {
        if !least.is_finite() {
            return;
        }
        let (left, high) = (layout.right + 14.0, layout.bottom - layout.top);
        let pieces = if most > least { 32 } else { 1 };
        for i in 0..pieces {
            let part = if pieces > 1 { i as f64 / (pieces - 1) as f64 } else { 0.5 };
            let step = high / pieces as f64;
            rectangle(svg, (left, layout.bottom - (i + 1) as f64 * step), (12.0, step), &ramp(part));
        }
        let ends = if most > least { &[0.0, 0.25, 0.5, 0.75, 1.0][..] } else { &[0.5] };
        for part in ends {
            let v = least + part * (most - least);
            let label = short(if self.log { 10_f64.powf(v) } else { v });
            let y = layout.bottom - if most > least { part * high } else { 0.5 * high };
            text(svg, "sp-text", (left + 17.0, y + 4.0), "start", 11, &label);
        }
    }

    /// As many labels as there is room for.
    fn labels(&self, svg: &mut String, layout: &Layout) {
        let Layout { left, right, top, bottom, .. } = *layout;
        let (x, y) = (&self.x.1, &self.y.1);
        let (w, h) = ((right - left) / x.len().max(1) as f64, (bottom - top) / y.len().max(1) as f64);
        let widest =
            x.iter().map(|label| text_width(label, 11.0)).fold(0.0, f64::max).min(0.3 * layout.width);
        for (i, label) in x.iter().enumerate().step_by(((widest + 8.0) / w).ceil().max(1.0) as usize) {
            let at = (left + (i as f64 + 0.5) * w, bottom + 16.0);
            text(svg, "sp-text", at, "middle", 11, &clip(label, 0.3 * layout.width / 6.6));
        }
        for (i, label) in y.iter().enumerate().step_by((14.0 / h).ceil().max(1.0) as usize) {
            let at = (left - 7.0, bottom - (i as f64 + 0.5) * h + 4.0);
            text(svg, "sp-text", at, "end", 11, &clip(label, 0.3 * layout.width / 6.6));
        }
        svg::titles(svg, layout, [&self.title, &clip(&self.x.0, (right - left) / 6.8), &self.y.0]);
    }
}

struct Cells {
    columns: usize,
    rows: usize,
    values: Vec<f64>,
    /// Values to a cell, along and up.
    block: [usize; 2],
}

fn rectangle(svg: &mut String, (x, y): (f64, f64), (w, h): (f64, f64), colour: &str) {
    let _ =
        write!(svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.2}\" height=\"{h:.2}\" fill=\"{colour}\"/>");
}

fn ramp(part: f64) -> String {
    let at = part.clamp(0.0, 1.0) * (RAMP.len() - 1) as f64;
    let low = (at as usize).min(RAMP.len() - 2);
    let mix = |c: usize| (RAMP[low][c] + (RAMP[low + 1][c] - RAMP[low][c]) * (at - low as f64)).round() as u8;
    format!("#{:02x}{:02x}{:02x}", mix(0), mix(1), mix(2))
}

/// Three digits.
fn short(x: f64) -> String {
    if x == 0.0 || (1e-2..1e4).contains(&x.abs()) {
        let rounded: f64 = format!("{x:.2e}").parse().unwrap_or(x);
        format!("{rounded}")
    } else {
        format!("{x:.1e}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::check_well_formed;

    fn map(columns: usize, rows: usize, value: impl Fn(usize, usize) -> f64) -> HeatMap {
        let labels = |n: usize| (0..n).map(|i| i.to_string()).collect::<Vec<_>>();
        let values = (0..rows * columns).map(|k| value(k % columns, k / columns)).collect();
        HeatMap {
            title: "a < b".into(),
            x: ("x".into(), labels(columns)),
            y: ("y".into(), labels(rows)),
            values,
            ..HeatMap::default()
        }
    }

    #[test]
    fn the_least_is_light_the_largest_dark_and_what_is_missing_grey() {
        let mut map = map(3, 2, |x, y| if (x, y) == (2, 0) { f64::NAN } else { (x + 3 * y) as f64 });
        let svg = map.to_svg(480, 330);
        check_well_formed(&svg).unwrap();
        let fills: Vec<&str> =
            svg.split("fill=\"").skip(1).map(|s| &s[..7]).filter(|s| s.starts_with('#')).collect();
        // The background, then the cells from the lowest row.
        assert_eq!((fills[1], fills[3], fills[6]), ("#f7f2d6", NONE, "#28225e"));
        assert!(svg.contains("Grey: no value."));
        // On a logarithmic scale zero has no colour.
        map.log = true;
        let svg = map.to_svg(480, 330);
        assert_eq!(svg.matches(NONE).count(), 2);
    }

    #[test]
    fn large_maps_keep_their_peaks() {
        let peak = |x, y| if (x, y) == (701, 333) { 1.0 } else { 0.0 };
        let svg = map(1000, 500, peak).to_svg(480, 330);
        check_well_formed(&svg).unwrap();
        assert!(svg.len() < 1_000_000, "{}", svg.len());
        // Once in the map, once in the key.
        assert_eq!(svg.matches("#28225e").count(), 2);
        assert!(svg.contains("the largest of 11 x 6 values"));
    }

    #[test]
    fn maps_of_nothing_and_of_one_value_are_drawn() {
        for map in [HeatMap::default(), map(1, 1, |_, _| 7.0), map(2, 2, |_, _| f64::NAN)] {
            let svg = map.to_svg(480, 330);
            check_well_formed(&svg).unwrap();
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        }
    }
}
