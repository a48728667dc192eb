use super::kernel::{OVERFLOW_SAFE, logarithm};
use super::*;
use crate::model::solid::geometry::Labels;
use crate::model::solid::group::simplices;
use crate::model::solid::lanes::Lanes;
use crate::model::{IndependentEvent, MovingNode};

const LAME: Lame = Lame { lambda: 3.0, mu: 1.3 };

/// Numbers in (-1, 1), the same in every run.
fn random(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// `count` tetrahedra on few shared nodes, in no order that helps: nodes, then elements; ten-node ones get nodes of their own
/// in the middles.
fn body<S: TetShape>(count: usize) -> (Vec<f64>, NeoHookeanTets<S>) {
    let (mut seed, mut points, mut nodes) = (count as u64, Vec::new(), Vec::new());
    for k in 0..count {
        let first = (points.len() / 3) as u32;
        // A corner of the element before, and three new ones around it.
        let origin: Vec<f64> = if k == 0 { vec![0.0; 3] } else { points[points.len() - 3..].to_vec() };
        let mut corners = if k == 0 { vec![origin.clone()] } else { Vec::new() };
        for c in 0..3 {
            corners.push(
                (0..3).map(|i| origin[i] + f64::from(u8::from(i == c)) + 0.2 * random(&mut seed)).collect(),
            );
        }
        points.extend(corners.concat());
        let mut own: Vec<u32> =
            if k == 0 { vec![0, 1, 2, 3] } else { vec![first - 1, first, first + 1, first + 2] };
        if S::NODES == 10 {
            for [a, b] in [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]] {
                let at = |n: usize, i: usize| points[3 * own[n] as usize + i];
                let middle: Vec<f64> = (0..3).map(|i| 0.5 * (at(a, i) + at(b, i))).collect();
                own.push((points.len() / 3) as u32);
                points.extend(middle);
            }
            // The next element starts at a corner.
            let corner: Vec<f64> = points[3 * own[3] as usize..][..3].to_vec();
            points.extend(corner);
            own[3] = (points.len() / 3 - 1) as u32;
        }
        nodes.extend(own);
    }
    let gradients = simplices(S::KIND, &nodes, &points);
    let geometry = Geometry { labels: Labels::from(100, count), ..Geometry::default() };
    (points.clone(), NeoHookeanTets::new(nodes, &gradients, LAME, 1.0, geometry))
}

fn deformed(points: &[f64]) -> Vec<f64> {
    let mut seed = 5;
    points.iter().map(|x| x + 0.03 * random(&mut seed)).collect()
}

/// All that a sweep gives, as bits.
fn bits<S: TetShape>(body: &NeoHookeanTets<S>, range: Range<usize>, x: &[f64]) -> (u64, Vec<u64>) {
    let mut out = vec![0.0; x.len()];
    let energy = body.add_gradient(range.clone(), 0.0, x, &mut out).unwrap();
    let mut forces = vec![0.0; x.len()];
    body.forces(range, 0.0, x, &mut forces).unwrap();
    let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    assert!(out.iter().zip(&forces).all(|(a, b)| *a == -b), "with energies and without");
    (energy.to_bits(), bits(&out))
}

fn every_width_has_the_same_bits<S: TetShape>() {
    for count in [1, 3, 7, 8, 9, 64, 77] {
        let (points, mut body) = body::<S>(count);
        let x = deformed(&points);
        for range in [0..count, 1..count, 0..count - 1, count / 2..count / 2] {
            let want = {
                let (mut out, mut sum) = (vec![0.0; x.len()], 0.0);
                for k in range.clone() {
                    let mut local = [0.0; 3 * SIMPLEX_NODES];
                    sum += body.gradient(k, 0.0, &x, &mut local).unwrap();
                    for (a, node) in body.nodes(k).iter().enumerate() {
                        (0..3).for_each(|i| out[3 * *node as usize + i] += local[3 * a + i]);
                    }
                }
                (sum.to_bits(), out.iter().map(|x| x.to_bits()).collect::<Vec<_>>())
            };
            for isa in Isa::available() {
                body.isa = isa;
                assert_eq!(bits(&body, range.clone(), &x), want, "{isa:?} {count} {range:?}");
            }
        }
    }
}

#[test]
fn tet_kernels_of_every_vector_width_have_the_bits_of_one_element_at_a_time() {
    every_width_has_the_same_bits::<FourNode>();
    every_width_has_the_same_bits::<TenNode>();
}

