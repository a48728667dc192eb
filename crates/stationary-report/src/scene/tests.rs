use super::super::html::Page;
use super::*;
use crate::checkpoint::Checkpoint;
use crate::testing::Scratch;
use crate::testing::check_well_formed;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use serde_json::Value;
use stationary::mesh::CellKind;
use std::collections::HashMap;

/// A cube of `n^3` boxes of six tetrahedra each: points and nodes of elements.
fn cube(n: usize) -> (Vec<f64>, Vec<[u32; 4]>) {
    let at = |i: usize, j: usize, k: usize| ((i * (n + 1) + j) * (n + 1) + k) as u32;
    let mut points = Vec::new();
    for (i, j, k) in grid(n + 1) {
        points.extend([i, j, k].map(|x| x as f64 / n as f64));
    }
    let mut cells = Vec::new();
    for (i, j, k) in grid(n) {
        // From corner to corner along the axes in each of their orders.
        for order in [[0, 1, 2], [1, 2, 0], [2, 0, 1], [0, 2, 1], [2, 1, 0], [1, 0, 2]] {
            let mut place = [i, j, k];
            let mut nodes = [at(i, j, k); 4];
            for (step, axis) in order.into_iter().enumerate() {
                place[axis] += 1;
                nodes[step + 1] = at(place[0], place[1], place[2]);
            }
            // The last three orders are mirrored.
            if matches!(order, [0, 2, 1] | [2, 1, 0] | [1, 0, 2]) {
                nodes.swap(0, 1);
            }
            cells.push(nodes);
        }
    }
    (points, cells)
}

fn grid(n: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..n).flat_map(move |i| (0..n).flat_map(move |j| (0..n).map(move |k| (i, j, k))))
}

fn normal(points: &[f64], surface: &Surface, t: usize) -> [f64; 3] {
    let at = |c: usize| {
        let a = 3 * surface.nodes[surface.triangles[t][c] as usize] as usize;
        [points[a], points[a + 1], points[a + 2]]
    };
    let [a, b, c] = [0, 1, 2].map(at);
    let u: [f64; 3] = std::array::from_fn(|i| b[i] - a[i]);
    let v: [f64; 3] = std::array::from_fn(|i| c[i] - a[i]);
    stationary::linalg::cross(&u, &v)
}

/// Gauss: the flux of `x` through a closed surface is three times the volume inside, if every triangle is turned outward.
fn volume(points: &[f64], surface: &Surface) -> f64 {
    let mut flux = 0.0;
    for t in 0..surface.triangles() {
        let n = normal(points, surface, t);
        for c in surface.triangles[t] {
            let a = 3 * surface.nodes[c as usize] as usize;
            flux += (0..3).map(|i| points[a + i] * n[i]).sum::<f64>() / 6.0;
        }
    }
    flux / 3.0
}

#[test]
fn the_surface_of_a_cube_is_closed_and_turned_outward() {
    let n = 5;
    let (points, cells) = cube(n);
    let surface = Surface::of(&points, cells.iter().map(|c| (CellKind::Tetrahedron4, &c[..])));
    assert_eq!(surface.triangles(), 12 * n * n);
    assert_eq!(surface.nodes.len(), (n + 1).pow(3) - (n - 1).pow(3));
    assert!((volume(&points, &surface) - 1.0).abs() < 1e-12);
    // Every side is that of two triangles, once in each direction.
    let mut sides: HashMap<[u32; 2], i32> = HashMap::new();
    for [a, b, c] in &surface.triangles {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            *sides.entry([*p.min(q), *p.max(q)]).or_insert(0) += if p < q { 1 } else { -1 };
        }
    }
    assert!(sides.values().all(|n| *n == 0));
    for (t, owner) in surface.owners.iter().enumerate() {
        let element = cells[surface.elements[*owner as usize] as usize];
        let corners = surface.triangles[t].map(|c| surface.nodes[c as usize]);
        assert!(corners.iter().all(|a| element.contains(a)));
    }
}

