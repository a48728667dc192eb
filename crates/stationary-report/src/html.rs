//! The page that tells a run: facts, what was conserved, claims, plots, scenario.
//!
//! One file that needs no network, reads on a phone, in dark mode and on paper. Scripts are for what moves and for what
//! answers: pictures, the time that plots share with them, and the data of plots as a file. Without them the page still reads.
//!
//! ```
//! use stationary_report::html::{Page, Section};
//! use stationary_report::plot::Plot;
//!
//! let svg = Plot::new("orbit").equal_aspect().line("x, y", &[0.0, 1.0], &[1.0, 0.0]).to_svg(480, 330);
//! let page = Page {
//!     title: "kepler".into(),
//!     sections: vec![Section {
//!         heading: "Motion".into(),
//!         plots: vec![(svg, "Seen from above.".into())],
//!         ..Section::default()
//!     }],
//!     ..Page::default()
//! };
//! assert!(page.to_html().starts_with("<!DOCTYPE html>"));
//! ```

use std::fmt::Write;

use super::{escape, film, scene};

/// Width and height for [`super::plot::Plot::to_svg`] at which text stays readable on a phone.
pub const PLOT_SIZE: (u32, u32) = (480, 330);

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");
const FRAGMENT_STYLE: &str = include_str!("fragment.css");

/// Everything the page shows; parts left empty take no room.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// The name of the run.
    pub title: String,
    /// One line on what it is.
    pub subtitle: String,
    /// Short facts as name and value: integrator, step, end time, wall time.
    pub facts: Vec<(String, String)>,
    /// What should stay constant and how well it did.
    pub conservation: Vec<ConservationRow>,
    /// The claims of the scenario with their outcome.
    pub claims: Vec<ClaimRow>,
    /// What the reader must know before trusting the numbers.
    pub warnings: Vec<String>,
    /// The plots in groups.
    pub sections: Vec<Section>,
    /// Tables after them.
    pub tables: Vec<TextTable>,
    /// The scenario as it was run, to be folded away at the end.
    pub scenario_text: String,
}

/// One conserved quantity.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConservationRow {
    /// Its name.
    pub quantity: String,
    /// Its value at the start, formatted.
    pub initial: String,
    /// Its largest change over the run, in its own units, formatted.
    pub change: String,
    /// What that means, in words.
    pub verdict: String,
}

/// One claim of the scenario.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimRow {
    /// The claim as written.
    pub text: String,
    /// Whether it holds.
    pub outcome: bool,
    /// The measured value, formatted.
    pub measured: String,
}

/// A table of any content.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TextTable {
    /// The heading above it.
    pub heading: String,
    /// The heads of its columns.
    pub heads: Vec<String>,
    /// Rows of cells: class (`number`, `holds`, `fails` or none) and text.
    pub rows: Vec<Vec<(&'static str, String)>>,
}

/// A group of plots under one heading.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// The heading.
    pub heading: String,
    /// Prose; blank lines part paragraphs.
    pub text: String,
    /// Plots and their captions. The first of each pair is SVG from [`super::plot::Plot::to_page`], or a picture from
    /// [`super::film::Film::section`] or [`super::scene::Scene::section`], and the only text put into the page as it is; everything else is escaped.
    pub plots: Vec<(String, String)>,
}

