#!/usr/bin/env python3
"""Makes the meshes of the shipped solid scenarios with Gmsh, one function for each.

    python3 -m venv venv && venv/bin/pip install gmsh==4.15.2 numpy
    venv/bin/python make.py            # all of them, into this folder
    venv/bin/python make.py blade slab # some

Same version of Gmsh, same bytes: one thread, fixed seeds. The sizes that look odd were found by scanning until the
counts of elements and nodes were those printed in the papers (see README.md).
"""

import pathlib
import sys

import gmsh
import numpy as np

HERE = pathlib.Path(__file__).parent
LINE, TRIANGLE, QUADRANGLE, TETRAHEDRON = 1, 2, 3, 4  # kinds in Gmsh: two, three, four and four nodes


def start(name, algorithm2=6, algorithm3=1, optimize=1, netgen=0):
    """An empty model under settings that make the result repeatable."""
    gmsh.clear()
    gmsh.model.add(name)
    options = {
        "General.NumThreads": 1,
        "General.Verbosity": 1,
        "Mesh.RandomSeed": 1,
        "Mesh.Algorithm": algorithm2,
        "Mesh.Algorithm3D": algorithm3,
        "Mesh.Optimize": optimize,
        "Mesh.OptimizeNetgen": netgen,
        "Mesh.MeshSizeExtendFromBoundary": 0,
        "Mesh.MeshSizeFromPoints": 0,
        "Mesh.SecondOrderLinear": 1,
        "Mesh.MshFileVersion": 4.1,
        "Mesh.Binary": 1,
        "Mesh.SaveAll": 0,
    }
    for option, value in options.items():
        gmsh.option.setNumber(option, value)


def name_groups(groups):
    """Physical groups from rows of name, dimension and entities."""
    for name, dimension, entities in groups:
        gmsh.model.setPhysicalName(dimension, gmsh.model.addPhysicalGroup(dimension, entities), name)


def graded(near, fine, flat, slope, coarse):
    """Element size: `fine` up to the distance `flat` from the points or curves `near`, then growing to `coarse`."""
    field = gmsh.model.mesh.field
    distance, size = field.add("Distance"), field.add("Threshold")
    for key, entities in near.items():
        field.setNumbers(distance, key, entities)
    field.setNumber(distance, "Sampling", 200)
    field.setNumber(size, "InField", distance)
    field.setNumber(size, "SizeMin", fine)
    field.setNumber(size, "SizeMax", coarse)
    field.setNumber(size, "DistMin", flat)
    field.setNumber(size, "DistMax", flat + (coarse - fine) / slope)
    field.setAsBackgroundMesh(size)


def polygon(corners):
    """A plane face in z = 0. Returns its points, its sides (side i leads from corner i to the next) and the face."""
    geo = gmsh.model.geo
    points = [geo.addPoint(x, y, 0) for x, y in corners]
    sides = [geo.addLine(a, b) for a, b in zip(points, points[1:] + points[:1])]
    return points, sides, geo.addPlaneSurface([geo.addCurveLoop(sides)])


def corners_of(kind):
    """Corners of every element of a kind that is in the model, by element, corner and axis."""
    tags, nodes = gmsh.model.mesh.getElementsByType(kind)
    numbers, x, _ = gmsh.model.mesh.getNodes()
    place = np.zeros((int(numbers.max()) + 1, 3))
    place[numbers] = x.reshape(-1, 3)
    return place[nodes].reshape(len(tags), -1, 3)


def inradius(x):
    """Radius of the ball inscribed in triangles and tetrahedra; half the length of lines."""
    norm = lambda v: np.linalg.norm(v, axis=-1)
    edge = lambda a, b: x[:, b] - x[:, a]
    area = lambda a, b, c: 0.5 * norm(np.cross(edge(a, b), edge(a, c)))
    if x.shape[1] == 2:
        return 0.5 * norm(edge(0, 1))
    if x.shape[1] == 3:
        return 2 * area(0, 1, 2) / (norm(edge(0, 1)) + norm(edge(1, 2)) + norm(edge(2, 0)))
    volume = np.einsum("ij,ij->i", edge(0, 1), np.cross(edge(0, 2), edge(0, 3))) / 6
    return 3 * volume / (area(0, 1, 2) + area(0, 1, 3) + area(0, 2, 3) + area(1, 2, 3))


def speed_up(steps):
    """[VTI04 (62)], and the largest step over the smallest."""
    return len(steps) * (1 / steps.min()) / (1 / steps).sum(), steps.max() / steps.min()



