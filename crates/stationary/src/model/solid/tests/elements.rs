use super::super::tensor::norm;
use super::*;
use crate::linalg::max_abs;

/// One element of each block, and bars.
fn with_bars() -> Vec<(String, Mesh, Solid)> {
    let mut all = bodies();
    let mesh = Mesh { nodes: vec![0, 1, 1, 2, 2, 0, 0, 3], ..Mesh::new(ElementKind::Tet4, 1, 0.0, 0.0) };
    let points = &mesh.points[..4];
    let bars = Bars::elastic(points, &mesh.nodes, 0, 2.0, 0.5).unwrap();
    let springs = Bars::springs(points, &mesh.nodes, 4, 2.0, Some(0.3)).unwrap();
    let strings = Bars::springs(points, &mesh.nodes, 8, 2.0, Some(0.0)).unwrap();
    let cables = Bars::elastic(points, &mesh.nodes, 12, 2.0, 0.5).unwrap().cables();
    let blocks: Vec<Box<dyn Elements>> =
        vec![Box::new(bars), Box::new(springs), Box::new(strings), Box::new(cables)];
    let mesh = Mesh { kind: ElementKind::Tet4, ..mesh.clone() };
    all.push(("bars and springs".into(), mesh.clone(), Solid::new(points, blocks, &[]).unwrap()));
    all
}

#[test]
fn element_gradient_is_the_derivative_of_the_energy() {
    for (name, mesh, solid) in with_bars() {
        let x = deformed(&mesh, &solid);
        for block in solid.blocks() {
            let k = block.len() / 2;
            let nodes = block.nodes(k);
            let mut gradient = vec![f64::NAN; 3 * nodes.len()];
            let energy = block.gradient(k, 0.0, &x, &mut gradient).unwrap();
            assert!((energy - block.energy(k, 0.0, &x).unwrap()).abs() <= 1e-14 * energy, "{name}");
            for (a, node) in nodes.iter().enumerate() {
                for i in 0..3 {
                    let h = 1e-5;
                    let at = |s: f64| {
                        let mut y = x.clone();
                        y[3 * *node as usize + i] += s * h;
                        block.energy(k, 0.0, &y).unwrap()
                    };
                    let slope = (at(1.0) - at(-1.0)) / (2.0 * h);
                    let error = (slope - gradient[3 * a + i]).abs();
                    assert!(
                        error < 2e-8 * (1.0 + max_abs(&gradient)),
                        "{name}: {slope} {}",
                        gradient[3 * a + i]
                    );
                }
            }
        }
    }
}

#[test]
fn element_tangent_is_the_symmetric_derivative_of_the_gradient() {
    for (name, mesh, solid) in with_bars() {
        let x = deformed(&mesh, &solid);
        for block in solid.blocks() {
            let k = block.len() / 2;
            let nodes = block.nodes(k);
            let n = 3 * nodes.len();
            let mut tangent = vec![f64::NAN; n * n];
            block.tangent(k, 0.0, &x, &mut tangent).unwrap();
            let size = max_abs(&tangent);
            for j in 0..n {
                let h = 1e-5;
                let at = |s: f64| {
                    let mut y = x.clone();
                    y[3 * nodes[j / 3] as usize + j % 3] += s * h;
                    let mut g = vec![0.0; n];
                    block.gradient(k, 0.0, &y, &mut g).unwrap();
                    g
                };
                // Of fourth order: plastic flow makes the third derivative large.
                let [near, far] = [1.0, 2.0].map(|s| (at(s), at(-s)));
                for i in 0..n {
                    let slope = (8.0 * (near.0[i] - near.1[i]) - (far.0[i] - far.1[i])) / (12.0 * h);
                    let entry = tangent[i * n + j];
                    assert!((slope - entry).abs() < 1e-7 * size, "{name}: {slope} {entry} of {size}");
                    assert!((entry - tangent[j * n + i]).abs() < 1e-13 * size, "{name}");
                }
            }
        }
    }
}

