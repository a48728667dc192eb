//! Laws of natural frequencies and mode shapes: closed forms of bars, beams, plates and strings; rigid motions; repeated and negative eigenvalues.

use stationary::integrate::Method;
use stationary::integrate::avi::{Avi, AviStart};
use stationary::integrate::sparse::modes::{ModalSpec, Mode, ModeKind, Modes, ModesError, modes};
use stationary::integrate::sparse::{Sparse, SparseStart};
use stationary::model::Supports;
use stationary::model::solid::{
    Bars, ConstitutiveLaw, ElementGroup, ElementKind, Elements, Lame, LinearElastic, Loads, NeoHookean,
    PlaneAssumption, Solid, SolidProblem,
};
use std::collections::BTreeMap;
use std::f64::consts::PI;
use std::sync::Arc;

/// Corners of a hexahedron, then the middles of its edges, on a lattice of half elements.
const HEX20: [[u32; 3]; 20] = [
    [0, 0, 0],
    [2, 0, 0],
    [2, 2, 0],
    [0, 2, 0],
    [0, 0, 2],
    [2, 0, 2],
    [2, 2, 2],
    [0, 2, 2],
    [1, 0, 0],
    [2, 1, 0],
    [1, 2, 0],
    [0, 1, 0],
    [1, 0, 2],
    [2, 1, 2],
    [1, 2, 2],
    [0, 1, 2],
    [0, 0, 1],
    [2, 0, 1],
    [2, 2, 1],
    [0, 2, 1],
];
const QUAD8: [[u32; 3]; 8] =
    [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0]];

/// A box of elements.
struct Grid {
    kind: ElementKind,
    points: Vec<[f64; 3]>,
    cells: Vec<u32>,
}

fn grid(kind: ElementKind, local: &[[u32; 3]], count: [u32; 3], size: [f64; 3]) -> Grid {
    let mut number: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let (mut points, mut cells) = (Vec::new(), Vec::new());
    for k in 0..count[2].max(1) {
        for j in 0..count[1] {
            for i in 0..count[0] {
                for at in local {
                    let place = [2 * i + at[0], 2 * j + at[1], 2 * k + at[2]];
                    let next = points.len() as u32;
                    cells.push(*number.entry(place).or_insert_with(|| {
                        let x = |d: usize| match count[d] {
                            0 => 0.0,
                            n => 0.5 * f64::from(place[d]) * size[d] / f64::from(n),
                        };
                        points.push([x(0), x(1), x(2)]);
                        next
                    }));
                }
            }
        }
    }
    Grid { kind, points, cells }
}

fn hex20(count: [u32; 3], size: [f64; 3]) -> Grid {
    grid(ElementKind::Hex20, &HEX20, count, size)
}

fn quad8(count: [u32; 2], size: [f64; 2]) -> Grid {
    grid(ElementKind::Quad8, &QUAD8, [count[0], count[1], 0], [size[0], size[1], 0.0])
}

#[derive(Clone, Copy)]
struct Steel {
    young: f64,
    poisson: f64,
    density: f64,
    plane: PlaneAssumption,
}

const UNIT: Steel = Steel { young: 1.0, poisson: 0.3, density: 1.0, plane: PlaneAssumption::Stress };

impl Grid {
    fn blocks(&self, steel: Steel) -> Vec<Box<dyn Elements>> {
        let lame = Lame::from_young(steel.young, steel.poisson).unwrap();
        let law = ConstitutiveLaw::Linear(LinearElastic::new(lame));
        let group =
            ElementGroup { plane: steel.plane, ..ElementGroup::new(self.kind, &self.cells, steel.density) };
        group.build(&self.points, &law).unwrap()
    }

    /// A body whose components are fixed where the function says so.
    fn body(&self, steel: Steel, is_fixed: impl Fn(&[f64; 3], usize) -> bool) -> Arc<SolidProblem> {
        problem(&self.points, self.blocks(steel), &[], is_fixed)
    }
}

