//! Secular growth of the energy of a run: whether there is any, and in which elements.

use super::motion::{Look, Motion};
use crate::registry::{SolidMethod, StepSpec};
use crate::run::finish::short;
use stationary::archive::{Archive, Persist};
use stationary::integrate::avi::Buffer;
use stationary::model::solid::{Solid, SolidProblem};
use stationary::observe::{Record, part, record};

/// Growth that counts, over the scale of the energy: below it is what steps near the limit do at the start.
const COUNTS: f64 = 0.02;

/// So many parts of the past are told apart; when they are full, each two become one.
const PARTS: usize = 64;

/// Means over so many parts of the run make a trend.
const MEANS: usize = 8;

/// Before so many of the largest steps the run has only begun.
const BEGINNING: f64 = 100.0;

/// After so many of the largest steps every node has been kicked several times, and has moved by these kicks.
const FIRST: f64 = 3.0;

/// So many elements are named.
const NAMED: usize = 5;

/// Watches the energy less the work from row to row.
///
/// With variational time steps the energy oscillates about a constant value; time steps that resonate make it grow. The energy has grown if
/// its means over eighths of the run, except for the first two, are each above the one before, the last no less steeply than half the
/// first, by more than [`COUNTS`] of the scale in all.
#[derive(Debug, Clone)]
pub(super) struct Growth {
    /// From this time since the start on the run has more than begun.
    settled: f64,
    /// Sums of the energy over equal numbers of rows.
    parts: Vec<f64>,
    /// Rows in a part, and in the last one.
    size: u64,
    filled: u64,
    /// The largest growth over the scale, and when it was first seen.
    largest: f64,
    first: f64,
    /// Elements where energy gathers, as they are in the user's mesh, the worst first.
    elements: Vec<u64>,
}

impl Growth {
    /// With elements whose largest step is this.
    pub fn new(largest_step: f64) -> Self {
        Growth {
            settled: BEGINNING * largest_step,
            parts: Vec::new(),
            size: 1,
            filled: 0,
            largest: 0.0,
            first: f64::NAN,
            elements: Vec::new(),
        }
    }

    /// Sees the energy of a row. Of methods that do not book the work from outside it is not known.
    pub fn see(&mut self, (motion, problem): (&Motion, &SolidProblem), look: &Look, scale: f64) {
        let energy = look.watched_energy();
        if motion.avi().is_none() || energy.is_nan() {
            return;
        }
        self.add(energy);
        let growth = part(self.now(), scale);
        if growth > COUNTS && look.elapsed > self.settled {
            if self.largest == 0.0 {
                self.first = look.t;
            }
            if growth > self.largest {
                self.largest = growth;
                self.elements = gathering(motion, problem, look);
            }
        }
    }

    /// Whether the run has more than begun.
    pub fn has_settled(&self, look: &Look) -> bool {
        look.elapsed > self.settled
    }

    /// Whether forces have done what the first steps have sampled of them.
    pub fn has_begun(&self, look: &Look) -> bool {
        look.elapsed > FIRST / BEGINNING * self.settled
    }

    /// The trend with the energy of another row.
    pub fn trend_with(&self, energy: f64) -> f64 {
        let mut with = self.clone();
        with.add(energy);
        with.now()
    }

    /// Begins a new trend, since the time steps have changed; what was found stays.
    pub fn restart(&mut self) {
        self.parts.clear();
        self.size = 1;
        self.filled = 0;
    }

    fn add(&mut self, energy: f64) {
        match self.parts.last_mut() {
            Some(sum) if self.filled < self.size => {
                *sum += energy;
                self.filled += 1;
            }
            _ => {
                self.parts.push(energy);
                self.filled = 1;
            }
        }
        if self.parts.len() == PARTS && self.filled == self.size {
            self.parts = self.parts.chunks_exact(2).map(|p| p[0] + p[1]).collect();
            self.size *= 2;
            self.filled = self.size;
        }
    }

    /// The growth of the mean over an eighth of the past since the second, nought if there is no trend.
    fn now(&self) -> f64 {
        let count = self.parts.len();
        if count < MEANS {
            return 0.0;
        }
        let mean = |i: usize| {
            let (from, to) = (i * count / MEANS, (i + 1) * count / MEANS);
            let missing = if to == count { self.size - self.filled } else { 0 };
            self.parts[from..to].iter().sum::<f64>() / ((to - from) as u64 * self.size - missing) as f64
        };
        let means: [f64; MEANS] = std::array::from_fn(mean);
        let rises = means[1..].windows(2).all(|m| m[0] < m[1]);
        let goes_on = means[7] - means[5] > 0.5 * (means[3] - means[1]);
        if rises && goes_on { means[MEANS - 1] - means[1] } else { 0.0 }
    }

    /// The largest growth so far over the scale, nought if there was none.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// What `summary.json` has of it.
    pub fn summary(&self) -> Record {
        record! {
            "relative": self.largest,
            "first_seen": self.first,
            "elements": self.elements.clone(),
        }
    }

    /// A warning with the elements and the remedy, if the energy grew.
    pub fn warning(&self, choice: &SolidMethod) -> Option<String> {
        if self.largest == 0.0 {
            return None;
        }
        let names: Vec<String> = self.elements.iter().map(u64::to_string).collect();
        Some(format!(
            "The energy grew by {:.1} % (secular growth, apart from oscillations and external work), first seen at t = {}; most at \
             the elements {}. The time steps are too long, or resonate with each other: {}.",
            100.0 * self.largest,
            short(self.first),
            names.join(", "),
            remedy(choice)
        ))
    }
}