#[test]
fn nodal_forces_of_an_element_have_zero_resultant_and_moment() {
    for (name, mesh, solid) in with_bars() {
        let x = deformed(&mesh, &solid);
        let mut linear_twists: f64 = 0.0;
        for block in solid.blocks() {
            for k in 0..block.len() {
                let nodes = block.nodes(k);
                let mut g = vec![0.0; 3 * nodes.len()];
                block.gradient(k, 0.0, &x, &mut g).unwrap();
                let (mut force, mut moment) = ([0.0; 3], [0.0; 3]);
                for (a, node) in nodes.iter().enumerate() {
                    let p = &x[3 * *node as usize..][..3];
                    for i in 0..3 {
                        let (j, l) = ((i + 1) % 3, (i + 2) % 3);
                        force[i] += g[3 * a + i];
                        moment[i] += p[j] * g[3 * a + l] - p[l] * g[3 * a + j];
                    }
                }
                let size = max_abs(&g);
                if mesh.ring {
                    // The ring's own neighbours pull inwards.
                    assert!(
                        force[1].abs() < 1e-14 * size && force[0].abs() > 1e-3 * size,
                        "{name}: {force:?}"
                    );
                    continue;
                }
                assert!(norm(&force) < 1e-14 * size, "{name}: {force:?} of {size}");
                if name.contains("linear") {
                    linear_twists = linear_twists.max(norm(&moment) / size);
                } else {
                    assert!(norm(&moment) < 2e-14 * size, "{name}: {moment:?} of {size}");
                }
            }
        }
        // Small-strain elasticity is no law of nature for finite displacements, and the moment shows it.
        assert!(!name.contains("linear") || mesh.ring || linear_twists > 1e-3, "{name}");
    }
}

#[test]
fn rigid_motion_of_an_element_has_zero_energy() {
    for (name, mesh, solid) in with_bars() {
        let (q, shift) = match (mesh.kind.dimension(), mesh.ring) {
            (2, true) => (super::super::tensor::IDENTITY, [0.0, -2.0, 0.0]),
            (2, false) => (turn_in_plane(2.0), [3.0, -2.0, 0.0]),
            _ => (rotation(2.0), [3.0, -2.0, 5.0]),
        };
        let rest = solid.points().to_vec();
        let moved = affine(&rest, &q, shift);
        let mut gradient = vec![0.0; rest.len()];
        let before = solid.energy(0.0, &rest).unwrap();
        let after = solid.gradient(0.0, &moved, &mut gradient).unwrap();
        if name.contains("linear") && !mesh.ring {
            assert!(after > 1.0, "{name}: the twin that must see the rotation");
        } else {
            assert!((after - before).abs() < 1e-13 * (1.0 + before), "{name}: {before} {after}");
            if !name.contains("bars") {
                assert!(max_abs(&gradient) < 1e-13, "{name}: {:e}", max_abs(&gradient));
            }
        }
    }
}

#[test]
fn elements_pass_the_patch_test() {
    let f = [[1.15, 0.2, 0.0], [-0.1, 0.9, 0.0], [0.0, 0.0, 1.0]];
    let ring = [[1.15, 0.0, 0.0], [0.0, 0.9, 0.0], [0.0, 0.0, 1.15]];
    let f3 = [[1.15, 0.2, 0.05], [-0.1, 0.9, 0.1], [0.08, 0.0, 1.1]];
    for (name, mesh, solid) in bodies() {
        let rough = mesh.kind.dimension() == 3 || (mesh.kind == ElementKind::Tri6 && mesh.ring);
        if rough && !name.contains("bend 0 ") {
            // The rules do not integrate the gradients of curved elements in space exactly, nor those of curved triangles times a radius.
            continue;
        }
        let f = if mesh.kind.dimension() == 3 { &f3 } else { if mesh.ring { &ring } else { &f } };
        let x = affine(solid.points(), f, [0.0; 3]);
        let mut gradient = vec![0.0; x.len()];
        solid.gradient(0.0, &x, &mut gradient).unwrap();
        let size = max_abs(&gradient);
        let inner: Vec<usize> = (0..mesh.points.len()).filter(|a| mesh.is_inner(*a)).collect();
        assert!(!inner.is_empty() && size > 1e-2, "{name}");
        let residual =
            |gradient: &[f64]| inner.iter().map(|a| max_abs(&gradient[3 * a..3 * a + 3])).fold(0.0, f64::max);
        assert!(residual(&gradient) < 1e-14 * (1.0 + size) * 8.0, "{name}: {:e}", residual(&gradient));
        // The twin: one inner node off its place.
        let mut off = x.clone();
        off[3 * inner[0]] += 1e-3;
        solid.gradient(0.0, &off, &mut gradient).unwrap();
        assert!(residual(&gradient) > 1e-4, "{name}");
    }
}

