"""Meshes: arrays, groups, meshio."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import numpy as np
import pytest

import stationary
from stationary import Mesh

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
TRIANGLES = [[0, 1, 2], [0, 2, 3]]


def square(**groups: object) -> Mesh:
    return Mesh(SQUARE, {"triangle": TRIANGLES}, groups)


def test_mesh_accepts_plane_points_and_lists() -> None:
    mesh = square()
    assert mesh.points.dtype == np.float64 and mesh.points.shape == (4, 3) and not mesh.points[:, 2].any()
    assert mesh.cells["triangle"].dtype == np.uint32 and not mesh.points.flags.writeable


def test_mesh_does_not_change_with_the_arrays_it_came_from() -> None:
    points = np.array(SQUARE, float)
    mesh = Mesh(points, {"triangle": TRIANGLES})
    points[0] = 7
    assert mesh.points[0, 0] == 0


def test_mesh_groups_are_given_by_nodes_masks_or_cells() -> None:
    mesh = square(left=[3, 0, 3], both={"cells": {"triangle": [1]}})
    mesh.add_group("top", nodes=mesh.nodes(lambda X: X[:, 1] == 1))
    assert mesh.groups["left"].nodes.tolist() == [0, 3] and mesh.groups["top"].nodes.tolist() == [2, 3]
    assert mesh.groups["both"].nodes is None and mesh.groups["both"].cells["triangle"].tolist() == [1]
    assert "both" in repr(mesh) and "1 triangle" in mesh._repr_html_()


def test_mesh_blocks_of_one_cell_kind_are_joined_and_groups_follow() -> None:
    mesh = Mesh(
        SQUARE,
        [("triangle", TRIANGLES[:1]), ("line", [[0, 1]]), ("triangle", TRIANGLES[1:]), ("vertex", [[2]])],
        {"second": {"cells": {2: [0]}}, "edge": {"cells": {1: [0]}}, "corner": {"cells": {3: [0]}}},
    )
    assert mesh.cells["triangle"].tolist() == TRIANGLES and "vertex" not in mesh.cells
    assert mesh.groups["second"].cells["triangle"].tolist() == [1]
    assert mesh.groups["corner"].nodes.tolist() == [2] and not mesh.groups["corner"].cells


@pytest.mark.parametrize(
    "make, words",
    [
        (lambda: Mesh([0, 1], {"triangle": TRIANGLES}), r"shape \(n, 2\) or \(n, 3\)"),
        (lambda: Mesh(SQUARE, {"triangle": [0, 1, 2]}), "a row of nodes for each cell"),
        (lambda: Mesh(SQUARE, {"triangle": [[0, 1, -1]]}), "count from 0"),
        (lambda: Mesh(SQUARE, {"triangle": [[0, 1, 0.5]]}), "whole numbers"),
        (lambda: square(a={"cells": {"tetra": [0]}}), "no cells `tetra`"),
        (lambda: square(a={"node": [0]}), "expected `nodes` or `cells`"),
        (lambda: square(a={}), "neither `nodes` nor `cells`"),
        (lambda: square().nodes([0, 1]), "a truth value for each"),
    ],
)
def test_wrong_mesh_arrays_are_refused_with_a_reason(make, words: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises((TypeError, ValueError), match=words):
        make()


def test_meshes_pickle_by_their_arrays() -> None:
    mesh = square(left=[0, 3], both={"cells": {"triangle": [1]}})
    copy = pickle.loads(pickle.dumps(mesh))
    assert (copy.points == mesh.points).all() and copy.groups["left"].nodes.tolist() == [0, 3]


def test_mesh_survives_a_round_trip_through_meshio() -> None:
    pytest.importorskip("meshio")
    mesh = square(left=[0, 3], both={"cells": {"triangle": [1]}})
    copy = Mesh.from_meshio(mesh.to_meshio())
    assert (copy.points == mesh.points).all() and (copy.cells["triangle"] == TRIANGLES).all()
    assert copy.groups["left"].nodes.tolist() == [0, 3] and copy.groups["both"].cells["triangle"].tolist() == [1]


def test_mesh_from_meshio_with_physical_groups_vertices_and_unused_points() -> None:
    meshio = pytest.importorskip("meshio")
    given = meshio.Mesh(
        [[9, 9, 0], *([x, y, 0] for x, y in SQUARE), [8, 8, 0]],
        [("vertex", [[1]]), ("line", [[1, 4]]), ("triangle", np.array(TRIANGLES) + 1)],
        point_sets={"some": [0, 2, 5]},
        field_data={"left": np.array([5, 1]), "body": np.array([5, 2]), "pin": np.array([1, 0])},
        cell_data={"gmsh:physical": [[1], [5], [5, 5]]},
        cell_sets={"gmsh:bounding_entities": [[], [], []]},
    )
    mesh = Mesh.from_meshio(given)
    assert len(mesh.points) == 4 and (mesh.cells["triangle"] == TRIANGLES).all()
    assert mesh.groups["left"].cells["line"].tolist() == [0] and mesh.cells["line"].tolist() == [[0, 3]]
    assert mesh.groups["body"].cells["triangle"].tolist() == [0, 1] and list(mesh.groups["body"].cells) == ["triangle"]
    assert mesh.groups["pin"].nodes.tolist() == [0] and mesh.groups["some"].nodes.tolist() == [1]
    assert set(mesh.groups) == {"left", "body", "pin", "some"}


def test_mesh_arrays_read_back_from_the_core_unchanged(tmp_path) -> None:  # type: ignore[no-untyped-def]
    points = np.random.default_rng(1).normal(size=(4, 2)) * 1e-3 + SQUARE
    mesh = Mesh(points, {"line": [[3, 0]], "triangle": TRIANGLES}, {"left": {"cells": {"line": [0]}}, "pin <&>": [2]})
    mesh.save(tmp_path / "a.vtu")
    read = Mesh.open(tmp_path / "a.vtu")
    assert (read.points == mesh.points).all() and set(read.cells) == {"line", "triangle"}
    assert all((read.cells[kind] == mesh.cells[kind]).all() for kind in mesh.cells)
    assert read.groups["left"].cells["line"].tolist() == [0] and read.groups["pin <&>"].nodes.tolist() == [2]


def test_core_refuses_a_mesh_that_is_no_body() -> None:
    for mesh, words in [
        (Mesh([*SQUARE, [5, 5]], {"triangle": TRIANGLES}), "node"),
        # Folded over: one that is only reversed would be turned.
        (Mesh([*SQUARE[:3], [1, 0.2]], {"triangle": TRIANGLES}), "triangle|element"),
        (Mesh(SQUARE, {"triangle": [[0, 1, 9]]}), "9"),
        (Mesh(SQUARE, {"square": [[0, 1, 2, 3]]}), "square"),
        (square(a=[7]), "7"),
    ]:
        with pytest.raises(stationary.InputError, match=words):
            mesh.core


HEXAHEDRON = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]]


def blocks() -> Mesh:
    """A hexahedron with a wedge at its side and a pyramid on its top."""
    points = [*HEXAHEDRON, [2, 0.5, 0], [2, 0.5, 1], [0.5, 0.5, 2]]
    cells = {"hexahedron": [range(8)], "wedge": [[1, 8, 2, 5, 9, 6]], "pyramid": [[4, 5, 6, 7, 10]]}
    return Mesh(points, {k: np.array([list(n) for n in c]) for k, c in cells.items()}, {"top": {"cells": {"pyramid": [0]}}})


def test_mesh_of_hexahedra_wedges_and_pyramids_survives_files_and_meshio(tmp_path: Path) -> None:
    mesh = blocks()
    kinds = [kind for kind, _ in mesh.core.cells]
    assert kinds == ["pyramid", "wedge", "hexahedron"]
    mesh.save(tmp_path / "blocks.vtu")
    again = Mesh.open(tmp_path / "blocks.vtu")
    for kind, nodes in mesh.cells.items():
        assert np.array_equal(again.cells[kind], nodes), kind
    assert again.groups["top"].cells["pyramid"].tolist() == [0]
    meshio = pytest.importorskip("meshio")
    read = meshio.read(tmp_path / "blocks.vtu")
    assert np.array_equal({b.type: b.data for b in read.cells}["wedge"], mesh.cells["wedge"])


@pytest.mark.parametrize("ending", ["vtk", "med", "vtu"])
def test_mesh_files_of_other_programs_are_read_by_meshio(tmp_path: Path, ending: str) -> None:
    meshio = pytest.importorskip("meshio")
    if ending == "med":
        pytest.importorskip("h5py")
    mesh = blocks()
    given = mesh.to_meshio()
    given.cell_data = {"material": [np.array([i + 1]) for i in range(3)]}
    given.cell_sets = {}
    if ending == "med":
        given.cell_data = {"cell_tags": [np.array([-i - 1]) for i in range(3)]}
        given.cell_tags = {-1: ["first"], -2: ["second"], -3: ["third", "last"]}
    path = tmp_path / f"blocks.{ending}"
    meshio.write(path, given)
    found = Mesh.open(path)
    for kind, nodes in mesh.cells.items():
        assert np.array_equal(found.cells[kind], nodes), kind
    names = ["first", "last", "second", "third"] if ending == "med" else ["1", "2", "3"]
    assert sorted(found.groups) == names
    found.core


def test_file_that_nobody_reads_is_refused_with_one_message(tmp_path: Path) -> None:
    path = tmp_path / "part.step"
    path.write_text("ISO-10303-21;\n")
    pytest.importorskip("meshio")
    with pytest.raises(ValueError, match="is no Gmsh, VTU or Abaqus file, and meshio cannot read it"):
        Mesh.open(path)


def test_file_that_needs_meshio_says_so_without_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "part.vtk"
    path.write_text("# vtk DataFile Version 3.0\n")
    monkeypatch.setitem(sys.modules, "meshio", None)
    with pytest.raises(ImportError, match="part.vtk is no Gmsh, VTU or Abaqus file: this needs meshio: pip install meshio"):
        Mesh.open(path)
