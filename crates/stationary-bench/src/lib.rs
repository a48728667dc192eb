//! Speed of the ground floor as ratios against hand-written C, all in one run.

use stationary::formula::{Scope, Var};
use stationary::integrate::{Explicit, Integrator, Method, Start};
use stationary::model::{FormulaLagrangian, Jet, Lagrangian, Mass, Newtonian, Potential, Scalar};
use std::sync::Arc;
use std::time::Instant;

unsafe extern "C" {
    fn kepler_verlet(state: *mut f64, h: f64, steps: i64);
    fn pendulum_midpoint(state: *mut f64, h: f64, steps: i64);
    fn pendulum_gauss2(state: *mut f64, h: f64, steps: i64);
}

struct Kepler;
impl Potential<2> for Kepler {
    fn masses(&self) -> [f64; 2] {
        [1.0, 1.0]
    }
    fn potential<S: Scalar>(&self, _: S, [x, y]: [S; 2]) -> S {
        -(x.squared() + y.squared()).sqrt().recip()
    }
}

/// The same with derivatives by hand.
struct KeplerByHand(Mass);
impl Lagrangian for KeplerByHand {
    fn dimension(&self) -> usize {
        2
    }
    fn first(&self, _: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        let parts = jet.parts();
        let r2 = q[0] * q[0] + q[1] * q[1];
        *parts.value = 0.5 * (v[0] * v[0] + v[1] * v[1]) + 1.0 / r2.sqrt();
        *parts.dt = 0.0;
        let f = -1.0 / (r2 * r2.sqrt());
        parts.dq.copy_from_slice(&[f * q[0], f * q[1]]);
        parts.dv.copy_from_slice(v);
    }
    fn second(&self, t: f64, q: &[f64], v: &[f64], jet: &mut Jet) {
        self.first(t, q, v, jet);
        let parts = jet.parts();
        let r2 = q[0] * q[0] + q[1] * q[1];
        let f = -1.0 / (r2 * r2.sqrt());
        let g = -3.0 * f / r2;
        let cross = g * q[0] * q[1];
        parts.dqq.copy_from_slice(&[f + g * q[0] * q[0], cross, cross, f + g * q[1] * q[1]]);
        parts.dvv.copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    }
    fn mass(&self) -> Option<&Mass> {
        Some(&self.0)
    }
    #[inline]
    fn force(&self, _: f64, q: &[f64], force: &mut [f64]) {
        let r2 = q[0] * q[0] + q[1] * q[1];
        let f = -1.0 / (r2 * r2.sqrt());
        force[0] = f * q[0];
        force[1] = f * q[1];
    }
}

struct Pendulum;
impl Potential<1> for Pendulum {
    fn masses(&self) -> [f64; 1] {
        [1.0]
    }
    fn potential<S: Scalar>(&self, _: S, [theta]: [S; 1]) -> S {
        -theta.cos()
    }
}

fn text(formula: &str, names: &[&str]) -> Arc<FormulaLagrangian> {
    let mut scope = Scope::new();
    for (i, name) in names.iter().enumerate() {
        scope.variable(*name, Var::Q(i as u32)).variable(format!("v{name}"), Var::V(i as u32));
    }
    Arc::new(FormulaLagrangian::new(formula, &scope, names.len()).expect("a formula of ours"))
}

const STEPS: u64 = 200_000;

/// Nanoseconds per step, best of several.
fn best(mut f: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..15 {
        let start = Instant::now();
        f();
        best = best.min(start.elapsed().as_secs_f64());
    }
    best * 1e9 / STEPS as f64
}

fn advance(mut x: impl Integrator) -> impl FnMut() {
    move || x.advance(STEPS).expect("a run of ours")
}

fn boxed(mut x: Box<dyn Integrator>) -> impl FnMut() {
    move || x.advance(STEPS).expect("a run of ours")
}

/// Runs all.
pub fn run() {
    let kepler = Start { t: 0.0, q: vec![1.6, 0.0], p: vec![0.0, 0.5], h: 0.01 };
    let mut s = [1.6, 0.0, 0.0, 0.5];
    let c = best(|| unsafe { kepler_verlet(s.as_mut_ptr(), 0.01, STEPS as i64) });
    let row = |name: &str, c: f64, ns: f64| println!("{name:42} {ns:8.1} ns  C {c:8.1}  ratio {:.2}", ns / c);
    let hand = KeplerByHand(Mass::diagonal(&[1.0, 1.0]).expect("unit masses"));
    row(
        "kepler verlet by hand",
        c,
        best(advance(Explicit::<_, [f64; 2]>::new(hand, 0.5, &kepler).expect("sep"))),
    );
    let auto = Newtonian::new(Kepler).expect("unit masses");
    row(
        "kepler verlet auto",
        c,
        best(advance(Explicit::<_, [f64; 2]>::new(auto, 0.5, &kepler).expect("sep"))),
    );
    let t = text("0.5*(vx^2 + vy^2) + 1/sqrt(x^2 + y^2)", &["x", "y"]);
    let verlet = Method::Verlet { order: 2 };
    row("kepler verlet text", c, best(boxed(verlet.start(t.clone(), &kepler, 1e-15).expect("ok"))));
    let dynamic: Arc<dyn Lagrangian> = t;
    row("kepler verlet text dyn", c, best(boxed(verlet.start(dynamic, &kepler, 1e-15).expect("ok"))));

    let pendulum = Start { t: 0.0, q: vec![2.0], p: vec![0.0], h: 0.1 };
    let auto = || Newtonian::new(Pendulum).expect("unit mass");
    let t = text("0.5*vq^2 + cos(q)", &["q"]);
    for (name, method, reference) in [
        (
            "midpoint",
            Method::Midpoint { alpha: 0.5 },
            pendulum_midpoint as unsafe extern "C" fn(*mut f64, f64, i64),
        ),
        ("gauss2", Method::Gauss { stages: 2 }, pendulum_gauss2),
    ] {
        let mut s = [2.0, 0.0];
        let c = best(|| unsafe { reference(s.as_mut_ptr(), 0.1, STEPS as i64) });
        let mut a = method.start(auto(), &pendulum, 1e-15).expect("ok");
        row(&format!("pendulum {name} auto"), c, best(|| a.advance(STEPS).expect("ok")));
        println!("   iterations {}", a.iterations() as f64 / a.view().step as f64);
        println!("   {:?} {:?}", s, (a.view().q, a.view().p));
        row(
            &format!("pendulum {name} text"),
            c,
            best(boxed(method.start(t.clone(), &pendulum, 1e-15).expect("ok"))),
        );
    }
}