#[test]
fn element_stress_under_uniform_strain_is_that_of_the_material() {
    let f = [[1.15, 0.2, 0.0], [-0.1, 0.9, 0.0], [0.0, 0.0, 1.0]];
    let law = &laws()[0].1;
    for kind in kinds() {
        let solid = Mesh::new(kind, 1, 0.0, 0.0).build(law, PlaneAssumption::Strain);
        let x = affine(solid.points(), &f, [0.0; 3]);
        let want = law.material().cauchy(&f).unwrap();
        let got = solid.blocks()[0].stress(0, &x).unwrap();
        for i in 0..3 {
            for j in 0..3 {
                assert!((got[i][j] - want[i][j]).abs() < 1e-13 && (want[i][j] - want[j][i]).abs() < 1e-14);
            }
        }
    }
    let sheet = Mesh::new(ElementKind::Tri3, 1, 0.0, 0.0).build(law, PlaneAssumption::Stress);
    let x = affine(sheet.points(), &f, [0.0; 3]);
    assert!(sheet.blocks()[0].stress(0, &x).unwrap()[2][2].abs() < 1e-14);
}

#[test]
fn element_masses_are_positive_and_sum_to_the_mass_of_the_body() {
    for (name, mesh, solid) in bodies() {
        let volume = match (mesh.kind.dimension(), mesh.ring) {
            (2, true) => std::f64::consts::PI,
            (2, false) => 0.7,
            _ => 1.0,
        };
        let total: f64 = solid.mass().iter().sum();
        assert!((total - 2.5 * volume).abs() < 1e-12, "{name}: {total}");
        assert!(solid.mass().iter().all(|m| *m > 0.0), "{name}");
        for block in solid.blocks() {
            let n = block.kind().nodes();
            let (mut lumped, mut full) = (vec![0.0; n], vec![0.0; n * n]);
            for k in 0..block.len() {
                block.lumped_mass(k, &mut lumped);
                block.consistent_mass(k, &mut full);
                assert!(lumped.iter().all(|m| *m > 0.0));
                for sum in [lumped.iter().sum::<f64>(), full.iter().sum()] {
                    assert!((sum - block.mass(k)).abs() < 1e-14, "{name}");
                }
            }
        }
    }
}

#[test]
fn lumped_element_masses_agree_with_known_values() {
    // Diagonal scaling of straight quadratic simplices; row sums would give corners 0 (triangle) and -1/20.
    for (kind, corner, middle) in
        [(ElementKind::Tri6, 1.0 / 19.0, 16.0 / 57.0), (ElementKind::Tet10, 1.0 / 36.0, 4.0 / 27.0)]
    {
        let solid = Mesh::new(kind, 1, 0.0, 0.0).build(&laws()[0].1, PlaneAssumption::Strain);
        let block = &solid.blocks()[0];
        let n = kind.nodes();
        let (mut lumped, mut full) = (vec![0.0; n], vec![0.0; n * n]);
        block.lumped_mass(0, &mut lumped);
        block.consistent_mass(0, &mut full);
        let mass = block.mass(0);
        for a in 0..n {
            let (want, row) = if a <= kind.dimension() {
                (corner, if kind == ElementKind::Tri6 { 0.0 } else { -0.05 })
            } else {
                (middle, if kind == ElementKind::Tri6 { 1.0 / 3.0 } else { 0.2 })
            };
            assert!((lumped[a] / mass - want).abs() < 1e-13, "{kind:?} {a}");
            let sum: f64 = full[a * n..(a + 1) * n].iter().sum();
            assert!((sum / mass - row).abs() < 1e-13, "{kind:?} {a}: {}", sum / mass);
        }
    }
}

