//! The boundary between two levels of harmonic time steps: the Moreau envelope of the slower level.
//!
//! At a node shared by elements of a fast level (step `h`) and of the next slower one (`2h`, events in the middle) two large forces
//! balance. Between the impulse of the slow elements and those of the fast ones the node swings by `(h^2/2) M^-1 grad V_s`: the two sides see
//! different positions, even at rest, and the method is first-order accurate. The slow level therefore acts with the potential
//!
//! ```text
//! V~_s(x) = min_y V_s(y) + sum_a m_a |y_a - x_a|^2 / (2 lambda),    lambda = h^2/2,    a over the shared nodes,
//! grad V~_s(x) = grad V_s(y),    y_a = x_a - (lambda/m_a) dV_s/dy_a on shared nodes, y_a = x_a elsewhere.
//! ```
//!
//! `y` is the mean of the positions of the node at the fast events before and after the slow one: half of the slow impulse might
//! as well act at each of these events. A state of rest is exact. The envelope is a potential with the symmetries of `V_s`: the method stays
//! variational. The same with loads: those of slow elements belong to `V_s`.
//!
//! `y` is found from `y = x` by one evaluation with a factor for each node ([`nodal`]), or by a fixed number of Chebyshev iterations
//! ([`iteration`]). Neither depends on an earlier event. For small
//! motions this is the gradient of a quadratic potential exactly, whatever the number of iterations: with `b` an eigenvalue of
//! `lambda M^-1 K_s` on shared nodes and `E(b)` the error polynomial, `K~ = K_s - K_s Q K_s` with `Q = lambda M^-1 (1 - E)/(1 + b)` symmetric, and
//! `0 <= K~ <= K_s` for every `|E| <= 1`; with one evaluation `Q` is diagonal. The rest of the iteration would leave a torque `r x grad V_s` with the residual `r`; it is
//! balanced by impulses on neighbouring nodes ([`torque`]), so that angular momentum is conserved to rounding.
//!
//! Nodes at which levels differ by more than one keep the impulse: the fast events between two slow ones then see different positions, and no
//! potential of the slow level removes this. With the default buffer there are none.

mod events;
pub(super) mod iteration;
pub(super) mod nodal;
mod part;
mod shown;
pub(super) mod spectrum;
mod torque;

use super::clocks::Clocks;
use super::harmonic_clock::HarmonicClock;
use crate::model::Potentials;
use iteration::{ONE_EVALUATION, TOLERANCE, coefficients};
use nodal::{factor, nodal_eigenvalues};
pub(super) use part::{EnvelopeArrays, EnvelopePart};
use spectrum::{Patch, largest_eigenvalue};
use std::sync::Arc;
use torque::Group;

/// How a slower level acts on the nodes that it shares with the next faster one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Boundary {
    /// With the impulse of its forces at the time of its event, as in the papers: first-order accurate.
    Impulse,
    /// With the gradient of the Moreau envelope of its potential, approximated by one more evaluation: second-order accurate.
    #[default]
    Envelope,
    /// With the gradient of the Moreau envelope, iterated to a part of 6e-3 of the swing of the shared nodes; two more evaluations or three.
    IteratedEnvelope,
}

impl Boundary {
    /// Whether slower levels act with an envelope.
    pub fn has_envelope(self) -> bool {
        self != Boundary::Impulse
    }

    /// How the levels of these potentials act. Stiffness damping knows no envelope: it would take the way to where the envelope evaluates a force
    /// for a velocity, and pump energy into the nodes that levels share.
    pub(super) fn of<P: Potentials>(self, potentials: &P) -> Self {
        let damped = (0..potentials.count()).any(|k| potentials.stiffness_damping(k) > 0.0);
        if damped { Boundary::Impulse } else { self }
    }
}

/// The boundaries of all levels with the next faster one.
#[derive(Debug, Clone)]
pub(super) struct Envelope {
    boundary: Boundary,
    /// The level of each element.
    level: Vec<u8>,
    /// For each level its boundary; absent if it shares no nodes with the next faster level.
    levels: Arc<Vec<Option<LevelBoundary>>>,
    /// Positions, velocities, directions and displacements of the iteration, three numbers a node each.
    scratch: [Vec<f64>; 4],
    /// Positions and inverse masses, for events that are executed one by one.
    at: Vec<[f64; 4]>,
}

/// The boundary of a level with the next faster one.
#[derive(Debug, Clone)]
pub(super) struct LevelBoundary {
    /// The shared nodes, ascending.
    pub nodes: Vec<u32>,
    /// Its connected parts, in which torques are balanced.
    groups: Vec<Group>,
    /// The elements that have a shared node, in the order of their events.
    pub elements: Vec<u32>,
    spectrum: Spectrum,
    /// All of it, for one thread.
    pub whole: EnvelopePart,
}