def volume(t, x):
    """Of one tetrahedron; in plain numbers, which for a single one is much faster than in arrays."""
    (ax, ay, az), (bx, by, bz), (cx, cy, cz) = ([p - o for p, o in zip(x[n], x[t[0]])] for n in t[1:])
    return (ax * (by * cz - bz * cy) - ay * (bx * cz - bz * cx) + az * (bx * cy - by * cx)) / 6


def possible_swaps(tetrahedra, x):
    """Of 2 tetrahedra for 3 (about the line between their apexes), and of 3 about an edge for 2. Each list has every
    possible swap as (smallest inscribed radius made, those taken out, those put in)."""
    by_face, by_edge = neighbours(tetrahedra)
    numbers = x.tolist()
    volumes = [volume(t, numbers) for t in tetrahedra]
    two_for_three, three_for_two = [], []

    def offer(swaps, out, put):
        made = [volume(t, numbers) for t in put]
        put = [t if v > 0 else [t[1], t[0], t[2], t[3]] for t, v in zip(put, made)]
        before, after = sum(volumes[o] for o in out), sum(abs(v) for v in made)
        if abs(after - before) < 1e-9 * before:
            swaps.append((inradius(x[np.array(put)]).min(), out, put))

    for face, out in by_face.items():
        if len(out) == 2:
            a, b = (next(iter(set(tetrahedra[o]) - face)) for o in out)
            f = sorted(face)
            if frozenset((a, b)) not in by_edge:
                offer(two_for_three, out, [[a, b, f[i], f[(i + 1) % 3]] for i in range(3)])
    for edge, out in by_edge.items():
        ring = sorted(set().union(*(tetrahedra[o] for o in out)) - edge)
        if len(out) == 3 and len(ring) == 3 and frozenset(ring) not in by_face:
            offer(three_for_two, out, [ring + [end] for end in sorted(edge)])
    return two_for_three, three_for_two


def neighbours(tetrahedra):
    """Which tetrahedra have a face, and which an edge."""
    by_face, by_edge = {}, {}
    for number, t in enumerate(tetrahedra):
        for i in range(4):
            by_face.setdefault(frozenset(t[:i] + t[i + 1 :]), []).append(number)
            for j in range(i):
                by_edge.setdefault(frozenset((t[i], t[j])), []).append(number)
    return by_face, by_edge


def halve_longest(tetrahedra, x):
    """Puts a vertex into the middle of the longest edge that is not on the boundary."""
    by_face, by_edge = neighbours(tetrahedra)
    outer = [sorted(face) for face, of in by_face.items() if len(of) == 1]
    skin = {frozenset(edge) for f in outer for edge in (f[:2], f[1:], f[::2])}
    inner = [sorted(e) for e in by_edge if e not in skin]
    a, b = max(inner, key=lambda e: (np.linalg.norm(x[e[0]] - x[e[1]]), e))
    middle = len(x)
    out = by_edge[frozenset((a, b))]
    halves = [[middle if n == end else n for n in tetrahedra[o]] for o in out for end in (a, b)]
    return [t for i, t in enumerate(tetrahedra) if i not in out] + halves, np.vstack([x, (x[a] + x[b]) / 2])


def edit(entity, halvings, count):
    """Brings the linear mesh of a volume to a number of vertices (`halvings` more) and of tetrahedra (`count`): by
    swaps, each time the one that leaves the best elements."""
    mesh = gmsh.model.mesh
    tags, nodes = mesh.getElementsByType(TETRAHEDRON, entity)
    numbers, places, _ = mesh.getNodes()
    x = np.zeros((int(numbers.max()) + 1, 3))
    x[numbers] = places.reshape(-1, 3)
    tetrahedra = [[int(n) for n in t] for t in nodes.reshape(-1, 4)]
    for _ in range(halvings):
        tetrahedra, x = halve_longest(tetrahedra, x)
        mesh.addNodes(3, entity, [len(x) - 1], x[-1])
    while len(tetrahedra) != count:
        more, fewer = possible_swaps(tetrahedra, x)
        _, out, put = max(more if len(tetrahedra) < count else fewer)
        tetrahedra = [t for i, t in enumerate(tetrahedra) if i not in out] + put
    mesh.removeElements(3, entity, tags)
    mesh.addElementsByType(entity, TETRAHEDRON, [], np.ravel(tetrahedra))


