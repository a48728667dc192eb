//! A Lagrangian from one Rust function, generic over the scalar: automatic differentiation does the rest.

use super::{Dual, Dual2, Jet, Lagrangian, Mass, Scalar};

/// A system of `N` coordinates given by its Lagrangian alone.
///
/// ```
/// use stationary::model::{Auto, Lagrangian, Scalar, System};
///
/// struct Pendulum { length: f64 }
/// impl System<1> for Pendulum {
///     fn lagrangian<S: Scalar>(&self, _t: S, [theta]: [S; 1], [omega]: [S; 1]) -> S {
///         (omega * self.length).squared() * 0.5 + theta.cos() * (9.81 * self.length)
///     }
/// }
/// let pendulum = Auto::new(Pendulum { length: 2.0 });
/// assert_eq!(pendulum.dimension(), 1);
/// ```
pub trait System<const N: usize>: Send + Sync {
    /// `L(t, q, v)`.
    fn lagrangian<S: Scalar>(&self, t: S, q: [S; N], v: [S; N]) -> S;
}

/// Makes a [`Lagrangian`] of a [`System`] by automatic differentiation.
#[derive(Debug, Clone)]
pub struct Auto<T, const N: usize>(T);

impl<T: System<N>, const N: usize> Auto<T, N> {
    /// Wraps the system.
    pub fn new(system: T) -> Self {
        Auto(system)
    }
}

impl<T: System<N>, const N: usize> Lagrangian for Auto<T, N> {
    #[inline]
    fn dimension(&self) -> usize {
        N
    }

    #[inline]
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let l = self.second_dual(t, q, v);
        write_first(&l, jet);
        let (q, v) = (constants(q), constants(v));
        *jet.parts_of(N).dt = self.0.lagrangian(Dual::variable(t, 0), q, v).gradient[0];
    }

    #[inline]
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let l = self.second_dual(t, q, v);
        write_first(&l, jet);
        write_second(&l, jet);
    }

    #[inline]
    fn whole(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        // `L` comes along.
        self.second(t, q, v, jet);
    }
}

impl<T: System<N>, const N: usize> Auto<T, N> {
    #[inline(always)]
    fn second_dual(&self, t: f64, q: &[f64], v: &[f64]) -> Dual2<N> {
        let (mut dq, mut dv) = ([Dual2::from(0.0); N], [Dual2::from(0.0); N]);
        for i in 0..N {
            dq[i] = Dual2::position(q[i], i);
            dv[i] = Dual2::velocity(v[i], i);
        }
        self.0.lagrangian(Dual2::from(t), dq, dv)
    }
}

#[inline(always)]
fn constants<const N: usize>(x: &[f64]) -> [Dual<1>; N] {
    std::array::from_fn(|i| Dual::from(x[i]))
}

#[inline(always)]
fn write_first<const N: usize>(l: &Dual2<N>, jet: &mut Jet) {
    let parts = jet.parts_of(N);
    *parts.value = l.value;
    parts.dq.copy_from_slice(&l.q);
    parts.dv.copy_from_slice(&l.v);
}

#[inline(always)]
fn write_second<const N: usize>(l: &Dual2<N>, jet: &mut Jet) {
    let parts = jet.parts_of(N);
    parts.dqq.copy_from_slice(l.qq.as_flattened());
    parts.dqv.copy_from_slice(l.qv.as_flattened());
    parts.dvv.copy_from_slice(l.vv.as_flattened());
}

/// Point masses in a potential: `L = sum m_i v_i^2/2 - V(t, q)`, separable by construction and so
/// open to explicit integrators.
pub trait Potential<const N: usize>: Send + Sync {
    /// The mass of each coordinate.
    fn masses(&self) -> [f64; N];
    /// `V(t, q)`.
    fn potential<S: Scalar>(&self, t: S, q: [S; N]) -> S;
}

/// Makes a separable [`Lagrangian`] of a [`Potential`] by automatic differentiation.
#[derive(Debug, Clone)]
pub struct Newtonian<T, const N: usize> {
    system: T,
    masses: [f64; N],
    mass: Mass,
}

impl<T: Potential<N>, const N: usize> Newtonian<T, N> {
    /// Wraps the system. `None` when a mass is zero or not finite.
    pub fn new(system: T) -> Option<Self> {
        let masses = system.masses();
        let mass = Mass::diagonal(&masses)?;
        Some(Newtonian { system, masses, mass })
    }
}

impl<T: Potential<N>, const N: usize> Lagrangian for Newtonian<T, N> {
    #[inline]
    fn dimension(&self) -> usize {
        N
    }

    #[inline]
    fn first(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let potential = self.potential_gradient(t, q);
        let parts = jet.parts_of(N);
        *parts.value = -potential.value;
        for i in 0..N {
            let p = self.masses[i] * v[i];
            *parts.value += 0.5 * p * v[i];
            parts.dq[i] = -potential.gradient[i];
            parts.dv[i] = p;
        }
        *parts.dt = -self.system.potential(Dual::variable(t, 0), constants(q)).gradient[0];
    }

    #[inline(always)]
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.potential_and_second(t, q, v, jet);
    }

    #[inline(always)]
    fn whole(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let potential = self.potential_and_second(t, q, v, jet);
        let mut kinetic = 0.0;
        for i in 0..N {
            kinetic += 0.5 * self.masses[i] * v[i] * v[i];
        }
        *jet.parts_of(N).value = kinetic - potential;
    }

    #[inline(always)]
    fn gradient(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let potential = self.potential_gradient(t, q);
        let parts = jet.parts_of(N);
        let (dq, dv, v) = (parts.dq, parts.dv, &v[..N]);
        for i in 0..N {
            dq[i] = -potential.gradient[i];
            dv[i] = self.masses[i] * v[i];
        }
    }

    #[inline]
    fn mass(&self) -> Option<&Mass> {
        Some(&self.mass)
    }

    #[inline]
    fn force(&self, t: f64, q: &[f64], force: &mut [f64]) {
        let potential = self.potential_gradient(t, q);
        for i in 0..N {
            force[i] = -potential.gradient[i];
        }
    }
}

impl<T: Potential<N>, const N: usize> Newtonian<T, N> {
    /// Writes what [`Lagrangian::second`] must and returns `V`.
    #[inline(always)]
    fn potential_and_second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) -> f64 {
        let mut x = [Dual2::<N>::from(0.0); N];
        for i in 0..N {
            x[i] = Dual2::position(q[i], i);
        }
        let potential = self.system.potential(Dual2::from(t), x);
        let parts = jet.parts_of(N);
        let (dq, dv, dqq, dvv, v) = (parts.dq, parts.dv, parts.dqq, parts.dvv, &v[..N]);
        for i in 0..N {
            dq[i] = -potential.q[i];
            dv[i] = self.masses[i] * v[i];
            // The rest of L_vv and all of L_qv keep the zeros of a new jet.
            dvv[i * N + i] = self.masses[i];
            for j in 0..N {
                dqq[i * N + j] = -potential.qq[i][j];
            }
        }
        potential.value
    }

    #[inline(always)]
    fn potential_gradient(&self, t: f64, q: &[f64]) -> Dual<N> {
        let mut x = [Dual::from(0.0); N];
        for i in 0..N {
            x[i] = Dual::variable(q[i], i);
        }
        self.system.potential(Dual::from(t), x)
    }
}
