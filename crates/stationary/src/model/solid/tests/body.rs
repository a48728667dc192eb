use super::super::spectrum::largest_eigenvalue;
use super::*;

/// `2 / omega_max` of the assembled body at rest, exactly.
fn true_limit(solid: &Solid) -> f64 {
    let x = solid.points();
    let n = x.len();
    let mut a = vec![0.0; n * n];
    let mut tangent = vec![0.0; 9 * MAX_NODES * MAX_NODES];
    for block in solid.blocks() {
        let m = 3 * block.kind().nodes();
        for k in 0..block.len() {
            block.tangent(k, 0.0, x, &mut tangent).unwrap();
            let at = |i: usize| 3 * block.nodes(k)[i / 3] as usize + i % 3;
            for i in 0..m {
                for j in 0..m {
                    let scale = (solid.mass()[at(i) / 3] * solid.mass()[at(j) / 3]).sqrt();
                    a[at(i) * n + at(j)] += tangent[i * m + j] / scale;
                }
            }
        }
    }
    2.0 / largest_eigenvalue(&mut a, n).unwrap().sqrt()
}

fn smallest(steps: &[f64]) -> f64 {
    steps.iter().copied().fold(f64::INFINITY, f64::min)
}

/// Steps with shares that `shape` makes from random numbers; normalised, unless the twin keeps the whole mass.
fn with_shares(solid: &Solid, normalised: bool, random: &mut Random) -> f64 {
    let mut sums = vec![0.0; solid.mass().len()];
    let mut shares = Vec::new();
    for k in 0..solid.elements() {
        let (block, k) = solid.locate(k);
        for node in block.nodes(k) {
            shares.push(if normalised { 1.1 + random.next() } else { 1.0 });
            sums[*node as usize] += shares[shares.len() - 1];
        }
    }
    let (mut at, mut limit) = (0, f64::INFINITY);
    for k in 0..solid.elements() {
        let (block, k) = solid.locate(k);
        let mut own = Vec::new();
        for node in block.nodes(k) {
            let node = *node as usize;
            own.push(solid.mass()[node] * if normalised { shares[at] / sums[node] } else { 1.0 });
            at += 1;
        }
        limit = limit.min(block.step_eigen(k, solid.points(), &own).unwrap());
    }
    limit
}

#[test]
fn element_eigenvalue_step_is_below_the_critical_step_for_every_mass_split() {
    let law = &laws()[0].1;
    let mut random = Random(17);
    let strained = kinds().map(|kind| (kind, PlaneAssumption::Strain));
    let others = [
        (ElementKind::Tri3, PlaneAssumption::Stress),
        (ElementKind::Quad4, PlaneAssumption::Stress),
        (ElementKind::Quad4, PlaneAssumption::Axisymmetric),
        (ElementKind::Tri6, PlaneAssumption::Axisymmetric),
    ];
    for (kind, plane) in strained.chain(others) {
        let solid = Mesh::new(kind, 2, 0.4, 0.0).build(law, plane);
        let limit = true_limit(&solid);
        for split in [MassSplit::Optimal, MassSplit::Stiffness, MassSplit::Own] {
            let shares = solid.shares(solid.points(), split).unwrap();
            let total: f64 = shares.iter().sum();
            assert!(
                (total - solid.mass().iter().sum::<f64>()).abs() < 1e-12 && shares.iter().all(|m| *m > 0.0)
            );
            let bound = smallest(&solid.steps_eigen(1.0, solid.points(), split).unwrap());
            assert!(bound <= limit * (1.0 + 1e-12), "{kind:?} {split:?}: {bound} {limit}");
            assert!(bound > 0.3 * limit, "{kind:?} {split:?}: {bound} {limit} is of no use");
        }
        for _ in 0..5 {
            let bound = with_shares(&solid, true, &mut random);
            assert!(bound <= limit * (1.0 + 1e-12), "{kind:?} random: {bound} {limit}");
        }
        // The twin: whole nodal masses for everyone bound nothing.
        assert!(with_shares(&solid, false, &mut random) > limit * 1.01, "{kind:?}");
    }
}

#[test]
fn optimal_mass_split_saves_updates_and_its_couplings_are_those_of_the_tangent() {
    let law = &laws()[0].1;
    for kind in [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4, ElementKind::Tet10] {
        let solid = Mesh::new(kind, 3, 0.5, 0.0).build(law, PlaneAssumption::Strain);
        let x = solid.points();
        let rate = |split| solid.steps_eigen(1.0, x, split).unwrap().iter().map(|h| 1.0 / h).sum::<f64>();
        let [optimal, stiffness] = [MassSplit::Optimal, MassSplit::Stiffness].map(rate);
        assert!(optimal < 1.002 * stiffness, "{kind:?}: {optimal} {stiffness}");
        for block in solid.blocks() {
            let n = block.kind().nodes();
            let (mut closed, mut dense) = ([0.0; 100], [0.0; 100]);
            block.couplings(0, x, &mut dense).unwrap();
            if block.couplings_at_rest(0, &mut closed) {
                for (a, b) in closed[..n * n].iter().zip(&dense) {
                    assert!((a - b).abs() < 1e-10 * dense[0], "{kind:?}: {a} {b}");
                }
            } else {
                assert_ne!(kind, ElementKind::Tet4);
            }
        }
    }
}

