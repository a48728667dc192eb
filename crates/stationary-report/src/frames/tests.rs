use super::vtu::{Data, Grid};
use super::*;
use crate::files::read_mesh;
use crate::testing::Scratch;
use stationary::mesh::{CellKind, Mesh};

/// Two tetrahedra on one face, and a bar from one of them.
const POINTS: [f64; 18] =
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.1, 0.2, -0.9, 2.0, 1e-300, 0.3];
const BAR: CellBlock = CellBlock { vtk_type: 3, nodes: &[1, 5], per_cell: 2 };
const SOLID: CellBlock = CellBlock { vtk_type: 10, nodes: &[0, 1, 2, 3, 0, 2, 1, 4], per_cell: 4 };

fn wave(k: usize, n: usize) -> Vec<f64> {
    (0..n).map(|i| ((k * 31 + i) as f64).sin()).collect()
}

/// A run of three frames in an odd rhythm; some numbers are no numbers.
fn drive(frames: &mut Frames, which: std::ops::Range<usize>) {
    for k in which {
        let (mut u, stress) = (wave(k, 18), wave(k, 27));
        u[4] = f64::NAN;
        let counts = [k as u64, 2, 1 << 62];
        frames
            .write(
                0.1 * k as f64,
                &POINTS,
                &[BAR, SOLID],
                &[Field { name: "u < \"v\"", components: 3, values: Values::Floats(&u) }],
                &[
                    Field { name: "stress", components: 9, values: Values::Floats(&stress) },
                    Field { name: "group:busy", components: 1, values: Values::Counts(&counts) },
                ],
            )
            .unwrap();
    }
}

/// The bytes of an array, found as a reader would find them.
fn array<'a>(file: &'a [u8], name: &str) -> &'a [u8] {
    let find = |what: &str| file.windows(what.len()).position(|w| w == what.as_bytes()).unwrap();
    let data = find("\"raw\">\n_") + 8;
    let head = String::from_utf8(file[..data].to_vec()).unwrap();
    let tag = head.lines().find(|l| l.contains(&format!("Name=\"{name}\""))).unwrap();
    let offset = tag.split("offset=\"").nth(1).unwrap().split('"').next().unwrap();
    let at = data + offset.parse::<usize>().unwrap();
    let length = u64::from_le_bytes(file[at..at + 8].try_into().unwrap()) as usize;
    &file[at + 8..at + 8 + length]
}

#[test]
fn our_own_reader_finds_points_cells_and_fields() {
    let scratch = Scratch::new("frames-read");
    let mut frames = Frames::create(&scratch.0, FrameFormat::Vtu, 0).unwrap();
    drive(&mut frames, 0..2);
    let path = scratch.0.join("frames/frame-000001.vtu");
    let mesh = read_mesh(&path).unwrap();
    assert_eq!(mesh.points.as_flattened(), POINTS);
    let blocks: Vec<_> = mesh.cells.iter().map(|c| (c.kind, c.nodes.as_slice())).collect();
    assert_eq!(blocks, [(CellKind::Line2, BAR.nodes), (CellKind::Tetrahedron4, SOLID.nodes)]);
    // A cell field of counts makes a group: in the first frame the bar has none.
    assert_eq!(mesh.group("busy").unwrap().cells.len(), 3);
    assert_eq!(
        read_mesh(scratch.0.join(FrameFormat::Vtu.name(0))).unwrap().group("busy").unwrap().cells.len(),
        2
    );
    let file = std::fs::read(&path).unwrap();
    let raw = |x: &[f64]| x.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let mut u = wave(1, 18);
    u[4] = f64::NAN;
    assert_eq!(array(&file, "u &lt; &quot;v&quot;"), raw(&u));
    assert_eq!(array(&file, "stress"), raw(&wave(1, 27)));
    assert_eq!(array(&file, "group:busy"), [1u64, 2, 1 << 62].map(u64::to_le_bytes).as_flattened());
    assert_eq!(array(&file, "types"), [3, 10, 10]);
    assert!(file.ends_with(b"\n</AppendedData>\n</VTKFile>\n"));
}

