//! The balance of energy of each element, which the equations of motion do not enforce [AVI03 (43)], [VTI04 (97)].

/// Residuals of all elements.
///
/// At event `j` of element `K` the balance asks for `T- + V(x^j) + dt dV/dt = T+ + V(x^(j+1))`, with the kinetic energies of
/// its nodes before and after the kick; a support that moves its nodes brings in its work. What is left over is known at
/// the next event.
#[derive(Debug, Clone)]
pub struct LocalEnergy {
    /// The left side less `T+`, waiting for the next event; NaN before the first.
    pending: Vec<f64>,
    /// `T- + V` at the last event, without loads.
    energy: Vec<f64>,
    /// The residual at the last event.
    last: Vec<f64>,
    accumulated: Vec<f64>,
    worst: Vec<f64>,
    worst_accumulated: Vec<f64>,
    /// Elements whose loads have no potential: no balance is asked of them.
    exempt: Vec<bool>,
    /// Energies below this are not divided by: an element at rest has no relative error.
    floor: f64,
}

impl LocalEnergy {
    pub(super) fn new(count: usize, floor: f64) -> Self {
        LocalEnergy {
            pending: vec![f64::NAN; count],
            energy: vec![0.0; count],
            last: vec![0.0; count],
            accumulated: vec![0.0; count],
            worst: vec![0.0; count],
            worst_accumulated: vec![0.0; count],
            exempt: vec![false; count],
            floor,
        }
    }

    pub(super) fn exempt(&mut self, k: usize) {
        self.exempt[k] = true;
    }

    /// An event: kinetic energies of the nodes before and after, the element's potential and that of its loads, and
    /// what changing loads and moving supports bring in.
    #[inline]
    pub(super) fn record(&mut self, k: usize, kinetic: [f64; 2], potential: [f64; 2], inflow: f64) {
        let ([before, after], [own, loads]) = (kinetic, potential);
        let potential = own + loads;
        let residual = self.pending[k] - potential;
        self.pending[k] = before - after + potential + inflow;
        // Without the loads: their potential has no natural zero to be relative to.
        self.energy[k] = before + own;
        if residual.is_nan() {
            return;
        }
        self.last[k] = residual;
        self.accumulated[k] += residual;
        if self.energy[k].abs() > self.floor {
            let scale = 1.0 / self.energy[k].abs();
            self.worst[k] = self.worst[k].max((residual * scale).abs());
            self.worst_accumulated[k] = self.worst_accumulated[k].max((self.accumulated[k] * scale).abs());
        }
    }

    /// The residual of an element at its last event.
    pub fn residual(&self, k: usize) -> f64 {
        self.last[k]
    }

    /// The same over the element's energy; zero while it has none, NaN under pressure.
    pub fn relative(&self, k: usize) -> f64 {
        match (self.exempt[k], self.energy[k].abs() > self.floor) {
            (true, _) => f64::NAN,
            (false, true) => self.last[k] / self.energy[k].abs(),
            (false, false) => 0.0,
        }
    }

    /// The sum of an element's residuals: the energy it holds too much.
    pub fn accumulated(&self, k: usize) -> f64 {
        self.accumulated[k]
    }

    /// An element's energy at its last event: its own potential, and the kinetic energy of its nodes.
    pub fn energy(&self, k: usize) -> f64 {
        self.energy[k]
    }

    /// The largest residual of each element so far relative to its energy at the time; none for elements under
    /// pressure, and those that have had no energy.
    pub fn worst(&self) -> impl Iterator<Item = f64> {
        self.worst.iter().zip(&self.exempt).filter(|(_, exempt)| !**exempt).map(|(worst, _)| *worst)
    }

    /// The largest accumulated residual of an element so far relative to its energy at the time.
    pub fn worst_accumulated(&self, k: usize) -> f64 {
        self.worst_accumulated[k]
    }

    /// The part of the elements whose largest relative residual is below a bound.
    pub fn fraction_below(&self, bound: f64) -> f64 {
        let count = self.worst().count();
        self.worst().filter(|w| *w < bound).count() as f64 / count.max(1) as f64
    }

    pub(super) fn save(&self) -> Vec<f64> {
        self.clone().lists().into_iter().flat_map(|list| list.iter().copied()).chain([self.floor]).collect()
    }

    pub(super) fn restore(&mut self, saved: &[f64]) {
        let count = self.pending.len();
        for (list, saved) in self.lists().into_iter().zip(saved.chunks_exact(count.max(1))) {
            list.copy_from_slice(saved);
        }
        self.floor = saved[6 * count];
    }

    fn lists(&mut self) -> [&mut Vec<f64>; 6] {
        [
            &mut self.pending,
            &mut self.energy,
            &mut self.last,
            &mut self.accumulated,
            &mut self.worst,
            &mut self.worst_accumulated,
        ]
    }
}
