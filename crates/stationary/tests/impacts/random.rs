//! Laws that random contacts obey, whatever the body, its floor, its restitution and friction, the step and the method: the run
//! finishes, nothing passes through the floor, contacts add no energy, and what Coulomb's law lets come to rest does.
//!
//! `STATIONARY_RANDOM_CASES` sets how many cases are tried, `STATIONARY_RANDOM_FIRST` the first of them.

use super::common::{GAUSS, MIDPOINT, Setup, VERLET};
use stationary::contact::{Gap, GapImpact};
use stationary::integrate::Method;
use stationary::model::{Bounds, Jet, Lagrangian};

/// Numbers that look random: SplitMix64.
pub struct Lot(u64);

impl Lot {
    pub fn new(seed: u64) -> Self {
        Lot(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(0x1234_5678_9ABC_DEF1))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[(self.next() % list.len() as u64) as usize].clone()
    }
}

/// What a case is about.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Floor {
    /// A body in the plane over a flat floor: coordinates `x`, `y` and the angle `a`.
    Flat,
    /// A particle on a slope.
    Slope,
    /// A particle over a floor that is curved.
    Curved,
}

/// A random contact.
#[derive(Debug, Clone)]
struct Case {
    floor: Floor,
    lagrangian: String,
    gap: String,
    slip: String,
    law: (f64, f64),
    q: Vec<f64>,
    v: Vec<f64>,
    method: Method,
    h: f64,
    end: f64,
    /// The radius of a body and its moment of inertia, and whether it is a disc.
    size: f64,
    inertia: f64,
    disc: bool,
}

const GRAVITY: f64 = 9.81;

impl Case {
    fn new(seed: u64) -> Self {
        let mut lot = Lot::new(seed);
        let method = lot.of(&[
            MIDPOINT,
            VERLET,
            Method::Trapezoidal { alpha: 0.5 },
            GAUSS,
            Method::Gauss { stages: 3 },
            Method::Lobatto { points: 3 },
        ]);
        let h = 0.002 * 50.0_f64.powf(lot.between(0.0, 1.0));
        let h = lot.of(&[h, 0.01, 0.02, 0.05, 0.1]);
        let restitution = lot.between(0.0, 0.95);
        let restitution = lot.of(&[restitution, restitution, 0.0, 0.5, 0.9]);
        let friction = lot.between(0.0, 2.0);
        let friction = lot.of(&[friction, friction, 0.0, 0.5, 1.0]);
        let mut case = Case {
            floor: Floor::Flat,
            lagrangian: String::new(),
            gap: String::new(),
            slip: String::new(),
            law: (restitution, friction),
            q: Vec::new(),
            v: Vec::new(),
            method,
            h,
            end: 6.0,
            size: 1.0,
            inertia: 1.0,
            disc: false,
        };
        match lot.of(&["disc", "square", "star", "ellipse", "slope", "sine", "bowl", "ring"]) {
            "disc" => case.body(&mut lot, "disc"),
            "square" => case.body(&mut lot, "square"),
            "star" => case.body(&mut lot, "star"),
            "ellipse" => case.body(&mut lot, "ellipse"),
            "slope" => {
                case.floor = Floor::Slope;
                let angle = lot.between(-1.2, 1.2);
                let (s, c) = angle.sin_cos();
                case.particle(&mut lot, format!("{c:?}*y + {s:?}*x"), [1.0, 0.0]);
                if lot.of(&[true, false]) {
                    case.slip = format!("{c:?}*vx - {s:?}*vy");
                }
                // The particle starts above the slope.
                let height = lot.between(0.0, 2.0);
                case.q = vec![s * height, c * height];
            }
            "sine" => {
                let (size, waves) = (lot.between(0.02, 0.3), lot.between(1.0, 6.0));
                case.particle(&mut lot, format!("y - {size:?}*sin({waves:?}*x)"), [1.0, 0.4]);
            }
            "bowl" => {
                let bend = lot.between(0.1, 3.0);
                case.particle(&mut lot, format!("y - {bend:?}*x^2"), [1.5, 0.0]);
                case.q[0] = lot.between(-0.3, 0.3);
                case.q[1] += bend * case.q[0] * case.q[0];
            }
            _ => {
                case.particle(&mut lot, "1 - sqrt(x^2 + y^2)".into(), [0.0; 2]);
                case.q = vec![lot.between(-0.6, 0.6), lot.between(-0.6, 0.6)];
            }
        }
        case
    }

    fn particle(&mut self, lot: &mut Lot, gap: String, [height, least]: [f64; 2]) {
        if self.floor == Floor::Flat {
            self.floor = Floor::Curved;
        }
        self.lagrangian = format!("0.5*(vx^2 + vy^2) - {GRAVITY}*y");
        self.gap = gap;
        self.q = vec![lot.between(-1.0, 1.0), least + lot.between(0.0, height)];
        self.v = vec![lot.between(-2.0, 2.0), lot.between(-2.0, 2.0)];
        self.end = 3.0;
    }

