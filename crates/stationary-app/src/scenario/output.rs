//! What every kind of run writes: checkpoints and the form of the series.

use super::constants::Constants;
use super::tree::{self, Node, Table, Value};
use stationary::error::{Diagnostic, near_miss};
use stationary_report::frames::FrameFormat;

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

impl Default for Output {
    fn default() -> Self {
        Output { checkpoint: 60.0, csv: true, parquet: false }
    }
}

impl Output {
    /// Takes its keys out of the table `output`.
    pub(super) fn take(table: &mut Table, constants: &Constants) -> Result<Output, Diagnostic> {
        let mut output = Output::default();
        if let Some(node) = tree::take(table, "checkpoint") {
            output.checkpoint = constants.number("checkpoint", &node)?;
            if output.checkpoint < 0.0 {
                let message =
                    format!("`checkpoint` must be zero or more seconds, found {}", output.checkpoint);
                return Err(node.place.error(message));
            }
        }
        if let Some(node) = tree::take(table, "series") {
            (output.csv, output.parquet) = (false, false);
            let all = match node {
                Node { value: Value::List(list), place } if list.is_empty() => {
                    return Err(place.error("`series` is empty").help(SERIES));
                }
                Node { value: Value::List(list), .. } => list,
                one => vec![one],
            };
            for node in all {
                match word("series", node, &["csv", "parquet"], SERIES)? {
                    "csv" => output.csv = true,
                    _ => output.parquet = true,
                }
            }
        }
        Ok(output)
    }
}

const SERIES: &str = "expected \"csv\", \"parquet\" or both in a list";

/// Takes the form of the frames out of the table `output`.
pub(super) fn take_frame_format(table: &mut Table) -> Result<FrameFormat, Diagnostic> {
    let Some(node) = tree::take(table, "frame_format") else { return Ok(FrameFormat::default()) };
    let help = "expected \"vtu\" or \"xdmf\"";
    Ok(match word("frame_format", node, &["vtu", "xdmf"], help)? {
        "vtu" => FrameFormat::Vtu,
        _ => FrameFormat::Xdmf,
    })
}

/// One of some words.
fn word(key: &str, node: Node, words: &[&'static str], help: &str) -> Result<&'static str, Diagnostic> {
    let text = node.text(key, help.trim_start_matches("expected "))?;
    let found = words.iter().find(|w| **w == text.text);
    found.copied().ok_or_else(|| {
        let near = near_miss(&text.text, words.iter().copied());
        let near = near.map_or(String::new(), |n| format!("did you mean `{n}`? "));
        text.place.error(format!("`{key}` cannot be `{}`", text.text)).help(format!("{near}{help}"))
    })
}
