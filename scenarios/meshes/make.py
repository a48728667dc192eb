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
LINE, TRIANGLE, QUADRANGLE, TETRAHEDRON, HEXAHEDRON, WEDGE, PYRAMID = range(1, 8)  # kinds in Gmsh, with nodes at corners alone


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


def rectangles(sides, face, along, across, progression=1.0):
    """Divides a face of four sides into quadrilaterals, `along` its second and fourth side, which grow by `progression`."""
    mesh = gmsh.model.geo.mesh
    for side, divisions, growth in zip(sides, (across, along, across, along), (1, progression, 1, 1 / progression)):
        mesh.setTransfiniteCurve(side, divisions + 1, "Progression", growth)
    mesh.setTransfiniteSurface(face)
    mesh.setRecombine(2, face)


def taylor_bar():
    """Half the section of a cylinder of 32.4 mm by 3.2 mm: rectangles, `x` the radius and `y` the axis."""
    start("taylor-bar")
    points, sides, face = polygon([(0, 0), (3.2e-3, 0), (3.2e-3, 32.4e-3), (0, 32.4e-3)])
    rectangles(sides, face, 50, 6)
    gmsh.model.geo.synchronize()
    name_groups([("bar", 2, [face])])
    name_groups([(name, 1, [side]) for name, side in zip(("foot", "side", "end", "axis"), sides)])
    gmsh.model.mesh.generate(2)


def necking():
    """Half the section of a round bar of 53.334 mm by 6.413 mm, finer where it necks, and of the load cell on it."""
    start("necking")
    geo, radius, length, top = gmsh.model.geo, 6.413e-3, 26.667e-3, 46.667e-3
    points, sides, face = polygon([(0, 0), (radius, 0), (radius, length), (0, length)])
    ends = [geo.addPoint(radius, top, 0), geo.addPoint(0, top, 0)]
    more = [geo.addLine(points[2], ends[0]), geo.addLine(*ends), geo.addLine(ends[1], points[3])]
    cell = geo.addPlaneSurface([geo.addCurveLoop([-sides[2], *more])])
    rectangles(sides, face, 22, 6, 1.08)
    rectangles([sides[2], more[0], more[1], more[2]], cell, 8, 6)
    geo.synchronize()
    name_groups([("bar", 2, [face]), ("cell", 2, [cell]), ("middle", 1, [sides[0]]), ("grip", 1, [more[1]])])
    name_groups([("side", 1, [sides[1], more[0]]), ("axis", 1, [sides[3], more[2]])])
    gmsh.model.mesh.generate(2)


def viscoelastic_ring():
    """A quarter of a ring of mean radius 0.1 m, 5 mm thick."""
    start("viscoelastic-ring")
    geo, inner, outer = gmsh.model.geo, 0.0975, 0.1025
    centre, *points = [geo.addPoint(x, y, 0) for x, y in [(0, 0), (inner, 0), (outer, 0), (0, outer), (0, inner)]]
    sides = [geo.addLine(points[0], points[1]), geo.addCircleArc(points[1], centre, points[2]),
             geo.addLine(points[2], points[3]), geo.addCircleArc(points[3], centre, points[0])]
    face = geo.addPlaneSurface([geo.addCurveLoop(sides)])
    rectangles(sides, face, 40, 2)
    geo.synchronize()
    name_groups([("ring", 2, [face])])
    name_groups([(name, 1, [side]) for name, side in zip(("bottom", "outside", "left", "inside"), sides)])
    gmsh.model.mesh.generate(2)


def tube_wave():
    """A square tube of 10 m by 0.1 m, one end of it at `x = 0`, in hexahedra."""
    start("tube-wave")
    geo = gmsh.model.geo
    points = [geo.addPoint(0, y, z) for y, z in [(0, 0), (0.1, 0), (0.1, 0.1), (0, 0.1)]]
    sides = [geo.addLine(a, b) for a, b in zip(points, points[1:] + points[:1])]
    face = geo.addPlaneSurface([geo.addCurveLoop(sides)])
    rectangles(sides, face, 2, 2)
    end, (_, body), *walls = geo.extrude([(2, face)], 10, 0, 0, [100], recombine=True)
    geo.synchronize()
    walls = [wall for _, wall in walls]
    name_groups([("water", 3, [body]), ("valve", 2, [face]), ("open", 2, [end[1]])])
    name_groups([("z-walls", 2, walls[0::2]), ("y-walls", 2, walls[1::2])])
    gmsh.model.mesh.generate(3)


# Corners of a cell of a grid as bits of 0 to 7: x, then y, then z; its faces, seen from the inside; its two wedges.
CORNERS = [0, 1, 3, 2, 4, 5, 7, 6]
FACES = {"x0": (0, 2, 6, 4), "x1": (1, 5, 7, 3), "y0": (0, 4, 5, 1), "y1": (2, 3, 7, 6)}
FACES |= {"z0": (0, 1, 3, 2), "z1": (4, 6, 7, 5)}
WEDGES = [(0, 1, 3, 4, 5, 7), (0, 3, 2, 4, 7, 6)]