/// All kinds of cells, each apart from the others, as a mesh of its own in one file.
#[test]
fn every_kind_of_cell_comes_back_through_a_frame() {
    let kinds = || CellKind::ALL.into_iter().filter(|kind| *kind != CellKind::Point);
    let (mut points, mut nodes) = (Vec::new(), Vec::new());
    for (i, kind) in kinds().enumerate() {
        let first = (points.len() / 3) as u32;
        nodes.push((kind, (first..first + kind.nodes() as u32).collect::<Vec<_>>()));
        points.extend(kind.reference().iter().flat_map(|x| [x[0] + 3.0 * i as f64, x[1], x[2]]));
    }
    let blocks: Vec<CellBlock> = nodes
        .iter()
        .map(|(kind, nodes)| CellBlock { vtk_type: kind.vtk(), nodes, per_cell: kind.nodes() })
        .collect();
    let mut file = Vec::new();
    Grid::new(&points, &blocks, &[], &[]).write(&mut file).unwrap();
    let mesh = Mesh::read("frame", &file).unwrap();
    assert_eq!(mesh.points.as_flattened(), points);
    let found: Vec<_> = mesh.cells.iter().map(|c| (c.kind, c.nodes.clone())).collect();
    assert_eq!(found, nodes);
    // In the file, the wedge runs as VTK has it.
    let wedge = &nodes.iter().find(|(kind, _)| *kind == CellKind::Wedge6).unwrap().1;
    let connectivity: Vec<u32> =
        array(&file, "connectivity").as_chunks::<4>().0.iter().map(|n| u32::from_le_bytes(*n)).collect();
    let place = connectivity.iter().position(|a| *a == wedge[0]).unwrap();
    assert_eq!(connectivity[place..place + 6], [0, 2, 1, 3, 5, 4].map(|i| wedge[i]));
    // XDMF names them all, alone and among others.
    let scratch = Scratch::new("frames-kinds");
    let mut frames = Frames::create(&scratch.0, FrameFormat::Xdmf, 0).unwrap();
    let u = vec![0.0; points.len()];
    let fields = [Field { name: "u", components: 3, values: Values::Floats(&u) }];
    frames.write(0.0, &points, &blocks, &fields, &[]).unwrap();
    for block in &blocks {
        let mut frames = Frames::create(&scratch.0, FrameFormat::Xdmf, 0).unwrap();
        frames.write(0.0, &points, &[*block], &fields, &[]).unwrap();
        let text = std::fs::read_to_string(scratch.0.join("frames.xdmf")).unwrap();
        assert!(text.contains("TopologyType=") && !text.contains("Mixed"), "{text}");
    }
}

#[test]
fn wide_topology_reads_as_narrow_does() {
    let blocks = [BAR, SOLID];
    let mut grid = Grid::new(&POINTS, &blocks, &[], &[]);
    let read = |grid: &Grid| {
        let mut file = Vec::new();
        grid.write(&mut file).unwrap();
        (file.len(), Mesh::read("frame", &file).unwrap())
    };
    let narrow = read(&grid);
    for array in &mut grid.elements[3].1 {
        if let Data::Nodes { wide, .. } | Data::Ends { wide, .. } = &mut array.data {
            *wide = true;
        }
    }
    let wide = read(&grid);
    assert_eq!(wide.1, narrow.1);
    assert!(wide.0 >= narrow.0 + 4 * 13);
}

#[test]
fn the_list_is_well_formed_and_its_times_come_back() {
    let scratch = Scratch::new("frames-list");
    let mut frames = Frames::create(&scratch.0, FrameFormat::Vtu, 0).unwrap();
    let times = [0.0, 0.1 + 0.2, 1e-5, 1.0 / 3.0, 1e16, 5e-324];
    for t in times {
        frames.write(t, &POINTS, &[SOLID], &[], &[]).unwrap();
    }
    let text = std::fs::read_to_string(scratch.0.join("frames.pvd")).unwrap();
    let body = text.strip_prefix("<?xml version=\"1.0\"?>\n").unwrap();
    crate::testing::check_well_formed(body).unwrap();
    let found: Vec<f64> =
        text.split("timestep=\"").skip(1).map(|s| s.split('"').next().unwrap().parse().unwrap()).collect();
    assert_eq!(found, times);
    assert_eq!(text.matches("file=\"frames/frame-00000").count(), times.len());
}

#[test]
fn a_resumed_run_leaves_the_same_bytes() {
    let whole = Scratch::new("frames-whole");
    drive(&mut Frames::create(&whole.0, FrameFormat::Vtu, 0).unwrap(), 0..5);
    let cut = Scratch::new("frames-cut");
    for keep in 0..=4 {
        drive(&mut Frames::create(&cut.0, FrameFormat::Vtu, 0).unwrap(), 0..4);
        // Killed in the middle of a frame.
        std::fs::write(cut.0.join("frames/frame-000004.partial"), "<VTKFile").unwrap();
        let mut frames = Frames::create(&cut.0, FrameFormat::Vtu, keep).unwrap();
        assert_eq!(frames.count(), keep);
        let names: Vec<String> = cut.files().into_iter().map(|f| f.0).collect();
        let expected =
            (0..keep).map(|k| FrameFormat::Vtu.name(k)).chain((keep > 0).then(|| "frames.pvd".to_string()));
        let mut expected: Vec<String> = expected.collect();
        expected.sort();
        assert_eq!(names, expected);
        drive(&mut frames, keep..5);
        assert!(cut.files() == whole.files(), "resumed after {keep} frames");
    }
}

