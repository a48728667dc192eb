//! The levels of a harmonic schedule, linearised about given positions by differences of forces.

mod act;

use super::super::harmonic_clock::HarmonicClock;
use super::SmallMotions;
use super::boundary::LinearBoundary;
use crate::model::{CompiledPrefix, NodalKicks, PotentialFault, Potentials};

/// Displacements are at first this part of the smallest distance between two nodes of an element: small enough for forces to be linear, and
/// for energies that grow by [`FREE_GROWTH`]; large enough for their differences to have seven digits.
const NEAR: f64 = 1e-7;

/// The energy may grow by this factor before forces are no longer linear.
pub(super) const FREE_GROWTH: f64 = 1e4;

/// Number of elements evaluated one by one where the compiled form stopped, before it continues.
const ONE_BY_ONE: usize = 64;

/// All levels, with the positions at which they are evaluated.
#[derive(Debug)]
pub(super) struct LinearLevels<'a, P> {
    potentials: &'a P,
    t: f64,
    x: &'a [f64],
    /// One over the mass of each component; zero where it is prescribed.
    inverse_mass: Vec<f64>,
    levels: Vec<Level>,
    /// The boundary of each level with the next faster one; empty where levels act with their impulses.
    boundaries: Vec<Option<LinearBoundary>>,
    /// The displaced position of each node, and one over its mass.
    at: Vec<[f64; 4]>,
    /// The displaced positions again, three numbers a node.
    displaced: Vec<f64>,
    /// The gradient of one element.
    scratch: Vec<f64>,
    /// Displacements by the kicks of a boundary; zero between them.
    kicked: Vec<f64>,
    /// Size of small displacements.
    near: f64,
    updates: u64,
}

/// The elements of one level.
#[derive(Debug)]
pub(super) struct Level {
    /// The time step.
    pub step: f64,
    pub list: Vec<u32>,
    compiled: Vec<CompiledPrefix>,
    /// The nodes of the elements, ascending.
    pub nodes: Vec<u32>,
    /// The prescribed components of these nodes.
    fixed: Vec<u32>,
    /// The accelerations of these nodes in the positions about which motions are small: they are subtracted from every kick.
    rest: Vec<[f64; 3]>,
}

impl<'a, P: Potentials> LinearLevels<'a, P> {
    /// The levels of these time steps; `None` if they are not a base step times powers of two.
    pub fn new(potentials: &'a P, about: SmallMotions<'a>) -> Option<Result<Self, PotentialFault>> {
        let clock = HarmonicClock::new(about.step, true, 0.0)?;
        let nodes = about.mass.len();
        assert_eq!((about.x.len(), about.step.len()), (3 * nodes, potentials.count()), "lengths");
        let mut inverse_mass: Vec<f64> = about.mass.iter().flat_map(|m| [1.0 / m; 3]).collect();
        if let Some(supports) = potentials.supports() {
            (0..inverse_mass.len()).filter(|i| supports.is_fixed(*i)).for_each(|i| inverse_mass[i] = 0.0);
        }
        let mut lists = vec![Vec::new(); clock.levels()];
        (0..potentials.count()).for_each(|k| lists[clock.level(k)].push(k as u32));
        let level = |list: Vec<u32>| {
            let step = list.first().map_or(0.0, |k| about.step[*k as usize]);
            Level::new(potentials, list, step, &inverse_mass)
        };
        let levels: Vec<Level> = lists.into_iter().map(level).collect();
        let widest = (0..potentials.count()).map(|k| potentials.nodes(k).len()).max().unwrap_or(0);
        let mut all = LinearLevels {
            potentials,
            t: about.t,
            x: about.x,
            inverse_mass,
            levels,
            boundaries: Vec::new(),
            at: about.mass.iter().map(|m| [0.0, 0.0, 0.0, 1.0 / m]).collect(),
            displaced: about.x.to_vec(),
            scratch: vec![0.0; 3 * widest],
            kicked: vec![0.0; about.x.len()],
            near: NEAR * smallest_distance(potentials, about.x),
            updates: 0,
        };
        Some(all.find_rest().map(|()| all))
    }

