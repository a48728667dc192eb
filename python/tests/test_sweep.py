"""Sweeps: every combination in its order, whatever the threads; on one machine and on a cluster of it."""

from __future__ import annotations

import pickle
import signal
import threading
import os
from pathlib import Path

import numpy as np
import pytest
from conftest import same_bits

import stationary
from stationary import InputError, Interrupted, Scenario, System, sweep

OVER = {"parameters.l": [0.5, 1, 2], "step": np.linspace(0.005, 0.02, 4)}
PENDULUM = System("theta", "0.5*l^2*vtheta^2 + 9.81*l*cos(theta)", parameters={"l": 1})
RUN = dict(q=1, v=0, h=0.01, end=10, method="verlet")


def test_sweep_rows_are_in_order_for_any_number_of_threads() -> None:
    one, four = (sweep(PENDULUM, OVER, jobs=jobs, **RUN) for jobs in (1, 4))
    assert [run["step"] for run in one.runs[:4]] == OVER["step"].tolist() and len(one) == 12
    for k, run in enumerate(one.runs):
        assert one[k].t[1] == pytest.approx(run["step"]) and same_bits(one[k].table, four[k].table)
    a, b = one.table(), four.table()
    assert list(a) == list(b) and all(np.array_equal(a[c], b[c], equal_nan=a[c] is not None and c not in TEXT) for c in a)
    # The energy of the longest pendulum at the smallest step is kept best.
    error = a["energy.max_relative_error"].reshape(3, 4)
    assert (np.diff(error, axis=1) > 0).all() and (np.diff(error, axis=0) < 0).all()
    assert "wall_seconds" not in a


TEXT = ("outcome", "note", "parameters.l", "step")


def test_sweep_has_the_table_of_the_program(program) -> None:  # type: ignore[no-untyped-def]
    ran = program("sweep", "pendulum", "--over=step=0.005..0.02:4", "--set=end=20", "--set=claim=[]", "--quiet", "--out=it")
    assert ran.returncode == 0, ran.stderr
    lines = (program.folder / "it/sweep.csv").read_text().splitlines()
    columns = dict(zip(lines[0].split(","), zip(*(line.split(",") for line in lines[1:]))))
    ours = sweep("pendulum", {"step": np.linspace(0.005, 0.02, 4)}, overrides={"end": 20, "claim": []}).table()
    for key in ("energy.max_relative_error", "energy.final", "moves"):
        assert [float(x) for x in columns[key]] == ours[key].tolist(), key
    assert set(ours) - {"step", "outcome", "note"} <= set(columns)


def test_sweep_accepts_lists_of_runs_and_scenarios() -> None:
    over = [{"integrator": "verlet", "step": 0.01}, {"integrator": {"method": "gauss", "stages": 2}, "step": 0.1}]
    made = sweep(Scenario.open("pendulum"), over, overrides={"end": 10, "claim": []})
    assert [r.summary["integrator"] for r in made.results if r] == ["verlet", "gauss"]
    frame = pytest.importorskip("pandas") and made.to_pandas()
    assert list(frame["outcome"]) == ["finished"] * 2 and "2 finished" in repr(made)
    shown = made._repr_html_()
    assert all(f"<th>{c}</th>" in shown for c in ("integrator", "step", "outcome", "energy.max_relative_error"))
    assert "<th>note</th>" not in shown and "time.start" not in shown


def test_sweep_records_a_stopped_run_as_a_row() -> None:
    over = {"parameters.e": [0.3, 0.95]}
    made = sweep("kepler", over, overrides={"step": 0.3, "end": 20, "integrator.stages": 4, "claim": []})
    assert made.outcomes == ["finished", "stopped"]
    table = made.table()
    assert "Newton" in table["note"][1] and table["time.end"][1] < 10 and made.results[1] is not None


def test_sweep_refuses_wrong_runs() -> None:
    with pytest.raises(InputError, match="must be a number or a formula"):
        sweep("pendulum", {"parameters.ll.x": [1, 2]})
    made = sweep("pendulum", {"step": [0.01, -1, 0.02]}, overrides={"end": 5, "claim": []})
    assert made.outcomes == ["finished", "refused", "finished"] and "step" in made.table()["note"][1]
    with pytest.raises(InputError):
        made[1]
    for wrong, words in (({"step": 0.1}, "a list of values"), ({"integrator": "verlet"}, "a list of values")):
        with pytest.raises(TypeError, match=words):
            sweep("pendulum", wrong)
    with pytest.raises(TypeError, match="no argument of sweep"):
        sweep("pendulum", {"step": [0.1]}, method="verlet")
    with pytest.raises(ValueError, match="nothing to vary"):
        sweep("pendulum", {"step": []})