#[test]
fn closed_form_stiffness_at_rest_agrees_with_the_dense_matrix() {
    for (name, law) in laws() {
        if !law.material().is_isotropic() {
            let solid = Mesh::new(ElementKind::Tet4, 2, 0.4, 0.0).build(&law, PlaneAssumption::Strain);
            assert!(!solid.blocks()[0].stiffness_at_rest(0, &mut [0.0; MAX_NODES]), "{name}");
            continue;
        }
        for kind in [ElementKind::Tet4, ElementKind::Tet10] {
            let solid = Mesh::new(kind, 2, 0.4, 0.0).build(&law, PlaneAssumption::Strain);
            let x = solid.points();
            let shares = solid.shares(x, MassSplit::Stiffness).unwrap();
            for (k, masses) in shares.chunks_exact(kind.nodes()).enumerate() {
                let (block, k) = solid.locate(k);
                let (mut dense, mut closed) = ([0.0; MAX_NODES], [0.0; MAX_NODES]);
                block.stiffness(k, x, &mut dense).unwrap();
                assert!(block.stiffness_at_rest(k, &mut closed));
                let most = dense.iter().copied().fold(0.0, f64::max);
                assert!(
                    dense.iter().zip(&closed).all(|(a, b)| (a - b).abs() < 1e-13 * most),
                    "{name} {kind:?}"
                );
                let step = block.step_eigen(k, x, masses).unwrap();
                match block.step_eigen_at_rest(k, masses) {
                    Some(closed) => assert!((closed / step - 1.0).abs() < 1e-12, "{name}: {closed} {step}"),
                    None => assert_eq!(kind, ElementKind::Tet10),
                }
            }
        }
    }
    // Curved sides and triangles have none.
    let law = &laws()[0].1;
    for (kind, bend) in [(ElementKind::Tet10, 0.05), (ElementKind::Tri6, 0.0), (ElementKind::Tri3, 0.0)] {
        let solid = Mesh::new(kind, 2, 0.2, bend).build(law, PlaneAssumption::Strain);
        let all = solid.blocks().iter().all(|b| b.stiffness_at_rest(0, &mut [0.0; MAX_NODES]));
        assert!(!all, "{kind:?}");
    }
}

#[test]
fn used_part_of_the_stability_limit_agrees_with_the_dense_eigenvalue() {
    let law = &laws()[0].1;
    for kind in [ElementKind::Tri3, ElementKind::Tri6, ElementKind::Tet4, ElementKind::Tet10] {
        let solid = Mesh::new(kind, 2, 0.4, 0.0).build(law, PlaneAssumption::Strain);
        let x = solid.points();
        let used = |steps: &[f64]| solid.used_limit(x, steps).unwrap();
        // One step for all at the true limit uses all of it, half of that one half.
        let limit = true_limit(&solid);
        let (whole, half) =
            (used(&vec![limit; solid.elements()]), used(&vec![0.5 * limit; solid.elements()]));
        assert!((whole - 1.0).abs() < 5e-3 && (half - 0.5).abs() < 3e-3, "{kind:?}: {whole} {half}");
        // Elements within their own limits keep the body within its own, and no element alone can do less than it does.
        let eigen = solid.steps_eigen(1.0, x, MassSplit::Stiffness).unwrap();
        let all = used(&eigen);
        let least = used(&vec![smallest(&eigen); solid.elements()]);
        assert!(all < 1.005 && least <= all * 1.005 && least > 0.3, "{kind:?}: {all} {least}");
        // The twin: longer steps for a few count.
        let mut longer = eigen.clone();
        longer[0] *= 3.0;
        assert!(used(&longer) > 1.2 * all, "{kind:?}");
    }
}

