"""Meshes: arrays, groups, meshio."""

from __future__ import annotations

import pickle

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
        (Mesh(SQUARE, {"quad": [[0, 1, 2, 3]]}), "quad"),
        (square(a=[7]), "7"),
    ]:
        with pytest.raises(stationary.InputError, match=words):
            mesh.core