    /// Finds the accelerations of each level at rest.
    fn find_rest(&mut self) -> Result<(), PotentialFault> {
        let still = vec![0.0; self.x.len()];
        let mut v = still.clone();
        for l in 0..self.levels.len() {
            self.displace(l, &still);
            self.kick_of(Part::Level(l), 1.0, &mut v)?;
            let level = &mut self.levels[l];
            level.set_rest(&mut v);
        }
        Ok(())
    }

    pub fn count(&self) -> usize {
        self.levels.len()
    }

    /// Number of levels with elements.
    pub fn occupied(&self) -> usize {
        self.levels.iter().filter(|level| !level.list.is_empty()).count()
    }

    pub fn level(&self, l: usize) -> &Level {
        &self.levels[l]
    }

    pub fn potentials(&self) -> &P {
        self.potentials
    }

    /// Number of components of all nodes.
    pub fn components(&self) -> usize {
        self.x.len()
    }

    pub fn inverse_mass(&self) -> &[f64] {
        &self.inverse_mass
    }

    /// Size of small displacements.
    pub fn near(&self) -> f64 {
        self.near
    }

    pub fn reset_updates(&mut self) {
        self.updates = 0;
    }

    /// Number of evaluations of elements since the last reset.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// The sum of a cost over the evaluations of elements in one smallest time step, on average.
    pub fn cost_per_step(&self, of_element: &dyn Fn(usize) -> f64) -> f64 {
        let sum = |level: &Level| level.list.iter().map(|k| of_element(*k as usize)).sum::<f64>();
        let boundary = |l: usize| self.boundaries.get(l).and_then(Option::as_ref);
        let at_boundary = |b: &LinearBoundary| b.iterations() as f64 * sum(&b.level);
        let cost = |(l, level): (usize, &Level)| {
            (sum(level) + boundary(l).map_or(0.0, at_boundary)) * (-(l as f64)).exp2()
        };
        self.levels.iter().enumerate().map(cost).sum()
    }

    /// Displaces the nodes of a level by `u`, three numbers for every node of the body.
    pub fn displace(&mut self, l: usize, u: &[f64]) {
        for a in &self.levels[l].nodes {
            let a = *a as usize;
            for i in 0..3 {
                self.displaced[3 * a + i] = self.x[3 * a + i] + u[3 * a + i];
                self.at[a][i] = self.displaced[3 * a + i];
            }
        }
    }

    /// Moves the nodes of a level on straight lines to a time, and displaces them there.
    pub fn drift(&mut self, l: usize, motion: &mut Motion, t: f64) {
        for a in &self.levels[l].nodes {
            let a = *a as usize;
            let ahead = t - motion.node_time[a];
            for i in 0..3 {
                motion.u[3 * a + i] += ahead * motion.v[3 * a + i];
                self.displaced[3 * a + i] = self.x[3 * a + i] + motion.u[3 * a + i];
                self.at[a][i] = self.displaced[3 * a + i];
            }
            motion.node_time[a] = t;
        }
    }

    /// `v -= weight M^-1 K_l u` for the nodes of a level, where `u` is the displacement they have.
    pub fn kick(&mut self, l: usize, weight: f64, v: &mut [f64]) -> Result<(), PotentialFault> {
        self.kick_of(Part::Level(l), weight, v)
    }