#[test]
fn tet_kernels_of_every_vector_width_agree_bit_by_bit_at_large_strain() {
    // Volume ratios of many orders of magnitude in one vector.
    let (points, mut body) = body::<FourNode>(40);
    let mut seed = 1;
    let x: Vec<f64> = points.iter().map(|x| 1e3 * x * (1.0 + 0.01 * random(&mut seed))).collect();
    let x: Vec<f64> = x.chunks_exact(3).flat_map(|p| [p[0], 1e-5 * p[1], p[2]]).collect();
    body.isa = Isa::Portable;
    let want = bits(&body, 0..40, &x);
    for isa in Isa::available() {
        body.isa = isa;
        assert_eq!(bits(&body, 0..40, &x), want, "{isa:?}");
    }
}

fn faults_are_named<S: TetShape>() {
    let (points, mut body) = body::<S>(50);
    for isa in Isa::available() {
        body.isa = isa;
        for at in [0, 1, 7, 8, 31, 49] {
            // The last node of the element belongs to it, and at most to the next.
            let node = body.nodes(at)[3] as usize;
            for (value, inverted) in [(f64::NAN, false), (f64::INFINITY, false), (-1e3, true)] {
                let mut x = points.clone();
                x[3 * node] = value;
                x[3 * node + 1] = if inverted { -1e3 } else { x[3 * node + 1] };
                x[3 * node + 2] = if inverted { -1e3 } else { x[3 * node + 2] };
                let mut out = vec![0.0; x.len()];
                let fault = body.add_gradient(0..50, 0.0, &x, &mut out).unwrap_err();
                assert_eq!(fault.element(), 100 + at, "{isa:?} {value}");
                assert_eq!(matches!(fault, ElementFault::Inverted { .. }), inverted, "{isa:?} {fault}");
                assert_eq!(body.forces(0..50, 0.0, &x, &mut vec![0.0; x.len()]).unwrap_err(), fault);
                let (mut before, mut alone) = (vec![0.0; x.len()], [0.0; 3 * SIMPLEX_NODES]);
                body.add_gradient(0..at, 0.0, &x, &mut before).unwrap();
                assert_eq!(before, out, "the sum up to the element at fault");
                assert_eq!(body.gradient(at, 0.0, &x, &mut alone).unwrap_err(), fault);
                // Elements that are not asked for harm nobody.
                body.add_gradient(at + 2..50, 0.0, &x, &mut out).unwrap();
            }
        }
    }
}

#[test]
fn tet_kernels_of_every_vector_width_name_the_faulty_element() {
    faults_are_named::<FourNode>();
    faults_are_named::<TenNode>();
}

#[test]
fn vector_logarithm_is_accurate_to_about_one_unit_in_the_last_place() {
    let mut seed = 9;
    let mut worst: f64 = 0.0;
    for i in 0..200_000 {
        let x = match i % 4 {
            0 => 1.0 + 0.5 * random(&mut seed),
            1 => 1.0 + 1e-6 * random(&mut seed),
            2 => (690.0 * random(&mut seed)).exp(),
            _ => (0.36 * random(&mut seed)).exp(),
        };
        let (log, inverse) = logarithm(x, false);
        let calm = x.within(OVERFLOW_SAFE[0], OVERFLOW_SAFE[1]);
        assert_eq!(logarithm(x, calm), (log, inverse), "no bit by the short way");
        let want = x.ln();
        let unit = f64::EPSILON * want.abs().max(f64::MIN_POSITIVE);
        worst = worst.max((log - want).abs() / unit);
        assert!((inverse * x - 1.0).abs() < 1e-15, "{x}");
    }
    // The library's own logarithm is off by half a unit; a unit is from one half to one of `unit`.
    assert!(worst < 1.1, "{worst}");
    assert_eq!(logarithm(1.0, false), (0.0, 1.0));
    for x in [0.707, 0.7072, 1.4141, 1.4143, 1e-300, 1e300] {
        let (log, want) = (logarithm(x, false).0, f64::ln(x));
        assert!((log - want).abs() <= 2.0 * f64::EPSILON * want.abs(), "{x}: {log} {want}");
    }
}

