//! Chains of springs between two walls: steps, exact propagators of linear ones, and the same as potentials.

use super::matrix::{Matrix, exponent};
use super::{Clock, Random};
use stationary::integrate::avi::{Buffer, harmonic};
use stationary::model::solid::MassSplit;
use stationary::model::{PotentialFault, Potentials};

/// Springs in a row; the ends are held.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Stiffness of each spring.
    pub stiffness: Vec<f64>,
    /// Mass of each node, one more than springs; the first and the last do not move.
    pub mass: Vec<f64>,
    /// `V = k (d^2 / 2 + s d^4 / 4)`.
    pub stiffening: f64,
    nodes: Vec<u32>,
}

/// How stiffness, 1 to 100, is laid along a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A stiff middle with soft flanks.
    Smooth,
    /// A stiff patch with edges.
    Abrupt,
    /// Patches of 4 to 14 springs, each of its own stiffness.
    Patches,
    /// No two neighbours alike.
    Random,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 4] = [Kind::Smooth, Kind::Abrupt, Kind::Patches, Kind::Random];

    /// In a word.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Smooth => "smooth",
            Kind::Abrupt => "abrupt",
            Kind::Patches => "patches",
            Kind::Random => "random",
        }
    }
}

impl Chain {
    /// A chain of these springs with equal masses.
    pub fn new(stiffness: Vec<f64>) -> Self {
        let count = stiffness.len() as u32;
        let nodes = (0..count).flat_map(|k| [k, k + 1]).collect();
        Chain { mass: vec![1.0; stiffness.len() + 1], stiffness, stiffening: 0.0, nodes }
    }

    /// A chain of a kind, scattered by a fifth where it would be smooth.
    pub fn of(kind: Kind, count: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut patch = (0, 0.0);
        let stiffness = (0..count)
            .map(|k| {
                let s = (k as f64 + 0.5) / count as f64 - 0.5;
                let scatter = (0.35 * (2.0 * random.next() - 1.0)).exp();
                match kind {
                    Kind::Smooth => scatter * 100_f64.powf((-(s / 0.1).powi(2)).exp()),
                    Kind::Abrupt => scatter * if s.abs() < 0.05 { 100.0 } else { 1.0 },
                    Kind::Random => 100_f64.powf(random.next()),
                    Kind::Patches => {
                        if patch.0 == 0 {
                            patch = (4 + (11.0 * random.next()) as usize, 100_f64.powf(random.next()));
                        }
                        patch.0 -= 1;
                        patch.1
                    }
                }
            })
            .collect();
        Chain::new(stiffness)
    }

    /// Three to twelve springs and as many masses by lot.
    pub fn by_lot(random: &mut Random) -> Self {
        let count = 3 + (10.0 * random.next()) as usize;
        let mut chain = Chain::new((0..count).map(|_| 100_f64.powf(random.next())).collect());
        if random.next() < 0.5 {
            chain.stiffness.sort_by(f64::total_cmp);
        }
        chain.mass.iter_mut().for_each(|m| *m = 4_f64.powf(random.next() - 0.5));
        chain
    }

    /// `2 / omega` of every spring alone with its part of the masses.
    pub fn limits(&self, split: MassSplit) -> Vec<f64> {
        let last = self.stiffness.len();
        let part = |k: usize, node: usize| {
            let there = [node.checked_sub(1), (node < last).then_some(node)];
            let weigh = |k: usize| if split == MassSplit::Stiffness { self.stiffness[k] } else { 1.0 };
            self.mass[node] * weigh(k) / there.iter().flatten().map(|k| weigh(*k)).sum::<f64>()
        };
        let limit = |k: usize| {
            // The walls are heavy: only free nodes count.
            let free = [k, k + 1].into_iter().filter(|a| *a > 0 && *a < last);
            2.0 / (self.stiffness[k] * free.map(|a| 1.0 / part(k, a)).sum::<f64>()).sqrt()
        };
        (0..last).map(limit).collect()
    }

    /// Steps at a part of the limits: powers of two times a base.
    pub fn steps(&self, fraction: f64, split: MassSplit, buffer: Buffer) -> Vec<f64> {
        let stable: Vec<f64> = self.limits(split).iter().map(|h| fraction * h).collect();
        harmonic(self, &stable, buffer)
    }