#[test]
fn sides_of_ten_and_six_nodes_are_four_triangles_each() {
    let corners = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let middle =
        |a: usize, b: usize| -> [f64; 3] { std::array::from_fn(|i| 0.5 * (corners[a][i] + corners[b][i])) };
    let middles = [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)].map(|(a, b)| middle(a, b));
    let points: Vec<f64> = corners.iter().chain(&middles).flatten().copied().collect();
    let nodes: Vec<u32> = (0..10).collect();
    let surface = Surface::of(&points, [(CellKind::Tetrahedron10, &nodes[..])].into_iter());
    assert_eq!((surface.triangles(), surface.nodes.len()), (16, 10));
    assert!((volume(&points, &surface) - 1.0 / 6.0).abs() < 1e-15);
    // Of 48 sides of triangles the sides of the four faces are 24, halves; each of those lies in the middle of an edge.
    assert_eq!(surface.sides.iter().map(|s| s.count_ones()).sum::<u32>(), 24);
    let flat: Vec<u32> = vec![0, 1, 2, 4, 5, 6];
    let plane = Surface::of(&points, [(CellKind::Triangle6, &flat[..])].into_iter());
    let area: f64 = (0..4).map(|t| 0.5 * normal(&points, &plane, t)[2]).sum();
    assert!((area - 0.5).abs() < 1e-15 && plane.elements == [0]);
}

/// The sides of a reference cell enclose its volume, with a triangle for each part of a side, and each half of an edge is seen from both.
#[test]
fn sides_of_every_solid_kind_are_closed_and_turned_outward() {
    for (kind, size, triangles) in [
        (CellKind::Tetrahedron4, 1.0 / 6.0, 4),
        (CellKind::Tetrahedron10, 1.0 / 6.0, 16),
        (CellKind::Pyramid5, 4.0 / 3.0, 6),
        (CellKind::Wedge6, 1.0, 8),
        (CellKind::Hexahedron8, 8.0, 12),
        (CellKind::Hexahedron20, 8.0, 36),
        (CellKind::Hexahedron27, 8.0, 48),
    ] {
        let points: Vec<f64> = kind.reference().iter().flatten().copied().collect();
        let nodes: Vec<u32> = (0..kind.nodes() as u32).collect();
        let surface = Surface::of(&points, [(kind, &nodes[..])].into_iter());
        assert_eq!(surface.triangles(), triangles, "{kind:?}");
        assert!((volume(&points, &surface) - size).abs() < 1e-13, "{kind:?}");
        let halves = if kind.nodes() == kind.corners() { 1 } else { 2 };
        let seen: u32 = surface.sides.iter().map(|s| s.count_ones()).sum();
        assert_eq!(seen as usize, 2 * halves * kind.edges().len(), "{kind:?}");
    }
}

/// A hexahedron beside a pyramid and a wedge: common sides of three or four corners are not seen.
#[test]
fn common_sides_of_mixed_cells_are_hidden() {
    let mut points: Vec<f64> = CellKind::Hexahedron8.reference().iter().flatten().copied().collect();
    points.extend([0.0, 0.0, 2.0, 2.5, 0.0, -1.0, 2.5, 0.0, 1.0]);
    let cells = [
        (CellKind::Hexahedron8, &[0, 1, 2, 3, 4, 5, 6, 7][..]),
        (CellKind::Pyramid5, &[4, 5, 6, 7, 8][..]),
        (CellKind::Wedge6, &[1, 9, 2, 5, 10, 6][..]),
    ];
    let surface = Surface::of(&points, cells.into_iter());
    assert_eq!(surface.triangles(), 4 * 2 + 4 + (2 * 2 + 2));
    assert!((volume(&points, &surface) - (8.0 + 4.0 / 3.0 + 3.0)).abs() < 1e-13);
    let flat: Vec<u32> = (0..9).collect();
    for (kind, triangles) in
        [(CellKind::Quadrilateral4, 2), (CellKind::Quadrilateral8, 6), (CellKind::Quadrilateral9, 8)]
    {
        let points: Vec<f64> = kind.reference().iter().flatten().copied().collect();
        let surface = Surface::of(&points, [(kind, &flat[..kind.nodes()])].into_iter());
        let area: f64 = (0..triangles).map(|t| 0.5 * normal(&points, &surface, t)[2]).sum();
        assert_eq!((surface.triangles(), area), (triangles, 4.0), "{kind:?}");
    }
}

