//! Layout of a plot and its SVG text.

use std::fmt::Write;

use super::super::escape;
use super::axis::{Axis, Range};
use super::thin::{self, Thinned, Vertex};
use super::{Plot, Series, Style};

/// Okabe and Ito's colours, told apart by colour-blind readers too; yellow is left out (too pale on white).
const PALETTE: [&str; 7] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#4d4d4d"];
const INK: &str = "#24292f";
const MUTED: &str = "#6a737d";
const GRID: &str = "#e4e7eb";
const MARK: &str = "#e0a38c";

/// Marks that are drawn from bottom to top; more are ticks.
const FEW_MARKS: usize = 60;

const LEGEND_ROW: f64 = 18.0;
pub(super) const NOTE_ROW: f64 = 15.0;
/// More entries than this are counted, not listed.
const LEGEND_ENTRIES: usize = 14;

/// The boxes of a plot, in pixels.
pub(super) struct Layout {
    pub width: f64,
    pub height: f64,
    pub left: f64,
    pub right: f64,
    pub top: f64,
    pub bottom: f64,
}

/// One line of the legend, placed.
struct Entry<'a> {
    text: String,
    marks: Vec<&'a Series>,
    x: f64,
    row: usize,
}

/// Draws the whole plot; for a page with its numbers.
pub(super) fn draw(plot: &Plot, width: u32, height: u32, page: bool) -> String {
    let (width, height) = (f64::from(width.clamp(200, 4000)), f64::from(height.clamp(160, 4000)));
    let notes = wrap(&plot.all_notes(), (width - 24.0) / 5.8);
    let legend = legend(plot, width);
    let rows = legend.last().map_or(0, |entry| entry.row + 1) as f64;
    let below = rows * LEGEND_ROW + notes.len() as f64 * NOTE_ROW;

    let mut layout = Layout { width, height, left: 56.0, right: width - 14.0, top: 0.0, bottom: 0.0 };
    layout.top = if plot.title.is_empty() { 10.0 } else { 34.0 };
    layout.bottom = height - below - 48.0;
    let (x_range, y_range) = ranges(plot);
    // The labels decide the left margin, the margin decides the aspect and with it the labels: two rounds settle.
    let mut axes = axes(plot, x_range, y_range, &layout);
    for _ in 0..2 {
        let widest = axes.1.ticks.iter().map(|t| text_width(&t.label, 11.0)).fold(0.0, f64::max);
        layout.left = widest + if plot.y_label.is_empty() { 16.0 } else { 34.0 };
        if layout.top < 50.0 && !axes.1.remark.is_empty() {
            layout.top += 16.0;
        }
        let bare = plot.x_label.is_empty() && axes.0.remark.is_empty();
        layout.bottom = layout.height - below - if bare { 30.0 } else { 48.0 };
        let growth = (layout.top + 90.0 - layout.bottom).max(0.0);
        layout.bottom += growth;
        layout.height += growth;
        axes = self::axes(plot, x_range, y_range, &layout);
    }

    let mut svg = String::with_capacity(16 * 1024);
    open(&mut svg, &plot.title, &layout);
    frame(&mut svg, plot, &layout, &axes.0, &axes.1);
    // Marks lie below the curves.
    let (marks, curves): (Vec<_>, Vec<_>) = plot.series.iter().partition(|s| s.style == Style::Marks);
    for series in marks.into_iter().chain(curves) {
        ink(&mut svg, series, &layout, &axes.0, &axes.1);
    }
    if !plot.series.iter().any(|s| s.x.iter().zip(&s.y).any(|(&x, &y)| shown(&axes, x, y))) {
        let (x, y) = (0.5 * (layout.left + layout.right), 0.5 * (layout.top + layout.bottom));
        text(&mut svg, "sp-muted", (x, y), "middle", 12, "no data");
    }
    let y = layout.height - below - 4.0;
    legend_rows(&mut svg, &legend, y);
    for (i, note) in notes.iter().enumerate() {
        let y = y + rows * LEGEND_ROW + i as f64 * NOTE_ROW + 10.0;
        text(&mut svg, "sp-muted", (12.0, y), "start", 11, note);
    }
    svg.push_str("</g>");
    if page {
        if plot.x_label == "t" && !plot.log_x {
            let [first, last] = axes.0.ends();
            let Layout { left, right, top, bottom, .. } = layout;
            let time = format!(" data-time=\"{left:.1} {right:.1} {top:.1} {bottom:.1} {first:?} {last:?}\"");
            svg.insert_str("<svg".len(), &time);
        }
        svg.push_str(&super::data::metadata(plot));
    }
    svg.push_str("</svg>");
    svg
}

