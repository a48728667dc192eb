"""Makes a graded bracket on which a schedule of six levels without buffer grows at 0.9 of the limit, with Gmsh.

    pip install gmsh
    python studies/resonance/bracket.py bracket.msh

It is the bracket of ../meshes/make.py with other dimensions, refined towards one of its corners.
"""

import math
import pathlib
import random
import sys

import gmsh

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "meshes"))
import make  # noqa: E402

SEED = "grown 5"


def main(path):
    r = random.Random(SEED)
    gmsh.initialize()
    gmsh.option.setNumber("General.Verbosity", 2)
    dimension, parts = make.bracket(r)
    make.KERNEL.synchronize()
    gmsh.model.addPhysicalGroup(dimension, [tag for _, tag in parts], name="part")
    box = gmsh.model.getBoundingBox(-1, -1)
    diagonal = math.dist(box[:3], box[3:])
    field = gmsh.model.mesh.field
    distance = field.add("Distance")
    field.setNumbers(distance, "PointsList", [r.choice(gmsh.model.getEntities(0))[1]])
    size = field.add("Threshold")
    coarse = 0.09 * diagonal
    values = {"SizeMin": 0.06 * coarse, "SizeMax": coarse, "DistMin": 0.02 * diagonal, "DistMax": 0.5 * diagonal}
    for name, value in values.items():
        field.setNumber(size, name, value)
    field.setNumber(size, "InField", distance)
    field.setAsBackgroundMesh(size)
    gmsh.option.setNumber("Mesh.MeshSizeExtendFromBoundary", 0)
    gmsh.option.setNumber("Mesh.MeshSizeFromCurvature", 0)
    gmsh.model.mesh.generate(dimension)
    gmsh.write(path)
    gmsh.finalize()


if __name__ == "__main__":
    main(sys.argv[1])