/// The eigenvalues of `M^-1 K_s` on the shared nodes of a level, as far as they are needed.
#[derive(Debug, Clone)]
pub(super) enum Spectrum {
    /// One for each shared node: one evaluation is to do.
    Nodal(Vec<f64>),
    /// The largest, for the iteration.
    Largest(f64),
}

impl Spectrum {
    /// Of a patch, with the time step of its level.
    pub fn new<P: Potentials>(patch: &Patch<'_, P>, boundary: Boundary, step: f64) -> Self {
        match boundary {
            Boundary::Envelope => Spectrum::Nodal(nodal_eigenvalues(patch, step)),
            Boundary::IteratedEnvelope | Boundary::Impulse => Spectrum::Largest(largest_eigenvalue(patch)),
        }
    }

    /// The coefficients `[keep, gain]` of all iterations.
    pub fn coefficients(&self, step: f64) -> Vec<[f64; 2]> {
        match self {
            Spectrum::Nodal(_) => vec![ONE_EVALUATION],
            Spectrum::Largest(largest) => coefficients(step, *largest, TOLERANCE),
        }
    }

    /// By what the gain is multiplied for the shared node of this number.
    pub fn factor(&self, node: usize, step: f64) -> f64 {
        match self {
            Spectrum::Nodal(nodal) => factor(step, nodal[node]),
            Spectrum::Largest(_) => 1.0,
        }
    }

    /// The largest one times the square of a time step; where it is not known, that of a step at the limit of stability.
    fn largest_of_step(&self, step: f64) -> f64 {
        match self {
            Spectrum::Nodal(_) => 4.0,
            Spectrum::Largest(largest) => step * step * largest,
        }
    }

    /// All its numbers.
    fn numbers(&self) -> &[f64] {
        match self {
            Spectrum::Nodal(nodal) => nodal,
            Spectrum::Largest(largest) => std::slice::from_ref(largest),
        }
    }

    /// Takes its numbers from the first of a list; returns the others.
    fn restore<'a>(&mut self, numbers: &'a [f64]) -> &'a [f64] {
        let (own, others) = numbers.split_at(self.numbers().len());
        match self {
            Spectrum::Nodal(nodal) => nodal.copy_from_slice(own),
            Spectrum::Largest(largest) => *largest = own[0],
        }
        others
    }
}

/// What the boundaries are made of.
pub(super) struct Mesh<'a, P> {
    pub potentials: &'a P,
    pub clocks: &'a Clocks,
    pub inverse_mass: &'a [f64],
    pub x: &'a [f64],
}

impl Envelope {
    /// `None` if no level shares nodes with the next faster one.
    pub fn new<P: Potentials>(mesh: &Mesh<'_, P>, clock: &HarmonicClock, boundary: Boundary) -> Option<Self> {
        let count = mesh.potentials.count();
        let nodes = mesh.inverse_mass.len() / 3;
        let level: Vec<u8> = (0..count).map(|k| clock.level(k) as u8).collect();
        let shared = shared_nodes(mesh.potentials, &level, nodes);
        let mut lists = vec![Vec::new(); clock.levels()];
        for k in mesh.clocks.ranked() {
            let l = level[k as usize];
            if mesh.potentials.nodes(k as usize).iter().any(|a| shared[*a as usize] == Some(l)) {
                lists[usize::from(l)].push(k);
            }
        }
        let at = mesh.inverse_mass.chunks_exact(3).map(|i| [0.0, 0.0, 0.0, of_node(i)]).collect();
        let scratch = [(); 4].map(|()| vec![0.0; 3 * nodes]);
        let mut all = Envelope { boundary, level, levels: Arc::default(), scratch, at };
        let mut levels = Vec::new();
        for (l, elements) in lists.into_iter().enumerate() {
            let nodes: Vec<u32> =
                (0..nodes as u32).filter(|a| shared[*a as usize] == Some(l as u8)).collect();
            let own = (!nodes.is_empty()).then(|| LevelBoundary::new(mesh, nodes, elements, boundary));
            levels.push(own);
        }
        all.levels = Arc::new(levels);
        all.levels.iter().any(Option::is_some).then_some(all)
    }

    /// The boundaries of all levels.
    pub fn levels(&self) -> Arc<Vec<Option<LevelBoundary>>> {
        Arc::clone(&self.levels)
    }

    /// The boundary of a level.
    pub fn level(&self, l: usize) -> Option<&LevelBoundary> {
        self.levels.get(l).and_then(Option::as_ref)
    }

    /// The level of an element, if it has a boundary.
    pub fn level_of(&self, k: usize) -> Option<usize> {
        let l = usize::from(self.level[k]);
        self.level(l).map(|_| l)
    }

    /// The arrays of the iteration.
    pub fn arrays(&mut self) -> EnvelopeArrays {
        let [x, v, direction, displacement] = self.scratch.each_mut().map(|s| s.as_mut_ptr());
        EnvelopeArrays { x, v, direction, displacement }
    }

