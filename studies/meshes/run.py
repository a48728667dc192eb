"""Runs generated meshes for many updates and looks for growth of the energy.

    python make.py meshes
    python run.py meshes [--updates 1e6] [--large 10] [--start noise|stretch|twist|bend] [--amplitude 1]
                         [--only TEXT] [--set KEY=VALUE ...]

Every mesh runs with the program's default time steps for so many updates of its smallest element, free in space, from
small velocities that change sign from node to node: all vibrations of the mesh are excited. The first `--large` parts
also start from a large smooth deformation with strains of a tenth; with `--start` all parts start from the deformation
of that name, times `--amplitude`. A run passes if it is not stopped and the mean energy of its last quarter is
at most 1 % above that of its first quarter and above that of its first rows (the third to the seventh of 400: the
vibrations of a start that is no vibration of the mesh have then spread). The energy relative to the start itself is
printed, too: it differs by the error of the step, of second order. Prints a line a run and exits with 1 if one fails.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PROGRAM = os.environ.get("STATIONARY_PROGRAM", "target/release/stationary")

# The phases are large odd numbers: neighbouring nodes have unrelated velocities.
NOISE = '["1e-3*sin(70001*X + 30011*Y + 50021*Z)", "1e-3*sin(90007*X + 20011*Y + 40009*Z)", {third}]'
DEFORMED = {
    "stretch": '["X*(1 + {a}*0.08*sin(2*X + 1))", "Y*(1 + {a}*0.05*cos(3*X))", "Z"]',
    "twist": '["X", "Y*cos({a}*0.3*X) - Z*sin({a}*0.3*X)", "Y*sin({a}*0.3*X) + Z*cos({a}*0.3*X)"]',
    "bend": '["X - {a}*0.3*X*Y", "Y + {a}*0.15*X^2", "Z"]',
}
MATERIAL = """[material.{name}]
group = "{name}"
law = "neo-hookean"
young = {young}
poisson = 0.3
density = 7800
"""


def scenario(mesh, shape, amplitude=1.0):
    """The text of a run of a mesh; its end is set on the command line."""
    text = mesh.read_text(errors="replace")
    names = re.findall(r'^\d+ \d+ "(\w+)"', text, re.M)
    plane = '$PhysicalNames\n1\n2 ' in text
    young = {"soft": "2e9"}
    lines = [f'mesh = "{mesh.resolve()}"', "end = 1", "[initial]"]
    third = "0" if plane else '"1e-3*sin(60013*X + 80021*Y + 10007*Z)"'
    lines.append(f"velocity = {NOISE.format(third=third)}")
    if shape != "noise":
        lines.append(f"deformation = {DEFORMED[shape].replace('{a}', str(amplitude))}")
    lines += ["[output]", "rows = 400", "frames = 0"]
    lines += [MATERIAL.format(name=name, young=young.get(name, "2e11")) for name in names]
    return "\n".join(lines) + "\n"


def energies(folder):
    """The energy less the work of every row."""
    with open(folder / "series.csv", newline="") as file:
        return [float(row["energy"]) for row in csv.DictReader(file)]


def mean(values):
    return sum(values) / len(values)


def run(mesh, shape, given):
    """Runs a mesh; returns its growths, what the summary says, and the words of a failure."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        path = folder / "run.toml"
        path.write_text(scenario(mesh, shape, given.amplitude))
        options = [word for pair in given.set for word in ("--set", pair)]
        check = subprocess.run([PROGRAM, "check", path, *options], capture_output=True, text=True)
        steps = re.search(r"^steps\s+(\S+) to", check.stdout, re.M)
        if not steps:
            return [float("nan")] * 3, {}, check.stderr.strip()
        end = float(steps[1]) * given.updates
        arguments = [PROGRAM, "run", path, "--out", folder / "out", "--set", f"end={end}", *options]
        done = subprocess.run(arguments, capture_output=True, text=True)
        rows = energies(folder / "out")
        quarter = max(1, len(rows) // 4)
        pasts = [mean(rows[1 : 1 + quarter]), mean(rows[2:7]), rows[0]] if len(rows) > 7 else [rows[0]] * 3
        growth = [mean(rows[-quarter:]) / past - 1 for past in pasts]
        summary = json.loads((folder / "out" / "summary.json").read_text())
        return growth, summary, "" if done.returncode == 0 else done.stderr.strip().splitlines()[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("meshes", type=pathlib.Path)
    parser.add_argument("--updates", type=float, default=1e6)
    parser.add_argument("--large", type=int, default=10)
    parser.add_argument("--start", choices=["noise", *DEFORMED])
    parser.add_argument("--amplitude", type=float, default=1.0)
    parser.add_argument("--only", default="")
    parser.add_argument("--set", action="append", default=[])
    given = parser.parse_args()
    meshes = sorted(path for path in given.meshes.glob("*.msh") if given.only in path.name)
    # One of every family before the second of any.
    by_seed = sorted(meshes, key=lambda path: path.stem.rsplit("-", 1)[::-1])
    runs = [(mesh, "noise") for mesh in meshes] + [(mesh, "stretch") for mesh in by_seed[: given.large]]
    if given.start:
        runs = [(mesh, given.start) for mesh in by_seed]
    failed = 0
    print("| mesh | start | elements | updates saved | energy over first quarter | over first rows | over start | steps | |")
    print("|---|---|---|---|---|---|---|---|---|")
    for mesh, shape in runs:
        growth, summary, fault = run(mesh, shape, given)
        good = not fault and max(growth[:2]) < 0.01
        failed += not good
        avi = summary.get("avi", {})
        saved = avi.get("ideal_speedup", float("nan"))
        # The last scale of the steps, and the number of passages with shorter ones.
        scale = avi["rescaled"][-1]["scale"] if avi.get("rescaled") else 1.0
        steps = f"times {scale:.2f}, {avi.get('passages', {}).get('count', 0)} passages"
        growths = [f"{g:.1e}" for g in growth]
        row = [mesh.stem, shape, str(avi.get("elements", "")), f"{saved:.2f}", *growths, steps]
        row.append("" if good else fault or "grows")
        print(f"| {' | '.join(row)} |", flush=True)
    print(f"\n{len(runs) - failed} of {len(runs)} runs pass")
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
