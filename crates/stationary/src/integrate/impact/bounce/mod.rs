//! Impacts on their own path: the trapezoidal rule of a separable system with a diagonal mass matrix, whose impacts are elastic, without
//! friction, and one at a time [FET03 5.1].
//!
//! There the leg of length `d` that leaves `q`, `p` has the mean momentum `m = p + (1-alpha) d f(q)` and ends at
//! `q + d M^-1 m`: explicit in its length, so the time of an impact is one equation in one unknown, (5.5), and so is the impulse
//! `lambda` along the normal, (5.7), with which the leg that leaves has the energy
//! `m.M^-1 m/2 + (1-alpha) V(q) + alpha V(q1)` of the one that arrived, (5.6a). All lives in arrays whose sizes the compiler knows.
//! Whatever is not of this kind, [`Colliding`] does, step by step, from the same state; it gives the same numbers (law:
//! `bounce_and_the_general_path_agree`).

mod contact;
mod plain;

use super::Colliding;
use crate::action::{DiscreteLagrangian, Galerkin, Leg};
use crate::archive::{Archive, Persist};
use crate::contact::{Gap, GapImpact, Simultaneous};
use crate::error::RunError;
use crate::integrate::{Integrator, Start, View};
use crate::model::{Bounds, Jet, Lagrangian, Mass};
use contact::{Cut, Workspace};
use plain::Plane;

/// Steps `N` coordinates.
pub struct Bounce<L, G, const N: usize> {
    /// The same steps on the general path: for those that need it, and for what only observers ask. What it knows is brought up
    /// to date for either.
    whole: Colliding<Galerkin<L>, G>,
    alpha: f64,
    start: f64,
    h: f64,
    step: u64,
    now: Point<N>,
    /// The gaps, and by how much they grew in the last step.
    open: Vec<f64>,
    trend: Vec<f64>,
    last: Last<N>,
    /// Legs and impacts of the last step, where it was cut.
    cut: Cut<N>,
    spare: Cut<N>,
    /// `1/m` of each coordinate.
    inverse: [f64; N],
    /// `V(0)` if the force is the same everywhere: `V` is then an affine function.
    uniform: Option<f64>,
    /// The gaps, where all are planes.
    planes: Vec<Plane<N>>,
    work: Workspace,
    iterations: u64,
}

/// A state and the force there.
#[derive(Debug, Clone, Copy)]
struct Point<const N: usize> {
    q: [f64; N],
    p: [f64; N],
    f: [f64; N],
}

impl<const N: usize> Point<N> {
    #[inline(always)]
    fn is_finite(&self) -> bool {
        let mut sum = 0.0;
        for i in 0..N {
            sum += self.q[i].abs() + self.p[i].abs();
        }
        sum < f64::INFINITY
    }
}

/// How the last step was made.
#[derive(Debug, Clone, Copy)]
enum Last<const N: usize> {
    /// There was none.
    Never,
    /// Without an impact, from this place with this mean momentum.
    Plain([f64; N], [f64; N]),
    /// With impacts.
    Cut,
    /// On the general path.
    Whole,
}

impl<L: Lagrangian, G: Gap, const N: usize> Bounce<L, G, N> {
    /// Starts the trapezoidal rule with the parameter `alpha` as [`Colliding::new`] does; all impacts are elastic and without
    /// friction. `None` unless the system is separable with a diagonal mass matrix and there are `N` coordinates.
    pub fn new(lagrangian: L, alpha: f64, gaps: G, start: &Start) -> Result<Option<Self>, RunError> {
        let inverse = lagrangian.mass().and_then(Mass::inverse_diagonal).and_then(|d| d.try_into().ok());
        let Some(inverse) = inverse else { return Ok(None) };
        let (count, mut jet) = (gaps.count(), Jet::new(N));
        let uniform = lagrangian.uniform().then(|| {
            lagrangian.first(start.t, &[0.0; N], &[0.0; N], &mut jet);
            -jet.value()
        });
        let planes = Plane::all(&gaps, start);
        let whole = Colliding::new(Galerkin::trapezoidal(lagrangian, alpha), gaps, start)?;
        let fixed = |x: &[f64]| std::array::from_fn(|i| x[i]);
        let now = Point { q: fixed(&start.q), p: fixed(&start.p), f: [0.0; N] };
        let mut bounce = Bounce {
            whole,
            alpha,
            start: start.t,
            h: start.h,
            step: 0,
            now,
            open: vec![0.0; count],
            trend: vec![0.0; count],
            last: Last::Never,
            cut: Cut::default(),
            spare: Cut::default(),
            inverse,
            uniform,
            planes,
            work: Workspace {
                bounds: Bounds::new(N, count),
                jet,
                ends: Vec::new(),
                values: vec![0.0; count],
            },
            iterations: 0,
        };
        bounce.arrive();
        Ok(Some(bounce))
    }

