//! Impacts as they happen, and how far the gaps are kept open [FET03 4-5].

use super::{Conserved, Entry, Frame, Observer, Record, Scale, record};
use crate::archive::{Archive, Persist};
use crate::contact::{Gap, GapImpact, ImpactKind};
use crate::error::{Cause, ContactFault};
use crate::linalg::max_abs;
use crate::model::Bounds;
use std::sync::Arc;

/// Gaps that have a column each; of more the least has one.
const FEW: usize = 4;

/// Distance from the prescribed energy, over the scale, that is rounding.
const MET: f64 = 1e-9;

/// How far below zero, in sizes, a gap must not be.
const INSIDE: f64 = 1e-9;

/// Counts impacts, holds their energies against each other, and looks at the gaps of every state.
pub struct Impacts {
    gap: Arc<dyn Gap>,
    bounds: Bounds,
    /// Names of the gaps in keys and columns.
    labels: Vec<String>,
    /// What energies refer to.
    scale: Scale,
    /// Size of each gap at the start; none before.
    sizes: Vec<f64>,
    now: Vec<f64>,
    least: f64,
    /// Bounces, rests, releases.
    counts: [u64; 3],
    per_gap: Vec<u64>,
    most: u64,
    first: f64,
    last: f64,
    /// Step of the last one.
    step: u64,
    lost: f64,
    /// Energy before the first impact.
    energy: f64,
    /// Largest distance from the prescribed energy.
    jump_error: f64,
    /// Impacts whose energy is not the prescribed one.
    energy_mismatches: u64,
    fault: Option<(usize, f64, ContactFault)>,
}

impl Impacts {
    /// Of a system of `n` coordinates; `names` are those of the gaps, `scale` is what energies refer to, or 0 if nothing at the start
    /// tells.
    pub fn new(gap: Arc<dyn Gap>, names: &[String], n: usize, scale: f64) -> Self {
        let m = gap.count();
        Impacts {
            gap,
            bounds: Bounds::new(n, m),
            labels: names.iter().map(|name| label(name)).collect(),
            scale: Scale::of(scale),
            sizes: Vec::new(),
            now: vec![f64::NAN; m],
            least: f64::INFINITY,
            counts: [0; 3],
            per_gap: vec![0; m],
            most: 0,
            first: f64::NAN,
            last: f64::NAN,
            step: 0,
            lost: 0.0,
            energy: f64::NAN,
            jump_error: 0.0,
            energy_mismatches: 0,
            fault: None,
        }
    }

    /// Bounces so far.
    pub fn count(&self) -> u64 {
        self.counts[0]
    }

    /// What must not be: a state inside an obstacle, or an impact far from its law.
    pub fn fault(&self) -> Option<Cause> {
        let (gap, time, why) = self.fault?;
        Some(Cause::Gap { gaps: vec![gap], time, why })
    }

    /// The step with the last bounce, 0 before the first.
    pub fn last_step(&self) -> u64 {
        self.step
    }

    fn count_one(&mut self, impact: &GapImpact) {
        self.counts[impact.kind as usize] += 1;
        if impact.kind == ImpactKind::Bounce {
            for k in impact.gaps() {
                self.per_gap[k] += 1;
            }
            if self.first.is_nan() {
                self.first = impact.time;
            }
            self.last = impact.time;
        }
        if self.energy.is_nan() {
            self.energy = impact.energy_before;
        }
        let jump = impact.energy_after - impact.energy_before;
        self.lost -= jump;
        let distance = (jump - impact.prescribed).abs();
        let error = self.scale.part(distance);
        self.energy_mismatches += u64::from(impact.kind == ImpactKind::Bounce && !(error <= MET));
        // A scale that grows has seen this very jump: then the guard of the energy alone tells what explodes.
        let wild = if self.scale.grows() { !distance.is_finite() } else { !(error <= 1.0) };
        if wild {
            self.fault.get_or_insert((impact.contact.gap, impact.time, ContactFault::Wild(jump)));
        }
        keep(&mut self.jump_error, distance);
    }
}

