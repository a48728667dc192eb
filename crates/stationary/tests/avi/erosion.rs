//! Elements that are removed where their metal has flowed too far.

use super::bodies::*;
use super::harmonic_schedule::rounded;
use super::{free_schedule, state};
use stationary::integrate::Method;
use stationary::integrate::avi::{Avi, AviStart, Boundary};
use stationary::integrate::sparse::{Sparse, SparseStart};
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Elements, Eroding, Hardening, J2, Lame, NeoHookean,
    RateDependence, Solid, SolidProblem,
};
use std::sync::Arc;

fn metal() -> ConstitutiveLaw {
    let hardening = Hardening { linear: 0.02, ..Hardening::none(0.03) };
    ConstitutiveLaw::J2(J2::new(Lame::new(2.0, 1.0).unwrap(), hardening, RateDependence::NONE).unwrap())
}

/// A body that is torn apart lengthwise, and turns.
fn torn(cells: [usize; 3], speed: f64, limit: f64) -> (Arc<SolidProblem>, AviStart) {
    parted(grid(ElementKind::Tet4, cells, [1.3, 0.6, 0.5], 1.3, 0.08), speed, limit)
}

/// A bar of six hexahedra.
fn bar() -> Body {
    let corners = [[0.0, 0.0], [0.3, 0.0], [0.3, 0.3], [0.0, 0.3]];
    let points = (0..7).flat_map(|i| corners.map(|[y, z]| [0.2 * f64::from(i), y, z])).collect();
    let nodes = (0..6).flat_map(|i| (0..4).map(move |a| 4 * i + a).chain((4..8).map(move |a| 4 * i + a)));
    Body { kind: ElementKind::Hex8, points, nodes: nodes.collect() }
}

/// The halves of a body fly apart, or together.
fn parted(body: Body, speed: f64, limit: f64) -> (Arc<SolidProblem>, AviStart) {
    let kind = body.kind;
    let group = ElementGroup::new(kind, &body.nodes, 1.0);
    let blocks = group.build(&body.points, &metal()).unwrap();
    let eroding = |block| Box::new(Eroding::new(block, limit).unwrap()) as Box<dyn Elements>;
    let solid = Solid::new(&body.points, blocks.into_iter().map(eroding).collect(), &[]).unwrap();
    let (problem, mut first) = Setup::of(body, solid).finish(0.3);
    first.x = problem.solid().points().to_vec();
    for (v, x) in first.v.chunks_exact_mut(3).zip(problem.solid().points().chunks_exact(3)) {
        let away = if x[0] > 0.6 { 1.0 } else { -1.0 };
        v.copy_from_slice(&[speed * away - 0.2 * x[1], 0.2 * x[0], 0.1 * x[1]]);
    }
    let first = rounded(&problem, &first);
    (problem, first)
}

fn eroded(problem: &SolidProblem, history: impl Fn(usize) -> f64) -> usize {
    (0..problem.solid().elements()).filter(|k| history(*k) == 1.0).count()
}

fn is_eroded(problem: &SolidProblem, run: &Avi<Arc<SolidProblem>>, k: usize) -> f64 {
    let (block, j) = problem.solid().locate(k);
    block.shown_value(j, run.past(k).unwrap().history, "eroded")
}

#[test]
fn eroding_elements_leave_momenta_exact_and_their_energy_counts_as_dissipated() {
    let errors = [1.0, 0.25].map(|part| {
        let (problem, mut first) = torn([5, 2, 2], 0.25, 0.5);
        first.step.iter_mut().for_each(|step| *step *= part);
        let mut run = Avi::with_boundary(problem.clone(), first, Boundary::Envelope).unwrap();
        let start = run.snapshot().unwrap();
        let total = start.kinetic + start.potential;
        let (mut last, mut worst) = (0.0, 0.0_f64);
        for i in 1..=30 {
            run.advance(0.1 * f64::from(i)).unwrap();
            let now = run.snapshot().unwrap();
            assert!(now.dissipated >= last, "{i}");
            last = now.dissipated;
            worst = worst.max(((now.kinetic + now.potential + last) / total - 1.0).abs());
            for balance in [run.linear_balance(), run.angular_balance()] {
                assert!(balance.residual() < 1e-13 * balance.scale, "{balance:?}");
            }
        }
        let count = eroded(&problem, |k| is_eroded(&problem, &run, k));
        assert!(count > 4 && count < problem.solid().elements() / 2, "{count}");
        worst
    });
    assert!(errors[0] < 0.02 && errors[1] < 0.4 * errors[0], "{errors:?}");
}

#[test]
fn runs_with_eroding_elements_have_the_same_bits_in_pieces_and_on_threads() {
    let (problem, first) = torn([5, 2, 2], 0.5, 0.05);
    let boundary = Boundary::Envelope;
    let make = || Avi::with_boundary(problem.clone(), first.clone(), boundary).unwrap();
    state::check(make, false);
    free_schedule::check(
        || Avi::new(problem.clone(), first.clone()).unwrap(),
        &free_schedule::pieces(&first, 1.5),
    );
    let (problem, first) = torn([14, 10, 9], 0.5, 0.05);
    let runs = [1, 3].map(|threads| {
        let mut run = Avi::with_boundary(problem.clone(), first.clone(), boundary).unwrap();
        run.set_threads(threads);
        run.advance(0.4).unwrap();
        assert!(eroded(&problem, |k| is_eroded(&problem, &run, k)) > 0);
        state::bits(&run.state())
    });
    assert_eq!(runs[0], runs[1]);
}

/// Hexahedra average their volume, which an inverted one has no longer.
#[test]
fn synchronous_runs_go_on_when_eroded_elements_invert() {
    let (problem, first) = parted(bar(), -0.5, 0.2);
    let h = first.step.iter().copied().fold(f64::INFINITY, f64::min);
    let start = SparseStart { t: 0.0, h, x: first.x.clone(), v: first.v.clone() };
    let method = Method::Newmark { beta: 0.0, gamma: 0.5 };
    let mut run = Sparse::new(problem.clone(), method, start, 1e-14).unwrap();
    let before: f64 = run.energy().unwrap().iter().sum();
    while run.elapsed() < 3.0 {
        run.step().unwrap();
    }
    let x = run.positions();
    assert!((0..6).any(|i| x[12 * (i + 1)] < x[12 * i]), "an element is turned over: {x:?}");
    let after = run.energy().unwrap().iter().sum::<f64>() + run.dissipated().unwrap();
    assert!((after / before - 1.0).abs() < 0.02, "{before} {after}");
}

#[test]
fn only_elements_with_plastic_strain_erode() {
    let body = small(ElementKind::Tet4);
    let rubber = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(2.0, 1.0).unwrap()).unwrap());
    let blocks = |law: &ConstitutiveLaw| {
        ElementGroup::new(body.kind, &body.nodes, 1.0).build(&body.points, law).unwrap().remove(0)
    };
    let refused = Eroding::new(blocks(&rubber), 0.1).unwrap_err();
    assert!(refused.message.contains("plastic strain"), "{refused:?}");
    assert!(Eroding::new(blocks(&metal()), 0.0).is_err());
}
