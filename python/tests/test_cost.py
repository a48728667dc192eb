"""What Python adds to a run: nothing that can be measured."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Program

OURS = """
import stationary, sys
stationary.run("kepler", {"end": sys.argv[1], "step": 0.05, "output.every": 1000}, out="python")
"""


def test_steps_from_python_cost_what_they_cost_the_program(program: Program, tmp_path: Path) -> None:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("valgrind, which counts instructions, is not installed")

    def instructions(*command: str) -> int:
        counted = [valgrind, "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null", *command]
        # Clocks decide nothing: how often progress is told, and what that costs, would depend on the load of the machine.
        environment = {
            **os.environ,
            "PYTHONHASHSEED": "0",
            "STATIONARY_FAILPOINT": "never",
            # The idle threads of NumPy's linear algebra spin, for as long as the run happens to take.
            "OPENBLAS_NUM_THREADS": "1",
        }
        told = subprocess.run(counted, cwd=tmp_path, env=environment, capture_output=True, text=True).stderr
        found = re.search(r"I\s+refs:\s+([\d,]+)", told)
        assert found, told
        return int(found[1].replace(",", ""))

    def ours(end: int) -> int:
        return instructions(sys.executable, "-c", OURS, str(end))

    def theirs(end: int) -> int:
        set_ = ["--set", f"end={end}", "--set", "step=0.05", "--set", "output.every=1000"]
        return instructions(program.path, "run", "kepler", "--quiet", "--out", "program", *set_)

    # Of 50,000 steps, less what comes before and after: a run of a million is twenty times that.
    assert ours(5000) - ours(2500) < 1.01 * (theirs(5000) - theirs(2500))
