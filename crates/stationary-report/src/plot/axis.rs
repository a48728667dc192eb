//! Ranges, scales and ticks of one axis.

use std::fmt::Write;

/// Beyond this magnitude a value is treated like an infinity: differences would overflow.
const HUGE: f64 = 1e300;

/// Whether an axis can show `v`.
pub(super) fn drawable(v: f64, log: bool) -> bool {
    v.abs() <= HUGE && (!log || v > 0.0)
}

/// The stretch of one axis that is shown, in its own coordinate (log10 of the value on a log axis).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Range {
    pub log: bool,
    pub lo: f64,
    pub hi: f64,
}

impl Range {
    /// The range of all drawable values with a small margin; never empty, never infinite.
    pub fn of(values: impl Iterator<Item = f64>, log: bool) -> Range {
        let (mut lo, mut hi) = (f64::INFINITY, f64::NEG_INFINITY);
        for v in values.filter(|&v| drawable(v, log)) {
            lo = lo.min(v);
            hi = hi.max(v);
        }
        if lo > hi {
            return Range { log, lo: 0.0, hi: 1.0 };
        }
        if log {
            (lo, hi) = (lo.log10(), hi.log10());
        }
        let span = hi - lo;
        let size = lo.abs().max(hi.abs());
        let margin = if log && span < 1e-6 {
            0.5
        } else if span > 1e-300 {
            // At rounding level the margin must be a step of the numbers themselves or it vanishes.
            (0.04 * span).max(f64::EPSILON * size)
        } else if size > 1e-300 {
            0.1 * size
        } else {
            1.0
        };
        Range { log, lo: lo - margin, hi: hi + margin }
    }

    /// Widens about the middle to at least `span`.
    pub fn widen(&mut self, span: f64) {
        if span > self.hi - self.lo {
            let middle = 0.5 * (self.lo + self.hi);
            (self.lo, self.hi) = (middle - 0.5 * span, middle + 0.5 * span);
        }
    }
}

/// A mark on the axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    /// Where, in the axis coordinate measured from its offset.
    pub at: f64,
    /// What is written there; empty for a minor tick.
    pub label: String,
}

/// An axis ready to draw: range, pixels, ticks.
#[derive(Debug)]
pub(super) struct Axis {
    log: bool,
    /// Subtracted before anything else, so that a tiny variation of a large value keeps all its digits.
    offset: f64,
    lo: f64,
    hi: f64,
    from: f64,
    to: f64,
    pub ticks: Vec<Tick>,
    /// What the labels leave out: a common power of ten and the offset.
    pub remark: String,
}

impl Axis {
    /// Lays `range` from pixel `from` to pixel `to` with about `count` ticks.
    pub fn new(range: Range, from: f64, to: f64, count: usize) -> Axis {
        let Range { log, lo, hi } = range;
        let (ticks, offset, remark) =
            if log { log_ticks(lo, hi, count) } else { linear_ticks(lo, hi, count) };
        let shift = if log { 0.0 } else { offset };
        Axis { log, offset: shift, lo: lo - shift, hi: hi - shift, from, to, ticks, remark }
    }

    /// The pixel of a value; NaN for what the axis cannot show.
    pub fn pixel(&self, v: f64) -> f64 {
        if !drawable(v, self.log) {
            return f64::NAN;
        }
        self.place(if self.log { v.log10() } else { v - self.offset })
    }

    /// Whether a tick of a linear axis marks the value zero.
    pub fn is_zero(&self, tick: &Tick) -> bool {
        tick.at + self.offset == 0.0
    }

    /// The values at both ends of a linear axis.
    pub fn ends(&self) -> [f64; 2] {
        [self.lo + self.offset, self.hi + self.offset]
    }

    /// The pixel of an axis coordinate, as in [`Tick::at`].
    pub fn place(&self, at: f64) -> f64 {
        self.from + (at - self.lo) / (self.hi - self.lo) * (self.to - self.from)
    }
}

/// The step `m 10^p`, m in {1, 2, 5}, nearest (by ratio) to the one that divides `span` into `count` parts.
fn nice_step(span: f64, count: usize) -> (i64, i32) {
    let raw = span / count.max(1) as f64;
    let power = raw.log10().floor() as i32;
    // The bounds are the geometric means of neighbouring steps.
    match raw / 10f64.powi(power) {
        lead if lead < 2f64.sqrt() => (1, power),
        lead if lead < 10f64.sqrt() => (2, power),
        lead if lead < 50f64.sqrt() => (5, power),
        _ => (1, power + 1),
    }
}

/// `n 10^power`, correctly rounded for the usual powers.
fn decimal(n: i64, power: i32) -> f64 {
    if power < 0 { n as f64 / 10f64.powi(-power) } else { n as f64 * 10f64.powi(power) }
}