    /// Sets the size of the last Newton correction, relative to the increments, below which a leg of the general path is solved.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.whole = self.whole.tolerance(tolerance);
        self
    }

    /// Sets what happens when several gaps close at the same time.
    pub fn simultaneous(mut self, simultaneous: Simultaneous) -> Self {
        self.whole = self.whole.simultaneous(simultaneous);
        self
    }

    fn system(&self) -> &L {
        self.whole.parts().0.system()
    }

    fn gaps(&self) -> &G {
        self.whole.parts().1
    }

    #[inline(always)]
    fn time(&self, step: u64) -> f64 {
        self.start + step as f64 * self.h
    }

    /// Learns force and gaps of a state that was given from outside; the next step looks at the gaps closely.
    fn arrive(&mut self) {
        let (t, q) = (self.time(self.step), self.now.q);
        let (ld, gaps) = self.whole.parts();
        ld.system().force(t, &q, &mut self.now.f);
        // All of it once, for what is always the same and then not written again.
        gaps.first(t, &q, &mut self.work.bounds);
        self.open.copy_from_slice(self.work.bounds.value());
        self.trend.fill(f64::INFINITY);
    }

    /// Whether the general path holds more of the state than position and momentum.
    fn led(&self) -> bool {
        matches!(self.last, Last::Whole) && !self.whole.free()
    }

    /// One step in which a gap may close.
    fn careful(&mut self) -> Result<(), RunError> {
        let led = self.led();
        if !led && let Some(to) = self.through() {
            self.now = to;
            std::mem::swap(&mut self.cut, &mut self.spare);
            self.last = match self.cut.legs.as_slice() {
                [leg] => Last::Plain(leg.q, leg.mean),
                _ => Last::Cut,
            };
            self.step += 1;
            return Ok(());
        }
        if !led && self.whole().is_none() {
            self.whole.place(self.step, [&self.now.q, &self.now.p], &[], &[]);
        }
        self.whole.advance(1)?;
        let view = self.whole.view();
        self.now.q.copy_from_slice(view.q);
        self.now.p.copy_from_slice(view.p);
        self.step = view.step;
        self.last = Last::Whole;
        self.arrive();
        Ok(())
    }

    /// The general path after the last step.
    fn whole(&mut self) -> Option<&mut Colliding<Galerkin<L>, G>> {
        let (t, h, inverse) = (self.time(self.step.checked_sub(1)?), self.h, self.inverse);
        let leg = |t: f64, h: f64, q: &[f64; N], mean: &[f64; N]| {
            let u = (0..N).map(|i| h * inverse[i] * mean[i]).collect();
            Leg { t, h, q: q.to_vec(), u }
        };
        let (legs, impacts) = match &self.last {
            Last::Never => return None,
            Last::Whole => return Some(&mut self.whole),
            Last::Plain(q, mean) => (vec![leg(t, h, q, mean)], [].as_slice()),
            Last::Cut => {
                let legs = self.cut.legs.iter().map(|x| leg(x.t, x.h, &x.q, &x.mean)).collect();
                (legs, self.cut.impacts.as_slice())
            }
        };
        self.whole.place(self.step, [&self.now.q, &self.now.p], &legs, impacts);
        Some(&mut self.whole)
    }
}

impl<L: Lagrangian, G: Gap, const N: usize> Integrator for Bounce<L, G, N> {
    fn advance(&mut self, steps: u64) -> Result<(), RunError> {
        let mut left = steps;
        while left > 0 {
            if !self.led() {
                left -= self.plain(left);
            }
            if left > 0 {
                self.careful()?;
                left -= 1;
            }
        }
        Ok(())
    }

    fn view(&self) -> View<'_> {
        let q = &self.now.q;
        View { step: self.step, t: self.time(self.step), q, p: &self.now.p, canonical: q }
    }

    fn discrete_energy(&mut self) -> Option<f64> {
        self.whole()?.discrete_energy()
    }

    fn action(&mut self) -> Option<f64> {
        self.whole()?.action()
    }

    fn tangent(&mut self, matrix: &mut [f64]) -> bool {
        self.whole().is_some_and(|whole| whole.tangent(matrix))
    }

    fn work(&mut self) -> Option<f64> {
        match self.last {
            Last::Whole => self.whole.work(),
            _ => None,
        }
    }

    fn impacts(&self) -> &[GapImpact] {
        match self.last {
            Last::Whole => self.whole.impacts(),
            Last::Cut => &self.cut.impacts,
            Last::Never | Last::Plain(..) => &[],
        }
    }

    fn iterations(&self) -> u64 {
        self.iterations + self.whole.iterations()
    }
}

impl<const N: usize> Persist for Last<N> {
    fn pass(&mut self, archive: &mut Archive) {
        let (mut q, mut mean) = ([0.0; N], [0.0; N]);
        let mut kind: usize = match self {
            Last::Never => 0,
            Last::Plain(from, momentum) => {
                (q, mean) = (*from, *momentum);
                1
            }
            Last::Cut => 2,
            Last::Whole => 3,
        };
        archive.pass(&mut kind).pass(&mut q).pass(&mut mean);
        *self = match kind {
            0 => Last::Never,
            1 => Last::Plain(q, mean),
            2 => Last::Cut,
            3 => Last::Whole,
            other => return archive.refuse(format!("step of kind {other}")),
        };
    }
}

impl<L: Lagrangian, G: Gap, const N: usize> Persist for Bounce<L, G, N> {
    fn pass(&mut self, archive: &mut Archive) {
        archive.pass(&mut self.whole).pass(&mut self.step).pass(&mut self.last).pass(&mut self.cut);
        archive.pass(&mut self.now.q).pass(&mut self.now.p).pass(&mut self.now.f);
        archive.fixed(&mut self.open).fixed(&mut self.trend).pass(&mut self.iterations);
    }
}
