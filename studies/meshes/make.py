"""Makes meshes of ordinary parts with Gmsh, for `run.py`: 8 families, 6 seeds each.

    pip install gmsh numpy
    python make.py OUT [--seeds 0..5] [--family NAME]

Every part has random dimensions, a random coarse size and a random refinement at one of its points or edges. Linear and
quadratic elements, plane and solid, alternate with the seed. Slivers are planted by moving nodes of an existing mesh.
Nothing here was chosen by looking at the results of a run.
"""

import argparse
import math
import pathlib
import random

import gmsh

KERNEL = gmsh.model.occ


def plate(r):
    """A plate with three holes."""
    width, height = r.uniform(0.8, 1.5), r.uniform(0.5, 1.0)
    part = KERNEL.addRectangle(0, 0, 0, width, height)
    holes = []
    for i in range(3):
        radius = r.uniform(0.02, 0.1)
        holes.append((2, KERNEL.addDisk(width * (i + 0.5) / 3, height * r.uniform(0.3, 0.7), 0, radius, radius)))
    return 2, KERNEL.cut([(2, part)], holes)[0]


def bracket(r):
    """An angle with a fillet and a bore."""
    arm, thickness, depth = r.uniform(0.6, 1.0), r.uniform(0.1, 0.2), r.uniform(0.3, 0.5)
    foot = KERNEL.addBox(0, 0, 0, arm, thickness, depth)
    wall = KERNEL.addBox(0, 0, 0, thickness, arm, depth)
    bore = KERNEL.addCylinder(0.7 * arm, -1, depth / 2, 0, 3, 0, r.uniform(0.04, 0.1))
    body = KERNEL.fuse([(3, foot)], [(3, wall)])[0]
    return 3, KERNEL.cut(body, [(3, bore)])[0]


def notch(r):
    """A bar with a sharp notch."""
    length, height = r.uniform(1.0, 2.0), r.uniform(0.3, 0.5)
    depth = r.uniform(0.3, 0.6) * height
    width = r.uniform(0.005, 0.03)
    points = [(0, 0), (length / 2 - width, 0), (length / 2, depth), (length / 2 + width, 0), (length, 0)]
    points += [(length, height), (0, height)]
    tags = [KERNEL.addPoint(x, y, 0) for x, y in points]
    lines = [KERNEL.addLine(a, b) for a, b in zip(tags, tags[1:] + tags[:1])]
    return 2, [(2, KERNEL.addPlaneSurface([KERNEL.addCurveLoop(lines)]))]


def elbow(r):
    """A quarter of a bent pipe."""
    outer = r.uniform(0.1, 0.2)
    ring = KERNEL.addDisk(1, 0, 0, outer, outer)
    inner = outer * r.uniform(0.5, 0.8)
    bore = KERNEL.addDisk(1, 0, 0, inner, inner)
    section = KERNEL.cut([(2, ring)], [(2, bore)])[0]
    swept = KERNEL.revolve(section, 0, 0, 0, 0, 1, 0, math.pi / 2)
    return 3, [entity for entity in swept if entity[0] == 3]


def sphere(r):
    """A ball with a cavity."""
    ball = KERNEL.addSphere(0, 0, 0, 0.5)
    cavity = KERNEL.addSphere(r.uniform(-0.2, 0.2), 0, 0, r.uniform(0.05, 0.2))
    return 3, KERNEL.cut([(3, ball)], [(3, cavity)])[0]


def sheet(r):
    """A thin sheet with a slot."""
    thickness = r.uniform(0.02, 0.05)
    part = KERNEL.addBox(0, 0, 0, 1, r.uniform(0.5, 1.0), thickness)
    slot = KERNEL.addBox(0.4, 0.2, -1, r.uniform(0.02, 0.1), 0.1, 3)
    return 3, KERNEL.cut([(3, part)], [(3, slot)])[0]


def two_materials(r):
    """A block around a stiff inclusion; `run.py` gives the groups `soft` and `stiff` moduli that differ by 100."""
    block = KERNEL.addBox(0, 0, 0, 1, 1, 1)
    inclusion = KERNEL.addSphere(0.5, 0.5, 0.5, r.uniform(0.1, 0.3))
    return 3, KERNEL.fragment([(3, block)], [(3, inclusion)])[0]


def sliver(r):
    """A block; some of its interior nodes are moved until their elements are slivers."""
    return 3, [(3, KERNEL.addBox(0, 0, 0, 1, r.uniform(0.5, 1), r.uniform(0.5, 1)))]