    /// The linear motion over the largest step, `(x, v)` to `(x, v)` of the free nodes. Steps are powers of two times
    /// the smallest. `mollified`: a spring with faster neighbours sees its nodes at the mean of where these would take
    /// them in a step forth and a step back, `x - h^2/2 M^-1 grad V_fast`, and the impulses follow from that potential.
    pub fn propagator(&self, step: &[f64], clock: Clock, mollified: bool) -> Matrix {
        let base = step.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = step.iter().copied().fold(0.0, f64::max);
        let level: Vec<u32> = step.iter().map(|h| (h / base).log2().round() as u32).collect();
        let ticks = (largest / base).round() as u64;
        let mut flow = Flow::new(self);
        match clock {
            Clock::Ends => {
                for tick in 1..=ticks {
                    flow.drift(base);
                    let due = tick.trailing_zeros();
                    for l in 0..=due {
                        flow.kick(&level, l, base, mollified);
                    }
                }
            }
            Clock::Middles => {
                for tick in 1..2 * ticks {
                    flow.drift(0.5 * base);
                    flow.kick(&level, tick.trailing_zeros(), base, mollified);
                }
                flow.drift(0.5 * base);
            }
        }
        flow.matrix()
    }

    /// The growth of the linear motion for each smallest step, with these steps.
    pub fn growth(&self, step: &[f64], clock: Clock, mollified: bool, doublings: u32) -> f64 {
        let base = step.iter().copied().fold(f64::INFINITY, f64::min);
        let largest = step.iter().copied().fold(0.0, f64::max);
        exponent(&self.propagator(step, clock, mollified), doublings) * base / largest
    }
}

/// Positions and velocities of all nodes as functions of those of the free nodes at the start.
struct Flow<'a> {
    chain: &'a Chain,
    width: usize,
    x: Vec<f64>,
    v: Vec<f64>,
}

impl<'a> Flow<'a> {
    fn new(chain: &'a Chain) -> Self {
        let free = chain.mass.len() - 2;
        let width = 2 * free;
        let (mut x, mut v) = (vec![0.0; width * (free + 2)], vec![0.0; width * (free + 2)]);
        for a in 1..=free {
            x[a * width + a - 1] = 1.0;
            v[a * width + free + a - 1] = 1.0;
        }
        Flow { chain, width, x, v }
    }

    fn drift(&mut self, h: f64) {
        self.x.iter_mut().zip(&self.v).for_each(|(x, v)| *x += h * v);
    }

    /// Adds `factor K y` of the springs at a level to `out`.
    fn pull(&self, level: &[u32], at: u32, factor: f64, y: &[f64], out: &mut [f64]) {
        let w = self.width;
        for k in (0..level.len()).filter(|k| level[*k] == at) {
            let s = factor * self.chain.stiffness[k];
            for i in 0..w {
                let d = s * (y[(k + 1) * w + i] - y[k * w + i]);
                out[k * w + i] -= d;
                out[(k + 1) * w + i] += d;
            }
        }
    }

    /// Divides by the masses; the walls do not move.
    fn accelerate(&self, force: &mut [f64]) {
        let last = self.chain.mass.len() - 1;
        for (a, (row, m)) in force.chunks_exact_mut(self.width).zip(&self.chain.mass).enumerate() {
            let inverse = if a == 0 || a == last { 0.0 } else { 1.0 / m };
            row.iter_mut().for_each(|f| *f *= inverse);
        }
    }

    fn kick(&mut self, level: &[u32], at: u32, base: f64, mollified: bool) {
        if !level.contains(&at) {
            return;
        }
        let weight = base * f64::from(at).exp2();
        let mollified = mollified && at > 0;
        let c = 0.125 * weight * weight;
        let mut y = self.x.clone();
        if mollified {
            let mut fast = vec![0.0; y.len()];
            self.pull(level, at - 1, -c, &self.x, &mut fast);
            self.accelerate(&mut fast);
            y.iter_mut().zip(&fast).for_each(|(y, f)| *y += f);
        }
        let mut force = vec![0.0; y.len()];
        self.pull(level, at, -weight, &y, &mut force);
        if mollified {
            let mut shift = force.clone();
            self.accelerate(&mut shift);
            self.pull(level, at - 1, -c, &shift, &mut force);
        }
        self.accelerate(&mut force);
        self.v.iter_mut().zip(&force).for_each(|(v, f)| *v += f);
    }

    fn matrix(&self) -> Matrix {
        let w = self.width;
        let free = |rows: &[f64]| rows[w..rows.len() - w].to_vec();
        let mut entries = free(&self.x);
        entries.extend(free(&self.v));
        Matrix { size: w, entries }
    }
}

