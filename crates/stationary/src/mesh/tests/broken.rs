//! Each fault has one message, with file, place and number.

use super::super::Mesh;
use super::{file, message, text};

/// `from` becomes `to` in a file of the list; the message must begin so.
fn changed(name: &str, from: &str, to: &str, expected: &str) {
    let text = text(name);
    assert!(text.contains(from), "{name} has no {from:?}");
    let told = message(name, text.replacen(from, to, 1));
    assert!(told.starts_with(expected), "\n{told}\nexpected\n{expected}");
}

#[test]
fn mesh_files_with_wrong_elements_are_refused() {
    let prism = "2.2.msh:31:5: element type 18 (15-node prism) is not supported\n";
    changed("2.2.msh", "102 9 2", "102 18 2", prism);
    let told = message("2.2.msh", text("2.2.msh").replace("102 9 2", "102 18 2"));
    assert!(told.ends_with(
        "= supported are points, lines of 2 and 3 nodes, triangles of 3 and 6, quadrilaterals of 4, 8 and 9, \
         tetrahedra of 4 and 10, pyramids of 5, wedges of 6, hexahedra of 8, 20 and 27"
    ));
    changed("4.1.msh", "2 5 9 1\n", "2 5 14 1\n", "4.1.msh:55:5: element type 14 (14-node pyramid) is not");
    changed("flat.inp", "TYPE=STRI65", "TYPE=C3D15", "flat.inp:19:16: element type `C3D15` is not supported");
    changed(
        "text.vtu",
        "1 22 24 24",
        "1 26 24 24",
        "text.vtu:40:1: cell 1 has type 26 (a wedge of 15 nodes), which is not supported\n",
    );
    changed(
        "2.2.msh",
        "36 34\n204",
        "36 38\n204",
        "2.2.msh:34:1: element 104 names node 38, which the file does not",
    );
    changed("2.2.msh", "104 11 2 1 2", "103 11 2 1 2", "2.2.msh:34:1: element 103 is given a second time");
    changed(
        "2.2.msh",
        "204 11 2 2 2",
        "204 11 2 1 2",
        "2.2.msh:35:1: element 204 (10-node tetrahedron) has the same nodes as element 104",
    );
    changed(
        "2.2.msh",
        "103 11 2 1 1 10 12 14",
        "103 11 2 1 1 10 14 12",
        "2.2.msh:33:1: element 103 (10-node tetrahedron) is inverted: its volume is -1.666667e-1",
    );
    changed(
        "2.2.msh",
        "\n16 0 0 1\n",
        "\n16 1 1 0\n",
        "2.2.msh:33:1: element 103 (10-node tetrahedron) has no volume",
    );
    changed(
        "2.2.msh",
        "103 11 2 1 1 10 12",
        "103 11 2 1 1 10 10",
        "2.2.msh:33:1: element 103 (10-node tetrahedron) names node 10 twice",
    );
    changed(
        "2.2.msh",
        "\n20 0.5 0 0\n",
        "\n20 0.99 0.6 0.6\n",
        "2.2.msh:33:1: element 103 (10-node tetrahedron) is folded: its Jacobian is",
    );
    changed(
        "2.2.msh",
        "\n16 0 0 1\n",
        "\n16 0 0 1e300\n",
        "2.2.msh:33:1: element 103 (10-node tetrahedron) has volume",
    );
    changed(
        "flat.inp",
        "22, 20\n",
        "22\n",
        "flat.inp:21:1: element 102 has 5 nodes; a 6-node triangle has 6",
    );
    changed("flat.inp", "22, 20\n", "22, 20, 24\n", "flat.inp:21:1: element 102 has 7 nodes");
}

#[test]
fn inverted_plane_triangle_or_line_without_length_is_refused() {
    let told =
        message("a.inp", "*NODE\n1,0,0\n2,1,0\n3,0,1\n4,-0.5,0.5\n*ELEMENT,TYPE=CPS3\n5, 1,2,3\n6, 2,4,3\n");
    assert!(
        told.starts_with("a.inp:8:1: element 6 (3-node triangle) is inverted: its area is -5.000000e-1\n"),
        "{told}"
    );
    // Out of the plane there is no such sense.
    Mesh::read("a.inp", b"*NODE\n1,0,0,0\n2,1,0,1\n3,0,1,1\n*ELEMENT,TYPE=M3D3\n5, 1,3,2\n").unwrap();
    let told = message("a.inp", "*NODE\n1,1,0\n2,1,0\n*ELEMENT,TYPE=T2D2\n5, 1,2\n");
    assert!(told.starts_with("a.inp:5:1: element 5 (2-node line) has no length\n"), "{told}");
}