fn problem(
    points: &[[f64; 3]],
    blocks: Vec<Box<dyn Elements>>,
    masses: &[(u32, f64)],
    is_fixed: impl Fn(&[f64; 3], usize) -> bool,
) -> Arc<SolidProblem> {
    let solid = Solid::new(points, blocks, masses).unwrap();
    let mut supports = Supports::new(points);
    for (a, point) in points.iter().enumerate() {
        for i in (0..3).filter(|i| is_fixed(point, *i)) {
            supports.fix(a as u32, i, 0.0, 0).unwrap();
        }
    }
    let tags = (1..=solid.elements() as u64).collect();
    Arc::new(SolidProblem::new(solid, Loads::default(), supports, tags))
}

fn lowest(body: &Arc<SolidProblem>, count: usize) -> Modes {
    let found = modes(body, 0.0, body.solid().points(), &ModalSpec::lowest(count)).unwrap();
    assert!(found.orthogonality < 1e-12, "{}", found.orthogonality);
    for mode in &found.modes {
        // Rounding of the stiffness beside the shift is all that motions as a rigid body feel.
        let limit = if mode.kind == ModeKind::Rigid { 1e-7 } else { 1e-8 };
        assert!(mode.residual < limit, "{:?} {}", mode.kind, mode.residual);
    }
    if let Some(check) = found.count_check {
        assert_eq!(check.there, check.found);
    }
    found
}

fn frequencies(found: &Modes) -> Vec<f64> {
    found.modes.iter().map(|m| m.angular_frequency()).collect()
}

fn kinds(found: &Modes, kind: ModeKind) -> usize {
    found.modes.iter().filter(|m| m.kind == kind).count()
}

fn free(_: &[f64; 3], _: usize) -> bool {
    false
}

/// `omega_n = (2 n - 1) pi/(2 L) sqrt(E/rho)`, fixed and free; lumped masses are of second order.
#[test]
fn a_bar_in_longitudinal_vibration_converges_to_its_closed_form_with_order_two() {
    let error = |n: u32, mode: usize| {
        let points: Vec<[f64; 3]> = (0..=n).map(|i| [2.0 * f64::from(i) / f64::from(n), 0.0, 0.0]).collect();
        let nodes: Vec<u32> = (0..n).flat_map(|i| [i, i + 1]).collect();
        let bars = Bars::elastic(&points, &nodes, 0, 3.0, 0.7).unwrap();
        let body = problem(&points, vec![Box::new(bars)], &[], |p, _| p[0] == 0.0);
        let found = lowest(&body, 3);
        // Across, bars without tension have no stiffness.
        assert_eq!((found.unknowns, found.loose), (n as usize, 2 * n as usize));
        let exact = (2 * mode + 1) as f64 * PI / 4.0 * (3.0f64 / 0.7).sqrt();
        (frequencies(&found)[mode] / exact - 1.0).abs()
    };
    for mode in 0..3 {
        let [coarse, fine] = [error(40, mode), error(80, mode)];
        assert!((coarse / fine).log2() > 1.98 && (coarse / fine).log2() < 2.02, "{mode}: {coarse} {fine}");
        assert!(fine < 3e-3, "{mode}: {fine}");
    }
}

/// `f_n = n/(2 L) sqrt(T/mu)` of a string under the tension `T`, in both directions across; slope two.
#[test]
fn a_prestressed_string_has_its_harmonics_twice() {
    const STRETCH: f64 = 1.02;
    let error = |n: u32| {
        let length = 3.0;
        let points: Vec<[f64; 3]> =
            (0..=n).map(|i| [length * f64::from(i) / f64::from(n), 0.0, 0.0]).collect();
        let nodes: Vec<u32> = (0..n).flat_map(|i| [i, i + 1]).collect();
        let bars = Bars::elastic(&points, &nodes, 0, 50.0, 0.4).unwrap().stretched(STRETCH).unwrap();
        let body = problem(&points, vec![Box::new(bars)], &[], |p, _| p[0] == 0.0 || p[0] == length);
        let found = lowest(&body, 8);
        assert_eq!(found.loose, 0);
        // `E A (l - L)/L` with the natural length `L`, and the mass on the stretched length.
        let (tension, mass) = (50.0 * (STRETCH - 1.0), 0.4 / STRETCH);
        let omega = frequencies(&found);
        let errors = (0..8).map(|k| {
            let exact = (k / 2 + 1) as f64 * PI / length * (tension / mass).sqrt();
            (omega[k] / exact - 1.0).abs()
        });
        errors.collect::<Vec<_>>()
    };
    let [coarse, fine] = [error(40), error(80)];
    for (k, (coarse, fine)) in coarse.iter().zip(&fine).enumerate() {
        let slope = (coarse / fine).log2();
        assert!((slope - 2.0).abs() < 0.02 && *fine < 2e-3, "{k}: {coarse} {fine}");
    }
}

