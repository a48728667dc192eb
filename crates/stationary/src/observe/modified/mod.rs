//! The truncated modified energy [VTI04 3.5]: a variational method follows, up to exponentially small errors, the flow of a
//! nearby energy `H + h^2 H_2 + ...`. With its first term the energy is constant to `h^4` where `H` itself varies by `h^2`.

mod followed;
mod series;
mod truncations;

pub use followed::Followed;
pub use series::{ModifiedSeries, apply};
pub use truncations::{Terms, Truncations};

use super::energy::{Source, phase};
use super::{Conserved, Frame, Observer, Record, Scale, Track, record};
use crate::archive::{Archive, Persist};
use crate::integrate::Method;
use crate::linalg::{Lu, dot};
use crate::model::{Lagrangian, PhaseSpace};
use std::sync::Arc;

/// The methods of order two whose first term is known, by how it is put together from
/// `A = v.V_qq v` and `B = V_q.M^-1 V_q`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModifiedRule {
    /// Velocity Verlet, half a kick at each end: `H_2 = A/12 - B/24`. Separable systems only.
    Verlet,
    /// The midpoint rule: `H_2 = -(A + B)/24`, in general `-z'.H_zz z'/24`.
    Midpoint,
}

impl ModifiedRule {
    /// The rule of a method, where it has one.
    pub fn of(method: &Method, separable: bool) -> Option<Self> {
        match *method {
            Method::Midpoint { alpha: 0.5 } | Method::Gauss { stages: 1 } => Some(ModifiedRule::Midpoint),
            Method::Verlet { order: 2 }
            | Method::Trapezoidal { alpha: 0.5 }
            | Method::Newmark { beta: 0.0, gamma: 0.5 }
            | Method::Lobatto { points: 2 }
                if separable =>
            {
                Some(ModifiedRule::Verlet)
            }
            _ => None,
        }
    }
}

/// `H + h^2 H_2` at each step, beside `H`.
pub struct ModifiedEnergy {
    system: Source,
    rule: ModifiedRule,
    h: f64,
    energy: Track,
    modified: Track,
    scale: Scale,
    now: f64,
}

impl ModifiedEnergy {
    /// For a Lagrangian that does not depend on time.
    pub fn new(lagrangian: Arc<dyn Lagrangian>, rule: ModifiedRule, h: f64) -> Self {
        Self::of(Source::lagrangian(lagrangian), rule, h)
    }

    /// For a Hamiltonian that does not depend on time, under the midpoint rule.
    pub fn of_phase(system: Arc<dyn PhaseSpace>, h: f64) -> Self {
        let gauged = system.positions() == system.dimension();
        let mut energy = Self::of(Source::phase(system), ModifiedRule::Midpoint, h);
        if gauged {
            energy.scale = energy.scale.of_one_form();
        }
        energy
    }

    fn of(system: Source, rule: ModifiedRule, h: f64) -> Self {
        let (energy, modified) = (Track::default(), Track::default());
        ModifiedEnergy { system, rule, h, energy, modified, scale: Scale::unknown(), now: f64::NAN }
    }

    /// `A` and `B`. With `a = v'`: `z'.H_zz z' = p'.a - v.(p')'`, where `p' = L_q` and `(p')' = L_qq v + L_qv a`.
    fn terms(&mut self, frame: &Frame<'_>) -> [f64; 2] {
        match &mut self.system {
            Source::Lagrangian(lagrangian, jet) => {
                let n = frame.q.len();
                lagrangian.second(frame.t, frame.q, frame.v, jet);
                let mut lu = Lu::new(n);
                lu.matrix().copy_from_slice(jet.dvv());
                if !lu.factor() {
                    return [f64::NAN; 2];
                }
                let mut a = jet.dq().to_vec();
                for i in 0..n {
                    for j in 0..n {
                        a[i] -= jet.dqv()[j * n + i] * frame.v[j];
                    }
                }
                lu.solve(&mut a);
                let row = |matrix: &[f64], i: usize, x: &[f64]| dot(&matrix[i * n..(i + 1) * n], x);
                let second = |i: usize| row(jet.dqq(), i, frame.v) + row(jet.dqv(), i, &a);
                let turned: f64 = (0..n).map(|i| frame.v[i] * second(i)).sum();
                [-turned, dot(jet.dq(), &a)]
            }
            Source::Phase(system, jet) => {
                let z = phase(&**system, frame);
                let mut rate = vec![0.0; z.len()];
                if !system.rate(frame.t, &z, jet, &mut rate) {
                    return [f64::NAN; 2];
                }
                system.second(frame.t, &z, jet);
                let m = z.len();
                let row = |i: usize| rate[i] * dot(&jet.dzz()[i * m..(i + 1) * m], &rate);
                [(0..m).map(row).sum(), 0.0]
            }
        }
    }

    /// `H_2`.
    fn second(&mut self, frame: &Frame<'_>) -> f64 {
        let [a, b] = self.terms(frame);
        match self.rule {
            ModifiedRule::Verlet => a / 12.0 - b / 24.0,
            ModifiedRule::Midpoint => -(a + b) / 24.0,
        }
    }

    fn relative(&self, track: &Track) -> f64 {
        self.scale.part(track.largest_change())
    }
}

impl Observer for ModifiedEnergy {
    fn columns(&self) -> Vec<String> {
        vec!["modified_energy".into()]
    }

    fn observe(&mut self, frame: &Frame<'_>) {
        let (energy, terms) = self.system.energy(frame);
        self.now = energy + self.h * self.h * self.second(frame);
        self.scale.see(energy, terms);
        self.scale.follow(energy, frame);
        self.energy.add(frame.elapsed, energy);
        self.modified.add(frame.elapsed, self.now);
    }

    fn row(&self, values: &mut Vec<f64>) {
        values.push(self.now);
    }

    fn summarise(&self, summary: &mut Record) {
        let gain = self.energy.largest_change() / self.modified.largest_change();
        summary.set(
            "modified_energy",
            record! {
                "initial": self.modified.initial(),
                "final": self.now,
                "max_relative_error": self.relative(&self.modified),
                "steadier_by": gain,
            },
        );
    }

    fn conserved(&self) -> Option<Conserved> {
        let change = self.modified.largest_change();
        let gain = self.energy.largest_change() / change;
        let errors = [change, self.relative(&self.modified)];
        let mut row = Conserved::new("modified energy", self.modified.initial(), errors);
        row.verdict += &format!("; the energy itself varies {gain:.3e} times as much");
        Some(row)
    }
}

impl Persist for ModifiedEnergy {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.energy).pass(&mut self.modified).pass(&mut self.scale);
        archive.pass(&mut self.now);
    }
}
