"""Text of scenarios: it reads back to what was written, to the bit."""

from __future__ import annotations

import random
import struct
import sys

import numpy as np
import pytest

from stationary._text import _is_text_without_quotes, formula, overrides, plain, toml

if sys.version_info >= (3, 11):
    import tomllib
else:
    tomllib = pytest.importorskip("tomli")


def floats(count: int) -> list[float]:
    """Numbers of all sizes, and those at the edges."""
    draw = random.Random(8)
    edges = [0.0, -0.0, 5e-324, sys.float_info.max, -sys.float_info.min, 0.1, 1 / 3, 1e22, 1e16, 123456789.0, 2.0**53]
    found = list(edges)
    while len(found) < count:
        (x,) = struct.unpack("<d", draw.randbytes(8))
        if np.isfinite(x):
            found.append(x)
    return found


def texts() -> list[str]:
    draw = random.Random(7)
    alphabet = "aZ_09 .,+-*/^()[]{}='\"\\#\n\t\r\u0000\u001f\u007fäπ😀"
    return ["", '"""', "\n", "\n\n", 'x"', "a\\", "\\n", "'''"] + [
        "".join(draw.choices(alphabet, k=draw.randrange(1, 20))) for _ in range(500)
    ]


def bits(x: float) -> bytes:
    return struct.pack("<d", x)


def test_scenario_text_keeps_numbers_bit_by_bit() -> None:
    numbers = floats(2000)
    read = tomllib.loads(toml({"list": numbers, "array": np.array(numbers), "parameters": {"a": numbers[20]}}))
    assert list(map(bits, read["list"])) == list(map(bits, numbers)) == list(map(bits, read["array"]))
    assert bits(read["parameters"]["a"]) == bits(numbers[20])


def test_scenario_text_keeps_strings_with_any_characters() -> None:
    for text in texts():
        scenario = {"title": text, "list": [text], "parameters": {text or "k": text}, "table": {"k": text}}
        assert tomllib.loads(toml(scenario)) == scenario, text


def test_scenario_text_keeps_trees_of_any_shape() -> None:
    scenario = {
        "coordinates": ["x", "y"],
        "gap": ["x", {"gap": "y", "name": "floor", "slip": ["vx"], "restitution": 0.5}],
        "integrator": {"method": "avi", "step": {"body": 1e-5}},
        "material": {"steel bar": {"law": "linear", "young": 2e11}, "b": {"law": "spring", "stiffness": 3}},
        "initial": {"position": {"x": 1, "y": "2*k"}, "velocity": [0, 0.5]},
        "draw": [{"shape": "line", "from": [0, 0], "to": ["x", "y"]}, {"shape": "disc", "at": ["x", "y"], "radius": 0.1}],
        "section": {"when": "x", "columns": {"y": "y"}},
        "body": {"orientation": {"axis": [1, 0, 0], "angle": 0.6}, "fixed": True},
        "claim": [],
        "output": {"series": ["csv", "parquet"]},
    }
    text = toml(scenario)
    assert tomllib.loads(text) == scenario
    assert "[material.\"steel bar\"]\n" in text and text.count("[[draw]]\n") == 2


def test_scenario_text_keeps_the_order_of_parameters() -> None:
    # Later ones may be formulas of earlier ones.
    assert list(tomllib.loads(toml({"parameters": {"z": 1, "a": "2*z", "m": "a"}}))["parameters"]) == ["z", "a", "m"]


def test_scenario_text_accepts_numpy_numbers() -> None:
    given = {"a": np.int64(3), "b": np.float32(0.5), "c": np.bool_(True), "d": np.arange(4).reshape(2, 2), "e": (1, 2)}
    assert plain(given) == {"a": 3, "b": 0.5, "c": True, "d": [[0, 1], [2, 3]], "e": [1, 2]}
    assert type(plain(given)["a"]) is int and type(plain(given)["c"]) is bool


def test_scenario_text_refuses_unsupported_values_by_key() -> None:
    for value in (np.nan, np.inf, np.float64("nan")):
        with pytest.raises(ValueError, match=r"`parameters\.k` must be finite"):
            toml({"parameters": {"k": value}})
    with pytest.raises(TypeError, match=r"`step`: .* found complex"):
        toml({"step": 1j})
    with pytest.raises(TypeError, match=r"`lagrangian` must be a formula"):
        formula(["x"], "lagrangian")


def test_scenario_text_omits_keys_with_none() -> None:
    assert toml({"step": 1, "gap": None, "initial": {"velocity": None, "position": [1]}}) == (
        "step = 1\n\n[initial]\nposition = [1]\n"
    )


def value_of_set(text: str) -> object:
    """How `--set` reads a value: TOML if it is TOML, otherwise text."""
    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        assert text[:1] not in ("[", "{", '"', "'"), text
        return text


def test_override_texts_read_back() -> None:
    # Dates are text for `--set`; no other text that is TOML may stand without quotes.
    for value in [*texts(), "rk4", "2*pi/100", "1e-3", "true", "inf", "-nan", "0x10", "1_000", "+5", ".5", "5.", "x # y"]:
        ((key, text),) = overrides({"a.b": value})
        assert key == "a.b" and value_of_set(text) == value, (value, text)
    for number in floats(300):
        ((_, text),) = overrides({"k": number})
        assert bits(value_of_set(text)) == bits(number)  # type: ignore[arg-type]


def test_override_texts_have_the_form_of_the_command_line() -> None:
    assert overrides({"integrator": "rk4", "step": "2*pi/100", "end": 2, "claim": []}) == [
        ("integrator", "rk4"),
        ("step", "2*pi/100"),
        ("end", "2"),
        ("claim", "[]"),
    ]
    assert overrides({"parameters": {"l": 2.5, "on": True}, "wall.floor": {"point": [0, 1]}}) == [
        ("parameters.l", "2.5"),
        ("parameters.on", "true"),
        ("wall.floor.point", "[0, 1]"),
    ]
    # An integrator with a method is whole; options alone join the one that is there.
    assert overrides({"integrator": {"stages": 3, "method": "gauss"}}) == [("integrator", "gauss"), ("integrator.stages", "3")]
    assert overrides({"integrator": {"method": "verlet"}}) == [("integrator", "verlet")]
    assert overrides({"integrator": {"stages": 3}}) == [("integrator.stages", "3")]
    assert overrides([("a", 1), ("a", 2)]) == [("a", "1"), ("a", "2")]
    assert not _is_text_without_quotes("") and not _is_text_without_quotes(" x")
    with pytest.raises(TypeError, match="expected a dict"):
        overrides("step=1")  # type: ignore[arg-type]
