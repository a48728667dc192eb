"""Systems of every kind moved on by hand: they have the bits of runs, and their state can be read, set, kept and taken up."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from conftest import same_bits

import stationary
from stationary import InputError, Interrupted, RunError, Scenario, Simulation


def pendulum() -> Simulation:
    return stationary.System("theta", "0.5*vtheta^2 + cos(theta)").start(q=1.0, v=0.0, h=0.1, method="verlet")


def oscillator() -> Simulation:
    system = stationary.System("x", hamiltonian="0.5*(px^2 + x^2)")
    return system.start(q=1.0, p=0.5, h=0.1, method="gauss", stages=2)


def wells() -> Simulation:
    system = stationary.System("x", "0.5*vx^2 - 0.5*(x^4 - x^2)")
    return system.start(q=0.995, next_q=0.995, h=0.1, method="midpoint", step="energy", largest=5)


def top() -> Simulation:
    body = stationary.RigidBody(inertia=[1, 2, 2.5], mass=2, angular_velocity=[0.1, 1, 0.2], velocity=[1, 0, 0])
    return body.start(h=0.05, order=4)


def table() -> Simulation:
    ball = {"shape": "disc", "radius": 0.1, "count": 5, "position": ["0.3*i + 0.4", 1], "velocity": [1, 0.3]}
    return stationary.Bodies({"ball": ball}, wall={"table": {"box": [[0, 0], [4, 2]]}}).start(h=0.02)


def slab() -> Simulation:
    return Scenario.open("slab").start()


KINDS = [pendulum, oscillator, wells, top, table, slab]
Start = Callable[[], Simulation]


def same(a: Simulation, b: Simulation) -> bool:
    values = [np.array(list(s.row.values())) for s in (a, b)]
    parts = all(same_bits(getattr(a, k), getattr(b, k)) for k in "qvp")
    return a.t == b.t and a.moves == b.moves and list(a.row) == list(b.row) and same_bits(*values) and parts


@pytest.mark.parametrize("start", KINDS)
def test_simulation_in_pieces_has_the_bits_of_one_advance_and_of_the_run(start: Start) -> None:
    once, often = start(), start()
    end = 0.02 if start is slab else 2.0
    once.advance(until=end)
    for part in (0.3, 0.31, 0.7, 1.0):
        often.advance(until=part * end)
        assert often.q.size and repr(often) and "<table>" in often._repr_html_()
    assert same(once, often)
    if start is slab:
        return
    series = once.scenario.replace({"end": 2.5, "output.every": 1}).run()
    at = int(np.flatnonzero(series["t"] == once.t)[0])
    for name, value in once.row.items():
        assert same_bits(np.array([value]), series[name][at : at + 1]), name


@pytest.mark.parametrize("start", KINDS)
def test_a_simulation_is_saved_restored_and_pickled_to_the_bit(start: Start, tmp_path: Path) -> None:
    sim = start()
    step = 0.004 if start is slab else 0.5
    sim.advance(by=step)
    sim.set(q=sim.q)
    sim.advance(by=step)
    sim.save(tmp_path / "state")
    restored, pickled = start(), pickle.loads(pickle.dumps(sim))
    restored.restore(tmp_path / "state")
    for other in (restored, pickled):
        assert same(sim, other)
    for each in (sim, restored, pickled):
        each.advance(by=step)
    assert same(sim, restored) and same(sim, pickled) and type(pickled) is type(sim)


@pytest.mark.parametrize("start", [pendulum, wells, top, table, slab])
def test_simulation_state_is_set_by_assignment(start: Start) -> None:
    sim = start()
    sim.advance(by=0.004 if start is slab else 0.5)
    t, q = sim.t, sim.q.copy()
    sim.v = 0.0 * sim.v
    assert sim.t == t and np.allclose(sim.q, q, atol=1e-12) and np.abs(sim.v).max() < 1e-9
    sim.q = sim.q
    with pytest.raises(ValueError):
        sim.v[...] = 1
    with pytest.raises(ValueError, match="finite"):
        sim.v = np.nan * sim.v
    with pytest.raises((ValueError, InputError)):
        sim.set(q=np.zeros(3 * sim.q.size))
    assert sim.t == t and np.allclose(sim.q, q, atol=1e-12)


def test_simulation_from_a_set_state_equals_a_run_from_there() -> None:
    sim = pendulum()
    sim.advance(until=1.0)
    sim.set(q=0.3, v=[-0.7])
    sim.advance(until=3.0)
    system = stationary.System("theta", "0.5*vtheta^2 + cos(theta)")
    run = system.run(q=0.3, v=-0.7, h=0.1, start=1.0, end=3.0, method="verlet")
    assert run.t[-1] == sim.t and run.q[-1] == sim.q and run.energy[-1] == sim.row["energy"]


def test_simulation_of_a_hamiltonian_updates_velocities_when_momenta_are_set() -> None:
    sim = oscillator()
    with pytest.raises(InputError, match="Hamiltonian"):
        sim.v = [1.0]
    assert sim.p[0] == 0.5 and sim.v[0] == 0.5


def test_simulation_continues_from_the_checkpoint_of_an_interrupted_run(tmp_path: Path) -> None:
    scenario = Scenario.open("pendulum", {"end": 1e6})
    stop = stationary.Stop()
    with pytest.raises(Interrupted):
        scenario.run(out=tmp_path, stop=stop, progress=lambda _: stop.set())
    sim, whole = scenario.start(), scenario.start()
    sim.restore(tmp_path / "checkpoint")
    assert sim.t > 0
    whole.advance(until=sim.t)
    assert same(sim, whole)


def test_simulation_that_fails_keeps_its_last_good_state() -> None:
    sim = stationary.System("x", "0.5*vx^2 - x", probe={"root": "sqrt(x)"}).start(q=1, v=0, h=0.01, method="verlet")
    with pytest.raises(RunError) as caught:
        sim.advance(until=5)
    assert caught.value.result is sim and caught.value.time == sim.t and 0 < sim.q[0] < 0.05
    sim.v = [0.5]
    sim.advance(by=0.2)


def test_a_simulation_goes_on_after_it_was_stopped() -> None:
    stop = stationary.Stop()
    stop.set()
    sim, whole = table(), table()
    with pytest.raises(Interrupted) as caught:
        sim.advance(until=1.0, stop=stop)
    assert caught.value.result is sim
    sim.advance(until=1.0)
    whole.advance(until=1.0)
    assert same(sim, whole)


def test_simulation_refuses_wrong_end_times() -> None:
    sim = pendulum()
    with pytest.raises(TypeError, match="either"):
        sim.advance()
    with pytest.raises(TypeError, match="either"):
        sim.advance(1.0, 2.0)
    sim.advance(until=0.3)
    sim.advance(until=0.3)
    sim.advance(by=1)
    with pytest.raises(InputError, match="cannot go back"):
        sim.advance(until=0.5)
    with pytest.raises(TypeError, match="where does the system start"):
        stationary.System("x", "0.5*vx^2").start(h=0.1, method="verlet")
