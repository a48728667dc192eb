//! Whether the energy stays near its start or wanders: the mean square of its change over a number of impacts.

use super::fallers::Faller;
use stationary::integrate::Method;

/// The mean square of the change of the energy over numbers of impacts.
#[derive(Debug, Clone)]
pub struct Walk {
    /// Numbers of impacts, each twice the one before.
    pub impacts: Vec<f64>,
    /// Mean squares over all stretches of so many impacts.
    pub square: Vec<f64>,
}

/// Follows an ensemble: starts that differ in height and angle by small amounts, which chaos makes large.
pub fn walk(body: &Faller, method: Method, h: f64, impacts: usize, starts: usize) -> Result<Walk, String> {
    let mut all = Vec::new();
    for k in 0..starts {
        // Parts of the golden ratio: spread evenly, the same in every run.
        let part = (0.618_033_988_75 * (k + 1) as f64).fract();
        let mut body = body.clone();
        body.q[1] += 0.2 * part;
        body.q[2] += 0.1 * (part * 7.0).fract();
        all.push(body.bounce(method, h, impacts)?.drift);
    }
    Ok(Walk::of(&all))
}

impl Walk {
    /// That of some runs of one length: stretches of up to an eighth of it.
    pub fn of(runs: &[Vec<f64>]) -> Self {
        let length = runs[0].len();
        let numbers = std::iter::successors(Some(1), |n| Some(2 * n)).take_while(|n| *n <= length / 8);
        let (impacts, square) = numbers
            .map(|n| {
                let stretches = runs.iter().flat_map(|run| run.iter().zip(&run[n..]));
                let sum: f64 = stretches.map(|(a, b)| (b - a) * (b - a)).sum();
                (n as f64, sum / (runs.len() * (length - n)) as f64)
            })
            .unzip();
        Walk { impacts, square }
    }

    /// The exponent of the growth of the mean square: 1 for a random walk, 0 if the energy is bounded.
    pub fn exponent(&self) -> f64 {
        slope(&self.impacts, &self.square)
    }

    /// The same over the four largest numbers.
    pub fn late_exponent(&self) -> f64 {
        let late = self.impacts.len() - 4;
        slope(&self.impacts[late..], &self.square[late..])
    }

    /// The mean square an impact, of a walk: a fit with the exponent 1.
    pub fn rate(&self) -> f64 {
        let logs: f64 = self.impacts.iter().zip(&self.square).map(|(n, s)| (s / n).ln()).sum();
        (logs / self.impacts.len() as f64).exp()
    }
}

/// The slope of a fit in logarithms.
pub fn slope(x: &[f64], y: &[f64]) -> f64 {
    let logs = |v: &[f64]| v.iter().map(|x| x.ln()).collect::<Vec<f64>>();
    line(&logs(x), &logs(y)).1
}

/// The straight line `a + b x` nearest to some points: `(a, b)`.
pub fn line(x: &[f64], y: &[f64]) -> (f64, f64) {
    let n = x.len() as f64;
    let (mx, my) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
    let (mut xx, mut xy) = (0.0, 0.0);
    for (x, y) in x.iter().zip(y) {
        xx += (x - mx) * (x - mx);
        xy += (x - mx) * (y - my);
    }
    (my - mx * xy / xx, xy / xx)
}
