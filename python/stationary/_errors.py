"""What can go wrong, as Python exceptions with the words of the program."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """The base of all errors of this package that are no interruption."""

    def __init__(self, text: str, *more: object) -> None:
        super().__init__(text, *more)
        self.text = text

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.text!r})"


class InputError(Error, ValueError):
    """The input is wrong; nothing was run.

    ``str(e)`` is what the program prints after ``error: ``. ``line`` and ``column`` count from 1 in ``file``, which for
    a system made in Python is the text of its scenario.

    >>> import stationary
    >>> try:
    ...     stationary.System("x", "0.5*vx^2 + sni(x)").run(q=1, v=0, h=0.1, steps=10, method="verlet")
    ... except stationary.InputError as e:
    ...     print(e)
    system:2:26: unknown function `sni`
      | lagrangian = "0.5*vx^2 + sni(x)"
      |                          ^^^
      = did you mean `sin`?
    """

    def __init__(
        self,
        text: str,
        message: str | None = None,
        file: str | None = None,
        line: int | None = None,
        column: int | None = None,
        help: str | None = None,
    ) -> None:
        super().__init__(text, message, file, line, column, help)
        self.message = text if message is None else message
        self.file = file
        self.line = line
        self.column = column
        self.help = help


class ExpressionError(InputError, TypeError):
    """A SymPy expression that formulas of scenarios cannot say."""


class FileError(Error, OSError):
    """A file could not be read or written: ``path`` and ``message``."""

    # OSError makes its own object of its arguments; these are ours.
    def __new__(cls, text: str, path: str | None = None, message: str | None = None) -> FileError:
        return OSError.__new__(cls, text)

    def __init__(self, text: str, path: str | None = None, message: str | None = None) -> None:
        Error.__init__(self, text)
        self.path = path
        self.message = text if message is None else message

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.text, self.path, self.message)


class RunError(Error, RuntimeError):
    """The mechanics stopped on its way, at ``time`` after ``step`` steps. ``result`` has everything up to then."""

    def __init__(self, text: str, time: float, step: int, result: Any = None) -> None:
        super().__init__(text, time, step, result)
        self.time = time
        self.step = step
        self.result = result


class Interrupted(KeyboardInterrupt):
    """Ctrl-C ended a run, a sweep or an advance. ``result`` has what was reached; of a simulation, the simulation.

    It is `None` where a run ended before its first step.
    """

    def __init__(self, text: str, result: Any = None) -> None:
        super().__init__(text, result)
        self.text = text
        self.result = result

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Interrupted({self.text!r})"