/// The same string pushed: every harmonic is unstable, with `lambda = -(n pi/L)^2 |T|/mu`.
#[test]
fn a_string_under_compression_has_negative_eigenvalues() {
    let n = 60;
    let points: Vec<[f64; 3]> = (0..=n).map(|i| [f64::from(i) / f64::from(n), 0.0, 0.0]).collect();
    let nodes: Vec<u32> = (0..n).flat_map(|i| [i, i + 1]).collect();
    let bars = Bars::elastic(&points, &nodes, 0, 50.0, 0.4).unwrap().stretched(0.99).unwrap();
    let body = problem(&points, vec![Box::new(bars)], &[], |p, _| p[0] == 0.0 || p[0] == 1.0);
    let found = lowest(&body, 4);
    assert_eq!(kinds(&found, ModeKind::Unstable), 4);
    // The shortest waves are the least stable: `-4 T/(mu h^2) sin^2(k pi/(2 n))`.
    let (tension, mass) = (50.0 * 0.01, 0.4 / 0.99);
    for (k, mode) in found.modes.iter().enumerate() {
        let wave = (f64::from(n) - 1.0 - (k / 2) as f64) * PI / (2.0 * f64::from(n));
        let exact = -4.0 * tension / mass * f64::from(n * n) * wave.sin().powi(2);
        assert!((mode.eigenvalue / exact - 1.0).abs() < 1e-9, "{k}: {} {exact}", mode.eigenvalue);
        assert!(mode.angular_frequency() == 0.0 && mode.growth_rate() > 0.0);
    }
}

/// Bending of a simply supported beam after Timoshenko: `a w^4 - b w^2 + c = 0` with `k = n pi/L`,
/// `a = rho/(kappa G)`, `b = 1 + k^2 r^2 (1 + E/(kappa G))`, `c = E r^2 k^4/rho`, and the radius of inertia `r`.
#[test]
fn a_deep_beam_follows_timoshenko_and_not_euler() {
    let (length, depth) = (10.0, 1.0);
    let beam = quad8([40, 4], [length, depth]);
    let body = beam.body(UNIT, |p, i| {
        let ends = p[0] == 0.0 || p[0] == length;
        // Held across at both ends, and along in the middle of one.
        ends && i == 1 || p[0] == 0.0 && p[1] == 0.5 * depth && i == 0
    });
    let found = lowest(&body, 5);
    let (r2, shear) = (depth * depth / 12.0, 5.0 / 6.0 / 2.6);
    // One of them is along the beam.
    let across = |m: &&Mode| m.effective_mass()[0] < 0.1 * found.free_mass[0];
    let bending: Vec<f64> = found.modes.iter().filter(across).map(|m| m.angular_frequency()).collect();
    assert_eq!(bending.len(), 4);
    for (n, omega) in bending.iter().enumerate().take(3) {
        let k = (n + 1) as f64 * PI / length;
        let (a, b, c) = (r2 / shear, 1.0 + k * k * r2 * (1.0 + 1.0 / shear), r2 * k.powi(4));
        let timoshenko = ((b - (b * b - 4.0 * a * c).sqrt()) / (2.0 * a)).sqrt();
        assert!((omega / timoshenko - 1.0).abs() < 3e-3, "{n}: {omega} {timoshenko}");
        assert!(omega / c.sqrt() < 1.0 - 0.01 * ((n + 1) * (n + 1)) as f64, "{n}: {omega} {}", c.sqrt());
    }
}