fn shown(axes: &(Axis, Axis), x: f64, y: f64) -> bool {
    axes.0.pixel(x).is_finite() && axes.1.pixel(y).is_finite()
}

/// What both axes must show; a point counts only when it can be drawn on both.
fn ranges(plot: &Plot) -> (Range, Range) {
    let on_both =
        |x: f64, y: f64| super::axis::drawable(x, plot.log_x) && super::axis::drawable(y, plot.log_y);
    let pairs = || {
        let all = plot.series.iter().flat_map(|s| s.x.iter().copied().zip(s.y.iter().copied()));
        all.filter(|&(x, y)| on_both(x, y))
    };
    let levels =
        plot.series.iter().filter(|s| s.style == Style::Horizontal).flat_map(|s| s.y.iter().copied());
    (Range::of(pairs().map(|p| p.0), plot.log_x), Range::of(pairs().map(|p| p.1).chain(levels), plot.log_y))
}

fn axes(plot: &Plot, mut x: Range, mut y: Range, layout: &Layout) -> (Axis, Axis) {
    let (wide, high) = (layout.right - layout.left, layout.bottom - layout.top);
    if plot.equal_aspect && plot.log_x == plot.log_y {
        let unit = ((x.hi - x.lo) / wide).max((y.hi - y.lo) / high);
        x.widen(unit * wide);
        y.widen(unit * high);
    }
    (
        Axis::new(x, layout.left, layout.right, (wide / 70.0) as usize),
        Axis::new(y, layout.bottom, layout.top, (high / 38.0) as usize),
    )
}

/// Begins a drawing; the title is its name for those who cannot see it.
pub(super) fn open(svg: &mut String, title: &str, layout: &Layout) {
    let (w, h) = (layout.width, layout.height);
    let name = if title.is_empty() { "plot" } else { title };
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"sp\" role=\"img\" aria-label=\"{}\" width=\"{w}\" \
         height=\"{h:.0}\" viewBox=\"0 0 {w} {h:.0}\" font-family=\"system-ui, 'Segoe UI', 'DejaVu Sans', \
         sans-serif\"><rect class=\"sp-back\" width=\"{w}\" height=\"{h:.0}\" fill=\"#ffffff\"/>",
        escape(name)
    );
    svg.push_str("<g fill=\"none\" stroke-linecap=\"round\" stroke-linejoin=\"round\">");
}

/// Grid, axes, tick labels, title and axis labels.
fn frame(svg: &mut String, plot: &Plot, layout: &Layout, x: &Axis, y: &Axis) {
    let Layout { left, right, top, bottom, .. } = *layout;
    let (mut grid, mut zero, mut marks) = (String::new(), String::new(), String::new());
    for tick in &x.ticks {
        let at = x.place(tick.at);
        let _ = write!(marks, "M{at:.1} {bottom:.1}v{}", if tick.label.is_empty() { 3 } else { 5 });
        if !tick.label.is_empty() {
            let _ = write!(grid, "M{at:.1} {top:.1}V{bottom:.1}");
        }
    }
    for tick in &y.ticks {
        let at = y.place(tick.at);
        let _ = write!(marks, "M{left:.1} {at:.1}h{}", if tick.label.is_empty() { -3 } else { -5 });
        if !tick.label.is_empty() {
            let is_zero = !plot.log_y && y.is_zero(tick);
            let line = if is_zero { &mut zero } else { &mut grid };
            let _ = write!(line, "M{left:.1} {at:.1}H{right:.1}");
        }
    }
    let _ = write!(
        svg,
        "<path class=\"sp-grid\" stroke=\"{GRID}\" d=\"{grid}\"/><path class=\"sp-zero\" stroke=\"#c3c8ce\" \
         d=\"{zero}\"/><path class=\"sp-axis\" stroke=\"{MUTED}\" stroke-linecap=\"butt\" \
         d=\"M{left:.1} {top:.1}V{bottom:.1}H{right:.1}{marks}\"/>"
    );
    labels(svg, plot, layout, x, y);
}