#[test]
fn inscribed_radii_of_simplices_agree_with_known_values() {
    let law = &laws()[0].1;
    let radius = |kind: ElementKind, points: &[[f64; 3]]| {
        let nodes: Vec<u32> = (0..points.len() as u32).collect();
        ElementGroup::new(kind, &nodes, 1.0).build(points, law).unwrap()[0].inradius(0)
    };
    // The 3-4-5 triangle has radius 1; the regular tetrahedron of side a has a / sqrt(24).
    assert!((radius(ElementKind::Tri3, &[[0., 0., 0.], [4., 0., 0.], [0., 3., 0.]]) - 1.0).abs() < 1e-14);
    let regular = [[1., 1., 1.], [-1., 1., -1.], [1., -1., -1.], [-1., -1., 1.]];
    let side = 8.0f64.sqrt();
    assert!((radius(ElementKind::Tet4, &regular) - side / 24.0f64.sqrt()).abs() < 1e-14);
    let corner = [[0., 0., 0.], [1., 0., 0.], [0., 1., 0.], [0., 0., 1.]];
    assert!((radius(ElementKind::Tet4, &corner) - 1.0 / (3.0 + 3.0f64.sqrt())).abs() < 1e-14);
    // Courant's step: AVI03's steel.
    let law = ConstitutiveLaw::NeoHookean(NeoHookean::new(Lame::new(93e9, 10e9).unwrap()).unwrap());
    let block = &ElementGroup::new(ElementKind::Tet4, &[0, 1, 2, 3], 7800.0).build(&corner, &law).unwrap()[0];
    let c = (113e9f64 / 7800.0).sqrt();
    assert!((block.step_courant(0) * c * (3.0 + 3.0f64.sqrt()) - 1.0).abs() < 1e-14);
}

#[test]
fn curved_element_with_straight_sides_agrees_with_the_straight_element() {
    for kind in [ElementKind::Tri6, ElementKind::Tet10] {
        let law = &laws()[0].1;
        let straight = Mesh::new(kind, 2, 0.3, 0.0);
        // Bent by far less than matters, and far more than rounding.
        let bent = Mesh::new(kind, 2, 0.3, 1e-7);
        let (a, b) = (straight.build(law, PlaneAssumption::Strain), bent.build(law, PlaneAssumption::Strain));
        assert_eq!((a.blocks().len(), a.elements()), (1, b.elements()));
        let x = deformed(&straight, &a);
        let (mut f, mut g) = (vec![0.0; x.len()], vec![0.0; x.len()]);
        let (v, w) = (a.gradient(0.0, &x, &mut f).unwrap(), b.gradient(0.0, &x, &mut g).unwrap());
        let off = f.iter().zip(&g).map(|(f, g)| (f - g).abs()).fold(0.0, f64::max);
        assert!((v - w).abs() < 1e-5 && off < 1e-5 && off > 0.0, "{kind:?}: {off:e}");
    }
}

#[test]
fn curved_tetrahedra_pass_the_patch_test_to_second_order() {
    let f = [[1.15, 0.2, 0.05], [-0.1, 0.9, 0.1], [0.08, 0.0, 1.1]];
    let residual = |bend: f64| {
        let mesh = Mesh::new(ElementKind::Tet10, 2, 0.3, bend);
        let solid = mesh.build(&laws()[0].1, PlaneAssumption::Strain);
        let x = affine(solid.points(), &f, [0.0; 3]);
        let mut gradient = vec![0.0; x.len()];
        solid.gradient(0.0, &x, &mut gradient).unwrap();
        let inner = (0..mesh.points.len()).filter(|a| mesh.is_inner(*a));
        inner.map(|a| max_abs(&gradient[3 * a..3 * a + 3])).fold(0.0, f64::max)
    };
    let ratio = residual(0.04) / residual(0.02);
    assert!(ratio > 3.5, "{ratio}");
}
