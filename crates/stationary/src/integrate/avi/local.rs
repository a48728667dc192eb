//! The balance of energy of each element, which the equations of motion do not enforce [AVI03 3.4], [VTI04 6.2].
//!
//! It is the derivative of the discrete action in the time `t_K^j` of an event, the positions held fixed. The segments of the nodes
//! before and after the event give `T+ - T-`; the potential gives what the weights `w^i` of `- sum_i w^i V(x^i, t^i)` make of it:
//!
//! - constant steps, `w^i = t^(i+1) - t^i`: `T- + V^j + w^j dV/dt = T+ + V^(j+1)` [AVI03 (43)], [VTI04 (97)];
//! - steps that change, `w^i = (t^(i+1) - t^(i-1))/2`, the trapezoidal rule: `t^j` stands in the weights of the two events around it, so
//!   `T- + V^(j-1)/2 + w^j dV/dt = T+ + V^(j+1)/2`.
//!
//! The kinetic energies are those of the element's nodes before and after the kick; a support that moves its nodes brings in its
//! work.

/// Residuals of all elements, left side less right side; that of an event is known at the next one.
#[derive(Debug, Clone)]
pub struct LocalEnergy {
    /// The left side less `T+`, waiting for the next event; NaN before the first.
    pending: Vec<f64>,
    /// `V` at the last event, NaN before the first; only where steps change, else empty.
    previous: Vec<f64>,
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
    /// For so many elements, whose steps may change.
    pub(super) fn new(count: usize, floor: f64, changing: bool) -> Self {
        LocalEnergy {
            pending: vec![f64::NAN; count],
            previous: vec![f64::NAN; if changing { count } else { 0 }],
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
        let residual;
        if let Some(previous) = self.previous.get_mut(k) {
            residual = self.pending[k] - 0.5 * potential;
            self.pending[k] = before - after + 0.5 * *previous + inflow;
            *previous = potential;
        } else {
            residual = self.pending[k] - potential;
            self.pending[k] = before - after + potential + inflow;
        }
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
        let lists = self.clone().lists().map(std::mem::take);
        lists.into_iter().flatten().chain([self.floor]).chain(self.previous.iter().copied()).collect()
    }

    pub(super) fn restore(&mut self, saved: &[f64]) {
        let count = self.pending.len();
        for (list, saved) in self.lists().into_iter().zip(saved.chunks_exact(count.max(1))) {
            list.copy_from_slice(saved);
        }
        self.floor = saved[6 * count];
        self.previous.copy_from_slice(&saved[6 * count + 1..]);
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
