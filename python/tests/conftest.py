"""What several tests need."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def command() -> str:
    """The console script of the package."""
    path = shutil.which("doiscan", path=sysconfig.get_path("scripts"))
    assert path is not None, "the package is not installed"
    return path


@pytest.fixture(scope="session")
def sample() -> Path:
    return ROOT / "testdata" / "sample"


def run(*arguments: str | os.PathLike[str], text: bytes = b"") -> bytes:
    """The standard output of a command that succeeds."""
    return subprocess.run(arguments, input=text, check=True, stdout=subprocess.PIPE).stdout
