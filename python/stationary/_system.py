"""Systems written where the user stands: by a Lagrangian, as a rigid body, as bodies that collide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

import numpy as np

from ._keys import OF_A_RUN, known, names
from ._result import Result
from ._scenario import Path, Progress, Scenario
from ._simulation import Simulation
from ._text import _of_sympy, formula

Table = Mapping[str, Any]


#: Keywords that other packages have, the keyword here, and what it is.
_ELSEWHERE = {
    **dict.fromkeys(("dt", "delta_t", "timestep", "time_step", "step_size"), ("h", "the time step")),
    **dict.fromkeys(("t_end", "tend", "tmax", "t_max", "t_final", "tfinal", "T"), ("end", "the time of the end")),
    **dict.fromkeys(("t0", "t_start"), ("start", "the time of the start")),
    **dict.fromkeys(("n", "n_steps", "nsteps", "num_steps"), ("steps", "the number of steps")),
    **dict.fromkeys(("q0", "x0", "y0", "position"), ("q", "the initial position")),
    **dict.fromkeys(("v0", "velocity"), ("v", "the initial velocity")),
    **dict.fromkeys(("p0", "momentum"), ("p", "the initial momentum")),
}


#: Steps to the end that a scenario is given where it is moved on by hand.
_STEPS_AHEAD = 10_000


class _Kind:
    """What all kinds of systems share: their keys, and how they run."""

    #: The integrator where none is named.
    _method: str | None = None

    #: The name of the kind in the tables of keys.
    _kind: str

    def __init__(self, name: str, more: Table, **keys: Any) -> None:
        self.name = name
        self.keys = _given({**keys, **known(type(self).__name__, more, self._keywords())})

    @classmethod
    def _keywords(cls) -> list[str]:
        """The keys that the system itself has, not its runs."""
        return [key for key in names(cls._kind) if key not in OF_A_RUN]

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
        initial: Table | None = None,
        every: int | None = 1,
        output: Table | None = None,
        **options: Any,
    ) -> Scenario:
        """The scenario of a run: the arguments of `run` but for where its results go."""
        _refuse_elsewhere(options)
        if "step" in options and not isinstance(options["step"], str):
            raise TypeError(f"the time step is `h`: write h={options['step']!r} in place of `step`")
        return self._scenario(
            step=h,
            start=start,
            end=_last(start, h, steps, end),
            end_impacts=end_impacts,
            integrator=self._integrator(method, options, integrator),
            observe=observe,
            claim=claim,
            initial=initial,
            output=_given({"every": every, **(output or {})}) or None,
        )

    def _scenario(self, **run: Any) -> Scenario:
        return Scenario({**self.keys, **_given(run)}, name=self.name)

    def run(self, *, out: Path | None = None, resume: bool = False, progress: Progress = None, **run: Any) -> Result:
        """Runs it with the time step ``h`` for so many ``steps``, or to the time ``end``.

        ``method`` is the integrator; every keyword that is not listed in `scenario` is one of its options. The result has a
        row for each step; ``every=10`` keeps each tenth, ``every=None`` about 2000 in all. ``out``, ``resume`` and
        ``progress`` are those of `Scenario.run`.
        """
        return self.scenario(**run).run(out=out, resume=resume, progress=progress)

    def start(self, **run: Any) -> Simulation:
        """It at its start, to be advanced as you like; arguments are those of `scenario`, and no ``end`` is needed."""
        return self.scenario(**_endless(run)).start()

    def _integrator(self, method: str | None, options: Table, whole: Table | str | None) -> Any:
        """The key `integrator`: a method and its options, or all of it as in a scenario."""
        _refuse_elsewhere(options)
        if whole is not None:
            if method is not None or options:
                raise TypeError("give either `integrator` or `method` and its options")
            return whole
        method = method or self._method
        if method is None:
            raise TypeError("which integrator? Give `method`, such as method='verlet' or method='gauss', stages=2")
        return {"method": method, **options} if options else method

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

    _kind = "formula"

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
        **more: NoReturn,
    ) -> None:
        if lagrangian is None and hamiltonian is None:
            raise TypeError("a system needs a `lagrangian` or a `hamiltonian`")
        if isinstance(draw, Mapping):
            draw = [draw]
        super().__init__(
            name,
            more,
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

    def scenario(
        self, q: Any = None, v: Any = None, *, p: Any = None, next_q: Any = None, **run: Any
    ) -> Scenario:
        """The scenario of a run: ``h``, ``steps`` or ``end``, ``start``, ``end_impacts``, ``method`` and its options or
        ``integrator``, ``observe``, ``claim``, ``every`` and ``output``, besides the initial state."""
        if q is None:
            raise TypeError("where does the system start? Give `q`, and `v`, `p` or `next_q`")
        initial = _given(dict(position=q, velocity=v, momentum=p, next_position=next_q))
        return super().scenario(initial={key: _state(value) for key, value in initial.items()}, **run)

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

    def start(self, q: Any = None, v: Any = None, **run: Any) -> Simulation:
        """It at its start, to be advanced as you like; arguments are those of `scenario`, and no ``end`` is needed.

        >>> import stationary
        >>> ball = stationary.System(["y"], "0.5*vy^2 - 9.81*y", gap={"gap": "y"})
        >>> sim = ball.start(q=1, v=0, h=0.01, method="gauss", stages=2)
        >>> while sim.v[0] <= 0:
        ...     sim.advance(by=0.01)
        >>> 0.45 < sim.t < 0.47
        True
        """
        return self.scenario(q, v, **_endless(run)).start()


class RigidBody(_Kind):
    """A rigid body, free or ``fixed`` at a point.

    >>> import stationary
    >>> top = stationary.RigidBody(inertia=[0.11, 0.11, 0.03], fixed=True, potential="3*R33",
    ...     orientation={"axis": [1, 0, 0], "angle": 0.6}, angular_velocity=[0, 0, 60])
    >>> r = top.run(h=0.01, end=2, order=4)
    >>> r.orientation.shape
    (201, 4)
    """

    _kind = "body"
    _method = "euler-poincare"

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
        **more: NoReturn,
    ) -> None:
        given: dict[str, Any] = dict(more)
        own = {key: given.pop(key) for key in names("body", "body") if key in given}
        body = dict(
            mass=mass,
            inertia=inertia,
            position=position,
            orientation=orientation,
            velocity=velocity,
            angular_velocity=angular_velocity,
            potential=potential,
            fixed=fixed,
            **own,
        )
        super().__init__(
            name, given, title=title, description=description, parameters=parameters, body=_given(body), probe=probe
        )

    @classmethod
    def _keywords(cls) -> list[str]:
        return [key for key in super()._keywords() if key != "body"] + names("body", "body")


class Bodies(_Kind):
    """Discs and polygons in the plane, or spheres in space, that collide with each other and with walls.

    >>> import stationary
    >>> table = stationary.Bodies(
    ...     {"ball": {"shape": "disc", "radius": 0.1, "count": 5, "position": ["0.3*i + 0.4", 1], "velocity": [1, 0.3]}},
    ...     wall={"table": {"box": [[0, 0], [4, 2]]}})
    >>> r = table.run(h=0.02, end=20)
    >>> r.summary["energy"]["max_relative_error"] < 1e-13
    True

    The time step ``h`` is the window in which impacts are searched for, and after which the state is looked at.
    """

    _kind = "bodies"
    _method = "collisions"

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
        **more: NoReturn,
    ) -> None:
        super().__init__(
            name,
            more,
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


def _refuse_elsewhere(options: Table) -> None:
    """Says which keyword is meant by one that other packages have: as an option of an integrator nobody would know it."""
    for name in options:
        if name in _ELSEWHERE:
            keyword, meaning = _ELSEWHERE[name]
            raise TypeError(f"`{name}` is no argument of a run: {meaning} is `{keyword}`")


def _endless(run: Table) -> dict[str, Any]:
    """The arguments of a scenario that is moved on by hand: its end limits nothing, but every scenario has one."""
    ends = {"end", "steps", "end_impacts"} & run.keys()
    return dict(run) if ends else {"steps": _STEPS_AHEAD, **run}


def _given(keys: Table) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value is not None}


def _last(start: Any, h: Any, steps: Any, end: Any) -> Any:
    """The key `end`: as given, or after a number of steps."""
    if steps is None:
        return end
    if end is not None:
        raise TypeError("give either `steps` or `end`")
    if h is None:
        raise TypeError("`steps` needs the time step `h`")
    if isinstance(steps, bool) or not isinstance(steps, (int, float, np.integer, np.floating)) or not float(steps).is_integer():
        raise ValueError(f"`steps` must be a whole number, found {steps!r}; `end` is a time")
    if any(isinstance(value, str) or _of_sympy(value) for value in (h, start)):
        begin = "" if start is None else f"{formula(start, 'start')} + "
        return f"{begin}{int(steps)}*({formula(h, 'h')})"
    return float((start or 0.0) + int(steps) * h)


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
