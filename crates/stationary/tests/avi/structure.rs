//! What is kept of the geometry: the symplectic form between intermediate configurations, and reciprocity.

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviStart};
use stationary::linalg::Lu;
use stationary::model::Potentials;
use stationary::model::solid::{ElementKind, SolidProblem};
use std::sync::Arc;

/// One event of a run, linearised.
struct Event {
    nodes: Vec<u32>,
    time: f64,
    weight: f64,
    /// Second derivatives of the element's potential, by rows.
    tangent: Vec<f64>,
}

/// A run with its events.
struct Linear {
    events: Vec<Event>,
    mass: Vec<f64>,
    fixed: Vec<bool>,
    /// The first so many events are half kicks of the start.
    begin: usize,
}

/// A variation of positions and momenta, nodes at their own times.
#[derive(Clone)]
struct Variation {
    x: Vec<f64>,
    p: Vec<f64>,
    clock: Vec<f64>,
}

impl Variation {
    /// `sum dx . d'p - d'x . dp`, and the size of its terms.
    fn form(&self, other: &Variation) -> (f64, f64) {
        let terms = (0..self.x.len()).map(|i| (self.x[i] * other.p[i], other.x[i] * self.p[i]));
        terms.fold((0.0, 0.0), |(sum, size), (a, b)| (sum + a - b, size + a.abs() + b.abs()))
    }
}

/// How to spoil an event, to see that the laws notice.
#[derive(Clone, Copy, PartialEq)]
enum Slip {
    None,
    /// One node of an element gets another weight than the rest.
    Weight,
    /// A tangent that is not symmetric, as that of a follower force.
    Stiffness,
}

impl Linear {
    fn of(problem: &Arc<SolidProblem>, start: &AviStart, avi: &mut Avi<Arc<SolidProblem>>, end: f64) -> Self {
        let tangent = |k: usize, t: f64, x: &[f64]| {
            let n = 3 * problem.nodes(k).len();
            let mut out = vec![0.0; n * n];
            let (block, k) = problem.solid().locate(k);
            block.tangent(k, t, x, &mut out).unwrap();
            out
        };
        let mut events = Vec::new();
        let first = avi.positions().to_vec();
        // Half the first step: by the time of the first event.
        let mut seen = vec![false; problem.count()];
        let mut halves = Vec::new();
        avi.advance_watched(end, |f| {
            if !std::mem::replace(&mut seen[f.element], true) {
                let (time, weight) = (start.t, 0.5 * (f.time - start.t));
                let nodes = problem.nodes(f.element).to_vec();
                halves.push(Event { nodes, time, weight, tangent: tangent(f.element, time, &first) });
            }
            let nodes = problem.nodes(f.element).to_vec();
            events.push(Event {
                nodes,
                time: f.time,
                weight: f.weight,
                tangent: tangent(f.element, f.time, f.x),
            });
        })
        .unwrap();
        assert!(seen.iter().all(|s| *s));
        let begin = halves.len();
        halves.extend(events);
        let fixed = (0..first.len())
            .map(|i| i % 3 == 2 && plane(problem) || problem.supports().is_some_and(|s| s.is_fixed(i)));
        Linear { events: halves, mass: start.mass.clone(), fixed: fixed.collect(), begin }
    }

    fn zero(&self, t: f64) -> Variation {
        let n = self.fixed.len();
        Variation { x: vec![0.0; n], p: vec![0.0; n], clock: vec![t; n / 3] }
    }

    fn random(&self, random: &mut Random) -> Variation {
        let mut all = self.zero(0.0);
        for i in (0..self.fixed.len()).filter(|i| !self.fixed[*i]) {
            (all.x[i], all.p[i]) = (random.next(), self.mass[i / 3] * random.next());
        }
        all
    }

