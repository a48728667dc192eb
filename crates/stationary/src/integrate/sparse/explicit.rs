//! Kick, drift, kick: the step of explicit methods that evaluate forces at the ends of a step only, with as few passes over
//! the nodes as they can have.
//!
//! The same numbers as the general step, but for rounding.

use super::table::{End, Table};
use super::{Body, Sparse, SparseCause};
use crate::model::Structure;

/// Forces and momenta whose sizes sum to more than this, and larger inverse masses, are left to the general step, which looks
/// at every product; below it none overflows.
const LARGE: f64 = 1e100;

/// The coefficients of such a method, with the length of the step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Coefficients {
    /// `u = drift v + lift M^-1 f0`
    drift: f64,
    lift: f64,
    /// `p1 = p0 + kicks[0] f0 + kicks[1] f1`
    kicks: [f64; 2],
}

/// What such steps keep.
#[derive(Debug)]
pub(super) struct Explicit {
    coefficients: Coefficients,
    /// Whether all momenta are far from overflowing.
    calm: bool,
    /// Whether the trial positions are already those of the step to come.
    pub ahead: bool,
}

impl Explicit {
    /// For tables of two nodes, the ends, both explicit.
    pub(super) fn new(table: &Table, h: f64, inverse: &[f64], p: &[f64]) -> Option<Self> {
        let ends = table.nodes.len() == 2 && table.unknowns() == 0 && table.carries() == Some(1);
        let row = table.rows.last().filter(|r| ends && table.end == End::Node(1) && r.force[1] == 0.0)?;
        let coefficients = Coefficients {
            drift: row.velocity * h,
            lift: row.force[0] * (h * h),
            kicks: [table.weights[0] * h, table.weights[1] * h],
        };
        let small = inverse.iter().all(|x| *x <= LARGE) && h.abs() <= LARGE;
        small.then(|| Explicit { coefficients, calm: calm(p), ahead: false })
    }

    /// The state was changed by others.
    pub(super) fn restart(&mut self, p: &[f64]) {
        (self.calm, self.ahead) = (calm(p), false);
    }
}

/// How many sums are kept side by side.
const SIDE: usize = 8;

/// Adds sizes to sums: a number that is none, or not finite, stays in them.
#[inline(always)]
fn add_sizes(sums: &mut [f64; SIDE], x: &[f64]) {
    let (chunks, rest) = x.as_chunks::<SIDE>();
    for chunk in chunks {
        for i in 0..SIDE {
            sums[i] += chunk[i].abs();
        }
    }
    rest.iter().for_each(|x| sums[0] += x.abs());
}

/// Whether no number is large or none at all.
fn calm(x: &[f64]) -> bool {
    let mut sums = [0.0; SIDE];
    add_sizes(&mut sums, x);
    sums.iter().all(|s| *s <= LARGE)
}

/// What the passes over the nodes read and write, three numbers a node.
struct Nodes<'a> {
    inverse: &'a [f64],
    before: &'a [f64],
    after: &'a [f64],
    x: &'a [f64],
    p: &'a mut [f64],
    v: &'a mut [f64],
    next: &'a mut [f64],
}

impl Coefficients {
    /// Positions at the end of a step, from the forces at its start.
    #[inline(always)]
    fn drift(&self, x: &[f64], v: &[f64], [force, inverse]: [&[f64]; 2], out: &mut [f64]) {
        let n = x.len();
        let (v, force, inverse, out) = (&v[..n], &force[..n], &inverse[..n], &mut out[..n]);
        for i in 0..n {
            out[i] = x[i] + (self.drift * v[i] + self.lift * force[i] * inverse[i]);
        }
    }

    /// Momenta and velocities at the end of a step.
    #[inline(always)]
    fn impulse(&self, [before, after]: [&[f64]; 2], inverse: &[f64], p: &mut [f64], v: &mut [f64]) {
        let n = p.len();
        let (before, after, inverse, v) = (&before[..n], &after[..n], &inverse[..n], &mut v[..n]);
        for i in 0..n {
            p[i] += self.kicks[0] * before[i] + self.kicks[1] * after[i];
            v[i] = p[i] * inverse[i];
        }
    }

