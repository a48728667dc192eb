"""Errors: their words, their places, and that they travel."""

from __future__ import annotations

import pickle

import pytest
from conftest import same_bits

import stationary
from stationary import FileError, InputError, Interrupted, RunError

MADE = [
    InputError("a.toml:1:2: no\n  = yes", "no", "a.toml", 1, 2, "yes"),
    FileError("a.toml: gone", "a.toml", "gone"),
    RunError("the run stopped at time 1", 1.0, 10, None),
    Interrupted("the run ended early", None),
]


@pytest.mark.parametrize("error", MADE, ids=lambda e: type(e).__name__)
def test_errors_pickle_with_all_they_know(error: BaseException) -> None:
    copy = pickle.loads(pickle.dumps(error))
    assert type(copy) is type(error) and str(copy) == str(error) == error.text  # type: ignore[attr-defined]
    assert vars(copy) == vars(error) and repr(copy) == repr(error)


def test_errors_are_what_python_expects() -> None:
    assert issubclass(InputError, ValueError) and issubclass(RunError, RuntimeError) and issubclass(FileError, OSError)
    assert issubclass(Interrupted, KeyboardInterrupt) and not issubclass(Interrupted, Exception)
    assert all(issubclass(e, stationary.Error) for e in (InputError, RunError, FileError))


def test_wrong_formula_is_reported_with_its_place() -> None:
    system = stationary.System("x", "0.5*vx^2 + sni(x)")
    with pytest.raises(InputError, match="did you mean `sin`") as caught:
        system.run(q=1, v=0, h=0.1, steps=1, method="verlet")
    e = caught.value
    assert (e.message, e.file, e.line, e.column, e.help) == (
        "unknown function `sni`",
        "system",
        2,
        26,
        "did you mean `sin`?",
    )
    text = system.scenario(q=1, v=0, h=0.1, steps=1, method="verlet").text.splitlines()
    assert text[e.line - 1][e.column - 1 :].startswith("sni")


def test_errors_have_the_words_of_the_program(program, tmp_path) -> None:  # type: ignore[no-untyped-def]
    cases = [
        ("kepler", {"integrator.stagse": 3}),
        ("kepler", {"integrator": "rk5"}),
        ("kepler", {"parameters.e": 2}),
        ("kepler", {"initial.velocity": [0, "sqrt("]}),
        ("block", {"mesh.file": "nowhere.msh"}),
        ("nowhere.toml", {}),
        ("disc-box", {"bodies.disc.radius": 0.7}),
    ]
    for name, changes in cases:
        told = program("check", name, *(f"--set={k}={v}" for k, v in stationary._text.overrides(changes)))
        with pytest.raises((InputError, FileError)) as caught:
            stationary.Scenario.open(name, changes).check()
        assert "error: " + str(caught.value) == told.stderr.strip(), name


GOOD = """\
coordinates = ["x"]
lagrangian = "0.5*vx^2 - 0.5*k*x^2"
parameters = { k = 1 }
initial = { position = [1], velocity = [0] }
step = 0.1
end = 1
integrator = "verlet"
"""
WRONG = [
    ("[", '["x"\n#'),
    ("0.5*k*x^2", "0.5*kk*x^2"),
    ("lagrangian", "lagrangain"),
    ("step = 0.1", "step = -0.1"),
    ("step = 0.1", 'step = "now"'),
    ("end = 1", ""),
    ("[0]", "[0, 1]"),
    ('"verlet"', '"varlet"'),
    ('"verlet"', '{ method = "gauss", stages = 99 }'),
    ("k = 1", "k = 1, x = 2"),
    ("0.5*vx^2", "0.5*vx^^2"),
    ("0.5*vx^2", "0.5*x^2"),
]


