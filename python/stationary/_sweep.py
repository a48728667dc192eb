"""Many runs of one scenario, on all cores."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Union

import numpy as np

from . import _core
from ._errors import Error, Interrupted, RunError
from ._result import Result, needed
from ._scenario import Changes, Path, Scenario, finished
from ._system import _Kind
from ._text import overrides as _overrides

if TYPE_CHECKING:
    import pandas  # type: ignore[import-untyped, unused-ignore]

Over = Union[Mapping[str, Iterable[Any]], Iterable[Mapping[str, Any]]]
Factor = tuple[list[str], list[list[str]]]


class Sweep:
    """The runs of a sweep, in the order of what was varied: the last key fastest.

    >>> import stationary
    >>> s = stationary.sweep("pendulum", {"parameters.l": [0.5, 1, 2], "step": [0.005, 0.01]}, overrides={"end": 10})
    >>> s.outcomes == ["finished"] * 6
    True
    >>> table = s.table()
    >>> table["parameters.l"], table["energy.max_relative_error"].shape
    ([0.5, 0.5, 1, 1, 2, 2], (6,))
    """

    def __init__(self, runs: list[dict[str, Any]]) -> None:
        #: What was varied, for each run.
        self.runs = runs
        #: Results; of a run that stopped as far as it came, of one that was refused or not made None.
        self.results: list[Result | None] = [None] * len(runs)
        #: Why a run stopped or was refused.
        self.errors: list[Error | None] = [None] * len(runs)
        self._done = [False] * len(runs)

    @property
    def outcomes(self) -> list[str]:
        """Of each run: ``finished``, ``claim failed``, ``stopped``, ``refused``, or ``not run``."""
        return [self._outcome(k) for k in range(len(self.runs))]

    def _outcome(self, k: int) -> str:
        result = self.results[k]
        if not self._done[k]:
            return "not run"
        if isinstance(self.errors[k], RunError):
            return "stopped"
        if result is None:
            return "refused"
        return "finished" if result.ok else "claim failed"

    def _swept(self) -> list[str]:
        return list(dict.fromkeys(key for run in self.runs for key in run))

    def table(self) -> dict[str, Any]:
        """Columns by name: what was varied, the outcome, a note, and every number of the summaries under its dotted
        name; NaN where a run has no such number."""
        columns: dict[str, Any] = {key: [run.get(key) for run in self.runs] for key in self._swept()}
        columns["outcome"] = self.outcomes
        columns["note"] = [
            "; ".join(([getattr(e, "message", str(e))] if e else []) + (r.warnings if r is not None else []))
            for e, r in zip(self.errors, self.results)
        ]
        numbers = [r.numbers() if r is not None else {} for r in self.results]
        for key in dict.fromkeys(key for row in numbers for key in row):
            # What a run measured and what was varied may have one name, as `step` of energy-chosen steps.
            name = key if key not in columns else f"summary.{key}"
            columns[name] = np.array([row.get(key, np.nan) for row in numbers])
        return columns

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a data frame."""
        return needed("pandas").DataFrame(self.table())

    def __len__(self) -> int:
        return len(self.runs)

    def __getitem__(self, k: int) -> Result:
        """The result of a run; raises what stopped it if there is none."""
        result = self.results[k]
        if result is None:
            raise self.errors[k] or IndexError(f"run {k} was not made")
        return result

    def __repr__(self) -> str:
        outcomes = self.outcomes
        counts = ", ".join(f"{outcomes.count(o)} {o}" for o in dict.fromkeys(outcomes))
        return f"<Sweep of {len(self)} runs: {counts}>"

    def _repr_html_(self) -> str | None:
        try:
            frame = self.to_pandas()
            # What was varied, then some of what differs from run to run, the worst values of quantities first.
            first = [c for c in frame if c in self._swept() or c == "outcome" or c == "note" and any(frame[c])]
            differ = [c for c in frame if c not in first and c != "note" and frame[c].nunique() > 1]
            return str(frame[first + sorted(differ, key=lambda c: "max" not in c)[:8]].to_html(max_rows=20))
        except ImportError:
            return None


