"""A solid from arrays, moved on by hand until its tip turns back."""

import numpy as np

import stationary

nx, ny = 40, 4
x, y = np.meshgrid(np.linspace(0, 10, nx + 1), np.linspace(0, 1, ny + 1), indexing="ij")
points = np.column_stack([x.ravel(), y.ravel()])
corner = (np.arange(nx)[:, None] * (ny + 1) + np.arange(ny)).ravel()
a, b, c, d = corner, corner + ny + 1, corner + ny + 2, corner + 1
triangles = np.vstack([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
wall = np.flatnonzero(points[:, 0] == 0)
mesh = stationary.Mesh(points, {"triangle": triangles}, groups={"wall": wall})

beam = stationary.Solid(
    mesh,
    material={"steel": {"law": "neo-hookean", "young": 200.0, "poisson": 0.3, "density": 1.0}},
    support={"clamp": {"group": "wall", "fixed": True}},
    load={"weight": {"acceleration": [0, -0.01]}},
)
motion = beam.start()
tip = int(np.argmax(points[:, 0] + points[:, 1]))
deepest = 0.0
while motion.u[tip, 1] <= deepest:
    deepest = motion.u[tip, 1]
    motion.advance(by=0.5)
print(f"the tip turns back at t = {motion.t:.1f}, {-deepest:.3f} below its place")
