//! The energy and the truncations of the modified energy that are known for a run, at each of its states.

use super::super::Frame;
use super::super::Scale;
use super::super::energy::Source;
use super::{ModifiedEnergy, ModifiedSeries};
use crate::model::{Lagrangian, Mass, PhaseSpace};
use std::sync::Arc;

/// How the terms are found.
#[derive(Debug)]
pub enum Terms {
    /// By formulas, at the velocity after a kick of this part of a step.
    Series(ModifiedSeries, f64),
    /// `H_2` of the midpoint rule by second derivatives of a Lagrangian.
    Jet,
    /// Not known.
    None,
}

/// Energies of a run: `H`, then with one term more each.
pub struct Truncations {
    system: Source,
    mass: Option<(Arc<dyn Lagrangian>, Mass)>,
    jets: Option<ModifiedEnergy>,
    terms: Terms,
    h: f64,
}

impl Truncations {
    /// For a Lagrangian, stepped by `h`.
    ///
    /// # Panics
    /// If terms are to be taken after a kick and the system is not separable.
    pub fn new(lagrangian: Arc<dyn Lagrangian>, terms: Terms, h: f64) -> Self {
        let kicked = matches!(terms, Terms::Series(_, kick) if kick != 0.0);
        let mass = kicked.then(|| {
            let mass = lagrangian.mass().expect("only separable systems are kicked").clone();
            (Arc::clone(&lagrangian), mass)
        });
        let jets = matches!(terms, Terms::Jet)
            .then(|| ModifiedEnergy::new(Arc::clone(&lagrangian), super::ModifiedRule::Midpoint, h));
        Truncations { system: Source::lagrangian(lagrangian), mass, jets, terms, h }
    }

    /// For a Hamiltonian.
    pub fn of_phase(system: Arc<dyn PhaseSpace>, terms: Terms, h: f64) -> Self {
        Truncations { system: Source::phase(system), mass: None, jets: None, terms, h }
    }

    /// What each of [`Truncations::values`] is.
    pub fn names(&self) -> Vec<&'static str> {
        match &self.terms {
            Terms::None => vec!["H"],
            Terms::Jet => vec!["H", "H + h^2 H_2"],
            Terms::Series(series, kick) => {
                let plain = ["H", "H + h^2 H_2", "H + h^2 H_2 + h^4 H_4"];
                let kicked = ["H", "H, kicked", "H + h^2 H_2, kicked", "H + h^2 H_2 + h^4 H_4, kicked"];
                match *kick == 0.0 {
                    true => plain[..=series.count()].to_vec(),
                    false => kicked[..=1 + series.count()].to_vec(),
                }
            }
        }
    }

    /// What errors of the energy refer to; 0 if energy and terms vanish.
    pub fn scale(&mut self, frame: &Frame<'_>) -> f64 {
        let (energy, terms) = self.system.energy(frame);
        let mut scale = Scale::unknown();
        scale.see(energy, terms);
        scale.value()
    }

    /// `H_2` and `H_4` at a moment, as many as are known.
    pub fn terms(&mut self, frame: &Frame<'_>) -> Vec<f64> {
        match (&self.terms, &mut self.jets) {
            (Terms::Series(series, _), _) => {
                series.terms(frame.t, frame.q, frame.v, frame.p)[..series.count()].to_vec()
            }
            (Terms::Jet, Some(jets)) => vec![jets.second(frame)],
            _ => Vec::new(),
        }
    }

    /// The energy, and the truncations that are known.
    pub fn values(&mut self, frame: &Frame<'_>) -> Vec<f64> {
        let mut all = vec![self.system.energy(frame).0];
        let kicked = self.kicked(frame);
        let frame = &match &kicked {
            Some((v, p)) => Frame { v, p, ..*frame },
            None => *frame,
        };
        if kicked.is_some() {
            all.push(self.system.energy(frame).0);
        }
        let mut power = 1.0;
        for term in self.terms(frame) {
            power *= self.h * self.h;
            all.push(all[all.len() - 1] + power * term);
        }
        all
    }

    /// Velocity and momentum after the kick that leads to Verlet's method.
    fn kicked(&self, frame: &Frame<'_>) -> Option<(Vec<f64>, Vec<f64>)> {
        let (Terms::Series(_, kick), Some((lagrangian, mass))) = (&self.terms, &self.mass) else {
            return None;
        };
        let n = frame.q.len();
        let mut jet = crate::model::Jet::new(n);
        lagrangian.first(frame.t, frame.q, frame.v, &mut jet);
        let p: Vec<f64> = frame.p.iter().zip(jet.dq()).map(|(p, f)| p + kick * self.h * f).collect();
        let mut v = vec![0.0; n];
        mass.velocity(&p, &mut v);
        Some((v, p))
    }
}
