"""What tests share: the program, to which results are held bit by bit."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest


# A shell starts what runs in its background with Ctrl-C ignored, and Python leaves that so: the tests press it all the same.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Program:
    """The program `stationary`."""

    def __init__(self, path: str, folder: Path) -> None:
        self.path, self.folder = path, folder

    def __call__(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([self.path, *arguments], cwd=self.folder, capture_output=True, text=True)

    def series(self, scenario: str, *arguments: str) -> tuple[list[str], np.ndarray]:
        """The columns and numbers of the series that a run leaves; a field without a value is NaN."""
        ran = self("run", scenario, "--quiet", "--out", "out", *arguments)
        assert ran.returncode in (0, 1), ran.stderr
        return read_series(self.folder / "out" / "series.csv")


def read_series(path: Path) -> tuple[list[str], np.ndarray]:
    with open(path, newline="") as file:
        columns, *rows = csv.reader(file)
    return columns, np.array([[float(x) if x else np.nan for x in row] for row in rows])


@pytest.fixture
def program(tmp_path: Path) -> Program:
    path = os.environ.get("STATIONARY_PROGRAM")
    if not path:
        pytest.skip("STATIONARY_PROGRAM names no program to compare with")
    return Program(path, tmp_path)


def same_bits(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether two arrays are equal to the bit, NaN where there is no value."""
    return a.shape == b.shape and bool(((a == b) & (np.signbit(a) == np.signbit(b)) | np.isnan(a) & np.isnan(b)).all())
