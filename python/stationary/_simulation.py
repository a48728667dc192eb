"""Systems moved on by hand, of every kind."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._errors import Interrupted, RunError
from ._result import Array

if TYPE_CHECKING:
    from ._scenario import Path, Progress, Scenario


class Simulation:
    """A system that moves when told to, with its state to be read and set between; to the bits of `Scenario.run`.

    >>> import stationary
    >>> swing = stationary.System("theta", "0.5*vtheta^2 + cos(theta)").start(q=1.0, v=0.0, h=0.1, method="verlet")
    >>> swing.advance(by=1.0)
    >>> round(swing.t, 9), swing.q.shape
    (1.0, (1,))
    >>> sorted(swing.row)
    ['discrete_energy', 'energy', 'ptheta', 't', 'theta', 'vtheta']
    >>> swing.v = 2 * swing.v

    ====================  =============================  =======================================  ====================
    kind                  ``q``                          ``v``                                    ``p``
    ====================  =============================  =======================================  ====================
    `System`              the coordinates                their velocities                         their momenta
    `RigidBody`           position, quaternion           velocity, angular velocity in the body   momentum, angular
                                                                                                  momentum in the body
    `Bodies`              of each: position, and in the  of each: velocity and spin               empty
                          plane its angle
    `Solid`               positions of the nodes         their velocities                         empty
    ====================  =============================  =======================================  ====================

    Arrays that were read are as they were then and are not to be written to; a state is set by ``sim.q = ...``,
    ``sim.v = ...`` or both at once by `set`.
    """

    def __init__(self, scenario: Scenario) -> None:
        self.scenario = scenario
        self._core: _core.Simulation = scenario.core.start()
        self._seen: dict[str, Any] | None = None

    # --- time ---

    def advance(
        self,
        until: float | None = None,
        by: float | None = None,
        *,
        progress: Progress = None,
        stop: _core.Stop | None = None,
    ) -> None:
        """Moves on to a time, or by some time: to the last step that ends by then, so that `t` may be less than a step
        before it.

        After Ctrl-C, which raises `Interrupted`, the state is whole, at the time reached, and the next call goes on from
        there as if nothing had happened. A system that cannot go on raises `RunError`, and is at its last good state.
        """
        if (until is None) == (by is None):
            raise TypeError("give either `until` or `by`")
        target = float(until) if until is not None else self.t + float(by)  # type: ignore[arg-type]
        self._seen = None
        try:
            told = self._core.advance(target, stop, progress)
        except RunError as error:
            error.result = self
            raise
        if told == "interrupted":
            raise Interrupted(f"interrupted at time {self.t:g}; the state is whole, and advance() goes on", self)

    @property
    def t(self) -> float:
        """The time."""
        return self._core.time

    @property
    def moves(self) -> int:
        """Steps since the start, or since the state was set; of a solid whose elements have steps of their own, theirs."""
        return self._core.moves

    # --- state ---

    def _look(self) -> dict[str, Any]:
        """All that is read at once, kept until something changes."""
        if self._seen is None:
            self._seen = self._read()
            for value in self._seen.values():
                if isinstance(value, np.ndarray):
                    value.flags.writeable = False
        return self._seen

    def _read(self) -> dict[str, Any]:
        return self._core.state()

    @property
    def q(self) -> Array:
        """Positions."""
        return self._look()["q"]  # type: ignore[no-any-return]

    @q.setter
    def q(self, new: Any) -> None:
        self.set(q=new)

    @property
    def v(self) -> Array:
        """Velocities."""
        return self._look()["v"]  # type: ignore[no-any-return]

    @v.setter
    def v(self, new: Any) -> None:
        self.set(v=new)

    @property
    def p(self) -> Array:
        """Momenta, where they belong to the state."""
        return self._look()["p"]  # type: ignore[no-any-return]

    def set(self, q: Any = None, v: Any = None) -> None:
        """Sets positions, velocities or both at the present time; what is not given stays.

        The run begins anew there, as one of a scenario that starts at this time with this state. A state that such a
        scenario may not have raises `InputError` and changes nothing. The velocities of a system that is given by its
        Hamiltonian follow from the rest of its state and cannot be set.
        """
        self._core.set(_numbers(q, "q"), _numbers(v, "v"))
        self._seen = None

    @property
    def row(self) -> dict[str, float]:
        """What a run writes of this moment into its series: columns by name."""
        return self._core.row()

    # --- checkpoints ---

    def save(self, path: Path) -> None:
        """Writes a checkpoint."""
        self._core.save(os.fspath(path))

    def restore(self, path: Path) -> None:
        """Takes up the state of a checkpoint of the same scenario, also of one that an interrupted run has left; it then
        goes on to the same bits."""
        self._core.restore(os.fspath(path))
        self._seen = None

    def __getstate__(self) -> dict[str, Any]:
        return {"scenario": self.scenario, "state": self._core.to_bytes()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["scenario"])  # type: ignore[misc]
        self._core.from_bytes(state["state"])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {self.scenario.name}: t = {self.t:g}, {self.moves} moves>"

    def _table(self) -> dict[str, float]:
        return self.row

    def _repr_html_(self) -> str:
        from html import escape

        lines = "".join(f"<tr><td>{escape(k)}</td><td>{v:.6g}</td></tr>" for k, v in self._table().items())
        return f"<table><caption>{escape(self.scenario.name)}</caption>{lines}</table>"


def start(scenario: Scenario) -> Simulation:
    """The system of a scenario at its start."""
    if scenario.kind == "solid":
        from ._solid import SolidSimulation

        return SolidSimulation(scenario)
    return Simulation(scenario)


def _numbers(given: Any, name: str) -> Array | None:
    """Positions or velocities as one row; a number is that of the only coordinate."""
    if given is None:
        return None
    found = np.asarray(given, np.float64)
    if not np.isfinite(found).all():
        raise ValueError(f"`{name}` has values that are not finite")
    return np.ascontiguousarray(found).reshape(-1)