/// `floor`, and of a gap without a name its number.
fn label(name: &str) -> String {
    name.strip_prefix("gap ").unwrap_or(name).to_string()
}

/// Keeps the larger, and a NaN for good.
fn keep(worst: &mut f64, x: f64) {
    if x > *worst || x.is_nan() {
        *worst = x;
    }
}

impl Observer for Impacts {
    fn columns(&self) -> Vec<String> {
        let gaps = match self.labels.len() {
            0..=FEW => self.labels.iter().map(|name| format!("gap.{name}")).collect(),
            _ => vec!["gap.least".to_string()],
        };
        [gaps, vec!["impacts".into()]].concat()
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        self.gap.first(frame.t, frame.q, &mut self.bounds);
        self.now.copy_from_slice(self.bounds.value());
        if self.sizes.is_empty() {
            let place = max_abs(frame.q);
            let size = |k: usize| self.now[k].abs().max(max_abs(self.bounds.gradient(k)) * place);
            self.sizes = (0..self.now.len()).map(size).map(|s| if s > 0.0 { s } else { 1.0 }).collect();
        }
        for (k, (value, size)) in self.now.iter().zip(&self.sizes).enumerate() {
            if !(value / size > -INSIDE) {
                self.fault.get_or_insert((k, frame.t, ContactFault::Inside(*value)));
            }
            if !(value / size >= self.least) && !self.least.is_nan() {
                self.least = value / size;
            }
        }
        for energy in frame.impacts.iter().flat_map(|impact| [impact.energy_before, impact.energy_after]) {
            self.scale.grow(energy.abs());
        }
        self.scale.grow(frame.size_of_motion());
        let before = self.counts[0];
        frame.impacts.iter().for_each(|impact| self.count_one(impact));
        let new = self.counts[0] - before;
        self.most = self.most.max(new);
        if new > 0 {
            self.step = frame.step;
        }
    }

    fn row(&self, values: &mut Vec<f64>) {
        if self.now.len() <= FEW {
            values.extend_from_slice(&self.now);
        } else {
            values.push(self.now.iter().copied().fold(f64::INFINITY, |a, b| if b >= a { a } else { b }));
        }
        values.push(self.counts[0] as f64);
    }

    fn summarise(&self, summary: &mut Record) {
        let [bounces, rests, releases] = self.counts;
        let counted = self.labels.iter().zip(&self.per_gap);
        let per_gap = Record::of(counted.map(|(name, count)| (name.clone(), Entry::from(*count))));
        let entry = record! {
            "count": bounces,
            "max_per_step": self.most,
            "rests": rests,
            "releases": releases,
            "first_time": self.first,
            "last_time": self.last,
            "dissipated": self.lost,
            "max_energy_jump_error": self.scale.part(self.jump_error),
            "energy_mismatches": self.energy_mismatches,
            "min_gap": self.least,
            "per_gap": per_gap,
        };
        summary.set("impacts", entry);
    }

    fn conserved(&self) -> Option<Conserved> {
        if self.counts == [0; 3] {
            return None;
        }
        let errors = [self.jump_error, self.scale.part(self.jump_error)];
        let mut row = Conserved::new("energy at impacts", self.energy, errors);
        row.verdict += &format!(" across {}", plural(self.counts[0] + self.counts[1]));
        Some(row)
    }
}

fn plural(count: u64) -> String {
    if count == 1 { "1 impact".into() } else { format!("{count} impacts") }
}