#[test]
fn memory_of_a_tetrahedron_is_within_its_bound() {
    // Nodes, the numbers of the kernel, volume and radius; a fifth of a node.
    let solid = Mesh::new(ElementKind::Tet4, 12, 0.2, 0.0).build(&laws()[0].1, PlaneAssumption::Strain);
    let each = solid.memory() as f64 / solid.elements() as f64;
    assert!((88.0..100.0).contains(&each), "{each} bytes an element");
    let points: Vec<[f64; 3]> = solid.points().as_chunks().0.to_vec();
    let tags = (0..solid.elements() as u64).map(|k| k + 7).collect();
    let loads = LoadsBuilder::default().finish(&points, solid.elements());
    let (whole, alone) = (solid.elements() as f64, solid.memory());
    let problem = SolidProblem::new(solid, loads, crate::model::Supports::new(&points), tags);
    assert_eq!((problem.tag(0), problem.tag(5)), (7, 12));
    assert!((problem.memory() - alone) as f64 / whole < 10.0);
}

#[test]
fn sliver_lowers_the_eigenvalue_step_less_than_the_courant_step() {
    let law = &laws()[0].1;
    let build = |height: f64| {
        // A flat tetrahedron on the square's diagonal, healthy ones above and below it.
        let points =
            [[0., 0., 0.], [1., 0., 0.], [1., 1., height], [0., 1., 0.], [0.5, 0.5, 1.0], [0.5, 0.5, -1.0]];
        let mut nodes: Vec<u32> = vec![0, 1, 3, 2];
        for face in [[0, 1, 2], [0, 2, 3]] {
            nodes.extend(face);
            nodes.push(4);
        }
        nodes.extend([1, 0, 3, 5, 2, 1, 3, 5]);
        Solid::new(
            &points,
            ElementGroup::new(ElementKind::Tet4, &nodes, 1.0).build(&points, law).unwrap(),
            &[],
        )
        .unwrap()
    };
    let (healthy, sliver) = (build(0.5), build(0.005));
    let courant = smallest(&healthy.steps_courant(1.0)) / smallest(&sliver.steps_courant(1.0));
    let eigen = |s: &Solid, split| smallest(&s.steps_eigen(1.0, s.points(), split).unwrap());
    let stiffness = eigen(&healthy, MassSplit::Stiffness) / eigen(&sliver, MassSplit::Stiffness);
    let own = eigen(&healthy, MassSplit::Own) / eigen(&sliver, MassSplit::Own);
    let truth = true_limit(&healthy) / true_limit(&sliver);
    assert!(truth <= stiffness * 1.5 && stiffness < courant / 4.0, "{truth} {stiffness} {own} {courant}");
    assert!(own > 2.0 * stiffness, "{truth} {stiffness} {own} {courant}");
}

#[test]
fn energy_and_gradient_of_a_solid_are_sums_over_its_elements() {
    for (name, mesh, solid) in bodies() {
        let x = deformed(&mesh, &solid);
        let mut whole = vec![0.0; x.len()];
        let energy = solid.gradient(0.0, &x, &mut whole).unwrap();
        let (mut sum, mut parts) = (0.0, vec![0.0; x.len()]);
        for k in 0..solid.elements() {
            let (block, k) = solid.locate(k);
            let mut local = [0.0; 3 * MAX_NODES];
            sum += block.gradient(k, 0.0, &x, &mut local).unwrap();
            for (a, node) in block.nodes(k).iter().enumerate() {
                (0..3).for_each(|i| parts[3 * *node as usize + i] += local[3 * a + i]);
            }
        }
        // One element at a time or in a sweep: the same bits, as asynchronous equals synchronous needs.
        assert!(sum == energy && whole == parts, "{name}");
        assert!((solid.energy(0.0, &x).unwrap() - energy).abs() <= 1e-13 * energy, "{name}");
    }
}

#[test]
fn faults_of_a_solid_name_the_element() {
    for (name, mesh, solid) in bodies() {
        let mut x = solid.points().to_vec();
        let mut out = vec![0.0; x.len()];
        let last = solid.elements() - 1;
        let (block, k) = solid.locate(last);
        let node = block.nodes(k)[0] as usize;
        let label = |f: ElementFault| {
            let touched =
                (0..solid.elements()).map(|k| solid.locate(k)).filter(|(b, k)| b.label(*k) == f.element());
            touched.into_iter().any(|(b, k)| b.nodes(k).contains(&(node as u32)))
        };
        x[3 * node] = f64::NAN;
        let fault = solid.gradient(0.0, &x, &mut out).unwrap_err();
        assert!(matches!(fault, ElementFault::NotFinite { .. }) && label(fault), "{name}: {fault}");
        assert!(matches!(solid.energy(0.0, &x), Err(ElementFault::NotFinite { .. })));
        if name.contains("linear") {
            continue;
        }
        // Mirror images of everything.
        let x: Vec<f64> = solid.points().chunks_exact(3).flat_map(|p| [p[0], -p[1], p[2]]).collect();
        let fault = solid.gradient(0.0, &x, &mut out).unwrap_err();
        assert_eq!(fault, ElementFault::Inverted { element: solid.blocks()[0].label(0), point: 0 }, "{name}");
        assert!(fault.to_string().contains("inverted"));
        let k = mesh.nodes.len() / mesh.kind.nodes();
        assert_eq!(k, solid.elements());
    }
    let points = [[0., 0., 0.], [1., 0., 0.]];
    let bar = Bars::elastic(&points, &[0, 1], 7, 1.0, 1.0).unwrap();
    let fault = bar.energy(0, 0.0, &[0.0; 6]).unwrap_err();
    assert_eq!(fault, ElementFault::Inverted { element: 7, point: 0 });
}