/// `omega = (beta L)^2 sqrt(E I/(rho A L^4))`; a square section bends alike in two directions.
#[test]
fn slender_beams_of_hexahedra_follow_euler_and_bernoulli() {
    let (length, depth) = (40.0, 1.0);
    let beam = hex20([40, 1, 1], [length, depth, depth]);
    let unit = (1.0f64 / 12.0).sqrt() / (length * length);
    let steel = Steel { poisson: 0.0, ..UNIT };
    let cantilever = lowest(&beam.body(steel, |p, _| p[0] == 0.0), 4);
    for (k, root) in [1.875104, 1.875104, 4.694091, 4.694091].iter().enumerate() {
        let ratio = frequencies(&cantilever)[k] / (root * root * unit);
        assert!((ratio - 1.0).abs() < 0.01, "{k}: {ratio}");
    }
    let whole = lowest(&beam.body(steel, free), 10);
    assert_eq!(kinds(&whole, ModeKind::Rigid), 6);
    for (k, root) in [4.730041, 4.730041, 7.853205, 7.853205].iter().enumerate() {
        let ratio = frequencies(&whole)[6 + k] / (root * root * unit);
        assert!((ratio - 1.0).abs() < 0.012, "{k}: {ratio}");
    }
    // Of a free body only the motions as a rigid body have momentum.
    assert!(whole.modes[6..].iter().all(|m| m.effective_mass().iter().all(|m| *m < 1e-12 * 40.0)));
    for i in 0..3 {
        let sum: f64 = whole.modes[..6].iter().map(|m| m.effective_mass()[i]).sum();
        assert!((sum / whole.free_mass[i] - 1.0).abs() < 1e-9 && (whole.free_mass[i] - 40.0).abs() < 1e-9);
    }
    // The first mode of a cantilever has 61 per cent of the mass.
    let first: f64 = cantilever.modes[..2].iter().map(|m| m.effective_mass()[1]).sum();
    assert!((first / 40.0 - 0.613).abs() < 0.01, "{first}");
}

/// `omega = pi^2 (m^2 + n^2)/a^2 sqrt(D/(rho h))` of a square plate on simple supports: the second is double.
#[test]
fn a_square_plate_on_simple_supports_follows_kirchhoff() {
    let (side, depth) = (1.0, 0.01);
    let body = hex20([10, 10, 1], [side, side, depth]).body(UNIT, |p, i| {
        let on = |x: f64| x == 0.0 || (x - side).abs() < 1e-12;
        i == 2 && (on(p[0]) || on(p[1])) || i == 0 && on(p[1]) || i == 1 && on(p[0])
    });
    let found = lowest(&body, 4);
    let unit = PI * PI * (depth * depth / (12.0 * (1.0 - 0.09))).sqrt();
    for (k, waves) in [2.0, 5.0, 5.0, 8.0].iter().enumerate() {
        let ratio = frequencies(&found)[k] / (waves * unit);
        assert!((ratio - 1.0).abs() < 0.02, "{k}: {ratio}");
    }
    let [_, a, b, _] = frequencies(&found)[..] else { panic!() };
    assert!((a / b - 1.0).abs() < 1e-9, "{a} {b}");
}

