"""Solids step by step: they move as whole runs do, and their state can be read, set, kept and taken up."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from conftest import same_bits
from test_runs import RUBBER, square

import stationary
from stationary import InputError, Mesh, Solid, SolidSimulation


def solid(**more: object) -> Solid:
    given: dict[str, object] = dict(
        material=RUBBER,
        support={"wall": {"group": "left", "fixed": True}},
        load={"pull": {"group": "right", "traction": [1e4, 0]}},
        probe={"tip": {"at": [1, 1], "value": "x - X"}},
    )
    return Solid(square(), **{**given, **more})


def free(**more: object) -> Solid:
    return solid(support=None, load=None, initial={"velocity": ["-3*Y", "3*X"]}, **more)


def same_state(a: SolidSimulation, b: SolidSimulation) -> bool:
    return a.t == b.t and same_bits(a.x, b.x) and same_bits(a.v, b.v) and a.energy == b.energy


@pytest.mark.parametrize("method", [{}, {"steps": "free"}, {"method": "newmark"}, {"method": "midpoint", "h": 1e-3}])
def test_solid_advance_ends_in_the_state_of_the_run(method: dict[str, object]) -> None:
    r = solid().run(end=0.02, rows=10, frames=1, **method)
    sim = solid().start(end=0.02, **method)
    sim.advance(until=0.02)
    assert sim.probes["tip"] == pytest.approx(r["tip"][-1], rel=1e-9) and abs(sim.probes["tip"]) > 1e-5
    assert sim.energy == pytest.approx(r.energy[-1], rel=1e-9)


def test_solid_advanced_in_pieces_has_the_bits_of_one_advance() -> None:
    once, often = free().start(), free().start()
    once.advance(until=0.02)
    for until in (0.0071, 0.0133, 0.02):
        often.advance(until=until)
    assert np.abs(once.x - often.x).max() < 1e-9


def test_free_solid_has_the_expected_state_and_momenta() -> None:
    sim = free().start()
    begin, about = sim.momentum, sim.angular_momentum
    assert sim.kinetic > 0 and sim.t == 0
    sim.advance(by=0.01)
    sim.advance(by=0.01)
    assert sim.t == pytest.approx(0.02)
    scale = np.linalg.norm(about)
    assert np.allclose(sim.momentum, begin, atol=1e-10 * scale) and np.allclose(sim.angular_momentum, about, rtol=1e-10)
    assert sim.u.shape == sim.x.shape == sim.v.shape == (25, 3) and np.abs(sim.u).max() > 0.02
    assert len(sim.steps) == len(sim.updates) == len(sim.von_mises) == 32 and sim.stress.shape == (32, 6)
    assert (sim.updates > 0).all() and (sim.steps > 0).all()
    assert max(sim.balance) < 1e-12


def test_reactions_of_a_solid_balance_the_load() -> None:
    sim = solid().start()
    sim.advance(until=0.05)
    # All momentum came from the pull, 1e4 on a side of length 1, and from the wall.
    change = sim.momentum - sim.reactions["wall"]
    assert change[0] == pytest.approx(1e4 * 0.05, rel=1e-2) and sim.reactions["wall"][0] < 0


def test_arrays_read_from_a_solid_stay_unchanged_and_are_read_only() -> None:
    sim = free().start()
    before = sim.x
    kept = before.copy()
    sim.advance(by=0.01)
    assert (before == kept).all() and np.abs(sim.x - before).max() > 1e-3 and sim.x is sim.x
    with pytest.raises(ValueError, match="read-only"):
        sim.x[0] = 0


def test_solid_continues_from_a_state_that_was_set() -> None:
    sim = free().start(method="avi")
    sim.advance(by=0.01)
    x, v = sim.x, sim.v
    sim.v = -v
    assert (sim.v == -v).all() and np.abs(sim.x - x).max() < 1e-12
    sim.advance(by=0.01)
    # Reversed in time it comes back, to the order of the method.
    assert np.abs(sim.x - sim.points).max() < 1e-3
    sim.set(x=sim.points[:, :2], v=np.zeros((25, 2)))
    assert np.abs(sim.u).max() < 1e-15 and sim.kinetic == 0 and sim.potential == pytest.approx(0, abs=1e-9)
    for wrong, words in ((np.zeros((3, 3)), "a row for each node"), (np.full((25, 3), np.nan), "not finite")):
        with pytest.raises(ValueError, match=words):
            sim.v = wrong


def test_solid_initial_state_from_arrays_equals_that_from_formulas() -> None:
    mesh = square()
    X, Y = mesh.points[:, 0], mesh.points[:, 1]
    arrays = solid(support=None, load=None, x=mesh.points, v=np.stack([-3 * Y, 3 * X], 1))
    a, b = arrays.start(), free().start()
    assert same_bits(a.x, b.x) and same_bits(a.v, b.v)
    a.advance(until=0.01)
    b.advance(until=0.01)
    assert same_bits(a.x, b.x)
    only_v = solid(support=None, load=None, v=np.stack([-3 * Y, 3 * X], 1))
    assert only_v.run(end=0.01, rows=5).energy[0] == free().run(end=0.01, rows=5).energy[0]
    with pytest.raises(TypeError, match="either `initial` or"):
        free(x=mesh.points)


def test_probes_can_be_attached_to_a_running_solid() -> None:
    sim = solid().start()
    sim.advance(by=0.01)
    sim.probe("middle", at=[0.5, 0.5], value="sqrt(vx^2 + vy^2)")
    assert set(sim.probes) == {"tip", "middle"}
    near = np.argmin(((sim.points - [0.5, 0.5, 0]) ** 2).sum(1))
    assert sim.probes["middle"] == pytest.approx(np.linalg.norm(sim.v[near]), rel=1e-12)
    with pytest.raises(InputError, match="vxx"):
        sim.probe("wrong", at=[0, 0], value="vxx")
    assert "middle" in sim._repr_html_() and "t = 0.01" in repr(sim)


def test_solid_restored_from_a_checkpoint_continues_bit_by_bit(tmp_path: Path) -> None:
    sim = solid().start()
    sim.advance(until=0.01)
    sim.save(tmp_path / "checkpoint")
    copy = pickle.loads(pickle.dumps(sim))
    assert same_state(copy, sim)
    sim.advance(until=0.02)
    taken_up = solid().start()
    taken_up.restore(tmp_path / "checkpoint")
    assert taken_up.t == 0.01
    for other in (taken_up, copy):
        other.advance(until=0.02)
        assert same_state(other, sim)
    with pytest.raises(stationary.Error):
        free().start().restore(tmp_path / "checkpoint")
    with pytest.raises(stationary.Error):
        taken_up.restore(tmp_path / "nowhere")


def test_solid_simulation_writes_frames(tmp_path: Path) -> None:
    sim = solid().start()
    for _ in range(3):
        sim.advance(by=0.005)
        sim.frame(tmp_path)
    assert (tmp_path / "frames.pvd").exists() and len(list(tmp_path.glob("frames/*.vtu"))) == 3
    pyvista = pytest.importorskip("pyvista")
    last = pyvista.read(sorted(tmp_path.glob("frames/*.vtu"))[-1])
    assert np.abs(last["displacement"] - sim.u).max() < 1e-6


def test_frames_of_a_solid_run_convert_to_pyvista() -> None:
    pytest.importorskip("pyvista")
    r = solid().run(end=0.02, rows=10, frames=4)
    blocks = r.to_pyvista()
    assert r.frames is not None and len(blocks) == 5 == len(r.frames["times"])
    last = blocks[-1]
    assert last.n_cells == 32 and last.n_points == 25 and np.abs(last["displacement"]).max() > 1e-6
    assert np.allclose(last.points - last["displacement"], square().points, atol=1e-12)
    assert {"stress", "von_mises", "step", "updates"} <= set(last.cell_data) and float(blocks.keys()[-1]) == 0.02
    sim = solid().start()
    sim.advance(until=0.02)
    grid = sim.to_pyvista()
    assert np.allclose(grid.points, last.points, atol=1e-9)
    assert np.allclose(grid["von_mises"], last["von_mises"], rtol=1e-6, atol=1e-3)


def test_frames_of_a_run_without_frames_are_refused_with_a_reason() -> None:
    with pytest.raises(ValueError, match="no frames"):
        stationary.run("pendulum", {"end": 1}).to_pyvista()


def test_solids_are_built_from_meshio_meshes_and_files(tmp_path: Path) -> None:
    arrays = solid().run(end=0.01, rows=5)
    square().save(tmp_path / "square.vtu")
    file = Solid(str(tmp_path / "square.vtu"), **{k: v for k, v in solid().keys.items() if k != "mesh"})
    assert same_bits(file.run(end=0.01, rows=5).table, arrays.table)
    opened = Solid(Mesh.open(tmp_path / "square.vtu"), **{k: v for k, v in solid().keys.items() if k != "mesh"})
    assert same_bits(opened.run(end=0.01, rows=5).table, arrays.table)
    pytest.importorskip("meshio")
    other = Solid(square().to_meshio(), **{k: v for k, v in solid().keys.items() if k != "mesh"})
    assert same_bits(other.run(end=0.01, rows=5).table, arrays.table)


def test_solid_of_tetrahedra_from_arrays_can_be_refined() -> None:
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], float)
    mesh = Mesh(points, {"tetra": [[0, 1, 2, 3], [1, 2, 3, 4]]}, {"base": [0, 1, 2]})
    cube = Solid(mesh, material=RUBBER, load={"p": {"group": "base", "pressure": 10}}, refine=1, scale=2)
    r = cube.run(end=0.01, rows=4, frames=0)
    assert r.summary["avi"]["elements"] == 16 and r.summary["solid"]["volume"] == pytest.approx(8 * (1 / 6 + 1 / 3))


def test_solid_simulation_of_another_kind_is_refused() -> None:
    with pytest.raises(TypeError, match="no solid"):
        SolidSimulation(stationary.Scenario.open("pendulum"))
    sim = stationary.Scenario.open("pendulum").start()
    assert not isinstance(sim, SolidSimulation)
    with pytest.raises(TypeError, match="no solid"):
        sim._core.probes()


def test_unknown_mesh_group_of_a_solid_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="did you mean `left`"):
        solid(support={"wall": {"group": "lef", "fixed": True}}).run(end=0.01)


def bar_of_hexahedra(cells: int = 4) -> Mesh:
    """A bar of unit cubes along x."""
    place = [(x, y, z) for x in range(cells + 1) for y, z in ((0, 0), (1, 0), (1, 1), (0, 1))]
    return Mesh(place, {"hexahedron": [[4 * k + i for i in range(8)] for k in range(cells)]})


def metal(**more: object) -> Solid:
    """A bar that is pulled apart far beyond yield: its ends fly away from each other."""
    constants = {"law": "j2", "young": 2e6, "poisson": 0.3, "density": 1e3, "yield": 1e4, "hardening": 1e5}
    return Solid(bar_of_hexahedra(), material={"metal": constants}, initial={"velocity": ["4*(X - 2)", 0, 0]}, **more)


def test_solid_of_hexahedra_yields_and_its_history_is_read() -> None:
    r = metal().run(end=0.3, rows=20, frames=5, method="newmark", fraction=0.2)
    lost = r["dissipation"]
    assert lost[0] == 0 and (np.diff(lost) >= 0).all() and lost[-1] > 0.5 * r["kinetic"][0]
    strains = [np.asarray(values) for values in (r.frames or {})["cell_data"]["plastic_strain"]]
    assert len(strains) == 6 and strains[0].shape == (4,) and (strains[0] == 0).all()
    assert all((b >= a).all() for a, b in zip(strains, strains[1:]))
    # Each element dissipates yield p + hardening p^2/2 a volume, one here; p is nearly even within it.
    work = (1e4 * strains[-1] + 0.5e5 * strains[-1] ** 2).sum()
    assert strains[-1].min() > 0.05 and work == pytest.approx(lost[-1], rel=0.02)
    assert r.summary["energy"]["max_relative_error"] < 1e-2


@pytest.mark.parametrize("method", [{"method": "avi"}, {"method": "midpoint", "h": 1e-3}])
def test_solid_that_yields_is_restored_with_its_history(method: dict[str, object]) -> None:
    sim = metal().start(**method)
    sim.advance(until=0.03)
    assert sim.dissipated > 0
    copy = pickle.loads(pickle.dumps(sim))
    assert same_state(sim, copy) and copy.dissipated == sim.dissipated
    for one in (sim, copy):
        one.advance(until=0.06)
    assert same_state(sim, copy) and copy.dissipated == sim.dissipated
    assert same_bits(sim.stress, copy.stress)
    # A state that is set begins without history.
    copy.set(x=copy.points)
    assert copy.dissipated == 0 and np.abs(copy.stress).max() < 1e-6


def test_modes_of_a_solid_are_arrays_with_unit_modal_mass(tmp_path: Path) -> None:
    held = solid().modes(5, out=tmp_path)
    assert len(held) == 5 and set(held.kinds) == {"vibration"}
    assert held.shapes.shape == (5, len(square().points), 3)
    assert np.all(np.diff(held.frequencies) >= 0) and np.all(held.residuals < 1e-9)
    assert np.allclose(held.frequencies, [held.summary["mode"][str(k + 1)]["frequency"] for k in range(5)])
    assert np.all(held.effective_mass.sum(axis=0) <= held.free_mass * (1 + 1e-9))
    assert {p.name for p in tmp_path.iterdir()} >= {"modes.csv", "report.html", "summary.json", "frames.pvd"}
    # Started in a mode, a small motion returns to the plane of rest after a quarter of a period.
    first = held.shapes[0] / np.abs(held.shapes[0]).max()
    sim = solid(load=None, x=square().points + 1e-6 * first).start()
    sim.advance(until=0.25 / held.frequencies[0])
    assert np.abs(sim.x - square().points).max() < 2e-8
    loose = free().modes(4)
    assert loose.kinds == ["rigid"] * 3 + ["vibration"] and not loose.frequencies[:3].any()


def test_modes_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="one or more"):
        solid().modes(0)
    with pytest.raises(InputError, match="unknowns"):
        solid().modes(100_000)
    with pytest.raises(InputError, match="those of solids"):
        stationary.modes("pendulum")
