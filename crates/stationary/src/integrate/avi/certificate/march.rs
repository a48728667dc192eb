//! The march: the whole schedule executed on small random motions, in which growth is measured.
//!
//! An unstable vibration is mostly confined to a few elements where levels meet, and has at first a small part of the energy there, and a
//! much smaller part of that of the body. The kinetic energy is therefore followed around every element, over the nodes of the element, as
//! means over eighths of the march.

use super::levels::{FREE_GROWTH, LinearLevels, Motion};
use super::pairs::random_numbers;
use crate::interrupt;
use crate::model::{PotentialFault, Potentials};

/// Number of parts of the march over which energies are averaged.
const PARTS: usize = 8;

/// Energy around an element has grown if its mean over the last part is this many times as large as over any part of the first half.
/// Vibrations exchange energy with their surroundings: on stable meshes of up to 16,000 elements the largest ratio around any of them is 3.4 in
/// 12 periods, 2.3 in 250, and 1.4 in 900 and more.
const GROWN: f64 = 4.0;
const GROWN_IN_LONG_MARCH: f64 = 2.0;

/// Number of periods of a long march.
const LONG: f64 = 800.0;

/// Energy samples of the whole march, at least: more than one in a period where there are few periods.
const SAMPLES: u64 = 64;

/// What the march found.
#[derive(Debug)]
pub(super) struct March {
    pub growth: f64,
    pub element: Option<usize>,
    pub resolution: f64,
    pub periods: u64,
}

/// Marches for about so many smallest time steps, in parts of whole periods where there are enough. Ends early where growth is evident.
pub(super) fn march<P: Potentials>(
    levels: &mut LinearLevels<'_, P>,
    scale: f64,
    steps: u64,
) -> Result<March, PotentialFault> {
    let last = levels.count() - 1;
    let period = 2_u64 << last;
    let whole = PARTS as u64 * period;
    let ticks = if 2 * steps > whole { 2 * steps - 2 * steps % whole } else { (2 * steps).max(1) };
    let periods = ticks as f64 / period as f64;
    let tick_time = 0.5 * scale * levels.level(fastest(levels)).step / (fastest(levels) as f64).exp2();
    let sample_every = 1 << (ticks / SAMPLES).clamp(1, 2 << last).ilog2();
    let grown = if periods < LONG { GROWN } else { GROWN_IN_LONG_MARCH };
    // Twice the rate at which all of the energy around an element would have grown enough: at first a vibration has a part of it.
    let resolution = 2.0 * exponent(grown, 0.5 * periods);
    levels.set_scale(scale);
    let mut motion = start(levels, scale)?;
    let mut energies = Energies::new(levels);
    for tick in 1..=ticks {
        let l = tick.trailing_zeros() as usize;
        let mut evident = false;
        if l <= last {
            levels.drift(l, &mut motion, tick as f64 * tick_time);
            // Small motions that invert an element have grown.
            evident = levels.act(l, scale, &mut motion.v).is_err();
        }
        if tick % sample_every == 0 {
            evident |= energies.sample(&motion.v, (tick - 1) * PARTS as u64 / ticks);
        }
        if evident {
            let element = energies.most(levels.potentials(), &motion.v);
            let growth = energies.latest_growth() / (sample_every as f64 / period as f64);
            return Ok(March { growth, element, resolution, periods: tick.div_ceil(period) });
        }
        if tick % period == 0 && interrupt::requested() {
            break;
        }
    }
    let (growth, element) = energies.growth(levels.potentials(), periods, grown);
    Ok(March { growth, element, resolution, periods: ticks.div_ceil(period) })
}

/// The fastest level with elements.
fn fastest<P: Potentials>(levels: &LinearLevels<'_, P>) -> usize {
    (0..levels.count()).find(|l| !levels.level(*l).list.is_empty()).unwrap_or(0)
}

/// Velocities that small random displacements would cause in one step of every level. They have something of every vibration and nothing of
/// motions without forces. A node with the mass `m` and the smallest step `h` around it is displaced by `h/sqrt(m)` times a random number, which
/// gives all nodes about the same kinetic energy: no part of the body is to gain energy from another.
fn start<P: Potentials>(levels: &mut LinearLevels<'_, P>, scale: f64) -> Result<Motion, PotentialFault> {
    let mut random = random_numbers();
    let mut u: Vec<f64> = levels.inverse_mass().iter().map(|i| i.sqrt() * random()).collect();
    let mut step = vec![0.0; u.len() / 3];
    for l in (0..levels.count()).rev() {
        levels.level(l).nodes.iter().for_each(|a| step[*a as usize] = levels.level(l).step);
    }
    (0..u.len()).for_each(|i| u[i] *= step[i / 3]);
    let largest = u.iter().map(|u| u.abs()).fold(0.0, f64::max);
    if largest > 0.0 {
        u.iter_mut().for_each(|u| *u *= levels.near() / largest);
    }
    let mut v = vec![0.0; u.len()];
    for l in 0..levels.count() {
        levels.displace(l, &u);
        let weight = scale * levels.level(l).step;
        levels.kick(l, weight, &mut v)?;
    }
    let node_time = vec![0.0; u.len() / 3];
    Ok(Motion { u: vec![0.0; u.len()], v, node_time })
}

