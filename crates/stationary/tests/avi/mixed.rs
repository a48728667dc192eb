//! Bodies of several kinds of elements, with local steps whose levels meet across the kinds.

use super::bodies::*;
use stationary::integrate::avi::{Avi, AviStart, harmonic};
use stationary::model::solid::{
    ConstitutiveLaw, ElementGroup, ElementKind, Lame, LoadsBuilder, NeoHookean, Solid, SolidProblem,
};
use stationary::model::{Potentials, Supports};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A bar of cells, finer towards `x = 0`: by their place along it hexahedra, pyramids with tetrahedra, and wedges.
fn bar() -> (Arc<SolidProblem>, AviStart) {
    let cells = [6, 2, 2];
    let mut random = Random(7);
    let mut points = Vec::new();
    for n in 0..(cells[0] + 1) * (cells[1] + 1) * (cells[2] + 1) {
        let at =
            [n % (cells[0] + 1), n / (cells[0] + 1) % (cells[1] + 1), n / (cells[0] + 1) / (cells[1] + 1)];
        let place =
            [1.5 * (at[0] as f64 / cells[0] as f64).powf(2.5), at[1] as f64 / 4.0, at[2] as f64 / 4.0];
        points.push(place.map(|p| p + 0.003 * random.next()));
    }
    let id = |i: usize, j: usize, k: usize| (i + (cells[0] + 1) * (j + (cells[1] + 1) * k)) as u32;
    let mut groups: BTreeMap<ElementKind, Vec<u32>> = BTreeMap::new();
    for n in 0..cells[0] * cells[1] * cells[2] {
        let (i, j, k) = (n % cells[0], n / cells[0] % cells[1], n / cells[0] / cells[1]);
        let hex: Vec<u32> = ElementKind::Hex8
            .cell()
            .reference()
            .iter()
            .map(|p| {
                id(i + usize::from(p[0] > 0.0), j + usize::from(p[1] > 0.0), k + usize::from(p[2] > 0.0))
            })
            .collect();
        let mut add = |kind: ElementKind, nodes: &[u32]| groups.entry(kind).or_default().extend(nodes);
        let by = |c: [usize; 6]| c.map(|c| hex[c]);
        match i % 3 {
            0 => add(ElementKind::Hex8, &hex),
            1 => {
                let middle = points.len() as u32;
                points.push(std::array::from_fn(|i| {
                    hex.iter().map(|a| points[*a as usize][i]).sum::<f64>() / 8.0
                }));
                for (f, face) in ElementKind::Hex8.cell().faces().iter().enumerate() {
                    let c: Vec<u32> = face.iter().rev().map(|c| hex[*c]).collect();
                    // The outer sides along y have one element each, so they may be cut.
                    if (f == 2 && j == 0) || (f == 4 && j == 1) {
                        add(ElementKind::Tet4, &[c[0], c[1], c[2], middle]);
                        add(ElementKind::Tet4, &[c[0], c[2], c[3], middle]);
                    } else {
                        add(ElementKind::Pyramid5, &[c[0], c[1], c[2], c[3], middle]);
                    }
                }
            }
            _ => {
                add(ElementKind::Wedge6, &by([0, 1, 2, 4, 5, 6]));
                add(ElementKind::Wedge6, &by([0, 2, 3, 4, 6, 7]));
            }
        }
    }
    let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(2.0, 1.0).unwrap()).unwrap());
    let mut blocks = Vec::new();
    for (kind, nodes) in &groups {
        blocks.extend(ElementGroup::new(*kind, nodes, 1.0).build(&points, &law).unwrap());
    }
    let solid = Solid::new(&points, blocks, &[]).unwrap();
    let mut start = AviStart {
        t: 0.0,
        x: points
            .iter()
            .flat_map(|p| [1.05 * p[0] + 0.05 * p[1], p[1] + 0.03 * (2.0 * p[0]).sin(), 0.97 * p[2]])
            .collect(),
        v: points.iter().flat_map(|p| [0.1 - 0.3 * p[1], 0.3 * p[0], 0.1 * p[0]]).collect(),
        mass: solid.mass().to_vec(),
        step: solid.steps_courant(0.3),
    };
    let loads = LoadsBuilder::default().finish(&points, solid.elements());
    let problem = Arc::new(SolidProblem::new(solid, loads, Supports::new(&points), Vec::new()));
    start.step = harmonic(&problem, &start.step, false);
    (problem, start)
}

#[test]
fn levels_of_a_mixed_body_meet_across_its_kinds() {
    let (problem, start) = bar();
    let mut kinds = BTreeSet::new();
    let mut meet = BTreeSet::new();
    for k in 0..problem.count() {
        let kind = problem.solid().locate(k).0.kind();
        kinds.insert(kind);
        for n in 0..k {
            let other = problem.solid().locate(n).0.kind();
            let touch = problem.nodes(k).iter().any(|a| problem.nodes(n).contains(a));
            if other != kind && touch && start.step[k] != start.step[n] {
                meet.insert((other, kind));
            }
        }
    }
    assert_eq!(kinds.len(), 4);
    assert!(meet.len() >= 3, "{meet:?}");
}

#[test]
fn avi_of_a_mixed_body_conserves_momenta_and_energy() {
    let (problem, start) = bar();
    let mut avi = Avi::new(problem.clone(), start.clone()).unwrap();
    let energy = |x: &[f64], v: &[f64]| {
        let kinetic: f64 = (0..x.len()).map(|i| 0.5 * start.mass[i / 3] * v[i] * v[i]).sum();
        kinetic + problem.solid().energy(0.0, x).unwrap()
    };
    let first = energy(&start.x, &start.v);
    let (mut halves, mut linear, mut angular) = ([0.0; 2], 0.0, 0.0);
    for row in 1..=200 {
        avi.advance(0.1 * f64::from(row)).unwrap();
        let now = avi.snapshot().unwrap();
        let half = usize::from(row > 100);
        halves[half] = largest([halves[half], energy(&now.x, &now.v) / first - 1.0]);
        let (p, l) = (avi.linear_balance(), avi.angular_balance());
        linear = largest([linear, p.residual() / p.scale]);
        angular = largest([angular, l.residual() / l.scale]);
    }
    println!("energy {halves:?}, momenta {linear:e} {angular:e}");
    assert!(linear < 1e-13 && angular < 1e-13, "{linear:e} {angular:e}");
    // It oscillates with the steps and does not grow.
    assert!(halves[0] < 3e-4 && halves[1] < 1.5 * halves[0], "{halves:?}");
}

#[test]
fn avi_of_a_mixed_body_has_the_bits_of_one_queue() {
    let (problem, start) = bar();
    let mut schedule = Avi::new(problem.clone(), start.clone()).unwrap();
    let mut queue = Avi::new(problem, start).unwrap();
    queue.use_priority_queue();
    schedule.advance(1.0).unwrap();
    queue.advance(1.0).unwrap();
    assert_eq!(schedule.events(), queue.events());
    assert_eq!(schedule.positions(), queue.positions());
    assert_eq!(schedule.velocities(), queue.velocities());
}
