//! The law of an impact: Newton's restitution along the normal, Coulomb's friction along the tangents, and no gain of energy.
//!
//! It is written in *contact space*. Let `u = (u_n, u_t)` be the normal rate and the slip velocity on arrival, `p = (p_n, p_t)` an impulse
//! at the contact, and `W` the Delassus operator, which says how an impulse changes the rates: `u+ = u + W p`. A gap in generalised
//! coordinates has `W = N R N'` with the rows `N` of its normal and its slip and the inverse mass `R`; two rigid bodies have it from
//! their masses, their inertias and the arms of the contact. The kinetic energy changes by
//!
//! ```text
//! G(p) = p.u + p.W p/2 = p.(u + u+)/2.
//! ```
//!
//! 1. The *smooth* impulse `(p_n, 0)` gives the normal rate that restitution asks for, `u_n+ = -e u_n`. It has
//!    `G = p_n (u_n + u_n+)/2 <= 0`, since `0 <= u_n+ <= -u_n`.
//! 2. The *rough* impulse gives the same normal rate, and its friction stops the slip if Coulomb's cone `|p_t| <= mu p_n` allows, else it
//!    opposes the slip with `mu p_n`. Where normal and tangential motion are coupled, `W_nt != 0`, these can ask for `G > 0`,
//!    which is Kane's paradox.
//! 3. `G` is convex, and so is the cone. On the segment from the smooth impulse to the rough one lies a last impulse with `G <= 0`, and
//!    all before it are within the cone and give the same normal rate. That one is taken: the rough impulse itself wherever it adds
//!    no energy.
//!
//! So no impact adds energy, whatever the shapes, masses, restitution and friction. The equations of motion see the impulse through the
//! Lagrange-d'Alembert principle at the impact, [FET03 (2.37)-(2.38)].

use crate::linalg::{Lu, Storage, dot};

/// How surfaces answer an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ContactLaw {
    /// Coefficient of restitution: the rate of opening after an impact over that of closing before it, from 0 to 1.
    pub restitution: f64,
    /// Coulomb's coefficient of friction, at least 0. It compares impulses: the one along the normal of a gap in generalised
    /// coordinates is the multiple of the gap's gradient, which is the physical impulse if the gap is a distance.
    pub friction: f64,
}

impl ContactLaw {
    /// Elastic and without friction.
    pub const ELASTIC: ContactLaw = ContactLaw { restitution: 1.0, friction: 0.0 };

    /// The law of two surfaces that meet: the smaller restitution and the smaller friction.
    pub fn against(self, other: ContactLaw) -> ContactLaw {
        ContactLaw {
            restitution: self.restitution.min(other.restitution),
            friction: self.friction.min(other.friction),
        }
    }
}

impl Default for ContactLaw {
    fn default() -> Self {
        ContactLaw::ELASTIC
    }
}

/// Rates or impulses in contact space: the component along the normal and those along the tangents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Components<T> {
    /// Along the normal.
    pub normal: f64,
    /// Along the tangents.
    pub tangential: T,
}

impl<T: Storage> Components<T> {
    /// `a . b`.
    fn dot(&self, other: &Self) -> f64 {
        self.normal * other.normal + dot(self.tangential.as_slice(), other.tangential.as_slice())
    }

    /// The size of the tangential part.
    pub fn tangential_size(&self) -> f64 {
        let x = self.tangential.as_slice();
        dot(x, x).sqrt()
    }
}

/// One contact in contact space, with a tangential part in `T`: one tangent `[f64; 1]`, or as many as the slip has components.
#[derive(Debug, Clone)]
pub struct ContactSpace<T> {
    /// `u`, the normal rate and the slip on arrival.
    pub before: Components<T>,
    /// `W_nn`.
    pub nn: f64,
    /// `W_nt`.
    pub nt: T,
    /// `W_tt`, by rows.
    pub tt: T,
}

/// What the law asks an impact for.
#[derive(Debug, Clone)]
pub struct Demand<T> {
    /// The change of the normal rate, and that of the slip where friction suffices.
    pub change: Components<T>,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Gains of energy up to this, relative to the energy of the smooth impulse, count as rounding.
    pub rounding: f64,
}

/// How the equations `W p = change` of a contact that sticks are solved. They have the same solution; the last digits depend on the order
/// of operations, which shipped runs keep: the closed form of one tangent for pairs of rigid bodies, which meet millions of times, and
/// elimination in units of the diagonal for gaps, whose coordinates may have any units.
pub trait StickingSolution: Storage {
    /// The impulse; `None` if `W` is singular.
    fn sticking(space: &ContactSpace<Self>, change: &Components<Self>) -> Option<Components<Self>>;
}

impl StickingSolution for [f64; 1] {
    fn sticking(space: &ContactSpace<Self>, change: &Components<Self>) -> Option<Components<Self>> {
        let ContactSpace { nn, nt: [nt], tt: [tt], .. } = *space;
        let Components { normal: change, tangential: [slip_change] } = *change;
        let determinant = nn * tt - nt * nt;
        if !(determinant > 0.0) {
            return None;
        }
        Some(Components {
            normal: (tt * change - nt * slip_change) / determinant,
            tangential: [(nn * slip_change - nt * change) / determinant],
        })
    }
}

