//! A pendulum from its Lagrangian, over a million steps: `cargo run --release -p stationary --example pendulum`.

use stationary::integrate::{Method, Start};
use stationary::model::{Auto, Scalar, System};

/// L = omega^2/2 + cos(theta), in units of length and gravity.
struct Pendulum;

impl System<1> for Pendulum {
    fn lagrangian<S: Scalar>(&self, _t: S, [theta]: [S; 1], [omega]: [S; 1]) -> S {
        omega.squared() * 0.5 + theta.cos()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let start = Start { t: 0.0, q: vec![2.0], p: vec![0.0], h: 0.1 };
    let energy = |q: f64, p: f64| 0.5 * p * p - q.cos();
    for method in [Method::Verlet { order: 2 }, Method::Gauss { stages: 2 }, Method::RungeKutta4] {
        let mut run = method.start(Auto::new(Pendulum), &start, 1e-15)?;
        run.advance(1_000_000)?;
        let view = run.view();
        let change = energy(view.q[0], view.p[0]) - energy(2.0, 0.0);
        println!("{method}: energy changes by {change:.1e} until t = {}", view.t);
    }
    Ok(())
}