@pytest.mark.parametrize("old, new", WRONG, ids=[new or "nothing" for _, new in WRONG])
def test_errors_in_files_are_reported_as_by_the_program(old: str, new: str, program) -> None:  # type: ignore[no-untyped-def]
    assert old in GOOD
    text = GOOD.replace(old, new, 1)
    (program.folder / "it.toml").write_text(text)
    told = program("run", "it.toml", "--quiet")
    assert told.returncode == 2 and told.stderr.startswith("error: "), told
    expected = told.stderr.removeprefix("error: ").strip()
    with pytest.raises(InputError) as caught:
        stationary.Scenario(text, name="it.toml").run()
    assert str(caught.value) == expected
    with pytest.raises(InputError) as opened:
        stationary.run(program.folder / "it.toml")
    assert str(opened.value).replace(f"{program.folder}/", "") == expected and opened.value.line == caught.value.line


def test_stopped_run_raises_an_error_with_its_partial_result(program) -> None:  # type: ignore[no-untyped-def]
    changes = {"parameters.e": 0.95, "step": 0.3, "integrator.stages": 4}
    with pytest.raises(RunError) as caught:
        stationary.run("kepler", changes, out=program.folder / "here")
    e = caught.value
    told = program("run", "kepler", *(f"--set={k}={v}" for k, v in changes.items()))
    assert f"error: {e}" in told.stderr
    assert e.step == 22 and e.time == pytest.approx(6.6) and e.result.t[-1] == e.result.summary["time"]["end"]
    assert not e.result.ok and "stopped" in repr(e.result)
    copy = pickle.loads(pickle.dumps(e))
    assert copy.step == 22 and same_bits(copy.result.table, e.result.table)


@pytest.mark.parametrize(
    "arguments, words",
    [
        ({"q": 1, "v": 0, "h": 0.1, "steps": 3}, "which integrator"),
        ({"v": 0, "h": 0.1, "steps": 3, "method": "verlet"}, "where does the system start"),
        ({"q": 1, "v": 0, "steps": 3, "method": "verlet"}, "needs the time step"),
        ({"q": 1, "v": 0, "h": 1, "steps": 3, "end": 3, "method": "verlet"}, "either `steps` or `end`"),
        ({"q": 1, "v": 0, "h": 1, "steps": 3, "method": "verlet", "integrator": "rk4"}, "either `integrator` or"),
        ({"q": 1, "v": 0, "h": 1, "steps": 3, "method": "verlet", "resume": True}, "needs `out`"),
        ({"q": 1, "v": 0, "dt": 0.1, "steps": 3, "method": "verlet"}, "`dt` is no argument .* the time step is `h`"),
        ({"q": 1, "v": 0, "step": 0.1, "steps": 3, "method": "verlet"}, "write h=0.1 in place of `step`"),
        ({"q": 1, "v": 0, "h": 0.1, "t_end": 3, "method": "verlet"}, "the time of the end is `end`"),
        ({"q": 1, "v": 0, "h": 0.1, "n_steps": 3, "method": "verlet"}, "the number of steps is `steps`"),
    ],
)
def test_arguments_that_make_no_run_are_refused(arguments: dict[str, object], words: str) -> None:
    with pytest.raises(TypeError, match=words):
        stationary.System("x", "0.5*vx^2").run(**arguments)


def test_a_number_of_steps_is_whole() -> None:
    system = stationary.System("x", "0.5*vx^2")
    for steps in (10.7, float("nan"), float("inf"), "10", True):
        with pytest.raises(ValueError, match="`steps` must be a whole number"):
            system.run(q=1, v=0, h=0.1, steps=steps, method="verlet")
    assert len(system.run(q=1, v=0, h=0.1, steps=1e1, method="verlet").t) == 11


def test_energy_steps_option_is_accepted() -> None:
    system = stationary.System("x", "0.5*vx^2 - 0.5*x^2")
    assert len(system.run(q=1, v=0, h=0.1, end=1, method="midpoint", step="energy").t) > 5


def test_misspelt_argument_is_refused_as_an_unknown_option() -> None:
    with pytest.raises(InputError, match="did you mean `stages`"):
        stationary.System("x", "0.5*vx^2").run(q=1, v=0, h=0.1, steps=3, method="gauss", stagse=2)