#[test]
fn a_resumed_run_leaves_the_same_bytes_in_hdf5_too() {
    let whole = Scratch::new("frames-whole-xdmf");
    drive(&mut Frames::create(&whole.0, FrameFormat::Xdmf, 0).unwrap(), 0..5);
    let names: Vec<String> = whole.files().into_iter().map(|f| f.0).collect();
    let frames = (0..5).map(|k| FrameFormat::Xdmf.name(k));
    let expected = ["frames.xdmf".to_string()].into_iter().chain(frames).chain(["frames/mesh.h5".into()]);
    assert_eq!(names, expected.collect::<Vec<_>>());
    let text = std::fs::read_to_string(whole.0.join("frames.xdmf")).unwrap();
    crate::testing::check_well_formed(text.strip_prefix("<?xml version=\"1.0\"?>\n").unwrap()).unwrap();
    let cut = Scratch::new("frames-cut-xdmf");
    for keep in 0..=4 {
        // Frames in the other format, of an earlier run, do not stay beside these.
        drive(&mut Frames::create(&cut.0, FrameFormat::Vtu, 0).unwrap(), 0..2);
        drive(&mut Frames::create(&cut.0, FrameFormat::Xdmf, 0).unwrap(), 0..4);
        std::fs::write(cut.0.join("frames/frame-000004.partial"), "half").unwrap();
        let mut frames = Frames::create(&cut.0, FrameFormat::Xdmf, keep).unwrap();
        drive(&mut frames, keep..5);
        assert!(cut.files() == whole.files(), "resumed after {keep} frames");
    }
    std::fs::remove_file(cut.0.join("frames/mesh.h5")).unwrap();
    let message = Frames::create(&cut.0, FrameFormat::Xdmf, 2).unwrap_err().to_string();
    assert!(message.ends_with("mesh.h5: cannot resume: this frame is missing"), "{message}");
}

#[test]
fn a_frame_that_fails_is_not_listed() {
    let scratch = Scratch::new("frames-fail");
    let mut frames = Frames::create(&scratch.0, FrameFormat::Vtu, 0).unwrap();
    drive(&mut frames, 0..1);
    let before = scratch.files();
    let block = scratch.0.join("frames/frame-000001.partial");
    std::fs::create_dir(&block).unwrap();
    assert!(frames.write(1.0, &POINTS, &[SOLID], &[], &[]).is_err());
    assert!(scratch.files() == before);
    std::fs::remove_dir(&block).unwrap();
    drive(&mut frames, 1..2);
    assert_eq!(scratch.files().len(), 3);
}

#[test]
fn files_of_others_stay() {
    let scratch = Scratch::new("frames-others");
    std::fs::create_dir(scratch.0.join("frames")).unwrap();
    for name in
        ["frames/frame-1.vtu", "frames/frame-000001.vtu.png", "frames/notes.txt", "frames/frame-+00001.vtu"]
    {
        std::fs::write(scratch.0.join(name), "mine").unwrap();
    }
    Frames::create(&scratch.0, FrameFormat::Vtu, 0).unwrap();
    assert_eq!(scratch.files().len(), 4);
}

#[test]
fn a_list_that_is_damaged_or_short_is_refused_and_nothing_removed() {
    let scratch = Scratch::new("frames-damaged");
    drive(&mut Frames::create(&scratch.0, FrameFormat::Vtu, 0).unwrap(), 0..3);
    let list = scratch.0.join("frames.pvd");
    let text = std::fs::read_to_string(&list).unwrap();
    let damaged = [
        (text[..text.len() - 9].to_string(), "not a whole list"),
        (String::new(), "not a whole list"),
        (
            text.replace("0.1", "0.1x"),
            "line 5 is damaged, expected <DataSet timestep=\"...\" part=\"0\" file=\"frames/frame-000001.vtu\"/>",
        ),
        (text.replace("0.1", "0.10"), "line 5 is damaged"),
        (text.replace("0.1", "inf"), "line 5 is damaged"),
        (text.replace("000001", "000002"), "line 5 is damaged"),
        (text.replace("<DataSet timestep=\"0.2\"", "<DataSet"), "line 6 is damaged"),
    ];
    for (text, expected) in damaged {
        std::fs::write(&list, &text).unwrap();
        let before = scratch.files();
        let message = Frames::create(&scratch.0, FrameFormat::Vtu, 2).unwrap_err().to_string();
        assert!(message.contains("frames.pvd: cannot resume: ") && message.contains(expected), "{message}");
        assert!(scratch.files() == before);
    }
    std::fs::write(&list, &text).unwrap();
    let message = Frames::create(&scratch.0, FrameFormat::Vtu, 4).unwrap_err().to_string();
    assert!(message.ends_with("the checkpoint knows 4 frames, the list has 3"), "{message}");
    std::fs::remove_file(scratch.0.join(FrameFormat::Vtu.name(1))).unwrap();
    let message = Frames::create(&scratch.0, FrameFormat::Vtu, 2).unwrap_err().to_string();
    assert!(message.ends_with("frame-000001.vtu: cannot resume: this frame is missing"), "{message}");
    std::fs::remove_file(&list).unwrap();
    let message = Frames::create(&scratch.0, FrameFormat::Vtu, 2).unwrap_err().to_string();
    assert!(message.contains("the list of frames cannot be read"), "{message}");
}
