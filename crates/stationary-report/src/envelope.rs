//! Min-max envelopes: the least and the largest value of some quantities over intervals of a run, for plots of millions of steps.
//! Decimation, which retains every so many values, would alias with oscillations and draw trends that are not there.

use stationary::archive::{Archive, Persist};

/// Extremes of several quantities over equal stretches; the stretches double when there are too many.
#[derive(Debug, Clone)]
pub struct Envelope {
    /// Steps in a stretch.
    stride: u64,
    /// Time at the start of each stretch.
    times: Vec<f64>,
    /// Least and largest value of each quantity in each stretch.
    bounds: Vec<Vec<[f64; 2]>>,
}

impl Persist for Envelope {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.stride).pass(&mut self.times).fixed(&mut self.bounds);
        let whole = self.bounds.iter().all(|b| b.len() == self.times.len());
        if !(whole && self.stride.is_power_of_two() && self.times.len() <= STRETCHES) {
            archive.refuse("an envelope whose columns differ in length".into());
        }
    }
}

/// Stretches at most; even, so that all are whole when they are joined in pairs.
const STRETCHES: usize = 4096;

impl Envelope {
    /// For a number of quantities.
    pub fn new(quantities: usize) -> Self {
        Envelope { stride: 1, times: Vec::new(), bounds: vec![Vec::new(); quantities] }
    }

    /// Adds the values after `step` steps; steps come one after the other from 0.
    pub fn add(&mut self, step: u64, t: f64, values: &[f64]) {
        if step.is_multiple_of(self.stride) && self.times.len() == STRETCHES {
            self.double();
        }
        if step.is_multiple_of(self.stride) {
            self.times.push(t);
            for (bounds, x) in self.bounds.iter_mut().zip(values) {
                bounds.push([*x, *x]);
            }
        } else {
            for (bounds, x) in self.bounds.iter_mut().zip(values) {
                if let Some(last) = bounds.last_mut() {
                    *last = join(*last, [*x, *x]);
                }
            }
        }
    }

    fn double(&mut self) {
        self.stride *= 2;
        self.times = self.times.iter().copied().step_by(2).collect();
        for bounds in &mut self.bounds {
            *bounds = bounds.chunks(2).map(|pair| join(pair[0], pair[pair.len() - 1])).collect();
        }
    }

    /// Steps in a stretch, and all else as numbers: times, then for each quantity its extremes.
    pub fn to_numbers(&self) -> (u64, Vec<f64>) {
        let extremes = self.bounds.iter().flat_map(|b| b.as_flattened());
        (self.stride, self.times.iter().chain(extremes).copied().collect())
    }

    /// The inverse of [`to_numbers`](Self::to_numbers); none if the numbers are not those of an envelope.
    pub fn from_numbers(quantities: usize, stride: u64, numbers: &[f64]) -> Option<Self> {
        let width = 2 * quantities + 1;
        let count = numbers.len() / width;
        if !stride.is_power_of_two() || count > STRETCHES || !numbers.len().is_multiple_of(width) {
            return None;
        }
        let (times, extremes) = numbers.split_at(count);
        let column = |i: usize| extremes[2 * count * i..2 * count * (i + 1)].as_chunks::<2>().0.to_vec();
        Some(Envelope { stride, times: times.to_vec(), bounds: (0..quantities).map(column).collect() })
    }

    /// One quantity as a line that runs through both extremes of every stretch; moments without a value are left out.
    pub fn line(&self, quantity: usize) -> (Vec<f64>, Vec<f64>) {
        let (mut t, mut x) = (Vec::new(), Vec::new());
        for (time, [low, high]) in self.times.iter().zip(&self.bounds[quantity]) {
            if !low.is_nan() {
                t.push(*time);
                x.push(*low);
                if low != high {
                    t.push(*time);
                    x.push(*high);
                }
            }
        }
        (t, x)
    }
}

/// The extremes of two stretches together. NaN is no value here: it marks moments at which there is none.
fn join(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_survive_and_no_trend_is_invented() {
        let mut envelope = Envelope::new(2);
        let steps = 3 * STRETCHES as u64 * 8 + 17;
        for step in 0..=steps {
            // A period near the stride: sampled, it would look like a slow wave.
            let x = (step as f64 * std::f64::consts::TAU / 31.7).sin();
            let spike = if step == 12_345 { 5.0 } else { f64::NAN };
            envelope.add(step, step as f64, &[x, spike]);
        }
        let (t, x) = envelope.line(0);
        assert!(t.len() <= 2 * STRETCHES);
        for quarter in x.chunks(x.len() / 4 + 1) {
            let (low, high) = quarter.iter().fold((0.0_f64, 0.0_f64), |(l, h), x| (l.min(*x), h.max(*x)));
            assert!(low < -0.999 && high > 0.999, "{low} {high}");
        }
        let (t, x) = envelope.line(1);
        assert_eq!(x, [5.0]);
        assert!((t[0] - 12_345.0).abs() <= envelope.stride as f64);
    }
}