#[test]
fn a_large_surface_is_joined_to_fewer_sides_and_says_so() {
    let n = 300usize;
    let at = |i: usize, j: usize| (i * (n + 1) + j) as u32;
    let points: Vec<f64> =
        (0..=n).flat_map(|i| (0..=n).flat_map(move |j| [i as f64, j as f64, 0.0])).collect();
    let cells: Vec<[u32; 3]> = (0..n)
        .flat_map(|i| {
            (0..n).flat_map(move |j| {
                [[at(i, j), at(i + 1, j), at(i, j + 1)], [at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]]
            })
        })
        .collect();
    let surface = Surface::of(&points, cells.iter().map(|c| (CellKind::Triangle3, &c[..])));
    assert_eq!(surface.whole, Some(2 * n * n));
    assert!(surface.triangles() <= 100_000 && surface.triangles() > 20_000, "{}", surface.triangles());
    let area: f64 = (0..surface.triangles()).map(|t| 0.5 * normal(&points, &surface, t)[2]).sum();
    // The rim stays straight, and nothing folds over.
    assert!((area / (n * n) as f64 - 1.0).abs() < 0.01, "{area}");
    let mut scene = Scene::new(&points, surface, Vec::new());
    scene.push(0.0, &vec![0.0; 3 * scene.surface().nodes.len()], &[]);
    assert!(scene.caption().contains("The surface has 180000 sides; neighbours are joined"));
}

/// A triangle whose first corner moves, coloured by two fields.
fn small() -> Scene {
    let points = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let surface = Surface::of(&points, [(CellKind::Triangle3, &[0, 1, 2][..])].into_iter());
    Scene::new(
        &points,
        surface,
        vec![SceneField::on_nodes("speed"), SceneField::on_elements("residual").signed()],
    )
}

fn offer(scene: &mut Scene, moments: std::ops::Range<u32>) {
    for k in moments {
        let s = f64::from(k);
        scene.push(
            0.1 * s,
            &[1e-3 * s, -0.3, s.sin(), 0.0, 0.2, 0.0, 0.0, 0.0, 0.0],
            &[vec![s, 1.0, f64::NAN], vec![-s]],
        );
    }
}

/// A frame as its viewer reads it.
fn displacements(frame: &Frame, nodes: usize) -> Vec<f64> {
    let bytes = decompress_to_vec_zlib(&frame.data).unwrap();
    let mut u = vec![0.0; 3 * nodes];
    for c in 0..3 {
        let mut code = 0u16;
        for a in 0..nodes {
            let step = u16::from(bytes[2 * c * nodes + a]) << 8 | u16::from(bytes[(2 * c + 1) * nodes + a]);
            code = code.wrapping_add(step);
            let [lo, hi] = frame.ranges[c];
            u[3 * a + c] = lo + (hi - lo) * f64::from(code) / 65_535.0;
        }
    }
    u
}

#[test]
fn displacements_come_back_to_a_part_of_their_range() {
    let points: Vec<f64> = (0..300).map(|i| f64::from(i) * 0.1).collect();
    let cells: Vec<[u32; 2]> = (0..99).map(|k| [k, k + 1]).collect();
    let surface = Surface::of(&points, cells.iter().map(|c| (CellKind::Line2, &c[..])));
    let mut scene = Scene::new(&points, surface, Vec::new());
    let u: Vec<f64> = (0..300).map(|i| 1e-6 * (f64::from(i) * 0.7).sin() + 5.0).collect();
    scene.push(1.0, &u, &[]);
    let back = displacements(&scene.frames[0], 100);
    let worst = u.iter().zip(&back).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    // Half a part of a range of 2e-6, however far the body has gone.
    assert!(worst < 1.0001 * 2e-6 / 65_535.0 / 2.0 + 1e-15 && worst > 0.0, "{worst}");
}

#[test]
fn values_that_are_none_have_a_code_of_their_own() {
    let mut scene = small();
    offer(&mut scene, 3..4);
    let bytes = decompress_to_vec_zlib(&scene.frames[0].data).unwrap();
    assert_eq!(bytes[18..], [254, 0, 255, 0]);
    assert_eq!(scene.frames[0].ranges[3..], [[1.0, 3.0], [-3.0, -3.0]]);
    // What is not finite is left out of the picture, and told.
    scene.push(0.5, &[f64::NAN; 9], &[vec![0.0; 3], vec![0.0]]);
    assert_eq!((scene.frames.len(), scene.refused), (1, 1));
    assert!(scene.caption().contains("1 moments with values that are not finite"));
}

