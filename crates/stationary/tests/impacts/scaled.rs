//! Units do not count: a scene in other units of mass, length and time, by powers of two, has the same impacts.

use super::common::{GAUSS, MIDPOINT, Setup, VERLET};
use stationary::contact::GapImpact;
use stationary::integrate::Method;

/// Bodies of radius 1 over a floor: the gap, the slip, restitution and friction. `{r}` is the radius.
const SCENES: [(&str, &str, (f64, f64)); 6] = [
    ("y - {r}", "vx + {r}*va", (0.6, 0.3)),
    ("y - {r}", "", (0.5, 0.4)),
    ("y - {r}*max(abs(sin(a)), abs(cos(a)))", "", (0.3, 0.0)),
    ("y - {r}*max(abs(sin(a)), abs(cos(a)))", "vx + y*va", (0.0, 0.5)),
    ("y - sqrt(({r}*sin(a))^2 + (0.5*{r}*cos(a))^2)", "vx + y*va", (0.4, 0.2)),
    ("y - 0.7*{r}*(abs(sin(a)) + abs(cos(a)))", "", (1.0, 0.0)),
];

/// Impacts of a scene in units of which one of ours makes so many, by exponents of two: mass, length, time.
fn impacts(scene: usize, method: Method, [mass, length, time]: [i32; 3]) -> (Vec<GapImpact>, Vec<f64>) {
    let [m, r, s] = [mass, length, time].map(|x| 2.0_f64.powi(x));
    let (gap, slip, law) = SCENES[scene];
    let put = |text: &str| text.replace("{r}", &format!("{r:?}"));
    let (gap, slip) = (put(gap), put(slip));
    let gravity = 9.81 * r / (s * s);
    let inertia = 0.25 * m * r * r;
    let lagrangian = format!("0.5*{m:?}*(vx^2 + vy^2) + 0.5*{inertia:?}*va^2 - {m:?}*{gravity:?}*y");
    let (q, v) = ([0.0, 2.0 * r, 0.3], [1.2 * r / s, -0.3 * r / s, 2.5 / s]);
    let setup = Setup {
        lagrangian: &lagrangian,
        gaps: &[&gap],
        slips: &[&slip],
        laws: vec![law],
        q: &q,
        v: &v,
        ..Setup::default()
    };
    let (x, impacts) = setup.run(method, 0.02 * s, 100);
    let view = x.view();
    (impacts, vec![view.q[0] / r, view.q[1] / r, view.q[2]])
}

/// Products with powers of two are exact, and no comparison depends on the units: the bits are the same. (Powers of mass are even, because lengths
/// of normals in the metric of the energy are roots of masses.)
#[test]
fn impacts_are_the_same_in_all_units() {
    let mut broken = Vec::new();
    for scene in 0..SCENES.len() {
        for method in [GAUSS, VERLET, MIDPOINT] {
            let (plain, place) = impacts(scene, method, [0; 3]);
            assert!(plain.len() >= 2, "{scene} {method}: {plain:?}");
            for scale in
                [[30, 0, 0], [-70, 0, 0], [0, 20, 0], [0, -18, 0], [0, 0, 25], [0, 0, -35], [-60, -18, -20]]
            {
                let (other, there) = impacts(scene, method, scale);
                let name = format!("scene {scene}, {method}, {scale:?}");
                let time = 2.0_f64.powi(scale[2]);
                let energy = 2.0_f64.powi(scale[0] + 2 * scale[1] - 2 * scale[2]);
                let kinds = |list: &[GapImpact]| list.iter().map(|x| x.kind).collect::<Vec<_>>();
                if kinds(&plain) != kinds(&other) {
                    broken.push(format!("{name}: {:?} {:?}", kinds(&plain), kinds(&other)));
                    continue;
                }
                let same = |x: &GapImpact, y: &GapImpact| {
                    x.time == y.time / time
                        && x.energy_before == y.energy_before / energy
                        && x.energy_after == y.energy_after / energy
                };
                if let Some((x, y)) = plain.iter().zip(&other).find(|(x, y)| !same(x, y)) {
                    broken.push(format!("{name}: {x:?} {y:?}"));
                }
                if place != there {
                    broken.push(format!("{name}: {place:?} {there:?}"));
                }
            }
        }
    }
    assert!(broken.is_empty(), "{}\n{}", broken.len(), broken.join("\n"));
}
