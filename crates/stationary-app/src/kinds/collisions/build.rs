//! From a scenario to bodies that can move.

use super::invariants::Invariants;
use super::place::{Chance, NoRoom, Taken, from_segment, lattice, random};
use crate::registry;
use crate::run::finish::short;
use crate::run::rows::Rows;
use crate::scenario::{
    BodyGroup, CollisionSystem, MassSpec, Placement, Scenario, ShapeSpec, WallKind, WallSpec,
};
use stationary::contact::ContactLaw;
use stationary::contact::rigid::{Polygon, PolygonFault};
use stationary::error::{Diagnostic, Error};
use stationary::integrate::collide::{
    self, Body, CollisionOptions, Collisions, Shape, StartFault, Wall, WallForm, World,
};
use stationary::interrupt;
use stationary::linalg::{Vec2, Vec3};
use std::sync::Arc;

/// A scenario ready to run.
pub(super) struct PreparedCollisions {
    pub system: Arc<CollisionSystem>,
    pub run: Collisions,
    pub invariants: Invariants,
    pub contact_time: f64,
    pub steps: u64,
    /// Time of the last step; infinite where impacts end the run.
    pub end: f64,
    pub end_impacts: Option<u64>,
    /// Which steps are written.
    pub rows: Rows,
}

pub(super) fn build(scenario: &Scenario, system: &Arc<CollisionSystem>) -> Result<PreparedCollisions, Error> {
    let chosen = registry::collisions(&scenario.integrator)?;
    refuse_coordinates(scenario)?;
    let (world, owners) = world(system)?;
    let contact_time = chosen.unwrap_or_else(|| collide::contact_time(&world));
    let lossy = |s: &ContactLaw| s.restitution < 1.0 || s.friction > 0.0;
    let mut surfaces = world.bodies.iter().map(|b| b.surface).chain(world.walls.iter().map(|w| w.surface));
    let lossy = surfaces.any(|s| lossy(&s));
    let options = CollisionOptions { start: scenario.start, step: system.step, contact_time };
    let names = world.clone();
    let run = Collisions::new(world, options).map_err(|fault| overlap(system, &names, &owners, &fault))?;
    let [kinetic, potential] = run.energy();
    if !(kinetic + potential).is_finite() {
        let message = format!(
            "the energy is not a finite number at the start: kinetic {kinetic}, potential {potential}"
        );
        let help = "expected an initial state whose numbers can be squared";
        return Err(scenario.integrator.method.place.error(message).help(help).into());
    }
    // Whole steps only: the fewest that reach the end, rounding forgiven.
    let steps = ((scenario.end - scenario.start) / system.step * (1.0 - 1e-12)).ceil().max(1.0) as u64;
    let known = scenario.end.is_finite();
    Ok(PreparedCollisions {
        system: Arc::clone(system),
        invariants: Invariants::new(
            &run,
            lossy,
            (if known { steps as f64 } else { f64::INFINITY }, system.step),
        ),
        run,
        contact_time,
        steps,
        end: if known { scenario.start + steps as f64 * system.step } else { scenario.end },
        end_impacts: scenario.end_impacts,
        rows: Rows::choose(system.output_every, known.then_some(steps)),
    })
}

/// The world, and the group of each body.
fn world(system: &CollisionSystem) -> Result<(World, Vec<usize>), Error> {
    let mut walls = Vec::new();
    for wall in &system.walls {
        walls.extend(forms(wall)?.into_iter().map(|form| Wall {
            name: wall.name.clone(),
            form,
            surface: ContactLaw { restitution: wall.restitution, friction: wall.friction },
        }));
    }
    contradictions(system, &walls)?;
    let (mut bodies, mut owners) = (Vec::new(), Vec::new());
    for (number, group) in system.groups.iter().enumerate() {
        let more = members(system.space, group, &walls, &bodies)?;
        owners.resize(owners.len() + more.len(), number);
        bodies.extend(more);
    }
    for (body, begin) in bodies.iter_mut().zip(system.states.iter().flatten()) {
        body.position = begin.position;
        body.angle = begin.angle;
        body.velocity = begin.velocity;
        body.spin = begin.spin;
    }
    Ok((World { dimension: system.space, gravity: system.gravity, bodies, walls }, owners))
}