#[test]
fn mesh_files_with_wrong_nodes_are_refused() {
    changed("2.2.msh", "\n12 1 0 0", "\n10 1 0 0", "2.2.msh:14:1: node 10 is given a second time");
    changed("flat.inp", "\n12, 1,", "\n10, 1,", "flat.inp:6:1: node 10 is given a second time");
    changed(
        "2.2.msh",
        "\n36 0.5 0.5 1",
        "\n36 0.5 nan 1",
        "2.2.msh:26:1: node 36 has y = NaN, not a finite number",
    );
    changed(
        "4.1.msh",
        "0 0.5 0.5 0.25",
        "inf 0.5 0.5 0.25",
        "4.1.msh:40:1: node 30 has x = inf, not a finite number\n",
    );
    changed(
        "flat.inp",
        "36, 0.5, 0.5, 1",
        "36, 0.5, 0.5, 1\n38, 1, 1, 1\n40, 1, 1, 2",
        "flat.inp:19:1: node 38 belongs to no element, and 1 other\n",
    );
    changed(
        "flat.inp",
        "36, 0.5, 0.5, 1",
        "36, 0.5, o.5, 1",
        "flat.inp:18:10: expected a coordinate of node 36, found `o.5`\n",
    );
    changed(
        "2.2.msh",
        "\n10 0 0 0",
        "\n10 0 zero 0",
        "2.2.msh:13:6: expected a number in $Nodes, found `zero`\n",
    );
    changed(
        "2.2.msh",
        "\n10 0 0 0",
        "\nten 0 0 0",
        "2.2.msh:13:1: expected a whole number not below 0 in $Nodes, found `ten`\n",
    );
}

#[test]
fn faults_in_binary_mesh_files_name_the_byte() {
    let bytes = file("4.1-little.msh");
    let head = &bytes[..bytes.len() - 30];
    assert_eq!(
        message("a.msh", head),
        format!("a.msh: the file ends inside $Elements (at byte {})", head.len())
    );
    let nodes = bytes.windows(6).position(|w| w == b"$Nodes").unwrap() + 7;
    let mut many = bytes.to_vec();
    many[nodes + 8..nodes + 16].copy_from_slice(&(u64::MAX / 3).to_le_bytes());
    let at = nodes + 8;
    let expected = format!(
        "a.msh: $Nodes promises {} nodes, more than the file has room for (at byte {at})",
        u64::MAX / 3
    );
    assert!(message("a.msh", &many).starts_with(&expected), "{}", message("a.msh", &many));
    let bytes = file("appended-raw.vtu");
    let told = message("a.vtu", &bytes[..bytes.len() - 80]);
    assert!(told.starts_with("a.vtu:21:1: the file ends inside array `offsets`\n"), "{told}");
}

#[test]
fn mesh_files_with_wrong_counts_are_refused() {
    changed(
        "2.2.msh",
        "$Nodes\n14\n",
        "$Nodes\n15\n",
        "2.2.msh:27:1: `$EndNodes` comes before all that $Nodes promises\n",
    );
    changed("2.2.msh", "$Nodes\n14\n", "$Nodes\n13\n", "2.2.msh:26:1: expected `$EndNodes`, found `36`\n");
    changed(
        "2.2.msh",
        "$Nodes\n14\n",
        "$Nodes\n4000000000\n",
        "2.2.msh:12:1: $Nodes promises 4000000000 nodes, more than the file has room for\n",
    );
    changed(
        "4.1.msh",
        "$Nodes\n2 14",
        "$Nodes\n2 15",
        "4.1.msh:19:3: $Nodes promises 15 nodes, its blocks hold 14\n",
    );
    changed(
        "4.1.msh",
        "$Elements\n4 4",
        "$Elements\n4 5",
        "4.1.msh:52:3: $Elements promises 5 elements, its blocks hold 4\n",
    );
    changed(
        "text.vtu",
        "NumberOfPoints=\"14\"",
        "NumberOfPoints=\"99999999999999999999\"",
        "text.vtu:5:1: expected a whole number",
    );
    changed(
        "text.vtu",
        "NumberOfPoints=\"14\"",
        "NumberOfPoints=\"9999999999999999999\"",
        "text.vtu:29:1: array `Points` holds more",
    );
    changed(
        "text.vtu",
        "NumberOfPoints=\"14\"",
        "NumberOfPoints=\"13\"",
        "text.vtu:29:1: array `Points` holds 42 numbers where 39 were expected\n",
    );
    changed(
        "base64.vtu",
        "NumberOfPoints=\"14\"",
        "NumberOfPoints=\"13\"",
        "base64.vtu:29:1: array `Points` holds 336 bytes where 312 were expected\n",
    );
    changed(
        "base64-big-zlib.vtu",
        "NumberOfPoints=\"14\"",
        "NumberOfPoints=\"400000000000\"",
        "base64-big-zlib.vtu:29:1: array `Points` holds too little for its length\n",
    );
    changed(
        "flat.inp",
        "104, 104, 1",
        "104, 4000000000, 1",
        "flat.inp:35:1: set `upper half` names element 105, which the file does not give\n",
    );
}

