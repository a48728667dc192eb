//! Small files that promise more than the memory holds.

use super::super::Mesh;
use super::message;

/// Base64 of some bytes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for piece in bytes.chunks(3) {
        let word = piece.iter().chain(&[0; 3]).take(3).fold(0u32, |word, b| word << 8 | u32::from(*b));
        for i in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * i) & 63) as usize] as char;
            text.push(if i <= piece.len() { digit } else { '=' });
        }
    }
    text
}

/// An array of zeros as VTK compresses it, in blocks that are all the same.
fn zeros(bytes: u64) -> String {
    let block = bytes.min(1 << 20);
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; block as usize], 6);
    let blocks = bytes / block;
    let mut head: Vec<u8> = [blocks, block, 0].iter().flat_map(|n| n.to_le_bytes()).collect();
    head.extend((0..blocks).flat_map(|_| (packed.len() as u64).to_le_bytes()));
    base64(&head) + &base64(&packed.repeat(blocks as usize))
}

fn vtu(points: u64, cells: u64, arrays: [&str; 4]) -> String {
    let [x, connectivity, offsets, types] = arrays;
    let array = |name: &str, kind: &str, more: &str, data: &str| {
        format!("<DataArray Name=\"{name}\" type=\"{kind}\"{more} format=\"binary\">{data}</DataArray>\n")
    };
    let three = " NumberOfComponents=\"3\"";
    format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" header_type=\"UInt64\" \
         compressor=\"vtkZLibDataCompressor\">\n<UnstructuredGrid><Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n\
         <Points>{}</Points>\n<Cells>{}{}{}</Cells></Piece></UnstructuredGrid></VTKFile>\n",
        array("Points", "Float64", three, x),
        array("connectivity", "Int64", "", connectivity),
        array("offsets", "Int64", "", offsets),
        array("types", "UInt8", "", types),
    )
}

/// Half a gigabyte of points in half a megabyte. They are refused by their number, before anything is unpacked.
#[test]
fn vtu_arrays_that_decompress_to_many_times_the_file_are_refused() {
    let bytes = 512 << 20;
    let file = vtu(bytes / 24, 1, [&zeros(bytes), "", "", ""]);
    assert!(file.len() < 1 << 20, "{}", file.len());
    let told = message("bomb.vtu", &file);
    assert!(told.contains("bomb.vtu:3:") && told.contains("array `Points`"), "{told}");
    assert!(
        told.contains("more than 32 times as much memory") && told.contains("without compression"),
        "{told}"
    );
    assert!(told.len() < 1000, "{}", told.len());
    // Few points, many cells.
    let points = zeros(3 * 24);
    let file = vtu(3, 1 << 27, [&points, "", &zeros(8 << 27), ""]);
    let told = message("bomb.vtu", &file);
    assert!(told.contains("array `offsets`"), "{told}");
    // Counts that no file could hold, or that overflow.
    for count in [1 << 40, u64::MAX / 8, u64::MAX] {
        let told = message("bomb.vtu", vtu(count, 1, [&points, "", "", ""]));
        assert!(told.contains("array `Points`"), "{told}");
        let told = message("bomb.vtu", vtu(3, count, [&points, "", &points, &points]));
        assert!(told.contains("array `offsets`"), "{told}");
    }
}

/// An array that holds more than the counts ask for is not unpacked beyond them.
#[test]
fn vtu_arrays_longer_than_their_counts_are_not_decompressed() {
    let told = message("bomb.vtu", vtu(3, 1, [&zeros(512 << 20), "", "", ""]));
    assert!(told.contains("array `Points`"), "{told}");
}

/// Groups that all point to one stored array: each is small, their members together are not.
#[test]
fn vtu_arrays_referenced_repeatedly_count_each_time_against_the_memory_limit() {
    let cells = 10_000;
    let mut file = format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\">\n<UnstructuredGrid>\
         <Piece NumberOfPoints=\"{}\" NumberOfCells=\"{cells}\">\n<CellData>\n",
        2 * cells
    );
    for group in 0..4000 {
        file +=
            &format!("<DataArray type=\"Int8\" Name=\"group:{group}\" format=\"appended\" offset=\"0\"/>\n");
    }
    let numbers = |each: &dyn Fn(usize) -> String, count| (0..count).map(each).collect::<Vec<_>>().join(" ");
    file += &format!(
        "</CellData>\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\">{}</DataArray></Points>\n\
         <Cells><DataArray type=\"Int64\" Name=\"connectivity\" format=\"ascii\">{}</DataArray>\n\
         <DataArray type=\"Int64\" Name=\"offsets\" format=\"ascii\">{}</DataArray>\n\
         <DataArray type=\"UInt8\" Name=\"types\" format=\"ascii\">{}</DataArray></Cells>\n\
         </Piece></UnstructuredGrid><AppendedData encoding=\"raw\">_",
        numbers(&|i| format!("{i} 0 0"), 2 * cells),
        numbers(&|i| i.to_string(), 2 * cells),
        numbers(&|i| (2 * i + 2).to_string(), cells),
        numbers(&|_| "3".into(), cells),
    );
    let mut file = file.into_bytes();
    file.extend((cells as u32).to_le_bytes());
    file.extend(vec![1; cells]);
    file.extend(b"</AppendedData></VTKFile>");
    let told = message("groups.vtu", &file);
    assert!(told.contains("array `group:") && told.contains("more than 32 times"), "{told}");
}

#[test]
fn mesh_ranges_and_counts_beyond_the_file_are_refused_at_once() {
    let tet = "*NODE\n1,0,0,0\n2,1,0,0\n3,0,1,0\n4,0,0,1\n*ELEMENT,TYPE=C3D4\n1,1,2,3,4\n";
    for range in [
        "1, 18446744073709551615, 1",
        "1, 18446744073709551615",
        "2, 18446744073709551615, 9223372036854775807",
    ] {
        for set in ["NSET,NSET", "ELSET,ELSET"] {
            let told = message("a.inp", format!("{tet}*{set}=a,GENERATE\n{range}\n"));
            assert!(told.starts_with("a.inp:9:1: set `a` names"), "{told}");
        }
    }
    // Sets of sets, each twice the one before.
    let mut text = format!("{tet}*NSET,NSET=s0\n1,2,3,4\n");
    (1..2000).for_each(|i| text += &format!("*NSET,NSET=s{i}\ns{},s{}\n", i - 1, i - 1));
    assert_eq!(Mesh::read("a.inp", text.as_bytes()).unwrap().group("s1999").unwrap().nodes.len(), 4);
    let head = b"$MeshFormat\n4.1 1 8\n\x01\0\0\0\n$EndMeshFormat\n$Nodes\n";
    for count in [1u64 << 34, 1 << 60, u64::MAX] {
        let mut file = head.to_vec();
        file.extend([1, count, 1, count].iter().flat_map(|n: &u64| n.to_le_bytes()));
        let told = message("a.msh", &file);
        assert!(told.contains("more than the file has room for"), "{told}");
    }
}