/// Ticks (from the offset), the offset, and the remark that goes with the labels.
fn linear_ticks(lo: f64, hi: f64, count: usize) -> (Vec<Tick>, f64, String) {
    let span = hi - lo;
    let size = lo.abs().max(hi.abs());
    // Labels of five digits still read well; beyond that the common part is written once.
    let offset = if size > 1e4 * span { round_offset(0.5 * (lo + hi), span) } else { 0.0 };
    let (lo, hi) = (lo - offset, hi - offset);
    let (m, power) = nice_step(span, count);
    let unit = decimal(m, power);
    let (first, last) = ((lo / unit - 1e-9).ceil() as i64, (hi / unit + 1e-9).floor() as i64);
    let largest = decimal(m * first.abs().max(last.abs()).max(1), power);
    let order = (largest.log10() + 1e-9).floor() as i32;
    let shared = if (-3..6).contains(&order) { 0 } else { order };
    let digits = (shared - power).max(0) as usize;
    let ticks = (first..=last)
        .map(|k| Tick {
            at: decimal(k * m, power),
            label: minus(&format!("{:.digits$}", decimal(k * m, power - shared))),
        })
        .collect();
    let mut remark = String::new();
    if shared != 0 {
        let _ = write!(remark, "×{}", power_of_ten(shared));
    }
    if offset != 0.0 {
        let space = if remark.is_empty() { "" } else { " " };
        let sign = if offset < 0.0 { '−' } else { '+' };
        let _ = write!(remark, "{space}{sign} {}", number(offset.abs()));
    }
    (ticks, offset, remark)
}

/// `middle` rounded to one digit above `span`, as the nearest double of that short decimal.
fn round_offset(middle: f64, span: f64) -> f64 {
    let digits = (middle.abs().log10().floor() - span.log10().floor() - 1.0).clamp(0.0, 16.0) as usize;
    format!("{middle:.digits$e}").parse().unwrap_or(middle)
}

/// Ticks of a log axis over `lo..hi` (decades), in log10 of the value.
fn log_ticks(lo: f64, hi: f64, count: usize) -> (Vec<Tick>, f64, String) {
    let (first, last) = (lo.ceil() as i32, hi.floor() as i32);
    let decades = last - first + 1;
    if decades >= 2 {
        let stride = [1, 2, 3, 5, 10, 20, 30, 50, 100, 200]
            .into_iter()
            .find(|s| decades / s <= count.max(2) as i32)
            .unwrap_or(500);
        let aligned = |k: &i32| k.rem_euclid(stride) == 0;
        let mut ticks: Vec<Tick> = (first..=last)
            .filter(aligned)
            .map(|k| Tick { at: f64::from(k), label: power_of_ten(k) })
            .collect();
        if decades <= 8 && stride == 1 {
            ticks.extend(mantissas(lo, hi, &[2, 3, 4, 5, 6, 7, 8, 9], false));
        }
        return (ticks, 0.0, String::new());
    }
    let ticks = mantissas(lo, hi, &[1, 2, 5], true);
    if ticks.len() >= 3 {
        return (ticks, 0.0, String::new());
    }
    // Less than a decade: round values, at their logarithmic places.
    let (mut ticks, offset, remark) = linear_ticks(10f64.powf(lo), 10f64.powf(hi), count + 2);
    for tick in &mut ticks {
        tick.at = (tick.at + offset).log10();
    }
    ticks.retain(|t| t.at >= lo - 1e-9 && t.at <= hi + 1e-9);
    (ticks, offset, remark)
}

/// Ticks at `m 10^k`.
fn mantissas(lo: f64, hi: f64, which: &[i64], labelled: bool) -> Vec<Tick> {
    let mut ticks = Vec::new();
    for k in lo.floor() as i32..=hi.floor() as i32 {
        for &m in which {
            let at = f64::from(k) + (m as f64).log10();
            if at >= lo && at <= hi {
                let label = match (labelled, (-3..4).contains(&k)) {
                    (false, _) => String::new(),
                    (true, true) => format!("{:.*}", (-k).max(0) as usize, decimal(m, k)),
                    (true, false) if m == 1 => power_of_ten(k),
                    (true, false) => format!("{m}×{}", power_of_ten(k)),
                };
                ticks.push(Tick { at, label });
            }
        }
    }
    ticks
}

/// A number as people write it: `0.5`, `1.5×10⁻⁹`.
fn number(v: f64) -> String {
    let order = v.abs().log10().floor();
    if v == 0.0 || (-4.0..9.0).contains(&order) {
        return minus(&format!("{v}"));
    }
    let text = format!("{v:e}");
    match text.split_once('e').map(|(lead, power)| (lead, power.parse())) {
        Some((lead, Ok(power))) => format!("{}×{}", minus(lead), power_of_ten(power)),
        _ => text,
    }
}