def block():
    """AVI03 4.1: a square of 1 m, held on the left; fine at the two corners of the support."""
    start("block")
    points, sides, face = polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    gmsh.model.geo.synchronize()
    graded({"PointsList": [points[0], points[3]]}, 0.017968, 0.12264, 0.574964, 0.599809)
    name_groups([("body", 2, [face])])
    name_groups([(name, 1, [side]) for name, side in zip(("bottom", "right", "top", "left"), sides)])
    gmsh.model.mesh.generate(2)


def slab():
    """VTI04 4.6: a slab clamped on one edge, fine at the two corners of the clamp."""
    start("slab")
    points, sides, face = polygon([(0, 0), (4, 0), (4, 1), (0, 1)])
    gmsh.model.geo.synchronize()
    graded({"PointsList": [points[0], points[3]]}, 0.06, 0, 0.39, 0.6)
    name_groups([("body", 2, [face])])
    name_groups([(name, 1, [side]) for name, side in zip(("bottom", "end", "top", "clamped"), sides)])
    gmsh.model.mesh.generate(2)


def l_beam():
    """AVI03 4.2: two legs of 1.8 m, 0.35 m square, in the plane z = 0 to 0.35; fine at the inner corner."""
    start("l-beam", algorithm3=4)
    leg, width = 1.8, 0.35
    inner = leg - width
    corners = [(0, 0), (width, 0), (width, inner), (leg, inner), (leg, leg), (0, leg)]
    points, sides, face = polygon(corners)
    top, (_, body), *walls = gmsh.model.geo.extrude([(2, face)], 0, 0, width)
    gmsh.model.geo.synchronize()
    graded({"PointsList": [points[2]]}, 0.11841119087909109, 0, 0.1342604713159385, 0.33310965941692555)
    walls = [wall for _, wall in walls]
    foot, tip = walls[0], walls[3]
    name_groups([("body", 3, [body]), ("foot", 2, [foot]), ("tip", 2, [tip])])
    name_groups([("sides", 2, [face, top[1]] + [w for w in walls if w not in (foot, tip)])])
    gmsh.model.mesh.generate(3)
    edit(body, 2, 621)


def bar_wave():
    """Bars along x from 0 to 1, their lengths waving smoothly between 1 and 8 (times the shortest)."""
    start("bar-wave")
    count = 200
    lengths = 8 ** (0.5 * np.sin(6 * np.pi * (np.arange(count) + 0.5) / count))
    x = np.concatenate([[0], np.cumsum(lengths) / lengths.sum()])
    x[-1] = 1
    model, mesh = gmsh.model, gmsh.model.mesh
    left, right = model.addDiscreteEntity(0), model.addDiscreteEntity(0)
    bar = model.addDiscreteEntity(1, -1, [left, right])
    place = lambda some: np.stack([some, 0 * some, 0 * some], axis=1).ravel()
    mesh.addNodes(0, left, [1], place(x[:1]))
    mesh.addNodes(0, right, [count + 1], place(x[-1:]))
    mesh.addNodes(1, bar, range(2, count + 1), place(x[1:-1]))
    mesh.addElementsByType(left, 15, [], [1])
    mesh.addElementsByType(right, 15, [], [count + 1])
    mesh.addElementsByType(bar, LINE, [], np.ravel([(i, i + 1) for i in range(1, count + 1)]))
    name_groups([("bar", 1, [bar]), ("left", 0, [left]), ("right", 0, [right])])


def graded_cube():
    """A unit cube, 50 times finer at the origin than far from it; optimised."""
    start("graded-cube", netgen=1)
    points, sides, face = polygon([(0, 0), (1, 0), (1, 1), (0, 1)])
    top, (_, body), *walls = gmsh.model.geo.extrude([(2, face)], 0, 0, 1)
    gmsh.model.geo.synchronize()
    graded({"PointsList": [points[0]]}, 0.006, 0, 0.14, 0.3)
    name_groups([("body", 3, [body]), ("z0", 2, [face]), ("z1", 2, [top[1]])])
    name_groups([(name, 2, [wall]) for name, (_, wall) in zip(("y0", "x1", "y1", "x0"), walls)])
    gmsh.model.mesh.generate(3)


