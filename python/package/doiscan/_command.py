"""The console script: the whole command, as the native binary has it."""

from __future__ import annotations

import sys
from typing import NoReturn

from . import _doiscan


def main() -> NoReturn:
    """Run the command with the arguments of this process, and end with its exit status."""
    sys.exit(_doiscan.command(["doiscan", *sys.argv[1:]]))