    /// The tangent of one event.
    fn event(&self, event: &Event, at: &mut Variation, slip: Slip) {
        for a in event.nodes.iter().map(|a| *a as usize) {
            let ahead = event.time - at.clock[a];
            (3 * a..3 * a + 3).for_each(|i| at.x[i] += ahead * at.p[i] / self.mass[a]);
            at.clock[a] = event.time;
        }
        let n = 3 * event.nodes.len();
        let global = |i: usize| 3 * event.nodes[i / 3] as usize + i % 3;
        let mut kicks = vec![0.0; n];
        for i in 0..n {
            kicks[i] = (0..n).map(|j| event.tangent[i * n + j] * at.x[global(j)]).sum();
            if slip == Slip::Stiffness && i == 0 {
                kicks[i] += 0.01 * event.tangent[0] * at.x[global(4)];
            }
        }
        for i in (0..n).filter(|i| !self.fixed[global(*i)]) {
            let weight = event.weight * if slip == Slip::Weight && i < 3 { 1.01 } else { 1.0 };
            at.p[global(i)] -= weight * kicks[i];
        }
    }
}

fn plane(problem: &SolidProblem) -> bool {
    problem.solid().blocks()[0].kind().dimension() == 2
}

/// A deformed body, one side fixed, of not many elements.
fn body(kind: ElementKind) -> (Arc<SolidProblem>, AviStart) {
    let body = match kind.dimension() {
        2 => grid(kind, [3, 2, 0], [1.1, 0.9, 0.0], 1.4, 0.08),
        _ => grid(kind, [2, 1, 1], [1.1, 0.9, 0.8], 1.4, 0.08),
    };
    Setup::new(body).gravity(&["0", "-0.3", "0"]).fix(&[0, 1], 0, |p| p[0] < 0.08).finish(0.6)
}

fn start(problem: &Arc<SolidProblem>, start: &AviStart, varying: bool) -> Avi<Arc<SolidProblem>> {
    match varying {
        true => changing(problem.clone(), start.clone()),
        false => Avi::new(problem.clone(), start.clone()).unwrap(),
    }
}

/// The largest relative change of the form between an early and later configurations, over pairs of variations.
fn change(linear: &Linear, slip: Slip) -> f64 {
    let mut random = Random(31);
    let mut worst = 0.0;
    for _ in 0..6 {
        let (mut v, mut w) = (linear.random(&mut random), linear.random(&mut random));
        let (first, mut size) = v.form(&w);
        for (n, event) in linear.events.iter().enumerate() {
            linear.event(event, &mut v, slip);
            linear.event(event, &mut w, slip);
            let (now, terms) = v.form(&w);
            size = terms.max(size);
            if n >= linear.begin {
                worst = largest([worst, (now - first) / size]);
            }
        }
    }
    worst
}

/// [AVI03 (103)]: the form `sum_a dx_a ^ dp_a` over all nodes, each at the time of its own last event, is the same in
/// every intermediate configuration (3.4: after any event), for variations that are tangents of the discrete flow.
#[test]
fn avi_symplectic_form_is_conserved_in_every_intermediate_configuration() {
    for kind in [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4, ElementKind::Tet10] {
        for varying in [false, true] {
            let (problem, at) = body(kind);
            let mut avi = start(&problem, &at, varying);
            let linear = Linear::of(&problem, &at, &mut avi, 1.5);
            assert!(linear.events.len() > 150, "{}", linear.events.len());
            let kept = change(&linear, Slip::None);
            println!("{kind:?}, changing steps {varying}: {kept:e} over {} events", linear.events.len());
            assert!(kept < 1e-12, "{kind:?} {kept:e}");
            assert!(change(&linear, Slip::Weight) > 1e-5 && change(&linear, Slip::Stiffness) > 1e-5);
        }
    }
}

/// The variations of the test above are those of the integrator: differences of its runs.
#[test]
fn avi_product_of_event_tangents_is_the_tangent_of_the_run() {
    for varying in [false, true] {
        let (problem, at) = body(ElementKind::Tri6);
        let mut avi = start(&problem, &at, varying);
        let linear = Linear::of(&problem, &at, &mut avi, 1.5);
        let from = linear.random(&mut Random(77));
        let mut v = from.clone();
        linear.events.iter().for_each(|event| linear.event(event, &mut v, Slip::None));
        let end = |by: f64| {
            let mut moved = at.clone();
            for i in 0..moved.x.len() {
                moved.x[i] += by * from.x[i];
                moved.v[i] += by * from.p[i] / at.mass[i / 3];
            }
            let mut avi = start(&problem, &moved, varying);
            avi.advance(1.5).unwrap();
            (avi.positions().to_vec(), avi.velocities().to_vec())
        };
        let h = 1e-6;
        let (up, down) = (end(h), end(-h));
        for i in 0..at.x.len() {
            let (x, p) =
                ((up.0[i] - down.0[i]) / (2.0 * h), (up.1[i] - down.1[i]) / (2.0 * h) * at.mass[i / 3]);
            let size = largest(v.x.iter().copied());
            assert!(
                (x - v.x[i]).abs() < 1e-6 * size && (p - v.p[i]).abs() < 1e-6 * size,
                "{i}: {x} {} {p} {}",
                v.x[i],
                v.p[i]
            );
        }
    }
}

