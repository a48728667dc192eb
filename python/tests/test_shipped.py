"""Every scenario that is shipped runs from Python, to the bits of the program."""

from __future__ import annotations

import pytest
from conftest import Program, same_bits

import stationary

# How long each runs here: a moment, but some rows and where there are impacts a few of them.
SHORT: dict[str, dict[str, object]] = {
    "pendulum": {"end": 2},
    "kepler": {"end": 6},
    "henon-heiles": {"end": 20},
    "double-pendulum": {"end": 1},
    "double-spherical-pendulum": {"end": 1},
    "oblate-satellite": {"end": 6000},
    "lattice": {"end": 0.4},
    "spherical-pendulum": {"end": 1},
    "double-pendulum-rods": {"end": 0.2},
    "four-bar": {"end": 1},
    "rod-molecule": {"end": 0.5},
    "damped-particle": {"end": 8},
    "particle-bounce": {"end_impacts": 5},
    "ellipse-bounce": {"end_impacts": 5},
    "star-bounce": {"end_impacts": 5},
    "cradle": {"end": 0.5},
    "bouncing-to-rest": {"end": 1},
    "double-well": {"end": 5},
    "coupled-wells": {"end": 5},
    "free-top": {"end": 5},
    "heavy-top": {"end": 1},
    "tumbling-satellite": {"end": 6},
    "four-vortices": {"end": 50},
    "disc-box": {"end": 5, "end_impacts": 20},
    "polygon-pile": {"end": 0.2},
    "bar-wave": {"end": "0.1*length/c"},
    "block": {"end": 1e-4},
    "l-beam": {"end": 2e-4},
    "slab": {"end": 0.02},
    "blade-1": {"end": 1e-4},
    "blade-2": {"end": 1e-4},
    "blade-3": {"end": 1e-4},
    "graded-cube": {"end": 2e-3},
    "taylor-bar": {"end": 2e-6},
    "necking": {"end": 1e-5},
    "viscoelastic-ring": {"end": 1e-3},
    "mixed-mesh": {"end": "0.1*length/c"},
    "tube-wave": {"end": "0.1*length/c"},
}
KINDS = {"formula", "body", "bodies", "solid"}
# Of all kinds, in plain motion, with constraints, impacts, steps of the energy's choice and one-forms.
BY_THE_BIT = [
    "kepler",
    "four-bar",
    "bouncing-to-rest",
    "double-well",
    "four-vortices",
    "tumbling-satellite",
    "polygon-pile",
    "bar-wave",
    "block",
]


def test_every_shipped_scenario_is_tested() -> None:
    assert set(SHORT) == set(stationary.shipped())
    assert {stationary.Scenario.open(name).kind for name in BY_THE_BIT} == KINDS


@pytest.mark.parametrize("name", SHORT)
def test_shipped_scenario_runs(name: str) -> None:
    scenario = stationary.Scenario.open(name, {**SHORT[name], "claim": []})
    r = stationary.run(scenario, {"output.frames": 2} if scenario.kind == "solid" else None)
    assert r.ok and r.summary["finished"] and len(r) > 1 and r.table.shape == (len(r), len(r.columns))
    assert r.conserved and r.t[0] <= r.t[-1] and r.summary["moves"] > 0
    assert (r.frames is not None) == (r.kind == "solid")


@pytest.mark.parametrize("name", BY_THE_BIT)
def test_shipped_scenario_has_the_bits_of_the_program(name: str, program: Program) -> None:
    changes = {**SHORT[name], "claim": []}
    columns, table = program.series(name, *(f"--set={k}={v}" for k, v in stationary._text.overrides(changes)))
    result = stationary.run(name, changes)
    assert result.columns == columns and same_bits(result.table, table) and len(table) > 1
