"""The package as such: what it imports, and its types."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import stationary

# Modules besides its own that importing it may load.
MOST_MODULES = 40
HEAVY = "sympy pandas matplotlib pyvista meshio scipy IPython concurrent.futures.thread tomllib asyncio".split()


def test_import_of_the_package_loads_only_numpy() -> None:
    code = "import numpy, sys; before = set(sys.modules); import stationary; print(*(set(sys.modules) - before))"
    imported = set(subprocess.check_output([sys.executable, "-c", code], text=True).split())
    assert not imported & set(HEAVY), imported & set(HEAVY)
    # Its own modules and a few of Python's: this is what importing it costs.
    others = {name for name in imported if name.split(".")[0] != "stationary"}
    assert len(others) <= MOST_MODULES and {name.split(".")[0] for name in others} <= {"numpy", *sys.stdlib_module_names}, others


def test_every_public_name_has_documentation_and_the_package_a_version() -> None:
    for name in stationary.__all__:
        assert getattr(stationary, name).__doc__, name
    assert stationary.__version__ == stationary._core.__version__ and stationary.__version__[0].isdigit()


def test_missing_optional_packages_are_named_in_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("pandas", "matplotlib.pyplot", "pyvista"):
        monkeypatch.setitem(sys.modules, module, None)
    r = stationary.run("block", {"end": 1e-4})
    for action, package in ((r.to_pandas, "pandas"), (r.plot, "matplotlib"), (r.to_pyvista, "pyvista")):
        with pytest.raises(ImportError, match=f"pip install {package}"):
            action()


def test_user_code_passes_a_strict_type_check(tmp_path: Path) -> None:
    pytest.importorskip("mypy")
    (tmp_path / "user.py").write_text(
        """
import numpy as np
import stationary

s = stationary.System(["x"], "0.5*vx^2 - 0.5*x^2", parameters={"k": 1.0})
r: stationary.Result = s.run(q=[0.74], v=np.zeros(1), h=0.1, steps=100, method="gauss", stages=2)
worst: float = max(abs(c.worst) for c in r.conserved)
energy: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = r.energy
mesh = stationary.Mesh([[0, 0], [1, 0], [0, 1]], {"triangle": [[0, 1, 2]]}, {"left": [0, 2]})
solid = stationary.Solid(mesh, material={"a": {"law": "linear", "young": 1, "poisson": 0, "density": 1}})
sim: stationary.SolidSimulation = solid.start(method="avi", fraction=0.1)
sim.advance(until=0.1)
sim.v = -sim.v
any_kind: list[stationary.Simulation] = [sim, s.start(q=[0.74], v=0, h=0.1, method="verlet")]
row: dict[str, float] = any_kind[1].row
any_kind[1].set(q=np.ones(1), v=[0])
table = stationary.sweep(s, {"parameters.k": [1, 2]}, q=1, v=0, h=0.1, steps=10, method="verlet").table()
try:
    stationary.run("pendulum", {"end": 1})
except stationary.InputError as error:
    print(error.line, error.message)
"""
    )
    (tmp_path / "wrong.py").write_text("import stationary\nstationary.run('a').energi\nstationary.Stop().set(1)\n")
    # Minutes without a cache: MYPY_CACHE_DIR names one.
    command = [sys.executable, "-m", "mypy", "--strict", "user.py", "wrong.py"]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 1 and "user.py" not in ran.stdout, ran.stdout + ran.stderr
    assert ran.stdout.count("wrong.py") == ran.stdout.count("error:") == 2 and "energi" in ran.stdout
