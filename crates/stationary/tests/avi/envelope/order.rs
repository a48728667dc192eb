//! Order of accuracy where levels meet, under joint refinement of mesh and step: errors against the same mesh with a small step.

use super::*;
use stationary::integrate::avi::Avi;

/// Errors of a run: of displacements, as root mean square, and of their differences over the length of an element, the largest.
#[derive(Debug, Clone, Copy)]
struct Errors {
    displacement: f64,
    strain: f64,
}

/// Compares the final positions with those of one small step for all. The end is in the middle of a slow step, where shared nodes swing.
fn errors(problem: &Arc<SolidProblem>, start: &AviStart, boundary: Boundary, size: f64) -> Errors {
    let h = start.step.iter().copied().fold(f64::INFINITY, f64::min);
    let end = (0.4 / (2.0 * h)).round() * 2.0 * h + 0.9 * h;
    let mut local = run(problem, start, boundary);
    local.advance(end).unwrap();
    let mut small = start.clone();
    small.step.fill(end / (16.0 * end / h).ceil());
    let mut reference = Avi::new(problem.clone(), small).unwrap();
    reference.advance(end).unwrap();
    let one = local.snapshot().unwrap().x;
    let other = reference.snapshot().unwrap().x;
    let error: Vec<f64> = one.iter().zip(&other).map(|(a, b)| a - b).collect();
    let square: f64 = error.iter().map(|e| e * e).sum();
    let mut strain = 0.0_f64;
    for k in 0..start.step.len() {
        let nodes = stationary::model::Potentials::nodes(&**problem, k);
        for (n, a) in nodes.iter().enumerate() {
            for (b, i) in nodes[..n].iter().flat_map(|b| (0..3).map(move |i| (b, i))) {
                strain = strain.max((error[3 * *a as usize + i] - error[3 * *b as usize + i]).abs() / size);
            }
        }
    }
    Errors { displacement: (3.0 * square / error.len() as f64).sqrt(), strain }
}

fn slope(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

/// Checks the slopes between the last two meshes, each twice as fine as the one before.
fn check(name: &str, mut of: impl FnMut(usize, Boundary) -> Errors, cells: [usize; 3]) {
    let envelope = cells.map(|n| of(n, Boundary::Envelope));
    let impulse = cells.map(|n| of(n, Boundary::Impulse));
    let slopes =
        |e: &[Errors; 3]| [slope(e[1].displacement, e[2].displacement), slope(e[1].strain, e[2].strain)];
    println!(
        "{name}: envelope {envelope:?} {:?}\n  impulse {impulse:?} {:?}",
        slopes(&envelope),
        slopes(&impulse)
    );
    assert!(slopes(&envelope)[0] > 1.8, "{name}: displacements are of second order");
    assert!(slopes(&envelope)[1] > 0.8, "{name}: strains beside the boundary converge");
    assert!(slopes(&impulse)[0] < 1.5, "{name}: with impulses displacements are of first order");
    assert!(slopes(&impulse)[1] < 0.3, "{name}: with impulses strains do not converge");
    assert!(2.5 * envelope[2].displacement < impulse[2].displacement, "{name}: the error is smaller");
}

#[test]
fn envelope_makes_a_bar_with_two_levels_second_order_accurate() {
    let of = |n: usize, boundary| {
        let (problem, mut start) = bar(n, 0.35 / n as f64, |_| {});
        for a in 0..=n {
            let place = std::f64::consts::PI * a as f64 / n as f64;
            start.x[3 * a] += 0.02 * place.sin();
            start.v[3 * a] = 0.06 * (2.0 * place).sin();
        }
        errors(&problem, &start, boundary, 1.0 / n as f64)
    };
    check("bar", of, [64, 128, 256]);
}

/// A box of `n` cells along its length, with fixed ends and two levels.
fn block(kind: ElementKind, n: usize, boundary: Boundary) -> Errors {
    let size = 1.0 / n as f64;
    let cells = [n, n / 4, n / 4];
    let body = grid(kind, cells, [1.0, 0.25, 0.25], 1.0, 0.0);
    // Rollers on the long sides: waves from free sides would not be smooth.
    let at_end = |p: &[f64; 3]| p[0] < 1e-9 || p[0] > 1.0 - 1e-9;
    let at_side = |p: &[f64; 3], i: usize| !at_end(p) && (p[i] < 1e-9 || p[i] > 0.25 - 1e-9);
    let mut setup = Setup::new(body).fix(&[0, 1, 2], 0, at_end).fix(&[1], 1, |p| at_side(p, 1));
    if kind.dimension() == 3 {
        setup = setup.fix(&[2], 2, |p| at_side(p, 2));
    }
    let points = setup.body.points.clone();
    let centre: Vec<f64> = setup
        .body
        .elements()
        .map(|nodes| nodes.iter().map(|a| points[*a as usize][0]).sum::<f64>())
        .collect();
    let corners = kind.nodes() as f64;
    let (problem, mut start) = setup.finish(0.1);
    let wave = std::f64::consts::PI;
    for (a, p) in points.iter().enumerate() {
        let flat = kind.dimension() == 2;
        start.x[3 * a] = p[0] + 0.02 * (wave * p[0]).sin();
        start.x[3 * a + 1] = p[1];
        start.x[3 * a + 2] = p[2];
        start.v[3 * a] = 0.1 * (2.0 * wave * p[0]).sin();
        start.v[3 * a + 1] = 0.01 * (wave * p[0]).sin() * (4.0 * wave * p[1]).sin();
        start.v[3 * a + 2] =
            if flat { 0.0 } else { 0.01 * (2.0 * wave * p[0]).sin() * (4.0 * wave * p[2]).sin() };
    }
    let h = 0.06 * size;
    start.step = centre.iter().map(|x| if *x < 0.5 * corners { h } else { 2.0 * h }).collect();
    errors(&problem, &start, boundary, size)
}

#[test]
fn envelope_makes_a_plane_slab_with_two_levels_second_order_accurate() {
    check("slab", |n, boundary| block(ElementKind::Tri3, n, boundary), [8, 16, 32]);
}

#[test]
fn envelope_makes_a_block_of_tetrahedra_with_two_levels_second_order_accurate() {
    check("block", |n, boundary| block(ElementKind::Tet4, n, boundary), [4, 8, 16]);
}
