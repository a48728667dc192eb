//! What `stationary explain-energy` tells: the modified energy of a run, and how constant its truncations are.

/// The modified energy `H~ = H + h^2 H_2 + h^4 H_4 + ...` of a variational run [VTI04 3.5].
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyReport {
    /// The method, with its parameters.
    pub method: String,
    /// Its order.
    pub order: usize,
    /// The step of the scenario and half of it.
    pub steps: [f64; 2],
    /// How many of them the two runs make.
    pub counts: [u64; 2],
    /// What variations are relative to.
    pub scale: f64,
    /// The terms that are known as formulas.
    pub terms: Vec<EnergyTerm>,
    /// What the letters in them mean, and what is not known and why.
    pub notes: Vec<String>,
    /// Energies, and how much each varies.
    pub rows: Vec<EnergyRow>,
}

/// A term of the modified energy.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyTerm {
    /// `H_2`, `H_4`.
    pub name: &'static str,
    /// Its formula.
    pub formula: &'static str,
    /// Its value at the initial state.
    pub at_start: f64,
}

/// How much an energy varies over the runs.
#[derive(Debug, Clone, PartialEq)]
pub struct EnergyRow {
    /// Which.
    pub what: String,
    /// Largest less smallest value over the run, relative to the scale, for both steps; for differences the largest value.
    pub varies: [f64; 2],
}

impl EnergyRow {
    /// With which power of the step it falls. `None` where rounding is in the way.
    pub fn order(&self) -> Option<f64> {
        let [coarse, fine] = self.varies;
        (fine > ROUNDING && coarse.is_finite()).then(|| (coarse / fine).log2())
    }
}

/// Variations below this are not those of the method.
const ROUNDING: f64 = 1e-12;
