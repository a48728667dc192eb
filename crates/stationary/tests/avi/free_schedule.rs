//! The free schedule: arbitrary time steps by subdomains on several threads have the bits of one priority queue.

use super::bodies::*;
use super::state::bits;
use stationary::integrate::avi::{Avi, AviError, AviStart};
use stationary::model::solid::{Bars, ConstitutiveLaw, ElementKind, Lame, NeoHookean, Solid, SolidProblem};
use stationary::model::{Potentials, Supports};
use std::sync::Arc;

const SIZES: [usize; 5] = [1, 7, 100, 1000, usize::MAX];
const THREADS: [usize; 3] = [1, 2, 3];

/// Compares a run with one queue and runs by subdomains at several times.
pub fn check<P: Potentials>(make: impl Fn() -> Avi<P>, times: &[f64]) {
    check_sizes(make, times, &SIZES);
}

/// As [`check`], with subdomains of these sizes.
fn check_sizes<P: Potentials>(make: impl Fn() -> Avi<P>, times: &[f64], sizes: &[usize]) {
    let mut queue = make();
    queue.use_priority_queue();
    let mut expected = Vec::new();
    for t in times {
        queue.advance(*t).unwrap();
        expected.push(queue.state());
    }
    assert_ne!(bits(&expected[0]), bits(&expected[times.len() - 1]));
    for (size, threads) in sizes.iter().flat_map(|size| THREADS.map(|threads| (*size, threads))) {
        let mut partitioned = make();
        // Equal steps would go another way.
        partitioned.use_priority_queue();
        partitioned.set_threads(threads);
        partitioned.set_subdomain_size(size);
        for (t, state) in times.iter().zip(&expected) {
            partitioned.advance(*t).unwrap();
            assert_eq!(
                bits(&partitioned.state()),
                bits(state),
                "subdomains of {size}, {threads} threads, time {t}"
            );
        }
        assert_eq!(partitioned.linear_balance(), queue.linear_balance());
        assert_eq!(partitioned.angular_balance(), queue.angular_balance());
        assert_eq!(partitioned.snapshot().unwrap(), queue.snapshot().unwrap());
        if threads != 2 {
            continue;
        }
        // From a state of the other run, and watched for some time.
        assert!(partitioned.restore(&expected[0]));
        let mut seen = 0;
        partitioned.advance_watched(times[3], |_| seen += 1).unwrap();
        assert!(seen > 0);
        partitioned.advance(times[times.len() - 1]).unwrap();
        assert_eq!(bits(&partitioned.state()), bits(&expected[times.len() - 1]));
    }
}

/// Pieces of time with none, few and many events in them.
pub fn pieces(start: &AviStart, steps: f64) -> Vec<f64> {
    let most = start.step.iter().copied().fold(0.0, f64::max);
    [0.8, 0.93, 0.930001, 1.7, steps].map(|t| t * most).to_vec()
}

fn neo_hookean() -> ConstitutiveLaw {
    ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(2.0, 1.0).unwrap()).unwrap())
}

#[test]
fn free_schedule_has_the_bits_of_the_priority_queue_on_free_bodies() {
    for (kind, cells) in
        [(ElementKind::Tet4, [4, 3, 3]), (ElementKind::Tet10, [2, 2, 2]), (ElementKind::Tri3, [9, 8, 0])]
    {
        let body = grid(kind, cells, [1.3, 1.0, 0.8], 1.6, 0.1);
        let solid = Arc::new(body.neo_hookean());
        let start = body.start(&solid, 0.4);
        check(|| Avi::new(solid.clone(), start.clone()).unwrap(), &pieces(&start, 2.5));
        check(|| Avi::with_midpoint_events(solid.clone(), start.clone()).unwrap(), &pieces(&start, 2.0));
    }
}

