//! Systems that the laws of contact are run over: the same bodies, once as gaps in generalised coordinates, once as rigid bodies.

use crate::bodies::{Random, plane, polygon, run_with};
use crate::impacts::common::{Setup, VERLET};
use stationary::contact::{ContactLaw, GapImpact};
use stationary::integrate::collide::{Body, Collisions, World};
use stationary::linalg::Vec3;

/// A disc.
#[derive(Debug, Clone, Copy)]
pub struct Disc {
    pub radius: f64,
}

/// A rectangle.
#[derive(Debug, Clone, Copy)]
pub struct Rod {
    pub half_length: f64,
    pub half_width: f64,
}

#[derive(Debug, Clone, Copy)]
pub enum Shape {
    Disc(Disc),
    Rod(Rod),
}

impl From<Disc> for Shape {
    fn from(disc: Disc) -> Self {
        Shape::Disc(disc)
    }
}

impl From<Rod> for Shape {
    fn from(rod: Rod) -> Self {
        Shape::Rod(rod)
    }
}

impl Rod {
    fn corners(&self) -> [[f64; 2]; 4] {
        let Rod { half_length: l, half_width: w } = *self;
        [[-l, -w], [l, -w], [l, w], [-l, w]]
    }
}

/// A body that is thrown at the floor `y = 0`, without gravity.
#[derive(Debug, Clone, Copy)]
pub struct Thrown {
    pub shape: Shape,
    pub mass: f64,
    pub inertia: f64,
    /// Place and angle at the start.
    pub pose: [f64; 3],
    /// Velocity and spin.
    pub velocity: [f64; 3],
    pub law: ContactLaw,
}

impl Default for Thrown {
    fn default() -> Self {
        Thrown {
            shape: Disc { radius: 0.5 }.into(),
            mass: 2.0,
            inertia: 0.25,
            pose: [0.0, 1.0, 0.0],
            velocity: [0.0, -1.0, 0.0],
            law: ContactLaw::ELASTIC,
        }
    }
}

impl Thrown {
    /// What an angle is multiplied by to compare with lengths.
    pub fn lever(&self, i: usize) -> f64 {
        if i == 2 { (self.inertia / self.mass).sqrt() } else { 1.0 }
    }

    /// The size of the velocity, by the energy.
    pub fn speed(&self) -> f64 {
        (2.0 * self.energy(&self.velocity) / self.mass).sqrt()
    }

    /// The kinetic energy of a velocity.
    pub fn energy(&self, v: &[f64; 3]) -> f64 {
        0.5 * (self.mass * (v[0] * v[0] + v[1] * v[1]) + self.inertia * v[2] * v[2])
    }
}

/// The first impact of a body with the floor.
#[derive(Debug, Clone, Copy)]
pub struct Struck {
    pub pose: [f64; 3],
    pub before: [f64; 3],
    pub after: [f64; 3],
    pub impulse: f64,
    pub friction: f64,
    /// Energies before and after, as they are recorded.
    pub energy: [f64; 2],
}

impl Struck {
    /// The lowest point of the body.
    pub fn contact_point(&self, thrown: &Thrown) -> [f64; 2] {
        let [x, y, angle] = self.pose;
        match thrown.shape {
            Shape::Disc(disc) => [x, y - disc.radius],
            Shape::Rod(rod) => {
                let (sin, cos) = angle.sin_cos();
                let turned = rod.corners().map(|[u, v]| [x + cos * u - sin * v, y + sin * u + cos * v]);
                turned.into_iter().min_by(|a, b| a[1].total_cmp(&b[1])).unwrap()
            }
        }
    }

    /// The rate with which the contact point leaves the floor.
    pub fn rate(&self, thrown: &Thrown, v: &[f64; 3]) -> f64 {
        v[1] + v[2] * (self.contact_point(thrown)[0] - self.pose[0])
    }

    /// The velocity with which it slips along the floor.
    pub fn slip(&self, thrown: &Thrown, v: &[f64; 3]) -> f64 {
        v[0] - v[2] * (self.contact_point(thrown)[1] - self.pose[1])
    }
}

/// Two bodies in a row.
#[derive(Debug, Clone, Copy)]
pub struct Exchange {
    pub masses: [f64; 2],
    pub velocities: [f64; 2],
    pub restitution: f64,
}

/// A block at rest on an incline.
#[derive(Debug, Clone, Copy)]
pub struct Incline {
    pub tilt: f64,
    pub friction: f64,
    pub gravity: f64,
    pub time: f64,
}

