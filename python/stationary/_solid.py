"""Elastic solids, run whole or step by step."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ._keys import names
from ._mesh import Mesh, _is_ours, space
from ._modes import Modes, modes
from ._result import Array, Result, grid
from ._scenario import Path, Progress, Scenario
from ._simulation import Simulation
from ._system import Table, _given, _Kind
from ._text import formula, plain

if TYPE_CHECKING:
    import pyvista


class Solid(_Kind):
    """An elastic solid on a mesh, with materials, supports and loads.

    >>> import stationary
    >>> plate = stationary.Solid(
    ...     "meshes/slab.msh",
    ...     material={"rubber": {"law": "neo-hookean", "young": 5e6, "poisson": 0.3, "density": 1000}},
    ...     support={"wall": {"group": "clamped", "fixed": True}},
    ...     load={"weight": {"acceleration": [0, -9.81]}},
    ...     probe={"tip": {"at": [4, 0.5], "value": "y - Y"}},
    ... )
    >>> r = plate.run(end=0.1, rows=20, frames=2)
    >>> bool(r["tip"][-1] < 0)
    True
    >>> sim = plate.start()
    >>> sim.advance(until=0.1)
    >>> sim.x.shape
    (209, 3)

    ``mesh`` is a `Mesh`, a mesh of meshio, or the name of a file: Gmsh, VTU, Abaqus, or any that meshio reads (legacy VTK,
    MED, ...), where it is installed; ``scale`` and ``refine`` are those of scenarios. The
    initial state is that of the table ``initial`` (formulas), or the arrays ``x`` and ``v`` with a row for each node.
    """

    _kind = "solid"
    _method = "auto"

    def __init__(
        self,
        mesh: Any,
        *,
        material: Mapping[str, Table],
        support: Mapping[str, Table] | None = None,
        load: Mapping[str, Table] | None = None,
        mass: Mapping[str, Table] | None = None,
        probe: Mapping[str, Table] | None = None,
        parameters: Table | None = None,
        initial: Table | None = None,
        x: Any = None,
        v: Any = None,
        local_energy: Table | None = None,
        scale: Any = None,
        refine: Any = None,
        title: str | None = None,
        description: str | None = None,
        name: str = "solid",
        **more: NoReturn,
    ) -> None:
        file: str
        self.mesh: Mesh | None = None
        if isinstance(mesh, (str, os.PathLike)) and _is_ours(mesh):
            file = os.fspath(mesh)
        else:
            if isinstance(mesh, (str, os.PathLike)):
                mesh = Mesh.open(mesh)
            self.mesh = mesh if isinstance(mesh, Mesh) else Mesh.from_meshio(mesh)
            file = self.mesh.name
        if initial is not None and not (x is None and v is None):
            raise TypeError("give either `initial` or the arrays `x` and `v`")
        self.x, self.v = x, v
        # Files are found from where the solid was made.
        self._folder = os.getcwd()
        changed = _given({"scale": scale, "refine": refine})
        super().__init__(
            name,
            more,
            title=title,
            description=description,
            mesh={"file": file, **changed} if changed else file,
            material=material,
            mass=mass,
            support=support,
            load=load,
            parameters=parameters,
            initial=initial,
            probe=probe,
            local_energy=local_energy,
        )

    @classmethod
    def _keywords(cls) -> list[str]:
        return [*super()._keywords(), "initial", *(key for key in names("solid", "mesh") if key != "file")]

    def scenario(
        self,
        *,
        end: Any = 1.0,
        start: Any = None,
        h: Any = None,
        method: str | None = None,
        integrator: Table | str | None = None,
        observe: Any = None,
        claim: Any = None,
        rows: int | None = None,
        frames: int | None = None,
        output: Table | None = None,
        **options: Any,
    ) -> Scenario:
        """The scenario of a run: the arguments of `run` but for where its results go."""
        scenario = self._scenario(
            step=h,
            start=start,
            end=end,
            integrator=self._integrator(method, options, integrator),
            observe=observe,
            claim=claim,
            output=_given({"rows": rows, "frames": frames, **(output or {})}) or None,
        )
        scenario.folder = self._folder
        scenario.mesh = self.mesh
        if not (self.x is None and self.v is None):
            scenario.state = self._state()
        return scenario

    def modes(self, count: int = 10, *, out: Path | None = None) -> Modes:
        """The lowest natural frequencies and mode shapes about the initial shape; see `stationary.modes`.

        >>> import numpy as np, stationary
        >>> points = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], float)
        >>> plate = stationary.Solid(
        ...     stationary.Mesh(points, {"quad": [[0, 1, 2, 3]]}),
        ...     material={"sheet": {"law": "linear", "young": 1.0, "poisson": 0.3, "density": 1.0, "plane": "stress"}},
        ... )
        >>> plate.modes(4).kinds
        ['rigid', 'rigid', 'rigid', 'vibration']
        """
        return modes(self.scenario(), count=count, out=out)

    def _state(self) -> tuple[Array, Array]:
        x, v = (None if a is None else np.asarray(a, np.float64) for a in (self.x, self.v))
        if x is None and (self.mesh is None or isinstance(self.keys["mesh"], dict)):
            raise TypeError("give `x` besides `v`: the nodes of a mesh file, or of a mesh that is scaled or refined")
        at = self.mesh.points if x is None and self.mesh is not None else x
        assert at is not None
        x = vectors(at, len(at), "x")
        return x, np.zeros_like(x) if v is None else vectors(v, len(x), "v")

    def run(  # type: ignore[override]
        self, *, end: Any, out: Path | None = None, resume: bool = False, progress: Progress = None, **run: Any
    ) -> Result:
        """Runs it to the time ``end``, by ``method="avi"`` unless another is named.

        ``rows`` and ``frames`` say how much is kept. ``h`` is the one step of methods that have one (``midpoint``,
        ``gauss``, ``verlet``...). Every keyword that is not listed in `scenario` is an option of the method, such as
        ``steps="free"``, ``rule="courant"``, ``fraction=0.1``, ``threads=1``. ``out``, ``resume`` and ``progress`` are
        those of `Scenario.run`.
        """
        return self.scenario(end=end, **run).run(out=out, resume=resume, progress=progress)

    def start(self, **run: Any) -> SolidSimulation:
        """The solid at its start, to be advanced as you like; arguments are those of `scenario`."""
        return SolidSimulation(self.scenario(**run))


class SolidSimulation(Simulation):
    """A solid that moves when told to, with its state to be read and set between.

    >>> import stationary
    >>> sim = stationary.Scenario.open("block").start()
    >>> sim.advance(by=1e-4)
    >>> sim.probe("corner", at=[1, 1], value="x - X")
    >>> sorted(sim.probes), sim.t > 0
    (['corner', 'end'], True)
    >>> sim.v = 0.0 * sim.v

    Arrays have a row for each node, or for each element, in the order of the mesh. Those read are as they were then and
    are not to be written to; a state is set by ``sim.x = ...``, ``sim.v = ...`` or both at once by `set`.
    """

    def __init__(self, scenario: Scenario) -> None:
        super().__init__(scenario)
        if not self._core.is_solid:
            raise TypeError("this is no solid: `Scenario.start` makes a `Simulation` of it")
        self._added: list[tuple[str, list[float], str]] = []

    # --- state ---

    def _read(self) -> dict[str, Any]:
        return self._core.look()

    def set(self, q: Any = None, v: Any = None, *, x: Any = None) -> None:
        """Sets positions, velocities or both. The clocks of all elements begin anew at this time, and so do materials with
        memory: plastic strains are zero. ``q`` and ``x`` are the same: a row for each node."""
        if x is not None and q is not None:
            raise TypeError("give either `x` or `q`: they are the same")
        x = q if x is None else x
        count = len(self.points)
        x = None if x is None else vectors(x, count, "x")
        v = None if v is None else vectors(v, count, "v")
        self._core.set_nodes(x, v)
        self._seen = None

    @property
    def x(self) -> Array:
        """Positions of the nodes."""
        return self._look()["x"]  # type: ignore[no-any-return]

    @x.setter
    def x(self, new: Any) -> None:
        self.set(x=new)

    @property
    def q(self) -> Array:
        """Positions of the nodes, as `x`."""
        return self.x

    @q.setter
    def q(self, new: Any) -> None:
        self.set(x=new)

    @property
    def p(self) -> Array:
        """Empty: see `momentum`."""
        return np.zeros(0)

    @property
    def points(self) -> Array:
        """Reference positions of the nodes."""
        return self._core.points

    @property
    def u(self) -> Array:
        """Displacements of the nodes from their reference positions."""
        return self.x - self.points

    @property
    def kinetic(self) -> float:
        """Kinetic energy."""
        return float(self._look()["kinetic"])

    @property
    def potential(self) -> float:
        """Elastic energy, and that of dead loads."""
        return float(self._look()["potential"])

    @property
    def energy(self) -> float:
        """Kinetic and potential energy."""
        return self.kinetic + self.potential

    @property
    def dissipated(self) -> float:
        """Energy that materials with memory have dissipated so far."""
        return float(self._look()["dissipated"])

    @property
    def work(self) -> float:
        """Work done from outside so far."""
        return float(self._look()["work"])

    @property
    def momentum(self) -> Array:
        """Linear momentum."""
        return self._look()["linear"]  # type: ignore[no-any-return]

    @property
    def angular_momentum(self) -> Array:
        """Angular momentum about the origin."""
        return self._look()["angular"]  # type: ignore[no-any-return]

    @property
    def balance(self) -> tuple[float, float]:
        """How far linear and angular momentum are from what loads and supports account for, over their scales."""
        return float(self._look()["linear_balance"]), float(self._look()["angular_balance"])

    @property
    def reactions(self) -> dict[str, Array]:
        """Impulses of the supports on the body so far."""
        return self._look()["reactions"]  # type: ignore[no-any-return]

    # --- elements ---

    @property
    def steps(self) -> Array:
        """The step of each element."""
        return self._core.steps()

    @property
    def updates(self) -> NDArray[np.uint64]:
        """Updates of each element so far."""
        return self._core.updates()

    @property
    def stress(self) -> Array:
        """True stress of each element: xx, yy, zz, xy, yz, xz."""
        return self._core.stress()

    @property
    def von_mises(self) -> Array:
        """Equivalent stress of each element."""
        xx, yy, zz, xy, yz, xz = self.stress.T
        square = 0.5 * ((xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2) + 3 * (xy**2 + yz**2 + xz**2)
        return np.asarray(np.sqrt(square))

    # --- probes and frames ---

    def probe(self, name: str, at: Any, value: Any) -> None:
        """Attaches a probe: a formula of the state of the node nearest to a reference place."""
        place = [float(c) for c in plain(at, "at")]
        if len(place) not in (2, 3):
            raise ValueError(f"`at`: expected two or three coordinates, found {len(place)}")
        arguments = name, (place + [0.0])[:3], formula(value, "value")
        self._core.probe(*arguments)
        self._added.append(arguments)

    @property
    def probes(self) -> dict[str, float]:
        """The values of all probes now."""
        return self._core.probes()

    def frame(self, folder: Path, format: str = "vtu") -> None:
        """Writes one more frame of this time into a folder, for ParaView: ``vtu`` or ``xdmf``."""
        self._core.frame(os.fspath(folder), format)

    def to_pyvista(self) -> pyvista.UnstructuredGrid:
        """The body as it is now, with displacement, velocity, stress and steps."""
        points = {"displacement": self.u, "velocity": self.v}
        cells = {"stress": self.stress, "von_mises": self.von_mises, "step": self.steps, "updates": self.updates}
        made: pyvista.UnstructuredGrid = grid(self.x, self._core.cells, points, cells)
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_added": self._added}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)
        for probe in state["_added"]:
            self.probe(*probe)

    def __repr__(self) -> str:
        return f"<SolidSimulation of {self.scenario.name}: t = {self.t:g}, energy {self.energy:g}, {self.moves} moves>"

    def _table(self) -> dict[str, float]:
        return {"t": self.t, "kinetic": self.kinetic, "potential": self.potential, "work": self.work, **self.probes}


def vectors(given: Any, count: int, name: str) -> Array:
    """A vector for each node; in the plane two components do."""
    found = np.asarray(given, np.float64)
    if found.shape not in ((count, 3), (count, 2)):
        raise ValueError(f"`{name}`: expected an array of shape ({count}, 3), a row for each node, found {found.shape}")
    if not np.isfinite(found).all():
        raise ValueError(f"`{name}` has values that are not finite")
    return np.ascontiguousarray(space(found))
