//! What makes a system of formulas move, a Lagrangian or a Hamiltonian, as far as the loop must know.

use stationary::error::Cause;
use stationary::integrate::Start;
use stationary::model::{FormulaLagrangian, FormulaPhase, Lagrangian, Legendre, PhaseJet, PhaseSpace};
use stationary::observe::{Energy, Frame, Observer, Scale};
use std::sync::Arc;

/// The model of a run.
#[derive(Clone)]
pub(super) enum Mechanics {
    Lagrangian(Arc<FormulaLagrangian>),
    Phase(Arc<FormulaPhase>),
}

impl Mechanics {
    /// Number of coordinates.
    pub fn dimension(&self) -> usize {
        match self {
            Mechanics::Lagrangian(l) => l.dimension(),
            Mechanics::Phase(system) => system.positions(),
        }
    }

    pub fn energy(&self) -> Energy {
        match self {
            Mechanics::Lagrangian(l) => Energy::new(Arc::clone(l) as Arc<dyn Lagrangian>),
            Mechanics::Phase(system) => Energy::of_phase(Arc::clone(system) as Arc<dyn PhaseSpace>),
        }
    }

    /// What errors of the energy refer to in a run that starts like this; 0 if nothing at the start tells.
    pub fn energy_scale(&self, start: &Start, velocity: &[f64]) -> f64 {
        let mut energy = self.energy();
        energy.observe(&Frame {
            step: 0,
            t: start.t,
            elapsed: 0.0,
            q: &start.q,
            v: velocity,
            p: &start.p,
            canonical: &start.q,
            discrete_energy: None,
            multipliers: None,
            work: None,
            adaption: None,
            impacts: &[],
            tangent: None,
        });
        energy.scale()
    }

    /// A scale of energies of this system, from that of the start.
    pub fn scale_of(&self, start: f64) -> Scale {
        match self {
            Mechanics::Phase(system) if system.positions() == system.dimension() => {
                Scale::of(start).of_one_form()
            }
            _ => Scale::of(start),
        }
    }

    /// Whether the formula of the law names the time.
    pub fn depends_on_time(&self) -> bool {
        match self {
            Mechanics::Lagrangian(l) => l.depends_on_time(),
            Mechanics::Phase(system) => system.depends_on_time(),
        }
    }

    pub fn separable(&self) -> bool {
        matches!(self, Mechanics::Lagrangian(l) if l.mass().is_some())
    }

    pub fn compiled(&self) -> bool {
        match self {
            Mechanics::Lagrangian(l) => l.is_compiled(),
            Mechanics::Phase(system) => system.is_compiled(),
        }
    }

    /// Name and facts, for people.
    pub fn describe(&self) -> (&'static str, String) {
        let code = if self.compiled() { "compiled" } else { "interpreted" };
        match self {
            Mechanics::Lagrangian(l) => {
                let mass = if self.separable() { "separable" } else { "not separable" };
                ("lagrangian", format!("{mass}, {} operations, {code}", l.operations()))
            }
            Mechanics::Phase(system) => {
                let kind =
                    if system.positions() < system.dimension() { "canonical" } else { "with a one-form" };
                ("hamiltonian", format!("{kind}, {} operations, {code}", system.operations()))
            }
        }
    }

    /// Room for velocities of this system.
    pub fn velocities(&self) -> Velocities {
        match self {
            Mechanics::Lagrangian(l) => Velocities::Lagrangian(Arc::clone(l), Legendre::new(l.dimension())),
            Mechanics::Phase(system) => {
                let m = system.dimension();
                Velocities::Phase(Arc::clone(system), PhaseJet::new(m), vec![0.0; m])
            }
        }
    }
}

/// From states to velocities.
pub(super) enum Velocities {
    Lagrangian(Arc<FormulaLagrangian>, Legendre),
    Phase(Arc<FormulaPhase>, PhaseJet, Vec<f64>),
}

impl Velocities {
    /// Writes the velocity at a state; `v` holds a first guess.
    pub fn write(&mut self, t: f64, q: &[f64], p: &[f64], v: &mut [f64]) -> Result<(), Cause> {
        match self {
            Velocities::Lagrangian(l, legendre) => legendre.velocity(&**l, t, q, p, v),
            Velocities::Phase(system, jet, rate) => {
                let momenta = if system.positions() < system.dimension() { p } else { &[] };
                if !system.rate(t, &[q, momenta].concat(), jet, rate) {
                    return Err(Cause::Singular);
                }
                v.copy_from_slice(&rate[..v.len()]);
                Ok(())
            }
        }
    }
}