fn labels(svg: &mut String, plot: &Plot, layout: &Layout, x: &Axis, y: &Axis) {
    let Layout { width, left, right, top, bottom, .. } = *layout;
    let mut free_from = f64::NEG_INFINITY;
    for tick in &x.ticks {
        let (at, half) = (x.place(tick.at), 0.5 * text_width(&tick.label, 11.0));
        if !tick.label.is_empty() && at - half > free_from {
            text(svg, "sp-text", (at.min(width - half - 1.0), bottom + 18.0), "middle", 11, &tick.label);
            free_from = at + half + 4.0;
        }
    }
    for tick in y.ticks.iter().filter(|t| !t.label.is_empty()) {
        text(svg, "sp-text", (left - 8.0, y.place(tick.at) + 4.0), "end", 11, &tick.label);
    }
    text(svg, "sp-text", (left - 4.0, top - 8.0), "start", 11, &y.remark);
    text(svg, "sp-text", (right, bottom + 36.0), "end", 11, &x.remark);
    let room = right - left - 2.0 * text_width(&x.remark, 11.0);
    titles(svg, layout, [&plot.title, &clip(&plot.x_label, room / 6.8), &plot.y_label]);
}

/// The title and the labels of both axes.
pub(super) fn titles(svg: &mut String, layout: &Layout, [title, x_label, y_label]: [&str; 3]) {
    let Layout { width, left, right, top, bottom, .. } = *layout;
    text(svg, "sp-text", (0.5 * (left + right), bottom + 36.0), "middle", 12, x_label);
    let title = clip(title, (width - 24.0) / 7.6);
    text(svg, "sp-text sp-title", (12.0, 21.0), "start", 14, &title);
    let label = clip(y_label, (bottom - top + 30.0) / 6.6);
    if !label.is_empty() {
        let _ = write!(
            svg,
            "<text class=\"sp-text\" fill=\"{INK}\" font-size=\"12\" text-anchor=\"middle\" \
             transform=\"translate(16 {:.1}) rotate(-90)\">{}</text>",
            0.5 * (top + bottom),
            escape(&label)
        );
    }
}

/// One series inside the box.
fn ink(svg: &mut String, series: &Series, layout: &Layout, x: &Axis, y: &Axis) {
    if series.style == Style::Marks {
        return marks(svg, series, layout, x);
    }
    if series.style == Style::Horizontal {
        let at = y.pixel(series.y[0]);
        if at.is_finite() {
            stroke(svg, series, &format!("M{:.1} {at:.1}H{:.1}", layout.left, layout.right));
        }
        return;
    }
    let pixels: Vec<_> = series.x.iter().zip(&series.y).map(|(&a, &b)| (x.pixel(a), y.pixel(b))).collect();
    if series.style == Style::Points {
        let dots = thin::points(&pixels);
        return dotted(svg, series, &dots);
    }
    let Thinned { strokes, rows } = thin::line(&pixels);
    if let Some(height) = rows {
        let (class, colour) = colour(series);
        let rows: String = strokes.iter().map(|s| row(s)).collect();
        let _ = write!(
            svg,
            "<path class=\"{class}\" stroke=\"{colour}\" stroke-width=\"{:.1}\" d=\"{rows}\"/>",
            1.2 * height
        );
        return;
    }
    let lone: Vec<Vertex> = strokes.iter().filter(|s| s.len() == 1).map(|s| s[0]).collect();
    let path: String = strokes.iter().filter(|s| s.len() > 1).map(|s| path(s)).collect();
    if !path.is_empty() {
        stroke(svg, series, &path);
    }
    // A line of one point has no length; its place is still worth a dot.
    dotted(svg, series, &lone);
}

