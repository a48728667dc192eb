"""Control: Ctrl-C comes back with the state whole, and runs leave Python free."""

from __future__ import annotations

import code
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import same_bits
from test_solid import free

import stationary
from stationary import Interrupted, Stop, System

LONG = {"end": 1e9, "output.every": 1_000_000, "claim": []}

# A safety limit against waiting for ever: no test depends on how long anything takes.
PATIENCE = 600.0


def interrupted(action: Callable[[Callable[[object], None]], object]) -> Interrupted:
    """What Ctrl-C raises in an action, pressed once the action has told its progress to the function that it is given."""
    begun = threading.Event()

    def press() -> None:
        assert begun.wait(PATIENCE)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(Interrupted) as caught:
        action(lambda told: begun.set())
    thread.join()
    return caught.value


@pytest.mark.parametrize("name, changes", [("pendulum", LONG), ("heavy-top", LONG), ("disc-box", {"end": 1e7, "claim": []})])
def test_ctrl_c_returns_the_partial_result_of_a_run(name: str, changes: dict[str, object]) -> None:
    scenario = stationary.Scenario.open(name, changes)
    error = interrupted(lambda told: scenario.run(progress=told))
    result = error.result
    assert result.interrupted and not result.ok and len(result) >= 1 and not result.summary["finished"]
    assert isinstance(error, KeyboardInterrupt) and "ended early" in str(error)
    # Nothing is left behind: the next run is whole.
    assert stationary.run("pendulum", {"end": 1}).ok


def test_ctrl_c_interrupts_between_rows_that_are_far_apart() -> None:
    error = interrupted(lambda told: free().run(end=1e6, rows=2, frames=1, progress=told))
    assert error.result.interrupted and 0 <= error.result.t[-1] < 1e6


def run_alone(code: str, **environment: str) -> str:
    """What a program prints that an interpreter of its own runs."""
    more = {**os.environ, **environment}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=PATIENCE, env=more)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_ctrl_c_before_the_first_step_keeps_the_initial_row() -> None:
    # The solid is still being built when the signal comes; the first thing that a process makes of NumPy follows. A signal
    # that comes before the run is one of Python's: then once more.
    code = """
import os, signal, stationary, threading
scenario = stationary.Scenario.open("graded-cube", {"end": 100})
while True:
    try:
        threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
        scenario.run()
    except stationary.Interrupted as error:
        # A preparation that is given up has no result; a run that had begun has its first row.
        print(error.result is None or error.result.interrupted and len(error.result) > 0)
        break
    except KeyboardInterrupt:
        pass
"""
    assert run_alone(code) == "True\n"


def test_an_interrupted_run_resumes_to_the_same_bits(tmp_path: Path) -> None:
    # In an interpreter in which progress is told at every opportunity, however fast the machine (`stationary::failpoint`).
    code = f"""
import os, signal, stationary
import numpy as np
changes = {{"end": 20, "output.every": 10, "claim": []}}
whole = stationary.run("pendulum", changes)
looks = []
def press(told):
    looks.append(told["time"])
    if len(looks) == 5:
        os.kill(os.getpid(), signal.SIGINT)
try:
    stationary.run("pendulum", changes, out={str(tmp_path)!r}, progress=press)
except stationary.Interrupted as error:
    print(os.path.exists({str(tmp_path / "checkpoint")!r}), 0 < error.result.t[-1] < whole.t[-1])
resumed = stationary.run("pendulum", changes, out={str(tmp_path)!r}, resume=True)
print(np.array_equal(resumed.table.view(np.uint64), whole.table.view(np.uint64)))
"""
    assert run_alone(code, STATIONARY_FAILPOINT="always") == "True True\nTrue\n"


