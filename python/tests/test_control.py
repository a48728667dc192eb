"""Control: Ctrl-C comes back at once with the state whole, and runs leave Python free."""

from __future__ import annotations

import code
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import same_bits
from test_solid import free

import stationary
from stationary import Interrupted, Stop, System

LONG = {"end": 1e9, "output.every": 1_000_000, "claim": []}


def interrupted(action: Callable[[], object], after: float = 0.3) -> tuple[Interrupted, float]:
    """What Ctrl-C raises in an action, and how long after it control was back."""
    pressed: list[float] = []

    def press() -> None:
        time.sleep(after)
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(Interrupted) as caught:
        action()
    back = time.perf_counter() - pressed[0]
    thread.join()
    return caught.value, back


@pytest.mark.parametrize("name, changes", [("pendulum", LONG), ("heavy-top", LONG), ("disc-box", {"end": 1e7, "claim": []})])
def test_ctrl_c_gives_control_back_with_what_was_reached(name: str, changes: dict[str, object]) -> None:
    scenario = stationary.Scenario.open(name, changes)
    error, back = interrupted(scenario.run)
    assert back < 1.0
    result = error.result
    assert result.interrupted and not result.ok and len(result) >= 1 and not result.summary["finished"]
    assert isinstance(error, KeyboardInterrupt) and "ended early" in str(error)
    # Nothing is left behind: the next run is whole.
    assert stationary.run("pendulum", {"end": 1}).ok


def test_ctrl_c_is_heard_between_rows_that_are_far_apart() -> None:
    error, back = interrupted(lambda: free().run(end=1e6, rows=2, frames=1))
    assert back < 1.0 and error.result.interrupted and 0 <= error.result.t[-1] < 1e6


def test_ctrl_c_before_the_first_step_loses_nothing() -> None:
    # The solid is still being built when the signal comes; the first thing that a process makes of NumPy follows.
    code = """
import os, signal, stationary, threading
scenario = stationary.Scenario.open("graded-cube", {"end": 100})
threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    scenario.run()
except stationary.Interrupted as error:
    print(error.result.interrupted, len(error.result) > 0)
"""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert ran.stdout == "True True\n", ran.stderr


def test_an_interrupted_run_resumes_to_the_same_bits(tmp_path: Path) -> None:
    changes = {"end": 5e3, "output.every": 10, "claim": []}
    whole = stationary.run("pendulum", changes)
    start = time.perf_counter()
    stationary.run("pendulum", changes)
    usual = time.perf_counter() - start
    error, _ = interrupted(lambda: stationary.run("pendulum", changes, out=tmp_path), 0.4 * usual)
    assert (tmp_path / "checkpoint").exists() and error.result.t[-1] < whole.t[-1]
    resumed = stationary.run("pendulum", changes, out=tmp_path, resume=True)
    assert same_bits(resumed.table, whole.table)


def test_a_simulation_goes_on_after_ctrl_c_to_the_same_bits() -> None:
    until = 1000.0
    whole = free().start()
    start = time.perf_counter()
    whole.advance(until=until)
    usual = time.perf_counter() - start
    sim = free().start()
    error, back = interrupted(lambda: sim.advance(until=until), 0.4 * usual)
    assert back < 1.0 and error.result is sim and 0 < sim.t < until
    assert np.isfinite(sim.x).all() and sim.energy == pytest.approx(whole.energy, rel=0.1)
    sim.advance(until=until)
    assert sim.t == whole.t and same_bits(sim.x, whole.x) and same_bits(sim.v, whole.v)


def test_stop_ends_a_run_in_another_thread() -> None:
    stop, caught = Stop(), []

    def run() -> None:
        try:
            stationary.Scenario.open("pendulum", LONG).run(stop=stop)
        except Interrupted as error:
            caught.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    time.sleep(0.2)
    stop.set()
    thread.join(1.0)
    assert not thread.is_alive() and caught and stop.is_set()


def test_python_goes_on_while_a_run_does() -> None:
    counted, over = [0], threading.Event()

    def count() -> None:
        while not over.is_set():
            counted[0] += 1
            time.sleep(0.001)

    thread = threading.Thread(target=count)
    thread.start()
    start = time.perf_counter()
    stationary.run("pendulum", {"end": 1e4, "output.every": 10000})
    elapsed, seen = time.perf_counter() - start, counted[0]
    over.set()
    thread.join()
    assert seen > 50 * elapsed, (seen, elapsed)


@pytest.mark.skipif((os.cpu_count() or 1) < 2, reason="one core")
def test_two_runs_share_two_cores() -> None:
    scenario = stationary.Scenario.open("pendulum", {"end": 5000, "output.every": 10000, "claim": []})

    def took(threads: int) -> float:
        workers = [threading.Thread(target=scenario.run) for _ in range(threads)]
        start = time.perf_counter()
        [worker.start() for worker in workers]
        [worker.join() for worker in workers]
        return time.perf_counter() - start

    # Two at once are quicker than one after the other, whatever else the machine does: the best of a few.
    assert any(took(2) < 0.85 * (took(1) + took(1)) for _ in range(6))


def test_runs_in_threads_are_those_alone() -> None:
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


def test_the_interpreter_keeps_what_was_interrupted(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "last_value", None, raising=False)
    code.InteractiveInterpreter().runcode(compile(CAUGHT, "<input>", "exec"))
    assert sys.last_value.result == 7 and "the run ended early" in capsys.readouterr().err


def test_a_notebook_keeps_what_was_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    shell = pytest.importorskip("IPython.core.interactiveshell").InteractiveShell()
    monkeypatch.setattr(sys, "last_value", None, raising=False)
    shell.run_cell(CAUGHT)
    assert sys.last_value.result == 7


def test_a_flag_that_is_set_ends_a_run_before_its_first_step() -> None:
    """Also while it is prepared: what has been reached is then nothing."""
    stop = Stop()
    stop.set()
    scenario = stationary.Scenario.open("lattice", LONG)
    with pytest.raises(Interrupted) as caught:
        scenario.run(stop=stop)
    assert caught.value.result is None and "before the first step" in str(caught.value)
    assert isinstance(caught.value, KeyboardInterrupt)


def test_a_message_commands_no_terminal() -> None:
    with pytest.raises(stationary.InputError) as caught:
        stationary.Scenario.open("kepler", {"titel": "\x1b[31m\x9b0m\u202e"})
    assert not any(c in str(caught.value) for c in "\x1b\x9b\u202e")
