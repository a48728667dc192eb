//! What bodies that collide keep: energy, less what impacts take, and momentum, less what gravity and walls give.

use crate::run::energy_guard::{Energies, EnergyFault, EnergyGuard, Looks};
use crate::run::energy_summary::energy_summary;
use stationary::archive::{Archive, Persist};
use stationary::integrate::collide::Collisions;
use stationary::linalg::Vec3;
use stationary::observe::{Conserved, Record, Scale, Track, record};

/// Quantities followed along the run.
pub(super) struct Invariants {
    energy: Track,
    /// Whether the energy explodes.
    guard: EnergyGuard,
    /// Energy and what impacts have taken so far.
    balance: Track,
    pub scale: Scale,
    /// What impacts have taken.
    lost: f64,
    lossy: bool,
    initial_momentum: Vec3,
    start: f64,
    momentum_scale: f64,
    /// Largest residual of the balance of momentum.
    worst: f64,
    pub min_gap: f64,
    pub most_in_a_step: u64,
    pub with_walls: u64,
    /// Times of the first impact and of the last.
    pub first_and_last: Option<[f64; 2]>,
    /// Kinetic and potential energy, momentum, residual of its balance: as last looked at.
    pub now: ([f64; 2], Vec3, f64),
}

impl Persist for Invariants {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.energy).pass(&mut self.guard).pass(&mut self.balance).pass(&mut self.lost);
        archive.pass(&mut self.momentum_scale).pass(&mut self.worst).pass(&mut self.min_gap);
        archive.pass(&mut self.most_in_a_step).pass(&mut self.with_walls).pass(&mut self.first_and_last);
        archive.pass(&mut self.now).pass(&mut self.scale);
    }
}

impl Invariants {
    /// Of a run of so many steps of some length.
    pub fn new(run: &Collisions, lossy: bool, (steps, step): (f64, f64)) -> Self {
        let [kinetic, potential] = run.energy();
        let mut scale = Scale::unknown();
        scale.see(kinetic + potential, kinetic.abs() + potential.abs());
        let square: f64 = run.world().bodies.iter().map(|b| b.mass * b.position.dot(b.position)).sum();
        Invariants {
            energy: Track::default(),
            guard: EnergyGuard::new(Looks::Rows, square / (step * step), steps),
            balance: Track::default(),
            scale,
            lost: 0.0,
            lossy,
            initial_momentum: run.momentum().0,
            start: run.time(),
            momentum_scale: 0.0,
            worst: 0.0,
            min_gap: f64::INFINITY,
            most_in_a_step: 0,
            with_walls: 0,
            first_and_last: None,
            now: ([kinetic, potential], Vec3::ZERO, 0.0),
        }
    }

    /// Looks at the present moment and at the impacts since the last.
    pub fn look(&mut self, run: &mut Collisions) -> Result<(), EnergyFault> {
        let bodies = run.world().bodies.len();
        for impact in run.happened() {
            let first = self.first_and_last.map_or(impact.time, |[first, _]| first);
            self.first_and_last = Some([first, impact.time]);
            self.with_walls += u64::from(impact.contact.pair[1] >= bodies);
        }
        self.lost = run.lost();
        self.most_in_a_step = self.most_in_a_step.max(run.happened().len() as u64);
        let [kinetic, potential] = run.energy();
        let (momentum, size) = run.momentum();
        let passed = run.time() - self.start;
        let mass: f64 = run.world().bodies.iter().map(|b| b.mass).sum();
        let (walls, gravity) = (run.impulse_of_walls(), run.world().gravity);
        let pulled = gravity.map(|g| mass * g * passed);
        let residual = momentum - self.initial_momentum - pulled - walls;
        // Impulses that cancel are as large as the momenta they carry.
        self.momentum_scale = self.momentum_scale.max(size).max(pulled.norm());
        let residual = residual.norm();
        if residual > self.worst || residual.is_nan() {
            self.worst = residual;
        }
        self.scale.grow(kinetic.abs() + potential.abs());
        self.energy.add(run.time(), kinetic + potential);
        self.balance.add(run.time(), kinetic + potential + self.lost);
        self.now = ([kinetic, potential], momentum, self.relative(residual));
        self.min_gap = run.least_gap();
        // Impacts only take: what they bring in comes from nowhere. Walls stand still, and gravity is in the potential.
        self.guard.see(&Energies { time: run.time(), kinetic, potential, work: 0.0, supplied: 0.0 })
    }

    fn relative(&self, residual: f64) -> f64 {
        if residual == 0.0 { 0.0 } else { residual / self.momentum_scale }
    }

    /// What impacts have taken.
    pub fn lost(&self) -> f64 {
        self.lost
    }

    pub fn energy_error(&self) -> f64 {
        self.scale.part(self.energy.largest_change())
    }

    fn balance_error(&self) -> f64 {
        self.scale.part(self.balance.largest_change())
    }

    /// Its parts of `summary.json`: energy and momentum.
    pub fn summary(&self, space: usize) -> [Record; 2] {
        let mut energy = energy_summary(&self.energy, self.scale.value());
        energy.set("max_balance_error", self.balance_error());
        let momentum = record! {
            "linear": record! {
                "initial": self.initial_momentum.0[..space].to_vec(),
                "scale": self.momentum_scale,
                "max_relative_drift": self.relative(self.worst),
            }
        };
        [energy, momentum]
    }

    pub fn conserved(&self) -> Vec<Conserved> {
        let (what, track) = match self.lossy {
            true => ("energy and what impacts took", &self.balance),
            false => ("energy", &self.energy),
        };
        let change = track.largest_change();
        let energy = Conserved::new(what, self.energy.initial(), [change, self.scale.part(change)]);
        let momentum = Conserved::new(
            "momentum, with impulses of walls and gravity",
            self.initial_momentum.norm(),
            [self.worst, self.relative(self.worst)],
        );
        vec![energy, momentum]
    }
}