/// On small bodies the next events often share a node. On these most of the next eight do not, and are executed together.
#[test]
fn free_schedule_has_the_bits_of_the_priority_queue_on_bodies_with_independent_events() {
    for (kind, cells) in [(ElementKind::Tet4, [13, 11, 9]), (ElementKind::Tet10, [7, 6, 5])] {
        let body = grid(kind, cells, [1.3, 1.0, 0.8], 1.3, 0.1);
        let solid = Arc::new(body.neo_hookean());
        let start = body.start(&solid, 0.4);
        let make = || Avi::new(solid.clone(), start.clone()).unwrap();
        check_sizes(make, &pieces(&start, 2.5), &[1000, usize::MAX]);
    }
    // Constant nodal forces and fixed nodes: some of the next events are executed alone.
    let (problem, start) = Setup::new(grid(ElementKind::Tet4, [13, 9, 7], [1.3, 1.0, 0.8], 1.3, 0.1))
        .gravity(&["0", "0.1", "-0.3"])
        .fix(&[0, 1, 2], 0, |p| p[0] < 0.05)
        .finish(0.4);
    check_sizes(|| Avi::new(problem.clone(), start.clone()).unwrap(), &pieces(&start, 2.5), &[1000]);
}

#[test]
fn free_schedule_has_the_bits_of_the_priority_queue_with_loads_and_supports() {
    for kind in [ElementKind::Tet4, ElementKind::Tet10, ElementKind::Tri6] {
        let (problem, start) = everything(kind, 0.4);
        check(|| Avi::new(problem.clone(), start.clone()).unwrap(), &pieces(&start, 2.5));
    }
    // Few elements have loads or supports, so that the two ways of making events alternate.
    let (problem, start) = Setup::new(grid(ElementKind::Tet4, [5, 3, 3], [1.3, 1.0, 0.8], 1.5, 0.1))
        .pressure("0.1+0.05*sin(3*t)", |p| p[0] > 1.1)
        .prescribe(1, "0.03*sin(4*t)", 1, |p| p[0] < 0.05)
        .fix(&[0, 2], 0, |p| p[0] < 0.05)
        .finish(0.4);
    check(|| Avi::new(problem.clone(), start.clone()).unwrap(), &pieces(&start, 2.5));
}

#[test]
fn free_schedule_has_the_bits_of_the_priority_queue_with_simultaneous_events_everywhere() {
    let (problem, mut start) = everything(ElementKind::Tet4, 0.4);
    let least = start.step.iter().copied().fold(1.0, f64::min);
    start.step.fill(least);
    check(|| Avi::new(problem.clone(), start.clone()).unwrap(), &pieces(&start, 9.0));
    // Steps of few and simple ratios: some events together, others not.
    start.step.iter_mut().enumerate().for_each(|(k, h)| *h = least * [1.0, 1.5, 2.0, 3.0][k * 7 % 4]);
    check(|| Avi::new(problem.clone(), start.clone()).unwrap(), &pieces(&start, 6.0));
}

#[test]
fn free_schedule_has_the_bits_of_the_priority_queue_with_bars_and_steps_far_apart() {
    let body = grid(ElementKind::Tet4, [4, 3, 3], [1.3, 1.0, 0.8], 1.3, 0.1);
    let mut blocks = stationary::model::solid::ElementGroup::new(body.kind, &body.nodes, 1.0)
        .build(&body.points, &neo_hookean())
        .unwrap();
    // Across the whole body, so that distant subdomains meet.
    let last = body.points.len() as u32 - 1;
    let ends: Vec<u32> = (0..12).flat_map(|k| [k, last - 2 * k]).collect();
    blocks.push(Box::new(Bars::elastic(&body.points, &ends, 100_000, 0.3, 0.1).unwrap()));
    let solid = Arc::new(Solid::new(&body.points, blocks, &[]).unwrap());
    let mut start = body.start(&solid, 0.3);
    // A sliver's step: many of its events in one slot of time.
    start.step[17] *= 2e-2;
    start.step[201] *= 6e-2;
    check(|| Avi::new(solid.clone(), start.clone()).unwrap(), &pieces(&start, 1.8));
}