#[test]
fn free_bodies_have_the_rigid_motions_of_their_dimension() {
    let plane = quad8([4, 3], [1.3, 0.8]);
    assert_eq!(kinds(&lowest(&plane.body(UNIT, free), 5), ModeKind::Rigid), 3);
    let cube = hex20([2, 2, 2], [1.0, 1.1, 1.2]);
    let found = lowest(&cube.body(UNIT, free), 8);
    assert_eq!(kinds(&found, ModeKind::Rigid), 6);
    let scale = found.modes[6].eigenvalue;
    assert!(found.modes[..6].iter().all(|m| m.eigenvalue.abs() < 1e-12 * scale));
    // Fewer where it hangs on a hinge along z, and none where it is clamped.
    let hinge = lowest(&cube.body(UNIT, |p, i| p[0] == 0.0 && p[1] == 0.0 && i < 2), 4);
    assert_eq!(kinds(&hinge, ModeKind::Rigid), 2);
    assert_eq!(kinds(&lowest(&cube.body(UNIT, |p, _| p[0] == 0.0), 4), ModeKind::Rigid), 0);
    // A ring moves freely along its axis only.
    let mut ring = quad8([3, 6], [0.4, 1.0]);
    ring.points.iter_mut().for_each(|p| p[0] += 2.0);
    let steel = Steel { plane: PlaneAssumption::Axisymmetric, ..UNIT };
    let found = lowest(&ring.body(steel, free), 3);
    assert_eq!((kinds(&found, ModeKind::Rigid), found.modes[0].kind), (1, ModeKind::Rigid));
}

/// A thin ring breathes with `omega = sqrt(E/rho)/R`.
#[test]
fn a_thin_ring_breathes_at_the_speed_of_a_bar_over_its_radius() {
    let mut ring = quad8([1, 1], [0.02, 0.02]);
    ring.points.iter_mut().for_each(|p| p[0] += 1.99);
    let steel = Steel { plane: PlaneAssumption::Axisymmetric, poisson: 0.0, ..UNIT };
    let found = lowest(&ring.body(steel, |_, i| i == 1), 1);
    assert!((frequencies(&found)[0] * 2.0 - 1.0).abs() < 1e-3, "{:?}", frequencies(&found));
}

/// Twelve equal blocks: every eigenvalue twelve times or more, which a block of four cannot find at once.
#[test]
fn eigenvalues_of_any_multiplicity_are_counted_and_found() {
    let one = hex20([1, 1, 2], [1.0, 1.1, 3.0]);
    let (mut points, mut cells) = (Vec::new(), Vec::new());
    for copy in 0..12 {
        cells.extend(one.cells.iter().map(|a| a + points.len() as u32));
        points.extend(one.points.iter().map(|p| [p[0] + 5.0 * f64::from(copy), p[1], p[2]]));
    }
    let body = Grid { kind: ElementKind::Hex20, points, cells }.body(UNIT, |p, _| p[2] == 0.0);
    let single = lowest(&one.body(UNIT, |p, _| p[2] == 0.0), 3);
    let found = lowest(&body, 30);
    for (k, omega) in frequencies(&found).iter().enumerate() {
        let exact = frequencies(&single)[k / 12];
        assert!((omega / exact - 1.0).abs() < 1e-9, "{k}: {omega} {exact}");
    }
    assert!(found.count_check.is_some_and(|check| check.found >= 24));
    // Free, seventy-two motions as a rigid body, and then what one has.
    let one = Grid { points: body_points(&one, 2), cells: twice(&one), ..one };
    assert_eq!(kinds(&lowest(&one.body(UNIT, free), 14), ModeKind::Rigid), 12);
}

fn body_points(one: &Grid, copies: u32) -> Vec<[f64; 3]> {
    (0..copies)
        .flat_map(|c| one.points.iter().map(move |p| [p[0] + 5.0 * f64::from(c), p[1], p[2]]))
        .collect()
}

fn twice(one: &Grid) -> Vec<u32> {
    let n = one.points.len() as u32;
    one.cells.iter().copied().chain(one.cells.iter().map(|a| a + n)).collect()
}

/// Metres and kilograms, or millimetres and tonnes.
#[test]
fn systems_of_units_agree_to_rounding() {
    let steel = Steel { young: 210e9, density: 7800.0, ..UNIT };
    let metres = hex20([6, 2, 1], [0.3, 0.08, 0.03]).body(steel, |p, _| p[0] == 0.0);
    let steel = Steel { young: 210e3, density: 7.8e-9, ..steel };
    let millimetres = hex20([6, 2, 1], [300.0, 80.0, 30.0]).body(steel, |p, _| p[0] == 0.0);
    let [a, b] = [lowest(&metres, 6), lowest(&millimetres, 6)];
    for (a, b) in a.modes.iter().zip(&b.modes) {
        assert!((a.eigenvalue / b.eigenvalue - 1.0).abs() < 1e-9);
        assert!((a.effective_mass()[1] - 1e3 * b.effective_mass()[1]).abs() < 1e-9 * 5.6);
    }
    assert_eq!(lowest(&metres, 6), a);
}