def sweep(
    what: Any,
    over: Over,
    *,
    jobs: int | None = None,
    overrides: Changes = None,
    keep: str = "result",
    out: Path | None = None,
    progress: Callable[[int, int], object] | None = None,
    **run: Any,
) -> Sweep:
    """Runs a scenario, a file, a shipped scenario or a system with all combinations of some values.

    ``over`` has keys of scenarios with their values, as ``{"parameters.l": [0.5, 1], "step": np.linspace(0.01, 0.1, 5)}``,
    or is a list of dicts, one for each run. Of a `System`, a `Solid` and so on, ``run`` are the arguments of its run.
    ``jobs`` threads, as many as there are cores, run without Python: the results depend on neither their number nor their
    order. ``keep="summary"`` keeps no tables. With ``out`` each run also leaves its files there, in ``0001`` and so on.

    A run that stops is a row of its own, as is one that is refused; where the first is refused `InputError` is raised.
    Ctrl-C stops all runs and raises `Interrupted`, which has the `Sweep` so far as its ``result``.
    """
    if keep not in ("result", "summary"):
        raise ValueError(f"keep: expected 'result' or 'summary', found {keep!r}")
    if jobs is not None and jobs < 1:
        raise ValueError(f"jobs: expected at least 1, found {jobs}")
    base = _scenario(what, run)
    runs, factors = _plan(over)
    made = Sweep(runs)

    def done(k: int, told: Any, core: _core.Scenario | None) -> None:
        if isinstance(told, Error):
            made.errors[k] = told
        elif core is not None:
            try:
                made.results[k] = finished(told, core, out is not None)
            except RunError as error:
                made.errors[k], made.results[k] = error, error.result
        made._done[k] = True
        if progress is not None:
            progress(sum(made._done), len(runs))

    ways = {
        "factors": factors,
        "set": _overrides(overrides),
        "jobs": jobs or os.cpu_count() or 1,
        "tables": keep == "result",
        "out": None if out is None else os.fspath(out),
    }
    if _core.sweep(base._arguments(), ways, done):
        raise Interrupted(f"the sweep ended early, after {sum(made._done)} of {len(runs)} runs", made)
    return made


def _plan(over: Over) -> tuple[list[dict[str, Any]], list[Factor]]:
    """What each run varies, and the same as the program's plan: keys that vary together with their values as texts."""
    if not isinstance(over, Mapping):
        varied = [[dict(changes) for changes in over]]
    else:
        varied = [[{key: value} for value in _values(key, values)] for key, values in over.items()]
    if not varied or not all(varied):
        raise ValueError("there is nothing to vary: `over` makes no run")
    factors = [_factor(rows) for rows in varied]
    runs = []
    for chosen in _core.plan(factors):
        run: dict[str, Any] = {}
        for rows, row in zip(varied, chosen):
            run.update(rows[row])
        runs.append(run)
    return runs, factors


def _values(key: str, values: Any) -> list[Any]:
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise TypeError(f"`{key}`: expected a list of values, found {type(values).__name__}")
    found: list[Any] = values.tolist() if isinstance(values, np.ndarray) else list(values)
    return found


def _factor(rows: list[dict[str, Any]]) -> Factor:
    """Rows of a factor as keys and values of ``--set``; an empty value leaves what the scenario says."""
    flat = [dict(_overrides(row)) for row in rows]
    keys = list(dict.fromkeys(key for row in flat for key in row))
    return keys, [[row.get(key, "") for key in keys] for row in flat]


def _scenario(what: Any, run: Mapping[str, Any]) -> Scenario:
    if isinstance(what, _Kind):
        return what.scenario(**run)
    if run:
        raise TypeError(f"`{next(iter(run))}` is no argument of sweep; of a scenario give `overrides`")
    return what if isinstance(what, Scenario) else Scenario.open(what)
