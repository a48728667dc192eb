"""The examples run as they are."""

import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "python").glob("*.py"))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run_and_print_what_they_found(example: Path, tmp_path: Path) -> None:
    ran = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0 and ran.stdout, ran.stderr


def test_examples_folder_is_not_empty() -> None:
    assert len(EXAMPLES) >= 2