impl Potentials for Chain {
    fn count(&self) -> usize {
        self.stiffness.len()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        &self.nodes[2 * k..2 * k + 2]
    }
    fn gradient(&self, k: usize, _t: f64, x: &[f64], out: &mut [f64]) -> Result<f64, PotentialFault> {
        let (d, s) = (x[3 * k + 3] - x[3 * k], self.stiffness[k]);
        let value = s * (0.5 * d * d + 0.25 * self.stiffening * d.powi(4));
        if !value.is_finite() {
            return Err(PotentialFault { number: k, why: "its energy is not a finite number".into() });
        }
        let f = s * (d + self.stiffening * d.powi(3));
        out.copy_from_slice(&[-f, 0.0, 0.0, f, 0.0, 0.0]);
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::resonance::start;
    use std::sync::Arc;

    /// The matrices are those of the library's engine.
    #[test]
    fn chain_propagator_agrees_with_the_integrator() {
        let chain = Arc::new(Chain::of(Kind::Patches, 24, 3));
        let step = chain.steps(0.7, MassSplit::Own, Buffer::Jump);
        let largest = step.iter().copied().fold(0.0, f64::max);
        for clock in [Clock::Ends, Clock::Middles] {
            let matrix = chain.propagator(&step, clock, false);
            let free = matrix.size / 2;
            let mut x = vec![0.0; 3 * chain.mass.len()];
            let mut v = x.clone();
            let mut random = Random::new(5);
            for a in 1..=free {
                (x[3 * a], v[3 * a]) = (random.next(), random.next());
            }
            let mut mass = chain.mass.clone();
            (mass[0], mass[free + 1]) = (1e300, 1e300);
            let mut run = start(&chain, clock, (x, v), mass, step.clone()).unwrap();
            // Velocities as they stand behind the last kick: what the matrix maps.
            let now = |run: &stationary::integrate::avi::Avi<Arc<Chain>>, t: f64| -> Vec<f64> {
                let shot = run.snapshot().unwrap();
                assert_eq!(shot.t, t);
                let of = |y: &[f64]| (1..=free).map(|a| y[3 * a]).collect::<Vec<_>>();
                [of(&shot.x), of(run.velocities())].concat()
            };
            let before = now(&run, 0.0);
            run.advance(largest).unwrap();
            let after = now(&run, largest);
            for (row, after) in matrix.entries.chunks_exact(2 * free).zip(after) {
                let want: f64 = row.iter().zip(&before).map(|(m, b)| m * b).sum();
                assert!((want - after).abs() < 1e-12, "{clock:?}: {want} {after}");
            }
        }
    }

    /// Two levels of ratio two, `h` and `2h`: with `h^2/2 K_fast + h^2 K_slow < M`, which any split of the masses gives
    /// at `1/sqrt(2)` of the limits, nothing grows.
    #[test]
    fn chain_with_two_levels_of_ratio_two_below_0_707_never_grows() {
        let mut random = Random::new(29);
        let mut unstable = [0, 0];
        for _ in 0..60 {
            let chain = Chain::by_lot(&mut random);
            for split in [MassSplit::Own, MassSplit::Stiffness] {
                let limits = chain.limits(split);
                let least = limits.iter().copied().fold(f64::INFINITY, f64::min);
                for (i, f) in [0.707, 0.97].into_iter().enumerate() {
                    let step: Vec<f64> = limits
                        .iter()
                        .map(|h| f * if *h >= 2.0 * least { 2.0 * least } else { least })
                        .collect();
                    for clock in [Clock::Ends, Clock::Middles] {
                        let rate = chain.growth(&step, clock, false, 20);
                        unstable[i] += usize::from(!(rate < 1e-5));
                    }
                }
            }
        }
        assert_eq!(unstable[0], 0);
        assert!(unstable[1] > 0, "nearer the limit some must");
    }

    /// What is variational is symplectic: `P' J M P = J M`.
    #[test]
    fn chain_propagators_are_symplectic() {
        let chain = Chain::of(Kind::Patches, 16, 2);
        let step = chain.steps(0.8, MassSplit::Stiffness, Buffer::Jump);
        for (clock, mollified) in [(Clock::Ends, false), (Clock::Ends, true), (Clock::Middles, true)] {
            let p = chain.propagator(&step, clock, mollified);
            let (n, free) = (p.size, p.size / 2);
            for i in 0..n {
                for j in 0..n {
                    let form = (0..free).map(|a| {
                        let (x, v) = (a * n, (a + free) * n);
                        p.entries[x + i] * p.entries[v + j] - p.entries[v + i] * p.entries[x + j]
                    });
                    let want = f64::from(u8::from(j == i + free)) - f64::from(u8::from(i == j + free));
                    assert!((form.sum::<f64>() - want).abs() < 1e-11);
                }
            }
        }
    }
}