#[test]
fn wrong_elements_of_a_solid_are_refused_by_number() {
    let law = &laws()[0].1;
    let square = [[0., 0., 0.], [1., 0., 0.], [1., 1., 0.], [0., 1., 0.], [0.5, 0.5, 0.3]];
    let refuse = |kind: ElementKind, nodes: &[u32], points: &[[f64; 3]]| {
        ElementGroup { first: 10, ..ElementGroup::new(kind, nodes, 1.0) }
            .build(points, law)
            .unwrap_err()
            .to_string()
    };
    let cases = [
        (refuse(ElementKind::Tri3, &[0, 1, 2, 0, 3, 2], &square), "tri3 element 11 is turned over"),
        (refuse(ElementKind::Tet4, &[0, 1, 2, 3], &square), "tet4 element 10 has no volume"),
        (refuse(ElementKind::Tri3, &[0, 1, 1], &square), "node 1 twice"),
        (refuse(ElementKind::Tri3, &[0, 1, 9], &square), "has the node 9"),
        (refuse(ElementKind::Tri3, &[0, 1, 4], &square), "constant z"),
        (refuse(ElementKind::Tri3, &[0, 1], &square), "multiple of 3"),
        (refuse(ElementKind::Bar2, &[0, 1], &square), "Bars"),
        (refuse(ElementKind::Tri3, &[0, 1, 2], &[[0.; 3], [1., f64::NAN, 0.], [0., 1., 0.]]), "finite"),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "{message}");
    }
    let folded = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0.5, 0.6, 0.], [0.5, 0.5, 0.], [0., 0.5, 0.]];
    assert!(refuse(ElementKind::Tri6, &[0, 1, 2, 3, 4, 5], &folded).contains("folded"));
    let group = |nodes: &[u32]| ElementGroup::new(ElementKind::Tri3, nodes, 1.0).build(&square, law).unwrap();
    let lonely = Solid::new(&square, group(&[0, 1, 2]), &[]).unwrap_err().to_string();
    assert!(lonely.contains("node 3 at (0, 1, 0) has no mass"), "{lonely}");
    let masses = [(3, 1.0), (4, 1.0)];
    assert!(Solid::new(&square, group(&[0, 1, 2]), &masses).is_ok());
    let twice = Solid::new(&square, group(&[0, 1, 2, 1, 2, 0]), &masses).unwrap_err().to_string();
    assert!(twice.contains("elements 0 and 1 have the same corners"), "{twice}");
    assert!(Solid::new(&square, group(&[0, 1, 2]), &[(9, 1.0)]).is_err());
    assert!(Solid::new(&square, group(&[0, 1, 2]), &[(3, f64::NAN)]).is_err());
    for density in [0.0, -1.0, f64::NAN] {
        assert!(ElementGroup::new(ElementKind::Tri3, &[0, 1, 2], density).build(&square, law).is_err());
    }
    assert!(Bars::elastic(&square, &[0, 0], 0, 1.0, 1.0).is_err());
    assert!(Bars::springs(&square, &[0, 1], 0, 1.0, Some(-1.0)).is_err());
}

#[test]
fn inverted_elements_become_valid_when_mirrored() {
    let law = &laws()[0].1;
    for kind in kinds() {
        let mesh = Mesh::new(kind, 1, 0.0, 0.0);
        let mirror = |nodes: &[u32]| -> Vec<u32> {
            let each = |e: &[u32]| kind.mirrored().iter().map(|a| e[*a]).collect::<Vec<u32>>();
            nodes.chunks_exact(kind.nodes()).flat_map(each).collect()
        };
        let over = mirror(&mesh.nodes);
        assert!(ElementGroup::new(kind, &over, 1.0).build(&mesh.points, law).is_err());
        let back: Vec<[f64; 3]> = mesh.points.iter().map(|p| [-p[0], p[1], p[2]]).collect();
        let blocks = ElementGroup::new(kind, &over, 1.0).build(&back, law).unwrap();
        assert_eq!(blocks.len(), 1, "{kind:?}: middles stay in the middle");
        assert_eq!(mirror(&over), mesh.nodes);
    }
}