/// What every kind of system with contact can be asked.
pub trait Rig {
    fn name(&self) -> &'static str;

    /// The first impact of a body; `None` if there is none soon, or several follow at once.
    fn throw(&self, thrown: &Thrown) -> Option<Struck>;

    /// The velocities of two bodies after their impact.
    fn exchange(&self, exchange: &Exchange) -> [f64; 2];

    /// How far a block slides.
    fn slide(&self, incline: &Incline) -> f64;
}

/// Gaps in generalised coordinates.
pub struct FormulaGaps;

/// Steps of a throw, and their length.
const STEPS: u64 = 400;
const STEP: f64 = 0.01;

impl Rig for FormulaGaps {
    fn name(&self) -> &'static str {
        "gaps"
    }

    fn throw(&self, thrown: &Thrown) -> Option<Struck> {
        let Thrown { mass, inertia, pose, velocity, law, .. } = *thrown;
        let lagrangian = format!("0.5*{mass:e}*(vx^2 + vy^2) + 0.5*{inertia:e}*va^2");
        let (gaps, slips): (Vec<String>, Vec<String>) = match thrown.shape {
            Shape::Disc(Disc { radius }) => {
                (vec![format!("y - {radius:e}")], vec![format!("vx + {radius:e}*va")])
            }
            Shape::Rod(rod) => {
                let height = |[u, v]: [f64; 2]| format!("({u:e}*sin(a) + {v:e}*cos(a))");
                let gap = |corner| format!("y + {}", height(corner));
                let slip = |corner| format!("vx - va*{}", height(corner));
                (rod.corners().map(gap).to_vec(), rod.corners().map(slip).to_vec())
            }
        };
        let texts =
            |all: &'_ [String]| -> Vec<&'static str> { all.iter().map(|x| &*x.clone().leak()).collect() };
        let (gaps, slips) = (texts(&gaps), texts(&slips));
        let setup = Setup {
            lagrangian: &lagrangian,
            gaps: &gaps,
            slips: &slips,
            laws: vec![(law.restitution, law.friction); gaps.len()],
            q: &pose,
            v: &velocity,
            ..Setup::default()
        };
        let mut run = setup.start(VERLET, STEP);
        for _ in 0..STEPS {
            run.advance(1).unwrap();
            let [impact] = run.impacts() else {
                if run.impacts().is_empty() {
                    continue;
                }
                return None;
            };
            let p = run.view().p;
            return Some(struck(thrown, impact, [p[0] / mass, p[1] / mass, p[2] / inertia]));
        }
        None
    }

    fn exchange(&self, exchange: &Exchange) -> [f64; 2] {
        let Exchange { masses: [a, b], velocities, restitution } = *exchange;
        let lagrangian = format!("0.5*{a:e}*vx^2 + 0.5*{b:e}*vy^2");
        let setup = Setup {
            lagrangian: &lagrangian,
            gaps: &["y - x - 2"],
            laws: vec![(restitution, 0.0)],
            q: &[0.0, 3.0],
            v: &velocities,
            ..Setup::default()
        };
        let (run, impacts) = setup.run(VERLET, STEP, STEPS);
        // Bodies that stay together are at rest on each other, which is noted without an impulse.
        let impulses = impacts.iter().filter(|x| x.impulse > 0.0).count();
        assert_eq!(impulses, 1, "{impacts:?}");
        [run.view().p[0] / a, run.view().p[1] / b]
    }

    fn slide(&self, incline: &Incline) -> f64 {
        let Incline { tilt, friction, gravity, time } = *incline;
        let [along, down] = [gravity * tilt.sin(), gravity * tilt.cos()];
        let lagrangian = format!("0.5*(vx^2 + vy^2) + {along:e}*x - {down:e}*y");
        let setup = Setup {
            lagrangian: &lagrangian,
            gaps: &["y"],
            slips: &["vx"],
            laws: vec![(0.0, friction)],
            q: &[0.0, 1e-4],
            v: &[0.0, 0.0],
            ..Setup::default()
        };
        let (run, _) = setup.run(VERLET, STEP, (time / STEP).round() as u64);
        run.view().q[0]
    }
}