impl Persist for Growth {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.settled).pass(&mut self.parts).pass(&mut self.size).pass(&mut self.filled);
        archive.pass(&mut self.largest).pass(&mut self.first).pass(&mut self.elements);
        let fits = self.parts.len() <= PARTS && self.filled <= self.size;
        archive.require(fits, "the past of its energy is not what such a run writes");
    }
}

/// The elements that feed the energy. The sum of its residuals is what an element took out of the whole, so the least one fed
/// it most; where they are not followed, the elements that hold the most for their mass.
pub(super) fn gathering(motion: &Motion, problem: &SolidProblem, look: &Look) -> Vec<u64> {
    let solid = problem.solid();
    let fed = match motion.avi().and_then(|avi| avi.local_energy()) {
        Some(local) => (0..solid.elements()).map(|k| -local.accumulated(k)).collect(),
        None => held(solid, look),
    };
    let mut order: Vec<usize> = (0..fed.len()).collect();
    order.sort_by(|a, b| fed[*b].total_cmp(&fed[*a]).then(a.cmp(b)));
    order.iter().take(NAMED).map(|k| problem.tag(*k)).collect()
}

/// The energy of each element with the motion of its nodes, for its mass.
fn held(solid: &Solid, look: &Look) -> Vec<f64> {
    let one = |k: usize| {
        let (block, j) = solid.locate(k);
        let nodes = block.nodes(j);
        let (mut kinetic, mut mass) = (0.0, 0.0);
        for a in nodes.iter().map(|a| *a as usize) {
            let v = &look.v[3 * a..3 * a + 3];
            kinetic += 0.5 * solid.mass()[a] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
            mass += solid.mass()[a];
        }
        (kinetic + block.energy(j, look.t, &look.x).unwrap_or(f64::INFINITY)) / mass
    };
    (0..solid.elements()).map(one).collect()
}

/// What has not been chosen yet and would help, in words.
pub(super) fn remedy(choice: &SolidMethod) -> String {
    let steps: &StepSpec = choice.steps();
    let mut cures = Vec::new();
    if let SolidMethod::Avi(_) = choice {
        if !steps.harmonic {
            cures.push("steps = \"harmonic\"".to_string());
        } else {
            match steps.buffer {
                Buffer::None => cures.push("buffer = \"jump\"".into()),
                Buffer::Jump => cures.push("buffer = \"ring\"".into()),
                Buffer::Ring => {}
            }
            if !steps.middle {
                cures.push("events = \"middle\"".into());
            }
        }
    }
    cures.push(match steps.given {
        Some(_) => "smaller steps".into(),
        None => format!("a fraction below {}", steps.fraction),
    });
    format!("try {}", cures.join(", or "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The largest growth seen after the first tenth of some rows.
    fn grown(rows: u32, energy: impl Fn(f64) -> f64) -> f64 {
        let mut growth = Growth::new(0.0);
        let mut largest = 0.0_f64;
        for i in 0..=rows {
            growth.add(energy(f64::from(i) / f64::from(rows)));
            if 10 * i > rows {
                largest = largest.max(growth.now());
            }
        }
        largest
    }

    #[test]
    fn oscillating_energy_is_no_secular_growth_and_growing_energy_is() {
        let wave = |turns: f64, t: f64| (2.0 * std::f64::consts::PI * turns * t).sin();
        for rows in [100, 500, 5000] {
            // Fast and slow oscillations, falls and rises at the start: none is a trend.
            for (turns, size) in [(0.4, 0.01), (1.0, 0.01), (13.7, 0.02), (211.3, 0.2)] {
                assert!(grown(rows, |t| 1.0 + size * wave(turns, t)) < COUNTS, "{rows} {turns}");
            }
            assert_eq!(grown(rows, |t| if t == 0.0 { 1.0 } else { 0.9 }), 0.0);
            assert_eq!(grown(rows, |t| 1.2 - 0.2 * (-100.0 * t).exp()), 0.0);
            // e-foldings under an oscillation of a tenth, and a line.
            assert!(grown(rows, |t| (2.0 * t).exp() + 0.1 * wave(91.3, t)) > 1.0, "{rows}");
            assert!(grown(rows, |t| 1.0 + 0.1 * t) > COUNTS, "{rows}");
        }
    }

    #[test]
    fn the_past_is_kept_in_parts_and_restored() {
        let mut growth = Growth::new(1.0);
        (0..1000).for_each(|i| growth.add(f64::from(i)));
        assert!(growth.parts.len() <= PARTS && growth.size == 16);
        assert_eq!(growth.parts[1], (16..32).map(f64::from).sum::<f64>());
        growth.elements = vec![7, 3];
        let saved = |growth: &mut Growth| {
            let mut archive = Archive::writer();
            archive.pass(growth);
            archive.into_bytes()
        };
        let mut again = Growth::new(2.0);
        let mut archive = Archive::reader(saved(&mut growth));
        archive.pass(&mut again);
        archive.finish().unwrap();
        assert_eq!((&again.parts, &again.elements), (&growth.parts, &growth.elements));
        for i in 0..100 {
            growth.add(f64::from(i));
            again.add(f64::from(i));
        }
        assert_eq!(saved(&mut again), saved(&mut growth));
        growth.filled = growth.size + 1;
        let mut archive = Archive::reader(saved(&mut growth));
        archive.pass(&mut again);
        assert!(archive.finish().unwrap_err().contains("the past of its energy"));
    }
}
