"""The keys of scenarios, from the tables that the program reads them by."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from . import _core

#: The rows of every kind of system.
KEYS = _core.keys()

#: Keys that the arguments of a run stand for; all others belong to the system.
OF_A_RUN = {"step", "start", "end", "end_impacts", "integrator", "observe", "claim", "initial", "output"}


def keys(kind: str) -> dict[str, str]:
    """The keys of scenarios of a kind, ``formula``, ``solid``, ``body`` or ``bodies``, with what each may be and means.

    >>> keys("formula")["gap.friction"]
    "optional, 0; Coulomb's coefficient (a number, 0 or more)"
    """
    if kind not in KEYS:
        raise ValueError(f"kind: expected one of {', '.join(KEYS)}, found {kind!r}")
    return {row["path"]: f"{row['meaning']} ({row['form']})" for row in KEYS[kind]}


def names(kind: str, section: str = "") -> list[str]:
    """The names of the keys in a table of scenarios of a kind, ``""`` at the top."""
    places = [row["path"].rpartition(".") for row in KEYS[kind]]
    return [name for table, _, name in places if table.removesuffix(".<name>") == section]


def order() -> list[str]:
    """The keys of all kinds at the top, in the order of their tables."""
    all_names: list[str] = []
    for kind in KEYS:
        after = 0
        for name in names(kind):
            if name in all_names:
                after = all_names.index(name) + 1
            else:
                all_names.insert(after, name)
                after += 1
    return all_names


def written_as(layout: str) -> set[str]:
    """The keys at the top that some kind of scenarios writes in a way: ``table``, ``tables`` or ``list of tables``."""
    return {row["path"] for rows in KEYS.values() for row in rows if row["layout"] == layout and "." not in row["path"]}


def known(owner: str, given: Mapping[str, Any], allowed: Iterable[str]) -> dict[str, Any]:
    """Keywords that are keys, though no signature lists them; any other is refused with the one that was perhaps meant."""
    allowed = list(allowed)
    for name in given:
        if name in OF_A_RUN and name not in allowed:
            keyword = "h" if name == "step" else name
            raise TypeError(f"`{name}` is no keyword of {owner}: give `{keyword}` to `run`")
        if name not in allowed:
            near = _core.meant(name, allowed)
            did_you_mean = "" if near is None else f"did you mean `{near}`? "
            raise TypeError(f"`{name}` is no keyword of {owner}; {did_you_mean}keywords: {', '.join(allowed)}")
    return dict(given)
