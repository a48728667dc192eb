"""What a run leaves: a table, a summary, what was conserved, and ways to look at them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]
    import pyvista
    from matplotlib.figure import Figure

Array = NDArray[np.float64]


class Conserved(NamedTuple):
    """A quantity and how well it was conserved.

    ``worst`` is its largest relative error over the run, ``change`` its largest change in its own units, and ``verdict``
    says it in words. ``constant`` is false where the system itself does not conserve it, as an energy under forces.
    """

    quantity: str
    initial: float
    worst: float
    verdict: str
    change: float
    constant: bool


class Claim(NamedTuple):
    """What a scenario promised, and whether it held."""

    text: str
    holds: bool
    measured: float | None
    reason: str


class Section(NamedTuple):
    """Points of a Poincare section: a row for each crossing, the time first."""

    columns: list[str]
    table: Array


class Result:
    """The result of a run.

    >>> import numpy as np, stationary
    >>> r = stationary.run("pendulum", {"end": 10})
    >>> r.columns[:5]
    ['t', 'theta', 'vtheta', 'ptheta', 'energy']
    >>> np.shares_memory(r.q, r.table), r.q.shape == (len(r.t), 1)
    (True, True)
    >>> bool((r["theta"] == r.q[:, 0]).all())
    True

    ``table`` has a row for each moment and a column for each of ``columns``; NaN stands where there is no value. All
    arrays are views of it. Quantities and errors over every step are in ``summary`` and ``conserved``.
    """

    def __init__(self, told: dict[str, Any], core: _core.Scenario) -> None:
        self.name = core.name
        self.kind = core.kind
        self.coordinates = core.coordinates
        #: The text of the scenario that was run; what was replaced in it is in ``summary["overrides"]``.
        self.scenario = core.text
        self.columns: list[str] = told["columns"]
        self.table: Array = told["table"]
        self.conserved = [Conserved(*c) for c in told["conserved"]]
        self.claims = [Claim(*c) for c in told["claims"]]
        self.warnings: list[str] = told["warnings"]
        self.notes: list[str] = told["notes"]
        self.files: list[str] = told["files"]
        #: Of a run that stopped: time, step and reason.
        self.stopped: tuple[float, int, str] | None = told["stopped"]
        self.interrupted: bool = told["interrupted"]
        self.section = None if told["section"] is None else Section(*told["section"])
        #: Columns of the impacts by name: numbers as arrays, names as lists.
        self.impacts: dict[str, Any] | None = told["impacts"]
        #: Of a solid: times, points, cells, point_data and cell_data of its frames.
        self.frames: dict[str, Any] | None = told["frames"]
        self._summary: str = told["summary"]
        self._page: Any = told["page"]

    # --- numbers ---

    @property
    def summary(self) -> dict[str, Any]:
        """The keys of ``summary.json``."""
        import json

        if not hasattr(self, "_parsed"):
            self._parsed: dict[str, Any] = json.loads(self._summary)
        return self._parsed

    @property
    def ok(self) -> bool:
        """Whether the run reached its end and every claim held."""
        return self.stopped is None and not self.interrupted and all(c.holds for c in self.claims)

    def __getitem__(self, column: str) -> Array:
        """A column of the table by its name."""
        try:
            return self.table[:, self.columns.index(column)]
        except ValueError:
            raise KeyError(f"no column `{column}`; there are {_some(self.columns)}") from None

    def __len__(self) -> int:
        return len(self.table)

    def __bool__(self) -> bool:
        """True, however few rows there are."""
        return True

    def _block(self, what: str, names: list[str]) -> Array:
        """Columns that stand side by side, as one view."""
        if names and names[0] in self.columns:
            at = self.columns.index(names[0])
            if self.columns[at : at + len(names)] == names:
                return self.table[:, at : at + len(names)]
        raise AttributeError(f"this result has no `{what}`; its columns are {_some(self.columns)}")

    def _names(self, letter: str) -> list[str]:
        if self.kind == "formula":
            return [letter + name for name in self.coordinates]
        return [letter + name for name in "xyz"] if self.kind == "body" else []

    @property
    def t(self) -> Array:
        """Times."""
        return self["t"]

    @property
    def q(self) -> Array:
        """Positions, a column for each coordinate; of a free rigid body, its centre of mass."""
        return self._block("q", self._names(""))

    @property
    def v(self) -> Array:
        """Velocities."""
        return self._block("v", self._names("v"))

    @property
    def p(self) -> Array:
        """Momenta."""
        return self._block("p", self._names("p"))

    @property
    def energy(self) -> Array:
        """The energy of the continuous system."""
        return self["energy"]

    @property
    def orientation(self) -> Array:
        """Of a rigid body: its quaternion, scalar part first."""
        return self._block("orientation", ["qw", "qx", "qy", "qz"])

    @property
    def angular_velocity(self) -> Array:
        """Of a rigid body: along its own axes."""
        return self._block("angular_velocity", ["w1", "w2", "w3"])

    def numbers(self) -> dict[str, float]:
        """Every number of the summary under its dotted name, clocks aside."""
        return dict(_numbers("", self.summary))

    # --- other packages ---

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame."""
        return needed("pandas").DataFrame(self.table, columns=self.columns, copy=False)

    def to_pyvista(self) -> pyvista.MultiBlock:
        """The frames of a solid, each a grid at its displaced points with all its fields; the names are the times."""
        if self.frames is None:
            raise ValueError("this run has no frames: only solids have them, and `frames=0` leaves them out")
        pv, frames = needed("pyvista"), self.frames
        blocks: pyvista.MultiBlock = pv.MultiBlock()
        for k, time in enumerate(frames["times"]):
            points = {name: values[k] for name, values in frames["point_data"].items()}
            cells = {name: values[k] for name, values in frames["cell_data"].items()}
            at = frames["points"] + points["displacement"]
            blocks.append(grid(at, frames["cells"], points, cells), repr(float(time)))
        return blocks

    def plot(self, *columns: str) -> Figure:
        """Columns over time; without any, positions and the relative error of the energy. Needs matplotlib.

        Where there is a notebook the figure shows as the value of its cell, elsewhere by ``matplotlib.pyplot.show()``.
        """
        plt = needed("matplotlib.pyplot", "matplotlib")
        figure: Figure
        if columns:
            figure, axes = plt.subplots()
            for column in columns:
                axes.plot(self.t, self[column], label=column)
        else:
            figure, (axes, below) = plt.subplots(2, sharex=True, layout="constrained", height_ratios=[2, 1])
            for column in self._shown():
                axes.plot(self.t, self[column], label=column)
            below.plot(self.t, self._energy_error(), color="black", linewidth=0.8)
            below.set_ylabel("energy error")
        figure.axes[-1].set_xlabel("t")
        axes.legend()
        axes.set_title(self.summary.get("title") or self.name)
        if "inline" in plt.get_backend():
            plt.close(figure)  # Else the notebook shows it twice.
        return figure

    def _shown(self) -> list[str]:
        names = {"formula": self.coordinates, "body": ["w1", "w2", "w3"], "solid": ["kinetic", "potential"]}
        return names.get(self.kind, [c for c in self.columns if c.endswith((".x", ".y")) and "momentum" not in c])[:8]

    def _energy_error(self) -> Array:
        energy = self.energy - (np.nan_to_num(self["work"]) if "work" in self.columns else 0.0)
        if "lost" in self.columns:
            energy = energy + self["lost"]
        scale: float = self.summary["energy"].get("scale") or 1.0
        return (energy - energy[0]) / scale if len(energy) else energy

    # --- pages ---

    def html(self) -> str:
        """The whole report, as the program writes ``report.html``."""
        if self._page is None:
            raise ValueError("this result has no page any more")
        return str(self._page.html())

    def show(self, height: int = 700) -> Any:
        """The whole report, moving picture and all, inside a notebook."""
        page = self.html().replace("&", "&amp;").replace('"', "&quot;")
        style = f"width:100%;height:{height}px;border:0"
        return _Shown(f'<iframe srcdoc="{page}" style="{style}"></iframe>')

    def _repr_html_(self) -> str | None:
        return None if self._page is None else str(self._page.fragment())

    def __repr__(self) -> str:
        title = self.summary.get("title") or self.name
        lines = [f"<Result of {title}: {len(self.table)} rows, t = {self.summary['time']['end']:g}>"]
        width = max([len(c.quantity) for c in self.conserved], default=0)
        lines += [f"  {c.quantity:{width}}  {c.initial:<12.6g}  {c.verdict}" for c in self.conserved]
        lines += [f"  claim failed: {c.text} ({c.reason})" for c in self.claims if not c.holds]
        lines += [f"  {word}: {w}" for word, many in (("warning", self.warnings), ("note", self.notes)) for w in many]
        if self.stopped:
            lines.append(f"  stopped: {self.stopped[2]}")
        return "\n".join(lines)

    def __getstate__(self) -> dict[str, Any]:
        state = {k: v for k, v in self.__dict__.items() if k != "_parsed"}
        if self._page is not None and not isinstance(self._page, _Page):
            state["_page"] = _Page(self._page.html(), self._page.fragment())
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)


