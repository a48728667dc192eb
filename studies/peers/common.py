"""The problem that every program gets: mesh, material, start, and the explicit loop for those that bring none."""

import json
import sys
import time

import numpy as np
from problem import DENSITY, OMEGA, SAMPLES, TWIST

SAFETY = 0.9  # part of the true limit 2/omega_max that a program without a step of its own takes

# Eight tetrahedra from the corners and middles of one (Gmsh's order); the octahedron inside is cut from 4 to 8.
EIGHT = [[0, 4, 6, 7], [4, 1, 5, 9], [6, 5, 2, 8], [7, 9, 8, 3], [4, 8, 5, 6], [4, 8, 6, 7], [4, 8, 7, 9], [4, 8, 9, 5]]
# HRZ: what a node of a straight-sided element gets of its mass.
SHARES = {4: [1 / 4] * 4, 10: [1 / 36] * 4 + [4 / 27] * 6}


def read_mesh(path):
    """Points and elements (nodes from 0, Gmsh's order) of a text file of Gmsh 2.2."""
    lines = iter(open(path).read().splitlines())
    points, cells = [], []
    for line in lines:
        if line == "$Nodes":
            points = [[float(w) for w in next(lines).split()[1:]] for _ in range(int(next(lines)))]
        elif line == "$Elements":
            for _ in range(int(next(lines))):
                words = [int(w) for w in next(lines).split()]
                cells.append(words[3 + words[2] :])
    return np.array(points), np.array(cells) - 1


def write_mesh(path, points, cells):
    """The same as a file: one physical group, no surfaces."""
    kind = {4: 4, 10: 11}[cells.shape[1]]
    with open(path, "w") as out:
        out.write('$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 "body"\n$EndPhysicalNames\n')
        out.write(f"$Nodes\n{len(points)}\n")
        out.writelines(f"{i + 1} {x!r} {y!r} {z!r}\n" for i, (x, y, z) in enumerate(points.tolist()))
        out.write(f"$EndNodes\n$Elements\n{len(cells)}\n")
        out.writelines(f"{i + 1} {kind} 2 1 1 {' '.join(map(str, c + 1))}\n" for i, c in enumerate(cells))
        out.write("$EndElements\n")


def start(x):
    """Displacements and velocities at the start: a twist, let go while the body turns."""
    turn = TWIST * (x[:, 2] - 0.5)
    a, b = x[:, 0] - 0.5, x[:, 1] - 0.5
    u = np.stack([a * np.cos(turn) - b * np.sin(turn) - a, a * np.sin(turn) + b * np.cos(turn) - b, 0 * a], axis=1)
    v = np.stack([-OMEGA * (x[:, 2] - 0.5), 0 * a, OMEGA * a], axis=1)
    return u, v


def lumped_mass(points, cells):
    """Mass of each node, by HRZ."""
    edges = points[cells[:, 1:4]] - points[cells[:, :1]]
    volume = np.linalg.det(edges) / 6
    mass = np.zeros(len(points))
    np.add.at(mass, cells, DENSITY * volume[:, None] * np.array(SHARES[cells.shape[1]]))
    return mass


def match(points, places):
    """For each of `places` the number of the point there."""
    number = {tuple(np.round(p, 7) + 0.0): i for i, p in enumerate(points)}
    return np.array([number[tuple(np.round(p, 7) + 0.0)] for p in places])


def true_limit(force, mass, u, rounds=150):
    """2/omega_max at `u` by power iteration on differences of forces."""
    rng = np.random.default_rng(1)
    w, largest, base = rng.standard_normal(u.shape), 0.0, force(u).copy()
    for _ in range(rounds):
        w *= 1e-6 / np.abs(w).max()
        w_new = (base - force(u + w)) / mass[:, None]
        largest = max(largest, float(np.sum(mass[:, None] * w * w_new) / np.sum(mass[:, None] * w * w)))
        w = w_new
    return 2 / np.sqrt(largest)


def central_difference(force, potential, mass, state, h, end):
    """Velocity Verlet; the time of the steps alone, on the clock and of the processor, and the energies at some of their ends."""
    u, v = (a.copy() for a in state)
    steps = int(np.ceil(end / h))
    h, inverse = end / steps, 1 / mass[:, None]
    energies, wall, own, done = [0.5 * float(np.sum(mass[:, None] * v * v)) + potential(u)], 0.0, 0.0, 0
    f = force(u).copy()
    for sample in range(1, SAMPLES + 1):
        goal = steps * sample // SAMPLES
        began = time.perf_counter(), time.process_time()
        while done < goal:
            v += (0.5 * h) * inverse * f
            u += h * v
            f = force(u)
            v += (0.5 * h) * inverse * f
            done += 1
        wall, own = wall + time.perf_counter() - began[0], own + time.process_time() - began[1]
        energies.append(0.5 * float(np.sum(mass[:, None] * v * v)) + potential(u))
    return {"steps": steps, "step": h, "seconds": wall, "processor_seconds": own, "energies": energies, "u": u}


def report(run, points, cells, **more):
    """What every script prints as its last line."""
    energies = np.array(run.pop("energies"))
    corner = int(np.argmin(np.linalg.norm(points - 1, axis=1)))
    run |= {
        "elements": len(cells),
        "ns_per_update": 1e9 * run["seconds"] / (run["steps"] * len(cells)),
        "energy_error": float(np.abs(energies / energies[0] - 1).max()),
        "corner": [float(x) for x in run.pop("u")[corner]],
    }
    print(json.dumps(run | more))


def arguments():
    """Mesh and end time."""
    if len(sys.argv) != 3:
        sys.exit(f"usage: {sys.argv[0]} MESH.msh END")
    return sys.argv[1], float(sys.argv[2])
