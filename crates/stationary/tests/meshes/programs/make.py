#!/usr/bin/env python3
"""Small meshes of every kind of cell as other programs write them. Needs gmsh and meshio.

Each has a group `body` of all solid cells and a group `left` of the sides at x = 0.
"""

import pathlib

import gmsh
import meshio

HERE = pathlib.Path(__file__).parent


def save(name):
    body = [entity for _, entity in gmsh.model.getEntities(3)]
    sides = [s for _, s in gmsh.model.getEntities(2) if gmsh.model.occ.getCenterOfMass(2, s)[0] < 1e-9]
    gmsh.model.addPhysicalGroup(3, body, name="body")
    gmsh.model.addPhysicalGroup(2, sides, name="left")
    for version, binary, ending in ((4.1, 0, "4.1.msh"), (4.1, 1, "4.1-binary.msh"), (2.2, 0, "2.2.msh"), (2.2, 1, "2.2-binary.msh")):
        gmsh.option.setNumber("Mesh.MshFileVersion", version)
        gmsh.option.setNumber("Mesh.Binary", binary)
        gmsh.write(str(HERE / f"{name}-{ending}"))
    gmsh.option.setNumber("Mesh.Binary", 0)
    gmsh.write(str(HERE / f"{name}.inp"))
    mesh = meshio.read(HERE / f"{name}-4.1.msh")
    keep = {group: sets for group, sets in mesh.cell_sets.items() if not group.startswith("gmsh:")}
    mesh = meshio.Mesh(mesh.points, mesh.cells, cell_sets=keep)
    mesh.write(HERE / f"{name}.vtu")
    gmsh.clear()


def brick(name, order, incomplete):
    gmsh.model.add(name)
    gmsh.model.occ.addBox(0, 0, 0, 1, 2, 3)
    gmsh.model.occ.synchronize()
    transfinite(gmsh.model.getEntities(2))
    gmsh.model.mesh.setTransfiniteVolume(1)
    gmsh.option.setNumber("Mesh.SecondOrderIncomplete", incomplete)
    gmsh.model.mesh.generate(3)
    gmsh.model.mesh.setOrder(order)
    save(name)


def transfinite(surfaces):
    for _, curve in gmsh.model.getEntities(1):
        gmsh.model.mesh.setTransfiniteCurve(curve, 2)
    for _, surface in surfaces:
        gmsh.model.mesh.setTransfiniteSurface(surface)
        gmsh.model.mesh.setRecombine(2, surface)


gmsh.initialize()
gmsh.option.setNumber("General.Verbosity", 2)
brick("hexahedron8", 1, 0)
brick("hexahedron20", 2, 1)
brick("hexahedron27", 2, 0)
gmsh.model.add("wedge")
gmsh.model.occ.addRectangle(0, 0, 0, 2, 1)
gmsh.model.occ.extrude([(2, 1)], 0, 0, 1, numElements=[2], recombine=True)
gmsh.model.occ.synchronize()
gmsh.option.setNumber("Mesh.MeshSizeMin", 1.5)
gmsh.model.mesh.generate(3)
save("wedge")
# A hexahedron, tetrahedra, and the pyramid that Gmsh puts between them.
gmsh.option.setNumber("Mesh.MeshSizeMin", 0)
gmsh.model.add("mixed")
gmsh.model.occ.addBox(0, 0, 0, 1, 1, 1)
gmsh.model.occ.addBox(1, 0, 0, 1, 1, 1)
gmsh.model.occ.fragment([(3, 1)], [(3, 2)])
gmsh.model.occ.synchronize()
transfinite(gmsh.model.getBoundary([(3, 1)], oriented=False))
gmsh.model.mesh.setTransfiniteVolume(1)
gmsh.model.mesh.generate(3)
save("mixed")
gmsh.finalize()