def mixed_grid(origin, count, size, kind_of, cut, shake, points):
    """Cells of a grid, each a hexahedron, two wedges, or pyramids to its middle; the face `cut(cell)` of the last kind is
    that of two tetrahedra. Inner nodes are shaken. Appends to `points`; returns elements by kind, and outer faces by side."""
    number, elements, outside = {}, {kind: [] for kind in (HEXAHEDRON, WEDGE, PYRAMID, TETRAHEDRON)}, {}
    for node in np.ndindex(*(n + 1 for n in count)):
        place = np.array(origin) + np.array(size) * node / count
        if all(0 < i < n for i, n in zip(node, count)):
            place += shake * np.array(size) / count * RANDOM.uniform(-1, 1, 3)
        points.append(place)
        number[node] = len(points)
    for cell in np.ndindex(*count):
        corner = [number[tuple(np.add(cell, (c & 1, c >> 1 & 1, c >> 2)))] for c in range(8)]
        named = lambda corners: [corner[c] for c in corners]
        faces = {side: [named(face)] for side, face in FACES.items()}
        kind = kind_of(cell)
        if kind == HEXAHEDRON:
            elements[kind].append(named(CORNERS))
        elif kind == WEDGE:
            elements[kind] += [named(wedge) for wedge in WEDGES]
            for side, at in (("z0", (0, 1, 2)), ("z1", (3, 4, 5))):
                faces[side] = [[corner[wedge[i]] for i in at] for wedge in WEDGES]
        else:
            points.append(np.mean([points[n - 1] for n in corner], axis=0))
            middle = len(points)
            for side, [face] in faces.items():
                if side == cut(cell):
                    faces[side] = [face[:3], [face[0], face[2], face[3]]]
                    elements[TETRAHEDRON] += [[*triangle, middle] for triangle in faces[side]]
                else:
                    elements[PYRAMID].append([*face, middle])
        for axis, letter in enumerate("xyz"):
            if cell[axis] == 0:
                outside.setdefault(f"{letter}0", []).extend(faces[f"{letter}0"])
            if cell[axis] == count[axis] - 1:
                outside.setdefault(f"{letter}1", []).extend(faces[f"{letter}1"])
    return elements, outside


RANDOM = np.random.default_rng(5)


def mixed_mesh():
    """A bar of 3 m and a cube of 1 m beside it, of hexahedra, wedges, pyramids and tetrahedra with common faces."""
    start("mixed-mesh")
    model, points = gmsh.model, []
    kinds = [HEXAHEDRON, PYRAMID, WEDGE]
    in_bar = lambda cell: kinds[cell[0] % 3]
    in_cube = lambda cell: PYRAMID if cell[0] == 2 else WEDGE if cell[:2] == (0, 0) else HEXAHEDRON
    bar = mixed_grid(
        (0, 0, 0), (18, 2, 2), (3, 1 / 3, 1 / 3), in_bar, lambda cell: ("y0", "y1")[cell[1]], 0.2, points
    )
    cube = mixed_grid((0, 1, 0), (3, 3, 3), (1, 1, 1), in_cube, lambda cell: "x1", 0.3, points)
    home = None
    sets = [("bar", 3, bar[0]), ("cube", 3, cube[0])]
    for name, sides in [("foot", ("x0",)), ("end", ("x1",)), ("y-sides", ("y0", "y1")), ("z-sides", ("z0", "z1"))]:
        sets.append((name, 2, by_corners(bar[1], sides)))
    sets.append(("skin", 2, by_corners(cube[1], cube[1])))
    for name, dimension, elements in sets:
        entity = model.addDiscreteEntity(dimension)
        if home is None:
            home = entity
            model.mesh.addNodes(3, home, range(1, len(points) + 1), np.ravel(points))
        for kind, nodes in elements.items():
            if nodes:
                model.mesh.addElementsByType(entity, kind, [], np.ravel(nodes))
        name_groups([(name, dimension, [entity])])


def by_corners(outside, sides):
    faces = [face for side in sides for face in outside[side]]
    return {TRIANGLE: [f for f in faces if len(f) == 3], QUADRANGLE: [f for f in faces if len(f) == 4]}


def radii_of_boxes(kind):
    """Half the shortest edge from the first corner of every quadrilateral or hexahedron, which are nearly boxes."""
    x = corners_of(kind)
    first = [1, 3, 4] if kind == HEXAHEDRON else [1, 3]
    return 0.5 * np.linalg.norm(x[:, first] - x[:, :1], axis=2).min(axis=1)


def save(make):
    """Makes a mesh, checks and writes it, and prints its figures."""
    gmsh.option.restoreDefaults()
    make()
    name = make.__name__.replace("_", "-")
    dimension = gmsh.model.getDimension()
    kinds = gmsh.model.mesh.getElementTypes(dimension)
    boxes = [kind for kind in kinds if kind in (QUADRANGLE, HEXAHEDRON)]
    if boxes:
        radii = radii_of_boxes(boxes[0])
    else:
        radii = inradius(corners_of({1: LINE, 2: TRIANGLE, 3: TETRAHEDRON}[dimension]))
        if dimension > 1:
            gmsh.model.mesh.setOrder(2)
    assert radii.min() > 0, f"{name}: an element is inverted"
    gmsh.model.mesh.renumberNodes()
    gmsh.model.mesh.renumberElements()
    gmsh.write(str(HERE / f"{name}.msh"))
    nodes = len(gmsh.model.mesh.getNodes()[0])
    elements = sum(len(tags) for tags in gmsh.model.mesh.getElements(dimension)[1])
    gain, spread = speed_up(radii)
    print(f"{name}: {elements} elements, {nodes} nodes, speed-up {gain:.3f}, steps 1 : {spread:.2f},")
    mean = len(radii) / (1 / radii).sum()
    print(f"    inscribed radii {radii.min():.3e} to {radii.max():.3e}, harmonic mean {mean:.3e}")
    if len(kinds) > 1:
        print("    (radii of the hexahedra alone)")


MESHES = [
    block, slab, l_beam, blade, bar_wave, graded_cube, taylor_bar, necking, viscoelastic_ring, mixed_mesh, tube_wave
]

if __name__ == "__main__":
    gmsh.initialize()
    wanted = sys.argv[1:]
    for mesh in MESHES:
        if not wanted or mesh.__name__.replace("_", "-") in wanted:
            save(mesh)
    gmsh.finalize()