    /// The eigenvalues by which the iterations are made, of all levels with a boundary.
    pub fn eigenvalues(&self) -> Vec<f64> {
        self.levels.iter().flatten().flat_map(|b| b.spectrum.numbers()).copied().collect()
    }

    /// Continues with these eigenvalues.
    pub fn restore(&mut self, eigenvalues: &[f64], clocks: &Clocks) {
        let levels = Arc::make_mut(&mut self.levels);
        levels.iter_mut().flatten().fold(eigenvalues, |numbers, b| b.spectrum.restore(numbers));
        self.set_steps(clocks);
    }

    /// Follows a change of all time steps.
    pub fn set_steps(&mut self, clocks: &Clocks) {
        for boundary in Arc::make_mut(&mut self.levels).iter_mut().flatten() {
            let step = boundary.step(clocks);
            boundary.set_step(step);
        }
    }

    /// Memory in bytes.
    pub fn memory(&self) -> usize {
        let of_level = |b: &LevelBoundary| {
            size_of::<u32>() * (b.nodes.capacity() + b.elements.capacity())
                + size_of_val(b.spectrum.numbers())
                + b.groups.iter().map(|g| size_of::<Group>() + g.memory()).sum::<usize>()
                + b.whole.memory()
        };
        self.level.capacity()
            + self.levels.iter().flatten().map(of_level).sum::<usize>()
            + self.scratch.iter().map(|s| size_of::<f64>() * s.capacity()).sum::<usize>()
            + size_of::<[f64; 4]>() * self.at.capacity()
    }
}

impl LevelBoundary {
    fn new<P: Potentials>(mesh: &Mesh<'_, P>, nodes: Vec<u32>, elements: Vec<u32>, kind: Boundary) -> Self {
        let groups = torque::groups(mesh, &nodes, &elements);
        let whole = EnvelopePart::new(mesh.potentials, elements.as_slice().into(), nodes.clone(), &|_| true);
        let step = elements.first().map_or(0.0, |k| mesh.clocks.step[*k as usize]);
        let patch = Patch {
            potentials: mesh.potentials,
            t: mesh.clocks.start,
            x: mesh.x,
            inverse_mass: mesh.inverse_mass,
            nodes: &nodes,
            elements: elements.clone(),
        };
        let spectrum = Spectrum::new(&patch, kind, step);
        let mut boundary = LevelBoundary { nodes, groups, elements, spectrum, whole };
        boundary.set_step(step);
        boundary
    }

    /// The iteration of one thread follows a change of the time step.
    fn set_step(&mut self, step: f64) {
        let factors = (0..self.nodes.len()).map(|n| self.spectrum.factor(n, step)).collect();
        self.whole.set_step(step, self.spectrum.coefficients(step), factors);
    }

    /// One of its elements: they all have the same clock.
    pub fn first_element(&self) -> usize {
        self.elements.first().map_or(0, |k| *k as usize)
    }

    /// The time step of the level.
    pub fn step(&self, clocks: &Clocks) -> f64 {
        clocks.step.get(self.first_element()).copied().unwrap_or(0.0)
    }

    /// The part of it with the nodes that a thread owns.
    pub fn part<P: Potentials>(&self, potentials: &P, step: f64, own: &dyn Fn(u32) -> bool) -> EnvelopePart {
        let nodes: Vec<u32> = self.nodes.iter().copied().filter(|a| own(*a)).collect();
        let touches =
            |k: &&u32| potentials.nodes(**k as usize).iter().any(|a| nodes.binary_search(a).is_ok());
        let elements: Vec<u32> = self.elements.iter().filter(touches).copied().collect();
        let mut part = EnvelopePart::new(potentials, elements.into(), nodes, own);
        let owned = self.nodes.iter().enumerate().filter(|(_, a)| own(**a));
        let factors = owned.map(|(n, _)| self.spectrum.factor(n, step)).collect();
        part.set_step(step, self.spectrum.coefficients(step), factors);
        part
    }
}

/// One over the mass of a node, from its components; zero if all are prescribed.
pub(super) fn of_node(inverse_mass: &[f64]) -> f64 {
    inverse_mass.iter().copied().fold(0.0, f64::max)
}

/// For each node the slower of two neighbouring levels that share it; `None` at nodes of one level, and at those whose levels differ by
/// more than one.
pub(super) fn shared_nodes<P: Potentials>(potentials: &P, level: &[u8], nodes: usize) -> Vec<Option<u8>> {
    let mut range = vec![(u8::MAX, 0); nodes];
    for (k, l) in level.iter().enumerate() {
        for a in potentials.nodes(k) {
            let (least, most) = &mut range[*a as usize];
            *least = (*least).min(*l);
            *most = (*most).max(*l);
        }
    }
    range.into_iter().map(|(least, most)| (least < most && most - least == 1).then_some(most)).collect()
}