/// The typographic minus sign.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// `10ᵏ`.
fn power_of_ten(k: i32) -> String {
    let raised = |c: char| match c {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        // U+2070 + n holds for 0 and 4 to 9.
        c => c.to_digit(10).and_then(|d| char::from_u32(0x2070 + d)).unwrap_or(c),
    };
    std::iter::once("10".to_string()).chain(k.to_string().chars().map(|c| raised(c).to_string())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(lo: f64, hi: f64, log: bool, count: usize) -> (Vec<String>, String) {
        let axis = Axis::new(Range { log, lo, hi }, 0.0, 100.0, count);
        (axis.ticks.into_iter().map(|t| t.label).filter(|l| !l.is_empty()).collect(), axis.remark)
    }

    #[test]
    fn linear_ticks_are_round() {
        let table: [(f64, f64, &[&str], &str); 9] = [
            (0.0, 10.0, &["0", "2", "4", "6", "8", "10"], ""),
            (-1.1, 1.1, &["−1.0", "−0.5", "0.0", "0.5", "1.0"], ""),
            (0.0, 0.03, &["0.000", "0.005", "0.010", "0.015", "0.020", "0.025", "0.030"], ""),
            (0.0, 1e6, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], "×10⁶"),
            (-3.2e-9, 2.1e-9, &["−3", "−2", "−1", "0", "1", "2"], "×10⁻⁹"),
            (99_990.0, 100_000.0, &["99990", "99992", "99994", "99996", "99998", "100000"], ""),
            (1e6, 1e6 + 1.0, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], "+ 1000000"),
            (
                -1.234_567_8 - 1.1e-7,
                -1.234_567_8 + 1.1e-7,
                &["1.0", "1.5", "2.0", "2.5", "3.0"],
                "×10⁻⁷ − 1.234568",
            ),
            (-1e300, 1e300, &["−1.0", "−0.5", "0.0", "0.5", "1.0"], "×10³⁰⁰"),
        ];
        for (lo, hi, wanted, remark) in table {
            let (labels, said) = labels(lo, hi, false, 5);
            assert_eq!((labels.as_slice(), said.as_str()), (&wanted.map_strings()[..], remark), "{lo}..{hi}");
        }
    }

    trait MapStrings {
        fn map_strings(&self) -> Vec<String>;
    }
    impl MapStrings for &[&str] {
        fn map_strings(&self) -> Vec<String> {
            self.iter().map(ToString::to_string).collect()
        }
    }

    #[test]
    fn log_ticks_follow_the_decades() {
        let table: [(f64, f64, &[&str]); 5] = [
            (-3.0, 0.0, &["10⁻³", "10⁻²", "10⁻¹", "10⁰"]),
            (-16.0, -1.9, &["10⁻¹⁵", "10⁻¹²", "10⁻⁹", "10⁻⁶", "10⁻³"]),
            (-1.8, -0.9, &["0.02", "0.05", "0.1"]),
            (-7.8, -6.6, &["2×10⁻⁸", "5×10⁻⁸", "10⁻⁷", "2×10⁻⁷"]),
            (0.01, 0.2, &["1.1", "1.2", "1.3", "1.4", "1.5"]),
        ];
        for (lo, hi, wanted) in table {
            assert_eq!(labels(lo, hi, true, 5).0, wanted.map_strings(), "{lo}..{hi}");
        }
    }

    #[test]
    fn every_tick_is_where_its_label_says() {
        for (lo, hi) in [(-1.0, 1.0), (3e-12, 8e-12), (5e8, 9e8), (1.0, 1.0 + 1e-9), (-7e9, -7e9 + 3.0)] {
            let (ticks, offset, _) = linear_ticks(lo, hi, 6);
            let axis = Axis::new(Range { log: false, lo, hi }, 100.0, 0.0, 6);
            assert!(ticks.len() >= 3, "{lo}..{hi}");
            for tick in &ticks {
                let (place, wanted) = (axis.place(tick.at), axis.pixel(offset + tick.at));
                assert!(
                    (place - wanted).abs() < 1e-3 && (-1e-3..100.001).contains(&place),
                    "{tick:?} at {place}"
                );
            }
        }
    }

    #[test]
    fn ranges_are_never_empty() {
        for log in [false, true] {
            for values in [&[][..], &[f64::NAN, f64::INFINITY], &[0.0], &[3.0], &[5e-324], &[-1e308, 1e308]] {
                let range = Range::of(values.iter().copied(), log);
                assert!(range.lo < range.hi && (range.hi - range.lo).is_finite(), "{values:?}: {range:?}");
            }
        }
    }

    #[test]
    fn a_rounding_level_drift_keeps_its_steps() {
        let values = [1.3, 1.3 + f64::EPSILON, 1.3 + 2.0 * f64::EPSILON];
        let axis = Axis::new(Range::of(values.into_iter(), false), 0.0, 90.0, 5);
        let at = values.map(|v| axis.pixel(v));
        assert!(at[0] < at[1] - 20.0 && at[1] < at[2] - 20.0, "{at:?}");
    }
}
