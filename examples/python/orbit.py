"""An orbit from one line of text, and what is conserved over ten thousand time units."""

import stationary

kepler = stationary.System(
    ["x", "y"],
    "0.5*(vx^2 + vy^2) + 1/sqrt(x^2 + y^2)",
    symmetry={"rotation": ["-y", "x"]},
)
result = kepler.run(q=[1, 0], v=[0, 1.2], h=0.05, steps=200_000, method="verlet")
print(result.summary["energy"])
print("angular momentum drifts by", result.summary["momentum"]["rotation"]["max_abs_drift"])