FAMILIES = [plate, bracket, notch, elbow, sphere, sheet, two_materials, sliver]


def refine(r, dimension, coarse):
    """A small element size at a random point of the geometry, growing to the coarse one with distance."""
    points = gmsh.model.getEntities(0)
    distance = gmsh.model.mesh.field.add("Distance")
    gmsh.model.mesh.field.setNumbers(distance, "PointsList", [r.choice(points)[1]])
    size = gmsh.model.mesh.field.add("Threshold")
    values = {"SizeMin": coarse * r.uniform(0.08, 0.5), "SizeMax": coarse, "DistMin": coarse, "DistMax": 6 * coarse}
    gmsh.model.mesh.field.setNumber(size, "InField", distance)
    for name, value in values.items():
        gmsh.model.mesh.field.setNumber(size, name, value)
    gmsh.model.mesh.field.setAsBackgroundMesh(size)
    gmsh.option.setNumber("Mesh.MeshSizeExtendFromBoundary", 0)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", 10)
    gmsh.model.mesh.generate(dimension)


def volume(a, b, c, d):
    """Six times the volume of a tetrahedron."""
    u, v, w = ([p[i] - a[i] for i in range(3)] for p in (b, c, d))
    return sum(u[i] * (v[i - 2] * w[i - 1] - v[i - 1] * w[i - 2]) for i in range(3))


def plant_slivers(r):
    """Moves three interior nodes towards a face opposite them, as far as no element around them is inverted."""
    tets = [[int(a) for a in tet] for tet in gmsh.model.mesh.getElements(3)[2][0].reshape(-1, 4)]
    tags, coordinates, _ = gmsh.model.mesh.getNodes()
    place = {int(a): tuple(x) for a, x in zip(tags, coordinates.reshape(-1, 3))}
    boundary = {int(a) for a in gmsh.model.mesh.getNodes(2, includeBoundary=True)[0]}
    moved = set()
    for tet in r.sample(tets, len(tets)):
        node = tet[0]
        if len(moved) == 3:
            return
        if node in boundary or moved & set(tet):
            continue
        around = [t for t in tets if node in t]
        foot = [sum(place[a][i] for a in tet[1:]) / 3 for i in range(3)]
        for part in [0.97, 0.9, 0.8, 0.7, 0.5]:
            new = tuple(x + part * (f - x) for x, f in zip(place[node], foot))
            corners = [[new if a == node else place[a] for a in t] for t in around]
            if min(volume(*c) for c in corners) > 0:
                gmsh.model.mesh.setNode(node, new, [])
                place[node] = new
                moved.add(node)
                break


def make(family, seed, path):
    """Writes one mesh; returns its dimension."""
    r = random.Random(f"{family.__name__} {seed}")
    gmsh.clear()
    dimension, parts = family(r)
    KERNEL.synchronize()
    if family is two_materials:
        volumes = sorted((tag for _, tag in parts), key=lambda tag: KERNEL.getMass(3, tag))
        gmsh.model.addPhysicalGroup(3, volumes[:1], name="stiff")
        gmsh.model.addPhysicalGroup(3, volumes[1:], name="soft")
    else:
        gmsh.model.addPhysicalGroup(dimension, [tag for _, tag in parts], name="part")
    box = gmsh.model.getBoundingBox(-1, -1)
    diagonal = math.dist(box[:3], box[3:])
    coarse = diagonal * (r.uniform(0.02, 0.04) if dimension == 2 else r.uniform(0.05, 0.08))
    refine(r, dimension, coarse)
    if family is sliver:
        plant_slivers(r)
    if seed % 2:
        gmsh.model.mesh.setOrder(2)
    gmsh.write(str(path))
    return dimension


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--seeds", default="0..5")
    parser.add_argument("--family")
    given = parser.parse_args()
    first, last = map(int, given.seeds.split(".."))
    given.out.mkdir(parents=True, exist_ok=True)
    gmsh.initialize()
    gmsh.option.setNumber("General.Verbosity", 2)
    gmsh.option.setNumber("Mesh.SecondOrderLinear", 1)
    for family in FAMILIES:
        if given.family not in (None, family.__name__):
            continue
        for seed in range(first, last + 1):
            path = given.out / f"{family.__name__}-{seed}.msh"
            make(family, seed, path)
            types, tags, _ = gmsh.model.mesh.getElements(gmsh.model.getDimension())
            print(path.name, sum(len(t) for t in tags), flush=True)
    gmsh.finalize()


if __name__ == "__main__":
    main()