/// Half planes and segments of a wall.
fn forms(wall: &WallSpec) -> Result<Vec<WallForm>, Diagnostic> {
    let half = |point: Vec3, normal: Vec3| {
        // First by the largest entry: the square of an extreme one would leave the range of numbers.
        let largest = normal.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let normal = 1.0 / largest * normal;
        let normal = (1.0 / normal.norm()) * normal;
        WallForm::Plane { normal, offset: normal.dot(point) }
    };
    Ok(match &wall.form {
        WallKind::Plane { point, normal } => vec![half(*point, *normal)],
        WallKind::Segment(ends) => vec![WallForm::Segment(*ends)],
        WallKind::Box([low, high]) => {
            let mut all = Vec::new();
            for k in 0..3 {
                if low[k] < high[k] {
                    let axis = Vec3::unit(k);
                    all.push(WallForm::Plane { normal: axis, offset: low[k] });
                    all.push(WallForm::Plane { normal: -axis, offset: -high[k] });
                }
            }
            all
        }
        WallKind::Polygon(points) => container(points).map_err(|fault| wall.place.error(fault))?,
    })
}

/// The sides of a polygon with the bodies inside: half planes where it is convex, else segments.
fn container(points: &[Vec2]) -> Result<Vec<WallForm>, String> {
    // Its own faults, but for one: it need not be star-shaped.
    let checked = Polygon::new(points);
    if let Err(fault) = &checked
        && !matches!(fault, PolygonFault::NotStarShaped(_))
    {
        return Err(fault.to_string());
    }
    let n = points.len();
    let side = |k: usize| (points[k], points[(k + 1) % n]);
    let turn = |k: usize| {
        let ((a, b), (_, c)) = (side(k), side((k + 1) % n));
        (b - a).cross(c - b)
    };
    let turns = || (0..n).map(turn);
    let sense = match (turns().all(|t| t >= 0.0), turns().all(|t| t <= 0.0)) {
        (true, _) => 1.0,
        (_, true) => -1.0,
        _ => return Ok((0..n).map(|k| WallForm::Segment([side(k).0, side(k).1])).collect()),
    };
    let plane = |k: usize| {
        let (a, b) = side(k);
        let along = b - a;
        let normal = sense * along.quarter_turn() / along.hypot();
        WallForm::Plane { normal: normal.extend(0.0), offset: normal.dot(a) }
    };
    Ok((0..n).map(plane).collect())
}

/// Refuses two walls that face away from each other and leave no room between them.
fn contradictions(system: &CollisionSystem, walls: &[Wall]) -> Result<(), Diagnostic> {
    let planes = || {
        walls.iter().filter_map(|w| match &w.form {
            WallForm::Plane { normal, offset } => Some((w, normal, offset)),
            WallForm::Segment(_) => None,
        })
    };
    for (k, (one, n, a)) in planes().enumerate() {
        for (other, m, b) in planes().skip(k + 1) {
            if n.dot(*m) < -1.0 + 1e-12 && a + b >= 0.0 {
                let place = system.walls.iter().find(|w| w.name == other.name).map(|w| &w.place);
                let message = format!(
                    "the walls `{}` and `{}` contradict each other: nothing is between them",
                    one.name, other.name
                );
                let help = "the normal of a wall points to the side where the bodies are";
                return Err(place.map_or(Diagnostic::new(message.clone()), |p| p.error(message)).help(help));
            }
        }
    }
    Ok(())
}

/// The bodies of a group, each where it starts.
fn members(space: usize, group: &BodyGroup, walls: &[Wall], before: &[Body]) -> Result<Vec<Body>, Error> {
    let shape = match &group.shape {
        ShapeSpec::Round(radius) => Shape::Round { radius: *radius },
        ShapeSpec::Polygon(points) => {
            let (polygon, _) = Polygon::new(points).map_err(|fault| {
                let help = "expected a simple polygon that can be seen whole from its centroid";
                group.shape_place.error(format!("`bodies.{}`: {fault}", group.name)).help(help)
            })?;
            Shape::Polygon(polygon)
        }
    };
    let mass = match group.mass {
        MassSpec::Mass(mass) => mass,
        MassSpec::Density(density) => density * shape.content(space),
    };
    let inertia = shape.inertia(space, mass);
    if !(mass > 0.0 && inertia > 0.0 && mass.is_finite() && inertia.is_finite()) {
        let message = format!("`bodies.{}` has mass {mass} and moment of inertia {inertia}", group.name);
        return Err(group.place.error(message).help("expected positive, finite numbers").into());
    }
    let mut chance = Chance::new(group.seed);
    let places = match &group.placement {
        Some(placement) => Some(places(space, group, placement, (&shape, walls, before), &mut chance)?),
        None => None,
    };
    let several = group.starts.len() > 1;
    let member = |(k, start): (usize, &crate::scenario::BodyBegin)| {
        let angle = if group.turned { std::f64::consts::TAU * chance.unit() } else { 0.0 };
        let push = if group.speed > 0.0 { chance.direction(space) } else { Vec3::ZERO };
        Body {
            name: if several { format!("{}-{k}", group.name) } else { group.name.clone() },
            shape: shape.clone(),
            mass,
            inertia,
            position: places.as_ref().map_or(start.position, |places| places[k]),
            angle: start.angle + angle,
            velocity: start.velocity + group.speed * push,
            spin: start.spin,
            surface: ContactLaw { restitution: group.restitution, friction: group.friction },
        }
    };
    Ok(group.starts.iter().enumerate().map(member).collect())
}

