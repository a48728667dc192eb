"""Natural frequencies and mode shapes of solids."""

from __future__ import annotations

import json
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._scenario import Changes, Path, Scenario

Array = NDArray[np.float64]


class Modes:
    """The lowest modes of a solid, by ascending eigenvalue.

    ``kinds`` has ``rigid`` for motions as a rigid body, ``mechanism`` for other motions without stiffness, ``unstable`` for negative
    eigenvalues, and ``vibration``; frequencies are zero for what does not vibrate. ``shapes[k]`` has a row of displacements for each node of
    the mesh, and unit modal mass. ``participation[k]`` are the participation factors along x, y, z, whose squares are the effective modal
    masses; ``free_mass`` is what these of all modes add up to.
    """

    def __init__(self, told: dict[str, Any]) -> None:
        self.kinds: list[str] = told["kinds"]
        self.eigenvalues: Array = told["eigenvalues"]
        self.angular_frequencies: Array = told["angular_frequencies"]
        self.shapes: Array = told["shapes"]
        self.participation: Array = told["participation"]
        self.damping_ratios: Array = told["damping_ratios"]
        self.residuals: Array = told["residuals"]
        self.free_mass: Array = told["free_mass"]
        self.warnings: list[str] = told["warnings"]
        self.notes: list[str] = told["notes"]
        self.summary: dict[str, Any] = json.loads(told["summary"])

    @property
    def frequencies(self) -> Array:
        """Cycles in a unit of time."""
        return self.angular_frequencies / (2 * np.pi)

    @property
    def effective_mass(self) -> Array:
        """The effective modal masses along x, y, z, a row for each mode."""
        return self.participation**2

    def __len__(self) -> int:
        return len(self.kinds)

    def __repr__(self) -> str:
        told = (f"{f:.6g}" if kind == "vibration" else kind for f, kind in zip(self.frequencies, self.kinds))
        return f"<Modes {', '.join(told)}>"


def modes(
    scenario: Path | Scenario, overrides: Changes = None, *, count: int = 10, out: Path | None = None
) -> Modes:
    """The lowest natural frequencies and mode shapes of the solid of a scenario about its initial shape.

    >>> import stationary
    >>> found = stationary.modes("slab", count=3)
    >>> found.kinds, found.shapes.shape
    (['vibration', 'vibration', 'vibration'], (3, 209, 3))

    With ``out`` the folder gets what ``stationary modes`` writes: tables, shapes for ParaView, and a page in which each mode moves.
    """
    if not isinstance(scenario, Scenario):
        scenario = Scenario.open(scenario, overrides)
    elif overrides is not None:
        scenario = scenario.replace(overrides)
    if count < 1:
        raise ValueError(f"expected a count of one or more, not {count}")
    return Modes(scenario.core.modes(count, None if out is None else os.fspath(out)))
