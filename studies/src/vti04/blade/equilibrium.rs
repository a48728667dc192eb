//! The blade that turns without vibrating: its period by the principle of least energy.
//!
//! Of all shapes with the angular momentum `L` of the start, the rotating equilibrium makes `V(x) + L^2/(2 I(x))`
//! stationary, with the moment of inertia `I` about the axis. We search among those shapes of the mesh that stretch along
//! the span and thin across it, both piecewise linear in the distance from the axis (Ritz). That leaves out bending, of which the
//! straight blade has none, and the warping at the ends of the joint.

use super::Body;
use stationary::linalg::Lu;
use std::f64::consts::TAU;

/// Distances from the axis (m) between which the shape is linear: closer to each other at the end of the joint.
const STATIONS: [f64; 18] =
    [0.0, 0.3, 0.55, 0.65, 0.75, 0.9, 1.2, 1.8, 2.4, 3.0, 3.6, 4.2, 4.8, 5.4, 6.0, 6.6, 6.9, 7.2];
/// Parts of the centrifugal load, one after the other.
const LOADS: u32 = 2;

/// A shape: how far each station moves outwards, then by which part the section thins there.
type Shape = Vec<f64>;

/// The equilibrium.
#[derive(Debug, Clone, Copy)]
pub struct Equilibrium {
    /// Seconds a revolution.
    pub period: f64,
    /// Elongation of the blade over its length.
    pub elongation: f64,
    /// Energy (J).
    pub energy: f64,
}

struct Search<'a> {
    body: &'a Body,
    momentum: f64,
    x: Vec<f64>,
    force: Vec<f64>,
}

/// Finds the equilibrium of a body that starts straight at an angular velocity.
pub fn equilibrium(body: &Body, omega: f64) -> Result<Equilibrium, String> {
    let n = body.solid.points().len();
    let mut search = Search { body, momentum: 0.0, x: vec![0.0; n], force: vec![0.0; n] };
    let mut shape = vec![0.0; 2 * STATIONS.len()];
    search.place(&shape);
    let whole = search.inertia() * omega;
    for part in 1..=LOADS {
        search.momentum = whole * (f64::from(part) / f64::from(LOADS)).sqrt();
        search.newton(&mut shape)?;
    }
    let (energy, _) = search.gradient(&shape)?;
    Ok(Equilibrium {
        period: TAU * search.inertia() / whole,
        elongation: shape[STATIONS.len() - 1] / STATIONS[STATIONS.len() - 1],
        energy,
    })
}

/// The station before a distance, and the share of the one after.
fn between(distance: f64) -> (usize, f64) {
    let k = STATIONS.partition_point(|s| *s <= distance).clamp(1, STATIONS.len() - 1) - 1;
    (k, (distance - STATIONS[k]) / (STATIONS[k + 1] - STATIONS[k]))
}

impl Search<'_> {
    /// Puts the nodes where a shape says.
    fn place(&mut self, shape: &[f64]) {
        let (out, thin) = shape.split_at(STATIONS.len());
        for (x, p) in self.x.chunks_exact_mut(3).zip(&self.body.mesh.points) {
            let (k, share) = between(p[0].abs());
            let at = |values: &[f64]| (1.0 - share) * values[k] + share * values[k + 1];
            x[0] = p[0] + p[0].signum() * at(out);
            x[1] = p[1] * (1.0 - at(thin));
            x[2] = p[2] * (1.0 - at(thin));
        }
    }

    fn inertia(&self) -> f64 {
        let mass = self.body.solid.mass();
        self.x.chunks_exact(3).zip(mass).map(|(x, m)| m * (x[0] * x[0] + x[1] * x[1])).sum()
    }

    /// The energy of a shape and its derivatives.
    fn gradient(&mut self, shape: &[f64]) -> Result<(f64, Shape), String> {
        self.place(shape);
        let elastic = self.body.solid.gradient(0.0, &self.x, &mut self.force).map_err(|f| f.why())?;
        let inertia = self.inertia();
        let square = (self.momentum / inertia).powi(2);
        let mut gradient = vec![0.0; shape.len()];
        for (a, p) in self.body.mesh.points.iter().enumerate() {
            let (k, share) = between(p[0].abs());
            let turning = square * self.body.solid.mass()[a];
            let (x, f) = (&self.x[3 * a..3 * a + 3], &self.force[3 * a..3 * a + 3]);
            let out = p[0].signum() * (f[0] - turning * x[0]);
            let thin = -p[1] * (f[1] - turning * x[1]) - p[2] * f[2];
            for (k, weight) in [(k, 1.0 - share), (k + 1, share)] {
                gradient[k] += weight * out;
                gradient[STATIONS.len() + k] += weight * thin;
            }
        }
        // The axis stays where it is.
        gradient[0] = shape[0];
        Ok((elastic + 0.5 * square * inertia, gradient))
    }

    /// Newton's method, second derivatives by differences.
    fn newton(&mut self, shape: &mut Shape) -> Result<(), String> {
        const STEP: f64 = 1e-7;
        let n = shape.len();
        let mut lu = Lu::new(n);
        for _ in 0..20 {
            let (_, mut rest) = self.gradient(shape)?;
            for j in 0..n {
                let mut near = shape.clone();
                near[j] += STEP;
                let (_, moved) = self.gradient(&near)?;
                (0..n).for_each(|i| lu.matrix()[i * n + j] = (moved[i] - rest[i]) / STEP);
            }
            if !lu.factor() {
                return Err("the rotating equilibrium is not unique".into());
            }
            lu.solve(&mut rest);
            shape.iter_mut().zip(&rest).for_each(|(s, d)| *s -= d);
            if rest.iter().all(|d| d.abs() < 1e-10) {
                return Ok(());
            }
        }
        Err("no rotating equilibrium was found".into())
    }
}

#[cfg(test)]
mod tests {
    use super::super::CASES;
    use super::*;

    #[test]
    fn blade_equilibrium_gradient_is_the_derivative_of_the_energy() {
        let body = CASES[2].body().unwrap();
        let n = body.solid.points().len();
        let mut search = Search { body: &body, momentum: 3e4, x: vec![0.0; n], force: vec![0.0; n] };
        let shape: Shape = (0..2 * STATIONS.len()).map(|k| 1e-3 * ((k * k) as f64).sin()).collect();
        let (_, gradient) = search.gradient(&shape).unwrap();
        for j in [1, 5, 17, 18, 25, 35] {
            let mut at = |d: f64| {
                let mut near = shape.clone();
                near[j] += d;
                search.gradient(&near).unwrap().0
            };
            let slope = (at(1e-6) - at(-1e-6)) / 2e-6;
            assert!(
                (slope - gradient[j]).abs() < 1e-5 * gradient[j].abs().max(1e3),
                "{j}: {slope} {}",
                gradient[j]
            );
        }
    }

    #[test]
    fn stiff_rotating_blade_stretches_like_a_rod() {
        // u(R) = rho omega^2 R^3 / (3 E) to first order, E = 5/2 mu where both constants are alike.
        let body = CASES[0].body().unwrap();
        let found = equilibrium(&body, 4.0).unwrap();
        let rod = 250.0 * 16.0 * 7.2f64.powi(2) / (3.0 * 2.5 * 0.98e9);
        assert!((found.elongation / rod - 1.0).abs() < 0.01, "{} {rod}", found.elongation);
    }
}