impl Page {
    /// The page as one self-contained HTML file.
    pub fn to_html(&self) -> String {
        let drawings: usize = self.sections.iter().flat_map(|s| &s.plots).map(|p| p.0.len()).sum();
        let mut html = String::with_capacity(drawings + self.scenario_text.len() + 16 * 1024);
        let _ = write!(
            html,
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/><meta name=\"viewport\" \
             content=\"width=device-width, initial-scale=1\"/><title>{title}</title>\n<style>\n{STYLE}</style>",
            title = escape(&self.title)
        );
        // A page of still drawings that carry no data has nothing to answer with.
        let drawn = || self.sections.iter().flat_map(|s| &s.plots).map(|p| &p.0);
        let answers = drawn().any(|html| html.contains("<metadata>"));
        let (pictures, others): (Vec<&Section>, Vec<&Section>) =
            self.sections.iter().partition(|s| film::is_film(s) || scene::is_scene(s));
        if answers || !pictures.is_empty() {
            let _ = write!(html, "<script>\n{SCRIPT}</script>");
        }
        let _ = write!(html, "</head>\n<body><header><h1>{}</h1>", escape(&self.title));
        if !self.subtitle.is_empty() {
            let _ = write!(html, "<p class=\"subtitle\">{}</p>", escape(&self.subtitle));
        }
        html.push_str("</header>\n<main>");
        self.write_warnings(&mut html);
        self.write_words(&mut html);
        // What moves is seen before it is measured.
        pictures.iter().for_each(|section| section.write(&mut html));
        self.write_facts(&mut html);
        self.write_conservation(&mut html);
        self.write_claims(&mut html);
        others.iter().for_each(|section| section.write(&mut html));
        if answers {
            html.push_str("<p class=\"tools\"></p>\n");
        }
        for TextTable { heading, heads, rows } in &self.tables {
            let heads: Vec<&str> = heads.iter().map(String::as_str).collect();
            let cells = |row: &'_ Vec<(&'static str, String)>| row.clone();
            table(&mut html, heading, &heads, rows.iter().map(cells));
        }
        if !self.scenario_text.is_empty() {
            let text = escape(&self.scenario_text);
            let _ = writeln!(html, "<details><summary>Scenario</summary><pre>{text}</pre></details>");
        }
        html.push_str("</main></body></html>\n");
        html
    }

    /// The heart of it for a page of somebody else, a notebook's: what was conserved, claims, warnings, plots. It has no scripts,
    /// and its style reaches nothing else.
    pub fn to_fragment(&self) -> String {
        let title = escape(&self.title);
        let mut html =
            format!("<div class=\"stationary-run\"><style>\n{FRAGMENT_STYLE}</style><p><b>{title}</b></p>");
        self.write_warnings(&mut html);
        self.write_conservation(&mut html);
        self.write_claims(&mut html);
        let pictures = |s: &&Section| film::is_film(s) || scene::is_scene(s);
        for section in self.sections.iter().filter(|s| !pictures(s)) {
            let plots = section.plots.iter().map(|(svg, caption)| (without_data(svg), caption.clone()));
            Section { plots: plots.collect(), ..section.clone() }.write(&mut html);
        }
        html.push_str("</div>\n");
        html
    }

    fn write_facts(&self, html: &mut String) {
        if self.facts.is_empty() {
            return;
        }
        html.push_str("<dl>");
        for (name, value) in &self.facts {
            let _ = write!(html, "<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
        }
        html.push_str("</dl>\n");
    }

    fn write_warnings(&self, html: &mut String) {
        if self.warnings.is_empty() {
            return;
        }
        html.push_str("<ul class=\"warnings\">");
        for warning in &self.warnings {
            let _ = write!(html, "<li>{}</li>", escape(warning));
        }
        html.push_str("</ul>\n");
    }

    /// What was kept, and whether the claims hold, in a line each.
    fn write_words(&self, html: &mut String) {
        if self.conservation.is_empty() && self.claims.is_empty() {
            return;
        }
        html.push_str("<ul class=\"words\">");
        for row in &self.conservation {
            let _ = write!(html, "<li><b>{}</b> {}</li>", escape(&row.quantity), escape(&row.verdict));
        }
        let (all, failed) = (self.claims.len(), self.claims.iter().filter(|c| !c.outcome).count());
        let _ = match (all, failed) {
            (0, _) => Ok(()),
            (1, 0) => write!(html, "<li class=\"holds\">✓ the claim holds</li>"),
            (_, 0) => write!(html, "<li class=\"holds\">✓ all {all} claims hold</li>"),
            _ => write!(html, "<li class=\"fails\">✗ {failed} of {all} claims not met</li>"),
        };
        html.push_str("</ul>\n");
    }

    fn write_conservation(&self, html: &mut String) {
        let heads = ["quantity", "at the start", "largest change (absolute)", "over the run"];
        let rows = self.conservation.iter().map(|row| {
            [
                ("", row.quantity.as_str()),
                ("number", row.initial.as_str()),
                ("number", row.change.as_str()),
                ("", row.verdict.as_str()),
            ]
        });
        table(html, "What was conserved", &heads, rows);
    }

    fn write_claims(&self, html: &mut String) {
        let rows = self.claims.iter().map(|row| {
            let outcome = if row.outcome { ("holds", "✓ holds") } else { ("fails", "✗ fails") };
            [("", row.text.as_str()), outcome, ("number", row.measured.as_str())]
        });
        table(html, "Claims", &["claim", "outcome", "measured"], rows);
    }
}

/// A drawing without the numbers that it carries: nobody there answers with them.
fn without_data(svg: &str) -> String {
    match svg.split_once("<metadata>") {
        Some((before, rest)) => format!("{before}{}", rest.split_once("</metadata>").map_or("", |r| r.1)),
        None => svg.to_string(),
    }
}

/// A table of cells with their class, nothing at all when there are no rows. On a narrow screen the rows become
/// blocks, hence a label on every cell.
fn table<'a, T: AsRef<str>>(
    html: &mut String,
    heading: &str,
    heads: &[&str],
    rows: impl ExactSizeIterator<Item = impl IntoIterator<Item = (&'a str, T)>>,
) {
    if rows.len() == 0 {
        return;
    }
    let heading = escape(heading);
    let _ = write!(html, "<h2>{heading}</h2><div class=\"scroll\"><table><thead><tr>");
    for head in heads {
        let _ = write!(html, "<th>{}</th>", escape(head));
    }
    html.push_str("</tr></thead><tbody>");
    for row in rows {
        html.push_str("<tr>");
        for (head, (class, text)) in heads.iter().zip(row) {
            let (head, text) = (escape(head), escape(text.as_ref()));
            let _ = write!(html, "<td class=\"{class}\" data-label=\"{head}\">{text}</td>");
        }
        html.push_str("</tr>\n");
    }
    html.push_str("</tbody></table></div>\n");
}

impl Section {
    fn write(&self, html: &mut String) {
        html.push_str("<section>");
        if !self.heading.is_empty() {
            let _ = write!(html, "<h2>{}</h2>", escape(&self.heading));
        }
        for paragraph in self.text.split("\n\n").map(str::trim).filter(|p| !p.is_empty()) {
            let _ = write!(html, "<p>{}</p>", escape(paragraph));
        }
        if !self.plots.is_empty() {
            html.push_str("<div class=\"plots\">");
            for (svg, caption) in &self.plots {
                let _ = write!(html, "<figure>{svg}");
                if !caption.is_empty() {
                    let _ = write!(html, "<figcaption>{}</figcaption>", escape(caption));
                }
                html.push_str("</figure>\n");
            }
            html.push_str("</div>");
        }
        html.push_str("</section>\n");
    }
}

#[cfg(test)]
mod tests;
