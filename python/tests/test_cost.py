"""What Python adds to a run: nothing that can be measured."""

import resource
import time
from pathlib import Path

from conftest import Program

import stationary

CHANGES = {"end": 50_000, "step": 0.05, "output.every": 1000}


def test_a_million_steps_cost_what_they_cost_the_program(program: Program, tmp_path: Path) -> None:
    scenario = stationary.Scenario.open("kepler", CHANGES)
    assert scenario.run(keep=False).summary["moves"] == 1_000_000
    command = ["run", "kepler", "--quiet", "--out", "program"]
    command += [part for key, value in CHANGES.items() for part in ("--set", f"{key}={value}")]

    def children() -> float:
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        return used.ru_utime + used.ru_stime

    # Processor time of both, in turns and the best of each, since machines are shared.
    ours = theirs = float("inf")
    for _ in range(12):
        began = time.process_time()
        scenario.run(out=tmp_path / "python")
        ours = min(ours, time.process_time() - began)
        began = children()
        assert program(*command).returncode in (0, 1)
        theirs = min(theirs, children() - began)
        if ours < 1.01 * theirs:
            return
    raise AssertionError(f"{ours:.3f} s from Python, {theirs:.3f} s from the program")