def test_a_simulation_goes_on_after_ctrl_c_to_the_same_bits() -> None:
    sim = free().start()
    error = interrupted(lambda told: sim.advance(until=1e6, progress=told))
    assert error.result is sim and 0 < sim.t < 1e6 and np.isfinite(sim.x).all()
    until = sim.t + 10.0
    whole = free().start()
    whole.advance(until=until)
    sim.advance(until=until)
    assert sim.energy == pytest.approx(whole.energy, rel=0.1)
    assert sim.t == whole.t and same_bits(sim.x, whole.x) and same_bits(sim.v, whole.v)


def test_stop_ends_a_run_in_another_thread() -> None:
    stop, begun, caught = Stop(), threading.Event(), []

    def run() -> None:
        try:
            stationary.Scenario.open("pendulum", LONG).run(stop=stop, progress=lambda told: begun.set())
        except Interrupted as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert begun.wait(PATIENCE)
    stop.set()
    thread.join(PATIENCE)
    assert not thread.is_alive() and caught and stop.is_set()


def test_python_threads_continue_during_a_run() -> None:
    # A run that kept the interpreter to itself would never let the thread count, and so never end.
    code = f"""
import stationary, threading, time
stop = stationary.Stop()
def count():
    for _ in range(1000):
        time.sleep(0)
    stop.set()
threading.Thread(target=count).start()
try:
    stationary.Scenario.open("pendulum", {LONG!r}).run(stop=stop)
except stationary.Interrupted:
    print("counted")
"""
    assert run_alone(code) == "counted\n"


def test_two_runs_proceed_at_the_same_time() -> None:
    # Each waits on its way for the other: if one began when the other was over, both would wait in vain.
    scenario, stop, both, ended = stationary.Scenario.open("pendulum", LONG), Stop(), threading.Barrier(2), []

    def meet(told: object) -> None:
        both.wait(PATIENCE)
        stop.set()

    def run() -> None:
        try:
            scenario.run(stop=stop, progress=meet)
        except Interrupted as error:
            ended.append(error)

    threads = [threading.Thread(target=run) for _ in range(2)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert len(ended) == 2 and all(error.result.interrupted for error in ended)


def test_runs_in_threads_have_the_bits_of_runs_alone() -> None:
    def run(k: int) -> np.ndarray:
        return System("x", "0.5*vx^2 - 0.5*k*x^2", parameters={"k": k + 1}).run(
            q=1, v=0, h=0.01, steps=5000, method="verlet"
        ).table

    alone = [run(k) for k in range(4)]
    together: list[np.ndarray | None] = [None] * 4

    def into(k: int) -> None:
        together[k] = run(k)

    threads = [threading.Thread(target=into, args=(k,)) for k in range(4)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert all(same_bits(a, b) for a, b in zip(alone, together))
    assert not same_bits(alone[0], alone[1])


CAUGHT = "import stationary; raise stationary.Interrupted('the run ended early', 7)"


def test_interactive_interpreter_keeps_the_partial_result_of_an_interrupted_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "last_value", None, raising=False)
    code.InteractiveInterpreter().runcode(compile(CAUGHT, "<input>", "exec"))
    assert sys.last_value.result == 7 and "the run ended early" in capsys.readouterr().err


def test_notebook_keeps_the_partial_result_of_an_interrupted_run(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    monkeypatch.setattr(sys, "last_value", None, raising=False)
    shell.run_cell(CAUGHT)
    assert sys.last_value.result == 7


def test_stop_flag_set_before_a_run_ends_it_before_its_first_step() -> None:
    """Also while it is prepared: what has been reached is then nothing."""
    stop = Stop()
    stop.set()
    scenario = stationary.Scenario.open("lattice", LONG)
    with pytest.raises(Interrupted) as caught:
        scenario.run(stop=stop)
    assert caught.value.result is None and "before the first step" in str(caught.value)
    assert isinstance(caught.value, KeyboardInterrupt)


def test_error_messages_escape_control_characters() -> None:
    with pytest.raises(stationary.InputError) as caught:
        stationary.Scenario.open("kepler", {"titel": "\x1b[31m\x9b0m\u202e"})
    assert not any(c in str(caught.value) for c in "\x1b\x9b\u202e")