/// Marks on the x axis, no two of them on one pixel.
fn marks(svg: &mut String, series: &Series, layout: &Layout, x: &Axis) {
    let inside = |at: &f64| *at >= layout.left && *at <= layout.right;
    let mut places: Vec<i32> =
        series.x.iter().map(|v| x.pixel(*v)).filter(inside).map(|at| at as i32).collect();
    places.sort_unstable();
    places.dedup();
    // Lines so near to each other would hide the curve.
    let top = if places.len() > FEW_MARKS { layout.bottom - 9.0 } else { layout.top };
    let path: String = places.iter().map(|at| format!("M{at} {:.1}V{top:.1}", layout.bottom)).collect();
    if !path.is_empty() {
        stroke(svg, series, &path);
    }
}

fn colour(series: &Series) -> (String, &'static str) {
    match series.colour {
        None if series.style == Style::Marks => ("sp-mark".into(), MARK),
        None => ("sp-ref".into(), MUTED),
        Some(n) => (format!("sp-s{}", n % PALETTE.len()), PALETTE[n % PALETTE.len()]),
    }
}

fn stroke(svg: &mut String, series: &Series, path: &str) {
    let (class, colour) = colour(series);
    let cycle = series.colour.unwrap_or(0) / PALETTE.len();
    let dash = match (series.style, cycle) {
        (Style::Dashed, _) => " stroke-dasharray=\"7 5\"",
        (Style::Horizontal, _) => " stroke-dasharray=\"1 4\"",
        (_, 0) => "",
        (_, 1) => " stroke-dasharray=\"12 3\"",
        _ => " stroke-dasharray=\"3 3\"",
    };
    let width = if series.style == Style::Marks { 1.0 } else { 1.5 };
    let _ = write!(
        svg,
        "<path class=\"{class}\" stroke=\"{colour}\" stroke-width=\"{width}\"{dash} d=\"{path}\"/>"
    );
}

/// Dots are strokes of no length with round caps: one path holds them all.
fn dotted(svg: &mut String, series: &Series, dots: &[Vertex]) {
    if dots.is_empty() {
        return;
    }
    let size = if dots.len() > 300 { 2.0 } else { 5.5 };
    let (class, colour) = colour(series);
    let _ = write!(svg, "<path class=\"{class}\" stroke=\"{colour}\" stroke-width=\"{size}\" d=\"");
    for dot in dots {
        svg.push('M');
        pair(svg, *dot);
        svg.push_str("h0");
    }
    svg.push_str("\"/>");
}

/// Relative steps: shorter than absolute places, and exact because they are whole tenths.
fn path(vertices: &[Vertex]) -> String {
    let mut text = String::from("M");
    pair(&mut text, vertices[0]);
    let mut here = vertices[0];
    for (i, next) in vertices.iter().enumerate().skip(1) {
        let step = (next.0 - here.0, next.1 - here.1);
        if i == 1 {
            text.push('l');
        } else if step.0 >= 0 {
            text.push(' ');
        }
        pair(&mut text, step);
        here = *next;
    }
    text
}

/// A level stroke, possibly of no length.
fn row(vertices: &[Vertex]) -> String {
    let mut text = String::from("M");
    pair(&mut text, vertices[0]);
    text.push('h');
    tenths(&mut text, vertices[vertices.len() - 1].0 - vertices[0].0);
    text
}

fn pair(text: &mut String, v: Vertex) {
    tenths(text, v.0);
    if v.1 >= 0 {
        text.push(' ');
    }
    tenths(text, v.1);
}

fn tenths(text: &mut String, v: i32) {
    let sign = if v < 0 { "-" } else { "" };
    let (whole, part) = (v.unsigned_abs() / 10, v.unsigned_abs() % 10);
    let _ = match (whole, part) {
        (_, 0) => write!(text, "{sign}{whole}"),
        (0, _) => write!(text, "{sign}.{part}"),
        _ => write!(text, "{sign}{whole}.{part}"),
    };
}

