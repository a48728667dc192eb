"""A scenario: the text that the engine runs, wherever it came from."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import Interrupted, RunError
from ._result import Result
from ._text import overrides as _overrides
from ._text import toml

if TYPE_CHECKING:
    from ._simulation import Simulation

Changes = Union[Mapping[str, Any], Iterable[tuple[str, Any]], None]
Path = Union[str, "os.PathLike[str]"]
Progress = Union[Callable[[dict[str, Any]], object], None]
State = tuple[NDArray[np.float64], NDArray[np.float64]]


class Scenario:
    """A scenario, from a table of its keys or from its text.

    >>> import stationary
    >>> s = stationary.Scenario.open("pendulum", {"end": 10})
    >>> s.kind, s.coordinates
    ('formula', ['theta'])
    >>> float(s.replace({"step": 0.01}).run().t[-1])
    10.0

    It pickles; equal scenarios run to equal bits wherever they are.
    """

    def __init__(
        self,
        source: str | Mapping[str, Any],
        overrides: Changes = None,
        *,
        name: str = "scenario",
        folder: Path | None = None,
        mesh: Any = None,
        state: State | None = None,
    ) -> None:
        self._tree = None if isinstance(source, str) else dict(source)
        self.text: str = source if isinstance(source, str) else toml(source)
        self.name = name
        self.folder = None if folder is None else os.path.abspath(folder)
        self.overrides: list[tuple[str, str]] = _overrides(overrides)
        self.mesh = mesh
        self.state = state
        self._made: _core.Scenario | None = None

    @classmethod
    def open(cls, path: Path, overrides: Changes = None) -> Scenario:
        """The scenario of a file, or a shipped one by its name; see `stationary.shipped()`."""
        name = os.fspath(path)
        core = _core.Scenario.open(name, _overrides(overrides))
        folder = os.path.dirname(os.path.abspath(name)) if os.path.isfile(name) else None
        scenario = cls(core.text, overrides, name=name, folder=folder)
        scenario._made = core
        return scenario

    def replace(self, overrides: Changes) -> Scenario:
        """The same with some keys replaced, as ``--set`` does: ``{"parameters.l": 2, "integrator": {"stages": 3}}``."""
        return self._with(_overrides(overrides))

    def _with(self, overrides: list[tuple[str, str]]) -> Scenario:
        changed = Scenario.__new__(Scenario)
        changed.__dict__.update(self.__getstate__())
        changed.overrides = self.overrides + overrides
        return changed

    def _arguments(self) -> dict[str, Any]:
        """What the engine makes a scenario of."""
        mesh = None if self.mesh is None else self.mesh.core
        return {
            "name": self.name,
            "text": self.text,
            "overrides": self.overrides,
            "folder": self.folder,
            "mesh": mesh,
            "state": self.state,
        }

    @property
    def core(self) -> _core.Scenario:
        """The scenario as the engine has read it."""
        if self._made is None:
            self._made = _core.Scenario(**self._arguments())
        return self._made

    @property
    def kind(self) -> str:
        """What it is about: ``formula``, ``solid``, ``body`` or ``bodies``."""
        return self.core.kind

    @property
    def coordinates(self) -> list[str]:
        """Names of the coordinates of a system given by formulas."""
        return self.core.coordinates

    def check(self) -> str:
        """Builds it without running, and says in words what it is; wrong input raises `InputError`."""
        return self.core.check()

    def explain_energy(self) -> dict[str, Any]:
        """The modified energy that the run follows: what ``stationary explain-energy`` tells, as a dict."""
        return self.core.explain_energy()

    def start(self) -> Simulation:
        """What it is about at its start, to be advanced as you like: a `Simulation`, of a solid a `SolidSimulation`.

        The key ``end`` does not limit it.
        """
        from ._simulation import start

        return start(self)

    def run(
        self,
        *,
        out: Path | None = None,
        resume: bool = False,
        progress: Progress = None,
        stop: _core.Stop | None = None,
        keep: bool = True,
    ) -> Result:
        """Runs it, to the bits of the program.

        Without ``out`` nothing is written. With it the folder gets the files of the program, and checkpoints from which
        ``resume=True`` goes on. ``progress`` is called now and then with a dict of where the run is. Ctrl-C raises
        `Interrupted`, a run that stops `RunError`; both have what was reached as their ``result``. ``stop.set()`` in another
        thread ends it as Ctrl-C does. With ``keep=False`` the result has no tables and no page, only the summary.
        """
        if resume and out is None:
            raise TypeError("`resume=True` needs `out`, the folder with the checkpoint")
        into = None if out is None else os.fspath(out)
        core = self.core
        told = core.run(into, resume, stop, progress, keep)
        return finished(told, core, into is not None)

    def save(self, path: Path) -> None:
        """Writes the text to a file, which the program runs to the same bits; a mesh of arrays goes beside it."""
        if self.overrides:
            raise ValueError("overrides are no part of the text: give them to the program by --set")
        if self.state is not None:
            raise ValueError("an initial state given by arrays has no place in a scenario file")
        text, path = self.text, os.fspath(path)
        if self.mesh is not None:
            if self._tree is None:
                raise ValueError("the text of a scenario cannot say where its mesh is saved: make the scenario from a table")
            file = os.path.splitext(path)[0] + ".vtu"
            self.mesh.save(file)
            mesh, name = self._tree["mesh"], os.path.basename(file)
            text = toml({**self._tree, "mesh": {**mesh, "file": name} if isinstance(mesh, dict) else name})
        with open(path, "w", encoding="utf-8", newline="\n") as file_:
            file_.write(text)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_made": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)

    def __repr__(self) -> str:
        return f"<Scenario {self.name}{''.join(f', {k}={v}' for k, v in self.overrides)}>"


def finished(told: dict[str, Any], core: _core.Scenario, is_written: bool) -> Result:
    """The result of a run; what ended it early is raised, with the result so far."""
    result = Result(told, core)
    if told["interrupted"]:
        text = "the run ended early"
        if is_written:
            text += "; everything up to the last step is written; resume=True goes on from here"
        raise Interrupted(text, result)
    if told["stopped"] is not None:
        time, step, message = told["stopped"]
        text = message if message.startswith("the run ") else f"the run {message}"
        raise RunError(f"{text}; everything up to then is written" if is_written else text, time, step, result)
    return result


def run(
    scenario: Path | Scenario,
    overrides: Changes = None,
    *,
    out: Path | None = None,
    resume: bool = False,
    progress: Progress = None,
) -> Result:
    """Runs a scenario file, or a shipped scenario, with some keys replaced.

    >>> import stationary
    >>> r = stationary.run("kepler", {"end": 10, "parameters": {"e": 0.3}, "integrator.stages": 3})
    >>> r.summary["energy"]["max_relative_error"] < 1e-9
    True
    """
    if not isinstance(scenario, Scenario):
        scenario = Scenario.open(scenario, overrides)
    elif overrides is not None:
        scenario = scenario.replace(overrides)
    return scenario.run(out=out, resume=resume, progress=progress)