def blade():
    """VTI04 4.5: two blades of 7.2 m along x on a common joint, chord along y, thickness along z.

    The section is a lens of eight corners. Its ridges are so flat that elements with four nodes on them are thin: the
    slivers of which the paper speaks.
    """
    start("blade", optimize=0)
    span, joint, chord, thickness = 7.2, 0.65, 0.533, 0.040
    ridge, height = 0.3328 * chord, 0.516 * thickness / 2
    upper = [(-chord / 2, 0), (-ridge, height), (0, thickness / 2), (ridge, height), (chord / 2, 0)]
    ring = upper + [(y, -z) for y, z in upper[-2:0:-1]]
    after = lambda some, i: some[(i + 1) % len(ring)]
    geo = gmsh.model.geo
    points = [[geo.addPoint(x, y, z) for y, z in ring] for x in (-span, -joint, joint, span)]
    rims = [[geo.addLine(p, after(ps, i)) for i, p in enumerate(ps)] for ps in points]
    sections = [geo.addPlaneSurface([geo.addCurveLoop(rim)]) for rim in rims]
    for rim in rims:
        for line in rim:
            geo.mesh.setTransfiniteCurve(line, 2)
    volumes, skin = [], []
    for k, (parts, growth) in enumerate([(22, 1 / 1.02436), (17, 1), (22, 1.02436)]):
        lines = [geo.addLine(a, b) for a, b in zip(points[k], points[k + 1])]
        for line in lines:
            geo.mesh.setTransfiniteCurve(line, parts + 1, "Progression", growth)
        loops = [[rims[k][i], after(lines, i), -rims[k + 1][i], -lines[i]] for i in range(len(ring))]
        faces = [geo.addPlaneSurface([geo.addCurveLoop(loop)]) for loop in loops]
        volumes.append(geo.addVolume([geo.addSurfaceLoop([sections[k], sections[k + 1]] + faces)]))
        skin += faces
    geo.synchronize()
    gmsh.option.setNumber("Mesh.MeshSizeMax", 1)
    name_groups([("blade", 3, [volumes[0], volumes[2]]), ("joint", 3, [volumes[1]])])
    name_groups([("skin", 2, skin), ("tips", 2, [sections[0], sections[3]])])
    gmsh.model.mesh.generate(3)
    gmsh.option.setNumber("Mesh.OptimizeThreshold", 0.1)
    gmsh.model.mesh.optimize("")
    edit(volumes[0], 1, 724)
    edit(volumes[2], 1, 743)


def taylor_bar():
    """Half the section of a cylinder of 32.4 mm by 3.2 mm: rectangles, `x` the radius and `y` the axis."""
    start("taylor-bar")
    points, sides, face = polygon([(0, 0), (3.2e-3, 0), (3.2e-3, 32.4e-3), (0, 32.4e-3)])
    gmsh.model.geo.synchronize()
    for side, divisions in zip(sides, (6, 50, 6, 50)):
        gmsh.model.mesh.setTransfiniteCurve(side, divisions + 1)
    gmsh.model.mesh.setTransfiniteSurface(face)
    gmsh.model.mesh.setRecombine(2, face)
    name_groups([("bar", 2, [face])])
    name_groups([(name, 1, [side]) for name, side in zip(("foot", "side", "end", "axis"), sides)])
    gmsh.model.mesh.generate(2)


def radii_of_rectangles():
    """Half the shorter side of every rectangle."""
    x = corners_of(QUADRANGLE)
    return 0.5 * np.linalg.norm(x - np.roll(x, 1, axis=1), axis=2).min(axis=1)


def save(make):
    """Makes a mesh, checks and writes it, and prints its figures."""
    gmsh.option.restoreDefaults()
    make()
    name = make.__name__.replace("_", "-")
    dimension = gmsh.model.getDimension()
    if make is taylor_bar:
        radii = radii_of_rectangles()
    else:
        radii = inradius(corners_of({1: LINE, 2: TRIANGLE, 3: TETRAHEDRON}[dimension]))
        if dimension > 1:
            gmsh.model.mesh.setOrder(2)
    assert radii.min() > 0, f"{name}: an element is inverted"
    gmsh.model.mesh.renumberNodes()
    gmsh.model.mesh.renumberElements()
    gmsh.write(str(HERE / f"{name}.msh"))
    nodes = len(gmsh.model.mesh.getNodes()[0])
    gain, spread = speed_up(radii)
    print(f"{name}: {len(radii)} elements, {nodes} nodes, speed-up {gain:.3f}, steps 1 : {spread:.2f},")
    mean = len(radii) / (1 / radii).sum()
    print(f"    inscribed radii {radii.min():.3e} to {radii.max():.3e}, harmonic mean {mean:.3e}")


MESHES = [block, slab, l_beam, blade, bar_wave, graded_cube, taylor_bar]

if __name__ == "__main__":
    gmsh.initialize()
    wanted = sys.argv[1:]
    for mesh in MESHES:
        if not wanted or mesh.__name__.replace("_", "-") in wanted:
            save(mesh)
    gmsh.finalize()