/// Entries in order of first appearance, flowing in rows.
fn legend(plot: &Plot, width: f64) -> Vec<Entry<'_>> {
    let mut entries: Vec<Entry> = Vec::new();
    for series in plot.series.iter().filter(|s| !s.name.is_empty()) {
        match entries.iter_mut().find(|e| e.marks[0].name == series.name) {
            Some(entry) => entry.marks.push(series),
            None => {
                let text = clip(&series.name, (width - 60.0) / 6.6);
                entries.push(Entry { text, marks: vec![series], x: 0.0, row: 0 });
            }
        }
    }
    // A single series that says what the axis already says needs no key.
    if entries.len() == 1 && entries[0].text == plot.y_label {
        entries.clear();
    }
    let hidden = entries.len().saturating_sub(LEGEND_ENTRIES);
    if hidden > 0 {
        entries.truncate(LEGEND_ENTRIES);
        entries.push(Entry { text: format!("and {hidden} more"), marks: Vec::new(), x: 0.0, row: 0 });
    }
    let (mut x, mut row) = (12.0, 0);
    for entry in &mut entries {
        let wide = 30.0 + text_width(&entry.text, 12.0);
        if x > 12.0 && x + wide > width - 8.0 {
            (x, row) = (12.0, row + 1);
        }
        (entry.x, entry.row) = (x, row);
        x += wide + 16.0;
    }
    entries
}

fn legend_rows(svg: &mut String, legend: &[Entry], top: f64) {
    for entry in legend {
        let y = top + LEGEND_ROW * entry.row as f64 + 8.0;
        for series in &entry.marks {
            if series.style == Style::Points {
                let middle = (((entry.x + 11.0) * 10.0) as i32, (y * 10.0) as i32);
                dotted(svg, series, &[middle]);
            } else if series.style == Style::Marks {
                stroke(svg, series, &format!("M{:.1} {:.1}v12", entry.x + 11.0, y - 6.0));
            } else {
                stroke(svg, series, &format!("M{:.1} {y:.1}h22", entry.x));
            }
        }
        text(svg, "sp-text", (entry.x + 29.0, y + 4.0), "start", 12, &entry.text);
    }
}

pub(super) fn text(svg: &mut String, class: &str, at: (f64, f64), anchor: &str, size: u32, content: &str) {
    if content.is_empty() {
        return;
    }
    let fill = if class == "sp-muted" { MUTED } else { INK };
    let weight = if class.contains("sp-title") { " font-weight=\"600\"" } else { "" };
    let _ = write!(
        svg,
        "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\"{weight} \
         fill=\"{fill}\">{}</text>",
        at.0,
        at.1,
        escape(content)
    );
}

/// An estimate that holds for the usual sans-serif faces.
pub(super) fn text_width(text: &str, size: f64) -> f64 {
    let em = |c: char| match c {
        '⁰'..='⁹' | '⁻' | '¹' | '²' | '³' => 0.42,
        '.' | ',' | ' ' | 'i' | 'l' | '|' | '(' | ')' => 0.34,
        'm' | 'w' | 'M' | 'W' => 0.9,
        c if c.is_ascii_uppercase() => 0.7,
        _ => 0.6,
    };
    size * text.chars().map(em).sum::<f64>()
}

/// At most `room` characters, the last an ellipsis when something is cut; line breaks become spaces.
pub(super) fn clip(text: &str, room: f64) -> String {
    let room = room.max(8.0) as usize;
    let flat: String = text.chars().take(room + 1).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if flat.chars().count() <= room { flat } else { flat.chars().take(room - 1).chain(['…']).collect() }
}

/// Notes broken into lines of at most `room` characters.
pub(super) fn wrap(notes: &[String], room: f64) -> Vec<String> {
    let mut lines = Vec::new();
    for note in notes {
        let mut line = String::new();
        for word in note.split_whitespace() {
            if !line.is_empty() && (line.chars().count() + word.chars().count()) as f64 >= room {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(&clip(word, room));
        }
        if !line.is_empty() {
            lines.push(line);
        }
    }
    lines
}
