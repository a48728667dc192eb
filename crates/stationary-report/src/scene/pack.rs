//! The numbers of a scene for its viewer, no finer than a picture can show.

use super::{Scene, SceneField};
use crate::encode::{base64, packed, rounded, short};
use miniz_oxide::deflate::compress_to_vec_zlib;
use serde_json::{Value, json};

/// Displacements are counted in this many parts of the largest difference among them at the moment.
const PARTS: f64 = 65_535.0;
/// Fields are counted in this many parts; one more code says that there is no value.
const SHADES: f64 = 254.0;
const NOTHING: u8 = 255;
/// Periods of a mode in a second of play.
const PERIODS: f64 = 0.5;

/// Packs a moment: ranges of the displacements along x, y, z and of each field, and the bytes.
///
/// Before they are compressed, the bytes are, for x, then y, then z, the upper bytes of all differences from node to node,
/// then the lower ones: neighbours differ little. Then a byte for each value of each field.
pub(super) fn frame(displacements: &[f64], fields: &[Vec<f64>]) -> (Vec<[f64; 2]>, Vec<u8>) {
    let nodes = displacements.len() / 3;
    let size = 6 * nodes + fields.iter().map(Vec::len).sum::<usize>();
    let (mut ranges, mut bytes) = (Vec::with_capacity(3 + fields.len()), Vec::with_capacity(size));
    for axis in 0..3 {
        let along = || displacements.iter().skip(axis).step_by(3).copied();
        let [lo, hi] = range(along());
        let unit = if hi > lo { PARTS / (hi - lo) } else { 0.0 };
        let codes = along().map(|u| ((u - lo) * unit).round() as u16);
        let differences: Vec<u16> =
            codes.scan(0, |last, code| Some(code.wrapping_sub(std::mem::replace(last, code)))).collect();
        bytes.extend(differences.iter().map(|d| (d >> 8) as u8));
        bytes.extend(differences.iter().map(|d| *d as u8));
        ranges.push([lo, hi]);
    }
    for values in fields {
        let (own, codes) = shades(values);
        ranges.push(own);
        bytes.extend(codes);
    }
    // A third of the time of the best, for a few hundredths more bytes.
    (ranges, compress_to_vec_zlib(&bytes, 4))
}

/// The range of some values and a byte for each.
fn shades(values: &[f64]) -> ([f64; 2], impl Iterator<Item = u8>) {
    let [lo, hi] = range(values.iter().copied());
    let unit = if hi > lo { SHADES / (hi - lo) } else { 0.0 };
    let code = move |x: &f64| match x.is_finite() {
        true => ((x.clamp(lo, hi) - lo) * unit).round() as u8,
        false => NOTHING,
    };
    ([lo, hi], values.iter().map(code))
}

/// The least and the largest of the values that are finite; zeros if none is. Kept within what 32 bits can hold.
fn range(values: impl Iterator<Item = f64>) -> [f64; 2] {
    let finite = values.filter(|x| x.is_finite()).map(|x| x.clamp(-super::HUGE, super::HUGE));
    let [lo, hi] =
        finite.fold([f64::INFINITY, f64::NEG_INFINITY], |[lo, hi], x| [f64::min(lo, x), f64::max(hi, x)]);
    if lo <= hi { [lo, hi] } else { [0.0; 2] }
}

/// A scene as text for its viewer.
pub(super) struct Packed {
    /// Everything for the viewer: numbers, and names that are ours.
    pub json: String,
    /// Time in a second of play: the whole run takes about ten.
    pub speed: f64,
    /// Size of the body at rest over that of the largest displacement.
    ratio: f64,
}

impl Packed {
    pub fn of(scene: &Scene, fixed: &[(SceneField, Vec<f64>)]) -> Packed {
        let surface = &scene.surface;
        let times = || scene.reel().map(|f| f.t);
        let swings = !scene.modes.is_empty();
        // Mode shapes have no times: what is played is one period.
        let [first, last] = if swings { [0.0, 1.0] } else { range(times()) };
        let bounds: [[f64; 2]; 3] =
            std::array::from_fn(|i| range(scene.points.iter().skip(i).step_by(3).copied()));
        // About its middle: 32 bits hold a body that lies far from the origin only then.
        let points = scene.points.iter().enumerate().map(|(i, x)| {
            let [lo, hi] = bounds[i % 3];
            (x - 0.5 * (lo + hi)) as f32
        });
        let moved: [[f64; 2]; 3] = std::array::from_fn(|i| range(scene.reel().flat_map(|f| f.ranges[i])));
        let span = |[lo, hi]: &[f64; 2]| hi - lo;
        let size = bounds.iter().map(span).fold(0.0, f64::max);
        let largest = moved.iter().map(|[lo, hi]| lo.abs().max(hi.abs())).fold(0.0, f64::max);
        let fixed = fixed.iter().map(|(field, values)| {
            let (own, codes) = shades(values);
            let codes: Vec<u8> = codes.collect();
            (field, json!({ "range": own, "data": packed(&codes) }))
        });
        let fixed: Vec<(&SceneField, Value)> = fixed.collect();
        let about =
            |field: &SceneField| json!({ "name": field.name, "nodal": field.nodal, "signed": field.signed });
        let frames = scene.reel().map(|f| json!([f.t, f.ranges, base64(&f.data)]));
        let json = json!({
            "modes": scene.modes.len(),
            "start": first,
            "end": last,
            "nodes": surface.nodes.len(),
            "elements": surface.elements.len(),
            "triangles": surface.triangles.len(),
            "bars": surface.bars.len(),
            "points": packed(&points.flat_map(f32::to_le_bytes).collect::<Vec<u8>>()),
            "corners": packed(&differences(surface.triangles.as_flattened())),
            "ends": packed(&differences(surface.bars.as_flattened())),
            "owners": packed(&differences(&surface.owners)),
            "sides": packed(&surface.sides),
            "fields": scene.fields.iter().map(about).collect::<Value>(),
            "fixed": fixed.iter().map(|(field, _)| about(field)).collect::<Value>(),
            "values": fixed.iter().map(|(_, data)| data.clone()).collect::<Value>(),
            "frames": frames.collect::<Value>(),
        });
        let speed = if swings {
            PERIODS
        } else if last > first {
            round((last - first) / 10.0)
        } else {
            1.0
        };
        let ratio = if largest > 0.0 { size / largest } else { 1.0 };
        Packed { json: json.to_string(), speed, ratio }
    }

    /// Factors of displacements to choose from: as they are, and where they are small so much that they are seen.
    pub fn factors(&self) -> Vec<String> {
        let most = if self.ratio.is_finite() { round((0.2 * self.ratio).clamp(1.0, 1e12)) } else { 1.0 };
        let mut factors = vec![1.0, 2.0, 5.0, 10.0];
        factors.extend([most / 10.0, most].into_iter().filter(|f| *f > 10.0).map(|f| rounded(f, 2)));
        factors.into_iter().map(|f| short(f, 3)).collect()
    }
}

/// One, two or five times a power of ten, near a number.
fn round(x: f64) -> f64 {
    let power = 10f64.powi(x.log10().floor() as i32);
    let lead = [1.0, 2.0, 5.0, 10.0].into_iter().rfind(|m| *m <= x / power * 1.3).unwrap_or(1.0);
    rounded(lead * power, 3)
}

/// Differences from number to number, four bytes each, the least first.
fn differences(numbers: &[u32]) -> Vec<u8> {
    let steps = numbers.iter().scan(0u32, |last, n| Some(n.wrapping_sub(std::mem::replace(last, *n))));
    steps.flat_map(u32::to_le_bytes).collect()
}