/// Impulses on spacetime nodes: event, component among the element's, size.
type Impulses = Vec<(usize, usize, f64)>;

/// The variation at the end, and at the impulses of `others`, that these impulses make, from a start.
fn march(
    linear: &Linear,
    from: &Variation,
    impulses: &Impulses,
    others: &Impulses,
    slip: Slip,
) -> (Variation, f64) {
    let (mut at, mut measured) = (from.clone(), 0.0);
    for (n, event) in linear.events.iter().enumerate() {
        linear.event(event, &mut at, slip);
        let global = |c: usize| 3 * event.nodes[c / 3] as usize + c % 3;
        impulses.iter().filter(|i| i.0 == n).for_each(|i| at.p[global(i.1)] += i.2);
        measured += others.iter().filter(|i| i.0 == n).map(|i| i.2 * at.x[global(i.1)]).sum::<f64>();
    }
    (at, measured)
}

/// [AVI03 8.3]: `sum B^W . V = sum B^V . W` over the nodes of spacetime, where the incremental impulses `B^V` and `B^W`
/// act at events of elements, `V` and `W` are the linearised responses, and both vanish on the displacement boundary: here the
/// fixed nodes at all times, and all nodes at the start and at the end (each at its own last time). The responses
/// are found by shooting: the momenta at the start are chosen to meet the end.
#[test]
fn avi_responses_to_impulses_in_spacetime_are_reciprocal() {
    let (problem, at) = body(ElementKind::Tri3);
    let mut avi = start(&problem, &at, false);
    let linear = Linear::of(&problem, &at, &mut avi, 1.5);
    let free: Vec<usize> = (0..at.x.len()).filter(|i| !linear.fixed[*i]).collect();
    let mut random = Random(3);
    let mut some = |count: usize| -> Impulses {
        let mut found = Vec::new();
        while found.len() < count {
            let n = linear.begin
                + ((0.5 + 0.5 * random.next()) * (linear.events.len() - linear.begin) as f64) as usize;
            let c = (4.5 * (1.0 + random.next())) as usize;
            if !linear.fixed[3 * linear.events[n].nodes[c / 3] as usize + c % 3] {
                found.push((n, c, random.next()));
            }
        }
        found
    };
    let (b_v, b_w) = (some(12), some(12));
    let reciprocity = |slip: Slip| {
        let response = |impulses: &Impulses, others: &Impulses| {
            let n = free.len();
            let mut lu = Lu::new(n);
            for (j, c) in free.iter().enumerate() {
                let mut unit = linear.zero(0.0);
                unit.p[*c] = 1.0;
                let (end, _) = march(&linear, &unit, &Vec::new(), &Vec::new(), slip);
                free.iter().enumerate().for_each(|(i, c)| lu.matrix()[i * n + j] = end.x[*c]);
            }
            let (end, _) = march(&linear, &linear.zero(0.0), impulses, others, slip);
            let mut p: Vec<f64> = free.iter().map(|c| -end.x[*c]).collect();
            assert!(lu.factor());
            lu.solve(&mut p);
            let mut from = linear.zero(0.0);
            free.iter().zip(&p).for_each(|(c, p)| from.p[*c] = *p);
            let (end, measured) = march(&linear, &from, impulses, others, slip);
            assert!(largest(end.x.iter().copied()) < 1e-9);
            measured
        };
        let (one, other) = (response(&b_v, &b_w), response(&b_w, &b_v));
        println!("reciprocity: {one} {other}, apart by {:e}", one - other);
        (one - other).abs() / one.abs()
    };
    assert!(reciprocity(Slip::None) < 1e-11);
    assert!(reciprocity(Slip::Weight) > 1e-4 && reciprocity(Slip::Stiffness) > 1e-4);
}
