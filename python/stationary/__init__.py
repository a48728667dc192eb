"""Stationary: variational integrators for mechanics, from Python.

A system is written where you stand, by its Lagrangian; the engine differentiates, compiles and runs it, and tells what was
conserved. No Python runs inside a step, and results have the bits of the program's.

>>> import stationary
>>> pendulum = stationary.System("theta", "0.5*vtheta^2 + cos(theta)")
>>> r = pendulum.run(q=1.0, v=0.0, h=0.1, steps=1000, method="verlet")
>>> bool(abs(r.energy - r.energy[0]).max() < 1e-2)
True
"""

from . import _core
from ._core import Stop
from ._errors import Error, FileError, InputError, Interrupted, RunError
from ._keys import keys
from ._mesh import Mesh
from ._modes import Modes, modes
from ._result import Result
from ._scenario import Scenario, run
from ._simulation import Simulation
from ._solid import Solid, SolidSimulation
from ._sweep import Sweep, sweep
from ._system import Bodies, RigidBody, System

__version__ = _core.__version__

__all__ = [
    "Bodies",
    "Error",
    "FileError",
    "InputError",
    "Interrupted",
    "Mesh",
    "Modes",
    "Result",
    "RigidBody",
    "RunError",
    "Scenario",
    "Simulation",
    "Solid",
    "SolidSimulation",
    "Stop",
    "Sweep",
    "System",
    "keys",
    "modes",
    "run",
    "schema",
    "shipped",
    "sweep",
]


def shipped() -> list[str]:
    """The names of the scenarios that come with the program; `run` and `Scenario.open` take them.

    >>> "pendulum" in shipped()
    True
    """
    return _core.shipped()


def schema() -> str:
    """The JSON Schema of scenarios."""
    return _core.schema()