def _some(names: list[str], most: int = 20) -> str:
    """Names for a message: a lattice or a box of discs has thousands."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


class _Shown:
    """What a notebook shows as it is."""

    def __init__(self, html: str) -> None:
        self._html = html

    def _repr_html_(self) -> str:
        return self._html


class _Page:
    """A page that has been written already."""

    def __init__(self, html: str, fragment: str) -> None:
        self._html, self._fragment = html, fragment

    def html(self) -> str:
        return self._html

    def fragment(self) -> str:
        return self._fragment


_CLOCKS = {"wall_seconds", "avi.measured_speedup", "avi.nanoseconds_per_update"}


def _numbers(key: str, value: Any) -> Any:
    if isinstance(value, (dict, list)):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for inner, v in items:
            yield from _numbers(f"{key}.{inner}" if key else str(inner), v)
    elif isinstance(value, (int, float)) and not isinstance(value, bool) and key not in _CLOCKS:
        yield key, float(value)


def needed(module: str, package: str | None = None) -> Any:
    """A package that only this one thing needs."""
    import importlib

    package = package or module
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(f"this needs {package}: pip install {package.lower()}") from error


def in_vtk_order(kind: int, nodes: Any) -> Any:
    """Nodes of cells in VTK's order: its wedge begins with the triangle that runs anticlockwise seen from outside."""
    return nodes[:, [0, 2, 1, 3, 5, 4]] if kind == 13 else nodes


def grid(points: Array, cells: list[Any], point_data: dict[str, Any], cell_data: dict[str, Any]) -> Any:
    """An unstructured grid of PyVista; cells are (VTK's number of the kind, nodes)."""
    pv = needed("pyvista")
    rows = [np.column_stack([np.full(len(n), n.shape[1]), in_vtk_order(kind, n)]).ravel() for kind, n in cells]
    kinds = [np.full(len(n), kind, np.uint8) for kind, n in cells]
    made = pv.UnstructuredGrid(np.concatenate(rows).astype(np.int64), np.concatenate(kinds), points)
    for name, values in point_data.items():
        made.point_data[name] = values
    for name, values in cell_data.items():
        made.cell_data[name] = values
    return made
