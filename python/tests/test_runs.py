"""Runs: the bits of the program, the values of analysis, files and checkpoints."""

from __future__ import annotations

import importlib.util
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from conftest import Program, read_series, same_bits

import stationary
from stationary import Bodies, Result, RigidBody, Scenario, Solid, System

RUBBER = {"rubber": {"law": "neo-hookean", "young": 5e6, "poisson": 0.3, "density": 1000}}


def square(n: int = 4) -> stationary.Mesh:
    """A square of triangles with named sides, at coordinates that no short text has."""
    X, Y = np.meshgrid(*2 * (np.linspace(0, 1, n + 1) ** 1.3,))
    a = (np.arange(n)[:, None] * (n + 1) + np.arange(n)).ravel()
    cells = np.concatenate([np.stack([a, a + 1, a + n + 2], 1), np.stack([a, a + n + 2, a + n + 1], 1)])
    mesh = stationary.Mesh(np.stack([X.ravel(), Y.ravel()], 1), {"triangle": cells})
    mesh.add_group("left", nodes=mesh.nodes(lambda P: P[:, 0] == 0))
    mesh.add_group("right", nodes=mesh.nodes(lambda P: P[:, 0] == 1))
    mesh.add_group("body", cells={"triangle": np.arange(len(cells))})
    return mesh


