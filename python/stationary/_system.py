"""Systems written where the user stands: by a Lagrangian, as a rigid body, as bodies that collide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ._result import Result
from ._scenario import Path, Progress, Scenario
from ._text import _of_sympy, formula

Table = Mapping[str, Any]


def integrator(method: Any, options: Table, whole: Table | str | None = None) -> Any:
    """The key `integrator`: a method and its options, or all of it as in a scenario."""
    if whole is not None:
        if method is not None or options:
            raise TypeError("give either `integrator` or `method` and its options")
        return whole
    if method is None:
        raise TypeError("which integrator? Give `method`, such as method='verlet' or method='gauss', stages=2")
    return {"method": method, **options} if options else method


def last(start: Any, h: Any, steps: Any, end: Any) -> Any:
    """The key `end`: as given, or after a number of steps."""
    if steps is None:
        return end
    if end is not None:
        raise TypeError("give either `steps` or `end`")
    if isinstance(h, str) or isinstance(start, str) or _of_sympy(h) or _of_sympy(start):
        begin = "" if start is None else f"{formula(start, 'start')} + "
        return f"{begin}{int(steps)}*({formula(h, 'h')})"
    if h is None:
        raise TypeError("`steps` needs the time step `h`")
    return float((0.0 if start is None else start) + int(steps) * h)


class _Kind:
    """What all kinds of systems share: their keys, and how they run."""

    def __init__(self, name: str, keys: Table) -> None:
        self.name = name
        self.keys = {key: value for key, value in keys.items() if value is not None}

    def _scenario(self, run: Table) -> Scenario:
        output = {**(run.get("output") or {})}
        output.update({k: run[k] for k in ("every", "rows", "frames") if run.get(k) is not None})
        more = {k: v for k, v in run.items() if k not in ("every", "rows", "frames", "output") and v is not None}
        return Scenario({**self.keys, **more, **({"output": output} if output else {})}, name=self.name)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name}: {', '.join(self.keys)}>"


class System(_Kind):
    """A system given by its coordinates and its Lagrangian, or its Hamiltonian.

    Keywords are the keys of scenarios. Formulas are text, numbers or SymPy expressions, in which a velocity is the
    symbol ``vx`` or the derivative of ``x(t)``.

    >>> import stationary
    >>> s = stationary.System(["x"], "0.5*vx^2 - 0.5*(x^4 - x^2)")
    >>> r = s.run(q=[0.74], v=[0.0], h=0.1, steps=10_000, method="gauss", stages=2)
    >>> r.q.shape, r.energy.shape
    ((10001, 1), (10001,))
    >>> bool(r.summary["energy"]["max_relative_error"] < 1e-4)
    True
    """

    def __init__(
        self,
        coordinates: Any,
        lagrangian: Any = None,
        *,
        hamiltonian: Any = None,
        one_form: Any = None,
        parameters: Table | None = None,
        constraint: Any = None,
        force: Any = None,
        gap: Any = None,
        simultaneous: str | None = None,
        reduce: Any = None,
        symmetry: Table | None = None,
        probe: Table | None = None,
        section: Table | None = None,
        draw: Any = None,
        title: str | None = None,
        description: str | None = None,
        name: str = "system",
    ) -> None:
        if lagrangian is None and hamiltonian is None:
            raise TypeError("a system needs a `lagrangian` or a `hamiltonian`")
        if isinstance(draw, Mapping):
            draw = [draw]
        keys = dict(
            title=title,
            description=description,
            coordinates=_coordinates(coordinates, parameters or {}),
            lagrangian=None if lagrangian is None else formula(lagrangian, "lagrangian"),
            hamiltonian=None if hamiltonian is None else formula(hamiltonian, "hamiltonian"),
            one_form=one_form,
            constraint=constraint,
            force=force,
            gap=gap,
            simultaneous=simultaneous,
            reduce=reduce,
            parameters=parameters,
            symmetry=symmetry,
            probe=probe,
            section=section,
            draw=draw,
        )
        super().__init__(name, keys)

    def scenario(
        self,
        q: Any = None,
        v: Any = None,
        *,
        p: Any = None,
        next_q: Any = None,
        h: Any = None,
        steps: int | None = None,
        end: Any = None,
        start: Any = None,
        end_impacts: Any = None,
        method: str | None = None,
        integrator: Table | str | None = None,
        observe: Any = None,
        claim: Any = None,
        every: int | None = 1,
        output: Table | None = None,
        **options: Any,
    ) -> Scenario:
        """The scenario of a run: the arguments of `run` but for where its results go."""
        if q is None:
            raise TypeError("where does the system start? Give `q`, and `v`, `p` or `next_q`")
        initial = dict(position=_state(q), velocity=_state(v), momentum=_state(p), next_position=_state(next_q))
        run = dict(
            step=h,
            start=start,
            end=last(start, h, steps, end),
            end_impacts=end_impacts,
            integrator=_integrator(method, options, integrator),
            observe=observe,
            claim=claim,
            initial={key: value for key, value in initial.items() if value is not None},
            every=every,
            output=output,
        )
        return self._scenario(run)

    def run(
        self,
        q: Any = None,
        v: Any = None,
        *,
        out: Path | None = None,
        resume: bool = False,
        progress: Progress = None,
        **run: Any,
    ) -> Result:
        """Runs it from the positions ``q`` and the velocities ``v``, or momenta ``p``, or positions ``next_q`` a step later.

        ``h`` is the time step; ``steps`` or ``end`` says how long. ``method`` is the integrator, and every keyword that is
        not listed in `scenario` is one of its options. States are lists, arrays, dicts by name, or a number for one
        coordinate. The result has a row for each step; ``every=10`` keeps each tenth, ``every=None`` about 2000 in all.
        ``out``, ``resume`` and ``progress`` are those of `Scenario.run`.
        """
        return self.scenario(q, v, **run).run(out=out, resume=resume, progress=progress)


class RigidBody(_Kind):
    """A rigid body, free or ``fixed`` at a point.

    >>> import stationary
    >>> top = stationary.RigidBody(inertia=[0.11, 0.11, 0.03], fixed=True, potential="3*R33",
    ...     orientation={"axis": [1, 0, 0], "angle": 0.6}, angular_velocity=[0, 0, 60])
    >>> r = top.run(h=0.01, end=2, order=4)
    >>> r.orientation.shape
    (201, 4)
    """

    def __init__(
        self,
        *,
        inertia: Any,
        mass: Any = None,
        position: Any = None,
        orientation: Any = None,
        velocity: Any = None,
        angular_velocity: Any = None,
        potential: Any = None,
        fixed: bool | None = None,
        parameters: Table | None = None,
        probe: Table | None = None,
        title: str | None = None,
        description: str | None = None,
        name: str = "body",
    ) -> None:
        body = dict(
            mass=mass,
            inertia=inertia,
            position=position,
            orientation=orientation,
            velocity=velocity,
            angular_velocity=angular_velocity,
            potential=potential,
            fixed=fixed,
        )
        keys = dict(title=title, description=description, parameters=parameters, body=body, probe=probe)
        super().__init__(name, keys)

    def scenario(
        self,
        *,
        h: Any = None,
        steps: int | None = None,
        end: Any = None,
        start: Any = None,
        method: str | None = None,
        integrator: Table | str | None = None,
        observe: Any = None,
        claim: Any = None,
        every: int | None = 1,
        output: Table | None = None,
        **options: Any,
    ) -> Scenario:
        """The scenario of a run: the arguments of `run` but for where its results go."""
        if method is None and integrator is None:
            method = "euler-poincare"
        run = dict(
            step=h,
            start=start,
            end=last(start, h, steps, end),
            integrator=_integrator(method, options, integrator),
            observe=observe,
            claim=claim,
            every=every,
            output=output,
        )
        return self._scenario(run)

    def run(self, *, out: Path | None = None, resume: bool = False, progress: Progress = None, **run: Any) -> Result:
        """Runs it with the time step ``h`` for so many ``steps``, or to the time ``end``; see `scenario`."""
        return self.scenario(**run).run(out=out, resume=resume, progress=progress)


class Bodies(_Kind):
    """Discs and polygons in the plane, or spheres in space, that collide with each other and with walls.

    >>> import stationary
    >>> table = stationary.Bodies(
    ...     {"ball": {"shape": "disc", "radius": 0.1, "count": 5, "position": ["0.3*i + 0.4", 1], "velocity": [1, 0.3]}},
    ...     wall={"table": {"box": [[0, 0], [4, 2]]}})
    >>> r = table.run(h=0.02, end=20)
    >>> r.summary["energy"]["max_relative_error"] < 1e-13
    True
    """

    def __init__(
        self,
        bodies: Mapping[str, Table],
        *,
        wall: Mapping[str, Table] | None = None,
        space: Any = None,
        gravity: Any = None,
        restitution: Any = None,
        friction: Any = None,
        parameters: Table | None = None,
        title: str | None = None,
        description: str | None = None,
        name: str = "bodies",
    ) -> None:
        keys = dict(
            title=title,
            description=description,
            space=space,
            gravity=gravity,
            restitution=restitution,
            friction=friction,
            parameters=parameters,
            wall=wall,
            bodies=bodies,
        )
        super().__init__(name, keys)

    def scenario(
        self,
        *,
        h: Any = None,
        steps: int | None = None,
        end: Any = None,
        start: Any = None,
        end_impacts: Any = None,
        method: str | None = None,
        integrator: Table | str | None = None,
        observe: Any = None,
        claim: Any = None,
        every: int | None = 1,
        output: Table | None = None,
        **options: Any,
    ) -> Scenario:
        """The scenario of a run: the arguments of `run` but for where its results go."""
        if method is None and integrator is None:
            method = "collisions"
        run = dict(
            step=h,
            start=start,
            end=last(start, h, steps, end),
            end_impacts=end_impacts,
            integrator=_integrator(method, options, integrator),
            observe=observe,
            claim=claim,
            every=every,
            output=output,
        )
        return self._scenario(run)

    def run(self, *, out: Path | None = None, resume: bool = False, progress: Progress = None, **run: Any) -> Result:
        """Runs it; ``h`` is the window in which impacts are searched for, at which the state is looked at; see `scenario`."""
        return self.scenario(**run).run(out=out, resume=resume, progress=progress)


# `integrator` is also the name of an argument.
_integrator = integrator


def _coordinates(given: Any, parameters: Table) -> Any:
    """The key `coordinates`: names, or a number or a formula of the parameters for how many."""
    if isinstance(given, str):
        names = given.replace(",", " ").split()
        return names if all(n.isidentifier() and n not in parameters for n in names) else given
    if isinstance(given, (int, np.integer)):
        return int(given)
    if _of_sympy(given) and not hasattr(given, "tolist"):
        given = [given]
    return [formula(c, "coordinates") for c in given]


def _state(given: Any) -> Any:
    """A position or a motion: one number is that of the only coordinate."""
    if isinstance(given, (int, float, np.generic)) or (isinstance(given, np.ndarray) and given.ndim == 0):
        return [given]
    return given
