//! One element of every kind that yields, against the closed form of a bar.

use super::super::tensor::product;
use super::j2::{Bar, MODULUS, POISSON, YIELD, YOUNG, linear, steel};
use super::*;
use crate::model::Past;

/// How the bar lies in an element.
struct Lie {
    plane: PlaneAssumption,
    /// The axis of the bar.
    along: usize,
    /// The rotation on top of the stretch.
    turn: fn(f64) -> Tensor,
}

const IN_SPACE: [Lie; 1] = [Lie { plane: PlaneAssumption::Strain, along: 0, turn: rotation }];

/// A sheet in tension, and a round bar along its axis, which cannot turn.
const IN_PLANE: [Lie; 2] = [
    Lie { plane: PlaneAssumption::Stress, along: 0, turn: turn_in_plane },
    Lie { plane: PlaneAssumption::Axisymmetric, along: 1, turn: |_| turn_in_plane(0.0) },
];

/// Leads an element through tension and cycles; its nodal forces must satisfy `sum_a f_a X_a = V P`, and its energies be those of the bar.
fn follow(name: &str, block: &dyn Elements, k: usize, points: &[f64], lie: &Lie) {
    let dimension = block.kind().dimension();
    let own: Vec<f64> =
        block.nodes(k).iter().flat_map(|a| &points[3 * *a as usize..][..3]).copied().collect();
    let mut history = vec![0.0; block.history_size()];
    block.first_history(k, &mut history);
    let volume = block.volume(k);
    let mut exact = Bar { plastic: 0.0, accumulated: 0.0 };
    let (mut strain, mut angle) = (0.0, 0.0);
    for goal in [0.001, 0.3, 0.1, -0.25, 0.2, 0.199] {
        for part in [0.4, 1.0] {
            let now = strain + (goal - strain) * part;
            let stress = exact.go(now);
            let across: f64 = -POISSON * stress / YOUNG - 0.5 * exact.plastic;
            angle += 0.37;
            let stretch = |i: usize| if i == lie.along { now.exp() } else { across.exp() };
            let diagonal = |values: &dyn Fn(usize) -> f64| {
                let row = |i| std::array::from_fn(|j| if i == j { values(i) } else { 0.0 });
                [row(0), row(1), row(2)]
            };
            let turn = (lie.turn)(angle);
            let f = product(&turn, &diagonal(&stretch));
            let x = affine(&own, &f, [0.0; 3]);
            let (mut gradient, mut after) = (vec![0.0; own.len()], history.clone());
            let past = Past { history: &history, dt: 1.0 };
            let energy = block.update(k, &x, past, &mut gradient, Some(&mut after)).unwrap();
            let p = product(&turn, &diagonal(&|i| if i == lie.along { stress / stretch(i) } else { 0.0 }));
            for (i, j) in (0..dimension).flat_map(|i| (0..dimension).map(move |j| (i, j))) {
                let sum: f64 =
                    gradient.chunks_exact(3).zip(own.chunks_exact(3)).map(|(f, x)| f[i] * x[j]).sum();
                let error = (sum / volume - p[i][j]).abs();
                assert!(error < 1e-8 * stress.abs().max(YIELD), "{name} {now} {i}{j}: {error:e}");
            }
            let stored = 0.5 * stress * stress / YOUNG;
            let e = exact.accumulated;
            let work = YIELD * e + 0.5 * MODULUS * e * e;
            assert!(
                (energy.stored / volume - stored).abs() < 1e-8 * stored,
                "{name} {now}: {energy:?} {stored}"
            );
            assert!(
                (energy.dissipated / volume - work).abs() <= 1e-10 * work,
                "{name} {now}: {energy:?} {work}"
            );
            let shown = block.shown_value(k, &after, "plastic_strain");
            assert!((shown - e).abs() < 1e-10, "{name} {now}: {shown} {e}");
            history = after;
        }
        strain = goal;
    }
    assert!(exact.accumulated > 0.9, "{name}");
}

/// Distorted elements under an even deformation, with large rotations: forces, energies and plastic strain of the exact solution, however
/// few the increments.
#[test]
fn one_plastic_element_of_every_kind_has_the_forces_and_energies_of_a_bar() {
    let law = ConstitutiveLaw::J2(steel(linear(), RateDependence::NONE));
    for kind in kinds() {
        let mesh = Mesh::new(kind, 2, 0.3, 0.0);
        for lie in if kind.dimension() == 3 { &IN_SPACE[..] } else { &IN_PLANE[..] } {
            let solid = mesh.build(&law, lie.plane);
            for k in (0..solid.elements()).take(5) {
                let (block, k) = solid.locate(k);
                follow(&format!("{} {:?} {k}", kind.name(), lie.plane), block, k, solid.points(), lie);
            }
        }
    }
}