fn struck(thrown: &Thrown, impact: &GapImpact, after: [f64; 3]) -> Struck {
    Struck {
        pose: std::array::from_fn(|i| thrown.pose[i] + impact.time * thrown.velocity[i]),
        before: thrown.velocity,
        after,
        impulse: impact.impulse,
        friction: impact.friction,
        energy: [impact.energy_before, impact.energy_after],
    }
}

/// Rigid bodies.
pub struct RigidBodies;

impl Rig for RigidBodies {
    fn name(&self) -> &'static str {
        "rigid bodies"
    }

    fn throw(&self, thrown: &Thrown) -> Option<Struck> {
        let Thrown { mass, inertia, pose: [x, y, angle], velocity: [vx, vy, spin], law, .. } = *thrown;
        let body = match thrown.shape {
            Shape::Disc(Disc { radius }) => Body::round(2, radius),
            Shape::Rod(rod) => polygon(&rod.corners()),
        };
        let body = Body {
            mass,
            inertia,
            position: Vec3::new(x, y, 0.0),
            angle,
            velocity: Vec3::new(vx, vy, 0.0),
            spin: Vec3::new(0.0, 0.0, spin),
            surface: law,
            ..body
        };
        let mut run = floor(body, Vec3::ZERO, law, STEP);
        for _ in 0..STEPS {
            run.advance(1).unwrap();
            let [impact] = run.happened() else { continue };
            let state = run.state(0);
            let pose = [state.position[0], state.position[1], state.angle];
            return Some(Struck {
                pose,
                before: thrown.velocity,
                after: [state.velocity[0], state.velocity[1], state.spin[2]],
                impulse: impact.impulse,
                friction: impact.friction,
                energy: [impact.energy_before, impact.energy_after],
            });
        }
        None
    }

    fn exchange(&self, exchange: &Exchange) -> [f64; 2] {
        let surface = ContactLaw { restitution: exchange.restitution, friction: 0.0 };
        let body = |k: usize| Body {
            mass: exchange.masses[k],
            position: Vec3::new(3.0 * k as f64, 0.0, 0.0),
            velocity: Vec3::new(exchange.velocities[k], 0.0, 0.0),
            surface,
            ..Body::round(2, 1.0)
        };
        let bodies = vec![body(0), body(1)];
        let world = World { dimension: 2, gravity: Vec3::ZERO, bodies, walls: Vec::new() };
        let mut run = run_with(world, STEP, STEP);
        for _ in 0..STEPS {
            run.advance(u64::MAX).unwrap();
        }
        // Bodies that go on together may touch again by rounding.
        assert!(run.impacts() >= 1, "no impact");
        [0, 1].map(|k| run.state(k).velocity[0])
    }

    fn slide(&self, incline: &Incline) -> f64 {
        let Incline { tilt, friction, gravity, time } = *incline;
        let law = ContactLaw { restitution: 0.0, friction };
        let body = polygon(&Rod { half_length: 0.5, half_width: 0.25 }.corners());
        let body = Body { position: Vec3::new(0.0, 0.25 + 1e-4, 0.0), surface: law, ..body };
        let gravity = Vec3::new(gravity * tilt.sin(), -gravity * tilt.cos(), 0.0);
        let mut run = floor(body, gravity, law, STEP);
        for _ in 0..(time / STEP).round() as u64 {
            run.advance(u64::MAX).unwrap();
        }
        run.state(0).position[0]
    }
}

fn floor(body: Body, gravity: Vec3, law: ContactLaw, contact_time: f64) -> Collisions {
    let mut floor = plane([0.0, 1.0, 0.0], 0.0);
    floor.surface = law;
    run_with(World { dimension: 2, gravity, bodies: vec![body], walls: vec![floor] }, STEP, contact_time)
}

/// Rods that hit the floor with a corner, by chance: slim and stout, heavy at the middle or at the ends, rough and smooth.
pub fn rods(count: usize) -> impl Iterator<Item = Thrown> {
    let mut random = Random(11);
    (0..count).map(move |_| {
        let half_length = 1.0;
        let half_width = random.within(0.05, 0.5);
        let law = ContactLaw { restitution: random.within(0.0, 1.0), friction: random.within(0.0, 2.0) };
        Thrown {
            shape: Rod { half_length, half_width }.into(),
            mass: random.within(0.5, 3.0),
            inertia: random.within(0.05, 1.0),
            pose: [0.0, 1.6, random.within(0.1, 1.4)],
            velocity: [random.within(-2.0, 2.0), random.within(-2.0, -0.5), random.within(-0.3, 0.3)],
            law,
        }
    })
}
