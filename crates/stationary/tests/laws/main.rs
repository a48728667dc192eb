//! Laws before numbers: each law runs over one list of every integrator, and is shown to reject a
//! twin that is broken on purpose.

mod archived;
mod broken;
mod constrained;
mod energy_steps;
mod forced;
mod long_runs;
mod order;
mod reduced;
mod structure;
mod systems;

use stationary::integrate::Method;

/// Every integrator. A new one is one line here.
pub fn methods() -> Vec<Method> {
    let mut all = vec![
        Method::Midpoint { alpha: 0.5 },
        Method::Midpoint { alpha: 0.0 },
        Method::Midpoint { alpha: 0.3 },
        Method::Midpoint { alpha: 1.0 },
        Method::Trapezoidal { alpha: 0.5 },
        Method::Trapezoidal { alpha: 0.2 },
        Method::Verlet { order: 2 },
        Method::Verlet { order: 4 },
        Method::Verlet { order: 6 },
        Method::Verlet { order: 8 },
        Method::Newmark { beta: 0.0, gamma: 0.5 },
        Method::Newmark { beta: 0.25, gamma: 0.5 },
        Method::Newmark { beta: 1.0 / 12.0, gamma: 0.5 },
        Method::Newmark { beta: 0.3, gamma: 0.6 },
        Method::Newmark { beta: 0.0, gamma: 0.7 },
        Method::RungeKutta4,
    ];
    all.extend((1..=8).map(|stages| Method::Gauss { stages }));
    all.extend((2..=8).map(|points| Method::Lobatto { points }));
    all
}

/// The methods that make an action stationary.
pub fn variational() -> impl Iterator<Item = Method> {
    methods().into_iter().filter(Method::variational)
}
