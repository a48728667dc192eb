//! Points of a Poincare section: `sections.csv` as the run goes, and their plot.

use stationary::archive::{Archive, Persist};
use stationary::error::Error;
use stationary_report::Series;
use stationary_report::html::Section as Part;
use stationary_report::plot::Plot;

/// Points of a section that are drawn.
const DRAWN: usize = 20_000;

/// The points of a section that are drawn, and the number of all.
pub(super) struct Crossings {
    names: Vec<String>,
    shown: [Vec<f64>; 2],
    points: usize,
}

impl Persist for Crossings {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.shown).pass(&mut self.points);
    }
}

impl Crossings {
    /// Of a section with these columns.
    pub fn new(names: Vec<String>) -> Self {
        Crossings { names, shown: Default::default(), points: 0 }
    }

    /// Writes points into the table.
    pub fn push(&mut self, rows: Vec<Vec<f64>>, file: &mut Series) -> Result<(), Error> {
        for row in rows {
            file.push(&row)?;
            self.points += 1;
            if self.points <= DRAWN {
                let [x, y] = self.drawn_columns();
                self.shown[0].push(row[x]);
                self.shown[1].push(row[y]);
            }
        }
        Ok(())
    }

    /// A section of one column is drawn over time.
    fn drawn_columns(&self) -> [usize; 2] {
        if self.names.len() > 2 { [1, 2] } else { [0, 1] }
    }

    /// The part of the page.
    pub fn part(&self, when: &str) -> Part {
        let [x, y] = self.drawn_columns().map(|column| &self.names[column]);
        let plot = Plot::new("Poincare section").x_label(x).y_label(y);
        let plot = plot.points("crossings", &self.shown[0], &self.shown[1]);
        let more = if self.points > DRAWN {
            format!(" The first {DRAWN} of {}; all are in sections.csv.", self.points)
        } else {
            format!(" {} points.", self.points)
        };
        let caption = format!("Where {when} crosses zero upward.{more}");
        Part { heading: "Section".into(), text: String::new(), plots: vec![(plot.to_page(), caption)] }
    }
}