/// Kinetic energies of the nodes, as sums over parts of the march.
struct Energies {
    mass: Vec<f64>,
    nodes: Vec<[f64; PARTS]>,
    /// Number of samples of each part.
    samples: [u64; PARTS],
    /// The energy of the body in each sample.
    totals: Vec<f64>,
}

impl Energies {
    fn new<P: Potentials>(levels: &LinearLevels<'_, P>) -> Self {
        // The mass of a node whose components are all prescribed does not matter.
        let mass = |i: &[f64]| i.iter().find(|i| **i > 0.0).map_or(0.0, |i| 1.0 / i);
        let mass: Vec<f64> = levels.inverse_mass().chunks_exact(3).map(mass).collect();
        Energies { nodes: vec![[0.0; PARTS]; mass.len()], mass, samples: [0; PARTS], totals: Vec::new() }
    }

    /// Adds a sample to a part; returns whether the energy of the body has grown so much that the march may end.
    fn sample(&mut self, v: &[f64], part: u64) -> bool {
        let part = part as usize;
        self.samples[part] += 1;
        let mut total = 0.0;
        for ((v, mass), node) in v.chunks_exact(3).zip(&self.mass).zip(&mut self.nodes) {
            let energy = kinetic(*mass, v);
            node[part] += energy;
            total += energy;
        }
        self.totals.push(total);
        // A NaN ends it, too.
        !(total <= FREE_GROWTH * self.totals[0])
    }

    /// The growth per sample, by least squares over the last half of the samples; at least the one that is evident, where they are too few
    /// to measure it.
    fn latest_growth(&self) -> f64 {
        let count = self.totals.len();
        let last_half = &self.totals[count / 2..];
        let middle = 0.5 * (last_half.len() as f64 - 1.0);
        let mut products = 0.0;
        let mut squares = 0.0;
        for (i, total) in last_half.iter().enumerate() {
            let time = i as f64 - middle;
            products += time * total.ln();
            squares += time * time;
        }
        let measured = 0.5 * products / squares;
        if measured.is_finite() { measured } else { exponent(FREE_GROWTH, count as f64) }
    }

    /// The element whose nodes have most of the energy.
    fn most<P: Potentials>(&self, potentials: &P, v: &[f64]) -> Option<usize> {
        let of_node = |a: &u32| kinetic(self.mass[*a as usize], &v[3 * *a as usize..][..3]);
        let of = |k: usize| potentials.nodes(k).iter().map(of_node).sum::<f64>();
        (0..potentials.count()).map(|k| (k, of(k))).max_by(|a, b| a.1.total_cmp(&b.1)).map(|(k, _)| k)
    }

    /// The growth per period around the element where the energy grew most, and that element, if it grew.
    fn growth<P: Potentials>(&self, potentials: &P, periods: f64, grown: f64) -> (f64, Option<usize>) {
        let mut worst = 0.0;
        let mut element = None;
        for k in 0..potentials.count() {
            let nodes = potentials.nodes(k);
            let sum = |part: usize| nodes.iter().map(|a| self.nodes[*a as usize][part]).sum::<f64>();
            let mean = |part: usize| sum(part) / self.samples[part].max(1) as f64;
            let ratio = last_over_first_half(&std::array::from_fn::<f64, PARTS, _>(mean));
            if ratio > worst {
                worst = ratio;
                element = Some(k);
            }
        }
        if worst <= grown {
            return (0.0, None);
        }
        (exponent(worst, 0.5 * periods), element)
    }
}

/// The growth of an amplitude per period, if its square grew by a factor in so many.
fn exponent(factor: f64, periods: f64) -> f64 {
    0.5 * factor.ln() / periods
}

fn kinetic(mass: f64, v: &[f64]) -> f64 {
    0.5 * mass * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
}

/// The last of some energies over the largest of the first half; zero if there is none.
fn last_over_first_half(energies: &[f64; PARTS]) -> f64 {
    let before = energies[..PARTS / 2].iter().copied().fold(0.0, f64::max);
    let last = energies[PARTS - 1];
    if last > 0.0 { last / before } else { 0.0 }
}