impl Persist for Impacts {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.sizes).fixed(&mut self.now).pass(&mut self.least);
        archive.pass(&mut self.counts).fixed(&mut self.per_gap).pass(&mut self.most);
        archive.pass(&mut self.first).pass(&mut self.last).pass(&mut self.step).pass(&mut self.lost);
        archive.pass(&mut self.energy).pass(&mut self.jump_error).pass(&mut self.energy_mismatches);
        archive.pass(&mut self.scale);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `y >= 0` and `2 - y >= 0`.
    struct Between;
    impl Gap for Between {
        fn count(&self) -> usize {
            2
        }
        fn first(&self, _t: f64, q: &[f64], out: &mut Bounds) {
            let out = out.parts();
            (out.value[0], out.value[1]) = (q[0], 2.0 - q[0]);
            (out.dq[0], out.dq[1]) = (1.0, -1.0);
        }
        fn second(&self, t: f64, q: &[f64], out: &mut Bounds) {
            self.first(t, q, out);
        }
    }

    fn impact(time: f64, kind: ImpactKind, gap: usize, energies: [f64; 2], prescribed: f64) -> GapImpact {
        let [energy_before, energy_after] = energies;
        let impact = GapImpact::without_impulse(time, gap, energy_before, prescribed);
        GapImpact { kind, impulse: 1.0, energy_after, ..impact }
    }

    fn see(observer: &mut Impacts, step: u64, y: f64, impacts: &[GapImpact]) -> Record {
        let q = &[y][..];
        let frame = Frame {
            step,
            t: step as f64,
            elapsed: step as f64,
            q,
            v: q,
            p: q,
            canonical: q,
            discrete_energy: None,
            multipliers: None,
            work: None,
            adaption: None,
            impacts,
            tangent: None,
        };
        observer.observe(&frame);
        let mut summary = Record::default();
        observer.summarise(&mut summary);
        summary
    }

    #[test]
    fn impacts_are_counted_and_their_energies_held_against_the_law() {
        let names = ["gap 1".to_string(), "roof".to_string()];
        let mut observer = Impacts::new(Arc::new(Between), &names, 1, 4.0);
        assert_eq!(observer.columns(), ["gap.1", "gap.roof", "impacts"]);
        see(&mut observer, 0, 0.5, &[]);
        let bounces = [
            impact(0.25, ImpactKind::Bounce, 0, [8.0, 6.0], -2.0),
            impact(0.75, ImpactKind::Bounce, 1, [6.0, 6.0], 0.5),
        ];
        see(&mut observer, 1, 0.25, &bounces);
        let summary = see(&mut observer, 2, 1.0, &[impact(1.5, ImpactKind::Rest, 0, [6.0, 5.0], -1.0)]);
        let expected = record! {
            "count": 2u64,
            "max_per_step": 2u64,
            "rests": 1u64,
            "first_time": 0.25,
            "last_time": 0.75,
            "dissipated": 3.0,
            "max_energy_jump_error": 0.125,
            // The floor is at half of 0.5, its size at the start.
            "min_gap": 0.5,
            "per_gap": record! { "1": 1u64, "roof": 1u64 },
        };
        for (name, value) in expected.entries() {
            assert_eq!(summary.get(&format!("impacts.{name}")), Some(value), "{name}");
        }
        let mut row = Vec::new();
        observer.row(&mut row);
        assert_eq!(row, [1.0, 1.0, 2.0]);
    }

    /// What is not a number is never forgotten.
    #[test]
    fn a_nan_stays() {
        let mut observer = Impacts::new(Arc::new(Between), &["a".into(), "b".into()], 1, 1.0);
        see(&mut observer, 0, 1.0, &[]);
        see(&mut observer, 1, f64::NAN, &[impact(0.5, ImpactKind::Bounce, 0, [1.0, f64::NAN], 0.0)]);
        let summary = see(&mut observer, 2, 1.0, &[impact(1.5, ImpactKind::Bounce, 0, [1.0, 1.0], 0.0)]);
        for name in ["min_gap", "max_energy_jump_error", "dissipated"] {
            let found = summary.get(&format!("impacts.{name}"));
            assert!(matches!(found, Some(Entry::Number(x)) if x.is_nan()), "{name}: {found:?}");
        }
    }
}
