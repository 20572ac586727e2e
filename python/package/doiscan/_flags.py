"""Keywords as flags of the command, and flags as keywords."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from typing import Any

# Flags whose keywords have other names.
_NAMES = {"column": "columns", "mandatory": "recommended=False"}


def arguments(options: dict[str, Any]) -> Iterator[str]:
    """Keywords as flags of the command."""
    for name, value in options.items():
        flag = "--column" if name == "columns" else "--" + name.replace("_", "-")
        are_several = isinstance(value, Iterable) and not isinstance(value, (str, os.PathLike))
        for item in value if are_several else [value]:
            if item is True:
                yield flag
            elif item is not None and item is not False:
                yield f"{flag}={os.fspath(item) if isinstance(item, os.PathLike) else item}"


def keywords(message: str) -> str:
    """A message of the command in one line, which names keywords in place of flags."""

    def keyword(flag: re.Match[str]) -> str:
        return _NAMES.get(flag[1], flag[1].replace("-", "_"))

    return re.sub(r"--([a-z][a-z0-9-]*)(?:[ =]<[^>]*>)?", keyword, re.sub(r"\n\s*", " ", message))