    fn kick_of(&mut self, part: Part, weight: f64, v: &mut [f64]) -> Result<(), PotentialFault> {
        let level = match part {
            Part::Level(l) => &self.levels[l],
            Part::Boundary(l) => match &self.boundaries[l] {
                Some(boundary) => &boundary.level,
                None => return Ok(()),
            },
        };
        self.updates += level.list.len() as u64;
        let mut start = 0;
        for prefix in &level.compiled {
            let end = start + prefix.count;
            let mut next = start;
            while next < end {
                let mut until = end;
                if let Some(compiled) = &prefix.potentials {
                    let kicks = NodalKicks::new(&self.at, weight, v);
                    // SAFETY: `at` and `v` have numbers for all nodes and are borrowed by this call; no other thread uses them.
                    next = start + unsafe { compiled.kick(next - start..prefix.count, &kicks) };
                    until = end.min(next + ONE_BY_ONE);
                }
                for k in &level.list[next..until] {
                    let nodes = self.potentials.nodes(*k as usize);
                    let gradient = &mut self.scratch[..3 * nodes.len()];
                    self.potentials.gradient(*k as usize, self.t, &self.displaced, gradient)?;
                    // Stiffness damping stiffens. That it also takes energy, as mass-proportional damping does, is left out.
                    let beta = self.potentials.stiffness_damping(*k as usize);
                    let weight = weight * stiffening(beta, level.step);
                    for (a, gradient) in nodes.iter().zip(gradient.chunks_exact(3)) {
                        let weight = weight * self.at[*a as usize][3];
                        (0..3).for_each(|i| v[3 * *a as usize + i] -= weight * gradient[i]);
                    }
                }
                next = until;
            }
            start = end;
        }
        for (a, rest) in level.nodes.iter().zip(&level.rest) {
            (0..3).for_each(|i| v[3 * *a as usize + i] -= weight * rest[i]);
        }
        level.fixed.iter().for_each(|i| v[*i as usize] = 0.0);
        Ok(())
    }
}

/// By what stiffness damping with the time `beta` stiffens an element against a vibration from step to step: `K + 2 beta K/h`.
fn stiffening(beta: f64, step: f64) -> f64 {
    if beta > 0.0 { 1.0 + 2.0 * beta / step } else { 1.0 }
}

/// A level, or its elements at the boundary with the next faster one.
#[derive(Debug, Clone, Copy)]
enum Part {
    Level(usize),
    Boundary(usize),
}

/// Displacements and velocities of all nodes, each at its own time.
#[derive(Debug, Clone)]
pub(super) struct Motion {
    pub u: Vec<f64>,
    pub v: Vec<f64>,
    pub node_time: Vec<f64>,
}

impl Level {
    /// Takes the accelerations at rest from `v`, which is zero again then.
    fn set_rest(&mut self, v: &mut [f64]) {
        for (a, rest) in self.nodes.iter().zip(&mut self.rest) {
            let v = &mut v[3 * *a as usize..][..3];
            rest.copy_from_slice(v);
            v.fill(0.0);
        }
    }

    /// Elements of one time step.
    pub fn new<P: Potentials>(potentials: &P, list: Vec<u32>, step: f64, inverse_mass: &[f64]) -> Self {
        let mut compiled = Vec::new();
        let mut first = 0;
        while first < list.len() {
            let mut prefix = potentials.compile(&list[first..], &|_| true);
            assert!(prefix.count > 0, "at least one potential is compiled");
            if list[first..][..prefix.count].iter().any(|k| potentials.stiffness_damping(*k as usize) > 0.0) {
                // The compiled form does not know how much it is stiffened.
                prefix.potentials = None;
            }
            first += prefix.count;
            compiled.push(prefix);
        }
        let mut nodes: Vec<u32> = list.iter().flat_map(|k| potentials.nodes(*k as usize)).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let components = nodes.iter().flat_map(|a| 3 * a..3 * a + 3);
        let fixed = components.filter(|i| inverse_mass[*i as usize] == 0.0).collect();
        let rest = vec![[0.0; 3]; nodes.len()];
        Level { step, list, compiled, nodes, fixed, rest }
    }
}

/// The smallest distance between two nodes of an element that are not at one place; one if there are none.
fn smallest_distance<P: Potentials>(potentials: &P, x: &[f64]) -> f64 {
    let mut least = f64::INFINITY;
    for k in 0..potentials.count() {
        let nodes = potentials.nodes(k);
        for (n, a) in nodes.iter().enumerate() {
            for b in &nodes[..n] {
                let difference = |i: usize| x[3 * *a as usize + i] - x[3 * *b as usize + i];
                let square = (0..3).map(|i| difference(i).powi(2)).sum::<f64>();
                if square > 0.0 {
                    least = least.min(square);
                }
            }
        }
    }
    if least.is_finite() { least.sqrt() } else { 1.0 }
}