#[test]
fn a_picture_thins_itself_and_ends_where_the_run_does() {
    let points: Vec<f64> = (0..60_900).map(f64::from).collect();
    let cells: Vec<[u32; 2]> = (0..20_299).map(|k| [k, k + 1]).collect();
    let surface = Surface::of(&points, cells.iter().map(|c| (CellKind::Line2, &c[..])));
    let mut scene = Scene::new(&points, surface, Vec::new());
    let mut state = 1u64;
    for k in 0..90 {
        let mut noise = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as f64
        };
        let u: Vec<f64> = (0..60_900).map(|_| noise()).collect();
        scene.push(f64::from(k), &u, &[]);
        // Also just after a decimation: here after an odd frame, which then is not among those that remain.
        assert_eq!(scene.reel().last().map(|f| f.t), Some(f64::from(k)));
    }
    assert_eq!((scene.decimator.stride(), scene.decimator.offered()), (2, 90));
    let times: Vec<f64> = scene.reel().map(|f| f.t).collect();
    assert_eq!((times[0], times[1], *times.last().unwrap(), times.len()), (0.0, 2.0, 89.0, 46));
    let section = scene.section(&[]);
    assert!(section.plots[0].0.len() < 13_000_000 && section.plots[0].1.contains("46 of 90 moments"));
}

#[test]
fn a_restored_scene_goes_on_as_an_unbroken_one() {
    let scratch = Scratch::new("scene-restored");
    let file = scratch.0.join("checkpoint");
    let mut first = small();
    offer(&mut first, 0..17);
    first.decimator.halve(0);
    offer(&mut first, 17..18);
    let mut unbroken = first.clone();
    offer(&mut unbroken, 18..41);
    let mut checkpoint = Checkpoint::new(7);
    checkpoint.state("scene", |archive| _ = archive.pass(&mut first));
    checkpoint.save(&file).unwrap();
    let mut resumed = small();
    let saved = Checkpoint::load(&file).unwrap();
    saved.take_state("scene", |archive| _ = archive.pass(&mut resumed)).unwrap();
    assert!(resumed.reel().eq(first.reel()) && resumed.last == first.last && first.last.is_some());
    offer(&mut resumed, 18..41);
    assert!(resumed.reel().eq(unbroken.reel()) && resumed.decimator == unbroken.decimator);
    // Damage is a message, whatever it is.
    first.frames[0].ranges.pop();
    let mut damaged = Checkpoint::new(7);
    damaged.state("scene", |archive| _ = archive.pass(&mut first));
    let message =
        damaged.take_state("scene", |archive| _ = archive.pass(&mut small())).unwrap_err().to_string();
    assert!(message.contains("the moments of its picture"), "{message}");
}

#[test]
fn the_page_of_a_picture_is_well_formed() {
    let mut scene = small();
    offer(&mut scene, 0..5);
    let fixed = (SceneField::on_elements("log10 of step"), vec![-3.0]);
    let html =
        Page { title: "t".into(), sections: vec![scene.section(&[fixed])], ..Page::default() }.to_html();
    check_well_formed(&html).unwrap();
    let json =
        html.split("<script type=\"application/json\">").nth(1).unwrap().split("</script>").next().unwrap();
    let json: Value = serde_json::from_str(json).unwrap();
    assert_eq!(json["frames"].as_array().unwrap().len(), 5);
    assert_eq!(
        (json["fields"][1]["signed"].clone(), json["values"][0]["range"][0].clone()),
        (true.into(), (-3.0).into())
    );
    assert_eq!((html.matches("<script").count(), html.matches("</script").count()), (3, 3));
    // The viewer must not end its own element, and asks for nothing from outside.
    assert!(!VIEWER.contains("</") && !VIEWER.contains("<!"));
    for outside in ["http", "fetch(", "import", "eval", "innerHTML"] {
        assert!(!VIEWER.contains(outside), "{outside}");
    }
    assert!(small().section(&[]).plots.is_empty());
}