    fn body(&mut self, lot: &mut Lot, shape: &str) {
        let r = lot.of(&[0.1, 0.3, 1.0]);
        let inertia = lot.of(&[0.1, 0.25, 0.4, 0.5]) * r * r;
        self.lagrangian = format!("0.5*(vx^2 + vy^2) + 0.5*{inertia:?}*va^2 - {GRAVITY}*y");
        self.gap = match shape {
            "disc" => format!("y - {r:?}"),
            "square" => format!("y - {r:?}*max(abs(sin(a)), abs(cos(a)))"),
            "star" => format!("y - 0.7*{r:?}*(abs(sin(a)) + abs(cos(a)))"),
            _ => format!("y - sqrt(({r:?}*sin(a))^2 + ({:?}*cos(a))^2)", lot.between(0.3, 0.9) * r),
        };
        // The lowest point of a body lies its height below the centre.
        if lot.of(&[true, false]) {
            self.slip = if shape == "disc" { format!("vx + {r:?}*va") } else { "vx + y*va".into() };
        }
        (self.size, self.inertia, self.disc) = (r, inertia, shape == "disc");
        self.q = vec![0.0, r + lot.between(0.0, 2.0) * r + lot.between(0.0, 1.0), lot.between(-1.0, 1.0)];
        let spin = lot.of(&[0.0, 1.0, 1.0]);
        let speed = lot.between(-2.0, 2.0);
        self.v = vec![speed, lot.between(-2.0, 2.0), spin * lot.between(-20.0, 20.0)];
    }

    fn setup<'a>(&'a self, gaps: &'a [&'a str], slips: &'a [&'a str]) -> Setup<'a> {
        Setup {
            lagrangian: &self.lagrangian,
            gaps,
            slips,
            laws: vec![self.law],
            q: &self.q,
            v: &self.v,
            ..Setup::default()
        }
    }

    /// Runs the case; what it did not obey.
    fn check(&self) -> Result<(), String> {
        let gaps = [self.gap.as_str()];
        let slips = [self.slip.as_str()];
        let setup = self.setup(&gaps, &slips);
        let (lagrangian, gap) = (setup.lagrangian(), setup.gap());
        let n = self.q.len();
        let mut jet = Jet::new(n);
        // Kinetic energy and potential above the floor at the origin; all masses are constant and diagonal.
        let mut energy = |q: &[f64], p: &[f64]| -> f64 {
            lagrangian.second(0.0, q, &vec![0.0; n], &mut jet);
            let kinetic: f64 = (0..n).map(|i| 0.5 * p[i] * p[i] / jet.dvv()[i * n + i]).sum();
            kinetic + GRAVITY * q[1]
        };
        let mut x = setup.try_start(self.method, self.h).map_err(|e| format!("{e:?}"))?;
        let start = energy(x.view().q, x.view().p);
        // What a particle may fall by.
        let fall = if self.floor == Floor::Slope { 60.0 } else { 2.0 };
        let scale = start.abs() + GRAVITY * fall;
        let mut bounds = Bounds::new(n, 1);
        let mut least = start;
        let mut impacts: Vec<GapImpact> = Vec::new();
        let steps = (self.end / self.h).round() as u64;
        for step in 0..steps {
            x.advance(1).map_err(|error| format!("step {step}: {error}"))?;
            let view = x.view();
            gap.first(view.t, view.q, &mut bounds);
            if !(bounds.value()[0] > -1e-9 * (1.0 + view.q[0].abs() + view.q[1].abs())) {
                return Err(format!("step {step}: the gap is {:e}", bounds.value()[0]));
            }
            let now = energy(view.q, view.p);
            if !(now <= least + self.wobble() * scale) {
                return Err(format!("step {step}: the energy grows from {least} to {now} of {scale}"));
            }
            least = least.min(now);
            for impact in x.impacts() {
                if !(impact.prescribed <= 1e-12 * scale) {
                    return Err(format!("step {step}: the law adds energy, {impact:?}"));
                }
                impacts.push(impact.clone());
            }
        }
        self.ends(x.view().q, x.view().p, &impacts)
    }

    /// How much the energy may grow by the error of the method, over its scale.
    fn wobble(&self) -> f64 {
        // The square of the step in units of the fastest motion: a body that rocks on the floor, a particle on a floor that bends.
        let fast = match self.floor {
            Floor::Flat => 1.0 + GRAVITY * self.size / self.inertia,
            Floor::Slope => 1.0,
            Floor::Curved => 20.0,
        };
        let square = fast * self.h * self.h;
        let part = if self.method.order() == 2 { 2.0 * square } else { 4.0 * square * square };
        part.min(0.5)
    }

    /// Whether what friction brings to rest is at rest at the end.
    fn ends(&self, _q: &[f64], p: &[f64], impacts: &[GapImpact]) -> Result<(), String> {
        let (e, mu) = self.law;
        if self.floor != Floor::Flat || mu < 0.2 || e > 0.6 {
            return Ok(());
        }
        let (r, inertia) = (self.size, self.inertia);
        if self.disc && !self.slip.is_empty() {
            // Friction leaves the momentum about the contact as it is, and what slips comes to roll.
            let about = self.v[0] - inertia * self.v[2] / r;
            let roll = about / (1.0 + inertia / (r * r));
            let (speed, slip) = (p[0], p[0] + r * p[2] / inertia);
            if !((speed - roll).abs() < 1e-8 && slip.abs() < 1e-8) {
                return Err(format!(
                    "rolls with {speed}, not {roll}, slip {slip:e}, {} impacts",
                    impacts.len()
                ));
            }
        }
        Ok(())
    }
}

fn environment(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|x| x.parse().ok()).unwrap_or(default)
}

#[test]
fn random_contacts_finish_and_add_no_energy() {
    let first = environment("STATIONARY_RANDOM_FIRST", 0);
    let count = environment("STATIONARY_RANDOM_CASES", 60);
    let mut broken = Vec::new();
    for seed in first..first + count {
        let case = Case::new(seed);
        if let Err(why) = case.check() {
            broken.push(format!("case {seed}: {why}\n    {case:?}"));
        }
    }
    assert!(broken.is_empty(), "{} of {count}\n{}", broken.len(), broken.join("\n"));
}