    /// The same, and while they are at hand the positions at the end of the next step. In pieces that the nearest memory
    /// holds, so that each is read once from farther away. Whether the momenta are calm.
    fn kick(&self, nodes: Nodes<'_>) -> bool {
        const PIECE: usize = 64 * SIDE;
        let mut sums = [0.0; SIDE];
        let n = nodes.p.len();
        for from in (0..n).step_by(PIECE) {
            let r = from..n.min(from + PIECE);
            let (before, after) = (&nodes.before[r.clone()], &nodes.after[r.clone()]);
            let (inverse, p, v) =
                (&nodes.inverse[r.clone()], &mut nodes.p[r.clone()], &mut nodes.v[r.clone()]);
            self.impulse([before, after], inverse, p, v);
            add_sizes(&mut sums, p);
            self.drift(&nodes.x[r.clone()], v, [after, inverse], &mut nodes.next[r]);
        }
        sums.iter().all(|s| *s <= LARGE)
    }
}

impl<S: Structure> Sparse<S> {
    /// One step; `None` if it must be made in general.
    pub(super) fn kick_drift_kick(&mut self) -> Option<Result<(), SparseCause>> {
        let explicit = self.explicit.as_ref().filter(|e| e.calm && self.carried)?;
        let (c, ahead) = (explicit.coefficients, explicit.ahead);
        if !ahead {
            c.drift(&self.x, &self.v, [&self.forces[0], &self.body.inverse], &mut self.trial);
        }
        let t = self.time_at(self.step + 1);
        self.body.place(t, &mut self.trial);
        if !self.body.held.iter().all(|i| self.body.spare[*i as usize].is_finite()) {
            return None;
        }
        if let Err(fault) = self.body.last_forces(t, self.h, &self.trial, &mut self.forces[1]) {
            return Some(Err(fault.into()));
        }
        if !calm(&self.forces[1]) {
            return Some(Err(unfit(&self.body, [t, self.h], &self.trial, &mut self.forces[1])?));
        }
        self.body.commit();
        std::mem::swap(&mut self.x, &mut self.trial);
        self.finish_explicit(c);
        self.forces.swap(0, 1);
        self.step += 1;
        Some(Ok(()))
    }

    /// The rest of a step, from the forces at both ends.
    fn finish_explicit(&mut self, c: Coefficients) {
        let nodes = Nodes {
            inverse: &self.body.inverse,
            before: &self.forces[0],
            after: &self.forces[1],
            x: &self.x,
            p: &mut self.p,
            v: &mut self.v,
            next: &mut self.trial,
        };
        let calm = c.kick(nodes);
        let mass = self.body.structure.mass();
        for i in self.body.held.iter().map(|i| *i as usize) {
            // Their next positions are placed when the next step begins.
            self.v[i] = self.body.spare[i];
            let momentum = mass[i / 3] * self.v[i];
            self.reactions[i] = (momentum - self.p[i]) / self.h;
            self.p[i] = momentum;
        }
        if let Some(explicit) = &mut self.explicit {
            (explicit.ahead, explicit.calm) = (true, calm);
        }
    }
}

/// Why forces are not calm; `None` if they are only large.
#[cold]
fn unfit<S: Structure>(
    body: &Body<S>,
    [t, dt]: [f64; 2],
    x: &[f64],
    forces: &mut [f64],
) -> Option<SparseCause> {
    // With energies, which name the element.
    body.force(t, dt, x, forces).err()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn explicit_step_detects_a_nan_at_any_position() {
        for n in [1, 7, 8, 9, 40] {
            let x: Vec<f64> = (0..n).map(|i| i as f64 - 3.0).collect();
            assert!(calm(&x));
            for bad in [f64::NAN, f64::INFINITY, -f64::INFINITY, -1e101] {
                for at in 0..n {
                    let mut x = x.clone();
                    x[at] = bad;
                    assert!(!calm(&x), "{bad} at {at} of {n}");
                }
            }
        }
    }
}