/// Places for all bodies of a group.
fn places(
    space: usize,
    group: &BodyGroup,
    placement: &Placement,
    (shape, walls, before): (&Shape, &[Wall], &[Body]),
    chance: &mut Chance,
) -> Result<Vec<Vec3>, Diagnostic> {
    let (reach, count) = (shape.reach(), group.starts.len());
    let no_room = |found: usize, help: &str| {
        let message = format!("no room for {count} bodies `{}`: {found} found a place", group.name);
        placement.place.error(message).help(help)
    };
    if placement.lattice {
        return lattice(placement, space, reach, count).map_err(|NoRoom(found)| {
            no_room(found, "make the region larger, or the bodies fewer or smaller")
        });
    }
    let mut taken = Taken::new(placement, reach);
    before.iter().for_each(|b| taken.add(b.position, b.shape.reach()));
    let fits = |at: Vec3| {
        walls.iter().all(|w| match &w.form {
            WallForm::Plane { normal, offset } => normal.dot(at) - offset >= reach,
            WallForm::Segment(ends) => from_segment(at, ends) >= reach,
        })
    };
    let mut all = Vec::with_capacity(count);
    for k in 0..count {
        if interrupt::requested() {
            return Err(no_room(k, "placing them was interrupted"));
        }
        let found = random(placement, space, reach, &taken, chance, fits);
        let at = found.ok_or_else(|| {
            no_room(
                k,
                "place = \"lattice\" packs closer; or make the region larger, or the bodies fewer or smaller",
            )
        })?;
        taken.add(at, reach);
        all.push(at);
    }
    Ok(all)
}

/// The error of a start at which something overlaps.
fn overlap(system: &CollisionSystem, world: &World, owners: &[usize], fault: &StartFault) -> Diagnostic {
    let [i, j] = fault.pair;
    let group = |k: usize| &system.groups[owners[k]];
    let (first, second, depth) = (world.name(i), world.name(j), fault.depth);
    if j < world.bodies.len() {
        let message = format!("the bodies `{first}` and `{second}` overlap at the start by {depth:.3e}");
        return group(j).place.error(message).help("bodies may touch, not overlap: move one of them");
    }
    let message = format!("the body `{first}` is outside the wall `{second}` at the start, by {depth:.3e}");
    group(i).place.error(message).help("the normal of a wall points to the side where the bodies are")
}

/// What is observed in coordinates, bodies do without.
fn refuse_coordinates(scenario: &Scenario) -> Result<(), Error> {
    for name in ["symplectic", "modified_energy", "loop_area"] {
        if registry::wants(&scenario.observe, name)? {
            let text = scenario.observe.iter().find(|t| t.text == name).expect("it is wanted");
            return Err(text
                .error(format!(
                    "`{name}` observes systems given by coordinates, and bodies that collide have none"
                ))
                .help("leave it out: energy, momentum and gaps are always observed")
                .into());
        }
    }
    Ok(())
}

/// What `stationary check` tells.
pub(super) fn describe(scenario: &Scenario, built: &PreparedCollisions) -> Vec<(&'static str, String)> {
    let system = &*built.system;
    let world = built.run.world();
    let place = if system.space == 3 { "in space" } else { "in the plane" };
    let mass: f64 = world.bodies.iter().map(|b| b.mass).sum();
    let steps = match (built.end_impacts, built.end.is_finite()) {
        (None, _) => format!("{} of {} to time {}", built.steps, system.step, built.end),
        (Some(impacts), false) => format!("of {} until impact {impacts}", system.step),
        (Some(impacts), true) => {
            format!("{} of {} to time {}, or until impact {impacts}", built.steps, system.step, built.end)
        }
    };
    vec![
        ("bodies", format!("{} {place}, mass {}", world.bodies.len(), short(mass))),
        ("walls", system.walls.len().to_string()),
        (
            "integrator",
            format!("collisions (contact time {}), exact between impacts", short(built.contact_time)),
        ),
        ("steps", steps),
        ("rows", built.rows.to_string()),
        ("claims", scenario.claims.len().to_string()),
    ]
}
