//! What every kind of run writes: checkpoints and the form of the series.

use super::keys::shared::{OUTPUT_CHECKPOINT, OUTPUT_SERIES};
use super::section::Section;
use stationary::error::Diagnostic;

/// What a run writes, whatever moves in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Output {
    /// Seconds of wall time between checkpoints; 0 means as often as the run is looked at.
    pub checkpoint: f64,
    /// Whether the series is left as `series.csv`.
    pub csv: bool,
    /// Whether it is left as `series.parquet`.
    pub parquet: bool,
}

impl Output {
    /// Takes its keys out of the table `output`.
    pub(crate) fn read(table: &mut Section) -> Result<Output, Diagnostic> {
        let forms: Vec<&str> = table.get_row(&OUTPUT_SERIES)?;
        Ok(Output {
            checkpoint: table.get_row(&OUTPUT_CHECKPOINT)?,
            csv: forms.contains(&"csv"),
            parquet: forms.contains(&"parquet"),
        })
    }
}