/// A small part of a mode added to the rest shape returns after each period, by every kind of step.
#[test]
fn motion_that_starts_in_a_mode_has_its_frequency() {
    let beam = quad8([8, 2], [4.0, 1.0]);
    let lame = Lame::from_young(1.0, 0.3).unwrap();
    let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(lame).unwrap());
    let blocks = ElementGroup::new(beam.kind, &beam.cells, 1.0).build(&beam.points, &law).unwrap();
    let body = problem(&beam.points, blocks, &[], |p, _| p[0] == 0.0);
    let found = lowest(&body, 3);
    let rest = body.solid().points().to_vec();
    for mode in &found.modes {
        let most = mode.shape.iter().fold(0.0, |m: f64, u| m.max(u.abs()));
        let x: Vec<f64> = rest.iter().zip(&mode.shape).map(|(x, u)| x + 1e-6 * u / most).collect();
        let part = |x: &[f64]| -> f64 {
            let along = x.iter().zip(&rest).zip(&mode.shape).enumerate();
            along.map(|(i, ((x, p), u))| body.solid().mass()[i / 3] * (x - p) * u).sum()
        };
        let period = 2.0 * PI / mode.angular_frequency();
        let v = vec![0.0; x.len()];
        let start = part(&x);
        // A quarter of a period: the mode is at rest shape, whose crossing tells the frequency best.
        let after_newmark = {
            let h = period / 400.0;
            let start = SparseStart { t: 0.0, h, x: x.clone(), v: v.clone() };
            let method = Method::Newmark { beta: 0.25, gamma: 0.5 };
            let mut run = Sparse::new(Arc::clone(&body), method, start, 1e-15).unwrap();
            (0..100).for_each(|_| run.step().unwrap());
            part(run.positions())
        };
        let after_avi = {
            let step: Vec<f64> = body.solid().steps_courant(0.3);
            let start = AviStart { t: 0.0, x, v, mass: body.solid().mass().to_vec(), step };
            let mut avi = Avi::new(Arc::clone(&body), start).unwrap();
            avi.advance(0.25 * period).unwrap();
            part(&avi.snapshot().unwrap().x)
        };
        for after in [after_newmark, after_avi] {
            assert!((after / start).abs() < 2e-3, "{}: {}", mode.angular_frequency(), after / start);
        }
    }
}

#[test]
fn counts_that_cannot_be_are_refused() {
    let body = quad8([1, 1], [1.0, 1.0]).body(UNIT, |p, _| p[0] == 0.0);
    let points = body.solid().points();
    for count in [0, 11] {
        let refused = modes(&body, 0.0, points, &ModalSpec::lowest(count)).unwrap_err();
        assert_eq!(refused, ModesError::Count { unknowns: 10 });
    }
    assert_eq!(lowest(&body, 10).modes.len(), 10);
}

/// A chain of bars at an angle without tension: every node moves freely across, in two directions.
#[test]
fn motions_without_stiffness_are_mechanisms() {
    let n = 40;
    let points: Vec<[f64; 3]> = (0..=n).map(|i| [0.6, 0.7, 0.3].map(|d| d * f64::from(i))).collect();
    let nodes: Vec<u32> = (0..n).flat_map(|i| [i, i + 1]).collect();
    let bars = Bars::elastic(&points, &nodes, 0, 3.0, 0.7).unwrap();
    let body = problem(&points, vec![Box::new(bars)], &[], |p, _| p[0] == 0.0);
    let found = lowest(&body, 12);
    assert_eq!((kinds(&found, ModeKind::Mechanism) + kinds(&found, ModeKind::Rigid), found.loose), (12, 0));
    let all = lowest(&body, 2 * n as usize + 1);
    assert_eq!(kinds(&all, ModeKind::Vibration), 1);
}
