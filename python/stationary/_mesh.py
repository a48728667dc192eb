"""Meshes from arrays, from meshio and from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._result import Array, grid, in_vtk_order, needed

Numbers = NDArray[np.uint32]
Where = Union[Callable[[Array], Any], Any]

# Kinds of cells by meshio's names: VTK's number, and the dimension.
_KINDS = {"vertex": (1, 0), "line": (3, 1), "line3": (21, 1), "triangle": (5, 2), "triangle6": (22, 2)}
_KINDS |= {"quad": (9, 2), "quad8": (23, 2), "quad9": (28, 2), "tetra": (10, 3), "tetra10": (24, 3), "pyramid": (14, 3)}
_KINDS |= {"wedge": (13, 3), "hexahedron": (12, 3), "hexahedron20": (25, 3), "hexahedron27": (29, 3)}

# Arrays of whole numbers on cells whose every value but 0 is a group.
_NUMBERED = ("group", "material", "gmsh:physical")


class Group(NamedTuple):
    """A named part of a mesh: nodes, or cells by their kind. Cells bring their nodes with them."""

    nodes: Numbers | None
    cells: dict[str, Numbers]


class Mesh:
    """Points, cells and named groups.

    >>> import stationary
    >>> mesh = stationary.Mesh([[0, 0], [1, 0], [1, 1], [0, 1]], {"triangle": [[0, 1, 2], [0, 2, 3]]})
    >>> mesh.add_group("left", nodes=mesh.nodes(lambda X: X[:, 0] == 0))
    >>> mesh
    <Mesh arrays: 4 points, 2 triangle, groups left>

    ``points`` has two or three columns. ``cells`` are arrays of node numbers by kind, under the names that meshio uses
    (``line``, ``line3``, ``triangle``, ``triangle6``, ``quad``, ``quad8``, ``quad9``, ``tetra``, ``tetra10``, ``pyramid``,
    ``wedge``, ``hexahedron``, ``hexahedron20``, ``hexahedron27``), with nodes in meshio's order, or a list of such pairs.
    ``groups`` are node numbers by name, or tables with ``nodes``, or with ``cells``: numbers of cells by kind or by number of the block.
    Numbers count from 0.
    """

    def __init__(
        self,
        points: Any,
        cells: Mapping[str, Any] | Iterable[tuple[str, Any]],
        groups: Mapping[str, Any] | None = None,
        name: str = "arrays",
    ) -> None:
        self.name = name
        self.points = _points(points)
        blocks = [(str(kind), _nodes(kind, nodes)) for kind, nodes in (cells.items() if isinstance(cells, Mapping) else cells)]
        self._first: list[tuple[str, int]] = []  # Of each block as given: its kind, and where it begins there.
        gathered: dict[str, list[Numbers]] = {}
        for kind, nodes in blocks:
            self._first.append((kind, sum(map(len, gathered.get(kind, [])))))
            gathered.setdefault(kind, []).append(nodes)
        #: Node numbers by kind of cell.
        self.cells: dict[str, Numbers] = {k: _frozen(np.concatenate(n)) for k, n in gathered.items()}
        self._vertices = self.cells.pop("vertex", np.empty((0, 1), np.uint32))
        self.groups: dict[str, Group] = {}
        self._made: _core.Mesh | None = None
        for group, members in (groups or {}).items():
            if isinstance(members, Mapping):
                unknown = set(members) - {"nodes", "cells"}
                if unknown:
                    raise TypeError(f"group `{group}`: expected `nodes` or `cells`, found `{unknown.pop()}`")
                self.add_group(group, **members)
            else:
                self.add_group(group, nodes=members)

    def add_group(self, name: str, nodes: Any = None, cells: Mapping[str | int, Any] | None = None) -> None:
        """Names a group of nodes, or of cells. Loads on surfaces take the sides of which all nodes are in the group."""
        of_kind: dict[str, list[Numbers]] = {}
        for key, numbers in (cells or {}).items():
            kind, first = (key, 0) if isinstance(key, str) else self._first[key]
            if kind not in self.cells and kind != "vertex":
                raise ValueError(f"group `{name}`: the mesh has no cells `{kind}`; it has {', '.join(self.cells)}")
            of_kind.setdefault(kind, []).append(_indices(numbers, f"group `{name}`") + np.uint32(first))
        chosen = {kind: _frozen(np.unique(np.concatenate(many))) for kind, many in of_kind.items()}
        single = self._vertices[chosen.pop("vertex", np.empty(0, np.uint32))].ravel()
        own = single if nodes is None else np.concatenate([_indices(nodes, f"group `{name}`"), single])
        if nodes is None and not len(single) and not chosen:
            raise TypeError(f"group `{name}` has neither `nodes` nor `cells`")
        self.groups[str(name)] = Group(None if nodes is None and not len(single) else _frozen(np.unique(own)), chosen)
        self._made = None

    def nodes(self, where: Where) -> Numbers:
        """Numbers of the nodes where a mask, or a function of the array of points, holds."""
        mask = np.asarray(where(self.points) if callable(where) else where)
        if mask.dtype != np.bool_ or mask.shape != (len(self.points),):
            raise TypeError(f"expected a truth value for each of {len(self.points)} points, found {mask.dtype} {mask.shape}")
        return np.flatnonzero(mask).astype(np.uint32)

    @property
    def core(self) -> _core.Mesh:
        """The mesh as the engine has checked it."""
        if self._made is None:
            block = {kind: k for k, kind in enumerate(self.cells)}
            groups = [(n, g.nodes, [(block[k], c) for k, c in g.cells.items()]) for n, g in self.groups.items()]
            self._made = _core.Mesh(self.name, self.points, list(self.cells.items()), groups)
        return self._made

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Mesh:
        """Reads a Gmsh, VTU or Abaqus file; any other by meshio, where it is installed."""
        if not _is_ours(path):
            return cls._by_meshio(path)
        core = _core.Mesh.open(os.fspath(path))
        cells = core.cells
        groups = {
            name: {"cells": {cells[block][0]: numbers for block, numbers in of}} if of else nodes
            for name, nodes, of in core.groups
        }
        return cls(core.points, cells, groups, os.fspath(path))

    @classmethod
    def _by_meshio(cls, path: str | os.PathLike[str]) -> Mesh:
        path = os.fspath(path)
        try:
            meshio = needed("meshio")
        except ImportError as error:
            raise ImportError(f"{path} is no Gmsh, VTU or Abaqus file: {error}") from None
        try:
            found = meshio.read(path)
        except (Exception, SystemExit) as error:  # meshio ends the program where it knows no format.
            why = f": {error}" if str(error) not in ("", "1") else ""
            raise ValueError(f"{path} is no Gmsh, VTU or Abaqus file, and meshio cannot read it{why}") from None
        return cls.from_meshio(found, path)

    @classmethod
    def from_meshio(cls, mesh: Any, name: str = "arrays") -> Mesh:
        """The mesh of meshio, with its cell sets, point sets, the physical groups of Gmsh, the families of MED files, and arrays
        on cells that are called `group`, `material` or `group:NAME`. Points that no cell has are left out, and so are their
        numbers in groups."""
        groups: dict[str, Any] = {}
        for group, sets in mesh.cell_sets.items():
            if not group.startswith("gmsh:"):
                groups[group] = {k: numbers for k, numbers in enumerate(sets) if numbers is not None and len(numbers)}
        for group, cells in _numbered(mesh).items():
            groups.setdefault(group, cells)
        tables: dict[str, Any] = {group: {"cells": cells} for group, cells in groups.items() if cells}
        used = np.zeros(len(mesh.points), bool)
        for block in mesh.cells:
            if block.type != "vertex":
                used[np.asarray(block.data)] = True
        renumbered = np.cumsum(used) - 1
        for group, nodes in mesh.point_sets.items():
            nodes = _indices(nodes, f"group `{group}`")
            tables.setdefault(group, {"nodes": renumbered[nodes[used[nodes]]]})
        blocks = [(b.type, renumbered[np.asarray(b.data)]) for b in mesh.cells if b.type != "vertex" or used[b.data].all()]
        if len(blocks) != len(mesh.cells):
            raise ValueError("a vertex of the mesh belongs to no line, plane or solid cell")
        families: dict[str, list[Any]] = {}
        for tag, names in getattr(mesh, "point_tags", {}).items():
            for group in names:
                families.setdefault(group, []).append(np.flatnonzero(np.asarray(mesh.point_data["point_tags"]) == tag))
        for group, several in families.items():
            nodes = np.concatenate(several)
            tables.setdefault(group, {"nodes": renumbered[nodes[used[nodes]]]})
        return cls(np.asarray(mesh.points)[used], blocks, tables, name)

    def to_meshio(self) -> Any:
        """The mesh for meshio, groups as cell sets and point sets."""
        sets = {n: [g.cells.get(k, np.empty(0, np.uint32)) for k in self.cells] for n, g in self.groups.items() if g.cells}
        points = {n: g.nodes for n, g in self.groups.items() if g.nodes is not None}
        return needed("meshio").Mesh(self.points, list(self.cells.items()), cell_sets=sets, point_sets=points)

    def to_pyvista(self) -> Any:
        """The mesh as a grid of PyVista."""
        return grid(self.points, self.blocks, {}, {})

    @property
    def blocks(self) -> list[tuple[int, Numbers]]:
        """The cells with VTK's numbers for their kinds."""
        return [(_KINDS[kind][0], nodes) for kind, nodes in self.cells.items()]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes a VTU file, to the bit, with the groups in the form in which the program reads them."""
        from base64 import b64encode
        from html import escape

        def array(name: str, kind: str, values: Any, components: int = 1) -> str:
            data = np.ascontiguousarray(values, np.dtype(kind.lower()).newbyteorder("<")).tobytes()
            text = b64encode(len(data).to_bytes(8, "little") + data).decode()
            name = escape(name)
            return f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{components}" format="binary">{text}</DataArray>'

        def mask(count: int, chosen: Any) -> NDArray[np.uint8]:
            marks = np.zeros(count, np.uint8)
            marks[chosen] = 1
            return marks

        sizes = np.concatenate([np.full(len(n), n.shape[1]) for n in self.cells.values()])
        first = dict(zip(self.cells, np.cumsum([0] + [len(n) for n in self.cells.values()])))
        on_cells = [
            array(f"group:{name}", "UInt8", mask(len(sizes), np.concatenate([first[k] + c for k, c in g.cells.items()])))
            for name, g in self.groups.items()
            if g.cells
        ]
        on_points = [
            array(f"group:{name}", "UInt8", mask(len(self.points), g.nodes))
            for name, g in self.groups.items()
            if not g.cells
        ]
        parts = [
            '<VTKFile type="UnstructuredGrid" version="1.0" byte_order="LittleEndian" header_type="UInt64">',
            f'<UnstructuredGrid><Piece NumberOfPoints="{len(self.points)}" NumberOfCells="{len(sizes)}">',
            f"<Points>{array('Points', 'Float64', self.points, 3)}</Points><Cells>",
            array("connectivity", "UInt32", np.concatenate([in_vtk_order(k, n).ravel() for k, n in self.blocks])),
            array("offsets", "Int64", np.cumsum(sizes)),
            array("types", "UInt8", np.concatenate([np.full(len(n), k) for k, n in self.blocks])),
            "</Cells><CellData>" + "\n".join(on_cells) + "</CellData>",
            "<PointData>" + "\n".join(on_points) + "</PointData>",
            "</Piece></UnstructuredGrid></VTKFile>\n",
        ]
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(parts))

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        cells = ", ".join(f"{len(nodes)} {kind}" for kind, nodes in self.cells.items())
        groups = f", groups {', '.join(self.groups)}" if self.groups else ""
        return f"<Mesh {self.name}: {len(self.points)} points, {cells}{groups}>"

    def _repr_html_(self) -> str:
        from html import escape

        rows = [("points", len(self.points))] + [(kind, len(nodes)) for kind, nodes in self.cells.items()]
        for name, group in self.groups.items():
            held = [f"{len(c)} {kind}" for kind, c in group.cells.items()]
            held += [] if group.nodes is None else [f"{len(group.nodes)} nodes"]
            rows.append((f"group {name}", ", ".join(held)))  # type: ignore[arg-type]
        lines = "".join(f"<tr><td>{escape(str(k))}</td><td>{escape(str(v))}</td></tr>" for k, v in rows)
        return f"<table><caption>mesh {escape(self.name)}</caption>{lines}</table>"


def _is_ours(path: str | os.PathLike[str]) -> bool:
    """Whether the engine reads a file: what it begins with decides. Of a file that is not there, the engine tells."""
    try:
        with open(path, "rb") as file:
            head = file.read(4096).lstrip()
    except OSError:
        return True
    return head[:1] in (b"", b"$", b"*") or (head[:1] == b"<" and b"VTKFile" in head)


def _numbered(mesh: Any) -> dict[str, dict[int, Any]]:
    """Groups that a mesh of meshio has as whole numbers on cells: by block, the cells of each."""
    names: dict[tuple[int, int], str] = {}
    for name, value in mesh.field_data.items():
        if np.size(value) == 2:
            names[int(value[0]), int(value[1])] = name
    groups: dict[str, dict[int, Any]] = {}

    def add(name: str, block: int, chosen: Any) -> None:
        if chosen.any():
            cells = groups.setdefault(name, {})
            found = np.flatnonzero(chosen)
            cells[block] = np.union1d(cells[block], found) if block in cells else found

    families = getattr(mesh, "cell_tags", {})
    for name, arrays in mesh.cell_data.items():
        for block, values in enumerate(map(np.asarray, arrays)):
            if values.ndim != 1 or values.dtype.kind not in "iub":
                continue
            if name.startswith("group:"):
                add(name[len("group:") :], block, values != 0)
            elif name == "cell_tags" and families:
                for tag, several in families.items():
                    for family in several:
                        add(family, block, values == tag)
            elif name in _NUMBERED:
                dimension = _KINDS.get(mesh.cells[block].type, (0, -1))[1]
                for value in np.unique(values[values != 0]):
                    add(names.get((int(value), dimension), str(int(value))), block, values == value)
    return groups


def _points(given: Any) -> Array:
    points = np.array(given, np.float64)
    if points.ndim != 2 or points.shape[1] not in (2, 3):
        raise ValueError(f"points: expected an array of shape (n, 2) or (n, 3), found {points.shape}")
    frozen: Array = _frozen(np.ascontiguousarray(space(points)))
    return frozen


def space(vectors: Array) -> Array:
    """Vectors of the plane as those of space."""
    return vectors if vectors.shape[1] == 3 else np.column_stack([vectors, np.zeros(len(vectors))])


def _nodes(kind: str, given: Any) -> Numbers:
    nodes = _indices(given, f"cells `{kind}`")
    if nodes.ndim != 2:
        raise ValueError(f"cells `{kind}`: expected a row of nodes for each cell, found an array of shape {nodes.shape}")
    return nodes


def _indices(given: Any, what: str) -> Numbers:
    """Numbers of nodes or cells, counted from 0."""
    numbers = np.asarray(given)
    if numbers.size == 0:
        return np.empty(numbers.shape, np.uint32)
    if not np.issubdtype(numbers.dtype, np.integer):
        raise TypeError(f"{what}: expected whole numbers, found {numbers.dtype}")
    if numbers.min() < 0 or numbers.max() >= 2**32:
        raise ValueError(f"{what}: numbers count from 0, found {numbers.min()} to {numbers.max()}")
    return numbers.astype(np.uint32)


def _frozen(array: Any) -> Any:
    """An array that the engine and the user may share, since neither changes it."""
    array.flags.writeable = False
    return array
