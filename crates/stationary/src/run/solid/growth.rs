//! Whether the energy of a run grows beyond its wobble, and where.

use super::motion::{Look, Motion};
use crate::integrate::avi::Buffer;
use crate::model::solid::{Problem, Solid};
use crate::observe::number;
use crate::registry::{SolidMethod, StepChoice};
use crate::run::finish::short;
use serde_json::{Value, json};

/// Growth that counts, over the scale of the energy: below it is what steps near the limit do at the start.
const COUNTS: f64 = 0.02;

/// So many parts of the past are told apart; when they are full, each two become one.
const PARTS: usize = 64;

/// Before there are so many there is no trend.
const FEW: usize = 8;

/// So many elements are named.
const NAMED: usize = 5;

/// Watches the energy less the work from row to row.
///
/// Variational steps let the energy wobble about a value that stays; steps that resonate feed it. It has grown where *all* of
/// the last quarter of the run lies above *all* of its first half, by more than it wobbled within an eighth of the run before,
/// and by more than [`COUNTS`] of the scale.
pub(super) struct Growth {
    /// Least and largest energy in each part of the past.
    parts: Vec<[f64; 2]>,
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
    pub fn new() -> Self {
        Growth { parts: Vec::new(), size: 1, filled: 0, largest: 0.0, first: f64::NAN, elements: Vec::new() }
    }

    /// Sees the energy of a row. Of methods that do not book the work from outside it is not known.
    pub fn see(&mut self, (motion, problem): (&Motion, &Problem), look: &Look, scale: f64) {
        let energy = look.kinetic + look.potential - look.work;
        if motion.avi().is_none() || energy.is_nan() {
            return;
        }
        self.add(energy);
        let growth = self.now() / scale;
        if growth > COUNTS {
            if self.largest == 0.0 {
                self.first = look.t;
            }
            if growth > self.largest {
                self.largest = growth;
                self.elements = gathering(motion, problem, look);
            }
        }
    }

    fn add(&mut self, energy: f64) {
        match self.parts.last_mut() {
            Some([least, most]) if self.filled < self.size => {
                (*least, *most) = (least.min(energy), most.max(energy));
                self.filled += 1;
            }
            _ => {
                self.parts.push([energy; 2]);
                self.filled = 1;
            }
        }
        if self.parts.len() == PARTS && self.filled == self.size {
            let both = |p: &[[f64; 2]]| [p[0][0].min(p[1][0]), p[0][1].max(p[1][1])];
            self.parts = self.parts.chunks_exact(2).map(both).collect();
            self.size *= 2;
            self.filled = self.size;
        }
    }

    /// How far all of the last quarter lies above all of the first half, less the wobble there.
    fn now(&self) -> f64 {
        let count = self.parts.len();
        if count < FEW {
            return 0.0;
        }
        let range = |parts: &[[f64; 2]]| {
            parts.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |r, p| [r[0].min(p[0]), r[1].max(p[1])])
        };
        let (early, late) = (&self.parts[..count / 2], range(&self.parts[count - count / 4..]));
        let width = |parts: &[[f64; 2]]| range(parts)[1] - range(parts)[0];
        let wobble = early.chunks(count / 8).map(width).fold(0.0, f64::max);
        late[0] - range(early)[1] - wobble
    }

    /// The largest growth so far over the scale, nought if there was none.
    pub fn largest(&self) -> f64 {
        self.largest
    }

    /// What `summary.json` has of it.
    pub fn summary(&self) -> Value {
        json!({
            "relative": number(self.largest),
            "first_seen": number(self.first),
            "elements": self.elements,
        })
    }

    /// A warning with the elements and the remedy, if the energy grew.
    pub fn warning(&self, choice: &SolidMethod) -> Option<String> {
        if self.largest == 0.0 {
            return None;
        }
        let names: Vec<String> = self.elements.iter().map(u64::to_string).collect();
        Some(format!(
            "The energy grew by {:.1} % beyond its wobble and what came from outside, first seen at t = {}; most at the \
             elements {}. The steps are too long, or resonate with each other: {}.",
            100.0 * self.largest,
            short(self.first),
            names.join(", "),
            remedy(choice)
        ))
    }

    /// All that changes, as numbers.
    pub fn save(&self) -> Vec<f64> {
        let mut numbers = vec![self.size as f64, self.filled as f64, self.largest, self.first];
        numbers.push(self.elements.len() as f64);
        numbers.extend(self.elements.iter().map(|tag| *tag as f64));
        numbers.extend(self.parts.as_flattened());
        numbers
    }

    /// From such numbers; `None` if they are no such.
    pub fn restore(numbers: &[f64]) -> Option<Self> {
        let ([size, filled, largest, first, named], rest) = numbers.split_first_chunk::<5>()?;
        let (elements, parts) = rest.split_at_checked(*named as usize)?;
        Some(Growth {
            parts: parts.chunks_exact(2).map(|p| [p[0], p[1]]).collect(),
            size: *size as u64,
            filled: *filled as u64,
            largest: *largest,
            first: *first,
            elements: elements.iter().map(|tag| *tag as u64).collect(),
        })
    }
}

/// The elements that feed the energy. The sum of its residuals is what an element took out of the whole, so the least one fed
/// it most; where they are not followed, the elements that hold the most for their mass.
fn gathering(motion: &Motion, problem: &Problem, look: &Look) -> Vec<u64> {
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
fn remedy(choice: &SolidMethod) -> String {
    let steps: &StepChoice = choice.steps();
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

    fn grown(energies: impl Iterator<Item = f64>) -> f64 {
        let mut growth = Growth::new();
        let mut largest = 0.0_f64;
        for energy in energies {
            growth.add(energy);
            largest = largest.max(growth.now());
        }
        largest
    }

    #[test]
    fn wobble_is_no_growth_and_growth_is() {
        for rows in [40_u32, 500, 5000] {
            let at = |i: u32| f64::from(i) / f64::from(rows);
            // Fast and slow wobble, and a fall at the start: none has a trend.
            for turns in [0.4, 1.0, 3.7, 211.3] {
                let wobble = (0..=rows).map(|i| 1.0 + 0.2 * (6.283 * turns * at(i)).sin());
                assert!(grown(wobble) < COUNTS, "{rows} {turns}");
            }
            assert!(grown((0..=rows).map(|i| if i == 0 { 1.0 } else { 0.97 })) == 0.0);
            // e-foldings, under a wobble of a tenth.
            let growing = (0..=rows).map(|i| (2.0 * at(i)).exp() + 0.1 * (6.283 * 50.3 * at(i)).sin());
            assert!(grown(growing) > 0.5, "{rows}");
            assert!(grown((0..=rows).map(|i| 1.0 + 0.3 * at(i))) > COUNTS, "{rows}");
        }
    }

    #[test]
    fn the_past_is_kept_in_parts_and_restored() {
        let mut growth = Growth::new();
        (0..1000).for_each(|i| growth.add(f64::from(i)));
        assert!(growth.parts.len() <= PARTS && growth.size == 32);
        assert_eq!((growth.parts[0], growth.parts[1]), ([0.0, 31.0], [32.0, 63.0]));
        growth.elements = vec![7, 3];
        let mut again = Growth::restore(&growth.save()).unwrap();
        assert_eq!((&again.parts, &again.elements), (&growth.parts, &growth.elements));
        (0..100).for_each(|i| [&mut growth, &mut again].map(|g| g.add(f64::from(i))).iter().for_each(drop));
        assert_eq!(again.parts, growth.parts);
        assert!(Growth::restore(&[1.0, 1.0]).is_none());
    }
}