SYSTEMS = {
    "formula": System(["x"], "0.5*vx^2 - 0.5*(x^4 - x^2)", probe={"twice": "2*x"}).scenario(
        q=[0.74], v=[0.0], h=0.1, steps=500, method="gauss", stages=2
    ),
    "numbers": System("x y", "0.5*(vx^2 + vy^2) + k/sqrt(x^2 + y^2)", parameters={"k": np.float64(1) / 3}).scenario(
        q={"x": 1 - np.pi / 10, "y": 0}, p=np.array([0.1, 1 / 7]), h=np.pi / 200, steps=300, method="verlet", order=4
    ),
    "constraints": System(
        "x y", "0.5*(vx^2 + vy^2) - 9.81*y", constraint="x^2 + y^2 - 1", symmetry={"turn": ["-y", "x"]}
    ).scenario(q=["sin(2)", "-cos(2)"], v=[0, 0], h=0.01, end=3, method="verlet"),
    "forces": System("theta", "0.5*vtheta^2 + cos(theta)", force=["-0.1*vtheta + 0.5*cos(0.7*t)"]).scenario(
        q=0.2, v=0, h=0.05, steps=400, method="gauss", observe="symplectic"
    ),
    "gaps": System(
        "x y",
        "0.5*(vx^2 + vy^2) - 9.81*y",
        gap=[{"gap": "y", "name": "floor", "restitution": 0.9, "friction": 0.1}, "1 - x", "x + 1"],
        simultaneous="sequence",
    ).scenario(q=[0, 1], v=[1.5, 0], h=0.01, end=3, method="verlet"),
    "energy steps": System("x", "0.5*vx^2 - 0.5*(x^4 - x^2)").scenario(
        q=0.74, v=0, h=0.05, steps=300, method="midpoint", step="energy", smallest=0.1
    ),
    "hamiltonian": System(
        ["x1", "y1", "x2", "y2"],
        hamiltonian="-2*log((x1 - x2)^2 + (y1 - y2)^2)/(4*pi)",
        one_form=["y1", 0, "2*y2", 0],
    ).scenario(q=[1, 0, -0.5, 0], h=0.2, steps=100, method="midpoint"),
    "reduced": System("r phi", "0.5*(vr^2 + r^2*vphi^2) + 1/r", reduce="phi").scenario(
        q=[1, 0], v=[0, 1.1], h=0.05, steps=200, method="gauss"
    ),
    "many coordinates": System(
        "n", "0.5*sum(k = 0..n-1, v[k]^2) - 0.5*sum(k = 0..n-1, (q[mod(k+1, n)] - q[k])^2)", parameters={"n": 12}
    ).scenario(q="0.1*sin(2*pi*i/n)", v=[0.1, -0.1], h=0.1, steps=100, method="verlet"),
    "two positions": System("x", "0.5*vx^2 - 0.5*x^2").scenario(q=1, next_q=0.99, h=0.1, steps=100, method="midpoint"),
    "rigid body": RigidBody(
        inertia=[0.11, 0.11, 0.03],
        fixed=True,
        orientation={"axis": [1, 0, 0], "angle": 0.6},
        angular_velocity=[0, 0, 60],
        potential="3*R33",
        probe={"nutation": "acos(R33)"},
    ).scenario(h=0.01, steps=200, order=4),
    "bodies": Bodies(
        {
            "star": {"shape": "polygon", "vertices": [[0, 0], [0.5, 0], [0, 0.5]], "position": [1, 1], "velocity": [1, 0.3]},
            "ball": {"shape": "disc", "radius": 0.15, "count": 3, "position": ["3.4 - 0.1*mod(i, 2)", "0.5*(i + 1)"]},
        },
        wall={"table": {"box": [[0, 0], [4, 2]]}},
    ).scenario(h=0.02, end=10),
    "solid": Solid(
        square(),
        material={"rubber": {"group": "body", **RUBBER["rubber"]}},
        support={"wall": {"group": "left", "fixed": True}},
        load={"pull": {"group": "right", "traction": [1e4, "1e3*sin(200*t)"]}, "weight": {"acceleration": [0, -9.81]}},
        probe={"tip": {"at": [1, 1], "value": "y - Y"}},
    ).scenario(end=0.05, rows=30, steps="free", rule="courant", fraction=0.1),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_run_has_the_bits_of_the_program(name: str, program: Program) -> None:
    scenario = SYSTEMS[name]
    scenario.save(program.folder / "it.toml")
    columns, table = program.series("it.toml")
    result = scenario.run()
    assert result.columns == columns and len(table) > 10
    assert same_bits(result.table, table)
    summary = json.loads((program.folder / "out/summary.json").read_text())
    # Nodes of arrays are counted from one, points of the VTU file that the program reads from zero.
    [own, theirs] = [Result.numbers(r) for r in (result, Other(summary))]  # type: ignore[arg-type]
    assert {k: v for k, v in own.items() if k != "probe.tip.node"} == {k: v for k, v in theirs.items() if k != "probe.tip.node"}


class Other:
    """A summary that did not come from a result."""

    def __init__(self, summary: object) -> None:
        self.summary = summary


def test_impacts_and_sections_are_those_of_the_program(program: Program) -> None:
    ball = {"end_impacts": 40, "claim": []}
    program.series("particle-bounce", *(f"--set={k}={v}" for k, v in ball.items()))
    result = stationary.run("particle-bounce", ball)
    rows = [line.split(",") for line in (program.folder / "out/impacts.csv").read_text().splitlines()]
    assert result.impacts is not None and list(result.impacts) == rows[0]
    assert [float(row[0]) for row in rows[1:]] == result.impacts["time"].tolist()
    assert [row[1] for row in rows[1:]] == list(result.impacts["gap"])
    program.series("henon-heiles", "--set=end=200", "--set=claim=[]")
    columns, table = read_series(program.folder / "out/sections.csv")
    section = stationary.run("henon-heiles", {"end": 200, "claim": []}).section
    assert section is not None and section.columns == columns and same_bits(section.table, table) and len(table) > 10


@pytest.mark.parametrize("steps, h", [(n, h) for n in (1, 3, 10, 999, 12345) for h in (0.1, 0.7, 1 / 3, 1e-5, np.pi)])
def test_run_makes_the_requested_number_of_steps(steps: int, h: float) -> None:
    result = System("x", "0.5*vx^2").run(q=0, v=1, h=h, steps=steps, method="verlet", start=0.1)
    assert result.summary["moves"] == steps and len(result) == steps + 1


def test_run_of_a_system_with_hundreds_of_coordinates() -> None:
    n = 500
    ring = System(
        n, "0.5*sum(i = 0..n-1, v[i]^2) - 0.5*sum(i = 0..n-1, (q[mod(i+1, n)] - q[i])^2)", parameters={"n": n}
    )
    turn = 2 * np.pi * np.arange(n) / n
    r = ring.run(q=np.sin(4 * turn), v=np.zeros(n), h=0.1, steps=10, method="verlet")
    # A standing wave, which the steps keep, slower by their dispersion.
    assert r.q.shape == (11, n) and r.t[-1] == pytest.approx(1)
    frequency = 2 / 0.1 * np.arcsin(0.1 * np.sin(4 * np.pi / n))
    assert np.abs(r.q - np.cos(frequency * r.t)[:, None] * np.sin(4 * turn)).max() < 1e-12
    assert r.coordinates[-1] in r.columns and np.shares_memory(r.q, r.table)


def test_step_given_as_a_formula_makes_the_expected_number_of_steps() -> None:
    assert len(System("x", "0.5*vx^2").run(q=0, v=1, h="2*pi/7", steps=700, method="verlet")) == 701


def test_oscillator_agrees_with_the_analytical_solution() -> None:
    errors = []
    for h in (0.1, 0.05):
        r = System("x", "0.5*vx^2 - 0.5*x^2").run(q=1.0, v=0.0, h=h, end=10, method="gauss", stages=2)
        errors.append(np.abs(r.q[:, 0] - np.cos(r.t)).max())
        assert np.abs(r.energy - 0.5).max() < 1e-12
    assert 13 < errors[0] / errors[1] < 19


def test_result_arrays_are_views_of_one_table() -> None:
    r = System("x y", "0.5*(vx^2 + vy^2) - x^2 - y^2", symmetry={"turn": ["-y", "x"]}).run(
        q=[1, 0], v=[0, 1], h=0.1, steps=50, method="verlet"
    )
    for view in (r.t, r.q, r.v, r.p, r.energy, r["momentum.turn"]):
        assert np.shares_memory(view, r.table)
    assert r.table.flags.c_contiguous and r.q.shape == r.v.shape == r.p.shape == (51, 2)
    if importlib.util.find_spec("pandas"):
        assert np.shares_memory(r.to_pandas().to_numpy(), r.table)
    assert (r.q[:, 1] == r["y"]).all() and (r.p == r.v).all()
    with pytest.raises(KeyError, match="no column `momentum`; there are t, x"):
        r["momentum"]
    with pytest.raises(AttributeError, match="no `orientation`"):
        r.orientation
    with pytest.raises(AttributeError, match=r"disc-0\.x, .* more$"):
        stationary.run("disc-box", {"end": 1, "claim": []}).q


def test_sympy_and_text_make_the_same_run() -> None:
    sympy = pytest.importorskip("sympy")
    t, l = sympy.Symbol("t"), sympy.Symbol("l")
    theta = sympy.Function("theta")(t)
    lagrangian = l**2 * theta.diff(t) ** 2 / 2 + sympy.Float(9.81) * l * sympy.cos(theta)
    made = System([theta], lagrangian, parameters={l: 2}).run(q={theta: 1}, v=[0], h=0.01, steps=500, method="verlet")
    text = System("theta", "l^2*vtheta^2/2 + 9.81*l*cos(theta)", parameters={"l": 2}).run(
        q=1, v=0, h=0.01, steps=500, method="verlet"
    )
    assert np.abs(made.q - text.q).max() < 1e-12 and np.abs(made.q).max() > 0.9


def test_overrides_replace_values_of_the_scenario_file(tmp_path: Path) -> None:
    SYSTEMS["formula"].save(tmp_path / "it.toml")
    r = stationary.run(tmp_path / "it.toml", {"end": 5, "integrator": {"method": "verlet"}, "initial.position.0": 0.5})
    assert r.t[-1] == pytest.approx(5) and r.q[0, 0] == 0.5 and r.summary["integrator"] == "verlet"
    assert "initial.position.0=0.5" in r.summary["overrides"] and "stages" in r.scenario
    assert stationary.run(Scenario.open(tmp_path / "it.toml"), {"step": 0.2}).t[1] == 0.2


def test_claims_of_a_scenario_are_checked_against_the_run() -> None:
    r = stationary.run("pendulum", {"end": 1, "claim": ["energy.max_relative_error < 1e-30", "moves > 0"]})
    assert [c.holds for c in r.claims] == [False, True] and not r.ok and "claim failed" in repr(r)


def test_result_has_text_and_html_representations() -> None:
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    r = stationary.run("pendulum", {"end": 10})
    assert "energy" in repr(r) and "<script" not in r._repr_html_() and "<svg" in r._repr_html_()
    assert r.html().lstrip().lower().startswith("<!doctype html>")
    shown = r.show(height=300)._repr_html_()
    assert shown.startswith("<iframe") and "height:300px" in shown and shown.count('"') == 4
    lines = r.plot().axes[0].lines
    assert [line.get_label() for line in lines] == ["theta"] and (lines[0].get_ydata() == r["theta"]).all()
    assert np.abs(r.plot().axes[1].lines[0].get_ydata()).max() <= r.summary["energy"]["max_relative_error"] * 1.001
    assert [line.get_label() for line in r.plot("vtheta", "energy").axes[0].lines] == ["vtheta", "energy"]


def test_result_converts_to_a_pandas_table() -> None:
    pytest.importorskip("pandas")
    r = stationary.run("pendulum", {"end": 10})
    frame = r.to_pandas()
    assert list(frame) == r.columns and (frame["theta"].to_numpy() == r["theta"]).all()


def clockless(text: str) -> str:
    """A page without the time that the run took."""
    return re.sub(r"wall time</dt><dd>[^<]*", "", text)


def test_run_writes_the_files_of_the_program(program: Program, tmp_path: Path) -> None:
    here = tmp_path / "here"
    r = stationary.run("pendulum", {"end": 10}, out=here)
    program.series("pendulum", "--set=end=10")
    for file in ("series.csv", "report.html"):
        ours, theirs = (clockless((folder / file).read_text()) for folder in (here, tmp_path / "out"))
        assert ours == theirs, file
    assert sorted(Path(f).name for f in r.files) == ["report.html", "series.csv", "summary.json"]


def test_resume_of_a_finished_run_does_not_run_again(tmp_path: Path) -> None:
    stationary.run("pendulum", {"end": 10}, out=tmp_path)
    again = stationary.run("pendulum", {"end": 10}, out=tmp_path, resume=True)
    assert "nothing was left to do" in " ".join(again.notes)


@pytest.mark.parametrize("name", SYSTEMS)
def test_scenarios_and_results_pickle(name: str) -> None:
    scenario = pickle.loads(pickle.dumps(SYSTEMS[name]))
    ours, theirs = SYSTEMS[name].run(), scenario.run()
    assert same_bits(ours.table, theirs.table)
    copy = pickle.loads(pickle.dumps(ours))
    assert same_bits(copy.table, ours.table) and copy.summary == ours.summary and copy.html() == ours.html()
    assert copy.conserved == ours.conserved and copy._repr_html_() == ours._repr_html_() and repr(copy) == repr(ours)


def test_systems_pickle() -> None:
    system = System("x", "0.5*vx^2 - 0.5*x^2")
    run = dict(q=1, v=0, h=0.1, steps=10, method="verlet")
    assert same_bits(pickle.loads(pickle.dumps(system)).run(**run).table, system.run(**run).table)


def test_check_and_explain_energy_return_text(program: Program) -> None:
    scenario = Scenario.open("pendulum", {"end": 100})
    first, _, told = program("check", "pendulum", "--set=end=100").stdout.partition("\n")
    assert "valid" in first and scenario.check().strip() == told.strip()
    told, energy = program("explain-energy", "pendulum", "--set=end=100").stdout, scenario.explain_energy()
    assert energy["order"] == 2 and energy["method"] in told and all(formula in told for _, formula, _ in energy["terms"])
    assert len(energy["rows"]) > 1 and energy["rows"][1][1] < energy["rows"][0][1]


def test_run_reports_progress() -> None:
    seen: list[dict[str, object]] = []
    stationary.run("pendulum", {"end": 20000}, progress=seen.append)
    assert seen and all(isinstance(s, dict) for s in seen)


def test_exception_in_a_progress_callback_ends_the_run() -> None:
    def fails(_: object) -> None:
        raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        stationary.run("pendulum", {"end": 1e6, "output.every": 100000}, progress=fails)


def test_list_of_shipped_scenarios_is_that_of_the_program() -> None:
    assert {"pendulum", "kepler", "block"} <= set(stationary.shipped())
    assert "properties" in json.loads(stationary.schema()) or "oneOf" in json.loads(stationary.schema())
