"""MFEM (PyMFEM): its hyperelastic forces; the lumped mass and the loop are ours."""

import mfem
import mfem.ser as mf
import numpy as np
from common import SAFETY, arguments, central_difference, lumped_mass, match, read_mesh, report, start, true_limit
from problem import LAMBDA, MU

path, end = arguments()
points, cells = read_mesh(path)
order = 1 if cells.shape[1] == 4 else 2
mesh = mf.Mesh(path, 1, 1)
space = mf.FiniteElementSpace(mesh, mf.H1_FECollection(order, 3), 3)  # by nodes: all x, all y, all z
place = mf.GridFunction(space)
mesh.GetNodes(place)
places = place.GetDataArray().reshape(3, -1).T.copy()
number = match(points, places)
mass = lumped_mass(points, cells)[number]
# Ibar-1 form: the same small-strain moduli, another law at finite strain.
law = mf.NeoHookeanModel(MU, LAMBDA + 2 * MU / 3)
form = mf.NonlinearForm(space)
integrator = mf.HyperelasticNLFIntegrator(law)
integrator.SetIntRule(mf.IntRules.Get(mf.Geometry.TETRAHEDRON, 1 if order == 1 else 2))
form.AddDomainIntegrator(integrator)
x, out = mf.Vector(space.GetVSize()), mf.Vector(space.GetVSize())
x_array, out_array = x.GetDataArray().reshape(3, -1), out.GetDataArray().reshape(3, -1)


def force(u):
    x_array[:] = (places + u).T
    form.Mult(x, out)
    return -out_array.T


def potential(u):
    x_array[:] = (places + u).T
    return form.GetEnergy(x)


state = start(places)
h = SAFETY * true_limit(force, mass, state[0])
run = central_difference(force, potential, mass, state, h, end)
u = np.empty_like(points)
u[number] = run["u"]
run["u"] = u
report(run, points, cells, version=mfem.__version__, law="neo-Hookean, isochoric form")
