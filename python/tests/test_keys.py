"""Keywords of systems are the keys of scenarios: a key that is added to a table is known here, or one of these tests fails."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

import stationary
from stationary import Bodies, RigidBody, Solid, System
from stationary._keys import KEYS, OF_A_RUN, names
from stationary._system import _Kind

#: Arguments of constructors that are no keys: the name of the scenario, and arrays of nodes.
OTHERS = {"self", "name", "more", "x", "v"}


def parameters(function: Any) -> set[str]:
    return set(inspect.signature(function).parameters)


@pytest.mark.parametrize("system", [System, RigidBody, Bodies, Solid])
def test_signatures_list_every_key_of_the_system(system: type[_Kind]) -> None:
    assert parameters(system.__init__) - OTHERS == set(system._keywords())


def test_signatures_of_runs_list_every_key_of_a_run() -> None:
    renamed = {"step": "h"}
    for kind in KEYS:
        of_a_run = {renamed.get(key, key) for key in names(kind) if key in OF_A_RUN}
        known = parameters(_Kind.scenario) if kind != "solid" else parameters(Solid.scenario) | {"initial"}
        assert of_a_run <= known, kind
    states = {"q": "position", "v": "velocity", "p": "momentum", "next_q": "next_position"}
    assert set(states) <= parameters(System.scenario) and set(states.values()) == set(names("formula", "initial"))


def test_an_unknown_keyword_is_refused_with_the_one_that_was_meant() -> None:
    unknown: dict[str, Any] = {"constrain": "x"}
    with pytest.raises(TypeError, match="`constrain` is no keyword of System; did you mean `constraint`?"):
        System("x", "vx^2/2", **unknown)
    for system, arguments, wrong, meant in (
        (RigidBody, {"inertia": [1, 1, 1]}, "orientaton", "orientation"),
        (Bodies, {"bodies": {}}, "gravty", "gravity"),
        (Solid, {"mesh": "a.msh", "material": {}}, "suport", "support"),
    ):
        with pytest.raises(TypeError, match=f"did you mean `{meant}`?"):
            system(**arguments, **{wrong: 1})
    with pytest.raises(TypeError, match="give `h` to `run`"):
        System("x", "vx^2/2", **{"step": 0.1})


def test_a_key_without_a_keyword_of_its_own_is_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {**KEYS["formula"][0], "path": "novelty"}
    monkeypatch.setitem(KEYS, "formula", [*KEYS["formula"], row])
    system = System("x", "vx^2/2", **{"novelty": 1})
    assert system.keys["novelty"] == 1
    with pytest.raises(AssertionError):
        test_signatures_list_every_key_of_the_system(System)


def test_keys_tell_their_meaning_and_their_form() -> None:
    assert "a number from 0 to 1" in stationary.keys("formula")["gap.restitution"]
    with pytest.raises(ValueError, match="expected one of formula, solid, body, bodies"):
        stationary.keys("formulas")
