#!/usr/bin/env python3
"""Explicit solid dynamics by other programs: same mesh, same material, same start, same end, one core.

    python3 studies/peers/peers.py              # installs into a virtual environment, runs all, prints the table
    python3 studies/peers/peers.py --only mfem akantu --end 0.002

Akantu and MFEM come from PyPI, dolfinx from Debian (`apt-get install python3-dolfinx-real`, by hand: it is for the
system's own Python). What is not there is left out, and the table says so. `stationary` is that of `cargo build --release`.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import subprocess
import sys
import venv

import problem

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PEERS = ["akantu", "mfem", "dolfinx"]
SCENARIO = """\
mesh = "{mesh}"
end = {end!r}
{step}integrator = {integrator}
[material.rubber]
law = "neo-hookean"
young = {young!r}
poisson = {poisson!r}
density = {density!r}
[initial]
deformation = [
    "0.5 + (X - 0.5)*cos({twist}*(Z - 0.5)) - (Y - 0.5)*sin({twist}*(Z - 0.5))",
    "0.5 + (X - 0.5)*sin({twist}*(Z - 0.5)) + (Y - 0.5)*cos({twist}*(Z - 0.5))",
    "Z",
]
velocity = ["-{omega}*(Z - 0.5)", 0, "{omega}*(X - 0.5)"]
[probe]
corner = {{ at = [1, 1, 1], value = "x - X" }}
[output]
rows = {rows}
frames = 0
"""
AVI = """{ method = "avi", steps = "harmonic", rule = "eigen", buffer = "jump", events = "middle", \
threads = 1 }"""


def environment(folder):
    """A virtual environment with what PyPI has; its Python."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        venv.create(folder / "venv", with_pip=True)
    for package in ["numpy", "meshio", "akantu", "mfem"]:
        if subprocess.run([python, "-c", f"import {package}"], capture_output=True).returncode == 0:
            continue
        done = subprocess.run([python, "-m", "pip", "install", "-q", package], capture_output=True, text=True)
        if done.returncode:
            print(f"{package}: not installed: {done.stderr.strip().splitlines()[-1]}", file=sys.stderr)
    return python


def meshes(python, folder):
    """The shipped graded cube as tet10, and each of its elements cut into eight as tet4."""
    code = f"""
import sys; sys.path.insert(0, {str(HERE)!r})
import meshio, numpy as np
from common import EIGHT, write_mesh
mesh = meshio.read({str(ROOT / "scenarios/meshes/graded-cube.msh")!r})
cells = np.concatenate([c.data for c in mesh.cells if c.type == "tetra10"])[:, [0, 1, 2, 3, 4, 5, 6, 7, 9, 8]]
write_mesh({str(folder / "tet10.msh")!r}, mesh.points, cells)
write_mesh({str(folder / "tet4.msh")!r}, mesh.points, cells[:, EIGHT].reshape(-1, 4))
"""
    subprocess.run([python, "-c", code], check=True)


def peer(command, name, mesh, end):
    """Runs a script of ours in a peer's Python."""
    command = [*command, HERE / f"run_{name}.py", mesh, str(end)]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"OMP_NUM_THREADS": "1"})
    if done.returncode:
        return {"missing": (done.stderr.strip().splitlines() or ["no word"])[-1]}
    return json.loads(done.stdout.strip().splitlines()[-1])


def stationary(program, folder, mesh, end, step):
    """Runs ours: with one step for all, or asynchronously."""
    text = SCENARIO.format(
        mesh=mesh, end=end, step=f"step = {step!r}\n" if step else "", integrator='"verlet"' if step else AVI,
        young=problem.YOUNG, poisson=problem.POISSON, density=problem.DENSITY, twist=problem.TWIST,
        omega=problem.OMEGA, rows=problem.SAMPLES)
    name = "verlet" if step else "avi"
    scenario, out = folder / f"{name}.toml", folder / f"{name}-results"
    scenario.write_text(text)
    done = subprocess.run([program, "run", scenario, "--quiet", "--out", out], capture_output=True, text=True)
    if done.returncode:
        return {"missing": done.stderr.strip()}
    summary = json.loads((out / "summary.json").read_text())
    avi = summary["avi"]
    with open(out / "series.csv") as series:
        rows = series.read().splitlines()
    last = dict(zip(rows[0].split(","), rows[-1].split(",")))
    return {
        "steps": avi["updates"]["max"],
        "step": avi["step"]["min"],
        "seconds": 1e-9 * avi["nanoseconds_per_update"] * avi["updates"]["total"],
        "elements": avi["elements"],
        "ns_per_update": avi["nanoseconds_per_update"],
        "updates": avi["updates"]["total"],
        "energy_error": summary["energy"]["max_relative_error"],
        "corner": [float(last[key]) for key in last if key.startswith("corner")],
        "law": "neo-Hookean",
    }


def table(results):
    """The table of the book."""
    head = ["mesh", "program", "material", "step, s", "seconds", "ns an update", "energy error"]
    lines = [f"| {' | '.join(head)} |", "|---" * len(head) + "|"]
    for kind, rows in results["runs"].items():
        for name, row in rows.items():
            if "missing" in row:
                lines.append(f"| {kind} | {name} | not run: {row['missing']} | | | | |")
                continue
            lines.append(
                f"| {kind} | {name} | {row['law']} | {row['step']:.2e} | {row['seconds']:.2f} |"
                f" {row['ns_per_update']:.0f} | {row['energy_error']:.1e} |")
    return "\n".join(lines)


def processor():
    """What the machine calls itself."""
    try:
        names = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
        return names[0]
    except (OSError, IndexError):
        return platform.processor()


def main():
    """Installs, runs, prints and keeps."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", nargs="+", choices=PEERS, default=PEERS)
    parser.add_argument("--end", type=float, default=0.01, help="end time in seconds [0.01]")
    parser.add_argument("--folder", type=pathlib.Path, default=ROOT / "results/peers", help="for everything made")
    parser.add_argument("--program", default=ROOT / "target/release/stationary", help="our program")
    parser.add_argument("--dolfinx", default="/usr/bin/python3", help="a Python that has dolfinx")
    parser.add_argument("--best-of", type=int, default=3, help="runs of each, of which the fastest counts [3]")
    arguments = parser.parse_args()
    folder = arguments.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    python = environment(folder)
    meshes(python, folder)
    commands = {"akantu": [python], "mfem": [python], "dolfinx": arguments.dolfinx.split()}

    def best(run):
        rows = [run() for _ in range(arguments.best_of)]
        return min(rows, key=lambda row: row.get("seconds", 0.0))

    machine = {"processor": processor(), "cores": os.cpu_count()}
    results = {"date": datetime.date.today().isoformat(), "machine": machine, "end": arguments.end, "runs": {}}
    for kind in ["tet4", "tet10"]:
        mesh, rows = folder / f"{kind}.msh", {}
        for name in arguments.only:
            rows[name] = best(lambda: peer(commands[name], name, mesh, arguments.end))
            print(kind, name, json.dumps(rows[name]), file=sys.stderr)
        same = rows.get("dolfinx", {}).get("step") or rows.get("mfem", {}).get("step")
        if same:  # their step is a part of the true limit, which is ours too
            rows["stationary, one step"] = best(
                lambda: stationary(arguments.program, folder, mesh, arguments.end, same))
        rows["stationary, avi"] = best(lambda: stationary(arguments.program, folder, mesh, arguments.end, None))
        results["runs"][kind] = rows
    (folder / "peers.json").write_text(json.dumps(results, indent=1) + "\n")
    print(table(results))


if __name__ == "__main__":
    main()