def test_sweep_of_summaries_keeps_no_tables() -> None:
    full, small = (sweep(PENDULUM, OVER, keep=keep, **RUN) for keep in ("result", "summary"))
    assert all(len(r) == 0 for r in small.results if r) and all(len(r) > 100 for r in full.results if r)
    a, b = full.table(), small.table()
    assert a["energy.max_relative_error"].tolist() == b["energy.max_relative_error"].tolist()


def test_sweep_writes_files_and_reports_progress(tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    sweep(PENDULUM, {"step": [0.01, 0.02]}, out=tmp_path, progress=lambda *n: told.append(n), **RUN)
    assert (tmp_path / "0001/series.csv").exists() and (tmp_path / "0002/summary.json").exists()
    assert told[-1] == (2, 2)


def test_ctrl_c_stops_a_sweep_and_keeps_finished_runs() -> None:
    over = [{"end": 1}] * 2 + [{"end": 1e9, "output.every": 1000000}] * 6
    both_over = threading.Event()

    def press() -> None:
        assert both_over.wait(600)
        os.kill(os.getpid(), signal.SIGINT)

    def told(done: int, of: int) -> None:
        if done == 2:
            both_over.set()

    thread = threading.Thread(target=press)
    thread.start()
    with pytest.raises(Interrupted) as caught:
        sweep("pendulum", over, overrides={"claim": []}, jobs=3, progress=told)
    thread.join()
    made = caught.value.result
    assert made.outcomes == ["finished"] * 2 + ["not run"] * 6 and made[0].ok


def test_sweeps_pickle() -> None:
    made = sweep(PENDULUM, {"step": [0.01, 0.02]}, **RUN)
    copy = pickle.loads(pickle.dumps(made))
    assert copy.outcomes == made.outcomes and same_bits(copy[1].table, made[1].table)


# --- clusters ---


def final(scenario: Scenario, length: float) -> np.ndarray:
    return scenario.replace({"parameters.l": length}).run().table[-1]


LENGTHS = [0.5, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("processes", [False, True])
def test_sweep_runs_under_dask(processes: bool) -> None:
    distributed = pytest.importorskip("distributed")
    scenario = PENDULUM.scenario(**RUN)
    cluster = distributed.LocalCluster(
        n_workers=2 if processes else 1, threads_per_worker=2, processes=processes, dashboard_address=None
    )
    with cluster, distributed.Client(cluster) as client:
        remote = client.gather(client.map(final, [scenario] * 4, LENGTHS))
        whole = client.submit(lambda s: s.run(), scenario).result()
    assert all(same_bits(a, final(scenario, l)) for a, l in zip(remote, LENGTHS))
    assert same_bits(whole.table, scenario.run().table) and "energy" in whole._repr_html_()


def test_sweep_runs_under_ray() -> None:
    ray = pytest.importorskip("ray")
    scenario = PENDULUM.scenario(**RUN)

    @ray.remote
    def task(scenario: Scenario, length: float) -> np.ndarray:
        return scenario.replace({"parameters.l": length}).run().table[-1]

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        remote = ray.get([task.remote(scenario, l) for l in LENGTHS])
    finally:
        ray.shutdown()
    assert all(same_bits(a, final(scenario, l)) for a, l in zip(remote, LENGTHS))


def test_sweep_over_integrators_keeps_no_options_of_the_one_before() -> None:
    base = PENDULUM.scenario(**{**RUN, "end": 1, "method": "verlet", "order": 8})
    for change in ({"integrator": "verlet"}, {"integrator": {"method": "verlet"}}):
        assert base.replace(change).run().summary["method"]["order"] == 2
    eighth = base.replace({"integrator": {"method": "verlet", "order": 8}})
    assert eighth.run().summary["method"]["order"] == 8
    assert eighth.replace({"integrator": "verlet"}).run().summary["method"]["order"] == 2
    orders = sweep(base, {"integrator": ["verlet", "rk4"]}).table()["method.order"]
    assert orders.tolist() == [2, 4]
    # An option that is the same in all runs holds, whatever varies.
    orders = sweep(base, {"integrator": ["gauss", "lobatto"]}, overrides={"integrator.stages": 4}).table()["method.order"]
    assert orders.tolist() == [8, 6]