#[test]
fn vector_lane_operations_agree_with_scalar_operations() {
    fn check<L: Lanes>() {
        let mut seed = 3;
        for _ in 0..100 {
            let x: Vec<f64> = (0..8).map(|_| (300.0 * random(&mut seed)).exp()).collect();
            let (k, m) = L::load(&x).split();
            let (mut a, mut b) = ([0.0; 8], [0.0; 8]);
            k.store(&mut a);
            m.store(&mut b);
            for e in 0..L::WIDTH {
                assert_eq!((a[e], b[e]), x[e].split());
                assert_eq!(a[e].exp2() * b[e], x[e]);
                assert!(b[e] >= 0.5f64.sqrt() && b[e] < 2f64.sqrt());
            }
        }
    }
    check::<f64>();
    #[cfg(target_arch = "x86_64")]
    for isa in Isa::available() {
        match isa {
            Isa::Portable => {}
            Isa::Avx2 => check::<std::arch::x86_64::__m256d>(),
            Isa::Avx512 => check::<std::arch::x86_64::__m512d>(),
        }
    }
}

/// Nodes at times and with velocities of their own.
fn moving(x: &[f64]) -> Vec<MovingNode> {
    let mut seed = 21;
    let mut number = || random(&mut seed);
    x.chunks_exact(3)
        .map(|x| MovingNode {
            x: [x[0], x[1], x[2]],
            time: 0.01 * number(),
            v: [number(), number(), number()],
            inverse_mass: 2.0 + number(),
        })
        .collect()
}

fn moving_bits(nodes: &[MovingNode]) -> Vec<u64> {
    let numbers = |n: &MovingNode| [&n.x[..], &n.v[..], &[n.time, n.inverse_mass]].concat();
    nodes.iter().flat_map(numbers).map(f64::to_bits).collect()
}

/// One event, as the integrator makes it alone.
fn event_alone<S: TetShape>(body: &NeoHookeanTets<S>, k: usize, at: (f64, f64), nodes: &mut [MovingNode]) {
    let (time, weight) = at;
    let mut own = Vec::new();
    for a in body.nodes(k) {
        let node = &mut nodes[*a as usize];
        let ahead = time - node.time;
        (0..3).for_each(|i| node.x[i] += ahead * node.v[i]);
        node.time = time;
        own.extend(node.x);
    }
    let mut gradient = vec![0.0; own.len()];
    body.gradient_local(k, 0.0, &own, &mut gradient).unwrap();
    for (a, gradient) in body.nodes(k).iter().zip(gradient.chunks_exact(3)) {
        let node = &mut nodes[*a as usize];
        (0..3).for_each(|i| node.v[i] -= weight * node.inverse_mass * gradient[i]);
    }
}

fn independent_events_have_the_same_bits<S: TetShape>() {
    let (points, mut body) = body::<S>(20);
    for isa in Isa::available() {
        body.isa = isa;
        let kernel = body.independent_kicks().unwrap();
        assert_eq!(kernel.nodes(), S::NODES);
        for count in 1..=kernel.lanes() {
            let mut nodes = moving(&deformed(&points));
            let mut want = nodes.clone();
            // Every other element: they share no node.
            let records: Vec<_> = (0..count).map(|e| body.independent_record(2 * e + 1)).collect();
            let at = |e: usize| (0.02 + 0.001 * e as f64, 0.03 - 0.002 * e as f64);
            (0..count).for_each(|e| event_alone(&body, 2 * e + 1, at(e), &mut want));
            let mut events = Vec::new();
            for (e, record) in records.iter().enumerate() {
                let (time, weight) = at(e);
                events.push(IndependentEvent {
                    nodes: &record.nodes,
                    numbers: &record.numbers,
                    time,
                    weight,
                });
            }
            // SAFETY: the elements share no node, and the nodes are those of the body.
            assert!(unsafe { kernel.kick(&events, nodes.as_mut_ptr()) });
            assert_eq!(moving_bits(&nodes), moving_bits(&want), "{isa:?}, {count} events");
            for fault in [f64::NAN, f64::INFINITY, -1e3] {
                let mut nodes = moving(&points);
                nodes[events[count - 1].nodes[2] as usize].x = [fault; 3];
                let before = moving_bits(&nodes);
                // SAFETY: as above.
                assert!(!unsafe { kernel.kick(&events, nodes.as_mut_ptr()) }, "{isa:?} {count} {fault}");
                assert_eq!(moving_bits(&nodes), before, "nothing has changed");
            }
        }
    }
}

#[test]
fn independent_events_of_every_vector_width_have_the_bits_of_one_event_at_a_time() {
    independent_events_have_the_same_bits::<FourNode>();
    independent_events_have_the_same_bits::<TenNode>();
}
