//! The numbers of a plot inside its drawing, for whoever saves them.

use super::{Plot, Style};
use crate::encode::packed;
use crate::escape;
use serde_json::{Value, json};

/// The `<metadata>` of a drawing: JSON, with all numbers in 64 bits. Bytes of equal weight stand together, which compresses
/// better; a series with the x of an earlier one says so.
pub(super) fn metadata(plot: &Plot) -> String {
    let mut numbers: Vec<f64> = Vec::new();
    let mut series: Vec<Value> = Vec::new();
    let shown: Vec<_> = plot.series.iter().filter(|s| s.style != Style::Horizontal).collect();
    for (k, one) in shown.iter().enumerate() {
        let same = shown[..k].iter().position(|other| bits(&other.x).eq(bits(&one.x)));
        if same.is_none() {
            numbers.extend(&one.x);
        }
        numbers.extend(&one.y);
        series.push(json!({ "name": one.name, "same": same, "count": one.x.len(), "rising": one.y.len() }));
    }
    let planes: Vec<u8> =
        (0..8).flat_map(|byte| numbers.iter().map(move |x| x.to_le_bytes()[byte])).collect();
    let json = json!({
        "title": plot.title,
        "along": plot.x_label,
        "series": series,
        "data": packed(&planes),
    });
    format!("<metadata>{}</metadata>", escape(&json.to_string()))
}

fn bits(numbers: &[f64]) -> impl Iterator<Item = u64> {
    numbers.iter().map(|x| x.to_bits())
}