impl StickingSolution for Vec<f64> {
    /// In units in which the diagonal is one, so that pivots compare whatever the units of masses.
    fn sticking(space: &ContactSpace<Self>, change: &Components<Self>) -> Option<Components<Self>> {
        let r = space.nt.len();
        let diagonal = std::iter::once(space.nn).chain((0..r).map(|i| space.tt[i * r + i]));
        let unit: Vec<f64> = diagonal.map(unit_of_diagonal).collect();
        let mut lu = Lu::new(1 + r);
        lu.matrix()[0] = 1.0;
        for i in 0..r {
            let mixed = unit[0] * unit[1 + i] * space.nt[i];
            lu.matrix()[1 + i] = mixed;
            lu.matrix()[(1 + i) * (1 + r)] = mixed;
            for j in 0..r {
                lu.matrix()[(1 + i) * (1 + r) + 1 + j] = unit[1 + i] * unit[1 + j] * space.tt[i * r + j];
            }
        }
        if !lu.factor() {
            return None;
        }
        let all = std::iter::once(&change.normal).chain(&change.tangential);
        let mut b: Vec<f64> = all.zip(&unit).map(|(x, unit)| x * unit).collect();
        lu.solve(&mut b);
        b.iter_mut().zip(&unit).for_each(|(b, unit)| *b *= unit);
        let tangential = b.split_off(1);
        Some(Components { normal: b[0], tangential })
    }
}

/// The unit in which a diagonal entry is one; zero stays zero.
pub(crate) fn unit_of_diagonal(entry: f64) -> f64 {
    if entry > 0.0 { entry.sqrt().recip() } else { 1.0 }
}

impl<T: StickingSolution> ContactSpace<T> {
    /// `W p`.
    pub fn response(&self, p: &Components<T>) -> Components<T> {
        let r = self.nt.as_slice().len();
        let mut tangential = self.nt.clone();
        for (i, x) in tangential.as_mut_slice().iter_mut().enumerate() {
            *x = *x * p.normal + dot(&self.tt.as_slice()[i * r..(i + 1) * r], p.tangential.as_slice());
        }
        let normal = self.nn * p.normal + dot(self.nt.as_slice(), p.tangential.as_slice());
        Components { normal, tangential }
    }

    /// The kinetic energy that an impulse adds, `G(p)`.
    pub fn gain(&self, p: &Components<T>) -> f64 {
        p.dot(&self.before) + 0.5 * p.dot(&self.response(p))
    }

    /// The impulse without friction for a change of the normal rate.
    pub fn smooth(&self, change: f64) -> Components<T> {
        let mut tangential = self.nt.clone();
        tangential.as_mut_slice().fill(0.0);
        Components { normal: change / self.nn, tangential }
    }

    /// The impulse of the impact.
    pub fn impulse(&self, demand: &Demand<T>) -> Components<T> {
        let smooth = self.smooth(demand.change.normal);
        if !(demand.friction > 0.0) {
            return smooth;
        }
        let rough = self.rough(demand).unwrap_or_else(|| smooth.clone());
        self.within_energy(&smooth, rough, demand.rounding)
    }

    /// The impulse of Newton's and Coulomb's laws; `None` where friction presses the contact together faster than any impulse along the
    /// normal can part it.
    fn rough(&self, demand: &Demand<T>) -> Option<Components<T>> {
        let mu = demand.friction;
        let sticking = T::sticking(self, &demand.change);
        if let Some(p) = &sticking
            && p.normal >= 0.0
            && p.tangential_size() <= mu * p.normal
        {
            return sticking;
        }
        let direction = self.direction_of_slip(sticking.as_ref())?;
        let effective = self.nn - mu * dot(self.nt.as_slice(), direction.as_slice());
        if !(effective > 0.0) {
            return None;
        }
        let normal = demand.change.normal / effective;
        let size = -mu * normal;
        let mut tangential = direction;
        tangential.as_mut_slice().iter_mut().for_each(|x| *x *= size);
        Some(Components { normal, tangential })
    }

    /// The direction of the slip, or, where nothing slips yet, that in which the contact would begin to: against the impulse that would
    /// keep it from slipping.
    fn direction_of_slip(&self, sticking: Option<&Components<T>>) -> Option<T> {
        let size = self.before.tangential_size();
        if size > 0.0 {
            let mut direction = self.before.tangential.clone();
            direction.as_mut_slice().iter_mut().for_each(|x| *x /= size);
            return Some(direction);
        }
        let sticking = sticking?;
        let size = sticking.tangential_size();
        let mut direction = sticking.tangential.clone();
        direction.as_mut_slice().iter_mut().for_each(|x| *x /= -size);
        (size > 0.0).then_some(direction)
    }

    /// The rough impulse, or as much of it beyond the smooth one as adds no energy.
    fn within_energy(&self, smooth: &Components<T>, rough: Components<T>, rounding: f64) -> Components<T> {
        let base = self.gain(smooth);
        let allowed = base.max(0.0);
        let tolerance = rounding * smooth.normal * self.before.normal.abs();
        if self.gain(&rough) <= allowed + tolerance {
            return rough;
        }
        let mut way = rough;
        way.normal -= smooth.normal;
        let tangential = way.tangential.as_mut_slice().iter_mut();
        tangential.zip(smooth.tangential.as_slice()).for_each(|(x, y)| *x -= y);
        // Along the way the gain is curve s^2 + slope s + base; the constant less what is allowed is not positive.
        let curve = 0.5 * way.dot(&self.response(&way));
        let slope = way.dot(&self.before) + way.dot(&self.response(smooth));
        let rest = base - allowed;
        let root = (slope * slope - 4.0 * curve * rest).max(0.0).sqrt();
        let part = if slope >= 0.0 { -2.0 * rest / (slope + root) } else { (root - slope) / (2.0 * curve) };
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        let mut tangential = smooth.tangential.clone();
        let each = tangential.as_mut_slice().iter_mut().zip(way.tangential.as_slice());
        each.for_each(|(x, way)| *x += part * way);
        Components { normal: smooth.normal + part * way.normal, tangential }
    }
}