#[test]
fn files_that_are_no_meshes_are_refused() {
    assert_eq!(message("a.msh", ""), "a.msh:1:1: the file is empty\n  | \n  | ^");
    assert!(message("a.stl", "solid cube").starts_with("a.stl:1:1: this is no mesh that we can read\n"));
    assert!(message("a.inp", "*HEADING\n").starts_with("a.inp:1:1: the mesh has no nodes\n"));
    assert!(message("a.inp", "*NODE\n1, 0, 0\n").starts_with("a.inp:1:1: the mesh has no elements\n"));
    changed("4.1.msh", "4.1 0 8", "4 0 8", "4.1.msh:2:1: version `4` of the MSH format is not supported\n");
    changed(
        "4.1.msh",
        "$Entities",
        "$PartitionedEntities",
        "4.1.msh:11:1: partitioned meshes are not supported\n",
    );
    changed("4.1.msh", "$Elements", "$Element", "4.1.msh:62:1: the file ends inside $Element\n");
    changed("2.2.msh", "0 4 \"tip\"", "0 4 tip", "2.2.msh:6:5: expected a name in quotes, found `tip`\n");
    let two = "2.2.msh:9:1: two groups of dimension 3 are called `body`\n";
    changed("2.2.msh", "\"upper half\"", "\"body\"", two);
}

#[test]
fn unsupported_mesh_features_are_refused_by_name() {
    changed(
        "text.vtu",
        "type=\"UnstructuredGrid\"",
        "type=\"PolyData\"",
        "text.vtu:3:1: expected type=\"UnstructuredGrid\", found `PolyData`\n",
    );
    changed(
        "base64-big-zlib.vtu",
        "vtkZLibDataCompressor",
        "vtkLZ4DataCompressor",
        "base64-big-zlib.vtu:3:1: data compressed by `vtkLZ4DataCompressor` cannot be read\n",
    );
    changed(
        "text.vtu",
        "</Piece>",
        "</Piece><Piece>",
        "text.vtu:44:9: a file of several pieces is not supported\n",
    );
    changed(
        "text.vtu",
        "Name=\"types\"",
        "Name=\"kinds\"",
        "text.vtu:47:1: <Cells> has no DataArray `types`\n",
    );
    changed("flat.inp", "*Heading", "*INCLUDE, INPUT=a.inp", "flat.inp:1:1: `*INCLUDE` is not supported\n");
    changed("flat.inp", "*Heading", "*ngen", "flat.inp:1:1: `*NGEN` is not supported\n");
    changed("flat.inp", "*node, nset=ALL", "*node, system=C", "flat.inp:4:1: only Cartesian coordinates");
    changed("flat.inp", "*node, nset=ALL", "*node, input=nodes.txt", "flat.inp:4:1: data in another file");
    changed(
        "flat.inp",
        "Clamp,",
        "Clump,",
        "flat.inp:37:1: set `7` names `CLUMP`, no element set given before it\n",
    );
    changed(
        "flat.inp",
        "tip\n18",
        "tip\n19",
        "flat.inp:39:1: set `tip` names node 19, which the file does not give\n",
    );
}

#[test]
fn mesh_built_in_memory_is_checked_like_a_file() {
    let mut mesh = super::mesh("4.1.msh");
    mesh.validate().unwrap();
    mesh.cells[2].nodes[3] = 99;
    let told = mesh.validate().unwrap_err().to_string();
    assert_eq!(told, "4.1.msh: element 103 names node index 99, beyond the last");
    mesh.cells[2].nodes.pop();
    assert!(mesh.validate().unwrap_err().to_string().contains("differ in length"));
}