/// Faults of the same run with one queue and by subdomains.
fn faults(problem: &Arc<SolidProblem>, start: &AviStart) -> AviError {
    let run = |size: Option<(usize, usize)>| {
        let mut avi = Avi::new(problem.clone(), start.clone()).unwrap();
        avi.use_priority_queue();
        if let Some((size, threads)) = size {
            avi.set_threads(threads);
            avi.set_subdomain_size(size);
        }
        let error = avi.advance(1.0).unwrap_err();
        (error, bits(&avi.state()))
    };
    let (expected, state) = run(None);
    assert_eq!(run(Some((usize::MAX, 1))), (expected.clone(), state));
    for (size, threads) in SIZES.iter().flat_map(|size| THREADS.map(|threads| (*size, threads))) {
        let (error, state) = run(Some((size, threads)));
        assert_eq!(error, expected, "subdomains of {size}, {threads} threads");
        // What is left does not depend on who was faster.
        for _ in 0..2 {
            assert_eq!(run(Some((size, threads))), (error.clone(), state.clone()), "subdomains of {size}");
        }
    }
    expected
}

#[test]
fn free_schedule_reports_the_same_first_fault_for_all_subdomains_and_threads() {
    let body = grid(ElementKind::Tet4, [5, 4, 3], [1.3, 1.0, 0.8], 1.6, 0.1);
    let far = body.points.len() - 1;
    let (problem, start) = Setup::new(body).finish(0.1);
    let mut times = Vec::new();
    // One inverts elements in one corner; two race to it in opposite corners.
    for (v, w) in [(80.0, 0.0), (0.0, -200.0), (80.0, -200.0), (80.0, -201.0)] {
        let mut start = start.clone();
        start.v[0] += v;
        start.v[3 * far] += w;
        let error = faults(&problem, &start);
        assert!(error.fault.why.contains("inverted"), "{error:?}");
        times.push(error.time);
    }
    assert!(times[2] == times[0].min(times[1]), "{times:?}");
}

/// Numbers that do not come from a solid: no way to evaluate them from their own nodes alone.
struct Net(Vec<[u32; 2]>, Supports);

impl Potentials for Net {
    fn count(&self) -> usize {
        self.0.len()
    }
    fn nodes(&self, k: usize) -> &[u32] {
        &self.0[k]
    }
    fn gradient(
        &self,
        k: usize,
        _: f64,
        x: &[f64],
        out: &mut [f64],
    ) -> Result<f64, stationary::model::PotentialFault> {
        let [a, b] = self.0[k].map(|a| 3 * a as usize);
        let d: [f64; 3] = std::array::from_fn(|i| x[b + i] - x[a + i]);
        let square: f64 = d.iter().map(|d| d * d).sum();
        for i in 0..3 {
            out[3 + i] = (1.0 + square) * d[i];
            out[i] = -out[3 + i];
        }
        Ok(0.5 * square + 0.25 * square * square)
    }
    fn supports(&self) -> Option<&Supports> {
        (!self.1.is_empty()).then_some(&self.1)
    }
}

#[test]
fn free_schedule_has_the_bits_of_the_priority_queue_on_user_defined_potentials() {
    let points: Vec<[f64; 3]> =
        (0..60).map(|a| [f64::from(a % 4), f64::from(a / 4 % 5), f64::from(a / 20)]).collect();
    let ends: Vec<[u32; 2]> =
        (0..60).flat_map(|a| [1, 4, 20].map(|s| [a, a + s])).filter(|e| e[1] < 60).collect();
    let mut random = Random(5);
    let step: Vec<f64> = ends.iter().map(|_| 0.02 * (1.5 + random.next())).collect();
    let v: Vec<f64> = (0..180).map(|_| random.next()).collect();
    let start = AviStart { t: -0.3, x: points.as_flattened().to_vec(), v, mass: vec![2.0; 60], step };
    for fixed in [false, true] {
        let supports = || {
            let mut supports = Supports::new(&points);
            if fixed {
                (0..4).for_each(|a| supports.fix(a, 1, 0.0, 0).unwrap());
            }
            supports
        };
        // The start lies before zero: some times are negative, and one event may lie there.
        let times = [-0.21, -0.2, 0.0, 0.01, 0.3];
        check(|| Avi::new(Net(ends.clone(), supports()), start.clone()).unwrap(), &times);
    }
}
